/* SPDX-License-Identifier: MIT
 *
 * One member's part in a quorum call: opening, sending, reading, judging timeouts. The states and their
 * rules are at the top of rl_quorum_call.h.
 */
#include "core/lock/rl_member_call.h"

#include "core/base/rl_time.h"
#include "core/base/rl_token.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* With several members: it has to come behind what was sent before to whoever takes it out. */
static bool goes_behind(const rl_quorum_call *call)
{
	return call->request.verb == RL_VERB_RELEASE ||
		(call->request.verb == RL_VERB_SWAP && call->is_own_token);
}

void rl_member_call_begin(rl_quorum_call *call, unsigned index, int64_t now, int64_t latest)
{
	const rl_set *set = call->set;
	const rl_member *at = &set->members[index];
	int64_t ttl = call->request.ttl_ms * RL_NS_PER_MS;
	int64_t timeout = rl_set_patience(set, at->timeout_ns, ttl);
	rl_member_call *member = &call->members[index];
	free(member->text);
	memset(member, 0,
		offsetof(rl_member_call, err)); /* not the long text of an error, which is set first */
	member->err.status = RL_OK;
	member->timeout = timeout;
	member->connect_timeout = rl_set_patience(set, at->connect_timeout_ns, ttl);
	member->budget_max = rl_time_later(latest, timeout);
	if (member->budget_max <= now) {
		member->budget_max = now + timeout; /* who was suspended still gets one whole timeout */
	}
	member->budget_end = rl_time_earlier(now + timeout, member->budget_max);
	bool takes = rl_verb_takes(call->request.verb);
	if (member->is_spent && (takes || call->request.verb == RL_VERB_SWAP)) {
		rl_error_set(&member->err, RL_ERR_UNKNOWN, 0,
			"not asked again: what became of the token you gave, in an earlier try, is unknown");
		rl_member_call_finish(member, RL_VOTE_FAILED);
	} else if (set->count > 1 && call->is_own_token && takes &&
		rl_pool_is_lingering(call->pool, at->target, now)) {
		member->is_spent = true;
		rl_error_set(&member->err, RL_ERR_TIMEOUT, 0,
			"not asked: what was sent to it earlier may still be carried out, and meet the token you gave");
		rl_member_call_finish(member, RL_VOTE_FAILED);
	} else if (set->count > 1 && call->request.verb != RL_VERB_FORCE) {
		member->is_backed_off =
			!rl_pool_is_worth_asking(call->pool, at->target, goes_behind(call), now);
	}
}

void rl_member_call_drop(rl_member_call *member)
{
	rl_conn_free(member->conn);
	member->conn = NULL;
}

void rl_member_call_finish(rl_member_call *member, rl_vote vote)
{
	member->vote = vote;
	member->state = RL_MEMBER_CALL_DONE;
}

/* Ends the member call as failed; member call->err says why. */
static void fail(rl_member_call *member)
{
	rl_member_call_finish(member, RL_VOTE_FAILED);
}

bool rl_member_call_may_take_back(
	const rl_quorum_call *call, const rl_member_call *member, int64_t now)
{
	int64_t ttl = call->request.ttl_ms * RL_NS_PER_MS;
	return !call->is_own_token || now < member->sent_at + ttl - rl_set_drift(call->set, ttl);
}

bool rl_member_call_is_handed_over(const rl_member_call *member)
{
	return member->conn != NULL && member->command_end != 0 &&
		member->conn->transport->sent(member->conn->link) >= member->command_end;
}

bool rl_member_call_is_connected(const rl_member_call *member)
{
	return member->conn->transport->is_connected(member->conn->link);
}

/* Takes the time before the bytes leave: ownership is proven from then on, never from later. */
static void flush(rl_member_call *member, const rl_tick *tick)
{
	if (member->is_connecting && rl_member_call_is_connected(member)) {
		/* What was not needed for connecting is not there for the answer. */
		member->is_connecting = false;
		member->budget_end = rl_time_earlier(member->budget_end, tick->now + member->timeout);
	}
	if (member->sent_at == 0 && member->command_end != 0 && rl_member_call_is_connected(member)) {
		member->sent_at = tick->now;
	}
	member->conn->transport->flush(member->conn->link);
}

