/* SPDX-License-Identifier: MIT
 *
 * Taking a lock, with or without a wait.
 *
 * DESIGN
 *
 *     rl_acquire     one block of memory (rl_op.h), with both tokens and the name of the mark
 *       op.call      one command at a time to all members: SET, try, probe or swap
 *       queue        the place in the wait queue (rl_queue.h) of one member
 *
 * An acquire begins with SET. If that is refused and the call waits, a probe of all members marks
 * the waiter, and the waiter takes a place in the wait queue of one member, where a release wakes
 * it. From time to time the waiter probes again. (A call for work that is to be done once begins
 * with a try instead, which reports the holder: the call ends as soon as any member names the mark
 * of work that is done. A call for one of several permits begins with a try, too, because a script
 * chooses the permit; the other scripts of the lock have the key of this permit.) Where waiters are
 * not woken (wake: false, or a server that does not allow it) the waiter polls: it has no place,
 * and sends a try instead of each probe.
 *
 *     PAUSED --due--> PROBING (probe) or TRYING (SET, try) --refused--> PAUSED
 *     PAUSED or PROBING --the place has won--> TRYING (try) --granted--> DONE
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
 * A caller's own token in the form of drawn tokens is unique, and is used like one until an undo of
 * it was written. But its caller may have used it before: if a server may still run an undo or a
 * release of it, or the key still has it, a drawn token is sent instead. Another client may hold
 * the lock with any other token of a caller, so no undo and no doubt may ever concern it: every SET
 * and try sends a drawn token. After the win the caller's token replaces the drawn one (SWAPPING).
 * The answer "the key had it before" to the swap proves no more than the win did: another caller
 * may have taken the lock with the same token since. Win and swap share one timeout after the
 * deadline. If the swap is not heard, only the drawn token is undone, and the call ends with an
 * unknown outcome.
 *
 * No try on the ordinary connection may win while the place could win later with the same token,
 * after a quick release. So the place is given up before such a try. At the deadline that is not
 * needed, because the mark is void from then on, and the place takes nothing.
 *
 * Proof: a grant proves ownership for the TTL less the drift, counted from before the command was
 * sent, or in the queue from when the server ran the try (rl_queue_won_since()). A grant whose
 * proof is used up is undone and counts as a failure that may pass. After a swap it ends the call.
 *
 * Ownership: an acquire belongs to one thread (rl_op.h). The quorum call takes connections from the
 * pool for each command, and gives them back when it is settled, which it is in PAUSED and DONE.
 * The place keeps its own connection until it is given up. Each member that may have our mark has
 * its bit in `marked`, so that no end of the wait leaves a mark behind.
 *
 * Between two steps:
 * - In PAUSED and DONE no member has a connection. In any other phase the quorum call is open, with
 *   a command of the phase.
 * - The token in use is drawn, or the caller's. A caller's token that is swapped in is sent by the
 *   swap alone.
 * - A poller has no place, and neither has SWAPPING. A place is a part of a wait, and has a mark.
 *   An answer of the place is dealt with in the same step.
 * - A pause of a wait ends at the deadline at the latest. DONE has no place and no mark.
 *
 * A function that reacts to an outcome or an event returns true when the call is done.
 */
#include "core/lock/rl_acquire.h"

#include "core/base/rl_time.h"
#include "core/lock/rl_op_failure.h"

#include <stdio.h>
#include <string.h>

/* After so many spurious wake-ups, or failures of the place, in a row the waiter leaves the queue
 * for a while. */
#define SPURIOUS_MAX 3

/* The longest time between two probes of a waiter in the queue. Its mark is valid for longer. If
 * no ticket arrives, for example because a dead process holds the member of the place, two probes
 * and a try fit into the promised 1.1 s. */
#define PROBE_NS (850 * RL_NS_PER_MS)

/* How long a mark is valid. */
#define MARK_MS 2000

/* How long a waiter polls before it queues again. */
#define REQUEUE_NS RL_NS_PER_SECOND

/* The probes at the end of a TTL are spread over this time per waiter, up to the maximum. */
#define SPREAD_NS (RL_NS_PER_MS / 20)
#define SPREAD_MOST_NS (500 * RL_NS_PER_MS)

/* While a quorum of members is free, or may be if the unheard members are, the next probe is sent
 * after this time at the latest. Each such probe doubles the limit, up to 64 times. */
#define FREE_PROBE_NS (20 * RL_NS_PER_MS)

/* The least time between two probes if the holder's release will wake the waiter. */
#define LEAST_PROBE_NS (10 * RL_NS_PER_MS)

/* The delay of the next probe while the lock is reserved. */
#define RESERVED_PROBE_NS (100 * RL_NS_PER_MS)

/* The pause after failures grows to this at least, because many clients may wait for the server. */
#define FAILURE_MOST_NS RL_NS_PER_SECOND

/* While a primary is too new, its Sentinels are asked again this often: Sentinels that answer later
 * may have known it for longer, or may name another primary. */
#define GRACE_LOOK_NS RL_NS_PER_SECOND

/* How often a split vote is tried again: another client may hold a bare majority. Then the limits
 * of the longest random pause before the try. */
#define SPLIT_TRIES 3
#define SPLIT_LEAST_NS (RL_NS_PER_MS / 2)
#define SPLIT_MOST_NS (200 * RL_NS_PER_MS)

/* A remaining time of at least a second is shown in tenths of a second, a shorter one in ms. */
#define TENTH_NS (100 * RL_NS_PER_MS)

/* The longest PTTL that is shown, 146 years. The key of another program may have any TTL; a
 * longer one is shown as this one, so that the nanoseconds do not overflow. */
#define PTTL_SHOWN_MAX (RL_NEVER / RL_NS_PER_MS / 2)

static const rl_op_class acquire_class;

static void leave_queue(rl_acquire *acquire, const rl_tick *tick);
static bool win(rl_acquire *acquire, int64_t since, const rl_tick *tick);
static bool finish(rl_acquire *acquire, const rl_tick *tick, rl_status status);
static bool has_place_at_old_primary(const rl_acquire *acquire);
static void abandon(rl_op *op, int64_t now);

static rl_stats *stats_of(const rl_acquire *acquire)
{
	return rl_env_stats(acquire->op.call.terms.env);
}

/* ---- the token, and the name of the mark ---- */

/* False = the system returned no random bytes: op.status is set, and step() ends the call. */
static bool draw_token(rl_acquire *acquire)
{
	bool has_token = rl_token_draw(acquire->op.call.terms.env, acquire->drawn) == RL_OK;
	acquire->op.status = has_token ? acquire->op.status : RL_ERR_RANDOM;
	return has_token;
}

/* The same for the name. */
static bool draw_name(rl_acquire *acquire)
{
	rl_quorum_call *call = &acquire->op.call;
	const rl_label *label = rl_label_or(&call->terms.set->label, call->terms.env->label);
	bool has_name = rl_token_draw(call->terms.env, acquire->waiter) == RL_OK;
	acquire->op.status = has_name ? acquire->op.status : RL_ERR_RANDOM;
	acquire->waiter[2] = 'w'; /* no token has this form */
	rl_token_put_label(acquire->waiter, label);
	call->terms.request.waiter = rl_bytes_of(acquire->waiter, rl_token_len(label));
	return has_name;
}

/* The next commands send the caller's token, or the drawn one. */
static void use_token(rl_acquire *acquire, bool is_own)
{
	rl_quorum_call *call = &acquire->op.call;
	call->terms.is_own_token = is_own;
	/* Before the swap, too, so that no message shows it. */
	call->terms.request.fresh = is_own ? (rl_bytes){NULL, 0} : acquire->own;
	acquire->token = is_own ? acquire->given : rl_bytes_of(acquire->drawn, acquire->drawn_len);
	call->terms.request.token = acquire->token;
}

/* The next commands send a token that was not used yet, and the caller's replaces it after the
 * win. False as in draw_token(). */
static bool use_fresh_token(rl_acquire *acquire)
{
	acquire->own = acquire->given;
	use_token(acquire, false);
	return draw_token(acquire);
}

/* ---- the beginning ---- */

/* The tries and probes name the keys of all permits. */
static void name_permits(rl_op *op, unsigned permits, char *room)
{
	rl_request *request = &op->call.terms.request;
	rl_names names = {.lock = request->key, .mark = request->mark};
	request->permits = permits;
	request->permit_keys = rl_names_put_permits(room, &names, permits);
}

