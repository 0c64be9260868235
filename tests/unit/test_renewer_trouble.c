/* SPDX-License-Identifier: MIT
 *
 * The watch and a network that fails: which commands are sent again, when, and until when. Failures
 * alone lose no lease as long as ownership is proven.
 */
#include "check.h"
#include "watching.h"

#include <stdio.h>
#include <string.h>

/* A lease that is due at 10 s and proven until 30 s. */
static rl_renewal *keep(void)
{
	return watching_keep_told("k", TTL);
}

static void all_stay_silent(void)
{
	for (int i = 0; i < 100; i++) {
		fake_acts(0, FAKE_SILENCE, NULL, 0);
	}
}

/* ---- connections that end ---- */

static void an_idle_connection_that_was_closed_is_replaced_when_it_is_needed(void)
{
	watching_begin(1);
	rl_renewal *one = keep();
	watching_to(15000);
	fake_kill(0);
	watching_to(19999);
	CHECK_COUNT("dial", 1);
	CHECK_COUNT("15000 a1 close", 1);
	watching_to(20000);
	CHECK_COUNT("20000 a2 dial\n20000 a2 renew k tok 30002\n", 1);
	CHECK_INT(watching_left(one), 30000);
}

static void a_connection_that_breaks_in_flight_is_replaced_at_once(void)
{
	static const fake_act breaks[] = {
		FAKE_BREAK, FAKE_BREAK_UNSENT, FAKE_BREAK_HALF, FAKE_NONSENSE};
	for (size_t i = 0; i < sizeof breaks / sizeof breaks[0]; i++) {
		watching_begin(1);
		rl_renewal *one = keep();
		fake_acts(0, breaks[i], NULL, 0);
		watching_to(10000);
		CHECK_COUNT("10000 a1 close\n10000 a2 dial\n10000 a2 renew k tok 30002\n", 1);
		CHECK_INT(watching_left(one), 30000);
		CHECK_INT(fake_stats.renewed, 1);
		watching_end();
	}
}

static void renewals_in_flight_are_sent_again_in_one_write(void)
{
	watching_begin(1);
	for (int i = 0; i < 40; i++) {
		char key[16];
		snprintf(key, sizeof key, "k%d", i);
		watching_keep(key, TTL);
	}
	for (int i = 0; i < 10; i++) {
		fake_says(0, ":1");
	}
	fake_acts(0, FAKE_BREAK, NULL, 100 * MS);
	watching_to(10100);
	CHECK_COUNT("10000 a1 renew", 11); /* the other 29 renewals were lost */
	CHECK_COUNT("10000 a1 lost: renew", 29);
	CHECK_COUNT("10100 a2 renew", 30);
	CHECK_INT(fake_writes, 2);
	CHECK_INT(fake_stats.renewed, 40);
}

static void pauses_between_dials_grow(void)
{
	watching_begin(1);
	rl_renewal *one = keep();
	fake_refuses(0, 100);
	watching_to(12000);
	CHECK_LOG("10000 a1 dial\n10000 a2 dial\n10010 a3 dial\n10030 a4 dial\n10070 a5 dial\n"
			  "10150 a6 dial\n10310 a7 dial\n10630 a8 dial\n11130 a9 dial\n11630 a10 dial\n");
	CHECK_INT(watching_left(one), 18000);
}

static void an_answer_ends_the_pauses(void)
{
	watching_begin(1);
	keep();
	for (int i = 0; i < 6; i++) {
		fake_dials(0, FAKE_REFUSE, 0);
	}
	watching_to(10310);
	CHECK_COUNT("10310 a7 renew", 1);
	for (int i = 0; i < 3; i++) {
		fake_dials(0, FAKE_REFUSE, 0);
	}
	fake_acts(0, FAKE_BREAK, NULL, 0);
	watching_to(20380);
	CHECK_COUNT("20310 a7 renew", 1);
	CHECK_COUNT("20310 a8 dial\n20320 a9 dial\n20340 a10 dial\n20380 a11 dial\n20380 a11 renew", 1);
}

static void a_refusal_may_come_late(void)
{
	watching_begin(1);
	rl_renewal *one = keep();
	fake_dials(0, FAKE_REFUSE_LATER, 300 * MS);
	fake_dials(0, FAKE_REFUSE_LATER, 0);
	watching_to(10310);
	CHECK_LOG("10000 a1 dial\n10300 a1 close\n10300 a2 dial\n10300 a2 close\n10310 a3 dial\n"
			  "10310 a3 renew k tok 30002\n10310 a3 NAME\n");
	CHECK_INT(watching_left(one), 30000);
}

static void a_full_server_is_asked_again(void)
{
	watching_begin(1);
	rl_renewal *one = keep();
	fake_greets(0, "-ERR max number of clients reached");
	watching_to(12000);
	CHECK_COUNT("a2 renew k tok 30002", 1);
	CHECK(watching_left(one) >= 28000);
}

/* The server sends the error as an answer to the first renewal. The other renewals get no
 * answer. */
