/* SPDX-License-Identifier: MIT
 *
 * Connections: the queue of pending replies, and undos.
 */
#include "core/conn/rl_conn.h"

#include <stdlib.h>

#define LITERAL(text) rl_bytes_of(text, sizeof text - 1)

/* The largest numbers of pending replies with which a connection is kept: if replies are waited
 * for, and if they are not. */
#define PENDING_TO_KEEP 4
#define PENDING_TO_KEEP_UNHEARD 1024

static rl_pending *pending_at(rl_conn *conn, unsigned run)
{
	return &conn->owed[(conn->pending_first + run) % RL_CONN_PENDING_MAX];
}

/* The run that the next reply of this kind belongs to; NULL when there is no room for a new run. */
static rl_pending *pending_run(rl_conn *conn, rl_pending_kind kind, unsigned tag)
{
	if (conn->pending_runs > 0) {
		rl_pending *last = pending_at(conn, conn->pending_runs - 1);
		if (last->kind == kind && last->tag == tag) {
			return last;
		}
	}
	if (conn->pending_runs == RL_CONN_PENDING_MAX) {
		return NULL;
	}
	rl_pending *run = pending_at(conn, conn->pending_runs++);
	*run = (rl_pending){.kind = kind, .tag = tag};
	return run;
}

uint64_t rl_conn_append(
	rl_conn *conn, unsigned argc, const rl_bytes *argv, rl_pending_kind kind, unsigned tag)
{
	rl_pending *run = pending_run(conn, kind, tag);
	uint64_t last_byte = run == NULL ? 0 : conn->transport->append(conn->link, argc, argv);
	if (last_byte != 0) {
		run->count++;
		conn->pending_count++;
		conn->last_byte = last_byte;
	} else if (run != NULL && run->count == 0) {
		conn->pending_runs--;
	}
	return last_byte;
}

void rl_conn_prod(rl_conn *conn)
{
	conn->transport->append(conn->link, 0, NULL);
}

/* Queues the command, after ASKING if the request needs it: ASKING applies to one command only.
 * @return as rl_conn_append() */
static uint64_t append_request(
	rl_conn *conn, const rl_request *request, rl_pending_kind kind, unsigned tag)
{
	rl_command command;
	rl_bytes asking = LITERAL("ASKING");
	if (request->is_asking && rl_conn_append(conn, 1, &asking, RL_PENDING_NOBODY, 0) == 0) {
		return 0;
	}
	rl_command_build(&command, request);
	uint64_t last_byte = rl_conn_append(conn, command.argc, command.argv, kind, tag);
	/* ASKING without its command would apply to the next command, whose key the node must not
	 * serve. */
	if (request->is_asking && last_byte == 0) {
		conn->life = RL_CONN_LIFE_BROKEN;
	}
	return last_byte;
}

uint64_t rl_conn_send(rl_conn *conn, const rl_request *request, unsigned tag)
{
	bool is_confirmed = conn->target->replicas > 0 && rl_verb_is_confirmed(request->verb);
	uint64_t last_byte = append_request(
		conn, request, is_confirmed ? RL_PENDING_CONFIRMED : RL_PENDING_COMMAND, tag);
	if (is_confirmed && last_byte != 0) {
		rl_conn_note_confirmed(conn, request);
	}
	rl_conn_send_name(conn);
	return last_byte;
}

void rl_conn_ask_map(rl_conn *conn, rl_route *route, int64_t now)
{
	rl_bytes argv[] = {LITERAL("CLUSTER"), LITERAL("SLOTS")};
	if (!rl_route_wants_map(route, now)) {
		return;
	}
	if (rl_conn_append(conn, 2, argv, RL_PENDING_MAP, 0) == 0) {
		rl_route_want_map(route);
		return;
	}
	rl_route *before = conn->mapped;
	conn->mapped = rl_route_ref(route);
	rl_route_unref(before);
}

uint64_t rl_conn_ask_primary(rl_conn *conn, rl_bytes question, rl_bytes service)
{
	rl_bytes argv[] = {LITERAL("SENTINEL"), question, service};
	uint64_t last_byte = rl_conn_append(conn, 3, argv, RL_PENDING_COMMAND, 0);
	rl_conn_send_name(conn);
	return last_byte;
}

bool rl_conn_send_blind(rl_conn *conn, const rl_request *request)
{
	return append_request(conn, request, RL_PENDING_NOBODY, 0) != 0;
}

