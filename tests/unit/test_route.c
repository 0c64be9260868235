/* SPDX-License-Identifier: MIT
 *
 * Routes: candidates and suspects, redirects, copies and comparisons. The map of a cluster is in
 * test_route_map.c.
 */
#include "check.h"
#include "core/wire/rl_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rl_route *route;
static rl_route *other;

static void clean_up(void)
{
	rl_route_unref(route);
	rl_route_unref(other);
	route = NULL;
	other = NULL;
}

static rl_target *make_target(const char *host, uint16_t port)
{
	rl_target *target = rl_target_new();
	target->address.host = strdup(host);
	target->address.port = port;
	target->user = strdup("me");
	target->password = (rl_secret){strdup("secret"), 6};
	target->database = 2;
	target->replicas = 1;
	target->replicas_ms = 50;
	CHECK(rl_target_set_name(target));
	return target;
}

static rl_route *make_route(rl_route_kind kind, const char *const *seeds, unsigned count)
{
	rl_target *common = make_target(seeds[0], 7000);
	rl_route *made = rl_route_new(kind, common);
	rl_target_unref(common);
	CHECK(made != NULL);
	for (unsigned i = 0; i < count; i++) {
		rl_target *seed = make_target(seeds[i], 7000);
		CHECK(rl_route_add_seed(made, seed));
		rl_target_unref(seed);
	}
	return made;
}

static const char *const abc[] = {"a", "b", "c"};

static void start(void)
{
	clean_up();
	route = make_route(RL_ROUTE_CLUSTER, abc, 3);
}

static const char *node_of(unsigned slot)
{
	const rl_target *node = rl_route_node(route, slot);
	return node != NULL ? node->name : "none";
}

static rl_target *follow(const char *text)
{
	rl_redirect redirect = rl_redirect_read(bytes_of(text));
	CHECK(redirect.kind != RL_REDIRECT_NONE);
	return rl_route_follow(route, &redirect, route->seeds[0]);
}

/* ---- candidates ---- */

static void seeds_are_asked_first(void)
{
	start();
	CHECK_INT(route->node_count, 3);
	CHECK_TEXT(node_of(0), "redis://a:7000/2");
	CHECK_TEXT(node_of(16383), "redis://a:7000/2");
	CHECK(!rl_route_knows(route, 0));
	CHECK(rl_route_node(route, 5) == route->seeds[0]);
}

static void a_seed_that_is_named_twice_is_one_node(void)
{
	static const char *const seeds[] = {"a", "A", "b"};
	route = make_route(RL_ROUTE_CLUSTER, seeds, 3);
	CHECK_INT(route->seed_count, 3);
	CHECK_INT(route->node_count, 2);
}

static void a_suspect_is_passed_over(void)
{
	start();
	rl_route_suspect(route, route->seeds[0]);
	CHECK_TEXT(node_of(1), "redis://b:7000/2");
	CHECK_TEXT(node_of(1), "redis://b:7000/2");
	rl_route_suspect(route, route->seeds[1]);
	CHECK_TEXT(node_of(1), "redis://c:7000/2");
	/* When all candidates are suspect, each gets another chance, in turn. */
	rl_route_suspect(route, route->seeds[2]);
	CHECK_TEXT(node_of(1), "redis://a:7000/2");
	rl_route_suspect(route, route->seeds[0]);
	CHECK_TEXT(node_of(1), "redis://b:7000/2");
}

static void a_suspect_loses_its_slots_until_it_is_named(void)
{
	start();
	follow("MOVED 7 b:7000");
	CHECK(rl_route_knows(route, 7));
	CHECK_TEXT(node_of(7), "redis://b:7000/2");
	rl_route_suspect(route, route->seeds[1]);
	CHECK(!rl_route_knows(route, 7));
	CHECK_TEXT(node_of(7), "redis://c:7000/2");
	follow("ASK 7 b:7000");
	CHECK(!rl_route_knows(route, 7));
	follow("MOVED 8 b:7000");
	CHECK(rl_route_knows(route, 7));
	CHECK_TEXT(node_of(7), "redis://b:7000/2");
}

