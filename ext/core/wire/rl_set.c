/* SPDX-License-Identifier: MIT
 *
 * Sets of members.
 */
#include "core/wire/rl_set.h"

#include "core/base/rl_time.h"

/* The same server and database, whatever the user. */
static bool is_same_place(const rl_target *a, const rl_target *b)
{
	return a->database == b->database && rl_address_equal(&a->address, &b->address);
}

/* The same cluster, or the same primary behind Sentinels, and the same database. */
static bool is_same_route(const rl_route *a, const rl_route *b)
{
	return a->common->database == b->common->database && rl_route_overlaps(a, b);
}

static bool is_same_member(const rl_member *a, const rl_member *b)
{
	if (a->route == NULL || b->route == NULL) {
		return a->route == b->route && is_same_place(a->target, b->target);
	}
	return is_same_route(a->route, b->route);
}

bool rl_member_equal(const rl_member *a, const rl_member *b)
{
	if (a->route == NULL || b->route == NULL) {
		return a->route == b->route && rl_target_equal(a->target, b->target);
	}
	return rl_route_equal(a->route, b->route);
}

bool rl_set_has(const rl_set *set, const rl_member *member)
{
	bool has_it = false;
	for (unsigned i = 0; i < set->count; i++) {
		has_it = has_it || is_same_member(&set->members[i], member);
	}
	return has_it;
}

unsigned rl_set_common(const rl_set *a, const rl_set *b)
{
	unsigned count = 0;
	for (unsigned i = 0; i < a->count; i++) {
		for (unsigned j = 0; j < b->count; j++) {
			count += is_same_member(&a->members[i], &b->members[j]);
		}
	}
	return count;
}

/* ---- failover grace ---- */

/* The last answer of the node before counts until check_ns after the change, and proves its TTL
 * less the drift. By the holder's clock, the grace may be shorter by its drift. So it must hold
 * that check_ns + TTL - drift of the TTL <= grace - drift of the grace */
int64_t rl_set_longest_ttl_ms(const rl_set *set)
{
	int64_t longest = INT64_MAX;
	for (unsigned i = 0; i < set->count; i++) {
		const rl_route *route = set->members[i].route;
		if (route != NULL && route->grace_ns > 0) {
			int64_t ttl = route->grace_ns - rl_route_change_ns(route, set->drift_factor);
			longest = rl_time_earlier(longest, ttl / RL_NS_PER_MS);
		}
	}
	return longest;
}

int64_t rl_set_grants_at(const rl_set *set)
{
	int64_t earliest = RL_NEVER;
	for (unsigned i = 0; i < set->count; i++) {
		const rl_route *route = set->members[i].route;
		if (route != NULL && !rl_route_may_grant(route)) {
			earliest = rl_time_earlier(earliest, route->known_since + route->grace_ns);
		}
	}
	return earliest == RL_NEVER ? 0 : earliest;
}
