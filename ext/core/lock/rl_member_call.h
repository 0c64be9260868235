/* SPDX-License-Identifier: MIT
 *
 * A member call: one member's part in a quorum call. For rl_quorum_call.c, which has the design in its header; nobody
 * else steps a member call.
 */
#ifndef RL_MEMBER_CALL_H
#define RL_MEMBER_CALL_H

#include "core/lock/rl_quorum_call.h"

/* Starts over. @param latest as for rl_quorum_call_begin() */
void rl_member_call_begin(rl_quorum_call *call, unsigned index, int64_t now, int64_t latest);

/* Goes on as far as it can without waiting. */
void rl_member_call_step(rl_quorum_call *call, unsigned index, const rl_tick *tick);

/* Its vote is known. */
void rl_member_call_finish(rl_member_call *member, rl_vote vote);

/* Closes its connection, if it has one. */
void rl_member_call_drop(rl_member_call *member);

/* A grant there may be undone. What may have ended is not, with a token that others may have, too: theirs could be
 * met. */
bool rl_member_call_may_take_back(
	const rl_quorum_call *call, const rl_member_call *member, int64_t now);

/* Releases the caller's token where it was granted, and goes on until that is answered. */
void rl_member_call_take_back(rl_quorum_call *call, unsigned index, const rl_tick *tick);

/* The system has taken the whole command: the server may have carried it out. */
bool rl_member_call_is_handed_over(const rl_member_call *member);

/* Its connection, which it must have, is established. */
bool rl_member_call_is_connected(const rl_member_call *member);

#endif