static void a_stranger_is_no_suspect(void)
{
	start();
	rl_target *stranger = make_target("z", 7000);
	rl_route_suspect(route, stranger);
	stranger->address.port = 7001;
	rl_route_suspect(route, stranger);
	rl_target_unref(stranger);
	CHECK_TEXT(node_of(1), "redis://a:7000/2");
	CHECK_INT(route->node_count, 3);
}

/* ---- redirects ---- */

static void check_redirect(
	const char *text, rl_redirect_kind kind, unsigned slot, const char *host, unsigned port)
{
	rl_redirect redirect = rl_redirect_read(bytes_of(text));
	bool is_right = redirect.kind == kind && redirect.slot == slot &&
		rl_bytes_equal(redirect.host, bytes_of(host)) && redirect.port == port;
	if (!is_right) {
		FAIL("%s: %d %u %.*s %u", text, (int) redirect.kind, redirect.slot, (int) redirect.host.len,
			redirect.host.data, (unsigned) redirect.port);
	}
}

static void redirects_are_read(void)
{
	check_redirect("MOVED 3999 127.0.0.1:6381", RL_REDIRECT_MOVED, 3999, "127.0.0.1", 6381);
	check_redirect("ASK 0 node-1.example:65535", RL_REDIRECT_ASK, 0, "node-1.example", 65535);
	check_redirect("MOVED 16383 ::1:7000", RL_REDIRECT_MOVED, 16383, "::1", 7000);
	check_redirect("MOVED 1 fe80::1%eth0:1", RL_REDIRECT_MOVED, 1, "fe80::1%eth0", 1);
	check_redirect("MOVED 1 :7000", RL_REDIRECT_MOVED, 1, "", 7000);
	check_redirect("ASK 1 ?:7000", RL_REDIRECT_ASK, 1, "", 7000);
	check_redirect("MOVED 1 a:2 more words", RL_REDIRECT_MOVED, 1, "a", 2);
}

static void malformed_redirects_are_not_followed(void)
{
	static const char *const texts[] = {"", "MOVED", "MOVED ", "MOVED 1", "MOVED 1 ", "MOVED 1 a",
		"MOVED 1 a:", "MOVED 1 a:0", "MOVED 1 a:65536", "MOVED 1 a:99999999999999999999",
		"MOVED 1 a:70x0", "MOVED 1 a:-1", "MOVED 16384 a:1", "MOVED -1 a:1", "MOVED x a:1",
		"MOVED  1 a:1", "MOVED  a:1", "MOVED 4294967296 a:1", "moved 1 a:1", "MOVEDX 1 a:1",
		"ASKING 1 a:1", "TRYAGAIN 1 a:1", " MOVED 1 a:1", "MOVED 1 a\tb:1", "MOVED 1 \x7f:1",
		"MOVED 1 \xc3\xa9:1", "ERR MOVED 1 a:1", "MOVED 1 ", "ASK 1 :"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		if (rl_redirect_read(bytes_of(texts[i])).kind != RL_REDIRECT_NONE) {
			FAIL("%s", texts[i]);
		}
	}
	CHECK_INT(rl_redirect_read(rl_bytes_of("MOVED 1 a\0b:1", 13)).kind, RL_REDIRECT_NONE);
	CHECK_INT(rl_redirect_read(rl_bytes_of("", 0)).kind, RL_REDIRECT_NONE);
	char text[300] = "MOVED 1 ";
	memset(text + 8, 'h', 256);
	strcpy(text + 8 + 255, ":1");
	CHECK_INT(rl_redirect_read(bytes_of(text)).kind, RL_REDIRECT_MOVED);
	strcpy(text + 8 + 255, "h:1");
	CHECK_INT(rl_redirect_read(bytes_of(text)).kind, RL_REDIRECT_NONE);
}

static void a_moved_is_noted(void)
{
	start();
	const rl_target *node = follow("MOVED 5 10.0.0.1:7001");
	CHECK_TEXT(node->name, "redis://10.0.0.1:7001/2");
	CHECK(rl_route_node(route, 5) == node);
	CHECK(rl_route_knows(route, 5));
	CHECK_TEXT(node_of(4), "redis://a:7000/2");
	CHECK_INT(route->node_count, 4);
	/* The node has the options that all nodes have in common. */
	CHECK_TEXT(node->user, "me");
	CHECK(node->password.len == 6 && memcmp(node->password.data, "secret", 6) == 0);
	CHECK_INT(node->replicas_ms, 50);
	CHECK_INT(node->refs, 1);
	/* A known node is not made again, whatever the case of its name. */
	CHECK(follow("MOVED 6 10.0.0.1:7001") == node);
	CHECK(follow("MOVED 6 B:7000") == route->seeds[1]);
	CHECK_INT(route->node_count, 4);
}