static void send_command(rl_quorum_call *call, rl_member_call *member)
{
	rl_request request = call->request;
	if (rl_verb_takes(request.verb) && member->is_in_doubt) {
		request.verb = RL_VERB_TRY;
		request.is_owed = !call->is_own_token;
		request.mark_ms = request.waiter.data != NULL ? request.mark_ms : 0;
	}
	bool is_new = member->conn->lacks_scripts && (member->conn->known >> request.verb & 1U) == 0;
	member->is_text = member->is_text || is_new;
	/* Of several members not every answer is read: what should reach them all must not need another round. */
	bool is_unheard = call->set->count > 1 && rl_verb_changes(request.verb);
	request.as_text = member->is_text || is_unheard;
	member->is_alone =
		member->is_alone || request.is_alone || !call->set->wakes || member->conn->lacks_helpers;
	request.is_alone = member->is_alone;
	request.by_type = member->by_type;
	int64_t own_ms = rl_reservation_ms(call->set->count, member->conn->round_trip);
	request.reserve_ms = own_ms > request.reserve_ms ? own_ms : request.reserve_ms;
	/* Whatever is answered to the last of several, the TTL is counted from that one. */
	member->sent_at = request.verb == RL_VERB_SWAP ? 0 : member->sent_at;
	/* SET may turn into TRY: the verb as sent is what reads the answer. */
	member->command_end = rl_conn_send(member->conn, &request, (unsigned) request.verb);
	member->state = RL_MEMBER_CALL_ANSWER;
	if (member->command_end == 0) {
		rl_error_set(&member->err, RL_ERR_MEMORY, 0, "out of memory");
		rl_member_call_drop(member);
		fail(member);
	}
}

/* With several members it is spared for a while. */
static void note_failure(rl_quorum_call *call, unsigned index, const rl_tick *tick)
{
	if (call->set->count > 1) {
		rl_pool_note_failure(call->pool, call->set->members[index].target, tick->now);
	}
}

/* The member call's connection is gone. Dials again while the budget lasts and there is hope or doubt. */
static void recover(
	rl_quorum_call *call, rl_member_call *member, bool has_hope, const rl_tick *tick)
{
	if (!has_hope && !member->is_in_doubt) {
		fail(member);
		return;
	}
	int64_t delay = 0;
	if (member->breaks > 0) {
		delay = rl_backoff_delay(&call->set->backoff, member->breaks - 1, call->env);
		delay = delay < RL_NS_PER_MS ? RL_NS_PER_MS : delay; /* jitter can make it nothing */
	}
	member->breaks++;
	member->resume_at = rl_time_later(tick->now, delay);
	member->state = RL_MEMBER_CALL_PAUSED;
	if (member->resume_at >= member->budget_end) {
		fail(member);
	}
}

/* The caller's token, not a grant of before a login that failed. */
static bool is_taking_back(const rl_member_call *member)
{
	return member->state == RL_MEMBER_CALL_UNDO && member->vote == RL_VOTE_GRANTED;
}

static void on_down(rl_quorum_call *call, unsigned index, const rl_error *err, const rl_tick *tick)
{
	rl_member_call *member = &call->members[index];
	if (is_taking_back(member)) {
		member->err = *err;
		rl_member_call_drop(member);
		member->is_in_doubt = true;
		fail(member);
		return;
	}
	bool was_handed_over =
		member->state == RL_MEMBER_CALL_ANSWER && rl_member_call_is_handed_over(member);
	/* A full server speaks and closes without having read anything, and one that speaks TLS understood nothing. */
	bool is_tls = err->status == RL_ERR_TLS;
	bool was_unread = is_tls || (member->is_refused && rl_error_is_full(&member->err));
	member->is_in_doubt = member->is_in_doubt || (was_handed_over && !was_unread);
	member->has_strays = member->has_strays || member->is_in_doubt;
	if (!member->is_refused) {
		member->err = *err;
	}
	if (err->status == RL_ERR_PROTOCOL) {
		member->must_close = true; /* it can still carry an undo */
		fail(member);
		return;
	}
	/* One that takes connections and says nothing on them is no better than one that takes none. */
	bool was_silent = !member->conn->has_answered;
	rl_member_call_drop(member);
	if (member->is_refused || is_tls) {
		fail(member);
		return;
	}
	if (call->request.verb == RL_VERB_FORCE && member->is_in_doubt) {
		/* Said again, it could free the lock of who came next. */
		rl_error_set(&member->err, RL_ERR_UNKNOWN, err->sys_errno,
			"outcome unknown: the connection broke before the answer; isLocked() tells how it is now");
		fail(member);
		return;
	}
	bool was_connected = err->status == RL_ERR_CLOSED;
	if (was_connected) {
		rl_stats_add(&call->env->stats->reconnects, 1);
	}
	if (was_silent) {
		note_failure(call, index, tick);
		if (call->set->count > 1) {
			fail(member); /* the others will do */
			return;
		}
	}
	recover(call, member, was_connected, tick);
}

