/* SPDX-License-Identifier: MIT
 *
 * The watch: when a lease is renewed, and which renewals are sent together.
 */
#include "check.h"
#include "watching.h"

#include <stdio.h>
#include <string.h>

/* ---- the times of renewals ---- */

static void a_lease_is_due_when_a_third_of_its_proof_has_passed(void)
{
	watching_begin(1);
	rl_renewal *one = watching_keep("k", TTL);
	watching_to(9999);
	CHECK_LOG("");
	CHECK_INT(watching_left(one), 20001);
	watching_to(19999);
	CHECK_LOG("10000 a1 dial\n10000 a1 renew k tok 30002\n10000 a1 NAME\n");
	CHECK_INT(watching_left(one), 20001);
	watching_to(20000);
	CHECK_COUNT("renew", 2);
	CHECK_COUNT("dial", 1);
	CHECK_INT(watching_left(one), 30000);
	CHECK_INT(fake_stats.renewed, 2);
	CHECK_INT(fake_stats.lost, 0);
}

static void a_lease_is_not_proven_for_the_drift(void)
{
	watching_begin(1);
	fake_set.drift_factor = 0.1;
	rl_renewal *one = watching_keep("k", 30020); /* less 3002 and 2 */
	watching_to(9005);
	CHECK_LOG("");
	watching_to(9006);
	CHECK_COUNT("renew k tok 30020", 1);
	CHECK_INT(watching_left(one), 30020 - 3002 - 2 - 1); /* since 9005.33 ms */
}

static void a_renewal_proves_from_its_sending(void)
{
	watching_begin(1);
	rl_renewal *one = watching_keep("k", TTL);
	fake_acts(0, FAKE_SAY, ":1", 900 * MS);
	watching_to(10899);
	CHECK_INT(watching_left(one), 30000 - 10899);
	watching_to(10900);
	CHECK_INT(watching_left(one), 30000 - 900);
	/* The next renewal is due after a third of the proof that is left then. */
	watching_to(10900 + 29100 / 3 - 1);
	CHECK_COUNT("renew", 1);
	watching_to(10900 + 29100 / 3);
	CHECK_COUNT("renew", 2);
}

static void each_lease_is_renewed_in_its_own_time(void)
{
	watching_begin(1);
	watching_keep("long", TTL);
	watching_keep("short", 3002);
	watching_to(7499);
	CHECK_COUNT("renew short", 7);
	CHECK_COUNT("renew long", 0);
	CHECK_HAS(fake_log(), "1000 a1 renew short tok 3002\n1000 a1 NAME\n2000 a1 renew short");
}

static void a_prepared_lease_is_left_alone(void)
{
	watching_begin(1);
	rl_renewal *one = watching_prepare("k");
	watching_to(60000);
	CHECK_LOG("");
	CHECK_INT(watching_steps, 0);
	watching_win(one, TTL);
	watching_to(70000);
	CHECK_COUNT("70000 a1 renew k", 1);
}

static void the_watch_makes_no_step_between_renewals(void)
{
	watching_begin(1);
	watching_keep("k", TTL);
	watching_to(10000);
	unsigned steps = watching_steps;
	watching_to(19999);
	CHECK_INT(watching_steps, steps);
}

static void the_watch_sees_only_the_end_of_a_lease_without_renewal(void)
{
	watching_begin(1);
	rl_renewal *one = watching_prepare("k");
	one->renews = false;
	watching_tell(one);
	watching_win(one, TTL);
	watching_to(29999);
	CHECK_INT(watching_steps, 0);
	watching_to(40000);
	CHECK_INT(watching_losses, 1);
	CHECK_INT(watching_steps, 1);
	CHECK_LOG("");
	CHECK_INT(fake_stats.lost, 1);
}

static void a_lease_is_renewed_as_soon_as_another_ref_wants_it(void)
{
	watching_begin(1);
	rl_renewal *one = watching_prepare("k");
	one->renews = false;
	watching_win(one, TTL);
	watching_to(12000);
	CHECK_LOG("");
	one->renews = true;
	rl_renewer_changed(one);
	watching_to(12000);
	CHECK_COUNT("12000 a1 renew k tok 30002", 1);
}

/* ---- leases that their owner changes ---- */

static void a_shorter_ttl_is_due_sooner(void)
{
	watching_begin(1);
	rl_renewal *one = watching_keep("k", TTL);
	watching_to(5000);
	rl_lease_expect(one->lease, 3002 * MS);
	rl_renewer_changed(one);
	CHECK(rl_lease_confirm(one->lease, 3002 * MS, fake_clock));
	rl_renewer_changed(one);
	watching_to(5999);
	CHECK_LOG("");
	watching_to(6000);
	CHECK_COUNT("renew k tok 3002\n", 1);
	watching_to(8000);
	CHECK_COUNT("renew k tok 3002\n", 3);
}

