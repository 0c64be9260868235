/* SPDX-License-Identifier: MIT
 *
 * The VM's hook. The design is in the header.
 */
#include "php_redislock.h"

#include "php/redislock_exception.h"
#include "php/redislock_held.h"
#include "php/redislock_interrupt.h"

#include "zend_fibers.h"
#include "zend_observer.h"

static void (*previous_hook)(zend_execute_data *frame);

static bool is_destructor(const zend_function *function)
{
	return function->common.scope != NULL && function->common.scope->destructor == function;
}

/* The frame runs a finally block that an exception waits behind, or handles an exception. */
static bool has_exception_in_flight(const zend_execute_data *frame)
{
	const zend_op_array *code = &frame->func->op_array;
	if (frame->opline < code->opcodes || frame->opline >= code->opcodes + code->last) {
		return true; /* on its way to a handler */
	}
	uint32_t at = (uint32_t) (frame->opline - code->opcodes);
	for (int i = 0; i < code->last_try_catch; i++) {
		const zend_try_catch_element *part = &code->try_catch_array[i];
		if (part->finally_op == 0 || at < part->finally_op || at >= part->finally_end) {
			continue;
		}
		/* The VM keeps it in the variable of the block's last instruction. */
		const zval *kept = ZEND_CALL_VAR(frame, code->opcodes[part->finally_end].op1.var);
		if (Z_OBJ_P(kept) != NULL) {
			return true;
		}
	}
	return false;
}

static bool may_throw(void)
{
	if (EG(exception) != NULL || CG(unclean_shutdown) || (EG(flags) & EG_FLAGS_IN_SHUTDOWN) != 0) {
		return false;
	}
	for (const zend_execute_data *frame = EG(current_execute_data); frame != NULL;
		 frame = frame->prev_execute_data) {
		if (frame->func == NULL) {
			continue;
		}
		if (is_destructor(frame->func) ||
			(ZEND_USER_CODE(frame->func->type) && has_exception_in_flight(frame))) {
			return false;
		}
	}
	return true;
}

/* One of this Fiber's that is due; NULL = none. */
static redislock_held *find_due(const void *fiber)
{
	for (redislock_held *held = REDISLOCK_G(held); held != NULL; held = held->next) {
		if (held->fiber == fiber && atomic_load(&held->interrupt) == REDISLOCK_INTERRUPT_DUE) {
			return held;
		}
	}
	return NULL;
}

static void on_interrupt(zend_execute_data *frame)
{
	if (previous_hook != NULL) {
		previous_hook(frame);
	}
	if (atomic_load(&REDISLOCK_G(interrupts_due)) == 0 || !may_throw()) {
		return;
	}
	redislock_held *held = find_due(EG(current_fiber_context));
	if (held != NULL) {
		atomic_store(&held->interrupt, REDISLOCK_INTERRUPT_OVER);
		atomic_fetch_sub(&REDISLOCK_G(interrupts_due), 1);
		redislock_throw_lost(held->lease, false, NULL);
	}
}

static void on_fiber_switch(zend_fiber_context *from, zend_fiber_context *to)
{
	(void) from;
	if (atomic_load(&REDISLOCK_G(interrupts_due)) > 0 && find_due(to) != NULL) {
		zend_atomic_bool_store_ex(&EG(vm_interrupt), true);
	}
}

/* Its address may be another Fiber's next. */
static void on_fiber_destroyed(zend_fiber_context *fiber)
{
	for (redislock_held *held = REDISLOCK_G(held); held != NULL; held = held->next) {
		if (held->fiber == (const void *) fiber) {
			held->fiber = NULL;
		}
	}
}

void redislock_interrupt_set_up(void)
{
	previous_hook = zend_interrupt_function;
	zend_interrupt_function = on_interrupt;
	zend_observer_fiber_switch_register(on_fiber_switch);
	zend_observer_fiber_destroy_register(on_fiber_destroyed);
}

void redislock_interrupt_tear_down(void)
{
	if (zend_interrupt_function == on_interrupt) {
		zend_interrupt_function = previous_hook;
	}
}
