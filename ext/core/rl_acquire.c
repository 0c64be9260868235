/* SPDX-License-Identifier: MIT
 *
 * Taking a lock, with or without a wait.
 *
 * DESIGN
 *
 * An acquire begins with SET. Refused, and with a wait, it goes on with the `try` script, which also marks that
 * somebody waits, and with a place in the queue (rl_queue.h), where a release wakes it. Then it looks now and
 * then with `nudge` on an ordinary connection, which it takes from the pool for each look. Where waiters are
 * not woken (wake: false, a server that does not allow it) each look is a `try` instead, and there is no queue: the
 * delay is the same loop's other way to spend its time.
 *
 *     PAUSED --look due--> LOOKING (nudge) or TRYING (SET, try) --refused--> PAUSED
 *
 * With several members the waiter's name is marked on each of them, by a look at all, and the place in the queue is on
 * one: the first that answers, in an order that is the same for every client (rl_order.h). Each member reserves the lock
 * when it is released there; who is woken has taken it on the one, and goes for the quorum with a `try` that takes
 * what is reserved (is_woken). So nobody who waits tries while another does, and votes are split only among those
 * who have just come, or when members are out of reach. A split vote is undone and tried again after a random time
 * of the order of a round trip, a few times also without a wait, or two who come at once would both be refused for a
 * lock that nobody has.
 *
 * When the next look is due: the lock's end by its TTL, but every second at least, when the holder's release
 * will wake us; after a back-off delay when it will not (a foreign token, no TTL, not in the queue).
 *
 * The end: the first grant; a failure that does not pass by itself; the last of `retries`; or the try at the
 * deadline, which decides: one that is begun then, or one whose answer comes only then. While a try is under
 * way the queue is not heard: the try finds our own token if the queue has won.
 *
 * Tokens: a refused token may be tried again. One for which an undo was written may not, for the undo
 * could delete the new grant: a fresh one is drawn, and the queue, which has the old one, is left. One whose
 * fate is in doubt and cannot be undone is tried again as owed: the script then takes our own key for a
 * grant, and gives it its whole TTL anew. A caller's own token can neither be exchanged nor be owed, so doubt
 * about it ends the call.
 *
 * No try on the ordinary connection may win while a place in the queue could win later with the same token,
 * after a quick release: at the deadline the queue takes nothing any more; before it, the queue is left first.
 *
 * Proof: a grant proves ownership for ttl less drift, from before the command was sent; in the queue from
 * when the server ran the try (rl_queue_won_since()). A grant that has used that up is given back and counts
 * as a failure that may pass.
 */
#include "core/rl_acquire.h"
#include "core/rl_time.h"

#include <string.h>

/* How often a split vote is tried again by who does not wait, and the time that is left to chance between. */
#define SPLIT_TRIES 3
#define SPLIT_LEAST_NS (RL_NS_PER_MS / 2)
#define SPLIT_MOST_NS (200 * RL_NS_PER_MS)

/* Without one the call ends: see rl_acquire_step(). */
static bool draw_token(rl_acquire *acquire)
{
	bool has_token = rl_token_draw(rl_acquire_exchange(acquire)->env, acquire->token) == RL_OK;
	acquire->lacks_token = !has_token;
	return has_token;
}

/* The name under which it waits, the same for all its tokens. */
static bool draw_name(rl_acquire *acquire)
{
	rl_exchange *exchange = rl_acquire_exchange(acquire);
	acquire->lacks_token = rl_token_draw(exchange->env, acquire->waiter) != RL_OK;
	acquire->waiter[2] = 'w'; /* not to be taken for a token */
	exchange->request.waiter = rl_bytes_of(acquire->waiter, sizeof acquire->waiter);
	return !acquire->lacks_token;
}

