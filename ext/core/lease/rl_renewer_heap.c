/* SPDX-License-Identifier: MIT */
#include "core/lease/rl_renewer_heap.h"

#include "core/base/rl_time.h"

#include <stdlib.h>

bool rl_renewer_heap_reserve(rl_renewer *renewer, size_t count)
{
	if (count <= renewer->heap_room) {
		return true;
	}
	size_t room = renewer->heap_room == 0 ? 16 : 2 * renewer->heap_room;
	rl_renewal **grown = realloc(renewer->heap, room * sizeof(rl_renewal *));
	if (grown == NULL) {
		return false;
	}
	renewer->heap = grown;
	renewer->heap_room = room;
	return true;
}

static void put(rl_renewer *renewer, size_t at, rl_renewal *renewal)
{
	renewer->heap[at - 1] = renewal;
	renewal->heap_at = at;
}

static void sift_up(rl_renewer *renewer, rl_renewal *renewal, size_t at)
{
	while (at > 1 && renewer->heap[at / 2 - 1]->due_at > renewal->due_at) {
		put(renewer, at, renewer->heap[at / 2 - 1]);
		at /= 2;
	}
	put(renewer, at, renewal);
}

static void sift_down(rl_renewer *renewer, rl_renewal *renewal, size_t at)
{
	for (size_t child = 2 * at; child <= renewer->heap_count; child = 2 * at) {
		if (child < renewer->heap_count &&
			renewer->heap[child]->due_at < renewer->heap[child - 1]->due_at) {
			child++;
		}
		if (renewer->heap[child - 1]->due_at >= renewal->due_at) {
			break;
		}
		put(renewer, at, renewer->heap[child - 1]);
		at = child;
	}
	put(renewer, at, renewal);
}

void rl_renewer_heap_remove(rl_renewal *renewal)
{
	rl_renewer *renewer = renewal->renewer;
	size_t at = renewal->heap_at;
	if (at == 0) {
		return;
	}
	renewal->heap_at = 0;
	rl_renewal *last = renewer->heap[--renewer->heap_count];
	if (last == renewal) {
		return;
	}
	if (at > 1 && renewer->heap[at / 2 - 1]->due_at > last->due_at) {
		sift_up(renewer, last, at);
	} else {
		sift_down(renewer, last, at);
	}
}

void rl_renewer_heap_set(rl_renewal *renewal, int64_t due_at)
{
	rl_renewer *renewer = renewal->renewer;
	rl_renewer_heap_remove(renewal);
	renewal->due_at = due_at;
	if (due_at != RL_NEVER) {
		sift_up(renewer, renewal, ++renewer->heap_count);
		renewer->until = rl_time_earlier(renewer->until, due_at);
	}
}
