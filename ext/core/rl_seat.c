/* SPDX-License-Identifier: MIT
 *
 * One member's part in an exchange: opening, sending, reading, judging timeouts. The states and their
 * rules are at the top of rl_exchange.h.
 */
#include "core/rl_seat.h"

#include "core/rl_time.h"
#include "core/rl_token.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* With several members: it has to come behind what was sent before to whoever takes it out. */
static bool goes_behind(const rl_exchange *exchange)
{
	return exchange->request.verb == RL_VERB_RELEASE ||
		(exchange->request.verb == RL_VERB_SWAP && exchange->is_own_token);
}

void rl_seat_begin(rl_exchange *exchange, unsigned index, int64_t now, int64_t latest)
{
	const rl_set *set = exchange->set;
	const rl_member *member = &set->members[index];
	int64_t ttl = exchange->request.ttl_ms * RL_NS_PER_MS;
	int64_t timeout = rl_set_patience(set, member->timeout_ns, ttl);
	rl_seat *seat = &exchange->seats[index];
	free(seat->text);
	memset(seat, 0, offsetof(rl_seat, err)); /* not the long text of an error, which is set first */
	seat->err.status = RL_OK;
	seat->timeout = timeout;
	seat->connect_timeout = rl_set_patience(set, member->connect_timeout_ns, ttl);
	seat->budget_max = rl_time_later(latest, timeout);
	if (seat->budget_max <= now) {
		seat->budget_max = now + timeout; /* who was suspended still gets one whole timeout */
	}
	seat->budget_end = rl_time_earlier(now + timeout, seat->budget_max);
	bool takes = rl_verb_takes(exchange->request.verb);
	if (seat->is_spent && (takes || exchange->request.verb == RL_VERB_SWAP)) {
		rl_error_set(&seat->err, RL_ERR_UNKNOWN, 0,
			"not asked again: what became of the token you gave, in an earlier try, is unknown");
		rl_seat_finish(seat, RL_VOTE_FAILED);
	} else if (set->count > 1 && exchange->is_own_token && takes &&
		rl_pool_is_lingering(exchange->pool, member->target, now)) {
		seat->is_spent = true;
		rl_error_set(&seat->err, RL_ERR_TIMEOUT, 0,
			"not asked: what was sent to it earlier may still be carried out, and meet the token you gave");
		rl_seat_finish(seat, RL_VOTE_FAILED);
	} else if (set->count > 1 && exchange->request.verb != RL_VERB_FORCE) {
		seat->is_spared =
			!rl_pool_is_worth_asking(exchange->pool, member->target, goes_behind(exchange), now);
	}
}

void rl_seat_drop(rl_seat *seat)
{
	rl_conn_free(seat->conn);
	seat->conn = NULL;
}

void rl_seat_finish(rl_seat *seat, rl_vote vote)
{
	seat->vote = vote;
	seat->state = RL_SEAT_DONE;
}

/* Ends the seat as failed; seat->err says why. */
static void fail(rl_seat *seat)
{
	rl_seat_finish(seat, RL_VOTE_FAILED);
}

bool rl_seat_may_take_back(const rl_exchange *exchange, const rl_seat *seat, int64_t now)
{
	int64_t ttl = exchange->request.ttl_ms * RL_NS_PER_MS;
	return !exchange->is_own_token || now < seat->sent_at + ttl - rl_set_drift(exchange->set, ttl);
}

bool rl_seat_is_handed_over(const rl_seat *seat)
{
	return seat->conn != NULL && seat->command_end != 0 &&
		seat->conn->transport->sent(seat->conn->link) >= seat->command_end;
}

bool rl_seat_is_connected(const rl_seat *seat)
{
	return seat->conn->transport->is_connected(seat->conn->link);
}

