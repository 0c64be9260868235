/* SPDX-License-Identifier: MIT
 *
 * Plain operations: one command to every member, whose outcome is the result. Only FENCE asks
 * several members twice.
 */
#ifndef RL_PLAIN_H
#define RL_PLAIN_H

#include "core/lock/rl_op.h"

typedef struct rl_plain_args {
	/* Any that takes no lock, except SWAP, which is for rl_take_over_new(). FENCE needs a key that
	 * has helper keys: see rl_naming. */
	rl_verb verb;
	rl_bytes key; /* of the lock, with its prefix */
	/* If the lock has several permits: the key of the permit that the command is about. No data =
	 * the lock has one permit. */
	rl_bytes permit;
	unsigned permits;
	rl_bytes token;  /* no data = none needed */
	int64_t ttl_ms;  /* EXTEND */
	bool was_held;   /* RELEASE: ownership was proven before */
	int64_t done_ms; /* RELEASE: see rl_lease */
	/* EXTEND: the caller has a lease, which the watchdog may keep although the command was refused.
	 * If it does not, the caller calls rl_plain_undo(). False = a refusal is undone at once. */
	bool is_leased;
	/* FORCE waits for all answers anyway; REMAINING and INSPECT wait for answers that come soon. */
	rl_wanted wanted;
	/* RELEASE: for so long the renewer repeats a release that fails; 0 = not at all. */
	int64_t late_ns;
} rl_plain_args;

/* RL_OK: released, extended, locked, has an owner, ...; RL_BUSY: not. rl_quorum_call_owner() and
 * rl_quorum_call_remaining() return the answers to OWNER and REMAINING. FENCE leaves its number in
 * request.fence_number.
 * @return NULL when out of memory */
rl_op *rl_plain_new(rl_set *set, rl_pool *pool, const rl_env *env, const rl_plain_args *args);

/* After an EXTEND of a lease that was refused, and is lost: releases the lock where it was or may
 * have been extended. A lock that only a minority has is of no use to any client. */
void rl_plain_undo(rl_op *op, int64_t now);

/* Takes over a lock that is held with the given token: a fresh token replaces it, and a new TTL
 * begins. RL_OK: the lock is held with request.fresh, and the proof counts from
 * rl_quorum_call_sent_at(). RL_BUSY: the lock is not held with the given token. A swap without a
 * quorum is undone.
 * @return NULL when out of memory */
rl_op *rl_take_over_new(
	rl_set *set, rl_pool *pool, const rl_env *env, rl_bytes key, rl_bytes token, int64_t ttl_ms);

#endif