static void a_full_server_is_not_dialled_in_a_storm(void)
{
	watching_begin(1);
	rl_renewal *all[8];
	for (unsigned i = 0; i < 8; i++) {
		char key[16];
		snprintf(key, sizeof key, "k%u", i);
		all[i] = watching_keep(key, TTL);
	}
	for (unsigned i = 0; i < 20; i++) {
		fake_greets(0, "-ERR max number of clients reached");
	}
	unsigned steps = watching_steps;
	watching_to(12000);
	CHECK_COUNT("10000 a1 dial", 1);
	CHECK_COUNT("dial", 10); /* as often as after refusals */
	CHECK(watching_steps - steps < 100);
	watching_to(20000); /* the server accepts connections again meanwhile */
	CHECK_COUNT("dial", 21);
	CHECK_COUNT("17130 a21 renew", 8); /* the renewal that got the error is sent with the others */
	for (unsigned i = 0; i < 8; i++) {
		CHECK(watching_left(all[i]) > 25000);
	}
}

/* The server has granted this lease, so it can be reached again. */
static void a_lease_that_was_just_won_does_not_wait_for_a_grown_pause(void)
{
	watching_begin(1);
	rl_renewal *one = keep();
	for (int i = 0; i < 10; i++) {
		fake_dials(0, FAKE_REFUSE, 0);
	}
	watching_to(11640);
	CHECK_COUNT("11630 a10 dial", 1);                /* the next dial would be in half a second */
	rl_renewal *brief = watching_keep("brief", 302); /* due in 100 ms */
	watching_to(11740);
	CHECK_COUNT("a11 renew brief", 1);
	CHECK_INT(watching_left(brief), 300);
	watching_to(13000);
	CHECK(rl_lease_is_held(brief->lease));
	CHECK(watching_left(one) > 25000);
	/* The next failure begins with short pauses. */
	fake_forget_log();
	for (int i = 0; i < 3; i++) {
		fake_dials(0, FAKE_REFUSE, 0);
	}
	fake_kill(0);
	watching_to(13500);
	CHECK_COUNT("dial", 4);
	CHECK(rl_lease_is_held(brief->lease));
}

static void a_reply_without_a_command_ends_the_connection(void)
{
	watching_begin(1);
	rl_renewal *one = keep();
	fake_acts(0, FAKE_SAY_TWICE, ":1", 0);
	watching_to(10000);
	CHECK_INT(watching_left(one), 30000);
	CHECK_COUNT("10000 a1 close", 1);
	watching_to(20000);
	CHECK_COUNT("20000 a2 renew", 1);
}

/* ---- servers that hang ---- */

static void a_connect_that_hangs_is_given_up(void)
{
	watching_begin(1);
	rl_renewal *one = keep();
	fake_dials(0, FAKE_HANG, 0);
	fake_dials(0, FAKE_HANG, 0);
	watching_to(12010);
	CHECK_LOG("10000 a1 dial\n11000 a1 close\n11000 a2 dial\n12000 a2 close\n12010 a3 dial\n"
			  "12010 a3 renew k tok 30002\n12010 a3 NAME\n");
	CHECK_INT(watching_left(one), 30000);
}

static void an_answer_that_does_not_come_is_given_up(void)
{
	watching_begin(1);
	rl_renewal *one = keep();
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	watching_to(10999);
	CHECK_COUNT("close", 0);
	watching_to(11000);
	CHECK_COUNT("11000 a1 close\n11000 a2 dial\n11000 a2 renew k tok 30002\n", 1);
	CHECK_INT(watching_left(one), 30000);
}

/* The limit is a quarter of the proof that is left, and at least 5 ms. So there is time for another
 * try even with long timeouts. */
static void an_answer_is_not_waited_for_longer_than_the_proof_allows(void)
{
	watching_begin(1);
	fake_set.members[0].timeout_ns = fake_set.members[0].connect_timeout_ns = 3600 * SECOND;
	keep();
	all_stay_silent();
	watching_to(30000);
	CHECK_INT(watching_losses, 1);
	CHECK_COUNT("10000 a1 renew", 1);
	CHECK_COUNT("15000 a2 renew", 1);
	CHECK_COUNT("18760 a3 renew", 1); /* 15000 + 15000/4, and a pause of 10 */
	CHECK(fake_count("renew") >= 10 && fake_count("renew") < 30);
}

static void a_connection_is_not_waited_for_longer_than_the_proof_allows(void)
{
	watching_begin(1);
	fake_set.members[0].timeout_ns = fake_set.members[0].connect_timeout_ns = 3600 * SECOND;
	keep();
	for (int i = 0; i < 100; i++) {
		fake_dials(0, FAKE_HANG, 0);
	}
	watching_to(30000);
	CHECK_INT(watching_losses, 1);
	CHECK_COUNT("10000 a1 dial\n15000 a1 close\n15000 a2 dial\n18750 a2 close\n18760 a3 dial\n", 1);
	CHECK(fake_count("dial") >= 10 && fake_count("dial") < 30);
}

