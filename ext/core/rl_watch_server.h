/* SPDX-License-Identifier: MIT
 *
 * A server as the watch sees it: one connection, those who want to send on it, and those whose answers are to come,
 * in order. For rl_watch.c alone; the design is in rl_watch.h.
 *
 * A connection is dialled when somebody wants to send, kept as long as it lasts, and replaced when it breaks or
 * does not answer: the first time at once, then with a growing pause.
 */
#ifndef RL_WATCH_SERVER_H
#define RL_WATCH_SERVER_H

#include "core/rl_conn.h"
#include "core/rl_watch.h"

typedef struct rl_watch_server rl_watch_server;
struct rl_watch_server {
	rl_watch_server *next;
	rl_target *target; /* owned, and a copy: the lease's own belongs to another thread */
	rl_conn *conn;     /* owned; NULL = there is none */
	unsigned users;    /* seats */
	unsigned fails;    /* connections in a row that were of no use */
	bool lacks_script; /* what goes next brings the script's text */
	int64_t connect_by;
	int64_t redial_at;
	rl_watch_seat *waiting;
	rl_watch_seat **waiting_end;
	rl_watch_seat **flights; /* owned; a ring. NULL in it = nobody waits for that answer any more */
	uint64_t first_flight;
	uint64_t next_flight;
	size_t flight_room; /* a power of two */
};

/* A server with a copy of the target; NULL when out of memory. */
rl_watch_server *rl_watch_server_new(const rl_target *target);
void rl_watch_server_free(rl_watch_server *server);

/* The seat wants to send. */
void rl_watch_server_queue(rl_watch_seat *seat);

/* The seat wants nothing any more: its answer, if one is to come, concerns nobody. */
void rl_watch_server_leave(rl_watch_seat *seat);

/* Writes a release behind what the seat has, or had, in flight. */
void rl_watch_server_release_behind(rl_watch_seat *seat);

/* Reads what has arrived. */
void rl_watch_server_read(rl_watch_server *server, const rl_tick *tick);

/* Dials if need be, and sends what is to be sent.
 * @return when it wants to be called again; RL_NEVER = when something arrives */
int64_t rl_watch_server_send(rl_watch_server *server, rl_watch *watch, const rl_tick *tick);

/* The connection is of no use: who has something in flight on it sends it again on the next one. */
void rl_watch_server_fail(rl_watch_server *server, int64_t now);

/* The server has just answered somebody else: what was wrong before does not count. */
void rl_watch_server_trust(rl_watch_server *server);

/* ---- implemented by rl_watch.c ---- */

/* Something about it has changed: when it is due is reckoned anew. */
void rl_watch_plan(rl_watched *watched);

/* A member has answered; seat->vote is what. */
void rl_watch_on_vote(rl_watch_seat *seat);

/* What a renewal may ask for now; less than 1 ms = nothing any more. */
int64_t rl_watch_ttl(const rl_watched *watched, int64_t now);

/* Lost: the member has not confirmed the release. The seat is to be released again after a pause. */
void rl_watch_on_release_failed(rl_watch_seat *seat);

/* How long the lease can wait for one answer. */
int64_t rl_watch_patience(const rl_watched *watched, int64_t timeout_ns, int64_t now);

#endif
