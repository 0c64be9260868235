/* SPDX-License-Identifier: MIT
 *
 * The steps of a member call: opening, sending, timeouts. rl_member_answer.c has the meaning of
 * answers, and the top of rl_quorum_call.h the states and their rules.
 */
#include "core/lock/rl_member_call.h"

#include "core/base/rl_time.h"
#include "core/base/rl_token.h"

#include <stdlib.h>
#include <string.h>

/* The command must reach the server after an earlier command that may have taken the lock there, so
 * it is sent on the same connection. */
static bool must_come_after(const rl_quorum_call *call)
{
	return call->request.verb == RL_VERB_RELEASE ||
		(call->request.verb == RL_VERB_SWAP && call->is_own_token);
}

/* The server may still run a command on a connection that lingers. Such a command could free a lock
 * with the caller's token: with several members any command could, otherwise only an undo of such a
 * token. */
static bool may_meet_undo(const rl_member_call *member, int64_t now)
{
	const rl_quorum_call *call = member->call;
	bool takes = rl_verb_takes(call->request.verb);
	if (!call->is_own_token || member->node == NULL ||
		!(takes || call->request.verb == RL_VERB_SWAP)) {
		return false;
	}
	return (takes && call->set->count > 1 && rl_pool_is_lingering(call->pool, member->node, now)) ||
		rl_pool_has_own_undo(call->pool, member->node, now);
}

/* Ends the member call if the caller's token is in doubt on this member, or could meet the effect
 * of commands on a connection that lingers. */
static void keep_own_token_back(rl_member_call *member, int64_t now)
{
	rl_quorum_call *call = member->call;
	bool takes = rl_verb_takes(call->request.verb);
	if (rl_member_call_is_spent(member) && (takes || call->request.verb == RL_VERB_SWAP)) {
		rl_error_set(member->err, RL_ERR_UNKNOWN, 0,
			"not asked again: it is unknown whether an earlier command with your token took "
			"effect");
		rl_member_call_fail(member);
	} else if (may_meet_undo(member, now)) {
		call->spent |= takes && call->set->count > 1 ? 1U << rl_member_call_index(member) : 0;
		rl_error_set(member->err, RL_ERR_TIMEOUT, 0,
			"not asked: the server may still run earlier commands, which could affect a lock with "
			"your token");
		rl_member_call_fail(member);
	}
}

void rl_member_call_begin(rl_member_call *member, int64_t now, int64_t latest)
{
	rl_quorum_call *call = member->call;
	const rl_member *server = rl_member_call_server(member);
	int64_t ttl = call->request.ttl_ms * RL_NS_PER_MS;
	int64_t timeout = rl_set_patience(call->set, server->timeout_ns, ttl);
	int64_t budget_max = rl_time_later(latest, timeout);
	if (budget_max <= now) {
		budget_max = now + timeout; /* the process was suspended */
	}
	free(member->text);
	member->err->status = RL_OK;
	*member = (rl_member_call){.call = call,
		.err = member->err,
		.node = member->node,
		.lookup = member->lookup,
		.timeout = timeout,
		.connect_timeout = rl_set_patience(call->set, server->connect_timeout_ns, ttl),
		.budget_max = budget_max,
		.budget_end = rl_time_earlier(now + timeout, budget_max)};
	rl_pool_want want = must_come_after(call) ? RL_WANT_RELEASE : RL_WANT_ANY;
	rl_member_call_choose_node(member);
	rl_member_call_avoid_node(member, want, now);
	keep_own_token_back(member, now);
	if (member->state == RL_MEMBER_CALL_START && rl_member_call_sentinels(member) != NULL) {
		rl_member_call_look_up(member, now);
	}
	if (member->state == RL_MEMBER_CALL_START && call->request.verb != RL_VERB_FORCE &&
		!rl_pool_is_worth_asking(call->pool, member->node, want, now)) {
		member->state = RL_MEMBER_CALL_BACKED_OFF;
	}
}

void rl_member_call_finish(rl_member_call *member, rl_vote vote)
{
	member->vote = vote;
	member->state = RL_MEMBER_CALL_DONE;
}

void rl_member_call_fail(rl_member_call *member)
{
	rl_member_call_finish(member, RL_VOTE_FAILED);
}

