/* SPDX-License-Identifier: MIT
 *
 * Taking a lock, with or without a wait.
 *
 * DESIGN
 *
 * An acquire begins with SET. Refused, and with a wait, it goes on with the `try` script, which also marks that
 * somebody waits, and with a place in the queue (rl_queue.h), where a release wakes it. Then it looks now and
 * then with `probe` on an ordinary connection, which it takes from the pool for each look. Where waiters are
 * not woken (wake: false, a server that does not allow it) each look is a `try` instead, and there is no queue: the
 * delay is the same loop's other way to spend its time.
 *
 *     PAUSED --look due--> LOOKING (probe) or TRYING (SET, try) --refused--> PAUSED
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
 * grant, and gives it its whole TTL anew.
 *
 * A caller's own token can neither be exchanged nor be owed. So it goes out in the first SET only: all that follows, the
 * queue too, has a drawn token, and after the win the caller's takes its place (SWAPPING). Doubt about what became of the
 * caller's token ends the call; of several members those in doubt are left out, as long as the others make a quorum. An
 * answer "it was there before" to the swap proves no more than the win did: another caller may have taken the lock
 * with the same token since. Win and swap have one timeout together after the deadline.
 *
 * No try on the ordinary connection may win while a place in the queue could win later with the same token,
 * after a quick release: at the deadline the queue takes nothing any more; before it, the queue is left first.
 *
 * Proof: a grant proves ownership for ttl less drift, from before the command was sent; in the queue from
 * when the server ran the try (rl_queue_won_since()). A grant that has used that up is given back and counts
 * as a failure that may pass.
 */
#include "core/lock/rl_acquire_parts.h"
#include "core/base/rl_time.h"
#include "core/lock/rl_op_failure.h"

#include <string.h>

/* How often a split vote is tried again by who does not wait, and the time that is left to chance between. */
#define SPLIT_TRIES 3
#define SPLIT_LEAST_NS (RL_NS_PER_MS / 2)
#define SPLIT_MOST_NS (200 * RL_NS_PER_MS)

/* The pause between two tries of servers that fail grows to this: many clients wait for them. */
#define FAILURE_MOST_NS RL_NS_PER_SECOND

/* At the end of the process: how long the release of what a call asked for is repeated. The process waits less long. */
#define LAST_RELEASE_NS RL_NS_PER_SECOND

/* Without one the call ends: see step(). */
static bool draw_token(rl_acquire *acquire)
{
	bool has_token = rl_token_draw(rl_acquire_call(acquire)->env, acquire->drawn) == RL_OK;
	acquire->op.status = has_token ? acquire->op.status : RL_ERR_RANDOM;
	return has_token;
}

static void use_token(rl_acquire *acquire, bool is_own)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	call->is_own_token = is_own;
	call->request.fresh = (rl_bytes){NULL, 0};
	acquire->token = is_own ? acquire->own.data : acquire->drawn;
	acquire->token_len = is_own ? acquire->own.len : RL_TOKEN_LEN;
	call->request.token = rl_bytes_of(acquire->token, acquire->token_len);
}

/* The name under which it waits. Without one the call ends, too. */
static bool draw_name(rl_acquire *acquire)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	bool has_name = rl_token_draw(call->env, acquire->waiter) == RL_OK;
	acquire->op.status = has_name ? acquire->op.status : RL_ERR_RANDOM;
	acquire->waiter[2] = 'w'; /* not to be taken for a token */
	call->request.waiter = rl_bytes_of(acquire->waiter, sizeof acquire->waiter);
	return has_name;
}

/* ---- beginnings and ends ---- */

static void begin(rl_acquire *acquire, int64_t now)
{
	acquire->op.is_begun = true;
	acquire->started_at = now;
	acquire->deadline = rl_time_later(now, acquire->wait_ns);
	acquire->resume_at = now;
}

static void unmark_member(rl_quorum_call *call, unsigned index, int64_t now)
{
	const rl_member *server = &call->set->members[index];
	rl_channel channel = {0};
	if (!rl_channel_take(&channel, call->pool, server->target, RL_WANT_ANY, now, now)) {
		return;
	}
	rl_request request = call->request;
	request.verb = RL_VERB_RELEASE;
	request.token = request.waiter;
	request.as_text = true;
	rl_conn_send_blind(channel.conn, &request);
	rl_channel_flush(&channel, now);
	rl_giving giving = {.is_trusted = true,
		.patience = call->set->count > 1 ? server->timeout_ns : 0,
		.may_send_later = true,
		.must_arrive = true}; /* it may carry an undo */
	rl_channel_give_back(&channel, call->pool, giving, now);
}

