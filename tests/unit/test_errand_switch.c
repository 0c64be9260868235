/* SPDX-License-Identifier: MIT
 *
 * Errands whose Sentinels name another primary: in each state of the call, for each verb, and
 * for each kind of token.
 */
#include "calling.h"
#include "check.h"

#define REPLICA "-READONLY You can't write against a read only replica."
#define TRY_OURS "try k T1 30000 1 0 - 0\n"

/* ---- a switch, by state ---- */

/* The same as begin_switched(), without a connection to a. */
static void begin_unconnected_switch(int64_t age, int64_t delay, const char *of_b)
{
	begin_unconnected(age);
	switch_to_b(delay);
	fake_says(1, of_b);
}

/* The command is not sent yet: the link is not even connected. */
static void an_old_primary_is_left_while_the_call_connects(void)
{
	begin_unconnected_switch(2 * SECOND, 20 * MS, "+OK");
	fake_dials(0, FAKE_HANG, 0);
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 20);
	CHECK_HAS(fake_log(), "20 b1 " SET);
	CHECK_INT(fake_stats.grants_undone, 0);
	CHECK_INT(fake_stats.primary_switches, 1);
}

/* EXTEND is not sent with the login. */
static void an_old_primary_is_left_during_the_login(void)
{
	begin_unconnected_switch(2 * SECOND, 20 * MS, ":1");
	fake_login_says(0, "ROLE", NULL);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXTEND, "tok", 1000)), RL_OK);
	CHECK_INT(fake_ms(), 20);
	CHECK_COUNT("a1 extend", 0);
	CHECK_COUNT("b1 extend", 1);
}

static void an_old_primary_is_left_while_its_answer_is_missing(void)
{
	begin_switched(600 * MS, NULL, "*:1 :0");
	rl_op *op = acquire();
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_INT(fake_ms(), 20);
	CHECK_HAS(fake_log(), "20 a1 " UNDO "20 a1 end\n");
	CHECK_HAS(fake_log(), "20 b1 " TRY_OURS);
	CHECK_INT(fake_stats.grants_undone, 1);
	/* The earlier time is the safe one: a might have granted the lock, and the token is the
	 * same. */
	CHECK_INT(rl_quorum_call_sent_at(&op->call), FAKE_START);
}

/* A server cannot run half a command. */
static void half_a_command_needs_no_undo(void)
{
	begin_switched(600 * MS, NULL, "+OK");
	fake_acts(0, FAKE_HALF, NULL, RL_NEVER);
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_COUNT("RELEASE", 0);
	CHECK_HAS(fake_log(), "20 a1 close\n");
	CHECK_HAS(fake_log(), "20 b1 " SET);
	CHECK_INT(fake_stats.grants_undone, 0);
}

static void an_old_primary_is_left_in_a_pause(void)
{
	begin_switched(600 * MS, NULL, "*:1 :0");
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_set.backoff.first_ns = 50 * MS;
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 20);
	/* The connection for an undo is gone, and the try asks for the token. */
	CHECK_COUNT("RELEASE", 0);
	CHECK_HAS(fake_log(), "20 b1 " TRY_OURS);
}

static void a_grant_of_the_old_primary_is_undone(void)
{
	begin_switched(2 * SECOND, "+OK", "*:1 :0");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_HAS(fake_log(), "20 a1 " UNDO);
	CHECK_HAS(fake_log(), "20 b1 " TRY_OURS);
	CHECK_INT(fake_stats.grants_undone, 1);
	CHECK_INT(fake_stats.primary_switches, 1);
	CHECK_INT(fake_node_of(route), 'b');
}

static void the_new_primary_may_refuse(void)
{
	begin_switched(2 * SECOND, "+OK", "*:0 :0 :500 :3 :1");
	CHECK_INT(fake_drive(acquire()), RL_BUSY);
	CHECK_INT(fake_stats.grants_undone, 1);
}

/* Idle connections to the old primary are ended: it would still accept commands. */
static void idle_connections_to_the_old_primary_are_ended(void)
{
	begin_switched(2 * SECOND, "+OK", "*:1 :0");
	fake_warm_to(rl_route_node(route, 0));
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_HAS(fake_log(), "20 a1 close\n");
	CHECK_INT(fake_pool.count, 4);
}

