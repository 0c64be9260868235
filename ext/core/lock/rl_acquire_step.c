/* SPDX-License-Identifier: MIT
 *
 * The steps of an acquire: a call to the members, a pause, the end. The design is at the top of
 * rl_acquire_op.c.
 */
#include "core/lock/rl_acquire_parts.h"

#include "core/base/rl_time.h"
#include "core/lock/rl_op_failure.h"

/* The pause after failures grows to this at least, because many clients may wait for the server. */
#define FAILURE_MOST_NS RL_NS_PER_SECOND

/* While a primary is too new, its Sentinels are asked again this often: Sentinels that answer later
 * may have known it for longer, or may name another primary. */
#define GRACE_LOOK_NS RL_NS_PER_SECOND

/* An answer that arrives at or after the deadline decides, also if its command was sent before:
 * on a slow server too little time would be left for another try. */
bool rl_acquire_is_last_try(const rl_acquire *acquire, int64_t now)
{
	return now >= acquire->deadline || acquire->retried >= acquire->op.call.set->retries;
}

bool rl_acquire_ends_by_failure(const rl_acquire *acquire, int64_t now)
{
	return now >= acquire->outage_end || rl_acquire_is_last_try(acquire, now);
}

/* For how many ms a mark is valid: past the next probe, but not beyond the end of the wait. */
static int64_t mark_time(const rl_acquire *acquire, const rl_tick *tick)
{
	if (acquire->is_polling || rl_acquire_is_last_try(acquire, tick->now)) {
		return 0;
	}
	int64_t left_ms = (acquire->deadline - tick->now - 1) / RL_NS_PER_MS + 1;
	return left_ms < RL_ACQUIRE_MARK_MS ? left_ms : RL_ACQUIRE_MARK_MS;
}

void rl_acquire_begin_call(rl_acquire *acquire, rl_verb verb, rl_place place, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	bool is_probe = verb == RL_VERB_PROBE;
	bool has_name = call->request.waiter.data != NULL;
	if (verb != RL_VERB_SET && !acquire->is_polling && !has_name &&
		!rl_acquire_draw_name(acquire)) {
		return;
	}
	acquire->next = RL_ACQUIRE_NEXT_PROBE;
	call->request.verb = verb;
	call->request.maybe_ours = acquire->is_maybe_ours;
	call->request.mark_ms = mark_time(acquire, tick);
	call->request.reserve_ms =
		rl_reservation_ms(call->set->count, acquire->reach < RL_NEVER ? acquire->reach : 0);
	call->request.place = place;
	bool marks = verb != RL_VERB_SET && call->request.mark_ms > 0;
	acquire->marked = marks ? (1U << call->set->count) - 1 : acquire->marked;
	acquire->phase = is_probe ? RL_ACQUIRE_PROBING : RL_ACQUIRE_TRYING;
	rl_stats_add(&rl_acquire_stats(acquire)->probes, is_probe);
	/* Each member should have the mark, and the place should be at the first in order. */
	rl_wanted wanted = is_probe ? RL_WANTED_SOON : RL_WANTED_DECISION;
	rl_quorum_call_begin(call, wanted, tick->now, rl_acquire_latest(acquire));
}

void rl_acquire_go_for_quorum(
	rl_acquire *acquire, rl_conn *conn, int64_t won_since, const rl_tick *tick)
{
	rl_acquire_begin_call(acquire, RL_VERB_TRY, RL_PLACE_WOKEN, tick);
	rl_quorum_call_adopt(rl_acquire_call(acquire), acquire->queue.member, conn,
		acquire->queue.at.is_asking, won_since);
}

void rl_acquire_pause(rl_acquire *acquire, const rl_tick *tick, int64_t delay)
{
	acquire->phase = RL_ACQUIRE_PAUSED;
	acquire->is_delayed = delay > 0;
	acquire->resume_at = rl_time_later(tick->now, delay);
	/* A probe whose answer arrives after the deadline is of no use, and delays the last try. */
	int64_t slow = acquire->is_polling ? 0 : 2 * acquire->round_trip;
	if (delay > 0 && rl_time_later(acquire->resume_at, slow) > acquire->deadline) {
		acquire->resume_at = acquire->deadline;
	}
	acquire->resume_at = rl_time_earlier(acquire->resume_at, acquire->outage_end);
}

int64_t rl_acquire_backoff(rl_acquire *acquire)
{
	const rl_set *set = rl_acquire_call(acquire)->set;
	rl_stats_add(&rl_acquire_stats(acquire)->backoffs, 1);
	int64_t delay =
		rl_backoff_delay(&set->backoff, acquire->delays++, rl_acquire_call(acquire)->env);
	/* A waiter in the queue must renew its mark. */
	return acquire->is_polling ? delay : rl_time_earlier(delay, RL_ACQUIRE_PROBE_NS);
}

