/* SPDX-License-Identifier: MIT
 *
 * The coming events are a heap with four children a node, in memory that all seeds share.
 */
#include "world.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define EVENTS_MAX (1 << 16)
/* A clock of any rate shows the shortest moment. On a busy machine a moment may be as long as
 * this. */
#define MOMENT_LEAST 20
#define MOMENT_MOST (2 * US)

world_t world;

static event heap[EVENTS_MAX];
static uint32_t heap_count;
static uint32_t planned;

void world_begin(uint64_t seed, bool is_tracing)
{
	world = (world_t){.seed = seed, .is_tracing = is_tracing};
	chance_begin(&world.chance, seed);
	chance_begin(&world.moments, seed ^ UINT64_C(0xc10c4));
	heap_count = 0;
	planned = 0;
}

static inline bool is_before(const event *a, const event *b)
{
	return a->at < b->at || (a->at == b->at && a->order < b->order);
}

void world_plan(event_kind kind, int64_t at, uint32_t what, uint32_t life, uint32_t until)
{
	if (at >= RL_NEVER / 2) {
		return;
	}
	if (heap_count == EVENTS_MAX) {
		fprintf(stderr, "seed %" PRIu64 ": too many events are planned\n", world.seed);
		abort();
	}
	event e = {.at = at < world.now ? world.now : at,
		.order = planned++,
		.what = what,
		.life = life,
		.until = until,
		.kind = kind};
	uint32_t place = heap_count++;
	while (place > 0 && is_before(&e, &heap[(place - 1) / 4])) {
		heap[place] = heap[(place - 1) / 4];
		place = (place - 1) / 4;
	}
	heap[place] = e;
}

static uint32_t first_child(uint32_t place)
{
	uint32_t child = 4 * place + 1;
	uint32_t end = child + 4 < heap_count ? child + 4 : heap_count;
	uint32_t first = child;
	for (child++; child < end; child++) {
		first = is_before(&heap[child], &heap[first]) ? child : first;
	}
	return first;
}

void world_pass_moment(void)
{
	world.now += chance_spread(&world.moments, MOMENT_LEAST, MOMENT_MOST);
}

bool world_next(event *e)
{
	if (heap_count == 0) {
		return false;
	}
	*e = heap[0];
	event last = heap[--heap_count];
	uint32_t place = 0;
	while (4 * place + 1 < heap_count) {
		uint32_t child = first_child(place);
		if (!is_before(&heap[child], &last)) {
			break;
		}
		heap[place] = heap[child];
		place = child;
	}
	heap[place] = last;
	world.event_at = e->at;
	world.now = e->at > world.now ? e->at : world.now;
	world.events++;
	return true;
}

void world_say(const char *format, ...)
{
	printf("%14.6f ms  ", (double) world.now / 1e6);
	va_list args;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

void world_violate(const char *format, ...)
{
	if (world.is_violated) {
		return;
	}
	world.is_violated = true;
	va_list args;
	va_start(args, format);
	vsnprintf(world.violation, sizeof world.violation, format, args);
	va_end(args);
}
