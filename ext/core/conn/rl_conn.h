/* SPDX-License-Identifier: MIT
 *
 * A connection: a link, its handshake, and its pending replies. It belongs to one operation at a
 * time, or to the pool. The design is in rl_conn.c.
 */
#ifndef RL_CONN_H
#define RL_CONN_H

#include "core/conn/rl_held.h"
#include "core/base/rl_env.h"
#include "core/wire/rl_route.h"
#include "core/wire/rl_target.h"
#include "core/wire/rl_transport.h"

#define RL_CONN_RUNS 16 /* runs of replies in the connection itself; a power of two */

typedef enum rl_pending_kind {
	/* Of AUTH or SELECT. An error makes the connection useless. */
	RL_PENDING_LOGIN,
	/* Of ROLE, which is a part of the login. A connection to a replica is useless. */
	RL_PENDING_ROLE,
	RL_PENDING_NAME,    /* of CLIENT SETNAME, which may fail */
	RL_PENDING_COMMAND, /* an operation waits for it */
	/* An operation waits for the reply, and a yes counts only once the replicas have confirmed
	 * it. */
	RL_PENDING_CONFIRMED,
	RL_PENDING_WAIT,   /* what the replicas confirm of all commands before WAIT */
	RL_PENDING_MAP,    /* of CLUSTER SLOTS, for the route */
	RL_PENDING_NOBODY, /* the reply will be discarded */
} rl_pending_kind;

/* A run of replies of the same kind. */
typedef struct rl_pending {
	rl_pending_kind kind;
	unsigned tag; /* RL_PENDING_COMMAND, RL_PENDING_CONFIRMED: given by the operation */
	unsigned count;
} rl_pending;

/* A connection only moves to later states. Each state allows less than the state before it. */
typedef enum rl_conn_life {
	RL_CONN_LIFE_WELL,
	RL_CONN_LIFE_REFUSED, /* a login failed */
	RL_CONN_LIFE_BROKEN,
	RL_CONN_LIFE_ENDED, /* nothing more is sent */
} rl_conn_life;

/* When the server was last heard. */
typedef enum rl_conn_heard {
	RL_CONN_HEARD_NEVER,
	RL_CONN_HEARD_BEFORE, /* but not since the connection was taken from the pool */
	RL_CONN_HEARD_SINCE,
} rl_conn_heard;

typedef struct rl_conn rl_conn;
struct rl_conn {
	rl_conn *next; /* in a list of the pool */
	/* What points to it in the pool's list `away`; NULL = it is not there. */
	rl_conn **away_link;
	rl_transport *transport;
	rl_target *target; /* one reference */
	rl_link *link;     /* owned */
	int64_t idle_since;
	/* Replies to AUTH, SELECT and ROLE that are pending; 0 = logged in. */
	unsigned logins_pending;
	bool is_nameless; /* CLIENT SETNAME was not sent */
	/* For the name. Borrowed from the target or from rl_env. */
	const rl_label *label;
	/* A reading of the clock right after the login was answered; 0 = it was not noted. */
	int64_t ready_at;
	rl_conn_life life;
	rl_conn_heard heard;
	/* A bit for each verb whose script the server has lost. Such a script is sent as text until the
	 * server knows it again. */
	unsigned lost_scripts;
	/* The server has run TRY on this connection, and has not lost the scripts since. */
	bool has_run_try;
	/* The shortest round trip so far; 0 = none was measured. */
	int64_t round_trip;
	int64_t connect_end; /* connecting is given up then */
	/* Since then replies are pending, and none has arrived; 0 = not noted, or nothing was sent. */
	int64_t pending_since;
	/* How long a reply may be pending while no operation waits for it; 0 = not noted. */
	int64_t unheard_ns;
	/* rl_conn_retract() takes back only what is queued after this byte, at first the last byte of
	 * the login. kept_left is the number of replies to what stays. */
	uint64_t kept_end;
	unsigned kept_left;
	uint64_t last_byte; /* the position of the last byte queued */
	/* A ring of pending_runs, with room for ring_mask + 1 of them: a power of two. Owned, unless it
	 * is first_runs. */
	rl_pending *owed;
	unsigned ring_mask;
	rl_pending first_runs[RL_CONN_RUNS];
	unsigned pending_first;
	unsigned pending_runs;
	unsigned pending_count; /* replies in all runs */
	/* How many replies are pending up to that of the last undo; 0 = all undos were read. */
	unsigned undo_left;
	/* The same for releases, and for undos of a caller's token: that token may be used again. */
	unsigned own_left;
	uint64_t own_lock; /* rl_conn_lock() of these commands; 0 = of several locks */
	/* How long the next WAIT may take, in ms, because commands that the replicas must confirm are
	 * queued and WAIT is not. 0 = no such command is queued. */
	int64_t confirm_ms;
	int64_t waited_ms; /* of the last WAIT */
	/* The same for a try in the wait queue that was sent: WAIT follows only after the try has taken
	 * the lock. If a connection ends while it blocks in BLPOP or in WAIT, the server drops the
	 * commands that follow. */
	int64_t later_ms;
	/* How many replies are pending up to the reply to the last WAIT. */
	unsigned waits_left;
	rl_held held;
	/* The route that learns from the reply to CLUSTER SLOTS; NULL = no map was asked for. One
	 * reference. */
	rl_route *mapped;
};

