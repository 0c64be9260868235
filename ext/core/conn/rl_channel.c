/* SPDX-License-Identifier: MIT
 *
 * Channels and lines. The design is in the header.
 */
#include "core/conn/rl_channel.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 16

/* ---- lines ---- */

/* The latest line to the target; NULL = none. */
static rl_line *find_line(const rl_lines *lines, const rl_target *target)
{
	rl_line *latest = NULL;
	for (rl_line *line = lines->first; line != NULL; line = line->next) {
		latest = rl_target_equal(line->target, target) ? line : latest;
	}
	return latest;
}

/* NULL when out of memory. */
static rl_line *add_line(rl_lines *lines, rl_target *target, rl_conn *conn)
{
	rl_line *line = calloc(1, sizeof *line);
	if (line == NULL) {
		return NULL;
	}
	line->conn = conn;
	line->target = rl_target_ref(target);
	line->first_asked = line->next_asked = 1;
	line->users_end = &line->users;
	line->giving = (rl_giving){.is_trusted = true, .may_send_later = true, .must_arrive = true};
	rl_line **end = &lines->first;
	while (*end != NULL) {
		end = &(*end)->next;
	}
	*end = line;
	return line;
}

/* The server cannot be reached: no channel dials it again. */
static void note_dead(rl_channel *channel, rl_target *target, const rl_error *err)
{
	channel->line = add_line(channel->lines, target, NULL);
	if (channel->line != NULL) {
		channel->line->err = *err;
	}
}

static void use_line(rl_channel *channel, rl_line *line)
{
	channel->conn = line->conn;
	channel->line = line;
	channel->next_user = NULL;
	channel->user_link = line->users_end;
	*line->users_end = channel;
	line->users_end = &channel->next_user;
	channel->asked = 0;
	channel->knows_login = channel->conn->logins_pending == 0;
}

/* The connection that was taken or dialled becomes a line. False when out of memory. */
static bool make_line(rl_channel *channel)
{
	rl_line *line = add_line(channel->lines, channel->conn->target, channel->conn);
	if (line != NULL) {
		line->is_connecting = !rl_channel_is_connected(channel);
		use_line(channel, line);
	}
	return line != NULL;
}

/* False = no line to the target takes the channel. */
static bool join(rl_channel *channel, const rl_target *target)
{
	rl_line *line = find_line(channel->lines, target);
	if (line == NULL || line->conn == NULL || line->is_retired) {
		return false;
	}
	use_line(channel, line);
	return true;
}

static rl_channel **asked_at(const rl_line *line, uint64_t number)
{
	return &line->asked[number & (line->room - 1)];
}

/* Makes room for one more command. False when out of memory. */
static bool reserve_asked(rl_line *line)
{
	if (line->next_asked - line->first_asked < line->room) {
		return true;
	}
	size_t room = line->room == 0 ? FIRST_ROOM : 2 * line->room;
	rl_channel **grown = malloc(room * sizeof(rl_channel *));
	if (grown == NULL) {
		return false;
	}
	for (uint64_t i = line->first_asked; i < line->next_asked; i++) {
		grown[i & (room - 1)] = *asked_at(line, i);
	}
	free(line->asked);
	line->asked = grown;
	line->room = room;
	return true;
}

void rl_channel_mute(rl_channel *channel)
{
	rl_line *line = channel->line;
	if (line == NULL || channel->conn == NULL) { /* a line that was left may be gone */
		return;
	}
	if (channel->asked != 0) {
		*asked_at(line, channel->asked) = NULL;
		channel->asked = 0;
	}
	line->turn = line->turn == channel ? NULL : line->turn;
}

bool rl_channel_blame(rl_channel *channel, const rl_error *err)
{
	rl_line *line = channel->line;
	if (line == NULL) {
		return true;
	}
	bool is_first = !line->is_blamed;
	line->is_blamed = true;
	if (is_first && line->err.status == RL_OK) {
		line->err = *err;
	}
	channel->line = channel->conn != NULL ? line : NULL;
	return is_first;
}

bool rl_channel_note_replaced(rl_channel *channel)
{
	rl_line *line = channel->line;
	if (line == NULL) {
		return true;
	}
	bool is_first = !line->is_replaced;
	line->is_replaced = true;
	return is_first;
}

