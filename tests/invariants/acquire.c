/* SPDX-License-Identifier: MIT
 *
 * rl_acquire.c: the phase, the token in use, the place in the queue and the marks.
 */
#include "invariants.h"

static bool is_same(rl_bytes a, rl_bytes b)
{
	return a.data == b.data && a.len == b.len;
}

static bool is_verb_good(const rl_acquire *acquire)
{
	rl_verb verb = acquire->op.call.terms.request.verb;
	switch (acquire->phase) {
		case RL_ACQUIRE_TRYING:
			return holds(
				verb == RL_VERB_SET || verb == RL_VERB_TRY, "rl_acquire: TRYING sends SET or try");
		case RL_ACQUIRE_PROBING:
			return holds(verb == RL_VERB_PROBE, "rl_acquire: PROBING sends the probe") &&
				holds(rl_acquire_is_waiting(acquire), "rl_acquire: PROBING is a part of a wait");
		case RL_ACQUIRE_SWAPPING:
			return holds(verb == RL_VERB_SWAP, "rl_acquire: SWAPPING sends the swap") &&
				holds(rl_queue_is_out(&acquire->queue), "rl_acquire: SWAPPING has no place") &&
				holds(acquire->won_on != 0 && acquire->won_since != 0,
					"rl_acquire: SWAPPING follows a win");
		case RL_ACQUIRE_PAUSED:
		case RL_ACQUIRE_DONE:
			return true;
	}
	return holds(false, "rl_acquire: it has one of the phases");
}

static bool is_token_good(const rl_acquire *acquire)
{
	const rl_errand_terms *terms = &acquire->op.call.terms;
	bool is_given = is_same(acquire->token, acquire->given);
	bool is_swapping = acquire->phase == RL_ACQUIRE_SWAPPING;
	bool has_own = acquire->own.data != NULL;
	return holds(is_same(acquire->token, terms->request.token),
			   "rl_acquire: the commands send the token in use") &&
		holds(is_given || acquire->token.data == acquire->drawn,
			"rl_acquire: the token in use is drawn, or the caller's") &&
		holds(!has_own || is_same(acquire->own, acquire->given),
			"rl_acquire: the token that is swapped in is the caller's") &&
		holds(!has_own || !is_given || acquire->phase == RL_ACQUIRE_DONE,
			"rl_acquire: a caller's token that is swapped in is sent by no other command") &&
		holds(acquire->phase == RL_ACQUIRE_DONE || terms->is_own_token == (is_given || is_swapping),
			"rl_acquire: the members know whether the token is the caller's") &&
		holds(!is_swapping || is_same(terms->request.fresh, acquire->own),
			"rl_acquire: the swap sets the caller's token");
}

static bool is_place_good(const rl_acquire *acquire)
{
	const rl_queue *queue = &acquire->queue;
	rl_bytes waiter = acquire->op.call.terms.request.waiter;
	bool has_place = !rl_queue_is_out(queue);
	return invariants_of_queue(queue, &acquire->op.call) &&
		holds(!has_place || queue->place->errand.state != RL_ERRAND_DONE,
			"rl_acquire: each answer of the place is dealt with") &&
		holds(!has_place || !acquire->is_polling, "rl_acquire: a poller has no place") &&
		holds(!has_place || rl_acquire_is_waiting(acquire),
			"rl_acquire: a place is a part of a wait") &&
		holds(waiter.data == NULL || waiter.data == acquire->waiter,
			"rl_acquire: the waiter has the name of its mark") &&
		holds(!has_place || waiter.data != NULL, "rl_acquire: a place has a mark");
}

static bool is_end_good(const rl_acquire *acquire)
{
	return holds(rl_queue_is_out(&acquire->queue), "rl_acquire: DONE has no place") &&
		holds(acquire->marked == 0, "rl_acquire: DONE leaves no mark behind") &&
		holds(acquire->gauge == NULL, "rl_acquire: DONE is no wait any more");
}

bool invariants_of_acquire(const rl_acquire *acquire)
{
	const rl_quorum_call *call = &acquire->op.call;
	unsigned all = (1U << call->terms.set->count) - 1;
	bool is_paused = acquire->phase == RL_ACQUIRE_PAUSED;
	bool is_done = acquire->phase == RL_ACQUIRE_DONE;
	return (is_paused || is_done ? invariants_of_resting_call(call) : invariants_of_call(call)) &&
		is_verb_good(acquire) && is_token_good(acquire) && is_place_good(acquire) &&
		holds(((acquire->marked | acquire->won_on | acquire->unasked) & ~all) == 0,
			"rl_acquire: its masks have members of the set") &&
		holds(!is_paused || !rl_acquire_is_waiting(acquire) ||
				acquire->resume_at <= acquire->deadline,
			"rl_acquire: a pause ends at the deadline at the latest") &&
		holds(!is_paused || acquire->attempts > 0, "rl_acquire: SET comes before a pause") &&
		(!is_done || is_end_good(acquire));
}