static void an_ask_is_not_noted(void)
{
	start();
	CHECK(rl_route_wants_map(route, 0));
	CHECK_TEXT(follow("ASK 5 d:1")->name, "redis://d:1/2");
	CHECK(!rl_route_knows(route, 5));
	CHECK_TEXT(node_of(5), "redis://a:7000/2");
	CHECK(!rl_route_wants_map(route, 10 * RL_MAP_PAUSE_NS));
}

static void an_empty_host_is_that_of_the_speaker(void)
{
	start();
	CHECK_TEXT(follow("MOVED 5 :7005")->name, "redis://a:7005/2");
	CHECK_TEXT(follow("MOVED 5 ?:7006")->name, "redis://a:7006/2");
	CHECK_TEXT(follow("ASK 5 ?:7000")->name, "redis://a:7000/2");
	CHECK(follow("MOVED 5 ?:7000") == route->seeds[0]);
	CHECK_TEXT(follow("MOVED 1 ::1:7000")->name, "redis://[::1]:7000/2");
}

static void there_are_at_most_a_thousand_nodes(void)
{
	start();
	char text[40];
	for (unsigned i = 3; i < RL_NODES_MAX; i++) {
		snprintf(text, sizeof text, "MOVED %u n:%u", i, i);
		CHECK(follow(text) != NULL);
	}
	CHECK_INT(route->node_count, RL_NODES_MAX);
	CHECK(follow("MOVED 1 z:1") == NULL);
	CHECK(follow("MOVED 1 n:999") != NULL);
	CHECK(!rl_route_knows(route, 2));
	for (unsigned i = 3; i < RL_NODES_MAX; i++) {
		CHECK_INT(rl_route_node(route, i)->address.port, i == 1 ? 999 : i);
	}
}

static void a_map_is_wanted_once_a_second_at_most(void)
{
	start();
	CHECK(rl_route_wants_map(route, 100));
	CHECK(!rl_route_wants_map(route, 100 + 2 * RL_MAP_PAUSE_NS));
	follow("MOVED 1 b:7000");
	CHECK(!rl_route_wants_map(route, 100 + RL_MAP_PAUSE_NS - 1));
	CHECK(rl_route_wants_map(route, 100 + RL_MAP_PAUSE_NS));
	CHECK(!rl_route_wants_map(route, 100 + 9 * RL_MAP_PAUSE_NS));
}

/* ---- Sentinel ---- */

/* In a set with a cluster a key has its slot for all members. */
static void behind_sentinels_all_keys_are_in_one_slot(void)
{
	route = make_route(RL_ROUTE_SENTINEL, abc, 3);
	CHECK(!rl_route_wants_map(route, 0));
	CHECK_TEXT(node_of(0), "none");
	CHECK_TEXT(node_of(16383), "none");
	rl_target *node = rl_route_name(route, bytes_of("p"), 6379, 77);
	CHECK_TEXT(node->name, "redis://p:6379/2");
	CHECK_INT(route->named_at, 77);
	rl_member member = {.target = route->common, .route = route};
	CHECK(rl_member_node(&member, 12739) == node);
	CHECK(rl_route_knows(route, 12739));
	rl_route_suspect(route, node);
	CHECK(!rl_route_knows(route, 0));
	CHECK(rl_route_node(route, 3) == node); /* the primary is the only node */
	CHECK(rl_route_name(route, bytes_of("p"), 6379, 78) == node);
	CHECK(rl_route_knows(route, 16383));
	other = rl_route_copy(route, 9999);
	CHECK_TEXT(rl_route_node(other, 1)->name, "redis://p:6379/2");
	CHECK_INT(other->named_at, 78);
}

