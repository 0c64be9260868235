/* SPDX-License-Identifier: MIT
 *
 * Errands to a primary behind Sentinels: in a wait, beside other members, and abandoned.
 */
#include "calling.h"
#include "check.h"
#include "waiting.h"

/* ---- the queue ---- */

/* The lock is taken for long. */
static void says_held(unsigned server, unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		fake_says(server, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	}
}

/* The lock is still taken after 20 s, when the wait ends. */
static void check_wait_ends(rl_acquire *acquire)
{
	fake_says(0, refusal(20000, 600000, RL_HOLDER_KIN));
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_INT(fake_wait.count, 0);
}

static rl_acquire *queued(int64_t wait_ns)
{
	begin_named(0);
	fake_warm_to(rl_route_node(route, 0));
	fake_set.wakes = true;
	fake_says(0, "_");
	says_held(0, 1);
	rl_acquire *acquire = fake_acquire(30000, wait_ns);
	waiting_drive_to(acquire, 0);
	CHECK_INT(fake_blocked_on(0), 1);
	return acquire;
}

/* The look at 850 ms begins a lookup, so the win at 1.2 s needs nothing more. */
static void a_win_in_the_queue_counts_if_the_lookup_is_young(void)
{
	rl_acquire *acquire = queued(5 * SECOND);
	waiting_look_on(1);
	waiting_drive_to(acquire, 1200);
	unsigned lookups = fake_stats.sentinel_lookups;
	CHECK_INT(lookups, 1);
	fake_says(0, grant(1200));
	fake_wakes(0, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 1200);
	CHECK_INT(fake_stats.sentinel_lookups, lookups);
}

/* The wait is woken after 700 ms, when the last lookup is old. The next lookup names a server 30 ms
 * later. */
static void win_when_the_lookup_is_old(const char *named)
{
	rl_acquire *acquire = queued(5 * SECOND);
	waiting_drive_to(acquire, 700);
	fake_all_name(route, named, 30 * MS);
	route->named_at = fake_clock - 2 * SECOND;
	fake_says(0, grant(700));
	fake_wakes(0, 0);
	fake_says(1, "*:1 :0");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 730);
}

static void a_win_in_the_queue_is_checked(void)
{
	win_when_the_lookup_is_old(NAMES("a"));
	CHECK_COUNT("a3 dial", 0);
}

static void a_win_at_the_old_primary_is_undone(void)
{
	win_when_the_lookup_is_old(NAMES("b"));
	CHECK_HAS(fake_log(), "730 a2 " UNDO);
	CHECK_COUNT("730 b1 try", 1);
}

/* The Sentinels name another primary in the moment of the win. The grant still counts, because they
 * were asked shortly before, but the swap to the caller's token does not go to the old primary. */
static void a_drawn_token_that_has_won_at_the_old_primary_is_undone(void)
{
	begin_named(0);
	fake_warm_to(rl_route_node(route, 0));
	fake_set.wakes = true;
	fake_says(0, "_");
	says_held(0, 1);
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 5 * SECOND);
	waiting_drive_to(acquire, 0);
	CHECK_INT(fake_blocked_on(0), 1);
	waiting_look_on(1);
	waiting_drive_to(acquire, 840);
	fake_all_name(route, NAMES("b"), 5 * MS);
	waiting_drive_to(acquire, 860);
	route->named_at = fake_clock - 600 * MS;
	rl_lookup_take_in(rl_lookup_of(route, &fake_pool));
	fake_says(0, grant(860));
	fake_wakes(0, 0);
	fake_says(1, ":0");
	fake_says(1, "*:1 :0");
	fake_says(1, ":1");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_HAS(fake_log(), "860 a2 " UNDO "860 a2 end\n");
	CHECK_COUNT("a2 swap", 0);
	CHECK_HAS(fake_log(), "b1 swap k T2 mine 30000\n");
	CHECK_INT(fake_stats.grants_undone, 1);
}

/* A look begins a lookup only if the last one is old, and lookups leave no connections behind. */
static void lookups_of_a_long_wait_do_not_pile_up(void)
{
	rl_acquire *acquire = queued(20 * SECOND);
	waiting_look_on(23);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 19900 * MS));
	CHECK(fake_stats.sentinel_lookups >= 20 && fake_stats.sentinel_lookups <= 24);
	CHECK_INT(fake_open_links(), 5);
	check_wait_ends(acquire);
}

