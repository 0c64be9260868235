/* SPDX-License-Identifier: MIT
 *
 * The part of one Sentinel in a lookup: its connection, the question, the answer. The design is in
 * rl_lookup.h.
 */
#include "core/conn/rl_lookup.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Only the first digits of an age are read. If there are more, these are a day at least, which is
 * longer than any time of grace. */
#define AGE_DIGITS 9

/* ---- its end ---- */

void rl_sentinel_give_back(rl_lookup *lookup, rl_sentinel *sentinel, bool is_trusted, int64_t now)
{
	rl_giving giving = {.is_trusted = is_trusted, .patience = lookup->until - lookup->begun_at};
	rl_channel_give_back(&sentinel->channel, lookup->pool, giving, now);
}

void rl_sentinel_fail(rl_lookup *lookup, rl_sentinel *sentinel, const rl_error *err, int64_t now)
{
	sentinel->stage = RL_SENTINEL_FAILED;
	sentinel->status = err->status;
	snprintf(sentinel->reason, sizeof sentinel->reason, "%.*s", RL_LOOKUP_REASON - 1, err->message);
	/* After an error reply the connection is as good as before, unless the login has failed. */
	bool is_answer =
		err->status == RL_ERR_SERVER && sentinel->channel.conn->life != RL_CONN_LIFE_REFUSED;
	rl_sentinel_give_back(lookup, sentinel, is_answer && !rl_error_is_full(err), now);
}

/* ---- answers ---- */

/* 0 = the text is no age. */
static int64_t read_age_ms(rl_bytes text)
{
	int64_t age = 0;
	size_t len = text.len < AGE_DIGITS ? text.len : AGE_DIGITS;
	return rl_bytes_read_number(rl_bytes_of(text.data, len), UINT_MAX, &age) ? age : 0;
}

static bool is_text(const rl_reply *reply, const char *text)
{
	return reply->type == RL_REPLY_STRING &&
		rl_bytes_equal(reply->text, rl_bytes_of(text, strlen(text)));
}

/* The value after this name in an array of names and values; empty = there is none. */
static rl_bytes find_value(const rl_reply *reply, const char *name)
{
	for (size_t i = 0; i + 1 < reply->count; i += 2) {
		const rl_reply *value = &reply->elements[i + 1];
		if (is_text(&reply->elements[i], name) && value->type == RL_REPLY_STRING) {
			return value->text;
		}
	}
	return rl_bytes_of(NULL, 0);
}

/* The answer of a Sentinel about the primary. */
typedef struct primary {
	rl_bytes host;
	rl_bytes port;
	int64_t age; /* how long the Sentinel has known the address */
} primary;

/* The answer to GET-MASTER-ADDR-BY-NAME: host and port. */
static primary read_pair(const rl_reply *reply)
{
	bool is_pair = reply->type == RL_REPLY_ARRAY && reply->count == 2 &&
		reply->elements[0].type == RL_REPLY_STRING && reply->elements[1].type == RL_REPLY_STRING;
	return is_pair ? (primary){.host = reply->elements[0].text, .port = reply->elements[1].text}
				   : (primary){.age = 0};
}

/* The answer to MASTER. The reported time begins anew when the Sentinel starts, takes another
 * server for the primary, or hears another role from the primary. If the role is not that of a
 * primary, the address counts only from now on. */
static primary read_fields(const rl_reply *reply)
{
	if (reply->type != RL_REPLY_ARRAY) {
		return (primary){.age = 0};
	}
	rl_bytes role = find_value(reply, "role-reported");
	bool is_primary = rl_bytes_equal(role, rl_bytes_of("master", strlen("master")));
	int64_t age_ms = read_age_ms(find_value(reply, "role-reported-time"));
	return (primary){.host = find_value(reply, "ip"),
		.port = find_value(reply, "port"),
		.age = is_primary ? age_ms * RL_NS_PER_MS : 0};
}

