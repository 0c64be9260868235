/* SPDX-License-Identifier: MIT
 *
 * What a wait does with its place in the queue, and when it probes. rl_acquire_op.c has the design
 * of the wait, and rl_queue.h that of the place.
 */
#include "core/lock/rl_acquire_parts.h"
#include "core/base/rl_time.h"
#include "core/lock/rl_op_failure.h"

#define LOOK_LEAST_NS (10 * RL_NS_PER_MS)
#define RESERVED_LOOK_NS (100 * RL_NS_PER_MS)

void rl_acquire_enter_queue(rl_acquire *acquire, const rl_tick *tick)
{
	if (!acquire->is_polling && acquire->queue.state == RL_QUEUE_OUT &&
		acquire->spurious < RL_ACQUIRE_SPURIOUS_MAX) {
		rl_queue_enter(&acquire->queue, rl_acquire_call(acquire), acquire->deadline, tick->now);
	}
}

/* The member has answered that a client holds the lock. */
static bool is_held_at(const rl_member_call *member)
{
	rl_holder holder = member->answer.holder;
	return member->vote == RL_VOTE_GRANTED && holder != RL_HOLDER_NOBODY &&
		holder != RL_HOLDER_RESERVED;
}

/* True when a place at the member makes sense. is_blocked = the held members leave no quorum. Then
 * a free member is unsuitable: the holder does not need it, so wake-ups there would be spurious. */
static bool can_queue_at(const rl_member_call *member, bool is_blocked)
{
	bool is_hole = is_blocked && member->answer.holder == RL_HOLDER_NOBODY;
	return member->vote == RL_VOTE_GRANTED && member->answer.time_us != 0 &&
		member->answer.ticket != RL_TICKET_IMPOSSIBLE && !is_hole;
}

/* The time in ms after which a quorum may be free; -1 = too few members have answered, or too many
 * hold the lock without a TTL. */
static int64_t soonest_of(const rl_quorum_call *call)
{
	uint64_t ends[RL_MEMBERS_MAX];
	unsigned count = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		if (member->vote != RL_VOTE_GRANTED) {
			continue;
		}
		bool is_free = member->answer.holder == RL_HOLDER_NOBODY;
		uint64_t end = is_free ? 0 : (uint64_t) member->answer.number; /* -1, no TTL, is longest */
		unsigned at = count++;
		for (; at > 0 && ends[at - 1] > end; at--) {
			ends[at] = ends[at - 1];
		}
		ends[at] = end;
	}
	unsigned quorum = rl_quorum(call->set->count);
	return count < quorum || ends[quorum - 1] > INT64_MAX ? -1 : (int64_t) ends[quorum - 1];
}

bool rl_acquire_read_probe(rl_acquire *acquire, rl_probe_result *probe)
{
	const rl_quorum_call *call = rl_acquire_call(acquire);
	unsigned count = call->set->count;
	unsigned free = 0;
	unsigned held = 0;
	unsigned unheard = 0;
	*probe = (rl_probe_result){.member = rl_quorum_call_speaker(call, RL_VOTE_GRANTED)};
	for (unsigned i = 0; i < count; i++) {
		const rl_member_call *member = &call->members[i];
		free += member->vote == RL_VOTE_GRANTED && member->answer.holder == RL_HOLDER_NOBODY;
		held += is_held_at(member);
		unheard += member->vote == RL_VOTE_OPEN;
		int64_t round_trip =
			member->vote == RL_VOTE_GRANTED ? member->heard_at - member->channel.sent_at : 0;
		probe->reach = round_trip > probe->reach ? round_trip : probe->reach;
	}
	bool is_blocked = held > count - rl_quorum(count);
	probe->free = free >= rl_quorum(count)   ? RL_QUORUM_FREE
		: free + unheard >= rl_quorum(count) ? RL_QUORUM_MAY_BE_FREE
											 : RL_QUORUM_HELD;
	bool can_queue = false;
	for (unsigned i = 0; i < count && !can_queue; i++) {
		probe->index = call->order[i];
		can_queue = can_queue_at(&call->members[probe->index], is_blocked) &&
			!rl_member_call_is_spent(&call->members[probe->index]);
	}
	probe->member = can_queue ? &call->members[probe->index] : probe->member;
	/* If a quorum is free, the next probe is not due at once, because a ticket is on its way. */
	probe->soonest_pttl = probe->free == RL_QUORUM_FREE ? -1 : soonest_of(call);
	return can_queue;
}

void rl_acquire_move_queue(rl_acquire *acquire, unsigned index, const rl_tick *tick)
{
	rl_queue *queue = &acquire->queue;
	rl_quorum_call *call = rl_acquire_call(acquire);
	/* No holder releases the lock at a node that has lost the slot, or is no primary any more. */
	bool has_moved = queue->member == index && queue->at.node != NULL && !queue->at.is_asking &&
		!rl_target_equal(queue->at.node, call->members[index].node);
	if (queue->state == RL_QUEUE_OUT || (queue->member == index && !has_moved)) {
		queue->member = index;
		acquire->silent_probes = 0;
		return;
	}
	bool has_answered = call->members[queue->member].vote == RL_VOTE_GRANTED;
	acquire->silent_probes += !has_answered;
	if (!has_answered && acquire->silent_probes < 2) {
		return; /* the next probe decides */
	}
	acquire->silent_probes = 0;
	rl_acquire_leave_queue(acquire, tick);
	queue->member = index;
}