bool rl_channel_is_retired(const rl_channel *channel)
{
	return channel->line != NULL && channel->line->is_retired;
}

/* Takes the channel off its line. */
static void leave_line(rl_channel *channel, bool is_trusted)
{
	rl_line *line = channel->line;
	rl_channel_mute(channel);
	line->untold = line->untold == channel ? channel->next_user : line->untold;
	*channel->user_link = channel->next_user;
	if (channel->next_user != NULL) {
		channel->next_user->user_link = channel->user_link;
	} else {
		line->users_end = channel->user_link;
	}
	line->is_retired |= !is_trusted;
	line->giving.is_trusted &= is_trusted;
	channel->conn = NULL;
	channel->line = NULL;
}

/* The end of the login, once for each channel. False = the channel knows it, or it is not over. */
static bool tell_login(rl_channel *channel, rl_conn_event *event)
{
	const rl_line *line = channel->line;
	if (channel->knows_login || (line->refusal == NULL && line->conn->logins_pending > 0)) {
		return false;
	}
	channel->knows_login = true;
	event->type = RL_CONN_READY;
	if (line->refusal != NULL) {
		event->type = RL_CONN_REFUSED;
		event->reply = (rl_reply){
			.type = RL_REPLY_ERROR, .text = rl_bytes_of(line->refusal, strlen(line->refusal))};
	}
	return true;
}

/* Keeps the error of the login for all channels. False = out of memory: the line is broken. */
static bool keep_refusal(rl_line *line, const rl_reply *reply)
{
	line->is_retired = true;
	line->refusal = malloc(reply->text.len + 1);
	if (line->refusal == NULL) {
		rl_error_set(&line->err, RL_ERR_MEMORY, 0, "out of memory");
		return false;
	}
	memcpy(line->refusal, reply->text.data, reply->text.len);
	line->refusal[reply->text.len] = '\0';
	return true;
}

/* Reads one event. False = there is none for now. */
static bool read_line(rl_line *line)
{
	rl_conn_event *event = &line->event;
	rl_conn_next(line->conn, event);
	switch (event->type) {
		case RL_CONN_NONE:
			return false;
		case RL_CONN_READY: /* each channel sees it in the connection */
			line->untold = line->users;
			break;
		case RL_CONN_REPLY:
			line->turn = *asked_at(line, line->first_asked++);
			if (line->turn != NULL) {
				line->turn->asked = 0;
			}
			break;
		case RL_CONN_REFUSED:
			line->untold = line->users;
			if (!keep_refusal(line, &event->reply)) {
				line->conn->life = RL_CONN_LIFE_BROKEN;
			}
			break;
		case RL_CONN_DOWN:
			line->untold = line->users;
			line->is_retired = true;
			line->err = event->err;
			break;
	}
	return true;
}

/* The next event of the line, if it concerns the channel. */
static void next_of_line(rl_channel *channel, rl_conn_event *event)
{
	rl_line *line = channel->line;
	event->type = RL_CONN_NONE;
	do {
		if (tell_login(channel, event)) {
			return;
		}
		if (line->turn == channel) {
			line->turn = NULL;
			*event = line->event;
			return;
		}
		if (line->turn == NULL && line->conn->life == RL_CONN_LIFE_BROKEN) {
			event->type = RL_CONN_DOWN;
			event->err = line->err;
			return;
		}
	} while (line->turn == NULL && read_line(line));
}

void rl_lines_flush(rl_lines *lines)
{
	for (rl_line *line = lines->first; line != NULL; line = line->next) {
		if (line->conn != NULL) {
			rl_conn_ask_replicas(line->conn);
			line->conn->transport->flush(line->conn->link);
		}
	}
}

bool rl_lines_have_turn(const rl_lines *lines)
{
	bool has_turn = false;
	for (const rl_line *line = lines->first; line != NULL; line = line->next) {
		has_turn = has_turn || line->turn != NULL;
	}
	return has_turn;
}

/* The channels must see that the connection is established, or that only the replicas are waited
 * for. */
static void note_progress(rl_line *line)
{
	rl_conn *conn = line->conn;
	bool is_established = line->is_connecting && conn->transport->is_connected(conn->link);
	bool is_confirming = !rl_held_is_empty(&conn->held) && rl_conn_is_confirming(conn);
	if (is_established || (is_confirming && !line->is_confirming)) {
		line->untold = line->users;
	}
	line->is_connecting = line->is_connecting && !is_established;
	line->is_confirming = is_confirming;
}

