/* SPDX-License-Identifier: MIT
 *
 * Asks the Sentinels of a member for its primary. The design is in the header.
 */
#include "core/conn/rl_lookup.h"

#include "core/base/rl_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOST_MAX 255

/* ---- life ---- */

void rl_lookup_init(rl_lookup *lookup, rl_route *route, rl_pool *pool)
{
	*lookup = (rl_lookup){.route = rl_route_ref(route), .pool = pool};
}

void rl_lookup_init_alone(
	rl_lookup *lookup, rl_route *route, rl_transport *transport, const rl_env *env)
{
	rl_lookup_init(lookup, route, &lookup->own);
	rl_pool_init(&lookup->own, transport, env);
}

static rl_target *target_of(const rl_lookup *lookup, const rl_sentinel *sentinel)
{
	return lookup->route->seeds[sentinel - lookup->sentinels];
}

static const rl_sentinel *end_of(const rl_lookup *lookup)
{
	return lookup->sentinels + lookup->route->seed_count;
}

void rl_lookup_begin(rl_lookup *lookup, int64_t until, int64_t now)
{
	lookup->is_open = true;
	lookup->vote = RL_VOTE_OPEN;
	lookup->begun_at = now;
	lookup->until = until;
	lookup->call_up_at = now + (until - now) / RL_LOOKUP_CALL_UP_SHARE;
	rl_stats_add(&lookup->pool->env->stats->lookups, 1);
	for (rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		free(sentinel->named.host);
		bool is_worth_asking =
			rl_pool_is_worth_asking(lookup->pool, target_of(lookup, sentinel), RL_WANT_ANY, now);
		*sentinel =
			(rl_sentinel){.stage = is_worth_asking ? RL_SENTINEL_START : RL_SENTINEL_BACKED_OFF};
	}
}

/* The question is retracted if it was not sent: the next lookup asks anew. */
static void give_back(rl_lookup *lookup, rl_sentinel *sentinel, bool is_trusted, int64_t now)
{
	rl_giving giving = {.is_trusted = is_trusted, .patience = lookup->until - lookup->begun_at};
	rl_channel_give_back(&sentinel->channel, lookup->pool, giving, now);
}

void rl_lookup_end(rl_lookup *lookup, int64_t now)
{
	for (rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		give_back(lookup, sentinel, true, now);
	}
	lookup->is_open = false;
}

void rl_lookup_drop(rl_lookup *lookup)
{
	for (rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		rl_channel_close(&sentinel->channel);
	}
	lookup->is_open = false;
}

void rl_lookup_destroy(rl_lookup *lookup)
{
	if (lookup->route == NULL) {
		return;
	}
	rl_lookup_drop(lookup);
	for (rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		free(sentinel->named.host);
		sentinel->named.host = NULL;
	}
	if (lookup->pool == &lookup->own) {
		rl_pool_clear(&lookup->own);
	}
	rl_route_unref(lookup->route);
	lookup->route = NULL;
}

/* ---- counting ---- */

static unsigned count(const rl_lookup *lookup, rl_sentinel_stage stage)
{
	unsigned found = 0;
	for (const rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		found += sentinel->stage == stage;
	}
	return found;
}

static bool names_the_same(const rl_sentinel *a, const rl_sentinel *b)
{
	return a->stage == RL_SENTINEL_NAMED && b->stage == RL_SENTINEL_NAMED &&
		rl_address_equal(&a->named, &b->named);
}

static unsigned count_alike(const rl_lookup *lookup, const rl_sentinel *like)
{
	unsigned alike = 0;
	for (const rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		alike += names_the_same(sentinel, like);
	}
	return alike;
}

/* A Sentinel that names the address that most of them name. */
static const rl_sentinel *most_named(const rl_lookup *lookup)
{
	const rl_sentinel *best = lookup->sentinels;
	for (const rl_sentinel *sentinel = best + 1; sentinel < end_of(lookup); sentinel++) {
		best = count_alike(lookup, sentinel) > count_alike(lookup, best) ? sentinel : best;
	}
	return best;
}

static unsigned quorum_of(const rl_route *route)
{
	return route->sentinel_quorum > 0 ? route->sentinel_quorum : rl_quorum(route->seed_count);
}

/* How many of the Sentinels could still name the same address, the backed-off ones aside. */
static unsigned count_hopes(const rl_lookup *lookup)
{
	return count_alike(lookup, most_named(lookup)) + count(lookup, RL_SENTINEL_START) +
		count(lookup, RL_SENTINEL_ASKED);
}

