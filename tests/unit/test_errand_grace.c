/* SPDX-License-Identifier: MIT
 *
 * Errands to a new primary behind Sentinels, with a time of grace: no lock is taken there
 * before a majority has known the primary for that long.
 *
 * The primary is server a or b, and the Sentinels are c, d and e.
 */
#include "check.h"
#include "fake_route.h"
#include "no_memory.h"
#include "waiting.h"

#define GRACE (20 * SECOND)
/* A Sentinel computes the age after it was asked. */
#define LONG (GRACE + MS)
#define MASTER "SENTINEL MASTER mymaster\n"
#define SET "SET k T1 NX PX 15000\n"
#define UNDO "RELEASE k T1\n"
#define TOO_NEW "it has become the primary only lately, so it grants no lock for "

static rl_route *route;

static void clean_up(void)
{
	is_counting = false;
	fake_end();
}

/* The Sentinels will say that a has been the primary for this long. */
static void begin_cold(int64_t age)
{
	fake_begin(1);
	route = fake_sentinels(0, "cde");
	route->grace_ns = GRACE;
	fake_all_know(route, 0, age, 0);
}

/* The Sentinels have reported this age in an earlier lookup. */
static void begin(int64_t age, int64_t ago)
{
	begin_cold(age + ago);
	fake_warm_seeds(route);
	fake_named(route, 0, ago);
	route->known_since = fake_clock - ago - age;
}

/* The node may have become a replica since the last lookup, which ends its connections, and the
 * primary again. */
static void begin_unconnected(int64_t ago)
{
	begin_cold(0);
	fake_warm_seeds(route);
	char a = 'a';
	CHECK(rl_route_name(route, rl_bytes_of(&a, 1), 6379, fake_clock - ago) != NULL);
	route->known_since = fake_clock - 2 * GRACE;
}

static rl_op *acquire(void)
{
	return &fake_acquire(15000, 0)->op;
}

static rl_op *fails(rl_op *op, rl_status status)
{
	CHECK_INT(fake_drive(op), status);
	return op;
}

/* ---- held back ---- */

static void a_settled_primary_grants_at_once(void)
{
	begin(GRACE, 0);
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_LOG("0 a1 " SET);
	CHECK_INT(fake_stats.blocked_by_grace, 0);
}

static void a_new_primary_is_sent_nothing(void)
{
	begin(GRACE - 100 * MS, 0);
	rl_op *op = fails(acquire(), RL_ERR_CONNECT);
	CHECK_LOG("");
	CHECK_TEXT(op->err->message, "redis://a:6379: " TOO_NEW "0.1 s more (failover_grace)");
	CHECK(rl_quorum_call_may_pass(&op->call));
	CHECK_INT(fake_stats.blocked_by_grace, 1);
	CHECK_INT(fake_stats.failed, 1);
	CHECK_INT(fake_stats.refused, 0);
}

static void a_cold_call_meets_a_settled_primary(void)
{
	begin_cold(LONG);
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_COUNT(MASTER, 6); /* three for the address, and three since the login */
	CHECK_INT(fake_stats.sentinel_lookups, 2);
	CHECK_COUNT("a1 " SET, 1);
}

static void a_cold_call_meets_a_new_primary(void)
{
	begin_cold(5 * SECOND + MS);
	rl_op *op = fails(acquire(), RL_ERR_CONNECT);
	CHECK_HAS(op->err->message, TOO_NEW "15 s more");
	CHECK_COUNT(MASTER, 3);
	CHECK_COUNT("a1", 0);
}

/* The answer of the last lookup does not get older by itself: see the top of rl_grace.c. */
static void the_sentinels_must_confirm_that_the_grace_is_over(void)
{
	begin(GRACE - 100 * MS, 200 * MS);
	fake_all_know(route, 0, GRACE + 100 * MS, 30 * MS);
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_HAS(fake_log(), "0 c1 " MASTER);
	CHECK_HAS(fake_log(), "30 a1 " SET);
	CHECK_INT(fake_stats.sentinel_lookups, 1);
	CHECK_INT(fake_stats.blocked_by_grace, 0);
}

