/* SPDX-License-Identifier: MIT
 *
 * Member calls to a primary behind Sentinels: the lookup, the check of a grant, and a switch to
 * another primary in each state.
 *
 * The primary is server a or b, and the Sentinels are c, d and e.
 */
#include "check.h"
#include "fake_route.h"
#include "waiting.h"

#include <string.h>

#define SET "SET k T1 NX PX 30000\n"
#define TRY_OURS "try k T1 30000 1 0 - 0\n"
#define UNDO "RELEASE k T1\n"
#define REPLICA "-READONLY You can't write against a read only replica."

static rl_route *route;

static void begin_cold(void)
{
	fake_begin(1);
	route = fake_sentinels(0, "cde");
	fake_all_name(route, NAMES("a"), 0);
}

/* The Sentinels have named a so long ago. */
static void begin(int64_t age)
{
	begin_cold();
	fake_warm_seeds(route);
	fake_named(route, 0, age);
}

/* The same, without a connection to it. */
static void begin_unconnected(int64_t age)
{
	begin_cold();
	fake_warm_seeds(route);
	char a = 'a';
	CHECK(rl_route_name(route, rl_bytes_of(&a, 1), 6379, fake_clock - age) != NULL);
}

static void switch_to_b(int64_t delay)
{
	fake_all_name(route, NAMES("b"), delay);
}

static rl_op *acquire(void)
{
	return &fake_acquire(30000, 0)->op;
}

static rl_op *fails(rl_op *op, rl_status status)
{
	CHECK_INT(fake_drive(op), status);
	return op;
}

/* ---- the lookup ---- */

static void a_cold_call_looks_the_primary_up(void)
{
	begin_cold();
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_COUNT("0 c1 " LOOKUP, 1);
	CHECK_COUNT(LOOKUP, 3);
	CHECK_HAS(fake_log(), "0 a1 dial\n0 a1 ROLE\n0 a1 " SET);
	CHECK_INT(fake_stats.lookups, 1);
	CHECK_INT(fake_stats.switches, 0);
	CHECK_INT(fake_pool.count, 4);
}

static void a_young_lookup_is_enough(void)
{
	begin(499 * MS);
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_LOG("0 a1 " SET);
}

/* It is half as old as it may be: another one runs beside, and is not waited for. */
static void an_older_lookup_is_renewed_beside_the_command(void)
{
	begin(500 * MS);
	fake_all_name(route, NAMES("a"), 100 * MS);
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 0);
	CHECK_COUNT(LOOKUP, 3);
	CHECK_INT(fake_stats.lookups, 1);
}

/* That counts when the answer comes, not when the command was sent. */
static void a_grant_that_comes_later_than_that_is_checked(void)
{
	begin(600 * MS);
	fake_acts(0, FAKE_SAY, "+OK", 400 * MS);
	fake_all_name(route, NAMES("a"), 450 * MS);
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 450);
}

static void an_old_lookup_holds_the_grant_up(void)
{
	begin(2 * SECOND);
	fake_all_name(route, NAMES("a"), 30 * MS);
	fake_acts(0, FAKE_SAY, "+OK", 10 * MS);
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 30);
	CHECK_INT(fake_stats.undone, 0);
	CHECK_INT(fake_stats.switches, 0);
	CHECK_INT(fake_stats.lookups, 1);
}

static void what_prolongs_is_checked_too(void)
{
	begin(2 * SECOND);
	fake_all_name(route, NAMES("a"), 30 * MS);
	fake_says(0, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXTEND, "tok", 1000)), RL_OK);
	CHECK_INT(fake_ms(), 30);
	fake_end();
	begin(2 * SECOND);
	fake_all_name(route, NAMES("a"), 30 * MS);
	fake_says(0, ":1");
	CHECK_INT(fake_drive(fake_take_over("tok", 1000)), RL_OK);
	CHECK_INT(fake_ms(), 30);
}

