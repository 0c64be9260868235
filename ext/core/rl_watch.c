/* SPDX-License-Identifier: MIT
 *
 * What is due, and when. The design is in the header.
 */
#include "core/rl_watch.h"

#include "core/rl_time.h"
#include "core/rl_watch_heap.h"
#include "core/rl_watch_late.h"
#include "core/rl_watch_server.h"

#include <stdlib.h>
#include <string.h>

/* The proof that is left, divided by this: how long an answer is waited for, so that there is time to try again. */
#define PATIENCE_SHARE 4
#define PATIENCE_MIN_NS (5 * RL_NS_PER_MS)

/* A server that answered with an error is asked again after this share of the proof that is left. */
#define ERROR_SHARE 6
#define ERROR_MIN_NS (5 * RL_NS_PER_MS)
#define ERROR_MAX_NS RL_NS_PER_SECOND

/* A server that did not carry a release out is asked again after this, doubled each time up to the maximum. */
#define RELEASE_PAUSE_NS (10 * RL_NS_PER_MS)
#define RELEASE_PAUSE_MAX_NS RL_NS_PER_SECOND

/* With one that is due go those that would be within this share of their TTL. */
#define EARLY_SHARE 12

/* Servers without leases whose connections are kept. */
#define IDLE_SERVERS_MAX 8

void rl_watch_init(rl_watch *watch, rl_transport *transport, const rl_env *env)
{
	*watch =
		(rl_watch){.transport = transport, .env = env, .late_end = &watch->late, .until = RL_NEVER};
}

rl_watched *rl_watched_new(const rl_set *set, rl_lease *lease)
{
	rl_watched *watched = calloc(1, sizeof *watched + set->count * sizeof watched->seats[0]);
	if (watched == NULL) {
		return NULL;
	}
	watched->lease = lease;
	watched->wakes = set->wakes;
	watched->hold_until = RL_NEVER;
	watched->count = set->count;
	return watched;
}

/* ---- when ---- */

static int64_t now_of(const rl_watched *watched)
{
	return watched->watch->env->now(watched->watch->env->ctx);
}

int64_t rl_watch_patience(const rl_watched *watched, int64_t timeout_ns, int64_t now)
{
	if (watched->is_lost) {
		return timeout_ns; /* to release it */
	}
	int64_t share = (atomic_load(&watched->lease->proof) - now) / PATIENCE_SHARE;
	return rl_time_earlier(timeout_ns, share > PATIENCE_MIN_NS ? share : PATIENCE_MIN_NS);
}

/* A member that does not have the lock may be given it. */
static bool may_put_back(const rl_watched *watched)
{
	return watched->count > 1 && watched->renews && !watched->lease->is_own_token;
}

/* It answered with an error, or that the lock is not there, and its vote is still wanted. */
static bool is_to_be_asked_again(const rl_watch_seat *seat)
{
	if (seat->watched->is_lost) {
		return seat->may_outlive && seat->state == RL_WATCH_IDLE;
	}
	bool is_wanted = seat->vote == RL_VOTE_FAILED ||
		(seat->vote == RL_VOTE_REFUSED && may_put_back(seat->watched));
	return seat->watched->is_in_round && seat->state == RL_WATCH_IDLE && is_wanted;
}

/* When something has to be done about it. */
static int64_t due_time(const rl_watched *watched)
{
	int64_t proof = atomic_load(&watched->lease->proof);
	int64_t due = watched->is_lost ? rl_time_earlier(watched->give_up_at, watched->tell_at)
		: proof > 0                ? proof
								   : 0;
	if (watched->renews && !watched->is_in_round && !watched->is_lost) {
		due = rl_time_earlier(due, watched->renew_at);
	}
	if (watched->is_late && rl_watch_late_is_done(watched)) {
		return 0;
	}
	for (unsigned i = 0; i < watched->count; i++) {
		const rl_watch_seat *seat = &watched->seats[i];
		if (seat->state == RL_WATCH_FLYING) {
			due = rl_time_earlier(due, seat->answer_by);
		} else if (is_to_be_asked_again(seat)) {
			due = rl_time_earlier(due, seat->ask_again_at);
		}
	}
	return due;
}

