/* SPDX-License-Identifier: MIT
 *
 * A place in the queue. The design is in the header.
 */
#include "core/lock/rl_queue.h"

#include "core/base/rl_time.h"

#include <string.h>

static const rl_member *member_of(const rl_queue *queue, const rl_quorum_call *call)
{
	return &call->set->members[queue->member];
}

/* What the server said of what belongs to the lock is kept free of the token. */
static void read_reply(const rl_quorum_call *call, rl_verb verb, const rl_reply *reply,
	rl_answer *answer, rl_error *err)
{
	rl_request request = call->request;
	request.verb = verb;
	request.as_text = true;
	rl_command_read(&request, reply, answer, err, &call->request.token, 1);
}

static bool is_handed_over(const rl_queue *queue)
{
	return queue->conn != NULL && queue->command_end != 0 &&
		queue->conn->transport->sent(queue->conn->link) >= queue->command_end;
}

bool rl_queue_is_in(const rl_queue *queue)
{
	return queue->state == RL_QUEUE_IN && is_handed_over(queue);
}

bool rl_queue_is_in_since(const rl_queue *queue, int64_t at)
{
	return rl_queue_is_in(queue) && queue->sent_at <= at;
}

static void drop_conn(rl_queue *queue)
{
	rl_conn_free(queue->conn);
	queue->conn = NULL;
	queue->state = RL_QUEUE_OUT;
}

/* ---- going in ---- */

static void flush(rl_queue *queue, int64_t now)
{
	rl_conn *conn = queue->conn;
	if (queue->sent_at == 0 && queue->command_end != 0 &&
		conn->transport->is_connected(conn->link)) {
		queue->sent_at = now;
	}
	conn->transport->flush(conn->link);
}

/* False when there is no memory for it. */
static bool send_both(rl_queue *queue, rl_quorum_call *call, int64_t now)
{
	int64_t left = queue->slice_end - now;
	left = left > 0 ? left : 0;
	/* By the fastest of the server's clocks it blocks to the end of its slice. */
	int64_t drift = (int64_t) (call->set->drift_factor * (double) left);
	rl_request request = call->request;
	request.verb = RL_VERB_BLPOP;
	request.block_ms = (left + drift) / RL_NS_PER_MS + RL_QUEUE_SLACK_MS;
	rl_conn_send_name(queue->conn); /* behind a BLPOP it would wait */
	if (rl_conn_send(queue->conn, &request, RL_VERB_BLPOP) == 0) {
		return false;
	}
	request.verb = RL_VERB_TRY;
	request.as_text = true; /* nobody could say it again */
	request.place = RL_PLACE_QUEUED;
	request.mark_ms = 0; /* it does not mark */
	queue->command_end = rl_conn_send(queue->conn, &request, RL_VERB_TRY);
	queue->sent_at = 0;
	queue->is_blpop_pending = true;
	queue->was_prodded = false;
	queue->state = RL_QUEUE_IN;
	queue->answer_end = rl_time_later(rl_time_later(queue->slice_end, 2 * drift),
		member_of(queue, call)->timeout_ns + RL_QUEUE_SLACK_MS * RL_NS_PER_MS);
	return queue->command_end != 0;
}

/* A replica: the next place is taken on a new connection. */
static void leave_wrong_server(
	const rl_queue *queue, const rl_quorum_call *call, const rl_error *err)
{
	if (rl_error_is_wrong_server(err)) {
		int64_t now = call->env->now(call->env->ctx);
		rl_pool_distrust(call->pool, &member_of(queue, call)->target->address, now);
	}
}

static rl_queue_event lose(rl_queue *queue)
{
	queue->is_in_doubt = is_handed_over(queue);
	drop_conn(queue);
	return RL_QUEUE_LOST;
}

/* A new connection, or an idle one of the pool, but not the last: the looks need one, and the try at the
 * deadline must not have to dial. */
static void open_conn(rl_queue *queue, rl_quorum_call *call, int64_t now, rl_error *err)
{
	const rl_member *member = member_of(queue, call);
	if (rl_pool_count(call->pool, member->target) > 1) {
		queue->conn = rl_pool_take(call->pool, member->target, RL_WANT_QUIET, now);
	}
	if (queue->conn != NULL) {
		return;
	}
	queue->connect_end = rl_time_later(now, member->connect_timeout_ns);
	queue->conn =
		rl_conn_dial(call->pool->transport, member->target, queue->connect_end, call->env, err);
}

void rl_queue_enter(
	rl_queue *queue, rl_quorum_call *call, const rl_sample *sample, int64_t until, int64_t now)
{
	queue->slice_end = rl_time_earlier(until, rl_time_later(now, RL_QUEUE_SLICE_NS));
	queue->sample = *sample;
	queue->command_end = 0;
	queue->has_ticket = false;
	queue->is_unclear = false;
	queue->blpop_status = RL_OK;
	queue->answer_end = rl_time_later(now, member_of(queue, call)->timeout_ns);
	queue->connect_end = queue->answer_end;
	queue->state = RL_QUEUE_LOGIN;
}