/* Of a primary that is not one any more a refusal says nothing. */
static void a_refusal_is_checked(void)
{
	begin(2 * SECOND);
	fake_all_name(route, NAMES("a"), 30 * MS);
	fake_says(0, "_");
	CHECK_INT(fake_drive(acquire()), RL_BUSY);
	CHECK_INT(fake_ms(), 30);
	fake_end();
	begin(2 * SECOND);
	switch_to_b(30 * MS);
	fake_says(0, "_");
	fake_says(1, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_HAS(fake_log(), "30 b1 " SET);
	CHECK_COUNT("RELEASE", 0);
}

static void a_refusal_counts_without_a_lookup(void)
{
	begin(2 * SECOND);
	fake_none_answers(route);
	fake_says(0, "_");
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

static void reads_and_releases_are_checked(void)
{
	for (unsigned i = 0; i < UNCONFIRMED_VERBS; i++) {
		begin(2 * SECOND);
		fake_all_name(route, NAMES("a"), 30 * MS);
		CHECK_INT(fake_drive(ask_unconfirmed(unconfirmed_verbs[i])), RL_OK);
		CHECK_INT(fake_ms(), 30);
		CHECK_INT(fake_stats.lookups, 1);
		fake_end();
	}
}

/* A lock can be released, and asked about, without Sentinels. */
static void reads_and_releases_count_without_a_lookup(void)
{
	for (unsigned i = 0; i < UNCONFIRMED_VERBS; i++) {
		begin(2 * SECOND);
		fake_none_answers(route);
		CHECK_INT(fake_drive(ask_unconfirmed(unconfirmed_verbs[i])), RL_OK);
		CHECK_INT(fake_ms(), 2000);
		CHECK_INT(fake_stats.unconfirmed, 0);
		fake_end();
	}
}

static void reads_and_releases_at_an_old_primary_go_to_the_new_one(void)
{
	for (unsigned i = 0; i < UNCONFIRMED_VERBS; i++) {
		begin(2 * SECOND);
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
	begin(60 * SECOND);
	route->check_ns = RL_NEVER;
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_LOG("0 a1 " SET);
	fake_end();
	begin_cold();
	route->check_ns = RL_NEVER;
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_stats.lookups, 1);
}

/* A lookup that was sent a second and more before the grant does not count for it. */
static void a_lookup_that_was_asked_too_early_is_repeated(void)
{
	begin(2 * SECOND);
	fake_set.members[0].timeout_ns = 5 * SECOND;
	fake_acts(0, FAKE_SAY, "+OK", 1400 * MS);
	fake_all_name(route, NAMES("a"), 1500 * MS);
	rl_op *op = acquire();
	CHECK(!fake_drive_to(op, FAKE_START + 1450 * MS));
	switch_to_b(20 * MS);
	CHECK(!fake_drive_to(op, FAKE_START + 1600 * MS));
	CHECK_INT(fake_stats.lookups, 2);
	CHECK_HAS(fake_log(), "1520 a1 " UNDO);
	CHECK_HAS(fake_log(), "1520 b1 " TRY_OURS);
}

/* ---- failures of the lookup ---- */

static void nobody_answers_a_cold_call(void)
{
	begin_cold();
	for (unsigned i = 2; i < 5; i++) {
		fake_dials(i, FAKE_REFUSE, 0);
	}
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

static void an_unknown_service_is_said(void)
{
	begin_cold();
	fake_all_name(route, "_", 0);
	rl_op *op = fails(acquire(), RL_ERR_CONNECT);
	CHECK_HAS(op->err->message, "c:6379: does not know it");
}

/* Ownership was not confirmed: the grant is taken back where it is. */
static void a_grant_without_a_lookup_is_undone(void)
{
	begin(2 * SECOND);
	fake_none_answers(route);
	fake_says(0, "+OK");
	rl_op *op = fails(acquire(), RL_ERR_UNCONFIRMED);
	CHECK_HAS(op->err->message, "no majority of the Sentinels");
	CHECK(strstr(op->err->message, "unknown") == NULL);
	CHECK_HAS(fake_log(), "2000 a1 " UNDO);
	CHECK_INT(fake_stats.undone, 1);
	CHECK_INT(fake_stats.unconfirmed, 1);
	CHECK(rl_quorum_call_may_pass(&op->call));
}

static void a_grant_of_an_own_token_without_a_lookup_is_undone(void)
{
	begin(2 * SECOND);
	fake_none_answers(route);
	fake_says(0, "+OK");
	fake_says(0, ":1");
	fails(&fake_acquire_own("mine", 30000, 0)->op, RL_ERR_UNCONFIRMED);
	CHECK_HAS(fake_log(), "2000 a1 RELEASE k mine\n");
}

static void an_extension_without_a_lookup_is_a_failure_and_stays(void)
{
	begin(2 * SECOND);
	fake_none_answers(route);
	fake_says(0, ":1");
	fails(fake_ask(RL_VERB_EXTEND, "tok", 1000), RL_ERR_UNCONFIRMED);
	CHECK_COUNT("RELEASE", 0);
	CHECK_INT(fake_stats.undone, 0);
}

static void a_swap_without_a_lookup_is_swapped_back(void)
{
	begin(2 * SECOND);
	fake_none_answers(route);
	fake_says(0, ":1");
	fails(fake_take_over("tok", 30000), RL_ERR_UNCONFIRMED);
	CHECK_HAS(fake_log(), "2000 a1 SWAP k T1 tok 0\n");
}

/* ---- a switch, by state ---- */

/* The command is not sent yet: the link is not even connected. */
static void it_is_left_while_it_connects(void)
{
	begin_unconnected(2 * SECOND);
	fake_dials(0, FAKE_HANG, 0);
	switch_to_b(20 * MS);
	fake_says(1, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 20);
	CHECK_HAS(fake_log(), "20 b1 " SET);
	CHECK_INT(fake_stats.undone, 0);
	CHECK_INT(fake_stats.switches, 1);
}

/* EXTEND is not sent with the login. */
static void it_is_left_during_the_login(void)
{
	begin_unconnected(2 * SECOND);
	fake_login_says(0, "ROLE", NULL);
	switch_to_b(20 * MS);
	fake_says(1, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXTEND, "tok", 1000)), RL_OK);
	CHECK_INT(fake_ms(), 20);
	CHECK_COUNT("a1 extend", 0);
	CHECK_COUNT("b1 extend", 1);
}

static void it_is_left_while_the_answer_is_missing(void)
{
	begin(600 * MS);
	switch_to_b(20 * MS);
	fake_says(1, "*:1 :0");
	rl_op *op = acquire();
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_INT(fake_ms(), 20);
	CHECK_HAS(fake_log(), "20 a1 " UNDO "20 a1 end\n");
	CHECK_HAS(fake_log(), "20 b1 " TRY_OURS);
	CHECK_INT(fake_stats.undone, 1);
	/* On the safe side: a might have granted, and the token is the same. */
	CHECK_INT(rl_quorum_call_sent_at(&op->call), FAKE_START);
}

/* A server cannot run a half of it. */
static void half_a_command_needs_no_undo(void)
{
	begin(600 * MS);
	fake_acts(0, FAKE_HALF, NULL, RL_NEVER);
	switch_to_b(20 * MS);
	fake_says(1, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_COUNT("RELEASE", 0);
	CHECK_HAS(fake_log(), "20 a1 close\n");
	CHECK_HAS(fake_log(), "20 b1 " SET);
	CHECK_INT(fake_stats.undone, 0);
}

static void it_is_left_in_a_pause(void)
{
	begin(600 * MS);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_set.backoff.first_ns = 50 * MS;
	switch_to_b(20 * MS);
	fake_says(1, "*:1 :0");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 20);
	CHECK_COUNT("RELEASE", 0); /* that connection is gone; the try finds out */
	CHECK_HAS(fake_log(), "20 b1 " TRY_OURS);
}

static void a_grant_of_the_old_primary_is_undone(void)
{
	begin(2 * SECOND);
	switch_to_b(20 * MS);
	fake_says(0, "+OK");
	fake_says(1, "*:1 :0");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_HAS(fake_log(), "20 a1 " UNDO);
	CHECK_HAS(fake_log(), "20 b1 " TRY_OURS);
	CHECK_INT(fake_stats.undone, 1);
	CHECK_INT(fake_stats.switches, 1);
	CHECK_INT(fake_node_of(route), 'b');
}

static void the_new_primary_may_refuse(void)
{
	begin(2 * SECOND);
	switch_to_b(20 * MS);
	fake_says(0, "+OK");
	fake_says(1, "*:0 :0 :500 :3 :1");
	CHECK_INT(fake_drive(acquire()), RL_BUSY);
	CHECK_INT(fake_stats.undone, 1);
}

/* Idle connections to the old primary are ended: it would still accept commands. */
static void idle_connections_to_the_old_primary_are_ended(void)
{
	begin(2 * SECOND);
	fake_warm_to(rl_route_node(route, 0));
	switch_to_b(20 * MS);
	fake_says(0, "+OK");
	fake_says(1, "*:1 :0");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_HAS(fake_log(), "20 a1 close\n");
	CHECK_INT(fake_pool.count, 4);
}

/* Each lookup names the other server. */
static void flip(void)
{
	static unsigned count;
	fake_all_name(route, ++count % 2 == 1 ? NAMES("b") : NAMES("a"), 0);
	fake_alarm = fake_clock + 200 * MS;
}

/* Five times is enough: then it is a failure that may pass, and each of the six commands is
 * undone. */
static void it_changes_again_and_again(void)
{
	begin(0);
	fake_alarm = fake_clock + 100 * MS;
	fake_on_alarm = flip;
	rl_op *op = fails(acquire(), RL_ERR_CONNECT);
	CHECK_HAS(op->err->message, "the primary changes again and again");
	CHECK(rl_quorum_call_may_pass(&op->call));
	CHECK_INT(fake_stats.switches, 6);
	CHECK_INT(fake_stats.undone, 6);
	CHECK_COUNT("a1 " UNDO, 1);
	CHECK_INT(fake_ms(), 1200);
}

/* ---- a primary that is silent ---- */

/* The last lookup was young, and the Sentinels find out only now: they are asked again while the
 * primary does not answer. */
static void sentinels_are_asked_again_while_the_answer_is_missing(void)
{
	begin(0);
	switch_to_b(10 * MS);
	fake_says(1, "*:1 :0");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 210);
	CHECK_HAS(fake_log(), "210 a1 " UNDO);
	CHECK_HAS(fake_log(), "210 b1 " TRY_OURS);
	CHECK_INT(fake_stats.lookups, 1);
}

