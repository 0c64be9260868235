/* SPDX-License-Identifier: MIT */
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

void rl_process_watch_forks(void)
{
	/* Registered with this library's handle: unloading it takes the handler away again. */
	pthread_atfork(NULL, NULL, in_child);
}

uint64_t rl_process_fork_generation(void)
{
	return atomic_load_explicit(&process.fork_generation, memory_order_relaxed);
}

rl_stats *rl_process_stats(void)
{
	return &process.stats;
}
