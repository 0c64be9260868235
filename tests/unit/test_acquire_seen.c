/* SPDX-License-Identifier: MIT
 *
 * The holder that a wait has seen last, as messages show it; labels in tokens and in the names of
 * connections.
 */
#include "check.h"
#include "waiting.h"

#include <string.h>

static const char *held(const rl_acquire *acquire)
{
	static char room[RL_HOLDER_TEXT];
	return rl_acquire_held_text(acquire, fake_clock, room);
}

/* A wait that has seen this answer to its probe. */
static rl_acquire *seen(const char *answer)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, answer);
	rl_acquire *acquire = fake_acquire(30000, 100 * SECOND);
	waiting_drive_to(acquire, 100);
	return acquire;
}

static void a_call_without_a_wait_has_seen_no_holder(void)
{
	waiting_begin();
	fake_says(0, "_");
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_TEXT(held(acquire), "");
}

static void a_label_names_the_holder(void)
{
	rl_acquire *acquire = seen("*:1000000000 :27350 $web-3:8812 :0 :1");
	CHECK_TEXT(held(acquire), "held by web-3:8812 for up to 27.3 s more");
	char room[RL_HOLDER_TEXT];
	CHECK_TEXT(rl_acquire_holder_text(acquire, room), "held by web-3:8812");
}

static void a_holder_without_a_label_has_no_name(void)
{
	CHECK_TEXT(held(seen("*:1000000000 :27300 :3 :0 :1")),
		"held by a client without a label for up to 27.2 s more");
	fake_end();
	CHECK_TEXT(
		held(seen("*:1000000000 :-1 :4 :0 :1")), "held by a client without a label, without a TTL");
}

static void the_holders_time_goes_on_between_looks(void)
{
	rl_acquire *acquire = seen("*:1000000000 :400 $a :0 :1");
	CHECK_TEXT(held(acquire), "held by a for up to 0.3 s more");
	fake_clock += 299 * MS;
	CHECK_TEXT(held(acquire), "held by a for up to 0.001 s more");
	fake_clock += 2 * MS;
	CHECK_TEXT(held(acquire), "held by a for up to 0 s more");
}

/* In nanoseconds the longest TTL of a key does not fit into 64 bits. */
static void the_longest_ttl_of_a_key_can_be_shown(void)
{
	CHECK_TEXT(held(seen("*:1000000000 :9223372036854775807 :4 :0 :1")),
		"held by a client without a label for up to 4611686018.4 s more");
}

/* The last holder stays the last one while the lock is reserved or free. */
static void a_reservation_is_no_holder(void)
{
	rl_acquire *acquire = seen("*:1000000000 :600000 $a :0 :1");
	fake_says(0, look(850, 5, RL_HOLDER_RESERVED, RL_TICKET_NONE));
	waiting_drive_to(acquire, 900);
	CHECK_HAS(held(acquire), "held by a ");
	fake_says(0, "*:1000950000 :600000 $b :0 :1");
	waiting_drive_to(acquire, 1000);
	CHECK_HAS(held(acquire), "held by b ");
	fake_says(0, "*:1001850000 :600000 :3 :0 :1");
	waiting_drive_to(acquire, 1900);
	CHECK_HAS(held(acquire), "held by a client without a label ");
}

static void the_last_try_names_the_holder(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, "*:1000000000 :600000 $a :0 :1");
	fake_says(0, "*:0 :1000500000 :600000 $b :1");
	rl_acquire *acquire = fake_acquire(30000, 500 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_TEXT(held(acquire), "held by b for up to 600 s more");
}

/* ---- our own label ---- */

static void set_label(rl_label *label, const char *text)
{
	rl_label_set(label, bytes_of(text));
}

static void tokens_have_the_label_of_the_set(void)
{
	waiting_begin();
	set_label(&fake_set.label, "shop-1");
	fake_says(0, "+OK");
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(acquire->token.len, 35);
	CHECK(memcmp(acquire->token.data + 28, "@shop-1", 7) == 0);
	CHECK(rl_token_is_drawn(acquire->token));
	fake_says(0, ":1");
	rl_op *op = fake_take_over("a-rather-long-given-token", 1000);
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_COUNT("SET k T1@shop-1 NX PX 30000\n", 1);
	CHECK_COUNT("swap k a-rather-long-given-token T2@shop-1 1000\n", 1);
	CHECK_INT(op->call.terms.request.fresh.len, 35);
	CHECK(memcmp(op->call.terms.request.fresh.data + 28, "@shop-1", 7) == 0);
	CHECK(rl_bytes_equal(op->call.terms.request.token, bytes_of("a-rather-long-given-token")));
}

static void a_set_without_a_label_has_that_of_the_process(void)
{
	static rl_label label;
	waiting_begin();
	set_label(&label, "host:1");
	fake_env.label = &label;
	rl_acquire *acquire = fake_acquire(30000, 0);
	fake_env.label = NULL;
	CHECK_INT(acquire->token.len, 35);
	CHECK(memcmp(acquire->token.data + 28, "@host:1", 7) == 0);
}

/* A token that is drawn anew keeps the label. */
static void a_second_token_has_the_label_too(void)
{
	waiting_begin();
	set_label(&fake_set.label, "shop-1");
	fake_acts(0, FAKE_SAY_BREAK, "_", 0);
	rl_acquire *acquire = fake_acquire(30000, 0);
	char first[35];
	memcpy(first, acquire->token.data, sizeof first);
	CHECK_INT(rl_token_draw(&fake_env, acquire->drawn), RL_OK);
	CHECK(memcmp(first, acquire->token.data, 28) != 0);
	CHECK(memcmp(first + 28, acquire->token.data + 28, 7) == 0);
}

static void connections_are_named_by_the_label(void)
{
	static rl_label label;
	fake_begin(1);
	fake_says(0, "+OK");
	set_label(&fake_targets[0].label, "shop-1");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK);
	CHECK_COUNT("CLIENT SETNAME redislock:shop-1\n", 1);
	rl_pool_clear(&fake_pool);
	fake_targets[0].label.len = 0;
	set_label(&label, "host:1");
	fake_env.label = &label;
	fake_says(0, "_");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
	fake_env.label = NULL;
	CHECK_COUNT("CLIENT SETNAME redislock:host:1\n", 1);
}

static const check_test tests[] = {
	TEST(a_call_without_a_wait_has_seen_no_holder),
	TEST(a_label_names_the_holder),
	TEST(a_holder_without_a_label_has_no_name),
	TEST(the_holders_time_goes_on_between_looks),
	TEST(the_longest_ttl_of_a_key_can_be_shown),
	TEST(a_reservation_is_no_holder),
	TEST(the_last_try_names_the_holder),
	TEST(tokens_have_the_label_of_the_set),
	TEST(a_set_without_a_label_has_that_of_the_process),
	TEST(a_second_token_has_the_label_too),
	TEST(connections_are_named_by_the_label),
};

CHECK_MAIN(tests, fake_end)
