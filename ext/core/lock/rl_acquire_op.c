/* SPDX-License-Identifier: MIT
 *
 * Taking a lock, with or without a wait: the constructor and the loop.
 *
 * DESIGN
 *
 * An acquire begins with SET. If that is refused and the call waits, a probe of all members marks
 * the waiter, and the waiter takes a place in the wait queue (rl_queue.h) of one member, where a
 * release wakes it. From time to time the waiter probes again, on an ordinary connection, which it
 * takes from the pool for each probe. Where waiters are not woken (wake: false, or a server that
 * does not allow it) the waiter polls: it has no place, and sends a try instead of each probe.
 *
 *     PAUSED --due--> PROBING (probe) or TRYING (SET, try) --refused--> PAUSED
 *
 * One server is a set of one member. The place in the queue is at the first member that answers, in
 * an order that is the same for every client (rl_order.h). Each member reserves the lock when it is
 * released there. A waiter that is woken has taken the lock on its member, and sends the others a
 * `try` that takes reserved locks (RL_PLACE_WOKEN). On a set of one it has its quorum already. So
 * two waiters never try at the same time. Votes are split only among newcomers, or when members
 * cannot be reached. A split vote is undone, and tried again after a random time of about a round
 * trip, a few times also without a wait: otherwise two simultaneous newcomers would both be refused
 * a lock that is free.
 *
 * If the holder's release will wake the waiter, the next probe is due at the end of the holder's
 * TTL, or after 0.85 s if that is earlier. If not (a foreign token, no TTL, no place in the queue),
 * it is due after a back-off delay.
 *
 * The call ends with the first grant, with a failure that does not pass by itself, with the last of
 * `retries`, or with the try at the deadline, which decides. It also ends with a failure at the end
 * of an outage: the set says how long a wait goes on while too few members for a quorum answer it
 * (outage_wait_ns). An outage begins with the first try or probe that has failed so, and ends with
 * the first that a quorum has answered. Its end ends a pause, so that one more call decides. The
 * caller may also stop a wait while no try is under way (rl_acquire_stop()). The try at the
 * deadline begins then, or its answer arrives only then. During a try the connection of the place
 * is not read: if the place has won, the try finds our own token.
 *
 * Tokens: a refused token may be tried again. A token for which an undo was written may not,
 * because the undo could delete the new grant: a fresh token is drawn, and the place in the queue,
 * which has the old token, is given up. A token that is in doubt and cannot be undone is tried
 * again as "maybe ours": if the key has this token, the script sets the whole TTL anew and reports
 * a grant.
 *
 * A caller's own token can neither be replaced nor be "maybe ours". So only the first SET sends it.
 * All later commands, those of the place too, send a drawn token, which the caller's token replaces
 * after the win (SWAPPING). A member where the caller's token is in doubt is not asked for the lock
 * again. If the other members are no quorum, the call ends. The answer "the key had it before" to
 * the swap proves no more than the win did: another caller may have taken the lock with the same
 * token since. Win and swap share one timeout after the deadline.
 *
 * No try on the ordinary connection may win while the place could win later with the same token,
 * after a quick release. So the place is given up before such a try. At the deadline that is not
 * needed, because the mark is void from then on, and the place takes nothing.
 *
 * Proof: a grant proves ownership for the TTL less the drift, counted from before the command was
 * sent, or in the queue from when the server ran the try (rl_queue_won_since()). A grant of a drawn
 * token whose proof is used up is undone and counts as a failure that may pass. With a caller's
 * token it ends the call.
 */
#include "core/lock/rl_acquire_parts.h"

#include "core/base/rl_time.h"
#include "core/lock/rl_op_failure.h"

#include <string.h>

static void begin(rl_acquire *acquire, int64_t now)
{
	acquire->op.is_begun = true;
	acquire->started_at = now;
	acquire->deadline = rl_time_later(now, acquire->wait_ns);
	acquire->resume_at = now;
}

/* Not called for the try of the place, which on_queue_event() counts. */
static void count_try(rl_acquire *acquire)
{
	acquire->attempts++;
	rl_stats_add(&rl_acquire_stats(acquire)->tries, 1);
}

/* Begins a try. From now on nothing else may win: the place is given up, or the try will recognise
 * its grant as "maybe ours". */
static void begin_try(rl_acquire *acquire, const rl_tick *tick)
{
	rl_queue *queue = &acquire->queue;
	bool is_claim = acquire->next == RL_ACQUIRE_NEXT_CLAIM;
	if (is_claim || tick->now >= acquire->deadline) {
		acquire->is_maybe_ours = acquire->is_maybe_ours || rl_queue_is_in(queue);
	} else {
		rl_acquire_leave_queue(acquire, tick);
	}
	count_try(acquire);
	rl_acquire_begin_call(acquire, RL_VERB_TRY, is_claim ? RL_PLACE_WOKEN : RL_PLACE_NONE, tick);
	acquire->free_probes = 0;
}

