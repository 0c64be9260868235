/* SPDX-License-Identifier: MIT
 *
 * Several clients and several members, on the servers of servers.h. Clients take the lock, with and
 * without a wait, hold it, release it or die with it, at random. Answers are delayed, connections
 * break before and after a command, and members are silent for a while.
 *
 * What must hold: of two grants only one is proven at a time. A proof is not longer than what a
 * quorum has. A call that is refused leaves nothing behind. Where nothing breaks, a waiter gets the
 * lock soon after its release.
 */
#include "check.h"
#include "fake_net.h"
#include "fake_words.h"
#include "servers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A cc with -DROUNDS=100000 looks further. */
#ifndef ROUNDS
# ifdef FULL
#  define ROUNDS 400
# else
#  define ROUNDS 150
# endif
#endif

#define CLIENTS 4
#define TURNS 3 /* of each client, in a round */
#define STEPS_MAX 20000
#define TTL_MAX 5000
#define QUICK_NS (500 * MS)

typedef struct client {
	rl_pool pool;
	rl_op *op; /* NULL = the client does something else until next_at */
	bool is_releasing;
	bool is_waiting;
	int64_t next_at;
	int64_t begun_at; /* when op began */
	unsigned turns;   /* that the client has begun */
	bool is_holding;
	int64_t proven_until;
	char token[RL_TOKEN_LEN + 1];
	rl_wait wait;
} client;

typedef struct how {
	unsigned members;
	bool has_trouble;
	bool has_deaths; /* of holders */
	bool wakes;
} how;

static client clients[CLIENTS];
static how way;
static unsigned number; /* of the round */
static uint32_t random_state;
static unsigned troubles_left;
static int64_t trouble_at;
static int64_t released_at; /* the latest release, or 0 */
static unsigned reached[4]; /* granted, refused, failed, released */

static uint32_t any(uint32_t below)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % below;
}

static int64_t any_ms(uint32_t below)
{
	return any(below) * MS + any(1000) * 1000;
}

/* ---- the network ---- */

static bool serve(const char *words, bool is_taken, fake_plan *plan)
{
	if (!servers_serve(words, is_taken, plan)) {
		return false;
	}
	if (words[0] == 'B') {
		return true;
	}
	plan->delay = any(8) == 0 ? any_ms(60) : any_ms(2);
	if (way.has_trouble && any(50) == 0) { /* the server has run the command */
		plan->what = any(2) == 0 ? FAKE_BREAK : FAKE_SILENCE;
	}
	return true;
}

/* Breaks one member at a time: the member is silent, loses its connections, or refuses or delays
 * the next one. */
static void make_trouble(void)
{
	trouble_at = FAKE_START + fake_ms() * MS + any_ms(400) + MS;
	for (unsigned i = 0; i < way.members; i++) {
		servers[i].is_mute = false;
	}
	if (troubles_left == 0) {
		trouble_at = RL_NEVER;
		return;
	}
	troubles_left--;
	unsigned member = any(way.members);
	switch (any(4)) {
		case 0:
			servers[member].is_mute = true;
			break;
		case 1:
			fake_kill(member);
			break;
		case 2:
			fake_dials(member, FAKE_REFUSE, 0);
			fake_kill(member);
			break;
		default:
			fake_dials(member, FAKE_ACCEPT, any_ms(100));
			fake_kill(member);
			break;
	}
}

/* ---- what must hold ---- */

static const char *name_of(const client *c)
{
	return fake_name_of(rl_bytes_of(c->token, RL_TOKEN_LEN));
}

static void check_granted(const client *c)
{
	unsigned quorum = way.members / 2 + 1;
	unsigned count = 0;
	for (unsigned i = 0; i < CLIENTS; i++) {
		if (&clients[i] != c && clients[i].is_holding && clients[i].proven_until > fake_clock) {
			FAIL("round %u: granted to two at %" PRId64 " ms: %s", number, fake_ms(), fake_log());
		}
	}
	for (unsigned i = 0; i < way.members; i++) {
		count += strcmp(servers_owner(i), name_of(c)) == 0 &&
			servers_ends_at(i, servers_key(i)) >= c->proven_until;
	}
	if (count < quorum || c->proven_until <= fake_clock) {
		FAIL("round %u: %s is proven until %" PRId64 " us, %u have it so long: %s", number,
			name_of(c), (c->proven_until - FAKE_START) / 1000, count, fake_log());
	}
}

