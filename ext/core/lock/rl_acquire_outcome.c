/* SPDX-License-Identifier: MIT
 *
 * What an acquire does after a try, a probe and a swap. The design is at the top of
 * rl_acquire_op.c.
 */
#include "core/lock/rl_acquire_parts.h"

#include "core/base/rl_time.h"
#include "core/lock/rl_op_failure.h"

#include <string.h>

/* How often a split vote is tried again: another client may hold a bare majority. Then the limits
 * of the longest random pause before the try. */
#define SPLIT_TRIES 3
#define SPLIT_LEAST_NS (RL_NS_PER_MS / 2)
#define SPLIT_MOST_NS (200 * RL_NS_PER_MS)

/* The members that may have our mark although a try has decided. A try removes the mark where it
 * takes the lock, and where it is the last of the wait.
 * @param is_last the try was the last one, if it was refused */
static unsigned still_marked(const rl_acquire *acquire, bool is_last)
{
	const rl_quorum_call *call = &acquire->op.call;
	unsigned left = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		rl_vote vote = call->members[i].vote;
		left |= (unsigned) (vote == RL_VOTE_FAILED || (vote == RL_VOTE_REFUSED && !is_last)) << i;
	}
	return acquire->marked & left;
}

static bool on_granted(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	int64_t sent_at = rl_quorum_call_sent_at(call);
	acquire->marked = still_marked(acquire, call->request.mark_ms == 0);
	bool is_good = rl_acquire_is_of_use(acquire, sent_at, tick);
	acquire->unasked = acquire->own.data == NULL ? rl_quorum_call_unasked(call) : 0;
	rl_settlement settlement;
	bool has_token =
		rl_acquire_settle(acquire, is_good ? RL_UNDO_NOTHING : RL_UNDO_ALL, tick, &settlement);
	return is_good ? rl_acquire_win(acquire, sent_at, tick)
				   : rl_acquire_on_too_slow(acquire, sent_at, has_token, &settlement, tick);
}

/* Keeps the shortest round trip. A longer one may include a stall of the server or of this process,
 * which says nothing about the network. */
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
	rl_target *before = acquire->sample.node;
	acquire->sample = (rl_sample){.asked_at = member->channel.sent_at,
		.heard_at = member->heard_at,
		.server_us = member->answer.time_us,
		.node = rl_target_ref(member->node)};
	rl_target_unref(before);
}

/* The caller's token is in doubt on so many members that the others are no quorum. */
static bool is_own_token_lost(rl_acquire *acquire)
{
	const rl_quorum_call *call = rl_acquire_call(acquire);
	unsigned count = call->set->count;
	return call->is_own_token && rl_quorum_call_spent(call) > count - rl_quorum(count);
}

/* The time until a split vote is tried again: random, up to some round trips, so that the clients
 * that split the vote do not try at the same time. */
static int64_t split_delay(rl_acquire *acquire, int64_t round_trip)
{
	unsigned doublings = acquire->splits < 6 ? acquire->splits : 6;
	int64_t most = (round_trip > SPLIT_LEAST_NS ? round_trip : SPLIT_LEAST_NS) << doublings;
	most = rl_time_earlier(most, SPLIT_MOST_NS);
	int64_t delay = rl_backoff_any(rl_acquire_call(acquire)->env, most);
	return delay > 0 ? delay : 1;
}

