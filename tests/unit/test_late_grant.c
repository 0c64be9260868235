/* SPDX-License-Identifier: MIT
 *
 * Late grants: which of them a call leaves, and what the renewer does with them.
 */
#include "check.h"
#include "core/lease/rl_late.h"
#include "core/lease/rl_late_grant.h"
#include "watching.h"

#include <stdlib.h>
#include <string.h>

#define C 2
#define ON_C (1U << C)

static const char *set_answer;
static int64_t set_delay;

static bool answer(const char *words, bool is_taken, fake_plan *plan)
{
	if (!is_taken || words[0] != 'S') {
		return fake_yes(words, is_taken, plan);
	}
	*plan = (fake_plan){set_answer != NULL ? FAKE_SAY : FAKE_SILENCE, set_answer, set_delay};
	return true;
}

static void begin(void)
{
	watching_begin(3);
	fake_hold_clock(); /* the TTLs below are exact */
	fake_improvise = answer;
	set_answer = "+OK";
	set_delay = 0;
}

/* Hands over a lock of 30 s that was won just now, and that these members do not have. */
static void hand_over(const char *key, unsigned members)
{
	rl_late_grant_add(&watching,
		&(rl_late_grant){.set = &fake_set,
			.key = bytes_of(key),
			.token = bytes_of("tok"),
			.members = members,
			.ttl_ns = 30000 * MS,
			.proven_until = fake_clock + 29998 * MS});
}

static void stop(void)
{
	rl_renewer_stop_grants(&watching, bytes_of("k"), bytes_of("tok"));
}

static void undo(void)
{
	rl_renewer_undo_grants(&watching, bytes_of("k"), bytes_of("tok"));
}

static void end(void)
{
	watching_to(100000);
	CHECK(watching.grants == NULL);
	CHECK_INT(watching.grant_count, 0);
	watching_end();
}

/* ---- storing ---- */

static void a_late_grant_has_the_rest_of_the_validity(void)
{
	begin();
	fake_dials(C, FAKE_ACCEPT, 7 * MS);
	hand_over("k", ON_C);
	CHECK_INT(watching.until, 0);
	watching_to(29000);
	CHECK_LOG("0 c1 dial\n7 c1 SET k tok NX PX 29991\n7 c1 NAME\n");
	CHECK_INT(watching.grant_count, 1);
	CHECK_INT(fake_stats.held, 0);
	watching_to(29998); /* the lock may have ended by now */
	CHECK_INT(watching.grant_count, 0);
	CHECK_COUNT("RELEASE", 0);
	end();
}

static void a_member_that_refuses_the_late_grant_is_asked_again(void)
{
	static const char *const answers[] = {"_", "-LOADING x", "-WRONGTYPE x"};
	for (unsigned i = 0; i < 3; i++) {
		begin();
		set_answer = answers[i];
		hand_over("k", ON_C);
		watching_to(900);
		CHECK_COUNT("SET", 1);
		set_answer = "+OK";
		watching_to(1100);
		CHECK_COUNT("1000 c1 SET k tok NX PX 28998\n", 1);
		watching_to(20000);
		CHECK_COUNT("SET", 2);
		end();
	}
}

/* After two timeouts the member is down, and not merely slow. */
static void a_late_grant_is_given_up_after_two_timeouts(void)
{
	begin();
	for (unsigned i = 0; i < 20; i++) {
		fake_dials(C, i < 12 ? FAKE_REFUSE : FAKE_ACCEPT, 0);
	}
	hand_over("k", ON_C);
	watching_to(1999);
	CHECK(fake_count("dial") < 12);
	CHECK_INT(watching.grant_count, 1);
	fake_forget_log();
	watching_to(2000);
	CHECK_INT(watching.grant_count, 0);
	watching_to(30000);
	CHECK_LOG("");
	end();
}

static void a_connection_that_is_being_made_needs_no_step(void)
{
	begin();
	fake_dials(C, FAKE_ACCEPT, 500 * MS);
	hand_over("k", ON_C);
	watching_to(10);
	CHECK(watching.until > fake_clock);
	hand_over("other", ON_C);
	CHECK_INT(watching.until, 0); /* its errand begins */
	watching_to(20);
	CHECK(watching.until > fake_clock);
	CHECK_COUNT("dial", 1);
	watching_to(600);
	CHECK_COUNT("500 c1 SET", 2);
	end();
}

