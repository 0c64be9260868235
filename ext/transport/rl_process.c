/* SPDX-License-Identifier: MIT
 *
 * The state of a process. The design is in the header.
 */
#include "transport/rl_process.h"

#include <pthread.h>

static struct {
	_Atomic uint64_t fork_generation;
	rl_stats stats;
} process;

static void in_child(void)
{
	atomic_fetch_add(&process.fork_generation, 1);
#define ZERO(name) atomic_store(&process.stats.name, 0);
	RL_STATS_EACH(ZERO)
#undef ZERO
}

static void watch_forks(void)
{
	/* The C library removes the handler when PHP unloads this library. */
	pthread_atfork(NULL, NULL, in_child);
}

void rl_process_watch_forks(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, watch_forks);
}

uint64_t rl_process_fork_generation(void)
{
	return atomic_load_explicit(&process.fork_generation, memory_order_relaxed);
}

rl_stats *rl_process_stats(void)
{
	return &process.stats;
}

static int64_t now(void *ctx)
{
	(void) ctx;
	return rl_os_now();
}

static bool draw(void *ctx, void *out, size_t len)
{
	return rl_random_draw(ctx, rl_process_fork_generation(), out, len);
}

static uint64_t fork_generation(void *ctx)
{
	(void) ctx;
	return rl_process_fork_generation();
}

rl_env rl_process_env(rl_random *stock)
{
	return (rl_env){.ctx = stock,
		.now = now,
		.random = draw,
		.fork_generation = fork_generation,
		.stats = rl_process_stats()};
}