static rl_status read_address(const primary *named, rl_address *address, rl_error *err)
{
	int64_t port = 0;
	if (!rl_is_host(named->host) || !rl_bytes_read_number(named->port, UINT16_MAX, &port) ||
		port == 0) {
		return rl_error_set(err, RL_ERR_PROTOCOL, 0, "the answer is no address");
	}
	rl_bytes host = named->host;
	char *copy = malloc(host.len + 1);
	if (copy == NULL) {
		return rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
	}
	memcpy(copy, host.data, host.len);
	copy[host.len] = '\0';
	*address = (rl_address){.kind = RL_NET_TCP, .host = copy, .port = (uint16_t) port};
	return RL_OK;
}

/* The advice of rl_error_from_server() would be about the password of the servers. */
static void read_error(const rl_reply *reply, rl_bytes secret, rl_error *err)
{
	rl_error_from_server(err, reply->text, &secret, 1);
	if (strcmp(err->code, "NOAUTH") == 0) {
		rl_error_set(err, RL_ERR_SERVER, 0,
			"NOAUTH: the Sentinel wants a password; put it into the DSN as sentinel_password");
	}
}

static rl_bytes secret_of(const rl_lookup *lookup, const rl_sentinel *sentinel)
{
	const rl_secret *password = &rl_sentinel_target(lookup, sentinel)->password;
	return rl_bytes_of(password->data, password->len);
}

/* The Sentinel has computed the age before now, so the clock is read after the answer. */
static void read_primary(
	rl_lookup *lookup, rl_sentinel *sentinel, const rl_reply *reply, rl_error *err)
{
	bool has_grace = lookup->route->grace_ns > 0;
	primary named = has_grace ? read_fields(reply) : read_pair(reply);
	if (read_address(&named, &sentinel->named, err) != RL_OK) {
		return;
	}
	sentinel->stage = RL_SENTINEL_NAMED;
	const rl_env *env = lookup->pool->env;
	sentinel->known_since = has_grace ? env->now(env->ctx) - named.age : 0;
}

/* The answer to MASTER if the service is unknown, where GET-MASTER-ADDR-BY-NAME has nil. */
static bool is_unaware(const rl_reply *reply)
{
	static const char text[] = "ERR No such master";
	return reply->text.len >= sizeof text - 1 &&
		memcmp(reply->text.data, text, sizeof text - 1) == 0;
}

static void on_reply(rl_lookup *lookup, rl_sentinel *sentinel, const rl_reply *reply, int64_t now)
{
	rl_error err = {.status = RL_OK};
	if (reply->type == RL_REPLY_ERROR && is_unaware(reply)) {
		sentinel->stage = RL_SENTINEL_UNAWARE;
	} else if (reply->type == RL_REPLY_ERROR) {
		read_error(reply, secret_of(lookup, sentinel), &err);
	} else if (reply->type == RL_REPLY_NIL) {
		sentinel->stage = RL_SENTINEL_UNAWARE;
	} else {
		read_primary(lookup, sentinel, reply, &err);
	}
	if (err.status != RL_OK) {
		rl_sentinel_fail(lookup, sentinel, &err, now);
	}
}

static void on_refused(rl_lookup *lookup, rl_sentinel *sentinel, const rl_reply *reply, int64_t now)
{
	rl_error err;
	read_error(reply, secret_of(lookup, sentinel), &err);
	rl_sentinel_fail(lookup, sentinel, &err, now);
}

/* ---- asking ---- */

static void ask(rl_lookup *lookup, rl_sentinel *sentinel, int64_t now)
{
	const rl_route *route = lookup->route;
	const char *question = route->grace_ns > 0 ? "MASTER" : "GET-MASTER-ADDR-BY-NAME";
	sentinel->stage = RL_SENTINEL_ASKED;
	if (rl_channel_ask_primary(&sentinel->channel, rl_bytes_of(question, strlen(question)),
			rl_bytes_of(route->service, strlen(route->service)))) {
		return;
	}
	rl_error err;
	rl_error_set(&err, RL_ERR_MEMORY, 0, "out of memory");
	rl_sentinel_fail(lookup, sentinel, &err, now);
}