rl_op *rl_acquire_new(rl_set *set, rl_pool *pool, const rl_env *env, const rl_acquire_args *args)
{
	bool is_given = args->token.data != NULL;
	size_t given_len = is_given ? args->token.len : 0;
	char *tokens;
	const rl_label *label = rl_label_or(&set->label, env->label);
	size_t drawn_len = rl_token_len(label);
	size_t permits_size = rl_names_permits_size(args->key.len, args->permits);
	rl_acquire *acquire = rl_op_alloc(sizeof *acquire, &acquire_class, set, pool, env, args->key,
		drawn_len + given_len + permits_size, &tokens);
	if (acquire == NULL) {
		return NULL;
	}
	acquire->drawn = tokens;
	acquire->drawn_len = drawn_len;
	rl_token_put_label(tokens, label);
	acquire->ttl_ns = args->ttl_ms * RL_NS_PER_MS;
	acquire->wait_ns = args->wait_ns;
	acquire->heeds_done = args->heeds_done;
	acquire->reach = RL_NEVER;
	acquire->outage_end = RL_NEVER;
	rl_quorum_call *call = &acquire->op.call;
	acquire->is_polling = !set->wakes || call->terms.request.mark.data == NULL;
	acquire->requeue_at = RL_NEVER;
	call->terms.request.verb = RL_VERB_SET;
	call->terms.request.ttl_ms = args->ttl_ms;
	call->terms.request.no_helpers = acquire->is_polling;
	if (args->permits > 1) {
		name_permits(&acquire->op, args->permits, tokens + drawn_len + given_len);
	}
	if (is_given) {
		memcpy(tokens + drawn_len, args->token.data, given_len);
		acquire->given = rl_bytes_of(tokens + drawn_len, given_len);
	}
	if (is_given && rl_token_is_drawn(acquire->given)) {
		use_token(acquire, true);
	} else {
		use_fresh_token(acquire);
	}
	return &acquire->op;
}

rl_bytes rl_acquire_won_key(const rl_acquire *acquire)
{
	const rl_request *request = &acquire->op.call.terms.request;
	return request->permit_keys != NULL ? request->permit_keys[acquire->permit] : request->key;
}

rl_acquire *rl_acquire_of(rl_op *op)
{
	return op->class == &acquire_class ? (rl_acquire *) op : NULL;
}

static void begin(rl_acquire *acquire, int64_t now)
{
	const rl_errand_terms *terms = &acquire->op.call.terms;
	if (terms->is_own_token &&
		rl_pool_may_free(
			terms->pool, NULL, rl_conn_lock(terms->request.key, acquire->token), now)) {
		use_fresh_token(acquire);
	}
	acquire->op.is_begun = true;
	acquire->started_at = now;
	acquire->deadline = rl_time_later(now, acquire->wait_ns);
	acquire->resume_at = now;
}

/* ---- asking the members ---- */

/* The next try is the last, or the latest one was: the deadline has come, or all `retries` are
 * used. Without a wait the deadline is the start. An answer that arrives at or after the deadline
 * decides, also if its command was sent before: on a slow server too little time would be left for
 * another try. */
static bool is_last_try(const rl_acquire *acquire, int64_t now)
{
	return now >= acquire->deadline || acquire->retried >= acquire->op.call.terms.set->retries;
}

/* For how many ms a mark is valid: past the next probe, but not beyond the end of the wait. */
static int64_t mark_time(const rl_acquire *acquire, const rl_tick *tick)
{
	if (acquire->is_polling || is_last_try(acquire, tick->now)) {
		return 0;
	}
	int64_t left_ms = (acquire->deadline - tick->now - 1) / RL_NS_PER_MS + 1;
	return left_ms < MARK_MS ? left_ms : MARK_MS;
}

/* The argument `latest` of rl_quorum_call_begin(). */
static int64_t latest_end(const rl_acquire *acquire)
{
	return rl_acquire_is_waiting(acquire) ? acquire->deadline : RL_NEVER;
}

/* Begins a quorum call with SET, a try or a probe. */
static void begin_call(rl_acquire *acquire, rl_verb verb, rl_place place, const rl_tick *tick)
{
	rl_quorum_call *call = &acquire->op.call;
	bool is_probe = verb == RL_VERB_PROBE;
	bool has_name = call->terms.request.waiter.data != NULL;
	if (verb != RL_VERB_SET && !acquire->is_polling && !has_name && !draw_name(acquire)) {
		return;
	}
	acquire->is_first = acquire->next == RL_ACQUIRE_NEXT_FIRST;
	acquire->next = RL_ACQUIRE_NEXT_PROBE;
	call->terms.request.verb = verb;
	call->terms.request.maybe_ours = acquire->is_maybe_ours;
	call->terms.request.mark_ms = acquire->is_first ? 0 : mark_time(acquire, tick);
	call->terms.request.reserve_ms =
		rl_reservation_ms(call->terms.set->count, acquire->reach < RL_NEVER ? acquire->reach : 0);
	call->terms.request.place = place;
	bool marks = verb != RL_VERB_SET && call->terms.request.mark_ms > 0;
	acquire->marked = marks ? (1U << call->terms.set->count) - 1 : acquire->marked;
	acquire->phase = is_probe ? RL_ACQUIRE_PROBING : RL_ACQUIRE_TRYING;
	rl_stats_add(&stats_of(acquire)->probes, is_probe);
	/* Each member should have the mark, and the place should be at the first in order. */
	rl_wanted wanted = is_probe ? RL_WANTED_SOON : RL_WANTED_DECISION;
	rl_quorum_call_begin(call, wanted, tick->now, latest_end(acquire));
}

/* Not called for the try of the place, which on_queue_event() counts. */
static void count_try(rl_acquire *acquire)
{
	acquire->attempts++;
	rl_stats_add(&stats_of(acquire)->tries, 1);
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
		leave_queue(acquire, tick);
	}
	count_try(acquire);
	begin_call(acquire, RL_VERB_TRY, is_claim ? RL_PLACE_WOKEN : RL_PLACE_NONE, tick);
	acquire->free_probes = 0;
}

/* A poller queues again after a while, because the reason to poll may be over. */
static void try_queue_again(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = &acquire->op.call;
	if (acquire->is_polling && call->terms.set->wakes && tick->now >= acquire->requeue_at) {
		acquire->is_polling = false;
		acquire->losses = 0;
		call->terms.request.waiter = (rl_bytes){NULL, 0}; /* the next place draws one */
		call->terms.request.no_helpers = false;
	}
}

static bool must_try(const rl_acquire *acquire, const rl_tick *tick)
{
	return is_last_try(acquire, tick->now) || acquire->is_polling ||
		acquire->next != RL_ACQUIRE_NEXT_PROBE;
}

/* SET names neither the holder nor one of several keys. */
static rl_verb first_verb(const rl_acquire *acquire)
{
	bool needs_script = acquire->heeds_done || acquire->op.call.terms.request.permit_keys != NULL;
	return needs_script ? RL_VERB_TRY : RL_VERB_SET;
}

/* The pause is over. */
static void resume(rl_acquire *acquire, const rl_tick *tick)
{
	if (acquire->next == RL_ACQUIRE_NEXT_FIRST) {
		count_try(acquire);
		begin_call(acquire, first_verb(acquire), RL_PLACE_NONE, tick);
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
		begin_call(acquire, RL_VERB_PROBE, RL_PLACE_NONE, tick);
	}
}

/* ---- pauses ---- */

/* Sends nothing on ordinary connections for this long. 0 = what follows is sent at once, and does
 * not count against `retries`. */
static void pause_for(rl_acquire *acquire, const rl_tick *tick, int64_t delay)
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

/* Pauses for the delay, but not for longer than the pause that is under way. */
static void hurry(rl_acquire *acquire, const rl_tick *tick, int64_t delay)
{
	int64_t due = acquire->resume_at;
	bool was_delayed = acquire->is_delayed;
	pause_for(acquire, tick, delay);
	if (due < acquire->resume_at) {
		acquire->resume_at = due;
		acquire->is_delayed = was_delayed;
	}
}

/* The next back-off delay while another client holds the lock. */
static int64_t backoff_delay(rl_acquire *acquire)
{
	const rl_quorum_call *call = &acquire->op.call;
	rl_stats_add(&stats_of(acquire)->backoffs, 1);
	int64_t delay = rl_backoff_delay(&call->terms.set->backoff, acquire->delays++, call->terms.env);
	/* A waiter in the queue must renew its mark. */
	return acquire->is_polling ? delay : rl_time_earlier(delay, PROBE_NS);
}