/* A client that was not granted the lock, or has released it, has its token on no member. */
static void check_nothing_left(const client *c)
{
	for (unsigned i = 0; i < way.members; i++) {
		if (strcmp(servers_owner(i), name_of(c)) == 0) {
			FAIL("round %u: %s is left behind at %" PRId64 " ms: %s", number, name_of(c), fake_ms(),
				fake_log());
		}
	}
}

/* A client that was waiting when the lock was released does not leave a free lock for long. */
static void check_was_quick(const client *c)
{
	bool has_waited = released_at > 0 && c->begun_at < released_at;
	if (has_waited && fake_clock - released_at > QUICK_NS && !way.has_trouble && !way.has_deaths) {
		FAIL("round %u: free since %" PRId64 " ms, taken at %" PRId64 " ms: %s", number,
			(released_at - FAKE_START) / MS, fake_ms(), fake_log());
	}
}

/* ---- the clients ---- */

/* With a short TTL answers come late, because a member has a tenth of it to answer. */
static int64_t ttl_ms(void)
{
	if (!way.has_deaths || any(2) == 0) {
		return TTL_MAX;
	}
	return way.has_trouble ? 50 + any(600) : 700 + any(500);
}

static void begin_turn(client *c)
{
	bool has_patience = !way.has_trouble && !way.has_deaths;
	c->turns++;
	c->begun_at = fake_clock;
	c->is_waiting = has_patience || any(3) > 0;
	rl_acquire_args args = {.key = bytes_of("k"),
		.ttl_ms = ttl_ms(),
		.wait_ns = !c->is_waiting ? 0
			: has_patience        ? 10 * SECOND
								  : any_ms(1500) + MS};
	c->op = rl_acquire_new(&fake_set, &c->pool, &fake_env, &args);
	c->is_releasing = false;
}

static void begin_release(client *c)
{
	c->is_holding = false;
	if (way.has_deaths && any(4) == 0) {
		c->next_at = fake_clock + any_ms(50); /* the client dies, and another one starts */
		rl_pool_clear(&c->pool);
		return;
	}
	rl_plain_args args = {.verb = RL_VERB_RELEASE,
		.key = bytes_of("k"),
		.token = rl_bytes_of(c->token, RL_TOKEN_LEN),
		.was_held = c->proven_until > fake_clock};
	c->op = rl_plain_new(&fake_set, &c->pool, &fake_env, &args);
	c->is_releasing = true;
}

static void end_op(client *c)
{
	rl_status status = c->op->status;
	bool was_taking = !c->is_releasing;
	if (was_taking) {
		const rl_acquire *acquire = (const rl_acquire *) c->op;
		memcpy(c->token, acquire->token.data, RL_TOKEN_LEN);
		c->proven_until = acquire->proven_until;
	}
	rl_op_free(c->op);
	c->op = NULL;
	c->next_at = fake_clock + any_ms(20);
	reached[0] += was_taking && status == RL_OK;
	reached[1] += was_taking && status == RL_BUSY;
	reached[2] += status != RL_OK && status != RL_BUSY;
	reached[3] += !was_taking && status == RL_OK;
	released_at = was_taking ? released_at : fake_clock;
	if (was_taking && status == RL_OK) {
		check_granted(c);
		check_was_quick(c);
		c->is_holding = true;
		return;
	}
	if (way.has_trouble) {
		return;
	}
	check_nothing_left(c);
	if (status != RL_OK && (status != RL_BUSY || (c->is_waiting && !way.has_deaths))) {
		FAIL("round %u: %s at %" PRId64 " ms: %d: %s", number, was_taking ? "taking" : "releasing",
			fake_ms(), (int) status, fake_log());
	}
}

/* @return true = the client has something to do yet */
static bool step_client(client *c, const rl_tick *tick)
{
	rl_wait_begin(&c->wait);
	while (c->op != NULL || c->next_at <= tick->now) {
		if (c->op == NULL && c->is_holding) {
			begin_release(c);
		} else if (c->op == NULL && c->turns == TURNS) {
			c->next_at = RL_NEVER;
			return false;
		} else if (c->op == NULL) {
			begin_turn(c);
		}
		if (c->op != NULL && !rl_op_step(c->op, tick, &c->wait)) {
			return true;
		}
		if (c->op != NULL) {
			end_op(c);
		}
	}
	rl_wait_begin(&c->wait);
	rl_wait_until(&c->wait, c->next_at);
	return c->next_at != RL_NEVER;
}

