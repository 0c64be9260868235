/* SPDX-License-Identifier: MIT
 *
 * Lease records: what this request holds by leases.
 *
 * DESIGN
 *
 * Each lease object points to a record on a list of this request:
 *
 *     record | renewal, for the watchdog | lease, with key and token       one malloc'd block
 *
 * The request must release records, not objects: after a fatal error PHP may never free the
 * objects. An object that PHP frees while the script runs releases its lock at once. While the
 * request shuts down, the object leaves its record on the list, because destructors and session
 * handlers may still work under the lock. The list is emptied in post-deactivate. Both releases
 * wait for a short time only, run no PHP code and throw no exception. The watchdog repeats the
 * releases that fail.
 *
 * Where a RedisLock is re-entrant, several objects share a record. Each object has a ref of its
 * own, and dropping the last ref releases the lock. Only the flow that took the lock can enter it
 * again. The refs together decide how long the lock lives: the lease is renewed if one of them
 * wants that, until the earliest end that one of them sets.
 *
 * The watchdog knows a record whose lease is renewed, or of which an object has an onLoss. From
 * then on until redislock_record_pause_watch(), the lease changes only between rl_watchdog_hold()
 * and rl_watchdog_let_go(). Of the record itself the watchdog touches only the fields that report a
 * loss, and the flag of the VM.
 *
 * Each object with an onLoss learns of a loss once (redislock_lease_report_losses()). The watchdog
 * or PHP's thread marks the record as due, whichever sees the loss first. Only PHP's thread ends
 * that state, when all callables were called, or when no object with an onLoss is left.
 */
#ifndef REDISLOCK_RECORD_H
#define REDISLOCK_RECORD_H

#include "php/redislock_call.h"
#include "php/redislock_callable.h"
#include "php/redislock_flow.h"

#include "core/lease/rl_lease.h"
#include "core/lease/rl_renewer.h"

/* How long a lease is to live. */
typedef struct redislock_term {
	bool renews;
	int64_t max_hold_ns;
} redislock_term;

/* What the script wants for its lease. */
typedef struct redislock_policy {
	redislock_term term;
	/* Borrowed. The object adds references of its own. */
	redislock_callable on_loss;
} redislock_policy;

typedef enum redislock_loss_state {
	REDISLOCK_LOSS_NONE,
	/* The lease is lost, and an onLoss has to be called. */
	REDISLOCK_LOSS_DUE,
	REDISLOCK_LOSS_OVER,
} redislock_loss_state;

/* One object's part in a record. */
typedef struct redislock_ref {
	struct redislock_ref *next;
	redislock_term term;
	/* No renewal sets an expiry beyond this time. */
	int64_t hold_until;
	/* The object whose onLoss is called when the lease is lost. NULL = the object has no onLoss, or
	 * the callable was called. Borrowed: the object drops its ref before PHP frees the object. */
	zend_object *listener;
} redislock_ref;

typedef struct redislock_record redislock_record;
struct redislock_record {
	redislock_record *next;
	/* The pointer to this record in the request's list. */
	redislock_record **link;
	redislock_client *client; /* one reference */
	rl_lease *lease;          /* in this block */
	/* In this block. NULL = the watchdog does not know the record. */
	rl_renewal *renewal;
	/* Owned, but for first_ref, which is in this block. NULL = none left. */
	redislock_ref *refs;
	redislock_ref first_ref;
	/* Which of several slots of the lock it is, from 1 on. */
	unsigned slot;
	/* The fencing number; 0 = fence() was not called yet. */
	int64_t fence;
	/* The number of objects that point to this record. */
	unsigned objects;
	/* This record's part of the memory that a request may use for records. */
	size_t bytes;
	redislock_flow flow; /* that took the lock */
	_Atomic int loss;    /* a redislock_loss_state */
	/* The pause until the script is interrupted again; 0 = the script was not interrupted yet. Only
	 * the watchdog uses it. */
	int64_t interrupt_pause;
	/* How many records of this thread are in the state REDISLOCK_LOSS_DUE. */
	_Atomic unsigned *due;
	zend_atomic_bool *vm_interrupt; /* of this thread */
};