/* The pause after a failure lasts until a new primary grants locks, or for a second. */
static int64_t grace_delay(const rl_acquire *acquire, int64_t delay)
{
	const rl_quorum_call *call = &acquire->op.call;
	int64_t grants_at = rl_set_grants_at(call->terms.set);
	int64_t left = grants_at != 0 ? grants_at - call->terms.env->now(call->terms.env->ctx) : 0;
	left = rl_time_earlier(left, GRACE_LOOK_NS);
	return left > delay ? left : delay;
}

/* The next back-off delay after a failure. */
static int64_t failure_delay(rl_acquire *acquire)
{
	const rl_quorum_call *call = &acquire->op.call;
	rl_backoff backoff = call->terms.set->backoff;
	backoff.max_ns = backoff.max_ns > FAILURE_MOST_NS ? backoff.max_ns : FAILURE_MOST_NS;
	rl_stats_add(&stats_of(acquire)->backoffs, 1);
	int64_t delay = rl_backoff_delay(&backoff, acquire->failures++, call->terms.env);
	if (rl_set_has_sentinels(call->terms.set)) { /* each try asks the Sentinels again */
		delay = rl_time_earlier(delay, RL_LOOKUP_AGAIN_NS);
		delay = grace_delay(acquire, delay);
	}
	return acquire->is_polling ? delay : rl_time_earlier(delay, PROBE_NS);
}

/* The time between two probes if the holder's release will wake us. It limits the sample's age, so
 * that drift costs the proof of a lock won in the queue at most a quarter of its TTL. */
static int64_t probe_interval(const rl_acquire *acquire)
{
	double drift = acquire->op.call.terms.set->drift_factor;
	double most = (double) acquire->ttl_ns / 4;
	if (most >= drift * (double) PROBE_NS) {
		return PROBE_NS;
	}
	int64_t interval = (int64_t) (most / drift);
	return interval > LEAST_PROBE_NS ? interval : LEAST_PROBE_NS;
}

/* The time until the next probe: its interval begins when the latest probe was sent. */
static int64_t rest_of_interval(const rl_acquire *acquire)
{
	int64_t left = probe_interval(acquire) - (acquire->sample.heard_at - acquire->sample.asked_at);
	return left > LEAST_PROBE_NS ? left : LEAST_PROBE_NS;
}

/* A random time, so that many waiters do not all probe at once. */
static int64_t any_time(rl_acquire *acquire, int64_t most)
{
	most = rl_time_earlier(most, SPREAD_MOST_NS);
	return most > 0 ? rl_backoff_any(acquire->op.call.terms.env, most) : 0;
}

/* The delay until the next probe, by the holder and the PTTL that were reported last. A reserved
 * lock is taken at once, or a ticket is in the list for the next waiter that queues. */
static int64_t probe_delay(rl_acquire *acquire, rl_holder holder, int64_t pttl)
{
	bool is_queued = !rl_queue_is_out(&acquire->queue);
	if (is_queued && holder == RL_HOLDER_RESERVED) {
		return RESERVED_PROBE_NS;
	}
	bool will_wake = is_queued && pttl >= 0 &&
		(holder == RL_HOLDER_KIN || holder == RL_HOLDER_SELF || holder == RL_HOLDER_DONE);
	int64_t delay = will_wake ? rest_of_interval(acquire) : backoff_delay(acquire);
	/* The division cannot overflow, whatever the PTTL. */
	if (pttl < 0 || pttl >= delay / RL_NS_PER_MS) {
		return delay;
	}
	int64_t spread = (acquire->crowd - 1) * SPREAD_NS;
	return (pttl + 1) * RL_NS_PER_MS + any_time(acquire, spread);
}

/* ---- the place in the queue ---- */

/* Call when the waiter should queue at this member. Gives up a place at another member, unless that
 * member has left only one probe unanswered. */
static void move_queue(rl_acquire *acquire, unsigned index, const rl_tick *tick)
{
	rl_queue *queue = &acquire->queue;
	rl_quorum_call *call = &acquire->op.call;
	/* A place at a node that has lost the slot, or is no longer the primary, would not be woken,
	 * because holders release the lock at the new node. So the waiter leaves such a place. */
	const rl_errand *place = queue->place != NULL ? &queue->place->errand : NULL;
	bool has_moved = queue->member == index && place != NULL && place->node != NULL &&
		!place->sent.is_asking && !rl_target_equal(place->node, call->members[index].node);
	if (rl_queue_is_out(queue) || (queue->member == index && !has_moved)) {
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
	leave_queue(acquire, tick);
	queue->member = index;
}

/* Gives up the place and polls for a while, because waking is not possible or the place failed too
 * often. */
static void fall_back(rl_acquire *acquire, const rl_tick *tick)
{
	if (acquire->is_polling) {
		return;
	}
	/* If waking was switched off for the whole set, the fallback was counted then. */
	bool is_first = acquire->requeue_at == RL_NEVER && acquire->op.call.terms.set->wakes;
	acquire->is_polling = true;
	acquire->requeue_at = rl_time_later(tick->now, REQUEUE_NS);
	rl_stats_add(&stats_of(acquire)->wake_failures, is_first);
	leave_queue(acquire, tick);
}

/* Takes a place, unless the waiter has one, polls, or was woken in vain too often. */
static void enter_queue(rl_acquire *acquire, const rl_tick *tick)
{
	if (!acquire->is_polling && rl_queue_is_out(&acquire->queue) &&
		acquire->spurious < SPURIOUS_MAX &&
		!rl_queue_enter(&acquire->queue, &acquire->op.call, acquire->deadline, tick->now)) {
		fall_back(acquire, tick); /* to poll needs no memory */
	}
}

/* ---- giving back ---- */

/* Releases a token that no client has: the release script also removes the name of the request. */
static void unmark_member(rl_quorum_call *call, unsigned index, int64_t now)
{
	const rl_member *server = &call->terms.set->members[index];
	rl_channel channel = {0};
	rl_target *node = call->members[index].node; /* NULL = the primary was never found */
	if (node == NULL || !rl_channel_take(&channel, call->terms.pool, node, RL_WANT_ANY, now, now)) {
		return;
	}
	rl_request request = call->terms.request;
	request.verb = RL_VERB_RELEASE;
	request.permit_keys = NULL;
	request.token = request.waiter;
	request.is_asking = call->members[index].sent.is_asking;
	request.form = RL_FORM_TEXT;
	rl_conn_send_blind(channel.conn, &request);
	rl_channel_flush(&channel, now);
	rl_giving giving = {.is_trusted = true,
		.unheard_ns = rl_set_unheard_ns(call->terms.set, server->timeout_ns),
		.may_send_later = true,
		.must_arrive = true}; /* an undo may precede it */
	rl_channel_give_back(&channel, call->terms.pool, giving, now);
}

/* Removes our mark on the members with an idle connection. Other marks become void within two
 * seconds. Call it after the quorum call was settled: if a probe or a try is unanswered, the
 * removal follows it on the same connection, which the pool prefers. */
static void unmark(rl_acquire *acquire, int64_t now)
{
	rl_quorum_call *call = &acquire->op.call;
	for (unsigned i = 0; call->terms.set->wakes && i < call->terms.set->count; i++) {
		if ((acquire->marked >> i & 1U) != 0) {
			unmark_member(call, i, now);
		}
	}
	acquire->marked = 0;
}

/* Gives up the place in the queue. The server may still run its try, which removes the mark with
 * the name of the place. So a wait that goes on draws another name. */
static rl_settlement give_up_place(rl_acquire *acquire, int64_t now)
{
	rl_quorum_call *call = &acquire->op.call;
	rl_settlement left = rl_queue_leave(&acquire->queue, true, now);
	/* At the end of the wait there will be no mark of another place to protect from the try. */
	if (left.doubt == RL_DOUBT_GUARDED && !is_last_try(acquire, now)) {
		unmark(acquire, now);
		call->terms.request.waiter = (rl_bytes){NULL, 0};
	}
	return left;
}

/* Call after an undo was written for the token: draws another one, and gives up the place in the
 * queue, which has the old one. False as in draw_token(). */
static bool replace_token(rl_acquire *acquire, const rl_tick *tick)
{
	acquire->is_maybe_ours = false;
	give_up_place(acquire, tick->now);
	return use_fresh_token(acquire);
}

/* Gives up the place, and the token in use if an undo was written for it. */
static void leave_queue(rl_acquire *acquire, const rl_tick *tick)
{
	rl_settlement left = give_up_place(acquire, tick->now);
	acquire->is_maybe_ours = acquire->is_maybe_ours || left.doubt == RL_DOUBT_UNKNOWN;
	if (left.was_undone) {
		replace_token(acquire, tick);
	}
}

/* Ends the quorum call, and notes what that means for the token. False = no token is left to try
 * with. */
static bool settle(
	rl_acquire *acquire, rl_undo undo, const rl_tick *tick, rl_settlement *settlement)
{
	rl_quorum_call *call = &acquire->op.call;
	*settlement = rl_quorum_call_settle(call, undo, tick->now);
	if (settlement->was_undone) {
		return replace_token(acquire, tick);
	}
	acquire->is_maybe_ours = acquire->is_maybe_ours || settlement->doubt == RL_DOUBT_UNKNOWN;
	return true;
}

/* The end of a message: what has become of the token. */
static const char *fate(const rl_acquire *acquire, const rl_settlement *settlement)
{
	if (settlement->doubt == RL_DOUBT_UNKNOWN || acquire->is_maybe_ours) {
		return "; outcome unknown: if the lock was granted, it ends by its TTL";
	}
	return settlement->doubt == RL_DOUBT_GUARDED
		? "; if a server grants the lock later, the undo that follows releases it"
		: "";
}

/* ---- trying again, or not ---- */

/* A failure ends the call now: it is that of the last try, or the outage has lasted for as long as
 * the set allows. */
static bool ends_by_failure(const rl_acquire *acquire, int64_t now)
{
	return now >= acquire->outage_end || is_last_try(acquire, now);
}

/* Tries again later if the wait allows that, or ends the call with the status. */
static bool retry_or_finish(
	rl_acquire *acquire, const rl_tick *tick, rl_status status, bool may_go_on)
{
	if (!may_go_on || ends_by_failure(acquire, tick->now)) {
		return finish(acquire, tick, status);
	}
	acquire->next = RL_ACQUIRE_NEXT_TRY;
	pause_for(acquire, tick, failure_delay(acquire));
	return false;
}

/* Sets proven_until. False = the TTL is used up. */
static bool prove(rl_acquire *acquire, int64_t held_since, const rl_tick *tick)
{
	acquire->proven_until =
		held_since + acquire->ttl_ns - rl_set_drift(acquire->op.call.terms.set, acquire->ttl_ns);
	return acquire->proven_until > tick->now;
}

/* Call after settling a grant whose proof is used up. */
static bool on_too_slow(rl_acquire *acquire, int64_t held_since, bool has_token,
	const rl_settlement *settlement, const rl_tick *tick)
{
	bool is_swapped = acquire->phase == RL_ACQUIRE_SWAPPING;
	int64_t after_ms = (tick->now - held_since + RL_NS_PER_MS / 2) / RL_NS_PER_MS;
	char after[RL_SECONDS_TEXT];
	char ttl[RL_SECONDS_TEXT];
	rl_op_fail_with(&acquire->op, RL_ERR_SLOW,
		"too slow: the lock was granted after %s s, which leaves nothing of its TTL of %s s%s",
		rl_seconds_text(after_ms * RL_NS_PER_MS, after), rl_seconds_text(acquire->ttl_ns, ttl),
		is_swapped ? "; a key that is left on a server ends by its TTL"
				   : fate(acquire, settlement));
	return retry_or_finish(acquire, tick, RL_ERR_SLOW, has_token && !is_swapped);
}

/* ---- after a SET or a try ---- */

/* The members that may have our mark although a try has decided. A try removes the mark where it
 * takes the lock, and where it is the last of the wait.
 * @param is_last the try was the last one, if it was refused */
static unsigned still_marked(const rl_acquire *acquire, bool is_last)
{
	const rl_quorum_call *call = &acquire->op.call;
	unsigned left = 0;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		rl_vote vote = call->members[i].vote;
		left |= (unsigned) (vote == RL_VOTE_FAILED || (vote == RL_VOTE_REFUSED && !is_last)) << i;
	}
	return acquire->marked & left;
}

