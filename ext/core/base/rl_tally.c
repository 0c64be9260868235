/* SPDX-License-Identifier: MIT */
#include "core/base/rl_tally.h"

void rl_tally_add(rl_tally *tally, rl_vote vote)
{
	tally->members++;
	tally->granted += vote == RL_VOTE_GRANTED;
	tally->refused += vote == RL_VOTE_REFUSED;
	tally->failed += vote == RL_VOTE_FAILED;
}

rl_vote rl_tally_outcome(const rl_tally *tally)
{
	unsigned quorum = rl_quorum(tally->members);
	unsigned spare = tally->members - quorum; /* a quorum is possible without these */
	if (tally->granted >= quorum) {
		return RL_VOTE_GRANTED;
	}
	if (tally->refused > spare) {
		return RL_VOTE_REFUSED;
	}
	unsigned open = tally->members - tally->granted - tally->refused - tally->failed;
	/* As long as the open votes can still make it a refusal, it is not a failure. */
	if (tally->failed + tally->refused > spare && open + tally->refused <= spare) {
		return RL_VOTE_FAILED;
	}
	return RL_VOTE_OPEN;
}
