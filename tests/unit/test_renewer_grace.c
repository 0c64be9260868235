/* SPDX-License-Identifier: MIT
 *
 * The watch and leases behind Sentinels with a time of grace: a lease that was not replicated to a
 * new primary is put back there, while it is proven.
 *
 * The primary is server a or b, and the Sentinels are c, d and e.
 */
#include "check.h"
#include "core/lease/rl_loss.h"
#include "fake_route.h"
#include "watching.h"

#define GRACE (40 * SECOND)
#define NEW (2 * SECOND) /* the previous primary grants no locks any more */
#define SET_BACK "b1 SET k tok NX PX 30002\n"

static rl_route *route;

/* A lease of a. The Sentinels will say that b has been the primary for this long. */
static rl_renewal *prepare(int64_t age)
{
	watching_begin(1);
	route = fake_sentinels(0, "cde");
	route->grace_ns = GRACE;
	char a = 'a';
	CHECK(rl_route_name(route, rl_bytes_of(&a, 1), 6379, fake_clock) != NULL);
	fake_all_know(route, 1, age, 0);
	return watching_prepare("k");
}

static rl_renewal *keep(int64_t age)
{
	rl_renewal *one = prepare(age);
	watching_win(one, TTL);
	return one;
}

static void age_and_address_are_looked_up_together(void)
{
	keep(NEW);
	watching_to(10000);
	CHECK_COUNT("SENTINEL MASTER mymaster", 6); /* three with the dial, and three since the login */
	CHECK_COUNT("GET-MASTER", 0);
}

/* The Sentinels are slow, so their first answer was asked for before the login. */
static void an_answer_waits_for_a_lookup_since_the_login(void)
{
	prepare(NEW);
	fake_all_know(route, 0, NEW, 20 * MS);
	watching_win(watching.all, TTL);
	fake_dials(0, FAKE_ACCEPT, 5 * MS);
	watching_to(10100);
	CHECK_COUNT("a1 renew k tok 30002", 1);
	CHECK_INT(fake_stats.renewed, 1);
	CHECK_COUNT("SENTINEL MASTER mymaster", 6);
}

static void a_renewal_at_a_new_primary_counts(void)
{
	keep(NEW);
	watching_to(10000);
	CHECK_COUNT("10000 b1 renew k tok 30002", 1);
	CHECK_COUNT("SET", 0);
	CHECK_INT(fake_stats.renewed, 1);
}

/* The old primary, which renews the lease no more, may still grant locks to clients that have asked
 * the Sentinels before the switch. So the new primary proves nothing for a second, and is sent
 * nothing. */
static void no_renewal_is_sent_at_once_after_the_switch(void)
{
	rl_renewal *one = keep(RL_CHECK_NS - 2 * MS);
	watching_to(10400);
	CHECK_COUNT("renew", 0);
	CHECK_INT(fake_stats.renewed, 0);
	CHECK(watching_left(one) < 20000);
	fake_all_know(route, 1, RL_CHECK_NS + 2 * MS, 0);
	watching_to(11100);
	CHECK_COUNT("renew k tok 30002", 1);
	CHECK_INT(fake_stats.renewed, 1);
	CHECK(watching_left(one) > 29000);
	CHECK_INT(fake_stats.lost, 0);
}

/* Whether the lock must be put back is seen later, too. */
static void a_lease_is_not_put_back_at_once_after_the_switch(void)
{
	rl_renewal *one = keep(SECOND / 2);
	fake_says(1, ":0");
	fake_says(1, "+OK");
	watching_to(10400);
	CHECK_COUNT("renew", 0);
	CHECK_COUNT("SET", 0);
	CHECK_INT(fake_stats.renewed, 0);
	fake_all_know(route, 1, NEW, 0);
	watching_to(12000);
	CHECK_COUNT("SET", 1);
	CHECK_COUNT(SET_BACK, 1);
	CHECK_INT(fake_stats.renewed, 1);
	CHECK(watching_left(one) > 28000);
}

