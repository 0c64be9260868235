/* SPDX-License-Identifier: MIT
 *
 * Repeating releases. The design is in the header.
 */
#include "core/lease/rl_late.h"

#include "core/base/rl_time.h"
#include "core/lease/rl_renewer_server.h"

#include <stdlib.h>
#include <string.h>

static bool is_releasing(const rl_renewal *renewal, rl_bytes key, rl_bytes token)
{
	return rl_bytes_equal(rl_lease_token(renewal->lease), token) &&
		rl_bytes_equal(renewal->lease->names.key, key);
}

/* The members are the same, and asked as the same user. */
static bool is_on(const rl_renewal *renewal, const rl_set *set)
{
	bool is_same = renewal->count == set->count;
	for (unsigned i = 0; is_same && i < set->count; i++) {
		is_same = rl_target_equal(renewal->members[i].server->target, set->members[i].target);
	}
	return is_same;
}

static rl_renewal *find(const rl_renewer *renewer, const rl_set *set, rl_bytes key, rl_bytes token)
{
	rl_renewal *renewal = renewer->late;
	while (renewal != NULL && !(is_releasing(renewal, key, token) && is_on(renewal, set))) {
		renewal = renewal->next;
	}
	return renewal;
}

/* A server that has not confirmed the release is one of these. */
static bool is_owed_on(const rl_renewal *renewal, const rl_set *set)
{
	bool is_owed = false;
	for (unsigned i = 0; i < renewal->count; i++) {
		const rl_renewal_member *member = &renewal->members[i];
		is_owed = is_owed || (member->may_outlive && rl_set_has(set, member->server->target));
	}
	return is_owed;
}

bool rl_renewer_is_releasing(
	const rl_renewer *renewer, const rl_set *set, rl_bytes key, rl_bytes token)
{
	const rl_renewal *renewal = renewer->late;
	while (renewal != NULL && !(is_releasing(renewal, key, token) && is_owed_on(renewal, set))) {
		renewal = renewal->next;
	}
	return renewal != NULL;
}

void rl_late_free(rl_renewal *renewal)
{
	if (renewal->is_late) {
		rl_lease_free(renewal->lease);
		free(renewal);
	}
}

bool rl_late_is_done(const rl_renewal *renewal)
{
	bool is_done = true;
	for (unsigned i = 0; i < renewal->count; i++) {
		is_done = is_done && !renewal->members[i].may_outlive;
	}
	return is_done;
}

void rl_late_end(rl_renewal *renewal)
{
	rl_renewer *renewer = renewal->renewer;
	rl_stats *stats = renewer->env->stats;
	bool is_done = rl_late_is_done(renewal);
	rl_stats_add(is_done ? &stats->postponed_done : &stats->postponed_dropped, 1);
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewer_server_leave(&renewal->members[i]);
		renewal->members[i].server->users--;
	}
	renewer->late_count--;
	rl_renewal_take_out(renewal);
	rl_late_free(renewal);
}

/* From the list of leases to the end of that of late releases. */
static void enlist(rl_renewer *renewer, rl_renewal *renewal)
{
	*renewal->link = renewal->next;
	if (renewal->next != NULL) {
		renewal->next->link = renewal->link;
	}
	renewal->next = NULL;
	renewal->link = renewer->late_end;
	*renewer->late_end = renewal;
	renewer->late_end = &renewal->next;
	renewer->late_count++;
}

static rl_bytes copy_of(rl_bytes bytes, char *room)
{
	if (bytes.len > 0) {
		memcpy(room, bytes.data, bytes.len);
	}
	return rl_bytes_of(room, bytes.len);
}

/* A record with a copy of key and token, lost from the start. NULL when out of memory. */
static rl_renewal *new_record(rl_renewer *renewer, const rl_late_release *late)
{
	size_t token_room = late->token.len + late->back.len + late->other.len;
	rl_lease *lease = rl_lease_new(renewer->env, late->key, 0, token_room, 0);
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
	renewal->is_lost = true;
	renewal->is_late = true;
	renewal->tell_at = RL_NEVER;
	renewal->give_up_at = 0;
	enlist(renewer, renewal);
	rl_stats_add(&renewer->env->stats->postponed, 1);
	return renewal;
}

