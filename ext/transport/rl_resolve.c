/* SPDX-License-Identifier: MIT
 *
 * Resolves names. The design is in the header.
 */
#include "transport/rl_resolve.h"

#include "core/base/rl_time.h"
#include "transport/rl_os.h"

#include <errno.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

/* The shortest time between two questions for a name in doubt. */
#define ASK_AGAIN_NS RL_NS_PER_SECOND

/* A lookup takes long when no name server answers. The next name in doubt is looked up after four
 * times as long, but after 40 s at most: so most calls do not wait for any lookup. */
#define QUIET_PER_LOOKUP 4
#define QUIET_MAX_NS (40 * RL_NS_PER_SECOND)

struct rl_resolved {
	struct rl_resolved *next;
	char *host;
	uint16_t port;
	int64_t asked_at;
	int64_t known_at; /* when the system has told the addresses; 0 = there are none */
	int result;       /* of getaddrinfo */
	bool is_in_doubt;
	int64_t doubted_at; /* the latest time */
	bool is_missed;     /* a resolver that is taught has it in doubt */
	rl_addresses addresses;
};

/* For a signal handler, and the thread that it wakes, the writes before this call come before the
 * writes after it. */
static void in_order(void)
{
	atomic_signal_fence(memory_order_seq_cst);
}

static rl_address address_of(const struct rl_resolved *entry)
{
	return (rl_address){.kind = RL_NET_TCP, .host = entry->host, .port = entry->port};
}

static void forget_newest(rl_resolver *resolver)
{
	struct rl_resolved *entry = resolver->names;
	resolver->names = entry->next;
	free(entry->host);
	free(entry);
}

void rl_resolver_clear(rl_resolver *resolver)
{
	while (resolver->names != NULL) {
		forget_newest(resolver);
	}
	resolver->quiet_until = 0;
}

static struct rl_resolved *find(const rl_resolver *resolver, const rl_address *address)
{
	for (struct rl_resolved *entry = resolver->names; entry != NULL; entry = entry->next) {
		if (entry->port == address->port && strcmp(entry->host, address->host) == 0) {
			return entry;
		}
	}
	return NULL;
}

/* Calls getaddrinfo. With AI_NUMERICHOST it only reads a literal address and never blocks. */
static int ask(const rl_address *address, int flags, rl_addresses *out)
{
	char port[8];
	snprintf(port, sizeof port, "%u", (unsigned) address->port);
	struct addrinfo hints = {
		.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICSERV};
	struct addrinfo *list = NULL;
	int result = getaddrinfo(address->host, port, &hints, &list);
	out->count = 0;
	for (const struct addrinfo *info = list; info != NULL; info = info->ai_next) {
		if (out->count < RL_ADDRESSES_MAX && info->ai_addrlen <= sizeof out->list[0].storage) {
			rl_sockaddr *entry = &out->list[out->count++];
			memcpy(&entry->storage, info->ai_addr, info->ai_addrlen);
			entry->len = info->ai_addrlen;
		}
	}
	if (list != NULL) {
		freeaddrinfo(list);
	}
	return result;
}

static bool read_literal(const rl_address *address, rl_addresses *out)
{
	if (address->kind == RL_NET_MEMORY) {
		out->count = 1; /* the link finds it by its name */
		return true;
	}
	if (address->kind == RL_NET_UNIX) {
		struct sockaddr_un path = {.sun_family = AF_UNIX};
		memcpy(
			path.sun_path, address->host, strlen(address->host) + 1); /* rl_dsn checks the length */
		memcpy(&out->list[0].storage, &path, sizeof path);
		out->list[0].len = sizeof path;
		out->count = 1;
		return true;
	}
	return ask(address, AI_NUMERICHOST, out) == 0 && out->count > 0;
}

static rl_status fail(rl_error *err, int result)
{
	int sys_errno = result == EAI_SYSTEM ? errno : 0;
	return rl_error_set(err, RL_ERR_NAME, sys_errno, "the host name could not be resolved: %s",
		result == 0 ? "it has no address" : gai_strerror(result));
}

static struct rl_resolved *add(rl_resolver *resolver, const rl_address *address)
{
	struct rl_resolved *entry = calloc(1, sizeof *entry);
	char *host = strdup(address->host);
	if (entry == NULL || host == NULL) {
		free(entry);
		free(host);
		return NULL;
	}
	entry->host = host;
	entry->port = address->port;
	entry->next = resolver->names;
	in_order();
	resolver->names = entry;
	return entry;
}

