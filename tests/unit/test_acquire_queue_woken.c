/* SPDX-License-Identifier: MIT
 *
 * A wait in the queue is woken: it wins, whatever is under way on the other connection, or somebody
 * was faster.
 */
#include "check.h"
#include "waiting.h"

/* ---- winning ---- */

static void a_release_wakes_it(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	fake_says(0, grant(500));
	fake_wakes(0, 500 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("");
	CHECK_INT(fake_ms(), 500);
	CHECK_INT(acquire->waited_ns, 500 * MS);
	CHECK_INT(fake_pool.count, 2); /* both connections can be used again */
	CHECK_INT(fake_stats.acquired, 1);
	CHECK_INT(fake_stats.tries, 1);
	CHECK_INT(fake_stats.probes, 1);
	CHECK_INT(fake_stats.wake_ups, 1);
	CHECK_INT(fake_stats.spurious_wake_ups, 0);
	CHECK_INT(fake_stats.backoffs, 0);
	CHECK_INT(fake_stats.wake_failures, 0);
	CHECK_INT(fake_stats.grants_undone, 0);
	CHECK_INT(fake_stats.wait_time.sum_ns, 500 * MS);
	/* The server ran the try 500 ms after it was asked for the time: less drift, for the clocks may
	 * differ. */
	CHECK_INT(acquire->proven_until, waiting_proof(495, 30000));
}

/* Valkey 9.0 needs it when the try behind BLPOP came in two pieces. */
static void a_ticket_that_comes_alone_is_followed_by_an_empty_command(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	fake_acts(0, FAKE_SAY, grant(530), 30 * MS);
	fake_wakes(0, 500 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 530);
	CHECK_LOG("500 a2 prod\n");
}

static void the_connections_can_be_used_afterwards(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_says(0, grant(500));
	fake_wakes(0, 500 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	fake_forget_log();
	for (unsigned i = 0; i < 2; i++) {
		fake_says(0, "_");
		CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
	}
	CHECK_LOG("500 a2 SET k T2 NX PX 30000\n500 a2 SET k T3 NX PX 30000\n");
}

static void a_win_can_be_taken_back(void)
{
	/* Also when a look was the last that was said on the other connection. */
	for (unsigned looks = 0; looks < 2; looks++) {
		rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
		waiting_look_on(looks);
		waiting_drive_to(acquire, 400 + looks * 1000);
		fake_says(0, grant(500 + looks * 1000));
		fake_wakes(0, 100 * MS);
		CHECK_INT(fake_drive(&acquire->op), RL_OK);
		fake_forget_log();
		rl_quorum_call_hold(&acquire->op.call, false, fake_clock);
		rl_op_abandon(&acquire->op, fake_clock, false);
		CHECK_COUNT("00 a2 RELEASE k T1\n", 1);
		CHECK_COUNT("RELEASE", 1);
		CHECK_INT(fake_stats.grants_undone, 1);
		fake_end();
	}
}

/* The look's answer comes after the win: it is counted off, and not taken for the next. */
static void a_win_while_a_look_is_under_way(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_acts(0, FAKE_SAY, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 100 * MS);
	waiting_drive_to(acquire, 870);
	fake_forget_log();
	fake_says(0, grant(880));
	fake_wakes(0, 10 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 880);
	CHECK_LOG("");
	CHECK_INT(fake_pool.count, 2);
	CHECK_INT(fake_stats.probes, 2);
	fake_says(0, "_");
	fake_says(0, "_");
	/* What is said next goes behind the look, or the look could mark a lock that is released by
	 * then. */
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
	CHECK_COUNT("880 a1 SET", 1);
	CHECK_INT(fake_ms(), 950);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
	CHECK_COUNT("a2 SET", 0);
	CHECK_INT(fake_ms(), 950);
}

static void without_a_look_the_queues_connection_is_used_next(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	waiting_look_on(1);
	waiting_drive_to(acquire, 1020);
	fake_says(0, grant(1030));
	fake_wakes(0, 10 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	fake_forget_log();
	fake_says(0, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_OK);
	CHECK_LOG("1030 a2 release+ k tok\n");
}

static void a_win_before_the_looks_answer_that_has_come_too(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_acts(0, FAKE_SAY, look(850, 600000, RL_HOLDER_SELF, RL_TICKET_NONE), 10 * MS);
	waiting_drive_to(acquire, 855);
	fake_says(0, grant(860));
	fake_wakes(0, 5 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 860);
	CHECK_COUNT("try", 0); /* the queue is heard first: nothing is asked */
	CHECK_INT(fake_stats.wake_ups, 1);
}

static void a_win_while_the_looks_connection_is_dialled(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	rl_pool_clear(&fake_pool);
	fake_dials(0, FAKE_ACCEPT, 100 * MS);
	waiting_drive_to(acquire, 870);
	fake_says(0, grant(880));
	fake_wakes(0, 10 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("0 a1 close\n850 a3 dial\n880 a3 close\n");
}

/* A BLPOP that timed out early, and a server that ran the try in time. */
static void a_win_without_a_ticket(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	fake_blpops(0, FAKE_SAY, "_", 300 * MS);
	fake_says(0, grant(300));
	CHECK_INT(fake_drive(&fake_acquire(30000, 10 * SECOND)->op), RL_OK);
	CHECK_INT(fake_stats.wake_ups, 0);
}

/* ---- woken in vain ---- */

static void woken_in_vain_it_goes_in_again(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	fake_says(0, refusal(300, 600000, RL_HOLDER_KIN));
	fake_wakes(0, 300 * MS);
	waiting_drive_to(acquire, 300);
	/* Reckoned from the last look: a try that was blocked says nothing of when it was asked. */
	CHECK_LOG("300 a2 BLPOP k::rl-wake 10.817\n"
			  "300 a2 TRY+ k T1 30000 0 1 W1 0\n");
	CHECK_INT(fake_stats.wake_ups, 1);
	CHECK_INT(fake_stats.spurious_wake_ups, 1);
	CHECK_INT(fake_stats.backoffs, 0);
	CHECK_INT(fake_stats.tries, 1);
	CHECK_INT(fake_wait.until, FAKE_START + 850 * MS);
	fake_says(0, grant(400));
	fake_wakes(0, 100 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_stats.wake_ups, 2);
}

/* Heard after the deadline, when the process was slow: a place of 20 ms, and the try that decides.
 */
static void woken_in_vain_after_the_deadline(void)
{
	rl_acquire *acquire = waiting_queued(30000, 500 * MS);
	waiting_drive_to(acquire, 498);
	fake_forget_log();
	fake_says(0, refusal(499, 600000, RL_HOLDER_KIN));
	fake_says(0, refusal(599, 600000, RL_HOLDER_KIN));
	fake_wakes(0, 1 * MS);
	fake_lag(100 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_LOG("599 a2 BLPOP k::rl-wake 1.020\n"
			  "599 a2 TRY+ k T1 30000 0 1 W1 0\n"
			  "599 a1 try+ k T1 30000 1 0 W1 0\n"
			  "599 a2 RELEASE k T1\n"
			  "599 a2 end\n"
			  "599 a2 close\n");
}

static void what_it_met_may_bring_the_look_forward(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_says(0, refusal(300, 200, RL_HOLDER_KIN));
	fake_wakes(0, 300 * MS);
	waiting_drive_to(acquire, 300);
	CHECK_INT(fake_wait.until, FAKE_START + 501 * MS);
	/* But never puts it off. */
	fake_says(0, refusal(400, 600000, RL_HOLDER_KIN));
	fake_wakes(0, 100 * MS);
	waiting_drive_to(acquire, 400);
	CHECK_INT(fake_wait.until, FAKE_START + 501 * MS);
}

/* Somebody always comes first: it has no place until the next look, and then takes one again. */
static void three_times_in_vain_are_enough_for_now(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	for (unsigned i = 1; i <= 3; i++) {
		fake_says(0, refusal(i * 100, 600000, RL_HOLDER_KIN));
		fake_wakes(0, 100 * MS);
		waiting_drive_to(acquire, i * 100);
	}
	CHECK_COUNT("BLPOP", 2);
	CHECK_COUNT("RELEASE", 0);
	CHECK_INT(fake_blocked_links(), 0);
	CHECK_INT(fake_blocked_links(), 0);
	CHECK_INT(fake_pool.count, 2);
	CHECK_INT(fake_stats.spurious_wake_ups, 3);
	CHECK_INT(fake_stats.backoffs, 1);
	CHECK_INT(fake_wait.until, FAKE_START + 310 * MS);
	fake_forget_log();
	fake_says(0, look(310, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 310);
	CHECK_LOG("310 a2 probe+ k T1 W1\n"
			  "310 a2 BLPOP k::rl-wake 10.806\n"
			  "310 a2 TRY+ k T1 30000 0 1 W1 0\n");
	CHECK_INT(fake_stats.wake_failures, 0);
}

/* The third while it looks: that look takes no place, whatever it meets. The next one does: when
 * the lock is free it comes soon. */
static void three_times_in_vain_while_it_looks(void)
{
	for (unsigned is_free = 0; is_free < 2; is_free++) {
		rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
		fake_acts(0, FAKE_SAY,
			is_free ? look(850, -2, RL_HOLDER_NOBODY, RL_TICKET_OUT)
					: look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE),
			100 * MS);
		waiting_drive_to(acquire, 850);
		for (unsigned i = 1; i <= 3; i++) {
			fake_says(0, refusal(850 + i * 10, 600000, RL_HOLDER_KIN));
			fake_wakes(0, 10 * MS);
			waiting_drive_to(acquire, 850 + i * 10);
		}
		fake_forget_log();
		waiting_drive_to(acquire, 950);
		CHECK_LOG("");
		CHECK_INT(fake_blocked_links(), 0);
		CHECK_INT(fake_wait.until, FAKE_START + 960 * MS);
		fake_says(0, look(951, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
		waiting_drive_to(acquire, 960);
		CHECK_COUNT("probe+ k T1 W1\n", 1);
		CHECK_COUNT("try", 0);
		CHECK_INT(fake_blocked_links(), 1);
		fake_end();
	}
}

static void a_look_between_them_forgets_the_count(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	for (unsigned i = 1; i <= 2; i++) {
		fake_says(0, refusal(i * 100, 600000, RL_HOLDER_KIN));
		fake_wakes(0, 100 * MS);
		waiting_drive_to(acquire, i * 100);
	}
	waiting_look_on(1);
	waiting_drive_to(acquire, 1100);
	for (unsigned i = 1; i <= 2; i++) {
		fake_says(0, refusal(1100 + i * 100, 600000, RL_HOLDER_KIN));
		fake_wakes(0, 100 * MS);
		waiting_drive_to(acquire, 1100 + i * 100);
	}
	CHECK_COUNT("BLPOP", 5);
	CHECK_INT(fake_blocked_links(), 1);
}

/* The try of the queue came after its time and passed the ticket on: somebody takes it, perhaps we.
 */
static void a_waiter_that_comes_too_late_looks_at_once(void)
{
	const rl_holder holders[] = {RL_HOLDER_NOBODY, RL_HOLDER_RESERVED};
	for (unsigned i = 0; i < 2; i++) {
		rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
		fake_forget_log();
		fake_says(0, refusal(20000, i == 0 ? -2 : 5, holders[i]));
		fake_acts(0, FAKE_SAY, look(20001, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 4 * MS);
		fake_wakes(0, 300 * MS);
		waiting_drive_to(acquire, 304);
		/* The server's clock has run away: the new place has a new sample of it. */
		CHECK_LOG("300 a2 probe+ k T1 W1\n"
				  "304 a2 BLPOP k::rl-wake 10.812\n"
				  "304 a2 TRY+ k T1 30000 0 1 W1 0\n");
		CHECK_INT(fake_stats.tries, 1);
		CHECK_INT(fake_stats.probes, 2);
		CHECK_INT(fake_stats.backoffs, 0);
		CHECK_INT(fake_stats.grants_undone, 0);
		fake_end();
	}
}

static void a_waiter_that_comes_too_late_three_times_does_not_spin(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	for (unsigned i = 0; i < 3; i++) {
		fake_says(0, refusal(20000, -2, RL_HOLDER_NOBODY));
		if (i < 2) {
			fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
		}
		fake_wakes(0, 0);
		waiting_drive_to(acquire, 0);
	}
	CHECK_INT(fake_stats.tries, 1);
	CHECK_INT(fake_stats.probes, 3);
	CHECK_INT(fake_stats.backoffs, 1);
	CHECK_INT(fake_blocked_links(), 0);
	CHECK_INT(fake_wait.until, FAKE_START + 10 * MS);
}

static void too_late_while_a_look_is_under_way(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_acts(0, FAKE_SAY, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 100 * MS);
	waiting_drive_to(acquire, 870);
	fake_forget_log();
	fake_says(0, refusal(20000, -2, RL_HOLDER_NOBODY));
	fake_wakes(0, 0);
	waiting_drive_to(acquire, 949);
	CHECK_LOG("");
	CHECK_INT(fake_blocked_links(), 0);
	waiting_drive_to(acquire, 950);
	/* The look is waited for, and then it takes a place again. */
	CHECK_LOG("950 a1 BLPOP k::rl-wake 10.160\n"
			  "950 a1 TRY+ k T1 30000 0 1 W1 0\n");
	CHECK_INT(fake_stats.backoffs, 0);
}

static const check_test tests[] = {
	TEST(a_release_wakes_it),
	TEST(a_ticket_that_comes_alone_is_followed_by_an_empty_command),
	TEST(the_connections_can_be_used_afterwards),
	TEST(a_win_can_be_taken_back),
	TEST(a_win_while_a_look_is_under_way),
	TEST(without_a_look_the_queues_connection_is_used_next),
	TEST(a_win_before_the_looks_answer_that_has_come_too),
	TEST(a_win_while_the_looks_connection_is_dialled),
	TEST(a_win_without_a_ticket),
	TEST(woken_in_vain_it_goes_in_again),
	TEST(woken_in_vain_after_the_deadline),
	TEST(what_it_met_may_bring_the_look_forward),
	TEST(three_times_in_vain_are_enough_for_now),
	TEST(three_times_in_vain_while_it_looks),
	TEST(a_look_between_them_forgets_the_count),
	TEST(a_waiter_that_comes_too_late_looks_at_once),
	TEST(a_waiter_that_comes_too_late_three_times_does_not_spin),
	TEST(too_late_while_a_look_is_under_way),
};

CHECK_MAIN(tests, fake_end)
