/* SPDX-License-Identifier: MIT
 *
 * A target: one server, user, password, database, the options of TLS, and the replicas that
 * confirm: all that a connection depends on. The pool keeps connections by their target. References
 * to a target are counted, and belong to one thread.
 */
#ifndef RL_TARGET_H
#define RL_TARGET_H

#include "core/base/rl_label.h"
#include "core/wire/rl_tls_options.h"

typedef enum rl_net_kind {
	RL_NET_TCP,
	RL_NET_UNIX,
	/* A server inside the process (transport/rl_memory.h), for tests of programs. */
	RL_NET_MEMORY,
} rl_net_kind;

/* How a server inside the process fails on purpose, on the connections of one DSN. */
typedef enum rl_fault {
	RL_FAULT_NONE,
	RL_FAULT_REFUSED,    /* refuses connections */
	RL_FAULT_TIMEOUT,    /* reads no command */
	RL_FAULT_READONLY,   /* answers as a replica */
	RL_FAULT_LOST_REPLY, /* runs each command, and closes the connection in place of a reply */
} rl_fault;

/* Reads the value of the option fail. False = it names no fault. */
bool rl_fault_read(rl_bytes text, rl_fault *fault);

typedef struct rl_address {
	rl_net_kind kind;
	/* Owned. A name, or an address without brackets; RL_NET_UNIX: the path; RL_NET_MEMORY: the
	 * name of the server, which may be empty. */
	char *host;
	uint16_t port;  /* RL_NET_TCP */
	rl_fault fault; /* RL_NET_MEMORY */
	/* Owned. NULL = without TLS. */
	rl_tls_options *tls;
} rl_address;

typedef struct rl_secret {
	char *data; /* owned; NULL when there is none */
	size_t len;
} rl_secret;

/* Overwrites the bytes, frees them, and leaves no secret. */
void rl_secret_wipe(rl_secret *secret);

typedef struct rl_target {
	unsigned refs;
	rl_address address;
	char *user;         /* owned; NULL = the default user */
	rl_secret password; /* wiped when freed */
	unsigned database;
	/* How many replicas must confirm a command that takes or prolongs a lock, and how long that may
	 * take, in ms. */
	unsigned replicas;
	int64_t replicas_ms;
	/* Sentinels have named the server as the primary: a replica at its address is refused. */
	bool must_be_primary;
	/* Owned. The DSN without credentials and options, for messages. It has no control
	 * characters, and parsed as a DSN it leads to the same server. */
	char *name;
	/* Names the connections that are dialled with this target; none = as rl_env.label. */
	rl_label label;
} rl_target;

/* An empty target with one reference; NULL when out of memory. */
rl_target *rl_target_new(void);

typedef enum rl_encoding {
	/* A path keeps its printable bytes, unless the parser would read them back as something else.
	 */
	RL_ENCODE_PATH,
	RL_ENCODE_SERVICE,
} rl_encoding;

/* Percent-encodes a text for a name.
 * @param out has room for RL_ENCODED_MAX times the text, and a NUL
 * @return the length */
#define RL_ENCODED_MAX 3
size_t rl_target_encode(const char *text, rl_encoding encoding, char *out);

/* Makes name from the other fields. False when out of memory. */
bool rl_target_set_name(rl_target *target);

/* A copy with one reference, for another thread; NULL when out of memory. */
rl_target *rl_target_copy(const rl_target *target);

rl_target *rl_target_ref(rl_target *target);
void rl_target_unref(rl_target *target);

/* The same server, whatever the user, the database and TLS. A server inside the process
 * counts as two servers when one address has a fault and the other has none. */
bool rl_address_equal(const rl_address *a, const rl_address *b);

/* The same in everything but the name and the label. */
bool rl_target_equal(const rl_target *a, const rl_target *b);

#endif
