/* SPDX-License-Identifier: MIT
 *
 * A wait that the caller stops: when it may be stopped, what is undone, and how it is counted. The
 * undos are those of an abandoned wait (test_acquire_queue_end.c).
 */
#include "check.h"
#include "waiting.h"

/* The log of a place that ends with an undo, while the server still blocks it. */
#define LEFT(ms) ms " a2 RELEASE k T1\n" ms " a2 end\n" ms " a2 close\n"
#define UNMARKED(ms, link) ms " " link " RELEASE+ k W1 W1\n"

static void stop(rl_acquire *acquire)
{
	CHECK(rl_acquire_may_stop(acquire));
	fake_forget_log();
	rl_acquire_stop(acquire, fake_clock);
	CHECK_INT(acquire->op.status, RL_BUSY);
	CHECK(!rl_acquire_may_stop(acquire));
}

static void a_wait_that_is_stopped_in_the_queue_leaves_its_place(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	waiting_drive_to(acquire, 300);
	stop(acquire);
	CHECK_LOG(LEFT("300") UNMARKED("300", "a1"));
	CHECK_INT(acquire->waited_ns, 300 * MS);
	CHECK_INT(fake_stats.timed_out, 1);
	CHECK_INT(fake_stats.wait_time.sum_ns, 300 * MS);
	CHECK_INT(fake_stats.grants_undone, 1);
	CHECK_INT(fake_stats.failed, 0);
	CHECK_INT(fake_pool.count, 1);
}

/* The look at 850 ms is answered after 100 ms. */
static void stop_near_a_look(int64_t ms)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_acts(0, FAKE_SAY, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 100 * MS);
	waiting_drive_to(acquire, ms);
	stop(acquire);
}

static void a_wait_may_be_stopped_during_a_look(void)
{
	stop_near_a_look(900);
	CHECK_LOG(LEFT("900") UNMARKED("900", "a1"));
}

/* The mark would be valid for up to two seconds more, so the next release would reserve the lock
 * for this wait. */
static void the_mark_is_taken_away_from_a_slow_server_too(void)
{
	stop_near_a_look(1000);
	CHECK_LOG(LEFT("1000") UNMARKED("1000", "a1"));
}

static void a_win_that_has_arrived_comes_first(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	waiting_drive_to(acquire, 100);
	fake_says(0, grant(100));
	fake_wakes(0, 0);
	CHECK(rl_acquire_may_stop(acquire)); /* not read yet */
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK(!rl_acquire_may_stop(acquire));
}

static void a_win_that_arrives_later_is_undone(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	waiting_drive_to(acquire, 100);
	fake_says(0, grant(100));
	fake_wakes(0, 0);
	stop(acquire);
	CHECK_LOG("100 a2 RELEASE k T1\n" UNMARKED("100", "a2"));
}

static void a_wait_may_not_be_stopped_during_its_first_and_last_try(void)
{
	waiting_begin();
	fake_acts(0, FAKE_SAY, "_", 50 * MS);
	rl_acquire *acquire = fake_acquire(30000, 1500 * MS);
	CHECK(!rl_acquire_may_stop(acquire));
	waiting_drive_to(acquire, 40);
	CHECK(!rl_acquire_may_stop(acquire));
	fake_acts(0, FAKE_SAY, look(50, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 0);
	waiting_drive_to(acquire, 60);
	CHECK(rl_acquire_may_stop(acquire));
	waiting_look_on(1);
	fake_acts(0, FAKE_SAY, refusal(1500, 600000, RL_HOLDER_KIN), 50 * MS);
	waiting_drive_to(acquire, 1510);
	CHECK(!rl_acquire_may_stop(acquire));
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
}

static void a_wait_may_not_be_stopped_during_the_swap(void)
{
	rl_acquire *acquire = waiting_queued_own(30000, 10 * SECOND);
	waiting_drive_to(acquire, 100);
	fake_says(0, grant(100));
	fake_wakes(0, 0);
	fake_acts(0, FAKE_SAY, ":1", 50 * MS);
	waiting_drive_to(acquire, 120);
	CHECK_INT(acquire->phase, RL_ACQUIRE_SWAPPING);
	CHECK(!rl_acquire_may_stop(acquire));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK(rl_bytes_equal(acquire->token, rl_bytes_of("mine", 4)));
}

static void a_call_without_a_wait_may_not_be_stopped(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_ACCEPT, 50 * MS);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 10 * MS));
	CHECK(!rl_acquire_may_stop(acquire));
	rl_op_abandon(&acquire->op, fake_clock, false);
}

static void a_wait_that_is_stopped_without_a_server_is_refused(void)
{
	fake_begin(1);
	for (unsigned i = 0; i < 20; i++) {
		fake_dials(0, FAKE_REFUSE, 0);
	}
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 100 * MS));
	stop(acquire);
	CHECK_LOG("");
	CHECK_INT(fake_stats.failed, 0);
	CHECK_INT(fake_stats.timed_out, 1);
}

static void a_token_in_doubt_is_undone(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_kill(0);
	fake_dials(0, FAKE_REFUSE, 0);
	waiting_drive_to(acquire, 5);
	CHECK(acquire->is_maybe_ours);
	rl_pool_clear(&fake_pool);
	fake_warm(0);
	stop(acquire);
	CHECK_LOG("5 a3 RELEASE k T1\n" UNMARKED("5", "a3"));
}

static const check_test tests[] = {
	TEST(a_wait_that_is_stopped_in_the_queue_leaves_its_place),
	TEST(a_wait_may_be_stopped_during_a_look),
	TEST(the_mark_is_taken_away_from_a_slow_server_too),
	TEST(a_win_that_has_arrived_comes_first),
	TEST(a_win_that_arrives_later_is_undone),
	TEST(a_wait_may_not_be_stopped_during_its_first_and_last_try),
	TEST(a_wait_may_not_be_stopped_during_the_swap),
	TEST(a_call_without_a_wait_may_not_be_stopped),
	TEST(a_wait_that_is_stopped_without_a_server_is_refused),
	TEST(a_token_in_doubt_is_undone),
};

CHECK_MAIN(tests, fake_end)