/* After the first command a drawn token replaces the caller's. False = none could be drawn. */
static bool leave_own_token(rl_acquire *acquire)
{
	if (!rl_acquire_call(acquire)->is_own_token || acquire->attempts == 0) {
		return true;
	}
	rl_acquire_use_token(acquire, false);
	return rl_acquire_draw_token(acquire);
}

/* A poller queues again after a while, because the reason to poll may be over. */
static void try_queue_again(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	if (acquire->is_polling && call->set->wakes && tick->now >= acquire->requeue_at) {
		acquire->is_polling = false;
		acquire->losses = 0;
		call->request.waiter = (rl_bytes){NULL, 0}; /* the next place draws one */
		call->request.no_helpers = false;
	}
}

static bool must_try(const rl_acquire *acquire, const rl_tick *tick)
{
	return rl_acquire_is_last_try(acquire, tick->now) || acquire->is_polling ||
		acquire->next != RL_ACQUIRE_NEXT_PROBE;
}

static void resume(rl_acquire *acquire, const rl_tick *tick)
{
	if (!leave_own_token(acquire)) {
		return;
	}
	if (acquire->next == RL_ACQUIRE_NEXT_SET) {
		count_try(acquire);
		rl_acquire_begin_call(acquire, RL_VERB_SET, RL_PLACE_NONE, tick);
		return;
	}
	if (acquire->is_delayed) {
		acquire->retried++;
		acquire->spurious = 0;
	}
	try_queue_again(acquire, tick);
	if (must_try(acquire, tick)) {
		begin_try(acquire, tick);
	} else {
		rl_acquire_begin_call(acquire, RL_VERB_PROBE, RL_PLACE_NONE, tick);
	}
}

/* An outage begins with the first call that too few members for a quorum have answered. */
static void note_outage(rl_acquire *acquire)
{
	const rl_quorum_call *call = rl_acquire_call(acquire);
	unsigned count = call->set->count;
	unsigned failed = rl_quorum_call_count(call, RL_VOTE_FAILED);
	if (failed <= count - rl_quorum(count)) {
		acquire->outage_end = RL_NEVER;
	} else if (acquire->outage_end == RL_NEVER) {
		acquire->outage_end = rl_time_later(call->begun_at, call->set->outage_wait_ns);
	}
}

/* The quorum call has an outcome. True = the call is done. */
static bool on_outcome(rl_acquire *acquire, rl_vote outcome, const rl_tick *tick)
{
	note_outage(acquire);
	switch (acquire->phase) {
		case RL_ACQUIRE_PROBING:
			return rl_acquire_on_probed(acquire, outcome, tick);
		case RL_ACQUIRE_SWAPPING:
			return rl_acquire_on_swapped(acquire, outcome, tick);
		case RL_ACQUIRE_TRYING:
		case RL_ACQUIRE_PAUSED:
		case RL_ACQUIRE_DONE:
			break;
	}
	return rl_acquire_on_tried(acquire, outcome, tick);
}

/* The first command has not won the lock, and the call goes on. */
static void count_waiting(rl_acquire *acquire)
{
	if (acquire->gauge == NULL) {
		acquire->gauge = &rl_acquire_stats(acquire)->waiting;
		rl_stats_add(acquire->gauge, 1);
	}
}

/* Steps the quorum call. True = the phase has changed. */
static bool step_call(rl_acquire *acquire, const rl_tick *tick, rl_wait *wait, bool *is_done)
{
	if (acquire->phase == RL_ACQUIRE_PROBING && tick->now >= acquire->deadline) {
		/* The probe is cut short, because the try at the deadline decides. */
		rl_quorum_call_settle(rl_acquire_call(acquire), RL_UNDO_NOTHING, tick->now);
		begin_try(acquire, tick);
		return true;
	}
	rl_vote outcome = rl_quorum_call_step(rl_acquire_call(acquire), tick, wait);
	*is_done = outcome != RL_VOTE_OPEN && on_outcome(acquire, outcome, tick);
	if (outcome != RL_VOTE_OPEN && !*is_done) {
		count_waiting(acquire);
	}
	return outcome != RL_VOTE_OPEN;
}

/* True = there may be more to do at once. */
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
			if (step_call(acquire, tick, wait, is_done)) {
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
				&acquire->op, RL_ERR_RANDOM, "the system returned no random bytes for a token");
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
	acquire->unasked = 0;
	rl_settlement left = rl_queue_leave(&acquire->queue, call, true, now);
	acquire->is_maybe_ours =
		acquire->is_maybe_ours || (left.doubt == RL_DOUBT_UNKNOWN && !call->is_own_token);
	if (acquire->phase == RL_ACQUIRE_PAUSED || acquire->phase == RL_ACQUIRE_PROBING) {
		rl_quorum_call_settle(call, RL_UNDO_NOTHING, now); /* of a probe */
		if (acquire->is_maybe_ours) {
			rl_quorum_call_hold(call, true, now);
		}
	}
	rl_quorum_call_settle(call, RL_UNDO_ALL, now);
	rl_acquire_unmark(acquire, now);
	rl_acquire_count_no_longer(acquire);
}

