/* SPDX-License-Identifier: MIT
 *
 * Errands to clusters: nodes that fail, clusters among several members, and the map.
 */
#include "calling.h"
#include "check.h"

/* ---- nodes that fail ---- */

/* Any other node can redirect. */
static void a_node_that_refuses_is_passed_over(void)
{
	begin_cluster("abc");
	fake_dials(0, FAKE_REFUSE, 0);
	fake_says(1, MOVED_TO("c"));
	fake_says(2, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 0);
	CHECK_COUNT("a1 dial", 1);
	CHECK_INT(fake_node_of(route), 'c');
}

/* Node a names the refusing node b each time, and the call follows until the hops are used up. */
static void a_redirect_may_lead_to_a_node_that_refuses(void)
{
	begin_cluster("ab");
	fake_warm(0);
	for (unsigned i = 0; i < 9; i++) {
		fake_says(0, MOVED_TO("b"));
	}
	fake_refuses(1, 9);
	rl_op *op = fails(acquire(), RL_ERR_CONNECT);
	CHECK_HAS(op->err->message, "redis://");
	CHECK(fake_count("b") >= 2);
	CHECK_INT(fake_stats.grants_undone, 0);
	CHECK(rl_quorum_call_may_pass(&op->call));
}

static void a_redirect_may_lead_to_a_node_that_hangs(void)
{
	begin_cluster("ab");
	fake_warm(0);
	fake_says(0, MOVED_TO("b"));
	fake_dials(1, FAKE_HANG, 0);
	fake_says(0, MOVED_TO("c")); /* a replica of that node has the slot now */
	fake_says(2, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_ms(), 1000);
	CHECK_COUNT("b1 dial", 1);
	CHECK_INT(fake_node_of(route), 'c');
}

static void a_call_fails_when_all_nodes_refuse(void)
{
	begin_cluster("abc");
	fake_seeds_refuse(route, 3);
	fails(acquire(), RL_ERR_CONNECT);
	CHECK_COUNT("dial", 6); /* the first dial, and five more */
	CHECK_INT(fake_ms(), 0);
}

/* The driver resolves the name, and the node is dialled again. */
static void a_name_is_resolved_first(void)
{
	begin_cluster("a");
	fake_warm(0);
	fake_names_move = true;
	fake_says(0, MOVED_TO("b"));
	fake_dials(1, FAKE_NO_NAME, 0);
	fake_says(1, "+OK");
	rl_op *op = acquire();
	rl_tick tick = {.now = fake_clock, .seen = 0};
	CHECK(!rl_op_step(op, &tick, &fake_wait));
	CHECK(!fake_wait.wants_names);
	fake_read(fake_wait.links[0]);
	tick.seen = fake_clock;
	CHECK(!rl_op_step(op, &tick, &fake_wait));
	CHECK(fake_wait.wants_names);
	CHECK_INT(fake_wait.count, 0);
	CHECK_COUNT("b1 SET", 0);
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_COUNT("SET", 2);
	CHECK_INT(fake_distrusts, 1);
	CHECK_INT(fake_node_of(route), 'b');
}

/* Resolving the name again would bring nothing new: another node is asked. */
static void a_name_without_an_address_leads_to_another_node(void)
{
	begin_cluster("ac");
	fake_warm(0);
	fake_says(0, MOVED_TO("b"));
	fake_dials(1, FAKE_NO_NAME, 0);
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_COUNT("a1 SET", 2);
	CHECK_COUNT("b1 SET", 0);
}

static void a_node_with_an_idle_connection_needs_no_name(void)
{
	begin_warm_cluster("ab");
	fake_names_move = true;
	fake_says(0, MOVED_TO("b"));
	fake_says(1, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_distrusts, 0);
}

