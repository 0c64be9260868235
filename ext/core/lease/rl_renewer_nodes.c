/* SPDX-License-Identifier: MIT */
#include "core/lease/rl_renewer_nodes.h"

/* How many servers without leases keep their connections, and how many routes are kept. */
#define IDLE_SERVERS_MAX 8
#define IDLE_ROUTES_MAX 8

/* ---- servers ---- */

static void put_first(rl_renewer_nodes *nodes, rl_renewer_server *server)
{
	server->next = nodes->servers;
	nodes->servers = server;
}

/* NULL when out of memory. */
static rl_renewer_server *find_server(rl_renewer_nodes *nodes, const rl_target *target)
{
	rl_renewer_server **slot = &nodes->servers;
	while (*slot != NULL && !rl_target_equal((*slot)->target, target)) {
		slot = &(*slot)->next;
	}
	rl_renewer_server *server = *slot;
	if (server != NULL) {
		*slot = server->next;
	} else {
		server = rl_renewer_server_new(target, nodes->transport, nodes->env, nodes->listener);
	}
	if (server != NULL) {
		put_first(nodes, server);
	}
	return server;
}

void rl_renewer_nodes_drop_idle(rl_renewer_nodes *nodes)
{
	unsigned idle = 0;
	for (rl_renewer_server **slot = &nodes->servers; *slot != NULL;) {
		rl_renewer_server *server = *slot;
		if (server->members == 0 && ++idle > IDLE_SERVERS_MAX) {
			*slot = server->next;
			rl_renewer_server_free(server);
		} else {
			slot = &server->next;
		}
	}
}

/* ---- routes ---- */

static void forget_idle_routes(rl_renewer_nodes *nodes)
{
	unsigned idle = 0;
	for (rl_route **slot = &nodes->routes; *slot != NULL;) {
		rl_route *route = *slot;
		if (route->refs == 1 && ++idle > IDLE_ROUTES_MAX) {
			*slot = route->next;
			rl_route_unref(route);
		} else {
			slot = &route->next;
		}
	}
}

/* The renewer's route to the same member; NULL when out of memory. */
static rl_route *find_route(rl_renewer_nodes *nodes, const rl_route *like, unsigned slot)
{
	rl_route *route = nodes->routes;
	while (route != NULL && !rl_route_equal(route, like)) {
		route = route->next;
	}
	if (route != NULL) {
		rl_route_learn(route, like, slot);
		return route;
	}
	forget_idle_routes(nodes);
	route = rl_route_copy(like, slot);
	if (route != NULL) {
		route->next = nodes->routes;
		nodes->routes = route;
	}
	return route;
}

/* ---- members ---- */

static unsigned slot_of(const rl_renewal_member *member)
{
	return member->renewal->lease->names.slot;
}

/* Of a Sentinel member whose primary is not known yet, the server that stands for all nodes, until
 * rl_renewer_nodes_learn(). */
static rl_renewer_server *server_for(
	rl_renewer_nodes *nodes, const rl_member *member, rl_route *route, unsigned slot)
{
	rl_target *node = route != NULL ? rl_route_node(route, slot) : NULL;
	return find_server(nodes, node != NULL ? node : member->target);
}

static bool assign(rl_renewer_nodes *nodes, rl_renewal_member *member, const rl_member *from)
{
	unsigned slot = slot_of(member);
	rl_route *route = from->route != NULL ? find_route(nodes, from->route, slot) : NULL;
	if (from->route != NULL && route == NULL) {
		return false;
	}
	rl_renewer_server *server = server_for(nodes, from, route, slot);
	if (server == NULL) {
		return false;
	}
	member->server = server;
	member->route = route != NULL ? rl_route_ref(route) : NULL;
	server->members++;
	return true;
}

void rl_renewer_nodes_leave(rl_renewal_member *member)
{
	rl_renewer_server_leave(member);
	member->server->members--;
	rl_route_unref(member->route);
	member->route = NULL;
}

bool rl_renewer_nodes_is_same(const rl_renewal_member *member, const rl_member *other)
{
	if (member->route == NULL || other->route == NULL) {
		return member->route == other->route &&
			rl_target_equal(member->server->target, other->target);
	}
	return rl_route_equal(member->route, other->route);
}

bool rl_renewer_nodes_assign(rl_renewer_nodes *nodes, rl_renewal *renewal, const rl_set *set)
{
	for (unsigned i = 0; i < set->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		*member = (rl_renewal_member){.renewal = renewal,
			.no_helpers = !set->wakes,
			.timeout_ns = set->members[i].timeout_ns,
			.connect_timeout_ns = set->members[i].connect_timeout_ns};
		if (!assign(nodes, member, &set->members[i])) {
			while (i > 0) {
				rl_renewer_nodes_leave(&renewal->members[--i]);
			}
			return false;
		}
	}
	return true;
}

/* A command of the member that waits goes along. Out of memory: the member stays. */
static void move(rl_renewer_nodes *nodes, rl_renewal_member *member, const rl_target *node)
{
	rl_renewer_server *server = find_server(nodes, node);
	if (server == NULL || server == member->server) {
		return;
	}
	bool is_waiting = member->state == RL_RENEWAL_MEMBER_WAITING;
	if (is_waiting) {
		rl_renewer_server_leave(member);
	}
	member->server->members--;
	member->server = server;
	server->members++;
	nodes->has_moved = true;
	if (is_waiting) {
		rl_renewer_server_queue(member);
	}
}

void rl_renewer_nodes_learn(rl_renewer_nodes *nodes, rl_renewal *renewal, const rl_set *set)
{
	for (unsigned i = 0; i < renewal->count && i < set->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		const rl_route *from = set->members[i].route;
		if (member->route == NULL || from == NULL || member->state == RL_RENEWAL_MEMBER_SENT) {
			continue;
		}
		rl_route_learn(member->route, from, slot_of(member));
		rl_target *node = rl_route_node(member->route, slot_of(member));
		if (node != NULL) {
			move(nodes, member, node);
		}
	}
}

bool rl_renewer_nodes_follow(
	rl_renewer_nodes *nodes, rl_renewal_member *member, const rl_redirect *redirect)
{
	if (member->route == NULL || member->hops == RL_HOPS_MAX) {
		return false;
	}
	rl_target *node = rl_route_follow(member->route, redirect, member->server->target);
	if (node == NULL) {
		return false;
	}
	member->hops++;
	member->is_asking = redirect->kind == RL_REDIRECT_ASK;
	rl_stats_add(&nodes->env->stats->redirects, 1);
	move(nodes, member, node);
	return true;
}

void rl_renewer_nodes_flee(rl_renewer_nodes *nodes, rl_renewer_server *server)
{
	rl_renewal_member *next;
	for (rl_renewal_member *member = server->queue.waiting; member != NULL; member = next) {
		next = member->next;
		if (member->route != NULL) {
			rl_route_suspect(member->route, server->target);
			member->is_asking = false;
			rl_target *node = rl_route_node(member->route, slot_of(member));
			move(nodes, member, node != NULL ? node : server->target);
		}
	}
}

void rl_renewer_nodes_free(rl_renewer_nodes *nodes)
{
	while (nodes->servers != NULL) {
		rl_renewer_server *server = nodes->servers;
		nodes->servers = server->next;
		rl_renewer_server_free(server);
	}
	while (nodes->routes != NULL) {
		rl_route *route = nodes->routes;
		nodes->routes = route->next;
		rl_route_unref(route);
	}
}
