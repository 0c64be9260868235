/* SPDX-License-Identifier: MIT
 *
 * The watch without memory, at each place where some is requested. A lease that cannot be prepared
 * fails before the lock is taken. A lease under watch is renewed when there is memory again, and
 * lost by the clock when there is none. The fake network, which has no malloc, counts its dials and
 * appends along.
 */
#include "check.h"
#include "fake_memory.h"
#include "watching.h"

#include <stdio.h>
#include <string.h>

#define LEASES 40

static void clean_up(void)
{
	is_counting = false;
	watching_end();
}

static void login(void)
{
	fake_targets[0].user = (char *) (uintptr_t) "me";
	fake_targets[0].password = (rl_secret){(char *) (uintptr_t) "word", 4};
	fake_targets[0].database = 2;
}

/* ---- preparing ---- */

/* Prepares a lease as the glue does. The leases before it have filled the heap. */
static bool prepare_one_more(void)
{
	watching_begin(3);
	login();
	for (int i = 0; i < 16; i++) {
		watching_prepare("k");
	}
	fake_set.count = 2;
	fake_set.members[0].target = &fake_targets[3];
	fake_memory_fails();
	rl_renewal *one = watching_prepare("l");
	is_counting = false;
	if (one != NULL) {
		watching_win(one, TTL);
		watching_to(10000);
		CHECK(rl_lease_is_held(one->lease));
	}
	CHECK_INT(watching.all_count, one != NULL ? 17 : 16);
	return one != NULL;
}

static void a_lease_is_prepared_with_all_its_memory_or_not_at_all(void)
{
	fails_at = 0;
	CHECK(prepare_one_more());
	unsigned all = asked;
	watching_end();
	CHECK(all >= 6); /* lease, record, heap, the server with its target, host and name */
	for (fails_at = 1; fails_at <= all; fails_at++) {
		CHECK(!prepare_one_more());
		watching_end();
	}
}

static bool has_target_copy(void)
{
	fake_memory_fails();
	rl_target *copy = rl_target_copy(&fake_targets[0]);
	is_counting = false;
	if (copy != NULL) {
		CHECK(rl_target_equal(copy, &fake_targets[0]));
		CHECK_INT(copy->refs, 1);
	}
	rl_target_unref(copy);
	return copy != NULL;
}

static void a_target_is_copied_whole_or_not_at_all(void)
{
	watching_begin(1);
	login();
	fails_at = 0;
	CHECK(has_target_copy());
	unsigned all = asked;
	CHECK_INT(all, 5);
	for (fails_at = 1; fails_at <= all; fails_at++) {
		CHECK(!has_target_copy());
	}
}

/* ---- renewing ---- */

static bool serve(const char *words, bool is_taken, fake_plan *plan)
{
	static bool is_known;
	if (strncmp(words, "RELEASE", 7) == 0) {
		return false;
	}
	is_known = is_taken ? is_known || words[0] == 'R' : is_known;
	*plan = (fake_plan){FAKE_SAY, is_known ? ":1" : "-NOSCRIPT x", 0};
	if (fake_count("renew") + fake_count("RENEW") == 1) {
		is_known = false;
		*plan = (fake_plan){FAKE_SAY, "-NOSCRIPT x", 0};
	}
	return true;
}

/* Renewals with a login, the text of the script, more commands in flight than the ring has room
 * for, and a connection that breaks. */
static void renew_many(int64_t until_ms)
{
	watching_begin(1);
	login();
	fake_improvise = serve;
	for (int i = 0; i < LEASES; i++) {
		char key[16];
		snprintf(key, sizeof key, "k%d", i);
		rl_renewal *one = watching_keep(key, 3002); /* due after a second */
		watching_tell(one);
	}
	fake_memory_fails();
	watching_to(1500);
	fake_kill(0);
	watching_to(until_ms);
	is_counting = false;
}

static void one_failed_allocation_loses_no_lease(void)
{
	is_lasting = false;
	fails_at = 0;
	renew_many(2900);
	unsigned all = asked;
	watching_end();
	CHECK(all >= 3 * LEASES);
	for (fails_at = 1; fails_at <= all; fails_at++) {
		renew_many(2900);
		CHECK_INT(watching_losses, 0);
		CHECK_INT(fake_stats.lost, 0);
		CHECK(fake_stats.renewed >= 2 * LEASES);
		watching_end();
	}
}

static void a_renewal_without_memory_is_sent_soon(void)
{
	watching_begin(1);
	is_lasting = false;
	watching_keep("k", TTL);
	watching_to(19999);
	fails_at = 1;
	fake_memory_fails();
	watching_to(20010);
	is_counting = false;
	CHECK_COUNT("renew", 2);
	CHECK_COUNT("20010 a1 renew", 1);
}

static void leases_without_any_memory_are_lost_by_the_clock(void)
{
	is_lasting = true;
	for (fails_at = 1; fails_at <= 150; fails_at++) {
		renew_many(2900);
		is_counting = true;
		watching_to(7000);
		is_counting = false;
		CHECK_INT(watching_losses, LEASES);
		CHECK_INT(watching.heap.count, 0);
		watching_end();
	}
}

static void leases_are_renewed_once_there_is_memory_again(void)
{
	is_lasting = true;
	for (fails_at = 1; fails_at <= 8; fails_at++) {
		renew_many(2400);
		CHECK_INT(watching_losses, 0);
		watching_to(3900);
		CHECK_INT(watching_losses, 0);
		CHECK(fake_stats.renewed >= LEASES);
		CHECK(watching_steps < 500); /* the watch makes pauses between its tries */
		watching_end();
	}
}

static void a_release_without_memory_is_left_to_the_ttl(void)
{
	watching_begin(1);
	fake_improvise = NULL;
	rl_renewal *one = watching_keep("k", TTL);
	watching_to(10000);
	is_lasting = true;
	fails_at = 1;
	fake_memory_fails();
	watching_let_go(one, false);
	is_counting = false;
	CHECK_COUNT("RELEASE", 0);
	watching_to(60000);
	CHECK_COUNT("RELEASE", 0);
}

static const check_test tests[] = {
	TEST(a_lease_is_prepared_with_all_its_memory_or_not_at_all),
	TEST(a_target_is_copied_whole_or_not_at_all),
	TEST(one_failed_allocation_loses_no_lease),
	TEST(a_renewal_without_memory_is_sent_soon),
	TEST(leases_without_any_memory_are_lost_by_the_clock),
	TEST(leases_are_renewed_once_there_is_memory_again),
	TEST(a_release_without_memory_is_left_to_the_ttl),
};

CHECK_MAIN(tests, clean_up)
