/* SPDX-License-Identifier: MIT
 *
 * The errands of the renewer. rl_renewer.c says why something is sent.
 *
 *     rl_renewer_errands
 *     |- sets       rl_renewer_set -> ...      copies of the sets of the leases, with routes
 *     |- pool       idle connections, and servers that are backed off
 *     |- lines      rl_line -> rl_line         the connections with commands under way
 *     |- waiting    member -> member           to be sent in the next step
 *     `- under_way  rl_renewer_errand -> ...   for each command under way an errand, with terms
 *
 * A member of a lease has at most one errand, which is made when its command is sent, and freed
 * when it has ended. The errand does what every errand does (rl_errand.c): it dials, follows
 * redirects and Sentinels, and sends its command again within its budget. The errands share their
 * connections on lines, so that all renewals that are due go out in one write to each server.
 *
 * Sets, targets and routes of a lease belong to its thread. So the renewer has copies, and leases
 * whose sets are equal share one. When a lease begins, the renewer's routes learn which node has
 * granted it.
 *
 * An errand goes on when something has arrived on its line, when the lookup of its route has ended,
 * or when its time has come (step_at). A connection that is not used any more goes into the pool of
 * the renewer at the end of a step.
 *
 * Ownership: the errands under way, the sets, the pool and the lines are owned; members are
 * borrowed. A set keeps its targets and routes as long as a member uses it.
 *
 * Between two calls:
 * - A member is in the list of waiting members while it is WAITING, it has an errand while it is
 *   ASKED, and otherwise neither.
 * - No errand that is under way is DONE.
 */
#include "core/lease/rl_renewer_errands.h"

#include "core/base/rl_time.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The pause before a command is tried again that could not be queued. */
#define MEMORY_PAUSE_NS (10 * RL_NS_PER_MS)

/* How many sets without leases are kept. */
#define IDLE_SETS_MAX 8

static unsigned slot_of(const rl_renewal_member *member)
{
	return member->renewal->lease->names.slot;
}

void rl_renewer_errands_init(
	rl_renewer_errands *errands, rl_transport *transport, const rl_env *env)
{
	*errands =
		(rl_renewer_errands){.transport = transport, .env = env, .lines = {.are_lasting = true}};
	errands->waiting_end = &errands->waiting;
	rl_pool_init(&errands->pool, transport, env);
}

/* ---- sets ---- */

static bool is_same_member(const rl_member *a, const rl_member *b)
{
	return rl_member_equal(a, b) && a->timeout_ns == b->timeout_ns &&
		a->connect_timeout_ns == b->connect_timeout_ns;
}

static bool is_same_set(const rl_set *a, const rl_set *b)
{
	if (a->number != 0 && a->number == b->number) {
		return true;
	}
	bool is_same = a->count == b->count && a->drift_factor == b->drift_factor &&
		memcmp(&a->backoff, &b->backoff, sizeof a->backoff) == 0;
	for (unsigned i = 0; is_same && i < a->count; i++) {
		is_same = is_same_member(&a->members[i], &b->members[i]);
	}
	return is_same;
}

static void free_set(rl_renewer_set *copy)
{
	for (unsigned i = 0; i < copy->set.count; i++) {
		rl_target_unref(copy->set.members[i].target);
		rl_route_unref(copy->set.members[i].route);
	}
	free(copy);
}

/* False when out of memory. */
static bool copy_member(rl_member *copy, const rl_member *member, unsigned slot)
{
	*copy = (rl_member){.target = rl_target_copy(member->target),
		.route = member->route != NULL ? rl_route_copy(member->route, slot) : NULL,
		.timeout_ns = member->timeout_ns,
		.connect_timeout_ns = member->connect_timeout_ns};
	return copy->target != NULL && (copy->route != NULL) == (member->route != NULL);
}