bool rl_member_call_may_take_back(const rl_member_call *member, int64_t now)
{
	const rl_quorum_call *call = member->call;
	int64_t ttl = call->request.ttl_ms * RL_NS_PER_MS;
	return !call->is_own_token ||
		now < member->channel.sent_at + ttl - rl_set_drift(call->set, ttl);
}

bool rl_member_call_is_unanswered(const rl_member_call *member)
{
	return (member->state == RL_MEMBER_CALL_ANSWER || member->state == RL_MEMBER_CALL_REFUSED) &&
		rl_channel_is_handed_over(&member->channel);
}

/* ---- sending ---- */

void rl_member_call_flush(rl_member_call *member, const rl_tick *tick)
{
	if (rl_channel_flush(&member->channel, tick->now)) {
		/* Connect time that was not used does not extend the time for the answer. */
		member->budget_end = rl_time_earlier(member->budget_end, tick->now + member->timeout);
	}
}

/* Fills in the command for this connection, in the form that its server wants. */
static void prepare_command(rl_member_call *member)
{
	const rl_quorum_call *call = member->call;
	const rl_conn *conn = member->channel.conn;
	rl_request *sent = &member->sent;
	rl_form form = sent->form;
	bool had_no_helpers = sent->no_helpers;
	bool was_asking = sent->is_asking;
	*sent = call->request;
	if (rl_verb_takes(sent->verb) && member->doubt == RL_DOUBT_UNKNOWN) {
		sent->verb = RL_VERB_TRY;
		sent->maybe_ours = !call->is_own_token;
		sent->mark_ms = sent->waiter.data != NULL ? sent->mark_ms : 0;
	}
	bool is_new = rl_conn_needs_text(conn, sent->verb);
	/* If the answer may stay unread, no answer could lead to a second round. */
	bool is_text = is_new || rl_member_call_may_stay_unheard(member, sent->verb);
	sent->form = form == RL_FORM_USUAL && is_text ? RL_FORM_TEXT : form;
	sent->no_helpers = had_no_helpers || sent->no_helpers || !call->set->wakes;
	sent->is_asking = was_asking;
	int64_t own_ms = rl_reservation_ms(call->set->count, conn->round_trip);
	sent->reserve_ms = own_ms > sent->reserve_ms ? own_ms : sent->reserve_ms;
}

void rl_member_call_send(rl_member_call *member, const rl_tick *tick)
{
	rl_channel *channel = &member->channel;
	prepare_command(member);
	/* Of several swaps the last one sets the TTL, so its time of sending counts. */
	channel->sent_at = member->sent.verb == RL_VERB_SWAP ? 0 : channel->sent_at;
	member->state = RL_MEMBER_CALL_ANSWER;
	if (!rl_channel_send(channel, &member->sent, (unsigned) member->sent.verb)) {
		rl_error_set(member->err, RL_ERR_MEMORY, 0, "out of memory");
		rl_channel_close(channel);
		rl_member_call_fail(member);
		return;
	}
	rl_route *route = rl_member_call_server(member)->route;
	if (route != NULL) {
		rl_conn_ask_map(channel->conn, route, tick->now);
	}
	rl_member_call_flush(member, tick);
}

/* ---- opening ---- */

void rl_member_call_pause(rl_member_call *member, unsigned n, const rl_tick *tick)
{
	const rl_quorum_call *call = member->call;
	int64_t delay = 0;
	if (n > 0) {
		delay = rl_backoff_delay(&call->set->backoff, n - 1, call->env);
		delay = delay < RL_NS_PER_MS ? RL_NS_PER_MS : delay; /* jitter can make it 0 */
	}
	member->vain++;
	member->resume_at = rl_time_later(tick->now, delay);
	member->state = RL_MEMBER_CALL_PAUSED;
	if (member->resume_at >= member->budget_end) {
		rl_member_call_fail(member);
	}
}

/* Call when the connection is gone. Dials again within the budget if has_hope, or if the command is
 * in doubt, which only another answer can clear. Another node of the member is asked at once. */
static void recover(rl_member_call *member, bool has_hope, const rl_tick *tick)
{
	if (!has_hope && rl_member_call_look_up_again(member, tick->now)) {
		return;
	}
	bool is_elsewhere = !has_hope && rl_member_call_may_hop(member);
	if (!has_hope && !is_elsewhere && member->doubt != RL_DOUBT_UNKNOWN) {
		rl_member_call_fail(member);
		return;
	}
	member->sent.is_asking = false; /* the node of the slot knows where the key is now */
	rl_member_call_pause(member, is_elsewhere ? 0 : member->vain, tick);
}

