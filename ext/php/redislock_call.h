/* SPDX-License-Identifier: MIT
 *
 * Runs operations of core for PHP: the bridge between a method and the driver.
 *
 * DESIGN
 *
 * While an operation waits, PHP's signal handlers and time limit may run. That code can do
 * anything: use the same object, throw, exit, bail out by longjmp, fork, or suspend the Fiber for
 * ever. Therefore an operation and what it needs are in memory of the pool, and hang on a list of
 * this request's calls. However PHP leaves the method, the lock that the operation may have taken
 * is undone: by this file where the method regains control, otherwise after the request.
 *
 * A client is what operations need and must not lose: the set of servers, the prefix, and the
 * connections of an object that does not share its own. The object has one reference to it, and
 * each call another.
 */
#ifndef REDISLOCK_CALL_H
#define REDISLOCK_CALL_H

#include "php_redislock.h"

#include "php/redislock_abort.h"
#include "php/redislock_yield.h"

#include "core/lock/rl_acquire.h"
#include "core/lock/rl_op_failure.h"
#include "core/lock/rl_plain.h"
#include "transport/rl_driver.h"

typedef struct redislock_client {
	unsigned refs;
	rl_set set;
	/* A lock that the client holds by a lease can be entered again. */
	bool is_reentrant;
	/* Borrowed: own_pool, or the thread's pool where the object shares its connections. */
	rl_pool *pool;
	rl_pool own_pool;
	char *prefix; /* owned */
	size_t prefix_len;
	/* The server did not answer the release of a lease. It gets no other before this time. */
	int64_t backed_off_until;
} redislock_client;

/* Makes a client with one reference and connections of its own. NULL = out of memory. */
redislock_client *redislock_client_new(void);

void redislock_client_unref(redislock_client *client);

typedef struct redislock_call redislock_call;
struct redislock_call {
	redislock_call *next;
	/* The pointer to this call in the request's list. */
	redislock_call **link;
	redislock_client *client; /* one reference */
	rl_op *op;                /* owned */
	redislock_abort *abort;   /* borrowed from the method; NULL = none */
	redislock_suspension suspension;
	uint64_t fork_generation;
	bool has_bailed_out;
	/* For redislock_call_check_wait(): the lease about which the servers were asked, and when they
	 * are asked again; NULL = they were not asked. */
	const struct redislock_record *asked_of;
	int64_t ask_again_at;
};

/*
 * Runs the operation to its end, and takes ownership of it.
 * @return the call, with op->status RL_OK or RL_BUSY, to be ended with redislock_call_end();
 *   NULL = an exception was thrown. Does not return when a handler bailed out.
 */
redislock_call *redislock_call_run(redislock_client *client, rl_op *op);

/* The same for an acquire whose wait the script may end. If the script did, op->status is RL_BUSY,
 * and abort->answer is REDISLOCK_ABORT_STOP. */
redislock_call *redislock_call_wait(redislock_client *client, rl_op *op, redislock_abort *abort);

/* The same as redislock_call_run() for a question without which the caller can go on until a time:
 * a failure before that time throws nothing, and is left in op->status. */
redislock_call *redislock_call_try(redislock_client *client, rl_op *op, int64_t until);

/* The same, without names to resolve, and with no other PHP code during the call than the script's
 * waiter: for what must not throw. A failure is left in op->status, too.
 * @return NULL = the waiter has thrown, or there was no memory */
redislock_call *redislock_call_lend(redislock_client *client, rl_op *op);

/* Runs an operation to its end, with no PHP code meanwhile, and without names to resolve. */
void redislock_call_block(rl_op *op);

/* Called while a call waits for another holder and cannot yield, so that all flows of the thread
 * stand still. Set by MINIT.
 * @return RL_YIELD_REFUSED = the wait goes on; RL_YIELDED = the same, and the servers were asked
 *   meanwhile; RL_YIELD_ABANDONED = they say that the wait would never end, and an exception was
 *   thrown */
extern rl_yielded (*redislock_call_check_wait)(redislock_call *call);

/* True in a forked child, of a call that its parent has begun. */
bool redislock_call_has_forked(const redislock_call *call);

void redislock_call_end(redislock_call *call);

/* Names the key of an operation in the exception that is on its way. */
void redislock_note_op_key(const redislock_client *client, const rl_op *op);

/* Gives up, after the request, the calls to which PHP never returned. Runs no PHP code. */
void redislock_calls_abandon(void);

#endif