/* The primary may have been a replica since the last lookup. */
static void a_renewal_on_a_new_connection_needs_a_lookup_after_its_login(void)
{
	keep(GRACE);
	fake_all_know(route, 0, GRACE, 0);
	fake_dials(0, FAKE_ACCEPT, 40 * MS);
	watching_to(10039);
	CHECK_INT(fake_stats.sentinel_lookups, 1);
	fake_all_know(route, 0, GRACE, 5 * MS);
	watching_to(10044);
	CHECK_INT(fake_stats.renewed, 0);
	watching_to(10045);
	CHECK_INT(fake_stats.renewed, 1);
	CHECK_INT(fake_stats.sentinel_lookups, 2);
}

static void a_lease_that_was_not_replicated_is_put_back_at_once(void)
{
	rl_renewal *one = keep(NEW);
	fake_says(1, ":0");
	fake_says(1, "+OK");
	watching_to(10000);
	CHECK_COUNT("10000 " SET_BACK, 1);
	CHECK_INT(fake_stats.renewed, 1);
	CHECK_INT(watching_left(one), 30000);
	watching_to(60000);
	CHECK_COUNT("SET", 1);
	CHECK_INT(fake_stats.lost, 0);
}

/* A try that takes all permits for its own would take the key of the marks for the second one. */
static void a_permit_whose_set_is_in_doubt_is_put_back_by_its_key(void)
{
	rl_renewal *one = prepare(NEW);
	one->lease->permits = 2;
	watching_win(one, TTL);
	fake_says(1, ":0");
	fake_acts(1, FAKE_BREAK, NULL, 100 * MS);
	fake_says(1, "*:1 :0");
	watching_to(11000);
	CHECK_COUNT("10000 " SET_BACK, 1);
	CHECK_COUNT("b2 try k tok 30002 1 0 - 0\n", 1);
	CHECK_INT(fake_stats.renewed, 1);
	CHECK_INT(fake_stats.lost, 0);
}

/* By now other clients may take the lock, and some client has deleted it. */
static void a_lease_that_a_settled_primary_does_not_have_is_lost(void)
{
	rl_renewal *one = keep(GRACE + SECOND);
	fake_says(1, ":0");
	watching_to(10000);
	CHECK(rl_lease_is_lost(one->lease));
	CHECK_INT(rl_lease_loss(one->lease), RL_LOSS_DELETED);
	CHECK_COUNT("SET", 0);
}

static void a_lease_that_was_not_replicated_is_lost_without_grace(void)
{
	rl_renewal *one = prepare(NEW);
	route->grace_ns = 0;
	watching_let_go(one, true);
	one = watching_prepare("k");
	fake_all_name(route, NAMES("b"), 0);
	watching_win(one, TTL);
	fake_says(1, ":0");
	watching_to(10000);
	CHECK(rl_lease_is_lost(one->lease));
	CHECK_COUNT("SET", 0);
}

static void a_lease_with_a_callers_token_is_lost(void)
{
	rl_renewal *one = prepare(NEW);
	one->lease->is_own_token = true;
	watching_win(one, TTL);
	fake_says(1, ":0");
	watching_to(10000);
	CHECK(rl_lease_is_lost(one->lease));
	CHECK_COUNT("SET", 0);
}

static void a_lease_that_another_client_holds_is_lost(void)
{
	rl_renewal *one = keep(NEW);
	fake_says(1, ":-1");
	watching_to(10000);
	CHECK_INT(rl_lease_loss(one->lease), RL_LOSS_TAKEN_OVER);
	CHECK_COUNT("SET", 0);
}

/* A reservation, or a grant that is about to be undone, is in the way: the SET is repeated after a
 * pause, as long as the proof lasts. */
static void a_set_that_meets_another_key_is_repeated(void)
{
	rl_renewal *one = keep(NEW);
	for (unsigned i = 0; i < 3; i++) {
		fake_says(1, ":0");
		fake_says(1, "_");
	}
	fake_says(1, ":0");
	fake_says(1, "+OK");
	watching_to(14000);
	CHECK_COUNT(SET_BACK, 4);
	CHECK(rl_lease_is_held(one->lease));
	CHECK_INT(fake_stats.renewed, 1);
	CHECK(watching_left(one) > 28000);
}