/* A command that takes a lock is undone if the login fails. The release of a drawn token can free
 * no other lock in any database, so it is sent with the login: a quorum call may end before the
 * login is answered. */
static bool may_travel_with_login(const rl_quorum_call *call)
{
	return rl_verb_takes(call->request.verb) ||
		(call->request.verb == RL_VERB_RELEASE && rl_token_is_drawn(call->request.token));
}

/* False = the server cannot be dialled; err has the reason. */
static bool take_or_dial(rl_member_call *member, const rl_tick *tick)
{
	const rl_quorum_call *call = member->call;
	rl_target *target = member->node;
	rl_pool_want want = call->request.verb == RL_VERB_FORCE ? RL_WANT_CHECKED : RL_WANT_ANY;
	want = must_come_after(call) ? RL_WANT_RELEASE : want;
	rl_channel *channel = &member->channel;
	bool is_taken = rl_channel_take(channel, call->pool, target, want, 0, tick->now);
	if (is_taken && !channel->is_connecting) {
		return true;
	}
	if (!member->has_dialled) {
		member->has_dialled = true;
		member->budget_end = rl_time_earlier(
			rl_time_later(member->budget_end, member->connect_timeout), member->budget_max);
	}
	int64_t connect_end = rl_time_earlier(tick->now + member->connect_timeout, member->budget_end);
	channel->connect_end = connect_end;
	return is_taken ||
		rl_channel_dial(
			channel, call->pool->transport, target, connect_end, call->env, member->err);
}

static void open(rl_member_call *member, const rl_tick *tick)
{
	rl_member_call_choose_node(member);
	keep_own_token_back(member, tick->now); /* the node may be another one by now */
	if (member->state == RL_MEMBER_CALL_DONE ||
		(rl_member_call_sentinels(member) != NULL && rl_member_call_hold_back(member, tick->now))) {
		return;
	}
	if (!take_or_dial(member, tick)) {
		if (rl_member_call_wants_name(member, tick)) {
			return;
		}
		rl_member_call_note_failure(member, tick);
		recover(member, false, tick);
	} else if (may_travel_with_login(member->call) || rl_channel_is_logged_in(&member->channel)) {
		rl_member_call_send(member, tick);
	} else {
		member->state = RL_MEMBER_CALL_LOGIN;
		rl_member_call_flush(member, tick);
	}
}

/* ---- taking the caller's token back ---- */

void rl_member_call_take_back(rl_member_call *member, const rl_tick *tick)
{
	const rl_quorum_call *call = member->call;
	if (member->vote != RL_VOTE_GRANTED || member->state != RL_MEMBER_CALL_DONE ||
		member->is_taken_back || !rl_member_call_may_take_back(member, tick->now)) {
		return;
	}
	rl_request undo = rl_request_undo(&call->request);
	undo.is_asking = member->sent.is_asking;
	bool is_sent = rl_channel_send(&member->channel, &undo, (unsigned) RL_VERB_RELEASE);
	member->state = RL_MEMBER_CALL_TAKING_BACK;
	member->budget_end = rl_time_earlier(tick->now + member->timeout, member->budget_max);
	if (!is_sent) {
		rl_error_set(member->err, RL_ERR_MEMORY, 0, "out of memory");
		member->doubt = RL_DOUBT_UNKNOWN;
		rl_member_call_fail(member);
		return;
	}
	rl_stats_add(&rl_env_stats(call->env)->grants_undone, 1);
	rl_member_call_flush(member, tick);
}

/* ---- the connection breaks ---- */

/* The login failed; err has the reason. */
static bool is_refused(const rl_member_call *member)
{
	return member->state == RL_MEMBER_CALL_REFUSED || member->state == RL_MEMBER_CALL_UNDOING;
}

/* True when the break ends the member call. */
static bool ends_with(rl_member_call *member, const rl_error *err)
{
	bool is_over = is_refused(member) || err->status == RL_ERR_TLS;
	if (!is_over && member->call->request.verb == RL_VERB_FORCE &&
		member->doubt == RL_DOUBT_UNKNOWN) {
		/* A second FORCE could free the lock of the next holder. */
		rl_error_set(member->err, RL_ERR_UNKNOWN, err->sys_errno,
			"outcome unknown: the connection broke before the answer: %s; "
			"call isLocked() to see whether the lock is still held",
			err->message);
		is_over = true;
	}
	return is_over;
}