/* Takes the time before the bytes leave: ownership is proven from then on, never from later. */
static void flush(rl_seat *seat, const rl_tick *tick)
{
	if (seat->is_connecting && rl_seat_is_connected(seat)) {
		/* What was not needed for connecting is not there for the answer. */
		seat->is_connecting = false;
		seat->budget_end = rl_time_earlier(seat->budget_end, tick->now + seat->timeout);
	}
	if (seat->sent_at == 0 && seat->command_end != 0 && rl_seat_is_connected(seat)) {
		seat->sent_at = tick->now;
	}
	seat->conn->transport->flush(seat->conn->link);
}

static void send_command(rl_exchange *exchange, rl_seat *seat)
{
	rl_request request = exchange->request;
	if (rl_verb_takes(request.verb) && seat->is_in_doubt) {
		request.verb = RL_VERB_TRY;
		request.is_owed = !exchange->is_own_token;
		request.mark_ms = request.waiter.data != NULL ? request.mark_ms : 0;
	}
	bool is_new = seat->conn->lacks_scripts && (seat->conn->known >> request.verb & 1U) == 0;
	seat->is_text = seat->is_text || is_new;
	/* Of several members not every answer is read: what should reach them all must not need another round. */
	bool is_unheard = exchange->set->count > 1 && rl_verb_changes(request.verb);
	request.as_text = seat->is_text || is_unheard;
	seat->is_alone =
		seat->is_alone || request.is_alone || !exchange->set->wakes || seat->conn->lacks_helpers;
	request.is_alone = seat->is_alone;
	request.by_type = seat->by_type;
	int64_t own_ms = rl_reservation_ms(exchange->set->count, seat->conn->round_trip);
	request.reserve_ms = own_ms > request.reserve_ms ? own_ms : request.reserve_ms;
	/* Whatever is answered to the last of several, the TTL is counted from that one. */
	seat->sent_at = request.verb == RL_VERB_SWAP ? 0 : seat->sent_at;
	/* SET may turn into TRY: the verb as sent is what reads the answer. */
	seat->command_end = rl_conn_send(seat->conn, &request, (unsigned) request.verb);
	seat->state = RL_SEAT_ANSWER;
	if (seat->command_end == 0) {
		rl_error_set(&seat->err, RL_ERR_MEMORY, 0, "out of memory");
		rl_seat_drop(seat);
		fail(seat);
	}
}

/* With several members it is spared for a while. */
static void note_trouble(rl_exchange *exchange, unsigned index, const rl_tick *tick)
{
	if (exchange->set->count > 1) {
		rl_pool_note_trouble(exchange->pool, exchange->set->members[index].target, tick->now);
	}
}

/* The seat's connection is gone. Dials again while the budget lasts and there is hope or doubt. */
static void recover(rl_exchange *exchange, rl_seat *seat, bool has_hope, const rl_tick *tick)
{
	if (!has_hope && !seat->is_in_doubt) {
		fail(seat);
		return;
	}
	int64_t delay = 0;
	if (seat->breaks > 0) {
		delay = rl_backoff_delay(&exchange->set->backoff, seat->breaks - 1, exchange->env);
		delay = delay < RL_NS_PER_MS ? RL_NS_PER_MS : delay; /* jitter can make it nothing */
	}
	seat->breaks++;
	seat->resume_at = rl_time_later(tick->now, delay);
	seat->state = RL_SEAT_PAUSED;
	if (seat->resume_at >= seat->budget_end) {
		fail(seat);
	}
}

/* The caller's token, not a grant of before a login that failed. */
static bool is_taking_back(const rl_seat *seat)
{
	return seat->state == RL_SEAT_UNDO && seat->vote == RL_VOTE_GRANTED;
}

