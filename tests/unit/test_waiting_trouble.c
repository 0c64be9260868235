/* SPDX-License-Identifier: MIT
 *
 * A wait that is woken, and what goes wrong: the queue's connection, servers that do not let waiters be woken,
 * errors that pass and errors that do not.
 */
#include "check.h"
#include "waiting.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The place's connection has to be dialled: the try's answer came with the end of its connection. */
static rl_acquire *dials_for_the_queue(int64_t wait_ns)
{
	waiting_begin();
	rl_pool_clear(&fake_pool);
	fake_dials(0, FAKE_ACCEPT_AT_ONCE, 0);
	fake_says(0, "_");
	fake_acts(0, FAKE_SAY_BREAK, refusal(0, 600000, RL_HOLDER_KIN), 0);
	return fake_acquire(30000, wait_ns);
}

/* The place goes with BLPOP's answer in place of a ticket, and the try's behind it. */
static rl_acquire *queue_says(const char *blpop, const char *try)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
	fake_blpops(0, FAKE_SAY, blpop, 300 * MS);
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_drive_to(acquire, 299);
	fake_forget_log();
	if (try != NULL) {
		fake_says(0, try);
	}
	return acquire;
}

/* ---- reaching the queue ---- */

static void a_refused_connection_is_tried_again(void)
{
	static const fake_dial ways[] = {FAKE_REFUSE, FAKE_REFUSE_LATER, FAKE_NO_NAME};
	for (unsigned i = 0; i < 3; i++) {
		rl_acquire *acquire = dials_for_the_queue(10 * SECOND);
		fake_dials(0, ways[i], 0);
		fake_says(0, refusal(10, 600000, RL_HOLDER_KIN));
		waiting_drive_to(acquire, 20);
		CHECK_HAS(fake_log(), "0 a4 dial\n");
		CHECK_HAS(fake_log(),
			"10 a5 dial\n"
			"10 a5 try+ k T1 30000 0 0 0\n"
			"10 a5 NAME\n"
			"10 a5 BLPOP k::rl-wake 10.010\n");
		CHECK_INT(fake_stats.delays, 1);
		CHECK_INT(acquire->losses, 1);
		CHECK_INT(fake_stats.fallbacks, 0);
		fake_end();
	}
}

static void a_hanging_connect_ends_by_its_timeout(void)
{
	rl_acquire *acquire = dials_for_the_queue(10 * SECOND);
	fake_dials(0, FAKE_HANG, 0);
	waiting_drive_to(acquire, 999);
	CHECK_INT(acquire->queue.state, RL_QUEUE_IN);
	CHECK_INT(fake_wait.until, FAKE_START + SECOND);
	fake_forget_log();
	fake_says(0, refusal(1000, 600000, RL_HOLDER_KIN));
	waiting_drive_to(acquire, 1005);
	/* The look that is due then finds that it is not in the queue. */
	CHECK_HAS(fake_log(), "1000 a4 close\n1000 a5 dial\n1000 a5 try+ k T1 30000 0 0 0\n");
	CHECK_INT(fake_stats.undone, 0);
	CHECK_INT(fake_stats.reconnects, 0);
}

static void begin_with_login(void)
{
	waiting_begin();
	rl_pool_clear(&fake_pool);
	fake_forget_log();
	fake_targets[0].password = (rl_secret){"word", 4};
	fake_targets[0].database = 2;
	fake_dials(0, FAKE_ACCEPT_AT_ONCE, 0);
	fake_dials(0, FAKE_ACCEPT, 20 * MS);
	fake_says(0, "_");
	fake_acts(0, FAKE_SAY_BREAK, refusal(0, 600000, RL_HOLDER_KIN), 0);
}

/* A BLPOP in a wrong database would wait for nothing. */
static void the_login_comes_first(void)
{
	begin_with_login();
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_drive_to(acquire, 19);
	CHECK_INT(acquire->queue.state, RL_QUEUE_LOGIN);
	CHECK_INT(fake_wait.until, FAKE_START + SECOND);
	fake_forget_log();
	fake_writes = 0;
	waiting_drive_to(acquire, 50);
	CHECK_LOG("20 a4 AUTH word\n"
			  "20 a4 SELECT 2\n"
			  "20 a4 NAME\n"
			  "20 a4 BLPOP k::rl-wake 10.000\n"
			  "20 a4 TRY+ k T1 30000 0 1010000000 0\n");
	CHECK_INT(fake_writes, 2);
	CHECK_INT(acquire->queue.sent_at, FAKE_START + 20 * MS);
}

