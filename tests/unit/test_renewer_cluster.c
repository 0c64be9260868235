/* SPDX-License-Identifier: MIT
 *
 * The watch and a cluster whose nodes redirect renewals.
 */
#include "check.h"
#include "watching.h"

static rl_route *route;

static void clean_up(void)
{
	watching_end();
	if (route != NULL) {
		rl_route_unref(route);
		route = NULL;
	}
}

/* A lease of a cluster with the nodes "a" and "b", of which "a" has all slots. */
static rl_renewal *keep(void)
{
	watching_begin(2);
	fake_set.count = 1;
	rl_target *node = rl_target_copy(&fake_targets[0]);
	route = rl_route_new(RL_ROUTE_CLUSTER, node);
	CHECK(route != NULL && rl_route_add_seed(route, node));
	rl_target_unref(node);
	fake_set.members[0].route = rl_route_ref(route);
	return watching_keep("k", TTL);
}

/* Until the next renewal the slot may have moved to and fro, and node "b" would answer that the
 * lease is gone. */
static void asking_is_sent_for_one_command(void)
{
	rl_renewal *one = keep();
	fake_says(0, "-ASK 0 b:6379");
	fake_says(1, "+OK");
	fake_says(1, ":1");
	watching_to(10000);
	CHECK_INT(watching_left(one), 30000);
	CHECK_LOG("10000 a1 dial\n10000 a1 renew k tok 30002\n10000 a1 NAME\n10000 a1 CLUSTER SLOTS\n"
			  "10000 b1 dial\n10000 b1 ASKING\n10000 b1 renew k tok 30002\n10000 b1 NAME\n");
	fake_forget_log();
	fake_says(0, ":1");
	watching_to(20000);
	CHECK_INT(watching_left(one), 30000);
	CHECK_LOG("20000 a1 renew k tok 30002\n"); /* node "a" still has the slot */
}

/* By then the slot may have moved, which the node of the slot knows. */
static void a_command_is_sent_again_to_the_node_of_the_slot_without_asking(void)
{
	rl_renewal *one = keep();
	fake_says(0, "-ASK 0 b:6379");
	fake_says(1, "+OK");
	fake_acts(1, FAKE_BREAK, NULL, 0);
	fake_says(0, ":1");
	watching_to(10000);
	CHECK_INT(watching_left(one), 30000);
	CHECK_COUNT("ASKING", 1);
	CHECK_COUNT("b1 renew", 1);
	CHECK_COUNT("a1 renew", 2);
}

static unsigned appended;

static bool lacks_memory_for_the_second(void)
{
	return ++appended == 2;
}

/* ASKING is taken back, and the line goes on. */
static void memory_that_lacks_behind_asking_leaves_the_line_to_the_others(void)
{
	rl_renewal *one = keep();
	rl_renewal *two = watching_keep("k", TTL);
	fake_improvise = fake_yes;
	fake_says(0, "-ASK 0 b:6379");
	fake_says(0, "-ERR x");
	fake_acts(0, FAKE_SAY, "-ASK 0 b:6379", 20 * MS);
	fake_says(1, "+OK");
	fake_acts(1, FAKE_SAY, ":1", 100 * MS);
	watching_to(10015);
	appended = 0;
	fake_lacks_memory = lacks_memory_for_the_second;
	watching_to(10200);
	fake_lacks_memory = NULL;
	CHECK_COUNT("b1 retract", 1);
	CHECK_INT(watching_left(one), 29800);
	CHECK_INT(watching_left(two), 29830);
}

static const check_test tests[] = {
	TEST(asking_is_sent_for_one_command),
	TEST(a_command_is_sent_again_to_the_node_of_the_slot_without_asking),
	TEST(memory_that_lacks_behind_asking_leaves_the_line_to_the_others),
};

CHECK_MAIN(tests, clean_up)
