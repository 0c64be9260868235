/* SPDX-License-Identifier: MIT
 *
 * Counts the votes of the members. A quorum is N/2+1, by integer division. Source of the rule:
 * https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/ ("majority of the
 * instances").
 */
#ifndef RL_TALLY_H
#define RL_TALLY_H

typedef enum rl_vote {
	RL_VOTE_OPEN,    /* no answer yet */
	RL_VOTE_GRANTED, /* the answer was yes */
	RL_VOTE_REFUSED, /* the answer was no */
	RL_VOTE_FAILED,  /* an error, or no answer */
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

/* The outcome of all votes. Granted: by a quorum. Refused: the refusals alone make a quorum
 * impossible. Failed: refusals and failures together do, and the open votes cannot make it a
 * refusal. Open: otherwise. */
rl_vote rl_tally_outcome(const rl_tally *tally);

#endif
