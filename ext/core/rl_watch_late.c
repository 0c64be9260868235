/* SPDX-License-Identifier: MIT
 *
 * Repeating releases. The design is in the header.
 */
#include "core/rl_watch_late.h"

#include "core/rl_time.h"
#include "core/rl_watch_server.h"

#include <stdlib.h>
#include <string.h>

static bool is_releasing(const rl_watched *watched, rl_bytes key, rl_bytes token)
{
	return rl_bytes_equal(rl_lease_token(watched->lease), token) &&
		rl_bytes_equal(watched->lease->names.key, key);
}

/* The members are the same, and asked as the same user. */
static bool is_on(const rl_watched *watched, const rl_set *set)
{
	bool is_same = watched->count == set->count;
	for (unsigned i = 0; is_same && i < set->count; i++) {
		is_same = rl_target_equal(watched->seats[i].server->target, set->members[i].target);
	}
	return is_same;
}

static rl_watched *find(const rl_watch *watch, const rl_set *set, rl_bytes key, rl_bytes token)
{
	rl_watched *watched = watch->late;
	while (watched != NULL && !(is_releasing(watched, key, token) && is_on(watched, set))) {
		watched = watched->next;
	}
	return watched;
}

/* A server that has not confirmed the release is one of these. */
static bool is_owed_on(const rl_watched *watched, const rl_set *set)
{
	bool is_owed = false;
	for (unsigned i = 0; i < watched->count; i++) {
		const rl_watch_seat *seat = &watched->seats[i];
		is_owed = is_owed || (seat->may_outlive && rl_set_has(set, seat->server->target));
	}
	return is_owed;
}

bool rl_watch_is_releasing(const rl_watch *watch, const rl_set *set, rl_bytes key, rl_bytes token)
{
	const rl_watched *watched = watch->late;
	while (watched != NULL && !(is_releasing(watched, key, token) && is_owed_on(watched, set))) {
		watched = watched->next;
	}
	return watched != NULL;
}

void rl_watch_late_free(rl_watched *watched)
{
	if (watched->is_late) {
		rl_lease_free(watched->lease);
		free(watched);
	}
}

bool rl_watch_late_is_done(const rl_watched *watched)
{
	bool is_done = true;
	for (unsigned i = 0; i < watched->count; i++) {
		is_done = is_done && !watched->seats[i].may_outlive;
	}
	return is_done;
}

void rl_watch_late_end(rl_watched *watched)
{
	rl_watch *watch = watched->watch;
	rl_stats *stats = watch->env->stats;
	bool is_done = rl_watch_late_is_done(watched);
	rl_stats_add(is_done ? &stats->postponed_done : &stats->postponed_dropped, 1);
	for (unsigned i = 0; i < watched->count; i++) {
		rl_watch_server_leave(&watched->seats[i]);
		watched->seats[i].server->users--;
	}
	watch->late_count--;
	rl_watch_take_out(watched);
	rl_watch_late_free(watched);
}

/* From the list of leases to the end of that of late releases. */
static void enlist(rl_watch *watch, rl_watched *watched)
{
	*watched->link = watched->next;
	if (watched->next != NULL) {
		watched->next->link = watched->link;
	}
	watched->next = NULL;
	watched->link = watch->late_end;
	*watch->late_end = watched;
	watch->late_end = &watched->next;
	watch->late_count++;
}

static rl_bytes copy_of(rl_bytes bytes, char *room)
{
	if (bytes.len > 0) {
		memcpy(room, bytes.data, bytes.len);
	}
	return rl_bytes_of(room, bytes.len);
}

/* A record with a copy of key and token, lost from the start. NULL when out of memory. */
static rl_watched *new_record(rl_watch *watch, const rl_late_release *late)
{
	size_t token_room = late->token.len + late->back.len + late->other.len;
	rl_lease *lease = rl_lease_new(watch->env, late->key, 0, token_room, 0);
	rl_watched *watched = lease != NULL ? rl_watched_new(late->set, lease) : NULL;
	if (watched == NULL || !rl_watch_prepare(watch, watched, late->set)) {
		rl_lease_free(lease);
		free(watched);
		return NULL;
	}
	rl_lease_begin(lease, late->token, late->ttl_ns, -(int64_t) RL_LOSS_EXPIRED);
	char *room = lease->token + late->token.len;
	watched->back = copy_of(late->back, room);
	watched->other = copy_of(late->other, room + late->back.len);
	watched->is_lost = true;
	watched->is_late = true;
	watched->tell_at = RL_NEVER;
	watched->give_up_at = 0;
	enlist(watch, watched);
	rl_stats_add(&watch->env->stats->postponed, 1);
	return watched;
}

static bool may_take(const rl_late_release *late, unsigned member)
{
	const rl_watched *watched = late->watched;
	bool is_stray = (late->strays >> member & 1) != 0;
	if (watched == NULL || watched->watch == NULL || watched->count <= member) {
		return is_stray;
	}
	const rl_watch_seat *seat = &watched->seats[member];
	return is_stray || seat->has_lost_set || (seat->state == RL_WATCH_FLYING && seat->is_putting);
}

