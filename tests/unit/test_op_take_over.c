/* SPDX-License-Identifier: MIT
 *
 * Taking a lock over: a fresh token takes the place of the given one, for one of the clients that
 * have it. A swap that comes to nothing is swapped back.
 */
#include "check.h"
#include "servers.h"

#include <string.h>

#define A 0
#define B 1
#define C 2
#define LONG 600000

static void begin_warm(unsigned members)
{
	fake_begin(members);
	for (unsigned i = 0; i < members; i++) {
		fake_warm(i);
	}
}

static int64_t sent_at(const rl_op *op)
{
	return (rl_quorum_call_sent_at(&op->call) - FAKE_START) / MS;
}

/* ---- one server ---- */

static void a_take_over_is_one_swap_to_a_fresh_token(void)
{
	begin_warm(1);
	fake_says(0, ":1");
	rl_op *op = fake_take_over("given", 7000);
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_LOG("0 a1 swap k given T1 7000\n");
	CHECK(rl_token_is_drawn(op->call.terms.request.fresh));
	CHECK(!fake_leaves_something(op));
	CHECK_INT(fake_stats.acquired, 1);
	CHECK_INT(fake_pool.count, 1);
}

static void a_second_take_over_is_refused(void)
{
	servers_begin(1);
	servers_take(0, "given", LONG);
	rl_op *first = fake_take_over("given", 7000);
	rl_op *second = fake_take_over("given", 7000);
	CHECK_INT(fake_drive(first), RL_OK);
	CHECK_INT(fake_drive(second), RL_BUSY);
	CHECK_TEXT(servers_owner(0), "T1");
	CHECK_INT(servers_pttl(0), 7000);
	CHECK_INT(fake_stats.refused, 1);
	CHECK_COUNT("SWAP", 0); /* no swap back is needed */
	CHECK(!fake_leaves_something(second));
}

static void a_take_over_waits_for_the_login(void)
{
	fake_begin(1);
	fake_targets[0].database = 2;
	fake_dials(0, FAKE_ACCEPT, 5 * MS);
	fake_says(0, ":1");
	CHECK_INT(fake_drive(fake_take_over("given", 7000)), RL_OK);
	CHECK_LOG("0 a1 dial\n5 a1 SELECT 2\n5 a1 swap k given T1 7000\n5 a1 NAME\n");
}

/* Whichever answer the second swap gets, it has set the whole TTL. */
static void a_lost_answer_is_asked_for_again(void)
{
	static const char *const answers[] = {":1", ":2"};
	for (unsigned i = 0; i < 2; i++) {
		begin_warm(1);
		fake_acts(0, FAKE_BREAK, NULL, 300 * MS);
		fake_acts(0, FAKE_SAY, answers[i], 10 * MS);
		rl_op *op = fake_take_over("given", 7000);
		CHECK_INT(fake_drive(op), RL_OK);
		CHECK_COUNT("swap k given T1 7000\n", 2);
		CHECK_INT(sent_at(op), 300);
		fake_end();
	}
	begin_warm(1);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, ":0");
	CHECK_INT(fake_drive(fake_take_over("given", 7000)), RL_BUSY);
}

static void an_unanswered_swap_is_swapped_back_after_it(void)
{
	begin_warm(1);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	rl_op *op = fake_take_over("given", 7000);
	CHECK_INT(fake_drive(op), RL_ERR_TIMEOUT);
	CHECK_LOG("0 a1 swap k given T1 7000\n"
			  "1000 a1 SWAP k T1 given 0\n"
			  "1000 a1 end\n");
	CHECK(fake_leaves_something(op));
	CHECK_INT(fake_stats.grants_undone, 1);
	CHECK_INT(fake_stats.failed, 1);
}

static void an_abandoned_swap_is_swapped_back_after_it(void)
{
	for (unsigned is_forked = 0; is_forked < 2; is_forked++) {
		servers_begin(1);
		servers_take(0, "given", LONG);
		servers[0].delay = 100 * MS;
		rl_op *op = fake_take_over("given", 7000);
		CHECK(!fake_drive_to(op, FAKE_START + 50 * MS));
		if (is_forked) {
			fake_fork();
		}
		rl_op_abandon(op, fake_clock, is_forked);
		CHECK_COUNT("50 a1 SWAP k T1 given 0\n", 1 - is_forked);
		CHECK_TEXT(servers_owner(0), is_forked ? "T1" : "given");
		CHECK_INT(fake_leaves_something(op), !is_forked);
		fake_end();
	}
}

/* The connection is gone, so no swap back can follow the swap on it. */
static void a_swap_that_cannot_be_undone_leaves_something(void)
{
	begin_warm(1);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	for (unsigned i = 0; i < 40; i++) {
		fake_dials(0, FAKE_REFUSE, 0);
	}
	rl_op *op = fake_take_over("given", 7000);
	CHECK_INT(fake_drive(op), RL_ERR_CONNECT);
	CHECK_COUNT("SWAP", 0);
	CHECK(fake_leaves_something(op));
	CHECK_HAS(op->err->message, "the command was sent, and its outcome is unknown");
}

static void a_swap_that_was_never_sent_is_not_swapped_back(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_REFUSE, 0);
	rl_op *op = fake_take_over("given", 7000);
	CHECK_INT(fake_drive(op), RL_ERR_CONNECT);
	CHECK(!fake_leaves_something(op));
	fake_end();
	begin_warm(1);
	fake_says(0, "-WRONGTYPE x");
	op = fake_take_over("given", 7000);
	CHECK_INT(fake_drive(op), RL_ERR_SERVER);
	CHECK(!fake_leaves_something(op));
	CHECK_COUNT("SWAP", 0);
}