/* One Sentinel may have had the longer way, or have known the primary for longer. */
static void an_old_answer_does_not_hold_back(void)
{
	begin(GRACE - 5 * SECOND, 600 * MS);
	fake_all_know(route, 0, LONG, 0);
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_stats.sentinel_lookups, 1);
}

static void silent_sentinels_hold_back(void)
{
	begin(GRACE - 5 * SECOND, 6 * SECOND);
	fake_none_answers(route);
	rl_op *op = fails(acquire(), RL_ERR_CONNECT);
	CHECK_HAS(op->err->message, "no majority of the Sentinels names a primary");
	CHECK_COUNT("a1", 0);
	CHECK_INT(fake_ms(), 2000);
}

/* The Sentinels report ages that would be enough at the time of their answers, but never at the
 * time of the question. */
static void the_lookup_is_not_repeated_without_end(void)
{
	begin(GRACE - 10 * MS, 20 * MS);
	fake_all_know(route, 0, LONG, 20 * MS);
	fails(acquire(), RL_ERR_CONNECT);
	CHECK_COUNT("a1", 0);
	CHECK_INT(fake_stats.sentinel_lookups, 2);
}

static void a_take_over_is_held_back(void)
{
	begin(5 * SECOND, 0);
	rl_op *op = fails(fake_take_over("tok", 15000), RL_ERR_CONNECT);
	CHECK_HAS(op->err->message, TOO_NEW);
	CHECK_LOG("");
	rl_late_release late;
	CHECK(!rl_op_leaves(op, &late));
}

static void verbs_that_take_nothing_are_not_held_back_by_an_old_lookup(void)
{
	static const rl_verb verbs[] = {RL_VERB_EXTEND, RL_VERB_RELEASE, RL_VERB_FORCE, RL_VERB_EXISTS,
		RL_VERB_OWNER, RL_VERB_REMAINING};
	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
		begin(5 * SECOND, 0);
		fake_says(0, verbs[i] == RL_VERB_OWNER ? "$tok" : ":1");
		CHECK_INT(
			fake_drive(fake_ask(verbs[i], verbs[i] < RL_VERB_FORCE ? "tok" : "", 15000)), RL_OK);
		CHECK_INT(fake_stats.sentinel_lookups, 0);
		fake_end();
	}
}

/* In the first milliseconds the Sentinels have known the primary for less time than their answers
 * took, so they know it only since after they were asked. */
static void verbs_that_take_nothing_are_never_held_back(void)
{
	static const rl_verb verbs[] = {
		RL_VERB_RELEASE, RL_VERB_FORCE, RL_VERB_EXISTS, RL_VERB_OWNER, RL_VERB_REMAINING};
	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
		begin_cold(0);
		fake_all_know(route, 0, 0, 20 * MS);
		fake_says(0, verbs[i] == RL_VERB_OWNER ? "$tok" : ":1");
		CHECK_INT(
			fake_drive(fake_ask(verbs[i], verbs[i] < RL_VERB_FORCE ? "tok" : "", 15000)), RL_OK);
		CHECK_INT(fake_ms(), 20);
		CHECK_INT(fake_stats.sentinel_lookups, 1);
		CHECK_INT(fake_stats.blocked_by_grace, 0);
		fake_end();
	}
}

/* The login and the command are answered in one step, and the lookup begins in the same step. */
static void a_lookup_in_the_step_of_the_login_counts(void)
{
	begin_unconnected(100 * MS);
	fake_dials(0, FAKE_ACCEPT, 10 * MS);
	fake_all_know(route, 0, LONG, 0);
	fake_says(0, "+OK");
	rl_op *op = acquire();
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_INT(fake_ms(), 10);
	CHECK_INT(fake_stats.sentinel_lookups, 1);
	CHECK_INT(fake_stats.unconfirmed, 0);
}

/* The lookup that was open at the login was asked before it: another one follows. */
static void a_lookup_that_was_open_at_the_login_is_not_the_last(void)
{
	begin_unconnected(600 * MS);
	fake_all_know(route, 0, GRACE + SECOND, 20 * MS);
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 40);
	CHECK_INT(fake_stats.sentinel_lookups, 2);
	fake_end();
	begin_unconnected(600 * MS);
	fake_none_answers(route);
	fake_says(0, "+OK");
	rl_op *op = fails(acquire(), RL_ERR_UNCONFIRMED);
	CHECK_HAS(op->err->message, "no majority of the Sentinels");
	CHECK_INT(fake_ms(), 2000);
}

