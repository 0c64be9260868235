/* SPDX-License-Identifier: MIT
 *
 * The watch and leases that are lost: which callbacks are called, how often, and what is done about
 * a key that a server may still have.
 */
#include "check.h"
#include "watching.h"

#include <string.h>

static rl_renewal *keep_told_by(int64_t (*on_lost)(void *), int64_t ttl_ms)
{
	rl_renewal *one = watching_prepare("k");
	watching_tell(one);
	one->on_lost = on_lost;
	watching_win(one, ttl_ms);
	return one;
}

static rl_renewal *keep(int64_t ttl_ms)
{
	return keep_told_by(watching_note_loss, ttl_ms);
}

/* The first renewal may have been carried out, and so many dials are refused then. */
static void leave_in_doubt(unsigned refusals)
{
	fake_dials(0, FAKE_ACCEPT, 0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_refuses(0, refusals);
}

/* ---- losses that a server reports ---- */

static void a_lease_that_a_server_disowns_is_lost_at_once(void)
{
	static const struct {
		const char *answer;
		rl_loss loss;
	} cases[] = {{":0", RL_LOSS_DELETED}, {":-1", RL_LOSS_TAKEN_OVER},
		{"-WRONGTYPE Operation against a key holding the wrong kind of value", RL_LOSS_TAKEN_OVER}};
	for (size_t i = 0; i < 3; i++) {
		watching_begin(1);
		rl_renewal *one = keep(TTL);
		fake_says(0, cases[i].answer);
		watching_to(10000);
		CHECK_INT(watching_losses, 1);
		CHECK(!rl_lease_is_held(one->lease));
		CHECK(rl_lease_is_lost(one->lease));
		CHECK_INT(rl_lease_loss(one->lease), cases[i].loss);
		CHECK(!rl_lease_is_open(one->lease)); /* no key of ours is left to release */
		CHECK_INT(one->lease->in_flight, 0);
		CHECK_INT(fake_stats.lost, 1);
		CHECK_INT(fake_stats.renewed, 0);
		fake_forget_log();
		watching_to(90000);
		CHECK_LOG("");
		CHECK_INT(watching_losses, 1);
		CHECK_INT(fake_stats.lost, 1);
		watching_end();
	}
}

static void other_leases_are_still_renewed(void)
{
	watching_begin(1);
	keep(TTL);
	rl_renewal *other = watching_keep("l", TTL);
	fake_says(0, ":0");
	watching_to(50000);
	CHECK_COUNT("renew k", 1);
	CHECK_COUNT("renew l", 5);
	CHECK_INT(watching_left(other), 30000);
}

static void an_owner_may_learn_of_the_loss_before_the_watch(void)
{
	watching_begin(1);
	rl_renewal *one = keep(TTL);
	watching_to(3000);
	rl_lease_lose(one->lease);
	rl_renewer_changed(one);
	CHECK_INT(watching_losses, 0); /* the callback is called by the thread of the watch */
	watching_to(3000);
	CHECK_INT(watching_losses, 1);
	watching_to(90000);
	CHECK_INT(watching_losses, 1);
	CHECK_INT(fake_stats.lost, 1);
	CHECK_LOG("");
}

static void an_owner_may_see_the_end_before_the_watch(void)
{
	watching_begin(1);
	rl_renewal *one = keep(TTL);
	fake_refuses(0, 100);
	watching_to(29999);
	fake_clock += MS;
	CHECK(!rl_lease_is_held(one->lease));
	watching_to(30000);
	CHECK_INT(watching_losses, 1);
	CHECK_INT(fake_stats.lost, 1);
}

/* ---- the callback ---- */

static void a_callback_that_asks_for_it_is_called_again_after_a_pause(void)
{
	watching_begin(1);
	keep_told_by(watching_note_loss_again, TTL);
	fake_says(0, ":0");
	watching_to(10000);
	CHECK_INT(watching_losses, 1);
	int64_t at = 10000;
	for (unsigned i = 0; i < 10; i++) {
		at += 5;
		watching_to(at - 1);
		CHECK_INT(watching_losses, 1 + i);
		watching_to(at);
		CHECK_INT(watching_losses, 2 + i);
	}
	CHECK_INT(fake_stats.lost, 1);
}

static void a_callback_that_does_not_ask_for_it_is_not_called_again(void)
{
	watching_begin(1);
	rl_renewal *one = keep_told_by(watching_note_loss_again, TTL);
	fake_says(0, ":0");
	watching_to(10005);
	CHECK_INT(watching_losses, 2);
	one->on_lost = watching_note_loss;
	watching_to(10010);
	CHECK_INT(watching_losses, 3);
	watching_to(90000);
	CHECK_INT(watching_losses, 3);
}

/* The owner releases the lease by itself from then on. */
static void the_answer_to_a_release_does_not_end_a_pause(void)
{
	watching_begin(1);
	fake_improvise = NULL;
	rl_renewal *one = keep_told_by(watching_note_loss_again, TTL);
	fake_acts(0, FAKE_SAY, ":1", 0);
	watching_to(10000);
	one->members[0].needs_release = true;
	rl_lease_lose(one->lease);
	rl_renewer_changed(one);
	fake_acts(0, FAKE_SAY, ":1", 20 * MS);
	watching_to(10004);
	CHECK_COUNT("RELEASE", 1);
	CHECK_INT(watching_losses, 1);
	rl_renewer_pause(one);
	watching_to(12000);
	CHECK_INT(one->heap_at, 0);
	CHECK_INT(watching_losses, 1);
}

static void the_callback_of_a_paused_lease_is_not_called_again(void)
{
	watching_begin(1);
	rl_renewal *one = keep_told_by(watching_note_loss_again, TTL);
	fake_says(0, ":0");
	watching_to(10005);
	rl_renewer_pause(one);
	watching_to(90000);
	CHECK_INT(watching_losses, 2);
}

static void a_lease_may_have_no_callback(void)
{
	watching_begin(1);
	watching_keep("k", TTL);
	fake_says(0, ":0");
	watching_to(90000);
	CHECK_COUNT("renew", 1);
	CHECK_INT(fake_stats.lost, 1);
}

/* ---- late answers ---- */

/* A lease of 12 ms is proven for 10 ms. Its renewal is due after 3.3 ms, and the watch waits 5
 * ms for the answer. */

static void a_late_answer_does_not_revive_a_lease(void)
{
	watching_begin(1);
	rl_renewal *one = keep(12);
	fake_acts(0, FAKE_SAY, ":1", 2 * MS);
	watching_to(4);
	fake_lag(7 * MS); /* the process is stopped while the answer comes */
	watching_to(40);
	CHECK(!rl_lease_is_held(one->lease));
	CHECK_INT(watching_losses, 1);
	CHECK_INT(fake_stats.renewed, 0);
	CHECK_INT(fake_stats.lost, 1);
	/* The server has carried out the renewal. */
	CHECK_LOG("3 a1 dial\n3 a1 renew k tok 12\n3 a1 NAME\n12 a1 RELEASE k tok\n");
}

static void an_answer_that_is_still_to_come_is_followed_by_a_release(void)
{
	watching_begin(1);
	rl_renewal *one = keep(12);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	watching_to(40);
	CHECK(!rl_lease_is_held(one->lease));
	CHECK_INT(one->lease->in_flight, 0);
	CHECK_INT(watching_losses, 1);
	CHECK_INT(fake_stats.renewed, 0);
	CHECK_LOG("3 a1 dial\n3 a1 renew k tok 12\n3 a1 NAME\n8 a1 end\n"
			  "18 a2 dial\n18 a2 RELEASE k tok\n18 a2 NAME\n");
}

static void the_release_of_a_lost_lease_wakes_waiters(void)
{
	watching_begin(1);
	fake_set.wakes = true;
	keep(12);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	watching_to(40);
	CHECK_COUNT("18 a2 RELEASE+ k tok\n", 1);
}

static void a_lost_lease_with_a_callers_token_is_not_released(void)
{
	for (int i = 0; i < 2; i++) {
		watching_begin(1);
		rl_renewal *one = keep(12);
		one->lease->is_own_token = true;
		if (i == 0) {
			fake_acts(0, FAKE_SILENCE, NULL, 0);
			fake_acts(0, FAKE_SAY, ":1", 3 * MS);
		} else {
			fake_acts(0, FAKE_SAY, ":1", 2 * MS);
			watching_to(4);
			fake_lag(7 * MS);
		}
		watching_to(1000);
		CHECK_INT(watching_losses, 1);
		CHECK_COUNT("RELEASE", 0);
		watching_end();
	}
}

static void the_connection_goes_on_serving_other_leases(void)
{
	watching_begin(1);
	keep(12);
	watching_keep("l", 62); /* due at 20 */
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	watching_to(20);
	CHECK_INT(watching_losses, 1);
	CHECK_COUNT("18 a2 RELEASE k tok\n", 1);
	CHECK_COUNT("18 a2 renew l tok 62", 1); /* near enough to go along */
	CHECK_INT(fake_stats.renewed, 1);
}

/* ---- servers that cannot be reached at once ---- */

static void a_server_that_comes_back_gets_the_release(void)
{
	watching_begin(1);
	keep(TTL);
	leave_in_doubt(30);
	watching_to(29999);
	CHECK_INT(watching_losses, 0);
	watching_to(60000);
	CHECK_INT(watching_losses, 1);
	CHECK_COUNT("renew", 1);
	CHECK_COUNT("RELEASE k tok", 1);
	CHECK_HAS(fake_log(), "a32 dial\n");
	CHECK_HAS(fake_log(), "a32 RELEASE k tok\n");
	CHECK_COUNT("dial", 32);
}

static void the_release_follows_the_login(void)
{
	watching_begin(1);
	fake_targets[0].password = (rl_secret){(char *) (uintptr_t) "word", 4};
	keep(TTL);
	leave_in_doubt(30);
	watching_to(60000);
	CHECK_HAS(fake_log(), "a32 AUTH word\n");
	CHECK(strstr(fake_log(), "a32 AUTH word\n") < strstr(fake_log(), "a32 RELEASE k tok\n"));
}

static void no_release_is_sent_after_the_end_of_the_key(void)
{
	watching_begin(1);
	keep(TTL);
	leave_in_doubt(150);
	watching_to(60002);
	CHECK_COUNT("RELEASE", 0);
	CHECK(fake_count("dial") > 50);
	fake_forget_log();
	watching_to(90000);
	CHECK_LOG("");
}

static void a_lease_that_its_owner_ends_is_not_released_any_more(void)
{
	watching_begin(1);
	rl_renewal *one = keep(TTL);
	leave_in_doubt(100);
	watching_to(35000);
	watching_let_go(one, true);
	fake_forget_log();
	watching_to(90000);
	CHECK_LOG("");
}

static void a_key_without_an_unanswered_renewal_is_left_to_its_ttl(void)
{
	watching_begin(1);
	keep(TTL);
	watching_to(10000); /* after one renewal */
	fake_kill(0);
	fake_refuses(0, 100);
	watching_to(40000);
	CHECK_INT(watching_losses, 1);
	CHECK_COUNT("RELEASE", 0);
	fake_forget_log();
	watching_to(90000);
	CHECK_LOG("");
}

/* ---- the release itself ---- */

static unsigned unanswered; /* so many of the next releases end in this other way */
static fake_act instead;
static const char *release_answer;

/* Renewals are answered with an error, after which the server may nevertheless have carried them
 * out. */
static bool meet(const char *words, bool is_taken, fake_plan *plan)
{
	bool is_release = strncmp(words, "RELEASE", 7) == 0;
	bool is_unanswered = is_release && unanswered > 0;
	unanswered -= is_unanswered && is_taken;
	*plan = !is_release                      ? (fake_plan){FAKE_SAY, "-ERR x", 0}
		: is_unanswered                      ? (fake_plan){instead, NULL, 0}
		: strncmp(words, "RELEASE+", 8) == 0 ? (fake_plan){FAKE_SAY, "-NOPERM no", 0}
											 : (fake_plan){FAKE_SAY, release_answer, 0};
	return true;
}

/* The lease will be lost at 30 s, and the server may have carried out its renewals. */
static void keep_in_doubt(unsigned count, fake_act what)
{
	watching_begin(1);
	fake_improvise = meet;
	unanswered = count;
	instead = what;
	release_answer = ":1";
	keep(TTL);
	watching_to_time(FAKE_START + 30 * SECOND - FAKE_BLINK);
	CHECK_INT(watching_losses, 0);
	fake_forget_log();
}

static void a_release_on_a_connection_that_hangs_is_sent_again_on_the_next(void)
{
	keep_in_doubt(2, FAKE_SILENCE);
	watching_to(90000);
	CHECK_INT(watching_losses, 1);
	CHECK_LOG(
		"30000 a1 RELEASE k tok\n31000 a1 end\n31010 a2 dial\n31010 a2 RELEASE k tok\n"
		"31010 a2 NAME\n32010 a2 end\n32030 a3 dial\n32030 a3 RELEASE k tok\n32030 a3 NAME\n");
}

static void a_release_on_a_connection_that_breaks_is_sent_again_on_the_next(void)
{
	keep_in_doubt(1, FAKE_BREAK);
	watching_to(90000);
	CHECK_INT(watching_losses, 1);
	CHECK_LOG("30000 a1 RELEASE k tok\n30000 a2 dial\n30000 a1 close\n30000 a2 RELEASE k tok\n"
			  "30000 a2 NAME\n");
}

static void a_release_that_was_answered_is_not_sent_again(void)
{
	static const char *const answers[] = {
		":1", ":0", "-NOPERM x", "-ERR unknown command 'EVAL'", "-WRONGTYPE x"};
	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
		keep_in_doubt(0, FAKE_SAY);
		release_answer = answers[i];
		watching_to(90000);
		CHECK_LOG("30000 a1 RELEASE k tok\n");
		watching_end();
	}
}

