/* SPDX-License-Identifier: MIT
 *
 * What the parts of an acquire share; no other file includes it. rl_acquire_op.c has the design,
 * the constructor and the loop, rl_acquire_step.c the steps, rl_acquire_outcome.c what follows from
 * answers, rl_acquire_token.c the token, and rl_acquire_queue.c what a wait does with its place in
 * the queue.
 */
#ifndef RL_ACQUIRE_PARTS_H
#define RL_ACQUIRE_PARTS_H

#include "core/lock/rl_acquire.h"

/* Woken for nothing, or thrown out of the queue, so often in a row: better to poll. */
#define RL_ACQUIRE_SPURIOUS_MAX 3

/* The longest time between two probes of a waiter that is in the queue. Its mark lasts for two
 * seconds. And should no ticket come, as when the member that wakes it is held by a dead process,
 * two probes and a try follow within the promised 1.1 s. */
#define RL_ACQUIRE_PROBE_NS (850 * RL_NS_PER_MS)

/* How long a waiter counts as alive without a look. */
#define RL_ACQUIRE_MARK_MS 2000

/* A poller goes into the queue again after this. */
#define RL_ACQUIRE_REQUEUE_NS RL_NS_PER_SECOND

/* The looks of many waiters at a lock that ends by its TTL are spread over so much time for each.
 */
#define RL_ACQUIRE_SPREAD_NS (RL_NS_PER_MS / 20)
#define RL_ACQUIRE_SPREAD_MOST_NS (500 * RL_NS_PER_MS)

/* A quorum may be free, but not the member at which we queue: when to look again, doubled each
 * time. */
#define RL_ACQUIRE_FREE_PROBE_NS (20 * RL_NS_PER_MS)

static inline rl_quorum_call *rl_acquire_call(rl_acquire *acquire)
{
	return &acquire->op.call;
}

static inline rl_stats *rl_acquire_stats(rl_acquire *acquire)
{
	return acquire->op.call.env->stats;
}

/* No budget of a quorum call goes beyond this plus one timeout. */
static inline int64_t rl_acquire_latest(const rl_acquire *acquire)
{
	return rl_acquire_is_waiting(acquire) ? acquire->deadline : RL_NEVER;
}

/* Functions that return bool for "the call is done" say so; the step then returns it. */

/* ---- rl_acquire_step.c ---- */

/* The next try is the last: the deadline has come, or all `retries` are used. */
bool rl_acquire_is_last_try(const rl_acquire *acquire, int64_t now);

/* Begins a quorum call with SET, a try or a probe. */
void rl_acquire_begin_call(rl_acquire *acquire, rl_verb verb, rl_place place, const rl_tick *tick);

/* The queue has won on its member, whose connection this is: asks the other members, if there are
 * any. */
void rl_acquire_go_for_quorum(
	rl_acquire *acquire, rl_conn *conn, int64_t won_since, const rl_tick *tick);

/* Nothing happens on the ordinary connection for so long; 0 = the call goes on at once, and not as
 * one of the `retries`. */
void rl_acquire_pause(rl_acquire *acquire, const rl_tick *tick, int64_t delay);

/* The next back-off delay: while another client holds the lock, and while servers fail. */
int64_t rl_acquire_backoff(rl_acquire *acquire);
int64_t rl_acquire_failure_delay(rl_acquire *acquire);

/* Ends the call. @return true = the call is done */
bool rl_acquire_finish(rl_acquire *acquire, const rl_tick *tick, rl_status status);

/* Tries again later, if the wait allows, else ends the call with the status. True = the call is
 * done. */
bool rl_acquire_retry_or_finish(
	rl_acquire *acquire, const rl_tick *tick, rl_status status, bool may_go_on);

/* Sets proven_until. False = the TTL is used up. */
bool rl_acquire_is_of_use(rl_acquire *acquire, int64_t held_since, const rl_tick *tick);

/* A grant that has used up its TTL was given back. True = the call is done. */
bool rl_acquire_on_too_slow(rl_acquire *acquire, int64_t held_since, bool has_token,
	const rl_settlement *settlement, const rl_tick *tick);

