/* SPDX-License-Identifier: MIT
 *
 * Members whose replicas confirm: a grant, a swap or an extension that too few replicas confirm,
 * and its undo.
 */
#include "check.h"
#include "servers.h"

#define TTL 30000
#define A 0
#define B 1
#define C 2

/* Each member has one replica that must confirm, within 100 ms. */
static void begin(unsigned members)
{
	servers_begin(members);
	for (unsigned i = 0; i < members; i++) {
		fake_targets[i].replicas = 1;
		fake_targets[i].replicas_ms = 100;
		servers[i].replicas = 1;
	}
}

/* The replicas of the member go away. The server then ends WAIT this late. */
static void lose_replicas(unsigned member, int64_t late_ms)
{
	servers[member].replicas = 0;
	servers[member].wait_late = late_ms * MS;
}

static void pass_to(int64_t ms)
{
	fake_clock = FAKE_START + ms * MS;
	fake_blocked_links(); /* the servers catch up */
}

static void bring_replicas_back(void)
{
	fake_alarm = RL_NEVER;
	servers[A].replicas = 1;
}

static void bring_back_at(int64_t ms)
{
	fake_alarm = FAKE_START + ms * MS;
	fake_on_alarm = bring_replicas_back;
}

/* ---- grants ---- */

static void a_grant_is_one_write(void)
{
	begin(1);
	CHECK_INT(fake_drive(&fake_acquire(TTL, 0)->op), RL_OK);
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n0 a1 WAIT 1 100\n");
	CHECK_INT(fake_writes, 1);
	CHECK_INT(fake_stats.unconfirmed, 0);
	CHECK_INT(fake_pool.count, 1);
}

static void an_unconfirmed_grant_is_undone(void)
{
	begin(1);
	lose_replicas(A, 60);
	rl_acquire *acquire = fake_acquire(TTL, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_UNCONFIRMED);
	CHECK_INT(fake_ms(), 100);
	CHECK_HAS(acquire->op.err->message, "fewer than 1 replicas confirmed within 0.1 s");
	CHECK_COUNT("100 a1 RELEASE k T1\n", 1);
	CHECK_INT(fake_stats.unconfirmed, 1);
	CHECK_INT(fake_stats.grants_undone, 1);
	CHECK_INT(fake_stats.acquired, 0);
	CHECK_TEXT(servers_owner(A), "T1");
	pass_to(160); /* the server ends WAIT only now, and reads on */
	CHECK_TEXT(servers_owner(A), "-");
	CHECK_INT(fake_pool.count, 1);
}

static void an_unconfirmed_grant_of_a_caller_s_token_is_undone(void)
{
	begin(1);
	lose_replicas(A, 0);
	CHECK_INT(fake_drive(&fake_acquire_own(FAKE_DRAWN, TTL, 0)->op), RL_ERR_UNCONFIRMED);
	CHECK_COUNT("100 a1 RELEASE k drawn\n", 1);
	CHECK_TEXT(servers_owner(A), "-");
	CHECK_INT(fake_stats.grants_undone, 1);
}

static void a_refusal_waits_for_no_replica(void)
{
	begin(1);
	lose_replicas(A, 0);
	servers_take(A, "foreign", 60000);
	CHECK_INT(fake_drive(&fake_acquire(TTL, 0)->op), RL_BUSY);
	CHECK_INT(fake_ms(), 0);
	CHECK_INT(fake_stats.unconfirmed, 0);
}

