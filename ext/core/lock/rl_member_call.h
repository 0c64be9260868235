/* SPDX-License-Identifier: MIT
 *
 * A member call: one member's part in a quorum call. For rl_quorum_call.c, which has the design in
 * its header; nothing else steps a member call.
 */
#ifndef RL_MEMBER_CALL_H
#define RL_MEMBER_CALL_H

#include "core/lock/rl_call.h"

/* Starts over. @param latest as for rl_quorum_call_begin() */
void rl_member_call_begin(rl_member_call *member, int64_t now, int64_t latest);

/* Goes on as far as it can without waiting. */
void rl_member_call_step(rl_member_call *member, const rl_tick *tick);

/* Adds what it waits for, unless it is done. */
void rl_member_call_add_to_wait(const rl_member_call *member, rl_wait *wait);

/* Its vote is known. */
void rl_member_call_finish(rl_member_call *member, rl_vote vote);

/* It has failed; err says why. */
void rl_member_call_fail(rl_member_call *member);

/* Sends the command, or sends it again in the form that the server wants. */
void rl_member_call_send(rl_member_call *member, const rl_tick *tick);

/* Writes as much as the system takes now. */
void rl_member_call_flush(rl_member_call *member, const rl_tick *tick);

/* A grant there may be undone. The grant of a token that others may have, too, is not undone when
 * it may have ended: the undo could meet theirs. */
bool rl_member_call_may_take_back(const rl_member_call *member, int64_t now);

/* Releases the caller's token where it was granted, and goes on until that is answered. */
void rl_member_call_take_back(rl_member_call *member, const rl_tick *tick);

/* The command may have been carried out, and its answer may still come. */
bool rl_member_call_is_unanswered(const rl_member_call *member);

/* ---- rl_member_answer.c ---- */

/* A reply has come, in whatever state that is not done. */
void rl_member_call_on_reply(rl_member_call *member, rl_conn_event *event, const rl_tick *tick);

/* The login failed. */
void rl_member_call_on_login_refused(rl_member_call *member, const rl_reply *reply);

#endif
