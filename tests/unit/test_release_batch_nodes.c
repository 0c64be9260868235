/* SPDX-License-Identifier: MIT
 *
 * The release of what is left in clusters: a lane for each node, redirects, nodes that fail, and
 * primaries behind Sentinels.
 */
#include "check.h"
#include "core/lock/rl_batch_parts.h"
#include "core/wire/rl_slot.h"
#include "fake_route.h"
#include "no_memory.h"

#include <stdio.h>
#include <string.h>

#define LIMIT (200 * MS)
#define LEASES 330
#define LANES_AT_ONCE 16
#define DRAWN "rl1.AAAAAAAAAAAAAAAAAAAAAAAA" /* T1 in the log */

static rl_lease *leases[LEASES];
static char keys[LEASES][24];
static rl_op *op;
static rl_route *route;

static void clean_up(void)
{
	is_counting = false;
	if (op != NULL) {
		rl_op_abandon(op, fake_clock, false);
		rl_op_free(op);
		op = NULL;
	}
	for (size_t i = 0; i < LEASES; i++) {
		rl_lease_free(leases[i]);
		leases[i] = NULL;
	}
	fake_end();
}

/* Leases of the keys k1, k2 and so on. */
static void make(size_t count, const char *token)
{
	for (size_t i = 0; i < count; i++) {
		snprintf(keys[i], sizeof keys[i], "k%zu", i + 1);
		leases[i] = rl_lease_new(&fake_env, bytes_of(keys[i]), 0, 40, 0.01, fake_set.naming);
		rl_lease_begin(leases[i], bytes_of(token), 30 * SECOND, fake_clock + 29 * SECOND);
	}
	op = rl_release_batch_new(&fake_set, &fake_pool, &fake_env, leases, count, LIMIT);
}

static void begin(const char *seeds)
{
	fake_begin(1);
	route = fake_cluster(0, seeds);
}

static const char *address_of(const char *word, unsigned lease, const char *node, unsigned port)
{
	static char texts[LEASES][48];
	static unsigned count;
	char *text = texts[count++ % LEASES];
	snprintf(
		text, sizeof texts[0], "-%s %u %s:%u", word, rl_slot_of(bytes_of(keys[lease])), node, port);
	return text;
}

/* The route knows the node of the lease. */
static void know(unsigned lease, const char *node, unsigned port)
{
	rl_redirect redirect = rl_redirect_read(bytes_of(address_of("MOVED", lease, node, port) + 1));
	CHECK(rl_route_follow(route, &redirect, &fake_targets[0]) != NULL);
}

static bool yes(const char *words, bool is_taken, fake_plan *plan)
{
	(void) words, (void) is_taken;
	*plan = (fake_plan){FAKE_SAY, ":1", 0};
	return true;
}

/* Each answer takes a millisecond. */
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

static void refuse(unsigned server)
{
	for (unsigned i = 0; i < 9; i++) {
		fake_dials(server, FAKE_REFUSE, 0);
	}
}

/* ---- lanes ---- */

static void each_node_has_a_lane(void)
{
	begin("abc");
	fake_warm_seeds(route);
	make(6, "tok");
	for (unsigned i = 0; i < 6; i++) {
		const char *const nodes[] = {"a", "b", "c"};
		know(i, nodes[i % 3], 6379);
	}
	fake_improvise = yes;
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_LOG("0 a1 RELEASE k1 tok\n0 a1 RELEASE k4 tok\n0 b1 RELEASE k2 tok\n"
			  "0 b1 RELEASE k5 tok\n0 c1 RELEASE k3 tok\n0 c1 RELEASE k6 tok\n");
	CHECK_INT(fake_stats.released, 6);
	CHECK_INT(fake_pool.count, 3);
	CHECK_INT(fake_writes, 3);
}

static void without_a_map_redirects_make_the_lanes(void)
{
	begin("a");
	fake_warm(0);
	make(4, "tok");
	fake_says(0, address_of("MOVED", 0, "b", 6379));
	fake_says(0, ":1");
	fake_says(0, address_of("MOVED", 2, "b", 6379));
	fake_says(0, address_of("MOVED", 3, "c", 6379));
	fake_says(1, ":1");
	fake_says(1, ":0");
	fake_says(2, ":1");
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_COUNT("b1 dial", 1);
	CHECK_COUNT("c1 RELEASE k4 tok", 1);
	CHECK_INT(fake_stats.redirects, 3);
	CHECK_INT(fake_stats.released, 3);
	CHECK_INT(fake_stats.not_released, 1);
	CHECK(rl_lease_is_lost(leases[2]));
	CHECK_INT(leases[0]->stage, RL_LEASE_ENDED);
}

