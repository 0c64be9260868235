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
};

/* Makes an object with a record that holds nothing yet. NULL with an exception. */
redislock_held *redislock_lease_new(
	zval *object, redislock_home *home, rl_bytes key, size_t token_room);

/* The record of an object. */
redislock_held *redislock_lease_held(zval *object);

/* Releases within the time, without exception; what came of it is in the lease's state. */
void redislock_lease_farewell(redislock_held *held, int64_t limit_ns);

/* Throws a RedisLockLostException. @param result of the section that was lost, or NULL */
void redislock_throw_lost(const rl_lease *lease, zval *result);

/* The home's server is spared farewells until then, whichever object of this request has leases there. */
void redislock_leases_mute(redislock_home *home, int64_t until);

/* After the request: releases what is left. Runs no PHP code. */
void redislock_leases_farewell(void);

/* In MINIT, when the class is registered. */
void redislock_lease_set_up(zend_class_entry *ce);

#endif
