/* SPDX-License-Identifier: MIT
 *
 * A place in the wait queue of a server whose replicas confirm: WAIT follows only a try that took
 * the lock, and a try without confirmation costs the place.
 */
#include "check.h"
#include "servers.h"

#define TTL 30000

/* One waiter of a lock that another client holds, and that client's replica is there. */
static rl_acquire *queue_up(const char *own_token)
{
	servers_begin(1);
	fake_warm(0);
	fake_targets[0].replicas = 1;
	fake_targets[0].replicas_ms = 100;
	servers[0].replicas = 1;
	servers[0].wait_late = 30 * MS;
	servers_take(0, "kin", 600000);
	rl_acquire *acquire = own_token != NULL ? fake_acquire_own(own_token, TTL, 10 * SECOND)
											: fake_acquire(TTL, 10 * SECOND);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 100 * MS));
	CHECK(rl_queue_is_in(&acquire->queue));
	fake_forget_log();
	return acquire;
}

static void pass_to(int64_t ms)
{
	fake_clock = FAKE_START + ms * MS;
	fake_blocked_links(); /* the servers catch up */
}

static void bring_replicas_back(void)
{
	fake_alarm = RL_NEVER;
	servers[0].replicas = 1;
}

static void bring_back_at(int64_t ms)
{
	fake_alarm = FAKE_START + ms * MS;
	fake_on_alarm = bring_replicas_back;
}

/* The holder's release wakes the waiter, whose replicas are gone. */
static void release_without_replicas(void)
{
	servers[0].replicas = 0;
	servers_free(0);
}

static void wait_follows_the_win(void)
{
	rl_acquire *acquire = queue_up(NULL);
	servers_free(0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("100 a2 WAIT 1 100\n");
	CHECK_INT(fake_stats.wake_ups, 1);
	CHECK_INT(fake_stats.unconfirmed, 0);
	CHECK_INT(fake_pool.count, 2);
	/* The next owner of the connection asks for its own commands only. */
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, servers_owner(0), 0)), RL_BUSY);
	CHECK_COUNT("WAIT", 1);
}

static void a_look_and_a_refusal_ask_no_replica(void)
{
	rl_acquire *acquire = queue_up(NULL);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 5 * SECOND));
	CHECK_COUNT("probe", 5);
	CHECK_COUNT("WAIT", 0);
}

static void an_unconfirmed_win_costs_the_place(void)
{
	rl_acquire *acquire = queue_up(NULL);
	release_without_replicas();
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 199 * MS));
	CHECK_LOG("100 a2 WAIT 1 100\n");
	CHECK_INT(fake_stats.unconfirmed, 0);
	servers[0].replicas = 1;
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_stats.unconfirmed, 1);
	CHECK_COUNT("200 a2 close\n", 1);
	/* The next try finds its own token, and has it confirmed. */
	CHECK_COUNT("try+ k T1 30000 1 2 W1\n", 1);
	CHECK_COUNT("a1 WAIT 1 100\n", 1);
	CHECK_TEXT(servers_owner(0), "T1");
	CHECK(memcmp(servers_key(0)->value.bytes, acquire->token.data, acquire->token.len) == 0);
	CHECK_INT(servers_pttl(0), TTL); /* the SET is whole again, so the replicas get the full TTL */
	CHECK_INT(fake_stats.grants_undone, 0);
}

static void a_wait_goes_on_until_the_replicas_are_back(void)
{
	rl_acquire *acquire = queue_up(NULL);
	release_without_replicas();
	bring_back_at(2000);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK(fake_ms() >= 2000 && fake_ms() < 2500);
	CHECK(fake_stats.unconfirmed > 1);
	pass_to(4000);
	CHECK(memcmp(servers_key(0)->value.bytes, acquire->token.data, acquire->token.len) == 0);
}

static void a_wait_in_vain_leaves_no_key(void)
{
	rl_acquire *acquire = queue_up(NULL);
	release_without_replicas();
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_UNCONFIRMED);
	CHECK(fake_ms() >= 10000 && fake_ms() < 10300);
	pass_to(10600);
	CHECK(!servers_have_ours());
}

static void a_right_that_is_missing_ends_the_wait(void)
{
	rl_acquire *acquire = queue_up(NULL);
	servers[0].wait_error = "-NOPERM User x has no permissions to run the 'wait' command";
	servers_free(0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_UNCONFIRMED);
	CHECK_TEXT(acquire->op.err->code, "NOPERM");
	CHECK(fake_ms() < 500);
	pass_to(1000);
	CHECK(!servers_have_ours());
}