/* LOGIN: gets the connection, and writes as soon as nothing can go into a wrong database. */
static rl_queue_event go_in(
	rl_queue *queue, rl_quorum_call *call, const rl_tick *tick, rl_error *err)
{
	if (queue->conn == NULL) {
		open_conn(queue, call, tick->now, err);
	}
	if (queue->conn == NULL) {
		return lose(queue);
	}
	if (queue->conn->lacks_queue) {
		queue->answer.vote = RL_VOTE_REFUSED;
		queue->state = RL_QUEUE_ANSWERED;
		return RL_QUEUE_USELESS;
	}
	if (queue->conn->logins_pending == 0 && !send_both(queue, call, tick->now)) {
		rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
		return lose(queue);
	}
	flush(queue, tick->now);
	return RL_QUEUE_NOTHING;
}

/* ---- what comes back ---- */

static void on_blpop(rl_queue *queue, const rl_quorum_call *call, const rl_reply *reply)
{
	rl_answer answer;
	rl_error err;
	read_reply(call, RL_VERB_BLPOP, reply, &answer, &err);
	queue->has_ticket = answer.vote == RL_VOTE_GRANTED;
	queue->is_blpop_pending = false;
	if (answer.vote == RL_VOTE_FAILED) {
		queue->conn->lacks_queue = rl_error_names_command(&err) || strcmp(err.code, "ERR") == 0;
		queue->blpop_status = err.status;
		queue->may_pass = rl_error_passes(&err);
		leave_wrong_server(queue, call, &err);
		queue->is_unclear = err.status == RL_ERR_PROTOCOL;
	}
}

static rl_queue_event on_try(
	rl_queue *queue, const rl_quorum_call *call, const rl_reply *reply, rl_error *err)
{
	read_reply(call, RL_VERB_TRY, reply, &queue->answer, err);
	queue->answer.text = (rl_bytes){NULL, 0};
	queue->state = RL_QUEUE_ANSWERED;
	queue->command_end = 0;
	switch (queue->answer.vote) {
		case RL_VOTE_GRANTED:
			return RL_QUEUE_WON;
		case RL_VOTE_FAILED:
			if (rl_error_passes(err)) {
				leave_wrong_server(queue, call, err);
				return lose(queue);
			}
			queue->is_unclear = queue->is_unclear || err->status == RL_ERR_PROTOCOL;
			return rl_error_is_about_helpers(err) ? RL_QUEUE_USELESS : RL_QUEUE_FAILED;
		case RL_VOTE_OPEN:
		case RL_VOTE_REFUSED:
			break;
	}
	if (queue->blpop_status == RL_OK) {
		return RL_QUEUE_REFUSED;
	}
	if (queue->may_pass) {
		rl_error_set(err, RL_ERR_CLOSED, 0, "the server sent the waiters away");
		return lose(queue);
	}
	return RL_QUEUE_USELESS;
}

static rl_queue_event on_down(rl_queue *queue, const rl_error *err)
{
	bool is_garbled = err->status == RL_ERR_PROTOCOL;
	if (is_garbled && queue->state == RL_QUEUE_IN && !queue->is_blpop_pending) {
		queue->is_unclear = true; /* it can still carry an undo */
		queue->answer.vote = RL_VOTE_FAILED;
		queue->state = RL_QUEUE_ANSWERED;
		return RL_QUEUE_FAILED;
	}
	return lose(
		queue); /* also nonsense in place of a ticket: anybody may have put it into the list */
}

static rl_queue_event on_reply(
	rl_queue *queue, const rl_quorum_call *call, const rl_conn_event *event, rl_error *err)
{
	if (event->tag == RL_VERB_TRY) {
		return on_try(queue, call, &event->reply, err);
	}
	on_blpop(queue, call, &event->reply);
	return RL_QUEUE_NOTHING;
}

static rl_queue_event read_conn(
	rl_queue *queue, rl_quorum_call *call, const rl_tick *tick, rl_error *err)
{
	rl_conn_event event;
	rl_queue_event outcome = RL_QUEUE_NOTHING;
	while (outcome == RL_QUEUE_NOTHING) {
		rl_conn_next(queue->conn, &event);
		switch (event.type) {
			case RL_CONN_NONE:
				return RL_QUEUE_NOTHING;
			case RL_CONN_READY:
				outcome = go_in(queue, call, tick, err);
				break;
			case RL_CONN_REFUSED:
				rl_error_from_server(err, event.reply.text, &call->request.token, 1);
				return lose(queue);
			case RL_CONN_REPLY:
				outcome = on_reply(queue, call, &event, err);
				break;
			case RL_CONN_DOWN:
				*err = event.err;
				outcome = on_down(queue, err);
				break;
		}
	}
	return outcome;
}

/* The server may not go on by itself: see the header. */
static void prod(rl_queue *queue, int64_t now)
{
	if (queue->state == RL_QUEUE_IN && !queue->is_blpop_pending && !queue->was_prodded) {
		queue->was_prodded = true;
		rl_conn_prod(queue->conn);
		flush(queue, now);
	}
}