/* Perhaps no client holds the lock, so another try soon is worthwhile, also without a wait. */
static void try_split_again(rl_acquire *acquire, int64_t round_trip, const rl_tick *tick)
{
	int64_t at = tick->now + split_delay(acquire, round_trip);
	acquire->splits++;
	acquire->next = rl_acquire_is_waiting(acquire) ? RL_ACQUIRE_NEXT_PROBE : RL_ACQUIRE_NEXT_SET;
	acquire->phase = RL_ACQUIRE_PAUSED;
	acquire->is_delayed = false; /* does not count against `retries` */
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
	rl_acquire_note_holder(acquire, speaker);
	/* Later commands of this wait need not find this out again. */
	call->request.no_helpers = call->request.no_helpers || speaker->sent.no_helpers;
	if (call->request.mark_ms == 0) {
		acquire->marked = still_marked(acquire, true);
	}
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
	/* On a slow server the answer to a probe would delay the try at the deadline. */
	int64_t left = acquire->deadline - tick->now;
	bool can_queue = !acquire->is_polling && left >= RL_QUEUE_WORTH_NS && left >= 2 * round_trip;
	if (can_queue && (was_set || !is_split)) {
		rl_acquire_pause(acquire, tick, 0); /* a probe and a place follow */
		return false;
	}
	bool has_no_helpers = call->set->wakes && call->request.mark.data == NULL;
	rl_stats_add(&rl_acquire_stats(acquire)->wake_failures, was_set && has_no_helpers);
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
	bool may_retry = may_pass && !rl_acquire_ends_by_failure(acquire, tick->now);
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

static void try_next(rl_acquire *acquire, rl_acquire_next next, const rl_tick *tick)
{
	acquire->next = next;
	rl_acquire_pause(acquire, tick, 0);
}

/* The place was written two round trips before the probe was sent, so our BLPOP reached the server
 * before the probe. Then a ticket that the probe has found in the list has no waiter. */
static bool is_past_our_place(const rl_acquire *acquire)
{
	const rl_sample *probe = &acquire->sample;
	return rl_queue_is_in_since(
		&acquire->queue, probe->asked_at - 2 * (probe->heard_at - probe->asked_at));
}

/* Counts the probes in a row that found a quorum of members free. After the first one, a quorum
 * that may be free counts as well. While our BLPOP is on its way to a member that is free, the
 * ticket will wake us, so the count stops at one. */
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

/* What follows a probe; PROBE = the wait goes on. A try follows if the lock may be free and no
 * waiter takes it: either the list has a ticket for which there is no waiter, or two probes in a
 * row found a quorum free, while a dead process may hold the member of our place. */
static rl_acquire_next after_probe(
	rl_acquire *acquire, const rl_probe_result *probe, rl_answer answer)
{
	bool is_free_at_place =
		answer.holder == RL_HOLDER_NOBODY && acquire->queue.member == probe->index;
	count_free_probes(acquire, probe, is_free_at_place);
	if (answer.holder == RL_HOLDER_SELF) {
		return RL_ACQUIRE_NEXT_CLAIM; /* the place's try has won */
	}
	if (acquire->next != RL_ACQUIRE_NEXT_PROBE) {
		return acquire->next; /* the place was lost during the probe */
	}
	bool is_ticket_lying = is_free_at_place && answer.ticket == RL_TICKET_OUT;
	return (is_ticket_lying && is_past_our_place(acquire)) || acquire->free_probes > 1
		? RL_ACQUIRE_NEXT_TRY
		: RL_ACQUIRE_NEXT_PROBE;
}

/* While a quorum may be free the next probe is due soon, and each time the delay is doubled. */
static int64_t unsure_delay(const rl_acquire *acquire, int64_t delay)
{
	unsigned doublings = acquire->unsure_probes < 7 ? acquire->unsure_probes - 1 : 6;
	return rl_time_earlier(delay, RL_ACQUIRE_FREE_PROBE_NS << doublings);
}

static void on_probe_answered(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	rl_probe_result probe;
	bool can_queue = rl_acquire_read_probe(acquire, &probe);
	rl_answer answer = probe.member->answer;
	rl_acquire_note_holder(acquire, probe.member);
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
	if (acquire->queue.member == probe.index) { /* else that member is silent */
		take_sample(acquire, probe.member);
	}
	rl_acquire_next next = after_probe(acquire, &probe, answer);
	if (next != RL_ACQUIRE_NEXT_PROBE) {
		try_next(acquire, next, tick);
		return;
	}
	if (acquire->queue.state == RL_QUEUE_OUT) {
		if (call->request.waiter.data == NULL) {
			rl_acquire_pause(acquire, tick, 0); /* a probe marks a new name first */
			return;
		}
		/* This may have changed since the probe began, when a place was lost. */
		call->request.maybe_ours = acquire->is_maybe_ours;
		rl_acquire_enter_queue(acquire, tick);
	}
	int64_t delay = rl_acquire_probe_delay(acquire, answer.holder, probe.soonest_pttl);
	rl_acquire_pause(
		acquire, tick, probe.free != RL_QUORUM_HELD ? unsure_delay(acquire, delay) : delay);
}

/* True when a member refuses the helper keys, which probes need. If the refusal names a command, it
 * holds for every key, and waking is switched off for the set. */
static bool has_no_probes(rl_quorum_call *call)
{
	bool has_none = false;
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		bool is_refused = member->vote == RL_VOTE_FAILED && rl_error_is_about_helpers(member->err);
		if (is_refused && rl_error_names_command(member->err)) {
			rl_stats_add(&rl_env_stats(call->env)->wake_failures, rl_set_stop_waking(call->set));
		}
		has_none = has_none || is_refused;
	}
	return has_none;
}

/* The place is kept if the failure may pass. True = the call is done. */
static bool on_probe_failed(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	bool is_forbidden = has_no_probes(call);
	bool may_pass = rl_quorum_call_may_pass(call);
	rl_quorum_call_settle(call, RL_UNDO_NOTHING, tick->now);
	if (is_forbidden) {
		rl_acquire_fall_back(acquire, tick);
		call->request.no_helpers = true;
		rl_acquire_pause(acquire, tick, 0);
		return false;
	}
	if (!may_pass || rl_acquire_ends_by_failure(acquire, tick->now)) {
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

/* The caller's token has replaced the drawn one on a quorum. True = the call is done. */
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

/* The caller's token could not replace the drawn one, whose grant is undone. The wait goes on if
 * no member can hold the caller's token. True = the call is done. */
static bool on_not_swapped(rl_acquire *acquire, rl_vote outcome, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	bool may_pass = outcome == RL_VOTE_REFUSED || rl_quorum_call_may_pass(call);
	bool was_set = rl_quorum_call_count(call, RL_VOTE_GRANTED) > 0;
	bool may_retry = may_pass && !rl_acquire_ends_by_failure(acquire, tick->now);
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
