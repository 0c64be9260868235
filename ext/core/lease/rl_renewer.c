/* SPDX-License-Identifier: MIT
 *
 * What is due, and when. The design is in the header.
 */
#include "core/lease/rl_renewer.h"

#include "core/base/rl_backoff.h"
#include "core/base/rl_time.h"
#include "core/lease/rl_round.h"

#include <stdlib.h>

/* The pause before a release is sent again that the member has not confirmed; doubled each time, up
 * to the maximum. */
#define RELEASE_PAUSE_NS (10 * RL_NS_PER_MS)
#define RELEASE_PAUSE_MAX_NS RL_NS_PER_SECOND

static int64_t now_of(const rl_renewal *renewal)
{
	const rl_env *env = renewal->renewer->env;
	return env->now(env->ctx);
}

static void plan_at(rl_renewal *renewal, int64_t due_at)
{
	rl_renewer *renewer = renewal->renewer;
	rl_renewal_heap_set(&renewer->heap, renewal, due_at);
	renewer->until = rl_time_earlier(renewer->until, due_at);
}

void rl_renewer_plan(rl_renewal *renewal)
{
	plan_at(renewal, rl_renewal_due_time(renewal));
}

/* ---- what the servers report ---- */

/* A lease that is lost is put on no further member. */
static void end_grants_of_lost(const rl_renewal *renewal)
{
	if (rl_renewal_is_lost(renewal) && renewal->renewer->grants != NULL) {
		const rl_lease *lease = renewal->lease;
		rl_renewer_undo_grants(renewal->renewer, lease->names.key, rl_lease_token(lease));
	}
}

static void on_vote(rl_renewal_member *member)
{
	rl_renewal *renewal = member->renewal;
	if (!rl_renewal_is_paused(renewal)) {
		rl_round_on_vote(member, renewal->renewer->env);
		end_grants_of_lost(renewal);
		rl_renewer_plan(renewal);
	}
}

static void on_release_failed(rl_renewal_member *member)
{
	int64_t pause =
		rl_backoff_doubled(RELEASE_PAUSE_NS, member->release_fails, RELEASE_PAUSE_MAX_NS);
	member->release_fails++;
	member->ask_again_at = now_of(member->renewal) + pause;
	rl_renewer_plan(member->renewal);
}

static bool on_redirected(rl_renewal_member *member, const rl_redirect *redirect)
{
	return rl_renewer_nodes_follow(&member->renewal->renewer->nodes, member, redirect);
}

static void on_unreachable(rl_renewer_server *server)
{
	rl_renewal_member *first = server->queue.waiting;
	if (first != NULL) {
		rl_renewer_nodes_flee(&first->renewal->renewer->nodes, server, now_of(first->renewal));
	}
}

static bool may_count(rl_renewal_member *member)
{
	rl_renewal *renewal = member->renewal;
	return rl_renewer_nodes_may_count(&renewal->renewer->nodes, member, now_of(renewal));
}

static const rl_renewer_server_listener listener = {.on_changed = rl_renewer_plan,
	.on_vote = on_vote,
	.on_release_failed = on_release_failed,
	.on_redirected = on_redirected,
	.on_unreachable = on_unreachable,
	.may_count = may_count};

void rl_renewer_init(rl_renewer *renewer, rl_transport *transport, const rl_env *env)
{
	*renewer = (rl_renewer){.env = env,
		.late_end = &renewer->late,
		.nodes = {.transport = transport,
			.env = env,
			.listener = &listener,
			.routes = {.transport = transport, .env = env}},
		.until = RL_NEVER};
}

/* ---- servers ---- */