/* NULL when out of memory. */
static rl_renewer_set *copy_set(const rl_set *set, unsigned slot)
{
	rl_renewer_set *copy = malloc(sizeof *copy);
	if (copy == NULL) {
		return NULL;
	}
	*copy = (rl_renewer_set){.set = *set};
	copy->set.wakes = true; /* each lease says whether it uses the helper keys */
	copy->set.count = 0;
	while (copy->set.count < set->count) {
		unsigned i = copy->set.count++;
		if (!copy_member(&copy->set.members[i], &set->members[i], slot)) {
			free_set(copy);
			return NULL;
		}
	}
	return copy;
}

/* NULL when out of memory. */
static rl_renewer_set *find_set(rl_renewer_errands *errands, const rl_set *set, unsigned slot)
{
	rl_renewer_set **place = &errands->sets;
	while (*place != NULL && !is_same_set(&(*place)->set, set)) {
		place = &(*place)->next;
	}
	rl_renewer_set *found = *place;
	if (found != NULL) {
		*place = found->next;
	} else {
		found = copy_set(set, slot);
	}
	if (found != NULL) {
		found->set.number = set->number;
		found->next = errands->sets;
		errands->sets = found;
	}
	return found;
}

/* Forgets the sets without a lease for which no lease has asked for longest. */
static void drop_idle_sets(rl_renewer_errands *errands)
{
	unsigned idle = 0;
	for (rl_renewer_set **slot = &errands->sets; *slot != NULL;) {
		rl_renewer_set *set = *slot;
		if (set->members == 0 && ++idle > IDLE_SETS_MAX) {
			*slot = set->next;
			free_set(set);
		} else {
			slot = &set->next;
		}
	}
}

/* ---- the members of a lease ---- */

bool rl_renewer_errands_assign(rl_renewer_errands *errands, rl_renewal *renewal, const rl_set *set)
{
	rl_renewer_set *found = find_set(errands, set, renewal->lease->names.slot);
	if (found == NULL) {
		return false;
	}
	found->members += set->count;
	for (unsigned i = 0; i < set->count; i++) {
		renewal->members[i] = (rl_renewal_member){.renewal = renewal,
			.errands = errands,
			.set = found,
			.server = &found->set.members[i],
			.no_helpers = !set->wakes};
	}
	return true;
}

void rl_renewer_errands_learn(rl_renewal *renewal, const rl_set *set)
{
	for (unsigned i = 0; i < renewal->count && i < set->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		const rl_route *from = set->members[i].route;
		if (member->server->route != NULL && from != NULL) {
			rl_route_learn(member->server->route, from, slot_of(member));
		}
	}
}

void rl_renewer_errands_unassign(rl_renewal_member *member)
{
	rl_renewer_errands_leave(member);
	member->set->members--;
	rl_target_unref(member->node);
	member->node = NULL;
}

void rl_renewer_errands_trust(rl_renewal_member *member)
{
	const rl_target *node = rl_member_node(member->server, slot_of(member));
	if (node != NULL) {
		rl_pool_note_answer(&member->errands->pool, node);
	}
}

/* ---- what a member sends ---- */

void rl_renewer_errands_queue(rl_renewal_member *member)
{
	rl_renewer_errands *errands = member->errands;
	member->state = RL_RENEWAL_MEMBER_WAITING;
	member->next = NULL;
	member->link = errands->waiting_end;
	*errands->waiting_end = member;
	errands->waiting_end = &member->next;
}

static void unlink_waiting(rl_renewal_member *member)
{
	*member->link = member->next;
	if (member->next != NULL) {
		member->next->link = member->link;
	} else {
		member->errands->waiting_end = member->link;
	}
}

/* The member has no errand any more, and its connection stays on its line. */
static void free_errand(rl_renewal_member *member)
{
	rl_renewer_errand *one = member->under_way;
	rl_renewer_errands *errands = member->errands;
	rl_giving giving = {
		.is_trusted = !one->errand.must_close, .may_send_later = true, .must_arrive = true};
	rl_channel_give_back(&one->errand.channel, &errands->pool, giving, 0);
	errands->called = errands->called == one ? one->next : errands->called;
	*one->link = one->next;
	if (one->next != NULL) {
		one->next->link = one->link;
	}
	rl_errand_clear(&one->errand);
	free(one);
	member->under_way = NULL;
	member->state = RL_RENEWAL_MEMBER_IDLE;
}

