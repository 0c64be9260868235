/* SPDX-License-Identifier: MIT
 *
 * Repeats releases. The design is in the header.
 */
#include "core/lease/rl_late.h"

#include "core/base/rl_time.h"

#include <stdlib.h>
#include <string.h>

/* A member that may still carry out a SET must have been sent the release this often. */
#define PENDING_RELEASES 2

/* ---- the records ---- */

static bool is_of(const rl_renewal *renewal, rl_bytes key, rl_bytes token)
{
	return rl_bytes_equal(rl_lease_token(renewal->lease), token) &&
		rl_bytes_equal(renewal->lease->names.lock, key);
}

/* True when the renewal and the set have the same members. */
static bool is_on(const rl_renewal *renewal, const rl_set *set)
{
	bool is_same = renewal->count == set->count;
	for (unsigned i = 0; is_same && i < set->count; i++) {
		is_same = rl_member_equal(renewal->members[i].server, &set->members[i]);
	}
	return is_same;
}

static rl_renewal *find(const rl_renewer *renewer, const rl_set *set, rl_bytes key, rl_bytes token)
{
	rl_renewal *renewal = renewer->late;
	while (renewal != NULL && !(is_of(renewal, key, token) && is_on(renewal, set))) {
		renewal = renewal->next;
	}
	return renewal;
}

/* The set has a server that has not confirmed the release. */
static bool is_open_on(const rl_renewal *renewal, const rl_set *set)
{
	bool is_open = false;
	for (unsigned i = 0; i < renewal->count; i++) {
		const rl_renewal_member *member = &renewal->members[i];
		is_open = is_open || (member->needs_release && rl_set_has(set, member->server));
	}
	return is_open;
}

bool rl_late_is_releasing(
	const rl_renewer *renewer, const rl_set *set, rl_bytes key, rl_bytes token)
{
	const rl_renewal *renewal = renewer->late;
	while (renewal != NULL && !(is_of(renewal, key, token) && is_open_on(renewal, set))) {
		renewal = renewal->next;
	}
	return renewal != NULL;
}

static rl_bytes copy_of(rl_bytes bytes, char *room)
{
	if (bytes.len > 0) {
		memcpy(room, bytes.data, bytes.len);
	}
	return rl_bytes_of(room, bytes.len);
}

/* Writes the key of the permit, or the keys of all permits. */
static void name_permits(rl_renewal *renewal, const rl_late_release *late, char *room)
{
	rl_lease *lease = renewal->lease;
	if (late->permit.len > 0) {
		rl_lease_set_permit(lease, room, late->permit, late->permits);
	} else {
		lease->permits = late->permits;
		renewal->permit_keys = rl_names_put_permits(room, &lease->names, late->permits);
	}
}

/* A record with copies of key and tokens, lost from the start. NULL when out of memory. */
static rl_renewal *new_record(rl_renewer *renewer, const rl_late_release *late)
{
	size_t token_room = late->token.len + late->back.len + late->other.len + late->waiter.len +
		rl_names_permits_size(late->key.len, late->permits);
	rl_lease *lease = rl_lease_new(renewer->env, late->key, 0, token_room, 0, late->set->naming);
	rl_renewal *renewal = lease != NULL ? rl_renewal_new(late->set, lease) : NULL;
	if (renewal == NULL || !rl_renewer_prepare(renewer, renewal, late->set)) {
		rl_lease_free(lease);
		free(renewal);
		return NULL;
	}
	rl_lease_begin(lease, late->token, late->ttl_ns, -(int64_t) RL_LOSS_EXPIRED);
	char *room = lease->token + late->token.len;
	renewal->back = copy_of(late->back, room);
	renewal->other = copy_of(late->other, room + late->back.len);
	if (late->waiter.len > 0) {
		renewal->waiter = copy_of(late->waiter, room + late->back.len + late->other.len);
	}
	if (late->permits > 1) {
		name_permits(renewal, late, room + late->back.len + late->other.len + late->waiter.len);
	}
	renewal->report_at = RL_NEVER;
	renewal->give_up_at = 0;
	rl_renewer_own(renewal);
	rl_stats_add(&rl_env_stats(renewer->env)->late_releases, 1);
	return renewal;
}

/* NULL when out of memory. */
static rl_renewal *find_or_make(rl_renewer *renewer, const rl_late_release *late)
{
	rl_renewal *renewal = find(renewer, late->set, late->key, late->token);
	if (renewal != NULL) {
		return renewal;
	}
	if (renewer->late_count >= RL_LATE_MAX) {
		rl_renewer_end_late(renewer->late); /* the oldest makes room */
	}
	return new_record(renewer, late);
}

/* ---- taking a release over ---- */

static bool has_bit(unsigned mask, unsigned index)
{
	return (mask >> index & 1) != 0;
}

