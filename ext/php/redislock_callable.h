/* SPDX-License-Identifier: MIT
 *
 * A callable of the script that is kept and called later, such as the onLoss of a lease.
 */
#ifndef REDISLOCK_CALLABLE_H
#define REDISLOCK_CALLABLE_H

#include "php.h"

typedef struct redislock_callable {
	/* Undefined = there is no callable. */
	zval function;
	/* What PHP found when it looked the function up. */
	zend_fcall_info_cache cache;
} redislock_callable;

static inline bool redislock_callable_is_set(const redislock_callable *callable)
{
	return !Z_ISUNDEF(callable->function);
}

/* Adds references for everything that the copy refers to. */
void redislock_callable_copy(redislock_callable *to, const redislock_callable *from);

/* Moves the callable out: *from has none afterwards. */
redislock_callable redislock_callable_take(redislock_callable *from);

/* Drops the references. May run destructors. */
void redislock_callable_free(redislock_callable *callable);

/* Calls the function with the object as its only argument, and discards the result. No Fiber is
 * switched meanwhile. */
void redislock_callable_call(const redislock_callable *callable, zend_object *argument);

/* For the garbage collector: adds what the callable refers to. */
void redislock_callable_add_gc(const redislock_callable *callable, zend_get_gc_buffer *buffer);

#endif
