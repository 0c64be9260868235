/* SPDX-License-Identifier: MIT
 *
 * Several members: votes that are split, and a grant that is taken back after the end.
 */
#include "check.h"
#include "fake.h"

#include <stdio.h>
#include <string.h>

#define A 0
#define B 1
#define C 2

static int64_t round_trip;
static unsigned splits; /* so many tries are split */

/* Member a grants each try, and the others refuse it. After so many splits all members refuse. */
static bool split(const char *words, bool is_taken, fake_plan *plan)
{
	bool is_undo = words[0] == 'R';
	bool is_set = words[0] == 'S';
	if (!is_taken) {
		*plan = (fake_plan){FAKE_SAY, NULL, 0};
		return true;
	}
	bool is_granted = fake_run_on == A && splits > 0;
	splits -= is_granted && !is_undo;
	*plan = (fake_plan){FAKE_SAY,
		is_undo          ? ":1"
			: is_granted ? (is_set ? "+OK" : "*:1 :0")
						 : (is_set ? "_" : "*:0 :0 :100 :4 :1"),
		round_trip};
	return true;
}

static void begin(unsigned members, unsigned times, int64_t trip)
{
	fake_begin(members);
	for (unsigned i = 0; i < members; i++) {
		fake_warm(i);
	}
	fake_improvise = split;
	splits = times;
	round_trip = trip;
}

/* ---- split votes ---- */

static void a_call_that_does_not_wait_tries_three_times_more(void)
{
	begin(3, 100, 0);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
	for (unsigned i = 1; i <= 4; i++) {
		char set[32];
		char undo[32];
		snprintf(set, sizeof set, "SET k T%u NX", i);
		snprintf(undo, sizeof undo, "a1 RELEASE k T%u\n", i);
		CHECK_COUNT(set, 3);
		CHECK_COUNT(undo, 1);
	}
	CHECK_COUNT("SET", 12);
	CHECK_INT(fake_stats.split_votes, 3);
	CHECK_INT(fake_stats.refused, 1);
	CHECK_INT(fake_stats.backoffs, 0);
	CHECK_INT(fake_stats.tries, 4);
}

static void the_tries_end_with_the_first_that_is_not_split(void)
{
	begin(3, 1, 0);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
	CHECK_COUNT("SET", 6);
	CHECK_INT(fake_stats.split_votes, 1);
	fake_end();
	begin(3, 0, 0);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
	CHECK_COUNT("SET", 3);
	CHECK_INT(fake_stats.split_votes, 0);
}

static void the_second_try_may_be_granted(void)
{
	begin(3, 1, 0);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START));
	for (unsigned i = 0; i < 3; i++) {
		fake_says(i, "+OK");
	}
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("SET k T2", 3);
	CHECK_INT(fake_stats.acquired, 1);
}

/* The delay is up to one round trip, then up to two, then up to four. */
static void the_delay_is_left_to_chance(void)
{
	int64_t least = RL_NEVER;
	int64_t most = 0;
	for (unsigned i = 0; i < 200; i++) {
		begin(3, 100, 10 * MS);
		for (unsigned j = 0; j < i; j++) {
			uint32_t unused;
			fake_env.random(NULL, &unused, sizeof unused);
		}
		CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
		int64_t delays = fake_clock - FAKE_START - 4 * 10 * MS;
		CHECK(delays > 0 && delays <= (10 + 20 + 40) * MS + 3);
		least = delays < least ? delays : least;
		most = delays > most ? delays : most;
		fake_end();
	}
	CHECK(least < 20 * MS);
	CHECK(most > 50 * MS);
}

static void the_delay_is_never_long(void)
{
	begin(3, 100, 300 * MS);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
	CHECK(fake_clock - FAKE_START - 4 * 300 * MS <= 3 * 200 * MS + 3);
}