/* Takes our name from the mark, where there is an idle connection to do it on: by the release of a token that nobody
 * has. Else it is void in two seconds. */
static void unmark(rl_acquire *acquire, int64_t now)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	bool can_unmark = acquire->is_marked && call->set->wakes;
	for (unsigned i = 0; can_unmark && i < call->set->count; i++) {
		unmark_member(call, i, now);
	}
	acquire->is_marked = false;
}

/* The same at the end of the wait; not on a slow server, where the next call would stand behind it. */
static void unmark_at_end(rl_acquire *acquire, int64_t now)
{
	if (acquire->sample.heard_at - acquire->sample.asked_at <= RL_QUEUE_WORTH_NS) {
		unmark(acquire, now);
	}
}

bool rl_acquire_finish(rl_acquire *acquire, const rl_tick *tick, rl_status status)
{
	rl_stats *stats = rl_acquire_stats(acquire);
	rl_queue_leave(&acquire->queue, rl_acquire_call(acquire), status != RL_OK, tick->now);
	unmark_at_end(acquire, tick->now);
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

/* What is answered at or after the deadline decides, also when it was asked before: another try would have too little time
 * left on a slow server. Without a wait the deadline is the start. */
static bool is_last_look_at(const rl_acquire *acquire, int64_t now)
{
	return now >= acquire->deadline || acquire->looks >= acquire->op.call.set->retries;
}

static bool is_last_look(const rl_acquire *acquire, const rl_tick *tick)
{
	return is_last_look_at(acquire, tick->now);
}

/* For how many ms the waiter is marked: until it looks again, with time to spare, but not beyond the end of its wait. */
static int64_t mark_time(const rl_acquire *acquire, const rl_tick *tick)
{
	if (acquire->is_polling || is_last_look(acquire, tick)) {
		return 0;
	}
	int64_t left_ms = (acquire->deadline - tick->now - 1) / RL_NS_PER_MS + 1;
	return left_ms < RL_ACQUIRE_MARK_MS ? left_ms : RL_ACQUIRE_MARK_MS;
}

static void begin_exchange(rl_acquire *acquire, rl_verb verb, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	bool is_look = verb == RL_VERB_PROBE;
	bool has_name = call->request.waiter.data != NULL;
	if (verb != RL_VERB_SET && !acquire->is_polling && !has_name && !draw_name(acquire)) {
		return;
	}
	acquire->has_tried = true;
	acquire->attempts += !is_look;
	call->request.verb = verb;
	call->request.is_owed = acquire->is_maybe_ours;
	call->request.mark_ms = mark_time(acquire, tick);
	call->request.reserve_ms =
		rl_reservation_ms(call->set->count, acquire->reach < RL_NEVER ? acquire->reach : 0);
	call->request.place = acquire->is_woken ? RL_PLACE_WOKEN : RL_PLACE_NONE;
	bool marks = verb != RL_VERB_SET && call->request.mark_ms > 0;
	acquire->is_marked = acquire->is_marked || marks;
	acquire->phase = is_look ? RL_ACQUIRE_PROBING : RL_ACQUIRE_TRYING;
	rl_stats_add(
		is_look ? &rl_acquire_stats(acquire)->nudges : &rl_acquire_stats(acquire)->tries, 1);
	/* the mark is to be on each of them, and the queue on the first */
	rl_wanted wanted = is_look ? RL_WANTED_SOON : RL_WANTED_DECISION;
	rl_quorum_call_begin(
		call, wanted, tick->now, acquire->is_waiting ? acquire->deadline : RL_NEVER);
}

static unsigned granting_members(const rl_quorum_call *call)
{
	unsigned members = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		members |= (unsigned) (call->members[i].vote == RL_VOTE_GRANTED) << i;
	}
	return members;
}

/* What has won is the drawn token. */
static void begin_swap(rl_acquire *acquire, int64_t since, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	rl_queue_leave(&acquire->queue, call, false, tick->now);
	acquire->won_since = since;
	acquire->won_on = granting_members(call);
	acquire->phase = RL_ACQUIRE_SWAPPING;
	call->is_own_token = true;
	call->request.fresh = acquire->own;
	call->request.verb = RL_VERB_SWAP;
	rl_quorum_call_begin(
		call, RL_WANTED_DECISION, tick->now, acquire->is_waiting ? acquire->deadline : RL_NEVER);
}

