/* SPDX-License-Identifier: MIT
 *
 * DESIGN
 *
 * Each Sentinel answers "SENTINEL GET-MASTER-ADDR-BY-NAME service" with an address, or with nil if
 * it does not know the service. If the route has a time of grace, the question is "SENTINEL MASTER
 * service", because address and age must be of one answer. A Sentinel may sleep, or be cut off from
 * the others, so an address counts once a quorum of the Sentinels has named it. The lookup then
 * tells the route the address, and a time before any Sentinel of this quorum was asked. It does not
 * wait for the other Sentinels.
 *
 *     a lookup:      closed --begin--> open --outcome, end, drop--> closed
 *
 *     a Sentinel:    START ------> ASKED ------> NAMED, UNAWARE or FAILED
 *                      ^
 *                      | the others cannot agree, or have not agreed after a share of the time
 *                  BACKED_OFF
 *
 * A Sentinel that fails is not asked again by the same lookup. Only a connection that was idle, and
 * turns out to be closed, is replaced, once.
 *
 * A lookup changes nothing at a Sentinel, so no answer is ever in doubt, and the question is sent
 * with the login.
 *
 * Between two steps:
 * - A closed lookup has no connection. In an open lookup each Sentinel that was asked, and has not
 *   failed, has one.
 * - A lookup is open only until a quorum of the Sentinels names one address, or no Sentinel can
 *   answer any more.
 *
 * Ownership and threads: a lookup belongs to its route, and to the thread of it.
 */
#include "core/conn/rl_lookup.h"

#include "core/base/rl_time.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Backed-off Sentinels are asked after this share of the time, if the others have not agreed. */
#define CALL_UP_SHARE 8

/* Only the first digits of an age are read. If there are more, these are a day at least, which is
 * longer than any time of grace. */
#define AGE_DIGITS 9

static const rl_sentinel *end_of(const rl_lookup *lookup)
{
	return lookup->sentinels + lookup->route->seed_count;
}

/* Borrowed. */
static rl_target *target_of(const rl_lookup *lookup, const rl_sentinel *sentinel)
{
	return lookup->route->seeds[sentinel - lookup->sentinels];
}

/* ---- making and closing ---- */

/* Gives the connection back, if there is one. A question that was not sent is retracted: the next
 * lookup asks anew.
 * @param is_trusted as in rl_giving */
static void give_back(rl_lookup *lookup, rl_sentinel *sentinel, bool is_trusted, int64_t now)
{
	rl_giving giving = {.is_trusted = is_trusted, .unheard_ns = lookup->until - lookup->begun_at};
	rl_channel_give_back(&sentinel->channel, lookup->pool, giving, now);
}

/* A lookup without an outcome counts as failed. */
static void close(rl_lookup *lookup)
{
	lookup->vote = lookup->vote == RL_VOTE_OPEN ? RL_VOTE_FAILED : lookup->vote;
}

/* Closes the lookup, which has failed if it is open, and gives its connections back. */
static void end(rl_lookup *lookup, int64_t now)
{
	for (rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		give_back(lookup, sentinel, true, now);
	}
	lookup->ended_at = now;
	close(lookup);
}

/* Closes the lookup and its connections. Sends nothing, because they may belong to the process that
 * has forked this one. */
static void drop(rl_lookup *lookup)
{
	for (rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		rl_channel_close(&sentinel->channel);
	}
	close(lookup);
}

static void clear(rl_lookup *lookup)
{
	drop(lookup);
	for (rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		free(sentinel->named.host);
		sentinel->named.host = NULL;
	}
}

static void free_guest(rl_route_guest *guest)
{
	clear((rl_lookup *) guest);
	free(guest);
}

static rl_lookup *new_guest(rl_route *route, rl_pool *pool)
{
	rl_lookup *lookup = malloc(sizeof *lookup);
	if (lookup != NULL) {
		*lookup = (rl_lookup){
			.guest = {free_guest}, .route = route, .pool = pool, .vote = RL_VOTE_FAILED};
		route->guest = &lookup->guest;
	}
	return lookup;
}

rl_lookup *rl_lookup_of(rl_route *route, rl_pool *pool)
{
	if (route->guest == NULL) {
		return new_guest(route, pool);
	}
	rl_lookup *lookup = (rl_lookup *) route->guest;
	if (lookup->fork_generation != pool->env->fork_generation(pool->env->ctx)) {
		drop(lookup); /* the connections belong to the parent */
	}
	return lookup;
}

/* ---- beginning ---- */

