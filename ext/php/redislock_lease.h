/* SPDX-License-Identifier: MIT
 *
 * The class RedisLockLease, and what this request holds by leases.
 *
 * DESIGN
 *
 * An object has a record, memory of malloc that hangs on a list of this request. The record, not the object,
 * is what must be released: after a fatal error objects may never be freed. An object that is freed while the
 * script runs releases its lock at once. When the request is shutting down it leaves its record on the list,
 * for destructors and session handlers may still work under the lock; the list is emptied in post-deactivate.
 * Both wait a short time only, run no PHP code and throw nothing: what cannot be released ends by its TTL.
 *
 * Where a RedisLock is re-entrant several objects share a record: each is one holding, and the last that ends
 * releases the lock. Only the Fiber that took it may enter it again.
 */
#ifndef REDISLOCK_LEASE_H
#define REDISLOCK_LEASE_H

#include "php/redislock_call.h"

#include "core/rl_lease.h"

typedef struct redislock_held redislock_held;
struct redislock_held {
	redislock_held *next;
	redislock_held **link; /* what points to this one in the request's list */
	redislock_home *home;  /* one reference */
	rl_lease *lease;       /* owned */
	const void *fiber;     /* that took it; NULL = it is gone. Only compared */
	unsigned objects;      /* that point here */
	unsigned holdings;     /* of them, that have not ended */
};

/* Makes an object with a record that holds nothing yet. NULL with an exception. */
redislock_held *redislock_lease_new(
	zval *object, redislock_home *home, rl_bytes key, size_t token_room);

/* What this home holds under the key, for this Fiber; NULL = nothing. */
redislock_held *redislock_lease_find(const redislock_home *home, rl_bytes key);

/* Makes an object that enters it again. */
void redislock_lease_enter(zval *object, redislock_held *held);

/* The lock was won: proof is in the record, this is the object's own part. */
void redislock_lease_won(zval *object, int64_t waited_ns, uint64_t attempts);

/* Sets a new TTL at the server. False = lost, or with an exception. */
bool redislock_lease_prolong(redislock_held *held, int64_t ttl_ms);

/* The section of synchronized() is over: ends the holding, also when somebody keeps the object, as the trace of
 * an exception does. Throws when the lock was lost, unless the section has thrown itself. */
void redislock_lease_end_section(zval *object, zval *result);

/* The home's server is spared farewells until then, whichever object of this request has leases there. */
void redislock_leases_mute(redislock_home *home, int64_t until);

/* After the request: releases what is left. Runs no PHP code. */
void redislock_leases_farewell(void);

/* In MINIT, when the class is registered. */
void redislock_lease_set_up(zend_class_entry *ce);

#endif