typedef enum rl_conn_event_type {
	RL_CONN_NONE,  /* nothing more for now */
	RL_CONN_READY, /* logged in */
	/* A login failed, and reply is the error. Pending replies still arrive. */
	RL_CONN_REFUSED,
	RL_CONN_REPLY, /* the reply for tag */
	RL_CONN_DOWN,  /* broken; err has the reason */
} rl_conn_event_type;

typedef struct rl_conn_event {
	rl_conn_event_type type;
	unsigned tag;
	rl_reply reply; /* REPLY, REFUSED; valid until the next call on the connection */
	rl_error err;
} rl_conn_event;

/* Begins to connect, and queues AUTH, SELECT and ROLE if the target needs them: the login. CLIENT
 * SETNAME will follow the first command.
 * @param until connecting is given up then
 * @return NULL with err */
rl_conn *rl_conn_dial(
	rl_transport *transport, rl_target *target, int64_t until, const rl_env *env, rl_error *err);

/* Queues a command. The caller must flush.
 * @return the position of its last byte (see rl_transport.append); 0 when it could not be queued */
uint64_t rl_conn_send(rl_conn *conn, const rl_request *request, unsigned tag);

/* Queues CLUSTER SLOTS, if the route wants a map now. The connection reads the reply when it
 * arrives, and nothing waits for the reply. The caller must flush. */
void rl_conn_ask_map(rl_conn *conn, rl_route *route, int64_t now);

/* Asks a Sentinel which server is the primary of the service. The reply will have the tag 0. The
 * caller must flush.
 * @param question the word between SENTINEL and the service
 * @return as rl_conn_send() */
uint64_t rl_conn_ask_primary(rl_conn *conn, rl_bytes question, rl_bytes service);

/* Queues WAIT if the replicas must confirm commands that were queued. Call it before a flush. */
void rl_conn_ask_replicas(rl_conn *conn);

/* True when only the confirmation of the replicas is missing. */
bool rl_conn_is_confirming(const rl_conn *conn);

/* Stops waiting for the reply to WAIT, which a server may send up to 0.1 s after the timeout of
 * WAIT. The grants that WAIT should have confirmed count as unconfirmed, and rl_conn_next()
 * returns them as such. */
void rl_conn_give_up_replicas(rl_conn *conn);

/* The same as rl_conn_send() for a command whose reply is discarded. False when it could not be
 * queued. */
bool rl_conn_send_blind(rl_conn *conn, const rl_request *request);

