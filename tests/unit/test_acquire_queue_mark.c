/* SPDX-License-Identifier: MIT
 *
 * The name of a waiter in the mark: which waits draw one, which commands carry it, and when it is
 * taken away. And which waits poll, although waiters can be woken.
 */
#include "check.h"
#include "waiting.h"

#include <string.h>

#define UNMARKED(ms, link) ms " " link " RELEASE+ k W1 W1\n"

/* ---- the name ---- */

static void the_name_of_a_waiter_has_a_form_of_its_own(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	CHECK(memcmp(acquire->waiter, "rlw.", 4) == 0);
	CHECK(memcmp(acquire->token.data, "rl1.", 4) == 0);
	CHECK(memcmp(acquire->waiter + 4, acquire->token.data + 4, 24) != 0);
	CHECK(acquire->op.call.terms.request.waiter.data == acquire->waiter);
	CHECK_INT(acquire->op.call.terms.request.waiter.len, 28);
}

static void each_wait_has_another_name(void)
{
	waiting_begin();
	for (unsigned i = 0; i < 2; i++) {
		fake_says(0, "_");
		fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
		fake_blpops(0, FAKE_SAY, FAKE_TICKET, 0);
		fake_says(0, grant(0));
		CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
	}
	CHECK_COUNT("probe+ k T1 W1 1000\n", 1);
	CHECK_COUNT("probe+ k T2 W2 1000\n", 1);
}

/* The only draw is the token. */
static void a_call_that_does_not_wait_draws_no_name(void)
{
	waiting_begin();
	fake_random_draws(1);
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
	fake_random_draws(1);
	fake_says(0, "_");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
}

static void a_waiter_that_polls_draws_no_name(void)
{
	waiting_begin();
	fake_set.wakes = false;
	fake_random_draws(1);
	fake_says(0, "_");
	fake_says(0, grant(0));
	rl_acquire *acquire = fake_acquire(30000, SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK(acquire->op.call.terms.request.waiter.data == NULL);
}

static void without_random_bytes_for_a_name_the_call_ends(void)
{
	static const char *const tokens[] = {NULL, "mine"};
	for (unsigned i = 0; i < 2; i++) {
		waiting_begin();
		fake_random_draws(1); /* the token */
		fake_says(0, "_");
		rl_acquire *acquire = tokens[i] == NULL ? fake_acquire(30000, SECOND)
												: fake_acquire_own(tokens[i], 30000, SECOND);
		CHECK_INT(fake_drive(&acquire->op), RL_ERR_RANDOM);
		CHECK_INT(fake_ms(), 0);
		CHECK_COUNT("\n", 1); /* the SET, which was refused */
		CHECK_INT(fake_pool.count, 2);
		CHECK_INT(fake_stats.failed, 1);
		fake_end();
	}
}

/* The try of the place that was left may run late, and take away the mark with its name. */
static void the_next_place_has_another_name(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_says(0, look(850, -2, RL_HOLDER_NOBODY, RL_TICKET_OUT));
	fake_says(0, ":0");
	fake_says(0, refusal(850, 600000, RL_HOLDER_KIN));
	fake_says(0, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 1600);
	CHECK_COUNT("RELEASE+ k W1 W1\n", 1);
	CHECK_COUNT("probe+ k T2 W2\n", 1);
	CHECK_COUNT("probe+ k T2 W1\n", 0);
}

/* ---- the mark is taken away ---- */

static void after_a_grant_the_mark_is_gone(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	waiting_look_on(1);
	waiting_drive_to(acquire, 1500);
	fake_forget_log();
	fake_says(0, grant(1600));
	fake_wakes(0, 100 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("");
	fake_end();
	/* The same, with a try that marks the waiter. */
	waiting_begin();
	fake_says(0, "-LOADING x");
	fake_says(0, grant(10));
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
	CHECK_COUNT("try+ k T1 30000 0 0 W1 990\n", 1);
	CHECK_COUNT("RELEASE", 0);
}

static void the_last_try_takes_the_mark_away(void)
{
	rl_acquire *acquire = waiting_queued(30000, 500 * MS);
	fake_forget_log();
	fake_says(0, refusal(500, 600000, RL_HOLDER_KIN));
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_COUNT("try+ k T1 30000 1 0 W1 0\n", 1);
	CHECK_COUNT("k W1 W1", 0);
}

static void a_waiter_without_a_mark_takes_no_mark_away(void)
{
	waiting_begin();
	fake_says(0, "-WRONGTYPE x");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_ERR_SERVER);
	fake_acts(0, FAKE_SAY, "_", 5 * MS);
	rl_acquire *acquire = fake_acquire(30000, SECOND);
	waiting_drive_to(acquire, 1);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("W1", 0);
}

/* A mark is void after two seconds, so no connection is dialled to take it away. */
static void without_an_idle_connection_the_mark_stays(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	rl_pool_clear(&fake_pool);
	fake_forget_log();
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_LOG("0 a2 RELEASE k T1\n"
			  "0 a2 end\n"
			  "0 a2 close\n");
}

static void broken_connections_leave_the_mark(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_acts(0, FAKE_BREAK_UNSENT, NULL, 0); /* on the connection of the place */
	fake_acts(0, FAKE_BREAK_UNSENT, NULL, 0);
	fake_forget_log();
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_LOG("0 a2 close\n0 a1 close\n");
	CHECK_INT(fake_pool.count, 0);
}

/* With the mark, the next release would reserve the lock for this wait for up to two seconds. */
static void the_mark_is_taken_away_from_a_slow_server_too(void)
{
	for (int64_t ms = 20; ms <= 500; ms += 240) {
		waiting_begin();
		fake_says(0, "_");
		fake_acts(0, FAKE_SAY, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), ms * MS);
		rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
		waiting_drive_to(acquire, ms + 10);
		rl_op_abandon(&acquire->op, fake_clock, false);
		CHECK_COUNT(" a1 RELEASE+ k W1 W1\n", 1);
		fake_end();
	}
}