void rl_acquire_leave_queue(rl_acquire *acquire, const rl_tick *tick)
{
	rl_settlement left = rl_acquire_give_up_place(acquire, tick->now);
	acquire->is_maybe_ours = acquire->is_maybe_ours || left.doubt == RL_DOUBT_UNKNOWN;
	if (left.was_undone) {
		rl_acquire_replace_token(acquire, tick);
	}
}

/* The time between two probes if the holder's release will wake us. It limits the sample's age, so
 * that drift costs the proof of a lock won in the queue at most a quarter of its TTL. */
static int64_t look_interval(const rl_acquire *acquire)
{
	double drift = acquire->op.call.set->drift_factor;
	double most = (double) acquire->ttl_ns / 4;
	if (most >= drift * (double) RL_ACQUIRE_PROBE_NS) {
		return RL_ACQUIRE_PROBE_NS;
	}
	int64_t interval = (int64_t) (most / drift);
	return interval > LOOK_LEAST_NS ? interval : LOOK_LEAST_NS;
}

/* A random time, so that many waiters do not all probe at once. */
static int64_t any_time(rl_acquire *acquire, int64_t most)
{
	most = rl_time_earlier(most, RL_ACQUIRE_SPREAD_MOST_NS);
	return most > 0 ? rl_backoff_any(rl_acquire_call(acquire)->env, most) : 0;
}

/* The time until the next probe: its interval begins when the latest probe was sent. */
static int64_t next_look(const rl_acquire *acquire)
{
	int64_t left = look_interval(acquire) - (acquire->sample.heard_at - acquire->sample.asked_at);
	return left > LOOK_LEAST_NS ? left : LOOK_LEAST_NS;
}

/* A reserved lock is taken at once, or a ticket is in the list for the next waiter that queues. */
int64_t rl_acquire_probe_delay(rl_acquire *acquire, rl_holder holder, int64_t pttl)
{
	bool is_queued = acquire->queue.state != RL_QUEUE_OUT;
	if (is_queued && holder == RL_HOLDER_RESERVED) {
		return RESERVED_LOOK_NS;
	}
	bool will_wake =
		is_queued && pttl >= 0 && (holder == RL_HOLDER_KIN || holder == RL_HOLDER_SELF);
	int64_t delay = will_wake ? next_look(acquire) : rl_acquire_backoff(acquire);
	/* The division cannot overflow, whatever the PTTL. */
	if (pttl < 0 || pttl >= delay / RL_NS_PER_MS) {
		return delay;
	}
	int64_t spread = (acquire->crowd - 1) * RL_ACQUIRE_SPREAD_NS;
	return (pttl + 1) * RL_NS_PER_MS + any_time(acquire, spread);
}

void rl_acquire_fall_back(rl_acquire *acquire, const rl_tick *tick)
{
	if (acquire->is_polling) {
		return;
	}
	/* If waking was switched off for the whole set, the fallback was counted then. */
	bool is_first = acquire->requeue_at == RL_NEVER && rl_acquire_call(acquire)->set->wakes;
	acquire->is_polling = true;
	acquire->requeue_at = rl_time_later(tick->now, RL_ACQUIRE_REQUEUE_NS);
	rl_stats_add(&rl_acquire_stats(acquire)->wake_failures, is_first);
	rl_acquire_leave_queue(acquire, tick);
}

static void on_won(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	int64_t since =
		rl_queue_won_since(&acquire->queue, &acquire->sample, call->set->drift_factor, tick->now);
	rl_quorum_call_settle(call, RL_UNDO_NOTHING, tick->now); /* of a probe */
	rl_acquire_go_for_quorum(acquire, rl_queue_hand_over(&acquire->queue), since, tick);
}

static bool is_paused(const rl_acquire *acquire)
{
	return acquire->phase == RL_ACQUIRE_PAUSED;
}

/* Pauses for the delay, but not for longer than the pause that is under way. */
static void hurry(rl_acquire *acquire, const rl_tick *tick, int64_t delay)
{
	int64_t due = acquire->resume_at;
	bool was_delayed = acquire->is_delayed;
	rl_acquire_pause(acquire, tick, delay);
	if (due < acquire->resume_at) {
		acquire->resume_at = due;
		acquire->is_delayed = was_delayed;
	}
}

