/* SPDX-License-Identifier: MIT
 *
 * A wait in the queue is woken. The wait wins, whatever is under way on its other connection, or
 * another client was faster.
 */
#include "check.h"
#include "waiting.h"

/* ---- winning ---- */

static void a_release_wakes_a_waiter(void)
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
	/* The server ran the try 500 ms after it had given its time: less the drift, because clocks may
	 * differ. */
	CHECK_INT(acquire->proven_until, waiting_proof(495, 30000));
}

/* Valkey 9.0 needs the empty command if the try after BLPOP came in two pieces. */
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
	/* The last command on the other connection may have been a look. */
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

/* The answer of the look arrives after the win. That answer is discarded, and the next call does
 * not take it for its own. */
static void a_place_may_win_while_a_look_is_under_way(void)
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
	/* The next command follows the look, which could otherwise mark a lock that is released by
	 * then. */
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
	CHECK_COUNT("880 a1 SET", 1);
	CHECK_INT(fake_ms(), 950);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
	CHECK_COUNT("a2 SET", 0);
	CHECK_INT(fake_ms(), 950);
}

static void the_next_call_uses_the_connection_of_the_place(void)
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

static void a_place_may_win_before_the_answer_of_a_look(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_acts(0, FAKE_SAY, look(850, 600000, RL_HOLDER_SELF, RL_TICKET_NONE), 10 * MS);
	waiting_drive_to(acquire, 855);
	fake_says(0, grant(860));
	fake_wakes(0, 5 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 860);
	CHECK_COUNT("try", 0); /* the answer of the place comes first: no try is sent */
	CHECK_INT(fake_stats.wake_ups, 1);
}

static void a_place_may_win_while_the_connection_of_a_look_is_dialled(void)
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

/* BLPOP has timed out early, and the server ran the try in time. */
static void a_place_may_win_without_a_ticket(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	fake_blpops(0, FAKE_SAY, "_", 300 * MS);
	fake_says(0, grant(300));
	CHECK_INT(fake_drive(&fake_acquire(30000, 10 * SECOND)->op), RL_OK);
	CHECK_INT(fake_stats.wake_ups, 0);
}

/* ---- spurious wake-ups ---- */

static void a_waiter_queues_again_after_a_spurious_wake_up(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	fake_says(0, refusal(300, 600000, RL_HOLDER_KIN));
	fake_wakes(0, 300 * MS);
	waiting_drive_to(acquire, 300);
	/* The time is reckoned from the last look: a try that was blocked is no sample of the server's
	 * clock. */
	CHECK_LOG("300 a2 BLPOP k::rl-wake 10.817\n"
			  "300 a2 try+ k T1 30000 0 1 W1 0\n");
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

/* The first place has shown that the server has the script. If the server has lost it by the next
 * one, the ticket is gone, and a try follows that takes reserved locks, with the text. */
static void a_server_that_loses_the_script_of_a_place_costs_one_more_try(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_says(0, refusal(300, 600000, RL_HOLDER_KIN));
	fake_wakes(0, 300 * MS);
	waiting_drive_to(acquire, 300);
	fake_forget_log();
	fake_says(0, "-NOSCRIPT No matching script.");
	fake_wakes(0, 100 * MS);
	fake_says(0, grant(400));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("400 a2 TRY+ k T1 30000 0 2 W1\n");
	CHECK_INT(fake_stats.wake_failures, 0);
	CHECK_INT(fake_stats.grants_undone, 0);
}

/* The same while a probe is under way: the try follows its answer. */
static void a_ticket_that_is_lost_during_a_probe_is_not_forgotten(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_says(0, refusal(300, 600000, RL_HOLDER_KIN));
	fake_wakes(0, 300 * MS);
	waiting_drive_to(acquire, 849);
	fake_forget_log();
	fake_acts(0, FAKE_SAY, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 40 * MS);
	waiting_drive_to(acquire, 860);
	CHECK_LOG("850 a1 probe+ k T1 W1\n");
	fake_forget_log();
	fake_says(0, "-NOSCRIPT No matching script.");
	fake_wakes(0, 10 * MS);
	fake_says(0, grant(890));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("890 a1 try+ k T1 30000 0 2 W1\n");
}

/* The slow process reads the ticket after the deadline. A place of 20 ms follows, and then the try
 * that decides. */
static void a_spurious_wake_up_after_the_deadline_is_followed_by_the_last_try(void)
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
			  "599 a2 try+ k T1 30000 0 1 W1 0\n"
			  "599 a1 try+ k T1 30000 1 0 W1 0\n"
			  "599 a2 RELEASE k T1\n"
			  "599 a2 end\n"
			  "599 a2 close\n");
}

