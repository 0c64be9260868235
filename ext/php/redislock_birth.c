/* SPDX-License-Identifier: MIT
 *
 * Leases that are dropped at once. The design is in the header.
 */
#include "php_redislock.h"

#include "php/compat.h"
#include "php/redislock_birth.h"

redislock_birth redislock_birth_of_call(void)
{
	redislock_birth birth = {.number = ++REDISLOCK_G(births)};
	const zend_execute_data *caller = EG(current_execute_data)->prev_execute_data;
	if (caller != NULL && caller->func != NULL && ZEND_USER_CODE(caller->func->type)) {
		birth.frame = caller;
		birth.call = caller->opline;
	}
	return birth;
}

/* The instruction is one of the function's that the frame runs: the memory may be another's by now. */
static bool is_in_frame(const zend_execute_data *frame, const zend_op *op)
{
	if (frame->func == NULL || !ZEND_USER_CODE(frame->func->type)) {
		return false;
	}
	const zend_op_array *code = &frame->func->op_array;
	return op >= code->opcodes && op + 1 < code->opcodes + code->last;
}

static bool is_temporary(uint8_t type)
{
	return (type & (IS_TMP_VAR | IS_VAR)) != 0;
}

/* What the first instruction results in is the first operand of the second. */
static bool feeds(const zend_op *first, const zend_op *second)
{
	return is_temporary(first->result_type) && second->op1_type == first->result_type &&
		second->op1.var == first->result.var;
}

static bool has_as_operand(
	const zend_execute_data *frame, const zend_op *op, const zend_object *object)
{
	const zval *operand = ZEND_CALL_VAR(frame, op->op1.var);
	return Z_TYPE_P(operand) == IS_OBJECT && Z_OBJ_P(operand) == object;
}

/* The value of `a ?? b` or `a ?: b`, where a is the call. */
static const zend_op *end_of_alternative(const zend_op *next)
{
	bool is_alternative = next->opcode == ZEND_COALESCE || next->opcode == ZEND_JMP_SET;
	return is_alternative ? OP_JMP_ADDR(next, next->op2) : NULL;
}

bool redislock_birth_was_wasted(const redislock_birth *birth, const zend_object *object)
{
	const zend_execute_data *frame = EG(current_execute_data);
	if (birth->frame == NULL || birth->frame != frame || EG(exception) != NULL ||
		birth->number != REDISLOCK_G(births) || !is_in_frame(frame, birth->call)) {
		return false;
	}
	const zend_op *call = birth->call;
	const zend_op *next = call + 1;
	const zend_op *now = frame->opline;
	if (now == call) {
		return call->result_type == IS_UNUSED && !redislock_vm_tells_of_discards();
	}
	if (!feeds(call, next)) {
		return false;
	}
	if (now == next) {
		return has_as_operand(frame, now, object);
	}
	return now == end_of_alternative(next) && feeds(next, now) &&
		has_as_operand(frame, now, object);
}