/* ---- rl_acquire_token.c ---- */

/* Draw a token, and a name for the mark. False = the system has no random bytes, which ends the
 * call. */
bool rl_acquire_draw_token(rl_acquire *acquire);
bool rl_acquire_draw_name(rl_acquire *acquire);

/* The next command has the caller's token, or the drawn one. */
void rl_acquire_use_token(rl_acquire *acquire, bool is_own);

/* Takes the name off the mark where there is an idle connection to do it on; else the mark is void
 * in two seconds. At the end of the wait not on a slow server, where the next call would have to
 * wait for it. */
void rl_acquire_unmark(rl_acquire *acquire, int64_t now);
void rl_acquire_unmark_at_end(rl_acquire *acquire, int64_t now);

/* Gives up the place in the queue. Its try may still be carried out, later, and take the mark away
 * that has its name: so each place has a name of its own, and a wait that goes on draws another
 * one. */
rl_settlement rl_acquire_give_up_place(rl_acquire *acquire, int64_t now);

/* Gives up the token that an undo was written for, and the place in the queue, which has the same
 * token.
 * @return false = there is no other token */
bool rl_acquire_replace_token(rl_acquire *acquire, const rl_tick *tick);

/* Ends the quorum call, and keeps what that means for the token. False = no token is left to try
 * with. */
bool rl_acquire_settle(
	rl_acquire *acquire, rl_undo undo, const rl_tick *tick, rl_settlement *settlement);

/* The lock is won, with proof from then on, and no more is heard of the queue. True = the call is
 * done; else the caller's token takes the place of the drawn one first. */
bool rl_acquire_win(rl_acquire *acquire, int64_t since, const rl_tick *tick);

/* What became of the token, for a message. */
const char *rl_acquire_fate(const rl_acquire *acquire, const rl_settlement *settlement);

/* ---- rl_acquire_outcome.c: true = the call is done ---- */

bool rl_acquire_on_tried(rl_acquire *acquire, rl_vote outcome, const rl_tick *tick);
bool rl_acquire_on_probed(rl_acquire *acquire, rl_vote outcome, const rl_tick *tick);
bool rl_acquire_on_swapped(rl_acquire *acquire, rl_vote outcome, const rl_tick *tick);

/* ---- rl_acquire_queue.c ---- */

/* Goes into the queue, unless it is there or that is of no use. */
void rl_acquire_enter_queue(rl_acquire *acquire, const rl_tick *tick);

/* Whether a quorum of members is free. */
typedef enum rl_quorum_free {
	RL_QUORUM_HELD,
	RL_QUORUM_MAY_BE_FREE, /* if those that did not answer are free */
	RL_QUORUM_FREE,
} rl_quorum_free;

/* What a look at the members has shown. */
typedef struct rl_probe_result {
	const rl_member_call *member; /* that of the member at which to queue */
	unsigned index;
	int64_t soonest_pttl; /* ms until a quorum may be free; -1 = unknown, or it is free now */
	int64_t reach;        /* the longest round trip to a member that has answered */
	rl_quorum_free free;
} rl_probe_result;

/* Reads the looks. False = there is no queue to be had; then member call is one that answered. */
bool rl_acquire_read_probe(rl_acquire *acquire, rl_probe_result *probe);

/* The place is to be on this member. One that we have on another is given up, unless that is only
 * late. */
void rl_acquire_move_queue(rl_acquire *acquire, unsigned index, const rl_tick *tick);

/* Gives the place up, and with it the token that the try behind the BLPOP has. */
void rl_acquire_leave_queue(rl_acquire *acquire, const rl_tick *tick);

/* Waits on as a poller, for a while: the server does not let waiters be woken, or something broke.
 */
void rl_acquire_fall_back(rl_acquire *acquire, const rl_tick *tick);

/* How long the next look may wait, by what the last one met. */
int64_t rl_acquire_probe_delay(rl_acquire *acquire, rl_holder holder, int64_t pttl);

/* Hears the queue. True = the call is done. */
bool rl_acquire_step_queue(rl_acquire *acquire, const rl_tick *tick);

#endif