/* That lease may be the first or the last one. */
static void the_lease_with_the_least_time_decides(void)
{
	for (int64_t begun = 9400; begun <= 9500; begun += 100) {
		watching_begin(1);
		watching_keep("long", TTL);
		watching_to(begun);
		watching_keep("short", 1502); /* due half a second later, proven for a second more */
		fake_dials(0, FAKE_HANG, 0);
		watching_to(begun + 749);
		CHECK_COUNT("dial", 1);
		watching_to(begun + 750);
		CHECK_COUNT("a1 close\n", 1);
		CHECK_COUNT("a2 renew", 2);
		const char *text = fake_log();
		bool is_first = strstr(text, "renew short") < strstr(text, "renew long");
		CHECK_INT(is_first, begun == 9400);
		watching_end();
	}
}

static void an_answer_that_came_in_time_is_read_before_the_timeout(void)
{
	watching_begin(1);
	rl_renewal *one = keep();
	rl_renewal *other = watching_prepare("other");
	other->renews = false;
	watching_win(other, 10402); /* the watch wakes for its end */
	fake_acts(0, FAKE_SAY, ":1", 500 * MS);
	watching_to(10399);
	fake_lag(2 * SECOND); /* the process is stopped */
	watching_to(12400);
	CHECK_COUNT("close", 0);
	CHECK_COUNT("renew", 1);
	CHECK_INT(watching_left(one), 30000 - 2400);
	CHECK(!rl_lease_is_held(other->lease));
}

static void renewals_are_written_once_the_system_takes_them(void)
{
	watching_begin(1);
	rl_renewal *one = keep();
	watching_keep("l", TTL);
	fake_acts(0, FAKE_HALF, NULL, 50 * MS);
	watching_to(10049);
	CHECK_COUNT("renew", 0);
	watching_to(10050);
	CHECK_COUNT("10050 a1 renew k tok 30002", 1);
	CHECK_COUNT("10050 a1 renew l tok 30002", 1);
	CHECK_INT(watching_left(one), 30000 - 50);
	CHECK_INT(fake_stats.renewed, 2);
}

/* ---- the end of the proof ---- */

static void the_deadline_is_exact(void)
{
	watching_begin(1);
	rl_renewal *one = keep();
	fake_refuses(0, 100);
	watching_to_time(FAKE_START + 30 * SECOND - FAKE_BLINK);
	CHECK(rl_lease_is_held(one->lease));
	CHECK_INT(watching_losses, 0);
	watching_to_time(FAKE_START + 30 * SECOND);
	CHECK(!rl_lease_is_held(one->lease));
	CHECK_INT(watching_losses, 1);
	CHECK_INT(fake_stats.lost, 1);
	CHECK_INT(fake_stats.renewed, 0);
}

static void a_lost_lease_makes_no_further_steps(void)
{
	watching_begin(1);
	keep();
	fake_refuses(0, 100);
	watching_to(30000);
	fake_forget_log();
	unsigned steps = watching_steps;
	watching_to(90000);
	CHECK_LOG(""); /* no renewal was sent that the server could still carry out */
	CHECK(watching_steps <= steps + 1);
}

static void a_server_that_comes_back_in_time_is_enough(void)
{
	watching_begin(1);
	rl_renewal *one = keep();
	for (int i = 0; i < 45; i++) {
		fake_dials(0, FAKE_REFUSE, 0);
	}
	watching_to(30000);
	CHECK_INT(fake_count("renew"), 1);
	CHECK_INT(watching_losses, 0);
	CHECK(watching_left(one) > 29000);
}

static const check_test tests[] = {
	TEST(an_idle_connection_that_was_closed_is_replaced_when_it_is_needed),
	TEST(a_connection_that_breaks_in_flight_is_replaced_at_once),
	TEST(renewals_in_flight_are_sent_again_in_one_write),
	TEST(pauses_between_dials_grow),
	TEST(an_answer_ends_the_pauses),
	TEST(a_refusal_may_come_late),
	TEST(a_full_server_is_asked_again),
	TEST(a_full_server_is_not_dialled_in_a_storm),
	TEST(a_lease_that_was_just_won_does_not_wait_for_a_grown_pause),
	TEST(a_reply_without_a_command_ends_the_connection),
	TEST(a_connect_that_hangs_is_given_up),
	TEST(an_answer_that_does_not_come_is_given_up),
	TEST(an_answer_is_not_waited_for_longer_than_the_proof_allows),
	TEST(a_connection_is_not_waited_for_longer_than_the_proof_allows),
	TEST(the_lease_with_the_least_time_decides),
	TEST(an_answer_that_came_in_time_is_read_before_the_timeout),
	TEST(renewals_are_written_once_the_system_takes_them),
	TEST(the_deadline_is_exact),
	TEST(a_lost_lease_makes_no_further_steps),
	TEST(a_server_that_comes_back_in_time_is_enough),
};

CHECK_MAIN(tests, watching_end)