static void a_release_that_was_answered_with_an_error_is_sent_again_after_a_pause(void)
{
	static const char *const answers[] = {"-BUSY x", "-LOADING x", "-ERR x"};
	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
		keep_in_doubt(0, FAKE_SAY);
		release_answer = answers[i];
		watching_to(30069);
		CHECK_LOG("30000 a1 RELEASE k tok\n30010 a1 RELEASE k tok\n30030 a1 RELEASE k tok\n");
		release_answer = ":1";
		fake_forget_log();
		watching_to(90000);
		CHECK_LOG("30070 a1 RELEASE k tok\n");
		watching_end();
	}
}

static void a_release_is_sent_again_until_its_time_is_over(void)
{
	keep_in_doubt(0, FAKE_SAY);
	release_answer = "-BUSY x";
	watching_to(90000);
	fake_forget_log();
	watching_to(190000);
	CHECK_LOG("");
	CHECK_INT(watching.heap.count, 0);
}

static void a_release_without_rights_leaves_the_helper_keys_out(void)
{
	keep_in_doubt(0, FAKE_SAY);
	watching.all->members[0].no_helpers = false;
	watching_to(90000);
	CHECK_LOG("30000 a1 RELEASE+ k tok\n30000 a1 RELEASE k tok\n");
}

