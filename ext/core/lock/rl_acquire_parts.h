/* SPDX-License-Identifier: MIT
 *
 * Shared by the rl_acquire_*.c files, and included by no other. rl_acquire_op.c has the design, the
 * constructor and the loop; rl_acquire_step.c the steps; rl_acquire_outcome.c the reactions to
 * answers; rl_acquire_token.c the token; rl_acquire_queue.c the use of the place in the queue;
 * rl_acquire_seen.c the holder.
 */
#ifndef RL_ACQUIRE_PARTS_H
#define RL_ACQUIRE_PARTS_H

#include "core/lock/rl_acquire.h"

/* After so many spurious wake-ups, or failures of the place, in a row the waiter leaves the queue
 * for a while. */
#define RL_ACQUIRE_SPURIOUS_MAX 3

/* The longest time between two probes of a waiter in the queue. Its mark is valid for longer. If
 * no ticket arrives, for example because a dead process holds the member of the place, two probes
 * and a try fit into the promised 1.1 s. */
#define RL_ACQUIRE_PROBE_NS (850 * RL_NS_PER_MS)

/* How long a mark is valid. */
#define RL_ACQUIRE_MARK_MS 2000

/* How long a waiter polls before it queues again. */
#define RL_ACQUIRE_REQUEUE_NS RL_NS_PER_SECOND

/* The probes at the end of a TTL are spread over this time per waiter, up to the maximum. */
#define RL_ACQUIRE_SPREAD_NS (RL_NS_PER_MS / 20)
#define RL_ACQUIRE_SPREAD_MOST_NS (500 * RL_NS_PER_MS)

/* The delay of the next probe while a quorum may be free; doubled each time. */
#define RL_ACQUIRE_FREE_PROBE_NS (20 * RL_NS_PER_MS)

static inline rl_quorum_call *rl_acquire_call(rl_acquire *acquire)
{
	return &acquire->op.call;
}

static inline rl_stats *rl_acquire_stats(rl_acquire *acquire)
{
	return rl_env_stats(acquire->op.call.env);
}

/* The argument `latest` of rl_quorum_call_begin(). */
static inline int64_t rl_acquire_latest(const rl_acquire *acquire)
{
	return rl_acquire_is_waiting(acquire) ? acquire->deadline : RL_NEVER;
}

/* "True = the call is done" means that the step returns true. */

/* ---- rl_acquire_step.c ---- */

/* The next try is the last, or the latest one was: the deadline has come, or all `retries` are
 * used. Without a wait the deadline is the start. */
bool rl_acquire_is_last_try(const rl_acquire *acquire, int64_t now);

/* A failure ends the call now: it is that of the last try, or the outage has lasted for as long as
 * the set allows. */
bool rl_acquire_ends_by_failure(const rl_acquire *acquire, int64_t now);

/* Begins a quorum call with SET, a try or a probe. */
void rl_acquire_begin_call(rl_acquire *acquire, rl_verb verb, rl_place place, const rl_tick *tick);

/* Call when the place has won on its member, whose connection this is. Asks the other members, if
 * there are any. */
void rl_acquire_go_for_quorum(
	rl_acquire *acquire, rl_conn *conn, int64_t won_since, const rl_tick *tick);

/* Sends nothing on ordinary connections for this long. 0 = what follows is sent at once, and does
 * not count against `retries`. */
void rl_acquire_pause(rl_acquire *acquire, const rl_tick *tick, int64_t delay);

/* The next back-off delay: while another client holds the lock, and after a failure. */
int64_t rl_acquire_backoff(rl_acquire *acquire);
int64_t rl_acquire_failure_delay(rl_acquire *acquire);

/* The wait is over: the gauge of waits does not count it any more. */
void rl_acquire_count_no_longer(rl_acquire *acquire);

/* Ends the call. @return true = the call is done */
bool rl_acquire_finish(rl_acquire *acquire, const rl_tick *tick, rl_status status);

/* Tries again later if the wait allows that, or ends the call with the status. True = the call is
 * done. */
bool rl_acquire_retry_or_finish(
	rl_acquire *acquire, const rl_tick *tick, rl_status status, bool may_go_on);

/* Sets proven_until. False = the TTL is used up. */
bool rl_acquire_is_of_use(rl_acquire *acquire, int64_t held_since, const rl_tick *tick);

/* Call after settling a grant whose proof is used up. True = the call is done. */
bool rl_acquire_on_too_slow(rl_acquire *acquire, int64_t held_since, bool has_token,
	const rl_settlement *settlement, const rl_tick *tick);

