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
	/* By the clock: the key may still be at a server. */
	RL_LOSS_EXPIRED,
	/* The same, and no renewal was allowed to go further. */
	RL_LOSS_MAX_HOLD,
	/* A server said that the key is gone. */
	RL_LOSS_DELETED,
	/* A server said that the key is another holder's. */
	RL_LOSS_TAKEN_OVER,
	/* The owner has released the lease, or has given it away. */
	RL_LOSS_RELEASED,
	/* The parent process has the lease. */
	RL_LOSS_FORKED,
} rl_loss;

/* The reason that the members' refusals give. Each of these members found no key, or another
 * holder's. The reason of the majority counts, and of two halves RL_LOSS_TAKEN_OVER, because
 * another holder may be at work. */
static inline rl_loss rl_loss_of_refusals(unsigned absent, unsigned taken_over)
{
	return taken_over > 0 && taken_over >= absent ? RL_LOSS_TAKEN_OVER : RL_LOSS_DELETED;
}

#endif
