/* SPDX-License-Identifier: MIT
 *
 * A server: a process with data, clients that block, and troubles of its own.
 *
 * DESIGN
 *
 * A server runs the commands of a connection at once and in order, up to a BLPOP that blocks. A
 * ticket goes to the connection that has blocked on the list for longest, when the command that put
 * it there is over. The commands after that BLPOP run a moment later, so other commands may come in
 * between, as in the real server. A connection that ends while it blocks drops the commands after
 * the BLPOP; any other connection has run all that arrived.
 *
 * A slow server runs nothing for a while, and then all commands that came meanwhile, with the
 * connections in any order. A server that crashes loses its connections and scripts. Its data are
 * kept (as with an append-only file). Or they are lost, and the server stays away for the longest
 * TTL, as the algorithm demands.
 *
 * WAIT blocks its connection until the replica has confirmed all data of the server, or until its
 * time is over, a tick late as in the real server. WAIT does not block if the replica has confirmed
 * the last write of its connection. A server that loses its data with a replica has the data that
 * the replica confirmed last, or more.
 *
 * A role switch: the address, or the name, leads to another server that has the same data, and so
 * is the same sim_server with a higher reign. Connections made before stay with the former primary,
 * which is now the replica.
 */
#ifndef SERVER_H
#define SERVER_H

#include "network.h"
#include "plan.h"
#include "store.h"

#define SERVER_BLOCKED 128

typedef struct sim_server {
	uint8_t index;
	uint8_t member;
	bool is_up;
	bool is_machine_down; /* dials are not even refused */
	bool loses_data;      /* when it is back */
	clock_of clock;       /* its wall clock, in ns */
	int64_t back_at;
	int64_t loading_until;
	int64_t stalled_until;
	int64_t replica_until;
	int64_t memory_until;   /* until then the server has no memory */
	int64_t uncopied_until; /* until then the server has too few replicas */
	int64_t full_until;     /* until then the server accepts no more clients */
	int64_t lag_until;      /* until then the replica confirms nothing */
	bool is_stale;          /* as a replica the server does not even serve old data */
	uint32_t reign;         /* grows each time that another server becomes the primary */
	unsigned demoted_known; /* the scripts that the previous primary knows */
	int64_t calm_since;     /* the end of its latest trouble */
	store store;
	store copied;                     /* plan.replicas: what the replica has confirmed last */
	uint64_t writes;                  /* the number of writes */
	uint64_t copied_writes;           /* how many of these writes the replica has confirmed */
	rl_link *blocked[SERVER_BLOCKED]; /* the longest blocked first */
	unsigned blocked_count;
	/* Links with something to do when the server is not slow any more. */
	rl_link *stalled[NET_LINKS];
	unsigned stalled_count;
} sim_server;

extern sim_server servers[PLAN_SERVERS];

void server_begin(void);

int64_t server_us(const sim_server *s);

/* Whether the key has the token. A server that is down keeps its data until it is back. */
bool server_holds(sim_server *s, unsigned key, uint64_t token);

/* Runs the commands that have arrived on the link, and sees its end. */
void server_read(rl_link *link);

/* A dial arrives.
 * @return false = the dial is refused */
bool server_accept(rl_link *link);

/* The connection is one too many: the server answers an error, and closes. */
bool server_is_full(const rl_link *link);

void server_crash(sim_server *s, bool is_machine, bool loses_data, int64_t away);
void server_stall(sim_server *s, int64_t until);
void server_forget_scripts(sim_server *s);

/* The server is a replica for a while, and then the primary again, with its data. */
void server_be_replica(sim_server *s, int64_t until);

/* Another server, which has the data, becomes the primary. Connections stay with the former
 * primary. */
void server_switch(sim_server *s);

void server_run_out_of_memory(sim_server *s, int64_t until);
void server_lose_replicas(sim_server *s, int64_t until);
void server_be_full(sim_server *s, int64_t until);
void server_lag(sim_server *s, int64_t until);

/* CLIENT KILL of one connection, or CLIENT UNBLOCK of any blocked one. */
void server_kill(rl_link *link);
void server_unblock_any(sim_server *s);

void server_jump(sim_server *s, int64_t by);

void server_on_event(const event *e);

/* ---- for cluster.c and sentinel.c ---- */

/* The lock of the key has changed. */
void server_plan_expiry(sim_server *s, unsigned key);

/* A ticket was put into the list: the connection that has blocked for longest gets it. */
void server_serve(sim_server *s, unsigned key);

/* Ends a BLPOP with this answer. */
void server_send_away(sim_server *s, rl_link *link, const rl_model_reply *answer);

/* Unblocks the connections of a server that becomes a replica. */
void server_send_all_away(sim_server *s);

/* The server closes all its connections, because it becomes a replica. */
void server_hang_up_all(sim_server *s);

/* Gives a server all the data of another server. */
void server_copy(sim_server *to, const store *data, const sim_server *from);

#endif