/* ---- rl_acquire_token.c ---- */

/* Draw a token, and a name for the mark. False = the system returned no random bytes: op.status is
 * set, and step() ends the call. */
bool rl_acquire_draw_token(rl_acquire *acquire);
bool rl_acquire_draw_name(rl_acquire *acquire);

/* The next commands send the caller's token, or the drawn one. */
void rl_acquire_use_token(rl_acquire *acquire, bool is_own);

/* Removes our mark on the members with an idle connection. Other marks become void within two
 * seconds. Call it after the quorum call was settled: if a probe or a try is unanswered, the
 * removal follows it on the same connection, which the pool prefers. */
void rl_acquire_unmark(rl_acquire *acquire, int64_t now);

/* Gives up the place in the queue. The server may still run its try, which removes the mark with
 * the name of the place. So a wait that goes on draws another name. */
rl_settlement rl_acquire_give_up_place(rl_acquire *acquire, int64_t now);

/* Call after an undo was written for the token: draws another one, and gives up the place in the
 * queue, which has the old one.
 * @return false = there is no other token */
bool rl_acquire_replace_token(rl_acquire *acquire, const rl_tick *tick);

/* Ends the quorum call, and notes what that means for the token. False = no token is left to try
 * with. */
bool rl_acquire_settle(
	rl_acquire *acquire, rl_undo undo, const rl_tick *tick, rl_settlement *settlement);

/* Call when the lock is won, with proof since then. True = the call is done. False = the caller's
 * token replaces the drawn one first. */
bool rl_acquire_win(rl_acquire *acquire, int64_t since, const rl_tick *tick);

/* The end of a message: what has become of the token. */
const char *rl_acquire_fate(const rl_acquire *acquire, const rl_settlement *settlement);

/* ---- rl_acquire_seen.c ---- */

/* Notes the holder that the member has named in its answer to a refused try or to a probe. */
void rl_acquire_note_holder(rl_acquire *acquire, const rl_member_call *member);

/* ---- rl_acquire_outcome.c: true = the call is done ---- */

bool rl_acquire_on_tried(rl_acquire *acquire, rl_vote outcome, const rl_tick *tick);
bool rl_acquire_on_probed(rl_acquire *acquire, rl_vote outcome, const rl_tick *tick);
bool rl_acquire_on_swapped(rl_acquire *acquire, rl_vote outcome, const rl_tick *tick);

/* ---- rl_acquire_queue.c ---- */

/* Takes a place in the queue, unless the waiter has one, polls, or was woken in vain too often. */
void rl_acquire_enter_queue(rl_acquire *acquire, const rl_tick *tick);

/* Whether a quorum of members is free. */
typedef enum rl_quorum_free {
	RL_QUORUM_HELD,
	RL_QUORUM_MAY_BE_FREE, /* if unheard members are free */
	RL_QUORUM_FREE,
} rl_quorum_free;

/* What a probe of all members has shown. */
typedef struct rl_probe_result {
	const rl_member_call *member; /* where the waiter should queue */
	unsigned index;               /* of this member */
	/* The time until a quorum may be free, in ms; -1 = unknown, or a quorum is free now. */
	int64_t soonest_pttl;
	int64_t reach; /* the longest round trip */
	rl_quorum_free free;
} rl_probe_result;

/* Reads the answers to a probe. False = no member allows queueing; probe->member is then one that
 * has answered. */
bool rl_acquire_read_probe(rl_acquire *acquire, rl_probe_result *probe);

/* Call when the waiter should queue at this member. Gives up a place at another member, unless that
 * member has left only one probe unanswered. */
void rl_acquire_move_queue(rl_acquire *acquire, unsigned index, const rl_tick *tick);

/* Gives up the place, and the token in use if an undo was written for it. */
void rl_acquire_leave_queue(rl_acquire *acquire, const rl_tick *tick);

/* Gives up the place and polls for a while, because waking is not possible or the place failed too
 * often. */
void rl_acquire_fall_back(rl_acquire *acquire, const rl_tick *tick);

/* The delay until the next probe, by the holder and the PTTL that were reported last. */
int64_t rl_acquire_probe_delay(rl_acquire *acquire, rl_holder holder, int64_t pttl);

/* Reads the connection of the place. True = the call is done. */
bool rl_acquire_step_queue(rl_acquire *acquire, const rl_tick *tick);

#endif