static void a_token_whose_key_is_gone_is_not_extended(void)
{
	begin(5 * SECOND, 0);
	fake_says(0, ":0");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXTEND, "tok", 15000)), RL_BUSY);
}

/* ---- a switch while the command is under way ---- */

static void a_grant_of_the_old_primary_is_undone_and_not_asked_for_again(void)
{
	begin(GRACE, 2 * SECOND);
	fake_all_know(route, 1, SECOND + MS, 20 * MS);
	fake_says(0, "+OK");
	rl_op *op = fails(acquire(), RL_ERR_CONNECT);
	CHECK_HAS(op->err->message, "redis://b:6379: " TOO_NEW "19 s more");
	CHECK_COUNT("20 a1 " UNDO, 1);
	CHECK_COUNT("b1", 0);
	CHECK_INT(fake_ms(), 20);
}

static void the_old_primary_is_left_before_its_answer(void)
{
	begin(GRACE, 600 * MS);
	fake_all_know(route, 1, SECOND, 20 * MS);
	fails(acquire(), RL_ERR_CONNECT);
	CHECK_COUNT("20 a1 " UNDO, 1);
	CHECK_COUNT("b1", 0);
}

/* Since the last lookup the node has ceased to be the primary and become the primary again. */
static void a_grant_of_a_primary_that_is_new_again_is_undone(void)
{
	begin(GRACE, 2 * SECOND);
	fake_all_know(route, 0, SECOND + MS, 20 * MS);
	fake_says(0, "+OK");
	rl_op *op = fails(acquire(), RL_ERR_UNCONFIRMED);
	CHECK_HAS(op->err->message, TOO_NEW "19 s more");
	CHECK_COUNT("20 a1 " UNDO, 1);
	CHECK_INT(fake_stats.unconfirmed, 1);
	CHECK_INT(fake_stats.grants_undone, 1);
	CHECK(rl_quorum_call_may_pass(&op->call));
}

/* The lookup is over before the answer. */
static void a_grant_is_undone_if_the_new_primary_was_known_before_it(void)
{
	begin(GRACE, 600 * MS);
	fake_all_know(route, 0, SECOND, 20 * MS);
	fake_acts(0, FAKE_SAY, "+OK", 50 * MS);
	fails(acquire(), RL_ERR_UNCONFIRMED);
	CHECK_COUNT("50 a1 " UNDO, 1);
}

static void a_take_over_at_a_new_primary_is_swapped_back(void)
{
	begin(GRACE, 2 * SECOND);
	fake_all_know(route, 0, SECOND, 20 * MS);
	fake_says(0, ":1");
	fails(fake_take_over("tok", 15000), RL_ERR_UNCONFIRMED);
	CHECK_COUNT("20 a1 SWAP k T1 tok 0\n", 1);
}

/* The previous primary may still grant the lock to other clients. */
static void an_extend_at_a_new_primary_does_not_count(void)
{
	begin(GRACE, 2 * SECOND);
	fake_all_know(route, 0, RL_CHECK_NS, 20 * MS);
	fake_says(0, ":1");
	rl_op *op = fails(fake_ask(RL_VERB_EXTEND, "tok", 15000), RL_ERR_UNCONFIRMED);
	CHECK_HAS(op->err->message, "it prolongs no lock for 0.02 s more");
	CHECK_COUNT("RELEASE", 0);
}

static void an_extend_at_a_new_primary_counts_after_a_second(void)
{
	begin(GRACE, 2 * SECOND);
	fake_all_know(route, 0, RL_CHECK_NS + 40 * MS, 20 * MS);
	fake_says(0, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXTEND, "tok", 15000)), RL_OK);
}