static void the_next_renewal_sets_a_longer_ttl(void)
{
	watching_begin(1);
	rl_renewal *one = watching_keep("k", TTL);
	watching_to(5000);
	rl_lease_expect(one->lease, 90002 * MS);
	rl_renewer_changed(one);
	CHECK(rl_lease_confirm(one->lease, 90002 * MS, fake_clock));
	rl_renewer_changed(one);
	watching_to(10000); /* no later than was planned */
	CHECK_COUNT("10000 a1 renew k tok 90002\n", 1);
	watching_to(39999);
	CHECK_COUNT("renew", 1);
	watching_to(40000);
	CHECK_COUNT("40000 a1 renew k tok 90002\n", 1);
}

/* ---- together ---- */

static void many_renewals_are_one_write(void)
{
	watching_begin(1);
	for (int i = 0; i < 100; i++) {
		char key[16];
		snprintf(key, sizeof key, "k%d", i);
		watching_keep(key, TTL);
	}
	watching_to(19999);
	CHECK_COUNT("10000 a1 renew", 100);
	CHECK_INT(fake_writes, 1);
	CHECK_COUNT("dial", 1);
	watching_to(20000);
	CHECK_COUNT("20000 a1 renew", 100);
	CHECK_INT(fake_writes, 2);
	CHECK_INT(fake_stats.renewed, 200);
}

/* Within a twelfth of their TTL, here 2500 ms. */
static void leases_that_are_due_soon_go_along(void)
{
	watching_begin(1);
	watching_keep("first", TTL);
	watching_to(1000);
	watching_keep("second", TTL);
	watching_to(2500);
	watching_keep("third", TTL);
	watching_to(2501);
	watching_keep("fourth", TTL);
	watching_to(10000);
	CHECK_LOG("10000 a1 dial\n"
			  "10000 a1 renew first tok 30002\n"
			  "10000 a1 NAME\n"
			  "10000 a1 renew second tok 30002\n"
			  "10000 a1 renew third tok 30002\n");
	CHECK_INT(fake_writes, 1);
	watching_to(12501);
	CHECK_COUNT("12501 a1 renew fourth", 1);
	/* From now on the four leases are renewed together. */
	watching_to(20000);
	CHECK_COUNT("20000 a1 renew", 3);
}

static void near_is_relative_to_the_ttl(void)
{
	watching_begin(1);
	watching_keep("long", TTL);
	watching_to(9100);
	watching_keep("short", 3002); /* due at 10100, and 250 ms are near */
	watching_to(9150);
	watching_keep("none", 3002); /* due at 10150 */
	watching_to(9300);
	watching_keep("later", 3002); /* due at 10300 */
	watching_to(10000);
	CHECK_COUNT("10000 a1 renew", 3);
	CHECK_COUNT("renew later", 0);
}

static void leases_that_end_or_wait_for_an_answer_do_not_go_along(void)
{
	watching_begin(1);
	fake_set.members[0].timeout_ns = 60 * SECOND;
	watching_keep("first", TTL);
	rl_renewal *second = watching_prepare("second");
	second->renews = false;
	watching_win(second, TTL);
	watching_to(100);
	watching_keep("third", TTL);
	fake_acts(0, FAKE_SAY, ":1", 400 * MS); /* for the first lease */
	watching_to(10000);
	CHECK_COUNT("renew first", 1);
	CHECK_COUNT("renew second", 0);
	CHECK_COUNT("renew third", 1);
	watching_to(10300);
	CHECK_COUNT("renew", 2);
}

/* ---- servers ---- */

static void each_server_has_one_connection(void)
{
	watching_begin(1);
	rl_target same = fake_targets[0];
	rl_target other_user = fake_targets[0];
	other_user.user = (char *) (uintptr_t) "me";
	other_user.password = (rl_secret){(char *) (uintptr_t) "word", 4};
	rl_target *targets[] = {&fake_targets[0], &fake_targets[1], &same, &other_user};
	for (int i = 0; i < 4; i++) {
		char key[16];
		snprintf(key, sizeof key, "k%d", i);
		fake_set.members[0].target = targets[i];
		watching_keep(key, TTL);
	}
	watching_to(10000);
	CHECK_COUNT("dial", 3);
	CHECK_COUNT("a2 AUTH me word", 1);
	CHECK_COUNT("a2 renew k3", 1);
	CHECK_COUNT("b1 renew k1", 1);
	CHECK_COUNT("a1 renew k0", 1);
	CHECK_COUNT("a1 renew k2", 1);
	/* The idle connections need no look. */
	rl_renewer_cursor cursor = {0};
	CHECK(rl_renewer_next_link(&watching, &cursor) == NULL);
	CHECK_INT(watching.errands.pool.count, 3);
}

