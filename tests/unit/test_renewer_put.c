/* SPDX-License-Identifier: MIT
 *
 * The watch and members that have lost a lock which a quorum has: the token is put back.
 */
#include "check.h"
#include "watching.h"

#include <string.h>

#define C 2
#define MAYBE_OURS "try k tok 30002 1 0 - 0\n"

/* c says in the round at 10 s that it has no such lock. */
static rl_renewal *keep_with_timeout(int64_t timeout_ns)
{
	watching_begin(3);
	fake_set.members[0].timeout_ns = timeout_ns;
	rl_renewal *one = watching_keep_told("k", TTL);
	fake_says(C, ":0");
	return one;
}

static rl_renewal *keep(void)
{
	return keep_with_timeout(SECOND);
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

/* The answer to the SET decides the round. */
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

/* For example a lease that must not outlive a section. */
static void a_token_is_put_back_for_the_rest_of_the_hold(void)
{
	rl_renewal *one = keep();
	one->hold_until = FAKE_START + 35000 * MS + FAKE_BLINK;
	fake_says(C, "+OK");
	watching_to(12000);
	CHECK_COUNT("c1 SET k tok NX PX 25000\n", 1);
}

static void a_token_of_the_caller_is_never_put_back(void)
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

/* While the proof lasts no other client can have the lock. The answer to the SET makes the
 * quorum. */
static void a_token_is_put_back_after_a_pause_if_the_round_is_open(void)
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

/* Another client has the key on c: in the next round c is asked as always. */
static void a_key_of_another_client_is_not_put_back(void)
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

static void an_error_delays_the_set_to_the_next_round(void)
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

static void a_set_whose_connection_breaks_is_sent_again(void)
{
	keep();
	fake_acts(C, FAKE_BREAK, NULL, 100 * MS);
	fake_says(C, "*:1 :0");
	watching_to(19999);
	CHECK_COUNT("10100 c2 " MAYBE_OURS, 1);
	CHECK_COUNT("SET", 1);
	watching_to(20000);
	CHECK_COUNT("20000 c2 renew", 1);
}

/* Another client has the key. */
static void a_repeated_set_that_is_refused_is_decided_by_the_next_round(void)
{
	rl_renewal *one = keep();
	fake_acts(C, FAKE_BREAK, NULL, 100 * MS);
	fake_says(C, "*:0 :0 :30000 :3 :1");
	watching_to(20000);
	CHECK_COUNT("SET", 1);
	CHECK_COUNT("10100 c2 " MAYBE_OURS, 1);
	CHECK_COUNT("20000 c2 renew k tok 30002\n", 1);
	CHECK(one->members[C].vote == RL_VOTE_GRANTED ||
		one->members[C].state == RL_RENEWAL_MEMBER_ASKED);
	watching_to(29999);
	CHECK_COUNT("SET", 1);
	CHECK_COUNT("try", 1);
}

/* The SET is answered in a later round, where its refusal is no vote. */
static void a_set_that_is_refused_in_a_later_round_is_followed_by_a_renewal(void)
{
	rl_renewal *one = keep_with_timeout(100 * SECOND);
	fake_dials(C, FAKE_ACCEPT, 0);
	fake_refuses(C, 16);
	fake_acts(C, FAKE_BREAK, NULL, 0);
	fake_says(C, "_");
	fake_acts(0, FAKE_SAY, ":1", 0);
	fake_acts(0, FAKE_SAY, ":1", 2000 * MS);
	fake_acts(1, FAKE_SAY, ":1", 0);
	fake_acts(1, FAKE_SAY, ":0", 0);
	watching_to(21900);
	/* Member a has not answered yet, and b has refused: c decides. */
	CHECK_INT(watching_losses, 0);
	CHECK_COUNT("20270 c18 SET k tok NX PX 30002\n", 1);
	CHECK_COUNT("c18 renew k tok 30002\n", 1);
	CHECK_INT(one->members[C].vote, RL_VOTE_GRANTED);
	watching_to(22000);
	CHECK_INT(fake_stats.renewed, 2);
}

/* ---- the end of the lease ---- */

/* A lease whose SET on c is under way, for half a second. */
static rl_renewal *fly(void)
{
	rl_renewal *one = keep();
	fake_acts(C, FAKE_SAY, "+OK", 500 * MS);
	watching_to(10050);
	CHECK_COUNT("10000 c1 SET", 1);
	fake_forget_log();
	return one;
}

static void a_lease_released_during_the_set_is_released_after_it(void)
{
	watching_let_go(fly(), true);
	CHECK_LOG("10050 c1 RELEASE k tok\n");
	watching_to(60000);
	CHECK_COUNT("RELEASE", 1);
}

static void a_lease_that_could_not_be_released_is_released_after_the_set(void)
{
	watching_let_go(fly(), false);
	CHECK_LOG("10050 c1 RELEASE k tok\n");
}

/* The SET was under way when the owner paused the renewal to release the lock. The answer to the
 * SET, which has arrived since, does not tell whether the server ran the SET after the release,
 * so another release must follow the SET. */
static void a_set_answered_during_the_release_is_followed_by_a_release(void)
{
	rl_renewal *one = fly();
	rl_renewer_pause(one);
	watching_to(10600);
	CHECK_LOG("");
	watching_let_go(one, true);
	CHECK_LOG("10600 c1 RELEASE k tok\n");
}

static void a_set_answered_before_the_release_needs_no_other_release(void)
{
	rl_renewal *one = fly();
	watching_to(10600);
	watching_let_go(one, true);
	CHECK_LOG("");
}

static void a_lease_given_away_during_the_set_keeps_its_key(void)
{
	rl_renewal *one = fly();
	rl_renewer_pause(one);
	rl_lease_give_away(one->lease);
	watching_let_go(one, false);
	watching_to(60000);
	CHECK_LOG("");
}

static void a_set_that_waits_for_a_connection_is_not_sent_after_the_end(void)
{
	rl_renewal *one = keep();
	fake_dials(C, FAKE_ACCEPT, 0);
	fake_dials(C, FAKE_HANG, 0);
	fake_acts(C, FAKE_BREAK, NULL, 0);
	watching_to(10050);
	CHECK_INT(one->members[C].state, RL_RENEWAL_MEMBER_ASKED);
	watching_let_go(one, true);
	watching_to(60000);
	CHECK_COUNT("SET", 1);
	CHECK_COUNT("RELEASE", 0);
}

/* The first SET is in doubt: that the second one was refused does not tell whether the server will
 * still run the first. */
static void a_set_in_doubt_is_released_although_the_next_one_was_refused(void)
{
	rl_renewal *one = keep();
	fake_acts(C, FAKE_BREAK, NULL, 0);
	fake_says(C, "*:0 :0 :20000 :3 :0"); /* to the try that repeats the SET */
	watching_to(15000);
	CHECK_COUNT("c2 try k tok", 1);
	CHECK_INT(one->members[C].vote, RL_VOTE_REFUSED);
	rl_lease_lose(one->lease);
	rl_renewer_changed(one);
	watching_to(16000);
	CHECK_COUNT("RELEASE k tok", 1);
}

static void a_lost_lease_is_released_where_it_was_put_back(void)
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
	TEST(a_token_is_put_back_for_the_rest_of_the_hold),
	TEST(a_token_of_the_caller_is_never_put_back),
	TEST(a_lease_that_is_not_renewed_is_not_put_back),
	TEST(a_lost_lease_is_not_put_back),
	TEST(a_lease_of_one_server_is_not_put_back),
	TEST(a_lease_without_a_quorum_is_not_put_back),
	TEST(a_token_is_put_back_after_a_pause_if_the_round_is_open),
	TEST(a_callers_token_is_not_put_back),
	TEST(a_key_of_another_client_is_not_put_back),
	TEST(an_error_delays_the_set_to_the_next_round),
	TEST(a_set_whose_connection_breaks_is_sent_again),
	TEST(a_repeated_set_that_is_refused_is_decided_by_the_next_round),
	TEST(a_set_that_is_refused_in_a_later_round_is_followed_by_a_renewal),
	TEST(a_lease_released_during_the_set_is_released_after_it),
	TEST(a_lease_that_could_not_be_released_is_released_after_the_set),
	TEST(a_set_answered_during_the_release_is_followed_by_a_release),
	TEST(a_set_answered_before_the_release_needs_no_other_release),
	TEST(a_lease_given_away_during_the_set_keeps_its_key),
	TEST(a_set_that_waits_for_a_connection_is_not_sent_after_the_end),
	TEST(a_set_in_doubt_is_released_although_the_next_one_was_refused),
	TEST(a_lost_lease_is_released_where_it_was_put_back),
};

CHECK_MAIN(tests, watching_end)
