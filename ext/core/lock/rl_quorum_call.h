/* SPDX-License-Identifier: MIT
 *
 * A quorum call: one command to every member of a set, within one budget of time, until the outcome
 * is known.
 *
 * DESIGN
 *
 *     rl_quorum_call   the command, and the outcome so far
 *       members[]      an errand each: node, connection, state, vote and answer
 *       order[]        in which order the members are asked (rl_order.h)
 *
 * Each member has an errand (rl_errand.c), which takes a connection from the pool or dials
 * one, sends the command, and waits for the answer. The vote ends the errand.
 *
 * Several members are asked at once, and the call ends as soon as the outcome is known. A member
 * that has not answered by then is not waited for: its connection goes back to the pool as it is,
 * connecting or with a pending reply, and commands that were not sent are retracted. If a command
 * should reach every member (a release), members that were dialled just now get a short time to
 * connect. A member that is backed off (rl_pool.h) is asked only if the others cannot decide, or
 * take long.
 *
 * A swap without a quorum is undone, too. If the fresh token was drawn (resume), the undo swaps
 * back, so that the given token remains valid. If it is the caller's, the undo releases it on the
 * members that have answered that this swap has set it, and the drawn token on those that have not
 * answered.
 *
 * A caller's token may be used again after it was released or undone, in this call or another one.
 * So a swap to it waits while it could overtake an undo or a release of the same token, which may
 * still be read on another connection. A SET or try of it is not even begun then (rl_acquire.c).
 *
 * Between two steps of a call that is not settled:
 * - The outcome is that of the votes (of OWNER: of the owners that they name).
 * - extra_end is set when the outcome is known, and only then.
 * - While the outcome is open, at least one member is asked that is not backed off.
 *
 * Ownership: a quorum call belongs to one operation (rl_op.h), and thereby to one thread. Its
 * errands have connections only between begin and settle. Then the pool has the connections,
 * or they are closed. Settling writes the undo after the unanswered command on the same connection,
 * so the undo can never overtake the command.
 */
#ifndef RL_QUORUM_CALL_H
#define RL_QUORUM_CALL_H

#include "core/conn/rl_errand.h"
#include "core/lease/rl_loss.h"
#include "core/lease/rl_renewal.h"

/* Which answers a quorum call waits for once the outcome is known. */
typedef enum rl_wanted {
	RL_WANTED_DECISION, /* none */
	RL_WANTED_SOON,     /* answers within the extra time */
	RL_WANTED_ALL,
} rl_wanted;

typedef struct rl_quorum_call {
	rl_errand_terms terms; /* the command, and what it needs */
	rl_errand *members;    /* an errand for each member; in the operation's block */
	unsigned char *order;  /* of rl_order(); in the block */
	rl_wanted wanted;
	/* A key of another type is a refusal: whoever has it, it is no lock of ours. */
	bool refuses_types;
	rl_vote outcome;   /* OPEN = not known yet */
	int64_t extra_end; /* set once the outcome is known */
} rl_quorum_call;

static inline unsigned rl_quorum_call_index(const rl_quorum_call *call, const rl_errand *member)
{
	return (unsigned) (member - call->members);
}

/* Starts over, with all errands open. Nothing is sent before the first step.
 * @param latest no budget goes beyond this plus one timeout; RL_NEVER = no such limit */
void rl_quorum_call_begin(rl_quorum_call *call, rl_wanted wanted, int64_t now, int64_t latest);

/* Call after rl_quorum_call_begin(), if a member has granted the lock already on this connection:
 * gives the connection to its errand.
 * @param is_asking commands on it need ASKING */
void rl_quorum_call_adopt(rl_quorum_call *call, unsigned index, rl_conn *conn, bool is_asking,
	int64_t sent_at, unsigned permit);

/* Continues as far as possible without waiting.
 * @return the outcome; RL_VOTE_OPEN = not over yet, and *wait has what the call waits for */
rl_vote rl_quorum_call_step(rl_quorum_call *call, const rl_tick *tick, rl_wait *wait);

/* ---- what the answers mean together ---- */

/* The number of members with this vote. */
unsigned rl_quorum_call_count(const rl_quorum_call *call, rl_vote vote);

/* The first errand with this vote; the first of all when there is none. */
const rl_errand *rl_quorum_call_speaker(const rl_quorum_call *call, rl_vote outcome);

/* When the command was sent to the first of the members that have granted. */
int64_t rl_quorum_call_sent_at(const rl_quorum_call *call);

/* SWAP that was granted: a quorum has answered that this very command has set the new token. False
 * = the proof does not begin anew. */
