/* SPDX-License-Identifier: MIT
 *
 * The watch and servers whose replicas confirm: an unconfirmed renewal proves nothing, and is sent
 * again.
 */
#include "check.h"
#include "watching.h"

#include <string.h>

static bool are_away; /* the replicas */

static bool serve(const char *words, bool is_taken, fake_plan *plan)
{
	(void) is_taken;
	*plan = (fake_plan){FAKE_SAY, ":1", 0};
	if (strncmp(words, "WAIT", 4) == 0 && are_away) {
		*plan = (fake_plan){FAKE_SAY, ":0", 190 * MS}; /* servers end WAIT late */
	}
	return true;
}

static void begin(unsigned members)
{
	watching_begin(members);
	fake_improvise = serve;
	are_away = false;
	for (unsigned i = 0; i < members; i++) {
		fake_targets[i].replicas = 1;
		fake_targets[i].replicas_ms = 100;
	}
}

static rl_renewal *keep(const char *key)
{
	return watching_keep_told(key, TTL);
}

static void one_wait_confirms_all_renewals_of_a_write(void)
{
	begin(1);
	keep("a");
	keep("b");
	rl_renewal *one = keep("c");
	watching_to(10000);
	CHECK_COUNT("renew", 3);
	CHECK_COUNT("WAIT", 1);
	CHECK_HAS(fake_log(), "renew c tok 30002\n10000 a1 WAIT 1 100\n");
	CHECK_INT(watching_left(one), 30000);
	CHECK_INT(fake_stats.renewed, 3);
	CHECK_INT(fake_stats.unconfirmed, 0);
}

static void an_unconfirmed_renewal_proves_nothing(void)
{
	begin(1);
	rl_renewal *one = keep("k");
	watching_to(9000);
	are_away = true;
	watching_to(10000);
	CHECK_INT(watching_left(one), 20000);
	watching_to(10099);
	CHECK_INT(fake_stats.unconfirmed, 0);
	watching_to(10100); /* before the server says so */
	CHECK_INT(fake_stats.unconfirmed, 1);
	CHECK_INT(watching_left(one), 30000 - 10100);
	CHECK_INT(fake_stats.renewed, 0);
	CHECK_INT(watching_losses, 0);
}

static void an_unconfirmed_renewal_is_sent_again(void)
{
	begin(1);
	rl_renewal *one = keep("k");
	are_away = true;
	watching_to(12000);
	CHECK(fake_stats.unconfirmed >= 1);
	CHECK_INT(fake_stats.renewed, 0);
	are_away = false;
	watching_to(14000);
	CHECK_INT(fake_stats.renewed, 1);
	CHECK(watching_left(one) > 27000);
	CHECK_COUNT("dial", 1);
	CHECK_INT(watching_losses, 0);
}

static void without_replicas_the_lease_ends_at_its_time(void)
{
	begin(1);
	rl_renewal *one = keep("k");
	are_away = true;
	watching_to_time(FAKE_START + 30 * SECOND - FAKE_BLINK);
	CHECK(rl_lease_is_held(one->lease));
	CHECK_INT(watching_losses, 0);
	watching_to(30000);
	CHECK(!rl_lease_is_held(one->lease));
	CHECK_INT(watching_losses, 1);
	CHECK_INT(fake_stats.lost, 1);
	CHECK_INT(fake_stats.renewed, 0);
	are_away = false;
	watching_to(31000);
	CHECK(fake_count("release") + fake_count("RELEASE") > 0); /* the key may live on */
}

/* The answer "lost" is no renewal, so no replica has to confirm it. */
static void a_lease_that_is_gone_is_lost_at_once(void)
{
	begin(1);
	keep("k");
	are_away = true;
	fake_says(0, ":0");
	watching_to(10000);
	CHECK_INT(watching_losses, 1);
	CHECK_INT(fake_stats.unconfirmed, 0);
}

static void a_right_that_is_missing_is_no_loss_before_the_time(void)
{
	begin(1);
	keep("k");
	for (unsigned i = 0; i < 3; i++) {
		fake_says(0, ":1");
		fake_says(0, "-NOPERM User x has no permissions to run the 'wait' command");
	}
	watching_to(12500);
	CHECK_INT(fake_stats.unconfirmed, 3);
	CHECK_INT(fake_stats.renewed, 0);
	watching_to(13500);
	CHECK_INT(fake_stats.renewed, 1);
	CHECK_INT(watching_losses, 0);
}

static bool serve_b(const char *words, bool is_taken, fake_plan *plan)
{
	are_away = fake_run_on == 1;
	return serve(words, is_taken, plan);
}

static void a_minority_may_be_unconfirmed(void)
{
	begin(3);
	fake_improvise = serve_b;
	rl_renewal *one = keep("k");
	watching_to(10500);
	CHECK_INT(watching_left(one), 30000 - 500);
	CHECK_INT(fake_stats.renewed, 1);
	CHECK_INT(watching_losses, 0);
}

static const check_test tests[] = {
	TEST(one_wait_confirms_all_renewals_of_a_write),
	TEST(an_unconfirmed_renewal_proves_nothing),
	TEST(an_unconfirmed_renewal_is_sent_again),
	TEST(without_replicas_the_lease_ends_at_its_time),
	TEST(a_lease_that_is_gone_is_lost_at_once),
	TEST(a_right_that_is_missing_is_no_loss_before_the_time),
	TEST(a_minority_may_be_unconfirmed),
};

CHECK_MAIN(tests, watching_end)
