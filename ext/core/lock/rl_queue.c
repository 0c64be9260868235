/* SPDX-License-Identifier: MIT
 *
 * A place in the wait queue. The design is in the header.
 */
#include "core/lock/rl_queue.h"

#include "core/base/rl_time.h"

#include <string.h>

static const rl_member *member_of(const rl_queue *queue, const rl_quorum_call *call)
{
	return &call->terms.set->members[queue->member];
}

/* Reads a reply to BLPOP or try. No error message shows the token. */
static void read_reply(const rl_quorum_call *call, rl_verb verb, const rl_reply *reply,
	rl_answer *answer, rl_error *err)
{
	rl_request request = call->terms.request;
	request.verb = verb;
	request.form = RL_FORM_TEXT;
	rl_answer_read(&request, reply, answer, err, &call->terms.request.token, 1);
}

/* BLPOP is answered, but the try is not. */
static bool is_woken(const rl_queue *queue)
{
	return queue->state == RL_QUEUE_WOKEN || queue->state == RL_QUEUE_PRODDED;
}

bool rl_queue_is_in(const rl_queue *queue)
{
	bool is_in = queue->state == RL_QUEUE_IN || is_woken(queue);
	return is_in && rl_channel_is_handed_over(&queue->channel);
}

bool rl_queue_is_in_since(const rl_queue *queue, int64_t at)
{
	return rl_queue_is_in(queue) && queue->channel.sent_at <= at;
}

/* @param node NULL = none */
static void set_node(rl_target **slot, rl_target *node)
{
	rl_target *before = *slot;
	*slot = node != NULL ? rl_target_ref(node) : NULL;
	rl_target_unref(before);
}

static void drop(rl_queue *queue)
{
	rl_channel_close(&queue->channel);
	queue->state = RL_QUEUE_OUT;
}

/* ---- entering ---- */

/* Writes BLPOP and try. False = out of memory. */
static bool send_both(rl_queue *queue, rl_quorum_call *call, int64_t now)
{
	int64_t left = queue->slice_end - now;
	left = left > 0 ? left : 0;
	/* BLPOP blocks to the end of the slice, even if the server's clock runs fast. */
	int64_t drift = (int64_t) (call->terms.set->drift_factor * (double) left);
	rl_request request = call->terms.request;
	request.verb = RL_VERB_BLPOP;
	request.is_asking = queue->at.is_asking;
	request.block_ms = (left + drift) / RL_NS_PER_MS + RL_QUEUE_SLACK_MS;
	rl_conn_send_name(queue->channel.conn); /* after BLPOP it would wait */
	if (!rl_channel_send(&queue->channel, &request, RL_VERB_BLPOP)) {
		return false;
	}
	request.verb = RL_VERB_TRY;
	request.form = RL_FORM_TEXT; /* NOSCRIPT would lose the ticket */
	request.place = RL_PLACE_QUEUED;
	request.mark_ms = 0; /* the probes renew the mark */
	request.is_asking = queue->at.is_asking;
	bool is_sent = rl_channel_send(&queue->channel, &request, RL_VERB_TRY);
	queue->channel.sent_at = 0;
	queue->state = RL_QUEUE_IN;
	queue->answer_end = rl_time_later(rl_time_later(queue->slice_end, 2 * drift),
		member_of(queue, call)->timeout_ns + RL_QUEUE_SLACK_MS * RL_NS_PER_MS);
	return is_sent;
}

/* If the error shows that the server is a replica, the next place uses another connection. */
static void leave_wrong_server(
	const rl_queue *queue, const rl_quorum_call *call, const rl_error *err)
{
	if (rl_error_is_wrong_server(err)) {
		int64_t now = call->terms.env->now(call->terms.env->ctx);
		rl_pool_distrust(call->terms.pool, &queue->at.node->address, now);
	}
}

static rl_queue_event lose(rl_queue *queue)
{
	bool was_sent = rl_channel_is_handed_over(&queue->channel);
	queue->doubt = was_sent ? RL_DOUBT_UNKNOWN : RL_DOUBT_NONE;
	drop(queue);
	return RL_QUEUE_LOST;
}

/* Takes an idle connection, but not the last one of the pool, or dials: the probes need one, and
 * the try at the deadline must not have to dial. */
