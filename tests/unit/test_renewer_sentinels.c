/* SPDX-License-Identifier: MIT
 *
 * The watch and leases behind Sentinels: a renewal counts once the Sentinels name the server that
 * granted it, and a lease follows its primary.
 *
 * The primary is server a or b, and the Sentinels are c, d and e.
 */
#include "check.h"
#include "fake_memory.h"
#include "fake_route.h"
#include "watching.h"

#include <stdio.h>
#include <string.h>

static rl_route *route;

static void clean_up(void)
{
	is_counting = false;
	watching_end();
}

/* The Sentinels have named this server to the lease's own thread. */
static void have_named(const char *server)
{
	CHECK(rl_route_name(route, bytes_of(server), 6379, fake_clock) != NULL);
}

static void begin(void)
{
	watching_begin(1);
	route = fake_sentinels(0, "cde");
	have_named("a");
	fake_all_name(route, NAMES("a"), 0);
}

static rl_renewal *keep(void)
{
	begin();
	return watching_keep("k", TTL);
}

static void switch_to_b(int64_t delay)
{
	fake_all_name(route, NAMES("b"), delay);
}

/* ---- the check ---- */

static void a_renewal_counts_once_the_primary_is_named(void)
{
	rl_renewal *one = keep();
	fake_all_name(route, NAMES("a"), 30 * MS);
	watching_to(10029);
	CHECK_COUNT("10000 a1 renew k tok 30002", 1);
	CHECK_COUNT("10000 c1 " LOOKUP, 1);
	CHECK_COUNT(LOOKUP, 3);
	CHECK_INT(fake_stats.renewed, 0);
	watching_to(10030);
	CHECK_INT(fake_stats.renewed, 1);
	CHECK_INT(watching_left(one), 29970); /* counted from the renewal */
	CHECK_INT(fake_stats.sentinel_lookups, 1);
	CHECK_COUNT("renew", 1);
}

/* Otherwise the thread would wake at once, again and again, until the Sentinels have answered. */
static void a_connection_that_breaks_during_the_check_is_not_looked_at(void)
{
	keep();
	fake_all_name(route, NAMES("a"), 30 * MS);
	watching_to(10010);
	fake_kill(0);
	watching_to(10020);
	rl_renewer_cursor cursor = {0};
	for (unsigned i = 0; i < 3; i++) {
		CHECK(rl_renewer_next_link(&watching, &cursor) != NULL); /* the Sentinels */
	}
	CHECK(rl_renewer_next_link(&watching, &cursor) == NULL);
	watching_to(10030);
	CHECK_INT(fake_stats.renewed, 1);
}

/* Leases of 3 s are renewed each second: of four renewals in a second one begins a lookup. */
static void a_young_lookup_serves_other_leases(void)
{
	begin();
	for (unsigned i = 0; i < 4; i++) {
		watching_keep(i % 2 == 0 ? "k" : "l", 3002);
		watching_to((int64_t) (i + 1) * 400);
	}
	watching_to(9000);
	CHECK(fake_stats.renewed >= 20);
	CHECK(fake_stats.sentinel_lookups <= fake_stats.renewed / 2);
	CHECK_INT(fake_stats.lost, 0);
}

static void many_leases_share_one_lookup(void)
{
	begin();
	for (unsigned i = 0; i < 20; i++) {
		char key[8];
		snprintf(key, sizeof key, "k%u", i);
		watching_keep(key, TTL);
	}
	fake_all_name(route, NAMES("a"), 30 * MS);
	watching_to(10030);
	CHECK_INT(fake_stats.renewed, 20);
	CHECK_INT(fake_stats.sentinel_lookups, 1);
}

static void without_the_check_no_sentinel_is_asked(void)
{
	begin();
	route->check_ns = RL_NEVER;
	watching_keep("k", TTL);
	watching_to(20000);
	CHECK_INT(fake_stats.renewed, 2);
	CHECK_COUNT("SENTINEL", 0);
}

/* A lease with a caller's token, which is never put back. */
static rl_renewal *keep_own_token(void)
{
	begin();
	rl_renewal *one = watching_prepare("k");
	one->lease->is_own_token = true;
	watching_win(one, TTL);
	return one;
}

/* The server refuses the renewal of a caller's token. */
static rl_renewal *refused_renewal(void)
{
	rl_renewal *one = keep_own_token();
	fake_says(0, ":0");
	return one;
}