static void sentinels_are_asked_again_during_the_login(void)
{
	begin_unconnected(0);
	fake_login_says(0, "ROLE", NULL);
	switch_to_b(10 * MS);
	fake_says(1, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXTEND, "tok", 1000)), RL_OK);
	CHECK_INT(fake_ms(), 210);
}

static void sentinels_are_asked_again_in_a_pause(void)
{
	begin(0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_set.backoff.first_ns = 500 * MS;
	switch_to_b(10 * MS);
	fake_says(1, "*:1 :0");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 210);
}

/* They keep their word: once in 200 ms, one lookup at a time. */
static void a_silent_primary_is_confirmed_again_and_again(void)
{
	begin(0);
	fake_all_name(route, NAMES("a"), 50 * MS);
	fake_acts(0, FAKE_SAY, "+OK", 900 * MS);
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 900);
	CHECK_INT(fake_stats.lookups, 4);
	CHECK_INT(fake_stats.undone, 0);
}

/* ---- a switch, by verb and token ---- */

static void an_own_token_that_was_granted_is_taken_back_and_not_sent_again(void)
{
	begin(2 * SECOND);
	switch_to_b(20 * MS);
	fake_says(0, "+OK");
	fake_says(0, ":1");
	rl_op *op = fails(&fake_acquire_own("mine", 30000, 0)->op, RL_ERR_UNCONFIRMED);
	CHECK_HAS(op->err->message, "the Sentinels name another primary now, redis://b:6379");
	CHECK_HAS(fake_log(), "20 a1 RELEASE k mine\n");
	CHECK_COUNT("b1", 0);
}

