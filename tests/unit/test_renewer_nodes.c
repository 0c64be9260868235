/* SPDX-License-Identifier: MIT
 *
 * The watch and leases in clusters: redirects, nodes that die, and the nodes and routes that the
 * watch keeps.
 */
#include "check.h"
#include "fake_memory.h"
#include "fake_route.h"
#include "watching.h"

#include <stdio.h>
#include <string.h>

static rl_route *route;

static void clean_up(void)
{
	is_counting = false;
	watching_end();
}

static void begin(const char *seeds)
{
	watching_begin(1);
	route = fake_cluster(0, seeds);
}

/* The route of the lease's own thread knows the node of "k". */
static void know(const char *node)
{
	char text[40];
	snprintf(text, sizeof text, "MOVED 7629 %s:6379", node);
	rl_redirect redirect = rl_redirect_read(bytes_of(text));
	CHECK(rl_route_follow(route, &redirect, &fake_targets[0]) != NULL);
}

static rl_renewal *keep(const char *seeds)
{
	begin(seeds);
	return watching_keep("k", TTL);
}

/* ---- the choice of the node ---- */

static void the_node_that_granted_is_asked(void)
{
	begin("abc");
	rl_renewal *one = watching_prepare("k");
	know("c"); /* after the preparation of the lease, before its win */
	watching_win(one, TTL);
	watching_to(10000);
	CHECK_COUNT("10000 c1 renew k tok 30002", 1);
	CHECK_COUNT("dial", 1);
}

static void the_next_lease_uses_what_the_route_has_learned(void)
{
	rl_renewal *one = keep("ab");
	fake_says(0, MOVED_TO("b"));
	watching_to(10000);
	watching_let_go(one, true);
	watching_keep("k", TTL);
	watching_to(20000);
	CHECK_COUNT("20000 b1 renew", 1);
	CHECK_COUNT("a1 renew", 1);
	CHECK(watching.errands.sets->next == NULL); /* both leases share one set */
}

static void a_moved_is_followed_at_once_and_kept(void)
{
	rl_renewal *one = keep("ab");
	fake_acts(0, FAKE_SAY, MOVED_TO("b"), 40 * MS);
	watching_to(10040);
	CHECK_COUNT("10000 a1 renew k tok 30002", 1);
	CHECK_COUNT("10040 b1 renew k tok 30002", 1);
	CHECK_INT(watching_left(one), 30000); /* counted from the command that has run */
	CHECK_INT(fake_stats.cluster_redirects, 1);
	CHECK_INT(fake_stats.renewed, 1);
	watching_to(20040);
	CHECK_COUNT("20040 b1 renew", 1);
	CHECK_COUNT("ASKING", 0);
}

static void an_ask_is_followed_after_asking(void)
{
	keep("ab");
	fake_says(0, ASK_AT("b"));
	watching_to(10000);
	CHECK_HAS(fake_log(), "10000 b1 ASKING\n10000 b1 renew k tok 30002\n");
	watching_to(20000);
	CHECK_HAS(fake_log(), "20000 a1 renew k tok 30002\n"); /* ASKING applies to one command */
	CHECK_COUNT("ASKING", 1);
	CHECK_INT(fake_stats.renewed, 2);
	/* The move is over. */
	fake_says(0, MOVED_TO("b"));
	watching_to(30000);
	CHECK_HAS(fake_log(), "30000 b1 renew k tok 30002\n");
	fake_forget_log();
	watching_to(40000);
	CHECK_COUNT("ASKING", 0);
	CHECK_COUNT("40000 b1 renew", 1);
}

static void a_script_that_the_asked_node_does_not_know_goes_as_text(void)
{
	keep("ab");
	fake_says(0, ASK_AT("b"));
	fake_says(1, "-NOSCRIPT x");
	watching_to(10000);
	CHECK_HAS(fake_log(), "10000 b1 ASKING\n10000 b1 RENEW k tok 30002\n");
	CHECK_INT(fake_stats.renewed, 1);
}

/* Five redirects are followed; the sixth is an answer that fails, and the node is asked again. */
static void a_circle_of_redirects_is_left_and_tried_again(void)
{
	rl_renewal *one = keep("ab");
	for (unsigned i = 0; i < 6; i++) {
		fake_says(i % 2, i % 2 == 0 ? MOVED_TO("b") : MOVED_TO("a"));
	}
	watching_to(10000);
	CHECK_COUNT("10000", 2 + 6 + 2 + 1); /* two dials, six commands, two names, and the map */
	CHECK_INT(fake_stats.renewed, 0);
	CHECK(rl_lease_is_held(one->lease));
	watching_to(11000);
	CHECK_COUNT("11000 a1 renew", 1);
	CHECK_INT(fake_stats.renewed, 1);
}

