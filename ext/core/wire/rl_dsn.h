/* SPDX-License-Identifier: MIT
 *
 * Reads a DSN:
 *
 *     redis://[[user]:password@]host[:port][/db][?db=..&timeout=..&connect_timeout=..
 *         &outage_wait=..&replicas=..&replicas_timeout=..]
 *     rediss://[[user]:password@]host[:port][/db][?ssl[cafile]=/path&..]
 *     unix://[[user]:password@]/path/to.sock[?db=..&..]
 *     memory://[name][?timeout=..&connect_timeout=..&outage_wait=..
 *         &fail=refused|timeout|readonly|lost-reply]
 *     redis-cluster://[[user]:password@]host[:port],host..[/db][?..]
 *     redis-sentinel://[[user]:password@]host[:port],host../master-name[/db][?..&sentinel_user=..
 *         &sentinel_password=..&sentinel_tls=0|1&sentinel_quorum=..&sentinel_check=0|1
 *         &failover_grace=..]
 *
 * valkey:// and tcp:// mean redis://, valkeys:// and tls:// mean rediss://, which is TLS, and
 * redis:///path means unix:///path. With clusters and Sentinels valkey means redis, too, and rediss
 * is TLS; redis+sentinel:// means redis-sentinel://. An IPv6 address is written in brackets. User,
 * password, host, path, master name, and the names and values of options may be percent-encoded.
 *
 * memory:// is a server inside the process, for tests of programs.
 *
 * User, password, database and replicas are those of the nodes, and not of the Sentinels. The
 * scheme gives or denies TLS to both, unless sentinel_tls says otherwise.
 */
#ifndef RL_DSN_H
#define RL_DSN_H

#include "core/wire/rl_route.h"

#define RL_DSN_NO_OUTAGE_WAIT (-1)

typedef struct rl_dsn {
	/* The server, or what the nodes of the route have in common. The caller owns this one
	 * reference. */
	rl_target *target;
	/* NULL = one server. The caller owns this one reference. */
	rl_route *route;
	int64_t timeout_ns;          /* 0 = not given */
	int64_t connect_timeout_ns;  /* 0 = not given */
	int64_t replicas_timeout_ns; /* 0 = not given; replicas_ms of the targets is not filled */
	int64_t outage_wait_ns;      /* RL_DSN_NO_OUTAGE_WAIT = not given */
} rl_dsn;

/*
 * @param[out] dsn filled when RL_OK
 * @param[out] err RL_ERR_MEMORY, or RL_ERR_ARGUMENT with a message that quotes no password
 */
rl_status rl_dsn_parse(rl_bytes text, rl_dsn *dsn, rl_error *err) RL_MUST_USE;

/* Gives both references up. */
void rl_dsn_drop(rl_dsn *dsn);

#endif