static void a_refusal_counts_once_the_primary_is_named(void)
{
	rl_renewal *one = refused_renewal();
	fake_all_name(route, NAMES("a"), 30 * MS);
	watching_to(10029);
	CHECK(rl_lease_is_held(one->lease));
	watching_to(10030);
	CHECK(rl_lease_is_lost(one->lease));
}

/* Another server may be the primary by now, and may have the lock. */
static void a_refusal_without_sentinels_does_not_count(void)
{
	rl_renewal *one = refused_renewal();
	fake_none_answers(route);
	watching_to(15000);
	CHECK(rl_lease_is_held(one->lease));
}

static void a_refusal_of_an_old_primary_does_not_count(void)
{
	rl_renewal *one = refused_renewal();
	switch_to_b(30 * MS);
	watching_to(10030);
	CHECK_COUNT("10030 b1 renew", 1);
	CHECK(rl_lease_is_held(one->lease));
	CHECK_INT(fake_stats.renewed, 1);
}

/* ---- Sentinels that fail ---- */

/* Each try takes the time of a lookup; the lease is held while it is proven, and then lost. */
static void a_lease_without_sentinels_is_lost_by_the_clock(void)
{
	rl_renewal *one = keep();
	fake_none_answers(route);
	watching_to(29999);
	CHECK(rl_lease_is_held(one->lease));
	CHECK_INT(fake_stats.renewed, 0);
	unsigned renewals = fake_count("renew");
	CHECK(renewals >= 5 && renewals <= 40);
	watching_to(30100);
	CHECK(rl_lease_is_lost(one->lease));
	CHECK(fake_count("RELEASE k tok") + fake_count("release k tok") >= 1);
	CHECK_INT(fake_stats.lost, 1);
}

static void refused_sentinels_are_asked_at_a_pace(void)
{
	rl_renewal *one = keep();
	fake_seeds_refuse(route, 190);
	watching_to(25000);
	CHECK(rl_lease_is_held(one->lease));
	CHECK(fake_stats.sentinel_lookups >= 15 && fake_stats.sentinel_lookups <= 50);
}

static void sentinels_that_come_back_save_a_lease(void)
{
	rl_renewal *one = keep();
	fake_none_answers(route);
	watching_to(20000);
	fake_all_name(route, NAMES("a"), 0);
	fake_kill_seeds(route);
	watching_to(23000);
	CHECK(rl_lease_is_held(one->lease));
	CHECK(watching_left(one) > 15000);
	watching_to(60000);
	CHECK_INT(fake_stats.lost, 0);
}

/* ---- another primary ---- */

static void a_switch_takes_the_renewal_along(void)
{
	rl_renewal *one = keep();
	switch_to_b(30 * MS);
	watching_to(10030);
	CHECK_COUNT("10000 a1 renew k tok 30002", 1);
	CHECK_COUNT("10030 b1 renew k tok 30002", 1);
	CHECK_INT(fake_stats.renewed, 1);
	CHECK_INT(watching_left(one), 30000); /* what a has granted proves nothing */
	watching_to(20000);
	CHECK_COUNT("a1 renew", 1);
}

/* The switch comes before the answer of the old primary. */
static void a_switch_does_not_wait_for_the_old_primary(void)
{
	rl_renewal *one = keep();
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	switch_to_b(30 * MS);
	watching_to(10030);
	CHECK_COUNT("10030 b1 renew k tok 30002", 1);
	CHECK_INT(fake_stats.renewed, 1);
	CHECK_INT(watching_left(one), 30000);
	watching_to(20000);
	CHECK_INT(fake_stats.lost, 0);
}

static void a_lease_that_the_new_primary_does_not_have_is_lost(void)
{
	rl_renewal *one = keep_own_token();
	switch_to_b(30 * MS);
	fake_says(1, ":0");
	watching_to(10030);
	CHECK(rl_lease_is_lost(one->lease));
}

static void a_lease_that_the_new_primary_does_not_have_may_be_put_back(void)
{
	watching_begin(3);
	route = fake_sentinels(0, "fgh");
	have_named("d");
	fake_all_name(route, NAMES("e"), 5 * MS);
	watching_keep("k", TTL);
	fake_says(4, ":0");
	fake_says(4, "+OK");
	watching_to(10200);
	CHECK_COUNT("e1 SET k tok NX PX", 1);
	CHECK_COUNT("d1 SET", 0);
}

