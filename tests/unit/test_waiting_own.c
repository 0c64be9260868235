/* SPDX-License-Identifier: MIT
 *
 * A wait with a caller's own token. It can neither be exchanged nor be owed, and is never undone without the
 * answer that granted it: the queue is ended, and the server's end tells whether its try was run.
 */
#include "check.h"
#include "waiting.h"

#include <string.h>

static rl_acquire *before_the_deadline(void)
{
	rl_acquire *acquire = waiting_queued_own(30000, 1500 * MS);
	waiting_look_on(1);
	waiting_drive_to(acquire, 1499);
	fake_forget_log();
	return acquire;
}

/* ---- the end of the queue ---- */

static void the_queue_is_ended_before_the_last_try(void)
{
	rl_acquire *acquire = before_the_deadline();
	fake_acts(0, FAKE_SAY, refusal(1500, 600000, RL_HOLDER_FOREIGN), 5 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_LOG("1500 a2 end\n1500 a2 close\n1500 a1 try+ k mine 30000 0 0 W1 1\n");
	CHECK_INT(fake_ms(), 1505);
	CHECK_INT(fake_stats.undone, 0);
	CHECK_INT(fake_stats.timed_out, 1);
}

static void the_last_try_may_have_it(void)
{
	rl_acquire *acquire = before_the_deadline();
	fake_acts(0, FAKE_SAY, grant(1500), 5 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(acquire->proven_until, waiting_proof(1500, 30000));
}

/* The server said the end without an answer: the try was not run, so this is somebody else's. */
static void the_own_token_met_then_is_a_refusal(void)
{
	rl_acquire *acquire = before_the_deadline();
	fake_says(0, refusal(1500, 600000, RL_HOLDER_SELF));
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_COUNT("RELEASE", 0);
}

/* An end that is none of the server's own tells nothing: an answer may have been lost with it. */
static void a_reset_behind_the_end_is_no_proof(void)
{
	rl_acquire *acquire = before_the_deadline();
	fake_end_errno = 104;
	fake_says(0, refusal(1500, 600000, RL_HOLDER_SELF));
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_UNKNOWN);
	CHECK_INT(fake_ms(), 1500);
	CHECK_COUNT("RELEASE", 0);
}

/* The ticket came before the end did: the answer is under way. */
static void a_win_may_come_before_the_end(void)
{
	rl_acquire *acquire = before_the_deadline();
	fake_acts(0, FAKE_SAY, grant(1499), 100 * MS);
	fake_wakes(0, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("1500 a2 end\n1599 a2 close\n");
	CHECK_INT(fake_ms(), 1599);
	CHECK_INT(acquire->proven_until, waiting_proof(1494, 30000) + MS / 100); /* 499 ms less drift */
	CHECK_INT(fake_stats.wake_ups, 1);
	CHECK_INT(fake_stats.undone, 0);
	CHECK_INT(fake_pool.count, 1);
}

static void a_refusal_may_come_before_the_end(void)
{
	rl_acquire *acquire = before_the_deadline();
	fake_acts(0, FAKE_SAY, refusal(1499, 600000, RL_HOLDER_FOREIGN), 100 * MS);
	fake_wakes(0, 0);
	fake_says(0, refusal(1599, 600000, RL_HOLDER_SELF));
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_LOG("1500 a2 end\n1599 a2 close\n1599 a1 try+ k mine 30000 0 0 W1 1\n");
	CHECK_INT(fake_stats.wake_ups_taken, 1);
}

static void an_error_may_come_before_the_end(void)
{
	rl_acquire *acquire = before_the_deadline();
	fake_acts(0, FAKE_SAY, "-WRONGTYPE x", 100 * MS);
	fake_wakes(0, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_LOG("1500 a2 end\n"
			  "1599 a2 close\n"
			  "1599 a1 RELEASE+ k W1 W1\n");
	CHECK_INT(fake_stats.undone, 0);
}

static void a_win_of_no_use_may_come_before_the_end(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
	rl_acquire *acquire = fake_acquire_own("mine", 20, 500 * MS);
	waiting_drive_to(acquire, 499);
	fake_acts(0, FAKE_SAY, grant(499), 100 * MS);
	fake_wakes(0, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SLOW);
	/* Nothing more may be written behind the end. */
	CHECK_COUNT("RELEASE", 0);
	CHECK_HAS(acquire->op.err->message, "; what may be left of it ends by its TTL");
}

/* No word and no end, for half as long as an answer may take: the server hangs, and may run the try yet. */
static rl_acquire *without_an_end(const char *last)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
	fake_blpops(0, FAKE_SILENCE, NULL, 0);
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 1500 * MS);
	waiting_look_on(1);
	waiting_drive_to(acquire, 1499);
	fake_forget_log();
	fake_says(0, last);
	return acquire;
}

static void without_an_end_the_own_token_is_unknown(void)
{
	rl_acquire *acquire = without_an_end(refusal(2000, 600000, RL_HOLDER_SELF));
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_UNKNOWN);
	CHECK_LOG("1500 a2 end\n2000 a2 close\n2000 a1 try+ k mine 30000 0 0 W1 1\n");
	CHECK_HAS(acquire->op.err->message, "the connection that waited broke");
	CHECK_HAS(acquire->op.err->message, "outcome unknown");
	CHECK_INT(fake_stats.undone, 0);
	CHECK_INT(fake_stats.failed, 1);
}

