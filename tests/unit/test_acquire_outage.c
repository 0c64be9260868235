/* SPDX-License-Identifier: MIT
 *
 * How long a wait goes on while too few members answer it (outage_wait_ns).
 */
#include "check.h"
#include "servers.h"
#include "waiting.h"

static rl_acquire *wait_with(int64_t outage_wait)
{
	fake_set.outage_wait_ns = outage_wait;
	return fake_acquire(30000, 10 * SECOND);
}

/* ---- one server ---- */

static void without_an_outage_wait_the_first_failure_ends_the_wait(void)
{
	static const fake_dial ways[] = {FAKE_REFUSE, FAKE_REFUSE_LATER, FAKE_NO_NAME};
	for (unsigned i = 0; i < 3; i++) {
		fake_begin(1);
		fake_dials(0, ways[i], 0);
		rl_acquire *acquire = wait_with(0);
		CHECK_INT(fake_drive(&acquire->op), i == 2 ? RL_ERR_NAME : RL_ERR_CONNECT);
		CHECK_INT(fake_ms(), 0);
		CHECK_COUNT("dial", 1);
		CHECK_HAS(acquire->op.err->message, "redis://a:6379: ");
		CHECK_INT(fake_stats.failed, 1);
		fake_end();
	}
}

static void without_an_outage_wait_a_passing_error_ends_the_wait(void)
{
	static const char *const errors[] = {"-LOADING x", "-MASTERDOWN x", "-NOREPLICAS x"};
	for (unsigned i = 0; i < 3; i++) {
		fake_begin(1);
		fake_warm(0);
		for (unsigned j = 0; j < 4; j++) {
			fake_says(0, errors[i]);
		}
		CHECK_INT(fake_drive(&wait_with(0)->op), RL_ERR_SERVER);
		CHECK_INT(fake_ms(), 0);
		fake_end();
	}
}

/* No answer is a failure only after the time for an answer. */
static void silence_is_a_failure_after_the_timeout(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(&wait_with(500 * MS)->op), RL_ERR_TIMEOUT);
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n1000 a1 RELEASE k T1\n1000 a1 end\n");
}

static void a_wait_looks_once_more_at_the_end_of_the_outage_wait(void)
{
	fake_begin(1);
	fake_refuses(0, 20);
	CHECK_INT(fake_drive(&wait_with(500 * MS)->op), RL_ERR_CONNECT);
	CHECK_LOG("0 a1 dial\n10 a2 dial\n30 a3 dial\n70 a4 dial\n150 a5 dial\n310 a6 dial\n"
			  "500 a7 dial\n");
}

static void the_last_look_may_find_the_server_again(void)
{
	fake_begin(1);
	fake_refuses(0, 6);
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&wait_with(500 * MS)->op), RL_OK);
	CHECK_INT(fake_ms(), 500);
}

static void an_outage_longer_than_the_wait_ends_with_the_wait(void)
{
	fake_begin(1);
	fake_refuses(0, 30);
	fake_set.outage_wait_ns = 5 * SECOND;
	CHECK_INT(fake_drive(&fake_acquire(30000, 100 * MS)->op), RL_ERR_CONNECT);
	CHECK_INT(fake_ms(), 100);
}

/* Each outage has the whole time: the first lasts from 0 to 310 ms, the second begins at 320. */
static void an_answer_ends_the_outage(void)
{
	fake_begin(1);
	fake_refuses(0, 5);
	fake_says(0, "*:0 :0 :25000 :4 :1");
	rl_acquire *acquire = wait_with(400 * MS);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 310 * MS));
	CHECK_INT(fake_stats.tries, 6);
	for (unsigned i = 0; i < 20; i++) {
		fake_says(0, "-LOADING x");
	}
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_INT(fake_ms(), 720);
}

static void a_grant_that_is_too_late_is_no_outage(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_set.outage_wait_ns = 0;
	fake_acts(0, FAKE_SAY, "+OK", 20 * MS);
	fake_says(0, ":1");
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(10, 10 * SECOND)->op), RL_OK);
}

/* ---- in the queue ---- */

static void a_waiter_whose_server_dies_fails(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_set.outage_wait_ns = 0;
	waiting_drive_to(acquire, 100);
	fake_kill(0);
	fake_refuses(0, 20);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_CONNECT);
	CHECK(fake_ms() >= 100);
	CHECK(fake_ms() <= 110);
	CHECK_INT(fake_stats.waiting, 0);
}

/* The place may have won: its try is undone on its own connection. */
static void a_waiter_whose_server_falls_silent_leaves_its_place(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_set.outage_wait_ns = 0;
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	fake_forget_log();
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_TIMEOUT);
	CHECK_INT(fake_ms(), 1850);
	CHECK_HAS(fake_log(), "1850 a2 RELEASE k T1\n");
	CHECK_HAS(acquire->op.err->message, "no answer within 1 s (timeout)");
}

/* Its name may have moved, and a dead machine does not end the connection of the place. */
static void a_waiter_whose_server_falls_silent_asks_for_its_name(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	waiting_drive_to(acquire, 1840);
	CHECK(!fake_wait.wants_names);
	waiting_drive_to(acquire, 1851);
	CHECK_INT(acquire->phase, RL_ACQUIRE_PAUSED);
	CHECK_INT(fake_wait.count, 1);
	CHECK(fake_wait.wants_names);
}

static void a_lost_place_alone_is_no_outage(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_set.outage_wait_ns = 0;
	waiting_drive_to(acquire, 100);
	fake_kill(0);
	fake_says(0, grant(110));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
}

/* ---- several members ---- */

static void too_few_members_for_a_majority_are_an_outage(void)
{
	servers_begin(3);
	rl_pool_clear(&fake_pool);
	fake_refuses(0, 1);
	fake_refuses(1, 1);
	rl_acquire *acquire = wait_with(0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_CONNECT);
	CHECK_INT(fake_ms(), 0);
	CHECK_HAS(acquire->op.err->message, "no quorum (2 of 3 servers failed): redis://a:6379: ");
	CHECK_HAS(acquire->op.err->message, "redis://b:6379: ");
}

/* One member is down, and the two others disagree. Both have answered, so it is no outage. */
static void a_split_vote_of_a_majority_is_no_outage(void)
{
	servers_begin(3);
	rl_pool_clear(&fake_pool);
	fake_refuses(0, 30);
	servers_take(1, "kin", 300);
	rl_acquire *acquire = wait_with(0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK(fake_ms() >= 300);
}

static const check_test tests[] = {
	TEST(without_an_outage_wait_the_first_failure_ends_the_wait),
	TEST(without_an_outage_wait_a_passing_error_ends_the_wait),
	TEST(silence_is_a_failure_after_the_timeout),
	TEST(a_wait_looks_once_more_at_the_end_of_the_outage_wait),
	TEST(the_last_look_may_find_the_server_again),
	TEST(an_outage_longer_than_the_wait_ends_with_the_wait),
	TEST(an_answer_ends_the_outage),
	TEST(a_grant_that_is_too_late_is_no_outage),
	TEST(a_waiter_whose_server_dies_fails),
	TEST(a_waiter_whose_server_falls_silent_leaves_its_place),
	TEST(a_waiter_whose_server_falls_silent_asks_for_its_name),
	TEST(a_lost_place_alone_is_no_outage),
	TEST(too_few_members_for_a_majority_are_an_outage),
	TEST(a_split_vote_of_a_majority_is_no_outage),
};

CHECK_MAIN(tests, fake_end)
