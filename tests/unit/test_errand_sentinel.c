/* SPDX-License-Identifier: MIT
 *
 * Errands to a primary behind Sentinels: the lookup, the check of an answer, and primaries
 * that fail.
 */
#include "calling.h"
#include "check.h"

#include <string.h>

#define TRY_OURS "try k T1 30000 1 0 - 0\n"
#define REPLICA "-READONLY You can't write against a read only replica."

/* ---- the lookup ---- */

static void a_cold_call_looks_the_primary_up(void)
{
	begin_cold();
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_COUNT("0 c1 " LOOKUP, 1);
	CHECK_COUNT(LOOKUP, 3);
	CHECK_HAS(fake_log(), "0 a1 dial\n0 a1 ROLE\n0 a1 " SET);
	CHECK_INT(fake_stats.sentinel_lookups, 1);
	CHECK_INT(fake_stats.primary_switches, 0);
	CHECK_INT(fake_pool.count, 4);
}

static void a_young_lookup_is_enough(void)
{
	begin_named(499 * MS);
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_LOG("0 a1 " SET);
}

/* The last lookup is half as old as it may be: another lookup runs beside the command, and the call
 * does not wait for it. */
static void an_older_lookup_is_renewed_beside_the_command(void)
{
	begin_named(500 * MS);
	fake_all_name(route, NAMES("a"), 100 * MS);
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 0);
	CHECK_COUNT(LOOKUP, 3);
	CHECK_INT(fake_stats.sentinel_lookups, 1);
}

/* The age of the lookup counts when the answer arrives, not when the command is sent. */
static void a_grant_that_comes_later_than_that_is_checked(void)
{
	begin_named(600 * MS);
	fake_acts(0, FAKE_SAY, "+OK", 400 * MS);
	fake_all_name(route, NAMES("a"), 450 * MS);
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 450);
}

static void an_old_lookup_holds_the_grant_up(void)
{
	begin_confirmed(NULL);
	fake_acts(0, FAKE_SAY, "+OK", 10 * MS);
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 30);
	CHECK_INT(fake_stats.grants_undone, 0);
	CHECK_INT(fake_stats.primary_switches, 0);
	CHECK_INT(fake_stats.sentinel_lookups, 1);
}

/* A node that becomes a replica closes its connections. */
static void an_answer_that_is_checked_outlives_its_connection(void)
{
	begin_confirmed(NULL);
	fake_acts(0, FAKE_SAY_BREAK, "+OK", 10 * MS);
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 30);
	CHECK_COUNT("a1 " SET, 1);
	CHECK_COUNT("a2", 0);
	fake_end();

	begin_confirmed(NULL);
	fake_acts(0, FAKE_SAY_BREAK, ":1", 10 * MS);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_OK);
	CHECK_COUNT("a2", 0);
}

static void a_grant_without_a_lookup_is_known_after_a_break(void)
{
	begin_unconfirmed(NULL);
	fake_acts(0, FAKE_SAY_BREAK, "+OK", 10 * MS);
	fails(acquire(), RL_ERR_UNCONFIRMED);
	CHECK_COUNT("a1 " SET, 1);
	CHECK_COUNT("a2", 0);
	CHECK_INT(fake_stats.unconfirmed, 1);
}

static void verbs_that_prolong_are_checked_too(void)
{
	for (unsigned i = 0; i < 2; i++) {
		begin_confirmed(":1");
		rl_op *op = i == 0 ? fake_ask(RL_VERB_EXTEND, "tok", 1000) : fake_take_over("tok", 1000);
		CHECK_INT(fake_drive(op), RL_OK);
		CHECK_INT(fake_ms(), 30);
		fake_end();
	}
}

