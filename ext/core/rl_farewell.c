/* SPDX-License-Identifier: MIT
 *
 * Releasing what is left. The design is in the header.
 */
#include "core/rl_farewell.h"

#include "core/rl_order.h"
#include "core/rl_time.h"

#include <stdlib.h>
#include <string.h>

rl_op *rl_farewell_new(const rl_set *set, rl_pool *pool, const rl_env *env, rl_lease **leases,
	size_t count, int64_t limit_ns)
{
	char *unused;
	rl_farewell *farewell =
		rl_op_alloc(sizeof *farewell, set, pool, env, rl_bytes_of("", 0), 0, &unused);
	rl_farewell_votes *votes = calloc(count, sizeof *votes);
	if (farewell == NULL || votes == NULL) {
		free(farewell);
		free(votes);
		return NULL;
	}
	farewell->op.kind = RL_OP_FAREWELL;
	farewell->leases = leases;
	farewell->count = count;
	farewell->votes = votes;
	farewell->limit_ns = limit_ns;
	return &farewell->op;
}

void rl_farewell_clear(rl_farewell *farewell)
{
	free(farewell->votes);
}

static unsigned members_of(const rl_farewell *farewell)
{
	return farewell->op.exchange.set->count;
}

static rl_target *target_of(const rl_farewell *farewell, unsigned member)
{
	return farewell->op.exchange.set->members[member].target;
}

static bool is_answered(const rl_farewell *farewell, const rl_farewell_seat *seat)
{
	return seat->answered == farewell->count;
}

/* Takes or dials a connection. False when there is none to be had. */
static bool open_conn(rl_farewell *farewell, unsigned member, int64_t now)
{
	const rl_exchange *exchange = &farewell->op.exchange;
	rl_farewell_seat *seat = &farewell->seats[member];
	rl_target *target = target_of(farewell, member);
	rl_error unused;
	seat->conn = rl_pool_take_to_release(exchange->pool, target, true, now);
	if (seat->conn == NULL) {
		seat->conn = rl_conn_dial(
			exchange->pool->transport, target, farewell->end_at, exchange->env, &unused);
	}
	return seat->conn != NULL;
}

/* ---- saying ---- */

static bool is_alone(const rl_farewell *farewell, const rl_farewell_seat *seat, size_t index)
{
	return !farewell->op.exchange.set->wakes || seat->conn->lacks_helpers || seat->are_alone ||
		seat->alone == index + 1;
}

static rl_request request_of(
	const rl_farewell *farewell, const rl_farewell_seat *seat, size_t index)
{
	const rl_lease *lease = farewell->leases[index];
	return (rl_request){.verb = RL_VERB_RELEASE,
		.key = lease->names.key,
		.mark = lease->names.mark,
		.tickets = lease->names.tickets,
		.token = rl_lease_token(lease),
		.reserve_ms = rl_reservation_ms(members_of(farewell), seat->conn->round_trip),
		.is_alone = is_alone(farewell, seat, index),
		.as_text = true};
}

/* The lease at answered + n was answered before it. */
static bool was_heard(const rl_farewell_seat *seat, size_t index)
{
	size_t ahead = index - seat->answered;
	return ahead < 8 * sizeof seat->heard && (seat->heard >> ahead & 1U) != 0;
}

static size_t first_unheard(const rl_farewell_seat *seat, size_t index)
{
	while (was_heard(seat, index)) {
		index++;
	}
	return index;
}

/* Back to the first that has no answer: it and those behind it that have none are said again. */
static void start_again(rl_farewell_seat *seat)
{
	seat->next = seat->answered;
	seat->hearing = seat->answered;
}

/* The next release may be written now: the release of a drawn token cannot meet anything else, so it does not wait for
 * the login (rl_exchange.h). */
static bool may_send(const rl_farewell *farewell, const rl_farewell_seat *seat)
{
	return seat->conn->logins_owed == 0 ||
		rl_token_is_drawn(rl_lease_token(farewell->leases[seat->next]));
}

/* Writes as many as may be under way. False when there is no memory for it. */
static bool send_some(rl_farewell *farewell, rl_farewell_seat *seat)
{
	bool has_memory = true;
	while (has_memory && !seat->must_redo && seat->next < farewell->count &&
		seat->next - seat->answered < RL_FAREWELL_WINDOW && may_send(farewell, seat)) {
		rl_request request = request_of(farewell, seat, seat->next);
		has_memory = rl_conn_send(seat->conn, &request, RL_VERB_RELEASE) != 0;
		seat->next = has_memory ? first_unheard(seat, seat->next + 1) : seat->next;
		seat->in_flight += has_memory;
	}
	seat->conn->transport->flush(seat->conn->link);
	return has_memory;
}

