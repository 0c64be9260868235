/* SPDX-License-Identifier: MIT
 *
 * maxHold: no renewal sets the end of a key beyond hold_until, however late it is sent, and
 * ownership ends there.
 */
#include "check.h"
#include "watching.h"

#include <inttypes.h>
#include <stdio.h>

static int64_t key_ends_at; /* the latest end that a renewal has set */
static unsigned renewals;

/* Answers yes, and notes the end of the key that the renewal sets. */
static bool note_end(const char *words, bool is_taken, fake_plan *plan)
{
	int64_t ttl_ms;
	*plan = (fake_plan){FAKE_SAY, ":1", 0};
	if (is_taken && sscanf(words, "%*s k tok %" SCNd64, &ttl_ms) == 1) {
		renewals++;
		CHECK(ttl_ms > 0);
		int64_t end = fake_run_at + ttl_ms * MS;
		key_ends_at = end > key_ends_at ? end : key_ends_at;
	}
	return true;
}

static rl_renewal *keep_connecting_for(int64_t connect_ms, int64_t ttl_ms, int64_t hold_ms)
{
	watching_begin(1);
	fake_set.members[0].connect_timeout_ns = connect_ms * MS;
	fake_improvise = note_end;
	renewals = 0;
	rl_renewal *one = watching_prepare("k");
	watching_tell(one);
	one->hold_until = FAKE_START + hold_ms * MS + FAKE_BLINK;
	watching_win(one, ttl_ms);
	key_ends_at = fake_clock + ttl_ms * MS;
	return one;
}

static rl_renewal *keep(int64_t ttl_ms, int64_t hold_ms)
{
	return keep_connecting_for(1000, ttl_ms, hold_ms);
}

static void check_is_over_at(int64_t ms)
{
	watching_to(ms - 10);
	CHECK_INT(watching_losses, 0);
	watching_to(ms);
	CHECK_INT(watching_losses, 1);
	CHECK(key_ends_at <= FAKE_START + ms * MS + FAKE_BLINK);
	fake_forget_log();
	watching_to(ms + 100000);
	CHECK_LOG("");
	CHECK_INT(fake_stats.lost, 1);
}

static void the_last_renewals_set_a_shorter_ttl(void)
{
	keep(TTL, 50000);
	watching_to(20000);
	CHECK_COUNT("10000 a1 renew k tok 30002\n", 1);
	CHECK_COUNT("20000 a1 renew k tok 30000\n", 1);
	check_is_over_at(50000);
	CHECK(renewals < 5); /* no renewal is sent once the lease cannot gain any time */
}

static void drift_shortens_the_proof_and_not_the_hold(void)
{
	watching_begin(1);
	keep(TTL, 50000)->lease->drift_factor = 0.01;
	watching_to(20000);
	check_is_over_at(50000);
	CHECK(renewals < 40);
}

static void a_lease_won_for_longer_is_not_renewed(void)
{
	keep(TTL, 20000);
	watching_to(29999);
	CHECK_LOG("");
	CHECK_INT(watching_losses, 0);
	watching_to(30000);
	CHECK_INT(watching_losses, 1);
}

static void the_end_of_the_hold_may_be_a_moment_ahead(void)
{
	for (int64_t hold_us = 3000; hold_us < 20000; hold_us += 250) {
		rl_renewal *one = keep(12, 0); /* due at 3.3 ms, proven for 10 */
		one->hold_until = FAKE_START + hold_us * 1000;
		watching_to(100);
		CHECK_INT(watching_losses, 1);
		int64_t won_until = FAKE_START + 12 * MS;
		int64_t end = one->hold_until > won_until ? one->hold_until : won_until;
		CHECK(key_ends_at <= end + FAKE_BLINK); /* the command takes a moment to the server */
		CHECK(renewals < 20);
		watching_end();
	}
}

/* The connection comes late. The renewal then sets the TTL that is left of the hold. */
static void a_renewal_that_is_late_sets_a_shorter_ttl(void)
{
	keep_connecting_for(3600000, TTL, 35000);
	fake_dials(0, FAKE_ACCEPT, 4 * SECOND);
	watching_to(14000);
	CHECK_COUNT("14000 a1 renew k tok 21000\n", 1);
	check_is_over_at(35000);
}

static void a_renewal_that_is_sent_again_sets_a_shorter_ttl(void)
{
	keep(TTL, 35000);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	for (int i = 0; i < 3; i++) {
		fake_dials(0, FAKE_ACCEPT, 0);
	}
	watching_to(14000);
	CHECK_COUNT("10000 a1 renew k tok 25000\n", 1);
	CHECK_COUNT("11010 a2 renew k tok 23990\n", 1);
	CHECK_COUNT("12030 a3 renew k tok 22970\n", 1);
	check_is_over_at(35000);
}

static void a_renewal_sent_again_as_text_sets_a_shorter_ttl(void)
{
	keep(TTL, 35000);
	fake_acts(0, FAKE_SAY, "-NOSCRIPT x", 900 * MS);
	watching_to(10900);
	CHECK_COUNT("10900 a1 RENEW k tok 24100\n", 1);
	check_is_over_at(35000);
}

/* The server is away until nothing of the hold is left. A TTL of 0 or less is never sent. */
static void a_renewal_that_comes_too_late_is_not_sent(void)
{
	rl_renewal *one = keep(TTL, 20000);
	watching_to(5000);
	rl_lease_expect(one->lease, 12002 * MS);
	CHECK(rl_lease_confirm(
		one->lease, 12002 * MS, fake_clock)); /* by its owner, so the lease is proven until 17 s */
	key_ends_at = fake_clock + 12002 * MS;
	rl_renewer_changed(one);
	one->hold_until = FAKE_START + 17500 * MS;
	for (int i = 0; i < 12; i++) {
		fake_acts(0, FAKE_SILENCE, NULL, 0);
	}
	watching_to(60000);
	CHECK_INT(watching_losses, 1);
	CHECK(key_ends_at <= one->hold_until);
}

/* The owner has extended the lease beyond that end meanwhile. The owner may do so, but the watch
 * may not. */
static void a_renewal_after_the_end_is_not_sent(void)
{
	rl_renewal *one = keep(TTL, 35000);
	fake_refuses(0, 31); /* until 34.27 s */
	watching_to(10500);
	rl_lease_expect(one->lease, 60002 * MS);
	CHECK(rl_lease_confirm(one->lease, 60002 * MS, fake_clock));
	rl_renewer_changed(one);
	watching_to(70499);
	CHECK_COUNT("dial", 31); /* nothing could be sent any more */
	CHECK_INT(renewals, 0);
	CHECK_INT(watching_losses, 0);
	watching_to(90000);
	CHECK_INT(watching_losses, 1);
	CHECK_INT(renewals, 0);
}

static const check_test tests[] = {
	TEST(the_last_renewals_set_a_shorter_ttl),
	TEST(drift_shortens_the_proof_and_not_the_hold),
	TEST(a_lease_won_for_longer_is_not_renewed),
	TEST(the_end_of_the_hold_may_be_a_moment_ahead),
	TEST(a_renewal_that_is_late_sets_a_shorter_ttl),
	TEST(a_renewal_that_is_sent_again_sets_a_shorter_ttl),
	TEST(a_renewal_sent_again_as_text_sets_a_shorter_ttl),
	TEST(a_renewal_that_comes_too_late_is_not_sent),
	TEST(a_renewal_after_the_end_is_not_sent),
};

CHECK_MAIN(tests, watching_end)
