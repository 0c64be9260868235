/* SPDX-License-Identifier: MIT
 *
 * What follows from the outcome of a try, a probe and a swap. The design is at the top of
 * rl_acquire_op.c.
 */
#include "core/lock/rl_acquire_parts.h"

#include "core/base/rl_time.h"
#include "core/lock/rl_op_failure.h"

#include <string.h>

/* How often a split vote is tried again by a call that does not wait, and the random time between.
 */
#define SPLIT_TRIES 3
#define SPLIT_LEAST_NS (RL_NS_PER_MS / 2)
#define SPLIT_MOST_NS (200 * RL_NS_PER_MS)

static bool on_granted(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	int64_t sent_at = rl_quorum_call_sent_at(call);
	acquire->is_marked = false;
	bool is_good = rl_acquire_is_of_use(acquire, sent_at, tick);
	rl_settlement settlement;
	bool has_token =
		rl_acquire_settle(acquire, is_good ? RL_UNDO_NOTHING : RL_UNDO_ALL, tick, &settlement);
	return is_good ? rl_acquire_win(acquire, sent_at, tick)
				   : rl_acquire_on_too_slow(acquire, sent_at, has_token, &settlement, tick);
}

/* A look that met a stall, of the server or of this process, took longer than the network does: so
 * the shortest round trip is what a wait reckons with. */
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

/* Until a split vote is tried again: any time up to some round trips, so that those who split it
 * part. */
static int64_t split_delay(rl_acquire *acquire, int64_t round_trip)
{
	unsigned doublings = acquire->splits < 6 ? acquire->splits : 6;
	int64_t most = (round_trip > SPLIT_LEAST_NS ? round_trip : SPLIT_LEAST_NS) << doublings;
	most = rl_time_earlier(most, SPLIT_MOST_NS);
	int64_t delay = rl_backoff_any(rl_acquire_call(acquire)->env, most);
	return delay > 0 ? delay : 1;
}

/* Nobody may have the lock, though a quorum refuses it: it is worth another try soon, also to who
 * does not wait. A few of them: somebody may hold it on a bare majority. */
static void try_split_again(rl_acquire *acquire, int64_t round_trip, const rl_tick *tick)
{
	int64_t at = tick->now + split_delay(acquire, round_trip);
	acquire->splits++;
	acquire->next = rl_acquire_is_waiting(acquire) ? RL_ACQUIRE_NEXT_PROBE : RL_ACQUIRE_NEXT_SET;
	acquire->phase = RL_ACQUIRE_PAUSED;
	acquire->is_delayed = false; /* it is not one of the `retries` */
	acquire->resume_at =
		rl_acquire_is_waiting(acquire) ? rl_time_earlier(at, acquire->deadline) : at;
	rl_stats_add(&rl_acquire_stats(acquire)->split_votes, 1);
}

static bool on_refused(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	bool was_set = call->request.verb == RL_VERB_SET;
	bool is_split = rl_quorum_call_count(call, RL_VOTE_GRANTED) > 0;
	const rl_member_call *speaker = rl_quorum_call_speaker(call, RL_VOTE_REFUSED);
	int64_t round_trip = tick->now - speaker->channel.sent_at;
	rl_answer answer = speaker->answer;
	/* No later try of this wait has to find that out again. */
	call->request.no_helpers = call->request.no_helpers || speaker->sent.no_helpers;
	acquire->is_marked = acquire->is_marked && call->request.mark_ms > 0;
	acquire->crowd = answer.crowd;
	acquire->failures = 0;
	rl_settlement settlement;
	bool has_token = rl_acquire_settle(acquire, RL_UNDO_ALL, tick, &settlement);
	bool is_lost = is_own_token_lost(acquire);
	acquire->splits = is_split ? acquire->splits : 0;
	bool is_worth_another = has_token && !is_lost && is_split && acquire->splits < SPLIT_TRIES;
	if (is_worth_another && !rl_acquire_is_waiting(acquire)) {
		try_split_again(acquire, round_trip, tick);
		return false;
	}
	if (!has_token || rl_acquire_is_last_try(acquire, tick->now)) {
		return rl_acquire_finish(acquire, tick, RL_BUSY);
	}
	if (is_lost) {
		rl_op_fail(&acquire->op, rl_acquire_fate(acquire, &settlement));
		return rl_acquire_finish(acquire, tick, acquire->op.status);
	}
	/* On a slow server the answer to a probe would come too late for the try that decides. */
	int64_t left = acquire->deadline - tick->now;
	bool can_queue = !acquire->is_polling && left >= RL_QUEUE_WORTH_NS && left >= 2 * round_trip;
	if (can_queue && (was_set || !is_split)) {
		rl_acquire_pause(acquire, tick, 0); /* the probe marks the waiter, and it queues */
		return false;
	}
	acquire->is_polling = acquire->is_polling || was_set;
	if (is_worth_another) {
		try_split_again(acquire, round_trip, tick);
		return false;
	}
	rl_acquire_pause(acquire, tick, rl_acquire_probe_delay(acquire, answer.holder, answer.number));
	return false;
}

