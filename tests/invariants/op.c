/* SPDX-License-Identifier: MIT
 *
 * rl_op.h: what all kinds of operations have in common.
 */
#include "invariants.h"

bool invariants_of_op(const rl_op *op, bool is_done)
{
	const rl_acquire *acquire = rl_acquire_of((rl_op *) (uintptr_t) op);
	const rl_batch *batch = rl_batch_of(op);
	if (!op->is_begun || is_done) {
		return invariants_of_resting_call(&op->call) &&
			holds(acquire == NULL || (acquire->phase == RL_ACQUIRE_DONE) == is_done,
				"rl_acquire: it is DONE at the end, and only then") &&
			(acquire == NULL || !op->is_begun || invariants_of_acquire(acquire)) &&
			holds(batch == NULL || (batch->used == 0 && batch->lines.first == NULL),
				"rl_batch: it has no connection before it begins, and at its end");
	}
	if (acquire != NULL) {
		return holds(acquire->phase != RL_ACQUIRE_DONE, "rl_acquire: it is DONE only at the end") &&
			invariants_of_acquire(acquire);
	}
	return batch != NULL ? invariants_of_batch(batch) : invariants_of_call(&op->call);
}
