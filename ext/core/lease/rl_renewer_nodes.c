/* SPDX-License-Identifier: MIT */
#include "core/lease/rl_renewer_nodes.h"

/* How many servers without leases keep their connections. */
#define IDLE_SERVERS_MAX 8

/* ---- servers ---- */

static void put_first(rl_renewer_nodes *nodes, rl_renewer_server *server)
{
	server->next = nodes->servers;
	nodes->servers = server;
}

/* NULL when out of memory. */
static rl_renewer_server *find_any(
	rl_renewer_nodes *nodes, const rl_target *target, bool is_unknown)
{
	rl_renewer_server **slot = &nodes->servers;
	while (*slot != NULL &&
		((*slot)->is_unknown != is_unknown || !rl_target_equal((*slot)->target, target))) {
		slot = &(*slot)->next;
	}
	rl_renewer_server *server = *slot;
	if (server != NULL) {
		*slot = server->next;
	} else {
		server = rl_renewer_server_new(target, nodes->transport, nodes->env, nodes->listener);
	}
	if (server != NULL) {
		server->is_unknown = is_unknown;
		put_first(nodes, server);
	}
	return server;
}

static rl_renewer_server *find_server(rl_renewer_nodes *nodes, const rl_target *target)
{
	return find_any(nodes, target, false);
}

static void drop_idle_servers(rl_renewer_nodes *nodes)
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

void rl_renewer_nodes_drop_idle(rl_renewer_nodes *nodes)
{
	drop_idle_servers(nodes);
	rl_renewer_routes_drop_idle(&nodes->routes);
}

/* ---- members ---- */

static unsigned slot_of(const rl_renewal_member *member)
{
	return member->renewal->lease->names.slot;
}

/* The server of the member. As long as no primary is known, a server that stands for the primary,
 * until rl_renewer_nodes_learn() or a lookup moves the member. */
static rl_renewer_server *server_for(
	rl_renewer_nodes *nodes, const rl_member *member, rl_route *route, unsigned slot)
{
	rl_target *node = route != NULL ? rl_route_node(route, slot) : member->target;
	return find_any(nodes, node != NULL ? node : member->target, node == NULL);
}

static bool assign(rl_renewer_nodes *nodes, rl_renewal_member *member, const rl_member *from)
{
	unsigned slot = slot_of(member);
	rl_route *route =
		from->route != NULL ? rl_renewer_routes_find(&nodes->routes, from->route, slot) : NULL;
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

/* Moves the member with its waiting command. When out of memory, the member stays. */
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
	if (member->hops == RL_HOPS_MAX) {
		return false;
	}
	rl_target *node = rl_route_follow(member->route, redirect, member->server->target);
	if (node == NULL) {
		return false;
	}
	member->hops++;
	member->is_asking = redirect->kind == RL_REDIRECT_ASK;
	rl_stats_add(&rl_env_stats(nodes->env)->cluster_redirects, 1);
	move(nodes, member, node);
	return true;
}

/* ---- Sentinels ---- */

static void look_up(rl_renewer_nodes *nodes, const rl_route *route, int64_t pause_ns, int64_t now)
{
	if (rl_renewer_routes_look_up(&nodes->routes, route, pause_ns, now)) {
		nodes->has_moved = true; /* the next step follows at once */
	}
}

static bool is_named(const rl_renewal_member *member)
{
	rl_target *named = rl_route_node(member->route, 0);
	return named != NULL && rl_target_equal(named, member->server->target);
}

/* A grant of this node proves nothing at first: see rl_member_grace.c. */
static bool has_grace(const rl_renewal_member *member)
{
	return member->route->grace_ns > 0 && !rl_renewal_is_release(member->sent) &&
		member->told == RL_VOTE_GRANTED;
}

/* The former primary may still grant locks to others. */
static bool is_too_new(const rl_renewal_member *member)
{
	const rl_route *route = member->route;
	double drift_factor = member->renewal->lease->drift_factor;
	return has_grace(member) &&
		!rl_route_is_known_for(route, rl_route_change_ns(route, drift_factor));
}

/* This node may have been a replica after the Sentinels were asked. */
static bool is_before_login(const rl_renewal_member *member)
{
	return has_grace(member) &&
		!rl_channel_is_ready_before(&member->server->channel, member->route->named_at);
}

bool rl_renewer_nodes_may_count(rl_renewer_nodes *nodes, rl_renewal_member *member, int64_t now)
{
	const rl_route *route = member->route;
	if (route == NULL || route->check_ns == RL_NEVER ||
		(now - route->named_at < route->check_ns && is_named(member) && !is_too_new(member) &&
			!is_before_login(member))) {
		return true;
	}
	member->state = RL_RENEWAL_MEMBER_CHECKING;
	look_up(nodes, route, 0, now);
	return false;
}

static bool wants_lookup(const rl_renewal_member *member, int64_t now)
{
	const rl_route *route = member->route;
	bool is_old = route != NULL && now - route->named_at >= route->check_ns / 2;
	return is_old || member->server->is_unknown;
}

void rl_renewer_nodes_look_up(rl_renewer_nodes *nodes, int64_t now)
{
	for (rl_renewer_server *server = nodes->servers; server != NULL; server = server->next) {
		for (const rl_renewal_member *member = server->queue.waiting; member != NULL;
			 member = member->next) {
			if (wants_lookup(member, now)) {
				look_up(nodes, member->route, RL_LOOKUP_AGAIN_NS, now);
			}
		}
	}
}

/* The lookup was open already when the connection was logged in, so another one decides. */
static bool needs_another(const rl_renewal_member *member)
{
	return is_before_login(member) &&
		rl_channel_is_ready_before(&member->server->channel, RL_NEVER);
}

bool rl_renewer_nodes_apply(
	rl_renewer_nodes *nodes, rl_renewal_member *member, const rl_renewer_lookup *lookup)
{
	if (member->route != lookup->lookup.route) {
		return true;
	}
	bool was_checking = member->state == RL_RENEWAL_MEMBER_CHECKING;
	bool has_named = lookup->lookup.vote == RL_VOTE_GRANTED;
	if (has_named && !is_named(member)) {
		rl_renewal_member_state state = member->state;
		rl_renewer_server_leave(member);
		move(nodes, member, rl_route_node(member->route, 0));
		if (state == RL_RENEWAL_MEMBER_SENT) {
			rl_renewer_server_send_again(member);
		} else if (state != RL_RENEWAL_MEMBER_IDLE && !rl_renewal_is_paused(member->renewal)) {
			rl_renewer_server_queue(member);
		}
	} else if (was_checking && has_named && needs_another(member)) {
		return false;
	} else if (was_checking) {
		rl_renewer_server_settle(
			member, has_named && !is_too_new(member) && !is_before_login(member));
	} else if (member->state == RL_RENEWAL_MEMBER_WAITING && member->server->is_unknown) {
		rl_renewer_server_refuse(member);
	}
	return true;
}

void rl_renewer_nodes_look_up_again(rl_renewer_nodes *nodes, const rl_route *route, int64_t now)
{
	look_up(nodes, route, 0, now);
}

void rl_renewer_nodes_flee(rl_renewer_nodes *nodes, rl_renewer_server *server, int64_t now)
{
	rl_renewal_member *next;
	for (rl_renewal_member *member = server->queue.waiting; member != NULL; member = next) {
		next = member->next;
		if (member->route != NULL) {
			look_up(nodes, member->route, RL_LOOKUP_AGAIN_NS, now);
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
	rl_renewer_routes_free(&nodes->routes);
}