static void an_extend_is_held_back_for_a_second(void)
{
	begin(RL_CHECK_NS / 2, 0);
	rl_op *op = fails(fake_ask(RL_VERB_EXTEND, "tok", 15000), RL_ERR_CONNECT);
	CHECK_TEXT(op->err->message,
		"redis://a:6379: it has become the primary only lately, so it prolongs no lock for 0.52 s "
		"more (failover_grace)");
	CHECK_LOG("");
	CHECK_INT(fake_stats.blocked_by_grace, 1);
}

static void a_refusal_of_a_new_primary_is_a_refusal(void)
{
	begin(GRACE, 2 * SECOND);
	fake_all_know(route, 0, SECOND, 20 * MS);
	fake_says(0, "_");
	CHECK_INT(fake_drive(acquire()), RL_BUSY);
	CHECK_COUNT("RELEASE", 0);
}

/* ---- new connections ---- */

static void a_grant_on_a_new_connection_needs_a_lookup_after_its_login(void)
{
	begin_unconnected(100 * MS);
	fake_dials(0, FAKE_ACCEPT, 10 * MS);
	fake_all_know(route, 0, GRACE + SECOND, 20 * MS);
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 30);
	CHECK_INT(fake_stats.sentinel_lookups, 1);
	fake_end();
	begin_unconnected(100 * MS);
	fake_all_know(route, 0, SECOND, 20 * MS);
	fake_says(0, "+OK");
	fails(acquire(), RL_ERR_UNCONFIRMED);
	CHECK_COUNT("20 a1 " UNDO, 1);
}

static void an_extend_on_a_new_connection_needs_a_lookup_and_other_verbs_do_not(void)
{
	static const rl_verb verbs[] = {
		RL_VERB_EXTEND, RL_VERB_RELEASE, RL_VERB_EXISTS, RL_VERB_REMAINING};
	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
		begin_unconnected(100 * MS);
		fake_all_know(route, 0, GRACE + SECOND, 0);
		fake_says(0, ":1");
		fake_clock += MS;
		CHECK_INT(fake_drive(fake_ask(verbs[i], i < 2 ? "tok" : "", 15000)), RL_OK);
		CHECK_INT(fake_stats.sentinel_lookups, i == 0);
		fake_end();
	}
}

/* A command that is no grant has made the connection, and the lookup is older than that. */
static void a_connection_made_for_another_command_counts_as_new(void)
{
	begin_unconnected(100 * MS);
	fake_all_know(route, 0, GRACE + SECOND, 0);
	fake_says(0, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXISTS, "", 0)), RL_OK);
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_stats.sentinel_lookups, 1);
	fake_clock += 50 * MS;
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(&fake_acquire(15000, 0)->op), RL_OK); /* now the last lookup is older */
	CHECK_INT(fake_stats.sentinel_lookups, 1);
}

/* An earlier call has left a lookup open, which is older than the connection, and the answers have
 * arrived. The lookup that follows it asks the Sentinels at once. */
static void an_open_lookup_is_read_before_the_check(void)
{
	begin_unconnected(600 * MS);
	fake_all_know(route, 0, GRACE + SECOND, 20 * MS);
	fake_dials(0, FAKE_ACCEPT, 10 * MS);
	fake_says(0, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXISTS, "", 0)), RL_OK);
	CHECK_INT(fake_ms(), 10);
	fake_clock += 100 * MS;
	rl_lookup_take_in((rl_lookup *) route->guest); /* as another fiber's wait does */
	route->named_at = FAKE_START - 100 * MS;       /* so the acquire begins no lookup */
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 130);
	CHECK_INT(fake_stats.sentinel_lookups, 2);
}

/* ---- waits ---- */

/* Drives on, while the primary gets older. */
static bool live_to(rl_op *op, unsigned server, int64_t age_at_start, int64_t ms)
{
	bool is_done = false;
	for (int64_t at = fake_ms() + 50; at <= ms && !is_done; at += 50) {
		fake_all_know(route, server, age_at_start + fake_clock - FAKE_START, 0);
		is_done = fake_drive_to(op, FAKE_START + at * MS);
	}
	return is_done;
}