static void an_own_token_without_an_answer_is_not_sent_again(void)
{
	begin(600 * MS);
	switch_to_b(20 * MS);
	rl_op *op = fails(&fake_acquire_own("mine", 30000, 0)->op, RL_ERR_CLOSED);
	CHECK_HAS(op->err->message, "outcome");
	CHECK_COUNT("b1", 0);
	CHECK_COUNT("RELEASE", 0); /* it could free the lock of another with this token */
	CHECK_HAS(fake_log(), "20 a1 close\n");
}

static void an_own_token_that_was_not_sent_goes_to_the_new_primary(void)
{
	begin(600 * MS);
	fake_acts(0, FAKE_HALF, NULL, RL_NEVER);
	switch_to_b(20 * MS);
	fake_says(1, "+OK");
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 0)->op), RL_OK);
	CHECK_HAS(fake_log(), "20 b1 SET k mine NX PX 30000\n");
}

static void an_extension_is_sent_to_the_new_primary(void)
{
	begin(2 * SECOND);
	switch_to_b(20 * MS);
	fake_says(0, ":1");
	fake_says(1, ":0");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXTEND, "tok", 1000)), RL_BUSY);
	CHECK_COUNT("extend k tok 1000", 2);
	CHECK_COUNT("RELEASE", 0);
}

static void a_swap_is_swapped_back_and_fails(void)
{
	begin(2 * SECOND);
	switch_to_b(20 * MS);
	fake_says(0, ":1");
	rl_op *op = fails(fake_take_over("tok", 30000), RL_ERR_UNCONFIRMED);
	CHECK_HAS(op->err->message, "another primary");
	CHECK_HAS(fake_log(), "20 a1 SWAP k T1 tok 0\n");
	CHECK_COUNT("b1", 0);
}

/* The primary has failed before, so that a lookup runs beside any verb. */
static void begin_suspect(int64_t delay)
{
	begin(0);
	route->named_at = 0;
	switch_to_b(delay);
}

/* What it frees at the old primary is not free at the new one. */
static void force_goes_on_at_the_new_primary(void)
{
	begin_suspect(20 * MS);
	fake_says(1, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_FORCE, "", 0)), RL_OK);
	CHECK_COUNT("a1 force", 1);
	CHECK_COUNT("b1 force", 1);
	CHECK_INT(fake_ms(), 20);
}

static void a_release_goes_on_at_the_new_primary(void)
{
	begin_suspect(20 * MS);
	fake_says(1, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_OK);
	CHECK_HAS(fake_log(), "20 b1 release k tok\n");
	CHECK_INT(fake_stats.undone, 0);
}

