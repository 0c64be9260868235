/* SPDX-License-Identifier: MIT
 *
 * The order in which leases are due. Many leases begin, end and are changed at random, and a simple
 * model looks at all of them each time. A failure names the seed that shows it.
 */
#include "check.h"
#include "core/base/rl_time.h"
#include "watching.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A cc with -DSEEDS=10000 looks further. */
#ifndef SEEDS
# define SEEDS 60
#endif

#define LEASES 150
#define OPERATIONS 400

typedef struct entry {
	rl_renewal *renewal; /* NULL = the entry has no lease */
	int64_t ttl;
	int64_t proof;
	int64_t renew_at;   /* RL_NEVER = not won yet */
	int64_t renewed_at; /* the latest round that has renewed the lease */
	int64_t heard_at;   /* when the server has run the last renewal */
} entry;

static entry entries[LEASES];
static uint64_t random_state;
static unsigned seed;
static unsigned renewals;
static bool has_tie; /* two leases were due at the same moment, and either may be the first */

static uint32_t any(uint32_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t) (random_state >> 33) % below;
}

static int64_t any_ns(int64_t least_ms, int64_t most_ms)
{
	return least_ms * MS + (int64_t) any((uint32_t) (most_ms - least_ms)) * MS + any(1000000);
}

static bool hear(const char *words, bool is_taken, fake_plan *plan)
{
	unsigned number;
	if (is_taken && sscanf(words, "%*s k%u", &number) == 1) {
		if (number >= LEASES || entries[number].renewal == NULL) {
			FAIL("seed %u: one that has ended is renewed: %s", seed, words);
		}
		entries[number].heard_at = fake_run_at;
		renewals++;
	}
	return fake_yes(words, is_taken, plan);
}

/* ---- the model ---- */

static void plan(entry *one)
{
	int64_t proven = one->ttl - rl_drift(one->renewal->lease->drift_factor, one->ttl);
	one->proof = fake_clock + proven;
	one->renew_at = fake_clock + proven / 3;
}

/* A lease that is renewed now is due next at its end. */
static int64_t due_of(const entry *one, int64_t now)
{
	return one->renewed_at == now ? one->proof : one->renew_at;
}

static entry *first_due(int64_t now)
{
	entry *first = NULL;
	for (unsigned i = 0; i < LEASES; i++) {
		entry *one = &entries[i];
		bool counts = one->renewal != NULL && one->renew_at != RL_NEVER;
		has_tie = has_tie || (counts && first != NULL && due_of(one, now) == due_of(first, now));
		if (counts && (first == NULL || due_of(one, now) < due_of(first, now))) {
			first = one;
		}
	}
	return first;
}

/* Renews the first lease that is due, and those after it as long as they are near. */
static void renew_due(int64_t now)
{
	entry *one = first_due(now);
	while (one->renewed_at != now && one->renew_at - one->ttl / 12 <= now) {
		one->renewed_at = now;
		one = first_due(now);
	}
	for (unsigned i = 0; i < LEASES; i++) {
		if (entries[i].renewal != NULL && entries[i].renewed_at == now) {
			plan(&entries[i]);
		}
	}
}

static void check_heard(int64_t now)
{
	for (unsigned i = 0; i < LEASES && !has_tie; i++) {
		const entry *one = &entries[i];
		if (one->renewal != NULL && (one->renewed_at == now) != (one->heard_at == now)) {
			FAIL("seed %u: k%u is renewed %s at %" PRId64, seed, i,
				one->heard_at == now ? "without need" : "not", now - FAKE_START);
		}
	}
}

static void pass(int64_t until)
{
	for (entry *first = first_due(-1); first != NULL && first->renew_at <= until && !has_tie;
		 first = first_due(-1)) {
		int64_t at = first->renew_at;
		watching_to_time(at - 1);
		watching_to_time(at);
		renew_due(at);
		check_heard(at);
		fake_forget_log();
	}
	unsigned before = renewals;
	watching_to_time(until);
	CHECK(has_tie || renewals == before);
}

/* ---- the heap ---- */

static void check_heap(void)
{
	size_t count = 0;
	for (const rl_renewal *one = watching.all; one != NULL; one = one->next) {
		if (one->heap_at == 0) {
			continue;
		}
		count++;
		size_t at = one->heap_at;
		if (at > watching.heap.count || watching.heap.entries[at - 1] != one ||
			(at > 1 && watching.heap.entries[at / 2 - 1]->due_at > one->due_at)) {
			FAIL("seed %u: the heap is out of order at %zu", seed, at);
		}
	}
	CHECK_INT(count, (int64_t) watching.heap.count);
	CHECK(watching.heap.count <= watching.all_count);
	CHECK(watching.all_count <= watching.heap.room);
	CHECK(watching.heap.count == 0 || watching.until <= watching.heap.entries[0]->due_at);
}

/* ---- the acts ---- */

static void begin_one(entry *one)
{
	char key[16];
	snprintf(key, sizeof key, "k%u", (unsigned) (one - entries));
	*one = (entry){
		.renewal = watching_prepare(key), .ttl = any(4980) * MS + 20 * MS, .renew_at = RL_NEVER};
	/* Each lease has a slightly greater drift, so that hardly ever two are due at the same
	 * moment. */
	one->renewal->lease->drift_factor = 1e-6 * (double) (one - entries);
}

static void win_one(entry *one)
{
	watching_win(one->renewal, one->ttl / MS);
	plan(one);
}

static void change_one(entry *one)
{
	rl_lease *lease = one->renewal->lease;
	int64_t planned = one->renew_at;
	one->ttl = any(4980) * MS + 20 * MS;
	rl_lease_expect(lease, one->ttl);
	rl_renewer_changed(one->renewal);
	CHECK(rl_lease_confirm(lease, one->ttl, fake_clock));
	rl_renewer_changed(one->renewal);
	plan(one);
	one->renew_at = rl_time_earlier(one->renew_at, planned);
}

static void end_one(entry *one)
{
	watching_let_go(one->renewal, true);
	one->renewal = NULL;
}

static void do_one(void)
{
	entry *one = &entries[any(LEASES)];
	if (one->renewal == NULL) {
		begin_one(one);
	} else if (one->renew_at == RL_NEVER) {
		win_one(one);
	} else if (any(2) == 0) {
		change_one(one);
	} else {
		end_one(one);
	}
	check_heap();
}

static void leases_are_renewed_at_the_times_of_a_model(void)
{
	uint64_t all_renewals = 0;
	for (seed = 1; seed <= SEEDS; seed++) {
		random_state = seed * UINT64_C(2654435761);
		watching_begin(1);
		fake_hold_clock();
		fake_improvise = hear;
		memset(entries, 0, sizeof entries);
		renewals = 0;
		has_tie = false;
		/* Some rounds with few leases, some with many. */
		uint32_t pause_ms = 1 + any(60);
		for (unsigned i = 0; i < OPERATIONS && !has_tie; i++) {
			for (uint32_t j = any(8); j > 0; j--) {
				do_one();
			}
			pass(fake_clock + any_ns(0, pause_ms));
			check_heap();
		}
		all_renewals += renewals;
		CHECK_INT(fake_stats.lost, 0);
		CHECK_INT(fake_stats.renewed, renewals);
		watching_end();
	}
	CHECK(all_renewals > 100 * SEEDS);
}

static const check_test tests[] = {
	TEST(leases_are_renewed_at_the_times_of_a_model),
};

CHECK_MAIN(tests, watching_end)
