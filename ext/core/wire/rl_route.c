/* SPDX-License-Identifier: MIT
 *
 * DESIGN
 *
 * A member that is a single server has no route: its target is the server. With a route, the
 * member's target stands for all nodes: it has what they have in common (user, password, database,
 * TLS, replicas), and no connection is ever made to it. Each node has a target of its own, so
 * connections, the pool and the list of backed-off servers know nothing of routes.
 *
 *     member --route--> node (a target) --pool--> connection
 *
 *     slots  0 3 3 1 ...  the number of each slot's node, from 1; 0 = unknown
 *              |
 *              +--------------+
 *                             v
 *     nodes  seed | seed | learned | ...  each with its target, and whether it is suspect
 *
 * Cluster: a route begins with the seeds of the DSN, and learns which node has a slot from MOVED
 * and from CLUSTER SLOTS. What it knows is a guess, and the node that is asked decides: a wrong
 * guess costs a redirect, never an answer of the wrong node. If a node fails, or a slot is unknown,
 * any other node will do, because each one can redirect. Seeds stay candidates for ever, so that a
 * cluster whose learned nodes are all gone is found again.
 *
 * Sentinel: the seeds are the Sentinels, which are no nodes. All keys are in slot 0, and its node
 * is the one that a majority of the Sentinels has named.
 *
 * Ownership and threads: a route belongs to one thread. Its references are counted: the pool has
 * one, so that the next object with the same DSN knows what the last one has learned, and each
 * member of a set has one. The watchdog makes routes of its own. A route may drop a node when it
 * learns something, so each owner of a node has a reference to it.
 */
#include "core/wire/rl_route.h"

#include "core/wire/rl_order_name.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- slots and nodes ---- */

/* The place of the slot in the table: behind Sentinels all keys are in slot 0. */
static uint16_t *place_of(const rl_route *route, unsigned slot)
{
	return &route->slots[route->kind == RL_ROUTE_CLUSTER ? slot : 0];
}

/* The node that is known to have the slot, suspect or not; NULL = no such node is known. */
static rl_node *node_of_slot(const rl_route *route, unsigned slot)
{
	unsigned number = *place_of(route, slot);
	return number > 0 ? &route->nodes[number - 1] : NULL;
}

/* Equal for equal addresses; host names are compared without regard to case. */
static uint32_t hash_of(const rl_address *address)
{
	uint32_t hash = 2166136261u ^ address->port;
	for (const char *c = address->host; *c != '\0'; c++) {
		hash = (hash ^ (unsigned char) (*c | 0x20)) * 16777619u;
	}
	return hash;
}

/* The number of the node, from 1; 0 = it is not among the nodes. */
static unsigned find_node(const rl_route *route, const rl_address *address)
{
	uint32_t hash = hash_of(address);
	for (unsigned i = 0; i < route->node_count; i++) {
		if (route->nodes[i].address_hash == hash &&
			rl_address_equal(&route->nodes[i].target->address, address)) {
			return i + 1;
		}
	}
	return 0;
}

/* @param target one reference is taken
 * @return the number of the node; 0 when out of memory, or when there are too many */