/* Resolving takes longer than the budget: that is a failure with a reason. */
static void a_name_that_takes_too_long_is_a_failure(void)
{
	begin_cluster("a");
	fake_hold_clock();
	fake_warm(0);
	fake_names_move = true;
	fake_acts(0, FAKE_SAY, MOVED_TO("b"), 900 * MS);
	fake_dials(1, FAKE_NO_NAME, 0);
	rl_op *op = acquire();
	CHECK(!fake_drive_to(op, FAKE_START + 900 * MS));
	fake_clock += 5 * SECOND;
	CHECK_INT(fake_drive(op), RL_ERR_NAME);
	CHECK_COUNT("b1 SET", 0);
	CHECK_HAS(op->err->message, "b:6379");
	CHECK_INT(fake_stats.grants_undone, 0);
}

/* ---- several members ---- */

/* Of three members b is a cluster, to which d belongs as well. */
static void begin_several(void)
{
	fake_begin(3);
	route = fake_cluster(1, "bd");
	for (unsigned i = 0; i < 4; i++) {
		fake_warm(i);
	}
}

/* The others decide each call, and none of them waits until the dial to b has failed. */
static void a_dial_that_fails_between_two_calls_leads_to_another_node(void)
{
	fake_begin(3);
	route = fake_cluster(1, "bd");
	fake_warm(0);
	fake_warm(2);
	fake_warm(3);
	fake_dials(1, FAKE_HANG, 0);
	for (unsigned i = 0; i < 3; i++) {
		fake_says(0, "_");
		fake_says(2, "_");
		CHECK_INT(fake_drive(acquire()), RL_BUSY);
		CHECK_COUNT("b1 dial", 1);
		CHECK_COUNT("d1 SET", i == 2);
		fake_clock += 700 * MS; /* the dial has a second */
	}
}

/* Only d has granted the lock, after ASKING, and the last member refuses it after 5 ms. */
static void begin_asked_minority(void)
{
	begin_several();
	fake_says(0, "_");
	fake_says(1, ASK_AT("d"));
	fake_acts(2, FAKE_SAY, "_", 5 * MS);
	fake_says(3, "+OK");
}

static void one_of_several_members_is_redirected(void)
{
	begin_several();
	fake_says(0, "+OK");
	fake_says(1, MOVED_TO("d"));
	fake_says(3, "+OK");
	fake_acts(2, FAKE_SAY, "_", 5 * MS);
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_COUNT(SET, 4);
	CHECK_INT(fake_ms(), 0);
}

/* Without a quorum the cluster's grant, which came after ASKING, is undone after ASKING. */
static void a_minority_at_an_asked_node_is_undone_after_asking(void)
{
	begin_asked_minority();
	CHECK(!fake_drive_to(acquire(), FAKE_START + 6 * MS));
	CHECK_HAS(fake_log(), "5 d1 ASKING\n5 d1 RELEASE k T1\n");
}

/* One member forbids the helper keys, and the release is left unanswered on another one. There it
 * is written in both forms, each after ASKING. */
static void both_forms_of_an_unanswered_release_follow_asking(void)
{
	begin_several();
	fake_set.wakes = true;
	fake_says(0, "-NOPERM x");
	fake_says(0, ":1");
	fake_says(1, ASK_AT("d"));
	fake_says(2, ":1");
	fake_acts(3, FAKE_SILENCE, NULL, 0);
	rl_plain_args args = {.verb = RL_VERB_RELEASE,
		.key = bytes_of("k"),
		.token = bytes_of("rl1.AAAAAAAAAAAAAAAAAAAAAAAA")};
	CHECK_INT(fake_drive(fake_plain(&args)), RL_OK);
	CHECK_COUNT("d1 ASKING", 2);
	CHECK_HAS(fake_log(), "d1 ASKING\n0 d1 RELEASE k T1\n");
}

/* ---- plain members that redirect ---- */

static void a_plain_member_that_answers_moved_says_which_dsn_to_use(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_says(0, MOVED_TO("b"));
	rl_op *op = fails(acquire(), RL_ERR_SERVER);
	CHECK_TEXT(op->err->code, "MOVED");
	CHECK_HAS(op->err->message, "redis-cluster://");
	CHECK_LOG("0 a1 " SET);
	CHECK_INT(fake_stats.cluster_redirects, 0);
	CHECK(!rl_quorum_call_may_pass(&op->call));
}