static bool may_take(const rl_late_release *late, unsigned index)
{
	const rl_renewal *renewal = late->renewal;
	bool is_stray = (late->strays >> index & 1) != 0;
	if (renewal == NULL || renewal->renewer == NULL || renewal->count <= index) {
		return is_stray;
	}
	const rl_renewal_member *member = &renewal->members[index];
	return is_stray || member->has_lost_set ||
		(member->state == RL_RENEWAL_FLYING && member->is_putting);
}

/* @return the record; NULL = out of memory */
static rl_renewal *take_over(rl_renewer *renewer, const rl_late_release *late)
{
	rl_renewal *renewal = find(renewer, late->set, late->key, late->token);
	if (renewal == NULL && renewer->late_count == RL_LATE_MAX) {
		rl_late_end(renewer->late); /* the oldest makes room */
	}
	renewal = renewal != NULL ? renewal : new_record(renewer, late);
	if (renewal == NULL) {
		return NULL;
	}
	for (unsigned i = 0; i < renewal->count && i < late->set->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		member->has_lost_set = member->has_lost_set || may_take(late, i);
		member->may_be_other = (late->others >> i & 1) != 0;
		if ((late->members >> i & 1) != 0 && !member->may_outlive) {
			member->may_outlive = true;
			rl_renewer_server_queue(member);
		}
	}
	int64_t give_up_at = rl_time_later(renewer->env->now(renewer->env->ctx), late->ttl_ns);
	renewal->give_up_at = give_up_at > renewal->give_up_at ? give_up_at : renewal->give_up_at;
	rl_renewal_plan(renewal);
	renewer->until = 0; /* there is something to send */
	return renewal;
}

bool rl_renewer_release_late(rl_renewer *renewer, const rl_late_release *late)
{
	return take_over(renewer, late) != NULL;
}

/* ---- the end of the process ---- */

static void end_lease(rl_renewal *renewal)
{
	rl_lease_lose(renewal->lease);
	renewal->is_lost = true;
	renewal->is_ending = true;
	renewal->is_in_round = false;
	renewal->is_paused = false;
	renewal->tell_at = RL_NEVER;
	renewal->give_up_at = RL_NEVER;
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		rl_renewer_server_leave(member);
		rl_renewer_server_trust(member->server);
		member->may_outlive = true;
		rl_renewer_server_queue(member); /* behind what is under way */
	}
	rl_renewal_plan(renewal);
}

/* A caller's token whose release was begun may be free already, and somebody else's by now. */
static bool may_release(const rl_renewal *renewal)
{
	bool is_begun = renewal->lease->is_own_token && renewal->is_paused;
	return rl_lease_is_open(renewal->lease) && !is_begun;
}

void rl_renewer_release_all(rl_renewer *renewer)
{
	for (rl_renewal *renewal = renewer->all; renewal != NULL; renewal = renewal->next) {
		if (may_release(renewal)) {
			end_lease(renewal);
		}
	}
	renewer->until = 0;
}

void rl_renewer_release_pending(rl_renewer *renewer, const rl_late_release *late)
{
	rl_renewal *renewal = take_over(renewer, late);
	if (renewal != NULL) {
		renewal->is_ending = true;
	}
}

static bool is_confirmed(const rl_renewal_member *member)
{
	return !member->may_outlive || (member->renewal->is_late && member->pauses >= 2);
}

static bool is_released(const rl_renewal *renewal)
{
	unsigned confirmed = 0;
	for (unsigned i = 0; i < renewal->count; i++) {
		confirmed += is_confirmed(&renewal->members[i]);
	}
	return !renewal->is_ending || confirmed >= rl_quorum(renewal->count);
}

static bool are_released(const rl_renewal *first)
{
	bool are_all = true;
	for (const rl_renewal *renewal = first; renewal != NULL; renewal = renewal->next) {
		are_all = are_all && is_released(renewal);
	}
	return are_all;
}

bool rl_renewer_has_released_all(const rl_renewer *renewer)
{
	return are_released(renewer->all) && are_released(renewer->late);
}