static bool is_too_late(const rl_queue *queue, const rl_tick *tick)
{
	rl_conn *conn = queue->conn;
	bool is_connecting =
		queue->state == RL_QUEUE_LOGIN || !conn->transport->is_connected(conn->link);
	return tick->seen >= (is_connecting ? queue->connect_end : queue->answer_end);
}

rl_queue_event rl_queue_step(
	rl_queue *queue, rl_quorum_call *call, const rl_tick *tick, rl_error *err)
{
	if (queue->state == RL_QUEUE_OUT || queue->state == RL_QUEUE_ANSWERED) {
		return RL_QUEUE_NOTHING;
	}
	rl_queue_event outcome = RL_QUEUE_NOTHING;
	if (queue->state == RL_QUEUE_LOGIN &&
		(queue->conn == NULL || queue->conn->logins_pending == 0)) {
		outcome = go_in(queue, call, tick, err);
	} else {
		flush(queue, tick->now);
	}
	if (outcome != RL_QUEUE_NOTHING) {
		return outcome;
	}
	outcome = read_conn(queue, call, tick, err);
	if (outcome == RL_QUEUE_NOTHING) {
		prod(queue, tick->now);
	}
	if (outcome == RL_QUEUE_NOTHING && is_too_late(queue, tick)) {
		rl_error_set(err, RL_ERR_TIMEOUT, 0, "no answer on the connection that waits in the queue");
		return lose(queue);
	}
	return outcome;
}

void rl_queue_add_to_wait(const rl_queue *queue, rl_wait *wait)
{
	if (queue->conn == NULL || queue->state == RL_QUEUE_ANSWERED) {
		return;
	}
	bool is_connecting =
		queue->state == RL_QUEUE_LOGIN || !queue->conn->transport->is_connected(queue->conn->link);
	rl_wait_for(wait, queue->conn->link, is_connecting ? queue->connect_end : queue->answer_end);
}

int64_t rl_queue_won_since(
	const rl_queue *queue, const rl_sample *sample, double drift_factor, int64_t now)
{
	int64_t server_us = queue->answer.time_us;
	if (server_us == 0 || sample->server_us == 0 || sample->member != queue->member) {
		return queue->sent_at;
	}
	/* Either way round the shorter reckoning is the safe one: the sample may be younger than the win. */
	double passed = (double) (server_us - sample->server_us) * 1000;
	passed *= passed >= 0 ? 1 - drift_factor : 1 + drift_factor;
	double since = (double) (sample->asked_at - queue->sent_at) + passed;
	if (since <= 0) {
		return queue->sent_at;
	}
	double most = (double) (now - queue->sent_at);
	return queue->sent_at + (int64_t) (since < most ? since : most);
}

/* ---- going out ---- */

rl_conn *rl_queue_hand_over(rl_queue *queue)
{
	rl_conn *conn = queue->conn;
	queue->conn = NULL;
	queue->state = RL_QUEUE_OUT;
	return conn;
}

/* What has arrived may tell that the try was run. */
static void hear_last_word(rl_queue *queue, const rl_quorum_call *call)
{
	rl_conn_event event;
	rl_error unused;
	queue->conn->transport->take_in(queue->conn->link);
	do {
		rl_conn_next(queue->conn, &event);
		if (event.type == RL_CONN_REPLY) {
			on_reply(queue, call, &event, &unused);
		}
	} while (queue->conn != NULL && event.type == RL_CONN_REPLY && queue->state == RL_QUEUE_IN);
}

rl_settlement rl_queue_leave(rl_queue *queue, rl_quorum_call *call, bool is_undo, int64_t now)
{
	rl_settlement settlement = {0};
	if (is_undo && rl_queue_is_in(queue)) {
		hear_last_word(queue, call);
	}
	rl_conn *conn = queue->conn;
	if (conn == NULL) {
		queue->state = RL_QUEUE_OUT;
		return settlement;
	}
	bool is_granted = queue->state == RL_QUEUE_ANSWERED && queue->answer.vote == RL_VOTE_GRANTED;
	bool is_open = rl_queue_is_in(queue) || queue->is_unclear;
	rl_undone undone = RL_UNDONE_NOT;
	if (is_undo && (is_granted || is_open)) {
		undone = rl_conn_undo(conn, &call->request);
		rl_stats_add(&call->env->stats->undone, undone != RL_UNDONE_NOT);
	}
	settlement.was_undone = undone != RL_UNDONE_NOT;
	settlement.was_guarded = settlement.was_undone && !is_granted;
	settlement.is_in_doubt = is_undo && (is_granted || is_open) && undone != RL_UNDONE_SURELY;
	queue->conn = NULL;
	bool is_free = queue->state == RL_QUEUE_ANSWERED && !queue->is_unclear;
	queue->state = RL_QUEUE_OUT;
	queue->is_unclear = false;
	rl_conn_discard_pending(conn);
	if (is_free && rl_conn_is_reusable(conn)) {
		rl_pool_give(call->pool, conn, now);
	} else if (settlement.was_undone) {
		rl_pool_let_linger(call->pool, conn, now);
	} else {
		rl_conn_free(conn);
	}
	return settlement;
}

void rl_queue_drop(rl_queue *queue)
{
	if (queue->conn != NULL) {
		drop_conn(queue);
	}
}
