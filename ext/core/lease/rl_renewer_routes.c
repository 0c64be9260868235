/* SPDX-License-Identifier: MIT */
#include "core/lease/rl_renewer_routes.h"

#include "core/base/rl_time.h"

#include <stdlib.h>

/* How many routes without members are kept. */
#define IDLE_ROUTES_MAX 8

/* How long a lookup may take. */
#define LOOKUP_NS RL_NS_PER_SECOND

/* False = out of memory. */
static bool add_lookup(rl_renewer_routes *routes, rl_route *route)
{
	rl_renewer_lookup *lookup = malloc(sizeof *lookup);
	if (lookup == NULL) {
		return false;
	}
	rl_lookup_init_alone(&lookup->lookup, route, routes->transport, routes->env);
	lookup->next = routes->lookups;
	routes->lookups = lookup;
	return true;
}

/* NULL = the route is not behind Sentinels. */
static rl_renewer_lookup **lookup_of(rl_renewer_routes *routes, const rl_route *route)
{
	rl_renewer_lookup **slot = &routes->lookups;
	while (*slot != NULL && (*slot)->lookup.route != route) {
		slot = &(*slot)->next;
	}
	return *slot != NULL ? slot : NULL;
}

static void forget_lookup(rl_renewer_lookup **slot)
{
	rl_renewer_lookup *lookup = *slot;
	*slot = lookup->next;
	rl_lookup_destroy(&lookup->lookup);
	free(lookup);
}

static void put_first(rl_renewer_routes *routes, rl_route *route)
{
	route->next = routes->first;
	routes->first = route;
}

rl_route *rl_renewer_routes_find(rl_renewer_routes *routes, const rl_route *like, unsigned slot)
{
	rl_route **place = &routes->first;
	while (*place != NULL && !rl_route_equal(*place, like)) {
		place = &(*place)->next;
	}
	rl_route *route = *place;
	if (route != NULL) {
		*place = route->next;
		put_first(routes, route);
		rl_route_learn(route, like, slot);
		return route;
	}
	route = rl_route_copy(like, slot);
	if (route == NULL || (route->kind == RL_ROUTE_SENTINEL && !add_lookup(routes, route))) {
		rl_route_unref(route);
		return NULL;
	}
	put_first(routes, route);
	return route;
}

bool rl_renewer_routes_look_up(
	rl_renewer_routes *routes, const rl_route *route, int64_t pause_ns, int64_t now)
{
	rl_renewer_lookup **slot = lookup_of(routes, route);
	if (slot == NULL || rl_lookup_is_open(&(*slot)->lookup) ||
		now - (*slot)->lookup.begun_at < pause_ns) {
		return false;
	}
	rl_lookup_begin(&(*slot)->lookup, now + LOOKUP_NS, now);
	return true;
}

bool rl_renewer_lookup_step(rl_renewer_lookup *lookup, const rl_tick *tick, int64_t *until)
{
	if (!rl_lookup_is_open(&lookup->lookup)) {
		return false;
	}
	if (rl_lookup_step(&lookup->lookup, tick) != RL_VOTE_OPEN) {
		return true;
	}
	rl_wait wait;
	rl_wait_begin(&wait);
	rl_lookup_add_to_wait(&lookup->lookup, &wait);
	*until = rl_time_earlier(*until, wait.until);
	return false;
}

/* No member has the route: only the list and the lookup of the route have references. */
static bool is_idle(const rl_route *route)
{
	return route->refs == (route->kind == RL_ROUTE_SENTINEL ? 2 : 1);
}

void rl_renewer_routes_drop_idle(rl_renewer_routes *routes)
{
	unsigned idle = 0;
	for (rl_route **slot = &routes->first; *slot != NULL;) {
		rl_route *route = *slot;
		rl_renewer_lookup **lookup = lookup_of(routes, route);
		/* The watchdog's thread polls the links of an open lookup without the lock. */
		bool is_open = lookup != NULL && rl_lookup_is_open(&(*lookup)->lookup);
		if (is_idle(route) && ++idle > IDLE_ROUTES_MAX && !is_open) {
			if (lookup != NULL) {
				forget_lookup(lookup);
			}
			*slot = route->next;
			rl_route_unref(route);
		} else {
			slot = &route->next;
		}
	}
}

void rl_renewer_routes_free(rl_renewer_routes *routes)
{
	while (routes->lookups != NULL) {
		forget_lookup(&routes->lookups);
	}
	while (routes->first != NULL) {
		rl_route *route = routes->first;
		routes->first = route->next;
		rl_route_unref(route);
	}
}
