/* SPDX-License-Identifier: MIT
 *
 * The map of a cluster as a route reads it, and routes without memory.
 */
#include "check.h"
#include "core/wire/rl_route.h"
#include "no_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rl_route *route;

/* The replies of a map. */
static rl_reply stock[100000];
static size_t used;

static void clean_up(void)
{
	is_counting = false;
	fails_at = 0;
	rl_route_unref(route);
	route = NULL;
	used = 0;
}

static rl_target *make_target(const char *host)
{
	rl_target *target = rl_target_new();
	target->address.host = strdup(host);
	target->address.port = 7000;
	CHECK(rl_target_set_name(target));
	return target;
}

/* A cluster with the seed "s". */
static void start(void)
{
	clean_up();
	rl_target *seed = make_target("s");
	route = rl_route_new(RL_ROUTE_CLUSTER, seed);
	CHECK(route != NULL && rl_route_add_seed(route, seed));
	rl_target_unref(seed);
}

/* ---- replies ---- */

static rl_reply *take(size_t count)
{
	CHECK(count <= sizeof stock / sizeof stock[0] - used);
	rl_reply *taken = &stock[used];
	used += count;
	return taken;
}

static rl_reply number(int64_t value)
{
	return (rl_reply){.type = RL_REPLY_INTEGER, .integer = value};
}

static rl_reply text(const char *value)
{
	return value == NULL ? (rl_reply){.type = RL_REPLY_NIL}
						 : (rl_reply){.type = RL_REPLY_STRING, .text = bytes_of(value)};
}

static rl_reply array_of(const rl_reply *elements, size_t count)
{
	rl_reply *copy = take(count);
	for (size_t i = 0; i < count; i++) {
		copy[i] = elements[i];
	}
	return (rl_reply){.type = RL_REPLY_ARRAY, .elements = copy, .count = count};
}

#define ARRAY(...) \
 array_of((const rl_reply[]){__VA_ARGS__}, sizeof((rl_reply[]){__VA_ARGS__}) / sizeof(rl_reply))

static rl_reply node(const char *host, int64_t port)
{
	return ARRAY(text(host), number(port), text("id"), array_of(NULL, 0));
}

static rl_reply range(int64_t first, int64_t last, rl_reply primary)
{
	return ARRAY(number(first), number(last), primary, node("replica", 1));
}

static void read_map(rl_reply map)
{
	rl_route_read_map(route, &map, route->seeds[0]);
}

static const char *node_of(unsigned slot)
{
	return rl_route_knows(route, slot) ? rl_route_node(route, slot)->name : "unknown";
}

static void moved(unsigned slot, const char *host, uint16_t port)
{
	rl_redirect redirect = {RL_REDIRECT_MOVED, slot, bytes_of(host), port};
	CHECK(rl_route_follow(route, &redirect, route->seeds[0]) != NULL);
}

/* ---- maps ---- */

static void a_map_names_the_node_of_each_slot(void)
{
	start();
	read_map(ARRAY(range(0, 8191, node("a", 1)), range(8192, 16383, node("b", 2))));
	for (unsigned slot = 0; slot < RL_SLOTS; slot++) {
		CHECK_TEXT(node_of(slot), slot < 8192 ? "redis://a:1" : "redis://b:2");
	}
	CHECK_INT(route->node_count, 3); /* no replica */
	CHECK_TEXT(route->nodes[0].target->name, "redis://s:7000");
}

static void a_partial_map_leaves_the_other_slots(void)
{
	start();
	moved(5, "s", 7000);
	moved(6, "gone", 1);
	moved(7, "gone", 1);
	read_map(ARRAY(range(7, 7, node("a", 1)), range(9, 10, node("a", 1))));
	CHECK_TEXT(node_of(5), "redis://s:7000");
	CHECK_TEXT(node_of(6), "unknown"); /* its node has left */
	CHECK_TEXT(node_of(7), "redis://a:1");
	CHECK_TEXT(node_of(8), "unknown");
	CHECK_TEXT(node_of(9), "redis://a:1");
	CHECK_TEXT(node_of(10), "redis://a:1");
	CHECK_TEXT(node_of(11), "unknown");
}