static void without_an_end_another_holder_is_a_refusal(void)
{
	rl_acquire *acquire = without_an_end(refusal(2000, 600000, RL_HOLDER_KIN));
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
}

static void without_an_end_the_last_try_may_have_it(void)
{
	rl_acquire *acquire = without_an_end(grant(2000));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(acquire->proven_until, waiting_proof(2000, 30000));
}

/* Never later than the deadline by more than one timeout. */
static void a_server_that_hangs_is_waited_for_once(void)
{
	rl_acquire *acquire = without_an_end(NULL);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_TIMEOUT);
	CHECK_INT(fake_ms(), 2500);
}

/* Woken, and then the connection broke: the try may have been run. */
static void an_end_behind_the_ticket_alone_is_no_proof(void)
{
	rl_acquire *acquire = before_the_deadline();
	fake_acts(0, FAKE_BREAK, NULL, 50 * MS); /* what became of the queue's try */
	fake_says(0, refusal(1549, 30000, RL_HOLDER_SELF));
	fake_wakes(0, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_UNKNOWN);
}

static void nonsense_behind_the_end_is_no_proof(void)
{
	rl_acquire *acquire = before_the_deadline();
	fake_acts(0, FAKE_NONSENSE, NULL, 50 * MS);
	fake_says(0, refusal(1549, 30000, RL_HOLDER_SELF));
	fake_wakes(0, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_UNKNOWN);
}

/* Nothing may be written behind the end, and nothing is waited for. */
static void given_up_behind_the_end_it_is_closed(void)
{
	for (unsigned is_forked = 0; is_forked < 2; is_forked++) {
		rl_acquire *acquire = before_the_deadline();
		fake_acts(0, FAKE_SAY, grant(1499), 100 * MS);
		fake_wakes(0, 0);
		waiting_drive_to(acquire, 1550);
		CHECK_INT(acquire->phase, RL_ACQUIRE_LEAVING);
		CHECK_INT(fake_wait.count, 1);
		CHECK_INT(fake_wait.until, FAKE_START + 2000 * MS);
		if (is_forked) {
			fake_fork();
		}
		rl_op_abandon(&acquire->op, fake_clock, is_forked);
		CHECK_HAS(fake_log(), "1500 a2 end\n1550 a2 close\n");
		CHECK_COUNT("RELEASE+ k mine", 0);
		CHECK_COUNT("RELEASE+ k W1 W1", 1 - is_forked);
		CHECK_INT(fake_stats.undone, 0);
		fake_end();
	}
}

/* ---- before the deadline ---- */

static void the_last_of_retries_ends_the_queue_too(void)
{
	rl_acquire *acquire = waiting_queued_own(30000, RL_NEVER);
	fake_set.retries = 1;
	fake_forget_log();
	fake_says(0, refusal(1000, 600000, RL_HOLDER_KIN));
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_LOG("1000 a2 end\n1000 a2 close\n1000 a1 try+ k mine 30000 0 0 W1 1\n");
	CHECK_INT(fake_ms(), 1000);
}

