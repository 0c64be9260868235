/* SPDX-License-Identifier: MIT
 *
 * A quorum call: one command to every member of a set, within one budget of time, until the outcome
 * is known.
 *
 * DESIGN
 *
 * Each member has a member call (rl_member_call.h). It takes a connection from the pool or dials
 * one, sends, and waits for the answer. Its vote ends it:
 *
 *     START -> LOGIN -> ANSWER -> DONE
 *        ^       |        |
 *        +-- PAUSED <-----+  (the connection broke)
 *
 * LOGIN is only for commands that must not reach a wrong database. A command that takes a lock
 * travels with AUTH and SELECT in one write, and is undone (UNDOING) if they fail. The release of a
 * drawn token travels with them, too.
 *
 * The budget is one timeout, plus one connect timeout if the member call has to dial. A connection
 * that breaks within the budget is replaced and the command is sent again, at once and then with
 * back-off. A server that refuses the connection ends the member call, unless an earlier connection
 * took the command: then the outcome is in doubt, and only another answer can clear it. A
 * connection with nonsense on it also ends the member call.
 *
 * Several members are asked at once, and the call ends as soon as the outcome is known. A member
 * that has not answered by then is not waited for: its connection goes back to the pool as it is,
 * connecting or with a pending reply, and what was not sent is retracted. A command that should
 * reach every member (a release) gives members that were only just dialled a short time to connect.
 * A member that is backed off (rl_pool.h) is asked only if the others cannot decide, or take long.
 *
 * A server that answers READONLY or MASTERDOWN is the wrong one: the address has led to a replica,
 * or the primary has become one. Its connections are closed, the driver resolves the name again,
 * and the command, which did not run, is sent once more within the same budget. A connection that
 * was dialled just now, to an address that resolving cannot change, would only meet the same server
 * again: there the answer stands.
 *
 * In doubt (rl_doubt): a command was handed over whole, and its answer is lost. For a lock that we
 * tried to take, the next command is a TRY that says "maybe ours"; it finds our own token. A
 * caller's own token may be the token of another holder's lock, so there "it holds this token"
 * stays unknown.
 *
 * The first SET of a call sends the caller's own token, and so does the SWAP that puts it in the
 * place of a drawn token that has won. It must not meet the effect of an earlier command for it. So
 * a SET without a quorum waits for every member, releases the token where it was granted, and waits
 * for the answer to that as well (TAKING_BACK). A member that leaves one of these unanswered is
 * spent: the call does not ask it for the lock any more.
 *
 * A swap without a quorum is undone, too. To a fresh token of ours (resume) it is undone by
 * swapping back, so that the given token keeps its worth. To a caller's token it is undone by
 * releasing both tokens, the caller's only where the server said that this swap has set it.
 *
 * Ownership: member calls have connections only between begin and settle. Then the pool has them,
 * or they are closed. Undoing is part of settle: a compare-and-delete after the unanswered command
 * on the same connection can never overtake it.
 */
#ifndef RL_QUORUM_CALL_H
#define RL_QUORUM_CALL_H

#include "core/lease/rl_loss.h"
#include "core/lock/rl_call.h"

/* How long a member that was just dialled has to take a command that should reach every member, and
 * one whose answer is hoped for has to give it: as long again as the outcome took, but not less
 * than this. */
#define RL_QUORUM_CALL_GRACE_NS (25 * RL_NS_PER_MS)

/* How much longer the answer of the member is hoped for at which all who wait should queue. */
#define RL_QUORUM_CALL_FIRST_NS (200 * RL_NS_PER_MS)

/* Those in trouble are asked after this share of the timeout, if the others have not decided. */
#define RL_QUORUM_CALL_CALL_UP_SHARE 8

/* Starts over: all member calls open, and no answer wanted but those that decide. Nothing is sent
 * before the first step.
 * @param latest no budget goes beyond this plus one timeout; RL_NEVER = no such limit */