bool rl_acquire_win(rl_acquire *acquire, int64_t since, const rl_tick *tick)
{
	if (acquire->own.data == NULL || rl_acquire_call(acquire)->is_own_token) {
		return rl_acquire_finish(acquire, tick, RL_OK);
	}
	begin_swap(acquire, since, tick);
	return false;
}

bool rl_acquire_go_for_quorum(
	rl_acquire *acquire, rl_conn *conn, int64_t won_since, const rl_tick *tick)
{
	acquire->is_woken = true;
	begin_exchange(acquire, RL_VERB_TRY, tick);
	acquire->attempts--; /* the same attempt as that in the queue */
	rl_quorum_call_adopt(rl_acquire_call(acquire), acquire->queue.member, conn, won_since);
	return false;
}

rl_settlement rl_acquire_give_up_place(rl_acquire *acquire, int64_t now)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	rl_settlement left = rl_queue_leave(&acquire->queue, call, true, now);
	/* Who waits no longer sets no mark any more that the try could take away. */
	if (left.was_guarded && !is_last_look_at(acquire, now)) {
		unmark(acquire, now);
		call->request.waiter = (rl_bytes){NULL, 0};
	}
	return left;
}

bool rl_acquire_replace_token(rl_acquire *acquire, const rl_tick *tick)
{
	acquire->is_maybe_ours = false;
	rl_acquire_give_up_place(acquire, tick->now); /* it has the token, too */
	return rl_acquire_call(acquire)->is_own_token || draw_token(acquire);
}

/* Ends the quorum call, keeps what it means for the token. False when no token is left to try with. */
static bool settle(
	rl_acquire *acquire, rl_undo undo, const rl_tick *tick, rl_settlement *settlement)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	*settlement = rl_quorum_call_settle(call, undo, tick->now);
	if (settlement->was_undone) {
		return rl_acquire_replace_token(acquire, tick);
	}
	acquire->is_maybe_ours =
		acquire->is_maybe_ours || (settlement->is_in_doubt && !call->is_own_token);
	return true;
}

/* ---- pauses ---- */

void rl_acquire_pause(rl_acquire *acquire, const rl_tick *tick, int64_t delay)
{
	acquire->phase = RL_ACQUIRE_PAUSED;
	acquire->is_delayed = delay > 0;
	acquire->resume_at = rl_time_later(tick->now, delay);
	/* A probe that is answered only after the deadline tells nothing, and stands in the last try's way. */
	int64_t slow = acquire->is_polling ? 0 : 2 * acquire->round_trip;
	if (delay > 0 && rl_time_later(acquire->resume_at, slow) > acquire->deadline) {
		acquire->resume_at = acquire->deadline;
	}
}

/* Until a split vote is tried again: any time up to some round trips, so that those who split it part. */
static int64_t split_delay(rl_acquire *acquire, int64_t round_trip)
{
	unsigned doublings = acquire->splits < 6 ? acquire->splits : 6;
	int64_t most = (round_trip > SPLIT_LEAST_NS ? round_trip : SPLIT_LEAST_NS) << doublings;
	most = rl_time_earlier(most, SPLIT_MOST_NS);
	int64_t delay = rl_backoff_any(rl_acquire_call(acquire)->env, most);
	return delay > 0 ? delay : 1;
}

int64_t rl_acquire_backoff(rl_acquire *acquire)
{
	const rl_set *set = rl_acquire_call(acquire)->set;
	rl_stats_add(&rl_acquire_stats(acquire)->delays, 1);
	int64_t delay =
		rl_backoff_delay(&set->backoff, acquire->delays++, rl_acquire_call(acquire)->env);
	/* Who is in the queue has a mark to refresh. */
	return acquire->is_polling ? delay : rl_time_earlier(delay, RL_ACQUIRE_PROBE_NS);
}

int64_t rl_acquire_failure_delay(rl_acquire *acquire)
{
	const rl_quorum_call *call = rl_acquire_call(acquire);
	rl_backoff backoff = call->set->backoff;
	backoff.max_ns = backoff.max_ns > FAILURE_MOST_NS ? backoff.max_ns : FAILURE_MOST_NS;
	rl_stats_add(&rl_acquire_stats(acquire)->delays, 1);
	int64_t delay = rl_backoff_delay(&backoff, acquire->failures++, call->env);
	return acquire->is_polling ? delay : rl_time_earlier(delay, RL_ACQUIRE_PROBE_NS);
}