/* The removal uses the connection of the look, whatever else is idle: a look that runs after it
 * would set the mark again. */
static void the_mark_is_taken_away_after_a_look_under_way(void)
{
	for (unsigned i = 0; i < 2; i++) {
		rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
		fake_acts(0, FAKE_SAY, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 200 * MS);
		waiting_drive_to(acquire, 900);
		fake_warm(0);
		fake_forget_log();
		if (i == 0) {
			rl_op_abandon(&acquire->op, fake_clock, false);
		} else {
			rl_acquire_stop(acquire, fake_clock);
		}
		CHECK_HAS(fake_log(), UNMARKED("900", "a1"));
		CHECK_COUNT("RELEASE+ k W1 W1", 1);
		fake_end();
	}
}

static void the_mark_is_taken_away_once(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_says(0, "-WRONGTYPE x"); /* for the look */
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("RELEASE+ k W1 W1\n", 1);
	CHECK_INT(fake_stats.grants_undone, 1); /* the token in the queue; this is no undo */
}

/* No call waits for the answers, and the next command follows them. */
static void the_answer_to_the_removal_of_the_mark_is_discarded(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_acts(0, FAKE_SILENCE, NULL, 0); /* the undo in the queue is not read */
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	fake_forget_log();
	rl_op_abandon(&acquire->op, fake_clock, false);
	fake_free(&acquire->op);
	CHECK_HAS(fake_log(), UNMARKED("0", "a1"));
	CHECK_INT(fake_pool.count, 1);
}

static void a_forked_child_takes_no_mark_away(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	fake_fork();
	rl_op_abandon(&acquire->op, fake_clock, true);
	CHECK_COUNT("W1", 0);
}

/* ---- waits that are too short for the queue ---- */

static void a_short_wait_polls(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, refusal(10, 600000, RL_HOLDER_KIN));
	fake_says(0, refusal(19, 600000, RL_HOLDER_KIN));
	fake_random_draws(1);
	CHECK_INT(fake_drive(&fake_acquire(30000, RL_QUEUE_WORTH_NS - 1)->op), RL_BUSY);
	/* The tries name the helper keys, so that a grant reports its time. No try marks the waiter. */
	CHECK_LOG("0 a2 SET k T1 NX PX 30000\n"
			  "10 a2 try+ k T1 30000 0 0 - 0\n"
			  "19 a2 try+ k T1 30000 0 0 - 0\n");
	CHECK_INT(fake_stats.wake_failures, 0);
	CHECK_INT(fake_stats.probes, 0);
	fake_end();
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(fake_acquire(30000, RL_QUEUE_WORTH_NS), 1);
	CHECK_COUNT("BLPOP", 1);
}

/* The SET is refused after this time. The wait that is left is just long enough for the queue: with
 * one nanosecond less of it the waiter polls. */
