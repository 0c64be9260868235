/* SPDX-License-Identifier: MIT
 *
 * The observer of contention.
 */
#include "php/redislock_observer.h"

#include "php/redislock_callable.h"

#include "zend_fibers.h"

void redislock_observer_set(const zend_fcall_info *function, const zend_fcall_info_cache *cache)
{
	redislock_hook *before = REDISLOCK_G(observer);
	REDISLOCK_G(observer) = redislock_hook_new(function, cache);
	redislock_hook_drop(before); /* may run a destructor */
}

void redislock_observer_forget(void)
{
	redislock_hook *observer = REDISLOCK_G(observer);
	REDISLOCK_G(observer) = NULL;
	redislock_hook_drop(observer);
}

void redislock_observer_call(const rl_acquire *acquire, rl_bytes key)
{
	redislock_hook *observer = REDISLOCK_G(observer);
	const rl_label *holder = &acquire->seen.label;
	zval arguments[4];
	zval answer;
	if (redislock_hook_is_running(observer)) {
		return; /* its own acquires are not observed */
	}
	ZVAL_STRINGL(&arguments[0], key.data, key.len);
	ZVAL_DOUBLE(&arguments[1], (double) acquire->waited_ns / 1e9);
	ZVAL_BOOL(&arguments[2], acquire->op.status == RL_OK);
	ZVAL_NULL(&arguments[3]);
	if (holder->len > 0) {
		ZVAL_STRINGL(&arguments[3], holder->text, holder->len);
	}
	zend_fiber_switch_block();
	redislock_hook_run(observer, arguments, 4, &answer);
	zend_fiber_switch_unblock();
	zval_ptr_dtor(&answer);
	zval_ptr_dtor(&arguments[0]);
	zval_ptr_dtor(&arguments[3]);
}
