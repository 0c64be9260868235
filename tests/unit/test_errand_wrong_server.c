/* SPDX-License-Identifier: MIT
 *
 * A server that answers READONLY or MASTERDOWN: the address leads to a replica, or the primary has
 * become one. Its connections are closed, and the command is sent once more.
 */
#include "check.h"
#include "waiting.h"

#include <string.h>

#define REPLICA "-READONLY You can't write against a read only replica."

static void begin_warm(unsigned connections)
{
	fake_begin(1);
	for (unsigned i = 0; i < connections; i++) {
		fake_warm(0);
	}
}

/* ---- one call ---- */

static void the_command_is_sent_once_more_on_a_new_connection(void)
{
	static const char *const words[] = {REPLICA, "-MASTERDOWN x"};
	for (unsigned i = 0; i < 2; i++) {
		begin_warm(3);
		fake_says(0, words[i]);
		fake_says(0, "+OK");
		CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK);
		CHECK_LOG("0 a3 SET k T1 NX PX 30000\n"
				  "0 a2 close\n0 a1 close\n0 a3 close\n"
				  "0 a4 dial\n0 a4 SET k T1 NX PX 30000\n0 a4 NAME\n");
		CHECK_INT(fake_distrusts, 1);
		CHECK_INT(fake_pool.count, 1);
		CHECK_INT(fake_stats.grants_undone, 0);
		fake_end();
	}
}

static void each_verb_is_sent_once_more_on_a_new_connection(void)
{
	static const rl_verb verbs[] = {RL_VERB_RELEASE, RL_VERB_EXTEND, RL_VERB_FORCE, RL_VERB_EXISTS};
	for (unsigned i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
		begin_warm(1);
		fake_says(0, REPLICA);
		fake_says(0, ":1");
		const char *token = verbs[i] < RL_VERB_FORCE ? "tok" : "";
		CHECK_INT(fake_drive(fake_ask(verbs[i], token, 1000)), RL_OK);
		CHECK_COUNT("dial", 1);
		fake_end();
	}
}

/* The server has not run the command: no outcome is unknown, and a 0 is a 0. */
static void a_refusal_leaves_no_doubt(void)
{
	begin_warm(1);
	fake_says(0, REPLICA);
	fake_says(0, ":0");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_BUSY);
}

static void a_second_readonly_is_the_answer(void)
{
	begin_warm(1);
	fake_names_move = true;
	fake_says(0, REPLICA);
	fake_says(0, REPLICA);
	rl_op *op = &fake_acquire(30000, 0)->op;
	CHECK_INT(fake_drive(op), RL_ERR_SERVER);
	CHECK_TEXT(op->err->code, "READONLY");
	CHECK_COUNT("dial", 1);
	CHECK_COUNT("close", 2);
	CHECK_INT(fake_pool.count, 0);
	CHECK_INT(fake_stats.grants_undone, 0);
	CHECK(strstr(op->err->message, "unknown") == NULL);
}

static void a_connection_just_dialled_is_replaced_only_if_the_name_may_lead_elsewhere(void)
{
	for (unsigned may = 0; may < 2; may++) {
		fake_begin(1);
		fake_names_move = may;
		fake_says(0, REPLICA);
		fake_says(0, "+OK");
		CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), may ? RL_OK : RL_ERR_SERVER);
		CHECK_COUNT("dial", 1 + may);
		CHECK_INT(fake_pool.count, may);
		fake_end();
	}
}

/* The driver resolves the name between two steps. */
static void the_driver_is_asked_for_the_name(void)
{
	begin_warm(1);
	fake_says(0, REPLICA);
	fake_says(0, "+OK");
	rl_op *op = &fake_acquire(30000, 0)->op;
	unsigned asked = 0;
	for (unsigned i = 0; i < 10 && op->status == RL_OK && fake_stats.acquired == 0; i++) {
		rl_tick tick = {.now = fake_clock, .seen = fake_clock};
		bool is_done = rl_op_step(op, &tick, &fake_wait);
		if (!is_done && fake_wait.wants_names) {
			asked++;
			CHECK_INT(fake_wait.count, 0);
			CHECK(fake_count("a2 dial") == 0);
		}
		fake_clock++;
		for (unsigned j = 0; !is_done && j < fake_wait.count; j++) {
			fake_read(fake_wait.links[j]);
		}
	}
	CHECK_INT(asked, 1);
	CHECK_INT(fake_stats.acquired, 1);
}