/* The command was sent, and its server may still carry it out. */
static bool was_sent(const rl_errand *errand)
{
	return errand->channel.sent_at != 0;
}

void rl_renewer_errands_leave(rl_renewal_member *member)
{
	switch (member->state) {
		case RL_RENEWAL_MEMBER_IDLE:
			break;
		case RL_RENEWAL_MEMBER_WAITING:
			unlink_waiting(member);
			break;
		case RL_RENEWAL_MEMBER_ASKED:
			member->has_lost_set = member->has_lost_set ||
				(rl_renewal_is_putting(member) && was_sent(&member->under_way->errand));
			free_errand(member);
			break;
	}
	member->state = RL_RENEWAL_MEMBER_IDLE;
}

/* The command of the errand is on its connection, or was answered there. */
static bool is_on_its_way(const rl_errand *errand)
{
	return rl_channel_is_open(&errand->channel) && errand->channel.command_end != 0;
}

void rl_renewer_errands_withdraw(rl_renewal_member *member)
{
	if (member->state == RL_RENEWAL_MEMBER_ASKED && is_on_its_way(&member->under_way->errand)) {
		member->under_way->terms.is_withdrawn = true;
	} else {
		rl_renewer_errands_leave(member);
	}
}

bool rl_renewer_errands_release_behind(rl_renewal_member *member)
{
	rl_renewer_errands *errands = member->errands;
	const rl_errand *errand = member->under_way != NULL ? &member->under_way->errand : NULL;
	const rl_target *node = errand != NULL ? errand->node : member->node;
	int64_t now = errands->env->now(errands->env->ctx);
	rl_request request = rl_renewal_request(member, RL_SEND_RELEASE);
	request.is_asking = errand != NULL && errand->sent.is_asking;
	rl_conn *conn = errand != NULL ? errand->channel.conn : NULL;
	conn = conn == NULL && node != NULL ? rl_lines_conn(&errands->lines, node) : conn;
	if (conn != NULL) { /* the release of a drawn token may travel with the login */
		return conn->life == RL_CONN_LIFE_WELL && rl_conn_undo(conn, &request);
	}
	rl_channel alone = {.conn = node != NULL
			? rl_pool_take(&errands->pool, node, RL_WANT_RELEASE_CHECKED, now)
			: NULL};
	bool is_written = alone.conn != NULL && rl_conn_undo(alone.conn, &request);
	rl_channel_give_back(
		&alone, &errands->pool, (rl_giving){.is_trusted = true, .must_arrive = true}, now);
	return is_written;
}

/* ---- what an errand has brought ---- */

/* When a failed command may be sent again: when its server may be dialled, and at once if the
 * server had the command and did not answer. 0 = after the pause that follows an error. */
static int64_t again_at(const rl_renewer_errand *one, int64_t now)
{
	rl_status status = one->err.status;
	const rl_target *node = one->errand.node;
	int64_t redial_at = node != NULL ? rl_pool_redial_at(&one->member->errands->pool, node) : 0;
	if (status == RL_ERR_MEMORY) {
		return now + MEMORY_PAUSE_NS;
	}
	if (redial_at > now) {
		return redial_at;
	}
	return status == RL_ERR_TIMEOUT || status == RL_ERR_CLOSED ? now : 0;
}

/* The release has freed nothing. After a lost answer the errand takes that for a success, because
 * the first copy may have freed the lock; but a SET that is in doubt may still come. */
static bool has_freed_nothing(const rl_errand *errand)
{
	return errand->sent.verb == RL_VERB_RELEASE && errand->vote == RL_VOTE_GRANTED &&
		errand->answer.number == 0;
}

/* True when the command must not be sent again: the server would give the same answer, or it is
 * a command that must be sent only once, and the server may have received it. */
static bool must_not_be_repeated(const rl_renewer_errand *one)
{
	bool is_spent = one->terms.is_once && one->errand.doubt == RL_DOUBT_UNKNOWN;
	return rl_error_is_final(&one->err) || is_spent;
}

