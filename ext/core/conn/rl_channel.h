/* SPDX-License-Identifier: MIT
 *
 * A channel: what one owner does on one connection to one member. It takes an idle connection or
 * dials one, logs in, sends, reads, takes back what it has sent, and gives the connection back.
 *
 * A member call, a place in the wait queue, a release batch and a renewer's server have channels.
 * Each adds its own rule only: what it sends, what the answers mean, and how long it waits.
 *
 *     closed --take, dial--> connecting --> logging in --> ready --give back, close--> closed
 *
 * Commands may be queued in any state but closed; rl_channel_is_logged_in() tells when none can
 * reach a wrong database any more.
 *
 * The owner has the connection from taking or dialling to giving back, and no other part of core
 * touches it meanwhile. A channel belongs to its owner's thread.
 */
#ifndef RL_CHANNEL_H
#define RL_CHANNEL_H

#include "core/conn/rl_pool.h"

typedef struct rl_channel {
	rl_conn *conn;        /* NULL = closed */
	bool is_fresh;        /* it was dialled, not taken from the pool */
	bool is_connecting;   /* as far as rl_channel_flush() has seen */
	int64_t connect_end;  /* connecting is given up then */
	uint64_t command_end; /* last byte of the latest command on this connection; 0 = none */
	/* Not later than the first hand-over of the command; 0 = not yet. It outlives the connection,
	 * because a command that is sent again on another one may have been carried out the first time.
	 */
	int64_t sent_at;
} rl_channel;

/* ---- opening ---- */

/* Takes an idle connection of the pool. False = there is none that is wanted.
 * @param connect_end for a connection that is not established yet */
bool rl_channel_take(rl_channel *channel, rl_pool *pool, const rl_target *target, rl_pool_want want,
	int64_t connect_end, int64_t now);

/* Dials. False with err. */
bool rl_channel_dial(rl_channel *channel, rl_transport *transport, rl_target *target,
	int64_t connect_end, const rl_env *env, rl_error *err);

static inline bool rl_channel_is_open(const rl_channel *channel)
{
	return channel->conn != NULL;
}

/* For these the channel must be open. */

static inline bool rl_channel_is_connected(const rl_channel *channel)
{
	return channel->conn->transport->is_connected(channel->conn->link);
}

static inline bool rl_channel_is_logged_in(const rl_channel *channel)
{
	return channel->conn->logins_pending == 0;
}

/* ---- sending ---- */

/* Queues a command. The reply comes with this tag. False when there is no memory for it. */
bool rl_channel_send(rl_channel *channel, const rl_request *request, unsigned tag);

/* Writes as much as the system takes now, and notes when the command was handed over at the
 * earliest.
 * @return true = the connection has been established since the last time */
bool rl_channel_flush(rl_channel *channel, int64_t now);

/* The system has taken the whole command: the server may have carried it out. False also when the
 * channel is closed. */
bool rl_channel_is_handed_over(const rl_channel *channel);

/* ---- waiting ---- */

/* Adds the link to what is waited for: until the end of connecting, or once that is done until
 * answer_end. */
void rl_channel_add_to_wait(const rl_channel *channel, rl_wait *wait, int64_t answer_end);

/* The next thing that happened; RL_CONN_NONE when there is nothing more for now. */
void rl_channel_next(rl_channel *channel, rl_conn_event *event);

/* ---- closing ---- */

/* How a connection is given back. */
typedef struct rl_giving {
	/* The connection may be used again. False = an answer on it is overdue, or made no sense. */
	bool is_trusted;
	/* Above 0, with several members: it may be given back while it is connecting or owes answers.
	 * They have to come within this time. */
	int64_t patience;
	/* What the system has not taken yet may be sent later. False = it is retracted; where it cannot
	 * be, the connection is not used again. */
	bool may_send_later;
	/* What was written has to reach the server, so a connection that is not used again lingers. */
	bool must_arrive;
} rl_giving;

/* Gives the connection back to the pool, lets it linger, or closes it. Pending replies are
 * discarded as they come. */
void rl_channel_give_back(rl_channel *channel, rl_pool *pool, rl_giving giving, int64_t now);

/* Closes the connection without a word. Does nothing when the channel is closed. */
void rl_channel_close(rl_channel *channel);

/* The connection becomes the caller's. */
rl_conn *rl_channel_hand_over(rl_channel *channel);

#endif