static void a_redirect_joins_a_lane_that_exists(void)
{
	begin("ab");
	fake_warm_seeds(route);
	make(2, "tok");
	know(0, "a", 6379);
	know(1, "b", 6379);
	fake_says(0, address_of("MOVED", 0, "b", 6379));
	fake_acts(1, FAKE_SAY, ":1", 5 * MS);
	fake_acts(1, FAKE_SAY, ":1", 5 * MS);
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_COUNT("dial", 0);
	CHECK_COUNT("b1 RELEASE", 2);
	CHECK_INT(fake_stats.released, 2);
}

/* That lane is over already: another one is made. */
static void a_redirect_to_a_lane_that_is_over(void)
{
	begin("ab");
	fake_warm_seeds(route);
	make(2, "tok");
	know(0, "a", 6379);
	know(1, "b", 6379);
	fake_acts(0, FAKE_SAY, address_of("MOVED", 0, "b", 6379), 20 * MS);
	fake_says(1, ":1");
	fake_says(1, ":1");
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_INT(fake_stats.released, 2);
}

static void ask_has_a_lane_of_its_own(void)
{
	begin("ab");
	fake_warm_seeds(route);
	make(3, "tok");
	know(0, "a", 6379);
	know(1, "b", 6379);
	know(2, "a", 6379);
	fake_says(0, address_of("ASK", 0, "b", 6379));
	fake_says(0, address_of("ASK", 2, "b", 6379));
	fake_improvise = yes;
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_COUNT("b1 RELEASE k2 tok", 1);
	CHECK_COUNT("ASKING", 2);
	CHECK_HAS(fake_log(), "b2 ASKING\n0 b2 RELEASE k1 tok\n");
	CHECK_HAS(fake_log(), "b2 ASKING\n0 b2 RELEASE k3 tok\n");
	CHECK_INT(fake_stats.released, 3);
}

static void a_circle_ends(void)
{
	begin("ab");
	fake_warm_seeds(route);
	make(1, "tok");
	for (unsigned i = 0; i < 9; i++) {
		fake_says(0, address_of("MOVED", 0, "b", 6379));
		fake_says(1, address_of("MOVED", 0, "a", 6379));
	}
	fake_drive(op);
	CHECK_COUNT("RELEASE k1 tok", 6);
	CHECK_INT(fake_stats.failed, 1);
	CHECK(rl_lease_is_open(leases[0]));
	CHECK_INT(rl_release_batch_missing((rl_release_batch *) op, 0), 1);
	CHECK(!rl_release_batch_is_barred((rl_release_batch *) op, 0));
}

static void a_node_that_redirects_to_itself(void)
{
	begin("a");
	fake_warm(0);
	make(1, "tok");
	fake_says(0, address_of("MOVED", 0, "a", 6379));
	fake_drive(op);
	CHECK_COUNT("RELEASE k1 tok", 1);
	CHECK_INT(fake_stats.failed, 1);
}

/* More nodes than can be waited for at once: the rest waits for its turn. */
static void more_nodes_than_can_be_waited_for(void)
{
	begin("a");
	make(LEASES, "tok");
	for (unsigned i = 0; i < LEASES; i++) {
		know(i, i % 2 == 0 ? "b" : "c", 7000 + i);
	}
	fake_improvise = yes;
	CHECK(LEASES > RL_WAIT_LINKS);
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_INT(fake_stats.released, LEASES);
	CHECK_COUNT("dial", LEASES);
}

