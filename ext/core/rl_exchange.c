/* SPDX-License-Identifier: MIT
 *
 * The exchange over all members: stepping the seats, counting their votes, settling. Its design is in the
 * header, a seat's life in rl_seat.c.
 */
#include "core/rl_exchange.h"

#include "core/rl_seat.h"
#include "core/rl_time.h"

#include <string.h>

void rl_exchange_begin(rl_exchange *exchange, int64_t now, int64_t latest)
{
	for (unsigned i = 0; i < exchange->set->count; i++) {
		rl_seat_begin(exchange, i, now, latest);
	}
}

static void add_to_wait(const rl_seat *seat, rl_wait *wait)
{
	if (seat->state == RL_SEAT_PAUSED) {
		rl_wait_until(wait, seat->resume_at);
	} else if (seat->state != RL_SEAT_DONE) {
		rl_wait_for(wait, seat->conn->link,
			rl_seat_is_connected(seat) ? seat->budget_end : seat->connect_end);
	}
}

rl_vote rl_exchange_step(rl_exchange *exchange, const rl_tick *tick, rl_wait *wait)
{
	rl_tally tally = {0};
	for (unsigned i = 0; i < exchange->set->count; i++) {
		rl_seat_step(exchange, i, tick);
		rl_tally_add(&tally, exchange->seats[i].vote);
	}
	rl_vote outcome = rl_tally_outcome(&tally);
	for (unsigned i = 0; outcome == RL_VOTE_OPEN && i < exchange->set->count; i++) {
		add_to_wait(&exchange->seats[i], wait);
	}
	return outcome;
}

/* True when the server's error says that it would not run an undo either. */
static bool refuses_scripts(const rl_seat *seat)
{
	return seat->vote == RL_VOTE_FAILED && seat->err.status == RL_ERR_SERVER &&
		(rl_error_passes(&seat->err) || strcmp(seat->err.code, "NOPERM") == 0 ||
			strcmp(seat->err.code, "NOAUTH") == 0);
}

/* True when the member holds the token, or may, and we may take it back. */
static bool may_undo(const rl_exchange *exchange, const rl_seat *seat, rl_undo undo)
{
	if (undo == RL_UNDO_NOTHING || !rl_verb_takes(exchange->request.verb) ||
		seat->state == RL_SEAT_UNDO) {
		return false;
	}
	if (seat->vote == RL_VOTE_GRANTED) {
		return true;
	}
	if (undo == RL_UNDO_BUT_REFUSALS && refuses_scripts(seat)) {
		return false; /* the next try finds out */
	}
	bool is_unanswered = seat->state == RL_SEAT_ANSWER && rl_seat_is_handed_over(seat);
	return !exchange->is_own_token && (seat->is_in_doubt || is_unanswered);
}

static rl_undone write_undo(rl_exchange *exchange, rl_seat *seat)
{
	rl_request request = exchange->request;
	request.is_alone = request.is_alone || !exchange->set->wakes;
	rl_undone undone = seat->conn != NULL ? rl_conn_undo(seat->conn, &request) : RL_UNDONE_NOT;
	rl_stats_add(&exchange->env->stats->undone, undone != RL_UNDONE_NOT);
	return undone;
}

/* A caller's own token is undone only if it was granted: what has arrived may say so. */
static void hear_last_word(const rl_exchange *exchange, rl_seat *seat)
{
	rl_conn_event event;
	if (seat->conn == NULL || seat->state != RL_SEAT_ANSWER) {
		return;
	}
	seat->conn->transport->take_in(seat->conn->link);
	do {
		rl_conn_next(seat->conn, &event);
	} while (event.type == RL_CONN_READY || event.type == RL_CONN_REFUSED);
	if (event.type == RL_CONN_REPLY) {
		rl_request request = exchange->request;
		request.verb = (rl_verb) event.tag;
		rl_answer answer;
		rl_error unused;
		rl_command_read(&request, &event.reply, &answer, &unused, NULL, 0);
		if (answer.vote != RL_VOTE_FAILED) {
			rl_seat_finish(seat, answer.vote);
		}
	}
}

