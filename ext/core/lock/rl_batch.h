/* SPDX-License-Identifier: MIT
 *
 * Many quorum calls of one set that share their connections: the common part of operations that
 * release many leases (rl_releases.h) or look at many locks (rl_inspections.h).
 *
 *     rl_batch
 *     |- under_way[used]  a call for each item, in the order in which they have begun
 *     `- lines            the connections of all these calls (rl_channel.h)
 *
 *     items, in their order:  ended | under way | next ...
 *
 * Each item has a quorum call of its own. A call that breaks off, is redirected, or meets a replica
 * is repeated as any other quorum call. At most RL_BATCH_WINDOW calls are under way. They queue
 * their commands on the lines, and all lines are flushed together, so a window of calls is one
 * write to each server.
 *
 * In a batch with a limit of time a call ends with its outcome, and its other members are not
 * waited for: their commands stay on the lines, and go out until the operation ends, or later, from
 * the pool. In a batch without a limit a call ends when rl_quorum_call_step() says so.
 *
 * A batch belongs to one thread. It owns its calls and lines. Between two steps no call under way
 * has ended.
 */
#ifndef RL_BATCH_H
#define RL_BATCH_H

#include "core/lock/rl_op.h"

/* The call of an item; the first part of its struct. */
typedef struct rl_batch_item {
	rl_op op; /* first, for casts from rl_op */
	size_t index;
} rl_batch_item;

typedef struct rl_batch rl_batch;

/* What the items are. */
typedef struct rl_batch_class {
	/* Makes and begins the call of an item, on the lines of the batch.
	 * @return NULL when out of memory, which is noted */
	rl_batch_item *(*begin)(rl_batch *batch, size_t index, int64_t now);
	/* The votes have decided, or the time is over. Settles the call, and frees it or keeps it. */
	void (*end)(rl_batch *batch, rl_batch_item *item, int64_t now);
} rl_batch_class;

struct rl_batch {
	rl_op op; /* first, for casts from rl_op; its own quorum call asks nothing */
	const rl_batch_class *items;
	size_t count;
	size_t next;               /* the item to begin next */
	rl_batch_item **under_way; /* room for as many as window; in the block of the operation */
	unsigned used;
	unsigned window;
	rl_lines lines;
	int64_t limit_ns; /* RL_NEVER = no limit */
	int64_t end_at;
};

/* The class of the operations in the items: the batch steps them. */
extern const rl_op_class rl_batch_item_class;

/* Allocates a batch.
 * @param size of its struct, which begins with an rl_batch
 * @param extra bytes of the same block for the caller
 * @param key one of the keys, for messages
 * @param[out] room the extra bytes, aligned
 * @return NULL when out of memory */
void *rl_batch_alloc(size_t size, size_t extra, const rl_op_class *class,
	const rl_batch_class *items, rl_set *set, rl_pool *pool, const rl_env *env, rl_bytes key,
	size_t count, int64_t limit_ns, void **room);

/* For rl_op_class.step. When the time is over, the commands of the items that are left are written,
 * and their answers are not waited for.
 * @return true = all items have ended */
bool rl_batch_step(rl_batch *batch, const rl_tick *tick, rl_wait *wait);

/* Ends all items now. */
void rl_batch_finish(rl_batch *batch, const rl_tick *tick);

/* For rl_op_class.drop of each kind of batch, and for its clear. */
void rl_batch_drop(rl_op *op);
void rl_batch_clear(rl_batch *batch);

/* NULL = the operation is no batch. */
const rl_batch *rl_batch_of(const rl_op *op);

#endif
