/* SPDX-License-Identifier: MIT
 *
 * The idle connections of one thread (or of one object, with persistent: false), by target. A
 * connection that an operation has is not in the pool. A pool has no locks: it belongs to one
 * thread.
 *
 * With several members a call does not wait for all of them, so a connection may come back while it
 * is still connecting, or has pending replies. The next call uses it in that state. If a reply is
 * overdue, or connecting takes too long, the pool drops the connection when it next looks at it,
 * and the server is backed off: for a pause that grows with each failure, calls that can do without
 * the server do not dial it.
 *
 * After a fork the pool of the child contains the connections of the parent. They are closed, and
 * nothing is sent on them, when the pool is next used.
 *
 * The pool also keeps the memory of operations that have ended, and the next operations use it:
 * malloc() has no quick way for blocks of this size.
 *
 * Between two steps:
 * - count is the number of the idle connections. The limits below hold.
 * - An idle connection is well, and no operation waits for a reply on it. A connection that lingers
 *   has ended, or waits for the replicas. No connection is in two lists.
 * - A server is backed off once.
 */
#ifndef RL_POOL_H
#define RL_POOL_H

#include "core/conn/rl_conn.h"

/* How many idle connections are kept: in all, and to each target, unless rl_env says more. */
#define RL_POOL_MAX 256
#define RL_POOL_TARGET_MAX 8

/* A route that no object uses is forgotten when there are more than this. */
#define RL_POOL_ROUTES_MAX 16

/* A connection that has been idle for longer is checked before it is used. */
#define RL_POOL_LOOK_NS (100 * RL_NS_PER_MS)

/* How many connections may linger, until a slow server has read their undos, and for how long. */
#define RL_POOL_LINGERING_MAX 8
#define RL_POOL_LINGER_NS (60 * RL_NS_PER_SECOND)

/* For how long a server that failed is backed off; doubled each time, up to the maximum. */
#define RL_POOL_PAUSE_NS (10 * RL_NS_PER_MS)
#define RL_POOL_PAUSE_MAX_NS RL_NS_PER_SECOND
#define RL_POOL_BACKED_OFF_MAX 64

/* How many blocks of memory are kept, and their size: an operation with five members fits into one.
 * The release of a lease has an operation in another one, and a call of PHP takes a block, too. */
#define RL_POOL_BLOCKS_MAX 3
#define RL_POOL_BLOCK_SIZE 8192

/* A server that has failed, and has not answered since. */
typedef struct rl_backed_off {
	struct rl_backed_off *next;
	rl_target *target; /* one reference */
	unsigned fails;
	int64_t redial_at;
} rl_backed_off;

typedef struct rl_pool {
	rl_transport *transport; /* borrowed */
	const rl_env *env;       /* borrowed */
	rl_conn *idle;           /* the last used first */
	unsigned count;
	rl_conn *lingering; /* the latest first */
	/* Borrowed: connections that an operation has taken while the server may not have read a
	 * command yet that an operation before it has left there (rl_conn_may_free()). */
	rl_conn *away;
	rl_backed_off *troubles;
	rl_route *routes; /* one reference each; the latest first */
	/* Owned: blocks that are not used. Each begins with the pointer to the next one. */
	void *blocks;
	unsigned block_count;
	uint64_t fork_generation;
} rl_pool;

void rl_pool_init(rl_pool *pool, rl_transport *transport, const rl_env *env);

/* Closes all connections at once, and frees what the pool keeps. The pool can be used again. */
void rl_pool_clear(rl_pool *pool);

/* Memory that is not cleared; NULL = out of memory. It is given back with the same size. */
void *rl_pool_take_block(rl_pool *pool, size_t size);
void rl_pool_give_block(rl_pool *pool, void *block, size_t size);

/* Ends the idle connections to the address, whatever their user and database. */
void rl_pool_clear_address(rl_pool *pool, const rl_address *address, int64_t now);

