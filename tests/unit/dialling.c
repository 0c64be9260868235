/* SPDX-License-Identifier: MIT */
#include "dialling.h"

#include "check.h"

#include <string.h>

rl_conn *conn;
rl_conn_event event;

void want_password(const char *password)
{
	fake_targets[0].password = (rl_secret){(char *) (uintptr_t) password, strlen(password)};
}

void dial(void)
{
	rl_error err;
	conn = rl_conn_dial(&fake_transport, &fake_targets[0], RL_NEVER, &fake_env, &err);
	CHECK(conn != NULL);
}

void dial_used(void)
{
	dial();
	conn->is_nameless = false;
	fake_forget_log();
}

void dial_replicated(void)
{
	fake_begin(1);
	fake_targets[0].replicas = 2;
	fake_targets[0].replicas_ms = 100;
	fake_dials(0, FAKE_ACCEPT_AT_ONCE, 0);
	dial_used();
}

void hang_up(void)
{
	rl_conn_free(conn);
	conn = NULL;
	fake_end();
}

void flush_and_read(void)
{
	fake_transport.flush(conn->link);
	fake_read(conn->link);
}

rl_conn_event_type next(void)
{
	memset(&event, 0xa5, sizeof event);
	rl_conn_next(conn, &event);
	return event.type;
}

void check_reply_to(unsigned tag)
{
	CHECK_INT(next(), RL_CONN_REPLY);
	CHECK_INT(event.tag, tag);
}

uint64_t ask(unsigned tag)
{
	rl_request request = {.verb = RL_VERB_EXISTS, .key = bytes_of("k")};
	return rl_conn_send(conn, &request, tag);
}
