/* SPDX-License-Identifier: MIT
 *
 * The class RedisLockLease. Each object has for each of its keys a ref of a lease record
 * (redislock_record.h). The object holds its keys as long as the leases of all records are held:
 * the earliest end counts, and the first loss is the object's.
 */
#ifndef REDISLOCK_LEASE_H
#define REDISLOCK_LEASE_H

#include "php/redislock_call_site.h"
#include "php/redislock_record.h"

/* Makes an object with room for so many keys. Until each of them has its lock, the object is for
 * the caller alone; dropping it frees the locks that it has by then.
 * @param policy its on_loss is the object's */
void redislock_lease_make(zval *object, unsigned keys, const redislock_policy *policy);

/* Adds a record that has no lock yet. NULL = an exception was thrown. */
redislock_record *redislock_lease_add(zval *object, redislock_client *client, rl_bytes key,
	size_t token_room, bool is_own_token, const redislock_policy *policy);

/* Adds a record that has its lock. False = an exception was thrown. */
bool redislock_lease_enter(zval *object, redislock_record *record, const redislock_policy *policy);

/* Undoes the latest redislock_lease_enter() of the object. */
void redislock_lease_leave(zval *object);

/* Notes the call whose result is the object. */
void redislock_lease_set_call_site(zval *object, redislock_call_site call_site);

/* Call when the lock of the key that was added last was granted, and the lease of its record has
 * begun. The watchdog renews that lease from now on. */
void redislock_lease_won(zval *object, int64_t waited_ns, uint64_t attempts);

/* True when the object has lost one of its keys. @param[out] index of that key */
bool redislock_lease_has_lost(zval *object, unsigned *index);

/* Sets the policy of an object whose keys were taken by another one. */
void redislock_lease_set_policy(zval *object, const redislock_policy *policy);

/* Frees the locks of all keys; the object has room for the same keys again. */
void redislock_lease_give_back(zval *object);

/* Calls each onLoss that is due, if PHP allows a call at this moment. */
void redislock_lease_report_losses(void);

/* Ends the lease when the section of synchronized() or once() is over, even where other code keeps
 * the object, as the trace of an exception does. Throws when the lock was lost, unless the section
 * itself has thrown.
 * @param done_ms once(): for how long the release leaves the mark of work that is done, unless the
 *   section has thrown; else 0 */
void redislock_lease_end_section(zval *object, zval *result, int64_t done_ms);

/* The comparison handler of both classes: an object equals only itself. */
int redislock_compare_identity(zval *a, zval *b);

/* For MINIT, when the class is registered. */
void redislock_lease_set_up(zend_class_entry *ce);

#endif
