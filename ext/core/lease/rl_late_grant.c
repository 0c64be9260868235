/* SPDX-License-Identifier: MIT
 *
 * Takes late grants over. The design is in the header. rl_renewer.c sends and ends them.
 */
#include "core/lease/rl_late_grant.h"

#include "core/base/rl_time.h"

#include <stdlib.h>

/* A record with a copy of the lease. NULL when out of memory. */
static rl_renewal *new_record(rl_renewer *renewer, const rl_late_grant *grant)
{
	const rl_set *set = grant->set;
	rl_lease *lease =
		rl_lease_new(renewer->env, grant->key, 0, grant->token.len, set->drift_factor, set->naming);
	rl_renewal *renewal = lease != NULL ? rl_renewal_new(set, lease) : NULL;
	if (renewal == NULL || !rl_renewer_prepare(renewer, renewal, set)) {
		rl_lease_free(lease);
		free(renewal);
		return NULL;
	}
	rl_lease_begin_copy(lease, grant->token, grant->ttl_ns, grant->proven_until);
	renewal->hold_until = grant->proven_until;
	renewal->report_at = RL_NEVER;
	rl_renewer_own_grant(renewal);
	return renewal;
}

void rl_late_grant_add(rl_renewer *renewer, const rl_late_grant *grant)
{
	int64_t now = renewer->env->now(renewer->env->ctx);
	bool has_room = renewer->grant_count < RL_LATE_GRANTS_MAX;
	rl_renewal *renewal = has_room ? new_record(renewer, grant) : NULL;
	if (renewal == NULL) {
		return;
	}
	rl_renewer_errands_learn(renewal, grant->set);
	int64_t longest = 0;
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		if ((grant->members >> i & 1) == 0) {
			continue;
		}
		int64_t time = member->server->connect_timeout_ns + member->server->timeout_ns;
		longest = time > longest ? time : longest;
		member->wanted = RL_SEND_PUT_BACK;
		rl_renewer_errands_queue(member);
	}
	renewal->give_up_at = rl_time_earlier(now + longest, grant->proven_until);
	rl_renewer_plan(renewal);
	renewer->until = 0; /* the next step has something to send */
}