/* The next link of an open lookup. */
static rl_link *next_of_lookups(const rl_renewer *renewer, rl_renewer_cursor *cursor)
{
	cursor->lookup = cursor->lookup == NULL ? renewer->nodes.routes.lookups : cursor->lookup;
	while (cursor->lookup != NULL) {
		rl_wait wait;
		rl_wait_begin(&wait);
		rl_lookup_add_to_wait(&cursor->lookup->lookup, &wait);
		if (cursor->at < wait.count) {
			return wait.links[cursor->at++];
		}
		cursor->at = 0;
		cursor->lookup = cursor->lookup->next;
	}
	return NULL;
}

rl_link *rl_renewer_next_link(const rl_renewer *renewer, rl_renewer_cursor *cursor)
{
	if (cursor->lookup != NULL) {
		return next_of_lookups(renewer, cursor);
	}
	rl_renewer_server *next =
		cursor->server == NULL ? renewer->nodes.servers : cursor->server->next;
	while (next != NULL && rl_renewer_server_link(next) == NULL) {
		next = next->next;
	}
	cursor->server = next;
	return next != NULL ? rl_renewer_server_link(next) : next_of_lookups(renewer, cursor);
}

/* ---- the lists of records ---- */

static void put_first(rl_renewal **list, rl_renewal *renewal)
{
	renewal->next = *list;
	renewal->link = list;
	if (*list != NULL) {
		(*list)->link = &renewal->next;
	}
	*list = renewal;
}

static void add(rl_renewer *renewer, rl_renewal *renewal)
{
	renewal->renewer = renewer;
	put_first(&renewer->all, renewal);
	renewer->all_count++;
}

static void unlink_record(rl_renewal *renewal)
{
	*renewal->link = renewal->next;
	if (renewal->next != NULL) {
		renewal->next->link = renewal->link;
	} else if (renewal->stage == RL_RENEWAL_LATE) {
		renewal->renewer->late_end = renewal->link;
	}
}

void rl_renewer_own_grant(rl_renewal *renewal)
{
	unlink_record(renewal);
	renewal->stage = RL_RENEWAL_GRANT;
	put_first(&renewal->renewer->grants, renewal);
	renewal->renewer->grant_count++;
}

static void discount_grant(rl_renewal *renewal)
{
	if (rl_renewal_is_grant(renewal)) {
		renewal->renewer->grant_count--;
	}
}

void rl_renewer_own(rl_renewal *renewal)
{
	rl_renewer *renewer = renewal->renewer;
	unlink_record(renewal);
	discount_grant(renewal);
	renewal->stage = RL_RENEWAL_LATE;
	renewal->next = NULL;
	renewal->link = renewer->late_end;
	*renewer->late_end = renewal;
	renewer->late_end = &renewal->next;
	renewer->late_count++;
}

/* Takes the record off the list and out of the heap. Sends nothing. */
static void take_out(rl_renewal *renewal)
{
	rl_renewer *renewer = renewal->renewer;
	rl_renewal_heap_remove(&renewer->heap, renewal);
	unlink_record(renewal);
	renewer->all_count--;
	renewer->late_count -= renewal->stage == RL_RENEWAL_LATE;
	discount_grant(renewal);
	renewal->renewer = NULL;
}

/* Frees what the renewer owns: a late release or a late grant, with its lease. */
static void free_owned(rl_renewal *renewal)
{
	if (renewal->stage == RL_RENEWAL_LATE || rl_renewal_is_grant(renewal)) {
		rl_lease_free(renewal->lease);
		free(renewal);
	}
}

static void drop_owned(rl_renewal *renewal)
{
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewer_nodes_leave(&renewal->members[i]);
	}
	take_out(renewal);
	free_owned(renewal);
}

void rl_renewer_end_late(rl_renewal *renewal)
{
	rl_stats *stats = rl_env_stats(renewal->renewer->env);
	bool is_released = rl_renewal_is_released(renewal);
	rl_stats_add(is_released ? &stats->late_releases_done : &stats->late_releases_dropped, 1);
	drop_owned(renewal);
}

/* ---- late grants ---- */

