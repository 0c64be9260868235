/* SPDX-License-Identifier: MIT
 *
 * What is due, and when. The design is in the header.
 */
#include "core/lease/rl_renewer.h"

#include "core/base/rl_time.h"
#include "core/lease/rl_renewer_heap.h"
#include "core/lease/rl_late.h"
#include "core/lease/rl_renewer_server.h"

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

void rl_renewer_init(rl_renewer *renewer, rl_transport *transport, const rl_env *env)
{
	*renewer = (rl_renewer){
		.transport = transport, .env = env, .late_end = &renewer->late, .until = RL_NEVER};
}

rl_renewal *rl_renewal_new(const rl_set *set, rl_lease *lease)
{
	rl_renewal *renewal = calloc(1, sizeof *renewal + set->count * sizeof renewal->members[0]);
	if (renewal == NULL) {
		return NULL;
	}
	renewal->lease = lease;
	renewal->wakes = set->wakes;
	renewal->hold_until = RL_NEVER;
	renewal->count = set->count;
	return renewal;
}

/* ---- when ---- */

static int64_t now_of(const rl_renewal *renewal)
{
	return renewal->renewer->env->now(renewal->renewer->env->ctx);
}

int64_t rl_renewal_patience(const rl_renewal *renewal, int64_t timeout_ns, int64_t now)
{
	if (renewal->is_lost) {
		return timeout_ns; /* to release it */
	}
	int64_t share = (atomic_load(&renewal->lease->proof) - now) / PATIENCE_SHARE;
	return rl_time_earlier(timeout_ns, share > PATIENCE_MIN_NS ? share : PATIENCE_MIN_NS);
}

/* A member that does not have the lock may be given it. */
static bool may_put_back(const rl_renewal *renewal)
{
	return renewal->count > 1 && renewal->renews && !renewal->lease->is_own_token;
}

/* It answered with an error, or that the lock is not there, and its vote is still wanted. */
static bool is_to_be_asked_again(const rl_renewal_member *member)
{
	if (member->renewal->is_lost) {
		return member->may_outlive && member->state == RL_RENEWAL_IDLE;
	}
	bool is_wanted = member->vote == RL_VOTE_FAILED ||
		(member->vote == RL_VOTE_REFUSED && may_put_back(member->renewal));
	return member->renewal->is_in_round && member->state == RL_RENEWAL_IDLE && is_wanted;
}

/* When something has to be done about it. */
static int64_t due_time(const rl_renewal *renewal)
{
	int64_t proof = atomic_load(&renewal->lease->proof);
	int64_t due = renewal->is_lost ? rl_time_earlier(renewal->give_up_at, renewal->tell_at)
		: proof > 0                ? proof
								   : 0;
	if (renewal->renews && !renewal->is_in_round && !renewal->is_lost) {
		due = rl_time_earlier(due, renewal->renew_at);
	}
	if (renewal->is_late && rl_late_is_done(renewal)) {
		return 0;
	}
	for (unsigned i = 0; i < renewal->count; i++) {
		const rl_renewal_member *member = &renewal->members[i];
		if (member->state == RL_RENEWAL_FLYING) {
			due = rl_time_earlier(due, member->answer_by);
		} else if (is_to_be_asked_again(member)) {
			due = rl_time_earlier(due, member->ask_again_at);
		}
	}
	return due;
}

void rl_renewal_plan(rl_renewal *renewal)
{
	rl_renewer_heap_set(renewal, due_time(renewal));
}

/* ---- loss ---- */

/* Sees to it that no member keeps what is not ours any more. */
static void give_back(rl_renewal *renewal, int64_t now)
{
	int64_t longest = 0;
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		member->has_lost_set |= member->state == RL_RENEWAL_FLYING && member->is_putting;
		rl_renewer_server_leave(member);
		member->may_outlive = member->may_outlive && !renewal->lease->is_own_token;
		if (member->may_outlive) {
			rl_renewer_server_queue(member); /* behind the renewal, if it is the same connection */
			longest = member->asked_ttl > longest ? member->asked_ttl : longest;
		}
	}
	renewal->give_up_at =
		longest > 0 ? now + longest : RL_NEVER; /* by then it has ended by itself */
}