/* The pause after a failure lasts until a new primary grants locks, or for a second. */
static int64_t grace_delay(const rl_acquire *acquire, int64_t delay)
{
	const rl_quorum_call *call = &acquire->op.call;
	int64_t settles_at = rl_set_settles_at(call->set);
	int64_t left = settles_at != 0 ? settles_at - call->env->now(call->env->ctx) : 0;
	left = rl_time_earlier(left, GRACE_LOOK_NS);
	return left > delay ? left : delay;
}

int64_t rl_acquire_failure_delay(rl_acquire *acquire)
{
	const rl_quorum_call *call = rl_acquire_call(acquire);
	rl_backoff backoff = call->set->backoff;
	backoff.max_ns = backoff.max_ns > FAILURE_MOST_NS ? backoff.max_ns : FAILURE_MOST_NS;
	rl_stats_add(&rl_acquire_stats(acquire)->backoffs, 1);
	int64_t delay = rl_backoff_delay(&backoff, acquire->failures++, call->env);
	if (rl_set_has_sentinels(call->set)) { /* each try asks the Sentinels again */
		delay = rl_time_earlier(delay, RL_LOOKUP_AGAIN_NS);
		delay = grace_delay(acquire, delay);
	}
	return acquire->is_polling ? delay : rl_time_earlier(delay, RL_ACQUIRE_PROBE_NS);
}

void rl_acquire_count_no_longer(rl_acquire *acquire)
{
	if (acquire->gauge != NULL) {
		rl_gauge_drop(acquire->gauge);
		acquire->gauge = NULL;
	}
}

bool rl_acquire_finish(rl_acquire *acquire, const rl_tick *tick, rl_status status)
{
	rl_stats *stats = rl_acquire_stats(acquire);
	rl_queue_leave(&acquire->queue, rl_acquire_call(acquire), status != RL_OK, tick->now);
	rl_acquire_unmark(acquire, tick->now);
	acquire->op.status = status;
	acquire->phase = RL_ACQUIRE_DONE;
	acquire->waited_ns = tick->now - acquire->started_at;
	rl_acquire_count_no_longer(acquire);
	if (rl_acquire_is_waiting(acquire)) {
		rl_histogram_add(&stats->wait_time, acquire->waited_ns);
	}
	if (status == RL_OK) {
		rl_stats_add(&stats->acquired, 1);
	} else if (status != RL_BUSY) {
		rl_stats_add(&stats->failed, 1);
	} else {
		rl_stats_add(rl_acquire_is_waiting(acquire) ? &stats->timed_out : &stats->refused, 1);
	}
	return true;
}

bool rl_acquire_retry_or_finish(
	rl_acquire *acquire, const rl_tick *tick, rl_status status, bool may_go_on)
{
	if (!may_go_on || rl_acquire_ends_by_failure(acquire, tick->now)) {
		return rl_acquire_finish(acquire, tick, status);
	}
	acquire->next = RL_ACQUIRE_NEXT_TRY;
	rl_acquire_pause(acquire, tick, rl_acquire_failure_delay(acquire));
	return false;
}

bool rl_acquire_is_of_use(rl_acquire *acquire, int64_t held_since, const rl_tick *tick)
{
	acquire->proven_until =
		held_since + acquire->ttl_ns - rl_set_drift(rl_acquire_call(acquire)->set, acquire->ttl_ns);
	return acquire->proven_until > tick->now;
}

bool rl_acquire_on_too_slow(rl_acquire *acquire, int64_t held_since, bool has_token,
	const rl_settlement *settlement, const rl_tick *tick)
{
	const rl_quorum_call *call = rl_acquire_call(acquire);
	const char *fate = call->is_own_token ? "; a key that is left on a server ends by its TTL"
										  : rl_acquire_fate(acquire, settlement);
	int64_t after_ms = (tick->now - held_since + RL_NS_PER_MS / 2) / RL_NS_PER_MS;
	char after[RL_SECONDS_TEXT];
	char ttl[RL_SECONDS_TEXT];
	rl_op_fail_with(&acquire->op, RL_ERR_SLOW,
		"too slow: the lock was granted after %s s, which leaves nothing of its TTL of %s s%s",
		rl_seconds_text(after_ms * RL_NS_PER_MS, after), rl_seconds_text(acquire->ttl_ns, ttl),
		fate);
	return rl_acquire_retry_or_finish(acquire, tick, RL_ERR_SLOW, has_token && !call->is_own_token);
}