/* The member has the lock by this record, or may get it. */
static bool was_given(const rl_renewal_member *member)
{
	return member->vote == RL_VOTE_GRANTED || member->has_lost_set ||
		member->state == RL_RENEWAL_MEMBER_SENT || member->state == RL_RENEWAL_MEMBER_CHECKING;
}

static bool is_grant_over(const rl_renewal *renewal)
{
	bool is_open = renewal->stage == RL_RENEWAL_GRANT;
	for (unsigned i = 0; i < renewal->count; i++) {
		is_open = is_open || was_given(&renewal->members[i]);
	}
	return rl_renewal_is_grant(renewal) && (!is_open || !rl_lease_is_held(renewal->lease));
}

/* @return false = the release must be sent later, and confirmed */
static bool undo_behind(rl_renewal_member *member)
{
	if (member->has_lost_set || !rl_renewer_server_is_up(member->server)) {
		return false;
	}
	if (!rl_renewer_server_release_behind(member)) {
		member->renewal->renewer->until = 0; /* the next step writes the rest */
	}
	return true;
}

/* The members get the release when they can be reached; has one bit for each of them. */
static void release_later(rl_renewal *renewal, unsigned members)
{
	rl_stats_add(&rl_env_stats(renewal->renewer->env)->late_releases, 1);
	rl_lease_lose(renewal->lease);
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		member->has_lost_set = member->has_lost_set || rl_renewal_is_putting(member);
		rl_renewer_server_leave(member);
		member->may_outlive = (members >> i & 1) != 0;
		if (member->may_outlive) {
			member->wanted = RL_SEND_RELEASE;
			rl_renewer_server_queue(member);
		}
	}
	renewal->give_up_at = renewal->hold_until; /* by then the keys have expired */
	rl_renewer_own(renewal);
	rl_renewer_plan(renewal);
	renewal->renewer->until = 0;
}

static void undo_grant(rl_renewal *renewal)
{
	unsigned left = 0;
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		bool is_done = !was_given(member) || undo_behind(member);
		left |= (unsigned) !is_done << i;
	}
	if (left != 0) {
		release_later(renewal, left);
	} else {
		drop_owned(renewal);
	}
}

/* Calls the function for each late grant of the lock with this token. */
static void each_grant(
	rl_renewer *renewer, rl_bytes key, rl_bytes token, void (*act)(rl_renewal *renewal))
{
	rl_renewal *next;
	for (rl_renewal *renewal = renewer->grants; renewal != NULL; renewal = next) {
		const rl_lease *lease = renewal->lease;
		next = renewal->next;
		if (rl_bytes_equal(lease->names.key, key) &&
			(token.data == NULL || rl_bytes_equal(rl_lease_token(lease), token))) {
			act(renewal);
		}
	}
}

static void stop_grant(rl_renewal *renewal)
{
	rl_round_stop_grant(renewal);
	if (is_grant_over(renewal)) {
		drop_owned(renewal);
	} else {
		rl_renewer_plan(renewal);
	}
}

void rl_renewer_stop_grants(rl_renewer *renewer, rl_bytes key, rl_bytes token)
{
	each_grant(renewer, key, token, stop_grant);
}

void rl_renewer_undo_grants(rl_renewer *renewer, rl_bytes key, rl_bytes token)
{
	each_grant(renewer, key, token, undo_grant);
}

/* ---- a lease comes and goes ---- */

bool rl_renewer_prepare(rl_renewer *renewer, rl_renewal *renewal, const rl_set *set)
{
	if (!rl_renewal_heap_reserve(&renewer->heap, renewer->all_count + 1)) {
		return false;
	}
	if (!rl_renewer_nodes_assign(&renewer->nodes, renewal, set)) {
		return false;
	}
	add(renewer, renewal);
	return true;
}

