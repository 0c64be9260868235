/* SPDX-License-Identifier: MIT
 *
 * A channel: what one owner does on one connection to one member. The owner takes an idle
 * connection or dials one, logs in, sends, reads, undoes what it has sent, and gives the connection
 * back.
 *
 * Errands and lookups have channels. Each of them adds only its own rules: what it sends, what the
 * answers mean, how long it waits.
 *
 *     closed --take, dial--> connecting --> logging in --> ready --give back, close--> closed
 *
 * Commands may be queued in any state but closed. Once rl_channel_is_logged_in() is true, no
 * command can reach a wrong database.
 *
 * The owner has the connection from taking or dialling until giving it back. Meanwhile no other
 * part of core touches it. A channel belongs to the thread of its owner.
 *
 * LINES. An operation that sends many commands may have many channels on one connection, each with
 * one command under way. Such a connection is a line:
 *
 *     rl_lines -> rl_line -> rl_line        of one operation; at most one line to a target takes
 *                  |                        new channels, the others are retired or dead
 *                  |- conn                  NULL = dead: the server could not be reached
 *                  |- asked  [channel, NULL, channel]   in the order of the commands; NULL = the
 *                  |                                    reply is not wanted any more
 *                  |- users  channel -> channel             all channels on the line
 *                  |- untold the next of them that must see that the connection is established,
 *                  |         that only the replicas are missing, or how the login, or the line, has
 *                  |         ended
 *                  `- turn   the channel whose reply was read, and which must be stepped
 *
 * A channel on a line sees its own reply, the login, and the end of the connection, as if it were
 * alone. It neither flushes nor closes the connection: the operation flushes all lines once in each
 * step, and gives them back when it ends, or when no channel uses them. A connection that a channel
 * does not trust any more takes no new channels, and what is under way on it goes on.
 *
 * The ring is in the line, and not in each connection, because nearly all connections have one
 * channel at a time: for them the runs of rl_conn.c are enough, which need no entry for each of a
 * thousand replies that are not waited for any more, and no list of channels.
 *
 * Between two steps of the operation:
 * - No line has a turn. A ring has a place for each reply to come, and a channel in the ring points
 *   back to its place.
 * - A connection that is not trusted, or whose login has failed, is retired.
 * - The connection of an open channel is in no list of the pool but `away`. A command that was
 *   handed over has a time at which that began.
 */
#ifndef RL_CHANNEL_H
#define RL_CHANNEL_H

#include "core/conn/rl_pool.h"

typedef struct rl_line rl_line;
typedef struct rl_channel rl_channel;

/* Must not be moved while a channel uses it. */
typedef struct rl_lines {
	rl_line *first; /* owned, in the order of their making; NULL = none */
	/* No new connection is dialled any more. */
	bool is_closing;
	/* The lines are not those of one operation, so a server that was not heard is dialled again,
	 * while channels still wait on an earlier line to it. */
	bool are_lasting;
} rl_lines;

struct rl_channel {
	rl_conn *conn; /* NULL = closed */
	/* Borrowed. The lines on which the channel shares connections; NULL = each connection is its
	 * own. */
	rl_lines *lines;
	/* The line that the channel is on; also a dead one, until rl_channel_blame(). NULL = none. */
	rl_line *line;
	/* Its place among the channels on the line. */
	rl_channel *next_user;
	rl_channel **user_link;
	/* On a line: the number of the command under way, from 1; 0 = none. */
	uint64_t asked;
	/* On a line: the channel has seen how the login ended. */
	bool knows_login;
	/* The connection was dialled, not taken from the pool. */
	bool is_fresh;
	/* The connection was not established yet at the last rl_channel_flush(). */
	bool is_connecting;
	int64_t connect_end; /* connecting is given up then */
	/* The position of the last byte of the latest command on this connection; 0 = none. */
	uint64_t command_end;
	/* No later than the first moment at which the kernel took bytes of the command; 0 = not yet.
	 * The time outlives the connection: a command that is sent again on another one may have been
	 * carried out the first time. */
	int64_t sent_at;
	/* The replicas must confirm before this time; 0 = the channel waits for no confirmation. */
	int64_t confirm_end;
};

/* ---- opening ---- */

/* Takes an idle connection from the pool. False = the pool has none that fits.
 * @param target NULL = the primary behind Sentinels is unknown, so the pool has no connection to it
 * @param connect_end applies if the connection is not established yet */
bool rl_channel_take(rl_channel *channel, rl_pool *pool, const rl_target *target, rl_pool_want want,
	int64_t connect_end, int64_t now);

/* Dials a new connection. False with err. */
bool rl_channel_dial(rl_channel *channel, rl_transport *transport, rl_target *target,
	int64_t connect_end, const rl_env *env, rl_error *err);

static inline bool rl_channel_is_open(const rl_channel *channel)
{
	return channel->conn != NULL;
}

/* The functions from here to rl_channel_flush() need an open channel. */

static inline bool rl_channel_is_connected(const rl_channel *channel)
{
	return channel->conn->transport->is_connected(channel->conn->link);
}

static inline bool rl_channel_is_logged_in(const rl_channel *channel)
{
	return channel->conn->logins_pending == 0;
}

/* ---- sending ---- */

/* Queues a command. Its reply will have this tag. False when the command could not be queued. */
bool rl_channel_send(rl_channel *channel, const rl_request *request, unsigned tag);

/* Queues the question of rl_conn_ask_primary(). False when it could not be queued. */
bool rl_channel_ask_primary(rl_channel *channel, rl_bytes question, rl_bytes service);

/* Writes as much as the kernel accepts now, and notes in sent_at when that began.
 * @return true = the connection has been established since the last call */
