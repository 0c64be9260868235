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

/* A callable that is set for all calls of the request, and may replace itself while it runs. */
typedef struct redislock_hook {
	redislock_callable callable;
	/* One of the request, and one of each call that runs it. */
	unsigned refs;
} redislock_hook;

/* A hook with one reference. @param function NULL = NULL is returned */
redislock_hook *redislock_hook_new(
	const zend_fcall_info *function, const zend_fcall_info_cache *cache);

/* Drops the reference of the request. May run destructors. @param hook NULL = nothing is done */
void redislock_hook_drop(redislock_hook *hook);

/* For the time after the request, when the objects are gone: frees a hook that is still set,
 * because a session handler has set it after RSHUTDOWN, or because RSHUTDOWN was cut short. */
void redislock_hook_discard(redislock_hook **slot);

static inline bool redislock_hook_is_running(const redislock_hook *hook)
{
	return hook->refs > 1;
}

/* Calls the function. May throw, and bail out. @param[out] answer undefined when it has thrown */
void redislock_hook_run(redislock_hook *hook, zval *arguments, uint32_t count, zval *answer);

/* For the garbage collector: adds what the callable refers to. */
void redislock_callable_add_gc(const redislock_callable *callable, zend_get_gc_buffer *buffer);

#endif