static rl_vote outcome(const rl_lookup *lookup)
{
	unsigned quorum = quorum_of(lookup->route);
	unsigned spare = lookup->route->seed_count - quorum;
	unsigned alike = count_alike(lookup, most_named(lookup));
	unsigned hopes = count_hopes(lookup) + count(lookup, RL_SENTINEL_BACKED_OFF);
	unsigned unaware = count(lookup, RL_SENTINEL_UNAWARE);
	if (alike >= quorum) {
		return RL_VOTE_GRANTED;
	}
	if (unaware > spare) {
		return RL_VOTE_REFUSED;
	}
	/* As long as it can still become a refusal, it is not a failure. */
	bool is_open = hopes >= quorum || unaware + (hopes - alike) > spare;
	return is_open ? RL_VOTE_OPEN : RL_VOTE_FAILED;
}

/* ---- answers ---- */

static void fail(rl_lookup *lookup, rl_sentinel *sentinel, const rl_error *err, int64_t now)
{
	sentinel->stage = RL_SENTINEL_FAILED;
	sentinel->status = err->status;
	snprintf(sentinel->reason, sizeof sentinel->reason, "%.*s", RL_LOOKUP_REASON - 1, err->message);
	/* After an error reply the connection is as good as before, unless the login has failed. */
	bool is_answer = err->status == RL_ERR_SERVER && !sentinel->channel.conn->is_refused;
	give_back(lookup, sentinel, is_answer && !rl_error_is_full(err), now);
}

/* 0 = the text is no port. */
static uint16_t read_port(rl_bytes text)
{
	unsigned port = 0;
	for (size_t i = 0; i < text.len && port <= UINT16_MAX; i++) {
		bool is_digit = text.data[i] >= '0' && text.data[i] <= '9';
		port = is_digit ? port * 10 + (unsigned) (text.data[i] - '0') : UINT16_MAX + 1;
	}
	return port <= UINT16_MAX ? (uint16_t) port : 0;
}

static bool is_host(rl_bytes text)
{
	bool is_printable = true;
	for (size_t i = 0; i < text.len; i++) {
		is_printable = is_printable && (unsigned char) text.data[i] > ' ';
	}
	return is_printable && text.len > 0 && text.len <= HOST_MAX;
}

/* Reads an array of host and port. */
static rl_status read_address(const rl_reply *reply, rl_address *address, rl_error *err)
{
	bool is_pair = reply->type == RL_REPLY_ARRAY && reply->count == 2 &&
		reply->elements[0].type == RL_REPLY_STRING && reply->elements[1].type == RL_REPLY_STRING;
	uint16_t port = is_pair ? read_port(reply->elements[1].text) : 0;
	if (port == 0 || !is_host(reply->elements[0].text)) {
		return rl_error_set(err, RL_ERR_PROTOCOL, 0, "the answer is no address");
	}
	rl_bytes host = reply->elements[0].text;
	char *copy = malloc(host.len + 1);
	if (copy == NULL) {
		return rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
	}
	memcpy(copy, host.data, host.len);
	copy[host.len] = '\0';
	*address = (rl_address){.kind = RL_NET_TCP, .host = copy, .port = port};
	return RL_OK;
}

static void on_reply(rl_lookup *lookup, rl_sentinel *sentinel, const rl_reply *reply, int64_t now)
{
	rl_error err = {.status = RL_OK};
	if (reply->type == RL_REPLY_ERROR) {
		rl_error_from_server(&err, reply->text, NULL, 0);
	} else if (reply->type == RL_REPLY_NIL) {
		sentinel->stage = RL_SENTINEL_UNAWARE;
	} else if (read_address(reply, &sentinel->named, &err) == RL_OK) {
		sentinel->stage = RL_SENTINEL_NAMED;
	}
	if (err.status != RL_OK) {
		fail(lookup, sentinel, &err, now);
	} else {
		give_back(lookup, sentinel, true, now);
	}
}

static void on_refused(rl_lookup *lookup, rl_sentinel *sentinel, const rl_reply *reply, int64_t now)
{
	const rl_secret *password = &target_of(lookup, sentinel)->password;
	rl_bytes secret = rl_bytes_of(password->data, password->len);
	rl_error err;
	rl_error_from_server(&err, reply->text, &secret, 1);
	fail(lookup, sentinel, &err, now);
}

/* ---- asking ---- */

