/* SPDX-License-Identifier: MIT
 *
 * From the parts of a DSN to a route.
 */
#include "core/wire/rl_dsn_route.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the name ---- */

/* A text in memory that has enough room for it. */
typedef struct name_room {
	char *data;
	size_t size;
	size_t used;
} name_room;

RL_PRINTF(2, 3) static void append(name_room *name, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	name->used +=
		(size_t) vsnprintf(name->data + name->used, name->size - name->used, format, args);
	va_end(args);
}

static size_t name_size(const rl_dsn_parts *parts)
{
	size_t size = sizeof "redis-sentinel:///s/4294967295";
	size += parts->service != NULL ? RL_ENCODED_MAX * strlen(parts->service) : 0;
	for (unsigned i = 0; i < parts->host_count; i++) {
		size += strlen(parts->hosts[i].host) + sizeof ",[]:65535";
	}
	return size;
}

static void append_hosts(name_room *name, const rl_dsn_parts *parts)
{
	for (unsigned i = 0; i < parts->host_count; i++) {
		const rl_address *host = &parts->hosts[i];
		bool is_v6 = strchr(host->host, ':') != NULL;
		append(name, is_v6 ? "%s[%s]:%u" : "%s%s:%u", i == 0 ? "" : ",", host->host,
			(unsigned) host->port);
	}
}

/* The DSN without credentials and options. */
static bool set_name(rl_target *common, const rl_dsn_parts *parts)
{
	size_t size = name_size(parts);
	name_room name = {.data = malloc(size), .size = size};
	if (name.data == NULL) {
		return false;
	}
	append(&name, "redis%s-%s://", parts->has_tls ? "s" : "",
		parts->kind == RL_DSN_CLUSTER ? "cluster" : "sentinel");
	append_hosts(&name, parts);
	if (parts->service != NULL) {
		append(&name, "/");
		name.used += rl_target_encode(parts->service, RL_ENCODE_SERVICE, name.data + name.used);
	}
	if (common->database != 0) {
		append(&name, "/%u", common->database);
	}
	common->name = name.data;
	return true;
}

/* ---- targets ---- */

/* Gives the target the address, and TLS with the options of the DSN. */
static bool set_address(
	rl_target *target, const rl_address *host, bool has_tls, const rl_tls_options *options)
{
	rl_address *address = &target->address;
	free(address->host);
	rl_tls_options_free(address->tls);
	address->kind = RL_NET_TCP;
	address->port = host->port;
	address->host = strdup(host->host);
	address->tls = has_tls ? rl_tls_options_copy(options) : NULL;
	return address->host != NULL && (address->tls != NULL || !has_tls);
}

static bool copy_login(rl_target *to, const rl_dsn_sentinels *from)
{
	if (from->password.data == NULL || (from->user == NULL && from->password.len == 0)) {
		return true;
	}
	to->user = from->user != NULL ? strdup(from->user) : NULL;
	to->password.data = malloc(from->password.len + 1);
	if (to->password.data == NULL || (to->user == NULL && from->user != NULL)) {
		return false;
	}
	memcpy(to->password.data, from->password.data, from->password.len + 1);
	to->password.len = from->password.len;
	return true;
}

/* A node has what all nodes have in common. A Sentinel has nothing in common with the nodes: it has
 * credentials of its own, no databases, and no replicas that could confirm. */
static rl_target *make_seed(const rl_dsn_parts *parts, const rl_address *host)
{
	bool is_node = parts->kind == RL_DSN_CLUSTER;
	bool has_tls = is_node ? parts->has_tls : parts->sentinels.has_tls;
	rl_target *seed = is_node ? rl_target_copy(parts->target) : rl_target_new();
	if (seed == NULL || !set_address(seed, host, has_tls, parts->tls) ||
		(!is_node && !copy_login(seed, &parts->sentinels)) || !rl_target_set_name(seed)) {
		rl_target_unref(seed);
		return NULL;
	}
	return seed;
}

/* ---- the route ---- */

static bool add_seeds(rl_route *route, const rl_dsn_parts *parts)
{
	bool is_added = true;
	for (unsigned i = 0; i < parts->host_count && is_added; i++) {
		rl_target *seed = make_seed(parts, &parts->hosts[i]);
		is_added = seed != NULL && rl_route_add_seed(route, seed);
		rl_target_unref(seed);
	}
	return is_added;
}

static bool set_service(rl_route *route, const rl_dsn_parts *parts)
{
	const char *service = parts->service;
	if (service == NULL) {
		return true;
	}
	route->sentinel_quorum = parts->sentinels.quorum;
	route->check_ns = parts->sentinels.check_ns;
	route->grace_ns = parts->sentinels.grace_ns;
	return rl_route_set_service(route, rl_bytes_of(service, strlen(service)));
}

rl_route *rl_dsn_route_make(rl_dsn_parts *parts)
{
	rl_target *common = parts->target;
	if (!set_address(common, &parts->hosts[0], parts->has_tls, parts->tls) ||
		!set_name(common, parts)) {
		return NULL;
	}
	rl_route *route =
		rl_route_new(parts->kind == RL_DSN_CLUSTER ? RL_ROUTE_CLUSTER : RL_ROUTE_SENTINEL, common);
	if (route != NULL && set_service(route, parts) && add_seeds(route, parts)) {
		return route;
	}
	rl_route_unref(route);
	return NULL;
}
