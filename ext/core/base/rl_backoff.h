/* SPDX-License-Identifier: MIT
 *
 * Back-off: the delays between tries. Each is twice the last, up to a maximum, times a random
 * factor (jitter) so that waiters that began together do not stay together.
 */
#ifndef RL_BACKOFF_H
#define RL_BACKOFF_H

#include "core/base/rl_env.h"

typedef struct rl_backoff {
	int64_t first_ns;
	int64_t max_ns;
	double jitter; /* 0 to below 1: a delay is multiplied by 1-jitter .. 1+jitter */
} rl_backoff;

/* The n-th delay without jitter, n from 0: the first one, doubled n times, up to the maximum. */
int64_t rl_backoff_doubled(int64_t first_ns, unsigned n, int64_t max_ns);

/* The n-th delay, n from 0, in nanoseconds. Without random bytes the delay has no jitter. */
int64_t rl_backoff_delay(const rl_backoff *backoff, unsigned n, const rl_env *env);

/* Any time up to that. */
int64_t rl_backoff_any(const rl_env *env, int64_t most);

#endif
