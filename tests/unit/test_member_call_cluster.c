/* SPDX-License-Identifier: MIT
 *
 * A member call to a cluster whose map arrives together with a redirect.
 */
#include "check.h"
#include "fake.h"

#include "core/wire/rl_slot.h"

static rl_op *op;
static rl_route *route;
static rl_link_event (*fake_receive)(rl_link *link, rl_reply *reply, rl_error *err);

static void clean_up(void)
{
	if (fake_receive != NULL) {
		fake_transport.receive = fake_receive;
		fake_receive = NULL;
	}
	fake_free(op);
	op = NULL;
	rl_pool_clear(&fake_pool);
	rl_route_unref(route);
	route = NULL;
	fake_end();
}

/* "+MAP" stands for a map that gives all slots to node "b". */
static rl_link_event receive(rl_link *link, rl_reply *reply, rl_error *err)
{
	static const rl_reply node[] = {
		{.type = RL_REPLY_STRING, .text = {"b", 1}}, {.type = RL_REPLY_INTEGER, .integer = 7001}};
	static const rl_reply range[] = {{.type = RL_REPLY_INTEGER},
		{.type = RL_REPLY_INTEGER, .integer = RL_SLOTS - 1},
		{.type = RL_REPLY_ARRAY, .elements = node, .count = 2}};
	static const rl_reply ranges[] = {{.type = RL_REPLY_ARRAY, .elements = range, .count = 3}};
	rl_link_event what = fake_receive(link, reply, err);
	if (what == RL_LINK_REPLY && rl_bytes_equal(reply->text, rl_bytes_of("MAP", 3))) {
		*reply = (rl_reply){.type = RL_REPLY_ARRAY, .elements = ranges, .count = 1};
	}
	return what;
}

static void begin_cluster(void)
{
	fake_begin(3);
	fake_receive = fake_transport.receive;
	fake_transport.receive = receive;
	route = rl_route_new(RL_ROUTE_CLUSTER, &fake_targets[0]);
	CHECK(route != NULL && rl_route_add_seed(route, &fake_targets[0]));
	fake_set.count = 1;
	fake_set.naming = RL_NAMES_IN_SLOT;
	fake_set.members[0].route = rl_route_ref(route);
}

/* The map knows nothing of node "c", so the route drops it. It arrived last, so it counts. */
static void a_map_may_drop_the_node_that_the_redirect_names(void)
{
	begin_cluster();
	fake_says(0, "-MOVED 7629 c:7002");
	fake_says(0, "+MAP");
	fake_says(1, "+OK");
	op = &fake_acquire(30000, 0)->op;
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_LOG("0 a1 dial\n0 a1 SET k T1 NX PX 30000\n0 a1 NAME\n0 a1 CLUSTER SLOTS\n"
			  "0 b1 dial\n0 b1 SET k T1 NX PX 30000\n0 b1 NAME\n");
	CHECK_INT(fake_stats.redirects, 1);
}

static const check_test tests[] = {
	TEST(a_map_may_drop_the_node_that_the_redirect_names),
};

CHECK_MAIN(tests, clean_up)