/* Tries again later, if the wait allows; else the call ends with the status. */
static bool retry_or_finish(
	rl_acquire *acquire, const rl_tick *tick, rl_status status, bool may_go_on)
{
	if (!may_go_on || is_last_look(acquire, tick)) {
		return rl_acquire_finish(acquire, tick, status);
	}
	rl_acquire_pause(acquire, tick, rl_acquire_failure_delay(acquire));
	return false;
}

/* ---- outcomes ---- */

const char *rl_acquire_fate(const rl_acquire *acquire, const rl_settlement *settlement)
{
	if (settlement->is_in_doubt || acquire->is_maybe_ours) {
		return "; outcome unknown: if the lock was granted, it ends by its TTL";
	}
	return settlement->was_guarded ? "; if it is granted after all, an undo behind it takes it back"
								   : "";
}

bool rl_acquire_is_of_use(rl_acquire *acquire, int64_t held_since, const rl_tick *tick)
{
	acquire->proven_until =
		held_since + acquire->ttl_ns - rl_set_drift(rl_acquire_call(acquire)->set, acquire->ttl_ns);
	return acquire->proven_until > tick->now;
}

/* A grant that has used up its ttl was given back. */
bool rl_acquire_on_too_slow(rl_acquire *acquire, int64_t held_since, bool has_token,
	const rl_settlement *settlement, const rl_tick *tick)
{
	const rl_quorum_call *call = rl_acquire_call(acquire);
	const char *fate = call->is_own_token ? "; what may be left of it ends by its TTL"
										  : rl_acquire_fate(acquire, settlement);
	int64_t after_ms = (tick->now - held_since + RL_NS_PER_MS / 2) / RL_NS_PER_MS;
	char after[RL_SECONDS_TEXT];
	char ttl[RL_SECONDS_TEXT];
	rl_op_fail_with(&acquire->op, RL_ERR_SLOW,
		"too slow: the lock was granted after %s s, when its ttl of %s s was used up%s",
		rl_seconds_text(after_ms * RL_NS_PER_MS, after), rl_seconds_text(acquire->ttl_ns, ttl),
		fate);
	return retry_or_finish(acquire, tick, RL_ERR_SLOW, has_token && !call->is_own_token);
}

static bool on_granted(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	int64_t sent_at = rl_quorum_call_sent_at(call);
	acquire->is_marked = false;
	bool is_good = rl_acquire_is_of_use(acquire, sent_at, tick);
	rl_settlement settlement;
	bool has_token = settle(acquire, is_good ? RL_UNDO_NOTHING : RL_UNDO_ALL, tick, &settlement);
	return is_good ? rl_acquire_win(acquire, sent_at, tick)
				   : rl_acquire_on_too_slow(acquire, sent_at, has_token, &settlement, tick);
}

/* A look that met a stall, of the server or of this process, took longer than the network does: so the shortest round
 * trip is what a wait reckons with. */
static void note_round_trip(rl_acquire *acquire, const rl_member_call *member)
{
	int64_t round_trip =
		rl_time_earlier(member->heard_at - member->channel.sent_at, member->timeout);
	bool is_first = acquire->sample.heard_at == 0;
	if (is_first || round_trip < acquire->round_trip) {
		acquire->round_trip = round_trip;
	}
}

static void take_sample(rl_acquire *acquire, const rl_member_call *member)
{
	note_round_trip(acquire, member);
	acquire->sample = (rl_sample){.asked_at = member->channel.sent_at,
		.heard_at = member->heard_at,
		.server_us = member->answer.time_us,
		.member = (unsigned) (member - rl_acquire_call(acquire)->members)};
}

