/* SPDX-License-Identifier: MIT
 *
 * The idle connections of one thread (or of one object, with persistent: false), kept under their
 * target. A connection that an operation has is not in the pool. No locks: a pool belongs to one
 * thread.
 *
 * Where several members are asked and not all are waited for, a connection comes back while it is
 * still connecting, or owes answers. It is used on, in that state. One that owes for too long, or
 * does not get connected, is dropped when it is next looked at, and its server is in trouble: for a
 * pause that grows with each failure it is not dialled by those who can do without it.
 *
 * After a fork the child finds the pool full of the parent's connections: they are closed, without
 * a word on them, when the pool is next touched.
 */
#ifndef RL_POOL_H
#define RL_POOL_H

#include "core/conn/rl_conn.h"

#define RL_POOL_MAX 64

/* An idle connection older than this is looked at before it is used. */
#define RL_POOL_LOOK_NS (100 * RL_NS_PER_MS)

/* Connections that only carry an undo to a server that is slow to read it: so many, for so long. */
#define RL_POOL_LINGERING_MAX 8
#define RL_POOL_LINGER_NS (60 * RL_NS_PER_SECOND)

/* The pause in dialling a server that failed, doubled each time up to the maximum. */
#define RL_POOL_PAUSE_NS (10 * RL_NS_PER_MS)
#define RL_POOL_PAUSE_MAX_NS RL_NS_PER_SECOND
#define RL_POOL_BACKED_OFF_MAX 64

/* A server that failed, and has not answered since. */
typedef struct rl_backed_off {
	struct rl_backed_off *next;
	rl_target *target; /* one reference */
	unsigned fails;
	int64_t redial_at;
} rl_backed_off;

typedef struct rl_pool {
	rl_transport *transport; /* borrowed */
	const rl_env *env;       /* borrowed */
	rl_conn *idle;           /* latest used first */
	unsigned count;
	rl_conn *lingering; /* latest first */
	rl_backed_off *troubles;
	uint64_t fork_generation;
} rl_pool;

void rl_pool_init(rl_pool *pool, rl_transport *transport, const rl_env *env);

/* Closes all. The pool can be used again. */
void rl_pool_clear(rl_pool *pool);

/* Ends the idle ones to the address, whoever they log in as. */
void rl_pool_clear_address(rl_pool *pool, const rl_address *address, int64_t now);

/* A server at the address answered that it is a replica: ends the idle connections to it, and has
 * the transport distrust the address. @return as rl_transport.distrust() */
bool rl_pool_distrust(rl_pool *pool, const rl_address *address, int64_t now);

/* Ends all idle ones: those that owe an answer linger. */
void rl_pool_end_idle(rl_pool *pool, int64_t now);

/* What an idle connection is wanted for. */
typedef enum rl_pool_want {
	RL_WANT_ANY,
	RL_WANT_CHECKED, /* a command that is not sent twice: the connection is looked at, even if it
						was used just now */
	/* A release, which has to come after whatever was sent before: a connection that owes an answer
	   for too long will do. */
	RL_WANT_RELEASE,
	RL_WANT_RELEASE_CHECKED,
	RL_WANT_QUIET, /* a command that blocks: the connection owes no answer, and is looked at */
} rl_pool_want;

/* An idle connection to the target that is alive as far as can be seen; NULL when there is none. */
rl_conn *rl_pool_take(rl_pool *pool, const rl_target *target, rl_pool_want want, int64_t now);

/* Gives one back; when the pool is full, the one idle for longest is closed. */
void rl_pool_give(rl_pool *pool, rl_conn *conn, int64_t now);

/* The same of one that nobody waits for: see above. @param patience how long it may owe an answer
 */
void rl_pool_give_unheard(rl_pool *pool, rl_conn *conn, int64_t patience, int64_t now);

/* The target could not be reached, or did not answer in time. */
void rl_pool_note_failure(rl_pool *pool, rl_target *target, int64_t now);

/* It has answered. */
void rl_pool_note_answer(rl_pool *pool, const rl_target *target);

/* It is in trouble, and not to be dialled yet. */
bool rl_pool_is_backed_off(rl_pool *pool, const rl_target *target, int64_t now);

/* False = it is in trouble, and has no connection that could be used. */
bool rl_pool_is_worth_asking(
	rl_pool *pool, const rl_target *target, rl_pool_want want, int64_t now);

/* A connection to the target lingers: what was written on it may still be carried out. */
bool rl_pool_is_lingering(rl_pool *pool, const rl_target *target, int64_t now);

/* Some connection lingers. */
bool rl_pool_lingers(rl_pool *pool, int64_t now);

/* Closes a connection once the server has read what was sent. Closed at once, the server may meet
 * an error when it answers the first command, and drop the ones behind it unread. */
void rl_pool_let_linger(rl_pool *pool, rl_conn *conn, int64_t now);

/* Whether rl_pool_take() would find one now. */
bool rl_pool_has(rl_pool *pool, const rl_target *target, int64_t now);

/* How many idle ones to the target there are, alive or not. */
unsigned rl_pool_count(rl_pool *pool, const rl_target *target);

/* What lingers in one pool lingers on in another of the same thread. */
void rl_pool_hand_over_lingering(rl_pool *from, rl_pool *to, int64_t now);

#endif
