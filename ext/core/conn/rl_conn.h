/* SPDX-License-Identifier: MIT
 *
 * A connection: a link, its handshake, and the replies it owes. Replies come in order, so a queue
 * of what was sent tells what each is for; one whose asker has gone is counted off and dropped.
 *
 * One operation has a connection at a time, or the pool has it.
 */
#ifndef RL_CONN_H
#define RL_CONN_H

#include "core/wire/rl_command.h"
#include "core/base/rl_env.h"
#include "core/wire/rl_target.h"
#include "core/wire/rl_transport.h"

#define RL_CONN_PENDING_MAX 16 /* runs of replies */

typedef enum rl_pending_kind {
	RL_PENDING_LOGIN,   /* AUTH or SELECT: a failure makes the connection useless */
	RL_PENDING_NAME,    /* CLIENT SETNAME: may fail */
	RL_PENDING_COMMAND, /* somebody waits for it */
	RL_PENDING_NOBODY,  /* nobody waits for it any more */
} rl_pending_kind;

/* A run of replies of the same kind. */
typedef struct rl_pending {
	rl_pending_kind kind;
	unsigned tag; /* RL_PENDING_COMMAND: the asker's */
	unsigned count;
} rl_pending;

typedef struct rl_conn rl_conn;
struct rl_conn {
	rl_conn *next; /* in the pool's list */
	rl_transport *transport;
	rl_target *target; /* one reference */
	rl_link *link;     /* owned */
	int64_t idle_since;
	unsigned logins_pending; /* 0 = logged in: any command may follow */
	bool is_nameless;        /* CLIENT SETNAME was not sent yet */
	bool is_refused;         /* a login failed */
	bool lacks_scripts;      /* the server has lost its scripts: each goes as text the first time */
	unsigned known;          /* the scripts that it knows since then, a bit for each verb */
	bool is_down;
	bool was_heard;        /* an answer has come since it was taken from the pool */
	bool has_answered;     /* at any time */
	int64_t round_trip;    /* the shortest that was seen; 0 = none was */
	int64_t connect_end;   /* connecting is given up then */
	int64_t pending_since; /* nothing has come since then of what is owed; 0 = not noted */
	int64_t patience;      /* how long it may owe while nobody waits for it; 0 = not noted */
	uint64_t login_end;    /* position of the last byte of AUTH and SELECT */
	uint64_t last_byte;    /* position of the last byte queued */
	rl_pending owed[RL_CONN_PENDING_MAX]; /* a ring */
	unsigned pending_first;
	unsigned pending_runs;
	unsigned pending_count; /* replies in all */
	/* So many of them come before the last undo is answered, with its own; 0 = the server has read
	 * all undos. */
	unsigned undo_left;
};

typedef enum rl_conn_event_type {
	RL_CONN_NONE,    /* nothing more for now */
	RL_CONN_READY,   /* logged in */
	RL_CONN_REFUSED, /* a login failed; reply is the error. Replies that are owed still come */
	RL_CONN_REPLY,   /* the reply for tag */
	RL_CONN_DOWN,    /* broken; err says why */
} rl_conn_event_type;

typedef struct rl_conn_event {
	rl_conn_event_type type;
	unsigned tag;
	rl_reply reply; /* REPLY, REFUSED; valid until the next call on the connection */
	rl_error err;
} rl_conn_event;

/* Begins to connect and queues AUTH and SELECT as the target needs them. CLIENT SETNAME follows
 * behind the first command.
 * @param until when connecting is over
 * @return NULL with err */
rl_conn *rl_conn_dial(
	rl_transport *transport, rl_target *target, int64_t until, const rl_env *env, rl_error *err);

/* Queues a command. Flushing is the caller's.
 * @return the position of its last byte (see rl_transport.append); 0 when it could not be queued */
uint64_t rl_conn_send(rl_conn *conn, const rl_request *request, unsigned tag);

/* The same for a command whose reply nobody wants. False when it could not be queued. */
bool rl_conn_send_blind(rl_conn *conn, const rl_request *request);

/* Queues CLIENT SETNAME now, if it was not sent: what follows may wait for long. */
void rl_conn_send_name(rl_conn *conn);

/* Queues an empty command, which servers skip without an answer: it has them read on. Without
 * memory nothing happens. */
void rl_conn_prod(rl_conn *conn);

/* Writes the compare-and-delete that takes a token back, after all that was sent, as text, because
 * its answer is not read, and with the lock's key alone, which every user of the lock may use.
 * Waiters find the free lock when they look.
 * @param request of the command to be undone
 * @return false = the system did not take it, and the server will not carry it out */
bool rl_conn_undo(rl_conn *conn, const rl_request *request);

/* The same for a swap to a token that was drawn for it: the other token takes its place again, and
 * the TTL stays. */
bool rl_conn_swap_back(rl_conn *conn, const rl_request *request);

/* The next thing that happened; call until RL_CONN_NONE or RL_CONN_DOWN. */
void rl_conn_next(rl_conn *conn, rl_conn_event *event);

/* Nobody waits any more for the replies that are owed. */
void rl_conn_discard_pending(rl_conn *conn);

/* Takes back the commands that a connection still has to send because it is not established. True =
 * there are none any more. */
bool rl_conn_retract(rl_conn *conn);

/* Connects on, sends what is left, counts off what has arrived for nobody. False = the connection
 * is broken. */
bool rl_conn_catch_up(rl_conn *conn, int64_t now);

/* True when the pool may keep it: logged in, nothing unsent, few replies owed. */
bool rl_conn_is_reusable(const rl_conn *conn);

/* The same for one of several members, where nobody waits for those that are slow: it may still be
 * connecting or logging in, and owe more. */
bool rl_conn_is_worth_keeping(const rl_conn *conn);

void rl_conn_free(rl_conn *conn);

#endif