/* A command that takes a lock is undone if the login fails. The release of a drawn token finds that token or nothing,
 * whoever sends it, and in whatever database: a call that ends before the login is answered has still sent it. */
static bool may_travel_with_login(const rl_quorum_call *call)
{
	return rl_verb_takes(call->request.verb) ||
		(call->request.verb == RL_VERB_RELEASE && rl_token_is_drawn(call->request.token));
}

static void open_seat(rl_quorum_call *call, unsigned index, const rl_tick *tick)
{
	const rl_member *at = &call->set->members[index];
	rl_member_call *member = &call->members[index];
	member->command_end = 0;
	member->awaits_name = false;
	bool is_once = call->request.verb == RL_VERB_FORCE;
	bool is_behind = call->set->count > 1 && goes_behind(call);
	member->conn = is_behind ? rl_pool_take_to_release(call->pool, at->target, false, tick->now)
							 : rl_pool_take(call->pool, at->target, is_once, tick->now);
	if (member->conn == NULL || !rl_member_call_is_connected(member)) {
		if (!member->has_dialled) {
			member->has_dialled = true;
			member->budget_end = rl_time_earlier(
				rl_time_later(member->budget_end, member->connect_timeout), member->budget_max);
		}
		member->is_connecting = true;
		member->connect_end =
			rl_time_earlier(tick->now + member->connect_timeout, member->budget_end);
	}
	if (member->conn == NULL) {
		member->is_fresh = true;
		member->conn = rl_conn_dial(
			call->pool->transport, at->target, member->connect_end, call->env, &member->err);
		if (member->conn == NULL) {
			note_failure(call, index, tick);
			recover(call, member, false, tick);
			return;
		}
	}
	if (may_travel_with_login(call) || member->conn->logins_pending == 0) {
		send_command(call, member);
	} else {
		member->state = RL_MEMBER_CALL_LOGIN;
	}
	if (member->conn != NULL) {
		flush(member, tick);
	}
}

/* The login failed, but the command that travelled with it was carried out: take it back, and see that
 * it is done before the failure is told. */
static void undo_after_refused_login(rl_quorum_call *call, unsigned index, const rl_tick *tick)
{
	rl_member_call *member = &call->members[index];
	/* Waiters are none of this user's business, or there are none in this database. */
	rl_request undo = {.verb = RL_VERB_RELEASE,
		.key = call->request.key,
		.token = call->request.token,
		.is_alone = true,
		.as_text = true};
	member->command_end = rl_conn_send(member->conn, &undo, (unsigned) RL_VERB_RELEASE);
	member->state = RL_MEMBER_CALL_UNDO;
	if (member->command_end == 0) {
		member->is_in_doubt = true; /* no memory to take it back: say so */
		fail(member);
		return;
	}
	rl_stats_add(&call->env->stats->undone, 1);
	flush(member, tick);
}

void rl_member_call_take_back(rl_quorum_call *call, unsigned index, const rl_tick *tick)
{
	rl_member_call *member = &call->members[index];
	if (member->vote != RL_VOTE_GRANTED || member->state != RL_MEMBER_CALL_DONE ||
		member->is_taken_back || !rl_member_call_may_take_back(call, member, tick->now)) {
		return;
	}
	rl_request undo = call->request;
	undo.verb = RL_VERB_RELEASE;
	undo.as_text = true;
	undo.is_alone = undo.is_alone || !call->set->wakes || !member->conn->has_helpers;
	member->command_end = rl_conn_send(member->conn, &undo, (unsigned) RL_VERB_RELEASE);
	member->state = RL_MEMBER_CALL_UNDO;
	member->budget_end = rl_time_earlier(tick->now + member->timeout, member->budget_max);
	if (member->command_end == 0) {
		rl_error_set(&member->err, RL_ERR_MEMORY, 0, "out of memory");
		member->is_in_doubt = true;
		fail(member);
		return;
	}
	rl_stats_add(&call->env->stats->undone, 1);
	flush(member, tick);
}