/* No member waits for the server when its pause begins, so the hand-over plans the next dial. */
static void a_late_grant_is_sent_when_the_pause_of_its_server_is_over(void)
{
	begin();
	for (unsigned i = 0; i < 4; i++) {
		fake_dials(C, FAKE_REFUSE, 0);
	}
	hand_over("k", ON_C);
	watching_to(100);
	stop(); /* the next dial would be at 150 ms */
	watching.until = 0;
	watching_to(101);
	CHECK_INT(watching.until, RL_NEVER);
	fake_forget_log();
	hand_over("k", ON_C);
	watching_to(200);
	CHECK_LOG("150 c5 dial\n150 c5 SET k tok NX PX 29949\n150 c5 NAME\n");
	end();
}

static void the_number_of_late_grants_is_limited(void)
{
	begin();
	fake_dials(C, FAKE_HANG, 0);
	for (unsigned i = 0; i < RL_LATE_GRANTS_MAX + 5; i++) {
		hand_over("k", ON_C);
	}
	CHECK_INT(watching.grant_count, RL_LATE_GRANTS_MAX);
	undo();
	end();
}

static unsigned allocations_left;

static bool has_no_memory(void)
{
	return allocations_left-- == 0;
}

static void a_late_grant_without_memory_is_sent_later_or_left_out(void)
{
	for (unsigned i = 0; i < 40; i++) {
		begin();
		allocations_left = i;
		fake_lacks_memory = has_no_memory;
		hand_over("k", ON_C);
		watching_to(1000);
		fake_lacks_memory = NULL;
		end();
	}
}

static void a_forked_child_forgets_late_grants(void)
{
	begin();
	hand_over("k", ON_C);
	watching_fork();
	CHECK_INT(watching.grant_count, 0);
	watching_to(3000);
	CHECK_LOG("");
	end();
}

/* ---- the end of the lock ---- */

static void a_late_grant_that_was_not_sent_is_withdrawn(void)
{
	begin();
	fake_dials(C, FAKE_ACCEPT, 50 * MS);
	hand_over("k", ON_C);
	watching_to(10);
	stop();
	undo();
	CHECK_INT(watching.grant_count, 0);
	watching_to(5000);
	CHECK_COUNT("SET", 0);
	CHECK_COUNT("RELEASE", 0);
	end();
}

static void a_stored_late_grant_is_released_on_its_member(void)
{
	begin();
	hand_over("k", ON_C);
	watching_to(3000); /* later than any further command of the late grant */
	fake_forget_log();
	stop();
	CHECK_LOG("");
	undo();
	CHECK_LOG("3000 c1 RELEASE k tok\n");
	CHECK_INT(watching.grant_count, 0);
	CHECK_INT(fake_stats.late_releases, 0);
	end();
}

static void a_late_grant_under_way_is_followed_by_its_release(void)
{
	begin();
	set_delay = 100 * MS;
	hand_over("k", ON_C);
	watching_to(10);
	stop();
	undo();
	CHECK_LOG("0 c1 dial\n0 c1 SET k tok NX PX 29998\n0 c1 NAME\n10 c1 RELEASE k tok\n");
	watching_to(5000);
	CHECK_COUNT("SET", 1);
	end();
}

/* After a release of the token, or after an extend(), no SET is sent any more. */
static void a_late_grant_that_is_stopped_is_not_sent_again(void)
{
	static const fake_act acts[] = {FAKE_BREAK, FAKE_SAY};
	for (unsigned i = 0; i < 2; i++) {
		begin();
		hand_over("earlier", ON_C); /* the server was heard, and would be dialled at once */
		watching_to(0);
		fake_acts(C, acts[i], acts[i] == FAKE_SAY ? "-LOADING x" : NULL, 50 * MS);
		hand_over("k", ON_C);
		watching_to(10);
		stop();
		watching_to(2000);
		CHECK_COUNT("SET", 2);
		CHECK_COUNT("try", 0);
		CHECK_COUNT("dial", 1);
		end();
	}
}

