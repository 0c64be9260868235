/* SPDX-License-Identifier: MIT
 *
 * Running operations of core for PHP: the bridge between a method and the driver.
 *
 * DESIGN
 *
 * While an operation waits, PHP's signal handlers and time limit may run. They can do anything: use the
 * same object, throw, exit, bail out by longjmp, fork, or suspend the Fiber for ever. So an operation and
 * what it needs are memory of malloc, reachable from a list of this request's calls: however the method is
 * left, what it may have taken is undone, here when we see it leave, else after the request.
 *
 * A home is what operations need and must not lose: the set, and the connections of an object that does
 * not share them. The object has one reference, each call another.
 */
#ifndef REDISLOCK_CALL_H
#define REDISLOCK_CALL_H

#include "php_redislock.h"

#include "core/lock/rl_acquire.h"
#include "core/lock/rl_op_failure.h"
#include "core/lock/rl_plain.h"

typedef struct redislock_client {
	unsigned refs;
	rl_set set;
	bool is_persistent;
	bool is_reentrant; /* a lock held by a lease can be entered again */
	rl_pool own_pool;  /* used when not persistent */
	char *prefix;      /* owned */
	size_t prefix_len;
	int64_t
		mute_until; /* the server did not answer the release of a lease: not bothered with others before */
} redislock_client;

redislock_client *redislock_client_new(void);
void redislock_client_unref(redislock_client *client);
rl_pool *redislock_client_pool(redislock_client *client);

typedef struct redislock_call redislock_call;
struct redislock_call {
	redislock_call *next;
	redislock_call **link;    /* what points to this one in the request's list */
	redislock_client *client; /* one reference */
	rl_op *op;                /* owned */
	uint64_t fork_generation;
	bool has_bailed_out;
};

/*
 * Runs op to its end. Takes it over.
 * @return the call, with op->status RL_OK or RL_BUSY, to be ended with redislock_call_end();
 *   NULL = an exception is thrown. Does not return when a handler bailed out.
 */
redislock_call *redislock_call_run(redislock_client *client, rl_op *op);

void redislock_call_end(redislock_call *call);

/* After the request: gives up the calls that PHP never came back to. Runs no PHP code. */
void redislock_calls_abandon(void);

#endif