/* Notes the outcome of an errand that has ended. */
static void note_outcome(rl_renewer_errand *one, int64_t now)
{
	rl_renewal_member *member = one->member;
	const rl_errand *errand = &one->errand;
	/* An answer that the Sentinels do not confirm may be that of an old primary. */
	bool is_failure = errand->vote == RL_VOTE_FAILED || errand->is_unchecked;
	bool is_of_another_type = is_failure && strcmp(one->err.code, "WRONGTYPE") == 0;
	bool is_taken_over = is_of_another_type || rl_answer_is_taken_over(&errand->answer);
	rl_pool *pool = &member->errands->pool;
	if (!is_failure && errand->node != NULL) {
		rl_pool_note_answer(pool, errand->node);
	}
	/* A server that is full closes the connection after its error. */
	if (is_failure && rl_error_is_full(&one->err) && rl_channel_is_open(&one->errand.channel) &&
		rl_channel_blame(&one->errand.channel, &one->err)) {
		rl_pool_note_failure(pool, errand->node, now);
	}
	member->told = is_failure ? RL_VOTE_FAILED : errand->vote;
	if (is_of_another_type || (!is_failure && has_freed_nothing(errand))) {
		member->told = RL_VOTE_REFUSED;
	}
	member->refusal = is_taken_over ? RL_LOSS_TAKEN_OVER : RL_LOSS_DELETED;
	member->told_number = errand->answer.number;
	member->is_final = is_failure && must_not_be_repeated(one);
	member->again_at = is_failure ? again_at(one, now) : 0;
	rl_target *before = member->node;
	member->node = errand->node != NULL ? rl_target_ref(errand->node) : NULL;
	rl_target_unref(before);
}

/* Call after each step of the errand. */
static void note_step(rl_renewer_errand *one, const rl_tick *tick)
{
	rl_renewal_member *member = one->member;
	const rl_errand *errand = &one->errand;
	bool is_set = member->sent == RL_SEND_PUT_BACK;
	member->no_helpers = member->no_helpers || errand->sent.no_helpers;
	member->sent_at = errand->channel.sent_at;
	if (!rl_renewal_is_release(member->sent) && was_sent(errand)) {
		member->asked_ttl = errand->sent.ttl_ms * RL_NS_PER_MS;
		member->needs_release = true;
	}
	member->has_lost_set = member->has_lost_set || (is_set && errand->doubt != RL_DOUBT_NONE);
	if (member->wanted == RL_SEND_RELEASE_BOTH && errand->doubt != RL_DOUBT_NONE) {
		member->wanted = RL_SEND_RELEASE; /* by now another holder may have the other token */
	}
	if (errand->state == RL_ERRAND_DONE) {
		note_outcome(one, tick->now);
		free_errand(member);
		return;
	}
	rl_wait wait;
	rl_wait_begin(&wait);
	rl_errand_add_to_wait(errand, &wait);
	member->step_at = wait.until;
}

static void step(rl_renewer_errand *one, const rl_tick *tick)
{
	rl_errand_step(&one->errand, tick);
	note_step(one, tick);
}

void rl_renewer_errands_step(rl_renewal_member *member, const rl_tick *tick)
{
	step(member->under_way, tick);
}

/* ---- sending ---- */

static void put_first(rl_renewer_errands *errands, rl_renewer_errand *one)
{
	one->next = errands->under_way;
	one->link = &errands->under_way;
	if (one->next != NULL) {
		one->next->link = &one->next;
	}
	errands->under_way = one;
}

/* The command cannot be sent now, and is sent again later. */
static void fail_unsent(rl_renewal_member *member, int64_t again_at)
{
	member->told = RL_VOTE_FAILED;
	member->is_final = false;
	member->again_at = again_at;
}

/* The lease may be held no longer, so nothing can be prolonged. */
static bool is_past_hold(const rl_renewal_member *member, int64_t now)
{
	return !rl_renewal_is_release(member->wanted) &&
		rl_renewal_ttl(member->renewal, now) < RL_NS_PER_MS;
}

