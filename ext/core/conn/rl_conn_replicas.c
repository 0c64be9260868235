/* SPDX-License-Identifier: MIT
 *
 * The confirmation of replicas: sends WAIT, and holds replies back until the server has answered
 * WAIT.
 */
#include "core/conn/rl_conn.h"

#define LITERAL(text) rl_bytes_of(text, sizeof text - 1)

/* The replicas may take this share of a TTL to confirm. */
#define CONFIRM_SHARE 20

void rl_conn_note_confirmed(rl_conn *conn, const rl_request *request)
{
	int64_t most = conn->target->replicas_ms;
	int64_t share = request->ttl_ms > 0 ? request->ttl_ms / CONFIRM_SHARE : most;
	int64_t ms = share < most ? share : most;
	ms = ms > 0 ? ms : 1; /* WAIT takes 0 for "without end" */
	if (request->place == RL_PLACE_QUEUED) {
		conn->later_ms = ms;
	} else if (conn->confirm_ms == 0 || ms < conn->confirm_ms) {
		conn->confirm_ms = ms;
	}
}

void rl_conn_ask_replicas(rl_conn *conn)
{
	char digits[2][16];
	if (conn->confirm_ms == 0) {
		return;
	}
	rl_bytes argv[] = {LITERAL("WAIT"),
		rl_conn_decimal((uint64_t) conn->target->replicas, digits[0]),
		rl_conn_decimal((uint64_t) conn->confirm_ms, digits[1])};
	/* When out of memory, the next flush tries again. */
	if (rl_conn_append(conn, 3, argv, RL_PENDING_WAIT, 0) != 0) {
		conn->waits_left = conn->pending_count;
		conn->waited_ms = conn->confirm_ms;
		conn->confirm_ms = 0;
	}
}

bool rl_conn_is_confirming(const rl_conn *conn)
{
	return !rl_held_is_empty(&conn->held) && conn->pending_runs > 0 &&
		conn->owed[conn->pending_first].kind == RL_PENDING_WAIT;
}

void rl_conn_give_up_replicas(rl_conn *conn)
{
	rl_reply nothing = {.type = RL_REPLY_NIL};
	conn->owed[conn->pending_first].kind = RL_PENDING_NOBODY;
	rl_held_judge(&conn->held, &nothing, conn->target->replicas, conn->waited_ms);
}

void rl_conn_on_command_answered(rl_conn *conn, rl_conn_event *event, const rl_pending *owed)
{
	bool needs_replicas = owed->kind == RL_PENDING_CONFIRMED;
	bool is_held =
		!rl_held_is_empty(&conn->held) || (needs_replicas && rl_reply_is_yes(&event->reply));
	if (!is_held) {
		event->type = RL_CONN_REPLY;
		event->tag = owed->tag;
	} else if (!rl_held_add(&conn->held, &event->reply, owed->tag, needs_replicas)) {
		rl_error_set(&event->err, RL_ERR_CLOSED, 0, "out of memory");
		event->type = RL_CONN_DOWN;
	} else if (conn->later_ms != 0) {
		conn->confirm_ms = conn->later_ms;
		conn->later_ms = 0;
		rl_conn_ask_replicas(conn);
		conn->transport->flush(conn->link);
	}
}
