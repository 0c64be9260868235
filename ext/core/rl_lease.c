/* SPDX-License-Identifier: MIT
 *
 * Leases: proof and loss. The rules are in the header.
 */
#include "core/rl_lease.h"

#include "core/rl_set.h"
#include "core/rl_time.h"

#include <stdlib.h>
#include <string.h>

rl_lease *rl_lease_new(
	const rl_env *env, rl_bytes key, size_t prefix_len, size_t token_room, double drift_factor)
{
	rl_lease *lease = malloc(sizeof *lease + rl_names_size(key.len) + token_room);
	if (lease == NULL) {
		return NULL;
	}
	char *room = (char *) (lease + 1);
	*lease = (rl_lease){.env = env,
		.fork_generation = env->fork_generation(env->ctx),
		.drift_factor = drift_factor,
		.names = rl_names_put(room, key),
		.prefix_len = prefix_len,
		.token = room + rl_names_size(key.len)};
	return lease;
}

void rl_lease_free(rl_lease *lease)
{
	free(lease);
}

void rl_lease_begin(rl_lease *lease, rl_bytes token, int64_t ttl_ns, int64_t proven_until)
{
	memcpy(lease->token, token.data, token.len);
	lease->token_len = token.len;
	lease->ttl_ns = ttl_ns;
	lease->deadline = proven_until;
	lease->flight_ttl = lease->doubt_ttl = RL_NEVER;
	lease->state = RL_LEASE_HELD;
}

static bool is_inherited(const rl_lease *lease)
{
	return lease->fork_generation != lease->env->fork_generation(lease->env->ctx);
}

bool rl_lease_is_held(rl_lease *lease)
{
	if (lease->state != RL_LEASE_HELD) {
		return false;
	}
	if (is_inherited(lease)) {
		rl_lease_end(lease); /* it is the parent's */
		return false;
	}
	if (lease->env->now(lease->env->ctx) < lease->deadline) {
		return true;
	}
	lease->state = RL_LEASE_LOST;
	return false;
}

int64_t rl_lease_remaining(rl_lease *lease)
{
	if (!rl_lease_is_held(lease)) {
		return 0;
	}
	int64_t left = lease->deadline - lease->env->now(lease->env->ctx);
	return left > 0 ? left : 0;
}

static int64_t proven_until(const rl_lease *lease, int64_t ttl_ns, int64_t since)
{
	return since + ttl_ns - rl_drift(lease->drift_factor, ttl_ns);
}

void rl_lease_expect(rl_lease *lease, int64_t ttl_ns)
{
	int64_t now = lease->env->now(lease->env->ctx);
	lease->deadline = rl_time_earlier(lease->deadline, proven_until(lease, ttl_ns, now));
	lease->in_flight++;
	lease->flight_ttl = rl_time_earlier(lease->flight_ttl, ttl_ns);
}

static void land(rl_lease *lease)
{
	if (lease->in_flight > 0) {
		lease->in_flight--;
	}
	if (lease->in_flight == 0) {
		lease->flight_ttl = RL_NEVER;
	}
}

bool rl_lease_confirm(rl_lease *lease, int64_t ttl_ns, int64_t sent_at)
{
	int64_t least = rl_time_earlier(ttl_ns, lease->doubt_ttl);
	least = rl_time_earlier(least, lease->flight_ttl);
	land(lease);
	if (!rl_lease_is_held(lease)) {
		return false;
	}
	lease->ttl_ns = least;
	int64_t until = proven_until(lease, least, sent_at);
	lease->deadline = until > lease->deadline ? until : lease->deadline;
	return rl_lease_is_held(lease);
}

void rl_lease_doubt(rl_lease *lease, int64_t ttl_ns)
{
	lease->doubt_ttl = rl_time_earlier(lease->doubt_ttl, ttl_ns);
	land(lease);
}

bool rl_lease_leave(rl_lease *lease)
{
	if (lease->state != RL_LEASE_LEAVING) {
		lease->was_held = rl_lease_is_held(lease);
		lease->state = rl_lease_is_open(lease) ? RL_LEASE_LEAVING : lease->state;
	}
	return lease->was_held;
}

void rl_lease_lose(rl_lease *lease)
{
	land(lease);
	if (lease->state != RL_LEASE_NONE && lease->state != RL_LEASE_ENDED) {
		lease->state = RL_LEASE_LOST;
		lease->deadline = 0; /* nothing of it is left at the server */
	}
}

void rl_lease_end(rl_lease *lease)
{
	lease->state = RL_LEASE_ENDED;
}

bool rl_lease_is_open(const rl_lease *lease)
{
	/* A lease that a server disowned has no deadline any more. */
	bool may_be_there = lease->state == RL_LEASE_HELD || lease->state == RL_LEASE_LEAVING ||
		(lease->state == RL_LEASE_LOST && lease->deadline != 0);
	return may_be_there && !is_inherited(lease);
}
