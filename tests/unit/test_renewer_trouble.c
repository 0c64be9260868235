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
	CHECK_COUNT("close", 0);
	watching_to(20000);
	CHECK_COUNT("20000 a1 close\n20000 a2 dial\n20000 a2 renew k tok 30002\n", 1);
	CHECK_INT(fake_stats.reconnects, 1);
	CHECK_INT(watching_left(one), 30000);
}

static void a_connection_that_breaks_in_flight_is_replaced_at_once(void)
{
	static const fake_act breaks[] = {FAKE_BREAK, FAKE_BREAK_UNSENT, FAKE_BREAK_HALF};
	for (size_t i = 0; i < sizeof breaks / sizeof breaks[0]; i++) {
		watching_begin(1);
		rl_renewal *one = keep();
		watching_to(10000);
		fake_acts(0, breaks[i], NULL, 0);
		watching_to(20000);
		CHECK_COUNT("20000 a2 dial\n20000 a1 close\n20000 a2 renew k tok 30002\n", 1);
		CHECK_INT(watching_left(one), 30000);
		CHECK_INT(fake_stats.renewed, 2);
		CHECK_INT(fake_stats.reconnects, 1);
		watching_end();
	}
}

/* The server accepts connections, and was not heard on this one. */
static void a_connection_that_breaks_unheard_is_replaced_when_its_server_may_be_dialled(void)
{
	static const fake_act breaks[] = {FAKE_BREAK, FAKE_BREAK_UNSENT, FAKE_BREAK_HALF};
	for (size_t i = 0; i < sizeof breaks / sizeof breaks[0]; i++) {
		watching_begin(1);
		rl_renewal *one = keep();
		fake_acts(0, breaks[i], NULL, 0);
		watching_to(10009);
		CHECK_COUNT("10000 a1 close\n", 1);
		CHECK_COUNT("dial", 1);
		watching_to(10010);
		CHECK_COUNT("10010 a2 dial\n10010 a2 renew k tok 30002\n", 1);
		CHECK_INT(watching_left(one), 30000);
		watching_end();
	}
}

static void a_connection_with_nonsense_is_replaced_after_the_pause_of_an_error(void)
{
	watching_begin(1);
	rl_renewal *one = keep();
	fake_acts(0, FAKE_NONSENSE, NULL, 0);
	watching_to(10999);
	CHECK_COUNT("a1 close\n", 1);
	CHECK_COUNT("dial", 1);
	watching_to(11000);
	CHECK_COUNT("11000 a2 dial\n11000 a2 renew k tok 30002\n", 1);
	CHECK_INT(watching_left(one), 30000);
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
	CHECK_INT(fake_stats.reconnects, 1); /* one connection was replaced */
}

static void keep_many(bool has_login)
{
	watching_begin(1);
	if (has_login) {
		fake_targets[0].password = (rl_secret){(char *) (uintptr_t) "word", 4};
	}
	fake_set.backoff.jitter = 0.5;
	for (int i = 0; i < 40; i++) {
		char key[16];
		snprintf(key, sizeof key, "k%d", i);
		watching_keep(key, TTL);
	}
}

static void many_leases_dial_a_dead_server_as_often_as_one(void)
{
	keep_many(false);
	fake_refuses(0, 150);
	watching_to(12000);
	CHECK_COUNT("dial", 8);
	CHECK_COUNT("11270 a8 dial", 1);
	CHECK_INT(fake_stats.lost, 0);
}

/* The server dies while it has their renewals, which are in doubt. */
static void many_renewals_in_doubt_dial_a_dead_server_as_often_as_one(void)
{
	for (int i = 0; i < 2; i++) {
		keep_many(false);
		int64_t due = i == 0 ? 20000 : 10000;
		fake_dials(0, FAKE_ACCEPT, 0);
		if (i == 0) {
			watching_to(10000); /* the server was heard on this connection */
		}
		fake_acts(0, FAKE_BREAK, NULL, 100 * MS);
		fake_forget_log();
		watching_to(due);
		CHECK_COUNT("renew", 40);
		fake_refuses(0, 150);
		watching_to(due + 2000);
		CHECK(fake_count("dial") <= 9);
		CHECK_COUNT("renew", 40);
		CHECK_INT(fake_stats.lost, 0);
		watching_end();
	}
}

