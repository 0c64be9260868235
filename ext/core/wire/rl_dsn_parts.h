/* SPDX-License-Identifier: MIT
 *
 * The parts of a DSN, decoded and checked, which the modules of the DSN parser hand to each other.
 * rl_dsn.c fills in the scheme, rl_dsn_place.c the part before the '?', and rl_dsn_options.c the
 * part after the '?'. rl_dsn_route.c makes the route from these parts.
 */
#ifndef RL_DSN_PARTS_H
#define RL_DSN_PARTS_H

#include "core/wire/rl_route.h"

typedef enum rl_dsn_kind {
	RL_DSN_SERVER,
	RL_DSN_CLUSTER,
	RL_DSN_SENTINEL,
} rl_dsn_kind;

/* The options of a DSN with Sentinels. */
typedef struct rl_dsn_sentinels {
	char *user;         /* owned; NULL = the default user */
	rl_secret password; /* wiped when freed */
	bool has_tls;       /* at first as the scheme says */
	unsigned quorum;    /* 0 = not given */
	int64_t check_ns;   /* as in rl_route */
	int64_t grace_ns;   /* as in rl_route */
} rl_dsn_sentinels;

typedef struct rl_dsn_parts {
	rl_dsn_kind kind;
	/* The server, or the nodes, speak TLS. */
	bool has_tls;
	/* Filled except for TLS, and in a DSN with a list of hosts also except for host and port. */
	rl_target *target;
	/* The hosts of a list. */
	rl_address hosts[RL_SEEDS_MAX];
	unsigned host_count;
	char *service; /* owned; the name under which Sentinels know the primary */
	rl_dsn_sentinels sentinels;
	/* Owned; all ssl[...] options, whether the scheme needs them or not. */
	rl_tls_options *tls;
	bool has_database;
	int64_t timeout_ns; /* this and the next two: 0 = not given */
	int64_t connect_timeout_ns;
	int64_t replicas_timeout_ns;
	int64_t outage_wait_ns; /* as in rl_dsn */
} rl_dsn_parts;

#endif
