/* SPDX-License-Identifier: MIT
 *
 * The VM's hook. The design is in the header.
 */
#include "php_redislock.h"

#include "php/redislock_exception.h"
#include "php/redislock_held.h"
#include "php/redislock_interrupt.h"

#include "zend_fibers.h"
#include "zend_generators.h"
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

/* Called by the engine itself, and nothing is there that could take an exception. */
static bool is_called_by_engine(const zend_execute_data *frame)
{
	uint32_t info = ZEND_CALL_INFO(frame);
	if ((info & ZEND_CALL_GENERATOR) != 0) {
		/* One that is destroyed runs its finally blocks. */
		const zend_generator *generator = (const zend_generator *) frame->return_value;
		return (generator->flags & ZEND_GENERATOR_FORCED_CLOSE) != 0;
	}
	if (ZEND_CALL_KIND_EX(info) != ZEND_CALL_TOP_FUNCTION) {
		return false;
	}
	const zend_execute_data *caller = frame->prev_execute_data;
	if (caller == NULL) {
		return true; /* a handler of uncaught exceptions */
	}
	/* pcntl_signal_dispatch() */
	return caller->func != NULL && !ZEND_USER_CODE(caller->func->type) &&
		caller->func->internal_function.module != NULL &&
		strcmp(caller->func->internal_function.module->name, "pcntl") == 0;
}

/* ---- the point in the code ---- */

/* What the next instruction has to do with an exception before it; see DESIGN in the header. */
typedef enum point {
	POINT_SAFE,     /* has nothing to free */
	POINT_CONSUMES, /* would have freed its operands, or moved them on */
	POINT_SENDS,    /* the same, into an argument of the call that is being made */
	POINT_BAD,      /* nobody knows */
} point;

#define LOOK_INTO_MAX 1000