/* @return as rl_conn_undo() */
static bool send_undo(rl_conn *conn, const rl_request *undo)
{
	bool is_queued = rl_conn_send_blind(conn, undo);
	conn->undo_left = conn->pending_count;
	conn->transport->flush(conn->link);
	return is_queued && conn->transport->sent(conn->link) >= conn->last_byte;
}

bool rl_conn_undo(rl_conn *conn, const rl_request *request)
{
	rl_request undo = rl_request_undo(request);
	return send_undo(conn, &undo);
}

bool rl_conn_swap_back(rl_conn *conn, const rl_request *request)
{
	rl_request back = {.verb = RL_VERB_SWAP,
		.key = request->key,
		.token = request->fresh,
		.fresh = request->token,
		.form = RL_FORM_TEXT,
		.is_asking = request->is_asking};
	return send_undo(conn, &back);
}

static void go_down(rl_conn *conn, rl_conn_event *event)
{
	conn->life = RL_CONN_LIFE_BROKEN;
	event->type = RL_CONN_DOWN;
}

/* Takes one pending reply off the queue; RL_CONN_NONE when the reply is discarded. */
static void settle_reply(rl_conn *conn, rl_conn_event *event)
{
	if (conn->pending_count == 0) {
		rl_error_set(&event->err, RL_ERR_PROTOCOL, 0,
			"the server sent a reply that belongs to no command: it is not a Redis server, or "
			"another process uses the same connection");
		if (event->reply.type == RL_REPLY_ERROR) {
			rl_error_from_server(&event->err, event->reply.text, NULL, 0);
		}
		go_down(conn, event);
		return;
	}
	rl_pending owed = conn->owed[conn->pending_first];
	conn->heard = RL_CONN_HEARD_SINCE;
	conn->pending_since = 0;
	conn->pending_count--;
	conn->undo_left -= conn->undo_left > 0;
	conn->own_undo_left -= conn->own_undo_left > 0;
	conn->waits_left -= conn->waits_left > 0;
	if (--conn->owed[conn->pending_first].count == 0) {
		conn->pending_first = (conn->pending_first + 1) % RL_CONN_PENDING_MAX;
		conn->pending_runs--;
	}
	event->type = RL_CONN_NONE;
	switch (owed.kind) {
		case RL_PENDING_LOGIN:
		case RL_PENDING_ROLE:
			event->type = rl_conn_on_login_answered(conn, owed.kind, event);
			break;
		case RL_PENDING_COMMAND:
		case RL_PENDING_CONFIRMED:
			rl_conn_on_command_answered(conn, event, &owed);
			break;
		case RL_PENDING_WAIT:
			rl_held_judge(&conn->held, &event->reply, conn->target->replicas, conn->waited_ms);
			break;
		case RL_PENDING_MAP:
			rl_route_read_map(conn->mapped, &event->reply, conn->target);
			break;
		case RL_PENDING_NAME:
		case RL_PENDING_NOBODY:
			break;
	}
	if (event->type == RL_CONN_DOWN) {
		conn->life = RL_CONN_LIFE_BROKEN;
	}
}

void rl_conn_next(rl_conn *conn, rl_conn_event *event)
{
	event->type = RL_CONN_NONE;
	while (event->type == RL_CONN_NONE) {
		if (!rl_held_is_empty(&conn->held) &&
			rl_held_take(&conn->held, &event->reply, &event->tag)) {
			event->type = RL_CONN_REPLY;
			return;
		}
		switch (conn->transport->receive(conn->link, &event->reply, &event->err)) {
			case RL_LINK_NONE:
				return;
			case RL_LINK_DOWN:
				go_down(conn, event);
				return;
			case RL_LINK_REPLY:
				settle_reply(conn, event);
				break;
		}
	}
}

void rl_conn_discard_pending(rl_conn *conn)
{
	if (!rl_held_is_empty(&conn->held)) {
		rl_held_clear(&conn->held);
	}
	conn->confirm_ms = conn->later_ms = 0;
	unsigned kept = 0; /* neighbouring runs that have become alike are joined */
	for (unsigned i = 0; i < conn->pending_runs; i++) {
		rl_pending owed = *pending_at(conn, i);
		if (owed.kind == RL_PENDING_COMMAND || owed.kind == RL_PENDING_CONFIRMED ||
			owed.kind == RL_PENDING_WAIT) {
			owed.kind = RL_PENDING_NOBODY;
			owed.tag = 0;
		}
		rl_pending *last = kept > 0 ? pending_at(conn, kept - 1) : NULL;
		if (last != NULL && last->kind == owed.kind && last->tag == owed.tag) {
			last->count += owed.count;
		} else {
			*pending_at(conn, kept++) = owed;
		}
	}
	conn->pending_runs = kept;
}