static int64_t flip_period;
static unsigned flips;

/* The Sentinels name the other server from now on. */
static void flip(void)
{
	fake_all_name(route, ++flips % 2 == 1 ? NAMES("b") : NAMES("a"), 0);
	fake_alarm = fake_clock + flip_period;
}

static void begin_flips(int64_t period)
{
	begin_named(0);
	flip_period = period;
	flips = 0;
	fake_alarm = fake_clock + 100 * MS;
	fake_on_alarm = flip;
}

/* After five switches the call fails with a failure that may pass, and each of the six commands is
 * undone. */
static void a_call_fails_when_the_primary_changes_again_and_again(void)
{
	begin_flips(200 * MS);
	rl_op *op = fails(acquire(), RL_ERR_CONNECT);
	CHECK_HAS(op->err->message, "the primary changes again and again");
	CHECK(rl_quorum_call_may_pass(&op->call));
	CHECK_INT(fake_stats.primary_switches, 6);
	CHECK_INT(fake_stats.grants_undone, 6);
	CHECK_COUNT("a1 " UNDO, 1);
	CHECK_INT(fake_ms(), 1200);
}

/* The Sentinels name one replica after another. After five switches the answer is the failure. */
static void each_primary_is_a_replica(void)
{
	begin_flips(150 * MS);
	for (unsigned i = 0; i < 8; i++) {
		fake_acts(i % 2, FAKE_SAY, REPLICA, 150 * MS);
	}
	rl_op *op = fails(acquire(), RL_ERR_SERVER);
	CHECK_TEXT(op->err->code, "READONLY");
	CHECK_INT(fake_stats.primary_switches, 5);
	CHECK_COUNT(SET, 6);
}

/* ---- a primary that is silent ---- */

/* The last lookup is young, and the Sentinels notice the failure only now. The call asks them again
 * while the primary does not answer. */
static void sentinels_are_asked_again_while_the_answer_is_missing(void)
{
	begin_named(0);
	switch_to_b(10 * MS);
	fake_says(1, "*:1 :0");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 210);
	CHECK_HAS(fake_log(), "210 a1 " UNDO);
	CHECK_HAS(fake_log(), "210 b1 " TRY_OURS);
	CHECK_INT(fake_stats.sentinel_lookups, 1);
}

static void sentinels_are_asked_again_during_the_login(void)
{
	begin_unconnected_switch(0, 10 * MS, ":1");
	fake_login_says(0, "ROLE", NULL);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXTEND, "tok", 1000)), RL_OK);
	CHECK_INT(fake_ms(), 210);
}

static void sentinels_are_asked_again_in_a_pause(void)
{
	begin_named(0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_set.backoff.first_ns = 500 * MS;
	switch_to_b(10 * MS);
	fake_says(1, "*:1 :0");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 210);
}

/* The Sentinels name the same primary each time. There is one lookup at a time, every 200 ms. */
static void a_silent_primary_is_confirmed_again_and_again(void)
{
	begin_named(0);
	fake_all_name(route, NAMES("a"), 50 * MS);
	fake_acts(0, FAKE_SAY, "+OK", 900 * MS);
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 900);
	CHECK_INT(fake_stats.sentinel_lookups, 4);
	CHECK_INT(fake_stats.grants_undone, 0);
}

/* ---- a switch, by verb and token ---- */

/* The old primary may still carry the undo out when it is the primary again. */
static void an_own_token_that_was_granted_is_undone_and_sent_to_the_new_primary(void)
{
	begin_switched(2 * SECOND, "+OK", "*:1 :0");
	rl_target *old = rl_target_ref(rl_route_node(route, 0));
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(acquire_own()), RL_OK);
	CHECK_HAS(fake_log(), "20 a1 RELEASE k drawn\n");
	CHECK_HAS(fake_log(), "20 b1 try k drawn 30000 1");
	CHECK(rl_pool_may_free(
		&fake_pool, old, rl_conn_lock(bytes_of("k"), bytes_of(FAKE_DRAWN)), fake_clock));
	rl_target_unref(old);
}