static void without_random_bytes_the_delay_is_the_longest_one(void)
{
	begin(3, 1, 0);
	rl_acquire *acquire = fake_acquire(30000, 0);
	fake_random_draws(1); /* for the token of the next try */
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_INT(fake_clock, FAKE_START + MS / 2); /* no round trip is counted as shorter */
}

static void a_waiter_tries_soon_too(void)
{
	begin(3, 100, 0);
	fake_set.backoff.first_ns = 100 * MS;
	fake_set.retries = 1;
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_BUSY);
	/* SET, three tries for the splits, and one look after a delay. */
	CHECK_COUNT("a1 SET", 1);
	CHECK_COUNT("a1 try", 4);
	CHECK_INT(fake_stats.split_votes, 3);
	CHECK_INT(fake_stats.backoffs, 1);
	CHECK(fake_clock >= FAKE_START + 100 * MS && fake_clock < FAKE_START + 110 * MS);
}

static void a_refusal_by_all_begins_the_count_anew(void)
{
	begin(3, 2, 0);
	rl_acquire *acquire = fake_acquire(30000, 45 * MS);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 5 * MS));
	CHECK_INT(fake_stats.split_votes, 2);
	splits = 100;
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_INT(fake_stats.split_votes, 5);
}

static void a_split_at_the_deadline_is_the_end(void)
{
	begin(3, 0, 0);
	rl_acquire *acquire = fake_acquire(30000, 45 * MS);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 40 * MS));
	splits = 100;
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_INT(fake_ms(), 45);
	CHECK_INT(fake_stats.split_votes, 0);
	CHECK_COUNT("45 a1 RELEASE", 1);
}

/* A refusal by all members, or by the only one, means that another client has the lock. */
static void a_single_server_has_no_split_vote(void)
{
	begin(1, 0, 0);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
	CHECK_COUNT("SET", 1);
	CHECK_INT(fake_stats.split_votes, 0);
}

/* ---- grants that are taken back after the end ---- */

static void taken_by_two_of_three(void)
{
	fake_begin(3);
	for (unsigned i = 0; i < 3; i++) {
		fake_warm(i);
	}
	fake_says(A, "+OK");
	fake_says(B, "+OK");
}

static void a_grant_is_undone_also_at_members_that_have_not_answered(void)
{
	taken_by_two_of_three();
	fake_acts(C, FAKE_SAY, "+OK", 50 * MS);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	fake_forget_log();
	rl_quorum_call_hold(&acquire->op.call, false, fake_clock);
	CHECK_INT(fake_pool.count, 0);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("RELEASE k T1", 3);
	CHECK_COUNT("c1 RELEASE k T1", 1);
	CHECK_INT(fake_pool.count, 3);
}

static void members_that_refused_get_no_undo(void)
{
	taken_by_two_of_three();
	fake_says(C, "_");
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	rl_quorum_call_hold(&acquire->op.call, false, fake_clock);
	CHECK_INT(fake_pool.count, 1);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("RELEASE", 2);
}

static void members_that_were_not_asked_get_no_undo(void)
{
	fake_begin(3);
	fake_warm(A);
	fake_warm(B);
	fake_dials(C, FAKE_HANG, 0);
	fake_says(A, "+OK");
	fake_says(B, "+OK");
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	rl_quorum_call_hold(&acquire->op.call, false, fake_clock);
	CHECK_INT(fake_pool.count, 1);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("RELEASE", 2);
}

/* A member that has not answered the swap may have refused it, or may hold another caller's equal
 * token. A token of our form is unique. */
