/* SPDX-License-Identifier: MIT
 *
 * The gauge of waits, and the histograms of wait times and round trips.
 */
#include "check.h"
#include "fake.h"
#include "waiting.h"

static void check_waiting(int64_t waiting)
{
	CHECK_INT(fake_stats.waiting, waiting);
}

static void a_wait_counts_until_the_lock_is_granted(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	check_waiting(1);
	fake_says(0, grant(500));
	fake_wakes(0, 500 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	check_waiting(0);
	CHECK_INT(fake_stats.wait_time.sum_ns, 500 * MS);
	CHECK_INT(fake_stats.wait_time.buckets[rl_histogram_bucket(500 * MS)], 1);
}

static void a_wait_counts_until_its_deadline(void)
{
	fake_begin(1);
	fake_warm(0);
	for (unsigned i = 0; i < 5; i++) {
		fake_says(0, i == 0 ? "_" : "*:0 :0 :25000 :4 :1");
	}
	rl_acquire *acquire = fake_acquire(30000, 100 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	check_waiting(0);
	CHECK_INT(fake_stats.wait_time.sum_ns, 100 * MS);
}

static void a_wait_that_is_given_up_counts_no_longer(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	check_waiting(1);
	rl_op_abandon(&acquire->op, fake_clock, false);
	check_waiting(0);
}

static void a_childs_copy_is_not_the_parents_wait(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_fork();
	fake_free(&acquire->op);
	check_waiting(1);
}

static void a_call_that_finds_the_lock_free_does_not_wait(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_acts(0, FAKE_SAY, "+OK", 3 * MS);
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	check_waiting(0);
	CHECK_INT(fake_stats.wait_time.buckets[rl_histogram_bucket(3 * MS)], 1);
	CHECK_INT(fake_stats.round_trip.buckets[rl_histogram_bucket(3 * MS)], 1);
	CHECK_INT(fake_stats.round_trip.sum_ns, 3 * MS);
}

static void a_call_without_a_wait_does_not_wait(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_acts(0, FAKE_SAY, "_", 3 * MS);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	check_waiting(0);
	CHECK_INT(fake_stats.wait_time.sum_ns, 0);
	CHECK_INT(fake_stats.round_trip.sum_ns, 3 * MS);
}

static const check_test tests[] = {
	TEST(a_wait_counts_until_the_lock_is_granted),
	TEST(a_wait_counts_until_its_deadline),
	TEST(a_wait_that_is_given_up_counts_no_longer),
	TEST(a_childs_copy_is_not_the_parents_wait),
	TEST(a_call_that_finds_the_lock_free_does_not_wait),
	TEST(a_call_without_a_wait_does_not_wait),
};

CHECK_MAIN(tests, fake_end)