static void on_down(rl_member_call *member, const rl_error *err, const rl_tick *tick)
{
	rl_channel *channel = &member->channel;
	bool is_taking_back = member->state == RL_MEMBER_CALL_TAKING_BACK;
	/* A server that is full sends its error without having read the command, and a server that
	 * expects TLS has not understood it. */
	bool was_unread =
		err->status == RL_ERR_TLS || (is_refused(member) && rl_error_is_full(member->err));
	if (is_taking_back || (rl_member_call_is_unanswered(member) && !was_unread)) {
		member->doubt = RL_DOUBT_UNKNOWN;
	}
	if (!is_refused(member)) {
		*member->err = *err;
	}
	if (err->status == RL_ERR_PROTOCOL && !is_taking_back) {
		member->must_close = true; /* an undo can still be written */
		rl_member_call_fail(member);
		return;
	}
	/* A server that accepts connections and never answers counts like one that refuses them. */
	bool was_silent = channel->conn->heard == RL_CONN_HEARD_NEVER;
	rl_channel_close(channel);
	if (is_taking_back || ends_with(member, err)) {
		rl_member_call_fail(member);
		return;
	}
	bool was_connected = err->status == RL_ERR_CLOSED;
	if (was_connected) {
		rl_stats_add(&rl_env_stats(member->call->env)->reconnects, 1);
	}
	if (was_silent) {
		rl_member_call_note_failure(member, tick);
	}
	/* With several members a silent one is not dialled again: the others can decide. */
	bool has_hope = was_connected;
	if (was_silent && member->call->set->count > 1) {
		rl_member_call_fail(member);
	} else {
		recover(member, has_hope, tick);
	}
}

/* ---- stepping ---- */

static void on_ready(rl_member_call *member, const rl_tick *tick)
{
	rl_channel_note_ready(&member->channel, member->call->env);
	if (member->state == RL_MEMBER_CALL_LOGIN) { /* else the command was sent already */
		rl_member_call_send(member, tick);
	}
}

/* The command is answered, also if the answer is still checked. */
static bool is_answered(const rl_member_call *member)
{
	return member->state == RL_MEMBER_CALL_CHECKING || member->state == RL_MEMBER_CALL_DONE;
}

/* Reads all that has arrived, until the command is answered or there is no connection. The end of
 * the connection, which may follow the answer at once, is not the end of the answer. */
static void read_all(rl_member_call *member, const rl_tick *tick)
{
	rl_conn_event event = {.type = RL_CONN_READY};
	while (event.type != RL_CONN_NONE && rl_channel_is_open(&member->channel) &&
		!is_answered(member)) {
		rl_channel_next(&member->channel, &event);
		switch (event.type) {
			case RL_CONN_NONE:
				break;
			case RL_CONN_READY:
				on_ready(member, tick);
				break;
			case RL_CONN_REFUSED:
				rl_member_call_on_login_refused(member, &event.reply, tick);
				break;
			case RL_CONN_REPLY:
				rl_member_call_on_reply(member, &event, tick);
				break;
			case RL_CONN_DOWN:
				on_down(member, &event.err, tick);
				break;
		}
	}
}

static void judge_connecting(rl_member_call *member, const rl_tick *tick)
{
	if (tick->seen < member->channel.connect_end) {
		return;
	}
	const rl_conn *conn = member->channel.conn;
	char limit[RL_SECONDS_TEXT];
	rl_error_set(member->err, RL_ERR_CONNECT, 0, "no connection within %s s (connectTimeout)%s",
		rl_seconds_text(member->connect_timeout, limit), conn->transport->hint(conn->link));
	rl_channel_close(&member->channel);
	rl_member_call_note_failure(member, tick);
	recover(member, false, tick);
}

static void set_timeout_error(rl_member_call *member, const rl_tick *tick)
{
	char before[sizeof member->err->message];
	memcpy(before, member->err->message, sizeof before);
	if (tick->seen - member->channel.sent_at >= member->timeout) {
		char limit[RL_SECONDS_TEXT];
		rl_error_set(member->err, RL_ERR_TIMEOUT, 0, "no answer within %s s (timeout)",
			rl_seconds_text(member->timeout, limit));
	} else {
		rl_error_set(member->err, RL_ERR_TIMEOUT, 0, "no answer in the rest of the timeout");
	}
	if (member->vain > 0) {
		rl_error_append(member->err, "; before that: %s", before);
	}
}