static bool on_granted(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = &acquire->op.call;
	int64_t sent_at = rl_quorum_call_sent_at(call);
	acquire->permit = call->members[0].answer.permit;
	acquire->marked = still_marked(acquire, call->terms.request.mark_ms == 0);
	bool is_good = prove(acquire, sent_at, tick);
	acquire->unasked = acquire->given.data == NULL ? rl_quorum_call_unasked(call) : 0;
	rl_settlement settlement;
	bool has_token = settle(acquire, is_good ? RL_UNDO_NOTHING : RL_UNDO_ALL, tick, &settlement);
	return is_good ? win(acquire, sent_at, tick)
				   : on_too_slow(acquire, sent_at, has_token, &settlement, tick);
}

/* The time until a split vote is tried again: random, up to some round trips, so that the clients
 * that split the vote do not try at the same time. */
static int64_t split_delay(rl_acquire *acquire, int64_t round_trip)
{
	unsigned doublings = acquire->splits < 6 ? acquire->splits : 6;
	int64_t most = (round_trip > SPLIT_LEAST_NS ? round_trip : SPLIT_LEAST_NS) << doublings;
	most = rl_time_earlier(most, SPLIT_MOST_NS);
	int64_t delay = rl_backoff_any(acquire->op.call.terms.env, most);
	return delay > 0 ? delay : 1;
}

/* Perhaps no client holds the lock, so another try soon is worthwhile, also without a wait. */
static void try_split_again(rl_acquire *acquire, int64_t round_trip, const rl_tick *tick)
{
	int64_t at = tick->now + split_delay(acquire, round_trip);
	bool is_waiting = rl_acquire_is_waiting(acquire);
	acquire->splits++;
	acquire->next = is_waiting ? RL_ACQUIRE_NEXT_PROBE : RL_ACQUIRE_NEXT_FIRST;
	acquire->phase = RL_ACQUIRE_PAUSED;
	acquire->is_delayed = false; /* does not count against `retries` */
	acquire->resume_at = is_waiting ? rl_time_earlier(at, acquire->deadline) : at;
	rl_stats_add(&stats_of(acquire)->split_votes, 1);
}

/* Notes the holder that the member has named in its answer to a refused try or to a probe. A
 * reservation has no holder, and our own token in the key means that this wait has won. */
static void note_holder(rl_acquire *acquire, const rl_errand *member)
{
	rl_holder holder = member->answer.holder;
	if (holder != RL_HOLDER_KIN && holder != RL_HOLDER_FOREIGN && holder != RL_HOLDER_DONE) {
		return;
	}
	rl_seen *seen = &acquire->seen;
	seen->holder = holder;
	seen->pttl_ms = member->answer.number;
	seen->at = member->heard_at;
	rl_label_set(&seen->label, rl_bytes_of(member->text, member->text_len));
}

/* A member has named the mark of work that is done, and the call heeds that. A release has written
 * this mark after the work, also where too few members for a quorum have it. */
static bool meets_done(const rl_acquire *acquire)
{
	const rl_quorum_call *call = &acquire->op.call;
	if (!acquire->heeds_done) {
		return false;
	}
	bool is_named = false;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		const rl_errand *member = &call->members[i];
		bool has_looked = member->vote == RL_VOTE_REFUSED || member->vote == RL_VOTE_GRANTED;
		is_named = is_named || (has_looked && member->answer.holder == RL_HOLDER_DONE);
	}
	return is_named;
}

/* Ends the call, because the work is done. What it may have taken is undone. @return true */
static bool end_as_done(rl_acquire *acquire, const rl_tick *tick)
{
	acquire->met_done = true;
	abandon(&acquire->op, tick->now);
	return finish(acquire, tick, RL_BUSY);
}

