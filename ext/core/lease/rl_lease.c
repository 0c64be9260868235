/* SPDX-License-Identifier: MIT
 *
 * Leases: proof and loss. The rules are in the header.
 */
#include "core/lease/rl_lease.h"

#include "core/wire/rl_set.h"
#include "core/base/rl_time.h"

#include <stdlib.h>
#include <string.h>

size_t rl_lease_size(size_t key_len, size_t token_room)
{
	return sizeof(rl_lease) + rl_names_size(key_len) + token_room;
}

rl_lease *rl_lease_put(void *room, const rl_env *env, rl_bytes key, size_t prefix_len,
	double drift_factor, rl_naming naming)
{
	rl_lease *lease = room;
	char *texts = (char *) (lease + 1);
	*lease = (rl_lease){.env = env,
		.hold_until = RL_NEVER,
		.fork_generation = env->fork_generation(env->ctx),
		.drift_factor = drift_factor,
		.names = rl_names_put(texts, key, naming),
		.prefix_len = prefix_len,
		.token = texts + rl_names_size(key.len)};
	return lease;
}

rl_lease *rl_lease_new(const rl_env *env, rl_bytes key, size_t prefix_len, size_t token_room,
	double drift_factor, rl_naming naming)
{
	void *room = malloc(rl_lease_size(key.len, token_room));
	return room != NULL ? rl_lease_put(room, env, key, prefix_len, drift_factor, naming) : NULL;
}

/* ---- what is counted ---- */

static bool is_inherited(const rl_lease *lease)
{
	return lease->fork_generation != lease->env->fork_generation(lease->env->ctx);
}

static int64_t now_of(const rl_lease *lease)
{
	return lease->env->now(lease->env->ctx);
}

static void count_held(rl_lease *lease, int64_t since)
{
	atomic_store(&lease->held_since, since);
	rl_stats_add(&rl_env_stats(lease->env)->held, 1);
}

/* The lease was held until then. Only the first call for a lease counts, and none in a forked
 * child, because the parent counts the lease. */
static void count_ended(rl_lease *lease, int64_t until)
{
	int64_t since = is_inherited(lease) ? 0 : atomic_exchange(&lease->held_since, 0);
	if (since != 0) {
		rl_stats *stats = rl_env_stats(lease->env);
		rl_gauge_drop(&stats->held);
		rl_histogram_add(&stats->hold_time, until - since);
	}
}

static void count_ended_now(rl_lease *lease)
{
	if (atomic_load(&lease->held_since) != 0) {
		count_ended(lease, now_of(lease));
	}
}

/* ---- life ---- */

void rl_lease_clear(rl_lease *lease)
{
	count_ended_now(lease);
}

void rl_lease_free(rl_lease *lease)
{
	if (lease != NULL) {
		rl_lease_clear(lease);
		free(lease);
	}
}

void rl_lease_begin_copy(rl_lease *lease, rl_bytes token, int64_t ttl_ns, int64_t proven_until)
{
	memcpy(lease->token, token.data, token.len);
	lease->token_len = token.len;
	lease->ttl_ns = ttl_ns;
	lease->flight_ttl = lease->doubt_ttl = RL_NEVER;
	lease->stage = RL_LEASE_TAKEN;
	atomic_store(&lease->proof, proven_until);
}

void rl_lease_begin(rl_lease *lease, rl_bytes token, int64_t ttl_ns, int64_t proven_until)
{
	rl_lease_begin_copy(lease, token, ttl_ns, proven_until);
	if (proven_until > 0) { /* else only its release is left to do */
		count_held(lease, proven_until - ttl_ns + rl_drift(lease->drift_factor, ttl_ns));
	}
}

void rl_lease_set_permit(rl_lease *lease, char *room, rl_bytes key, unsigned permits)
{
	memcpy(room, key.data, key.len);
	lease->names.key = rl_bytes_of(room, key.len);
	lease->permits = permits;
}

/* A renewal that is sent at the last moment asks for no more than the rest of maxHold, in whole
 * milliseconds, and proves that minus the drift. A proof that ends this close to hold_until ends by
 * maxHold. */
static rl_loss loss_by_clock(const rl_lease *lease, int64_t proof)
{
	int64_t hold_until = atomic_load(&lease->hold_until);
	int64_t margin = rl_drift(lease->drift_factor, lease->ttl_ns) + RL_NS_PER_MS;
	bool is_held_to_the_end = hold_until != RL_NEVER && proof >= hold_until - margin;
	return is_held_to_the_end ? RL_LOSS_MAX_HOLD : RL_LOSS_EXPIRED;
}

