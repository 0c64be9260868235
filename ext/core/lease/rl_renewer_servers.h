/* SPDX-License-Identifier: MIT
 *
 * The servers of the renewer: the connections on which leases are renewed and released, the routes
 * that lead to them, and what the servers answer. The design is in rl_renewer_servers.c.
 *
 * Threads: everything here is called under the renewer's lock, by rl_renewer.c, rl_late.c and
 * rl_late_grant.c alone. Connections are closed by _read(), _send(), _fail() and _free(), which
 * only rl_renewer_step() and rl_renewer_forget() call, so that the thread that waits for the links
 * need not hold the lock.
 */
#ifndef RL_RENEWER_SERVERS_H
#define RL_RENEWER_SERVERS_H

#include "core/conn/rl_channel.h"
#include "core/conn/rl_lookup.h"
#include "core/lease/rl_renewal.h"

typedef struct rl_renewer_server rl_renewer_server;
typedef struct rl_renewer_servers rl_renewer_servers;

/* What the servers report. */
typedef struct rl_renewer_listener {
	/* The record has changed: when something is due for it must be computed again. */
	void (*on_changed)(rl_renewal *renewal);
	/* The member has answered a renewal, or a SET; the answer is in member->vote. */
	void (*on_vote)(rl_renewal_member *member);
	/* The member has not confirmed a release, which must be sent again after a pause. */
	void (*on_release_failed)(rl_renewal_member *member);
} rl_renewer_listener;

struct rl_renewer_server {
	rl_renewer_server *next;
	/* Borrowed. */
	rl_renewer_servers *owner;
	/* Owned; a copy, because that of the lease belongs to another thread. */
	rl_target *target;
	rl_channel channel;
	/* The server stands for a primary that no Sentinel has named yet, and is never dialled. */
	bool is_unknown;
	/* The members of leases that use this server. */
	unsigned members;
	/* Connections in a row that brought no answer. */
	unsigned fails;
	/* The server does not know the script: the next renewal sends its text. */
	bool lacks_script;
	/* The user may not run the commands that the helper keys need: releases go without them. */
	bool lacks_helpers;
	/* The next connection is not dialled before this time. */
	int64_t redial_at;
	/* The list of the members that have something to send. They are borrowed. */
	rl_renewal_member *waiting;
	rl_renewal_member **waiting_end;
	/* The ring of the members whose command was sent, in the order in which the replies will
	 * arrive. Owned; the members are borrowed. NULL in it = that reply is no longer wanted. */
	rl_renewal_member **sent;
	/* The numbers of the oldest command without a reply, and of the next one to be sent. */
	uint64_t first_sent;
	uint64_t next_sent;
	/* A power of two, or 0. */
	size_t sent_room;
};

/* The Sentinels of a route. Must not be moved. */
typedef struct rl_renewer_lookup rl_renewer_lookup;
struct rl_renewer_lookup {
	rl_renewer_lookup *next;
	rl_lookup lookup;
};

/* Must not be moved. */
struct rl_renewer_servers {
	/* The first three are borrowed. */
	rl_transport *transport;
	const rl_env *env;
	const rl_renewer_listener *listener;
	/* The next three are owned. The server that was used last comes first. */
	rl_renewer_server *first;
	/* The route that a lease has asked for last comes first. */
	rl_route *routes;
	/* One for each route behind Sentinels. */
	rl_renewer_lookup *lookups;
	/* A member has moved to another server, which has something to send now, or a lookup has
	 * begun. */
	bool has_moved;
};

/* ---- which server a member uses ---- */

/* Gives each member of the record a server and, if it needs one, a route. False when out of memory;
 * then no member has any. */
bool rl_renewer_servers_assign(rl_renewer_servers *servers, rl_renewal *renewal, const rl_set *set);

/* The lease was granted: its members move to the nodes that the set's routes know. */
void rl_renewer_servers_learn(rl_renewal *renewal, const rl_set *set);

/* The member gives up its server and its route, and sends nothing more. */
void rl_renewer_servers_unassign(rl_renewal_member *member);

/* ---- what a member sends ---- */

/* The member has something to send: member->wanted. It must be idle. */
void rl_renewer_server_queue(rl_renewal_member *member);

/* The member wants nothing any more. If its command was sent, the reply is discarded. */
void rl_renewer_server_leave(rl_renewal_member *member);

/* Writes a release after everything that was sent on the connection, if the connection is up.
 * @return false = the kernel has not accepted all of it, and the next step must flush */
bool rl_renewer_server_release_behind(rl_renewal_member *member);

/* ---- one server ---- */

/* The link of the connection; NULL = there is none. */
rl_link *rl_renewer_server_link(const rl_renewer_server *server);

/* Commands can be sent on the connection now. */
bool rl_renewer_server_is_up(const rl_renewer_server *server);

/* A step can send or dial for a member that waits: no connection is being made, and no pause runs
 * before the next. */
bool rl_renewer_server_is_ready(const rl_renewer_server *server, int64_t now);

/* The server has just answered on another connection: earlier failures no longer count. */
void rl_renewer_server_trust(rl_renewer_server *server);

/* Drops the connection. The members whose commands were sent on it wait for the next one. */
void rl_renewer_server_fail(rl_renewer_server *server, int64_t now);

/* ---- a step ---- */

/* Reads what has arrived. */
void rl_renewer_servers_read(rl_renewer_servers *servers, const rl_tick *tick);

/* Begins a lookup beside the commands that are due, if the last lookup is old, or if the primary is
 * unknown. */
void rl_renewer_servers_look_up(rl_renewer_servers *servers, int64_t now);

/* Steps a lookup. True = it has ended now.
 * @param until becomes earlier if the lookup must be stepped earlier */
bool rl_renewer_servers_step_lookup(rl_renewer_lookup *lookup, const rl_tick *tick, int64_t *until);

/* The lookup has ended: a member behind these Sentinels moves to the primary, and its waiting
 * answer counts or fails. A command for an unknown primary fails if the Sentinels have named no
 * primary.
 * @return false = the Sentinels were asked too soon for the answer, which waits for another lookup
 */
bool rl_renewer_servers_apply(rl_renewal_member *member, const rl_renewer_lookup *lookup);

/* Asks the Sentinels of a lookup that has ended anew. */
void rl_renewer_servers_look_up_again(
	rl_renewer_servers *servers, const rl_renewer_lookup *lookup, int64_t now);

/* Dials where need be, sends the commands of the waiting members, and closes the connections of the
 * servers and the Sentinels that have not been used for longest.
 * @return when to call again; RL_NEVER = when something arrives */
int64_t rl_renewer_servers_send(rl_renewer_servers *servers, const rl_tick *tick);

/* ---- the end ---- */

/* Closes all connections. No member may use a server any more. */
void rl_renewer_servers_free(rl_renewer_servers *servers);

#endif