/* The caller's token is in doubt on so many members that the others make no quorum. */
static bool is_own_token_lost(rl_acquire *acquire)
{
	const rl_quorum_call *call = rl_acquire_call(acquire);
	unsigned count = call->set->count;
	return call->is_own_token && rl_quorum_call_spent(call) > count - rl_quorum(count);
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
	rl_quorum_call *call = rl_acquire_call(acquire);
	bool was_set = call->request.verb == RL_VERB_SET;
	bool is_several = call->set->count > 1;
	bool is_split = rl_quorum_call_count(call, RL_VOTE_GRANTED) > 0;
	const rl_member_call *speaker = rl_quorum_call_speaker(call, RL_VOTE_REFUSED);
	int64_t round_trip = tick->now - speaker->channel.sent_at;
	rl_answer answer = speaker->answer;
	/* No later try of this wait has to find that out again. */
	call->request.is_alone = call->request.is_alone || speaker->sent.is_alone;
	if (!is_several) { /* else the sample is that of the queue's member */
		take_sample(acquire, speaker);
	}
	acquire->is_marked = acquire->is_marked && call->request.mark_ms > 0;
	acquire->crowd = answer.crowd;
	acquire->failures = 0;
	acquire->idle_tickets = 0;
	rl_settlement settlement;
	bool has_token = settle(acquire, RL_UNDO_ALL, tick, &settlement);
	bool is_lost = is_own_token_lost(acquire);
	acquire->is_woken = false;
	acquire->splits = is_split ? acquire->splits : 0;
	bool is_worth_another = has_token && !is_lost && is_split && acquire->splits < SPLIT_TRIES;
	if (is_worth_another && !acquire->is_waiting) {
		try_split_again(acquire, round_trip, tick);
		return false;
	}
	if (!has_token || is_last_look(acquire, tick)) {
		return rl_acquire_finish(acquire, tick, RL_BUSY);
	}
	if (is_lost) {
		rl_op_fail(&acquire->op, rl_acquire_fate(acquire, &settlement));
		return rl_acquire_finish(acquire, tick, acquire->op.status);
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
	rl_acquire_pause(acquire, tick, rl_acquire_probe_delay(acquire, answer.holder, answer.number));
	return false;
}

/* The next look is a try. */
static void try_next(rl_acquire *acquire, bool has_won, const rl_tick *tick)
{
	acquire->must_try = true;
	acquire->has_won = has_won;
	rl_acquire_pause(acquire, tick, 0);
}

/* A ticket that lies at the server was not sent to us: we have no place there, or the server had our place before the
 * look came, for it was written two round trips earlier. Of several members a look finds out where to queue, and the
 * place that follows is there for the ticket. */
static bool is_past_our_place(const rl_acquire *acquire)
{
	const rl_sample *look = &acquire->sample;
	if (acquire->queue.state == RL_QUEUE_OUT) {
		return acquire->op.call.set->count == 1;
	}
	return rl_queue_is_in_since(
		&acquire->queue, look->asked_at - 2 * (look->heard_at - look->asked_at));
}

/* The members that are free and those that have not answered could be a quorum: the next look comes soon, and later
 * each time that nothing comes of it. */
static int64_t unsure_delay(const rl_acquire *acquire, int64_t delay)
{
	unsigned doublings = acquire->unsure_looks < 7 ? acquire->unsure_looks - 1 : 6;
	return rl_time_earlier(delay, RL_ACQUIRE_FREE_PROBE_NS << doublings);
}

/* PROBE was answered. */
static void on_looked(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	rl_probe_result probe;
	bool can_queue = rl_acquire_read_probe(acquire, &probe);
	rl_answer answer = probe.member->answer;
	rl_quorum_call_settle(call, RL_UNDO_NOTHING, tick->now);
	if (!can_queue) {
		rl_acquire_fall_back(acquire, tick);
		rl_acquire_pause(acquire, tick, 0);
		return;
	}
	acquire->crowd = answer.crowd;
	acquire->failures = 0;
	acquire->reach = rl_time_earlier(acquire->reach, probe.reach);
	rl_acquire_move_queue(acquire, probe.index, tick);
	bool is_of_queue =
		acquire->queue.member == probe.index; /* else that one is late with its answer */
	if (is_of_queue) {
		take_sample(acquire, probe.member);
	}
	/* A ticket lies there: the server has no waiter to give it to. Or a look has sent one, and the next look still finds
	 * the lock free. The token is ours: the queue has won, and does not say so. */
	bool is_free = answer.holder == RL_HOLDER_NOBODY && is_of_queue && is_past_our_place(acquire);
	acquire->idle_tickets = is_free ? acquire->idle_tickets + 1 : 0;
	bool is_lying = is_free && (answer.ticket == RL_TICKET_OUT || acquire->idle_tickets > 1);
	bool is_ours = answer.holder == RL_HOLDER_SELF;
	/* A quorum is free, while the first member is held by somebody who has no quorum, and may be dead. */
	bool is_free_still = acquire->free_looks > 0 && probe.may_be_free;
	acquire->free_looks = probe.is_quorum_free || is_free_still ? acquire->free_looks + 1 : 0;
	acquire->unsure_looks = probe.may_be_free ? acquire->unsure_looks + 1 : 0;
	if (is_lying || is_ours || acquire->free_looks > 1) {
		try_next(acquire, is_ours, tick);
		return;
	}
	if (call->set->count > 1 && acquire->queue.state == RL_QUEUE_OUT) {
		if (call->request.waiter.data == NULL) {
			rl_acquire_pause(acquire, tick, 0); /* the mark is to have the name of the next place */
			return;
		}
		call->request.is_owed =
			acquire->is_maybe_ours; /* it may have been lost since the look began */
		rl_acquire_enter_queue(acquire, tick);
	}
	int64_t delay = rl_acquire_probe_delay(acquire, answer.holder, probe.soonest_pttl);
	rl_acquire_pause(acquire, tick, probe.may_be_free ? unsure_delay(acquire, delay) : delay);
}

static bool on_failed(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	bool may_pass = rl_quorum_call_may_pass(call);
	bool may_retry = may_pass && !is_last_look(acquire, tick);
	rl_settlement settlement;
	bool has_token =
		settle(acquire, may_retry ? RL_UNDO_BUT_REFUSALS : RL_UNDO_ALL, tick, &settlement);
	bool is_lost = is_own_token_lost(acquire);
	acquire->is_woken = false;
	if (!may_retry || !has_token || is_lost) {
		rl_settlement left = rl_queue_leave(&acquire->queue, call, true, tick->now);
		acquire->is_maybe_ours = acquire->is_maybe_ours && !left.was_undone;
		settlement.was_undone = settlement.was_undone || left.was_undone;
		settlement.was_guarded = settlement.was_guarded || left.was_guarded;
		settlement.is_in_doubt = settlement.is_in_doubt || left.is_in_doubt;
	}
	bool is_said = rl_quorum_call_speaker(call, RL_VOTE_FAILED)->err->status == RL_ERR_UNKNOWN;
	rl_op_fail(&acquire->op, is_said ? "" : rl_acquire_fate(acquire, &settlement));
	return retry_or_finish(acquire, tick, acquire->op.status, may_pass && has_token && !is_lost);
}

/* A member refuses the helper keys, without which there are no looks. */
static bool has_no_looks(const rl_quorum_call *call)
{
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		if (member->vote == RL_VOTE_FAILED && rl_error_is_about_helpers(member->err)) {
			return true;
		}
	}
	return false;
}

