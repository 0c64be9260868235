/* SPDX-License-Identifier: MIT
 *
 * A wait with a caller's own token. A token of our form waits like a drawn one. Any other takes the
 * place of the drawn one that has won.
 */
#include "check.h"
#include "waiting.h"

#include <string.h>

static void check_has_own_token(const rl_acquire *acquire)
{
	CHECK(rl_bytes_equal(acquire->token, bytes_of("mine")));
}

/* The place has won at 100 ms. The test then plans what becomes of the swap. */
static rl_acquire *won_at_100(int64_t ttl_ms)
{
	rl_acquire *acquire = waiting_queued_own(ttl_ms, 10 * SECOND);
	fake_forget_log();
	fake_says(0, grant(100));
	fake_wakes(0, 100 * MS);
	return acquire;
}

/* Only a look comes before the deadline, and the last try wins 5 ms after it. */
static rl_acquire *won_at_the_deadline(void)
{
	rl_acquire *acquire = waiting_queued_own(30000, 1500 * MS);
	waiting_look_on(1);
	waiting_drive_to(acquire, 1499);
	fake_forget_log();
	fake_acts(0, FAKE_SAY, grant(1500), 5 * MS);
	return acquire;
}

/* ---- the win ---- */

static void a_waiter_with_its_own_token_queues_with_a_drawn_one(void)
{
	waiting_queued_own(30000, 10 * SECOND);
	CHECK_LOG("0 a2 SET k T1 NX PX 30000\n"
			  "0 a2 probe+ k T1 W1\n"
			  "0 a2 BLPOP k::rl-wake 11.120\n"
			  "0 a2 TRY+ k T1 30000 0 1 W1 0\n");
}

