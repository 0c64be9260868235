/* SPDX-License-Identifier: MIT
 *
 * A server as the renewer sees it: one connection, and the members that use it. The connection is
 * dialled when a member has something to send, kept as long as it lasts, and replaced when it
 * breaks or does not answer: the first time at once, then after a growing pause. Commands that were
 * not answered when it broke are sent again on the next one.
 *
 * The server knows the records of its members, and neither the renewer nor its lists: it reports
 * answers through a table of functions, rl_renewer_server_listener.
 *
 * Ownership: the renewer owns the servers. A server owns its connection, and a copy of its target,
 * because that of the lease belongs to another thread.
 *
 * Threads: everything here is called under the renewer's lock, by rl_renewer.c, rl_round.c and
 * rl_late.c alone. Connections are closed by rl_renewer_server_read(), _send(), _fail() and
 * _free(), which only rl_renewer_step() and rl_renewer_forget() call, so that the thread that waits
 * for the links need not hold the lock.
 */
#ifndef RL_RENEWER_SERVER_H
#define RL_RENEWER_SERVER_H

#include "core/conn/rl_channel.h"
#include "core/lease/rl_renewal_queue.h"

typedef struct rl_renewer_server rl_renewer_server;

/* What a server reports. */
typedef struct rl_renewer_server_listener {
	/* The record has changed: when something is due for it must be computed again. */
	void (*on_changed)(rl_renewal *renewal);
	/* The member has answered a renewal, or a SET; the answer is in member->vote. */
	void (*on_vote)(rl_renewal_member *member);
	/* The member has not confirmed a release, which must be sent again after a pause. */
	void (*on_release_failed)(rl_renewal_member *member);
	/* The member's command was redirected: the member's next command goes to the other node.
	 * @return false = that is impossible, and the command has failed */
	bool (*on_redirected)(rl_renewal_member *member, const rl_redirect *redirect);
	/* The server cannot be reached, or is a replica. */
	void (*on_unreachable)(rl_renewer_server *server);
	/* True = the answer of the member counts. False = the member's state is CHECKING, and
	 * rl_renewer_server_settle() will follow. */
	bool (*may_count)(rl_renewal_member *member);
} rl_renewer_server_listener;

struct rl_renewer_server {
	/* In the list of the renewer. */
	rl_renewer_server *next;
	/* The next three are borrowed. */
	rl_transport *transport;
	const rl_env *env;
	const rl_renewer_server_listener *listener;
	/* Owned. */
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
	rl_renewal_queue queue;
};

/* @param target is copied
 * @return NULL when out of memory */
rl_renewer_server *rl_renewer_server_new(const rl_target *target, rl_transport *transport,
	const rl_env *env, const rl_renewer_server_listener *listener);

/* Closes the connection at once, and frees the server. */
void rl_renewer_server_free(rl_renewer_server *server);

/* The link of the connection; NULL = there is none. */
rl_link *rl_renewer_server_link(const rl_renewer_server *server);

/* Commands can be sent on the connection now. */
bool rl_renewer_server_is_up(const rl_renewer_server *server);

/* A step can send or dial for a member that waits: no connection is being made, and no pause runs
 * before the next. */
bool rl_renewer_server_is_ready(const rl_renewer_server *server, int64_t now);

/* The member has something to send: member->wanted. It must be idle. */
void rl_renewer_server_queue(rl_renewal_member *member);

/* The member wants nothing any more. If its command was sent, the reply is discarded. */
void rl_renewer_server_leave(rl_renewal_member *member);

/* The server that runs the member's command may not be the primary any more: sends the command
 * again, if that is allowed, to the server that the member has now. */
void rl_renewer_server_send_again(rl_renewal_member *member);

/* CHECKING: the answer of the member counts, or is a failure. */
void rl_renewer_server_settle(rl_renewal_member *member, bool counts);

/* WAITING: the command cannot be sent, and has failed. */
void rl_renewer_server_refuse(rl_renewal_member *member);

/* Writes a release after everything that was sent on the connection, if the connection is up.
 * @return false = the kernel has not accepted all of it, and the next step must flush */
bool rl_renewer_server_release_behind(rl_renewal_member *member);

/* Reads what has arrived. */
void rl_renewer_server_read(rl_renewer_server *server, const rl_tick *tick);

/* Dials if need be, and sends the commands of the waiting members.
 * @return when to call again; RL_NEVER = when something arrives */
int64_t rl_renewer_server_send(rl_renewer_server *server, const rl_tick *tick);

/* Drops the connection. The members whose commands were sent on it wait for the next one. */
void rl_renewer_server_fail(rl_renewer_server *server, int64_t now);

/* The server has just answered on another connection: earlier failures no longer count. */
void rl_renewer_server_trust(rl_renewer_server *server);

#endif