/* Writes the rest for nobody to hear of. */
static void send_rest(rl_farewell *farewell, rl_farewell_seat *seat)
{
	rl_conn *conn = seat->conn;
	while (seat->next < farewell->count && may_send(farewell, seat) &&
		conn->transport->is_connected(conn->link)) {
		rl_request request = request_of(farewell, seat, seat->next);
		if (!rl_conn_send_blind(conn, &request)) {
			break;
		}
		seat->next = first_unheard(seat, seat->next + 1);
	}
	conn->transport->flush(conn->link);
}

/* Nobody will hear whether the server refused the helper keys of what is not answered: behind it the same without them.
 * Not of a caller's token, which said twice could meet somebody else's. */
static void back_up_rest(rl_farewell *farewell, rl_farewell_seat *seat)
{
	rl_conn *conn = seat->conn;
	bool has_room = !conn->has_helpers;
	for (size_t i = seat->answered; i < seat->next && has_room; i++) {
		rl_request request = request_of(farewell, seat, i);
		if (!request.is_alone && !was_heard(seat, i) && rl_token_is_drawn(request.token)) {
			request.is_alone = true;
			has_room = rl_conn_send_blind(conn, &request);
		}
	}
	conn->transport->flush(conn->link);
}

/* ---- hearing ---- */

/* The server does not let the helper keys of a lease be used, and all that was under way with it is answered. One key's
 * refusal is no rule for another's; but there is no time for many of them. */
static void go_without_helpers(rl_farewell_seat *seat)
{
	seat->must_redo = false;
	seat->alone = seat->answered + 1;
	seat->are_alone = seat->refusals > 1;
	rl_conn_note_helpers(
		seat->conn, seat->is_for_every_key ? RL_HELPERS_ALL_REFUSED : RL_HELPERS_REFUSED);
	start_again(seat);
}

static void count_vote(rl_farewell *farewell, const rl_farewell_seat *seat, size_t index,
	rl_vote vote, const rl_error *err)
{
	rl_farewell_votes *votes = &farewell->votes[index];
	unsigned member = (unsigned) (seat - farewell->seats);
	bool is_barred = vote == RL_VOTE_FAILED && rl_error_is_final(err);
	votes->freed = (unsigned char) (votes->freed + (vote == RL_VOTE_GRANTED));
	votes->refused = (unsigned char) (votes->refused + (vote == RL_VOTE_REFUSED));
	votes->failed = (unsigned char) (votes->failed + (vote == RL_VOTE_FAILED));
	votes->barred = (unsigned char) (votes->barred + is_barred);
	if (vote != RL_VOTE_FAILED || is_barred) {
		votes->done = (unsigned short) (votes->done | 1u << member);
	}
	if (is_barred) {
		rl_exchange_note_failure(&farewell->op.exchange, member, err);
	}
}

static void note_vote(
	rl_farewell *farewell, rl_farewell_seat *seat, size_t index, rl_vote vote, const rl_error *err)
{
	/* Said twice: what was ours is gone because the first was heard. */
	bool may_be_heard = index < seat->told && rl_lease_is_held(farewell->leases[index]);
	if (vote == RL_VOTE_REFUSED && may_be_heard) {
		vote = RL_VOTE_GRANTED;
	} else if (vote == RL_VOTE_FAILED && strcmp(err->code, "WRONGTYPE") == 0) {
		vote = RL_VOTE_REFUSED; /* the key is somebody else's */
	}
	count_vote(farewell, seat, index, vote, err);
	seat->heard |= UINT64_C(1) << (index - seat->answered);
	for (; (seat->heard & 1U) != 0; seat->heard >>= 1) {
		seat->answered++;
	}
}

static void on_answer(rl_farewell *farewell, rl_farewell_seat *seat, const rl_reply *reply)
{
	size_t index = seat->hearing;
	rl_request request = request_of(farewell, seat, index);
	rl_answer answer;
	rl_error err;
	rl_bytes secret = rl_lease_token(farewell->leases[index]);
	rl_command_read(&request, reply, &answer, &err, &secret, 1);
	seat->hearing = first_unheard(seat, index + 1);
	if (answer.again == RL_AGAIN_ALONE) {
		seat->must_redo = true;
		seat->refusals++;
		seat->is_for_every_key = answer.is_for_every_key;
	} else if (answer.vote == RL_VOTE_FAILED && rl_error_is_wrong_server(&err) &&
		!seat->has_redone) {
		seat->is_misled = true;
	} else {
		if (answer.vote != RL_VOTE_FAILED && !request.is_alone) {
			rl_conn_note_helpers(seat->conn, RL_HELPERS_ALLOWED);
		}
		note_vote(farewell, seat, index, answer.vote, &err);
	}
}