static bool open_channel(rl_queue *queue, rl_quorum_call *call, int64_t now, rl_error *err)
{
	const rl_member *member = member_of(queue, call);
	int64_t connect_end = rl_time_later(now, member->connect_timeout_ns);
	if (!queue->at.is_asking) {
		set_node(&queue->at.node, rl_member_node(member, call->terms.request.slot));
	}
	bool has_spare = rl_pool_count(call->terms.pool, queue->at.node) > 1;
	return (has_spare &&
			   rl_channel_take(&queue->channel, call->terms.pool, queue->at.node, RL_WANT_QUIET,
				   queue->answer_end, now)) ||
		rl_channel_dial(&queue->channel, call->terms.pool->transport, queue->at.node, connect_end,
			call->terms.env, err);
}

static void begin_login(rl_queue *queue, const rl_quorum_call *call, int64_t now)
{
	queue->channel.command_end = 0;
	queue->is_unclear = false;
	queue->blpop = RL_BLPOP_NOTHING;
	queue->answer_end = rl_time_later(now, member_of(queue, call)->timeout_ns);
	queue->channel.connect_end = queue->answer_end;
	queue->state = RL_QUEUE_LOGIN;
}

void rl_queue_enter(rl_queue *queue, rl_quorum_call *call, int64_t until, int64_t now)
{
	queue->slice_end = rl_time_earlier(until, rl_time_later(now, RL_QUEUE_SLICE_NS));
	queue->at.is_asking = queue->at.is_asking && queue->state == RL_QUEUE_ANSWERED;
	queue->hops = 0;
	begin_login(queue, call, now);
}

/* LOGIN: opens the channel, and writes once no command can reach a wrong database. */
static rl_queue_event go_in(
	rl_queue *queue, rl_quorum_call *call, const rl_tick *tick, rl_error *err)
{
	rl_channel *channel = &queue->channel;
	if (!rl_channel_is_open(channel) && !open_channel(queue, call, tick->now, err)) {
		return lose(queue);
	}
	if (rl_channel_is_logged_in(channel) && !send_both(queue, call, tick->now)) {
		rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
		return lose(queue);
	}
	rl_channel_flush(&queue->channel, tick->now);
	return RL_QUEUE_NOTHING;
}

/* ---- redirects ---- */

/* Notes where a reply redirects to. False = the reply is no redirect, or the member has a single
 * server. */
static bool note_redirect(rl_queue *queue, const rl_quorum_call *call, const rl_reply *reply)
{
	rl_route *route = member_of(queue, call)->route;
	rl_destination next = rl_route_follow_reply(route, reply, queue->at.node);
	if (next.node == NULL) {
		return false;
	}
	set_node(&queue->next.node, next.node);
	queue->next.is_asking = next.is_asking;
	return true;
}

/* BLPOP and try are answered, and have not run: the place moves to the other node. */
static rl_queue_event hop(rl_queue *queue, const rl_quorum_call *call, rl_error *err)
{
	if (queue->hops == RL_HOPS_MAX) {
		rl_error_set(err, RL_ERR_CONNECT, 0, "redirected too often in the wait queue");
		return lose(queue);
	}
	int64_t now = call->terms.env->now(call->terms.env->ctx);
	rl_channel_give_back(&queue->channel, call->terms.pool, (rl_giving){.is_trusted = true}, now);
	queue->hops++;
	rl_stats_add(&rl_env_stats(call->terms.env)->cluster_redirects, 1); /* one for both commands */
	rl_target_unref(queue->at.node);
	queue->at = queue->next;
	queue->next.node = NULL;
	begin_login(queue, call, now);
	return RL_QUEUE_NOTHING;
}

/* ---- answers ---- */

/* Switches waking off for the set if the refused command would be refused for every key.
 * @param is_unknown the server does not know the command */
static void note_forbidden(const rl_quorum_call *call, const rl_error *err, bool is_unknown)
{
	if (is_unknown || rl_error_names_command(err)) {
		rl_stats_add(
			&rl_env_stats(call->terms.env)->wake_failures, rl_set_stop_waking(call->terms.set));
	}
}

