/* SPDX-License-Identifier: MIT
 *
 * The set of members that a lock lives on, with the options of its owner. One server is the set of
 * one. Filled once, then read only, but for `wakes`, which a server's answer may switch off.
 */
#ifndef RL_SET_H
#define RL_SET_H

#include "core/base/rl_backoff.h"
#include "core/wire/rl_target.h"
#include "core/wire/rl_transport.h"

typedef struct rl_member {
	rl_target *target; /* one reference */
	int64_t timeout_ns;
	int64_t connect_timeout_ns;
} rl_member;

#define RL_RETRIES_UNLIMITED UINT64_MAX

typedef struct rl_set {
	rl_member members[RL_MEMBERS_MAX];
	unsigned count; /* of members, 1 at least once it is filled */
	rl_backoff backoff;
	uint64_t retries; /* tries of one wait after its first, at most */
	double drift_factor;
	/* Waiters are woken by a release, and a release wakes them. */
	bool wakes;
} rl_set;

/* A server does not allow a command that waking needs: the owner of the set does without it from
 * now on.
 * @return true = the owner did not know before */
static inline bool rl_set_stop_waking(rl_set *set)
{
	bool was_on = set->wakes;
	set->wakes = false;
	return was_on;
}

/* A member is this server, whoever asks, in this database. */
bool rl_set_has(const rl_set *set, const rl_target *target);

/* How many members of both are the same server, whoever asks, in the same database. */
unsigned rl_set_common(const rl_set *a, const rl_set *b);

/* How long a member has for one answer, or to be connected to, of what its option says. With
 * several members it is a tenth of the TTL at most: a member that hangs must not use up the lock
 * that the others grant.
 * @param ttl_ns 0 = no TTL is at stake */
static inline int64_t rl_set_patience(const rl_set *set, int64_t option_ns, int64_t ttl_ns)
{
	if (set->count == 1 || ttl_ns == 0) {
		return option_ns;
	}
	int64_t share = ttl_ns / 10 > RL_NS_PER_MS ? ttl_ns / 10 : RL_NS_PER_MS;
	return share < option_ns ? share : option_ns;
}

/* A grant of ttl proves ownership for ttl less this, counted from before it was asked for.
 * Source of the rule and of the 2 ms: the Redlock algorithm, "CLOCK_DRIFT"; 2 ms are for the
 * expiry's own precision. */
static inline int64_t rl_drift(double factor, int64_t ttl_ns)
{
	return (int64_t) ((double) ttl_ns * factor) + 2 * RL_NS_PER_MS;
}

static inline int64_t rl_set_drift(const rl_set *set, int64_t ttl_ns)
{
	return rl_drift(set->drift_factor, ttl_ns);
}

#endif
