/* SPDX-License-Identifier: MIT
 *
 * The watch without memory, at each place where some is asked for: what can fail fails before the
 * lock is asked for; a lease under watch is renewed when there is memory again, and lost by the
 * clock when there is none. The fake network, which has no malloc, counts its dials and appends
 * along.
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

/* As the glue does it; the leases before it have filled the heap. */
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

static void what_can_fail_fails_before_the_lock_is_asked_for(void)
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

static void half_a_target_is_none(void)
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

/* A login, the script's text, more in flight than the ring has room for, a connection that breaks.
 */
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

static void one_failure_loses_nothing(void)
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

static void what_there_was_no_memory_for_is_sent_soon(void)
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

static void without_any_memory_they_are_lost_by_the_clock(void)
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

static void when_there_is_memory_again_they_are_renewed(void)
{
	is_lasting = true;
	for (fails_at = 1; fails_at <= 8; fails_at++) {
		renew_many(2400);
		CHECK_INT(watching_losses, 0);
		watching_to(3900);
		CHECK_INT(watching_losses, 0);
		CHECK(fake_stats.renewed >= LEASES);
		CHECK(watching_steps < 500); /* it does not try without a pause */
		watching_end();
	}
}

static void a_release_that_lacks_memory_is_left_to_the_ttl(void)
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
	TEST(what_can_fail_fails_before_the_lock_is_asked_for),
	TEST(half_a_target_is_none),
	TEST(one_failure_loses_nothing),
	TEST(what_there_was_no_memory_for_is_sent_soon),
	TEST(without_any_memory_they_are_lost_by_the_clock),
	TEST(when_there_is_memory_again_they_are_renewed),
	TEST(a_release_that_lacks_memory_is_left_to_the_ttl),
};

CHECK_MAIN(tests, clean_up)