rl_op *rl_acquire_new(
	const rl_set *set, rl_pool *pool, const rl_env *env, const rl_acquire_args *args)
{
	bool is_own = args->token.data != NULL;
	size_t token_len = is_own ? args->token.len : RL_TOKEN_LEN;
	char *token;
	rl_acquire *acquire =
		rl_op_alloc(sizeof *acquire, set, pool, env, args->key, token_len, &token);
	if (acquire == NULL) {
		return NULL;
	}
	acquire->op.kind = RL_OP_ACQUIRE;
	acquire->token = token;
	acquire->token_len = token_len;
	acquire->ttl_ns = args->ttl_ms * RL_NS_PER_MS;
	acquire->is_waiting = args->wait_ns > 0;
	acquire->wait_ns = args->wait_ns;
	acquire->is_polling = !set->wakes;
	rl_exchange *exchange = rl_acquire_exchange(acquire);
	exchange->is_own_token = is_own;
	exchange->request.verb = RL_VERB_SET;
	exchange->request.ttl_ms = args->ttl_ms;
	exchange->request.token = rl_bytes_of(token, token_len);
	exchange->request.is_alone = acquire->is_polling;
	if (is_own) {
		memcpy(token, args->token.data, token_len);
	} else {
		draw_token(acquire);
	}
	return &acquire->op;
}

/* ---- beginnings and ends ---- */

static void begin(rl_acquire *acquire, int64_t now)
{
	acquire->op.is_begun = true;
	acquire->started_at = now;
	acquire->deadline = rl_time_later(now, acquire->wait_ns);
	acquire->resume_at = now;
}

static void unmark_member(rl_exchange *exchange, unsigned member, int64_t now)
{
	const rl_member *at = &exchange->set->members[member];
	rl_conn *conn = rl_pool_take(exchange->pool, at->target, false, now);
	if (conn == NULL) {
		return;
	}
	rl_request request = exchange->request;
	request.verb = RL_VERB_RELEASE;
	request.token = request.waiter;
	request.as_text = true;
	if (!conn->lacks_helpers && rl_conn_send_blind(conn, &request)) {
		conn->transport->flush(conn->link);
	}
	rl_conn_forget(conn);
	if (exchange->set->count > 1 && rl_conn_is_worth_keeping(conn)) {
		rl_pool_give_unheard(exchange->pool, conn, at->timeout_ns, now);
	} else if (rl_conn_is_reusable(conn)) {
		rl_pool_give(exchange->pool, conn, now);
	} else {
		rl_pool_let_linger(exchange->pool, conn, now); /* it may carry an undo */
	}
}

/* Takes our name from the mark, where there is an idle connection to do it on: by the release of a token that nobody
 * has. Else, and on a slow server, where the next command would stand behind it, it is void in two seconds. */
static void unmark(rl_acquire *acquire, int64_t now)
{
	rl_exchange *exchange = rl_acquire_exchange(acquire);
	int64_t round_trip = acquire->sample.heard_at - acquire->sample.asked_at;
	if (!acquire->is_marked || round_trip > RL_QUEUE_WORTH_NS) {
		return;
	}
	acquire->is_marked = false;
	for (unsigned i = 0; i < exchange->set->count; i++) {
		unmark_member(exchange, i, now);
	}
}

bool rl_acquire_finish(rl_acquire *acquire, const rl_tick *tick, rl_status status)
{
	rl_stats *stats = rl_acquire_stats(acquire);
	rl_acquire_exchange(acquire)->request.is_leaving = true;
	rl_queue_leave(&acquire->queue, rl_acquire_exchange(acquire), status != RL_OK, tick->now);
	rl_exchange_end(rl_acquire_exchange(acquire), tick->now);
	unmark(acquire, tick->now);
	acquire->op.status = status;
	acquire->phase = RL_ACQUIRE_DONE;
	acquire->waited_ns = tick->now - acquire->started_at;
	if (acquire->is_waiting) {
		rl_stats_add(&stats->waited_ns, (uint64_t) acquire->waited_ns);
	}
	if (status == RL_OK) {
		rl_stats_add(&stats->acquired, 1);
	} else if (status != RL_BUSY) {
		rl_stats_add(&stats->failed, 1);
	} else {
		rl_stats_add(acquire->is_waiting ? &stats->timed_out : &stats->refused, 1);
	}
	return true;
}

