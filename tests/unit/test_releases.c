/* SPDX-License-Identifier: MIT
 *
 * Release batches: some releases at a time, on one connection, within their time.
 */
#include "batching.h"
#include "check.h"

#define LEASES (5 * RL_BATCH_WINDOW / 2)

static void begin(size_t count)
{
	fake_begin(1);
	batch_make(count, "tok");
}

static void one_lease_is_released(void)
{
	begin(1);
	fake_warm(0);
	fake_says(0, ":1");
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_LOG("0 a1 release k1 tok\n");
	CHECK(!rl_lease_is_open(leases[0]));
	CHECK_INT(leases[0]->stage, RL_LEASE_ENDED);
	CHECK_INT(fake_stats.released, 1);
	CHECK_INT(fake_pool.count, 1);
}

static void a_batch_wakes_waiters(void)
{
	begin(1);
	fake_set.wakes = true;
	fake_warm(0);
	fake_says(0, ":1");
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_LOG("0 a1 release+ k1 tok\n");
}

static void a_lease_that_is_not_ours_is_lost(void)
{
	begin(1);
	fake_warm(0);
	fake_says(0, ":0");
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK(rl_lease_is_lost(leases[0]));
	CHECK_INT(fake_stats.not_released, 1);
}

/* Releases a lease of work that is done, by the first command or by its second copy. */
static void release_done(const char *answer, bool is_second)
{
	begin(1);
	leases[0]->done_ms = 5000;
	fake_warm(0);
	fake_warm(0);
	if (is_second) { /* the connection breaks, and another copy is answered */
		fake_acts(0, FAKE_BREAK, NULL, 0);
	}
	fake_says(0, answer);
	CHECK_INT(fake_drive(batch_op), RL_OK);
}

static void a_lease_may_leave_the_mark_of_work_that_is_done(void)
{
	release_done(":1", false);
	CHECK_LOG("0 a2 release k1 tok - - - 5000\n");
	CHECK_INT(leases[0]->stage, RL_LEASE_ENDED);
	CHECK_INT(fake_stats.released, 1);
}

/* Another holder has left it. */
static void a_mark_that_was_there_before_is_a_loss(void)
{
	release_done(":3", false);
	CHECK(rl_lease_is_lost(leases[0]));
}

static void the_second_copy_finds_the_mark_of_the_first(void)
{
	release_done(":3", true);
	CHECK_INT(leases[0]->stage, RL_LEASE_ENDED);
	CHECK_INT(fake_stats.released, 1);
}

/* The first copy has left no mark. */
static void the_second_copy_without_a_mark_is_a_loss(void)
{
	release_done(":0", true);
	CHECK(rl_lease_is_lost(leases[0]));
	CHECK_INT(fake_stats.released, 0);
}

/* The mark of the first copy may be over. */
static void the_second_copy_may_come_after_a_short_mark(void)
{
	begin(1);
	leases[0]->done_ms = 50;
	fake_warm(0);
	fake_warm(0);
	fake_acts(0, FAKE_BREAK, NULL, 60 * MS);
	fake_says(0, ":0");
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(leases[0]->stage, RL_LEASE_ENDED);
	CHECK_INT(fake_stats.released, 1);
}

/* An error of the server leaves no mark, and the work would be done again. */
static void an_error_in_place_of_the_mark_is_final(void)
{
	begin(1);
	leases[0]->done_ms = 5000;
	fake_warm(0);
	fake_says(0, "-OOM command not allowed");
	fake_drive(batch_op);
	CHECK(rl_releases_barred(batch_op) != NULL);
}

static void many_leases_are_released_some_at_a_time(void)
{
	begin(LEASES);
	fake_warm(0);
	for (int i = 0; i < LEASES; i++) {
		fake_acts(0, FAKE_SAY, ":1", 5 * MS);
	}
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_stats.released, LEASES);
	CHECK_HAS(fake_log(), "0 a1 RELEASE k64 tok\n5 a1 RELEASE k65 tok\n");
	CHECK_HAS(fake_log(), "10 a1 RELEASE k129 tok\n");
}

static void a_connection_is_dialled_when_there_is_none(void)
{
	begin(2);
	fake_says(0, ":1");
	fake_says(0, ":1");
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_stats.released, 2);
}

static void a_batch_without_a_server_ends_at_once(void)
{
	begin(2);
	fake_dials(0, FAKE_REFUSE, 0);
	CHECK(fake_drive(batch_op) != RL_OK);
	CHECK_INT(fake_ms(), 0);
	CHECK_INT(fake_stats.failed, 2);
	CHECK(rl_lease_is_open(leases[0]));
}

static void a_batch_waits_for_a_hanging_server_until_its_time_is_over(void)
{
	begin(3);
	fake_warm(0);
	fake_says(0, ":1");
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	CHECK(fake_drive(batch_op) != RL_OK);
	CHECK_INT(fake_ms(), 200);
	CHECK_INT(fake_stats.released, 1);
	CHECK_INT(fake_stats.failed, 2);
	CHECK_HAS(fake_log(), "200 a1 end\n"); /* the server may still read what was written */
}

static void a_batch_waits_for_a_hanging_connect_until_its_time_is_over(void)
{
	begin(1);
	fake_dials(0, FAKE_HANG, 0);
	CHECK(fake_drive(batch_op) != RL_OK);
	CHECK_INT(fake_ms(), 200);
}