static bool keep_text(rl_member_call *member, rl_bytes text)
{
	if (text.len == 0) {
		return true;
	}
	member->text = malloc(text.len);
	if (member->text == NULL) {
		return false;
	}
	memcpy(member->text, text.data, text.len);
	member->text_len = text.len;
	return true;
}

/* What a definite answer means once an earlier one is lost. True when it means that nobody can know. */
static bool is_unknown(const rl_quorum_call *call, rl_member_call *member, const rl_answer *answer)
{
	if (!member->is_in_doubt || answer->vote != RL_VOTE_REFUSED) {
		return false;
	}
	switch (call->request.verb) {
		case RL_VERB_SET:
		case RL_VERB_TRY:
			if (call->is_own_token && answer->holder == RL_HOLDER_SELF) {
				rl_error_set(&member->err, RL_ERR_UNKNOWN, 0,
					"the connection broke before the answer, and the key now holds the token you gave; "
					"outcome unknown: whether this call took the lock or someone else with the same token "
					"has it; it ends by its TTL");
				return true;
			}
			return false;
		case RL_VERB_RELEASE:
			rl_error_set(&member->err, RL_ERR_UNKNOWN, 0,
				"no longer held, outcome unknown: the connection broke before the answer, so either this "
				"call freed the lock or it was lost before");
			return true;
		case RL_VERB_FORCE: /* is not sent again */
		case RL_VERB_PROBE:
		case RL_VERB_BLPOP:
		case RL_VERB_RENEW: /* never in a quorum call */
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

static seat_secrets secrets_of(const rl_quorum_call *call, unsigned index)
{
	const rl_secret *password = &call->set->members[index].target->password;
	return (seat_secrets){{call->request.token, rl_bytes_of(password->data, password->len)}};
}

static void send_again(
	rl_quorum_call *call, unsigned index, const rl_answer *answer, const rl_tick *tick)
{
	rl_member_call *member = &call->members[index];
	switch (answer->again) {
		case RL_AGAIN_NOT:
			break;
		case RL_AGAIN_ALONE:
			member->is_alone = true;
			member->was_forbidden = true;
			member->was_for_every_key = answer->is_for_every_key;
			break;
		case RL_AGAIN_BY_TYPE:
			member->by_type = true;
			break;
		case RL_AGAIN_AS_TEXT:
			member->is_text = true;
			member->conn->lacks_scripts = true;
			member->conn->known = 0;
			break;
	}
	send_command(call, member);
	if (member->conn != NULL) {
		flush(member, tick);
	}
}

/* The connection remembers how near the server is: the shortest time counts, for any other may have met a stall. */
static void note_round_trip(rl_member_call *member, const rl_tick *tick)
{
	int64_t round_trip = tick->now - member->sent_at;
	rl_conn *conn = member->conn;
	if (member->breaks == 0 && (conn->round_trip == 0 || round_trip < conn->round_trip)) {
		conn->round_trip = round_trip;
	}
}

/* The connection remembers that the server knows the script now. */
static void note_script(rl_quorum_call *call, rl_member_call *member, rl_verb verb)
{
	if (member->is_text && rl_verb_is_script(verb)) {
		member->conn->known |= 1U << verb;
		rl_stats_add(&call->env->stats->scripts_loaded, 1);
	}
}

/* The connection remembers whether its user may use the helper keys. One key's are no rule for another's. */
static void note_helpers(
	rl_quorum_call *call, rl_member_call *member, rl_verb verb, const rl_answer *answer)
{
	bool was_forbidden = member->was_forbidden && answer->vote != RL_VOTE_FAILED;
	bool was_allowed =
		rl_verb_has_helpers(verb) && !member->is_alone && answer->vote != RL_VOTE_FAILED;
	if (was_forbidden) {
		rl_conn_note_helpers(
			member->conn, member->was_for_every_key ? RL_HELPERS_ALL_REFUSED : RL_HELPERS_REFUSED);
	} else if (was_allowed) {
		rl_conn_note_helpers(member->conn, RL_HELPERS_ALLOWED);
	}
	bool is_freeing = !rl_verb_takes(call->request.verb); /* a wait counts for itself */
	if ((was_forbidden && is_freeing) || !answer->was_told) {
		rl_stats_add(&call->env->stats->fallbacks, 1);
	}
}

/* The server is a replica; the connection is not used again. True = the member call goes on with another one. */
static bool leave_wrong_server(rl_quorum_call *call, rl_member_call *member, const rl_tick *tick)
{
	const rl_address *address = &member->conn->target->address;
	bool may_lead_elsewhere = rl_pool_distrust(call->pool, address, tick->now);
	bool is_worth_it = !member->is_fresh || may_lead_elsewhere;
	if (member->has_moved || !is_worth_it) {
		member->must_close = true;
		return false;
	}
	rl_member_call_drop(member);
	member->has_moved = true;
	member->awaits_name = true;
	member->resume_at = tick->now + 1; /* the driver comes first */
	member->state = RL_MEMBER_CALL_PAUSED;
	rl_stats_add(&call->env->stats->reconnects, 1);
	return true;
}

static void on_answer(
	rl_quorum_call *call, unsigned index, rl_conn_event *event, const rl_tick *tick)
{
	rl_member_call *member = &call->members[index];
	seat_secrets secrets = secrets_of(call, index);
	rl_request request = call->request;
	request.verb = (rl_verb) event->tag; /* as it was sent */
	request.as_text = member->is_text;
	request.is_alone = member->is_alone;
	request.by_type = member->by_type;
	rl_answer answer;
	rl_command_read(&request, &event->reply, &answer, &event->err, secrets.list, 2);
	if (member->is_refused) {
		if (rl_verb_takes(request.verb) && answer.vote == RL_VOTE_GRANTED &&
			rl_member_call_may_take_back(call, member, tick->now)) {
			undo_after_refused_login(call, index, tick);
		} else {
			fail(member);
		}
		return;
	}
	if (answer.again != RL_AGAIN_NOT) {
		send_again(call, index, &answer, tick);
		return;
	}
	if (answer.vote == RL_VOTE_FAILED && rl_error_is_wrong_server(&event->err)) {
		member->err = event->err;
		if (leave_wrong_server(call, member, tick)) {
			return;
		}
	}
	note_round_trip(member, tick);
	note_helpers(call, member, request.verb, &answer);
	note_script(call, member, request.verb);
	if (member->is_in_doubt && call->was_held && call->request.verb == RL_VERB_RELEASE &&
		answer.vote == RL_VOTE_REFUSED) {
		answer.vote =
			RL_VOTE_GRANTED; /* it was ours when the first was sent: that one has freed it */
	}
	if (is_unknown(call, member, &answer)) {
		fail(member);
		return;
	}
	if (request.verb == RL_VERB_SWAP && call->is_own_token && !member->is_in_doubt &&
		answer.number == RL_SWAPPED_BEFORE) {
		answer.vote = RL_VOTE_REFUSED; /* no swap of ours was there before: it is somebody else's */
	}
	if (answer.vote == RL_VOTE_FAILED) {
		member->err = event->err;
		if (event->err.status == RL_ERR_PROTOCOL) {
			member->is_in_doubt = true; /* it was answered, but nobody knows how */
			member->must_close = true;
		}
		fail(member);
		return;
	}
	member->is_in_doubt = false;
	member->heard_at = tick->now;
	member->answer = answer;
	rl_member_call_finish(member, answer.vote);
	if (!keep_text(member, answer.text)) {
		rl_error_set(&member->err, RL_ERR_MEMORY, 0, "out of memory");
		fail(member);
	}
}

/* The answer to a release in state UNDO. */
static void on_undone(rl_quorum_call *call, unsigned index, rl_conn_event *event)
{
	rl_member_call *member = &call->members[index];
	if (!is_taking_back(member)) {
		fail(member); /* the login's error is the reason */
		return;
	}
	seat_secrets secrets = secrets_of(call, index);
	rl_request request = call->request;
	request.verb = RL_VERB_RELEASE;
	request.as_text = true;
	rl_answer answer;
	rl_command_read(&request, &event->reply, &answer, &event->err, secrets.list, 2);
	if (answer.vote == RL_VOTE_FAILED) {
		member->err = event->err;
		member->is_in_doubt = true;
		fail(member);
		return;
	}
	member->is_taken_back = true;
	rl_member_call_finish(member, RL_VOTE_GRANTED);
}

static void on_login_refused(rl_quorum_call *call, unsigned index, const rl_reply *reply)
{
	rl_member_call *member = &call->members[index];
	seat_secrets secrets = secrets_of(call, index);
	member->is_refused = true;
	rl_error_from_server(&member->err, reply->text, secrets.list, 2);
	if (member->state == RL_MEMBER_CALL_LOGIN) {
		fail(member);
	}
}

static void on_ready(rl_quorum_call *call, unsigned index, const rl_tick *tick)
{
	rl_member_call *member = &call->members[index];
	if (member->state != RL_MEMBER_CALL_LOGIN) {
		return; /* the command went with the login */
	}
	send_command(call, member);
	if (member->conn != NULL) {
		flush(member, tick);
	}
}

/* Reads all that has arrived, as long as the member call is open and has a connection. */
static void read_seat(rl_quorum_call *call, unsigned index, const rl_tick *tick)
{
	rl_member_call *member = &call->members[index];
	rl_conn_event event;
	while (member->conn != NULL && member->state != RL_MEMBER_CALL_DONE) {
		rl_conn_next(member->conn, &event);
		switch (event.type) {
			case RL_CONN_NONE:
				return;
			case RL_CONN_READY:
				on_ready(call, index, tick);
				break;
			case RL_CONN_REFUSED:
				on_login_refused(call, index, &event.reply);
				break;
			case RL_CONN_REPLY:
				if (member->state == RL_MEMBER_CALL_UNDO) {
					on_undone(call, index, &event);
				} else {
					on_answer(call, index, &event, tick);
				}
				break;
			case RL_CONN_DOWN:
				on_down(call, index, &event.err, tick);
				break;
		}
	}
}

static void judge_connecting(rl_quorum_call *call, unsigned index, const rl_tick *tick)
{
	rl_member_call *member = &call->members[index];
	if (tick->seen < member->connect_end) {
		return;
	}
	rl_member_call_drop(member);
	note_failure(call, index, tick);
	char limit[RL_SECONDS_TEXT];
	rl_error_set(&member->err, RL_ERR_CONNECT, 0, "no connection within %s s (connectTimeout)",
		rl_seconds_text(member->connect_timeout, limit));
	recover(call, member, false, tick);
}

static void judge_answering(rl_quorum_call *call, unsigned index, const rl_tick *tick)
{
	rl_member_call *member = &call->members[index];
	if (tick->seen < member->budget_end) {
		return;
	}
	member->must_close = true;
	note_failure(call, index, tick);
	member->is_in_doubt = member->is_in_doubt || is_taking_back(member) ||
		(member->state == RL_MEMBER_CALL_ANSWER && rl_member_call_is_handed_over(member));
	if (!member->is_refused) {
		rl_error before = member->err;
		int64_t timeout = member->timeout;
		if (tick->seen - member->sent_at >= timeout) {
			char limit[RL_SECONDS_TEXT];
			rl_error_set(&member->err, RL_ERR_TIMEOUT, 0, "no answer within %s s (timeout)",
				rl_seconds_text(timeout, limit));
		} else {
			rl_error_set(&member->err, RL_ERR_TIMEOUT, 0, "no answer in the time that was left");
		}
		if (member->breaks > 0) {
			rl_error_append(&member->err, "; before that: %s", before.message);
		}
	}
	fail(member);
}

void rl_member_call_step(rl_quorum_call *call, unsigned index, const rl_tick *tick)
{
	rl_member_call *member = &call->members[index];
	/* Each round ends the member call, waits, or uses up an idle connection or a break: it is bounded. */
	while (member->state != RL_MEMBER_CALL_DONE) {
		if (member->state == RL_MEMBER_CALL_PAUSED) {
			if (tick->now < member->resume_at) {
				return;
			}
			member->state = RL_MEMBER_CALL_START;
			if (tick->now >= member->budget_end) {
				fail(member); /* the reason is that of the last break */
				return;
			}
		}
		if (member->state == RL_MEMBER_CALL_START) {
			open_seat(call, index, tick);
			continue;
		}
		flush(member, tick);
		read_seat(call, index, tick);
		if (member->state == RL_MEMBER_CALL_PAUSED || member->state == RL_MEMBER_CALL_DONE) {
			continue;
		}
		if (rl_member_call_is_connected(member)) {
			judge_answering(call, index, tick);
		} else {
			judge_connecting(call, index, tick);
		}
		if (member->state != RL_MEMBER_CALL_PAUSED) {
			return;
		}
	}
}