static void refresh(rl_resolver *resolver, struct rl_resolved *entry)
{
	rl_address address = address_of(entry);
	rl_addresses found;
	int64_t begun_at = rl_os_now();
	entry->result = ask(&address, AI_ADDRCONFIG, &found);
	entry->asked_at = rl_os_now();
	if (entry->result == 0 && found.count > 0) {
		entry->addresses = found;
		in_order();
		entry->known_at = entry->asked_at;
		resolver->shared = 0;
	}
	int64_t quiet = QUIET_PER_LOOKUP * (entry->asked_at - begun_at);
	resolver->quiet_until = entry->asked_at + rl_time_earlier(quiet, QUIET_MAX_NS);
	entry->is_in_doubt = false;
	entry->is_missed = false;
}

static bool may_ask_again(const rl_resolver *resolver, const struct rl_resolved *entry)
{
	int64_t now = rl_os_now();
	bool is_new = entry->asked_at == 0;
	return is_new || (now - entry->asked_at > ASK_AGAIN_NS && now >= resolver->quiet_until);
}

void rl_resolve(rl_resolver *resolver, const rl_address *address, int64_t max_age_ns)
{
	struct rl_resolved *entry = find(resolver, address);
	rl_addresses literal;
	if (entry == NULL && !read_literal(address, &literal)) {
		entry = add(resolver, address);
		max_age_ns = -1;
	}
	if (entry == NULL) {
		return; /* a literal address, or out of memory: rl_resolved_get() handles both */
	}
	bool is_doubtful = entry->is_in_doubt || entry->addresses.count == 0;
	bool is_old = rl_os_now() - entry->asked_at > max_age_ns;
	if (is_old || (is_doubtful && may_ask_again(resolver, entry))) {
		refresh(resolver, entry);
	}
}

bool rl_resolver_doubt(rl_resolver *resolver, const rl_address *address)
{
	struct rl_resolved *entry = find(resolver, address);
	rl_addresses literal;
	if (entry == NULL && !read_literal(address, &literal)) {
		entry = add(resolver, address);
	}
	if (entry == NULL) {
		return false;
	}
	entry->is_in_doubt = true;
	entry->doubted_at = rl_os_now();
	resolver->has_doubts = true;
	return !resolver->is_taught && may_ask_again(resolver, entry);
}

void rl_resolver_ask_again(rl_resolver *resolver, int64_t since)
{
	resolver->has_doubts = false;
	for (struct rl_resolved *entry = resolver->names; entry != NULL; entry = entry->next) {
		if (!entry->is_in_doubt) {
			continue;
		}
		if (entry->doubted_at >= since && may_ask_again(resolver, entry)) {
			refresh(resolver, entry);
		} else {
			resolver->has_doubts = true;
		}
	}
}

void rl_resolver_learn(rl_resolver *resolver, const rl_resolver *from)
{
	for (const struct rl_resolved *known = from->names; known != NULL; known = known->next) {
		rl_address address = address_of(known);
		struct rl_resolved *entry = find(resolver, &address);
		if (entry == NULL && known->known_at > 0) {
			entry = add(resolver, &address);
		}
		if (entry != NULL && known->known_at > entry->known_at) {
			entry->addresses = known->addresses;
			entry->known_at = known->known_at;
			entry->is_in_doubt = false;
		}
	}
	resolver->has_doubts = false;
	for (const struct rl_resolved *entry = resolver->names; entry != NULL; entry = entry->next) {
		resolver->has_doubts = resolver->has_doubts || entry->is_in_doubt;
	}
}

bool rl_resolver_note_missed(rl_resolver *resolver, const rl_resolver *pupil)
{
	bool is_any = false;
	for (struct rl_resolved *entry = resolver->names; entry != NULL; entry = entry->next) {
		entry->is_missed = false;
	}
	for (const struct rl_resolved *doubted = pupil->names; doubted != NULL;
		 doubted = doubted->next) {
		rl_address address = address_of(doubted);
		struct rl_resolved *entry = doubted->is_in_doubt ? find(resolver, &address) : NULL;
		if (entry == NULL && doubted->is_in_doubt) {
			entry = add(resolver, &address);
		}
		if (entry != NULL && entry->known_at <= doubted->known_at) {
			entry->is_missed = true;
			is_any = true;
		}
	}
	return is_any;
}

void rl_resolve_missed(rl_resolver *resolver,
	bool (*concerns)(const void *ctx, const rl_address *address), const void *ctx)
{
	for (struct rl_resolved *entry = resolver->names; entry != NULL; entry = entry->next) {
		rl_address address = address_of(entry);
		if (entry->is_missed && may_ask_again(resolver, entry) && concerns(ctx, &address)) {
			refresh(resolver, entry);
		}
	}
}

rl_status rl_resolved_get(
	const rl_resolver *resolver, const rl_address *address, rl_addresses *out, rl_error *err)
{
	const struct rl_resolved *entry = find(resolver, address);
	if (entry != NULL && entry->addresses.count > 0) {
		*out = entry->addresses;
		return RL_OK;
	}
	if (entry != NULL) {
		return fail(err, entry->result);
	}
	return read_literal(address, out) ? RL_OK : fail(err, EAI_NONAME);
}