static void a_login_that_gets_no_answer_ends_by_the_timeout(void)
{
	begin_with_login();
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_drive_to(acquire, 10);
	fake_login_says(0, "SELECT", NULL);
	waiting_drive_to(acquire, 999);
	fake_forget_log();
	fake_login_says(0, "SELECT", "+OK");
	fake_says(0, refusal(1000, 600000, RL_HOLDER_KIN));
	waiting_drive_to(acquire, 1005);
	CHECK_HAS(fake_log(), "1000 a4 close\n1000 a5 dial\n");
	CHECK_COUNT("a4 BLPOP", 0);
	CHECK_INT(fake_stats.undone, 0);
}

/* The process stood still between connecting and the login's answer: what had arrived counts. */
static void a_suspension_in_the_login_is_no_timeout(void)
{
	begin_with_login();
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_drive_to(acquire, 19);
	fake_lag(2 * SECOND);
	fake_acts(0, FAKE_SAY, look(2020, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 0);
	waiting_drive_to(acquire, 2500);
	CHECK_COUNT("2020 a4 BLPOP", 1);
	CHECK_INT(acquire->losses, 0);
}

static void a_refused_login_is_a_loss(void)
{
	begin_with_login();
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_drive_to(acquire, 10);
	fake_login_says(0, "AUTH", "-WRONGPASS x");
	waiting_drive_to(acquire, 25);
	CHECK_INT(acquire->losses, 1);
	CHECK_INT(acquire->queue.state, RL_QUEUE_OUT);
	CHECK_COUNT("BLPOP", 0);
	/* What it means is told by the try that follows. */
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_TEXT(acquire->op.err->code, "WRONGPASS");
	CHECK_INT(fake_ms(), 1000 + 30);
}

static void at_the_deadline_a_place_not_reached_is_just_closed(void)
{
	rl_acquire *acquire = dials_for_the_queue(500 * MS);
	fake_dials(0, FAKE_HANG, 0);
	waiting_drive_to(acquire, 499);
	fake_forget_log();
	fake_says(0, refusal(500, 600000, RL_HOLDER_KIN));
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_LOG("500 a5 dial\n"
			  "500 a5 try+ k T1 30000 0 0 1\n"
			  "500 a5 NAME\n"
			  "500 a4 close\n");
	CHECK_INT(fake_stats.undone, 0);
}

/* ---- losing the queue ---- */

static void lost_before_it_was_sent_nothing_is_owed(void)
{
	static const fake_act ways[] = {FAKE_BREAK_UNSENT, FAKE_BREAK_HALF};
	for (unsigned i = 0; i < 2; i++) {
		waiting_begin();
		fake_says(0, "_");
		fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
		fake_blpops(0, ways[i], NULL, 0);
		fake_says(0, refusal(10, 600000, RL_HOLDER_KIN));
		rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
		waiting_drive_to(acquire, 20);
		CHECK_HAS(fake_log(),
			"0 a2 close\n"
			"10 a1 try+ k T1 30000 0 0 0\n"
			"10 a1 BLPOP k::rl-wake 10.010\n"
			"10 a1 TRY+ k T1 30000 0 1010000000 0\n");
		CHECK_INT(fake_stats.reconnects, 1);
		CHECK_INT(fake_stats.delays, 1);
		fake_end();
	}
}

/* BLPOP is out, and half of the try: the server never saw it whole. */
static void lost_with_half_of_the_try_nothing_is_owed(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
	fake_acts(0, FAKE_BREAK_HALF, NULL, 0);
	fake_says(0, refusal(10, 600000, RL_HOLDER_KIN));
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_drive_to(acquire, 20);
	CHECK_HAS(
		fake_log(), "0 a2 BLPOP k::rl-wake 10.020\n0 a2 close\n10 a1 try+ k T1 30000 0 0 0\n");
}

static void lost_in_the_queue_the_token_is_owed(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	waiting_drive_to(acquire, 300);
	fake_forget_log();
	fake_kill(0);
	rl_pool_clear(&fake_pool);
	fake_acts(0, FAKE_SAY, grant(310), 5 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("300 a1 close\n"
			  "300 a2 close\n"
			  "310 a3 dial\n"
			  "310 a3 try+ k T1 30000 1 0 0\n"
			  "310 a3 NAME\n");
	CHECK_INT(acquire->proven_until, waiting_proof(310, 30000));
	CHECK_INT(fake_stats.reconnects, 1);
}

static void lost_behind_the_ticket_the_token_is_owed(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, grant(310));
	fake_wakes(0, 300 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_HAS(fake_log(), "300 a2 close\n310 a1 try+ k T1 30000 1 0 0\n");
	CHECK_INT(fake_stats.wake_ups, 1);
}

/* Nothing of an earlier place is left in the next. */
static void lost_without_a_ticket_it_was_not_woken(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_says(0, refusal(300, 600000, RL_HOLDER_KIN));
	fake_wakes(0, 300 * MS);
	waiting_drive_to(acquire, 300);
	CHECK_INT(fake_stats.wake_ups, 1);
	fake_kill(0);
	fake_says(0, refusal(310, 600000, RL_HOLDER_KIN));
	waiting_drive_to(acquire, 320);
	CHECK_INT(fake_stats.wake_ups, 1);
}

static void lost_behind_nonsense_the_next_place_is_clear(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
	fake_blpops(0, FAKE_SAY_BREAK, ":1", 300 * MS);
	fake_says(0, refusal(310, 600000, RL_HOLDER_KIN));
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_drive_to(acquire, 320);
	CHECK_INT(fake_blocked_links(), 1);
	fake_says(0, grant(500));
	fake_wakes(0, 180 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_pool.count, 1); /* its connection can be used again */
}

static void lost_it_goes_in_again(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, refusal(310, 600000, RL_HOLDER_KIN));
	fake_wakes(0, 300 * MS);
	waiting_drive_to(acquire, 320);
	/* What the broken connection may have left behind is still owed. */
	CHECK_HAS(fake_log(),
		"300 a2 close\n"
		"310 a1 try+ k T1 30000 1 0 0\n"
		"310 a1 BLPOP k::rl-wake 9.710\n"
		"310 a1 TRY+ k T1 30000 1 1010000000 0\n");
}

static void lost_while_it_looks_the_look_is_heard_first(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_acts(0, FAKE_SAY, look(1000, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 100 * MS);
	waiting_drive_to(acquire, 1020);
	fake_forget_log();
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_wakes(0, 10 * MS);
	fake_says(0, refusal(1120, 600000, RL_HOLDER_KIN));
	waiting_drive_to(acquire, 1150);
	/* Out of the queue, the holder's release will not wake it: back-off. */
	CHECK_LOG("1030 a2 close\n"
			  "1120 a1 try+ k T1 30000 1 0 0\n"
			  "1120 a1 BLPOP k::rl-wake 8.900\n"
			  "1120 a1 TRY+ k T1 30000 1 1010000000 0\n");
}

static void lost_three_times_in_a_row_it_polls(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	for (unsigned i = 0; i < 3; i++) {
		CHECK_INT(fake_stats.fallbacks, 0);
		fake_acts(0, FAKE_BREAK, NULL, 0);
		fake_wakes(0, 0);
		if (i < 2) {
			fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
			waiting_drive_to(acquire, fake_ms() + 20 * (i + 1));
			CHECK_INT(fake_blocked_links(), 1);
		}
	}
	fake_forget_log();
	fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
	fake_says(0, grant(0));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("BLPOP", 0);
	CHECK_COUNT("+", 0);
	CHECK_COUNT("try k T1 30000 1 0 0", 2);
	CHECK_INT(fake_stats.fallbacks, 1);
	CHECK_INT(fake_stats.undone, 0);
}

static void an_answer_between_them_forgets_the_losses(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	for (unsigned i = 0; i < 5; i++) {
		fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
		fake_wakes(0, 0);
		waiting_drive_to(acquire, fake_ms());
		fake_acts(0, FAKE_BREAK, NULL, 0);
		fake_wakes(0, 0);
		fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
		waiting_drive_to(acquire, fake_ms() + 250);
	}
	CHECK_INT(fake_stats.fallbacks, 0);
	CHECK_INT(fake_stats.reconnects, 5);
	CHECK_INT(fake_blocked_links(), 1);
}

/* The slice is long over, and the server says nothing: one timeout more, and the connection is given up. */
static void a_queue_that_says_nothing_is_given_up(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
	fake_blpops(0, FAKE_SILENCE, NULL, 0);
	rl_acquire *acquire = fake_acquire(30000, 100 * SECOND);
	waiting_look_on(61);
	waiting_drive_to(acquire, 61039);
	CHECK_INT(acquire->queue.state, RL_QUEUE_IN);
	fake_forget_log();
	fake_says(0, refusal(61050, 600000, RL_HOLDER_KIN));
	waiting_drive_to(acquire, 61060);
	CHECK_LOG("61040 a2 close\n"
			  "61050 a1 try+ k T1 30000 1 0 0\n"
			  "61050 a1 BLPOP k::rl-wake 38.970\n"
			  "61050 a1 TRY+ k T1 30000 1 1100000000 0\n");
}

static void what_is_half_written_is_written_on(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
	fake_blpops(0, FAKE_HALF, NULL, 50 * MS);
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_drive_to(acquire, 49);
	CHECK(!rl_queue_is_in(&acquire->queue));
	waiting_drive_to(acquire, 50);
	CHECK(rl_queue_is_in(&acquire->queue));
	CHECK_HAS(fake_log(), "50 a2 BLPOP k::rl-wake 10.020\n50 a2 TRY+ k T1 30000 0 1010000000 0\n");
	CHECK_INT(acquire->queue.sent_at, FAKE_START); /* the earliest that it may have been run */
	fake_says(0, "*:1 :0");
	fake_wakes(0, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(acquire->proven_until, waiting_proof(0, 30000));
}

/* ---- servers that do not let waiters be woken ---- */

static void check_polls_from(rl_acquire *acquire, int64_t ms)
{
	char wanted[128];
	fake_says(0, refusal(ms, 600000, RL_HOLDER_KIN));
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	snprintf(wanted, sizeof wanted, "%" PRId64 " a2 try k T1 30000 0 0 0\n", ms);
	CHECK_HAS(fake_log(), wanted);
	CHECK_COUNT("+", 0);
	CHECK_COUNT("BLPOP", 0);
	CHECK_INT(fake_stats.fallbacks, 1);
	CHECK_INT(fake_stats.undone, 0);
}

static void without_blpop_it_polls(void)
{
	static const char *const errors[] = {"-WRONGTYPE x", "-NOPERM x",
		"-ERR unknown command 'BLPOP', with args beginning with: 'k::rl-wake' ", "-OOM x",
		"-MOVED 1 x:1"};
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		rl_acquire *acquire = queue_says(errors[i], refusal(300, 600000, RL_HOLDER_KIN));
		check_polls_from(acquire, 310);
		CHECK_INT(fake_stats.wake_ups, 0);
		fake_end();
	}
}

static void without_the_queues_try_it_polls(void)
{
	rl_acquire *acquire = queue_says("-NOPERM x", "-NOPERM x");
	check_polls_from(acquire, 310);
	fake_end();
	acquire = queue_says(FAKE_TICKET, "-NOPERM x");
	check_polls_from(acquire, 310);
	CHECK_INT(fake_stats.wake_ups, 1);
}

static void without_blpop_the_try_may_still_have_it(void)
{
	rl_acquire *acquire = queue_says("-WRONGTYPE x", grant(300));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 300);
	CHECK_INT(fake_stats.fallbacks, 0);
}

static void forbidden_helper_keys_in_the_try(void)
{
	static const char *const errors[] = {"-NOPERM x", "-CROSSSLOT x"};
	for (unsigned i = 0; i < 2; i++) {
		waiting_begin();
		fake_says(0, "_");
		fake_says(0, errors[i]);
		fake_says(0, "*:0 :0 :600000 :3");
		fake_says(0, "*:1 :0");
		CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
		CHECK_LOG("0 a2 SET k T1 NX PX 30000\n"
				  "0 a2 try+ k T1 30000 0 0 0\n"
				  "0 a2 try k T1 30000 0 0 0\n"
				  "10 a2 try k T1 30000 0 0 0\n");
		CHECK_INT(fake_stats.fallbacks, 1);
		/* The connection remembers: the next wait does not ask. */
		fake_forget_log();
		fake_says(0, "_");
		fake_says(0, "*:0 :0 :600000 :3");
		fake_says(0, "*:1 :0");
		CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
		CHECK_LOG("10 a2 SET k T2 NX PX 30000\n"
				  "10 a2 try k T2 30000 0 0 0\n"
				  "20 a2 try k T2 30000 0 0 0\n");
		CHECK_INT(fake_stats.fallbacks, 2); /* each wait that polls is counted */
		fake_end();
	}
}

static void forbidden_scripts_are_an_error(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, "-NOPERM x");
	fake_says(0, "-NOPERM x");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_ERR_SERVER);
	CHECK_INT(fake_stats.fallbacks, 0);
	CHECK_INT(fake_ms(), 0);
	/* It has nothing to do with the helper keys. */
	fake_forget_log();
	fake_says(0, "_");
	fake_says(0, grant(0));
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
	CHECK_LOG("0 a2 SET k T2 NX PX 30000\n0 a2 try+ k T2 30000 0 0 0\n");
}