static void only_the_named_node_is_kept(void)
{
	route = make_route(RL_ROUTE_SENTINEL, abc, 3);
	for (unsigned i = 1; i <= 2 * RL_NODES_MAX; i++) {
		const rl_target *node = rl_route_name(route, bytes_of("p"), (uint16_t) i, i);
		CHECK(node != NULL && node->address.port == i);
		CHECK(rl_route_node(route, 0) == node);
		CHECK_INT(route->node_count, 1);
	}
	CHECK(rl_route_name(route, bytes_of("p q"), 1, 5000) == NULL);
	CHECK_INT(rl_route_node(route, 0)->address.port, 2 * RL_NODES_MAX);
	/* Redirects and maps change nothing behind Sentinels. */
	follow("MOVED 16383 x:1");
	CHECK(!rl_route_wants_map(route, INT64_MAX));
	rl_reply node[] = {
		{.type = RL_REPLY_STRING, .text = bytes_of("y")}, {.type = RL_REPLY_INTEGER, .integer = 1}};
	rl_reply range[] = {{.type = RL_REPLY_INTEGER}, {.type = RL_REPLY_INTEGER},
		{.type = RL_REPLY_ARRAY, .elements = node, .count = 2}};
	rl_reply ranges[] = {{.type = RL_REPLY_ARRAY, .elements = range, .count = 3}};
	rl_reply map = {.type = RL_REPLY_ARRAY, .elements = ranges, .count = 1};
	rl_route_read_map(route, &map, route->seeds[0]);
	CHECK_TEXT(node_of(0), "redis://x:1/2");
}

/* The nodes of a route are TCP, whatever its seeds are. */
static void a_named_node_is_reached_by_tcp(void)
{
	route = make_route(RL_ROUTE_SENTINEL, abc, 1);
	route->common->address.kind = RL_NET_UNIX;
	CHECK_INT(rl_route_name(route, bytes_of("p"), 1, 1)->address.kind, RL_NET_TCP);
}

/* ---- copies and comparisons ---- */

static void a_copy_knows_the_seeds_and_one_slot(void)
{
	start();
	follow("MOVED 5 d:1");
	follow("MOVED 6 e:1");
	other = rl_route_copy(route, 5);
	CHECK(rl_route_equal(route, other));
	CHECK_INT(other->node_count, 4);
	CHECK(rl_route_knows(other, 5));
	CHECK(!rl_route_knows(other, 6));
	const rl_target *node = rl_route_node(other, 5);
	CHECK(node != rl_route_node(route, 5) && rl_target_equal(node, rl_route_node(route, 5)));
	CHECK(other->seeds[0] != route->seeds[0] && other->common != route->common);
	CHECK_TEXT(other->common->name, route->common->name);
}

static void one_route_learns_from_another(void)
{
	start();
	other = rl_route_copy(route, 5);
	CHECK(!rl_route_knows(other, 5));
	follow("MOVED 5 d:1");
	rl_route_learn(other, route, 5);
	CHECK(rl_route_knows(other, 5));
	CHECK(!rl_route_knows(other, 6));
	/* A suspect node is not taught, and a node that was suspect here is asked again. */
	rl_route_suspect(other, rl_route_node(other, 5));
	rl_route_learn(other, route, 5);
	CHECK(rl_route_knows(other, 5));
	follow("MOVED 5 e:1");
	rl_route_suspect(route, rl_route_node(route, 5));
	rl_route_learn(other, route, 5);
	CHECK_TEXT(rl_route_node(other, 5)->name, "redis://d:1/2");
}

/* Both times are of one lookup, so they are learned together. */
static void the_age_of_a_node_is_learned_with_its_name(void)
{
	route = make_route(RL_ROUTE_SENTINEL, abc, 3);
	CHECK(rl_route_may_grant(route));
	CHECK_INT(rl_route_change_ns(route, 0.01), 0);
	route->grace_ns = 30;
	other = rl_route_copy(route, 0);
	CHECK(rl_route_name(route, bytes_of("d"), 1, 77) != NULL);
	route->known_since = 50;
	CHECK(rl_route_is_known_for(route, 27) && !rl_route_is_known_for(route, 28));
	CHECK(!rl_route_may_grant(route));
	rl_route_learn(other, route, 0);
	CHECK(!rl_route_may_grant(other));
	CHECK(rl_route_name(other, bytes_of("d"), 1, 81) != NULL);
	other->known_since = 51;
	rl_route_learn(other, route, 0);
	CHECK(rl_route_may_grant(other));
	CHECK_INT(other->known_since, 51);
	CHECK_INT(rl_route_change_ns(route, 0.5), 2 * RL_CHECK_NS + 1);
}

