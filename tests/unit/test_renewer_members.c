/* SPDX-License-Identifier: MIT
 *
 * The watch and leases of three servers: a quorum keeps a lease, a quorum of refusals loses it, and
 * the renewals of a minority are released.
 */
#include "check.h"
#include "watching.h"

#include <string.h>

static rl_renewal *keep(void)
{
	watching_begin(3);
	return watching_keep_told("k", TTL);
}

static void each_member_is_asked(void)
{
	rl_renewal *one = keep();
	watching_to(10000);
	CHECK_COUNT("10000 a1 renew k tok 30002", 1);
	CHECK_COUNT("10000 b1 renew k tok 30002", 1);
	CHECK_COUNT("10000 c1 renew k tok 30002", 1);
	CHECK_INT(watching_left(one), 30000);
	CHECK_INT(fake_stats.renewed, 1);
	watching_to(19999);
	CHECK_COUNT("renew", 3);
	watching_to(20000);
	CHECK_COUNT("renew", 6);
}

static void a_quorum_decides_at_once(void)
{
	rl_renewal *one = keep();
	fake_acts(0, FAKE_SAY, ":1", 100 * MS);
	fake_acts(1, FAKE_SAY, ":1", 300 * MS);
	fake_acts(2, FAKE_SILENCE, NULL, 0);
	watching_to(10299);
	CHECK_INT(fake_stats.renewed, 0);
	watching_to(10300);
	CHECK_INT(fake_stats.renewed, 1);
	CHECK_INT(watching_left(one), 29700);
}

static void a_renewal_proves_since_the_first_sending_of_its_quorum(void)
{
	rl_renewal *one = keep();
	fake_refuses(2, 150);
	fake_dials(0, FAKE_ACCEPT, 0);
	fake_dials(1, FAKE_ACCEPT, 700 * MS);
	fake_acts(0, FAKE_SAY, ":1", 900 * MS);
	watching_to(10899);
	CHECK_COUNT("10700 b1 renew", 1);
	CHECK_INT(fake_stats.renewed, 0);
	watching_to(10900);
	CHECK_INT(watching_left(one), 29100);
}

static void a_member_that_is_down_does_not_matter(void)
{
	rl_renewal *one = keep();
	fake_refuses(1, 190);
	watching_to(60000);
	CHECK_INT(watching_losses, 0);
	CHECK(watching_left(one) >= 20000);
	/* A round begins a little early when it is near at a dial. */
	CHECK_INT(fake_stats.renewed, 7);
	CHECK_COUNT("a1 renew", 7);
	CHECK_COUNT("c1 renew", 7);
}

static void a_member_that_hangs_does_not_matter(void)
{
	keep();
	for (int i = 0; i < 100; i++) {
		fake_acts(1, FAKE_SILENCE, NULL, 0);
	}
	watching_to(60000);
	CHECK_INT(watching_losses, 0);
	/* The other members are asked no more often either, apart from leases that are near when the
	 * time is over. */
	CHECK(fake_stats.renewed >= 6 && fake_stats.renewed <= 8);
	CHECK(fake_count("a1 renew") <= 8);
}

static void a_member_that_comes_back_is_asked_again(void)
{
	keep();
	fake_refuses(1, 5);
	watching_to(10311);
	CHECK_COUNT("b6 renew k tok 30002", 1);
	watching_to(20000);
	CHECK_COUNT("20000 b6 renew", 1);
	CHECK_INT(fake_stats.renewed, 2);
}

static void a_member_that_refuses_does_not_matter(void)
{
	rl_renewal *one = keep();
	for (int i = 0; i < 10; i++) {
		fake_says(1, ":0");
	}
	watching_to(60000);
	CHECK_INT(watching_losses, 0);
	CHECK_INT(fake_stats.renewed, 6);
	CHECK(rl_lease_is_held(one->lease));
}

static void a_lease_is_lost_once_two_members_refuse(void)
{
	rl_renewal *one = keep();
	fake_acts(0, FAKE_SAY, ":0", 100 * MS);
	fake_acts(1, FAKE_SAY, ":0", 200 * MS);
	fake_acts(2, FAKE_SILENCE, NULL, 0);
	watching_to(10199);
	CHECK_INT(watching_losses, 0);
	watching_to(10200);
	CHECK_INT(watching_losses, 1);
	CHECK(rl_lease_is_lost(one->lease));
	CHECK(!rl_lease_is_open(one->lease));
}

