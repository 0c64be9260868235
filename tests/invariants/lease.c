/* SPDX-License-Identifier: MIT
 *
 * rl_lease.h: the stage and the proof.
 */
#include "invariants.h"

bool invariants_of_lease(const rl_lease *lease)
{
	int64_t proof = atomic_load(&lease->proof);
	bool is_counted = atomic_load(&lease->held_since) != 0;
	bool is_new = lease->stage == RL_LEASE_NEW;
	return holds(!is_new || (proof == 0 && lease->in_flight == 0),
			   "rl_lease: NEW proves nothing, and is not prolonged") &&
		holds(is_new || lease->stage == RL_LEASE_ENDED || proof != 0,
			"rl_lease: a lock that was won has a proof, or the reason of its loss") &&
		holds(proof >= -(int64_t) RL_LOSS_FORKED, "rl_lease: a loss has one of the reasons") &&
		holds(!is_counted || (lease->stage == RL_LEASE_TAKEN && proof > 0),
			"rl_lease: the gauge counts a lease that is held, and no other") &&
		holds(
			!lease->is_disowned || proof < 0, "rl_lease: a lease that a server disowns is lost") &&
		holds(is_new || proof == 0 || (lease->token_len > 0 && lease->ttl_ns > 0),
			"rl_lease: a lock that was won has a token and a TTL") &&
		holds(is_new || lease->in_flight > 0 || lease->flight_ttl == RL_NEVER || proof == 0,
			"rl_lease: flight_ttl counts while a prolongation is under way, and only then");
}
