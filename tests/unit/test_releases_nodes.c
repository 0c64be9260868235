/* SPDX-License-Identifier: MIT
 *
 * Release batches in clusters: a lane for each node, redirects, and nodes that fail.
 */
#include "batching.h"
#include "check.h"

#define LEASES BATCH_MAX

static void begin_lanes(const char *nodes, unsigned count)
{
	batch_begin_warm(nodes, count, "tok");
	batch_lead_to(nodes, count);
}

/* ---- lanes ---- */

static void each_node_has_a_lane(void)
{
	begin_lanes("abc", 6);
	fake_improvise = fake_yes;
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_LOG("0 a1 RELEASE k1 tok\n0 a1 RELEASE k4 tok\n0 b1 RELEASE k2 tok\n"
			  "0 b1 RELEASE k5 tok\n0 c1 RELEASE k3 tok\n0 c1 RELEASE k6 tok\n");
	CHECK_INT(fake_stats.released, 6);
	CHECK_INT(fake_pool.count, 3);
	CHECK_INT(fake_writes, 3);
}

static void without_a_map_redirects_make_the_lanes(void)
{
	batch_begin_warm("a", 4, "tok");
	fake_says(0, redirect("MOVED", 0, "b"));
	fake_says(0, ":1");
	fake_says(0, redirect("MOVED", 2, "b"));
	fake_says(0, redirect("MOVED", 3, "c"));
	fake_says(1, ":1");
	fake_says(1, ":0");
	fake_says(2, ":1");
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_COUNT("b1 dial", 1);
	CHECK_COUNT("c1 RELEASE k4 tok", 1);
	CHECK_INT(fake_stats.cluster_redirects, 3);
	CHECK_INT(fake_stats.released, 3);
	CHECK_INT(fake_stats.not_released, 1);
	CHECK(rl_lease_is_lost(leases[2]));
	CHECK_INT(leases[0]->stage, RL_LEASE_ENDED);
}

static void a_redirect_joins_a_lane_that_exists(void)
{
	begin_lanes("ab", 2);
	fake_says(0, redirect("MOVED", 0, "b"));
	fake_acts(1, FAKE_SAY, ":1", 5 * MS);
	fake_acts(1, FAKE_SAY, ":1", 5 * MS);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_COUNT("dial", 0);
	CHECK_COUNT("b1 RELEASE", 2);
	CHECK_INT(fake_stats.released, 2);
}

/* The lane of the other node is over already, so the batch makes a new lane. */
static void a_redirect_to_a_lane_that_is_over_makes_a_new_lane(void)
{
	begin_lanes("ab", 2);
	fake_acts(0, FAKE_SAY, redirect("MOVED", 0, "b"), 20 * MS);
	fake_says(1, ":1");
	fake_says(1, ":1");
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_stats.released, 2);
}

static void each_release_after_ask_has_its_own_asking(void)
{
	begin_lanes("ab", 3);
	fake_says(0, redirect("ASK", 0, "b"));
	fake_says(0, redirect("ASK", 2, "b"));
	fake_improvise = fake_yes;
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_COUNT("b1 RELEASE k2 tok", 1);
	CHECK_COUNT("ASKING", 2);
	CHECK_HAS(fake_log(), "b1 ASKING\n0 b1 RELEASE k1 tok\n");
	CHECK_HAS(fake_log(), "b1 ASKING\n0 b1 RELEASE k3 tok\n");
	CHECK_INT(fake_stats.released, 3);
}

static void a_circle_of_redirects_ends(void)
{
	batch_begin_warm("ab", 1, "tok");
	for (unsigned i = 0; i < 9; i++) {
		fake_says(0, redirect("MOVED", 0, "b"));
		fake_says(1, redirect("MOVED", 0, "a"));
	}
	fake_drive(batch_op);
	CHECK_COUNT("release k1 tok", 6);
	CHECK_INT(fake_stats.failed, 1);
	CHECK(rl_lease_is_open(leases[0]));
	CHECK_INT(batch_missing(0), 1);
	CHECK(rl_releases_barred(batch_op) == NULL);
}

static void a_node_may_redirect_to_itself(void)
{
	batch_begin_warm("a", 1, "tok");
	for (unsigned i = 0; i < 9; i++) {
		fake_says(0, redirect("MOVED", 0, "a"));
	}
	fake_drive(batch_op);
	CHECK_COUNT("release k1 tok", 6);
	CHECK_INT(fake_stats.failed, 1);
}

static bool yes_later(const char *words, bool is_taken, fake_plan *plan)
{
	(void) words, (void) is_taken;
	*plan = (fake_plan){FAKE_SAY, ":1", MS};
	return true;
}

static bool nothing(const char *words, bool is_taken, fake_plan *plan)
{
	(void) words, (void) is_taken;
	*plan = (fake_plan){FAKE_SILENCE, NULL, 0};
	return true;
}