/* The next channel of the line that must be stepped; NULL = none. Reads nothing. */
static rl_channel *take_next(rl_line *line)
{
	note_progress(line);
	rl_channel *next = line->turn != NULL ? line->turn : line->untold;
	if (next != NULL) {
		line->untold = next == line->untold ? next->next_user : line->untold;
	}
	return next;
}

rl_channel *rl_lines_next(rl_lines *lines)
{
	rl_channel *next = NULL;
	for (rl_line *line = lines->first; line != NULL && next == NULL; line = line->next) {
		bool may_read = line->conn != NULL;
		while (may_read && next == NULL) {
			next = take_next(line);
			may_read = next == NULL && line->conn->life != RL_CONN_LIFE_BROKEN && read_line(line);
		}
		next = next == NULL && line->conn != NULL ? take_next(line) : next;
	}
	return next;
}

rl_conn *rl_lines_conn(const rl_lines *lines, const rl_target *target)
{
	const rl_line *line = find_line(lines, target);
	return line != NULL && !line->is_retired ? line->conn : NULL;
}

rl_link *rl_lines_next_link(const rl_lines *lines, const rl_line **cursor)
{
	const rl_line *line = *cursor == NULL ? lines->first : (*cursor)->next;
	/* A broken connection has told all its users, and brings nothing more. */
	while (line != NULL && (line->conn == NULL || line->conn->life == RL_CONN_LIFE_BROKEN)) {
		line = line->next;
	}
	*cursor = line;
	return line != NULL ? line->conn->link : NULL;
}

/* The line must have no connection any more. */
static void free_first(rl_line **slot)
{
	rl_line *line = *slot;
	*slot = line->next;
	rl_target_unref(line->target);
	free(line->asked);
	free(line->refusal);
	free(line);
}

static void give_line(rl_line *line, rl_pool *pool, int64_t now)
{
	rl_channel alone = {.conn = line->conn};
	/* A reply is overdue, unless the members of a set are not waited for. */
	line->giving.is_trusted &=
		line->giving.unheard_ns > 0 || line->conn == NULL || line->conn->pending_count == 0;
	rl_channel_give_back(&alone, pool, line->giving, now);
}

/* A reply that is not wanted any more is still to come. */
static bool must_read_on(const rl_line *line)
{
	return line->conn != NULL && !line->is_retired && line->conn->pending_count > 0;
}

void rl_lines_give_idle(rl_lines *lines, rl_pool *pool, int64_t now)
{
	for (rl_line **slot = &lines->first; *slot != NULL;) {
		if ((*slot)->users == NULL && !must_read_on(*slot)) {
			give_line(*slot, pool, now);
			free_first(slot);
		} else {
			slot = &(*slot)->next;
		}
	}
}

void rl_lines_end(rl_lines *lines, rl_pool *pool, int64_t now)
{
	rl_lines_flush(lines);
	while (lines->first != NULL) {
		give_line(lines->first, pool, now);
		free_first(&lines->first);
	}
}

void rl_lines_drop(rl_lines *lines)
{
	while (lines->first != NULL) {
		rl_conn_free(lines->first->conn);
		free_first(&lines->first);
	}
}

/* ---- opening ---- */

bool rl_channel_take(rl_channel *channel, rl_pool *pool, const rl_target *target, rl_pool_want want,
	int64_t connect_end, int64_t now)
{
	channel->line = NULL;
	bool has_joined = channel->lines != NULL && target != NULL && join(channel, target);
	if (!has_joined) {
		channel->conn = target != NULL ? rl_pool_take(pool, target, want, now) : NULL;
	}
	channel->is_fresh = false;
	channel->command_end = 0;
	channel->confirm_end = 0;
	if (channel->conn == NULL) {
		return false;
	}
	if (channel->lines != NULL && !has_joined && !make_line(channel)) {
		rl_pool_give(pool, channel->conn, now);
		channel->conn = NULL;
		return false;
	}
	channel->is_connecting = !rl_channel_is_connected(channel);
	channel->connect_end = connect_end;
	return true;
}