static void a_try_that_could_not_mark_polls(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, "*:0 :0 :600000 :3");
	fake_says(0, "*:0 :0 :600000 :3");
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
	CHECK_LOG("0 a2 SET k T1 NX PX 30000\n"
			  "0 a2 try+ k T1 30000 0 0 0\n"
			  "10 a2 try k T1 30000 0 0 0\n"
			  "30 a2 try k T1 30000 0 0 0\n");
	CHECK_INT(fake_stats.fallbacks, 1);
}

/* A look that could not mark, or not wake: out of the queue, and a try at once. */
static void a_look_that_cannot_wake_falls_back(void)
{
	static const char *const looks[] = {"*:0 :600000 :3 :0", "*:1001000000 :-2 :0 :-1"};
	for (unsigned i = 0; i < 2; i++) {
		rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
		fake_forget_log();
		fake_says(0, looks[i]);
		fake_says(0, "*:1 :0");
		CHECK_INT(fake_drive(&acquire->op), RL_OK);
		/* The key's waiters need not be told by the undo either. */
		CHECK_LOG("1000 a1 nudge+ k T1\n"
				  "1000 a2 RELEASE k T1\n"
				  "1000 a2 end\n"
				  "1000 a2 close\n"
				  "1000 a1 try k T2 30000 0 0 0\n");
		CHECK_INT(fake_stats.fallbacks, 1);
		CHECK_INT(fake_stats.undone, 1);
		CHECK_INT(fake_stats.nudges, 1);
		CHECK_INT(fake_stats.delays, 0);
		fake_end();
	}
}