static void a_release_that_finds_nothing_there_is_unknown(void)
{
	begin_suspect(20 * MS);
	fake_says(1, ":0");
	fails(fake_ask(RL_VERB_RELEASE, "tok", 0), RL_ERR_UNKNOWN);
}

static void a_question_goes_on_at_the_new_primary(void)
{
	begin_suspect(20 * MS);
	fake_says(1, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXISTS, "", 0)), RL_OK);
	CHECK_INT(fake_ms(), 20);
}

/* ---- a primary that fails ---- */

static void one_that_refuses_is_looked_up_at_once(void)
{
	begin_unconnected(0);
	fake_dials(0, FAKE_REFUSE, 0);
	switch_to_b(20 * MS);
	fake_says(1, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 20);
	CHECK_HAS(fake_log(), "20 b1 " SET);
	CHECK_INT(fake_stats.undone, 0);
}

static void one_that_is_named_again_has_failed(void)
{
	begin_unconnected(0);
	fake_dials(0, FAKE_REFUSE, 0);
	rl_op *op = fails(acquire(), RL_ERR_CONNECT);
	CHECK_COUNT("dial", 1);
	CHECK_HAS(op->err->message, "redis://a:6379: cannot connect");
}

static void one_that_hangs_takes_a_timeout_and_the_next_call_looks_up(void)
{
	begin(0);
	rl_op *op = fails(acquire(), RL_ERR_TIMEOUT);
	CHECK_INT(fake_ms(), 1000);
	CHECK_HAS(op->err->message, "no answer within 1 s");
	CHECK_INT(route->named_at, 0);
	CHECK_INT(fake_stats.lookups, 5); /* every 200 ms */
	fake_clock += 2 * SECOND;
	switch_to_b(5 * MS);
	fake_says(1, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXISTS, "", 0)), RL_OK);
	CHECK_INT(fake_ms(), 3005);
}

/* Also one that was named a moment ago: the Sentinels are asked again, and it is left. */
static void one_that_hangs_is_left_once_another_is_named(void)
{
	begin(0);
	rl_op *op = acquire();
	CHECK(!fake_drive_to(op, FAKE_START + 450 * MS));
	switch_to_b(20 * MS);
	fake_says(1, "*:1 :0");
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_INT(fake_ms(), 620);
	CHECK_INT(fake_stats.lookups, 3);
}

static void readonly_is_looked_up_and_leaves_no_doubt(void)
{
	begin(0);
	switch_to_b(20 * MS);
	fake_says(0, REPLICA);
	fake_says(1, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_HAS(fake_log(), "0 a1 close\n");
	CHECK_HAS(fake_log(), "20 b1 " SET);
	CHECK_INT(fake_stats.undone, 0);
}

static void readonly_is_the_failure_if_it_is_named_again(void)
{
	begin(0);
	fake_says(0, REPLICA);
	rl_op *op = fails(acquire(), RL_ERR_SERVER);
	CHECK_TEXT(op->err->code, "READONLY");
	CHECK(rl_quorum_call_may_pass(&op->call));
	CHECK_COUNT(SET, 1);
}

/* It says so before any command: OK of a replica that may be written would prove nothing. */
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
	begin(0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_dials(0, FAKE_REFUSE, 0);
	switch_to_b(20 * MS);
	fake_says(1, "*:1 :0");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_HAS(fake_log(), "20 b1 " TRY_OURS);
}

static void a_lost_answer_and_nobody_else(void)
{
	begin(0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	for (unsigned i = 0; i < 50; i++) {
		fake_dials(0, FAKE_REFUSE, 0);
	}
	rl_op *op = acquire();
	CHECK_INT(fake_drive(op), RL_ERR_CONNECT);
	CHECK(fake_ms() >= 900);
	CHECK_HAS(op->err->message, "unknown");
	CHECK(fake_stats.lookups <= 10); /* five for failures, and five for the time */
}

/* ---- the queue ---- */

static rl_acquire *queued(int64_t wait_ns)
{
	begin(0);
	fake_warm_to(rl_route_node(route, 0));
	fake_set.wakes = true;
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	rl_acquire *acquire = fake_acquire(30000, wait_ns);
	waiting_drive_to(acquire, 0);
	CHECK_INT(fake_blocked_on(0), 1);
	return acquire;
}

/* The look at 850 ms has the Sentinels asked, so the win at 1.2 s needs nothing more. */
static void a_win_in_the_queue_counts_if_the_lookup_is_young(void)
{
	rl_acquire *acquire = queued(5 * SECOND);
	waiting_look_on(1);
	waiting_drive_to(acquire, 1200);
	unsigned lookups = fake_stats.lookups;
	CHECK_INT(lookups, 1);
	fake_says(0, grant(1200));
	fake_wakes(0, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 1200);
	CHECK_INT(fake_stats.lookups, lookups);
}

static void a_win_in_the_queue_is_checked(void)
{
	rl_acquire *acquire = queued(5 * SECOND);
	waiting_drive_to(acquire, 700);
	fake_all_name(route, NAMES("a"), 30 * MS);
	route->named_at = fake_clock - 2 * SECOND;
	fake_says(0, grant(700));
	fake_wakes(0, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 730);
	CHECK_COUNT("a3 dial", 0);
}

static void a_win_at_the_old_primary_is_undone(void)
{
	rl_acquire *acquire = queued(5 * SECOND);
	waiting_drive_to(acquire, 700);
	switch_to_b(30 * MS);
	route->named_at = fake_clock - 2 * SECOND;
	fake_says(0, grant(700));
	fake_wakes(0, 0);
	fake_says(1, "*:1 :0");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 730);
	CHECK_HAS(fake_log(), "730 a2 " UNDO);
	CHECK_COUNT("730 b1 try", 1);
}

/* Each look asks again if what is known is old: not more often, and nothing is left behind. */
static void lookups_of_a_long_wait_do_not_pile_up(void)
{
	rl_acquire *acquire = queued(20 * SECOND);
	waiting_look_on(23);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 19900 * MS));
	CHECK(fake_stats.lookups >= 20 && fake_stats.lookups <= 24);
	CHECK_INT(fake_open_links(), 5);
	fake_says(0, refusal(20000, 600000, RL_HOLDER_KIN));
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_INT(fake_wait.count, 0);
}

