/* SPDX-License-Identifier: MIT
 *
 * The state of a process. The design is in the header.
 */
#include "transport/rl_process.h"

#include "transport/rl_process_mark.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct {
	_Atomic uint64_t fork_generation;
	/* Where this process counts: its row, or `own`. NULL = it has counted nothing yet. */
	rl_stats_home stats;
	rl_stats_row own;
	_Atomic uint64_t mark; /* of the process that set `stats` */
	rl_stats_table *table; /* NULL = there is none */
	int table_errno;       /* the reason */
	char host[RL_LABEL_MAX + 1];
	/* Changes only in a forked child, which has a single thread then. */
	rl_label label;
} process = {.table_errno = ENOSYS};

static void set_label(void)
{
	rl_bytes host = rl_bytes_of(process.host, strlen(process.host));
	rl_label_set_default(&process.label, host, (uint64_t) getpid());
}

/* The row that the parent has stays the parent's. */
static void in_child(void)
{
	atomic_fetch_add(&process.fork_generation, 1);
	set_label();
	memset(&process.own, 0, sizeof process.own);
	atomic_store(&process.stats, NULL);
}

static void watch_forks(void)
{
	if (gethostname(process.host, sizeof process.host) != 0 || process.host[0] == '\0') {
		memcpy(process.host, "unknown", sizeof "unknown");
	}
	process.host[RL_LABEL_MAX] = '\0'; /* a name that is cut may lack its NUL */
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

/* ---- numbers ---- */

/* The row of which this is a part. */
static rl_stats_row *row_of(rl_stats *stats)
{
	return (rl_stats_row *) (void *) ((char *) stats - offsetof(rl_stats_row, stats));
}

static rl_stats_row *take_row(void)
{
	rl_stats_row *row = NULL;
	if (process.table != NULL) {
		process.mark = rl_process_mark();
		row = rl_stats_table_take(process.table, process.mark, rl_process_mark_is_alive);
	}
	return row != NULL ? row : &process.own;
}

static void give_row_back(const rl_stats_row *row)
{
	if (row != &process.own) {
		rl_stats_table_give_back(process.table, process.mark, row);
	}
}

/* Of several threads that count at the same time for the first time, one wins. */
static rl_stats *choose_row(void)
{
	rl_stats_row *row = take_row();
	rl_stats *stats = NULL;
	if (atomic_compare_exchange_strong(&process.stats, &stats, &row->stats)) {
		return &row->stats;
	}
	give_row_back(row);
	return stats;
}

void rl_process_share_stats(void)
{
	/* Atomics that are not lock-free have locks of one process. */
	if (process.table != NULL || !atomic_is_lock_free(&process.fork_generation)) {
		return;
	}
	void *memory = mmap(
		NULL, sizeof *process.table, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	process.table_errno = errno;
	process.table = memory != MAP_FAILED ? memory : NULL;
	atomic_store(&process.stats, NULL);
}

void rl_process_unshare_stats(void)
{
	rl_stats *stats = atomic_exchange(&process.stats, &process.own.stats);
	if (process.table == NULL) {
		return;
	}
	if (stats != NULL) {
		give_row_back(row_of(stats));
	}
	munmap(process.table, sizeof *process.table);
	process.table = NULL;
}

rl_stats *rl_process_stats(void)
{
	rl_stats *stats = atomic_load_explicit(&process.stats, memory_order_acquire);
	return stats != NULL ? stats : choose_row();
}

void rl_process_read_stats(rl_stats *stats)
{
	rl_stats *current = atomic_load(&process.stats);
	rl_stats_row_read(current != NULL ? row_of(current) : &process.own, stats);
}

bool rl_process_read_totals(rl_stats_totals *totals, int *sys_errno)
{
	*sys_errno = process.table_errno;
	if (process.table != NULL) {
		rl_stats_table_sum(process.table, rl_process_mark_is_alive, totals);
	}
	return process.table != NULL;
}

/* ---- for core ---- */

static int64_t now(void *ctx)
{
	(void) ctx;
	return rl_os_now();
}

static bool draw(void *ctx, void *out, size_t len)
{
	return rl_random_draw(ctx, rl_process_fork_generation(), out, len);
}

static int64_t date(void *ctx)
{
	(void) ctx;
	return (int64_t) time(NULL);
}

static uint64_t fork_generation(void *ctx)
{
	(void) ctx;
	return rl_process_fork_generation();
}

static rl_stats *first_stats(void *ctx)
{
	(void) ctx;
	return rl_process_stats();
}

rl_env rl_process_env(rl_random *stock)
{
	return (rl_env){.ctx = stock,
		.now = now,
		.random = draw,
		.date = date,
		.fork_generation = fork_generation,
		.stats_home = &process.stats,
		.first_stats = first_stats,
		.label = rl_process_label()};
}