/* Forgets all pending replies except the replies to the login, which are the first runs. */
static void keep_logins(rl_conn *conn)
{
	unsigned kept = 0;
	conn->pending_count = 0;
	for (unsigned i = 0; i < conn->pending_runs; i++) {
		const rl_pending *owed = pending_at(conn, i);
		if (owed->kind == RL_PENDING_LOGIN || owed->kind == RL_PENDING_ROLE) {
			conn->pending_count += owed->count;
			kept++;
		}
	}
	conn->pending_runs = kept;
}

/* The map will not arrive on this connection: another connection asks for it again. */
static void want_map_again(rl_conn *conn)
{
	for (unsigned i = 0; i < conn->pending_runs; i++) {
		if (pending_at(conn, i)->kind == RL_PENDING_MAP) {
			rl_route_want_map(conn->mapped);
		}
	}
}

bool rl_conn_retract(rl_conn *conn)
{
	if (conn->transport->sent(conn->link) >= conn->last_byte) {
		return true;
	}
	if (!conn->transport->retract(conn->link, conn->login_end)) {
		return false;
	}
	conn->last_byte = conn->login_end;
	want_map_again(conn);
	keep_logins(conn);
	conn->is_nameless = true;
	conn->confirm_ms = conn->later_ms = 0;
	conn->waits_left = 0;
	return true;
}

bool rl_conn_catch_up(rl_conn *conn, int64_t now)
{
	rl_conn_event event;
	uint64_t sent = conn->transport->sent(conn->link);
	conn->transport->take_in(conn->link);
	conn->transport->flush(conn->link);
	do {
		rl_conn_next(conn, &event);
	} while (event.type == RL_CONN_READY);
	/* A server cannot answer what it is sent only now: a login, if no operation has waited for the
	 * connection since it was dialled. */
	bool is_sent_now = conn->transport->sent(conn->link) != sent;
	if (conn->pending_count == 0) {
		conn->pending_since = 0;
	} else if (conn->pending_since == 0 || is_sent_now) {
		conn->pending_since = now;
	}
	return event.type == RL_CONN_NONE;
}

bool rl_conn_is_reusable(const rl_conn *conn)
{
	return conn->life == RL_CONN_LIFE_WELL && conn->logins_pending == 0 &&
		conn->pending_count <= PENDING_TO_KEEP &&
		conn->transport->sent(conn->link) >= conn->last_byte;
}

bool rl_conn_is_worth_keeping(const rl_conn *conn)
{
	uint64_t sent = conn->transport->sent(conn->link);
	return conn->life == RL_CONN_LIFE_WELL && conn->pending_count <= PENDING_TO_KEEP_UNHEARD &&
		(sent >= conn->last_byte || conn->last_byte == conn->login_end ||
			!conn->transport->is_connected(conn->link));
}

void rl_conn_end(rl_conn *conn)
{
	if (conn->waits_left == 0) {
		conn->life = RL_CONN_LIFE_ENDED;
		conn->transport->end(conn->link);
	}
}

bool rl_conn_is_over(rl_conn *conn)
{
	if (conn->life == RL_CONN_LIFE_ENDED) {
		return conn->transport->is_over(conn->link);
	}
	rl_conn_event event = {.type = RL_CONN_NONE};
	conn->transport->take_in(conn->link);
	do {
		rl_conn_next(conn, &event);
	} while (event.type == RL_CONN_READY);
	if (event.type == RL_CONN_NONE) {
		rl_conn_end(conn);
	}
	return event.type != RL_CONN_NONE;
}

void rl_conn_free(rl_conn *conn)
{
	if (conn == NULL) {
		return;
	}
	conn->transport->close(conn->link);
	want_map_again(conn);
	rl_held_clear(&conn->held);
	rl_target_unref(conn->target);
	rl_route_unref(conn->mapped);
	free(conn);
}
