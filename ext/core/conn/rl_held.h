/* SPDX-License-Identifier: MIT
 *
 * Replies that a connection holds back until the replicas of its server have confirmed the commands
 * (WAIT): a grant counts only after that. A held reply that says yes becomes RL_REPLY_UNCONFIRMED
 * if too few replicas confirm in time. Replies keep their order, so a reply after a held one is
 * held, too.
 */
#ifndef RL_HELD_H
#define RL_HELD_H

#include "core/wire/rl_answer.h"

typedef struct rl_held_reply rl_held_reply;

typedef struct rl_held {
	rl_held_reply *list; /* owned */
	size_t count;
	size_t room;
	/* The replies before this index are judged. */
	size_t judged;
	/* The replies before this index were taken. */
	size_t taken;
	/* The text of an unconfirmed reply. */
	char text[160];
} rl_held;

static inline bool rl_held_is_empty(const rl_held *held)
{
	return held->count == 0;
}

/* Appends a copy of a reply.
 * @param needs_replicas a yes counts only if the replicas confirm
 * @return false when out of memory */
bool rl_held_add(
	rl_held *held, const rl_reply *reply, unsigned tag, bool needs_replicas) RL_MUST_USE;

/* Judges all held replies by the reply to WAIT. RL_REPLY_NIL = the reply to WAIT is late.
 * @param wanted how many replicas must confirm
 * @param ms how long WAIT has waited at most, for the message */
void rl_held_judge(rl_held *held, const rl_reply *wait, unsigned wanted, int64_t ms);

/* Takes the next judged reply. False = there is none.
 * @param[out] reply valid until the next call on held */
bool rl_held_take(rl_held *held, rl_reply *reply, unsigned *tag);

/* Drops all replies. */
void rl_held_clear(rl_held *held);

#endif
