/* SPDX-License-Identifier: MIT */
#include "core/base/rl_backoff.h"

int64_t rl_backoff_doubled(int64_t first_ns, unsigned n, int64_t max_ns)
{
	int64_t delay = first_ns;
	while (n-- > 0 && delay < max_ns) {
		delay *= 2; /* no caller's maximum is above 60 s, so this cannot overflow */
	}
	return delay < max_ns ? delay : max_ns;
}

int64_t rl_backoff_delay(const rl_backoff *backoff, unsigned n, const rl_env *env)
{
	int64_t delay = rl_backoff_doubled(backoff->first_ns, n, backoff->max_ns);
	uint32_t random;
	if (backoff->jitter == 0 || !env->random(env->ctx, &random, sizeof random)) {
		return delay;
	}
	double position = (double) random / (double) UINT32_MAX * 2 - 1;
	return delay + (int64_t) ((double) delay * backoff->jitter * position);
}

int64_t rl_backoff_any(const rl_env *env, int64_t most)
{
	uint32_t random = 0;
	if (!env->random(env->ctx, &random, sizeof random)) {
		return most;
	}
	return (int64_t) ((double) most * (double) random / (double) UINT32_MAX);
}