/* ---- the map ---- */

static void the_map_is_asked_for_beside_a_command_and_read_later(void)
{
	begin_warm_cluster("a");
	route->map_due = 0;
	fake_always(0, "CLUSTER", FAKE_SAY, "#0 8191 b 6379;8192 16383 c 6379", 20 * MS);
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_LOG("0 a1 " SET "0 a1 CLUSTER SLOTS\n");
	CHECK_INT(fake_ms(), 0); /* the call does not wait for the map */
	CHECK_INT(fake_node_of(route), 0);
	fake_clock += 30 * MS;
	fake_says(0, MOVED_TO("b"));
	fake_says(1, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_INT(fake_node_of(route), 'b');
	CHECK_INT(route->node_count, 3);
	CHECK(rl_route_knows(route, 16383));
}

static void the_map_is_asked_for_once_a_second(void)
{
	begin_warm_cluster("ab");
	route->map_due = 0;
	for (unsigned i = 0; i < 40; i++) {
		fake_says(i % 2, i % 2 == 0 ? MOVED_TO("b") : MOVED_TO("a"));
		fake_says(1 - i % 2, "+OK");
		rl_op *op = acquire();
		CHECK_INT(fake_drive(op), RL_OK);
		fake_free(op);
		fake_clock += 100 * MS;
	}
	CHECK_COUNT("CLUSTER SLOTS", 4);
}

/* Between the request and the reply there is no memory, or the connection ends. */
static void a_map_that_never_comes_is_asked_for_again_after_a_move(void)
{
	begin_warm_cluster("ab");
	route->map_due = 0;
	fake_always(0, "CLUSTER", FAKE_BREAK, "", 0);
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	fake_clock += 2 * SECOND;
	fake_says(0, MOVED_TO("b"));
	fake_says(1, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_COUNT("CLUSTER SLOTS", 2);
}

/* The map arrives with the redirect, after it, and knows nothing of node "c": the route drops it.
 */
static void a_map_may_drop_the_node_that_the_redirect_names(void)
{
	begin_cluster("a");
	route->map_due = 0;
	fake_always(0, "CLUSTER", FAKE_SAY, "#0 16383 b 7001", 0);
	fake_says(0, "-MOVED 7629 c:7002");
	fake_says(1, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_LOG("0 a1 dial\n0 a1 " SET "0 a1 NAME\n0 a1 CLUSTER SLOTS\n"
			  "0 b1 dial\n0 b1 " SET "0 b1 NAME\n");
	CHECK_INT(fake_stats.cluster_redirects, 1);
}

static const check_test tests[] = {
	TEST(a_node_that_refuses_is_passed_over),
	TEST(a_redirect_may_lead_to_a_node_that_refuses),
	TEST(a_redirect_may_lead_to_a_node_that_hangs),
	TEST(a_call_fails_when_all_nodes_refuse),
	TEST(a_name_is_resolved_first),
	TEST(a_name_without_an_address_leads_to_another_node),
	TEST(a_node_with_an_idle_connection_needs_no_name),
	TEST(a_name_that_takes_too_long_is_a_failure),
	TEST(one_of_several_members_is_redirected),
	TEST(a_dial_that_fails_between_two_calls_leads_to_another_node),
	TEST(a_minority_at_an_asked_node_is_undone_after_asking),
	TEST(both_forms_of_an_unanswered_release_follow_asking),
	TEST(a_plain_member_that_answers_moved_says_which_dsn_to_use),
	TEST(the_map_is_asked_for_beside_a_command_and_read_later),
	TEST(the_map_is_asked_for_once_a_second),
	TEST(a_map_that_never_comes_is_asked_for_again_after_a_move),
	TEST(a_map_may_drop_the_node_that_the_redirect_names),
};

CHECK_MAIN(tests, fake_end)