/* What is answered at or after the deadline decides, also when it was asked before: another try would have
 * too little time left on a slow server. Without a wait the deadline is the start. */
static bool is_last_look(const rl_acquire *acquire, const rl_tick *tick)
{
	return tick->now >= acquire->deadline || acquire->looks >= acquire->op.exchange.set->retries;
}

static void begin_exchange(rl_acquire *acquire, rl_verb verb, const rl_tick *tick)
{
	rl_exchange *exchange = rl_acquire_exchange(acquire);
	bool is_look = verb == RL_VERB_NUDGE;
	acquire->has_tried = true;
	acquire->attempts += !is_look;
	exchange->request.verb = verb;
	exchange->request.is_owed = acquire->is_token_owed;
	exchange->request.is_unmarked = acquire->is_polling || is_last_look(acquire, tick);
	exchange->request.is_leaving = acquire->is_polling || (!is_look && is_last_look(acquire, tick));
	exchange->request.not_after_us = acquire->is_woken ? RL_NOT_AFTER_NEVER : 0;
	acquire->is_marked =
		acquire->is_marked || is_look || (verb == RL_VERB_TRY && !exchange->request.is_unmarked);
	acquire->phase = is_look ? RL_ACQUIRE_LOOKING : RL_ACQUIRE_TRYING;
	rl_stats_add(
		is_look ? &rl_acquire_stats(acquire)->nudges : &rl_acquire_stats(acquire)->tries, 1);
	rl_exchange_begin(exchange, tick->now, acquire->is_waiting ? acquire->deadline : RL_NEVER);
	exchange->hopes_for_all =
		is_look; /* the mark is to be on each of them, and the queue on the first */
}

bool rl_acquire_go_for_quorum(
	rl_acquire *acquire, rl_conn *conn, int64_t won_since, const rl_tick *tick)
{
	acquire->is_woken = true;
	begin_exchange(acquire, RL_VERB_TRY, tick);
	acquire->attempts--; /* the same attempt as that in the queue */
	rl_exchange_adopt(rl_acquire_exchange(acquire), acquire->queue.member, conn, won_since);
	return false;
}

/* Gives up the token that an undo was written for. False = there is no other. */
bool rl_acquire_replace_token(rl_acquire *acquire, const rl_tick *tick)
{
	acquire->is_token_owed = false;
	rl_queue_leave(
		&acquire->queue, rl_acquire_exchange(acquire), true, tick->now); /* it has the token, too */
	return rl_acquire_exchange(acquire)->is_own_token || draw_token(acquire);
}

/* Ends the exchange, keeps what it means for the token. False when no token is left to try with. */
static bool settle(
	rl_acquire *acquire, rl_undo undo, const rl_tick *tick, rl_settlement *settlement)
{
	rl_exchange *exchange = rl_acquire_exchange(acquire);
	*settlement = rl_exchange_settle(exchange, undo, tick->now);
	if (settlement->was_undone) {
		return rl_acquire_replace_token(acquire, tick);
	}
	acquire->is_token_owed =
		acquire->is_token_owed || (settlement->is_in_doubt && !exchange->is_own_token);
	return true;
}

/* ---- pauses ---- */

void rl_acquire_pause(rl_acquire *acquire, const rl_tick *tick, int64_t delay)
{
	acquire->phase = RL_ACQUIRE_PAUSED;
	acquire->is_delayed = delay > 0;
	acquire->resume_at = rl_time_later(tick->now, delay);
	/* A nudge that is answered only after the deadline tells nothing, and stands in the last try's way. */
	int64_t round_trip = acquire->sample.heard_at - acquire->sample.asked_at;
	int64_t slow = acquire->is_polling ? 0 : 2 * round_trip;
	if (delay > 0 && rl_time_later(acquire->resume_at, slow) > acquire->deadline) {
		acquire->resume_at = acquire->deadline;
	}
}