static void judge_answering(rl_member_call *member, const rl_tick *tick)
{
	if (tick->seen < member->budget_end) {
		return;
	}
	member->must_close = true;
	rl_member_call_note_failure(member, tick);
	if (member->state == RL_MEMBER_CALL_TAKING_BACK || rl_member_call_is_unanswered(member)) {
		member->doubt = RL_DOUBT_UNKNOWN;
	}
	if (!is_refused(member)) {
		set_timeout_error(member, tick);
	}
	rl_member_call_fail(member);
}

static bool is_paused(const rl_member_call *member)
{
	return member->state == RL_MEMBER_CALL_PAUSED || member->state == RL_MEMBER_CALL_NAMING;
}

/* Ends the pause. False = the pause is not over. */
static bool resume(rl_member_call *member, const rl_tick *tick)
{
	if (tick->now < member->resume_at) {
		return false;
	}
	member->state = RL_MEMBER_CALL_START;
	if (tick->now >= member->budget_end) {
		rl_member_call_fail(member); /* err has the last break */
	}
	return true;
}

/* Steps a member call with a connection. False = nothing more can be done now. */
static bool go_on(rl_member_call *member, const rl_tick *tick)
{
	rl_member_call_flush(member, tick);
	read_all(member, tick);
	if (rl_channel_judge_replicas(&member->channel, tick)) {
		read_all(member, tick);
	}
	if (!rl_channel_is_open(&member->channel) || is_answered(member)) {
		return true;
	}
	if (rl_channel_is_connected(&member->channel)) {
		judge_answering(member, tick);
	} else {
		judge_connecting(member, tick);
	}
	return !rl_channel_is_open(&member->channel);
}

void rl_member_call_step(rl_member_call *member, const rl_tick *tick)
{
	if (rl_member_call_sentinels(member) != NULL) {
		rl_member_call_step_lookup(member, tick);
	}
	bool goes_on = member->state != RL_MEMBER_CALL_BACKED_OFF;
	/* Bounded: each round ends the member call, waits, or uses up an idle connection or a break. */
	while (goes_on && member->state != RL_MEMBER_CALL_DONE) {
		if (is_paused(member)) {
			goes_on = resume(member, tick);
		} else if (member->state == RL_MEMBER_CALL_LOOKUP) {
			rl_member_call_step_lookup(member, tick);
			goes_on = member->state != RL_MEMBER_CALL_LOOKUP;
		} else if (member->state == RL_MEMBER_CALL_CHECKING) {
			rl_member_call_check(member, tick);
			goes_on = member->state != RL_MEMBER_CALL_CHECKING;
		} else if (member->state == RL_MEMBER_CALL_START) {
			open(member, tick);
		} else {
			goes_on = go_on(member, tick);
		}
	}
}

void rl_member_call_add_to_wait(const rl_member_call *member, rl_wait *wait)
{
	if (rl_member_call_sentinels(member) != NULL && member->state != RL_MEMBER_CALL_DONE) {
		rl_member_call_add_lookup(member, wait);
	}
	switch (member->state) {
		case RL_MEMBER_CALL_LOOKUP:
		case RL_MEMBER_CALL_CHECKING:
		case RL_MEMBER_CALL_DONE:
			break;
		case RL_MEMBER_CALL_BACKED_OFF:
			rl_wait_until(wait, member->call->call_up_at);
			break;
		case RL_MEMBER_CALL_NAMING:
			wait->wants_names = true;
			rl_wait_until(wait, member->resume_at);
			break;
		case RL_MEMBER_CALL_PAUSED:
			rl_wait_until(wait, member->resume_at);
			break;
		case RL_MEMBER_CALL_START:
		case RL_MEMBER_CALL_LOGIN:
		case RL_MEMBER_CALL_ANSWER:
		case RL_MEMBER_CALL_REFUSED:
		case RL_MEMBER_CALL_UNDOING:
		case RL_MEMBER_CALL_TAKING_BACK:
			rl_channel_add_to_wait(&member->channel, wait, member->budget_end);
			break;
	}
}