static void a_wait_lasts_until_the_grace_is_over(void)
{
	begin(10 * SECOND, 0);
	fake_says(0, "*:1 :0");
	rl_op *op = &fake_acquire(15000, 30 * SECOND)->op;
	CHECK(!live_to(op, 0, 10 * SECOND, 10000));
	CHECK_COUNT("a1", 0);
	CHECK(fake_stats.sentinel_lookups <= 12);
	CHECK(fake_stats.sentinel_lookups >= 8);
	CHECK(live_to(op, 0, 10 * SECOND, 10300));
	CHECK_INT(op->status, RL_OK);
	CHECK_COUNT("a1 ", 1);
	CHECK_COUNT("a1 try k T1 15000", 1);
}

static void a_wait_that_ends_before_the_grace_fails(void)
{
	begin(10 * SECOND, 0);
	rl_op *op = &fake_acquire(15000, 3 * SECOND)->op;
	CHECK(live_to(op, 0, 10 * SECOND, 3100));
	CHECK_INT(op->status, RL_ERR_CONNECT);
	CHECK_HAS(op->err->message, TOO_NEW);
	CHECK_COUNT("a1", 0);
	CHECK_INT(fake_stats.timed_out, 0);
}

/* The first Sentinels to answer say how long the grace lasts. Another Sentinel may have known the
 * primary for longer. */
static void a_wait_learns_that_the_grace_is_over_sooner(void)
{
	begin(10 * SECOND, 0);
	fake_says(0, "*:1 :0");
	rl_op *op = &fake_acquire(15000, 30 * SECOND)->op;
	CHECK(!live_to(op, 0, 10 * SECOND, 3000));
	CHECK(live_to(op, 0, 18 * SECOND, 4100));
	CHECK_INT(op->status, RL_OK);
}

static rl_acquire *begin_queued(int64_t wait_ns)
{
	begin(GRACE, 0);
	fake_warm_to(rl_route_node(route, 0));
	fake_set.wakes = true;
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	rl_acquire *wait = fake_acquire(15000, wait_ns);
	waiting_drive_to(wait, 0);
	CHECK_INT(fake_blocked_on(0), 1);
	return wait;
}

/* The connection of the place in the queue breaks. A look would reserve a free lock at the new
 * primary, so the wait sends it none before the grace is over. */
