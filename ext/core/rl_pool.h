/* SPDX-License-Identifier: MIT
 *
 * The idle connections of one thread (or of one object, with persistent: false), kept under their target.
 * A connection that an operation has is not in the pool. No locks: a pool belongs to one thread.
 *
 * After a fork the child finds the pool full of the parent's connections: they are closed, without a
 * word on them, when the pool is next touched.
 */
#ifndef RL_POOL_H
#define RL_POOL_H

#include "core/rl_conn.h"

#define RL_POOL_MAX 16

/* An idle connection older than this is looked at before it is used. */
#define RL_POOL_LOOK_NS (100 * RL_NS_PER_MS)

/* Connections that only carry an undo to a server that is slow to read it: so many, for so long. */
#define RL_POOL_LINGERING_MAX 8
#define RL_POOL_LINGER_NS (60 * RL_NS_PER_SECOND)

typedef struct rl_pool {
	rl_transport *transport; /* borrowed */
	const rl_env *env;       /* borrowed */
	rl_conn *idle;           /* latest used first */
	unsigned count;
	rl_conn *lingering; /* latest first */
	uint64_t fork_generation;
} rl_pool;

void rl_pool_init(rl_pool *pool, rl_transport *transport, const rl_env *env);

/* Closes all. The pool can be used again. */
void rl_pool_clear(rl_pool *pool);

/* Closes the idle ones to the address, whoever they log in as. */
void rl_pool_clear_address(rl_pool *pool, const rl_address *address);

/* An idle connection to the target that is alive as far as can be seen; NULL when there is none.
 * @param must_look also look at one that was used just now: for a command that is not sent twice */
rl_conn *rl_pool_take(rl_pool *pool, const rl_target *target, bool must_look, int64_t now);

/* Gives one back; when the pool is full, the one idle for longest is closed. */
void rl_pool_give(rl_pool *pool, rl_conn *conn, int64_t now);

/* Closes a connection once the server has read what was sent. Closed at once, the server may meet an error
 * when it answers the first command, and drop the ones behind it unread. */
void rl_pool_let_linger(rl_pool *pool, rl_conn *conn, int64_t now);

/* Whether rl_pool_take() would find one now. */
bool rl_pool_has(rl_pool *pool, const rl_target *target, int64_t now);

/* How many idle ones to the target there are, alive or not. */
unsigned rl_pool_count(rl_pool *pool, const rl_target *target);

/* What lingers in one pool lingers on in another of the same thread. */
void rl_pool_hand_over_lingering(rl_pool *from, rl_pool *to, int64_t now);

#endif
