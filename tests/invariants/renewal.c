/* SPDX-License-Identifier: MIT
 *
 * rl_renewal.h: the stage of a record, and what its members wait for.
 */
#include "invariants.h"

/* The lease may be held no longer (maxHold), so a member is not asked. */
static bool may_ask(const rl_renewal *renewal, int64_t now)
{
	return rl_renewal_ttl(renewal, now) >= RL_NS_PER_MS;
}

static bool is_member_good(const rl_renewal_member *member, int64_t now)
{
	const rl_renewal *renewal = member->renewal;
	bool is_waiting = member->state == RL_RENEWAL_MEMBER_WAITING;
	bool is_in_round = renewal->stage == RL_RENEWAL_IN_ROUND;
	bool is_left = member->state == RL_RENEWAL_MEMBER_IDLE && member->vote == RL_VOTE_OPEN;
	return holds(!is_in_round || !is_left || !may_ask(renewal, now),
			   "rl_renewal: within a round no member is idle with an open vote") &&
		holds(!is_waiting || !rl_renewal_is_paused(renewal),
			"rl_renewal: a record that is paused sends nothing") &&
		holds(!is_waiting || !rl_renewal_is_lost(renewal) ||
				(rl_renewal_is_release(member->wanted) && member->needs_release),
			"rl_renewal: a lease that is lost is only released, where it is not released yet") &&
		holds(!is_waiting || !rl_renewal_is_grant(renewal) || member->wanted == RL_SEND_PUT_BACK,
			"rl_renewal: a late grant only sends SET");
}

static bool is_stage_good(const rl_renewal *renewal, const rl_tally *tally)
{
	const rl_lease *lease = renewal->lease;
	bool is_held = lease->stage == RL_LEASE_TAKEN && atomic_load(&lease->proof) > 0;
	bool is_in_round = renewal->stage == RL_RENEWAL_IN_ROUND;
	return holds(!is_in_round || renewal->renews,
			   "rl_renewal: only a lease that is renewed has rounds") &&
		holds(!is_in_round || lease->in_flight > 0,
			"rl_renewal: within a round the lease is prolonged") &&
		holds(!is_in_round || tally->granted < rl_quorum(tally->members),
			"rl_renewal: a round ends when a quorum has granted") &&
		holds(!rl_renewal_is_lost(renewal) || !is_held,
			"rl_renewal: a lease that is lost is not held");
}

bool invariants_of_renewal(const rl_renewal *renewal, int64_t now)
{
	rl_tally tally = {0};
	for (unsigned i = 0; i < renewal->count; i++) {
		const rl_renewal_member *member = &renewal->members[i];
		if (!holds(member->renewal == renewal, "rl_renewal: a member belongs to its record") ||
			!is_member_good(member, now)) {
			return false;
		}
		rl_tally_add(&tally, member->vote);
	}
	return is_stage_good(renewal, &tally) && invariants_of_lease(renewal->lease);
}