static void a_primary_that_refuses_is_looked_up(void)
{
	rl_renewal *one = keep();
	fake_refuses(0, 100);
	switch_to_b(5 * MS);
	watching_to(10100);
	CHECK_COUNT("b1 renew", 1);
	CHECK_INT(fake_stats.renewed, 1);
	CHECK(watching_left(one) >= 29900);
}

/* The connection breaks, and the Sentinels need a while until they agree. */
static void a_primary_that_dies_is_followed(void)
{
	rl_renewal *one = keep();
	watching_to(10000);
	fake_kill(0);
	fake_refuses(0, 190);
	watching_to(22000);
	CHECK(rl_lease_is_held(one->lease));
	switch_to_b(0);
	watching_to(24000);
	CHECK_COUNT("b1 renew", 1);
	CHECK_INT(fake_stats.renewed, 2);
	watching_to(60000);
	CHECK_INT(fake_stats.lost, 0);
}

static void readonly_is_looked_up(void)
{
	keep();
	fake_says(0, "-READONLY x");
	switch_to_b(5 * MS);
	watching_to(10100);
	CHECK_COUNT("b1 renew", 1);
	CHECK_INT(fake_stats.renewed, 1);
}

/* ---- the owner ---- */

static void a_lease_released_during_the_check_sends_nothing(void)
{
	rl_renewal *one = keep();
	fake_none_answers(route);
	watching_to(10010);
	fake_forget_log();
	watching_let_go(one, true);
	watching_to(13000);
	CHECK_COUNT("a1", 0);
}

/* The server has answered the renewal, so the owner's own release comes after it anyway. */
static void a_lease_may_be_paused_during_the_check(void)
{
	rl_renewal *one = keep();
	fake_all_name(route, NAMES("a"), 30 * MS);
	watching_to(10010);
	rl_renewer_pause(one);
	watching_to(11000);
	CHECK_COUNT("renew", 1);
	CHECK_INT(fake_stats.renewed, 0);
	rl_lease_end(one->lease);
}

static void a_lease_may_be_paused_before_a_switch(void)
{
	rl_renewal *one = keep();
	switch_to_b(30 * MS);
	watching_to(10010);
	rl_renewer_pause(one);
	watching_to(11000);
	CHECK_COUNT("b1", 0);
	rl_lease_end(one->lease);
}

static void a_lease_may_be_lost_during_the_check(void)
{
	rl_renewal *one = keep();
	fake_none_answers(route);
	fake_acts(0, FAKE_SAY, ":1", 0);
	watching_to(29950);
	watching_to(30500);
	CHECK(rl_lease_is_lost(one->lease));
	switch_to_b(0);
	watching_to(40000);
	CHECK(rl_renewal_is_released(one));
}

static void a_forked_child_forgets_the_lookup(void)
{
	keep();
	fake_none_answers(route);
	watching_to(10010);
	watching_fork();
	CHECK_COUNT("RELEASE", 0);
	CHECK_COUNT(" end", 0);
	CHECK_COUNT("close", 4);
	CHECK(watching.errands.sets == NULL);
}

/* ---- late releases ---- */

static void a_late_release_follows_its_primary(void)
{
	begin();
	fake_refuses(0, 100);
	switch_to_b(5 * MS);
	watching_hand_over();
	watching_to(1000);
	CHECK_COUNT("b1 RELEASE", 1);
	CHECK_INT(fake_stats.late_releases_done, 1);
}

/* An old primary may have confirmed it. */
static void a_late_release_counts_once_the_primary_is_named(void)
{
	begin();
	route->named_at = 0;
	fake_none_answers(route);
	watching_hand_over();
	watching_to(5000);
	CHECK(fake_count("a1 RELEASE") >= 2);
	CHECK_INT(fake_stats.late_releases_done, 0);
	fake_all_name(route, NAMES("b"), 0);
	fake_kill_seeds(route);
	watching_to(10000);
	CHECK_COUNT("b1 RELEASE", 1);
	CHECK_INT(fake_stats.late_releases_done, 1);
}

/* The lookup that follows READONLY fails after the connection is gone. */
static void a_replica_may_be_all_that_is_known(void)
{
	rl_renewal *one = keep();
	fake_says(0, "-READONLY x");
	fake_seeds_refuse(route, 3);
	watching_to(10500);
	CHECK(rl_lease_is_held(one->lease));
	watching_to(20000);
	CHECK(fake_stats.renewed >= 1);
	CHECK(rl_lease_is_held(one->lease));
}