static void nodes_that_have_left_are_dropped(void)
{
	start();
	read_map(ARRAY(
		range(0, 99, node("a", 1)), range(100, 199, node("b", 1)), range(200, 299, node("c", 1))));
	CHECK_INT(route->node_count, 4);
	rl_route_suspect(route, rl_route_node(route, 250));
	rl_target *kept = rl_target_ref(rl_route_node(route, 150));
	read_map(ARRAY(range(0, 99, node("a", 1)), range(100, 299, node("c", 1))));
	CHECK_INT(route->node_count, 3);
	CHECK_INT(kept->refs, 1);
	rl_target_unref(kept);
	CHECK_TEXT(node_of(99), "redis://a:1");
	CHECK_TEXT(node_of(199), "redis://c:1");
	CHECK_TEXT(node_of(299), "redis://c:1"); /* the node was named again */
	/* A node of redirects alone. */
	rl_redirect ask = {RL_REDIRECT_ASK, 0, bytes_of("d"), 1};
	CHECK(rl_route_follow(route, &ask, route->seeds[0]) != NULL);
	CHECK_INT(route->node_count, 4);
	read_map(ARRAY(range(0, 299, node("s", 7000))));
	CHECK_INT(route->node_count, 1);
	CHECK(rl_route_node(route, 0) == route->seeds[0]);
}

static void a_node_without_a_host_is_that_of_the_speaker(void)
{
	start();
	read_map(ARRAY(range(0, 0, node(NULL, 7001)), range(1, 1, node("", 7002)),
		range(2, 2, node("?", 7003)), range(3, 3, node(NULL, 7000))));
	CHECK_TEXT(node_of(0), "redis://s:7001");
	CHECK_TEXT(node_of(1), "redis://s:7002");
	CHECK_TEXT(node_of(2), "redis://s:7003");
	CHECK(rl_route_node(route, 3) == route->seeds[0]);
	read_map(ARRAY(range(0, 0, node("::1", 7001)), range(1, 1, ARRAY(text("a"), number(1)))));
	CHECK_TEXT(node_of(0), "redis://[::1]:7001");
	CHECK_TEXT(node_of(1), "redis://a:1");
}

/* A reply with nonsense at this place, beside a range that makes sense. */
static rl_reply nonsense(unsigned place)
{
	rl_reply good = node("bad", 1);
	rl_reply status = {.type = RL_REPLY_STATUS, .text = bytes_of("bad")};
	static char long_name[300];
	memset(long_name, 'x', sizeof long_name - 1);
	switch (place) {
		case 0:
			return number(5);
		case 1:
			return text(NULL);
		case 2:
			return ARRAY(number(0), number(5));
		case 3:
			return ARRAY(text("0"), number(5), good);
		case 4:
			return ARRAY(number(0), text("5"), good);
		case 5:
			return range(-1, 5, good);
		case 6:
			return range(0, RL_SLOTS, good);
		case 7:
			return range(6, 5, good);
		case 8:
			return range(INT64_MIN, INT64_MAX, good);
		case 9:
			return range(0, 5, text("bad"));
		case 10:
			return range(0, 5, ARRAY(text("bad")));
		case 11:
			return range(0, 5, node("bad", 0));
		case 12:
			return range(0, 5, node("bad", -1));
		case 13:
			return range(0, 5, node("bad", 65536));
		case 14:
			return range(0, 5, ARRAY(text("bad"), text("1")));
		case 15:
			return range(0, 5, ARRAY(number(7), number(1)));
		case 16:
			return range(0, 5, ARRAY(status, number(1)));
		case 17:
			return range(0, 5, node("bad host", 1));
		case 18:
			return range(0, 5, node(long_name, 1));
		case 19:
			return array_of(NULL, 0);
		default:
			return number(-1);
	}
}

