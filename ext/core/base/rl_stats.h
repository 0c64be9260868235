/* SPDX-License-Identifier: MIT
 *
 * The counters of one process. Any thread may add to them. Each counter is exact by itself, but
 * counters that are read one after another are no snapshot.
 */
#ifndef RL_STATS_H
#define RL_STATS_H

#include <stdatomic.h>
#include <stdint.h>

/* X(name). stubs/redislock.stub.php describes each counter, at stats(). */
#define RL_STATS_EACH(X) \
 X(acquired) \
 X(refused) \
 X(split_votes) \
 X(timed_out) \
 X(failed) \
 X(waited_ns) \
 X(tries) \
 X(nudges) \
 X(wake_ups) \
 X(wake_ups_taken) \
 X(delays) \
 X(undone) \
 X(released) \
 X(not_released) \
 X(postponed) \
 X(postponed_done) \
 X(postponed_dropped) \
 X(extended) \
 X(not_extended) \
 X(renewed) \
 X(lost) \
 X(connects) \
 X(reconnects) \
 X(redirects) \
 X(tls_handshakes) \
 X(tls_resumed) \
 X(lookups) \
 X(switches) \
 X(unconfirmed) \
 X(held_back) \
 X(scripts_loaded) \
 X(fallbacks)

typedef struct rl_stats {
#define RL_STATS_FIELD(name) _Atomic uint64_t name;
	RL_STATS_EACH(RL_STATS_FIELD)
#undef RL_STATS_FIELD
} rl_stats;

static inline void rl_stats_add(_Atomic uint64_t *counter, uint64_t amount)
{
	atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
}

#endif