/* Each lease is at a node of its own, on servers b and c. */
static void begin_many(void)
{
	begin_cluster("a");
	batch_make(LEASES, "tok");
	for (unsigned i = 0; i < LEASES; i++) {
		batch_know(i, i % 2 == 0 ? "b" : "c", 7000 + i);
	}
}

/* The leases are on more nodes than the batch can wait for at once: the other lanes wait for their
 * turn. */
static void the_number_of_lanes_at_once_is_limited(void)
{
	begin_many();
	fake_improvise = fake_yes;
	CHECK(LEASES > RL_WAIT_LINKS);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_stats.released, LEASES);
	CHECK_COUNT("dial", LEASES);
}

/* The time runs out while lanes are still queued. */
static void queued_lanes_fail_when_the_time_runs_out(void)
{
	begin_many();
	fake_improvise = nothing;
	CHECK_INT(fake_drive(batch_op), RL_ERR_TIMEOUT);
	CHECK_INT(fake_ms(), 200);
	CHECK_COUNT("dial", RL_BATCH_WINDOW);
	CHECK_INT(fake_stats.failed, LEASES);
	CHECK_INT(batch_missing(LEASES - 1), 1);
}

static void a_lane_that_ends_makes_room(void)
{
	begin_many();
	for (unsigned i = 0; i < 190; i++) {
		fake_dials(1, FAKE_REFUSE_LATER, 5 * MS);
	}
	fake_improvise = yes_later;
	fake_drive(batch_op);
	CHECK_INT(fake_stats.released + fake_stats.failed, LEASES);
	CHECK_COUNT("c165 dial", 1); /* the last one */
	CHECK(fake_ms() <= 100);
}

/* ---- nodes that fail ---- */

static void a_node_that_refuses_fails_alone(void)
{
	begin_cluster("ab");
	fake_warm(0);
	fake_refuses(1, 9);
	batch_make(4, "tok");
	batch_lead_to("ab", 4);
	fake_says(0, ":1");
	fake_says(0, redirect("MOVED", 1, "b"));
	fake_says(0, ":1");
	fake_says(0, redirect("MOVED", 3, "b"));
	for (unsigned i = 0; i < 12; i++) { /* b is no longer asked, and a has not the slots */
		fake_says(0, redirect("MOVED", i % 2 == 0 ? 1 : 3, "b"));
	}
	fake_drive(batch_op);
	CHECK_INT(fake_stats.released, 2);
	CHECK_INT(fake_stats.failed, 2);
	CHECK_INT(batch_missing(0), 0);
	CHECK_INT(batch_missing(1), 1);
	CHECK_INT(fake_ms(), 0);
}

static void a_node_that_hangs_is_waited_for_to_the_end(void)
{
	begin_lanes("ab", 2);
	fake_says(0, ":1");
	fake_acts(1, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(batch_op), RL_ERR_TIMEOUT);
	CHECK_INT(fake_ms(), 200);
	CHECK_INT(fake_stats.released, 1);
	CHECK_HAS(fake_log(), "200 b1 end\n"); /* the server may still read what was written */
}

static void a_redirect_may_lead_to_a_node_that_refuses(void)
{
	begin_cluster("a");
	fake_warm(0);
	fake_refuses(1, 9);
	batch_make(2, "tok");
	fake_says(0, redirect("MOVED", 0, "b"));
	fake_says(0, ":1");
	for (unsigned i = 0; i < 9; i++) {
		fake_says(0, redirect("MOVED", 0, "b"));
	}
	fake_drive(batch_op);
	CHECK_INT(fake_stats.released, 1);
	CHECK_INT(fake_stats.failed, 1);
	CHECK_INT(fake_ms(), 0);
}

/* The connection breaks: the rest is sent once more on another connection, and may be redirected
 * then. */
static void a_release_after_a_break_may_be_redirected(void)
{
	batch_begin_warm("ab", 3, "tok");
	batch_lead_to("a", 3);
	fake_says(0, ":1");
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, redirect("MOVED", 1, "b"));
	fake_says(0, ":0"); /* the first copy has freed it */
	fake_says(1, ":1");
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_COUNT("RELEASE k1 tok", 1);
	CHECK_COUNT("a2 RELEASE k2 tok", 1);
	CHECK_COUNT("b1 RELEASE k2 tok", 1);
	CHECK_INT(fake_stats.released, 3);
}

/* The first copy may have freed it at the node that broke, before the slot moved: "not ours" at the
 * other node is no loss. */
static void a_refusal_after_a_break_and_moved_is_no_loss(void)
{
	batch_begin_warm("ab", 1, "tok");
	batch_know(0, "a", 6379);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, redirect("MOVED", 0, "b"));
	fake_says(1, ":0");
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_stats.released, 1);
	CHECK_INT(fake_stats.cluster_redirects, 1);
	CHECK_INT(leases[0]->stage, RL_LEASE_ENDED);
}

