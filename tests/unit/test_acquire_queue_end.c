/* SPDX-License-Identifier: MIT
 *
 * How a wait that is woken ends: at the deadline, by `retries`, by a grant of no use, or abandoned.
 * Each token that the place may have won is undone or reported, and is not used again after an
 * undo.
 */
#include "check.h"
#include "waiting.h"

/* The log of a wait that leaves the queue with an undo, while the server still blocks the place. */
#define LEFT(ms, token) ms " a2 RELEASE k " token "\n" ms " a2 end\n" ms " a2 close\n"

/* The wait takes its name from the mark, unless a try has done so. */
#define UNMARKED(ms, link) ms " " link " RELEASE+ k W1 W1\n"

/* ---- the deadline ---- */

static rl_acquire *before_the_deadline(void)
{
	rl_acquire *acquire = waiting_queued(30000, 1500 * MS);
	waiting_look_on(1);
	waiting_drive_to(acquire, 1499);
	CHECK_INT(fake_wait.until, FAKE_START + 1500 * MS);
	fake_forget_log();
	return acquire;
}

static void the_try_at_the_deadline_decides(void)
{
	rl_acquire *acquire = before_the_deadline();
	fake_acts(0, FAKE_SAY, refusal(1500, 600000, RL_HOLDER_KIN), 7 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_LOG("1500 a1 try+ k T1 30000 1 0 W1 0\n" LEFT("1507", "T1"));
	CHECK_INT(fake_stats.tries, 2);
	CHECK_INT(fake_stats.timed_out, 1);
	CHECK_INT(fake_stats.grants_undone, 1);
	CHECK_INT(fake_stats.failed, 0);
	CHECK_INT(acquire->waited_ns, 1507 * MS);
	CHECK_INT(fake_pool.count, 1);
}

static void the_try_at_the_deadline_may_win(void)
{
	rl_acquire *acquire = before_the_deadline();
	fake_acts(0, FAKE_SAY, grant(1503), 7 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	/* The place has left the queue without an undo, which would delete the lock that the try has
	 * taken. */
	CHECK_LOG("1500 a1 try+ k T1 30000 1 0 W1 0\n1507 a2 close\n");
	CHECK_INT(acquire->proven_until, waiting_proof(1500, 30000));
	CHECK_INT(fake_stats.grants_undone, 0);
	CHECK_INT(fake_stats.wake_ups, 0);
}

static void the_try_at_the_deadline_may_fail(void)
{
	rl_acquire *acquire = before_the_deadline();
	fake_says(0, "-LOADING x");
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_TEXT(acquire->op.err->code, "LOADING");
	CHECK_HAS(fake_log(), LEFT("1500", "T1"));
	CHECK_INT(fake_stats.failed, 1);
	CHECK_INT(fake_stats.timed_out, 0);
}

static void a_server_that_hangs_at_the_deadline_gets_an_undo_on_both_connections(void)
{
	rl_acquire *acquire = before_the_deadline();
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	fake_acts(0, FAKE_SILENCE, NULL, 0); /* for the place */
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_TIMEOUT);
	CHECK_INT(fake_ms(), 2500);
	CHECK_LOG("1500 a1 try+ k T1 30000 1 0 W1 0\n"
			  "2500 a1 RELEASE k T1\n"
			  "2500 a1 end\n"
			  "2500 a2 RELEASE k T1\n"
			  "2500 a2 end\n"
			  "2500 a2 close\n");
	CHECK_HAS(acquire->op.err->message, "the undo that follows releases it");
	CHECK_INT(fake_stats.grants_undone, 2);
	CHECK_INT(fake_open_links(),
		1); /* the server drops the undo on the blocked connection; the other connection lingers */
}

static void the_try_at_the_deadline_may_break(void)
{
	rl_acquire *acquire = before_the_deadline();
	fake_acts(0, FAKE_BREAK, NULL, 5 * MS);
	fake_says(0, refusal(1505, 600000, RL_HOLDER_KIN));
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_HAS(fake_log(), "1505 a3 dial\n1505 a3 try+ k T1 30000 1 0 W1 0\n");
	CHECK_HAS(fake_log(), LEFT("1505", "T1"));
}

static void the_try_at_the_deadline_follows_a_look(void)
{
	rl_acquire *acquire = waiting_queued(30000, 1500 * MS);
	fake_acts(0, FAKE_SAY, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 750 * MS);
	waiting_drive_to(acquire, 1400);
	CHECK_INT(fake_wait.until, FAKE_START + 1500 * MS);
	fake_forget_log();
	fake_says(0, grant(1500));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("1500 a1 try+ k T1 30000 1 0 W1 0\n1600 a2 close\n");
	CHECK_INT(fake_pool.count, 1);
}

static void the_dial_of_a_look_is_given_up_at_the_deadline(void)
{
	rl_acquire *acquire = waiting_queued(30000, 1500 * MS);
	rl_pool_clear(&fake_pool);
	fake_dials(0, FAKE_HANG, 0);
	waiting_drive_to(acquire, 1400);
	fake_forget_log();
	fake_says(0, refusal(1500, 600000, RL_HOLDER_KIN));
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_LOG("1500 a3 close\n"
			  "1500 a4 dial\n"
			  "1500 a4 try+ k T1 30000 1 0 W1 0\n"
			  "1500 a4 NAME\n" LEFT("1500", "T1"));
}

static void a_win_at_the_deadline_is_a_win(void)
{
	rl_acquire *acquire = before_the_deadline();
	fake_says(0, grant(1500));
	fake_wakes(0, 1 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 1500);
	CHECK_LOG("");
}

/* The last try is refused. Then the unread answer of the place turns out to be a grant. */
static void a_win_that_arrives_after_the_last_refusal_is_undone(void)
{
	rl_acquire *acquire = before_the_deadline();
	fake_acts(0, FAKE_SAY, refusal(1500, 2, RL_HOLDER_KIN), 20 * MS);
	waiting_drive_to(acquire, 1510);
	fake_says(0, grant(1510));
	fake_wakes(0, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_LOG("1500 a1 try+ k T1 30000 1 0 W1 0\n"
			  "1520 a2 RELEASE k T1\n");
	CHECK_INT(fake_pool.count, 2);
	CHECK_INT(fake_stats.grants_undone, 1);
}

static void a_waiter_without_a_place_has_no_token_in_doubt(void)
{
	rl_acquire *acquire = waiting_queued(30000, 1500 * MS);
	for (unsigned i = 1; i <= 3; i++) {
		fake_says(0, refusal(i * 10, 600000, RL_HOLDER_KIN));
		fake_wakes(0, 10 * MS);
		waiting_drive_to(acquire, i * 10);
	}
	fake_forget_log();
	fake_clock = FAKE_START + 2000 * MS;
	fake_says(0, refusal(2000, 600000, RL_HOLDER_KIN));
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_LOG("2000 a2 try+ k T1 30000 0 0 W1 0\n");
	CHECK_INT(fake_stats.grants_undone, 0);
}

static void a_process_that_slept_past_the_deadline_gets_one_whole_try(void)
{
	rl_acquire *acquire = before_the_deadline();
	fake_clock += 3600 * SECOND;
	/* The BLPOP has timed out, and its try was too late, hours ago. */
	fake_says(0, refusal(1520, 600000, RL_HOLDER_KIN));
	fake_acts(0, FAKE_SAY, refusal(3601499, 600000, RL_HOLDER_KIN), 900 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_INT(fake_ms(), 3600000 + 1499 + 900);
	CHECK_COUNT("SET", 0);
}

/* ---- the last of `retries` ---- */

/* A look that met a stall is no measure of a round trip: the next look comes when it is due, not
 * only at the deadline. */
static void a_stall_in_one_look_is_no_slow_network(void)
{
	rl_acquire *acquire = waiting_queued(30000, 3 * SECOND);
	fake_forget_log();
	fake_acts(0, FAKE_SAY, look(1750, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 900 * MS);
	fake_says(0, look(1760, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 2500);
	CHECK_COUNT("probe", 2);
	CHECK_COUNT("1760 a1 probe", 1);
}

static void the_last_look_is_a_try_with_a_fresh_token(void)
{
	rl_acquire *acquire = waiting_queued(30000, RL_NEVER);
	fake_set.retries = 2;
	waiting_look_on(1);
	waiting_drive_to(acquire, 1500);
	fake_forget_log();
	fake_acts(0, FAKE_SAY, refusal(1700, 600000, RL_HOLDER_KIN), 5 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_LOG(LEFT("1700", "T1") "1700 a1 try+ k T2 30000 0 0 W1 0\n");
	CHECK_INT(fake_ms(), 1705);
	CHECK_INT(fake_stats.grants_undone, 1);
	CHECK_INT(fake_stats.probes, 2);
	CHECK_INT(fake_stats.timed_out, 1);
}

static void the_last_look_may_win(void)
{
	rl_acquire *acquire = waiting_queued(30000, RL_NEVER);
	fake_set.retries = 1;
	fake_forget_log();
	fake_says(0, grant(850));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG(LEFT("850", "T1") "850 a1 try+ k T2 30000 0 0 W1 0\n");
	CHECK_INT(acquire->proven_until, waiting_proof(850, 30000));
}

/* The wait reads what has arrived before it writes the undo: a win is undone, and the connection
 * stays open. */
static void a_win_that_arrived_with_the_end_is_given_back(void)
{
	rl_acquire *acquire = waiting_queued(30000, RL_NEVER);
	fake_set.retries = 1;
	fake_forget_log();
	waiting_drive_to(acquire, 849);
	fake_acts(0, FAKE_SAY, grant(855), 0);
	fake_says(0, ":1");
	fake_says(0, grant(860));
	fake_wakes(0, 6 * MS);
	fake_lag(10 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("860 a2 RELEASE k T1\n"
			  "860 a2 try+ k T2 30000 0 0 W1 0\n");
	CHECK_INT(fake_stats.grants_undone, 1);
}

static void a_call_without_retries_sends_one_set(void)
{
	waiting_begin();
	fake_set.retries = 0;
	fake_says(0, "_");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_BUSY);
	CHECK_LOG("0 a2 SET k T1 NX PX 30000\n");
}

static void a_wake_up_does_not_count_as_a_look(void)
{
	rl_acquire *acquire = waiting_queued(30000, RL_NEVER);
	fake_set.retries = 1;
	for (unsigned i = 1; i <= 2; i++) {
		fake_says(0, refusal(i * 10, 600000, RL_HOLDER_KIN));
		fake_wakes(0, 10 * MS);
		waiting_drive_to(acquire, i * 10);
	}
	CHECK_COUNT("BLPOP", 3);
	CHECK_INT(acquire->retried, 0);
}

static void a_wait_ends_without_random_bytes_for_the_last_token(void)
{
	waiting_begin();
	fake_random_draws(2);
	fake_set.retries = 1;
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	rl_acquire *acquire = fake_acquire(30000, RL_NEVER);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_RANDOM);
	CHECK_HAS(fake_log(), LEFT("850", "T1"));
	CHECK_COUNT("try", 0);
}

/* The broken connection does not take the undo, so the token stays in doubt: the last try says
 * "maybe ours". */
static void an_undo_that_was_not_sent_is_no_undo(void)
{
	rl_acquire *acquire = waiting_queued(30000, RL_NEVER);
	fake_set.retries = 1;
	fake_forget_log();
	fake_acts(0, FAKE_BREAK_UNSENT, NULL, 0); /* for the undo */
	fake_says(0, refusal(850, 600000, RL_HOLDER_KIN));
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_LOG("850 a2 close\n850 a1 try+ k T1 30000 1 0 W1 0\n");
	CHECK_INT(fake_stats.grants_undone, 0);
}

/* ---- of no use ---- */

static void a_win_that_used_up_its_ttl_is_given_back(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	rl_acquire *acquire = fake_acquire(20, 10 * SECOND);
	waiting_drive_to(acquire, 0);
	fake_forget_log();
	fake_acts(0, FAKE_SAY, grant(460), 30 * MS);
	fake_wakes(0, 460 * MS);
	waiting_drive_to(acquire, 491);
	CHECK_LOG("460 a2 prod\n490 a2 RELEASE k T1\n");
	CHECK_INT(fake_stats.grants_undone, 1);
	CHECK_INT(fake_stats.backoffs, 1);
	CHECK_INT(fake_stats.acquired, 0);
	CHECK_INT(fake_wait.until, FAKE_START + 500 * MS);
	/* The wait goes on, and takes a place again, with another token. */
	fake_forget_log();
	fake_says(0, refusal(500, 600000, RL_HOLDER_KIN));
	fake_says(0, look(500, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 501);
	CHECK_LOG("500 a2 try+ k T2 20 0 0 W1\n"
			  "500 a2 probe+ k T2 W1\n"
			  "500 a2 BLPOP k::rl-wake 10.615\n"
			  "500 a2 try+ k T2 20 0 1 W1 0\n");
	fake_says(0, grant(560));
	fake_wakes(0, 59 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
}

static void a_win_just_in_time_is_kept(void)
{
	/* 17.8 ms of proof, from 396 ms of server's time on. */
	for (unsigned i = 0; i < 2; i++) {
		waiting_begin();
		fake_says(0, "_");
		fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
		rl_acquire *acquire = fake_acquire(20, 420 * MS);
		waiting_drive_to(acquire, 0);
		fake_acts(0, FAKE_SAY, grant(400), 13800000 - (i == 0));
		fake_wakes(0, 400 * MS);
		if (i == 0) {
			CHECK_INT(fake_drive(&acquire->op), RL_OK);
			CHECK_INT(acquire->proven_until, fake_clock + 1);
		} else {
			fake_says(0, ":1");
			fake_says(0, refusal(420, 600000, RL_HOLDER_KIN));
			CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
			CHECK_INT(fake_stats.grants_undone, 1);
		}
		fake_end();
	}
}

/* ---- abandoned ---- */

static void a_wait_abandoned_in_the_queue_undoes_its_token(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_LOG(LEFT("0", "T1") UNMARKED("0", "a1"));
	CHECK_INT(fake_stats.grants_undone, 1);
	CHECK_INT(fake_pool.count, 1);
}

static void a_wait_abandoned_during_a_look_undoes_its_token(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_acts(0, FAKE_SAY, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 100 * MS);
	waiting_drive_to(acquire, 900);
	fake_forget_log();
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_LOG(LEFT("900", "T1") UNMARKED("900", "a1"));
	CHECK_INT(fake_pool.count, 1);
	fake_free(&acquire->op);
	fake_says(0, "_");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
	CHECK_INT(fake_ms(), 950); /* after the answer of the look, which is discarded */
}

static void a_wait_abandoned_during_the_last_try_sends_undos_on_both_connections(void)
{
	rl_acquire *acquire = before_the_deadline();
	fake_acts(0, FAKE_SAY, grant(1500), 100 * MS);
	waiting_drive_to(acquire, 1510);
	fake_forget_log();
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_LOG(LEFT("1510", "T1") "1510 a1 RELEASE k T1\n" UNMARKED("1510", "a1"));
	CHECK_INT(fake_stats.grants_undone, 2);
}

/* The wait has taken nothing. */
static void a_wait_abandoned_at_its_first_probe_undoes_nothing(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_acts(0, FAKE_SAY, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 100 * MS);
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_drive_to(acquire, 50);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_LOG("0 a2 SET k T1 NX PX 30000\n"
			  "0 a2 probe+ k T1 W1\n" UNMARKED("50", "a2"));
	CHECK_INT(fake_stats.grants_undone, 0);
}

/* The server has not read the undo yet, and could lose it if the connection were closed. */
static void the_undo_of_an_abandoned_try_keeps_its_connection_open(void)
{
	rl_acquire *acquire = before_the_deadline();
	fake_acts(0, FAKE_SAY, grant(1500), 100 * MS);
	waiting_drive_to(acquire, 1510);
	fake_forget_log();
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("1510 a1 close", 0);
}

static void an_unread_win_of_an_abandoned_wait_is_undone(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	waiting_drive_to(acquire, 100);
	fake_forget_log();
	fake_says(0, grant(100));
	fake_wakes(0, 0);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_LOG("100 a2 RELEASE k T1\n" UNMARKED("100", "a2"));
	CHECK_INT(fake_pool.count, 2);
}

static void an_unread_refusal_of_an_abandoned_wait_needs_no_undo(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
	fake_wakes(0, 0);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_LOG(UNMARKED("0", "a2"));
	CHECK_INT(fake_pool.count, 2);
	CHECK_INT(fake_stats.grants_undone, 0);
}

/* The connection of the place does not take the undo, so the other connection carries it. */
static void an_undo_that_the_place_cannot_send_goes_on_the_other_connection(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_acts(0, FAKE_BREAK_UNSENT, NULL, 0);
	fake_forget_log();
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("0 a1 RELEASE k T1\n", 1);
	CHECK_INT(fake_stats.grants_undone, 1);
}

static rl_acquire *dialling_the_queue(void)
{
	waiting_begin();
	rl_pool_clear(&fake_pool);
	fake_targets[0].database = 2;
	fake_dials(0, FAKE_ACCEPT_AT_ONCE, 0);
	fake_dials(0, FAKE_ACCEPT, 50 * MS);
	fake_says(0, "_");
	fake_acts(0, FAKE_SAY_BREAK, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 0);
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_drive_to(acquire, 10);
	CHECK_INT(acquire->queue.place->errand.state, RL_ERRAND_LOGIN);
	fake_forget_log();
	return acquire;
}

static void a_wait_abandoned_before_it_reaches_the_queue_undoes_nothing(void)
{
	rl_acquire *acquire = dialling_the_queue();
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_LOG("10 a4 close\n");
	CHECK_INT(fake_stats.grants_undone, 0);
	CHECK_INT(fake_open_links(), 0);
}

static void a_token_in_doubt_is_undone_when_the_wait_is_abandoned(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_kill(0);
	fake_dials(0, FAKE_REFUSE, 0);
	waiting_drive_to(acquire, 5);
	CHECK(acquire->is_maybe_ours);
	rl_pool_clear(&fake_pool);
	fake_warm(0);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_LOG("5 a3 RELEASE k T1\n" UNMARKED("5", "a3"));
}

/* A wait in the queue, in a look and in a try, in a forked child: the child closes the parent's
 * connections. */
static void in_a_forked_child_nothing_is_sent(void)
{
	static const int64_t times[] = {0, 500, 900, 1300, 1550};
	for (unsigned i = 0; i < sizeof times / sizeof times[0]; i++) {
		rl_acquire *acquire = waiting_queued(30000, 1500 * MS);
		fake_acts(0, FAKE_SAY, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 100 * MS);
		fake_acts(0, FAKE_SAY, refusal(1500, 600000, RL_HOLDER_KIN), 100 * MS);
		waiting_drive_to(acquire, times[i]);
		fake_fork();
		fake_forget_log();
		rl_op_abandon(&acquire->op, fake_clock, true);
		CHECK_COUNT("close", i == 2 || i == 4 ? 2 : 1);
		CHECK_COUNT("\n", i == 2 || i == 4 ? 2 : 1);
		CHECK_INT(fake_stats.grants_undone, 0);
		fake_end();
	}
	rl_acquire *acquire = dialling_the_queue();
	fake_fork();
	rl_op_abandon(&acquire->op, fake_clock, true);
	CHECK_LOG("10 a4 close\n");
}

static const check_test tests[] = {
	TEST(the_try_at_the_deadline_decides),
	TEST(the_try_at_the_deadline_may_win),
	TEST(the_try_at_the_deadline_may_fail),
	TEST(a_server_that_hangs_at_the_deadline_gets_an_undo_on_both_connections),
	TEST(the_try_at_the_deadline_may_break),
	TEST(the_try_at_the_deadline_follows_a_look),
	TEST(the_dial_of_a_look_is_given_up_at_the_deadline),
	TEST(a_win_at_the_deadline_is_a_win),
	TEST(a_win_that_arrives_after_the_last_refusal_is_undone),
	TEST(a_waiter_without_a_place_has_no_token_in_doubt),
	TEST(a_process_that_slept_past_the_deadline_gets_one_whole_try),
	TEST(a_stall_in_one_look_is_no_slow_network),
	TEST(the_last_look_is_a_try_with_a_fresh_token),
	TEST(the_last_look_may_win),
	TEST(a_win_that_arrived_with_the_end_is_given_back),
	TEST(a_call_without_retries_sends_one_set),
	TEST(a_wake_up_does_not_count_as_a_look),
	TEST(a_wait_ends_without_random_bytes_for_the_last_token),
	TEST(an_undo_that_was_not_sent_is_no_undo),
	TEST(a_win_that_used_up_its_ttl_is_given_back),
	TEST(a_win_just_in_time_is_kept),
	TEST(a_wait_abandoned_in_the_queue_undoes_its_token),
	TEST(a_wait_abandoned_during_a_look_undoes_its_token),
	TEST(a_wait_abandoned_during_the_last_try_sends_undos_on_both_connections),
	TEST(a_wait_abandoned_at_its_first_probe_undoes_nothing),
	TEST(the_undo_of_an_abandoned_try_keeps_its_connection_open),
	TEST(an_unread_win_of_an_abandoned_wait_is_undone),
	TEST(an_unread_refusal_of_an_abandoned_wait_needs_no_undo),
	TEST(an_undo_that_the_place_cannot_send_goes_on_the_other_connection),
	TEST(a_wait_abandoned_before_it_reaches_the_queue_undoes_nothing),
	TEST(a_token_in_doubt_is_undone_when_the_wait_is_abandoned),
	TEST(in_a_forked_child_nothing_is_sent),
};

CHECK_MAIN(tests, fake_end)
