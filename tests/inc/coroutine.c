/* SPDX-License-Identifier: MIT
 *
 * An extension for tests: in_coroutine(callable) calls the function on a stack of PHP of its own,
 * and in the same Fiber context, as coroutines of Swoole run.
 */
#include "php.h"

PHP_FUNCTION(in_coroutine)
{
	zend_fcall_info call;
	zend_fcall_info_cache cache;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_FUNC(call, cache)
	ZEND_PARSE_PARAMETERS_END();
	zend_vm_stack stack = EG(vm_stack);
	zval *top = EG(vm_stack_top);
	zval *end = EG(vm_stack_end);
	size_t page_size = EG(vm_stack_page_size);
	zend_vm_stack_init_ex(8192);
	call.retval = return_value;
	zend_call_function(&call, &cache);
	zend_vm_stack_destroy();
	EG(vm_stack) = stack;
	EG(vm_stack_top) = top;
	EG(vm_stack_end) = end;
	EG(vm_stack_page_size) = page_size;
}

ZEND_BEGIN_ARG_INFO_EX(arginfo_in_coroutine, 0, 0, 1)
ZEND_ARG_INFO(0, function)
ZEND_END_ARG_INFO()

static const zend_function_entry functions[] = {
	PHP_FE(in_coroutine, arginfo_in_coroutine) PHP_FE_END};

zend_module_entry coroutine_module_entry = {STANDARD_MODULE_HEADER, "coroutine", functions, NULL,
	NULL, NULL, NULL, NULL, "1", STANDARD_MODULE_PROPERTIES};

#ifdef ZTS
ZEND_TSRMLS_CACHE_DEFINE()
#endif
ZEND_GET_MODULE(coroutine)