static void tell(rl_renewal *renewal, int64_t now)
{
	int64_t pause = renewal->on_lost != NULL ? renewal->on_lost(renewal->ctx) : 0;
	renewal->tell_at = pause > 0 ? now + pause : RL_NEVER;
}

static void on_loss(rl_renewal *renewal)
{
	rl_renewer *renewer = renewal->renewer;
	renewal->is_lost = true;
	rl_stats_add(&renewer->env->stats->lost, 1);
	if (renewal->is_in_round) {
		renewal->is_in_round = false;
		rl_lease_not_renewed(renewal->lease);
	}
	int64_t now = now_of(renewal);
	give_back(renewal, now);
	tell(renewal, now);
}

/* ---- rounds ---- */

int64_t rl_renewal_ttl(const rl_renewal *renewal, int64_t now)
{
	int64_t ttl = renewal->lease->ttl_ns;
	if (renewal->hold_until != RL_NEVER) {
		ttl = rl_time_earlier(ttl, renewal->hold_until - now);
	}
	return ttl - ttl % RL_NS_PER_MS;
}

static void begin_round(rl_renewal *renewal, int64_t now)
{
	rl_lease *lease = renewal->lease;
	int64_t ttl = rl_renewal_ttl(renewal, now);
	if (now + ttl - rl_drift(lease->drift_factor, ttl) <= atomic_load(&lease->proof)) {
		renewal->renew_at = RL_NEVER; /* nothing to be won: it may be held no longer */
		return;
	}
	renewal->is_in_round = true;
	rl_lease_renewing(lease);
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		member->vote = RL_VOTE_OPEN;
		member->was_put = false;
		/* One that is flying is of a round before: its answer counts from when it was asked for. */
		if (member->state == RL_RENEWAL_IDLE) {
			rl_renewer_server_queue(member);
		}
	}
}

static rl_vote outcome(const rl_renewal *renewal)
{
	rl_tally tally = {0};
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_tally_add(&tally, renewal->members[i].vote);
	}
	return rl_tally_outcome(&tally);
}

/* What a quorum out of reach by refusals says. */
static rl_loss loss_by_refusals(const rl_renewal *renewal)
{
	unsigned absent = 0;
	unsigned taken_over = 0;
	for (unsigned i = 0; i < renewal->count; i++) {
		const rl_renewal_member *member = &renewal->members[i];
		taken_over += member->vote == RL_VOTE_REFUSED && member->is_taken_over;
		absent += member->vote == RL_VOTE_REFUSED && !member->is_taken_over;
	}
	return rl_loss_of_refusals(absent, taken_over);
}

/* Sees to it that the member has the lock, too. */
static void put_back(rl_renewal_member *member)
{
	if (may_put_back(member->renewal) && member->vote == RL_VOTE_REFUSED &&
		member->state == RL_RENEWAL_IDLE && !member->was_put) {
		member->is_missing = true;
		member->was_put = true;
		rl_renewer_server_queue(member);
	}
}

/* A quorum has it: proven as of the member that was asked first, for the shortest that was asked for. */
static void on_renewed(rl_renewal *renewal)
{
	int64_t sent_at = RL_NEVER;
	int64_t ttl = RL_NEVER;
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		if (member->vote == RL_VOTE_GRANTED) {
			sent_at = rl_time_earlier(sent_at, member->sent_at);
			ttl = rl_time_earlier(ttl, member->asked_ttl);
			member->may_outlive = false;
		}
	}
	if (!rl_lease_renewed(renewal->lease, ttl, sent_at)) {
		for (unsigned i = 0; i < renewal->count; i++) {
			renewal->members[i].may_outlive |= renewal->members[i].vote == RL_VOTE_GRANTED;
		}
		on_loss(renewal); /* too late */
		return;
	}
	for (unsigned i = 0; i < renewal->count; i++) {
		put_back(&renewal->members[i]);
	}
	rl_stats_add(&renewal->renewer->env->stats->renewed, 1);
	renewal->renew_at = now_of(renewal) + rl_lease_remaining(renewal->lease) / 3;
}

