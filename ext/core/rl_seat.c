/* SPDX-License-Identifier: MIT
 *
 * One member's part in an exchange: opening, sending, reading, judging timeouts. The states and their
 * rules are at the top of rl_exchange.h.
 */
#include "core/rl_seat.h"

#include "core/rl_time.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static double seconds(int64_t ns)
{
	return (double) ns / (double) RL_NS_PER_SECOND;
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
	if (seat->is_spent) {
		rl_error_set(&seat->err, RL_ERR_UNKNOWN, 0,
			"not asked again: what became of the token you gave, in an earlier try, is unknown");
		rl_seat_finish(seat, RL_VOTE_FAILED);
	} else if (set->count > 1 && exchange->is_own_token && seat->kept == NULL &&
		rl_verb_takes(exchange->request.verb) &&
		rl_pool_is_lingering(exchange->pool, member->target, now)) {
		rl_error_set(&seat->err, RL_ERR_TIMEOUT, 0,
			"not asked: what was sent to it earlier may still be carried out, and meet the token you gave");
		rl_seat_finish(seat, RL_VOTE_FAILED);
	} else if (set->count > 1 && seat->kept == NULL && exchange->request.verb != RL_VERB_FORCE) {
		seat->is_spared = !rl_pool_is_worth_asking(
			exchange->pool, member->target, exchange->request.verb == RL_VERB_RELEASE, now);
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
		request.is_unmarked = request.is_unmarked || request.waiter.data == NULL;
	}
	bool is_new = seat->conn->lacks_scripts && (seat->conn->known >> request.verb & 1U) == 0;
	seat->is_text = seat->is_text || is_new;
	/* Of several members not every answer is read: what should reach them all must not need another round. */
	bool is_unheard = exchange->set->count > 1 && rl_verb_changes(request.verb);
	request.as_text = seat->is_text || is_unheard;
	seat->is_alone =
		seat->is_alone || request.is_alone || !exchange->set->wakes || seat->conn->lacks_helpers;
	request.is_alone = seat->is_alone;
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

static void on_down(rl_exchange *exchange, unsigned index, const rl_error *err, const rl_tick *tick)
{
	rl_seat *seat = &exchange->seats[index];
	bool was_handed_over = seat->state == RL_SEAT_ANSWER && rl_seat_is_handed_over(seat);
	/* A full server speaks and closes without having read anything. */
	bool was_unread = seat->is_refused && rl_error_is_full(&seat->err);
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
	if (seat->is_bound) {
		seat->is_spent =
			true; /* the undo on it may still come, and delete what another connection takes */
	}
	if (seat->is_refused || seat->is_bound) {
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

static void open_seat(rl_exchange *exchange, unsigned index, const rl_tick *tick)
{
	const rl_member *member = &exchange->set->members[index];
	rl_seat *seat = &exchange->seats[index];
	seat->command_end = 0;
	bool is_once = exchange->request.verb == RL_VERB_FORCE;
	if (seat->kept != NULL) {
		seat->conn = seat->kept;
		seat->kept = NULL;
		seat->is_bound = true;
	} else {
		bool is_behind = exchange->set->count > 1 && exchange->request.verb == RL_VERB_RELEASE;
		seat->conn = is_behind
			? rl_pool_take_to_release(exchange->pool, member->target, false, tick->now)
			: rl_pool_take(exchange->pool, member->target, is_once, tick->now);
	}
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
	if (rl_verb_takes(exchange->request.verb) || seat->conn->logins_owed == 0) {
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

static void send_again(rl_exchange *exchange, unsigned index, rl_again how, const rl_tick *tick)
{
	rl_seat *seat = &exchange->seats[index];
	if (how == RL_AGAIN_ALONE) {
		seat->is_alone = true;
		seat->was_forbidden = true;
	} else {
		seat->is_text = true;
		seat->conn->lacks_scripts = true;
		seat->conn->known = 0;
	}
	send_command(exchange, seat);
	if (seat->conn != NULL) {
		flush(seat, tick);
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

/* The connection remembers that its user may not use the helper keys. */
static void note_helpers(
	rl_exchange *exchange, rl_seat *seat, rl_verb verb, const rl_answer *answer)
{
	bool was_forbidden = seat->was_forbidden && answer->vote != RL_VOTE_FAILED;
	bool was_allowed =
		rl_verb_has_helpers(verb) && !seat->is_alone && answer->vote != RL_VOTE_FAILED;
	seat->conn->lacks_helpers = seat->conn->lacks_helpers || was_forbidden;
	seat->conn->has_helpers = seat->conn->has_helpers || was_allowed;
	bool is_freeing = !rl_verb_takes(exchange->request.verb); /* a wait counts for itself */
	if ((was_forbidden && is_freeing) || !answer->was_told) {
		rl_stats_add(&exchange->env->stats->fallbacks, 1);
	}
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
	rl_answer answer;
	rl_command_read(&request, &event->reply, &answer, &event->err, secrets.list, 2);
	if (seat->is_refused) {
		if (answer.vote == RL_VOTE_GRANTED && rl_seat_may_take_back(exchange, seat, tick->now)) {
			undo_after_refused_login(exchange, index, tick);
		} else {
			fail(seat);
		}
		return;
	}
	if (answer.again != RL_AGAIN_NOT) {
		send_again(exchange, index, answer.again, tick);
		return;
	}
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
	seat->is_bound = false; /* what was sent before it has been carried out */
	seat->heard_at = tick->now;
	seat->answer = answer;
	rl_seat_finish(seat, answer.vote);
	if (!keep_text(seat, answer.text)) {
		rl_error_set(&seat->err, RL_ERR_MEMORY, 0, "out of memory");
		fail(seat);
	}
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
					fail(seat); /* undone; the login's error is the reason */
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
	rl_error_set(&seat->err, RL_ERR_CONNECT, 0, "no connection within %g s (connectTimeout)",
		seconds(seat->connect_timeout));
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
	seat->is_in_doubt =
		seat->is_in_doubt || (seat->state == RL_SEAT_ANSWER && rl_seat_is_handed_over(seat));
	if (!seat->is_refused) {
		rl_error before = seat->err;
		int64_t timeout = seat->timeout;
		if (tick->seen - seat->sent_at >= timeout) {
			rl_error_set(
				&seat->err, RL_ERR_TIMEOUT, 0, "no answer within %g s (timeout)", seconds(timeout));
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