bool rl_quorum_call_has_swapped(const rl_quorum_call *call);

/* Before settling: a bit for each member to which the command was not sent, because its connection
 * is still being made, or its node is not known yet. Not a member that has failed, or is backed
 * off. */
unsigned rl_quorum_call_unasked(const rl_quorum_call *call);

/* True when each failure may pass by itself: failed connections, and errors such as LOADING. */
bool rl_quorum_call_may_pass(const rl_quorum_call *call);

/* OWNER, INSPECT: a member that names the same holder as most members. After an OWNER that was
 * granted these are a quorum. */
const rl_errand *rl_quorum_call_owner(const rl_quorum_call *call);

/* The same members are a quorum. */
bool rl_quorum_call_has_owner(const rl_quorum_call *call);

/* REMAINING or INSPECT that was granted: the ms for which a quorum has the lock; -1 = without
 * end. */
int64_t rl_quorum_call_remaining(const rl_quorum_call *call);

/* FENCE that was granted: the greatest number of the members that have granted.
 * @param[out] holders how many of them have it */
int64_t rl_quorum_call_greatest(const rl_quorum_call *call, unsigned *holders);

/* What INSPECT has found. */
typedef struct rl_lock_state {
	/* Where a majority of the members is locked, but not by the same holder, there is none. */
	rl_holder holder;
	rl_label label;  /* of the holder; none = it has none */
	int64_t left_ms; /* until the lock ends; less than 0 = it has no TTL */
	/* How many clients wait. A waiter marks every member that it reaches, so the member with the
	 * most marks counts. */
	int64_t waiters;
	/* When the token of the holder was drawn, in seconds since 1970; 0 = unknown. */
	int64_t since;
	/* Owned. The labels of waiters at that member, separated by spaces; no data = there are none.
	 * The server chose them, so each must be checked. */
	char *waiting;
	size_t waiting_len;
} rl_lock_state;

/* INSPECT that was granted. The caller frees the labels of waiters: if there is no memory for them,
 * the state has none. */
rl_lock_state rl_quorum_call_state(const rl_quorum_call *call);

/* The outcome of the votes as they are now. */
rl_vote rl_quorum_call_tally(const rl_quorum_call *call);

/* RELEASE that failed, so that its refusals do not rule out that a quorum had the lock. True =
 * ownership was proven when it was sent, and some members have freed the lock: it is free. */
bool rl_quorum_call_has_released(const rl_quorum_call *call);

/* EXTEND or FENCE that was refused, or OWNER that does not name the token: what has become of the
 * lock. */
rl_loss rl_quorum_call_loss(const rl_quorum_call *call, rl_bytes token);

/* EXTEND or FENCE that was refused: true = the refusals are too few without those of members that
 * have granted the lease to the watchdog by a command which was sent after their refusal was heard.
 * A member that had lost the lock has it again, so the refusals prove no loss, and the command is
 * sent again. Call while the renewal cannot change.
 * @param renewal NULL = the lease is not renewed */
bool rl_quorum_call_is_overruled(const rl_quorum_call *call, const rl_renewal *renewal);

/* ---- settling ---- */

/* Ends the quorum call at any moment: writes undos if asked, and gives the connections back. */
rl_settlement rl_quorum_call_settle(rl_quorum_call *call, rl_undo undo, int64_t now);

/* Settles in a forked child: closes the connections, which are the parent's, and sends nothing. */
void rl_quorum_call_drop(rl_quorum_call *call);

/* ---- after the end ---- */

/* A bit for each member that may still carry out the command, or a second copy of it: its
 * connection broke after the command was sent, or its answer was not waited for. */
unsigned rl_quorum_call_strays(const rl_quorum_call *call);

/* There is such a member. */
bool rl_quorum_call_has_strays(const rl_quorum_call *call);

/* RELEASE: a bit for each member on which the release must be repeated; 0 when a
 * quorum has decided. */
unsigned rl_quorum_call_missing(const rl_quorum_call *call);

/* Notes a failure of the member outside of the quorum call, for the message. */
void rl_quorum_call_note_failure(rl_quorum_call *call, unsigned index, const rl_error *err);

/* Releases the token in use on these members, which have granted it to an earlier command of the
 * call, or may have, where they have an idle connection. */
void rl_quorum_call_undo_on(rl_quorum_call *call, unsigned members, int64_t now);

/* Takes idle connections to the members that have granted, or may have, so that
 * settling once more can undo the grant.
 * @param maybe_ours any member may hold the token through an earlier command */
void rl_quorum_call_hold(rl_quorum_call *call, bool maybe_ours, int64_t now);

#endif