/* Replaces the proof by the reason, unless there is an earlier one. */
static void lose(rl_lease *lease, rl_loss why)
{
	int64_t proof = atomic_load(&lease->proof);
	while (proof > 0 && !atomic_compare_exchange_weak(&lease->proof, &proof, -(int64_t) why)) {
	}
	count_ended_now(lease);
}

/* Nanoseconds of proof left. A proof that is over makes the lease lost from here on, for every
 * thread. */
static int64_t left_of_proof(rl_lease *lease)
{
	int64_t proof = atomic_load(&lease->proof);
	while (proof > 0) {
		int64_t left = proof - now_of(lease);
		if (left > 0) {
			return left;
		}
		int64_t lost = -(int64_t) loss_by_clock(lease, proof);
		if (atomic_compare_exchange_weak(&lease->proof, &proof, lost)) {
			count_ended(lease, proof);
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
		rl_lease_end(lease); /* the parent has it */
		return 0;
	}
	return left_of_proof(lease);
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

/* A prolongation or renewal is over, with an answer or without. */
static void note_answered(rl_lease *lease)
{
	if (lease->in_flight > 0) {
		lease->in_flight--;
	}
	if (lease->in_flight == 0) {
		lease->flight_ttl = RL_NEVER;
	}
}

/* The shortest TTL of this prolongation and of the others that may be carried out after it. */
static int64_t shortest(const rl_lease *lease, int64_t ttl_ns)
{
	return rl_time_earlier(ttl_ns, rl_time_earlier(lease->doubt_ttl, lease->flight_ttl));
}

/* Ownership is proven until then as well. False when the lease is lost already. */
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
	int64_t ttl = shortest(lease, ttl_ns);
	note_answered(lease);
	if (!prove(lease, proven_until(lease, ttl, sent_at))) {
		return false;
	}
	lease->ttl_ns = ttl;
	return true;
}

bool rl_lease_renewed(rl_lease *lease, int64_t ttl_ns, int64_t sent_at)
{
	int64_t ttl = shortest(lease, ttl_ns);
	note_answered(lease);
	return prove(lease, proven_until(lease, ttl, sent_at));
}

void rl_lease_not_renewed(rl_lease *lease)
{
	note_answered(lease);
}

void rl_lease_suspect(rl_lease *lease, int64_t ttl_ns)
{
	lease->doubt_ttl = rl_time_earlier(lease->doubt_ttl, ttl_ns);
}

void rl_lease_doubt(rl_lease *lease, int64_t ttl_ns)
{
	rl_lease_suspect(lease, ttl_ns);
	note_answered(lease);
}

bool rl_lease_has_left(const rl_lease *lease)
{
	return lease->stage == RL_LEASE_LEAVING || lease->stage == RL_LEASE_LEAVING_HELD;
}

bool rl_lease_was_held(const rl_lease *lease)
{
	return lease->stage == RL_LEASE_LEAVING_HELD;
}

bool rl_lease_leave(rl_lease *lease)
{
	if (rl_lease_has_left(lease)) {
		return rl_lease_was_held(lease);
	}
	bool is_held = rl_lease_is_held(lease);
	count_ended_now(lease);
	if (rl_lease_is_open(lease)) {
		lease->stage = is_held ? RL_LEASE_LEAVING_HELD : RL_LEASE_LEAVING;
	}
	return is_held;
}

void rl_lease_lose_by(rl_lease *lease, rl_loss why)
{
	if (lease->stage == RL_LEASE_TAKEN || rl_lease_has_left(lease)) {
		lease->is_disowned = true;
		lose(lease, why);
	}
}

void rl_lease_lose(rl_lease *lease)
{
	rl_lease_lose_by(lease, RL_LOSS_DELETED);
}

void rl_lease_refuse(rl_lease *lease)
{
	if (rl_lease_has_left(lease)) {
		rl_lease_lose_by(lease, RL_LOSS_RELEASED);
		rl_lease_end(lease);
	} else {
		rl_lease_lose(lease);
	}
}

bool rl_lease_was_freed(const rl_lease *lease)
{
	return lease->stage == RL_LEASE_ENDED && atomic_load(&lease->proof) > 0;
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
	count_ended_now(lease);
	if (lease->stage != RL_LEASE_GIVEN_AWAY) {
		lease->stage = RL_LEASE_ENDED;
	}
}

void rl_lease_give_away(rl_lease *lease)
{
	count_ended_now(lease);
	lease->stage = RL_LEASE_GIVEN_AWAY;
}

bool rl_lease_is_open(const rl_lease *lease)
{
	int64_t proof = atomic_load(&lease->proof);
	bool is_ours = lease->stage == RL_LEASE_TAKEN || rl_lease_has_left(lease);
	if (!is_ours || lease->is_disowned || is_inherited(lease)) {
		return false;
	}
	return !lease->is_own_token || proof > now_of(lease);
}