/* The thread waits for the links on which an answer is to come, and for no others. */
static void only_the_links_with_commands_under_way_are_looked_at(void)
{
	watching_begin(3);
	watching_keep("k", TTL);
	fake_acts(0, FAKE_SAY, ":1", 20 * MS);
	fake_acts(1, FAKE_SAY, ":1", 10 * MS);
	for (int i = 2; i >= 0; i--) {
		rl_renewer_cursor cursor = {0};
		watching_to(10000 + 10 * (2 - i));
		for (int j = 0; j < i; j++) {
			CHECK(rl_renewer_next_link(&watching, &cursor) != NULL);
		}
		CHECK(rl_renewer_next_link(&watching, &cursor) == NULL);
	}
	CHECK_INT(watching.errands.pool.count, 3);
}

static void the_targets_are_the_watchs_own(void)
{
	watching_begin(1);
	static char host[] = "b";
	rl_target mine = fake_targets[0];
	mine.address.host = host;
	fake_set.members[0].target = &mine;
	watching_keep("k", TTL);
	memset(host, 'x', 1);
	memset(&mine, 0xa5, sizeof mine);
	watching_to(10000);
	CHECK_COUNT("b1 renew k", 1);
}

static void a_connection_is_kept_for_the_leases_to_come(void)
{
	watching_begin(1);
	watching_keep("k", TTL);
	watching_to(10000);
	watching_let_go(watching_keep("l", TTL), true);
	for (int i = 0; i < 3; i++) {
		watching_keep("m", TTL);
		watching_to(20000 + i * 10000);
	}
	CHECK_COUNT("dial", 1);
	CHECK_COUNT("close", 0);
}

static void use_and_let_go(rl_target *target)
{
	fake_set.members[0].target = target;
	rl_renewal *one = watching_keep("k", 32);
	watching_to(fake_ms() + 10);
	watching_let_go(one, true);
}

/* The pool bounds the number of idle connections. The sets of eight servers without a lease are
 * kept, those that were used last. */
static void connections_that_no_lease_needs_are_idle(void)
{
	watching_begin(1);
	rl_target targets[11];
	static char names[11][16];
	for (int i = 0; i < 11; i++) {
		targets[i] = fake_targets[0];
		snprintf(names[i], sizeof names[i], "u%d", i);
		targets[i].user = names[i];
		targets[i].password = (rl_secret){(char *) (uintptr_t) "word", 4};
		use_and_let_go(&targets[i]);
		if (i == 5) {
			use_and_let_go(&targets[0]);
		}
	}
	CHECK_COUNT("renew", 12);
	watching_keep("l", 32); /* of the last one's */
	watching_to(fake_ms() + 10);
	CHECK_COUNT("dial", 11);
	CHECK_COUNT("close", 0);
	CHECK_INT(fake_open_links(), 11);
	CHECK_INT(watching.errands.pool.count, 11);
	unsigned sets = 0;
	for (const rl_renewer_set *set = watching.errands.sets; set != NULL; set = set->next) {
		sets++;
	}
	CHECK_INT(sets, 1 + 8);
}

static const check_test tests[] = {
	TEST(a_lease_is_due_when_a_third_of_its_proof_has_passed),
	TEST(a_lease_is_not_proven_for_the_drift),
	TEST(a_renewal_proves_from_its_sending),
	TEST(each_lease_is_renewed_in_its_own_time),
	TEST(a_prepared_lease_is_left_alone),
	TEST(the_watch_makes_no_step_between_renewals),
	TEST(the_watch_sees_only_the_end_of_a_lease_without_renewal),
	TEST(a_lease_is_renewed_as_soon_as_another_ref_wants_it),
	TEST(a_shorter_ttl_is_due_sooner),
	TEST(the_next_renewal_sets_a_longer_ttl),
	TEST(many_renewals_are_one_write),
	TEST(leases_that_are_due_soon_go_along),
	TEST(near_is_relative_to_the_ttl),
	TEST(leases_that_end_or_wait_for_an_answer_do_not_go_along),
	TEST(each_server_has_one_connection),
	TEST(only_the_links_with_commands_under_way_are_looked_at),
	TEST(the_targets_are_the_watchs_own),
	TEST(a_connection_is_kept_for_the_leases_to_come),
	TEST(connections_that_no_lease_needs_are_idle),
};

CHECK_MAIN(tests, watching_end)
