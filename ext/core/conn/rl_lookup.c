/* SPDX-License-Identifier: MIT
 *
 * Counts which addresses the Sentinels of a member have named. The design is in the header; the
 * part of one Sentinel is in rl_sentinel.c.
 */
#include "core/conn/rl_lookup.h"

#include "core/base/rl_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- life ---- */

void rl_lookup_init(rl_lookup *lookup, rl_route *route, rl_pool *pool)
{
	*lookup = (rl_lookup){.route = rl_route_ref(route), .pool = pool, .vote = RL_VOTE_FAILED};
}

void rl_lookup_init_alone(
	rl_lookup *lookup, rl_route *route, rl_transport *transport, const rl_env *env)
{
	rl_lookup_init(lookup, route, &lookup->own);
	rl_pool_init(&lookup->own, transport, env);
}

static const rl_sentinel *end_of(const rl_lookup *lookup)
{
	return lookup->sentinels + lookup->route->seed_count;
}

void rl_lookup_begin(rl_lookup *lookup, int64_t until, int64_t now)
{
	lookup->vote = RL_VOTE_OPEN;
	lookup->begun_at = now;
	lookup->fork_generation = lookup->pool->env->fork_generation(lookup->pool->env->ctx);
	lookup->until = until;
	lookup->call_up_at = now + (until - now) / RL_LOOKUP_CALL_UP_SHARE;
	rl_stats_add(&rl_env_stats(lookup->pool->env)->sentinel_lookups, 1);
	for (rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		free(sentinel->named.host);
		bool is_worth_asking = rl_pool_is_worth_asking(
			lookup->pool, rl_sentinel_target(lookup, sentinel), RL_WANT_ANY, now);
		*sentinel =
			(rl_sentinel){.stage = is_worth_asking ? RL_SENTINEL_START : RL_SENTINEL_BACKED_OFF};
	}
}

/* A lookup without an outcome counts as failed. */
static void close(rl_lookup *lookup)
{
	lookup->vote = lookup->vote == RL_VOTE_OPEN ? RL_VOTE_FAILED : lookup->vote;
}

void rl_lookup_end(rl_lookup *lookup, int64_t now)
{
	for (rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		rl_sentinel_give_back(lookup, sentinel, true, now);
	}
	lookup->ended_at = now;
	close(lookup);
}

void rl_lookup_drop(rl_lookup *lookup)
{
	for (rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		rl_channel_close(&sentinel->channel);
	}
	close(lookup);
}

void rl_lookup_join(rl_lookup *lookup, int64_t until, int64_t now)
{
	if (rl_lookup_is_open(lookup) && now >= lookup->until) {
		rl_lookup_end(lookup, now);
	}
	if (!rl_lookup_is_open(lookup)) {
		rl_lookup_begin(lookup, until, now);
	}
}

static void clear(rl_lookup *lookup)
{
	rl_lookup_drop(lookup);
	for (rl_sentinel *sentinel = lookup->sentinels; sentinel < end_of(lookup); sentinel++) {
		free(sentinel->named.host);
		sentinel->named.host = NULL;
	}
	if (lookup->pool == &lookup->own) {
		rl_pool_clear(&lookup->own);
	}
}

void rl_lookup_destroy(rl_lookup *lookup)
{
	if (lookup->route != NULL) {
		clear(lookup);
		rl_route_unref(lookup->route);
		lookup->route = NULL;
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
		rl_lookup_drop(lookup); /* the connections belong to the parent */
	}
	return lookup;
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
		rl_sentinel_step(lookup, sentinel, now);
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
			rl_sentinel_time_out(lookup, sentinel, now);
		} else if (sentinel->stage == RL_SENTINEL_BACKED_OFF) {
			rl_sentinel_fail(lookup, sentinel, &err, now);
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
		rl_lookup_end(lookup, tick->now);
	}
	return lookup->vote;
}

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
	const char *name = rl_sentinel_target(lookup, sentinel)->name;
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