static void a_wait_goes_on_until_the_replicas_can_confirm(void)
{
	begin(1);
	lose_replicas(A, 30);
	bring_back_at(1000);
	rl_acquire *acquire = fake_acquire(TTL, 5 * SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK(fake_ms() >= 1000 && fake_ms() < 1500);
	CHECK(fake_stats.unconfirmed >= 2);
	CHECK_INT(fake_stats.grants_undone, fake_stats.unconfirmed);
	CHECK_INT(servers_key(A)->value.len, 28); /* a drawn token, the one that was returned */
	CHECK(memcmp(servers_key(A)->value.bytes, acquire->token.data, 28) == 0);
	int64_t left = servers_pttl(A);
	CHECK(left > TTL - 500 && left <= TTL);
}

static void a_wait_with_a_caller_s_token_goes_on_until_the_replicas_can_confirm(void)
{
	begin(1);
	lose_replicas(A, 30);
	bring_back_at(1000);
	rl_acquire *acquire = fake_acquire_own("mine", TTL, 5 * SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK(fake_ms() >= 1000 && fake_ms() < 1500);
	pass_to(2000);
	CHECK_TEXT(servers_owner(A), "mine");
}

static void a_wait_ends_at_its_deadline(void)
{
	begin(1);
	lose_replicas(A, 30);
	CHECK_INT(fake_drive(&fake_acquire(TTL, 2 * SECOND)->op), RL_ERR_UNCONFIRMED);
	CHECK(fake_ms() >= 2000 && fake_ms() <= 2300);
	pass_to(2500);
	CHECK_TEXT(servers_owner(A), "-");
}

static void a_right_that_is_missing_ends_a_wait(void)
{
	begin(1);
	servers[A].wait_error = "-NOPERM User x has no permissions to run the 'wait' command";
	rl_acquire *acquire = fake_acquire(TTL, 5 * SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_UNCONFIRMED);
	CHECK_INT(fake_ms(), 0);
	CHECK_TEXT(acquire->op.err->code, "NOPERM");
	CHECK_HAS(acquire->op.err->message, "the replicas could not be asked (WAIT)");
	CHECK_TEXT(servers_owner(A), "-");
}

static void a_wait_that_is_unblocked_is_no_end(void)
{
	begin(1);
	servers[A].wait_error = "-UNBLOCKED client unblocked via CLIENT UNBLOCK";
	CHECK(!fake_drive_to(&fake_acquire(TTL, 5 * SECOND)->op, FAKE_START + 300 * MS));
	CHECK(fake_stats.unconfirmed > 1);
	servers[A].wait_error = NULL;
}

/* ---- the end of a call ---- */

static void an_abandoned_call_undoes_its_unconfirmed_grant(void)
{
	static const char *const own[] = {NULL, "mine", FAKE_DRAWN};
	for (unsigned i = 0; i < 3; i++) {
		begin(1);
		lose_replicas(A, 60);
		rl_acquire *acquire = i == 0 ? fake_acquire(TTL, 0) : fake_acquire_own(own[i], TTL, 0);
		CHECK(!fake_drive_to(&acquire->op, FAKE_START + 50 * MS));
		rl_op_abandon(&acquire->op, fake_clock, false);
		if (fake_count("50 a1 RELEASE k") != 1) {
			FAIL("case %u: %s", i, fake_log());
		}
		CHECK_INT(fake_stats.grants_undone, 1);
		pass_to(160);
		CHECK_TEXT(servers_owner(A), "-");
		fake_end();
	}
}

/* The lock was taken as another user, or in another database. */
static void a_refused_login_undoes_an_unconfirmed_grant(void)
{
	fake_begin(1);
	fake_targets[A].database = 3;
	fake_targets[A].replicas = 1;
	fake_targets[A].replicas_ms = 100;
	fake_login_says(A, "SELECT", "-ERR DB index is out of range");
	fake_says(A, "+OK");
	fake_acts(A, FAKE_SAY, ":0", 100 * MS);
	fake_says(A, ":1");
	rl_acquire *acquire = fake_acquire(TTL, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_HAS(acquire->op.err->message, "DB index is out of range");
	CHECK_COUNT("100 a1 RELEASE k T1\n", 1);
	CHECK_INT(fake_stats.grants_undone, 1);
}

/* A server that stops waiting late would drop an undo whose connection ends before. */
static void a_connection_lingers_until_wait_is_over(void)
{
	begin(1);
	lose_replicas(A, 60);
	CHECK_INT(fake_drive(&fake_acquire(TTL, 0)->op), RL_ERR_UNCONFIRMED);
	rl_pool_end_idle(&fake_pool, fake_clock);
	CHECK_COUNT("end", 0);
	CHECK(rl_pool_lingers(&fake_pool, fake_clock));
	pass_to(160);
	CHECK(rl_pool_lingers(&fake_pool, fake_clock)); /* ends it now */
	CHECK(!rl_pool_lingers(&fake_pool, fake_clock));
	CHECK_COUNT("160 a1 end\n160 a1 close\n", 1);
	CHECK_TEXT(servers_owner(A), "-");
}

/* ---- extending ---- */

static void an_unconfirmed_extend_is_an_error_and_stays(void)
{
	begin(1);
	servers_take(A, "mine", 10000);
	lose_replicas(A, 30);
	rl_op *op = fake_ask(RL_VERB_EXTEND, "mine", 20000);
	CHECK_INT(fake_drive(op), RL_ERR_UNCONFIRMED);
	CHECK_INT(fake_ms(), 100);
	CHECK_COUNT("RELEASE", 0);
	CHECK_INT(fake_stats.unconfirmed, 1);
	CHECK_INT(fake_stats.grants_undone, 0);
	pass_to(500);
	CHECK_TEXT(servers_owner(A), "mine");
	CHECK(servers_pttl(A) > 19000);
}

static void an_extend_of_another_s_lock_waits_for_no_replica(void)
{
	begin(1);
	servers_take(A, "foreign", 10000);
	lose_replicas(A, 0);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXTEND, "mine", 20000)), RL_BUSY);
	CHECK_INT(fake_ms(), 0);
}