static void an_own_token_is_taken_back_only_where_it_was_granted(void)
{
	taken_by_two_of_three();
	fake_acts(C, FAKE_SAY, "+OK", 50 * MS);
	rl_acquire *acquire = fake_acquire_own(FAKE_DRAWN, 30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	rl_quorum_call_hold(&acquire->op.call, false, fake_clock);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("RELEASE k drawn", 3);
	fake_end();
	taken_by_two_of_three();
	fake_acts(C, FAKE_SAY, "+OK", 50 * MS);
	fake_says(A, ":1");
	fake_says(B, ":1");
	acquire = fake_acquire_own("mine", 30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	rl_quorum_call_hold(&acquire->op.call, false, fake_clock);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("RELEASE k mine", 2);
	CHECK_COUNT("c1 RELEASE", 0);
}

/* A command whose answer no call waits for may be carried out at any time. */
static void a_member_that_did_not_answer_may_bring_a_stray(void)
{
	for (unsigned i = 0; i < 3; i++) {
		taken_by_two_of_three();
		fake_acts(C, i == 0 ? FAKE_SAY : i == 1 ? FAKE_SILENCE : FAKE_BREAK_UNSENT, "+OK", 0);
		fake_dials(C, FAKE_HANG, 0);
		rl_acquire *acquire = fake_acquire(30000, 0);
		CHECK_INT(fake_drive(&acquire->op), RL_OK);
		CHECK_INT(rl_quorum_call_has_strays(&acquire->op.call), i == 1);
		fake_end();
	}
}

/* Member c is slower than its timeout, and the others have decided. */
static void a_member_that_did_not_answer_in_time_may_bring_a_stray(void)
{
	fake_begin(3);
	for (unsigned i = 0; i < 3; i++) {
		fake_warm(i);
	}
	fake_set.members[C].timeout_ns = 20 * MS;
	fake_acts(A, FAKE_SAY, ":1", 50 * MS);
	fake_acts(B, FAKE_SAY, ":1", 50 * MS);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	rl_op *op = fake_ask(RL_VERB_EXTEND, "tok", 1500);
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_INT(fake_ms(), 50);
	CHECK_INT(op->call.members[C].vote, RL_VOTE_FAILED);
	CHECK(op->call.members[C].doubt != RL_DOUBT_LEFT);
	CHECK(rl_quorum_call_has_strays(&op->call));
}

/* A member that answers soon enough brings no stray, so an ordinary call leaves no doubt. */
static void a_member_that_is_waited_for_brings_no_stray(void)
{
	static const int64_t delays[] = {0, 24, 26};
	for (unsigned i = 0; i < 3; i++) {
		fake_begin(3);
		for (unsigned j = 0; j < 3; j++) {
			fake_warm(j);
			fake_acts(j, FAKE_SAY, ":1", j == C ? delays[i] * MS : 0);
		}
		rl_op *op = fake_plain(&(rl_plain_args){.verb = RL_VERB_EXTEND,
			.key = bytes_of("k"),
			.token = bytes_of("tok"),
			.ttl_ms = 1500,
			.wanted = RL_WANTED_SOON});
		CHECK_INT(fake_drive(op), RL_OK);
		CHECK_INT(fake_ms(), i == 2 ? 25 : delays[i]);
		CHECK_INT(rl_quorum_call_has_strays(&op->call), i == 2);
		fake_end();
	}
}

static const check_test tests[] = {
	TEST(a_call_that_does_not_wait_tries_three_times_more),
	TEST(the_tries_end_with_the_first_that_is_not_split),
	TEST(the_second_try_may_be_granted),
	TEST(the_delay_is_left_to_chance),
	TEST(the_delay_is_never_long),
	TEST(without_random_bytes_the_delay_is_the_longest_one),
	TEST(a_waiter_tries_soon_too),
	TEST(a_refusal_by_all_begins_the_count_anew),
	TEST(a_split_at_the_deadline_is_the_end),
	TEST(a_single_server_has_no_split_vote),
	TEST(a_grant_is_undone_also_at_members_that_have_not_answered),
	TEST(members_that_refused_get_no_undo),
	TEST(members_that_were_not_asked_get_no_undo),
	TEST(an_own_token_is_taken_back_only_where_it_was_granted),
	TEST(a_member_that_did_not_answer_may_bring_a_stray),
	TEST(a_member_that_did_not_answer_in_time_may_bring_a_stray),
	TEST(a_member_that_is_waited_for_brings_no_stray),
};

CHECK_MAIN(tests, fake_end)