/* Until a split vote is tried again: any time up to some round trips, so that those who split it part. */
static int64_t split_delay(rl_acquire *acquire, int64_t round_trip)
{
	uint32_t random = 0;
	const rl_env *env = rl_acquire_exchange(acquire)->env;
	unsigned doublings = acquire->splits < 6 ? acquire->splits : 6;
	int64_t most = (round_trip > SPLIT_LEAST_NS ? round_trip : SPLIT_LEAST_NS) << doublings;
	most = rl_time_earlier(most, SPLIT_MOST_NS);
	if (!env->random(env->ctx, &random, sizeof random)) {
		return most; /* no worse than any other */
	}
	return 1 + (int64_t) ((double) most * (double) random / (double) UINT32_MAX);
}

int64_t rl_acquire_backoff(rl_acquire *acquire)
{
	const rl_set *set = rl_acquire_exchange(acquire)->set;
	rl_stats_add(&rl_acquire_stats(acquire)->delays, 1);
	int64_t delay =
		rl_backoff_delay(&set->backoff, acquire->delays++, rl_acquire_exchange(acquire)->env);
	/* Who is in the queue has a mark to refresh. */
	return acquire->is_polling ? delay : rl_time_earlier(delay, RL_ACQUIRE_LOOK_NS);
}

/* Tries again later, if the wait allows; else the call ends with the status. */
static bool retry_or_finish(
	rl_acquire *acquire, const rl_tick *tick, rl_status status, bool may_go_on)
{
	if (!may_go_on || is_last_look(acquire, tick)) {
		return rl_acquire_finish(acquire, tick, status);
	}
	rl_acquire_pause(acquire, tick, rl_acquire_backoff(acquire));
	return false;
}

/* ---- outcomes ---- */

const char *rl_acquire_fate(const rl_acquire *acquire, const rl_settlement *settlement)
{
	if (settlement->is_in_doubt || acquire->is_token_owed || acquire->is_doubtful) {
		return "; outcome unknown: if the lock was granted, it ends by its TTL";
	}
	return settlement->was_guarded ? "; if it is granted after all, an undo behind it takes it back"
								   : "";
}

bool rl_acquire_is_of_use(rl_acquire *acquire, int64_t held_since, const rl_tick *tick)
{
	acquire->proven_until = held_since + acquire->ttl_ns -
		rl_set_drift(rl_acquire_exchange(acquire)->set, acquire->ttl_ns);
	return acquire->proven_until > tick->now;
}

/* A grant that has used up its ttl was given back. */
bool rl_acquire_on_too_slow(rl_acquire *acquire, int64_t held_since, bool has_token,
	const rl_settlement *settlement, const rl_tick *tick)
{
	const rl_exchange *exchange = rl_acquire_exchange(acquire);
	const char *fate = exchange->is_own_token ? "; what may be left of it ends by its TTL"
											  : rl_acquire_fate(acquire, settlement);
	rl_op_fail_with(&acquire->op, RL_ERR_SLOW,
		"too slow: the lock was granted after %.3f s, when its ttl of %.3f s was used up%s",
		(double) (tick->now - held_since) / 1e9, (double) acquire->ttl_ns / 1e9, fate);
	return retry_or_finish(acquire, tick, RL_ERR_SLOW, has_token && !exchange->is_own_token);
}

static bool on_granted(rl_acquire *acquire, const rl_tick *tick)
{
	rl_exchange *exchange = rl_acquire_exchange(acquire);
	int64_t sent_at = rl_exchange_sent_at(exchange);
	acquire->is_marked = false;
	bool is_good = rl_acquire_is_of_use(acquire, sent_at, tick);
	rl_settlement settlement;
	bool has_token = settle(acquire, is_good ? RL_UNDO_NOTHING : RL_UNDO_ALL, tick, &settlement);
	return is_good ? rl_acquire_finish(acquire, tick, RL_OK)
				   : rl_acquire_on_too_slow(acquire, sent_at, has_token, &settlement, tick);
}