/* The server may still read the SET of the connection that has ended. */
static void a_late_grant_with_a_lost_answer_is_released_until_confirmed(void)
{
	begin();
	set_answer = NULL;
	hand_over("k", ON_C);
	watching_to(10);
	fake_kill(C);
	fake_dials(C, FAKE_REFUSE, 0);
	fake_dials(C, FAKE_REFUSE, 0);
	watching_to(11);
	stop();
	undo();
	CHECK_INT(watching.grant_count, 0);
	CHECK_INT(watching.late_count, 1);
	watching_to(5000);
	CHECK_COUNT("SET", 1);
	CHECK_COUNT("RELEASE k tok", 1);
	CHECK_INT(fake_stats.late_releases, 1);
	CHECK_INT(fake_stats.late_releases_done, 1);
	end();
}

static void a_late_grant_stored_on_a_broken_connection_is_released(void)
{
	begin();
	hand_over("k", ON_C);
	watching_to(10);
	fake_kill(C);
	watching_to(20);
	fake_forget_log();
	stop();
	undo();
	watching_to(100);
	CHECK_COUNT("c2 RELEASE k tok", 1);
	end();
}

static void a_late_release_ends_the_late_grant(void)
{
	begin();
	fake_dials(C, FAKE_ACCEPT, 50 * MS);
	hand_over("k", ON_C);
	rl_late_release late = {.set = &fake_set,
		.key = bytes_of("k"),
		.token = bytes_of("tok"),
		.members = 1,
		.ttl_ns = 30000 * MS};
	CHECK(rl_late_add(&watching, &late));
	watching_to(5000);
	CHECK_COUNT("SET", 0);
	CHECK_COUNT("a1 RELEASE k tok", 1);
	end();
}

static void a_late_grant_ends_with_its_lease(void)
{
	begin();
	fake_dials(C, FAKE_ACCEPT, 50 * MS);
	rl_renewal *one = watching_keep_told("k", TTL);
	hand_over("k", ON_C);
	rl_late_release_all(&watching);
	CHECK_INT(watching.grant_count, 0);
	watching_to(1000);
	CHECK_COUNT("SET", 0);
	watching_let_go(one, true);
	end();
}

static void a_late_grant_ends_when_its_lease_is_lost(void)
{
	begin();
	watching_keep_told("k", TTL);
	fake_says(0, ":0");
	fake_says(1, ":0");
	hand_over("k", ON_C);
	watching_to(9000);
	CHECK_COUNT("0 c1 SET k tok NX PX 29998\n", 1);
	watching_to(10100);
	CHECK_INT(watching_losses, 1);
	CHECK_INT(watching.grant_count, 0);
	CHECK_HAS(fake_log(), "10000 c1 RELEASE k tok\n");
	end();
}

static void stopping_a_late_grant_concerns_one_lock(void)
{
	begin();
	hand_over("k", ON_C);
	hand_over("other", ON_C);
	watching_to(10);
	rl_renewer_undo_grants(&watching, bytes_of("k"), bytes_of("tok2"));
	CHECK_INT(watching.grant_count, 2);
	rl_renewer_undo_grants(&watching, bytes_of("k"), bytes_of("tok"));
	CHECK_INT(watching.grant_count, 1);
	rl_renewer_undo_grants(&watching, bytes_of("other"), (rl_bytes){NULL, 0});
	CHECK_INT(watching.grant_count, 0);
	CHECK_COUNT("c1 RELEASE other tok\n", 1);
	end();
}

/* ---- what a call leaves ---- */

static unsigned left_by(rl_acquire *acquire)
{
	rl_late_grant grant = {0};
	return rl_acquire_leaves(acquire, &grant) ? grant.members : 0;
}

static void begin_call(unsigned members)
{
	fake_begin(members);
	for (unsigned i = 0; i < members && i < 2; i++) {
		fake_warm(i);
	}
	fake_says(0, "+OK");
	fake_says(1, "+OK");
}

