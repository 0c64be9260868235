/* SPDX-License-Identifier: MIT
 *
 * Reads a DSN:
 *
 *     redis://[[user]:password@]host[:port][/db][?db=..&timeout=..&connect_timeout=..
 *         &replicas=..&replicas_timeout=..]
 *     rediss://[[user]:password@]host[:port][/db][?ssl[cafile]=/path&..]
 *     unix://[[user]:password@]/path/to.sock[?db=..&..]
 *
 * valkey:// and tcp:// mean redis://, valkeys:// and tls:// mean rediss://, which is TLS, and
 * redis:///path means unix:///path. An IPv6 address is written in brackets. User, password, host,
 * path, and the names and values of options may be percent-encoded.
 */
#ifndef RL_DSN_H
#define RL_DSN_H

#include "core/wire/rl_target.h"

typedef struct rl_dsn {
	/* The caller owns this one reference. */
	rl_target *target;
	int64_t timeout_ns;          /* 0 = not given */
	int64_t connect_timeout_ns;  /* 0 = not given */
	int64_t replicas_timeout_ns; /* 0 = not given; target->replicas_ms is not filled */
} rl_dsn;

/* The limits of a timeout, both in a DSN and as an argument. */
#define RL_TIMEOUT_MIN_NS RL_NS_PER_MS
#define RL_TIMEOUT_MAX_NS (3600 * RL_NS_PER_SECOND)

/*
 * @param[out] dsn filled when RL_OK
 * @param[out] err RL_ERR_MEMORY, or RL_ERR_ARGUMENT with a message that quotes no password
 */
rl_status rl_dsn_parse(rl_bytes text, rl_dsn *dsn, rl_error *err) RL_MUST_USE;

#endif