/* The connection remembers that tickets cannot be sent: the next wait need not find out. */
static void after_a_look_that_cannot_wake_the_next_wait_polls(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_says(0, "*:1001000000 :-2 :0 :-1");
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	fake_forget_log();
	fake_says(0, "_");
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
	CHECK_LOG("1000 a1 SET k T3 NX PX 30000\n1000 a1 try k T3 30000 0 0 0\n");
}

/* Nor does an undo on it. */
static void after_a_forbidden_release_an_undo_is_said_once(void)
{
	waiting_begin();
	fake_says(0, "-NOPERM x");
	fake_says(0, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_OK);
	fake_forget_log();
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_ERR_TIMEOUT);
	CHECK_LOG("0 a2 SET k T1 NX PX 30000\n1000 a2 RELEASE k T1\n1000 a2 end\n");
}

/* The queue is of no use, and the look that is under way says so, too. */
static void a_wait_falls_back_once(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
	fake_blpops(0, FAKE_SAY, "-NOPERM x", 1050 * MS);
	fake_acts(0, FAKE_SAY, "*:0 :600000 :3 :0", 100 * MS);
	fake_says(0, refusal(1050, 600000, RL_HOLDER_KIN));
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(30000, 10 * SECOND)->op), RL_OK);
	CHECK_HAS(fake_log(), "1100 a1 try k T1 30000 0 0 0\n");
	CHECK_INT(fake_stats.fallbacks, 1);
}

