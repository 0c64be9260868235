/* SPDX-License-Identifier: MIT
 *
 * The set of members that store a lock, with the options of its owner. One server is a set of one.
 * A set is filled once, and then only read, except for `wakes`, which the answer of a server may
 * switch off.
 */
#ifndef RL_SET_H
#define RL_SET_H

#include "core/base/rl_backoff.h"
#include "core/base/rl_label.h"
#include "core/wire/rl_names.h"
#include "core/wire/rl_route.h"

typedef struct rl_member {
	/* The server, or what all nodes of the route have in common. One reference. */
	rl_target *target;
	/* Which node to ask for a key; NULL = the target is the server. One reference. */
	rl_route *route;
	int64_t timeout_ns;
	int64_t connect_timeout_ns;
} rl_member;

#define RL_RETRIES_UNLIMITED UINT64_MAX

typedef struct rl_set {
	rl_member members[RL_MEMBERS_MAX];
	/* At least 1, once the set is filled. */
	unsigned count;
	/* Sets with the same number are equal, which is found faster than by their members; 0 = the set
	 * has no number. */
	uint64_t number;
	rl_backoff backoff;
	/* The largest number of tries and looks that one wait makes after a delay. */
	uint64_t retries;
	/* How long a wait goes on while too few members for a quorum answer it; RL_NEVER = until its
	 * deadline. */
	int64_t outage_wait_ns;
	double drift_factor;
	/* Waits use the wait queue, and releases wake the waiters. */
	bool wakes;
	/* Of the tokens that are drawn for the set; none = as rl_env.label. */
	rl_label label;
	/* RL_NAMES_IN_SLOT if a member is a cluster. */
	rl_naming naming;
} rl_set;

/* A member is behind Sentinels. */
static inline bool rl_set_has_sentinels(const rl_set *set)
{
	bool has_any = false;
	for (unsigned i = 0; i < set->count; i++) {
		const rl_route *route = set->members[i].route;
		has_any = has_any || (route != NULL && route->kind == RL_ROUTE_SENTINEL);
	}
	return has_any;
}

/* The node of the member to ask about the slot. Borrowed; NULL = none is known yet. */
static inline rl_target *rl_member_node(const rl_member *member, unsigned slot)
{
	return member->route == NULL ? member->target : rl_route_node(member->route, slot);
}

/* Call when a server does not allow a command that waking needs: from then on the owner of the set
 * does without it.
 * @return true = this is the first call */
static inline bool rl_set_stop_waking(rl_set *set)
{
	bool was_on = set->wakes;
	set->wakes = false;
	return was_on;
}

/* True for the same server or route, with the same login. */
bool rl_member_equal(const rl_member *a, const rl_member *b);

/* True when the set has a member with the same server, cluster or primary behind Sentinels and with
 * the same database, whatever the user. */
bool rl_set_has(const rl_set *set, const rl_member *member);

/* How many servers, clusters and primaries behind Sentinels, with their databases, are members of
 * both sets, whatever the user. */
unsigned rl_set_common(const rl_set *a, const rl_set *b);

/* How long a member may take to answer or to be connected: the time of its option, but with several
 * members a tenth of the TTL at most, so that a member that hangs does not use up the lock that the
 * others grant.
 * @param ttl_ns 0 = the command sets no TTL */
static inline int64_t rl_set_patience(const rl_set *set, int64_t option_ns, int64_t ttl_ns)
{
	if (set->count == 1 || ttl_ns == 0) {
		return option_ns;
	}
	int64_t share = ttl_ns / 10 > RL_NS_PER_MS ? ttl_ns / 10 : RL_NS_PER_MS;
	return share < option_ns ? share : option_ns;
}

/* How long a connection may have a pending reply after it was given back. 0 = the reply of one
 * server is always waited for, and a connection that still lacks it is not used again. */
static inline int64_t rl_set_unheard_ns(const rl_set *set, int64_t timeout_ns)
{
	return set->count > 1 ? timeout_ns : 0;
}

/* The longest TTL that one command may set, in ms, because of failover_grace; INT64_MAX = without
 * such a limit. The reason is in rl_grace.c. */
int64_t rl_set_longest_ttl_ms(const rl_set *set);

/* The time at which the first of the too new primaries will grant locks; 0 = no primary is too
 * new. */
int64_t rl_set_grants_at(const rl_set *set);

/* A grant proves ownership for its TTL minus this, counted from before the request was sent. Source
 * of the rule: CLOCK_DRIFT of the Redlock algorithm, where the 2 ms allow for the precision of
 * expiry. */
static inline int64_t rl_drift(double factor, int64_t ttl_ns)
{
	return (int64_t) ((double) ttl_ns * factor) + 2 * RL_NS_PER_MS;
}

static inline int64_t rl_set_drift(const rl_set *set, int64_t ttl_ns)
{
	return rl_drift(set->drift_factor, ttl_ns);
}

#endif