/* True when no new connection to the target may be dialled; *err says why. Either the lines are
 * closing, or the line to the target is dead: it could not be dialled, or it failed before its
 * server was heard, which does not count if the lines are lasting. Another attempt would fail as
 * well, so the channel is put on the dead line. */
static bool must_not_dial(rl_channel *channel, const rl_target *target, rl_error *err)
{
	rl_line *line = find_line(channel->lines, target);
	bool is_dead = line != NULL && line->err.status != RL_OK &&
		(line->conn == NULL ||
			(!channel->lines->are_lasting && line->conn->heard == RL_CONN_HEARD_NEVER));
	if (is_dead) {
		channel->line = line;
		*err = line->err;
	} else if (channel->lines->is_closing) {
		rl_error_set(err, RL_ERR_TIMEOUT, 0, "no time is left to connect");
	}
	return is_dead || channel->lines->is_closing;
}

bool rl_channel_dial(rl_channel *channel, rl_transport *transport, rl_target *target,
	int64_t connect_end, const rl_env *env, rl_error *err)
{
	channel->line = NULL;
	if (channel->lines != NULL && must_not_dial(channel, target, err)) {
		return false;
	}
	channel->conn = rl_conn_dial(transport, target, connect_end, env, err);
	channel->is_fresh = true;
	channel->is_connecting = true;
	channel->connect_end = connect_end;
	channel->command_end = 0;
	channel->confirm_end = 0;
	if (channel->lines != NULL && channel->conn != NULL && !make_line(channel)) {
		rl_conn_free(channel->conn);
		channel->conn = NULL;
		rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
	} else if (channel->lines != NULL && channel->conn == NULL) {
		note_dead(channel, target, err);
	}
	return channel->conn != NULL;
}

/* ---- sending ---- */

bool rl_channel_send(rl_channel *channel, const rl_request *request, unsigned tag)
{
	rl_line *line = channel->line;
	if (line != NULL && !reserve_asked(line)) {
		return false;
	}
	channel->command_end = rl_conn_send(channel->conn, request, tag);
	if (line != NULL && channel->command_end != 0) {
		channel->asked = line->next_asked++;
		*asked_at(line, channel->asked) = channel;
	}
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
	/* Noted before the bytes are written: a proof that begins later would last too long. The bytes
	 * of a line may be written at any moment. */
	bool is_alone = channel->line == NULL;
	if (channel->sent_at == 0 && channel->command_end != 0 && (is_connected || !is_alone)) {
		channel->sent_at = now;
	}
	if (is_alone) {
		rl_conn_ask_replicas(channel->conn);
		channel->conn->transport->flush(channel->conn->link);
	}
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
	if (channel->line == NULL) {
		rl_conn_next(channel->conn, event);
	} else {
		next_of_line(channel, event);
	}
}

/* ---- closing ---- */

void rl_channel_close(rl_channel *channel)
{
	if (channel->conn != NULL && channel->line != NULL) {
		leave_line(channel, false);
	}
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
	if (giving.unheard_ns > 0 && giving.is_trusted && is_connected &&
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
	if (channel->conn != NULL && channel->line != NULL) {
		rl_giving *all = &channel->line->giving;
		all->unheard_ns = giving.unheard_ns > all->unheard_ns ? giving.unheard_ns : all->unheard_ns;
		all->may_send_later &= giving.may_send_later || rl_channel_is_handed_over(channel);
		leave_line(channel, giving.is_trusted);
	}
	rl_conn *conn = rl_channel_hand_over(channel);
	if (conn == NULL) {
		return;
	}
	rl_conn_discard_pending(conn);
	/* Replies that have arrived are discarded now, so that a reply without a command is noticed
	 * here, and not by the next call. */
	rl_conn_event event;
	rl_conn_next(conn, &event);
	if (giving.may_send_later) {
		rl_conn_keep(conn);
	}
	bool is_kept = giving.is_trusted && giving.unheard_ns > 0 && rl_conn_retract(conn) &&
		rl_conn_is_worth_keeping(conn);
	if (is_kept) {
		rl_pool_give_unheard(pool, conn, giving.unheard_ns, now);
	} else if (giving.is_trusted && rl_conn_is_reusable(conn)) {
		rl_pool_give(pool, conn, now);
	} else {
		end(conn, pool, giving, now);
	}
}
