/* SPDX-License-Identifier: MIT
 *
 * Operations: what can be done with a lock, as something that is stepped. An operation never
 * blocks: a driver calls rl_op_step() until it is done, and waits in between as it is told.
 *
 * Each kind of operation has a constructor in its own header: rl_acquire.h, rl_plain.h,
 * rl_release_batch.h. All begin with a quorum call and the result.
 *
 * An operation is one block of memory that holds copies of key and token, so that its maker may
 * vanish (a PHP frame that is left by longjmp). It borrows set, pool and env, which must outlive
 * it. It belongs to one thread.
 */
#ifndef RL_OP_H
#define RL_OP_H

#include "core/lease/rl_late.h"
#include "core/lock/rl_quorum_call.h"

typedef struct rl_op rl_op;

/* What differs between the kinds. A function that is NULL has nothing to do. */
typedef struct rl_op_class {
	/* See rl_op_step(); *wait is empty. */
	bool (*step)(rl_op *op, const rl_tick *tick, rl_wait *wait);
	/* See rl_op_abandon(), in the process that made it. */
	void (*abandon)(rl_op *op, int64_t now);
	/* The same in a forked child: closes connections that are not those of the quorum call, without
	 * a word. */
	void (*drop)(rl_op *op);
	/* Frees what it owns beside its block. */
	void (*clear)(rl_op *op);
	/* See rl_op_leaves(). */
	bool (*leaves)(const rl_op *op, rl_late_release *late);
} rl_op_class;

struct rl_op {
	const rl_op_class *class;
	bool is_begun; /* its time began with the first step */
	rl_quorum_call call;
	/* The result, once step() has said that it is done. */
	rl_status status;    /* RL_OK = yes, RL_BUSY = no, else err says why it failed */
	const rl_error *err; /* NULL unless it failed; the message names the server */
	rl_error *own_err;   /* owned; where err is, unless memory was short */
};

/*
 * Goes on as far as it can without waiting.
 * @param[out] wait what to wait for, when not done
 * @return true = done: op->status is the result
 */
bool rl_op_step(rl_op *op, const rl_tick *tick, rl_wait *wait);

/* Gives an operation up before it is done, or a grant that rl_quorum_call_hold() holds: what it may
 * have taken is undone, as far as can be written without waiting. In a forked child nothing is
 * sent. */
void rl_op_abandon(rl_op *op, int64_t now, bool is_forked);

/* After its end, or after it was given up: what the members may still have to do, for the renewer
 * to repeat.
 * @return false = nothing */
bool rl_op_leaves(const rl_op *op, rl_late_release *late);

/* Frees it. An operation that is not done must have been abandoned. */
void rl_op_free(rl_op *op);

/* ---- for the kinds of operations ---- */

/* Lays out an operation of the given size with room for its member calls, key and token.
 * @return NULL when out of memory */
void *rl_op_alloc(size_t size, const rl_op_class *class, rl_set *set, rl_pool *pool,
	const rl_env *env, rl_bytes key, size_t token_room, char **token);

#endif