/* The time runs out while lanes are still queued. */
static void the_time_runs_out_with_queued_lanes(void)
{
	begin("a");
	make(LEASES, "tok");
	for (unsigned i = 0; i < LEASES; i++) {
		know(i, i % 2 == 0 ? "b" : "c", 7000 + i);
	}
	fake_improvise = nothing;
	CHECK_INT(fake_drive(op), RL_ERR_TIMEOUT);
	CHECK_INT(fake_ms(), 200);
	CHECK_COUNT("dial", LANES_AT_ONCE);
	CHECK_INT(fake_stats.failed, LEASES);
	CHECK_INT(rl_release_batch_missing((rl_release_batch *) op, LEASES - 1), 1);
}

static void a_lane_that_ends_makes_room(void)
{
	begin("a");
	make(LEASES, "tok");
	for (unsigned i = 0; i < LEASES; i++) {
		know(i, i % 2 == 0 ? "b" : "c", 7000 + i);
	}
	for (unsigned i = 0; i < 190; i++) {
		fake_dials(1, FAKE_REFUSE_LATER, 5 * MS);
	}
	fake_improvise = yes_later;
	fake_drive(op);
	CHECK(fake_stats.failed > 20); /* a lane dials twice */
	CHECK_INT(fake_stats.released + fake_stats.failed, LEASES);
	CHECK_COUNT("c165 dial", 1); /* the last one */
	CHECK(fake_ms() <= 100);
}

/* ---- nodes that fail ---- */

static void a_node_that_refuses_fails_alone(void)
{
	begin("ab");
	fake_warm(0);
	refuse(1);
	make(4, "tok");
	for (unsigned i = 0; i < 4; i++) {
		know(i, i % 2 == 0 ? "a" : "b", 6379);
	}
	fake_improvise = yes;
	fake_drive(op);
	CHECK_INT(fake_stats.released, 2);
	CHECK_INT(fake_stats.failed, 2);
	CHECK_INT(rl_release_batch_missing((rl_release_batch *) op, 0), 0);
	CHECK_INT(rl_release_batch_missing((rl_release_batch *) op, 1), 1);
	CHECK_INT(fake_ms(), 0);
}

static void a_node_that_hangs_is_waited_for_to_the_end(void)
{
	begin("ab");
	fake_warm_seeds(route);
	make(2, "tok");
	know(0, "a", 6379);
	know(1, "b", 6379);
	fake_says(0, ":1");
	fake_acts(1, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(op), RL_ERR_TIMEOUT);
	CHECK_INT(fake_ms(), 200);
	CHECK_INT(fake_stats.released, 1);
	CHECK_HAS(fake_log(), "200 b1 end\n"); /* what is written may still be read */
}

static void moved_to_a_node_that_refuses(void)
{
	begin("a");
	fake_warm(0);
	refuse(1);
	make(2, "tok");
	fake_says(0, address_of("MOVED", 0, "b", 6379));
	fake_says(0, ":1");
	fake_drive(op);
	CHECK_INT(fake_stats.released, 1);
	CHECK_INT(fake_stats.failed, 1);
	CHECK_INT(fake_ms(), 0);
}

/* It breaks: the rest is sent once more on another connection, and may be redirected then. */
static void a_connection_that_breaks_before_moved(void)
{
	begin("ab");
	fake_warm_seeds(route);
	make(3, "tok");
	for (unsigned i = 0; i < 3; i++) {
		know(i, "a", 6379);
	}
	fake_says(0, ":1");
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, address_of("MOVED", 1, "b", 6379));
	fake_says(0, ":0"); /* the first copy has freed it */
	fake_says(1, ":1");
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_COUNT("RELEASE k1 tok", 1);
	CHECK_COUNT("a2 RELEASE k2 tok", 1);
	CHECK_COUNT("b1 RELEASE k2 tok", 1);
	CHECK_INT(fake_stats.released, 3);
}

/* The first copy may have freed it at the node that broke, before the slot moved: "not ours" at the
 * other node is no loss. */
static void a_refusal_behind_a_break_and_moved_is_no_loss(void)
{
	begin("ab");
	fake_warm_seeds(route);
	make(1, "tok");
	know(0, "a", 6379);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, address_of("MOVED", 0, "b", 6379));
	fake_says(1, ":0");
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_INT(fake_stats.released, 1);
	CHECK_INT(fake_stats.redirects, 1);
	CHECK_INT(leases[0]->stage, RL_LEASE_ENDED);
}