static bool on_failed(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	bool may_pass = rl_quorum_call_may_pass(call);
	bool may_retry = may_pass && !rl_acquire_is_last_try(acquire, tick->now);
	rl_settlement settlement;
	bool has_token = rl_acquire_settle(
		acquire, may_retry ? RL_UNDO_BUT_REFUSALS : RL_UNDO_ALL, tick, &settlement);
	bool is_lost = is_own_token_lost(acquire);
	if (!may_retry || !has_token || is_lost) {
		rl_settlement left = rl_queue_leave(&acquire->queue, call, true, tick->now);
		acquire->is_maybe_ours = acquire->is_maybe_ours && !left.was_undone;
		settlement.was_undone = settlement.was_undone || left.was_undone;
		settlement.doubt = rl_doubt_add(settlement.doubt, left.doubt);
	}
	bool is_said = rl_quorum_call_speaker(call, RL_VOTE_FAILED)->err->status == RL_ERR_UNKNOWN;
	rl_op_fail(&acquire->op, is_said ? "" : rl_acquire_fate(acquire, &settlement));
	return rl_acquire_retry_or_finish(
		acquire, tick, acquire->op.status, may_pass && has_token && !is_lost);
}

bool rl_acquire_on_tried(rl_acquire *acquire, rl_vote outcome, const rl_tick *tick)
{
	if (outcome == RL_VOTE_GRANTED) {
		return on_granted(acquire, tick);
	}
	return outcome == RL_VOTE_REFUSED ? on_refused(acquire, tick) : on_failed(acquire, tick);
}

/* The call goes on with a try at once. */
static void try_next(rl_acquire *acquire, rl_acquire_next next, const rl_tick *tick)
{
	acquire->next = next;
	rl_acquire_pause(acquire, tick, 0);
}

/* The server had our place before the probe came, because the place was written two round trips
 * earlier: a ticket that lies at the server was not meant for us. */
static bool is_past_our_place(const rl_acquire *acquire)
{
	const rl_sample *probe = &acquire->sample;
	return rl_queue_is_in_since(
		&acquire->queue, probe->asked_at - 2 * (probe->heard_at - probe->asked_at));
}

/* Counts the probes in a row that found a quorum of members free. While our place is on its way to
 * a member that is free, the ticket is for us, and the count stops at one. */
static void count_free_probes(
	rl_acquire *acquire, const rl_probe_result *probe, bool is_free_at_place)
{
	bool is_on_its_way =
		is_free_at_place && acquire->queue.state != RL_QUEUE_OUT && !is_past_our_place(acquire);
	bool may_be_free = probe->free != RL_QUORUM_HELD;
	bool is_free_still = acquire->free_probes > 0 && may_be_free;
	if (probe->free != RL_QUORUM_FREE && !is_free_still) {
		acquire->free_probes = 0;
	} else if (acquire->free_probes == 0 || !is_on_its_way) {
		acquire->free_probes++;
	}
	acquire->unsure_probes = may_be_free ? acquire->unsure_probes + 1 : 0;
}

/* What follows a probe; PROBE = the wait goes on. A try follows where the lock may be free and
 * nobody takes it: a ticket lies at the server, which has no waiter for it, or two probes in a row
 * found a quorum free, while the member at which we queue may be held by a dead process. */
static rl_acquire_next after_probe(
	rl_acquire *acquire, const rl_probe_result *probe, rl_answer answer)
{
	bool is_free_at_place =
		answer.holder == RL_HOLDER_NOBODY && acquire->queue.member == probe->index;
	count_free_probes(acquire, probe, is_free_at_place);
	if (answer.holder == RL_HOLDER_SELF) {
		return RL_ACQUIRE_NEXT_CLAIM; /* the queue has won, and does not say so */
	}
	if (acquire->next != RL_ACQUIRE_NEXT_PROBE) {
		return acquire->next; /* the place was lost meanwhile */
	}
	bool is_ticket_lying = is_free_at_place && answer.ticket == RL_TICKET_OUT;
	return (is_ticket_lying && is_past_our_place(acquire)) || acquire->free_probes > 1
		? RL_ACQUIRE_NEXT_TRY
		: RL_ACQUIRE_NEXT_PROBE;
}

/* The members that are free and those that have not answered could be a quorum: the next look comes
 * soon, and later each time that nothing comes of it. */
static int64_t unsure_delay(const rl_acquire *acquire, int64_t delay)
{
	unsigned doublings = acquire->unsure_probes < 7 ? acquire->unsure_probes - 1 : 6;
	return rl_time_earlier(delay, RL_ACQUIRE_FREE_PROBE_NS << doublings);
}

