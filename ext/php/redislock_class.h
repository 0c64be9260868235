/* SPDX-License-Identifier: MIT
 *
 * The class RedisLock.
 */
#ifndef REDISLOCK_CLASS_H
#define REDISLOCK_CLASS_H

#include "php/redislock_call.h"

/* Registers the class and the exceptions; in MINIT. */
void redislock_class_register(void);

/* disable_classes makes PHP create the objects of a class without the memory that this extension
 * keeps beside them, and exceptions that PHP cannot throw. So a process with such a setting gets no
 * RedisLock at all. False = an Error was thrown. */
bool redislock_classes_are_intact(void);

/* ---- for redislock_class.c and redislock_class_lease.c ---- */

/* The object's client. NULL = its constructor never ran, and an exception was thrown. */
redislock_client *redislock_client_of(zval *self);

/* Refuses a wait that only this thread could end, because one of its own leases holds the key: of
 * this flow, or of another flow, which stands still while this one waits. The servers must confirm
 * that, because the key may have been deleted or have another holder by now. If they cannot be
 * asked, the wait goes on as any other wait.
 * @param[in,out] wait_ns the time that the question has taken is taken off the wait
 * @return false = an exception was thrown */
bool redislock_check_deadlock(
	redislock_client *client, rl_bytes key, int64_t *wait_ns, const zend_string *name);

/* Refuses a token whose release is still being repeated on the same servers: that release could
 * free the new lock. False = an exception was thrown. */
bool redislock_check_unreleased(
	const redislock_client *client, rl_bytes key, rl_bytes token, const zend_string *name);

#endif