static void clusterdown_fails_and_stays_to_be_released(void)
{
	begin("a");
	fake_warm(0);
	make(1, "tok");
	fake_says(0, "-CLUSTERDOWN x");
	fake_drive(op);
	CHECK_INT(fake_stats.failed, 1);
	CHECK_INT(rl_release_batch_missing((rl_release_batch *) op, 0), 1);
}

static void tryagain_goes_with_the_key_alone(void)
{
	begin("a");
	fake_set.wakes = true;
	fake_warm(0);
	make(2, "tok");
	fake_says(0, "-TRYAGAIN x");
	fake_says(0, ":1");
	fake_says(0, ":1");
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_HAS(fake_log(), "RELEASE 3 k1 {k1}::rl-wait");
	CHECK_HAS(fake_log(), "a1 RELEASE k1 tok\n");
	CHECK_INT(fake_stats.released, 2);
	CHECK(fake_set.wakes);
}

/* Out of order and redirected: who was answered is not sent again. */
static void redirects_among_those_without_helpers(void)
{
	begin("ab");
	fake_set.wakes = true;
	fake_warm_seeds(route);
	make(4, "tok");
	for (unsigned i = 0; i < 4; i++) {
		know(i, "a", 6379);
	}
	fake_says(0, "-TRYAGAIN x");
	fake_says(0, address_of("ASK", 1, "b", 6379));
	fake_says(0, ":1");
	fake_says(0, "-TRYAGAIN x");
	fake_says(0, ":1");
	fake_says(0, ":1");
	fake_says(1, ":1");
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_COUNT("a1 RELEASE 3 k3", 1);
	CHECK_COUNT("a1 RELEASE k3", 0);
	CHECK_COUNT("a1 RELEASE k1 tok", 1);
	CHECK_COUNT("a1 RELEASE k4 tok", 1);
	CHECK_COUNT("ASKING", 1);
	CHECK_INT(fake_stats.released, 4);
}

/* ---- tokens ---- */

/* A caller's token waits for the login of the node. */
static void an_own_token_waits_for_the_login(void)
{
	begin("a");
	fake_warm(0);
	make(1, "mine");
	leases[0]->is_own_token = true;
	route->common->password = (rl_secret){(char *) (uintptr_t) "word", 4};
	know(0, "b", 6379);
	fake_login_says(1, "AUTH", NULL);
	fake_drive(op);
	CHECK_COUNT("b1 RELEASE", 0);
	CHECK_COUNT("b1 AUTH", 1);
}

static void an_own_token_is_sent_after_the_login(void)
{
	begin("a");
	fake_warm(0);
	make(1, "mine");
	leases[0]->is_own_token = true;
	route->common->password = (rl_secret){(char *) (uintptr_t) "word", 4};
	know(0, "b", 6379);
	fake_improvise = yes;
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_INT(fake_ms(), 0);
	CHECK_INT(fake_stats.released, 1);
	CHECK_COUNT("b1 RELEASE k1 mine", 1);
}

static void a_drawn_token_is_written_behind_asking_at_the_end(void)
{
	begin("ab");
	fake_warm(0);
	make(1, DRAWN);
	fake_acts(0, FAKE_SAY, address_of("ASK", 0, "b", 6379), 199 * MS);
	fake_dials(1, FAKE_ACCEPT, 50 * MS);
	CHECK_INT(fake_drive(op), RL_ERR_TIMEOUT);
	CHECK_INT(fake_stats.failed, 1);
	CHECK_INT(rl_release_batch_missing((rl_release_batch *) op, 0), 1);
}

/* ---- several members ---- */

static void one_of_several_members_is_a_cluster(void)
{
	fake_begin(3);
	route = fake_cluster(1, "de");
	fake_warm(0);
	fake_warm(2);
	fake_warm_seeds(route);
	make(2, DRAWN);
	know(0, "d", 6379);
	know(1, "e", 6379);
	fake_says(0, ":1");
	fake_says(0, ":1");
	fake_says(3, ":1");
	fake_says(4, address_of("MOVED", 1, "d", 6379));
	fake_acts(2, FAKE_SILENCE, NULL, 0);
	fake_says(3, ":1");
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_INT(fake_stats.released, 2);
	CHECK_COUNT("d2 RELEASE k2 T1", 1); /* the lane of k1 is over */
	CHECK_INT(fake_ms(), 0);
}

