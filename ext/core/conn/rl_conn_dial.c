/* SPDX-License-Identifier: MIT
 *
 * Dials a connection, queues its handshake, and reads the answers to its login.
 */
#include "core/conn/rl_conn.h"

#include <stdlib.h>
#include <string.h>

#define CLIENT_NAME "redislock:"
#define LITERAL(text) rl_bytes_of(text, sizeof text - 1)

/* The error of a login to a node that is no primary. */
#define REPLICA_ERROR "READONLY the node is a replica"

/* ---- the handshake ---- */

static bool append(rl_conn *conn, unsigned argc, const rl_bytes *argv, rl_pending_kind kind)
{
	conn->logins_pending++;
	return rl_conn_append(conn, argc, argv, kind, 0) != 0;
}

static bool append_login(rl_conn *conn, unsigned argc, const rl_bytes *argv)
{
	return append(conn, argc, argv, RL_PENDING_LOGIN);
}

static bool append_auth(rl_conn *conn)
{
	const rl_target *target = conn->target;
	if (target->password.data == NULL) {
		return true;
	}
	rl_bytes password = rl_bytes_of(target->password.data, target->password.len);
	if (target->user == NULL) {
		return append_login(conn, 2, (rl_bytes[]){LITERAL("AUTH"), password});
	}
	size_t user_len = 0;
	while (target->user[user_len] != '\0') {
		user_len++;
	}
	rl_bytes user = rl_bytes_of(target->user, user_len);
	return append_login(conn, 3, (rl_bytes[]){LITERAL("AUTH"), user, password});
}

rl_bytes rl_conn_decimal(uint64_t number, char room[16])
{
	char *digit = room + 16;
	do {
		*--digit = (char) ('0' + number % 10);
		number /= 10;
	} while (number > 0);
	return rl_bytes_of(digit, (size_t) (room + 16 - digit));
}

static bool append_select(rl_conn *conn)
{
	if (conn->target->database == 0) {
		return true;
	}
	char digits[16];
	rl_bytes number = rl_conn_decimal(conn->target->database, digits);
	return append_login(conn, 2, (rl_bytes[]){LITERAL("SELECT"), number});
}

/* A replica may accept writes, with replica-read-only no, and lose them. */
static bool append_role(rl_conn *conn)
{
	rl_bytes role = LITERAL("ROLE");
	return !conn->target->must_be_primary || append(conn, 1, &role, RL_PENDING_ROLE);
}

/* CLIENT SETNAME usually follows the first command, because a server that refuses the connection
 * sends an error without being asked, and closes. That error must count as the answer to the
 * command. */
void rl_conn_send_name(rl_conn *conn)
{
	if (conn->is_nameless) {
		conn->is_nameless = false;
		char name[sizeof CLIENT_NAME + RL_LABEL_MAX];
		size_t prefix_len = sizeof CLIENT_NAME - 1;
		const rl_label *label = conn->label;
		memcpy(name, CLIENT_NAME, prefix_len);
		memcpy(name + prefix_len, label->text, label->len);
		rl_bytes full =
			rl_bytes_of(name, label->len > 0 ? prefix_len + label->len : prefix_len - 1);
		rl_bytes argv[] = {LITERAL("CLIENT"), LITERAL("SETNAME"), full};
		/* When out of memory, the connection stays without a name. */
		rl_conn_append(conn, 3, argv, RL_PENDING_NAME, 0);
	}
}

rl_conn *rl_conn_dial(
	rl_transport *transport, rl_target *target, int64_t until, const rl_env *env, rl_error *err)
{
	rl_conn *conn = calloc(1, sizeof *conn);
	if (conn == NULL) {
		rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
		return NULL;
	}
	conn->transport = transport;
	rl_stats_add(&rl_env_stats(env)->connects, 1);
	conn->link = transport->dial(transport, &target->address, until, err);
	if (conn->link == NULL) {
		free(conn);
		return NULL;
	}
	conn->target = rl_target_ref(target);
	conn->connect_end = until;
	conn->is_nameless = true;
	conn->label = rl_label_or(&target->label, env->label);
	if (!append_auth(conn) || !append_select(conn) || !append_role(conn)) {
		rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
		rl_conn_free(conn);
		return NULL;
	}
	conn->login_end = conn->last_byte;
	return conn;
}

/* ---- its answers ---- */

static rl_conn_event_type login_passed(rl_conn *conn)
{
	conn->logins_pending--;
	return conn->logins_pending == 0 ? RL_CONN_READY : RL_CONN_NONE;
}

static rl_conn_event_type login_refused(rl_conn *conn)
{
	if (conn->life != RL_CONN_LIFE_WELL) {
		return RL_CONN_NONE; /* the first error is reported */
	}
	conn->life = RL_CONN_LIFE_REFUSED;
	return RL_CONN_REFUSED;
}

static rl_conn_event_type auth_answered(rl_conn *conn, rl_conn_event *event)
{
	if (event->reply.type == RL_REPLY_ERROR) {
		return login_refused(conn);
	}
	if (event->reply.type != RL_REPLY_STATUS || !rl_bytes_equal(event->reply.text, LITERAL("OK"))) {
		rl_error_set(&event->err, RL_ERR_PROTOCOL, 0,
			"unexpected answer to AUTH or SELECT: is this a Redis server?");
		return RL_CONN_DOWN;
	}
	return login_passed(conn);
}

/* The user may not run ROLE, or the server does not know ROLE: the node counts as a primary. */
static bool is_without_role(const rl_reply *reply)
{
	rl_error err;
	rl_error_from_server(&err, reply->text, NULL, 0);
	return strcmp(err.code, "NOPERM") == 0 || strstr(err.message, "unknown command") != NULL;
}

static rl_conn_event_type role_answered(rl_conn *conn, rl_conn_event *event)
{
	rl_reply *reply = &event->reply;
	if (reply->type == RL_REPLY_ERROR) {
		return is_without_role(reply) ? login_passed(conn) : login_refused(conn);
	}
	rl_bytes role = reply->type == RL_REPLY_ARRAY && reply->count > 0 ? reply->elements[0].text
																	  : rl_bytes_of(NULL, 0);
	if (rl_bytes_equal(role, LITERAL("master"))) {
		return login_passed(conn);
	}
	if (rl_bytes_equal(role, LITERAL("slave")) || rl_bytes_equal(role, LITERAL("replica"))) {
		*reply = (rl_reply){.type = RL_REPLY_ERROR, .text = LITERAL(REPLICA_ERROR)};
		return login_refused(conn);
	}
	rl_error_set(
		&event->err, RL_ERR_PROTOCOL, 0, "unexpected answer to ROLE: is this a Redis server?");
	return RL_CONN_DOWN;
}

rl_conn_event_type rl_conn_on_login_answered(
	rl_conn *conn, rl_pending_kind kind, rl_conn_event *event)
{
	return kind == RL_PENDING_ROLE ? role_answered(conn, event) : auth_answered(conn, event);
}
