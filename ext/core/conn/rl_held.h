/* SPDX-License-Identifier: MIT
 *
 * Replies that a connection holds back until the replicas of its server have confirmed the commands
 * (WAIT): a grant counts only then. A held reply that says yes becomes RL_REPLY_UNCONFIRMED if too
 * few replicas confirm in time. Replies keep their order, so a reply behind a held one is held,
 * too.
 */
#ifndef RL_HELD_H
#define RL_HELD_H

#include "core/wire/rl_answer.h"

typedef struct rl_held_reply rl_held_reply;

typedef struct rl_held {
	rl_held_reply *list; /* owned */
	size_t count;
	size_t room;
	/* The replies before this one are judged. */
	size_t judged;
	/* The judged replies before this one were taken. */
	size_t taken;
	/* What a reply says that is not confirmed. */
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

/* Judges all replies that are held, by the reply to WAIT; RL_REPLY_NIL stands for one that came too
 * late.
 * @param wanted how many replicas must confirm
 * @param ms how long WAIT has waited at most, for the message */
void rl_held_judge(rl_held *held, const rl_reply *wait, unsigned wanted, int64_t ms);

/* Takes the next judged reply. False = there is none.
 * @param[out] reply valid until the next call on held */
bool rl_held_take(rl_held *held, rl_reply *reply, unsigned *tag);

/* Drops all replies. */
void rl_held_clear(rl_held *held);

#endif