static void a_lease_that_cannot_be_put_back_is_lost_with_its_proof(void)
{
	rl_renewal *one = keep(NEW);
	fake_always(1, "SET", FAKE_SILENCE, "", 0);
	fake_says(1, ":0");
	watching_to(29999);
	CHECK(rl_lease_is_held(one->lease));
	watching_to(30001);
	CHECK_INT(rl_lease_loss(one->lease), RL_LOSS_EXPIRED);
	CHECK_INT(fake_stats.renewed, 0);
}

/* The SET has won, and the answer of the Sentinels that is needed for it is missing: the lease has
 * gained nothing, and the key must not stay. */
static void a_set_that_the_sentinels_do_not_confirm_does_not_count(void)
{
	rl_renewal *one = keep(NEW);
	fake_says(1, ":0");
	fake_acts(1, FAKE_SAY, "+OK", 1500 * MS);
	watching_to(10100);
	fake_none_answers(route);
	watching_to(29999);
	CHECK(rl_lease_is_held(one->lease));
	CHECK_INT(fake_stats.renewed, 0);
	watching_to(30100);
	CHECK(rl_lease_is_lost(one->lease));
	CHECK(fake_count("b1 RELEASE") + fake_count("b2 RELEASE") >= 1);
}

static void a_lease_is_put_back_at_the_next_primary_as_well(void)
{
	rl_renewal *one = keep(NEW);
	fake_says(1, ":0");
	fake_says(1, "+OK");
	watching_to(15000);
	fake_all_know(route, 0, NEW, 0);
	fake_says(0, ":0");
	fake_says(0, "+OK");
	watching_to(20000);
	CHECK_COUNT("20000 a2 SET k tok NX PX 30002", 1); /* a1 has led to a replica */
	CHECK_INT(watching_left(one), 30000);
	CHECK_INT(fake_stats.lost, 0);
}

/* Of three members one is behind Sentinels, and a second one has lost the lock: the first one's
 * refusal does not decide. */
static void the_refusal_of_one_of_several_members_does_not_lose_a_lease(void)
{
	watching_begin(3);
	route = fake_sentinels(0, "fgh");
	route->grace_ns = GRACE;
	fake_all_know(route, 3, NEW, 0);
	rl_renewal *one = watching_keep("k", TTL);
	fake_says(3, ":0");
	fake_says(3, "+OK");
	fake_says(1, ":-1");
	watching_to(10500);
	CHECK_COUNT("10000 d1 SET k tok NX PX 30002", 1);
	CHECK_INT(fake_stats.renewed, 1);
	CHECK(rl_lease_is_held(one->lease));
}

/* The release of the owner follows a SET that is under way. */
static void a_release_follows_the_set(void)
{
	rl_renewal *one = keep(NEW);
	fake_says(1, ":0");
	fake_acts(1, FAKE_SAY, "+OK", 100 * MS);
	watching_to(10010);
	CHECK_COUNT(SET_BACK, 1);
	watching_let_go(one, true);
	watching_to(10200);
	CHECK_COUNT("10010 b1 RELEASE k tok", 1);
}

static const check_test tests[] = {TEST(age_and_address_are_looked_up_together),
	TEST(an_answer_waits_for_a_lookup_since_the_login), TEST(a_renewal_at_a_new_primary_counts),
	TEST(no_renewal_is_sent_at_once_after_the_switch),
	TEST(a_lease_is_not_put_back_at_once_after_the_switch),
	TEST(a_renewal_on_a_new_connection_needs_a_lookup_after_its_login),
	TEST(a_lease_that_was_not_replicated_is_put_back_at_once),
	TEST(a_permit_whose_set_is_in_doubt_is_put_back_by_its_key),
	TEST(a_lease_that_a_settled_primary_does_not_have_is_lost),
	TEST(a_lease_that_was_not_replicated_is_lost_without_grace),
	TEST(a_lease_with_a_callers_token_is_lost), TEST(a_lease_that_another_client_holds_is_lost),
	TEST(a_set_that_meets_another_key_is_repeated),
	TEST(a_lease_that_cannot_be_put_back_is_lost_with_its_proof),
	TEST(a_set_that_the_sentinels_do_not_confirm_does_not_count),
	TEST(a_lease_is_put_back_at_the_next_primary_as_well),
	TEST(the_refusal_of_one_of_several_members_does_not_lose_a_lease),
	TEST(a_release_follows_the_set)};

CHECK_MAIN(tests, watching_end)