/* Answers in between begin the count anew. */
static void hops_are_counted_for_one_command(void)
{
	keep("ab");
	for (unsigned i = 0; i < 12; i++) {
		fake_says(i % 2, i % 2 == 0 ? MOVED_TO("b") : MOVED_TO("a"));
		fake_says(1 - i % 2, ":1");
	}
	watching_to(60000);
	CHECK_INT(fake_stats.renewed, 6);
	CHECK_INT(fake_stats.cluster_redirects, 6);
}

static void a_refusal_of_the_other_node_is_a_loss(void)
{
	rl_renewal *one = keep("ab");
	one->lease->is_own_token = true; /* nothing is put back */
	fake_says(0, MOVED_TO("b"));
	fake_says(1, ":0");
	watching_to(10000);
	CHECK(rl_lease_is_lost(one->lease));
}

/* The node of the slot answers each command with the node that may have the key. */
static void a_lock_is_put_back_where_the_key_was_asked_for(void)
{
	watching_begin(3);
	route = fake_cluster(0, "de");
	watching_keep("k", TTL);
	fake_says(3, ASK_AT("e"));
	fake_says(4, ":0");
	fake_says(3, ASK_AT("e"));
	fake_says(4, "+OK");
	watching_to(11000);
	CHECK_HAS(fake_log(), "10000 e1 ASKING\n10000 e1 SET k tok NX PX 30002\n");
	CHECK_COUNT("ASKING", 2);
	CHECK_INT(fake_stats.renewed, 1);
}

/* ---- nodes that fail ---- */

/* The first failure may be that of an old connection, so another node is asked after the second
 * one. */
static void a_node_that_is_dead_is_fled(void)
{
	rl_renewal *one = keep("ab");
	fake_refuses(0, 100);
	fake_says(1, MOVED_TO("c"));
	watching_to(10100);
	CHECK_COUNT("b1 renew", 1);
	CHECK_COUNT("c1 renew", 1);
	CHECK_COUNT("a1 dial", 1);
	CHECK_INT(fake_stats.renewed, 1);
	CHECK(watching_left(one) >= 29900);
}

static void a_node_that_dies_is_fled(void)
{
	begin("ab");
	know("a");
	watching_keep("k", TTL);
	watching_to(10000);
	CHECK_COUNT("10000 a1 renew", 1);
	fake_kill(0);
	fake_refuses(0, 100);
	fake_says(1, MOVED_TO("c"));
	watching_to(20300);
	CHECK_COUNT("b1 renew", 1);
	CHECK_COUNT("c1 renew", 1);
	CHECK_INT(fake_stats.renewed, 2);
}

/* All nodes of a cluster are dead: the watch tries them in turn, with pauses. */
static void a_lease_whose_nodes_are_all_dead_is_lost_with_its_proof(void)
{
	rl_renewal *one = keep("abc");
	fake_refuses(0, 190);
	fake_refuses(1, 190);
	fake_refuses(2, 190);
	watching_to(40000);
	CHECK(rl_lease_is_lost(one->lease));
	unsigned dials = fake_count("dial");
	CHECK(dials > 20 && dials < 400);
}

/* A lease of three members, of which one is a cluster. */
static void members_of_both_kinds_are_kept(void)
{
	watching_begin(3);
	route = fake_cluster(0, "de");
	rl_renewal *one = watching_keep("k", TTL);
	fake_says(3, MOVED_TO("e"));
	watching_to(10000);
	CHECK_COUNT("10000 b1 renew", 1);
	CHECK_COUNT("10000 c1 renew", 1);
	CHECK_COUNT("10000 d1 renew", 1);
	CHECK_COUNT("10000 e1 renew", 1);
	fake_refuses(1, 100);
	fake_kill(1);
	watching_to(60000);
	CHECK(rl_lease_is_held(one->lease));
	CHECK_INT(fake_stats.lost, 0);
}

/* Two clusters of one lease, and a plain server that is also a node: they share no connection
 * state that could mislead. */
static void a_node_may_be_a_plain_member_of_another_lease(void)
{
	begin("ab");
	watching_keep("k", TTL);
	rl_route *cluster = route;
	fake_set.members[0].route = NULL;
	fake_set.members[0].target = &fake_targets[1];
	watching_keep("l", TTL);
	fake_says(0, MOVED_TO("b"));
	watching_to(10000);
	CHECK_COUNT("10000 b1 renew k tok", 1);
	CHECK_COUNT("10000 b1 renew l tok", 1);
	CHECK_COUNT("b1 dial", 1);
	fake_set.members[0].route = cluster;
}