bool rl_acquire_may_stop(const rl_acquire *acquire)
{
	bool is_trying = acquire->phase == RL_ACQUIRE_TRYING || acquire->phase == RL_ACQUIRE_SWAPPING;
	return rl_acquire_is_waiting(acquire) && acquire->attempts > 0 && !is_trying &&
		acquire->phase != RL_ACQUIRE_DONE;
}

void rl_acquire_stop(rl_acquire *acquire, int64_t now)
{
	abandon(&acquire->op, now);
	rl_acquire_finish(acquire, &(rl_tick){.now = now, .seen = now}, RL_BUSY);
}

static void drop(rl_op *op)
{
	rl_acquire *acquire = (rl_acquire *) op;
	acquire->unasked = 0;
	rl_queue_drop(&acquire->queue);
}

/* ---- the operation ---- */

static void clear(rl_op *op)
{
	rl_acquire *acquire = (rl_acquire *) op;
	rl_target_unref(acquire->sample.node);
	rl_queue_clear(&acquire->queue);
}

/* What the acquire has, or may still be granted. A caller's own token may be the token of another
 * holder, so it is released only where it may have replaced the drawn token that has won. */
static bool may_hold(const rl_op *op, int64_t now, rl_late_release *late)
{
	const rl_acquire *acquire = (const rl_acquire *) op;
	const rl_quorum_call *call = &op->call;
	bool is_swapping = acquire->phase == RL_ACQUIRE_SWAPPING;
	unsigned all = rl_late_all(call->set);
	if (call->is_own_token && !is_swapping) {
		return false;
	}
	*late = (rl_late_release){.set = call->set,
		.key = call->request.key,
		.token = rl_bytes_of(acquire->drawn, acquire->drawn_len),
		.waiter = acquire->marked != 0 ? call->request.waiter : rl_bytes_of(NULL, 0),
		.members = all,
		.strays = all,
		.ttl_ns = RL_LATE_LAST_NS};
	/* While ownership is proven, no other client has the lock on these members with any token. */
	int64_t proven_ns = acquire->proven_until - now;
	if (is_swapping && proven_ns > 0) {
		late->other = acquire->own;
		late->others = acquire->won_on;
		late->ttl_ns = rl_time_earlier(RL_LATE_LAST_NS, proven_ns);
	}
	return true;
}

static const rl_op_class acquire_class = {
	.step = step, .abandon = abandon, .drop = drop, .clear = clear, .may_hold = may_hold};

rl_acquire *rl_acquire_of(rl_op *op)
{
	return op->class == &acquire_class ? (rl_acquire *) op : NULL;
}

rl_op *rl_acquire_new(rl_set *set, rl_pool *pool, const rl_env *env, const rl_acquire_args *args)
{
	bool is_own = args->token.data != NULL;
	size_t own_len = is_own ? args->token.len : 0;
	char *tokens;
	const rl_label *label = rl_label_or(&set->label, env->label);
	size_t drawn_len = rl_token_len(label);
	rl_acquire *acquire = rl_op_alloc(
		sizeof *acquire, &acquire_class, set, pool, env, args->key, drawn_len + own_len, &tokens);
	if (acquire == NULL) {
		return NULL;
	}
	acquire->drawn = tokens;
	acquire->drawn_len = drawn_len;
	rl_token_put_label(tokens, label);
	acquire->ttl_ns = args->ttl_ms * RL_NS_PER_MS;
	acquire->wait_ns = args->wait_ns;
	acquire->reach = RL_NEVER;
	acquire->outage_end = RL_NEVER;
	rl_quorum_call *call = rl_acquire_call(acquire);
	acquire->is_polling = !set->wakes || call->request.mark.data == NULL;
	acquire->requeue_at = RL_NEVER;
	call->request.verb = RL_VERB_SET;
	call->request.ttl_ms = args->ttl_ms;
	call->request.no_helpers = acquire->is_polling;
	if (is_own) {
		memcpy(tokens + drawn_len, args->token.data, own_len);
		acquire->own = rl_bytes_of(tokens + drawn_len, own_len);
	} else {
		rl_acquire_draw_token(acquire);
	}
	rl_acquire_use_token(acquire, is_own);
	return &acquire->op;
}

bool rl_acquire_leaves(const rl_acquire *acquire, rl_late_grant *grant)
{
	const rl_quorum_call *call = &acquire->op.call;
	*grant = (rl_late_grant){.set = call->set,
		.key = call->request.key,
		.token = rl_bytes_of(acquire->drawn, acquire->drawn_len),
		.members = acquire->unasked,
		.ttl_ns = acquire->ttl_ns,
		.proven_until = acquire->proven_until};
	return acquire->op.status == RL_OK && acquire->unasked != 0;
}