/* Makes a record that has no lock yet. NULL = an exception was thrown. */
redislock_record *redislock_record_new(
	redislock_client *client, rl_bytes key, size_t token_room, bool is_own_token);

/* Adds a ref for the object. All that can fail fails here, and for the first ref that is before the
 * server is asked for the lock. NULL = an exception was thrown. */
redislock_ref *redislock_record_add_ref(
	redislock_record *record, const redislock_policy *policy, zend_object *object);

/* @return true = this was the last ref */
bool redislock_record_drop_ref(redislock_record *record, redislock_ref *ref);

/* The object of the ref has no onLoss any more. */
void redislock_record_stop_listening(redislock_record *record, redislock_ref *ref);

/* Takes the record off the list and from the watchdog, and frees it. */
void redislock_record_free(redislock_record *record);

/* For MINIT: a record forgets its Fiber when PHP destroys the Fiber. */
void redislock_record_watch_fibers(void);

/* The record by which the client and the current flow hold the key; NULL = there is none.
 * @param is_slotted it may be any slot of the lock with this key */
redislock_record *redislock_record_find(
	const redislock_client *client, rl_bytes key, bool is_slotted);

/* The record by which this thread, or only the current flow, holds the key and renews it without
 * end: as long as the servers have its token, and the other flows of the thread stand still, a wait
 * for the key can never end. NULL = there is none. */
const redislock_record *redislock_record_blocking(
	const redislock_client *client, rl_bytes key, bool is_of_flow);

/* Sets what the script wants for the lease, where another policy has held since the lock was
 * won. */
void redislock_record_set_policy(redislock_record *record, redislock_ref *ref,
	const redislock_policy *policy, zend_object *object);

/* Call when the lock was granted, with the time at which the first object has it. The watchdog
 * begins to renew the lease. */
void redislock_record_won(redislock_record *record, int64_t now);

/* Call when PHP's own thread may have found that the lease is lost. An onLoss becomes due. */
void redislock_record_note_loss(redislock_record *record);

/* Takes the next object whose onLoss is due; NULL = none is due. A lease that ended by a fork does
 * not count as lost here. */
zend_object *redislock_record_next_listener(void);

/* Call before the lease is released or detached. From then on no renewal is sent and no onLoss is
 * called. */
void redislock_record_pause_watch(redislock_record *record);

/* Call after the release, whether it succeeded or failed. The watchdog forgets the record. */
void redislock_record_end_watch(redislock_record *record);

typedef enum redislock_release_way {
	REDISLOCK_RELEASE_QUIET, /* without an exception, and without yielding */
	REDISLOCK_RELEASE_YIELDS,
	/* The same, and a release that the server refuses for good becomes an exception. */
	REDISLOCK_RELEASE_THROWS,
} redislock_release_way;

/* Releases the locks, as far as there may be some, within limit_ns for all of them. The watchdog
 * repeats a release that fails.
 * @param records of one client; at most REDISLOCK_RELEASES_MAX */
void redislock_records_release(
	redislock_record **records, size_t count, int64_t limit_ns, redislock_release_way way);

/* The largest number of leases of one client that are released by one operation. */
#define REDISLOCK_RELEASES_MAX 256

/* Has the watchdog release the lock on these members. */
void redislock_record_release_late(const redislock_record *record, unsigned members);

/* The servers of the client get no releases of leases before that time, from no object of this
 * request. */
void redislock_records_back_off(redislock_client *client, int64_t until);

/* Call when the servers of memory:// have lost all keys: ends the leases of this thread that have
 * no quorum without these servers, as deleted. No onLoss is called for them, not even for one that
 * was due. */
void redislock_records_lose_memory(void);

/* Releases all leases that are left, after the request. Runs no PHP code. */
void redislock_records_release_all(void);

/* How long the end of an object or of a request waits at most, for all locks together. */
#define REDISLOCK_END_LIMIT_NS (200 * RL_NS_PER_MS)

#endif
