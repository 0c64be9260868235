/* SPDX-License-Identifier: MIT
 *
 * Resolves names to socket addresses. getaddrinfo blocks and has no deadline. Therefore resolving
 * is a call of its own, which a thread makes that may block, outside every deadline. The resolver
 * keeps the answers. It reads literal addresses and paths at any time, without getaddrinfo.
 */
#ifndef RL_RESOLVE_H
#define RL_RESOLVE_H

#include "core/wire/rl_target.h"

#include <sys/socket.h>

#define RL_ADDRESSES_MAX 8

typedef struct rl_sockaddr {
	struct sockaddr_storage storage;
	socklen_t len;
} rl_sockaddr;

typedef struct rl_addresses {
	/* In the order in which they are tried. */
	rl_sockaddr list[RL_ADDRESSES_MAX];
	unsigned count;
} rl_addresses;

/* The names that one thread has resolved. */
typedef struct rl_resolver {
	struct rl_resolved *names; /* owned list */
	/* A name is in doubt: no server answered at its addresses, or the server there is a replica. */
	bool has_doubts;
	/* The news of the watchdog (rl_watchdog.c) since which nothing is to be shared with it. */
	uint64_t shared;
	/* No name is resolved here: the resolver learns from others. */
	bool is_taught;
	/* No name is resolved again before this time, because a lookup was slow. */
	int64_t quiet_until;
} rl_resolver;

void rl_resolver_clear(rl_resolver *resolver);

/* Makes sure that the answer for the address's name is no older than max_age_ns. May ask the
 * system, and block. If the system has no answer, the resolver keeps the older one; if there is
 * none, rl_resolved_get() reports the reason. */
void rl_resolve(rl_resolver *resolver, const rl_address *address, int64_t max_age_ns);

/* Puts the address in doubt: no server answered there, or the server is a replica, so the name may
 * have moved. Or the name is new: a node of a cluster has named it.
 * @return true = rl_resolver_ask_again() would ask the system now; false for a literal address, and
 *   for a name that was resolved a moment ago */
bool rl_resolver_doubt(rl_resolver *resolver, const rl_address *address);

/* Resolves each name again that was put in doubt at this time or later, unless it was resolved a
 * moment ago. May block.
 * @param since the beginning of the operation: it resolves no names that other operations have put
 *   in doubt, because each lookup takes long without a name server */
void rl_resolver_ask_again(rl_resolver *resolver, int64_t since);

/* Copies each answer that is newer than what the resolver knows, which never asks the system
 * itself. A name about which it learns something is not in doubt any more. */
void rl_resolver_learn(rl_resolver *resolver, const rl_resolver *from);

/* Notes which names a resolver that is taught has in doubt, as far as nothing newer is known here.
 * @return true = there are such names */
bool rl_resolver_note_missed(rl_resolver *resolver, const rl_resolver *pupil);

/* Resolves again each noted name that concerns the caller, unless it was resolved a moment ago. May
 * block. */
void rl_resolve_missed(rl_resolver *resolver,
	bool (*concerns)(const void *ctx, const rl_address *address), const void *ctx);

/* Returns what is known of the address. Never asks the system for a name. */
rl_status rl_resolved_get(const rl_resolver *resolver, const rl_address *address, rl_addresses *out,
	rl_error *err) RL_MUST_USE;

#endif
