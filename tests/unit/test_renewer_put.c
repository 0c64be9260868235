/* SPDX-License-Identifier: MIT
 *
 * The watch and members that have lost a lock which a quorum has: the token is put back.
 */
#include "check.h"
#include "watching.h"

#include <string.h>

#define C 2

/* c says in the round at 10 s that it has no such lock. */
static rl_renewal *keep(void)
{
	watching_begin(3);
	rl_renewal *one = watching_keep_told("k", TTL);
	fake_says(C, ":0");
	return one;
}

static void a_token_is_put_back(void)
{
	rl_renewal *one = keep();
	fake_says(C, "+OK");
	watching_to(19999);
	CHECK_COUNT("10000 c1 renew k tok 30002\n", 1);
	CHECK_COUNT("10000 c1 SET k tok NX PX 30002\n", 1);
	CHECK_COUNT("SET", 1);
	CHECK_INT(watching_left(one), 20001);
	watching_to(20000);
	CHECK_COUNT("20000 c1 renew k tok 30002\n", 1);
	watching_to(60000);
	CHECK_COUNT("SET", 1);
	CHECK_INT(watching_losses, 0);
	CHECK_INT(fake_stats.renewed, 6);
}

static void a_token_is_put_back_after_a_late_answer(void)
{
	watching_begin(3);
	watching_keep("k", TTL);
	fake_acts(C, FAKE_SAY, ":0", 300 * MS);
	fake_says(C, "+OK");
	watching_to(19000);
	CHECK_COUNT("10300 c1 SET k tok NX PX 30002\n", 1);
}

/* The round is decided by it. */
static void a_token_is_put_back_before_the_round_is_decided(void)
{
	watching_begin(3);
	watching_keep("k", TTL);
	fake_acts(0, FAKE_SAY, ":1", 300 * MS);
	fake_says(C, ":0");
	fake_says(C, "+OK");
	watching_to(19000);
	CHECK_COUNT("10300 c1 SET k tok NX PX 30002\n", 1);
}

/* A lease of limited length, such as one that is not to outlive a section. */
static void only_for_as_long_as_it_may_be_held(void)
{
	rl_renewal *one = keep();
	one->hold_until = FAKE_START + 35000 * MS + FAKE_BLINK;
	fake_says(C, "+OK");
	watching_to(12000);
	CHECK_COUNT("c1 SET k tok NX PX 25000\n", 1);
}

static void no_callers_token_is(void)
{
	rl_renewal *one = keep();
	one->lease->is_own_token = true;
	watching_to(19000);
	CHECK_COUNT("SET", 0);
	CHECK_INT(fake_stats.renewed, 1);
}

static void a_lease_that_is_not_renewed_is_not_put_back(void)
{
	watching_begin(3);
	rl_renewal *one = watching_keep("k", TTL);
	fake_acts(C, FAKE_SAY, ":0", 300 * MS);
	watching_to(10200);
	one->renews = false;
	watching_to(60000);
	CHECK_COUNT("SET", 0);
}

static void a_lost_lease_is_not_put_back(void)
{
	keep();
	fake_acts(1, FAKE_SAY, ":0", 100 * MS);
	fake_acts(0, FAKE_SAY, ":1", 200 * MS);
	watching_to(60000);
	CHECK_INT(watching_losses, 1);
	CHECK_COUNT("SET", 0);
}

static void a_lease_of_one_server_is_not_put_back(void)
{
	watching_begin(1);
	watching_keep("k", TTL);
	fake_says(0, ":0");
	watching_to(60000);
	CHECK_COUNT("SET", 0);
}

static void a_lease_without_a_quorum_is_not_put_back(void)
{
	watching_begin(3);
	watching_keep("k", TTL);
	fake_says(C, ":0");
	fake_says(1, "-LOADING x");
	watching_to(10500);
	CHECK_COUNT("SET", 0);
}