/* Call when the server at the address has answered that it is a replica. Ends the idle connections
 * to it, and has the transport distrust the address.
 * @return as rl_transport.distrust() */
bool rl_pool_distrust(rl_pool *pool, const rl_address *address, int64_t now);

/* Ends all idle connections. Those with a pending reply linger. */
void rl_pool_end_idle(rl_pool *pool, int64_t now);

/* What an idle connection is wanted for. */
typedef enum rl_pool_want {
	RL_WANT_ANY,
	/* A command that must not be sent twice. The pool tests whether the connection is alive, even
	 * if it was used a moment ago. */
	RL_WANT_CHECKED,
	/* A release. The pool may take a connection whose reply is overdue, because the release must
	 * follow the commands that were sent on that connection before. */
	RL_WANT_RELEASE,
	RL_WANT_RELEASE_CHECKED,
	/* A command that blocks. The connection has no pending reply, and the pool tests whether it is
	 * alive. */
	RL_WANT_QUIET,
} rl_pool_want;

/* Takes an idle connection to the target out of the pool, which is alive as far as can be seen;
 * NULL when there is none. */
rl_conn *rl_pool_take(rl_pool *pool, const rl_target *target, rl_pool_want want, int64_t now);

/* Gives a connection back. If there are too many, the one that has been idle for longest is
 * ended. */
void rl_pool_give(rl_pool *pool, rl_conn *conn, int64_t now);

/* The same for a connection whose replies are not waited for.
 * @param unheard_ns how long a reply may be pending */
void rl_pool_give_unheard(rl_pool *pool, rl_conn *conn, int64_t unheard_ns, int64_t now);

/* The target could not be reached, or did not answer in time: it is backed off. */
void rl_pool_note_failure(rl_pool *pool, rl_target *target, int64_t now);

/* The target has answered: it is no longer backed off. */
void rl_pool_note_answer(rl_pool *pool, const rl_target *target);

/* The target is backed off: do not dial it yet. */
bool rl_pool_is_backed_off(rl_pool *pool, const rl_target *target, int64_t now);

/* The time until which the target is backed off; 0 = it is not. */
int64_t rl_pool_redial_at(rl_pool *pool, const rl_target *target);

/* True when rl_pool_take() would find a connection. Closes connections that turn out to have
 * failed, and backs the target off if it did not answer. */
bool rl_pool_has(rl_pool *pool, const rl_target *target, rl_pool_want want, int64_t now);

/* False = the target is backed off, and has no connection that could be used. */
bool rl_pool_is_worth_asking(
	rl_pool *pool, const rl_target *target, rl_pool_want want, int64_t now);

/* The server may still read a release or an undo that could free this lock (rl_conn_lock()), and
 * the next command to the server may overtake it, on another connection. Also if another operation
 * has its connection now.
 * @param target NULL = any server. Then a command whose answer is overdue counts as well, because
 *   the next SET will not go on its connection */
bool rl_pool_may_free(rl_pool *pool, const rl_target *target, uint64_t lock, int64_t now);

/* At least one connection lingers. */
bool rl_pool_lingers(rl_pool *pool, int64_t now);

/* Closes a connection once the server has read all commands. If the connection were closed at once,
 * the server could get an error when it answers the first command, and drop the other commands
 * unread. */
void rl_pool_let_linger(rl_pool *pool, rl_conn *conn, int64_t now);

/* How many idle connections to the target there are, alive or not. */
unsigned rl_pool_count(rl_pool *pool, const rl_target *target);

/* The pool's route to the same member. If the pool has none yet, it adds the given route. So an
 * object begins with what other objects with the same DSN have learned.
 * @param route the caller's reference is given up
 * @return a reference for the caller */
rl_route *rl_pool_share_route(rl_pool *pool, rl_route *route);

/* Moves the lingering connections into another pool of the same thread. */
void rl_pool_hand_over_lingering(rl_pool *from, rl_pool *to, int64_t now);

#endif