/* The server of the member is backed off until then; 0 = it can be asked. */
static int64_t backed_off_until(const rl_renewal_member *member, int64_t now)
{
	rl_renewer_errands *errands = member->errands;
	rl_target *node = rl_member_node(member->server, slot_of(member));
	if (node == NULL || rl_lines_conn(&errands->lines, node) != NULL ||
		rl_pool_is_worth_asking(&errands->pool, node, RL_WANT_ANY, now)) {
		return 0;
	}
	return rl_pool_redial_at(&errands->pool, node);
}

/* The owner may have changed the TTL since the errand began, and time has passed that maxHold does
 * not give back. */
static bool refresh_ttl(rl_errand_terms *terms, int64_t now)
{
	const rl_renewer_errand *one = (const rl_renewer_errand *) (const void *) ((char *) terms -
		offsetof(rl_renewer_errand, terms));
	terms->request.ttl_ms = rl_renewal_ttl(one->member->renewal, now) / RL_NS_PER_MS;
	return terms->request.ttl_ms > 0;
}

static void begin(rl_renewer_errand *one, rl_renewal_member *member, int64_t now)
{
	rl_renewer_errands *errands = member->errands;
	rl_renewal *renewal = member->renewal;
	bool is_release = rl_renewal_is_release(member->wanted);
	one->member = member;
	one->errand = (rl_errand){.terms = &one->terms, .server = member->server, .err = &one->err};
	one->terms = (rl_errand_terms){.set = &member->set->set,
		.pool = &errands->pool,
		.env = errands->env,
		.request = rl_renewal_request(member, member->wanted),
		.was_held = true,
		.waits_for_login = !is_release,
		.is_once = is_release && renewal->lease->is_own_token,
		.patience = rl_renewal_patience(renewal, RL_NEVER, now),
		.refresh = is_release ? NULL : refresh_ttl,
		.other = member->wanted == RL_SEND_RELEASE_BOTH ? renewal->other : rl_bytes_of(NULL, 0),
		.lines = &errands->lines,
		.begun_at = now,
		.call_up_at = now};
	/* The message, which is long, need not be cleared for each renewal. */
	one->err.status = RL_OK;
	one->err.code[0] = one->err.message[0] = '\0';
	member->under_way = one;
	member->state = RL_RENEWAL_MEMBER_ASKED;
	put_first(errands, one);
	rl_errand_begin(&one->errand, now, RL_NEVER);
	rl_errand_call_up(&one->errand);
}

rl_renewal_member *rl_renewer_errands_send(rl_renewer_errands *errands, const rl_tick *tick)
{
	rl_renewal_member *member = errands->waiting;
	if (member == NULL) {
		return NULL;
	}
	rl_renewer_errands_leave(member);
	member->sent = member->wanted;
	if (is_past_hold(member, tick->now)) {
		fail_unsent(member, 0);
		return member;
	}
	int64_t until = backed_off_until(member, tick->now);
	rl_renewer_errand *one = until == 0 ? malloc(sizeof *one) : NULL;
	if (one == NULL) {
		fail_unsent(member, until != 0 ? until : tick->now + MEMORY_PAUSE_NS);
		return member;
	}
	begin(one, member, tick->now);
	step(one, tick);
	return member;
}

/* ---- lookups ---- */

/* The open lookup of the member of a set; NULL = there is none. */
static rl_lookup *open_lookup(const rl_member *member)
{
	rl_lookup *lookup = member->route != NULL ? rl_lookup_known(member->route) : NULL;
	return lookup != NULL && rl_lookup_is_open(lookup) ? lookup : NULL;
}

/* Steps an open lookup. All errands look at a lookup that has ended, whoever has stepped it. */
static void step_lookup(
	rl_renewer_errands *errands, rl_renewer_set *set, unsigned i, const rl_tick *tick)
{
	const rl_member *member = &set->set.members[i];
	rl_lookup *lookup = member->route != NULL ? rl_lookup_known(member->route) : NULL;
	if (lookup == NULL || rl_lookup_step(lookup, tick) == RL_VOTE_OPEN ||
		lookup->ended_at == set->looked_at[i]) {
		return;
	}
	set->looked_at[i] = lookup->ended_at;
	errands->called = errands->under_way;
}