/* The connection broke. False when there is no other. */
static bool redo(rl_farewell *farewell, unsigned member, int64_t now)
{
	rl_farewell_seat *seat = &farewell->seats[member];
	rl_conn_free(seat->conn);
	seat->conn = NULL;
	seat->in_flight = 0;
	if (seat->is_misled) { /* there is no time to resolve the name: the new connection uses what is known of it */
		rl_pool_distrust(farewell->op.exchange.pool, &target_of(farewell, member)->address, now);
	}
	if (seat->has_redone) {
		return false;
	}
	seat->has_redone = true;
	seat->must_redo = false;
	seat->told = seat->is_misled ? seat->told : seat->next;
	seat->is_misled = false;
	start_again(seat);
	return open_conn(farewell, member, now);
}

/* Reads all that has come. False when the connection is of no use. */
static bool read_conn(rl_farewell *farewell, rl_farewell_seat *seat)
{
	rl_conn_event event;
	do {
		rl_conn_next(seat->conn, &event);
		if (event.type == RL_CONN_REPLY) {
			on_answer(farewell, seat, &event.reply);
			seat->in_flight--;
			if (seat->is_misled) {
				return false;
			}
		} else if (event.type == RL_CONN_DOWN || event.type == RL_CONN_REFUSED) {
			return false;
		}
	} while (event.type != RL_CONN_NONE);
	return true;
}

static void step_seat(rl_farewell *farewell, unsigned member, const rl_tick *tick)
{
	rl_farewell_seat *seat = &farewell->seats[member];
	bool goes_on = !seat->is_over;
	while (goes_on && !is_answered(farewell, seat)) {
		if (seat->must_redo && seat->in_flight == 0) {
			go_without_helpers(seat);
		}
		bool has_memory = send_some(farewell, seat);
		size_t before = seat->in_flight;
		if (!read_conn(farewell, seat)) {
			seat->is_over = !redo(farewell, member, tick->now);
			goes_on = !seat->is_over;
			continue;
		}
		seat->is_over = !has_memory && seat->in_flight == 0;
		goes_on = !seat->is_over && seat->in_flight < before; /* room for more */
	}
	seat->is_over = seat->is_over || is_answered(farewell, seat);
}

/* ---- the whole ---- */

static void begin(rl_farewell *farewell, int64_t now)
{
	const rl_exchange *exchange = &farewell->op.exchange;
	unsigned count = members_of(farewell);
	farewell->op.is_begun = true;
	farewell->end_at = rl_time_later(now, farewell->limit_ns);
	for (unsigned i = 0; i < count; i++) {
		bool is_spared = count > 1 &&
			!rl_pool_is_worth_asking(exchange->pool, target_of(farewell, i), true, now);
		farewell->seats[i].is_over = is_spared || !open_conn(farewell, i, now);
	}
}

/* What the votes make of one lease. A member that will not answer any more has failed. */
static rl_vote outcome_of(const rl_farewell *farewell, size_t index)
{
	const rl_farewell_votes *votes = &farewell->votes[index];
	rl_tally tally = {.members = members_of(farewell),
		.granted = votes->freed,
		.refused = votes->refused,
		.failed = votes->failed};
	for (unsigned i = 0; i < tally.members; i++) {
		const rl_farewell_seat *seat = &farewell->seats[i];
		bool has_answered = index < seat->answered || was_heard(seat, index);
		tally.failed += seat->is_over && !has_answered;
	}
	return rl_tally_outcome(&tally);
}

static void judge(rl_farewell *farewell)
{
	rl_stats *stats = farewell->op.exchange.env->stats;
	for (size_t i = 0; i < farewell->count; i++) {
		rl_lease *lease = farewell->leases[i];
		switch (outcome_of(farewell, i)) {
			case RL_VOTE_GRANTED:
				rl_lease_end(lease);
				rl_stats_add(&stats->released, 1);
				break;
			case RL_VOTE_REFUSED:
				rl_lease_lose(lease);
				rl_stats_add(&stats->not_released, 1);
				break;
			case RL_VOTE_OPEN: /* the time is over */
			case RL_VOTE_FAILED:
				rl_stats_add(&stats->failed, 1);
				break;
		}
	}
}

