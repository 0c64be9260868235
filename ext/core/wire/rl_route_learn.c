/* SPDX-License-Identifier: MIT
 *
 * Routes: what redirects, maps, Sentinels and other routes teach. The design is in rl_route.h.
 */
#include "core/wire/rl_route.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- nodes ---- */

static rl_bytes host_of(const rl_target *target)
{
	return rl_bytes_of(target->address.host, strlen(target->address.host));
}

/* The target of the node at the address; NULL when out of memory. */
static rl_target *make_node(const rl_route *route, const rl_address *address)
{
	rl_target *target = rl_target_copy(route->common);
	char *host = strdup(address->host);
	if (target == NULL || host == NULL) {
		rl_target_unref(target);
		free(host);
		return NULL;
	}
	free(target->address.host);
	target->address.host = host;
	target->address.kind = address->kind;
	target->address.port = address->port;
	target->must_be_primary = route->kind == RL_ROUTE_SENTINEL;
	if (!rl_target_set_name(target)) {
		rl_target_unref(target);
		return NULL;
	}
	return target;
}

/* The number of the node at the address, which is added if it is new; 0 when that is impossible. */
static unsigned number_of(rl_route *route, rl_bytes host, uint16_t port)
{
	char text[RL_HOST_MAX + 1];
	if (!rl_is_host(host)) {
		return 0;
	}
	memcpy(text, host.data, host.len);
	text[host.len] = '\0';
	rl_address address = {.kind = RL_NET_TCP, .host = text, .port = port};
	unsigned number = rl_route_find_node(route, &address);
	if (number > 0) {
		return number;
	}
	rl_target *target = make_node(route, &address);
	number = target != NULL ? rl_route_add_node(route, target) : 0;
	rl_target_unref(target);
	return number;
}

/* Drops all other nodes, except for seeds.
 * @param is_kept for each node */
static void drop_others(rl_route *route, const bool *is_kept)
{
	uint16_t moved_to[RL_NODES_MAX + 1] = {0};
	unsigned count = 0;
	atomic_store(&route->is_changing, true);
	for (unsigned i = 0; i < route->node_count; i++) {
		rl_node node = route->nodes[i];
		if (i < route->seed_node_count || is_kept[i]) {
			route->nodes[count++] = node;
			moved_to[i + 1] = (uint16_t) count;
		} else {
			rl_target_unref(node.target);
		}
	}
	route->node_count = count;
	route->next_node = 0;
	for (unsigned i = 0; i < route->slot_count; i++) {
		route->slots[i] = moved_to[route->slots[i]];
	}
	atomic_store(&route->is_changing, false);
}

/* ---- learning ---- */

rl_target *rl_route_follow(rl_route *route, const rl_redirect *redirect, const rl_target *speaker)
{
	rl_bytes host = redirect->host.len > 0 ? redirect->host : host_of(speaker);
	unsigned number = number_of(route, host, redirect->port);
	if (number == 0) {
		return NULL;
	}
	rl_node *node = &route->nodes[number - 1];
	if (redirect->kind == RL_REDIRECT_MOVED) {
		*rl_route_place_of(route, redirect->slot) = (uint16_t) number;
		rl_route_want_map(route);
		node->is_suspect = false;
	}
	return node->target;
}

rl_destination rl_route_follow_reply(
	rl_route *route, const rl_reply *reply, const rl_target *speaker)
{
	rl_destination none = {.node = NULL};
	if (!rl_route_has_redirects(route) || reply->type != RL_REPLY_ERROR) {
		return none;
	}
	rl_redirect redirect = rl_redirect_read(reply->text);
	if (redirect.kind == RL_REDIRECT_NONE) {
		return none;
	}
	return (rl_destination){.node = rl_route_follow(route, &redirect, speaker),
		.is_asking = redirect.kind == RL_REDIRECT_ASK};
}

void rl_route_suspect(rl_route *route, const rl_target *node)
{
	unsigned number = rl_route_find_node(route, &node->address);
	if (number > 0) {
		route->nodes[number - 1].is_suspect = true;
		route->next_node = number % route->node_count;
	}
}

