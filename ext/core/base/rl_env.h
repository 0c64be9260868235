/* SPDX-License-Identifier: MIT
 *
 * The seam, part one: what core needs from the system besides the network. A clock, random bytes,
 * the number of forks so far, and a place to count. Whoever runs core (PHP's glue, a test, a
 * simulator) fills this in; core itself never asks the system.
 */
#ifndef RL_ENV_H
#define RL_ENV_H

#include "core/base/rl_stats.h"
#include "core/base/rl_status.h"

typedef struct rl_env {
	void *ctx; /* handed to each function */

	/* Nanoseconds since some fixed moment. Never goes back; goes on while the machine is suspended.
	 */
	int64_t (*now)(void *ctx);

	/* Fills out with unguessable bytes. False when the system has none to give. */
	bool (*random)(void *ctx, void *out, size_t len);

	/* How often this process' line was forked. A connection made under another number belongs to
	 * another process. */
	uint64_t (*fork_generation)(void *ctx);

	rl_stats *stats; /* borrowed; never NULL */
} rl_env;

#endif