unsigned rl_farewell_missing(const rl_farewell *farewell, size_t index)
{
	rl_vote outcome = outcome_of(farewell, index);
	bool is_decided = outcome == RL_VOTE_GRANTED || outcome == RL_VOTE_REFUSED;
	return is_decided ? 0 : ((1u << members_of(farewell)) - 1) & ~farewell->votes[index].done;
}

bool rl_farewell_is_barred(rl_farewell *farewell, size_t index)
{
	unsigned members = members_of(farewell);
	if (farewell->votes[index].barred <= members - rl_quorum(members)) {
		return false;
	}
	rl_op_fail(&farewell->op, "");
	return true;
}

static bool has_own_token(const rl_farewell *farewell)
{
	bool has_any = false;
	for (size_t i = 0; i < farewell->count; i++) {
		has_any = has_any || farewell->leases[i]->is_own_token;
	}
	return has_any;
}

static void part_with(rl_farewell *farewell, unsigned member, int64_t now)
{
	const rl_exchange *exchange = &farewell->op.exchange;
	rl_farewell_seat *seat = &farewell->seats[member];
	rl_pool *pool = exchange->pool;
	rl_conn *conn = seat->conn;
	seat->conn = NULL;
	if (conn == NULL) {
		return;
	}
	rl_conn_forget(conn);
	/* Not yet connected it is said later; too late for a token that others may have, too. */
	bool is_late = !conn->transport->is_connected(conn->link) && has_own_token(farewell);
	bool is_said = seat->next == farewell->count && !seat->must_redo && !is_late;
	if (is_answered(farewell, seat) && rl_conn_is_reusable(conn)) {
		rl_pool_give(pool, conn, now);
	} else if (members_of(farewell) > 1 && is_said && rl_conn_is_worth_keeping(conn)) {
		rl_pool_give_unheard(pool, conn, exchange->set->members[member].timeout_ns, now);
	} else if (conn->transport->is_connected(conn->link)) {
		rl_pool_let_linger(pool, conn, now);
	} else {
		rl_conn_free(conn);
	}
}

static bool finish(rl_farewell *farewell, int64_t now)
{
	unsigned answered = 0;
	for (unsigned i = 0; i < members_of(farewell); i++) {
		rl_farewell_seat *seat = &farewell->seats[i];
		answered += is_answered(farewell, seat);
		if (seat->conn != NULL) {
			send_rest(farewell, seat);
			back_up_rest(farewell, seat);
		}
		part_with(farewell, i, now);
	}
	farewell->op.status = answered >= rl_quorum(members_of(farewell)) ? RL_OK : RL_ERR_TIMEOUT;
	judge(farewell);
	return true;
}

/* No answer that is still to come can change what becomes of a lease. */
static bool is_decided(const rl_farewell *farewell)
{
	for (size_t i = 0; i < farewell->count; i++) {
		if (outcome_of(farewell, i) == RL_VOTE_OPEN) {
			return false;
		}
	}
	return true;
}

bool rl_farewell_step(rl_farewell *farewell, const rl_tick *tick, rl_wait *wait)
{
	unsigned count = members_of(farewell);
	unsigned char order[RL_MEMBERS_MAX];
	if (!farewell->op.is_begun) {
		begin(farewell, tick->now);
	}
	/* The first in order is told last: see rl_order.h. */
	rl_order(farewell->op.exchange.set, farewell->leases[0]->names.key, order);
	for (unsigned i = 0; i < count; i++) {
		step_seat(farewell, order[(i + 1) % count], tick);
	}
	if (is_decided(farewell) || tick->seen >= farewell->end_at) {
		return finish(farewell, tick->now);
	}
	for (unsigned i = 0; i < count; i++) {
		if (!farewell->seats[i].is_over) {
			rl_wait_for(wait, farewell->seats[i].conn->link, farewell->end_at);
		}
	}
	return false;
}

void rl_farewell_abandon(rl_farewell *farewell, int64_t now, bool is_forked)
{
	bool has_any = false;
	for (unsigned i = 0; i < members_of(farewell); i++) {
		if (is_forked) { /* it is the parent's */
			rl_conn_free(farewell->seats[i].conn);
			farewell->seats[i].conn = NULL;
		}
		has_any = has_any || farewell->seats[i].conn != NULL;
	}
	if (has_any) {
		finish(farewell, now);
	}
}
