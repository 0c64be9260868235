/* SPDX-License-Identifier: MIT */
#include "core/conn/rl_channel.h"

/* ---- opening ---- */

bool rl_channel_take(rl_channel *channel, rl_pool *pool, const rl_target *target, rl_pool_want want,
	int64_t connect_end, int64_t now)
{
	channel->conn = target != NULL ? rl_pool_take(pool, target, want, now) : NULL;
	channel->is_fresh = false;
	channel->command_end = 0;
	channel->confirm_end = 0;
	if (channel->conn == NULL) {
		return false;
	}
	channel->is_connecting = !rl_channel_is_connected(channel);
	channel->connect_end = connect_end;
	return true;
}

bool rl_channel_dial(rl_channel *channel, rl_transport *transport, rl_target *target,
	int64_t connect_end, const rl_env *env, rl_error *err)
{
	channel->conn = rl_conn_dial(transport, target, connect_end, env, err);
	channel->is_fresh = true;
	channel->is_connecting = true;
	channel->connect_end = connect_end;
	channel->command_end = 0;
	channel->confirm_end = 0;
	return channel->conn != NULL;
}

/* ---- sending ---- */

bool rl_channel_send(rl_channel *channel, const rl_request *request, unsigned tag)
{
	channel->command_end = rl_conn_send(channel->conn, request, tag);
	return channel->command_end != 0;
}

bool rl_channel_ask_primary(rl_channel *channel, rl_bytes question, rl_bytes service)
{
	channel->command_end = rl_conn_ask_primary(channel->conn, question, service);
	return channel->command_end != 0;
}

bool rl_channel_flush(rl_channel *channel, int64_t now)
{
	bool is_connected = rl_channel_is_connected(channel);
	bool is_new = channel->is_connecting && is_connected;
	channel->is_connecting = channel->is_connecting && !is_connected;
	/* Noted before the bytes are written: a proof that begins later would last too long. */
	if (channel->sent_at == 0 && channel->command_end != 0 && is_connected) {
		channel->sent_at = now;
	}
	rl_conn_ask_replicas(channel->conn);
	channel->conn->transport->flush(channel->conn->link);
	return is_new;
}

bool rl_channel_is_handed_over(const rl_channel *channel)
{
	const rl_conn *conn = channel->conn;
	return conn != NULL && channel->command_end != 0 &&
		conn->transport->sent(conn->link) >= channel->command_end;
}

/* ---- waiting ---- */

void rl_channel_add_to_wait(const rl_channel *channel, rl_wait *wait, int64_t answer_end)
{
	rl_wait_for(wait, channel->conn->link,
		rl_channel_is_connected(channel) ? answer_end : channel->connect_end);
	if (channel->confirm_end != 0) {
		rl_wait_until(wait, channel->confirm_end);
	}
}

bool rl_channel_judge_replicas(rl_channel *channel, const rl_tick *tick)
{
	rl_conn *conn = channel->conn;
	if (conn == NULL || rl_held_is_empty(&conn->held) || !rl_conn_is_confirming(conn)) {
		channel->confirm_end = 0;
		return false;
	}
	if (channel->confirm_end == 0) {
		channel->confirm_end = tick->now + conn->waited_ms * RL_NS_PER_MS;
	}
	if (tick->seen < channel->confirm_end) {
		return false;
	}
	channel->confirm_end = 0;
	rl_conn_give_up_replicas(conn);
	return true;
}

void rl_channel_next(rl_channel *channel, rl_conn_event *event)
{
	rl_conn_next(channel->conn, event);
}

/* ---- closing ---- */

void rl_channel_close(rl_channel *channel)
{
	rl_conn_free(channel->conn);
	channel->conn = NULL;
}

rl_conn *rl_channel_hand_over(rl_channel *channel)
{
	rl_conn *conn = channel->conn;
	channel->conn = NULL;
	return conn;
}

/* Ends a connection that the pool does not keep: lets it linger, or closes it. */
static void end(rl_conn *conn, rl_pool *pool, rl_giving giving, int64_t now)
{
	bool is_connected = conn->transport->is_connected(conn->link);
	if (giving.patience > 0 && giving.is_trusted && is_connected &&
		conn->life != RL_CONN_LIFE_BROKEN) {
		rl_pool_note_failure(pool, conn->target, now); /* the server reads too slowly */
	}
	/* The undo may be an earlier owner's. */
	bool has_undo = conn->undo_left > 0 && conn->life != RL_CONN_LIFE_BROKEN;
	if ((giving.must_arrive || has_undo) && is_connected) {
		rl_pool_let_linger(pool, conn, now);
	} else {
		rl_conn_free(conn);
	}
}

void rl_channel_give_back(rl_channel *channel, rl_pool *pool, rl_giving giving, int64_t now)
{
	rl_conn *conn = rl_channel_hand_over(channel);
	if (conn == NULL) {
		return;
	}
	rl_conn_discard_pending(conn);
	/* Replies that have arrived are discarded now, so that a reply without a command is noticed
	 * here, and not by the next call. */
	rl_conn_event event;
	rl_conn_next(conn, &event);
	bool is_kept = giving.is_trusted && giving.patience > 0 &&
		(giving.may_send_later || rl_conn_retract(conn)) && rl_conn_is_worth_keeping(conn);
	if (is_kept) {
		rl_pool_give_unheard(pool, conn, giving.patience, now);
	} else if (giving.is_trusted && rl_conn_is_reusable(conn)) {
		rl_pool_give(pool, conn, now);
	} else {
		end(conn, pool, giving, now);
	}
}