static bool on_refused(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = &acquire->op.call;
	bool was_first = acquire->is_first;
	bool is_split = rl_quorum_call_count(call, RL_VOTE_GRANTED) > 0;
	const rl_errand *speaker = rl_quorum_call_speaker(call, RL_VOTE_REFUSED);
	int64_t round_trip = tick->now - speaker->channel.sent_at;
	rl_answer answer = speaker->answer;
	note_holder(acquire, speaker);
	/* Later commands of this wait need not find this out again. */
	call->terms.request.no_helpers = call->terms.request.no_helpers || speaker->sent.no_helpers;
	if (call->terms.request.mark_ms == 0) {
		acquire->marked = still_marked(acquire, true);
	}
	acquire->crowd = answer.crowd;
	acquire->failures = 0;
	if (meets_done(acquire)) {
		return end_as_done(acquire, tick);
	}
	acquire->was_refused = true;
	rl_settlement settlement;
	bool has_token = settle(acquire, RL_UNDO_ALL, tick, &settlement);
	acquire->splits = is_split ? acquire->splits : 0;
	bool is_worth_another = has_token && is_split && acquire->splits < SPLIT_TRIES;
	if (is_worth_another && !rl_acquire_is_waiting(acquire)) {
		try_split_again(acquire, round_trip, tick);
		return false;
	}
	if (!has_token || is_last_try(acquire, tick->now)) {
		return finish(acquire, tick, RL_BUSY);
	}
	/* On a slow server the answer to a probe would delay the try at the deadline. */
	int64_t left = acquire->deadline - tick->now;
	bool can_queue = !acquire->is_polling && left >= RL_QUEUE_WORTH_NS && left >= 2 * round_trip;
	if (can_queue && (was_first || !is_split)) {
		pause_for(acquire, tick, 0); /* a probe and a place follow */
		return false;
	}
	bool has_no_helpers = call->terms.set->wakes && call->terms.request.mark.data == NULL;
	rl_stats_add(&stats_of(acquire)->wake_failures, was_first && has_no_helpers);
	acquire->is_polling = acquire->is_polling || was_first;
	if (is_worth_another) {
		try_split_again(acquire, round_trip, tick);
		return false;
	}
	pause_for(acquire, tick, probe_delay(acquire, answer.holder, answer.number));
	return false;
}

static bool on_failed(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = &acquire->op.call;
	bool may_pass = rl_quorum_call_may_pass(call);
	bool may_retry = may_pass && !ends_by_failure(acquire, tick->now);
	if (meets_done(acquire)) {
		return end_as_done(acquire, tick);
	}
	rl_settlement settlement;
	bool has_token =
		settle(acquire, may_retry ? RL_UNDO_BUT_REFUSALS : RL_UNDO_ALL, tick, &settlement);
	if (!may_retry || !has_token) {
		rl_settlement left = rl_queue_leave(&acquire->queue, true, tick->now);
		acquire->is_maybe_ours = acquire->is_maybe_ours && !left.was_undone;
		settlement.was_undone = settlement.was_undone || left.was_undone;
		settlement.doubt = rl_doubt_add(settlement.doubt, left.doubt);
	}
	bool is_said = rl_quorum_call_speaker(call, RL_VOTE_FAILED)->err->status == RL_ERR_UNKNOWN;
	rl_op_fail(&acquire->op, is_said ? "" : fate(acquire, &settlement));
	return retry_or_finish(acquire, tick, acquire->op.status, may_pass && has_token);
}

/* ---- after a probe ---- */

/* Whether a quorum of members is free. */
typedef enum quorum_free {
	QUORUM_HELD,
	QUORUM_MAY_BE_FREE, /* if unheard members are free */
	QUORUM_FREE,
} quorum_free;

/* What a probe of all members has shown. */
typedef struct probe_result {
	const rl_errand *member; /* where the waiter should queue */
	unsigned index;          /* of this member */
	/* The time until a quorum may be free, in ms; -1 = unknown, or a quorum is free now. */
	int64_t soonest_pttl;
	int64_t reach; /* the longest round trip */
	quorum_free free;
} probe_result;

/* The member has answered that a client holds the lock. */
static bool is_held_at(const rl_errand *member)
{
	rl_holder holder = member->answer.holder;
	return member->vote == RL_VOTE_GRANTED && holder != RL_HOLDER_NOBODY &&
		holder != RL_HOLDER_RESERVED;
}

/* True when a place at the member makes sense. is_blocked = the held members leave no quorum. Then
 * a free member is unsuitable: the holder does not need it, so wake-ups there would be spurious. */
static bool can_queue_at(const rl_errand *member, bool is_blocked)
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
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		const rl_errand *member = &call->members[i];
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
	unsigned quorum = rl_quorum(call->terms.set->count);
	return count < quorum || ends[quorum - 1] > INT64_MAX ? -1 : (int64_t) ends[quorum - 1];
}

/* Reads the answers to a probe. False = no member allows queueing; probe->member is then one that
 * has answered. */
static bool read_probe(const rl_quorum_call *call, probe_result *probe)
{
	unsigned count = call->terms.set->count;
	unsigned free = 0;
	unsigned held = 0;
	unsigned unheard = 0;
	*probe = (probe_result){.member = rl_quorum_call_speaker(call, RL_VOTE_GRANTED)};
	for (unsigned i = 0; i < count; i++) {
		const rl_errand *member = &call->members[i];
		free += member->vote == RL_VOTE_GRANTED && member->answer.holder == RL_HOLDER_NOBODY;
		held += is_held_at(member);
		unheard += member->vote == RL_VOTE_OPEN;
		int64_t round_trip =
			member->vote == RL_VOTE_GRANTED ? member->heard_at - member->channel.sent_at : 0;
		probe->reach = round_trip > probe->reach ? round_trip : probe->reach;
	}
	bool is_blocked = held > count - rl_quorum(count);
	probe->free = free >= rl_quorum(count)   ? QUORUM_FREE
		: free + unheard >= rl_quorum(count) ? QUORUM_MAY_BE_FREE
											 : QUORUM_HELD;
	bool can_queue = false;
	for (unsigned i = 0; i < count && !can_queue; i++) {
		probe->index = call->order[i];
		can_queue = can_queue_at(&call->members[probe->index], is_blocked);
	}
	probe->member = can_queue ? &call->members[probe->index] : probe->member;
	/* If a quorum is free, the next probe is not due at once, because a ticket is on its way. */
	probe->soonest_pttl = probe->free == QUORUM_FREE ? -1 : soonest_of(call);
	return can_queue;
}

/* Keeps the shortest round trip. A longer one may include a stall of the server or of this process,
 * which says nothing about the network. */
static void note_round_trip(rl_acquire *acquire, const rl_errand *member)
{
	int64_t round_trip =
		rl_time_earlier(member->heard_at - member->channel.sent_at, member->timeout);
	bool is_first = acquire->sample.heard_at == 0;
	if (is_first || round_trip < acquire->round_trip) {
		acquire->round_trip = round_trip;
	}
}

