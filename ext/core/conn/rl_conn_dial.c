/* SPDX-License-Identifier: MIT
 *
 * Dials a connection, and queues its handshake.
 */
#include "core/conn/rl_conn.h"

#include <stdlib.h>

#define CLIENT_NAME "redislock"
#define LITERAL(text) rl_bytes_of(text, sizeof text - 1)

static bool append_login(rl_conn *conn, unsigned argc, const rl_bytes *argv)
{
	conn->logins_pending++;
	return rl_conn_append(conn, argc, argv, RL_PENDING_LOGIN, 0) != 0;
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

/* CLIENT SETNAME usually follows the first command, because a server that refuses the connection
 * sends an error without being asked, and closes. That error must count as the answer to the
 * command. */
void rl_conn_send_name(rl_conn *conn)
{
	if (conn->is_nameless) {
		conn->is_nameless = false;
		rl_bytes argv[] = {LITERAL("CLIENT"), LITERAL("SETNAME"), LITERAL(CLIENT_NAME)};
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
	rl_stats_add(&env->stats->connects, 1);
	conn->link = transport->dial(transport, &target->address, until, err);
	if (conn->link == NULL) {
		free(conn);
		return NULL;
	}
	conn->target = rl_target_ref(target);
	conn->connect_end = until;
	conn->is_nameless = true;
	if (!append_auth(conn) || !append_select(conn)) {
		rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
		rl_conn_free(conn);
		return NULL;
	}
	conn->login_end = conn->last_byte;
	return conn;
}
