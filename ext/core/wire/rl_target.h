/* SPDX-License-Identifier: MIT
 *
 * A target: one server as one user in one database, all that alters the handshake. Connections are
 * kept by it. Targets are counted references and belong to one thread.
 */
#ifndef RL_TARGET_H
#define RL_TARGET_H

#include "core/base/rl_status.h"

typedef enum rl_net_kind {
	RL_NET_TCP,
	RL_NET_UNIX,
} rl_net_kind;

typedef struct rl_address {
	rl_net_kind kind;
	char *host;    /* owned; name or literal without brackets; the path for RL_NET_UNIX */
	uint16_t port; /* RL_NET_TCP */
} rl_address;

typedef struct rl_secret {
	char *data; /* owned; NULL when there is none */
	size_t len;
} rl_secret;

typedef struct rl_target {
	unsigned refs;
	rl_address address;
	char *user;         /* owned; NULL = the default user */
	rl_secret password; /* wiped when freed */
	unsigned database;
	char *name; /* owned; for people: the DSN without credentials */
} rl_target;

/* An empty target with one reference; NULL when out of memory. */
rl_target *rl_target_new(void);

/* Builds name from the other fields; false when out of memory. */
bool rl_target_set_name(rl_target *target);

/* Another one that is the same, with one reference, for another thread; NULL when out of memory. */
rl_target *rl_target_copy(const rl_target *target);

rl_target *rl_target_ref(rl_target *target);
void rl_target_unref(rl_target *target);

/* The same server, whoever asks. */
bool rl_address_equal(const rl_address *a, const rl_address *b);

/* The same in all that alters the handshake. */
bool rl_target_equal(const rl_target *a, const rl_target *b);

#endif