/* A refusal by a server that is no primary any more says nothing. */
static void a_refusal_is_checked(void)
{
	begin_confirmed("_");
	CHECK_INT(fake_drive(acquire()), RL_BUSY);
	CHECK_INT(fake_ms(), 30);
	fake_end();
	begin_named(2 * SECOND);
	switch_to_b(30 * MS);
	fake_says(0, "_");
	fake_says(1, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_HAS(fake_log(), "30 b1 " SET);
	CHECK_COUNT("RELEASE", 0);
}

static void a_refusal_counts_without_a_lookup(void)
{
	begin_unconfirmed("_");
	CHECK_INT(fake_drive(acquire()), RL_BUSY);
	CHECK_INT(fake_ms(), 2000);
	CHECK_INT(fake_stats.unconfirmed, 0);
}

static const rl_verb unconfirmed_verbs[] = {
	RL_VERB_RELEASE, RL_VERB_FORCE, RL_VERB_EXISTS, RL_VERB_OWNER, RL_VERB_REMAINING};

#define UNCONFIRMED_VERBS (sizeof unconfirmed_verbs / sizeof unconfirmed_verbs[0])

/* The primary a answers with yes. */
static rl_op *ask_unconfirmed(rl_verb verb)
{
	fake_says(0, verb == RL_VERB_OWNER ? "$tok" : ":1");
	return fake_ask(verb, verb < RL_VERB_FORCE ? "tok" : "", 0);
}

/* Each verb succeeds after this many ms. */
static void check_unconfirmed_verbs(void (*begin)(const char *answer), int64_t ms)
{
	for (unsigned i = 0; i < UNCONFIRMED_VERBS; i++) {
		begin(NULL);
		CHECK_INT(fake_drive(ask_unconfirmed(unconfirmed_verbs[i])), RL_OK);
		CHECK_INT(fake_ms(), ms);
		CHECK_INT(fake_stats.sentinel_lookups, 1);
		CHECK_INT(fake_stats.unconfirmed, 0);
		fake_end();
	}
}

static void reads_and_releases_are_checked(void)
{
	check_unconfirmed_verbs(begin_confirmed, 30);
}

/* A lock can be released, and asked about, without Sentinels. */
static void reads_and_releases_count_without_a_lookup(void)
{
	check_unconfirmed_verbs(begin_unconfirmed, 2000);
}

static void reads_and_releases_at_an_old_primary_go_to_the_new_one(void)
{
	for (unsigned i = 0; i < UNCONFIRMED_VERBS; i++) {
		begin_named(2 * SECOND);
		switch_to_b(30 * MS);
		rl_op *op = ask_unconfirmed(unconfirmed_verbs[i]);
		fake_says(1, ":0");
		fake_drive(op);
		CHECK_INT(fake_ms(), 30);
		CHECK_COUNT("30 b1 ROLE", 1);
		fake_end();
	}
}

static void without_the_check_the_first_lookup_is_the_last(void)
{
	begin_named(60 * SECOND);
	route->check_ns = RL_NEVER;
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_LOG("0 a1 " SET);
	fake_end();
	begin_cold();
	route->check_ns = RL_NEVER;
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_stats.sentinel_lookups, 1);
}

/* A lookup that was sent a second and more before the grant does not count for it. */
static void a_lookup_that_was_asked_too_early_is_repeated(void)
{
	begin_named(2 * SECOND);
	fake_set.members[0].timeout_ns = 5 * SECOND;
	fake_acts(0, FAKE_SAY, "+OK", 1400 * MS);
	fake_all_name(route, NAMES("a"), 1500 * MS);
	rl_op *op = acquire();
	CHECK(!fake_drive_to(op, FAKE_START + 1450 * MS));
	switch_to_b(20 * MS);
	CHECK(!fake_drive_to(op, FAKE_START + 1600 * MS));
	CHECK_INT(fake_stats.sentinel_lookups, 2);
	CHECK_HAS(fake_log(), "1520 a1 " UNDO);
	CHECK_HAS(fake_log(), "1520 b1 " TRY_OURS);
}

/* ---- failures of the lookup ---- */

static void a_cold_call_fails_if_no_sentinel_answers(void)
{
	begin_cold();
	fake_seeds_refuse(route, 1);
	rl_op *op = fails(acquire(), RL_ERR_CONNECT);
	CHECK_HAS(op->err->message, "no majority of the Sentinels names a primary for 'mymaster'");
	CHECK_HAS(op->err->message, "c:6379: cannot connect");
	CHECK_HAS(op->err->message, "d:6379: cannot connect");
	CHECK_HAS(op->err->message, "e:6379: cannot connect");
	CHECK(rl_quorum_call_may_pass(&op->call));
	CHECK_INT(fake_ms(), 0);
	CHECK_COUNT("a1", 0);
}