/* Queues CLIENT SETNAME now, unless it was sent, because the next command may block for long. */
void rl_conn_send_name(rl_conn *conn);

/* Queues an empty command. Servers skip it without an answer, and continue to read. Does nothing
 * when out of memory. */
void rl_conn_prod(rl_conn *conn);

/* The server has lost this script, so the command must go as text. */
static inline bool rl_conn_needs_text(const rl_conn *conn, rl_verb verb)
{
	return (conn->lost_scripts >> verb & 1U) != 0;
}

/* The server has answered NOSCRIPT. */
static inline void rl_conn_lose_scripts(rl_conn *conn)
{
	conn->lost_scripts = ~0U;
	conn->has_run_try = false;
}

/* The text of the script was sent, and the server keeps it. */
static inline void rl_conn_note_script(rl_conn *conn, rl_verb verb)
{
	conn->lost_scripts &= ~(1U << verb);
}

/* Writes an undo after everything that was sent (rl_request_undo()). Its answer is not read.
 * @param request the command to be undone
 * @return false = the kernel has not accepted all of it, so the server may never run it */
bool rl_conn_undo(rl_conn *conn, const rl_request *request);

/* The same for a swap to a token that was drawn for it: the old token is put back, and the TTL
 * stays. */
bool rl_conn_swap_back(rl_conn *conn, const rl_request *request);

/* A number for the lock with this token, which other locks hardly ever have. Not 0. */
static inline uint64_t rl_conn_lock(rl_bytes key, rl_bytes token)
{
	return rl_bytes_hash(rl_bytes_hash(RL_HASH_BEGIN, key), token) | 1;
}

/* Call after a command was queued that may free the lock with a caller's token. */
void rl_conn_note_own(rl_conn *conn, rl_bytes key, rl_bytes token);

/* The server may still read a command that may free this lock. */
static inline bool rl_conn_may_free(const rl_conn *conn, uint64_t lock)
{
	return conn->own_left > 0 && (conn->own_lock == 0 || conn->own_lock == lock);
}

/* The next event. Call it until RL_CONN_NONE or RL_CONN_DOWN. */
void rl_conn_next(rl_conn *conn, rl_conn_event *event);

/* No operation waits for the pending replies any more: they will be discarded. */
void rl_conn_discard_pending(rl_conn *conn);

/* What is queued will not be retracted, also if it is sent only later. */
void rl_conn_keep(rl_conn *conn);

/* Takes back the commands since the login, or since rl_conn_keep(), that were not sent because the
 * connection is not established. True = none of them is left unsent. */
bool rl_conn_retract(rl_conn *conn);

/* Notes since when the connection waits for replies. Call it when no operation waits for it. */
void rl_conn_note_pending(rl_conn *conn, int64_t now);

/* To be called while no operation has the connection. Continues to connect, sends the remaining
 * bytes, and discards the replies that have arrived. False = the connection cannot be used any
 * more. */
bool rl_conn_catch_up(rl_conn *conn, int64_t now);

/* True when the pool may keep the connection: logged in, all sent, few pending replies. */
bool rl_conn_is_reusable(const rl_conn *conn);

/* The same for one of several members, where slow members are not waited for: the connection may
 * still be connecting or logging in, and may have more pending replies. */
bool rl_conn_is_worth_keeping(const rl_conn *conn);

/* Tells the server that nothing more will be sent, but not while the server waits for its replicas:
 * it would then drop the commands after WAIT. Call rl_conn_is_over() from time to time. */
void rl_conn_end(rl_conn *conn);

/* After rl_conn_end(): the server has read everything, or the connection is broken. */
bool rl_conn_is_over(rl_conn *conn);

/* Takes the connection out of the pool's list `away`, where it is. */
void rl_conn_leave_away(rl_conn *conn);

/* The same, if it is there. */
static inline void rl_conn_return(rl_conn *conn)
{
	if (conn->away_link != NULL) {
		rl_conn_leave_away(conn);
	}
}

void rl_conn_free(rl_conn *conn);

#endif