static void routes_are_compared(void)
{
	static const char *const acb[] = {"a", "c", "b"};
	static const struct {
		rl_route_kind kind;
		const char *const *seeds;
		unsigned count;
		bool is_equal, overlaps;
	} cases[] = {{RL_ROUTE_CLUSTER, abc, 3, true, true}, {RL_ROUTE_CLUSTER, abc, 2, false, true},
		{RL_ROUTE_CLUSTER, acb, 3, false, true}, {RL_ROUTE_CLUSTER, abc + 1, 2, false, true},
		{RL_ROUTE_SENTINEL, abc, 3, false, false}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		start();
		other = make_route(cases[i].kind, cases[i].seeds, cases[i].count);
		if (rl_route_equal(route, other) != cases[i].is_equal ||
			rl_route_equal(other, route) != cases[i].is_equal ||
			rl_route_overlaps(route, other) != cases[i].overlaps ||
			rl_route_overlaps(other, route) != cases[i].overlaps) {
			FAIL("case %zu", i);
		}
	}
	clean_up();
	route = make_route(RL_ROUTE_CLUSTER, abc, 1);
	other = make_route(RL_ROUTE_CLUSTER, abc + 1, 2);
	CHECK(!rl_route_overlaps(route, other));
	start();
	follow("MOVED 1 z:1");
	other = make_route(RL_ROUTE_CLUSTER, abc, 3);
	CHECK(rl_route_equal(route, other)); /* learned nodes do not count */
	other->common->database = 3;
	CHECK(!rl_route_equal(route, other));
	CHECK(rl_route_overlaps(route, other));
	other->common->database = 2;
	other->seeds[2]->password.data[0]++;
	CHECK(!rl_route_equal(route, other));
}

static void services_are_compared(void)
{
	route = make_route(RL_ROUTE_SENTINEL, abc, 3);
	other = make_route(RL_ROUTE_SENTINEL, abc, 3);
	CHECK(rl_route_set_service(route, bytes_of("one")));
	CHECK(!rl_route_equal(route, other));
	CHECK(rl_route_set_service(other, bytes_of("two")));
	CHECK(!rl_route_equal(route, other) && !rl_route_overlaps(route, other));
	CHECK(rl_route_set_service(other, bytes_of("one")));
	CHECK(rl_route_equal(route, other) && rl_route_overlaps(route, other));
	rl_route_unref(other);
	other = rl_route_copy(route, 0);
	CHECK_TEXT(other->service, "one");
	CHECK(rl_route_equal(route, other));
}

static void references_are_counted(void)
{
	start();
	CHECK(rl_route_ref(route) == route);
	rl_route_unref(route);
	CHECK_INT(route->refs, 1);
	rl_target *node = rl_target_ref(follow("MOVED 1 z:1"));
	clean_up();
	CHECK_INT(node->refs, 1);
	rl_target_unref(node);
	rl_route_unref(NULL);
}

static const check_test tests[] = {
	TEST(seeds_are_asked_first),
	TEST(a_seed_that_is_named_twice_is_one_node),
	TEST(a_suspect_is_passed_over),
	TEST(a_suspect_loses_its_slots_until_it_is_named),
	TEST(a_stranger_is_no_suspect),
	TEST(redirects_are_read),
	TEST(malformed_redirects_are_not_followed),
	TEST(a_moved_is_noted),
	TEST(an_ask_is_not_noted),
	TEST(an_empty_host_is_that_of_the_speaker),
	TEST(there_are_at_most_a_thousand_nodes),
	TEST(a_map_is_wanted_once_a_second_at_most),
	TEST(behind_sentinels_all_keys_are_in_one_slot),
	TEST(only_the_named_node_is_kept),
	TEST(a_named_node_is_reached_by_tcp),
	TEST(a_copy_knows_the_seeds_and_one_slot),
	TEST(one_route_learns_from_another),
	TEST(the_age_of_a_node_is_learned_with_its_name),
	TEST(routes_are_compared),
	TEST(services_are_compared),
	TEST(references_are_counted),
};

CHECK_MAIN(tests, clean_up)