static int64_t error_pause(const rl_renewal *renewal)
{
	int64_t share = rl_lease_remaining(renewal->lease) / ERROR_SHARE;
	return rl_time_earlier(share > ERROR_MIN_NS ? share : ERROR_MIN_NS, ERROR_MAX_NS);
}

void rl_renewal_on_release_failed(rl_renewal_member *member)
{
	unsigned doublings = member->pauses < 7 ? member->pauses : 7;
	member->pauses++;
	int64_t pause = rl_time_earlier(RELEASE_PAUSE_NS << doublings, RELEASE_PAUSE_MAX_NS);
	member->ask_again_at = now_of(member->renewal) + pause;
	rl_renewal_plan(member->renewal);
}

void rl_renewal_on_vote(rl_renewal_member *member)
{
	rl_renewal *renewal = member->renewal;
	if (renewal->is_paused) {
		return;
	}
	if (!renewal->is_in_round) { /* a straggler, when the round was decided */
		put_back(member);
		rl_renewal_plan(renewal);
		return;
	}
	if (member->vote != RL_VOTE_GRANTED) {
		member->ask_again_at = now_of(renewal) + error_pause(renewal);
	}
	switch (outcome(renewal)) {
		case RL_VOTE_OPEN:
		case RL_VOTE_FAILED: /* for now */
			break;
		case RL_VOTE_GRANTED:
			renewal->is_in_round = false;
			on_renewed(renewal);
			break;
		case RL_VOTE_REFUSED:
			rl_lease_lose_by(renewal->lease, loss_by_refusals(renewal));
			on_loss(renewal);
			break;
	}
	rl_renewal_plan(renewal);
}

/* ---- the watch ---- */

static rl_renewer_server *find_server(rl_renewer *renewer, const rl_target *target)
{
	for (rl_renewer_server **slot = &renewer->servers; *slot != NULL; slot = &(*slot)->next) {
		rl_renewer_server *server = *slot;
		if (rl_target_equal(server->target, target)) {
			*slot = server->next;
			server->next = renewer->servers;
			renewer->servers = server;
			return server;
		}
	}
	rl_renewer_server *server = rl_renewer_server_new(target);
	if (server != NULL) {
		server->next = renewer->servers;
		renewer->servers = server;
	}
	return server;
}

bool rl_renewer_prepare(rl_renewer *renewer, rl_renewal *renewal, const rl_set *set)
{
	if (!rl_renewer_heap_reserve(renewer, renewer->all_count + 1)) {
		return false;
	}
	for (unsigned i = 0; i < set->count; i++) {
		rl_renewer_server *server = find_server(renewer, set->members[i].target);
		if (server == NULL) {
			return false;
		}
		renewal->members[i] = (rl_renewal_member){.renewal = renewal,
			.server = server,
			.timeout_ns = set->members[i].timeout_ns,
			.connect_timeout_ns = set->members[i].connect_timeout_ns};
	}
	for (unsigned i = 0; i < set->count; i++) {
		renewal->members[i].server->users++;
	}
	renewal->renewer = renewer;
	renewal->next = renewer->all;
	renewal->link = &renewer->all;
	if (renewer->all != NULL) {
		renewer->all->link = &renewal->next;
	}
	renewer->all = renewal;
	renewer->all_count++;
	return true;
}

void rl_renewal_begin(rl_renewal *renewal)
{
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewer_server_trust(renewal->members[i].server);
	}
	renewal->renew_at = now_of(renewal) + rl_lease_remaining(renewal->lease) / 3;
	rl_renewal_plan(renewal);
}

