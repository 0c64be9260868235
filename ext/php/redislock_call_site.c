/* SPDX-License-Identifier: MIT
 *
 * Where a lease was taken, and whether the same statement drops it. The design is in the header.
 */
#include "php_redislock.h"

#include "php/compat.h"
#include "php/redislock_call_site.h"

redislock_call_site redislock_call_site_note(void)
{
	redislock_call_site site = {.number = ++REDISLOCK_G(call_sites)};
	const zend_execute_data *caller = EG(current_execute_data)->prev_execute_data;
	if (caller != NULL && caller->func != NULL && ZEND_USER_CODE(caller->func->type)) {
		site.frame = caller;
		site.call = caller->opline;
	}
	return site;
}

/* True when the instruction belongs to the function that the frame runs: PHP may have reused the
 * memory of both since. */
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

/* True when the result of the first instruction is the first operand of the second. */
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

/* The instruction after `a ?? b` or `a ?: b`, where a is the call; NULL = there is no such
 * expression. */
static const zend_op *end_of_alternative(const zend_op *next)
{
	bool is_alternative = next->opcode == ZEND_COALESCE || next->opcode == ZEND_JMP_SET;
	return is_alternative ? OP_JMP_ADDR(next, next->op2) : NULL;
}

bool redislock_call_site_discards(const redislock_call_site *site, const zend_object *object)
{
	const zend_execute_data *frame = EG(current_execute_data);
	if (site->frame == NULL || site->frame != frame || EG(exception) != NULL ||
		site->number != REDISLOCK_G(call_sites) || !is_in_frame(frame, site->call)) {
		return false;
	}
	const zend_op *call = site->call;
	const zend_op *next = call + 1;
	const zend_op *now = frame->opline;
	if (now == call) {
		return call->result_type == IS_UNUSED && !redislock_vm_reports_discards();
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