/* A node is backed off, and the other members can decide: it is left out, and no other node is. */
static void a_node_of_a_member_is_backed_off(void)
{
	fake_begin(3);
	route = fake_cluster(1, "de");
	fake_warm(0);
	fake_warm(2);
	fake_warm(4);
	make(3, DRAWN);
	know(0, "d", 6379);
	know(1, "e", 6379);
	know(2, "d", 6379);
	rl_pool_note_failure(&fake_pool, &fake_targets[3], fake_clock);
	fake_improvise = yes;
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_COUNT("e1 RELEASE k2 T1", 1);
	CHECK_COUNT("d1", 0);
	CHECK_INT(fake_stats.released, 3);
}

static void all_nodes_of_a_cluster_alone_are_asked(void)
{
	begin("de");
	make(2, DRAWN);
	know(0, "d", 6379);
	know(1, "e", 6379);
	rl_pool_note_failure(&fake_pool, &fake_targets[4], fake_clock);
	fake_improvise = yes;
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_INT(fake_stats.released, 2);
}

/* ---- Sentinels ---- */

/* The Sentinels have named the primary a so long ago. */
static void begin_sentinels(int64_t age)
{
	fake_begin(1);
	route = fake_sentinels(0, "cde");
	fake_all_name(route, NAMES("a"), 0);
	fake_warm_seeds(route);
	fake_named(route, 0, age);
	make(2, "tok");
}

static void a_primary_is_told(void)
{
	begin_sentinels(999 * MS);
	fake_improvise = yes;
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_LOG("0 a1 RELEASE k1 tok\n0 a1 RELEASE k2 tok\n");
}

/* Another server may be the primary by now. */
static void a_primary_that_was_named_long_ago_is_looked_up_first(void)
{
	begin_sentinels(60 * SECOND);
	fake_all_name(route, NAMES("b"), 5 * MS);
	fake_improvise = yes;
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_COUNT("a1", 0);
	CHECK_COUNT("5 b1 RELEASE k1 tok\n", 1);
	CHECK_COUNT("5 b1 RELEASE k2 tok\n", 1);
	CHECK_INT(fake_stats.released, 2);
	CHECK_INT(fake_stats.lookups, 1);
}

/* At the end of the time the releases are written where the primary was last. */
static void without_sentinels_the_last_primary_is_told(void)
{
	begin_sentinels(60 * SECOND);
	fake_none_answers(route);
	CHECK_INT(fake_drive(op), RL_ERR_TIMEOUT);
	CHECK_HAS(fake_log(), "200 a1 RELEASE k1 tok\n200 a1 RELEASE k2 tok\n");
	CHECK_INT(fake_stats.failed, 2);
}

/* An operation has asked the Sentinels before, and has not waited for them. */
static void an_open_lookup_is_used(void)
{
	begin_sentinels(700 * MS);
	fake_all_name(route, NAMES("a"), 50 * MS);
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK);
	fake_clock += 310 * MS;
	fake_improvise = yes;
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_INT(fake_stats.released, 2);
	CHECK_INT(fake_stats.lookups, 1);
}

static void a_primary_that_is_not_known_cannot_be_told(void)
{
	fake_begin(1);
	route = fake_sentinels(0, "cde");
	fake_none_answers(route);
	make(1, "tok");
	fake_drive(op);
	CHECK_INT(fake_ms(), 200);
	CHECK_COUNT("RELEASE", 0);
	CHECK_INT(fake_stats.failed, 1);
	CHECK_INT(rl_release_batch_missing((rl_release_batch *) op, 0), 1);
}

static void readonly_stays_to_be_released(void)
{
	fake_begin(1);
	route = fake_sentinels(0, "cde");
	fake_named(route, 0, 0);
	make(1, "tok");
	fake_says(0, "-READONLY x");
	fake_says(0, "-READONLY x");
	fake_drive(op);
	CHECK_INT(fake_stats.failed, 1);
	CHECK_COUNT("RELEASE", 2);
	CHECK_INT(rl_release_batch_missing((rl_release_batch *) op, 0), 1);
}