/* An ASK is about one command: by the time of the second one the key may be back. */
static void a_break_after_asking_leads_back_to_the_node_of_the_slot(void)
{
	begin_lanes("a", 3);
	fake_says(0, redirect("ASK", 0, "b"));
	fake_says(0, redirect("ASK", 1, "b"));
	fake_says(0, ":1");
	fake_says(1, ":1");
	fake_acts(1, FAKE_BREAK, NULL, 0);
	fake_says(0, ":0"); /* the first copy has freed it */
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_COUNT("ASKING", 2);
	CHECK_COUNT("RELEASE k1 tok", 2);
	CHECK_COUNT("b1 RELEASE k2 tok", 1);
	CHECK_COUNT("a1 RELEASE k2 tok", 2);
	CHECK_INT(fake_stats.released, 3);
}

/* Each way leads to a node that breaks. */
static void breaks_after_asking_come_to_an_end(void)
{
	begin_lanes("a", 1);
	for (unsigned i = 0; i < 9; i++) {
		fake_says(0, redirect("ASK", 0, "b"));
		fake_acts(1, FAKE_BREAK, NULL, 0);
	}
	fake_drive(batch_op);
	CHECK_COUNT("ASKING", 5);
	CHECK_INT(fake_stats.failed, 1);
	CHECK_INT(batch_missing(0), 1);
}

static void clusterdown_fails_and_stays_to_be_released(void)
{
	batch_begin_warm("a", 1, "tok");
	fake_says(0, "-CLUSTERDOWN x");
	fake_drive(batch_op);
	CHECK_INT(fake_stats.failed, 1);
	CHECK_INT(batch_missing(0), 1);
}

static void tryagain_goes_with_the_key_alone(void)
{
	batch_begin_warm("a", 2, "tok");
	fake_set.wakes = true;
	fake_says(0, "-TRYAGAIN x");
	fake_says(0, ":1");
	fake_says(0, ":1");
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_HAS(fake_log(), "RELEASE 3 k1 {k1}::rl-wait");
	CHECK_HAS(fake_log(), "a1 RELEASE k1 tok\n");
	CHECK_INT(fake_stats.released, 2);
	CHECK(fake_set.wakes);
}

/* Answers arrive out of order, and some are redirects: the answered leases are not sent again. */
static void releases_without_helper_keys_may_be_redirected(void)
{
	batch_begin_warm("ab", 4, "tok");
	fake_set.wakes = true;
	batch_lead_to("a", 4);
	fake_says(0, "-TRYAGAIN x");
	fake_says(0, redirect("ASK", 1, "b"));
	fake_says(0, ":1");
	fake_says(0, "-TRYAGAIN x");
	fake_says(0, ":1");
	fake_says(0, ":1");
	fake_says(1, ":1");
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_COUNT("a1 RELEASE 3 k3", 1);
	CHECK_COUNT("a1 RELEASE k3", 0);
	CHECK_COUNT("a1 RELEASE k1 tok", 1);
	CHECK_COUNT("a1 RELEASE k4 tok", 1);
	CHECK_COUNT("ASKING", 1);
	CHECK_INT(fake_stats.released, 4);
}

/* The slots of many locks move at the same time: one line has many commands after ASKING. */
static void many_releases_may_follow_ask(void)
{
	unsigned count = 20;
	begin_cluster("ab");
	fake_warm(0);
	batch_make(count, "tok");
	for (unsigned i = 0; i < count; i++) {
		batch_know(i, "a", 6379);
		fake_says(0, redirect("ASK", i, "b"));
	}
	fake_improvise = fake_yes;
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_stats.released, count);
	CHECK_COUNT("b1 ASKING\n", count);
	CHECK_COUNT("dial", 1);
}

static const check_test tests[] = {
	TEST(each_node_has_a_lane),
	TEST(many_releases_may_follow_ask),
	TEST(without_a_map_redirects_make_the_lanes),
	TEST(a_redirect_joins_a_lane_that_exists),
	TEST(a_redirect_to_a_lane_that_is_over_makes_a_new_lane),
	TEST(each_release_after_ask_has_its_own_asking),
	TEST(a_circle_of_redirects_ends),
	TEST(a_node_may_redirect_to_itself),
	TEST(the_number_of_lanes_at_once_is_limited),
	TEST(queued_lanes_fail_when_the_time_runs_out),
	TEST(a_lane_that_ends_makes_room),
	TEST(a_node_that_refuses_fails_alone),
	TEST(a_node_that_hangs_is_waited_for_to_the_end),
	TEST(a_redirect_may_lead_to_a_node_that_refuses),
	TEST(a_release_after_a_break_may_be_redirected),
	TEST(a_refusal_after_a_break_and_moved_is_no_loss),
	TEST(a_break_after_asking_leads_back_to_the_node_of_the_slot),
	TEST(breaks_after_asking_come_to_an_end),
	TEST(clusterdown_fails_and_stays_to_be_released),
	TEST(tryagain_goes_with_the_key_alone),
	TEST(releases_without_helper_keys_may_be_redirected),
};

CHECK_MAIN(tests, batch_end)
