/* SPDX-License-Identifier: MIT
 *
 * Many quorum calls that share their connections. The design is in the header.
 */
#include "core/lock/rl_batch.h"

#include "core/base/rl_block.h"
#include "core/base/rl_time.h"

const rl_op_class rl_batch_item_class = {0};

/* How many calls are under way at once. A cluster may need a line for each, to another node. */
static unsigned window_of(const rl_set *set, size_t count)
{
	bool has_nodes = false;
	for (unsigned i = 0; i < set->count; i++) {
		has_nodes = has_nodes || rl_route_has_redirects(set->members[i].route);
	}
	unsigned window = has_nodes ? RL_BATCH_WINDOW / set->count : RL_BATCH_WINDOW;
	return count < window ? (unsigned) count : window;
}

void *rl_batch_alloc(size_t size, size_t extra, const rl_op_class *class,
	const rl_batch_class *items, rl_set *set, rl_pool *pool, const rl_env *env, rl_bytes key,
	size_t count, int64_t limit_ns, void **room)
{
	char *unused;
	unsigned window = window_of(set, count);
	size_t under_way_at = rl_aligned(size);
	size_t room_at = rl_aligned(under_way_at + window * sizeof(rl_batch_item *));
	char *block = rl_op_alloc(room_at + extra, class, set, pool, env, key, 0, &unused);
	if (block == NULL) {
		return NULL;
	}
	rl_batch *batch = (rl_batch *) (void *) block;
	batch->items = items;
	batch->count = count;
	batch->under_way = (rl_batch_item **) (void *) (block + under_way_at);
	batch->window = window;
	batch->limit_ns = limit_ns;
	*room = block + room_at;
	return batch;
}

static rl_batch_item *begin_next(rl_batch *batch, int64_t now)
{
	size_t index = batch->next++;
	rl_batch_item *item = batch->items->begin(batch, index, now);
	if (item != NULL) {
		item->index = index;
	}
	return item;
}

/* Fills the window, and steps each call once. True = a call has ended, or one of them must be
 * stepped again. */
static bool step_all(rl_batch *batch, const rl_tick *tick, rl_wait *wait)
{
	while (batch->used < batch->window && batch->next < batch->count) {
		rl_batch_item *item = begin_next(batch, tick->now);
		if (item != NULL) {
			batch->under_way[batch->used++] = item;
		}
	}
	unsigned open = 0;
	rl_wait_begin(wait);
	for (unsigned i = 0; i < batch->used; i++) {
		rl_batch_item *item = batch->under_way[i];
		rl_vote wanted = rl_quorum_call_step(&item->op.call, tick, wait);
		rl_vote outcome = batch->limit_ns == RL_NEVER ? wanted : item->op.call.outcome;
		if (outcome == RL_VOTE_OPEN) {
			batch->under_way[open++] = item;
		} else {
			batch->items->end(batch, item, tick->now);
		}
	}
	bool has_ended = open < batch->used;
	batch->used = open;
	return has_ended || rl_lines_have_turn(&batch->lines);
}

void rl_batch_finish(rl_batch *batch, const rl_tick *tick)
{
	rl_wait unused;
	batch->lines.is_closing = true;
	for (unsigned i = 0; i < batch->used; i++) {
		batch->items->end(batch, batch->under_way[i], tick->now);
	}
	batch->used = 0;
	while (batch->next < batch->count) {
		rl_batch_item *item = begin_next(batch, tick->now);
		if (item != NULL) {
			rl_wait_begin(&unused);
			rl_quorum_call_step(&item->op.call, tick, &unused);
			batch->items->end(batch, item, tick->now);
		}
	}
	rl_lines_end(&batch->lines, batch->op.call.terms.pool, tick->now);
}

bool rl_batch_step(rl_batch *batch, const rl_tick *tick, rl_wait *wait)
{
	if (!batch->op.is_begun) {
		batch->op.is_begun = true;
		batch->end_at = rl_time_later(tick->now, batch->limit_ns);
	}
	rl_lines_flush(&batch->lines);
	/* Bounded: each round ends a call, or passes a reply on. */
	while (step_all(batch, tick, wait)) {
	}
	if (batch->used == 0 || tick->seen >= batch->end_at) {
		rl_batch_finish(batch, tick);
		return true;
	}
	rl_lines_flush(&batch->lines);
	rl_wait_until(wait, batch->end_at);
	return false;
}

void rl_batch_drop(rl_op *op)
{
	rl_batch *batch = (rl_batch *) op;
	for (unsigned i = 0; i < batch->used; i++) {
		rl_quorum_call_drop(&batch->under_way[i]->op.call);
		rl_op_free(&batch->under_way[i]->op);
	}
	batch->used = 0;
	batch->next = batch->count;
	rl_lines_drop(&batch->lines);
}

void rl_batch_clear(rl_batch *batch)
{
	for (unsigned i = 0; i < batch->used; i++) {
		rl_op_free(&batch->under_way[i]->op);
	}
}

const rl_batch *rl_batch_of(const rl_op *op)
{
	return op->class->drop == rl_batch_drop ? (const rl_batch *) op : NULL;
}