static void on_queue_refused(rl_acquire *acquire, const rl_tick *tick)
{
	rl_queue *queue = &acquire->queue;
	rl_quorum_call *call = rl_acquire_call(acquire);
	rl_answer answer = queue->answer;
	acquire->losses = 0;
	acquire->spurious++;
	if (queue->blpop == RL_BLPOP_TICKET) {
		rl_stats_add(&rl_acquire_stats(acquire)->spurious_wake_ups, 1);
	}
	/* If no client holds the lock, the try was refused because the mark was void, and the server
	 * has passed the ticket on. A probe must renew the mark before the next place. */
	bool was_void = answer.holder == RL_HOLDER_NOBODY || answer.holder == RL_HOLDER_RESERVED;
	if (was_void || acquire->spurious >= RL_ACQUIRE_SPURIOUS_MAX) {
		rl_queue_leave(queue, call, false, tick->now);
	} else {
		rl_queue_enter(queue, call, acquire->deadline, tick->now);
	}
	if (!is_paused(acquire)) {
		return;
	}
	bool is_at_once = was_void && acquire->spurious < RL_ACQUIRE_SPURIOUS_MAX;
	hurry(acquire, tick,
		is_at_once ? 0 : rl_acquire_probe_delay(acquire, answer.holder, answer.number));
}

/* The try was answered with an error, or could not be sent. After an error of the server a try of
 * all members decides, which also takes reserved locks, because the waiter was woken. Any other
 * failure ends the call. True = the call is done. */
static bool fail_in_queue(rl_acquire *acquire, const rl_error *err, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	if (err->status == RL_ERR_SERVER) {
		acquire->losses++;
		rl_acquire_leave_queue(acquire, tick);
		if (acquire->losses >= RL_ACQUIRE_SPURIOUS_MAX) {
			rl_acquire_fall_back(acquire, tick);
		}
		if (is_paused(acquire)) {
			acquire->next = RL_ACQUIRE_NEXT_CLAIM;
			rl_acquire_pause(acquire, tick, 0);
		}
		return false;
	}
	rl_quorum_call_settle(call, RL_UNDO_NOTHING, tick->now); /* of a probe */
	rl_settlement settlement = rl_queue_leave(&acquire->queue, call, true, tick->now);
	rl_quorum_call_note_failure(call, acquire->queue.member, err);
	rl_op_fail(&acquire->op, rl_acquire_fate(acquire, &settlement));
	return rl_acquire_finish(acquire, tick, acquire->op.status);
}

/* After a delay the waiter takes a new place. If the server may have run the lost try, another try
 * finds that out first: giving up a place would only write an undo, which a server that blocks the
 * connection never runs, and the key would keep what the lost try took. True = the call is done. */
static bool on_queue_lost(rl_acquire *acquire, const rl_error *err, const rl_tick *tick)
{
	if (acquire->queue.doubt == RL_DOUBT_UNKNOWN) {
		acquire->is_maybe_ours = true;
		acquire->next =
			acquire->queue.blpop == RL_BLPOP_TICKET ? RL_ACQUIRE_NEXT_CLAIM : RL_ACQUIRE_NEXT_TRY;
	}
	if (err->status == RL_ERR_MEMORY) {
		return fail_in_queue(acquire, err, tick);
	}
	if (err->status == RL_ERR_CLOSED) {
		rl_stats_add(&rl_acquire_stats(acquire)->reconnects, 1);
	}
	acquire->losses++;
	if (acquire->losses >= RL_ACQUIRE_SPURIOUS_MAX) {
		rl_acquire_fall_back(acquire, tick);
	}
	if (is_paused(acquire)) {
		hurry(acquire, tick, rl_acquire_failure_delay(acquire));
	}
	return false;
}

/* True = the call is done. */
static bool on_queue_event(
	rl_acquire *acquire, rl_queue_event event, const rl_error *err, const rl_tick *tick)
{
	if (event != RL_QUEUE_NOTHING && acquire->queue.blpop == RL_BLPOP_TICKET) {
		rl_stats_add(&rl_acquire_stats(acquire)->wake_ups, 1);
		acquire->attempts++;
	}
	switch (event) {
		case RL_QUEUE_NOTHING:
			break;
		case RL_QUEUE_WON:
			on_won(acquire, tick);
			break;
		case RL_QUEUE_REFUSED:
			on_queue_refused(acquire, tick);
			break;
		case RL_QUEUE_USELESS:
			rl_acquire_fall_back(acquire, tick);
			if (is_paused(acquire)) {
				hurry(acquire, tick, rl_acquire_backoff(acquire));
			}
			break;
		case RL_QUEUE_FAILED:
			return fail_in_queue(acquire, err, tick);
		case RL_QUEUE_LOST:
			return on_queue_lost(acquire, err, tick);
	}
	return false;
}

bool rl_acquire_step_queue(rl_acquire *acquire, const rl_tick *tick)
{
	rl_queue_event event;
	do {
		rl_error err;
		event = rl_queue_step(&acquire->queue, rl_acquire_call(acquire), tick, &err);
		if (on_queue_event(acquire, event, &err, tick)) {
			return true;
		}
	} while (event != RL_QUEUE_NOTHING);
	return false;
}
