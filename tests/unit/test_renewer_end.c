/* SPDX-License-Identifier: MIT
 *
 * The watch and owners that end their leases, while nothing, or a renewal, is under way.
 */
#include "check.h"
#include "watching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A lease whose renewal is in flight at 10 s, and is answered a second later at most. */
static rl_renewal *fly(void)
{
	watching_begin(1);
	rl_renewal *one = watching_keep("k", TTL);
	fake_acts(0, FAKE_SAY, ":1", 500 * MS);
	watching_to(10000);
	fake_forget_log();
	return one;
}

static void check_is_not_renewed(const rl_renewal *one)
{
	CHECK_INT(fake_stats.renewed, 0);
	CHECK_INT(fake_stats.lost, 0);
	CHECK_INT(one->lease->in_flight, 0);
}

/* ---- a pause ---- */

static void a_paused_lease_is_not_renewed(void)
{
	watching_begin(1);
	rl_renewal *one = watching_keep("k", TTL);
	watching_to(9999);
	rl_renewer_pause(one);
	rl_renewer_pause(one);
	rl_renewer_changed(one);
	watching_to(60000);
	CHECK_LOG("");
	check_is_not_renewed(one);
}

static void a_renewal_that_waits_for_the_connection_is_not_sent(void)
{
	watching_begin(1);
	rl_renewal *one = watching_keep("k", TTL);
	fake_dials(0, FAKE_ACCEPT, 100 * MS);
	watching_to(10050);
	CHECK_INT(one->lease->in_flight, 1);
	rl_renewer_pause(one);
	watching_to(60000);
	CHECK_LOG("10000 a1 dial\n");
	check_is_not_renewed(one);
	/* Other leases can use the connection. */
	watching_keep("l", TTL);
	watching_to(70000);
	CHECK_COUNT("70000 a1 renew l", 1);
}

static void an_answer_after_the_pause_does_not_count(void)
{
	static const char *const answers[] = {":1", ":0", "-WRONGTYPE x", "-LOADING x", "-NOSCRIPT x"};
	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
		watching_begin(1);
		rl_renewal *one = watching_keep("k", TTL);
		fake_acts(0, FAKE_SAY, answers[i], 500 * MS);
		watching_to(10000);
		rl_renewer_pause(one);
		int64_t proof = one->lease->proof;
		fake_forget_log();
		watching_to(20000);
		CHECK_LOG("");
		CHECK_INT(one->lease->proof, proof);
		check_is_not_renewed(one);
		CHECK(rl_lease_is_held(one->lease));
		watching_end();
	}
}

static void a_renewal_in_flight_is_not_sent_again_after_the_pause(void)
{
	static const fake_act breaks[] = {FAKE_BREAK, FAKE_NONSENSE, FAKE_HALF};
	for (size_t i = 0; i < sizeof breaks / sizeof breaks[0]; i++) {
		watching_begin(1);
		rl_renewal *one = watching_keep("k", TTL);
		fake_acts(0, breaks[i], NULL, 500 * MS);
		watching_to(10000);
		rl_renewer_pause(one);
		fake_forget_log();
		watching_to(20000);
		CHECK_COUNT("dial", 0);
		CHECK_COUNT("renew", breaks[i] == FAKE_HALF); /* half of it had gone out */
		check_is_not_renewed(one);
		watching_end();
	}
}

static bool says_no_to_k2(const char *words, bool is_taken, fake_plan *plan)
{
	(void) is_taken;
	*plan = (fake_plan){FAKE_SAY, strstr(words, "k2") != NULL ? ":0" : ":1", 500 * MS};
	return true;
}

/* The renewal waits for its connection, or its connection breaks: nothing is sent after the pause,
 * and no server is dialled. */
static void a_paused_lease_dials_no_server(void)
{
	for (int i = 0; i < 2; i++) {
		watching_begin(1);
		if (i == 0) {
			fake_dials(0, FAKE_ACCEPT, 50 * MS);
		} else {
			fake_says(0, ":1"); /* the server was heard, and would be dialled at once */
			fake_acts(0, FAKE_BREAK, NULL, 50 * MS);
		}
		rl_renewal *one = watching_keep("k", TTL);
		watching_to(10010 + i * 10000);
		rl_renewer_pause(one);
		watching_to(60000);
		CHECK_COUNT("dial", 1);
		CHECK_COUNT("renew", 2 * i);
		rl_lease_end(one->lease);
		watching_end();
	}
}

static void other_leases_get_their_own_answers(void)
{
	watching_begin(1);
	fake_improvise = says_no_to_k2;
	rl_renewal *all[4];
	for (int i = 0; i < 4; i++) {
		char key[16];
		snprintf(key, sizeof key, "k%d", i);
		all[i] = watching_keep(key, TTL);
	}
	watching_to(10000);
	watching_let_go(all[1], true);
	watching_to(10500);
	CHECK_INT(watching_left(all[0]), 29500);
	CHECK(rl_lease_is_lost(all[2]->lease));
	CHECK_INT(watching_left(all[3]), 29500);
}

/* ---- the end ---- */

static void a_lease_that_was_released_needs_no_further_command(void)
{
	rl_renewal *one = fly();
	watching_let_go(one, true);
	watching_to(60000);
	CHECK_LOG("");
	CHECK_INT(watching.heap.count, 0);
	CHECK_INT(watching.all_count, 0);
}