static void a_primary_behind_sentinels_does_not_redirect(void)
{
	fake_begin(1);
	route = fake_sentinels(0, "cde");
	fake_named(route, 0, 0);
	make(1, "tok");
	fake_says(0, address_of("MOVED", 0, "b", 6379));
	fake_drive(op);
	CHECK_COUNT("b1", 0);
	CHECK_INT(fake_node_of(route), 'a');
}

/* ---- given up ---- */

static void abandoned_in_the_middle(void)
{
	begin("ab");
	fake_warm_seeds(route);
	make(3, DRAWN);
	fake_says(0, address_of("ASK", 0, "b", 6379));
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	CHECK(!fake_drive_to(op, FAKE_START + 5 * MS));
	rl_op_abandon(op, fake_clock, false);
	CHECK_HAS(fake_log(), "b1 ASKING\n0 b1 RELEASE k1 T1\n");
}

static void a_child_sends_nothing(void)
{
	begin("ab");
	fake_warm_seeds(route);
	make(3, DRAWN);
	fake_says(0, address_of("ASK", 0, "b", 6379));
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	CHECK(!fake_drive_to(op, FAKE_START + 5 * MS));
	fake_forget_log();
	fake_fork();
	rl_op_abandon(op, fake_clock, true);
	CHECK_COUNT("RELEASE", 0);
	CHECK_COUNT(" end", 0);
}

/* ---- without memory ---- */

/* At each place: what could not be sent counts as failed, and no lease is lost by it. */
static void memory_at_each_place(void)
{
	unsigned most = 60;
	for (fails_at = 1; fails_at <= most; fails_at++) {
		begin("a");
		make(3, "tok");
		rl_op_free(op);
		fake_says(0, address_of("MOVED", 0, "b", 6379));
		fake_says(0, ":1");
		fake_says(0, address_of("ASK", 2, "c", 6379));
		fake_improvise = yes;
		fake_lacks_memory = lacks_memory;
		asked = 0;
		is_counting = true;
		op = rl_release_batch_new(&fake_set, &fake_pool, &fake_env, leases, 3, LIMIT);
		if (op != NULL) {
			fake_drive(op);
		}
		is_counting = false;
		fake_lacks_memory = NULL;
		most = asked > most && asked < 200 ? asked : most;
		CHECK_INT(fake_stats.not_released, 0);
		CHECK(op == NULL || fake_stats.released + fake_stats.failed == 3);
		clean_up();
	}
	fails_at = 0;
}

static const check_test tests[] = {TEST(a_node_of_a_member_is_backed_off),
	TEST(all_nodes_of_a_cluster_alone_are_asked), TEST(each_node_has_a_lane),
	TEST(without_a_map_redirects_make_the_lanes), TEST(a_redirect_joins_a_lane_that_exists),
	TEST(a_redirect_to_a_lane_that_is_over), TEST(ask_has_a_lane_of_its_own), TEST(a_circle_ends),
	TEST(a_node_that_redirects_to_itself), TEST(more_nodes_than_can_be_waited_for),
	TEST(the_time_runs_out_with_queued_lanes), TEST(a_lane_that_ends_makes_room),
	TEST(a_node_that_refuses_fails_alone), TEST(a_node_that_hangs_is_waited_for_to_the_end),
	TEST(moved_to_a_node_that_refuses), TEST(a_connection_that_breaks_before_moved),
	TEST(a_refusal_behind_a_break_and_moved_is_no_loss),
	TEST(clusterdown_fails_and_stays_to_be_released), TEST(tryagain_goes_with_the_key_alone),
	TEST(redirects_among_those_without_helpers), TEST(an_own_token_waits_for_the_login),
	TEST(an_own_token_is_sent_after_the_login),
	TEST(a_drawn_token_is_written_behind_asking_at_the_end),
	TEST(one_of_several_members_is_a_cluster), TEST(a_primary_is_told),
	TEST(a_primary_that_was_named_long_ago_is_looked_up_first),
	TEST(without_sentinels_the_last_primary_is_told), TEST(an_open_lookup_is_used),
	TEST(a_primary_that_is_not_known_cannot_be_told), TEST(readonly_stays_to_be_released),
	TEST(a_primary_behind_sentinels_does_not_redirect), TEST(abandoned_in_the_middle),
	TEST(a_child_sends_nothing), TEST(memory_at_each_place)};

CHECK_MAIN(tests, clean_up)
