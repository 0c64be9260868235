/* SPDX-License-Identifier: MIT
 *
 * The states of many locks of one set, asked for at once.
 *
 * The operation (rl_op.h) is a batch (rl_batch.h) with an INSPECT for each lock. It copies the
 * keys. If one lock cannot be looked at, it begins no further INSPECT, and has failed.
 */
#ifndef RL_INSPECTIONS_H
#define RL_INSPECTIONS_H

#include "core/lock/rl_op.h"

/* @param keys with their prefix; at least one
 * @return NULL when out of memory */
rl_op *rl_inspections_new(
	rl_set *set, rl_pool *pool, const rl_env *env, const rl_bytes *keys, size_t count);

/* After the end: the failure of the lock that could not be looked at. Borrowed. NULL = there is
 * none. */
const rl_op *rl_inspections_failed(const rl_op *op);

/* After an end without a failure. Borrowed. NULL = the lock is free, or the key has a type that no
 * lock has. */
const rl_lock_state *rl_inspections_state(const rl_op *op, size_t index);

#endif
