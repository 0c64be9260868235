/* SPDX-License-Identifier: MIT
 *
 * The servers of the renewer: which server a member of a lease uses.
 *
 * A member that is a single server never changes its server. A member with a route has a route of
 * the renewer (rl_renewer_routes.h). When a lease begins, this route learns which node has granted
 * it. Redirects and failures then move the member with its waiting command from server to server.
 *
 * Behind Sentinels a server's answer counts only if a majority of the Sentinels names this server.
 * The Sentinels must have been asked less than RL_CHECK_NS before the answer, as for an acquire
 * (rl_member_call.c). All leases of the route share one lookup, which runs beside the renewals.
 * If the other members have granted the lease while the primary of this member was unknown, this
 * member waits for a lookup, too.
 *
 * Ownership: servers and routes belong to the renewer. A member has a reference to its route.
 * Threads: as rl_renewer_server.h.
 */
#ifndef RL_RENEWER_NODES_H
#define RL_RENEWER_NODES_H

#include "core/lease/rl_renewer_routes.h"
#include "core/lease/rl_renewer_server.h"

typedef struct rl_renewer_nodes {
	/* The first three are borrowed. */
	rl_transport *transport;
	const rl_env *env;
	const rl_renewer_server_listener *listener;
	/* Owned. The server that was used last comes first. */
	rl_renewer_server *servers;
	rl_renewer_routes routes;
	/* A member has moved to another server, which has something to send now, or a lookup has
	 * begun. */
	bool has_moved;
} rl_renewer_nodes;

/* Gives each member of the record a server and, if it needs one, a route. False when out of memory;
 * then no member has any. */
bool rl_renewer_nodes_assign(rl_renewer_nodes *nodes, rl_renewal *renewal, const rl_set *set);

/* The lease was granted: its members move to the nodes that the set's routes know. */
void rl_renewer_nodes_learn(rl_renewer_nodes *nodes, rl_renewal *renewal, const rl_set *set);

/* The member of the record and the member of the set are the same, as the same user. */
bool rl_renewer_nodes_is_same(const rl_renewal_member *member, const rl_member *other);

/* The member leaves its server, and sends nothing more. */
void rl_renewer_nodes_leave(rl_renewal_member *member);

/* The member of a cluster uses the node that the redirect names from now on. False = that is
 * impossible: redirected too often, or out of memory. */
bool rl_renewer_nodes_follow(
	rl_renewer_nodes *nodes, rl_renewal_member *member, const rl_redirect *redirect);

/* The server cannot be reached, or is a replica: its waiting members move to other nodes, if they
 * have any. */
void rl_renewer_nodes_flee(rl_renewer_nodes *nodes, rl_renewer_server *server, int64_t now);

/* ---- members behind Sentinels ---- */

/* True = the answer of the member counts now. False = the answer counts only if the Sentinels,
 * which are asked now, name the server. Until they answer, the member's state is CHECKING. */
bool rl_renewer_nodes_may_count(rl_renewer_nodes *nodes, rl_renewal_member *member, int64_t now);

/* Begins a lookup beside the commands that are due, if the last lookup is old, or if the primary is
 * unknown. */
void rl_renewer_nodes_look_up(rl_renewer_nodes *nodes, int64_t now);

/* The lookup has ended: a member behind these Sentinels moves to the primary, and its waiting
 * answer counts or fails. A command for an unknown primary fails if the Sentinels have named no
 * primary.
 * @return false = the Sentinels were asked too soon for the answer, which waits for another lookup
 */
bool rl_renewer_nodes_apply(
	rl_renewer_nodes *nodes, rl_renewal_member *member, const rl_renewer_lookup *lookup);

/* Asks the Sentinels of the route anew. */
void rl_renewer_nodes_look_up_again(rl_renewer_nodes *nodes, const rl_route *route, int64_t now);

/* ---- the end ---- */

/* Closes the connections of the servers and the Sentinels that have not been used for longest. */
void rl_renewer_nodes_drop_idle(rl_renewer_nodes *nodes);

/* Closes all connections. No member may use a server any more. */
void rl_renewer_nodes_free(rl_renewer_nodes *nodes);

#endif
