/* SPDX-License-Identifier: MIT
 *
 * Back-off: the delays between tries. Each delay is twice the one before it, up to a maximum, times
 * a random factor (jitter), so that waiters that began at the same time do not keep trying at the
 * same time.
 */
#ifndef RL_BACKOFF_H
#define RL_BACKOFF_H

#include "core/base/rl_env.h"

typedef struct rl_backoff {
	int64_t first_ns;
	int64_t max_ns;
	/* From 0 to below 1. A delay is multiplied by a factor between 1 - jitter and 1 + jitter. */
	double jitter;
} rl_backoff;

/* The n-th delay without jitter, n from 0: first_ns, doubled n times, at most max_ns. */
int64_t rl_backoff_doubled(int64_t first_ns, unsigned n, int64_t max_ns);

/* The n-th delay, n from 0, in nanoseconds. If there are no random bytes, the delay has no
 * jitter. */
int64_t rl_backoff_delay(const rl_backoff *backoff, unsigned n, const rl_env *env);

/* A random time from 0 to most; most itself if there are no random bytes. */
int64_t rl_backoff_any(const rl_env *env, int64_t most);

#endif
