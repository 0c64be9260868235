/* SPDX-License-Identifier: MIT
 *
 * Why a lease is not held.
 */
#ifndef RL_LOSS_H
#define RL_LOSS_H

/* The first reason stays. */
typedef enum rl_loss {
	RL_LOSS_NONE, /* it is held, or was not won yet */
	/* By the clock: something may be left at a server. */
	RL_LOSS_EXPIRED,
	RL_LOSS_MAX_HOLD, /* the same, and no renewal was allowed to go further */
	/* A server said so. */
	RL_LOSS_DELETED,
	RL_LOSS_TAKEN_OVER,
	RL_LOSS_RELEASED, /* by its owner, or given away */
	RL_LOSS_FORKED,   /* the parent process has it */
} rl_loss;

/* The reason that the members' refusals give. Each of them found no key, or another holder's: the reason is that of
 * the majority of them, and of two halves RL_LOSS_TAKEN_OVER, because another holder may be at work. */
static inline rl_loss rl_loss_of_refusals(unsigned absent, unsigned taken_over)
{
	return taken_over > 0 && taken_over >= absent ? RL_LOSS_TAKEN_OVER : RL_LOSS_DELETED;
}

#endif