/* The caller's token is in place of the drawn one on a quorum. */
static bool on_swapped(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	int64_t since =
		rl_quorum_call_has_swapped(call) ? rl_quorum_call_sent_at(call) : acquire->won_since;
	bool is_good = rl_acquire_is_of_use(acquire, since, tick);
	rl_settlement settlement =
		rl_quorum_call_settle(call, is_good ? RL_UNDO_NOTHING : RL_UNDO_ALL, tick->now);
	if (!is_good) {
		return rl_acquire_on_too_slow(acquire, since, false, &settlement, tick);
	}
	use_token(acquire, true);
	return rl_acquire_finish(acquire, tick, RL_OK);
}

/* It was not to be put there. What has won is released; where nothing of the caller's token can be left, the wait goes
 * on. */
static bool on_not_swapped(rl_acquire *acquire, rl_vote outcome, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	bool may_pass = outcome == RL_VOTE_REFUSED || rl_quorum_call_may_pass(call);
	bool was_set = rl_quorum_call_count(call, RL_VOTE_GRANTED) > 0;
	bool may_retry = may_pass && !is_last_look(acquire, tick);
	rl_settlement settlement =
		rl_quorum_call_settle(call, may_retry ? RL_UNDO_BUT_REFUSALS : RL_UNDO_ALL, tick->now);
	settlement.is_in_doubt = settlement.is_in_doubt || was_set;
	bool is_unknown = settlement.is_in_doubt;
	use_token(acquire, false);
	bool is_gone = settlement.was_undone || outcome == RL_VOTE_REFUSED;
	bool has_token = is_gone ? rl_acquire_replace_token(acquire, tick) : true;
	acquire->is_maybe_ours = !is_gone;
	if (outcome == RL_VOTE_FAILED) {
		rl_op_fail(&acquire->op, rl_acquire_fate(acquire, &settlement));
	} else if (is_unknown) {
		rl_op_fail_with(&acquire->op, RL_ERR_UNKNOWN,
			"the lock was lost before the token you gave could be set%s",
			rl_acquire_fate(acquire, &settlement));
	} else {
		acquire->op.status = RL_BUSY;
	}
	return retry_or_finish(acquire, tick, acquire->op.status, may_pass && has_token && !is_unknown);
}

