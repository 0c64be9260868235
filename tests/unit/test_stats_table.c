/* SPDX-License-Identifier: MIT
 *
 * The numbers of several processes in one table: rows of the living and the dead, and sums.
 */
#include "check.h"
#include "core/base/rl_stats_table.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 8
#define ROUNDS 20000

static rl_stats_table *table;
static uint64_t dead[RL_STATS_ROWS];
static size_t dead_count;

static void begin(void)
{
	table = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(table != MAP_FAILED);
	dead_count = 0;
}

static void clean_up(void)
{
	if (table != NULL) {
		munmap(table, sizeof *table);
		table = NULL;
	}
}

static bool lives(uint64_t owner)
{
	for (size_t i = 0; i < dead_count; i++) {
		if (dead[i] == owner) {
			return false;
		}
	}
	return true;
}

static rl_stats_row *take(uint64_t owner)
{
	return rl_stats_table_take(table, owner, lives);
}

static void die(uint64_t owner)
{
	dead[dead_count++] = owner;
}

/* The result is that of the last call. */
static const rl_stats_totals *sum(void)
{
	static rl_stats_totals totals;
	rl_stats_table_sum(table, lives, &totals);
	return &totals;
}

/* The same. */
static const rl_stats *read_own(const rl_stats_row *row)
{
	static rl_stats stats;
	rl_stats_row_read(row, &stats);
	return &stats;
}

/* ---- rows ---- */

static void sums_are_over_all_rows(void)
{
	begin();
	rl_stats_row *one = take(1);
	rl_stats_row *two = take(2);
	CHECK(one != NULL && two != NULL && one != two);
	rl_stats_add(&one->stats.acquired, 3);
	rl_stats_add(&two->stats.acquired, 4);
	rl_stats_add(&two->stats.wake_failures, 1);
	rl_stats_add(&one->stats.held, 2);
	rl_stats_add(&two->stats.waiting, 1);
	rl_histogram_add(&one->stats.round_trip, 40000);
	rl_histogram_add(&two->stats.round_trip, 50000);
	rl_stats_totals totals = *sum();
	CHECK_INT(totals.processes, 2);
	CHECK_INT(totals.stats.acquired, 7);
	CHECK_INT(totals.stats.wake_failures, 1);
	CHECK_INT(totals.stats.held, 2);
	CHECK_INT(totals.stats.waiting, 1);
	CHECK_INT(totals.stats.round_trip.sum_ns, 90000);
	CHECK_INT(totals.stats.round_trip.buckets[1], 2);
}

static void the_dead_stay_in_the_sums_and_leave_the_gauges(void)
{
	begin();
	rl_stats_row *one = take(1);
	rl_stats_add(&one->stats.acquired, 3);
	rl_stats_add(&one->stats.held, 2);
	CHECK_INT(sum()->stats.held, 2);
	die(1);
	rl_stats_totals totals = *sum();
	CHECK_INT(totals.processes, 0);
	CHECK_INT(totals.stats.acquired, 3);
	CHECK_INT(totals.stats.held, 0);
}

static void a_new_owner_begins_at_zero(void)
{
	begin();
	rl_stats_row *one = take(1);
	rl_stats_add(&one->stats.acquired, 3);
	rl_stats_add(&one->stats.held, 2);
	rl_histogram_add(&one->stats.hold_time, 5);
	die(1);
	sum(); /* notices the death */
	rl_stats_row *two = take(2);
	CHECK(two == one);
	rl_stats own = *read_own(two);
	CHECK_INT(own.acquired, 0);
	CHECK_INT(own.held, 0);
	CHECK_INT(own.hold_time.sum_ns, 0);
	rl_stats_add(&two->stats.acquired, 1);
	rl_stats_add(&two->stats.held, 1);
	own = *read_own(two);
	CHECK_INT(own.acquired, 1);
	CHECK_INT(own.held, 1);
	CHECK_INT(sum()->stats.acquired, 4);
	CHECK_INT(sum()->stats.held, 1);
}

static void a_row_that_is_given_back_is_taken_again(void)
{
	begin();
	rl_stats_row *one = take(1);
	rl_stats_row *two = take(2);
	rl_stats_add(&one->stats.acquired, 3);
	rl_stats_table_give_back(table, 1, one);
	CHECK_INT(sum()->processes, 1);
	CHECK_INT(sum()->stats.acquired, 3);
	CHECK(take(3) == one);
	rl_stats_table_give_back(table, 1, two); /* two is not its row */
	CHECK_INT(sum()->processes, 2);
}

