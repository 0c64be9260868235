/* SPDX-License-Identifier: MIT
 *
 * Callables of the script.
 */
#include "php/redislock_callable.h"

#include "zend_fibers.h"

void redislock_callable_copy(redislock_callable *to, const redislock_callable *from)
{
	ZVAL_COPY(&to->function, &from->function);
	to->cache = from->cache;
	if (from->cache.object != NULL) {
		GC_ADDREF(from->cache.object);
	}
}

redislock_callable redislock_callable_take(redislock_callable *from)
{
	redislock_callable taken = *from;
	ZVAL_UNDEF(&from->function);
	return taken;
}

void redislock_callable_free(redislock_callable *callable)
{
	zend_object *object = redislock_callable_is_set(callable) ? callable->cache.object : NULL;
	zval_ptr_dtor(&callable->function);
	ZVAL_UNDEF(&callable->function);
	if (object != NULL) {
		OBJ_RELEASE(object);
	}
}

void redislock_callable_call(const redislock_callable *callable, zend_object *argument)
{
	zval retval;
	zval parameter;
	zend_fcall_info_cache cache = callable->cache;
	ZVAL_OBJ(&parameter, argument);
	zend_fcall_info call = {
		.size = sizeof call, .retval = &retval, .params = &parameter, .param_count = 1};
	ZVAL_COPY_VALUE(&call.function_name, &callable->function);
	zend_fiber_switch_block();
	/* PHP looks a function that __call() implements up again at each call. */
	zend_call_function(&call, cache.function_handler != NULL ? &cache : NULL);
	zend_fiber_switch_unblock();
	zval_ptr_dtor(&retval);
}

redislock_hook *redislock_hook_new(
	const zend_fcall_info *function, const zend_fcall_info_cache *cache)
{
	if (function == NULL) {
		return NULL;
	}
	redislock_callable given = {.function = function->function_name, .cache = *cache};
	redislock_hook *hook = emalloc(sizeof *hook);
	hook->refs = 1;
	redislock_callable_copy(&hook->callable, &given);
	return hook;
}

void redislock_hook_drop(redislock_hook *hook)
{
	if (hook != NULL && --hook->refs == 0) {
		redislock_callable_free(&hook->callable);
		efree(hook);
	}
}

void redislock_hook_discard(redislock_hook **slot)
{
	if (*slot != NULL) {
		efree(*slot);
		*slot = NULL;
	}
}

void redislock_hook_run(redislock_hook *hook, zval *arguments, uint32_t count, zval *answer)
{
	zend_fcall_info_cache cache = hook->callable.cache;
	ZVAL_UNDEF(answer);
	zend_fcall_info function = {
		.size = sizeof function, .retval = answer, .params = arguments, .param_count = count};
	ZVAL_COPY_VALUE(&function.function_name, &hook->callable.function);
	hook->refs++;
	/* PHP looks a function that __call() implements up again at each call. */
	zend_call_function(&function, cache.function_handler != NULL ? &cache : NULL);
	redislock_hook_drop(hook);
}

void redislock_callable_add_gc(const redislock_callable *callable, zend_get_gc_buffer *buffer)
{
	zval function = callable->function;
	zend_get_gc_buffer_add_zval(buffer, &function);
	if (callable->cache.object != NULL) {
		zend_get_gc_buffer_add_obj(buffer, callable->cache.object);
	}
}