static void a_wait_lasts_over_sentinels_that_are_silent(void)
{
	rl_acquire *acquire = queued(20 * SECOND);
	waiting_look_on(23);
	fake_none_answers(route);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 19900 * MS));
	CHECK_COUNT("probe+", 24); /* the mark lasts */
	CHECK_INT(fake_blocked_on(0), 1);
	check_wait_ends(acquire);
	CHECK(fake_open_links() <= 4 + RL_POOL_LINGERING_MAX);
}

/* The connection of the place breaks, and the wait takes a place at the new primary. */
static void a_wait_goes_on_at_the_new_primary(void)
{
	rl_acquire *acquire = queued(5 * SECOND);
	fake_kill(0);
	fake_refuses(0, 9);
	switch_to_b(50 * MS);
	fake_says(1, "*:0 :0 :600000 :3 :1");
	says_held(1, 9);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 700 * MS));
	CHECK_INT(fake_blocked_on(1), 1);
}

/* The first call ends before the Sentinels answer, and the second one begins when the time of their
 * lookup is over, as a look of a wait does. */
static void the_next_call_reads_a_late_answer_to_a_lookup(void)
{
	begin_switched(500 * MS, "+OK", "+OK");
	fake_set.members[0].timeout_ns = fake_set.members[0].connect_timeout_ns = 100 * MS;
	CHECK_INT(fake_drive(acquire()), RL_OK);
	fake_clock += SECOND;
	fake_forget_log();
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_COUNT("b1 SET k T2", 1);
	CHECK_COUNT("a1 SET", 0);
	CHECK_INT(fake_stats.primary_switches, 1);
	CHECK_INT(fake_stats.sentinel_lookups, 2);
}

/* The wait ends one timeout after its deadline, while a lookup may take two. */
static void a_wait_does_not_last_longer_for_silent_sentinels(void)
{
	begin_cold();
	fake_none_answers(route);
	rl_op *op = fails(&fake_acquire(30000, 100 * MS)->op, RL_ERR_CONNECT);
	CHECK_HAS(op->err->message, "no majority of the Sentinels");
	CHECK_INT(fake_ms(), 1100);
	fake_end();
	begin_unconfirmed("+OK");
	fails(&fake_acquire(30000, 100 * MS)->op, RL_ERR_UNCONFIRMED);
	CHECK_HAS(fake_log(), "1100 a1 " UNDO);
	CHECK_INT(fake_ms(), 1100);
	fake_end();
	begin_unconfirmed("_");
	CHECK_INT(fake_drive(&fake_acquire(30000, 100 * MS)->op), RL_BUSY);
	CHECK_INT(fake_ms(), 1100);
}

/* ---- several members ---- */

static void begin_several(void)
{
	fake_begin(3);
	route = fake_sentinels(0, "fgh");
	fake_all_name(route, NAMES("d"), 0);
	for (unsigned i = 1; i < 3; i++) {
		fake_warm(i);
	}
}

static void begin_several_named(int64_t age)
{
	begin_several();
	fake_warm_seeds(route);
	fake_named(route, 3, age);
}

static void the_other_members_decide_without_the_check(void)
{
	begin_several_named(2 * SECOND);
	fake_all_name(route, NAMES("d"), 300 * MS);
	fake_says(3, "+OK");
	fake_says(1, "+OK");
	fake_says(2, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 0);
	CHECK_COUNT("RELEASE", 0);
}

/* The others refuse while no Sentinel confirms the grant of the first member. */
static void begin_minority(void)
{
	begin_several_named(2 * SECOND);
	fake_none_answers(route);
	fake_says(3, "+OK");
	fake_acts(1, FAKE_SAY, "_", 5 * MS);
	fake_acts(2, FAKE_SAY, "_", 5 * MS);
}

/* The grant must not stay. */
static void a_grant_of_a_minority_is_undone_during_the_check(void)
{
	begin_minority();
	rl_op *op = acquire();
	CHECK(fake_drive_to(op, FAKE_START + 6 * MS) || true);
	CHECK_HAS(fake_log(), "5 d1 " UNDO);
}

/* The Sentinels of the member have never named a primary, so the member has no node for an undo. */
static void a_wait_may_have_a_member_without_a_known_primary(void)
{
	begin_several();
	fake_set.wakes = true;
	fake_seeds_refuse(route, 30);
	for (unsigned i = 1; i < 3; i++) {
		fake_says(i, "_");
		says_held(i, 9);
	}
	rl_acquire *acquire = fake_acquire(30000, 500 * MS);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 100 * MS));
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("d1", 0);
}

