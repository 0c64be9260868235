/* SPDX-License-Identifier: MIT
 *
 * The operation is one block:
 *
 *     rl_inspections
 *     |- batch             its items are the keys
 *     |- results[count]    for each key: the key, and the state of its lock
 *     `- the bytes of all keys
 */
#include "core/lock/rl_inspections.h"

#include "core/base/rl_time.h"
#include "core/lock/rl_batch.h"
#include "core/lock/rl_op_failure.h"

#include <stdlib.h>
#include <string.h>

typedef struct result {
	rl_bytes key;
	bool is_locked;
	rl_lock_state state;
} result;

typedef struct rl_inspections {
	rl_batch batch;  /* first, for casts */
	result *results; /* in this block */
	/* Owned. NULL = no lock has failed. */
	rl_batch_item *failed;
} rl_inspections;

static rl_batch_item *begin_item(rl_batch *batch, size_t index, int64_t now)
{
	const rl_inspections *all = (const rl_inspections *) batch;
	const rl_errand_terms *terms = &batch->op.call.terms;
	char *unused;
	rl_batch_item *item = rl_op_alloc(sizeof *item, &rl_batch_item_class, terms->set, terms->pool,
		terms->env, all->results[index].key, 0, &unused);
	if (item == NULL) {
		batch->op.status = RL_ERR_MEMORY;
		batch->next = batch->count;
		return NULL;
	}
	item->op.call.terms.request.verb = RL_VERB_INSPECT;
	item->op.call.terms.lines = &batch->lines;
	item->op.call.refuses_types = true;
	rl_quorum_call_begin(&item->op.call, RL_WANTED_SOON, now, RL_NEVER);
	return item;
}

static void end_item(rl_batch *batch, rl_batch_item *item, int64_t now)
{
	rl_inspections *all = (rl_inspections *) batch;
	const rl_quorum_call *call = &item->op.call;
	rl_quorum_call_settle(&item->op.call, RL_UNDO_NOTHING, now);
	rl_vote outcome = rl_quorum_call_tally(call);
	if (outcome == RL_VOTE_GRANTED) {
		all->results[item->index].is_locked = true;
		all->results[item->index].state = rl_quorum_call_state(call);
	}
	if (outcome != RL_VOTE_FAILED || all->failed != NULL) { /* OPEN = the operation is given up */
		rl_op_free(&item->op);
		return;
	}
	rl_op_fail(&item->op, "");
	all->failed = item;
	batch->next = batch->count;
}

static const rl_batch_class items = {.begin = begin_item, .end = end_item};

static bool step(rl_op *op, const rl_tick *tick, rl_wait *wait)
{
	const rl_inspections *all = (const rl_inspections *) op;
	if (!rl_batch_step((rl_batch *) op, tick, wait)) {
		return false;
	}
	if (all->failed != NULL) {
		op->status = all->failed->op.status;
	}
	if (op->status != RL_OK) {
		rl_stats_add(&rl_env_stats(op->call.terms.env)->failed, 1);
	}
	return true;
}

static void abandon(rl_op *op, int64_t now)
{
	rl_batch *batch = (rl_batch *) op;
	if (op->is_begun) {
		batch->next = batch->count;
		rl_batch_finish(batch, &(rl_tick){.now = now, .seen = now});
	}
}

static void clear(rl_op *op)
{
	const rl_inspections *all = (const rl_inspections *) op;
	rl_batch_clear((rl_batch *) op);
	for (size_t i = 0; i < all->batch.count; i++) {
		free(all->results[i].state.waiting);
	}
	if (all->failed != NULL) {
		rl_op_free(&all->failed->op);
	}
}

static const rl_op_class inspections_class = {
	.step = step, .abandon = abandon, .drop = rl_batch_drop, .clear = clear};

static void copy_keys(result *results, const rl_bytes *keys, size_t count, char *room)
{
	for (size_t i = 0; i < count; i++) {
		memcpy(room, keys[i].data, keys[i].len);
		results[i] = (result){.key = rl_bytes_of(room, keys[i].len)};
		room += keys[i].len;
	}
}

rl_op *rl_inspections_new(
	rl_set *set, rl_pool *pool, const rl_env *env, const rl_bytes *keys, size_t count)
{
	size_t bytes = 0;
	for (size_t i = 0; i < count; i++) {
		bytes += keys[i].len;
	}
	void *room;
	rl_inspections *all = rl_batch_alloc(sizeof *all, count * sizeof(result) + bytes,
		&inspections_class, &items, set, pool, env, keys[0], count, RL_NEVER, &room);
	if (all == NULL) {
		return NULL;
	}
	all->results = room;
	copy_keys(all->results, keys, count, (char *) (all->results + count));
	all->batch.op.call.terms.request.verb = RL_VERB_INSPECT;
	return &all->batch.op;
}

const rl_op *rl_inspections_failed(const rl_op *op)
{
	const rl_inspections *all = (const rl_inspections *) op;
	return all->failed != NULL ? &all->failed->op : NULL;
}

const rl_lock_state *rl_inspections_state(const rl_op *op, size_t index)
{
	const result *found = &((const rl_inspections *) op)->results[index];
	return found->is_locked ? &found->state : NULL;
}