static void the_own_token_is_swapped_in_after_a_win_in_the_queue(void)
{
	rl_acquire *acquire = won_at_100(30000);
	fake_acts(0, FAKE_SAY, ":1", 20 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("100 a2 swap k T1 mine 30000\n");
	check_has_own_token(acquire);
	CHECK_INT(acquire->proven_until, waiting_proof(100, 30000)); /* the TTL is new */
	CHECK_INT(fake_ms(), 120);
	CHECK_INT(fake_stats.acquired, 1);
	CHECK_INT(fake_pool.count, 2);
}

static void the_own_token_is_swapped_in_after_a_win_of_the_last_try(void)
{
	rl_acquire *acquire = won_at_the_deadline();
	fake_acts(0, FAKE_SAY, ":1", 5 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("1500 a1 try+ k T1 30000 1 0 W1 0\n1505 a2 close\n1505 a1 swap k T1 mine 30000\n");
	check_has_own_token(acquire);
	CHECK_INT(acquire->proven_until, waiting_proof(1505, 30000));
}

static void a_look_that_meets_the_drawn_token_is_followed_by_a_try(void)
{
	rl_acquire *acquire = waiting_queued_own(30000, 10 * SECOND);
	fake_forget_log();
	fake_says(0, look(850, 29000, RL_HOLDER_SELF, RL_TICKET_NONE));
	fake_says(0, grant(850));
	fake_says(0, ":1");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("850 a1 probe+ k T1 W1\n"
			  "850 a1 try+ k T1 30000 1 2 W1\n"
			  "850 a2 close\n"
			  "850 a1 swap k T1 mine 30000\n");
}

static void a_grant_of_the_first_set_is_swapped_too(void)
{
	waiting_begin();
	fake_says(0, "+OK");
	fake_says(0, ":1");
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 10 * SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("0 a2 SET k T1 NX PX 30000\n0 a2 swap k T1 mine 30000\n");
	check_has_own_token(acquire);
}

static void a_waiter_that_polls_swaps_too(void)
{
	waiting_begin();
	fake_set.wakes = false;
	fake_says(0, "_");
	fake_says(0, grant(0));
	fake_says(0, ":1");
	rl_acquire *acquire = fake_acquire_own("mine", 30000, SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("10 a2 try k T1 30000 0 0 - 0\n10 a2 swap k T1 mine 30000\n", 1);
}

/* ---- a token of our form ---- */

static rl_acquire *queued_with_our_form(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	rl_acquire *acquire = fake_acquire_own(FAKE_DRAWN, 30000, 10 * SECOND);
	waiting_drive_to(acquire, 50);
	return acquire;
}

static void a_token_of_our_form_waits_in_the_queue(void)
{
	rl_acquire *acquire = queued_with_our_form();
	CHECK_COUNT("0 a2 TRY+ k drawn 30000 0 1 W1 0\n", 1);
	fake_says(0, grant(100));
	fake_wakes(0, 50 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("swap", 0);
	CHECK(rl_bytes_equal(acquire->token, bytes_of(FAKE_DRAWN)));
}

/* The server may read the undo of the place when another call with this token has the lock. */
static void the_undo_of_a_place_holds_the_next_call_with_its_token_back(void)
{
	rl_acquire *acquire = queued_with_our_form();
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	fake_wakes(0, 10 * MS);
	waiting_drive_to(acquire, 70);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("70 a2 RELEASE k drawn\n", 1);
	CHECK(rl_pool_may_free(
		&fake_pool, NULL, rl_conn_lock(bytes_of("k"), bytes_of(FAKE_DRAWN)), fake_clock));
	fake_forget_log();
	fake_says(0, "+OK");
	acquire = fake_acquire_own(FAKE_DRAWN, 30000, 0);
	CHECK(!fake_drive_to(&acquire->op, fake_clock) || acquire->op.status != RL_OK);
	CHECK_COUNT("SET k drawn", 0);
	CHECK_COUNT("SET k T1", 1);
}

/* An earlier call with this token has the lock. The wait goes on with a drawn token, and takes the
 * lock when it is free. */
static void the_token_of_an_earlier_call_is_waited_for(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_SELF, RL_TICKET_NONE));
	rl_acquire *acquire = fake_acquire_own(FAKE_DRAWN, 30000, 10 * SECOND);
	waiting_drive_to(acquire, 50);
	CHECK_LOG("0 a2 SET k drawn NX PX 30000\n"
			  "0 a2 probe+ k drawn W1\n"
			  "0 a2 BLPOP k::rl-wake 11.120\n"
			  "0 a2 TRY+ k T1 30000 0 1 W1 0\n");
	fake_says(0, grant(100));
	fake_says(0, ":1");
	fake_wakes(0, 50 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("100 a2 swap k T1 drawn 30000\n", 1);
}

/* ---- lost answers ---- */

static void a_lost_answer_is_asked_for_again(void)
{
	static const char *const answers[] = {":1", ":2"};
	for (unsigned i = 0; i < 2; i++) {
		rl_acquire *acquire = won_at_100(30000);
		fake_acts(0, FAKE_BREAK, NULL, 30 * MS);
		fake_says(0, answers[i]);
		CHECK_INT(fake_drive(&acquire->op), RL_OK);
		CHECK_LOG("100 a2 swap k T1 mine 30000\n"
				  "130 a2 close\n"
				  "130 a1 swap k T1 mine 30000\n");
		check_has_own_token(acquire);
		/* If the second swap replaces the drawn token, its TTL counts. If it finds the caller's
		 * token there, another caller may have set that one: then no more is proven than by the
		 * win, less 1 % of the time since the sample. */
		CHECK_INT(
			acquire->proven_until, i == 0 ? waiting_proof(130, 30000) : waiting_proof(99, 30000));
		fake_end();
	}
}

/* The server finds the caller's token although no swap was lost: another client has set it. */
static void an_equal_token_without_a_lost_answer_is_a_refusal(void)
{
	rl_acquire *acquire = won_at_100(30000);
	fake_says(0, ":2");
	fake_says(0, refusal(110, 600000, RL_HOLDER_FOREIGN));
	fake_says(0, look(110, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 500);
	CHECK_COUNT("RELEASE", 0);
	CHECK_COUNT("110 a2 try+ k T2 30000 0 0 W1\n", 1);
	CHECK_COUNT("110 a2 probe+ k T2 W1\n", 1);
	CHECK(rl_queue_is_in(&acquire->queue));
}

static void a_swap_without_a_reply_is_unknown(void)
{
	rl_acquire *acquire = won_at_100(30000);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_TIMEOUT);
	CHECK_LOG("100 a2 swap k T1 mine 30000\n"
			  "1100 a2 RELEASE k T1\n"
			  "1100 a2 end\n");
	CHECK_HAS(acquire->op.err->message, "outcome unknown");
	CHECK(strstr(acquire->op.err->message, "mine") == NULL);
	CHECK_INT(fake_stats.failed, 1);
}

/* The win and the swap have one timeout together. */
static void the_swap_at_the_deadline_has_the_rest_of_the_timeout(void)
{
	rl_acquire *acquire = won_at_the_deadline();
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_TIMEOUT);
	CHECK_INT(fake_ms(), 2500);
	CHECK_COUNT("2500 a1 RELEASE k T1\n", 1);
	CHECK_HAS(acquire->op.err->message, "outcome unknown");
}

/* The swap was sent, and no connection can be made to ask for it. The wait ends, although its time
 * is not over, because the caller's token is in doubt. */
static void a_swap_without_an_answer_or_a_new_connection_is_unknown(void)
{
	rl_acquire *acquire = won_at_100(30000);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	for (unsigned i = 0; i < 24; i++) {
		fake_dials(0, FAKE_REFUSE, 0);
	}
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_CONNECT);
	CHECK(fake_ms() <= 2100);
	CHECK_HAS(acquire->op.err->message, "outcome unknown");
}

/* ---- swaps that fail ---- */

/* The TTL was over, or another client has freed the lock. */
static void a_lock_that_is_lost_before_the_swap_is_waited_for_again(void)
{
	rl_acquire *acquire = won_at_100(30000);
	fake_says(0, ":0");
	fake_says(0, grant(110));
	fake_says(0, ":1");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("100 a2 swap k T1 mine 30000\n"
			  "110 a2 try+ k T2 30000 0 0 W1\n"
			  "110 a2 swap k T2 mine 30000\n");
	check_has_own_token(acquire);
}

static void a_lock_that_is_lost_before_the_swap_at_the_deadline_is_a_refusal(void)
{
	rl_acquire *acquire = won_at_the_deadline();
	fake_says(0, ":0");
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_COUNT("RELEASE k T1", 0);
	CHECK_INT(fake_stats.timed_out, 1);
}

/* The drawn token is still in the key, and no swap was sent. */
static void a_server_that_cannot_be_reached_is_asked_for_the_win_again(void)
{
	rl_acquire *acquire = won_at_100(30000);
	fake_acts(0, FAKE_BREAK_UNSENT, NULL, 0);
	fake_acts(0, FAKE_BREAK_UNSENT, NULL, 0);
	fake_dials(0, FAKE_REFUSE, 0);
	fake_says(0, grant(110));
	fake_says(0, ":1");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("try+ k T1 30000 1 0 W1\n", 1);
	CHECK_COUNT("swap k T1 mine 30000\n", 1); /* the system took only one of three */
	check_has_own_token(acquire);
}

static void an_error_that_may_pass_is_waited_out(void)
{
	rl_acquire *acquire = won_at_100(30000);
	fake_says(0, "-LOADING x");
	fake_says(0, grant(110));
	fake_says(0, ":1");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("100 a2 swap k T1 mine 30000\n"
			  "110 a2 try+ k T1 30000 1 0 W1\n"
			  "110 a2 swap k T1 mine 30000\n");
}

static void an_error_that_does_not_pass_ends_the_call(void)
{
	rl_acquire *acquire = won_at_100(30000);
	fake_says(0, "-ERR x");
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_COUNT("RELEASE k T1\n", 1);
	CHECK_COUNT("mine", 1);
	CHECK(strstr(acquire->op.err->message, "outcome") == NULL);
}

/* The server says "done" when nothing is proven any more: the key is left to its TTL. */
static void an_own_token_that_is_swapped_in_too_late_is_not_undone(void)
{
	rl_acquire *acquire = won_at_100(200);
	fake_acts(0, FAKE_SAY, ":1", 197 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SLOW);
	CHECK_COUNT("RELEASE", 0);
	CHECK_HAS(acquire->op.err->message, "; a key that is left on a server ends by its TTL");
	CHECK_INT(fake_stats.failed, 1);
}

/* ---- abandoned ---- */

static void a_wait_abandoned_in_the_queue_undoes_the_drawn_token(void)
{
	rl_acquire *acquire = waiting_queued_own(30000, 10 * SECOND);
	fake_forget_log();
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_HAS(fake_log(), "0 a2 RELEASE k T1\n");
	CHECK_COUNT("mine", 0);
}

static void a_wait_abandoned_in_the_swap_undoes_the_drawn_token_after_it(void)
{
	for (unsigned is_forked = 0; is_forked < 2; is_forked++) {
		rl_acquire *acquire = won_at_100(30000);
		fake_acts(0, FAKE_SAY, ":1", 100 * MS);
		waiting_drive_to(acquire, 150);
		CHECK_INT(acquire->phase, RL_ACQUIRE_SWAPPING);
		if (is_forked) {
			fake_fork();
		}
		rl_op_abandon(&acquire->op, fake_clock, is_forked);
		CHECK_COUNT("150 a2 RELEASE k T1\n", 1 - is_forked);
		CHECK_COUNT("RELEASE+ k mine", 0);
		CHECK_COUNT("RELEASE k mine", 0);
		fake_end();
	}
}

/* The answer has arrived, unread. */
static void a_wait_abandoned_after_the_swap_undoes_the_drawn_token_alone(void)
{
	rl_acquire *acquire = won_at_100(30000);
	fake_acts(0, FAKE_SAY, ":1", 100 * MS);
	waiting_drive_to(acquire, 150);
	fake_clock += 100 * MS;
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("RELEASE k T1\n", 1);
	CHECK_COUNT("RELEASE", 1);
}

/* A signal handler ran when the call had ended. */
static void a_grant_taken_back_after_the_end_undoes_the_own_token(void)
{
	rl_acquire *acquire = won_at_100(1000);
	fake_says(0, ":1");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	fake_forget_log();
	rl_quorum_call_hold(&acquire->op.call, false, fake_clock);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("RELEASE k mine\n", 1);
	CHECK_COUNT("RELEASE", 1);
	fake_end();
	/* After the end of its TTL the token is not undone. */
	acquire = won_at_100(1000);
	fake_says(0, ":1");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	fake_forget_log();
	fake_clock = acquire->proven_until;
	rl_quorum_call_hold(&acquire->op.call, false, fake_clock);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("RELEASE", 0);
}

/* The server has carried the lost SET out after the try that was refused. */
static void a_set_that_was_carried_out_late_is_taken_over(void)
{
	static const char *const own[] = {"mine", NULL};
	for (unsigned i = 0; i < 2; i++) {
		waiting_begin();
		fake_acts(0, FAKE_BREAK, NULL, 0);
		fake_says(0, refusal(0, 20, RL_HOLDER_KIN));
		fake_says(0, look(0, 29000, RL_HOLDER_SELF, RL_TICKET_NONE));
		fake_says(0, grant(0));
		fake_says(0, ":1");
		rl_acquire *acquire = own[i] != NULL ? fake_acquire_own(own[i], 30000, 10 * SECOND)
											 : fake_acquire(30000, 10 * SECOND);
		CHECK_INT(fake_drive(&acquire->op), RL_OK);
		CHECK_COUNT("try+ k T1 30000 1 2 W1", 1);
		CHECK_COUNT("probe+", 1);
		fake_end();
	}
}

static const check_test tests[] = {
	TEST(a_waiter_with_its_own_token_queues_with_a_drawn_one),
	TEST(the_own_token_is_swapped_in_after_a_win_in_the_queue),
	TEST(the_own_token_is_swapped_in_after_a_win_of_the_last_try),
	TEST(a_look_that_meets_the_drawn_token_is_followed_by_a_try),
	TEST(a_grant_of_the_first_set_is_swapped_too),
	TEST(a_token_of_our_form_waits_in_the_queue),
	TEST(the_undo_of_a_place_holds_the_next_call_with_its_token_back),
	TEST(the_token_of_an_earlier_call_is_waited_for),
	TEST(a_waiter_that_polls_swaps_too),
	TEST(a_lost_answer_is_asked_for_again),
	TEST(an_equal_token_without_a_lost_answer_is_a_refusal),
	TEST(a_swap_without_a_reply_is_unknown),
	TEST(the_swap_at_the_deadline_has_the_rest_of_the_timeout),
	TEST(a_swap_without_an_answer_or_a_new_connection_is_unknown),
	TEST(a_lock_that_is_lost_before_the_swap_is_waited_for_again),
	TEST(a_lock_that_is_lost_before_the_swap_at_the_deadline_is_a_refusal),
	TEST(a_server_that_cannot_be_reached_is_asked_for_the_win_again),
	TEST(an_error_that_may_pass_is_waited_out),
	TEST(an_error_that_does_not_pass_ends_the_call),
	TEST(an_own_token_that_is_swapped_in_too_late_is_not_undone),
	TEST(a_set_that_was_carried_out_late_is_taken_over),
	TEST(a_wait_abandoned_in_the_queue_undoes_the_drawn_token),
	TEST(a_wait_abandoned_in_the_swap_undoes_the_drawn_token_after_it),
	TEST(a_wait_abandoned_after_the_swap_undoes_the_drawn_token_alone),
	TEST(a_grant_taken_back_after_the_end_undoes_the_own_token),
};

CHECK_MAIN(tests, fake_end)
