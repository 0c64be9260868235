/* SPDX-License-Identifier: MIT */
#include "core/lease/rl_renewal_heap.h"

#include <stdlib.h>

#define FIRST_ROOM 16

bool rl_renewal_heap_reserve(rl_renewal_heap *heap, size_t count)
{
	if (count <= heap->room) {
		return true;
	}
	size_t room = heap->room == 0 ? FIRST_ROOM : 2 * heap->room;
	rl_renewal **grown = realloc(heap->entries, room * sizeof(rl_renewal *));
	if (grown == NULL) {
		return false;
	}
	heap->entries = grown;
	heap->room = room;
	return true;
}

/* Places are counted from 1, so that the children of place n are 2n and 2n + 1. */
static rl_renewal *at_place(const rl_renewal_heap *heap, size_t at)
{
	return heap->entries[at - 1];
}

static void put(rl_renewal_heap *heap, size_t at, rl_renewal *renewal)
{
	heap->entries[at - 1] = renewal;
	renewal->heap_at = at;
}

static void sift_up(rl_renewal_heap *heap, rl_renewal *renewal, size_t at)
{
	while (at > 1 && at_place(heap, at / 2)->due_at > renewal->due_at) {
		put(heap, at, at_place(heap, at / 2));
		at /= 2;
	}
	put(heap, at, renewal);
}

static void sift_down(rl_renewal_heap *heap, rl_renewal *renewal, size_t at)
{
	for (size_t child = 2 * at; child <= heap->count; child = 2 * at) {
		if (child < heap->count &&
			at_place(heap, child + 1)->due_at < at_place(heap, child)->due_at) {
			child++;
		}
		if (at_place(heap, child)->due_at >= renewal->due_at) {
			break;
		}
		put(heap, at, at_place(heap, child));
		at = child;
	}
	put(heap, at, renewal);
}

void rl_renewal_heap_remove(rl_renewal_heap *heap, rl_renewal *renewal)
{
	size_t at = renewal->heap_at;
	if (at == 0) {
		return;
	}
	renewal->heap_at = 0;
	rl_renewal *last = heap->entries[--heap->count];
	if (last == renewal) {
		return;
	}
	if (at > 1 && at_place(heap, at / 2)->due_at > last->due_at) {
		sift_up(heap, last, at);
	} else {
		sift_down(heap, last, at);
	}
}

void rl_renewal_heap_set(rl_renewal_heap *heap, rl_renewal *renewal, int64_t due_at)
{
	rl_renewal_heap_remove(heap, renewal);
	renewal->due_at = due_at;
	if (due_at != RL_NEVER) {
		heap->count++;
		sift_up(heap, renewal, heap->count);
	}
}

void rl_renewal_heap_free(rl_renewal_heap *heap)
{
	free(heap->entries);
	*heap = (rl_renewal_heap){0};
}
