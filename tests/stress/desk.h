/* SPDX-License-Identifier: MIT
 *
 * Core and transport put together for one process and one server, as PHP's glue does it, without
 * PHP.
 */
#ifndef DESK_H
#define DESK_H

#include "core/lock/rl_acquire.h"
#include "core/lock/rl_plain.h"
#include "transport/rl_driver.h"

#define DESK_TIMEOUT_MS 2000

typedef struct desk {
	rl_net net;
	rl_random stock;
	rl_env env;
	rl_pool pool;
	rl_set set;
	rl_target target;
} desk;

/* Does not connect. It must not be moved afterwards. */
void desk_open(desk *self, unsigned port);
void desk_close(desk *self);

/* An acquire that has not begun yet; ends the process when out of memory.
 * @param wait_ms negative = for ever */
rl_acquire *desk_acquire(desk *self, const char *key, int64_t ttl_ms, int64_t wait_ms);

/* Releases, to the end. */
rl_status desk_release(desk *self, const char *key, rl_bytes token);

#endif