static void a_swap_that_came_too_late_is_swapped_back(void)
{
	begin_warm(1);
	fake_acts(0, FAKE_SAY, ":1", 50 * MS);
	rl_op *op = fake_take_over("given", 20);
	CHECK_INT(fake_drive(op), RL_ERR_SLOW);
	CHECK_COUNT("50 a1 SWAP k T1 given 0\n", 1);
	CHECK_HAS(op->err->message,
		"too slow: the lock was taken over after 0.05 s, which leaves nothing of its TTL of 0.02 s");
	CHECK(!fake_leaves_something(op)); /* the swap back follows the answer, on a sound connection */
}

static void a_take_over_without_random_bytes_sends_nothing(void)
{
	begin_warm(1);
	fake_random_draws(0);
	CHECK_INT(fake_drive(fake_take_over("given", 7000)), RL_ERR_RANDOM);
	CHECK_LOG("");
	CHECK_INT(fake_stats.failed, 1);
}

/* ---- several ---- */

static void a_take_over_needs_a_quorum(void)
{
	servers_begin(3);
	servers_take(A, "given", LONG);
	servers_take(B, "given", LONG);
	CHECK_INT(fake_drive(fake_take_over("given", 7000)), RL_OK);
	CHECK_TEXT(servers_owner(A), "T1");
	CHECK_TEXT(servers_owner(B), "T1");
	CHECK_TEXT(servers_owner(C), "-");
}

/* A deletion would be wrong: two clients with one swapped member each would leave no quorum of
 * three. */
static void a_swap_of_a_minority_is_swapped_back(void)
{
	servers_begin(3);
	servers_take(A, "given", LONG);
	rl_op *op = fake_take_over("given", 7000);
	CHECK_INT(fake_drive(op), RL_BUSY);
	CHECK_COUNT("a1 SWAP k T1 given 0\n", 1);
	CHECK_COUNT("given 0\n", 1);
	CHECK_TEXT(servers_owner(A), "given");
	CHECK_INT(servers_pttl(A), 7000); /* the TTL stays */
	CHECK(!fake_leaves_something(op));
}

static void a_member_that_has_not_answered_is_swapped_back_too(void)
{
	servers_begin(3);
	servers_take(A, "given", LONG);
	servers[A].delay = 200 * MS;
	rl_op *op = fake_take_over("given", 7000);
	CHECK_INT(fake_drive(op), RL_BUSY);
	/* The call has waited for the answer for so long. */
	CHECK_COUNT("25 a1 SWAP k T1 given 0\n", 1);
	fake_clock += SECOND;
	CHECK_TEXT(servers_owner(A), "given");
}

/* Of clients that ask at the same time, the first one at the first member is the first one
 * everywhere. */
static void members_are_asked_in_their_order(void)
{
	begin_warm(3);
	for (unsigned i = 0; i < 3; i++) {
		fake_says(i, ":1");
	}
	CHECK_INT(fake_drive(fake_take_over("given", 7000)), RL_OK);
	CHECK_LOG("0 c1 SWAP k given T1 7000\n"
			  "0 a1 SWAP k given T1 7000\n"
			  "0 b1 SWAP k given T1 7000\n");
}

static void one_of_two_callers_gets_the_lock(void)
{
	for (unsigned members = 1; members <= 5; members++) {
		servers_begin(members);
		servers_take_all("given", LONG);
		for (unsigned i = 0; i < members; i++) {
			servers[i].delay = (1 + 3 * i) * MS;
		}
		rl_op *first = fake_take_over("given", 7000);
		rl_op *second = fake_take_over("given", 7000);
		fake_drive_to(first, FAKE_START);
		CHECK_INT(fake_drive(second), RL_BUSY);
		CHECK_INT(fake_drive(first), RL_OK);
		for (unsigned i = 0; i < members; i++) {
			CHECK_TEXT(servers_owner(i), "T1");
		}
		fake_end();
	}
}

static void members_that_did_not_answer_are_not_waited_for(void)
{
	servers_begin(3);
	servers_take_all("given", LONG);
	servers[C].delay = 500 * MS;
	rl_op *op = fake_take_over("given", 7000);
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_INT(fake_ms(), 25); /* the call has waited for so long */
	CHECK_INT(fake_pool.count, 3);
	CHECK_COUNT("given 0\n", 0);
	CHECK_TEXT(servers_owner(C), "T1");
}

static const check_test tests[] = {
	TEST(a_take_over_is_one_swap_to_a_fresh_token),
	TEST(a_second_take_over_is_refused),
	TEST(a_take_over_waits_for_the_login),
	TEST(a_lost_answer_is_asked_for_again),
	TEST(an_unanswered_swap_is_swapped_back_after_it),
	TEST(an_abandoned_swap_is_swapped_back_after_it),
	TEST(a_swap_that_cannot_be_undone_leaves_something),
	TEST(a_swap_that_was_never_sent_is_not_swapped_back),
	TEST(a_swap_that_came_too_late_is_swapped_back),
	TEST(a_take_over_without_random_bytes_sends_nothing),
	TEST(a_take_over_needs_a_quorum),
	TEST(a_swap_of_a_minority_is_swapped_back),
	TEST(a_member_that_has_not_answered_is_swapped_back_too),
	TEST(members_are_asked_in_their_order),
	TEST(one_of_two_callers_gets_the_lock),
	TEST(members_that_did_not_answer_are_not_waited_for),
};

CHECK_MAIN(tests, fake_end)