/* An undo of the caller's token, of a call before, is still under way to node a, so the swap waits.
 */
static void a_swap_that_pauses_leaves_no_drawn_token_at_the_old_primary(void)
{
	begin_named(0);
	fake_all_name(route, NAMES("a"), 0);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(acquire_own()), RL_ERR_TIMEOUT);
	fake_forget_log();
	fake_warm_to(rl_route_node(route, 0));
	route->named_at = fake_clock - 600 * MS;
	switch_to_b(20 * MS);
	fake_says(0, "+OK");
	fake_says(1, ":0");
	fake_says(1, "_");
	CHECK_INT(fake_drive(acquire_own()), RL_BUSY);
	CHECK_COUNT("a2 SET k T1 ", 1);
	CHECK_COUNT("a2 RELEASE k T1\n", 1);
	CHECK_COUNT("b1 swap k T1 ", 1);
}

/* The swap may have run at the old primary, and is not sent again. */
static void a_swap_of_an_own_token_ends_by_a_switch(void)
{
	begin_switched(2 * SECOND, "+OK", NULL);
	fake_all_name(route, NAMES("a"), 0);
	rl_op *op = &fake_acquire_own("mine", 30000, 0)->op;
	fake_acts(0, FAKE_SAY, ":1", 1500 * MS);
	CHECK(!fake_drive_to(op, FAKE_START + 10 * MS));
	CHECK_COUNT("a1 swap k T1 mine 30000\n", 1);
	switch_to_b(20 * MS);
	CHECK(fake_drive(op) != RL_OK);
	CHECK_HAS(op->err->message, "the Sentinels name another primary now, redis://b:6379");
	CHECK_HAS(op->err->message, "outcome unknown");
	CHECK_COUNT("b1", 0);
	CHECK_COUNT("RELEASE k mine", 0);
}

static void an_extension_is_sent_to_the_new_primary(void)
{
	begin_switched(2 * SECOND, ":1", ":0");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXTEND, "tok", 1000)), RL_BUSY);
	CHECK_COUNT("extend k tok 1000", 2);
	CHECK_COUNT("RELEASE", 0);
}

static void a_swap_is_swapped_back_and_fails(void)
{
	begin_switched(2 * SECOND, ":1", NULL);
	rl_op *op = fails(fake_take_over("tok", 30000), RL_ERR_UNCONFIRMED);
	CHECK_HAS(op->err->message, "another primary");
	CHECK_HAS(fake_log(), "20 a1 SWAP k T1 tok 0\n");
	CHECK_COUNT("b1", 0);
}

/* The primary has failed before, so that a lookup runs beside any verb. */
static void begin_suspect(const char *of_b)
{
	begin_switched(0, NULL, of_b);
	route->named_at = 0;
}