static void take_sample(rl_acquire *acquire, const rl_seat *seat)
{
	acquire->sample = (rl_sample){.asked_at = seat->sent_at,
		.heard_at = seat->heard_at,
		.server_us = seat->answer.time_us,
		.member = (unsigned) (seat - rl_acquire_exchange(acquire)->seats)};
}

/* The key holds a caller's own token, and a connection in the queue broke: nobody can know whose it is. */
static bool fail_as_unknown(rl_acquire *acquire, const rl_tick *tick)
{
	rl_op_fail_with(&acquire->op, RL_ERR_UNKNOWN,
		"the connection that waited broke, and the key now holds the token you gave; outcome unknown: "
		"whether this call took the lock or someone else with the same token has it; it ends by its TTL");
	return rl_acquire_finish(acquire, tick, RL_ERR_UNKNOWN);
}

/* Nobody may have the lock, though a quorum refuses it: it is worth another try soon, also to who does not wait. A few
 * of them: somebody may hold it on a bare majority. */
static void try_split_again(rl_acquire *acquire, int64_t round_trip, const rl_tick *tick)
{
	int64_t at = tick->now + split_delay(acquire, round_trip);
	acquire->splits++;
	acquire->has_tried = acquire->is_waiting;
	acquire->phase = RL_ACQUIRE_PAUSED;
	acquire->is_delayed = false; /* it is not one of the `retries` */
	acquire->resume_at = acquire->is_waiting ? rl_time_earlier(at, acquire->deadline) : at;
	rl_stats_add(&rl_acquire_stats(acquire)->split_votes, 1);
}

static bool on_refused(rl_acquire *acquire, const rl_tick *tick)
{
	rl_exchange *exchange = rl_acquire_exchange(acquire);
	bool was_set = exchange->request.verb == RL_VERB_SET;
	bool is_several = exchange->set->count > 1;
	bool is_split = rl_exchange_count(exchange, RL_VOTE_GRANTED) > 0;
	const rl_seat *speaker = rl_exchange_speaker(exchange, RL_VOTE_REFUSED);
	int64_t round_trip = tick->now - speaker->sent_at;
	rl_answer answer = speaker->answer;
	if (!is_several) { /* else the sample is that of the queue's member */
		take_sample(acquire, speaker);
	}
	acquire->is_marked = acquire->is_marked && !exchange->request.is_unmarked;
	acquire->idle_tickets = 0;
	rl_settlement settlement;
	bool has_token = settle(acquire, RL_UNDO_ALL, tick, &settlement);
	if (acquire->is_doubtful && answer.holder == RL_HOLDER_SELF) {
		return fail_as_unknown(acquire, tick);
	}
	acquire->is_woken = false;
	acquire->splits = is_split ? acquire->splits : 0;
	bool is_worth_another = has_token && is_split && acquire->splits < SPLIT_TRIES;
	if (is_worth_another && !acquire->is_waiting) {
		try_split_again(acquire, round_trip, tick);
		return false;
	}
	if (!has_token || is_last_look(acquire, tick)) {
		return rl_acquire_finish(acquire, tick, RL_BUSY);
	}
	if (was_set && !acquire->is_polling && acquire->deadline - tick->now >= RL_QUEUE_WORTH_NS) {
		rl_acquire_pause(acquire, tick, 0); /* at once: it marks that somebody waits */
		return false;
	}
	acquire->is_polling = acquire->is_polling || was_set;
	if (is_worth_another) {
		try_split_again(acquire, round_trip, tick);
		return false;
	}
	if (!is_several && !acquire->is_polling && answer.time_us == 0) {
		rl_acquire_fall_back(acquire, tick);
	}
	if (!is_several) { /* else a look finds out where to queue */
		rl_acquire_enter_queue(acquire, tick);
	}
	rl_acquire_pause(acquire, tick, rl_acquire_look_delay(acquire, answer.holder, answer.number));
	return false;
}