static void ask(rl_lookup *lookup, rl_sentinel *sentinel, int64_t now)
{
	rl_bytes service = rl_bytes_of(lookup->route->service, strlen(lookup->route->service));
	sentinel->stage = RL_SENTINEL_ASKED;
	if (rl_channel_ask_primary(&sentinel->channel, service)) {
		return;
	}
	rl_error err;
	rl_error_set(&err, RL_ERR_MEMORY, 0, "out of memory");
	fail(lookup, sentinel, &err, now);
}

static void dial(rl_lookup *lookup, rl_sentinel *sentinel, int64_t now)
{
	rl_target *target = target_of(lookup, sentinel);
	rl_error err;
	if (rl_channel_dial(&sentinel->channel, lookup->pool->transport, target, lookup->until,
			lookup->pool->env, &err)) {
		ask(lookup, sentinel, now);
	} else {
		rl_pool_note_failure(lookup->pool, target, now);
		fail(lookup, sentinel, &err, now);
	}
}

static void open(rl_lookup *lookup, rl_sentinel *sentinel, int64_t now)
{
	if (rl_channel_take(&sentinel->channel, lookup->pool, target_of(lookup, sentinel), RL_WANT_ANY,
			lookup->until, now)) {
		ask(lookup, sentinel, now);
	} else {
		dial(lookup, sentinel, now);
	}
}

/* A connection that was idle may have been closed by the Sentinel long ago. */
static void on_down(rl_lookup *lookup, rl_sentinel *sentinel, const rl_error *err, int64_t now)
{
	if (!sentinel->channel.is_fresh && err->status == RL_ERR_CLOSED) {
		rl_stats_add(&lookup->pool->env->stats->reconnects, 1);
		rl_channel_close(&sentinel->channel);
		dial(lookup, sentinel, now);
		return;
	}
	if (!sentinel->channel.conn->has_answered) {
		rl_pool_note_failure(lookup->pool, target_of(lookup, sentinel), now);
	}
	fail(lookup, sentinel, err, now);
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

static void step_one(rl_lookup *lookup, rl_sentinel *sentinel, int64_t now)
{
	if (sentinel->stage == RL_SENTINEL_START) {
		open(lookup, sentinel, now);
	}
	/* Bounded: each round reads an event, and a connection is replaced once. */
	rl_conn_event event = {.type = RL_CONN_READY};
	while (sentinel->stage == RL_SENTINEL_ASKED && event.type != RL_CONN_NONE) {
		rl_channel_flush(&sentinel->channel, now);
		read_next(lookup, sentinel, &event, now);
	}
}

static void step_all(rl_lookup *lookup, int64_t now)
{
	for (rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		step_one(lookup, sentinel, now);
	}
}

/* Asks the Sentinels that are backed off, if the others cannot agree any more, or take long.
 * @return true = there are such Sentinels, and they are asked from now on */
static bool call_up(rl_lookup *lookup, const rl_tick *tick)
{
	bool is_hopeful = count_hopes(lookup) >= quorum_of(lookup->route);
	if (count(lookup, RL_SENTINEL_BACKED_OFF) == 0 || outcome(lookup) != RL_VOTE_OPEN ||
		tick->now >= lookup->until || (is_hopeful && tick->now < lookup->call_up_at)) {
		return false;
	}
	for (rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		bool is_backed_off = sentinel->stage == RL_SENTINEL_BACKED_OFF;
		sentinel->stage = is_backed_off ? RL_SENTINEL_START : sentinel->stage;
	}
	return true;
}

static void time_out(rl_lookup *lookup, rl_sentinel *sentinel, int64_t now)
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
	rl_pool_note_failure(lookup->pool, target_of(lookup, sentinel), now);
	fail(lookup, sentinel, &err, now);
}

/* The time is over: the Sentinels that have not answered have failed. */
static void give_up(rl_lookup *lookup, int64_t now)
{
	rl_error err;
	rl_error_set(&err, RL_ERR_CONNECT, 0, "not asked again so soon after a failure");
	for (rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		if (sentinel->stage == RL_SENTINEL_ASKED) {
			time_out(lookup, sentinel, now);
		} else if (sentinel->stage == RL_SENTINEL_BACKED_OFF) {
			fail(lookup, sentinel, &err, now);
		}
	}
}