static void take_sample(rl_acquire *acquire, const rl_errand *member)
{
	note_round_trip(acquire, member);
	rl_target *before = acquire->sample.node;
	acquire->sample = (rl_sample){.asked_at = member->channel.sent_at,
		.heard_at = member->heard_at,
		.server_us = member->answer.time_us,
		.node = rl_target_ref(member->node)};
	rl_target_unref(before);
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
static void count_free_probes(rl_acquire *acquire, const probe_result *probe, bool is_free_at_place)
{
	bool is_on_its_way =
		is_free_at_place && !rl_queue_is_out(&acquire->queue) && !is_past_our_place(acquire);
	bool may_be_free = probe->free != QUORUM_HELD;
	bool is_free_still = acquire->free_probes > 0 && may_be_free;
	if (probe->free != QUORUM_FREE && !is_free_still) {
		acquire->free_probes = 0;
	} else if (acquire->free_probes == 0 || !is_on_its_way) {
		acquire->free_probes++;
	}
	acquire->unsure_probes = may_be_free ? acquire->unsure_probes + 1 : 0;
}

/* What follows a probe; PROBE = the wait goes on. A try follows if the lock may be free and no
 * waiter takes it: either the list has a ticket for which there is no waiter, or two probes in a
 * row found a quorum free, while a dead process may hold the member of our place. */
static rl_acquire_next after_probe(rl_acquire *acquire, const probe_result *probe, rl_answer answer)
{
	bool is_free_at_place =
		answer.holder == RL_HOLDER_NOBODY && acquire->queue.member == probe->index;
	count_free_probes(acquire, probe, is_free_at_place);
	if (answer.holder == RL_HOLDER_SELF) {
		/* The place's try has won, or a SET was carried out late. */
		acquire->is_maybe_ours = true;
		return RL_ACQUIRE_NEXT_CLAIM;
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
	return rl_time_earlier(delay, FREE_PROBE_NS << doublings);
}

/* The key has the caller's token, and this call cannot have set it: an earlier call with the same
 * token has the lock, or has left it. */
static bool has_own_from_before(const rl_acquire *acquire, rl_holder holder)
{
	return holder == RL_HOLDER_SELF && acquire->op.call.terms.is_own_token &&
		!acquire->is_maybe_ours && !rl_queue_is_in(&acquire->queue);
}

/* True = the call is done. */
static bool on_probe_answered(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = &acquire->op.call;
	probe_result probe;
	bool can_queue = read_probe(call, &probe);
	rl_answer answer = probe.member->answer;
	note_holder(acquire, probe.member);
	if (meets_done(acquire)) {
		return end_as_done(acquire, tick);
	}
	rl_quorum_call_settle(call, RL_UNDO_NOTHING, tick->now);
	if (has_own_from_before(acquire, answer.holder)) {
		answer.holder = RL_HOLDER_KIN;
		replace_token(acquire, tick);
	}
	if (!can_queue) {
		fall_back(acquire, tick);
		pause_for(acquire, tick, 0);
		return false;
	}
	acquire->crowd = answer.crowd;
	acquire->failures = 0;
	acquire->reach = rl_time_earlier(acquire->reach, probe.reach);
	move_queue(acquire, probe.index, tick);
	if (acquire->queue.member == probe.index) { /* else that member is silent */
		take_sample(acquire, probe.member);
	}
	rl_acquire_next next = after_probe(acquire, &probe, answer);
	if (next != RL_ACQUIRE_NEXT_PROBE) {
		acquire->next = next;
		pause_for(acquire, tick, 0);
		return false;
	}
	if (rl_queue_is_out(&acquire->queue)) {
		if (call->terms.request.waiter.data == NULL) {
			pause_for(acquire, tick, 0); /* a probe marks a new name first */
			return false;
		}
		/* This may have changed since the probe began, when a place was lost. */
		call->terms.request.maybe_ours = acquire->is_maybe_ours;
		enter_queue(acquire, tick);
	}
	int64_t delay = probe_delay(acquire, answer.holder, probe.soonest_pttl);
	pause_for(acquire, tick, probe.free != QUORUM_HELD ? unsure_delay(acquire, delay) : delay);
	return false;
}

/* True when a member refuses the helper keys, which probes need. If the refusal names a command, it
 * holds for every key, and waking is switched off for the set. */
static bool has_no_probes(rl_quorum_call *call)
{
	bool has_none = false;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		const rl_errand *member = &call->members[i];
		bool is_refused = member->vote == RL_VOTE_FAILED && rl_error_is_about_helpers(member->err);
		if (is_refused && rl_error_names_command(member->err)) {
			rl_stats_add(
				&rl_env_stats(call->terms.env)->wake_failures, rl_set_stop_waking(call->terms.set));
		}
		has_none = has_none || is_refused;
	}
	return has_none;
}

/* The place is kept if the failure may pass. */
static bool on_probe_failed(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = &acquire->op.call;
	if (meets_done(acquire)) {
		return end_as_done(acquire, tick);
	}
	bool is_forbidden = has_no_probes(call);
	bool may_pass = rl_quorum_call_may_pass(call);
	rl_quorum_call_settle(call, RL_UNDO_NOTHING, tick->now);
	if (is_forbidden) {
		fall_back(acquire, tick);
		call->terms.request.no_helpers = true;
		pause_for(acquire, tick, 0);
		return false;
	}
	if (!may_pass || ends_by_failure(acquire, tick->now)) {
		rl_settlement left = rl_queue_leave(&acquire->queue, true, tick->now);
		rl_op_fail(&acquire->op, fate(acquire, &left));
		return finish(acquire, tick, acquire->op.status);
	}
	pause_for(acquire, tick, failure_delay(acquire));
	return false;
}

/* ---- events of the place ---- */

/* The place has won on its member. The other members are asked, if there are any. */
static void on_queue_won(rl_acquire *acquire, const rl_tick *tick)
{
	rl_queue *queue = &acquire->queue;
	rl_quorum_call *call = &acquire->op.call;
	int64_t since =
		rl_queue_won_since(queue, &acquire->sample, call->terms.set->drift_factor, tick->now);
	rl_quorum_call_settle(call, RL_UNDO_NOTHING, tick->now); /* of a probe */
	begin_call(acquire, RL_VERB_TRY, RL_PLACE_WOKEN, tick);
	rl_queue_hand_over(queue, call, since);
}

static bool is_paused(const rl_acquire *acquire)
{
	return acquire->phase == RL_ACQUIRE_PAUSED;
}

/* True = the call is done. */
static bool on_queue_refused(rl_acquire *acquire, const rl_tick *tick)
{
	rl_queue *queue = &acquire->queue;
	rl_quorum_call *call = &acquire->op.call;
	rl_answer answer = queue->place->errand.answer;
	if (acquire->heeds_done && answer.holder == RL_HOLDER_DONE) {
		/* This try has removed the mark there; a probe that is under way may set it again. */
		acquire->marked &= is_paused(acquire) ? ~(1U << queue->member) : ~0U;
		return end_as_done(acquire, tick);
	}
	acquire->losses = 0;
	acquire->spurious++;
	if (rl_queue_has_ticket(queue)) {
		rl_stats_add(&stats_of(acquire)->spurious_wake_ups, 1);
	}
	/* If no client holds the lock, the try was refused because the mark was void, and the server
	 * has passed the ticket on, as it does when the work is done. A probe must renew the mark
	 * before the next place. */
	bool was_void = answer.holder == RL_HOLDER_NOBODY || answer.holder == RL_HOLDER_RESERVED ||
		answer.holder == RL_HOLDER_DONE;
	if (was_void || acquire->spurious >= SPURIOUS_MAX) {
		rl_queue_leave(queue, false, tick->now);
	} else {
		rl_queue_enter(queue, call, acquire->deadline, tick->now);
	}
	if (is_paused(acquire)) {
		bool is_at_once = was_void && acquire->spurious < SPURIOUS_MAX;
		hurry(acquire, tick, is_at_once ? 0 : probe_delay(acquire, answer.holder, answer.number));
	}
	return false;
}

/* What follows a place whose try has not decided: a waiter that was woken takes reserved locks,
 * too. */
static rl_acquire_next next_after_place(const rl_acquire *acquire)
{
	return rl_queue_has_ticket(&acquire->queue) ? RL_ACQUIRE_NEXT_CLAIM : RL_ACQUIRE_NEXT_TRY;
}

/* The try was answered with an error, or could not be sent. After an error of the server a try of
 * all members decides, at once or after the probe that is under way. Any other failure ends the
 * call. */
static bool fail_in_queue(rl_acquire *acquire, const rl_error *err, const rl_tick *tick)
{
	rl_quorum_call *call = &acquire->op.call;
	if (err->status == RL_ERR_SERVER) {
		rl_acquire_next next = next_after_place(acquire);
		acquire->losses++;
		leave_queue(acquire, tick);
		if (acquire->losses >= SPURIOUS_MAX) {
			fall_back(acquire, tick);
		}
		acquire->next = next;
		if (is_paused(acquire)) {
			pause_for(acquire, tick, 0);
		}
		return false;
	}
	rl_quorum_call_settle(call, RL_UNDO_NOTHING, tick->now); /* of a probe */
	rl_settlement settlement = rl_queue_leave(&acquire->queue, true, tick->now);
	rl_quorum_call_note_failure(call, acquire->queue.member, err);
	rl_op_fail(&acquire->op, fate(acquire, &settlement));
	return finish(acquire, tick, acquire->op.status);
}

/* After a delay the waiter takes a new place. If the server may have run the lost try, another try
 * finds that out first: giving up a place would only write an undo, which a server that blocks the
 * connection never runs, and the key would keep what the lost try took. */
static bool on_queue_lost(rl_acquire *acquire, const rl_error *err, const rl_tick *tick)
{
	if (acquire->queue.place->errand.doubt == RL_DOUBT_UNKNOWN) {
		acquire->is_maybe_ours = true;
		acquire->next = next_after_place(acquire);
	}
	if (err->status == RL_ERR_MEMORY) {
		return fail_in_queue(acquire, err, tick);
	}
	acquire->losses++;
	if (acquire->losses >= SPURIOUS_MAX) {
		fall_back(acquire, tick);
	}
	if (is_paused(acquire)) {
		hurry(acquire, tick, failure_delay(acquire));
	}
	return false;
}

static bool on_queue_event(
	rl_acquire *acquire, rl_queue_event event, const rl_error *err, const rl_tick *tick)
{
	if (event != RL_QUEUE_NOTHING && rl_queue_has_ticket(&acquire->queue)) {
		rl_stats_add(&stats_of(acquire)->wake_ups, 1);
		acquire->attempts++;
	}
	switch (event) {
		case RL_QUEUE_NOTHING:
			break;
		case RL_QUEUE_WON:
			on_queue_won(acquire, tick);
			break;
		case RL_QUEUE_REFUSED:
			return on_queue_refused(acquire, tick);
		case RL_QUEUE_USELESS:
			fall_back(acquire, tick);
			if (is_paused(acquire)) {
				hurry(acquire, tick, backoff_delay(acquire));
			}
			break;
		case RL_QUEUE_FAILED:
			return fail_in_queue(acquire, err, tick);
		case RL_QUEUE_LOST:
			return on_queue_lost(acquire, err, tick);
	}
	return false;
}

/* Reads the connection of the place. */
static bool step_queue(rl_acquire *acquire, const rl_tick *tick)
{
	rl_queue_event event;
	do {
		rl_error err;
		event = rl_queue_step(&acquire->queue, tick, &err);
		if (on_queue_event(acquire, event, &err, tick)) {
			return true;
		}
	} while (event != RL_QUEUE_NOTHING);
	return false;
}

/* ---- the win, and the caller's token ---- */

static unsigned members_with(const rl_quorum_call *call, rl_vote vote)
{
	unsigned members = 0;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		members |= (unsigned) (call->members[i].vote == vote) << i;
	}
	return members;
}