static void queues_but_just(int64_t set_ms, int64_t wait_ms)
{
	for (unsigned i = 0; i < 2; i++) {
		waiting_begin();
		fake_acts(0, FAKE_SAY, "_", set_ms * MS + i);
		fake_says(0,
			i == 0 ? look(set_ms, 600000, RL_HOLDER_KIN, RL_TICKET_NONE)
				   : refusal(set_ms, 600000, RL_HOLDER_KIN));
		waiting_drive_to(fake_acquire(30000, wait_ms * MS), set_ms + 15);
		CHECK_COUNT("BLPOP", 1 - i);
		CHECK_COUNT("probe", 1 - i);
		CHECK_COUNT("try", i);
		CHECK_COUNT("W1", i == 0 ? 2 : 0);
		fake_end();
	}
}

/* The time that is left after the refusal of the SET decides. */
static void a_wait_polls_if_the_set_has_used_up_its_time(void)
{
	queues_but_just(5, 25);
}

/* The answer to a probe would leave no time for the try at the deadline. */
static void a_wait_of_less_than_two_round_trips_polls(void)
{
	queues_but_just(40, 120);
}

/* A wait that has become short in the queue stays there. */
static void a_wait_that_becomes_short_stays_in_the_queue(void)
{
	rl_acquire *acquire = waiting_queued(30000, 500 * MS);
	waiting_drive_to(acquire, 490);
	fake_forget_log();
	fake_says(0, refusal(495, 600000, RL_HOLDER_KIN));
	fake_wakes(0, 5 * MS);
	waiting_drive_to(acquire, 496);
	CHECK_LOG("495 a2 BLPOP k::rl-wake 1.025\n495 a2 try+ k T1 30000 0 1 W1 0\n");
}

/* ---- the choice of the connection ---- */

/* The looks need a connection, and the try at the deadline must not have to dial. */
static void the_last_idle_connection_is_left_alone(void)
{
	waiting_begin();
	rl_pool_clear(&fake_pool);
	fake_warm(0);
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_look_on(1);
	waiting_drive_to(acquire, 1500);
	CHECK_LOG("0 a3 SET k T1 NX PX 30000\n"
			  "0 a3 probe+ k T1 W1\n"
			  "0 a4 dial\n"
			  "0 a4 NAME\n"
			  "0 a4 BLPOP k::rl-wake 11.120\n"
			  "0 a4 TRY+ k T1 30000 0 1 W1 0\n"
			  "850 a3 probe+ k T1 W1\n");
	CHECK_INT(fake_pool.count, 1);
}

/* Connections to another server, or with another login, cannot serve the looks. */
static void idle_connections_to_elsewhere_do_not_count(void)
{
	fake_begin(1);
	fake_set.wakes = true;
	fake_warm(1);
	fake_warm(1);
	fake_warm(0);
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(fake_acquire(30000, 10 * SECOND), 1);
	CHECK_HAS(fake_log(), "0 a2 dial\n0 a2 NAME\n0 a2 BLPOP k::rl-wake 11.120\n");
	CHECK_INT(fake_pool.count, 3);
}

static const check_test tests[] = {
	TEST(the_name_of_a_waiter_has_a_form_of_its_own),
	TEST(each_wait_has_another_name),
	TEST(a_call_that_does_not_wait_draws_no_name),
	TEST(a_waiter_that_polls_draws_no_name),
	TEST(without_random_bytes_for_a_name_the_call_ends),
	TEST(the_next_place_has_another_name),
	TEST(after_a_grant_the_mark_is_gone),
	TEST(the_last_try_takes_the_mark_away),
	TEST(a_waiter_without_a_mark_takes_no_mark_away),
	TEST(without_an_idle_connection_the_mark_stays),
	TEST(broken_connections_leave_the_mark),
	TEST(the_mark_is_taken_away_from_a_slow_server_too),
	TEST(the_mark_is_taken_away_after_a_look_under_way),
	TEST(the_mark_is_taken_away_once),
	TEST(the_answer_to_the_removal_of_the_mark_is_discarded),
	TEST(a_forked_child_takes_no_mark_away),
	TEST(a_short_wait_polls),
	TEST(a_wait_polls_if_the_set_has_used_up_its_time),
	TEST(a_wait_of_less_than_two_round_trips_polls),
	TEST(a_wait_that_becomes_short_stays_in_the_queue),
	TEST(the_last_idle_connection_is_left_alone),
	TEST(idle_connections_to_elsewhere_do_not_count),
};

CHECK_MAIN(tests, fake_end)