/* Freeing it runs no PHP code. */
static bool is_simple(const zval *value)
{
	if (!Z_REFCOUNTED_P(value) || Z_TYPE_P(value) == IS_STRING) {
		return true;
	}
	if (Z_TYPE_P(value) != IS_ARRAY || zend_hash_num_elements(Z_ARRVAL_P(value)) > LOOK_INTO_MAX) {
		return false;
	}
	zval *element;
	ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(value), element) {
		if (Z_REFCOUNTED_P(element) && Z_TYPE_P(element) != IS_STRING) {
			return false;
		}
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

static bool is_temporary(uint8_t type)
{
	return (type & (IS_TMP_VAR | IS_VAR)) != 0;
}

static bool has_nothing_to_free(const zend_execute_data *frame, uint8_t type, znode_op operand)
{
	return !is_temporary(type) || !Z_REFCOUNTED_P(ZEND_CALL_VAR(frame, operand.var));
}

static point if_all(bool condition, point then)
{
	return condition ? then : POINT_BAD;
}

/* The hook is called before an instruction, but also in the middle of one, when that has run PHP code. So operands
 * are only touched where no PHP code can have run; where they have nothing to free it does not matter. */
static point point_of(const zend_execute_data *frame)
{
	if (frame == NULL || frame->func == NULL || !ZEND_USER_CODE(frame->func->type)) {
		return POINT_SAFE; /* a function of C hands an exception on */
	}
	const zend_op *next = frame->opline;
	const zval *first = is_temporary(next->op1_type) ? ZEND_CALL_VAR(frame, next->op1.var) : NULL;
	switch (next->opcode) {
		case ZEND_FE_FETCH_R:
		case ZEND_FE_FETCH_RW:
			return POINT_SAFE; /* the loop's own temporary outlives the instruction */
		case ZEND_QM_ASSIGN:
			return POINT_CONSUMES;
		case ZEND_SEND_VAL:
		case ZEND_SEND_VAR:
			return if_all(next->op2_type != IS_CONST, POINT_SENDS); /* else it has a name */
		case ZEND_ASSIGN:
			return if_all(!is_temporary(next->op2_type) ||
					(next->op1_type == IS_CV && is_simple(ZEND_CALL_VAR(frame, next->op1.var))),
				POINT_CONSUMES);
		case ZEND_RETURN:
			return if_all(
				first == NULL || is_simple(first) || frame->return_value != NULL, POINT_CONSUMES);
		case ZEND_FREE:
			return if_all(is_simple(first) && (next->extended_value & ZEND_FREE_ON_RETURN) == 0,
				POINT_CONSUMES);
		case ZEND_JMPZ:
		case ZEND_JMPNZ:
		case ZEND_JMPZ_EX:
		case ZEND_JMPNZ_EX:
		case ZEND_BOOL:
		case ZEND_BOOL_NOT:
		case ZEND_TYPE_CHECK:
			return if_all(first == NULL || is_simple(first), POINT_CONSUMES);
		case ZEND_IS_IDENTICAL:
		case ZEND_IS_NOT_IDENTICAL:
			return if_all(
				first != NULL && is_simple(first) && next->op2_type == IS_CONST, POINT_CONSUMES);
		case ZEND_ROPE_INIT:
		case ZEND_ROPE_ADD:
		case ZEND_ROPE_END:
		case ZEND_FE_FREE:
		case ZEND_DO_FCALL:
		case ZEND_DO_ICALL:
		case ZEND_DO_UCALL:
		case ZEND_DO_FCALL_BY_NAME:
		case ZEND_SEND_VAL_EX:
		case ZEND_SEND_VAR_EX:
		case ZEND_SEND_VAR_NO_REF:
		case ZEND_SEND_VAR_NO_REF_EX:
		case ZEND_SEND_REF:
		case ZEND_SEND_FUNC_ARG:
		case ZEND_SEND_UNPACK:
		case ZEND_SEND_ARRAY:
		case ZEND_SEND_USER:
		case ZEND_CHECK_UNDEF_ARGS:
			return POINT_BAD;
		default: {
			bool is_free = has_nothing_to_free(frame, next->op1_type, next->op1) &&
				has_nothing_to_free(frame, next->op2_type, next->op2);
			if (next[1].opcode == ZEND_OP_DATA) {
				is_free = is_free && has_nothing_to_free(frame, next[1].op1_type, next[1].op1);
			}
			return if_all(is_free, POINT_SAFE);
		}
	}
}

/* The engine frees the variable itself when an exception comes at this point. */
static bool is_freed_by_engine(const zend_op_array *code, uint32_t at, uint32_t var)
{
	for (int i = 0; i < code->last_live_range; i++) {
		const zend_live_range *range = &code->live_range[i];
		if (at >= range->start && at < range->end && (range->var & ~ZEND_LIVE_MASK) == var) {
			return true;
		}
	}
	return false;
}

static void free_operand(zend_execute_data *frame, const zend_op *next, uint8_t type, uint32_t var)
{
	const zend_op_array *code = &frame->func->op_array;
	uint32_t at = (uint32_t) (next - code->opcodes);
	if (is_temporary(type) && !is_freed_by_engine(code, at, var)) {
		zval *value = ZEND_CALL_VAR(frame, var);
		zval_ptr_dtor_nogc(value);
		ZVAL_UNDEF(value);
	}
}

/* Throws, wherever the VM stands, and does what the instruction that will not run would have done about its
 * operands. */
static void throw_here(const rl_lease *lease)
{
	zend_execute_data *frame = EG(current_execute_data);
	point here = point_of(frame);
	const zend_op *next = here == POINT_SAFE ? NULL : frame->opline;
	redislock_throw_lost(lease, false, NULL); /* the frame then stands at the handling of it */
	if (next == NULL) {
		return;
	}
	if (here == POINT_SENDS) {
		ZVAL_UNDEF(ZEND_CALL_VAR(frame->call, next->result.var)); /* it counts as sent */
	}
	free_operand(frame, next, next->op1_type, next->op1.var);
	free_operand(frame, next, next->op2_type, next->op2.var);
}

/* ---- the hook ---- */

static bool may_throw(void)
{
	if (EG(exception) != NULL || REDISLOCK_G(hook_depth) > 0 || CG(unclean_shutdown) ||
		(EG(flags) & EG_FLAGS_IN_SHUTDOWN) != 0) {
		return false;
	}
	for (const zend_execute_data *frame = EG(current_execute_data); frame != NULL;
		 frame = frame->prev_execute_data) {
		if (frame->func == NULL) {
			continue;
		}
		if (is_destructor(frame->func) ||
			(ZEND_USER_CODE(frame->func->type) &&
				(is_called_by_engine(frame) || has_exception_in_flight(frame)))) {
			return false;
		}
	}
	return point_of(EG(current_execute_data)) != POINT_BAD;
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
		REDISLOCK_G(hook_depth)++; /* signal handlers come here, too */
		previous_hook(frame);
		REDISLOCK_G(hook_depth)--;
	}
	redislock_held *held =
		atomic_load(&REDISLOCK_G(interrupts_due)) > 0 ? find_due(EG(current_fiber_context)) : NULL;
	if (held == NULL) {
		return;
	}
	if (!may_throw()) {
		/* Not by setting the flag here: the VM would look again at the same instruction, for ever. */
		atomic_store(&held->was_refused, true);
		return;
	}
	atomic_store(&held->interrupt, REDISLOCK_INTERRUPT_OVER);
	atomic_fetch_sub(&REDISLOCK_G(interrupts_due), 1);
	throw_here(held->lease);
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
