/* SPDX-License-Identifier: MIT
 *
 * What a thread of PHP has, without PHP: its own network, connections and random bytes, and leases
 * that the one watchdog of the process watches. The calls come in the order in which the glue makes
 * them (ext/php/redislock_record.c and redislock_lease.c).
 */
#ifndef HAND_H
#define HAND_H

#include "core/lease/rl_lease.h"
#include "core/lease/rl_renewer.h"
#include "transport/rl_driver.h"

typedef struct hand hand;
struct hand {
	rl_net net;
	rl_random stock;
	rl_env env;
	rl_pool pool;
	rl_target *target;
	rl_set set;
	uint64_t random;
};

/* Does not connect. It must not be moved afterwards. */
void hand_open(hand *self, const char *dsn, int64_t timeout_ms, uint64_t seed);
void hand_close(hand *self);

int64_t hand_draw(hand *self, int64_t least, int64_t most);

/* A lease that is held, or was. */
typedef struct kept kept;
struct kept {
	hand *hand;
	rl_lease *lease;
	rl_renewal *renewal; /* NULL = not any more */
	int64_t ttl_ms;
	_Atomic unsigned told; /* on_lost was called so often */
};

/* @param[out] status RL_OK, RL_BUSY, or why it failed
 * @return NULL when it was not had */
kept *hand_take(hand *self, const char *key, int64_t ttl_ms, int64_t wait_ms, rl_status *status);

/* RL_OK, RL_BUSY = it was lost, or why it is not known. */
rl_status kept_extend(kept *self, int64_t ttl_ms);

/* Each of these ends it: the first may say so again when it fails, as a release() in a loop
 * does. */
rl_status kept_release(kept *self);
rl_status kept_farewell(kept *self, int64_t limit_ms);
void kept_detach(kept *self);

/* After one of them, or without: whoever holds it then has its TTL left. */
void kept_free(kept *self);

#endif
