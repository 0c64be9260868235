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
 * Both wait a short time only, run no PHP code and throw nothing. The watchdog repeats what cannot be released by then.
 *
 * Where a RedisLock is re-entrant several objects share a record: each has a holding of its own, and the last that
 * ends releases the lock. Only the Fiber that took it may enter it again. The lock is kept as its holdings want it at
 * the moment: renewed if one of them wants that, until the earliest end that one of them sets.
 *
 * A record whose lease is renewed, or of which an object has an onLoss, is known to the watchdog. Then its lease is
 * changed between rl_watchdog_hold() and rl_watchdog_let_go() only, until redislock_record_leave(). The watchdog
 * touches only what belongs to the telling of a loss, and the VM's own flag.
 *
 * A loss is told once to each object that has an onLoss (redislock_loss.h). The record is marked as due by the
 * watchdog or by PHP's thread, whichever sees the loss first; PHP's thread alone ends that, when all have been told,
 * or when no object is left that wants to be.
 */
#ifndef REDISLOCK_RECORD_H
#define REDISLOCK_RECORD_H

#include "php/redislock_call.h"

#include "core/lease/rl_lease.h"
#include "core/lease/rl_renewer.h"

/* A callable of the script, with what PHP knows of it. */
typedef struct redislock_callable {
	zval function; /* undefined = there is none */
	zend_fcall_info_cache cache;
} redislock_callable;

/* How a lease is kept. */
typedef struct redislock_policy {
	bool renews;
	int64_t max_hold_ns;
	redislock_callable on_loss; /* borrowed: the object takes references of its own */
} redislock_policy;

typedef enum redislock_loss_state {
	REDISLOCK_LOSS_NONE,
	REDISLOCK_LOSS_DUE, /* the lease is lost, and an onLoss is to be called */
	REDISLOCK_LOSS_OVER,
} redislock_loss_state;

/* One object's part in a record. */
typedef struct redislock_ref {
	struct redislock_ref *next;
	bool renews;
	int64_t max_hold_ns;
	int64_t hold_until; /* no renewal sets an expiry beyond this */
	/* The object, whose onLoss is to be called when the lease is lost; NULL = it has none, or that was called.
	 * Borrowed: the object ends its holding before it goes. */
	zend_object *listener;
} redislock_ref;

typedef struct redislock_record redislock_record;
struct redislock_record {
	redislock_record *next;
	redislock_record **link;        /* what points to this one in the request's list */
	redislock_client *client;       /* one reference */
	rl_lease *lease;                /* owned */
	rl_renewal *renewal;            /* owned; NULL = the watchdog does not know it */
	redislock_ref *refs;            /* owned; NULL = none is left */
	unsigned objects;               /* that point here */
	size_t bytes;                   /* as counted against what a request may take */
	bool is_begun;                  /* the lock was won */
	const void *fiber;              /* that took it; NULL = it is gone. Only compared */
	_Atomic int loss;               /* a redislock_loss_state */
	int64_t tell_pause;             /* the watchdog's alone; 0 = the script was not told yet */
	_Atomic unsigned *due;          /* the thread's count of records whose loss is due */
	zend_atomic_bool *vm_interrupt; /* the thread's */
};

/* A record that holds nothing yet. NULL with an exception. */
redislock_record *redislock_record_new(
	redislock_client *client, rl_bytes key, size_t token_room, bool is_own_token);

/* Another holding of it, for the object. What can fail fails here: for the first one before the lock is asked for.
 * NULL with an exception. */
redislock_ref *redislock_record_enter(
	redislock_record *record, const redislock_policy *policy, zend_object *object);

/* The holding is over. True = it was the last one. */
bool redislock_record_exit(redislock_record *record, redislock_ref *ref);

/* Takes it off the list and off the watch, and frees it. */
void redislock_record_free(redislock_record *record);

/* In MINIT: a Fiber that is gone owns nothing any more. */
void redislock_record_watch_fibers(void);

/* What this home holds under the key, for this Fiber; NULL = nothing. */
redislock_record *redislock_record_find(const redislock_client *client, rl_bytes key);

/* What this thread holds under the key, and keeps alive without end: as long as the servers have its token, a wait for the
 * key can never end. NULL = nothing. */
const redislock_record *redislock_record_blocking(const redislock_client *client, rl_bytes key);

/* The lock was won: its keeping begins. */
void redislock_record_begin(redislock_record *record);

/* PHP's own thread has found out that the lease is lost: what has an onLoss is due. */
void redislock_record_note_loss(redislock_record *record);

/* The next object whose onLoss is to be called, by a process that has not lost it by a fork; NULL = none is due. */
zend_object *redislock_record_next_listener(void);

/* The lease is about to be released or given away: no renewal is sent any more, and no onLoss is called. */
void redislock_record_leave(redislock_record *record);

/* It was, or could not be. */
void redislock_record_left(redislock_record *record);

/* Releases it, if there may be something to release, and waits so long at most. The watchdog repeats what fails.
 * @param throws a release that the server does not allow is an exception */
void redislock_record_release(redislock_record *record, int64_t limit_ns, bool throws);

/* The home's server is spared release batches until then, whichever object of this request has leases there. */
void redislock_leases_backed_off(redislock_client *client, int64_t until);

/* After the request: releases what is left. Runs no PHP code. */
void redislock_leases_farewell(void);

/* The end of an object or of a request waits for this long at most, all locks together. */
#define REDISLOCK_FAREWELL_NS (200 * RL_NS_PER_MS)

#endif
