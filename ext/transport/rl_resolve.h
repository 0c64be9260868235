/* SPDX-License-Identifier: MIT
 *
 * Names to socket addresses. getaddrinfo blocks and has no deadline, so it is a call of its own, made by a
 * thread that may block and outside every deadline; its answer is kept. Literals and paths are read
 * without it, at any time.
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
	rl_sockaddr list[RL_ADDRESSES_MAX]; /* in the order to be tried */
	unsigned count;
} rl_addresses;

/* The names that one thread has resolved. */
typedef struct rl_resolver {
	struct rl_resolved *names; /* owned list */
	bool has_doubts; /* addresses of one of them could not be reached, or are not to be trusted */
	bool has_news;   /* the system has told addresses that no other resolver has learned yet */
} rl_resolver;

void rl_resolver_clear(rl_resolver *resolver);

/* Sees to it that what is known of the address' name is no older than max_age_ns; may ask the system, and
 * block. When it has no answer, an older one is kept; without one, rl_resolved_get() tells the reason. */
void rl_resolve(rl_resolver *resolver, const rl_address *address, int64_t max_age_ns);

/* None of the address' addresses could be reached, or the server there is a replica: they may have changed.
 * @return whether rl_resolver_ask_again() would ask now. False for a literal, and for a name that was just asked for */
bool rl_resolver_doubt(rl_resolver *resolver, const rl_address *address);

/* Asks again for the names in doubt, unless that was just done. May block. */
void rl_resolver_ask_again(rl_resolver *resolver);

/* What one resolver knows of the address, another one, which asks nobody, knows from then on, too. */
void rl_resolver_learn(rl_resolver *resolver, const rl_resolver *from, const rl_address *address);

/* The same for every name that the resolver has, as far as the other one knows more. */
void rl_resolver_learn_all(rl_resolver *resolver, const rl_resolver *from);

/* Whether the address is in doubt, and nothing was learned of it since. */
bool rl_resolver_doubts(const rl_resolver *resolver, const rl_address *address);

/* What is known of the address, without asking anybody. */
rl_status rl_resolved_get(const rl_resolver *resolver, const rl_address *address, rl_addresses *out,
	rl_error *err) RL_MUST_USE;

#endif
