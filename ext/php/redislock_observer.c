/* SPDX-License-Identifier: MIT
 *
 * The observer of contention.
 */
#include "php/redislock_observer.h"

#include "php/redislock_callable.h"

#include "zend_fibers.h"

typedef struct redislock_observer {
	redislock_callable callable;
	unsigned refs; /* of the request, and of the call of the observer under way */
	bool is_running;
} redislock_observer;

static void unref(redislock_observer *observer)
{
	if (--observer->refs == 0) {
		redislock_callable_free(&observer->callable);
		efree(observer);
	}
}

void redislock_observer_set(const zend_fcall_info *function, const zend_fcall_info_cache *cache)
{
	redislock_observer *before = REDISLOCK_G(observer);
	redislock_observer *observer = NULL;
	if (function != NULL) {
		redislock_callable given = {.function = function->function_name, .cache = *cache};
		observer = emalloc(sizeof *observer);
		observer->refs = 1;
		observer->is_running = false;
		redislock_callable_copy(&observer->callable, &given);
	}
	REDISLOCK_G(observer) = observer;
	if (before != NULL) {
		unref(before); /* may run a destructor */
	}
}

void redislock_observer_forget(void)
{
	redislock_observer *observer = REDISLOCK_G(observer);
	REDISLOCK_G(observer) = NULL;
	if (observer != NULL) {
		observer->refs = 1; /* no call of it will go on */
		unref(observer);
	}
}

void redislock_observer_call(const rl_acquire *acquire, rl_bytes key)
{
	redislock_observer *observer = REDISLOCK_G(observer);
	const rl_label *holder = &acquire->seen.label;
	if (observer->is_running) {
		return; /* its own acquires are not observed */
	}
	zval arguments[4];
	zval answer;
	ZVAL_UNDEF(&answer);
	ZVAL_STRINGL(&arguments[0], key.data, key.len);
	ZVAL_DOUBLE(&arguments[1], (double) acquire->waited_ns / 1e9);
	ZVAL_BOOL(&arguments[2], acquire->op.status == RL_OK);
	ZVAL_NULL(&arguments[3]);
	if (holder->len > 0) {
		ZVAL_STRINGL(&arguments[3], holder->text, holder->len);
	}
	zend_fcall_info_cache cache = observer->callable.cache;
	zend_fcall_info function = {
		.size = sizeof function, .retval = &answer, .params = arguments, .param_count = 4};
	ZVAL_COPY_VALUE(&function.function_name, &observer->callable.function);
	observer->refs++;
	observer->is_running = true;
	zend_fiber_switch_block();
	/* PHP looks a function that __call() implements up again at each call. */
	zend_call_function(&function, cache.function_handler != NULL ? &cache : NULL);
	zend_fiber_switch_unblock();
	observer->is_running = false;
	zval_ptr_dtor(&answer);
	zval_ptr_dtor(&arguments[0]);
	zval_ptr_dtor(&arguments[3]);
	unref(observer);
}