static void a_release_that_is_forbidden_the_helper_keys(void)
{
	static const struct {
		rl_verb verb;
		const char *log;
	} cases[] = {{RL_VERB_RELEASE, "0 a2 release+ k tok\n0 a2 release k tok\n0 a2 release k tok\n"},
		{RL_VERB_FORCE, "0 a2 force+ k\n0 a2 force k\n0 a2 force k\n"}};
	for (unsigned i = 0; i < 2; i++) {
		waiting_begin();
		const char *token = cases[i].verb == RL_VERB_FORCE ? "" : "tok";
		fake_says(0, "-NOPERM x");
		fake_says(0, ":1");
		CHECK_INT(fake_drive(fake_ask(cases[i].verb, token, 0)), RL_OK);
		CHECK_INT(fake_stats.fallbacks, 1);
		fake_says(0, ":0");
		CHECK_INT(fake_drive(fake_ask(cases[i].verb, token, 0)), RL_BUSY);
		CHECK_INT(fake_stats.fallbacks, 1);
		CHECK_LOG(cases[i].log);
		fake_end();
	}
}

static void a_release_that_could_tell_nobody_is_counted(void)
{
	waiting_begin();
	fake_says(0, ":2");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_OK);
	CHECK_INT(fake_stats.fallbacks, 1);
	CHECK_INT(fake_stats.released, 1);
	/* The next is asked to tell them again. */
	fake_says(0, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_OK);
	CHECK_LOG("0 a2 release+ k tok\n0 a2 release+ k tok\n");
}