/* The member may still carry out a SET of the token. */
static bool may_take(const rl_late_release *late, unsigned index)
{
	const rl_renewal *renewal = late->renewal;
	bool is_stray = has_bit(late->strays, index);
	if (renewal == NULL || renewal->renewer == NULL || renewal->count <= index) {
		return is_stray;
	}
	const rl_renewal_member *member = &renewal->members[index];
	return is_stray || member->has_lost_set || rl_renewal_is_putting(member);
}

/* @return the record; NULL = out of memory */
static rl_renewal *take_over(rl_renewer *renewer, const rl_late_release *late)
{
	rl_renewer_undo_grants(renewer, late->key, late->token);
	rl_renewal *renewal = find_or_make(renewer, late);
	if (renewal == NULL) {
		return NULL;
	}
	for (unsigned i = 0; i < renewal->count && i < late->set->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		member->has_lost_set = member->has_lost_set || may_take(late, i);
		member->wanted = has_bit(late->others, i) ? RL_SEND_RELEASE_BOTH : RL_SEND_RELEASE;
		if (has_bit(late->members, i) && !member->needs_release) {
			member->needs_release = true;
			rl_renewer_errands_queue(member);
		}
	}
	renewal->lease->done_ms = late->done_ms > 0 ? late->done_ms : renewal->lease->done_ms;
	int64_t give_up_at = rl_time_later(renewer->env->now(renewer->env->ctx), late->ttl_ns);
	renewal->give_up_at = give_up_at > renewal->give_up_at ? give_up_at : renewal->give_up_at;
	rl_renewer_plan(renewal);
	renewer->until = 0; /* the next step has something to send */
	return renewal;
}

bool rl_late_add(rl_renewer *renewer, const rl_late_release *late)
{
	return take_over(renewer, late) != NULL;
}

/* ---- the end of the process ---- */

static void end_lease(rl_renewal *renewal)
{
	const rl_lease *lease = renewal->lease;
	rl_renewer_undo_grants(renewal->renewer, lease->names.key, rl_lease_token(lease));
	rl_lease_lose(renewal->lease);
	renewal->stage = RL_RENEWAL_LOST;
	renewal->is_ending = true;
	renewal->report_at = RL_NEVER;
	renewal->give_up_at = RL_NEVER;
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		rl_renewer_errands_leave(member);
		rl_renewer_errands_trust(member);
		member->needs_release = true;
		member->wanted = RL_SEND_RELEASE;
		rl_renewer_errands_queue(member); /* it follows the commands under way */
	}
	rl_renewer_plan(renewal);
}

/* After its owner has begun to release a caller's token, another holder may have the lock with
 * the same token. */
static bool may_release(const rl_renewal *renewal)
{
	bool is_begun = renewal->lease->is_own_token && rl_renewal_is_paused(renewal);
	return rl_lease_is_open(renewal->lease) && !is_begun;
}

void rl_late_release_all(rl_renewer *renewer)
{
	for (rl_renewal *renewal = renewer->all; renewal != NULL; renewal = renewal->next) {
		if (may_release(renewal)) {
			end_lease(renewal);
		}
	}
	renewer->until = 0;
}

/* The lease of a take-over is held by now, and is released like any other. */
static bool is_leased(const rl_renewer *renewer, const rl_late_release *late)
{
	const rl_renewal *renewal = late->back.len > 0 ? renewer->all : NULL;
	while (renewal != NULL && !(is_of(renewal, late->key, late->token) && may_release(renewal))) {
		renewal = renewal->next;
	}
	return renewal != NULL;
}

void rl_late_release_pending(rl_renewer *renewer, const rl_late_release *late)
{
	rl_renewal *renewal = is_leased(renewer, late) ? NULL : take_over(renewer, late);
	if (renewal != NULL) {
		renewal->is_ending = true;
	}
}

/* A SET in doubt leaves the release open for ever: at the first "not ours" the server may not have
 * noticed yet that the connection of that SET has ended, at the second it has. */
static bool is_confirmed(const rl_renewal_member *member)
{
	bool is_over = member->has_lost_set && member->told != RL_VOTE_FAILED &&
		member->release_fails >= PENDING_RELEASES;
	return !member->needs_release || is_over;
}

static bool is_released(const rl_renewal *renewal)
{
	rl_tally tally = {0};
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_tally_add(&tally, is_confirmed(&renewal->members[i]) ? RL_VOTE_GRANTED : RL_VOTE_OPEN);
	}
	return !renewal->is_ending || rl_tally_outcome(&tally) == RL_VOTE_GRANTED;
}

static bool are_released(const rl_renewal *first)
{
	bool are_all = true;
	for (const rl_renewal *renewal = first; renewal != NULL; renewal = renewal->next) {
		are_all = are_all && is_released(renewal);
	}
	return are_all;
}

bool rl_late_has_released_all(const rl_renewer *renewer)
{
	return are_released(renewer->all) && are_released(renewer->late);
}
