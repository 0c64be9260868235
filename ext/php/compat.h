/* SPDX-License-Identifier: MIT
 *
 * The differences between PHP versions. Only this file asks for the version.
 */
#ifndef REDISLOCK_COMPAT_H
#define REDISLOCK_COMPAT_H

#include "php.h"
#include "zend_attributes.h"

#if PHP_VERSION_ID < 80200
# error "redislock needs PHP 8.2 or later"
#endif

/* True where PHP has #[\NoDiscard]: there the VM itself warns when a script uses no result of a
 * call. */
static inline bool redislock_vm_reports_discards(void)
{
#ifdef ZEND_ACC_NODISCARD
	return true;
#else
	return false;
#endif
}

static inline void redislock_forbid_discard(zend_class_entry *ce, const char *method)
{
#ifdef ZEND_ACC_NODISCARD
	zend_function *function = zend_hash_str_find_ptr(&ce->function_table, method, strlen(method));
	zend_string *name = zend_string_init_interned("NoDiscard", sizeof "NoDiscard" - 1, true);
	function->common.fn_flags |= ZEND_ACC_NODISCARD;
	zend_add_function_attribute(function, name, 0);
	zend_string_release(name);
#else
	(void) ce;
	(void) method;
#endif
}

/* True when PHP has to run signal handlers, the time limit or an extension's hook on this
 * thread. */
static inline bool redislock_vm_is_interrupted(void)
{
	return zend_atomic_bool_load_ex(&EG(vm_interrupt));
}

/* Handles a pending interrupt of the VM, as the VM does between two opcodes. The handler may
 * throw an exception, or bail out, so that this function does not return. */
static inline void redislock_vm_run_interrupt(void)
{
	zend_atomic_bool_store_ex(&EG(vm_interrupt), false);
	if (zend_atomic_bool_load_ex(&EG(timed_out))) {
		zend_timeout();
#ifdef ZEND_HAS_OOM
	} else if (ZEND_HAS_OOM()) { /* some builds report the memory limit so */
		zend_handle_delayed_oom();
#endif
	} else if (zend_interrupt_function != NULL) {
		zend_interrupt_function(EG(current_execute_data));
	}
}

#endif
