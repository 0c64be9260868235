/* SPDX-License-Identifier: MIT
 *
 * The numbers of one process: counters, histograms of times, and gauges. Any thread may add to
 * them. Each number is exact by itself, but numbers that are read one after another are no
 * snapshot.
 *
 * Counters and histograms only grow. A gauge says how many there are at this moment. All numbers
 * are 64 bits wide, so that they can be copied, added and subtracted as words, whatever their
 * names.
 */
#ifndef RL_STATS_H
#define RL_STATS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* X(name). stubs/redislock.stub.php describes each counter, at stats(). */
#define RL_STATS_EACH(X) \
 X(acquired) \
 X(refused) \
 X(already_done) \
 X(split_votes) \
 X(timed_out) \
 X(failed) \
 X(tries) \
 X(probes) \
 X(wake_ups) \
 X(spurious_wake_ups) \
 X(backoffs) \
 X(grants_undone) \
 X(released) \
 X(not_released) \
 X(late_releases) \
 X(late_releases_done) \
 X(late_releases_dropped) \
 X(extended) \
 X(not_extended) \
 X(renewed) \
 X(lost) \
 X(connects) \
 X(reconnects) \
 X(cluster_redirects) \
 X(tls_handshakes) \
 X(tls_resumed) \
 X(sentinel_lookups) \
 X(primary_switches) \
 X(unconfirmed) \
 X(blocked_by_grace) \
 X(scripts_loaded) \
 X(wake_failures)

#define RL_HISTOGRAMS_EACH(X) \
 X(wait_time) \
 X(hold_time) \
 X(round_trip)

#define RL_GAUGES_EACH(X) \
 X(held) \
 X(waiting)

/* Bucket i counts the times of at most 2^i * 32 us that are in no bucket before it; the last one
 * counts all longer times. */
#define RL_HISTOGRAM_BUCKETS 32
#define RL_HISTOGRAM_FIRST_NS UINT64_C(32000)

typedef struct rl_histogram {
	_Atomic uint64_t sum_ns;
	_Atomic uint64_t buckets[RL_HISTOGRAM_BUCKETS];
} rl_histogram;

typedef struct rl_stats {
#define RL_STATS_COUNTER(name) _Atomic uint64_t name;
	RL_STATS_EACH(RL_STATS_COUNTER)
#define RL_STATS_HISTOGRAM(name) rl_histogram name;
	RL_HISTOGRAMS_EACH(RL_STATS_HISTOGRAM)
#undef RL_STATS_HISTOGRAM
	/* The gauges follow the numbers that only grow. */
	RL_GAUGES_EACH(RL_STATS_COUNTER)
#undef RL_STATS_COUNTER
} rl_stats;

/* Where the numbers of a process are. */
typedef _Atomic(rl_stats *) rl_stats_home;

#define RL_STATS_WORDS (sizeof(rl_stats) / sizeof(uint64_t))
/* How many of the words only grow; the others are gauges. */
#define RL_STATS_GROWING (offsetof(rl_stats, held) / sizeof(uint64_t))

static inline void rl_stats_add(_Atomic uint64_t *counter, uint64_t amount)
{
	atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
}

static inline void rl_gauge_drop(_Atomic uint64_t *gauge)
{
	atomic_fetch_sub_explicit(gauge, 1, memory_order_relaxed);
}

/* The bucket for a time above 0. */
static inline unsigned rl_histogram_bucket(uint64_t ns)
{
	uint64_t rest = (ns - 1) / RL_HISTOGRAM_FIRST_NS;
	unsigned bits = rest != 0 ? 64 - (unsigned) __builtin_clzll(rest) : 0;
	return bits < RL_HISTOGRAM_BUCKETS ? bits : RL_HISTOGRAM_BUCKETS - 1;
}

static inline void rl_histogram_add(rl_histogram *histogram, int64_t ns)
{
	uint64_t time = ns > 0 ? (uint64_t) ns : 1;
	rl_stats_add(&histogram->sum_ns, time);
	rl_stats_add(&histogram->buckets[rl_histogram_bucket(time)], 1);
}

#endif