static void an_undo_is_said_with_and_without_the_helper_keys(void)
{
	waiting_begin();
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_ERR_TIMEOUT);
	CHECK_LOG("0 a2 SET k T1 NX PX 30000\n"
			  "1000 a2 RELEASE+ k T1\n"
			  "1000 a2 RELEASE k T1\n"
			  "1000 a2 end\n");
	CHECK_INT(fake_stats.undone, 1);
}

/* ---- errors in the queue ---- */

static void waiters_that_are_sent_away_come_again(void)
{
	static const char *const errors[] = {
		"-UNBLOCKED x", "-LOADING x", "-READONLY x", "-MASTERDOWN x", "-CLUSTERDOWN x"};
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		for (unsigned both = 0; both < 2; both++) {
			rl_acquire *acquire =
				queue_says(errors[i], both ? errors[i] : refusal(300, 600000, RL_HOLDER_KIN));
			fake_says(0, refusal(310, 600000, RL_HOLDER_KIN));
			waiting_drive_to(acquire, 320);
			/* It was answered, so nothing is owed. */
			CHECK_LOG("300 a2 close\n"
					  "310 a1 try+ k T1 30000 0 0 0\n"
					  "310 a1 BLPOP k::rl-wake 9.710\n"
					  "310 a1 TRY+ k T1 30000 0 1010000000 0\n");
			CHECK_INT(fake_stats.fallbacks, 0);
			CHECK_INT(fake_stats.undone, 0);
			/* The error is forgotten: woken in vain is woken in vain. */
			fake_says(0, refusal(400, 600000, RL_HOLDER_KIN));
			fake_wakes(0, 80 * MS);
			waiting_drive_to(acquire, 410);
			CHECK_HAS(fake_log(), "400 a1 BLPOP k::rl-wake 9.620\n");
			CHECK_INT(fake_stats.fallbacks, 0);
			fake_end();
		}
	}
}

static void an_error_about_the_lock_ends_the_call(void)
{
	static const char *const errors[] = {"-WRONGTYPE T1 x", "-OOM x", "-ERR x", "-NOAUTH x"};
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		rl_acquire *acquire = queue_says(FAKE_TICKET, errors[i]);
		CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
		CHECK_LOG("");
		CHECK_INT(fake_ms(), 300);
		CHECK_HAS(acquire->op.err->message, "redis://a:6379: the server answered: ");
		CHECK(strstr(acquire->op.err->message, "outcome") == NULL);
		CHECK_INT(fake_pool.count, 2);
		CHECK_INT(fake_stats.failed, 1);
		CHECK_INT(fake_stats.undone, 0);
		fake_end();
	}
}