static void on_down(rl_exchange *exchange, unsigned index, const rl_error *err, const rl_tick *tick)
{
	rl_seat *seat = &exchange->seats[index];
	if (is_taking_back(seat)) {
		seat->err = *err;
		rl_seat_drop(seat);
		seat->is_in_doubt = true;
		fail(seat);
		return;
	}
	bool was_handed_over = seat->state == RL_SEAT_ANSWER && rl_seat_is_handed_over(seat);
	/* A full server speaks and closes without having read anything, and one that speaks TLS understood nothing. */
	bool is_tls = err->status == RL_ERR_TLS;
	bool was_unread = is_tls || (seat->is_refused && rl_error_is_full(&seat->err));
	seat->is_in_doubt = seat->is_in_doubt || (was_handed_over && !was_unread);
	seat->has_strays = seat->has_strays || seat->is_in_doubt;
	if (!seat->is_refused) {
		seat->err = *err;
	}
	if (err->status == RL_ERR_PROTOCOL) {
		seat->must_close = true; /* it can still carry an undo */
		fail(seat);
		return;
	}
	/* One that takes connections and says nothing on them is no better than one that takes none. */
	bool was_mute = !seat->conn->has_answered;
	rl_seat_drop(seat);
	if (seat->is_refused || is_tls) {
		fail(seat);
		return;
	}
	if (exchange->request.verb == RL_VERB_FORCE && seat->is_in_doubt) {
		/* Said again, it could free the lock of who came next. */
		rl_error_set(&seat->err, RL_ERR_UNKNOWN, err->sys_errno,
			"outcome unknown: the connection broke before the answer; isLocked() tells how it is now");
		fail(seat);
		return;
	}
	bool was_connected = err->status == RL_ERR_CLOSED;
	if (was_connected) {
		rl_stats_add(&exchange->env->stats->reconnects, 1);
	}
	if (was_mute) {
		note_trouble(exchange, index, tick);
		if (exchange->set->count > 1) {
			fail(seat); /* the others will do */
			return;
		}
	}
	recover(exchange, seat, was_connected, tick);
}

/* A command that takes a lock is undone if the login fails. The release of a drawn token finds that token or nothing,
 * whoever sends it, and in whatever database: a call that ends before the login is answered has still sent it. */
static bool may_travel_with_login(const rl_exchange *exchange)
{
	return rl_verb_takes(exchange->request.verb) ||
		(exchange->request.verb == RL_VERB_RELEASE && rl_token_is_drawn(exchange->request.token));
}

static void open_seat(rl_exchange *exchange, unsigned index, const rl_tick *tick)
{
	const rl_member *member = &exchange->set->members[index];
	rl_seat *seat = &exchange->seats[index];
	seat->command_end = 0;
	seat->awaits_name = false;
	bool is_once = exchange->request.verb == RL_VERB_FORCE;
	bool is_behind = exchange->set->count > 1 && goes_behind(exchange);
	seat->conn = is_behind
		? rl_pool_take_to_release(exchange->pool, member->target, false, tick->now)
		: rl_pool_take(exchange->pool, member->target, is_once, tick->now);
	if (seat->conn == NULL || !rl_seat_is_connected(seat)) {
		if (!seat->has_dialled) {
			seat->has_dialled = true;
			seat->budget_end = rl_time_earlier(
				rl_time_later(seat->budget_end, seat->connect_timeout), seat->budget_max);
		}
		seat->is_connecting = true;
		seat->connect_end = rl_time_earlier(tick->now + seat->connect_timeout, seat->budget_end);
	}
	if (seat->conn == NULL) {
		seat->is_fresh = true;
		seat->conn = rl_conn_dial(exchange->pool->transport, member->target, seat->connect_end,
			exchange->env, &seat->err);
		if (seat->conn == NULL) {
			note_trouble(exchange, index, tick);
			recover(exchange, seat, false, tick);
			return;
		}
	}
	if (may_travel_with_login(exchange) || seat->conn->logins_owed == 0) {
		send_command(exchange, seat);
	} else {
		seat->state = RL_SEAT_LOGIN;
	}
	if (seat->conn != NULL) {
		flush(seat, tick);
	}
}

/* The login failed, but the command that travelled with it was carried out: take it back, and see that
 * it is done before the failure is told. */
