/* SPDX-License-Identifier: MIT
 *
 * The watch and servers that answer with errors, to a renewal or to a login.
 */
#include "check.h"
#include "watching.h"

/* A lease that is due at 10 s and proven until 30 s. */
static rl_renewal *keep(void)
{
	return watching_keep_told("k", TTL);
}

/* ---- errors ---- */

static void an_error_is_asked_about_again_while_ownership_is_proven(void)
{
	static const char *const words[] = {"-LOADING Redis is loading the dataset in memory",
		"-BUSY Redis is busy running a script", "-NOAUTH Authentication required.", "-NOPERM no",
		"-OOM no", "-ERR no"};
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		watching_begin(1);
		rl_renewal *one = keep();
		for (int j = 0; j < 3; j++) {
			fake_says(0, words[i]);
		}
		watching_to(13000); /* a sixth of the proof that is left, a second at most */
		CHECK_LOG("10000 a1 dial\n10000 a1 renew k tok 30002\n10000 a1 NAME\n"
				  "11000 a1 renew k tok 30002\n12000 a1 renew k tok 30002\n"
				  "13000 a1 renew k tok 30002\n");
		CHECK_INT(watching_left(one), 30000);
		CHECK_INT(watching_losses, 0);
		watching_end();
	}
}

/* A connection whose reply makes no sense is not used again. */
static void a_reply_without_sense_is_an_error(void)
{
	static const char *const words[] = {":2", "+OK", "_", "$1", "*:1"};
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		watching_begin(1);
		rl_renewal *one = keep();
		for (int j = 0; j < 2; j++) {
			fake_says(0, words[i]);
		}
		watching_to(12000);
		CHECK_LOG("10000 a1 dial\n10000 a1 renew k tok 30002\n10000 a1 NAME\n"
				  "10000 a1 end\n10000 a1 close\n"
				  "11000 a2 dial\n11000 a2 renew k tok 30002\n11000 a2 NAME\n"
				  "11000 a2 end\n11000 a2 close\n"
				  "12000 a3 dial\n12000 a3 renew k tok 30002\n12000 a3 NAME\n");
		CHECK_INT(watching_left(one), 30000);
		CHECK_INT(watching_losses, 0);
		watching_end();
	}
}

/* The address leads to another server by now, or will: the renewal is sent once more on a new
 * connection, and then after the pause that follows an error. */
static void a_replica_is_left_and_dialled_again_with_pauses(void)
{
	static const char *const words[] = {
		"-READONLY You can't write against a read only replica.", "-MASTERDOWN x"};
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		watching_begin(1);
		rl_renewal *one = keep();
		watching_to(11000);
		fake_forget_log();
		for (int j = 0; j < 3; j++) {
			fake_says(0, words[i]);
		}
		watching_to(20000);
		watching_to(22000);
		CHECK_LOG("20000 a1 renew k tok 30002\n20000 a1 end\n20000 a1 close\n"
				  "20000 a2 dial\n20000 a2 renew k tok 30002\n20000 a2 NAME\n"
				  "20000 a2 end\n20000 a2 close\n"
				  "21000 a3 dial\n21000 a3 renew k tok 30002\n21000 a3 NAME\n"
				  "21000 a3 end\n21000 a3 close\n"
				  "22000 a4 dial\n22000 a4 renew k tok 30002\n22000 a4 NAME\n");
		CHECK_INT(fake_distrusts, 3);
		CHECK_INT(fake_stats.reconnects, 1); /* within one errand */
		CHECK_INT(watching_left(one), 30000);
		CHECK_INT(watching_losses, 0);
		watching_end();
	}
}

static void an_error_that_stays_is_loss_at_the_deadline(void)
{
	watching_begin(1);
	rl_renewal *one = keep();
	for (int i = 0; i < 190; i++) {
		fake_says(0, "-LOADING x");
	}
	watching_to_time(FAKE_START + 30 * SECOND - FAKE_BLINK);
	CHECK(rl_lease_is_held(one->lease));
	watching_to(30000);
	CHECK_INT(watching_losses, 1);
	CHECK_COUNT("dial", 1);
	CHECK(fake_count("renew") < 60);
	CHECK_COUNT("RELEASE k tok", 1); /* an error need not mean that nothing was done */
}

/* ---- logging in ---- */

static void begin_with_login(void)
{
	watching_begin(1);
	fake_targets[0].user = (char *) (uintptr_t) "me";
	fake_targets[0].password = (rl_secret){(char *) (uintptr_t) "word", 4};
	fake_targets[0].database = 2;
}

static void a_login_comes_before_the_renewals(void)
{
	begin_with_login();
	rl_renewal *one = keep();
	watching_to(10000);
	CHECK_LOG("10000 a1 dial\n10000 a1 AUTH me word\n10000 a1 SELECT 2\n"
			  "10000 a1 renew k tok 30002\n10000 a1 NAME\n");
	CHECK_INT(fake_writes, 2);
	CHECK_INT(watching_left(one), 30000);
}

static void renewals_wait_for_the_answer_to_the_login(void)
{
	begin_with_login();
	keep();
	fake_login_says(0, "SELECT", NULL);
	watching_to(10999);
	CHECK_COUNT("renew", 0);
	watching_to(11000);
	CHECK_COUNT("11000 a1 end\n", 1);
	watching_to(11010);
	CHECK_COUNT("11010 a2 dial\n11010 a2 AUTH me word\n", 1);
	fake_login_says(0, "SELECT", "+OK");
	watching_to(12030);
	CHECK_COUNT("12030 a3 SELECT 2\n12030 a3 renew k tok 30002\n", 1);
}

static void a_login_that_is_refused_is_tried_again(void)
{
	begin_with_login();
	rl_renewal *one = keep();
	fake_login_says(0, "AUTH", "-WRONGPASS x");
	watching_to(11999);
	CHECK_COUNT("renew", 0);
	CHECK_COUNT("AUTH", 2);
	CHECK_COUNT("11000 a2 dial", 1);
	fake_login_says(0, "AUTH", "+OK");
	watching_to(12000);
	CHECK_COUNT("12000 a3 renew k tok 30002", 1);
	CHECK_INT(watching_left(one), 30000);
}

static void a_login_that_stays_refused_is_loss_at_the_deadline(void)
{
	begin_with_login();
	keep();
	fake_login_says(0, "AUTH", "-WRONGPASS x");
	watching_to_time(FAKE_START + 30 * SECOND - FAKE_BLINK);
	CHECK_INT(watching_losses, 0);
	watching_to(30000);
	CHECK_INT(watching_losses, 1);
	CHECK_COUNT("renew", 0);
	CHECK_COUNT("RELEASE", 0);
}

static const check_test tests[] = {
	TEST(an_error_is_asked_about_again_while_ownership_is_proven),
	TEST(a_reply_without_sense_is_an_error),
	TEST(a_replica_is_left_and_dialled_again_with_pauses),
	TEST(an_error_that_stays_is_loss_at_the_deadline),
	TEST(a_login_comes_before_the_renewals),
	TEST(renewals_wait_for_the_answer_to_the_login),
	TEST(a_login_that_is_refused_is_tried_again),
	TEST(a_login_that_stays_refused_is_loss_at_the_deadline),
};

CHECK_MAIN(tests, watching_end)