static void a_wait_lasts_over_sentinels_that_are_silent(void)
{
	rl_acquire *acquire = queued(20 * SECOND);
	waiting_look_on(23);
	fake_none_answers(route);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 19900 * MS));
	CHECK_COUNT("probe+", 24); /* the mark lasts */
	CHECK_INT(fake_blocked_on(0), 1);
	fake_says(0, refusal(20000, 600000, RL_HOLDER_KIN));
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_INT(fake_wait.count, 0);
	CHECK(fake_open_links() <= 4 + RL_POOL_LINGERING_MAX);
}

/* The place breaks, and is taken at the new primary. */
static void a_wait_goes_on_at_the_new_primary(void)
{
	rl_acquire *acquire = queued(5 * SECOND);
	fake_kill(0);
	for (unsigned i = 0; i < 9; i++) {
		fake_dials(0, FAKE_REFUSE, 0);
	}
	switch_to_b(50 * MS);
	fake_says(1, "*:0 :0 :600000 :3 :1");
	for (unsigned i = 0; i < 9; i++) {
		fake_says(1, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	}
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 700 * MS));
	CHECK_INT(fake_blocked_on(1), 1);
}

/* ---- several members ---- */

static void begin_several(void)
{
	fake_begin(3);
	route = fake_sentinels(0, "fgh");
	fake_all_name(route, NAMES("d"), 0);
	for (unsigned i = 1; i < 3; i++) {
		fake_warm(i);
	}
}

static void begin_several_named(int64_t age)
{
	begin_several();
	fake_warm_seeds(route);
	fake_named(route, 3, age);
}

static void others_decide_without_the_check(void)
{
	begin_several_named(2 * SECOND);
	fake_all_name(route, NAMES("d"), 300 * MS);
	fake_says(3, "+OK");
	fake_says(1, "+OK");
	fake_says(2, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 0);
	CHECK_COUNT("RELEASE", 0);
}

/* The others refuse while the grant is still being checked: it must not stay. */
static void a_minority_that_is_being_checked_is_undone(void)
{
	begin_several_named(2 * SECOND);
	fake_none_answers(route);
	fake_says(3, "+OK");
	fake_acts(1, FAKE_SAY, "_", 5 * MS);
	fake_acts(2, FAKE_SAY, "_", 5 * MS);
	rl_op *op = acquire();
	CHECK(fake_drive_to(op, FAKE_START + 6 * MS) || true);
	CHECK_HAS(fake_log(), "5 d1 " UNDO);
}

static void a_minority_of_an_own_token_that_is_being_checked_is_taken_back(void)
{
	begin_several_named(2 * SECOND);
	fake_none_answers(route);
	fake_says(3, "+OK");
	fake_says(3, ":1");
	fake_acts(1, FAKE_SAY, "_", 5 * MS);
	fake_acts(2, FAKE_SAY, "_", 5 * MS);
	rl_op *op = &fake_acquire_own("mine", 30000, 0)->op;
	CHECK(fake_drive_to(op, FAKE_START + 3 * SECOND) || true);
	CHECK_HAS(fake_log(), "d1 RELEASE k mine\n");
}