static void verbs_that_take_and_prolong_nothing_ask_no_replica(void)
{
	begin(1);
	servers_take(A, "mine", 10000);
	lose_replicas(A, 0);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXISTS, "", 0)), RL_OK);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_REMAINING, "", 0)), RL_OK);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "mine", 0)), RL_OK);
	CHECK_COUNT("WAIT", 0);
	CHECK_INT(fake_ms(), 0);
}

/* ---- taking over ---- */

static void an_unconfirmed_take_over_is_swapped_back(void)
{
	begin(1);
	servers_take(A, "mine", 10000);
	lose_replicas(A, 30);
	rl_op *op = fake_take_over("mine", 20000);
	CHECK_INT(fake_drive(op), RL_ERR_UNCONFIRMED);
	CHECK_COUNT("100 a1 SWAP k T1 mine 0\n", 1);
	CHECK(!fake_leaves_something(op));
	pass_to(500);
	CHECK_TEXT(servers_owner(A), "mine");
	CHECK_INT(fake_stats.grants_undone, 1);
}

static void a_confirmed_take_over_is_not_swapped_back(void)
{
	begin(1);
	servers_take(A, "mine", 10000);
	CHECK_INT(fake_drive(fake_take_over("mine", 20000)), RL_OK);
	CHECK_TEXT(servers_owner(A), "T1");
	CHECK_INT(fake_ms(), 0);
}

/* ---- several members ---- */

static void a_minority_may_be_unconfirmed(void)
{
	begin(3);
	lose_replicas(B, 0);
	CHECK_INT(fake_drive(&fake_acquire(TTL, 0)->op), RL_OK);
	CHECK_INT(fake_ms(), 0);
	pass_to(200);
	CHECK_TEXT(servers_owner(B), "T1"); /* the release will find it */
}

static void a_majority_may_not_be_unconfirmed(void)
{
	begin(3);
	lose_replicas(A, 20);
	lose_replicas(C, 90);
	CHECK_INT(fake_drive(&fake_acquire(TTL, 0)->op), RL_ERR_UNCONFIRMED);
	CHECK_INT(fake_ms(), 100);
	CHECK_COUNT("RELEASE k T1\n", 3);
	CHECK_INT(fake_stats.unconfirmed, 2);
	pass_to(200);
	CHECK(!servers_have_ours());
}

static void a_majority_of_a_caller_s_token_may_not_be_unconfirmed(void)
{
	begin(3);
	lose_replicas(A, 20);
	lose_replicas(C, 90);
	CHECK_INT(fake_drive(&fake_acquire_own("mine", TTL, 0)->op), RL_ERR_UNCONFIRMED);
	pass_to(300);
	CHECK(!servers_have_ours());
}

static void a_take_over_of_a_minority_is_swapped_back(void)
{
	begin(3);
	servers_take_all("mine", 10000);
	lose_replicas(A, 20);
	lose_replicas(C, 90);
	CHECK_INT(fake_drive(fake_take_over("mine", 20000)), RL_ERR_UNCONFIRMED);
	pass_to(300);
	for (unsigned i = 0; i < 3; i++) {
		CHECK_TEXT(servers_owner(i), "mine");
	}
}

static const check_test tests[] = {
	TEST(a_grant_is_one_write),
	TEST(an_unconfirmed_grant_is_undone),
	TEST(an_unconfirmed_grant_of_a_caller_s_token_is_undone),
	TEST(a_refusal_waits_for_no_replica),
	TEST(a_wait_goes_on_until_the_replicas_can_confirm),
	TEST(a_wait_with_a_caller_s_token_goes_on_until_the_replicas_can_confirm),
	TEST(a_wait_ends_at_its_deadline),
	TEST(a_right_that_is_missing_ends_a_wait),
	TEST(a_wait_that_is_unblocked_is_no_end),
	TEST(an_abandoned_call_undoes_its_unconfirmed_grant),
	TEST(a_refused_login_undoes_an_unconfirmed_grant),
	TEST(a_connection_lingers_until_wait_is_over),
	TEST(an_unconfirmed_extend_is_an_error_and_stays),
	TEST(an_extend_of_another_s_lock_waits_for_no_replica),
	TEST(verbs_that_take_and_prolong_nothing_ask_no_replica),
	TEST(an_unconfirmed_take_over_is_swapped_back),
	TEST(a_confirmed_take_over_is_not_swapped_back),
	TEST(a_minority_may_be_unconfirmed),
	TEST(a_majority_may_not_be_unconfirmed),
	TEST(a_majority_of_a_caller_s_token_may_not_be_unconfirmed),
	TEST(a_take_over_of_a_minority_is_swapped_back),
};

CHECK_MAIN(tests, fake_end)
