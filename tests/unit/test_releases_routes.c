/* SPDX-License-Identifier: MIT
 *
 * Release batches whose members are clusters or primaries behind Sentinels: tokens, other members,
 * abandoned batches, and memory that fails.
 */
#include "batching.h"
#include "check.h"
#include "fake_memory.h"

static void clean_up(void)
{
	is_counting = false;
	batch_end();
}

/* ---- tokens ---- */

/* A lease with the caller's token is at b, which asks for a password. */
static void begin_own_token(void)
{
	batch_begin_warm("a", 1, "mine");
	leases[0]->is_own_token = true;
	route->common->password = (rl_secret){(char *) (uintptr_t) "word", 4};
	batch_know(0, "b", 6379);
}

/* A caller's token waits for the login of the node. */
static void an_own_token_waits_for_the_login(void)
{
	begin_own_token();
	fake_login_says(1, "AUTH", NULL);
	fake_drive(batch_op);
	CHECK_COUNT("b1 RELEASE", 0);
	CHECK_COUNT("b1 AUTH", 1);
}

static void an_own_token_is_sent_after_the_login(void)
{
	begin_own_token();
	fake_improvise = fake_yes;
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_ms(), 0);
	CHECK_INT(fake_stats.released, 1);
	CHECK_COUNT("b1 release k1 mine", 1);
}

static void a_drawn_token_is_written_after_asking_at_the_end(void)
{
	begin_cluster("ab");
	fake_warm(0);
	batch_make(1, DRAWN);
	fake_acts(0, FAKE_SAY, redirect("ASK", 0, "b"), 199 * MS);
	fake_dials(1, FAKE_ACCEPT, 50 * MS);
	CHECK_INT(fake_drive(batch_op), RL_ERR_TIMEOUT);
	CHECK_INT(fake_stats.failed, 1);
	CHECK_INT(batch_missing(0), 1);
}

/* ---- several members ---- */

/* Of three members one is a cluster of d and e, whose lanes the leases use in turn. There is no
 * idle connection to d. */
static void begin_several(unsigned count)
{
	fake_begin(3);
	route = fake_cluster(1, "de");
	fake_warm(0);
	fake_warm(2);
	fake_warm(4);
	batch_make(count, DRAWN);
	batch_lead_to("de", count);
}

static void one_of_several_members_may_be_a_cluster(void)
{
	begin_several(2);
	fake_warm(3);
	fake_says(0, ":1");
	fake_says(0, ":1");
	fake_says(3, ":1");
	fake_says(4, redirect("MOVED", 1, "d"));
	fake_acts(2, FAKE_SILENCE, NULL, 0);
	fake_says(3, ":1");
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_stats.released, 2);
	CHECK_COUNT("d1 RELEASE k2 T1", 1);
	CHECK_INT(fake_ms(), 0);
}

/* A backed off node is left out if the other members can decide. No other node is left out. */
static void a_backed_off_node_of_a_member_is_left_out(void)
{
	begin_several(3);
	rl_pool_note_failure(&fake_pool, &fake_targets[3], fake_clock);
	fake_improvise = fake_yes;
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_COUNT("e1 RELEASE k2 T1", 1);
	CHECK_COUNT("d1", 0);
	CHECK_INT(fake_stats.released, 3);
}

static void all_nodes_of_a_cluster_alone_are_asked(void)
{
	begin_cluster("de");
	batch_make(2, DRAWN);
	batch_lead_to("de", 2);
	rl_pool_note_failure(&fake_pool, &fake_targets[4], fake_clock);
	fake_improvise = fake_yes;
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_stats.released, 2);
}

/* ---- Sentinels ---- */

/* The last lookup has named the primary a, and is of this age. */
static void begin_sentinels(int64_t age)
{
	begin_named(age);
	batch_make(2, "tok");
}

static void a_primary_gets_the_releases(void)
{
	begin_sentinels(499 * MS);
	fake_improvise = fake_yes;
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_LOG("0 a1 RELEASE k1 tok\n0 a1 RELEASE k2 tok\n");
}

/* Another server may be the primary by now: an answer of the last one does not count. */
static void a_primary_that_was_named_long_ago_is_looked_up(void)
{
	begin_sentinels(60 * SECOND);
	switch_to_b(5 * MS);
	fake_improvise = fake_yes;
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_COUNT("a1 RELEASE", 2);
	CHECK_COUNT("5 b1 RELEASE k1 tok\n", 1);
	CHECK_COUNT("5 b1 RELEASE k2 tok\n", 1);
	CHECK_INT(fake_stats.released, 2);
	CHECK_INT(fake_stats.sentinel_lookups, 1);
}

