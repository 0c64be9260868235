/* SPDX-License-Identifier: MIT
 *
 * A member call: one member's part in a quorum call. Only the rl_quorum_*.c files include this
 * header. The design is in rl_member_call.c, and the struct in rl_call.h.
 */
#ifndef RL_MEMBER_CALL_H
#define RL_MEMBER_CALL_H

#include "core/lock/rl_call.h"

/* Starts over. For latest see rl_quorum_call_begin(). */
void rl_member_call_begin(rl_member_call *member, int64_t now, int64_t latest);

/* Call after rl_member_call_begin(), if the member has granted the lock already on this connection,
 * which the member call owns from now on.
 * @param is_asking commands on it need ASKING */
void rl_member_call_adopt(rl_member_call *member, rl_conn *conn, bool is_asking, int64_t sent_at);

/* From now on the member is asked although it is backed off. */
void rl_member_call_call_up(rl_member_call *member);

/* Continues as far as possible without waiting. */
void rl_member_call_step(rl_member_call *member, const rl_tick *tick);

/* Adds what the member call waits for, unless it is done. */
void rl_member_call_add_to_wait(const rl_member_call *member, rl_wait *wait);

/* A grant of this member may be undone. The grant of a caller's token is not undone once its TTL
 * may be over: the undo could free the lock of another holder with the same token. */
bool rl_member_call_may_take_back(const rl_member_call *member, int64_t now);

/* Releases the caller's token if the member has granted it. The member call then goes on until that
 * is answered. */
void rl_member_call_take_back(rl_member_call *member, const rl_tick *tick);

/* The command may have been carried out, and its answer may still come. */
bool rl_member_call_is_unanswered(const rl_member_call *member);

/* Ends the member call with this vote. */
void rl_member_call_finish(rl_member_call *member, rl_vote vote);

#endif