/* The next look is a try. */
static void try_next(rl_acquire *acquire, bool has_won, const rl_tick *tick)
{
	acquire->must_try = true;
	acquire->has_won = has_won;
	rl_acquire_pause(acquire, tick, 0);
}

/* NUDGE was answered. */
static void on_looked(rl_acquire *acquire, const rl_tick *tick)
{
	rl_exchange *exchange = rl_acquire_exchange(acquire);
	rl_acquire_sight sight;
	bool can_queue = rl_acquire_see(acquire, &sight);
	rl_answer answer = sight.seat->answer;
	rl_exchange_settle(exchange, RL_UNDO_NOTHING, tick->now);
	if (!can_queue) {
		rl_acquire_fall_back(acquire, tick);
		rl_acquire_pause(acquire, tick, 0);
		return;
	}
	rl_acquire_move_queue(acquire, sight.member, tick);
	bool is_of_queue =
		acquire->queue.member == sight.member; /* else that one is late with its answer */
	if (is_of_queue) {
		take_sample(acquire, sight.seat);
	}
	/* Of several the look finds out where to queue: who is not in the queue yet goes there for the ticket. */
	bool is_entering = exchange->set->count > 1 && acquire->queue.state == RL_QUEUE_OUT;
	/* A ticket lies there: nobody is in the queue to take it. Or one was sent, and nobody of ours came for it. The
	 * token is ours: the queue has won, and does not say so. */
	bool is_free = answer.holder == RL_HOLDER_NOBODY && !is_entering && is_of_queue;
	acquire->idle_tickets = is_free ? acquire->idle_tickets + 1 : 0;
	bool is_lying = is_free && (answer.ticket == RL_TICKET_OUT || acquire->idle_tickets > 1);
	bool is_ours = answer.holder == RL_HOLDER_SELF && !exchange->is_own_token;
	/* A quorum is free, while the first member is held by somebody who has no quorum, and may be dead. */
	bool is_free_still = acquire->free_looks > 0 && sight.may_be_free;
	acquire->free_looks = sight.is_quorum_free || is_free_still ? acquire->free_looks + 1 : 0;
	if (is_lying || is_ours || acquire->free_looks > 1) {
		try_next(acquire, is_ours, tick);
		return;
	}
	if (is_entering) {
		exchange->request.is_owed =
			acquire->is_token_owed; /* it may have been lost since the look began */
		rl_acquire_enter_queue(acquire, tick);
	}
	int64_t delay = rl_acquire_look_delay(acquire, answer.holder, sight.soonest_pttl);
	rl_acquire_pause(acquire, tick,
		sight.is_quorum_free ? rl_time_earlier(delay, RL_ACQUIRE_FREE_LOOK_NS) : delay);
}

static bool on_failed(rl_acquire *acquire, const rl_tick *tick)
{
	rl_exchange *exchange = rl_acquire_exchange(acquire);
	bool may_pass = rl_exchange_may_pass(exchange);
	bool may_retry = may_pass && !is_last_look(acquire, tick);
	rl_settlement settlement;
	bool has_token =
		settle(acquire, may_retry ? RL_UNDO_BUT_REFUSALS : RL_UNDO_ALL, tick, &settlement);
	/* With several members the one in doubt is left out, and the others may do. */
	bool is_lost = exchange->is_own_token && settlement.is_in_doubt && exchange->set->count == 1;
	acquire->is_woken = false;
	if (!may_retry || !has_token || is_lost) {
		exchange->request.is_leaving = true;
		rl_settlement left = rl_queue_leave(&acquire->queue, exchange, true, tick->now);
		acquire->is_token_owed = acquire->is_token_owed && !left.was_undone;
		settlement.was_undone = settlement.was_undone || left.was_undone;
		settlement.was_guarded = settlement.was_guarded || left.was_guarded;
		settlement.is_in_doubt = settlement.is_in_doubt || left.is_in_doubt;
	}
	bool is_said = rl_exchange_speaker(exchange, RL_VOTE_FAILED)->err.status == RL_ERR_UNKNOWN;
	rl_op_fail(&acquire->op, is_said ? "" : rl_acquire_fate(acquire, &settlement));
	return retry_or_finish(acquire, tick, acquire->op.status, may_pass && has_token && !is_lost);
}

