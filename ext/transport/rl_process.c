/* SPDX-License-Identifier: MIT
 *
 * The state of a process. The design is in the header.
 */
#include "transport/rl_process.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

static struct {
	_Atomic uint64_t fork_generation;
	rl_stats stats;
	char host[RL_LABEL_MAX + 1];
	/* Changes only in a forked child, which has a single thread then. */
	rl_label label;
} process;

static void set_label(void)
{
	rl_bytes host = rl_bytes_of(process.host, strlen(process.host));
	rl_label_set_default(&process.label, host, (uint64_t) getpid());
}

static void in_child(void)
{
	atomic_fetch_add(&process.fork_generation, 1);
	set_label();
#define ZERO(name) atomic_store(&process.stats.name, 0);
	RL_STATS_EACH(ZERO)
#undef ZERO
}

static void watch_forks(void)
{
	/* A name that is cut may lack its NUL. */
	if (gethostname(process.host, RL_LABEL_MAX) != 0 || process.host[0] == '\0') {
		memcpy(process.host, "unknown", sizeof "unknown");
	}
	set_label();
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

const rl_label *rl_process_label(void)
{
	return &process.label;
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
		.stats = rl_process_stats(),
		.label = rl_process_label()};
}
