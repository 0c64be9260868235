/* SPDX-License-Identifier: MIT
 *
 * The class RedisLockLease: an object for each holding of a record (redislock_record.h).
 */
#ifndef REDISLOCK_LEASE_H
#define REDISLOCK_LEASE_H

#include "php/redislock_birth.h"
#include "php/redislock_record.h"

/* Makes an object with a record that holds nothing yet. NULL with an exception. */
redislock_record *redislock_lease_new(zval *object, redislock_client *client, rl_bytes key,
	size_t token_room, bool is_own_token, const redislock_policy *policy);

/* Makes an object that enters it again. False with an exception. */
bool redislock_lease_enter(zval *object, redislock_record *record, const redislock_policy *policy);

/* The object is the result of the script's call. */
void redislock_lease_set_birth(zval *object, redislock_birth birth);

/* The lock was won: proof is in the record, this is the object's own part. Its keeping begins. */
void redislock_lease_won(zval *object, int64_t waited_ns, uint64_t attempts);

/* Sets a new TTL at the server. False = lost, or with an exception. */
bool redislock_lease_prolong(redislock_record *record, int64_t ttl_ms);

/* Calls the object's onLoss with the object, for the last time. */
void redislock_lease_call_on_loss(zend_object *object);

/* The section of synchronized() is over: ends the holding, also when somebody keeps the object, as the trace of
 * an exception does. Throws when the lock was lost, unless the section has thrown itself. */
void redislock_lease_end_section(zval *object, zval *result);

/* Two objects are equal when they are the same. A handler of both classes. */
int redislock_compare_identity(zval *a, zval *b);

/* In MINIT, when the class is registered. */
void redislock_lease_set_up(zend_class_entry *ce);

#endif