/* NUDGE failed. The queue goes on, and the try at the end decides. */
static bool on_look_failed(rl_acquire *acquire, const rl_tick *tick)
{
	rl_exchange *exchange = rl_acquire_exchange(acquire);
	bool is_forbidden =
		strcmp(rl_exchange_speaker(exchange, RL_VOTE_FAILED)->err.code, "NOPERM") == 0;
	bool may_pass = rl_exchange_may_pass(exchange);
	rl_exchange_settle(exchange, RL_UNDO_NOTHING, tick->now);
	if (is_forbidden) {
		rl_acquire_fall_back(acquire, tick);
	} else if (!may_pass) {
		exchange->request.is_leaving = true;
		rl_settlement left = rl_queue_leave(&acquire->queue, exchange, true, tick->now);
		rl_op_fail(&acquire->op, rl_acquire_fate(acquire, &left));
		return rl_acquire_finish(acquire, tick, acquire->op.status);
	}
	rl_acquire_pause(acquire, tick, rl_acquire_backoff(acquire));
	return false;
}

/* ---- the loop ---- */

/* Sees to it that nothing but the try can win from now on, and begins it. */
static void begin_try(rl_acquire *acquire, const rl_tick *tick)
{
	rl_queue *queue = &acquire->queue;
	rl_acquire_exchange(acquire)->request.is_leaving = is_last_look(acquire, tick);
	if (rl_acquire_exchange(acquire)->is_own_token && queue->state != RL_QUEUE_OUT) {
		rl_queue_end(queue, rl_acquire_exchange(acquire), tick->now);
		if (queue->state != RL_QUEUE_OUT) {
			acquire->phase = RL_ACQUIRE_LEAVING;
			return;
		}
	} else if (acquire->has_won || tick->now >= acquire->deadline) {
		acquire->is_token_owed = acquire->is_token_owed || rl_queue_is_in(queue);
	} else {
		rl_acquire_leave_queue(acquire, tick);
	}
	acquire->is_woken = acquire->has_won && rl_acquire_exchange(acquire)->set->count > 1;
	begin_exchange(acquire, RL_VERB_TRY, tick);
	acquire->must_try = false;
	acquire->has_won = false;
	acquire->free_looks = 0;
}

/* The pause is over. */
static void resume(rl_acquire *acquire, const rl_tick *tick)
{
	if (!acquire->has_tried) {
		begin_exchange(acquire, RL_VERB_SET, tick);
		return;
	}
	bool has_name = rl_acquire_exchange(acquire)->request.waiter.data != NULL;
	if (!acquire->is_polling && !has_name && !draw_name(acquire)) {
		return;
	}
	if (acquire->is_delayed) {
		acquire->looks++;
		acquire->vain = 0;
	}
	/* One server is asked by a try that marks, and queues behind it; of several a look finds out where to queue. */
	bool must_enter =
		acquire->queue.state == RL_QUEUE_OUT && rl_acquire_exchange(acquire)->set->count == 1;
	if (is_last_look(acquire, tick) || acquire->is_polling || acquire->must_try || must_enter) {
		begin_try(acquire, tick);
	} else {
		begin_exchange(acquire, RL_VERB_NUDGE, tick);
	}
}

/* The exchange has an outcome. True = the call is done. */
static bool on_outcome(rl_acquire *acquire, rl_vote outcome, const rl_tick *tick)
{
	bool is_look = acquire->phase == RL_ACQUIRE_LOOKING;
	switch (outcome) {
		case RL_VOTE_OPEN:
			break;
		case RL_VOTE_GRANTED:
			if (!is_look) {
				return on_granted(acquire, tick);
			}
			on_looked(acquire, tick);
			break;
		case RL_VOTE_REFUSED:
			return on_refused(acquire, tick);
		case RL_VOTE_FAILED:
			return is_look ? on_look_failed(acquire, tick) : on_failed(acquire, tick);
	}
	return false;
}

