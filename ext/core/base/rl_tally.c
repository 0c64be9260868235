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
	unsigned spare = tally->members - quorum; /* so many may say no */
	if (tally->granted >= quorum) {
		return RL_VOTE_GRANTED;
	}
	if (tally->refused > spare) {
		return RL_VOTE_REFUSED;
	}
	unsigned open = tally->members - tally->granted - tally->refused - tally->failed;
	/* While the open ones could still turn it into a refusal, it is not a failure yet. */
	if (tally->failed + tally->refused > spare && open + tally->refused <= spare) {
		return RL_VOTE_FAILED;
	}
	return RL_VOTE_OPEN;
}