void rl_watch_plan(rl_watched *watched)
{
	rl_watch_heap_set(watched, due_time(watched));
}

/* ---- loss ---- */

/* Sees to it that no member keeps what is not ours any more. */
static void give_back(rl_watched *watched, int64_t now)
{
	int64_t longest = 0;
	for (unsigned i = 0; i < watched->count; i++) {
		rl_watch_seat *seat = &watched->seats[i];
		seat->has_lost_set |= seat->state == RL_WATCH_FLYING && seat->is_putting;
		rl_watch_server_leave(seat);
		seat->may_outlive = seat->may_outlive && !watched->lease->is_own_token;
		if (seat->may_outlive) {
			rl_watch_server_queue(seat); /* behind the renewal, if it is the same connection */
			longest = seat->asked_ttl > longest ? seat->asked_ttl : longest;
		}
	}
	watched->give_up_at =
		longest > 0 ? now + longest : RL_NEVER; /* by then it has ended by itself */
}

static void tell(rl_watched *watched, int64_t now)
{
	int64_t pause = watched->on_lost != NULL ? watched->on_lost(watched->ctx) : 0;
	watched->tell_at = pause > 0 ? now + pause : RL_NEVER;
}

static void on_loss(rl_watched *watched)
{
	rl_watch *watch = watched->watch;
	watched->is_lost = true;
	rl_stats_add(&watch->env->stats->lost, 1);
	if (watched->is_in_round) {
		watched->is_in_round = false;
		rl_lease_not_renewed(watched->lease);
	}
	int64_t now = now_of(watched);
	give_back(watched, now);
	tell(watched, now);
}

/* ---- rounds ---- */

int64_t rl_watch_ttl(const rl_watched *watched, int64_t now)
{
	int64_t ttl = watched->lease->ttl_ns;
	if (watched->hold_until != RL_NEVER) {
		ttl = rl_time_earlier(ttl, watched->hold_until - now);
	}
	return ttl - ttl % RL_NS_PER_MS;
}

static void begin_round(rl_watched *watched, int64_t now)
{
	rl_lease *lease = watched->lease;
	int64_t ttl = rl_watch_ttl(watched, now);
	if (now + ttl - rl_drift(lease->drift_factor, ttl) <= atomic_load(&lease->proof)) {
		watched->renew_at = RL_NEVER; /* nothing to be won: it may be held no longer */
		return;
	}
	watched->is_in_round = true;
	rl_lease_renewing(lease);
	for (unsigned i = 0; i < watched->count; i++) {
		rl_watch_seat *seat = &watched->seats[i];
		seat->vote = RL_VOTE_OPEN;
		seat->was_put = false;
		/* One that is flying is of a round before: its answer counts from when it was asked for. */
		if (seat->state == RL_WATCH_IDLE) {
			rl_watch_server_queue(seat);
		}
	}
}

static rl_vote outcome(const rl_watched *watched)
{
	rl_tally tally = {0};
	for (unsigned i = 0; i < watched->count; i++) {
		rl_tally_add(&tally, watched->seats[i].vote);
	}
	return rl_tally_outcome(&tally);
}

/* What a quorum out of reach by refusals says. */
static rl_loss loss_by_refusals(const rl_watched *watched)
{
	unsigned absent = 0;
	unsigned taken_over = 0;
	for (unsigned i = 0; i < watched->count; i++) {
		const rl_watch_seat *seat = &watched->seats[i];
		taken_over += seat->vote == RL_VOTE_REFUSED && seat->is_taken_over;
		absent += seat->vote == RL_VOTE_REFUSED && !seat->is_taken_over;
	}
	return rl_loss_of_refusals(absent, taken_over);
}

/* Sees to it that the member has the lock, too. */
static void put_back(rl_watch_seat *seat)
{
	if (may_put_back(seat->watched) && seat->vote == RL_VOTE_REFUSED &&
		seat->state == RL_WATCH_IDLE && !seat->was_put) {
		seat->is_missing = true;
		seat->was_put = true;
		rl_watch_server_queue(seat);
	}
}