/* The pid is that of the dead owner, but the mark is another one. */
static void a_reused_pid_is_another_owner(void)
{
	const uint64_t old_mark = UINT64_C(7) << 32 | 100;
	const uint64_t new_mark = UINT64_C(8) << 32 | 100;
	begin();
	rl_stats_row *one = take(old_mark);
	rl_stats_add(&one->stats.held, 5);
	die(old_mark);
	rl_stats_row *two = take(new_mark);
	CHECK(two != one); /* a free row comes first */
	rl_stats_add(&two->stats.held, 1);
	CHECK_INT(sum()->stats.held, 1);
	CHECK_INT(sum()->processes, 1);
}

static void without_a_free_row_the_dead_make_room(void)
{
	begin();
	for (uint64_t i = 1; i <= RL_STATS_ROWS; i++) {
		CHECK(take(i) != NULL);
	}
	CHECK(take(5000) == NULL);
	CHECK(take(5001) == NULL);
	CHECK_INT(sum()->turned_away, 2);
	CHECK_INT(sum()->processes, RL_STATS_ROWS);
	rl_stats_add(&table->rows[77].stats.acquired, 9);
	die(78);
	rl_stats_row *row = take(5002);
	CHECK(row == &table->rows[77]);
	CHECK_INT(read_own(row)->acquired, 0);
	CHECK_INT(sum()->stats.acquired, 9);
	CHECK_INT(sum()->turned_away, 2);
}

/* ---- processes ---- */

/* Counts, and ends in the middle of all as a killed process does. */
static void work(uint64_t owner)
{
	rl_stats_row *row = take(owner);
	for (int i = 0; i < ROUNDS && row != NULL; i++) {
		rl_stats_add(&row->stats.acquired, 1);
		rl_stats_add(&table->rows[0].stats.tries, 1); /* all in one row */
		rl_stats_add(&row->stats.held, 1);
		rl_histogram_add(&row->stats.wait_time, i);
	}
	_exit(row != NULL ? 0 : 1);
}

static void processes_that_count_at_once_lose_nothing(void)
{
	begin();
	pid_t children[CHILDREN];
	for (uint64_t i = 0; i < CHILDREN; i++) {
		children[i] = fork();
		CHECK(children[i] >= 0);
		if (children[i] == 0) {
			work(i + 1);
		}
	}
	for (int i = 0; i < CHILDREN; i++) {
		int status;
		CHECK(waitpid(children[i], &status, 0) == children[i]);
		CHECK_INT(status, 0);
	}
	rl_stats_totals totals = *sum();
	CHECK_INT(totals.processes, CHILDREN);
	CHECK_INT(totals.stats.acquired, CHILDREN * ROUNDS);
	CHECK_INT(totals.stats.tries, CHILDREN * ROUNDS);
	CHECK_INT(totals.stats.held, CHILDREN * ROUNDS);
	die(3);
	totals = *sum();
	CHECK_INT(totals.stats.acquired, CHILDREN * ROUNDS);
	CHECK_INT(totals.stats.held, (CHILDREN - 1) * ROUNDS);
}

/* ---- histograms ---- */

static void each_time_is_in_the_bucket_of_its_bound(void)
{
	static const struct {
		int64_t ns;
		int64_t bucket;
	} cases[] = {{-5, 0}, {0, 0}, {1, 0}, {32000, 0}, {32001, 1}, {64000, 1}, {64001, 2},
		{INT64_C(1000000000), 15}, {INT64_C(32000) << 30, 30}, {(INT64_C(32000) << 30) + 1, 31},
		{INT64_MAX, 31}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		rl_histogram histogram = {0};
		rl_histogram_add(&histogram, cases[i].ns);
		CHECK_INT(histogram.buckets[cases[i].bucket], 1);
	}
}

static const check_test tests[] = {
	TEST(sums_are_over_all_rows),
	TEST(the_dead_stay_in_the_sums_and_leave_the_gauges),
	TEST(a_new_owner_begins_at_zero),
	TEST(a_row_that_is_given_back_is_taken_again),
	TEST(a_reused_pid_is_another_owner),
	TEST(without_a_free_row_the_dead_make_room),
	TEST(processes_that_count_at_once_lose_nothing),
	TEST(each_time_is_in_the_bucket_of_its_bound),
};

CHECK_MAIN(tests, clean_up)