static void undo_after_refused_login(rl_exchange *exchange, unsigned index, const rl_tick *tick)
{
	rl_seat *seat = &exchange->seats[index];
	/* Waiters are none of this user's business, or there are none in this database. */
	rl_request undo = {.verb = RL_VERB_RELEASE,
		.key = exchange->request.key,
		.token = exchange->request.token,
		.is_alone = true,
		.as_text = true};
	seat->command_end = rl_conn_send(seat->conn, &undo, (unsigned) RL_VERB_RELEASE);
	seat->state = RL_SEAT_UNDO;
	if (seat->command_end == 0) {
		seat->is_in_doubt = true; /* no memory to take it back: say so */
		fail(seat);
		return;
	}
	rl_stats_add(&exchange->env->stats->undone, 1);
	flush(seat, tick);
}

void rl_seat_take_back(rl_exchange *exchange, unsigned index, const rl_tick *tick)
{
	rl_seat *seat = &exchange->seats[index];
	if (seat->vote != RL_VOTE_GRANTED || seat->state != RL_SEAT_DONE || seat->is_taken_back ||
		!rl_seat_may_take_back(exchange, seat, tick->now)) {
		return;
	}
	rl_request undo = exchange->request;
	undo.verb = RL_VERB_RELEASE;
	undo.as_text = true;
	undo.is_alone = undo.is_alone || !exchange->set->wakes || !seat->conn->has_helpers;
	seat->command_end = rl_conn_send(seat->conn, &undo, (unsigned) RL_VERB_RELEASE);
	seat->state = RL_SEAT_UNDO;
	seat->budget_end = rl_time_earlier(tick->now + seat->timeout, seat->budget_max);
	if (seat->command_end == 0) {
		rl_error_set(&seat->err, RL_ERR_MEMORY, 0, "out of memory");
		seat->is_in_doubt = true;
		fail(seat);
		return;
	}
	rl_stats_add(&exchange->env->stats->undone, 1);
	flush(seat, tick);
}

static bool keep_text(rl_seat *seat, rl_bytes text)
{
	if (text.len == 0) {
		return true;
	}
	seat->text = malloc(text.len);
	if (seat->text == NULL) {
		return false;
	}
	memcpy(seat->text, text.data, text.len);
	seat->text_len = text.len;
	return true;
}

/* What a definite answer means once an earlier one is lost. True when it means that nobody can know. */
static bool is_unknown(const rl_exchange *exchange, rl_seat *seat, const rl_answer *answer)
{
	if (!seat->is_in_doubt || answer->vote != RL_VOTE_REFUSED) {
		return false;
	}
	switch (exchange->request.verb) {
		case RL_VERB_SET:
		case RL_VERB_TRY:
			if (exchange->is_own_token && answer->holder == RL_HOLDER_SELF) {
				rl_error_set(&seat->err, RL_ERR_UNKNOWN, 0,
					"the connection broke before the answer, and the key now holds the token you gave; "
					"outcome unknown: whether this call took the lock or someone else with the same token "
					"has it; it ends by its TTL");
				return true;
			}
			return false;
		case RL_VERB_RELEASE:
			rl_error_set(&seat->err, RL_ERR_UNKNOWN, 0,
				"no longer held, outcome unknown: the connection broke before the answer, so either this "
				"call freed the lock or it was lost before");
			return true;
		case RL_VERB_FORCE: /* is not sent again */
		case RL_VERB_NUDGE:
		case RL_VERB_BLPOP:
		case RL_VERB_RENEW: /* never in an exchange */
		case RL_VERB_EXTEND:
		case RL_VERB_SWAP: /* 0: it holds neither token, and what may come late finds neither */
		case RL_VERB_EXISTS:
		case RL_VERB_OWNER:
		case RL_VERB_REMAINING:
			return false;
	}
	return false;
}

/* What no message may show. */
typedef struct seat_secrets {
	rl_bytes list[2];
} seat_secrets;

