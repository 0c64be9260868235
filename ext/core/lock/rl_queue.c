/* SPDX-License-Identifier: MIT
 *
 * A place in the wait queue. The design is in the header.
 */
#include "core/lock/rl_queue.h"

#include "core/base/rl_time.h"

#include <stdlib.h>

bool rl_queue_is_out(const rl_queue *queue)
{
	const rl_queue_place *place = queue->place;
	return place == NULL ||
		(place->errand.state == RL_ERRAND_DONE && !rl_channel_is_open(&place->errand.channel));
}

bool rl_queue_is_in(const rl_queue *queue)
{
	return queue->place != NULL && rl_errand_is_unanswered(&queue->place->errand);
}

bool rl_queue_is_in_since(const rl_queue *queue, int64_t at)
{
	return rl_queue_is_in(queue) && queue->place->errand.channel.sent_at <= at;
}

bool rl_queue_has_ticket(const rl_queue *queue)
{
	return queue->place != NULL && queue->place->errand.blpop == RL_BLPOP_TICKET;
}

/* BLPOP is answered, but the try is not. */
static bool is_woken(const rl_errand *errand)
{
	return errand->state == RL_ERRAND_ANSWER && errand->blpop != RL_BLPOP_UNHEARD;
}

/* ---- entering ---- */

/* BLPOP blocks to the end of the slice, even if the server's clock runs fast. False = waking was
 * switched off for the set. */
static bool refresh(rl_errand_terms *terms, int64_t now)
{
	const rl_queue_place *place = (const rl_queue_place *) terms; /* its first field */
	int64_t left = place->slice_end - now;
	left = left > 0 ? left : 0;
	int64_t drift = (int64_t) (terms->set->drift_factor * (double) left);
	terms->request.block_ms = (left + drift) / RL_NS_PER_MS + RL_QUEUE_SLACK_MS;
	return terms->set->wakes;
}

static void fill_in(rl_queue_place *place, const rl_quorum_call *call, int64_t now)
{
	const rl_errand_terms *from = &call->terms;
	place->terms = (rl_errand_terms){.set = from->set,
		.pool = from->pool,
		.env = from->env,
		.request = from->request,
		.is_own_token = from->is_own_token,
		.is_once = true,
		.waits_for_login = true,
		.patience = RL_NEVER,
		.refresh = refresh,
		.begun_at = now};
	rl_request *request = &place->terms.request;
	request->verb = RL_VERB_TRY;
	request->place = RL_PLACE_QUEUED;
	request->mark_ms = 0; /* the probes renew the mark */
}

bool rl_queue_enter(rl_queue *queue, const rl_quorum_call *call, int64_t until, int64_t now)
{
	if (queue->place == NULL) {
		queue->place = calloc(1, sizeof *queue->place);
	}
	rl_queue_place *place = queue->place;
	if (place == NULL) {
		return false;
	}
	rl_errand *errand = &place->errand;
	const rl_member *server = &call->terms.set->members[queue->member];
	rl_conn *conn = rl_channel_hand_over(&errand->channel); /* NULL = the place is OUT */
	bool is_asking = errand->sent.is_asking;
	if (conn == NULL) { /* the place may have been at another member */
		rl_errand_clear(errand);
		*errand = (rl_errand){.terms = &place->terms, .server = server, .err = &place->err};
	}
	place->slice_end = rl_time_earlier(until, rl_time_later(now, RL_QUEUE_SLICE_NS));
	fill_in(place, call, now);
	rl_errand_begin(errand, now, rl_time_later(now, server->connect_timeout_ns));
	rl_errand_call_up(errand);
	if (conn != NULL) {
		rl_errand_use(errand, conn, is_asking);
	}
	return true;
}

/* ---- stepping ---- */

/* Valkey 9.0 and 9.1 may not run the try by themselves: see the header. */
static void prod(rl_errand *errand, int64_t now)
{
	if (is_woken(errand) && !errand->is_prodded && !rl_conn_is_confirming(errand->channel.conn)) {
		errand->is_prodded = true;
		rl_conn_prod(errand->channel.conn);
		rl_channel_flush(&errand->channel, now);
	}
}

static rl_queue_event lose(rl_errand *errand)
{
	rl_channel_close(&errand->channel);
	return RL_QUEUE_LOST;
}

/* The errand has failed. */
static rl_queue_event on_failed(rl_errand *errand)
{
	const rl_error *err = errand->err;
	const rl_errand_terms *terms = errand->terms;
	/* Nonsense instead of a ticket is no failure: any client may have put it into the list. */
	if (err->status == RL_ERR_PROTOCOL && errand->blpop != RL_BLPOP_UNHEARD) {
		return errand->blpop == RL_BLPOP_NEVER ? RL_QUEUE_USELESS : RL_QUEUE_FAILED;
	}
	bool is_answer = err->status == RL_ERR_SERVER && errand->channel.sent_at != 0;
	if (!is_answer || rl_error_passes(err)) {
		return lose(errand);
	}
	if (rl_error_names_command(err)) {
		rl_stats_add(&rl_env_stats(terms->env)->wake_failures, rl_set_stop_waking(terms->set));
	}
	return rl_error_is_about_helpers(err) ? RL_QUEUE_USELESS : RL_QUEUE_FAILED;
}

