/* SPDX-License-Identifier: MIT
 *
 * rl_quorum_call.h: the votes and the outcome.
 */
#include "invariants.h"

#include <string.h>

static bool is_outcome_good(const rl_quorum_call *call, const rl_tally *tally, unsigned asked)
{
	return holds(call->terms.request.verb == RL_VERB_OWNER ||
				   call->outcome == rl_tally_outcome(tally),
			   "rl_quorum_call: the outcome is that of the votes") &&
		holds((call->extra_end != 0) == (call->outcome != RL_VOTE_OPEN),
			"rl_quorum_call: extra_end is set when the outcome is known, and only then") &&
		holds(call->outcome != RL_VOTE_OPEN || asked > 0,
			"rl_quorum_call: while the outcome is open a member is asked");
}

/* What the vote of the member counts as. */
static rl_vote vote_in(const rl_quorum_call *call, const rl_errand *member)
{
	bool is_refusal = call->refuses_types && member->vote == RL_VOTE_FAILED &&
		strcmp(member->err->code, "WRONGTYPE") == 0;
	return is_refusal ? RL_VOTE_REFUSED : member->vote;
}

bool invariants_of_call(const rl_quorum_call *call)
{
	rl_tally tally = {0};
	unsigned asked = 0;
	unsigned order = 0;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		const rl_errand *member = &call->members[i];
		if (!holds(member->terms == &call->terms && member->server == &call->terms.set->members[i],
				"rl_quorum_call: each member has an errand with the terms of the call") ||
			!invariants_of_errand(member)) {
			return false;
		}
		rl_tally_add(&tally, vote_in(call, member));
		asked += member->state != RL_ERRAND_DONE && member->state != RL_ERRAND_BACKED_OFF;
		order |= 1U << call->order[i];
	}
	return holds(order == (1U << call->terms.set->count) - 1,
			   "rl_quorum_call: the order has each member") &&
		is_outcome_good(call, &tally, asked);
}

bool invariants_of_resting_call(const rl_quorum_call *call)
{
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		if (!invariants_of_resting_errand(&call->members[i])) {
			return false;
		}
	}
	return true;
}