static void nonsense_in_the_queue_ends_the_call(void)
{
	static const char *const answers[] = {":1", "+OK", "_", "*:1", "*:0 :1", "$x"};
	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
		rl_acquire *acquire = queue_says(FAKE_TICKET, answers[i]);
		CHECK_INT(fake_drive(&acquire->op), RL_ERR_PROTOCOL);
		/* It may have been a grant. */
		CHECK_HAS(fake_log(), "300 a2 RELEASE+ k T1\n300 a2 RELEASE k T1\n300 a2 end\n");
		CHECK_INT(fake_pool.count, 1);
		CHECK_INT(fake_stats.undone, 1);
		CHECK_HAS(acquire->op.err->message, "an undo behind it takes it back");
		fake_end();
	}
}

static void what_is_no_protocol_ends_the_call(void)
{
	rl_acquire *acquire = queue_says(FAKE_TICKET, NULL);
	fake_acts(0, FAKE_NONSENSE, NULL, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_PROTOCOL);
	CHECK_HAS(fake_log(), "300 a2 RELEASE+ k T1\n300 a2 RELEASE k T1\n");
	CHECK_INT(fake_pool.count, 1);
	CHECK_INT(fake_open_links(), 1);
}

static void nonsense_for_a_ticket_gives_the_token_up(void)
{
	rl_acquire *acquire = queue_says(":1", refusal(300, 600000, RL_HOLDER_KIN));
	fake_says(0, ":0"); /* the undo */
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_HAS(fake_log(), "300 a2 RELEASE k T1\n300 a2 end\n");
	CHECK_HAS(fake_log(), "310 a1 try k T2 30000 0 0 0\n");
	CHECK_INT(fake_stats.fallbacks, 1);
}