void rl_renewal_changed(rl_renewal *renewal)
{
	if (renewal->renewer == NULL || renewal->is_lost || renewal->is_paused) {
		return;
	}
	int64_t renew_at = now_of(renewal) + rl_lease_remaining(renewal->lease) / 3;
	renewal->renew_at = rl_time_earlier(renewal->renew_at, renew_at);
	rl_renewal_plan(renewal);
}

void rl_renewal_take_out(rl_renewal *renewal)
{
	rl_renewer_heap_remove(renewal);
	*renewal->link = renewal->next;
	if (renewal->next != NULL) {
		renewal->next->link = renewal->link;
	} else if (renewal->is_late) {
		renewal->renewer->late_end = renewal->link;
	}
	renewal->renewer->all_count--;
	renewal->renewer = NULL;
}

void rl_renewal_pause(rl_renewal *renewal)
{
	if (renewal->renewer == NULL || renewal->is_paused) {
		return;
	}
	renewal->is_paused = true;
	rl_renewer_heap_remove(renewal);
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		member->must_release = member->state == RL_RENEWAL_FLYING && member->is_putting;
		if (member->state == RL_RENEWAL_WAITING) {
			rl_renewer_server_leave(member);
		}
	}
	if (renewal->is_in_round) {
		renewal->is_in_round = false;
		rl_lease_not_renewed(renewal->lease);
	}
}

void rl_renewal_end(rl_renewal *renewal)
{
	if (renewal->renewer == NULL) {
		return;
	}
	rl_renewal_pause(renewal);
	bool is_left = rl_lease_is_open(renewal->lease) && !renewal->lease->is_own_token;
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		bool is_flying = member->state == RL_RENEWAL_FLYING;
		bool is_owed = member->must_release && !renewal->lease->is_given_away;
		if ((is_left && is_flying) || is_owed) {
			rl_renewer_server_release_behind(member);
		}
		rl_renewer_server_leave(member);
		member->server->users--;
	}
	rl_renewal_take_out(renewal);
}

void rl_renewal_free(rl_renewal *renewal)
{
	if (renewal != NULL) {
		rl_renewal_end(renewal);
		free(renewal);
	}
}

/* Closes the connections on which an answer is overdue. */
static void give_hung_up(rl_renewal *renewal, const rl_tick *tick)
{
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		if (member->state == RL_RENEWAL_FLYING && tick->seen >= member->answer_by) {
			rl_renewer_server_fail(member->server, tick->now);
		}
	}
}

/* One that is due still, for what had arrived was not read yet, comes again in the next step. */
static void plan_ahead(rl_renewal *renewal, int64_t now)
{
	int64_t due = due_time(renewal);
	rl_renewer_heap_set(renewal, due > now ? due : now + 1);
}

/* The releases whose pause is over go out again. */
static void release_again(rl_renewal *renewal, const rl_tick *tick)
{
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		if (is_to_be_asked_again(member) && member->ask_again_at <= tick->now) {
			rl_renewer_server_queue(member);
		}
	}
}

static void look_at_lost(rl_renewal *renewal, const rl_tick *tick)
{
	bool is_over = renewal->give_up_at <= tick->now; /* nothing is left of it anywhere */
	if (renewal->is_late && (is_over || rl_late_is_done(renewal))) {
		rl_late_end(renewal);
		return;
	}
	if (is_over) {
		for (unsigned i = 0; i < renewal->count; i++) {
			rl_renewer_server_leave(&renewal->members[i]);
			renewal->members[i].may_outlive = false;
		}
		renewal->give_up_at = RL_NEVER;
	}
	give_hung_up(renewal, tick);
	release_again(renewal, tick);
	if (renewal->tell_at <= tick->now) {
		tell(renewal, tick->now);
	}
	plan_ahead(renewal, tick->now);
}