bool rl_channel_flush(rl_channel *channel, int64_t now);

/* The kernel has accepted the whole command, so the server may have carried it out. False also when
 * the channel is closed. */
bool rl_channel_is_handed_over(const rl_channel *channel);

/* ---- waiting ---- */

/* Adds the link to the wait: until connect_end while the link is connecting, and until answer_end,
 * or the end of the replicas' time, after that. */
void rl_channel_add_to_wait(const rl_channel *channel, rl_wait *wait, int64_t answer_end);

/* Gives up waiting for the replicas when their time is over. Call it after the events were read.
 * @return true = there are more events now */
bool rl_channel_judge_replicas(rl_channel *channel, const rl_tick *tick);

/* The next event; RL_CONN_NONE when there is none for now. */
void rl_channel_next(rl_channel *channel, rl_conn_event *event);

/* Call for RL_CONN_READY. The clock is read now, because the answer may be younger than the tick,
 * and rl_channel_is_ready_before() compares. */
static inline void rl_channel_note_ready(rl_channel *channel, const rl_env *env)
{
	channel->conn->ready_at = env->now(env->ctx);
}

/* True when the connection was logged in before the time, at which the clock was read for a later
 * event. False also when the login was not noted, or the channel is closed. */
static inline bool rl_channel_is_ready_before(const rl_channel *channel, int64_t time)
{
	const rl_conn *conn = channel->conn;
	return conn != NULL && conn->ready_at != 0 && conn->ready_at < time;
}

/* ---- closing ---- */

/* How a connection is given back. */
typedef struct rl_giving {
	/* The connection may be used again. False = a reply on it is overdue, or made no sense. */
	bool is_trusted;
	/* Above 0, with several members: the connection may be given back while it is connecting or has
	 * pending replies, which must arrive within this time. */
	int64_t unheard_ns;
	/* Commands that the kernel has not accepted yet may be sent later. False = they are retracted;
	 * if that is not possible, the connection is not used again. */
	bool may_send_later;
	/* What was written must reach the server, so a connection that is not used again lingers. */
	bool must_arrive;
} rl_giving;

/* Gives the connection back to the pool, lets it linger, or closes it. Pending replies are
 * discarded when they arrive. Does nothing when the channel is closed. */
void rl_channel_give_back(rl_channel *channel, rl_pool *pool, rl_giving giving, int64_t now);

/* Closes the connection at once. Does nothing when the channel is closed. */
void rl_channel_close(rl_channel *channel);

/* Gives the connection to the caller, and closes the channel. Not for a channel on a line. */
rl_conn *rl_channel_hand_over(rl_channel *channel);

/* The reply that is under way will not be wanted. Without effect but on a line. */
void rl_channel_mute(rl_channel *channel);

/* Call when the server could not be reached, or did not answer, and before the channel is closed;
 * err has the reason, if it is known.
 * True = this is the first channel of its line to say so, or the channel has no line. */
bool rl_channel_blame(rl_channel *channel, const rl_error *err);

/* Call before the connection is closed that another one will replace. True = this is the first
 * channel of its line to say so, or the channel has no line. */
bool rl_channel_note_replaced(rl_channel *channel);

/* Another channel has given up the connection of the line. */
bool rl_channel_is_retired(const rl_channel *channel);

/* ---- lines ---- */

/* For rl_channel.c, and for tests/invariants. */
struct rl_line {
	rl_line *next;
	rl_conn *conn;      /* owned; NULL = dead */
	rl_target *target;  /* one reference */
	bool is_connecting; /* the channels must see when the connection is established */
	bool is_confirming; /* only the replicas are waited for */
	bool is_retired;    /* takes no new channel */
	bool is_blamed;     /* the pool knows that the server has failed */
	bool is_replaced;   /* counted as a connection that was replaced */
	/* Owned: a ring. The numbers of the oldest command without a reply, and of the next command. */
	rl_channel **asked;
	uint64_t first_asked;
	uint64_t next_asked;
	size_t room; /* a power of two, or 0 */
	/* Borrowed. The earliest comes first. */
	rl_channel *users;
	rl_channel **users_end;
	/* Borrowed. The next of the users that must see how the login, or the line, has ended, that the
	 * connection is established, or that only the replicas are waited for. */
	rl_channel *untold;
	/* Borrowed. The event that was read is for this channel; NULL = no event waits. */
	rl_channel *turn;
	rl_conn_event event;
	/* Dead, or broken: the reason. */
	rl_error err;
	/* Owned. The error of a login that failed. */
	char *refusal;
	/* How the connection is given back. */
	rl_giving giving;
};

/* Writes what was queued on all lines. */
void rl_lines_flush(rl_lines *lines);

/* A reply waits for a channel, which must be stepped. */
bool rl_lines_have_turn(const rl_lines *lines);

/* Reads the lines. The next channel that must be stepped, because something on its line concerns
 * it; NULL = there is none for now. */
rl_channel *rl_lines_next(rl_lines *lines);

/* The connection of the line to the target that takes new channels; NULL = there is none. */
rl_conn *rl_lines_conn(const rl_lines *lines, const rl_target *target);

/* The link of the next line; NULL = there are no more.
 * @param cursor begins with NULL */
rl_link *rl_lines_next_link(const rl_lines *lines, const rl_line **cursor);

/* Gives the connections back that no channel uses, and on which no reply is still to come. */
void rl_lines_give_idle(rl_lines *lines, rl_pool *pool, int64_t now);

/* Gives all connections back. No channel may use a line any more. */
void rl_lines_end(rl_lines *lines, rl_pool *pool, int64_t now);

/* In a forked child: closes all connections, which are the parent's, and sends nothing. */
void rl_lines_drop(rl_lines *lines);

#endif