/* No primary of the member was ever named: it has no node to be told anything. */
static void a_wait_with_a_member_that_is_not_known(void)
{
	begin_several();
	fake_set.wakes = true;
	for (unsigned i = 5; i < 8; i++) {
		for (unsigned j = 0; j < 30; j++) {
			fake_dials(i, FAKE_REFUSE, 0);
		}
	}
	for (unsigned i = 1; i < 3; i++) {
		fake_says(i, "_");
		for (unsigned j = 0; j < 9; j++) {
			fake_says(i, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
		}
	}
	rl_acquire *acquire = fake_acquire(30000, 500 * MS);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 100 * MS));
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("d1", 0);
}

static void a_doubtful_wait_with_a_member_that_is_not_known(void)
{
	begin_several();
	for (unsigned i = 5; i < 8; i++) {
		for (unsigned j = 0; j < 30; j++) {
			fake_dials(i, FAKE_REFUSE, 0);
		}
	}
	fake_warm(1);
	for (unsigned i = 1; i < 3; i++) {
		fake_acts(i, FAKE_BREAK, NULL, 0);
		for (unsigned j = 0; j < 9; j++) {
			fake_says(i, "-LOADING x");
		}
	}
	rl_acquire *acquire = fake_acquire(30000, 5 * SECOND);
	for (int64_t ms = 1; ms < 200; ms++) {
		CHECK(!fake_drive_to(&acquire->op, FAKE_START + ms * MS));
	}
	acquire->is_maybe_ours = true;
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("d1", 0);
}

/* ---- given up ---- */

static void abandoned_in_the_lookup(void)
{
	begin_cold();
	fake_none_answers(route);
	rl_op *op = acquire();
	CHECK(!fake_drive_to(op, FAKE_START + 5 * MS));
	rl_op_abandon(op, fake_clock, false);
	CHECK_COUNT("RELEASE", 0);
	CHECK_COUNT("a1", 0);
}

static void abandoned_before_the_answer(void)
{
	begin(600 * MS);
	fake_none_answers(route);
	rl_op *op = acquire();
	CHECK(!fake_drive_to(op, FAKE_START + 5 * MS));
	rl_op_abandon(op, fake_clock, false);
	CHECK_COUNT("5 a1 " UNDO, 1);
}

static void abandoned_during_the_check(void)
{
	begin(2 * SECOND);
	fake_none_answers(route);
	fake_says(0, "+OK");
	rl_op *op = acquire();
	CHECK(!fake_drive_to(op, FAKE_START + 5 * MS));
	rl_op_abandon(op, fake_clock, false);
	CHECK_COUNT("5 a1 " UNDO, 1);
	CHECK_INT(fake_stats.undone, 1);
}

static void an_own_token_abandoned_during_the_check(void)
{
	begin(2 * SECOND);
	fake_none_answers(route);
	fake_says(0, "+OK");
	rl_op *op = &fake_acquire_own("mine", 30000, 0)->op;
	CHECK(!fake_drive_to(op, FAKE_START + 5 * MS));
	rl_op_abandon(op, fake_clock, false);
	CHECK_COUNT("5 a1 RELEASE k mine\n", 1);
}

static void a_swap_abandoned_during_the_check(void)
{
	begin(2 * SECOND);
	fake_none_answers(route);
	fake_says(0, ":1");
	rl_op *op = fake_take_over("tok", 30000);
	CHECK(!fake_drive_to(op, FAKE_START + 5 * MS));
	rl_op_abandon(op, fake_clock, false);
	CHECK_COUNT("5 a1 SWAP k T1 tok 0\n", 1);
}

static void abandoned_after_a_switch(void)
{
	begin(2 * SECOND);
	switch_to_b(20 * MS);
	fake_says(0, "+OK");
	rl_op *op = acquire();
	CHECK(!fake_drive_to(op, FAKE_START + 25 * MS));
	rl_op_abandon(op, fake_clock, false);
	CHECK_COUNT("20 a1 " UNDO, 1);
	CHECK_COUNT("25 b1 " UNDO, 1);
}

/* A child of a fork closes what it has inherited, and sends nothing. */
static void a_child_sends_nothing(void)
{
	for (unsigned i = 0; i < 3; i++) {
		i == 0 ? begin_cold() : begin(i == 1 ? 600 * MS : 2 * SECOND);
		fake_none_answers(route);
		if (i == 2) {
			fake_says(0, "+OK");
		}
		rl_op *op = acquire();
		CHECK(!fake_drive_to(op, FAKE_START + 5 * MS));
		fake_forget_log();
		fake_fork();
		rl_op_abandon(op, fake_clock, true);
		CHECK_COUNT("RELEASE", 0);
		CHECK_COUNT(" end", 0);
		fake_end();
	}
}

