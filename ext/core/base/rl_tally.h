/* SPDX-License-Identifier: MIT
 *
 * Counting the members' votes. A quorum is N/2+1 by integer division. Source of the rule:
 * https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/ ("majority of the
 * instances").
 */
#ifndef RL_TALLY_H
#define RL_TALLY_H

typedef enum rl_vote {
	RL_VOTE_OPEN,    /* no answer yet */
	RL_VOTE_GRANTED, /* yes */
	RL_VOTE_REFUSED, /* no: someone else's */
	RL_VOTE_FAILED,  /* the member could not say */
} rl_vote;

static inline unsigned rl_quorum(unsigned members)
{
	return members / 2 + 1;
}

typedef struct rl_tally {
	unsigned members;
	unsigned granted;
	unsigned refused;
	unsigned failed;
} rl_tally;

void rl_tally_add(rl_tally *tally, rl_vote vote);

/*
 * The outcome of the whole: granted by a quorum; refused when refusals alone rule a quorum out;
 * failed when a quorum is out of reach otherwise; open while it can still be had or refused.
 */
rl_vote rl_tally_outcome(const rl_tally *tally);

#endif