/* While the proof lasts nobody else can have it: the member may be the one that makes a quorum. */
static void after_a_pause_it_is_in_a_round_that_is_not_decided(void)
{
	watching_begin(3);
	rl_renewal *one = watching_keep("k", TTL);
	for (unsigned i = 0; i < 100; i++) {
		fake_says(1, "-LOADING x");
	}
	fake_says(C, ":0");
	fake_says(C, "+OK");
	watching_to(10999);
	CHECK_COUNT("SET", 0);
	CHECK_INT(fake_stats.renewed, 0);
	watching_to(11000);
	CHECK_COUNT("11000 c1 SET k tok NX PX 30002\n", 1);
	CHECK_INT(fake_stats.renewed, 1);
	CHECK_INT(watching_left(one), 29000); /* a was asked first, at 10 s */
}

static void a_callers_token_is_not_put_back(void)
{
	watching_begin(3);
	rl_renewal *one = watching_keep("k", TTL);
	one->lease->is_own_token = true;
	for (unsigned i = 0; i < 100; i++) {
		fake_says(1, "-LOADING x");
	}
	fake_says(C, ":0");
	watching_to(60000);
	CHECK_COUNT("SET", 0);
	CHECK_COUNT("c1 renew", 1);
}

/* Somebody else has it there: in the next round it is asked as always. */
static void what_is_somebody_elses_stays_so(void)
{
	rl_renewal *one = keep();
	fake_says(C, "_");
	fake_says(C, ":0");
	fake_says(C, "_");
	watching_to(19999);
	CHECK_COUNT("SET", 1);
	watching_to(29999);
	CHECK_COUNT("20000 c1 renew k tok 30002\n", 1);
	CHECK_COUNT("20000 c1 SET k tok NX PX 30002\n", 1);
	CHECK_COUNT("SET", 2);
	CHECK_INT(fake_stats.lost, 0);
	CHECK_INT(watching_left(one), 20001);
}

static void an_error_puts_it_off_to_the_next_round(void)
{
	keep();
	fake_says(C, "-LOADING x");
	fake_says(C, "+OK");
	watching_to(19999);
	CHECK_COUNT("SET", 1);
	watching_to(29999);
	CHECK_COUNT("20000 c1 SET k tok NX PX 30002\n", 1);
	CHECK_COUNT("c1 renew", 1);
	watching_to(30000);
	CHECK_COUNT("30000 c1 renew", 1);
}

/* ---- a connection that breaks ---- */

static void broken_in_flight_it_is_said_again(void)
{
	keep();
	fake_acts(C, FAKE_BREAK, NULL, 100 * MS);
	fake_says(C, "+OK");
	watching_to(19999);
	CHECK_COUNT("10100 c2 SET k tok NX PX 30002\n", 1);
	CHECK_COUNT("SET", 2);
	watching_to(20000);
	CHECK_COUNT("20000 c2 renew", 1);
}

/* Then the first may have been carried out, and the second is refused by our own key. */
static void said_twice_and_refused_the_next_round_tells(void)
{
	rl_renewal *one = keep();
	fake_acts(C, FAKE_BREAK, NULL, 100 * MS);
	fake_says(C, "_");
	watching_to(20000);
	CHECK_COUNT("SET", 2);
	CHECK_COUNT("20000 c2 renew k tok 30002\n", 1);
	CHECK(
		one->members[C].vote == RL_VOTE_GRANTED || one->members[C].state == RL_RENEWAL_MEMBER_SENT);
	watching_to(29999);
	CHECK_COUNT("SET", 2);
}

/* It comes through only in a later round: what it says does not count as a refusal there. */
static void refused_in_a_later_round_it_is_asked_at_once(void)
{
	rl_renewal *one = keep();
	fake_dials(C, FAKE_ACCEPT, 0);
	fake_refuses(C, 26);
	fake_acts(C, FAKE_BREAK, NULL, 0);
	fake_says(C, "_");
	fake_acts(0, FAKE_SAY, ":1", 0);
	fake_acts(0, FAKE_SAY, ":1", 2000 * MS);
	fake_acts(1, FAKE_SAY, ":1", 0);
	fake_acts(1, FAKE_SAY, ":0", 0);
	one->members[0].timeout_ns = 100 * SECOND;
	watching_to(21900);
	/* a has not answered yet, b has refused: c decides. */
	CHECK_INT(watching_losses, 0);
	CHECK_COUNT("c28 SET k tok NX PX 30002\n", 1);
	CHECK_COUNT("c28 renew k tok 30002\n", 1);
	CHECK_INT(one->members[C].vote, RL_VOTE_GRANTED);
	watching_to(22000);
	CHECK_INT(fake_stats.renewed, 2);
}

