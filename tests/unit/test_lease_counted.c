/* SPDX-License-Identifier: MIT
 *
 * The gauge of held leases and the histogram of hold times: each lease counts once, however it
 * ends.
 */
#include "check.h"
#include "core/lease/rl_lease.h"
#include "fake.h"

static rl_lease *lease;

static void begin(int64_t ttl_ns)
{
	fake_begin(1);
	lease = rl_lease_new(&fake_env, bytes_of("k"), 0, 100, 0.01, RL_NAMES_PLAIN);
	CHECK_INT(fake_stats.held, 0);
	/* The lock was taken by a command that was sent now. */
	rl_lease_begin(
		lease, bytes_of("a token"), ttl_ns, fake_clock + ttl_ns - rl_drift(0.01, ttl_ns));
	CHECK_INT(fake_stats.held, 1);
}

static void clean_up(void)
{
	rl_lease_free(lease);
	lease = NULL;
	fake_end();
}

static void check_held_for(int64_t ns)
{
	CHECK_INT(fake_stats.held, 0);
	CHECK_TIME((int64_t) fake_stats.hold_time.sum_ns, ns);
	CHECK_INT(fake_stats.hold_time.buckets[rl_histogram_bucket((uint64_t) ns)], 1);
}

static void a_lease_is_counted_until_its_release_is_sent(void)
{
	begin(SECOND);
	fake_clock += 100 * MS;
	rl_lease_leave(lease);
	check_held_for(100 * MS);
	fake_clock += 5 * MS;
	rl_lease_lose(lease);
	rl_lease_end(lease);
	check_held_for(100 * MS);
}

static void a_lease_is_counted_until_a_batch_has_released_it(void)
{
	begin(SECOND);
	fake_clock += 70 * MS;
	rl_lease_end(lease);
	check_held_for(70 * MS);
}

static void a_lease_is_counted_until_a_server_reports_its_loss(void)
{
	begin(SECOND);
	fake_clock += 50 * MS;
	rl_lease_lose_by(lease, RL_LOSS_TAKEN_OVER);
	check_held_for(50 * MS);
	rl_lease_lose(lease);
	check_held_for(50 * MS);
}

static void a_lease_is_counted_until_its_proof_ends_whenever_that_is_noticed(void)
{
	begin(SECOND);
	fake_clock += 3 * SECOND;
	CHECK_INT(fake_stats.held, 1); /* not noticed yet */
	CHECK(!rl_lease_is_held(lease));
	check_held_for(SECOND - 12 * MS);
}

static void a_lease_is_counted_until_it_is_given_away(void)
{
	begin(SECOND);
	fake_clock += 20 * MS;
	rl_lease_give_away(lease);
	check_held_for(20 * MS);
}

static void a_lease_is_counted_until_it_is_freed(void)
{
	begin(SECOND);
	fake_clock += 20 * MS;
	rl_lease_free(lease);
	lease = NULL;
	check_held_for(20 * MS);
}

static void a_copy_in_a_child_is_not_counted(void)
{
	begin(SECOND);
	fake_fork();
	CHECK(!rl_lease_is_held(lease));
	rl_lease_leave(lease);
	rl_lease_free(lease);
	lease = NULL;
	CHECK_INT(fake_stats.held, 1); /* the gauge of the parent */
	CHECK_INT(fake_stats.hold_time.sum_ns, 0);
}

static void a_lease_that_is_only_to_be_released_is_not_counted(void)
{
	fake_begin(1);
	lease = rl_lease_new(&fake_env, bytes_of("k"), 0, 100, 0.01, RL_NAMES_PLAIN);
	rl_lease_begin(lease, bytes_of("a token"), SECOND, -(int64_t) RL_LOSS_EXPIRED);
	CHECK_INT(fake_stats.held, 0);
	rl_lease_free(lease);
	lease = NULL;
	CHECK_INT(fake_stats.held, 0);
}

static const check_test tests[] = {
	TEST(a_lease_is_counted_until_its_release_is_sent),
	TEST(a_lease_is_counted_until_a_batch_has_released_it),
	TEST(a_lease_is_counted_until_a_server_reports_its_loss),
	TEST(a_lease_is_counted_until_its_proof_ends_whenever_that_is_noticed),
	TEST(a_lease_is_counted_until_it_is_given_away),
	TEST(a_lease_is_counted_until_it_is_freed),
	TEST(a_copy_in_a_child_is_not_counted),
	TEST(a_lease_that_is_only_to_be_released_is_not_counted),
};

CHECK_MAIN(tests, clean_up)