static void begin(rl_lookup *lookup, int64_t until, int64_t now)
{
	lookup->vote = RL_VOTE_OPEN;
	lookup->begun_at = now;
	lookup->fork_generation = lookup->pool->env->fork_generation(lookup->pool->env->ctx);
	lookup->until = until;
	lookup->call_up_at = now + (until - now) / CALL_UP_SHARE;
	rl_stats_add(&rl_env_stats(lookup->pool->env)->sentinel_lookups, 1);
	for (rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		free(sentinel->named.host);
		bool is_worth_asking =
			rl_pool_is_worth_asking(lookup->pool, target_of(lookup, sentinel), RL_WANT_ANY, now);
		*sentinel =
			(rl_sentinel){.stage = is_worth_asking ? RL_SENTINEL_START : RL_SENTINEL_BACKED_OFF};
	}
}

void rl_lookup_join(rl_lookup *lookup, int64_t until, int64_t now)
{
	if (rl_lookup_is_open(lookup) && now >= lookup->until) {
		end(lookup, now);
	}
	if (!rl_lookup_is_open(lookup)) {
		begin(lookup, until, now);
	}
}

/* ---- asking one Sentinel ---- */

/* The Sentinel has failed with this reason. */
static void fail(rl_lookup *lookup, rl_sentinel *sentinel, const rl_error *err, int64_t now)
{
	sentinel->stage = RL_SENTINEL_FAILED;
	sentinel->status = err->status;
	snprintf(sentinel->reason, sizeof sentinel->reason, "%.*s", RL_LOOKUP_REASON - 1, err->message);
	/* After an error reply the connection is as good as before, unless the login has failed. */
	bool is_answer =
		err->status == RL_ERR_SERVER && sentinel->channel.conn->life != RL_CONN_LIFE_REFUSED;
	give_back(lookup, sentinel, is_answer && !rl_error_is_full(err), now);
}

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

/* ---- its answer ---- */

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
	const rl_secret *password = &target_of(lookup, sentinel)->password;
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
		fail(lookup, sentinel, &err, now);
	}
}

static void on_refused(rl_lookup *lookup, rl_sentinel *sentinel, const rl_reply *reply, int64_t now)
{
	rl_error err;
	read_error(reply, secret_of(lookup, sentinel), &err);
	fail(lookup, sentinel, &err, now);
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
		rl_pool_note_failure(lookup->pool, target_of(lookup, sentinel), now);
	}
	fail(lookup, sentinel, err, now);
}

/* ---- stepping one Sentinel ---- */

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

/* Dials, sends and reads as far as possible without waiting. */
static void step_one(rl_lookup *lookup, rl_sentinel *sentinel, int64_t now)
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

/* Fails a Sentinel to which the connection, or from which the answer, has not come within the
 * time of the lookup. */
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

/* One of the Sentinels that name the most frequent address. */
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

/* How many Sentinels could still name the same address. Backed-off Sentinels are not counted. */
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
	/* A lookup that can still be refused has not failed. */
	bool is_open = hopes >= quorum || unaware + (hopes - alike) > spare;
	return is_open ? RL_VOTE_OPEN : RL_VOTE_FAILED;
}

/* ---- stepping ---- */

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

/* The time since which a quorum has known this address. */
static int64_t known_since(const rl_lookup *lookup, const rl_sentinel *speaker)
{
	int64_t earliest = RL_NEVER;
	for (const rl_sentinel *last = lookup->sentinels; last < end_of(lookup); last++) {
		unsigned by_then = 0;
		for (const rl_sentinel *other = lookup->sentinels; other < end_of(lookup); other++) {
			by_then += names_the_same(other, speaker) && other->known_since <= last->known_since;
		}
		bool is_enough = by_then >= quorum_of(lookup->route);
		earliest = is_enough ? rl_time_earlier(earliest, last->known_since) : earliest;
	}
	return earliest;
}

/* Tells the route which node is the primary. False when out of memory. */
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
	if (rl_route_name(lookup->route, host, address->port, asked_at) == NULL) {
		return false;
	}
	lookup->route->known_since = lookup->route->grace_ns > 0 ? known_since(lookup, speaker) : 0;
	return true;
}

rl_vote rl_lookup_step(rl_lookup *lookup, const rl_tick *tick)
{
	if (!rl_lookup_is_open(lookup)) {
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
		end(lookup, tick->now);
	}
	return lookup->vote;
}

/* ---- waiting ---- */

void rl_lookup_take_in(rl_lookup *lookup)
{
	for (rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		if (sentinel->stage == RL_SENTINEL_ASKED) {
			const rl_conn *conn = sentinel->channel.conn;
			conn->transport->take_in(conn->link);
		}
	}
}

void rl_lookup_add_to_wait(const rl_lookup *lookup, rl_wait *wait)
{
	if (!rl_lookup_is_open(lookup)) {
		return;
	}
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

/* Appends "host:port: reason", cut to the room. */
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
	if (lookup->vote == RL_VOTE_FAILED && outcome(lookup) == RL_VOTE_GRANTED) {
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