static void a_ticket_that_lies_there_ends_the_queue_and_it_goes_in_again(void)
{
	rl_acquire *acquire = waiting_queued_own(30000, 10 * SECOND);
	fake_forget_log();
	fake_says(0, look(1000, -2, RL_HOLDER_NOBODY, RL_TICKET_OUT));
	fake_says(0, refusal(1000, 600000, RL_HOLDER_KIN));
	waiting_drive_to(acquire, 1100);
	CHECK_LOG("1000 a1 nudge+ k mine W1\n"
			  "1000 a2 end\n"
			  "1000 a2 close\n"
			  "1000 a1 try+ k mine 30000 0 0 W1 0\n"
			  "1000 a3 dial\n"
			  "1000 a3 NAME\n"
			  "1000 a3 BLPOP k::rl-wake 9.110\n"
			  "1000 a3 TRY+ k mine 30000 0 1009910000 W1 0\n");
	fake_says(0, grant(1500));
	fake_wakes(0, 400 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_pool.count, 2); /* it was not ended: it can be used again */
}

static void a_queue_that_is_not_reached_yet_is_just_closed(void)
{
	waiting_begin();
	rl_pool_clear(&fake_pool);
	fake_dials(0, FAKE_ACCEPT_AT_ONCE, 0);
	fake_dials(0, FAKE_HANG, 0);
	fake_says(0, "_");
	fake_acts(0, FAKE_SAY_BREAK, refusal(0, 600000, RL_HOLDER_KIN), 0);
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 500 * MS);
	waiting_drive_to(acquire, 499);
	fake_forget_log();
	fake_says(0, refusal(500, 600000, RL_HOLDER_SELF));
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_LOG("500 a4 close\n"
			  "500 a5 dial\n"
			  "500 a5 try+ k mine 30000 0 0 W1 1\n"
			  "500 a5 NAME\n");
}

/* ---- a queue that is lost ---- */

static rl_acquire *lost_at_300(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
	fake_blpops(0, FAKE_BREAK, NULL, 300 * MS);
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 10 * SECOND);
	waiting_drive_to(acquire, 300);
	CHECK_INT(acquire->queue.state, RL_QUEUE_OUT);
	fake_forget_log();
	return acquire;
}

static void lost_in_the_queue_the_own_token_is_unknown(void)
{
	rl_acquire *acquire = lost_at_300();
	fake_says(0, refusal(310, 29000, RL_HOLDER_SELF));
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_UNKNOWN);
	CHECK_LOG("310 a1 try+ k mine 30000 0 0 W1 0\n"
			  "310 a1 RELEASE+ k W1 W1\n");
	CHECK(strstr(acquire->op.err->message, "mine") == NULL);
	CHECK_INT(fake_stats.undone, 0);
	CHECK_INT(fake_stats.reconnects, 1);
}

static void lost_in_the_queue_another_holder_is_a_refusal(void)
{
	rl_acquire *acquire = lost_at_300();
	fake_says(0, refusal(310, 600000, RL_HOLDER_KIN));
	waiting_drive_to(acquire, 320);
	CHECK_LOG("310 a1 try+ k mine 30000 0 0 W1 0\n"
			  "310 a3 dial\n"
			  "310 a3 NAME\n"
			  "310 a3 BLPOP k::rl-wake 9.806\n"
			  "310 a3 TRY+ k mine 30000 0 1009903100 W1 0\n");
}

/* The server need not have noticed that the connection is gone: its try may be run until its time is over. */
static void lost_in_the_queue_another_holder_does_not_settle_it(void)
{
	rl_acquire *acquire = lost_at_300();
	fake_set.retries = 1;
	fake_says(0, refusal(310, 29000, RL_HOLDER_KIN));
	fake_set.retries = 2;
	fake_says(0, refusal(1310, 29000, RL_HOLDER_SELF));
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_UNKNOWN);
}

/* Whatever ends the call then: the key may hold the token. */
static void lost_in_the_queue_a_failure_tells_of_the_doubt(void)
{
	rl_acquire *acquire = lost_at_300();
	fake_says(0, "-NOAUTH x");
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_HAS(acquire->op.err->message, "outcome unknown");
}

static void lost_in_the_queue_it_may_have_it(void)
{
	rl_acquire *acquire = lost_at_300();
	fake_says(0, grant(310));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(acquire->proven_until, waiting_proof(310, 30000));
}