static void a_hung_majority_is_waited_for_as_long_as_a_server(void)
{
	begin_cold();
	fake_dials(3, FAKE_HANG, 0);
	fake_dials(4, FAKE_HANG, 0);
	rl_op *op = fails(acquire(), RL_ERR_CONNECT);
	CHECK_INT(fake_ms(), 2000);
	CHECK_HAS(op->err->message, "c:6379: names a:6379");
	CHECK_HAS(op->err->message, "no connection within 2 s");
}

static void a_message_reports_an_unknown_service(void)
{
	begin_cold();
	fake_all_name(route, "_", 0);
	rl_op *op = fails(acquire(), RL_ERR_CONNECT);
	CHECK_HAS(op->err->message, "c:6379: does not know it");
}

/* No Sentinel has confirmed the primary: the grant is undone on the node that has given it. */
static void a_grant_without_a_lookup_is_undone(void)
{
	begin_unconfirmed("+OK");
	rl_op *op = fails(acquire(), RL_ERR_UNCONFIRMED);
	CHECK_HAS(op->err->message, "no majority of the Sentinels");
	CHECK(strstr(op->err->message, "unknown") == NULL);
	CHECK_HAS(fake_log(), "2000 a1 " UNDO);
	CHECK_INT(fake_stats.grants_undone, 1);
	CHECK_INT(fake_stats.unconfirmed, 1);
	CHECK(rl_quorum_call_may_pass(&op->call));
}

static void an_extension_without_a_lookup_is_a_failure_and_stays(void)
{
	begin_unconfirmed(":1");
	fails(fake_ask(RL_VERB_EXTEND, "tok", 1000), RL_ERR_UNCONFIRMED);
	CHECK_COUNT("RELEASE", 0);
	CHECK_INT(fake_stats.grants_undone, 0);
}

static void a_swap_without_a_lookup_is_swapped_back(void)
{
	begin_unconfirmed(":1");
	fails(fake_take_over("tok", 30000), RL_ERR_UNCONFIRMED);
	CHECK_HAS(fake_log(), "2000 a1 SWAP k T1 tok 0\n");
}

/* ---- a primary that fails ---- */

static void a_primary_that_refuses_is_looked_up_at_once(void)
{
	begin_unconnected(0);
	fake_dials(0, FAKE_REFUSE, 0);
	switch_to_b(20 * MS);
	fake_says(1, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 20);
	CHECK_HAS(fake_log(), "20 b1 " SET);
	CHECK_INT(fake_stats.grants_undone, 0);
}

static void a_primary_that_refuses_and_is_named_again_has_failed(void)
{
	begin_unconnected(0);
	fake_dials(0, FAKE_REFUSE, 0);
	rl_op *op = fails(acquire(), RL_ERR_CONNECT);
	CHECK_COUNT("dial", 1);
	CHECK_HAS(op->err->message, "redis://a:6379: cannot connect");
}

static void a_primary_that_hangs_takes_a_timeout_and_the_next_call_looks_up(void)
{
	begin_named(0);
	rl_op *op = fails(acquire(), RL_ERR_TIMEOUT);
	CHECK_INT(fake_ms(), 1000);
	CHECK_HAS(op->err->message, "no answer within 1 s");
	CHECK_INT(route->named_at, 0);
	CHECK_INT(fake_stats.sentinel_lookups, 5); /* every 200 ms */
	fake_clock += 2 * SECOND;
	switch_to_b(5 * MS);
	fake_says(1, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXISTS, "", 0)), RL_OK);
	CHECK_INT(fake_ms(), 3005);
}

/* The call leaves even a primary that was named a moment ago, because it asks the Sentinels
 * again. */
static void a_primary_that_hangs_is_left_once_another_is_named(void)
{
	begin_named(0);
	rl_op *op = acquire();
	CHECK(!fake_drive_to(op, FAKE_START + 450 * MS));
	switch_to_b(20 * MS);
	fake_says(1, "*:1 :0");
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_INT(fake_ms(), 620);
	CHECK_INT(fake_stats.sentinel_lookups, 3);
}

