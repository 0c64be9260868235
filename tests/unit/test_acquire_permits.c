/* SPDX-License-Identifier: MIT
 *
 * A lock that several holders may have at once: what a call sends, and the permit that it wins.
 */
#include "check.h"
#include "waiting.h"

/* The keys of three permits, in the log. */
#define KEYS " 5 k k#2 k#3 k::rl-wait k::rl-wake"

static rl_acquire *acquire_permit(int64_t wait_ns)
{
	rl_acquire_args args = {
		.key = bytes_of("k"), .ttl_ms = 30000, .wait_ns = wait_ns, .permits = 3};
	return fake_acquire_with(&args);
}

static void the_grant_names_the_permit(void)
{
	static const char *const grants[] = {"*:1 :0 :1", "*:1 :0 :2", "*:1 :0 :3"};
	static const char *const keys[] = {"k", "k#2", "k#3"};
	for (unsigned i = 0; i < 3; i++) {
		waiting_begin();
		fake_says(0, grants[i]);
		rl_acquire *acquire = acquire_permit(0);
		CHECK_INT(fake_drive(&acquire->op), RL_OK);
		CHECK_LOG("0 a2 try" KEYS " T1 30000 0 0 W1 0 10 3\n");
		CHECK_INT(acquire->permit, i);
		CHECK(rl_bytes_is(rl_acquire_won_key(acquire), keys[i]));
		fake_end();
	}
}

static void a_permit_that_cannot_be_is_no_grant(void)
{
	static const char *const answers[] = {"*:1 :0", "*:1 :0 :0", "*:1 :0 :4"};
	for (unsigned i = 0; i < 3; i++) {
		waiting_begin();
		fake_says(0, answers[i]);
		CHECK_INT(fake_drive(&acquire_permit(0)->op), RL_ERR_PROTOCOL);
		fake_end();
	}
}

static void a_place_in_the_queue_wins_a_permit(void)
{
	waiting_begin();
	fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	rl_acquire *acquire = acquire_permit(10 * SECOND);
	waiting_drive_to(acquire, 0);
	CHECK_INT(fake_blocked_links(), 1);
	fake_says(0, "*:1 :1000100000 :2");
	fake_wakes(0, 100 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(acquire->permit, 1);
	CHECK(rl_bytes_is(rl_acquire_won_key(acquire), "k#2"));
}

/* The server may have given any permit to the try, and its undo is about all of them. */
static void an_undo_is_about_all_permits(void)
{
	waiting_begin();
	fake_acts(0, FAKE_SAY, "*:1 :0 :2", 100 * MS);
	rl_acquire *acquire = acquire_permit(0);
	waiting_drive_to(acquire, 50);
	rl_late_release late;
	CHECK(rl_op_may_hold(&acquire->op, fake_clock, &late));
	CHECK_INT(late.permits, 3);
	CHECK_INT(late.permit.len, 0);
	CHECK(rl_bytes_is(late.key, "k"));
	fake_forget_log();
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_LOG("50 a2 FREE 3 k k#2 k#3 T1\n");
}

/* The mark of a waiter is that of the lock, whichever permits there are. */
static void the_mark_of_a_waiter_is_removed(void)
{
	waiting_begin();
	fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	rl_acquire *acquire = acquire_permit(10 * SECOND);
	waiting_drive_to(acquire, 300);
	fake_forget_log();
	rl_acquire_stop(acquire, fake_clock);
	CHECK_COUNT("RELEASE+ k W1 W1", 1);
	CHECK_COUNT("FREE 3 k k#2 k#3 T1\n", 1);
}

static const check_test tests[] = {
	TEST(the_grant_names_the_permit),
	TEST(a_permit_that_cannot_be_is_no_grant),
	TEST(a_place_in_the_queue_wins_a_permit),
	TEST(an_undo_is_about_all_permits),
	TEST(the_mark_of_a_waiter_is_removed),
};

CHECK_MAIN(tests, fake_end)