static const check_test tests[] = {
	TEST(a_lease_that_a_server_disowns_is_lost_at_once),
	TEST(other_leases_are_still_renewed),
	TEST(an_owner_may_learn_of_the_loss_before_the_watch),
	TEST(an_owner_may_see_the_end_before_the_watch),
	TEST(a_callback_that_asks_for_it_is_called_again_after_a_pause),
	TEST(a_callback_that_does_not_ask_for_it_is_not_called_again),
	TEST(the_answer_to_a_release_does_not_end_a_pause),
	TEST(the_callback_of_a_paused_lease_is_not_called_again),
	TEST(a_lease_may_have_no_callback),
	TEST(a_late_answer_does_not_revive_a_lease),
	TEST(an_answer_that_is_still_to_come_is_followed_by_a_release),
	TEST(the_release_of_a_lost_lease_wakes_waiters),
	TEST(a_lost_lease_with_a_callers_token_is_not_released),
	TEST(the_connection_goes_on_serving_other_leases),
	TEST(a_server_that_comes_back_gets_the_release),
	TEST(the_release_follows_the_login),
	TEST(no_release_is_sent_after_the_end_of_the_key),
	TEST(a_lease_that_its_owner_ends_is_not_released_any_more),
	TEST(a_key_without_an_unanswered_renewal_is_left_to_its_ttl),
	TEST(a_release_on_a_connection_that_hangs_is_sent_again_on_the_next),
	TEST(a_release_on_a_connection_that_breaks_is_sent_again_on_the_next),
	TEST(a_release_that_was_answered_is_not_sent_again),
	TEST(a_release_that_was_answered_with_an_error_is_sent_again_after_a_pause),
	TEST(a_release_is_sent_again_until_its_time_is_over),
	TEST(a_release_without_rights_leaves_the_helper_keys_out),
};

CHECK_MAIN(tests, watching_end)