/* ---- the end of the lease ---- */

/* What is put back is on its way, for half a second. */
static rl_renewal *fly(void)
{
	rl_renewal *one = keep();
	fake_acts(C, FAKE_SAY, "+OK", 500 * MS);
	watching_to(10050);
	CHECK_COUNT("10000 c1 SET", 1);
	fake_forget_log();
	return one;
}

static void released_meanwhile_it_is_released_behind(void)
{
	watching_let_go(fly(), true);
	CHECK_LOG("10050 c1 RELEASE k tok\n");
	watching_to(60000);
	CHECK_COUNT("RELEASE", 1);
}

static void also_when_it_could_not_be_released(void)
{
	watching_let_go(fly(), false);
	CHECK_LOG("10050 c1 RELEASE k tok\n");
}

/* It was on its way when the release was sent: that its answer has come since says nothing of the
 * order. */
static void also_when_it_was_answered_while_the_release_was_under_way(void)
{
	rl_renewal *one = fly();
	rl_renewer_pause(one);
	watching_to(10600);
	CHECK_LOG("");
	watching_let_go(one, true);
	CHECK_LOG("10600 c1 RELEASE k tok\n");
}

static void not_when_it_was_answered_before(void)
{
	rl_renewal *one = fly();
	watching_to(10600);
	watching_let_go(one, true);
	CHECK_LOG("");
}

static void given_away_it_stays(void)
{
	rl_renewal *one = fly();
	rl_renewer_pause(one);
	rl_lease_give_away(one->lease);
	watching_let_go(one, false);
	watching_to(60000);
	CHECK_LOG("");
}

static void what_waits_for_a_connection_is_not_sent_any_more(void)
{
	rl_renewal *one = keep();
	fake_dials(C, FAKE_ACCEPT, 0);
	fake_dials(C, FAKE_HANG, 0);
	fake_acts(C, FAKE_BREAK, NULL, 0);
	watching_to(10050);
	CHECK_INT(one->members[C].state, RL_RENEWAL_MEMBER_WAITING);
	watching_let_go(one, true);
	watching_to(60000);
	CHECK_COUNT("SET", 1);
	CHECK_COUNT("RELEASE", 0);
}

static void lost_it_is_taken_back(void)
{
	rl_renewal *one = keep();
	fake_says(C, "+OK");
	watching_to(15000);
	fake_says(0, ":0");
	fake_says(1, ":0");
	fake_acts(C, FAKE_SAY, ":1", 100 * MS);
	watching_to(60000);
	CHECK_INT(watching_losses, 1);
	CHECK(rl_lease_is_lost(one->lease));
	CHECK_COUNT("20000 c1 RELEASE k tok\n", 1);
	CHECK_COUNT("RELEASE", 1);
}

static const check_test tests[] = {
	TEST(a_token_is_put_back),
	TEST(a_token_is_put_back_after_a_late_answer),
	TEST(a_token_is_put_back_before_the_round_is_decided),
	TEST(only_for_as_long_as_it_may_be_held),
	TEST(no_callers_token_is),
	TEST(a_lease_that_is_not_renewed_is_not_put_back),
	TEST(a_lost_lease_is_not_put_back),
	TEST(a_lease_of_one_server_is_not_put_back),
	TEST(a_lease_without_a_quorum_is_not_put_back),
	TEST(after_a_pause_it_is_in_a_round_that_is_not_decided),
	TEST(a_callers_token_is_not_put_back),
	TEST(what_is_somebody_elses_stays_so),
	TEST(an_error_puts_it_off_to_the_next_round),
	TEST(broken_in_flight_it_is_said_again),
	TEST(said_twice_and_refused_the_next_round_tells),
	TEST(refused_in_a_later_round_it_is_asked_at_once),
	TEST(released_meanwhile_it_is_released_behind),
	TEST(also_when_it_could_not_be_released),
	TEST(also_when_it_was_answered_while_the_release_was_under_way),
	TEST(not_when_it_was_answered_before),
	TEST(given_away_it_stays),
	TEST(what_waits_for_a_connection_is_not_sent_any_more),
	TEST(lost_it_is_taken_back),
};

CHECK_MAIN(tests, watching_end)