/* Only a majority of Sentinels names a primary, and no server does. */
static void a_primary_behind_sentinels_does_not_redirect(void)
{
	fake_begin(1);
	route = fake_sentinels(0, "c");
	fake_all_name(route, NAMES("a"), 0);
	fake_named(route, 0, 0);
	fake_says(0, MOVED_TO("b"));
	rl_op *op = fails(acquire(), RL_ERR_SERVER);
	CHECK_TEXT(op->err->code, "MOVED");
	CHECK_INT(fake_node_of(route), 'a');
	CHECK_COUNT("b1", 0);
}

static const check_test tests[] = {TEST(a_cold_call_looks_the_primary_up),
	TEST(a_young_lookup_is_enough), TEST(an_older_lookup_is_renewed_beside_the_command),
	TEST(a_grant_that_comes_later_than_that_is_checked), TEST(an_old_lookup_holds_the_grant_up),
	TEST(what_prolongs_is_checked_too), TEST(a_refusal_is_checked),
	TEST(a_refusal_counts_without_a_lookup), TEST(reads_and_releases_are_checked),
	TEST(reads_and_releases_count_without_a_lookup),
	TEST(reads_and_releases_at_an_old_primary_go_to_the_new_one),
	TEST(without_the_check_the_first_lookup_is_the_last),
	TEST(a_lookup_that_was_asked_too_early_is_repeated), TEST(nobody_answers_a_cold_call),
	TEST(a_hung_majority_is_waited_for_as_long_as_a_server), TEST(an_unknown_service_is_said),
	TEST(a_grant_without_a_lookup_is_undone),
	TEST(a_grant_of_an_own_token_without_a_lookup_is_undone),
	TEST(an_extension_without_a_lookup_is_a_failure_and_stays),
	TEST(a_swap_without_a_lookup_is_swapped_back), TEST(it_is_left_while_it_connects),
	TEST(it_is_left_during_the_login), TEST(it_is_left_while_the_answer_is_missing),
	TEST(half_a_command_needs_no_undo), TEST(it_is_left_in_a_pause),
	TEST(a_grant_of_the_old_primary_is_undone), TEST(the_new_primary_may_refuse),
	TEST(idle_connections_to_the_old_primary_are_ended), TEST(it_changes_again_and_again),
	TEST(sentinels_are_asked_again_while_the_answer_is_missing),
	TEST(sentinels_are_asked_again_during_the_login), TEST(sentinels_are_asked_again_in_a_pause),
	TEST(a_silent_primary_is_confirmed_again_and_again),
	TEST(an_own_token_that_was_granted_is_taken_back_and_not_sent_again),
	TEST(an_own_token_without_an_answer_is_not_sent_again),
	TEST(an_own_token_that_was_not_sent_goes_to_the_new_primary),
	TEST(an_extension_is_sent_to_the_new_primary), TEST(a_swap_is_swapped_back_and_fails),
	TEST(force_goes_on_at_the_new_primary), TEST(a_release_goes_on_at_the_new_primary),
	TEST(a_release_that_finds_nothing_there_is_unknown),
	TEST(a_question_goes_on_at_the_new_primary), TEST(one_that_refuses_is_looked_up_at_once),
	TEST(one_that_is_named_again_has_failed),
	TEST(one_that_hangs_takes_a_timeout_and_the_next_call_looks_up),
	TEST(one_that_hangs_is_left_once_another_is_named),
	TEST(readonly_is_looked_up_and_leaves_no_doubt),
	TEST(readonly_is_the_failure_if_it_is_named_again), TEST(a_replica_is_noticed_by_its_role),
	TEST(a_lost_answer_stays_in_doubt), TEST(a_lost_answer_and_nobody_else),
	TEST(a_win_in_the_queue_counts_if_the_lookup_is_young), TEST(a_win_in_the_queue_is_checked),
	TEST(a_win_at_the_old_primary_is_undone), TEST(lookups_of_a_long_wait_do_not_pile_up),
	TEST(a_wait_lasts_over_sentinels_that_are_silent), TEST(a_wait_goes_on_at_the_new_primary),
	TEST(others_decide_without_the_check), TEST(a_minority_that_is_being_checked_is_undone),
	TEST(a_minority_of_an_own_token_that_is_being_checked_is_taken_back),
	TEST(a_wait_with_a_member_that_is_not_known),
	TEST(a_doubtful_wait_with_a_member_that_is_not_known), TEST(abandoned_in_the_lookup),
	TEST(abandoned_before_the_answer), TEST(abandoned_during_the_check),
	TEST(an_own_token_abandoned_during_the_check), TEST(a_swap_abandoned_during_the_check),
	TEST(abandoned_after_a_switch), TEST(a_child_sends_nothing),
	TEST(a_primary_behind_sentinels_does_not_redirect)};

CHECK_MAIN(tests, fake_end)