static unsigned add_node(rl_route *route, rl_target *target)
{
	if (route->node_count == RL_NODES_MAX) {
		return 0;
	}
	atomic_store(&route->is_changing, true);
	rl_node *grown = realloc(route->nodes, (route->node_count + 1) * sizeof *grown);
	route->nodes = grown != NULL ? grown : route->nodes;
	atomic_store(&route->is_changing, false);
	if (grown == NULL) {
		return 0;
	}
	grown[route->node_count] =
		(rl_node){.target = rl_target_ref(target), .address_hash = hash_of(&target->address)};
	return ++route->node_count;
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

/* ---- making ---- */

rl_route *rl_route_new(rl_route_kind kind, rl_target *common)
{
	rl_route *route = calloc(1, sizeof *route);
	unsigned slot_count = kind == RL_ROUTE_CLUSTER ? RL_SLOTS : 1;
	uint16_t *slots = calloc(slot_count, sizeof *slots);
	if (route == NULL || slots == NULL) {
		free(route);
		free(slots);
		return NULL;
	}
	route->refs = 1;
	route->kind = kind;
	route->common = rl_target_ref(common);
	route->slots = slots;
	route->slot_count = slot_count;
	route->map_due = kind == RL_ROUTE_CLUSTER ? 0 : RL_NEVER;
	route->check_ns = kind == RL_ROUTE_SENTINEL ? RL_CHECK_NS : RL_NEVER;
	return route;
}

bool rl_route_add_seed(rl_route *route, rl_target *seed)
{
	if (route->kind == RL_ROUTE_CLUSTER) {
		if (!rl_order_name_add_seed(&route->order_name, &seed->address)) {
			return false;
		}
		if (find_node(route, &seed->address) == 0) {
			if (add_node(route, seed) == 0) {
				return false;
			}
			route->seed_node_count++;
		}
	}
	route->seeds[route->seed_count++] = rl_target_ref(seed);
	return true;
}

void rl_route_set_label(rl_route *route, const rl_label *label)
{
	route->common->label = *label;
	for (unsigned i = 0; i < route->seed_count; i++) {
		route->seeds[i]->label = *label;
	}
	for (unsigned i = 0; i < route->node_count; i++) {
		route->nodes[i].target->label = *label;
	}
}

bool rl_route_set_service(rl_route *route, rl_bytes service)
{
	free(route->service);
	route->service = malloc(service.len + 1);
	if (route->service == NULL) {
		return false;
	}
	memcpy(route->service, service.data, service.len);
	route->service[service.len] = '\0';
	return rl_order_name_set_service(&route->order_name, route->service);
}

static bool copy_seeds(rl_route *copy, const rl_route *route)
{
	bool is_copied = true;
	for (unsigned i = 0; i < route->seed_count && is_copied; i++) {
		rl_target *seed = rl_target_copy(route->seeds[i]);
		is_copied = seed != NULL && rl_route_add_seed(copy, seed);
		rl_target_unref(seed);
	}
	return is_copied;
}

rl_route *rl_route_copy(const rl_route *route, unsigned slot)
{
	rl_target *common = rl_target_copy(route->common);
	rl_route *copy = common != NULL ? rl_route_new(route->kind, common) : NULL;
	rl_target_unref(common);
	if (copy == NULL) {
		return NULL;
	}
	bool has_service = route->service != NULL;
	if (!copy_seeds(copy, route) ||
		(has_service &&
			!rl_route_set_service(copy, rl_bytes_of(route->service, strlen(route->service))))) {
		rl_route_unref(copy);
		return NULL;
	}
	copy->sentinel_quorum = route->sentinel_quorum;
	copy->check_ns = route->check_ns;
	copy->grace_ns = route->grace_ns;
	rl_route_learn(copy, route, slot);
	return copy;
}

rl_route *rl_route_ref(rl_route *route)
{
	route->refs++;
	return route;
}

void rl_route_unref(rl_route *route)
{
	if (route == NULL || --route->refs > 0) {
		return;
	}
	if (route->guest != NULL) {
		route->guest->free(route->guest);
	}
	for (unsigned i = 0; i < route->seed_count; i++) {
		rl_target_unref(route->seeds[i]);
	}
	for (unsigned i = 0; i < route->node_count; i++) {
		rl_target_unref(route->nodes[i].target);
	}
	rl_target_unref(route->common);
	free(route->service);
	free(route->order_name);
	free(route->nodes);
	free(route->slots);
	free(route);
}

static bool has_seed(const rl_route *route, const rl_target *seed)
{
	bool has_it = false;
	for (unsigned i = 0; i < route->seed_count; i++) {
		has_it = has_it || rl_address_equal(&route->seeds[i]->address, &seed->address);
	}
	return has_it;
}

bool rl_route_equal(const rl_route *a, const rl_route *b)
{
	if (a == b) {
		return true;
	}
	bool is_equal = a->kind == b->kind && a->seed_count == b->seed_count &&
		a->sentinel_quorum == b->sentinel_quorum && a->check_ns == b->check_ns &&
		a->grace_ns == b->grace_ns && rl_text_equal(a->service, b->service) &&
		rl_target_equal(a->common, b->common);
	for (unsigned i = 0; i < a->seed_count && is_equal; i++) {
		is_equal = rl_target_equal(a->seeds[i], b->seeds[i]);
	}
	return is_equal;
}

bool rl_route_overlaps(const rl_route *a, const rl_route *b)
{
	bool has_common = false;
	for (unsigned i = 0; i < a->seed_count; i++) {
		has_common = has_common || has_seed(b, a->seeds[i]);
	}
	return has_common && a->kind == b->kind && rl_text_equal(a->service, b->service);
}

/* ---- asking ---- */

bool rl_route_knows(const rl_route *route, unsigned slot)
{
	const rl_node *node = node_of_slot(route, slot);
	return node != NULL && !node->is_suspect;
}

/* The next node that is not suspect; if all nodes are suspect, the next of all nodes. */
static rl_target *next_node(rl_route *route)
{
	for (unsigned i = 0; i < route->node_count; i++) {
		unsigned at = (route->next_node + i) % route->node_count;
		if (!route->nodes[at].is_suspect) {
			route->next_node = at;
			return route->nodes[at].target;
		}
	}
	for (unsigned i = 0; i < route->node_count; i++) {
		route->nodes[i].is_suspect = false;
	}
	return route->node_count > 0 ? route->nodes[route->next_node].target : NULL;
}

rl_target *rl_route_node(rl_route *route, unsigned slot)
{
	const rl_node *node = node_of_slot(route, slot);
	if (route->kind == RL_ROUTE_SENTINEL) {
		return node != NULL ? node->target : NULL;
	}
	return node != NULL && !node->is_suspect ? node->target : next_node(route);
}

/* ---- learning ---- */

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
	unsigned number = find_node(route, &address);
	if (number > 0) {
		return number;
	}
	rl_target *target = make_node(route, &address);
	number = target != NULL ? add_node(route, target) : 0;
	rl_target_unref(target);
	return number;
}

rl_target *rl_route_follow(rl_route *route, const rl_redirect *redirect, const rl_target *speaker)
{
	rl_bytes host = redirect->host.len > 0 ? redirect->host : host_of(speaker);
	unsigned number = number_of(route, host, redirect->port);
	if (number == 0) {
		return NULL;
	}
	rl_node *node = &route->nodes[number - 1];
	if (redirect->kind == RL_REDIRECT_MOVED) {
		*place_of(route, redirect->slot) = (uint16_t) number;
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
	unsigned number = find_node(route, &node->address);
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
	const rl_node *node = node_of_slot(from, slot);
	bool is_older = from->named_at < route->named_at && rl_route_knows(route, slot);
	if (node == NULL || node->is_suspect || is_older) {
		return;
	}
	unsigned number = number_of(route, host_of(node->target), node->target->address.port);
	if (number > 0) {
		*place_of(route, slot) = (uint16_t) number;
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

/* ---- the map of a cluster ---- */

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