static void a_spurious_wake_up_may_bring_the_look_forward(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_says(0, refusal(300, 200, RL_HOLDER_KIN));
	fake_wakes(0, 300 * MS);
	waiting_drive_to(acquire, 300);
	CHECK_INT(fake_wait.until, FAKE_START + 501 * MS);
	/* A spurious wake-up never puts the look off. */
	fake_says(0, refusal(400, 600000, RL_HOLDER_KIN));
	fake_wakes(0, 100 * MS);
	waiting_drive_to(acquire, 400);
	CHECK_INT(fake_wait.until, FAKE_START + 501 * MS);
}

/* Another client always comes first. The waiter has no place until its next look, and then takes a
 * place again. */
static void after_three_spurious_wake_ups_a_waiter_has_no_place_until_it_looks(void)
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
			  "310 a2 try+ k T1 30000 0 1 W1 0\n");
	CHECK_INT(fake_stats.wake_failures, 0);
}

/* The third wake-up comes during a look. That look takes no place, whatever it meets. The next look
 * takes one, and comes soon. */
static void three_spurious_wake_ups_may_come_during_a_look(void)
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

static void a_look_begins_the_count_of_spurious_wake_ups_anew(void)
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

/* The try of the place ran after its time and passed the ticket on: another waiter takes it, or
 * ours. */
static void a_waiter_that_is_woken_too_late_looks_at_once(void)
{
	const rl_holder holders[] = {RL_HOLDER_NOBODY, RL_HOLDER_RESERVED};
	for (unsigned i = 0; i < 2; i++) {
		rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
		fake_forget_log();
		fake_says(0, refusal(20000, i == 0 ? -2 : 5, holders[i]));
		fake_acts(0, FAKE_SAY, look(20001, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 4 * MS);
		fake_wakes(0, 300 * MS);
		waiting_drive_to(acquire, 304);
		/* The server's clock has run away, so the new place takes a new sample. */
		CHECK_LOG("300 a2 probe+ k T1 W1\n"
				  "304 a2 BLPOP k::rl-wake 10.812\n"
				  "304 a2 try+ k T1 30000 0 1 W1 0\n");
		CHECK_INT(fake_stats.tries, 1);
		CHECK_INT(fake_stats.probes, 2);
		CHECK_INT(fake_stats.backoffs, 0);
		CHECK_INT(fake_stats.grants_undone, 0);
		fake_end();
	}
}

static void a_waiter_that_is_woken_too_late_three_times_does_not_spin(void)
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

static void a_waiter_that_is_woken_too_late_waits_for_its_open_look(void)
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
	/* The waiter reads the answer of the look, and then takes a place again. */
	CHECK_LOG("950 a1 BLPOP k::rl-wake 10.160\n"
			  "950 a1 TRY+ k T1 30000 0 1 W1 0\n");
	CHECK_INT(fake_stats.backoffs, 0);
}

static const check_test tests[] = {
	TEST(a_release_wakes_a_waiter),
	TEST(a_ticket_that_comes_alone_is_followed_by_an_empty_command),
	TEST(the_connections_can_be_used_afterwards),
	TEST(a_win_can_be_taken_back),
	TEST(a_place_may_win_while_a_look_is_under_way),
	TEST(the_next_call_uses_the_connection_of_the_place),
	TEST(a_place_may_win_before_the_answer_of_a_look),
	TEST(a_place_may_win_while_the_connection_of_a_look_is_dialled),
	TEST(a_place_may_win_without_a_ticket),
	TEST(a_waiter_queues_again_after_a_spurious_wake_up),
	TEST(a_server_that_loses_the_script_of_a_place_costs_one_more_try),
	TEST(a_ticket_that_is_lost_during_a_probe_is_not_forgotten),
	TEST(a_spurious_wake_up_after_the_deadline_is_followed_by_the_last_try),
	TEST(a_spurious_wake_up_may_bring_the_look_forward),
	TEST(after_three_spurious_wake_ups_a_waiter_has_no_place_until_it_looks),
	TEST(three_spurious_wake_ups_may_come_during_a_look),
	TEST(a_look_begins_the_count_of_spurious_wake_ups_anew),
	TEST(a_waiter_that_is_woken_too_late_looks_at_once),
	TEST(a_waiter_that_is_woken_too_late_three_times_does_not_spin),
	TEST(a_waiter_that_is_woken_too_late_waits_for_its_open_look),
};

CHECK_MAIN(tests, fake_end)