static seat_secrets secrets_of(const rl_exchange *exchange, unsigned index)
{
	const rl_secret *password = &exchange->set->members[index].target->password;
	return (seat_secrets){{exchange->request.token, rl_bytes_of(password->data, password->len)}};
}

static void send_again(
	rl_exchange *exchange, unsigned index, const rl_answer *answer, const rl_tick *tick)
{
	rl_seat *seat = &exchange->seats[index];
	switch (answer->again) {
		case RL_AGAIN_NOT:
			break;
		case RL_AGAIN_ALONE:
			seat->is_alone = true;
			seat->was_forbidden = true;
			seat->was_for_every_key = answer->is_for_every_key;
			break;
		case RL_AGAIN_BY_TYPE:
			seat->by_type = true;
			break;
		case RL_AGAIN_AS_TEXT:
			seat->is_text = true;
			seat->conn->lacks_scripts = true;
			seat->conn->known = 0;
			break;
	}
	send_command(exchange, seat);
	if (seat->conn != NULL) {
		flush(seat, tick);
	}
}

/* The connection remembers how near the server is: the shortest time counts, for any other may have met a stall. */
static void note_round_trip(rl_seat *seat, const rl_tick *tick)
{
	int64_t round_trip = tick->now - seat->sent_at;
	rl_conn *conn = seat->conn;
	if (seat->breaks == 0 && (conn->round_trip == 0 || round_trip < conn->round_trip)) {
		conn->round_trip = round_trip;
	}
}

/* The connection remembers that the server knows the script now. */
static void note_script(rl_exchange *exchange, rl_seat *seat, rl_verb verb)
{
	if (seat->is_text && rl_verb_is_script(verb)) {
		seat->conn->known |= 1U << verb;
		rl_stats_add(&exchange->env->stats->scripts_loaded, 1);
	}
}

/* The connection remembers whether its user may use the helper keys. One key's are no rule for another's. */
static void note_helpers(
	rl_exchange *exchange, rl_seat *seat, rl_verb verb, const rl_answer *answer)
{
	bool was_forbidden = seat->was_forbidden && answer->vote != RL_VOTE_FAILED;
	bool was_allowed =
		rl_verb_has_helpers(verb) && !seat->is_alone && answer->vote != RL_VOTE_FAILED;
	if (was_forbidden) {
		rl_conn_note_helpers(
			seat->conn, seat->was_for_every_key ? RL_HELPERS_ALL_REFUSED : RL_HELPERS_REFUSED);
	} else if (was_allowed) {
		rl_conn_note_helpers(seat->conn, RL_HELPERS_ALLOWED);
	}
	bool is_freeing = !rl_verb_takes(exchange->request.verb); /* a wait counts for itself */
	if ((was_forbidden && is_freeing) || !answer->was_told) {
		rl_stats_add(&exchange->env->stats->fallbacks, 1);
	}
}

/* The server is a replica; the connection is not used again. True = the seat goes on with another one. */
static bool leave_wrong_server(rl_exchange *exchange, rl_seat *seat, const rl_tick *tick)
{
	const rl_address *address = &seat->conn->target->address;
	bool may_lead_elsewhere = rl_pool_distrust(exchange->pool, address, tick->now);
	bool is_worth_it = !seat->is_fresh || may_lead_elsewhere;
	if (seat->has_moved || !is_worth_it) {
		seat->must_close = true;
		return false;
	}
	rl_seat_drop(seat);
	seat->has_moved = true;
	seat->awaits_name = true;
	seat->resume_at = tick->now + 1; /* the driver comes first */
	seat->state = RL_SEAT_PAUSED;
	rl_stats_add(&exchange->env->stats->reconnects, 1);
	return true;
}