void rl_quorum_call_begin(rl_quorum_call *call, rl_wanted wanted, int64_t now, int64_t latest);

/* Goes on as far as it can without waiting.
 * @return the outcome; RL_VOTE_OPEN = not decided, and what it waits for was added to *wait */
rl_vote rl_quorum_call_step(rl_quorum_call *call, const rl_tick *tick, rl_wait *wait);

/* What became of the connections and grants. */
typedef struct rl_settlement {
	bool was_undone; /* an undo was written: this token must not be used again */
	rl_doubt doubt;  /* the greatest of all members; UNKNOWN = a member may hold this token */
} rl_settlement;

typedef enum rl_undo {
	RL_UNDO_NOTHING,
	RL_UNDO_ALL,          /* take back what members granted or may have granted */
	RL_UNDO_BUT_REFUSALS, /* the same, but not where the server would refuse an undo, too: the token
						   * will be tried again as owed */
} rl_undo;

/* Ends the quorum call at any moment: writes undos if asked, gives connections back or closes them.
 */
rl_settlement rl_quorum_call_settle(rl_quorum_call *call, rl_undo undo, int64_t now);

/* After the beginning: a member has granted already, on this connection, which becomes its member
 * call's. */
void rl_quorum_call_adopt(rl_quorum_call *call, unsigned index, rl_conn *conn, int64_t sent_at);

/* Notes the failure of a member that was not met in this quorum call, which is settled. */
void rl_quorum_call_note_failure(rl_quorum_call *call, unsigned index, const rl_error *err);

/* Takes the idle connections of the members that granted, or may have, again, after the end, so
 * that the grant can still be undone on them: by settling once more.
 * @param maybe_ours also where the token may be held through an earlier quorum call */
void rl_quorum_call_hold(rl_quorum_call *call, bool maybe_ours, int64_t now);

/* The same as settling, in a forked child: closes the connections, which are the parent's, and
 * sends nothing. */
void rl_quorum_call_drop(rl_quorum_call *call);

/* When the earliest of the granting members was asked. */
int64_t rl_quorum_call_sent_at(const rl_quorum_call *call);

/* After the end: a member may carry the command out, or carry it out once more, at any time: a
 * connection broke when it had taken it, or nobody waited for its answer. */
bool rl_quorum_call_has_strays(const rl_quorum_call *call);

/* The same, with a bit for each such member. */
unsigned rl_quorum_call_strays(const rl_quorum_call *call);

/* RELEASE, after the end: a bit for each member that has yet to carry it out; 0 when a quorum has
 * decided. */
unsigned rl_quorum_call_missing(const rl_quorum_call *call);

/* The member call that speaks for the outcome: the first with that vote. */
const rl_member_call *rl_quorum_call_speaker(const rl_quorum_call *call, rl_vote outcome);

/* OWNER that was granted: a member that speaks for the quorum with the same token. */
const rl_member_call *rl_quorum_call_owner(const rl_quorum_call *call);

/* REMAINING that was granted: for how many ms a quorum has it; -1 = without end. */
int64_t rl_quorum_call_remaining(const rl_quorum_call *call);

/* EXTEND that was refused, or OWNER that does not name the token: what has become of the lock. */
rl_loss rl_quorum_call_loss(const rl_quorum_call *call, rl_bytes token);

/* Members that voted so. */
unsigned rl_quorum_call_count(const rl_quorum_call *call, rl_vote vote);

/* Members that are spent. */
unsigned rl_quorum_call_spent(const rl_quorum_call *call);

/* SWAP: a quorum has set the new token by the very command that was answered. Else proof begins no
 * later than before. */
bool rl_quorum_call_has_swapped(const rl_quorum_call *call);

/* True when each failure may pass by itself: connections, and errors such as LOADING. */
bool rl_quorum_call_may_pass(const rl_quorum_call *call);

#endif