/* The try has taken the lock, and WAIT is still blocked. */
static void a_call_abandoned_during_wait_leaves_no_key(void)
{
	rl_acquire *acquire = queue_up(NULL);
	release_without_replicas();
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 150 * MS));
	CHECK_TEXT(servers_owner(0), "T1");
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("150 a2 RELEASE k T1\n", 1);
	CHECK_COUNT("end", 0); /* the server would drop the undo */
	pass_to(230);
	CHECK_TEXT(servers_owner(0), "-");
}

/* WAIT has been answered, and the answer is not read. */
static void a_call_abandoned_right_after_wait_leaves_no_key(void)
{
	rl_acquire *acquire = queue_up(NULL);
	servers[0].wait_error = "-UNBLOCKED force unblock";
	servers_free(0);
	CHECK(rl_queue_is_in(&acquire->queue));
	rl_tick tick = {.now = fake_clock, .seen = fake_clock};
	fake_read(acquire->queue.place->errand.channel.conn->link);
	servers[0].delay = 0;
	/* The step reads the answer to the try, and sends WAIT. The end of the call reads the answer to
	 * WAIT. */
	rl_wait wait;
	CHECK(!rl_op_step(&acquire->op, &tick, &wait));
	CHECK_COUNT("WAIT", 1);
	CHECK_TEXT(servers_owner(0), "T1");
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("RELEASE k T1\n", 1);
	CHECK_TEXT(servers_owner(0), "-");
}

/* ---- a caller's own token ---- */

static void drop_replicas(void)
{
	fake_alarm = RL_NEVER;
	servers[0].replicas = 0;
}

static void a_confirmed_swap_ends_the_call(void)
{
	rl_acquire *acquire = queue_up("mine");
	servers_free(0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("100 a2 WAIT 1 100\n100 a2 swap k T1 mine 30000\n100 a2 WAIT 1 100\n");
	CHECK_TEXT(servers_owner(0), "mine");
}

static bool lose_before_swap(const char *words, bool is_taken, fake_plan *plan)
{
	if (is_taken && strncmp(words, "swap", 4) == 0) {
		servers[0].replicas = 0;
	}
	return servers_serve(words, is_taken, plan);
}

/* The win was confirmed, and the swap is not: the caller's token does not stay. */
static void an_unconfirmed_swap_is_undone(void)
{
	rl_acquire *acquire = queue_up("mine");
	fake_improvise = lose_before_swap;
	servers_free(0);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 200 * MS));
	CHECK_COUNT("200 a2 RELEASE k mine\n", 1);
	CHECK_INT(fake_stats.unconfirmed, 1);
	CHECK_INT(fake_stats.grants_undone, 1);
	pass_to(230);
	CHECK(strcmp(servers_owner(0), "mine") != 0);
	fake_improvise = servers_serve;
	servers[0].replicas = 1;
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	pass_to(2000);
	CHECK_TEXT(servers_owner(0), "mine");
}

static void an_unconfirmed_swap_at_the_deadline_is_undone(void)
{
	rl_acquire *acquire = queue_up("mine");
	fake_improvise = lose_before_swap;
	fake_alarm = FAKE_START + 9990 * MS;
	fake_on_alarm = drop_replicas;
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 9950 * MS));
	servers_free(0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_UNCONFIRMED);
	pass_to(11000);
	CHECK(!servers_have_ours());
}

/* Another client has set the same token: a refusal, which needs no replica. */
static void a_swap_that_finds_its_own_token_is_refused_without_replicas(void)
{
	rl_acquire *acquire = queue_up("mine");
	fake_improvise = lose_before_swap;
	servers_free(0);
	rl_tick tick = {.now = fake_clock, .seen = fake_clock};
	rl_wait wait;
	fake_read(acquire->queue.place->errand.channel.conn->link);
	CHECK(!rl_op_step(&acquire->op, &tick, &wait));
	servers_take(0, "mine", 20000); /* after the win */
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 500 * MS));
	CHECK_COUNT("swap k T1 mine", 1);
	CHECK_COUNT("RELEASE k mine", 0);
	CHECK_TEXT(servers_owner(0), "mine");
}

static const check_test tests[] = {
	TEST(wait_follows_the_win),
	TEST(a_look_and_a_refusal_ask_no_replica),
	TEST(an_unconfirmed_win_costs_the_place),
	TEST(a_wait_goes_on_until_the_replicas_are_back),
	TEST(a_wait_in_vain_leaves_no_key),
	TEST(a_right_that_is_missing_ends_the_wait),
	TEST(a_call_abandoned_during_wait_leaves_no_key),
	TEST(a_call_abandoned_right_after_wait_leaves_no_key),
	TEST(a_confirmed_swap_ends_the_call),
	TEST(an_unconfirmed_swap_is_undone),
	TEST(an_unconfirmed_swap_at_the_deadline_is_undone),
	TEST(a_swap_that_finds_its_own_token_is_refused_without_replicas),
};

CHECK_MAIN(tests, fake_end)