static void the_refusals_decide_the_reason_of_the_loss(void)
{
	static const struct {
		const char *answers[2];
		rl_loss loss;
	} cases[] = {{{":0", ":0"}, RL_LOSS_DELETED}, {{":0", ":-1"}, RL_LOSS_TAKEN_OVER},
		{{":-1", ":-1"}, RL_LOSS_TAKEN_OVER}};
	for (unsigned i = 0; i < 3; i++) {
		rl_renewal *one = keep();
		fake_acts(0, FAKE_SAY, cases[i].answers[0], 100 * MS);
		fake_acts(1, FAKE_SAY, cases[i].answers[1], 200 * MS);
		fake_acts(2, FAKE_SILENCE, NULL, 0);
		watching_to(10200);
		CHECK_INT(rl_lease_loss(one->lease), cases[i].loss);
		watching_end();
	}
}

static void a_renewal_of_a_minority_is_released(void)
{
	keep();
	fake_acts(0, FAKE_SAY, ":0", 100 * MS);
	fake_acts(1, FAKE_SAY, "-WRONGTYPE x", 200 * MS);
	watching_to(60000);
	CHECK_INT(watching_losses, 1);
	CHECK_COUNT("renew", 3);
	CHECK_COUNT("10200 c1 RELEASE k tok\n", 1);
	CHECK_COUNT("RELEASE", 1);
}

static void a_renewal_that_a_minority_may_still_carry_out_is_released(void)
{
	keep();
	fake_acts(0, FAKE_SAY, ":0", 100 * MS);
	fake_acts(1, FAKE_SAY, ":0", 200 * MS);
	fake_acts(2, FAKE_SAY, ":1", 300 * MS);
	watching_to(60000);
	CHECK_COUNT("10200 c1 RELEASE k tok\n", 1);
	CHECK_COUNT("RELEASE", 1);
}

static void a_member_that_cannot_be_reached_gets_the_release_later(void)
{
	keep();
	fake_acts(0, FAKE_SAY, ":0", 100 * MS);
	fake_acts(1, FAKE_SAY, ":0", 200 * MS);
	fake_dials(2, FAKE_ACCEPT, 0);
	fake_acts(2, FAKE_BREAK, NULL, 0);
	fake_refuses(2, 10);
	watching_to(60000);
	CHECK_COUNT("c12 RELEASE k tok\n", 1);
	CHECK_COUNT("RELEASE", 1);
}

static void each_member_gets_the_release_until_its_own_key_has_ended(void)
{
	rl_renewal *one = keep();
	fake_dials(0, FAKE_ACCEPT, 0);
	fake_acts(0, FAKE_BREAK, NULL, 0); /* sent with 30 s, and perhaps carried out */
	fake_refuses(0, 40);
	fake_refuses(2, 150);
	fake_refuses(1, 1);
	fake_dials(1, FAKE_ACCEPT, 0);
	fake_acts(1, FAKE_BREAK, NULL, 0); /* sent with 5 s */
	fake_refuses(1, 150);
	watching_to(10000);
	one->lease->ttl_ns = 5000 * MS;
	watching_to(90000);
	CHECK_INT(watching_losses, 1);
	CHECK_COUNT("10010 b2 renew k tok 5000\n", 1);
	CHECK_COUNT("a42 RELEASE k tok\n", 1);
}

/* Only c grants the renewal, which is no quorum: a answers with errors, and b refuses connections.
 * So the lease is lost when its old proof ends, and c, whose key would last longer, gets a release.
 */
static void a_lease_without_a_quorum_is_lost_at_the_deadline(void)
{
	rl_renewal *one = keep();
	for (int i = 0; i < 150; i++) {
		fake_says(0, "-LOADING x");
	}
	fake_refuses(1, 190);
	watching_to_time(FAKE_START + 30 * SECOND - FAKE_BLINK);
	CHECK_INT(watching_losses, 0);
	CHECK(rl_lease_is_held(one->lease));
	CHECK(fake_count("a1 renew") > 5);
	CHECK_COUNT("c1 renew", 1);
	watching_to(30000);
	CHECK_INT(watching_losses, 1);
	CHECK_COUNT("30000 c1 RELEASE k tok\n", 1);
	CHECK_COUNT("RELEASE", 2); /* one to the server with the errors, too */
}