/* To be renewed, or so soon that it goes with others. */
static bool is_near(const rl_renewal *renewal, int64_t now)
{
	return renewal->renews && !renewal->is_in_round && !renewal->is_lost &&
		renewal->renew_at - renewal->lease->ttl_ns / EARLY_SHARE <= now;
}

/* Its time has come, or is near enough to go with others. */
static void look(rl_renewal *renewal, const rl_tick *tick)
{
	if (renewal->is_lost) {
		look_at_lost(renewal, tick);
		return;
	}
	if (!rl_lease_is_held(renewal->lease)) {
		on_loss(renewal);
		rl_renewal_plan(renewal);
		return;
	}
	give_hung_up(renewal, tick);
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		if (is_to_be_asked_again(member) && member->ask_again_at <= tick->now) {
			/* While the proof lasts nobody else can have a quorum: whoever has it there gives it up, or ends. */
			member->is_missing = member->is_missing || member->vote == RL_VOTE_REFUSED;
			member->vote = RL_VOTE_OPEN;
			rl_renewer_server_queue(member);
		}
	}
	if (is_near(renewal, tick->now)) { /* it need not be why it was looked at */
		begin_round(renewal, tick->now);
	}
	plan_ahead(renewal, tick->now);
}

static void look_at_due(rl_renewer *renewer, const rl_tick *tick)
{
	bool is_any_due = false;
	while (renewer->heap_count > 0) {
		rl_renewal *first = renewer->heap[0];
		bool is_due = first->due_at <= tick->now;
		if (!is_due && !(is_any_due && is_near(first, tick->now))) {
			return;
		}
		is_any_due = true;
		look(first, tick);
	}
}

/* Closes what nobody has used for longest. */
static void drop_idle_servers(rl_renewer *renewer)
{
	unsigned idle = 0;
	for (rl_renewer_server **slot = &renewer->servers; *slot != NULL;) {
		rl_renewer_server *server = *slot;
		if (server->users == 0 && ++idle > IDLE_SERVERS_MAX) {
			*slot = server->next;
			rl_renewer_server_free(server);
		} else {
			slot = &server->next;
		}
	}
}

void rl_renewer_step(rl_renewer *renewer, const rl_tick *tick)
{
	for (rl_renewer_server *server = renewer->servers; server != NULL; server = server->next) {
		rl_renewer_server_read(server, tick);
	}
	look_at_due(renewer, tick);
	int64_t until = RL_NEVER;
	for (rl_renewer_server *server = renewer->servers; server != NULL; server = server->next) {
		until = rl_time_earlier(until, rl_renewer_server_send(server, renewer, tick));
	}
	drop_idle_servers(renewer);
	renewer->until =
		renewer->heap_count > 0 ? rl_time_earlier(until, renewer->heap[0]->due_at) : until;
}

rl_link *rl_renewer_next_link(const rl_renewer *renewer, rl_renewer_server **server)
{
	rl_renewer_server *next = *server == NULL ? renewer->servers : (*server)->next;
	while (next != NULL && next->conn == NULL) {
		next = next->next;
	}
	*server = next;
	return next == NULL ? NULL : next->conn->link;
}

void rl_renewer_forget(rl_renewer *renewer)
{
	while (renewer->all != NULL || renewer->late != NULL) {
		rl_renewal *renewal = renewer->all != NULL ? renewer->all : renewer->late;
		for (unsigned i = 0; i < renewal->count; i++) {
			renewal->members[i].state = RL_RENEWAL_IDLE;
		}
		rl_renewal_take_out(renewal);
		rl_late_free(renewal);
	}
	while (renewer->servers != NULL) {
		rl_renewer_server *server = renewer->servers;
		renewer->servers = server->next;
		rl_renewer_server_free(server);
	}
	free(renewer->heap);
	rl_renewer_init(renewer, renewer->transport, renewer->env);
}