/* @return the record; NULL = out of memory */
static rl_watched *take_over(rl_watch *watch, const rl_late_release *late)
{
	rl_watched *watched = find(watch, late->set, late->key, late->token);
	if (watched == NULL && watch->late_count == RL_WATCH_LATE_MAX) {
		rl_watch_late_end(watch->late); /* the oldest makes room */
	}
	watched = watched != NULL ? watched : new_record(watch, late);
	if (watched == NULL) {
		return NULL;
	}
	for (unsigned i = 0; i < watched->count && i < late->set->count; i++) {
		rl_watch_seat *seat = &watched->seats[i];
		seat->has_lost_set = seat->has_lost_set || may_take(late, i);
		seat->may_be_other = (late->others >> i & 1) != 0;
		if ((late->members >> i & 1) != 0 && !seat->may_outlive) {
			seat->may_outlive = true;
			rl_watch_server_queue(seat);
		}
	}
	int64_t give_up_at = rl_time_later(watch->env->now(watch->env->ctx), late->ttl_ns);
	watched->give_up_at = give_up_at > watched->give_up_at ? give_up_at : watched->give_up_at;
	rl_watch_plan(watched);
	watch->until = 0; /* there is something to send */
	return watched;
}

bool rl_watch_release_late(rl_watch *watch, const rl_late_release *late)
{
	return take_over(watch, late) != NULL;
}

/* ---- the end of the process ---- */

/* How long what is asked for is released: whoever waits for that waits less. */
#define GIVE_UP_NS RL_NS_PER_SECOND

static void end_lease(rl_watched *watched)
{
	rl_lease_lose(watched->lease);
	watched->is_lost = true;
	watched->is_ending = true;
	watched->is_in_round = false;
	watched->is_paused = false;
	watched->tell_at = RL_NEVER;
	watched->give_up_at = RL_NEVER;
	for (unsigned i = 0; i < watched->count; i++) {
		rl_watch_seat *seat = &watched->seats[i];
		rl_watch_server_leave(seat);
		rl_watch_server_trust(seat->server);
		seat->may_outlive = true;
		rl_watch_server_queue(seat); /* behind what is under way */
	}
	rl_watch_plan(watched);
}

/* A caller's token whose release was begun may be free already, and somebody else's by now. */
static bool may_release(const rl_watched *watched)
{
	bool is_begun = watched->lease->is_own_token && watched->is_paused;
	return rl_lease_is_open(watched->lease) && !is_begun;
}

void rl_watch_release_all(rl_watch *watch)
{
	for (rl_watched *watched = watch->all; watched != NULL; watched = watched->next) {
		if (may_release(watched)) {
			end_lease(watched);
		}
	}
	watch->until = 0;
}

void rl_watch_release_pending(rl_watch *watch, const rl_late_release *late)
{
	rl_watched *watched = take_over(watch, late);
	if (watched != NULL) {
		watched->is_ending = true;
	}
}

void rl_watch_give_up(rl_watch *watch, const rl_acquire *acquire)
{
	const rl_exchange *exchange = &acquire->op.exchange;
	bool is_swapping = acquire->phase == RL_ACQUIRE_SWAPPING;
	if (exchange->is_own_token && !is_swapping) {
		return;
	}
	unsigned all = rl_late_all(exchange->set);
	rl_late_release late = {.set = exchange->set,
		.key = exchange->request.key,
		.token = rl_bytes_of(acquire->drawn, RL_TOKEN_LEN),
		.members = all,
		.strays = all,
		.ttl_ns = GIVE_UP_NS};
	/* While what was won is proven, nobody else has the lock there, with whatever token. */
	int64_t proven_ns = acquire->proven_until - watch->env->now(watch->env->ctx);
	if (is_swapping && proven_ns > 0) {
		late.other = acquire->own;
		late.others = acquire->won_on;
		late.ttl_ns = rl_time_earlier(GIVE_UP_NS, proven_ns);
	}
	rl_watch_release_pending(watch, &late);
}

static bool is_confirmed(const rl_watch_seat *seat)
{
	return !seat->may_outlive || (seat->watched->is_late && seat->pauses >= 2);
}

static bool is_released(const rl_watched *watched)
{
	unsigned confirmed = 0;
	for (unsigned i = 0; i < watched->count; i++) {
		confirmed += is_confirmed(&watched->seats[i]);
	}
	return !watched->is_ending || confirmed >= rl_quorum(watched->count);
}

static bool are_released(const rl_watched *first)
{
	bool are_all = true;
	for (const rl_watched *watched = first; watched != NULL; watched = watched->next) {
		are_all = are_all && is_released(watched);
	}
	return are_all;
}

bool rl_watch_has_released_all(const rl_watch *watch)
{
	return are_released(watch->all) && are_released(watch->late);
}