static void a_release_without_a_reply_is_sent_again(void)
{
	begin(3);
	fake_warm(0);
	fake_says(0, ":1");
	fake_acts(0, FAKE_BREAK, NULL, 0);
	for (int i = 0; i < 2; i++) {
		fake_says(0, ":1");
	}
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_stats.released, 3);
	CHECK_HAS(fake_log(), "a2 RELEASE k2 tok\n");
}

static void a_second_break_ends_the_batch(void)
{
	begin(2);
	fake_warm(0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	CHECK(fake_drive(batch_op) != RL_OK);
	CHECK_INT(fake_stats.failed, 2);
}

static void refused_releases_are_sent_again_without_the_helper_keys(void)
{
	begin(3);
	fake_set.wakes = true;
	fake_warm(0);
	fake_says(0, ":1");
	fake_says(0, "-NOPERM User u has no permissions to run the 'x' command");
	fake_says(0, "-NOPERM User u has no permissions to run the 'x' command");
	fake_says(0, ":1");
	fake_says(0, ":1");
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_LOG("0 a1 RELEASE+ k1 tok\n"
			  "0 a1 RELEASE+ k2 tok\n"
			  "0 a1 RELEASE+ k3 tok\n"
			  "0 a1 RELEASE k2 tok\n"
			  "0 a1 RELEASE k3 tok\n");
	CHECK_INT(fake_stats.released, 3);
	CHECK(!fake_set.wakes);
}

/* The refusal says nothing about the other keys. */
static void a_refusal_of_one_key_s_helper_keys_counts_for_this_key(void)
{
	static const char *const words[] = {"-NOPERM No permissions to access a key",
		"-CROSSSLOT Keys in request don't hash to the same slot"};
	for (unsigned i = 0; i < 2; i++) {
		begin(70);
		fake_set.wakes = true;
		fake_warm(0);
		for (unsigned j = 1; j <= 64; j++) {
			fake_says(0, j == 2 ? words[i] : j == 6 ? ":0" : ":1");
		}
		for (unsigned j = 0; j < 7; j++) {
			fake_says(0, ":1");
		}
		CHECK_INT(fake_drive(batch_op), RL_OK);
		CHECK_COUNT("RELEASE+ k2 tok\n", 1);
		CHECK_COUNT("RELEASE k2 tok\n", 1);
		CHECK_COUNT("RELEASE+ k3 tok\n", 1);
		CHECK_COUNT("RELEASE k3 tok\n", 0);
		CHECK_COUNT("RELEASE+ k65 tok\n", 1);
		CHECK_COUNT("RELEASE k65 tok\n", 0);
		CHECK_INT(fake_stats.released, 69);
		CHECK_INT(fake_stats.not_released, 1);
		CHECK_INT(fake_stats.wake_failures, 1);
		CHECK(fake_set.wakes);
		batch_end();
	}
}

static void an_error_is_counted_and_not_repeated(void)
{
	begin(2);
	fake_warm(0);
	fake_says(0, "-LOADING x");
	fake_says(0, ":1");
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_stats.failed, 1);
	CHECK_INT(fake_stats.released, 1);
}

/* A replica has not carried out what it has answered: a 0 on the next connection is not due to the
 * first copy. */
static void a_replica_is_left_once(void)
{
	begin(3);
	fake_warm(0);
	fake_says(0, ":1");
	fake_says(0, "-READONLY x");
	fake_says(0, "-READONLY x");
	fake_says(0, ":0");
	fake_says(0, "-READONLY x");
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_LOG("0 a1 RELEASE k1 tok\n0 a1 RELEASE k2 tok\n0 a1 RELEASE k3 tok\n"
			  "0 a2 dial\n0 a2 RELEASE k2 tok\n0 a2 NAME\n0 a2 RELEASE k3 tok\n"
			  "0 a1 end\n0 a1 close\n0 a2 end\n0 a2 close\n");
	CHECK_INT(fake_distrusts, 2);
	CHECK_INT(fake_stats.released, 1);
	CHECK_INT(fake_stats.not_released, 1);
	CHECK_INT(fake_stats.failed, 1);
}

static const check_test tests[] = {
	TEST(one_lease_is_released),
	TEST(a_batch_wakes_waiters),
	TEST(a_lease_that_is_not_ours_is_lost),
	TEST(a_lease_may_leave_the_mark_of_work_that_is_done),
	TEST(a_mark_that_was_there_before_is_a_loss),
	TEST(the_second_copy_finds_the_mark_of_the_first),
	TEST(the_second_copy_without_a_mark_is_a_loss),
	TEST(the_second_copy_may_come_after_a_short_mark),
	TEST(an_error_in_place_of_the_mark_is_final),
	TEST(many_leases_are_released_some_at_a_time),
	TEST(a_connection_is_dialled_when_there_is_none),
	TEST(a_batch_without_a_server_ends_at_once),
	TEST(a_batch_waits_for_a_hanging_server_until_its_time_is_over),
	TEST(a_batch_waits_for_a_hanging_connect_until_its_time_is_over),
	TEST(a_release_without_a_reply_is_sent_again),
	TEST(a_second_break_ends_the_batch),
	TEST(refused_releases_are_sent_again_without_the_helper_keys),
	TEST(a_refusal_of_one_key_s_helper_keys_counts_for_this_key),
	TEST(an_error_is_counted_and_not_repeated),
	TEST(a_replica_is_left_once),
};

CHECK_MAIN(tests, batch_end)