static void on_answer(
	rl_exchange *exchange, unsigned index, rl_conn_event *event, const rl_tick *tick)
{
	rl_seat *seat = &exchange->seats[index];
	seat_secrets secrets = secrets_of(exchange, index);
	rl_request request = exchange->request;
	request.verb = (rl_verb) event->tag; /* as it was sent */
	request.as_text = seat->is_text;
	request.is_alone = seat->is_alone;
	request.by_type = seat->by_type;
	rl_answer answer;
	rl_command_read(&request, &event->reply, &answer, &event->err, secrets.list, 2);
	if (seat->is_refused) {
		if (rl_verb_takes(request.verb) && answer.vote == RL_VOTE_GRANTED &&
			rl_seat_may_take_back(exchange, seat, tick->now)) {
			undo_after_refused_login(exchange, index, tick);
		} else {
			fail(seat);
		}
		return;
	}
	if (answer.again != RL_AGAIN_NOT) {
		send_again(exchange, index, &answer, tick);
		return;
	}
	if (answer.vote == RL_VOTE_FAILED && rl_error_is_wrong_server(&event->err)) {
		seat->err = event->err;
		if (leave_wrong_server(exchange, seat, tick)) {
			return;
		}
	}
	note_round_trip(seat, tick);
	note_helpers(exchange, seat, request.verb, &answer);
	note_script(exchange, seat, request.verb);
	if (seat->is_in_doubt && exchange->was_held && exchange->request.verb == RL_VERB_RELEASE &&
		answer.vote == RL_VOTE_REFUSED) {
		answer.vote =
			RL_VOTE_GRANTED; /* it was ours when the first was sent: that one has freed it */
	}
	if (is_unknown(exchange, seat, &answer)) {
		fail(seat);
		return;
	}
	if (request.verb == RL_VERB_SWAP && exchange->is_own_token && !seat->is_in_doubt &&
		answer.number == RL_SWAPPED_BEFORE) {
		answer.vote = RL_VOTE_REFUSED; /* no swap of ours was there before: it is somebody else's */
	}
	if (answer.vote == RL_VOTE_FAILED) {
		seat->err = event->err;
		if (event->err.status == RL_ERR_PROTOCOL) {
			seat->is_in_doubt = true; /* it was answered, but nobody knows how */
			seat->must_close = true;
		}
		fail(seat);
		return;
	}
	seat->is_in_doubt = false;
	seat->heard_at = tick->now;
	seat->answer = answer;
	rl_seat_finish(seat, answer.vote);
	if (!keep_text(seat, answer.text)) {
		rl_error_set(&seat->err, RL_ERR_MEMORY, 0, "out of memory");
		fail(seat);
	}
}

/* The answer to a release in state UNDO. */
static void on_undone(rl_exchange *exchange, unsigned index, rl_conn_event *event)
{
	rl_seat *seat = &exchange->seats[index];
	if (!is_taking_back(seat)) {
		fail(seat); /* the login's error is the reason */
		return;
	}
	seat_secrets secrets = secrets_of(exchange, index);
	rl_request request = exchange->request;
	request.verb = RL_VERB_RELEASE;
	request.as_text = true;
	rl_answer answer;
	rl_command_read(&request, &event->reply, &answer, &event->err, secrets.list, 2);
	if (answer.vote == RL_VOTE_FAILED) {
		seat->err = event->err;
		seat->is_in_doubt = true;
		fail(seat);
		return;
	}
	seat->is_taken_back = true;
	rl_seat_finish(seat, RL_VOTE_GRANTED);
}

static void on_login_refused(rl_exchange *exchange, unsigned index, const rl_reply *reply)
{
	rl_seat *seat = &exchange->seats[index];
	seat_secrets secrets = secrets_of(exchange, index);
	seat->is_refused = true;
	rl_error_from_server(&seat->err, reply->text, secrets.list, 2);
	if (seat->state == RL_SEAT_LOGIN) {
		fail(seat);
	}
}

static void on_ready(rl_exchange *exchange, unsigned index, const rl_tick *tick)
{
	rl_seat *seat = &exchange->seats[index];
	if (seat->state != RL_SEAT_LOGIN) {
		return; /* the command went with the login */
	}
	send_command(exchange, seat);
	if (seat->conn != NULL) {
		flush(seat, tick);
	}
}