/* PROBE failed. The queue goes on, and the try at the end decides. */
static bool on_look_failed(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	bool is_forbidden = has_no_looks(call);
	bool may_pass = rl_quorum_call_may_pass(call);
	rl_quorum_call_settle(call, RL_UNDO_NOTHING, tick->now);
	if (is_forbidden) {
		rl_acquire_fall_back(acquire, tick);
	} else if (!may_pass) {
		rl_settlement left = rl_queue_leave(&acquire->queue, call, true, tick->now);
		rl_op_fail(&acquire->op, rl_acquire_fate(acquire, &left));
		return rl_acquire_finish(acquire, tick, acquire->op.status);
	}
	rl_acquire_pause(acquire, tick, rl_acquire_failure_delay(acquire));
	return false;
}

/* ---- the loop ---- */

/* Sees to it that nothing but the try can win from now on, and begins it. */
static void begin_try(rl_acquire *acquire, const rl_tick *tick)
{
	rl_queue *queue = &acquire->queue;
	if (acquire->has_won || tick->now >= acquire->deadline) {
		acquire->is_maybe_ours = acquire->is_maybe_ours || rl_queue_is_in(queue);
	} else {
		rl_acquire_leave_queue(acquire, tick);
	}
	acquire->is_woken = acquire->has_won && rl_acquire_call(acquire)->set->count > 1;
	begin_exchange(acquire, RL_VERB_TRY, tick);
	acquire->must_try = false;
	acquire->has_won = false;
	acquire->free_looks = 0;
}

/* The pause is over. */
static void resume(rl_acquire *acquire, const rl_tick *tick)
{
	if (rl_acquire_call(acquire)->is_own_token && acquire->attempts > 0) {
		use_token(acquire, false);
		if (!draw_token(acquire)) {
			return;
		}
	}
	if (!acquire->has_tried) {
		begin_exchange(acquire, RL_VERB_SET, tick);
		return;
	}
	if (acquire->is_delayed) {
		acquire->looks++;
		acquire->vain = 0;
	}
	bool may_queue = rl_acquire_call(acquire)->set->wakes;
	if (acquire->is_polling && may_queue && tick->now >= acquire->requeue_at) {
		acquire->is_polling = false; /* what kept it from the queue may be over */
		acquire->losses = 0;
		rl_acquire_call(acquire)->request.waiter = (rl_bytes){NULL, 0}; /* for the next place */
	}
	/* One server is asked by a try that marks, and queues behind it; of several a look finds out where to queue. */
	bool must_enter =
		acquire->queue.state == RL_QUEUE_OUT && rl_acquire_call(acquire)->set->count == 1;
	if (is_last_look(acquire, tick) || acquire->is_polling || acquire->must_try || must_enter) {
		begin_try(acquire, tick);
	} else {
		begin_exchange(acquire, RL_VERB_PROBE, tick);
	}
}