/* ---- servers and routes that are kept ---- */

/* The thread that waits for the links of a lookup does not hold the lock: no other thread may close
 * these links. */
static void links_are_closed_by_steps_alone(void)
{
	static const char *const sentinels[] = {"c", "d", "e", "f", "g", "h", "cd", "ce", "cf", "cg",
		"ch", "de", "df", "dg", "dh", "ef", "eg", "eh", "fg", "fh"};
	watching_begin(1);
	for (unsigned i = 0; i < 20; i++) {
		route = fake_sentinels(0, sentinels[i]);
		have_named("a");
		fake_none_answers(route);
		fake_forget_log();
		rl_renewal *one = watching_keep("k", TTL);
		CHECK_COUNT("close", 0);
		watching_to((i + 1) * 10100);
		CHECK(fake_stats.sentinel_lookups > i);
		watching_let_go(one, true);
		rl_route_unref(route);
		fake_set.members[0].route = NULL;
	}
	unsigned sets = 0;
	for (const rl_renewer_set *set = watching.errands.sets; set != NULL; set = set->next) {
		sets++;
	}
	CHECK_INT(sets, 1 + 8); /* the last one became idle after the step */
	fake_set.members[0].target = &fake_targets[0];
}

/* ---- without memory ---- */

static bool prepare_and_renew(void)
{
	begin();
	fake_memory_fails();
	rl_renewal *one = watching_prepare("k");
	fake_memory_works();
	bool is_prepared = one != NULL;
	if (is_prepared) {
		watching_win(one, TTL);
		watching_to(10000);
		CHECK_INT(fake_stats.renewed, 1);
	}
	watching_end();
	return is_prepared;
}

static void a_lease_behind_sentinels_may_lack_memory(void)
{
	CHECK(fake_memory_until(prepare_and_renew) >= 9);
}

static void check_and_switch(void)
{
	rl_renewal *one = keep();
	switch_to_b(10 * MS);
	watching_to(9999);
	fake_memory_fails();
	watching_to(12000);
	fake_memory_works();
	watching_to(15000);
	CHECK(rl_lease_is_held(one->lease));
	CHECK(fake_count("b1 renew") + fake_count("b2 renew") >= 1);
	CHECK(fake_stats.renewed >= 1);
	watching_end();
}

static void the_check_and_a_switch_may_lack_memory(void)
{
	CHECK(fake_memory_each(1, check_and_switch) > 10);
}

static const check_test tests[] = {
	TEST(a_renewal_counts_once_the_primary_is_named),
	TEST(a_connection_that_breaks_during_the_check_is_not_looked_at),
	TEST(a_young_lookup_serves_other_leases),
	TEST(many_leases_share_one_lookup),
	TEST(without_the_check_no_sentinel_is_asked),
	TEST(a_refusal_counts_once_the_primary_is_named),
	TEST(a_refusal_without_sentinels_does_not_count),
	TEST(a_refusal_of_an_old_primary_does_not_count),
	TEST(a_lease_without_sentinels_is_lost_by_the_clock),
	TEST(refused_sentinels_are_asked_at_a_pace),
	TEST(sentinels_that_come_back_save_a_lease),
	TEST(a_switch_takes_the_renewal_along),
	TEST(a_switch_does_not_wait_for_the_old_primary),
	TEST(a_lease_that_the_new_primary_does_not_have_is_lost),
	TEST(a_lease_that_the_new_primary_does_not_have_may_be_put_back),
	TEST(a_primary_that_refuses_is_looked_up),
	TEST(a_primary_that_dies_is_followed),
	TEST(readonly_is_looked_up),
	TEST(a_lease_released_during_the_check_sends_nothing),
	TEST(a_lease_may_be_paused_during_the_check),
	TEST(a_lease_may_be_paused_before_a_switch),
	TEST(a_lease_may_be_lost_during_the_check),
	TEST(a_forked_child_forgets_the_lookup),
	TEST(a_late_release_follows_its_primary),
	TEST(a_late_release_counts_once_the_primary_is_named),
	TEST(a_replica_may_be_all_that_is_known),
	TEST(links_are_closed_by_steps_alone),
	TEST(a_lease_behind_sentinels_may_lack_memory),
	TEST(the_check_and_a_switch_may_lack_memory),
};

CHECK_MAIN(tests, clean_up)
