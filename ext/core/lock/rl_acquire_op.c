/* SPDX-License-Identifier: MIT
 *
 * Taking a lock, with or without a wait: the constructor and the loop.
 *
 * DESIGN
 *
 * An acquire begins with SET. If that is refused and the call waits, a probe of all members marks
 * the waiter, and the waiter takes a place in the wait queue (rl_queue.h) of one member, where a
 * release wakes it. From time to time it probes again, on an ordinary connection, which it takes
 * from the pool for each probe. Where waiters are not woken (wake: false, or a server that does not
 * allow it) there is no queue, and a try is sent instead of each probe.
 *
 *     PAUSED --due--> PROBING (probe) or TRYING (SET, try) --refused--> PAUSED
 *
 * One server is a set of one member. The place in the queue is at the first member that answers, in
 * an order that is the same for every client (rl_order.h). Each member reserves the lock when it is
 * released there. The waiter that is woken has taken the lock on its member, and asks the others
 * with a `try` that takes reserved locks (RL_PLACE_WOKEN); without others the quorum is there at
 * once. So two waiters never try at the same time, and votes are split only among newcomers, or
 * when members are out of reach. A split vote is undone and tried again after a random time of
 * about a round trip, a few times also without a wait: otherwise two simultaneous newcomers would
 * both be refused a lock that is free.
 *
 * The next probe is due at the end of the holder's TTL, and within a second, if the holder's
 * release will wake the waiter. If not (a foreign token, no TTL, no place in the queue), it is due
 * after a back-off delay.
 *
 * The call ends with the first grant, with a failure that does not pass by itself, with the last of
 * `retries`, or with the try at the deadline, which decides. That try begins at the deadline, or
 * its answer comes only then. During a try the queue is not read: the try finds our own token if
 * the queue has won.
 *
 * Tokens: a refused token may be tried again. A token for which an undo was written may not,
 * because the undo could delete the new grant: a fresh token is drawn, and the place in the queue,
 * which has the old token, is given up. A token that is in doubt and cannot be undone is tried
 * again as "maybe ours": the script then takes our own key for a grant, and gives it a whole TTL
 * anew.
 *
 * A caller's own token can neither be replaced nor be "maybe ours". So only the first SET has it.
 * All later commands, the queue's too, have a drawn token, and after the win the caller's token
 * takes its place (SWAPPING). Doubt about the caller's token ends the call; of several members
 * those in doubt are left out, as long as the others make a quorum. The answer "it was there
 * before" to the swap proves no more than the win did: another caller may have taken the lock with
 * the same token since. Win and swap share one timeout after the deadline.
 *
 * No try on the ordinary connection may win while a place in the queue could win later with the
 * same token, after a quick release. At the deadline the queue takes nothing any more, and before
 * it the place is given up first.
 *
 * Proof: a grant proves ownership for the TTL less the drift, from before the command was sent; in
 * the queue from when the server ran the try (rl_queue_won_since()). A grant whose proof is used up
 * is given back and counts as a failure that may pass.
 */
#include "core/lock/rl_acquire_parts.h"

#include "core/base/rl_time.h"
#include "core/lock/rl_op_failure.h"

#include <string.h>

/* At the end of the process: how long the release of what a call asked for is repeated. The process
 * waits less long. */
#define LAST_RELEASE_NS RL_NS_PER_SECOND

static void begin(rl_acquire *acquire, int64_t now)
{
	acquire->op.is_begun = true;
	acquire->started_at = now;
	acquire->deadline = rl_time_later(now, acquire->wait_ns);
	acquire->resume_at = now;
}

/* What the queue takes is the attempt of its own try, and is counted there. */
static void count_try(rl_acquire *acquire)
{
	acquire->attempts++;
	rl_stats_add(&rl_acquire_stats(acquire)->tries, 1);
}

/* Sees to it that nothing but the try can win from now on, and begins it. */
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

/* What was tried lately with a caller's token goes on with a drawn one. False = there is none. */
static bool leave_own_token(rl_acquire *acquire)
{
	if (!rl_acquire_call(acquire)->is_own_token || acquire->attempts == 0) {
		return true;
	}
	rl_acquire_use_token(acquire, false);
	return rl_acquire_draw_token(acquire);
}

/* A poller queues again, because what kept it from the queue may be over. */
static void try_queue_again(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	if (acquire->is_polling && call->set->wakes && tick->now >= acquire->requeue_at) {
		acquire->is_polling = false;
		acquire->losses = 0;
		call->request.waiter = (rl_bytes){NULL, 0}; /* for the next place */
		call->request.no_helpers = false;
	}
}

static bool must_try(const rl_acquire *acquire, const rl_tick *tick)
{
	return rl_acquire_is_last_try(acquire, tick->now) || acquire->is_polling ||
		acquire->next != RL_ACQUIRE_NEXT_PROBE;
}

/* The pause is over. */
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

/* The quorum call has an outcome. True = the call is done. */
static bool on_outcome(rl_acquire *acquire, rl_vote outcome, const rl_tick *tick)
{
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

/* Goes on with the quorum call. True = something came of it. */
static bool step_call(rl_acquire *acquire, const rl_tick *tick, rl_wait *wait, bool *is_done)
{
	if (acquire->phase == RL_ACQUIRE_PROBING && tick->now >= acquire->deadline) {
		/* The try that decides follows the probe. */
		rl_quorum_call_settle(rl_acquire_call(acquire), RL_UNDO_NOTHING, tick->now);
		begin_try(acquire, tick);
		return true;
	}
	rl_vote outcome = rl_quorum_call_step(rl_acquire_call(acquire), tick, wait);
	*is_done = outcome != RL_VOTE_OPEN && on_outcome(acquire, outcome, tick);
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
	rl_settlement left = rl_queue_leave(&acquire->queue, call, true, now);
	acquire->is_maybe_ours =
		acquire->is_maybe_ours || (left.doubt == RL_DOUBT_UNKNOWN && !call->is_own_token);
	if (acquire->phase == RL_ACQUIRE_PAUSED || acquire->phase == RL_ACQUIRE_PROBING) {
		rl_quorum_call_settle(call, RL_UNDO_NOTHING, now); /* a look */
		if (acquire->is_maybe_ours) {
			rl_quorum_call_hold(call, true, now);
		}
	}
	rl_quorum_call_settle(call, RL_UNDO_ALL, now);
	rl_acquire_unmark_at_end(acquire, now);
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
	acquire->wait_ns = args->wait_ns;
	acquire->is_polling = !set->wakes;
	acquire->requeue_at = RL_NEVER;
	acquire->reach = RL_NEVER;
	rl_quorum_call *call = rl_acquire_call(acquire);
	call->request.verb = RL_VERB_SET;
	call->request.ttl_ms = args->ttl_ms;
	call->request.no_helpers = acquire->is_polling;
	if (is_own) {
		memcpy(tokens + RL_TOKEN_LEN, args->token.data, own_len);
		acquire->own = rl_bytes_of(tokens + RL_TOKEN_LEN, own_len);
	} else {
		rl_acquire_draw_token(acquire);
	}
	rl_acquire_use_token(acquire, is_own);
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
