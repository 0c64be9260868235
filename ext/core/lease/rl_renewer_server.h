/* SPDX-License-Identifier: MIT
 *
 * A server as the watch sees it: one connection, those who want to send on it, and those whose answers are to come,
 * in order. For rl_renewer.c alone; the design is in rl_renewer.h.
 *
 * A connection is dialled when somebody wants to send, kept as long as it lasts, and replaced when it breaks or
 * does not answer: the first time at once, then with a growing pause.
 */
#ifndef RL_RENEWER_SERVER_H
#define RL_RENEWER_SERVER_H

#include "core/conn/rl_conn.h"
#include "core/lease/rl_renewer.h"

typedef struct rl_renewer_server rl_renewer_server;
struct rl_renewer_server {
	rl_renewer_server *next;
	rl_target *target; /* owned, and a copy: the lease's own belongs to another thread */
	rl_conn *conn;     /* owned; NULL = there is none */
	unsigned users;    /* member calls */
	unsigned fails;    /* connections in a row that were of no use */
	bool lacks_script; /* what goes next brings the script's text */
	int64_t connect_by;
	int64_t redial_at;
	rl_renewal_member *waiting;
	rl_renewal_member **waiting_end;
	rl_renewal_member *
		*flights; /* owned; a ring. NULL in it = nobody waits for that answer any more */
	uint64_t first_flight;
	uint64_t next_flight;
	size_t flight_room; /* a power of two */
};

/* A server with a copy of the target; NULL when out of memory. */
rl_renewer_server *rl_renewer_server_new(const rl_target *target);
void rl_renewer_server_free(rl_renewer_server *server);

/* The member call wants to send. */
void rl_renewer_server_queue(rl_renewal_member *member);

/* The member call wants nothing any more: its answer, if one is to come, concerns nobody. */
void rl_renewer_server_leave(rl_renewal_member *member);

/* Writes a release behind what the member call has, or had, in flight. */
void rl_renewer_server_release_behind(rl_renewal_member *member);

/* Reads what has arrived. */
void rl_renewer_server_read(rl_renewer_server *server, const rl_tick *tick);

/* Dials if need be, and sends what is to be sent.
 * @return when it wants to be called again; RL_NEVER = when something arrives */
int64_t rl_renewer_server_send(rl_renewer_server *server, rl_renewer *renewer, const rl_tick *tick);

/* The connection is of no use: who has something in flight on it sends it again on the next one. */
void rl_renewer_server_fail(rl_renewer_server *server, int64_t now);

/* The server has just answered somebody else: what was wrong before does not count. */
void rl_renewer_server_trust(rl_renewer_server *server);

/* ---- implemented by rl_renewer.c ---- */

/* Something about it has changed: when it is due is reckoned anew. */
void rl_renewal_plan(rl_renewal *renewal);

/* A member has answered; member call->vote is what. */
void rl_renewal_on_vote(rl_renewal_member *member);

/* What a renewal may ask for now; less than 1 ms = nothing any more. */
int64_t rl_renewal_ttl(const rl_renewal *renewal, int64_t now);

/* Lost: the member has not confirmed the release. The member call is to be released again after a pause. */
void rl_renewal_on_release_failed(rl_renewal_member *member);

/* How long the lease can wait for one answer. */
int64_t rl_renewal_patience(const rl_renewal *renewal, int64_t timeout_ns, int64_t now);

#endif
