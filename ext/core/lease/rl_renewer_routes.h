/* SPDX-License-Identifier: MIT
 *
 * The routes of the renewer. The route of a lease belongs to another thread, so the renewer has its
 * own route to each member that is a cluster or a primary behind Sentinels. The renewer's route
 * learns from the routes of the leases, and from the redirects and failures of renewals.
 *
 * A route behind Sentinels has a lookup, which all leases of the route share.
 *
 * Ownership: the list owns a reference to each route, and so does the lookup of the route.
 * Threads: as rl_renewer_server.h.
 */
#ifndef RL_RENEWER_ROUTES_H
#define RL_RENEWER_ROUTES_H

#include "core/conn/rl_lookup.h"

/* The Sentinels of a route. Must not be moved. */
typedef struct rl_renewer_lookup rl_renewer_lookup;
struct rl_renewer_lookup {
	rl_renewer_lookup *next;
	rl_lookup lookup;
};

typedef struct rl_renewer_routes {
	/* Borrowed. */
	rl_transport *transport;
	const rl_env *env;
	/* Owned. The route that a lease has asked for last comes first. */
	rl_route *first;
	rl_renewer_lookup *lookups; /* one for each route behind Sentinels */
} rl_renewer_routes;

/* The renewer's route to the same member, which learns what the other route knows about the slot.
 * NULL when out of memory. */
rl_route *rl_renewer_routes_find(rl_renewer_routes *routes, const rl_route *like, unsigned slot);

/* Begins a lookup, if the route is behind Sentinels, no lookup is open, and the last lookup began
 * at least the pause ago.
 * @return true = it has begun, and wants a step */
bool rl_renewer_routes_look_up(
	rl_renewer_routes *routes, const rl_route *route, int64_t pause_ns, int64_t now);

/* Steps a lookup. True = it has ended now.
 * @param until becomes earlier if the lookup must be stepped earlier */
bool rl_renewer_lookup_step(rl_renewer_lookup *lookup, const rl_tick *tick, int64_t *until);

/* Forgets the routes without a member for which no lease has asked for longest, and closes the
 * connections of their lookups. */
void rl_renewer_routes_drop_idle(rl_renewer_routes *routes);

/* Closes the connections of all lookups, and forgets all routes. */
void rl_renewer_routes_free(rl_renewer_routes *routes);

#endif