/* Goes on with the exchange. True = something came of it. */
static bool step_exchange(rl_acquire *acquire, const rl_tick *tick, rl_wait *wait, bool *is_done)
{
	if (acquire->phase == RL_ACQUIRE_LOOKING && tick->now >= acquire->deadline) {
		/* The try that decides goes behind the look. */
		rl_exchange_settle(rl_acquire_exchange(acquire), RL_UNDO_NOTHING, tick->now);
		begin_try(acquire, tick);
		return true;
	}
	rl_vote outcome = rl_exchange_step(rl_acquire_exchange(acquire), tick, wait);
	*is_done = on_outcome(acquire, outcome, tick);
	return outcome != RL_VOTE_OPEN;
}

/* One turn. True = there may be more to do at once. */
static bool turn(rl_acquire *acquire, const rl_tick *tick, rl_wait *wait, bool *is_done)
{
	bool is_trying = acquire->phase == RL_ACQUIRE_TRYING;
	if (!is_trying && rl_acquire_step_queue(acquire, tick)) {
		*is_done = true;
		return false;
	}
	switch (acquire->phase) {
		case RL_ACQUIRE_PAUSED:
			if (tick->now >= acquire->resume_at) {
				resume(acquire, tick);
				return true;
			}
			rl_wait_until(wait, acquire->resume_at);
			break;
		case RL_ACQUIRE_LEAVING:
			if (acquire->queue.state == RL_QUEUE_OUT) {
				begin_try(acquire, tick);
				return true;
			}
			break;
		case RL_ACQUIRE_TRYING:
		case RL_ACQUIRE_LOOKING:
			if (step_exchange(acquire, tick, wait, is_done)) {
				return !*is_done;
			}
			rl_wait_until(wait, is_trying ? RL_NEVER : acquire->deadline);
			break;
		case RL_ACQUIRE_DONE:
			*is_done = true;
			return false;
	}
	if (!is_trying) {
		rl_queue_add_to_wait(&acquire->queue, wait);
	}
	return false;
}

bool rl_acquire_step(rl_acquire *acquire, const rl_tick *tick, rl_wait *wait)
{
	if (!acquire->op.is_begun) {
		begin(acquire, tick->now);
	}
	bool is_done = false;
	bool goes_on = true;
	while (goes_on && !is_done) {
		if (acquire->lacks_token) {
			rl_exchange_settle(rl_acquire_exchange(acquire), RL_UNDO_ALL, tick->now);
			rl_op_fail_with(
				&acquire->op, RL_ERR_RANDOM, "the system gave no random bytes for a token");
			return rl_acquire_finish(acquire, tick, RL_ERR_RANDOM);
		}
		goes_on = turn(acquire, tick, wait, &is_done);
	}
	return is_done;
}

void rl_acquire_abandon(rl_acquire *acquire, int64_t now)
{
	rl_exchange *exchange = rl_acquire_exchange(acquire);
	exchange->request.is_leaving = true;
	rl_settlement left = rl_queue_leave(&acquire->queue, exchange, true, now);
	acquire->is_token_owed =
		acquire->is_token_owed || (left.is_in_doubt && !exchange->is_own_token);
	if (acquire->phase != RL_ACQUIRE_TRYING && acquire->phase != RL_ACQUIRE_DONE) {
		rl_exchange_settle(exchange, RL_UNDO_NOTHING, now); /* a look */
		if (acquire->is_token_owed) {
			rl_exchange_hold(exchange, true, now);
		}
	}
	bool was_undone = rl_exchange_settle(exchange, RL_UNDO_ALL, now).was_undone;
	if (was_undone && exchange->set->count == 1) {
		acquire->is_marked = false; /* the undo has our name with it */
	}
	rl_exchange_end(exchange, now);
	unmark(acquire, now);
}

void rl_acquire_drop(rl_acquire *acquire)
{
	rl_queue_drop(&acquire->queue);
}
