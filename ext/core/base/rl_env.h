/* SPDX-License-Identifier: MIT
 *
 * The seam, part one: what core needs from the system besides the network: a clock, random bytes,
 * the number of forks so far, and memory to count in. The program that runs core (the PHP
 * extension, a unit test, the simulator) fills this in. Core itself never asks the system for them.
 */
#ifndef RL_ENV_H
#define RL_ENV_H

#include "core/base/rl_label.h"
#include "core/base/rl_stats.h"
#include "core/base/rl_status.h"

typedef struct rl_env {
	void *ctx; /* passed to each function */

	/* Nanoseconds since some fixed moment. The clock never goes back, and continues while the
	 * machine is suspended.
	 *
	 * Where a proof needs the order of two events, the clock is read for each of them: after the
	 * earlier event has happened, and before the later one happens. If the second reading is
	 * greater, the order is certain, also if the events belong to two threads. The time of a step
	 * (rl_tick) cannot tell the order of two events in it, and is never compared with such a
	 * reading as if both were the same moment. */
	int64_t (*now)(void *ctx);

	/* Fills out with unpredictable bytes. False when the system returns none. */
	bool (*random)(void *ctx, void *out, size_t len);

	/* Seconds since 1970, for people: no step of core depends on it. */
	int64_t (*date)(void *ctx);

	/* How many forks have led to this process. A connection that was made at another number belongs
	 * to another process. */
	uint64_t (*fork_generation)(void *ctx);

	/* Where this process counts. A fork changes it, and a process that has counted nothing yet has
	 * NULL there: then first_stats() sets and returns it. Use rl_env_stats(). */
	rl_stats_home *stats_home;
	rl_stats *(*first_stats)(void *ctx);

	/* How many idle connections to each server a pool keeps; 0 = RL_POOL_TARGET_MAX. Changes only
	 * between operations, on the thread of the pools. */
	unsigned idle_max;

	/* Names the connections of targets that have no label. Borrowed; NULL = none. */
	const rl_label *label;
} rl_env;

static inline rl_stats *rl_env_stats(const rl_env *env)
{
	rl_stats *stats = atomic_load_explicit(env->stats_home, memory_order_acquire);
	return stats != NULL ? stats : env->first_stats(env->ctx);
}

#endif