/* A plain member is not redirected. */
static void a_redirect_of_a_plain_member_is_an_error(void)
{
	watching_begin(1);
	rl_renewal *one = watching_keep("k", TTL);
	fake_says(0, MOVED_TO("b"));
	watching_to(10500);
	CHECK_COUNT("b1", 0);
	CHECK(rl_lease_is_held(one->lease));
	watching_to(11000);
	CHECK_INT(fake_stats.renewed, 1);
	CHECK_INT(fake_stats.cluster_redirects, 0);
}

/* ---- releases ---- */

static void a_late_release_is_redirected(void)
{
	static const char *const texts[] = {MOVED_TO("b"), ASK_AT("b")};
	for (unsigned i = 0; i < 2; i++) {
		begin("ab");
		fake_says(0, texts[i]);
		watching_hand_over();
		watching_to(100);
		CHECK_COUNT("b1 RELEASE", 1);
		CHECK_COUNT("ASKING", i);
		CHECK_INT(fake_stats.late_releases_done, 1);
		CHECK_INT(watching.late_count, 0);
		watching_end();
	}
}

static void a_late_release_flees_a_dead_node(void)
{
	begin("ab");
	fake_refuses(0, 100);
	watching_hand_over();
	watching_to(1000);
	CHECK_COUNT("b1 RELEASE", 1);
	CHECK_INT(fake_stats.late_releases_done, 1);
}

/* The renewal is under way to a node that needs ASKING: the release after it needs ASKING as
 * well. */
static void a_release_after_a_renewal_at_an_asked_node_follows_asking(void)
{
	rl_renewal *one = keep("ab");
	fake_says(0, ASK_AT("b"));
	fake_acts(1, FAKE_SILENCE, NULL, 0);
	watching_to(10010);
	fake_forget_log();
	watching_let_go(one, false);
	CHECK_LOG("10010 b1 ASKING\n10010 b1 RELEASE k tok\n");
}

/* The owner drops the lease while the redirect is on its way: no command is sent to the other
 * node. */
static void a_redirect_of_a_lease_that_is_gone_is_not_followed(void)
{
	rl_renewal *one = keep("ab");
	fake_acts(0, FAKE_SAY, MOVED_TO("b"), 50 * MS);
	watching_to(10010);
	watching_let_go(one, true);
	watching_to(12000);
	CHECK_COUNT("b1", 0);
	CHECK_INT(watching.errands.pool.count, 1);
}

static void a_redirect_is_not_followed_while_the_owner_releases(void)
{
	rl_renewal *one = keep("ab");
	fake_acts(0, FAKE_SAY, MOVED_TO("b"), 50 * MS);
	watching_to(10010);
	rl_renewer_pause(one);
	watching_to(12000);
	CHECK_COUNT("b1", 0);
	rl_lease_end(one->lease);
}

/* ---- servers and routes that are kept ---- */

/* Each port is a node. The pool bounds the number of connections. */
static void the_connections_to_nodes_that_were_left_are_idle(void)
{
	static char texts[12][40];
	begin("a");
	for (unsigned i = 0; i < 12; i++) {
		snprintf(texts[i], sizeof texts[i], "-MOVED 7629 a:%u", 7001 + i);
		fake_says(0, texts[i]);
		fake_says(0, ":1");
	}
	watching_keep("k", TTL);
	watching_to(125000);
	CHECK_INT(fake_stats.cluster_redirects, 12);
	CHECK(watching.errands.lines.first == NULL);
	CHECK_INT(watching.errands.pool.count, 1 + 12);
	CHECK_INT(fake_open_links(), 1 + 12);
}

static unsigned count_sets(void)
{
	unsigned count = 0;
	for (const rl_renewer_set *set = watching.errands.sets; set != NULL; set = set->next) {
		count++;
	}
	return count;
}

static void use_route(const char *seeds)
{
	fake_cluster(0, seeds);
	watching_let_go(watching_keep("l", TTL), true);
	rl_route_unref(fake_set.members[0].route);
}

/* Eight sets without leases are kept. A set in use is kept for ever. */
static void idle_sets_are_dropped(void)
{
	static const char *const seeds[] = {"a", "b", "c", "d", "e", "f", "g", "h", "ab", "ac", "ad",
		"ae", "af", "ag", "ah", "bc", "bd", "be", "bf", "bg"};
	rl_renewal *first = keep("abcdefgh");
	const rl_renewer_set *kept = watching.errands.sets;
	rl_route *cluster = route;
	for (unsigned i = 0; i < 20; i++) {
		use_route(seeds[i]);
	}
	watching_to(11000);
	fake_set.members[0].route = cluster;
	CHECK_INT(count_sets(), 9);
	CHECK(first->members[0].set == kept);
	CHECK_INT(kept->members, 1);
}