void rl_renewer_begin(rl_renewal *renewal, const rl_set *set)
{
	rl_renewer_nodes_learn(&renewal->renewer->nodes, renewal, set);
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewer_server_trust(renewal->members[i].server);
	}
	renewal->renew_at = rl_round_next(renewal, now_of(renewal));
	rl_renewer_plan(renewal);
}

void rl_renewer_changed(rl_renewal *renewal)
{
	bool is_live = renewal->stage == RL_RENEWAL_IDLE || renewal->stage == RL_RENEWAL_IN_ROUND;
	if (renewal->renewer == NULL || !is_live) {
		return;
	}
	int64_t renew_at = rl_round_next(renewal, now_of(renewal));
	renewal->renew_at = rl_time_earlier(renewal->renew_at, renew_at);
	rl_renewer_plan(renewal);
}

static void pause_member(rl_renewal_member *member)
{
	if (member->state == RL_RENEWAL_MEMBER_WAITING) {
		rl_renewer_server_leave(member);
	}
	if (!rl_renewal_is_lost(member->renewal)) {
		member->wanted = rl_renewal_is_putting(member) ? RL_SEND_RELEASE : RL_SEND_RENEW;
	}
}

void rl_renewer_pause(rl_renewal *renewal)
{
	if (renewal->renewer == NULL || rl_renewal_is_paused(renewal)) {
		return;
	}
	rl_renewal_heap_remove(&renewal->renewer->heap, renewal);
	for (unsigned i = 0; i < renewal->count; i++) {
		pause_member(&renewal->members[i]);
	}
	if (renewal->stage == RL_RENEWAL_IN_ROUND) {
		rl_lease_not_renewed(renewal->lease);
	}
	renewal->stage = rl_renewal_is_lost(renewal) ? RL_RENEWAL_LOST_PAUSED : RL_RENEWAL_PAUSED;
}

/* A command under way to the member could keep or set the lock after its owner has released it. */
static bool needs_release_behind(const rl_renewal_member *member)
{
	const rl_renewal *renewal = member->renewal;
	const rl_lease *lease = renewal->lease;
	bool is_left = rl_lease_is_open(lease) && !lease->is_own_token;
	bool is_put_back = renewal->stage == RL_RENEWAL_PAUSED && member->wanted == RL_SEND_RELEASE;
	return (is_left && member->state == RL_RENEWAL_MEMBER_SENT) ||
		(is_put_back && lease->stage != RL_LEASE_GIVEN_AWAY);
}

void rl_renewer_end(rl_renewal *renewal)
{
	rl_renewer *renewer = renewal->renewer;
	if (renewer == NULL) {
		return;
	}
	rl_renewer_pause(renewal);
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		if (needs_release_behind(member) && !rl_renewer_server_release_behind(member)) {
			renewer->until = 0; /* the next step writes the rest */
		}
		rl_renewer_nodes_leave(member);
	}
	take_out(renewal);
}

void rl_renewer_drop(rl_renewal *renewal)
{
	if (renewal != NULL) {
		rl_renewer_end(renewal);
		free(renewal);
	}
}

/* ---- what is due ---- */

static bool is_late_over(const rl_renewal *renewal, int64_t now)
{
	return renewal->stage == RL_RENEWAL_LATE &&
		(renewal->give_up_at <= now || rl_renewal_is_released(renewal));
}

static void handle_due(rl_renewal *renewal, const rl_tick *tick)
{
	if (is_late_over(renewal, tick->now)) {
		rl_renewer_end_late(renewal);
		return;
	}
	rl_round_handle_due(renewal, tick, renewal->renewer->env);
	if (is_grant_over(renewal)) {
		drop_owned(renewal);
		return;
	}
	end_grants_of_lost(renewal);
	/* A record may still be due because what has arrived was not read yet: the next step handles
	 * it. */
	int64_t due_at = rl_renewal_due_time(renewal);
	plan_at(renewal, due_at > tick->now ? due_at : tick->now + 1);
}