static void on_blpop(rl_queue *queue, const rl_quorum_call *call, const rl_reply *reply)
{
	rl_answer answer;
	rl_error err;
	set_node(&queue->next.node, NULL);
	note_redirect(queue, call, reply);
	read_reply(call, RL_VERB_BLPOP, reply, &answer, &err);
	queue->blpop = answer.vote == RL_VOTE_GRANTED ? RL_BLPOP_TICKET : RL_BLPOP_NOTHING;
	queue->state = RL_QUEUE_WOKEN;
	if (answer.vote == RL_VOTE_FAILED) {
		note_forbidden(call, &err, strcmp(err.code, "ERR") == 0);
		queue->blpop = rl_error_passes(&err) ? RL_BLPOP_LATER : RL_BLPOP_NEVER;
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
	if (queue->answer.vote == RL_VOTE_FAILED && err->status == RL_ERR_UNCONFIRMED) {
		rl_stats_add(&rl_env_stats(call->terms.env)->unconfirmed, 1);
		return lose(queue); /* the next try takes the lock over, or undoes it */
	}
	queue->channel.command_end = 0;
	switch (queue->answer.vote) {
		case RL_VOTE_GRANTED:
			return RL_QUEUE_WON;
		case RL_VOTE_FAILED:
			if (note_redirect(queue, call, reply) || queue->next.node != NULL) {
				return hop(queue, call, err);
			}
			if (rl_error_passes(err)) {
				leave_wrong_server(queue, call, err);
				return lose(queue);
			}
			queue->is_unclear = queue->is_unclear || err->status == RL_ERR_PROTOCOL;
			note_forbidden(call, err, false);
			return rl_error_is_about_helpers(err) ? RL_QUEUE_USELESS : RL_QUEUE_FAILED;
		case RL_VOTE_OPEN:
		case RL_VOTE_REFUSED:
			break;
	}
	if (queue->blpop == RL_BLPOP_NEVER) {
		return RL_QUEUE_USELESS;
	}
	if (queue->blpop == RL_BLPOP_LATER) {
		rl_error_set(err, RL_ERR_CLOSED, 0,
			"the server ended the wait in the queue (BLPOP) with an error that may pass");
		return lose(queue);
	}
	return RL_QUEUE_REFUSED;
}

static rl_queue_event on_down(rl_queue *queue, const rl_error *err)
{
	bool is_garbled = err->status == RL_ERR_PROTOCOL;
	if (is_garbled && is_woken(queue)) {
		queue->is_unclear = true; /* an undo can still be written */
		queue->answer.vote = RL_VOTE_FAILED;
		queue->state = RL_QUEUE_ANSWERED;
		return RL_QUEUE_FAILED;
	}
	/* Nonsense instead of a ticket is no failure: any client may have put it into the list. */
	return lose(queue);
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
	while (outcome == RL_QUEUE_NOTHING && rl_channel_is_open(&queue->channel)) {
		rl_channel_next(&queue->channel, &event);
		switch (event.type) {
			case RL_CONN_NONE:
				return RL_QUEUE_NOTHING;
			case RL_CONN_READY:
				rl_channel_note_ready(&queue->channel, call->terms.env);
				outcome = go_in(queue, call, tick, err);
				break;
			case RL_CONN_REFUSED:
				rl_error_from_server(err, event.reply.text, &call->terms.request.token, 1);
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

/* Valkey 9.0 and 9.1 may not run the try by themselves: see the header. */
static void prod(rl_queue *queue, int64_t now)
{
	if (queue->state == RL_QUEUE_WOKEN && !rl_conn_is_confirming(queue->channel.conn)) {
		queue->state = RL_QUEUE_PRODDED;
		rl_conn_prod(queue->channel.conn);
		rl_channel_flush(&queue->channel, now);
	}
}

/* The login, or the answers, must arrive before this time. */
static int64_t end_of(const rl_queue *queue)
{
	return queue->state == RL_QUEUE_LOGIN ? queue->channel.connect_end : queue->answer_end;
}

static bool is_too_late(const rl_queue *queue, const rl_tick *tick)
{
	const rl_channel *channel = &queue->channel;
	return tick->seen >= (rl_channel_is_connected(channel) ? end_of(queue) : channel->connect_end);
}

rl_queue_event rl_queue_step(
	rl_queue *queue, rl_quorum_call *call, const rl_tick *tick, rl_error *err)
{
	if (queue->state == RL_QUEUE_OUT || queue->state == RL_QUEUE_ANSWERED) {
		return RL_QUEUE_NOTHING;
	}
	rl_queue_event outcome = RL_QUEUE_NOTHING;
	if (queue->state == RL_QUEUE_LOGIN &&
		(!rl_channel_is_open(&queue->channel) || rl_channel_is_logged_in(&queue->channel))) {
		outcome = go_in(queue, call, tick, err);
	} else {
		rl_channel_flush(&queue->channel, tick->now);
	}
	if (outcome != RL_QUEUE_NOTHING) {
		return outcome;
	}
	outcome = read_conn(queue, call, tick, err);
	if (outcome == RL_QUEUE_NOTHING && rl_channel_is_open(&queue->channel) &&
		rl_channel_judge_replicas(&queue->channel, tick)) {
		outcome = read_conn(queue, call, tick, err);
	}
	if (outcome == RL_QUEUE_NOTHING && !rl_channel_is_open(&queue->channel)) {
		outcome = go_in(queue, call, tick, err); /* the place has moved */
	}
	if (outcome == RL_QUEUE_NOTHING) {
		prod(queue, tick->now);
	}
	if (outcome == RL_QUEUE_NOTHING && is_too_late(queue, tick)) {
		rl_error_set(err, RL_ERR_TIMEOUT, 0, "no answer on the connection in the wait queue");
		return lose(queue);
	}
	return outcome;
}

void rl_queue_add_to_wait(const rl_queue *queue, rl_wait *wait)
{
	if (rl_channel_is_open(&queue->channel) && queue->state != RL_QUEUE_ANSWERED) {
		rl_channel_add_to_wait(&queue->channel, wait, end_of(queue));
	}
}

int64_t rl_queue_won_since(
	const rl_queue *queue, const rl_sample *sample, double drift_factor, int64_t now)
{
	int64_t server_us = queue->answer.time_us;
	if (server_us == 0 || sample->server_us == 0 || sample->node == NULL ||
		!rl_target_equal(sample->node, queue->at.node)) {
		return queue->channel.sent_at;
	}
	/* The earliest start of ownership is the safe one. The sample may be later than the win, so
	 * passed may be negative. */
	double passed = (double) (server_us - sample->server_us) * 1000;
	passed *= passed >= 0 ? 1 - drift_factor : 1 + drift_factor;
	double since = (double) (sample->asked_at - queue->channel.sent_at) + passed;
	if (since <= 0) {
		return queue->channel.sent_at;
	}
	double most = (double) (now - queue->channel.sent_at);
	return queue->channel.sent_at + (int64_t) (since < most ? since : most);
}

/* ---- leaving ---- */

rl_conn *rl_queue_hand_over(rl_queue *queue)
{
	queue->state = RL_QUEUE_OUT;
	return rl_channel_hand_over(&queue->channel);
}

/* Reads the answers that have arrived, because the try may have run. A ticket is not counted as a
 * wake-up here. A try that is unconfirmed counts as unanswered, so that it is undone. */
static void hear_last_word(rl_queue *queue, const rl_quorum_call *call)
{
	rl_conn_event event;
	rl_error unused;
	rl_conn *conn = queue->channel.conn;
	conn->transport->take_in(conn->link);
	do {
		rl_channel_next(&queue->channel, &event);
		if (event.type == RL_CONN_REPLY && event.reply.type != RL_REPLY_UNCONFIRMED) {
			on_reply(queue, call, &event, &unused);
		}
	} while (event.type == RL_CONN_REPLY && is_woken(queue));
}

rl_settlement rl_queue_leave(rl_queue *queue, rl_quorum_call *call, bool is_undo, int64_t now)
{
	rl_settlement settlement = {0};
	if (is_undo && rl_queue_is_in(queue)) {
		hear_last_word(queue, call);
	}
	rl_channel *channel = &queue->channel;
	bool is_answered = queue->state == RL_QUEUE_ANSWERED;
	bool is_granted = is_answered && queue->answer.vote == RL_VOTE_GRANTED;
	bool may_hold = is_granted || rl_queue_is_in(queue) || queue->is_unclear;
	if (rl_channel_is_open(channel) && is_undo && may_hold) {
		rl_request request = call->terms.request;
		request.is_asking = queue->at.is_asking;
		settlement.was_undone = rl_conn_undo(channel->conn, &request);
		if (call->terms.is_own_token) {
			rl_conn_note_own(channel->conn, request.key, request.token);
		}
		settlement.doubt = !settlement.was_undone ? RL_DOUBT_UNKNOWN
			: is_granted                          ? RL_DOUBT_NONE
												  : RL_DOUBT_GUARDED;
		rl_stats_add(&rl_env_stats(call->terms.env)->grants_undone, settlement.was_undone);
	}
	rl_giving giving = {
		.is_trusted = is_answered && !queue->is_unclear, .must_arrive = settlement.was_undone};
	rl_channel_give_back(channel, call->terms.pool, giving, now);
	queue->state = RL_QUEUE_OUT;
	queue->is_unclear = false;
	return settlement;
}

void rl_queue_clear(rl_queue *queue)
{
	set_node(&queue->at.node, NULL);
	set_node(&queue->next.node, NULL);
}

void rl_queue_drop(rl_queue *queue)
{
	drop(queue);
}