#define NONSENSES 20

static void nonsense_changes_nothing(void)
{
	for (unsigned place = 0; place < NONSENSES; place++) {
		start();
		moved(3, "a", 1);
		rl_route_suspect(route, route->seeds[0]);
		read_map(ARRAY(nonsense(place)));
		CHECK_INT(route->node_count, 2);
		CHECK(route->nodes[0].is_suspect);
		CHECK_TEXT(node_of(3), "redis://a:1");
		CHECK_TEXT(node_of(5), "unknown");
		/* The rest of the map counts. */
		read_map(ARRAY(range(1, 1, node("b", 1)), nonsense(place), range(2, 2, node("c", 1))));
		CHECK_TEXT(node_of(1), "redis://b:1");
		CHECK_TEXT(node_of(2), "redis://c:1");
		CHECK_TEXT(node_of(0), "unknown");
		CHECK_INT(route->node_count, 3); /* "a" has gone, and "bad" was never added */
	}
}

static void a_reply_that_is_no_map_changes_nothing(void)
{
	rl_reply replies[] = {text(NULL), text("x"), number(1), array_of(NULL, 0),
		{.type = RL_REPLY_ERROR, .text = bytes_of("NOPERM no")}};
	for (size_t i = 0; i < sizeof replies / sizeof replies[0]; i++) {
		start();
		moved(3, "a", 1);
		read_map(replies[i]);
		CHECK_INT(route->node_count, 2);
		CHECK_TEXT(node_of(3), "redis://a:1");
	}
}

static void too_many_nodes_leave_slots_unknown(void)
{
	start();
	rl_reply *ranges = take(1200);
	for (unsigned i = 0; i < 1200; i++) {
		ranges[i] = range(i, i, node("n", i + 1));
	}
	read_map((rl_reply){.type = RL_REPLY_ARRAY, .elements = ranges, .count = 1200});
	CHECK_INT(route->node_count, RL_NODES_MAX);
	for (unsigned i = 0; i < 1200; i++) { /* one is the seed */
		CHECK_INT(rl_route_knows(route, i), i < RL_NODES_MAX - 1);
		CHECK(i >= RL_NODES_MAX - 1 || rl_route_node(route, i)->address.port == i + 1);
	}
}

/* 4096 ranges and 1000 nodes: nothing is made for a node that is known. */
static void a_known_map_takes_no_memory(void)
{
	static char hosts[999][16];
	start();
	rl_reply *ranges = take(4096);
	for (unsigned i = 0; i < 4096; i++) {
		char *host = hosts[i % 999];
		snprintf(host, sizeof hosts[0], "10.0.%u.%u", i % 999 / 250, i % 999 % 250);
		ranges[i] = range(4 * i, 4 * i + 3, ARRAY(text(host), number(6379)));
	}
	rl_reply map = {.type = RL_REPLY_ARRAY, .elements = ranges, .count = 4096};
	read_map(map);
	CHECK_INT(route->node_count, 1000);
	asked = 0;
	is_counting = true;
	read_map(map);
	is_counting = false;
	CHECK_INT(asked, 0);
	CHECK_INT(route->node_count, 1000);
	for (unsigned i = 0; i < RL_SLOTS; i++) {
		CHECK_TEXT(rl_route_node(route, i)->address.host, hosts[i / 4 % 999]);
	}
}

/* ---- without memory ---- */

/* Acts with memory failing at each place in turn, and then with enough. */
static void at_each_place(void (*prepare)(void), void (*act)(void), void (*judge)(bool has_failed))
{
	bool has_failed = true;
	for (unsigned at = 1; has_failed; at++) {
		start();
		prepare();
		asked = 0;
		fails_at = at;
		is_counting = true;
		act();
		is_counting = false;
		has_failed = asked >= at;
		judge(has_failed);
		CHECK(has_failed || at > 3);
	}
}

