/* SPDX-License-Identifier: MIT
 *
 * A wait that is woken, and the connection of its place: it cannot be reached, it breaks, or it
 * stays silent.
 */
#include "check.h"
#include "waiting.h"

/* The place has to dial, because the connection of the probe ends after the answer. */
static rl_acquire *dials_for_the_queue(int64_t wait_ns)
{
	waiting_begin();
	rl_pool_clear(&fake_pool);
	fake_dials(0, FAKE_ACCEPT_AT_ONCE, 0);
	fake_says(0, "_");
	fake_acts(0, FAKE_SAY_BREAK, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 0);
	return fake_acquire(30000, wait_ns);
}

/* ---- reaching the queue ---- */

static void a_refused_connection_is_tried_again(void)
{
	static const fake_dial ways[] = {FAKE_REFUSE, FAKE_REFUSE_LATER, FAKE_NO_NAME};
	for (unsigned i = 0; i < 3; i++) {
		rl_acquire *acquire = dials_for_the_queue(10 * SECOND);
		fake_dials(0, ways[i], 0);
		fake_says(0, look(10, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
		waiting_drive_to(acquire, 20);
		CHECK_HAS(fake_log(), "0 a4 dial\n");
		CHECK_HAS(fake_log(),
			"10 a5 dial\n"
			"10 a5 probe+ k T1 W1\n"
			"10 a5 NAME\n"
			"10 a6 dial\n"
			"10 a6 NAME\n"
			"10 a6 BLPOP k::rl-wake 11.109\n");
		CHECK_INT(fake_stats.backoffs, 1);
		CHECK_INT(acquire->losses, 1);
		CHECK_INT(fake_stats.wake_failures, 0);
		fake_end();
	}
}

static void a_hanging_connect_ends_by_the_connect_timeout(void)
{
	rl_acquire *acquire = dials_for_the_queue(10 * SECOND);
	fake_dials(0, FAKE_HANG, 0);
	fake_says(0, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 999);
	CHECK_INT(acquire->queue.place->errand.state, RL_ERRAND_LOGIN);
	CHECK_INT(fake_wait.until, FAKE_START + SECOND);
	fake_forget_log();
	fake_says(0, look(1010, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 1015);
	/* The look that follows soon takes a new place. */
	CHECK_HAS(fake_log(), "1000 a4 close\n1010 a5 probe+ k T1 W1\n1010 a6 dial\n");
	CHECK_INT(fake_stats.grants_undone, 0);
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
	fake_acts(0, FAKE_SAY_BREAK, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 0);
}

/* In a wrong database BLPOP would wait for a list that no release uses. */
static void the_login_comes_first(void)
{
	begin_with_login();
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_drive_to(acquire, 19);
	CHECK_INT(acquire->queue.place->errand.state, RL_ERRAND_LOGIN);
	CHECK_INT(fake_wait.until, FAKE_START + 850 * MS);
	fake_forget_log();
	fake_writes = 0;
	waiting_drive_to(acquire, 50);
	CHECK_LOG("20 a4 AUTH word\n"
			  "20 a4 SELECT 2\n"
			  "20 a4 NAME\n"
			  "20 a4 BLPOP k::rl-wake 11.099\n"
			  "20 a4 TRY+ k T1 30000 0 1 W1 0\n");
	CHECK_INT(fake_writes, 2);
	CHECK_TIME(acquire->queue.place->errand.channel.sent_at, FAKE_START + 20 * MS);
}

static void a_login_that_gets_no_answer_ends_by_the_timeout(void)
{
	begin_with_login();
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_drive_to(acquire, 10);
	fake_login_says(0, "SELECT", NULL);
	waiting_drive_to(acquire, 849);
	fake_login_says(0, "SELECT", "+OK");
	fake_says(0, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 999);
	fake_forget_log();
	fake_says(0, look(1030, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 1035);
	CHECK_HAS(fake_log(), "1020 a4 close\n1030 a5 probe+ k T1 W1\n1030 a6 dial\n");
	CHECK_COUNT("a4 BLPOP", 0);
	CHECK_INT(fake_stats.grants_undone, 0);
}

/* The process stood still between the connecting and the answer to the login. The answer had
 * arrived, so it counts. */
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
	CHECK_INT(fake_blocked_links(), 0);
	CHECK_COUNT("BLPOP", 0);
	/* The probe that follows decides what the refused login means. */
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_TEXT(acquire->op.err->code, "WRONGPASS");
	CHECK_INT(fake_ms(), 30);
}

static void a_place_that_is_not_reached_by_the_deadline_is_closed(void)
{
	rl_acquire *acquire = dials_for_the_queue(500 * MS);
	fake_dials(0, FAKE_HANG, 0);
	waiting_drive_to(acquire, 499);
	fake_forget_log();
	fake_says(0, refusal(500, 600000, RL_HOLDER_KIN));
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_LOG("500 a5 dial\n"
			  "500 a5 try+ k T1 30000 0 0 W1 0\n"
			  "500 a5 NAME\n"
			  "500 a4 close\n");
	CHECK_INT(fake_stats.grants_undone, 0);
}

/* The connection breaks under the SET. The try that follows is sent before the waiter has a name to
 * mark. */
static void a_waiter_without_a_name_sets_no_mark(void)
{
	waiting_begin();
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(fake_acquire(30000, 10 * SECOND), 5);
	CHECK_COUNT("try+ k T1 30000 1 0 ", 1);
	CHECK_COUNT("try+ k T1 30000 1 0 - 0\n", 1);
}

/* ---- losing the queue ---- */

/* An idle connection that has broken is replaced at once. */
static void a_place_that_was_not_sent_leaves_no_doubt(void)
{
	static const fake_act ways[] = {FAKE_BREAK_UNSENT, FAKE_BREAK_HALF};
	for (unsigned i = 0; i < 2; i++) {
		waiting_begin();
		fake_says(0, "_");
		fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
		fake_blpops(0, ways[i], NULL, 0);
		rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
		waiting_drive_to(acquire, 20);
		CHECK_HAS(fake_log(),
			"0 a2 close\n"
			"0 a3 dial\n"
			"0 a3 NAME\n"
			"0 a3 BLPOP k::rl-wake 11.120\n"
			"0 a3 TRY+ k T1 30000 0 1 W1 0\n");
		CHECK_INT(fake_stats.reconnects, 1);
		CHECK_INT(fake_stats.backoffs, 0);
		fake_end();
	}
}

/* BLPOP has been sent, and half of the try: the server never receives the whole try. */
static void a_place_with_half_of_its_try_sent_leaves_no_doubt(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	fake_acts(0, FAKE_BREAK_HALF, NULL, 0);
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_drive_to(acquire, 20);
	CHECK_HAS(fake_log(), "0 a2 BLPOP k::rl-wake 11.120\n0 a2 close\n0 a3 dial\n");
	CHECK_COUNT("a3 BLPOP", 1);
}

static void a_place_that_is_lost_in_the_queue_leaves_its_token_in_doubt(void)
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
			  "310 a3 try+ k T1 30000 1 0 W1\n"
			  "310 a3 NAME\n");
	CHECK_INT(acquire->proven_until, waiting_proof(310, 30000));
	CHECK_INT(fake_stats.reconnects, 1);
}

static void a_place_that_is_lost_after_its_ticket_leaves_its_token_in_doubt(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, grant(310));
	fake_wakes(0, 300 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_HAS(fake_log(), "300 a2 close\n310 a1 try+ k T1 30000 1 2 W1\n");
	CHECK_INT(fake_stats.wake_ups, 1);
}

/* The next place keeps no state of the one before. */
static void a_place_that_is_lost_without_a_ticket_counts_no_wake_up(void)
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

/* Other clients may put anything into the list, of any length. If the reply to BLPOP cannot be
 * parsed, the answer to the try behind it is lost, and with it the place. */
static void nonsense_in_place_of_a_ticket_is_a_loss(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	fake_blpops(0, FAKE_NONSENSE, NULL, 300 * MS);
	fake_says(0, grant(300)); /* the answer to the try, which cannot be read */
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_drive_to(acquire, 305);
	CHECK_HAS(fake_log(), "300 a2 close\n");
	CHECK_INT(acquire->losses, 1);
	CHECK_INT(fake_stats.failed, 0);
	CHECK_INT(fake_stats.reconnects, 0);
	fake_says(0, grant(310));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("310 a1 try+ k T1 30000 1 0 W1\n", 1);
	CHECK_INT(fake_stats.grants_undone, 0);
}

static void a_waiter_that_loses_its_place_takes_a_new_one(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, refusal(310, 600000, RL_HOLDER_KIN));
	fake_says(0, look(310, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	fake_wakes(0, 300 * MS);
	waiting_drive_to(acquire, 320);
	/* The broken connection may have left the token behind, so the next tries say "maybe ours". */
	CHECK_HAS(fake_log(),
		"300 a2 close\n"
		"310 a1 try+ k T1 30000 1 2 W1\n"
		"310 a1 probe+ k T1 W1\n"
		"310 a3 dial\n"
		"310 a3 NAME\n"
		"310 a3 BLPOP k::rl-wake 10.806\n"
		"310 a3 TRY+ k T1 30000 1 1 W1 0\n");
}

static void a_waiter_that_loses_its_place_reads_the_open_look_first(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_acts(0, FAKE_SAY, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 100 * MS);
	waiting_drive_to(acquire, 870);
	fake_forget_log();
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_wakes(0, 10 * MS);
	fake_says(0, refusal(950, 600000, RL_HOLDER_KIN));
	fake_says(0, look(950, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 990);
	/* When the look is answered, a try asks for the token that the lost place may have set. */
	CHECK_LOG("880 a2 close\n"
			  "950 a1 try+ k T1 30000 1 2 W1\n"
			  "950 a1 probe+ k T1 W1\n"
			  "950 a3 dial\n"
			  "950 a3 NAME\n"
			  "950 a3 BLPOP k::rl-wake 10.160\n"
			  "950 a3 TRY+ k T1 30000 1 1 W1 0\n");
	CHECK_INT(fake_stats.backoffs, 0);
}

static void a_waiter_polls_after_three_lost_places_in_a_row(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	for (unsigned i = 0; i < 3; i++) {
		CHECK_INT(fake_stats.wake_failures, 0);
		fake_acts(0, FAKE_BREAK, NULL, 0);
		fake_wakes(0, 0);
		if (i < 2) {
			fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
			fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
			waiting_drive_to(acquire, fake_ms() + 20 * (i + 1));
			CHECK_INT(fake_blocked_links(), 1);
		}
	}
	fake_forget_log();
	fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
	fake_says(0, grant(0));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("BLPOP", 0);
	CHECK_COUNT("try+ k T1 30000 1 2 W1 0", 1);
	CHECK_COUNT("try+ k T1 30000 1 0 W1 0", 1);
	CHECK_INT(fake_stats.wake_failures, 1);
	CHECK_INT(fake_stats.grants_undone, 0);
}

static void an_answer_between_losses_begins_the_count_anew(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	for (unsigned i = 0; i < 5; i++) {
		fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
		fake_wakes(0, 0);
		waiting_drive_to(acquire, fake_ms());
		fake_acts(0, FAKE_BREAK, NULL, 0);
		fake_wakes(0, 0);
		fake_says(0, refusal(0, 600000, RL_HOLDER_KIN));
		fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
		waiting_drive_to(acquire, fake_ms() + 250);
	}
	CHECK_INT(fake_stats.wake_failures, 0);
	CHECK_INT(fake_stats.reconnects, 5);
	CHECK_INT(fake_blocked_links(), 1);
}

/* The slice of the BLPOP is over, and the server does not answer: after one timeout more the
 * connection is closed. */
static void a_place_without_an_answer_is_given_up(void)
{
	waiting_begin();
	fake_blpops(0, FAKE_SILENCE, NULL, 0);
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	rl_quorum_call *call = &acquire->op.call;
	rl_tick tick = {FAKE_START, FAKE_START};
	rl_error err;
	rl_queue_enter(&acquire->queue, call, FAKE_START + SECOND, FAKE_START);
	CHECK_INT(rl_queue_step(&acquire->queue, &tick, &err), RL_QUEUE_NOTHING);
	tick.now = tick.seen = FAKE_START + 3050 * MS;
	CHECK_INT(rl_queue_step(&acquire->queue, &tick, &err), RL_QUEUE_NOTHING);
	tick.now = tick.seen = FAKE_START + 3051 * MS;
	CHECK_INT(rl_queue_step(&acquire->queue, &tick, &err), RL_QUEUE_LOST);
	CHECK(acquire->queue.place->errand.doubt == RL_DOUBT_UNKNOWN);
	CHECK_COUNT("a2 close", 1);
}

static void the_rest_of_half_written_commands_is_written_later(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	fake_blpops(0, FAKE_HALF, NULL, 50 * MS);
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_drive_to(acquire, 49);
	CHECK(!rl_queue_is_in(&acquire->queue));
	waiting_drive_to(acquire, 50);
	CHECK(rl_queue_is_in(&acquire->queue));
	CHECK_HAS(fake_log(), "50 a2 BLPOP k::rl-wake 11.120\n50 a2 TRY+ k T1 30000 0 1 W1 0\n");
	CHECK_INT(acquire->queue.place->errand.channel.sent_at,
		FAKE_START); /* the earliest that it may have been run */
	fake_says(0, "*:1 :0");
	fake_wakes(0, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(acquire->proven_until, waiting_proof(0, 30000));
}

/* ---- undos by halves ---- */

/* The server does not run an undo that it has not received whole, and the rest never comes. */
static const fake_act undo_failures[] = {FAKE_BREAK_UNSENT, FAKE_BREAK_HALF, FAKE_HALF};
#define UNDO_FAILURES (sizeof undo_failures / sizeof undo_failures[0])

static void a_half_sent_undo_is_no_undo(void)
{
	for (size_t i = 0; i < UNDO_FAILURES; i++) {
		waiting_begin();
		fake_acts(0, FAKE_SILENCE, NULL, 0);
		fake_acts(0, undo_failures[i], NULL, 3 * SECOND); /* RELEASE */
		fake_acts(0, FAKE_SAY, grant(1010), 800 * MS);
		CHECK_INT(fake_drive(&fake_acquire(30000, 5 * SECOND)->op), RL_OK);
		CHECK_COUNT("RELEASE", 0);
		CHECK_COUNT("1010 a1 try+ k T1 30000 1 0 W1\n", 1); /* the token is in doubt */
		CHECK_INT(fake_stats.grants_undone, 0);
		fake_clock += 5 * SECOND;
		rl_pool_clear(&fake_pool);
		CHECK_COUNT("RELEASE", 0);
		fake_end();
	}
}

static void a_half_sent_undo_is_reported_as_doubt(void)
{
	for (size_t i = 0; i < UNDO_FAILURES; i++) {
		waiting_begin();
		fake_acts(0, FAKE_SILENCE, NULL, 0);
		fake_acts(0, undo_failures[i], NULL, RL_NEVER);
		rl_acquire *acquire = fake_acquire(30000, 0);
		CHECK_INT(fake_drive(&acquire->op), RL_ERR_TIMEOUT);
		CHECK_HAS(acquire->op.err->message, "outcome unknown");
		CHECK_INT(fake_stats.grants_undone, 0);
		fake_end();
	}
}

static const check_test tests[] = {
	TEST(a_refused_connection_is_tried_again),
	TEST(a_hanging_connect_ends_by_the_connect_timeout),
	TEST(the_login_comes_first),
	TEST(a_login_that_gets_no_answer_ends_by_the_timeout),
	TEST(a_suspension_in_the_login_is_no_timeout),
	TEST(a_refused_login_is_a_loss),
	TEST(a_place_that_is_not_reached_by_the_deadline_is_closed),
	TEST(a_waiter_without_a_name_sets_no_mark),
	TEST(a_place_that_was_not_sent_leaves_no_doubt),
	TEST(a_place_with_half_of_its_try_sent_leaves_no_doubt),
	TEST(a_place_that_is_lost_in_the_queue_leaves_its_token_in_doubt),
	TEST(a_place_that_is_lost_after_its_ticket_leaves_its_token_in_doubt),
	TEST(a_place_that_is_lost_without_a_ticket_counts_no_wake_up),
	TEST(nonsense_in_place_of_a_ticket_is_a_loss),
	TEST(a_waiter_that_loses_its_place_takes_a_new_one),
	TEST(a_waiter_that_loses_its_place_reads_the_open_look_first),
	TEST(a_waiter_polls_after_three_lost_places_in_a_row),
	TEST(an_answer_between_losses_begins_the_count_anew),
	TEST(a_place_without_an_answer_is_given_up),
	TEST(the_rest_of_half_written_commands_is_written_later),
	TEST(a_half_sent_undo_is_no_undo),
	TEST(a_half_sent_undo_is_reported_as_doubt),
};

CHECK_MAIN(tests, fake_end)