static void a_lease_that_could_not_be_released_is_released_after_its_renewal(void)
{
	rl_renewal *one = fly();
	watching_let_go(one, false);
	CHECK_LOG("10000 a1 RELEASE k tok\n");
	watching_to(60000);
	CHECK_LOG("10000 a1 RELEASE k tok\n");
	watching_keep("l", TTL);
	watching_to(70000);
	CHECK_INT(fake_stats.renewed, 1);
	CHECK_COUNT("dial", 0);
}

static void a_release_that_failed_follows_the_renewal_under_way(void)
{
	rl_renewal *one = fly();
	rl_renewer_pause(one);
	CHECK(rl_lease_leave(one->lease));
	watching_to(10100); /* and not answered */
	watching_let_go(one, false);
	CHECK_LOG("10100 a1 RELEASE k tok\n");
}

/* It arrives before the release that the owner has left to the watch. */
static void a_release_after_the_renewal_leaves_the_mark_of_work_that_is_done(void)
{
	rl_renewal *one = fly();
	one->lease->done_ms = 60000;
	watching_let_go(one, false);
	CHECK_LOG("10000 a1 RELEASE k tok - - - 60000\n");
}

static void a_lease_without_a_renewal_in_flight_is_not_released(void)
{
	watching_begin(1);
	rl_renewal *one = watching_keep("k", TTL);
	watching_to(15000);
	fake_forget_log();
	watching_let_go(one, false); /* the key keeps its TTL, as its owner expects */
	watching_to(60000);
	CHECK_LOG("");
}

static void a_lease_that_is_lost_is_not_released(void)
{
	rl_renewal *one = fly();
	rl_renewer_pause(one);
	rl_lease_lose(one->lease);
	watching_let_go(one, false);
	watching_to(60000);
	CHECK_LOG("");
}

static void a_lease_with_a_callers_token_is_not_released(void)
{
	rl_renewal *one = fly();
	one->lease->is_own_token = true;
	watching_let_go(one, false);
	watching_to(60000);
	CHECK_LOG("");
}

static void a_lease_whose_connection_has_broken_is_not_released(void)
{
	watching_begin(1);
	fake_dials(0, FAKE_ACCEPT, 0);
	fake_acts(0, FAKE_BREAK, NULL, 50 * MS);
	fake_refuses(0, 100);
	rl_renewal *one = watching_keep("k", TTL);
	watching_to(10100);
	CHECK_COUNT("renew", 1);
	watching_let_go(one, false);
	watching_to(60000);
	CHECK_COUNT("RELEASE", 0);
}

static void a_release_is_written_once_the_system_takes_it(void)
{
	rl_renewal *one = fly();
	fake_acts(0, FAKE_HALF, NULL, 50 * MS);
	watching_let_go(one, false);
	CHECK_LOG("");
	CHECK(watching.until <= fake_clock); /* the thread must learn that there are bytes to write */
	watching_to(60000);
	CHECK_LOG("10050 a1 RELEASE k tok\n");
}

static void a_lease_that_was_never_won_ends_without_a_command(void)
{
	watching_begin(1);
	rl_renewal *one = watching_prepare("k");
	watching_let_go(one, false);
	rl_lease *lease = rl_lease_new(&fake_env, bytes_of("k"), 0, 16, 0, RL_NAMES_PLAIN);
	rl_renewal *other = rl_renewal_new(&fake_set, lease);
	rl_renewer_remove(other);
	free(other);
	rl_lease_free(lease);
	CHECK_LOG("");
}

/* Each lease has a renewal in flight and a release after it. So many runs of pending replies do not
 * fit into a connection. */
static void a_server_that_hangs_while_many_end_is_outlived(void)
{
	watching_begin(1);
	fake_set.members[0].timeout_ns = 300 * MS;
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	for (int i = 0; i < 30; i++) {
		char key[16];
		snprintf(key, sizeof key, "k%d", i);
		rl_renewal *one = watching_keep(key, 32); /* due after 10 ms */
		watching_to(10 * (i + 1));
		watching_let_go(one, false);
	}
	CHECK_COUNT("RELEASE k0 tok", 1);
	rl_renewal *last = watching_keep("last", 3002);
	watching_to(3000);
	CHECK(watching_left(last) >= 2000);
	CHECK_INT(fake_stats.lost, 0);
}

static const check_test tests[] = {
	TEST(a_paused_lease_is_not_renewed),
	TEST(a_renewal_that_waits_for_the_connection_is_not_sent),
	TEST(an_answer_after_the_pause_does_not_count),
	TEST(a_renewal_in_flight_is_not_sent_again_after_the_pause),
	TEST(a_paused_lease_dials_no_server),
	TEST(other_leases_get_their_own_answers),
	TEST(a_lease_that_was_released_needs_no_further_command),
	TEST(a_lease_that_could_not_be_released_is_released_after_its_renewal),
	TEST(a_release_that_failed_follows_the_renewal_under_way),
	TEST(a_release_after_the_renewal_leaves_the_mark_of_work_that_is_done),
	TEST(a_lease_without_a_renewal_in_flight_is_not_released),
	TEST(a_lease_that_is_lost_is_not_released),
	TEST(a_lease_with_a_callers_token_is_not_released),
	TEST(a_lease_whose_connection_has_broken_is_not_released),
	TEST(a_release_is_written_once_the_system_takes_it),
	TEST(a_lease_that_was_never_won_ends_without_a_command),
	TEST(a_server_that_hangs_while_many_end_is_outlived),
};

CHECK_MAIN(tests, watching_end)