static void dial(rl_lookup *lookup, rl_sentinel *sentinel, int64_t now)
{
	rl_target *target = rl_sentinel_target(lookup, sentinel);
	rl_error err;
	if (rl_channel_dial(&sentinel->channel, lookup->pool->transport, target, lookup->until,
			lookup->pool->env, &err)) {
		ask(lookup, sentinel, now);
	} else {
		rl_pool_note_failure(lookup->pool, target, now);
		rl_sentinel_fail(lookup, sentinel, &err, now);
	}
}

static void open(rl_lookup *lookup, rl_sentinel *sentinel, int64_t now)
{
	if (rl_channel_take(&sentinel->channel, lookup->pool, rl_sentinel_target(lookup, sentinel),
			RL_WANT_ANY, lookup->until, now)) {
		ask(lookup, sentinel, now);
	} else {
		dial(lookup, sentinel, now);
	}
}

/* A connection that was idle may have been closed by the Sentinel long ago. */
static void on_down(rl_lookup *lookup, rl_sentinel *sentinel, const rl_error *err, int64_t now)
{
	if (!sentinel->channel.is_fresh && err->status == RL_ERR_CLOSED) {
		rl_stats_add(&rl_env_stats(lookup->pool->env)->reconnects, 1);
		rl_channel_close(&sentinel->channel);
		dial(lookup, sentinel, now);
		return;
	}
	if (sentinel->channel.conn->heard == RL_CONN_HEARD_NEVER) {
		rl_pool_note_failure(lookup->pool, rl_sentinel_target(lookup, sentinel), now);
	}
	rl_sentinel_fail(lookup, sentinel, err, now);
}

/* ---- stepping ---- */

static void read_next(rl_lookup *lookup, rl_sentinel *sentinel, rl_conn_event *event, int64_t now)
{
	rl_channel_next(&sentinel->channel, event);
	switch (event->type) {
		case RL_CONN_NONE:
		case RL_CONN_READY:
			break;
		case RL_CONN_REFUSED:
			on_refused(lookup, sentinel, &event->reply, now);
			break;
		case RL_CONN_REPLY:
			on_reply(lookup, sentinel, &event->reply, now);
			break;
		case RL_CONN_DOWN:
			on_down(lookup, sentinel, &event->err, now);
			break;
	}
}

/* The clock is read before the question is written: the time of the question is compared with that
 * of a login, which may have been answered in this step. */
static void flush(const rl_lookup *lookup, rl_sentinel *sentinel)
{
	const rl_env *env = lookup->pool->env;
	rl_channel_flush(&sentinel->channel, env->now(env->ctx));
}

void rl_sentinel_step(rl_lookup *lookup, rl_sentinel *sentinel, int64_t now)
{
	if (sentinel->stage == RL_SENTINEL_START) {
		open(lookup, sentinel, now);
	}
	/* Bounded: each round reads an event, and a connection is replaced once. */
	rl_conn_event event = {.type = RL_CONN_READY};
	while (sentinel->stage == RL_SENTINEL_ASKED && event.type != RL_CONN_NONE) {
		flush(lookup, sentinel);
		read_next(lookup, sentinel, &event, now);
	}
}

void rl_sentinel_time_out(rl_lookup *lookup, rl_sentinel *sentinel, int64_t now)
{
	const rl_channel *channel = &sentinel->channel;
	char limit[RL_SECONDS_TEXT];
	rl_seconds_text(lookup->until - lookup->begun_at, limit);
	rl_error err;
	if (rl_channel_is_connected(channel)) {
		rl_error_set(&err, RL_ERR_TIMEOUT, 0, "no answer within %s s", limit);
	} else {
		rl_error_set(&err, RL_ERR_CONNECT, 0, "no connection within %s s%s", limit,
			channel->conn->transport->hint(channel->conn->link));
	}
	rl_pool_note_failure(lookup->pool, rl_sentinel_target(lookup, sentinel), now);
	rl_sentinel_fail(lookup, sentinel, &err, now);
}