/* ---- rounds ---- */

static int64_t next_of(const rl_wait *wait)
{
	int64_t at = wait->until;
	for (unsigned i = 0; i < wait->count; i++) {
		int64_t link_at = fake_next_on(wait->links[i]);
		at = link_at < at ? link_at : at;
	}
	return at;
}

/* @return false = all clients are done */
static bool step_all(void)
{
	rl_tick tick = {.now = fake_clock, .seen = fake_clock};
	bool goes_on = false;
	for (unsigned i = 0; i < CLIENTS; i++) {
		goes_on = step_client(&clients[i], &tick) || goes_on;
	}
	int64_t at = way.has_trouble ? trouble_at : RL_NEVER;
	for (unsigned i = 0; i < CLIENTS; i++) {
		int64_t own = next_of(&clients[i].wait);
		at = own < at ? own : at;
	}
	if (!goes_on) {
		return false;
	}
	fake_clock = at > fake_clock ? at : fake_clock;
	if (way.has_trouble && trouble_at <= fake_clock) {
		make_trouble();
	}
	for (unsigned i = 0; i < CLIENTS; i++) {
		for (unsigned j = 0; j < clients[i].wait.count; j++) {
			fake_read(clients[i].wait.links[j]);
		}
	}
	return true;
}

static void end_round(void)
{
	for (unsigned i = 0; i < CLIENTS; i++) {
		client *c = &clients[i];
		if (c->op != NULL) {
			rl_op_abandon(c->op, fake_clock, true);
			rl_op_free(c->op);
			c->op = NULL;
		}
		if (c->pool.env != NULL) {
			rl_pool_clear(&c->pool);
		}
	}
	fake_end();
}

static void run_round(void)
{
	random_state = number * 2654435761U + 1;
	servers_begin(way.members);
	fake_set.wakes = way.wakes;
	fake_set.backoff.jitter = 0.2;
	fake_improvise = serve;
	for (unsigned i = 0; i < way.members; i++) {
		servers[i].clock_us = any(2000000);
	}
	troubles_left = 6;
	released_at = 0;
	trouble_at = FAKE_START + any_ms(300);
	memset(clients, 0, sizeof clients);
	for (unsigned i = 0; i < CLIENTS; i++) {
		rl_pool_init(&clients[i].pool, &fake_transport, &fake_env);
		clients[i].next_at = FAKE_START + any_ms(30);
	}
	for (unsigned i = 0; step_all(); i++) {
		if (i > STEPS_MAX) {
			FAIL("round %u: no end", number);
		}
	}
	fake_clock += (TTL_MAX + 1) * MS;
	fake_blocked_links();
	if (servers_have_ours()) {
		FAIL("round %u: more than its TTL is left: %s", number, fake_log());
	}
	end_round();
}

static void run_rounds(how which)
{
	memset(reached, 0, sizeof reached);
	for (number = 0; number < ROUNDS; number++) {
		way = which;
		way.members = number % 2 == 0 ? 3 : 5;
		run_round();
	}
	CHECK(reached[0] > ROUNDS * 2);
	CHECK(reached[1] > 0 || (!way.has_trouble && !way.has_deaths));
	CHECK(reached[3] > ROUNDS);
}

static void waiters_in_the_queue_get_the_lock(void)
{
	run_rounds((how){.wakes = true});
}

static void waiters_that_poll_get_the_lock(void)
{
	run_rounds((how){.wakes = false});
}

static void waiters_get_the_lock_after_holders_die(void)
{
	run_rounds((how){.wakes = true, .has_deaths = true});
}

static void the_rules_also_hold_when_members_fail(void)
{
	run_rounds((how){.wakes = true, .has_trouble = true, .has_deaths = true});
	CHECK(reached[2] > 0);
}

static void the_rules_also_hold_when_members_fail_and_waiters_poll(void)
{
	run_rounds((how){.wakes = false, .has_trouble = true, .has_deaths = true});
}

static const check_test tests[] = {
	TEST(waiters_in_the_queue_get_the_lock),
	TEST(waiters_that_poll_get_the_lock),
	TEST(waiters_get_the_lock_after_holders_die),
	TEST(the_rules_also_hold_when_members_fail),
	TEST(the_rules_also_hold_when_members_fail_and_waiters_poll),
};

CHECK_MAIN(tests, end_round)