static void step_lookups(rl_renewer_errands *errands, const rl_tick *tick)
{
	for (rl_renewer_set *set = errands->sets; set != NULL; set = set->next) {
		for (unsigned i = 0; i < set->set.count; i++) {
			step_lookup(errands, set, i, tick);
		}
	}
}

/* ---- reading ---- */

static rl_renewer_errand *errand_of(rl_channel *channel)
{
	return (rl_renewer_errand *) (void *) ((char *) channel - offsetof(rl_renewer_errand, errand) -
		offsetof(rl_errand, channel));
}

rl_renewal_member *rl_renewer_errands_read(rl_renewer_errands *errands, const rl_tick *tick)
{
	rl_channel *channel = rl_lines_next(&errands->lines);
	if (channel == NULL && errands->called == NULL) {
		step_lookups(errands, tick);
	}
	rl_renewer_errand *one = channel != NULL ? errand_of(channel) : errands->called;
	if (one == NULL) {
		return NULL;
	}
	errands->called = channel == NULL ? one->next : errands->called;
	rl_renewal_member *member = one->member;
	step(one, tick);
	return member;
}

/* ---- the end of a step ---- */

/* When an open lookup must be stepped, also if nothing arrives. */
static int64_t lookups_until(const rl_renewer_errands *errands)
{
	rl_wait wait;
	int64_t until = RL_NEVER;
	for (const rl_renewer_set *set = errands->sets; set != NULL; set = set->next) {
		for (unsigned i = 0; i < set->set.count; i++) {
			const rl_lookup *lookup = open_lookup(&set->set.members[i]);
			rl_wait_begin(&wait);
			if (lookup != NULL) {
				rl_lookup_add_to_wait(lookup, &wait);
				until = rl_time_earlier(until, wait.until);
			}
		}
	}
	return until;
}

int64_t rl_renewer_errands_flush(rl_renewer_errands *errands, int64_t now)
{
	rl_lines_flush(&errands->lines);
	rl_lines_give_idle(&errands->lines, &errands->pool, now);
	rl_pool_lingers(&errands->pool, now); /* closes what has been read to the end */
	drop_idle_sets(errands);
	return errands->waiting != NULL ? 0 : lookups_until(errands);
}

/* ---- the links ---- */

/* The next link of an open lookup. */
static rl_link *next_of_lookups(const rl_renewer_errands *errands, rl_renewer_cursor *cursor)
{
	if (cursor->set == NULL) {
		cursor->set = errands->sets;
	}
	while (cursor->set != NULL) {
		rl_wait wait;
		rl_wait_begin(&wait);
		const rl_lookup *lookup = cursor->member < cursor->set->set.count
			? open_lookup(&cursor->set->set.members[cursor->member])
			: NULL;
		if (lookup != NULL) {
			rl_lookup_add_to_wait(lookup, &wait);
		}
		if (cursor->at < wait.count) {
			return wait.links[cursor->at++];
		}
		cursor->at = 0;
		if (++cursor->member >= cursor->set->set.count) {
			cursor->member = 0;
			cursor->set = cursor->set->next;
		}
	}
	return NULL;
}

rl_link *rl_renewer_errands_next_link(const rl_renewer_errands *errands, rl_renewer_cursor *cursor)
{
	if (cursor->is_past_lines) {
		return next_of_lookups(errands, cursor);
	}
	rl_link *link = rl_lines_next_link(&errands->lines, &cursor->line);
	cursor->is_past_lines = link == NULL;
	return link != NULL ? link : next_of_lookups(errands, cursor);
}

/* ---- the end ---- */

void rl_renewer_errands_free(rl_renewer_errands *errands)
{
	rl_lines_drop(&errands->lines);
	while (errands->sets != NULL) {
		rl_renewer_set *set = errands->sets;
		errands->sets = set->next;
		free_set(set);
	}
	rl_pool_clear(&errands->pool);
}
