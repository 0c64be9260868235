/* SPDX-License-Identifier: MIT
 *
 * Work that is to be done once: the call ends when a member names the mark of work that is done.
 * Every other wait takes the mark for a holder that will wake it.
 */
#include "check.h"
#include "waiting.h"

/* A call for such work. */
static rl_acquire *once(int64_t wait_ns)
{
	rl_acquire *acquire = fake_acquire(30000, wait_ns);
	acquire->heeds_done = true;
	return acquire;
}

static void is_told(rl_acquire *acquire, int64_t ms)
{
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK(acquire->met_done);
	CHECK_INT(fake_ms(), ms);
	CHECK_INT(fake_stats.already_done, 1);
	CHECK_INT(fake_stats.refused, 0);
	CHECK_INT(fake_stats.timed_out, 0);
	CHECK_INT(fake_stats.failed, 0);
}

static void the_first_command_names_the_holder(void)
{
	waiting_begin();
	fake_says(0, refusal(0, 50000, RL_HOLDER_DONE));
	is_told(once(0), 0);
	CHECK_LOG("0 a2 try+ k T1 30000 0 0 W1 0\n");
}

static void a_free_lock_is_taken_in_one_round_trip(void)
{
	waiting_begin();
	fake_says(0, grant(0));
	rl_acquire *acquire = once(10 * SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK(!acquire->met_done);
	CHECK_LOG("0 a2 try+ k T1 30000 0 0 W1 0\n"); /* it is not marked before it waits */
	CHECK_INT(fake_stats.acquired, 1);
}

static void a_holder_is_no_mark(void)
{
	static const rl_holder holders[] = {RL_HOLDER_KIN, RL_HOLDER_FOREIGN, RL_HOLDER_RESERVED};
	for (unsigned i = 0; i < 3; i++) {
		waiting_begin();
		fake_says(0, refusal(0, 50000, holders[i]));
		rl_acquire *acquire = once(0);
		CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
		CHECK(!acquire->met_done);
		CHECK_INT(fake_stats.refused, 1);
		CHECK_INT(fake_stats.already_done, 0);
		fake_end();
	}
}

static rl_acquire *once_queued(void)
{
	waiting_begin();
	fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	rl_acquire *acquire = once(10 * SECOND);
	waiting_drive_to(acquire, 0);
	CHECK_INT(fake_blocked_links(), 1);
	fake_forget_log();
	return acquire;
}

/* The try of the place has removed the mark there. The other members may still have it. */
static void the_queue_tells_the_call(void)
{
	rl_acquire *acquire = once_queued();
	fake_says(0, refusal(300, 50000, RL_HOLDER_DONE));
	fake_wakes(0, 300 * MS);
	is_told(acquire, 300);
	CHECK_LOG("");
	CHECK_INT(fake_stats.spurious_wake_ups, 0);
	CHECK_INT(fake_stats.wake_ups, 1);
}

static void a_look_tells_the_call(void)
{
	rl_acquire *acquire = once_queued();
	fake_says(0, look(850, 50000, RL_HOLDER_DONE, RL_TICKET_NONE));
	is_told(acquire, 850);
	CHECK_COUNT("850 a2 RELEASE k T1\n", 1); /* the place may win until it has ended */
}

static void the_last_try_tells_the_call(void)
{
	waiting_begin();
	fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
	fake_says(0, refusal(10, 50000, RL_HOLDER_DONE));
	is_told(once(10 * MS), 10);
}

/* One member has the mark, and the others do not give a majority. */
static void one_of_several_members_is_enough(void)
{
	fake_begin(3);
	fake_warm(0);
	fake_warm(1);
	fake_warm(2);
	fake_says(0, "*:1 :0");
	fake_says(1, "*:0 :0 :50000 :5 :0");
	fake_says(2, "*:0 :0 :50000 :3 :0");
	is_told(once(0), 0);
	CHECK_COUNT("a1 RELEASE k T1\n", 1); /* the grant is undone */
}

/* Too few members for a majority answer, and the mark is told all the same. */
static void a_mark_is_told_although_the_call_fails(void)
{
	for (unsigned wait = 0; wait < 2; wait++) {
		fake_begin(3);
		for (unsigned i = 0; i < 3; i++) {
			fake_warm(i);
		}
		fake_says(0, "-ERR x");
		fake_says(1, "*:0 :0 :50000 :5 :0");
		fake_says(2, "-ERR x");
		is_told(once(wait * 10 * SECOND), 0);
		fake_end();
	}
}

/* A probe that is under way may mark the waiter again, so the mark is removed behind it. */
static void a_look_under_way_leaves_no_mark(void)
{
	rl_acquire *acquire = once_queued();
	fake_acts(0, FAKE_SAY, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 100 * MS);
	waiting_drive_to(acquire, 850);
	fake_says(0, refusal(900, 50000, RL_HOLDER_DONE));
	fake_wakes(0, 50 * MS);
	is_told(acquire, 900);
	CHECK_COUNT("RELEASE+ k W1 W1\n", 1);
}

static void a_majority_that_grants_is_a_run(void)
{
	fake_begin(3);
	fake_warm(0);
	fake_warm(1);
	fake_warm(2);
	fake_says(0, "*:0 :0 :50000 :5 :0");
	fake_says(1, "*:1 :0");
	fake_says(2, "*:1 :0");
	rl_acquire *acquire = once(0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK(!acquire->met_done);
}

/* The server has removed the mark of the waiter, and has woken the next one: so this waiter marks
 * itself with a look at once, and queues again. */
static void another_wait_goes_on(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	fake_says(0, refusal(300, 50000, RL_HOLDER_DONE));
	fake_says(0, look(300, 50000, RL_HOLDER_DONE, RL_TICKET_NONE));
	fake_wakes(0, 300 * MS);
	waiting_drive_to(acquire, 300);
	CHECK_LOG("300 a2 probe+ k T1 W1\n"
			  "300 a2 BLPOP k::rl-wake 10.817\n"
			  "300 a2 try+ k T1 30000 0 1 W1 0\n");
	CHECK(!acquire->met_done);
	/* Its next look is due as if the holder would wake it. */
	CHECK_INT(fake_wait.until, FAKE_START + 1150 * MS);
	char room[RL_HOLDER_TEXT];
	CHECK_HAS(rl_acquire_holder_text(acquire, room), "marked as work that is done");
}

static const check_test tests[] = {
	TEST(the_first_command_names_the_holder),
	TEST(a_free_lock_is_taken_in_one_round_trip),
	TEST(a_holder_is_no_mark),
	TEST(the_queue_tells_the_call),
	TEST(a_look_tells_the_call),
	TEST(the_last_try_tells_the_call),
	TEST(one_of_several_members_is_enough),
	TEST(a_mark_is_told_although_the_call_fails),
	TEST(a_look_under_way_leaves_no_mark),
	TEST(a_majority_that_grants_is_a_run),
	TEST(another_wait_goes_on),
};

CHECK_MAIN(tests, fake_end)