/* The same while a look is under way, and the system has no random bytes for the next token. */
static void without_random_bytes_while_it_looks(void)
{
	waiting_begin();
	fake_random_draws(1);
	fake_says(0, "_");
	fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
	fake_blpops(0, FAKE_SAY, ":1", 1050 * MS);
	fake_acts(0, FAKE_SAY, look(1000, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 100 * MS);
	fake_says(0, refusal(1050, 600000, RL_HOLDER_KIN));
	CHECK_INT(fake_drive(&fake_acquire(30000, 10 * SECOND)->op), RL_ERR_RANDOM);
}

/* ---- errors of looks ---- */

static void a_look_that_the_server_does_not_know_is_sent_as_text(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	fake_says(0, "-NOSCRIPT x");
	fake_says(0, look(1000, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 1500);
	CHECK_LOG("1000 a1 nudge+ k T1\n1000 a1 NUDGE+ k T1\n");
	CHECK_INT(fake_stats.scripts_loaded, 1);
	CHECK_INT(fake_stats.nudges, 1);
	CHECK_INT(fake_wait.until, FAKE_START + 2 * SECOND);
}

static void errors_of_a_look_that_pass_are_waited_for(void)
{
	static const char *const errors[] = {"-LOADING x", "-READONLY x", "-BUSY x"};
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
		fake_forget_log();
		fake_says(0, errors[i]);
		fake_says(0, look(1010, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
		waiting_drive_to(acquire, 1500);
		CHECK_LOG("1000 a1 nudge+ k T1\n1010 a1 nudge+ k T1\n");
		CHECK_INT(acquire->queue.state, RL_QUEUE_IN);
		CHECK_INT(fake_stats.delays, 1);
		fake_end();
	}
}

static void errors_of_a_look_that_do_not_pass_end_the_call(void)
{
	static const char *const errors[] = {"-WRONGTYPE x", "-OOM x", "-NOAUTH x"};
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
		fake_forget_log();
		fake_says(0, errors[i]);
		CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
		CHECK_LOG("1000 a1 nudge+ k T1\n"
				  "1000 a2 RELEASE+ k T1\n"
				  "1000 a2 RELEASE k T1\n"
				  "1000 a2 end\n"
				  "1000 a2 close\n");
		CHECK_INT(fake_stats.failed, 1);
		fake_end();
	}
}

static void a_look_that_is_forbidden_falls_back(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	fake_says(0, "-NOPERM x");
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("1000 a1 nudge+ k T1\n"
			  "1000 a2 RELEASE k T1\n"
			  "1000 a2 end\n"
			  "1000 a2 close\n"
			  "1010 a1 try k T2 30000 0 0 0\n");
	CHECK_INT(fake_stats.fallbacks, 1);
}

static void nonsense_to_a_look_ends_the_call(void)
{
	static const char *const answers[] = {"+OK", ":1", "*:1", "*:1 :2 :3 :4"};
	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
		rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
		fake_says(0, answers[i]);
		CHECK_INT(fake_drive(&acquire->op), RL_ERR_PROTOCOL);
		CHECK_INT(fake_pool.count, 0);
		fake_end();
	}
}

/* The queue goes on meanwhile, and may win. */
static void a_look_without_an_answer_is_given_up(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	fake_says(0, look(2010, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 2020);
	CHECK_LOG("1000 a1 nudge+ k T1\n"
			  "2000 a1 close\n"
			  "2010 a3 dial\n"
			  "2010 a3 nudge+ k T1\n"
			  "2010 a3 NAME\n");
	CHECK_INT(fake_stats.undone, 0);
	fake_says(0, grant(2500));
	fake_wakes(0, 480 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
}

static void a_look_that_breaks_is_said_again(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	fake_acts(0, FAKE_BREAK, NULL, 5 * MS);
	fake_says(0, look(1005, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 1500);
	CHECK_LOG("1000 a1 nudge+ k T1\n"
			  "1005 a1 close\n"
			  "1005 a3 dial\n"
			  "1005 a3 nudge+ k T1\n"
			  "1005 a3 NAME\n");
	CHECK_INT(fake_stats.nudges, 1);
}

static const check_test tests[] = {
	TEST(a_refused_connection_is_tried_again),
	TEST(a_hanging_connect_ends_by_its_timeout),
	TEST(the_login_comes_first),
	TEST(a_login_that_gets_no_answer_ends_by_the_timeout),
	TEST(a_suspension_in_the_login_is_no_timeout),
	TEST(a_refused_login_is_a_loss),
	TEST(at_the_deadline_a_place_not_reached_is_just_closed),
	TEST(lost_before_it_was_sent_nothing_is_owed),
	TEST(lost_with_half_of_the_try_nothing_is_owed),
	TEST(lost_in_the_queue_the_token_is_owed),
	TEST(lost_behind_the_ticket_the_token_is_owed),
	TEST(lost_without_a_ticket_it_was_not_woken),
	TEST(lost_behind_nonsense_the_next_place_is_clear),
	TEST(lost_it_goes_in_again),
	TEST(lost_while_it_looks_the_look_is_heard_first),
	TEST(lost_three_times_in_a_row_it_polls),
	TEST(an_answer_between_them_forgets_the_losses),
	TEST(a_queue_that_says_nothing_is_given_up),
	TEST(what_is_half_written_is_written_on),
	TEST(without_blpop_it_polls),
	TEST(without_the_queues_try_it_polls),
	TEST(without_blpop_the_try_may_still_have_it),
	TEST(forbidden_helper_keys_in_the_try),
	TEST(forbidden_scripts_are_an_error),
	TEST(a_try_that_could_not_mark_polls),
	TEST(a_look_that_cannot_wake_falls_back),
	TEST(after_a_look_that_cannot_wake_the_next_wait_polls),
	TEST(after_a_forbidden_release_an_undo_is_said_once),
	LATER(a_wait_falls_back_once, "rl_acquire_fall_back counts again when it polls already"),
	TEST(a_release_that_is_forbidden_the_helper_keys),
	TEST(a_release_that_could_tell_nobody_is_counted),
	TEST(an_undo_is_said_with_and_without_the_helper_keys),
	TEST(waiters_that_are_sent_away_come_again),
	TEST(an_error_about_the_lock_ends_the_call),
	TEST(nonsense_in_the_queue_ends_the_call),
	TEST(what_is_no_protocol_ends_the_call),
	TEST(nonsense_for_a_ticket_gives_the_token_up),
	LATER(without_random_bytes_while_it_looks,
		"rl_acquire_step: ends without settling the look, whose connection is never closed"),
	TEST(a_look_that_the_server_does_not_know_is_sent_as_text),
	TEST(errors_of_a_look_that_pass_are_waited_for),
	TEST(errors_of_a_look_that_do_not_pass_end_the_call),
	TEST(a_look_that_is_forbidden_falls_back),
	TEST(nonsense_to_a_look_ends_the_call),
	TEST(a_look_without_an_answer_is_given_up),
	TEST(a_look_that_breaks_is_said_again),
};

CHECK_MAIN(tests, fake_end)