static void a_wait_in_doubt_may_have_a_member_without_a_known_primary(void)
{
	begin_several();
	fake_seeds_refuse(route, 30);
	fake_warm(1);
	for (unsigned i = 1; i < 3; i++) {
		fake_acts(i, FAKE_BREAK, NULL, 0);
		for (unsigned j = 0; j < 9; j++) {
			fake_says(i, "-LOADING x");
		}
	}
	rl_acquire *acquire = fake_acquire(30000, 5 * SECOND);
	for (int64_t ms = 1; ms < 200; ms++) {
		CHECK(!fake_drive_to(&acquire->op, FAKE_START + ms * MS));
	}
	acquire->is_maybe_ours = true;
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("d1", 0);
}

/* ---- abandoned ---- */

static void a_call_abandoned_in_the_lookup_sends_nothing(void)
{
	begin_cold();
	fake_none_answers(route);
	abandon_later(acquire());
	CHECK_COUNT("RELEASE", 0);
	CHECK_COUNT("a1", 0);
}

static void a_call_abandoned_before_the_answer_is_undone(void)
{
	begin_named(600 * MS);
	fake_none_answers(route);
	abandon_later(acquire());
	CHECK_COUNT("5 a1 " UNDO, 1);
}

static void a_call_abandoned_during_the_check_is_undone(void)
{
	begin_unconfirmed("+OK");
	abandon_later(acquire());
	CHECK_COUNT("5 a1 " UNDO, 1);
	CHECK_INT(fake_stats.grants_undone, 1);
}

static void a_swap_is_swapped_back_when_the_check_is_abandoned(void)
{
	begin_unconfirmed(":1");
	abandon_later(fake_take_over("tok", 30000));
	CHECK_COUNT("5 a1 SWAP k T1 tok 0\n", 1);
}

static void a_call_abandoned_after_a_switch_is_undone(void)
{
	begin_switched(2 * SECOND, "+OK", NULL);
	rl_op *op = acquire();
	CHECK(!fake_drive_to(op, FAKE_START + 25 * MS));
	rl_op_abandon(op, fake_clock, false);
	CHECK_COUNT("20 a1 " UNDO, 1);
	CHECK_COUNT("25 b1 " UNDO, 1);
}

/* A child of a fork closes what it has inherited, and sends nothing. */
static void a_child_sends_nothing(void)
{
	for (unsigned i = 0; i < 3; i++) {
		i == 0 ? begin_cold() : begin_named(i == 1 ? 600 * MS : 2 * SECOND);
		fake_none_answers(route);
		if (i == 2) {
			fake_says(0, "+OK");
		}
		abandon_in_child(acquire());
		CHECK_COUNT("RELEASE", 0);
		CHECK_COUNT(" end", 0);
		fake_end();
	}
}

/* Only a majority of Sentinels names a primary, and no server does. */
static void a_primary_behind_sentinels_does_not_redirect(void)
{
	fake_begin(1);
	route = fake_sentinels(0, "c");
	fake_all_name(route, NAMES("a"), 0);
	fake_named(route, 0, 0);
	fake_says(0, MOVED_TO("b"));
	rl_op *op = fails(acquire(), RL_ERR_SERVER);
	CHECK_TEXT(op->err->code, "MOVED");
	CHECK_INT(fake_node_of(route), 'a');
	CHECK_COUNT("b1", 0);
}

static const check_test tests[] = {
	TEST(a_win_in_the_queue_counts_if_the_lookup_is_young),
	TEST(a_win_in_the_queue_is_checked),
	TEST(a_win_at_the_old_primary_is_undone),
	TEST(a_drawn_token_that_has_won_at_the_old_primary_is_undone),
	TEST(lookups_of_a_long_wait_do_not_pile_up),
	TEST(a_wait_lasts_over_sentinels_that_are_silent),
	TEST(a_wait_goes_on_at_the_new_primary),
	TEST(the_next_call_reads_a_late_answer_to_a_lookup),
	TEST(a_wait_does_not_last_longer_for_silent_sentinels),
	TEST(the_other_members_decide_without_the_check),
	TEST(a_grant_of_a_minority_is_undone_during_the_check),
	TEST(a_wait_may_have_a_member_without_a_known_primary),
	TEST(a_wait_in_doubt_may_have_a_member_without_a_known_primary),
	TEST(a_call_abandoned_in_the_lookup_sends_nothing),
	TEST(a_call_abandoned_before_the_answer_is_undone),
	TEST(a_call_abandoned_during_the_check_is_undone),
	TEST(a_swap_is_swapped_back_when_the_check_is_abandoned),
	TEST(a_call_abandoned_after_a_switch_is_undone),
	TEST(a_child_sends_nothing),
	TEST(a_primary_behind_sentinels_does_not_redirect),
};

CHECK_MAIN(tests, fake_end)
