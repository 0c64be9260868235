/* SPDX-License-Identifier: MIT
 *
 * The class RedisLockLease. Each object has one ref of a lease record (redislock_record.h).
 */
#ifndef REDISLOCK_LEASE_H
#define REDISLOCK_LEASE_H

#include "php/redislock_call_site.h"
#include "php/redislock_record.h"

/* Makes an object with a record that has no lock yet. NULL = an exception was thrown. */
redislock_record *redislock_lease_new(zval *object, redislock_client *client, rl_bytes key,
	size_t token_room, bool is_own_token, const redislock_policy *policy);

/* Makes another object for the record. False = an exception was thrown. */
bool redislock_lease_enter(zval *object, redislock_record *record, const redislock_policy *policy);

/* Notes the call whose result is the object. */
void redislock_lease_set_call_site(zval *object, redislock_call_site call_site);

/* Call when the lock was granted and the record's lease has begun. Sets the object's own part, and
 * has the watchdog renew the lease. */
void redislock_lease_won(zval *object, int64_t waited_ns, uint64_t attempts);

/* Calls each onLoss that is due, if PHP allows a call at this moment. */
void redislock_lease_report_losses(void);

/* Ends the lease when the section of synchronized() is over, even where other code keeps the
 * object, as the trace of an exception does. Throws when the lock was lost, unless the section
 * itself has thrown. */
void redislock_lease_end_section(zval *object, zval *result);

/* The comparison handler of both classes: an object equals only itself. */
int redislock_compare_identity(zval *a, zval *b);

/* For MINIT, when the class is registered. */
void redislock_lease_set_up(zend_class_entry *ce);

#endif