/* Tells the route. False when out of memory. */
static bool note_primary(const rl_lookup *lookup)
{
	const rl_sentinel *speaker = most_named(lookup);
	int64_t asked_at = RL_NEVER;
	for (const rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		if (names_the_same(sentinel, speaker)) {
			asked_at = rl_time_earlier(asked_at, sentinel->channel.sent_at);
		}
	}
	const rl_address *address = &speaker->named;
	rl_bytes host = rl_bytes_of(address->host, strlen(address->host));
	return rl_route_name(lookup->route, host, address->port, asked_at) != NULL;
}

rl_vote rl_lookup_step(rl_lookup *lookup, const rl_tick *tick)
{
	if (!lookup->is_open) {
		return lookup->vote;
	}
	do {
		step_all(lookup, tick->now);
	} while (call_up(lookup, tick));
	if (outcome(lookup) == RL_VOTE_OPEN && tick->seen >= lookup->until) {
		give_up(lookup, tick->now);
	}
	lookup->vote = outcome(lookup);
	if (lookup->vote == RL_VOTE_GRANTED && !note_primary(lookup)) {
		lookup->vote = RL_VOTE_FAILED;
	}
	if (lookup->vote != RL_VOTE_OPEN) {
		rl_lookup_end(lookup, tick->now);
	}
	return lookup->vote;
}

void rl_lookup_add_to_wait(const rl_lookup *lookup, rl_wait *wait)
{
	for (const rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		if (sentinel->stage == RL_SENTINEL_ASKED) {
			rl_channel_add_to_wait(&sentinel->channel, wait, lookup->until);
		} else if (sentinel->stage == RL_SENTINEL_BACKED_OFF) {
			rl_wait_until(wait, lookup->call_up_at);
		}
	}
	rl_wait_until(wait, lookup->until);
}

/* ---- explaining ---- */

/* Appends "host:port: reason", in so much room. */
static void append_reason(
	const rl_lookup *lookup, const rl_sentinel *sentinel, size_t room, rl_error *err)
{
	const char *name = target_of(lookup, sentinel)->name;
	const char *scheme_end = strstr(name, "://");
	char text[sizeof err->message];
	int used =
		snprintf(text, sizeof text, "%s: ", scheme_end != NULL ? scheme_end + strlen("://") : name);
	size_t left = used < (int) sizeof text ? sizeof text - (size_t) used : 0;
	char *end = text + sizeof text - left;
	switch (sentinel->stage) {
		case RL_SENTINEL_START:
		case RL_SENTINEL_BACKED_OFF:
		case RL_SENTINEL_ASKED:
			snprintf(end, left, "not waited for");
			break;
		case RL_SENTINEL_NAMED:
			snprintf(
				end, left, "names %s:%u", sentinel->named.host, (unsigned) sentinel->named.port);
			break;
		case RL_SENTINEL_UNAWARE:
			snprintf(end, left, "does not know it");
			break;
		case RL_SENTINEL_FAILED:
			snprintf(end, left, "%s", sentinel->reason);
			break;
	}
	rl_error_append(err, "%.*s", (int) room, text);
}

static bool is_all_tls(const rl_lookup *lookup)
{
	bool is_all = true;
	for (const rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		is_all = is_all && sentinel->stage == RL_SENTINEL_FAILED && sentinel->status == RL_ERR_TLS;
	}
	return is_all;
}

static void append_reasons(const rl_lookup *lookup, rl_error *err)
{
	unsigned left = lookup->route->seed_count;
	for (const rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		size_t room = (sizeof err->message - 1 - strlen(err->message)) / left;
		append_reason(lookup, sentinel, room > 2 ? room - 2 : 0, err);
		rl_error_append(err, --left > 0 ? "; " : "");
	}
}

void rl_lookup_explain(const rl_lookup *lookup, rl_error *err)
{
	const rl_route *route = lookup->route;
	char room[RL_BYTES_TEXT];
	const char *service = rl_bytes_text(rl_bytes_of(route->service, strlen(route->service)), room);
	rl_status status = is_all_tls(lookup) ? RL_ERR_TLS : RL_ERR_CONNECT;
	if (outcome(lookup) == RL_VOTE_GRANTED) {
		rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
		return;
	}
	if (route->sentinel_quorum == 0) {
		rl_error_set(
			err, status, 0, "no majority of the Sentinels names a primary for '%s': ", service);
	} else {
		rl_error_set(err, status, 0,
			"fewer than %u Sentinels name the same primary for '%s': ", route->sentinel_quorum,
			service);
	}
	append_reasons(lookup, err);
}