/* Call when the lock is won, with proof since then. If a drawn token has won, the caller's token
 * replaces it first. */
static bool win(rl_acquire *acquire, int64_t since, const rl_tick *tick)
{
	rl_quorum_call *call = &acquire->op.call;
	if (acquire->own.data == NULL) {
		return finish(acquire, tick, RL_OK);
	}
	rl_queue_leave(&acquire->queue, has_place_at_old_primary(acquire), tick->now);
	acquire->won_since = since;
	acquire->won_on = members_with(call, RL_VOTE_GRANTED);
	acquire->drawn_on = acquire->won_on | rl_quorum_call_strays(call);
	acquire->phase = RL_ACQUIRE_SWAPPING;
	call->terms.is_own_token = true;
	call->terms.request.fresh = acquire->own;
	call->terms.request.verb = RL_VERB_SWAP;
	rl_quorum_call_begin(call, RL_WANTED_DECISION, tick->now, latest_end(acquire));
	return false;
}

/* The caller's token has replaced the drawn one on a quorum. Where it was not or perhaps not sent,
 * the drawn one is released. */
static bool on_swapped(rl_acquire *acquire, const rl_tick *tick)
{
	rl_quorum_call *call = &acquire->op.call;
	int64_t since =
		rl_quorum_call_has_swapped(call) ? rl_quorum_call_sent_at(call) : acquire->won_since;
	bool is_good = prove(acquire, since, tick);
	unsigned unswapped =
		acquire->drawn_on & (rl_quorum_call_unasked(call) | members_with(call, RL_VOTE_FAILED));
	rl_settlement settlement =
		rl_quorum_call_settle(call, is_good ? RL_UNDO_NOTHING : RL_UNDO_ALL, tick->now);
	if (!is_good) {
		return on_too_slow(acquire, since, false, &settlement, tick);
	}
	use_token(acquire, false);
	rl_quorum_call_undo_on(call, unswapped, tick->now);
	use_token(acquire, true);
	return finish(acquire, tick, RL_OK);
}

/* The caller's token could not replace the drawn one, whose grant is undone. The wait goes on if
 * no member can hold the caller's token. */
static bool on_not_swapped(rl_acquire *acquire, rl_vote outcome, const rl_tick *tick)
{
	rl_quorum_call *call = &acquire->op.call;
	bool may_pass = outcome == RL_VOTE_REFUSED || rl_quorum_call_may_pass(call);
	bool was_set = rl_quorum_call_count(call, RL_VOTE_GRANTED) > 0;
	bool may_retry = may_pass && !ends_by_failure(acquire, tick->now);
	rl_settlement settlement =
		rl_quorum_call_settle(call, may_retry ? RL_UNDO_BUT_REFUSALS : RL_UNDO_ALL, tick->now);
	settlement.doubt = was_set ? RL_DOUBT_UNKNOWN : settlement.doubt;
	bool is_unknown = settlement.doubt == RL_DOUBT_UNKNOWN;
	use_token(acquire, false);
	bool is_gone = settlement.was_undone || outcome == RL_VOTE_REFUSED;
	bool has_token = is_gone ? replace_token(acquire, tick) : true;
	acquire->is_maybe_ours = !is_gone;
	if (!is_gone && !may_retry) { /* on other connections than those of the swap */
		rl_quorum_call_hold(call, true, tick->now);
		rl_settlement undone = rl_quorum_call_settle(call, RL_UNDO_ALL, tick->now);
		settlement.doubt = rl_doubt_add(settlement.doubt, undone.doubt);
		acquire->is_maybe_ours = !undone.was_undone;
	}
	if (outcome == RL_VOTE_FAILED) {
		rl_op_fail(&acquire->op, fate(acquire, &settlement));
	} else if (is_unknown) {
		rl_op_fail_with(&acquire->op, RL_ERR_UNKNOWN,
			"the lock was granted, but was lost before your token could be set%s",
			fate(acquire, &settlement));
	} else {
		acquire->op.status = RL_BUSY;
	}
	return retry_or_finish(acquire, tick, acquire->op.status, may_pass && has_token && !is_unknown);
}

/* ---- stepping ---- */

/* An outage begins with the first call that too few members for a quorum have answered. */
static void note_outage(rl_acquire *acquire)
{
	const rl_quorum_call *call = &acquire->op.call;
	unsigned count = call->terms.set->count;
	unsigned failed = rl_quorum_call_count(call, RL_VOTE_FAILED);
	if (failed <= count - rl_quorum(count)) {
		acquire->outage_end = RL_NEVER;
	} else if (acquire->outage_end == RL_NEVER) {
		acquire->outage_end = rl_time_later(call->terms.begun_at, call->terms.set->outage_wait_ns);
	}
}

/* The quorum call has an outcome. */
static bool on_outcome(rl_acquire *acquire, rl_vote outcome, const rl_tick *tick)
{
	bool is_granted = outcome == RL_VOTE_GRANTED;
	note_outage(acquire);
	switch (acquire->phase) {
		case RL_ACQUIRE_PROBING:
			if (!is_granted) {
				return on_probe_failed(acquire, tick);
			}
			return on_probe_answered(acquire, tick);
		case RL_ACQUIRE_SWAPPING:
			return is_granted ? on_swapped(acquire, tick) : on_not_swapped(acquire, outcome, tick);
		case RL_ACQUIRE_TRYING:
		case RL_ACQUIRE_PAUSED:
		case RL_ACQUIRE_DONE:
			break;
	}
	if (is_granted) {
		return on_granted(acquire, tick);
	}
	return outcome == RL_VOTE_REFUSED ? on_refused(acquire, tick) : on_failed(acquire, tick);
}

/* The first command has not won the lock, and the call goes on. */
static void count_waiting(rl_acquire *acquire)
{
	if (acquire->gauge == NULL) {
		acquire->gauge = &stats_of(acquire)->waiting;
		rl_stats_add(acquire->gauge, 1);
	}
}

/* Steps the quorum call. True = the phase has changed. */
static bool step_call(rl_acquire *acquire, const rl_tick *tick, rl_wait *wait, bool *is_done)
{
	rl_quorum_call *call = &acquire->op.call;
	if (acquire->phase == RL_ACQUIRE_PROBING && tick->now >= acquire->deadline) {
		/* The probe is cut short, because the try at the deadline decides. */
		rl_quorum_call_settle(call, RL_UNDO_NOTHING, tick->now);
		begin_try(acquire, tick);
		return true;
	}
	rl_vote outcome = rl_quorum_call_step(call, tick, wait);
	*is_done = outcome != RL_VOTE_OPEN && on_outcome(acquire, outcome, tick);
	if (outcome != RL_VOTE_OPEN && !*is_done) {
		count_waiting(acquire);
	}
	return outcome != RL_VOTE_OPEN;
}

/* A grant may be under way on ordinary connections. */
static bool is_trying(const rl_acquire *acquire)
{
	return acquire->phase == RL_ACQUIRE_TRYING || acquire->phase == RL_ACQUIRE_SWAPPING;
}

