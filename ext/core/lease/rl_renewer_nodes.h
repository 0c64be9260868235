/* SPDX-License-Identifier: MIT
 *
 * The servers of the renewer, and its routes: which server a member of a lease uses.
 *
 * A member that is a single server uses it for ever. Of a member with a route, the renewer has a
 * route of its own, because that of the lease belongs to another thread. When a lease begins, the
 * route learns which node has granted it. Redirects and failures then lead the member from server
 * to server, with its waiting command.
 *
 * Behind Sentinels, an answer counts only if a majority of them names the server that has given
 * it, and was asked less than RL_CHECK_NS before, as for an acquire (rl_member_sentinel.c). The
 * lookup is shared by all leases of the route, and runs beside the renewals. A member whose primary
 * is not known, because the others have granted the lease, waits for a lookup, too.
 *
 * Ownership: servers and routes belong to the renewer. A member has a reference to its route.
 * Threads: as rl_renewer_server.h.
 */
#ifndef RL_RENEWER_NODES_H
#define RL_RENEWER_NODES_H

#include "core/conn/rl_lookup.h"
#include "core/lease/rl_renewer_server.h"

/* The Sentinels of a route. Must not be moved. */
typedef struct rl_renewer_lookup rl_renewer_lookup;
struct rl_renewer_lookup {
	rl_renewer_lookup *next;
	rl_lookup lookup;
};

typedef struct rl_renewer_nodes {
	/* The first three are borrowed. */
	rl_transport *transport;
	const rl_env *env;
	const rl_renewer_server_listener *listener;
	/* Owned. The server that was used last comes first. */
	rl_renewer_server *servers;
	rl_route *routes;
	rl_renewer_lookup *lookups; /* one for each route behind Sentinels */
	/* A member has moved to another server, which has something to send now. */
	bool has_moved;
} rl_renewer_nodes;

/* Gives each member of the record a server and, if it needs one, a route. False when out of memory;
 * then no member has any. */
bool rl_renewer_nodes_assign(rl_renewer_nodes *nodes, rl_renewal *renewal, const rl_set *set);

/* The lease was granted: its members move to the nodes that the set's routes know. */
void rl_renewer_nodes_learn(rl_renewer_nodes *nodes, rl_renewal *renewal, const rl_set *set);

/* The member of the record and the member of the set are the same, as the same user. */
bool rl_renewer_nodes_is_same(const rl_renewal_member *member, const rl_member *other);

/* The member uses its server no more, and sends nothing. */
void rl_renewer_nodes_leave(rl_renewal_member *member);

/* The member of a cluster uses the node that the redirect names from now on. False = that is
 * impossible: redirected too often, or out of memory. */
bool rl_renewer_nodes_follow(
	rl_renewer_nodes *nodes, rl_renewal_member *member, const rl_redirect *redirect);

/* The server cannot be reached, or is a replica: the members that wait for it and have other nodes
 * ask those. */
void rl_renewer_nodes_flee(rl_renewer_nodes *nodes, rl_renewer_server *server, int64_t now);

/* ---- members behind Sentinels ---- */

/* An answer of the member counts. False = it does so only if the Sentinels, which are asked now,
 * name the server; until then the member's state is CHECKING. */
bool rl_renewer_nodes_may_count(rl_renewer_nodes *nodes, rl_renewal_member *member, int64_t now);

/* Has the Sentinels asked beside the commands that are to be sent, if the last lookup is old, or if
 * the primary is not known. */
void rl_renewer_nodes_look_up(rl_renewer_nodes *nodes, int64_t now);

/* Steps a lookup. True = it has ended now: rl_renewer_nodes_apply() must follow for each member.
 * @param until becomes earlier, if the lookup wants to be stepped before */
bool rl_renewer_lookup_step(rl_renewer_lookup *lookup, const rl_tick *tick, int64_t *until);

/* The lookup has ended: if the member is behind these Sentinels, it moves to the primary, and its
 * grant counts or not. A command that waits for an unknown primary fails if none was named. */
void rl_renewer_nodes_apply(
	rl_renewer_nodes *nodes, rl_renewal_member *member, const rl_renewer_lookup *lookup);

/* ---- the end ---- */

/* Closes the connections of the servers and the Sentinels that have not been used for longest. */
void rl_renewer_nodes_drop_idle(rl_renewer_nodes *nodes);

/* Closes all connections. No member may use a server any more. */
void rl_renewer_nodes_free(rl_renewer_nodes *nodes);

#endif
