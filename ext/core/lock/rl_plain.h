/* SPDX-License-Identifier: MIT
 *
 * Plain operations: one command to every member, whose outcome is the result.
 */
#ifndef RL_PLAIN_H
#define RL_PLAIN_H

#include "core/lock/rl_op.h"

typedef struct rl_plain_args {
	rl_verb verb;    /* any that takes no lock; RL_VERB_SWAP by rl_take_over_new() only */
	rl_bytes key;    /* with its prefix */
	rl_bytes token;  /* no data = the verb needs none */
	int64_t ttl_ms;  /* EXTEND */
	bool was_held;   /* RELEASE: ownership was proven when it was asked for */
	bool asks_all;   /* as RL_WANTED_SOON */
	int64_t late_ns; /* RELEASE: the renewer repeats it for so long if it fails; 0 = not at all */
} rl_plain_args;

/* RL_OK: released, extended, locked, has an owner, ...; RL_BUSY: not. rl_quorum_call_owner() and
 * rl_quorum_call_remaining() report what a question found out.
 * @return NULL when out of memory */
rl_op *rl_plain_new(rl_set *set, rl_pool *pool, const rl_env *env, const rl_plain_args *args);

/* Takes over a lock that is held with the given token: a fresh token takes its place, and a new TTL
 * begins. RL_OK: the lock is held with request.fresh, proven as from rl_quorum_call_sent_at();
 * RL_BUSY: not held with the given token. A swap without a quorum is undone.
 * @return NULL when out of memory */
rl_op *rl_take_over_new(
	rl_set *set, rl_pool *pool, const rl_env *env, rl_bytes key, rl_bytes token, int64_t ttl_ms);

#endif
