/* SPDX-License-Identifier: MIT
 *
 * rl_batch.c: the calls under way, and the lines that they share.
 */
#include "invariants.h"

static bool is_good_item(const rl_batch *batch, unsigned at)
{
	const rl_batch_item *one = batch->under_way[at];
	return holds(one->index < batch->next &&
				   (at == 0 || batch->under_way[at - 1]->index < one->index),
			   "rl_batch: the calls under way are in the order of their beginning") &&
		holds(one->op.call.outcome == RL_VOTE_OPEN || batch->limit_ns == RL_NEVER,
			"rl_batch: a call under way is open") &&
		holds(
			one->op.call.terms.lines == &batch->lines, "rl_batch: several calls share the lines") &&
		invariants_of_call(&one->op.call);
}

bool invariants_of_batch(const rl_batch *batch)
{
	if (!holds(batch->used <= batch->window && batch->window <= RL_BATCH_WINDOW,
			"rl_batch: no more calls are under way than the window allows") ||
		!holds(batch->next <= batch->count, "rl_batch: each item begins once") ||
		!holds(batch->used > 0, "rl_batch: it is done when no call is under way")) {
		return false;
	}
	for (unsigned i = 0; i < batch->used; i++) {
		if (!is_good_item(batch, i)) {
			return false;
		}
	}
	return invariants_of_lines(&batch->lines) && invariants_of_resting_call(&batch->op.call);
}
