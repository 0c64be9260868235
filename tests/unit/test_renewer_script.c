/* SPDX-License-Identifier: MIT
 *
 * The watch and a server that does not know the script: each renewal that the server refuses for
 * that is sent again as text, in one write. The renewals of the next round go by the digest.
 */
#include "check.h"
#include "watching.h"

#include <stdio.h>
#include <string.h>

static bool is_script_known;

/* A server that learns a script by its text, with answers that take 5 ms. */
static bool learn(const char *words, bool is_taken, fake_plan *plan)
{
	if (is_taken) {
		is_script_known = is_script_known || strncmp(words, "RENEW", 5) == 0;
	}
	*plan = (fake_plan){FAKE_SAY, is_script_known ? ":1" : "-NOSCRIPT No matching script.", 5 * MS};
	return true;
}

static void begin(unsigned count)
{
	watching_begin(1);
	fake_improvise = learn;
	is_script_known = false;
	for (unsigned i = 0; i < count; i++) {
		char key[16];
		snprintf(key, sizeof key, "k%u", i);
		watching_keep(key, TTL);
	}
}

static void a_renewal_brings_the_text(void)
{
	begin(1);
	watching_to(20000);
	CHECK_LOG("10000 a1 dial\n10000 a1 renew k0 tok 30002\n10000 a1 NAME\n"
			  "10005 a1 RENEW k0 tok 30002\n");
	watching_to(30000);
	CHECK_COUNT("renew", 2);
	CHECK_INT(fake_stats.renewed, 2);
}

static void many_renewals_bring_the_text_in_one_write(void)
{
	begin(60);
	watching_to(10010);
	CHECK_COUNT("10000 a1 renew", 60);
	CHECK_COUNT("10005 a1 RENEW", 60);
	CHECK_INT(fake_stats.renewed, 60);
	CHECK_INT(fake_writes, 2);
	fake_forget_log();
	watching_to(20020);
	CHECK_COUNT("RENEW", 0);
	CHECK_INT(fake_stats.renewed, 120);
}

static void the_text_is_counted_once(void)
{
	begin(60);
	watching_to(10010);
	CHECK_INT(fake_stats.scripts_loaded, 1);
}

static void a_server_that_forgets_the_script_gets_it_again(void)
{
	begin(3);
	watching_to(15000);
	is_script_known = false; /* SCRIPT FLUSH */
	fake_forget_log();
	watching_to(20020);
	CHECK_COUNT("RENEW", 3);
	CHECK_COUNT("renew", 3);
	CHECK_INT(fake_stats.renewed, 6);
	CHECK_INT(fake_stats.scripts_loaded, 2);
}

static void a_round_with_the_text_is_one_round(void)
{
	begin(1);
	rl_renewal *one = watching.all;
	watching_to(10010);
	CHECK_INT(one->lease->in_flight, 0);
	/* The proof counts from the second sending. */
	CHECK_TIME(rl_lease_remaining(one->lease), 30 * SECOND - 5 * MS);
}

static void the_text_goes_on_the_next_connection_after_a_break(void)
{
	begin(2);
	fake_acts(0, FAKE_SAY, "-NOSCRIPT x", 5 * MS);
	fake_acts(0, FAKE_SAY_BREAK, "-NOSCRIPT x", 5 * MS);
	watching_to(10010);
	CHECK_COUNT("10005 a2 dial", 1);
	CHECK_COUNT("10005 a2 RENEW", 2);
	CHECK_COUNT("a2 renew", 0);
	CHECK_INT(fake_stats.renewed, 2);
}

static void another_lease_brings_the_text_when_the_first_one_ends(void)
{
	begin(2);
	watching_to(10000);
	rl_renewal *first = strstr(fake_log(), "renew k0") < strstr(fake_log(), "renew k1")
		? watching.all->next
		: watching.all;
	watching_let_go(first, true);
	watching_to(10010);
	CHECK_COUNT("RENEW", 1);
	CHECK_INT(fake_stats.renewed, 1);
}

static void a_lease_that_is_lost_while_the_text_is_sent_is_released(void)
{
	watching_begin(1);
	rl_renewal *one = watching_keep("k", 12); /* due at 3.3 ms, proven for 10 */
	fake_acts(0, FAKE_SAY, "-NOSCRIPT x", 4 * MS);
	fake_acts(0, FAKE_SAY, ":1", 4 * MS);
	watching_to(100);
	/* Both commands share the time of one. */
	CHECK_LOG("3 a1 dial\n3 a1 renew k tok 12\n3 a1 NAME\n7 a1 RENEW k tok 12\n8 a1 end\n"
			  "18 a1 close\n18 a2 dial\n18 a2 RELEASE k tok\n18 a2 NAME\n");
	CHECK(!rl_lease_is_held(one->lease));
	CHECK_INT(fake_stats.renewed, 0);
}

static bool never_learn(const char *words, bool is_taken, fake_plan *plan)
{
	(void) words, (void) is_taken;
	*plan = (fake_plan){FAKE_SAY, "-NOSCRIPT No matching script.", 0};
	return true;
}

/* A proxy in between may cause this. */
static void a_server_that_never_knows_the_script_is_asked_with_pauses(void)
{
	watching_begin(1);
	fake_improvise = never_learn;
	rl_renewal *one = watching_keep("k", TTL);
	watching_to(12500);
	CHECK_LOG("10000 a1 dial\n10000 a1 renew k tok 30002\n10000 a1 NAME\n"
			  "10000 a1 RENEW k tok 30002\n"
			  "11000 a1 RENEW k tok 30002\n"
			  "12000 a1 RENEW k tok 30002\n");
	fake_improvise = fake_yes;
	watching_to(13000);
	CHECK_INT(watching_left(one), 30000);
	CHECK_INT(fake_stats.renewed, 1);
}

static const check_test tests[] = {
	TEST(a_renewal_brings_the_text),
	TEST(many_renewals_bring_the_text_in_one_write),
	TEST(the_text_is_counted_once),
	TEST(a_server_that_forgets_the_script_gets_it_again),
	TEST(a_round_with_the_text_is_one_round),
	TEST(the_text_goes_on_the_next_connection_after_a_break),
	TEST(another_lease_brings_the_text_when_the_first_one_ends),
	TEST(a_lease_that_is_lost_while_the_text_is_sent_is_released),
	TEST(a_server_that_never_knows_the_script_is_asked_with_pauses),
};

CHECK_MAIN(tests, watching_end)
