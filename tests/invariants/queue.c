/* SPDX-License-Identifier: MIT
 *
 * rl_queue.h: the place, and its errand.
 */
#include "invariants.h"

bool invariants_of_queue(const rl_queue *queue, const rl_quorum_call *call)
{
	if (!holds(queue->member < call->terms.set->count, "rl_queue: its member is one of the set")) {
		return false;
	}
	if (queue->place == NULL) {
		return true;
	}
	const rl_errand *errand = &queue->place->errand;
	if (rl_queue_is_out(queue)) {
		return invariants_of_resting_errand(errand);
	}
	bool is_woken = errand->state == RL_ERRAND_ANSWER && errand->blpop != RL_BLPOP_UNHEARD;
	return invariants_of_errand(errand) &&
		holds(!is_woken || errand->is_prodded || rl_conn_is_confirming(errand->channel.conn),
			"rl_queue: after BLPOP the replicas are awaited, or an empty command follows") &&
		holds(
			errand->state != RL_ERRAND_CHECKING, "rl_queue: a win is judged by the quorum call") &&
		holds(errand->state != RL_ERRAND_ANSWER || errand->budget_end > queue->place->slice_end,
			"rl_queue: the answers may come after the end of the slice");
}