/* A quorum has it: proven as of the member that was asked first, for the shortest that was asked for. */
static void on_renewed(rl_watched *watched)
{
	int64_t sent_at = RL_NEVER;
	int64_t ttl = RL_NEVER;
	for (unsigned i = 0; i < watched->count; i++) {
		rl_watch_seat *seat = &watched->seats[i];
		if (seat->vote == RL_VOTE_GRANTED) {
			sent_at = rl_time_earlier(sent_at, seat->sent_at);
			ttl = rl_time_earlier(ttl, seat->asked_ttl);
			seat->may_outlive = false;
		}
	}
	if (!rl_lease_renewed(watched->lease, ttl, sent_at)) {
		for (unsigned i = 0; i < watched->count; i++) {
			watched->seats[i].may_outlive |= watched->seats[i].vote == RL_VOTE_GRANTED;
		}
		on_loss(watched); /* too late */
		return;
	}
	for (unsigned i = 0; i < watched->count; i++) {
		put_back(&watched->seats[i]);
	}
	rl_stats_add(&watched->watch->env->stats->renewed, 1);
	watched->renew_at = now_of(watched) + rl_lease_remaining(watched->lease) / 3;
}

static int64_t error_pause(const rl_watched *watched)
{
	int64_t share = rl_lease_remaining(watched->lease) / ERROR_SHARE;
	return rl_time_earlier(share > ERROR_MIN_NS ? share : ERROR_MIN_NS, ERROR_MAX_NS);
}

void rl_watch_on_release_failed(rl_watch_seat *seat)
{
	unsigned doublings = seat->pauses < 7 ? seat->pauses : 7;
	seat->pauses++;
	int64_t pause = rl_time_earlier(RELEASE_PAUSE_NS << doublings, RELEASE_PAUSE_MAX_NS);
	seat->ask_again_at = now_of(seat->watched) + pause;
	rl_watch_plan(seat->watched);
}

void rl_watch_on_vote(rl_watch_seat *seat)
{
	rl_watched *watched = seat->watched;
	if (watched->is_paused) {
		return;
	}
	if (!watched->is_in_round) { /* a straggler, when the round was decided */
		put_back(seat);
		rl_watch_plan(watched);
		return;
	}
	if (seat->vote != RL_VOTE_GRANTED) {
		seat->ask_again_at = now_of(watched) + error_pause(watched);
	}
	switch (outcome(watched)) {
		case RL_VOTE_OPEN:
		case RL_VOTE_FAILED: /* for now */
			break;
		case RL_VOTE_GRANTED:
			watched->is_in_round = false;
			on_renewed(watched);
			break;
		case RL_VOTE_REFUSED:
			rl_lease_lose_by(watched->lease, loss_by_refusals(watched));
			on_loss(watched);
			break;
	}
	rl_watch_plan(watched);
}

/* ---- the watch ---- */

static rl_watch_server *find_server(rl_watch *watch, const rl_target *target)
{
	for (rl_watch_server **slot = &watch->servers; *slot != NULL; slot = &(*slot)->next) {
		rl_watch_server *server = *slot;
		if (rl_target_equal(server->target, target)) {
			*slot = server->next;
			server->next = watch->servers;
			watch->servers = server;
			return server;
		}
	}
	rl_watch_server *server = rl_watch_server_new(target);
	if (server != NULL) {
		server->next = watch->servers;
		watch->servers = server;
	}
	return server;
}

bool rl_watch_prepare(rl_watch *watch, rl_watched *watched, const rl_set *set)
{
	if (!rl_watch_heap_reserve(watch, watch->all_count + 1)) {
		return false;
	}
	for (unsigned i = 0; i < set->count; i++) {
		rl_watch_server *server = find_server(watch, set->members[i].target);
		if (server == NULL) {
			return false;
		}
		watched->seats[i] = (rl_watch_seat){.watched = watched,
			.server = server,
			.timeout_ns = set->members[i].timeout_ns,
			.connect_timeout_ns = set->members[i].connect_timeout_ns};
	}
	for (unsigned i = 0; i < set->count; i++) {
		watched->seats[i].server->users++;
	}
	watched->watch = watch;
	watched->next = watch->all;
	watched->link = &watch->all;
	if (watch->all != NULL) {
		watch->all->link = &watched->next;
	}
	watch->all = watched;
	watch->all_count++;
	return true;
}

