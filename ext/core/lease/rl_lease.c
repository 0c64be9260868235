/* SPDX-License-Identifier: MIT
 *
 * Leases: proof and loss. The rules are in the header.
 */
#include "core/lease/rl_lease.h"

#include "core/wire/rl_set.h"
#include "core/base/rl_time.h"

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
		.hold_until = RL_NEVER,
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
	lease->flight_ttl = lease->doubt_ttl = RL_NEVER;
	lease->stage = RL_LEASE_TAKEN;
	atomic_store(&lease->proof, proven_until);
}

static bool is_inherited(const rl_lease *lease)
{
	return lease->fork_generation != lease->env->fork_generation(lease->env->ctx);
}

static int64_t now_of(const rl_lease *lease)
{
	return lease->env->now(lease->env->ctx);
}

/* A renewal sent at the last moment would not have proven more than this: the rest of the time for which it may be
 * held, in whole milliseconds, less the drift. */
static rl_loss loss_by_clock(const rl_lease *lease, int64_t proof)
{
	int64_t hold_until = atomic_load(&lease->hold_until);
	int64_t margin = rl_drift(lease->drift_factor, lease->ttl_ns) + RL_NS_PER_MS;
	bool is_held_to_the_end = hold_until != RL_NEVER && proof >= hold_until - margin;
	return is_held_to_the_end ? RL_LOSS_MAX_HOLD : RL_LOSS_EXPIRED;
}

/* The proof gives way to the reason, if that is the first. */
static void lose(rl_lease *lease, rl_loss why)
{
	int64_t proof = atomic_load(&lease->proof);
	while (proof > 0 && !atomic_compare_exchange_weak(&lease->proof, &proof, -(int64_t) why)) {
	}
}

/* Nanoseconds of proof left. What is over is lost from here on, whoever looks. */
static int64_t look(rl_lease *lease)
{
	int64_t proof = atomic_load(&lease->proof);
	while (proof > 0) {
		int64_t left = proof - now_of(lease);
		if (left > 0) {
			return left;
		}
		int64_t lost = -(int64_t) loss_by_clock(lease, proof);
		if (atomic_compare_exchange_weak(&lease->proof, &proof, lost)) {
			return 0;
		}
	}
	return 0;
}

int64_t rl_lease_remaining(rl_lease *lease)
{
	if (lease->stage != RL_LEASE_TAKEN) {
		return 0;
	}
	if (is_inherited(lease)) {
		lose(lease, RL_LOSS_FORKED);
		rl_lease_end(lease); /* it is the parent's */
		return 0;
	}
	return look(lease);
}

bool rl_lease_is_held(rl_lease *lease)
{
	return rl_lease_remaining(lease) > 0;
}

static int64_t proven_until(const rl_lease *lease, int64_t ttl_ns, int64_t since)
{
	return since + ttl_ns - rl_drift(lease->drift_factor, ttl_ns);
}

void rl_lease_expect(rl_lease *lease, int64_t ttl_ns)
{
	int64_t until = proven_until(lease, ttl_ns, now_of(lease));
	int64_t proof = atomic_load(&lease->proof);
	while (proof > until && !atomic_compare_exchange_weak(&lease->proof, &proof, until)) {
	}
	lease->in_flight++;
	lease->flight_ttl = rl_time_earlier(lease->flight_ttl, ttl_ns);
}

void rl_lease_renewing(rl_lease *lease)
{
	lease->in_flight++;
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

/* The shortest of what may be carried out after it, too. */
static int64_t least(const rl_lease *lease, int64_t ttl_ns)
{
	return rl_time_earlier(ttl_ns, rl_time_earlier(lease->doubt_ttl, lease->flight_ttl));
}

/* Proven until then, too. False when it is lost already. */
static bool prove(rl_lease *lease, int64_t until)
{
	if (!rl_lease_is_held(lease)) {
		return false;
	}
	int64_t proof = atomic_load(&lease->proof);
	while (
		proof > 0 && proof < until && !atomic_compare_exchange_weak(&lease->proof, &proof, until)) {
	}
	return rl_lease_is_held(lease);
}

bool rl_lease_confirm(rl_lease *lease, int64_t ttl_ns, int64_t sent_at)
{
	int64_t ttl = least(lease, ttl_ns);
	land(lease);
	if (!prove(lease, proven_until(lease, ttl, sent_at))) {
		return false;
	}
	lease->ttl_ns = ttl;
	return true;
}

bool rl_lease_renewed(rl_lease *lease, int64_t ttl_ns, int64_t sent_at)
{
	int64_t ttl = least(lease, ttl_ns);
	land(lease);
	return prove(lease, proven_until(lease, ttl, sent_at));
}

void rl_lease_not_renewed(rl_lease *lease)
{
	land(lease);
}

void rl_lease_suspect(rl_lease *lease, int64_t ttl_ns)
{
	lease->doubt_ttl = rl_time_earlier(lease->doubt_ttl, ttl_ns);
}

void rl_lease_doubt(rl_lease *lease, int64_t ttl_ns)
{
	rl_lease_suspect(lease, ttl_ns);
	land(lease);
}

bool rl_lease_leave(rl_lease *lease)
{
	if (lease->stage != RL_LEASE_LEAVING) {
		lease->was_held = rl_lease_is_held(lease);
		lease->stage = rl_lease_is_open(lease) ? RL_LEASE_LEAVING : lease->stage;
	}
	return lease->was_held;
}

void rl_lease_lose_by(rl_lease *lease, rl_loss why)
{
	if (lease->stage == RL_LEASE_TAKEN || lease->stage == RL_LEASE_LEAVING) {
		lease->is_disowned = true;
		lose(lease, why);
	}
}

void rl_lease_lose(rl_lease *lease)
{
	rl_lease_lose_by(lease, RL_LOSS_DELETED);
}

rl_loss rl_lease_loss(rl_lease *lease)
{
	if (rl_lease_is_held(lease)) {
		return RL_LOSS_NONE;
	}
	int64_t proof = atomic_load(&lease->proof);
	if (proof < 0) {
		return (rl_loss) -proof;
	}
	return lease->stage == RL_LEASE_NEW ? RL_LOSS_NONE : RL_LOSS_RELEASED;
}

bool rl_lease_is_lost(const rl_lease *lease)
{
	return lease->stage == RL_LEASE_TAKEN && atomic_load(&lease->proof) < 0;
}

void rl_lease_end(rl_lease *lease)
{
	lease->stage = RL_LEASE_ENDED;
}

void rl_lease_give_away(rl_lease *lease)
{
	lease->is_given_away = true;
	rl_lease_end(lease);
}

bool rl_lease_is_open(const rl_lease *lease)
{
	int64_t proof = atomic_load(&lease->proof);
	if ((lease->stage != RL_LEASE_TAKEN && lease->stage != RL_LEASE_LEAVING) ||
		lease->is_disowned || is_inherited(lease)) {
		return false;
	}
	return !lease->is_own_token || proof > now_of(lease);
}
