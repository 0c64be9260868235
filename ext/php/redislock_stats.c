/* SPDX-License-Identifier: MIT
 *
 * The numbers as PHP sees them. Core counts nanoseconds; PHP gets seconds, as everywhere.
 */
#include "php_redislock.h"

#include "php/redislock_stats.h"

#include "ext/standard/info.h"

#include "transport/rl_process.h"

static double seconds(uint64_t ns)
{
	return (double) ns / 1e9;
}

/* How many times the histogram has counted. */
static uint64_t count_of(const rl_histogram *histogram)
{
	uint64_t count = 0;
	for (unsigned i = 0; i < RL_HISTOGRAM_BUCKETS; i++) {
		count += atomic_load(&histogram->buckets[i]);
	}
	return count;
}

/* ---- stats() ---- */

/* The bounds of the buckets are whole microseconds. */
static void add_buckets(zval *array, const rl_histogram *histogram)
{
	zval buckets;
	uint64_t count = 0;
	array_init(&buckets);
	for (unsigned i = 0; i < RL_HISTOGRAM_BUCKETS; i++) {
		char bound[32] = "+Inf";
		unsigned long long us = (unsigned long long) (RL_HISTOGRAM_FIRST_NS / 1000) << i;
		if (i < RL_HISTOGRAM_BUCKETS - 1) {
			snprintf(bound, sizeof bound, "%llu.%06llu", us / 1000000, us % 1000000);
		}
		count += atomic_load(&histogram->buckets[i]);
		add_assoc_long(&buckets, bound, (zend_long) count);
	}
	add_assoc_zval(array, "buckets", &buckets);
}

static void add_histogram(zval *array, const char *name, const rl_histogram *histogram)
{
	zval shape;
	array_init(&shape);
	add_assoc_long(&shape, "count", (zend_long) count_of(histogram));
	add_assoc_double(&shape, "sum", seconds(atomic_load(&histogram->sum_ns)));
	add_buckets(&shape, histogram);
	add_assoc_zval(array, name, &shape);
}

static void add_all(zval *array, const rl_stats_totals *totals)
{
	const rl_stats *stats = &totals->stats;
	array_init(array);
	add_assoc_long(array, "processes", (zend_long) totals->processes);
	add_assoc_long(array, "processes_missing", (zend_long) totals->turned_away);
#define ADD(name) add_assoc_long(array, #name, (zend_long) atomic_load(&stats->name));
	RL_GAUGES_EACH(ADD)
	RL_STATS_EACH(ADD)
#undef ADD
#define ADD(name) add_histogram(array, #name, &stats->name);
	RL_HISTOGRAMS_EACH(ADD)
#undef ADD
}

bool redislock_stats_read(bool is_all, zval *array, int *sys_errno)
{
	rl_stats_totals totals = {.processes = 1};
	if (!is_all) {
		rl_process_read_stats(&totals.stats);
	} else if (!rl_process_read_totals(&totals, sys_errno)) {
		return false;
	}
	add_all(array, &totals);
	return true;
}

/* ---- phpinfo() ---- */

static void print_number(const char *name, const _Atomic uint64_t *number)
{
	char text[32];
	snprintf(text, sizeof text, "%llu", (unsigned long long) atomic_load(number));
	php_info_print_table_row(2, name, text);
}

static void print_histogram(const char *name, const rl_histogram *histogram)
{
	char text[64];
	snprintf(text, sizeof text, "%llu, %.3F s in all", (unsigned long long) count_of(histogram),
		seconds(atomic_load(&histogram->sum_ns)));
	php_info_print_table_row(2, name, text);
}

void redislock_stats_print(void)
{
	rl_stats stats;
	rl_process_read_stats(&stats);
#define PRINT(name) print_number(#name, &stats.name);
	RL_GAUGES_EACH(PRINT)
	RL_STATS_EACH(PRINT)
#undef PRINT
#define PRINT(name) print_histogram(#name, &stats.name);
	RL_HISTOGRAMS_EACH(PRINT)
#undef PRINT
}