/* Reads all that has arrived, as long as the seat is open and has a connection. */
static void read_seat(rl_exchange *exchange, unsigned index, const rl_tick *tick)
{
	rl_seat *seat = &exchange->seats[index];
	rl_conn_event event;
	while (seat->conn != NULL && seat->state != RL_SEAT_DONE) {
		rl_conn_next(seat->conn, &event);
		switch (event.type) {
			case RL_CONN_NONE:
				return;
			case RL_CONN_READY:
				on_ready(exchange, index, tick);
				break;
			case RL_CONN_REFUSED:
				on_login_refused(exchange, index, &event.reply);
				break;
			case RL_CONN_REPLY:
				if (seat->state == RL_SEAT_UNDO) {
					on_undone(exchange, index, &event);
				} else {
					on_answer(exchange, index, &event, tick);
				}
				break;
			case RL_CONN_DOWN:
				on_down(exchange, index, &event.err, tick);
				break;
		}
	}
}

static void judge_connecting(rl_exchange *exchange, unsigned index, const rl_tick *tick)
{
	rl_seat *seat = &exchange->seats[index];
	if (tick->seen < seat->connect_end) {
		return;
	}
	rl_seat_drop(seat);
	note_trouble(exchange, index, tick);
	char limit[RL_SECONDS_TEXT];
	rl_error_set(&seat->err, RL_ERR_CONNECT, 0, "no connection within %s s (connectTimeout)",
		rl_seconds_text(seat->connect_timeout, limit));
	recover(exchange, seat, false, tick);
}

static void judge_answering(rl_exchange *exchange, unsigned index, const rl_tick *tick)
{
	rl_seat *seat = &exchange->seats[index];
	if (tick->seen < seat->budget_end) {
		return;
	}
	seat->must_close = true;
	note_trouble(exchange, index, tick);
	seat->is_in_doubt = seat->is_in_doubt || is_taking_back(seat) ||
		(seat->state == RL_SEAT_ANSWER && rl_seat_is_handed_over(seat));
	if (!seat->is_refused) {
		rl_error before = seat->err;
		int64_t timeout = seat->timeout;
		if (tick->seen - seat->sent_at >= timeout) {
			char limit[RL_SECONDS_TEXT];
			rl_error_set(&seat->err, RL_ERR_TIMEOUT, 0, "no answer within %s s (timeout)",
				rl_seconds_text(timeout, limit));
		} else {
			rl_error_set(&seat->err, RL_ERR_TIMEOUT, 0, "no answer in the time that was left");
		}
		if (seat->breaks > 0) {
			rl_error_append(&seat->err, "; before that: %s", before.message);
		}
	}
	fail(seat);
}

void rl_seat_step(rl_exchange *exchange, unsigned index, const rl_tick *tick)
{
	rl_seat *seat = &exchange->seats[index];
	/* Each round ends the seat, waits, or uses up an idle connection or a break: it is bounded. */
	while (seat->state != RL_SEAT_DONE) {
		if (seat->state == RL_SEAT_PAUSED) {
			if (tick->now < seat->resume_at) {
				return;
			}
			seat->state = RL_SEAT_START;
			if (tick->now >= seat->budget_end) {
				fail(seat); /* the reason is that of the last break */
				return;
			}
		}
		if (seat->state == RL_SEAT_START) {
			open_seat(exchange, index, tick);
			continue;
		}
		flush(seat, tick);
		read_seat(exchange, index, tick);
		if (seat->state == RL_SEAT_PAUSED || seat->state == RL_SEAT_DONE) {
			continue;
		}
		if (rl_seat_is_connected(seat)) {
			judge_answering(exchange, index, tick);
		} else {
			judge_connecting(exchange, index, tick);
		}
		if (seat->state != RL_SEAT_PAUSED) {
			return;
		}
	}
}