/* The connection breaks again and again after its login: the renewals resume together. */
static void many_renewals_resume_together(void)
{
	keep_many(true);
	for (int i = 0; i < 6; i++) {
		fake_acts(0, FAKE_BREAK, NULL, 0);
	}
	watching_to(11000);
	CHECK_COUNT("10000 a1 dial\n", 1);
	CHECK_COUNT("10000 a2 dial\n", 1);
	CHECK_COUNT("10010 a3 dial\n", 1);
	CHECK_COUNT("10030 a4 dial\n", 1);
	CHECK_COUNT("10070 a5 dial\n", 1);
	CHECK_COUNT("10150 a6 dial\n", 1);
	CHECK_COUNT("10310 a7 dial\n", 1);
	CHECK_COUNT("dial", 7);
	CHECK_INT(fake_stats.renewed, 40);
	CHECK_INT(fake_stats.reconnects, 6);
}

/* The process stands still during a pause, longer than the renewal can wait. The connection of
 * before is gone by then. */
static void a_renewal_whose_pause_ends_too_late_is_sent_again(void)
{
	watching_begin(1);
	fake_targets[0].password = (rl_secret){(char *) (uintptr_t) "word", 4};
	rl_renewal *one = keep();
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	watching_to(10000);
	CHECK_COUNT("renew", 2);
	CHECK_INT(one->members[0].state, RL_RENEWAL_MEMBER_ASKED);
	CHECK(watching.errands.lines.first == NULL);
	fake_lag(5 * SECOND);
	watching_to(15100);
	CHECK_COUNT("renew", 3);
	CHECK_INT(fake_stats.renewed, 1);
}

static void pauses_between_dials_grow(void)
{
	watching_begin(1);
	rl_renewal *one = keep();
	fake_refuses(0, 100);
	watching_to(12000);
	CHECK_LOG("10000 a1 dial\n10010 a2 dial\n10030 a3 dial\n10070 a4 dial\n10150 a5 dial\n"
			  "10310 a6 dial\n10630 a7 dial\n11270 a8 dial\n");
	watching_to(14000);
	CHECK_HAS(fake_log(), "12270 a9 dial\n13270 a10 dial\n"); /* no pause is longer than a second */
	CHECK_INT(watching_left(one), 16000);
}

static void an_answer_ends_the_pauses(void)
{
	watching_begin(1);
	keep();
	for (int i = 0; i < 6; i++) {
		fake_dials(0, FAKE_REFUSE, 0);
	}
	watching_to(10631);
	CHECK_COUNT("10630 a7 renew", 1);
	for (int i = 0; i < 3; i++) {
		fake_dials(0, FAKE_REFUSE, 0);
	}
	fake_acts(0, FAKE_BREAK, NULL, 0);
	watching_to(20701);
	CHECK_COUNT("20630 a7 renew", 1);
	CHECK_COUNT("20630 a8 dial", 1);
	CHECK_COUNT("20640 a9 dial\n20660 a10 dial\n20700 a11 dial\n20700 a11 renew", 1);
}

static void a_refusal_may_come_late(void)
{
	watching_begin(1);
	rl_renewal *one = keep();
	fake_dials(0, FAKE_REFUSE_LATER, 300 * MS);
	fake_dials(0, FAKE_REFUSE_LATER, 0);
	watching_to(10330);
	CHECK_LOG("10000 a1 dial\n10300 a1 close\n10310 a2 dial\n10310 a2 close\n10330 a3 dial\n"
			  "10330 a3 renew k tok 30002\n10330 a3 NAME\n");
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
	CHECK_COUNT("dial", 8); /* as often as after refusals */
	CHECK(watching_steps - steps < 100);
	watching_to(25000); /* the server accepts connections again meanwhile */
	CHECK_COUNT("dial", 21);
	CHECK_COUNT("24270 a21 renew", 8); /* the renewal that got the error is sent with the others */
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
	watching_to(13280);
	CHECK_COUNT("13270 a10 dial", 1);                /* the next dial would be in a second */
	rl_renewal *brief = watching_keep("brief", 302); /* due in 100 ms */
	watching_to(13381);
	CHECK_COUNT("a11 renew brief", 1);
	CHECK_INT(watching_left(brief), 299);
	watching_to(15000);
	CHECK(rl_lease_is_held(brief->lease));
	CHECK(watching_left(one) > 25000);
	/* The next failure begins with short pauses. */
	fake_forget_log();
	for (int i = 0; i < 3; i++) {
		fake_dials(0, FAKE_REFUSE, 0);
	}
	fake_kill(0);
	watching_to(15500);
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
	watching_to(12030);
	CHECK_LOG("10000 a1 dial\n11000 a1 close\n11010 a2 dial\n12010 a2 close\n12030 a3 dial\n"
			  "12030 a3 renew k tok 30002\n12030 a3 NAME\n");
	CHECK_INT(watching_left(one), 30000);
}