static void lost_before_it_was_sent_nothing_is_unknown(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
	fake_blpops(0, FAKE_BREAK_UNSENT, NULL, 0);
	fake_says(0, refusal(10, 29000, RL_HOLDER_SELF));
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 10 * SECOND);
	waiting_drive_to(acquire, 20);
	CHECK_HAS(fake_log(), "10 a1 try+ k mine 30000 0 0 W1 0\n10 a3 dial\n10 a3 NAME\n10 a3 BLPOP");
}

/* ---- given up with a win ---- */

/* Won at 100 ms of 1 s, and given up then, with the answer read or not. */
static void give_up_a_win_at(int64_t at, unsigned undone)
{
	rl_acquire *acquire = waiting_queued_own(1000, 10 * SECOND);
	waiting_drive_to(acquire, 100);
	fake_says(0, grant(100));
	fake_wakes(0, 0);
	fake_forget_log();
	fake_clock = at;
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("RELEASE+ k mine", undone);
	CHECK_COUNT("RELEASE k mine", 0);
	CHECK_INT(fake_stats.undone, undone);
	fake_end();
}

/* Then it has ended, and somebody else may hold with an equal token. */
static void a_win_is_undone_while_it_is_proven(void)
{
	fake_begin(1);
	int64_t proof = waiting_proof(99, 1000); /* 1 % less of the time since the sample */
	fake_end();
	give_up_a_win_at(FAKE_START + 100 * MS, 1);
	give_up_a_win_at(proof - 1, 1);
	give_up_a_win_at(proof, 0);
	give_up_a_win_at(FAKE_START + 2 * SECOND, 0);
}

/* Won at 300 ms; the answer comes at 1150 ms, when a look is under way that was sent at 1000 ms. A signal handler runs
 * until that proof is over. */
static void a_look_behind_the_win_does_not_prolong_it(void)
{
	rl_acquire *acquire = waiting_queued_own(2000, 10 * SECOND);
	waiting_drive_to(acquire, 200);
	fake_wakes(0, 100 * MS);
	fake_acts(0, FAKE_SAY, grant(300), 850 * MS);
	waiting_drive_to(acquire, 300);
	fake_acts(0, FAKE_SAY, look(900, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 400 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 1150);
	fake_clock = acquire->proven_until + 200 * MS;
	fake_forget_log();
	rl_exchange_hold(&acquire->op.exchange, false, fake_clock);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("RELEASE", 0);
}

static const check_test tests[] = {
	TEST(the_queue_is_ended_before_the_last_try),
	TEST(the_last_try_may_have_it),
	TEST(the_own_token_met_then_is_a_refusal),
	TEST(a_reset_behind_the_end_is_no_proof),
	TEST(a_win_may_come_before_the_end),
	TEST(a_refusal_may_come_before_the_end),
	TEST(an_error_may_come_before_the_end),
	TEST(a_win_of_no_use_may_come_before_the_end),
	TEST(without_an_end_the_own_token_is_unknown),
	TEST(without_an_end_another_holder_is_a_refusal),
	TEST(without_an_end_the_last_try_may_have_it),
	TEST(a_server_that_hangs_is_waited_for_once),
	TEST(an_end_behind_the_ticket_alone_is_no_proof),
	TEST(nonsense_behind_the_end_is_no_proof),
	TEST(given_up_behind_the_end_it_is_closed),
	TEST(the_last_of_retries_ends_the_queue_too),
	TEST(a_ticket_that_lies_there_ends_the_queue_and_it_goes_in_again),
	TEST(a_queue_that_is_not_reached_yet_is_just_closed),
	TEST(lost_in_the_queue_the_own_token_is_unknown),
	TEST(lost_in_the_queue_another_holder_is_a_refusal),
	TEST(lost_in_the_queue_another_holder_does_not_settle_it),
	TEST(lost_in_the_queue_a_failure_tells_of_the_doubt),
	TEST(lost_in_the_queue_it_may_have_it),
	TEST(lost_before_it_was_sent_nothing_is_unknown),
	TEST(a_win_is_undone_while_it_is_proven),
	TEST(a_look_behind_the_win_does_not_prolong_it),
};

CHECK_MAIN(tests, fake_end)
