/* SPDX-License-Identifier: MIT
 *
 * The watch forgets everything at once: in a forked child, whose parent goes on with the
 * connections, and at the end. The watch then sends nothing to a server, whatever is under way.
 */
#include "check.h"
#include "watching.h"

#include <stdio.h>
#include <string.h>

static void begin(void)
{
	watching_begin(1);
	fake_improvise = NULL; /* servers do not answer without a plan */
}

static rl_renewal *idle(void)
{
	return watching_keep("k", TTL);
}

static rl_renewal *prepared(void)
{
	return watching_prepare("k");
}

static rl_renewal *connecting(void)
{
	fake_dials(0, FAKE_HANG, 0);
	rl_renewal *one = watching_keep("k", TTL);
	watching_to(10000);
	CHECK_INT(one->members[0].state, RL_RENEWAL_MEMBER_ASKED);
	return one;
}

static rl_renewal *between_dials(void)
{
	fake_dials(0, FAKE_REFUSE, 0);
	fake_dials(0, FAKE_REFUSE, 0);
	rl_renewal *one = watching_keep("k", TTL);
	watching_to(10005);
	CHECK_INT(one->members[0].state, RL_RENEWAL_MEMBER_IDLE);
	CHECK_INT(one->members[0].vote, RL_VOTE_FAILED);
	return one;
}

static rl_renewal *flying(void)
{
	rl_renewal *one = watching_keep("k", TTL);
	watching_to(10000);
	CHECK_INT(one->members[0].state, RL_RENEWAL_MEMBER_ASKED);
	return one;
}

static rl_renewal *renewed(void)
{
	rl_renewal *one = watching_keep("k", TTL);
	fake_says(0, ":1");
	watching_to(15000);
	CHECK_INT(fake_stats.renewed, 1);
	return one;
}

static rl_renewal *lost(void)
{
	rl_renewal *one = watching_keep("k", TTL);
	one->on_lost = watching_note_loss_again;
	one->ctx = &watching_losses;
	fake_says(0, ":0");
	watching_to(10001);
	CHECK(rl_renewal_is_lost(one));
	return one;
}

static rl_renewal *lost_with_a_release_to_be_sent(void)
{
	fake_dials(0, FAKE_ACCEPT, 0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	for (int i = 0; i < 100; i++) {
		fake_dials(0, FAKE_REFUSE, 0);
	}
	rl_renewal *one = watching_keep("k", TTL);
	watching_to(31000);
	CHECK(rl_renewal_is_lost(one));
	CHECK(rl_renewal_must_ask_again(&one->members[0]));
	return one;
}

static rl_renewal *paused_in_flight(void)
{
	rl_renewal *one = flying();
	rl_renewer_pause(one);
	return one;
}

static rl_renewal *(*const states[])(void) = {idle, prepared, connecting, between_dials, flying,
	renewed, lost, lost_with_a_release_to_be_sent, paused_in_flight};

#define STATES (sizeof states / sizeof states[0])

static void a_watch_that_forgets_sends_nothing(void)
{
	for (size_t i = 0; i < STATES; i++) {
		begin();
		rl_renewal *one = states[i]();
		unsigned open = fake_open_links();
		fake_forget_log();
		rl_renewer_forget(&watching);
		CHECK_COUNT("\n", open);
		CHECK_COUNT(" close\n", open);
		CHECK_INT(fake_open_links(), 0);
		CHECK(one->renewer == NULL);
		CHECK(watching.until == RL_NEVER);
		/* The forgotten leases send nothing later either. */
		fake_forget_log();
		watching_to(90000);
		watching_let_go(one, false);
		CHECK_LOG("");
		watching_end();
	}
}

/* The child does not hold the leases. No watch is left when their owners use them. */
static void owners_may_still_do_anything_in_a_forked_child(void)
{
	for (size_t i = 0; i < STATES; i++) {
		begin();
		rl_renewal *one = states[i]();
		fake_fork();
		rl_renewer_forget(&watching);
		fake_forget_log();
		CHECK(!rl_lease_is_held(one->lease));
		rl_renewer_changed(one);
		rl_renewer_pause(one);
		rl_renewer_changed(one);
		watching_to(90000);
		CHECK_LOG("");
		watching_end();
	}
}

static void a_forked_child_may_use_a_new_watch(void)
{
	begin();
	for (size_t i = 0; i < 3; i++) {
		flying();
		fake_fork();
		rl_renewer_forget(&watching);
		fake_clock = FAKE_START;
		fake_forget_log();
	}
	fake_improvise = fake_yes;
	rl_renewal *one = watching_keep("l", TTL);
	watching_to(10000);
	CHECK_COUNT("10000 a4 dial\n10000 a4 renew l tok 30002\n", 1);
	CHECK_INT(watching_left(one), 30000);
	CHECK_INT(watching.all_count, 1);
}

static void a_watch_forgets_many_leases_at_once(void)
{
	begin();
	rl_renewal *all[50];
	for (int i = 0; i < 50; i++) {
		char key[16];
		snprintf(key, sizeof key, "k%d", i);
		all[i] = watching_keep(key, TTL);
	}
	watching_to(10000);
	rl_renewer_forget(&watching);
	for (int i = 0; i < 50; i++) {
		CHECK(all[i]->renewer == NULL);
		CHECK_INT(all[i]->heap_at, 0);
	}
	CHECK_INT(watching.heap.count, 0);
	CHECK(watching.heap.entries == NULL);
}

static void a_watch_without_leases_may_forget(void)
{
	begin();
	rl_renewer_forget(&watching);
	rl_renewer_forget(&watching);
	CHECK(watching.until == RL_NEVER);
}

static const check_test tests[] = {
	TEST(a_watch_that_forgets_sends_nothing),
	TEST(owners_may_still_do_anything_in_a_forked_child),
	TEST(a_forked_child_may_use_a_new_watch),
	TEST(a_watch_forgets_many_leases_at_once),
	TEST(a_watch_without_leases_may_forget),
};

CHECK_MAIN(tests, watching_end)