void rl_route_learn(rl_route *route, const rl_route *from, unsigned slot)
{
	if (atomic_load(&from->is_changing)) {
		return;
	}
	const rl_node *node = rl_route_node_of_slot(from, slot);
	bool is_older = from->named_at < route->named_at && rl_route_knows(route, slot);
	if (node == NULL || node->is_suspect || is_older) {
		return;
	}
	unsigned number = number_of(route, host_of(node->target), node->target->address.port);
	if (number > 0) {
		*rl_route_place_of(route, slot) = (uint16_t) number;
		route->nodes[number - 1].is_suspect = false;
		bool is_newer = from->named_at >= route->named_at;
		route->known_since = is_newer ? from->known_since : route->known_since;
		route->named_at = is_newer ? from->named_at : route->named_at;
	}
}

rl_target *rl_route_name(rl_route *route, rl_bytes host, uint16_t port, int64_t asked_at)
{
	unsigned number = number_of(route, host, port);
	if (number == 0) {
		return NULL;
	}
	bool is_kept[RL_NODES_MAX] = {false};
	is_kept[number - 1] = true;
	route->slots[0] = (uint16_t) number;
	drop_others(route, is_kept);
	route->nodes[0].is_suspect = false;
	route->named_at = asked_at;
	return route->nodes[0].target;
}

/* ---- the map ---- */

bool rl_route_wants_map(rl_route *route, int64_t now)
{
	if (route->map_due == RL_NEVER || now < route->map_due) {
		return false;
	}
	route->map_due = RL_NEVER;
	route->map_asked_at = now;
	return true;
}

void rl_route_want_map(rl_route *route)
{
	if (route->kind == RL_ROUTE_CLUSTER && route->map_due == RL_NEVER) {
		route->map_due = route->map_asked_at + RL_MAP_PAUSE_NS;
	}
}

/* The number of the node that a range of the map names first, its primary; 0 = unknown. The entry
 * is an array of host, port, and more. */
static unsigned read_primary(rl_route *route, const rl_reply *range, const rl_target *speaker)
{
	const rl_reply *entry = &range->elements[2];
	if (entry->type != RL_REPLY_ARRAY || entry->count < 2 ||
		entry->elements[1].type != RL_REPLY_INTEGER || entry->elements[1].integer <= 0 ||
		entry->elements[1].integer > 65535) {
		return 0;
	}
	const rl_reply *host = &entry->elements[0];
	if (host->type != RL_REPLY_STRING && host->type != RL_REPLY_NIL) {
		return 0;
	}
	rl_bytes name = rl_redirect_host(host->text);
	return number_of(
		route, name.len > 0 ? name : host_of(speaker), (uint16_t) entry->elements[1].integer);
}

/* Notes that the node of the range has slots. False = the range makes no sense. */
static bool read_range(
	rl_route *route, const rl_reply *range, const rl_target *speaker, bool *has_slots)
{
	if (range->type != RL_REPLY_ARRAY || range->count < 3 ||
		range->elements[0].type != RL_REPLY_INTEGER ||
		range->elements[1].type != RL_REPLY_INTEGER) {
		return false;
	}
	int64_t first = range->elements[0].integer;
	int64_t last = range->elements[1].integer;
	bool makes_sense = first >= 0 && first <= last && last < RL_SLOTS;
	unsigned number = makes_sense ? read_primary(route, range, speaker) : 0;
	if (number == 0) {
		return false;
	}
	for (int64_t slot = first; slot <= last; slot++) {
		route->slots[slot] = (uint16_t) number;
	}
	has_slots[number - 1] = true;
	route->nodes[number - 1].is_suspect = false;
	return true;
}

void rl_route_read_map(rl_route *route, const rl_reply *reply, const rl_target *speaker)
{
	if (route->kind != RL_ROUTE_CLUSTER || reply->type != RL_REPLY_ARRAY) {
		return;
	}
	bool has_slots[RL_NODES_MAX] = {false};
	bool has_any = false;
	for (size_t i = 0; i < reply->count; i++) {
		has_any = read_range(route, &reply->elements[i], speaker, has_slots) || has_any;
	}
	if (has_any) {
		drop_others(route, has_slots);
	}
}