/* The quorum call has an outcome. True = the call is done. */
static bool on_outcome(rl_acquire *acquire, rl_vote outcome, const rl_tick *tick)
{
	bool is_look = acquire->phase == RL_ACQUIRE_PROBING;
	if (acquire->phase == RL_ACQUIRE_SWAPPING && outcome != RL_VOTE_OPEN) {
		return outcome == RL_VOTE_GRANTED ? on_swapped(acquire, tick)
										  : on_not_swapped(acquire, outcome, tick);
	}
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

/* Goes on with the quorum call. True = something came of it. */
static bool step_exchange(rl_acquire *acquire, const rl_tick *tick, rl_wait *wait, bool *is_done)
{
	if (acquire->phase == RL_ACQUIRE_PROBING && tick->now >= acquire->deadline) {
		/* The try that decides goes behind the look. */
		rl_quorum_call_settle(rl_acquire_call(acquire), RL_UNDO_NOTHING, tick->now);
		begin_try(acquire, tick);
		return true;
	}
	rl_vote outcome = rl_quorum_call_step(rl_acquire_call(acquire), tick, wait);
	*is_done = on_outcome(acquire, outcome, tick);
	return outcome != RL_VOTE_OPEN;
}

/* One turn. True = there may be more to do at once. */
static bool turn(rl_acquire *acquire, const rl_tick *tick, rl_wait *wait, bool *is_done)
{
	bool is_trying = acquire->phase == RL_ACQUIRE_TRYING || acquire->phase == RL_ACQUIRE_SWAPPING;
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
		case RL_ACQUIRE_TRYING:
		case RL_ACQUIRE_SWAPPING:
		case RL_ACQUIRE_PROBING:
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

static bool step(rl_op *op, const rl_tick *tick, rl_wait *wait)
{
	rl_acquire *acquire = (rl_acquire *) op;
	if (!acquire->op.is_begun) {
		begin(acquire, tick->now);
	}
	bool is_done = false;
	bool goes_on = true;
	while (goes_on && !is_done) {
		if (acquire->op.status == RL_ERR_RANDOM) {
			rl_quorum_call_settle(rl_acquire_call(acquire), RL_UNDO_ALL, tick->now);
			rl_op_fail_with(
				&acquire->op, RL_ERR_RANDOM, "the system gave no random bytes for a token");
			return rl_acquire_finish(acquire, tick, RL_ERR_RANDOM);
		}
		goes_on = turn(acquire, tick, wait, &is_done);
	}
	return is_done;
}

static void abandon(rl_op *op, int64_t now)
{
	rl_acquire *acquire = (rl_acquire *) op;
	rl_quorum_call *call = rl_acquire_call(acquire);
	rl_settlement left = rl_queue_leave(&acquire->queue, call, true, now);
	acquire->is_maybe_ours = acquire->is_maybe_ours || (left.is_in_doubt && !call->is_own_token);
	if (acquire->phase == RL_ACQUIRE_PAUSED || acquire->phase == RL_ACQUIRE_PROBING) {
		rl_quorum_call_settle(call, RL_UNDO_NOTHING, now); /* a look */
		if (acquire->is_maybe_ours) {
			rl_quorum_call_hold(call, true, now);
		}
	}
	rl_quorum_call_settle(call, RL_UNDO_ALL, now);
	unmark_at_end(acquire, now);
}

static void drop(rl_op *op)
{
	rl_queue_drop(&((rl_acquire *) op)->queue);
}

/* ---- the operation ---- */

static const rl_op_class acquire_class = {.step = step, .abandon = abandon, .drop = drop};

rl_acquire *rl_acquire_of(rl_op *op)
{
	return op->class == &acquire_class ? (rl_acquire *) op : NULL;
}

rl_op *rl_acquire_new(rl_set *set, rl_pool *pool, const rl_env *env, const rl_acquire_args *args)
{
	bool is_own = args->token.data != NULL;
	size_t own_len = is_own ? args->token.len : 0;
	char *tokens;
	rl_acquire *acquire = rl_op_alloc(sizeof *acquire, &acquire_class, set, pool, env, args->key,
		RL_TOKEN_LEN + own_len, &tokens);
	if (acquire == NULL) {
		return NULL;
	}
	acquire->drawn = tokens;
	acquire->ttl_ns = args->ttl_ms * RL_NS_PER_MS;
	acquire->is_waiting = args->wait_ns > 0;
	acquire->wait_ns = args->wait_ns;
	acquire->is_polling = !set->wakes;
	acquire->requeue_at = RL_NEVER;
	acquire->reach = RL_NEVER;
	rl_quorum_call *call = rl_acquire_call(acquire);
	call->request.verb = RL_VERB_SET;
	call->request.ttl_ms = args->ttl_ms;
	call->request.is_alone = acquire->is_polling;
	if (is_own) {
		memcpy(tokens + RL_TOKEN_LEN, args->token.data, own_len);
		acquire->own = rl_bytes_of(tokens + RL_TOKEN_LEN, own_len);
	} else {
		draw_token(acquire);
	}
	use_token(acquire, is_own);
	return &acquire->op;
}

bool rl_acquire_may_hold(const rl_acquire *acquire, int64_t now, rl_late_release *late)
{
	const rl_quorum_call *call = &acquire->op.call;
	bool is_swapping = acquire->phase == RL_ACQUIRE_SWAPPING;
	unsigned all = rl_late_all(call->set);
	if (call->is_own_token && !is_swapping) {
		return false;
	}
	*late = (rl_late_release){.set = call->set,
		.key = call->request.key,
		.token = rl_bytes_of(acquire->drawn, RL_TOKEN_LEN),
		.members = all,
		.strays = all,
		.ttl_ns = LAST_RELEASE_NS};
	/* While what was won is proven, nobody else has the lock there, with whatever token. */
	int64_t proven_ns = acquire->proven_until - now;
	if (is_swapping && proven_ns > 0) {
		late->other = acquire->own;
		late->others = acquire->won_on;
		late->ttl_ns = rl_time_earlier(LAST_RELEASE_NS, proven_ns);
	}
	return true;
}
