/* SPDX-License-Identifier: MIT
 *
 * Operations on locks, such as an acquire or a release. An operation never blocks: a driver calls
 * rl_op_step() until the operation is done, and between the steps waits for what rl_wait lists.
 *
 * Each kind of operation has a constructor in its own header: rl_acquire.h, rl_plain.h,
 * rl_releases.h. The struct of each kind begins with an rl_op.
 *
 * An operation is one block of memory (rl_pool_take_block()) with copies of key and token, because
 * PHP may leave the caller's frame by longjmp. It borrows set, pool and env, which must outlive it.
 * It belongs to one thread.
 */
#ifndef RL_OP_H
#define RL_OP_H

#include "core/lease/rl_late.h"
#include "core/lock/rl_quorum_call.h"

typedef struct rl_op rl_op;

/* The functions of one kind. NULL = there is nothing to do. */
typedef struct rl_op_class {
	/* See rl_op_step(); *wait is empty. */
	bool (*step)(rl_op *op, const rl_tick *tick, rl_wait *wait);
	/* See rl_op_abandon(), in the process that made the operation. */
	void (*abandon)(rl_op *op, int64_t now);
	/* The same in a forked child: closes the connections that the quorum call does not have, and
	 * sends nothing. */
	void (*drop)(rl_op *op);
	/* Frees memory outside of the block. */
	void (*clear)(rl_op *op);
	/* See rl_op_leaves(). */
	bool (*leaves)(const rl_op *op, rl_late_release *late);
	/* See rl_op_may_hold(). */
	bool (*may_hold)(const rl_op *op, int64_t now, rl_late_release *late);
} rl_op_class;

struct rl_op {
	const rl_op_class *class;
	bool is_begun; /* its time began with the first step */
	/* The key of the lock, with its prefix, in this block; no data = it is about no lock. */
	rl_bytes lock;
	rl_quorum_call call;
	/* The result, once the operation is done. RL_OK = yes, RL_BUSY = no, otherwise see err. */
	rl_status status;
	const rl_error *err; /* NULL unless the operation failed */
	rl_error *own_err;   /* owned; where err usually points */
	size_t size;         /* of its block, which belongs to the pool */
};

/* Continues as far as possible without waiting.
 * @param[out] wait what to wait for, when not done
 * @return true = done: op->status is the result */
bool rl_op_step(rl_op *op, const rl_tick *tick, rl_wait *wait);

/* Gives up an operation before it is done, or a grant after rl_quorum_call_hold(). Undoes what it
 * may have taken, as far as can be written without waiting. Sends nothing in a forked child. */
void rl_op_abandon(rl_op *op, int64_t now, bool is_forked);

/* Call after the end, or after rl_op_abandon(). Fills in what members may still have to do, for the
 * renewer to repeat.
 * @return false = nothing */
bool rl_op_leaves(const rl_op *op, rl_late_release *late);

/* Call for an operation that the end of the process cuts off, at any moment before it is freed.
 * Fills in what the operation may leave on the members, and no other part of the process undoes,
 * for rl_late_release_pending().
 * @return false = nothing */
bool rl_op_may_hold(const rl_op *op, int64_t now, rl_late_release *late);

/* An operation that is not done must have been abandoned. */
void rl_op_free(rl_op *op);

/* ---- for the kinds of operations ---- */

/* Allocates an operation of this size, with room for its errands, key and token.
 * @return NULL when out of memory */
void *rl_op_alloc(size_t size, const rl_op_class *class, rl_set *set, rl_pool *pool,
	const rl_env *env, rl_bytes key, size_t token_room, char **token);

/* The operation is about this key, one of the lock's permits. Copies the key.
 * @param room bytes of the operation's block, as many as the key has */
void rl_op_set_permit(rl_op *op, char *room, rl_bytes key, unsigned permits);

#endif