static void handle_all_due(rl_renewer *renewer, const rl_tick *tick)
{
	bool is_any_due = false;
	while (renewer->heap.count > 0) {
		rl_renewal *first = renewer->heap.entries[0];
		bool is_due = first->due_at <= tick->now;
		if (!is_due && !(is_any_due && rl_renewal_is_near(first, tick->now))) {
			return;
		}
		is_any_due = true;
		handle_due(first, tick);
	}
}

/* Moves the members behind these Sentinels to the primary, and settles the answers that waited.
 * False = some of the answers need another lookup. */
static bool apply(rl_renewer *renewer, rl_renewal *first, rl_renewer_lookup *lookup)
{
	bool is_enough = true;
	rl_renewal *next;
	for (rl_renewal *renewal = first; renewal != NULL; renewal = next) {
		next = renewal->next;
		for (unsigned i = 0; i < renewal->count; i++) {
			rl_renewal_member *member = &renewal->members[i];
			is_enough = rl_renewer_nodes_apply(&renewer->nodes, member, lookup) && is_enough;
		}
	}
	return is_enough;
}

static void apply_to_all(rl_renewer *renewer, rl_renewer_lookup *lookup, int64_t now)
{
	bool is_enough = apply(renewer, renewer->all, lookup);
	is_enough = apply(renewer, renewer->late, lookup) && is_enough;
	is_enough = apply(renewer, renewer->grants, lookup) && is_enough;
	if (!is_enough) {
		rl_renewer_nodes_look_up_again(&renewer->nodes, lookup->lookup.route, now);
	}
}

/* @return when to call it again */
static int64_t step_lookups(rl_renewer *renewer, const rl_tick *tick)
{
	rl_renewer_nodes_look_up(&renewer->nodes, tick->now);
	int64_t until = RL_NEVER;
	for (rl_renewer_lookup *lookup = renewer->nodes.routes.lookups; lookup != NULL;
		 lookup = lookup->next) {
		if (rl_renewer_lookup_step(lookup, tick, &until)) {
			apply_to_all(renewer, lookup, tick->now);
		}
	}
	return until;
}

void rl_renewer_step(rl_renewer *renewer, const rl_tick *tick)
{
	for (rl_renewer_server *server = renewer->nodes.servers; server != NULL;
		 server = server->next) {
		rl_renewer_server_read(server, tick);
	}
	handle_all_due(renewer, tick);
	int64_t until = step_lookups(renewer, tick);
	for (rl_renewer_server *server = renewer->nodes.servers; server != NULL;
		 server = server->next) {
		until = rl_time_earlier(until, rl_renewer_server_send(server, tick));
	}
	rl_renewer_nodes_drop_idle(&renewer->nodes);
	const rl_renewal_heap *heap = &renewer->heap;
	renewer->until = heap->count > 0 ? rl_time_earlier(until, heap->entries[0]->due_at) : until;
	if (renewer->nodes.has_moved) { /* that server may have sent already */
		renewer->nodes.has_moved = false;
		renewer->until = 0;
	}
}

static rl_renewal *any_record(const rl_renewer *renewer)
{
	rl_renewal *owned = renewer->late != NULL ? renewer->late : renewer->grants;
	return renewer->all != NULL ? renewer->all : owned;
}

void rl_renewer_forget(rl_renewer *renewer)
{
	rl_renewal *renewal;
	while ((renewal = any_record(renewer)) != NULL) {
		for (unsigned i = 0; i < renewal->count; i++) {
			renewal->members[i].state = RL_RENEWAL_MEMBER_IDLE;
			rl_route_unref(renewal->members[i].route);
			renewal->members[i].route = NULL;
		}
		take_out(renewal);
		free_owned(renewal);
	}
	rl_renewer_nodes_free(&renewer->nodes);
	rl_renewal_heap_free(&renewer->heap);
	rl_renewer_init(renewer, renewer->nodes.transport, renewer->env);
}