void rl_watch_begin(rl_watched *watched)
{
	for (unsigned i = 0; i < watched->count; i++) {
		rl_watch_server_trust(watched->seats[i].server);
	}
	watched->renew_at = now_of(watched) + rl_lease_remaining(watched->lease) / 3;
	rl_watch_plan(watched);
}

void rl_watch_changed(rl_watched *watched)
{
	if (watched->watch == NULL || watched->is_lost || watched->is_paused) {
		return;
	}
	int64_t renew_at = now_of(watched) + rl_lease_remaining(watched->lease) / 3;
	watched->renew_at = rl_time_earlier(watched->renew_at, renew_at);
	rl_watch_plan(watched);
}

void rl_watch_take_out(rl_watched *watched)
{
	rl_watch_heap_remove(watched);
	*watched->link = watched->next;
	if (watched->next != NULL) {
		watched->next->link = watched->link;
	} else if (watched->is_late) {
		watched->watch->late_end = watched->link;
	}
	watched->watch->all_count--;
	watched->watch = NULL;
}

void rl_watch_pause(rl_watched *watched)
{
	if (watched->watch == NULL || watched->is_paused) {
		return;
	}
	watched->is_paused = true;
	rl_watch_heap_remove(watched);
	for (unsigned i = 0; i < watched->count; i++) {
		rl_watch_seat *seat = &watched->seats[i];
		seat->owes_release = seat->state == RL_WATCH_FLYING && seat->is_putting;
		if (seat->state == RL_WATCH_WAITING) {
			rl_watch_server_leave(seat);
		}
	}
	if (watched->is_in_round) {
		watched->is_in_round = false;
		rl_lease_not_renewed(watched->lease);
	}
}

void rl_watch_end(rl_watched *watched)
{
	if (watched->watch == NULL) {
		return;
	}
	rl_watch_pause(watched);
	bool is_left = rl_lease_is_open(watched->lease) && !watched->lease->is_own_token;
	for (unsigned i = 0; i < watched->count; i++) {
		rl_watch_seat *seat = &watched->seats[i];
		bool is_flying = seat->state == RL_WATCH_FLYING;
		bool is_owed = seat->owes_release && !watched->lease->is_given_away;
		if ((is_left && is_flying) || is_owed) {
			rl_watch_server_release_behind(seat);
		}
		rl_watch_server_leave(seat);
		seat->server->users--;
	}
	rl_watch_take_out(watched);
}

void rl_watched_free(rl_watched *watched)
{
	if (watched != NULL) {
		rl_watch_end(watched);
		free(watched);
	}
}

/* Closes the connections on which an answer is overdue. */
static void give_hung_up(rl_watched *watched, const rl_tick *tick)
{
	for (unsigned i = 0; i < watched->count; i++) {
		rl_watch_seat *seat = &watched->seats[i];
		if (seat->state == RL_WATCH_FLYING && tick->seen >= seat->answer_by) {
			rl_watch_server_fail(seat->server, tick->now);
		}
	}
}

/* One that is due still, for what had arrived was not read yet, comes again in the next step. */
static void plan_ahead(rl_watched *watched, int64_t now)
{
	int64_t due = due_time(watched);
	rl_watch_heap_set(watched, due > now ? due : now + 1);
}

/* The releases whose pause is over go out again. */
static void release_again(rl_watched *watched, const rl_tick *tick)
{
	for (unsigned i = 0; i < watched->count; i++) {
		rl_watch_seat *seat = &watched->seats[i];
		if (is_to_be_asked_again(seat) && seat->ask_again_at <= tick->now) {
			rl_watch_server_queue(seat);
		}
	}
}

static void look_at_lost(rl_watched *watched, const rl_tick *tick)
{
	bool is_over = watched->give_up_at <= tick->now; /* nothing is left of it anywhere */
	if (watched->is_late && (is_over || rl_watch_late_is_done(watched))) {
		rl_watch_late_end(watched);
		return;
	}
	if (is_over) {
		for (unsigned i = 0; i < watched->count; i++) {
			rl_watch_server_leave(&watched->seats[i]);
			watched->seats[i].may_outlive = false;
		}
		watched->give_up_at = RL_NEVER;
	}
	give_hung_up(watched, tick);
	release_again(watched, tick);
	if (watched->tell_at <= tick->now) {
		tell(watched, tick->now);
	}
	plan_ahead(watched, tick->now);
}

