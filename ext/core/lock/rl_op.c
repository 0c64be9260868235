/* SPDX-License-Identifier: MIT
 *
 * What all operations share.
 */
#include "core/lock/rl_op.h"

#include "core/base/rl_block.h"
#include "core/lock/rl_order.h"

#include <stdlib.h>
#include <string.h>

void *rl_op_alloc(size_t size, const rl_op_class *class, rl_set *set, rl_pool *pool,
	const rl_env *env, rl_bytes key, size_t token_room, char **token)
{
	size_t members_at = rl_aligned(size);
	size_t errors_at = members_at + set->count * sizeof(rl_errand);
	size_t order_at = errors_at + set->count * sizeof(rl_error);
	size_t key_at = order_at + set->count;
	size_t names_size = rl_names_size(key.len);
	size_t block_size = key_at + names_size + token_room;
	char *block = rl_pool_take_block(pool, block_size);
	if (block == NULL) {
		return NULL;
	}
	memset(block, 0, errors_at); /* all that is cleared; the errors are too large for that */
	rl_op *op = (rl_op *) (void *) block;
	op->size = block_size;
	rl_quorum_call *call = &op->call;
	rl_names names = rl_names_put(block + key_at, key, set->naming);
	*token = block + key_at + names_size;
	op->class = class;
	op->lock = names.lock;
	call->terms.set = set;
	call->terms.pool = pool;
	call->terms.env = env;
	call->terms.request.key = names.key;
	call->terms.request.mark = names.mark;
	call->terms.request.tickets = names.tickets;
	call->terms.request.slot = names.slot;
	call->members = (rl_errand *) (void *) (block + members_at);
	call->order = (unsigned char *) block + order_at;
	rl_order(set, key, call->order);
	rl_error *errors = (rl_error *) (void *) (block + errors_at);
	for (unsigned i = 0; i < set->count; i++) {
		call->members[i].terms = &call->terms;
		call->members[i].server = &set->members[i];
		call->members[i].err = &errors[i];
		errors[i].status = RL_OK;
	}
	return block;
}

void rl_op_set_permit(rl_op *op, char *room, rl_bytes key, unsigned permits)
{
	memcpy(room, key.data, key.len);
	op->call.terms.request.key = rl_bytes_of(room, key.len);
	op->call.terms.request.permits = permits;
}

bool rl_op_step(rl_op *op, const rl_tick *tick, rl_wait *wait)
{
	rl_wait_begin(wait);
	return op->class->step(op, tick, wait);
}

void rl_op_abandon(rl_op *op, int64_t now, bool is_forked)
{
	if (!is_forked) {
		op->class->abandon(op, now);
		return;
	}
	if (op->class->drop != NULL) {
		op->class->drop(op);
	}
	rl_quorum_call_drop(&op->call);
}

bool rl_op_leaves(const rl_op *op, rl_late_release *late)
{
	return op->class->leaves != NULL && op->class->leaves(op, late);
}

bool rl_op_may_hold(const rl_op *op, int64_t now, rl_late_release *late)
{
	return op->class->may_hold != NULL && op->class->may_hold(op, now, late);
}

void rl_op_free(rl_op *op)
{
	if (op == NULL) {
		return;
	}
	for (unsigned i = 0; i < op->call.terms.set->count; i++) {
		rl_errand_clear(&op->call.members[i]);
	}
	if (op->class->clear != NULL) {
		op->class->clear(op);
	}
	free(op->own_err);
	rl_pool_give_block(op->call.terms.pool, op, op->size);
}
