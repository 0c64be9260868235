/* SPDX-License-Identifier: MIT
 *
 * What this request holds by leases.
 *
 * DESIGN
 *
 * A lease object has a record, memory of malloc that hangs on a list of this request. The record, not the object,
 * is what must be released: after a fatal error objects may never be freed. An object that is freed while the
 * script runs releases its lock at once. When the request is shutting down it leaves its record on the list,
 * for destructors and session handlers may still work under the lock; the list is emptied in post-deactivate.
 * Both wait a short time only, run no PHP code and throw nothing: what cannot be released ends by its TTL.
 *
 * Where a RedisLock is re-entrant several objects share a record: each has a holding of its own, and the last that
 * ends releases the lock. Only the Fiber that took it may enter it again. The lock is kept as its holdings want it at
 * the moment: renewed if one of them wants that, until the earliest end that one of them sets.
 *
 * A record whose lease is renewed, or whose loss interrupts the script, is known to the watchdog. Then its lease is
 * changed between rl_watchdog_hold() and rl_watchdog_let_go() only, until redislock_held_leave(). The watchdog
 * touches only what belongs to the interrupt, and the VM's own flag.
 */
#ifndef REDISLOCK_HELD_H
#define REDISLOCK_HELD_H

#include "php/redislock_call.h"

#include "core/rl_lease.h"
#include "core/rl_watch.h"

/* How a lease is kept. */
typedef struct redislock_keeping {
	bool renews;
	bool interrupts;
	int64_t max_hold_ns;
} redislock_keeping;

typedef enum redislock_interrupt_state {
	REDISLOCK_INTERRUPT_NONE,
	REDISLOCK_INTERRUPT_DUE, /* the lease is lost, and the script does not know */
	REDISLOCK_INTERRUPT_OVER,
} redislock_interrupt_state;

/* One object's part in a record. */
typedef struct redislock_holding {
	struct redislock_holding *next;
	redislock_keeping keeping;
	int64_t hold_until; /* no renewal sets an expiry beyond this */
} redislock_holding;

typedef struct redislock_held redislock_held;
struct redislock_held {
	redislock_held *next;
	redislock_held **link;          /* what points to this one in the request's list */
	redislock_home *home;           /* one reference */
	rl_lease *lease;                /* owned */
	rl_watched *watched;            /* owned; NULL = the watchdog does not know it */
	redislock_holding *holdings;    /* owned; NULL = none is left */
	unsigned objects;               /* that point here */
	bool is_begun;                  /* the lock was won */
	const void *fiber;              /* that took it; NULL = it is gone. Only compared */
	_Atomic int interrupt;          /* a redislock_interrupt_state */
	_Atomic bool was_refused;       /* the VM looked, and the moment was a bad one */
	int64_t tell_pause;             /* the watchdog's alone */
	_Atomic unsigned *due;          /* the thread's count of records whose interrupt is due */
	zend_atomic_bool *vm_interrupt; /* the thread's */
};

/* A record that holds nothing yet. NULL with an exception. */
redislock_held *redislock_held_new(
	redislock_home *home, rl_bytes key, size_t token_room, bool is_own_token);

/* Another holding of it. What can fail fails here: for the first one before the lock is asked for. NULL with an
 * exception. */
redislock_holding *redislock_held_enter(redislock_held *held, const redislock_keeping *keeping);

/* The holding is over. True = it was the last one. */
bool redislock_held_exit(redislock_held *held, redislock_holding *holding);

/* Takes it off the list and off the watch, and frees it. */
void redislock_held_free(redislock_held *held);

/* What this home holds under the key, for this Fiber; NULL = nothing. */
redislock_held *redislock_held_find(const redislock_home *home, rl_bytes key);

/* Whether a wait for the key could never end, since this thread holds it, and keeps it alive without end. */
bool redislock_held_blocks(const redislock_home *home, rl_bytes key);

/* The lock was won: its keeping begins. */
void redislock_held_begin(redislock_held *held);

/* The lease is about to be released or given away: no renewal is sent any more, and no interrupt comes. */
void redislock_held_leave(redislock_held *held);

/* It was, or could not be. */
void redislock_held_left(redislock_held *held);

/* Releases it, if there may be something to release, and waits so long at most. */
void redislock_held_farewell(redislock_held *held, int64_t limit_ns);

/* The home's server is spared farewells until then, whichever object of this request has leases there. */
void redislock_leases_mute(redislock_home *home, int64_t until);

/* After the request: releases what is left. Runs no PHP code. */
void redislock_leases_farewell(void);

/* The end of an object or of a request waits for this long at most, all locks together. */
#define REDISLOCK_FAREWELL_NS (200 * RL_NS_PER_MS)

#endif