/* To be renewed, or so soon that it goes with others. */
static bool is_near(const rl_watched *watched, int64_t now)
{
	return watched->renews && !watched->is_in_round && !watched->is_lost &&
		watched->renew_at - watched->lease->ttl_ns / EARLY_SHARE <= now;
}

/* Its time has come, or is near enough to go with others. */
static void look(rl_watched *watched, const rl_tick *tick)
{
	if (watched->is_lost) {
		look_at_lost(watched, tick);
		return;
	}
	if (!rl_lease_is_held(watched->lease)) {
		on_loss(watched);
		rl_watch_plan(watched);
		return;
	}
	give_hung_up(watched, tick);
	for (unsigned i = 0; i < watched->count; i++) {
		rl_watch_seat *seat = &watched->seats[i];
		if (is_to_be_asked_again(seat) && seat->ask_again_at <= tick->now) {
			/* While the proof lasts nobody else can have a quorum: whoever has it there gives it up, or ends. */
			seat->is_missing = seat->is_missing || seat->vote == RL_VOTE_REFUSED;
			seat->vote = RL_VOTE_OPEN;
			rl_watch_server_queue(seat);
		}
	}
	if (is_near(watched, tick->now)) { /* it need not be why it was looked at */
		begin_round(watched, tick->now);
	}
	plan_ahead(watched, tick->now);
}

static void look_at_due(rl_watch *watch, const rl_tick *tick)
{
	bool is_any_due = false;
	while (watch->heap_count > 0) {
		rl_watched *first = watch->heap[0];
		bool is_due = first->due_at <= tick->now;
		if (!is_due && !(is_any_due && is_near(first, tick->now))) {
			return;
		}
		is_any_due = true;
		look(first, tick);
	}
}

/* Closes what nobody has used for longest. */
static void drop_idle_servers(rl_watch *watch)
{
	unsigned idle = 0;
	for (rl_watch_server **slot = &watch->servers; *slot != NULL;) {
		rl_watch_server *server = *slot;
		if (server->users == 0 && ++idle > IDLE_SERVERS_MAX) {
			*slot = server->next;
			rl_watch_server_free(server);
		} else {
			slot = &server->next;
		}
	}
}

void rl_watch_step(rl_watch *watch, const rl_tick *tick)
{
	for (rl_watch_server *server = watch->servers; server != NULL; server = server->next) {
		rl_watch_server_read(server, tick);
	}
	look_at_due(watch, tick);
	int64_t until = RL_NEVER;
	for (rl_watch_server *server = watch->servers; server != NULL; server = server->next) {
		until = rl_time_earlier(until, rl_watch_server_send(server, watch, tick));
	}
	drop_idle_servers(watch);
	watch->until = watch->heap_count > 0 ? rl_time_earlier(until, watch->heap[0]->due_at) : until;
}

rl_link *rl_watch_next_link(const rl_watch *watch, rl_watch_server **server)
{
	rl_watch_server *next = *server == NULL ? watch->servers : (*server)->next;
	while (next != NULL && next->conn == NULL) {
		next = next->next;
	}
	*server = next;
	return next == NULL ? NULL : next->conn->link;
}

void rl_watch_forget(rl_watch *watch)
{
	while (watch->all != NULL || watch->late != NULL) {
		rl_watched *watched = watch->all != NULL ? watch->all : watch->late;
		for (unsigned i = 0; i < watched->count; i++) {
			watched->seats[i].state = RL_WATCH_IDLE;
		}
		rl_watch_take_out(watched);
		rl_watch_late_free(watched);
	}
	while (watch->servers != NULL) {
		rl_watch_server *server = watch->servers;
		watch->servers = server->next;
		rl_watch_server_free(server);
	}
	free(watch->heap);
	rl_watch_init(watch, watch->transport, watch->env);
}