static void an_answer_that_does_not_come_is_given_up(void)
{
	watching_begin(1);
	rl_renewal *one = keep();
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	watching_to(10999);
	CHECK_COUNT("end", 0);
	watching_to(11010);
	CHECK_COUNT("11000 a1 end\n11010 a2 dial\n11010 a2 renew k tok 30002\n", 1);
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
	CHECK_COUNT("15010 a2 renew", 1);
	CHECK_COUNT("18777 a3 renew", 1); /* 15010 + 14990/4, and a pause of 20 */
	CHECK(fake_count("renew") >= 9 && fake_count("renew") < 30);
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
	CHECK_COUNT("10000 a1 dial\n15000 a1 close\n15010 a2 dial\n18757 a2 close\n18777 a3 dial\n", 1);
	CHECK(fake_count("dial") >= 9 && fake_count("dial") < 30);
}

/* It has waited for its connection for as long as it can. That lease may be the first or the last
 * one. The other goes on waiting for the connection that it has. */
static void the_lease_with_the_least_time_dials_again(void)
{
	for (int64_t begun = 9400; begun <= 9500; begun += 100) {
		watching_begin(1);
		watching_keep("long", TTL);
		watching_to(begun);
		watching_keep("short", 1502); /* due half a second later, proven for a second more */
		fake_dials(0, FAKE_HANG, 0);
		watching_to(begun + 749);
		CHECK_COUNT("dial", 1);
		watching_to(begun + 761);
		CHECK_COUNT("a2 renew short", 1);
		CHECK_COUNT("a2 renew long", 0);
		CHECK_COUNT("close", 0);
		watching_to(12001); /* after the pause of an error: the server has answered meanwhile */
		CHECK_COUNT("a1 close\n", 1);
		CHECK_COUNT("a2 renew long", 1);
		CHECK_COUNT("dial", 2);
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
	/* No release is needed: no renewal was sent that the server could still carry out. */
	CHECK_LOG("");
	CHECK(watching_steps <= steps + 1);
}

static void a_server_that_comes_back_in_time_is_enough(void)
{
	watching_begin(1);
	rl_renewal *one = keep();
	for (int i = 0; i < 25; i++) {
		fake_dials(0, FAKE_REFUSE, 0);
	}
	watching_to(30000); /* the last dial was at 29.27 s */
	CHECK_INT(fake_count("renew"), 1);
	CHECK_INT(watching_losses, 0);
	CHECK(watching_left(one) > 29000);
}

static const check_test tests[] = {
	TEST(an_idle_connection_that_was_closed_is_replaced_when_it_is_needed),
	TEST(a_connection_that_breaks_in_flight_is_replaced_at_once),
	TEST(a_connection_that_breaks_unheard_is_replaced_when_its_server_may_be_dialled),
	TEST(a_connection_with_nonsense_is_replaced_after_the_pause_of_an_error),
	TEST(renewals_in_flight_are_sent_again_in_one_write),
	TEST(many_leases_dial_a_dead_server_as_often_as_one),
	TEST(many_renewals_in_doubt_dial_a_dead_server_as_often_as_one),
	TEST(many_renewals_resume_together),
	TEST(a_renewal_whose_pause_ends_too_late_is_sent_again),
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
	TEST(the_lease_with_the_least_time_dials_again),
	TEST(an_answer_that_came_in_time_is_read_before_the_timeout),
	TEST(renewals_are_written_once_the_system_takes_them),
	TEST(the_deadline_is_exact),
	TEST(a_lost_lease_makes_no_further_steps),
	TEST(a_server_that_comes_back_in_time_is_enough),
};

CHECK_MAIN(tests, watching_end)
