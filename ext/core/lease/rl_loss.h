/* SPDX-License-Identifier: MIT
 *
 * Why a lease is not held.
 */
#ifndef RL_LOSS_H
#define RL_LOSS_H

/* The first reason stays. */
typedef enum rl_loss {
	/* The lease is held, or was not won yet. */
	RL_LOSS_NONE,
	/* By the clock: a server may still have the key. */
	RL_LOSS_EXPIRED,
	/* The same, because maxHold allowed no longer renewal. */
	RL_LOSS_MAX_HOLD,
	/* A server reported that the key is gone. */
	RL_LOSS_DELETED,
	/* A server reported that another holder has the key. */
	RL_LOSS_TAKEN_OVER,
	/* The owner has released the lease, or has given it away. */
	RL_LOSS_RELEASED,
	/* The parent process has the lease. */
	RL_LOSS_FORKED,
} rl_loss;

/* The reason for a loss by refusals, from the numbers of members that found no key, or the key of
 * another holder. The larger number decides. If both are the same it is RL_LOSS_TAKEN_OVER, because
 * another holder may be at work. */
static inline rl_loss rl_loss_of_refusals(unsigned absent, unsigned taken_over)
{
	return taken_over > 0 && taken_over >= absent ? RL_LOSS_TAKEN_OVER : RL_LOSS_DELETED;
}

#endif