/* True = there may be more to do at once. */
static bool turn(rl_acquire *acquire, const rl_tick *tick, rl_wait *wait, bool *is_done)
{
	bool was_trying = is_trying(acquire);
	if (!was_trying && step_queue(acquire, tick)) {
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
			/* The name of a server that has failed may have moved, although the place in the queue
			 * there looks alive. */
			wait->wants_names = acquire->failures > 0;
			break;
		case RL_ACQUIRE_TRYING:
		case RL_ACQUIRE_SWAPPING:
		case RL_ACQUIRE_PROBING:
			if (step_call(acquire, tick, wait, is_done)) {
				return !*is_done;
			}
			rl_wait_until(wait, was_trying ? RL_NEVER : acquire->deadline);
			break;
		case RL_ACQUIRE_DONE:
			*is_done = true;
			return false;
	}
	if (!was_trying) {
		rl_queue_add_to_wait(&acquire->queue, wait);
	}
	return false;
}

static bool step(rl_op *op, const rl_tick *tick, rl_wait *wait)
{
	rl_acquire *acquire = (rl_acquire *) op;
	if (!op->is_begun) {
		begin(acquire, tick->now);
	}
	bool is_done = false;
	bool goes_on = true;
	while (goes_on && !is_done) {
		if (op->status == RL_ERR_RANDOM) {
			rl_quorum_call_settle(&op->call, RL_UNDO_ALL, tick->now);
			rl_op_fail_with(op, RL_ERR_RANDOM, "the system returned no random bytes for a token");
			return finish(acquire, tick, RL_ERR_RANDOM);
		}
		goes_on = turn(acquire, tick, wait, &is_done);
	}
	return is_done;
}

/* ---- the end ---- */

/* The wait is over: the gauge of waits does not count it any more. */
static void count_no_longer(rl_acquire *acquire)
{
	if (acquire->gauge != NULL) {
		rl_gauge_drop(acquire->gauge);
		acquire->gauge = NULL;
	}
}

/* The place is at an old primary: the lock that was won is at the new one, and what the try of the
 * place may have taken is not a part of it. A node that becomes a replica closes its connections,
 * so no undo arrives at it when it is the primary again. */
static bool has_place_at_old_primary(const rl_acquire *acquire)
{
	const rl_queue *queue = &acquire->queue;
	const rl_quorum_call *call = &acquire->op.call;
	const rl_errand *place = queue->place != NULL ? &queue->place->errand : NULL;
	const rl_route *route = call->terms.set->members[queue->member].route;
	const rl_target *node = call->members[queue->member].node;
	return place != NULL && place->node != NULL && node != NULL && route != NULL &&
		route->kind == RL_ROUTE_SENTINEL && !rl_target_equal(place->node, node);
}

/* Ends the call. @return true */
static bool finish(rl_acquire *acquire, const rl_tick *tick, rl_status status)
{
	rl_stats *stats = stats_of(acquire);
	rl_queue_leave(
		&acquire->queue, status != RL_OK || has_place_at_old_primary(acquire), tick->now);
	unmark(acquire, tick->now);
	acquire->op.status = status;
	acquire->phase = RL_ACQUIRE_DONE;
	acquire->waited_ns = tick->now - acquire->started_at;
	count_no_longer(acquire);
	if (rl_acquire_is_waiting(acquire)) {
		rl_histogram_add(&stats->wait_time, acquire->waited_ns);
	}
	if (status == RL_OK) {
		rl_stats_add(&stats->acquired, 1);
	} else if (acquire->met_done) {
		rl_stats_add(&stats->already_done, 1);
	} else if (status != RL_BUSY) {
		rl_stats_add(&stats->failed, 1);
	} else {
		rl_stats_add(rl_acquire_is_waiting(acquire) ? &stats->timed_out : &stats->refused, 1);
	}
	return true;
}

bool rl_acquire_leaves(const rl_acquire *acquire, rl_late_grant *grant)
{
	if (acquire->op.status != RL_OK || acquire->unasked == 0) {
		return false;
	}
	const rl_quorum_call *call = &acquire->op.call;
	*grant = (rl_late_grant){.set = call->terms.set,
		.key = call->terms.request.key,
		.token = acquire->token,
		.members = acquire->unasked,
		.ttl_ns = acquire->ttl_ns,
		.proven_until = acquire->proven_until};
	return true;
}

static void abandon(rl_op *op, int64_t now)
{
	rl_acquire *acquire = (rl_acquire *) op;
	rl_quorum_call *call = &op->call;
	acquire->unasked = 0;
	rl_settlement left = rl_queue_leave(&acquire->queue, true, now);
	acquire->is_maybe_ours = acquire->is_maybe_ours || left.doubt == RL_DOUBT_UNKNOWN;
	if (acquire->phase == RL_ACQUIRE_PAUSED || acquire->phase == RL_ACQUIRE_PROBING) {
		rl_quorum_call_settle(call, RL_UNDO_NOTHING, now); /* of a probe */
		if (acquire->is_maybe_ours) {
			rl_quorum_call_hold(call, true, now);
		}
	}
	rl_quorum_call_settle(call, RL_UNDO_ALL, now);
	unmark(acquire, now);
	count_no_longer(acquire);
}

bool rl_acquire_may_stop(const rl_acquire *acquire)
{
	return rl_acquire_is_waiting(acquire) && acquire->attempts > 0 && !is_trying(acquire) &&
		acquire->phase != RL_ACQUIRE_DONE;
}

void rl_acquire_stop(rl_acquire *acquire, int64_t now)
{
	abandon(&acquire->op, now);
	finish(acquire, &(rl_tick){.now = now, .seen = now}, RL_BUSY);
}

static void drop(rl_op *op)
{
	rl_acquire *acquire = (rl_acquire *) op;
	acquire->unasked = 0;
	rl_queue_drop(&acquire->queue);
}

static void clear(rl_op *op)
{
	rl_acquire *acquire = (rl_acquire *) op;
	rl_target_unref(acquire->sample.node);
	rl_queue_clear(&acquire->queue);
}

/* What the acquire has, or may still be granted. Another holder may have the caller's token that is
 * swapped in, so it is released only where it may have replaced the one that has won. */
static bool may_hold(const rl_op *op, int64_t now, rl_late_release *late)
{
	const rl_acquire *acquire = (const rl_acquire *) op;
	const rl_quorum_call *call = &op->call;
	bool is_swapping = acquire->phase == RL_ACQUIRE_SWAPPING;
	unsigned all = rl_late_all(call->terms.set);
	if (acquire->own.data != NULL && call->terms.is_own_token && !is_swapping) {
		return false;
	}
	*late = (rl_late_release){.set = call->terms.set,
		.key = op->lock,
		.permits = call->terms.request.permits,
		.token = call->terms.request.token,
		.waiter = acquire->marked != 0 ? call->terms.request.waiter : rl_bytes_of(NULL, 0),
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

/* ---- the holder, for messages ---- */

const char *rl_acquire_holder_text(const rl_acquire *acquire, char room[RL_HOLDER_TEXT])
{
	const rl_label *label = &acquire->seen.label;
	room[0] = '\0';
	if (label->len > 0) {
		snprintf(room, RL_HOLDER_TEXT, "held by %.*s", (int) label->len, label->text);
	} else if (acquire->seen.holder == RL_HOLDER_DONE) {
		snprintf(room, RL_HOLDER_TEXT, "marked as work that is done");
	} else if (acquire->seen.holder != RL_HOLDER_NOBODY) {
		snprintf(room, RL_HOLDER_TEXT, "held by a client without a label");
	}
	return room;
}

const char *rl_acquire_held_text(const rl_acquire *acquire, int64_t now, char room[RL_HOLDER_TEXT])
{
	char time[RL_SECONDS_TEXT];
	rl_acquire_holder_text(acquire, room);
	size_t len = strlen(room);
	if (len == 0) {
		return room;
	}
	if (acquire->seen.pttl_ms < 0) {
		snprintf(room + len, RL_HOLDER_TEXT - len, ", without a TTL");
		return room;
	}
	int64_t pttl_ms = rl_time_earlier(acquire->seen.pttl_ms, PTTL_SHOWN_MAX);
	int64_t left = pttl_ms * RL_NS_PER_MS - (now - acquire->seen.at);
	int64_t unit = left >= RL_NS_PER_SECOND ? TENTH_NS : RL_NS_PER_MS;
	left = left > 0 ? (left + unit - 1) / unit * unit : 0;
	snprintf(room + len, RL_HOLDER_TEXT - len, " for up to %s s more", rl_seconds_text(left, time));
	return room;
}