static void without_sentinels_the_last_primary_gets_the_releases(void)
{
	begin_sentinels(60 * SECOND);
	fake_none_answers(route);
	fake_improvise = fake_yes;
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_HAS(fake_log(), "0 a1 RELEASE k1 tok\n0 a1 RELEASE k2 tok\n");
	CHECK_INT(fake_ms(), 200);
	CHECK_INT(fake_stats.released, 2);
}

/* An operation has asked the Sentinels before, and has not waited for them. */
static void an_open_lookup_is_used(void)
{
	begin_sentinels(700 * MS);
	fake_all_name(route, NAMES("a"), 50 * MS);
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	fake_clock += 310 * MS;
	fake_improvise = fake_yes;
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_stats.released, 2);
	CHECK_INT(fake_stats.sentinel_lookups, 1);
}

static void a_batch_fails_without_a_known_primary(void)
{
	begin_cold();
	fake_none_answers(route);
	batch_make(1, "tok");
	fake_drive(batch_op);
	CHECK_INT(fake_ms(), 200);
	CHECK_COUNT("RELEASE", 0);
	CHECK_INT(fake_stats.failed, 1);
	CHECK_INT(batch_missing(0), 1);
}

static void readonly_stays_to_be_released(void)
{
	begin_named(0);
	batch_make(1, "tok");
	fake_says(0, "-READONLY x");
	fake_says(0, "-READONLY x");
	fake_drive(batch_op);
	CHECK_INT(fake_stats.failed, 1);
	CHECK_COUNT("release", 1);
	CHECK_INT(batch_missing(0), 1);
}

static void a_primary_behind_sentinels_does_not_redirect(void)
{
	begin_named(0);
	batch_make(1, "tok");
	fake_says(0, redirect("MOVED", 0, "b"));
	fake_drive(batch_op);
	CHECK_COUNT("b1", 0);
	CHECK_INT(fake_node_of(route), 'a');
}

/* ---- abandoned ---- */

/* The first of three keys is asked for at b, and the others are not answered. */
static void begin_asked_at_b(void)
{
	batch_begin_warm("ab", 3, DRAWN);
	fake_says(0, redirect("ASK", 0, "b"));
	fake_acts(0, FAKE_SILENCE, NULL, 0);
}

static void an_abandoned_batch_writes_its_open_releases(void)
{
	begin_asked_at_b();
	abandon_later(batch_op);
	CHECK_HAS(fake_log(), "b1 ASKING\n0 b1 RELEASE k1 T1\n");
}

static void a_child_sends_nothing(void)
{
	begin_asked_at_b();
	abandon_in_child(batch_op);
	CHECK_COUNT("RELEASE", 0);
	CHECK_COUNT(" end", 0);
}

/* ---- without memory ---- */

/* At each place: a release that could not be sent counts as failed, and no lease is lost by it. */
static void release_and_redirect(void)
{
	begin_cluster("a");
	batch_make(3, "tok");
	rl_op_free(batch_op);
	fake_says(0, redirect("MOVED", 0, "b"));
	fake_says(0, ":1");
	fake_says(0, redirect("ASK", 2, "c"));
	fake_improvise = fake_yes;
	fake_memory_fails();
	batch_again(3);
	if (batch_op != NULL) {
		fake_drive(batch_op);
	}
	fake_memory_works();
	CHECK_INT(fake_stats.not_released, 0);
	CHECK(batch_op == NULL || fake_stats.released + fake_stats.failed == 3);
	batch_end();
}

static void a_batch_may_lack_memory_at_each_place(void)
{
	fake_memory_each(60, release_and_redirect);
}

static const check_test tests[] = {
	TEST(an_own_token_waits_for_the_login),
	TEST(an_own_token_is_sent_after_the_login),
	TEST(a_drawn_token_is_written_after_asking_at_the_end),
	TEST(one_of_several_members_may_be_a_cluster),
	TEST(a_backed_off_node_of_a_member_is_left_out),
	TEST(all_nodes_of_a_cluster_alone_are_asked),
	TEST(a_primary_gets_the_releases),
	TEST(a_primary_that_was_named_long_ago_is_looked_up),
	TEST(without_sentinels_the_last_primary_gets_the_releases),
	TEST(an_open_lookup_is_used),
	TEST(a_batch_fails_without_a_known_primary),
	TEST(readonly_stays_to_be_released),
	TEST(a_primary_behind_sentinels_does_not_redirect),
	TEST(an_abandoned_batch_writes_its_open_releases),
	TEST(a_child_sends_nothing),
	TEST(a_batch_may_lack_memory_at_each_place),
};

CHECK_MAIN(tests, clean_up)
