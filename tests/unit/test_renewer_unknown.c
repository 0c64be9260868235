/* SPDX-License-Identifier: MIT
 *
 * The watch and members whose primary is unknown: a lookup finds it for renewals, and for late
 * releases.
 *
 * The primary is server d, and the Sentinels are f, g and h.
 */
#include "check.h"
#include "fake_route.h"
#include "watching.h"

static rl_route *route;

static void begin_unknown(void)
{
	watching_begin(3);
	route = fake_sentinels(0, "fgh");
	fake_all_name(route, NAMES("d"), 0);
}

/* Two of three members have granted the lock while the Sentinels of the third were down. */
static void an_unknown_primary_is_looked_up_for_a_renewal(void)
{
	begin_unknown();
	watching_keep("k", TTL);
	watching_to(10000);
	CHECK_COUNT("d1 renew", 1);
	CHECK_COUNT("f1 renew", 0);
	watching_to(20000);
	CHECK_COUNT("d1 renew", 2);
	CHECK_INT(fake_stats.lost, 0);
}

static void a_primary_may_stay_unknown(void)
{
	begin_unknown();
	fake_seeds_refuse(route, 190);
	watching_keep("k", TTL);
	watching_to(60000);
	CHECK_INT(fake_stats.lost, 0);
	CHECK_INT(fake_stats.renewed, 6);
	CHECK(fake_stats.sentinel_lookups < 200);
}

static void an_unknown_primary_is_looked_up_without_the_check_as_well(void)
{
	begin_unknown();
	route->check_ns = RL_NEVER;
	watching_keep("k", TTL);
	watching_to(10500);
	CHECK_COUNT("d1 renew", 1);
}

static void an_unknown_primary_is_looked_up_for_a_late_release(void)
{
	begin_unknown();
	watching_hand_over();
	watching_to(1000);
	CHECK_COUNT("d1 RELEASE", 1);
	CHECK_INT(fake_stats.late_releases_done, 1);
}

static void a_late_release_waits_for_the_sentinels(void)
{
	begin_unknown();
	fake_none_answers(route);
	watching_hand_over();
	watching_to(5000);
	CHECK_INT(fake_stats.late_releases_done, 0);
	fake_all_name(route, NAMES("d"), 0);
	fake_kill_seeds(route);
	watching_to(10000);
	CHECK_COUNT("d1 RELEASE", 1);
	CHECK_INT(fake_stats.late_releases_done, 1);
}

static void a_late_release_of_a_primary_that_never_comes_ends(void)
{
	begin_unknown();
	fake_none_answers(route);
	watching_hand_over();
	watching_to(31000);
	CHECK_INT(fake_stats.late_releases_dropped, 1);
	CHECK_INT(watching.late_count, 0);
	CHECK(fake_stats.sentinel_lookups < 60);
}

static void two_unknown_primaries_may_have_the_same_sentinels(void)
{
	watching_begin(2);
	route = fake_sentinels(0, "fgh");
	rl_route *other = fake_sentinels(1, "fgh");
	CHECK(rl_route_set_service(other, bytes_of("other")));
	fake_all_name(route, NAMES("d"), 0);
	watching_keep("k", TTL);
	watching_to(11000);
	CHECK_COUNT("d1 renew", 2);
	CHECK_INT(fake_stats.renewed, 1);
}

static const check_test tests[] = {
	TEST(an_unknown_primary_is_looked_up_for_a_renewal),
	TEST(a_primary_may_stay_unknown),
	TEST(an_unknown_primary_is_looked_up_without_the_check_as_well),
	TEST(an_unknown_primary_is_looked_up_for_a_late_release),
	TEST(a_late_release_waits_for_the_sentinels),
	TEST(a_late_release_of_a_primary_that_never_comes_ends),
	TEST(two_unknown_primaries_may_have_the_same_sentinels),
};

CHECK_MAIN(tests, watching_end)