/* PROBE was answered. */
static void on_probe_answered(rl_acquire *acquire, const rl_tick *tick)
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
	if (acquire->queue.member == probe.index) { /* else that one is late with its answer */
		take_sample(acquire, probe.member);
	}
	rl_acquire_next next = after_probe(acquire, &probe, answer);
	if (next != RL_ACQUIRE_NEXT_PROBE) {
		try_next(acquire, next, tick);
		return;
	}
	if (acquire->queue.state == RL_QUEUE_OUT) {
		if (call->request.waiter.data == NULL) {
			rl_acquire_pause(acquire, tick, 0); /* the mark is to have the name of the next place */
			return;
		}
		call->request.maybe_ours =
			acquire->is_maybe_ours; /* it may have been lost since the look began */
		rl_acquire_enter_queue(acquire, tick);
	}
	int64_t delay = rl_acquire_probe_delay(acquire, answer.holder, probe.soonest_pttl);
	rl_acquire_pause(
		acquire, tick, probe.free != RL_QUORUM_HELD ? unsure_delay(acquire, delay) : delay);
}

/* A member refuses the helper keys, without which there are no probes. If it refuses a command, no
 * key of the set can be waited for. */
static bool has_no_probes(rl_quorum_call *call)
{
	bool has_none = false;
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		bool is_refused = member->vote == RL_VOTE_FAILED && rl_error_is_about_helpers(member->err);
		if (is_refused && rl_error_names_command(member->err)) {
			rl_stats_add(&call->env->stats->fallbacks, rl_set_stop_waking(call->set));
		}
		has_none = has_none || is_refused;
	}
	return has_none;
}

/* PROBE failed. The queue goes on, and the try at the end decides. */
static bool on_probe_failed(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	bool is_forbidden = has_no_probes(call);
	bool may_pass = rl_quorum_call_may_pass(call);
	rl_quorum_call_settle(call, RL_UNDO_NOTHING, tick->now);
	if (is_forbidden) {
		rl_acquire_fall_back(acquire, tick);
		call->request.no_helpers = true; /* no try of this wait has to find that out again */
		rl_acquire_pause(acquire, tick, 0);
		return false;
	}
	if (!may_pass) {
		rl_settlement left = rl_queue_leave(&acquire->queue, call, true, tick->now);
		rl_op_fail(&acquire->op, rl_acquire_fate(acquire, &left));
		return rl_acquire_finish(acquire, tick, acquire->op.status);
	}
	rl_acquire_pause(acquire, tick, rl_acquire_failure_delay(acquire));
	return false;
}

bool rl_acquire_on_probed(rl_acquire *acquire, rl_vote outcome, const rl_tick *tick)
{
	if (outcome == RL_VOTE_GRANTED) {
		on_probe_answered(acquire, tick);
		return false;
	}
	return on_probe_failed(acquire, tick);
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
	rl_acquire_use_token(acquire, true);
	return rl_acquire_finish(acquire, tick, RL_OK);
}

/* It was not to be put there. What has won is released; where nothing of the caller's token can be
 * left, the wait goes on. */
static bool on_not_swapped(rl_acquire *acquire, rl_vote outcome, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	bool may_pass = outcome == RL_VOTE_REFUSED || rl_quorum_call_may_pass(call);
	bool was_set = rl_quorum_call_count(call, RL_VOTE_GRANTED) > 0;
	bool may_retry = may_pass && !rl_acquire_is_last_try(acquire, tick->now);
	rl_settlement settlement =
		rl_quorum_call_settle(call, may_retry ? RL_UNDO_BUT_REFUSALS : RL_UNDO_ALL, tick->now);
	settlement.doubt = was_set ? RL_DOUBT_UNKNOWN : settlement.doubt;
	bool is_unknown = settlement.doubt == RL_DOUBT_UNKNOWN;
	rl_acquire_use_token(acquire, false);
	bool is_gone = settlement.was_undone || outcome == RL_VOTE_REFUSED;
	bool has_token = is_gone ? rl_acquire_replace_token(acquire, tick) : true;
	acquire->is_maybe_ours = !is_gone;
	if (outcome == RL_VOTE_FAILED) {
		rl_op_fail(&acquire->op, rl_acquire_fate(acquire, &settlement));
	} else if (is_unknown) {
		rl_op_fail_with(&acquire->op, RL_ERR_UNKNOWN,
			"the lock was granted, but was lost before your token could be set%s",
			rl_acquire_fate(acquire, &settlement));
	} else {
		acquire->op.status = RL_BUSY;
	}
	return rl_acquire_retry_or_finish(
		acquire, tick, acquire->op.status, may_pass && has_token && !is_unknown);
}

bool rl_acquire_on_swapped(rl_acquire *acquire, rl_vote outcome, const rl_tick *tick)
{
	return outcome == RL_VOTE_GRANTED ? on_swapped(acquire, tick)
									  : on_not_swapped(acquire, outcome, tick);
}