static void settle_seat(
	rl_exchange *exchange, rl_seat *seat, rl_undo undo, rl_settlement *settlement, int64_t now)
{
	if (undo != RL_UNDO_NOTHING && exchange->is_own_token) {
		hear_last_word(exchange, seat);
	}
	bool is_doubtful = seat->is_in_doubt ||
		(seat->state == RL_SEAT_ANSWER && rl_seat_is_handed_over(seat)) ||
		(undo != RL_UNDO_NOTHING && seat->vote == RL_VOTE_GRANTED);
	rl_undone undone = may_undo(exchange, seat, undo) ? write_undo(exchange, seat) : RL_UNDONE_NOT;
	if (undone != RL_UNDONE_NOT && !refuses_scripts(seat)) {
		settlement->was_undone = true;
		is_doubtful = undone == RL_UNDONE_MAYBE;
	}
	settlement->is_in_doubt = settlement->is_in_doubt || is_doubtful;
	rl_conn *conn = seat->conn;
	seat->conn = NULL;
	seat->state = RL_SEAT_DONE;
	if (conn == NULL) {
		return;
	}
	rl_conn_forget(conn);
	/* Counts off what has arrived; a reply that nobody asked for shows here, not in the next command. */
	rl_conn_event event;
	rl_conn_next(conn, &event);
	if (!seat->must_close && rl_conn_is_reusable(conn)) {
		rl_pool_give(exchange->pool, conn, now);
	} else if (undone != RL_UNDONE_NOT && seat->err.status != RL_ERR_PROTOCOL) {
		rl_pool_let_linger(exchange->pool, conn, now);
	} else {
		rl_conn_free(conn);
	}
}

rl_settlement rl_exchange_settle(rl_exchange *exchange, rl_undo undo, int64_t now)
{
	rl_settlement settlement = {0};
	for (unsigned i = 0; i < exchange->set->count; i++) {
		settle_seat(exchange, &exchange->seats[i], undo, &settlement, now);
	}
	return settlement;
}

void rl_exchange_note_grant(rl_exchange *exchange, unsigned member)
{
	exchange->seats[member].vote = RL_VOTE_GRANTED;
}

void rl_exchange_note_failure(rl_exchange *exchange, unsigned member, const rl_error *err)
{
	exchange->seats[member].vote = RL_VOTE_FAILED;
	exchange->seats[member].err = *err;
}

void rl_exchange_hold(rl_exchange *exchange, bool is_owed, int64_t now)
{
	exchange->request.verb =
		RL_VERB_TRY; /* whatever was said last: what it may have to undo is a grant */
	for (unsigned i = 0; i < exchange->set->count; i++) {
		rl_seat *seat = &exchange->seats[i];
		seat->is_in_doubt = seat->is_in_doubt || is_owed;
		if (seat->conn == NULL && (seat->vote == RL_VOTE_GRANTED || seat->is_in_doubt)) {
			seat->conn = rl_pool_take(exchange->pool, exchange->set->members[i].target, true, now);
		}
	}
}

void rl_exchange_drop(rl_exchange *exchange)
{
	for (unsigned i = 0; i < exchange->set->count; i++) {
		rl_seat_drop(&exchange->seats[i]);
		exchange->seats[i].state = RL_SEAT_DONE;
	}
}

int64_t rl_exchange_sent_at(const rl_exchange *exchange)
{
	int64_t earliest = RL_NEVER;
	for (unsigned i = 0; i < exchange->set->count; i++) {
		if (exchange->seats[i].vote == RL_VOTE_GRANTED) {
			earliest = rl_time_earlier(earliest, exchange->seats[i].sent_at);
		}
	}
	return earliest;
}

bool rl_exchange_has_strays(const rl_exchange *exchange)
{
	for (unsigned i = 0; i < exchange->set->count; i++) {
		if (exchange->seats[i].has_strays) {
			return true;
		}
	}
	return false;
}

const rl_seat *rl_exchange_speaker(const rl_exchange *exchange, rl_vote outcome)
{
	for (unsigned i = 0; i < exchange->set->count; i++) {
		if (exchange->seats[i].vote == outcome) {
			return &exchange->seats[i];
		}
	}
	return &exchange->seats[0];
}

bool rl_exchange_may_pass(const rl_exchange *exchange)
{
	for (unsigned i = 0; i < exchange->set->count; i++) {
		const rl_seat *seat = &exchange->seats[i];
		if (seat->vote != RL_VOTE_FAILED) {
			continue;
		}
		switch (seat->err.status) {
			case RL_ERR_NAME:
			case RL_ERR_CONNECT:
			case RL_ERR_TIMEOUT:
			case RL_ERR_CLOSED:
				break;
			case RL_ERR_SERVER:
				if (!rl_error_passes(&seat->err)) {
					return false;
				}
				break;
			case RL_OK:
			case RL_BUSY:
			case RL_ERR_MEMORY:
			case RL_ERR_RANDOM:
			case RL_ERR_ARGUMENT:
			case RL_ERR_PROTOCOL:
			case RL_ERR_UNKNOWN:
			case RL_ERR_SLOW:
			case RL_ERR_FORKED:
				return false;
		}
	}
	return true;
}