static void the_set_that_was_not_used_for_longest_goes_first(void)
{
	static const char *const seeds[] = {"ab", "ac", "ad", "ae", "af", "ag", "ah", "bc"};
	keep("abcdefgh");
	rl_route *cluster = route;
	use_route("a");
	const rl_renewer_set *used = watching.errands.sets;
	for (unsigned i = 0; i < 8; i++) {
		use_route(seeds[i]);
	}
	use_route("a");
	watching_to(11000);
	fake_set.members[0].route = cluster;
	CHECK_INT(count_sets(), 9);
	bool is_kept = false;
	for (const rl_renewer_set *set = watching.errands.sets; set != NULL; set = set->next) {
		is_kept = is_kept || set == used;
	}
	CHECK(is_kept);
}

static void a_forked_child_forgets_nodes_and_routes(void)
{
	begin("ab");
	watching_keep("k", TTL);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	watching_hand_over();
	watching_to(10010);
	watching_fork();
	CHECK_COUNT("RELEASE", 0);
	CHECK_INT(watching.all_count, 0);
	CHECK(watching.errands.sets == NULL && watching.errands.lines.first == NULL);
	CHECK_INT(watching.errands.pool.count, 0);
}

/* ---- without memory ---- */

/* Memory fails at each place while a lease is prepared: then the lease has no server. */
static bool prepare(void)
{
	watching_begin(2);
	route = fake_cluster(0, "ab");
	rl_route *plain = route;
	fake_memory_fails();
	rl_renewal *one = watching_prepare("k");
	fake_memory_works();
	bool is_prepared = one != NULL;
	CHECK(is_prepared || watching.all == NULL);
	const rl_renewer_set *set = watching.errands.sets;
	CHECK_INT(set != NULL ? set->members : 0, is_prepared ? 2 : 0);
	CHECK_INT(plain->refs, 1);
	watching_end();
	return is_prepared;
}

static void a_lease_of_a_cluster_may_lack_memory(void)
{
	CHECK(fake_memory_until(prepare) >= 9);
}

/* Memory fails while the lease is redirected: the lease is renewed once there is memory again. */
static void redirect_it(void)
{
	rl_renewal *one = keep("a");
	watching_to(9999);
	fake_says(0, MOVED_TO("b"));
	fake_memory_fails();
	watching_to(12000);
	fake_memory_works();
	watching_to(15000);
	CHECK(rl_lease_is_held(one->lease));
	CHECK(fake_stats.renewed >= 1);
	watching_end();
}

static void a_redirect_of_a_renewal_may_lack_memory(void)
{
	CHECK(fake_memory_each(1, redirect_it) > 5);
}

static const check_test tests[] = {
	TEST(the_node_that_granted_is_asked),
	TEST(the_next_lease_uses_what_the_route_has_learned),
	TEST(a_moved_is_followed_at_once_and_kept),
	TEST(an_ask_is_followed_after_asking),
	TEST(a_script_that_the_asked_node_does_not_know_goes_as_text),
	TEST(a_circle_of_redirects_is_left_and_tried_again),
	TEST(hops_are_counted_for_one_command),
	TEST(a_refusal_of_the_other_node_is_a_loss),
	TEST(a_lock_is_put_back_where_the_key_was_asked_for),
	TEST(a_node_that_is_dead_is_fled),
	TEST(a_node_that_dies_is_fled),
	TEST(a_lease_whose_nodes_are_all_dead_is_lost_with_its_proof),
	TEST(members_of_both_kinds_are_kept),
	TEST(a_node_may_be_a_plain_member_of_another_lease),
	TEST(a_redirect_of_a_plain_member_is_an_error),
	TEST(a_late_release_is_redirected),
	TEST(a_late_release_flees_a_dead_node),
	TEST(a_release_after_a_renewal_at_an_asked_node_follows_asking),
	TEST(a_redirect_of_a_lease_that_is_gone_is_not_followed),
	TEST(a_redirect_is_not_followed_while_the_owner_releases),
	TEST(the_connections_to_nodes_that_were_left_are_idle),
	TEST(idle_sets_are_dropped),
	TEST(the_set_that_was_not_used_for_longest_goes_first),
	TEST(a_forked_child_forgets_nodes_and_routes),
	TEST(a_lease_of_a_cluster_may_lack_memory),
	TEST(a_redirect_of_a_renewal_may_lack_memory),
};

CHECK_MAIN(tests, clean_up)
