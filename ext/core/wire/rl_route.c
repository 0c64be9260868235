/* SPDX-License-Identifier: MIT
 *
 * Routes: making and asking. The design is in the header.
 */
#include "core/wire/rl_route.h"

#include "core/wire/rl_order_name.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- nodes ---- */

uint16_t *rl_route_place_of(const rl_route *route, unsigned slot)
{
	return &route->slots[route->kind == RL_ROUTE_CLUSTER ? slot : 0];
}

rl_node *rl_route_node_of_slot(const rl_route *route, unsigned slot)
{
	unsigned number = *rl_route_place_of(route, slot);
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

unsigned rl_route_find_node(const rl_route *route, const rl_address *address)
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

unsigned rl_route_add_node(rl_route *route, rl_target *target)
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
		if (rl_route_find_node(route, &seed->address) == 0) {
			if (rl_route_add_node(route, seed) == 0) {
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
	const rl_node *node = rl_route_node_of_slot(route, slot);
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
	const rl_node *node = rl_route_node_of_slot(route, slot);
	if (route->kind == RL_ROUTE_SENTINEL) {
		return node != NULL ? node->target : NULL;
	}
	return node != NULL && !node->is_suspect ? node->target : next_node(route);
}
