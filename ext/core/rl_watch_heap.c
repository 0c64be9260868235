/* SPDX-License-Identifier: MIT */
#include "core/rl_watch_heap.h"

#include "core/rl_time.h"

#include <stdlib.h>

bool rl_watch_heap_reserve(rl_watch *watch, size_t count)
{
	if (count <= watch->heap_room) {
		return true;
	}
	size_t room = watch->heap_room == 0 ? 16 : 2 * watch->heap_room;
	rl_watched **grown = realloc(watch->heap, room * sizeof(rl_watched *));
	if (grown == NULL) {
		return false;
	}
	watch->heap = grown;
	watch->heap_room = room;
	return true;
}

static void put(rl_watch *watch, size_t at, rl_watched *watched)
{
	watch->heap[at - 1] = watched;
	watched->heap_at = at;
}

static void sift_up(rl_watch *watch, rl_watched *watched, size_t at)
{
	while (at > 1 && watch->heap[at / 2 - 1]->due_at > watched->due_at) {
		put(watch, at, watch->heap[at / 2 - 1]);
		at /= 2;
	}
	put(watch, at, watched);
}

static void sift_down(rl_watch *watch, rl_watched *watched, size_t at)
{
	for (size_t child = 2 * at; child <= watch->heap_count; child = 2 * at) {
		if (child < watch->heap_count &&
			watch->heap[child]->due_at < watch->heap[child - 1]->due_at) {
			child++;
		}
		if (watch->heap[child - 1]->due_at >= watched->due_at) {
			break;
		}
		put(watch, at, watch->heap[child - 1]);
		at = child;
	}
	put(watch, at, watched);
}

void rl_watch_heap_remove(rl_watched *watched)
{
	rl_watch *watch = watched->watch;
	size_t at = watched->heap_at;
	if (at == 0) {
		return;
	}
	watched->heap_at = 0;
	rl_watched *last = watch->heap[--watch->heap_count];
	if (last == watched) {
		return;
	}
	if (at > 1 && watch->heap[at / 2 - 1]->due_at > last->due_at) {
		sift_up(watch, last, at);
	} else {
		sift_down(watch, last, at);
	}
}

void rl_watch_heap_set(rl_watched *watched, int64_t due_at)
{
	rl_watch *watch = watched->watch;
	rl_watch_heap_remove(watched);
	watched->due_at = due_at;
	if (due_at != RL_NEVER) {
		sift_up(watch, watched, ++watch->heap_count);
		watch->until = rl_time_earlier(watch->until, due_at);
	}
}