static void two_members_with_errors_are_asked_again(void)
{
	rl_renewal *one = keep();
	fake_says(0, "-LOADING x");
	fake_says(1, "-LOADING x");
	fake_acts(0, FAKE_SAY, ":1", MS); /* not before b is asked */
	fake_acts(1, FAKE_SAY, ":1", 2 * MS);
	watching_to(11001);
	CHECK_COUNT("11000 a1 renew", 1);
	CHECK_COUNT("11000 b1 renew", 1);
	CHECK_COUNT("c1 renew", 1);
	CHECK_INT(watching_left(one), 28999); /* c was asked a second earlier */
	CHECK_INT(fake_stats.renewed, 1);
}

static void a_member_with_an_error_is_asked_again_while_another_is_down(void)
{
	rl_renewal *one = keep();
	fake_refuses(1, 150);
	for (int i = 0; i < 3; i++) {
		fake_says(0, "-LOADING x");
	}
	watching_to(13000);
	CHECK_COUNT("13000 a1 renew", 1);
	CHECK_INT(fake_stats.renewed, 1);
	CHECK_INT(watching_left(one), 27000);
	watching_to(60000);
	CHECK_INT(watching_losses, 0);
}

/* The answer of the slow member belongs to its own command, also in the next round. */
static void an_answer_of_an_earlier_round_counts_from_its_own_sending(void)
{
	watching_begin(3);
	fake_set.members[2].timeout_ns = 3600 * SECOND;
	fake_set.members[2].connect_timeout_ns = 3600 * SECOND;
	rl_renewal *one = watching_keep_told("k", TTL);
	fake_acts(2, FAKE_SAY, ":1", 3000 * MS);
	fake_says(0, "-LOADING x");
	fake_says(1, "-LOADING x");
	fake_says(0, "-LOADING x");
	fake_acts(1, FAKE_SAY, ":1", 0);
	for (int i = 0; i < 3; i++) {
		fake_says(0, "-LOADING x");
	}
	watching_to(11000);
	CHECK_COUNT("11000 a1 renew", 1);
	CHECK_COUNT("11000 b1 renew", 1);
	CHECK_COUNT("c1 renew", 1);
	CHECK_INT(fake_stats.renewed, 0);
	watching_to(13000);
	CHECK_INT(fake_stats.renewed, 1);
	CHECK_INT(watching_left(one), 27000);
}

static void members_with_a_renewal_in_flight_get_the_release_at_the_end(void)
{
	rl_renewal *one = keep();
	fake_acts(1, FAKE_SILENCE, NULL, 0);
	fake_acts(2, FAKE_SAY, ":1", 100 * MS);
	watching_to(10050);
	watching_let_go(one, false);
	watching_to(60000);
	CHECK_COUNT("a1 RELEASE", 0);
	CHECK_COUNT("10050 b1 RELEASE k tok\n", 1);
	CHECK_COUNT("10050 c1 RELEASE k tok\n", 1);
}

static void several_leases_share_the_connections(void)
{
	keep();
	watching_keep("l", TTL);
	fake_set.count = 1;
	fake_set.members[0].target = &fake_targets[1];
	watching_keep("m", TTL);
	watching_to(20000);
	CHECK_COUNT("dial", 3);
	CHECK_COUNT("b1 renew", 6);
	CHECK_INT(fake_writes, 6);
	CHECK_INT(fake_stats.renewed, 6);
}

static const check_test tests[] = {
	TEST(each_member_is_asked),
	TEST(a_quorum_decides_at_once),
	TEST(a_renewal_proves_since_the_first_sending_of_its_quorum),
	TEST(a_member_that_is_down_does_not_matter),
	TEST(a_member_that_hangs_does_not_matter),
	TEST(a_member_that_comes_back_is_asked_again),
	TEST(a_member_that_refuses_does_not_matter),
	TEST(a_lease_is_lost_once_two_members_refuse),
	TEST(the_refusals_decide_the_reason_of_the_loss),
	TEST(a_renewal_of_a_minority_is_released),
	TEST(a_renewal_that_a_minority_may_still_carry_out_is_released),
	TEST(a_member_that_cannot_be_reached_gets_the_release_later),
	TEST(each_member_gets_the_release_until_its_own_key_has_ended),
	TEST(a_lease_without_a_quorum_is_lost_at_the_deadline),
	TEST(two_members_with_errors_are_asked_again),
	TEST(a_member_with_an_error_is_asked_again_while_another_is_down),
	TEST(an_answer_of_an_earlier_round_counts_from_its_own_sending),
	TEST(members_with_a_renewal_in_flight_get_the_release_at_the_end),
	TEST(several_leases_share_the_connections),
};

CHECK_MAIN(tests, watching_end)