static void a_call_leaves_late_grants_for_members_that_are_still_connecting(void)
{
	begin_call(3);
	fake_dials(C, FAKE_ACCEPT, 50 * MS);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(left_by(acquire), ON_C);
	rl_late_grant grant;
	CHECK(rl_acquire_leaves(acquire, &grant));
	CHECK_INT(grant.ttl_ns, 30000 * MS);
	CHECK_INT(grant.proven_until, acquire->proven_until);
	CHECK(rl_bytes_equal(grant.token, acquire->token));
	/* The connection is in the pool. The next call finds it there, still connecting. */
	fake_says(0, "+OK");
	fake_says(1, "+OK");
	rl_acquire *second = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&second->op), RL_OK);
	CHECK_INT(left_by(second), ON_C);
	rl_op_abandon(&second->op, fake_clock, false);
	CHECK_INT(left_by(second), 0);
}

static void a_call_leaves_no_late_grant_for_members_that_were_asked_or_have_failed(void)
{
	static const fake_dial dials[] = {FAKE_REFUSE, FAKE_ACCEPT_AT_ONCE};
	for (unsigned i = 0; i < 2; i++) {
		begin_call(3);
		fake_dials(C, dials[i], 0);
		rl_acquire *acquire = fake_acquire(30000, 0);
		CHECK_INT(fake_drive(&acquire->op), RL_OK);
		CHECK_INT(left_by(acquire), 0);
		fake_says(0, "+OK");
		fake_says(1, "+OK");
		rl_acquire *second = fake_acquire(30000, 0); /* c is backed off, or has not answered */
		CHECK_INT(fake_drive(&second->op), RL_OK);
		CHECK_INT(left_by(second), 0);
		CHECK(i > 0 || strstr(fake_log(), "c2 dial") == NULL);
		fake_end();
	}
}

static void a_call_with_a_callers_token_leaves_no_late_grant(void)
{
	static const char *const own[] = {"mine", FAKE_DRAWN};
	for (unsigned i = 0; i < 2; i++) {
		begin_call(3);
		fake_dials(C, FAKE_ACCEPT, 50 * MS);
		fake_says(0, ":1");
		fake_says(1, ":1");
		rl_acquire *acquire = fake_acquire_own(own[i], 30000, 0);
		CHECK_INT(fake_drive(&acquire->op), RL_OK);
		CHECK_INT(left_by(acquire), 0);
		fake_end();
	}
}

static void a_call_without_the_lock_leaves_no_late_grant(void)
{
	fake_begin(3);
	fake_warm(0);
	fake_warm(1);
	fake_says(0, "_");
	fake_says(1, "_");
	fake_dials(C, FAKE_ACCEPT, 50 * MS);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_INT(left_by(acquire), 0);
}

static const check_test tests[] = {
	TEST(a_late_grant_has_the_rest_of_the_validity),
	TEST(a_member_that_refuses_the_late_grant_is_asked_again),
	TEST(a_late_grant_is_given_up_after_two_timeouts),
	TEST(a_connection_that_is_being_made_needs_no_step),
	TEST(a_late_grant_is_sent_when_the_pause_of_its_server_is_over),
	TEST(the_number_of_late_grants_is_limited),
	TEST(a_late_grant_without_memory_is_sent_later_or_left_out),
	TEST(a_forked_child_forgets_late_grants),
	TEST(a_late_grant_that_was_not_sent_is_withdrawn),
	TEST(a_stored_late_grant_is_released_on_its_member),
	TEST(a_late_grant_under_way_is_followed_by_its_release),
	TEST(a_late_grant_that_is_stopped_is_not_sent_again),
	TEST(a_late_grant_with_a_lost_answer_is_released_until_confirmed),
	TEST(a_late_grant_stored_on_a_broken_connection_is_released),
	TEST(a_late_release_ends_the_late_grant),
	TEST(a_late_grant_ends_with_its_lease),
	TEST(a_late_grant_ends_when_its_lease_is_lost),
	TEST(stopping_a_late_grant_concerns_one_lock),
	TEST(a_call_leaves_late_grants_for_members_that_are_still_connecting),
	TEST(a_call_leaves_no_late_grant_for_members_that_were_asked_or_have_failed),
	TEST(a_call_with_a_callers_token_leaves_no_late_grant),
	TEST(a_call_without_the_lock_leaves_no_late_grant),
};

static void end_all(void)
{
	watching_end();
	fake_end();
}

CHECK_MAIN(tests, end_all)