static void a_primary_that_answers_readonly_is_looked_up_and_leaves_no_doubt(void)
{
	begin_switched(0, REPLICA, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_HAS(fake_log(), "0 a1 close\n");
	CHECK_HAS(fake_log(), "20 b1 " SET);
	CHECK_INT(fake_stats.grants_undone, 0);
}

static void a_primary_that_answers_readonly_and_is_named_again_has_failed(void)
{
	begin_named(0);
	fake_says(0, REPLICA);
	rl_op *op = fails(acquire(), RL_ERR_SERVER);
	CHECK_TEXT(op->err->code, "READONLY");
	CHECK(rl_quorum_call_may_pass(&op->call));
	CHECK_COUNT(SET, 1);
}

/* The answer to ROLE decides before any other answer: OK from a writable replica would prove
 * nothing. */
static void a_replica_is_noticed_by_its_role(void)
{
	begin_cold();
	fake_login_says(0, "ROLE", "*$slave $b :6379");
	fake_says(0, "+OK");
	rl_op *op = acquire();
	rl_status status = fake_drive(op);
	CHECK(status != RL_OK);
	CHECK_HAS(fake_log(), "a1 " UNDO);
}

/* After a lost answer only another answer clears the doubt. */
static void a_lost_answer_stays_in_doubt(void)
{
	begin_switched(0, NULL, "*:1 :0");
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_dials(0, FAKE_REFUSE, 0);
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_HAS(fake_log(), "20 b1 " TRY_OURS);
}

static void a_lost_answer_is_unknown_if_no_server_can_be_asked(void)
{
	begin_named(0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_refuses(0, 50);
	rl_op *op = acquire();
	CHECK_INT(fake_drive(op), RL_ERR_CONNECT);
	CHECK(fake_ms() >= 900);
	CHECK_HAS(op->err->message, "unknown");
	/* Five for failures, and five because time has passed. */
	CHECK(fake_stats.sentinel_lookups <= 10);
}

static const check_test tests[] = {
	TEST(a_cold_call_looks_the_primary_up),
	TEST(a_young_lookup_is_enough),
	TEST(an_older_lookup_is_renewed_beside_the_command),
	TEST(a_grant_that_comes_later_than_that_is_checked),
	TEST(an_old_lookup_holds_the_grant_up),
	TEST(an_answer_that_is_checked_outlives_its_connection),
	TEST(a_grant_without_a_lookup_is_known_after_a_break),
	TEST(verbs_that_prolong_are_checked_too),
	TEST(a_refusal_is_checked),
	TEST(a_refusal_counts_without_a_lookup),
	TEST(reads_and_releases_are_checked),
	TEST(reads_and_releases_count_without_a_lookup),
	TEST(reads_and_releases_at_an_old_primary_go_to_the_new_one),
	TEST(without_the_check_the_first_lookup_is_the_last),
	TEST(a_lookup_that_was_asked_too_early_is_repeated),
	TEST(a_cold_call_fails_if_no_sentinel_answers),
	TEST(a_hung_majority_is_waited_for_as_long_as_a_server),
	TEST(a_message_reports_an_unknown_service),
	TEST(a_grant_without_a_lookup_is_undone),
	TEST(an_extension_without_a_lookup_is_a_failure_and_stays),
	TEST(a_swap_without_a_lookup_is_swapped_back),
	TEST(a_primary_that_refuses_is_looked_up_at_once),
	TEST(a_primary_that_refuses_and_is_named_again_has_failed),
	TEST(a_primary_that_hangs_takes_a_timeout_and_the_next_call_looks_up),
	TEST(a_primary_that_hangs_is_left_once_another_is_named),
	TEST(a_primary_that_answers_readonly_is_looked_up_and_leaves_no_doubt),
	TEST(a_primary_that_answers_readonly_and_is_named_again_has_failed),
	TEST(a_replica_is_noticed_by_its_role),
	TEST(a_lost_answer_stays_in_doubt),
	TEST(a_lost_answer_is_unknown_if_no_server_can_be_asked),
};

CHECK_MAIN(tests, fake_end)