static void a_wait_in_the_queue_looks_at_a_new_primary_after_the_grace(void)
{
	rl_acquire *wait = begin_queued(60 * SECOND);
	fake_kill(0);
	for (unsigned i = 0; i < 9; i++) {
		fake_dials(0, FAKE_REFUSE, 0);
	}
	CHECK(!live_to(&wait->op, 1, 0, 19900));
	CHECK_COUNT("b1", 0);
	CHECK(fake_stats.blocked_by_grace >= 15 && fake_stats.blocked_by_grace <= 30);
	fake_says(1, "*:0 :0 :600000 :3 :1");
	for (unsigned i = 0; i < 9; i++) {
		fake_says(1, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	}
	CHECK(!live_to(&wait->op, 1, 0, 22000));
	CHECK_INT(fake_blocked_on(1), 1);
}

/* A planned failover: the old primary goes on answering. */
static void a_look_is_not_sent_to_a_new_primary(void)
{
	rl_acquire *wait = begin_queued(60 * SECOND);
	CHECK(!live_to(&wait->op, 1, 0, 5000));
	CHECK_COUNT("probe+", 2);
	CHECK_COUNT("b1", 0);
}

/* While the waiter was in the queue, another server was the primary for a while. */
static void a_win_in_the_queue_of_a_primary_that_is_new_again_is_undone(void)
{
	rl_acquire *wait = begin_queued(5 * SECOND);
	waiting_drive_to(wait, 700);
	fake_all_know(route, 0, SECOND, 10 * MS);
	route->named_at = fake_clock - 2 * SECOND;
	route->known_since = 0;
	fake_says(0, grant(700));
	fake_wakes(0, 0);
	CHECK_INT(fake_drive(&wait->op), RL_ERR_CONNECT);
	CHECK_COUNT("710 a2 " UNDO, 1);
}

/* ---- several members ---- */

static void begin_several(void)
{
	fake_begin(3);
	route = fake_sentinels(0, "fgh");
	route->grace_ns = GRACE;
	fake_warm(1);
	fake_warm(2);
	fake_warm_seeds(route);
	fake_named(route, 3, 0);
	route->known_since = fake_clock + 5 * SECOND - GRACE;
}

static void the_other_members_decide(void)
{
	begin_several();
	fake_says(1, "+OK");
	fake_says(2, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_COUNT("d1", 0);
	CHECK_INT(fake_stats.blocked_by_grace, 1);
}

static void a_new_primary_is_a_vote_that_failed(void)
{
	begin_several();
	fake_says(1, "+OK");
	fake_says(2, "-LOADING x");
	rl_op *op = fails(acquire(), RL_ERR_CONNECT);
	CHECK_HAS(op->err->message, "no quorum (2 of 3 servers failed)");
	CHECK_HAS(op->err->message, TOO_NEW);
	CHECK_COUNT("b1 " UNDO, 1);
}

/* ---- without memory ---- */

/* A Sentinel whose answer finds no memory counts like a Sentinel that fails. */
static void a_lookup_of_a_new_primary_may_lack_memory(void)
{
	unsigned granted = 0;
	for (fails_at = 1; fails_at < 12; fails_at++) {
		begin(GRACE - 100 * MS, 200 * MS);
		fake_says(0, "+OK");
		rl_op *op = acquire();
		asked = 0;
		is_counting = true;
		bool is_granted = fake_drive(op) == RL_OK;
		is_counting = false;
		CHECK(is_granted || op->status == RL_ERR_MEMORY);
		granted += is_granted;
		fake_end();
	}
	CHECK(granted > 0 && granted < 11);
	fails_at = 0;
}

static const check_test tests[] = {TEST(a_settled_primary_grants_at_once),
	TEST(a_new_primary_is_sent_nothing), TEST(a_cold_call_meets_a_settled_primary),
	TEST(a_cold_call_meets_a_new_primary), TEST(the_sentinels_must_confirm_that_the_grace_is_over),
	TEST(an_old_answer_does_not_hold_back), TEST(silent_sentinels_hold_back),
	TEST(the_lookup_is_not_repeated_without_end), TEST(a_take_over_is_held_back),
	TEST(verbs_that_take_nothing_are_not_held_back_by_an_old_lookup),
	TEST(verbs_that_take_nothing_are_never_held_back),
	TEST(a_lookup_in_the_step_of_the_login_counts),
	TEST(a_lookup_that_was_open_at_the_login_is_not_the_last),
	TEST(a_token_whose_key_is_gone_is_not_extended),
	TEST(a_grant_of_the_old_primary_is_undone_and_not_asked_for_again),
	TEST(the_old_primary_is_left_before_its_answer),
	TEST(a_grant_of_a_primary_that_is_new_again_is_undone),
	TEST(a_grant_is_undone_if_the_new_primary_was_known_before_it),
	TEST(a_take_over_at_a_new_primary_is_swapped_back),
	TEST(an_extend_at_a_new_primary_does_not_count),
	TEST(an_extend_at_a_new_primary_counts_after_a_second),
	TEST(an_extend_is_held_back_for_a_second), TEST(a_refusal_of_a_new_primary_is_a_refusal),
	TEST(a_grant_on_a_new_connection_needs_a_lookup_after_its_login),
	TEST(an_extend_on_a_new_connection_needs_a_lookup_and_other_verbs_do_not),
	TEST(a_connection_made_for_another_command_counts_as_new),
	TEST(an_open_lookup_is_read_before_the_check), TEST(a_wait_lasts_until_the_grace_is_over),
	TEST(a_wait_that_ends_before_the_grace_fails),
	TEST(a_wait_learns_that_the_grace_is_over_sooner),
	TEST(a_wait_in_the_queue_looks_at_a_new_primary_after_the_grace),
	TEST(a_look_is_not_sent_to_a_new_primary),
	TEST(a_win_in_the_queue_of_a_primary_that_is_new_again_is_undone),
	TEST(the_other_members_decide), TEST(a_new_primary_is_a_vote_that_failed),
	TEST(a_lookup_of_a_new_primary_may_lack_memory)};

CHECK_MAIN(tests, clean_up)