/* The try was refused. */
static rl_queue_event on_refused(rl_errand *errand)
{
	switch (errand->blpop) {
		case RL_BLPOP_UNHEARD:
		case RL_BLPOP_NOTHING:
		case RL_BLPOP_TICKET:
			break;
		case RL_BLPOP_NEVER:
			return RL_QUEUE_USELESS;
		case RL_BLPOP_LATER:
			rl_error_set(errand->err, RL_ERR_CLOSED, 0,
				"the server ended the wait in the queue (BLPOP) with an error that may pass");
			rl_stats_add(&rl_env_stats(errand->terms->env)->reconnects, 1);
			return lose(errand);
	}
	return RL_QUEUE_REFUSED;
}

rl_queue_event rl_queue_step(rl_queue *queue, const rl_tick *tick, rl_error *err)
{
	if (queue->place == NULL || queue->place->errand.state == RL_ERRAND_DONE) {
		return RL_QUEUE_NOTHING;
	}
	rl_errand *errand = &queue->place->errand;
	rl_queue_event event = RL_QUEUE_NOTHING;
	rl_errand_step(errand, tick);
	prod(errand, tick->now);
	switch (errand->vote) {
		case RL_VOTE_OPEN:
			break;
		case RL_VOTE_GRANTED:
			event = RL_QUEUE_WON;
			break;
		case RL_VOTE_REFUSED:
			event = on_refused(errand);
			break;
		case RL_VOTE_FAILED:
			event = on_failed(errand);
			break;
	}
	*err = *errand->err;
	return event;
}

void rl_queue_add_to_wait(const rl_queue *queue, rl_wait *wait)
{
	if (queue->place != NULL) {
		rl_errand_add_to_wait(&queue->place->errand, wait);
	}
}

/* ---- the win ---- */

int64_t rl_queue_won_since(
	const rl_queue *queue, const rl_sample *sample, double drift_factor, int64_t now)
{
	const rl_errand *errand = &queue->place->errand;
	int64_t sent_at = errand->channel.sent_at;
	int64_t server_us = errand->answer.time_us;
	if (server_us == 0 || sample->server_us == 0 || sample->node == NULL ||
		!rl_target_equal(sample->node, errand->node)) {
		return sent_at;
	}
	/* The earliest start of ownership is the safe one. The sample may be later than the win, so
	 * passed may be negative. */
	double passed = (double) (server_us - sample->server_us) * 1000;
	passed *= passed >= 0 ? 1 - drift_factor : 1 + drift_factor;
	double since = (double) (sample->asked_at - sent_at) + passed;
	if (since <= 0) {
		return sent_at;
	}
	double most = (double) (now - sent_at);
	return sent_at + (int64_t) (since < most ? since : most);
}

void rl_queue_hand_over(rl_queue *queue, rl_quorum_call *call, int64_t since)
{
	rl_errand *errand = &queue->place->errand;
	rl_conn *conn = rl_channel_hand_over(&errand->channel);
	rl_quorum_call_adopt(
		call, queue->member, conn, errand->sent.is_asking, since, errand->answer.permit);
}

/* ---- leaving ---- */

/* Reads the answers that have arrived, because the try may have run. A ticket is not counted as a
 * wake-up here. */
static void hear_last_word(rl_queue_place *place, int64_t now)
{
	const rl_conn *conn = place->errand.channel.conn;
	conn->transport->take_in(conn->link);
	place->terms.is_withdrawn = true;
	rl_errand_step(&place->errand, &(rl_tick){.now = now}); /* no time is over */
}

rl_settlement rl_queue_leave(rl_queue *queue, bool is_undo, int64_t now)
{
	if (rl_queue_is_out(queue)) {
		return (rl_settlement){0};
	}
	rl_errand *errand = &queue->place->errand;
	if (is_undo && rl_queue_is_in(queue)) {
		hear_last_word(queue->place, now);
	}
	/* The server drops BLPOP and try when it sees the end of the connection. */
	errand->must_close = errand->must_close || errand->state != RL_ERRAND_DONE;
	return rl_errand_settle(errand, is_undo ? RL_UNDO_ALL : RL_UNDO_NOTHING, now);
}

void rl_queue_drop(rl_queue *queue)
{
	if (queue->place != NULL) {
		rl_channel_close(&queue->place->errand.channel);
		rl_errand_finish(&queue->place->errand, queue->place->errand.vote);
	}
}

void rl_queue_clear(rl_queue *queue)
{
	if (queue->place != NULL) {
		rl_errand_clear(&queue->place->errand);
		free(queue->place);
	}
}