static rl_route *copied;

static void prepare_copy(void)
{
	moved(3, "a", 1);
	CHECK(rl_route_set_service(route, bytes_of("service")));
}

static void copy(void)
{
	copied = rl_route_copy(route, 3);
}

static void judge_copy(bool has_failed)
{
	bool is_right = copied == NULL
		? has_failed
		: rl_route_equal(copied, route) && rl_route_knows(copied, 3) == !has_failed;
	rl_route_unref(copied);
	CHECK(is_right);
}

static void a_copy_may_lack_memory(void)
{
	at_each_place(prepare_copy, copy, judge_copy);
}

static rl_target *followed;

static void prepare_nothing(void)
{
}

static void follow(void)
{
	rl_redirect redirect = {RL_REDIRECT_MOVED, 3, bytes_of("a"), 1};
	followed = rl_route_follow(route, &redirect, route->seeds[0]);
}

static void judge_redirect(bool has_failed)
{
	CHECK_INT(followed == NULL, has_failed);
	CHECK_INT(rl_route_knows(route, 3), !has_failed);
	CHECK_INT(route->node_count, has_failed ? 1 : 2);
	moved(3, "a", 1);
	CHECK_TEXT(node_of(3), "redis://a:1");
}

static void a_redirect_may_lack_memory(void)
{
	at_each_place(prepare_nothing, follow, judge_redirect);
}

static rl_reply two_nodes;

static void prepare_map(void)
{
	moved(1, "a", 1);
	moved(2, "b", 1);
	two_nodes = ARRAY(range(1, 1, node("b", 1)), range(2, 2, node("c", 1)));
}

static void map_them(void)
{
	read_map(two_nodes);
}

static void judge_map(bool has_failed)
{
	CHECK_TEXT(node_of(1), "redis://b:1");
	CHECK_TEXT(node_of(2), has_failed ? "redis://b:1" : "redis://c:1");
	read_map(two_nodes);
	CHECK_TEXT(node_of(2), "redis://c:1");
	CHECK_INT(route->node_count, 3);
}

static void a_map_may_lack_memory(void)
{
	at_each_place(prepare_map, map_them, judge_map);
}

static void a_route_may_lack_memory(void)
{
	rl_target *seed = make_target("s");
	for (fails_at = 1; fails_at <= 6; fails_at++) {
		asked = 0;
		is_counting = true;
		rl_route *made = rl_route_new(RL_ROUTE_CLUSTER, seed);
		bool has_seed = made != NULL && rl_route_add_seed(made, seed);
		bool has_service = has_seed && rl_route_set_service(made, bytes_of("x"));
		is_counting = false;
		CHECK_INT(made != NULL, fails_at > 2);
		CHECK_INT(has_seed, fails_at > 4);
		CHECK_INT(has_service, false);
		CHECK(made == NULL || made->seed_count == has_seed);
		rl_route_unref(made);
	}
	CHECK_INT(seed->refs, 1);
	rl_target_unref(seed);
}

static const check_test tests[] = {
	TEST(a_map_names_the_node_of_each_slot),
	TEST(a_partial_map_leaves_the_other_slots),
	TEST(nodes_that_have_left_are_dropped),
	TEST(a_node_without_a_host_is_that_of_the_speaker),
	TEST(nonsense_changes_nothing),
	TEST(a_reply_that_is_no_map_changes_nothing),
	TEST(too_many_nodes_leave_slots_unknown),
	TEST(a_known_map_takes_no_memory),
	TEST(a_copy_may_lack_memory),
	TEST(a_redirect_may_lack_memory),
	TEST(a_map_may_lack_memory),
	TEST(a_route_may_lack_memory),
};

CHECK_MAIN(tests, clean_up)