static void the_second_try_stays_within_the_budget(void)
{
	begin_warm(1);
	fake_acts(0, FAKE_SAY, REPLICA, 900 * MS);
	fake_dials(0, FAKE_HANG, 0);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_ERR_CONNECT);
	CHECK(fake_ms() <= 2000);
}

static void an_earlier_doubt_outlasts_readonly(void)
{
	begin_warm(1);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_names_move = true;
	fake_says(0, REPLICA);
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK);
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n0 a1 close\n"
			  "0 a2 dial\n0 a2 try k T1 30000 1 0 - 0\n0 a2 NAME\n0 a2 close\n"
			  "0 a3 dial\n0 a3 try k T1 30000 1 0 - 0\n0 a3 NAME\n");
}

/* ---- several members ---- */

static void a_member_that_answers_readonly_is_dialled_again(void)
{
	fake_begin(3);
	for (unsigned i = 0; i < 3; i++) {
		fake_warm(i);
		fake_says(i, REPLICA);
		fake_says(i, "+OK");
	}
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK);
	CHECK_COUNT("dial", 3);
	CHECK_INT(fake_distrusts, 3);
}

/* ---- waiting ---- */

static void a_wait_tries_again_after_each_readonly(void)
{
	begin_warm(1);
	for (unsigned i = 0; i < 3; i++) {
		fake_says(0, REPLICA);
	}
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n0 a1 close\n"
			  "0 a2 dial\n0 a2 SET k T1 NX PX 30000\n0 a2 NAME\n0 a2 close\n"
			  "10 a3 dial\n10 a3 try k T1 30000 0 0 - 0\n10 a3 NAME\n10 a3 close\n"
			  "30 a4 dial\n30 a4 try k T1 30000 0 0 - 0\n30 a4 NAME\n");
}

static void a_look_goes_on_at_the_new_server(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	fake_says(0, REPLICA);
	fake_says(0, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 1500);
	CHECK_LOG("850 a1 probe+ k T1 W1\n850 a1 close\n"
			  "850 a3 dial\n850 a3 probe+ k T1 W1\n850 a3 NAME\n");
	CHECK_INT(fake_blocked_links(), 1);
	CHECK_INT(fake_stats.backoffs, 0);
	CHECK_INT(fake_stats.wake_failures, 0);
}

/* The idle connection of the looks leads to the old server, too. */
static void a_place_in_the_queue_is_taken_again_at_the_new_server(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	fake_blpops(0, FAKE_SAY, REPLICA, 300 * MS);
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_drive_to(acquire, 299);
	fake_forget_log();
	fake_says(0, REPLICA);
	waiting_drive_to(acquire, 320);
	CHECK_LOG("300 a1 close\n300 a2 close\n"
			  "300 a3 dial\n300 a3 NAME\n"
			  "300 a3 BLPOP k::rl-wake 10.816\n"
			  "300 a3 TRY+ k T1 30000 0 1 W1 0\n");
	CHECK_INT(fake_stats.wake_failures, 0);
}

static const check_test tests[] = {
	TEST(the_command_is_sent_once_more_on_a_new_connection),
	TEST(each_verb_is_sent_once_more_on_a_new_connection),
	TEST(a_refusal_leaves_no_doubt),
	TEST(a_second_readonly_is_the_answer),
	TEST(a_connection_just_dialled_is_replaced_only_if_the_name_may_lead_elsewhere),
	TEST(the_driver_is_asked_for_the_name),
	TEST(the_second_try_stays_within_the_budget),
	TEST(an_earlier_doubt_outlasts_readonly),
	TEST(a_member_that_answers_readonly_is_dialled_again),
	TEST(a_wait_tries_again_after_each_readonly),
	TEST(a_look_goes_on_at_the_new_server),
	TEST(a_place_in_the_queue_is_taken_again_at_the_new_server),
};

CHECK_MAIN(tests, fake_end)