/* The lock that FORCE has freed at the old primary is not free at the new one. */
static void force_is_sent_to_the_new_primary_as_well(void)
{
	begin_suspect(":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_FORCE, "", 0)), RL_OK);
	CHECK_COUNT("a1 force", 1);
	CHECK_COUNT("b1 force", 1);
	CHECK_INT(fake_ms(), 20);
}

static void a_release_goes_on_at_the_new_primary(void)
{
	begin_suspect(":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_OK);
	CHECK_HAS(fake_log(), "20 b1 release k tok\n");
	CHECK_INT(fake_stats.grants_undone, 0);
}

static void a_release_that_finds_nothing_at_the_new_primary_is_unknown(void)
{
	begin_suspect(":0");
	fails(fake_ask(RL_VERB_RELEASE, "tok", 0), RL_ERR_UNKNOWN);
}

static void a_question_goes_on_at_the_new_primary(void)
{
	begin_suspect(":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXISTS, "", 0)), RL_OK);
	CHECK_INT(fake_ms(), 20);
}

/* The Sentinels were slow, so a call has left a lookup that is nearly over. */
static void a_call_outlives_a_lookup_that_began_before_it(void)
{
	begin_cold();
	fake_warm_seeds(route);
	fake_all_name(route, NAMES("a"), 2100 * MS);
	CHECK(!fake_drive_to(acquire(), FAKE_START + 1950 * MS));
	fake_all_name(route, NAMES("a"), 0);
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_stats.sentinel_lookups, 2);
}

/* Another call of the object fails, is repeated, and begins a lookup again before this call has
 * seen the end of the last one. */
static void check_ends_beside_calls_that_are_repeated(rl_op *op, int64_t latest)
{
	rl_op *other = fake_ask(RL_VERB_EXISTS, "x", 0);
	bool is_over = fake_drive_to(op, fake_clock + MS) || fake_drive_to(other, fake_clock + MS);
	for (unsigned i = 0; i < 10 && !is_over; i++) {
		const rl_lookup *lookup = rl_lookup_known(route);
		CHECK(rl_lookup_is_open(lookup));
		int64_t until = lookup->until;
		is_over = fake_drive_to(op, until - MS);
		if (!is_over && fake_drive_to(other, until + MS)) {
			other = fake_ask(RL_VERB_EXISTS, "x", 0);
			CHECK(!fake_drive_to(other, fake_clock + MS));
		}
	}
	CHECK(is_over);
	CHECK(fake_clock - FAKE_START <= latest);
}

static void a_call_without_a_primary_ends_beside_calls_that_are_repeated(void)
{
	begin_cold();
	fake_warm_seeds(route);
	fake_none_answers(route);
	rl_op *op = fake_ask(RL_VERB_RELEASE, "tok", 0);
	CHECK(!fake_drive_to(op, FAKE_START + 10 * MS));
	check_ends_beside_calls_that_are_repeated(op, 5 * SECOND);
	CHECK_INT(op->status, RL_ERR_CONNECT);
}

static void the_check_of_a_grant_ends_beside_calls_that_are_repeated(void)
{
	begin_unconfirmed("+OK");
	fake_warm_to(rl_route_node(route, 0));
	fake_improvise = fake_yes;
	rl_op *op = acquire();
	CHECK(!fake_drive_to(op, FAKE_START + 10 * MS));
	check_ends_beside_calls_that_are_repeated(op, 5 * SECOND);
	CHECK_INT(op->status, RL_ERR_UNCONFIRMED);
}

static const check_test tests[] = {
	TEST(an_old_primary_is_left_while_the_call_connects),
	TEST(an_old_primary_is_left_during_the_login),
	TEST(an_old_primary_is_left_while_its_answer_is_missing),
	TEST(half_a_command_needs_no_undo),
	TEST(an_old_primary_is_left_in_a_pause),
	TEST(a_grant_of_the_old_primary_is_undone),
	TEST(the_new_primary_may_refuse),
	TEST(idle_connections_to_the_old_primary_are_ended),
	TEST(a_call_fails_when_the_primary_changes_again_and_again),
	TEST(each_primary_is_a_replica),
	TEST(sentinels_are_asked_again_while_the_answer_is_missing),
	TEST(sentinels_are_asked_again_during_the_login),
	TEST(sentinels_are_asked_again_in_a_pause),
	TEST(a_silent_primary_is_confirmed_again_and_again),
	TEST(an_own_token_that_was_granted_is_undone_and_sent_to_the_new_primary),
	TEST(a_swap_that_pauses_leaves_no_drawn_token_at_the_old_primary),
	TEST(a_swap_of_an_own_token_ends_by_a_switch),
	TEST(an_extension_is_sent_to_the_new_primary),
	TEST(a_swap_is_swapped_back_and_fails),
	TEST(force_is_sent_to_the_new_primary_as_well),
	TEST(a_release_goes_on_at_the_new_primary),
	TEST(a_release_that_finds_nothing_at_the_new_primary_is_unknown),
	TEST(a_question_goes_on_at_the_new_primary),
	TEST(a_call_outlives_a_lookup_that_began_before_it),
	TEST(a_call_without_a_primary_ends_beside_calls_that_are_repeated),
	TEST(the_check_of_a_grant_ends_beside_calls_that_are_repeated),
};

CHECK_MAIN(tests, fake_end)
