/* SPDX-License-Identifier: MIT
 *
 * The watch repeats releases that their callers could not complete.
 */
#include "check.h"
#include "core/lease/rl_late.h"
#include "no_memory.h"
#include "watching.h"

#include <stdio.h>
#include <string.h>

#define A 0
#define B 1
#define C 2
#define ALL 7u

/* The answer to each release from now on. */
static const char *release_answer;

static bool answers(const char *words, bool is_taken, fake_plan *plan)
{
	(void) is_taken;
	bool is_release = strncmp(words, "RELEASE", 7) == 0 || strncmp(words, "SWAP", 4) == 0;
	*plan = (fake_plan){FAKE_SAY, is_release ? release_answer : ":1", 0};
	return true;
}

static void begin(unsigned members)
{
	watching_begin(members);
	fake_improvise = answers;
	release_answer = ":1";
}

static rl_late_release late_of(const char *key, unsigned members, int64_t ttl_ms)
{
	return (rl_late_release){.set = &fake_set,
		.key = bytes_of(key),
		.token = bytes_of("tok"),
		.members = members,
		.ttl_ns = ttl_ms * MS};
}

static void hand_over(const char *key, unsigned members, int64_t ttl_ms)
{
	rl_late_release late = late_of(key, members, ttl_ms);
	CHECK(rl_late_add(&watching, &late));
	CHECK(watching.until <= fake_clock); /* its thread must know that there is something to write */
}

static void check_counts(unsigned postponed, unsigned done, unsigned dropped)
{
	CHECK_INT(fake_stats.late_releases, postponed);
	CHECK_INT(fake_stats.late_releases_done, done);
	CHECK_INT(fake_stats.late_releases_dropped, dropped);
	CHECK_INT(watching.late_count, postponed - done - dropped);
}

static bool is_releasing(const char *key, const char *token)
{
	return rl_late_is_releasing(&watching, &fake_set, bytes_of(key), bytes_of(token));
}

/* A set of some of the servers, as another RedisLock object has it. */
static rl_set set_of(unsigned first, unsigned count)
{
	rl_set set = fake_set;
	set.count = count;
	for (unsigned i = 0; i < count; i++) {
		set.members[i] = fake_set.members[first + i];
	}
	return set;
}

static bool is_releasing_on(const rl_set *set)
{
	return rl_late_is_releasing(&watching, set, bytes_of("k"), bytes_of("tok"));
}

static void a_release_is_sent_at_once(void)
{
	begin(1);
	hand_over("k", 1, 30000);
	watching_to(0);
	CHECK_LOG("0 a1 dial\n0 a1 RELEASE k tok\n0 a1 NAME\n");
	check_counts(1, 1, 0);
	CHECK_INT(watching.heap.count, 0);
}

static void a_late_release_wakes_waiters(void)
{
	begin(1);
	fake_set.wakes = true;
	hand_over("k", 1, 30000);
	watching_to(0);
	CHECK_COUNT("a1 RELEASE+ k tok", 1);
}

static void a_refusal_ends_the_late_release_on_a_server(void)
{
	static const struct {
		const char *answer;
		bool is_done; /* the lock is not there any more */
	} no[] = {{":0", true}, {"-WRONGTYPE x", true}, {"-NOPERM x", false},
		{"-ERR unknown command 'EVAL'", false}};
	for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
		begin(1);
		release_answer = no[i].answer;
		hand_over("k", 1, 30000);
		watching_to(60000);
		CHECK_COUNT("RELEASE", 1);
		check_counts(1, no[i].is_done, !no[i].is_done);
		watching_end();
	}
}

static void a_minority_that_refuses_it_keeps_no_lock(void)
{
	for (unsigned refusing = 1; refusing <= 2; refusing++) {
		begin(3);
		for (unsigned i = 0; i < refusing; i++) {
			fake_acts(A + i, FAKE_SAY, "-NOPERM x", 0);
		}
		hand_over("k", ALL, 30000);
		watching_to(1000);
		CHECK_COUNT("RELEASE", 3);
		check_counts(1, refusing == 1, refusing == 2);
		watching_end();
	}
}

static void an_error_is_followed_by_growing_pauses(void)
{
	begin(1);
	release_answer = "-LOADING x";
	hand_over("k", 1, 30000);
	watching_to(0);
	fake_forget_log();
	watching_to(4000);
	CHECK_LOG(
		"10 a1 RELEASE k tok\n30 a1 RELEASE k tok\n70 a1 RELEASE k tok\n150 a1 RELEASE k tok\n"
		"310 a1 RELEASE k tok\n630 a1 RELEASE k tok\n1270 a1 RELEASE k tok\n"
		"2270 a1 RELEASE k tok\n3270 a1 RELEASE k tok\n");
	release_answer = ":1";
	watching_to(5000);
	CHECK_COUNT("4270 a1 RELEASE k tok", 1);
	check_counts(1, 1, 0);
}

/* Begins to swap back a take-over that has failed, while its swap may still arrive. */
static void swap_back(const char *answer)
{
	begin(1);
	release_answer = ":0";
	rl_late_release late = late_of("k", 1, 30000);
	late.back = bytes_of("given");
	late.strays = 1;
	CHECK(rl_late_add(&watching, &late));
	watching_to(20);
	CHECK_LOG("0 a1 dial\n0 a1 SWAP k tok given 0\n0 a1 NAME\n10 a1 SWAP k tok given 0\n");
	release_answer = answer;
	watching_to(60000);
	CHECK_COUNT("RELEASE", 0);
}

/* The key keeps its TTL. While the swap may still arrive, "not ours" does not end the late
 * release. */
static void a_take_over_is_undone_by_a_swap(void)
{
	swap_back(":1");
	CHECK_COUNT("SWAP", 3);
	check_counts(1, 1, 0);
}

/* The key has the given token both before the swap arrives and after its undo. */
static void the_given_token_is_no_proof_while_the_swap_may_still_come(void)
{
	swap_back(":2");
	CHECK_COUNT("SWAP", 36);
	CHECK(!is_releasing("k", "tok"));
}

static void a_release_is_repeated_until_the_ttl_is_over(void)
{
	begin(1);
	release_answer = "-LOADING x";
	hand_over("k", 1, 3000);
	watching_to(2999);
	check_counts(1, 0, 0);
	watching_to(3000);
	check_counts(1, 0, 1);
	fake_forget_log();
	watching_to(60000);
	CHECK_LOG("");
	CHECK_INT(watching.heap.count, 0);
	CHECK_INT(watching.all_count, 0);
}

static void a_server_that_refuses_the_connection_is_dialled_again(void)
{
	begin(1);
	for (int i = 0; i < 5; i++) {
		fake_dials(A, FAKE_REFUSE, 0);
	}
	hand_over("k", 1, 30000);
	watching_to(30000);
	CHECK_COUNT("dial", 6);
	CHECK_COUNT("RELEASE", 1);
	check_counts(1, 1, 0);
}

static void a_hanging_server_gets_the_release_on_another_connection(void)
{
	begin(1);
	fake_acts(A, FAKE_SILENCE, NULL, 0);
	hand_over("k", 1, 30000);
	watching_to(1009);
	CHECK_COUNT("1000 a1 end", 1); /* what was written must still arrive */
	check_counts(1, 0, 0);
	watching_to(1010); /* the server is backed off after its silence */
	CHECK_COUNT("1010 a2 RELEASE k tok", 1);
	check_counts(1, 1, 0);
}

static void a_connection_that_breaks_is_replaced(void)
{
	begin(1);
	fake_acts(A, FAKE_BREAK, NULL, 0);
	hand_over("k", 1, 30000);
	watching_to(100);
	CHECK_COUNT("a2 RELEASE k tok", 1);
	check_counts(1, 1, 0);
}

static void a_late_release_without_rights_leaves_the_helper_keys_out(void)
{
	begin(1);
	fake_set.wakes = true;
	fake_says(A, "-NOPERM No permissions to access a key");
	hand_over("k", 1, 30000);
	watching_to(0);
	CHECK_COUNT("RELEASE+ k tok", 1);
	CHECK_COUNT("RELEASE k tok", 1);
	check_counts(1, 1, 0);
}

static void only_the_members_that_have_not_confirmed_are_asked(void)
{
	begin(3);
	hand_over("k", 1u << B, 30000);
	watching_to(1000);
	CHECK_COUNT("RELEASE", 1);
	CHECK_COUNT("b1 RELEASE k tok", 1);
	check_counts(1, 1, 0);
}

static void a_member_that_confirms_is_not_asked_again(void)
{
	begin(3);
	fake_acts(C, FAKE_SAY, "-LOADING x", 0);
	fake_acts(C, FAKE_SAY, "-LOADING x", 0);
	hand_over("k", ALL, 30000);
	watching_to(1000);
	CHECK_COUNT("a1 RELEASE", 1);
	CHECK_COUNT("b1 RELEASE", 1);
	CHECK_COUNT("c1 RELEASE", 3);
	check_counts(1, 1, 0);
}

/* ---- a SET of an equal token that may still arrive ---- */

static void a_refusal_does_not_count_while_a_set_may_come(void)
{
	begin(3);
	release_answer = ":0";
	rl_late_release late = late_of("k", ALL, 30000);
	late.strays = 1u << C;
	CHECK(rl_late_add(&watching, &late));
	watching_to(5000);
	CHECK_COUNT("a1 RELEASE", 1);
	CHECK_COUNT("b1 RELEASE", 1);
	CHECK(fake_count("c1 RELEASE") > 5);
	release_answer = ":1"; /* the SET has come */
	watching_to(7000);
	check_counts(1, 1, 0);
}

/* The first release may have freed the lock, and the SET may come all the same. */
static void a_refusal_after_a_lost_answer_does_not_count_either(void)
{
	static const fake_act acts[] = {FAKE_BREAK, FAKE_SILENCE};
	for (unsigned i = 0; i < 2; i++) {
		begin(1);
		fake_acts(A, FAKE_SAY, "-LOADING x", 0); /* so that the server was heard */
		fake_acts(A, acts[i], NULL, 0);
		release_answer = ":0";
		rl_late_release late = late_of("k", 1, 30000);
		late.strays = 1;
		CHECK(rl_late_add(&watching, &late));
		watching_to(5000);
		CHECK(fake_count("RELEASE") > 5);
		check_counts(1, 0, 0);
		release_answer = ":1"; /* the SET has come */
		watching_to(7000);
		check_counts(1, 1, 0);
		watching_end();
	}
}

static void while_a_set_may_come_a_release_is_repeated_until_the_ttl_is_over(void)
{
	begin(3);
	release_answer = ":0";
	rl_late_release late = late_of("k", ALL, 3000);
	late.strays = 1u << C;
	CHECK(rl_late_add(&watching, &late));
	watching_to(60000);
	check_counts(1, 0, 1);
}

/* The watch itself has put the token back, and its connection broke before the answer. */
static void a_release_also_expects_a_set_of_the_watch(void)
{
	begin(3);
	rl_renewal *one = watching_keep("k", TTL);
	fake_says(A, ":1");
	fake_says(B, ":1");
	fake_says(C, ":0");
	fake_acts(C, FAKE_SILENCE, NULL, 0); /* the SET */
	watching_to(10000);
	CHECK_COUNT("c1 SET k tok", 1);
	watching_to(11000); /* the connection is given up */
	CHECK_COUNT("c1 end", 1);
	rl_renewer_pause(one);
	rl_late_release late = late_of("k", ALL, TTL);
	late.renewal = one;
	release_answer = ":0";
	CHECK(rl_late_add(&watching, &late));
	watching_let_go(one, true);
	watching_to(15000);
	CHECK_COUNT("a1 RELEASE", 1);
	CHECK(fake_count("RELEASE") > 5);
	release_answer = ":1";
	watching_to(17000);
	check_counts(1, 1, 0);
}

static void a_late_release_follows_a_renewal_under_way(void)
{
	begin(1);
	rl_renewal *one = watching_keep("k", TTL);
	fake_acts(A, FAKE_SAY, ":1", 500 * MS);
	watching_to(10000);
	rl_renewer_pause(one);
	hand_over("k", 1, TTL);
	watching_let_go(one, true);
	fake_forget_log();
	watching_to(11000);
	CHECK_LOG("10000 a1 RELEASE k tok\n");
	check_counts(1, 1, 0);
}

/* ---- the list ---- */

static void the_watch_knows_what_it_releases(void)
{
	begin(1);
	CHECK(!is_releasing("k", "tok"));
	release_answer = "-LOADING x";
	hand_over("k", 1, 3000);
	watching_keep("l", TTL);
	watching_to(100);
	CHECK(is_releasing("k", "tok"));
	CHECK(!is_releasing("l", "tok"));
	CHECK(!is_releasing("k", "tik"));
	watching_to(3000);
	CHECK(!is_releasing("k", "tok"));
}

static void equal_late_releases_are_one(void)
{
	begin(3);
	release_answer = "-LOADING x";
	hand_over("k", 1u << A, 1000);
	hand_over("k", 1u << B, 3000);
	hand_over("k", 1u << A, 2000);
	CHECK_INT(watching.late_count, 1);
	watching_to(0);
	CHECK_COUNT("a1 RELEASE", 1);
	CHECK_COUNT("b1 RELEASE", 1);
	watching_to(2999);
	check_counts(1, 0, 0);
	watching_to(3000);
	check_counts(1, 0, 1);
}

/* The caller of release() may use an equal token on several servers, or sets of servers, that have
 * nothing to do with each other. */
static void an_equal_token_on_other_servers_is_another_late_release(void)
{
	begin(3);
	release_answer = "-LOADING x";
	rl_set one = set_of(A, 1);
	rl_set other = set_of(B, 2);
	rl_late_release late = late_of("k", 1, 3000);
	late.set = &one;
	CHECK(rl_late_add(&watching, &late));
	late.set = &other;
	late.members = 2; /* the second member of the set */
	CHECK(rl_late_add(&watching, &late));
	CHECK_INT(watching.late_count, 2);
	watching_to(100);
	CHECK(fake_count("a1 RELEASE") > 2);
	CHECK_COUNT("b1 RELEASE", 0);
	CHECK(fake_count("c1 RELEASE") > 2);
	release_answer = ":1";
	watching_to(1000);
	check_counts(2, 2, 0);
}

static rl_route *cluster_of(unsigned one, unsigned other)
{
	rl_route *route = rl_route_new(RL_ROUTE_CLUSTER, &fake_targets[one]);
	CHECK(route != NULL && rl_route_add_seed(route, &fake_targets[one]) &&
		rl_route_add_seed(route, &fake_targets[other]));
	return route;
}

static rl_set set_with(rl_route *route)
{
	rl_set set = fake_set;
	set.count = 1;
	set.members[0] = (rl_member){.target = route->common, .route = route, .timeout_ns = SECOND};
	return set;
}

static void the_watch_knows_in_which_cluster_it_releases(void)
{
	begin(3);
	release_answer = "-LOADING x";
	rl_route *routes[] = {cluster_of(A, B), cluster_of(B, C), cluster_of(C, C)};
	rl_set set = set_with(routes[0]);
	rl_late_release late = late_of("k", 1, 3000);
	late.set = &set;
	CHECK(rl_late_add(&watching, &late));
	watching_to(100);
	rl_set overlapping = set_with(routes[1]);
	rl_set foreign = set_with(routes[2]);
	rl_set server = set_of(A, 1);
	CHECK(is_releasing_on(&set));
	CHECK(is_releasing_on(&overlapping));
	CHECK(!is_releasing_on(&foreign));
	CHECK(!is_releasing_on(&server));
	watching_to(3000);
	CHECK(!is_releasing_on(&set));
	for (unsigned i = 0; i < 3; i++) {
		rl_route_unref(routes[i]);
	}
}

static void the_watch_knows_on_which_servers_it_releases(void)
{
	begin(3);
	release_answer = "-LOADING x";
	rl_set one = set_of(A, 1);
	rl_set two = set_of(A, 2);
	rl_set other = set_of(B, 2);
	rl_set last = set_of(C, 1);
	hand_over("k", 1u << A | 1u << C, 3000);
	watching_to(100);
	CHECK(is_releasing_on(&fake_set));
	CHECK(is_releasing_on(&one));
	CHECK(is_releasing_on(&two));
	CHECK(is_releasing_on(&other));
	CHECK(is_releasing_on(&last));
	rl_set middle = set_of(B, 1); /* the member has confirmed */
	CHECK(!is_releasing_on(&middle));
	rl_target elsewhere = *one.members[0].target;
	elsewhere.database++;
	one.members[0].target = &elsewhere;
	CHECK(!is_releasing_on(&one));
	watching_to(3000);
}

static void the_oldest_late_release_makes_room(void)
{
	begin(1);
	release_answer = "-LOADING x";
	for (int i = 0; i < RL_LATE_MAX + 3; i++) {
		char key[16];
		snprintf(key, sizeof key, "k%d", i);
		hand_over(key, 1, 30000);
	}
	check_counts(RL_LATE_MAX + 3, 0, 3);
	CHECK(!is_releasing("k2", "tok"));
	CHECK(is_releasing("k3", "tok"));
	CHECK_INT(watching.all_count, RL_LATE_MAX);
	rl_renewer_forget(&watching);
}

static void nothing_is_left_when_the_watch_forgets(void)
{
	begin(3);
	release_answer = "-LOADING x";
	hand_over("k", ALL, 30000);
	hand_over("l", ALL, 30000);
	watching_to(100);
	fake_forget_log();
	rl_renewer_forget(&watching);
	CHECK_COUNT("RELEASE", 0);
	CHECK_INT(watching.late_count, 0);
}

static bool hand_over_one(void)
{
	begin(3);
	rl_late_release late = late_of("k", ALL, 30000);
	asked = 0;
	is_counting = true;
	bool is_taken = rl_late_add(&watching, &late);
	is_counting = false;
	CHECK_INT(watching.late_count, is_taken);
	CHECK_INT(watching.all_count, is_taken);
	watching_to(1000);
	watching_end();
	return is_taken;
}

static void without_memory_a_late_release_is_dropped(void)
{
	bool is_taken = false;
	unsigned fails = 0;
	for (fails_at = 1; !is_taken && fails_at < 100; fails_at++) {
		is_taken = hand_over_one();
		fails += !is_taken;
	}
	CHECK(is_taken);
	fails_at = 0;
	CHECK(fails > 3);
}

/* ---- the end of the process ---- */

static void all_leases_are_released_and_count_as_lost(void)
{
	begin(1);
	rl_renewal *one = watching_keep("k", TTL);
	rl_renewal *two = watching_keep("l", TTL);
	two->renews = false;
	rl_late_release_all(&watching);
	CHECK(watching.until <= fake_clock);
	CHECK(!rl_lease_is_held(one->lease));
	CHECK(!rl_lease_is_held(two->lease));
	CHECK(!rl_late_has_released_all(&watching));
	watching_to(0);
	CHECK(rl_late_has_released_all(&watching));
	CHECK_COUNT("RELEASE k tok", 1);
	CHECK_COUNT("RELEASE l tok", 1);
	watching_to(60000);
	CHECK_COUNT("renew", 0);
	CHECK_COUNT("RELEASE", 2);
}

static void releases_follow_commands_under_way(void)
{
	begin(1);
	watching_keep("k", TTL);
	fake_acts(A, FAKE_SAY, ":1", 500 * MS);
	watching_to(10000);
	fake_forget_log();
	rl_late_release_all(&watching);
	watching_to(10499);
	CHECK_LOG("10000 a1 RELEASE k tok\n");
	CHECK(!rl_late_has_released_all(&watching));
	watching_to(10500);
	CHECK(rl_late_has_released_all(&watching));
	CHECK_INT(fake_stats.renewed, 0);
}

/* Leases that have ended, are not won yet or are given away are left alone. Whether a release under
 * way has arrived is unknown. */
static void only_leases_that_may_be_held_are_released(void)
{
	begin(1);
	rl_renewal *given = watching_keep("given", TTL);
	rl_renewer_pause(given);
	rl_lease_give_away(given->lease);
	rl_renewal *lost = watching_keep("lost", TTL);
	rl_lease_lose(lost->lease);
	rl_renewer_changed(lost);
	rl_renewal *leaving = watching_keep("leaving", TTL);
	rl_renewer_pause(leaving);
	rl_lease_leave(leaving->lease);
	watching_prepare("new");
	rl_late_release_all(&watching);
	watching_to(0);
	CHECK_COUNT("RELEASE", 1);
	CHECK_COUNT("RELEASE leaving tok", 1);
	CHECK(rl_late_has_released_all(&watching));
}

static void a_pause_in_dialling_is_cut_short(void)
{
	begin(1);
	for (int i = 0; i < 7; i++) {
		fake_dials(A, FAKE_REFUSE, 0);
	}
	watching_keep("k", TTL);
	watching_to(10800); /* the next dial would be at 11.27 s */
	fake_forget_log();
	rl_late_release_all(&watching);
	watching_to(10801);
	CHECK_COUNT(" dial", 1);
	CHECK_COUNT("10800 a", 3);
	CHECK(rl_late_has_released_all(&watching));
}

static void a_late_release_ends_with_a_quorum(void)
{
	begin(3);
	watching_keep("k", TTL);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	rl_late_release_all(&watching);
	watching_to(0);
	CHECK(rl_late_has_released_all(&watching));
	CHECK_COUNT("RELEASE k tok", 3);
}

static void a_late_release_does_not_end_while_a_majority_is_away(void)
{
	begin(3);
	watching_keep("k", TTL);
	fake_acts(B, FAKE_SILENCE, NULL, 0);
	fake_dials(C, FAKE_HANG, 0);
	rl_late_release_all(&watching);
	watching_to(250);
	CHECK(!rl_late_has_released_all(&watching));
}

static void a_lock_with_strays_is_given_up_after_two_refusals(void)
{
	begin(1);
	release_answer = ":0";
	rl_late_release late = late_of("k", 1, 1000);
	late.strays = 1;
	rl_late_release_pending(&watching, &late);
	rl_late_release_all(&watching);
	watching_to(9);
	CHECK(!rl_late_has_released_all(&watching));
	watching_to(10);
	CHECK(rl_late_has_released_all(&watching));
	CHECK_COUNT("RELEASE", 2);
	watching_to(2000);
}

/* The lock was being put back on the third server, whose connection breaks with that SET unread. */
static void a_set_under_way_outlives_the_first_not_ours(void)
{
	begin(3);
	watching_keep("k", TTL);
	fake_says(C, ":0");
	fake_acts(C, FAKE_BREAK, NULL, 5 * MS);
	watching_to(10000);
	CHECK_COUNT("c1 SET k tok", 1);
	fake_acts(B, FAKE_SILENCE, NULL, 0);
	release_answer = ":0";
	rl_late_release_all(&watching);
	watching_to(10009);
	CHECK(!rl_late_has_released_all(&watching));
	CHECK_COUNT("c2 RELEASE k tok", 1);
	watching_to(10300);
	CHECK(rl_late_has_released_all(&watching));
	CHECK(fake_count("c2 RELEASE k tok") > 1);
}

static void a_lock_with_strays_is_given_up_after_one_release(void)
{
	begin(1);
	rl_late_release late = late_of("k", 1, 1000);
	late.strays = 1;
	rl_late_release_pending(&watching, &late);
	watching_to(0);
	CHECK(rl_late_has_released_all(&watching));
}

/* A release of a caller's token may have been carried out, and another client may hold the lock
 * with an equal token by now. */
static void a_caller_s_token_is_released_once(void)
{
	begin(1);
	fake_acts(A, FAKE_BREAK, NULL, 5 * MS);
	watching_keep("k", TTL)->lease->is_own_token = true;
	watching_keep("l", TTL);
	rl_late_release_all(&watching);
	watching_to(100);
	CHECK_COUNT("RELEASE k tok", 1);
	CHECK_COUNT("RELEASE l tok", 2);
	CHECK(rl_late_has_released_all(&watching));
}

static void a_release_is_repeated_after_an_error(void)
{
	begin(1);
	release_answer = "-LOADING x";
	watching_keep("k", TTL)->lease->is_own_token = true;
	rl_late_release_all(&watching);
	watching_to(100);
	CHECK(fake_count("RELEASE k tok") > 2);
}

static void a_lease_whose_owner_has_begun_to_release_it_is_left_alone(void)
{
	begin(1);
	rl_renewal *leaving = watching_keep("leaving", TTL);
	leaving->lease->is_own_token = true;
	rl_renewer_pause(leaving);
	rl_lease_leave(leaving->lease);
	rl_renewal *dropped = watching_keep("dropped", TTL);
	dropped->lease->is_own_token = true;
	rl_renewer_pause(dropped); /* the release of many leases leaves a lease in this state */
	rl_renewal *held = watching_keep("held", TTL);
	held->lease->is_own_token = true;
	rl_late_release_all(&watching);
	watching_to(0);
	CHECK_COUNT("RELEASE", 1);
	CHECK_COUNT("RELEASE held tok", 1);
	CHECK(rl_late_has_released_all(&watching));
}

/* A call that has won "k" with the drawn token T1 on these members, proven for so long, and that
 * swaps the caller's token in. */
static rl_acquire *swapping(unsigned won_on, int64_t proven_ms)
{
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 1000 * MS);
	rl_quorum_call *call = &acquire->op.call;
	CHECK(rl_token_draw(&fake_env, acquire->drawn) == RL_OK);
	acquire->phase = RL_ACQUIRE_SWAPPING;
	acquire->won_on = won_on;
	acquire->proven_until = fake_clock + proven_ms * MS;
	call->terms.is_own_token = true;
	call->terms.request.verb = RL_VERB_SWAP;
	return acquire;
}

static void give_up_op(const rl_op *op)
{
	rl_late_release late;
	if (rl_op_may_hold(op, fake_clock, &late)) {
		rl_late_release_pending(&watching, &late);
	}
}

static void give_up(const rl_acquire *acquire)
{
	give_up_op(&acquire->op);
}

/* Abandons a wait that has a name.
 * @param marked a bit for each member that may have the mark */
static void give_up_waiter(unsigned marked)
{
	begin(1);
	rl_acquire *acquire = fake_acquire(30000, 1000 * MS);
	acquire->marked = marked;
	acquire->op.call.terms.request.waiter = bytes_of("rlw.name");
	give_up(acquire);
	watching_to(0);
}

static void the_release_of_a_waits_token_takes_its_mark_away(void)
{
	give_up_waiter(1);
	CHECK_COUNT("RELEASE k T1 rlw.name\n", 1);
}

static void the_release_of_a_token_without_a_mark_names_no_waiter(void)
{
	give_up_waiter(0);
	CHECK_COUNT("RELEASE k T1\n", 1);
}

static void the_one_of_two_tokens_that_the_key_holds_is_released(void)
{
	begin(1);
	give_up(swapping(1, 29000));
	CHECK(!rl_late_has_released_all(&watching));
	watching_to(0);
	CHECK_LOG("0 a1 dial\n0 a1 SWAP k mine T1 0\n0 a1 RELEASE k T1\n0 a1 NAME\n");
	CHECK(rl_late_has_released_all(&watching));
	check_counts(1, 1, 0);
}

/* Our own swap may be carried out between the two commands. */
static void both_tokens_are_released_again_while_the_answer_is_no(void)
{
	begin(1);
	release_answer = ":0";
	give_up(swapping(1, 29000));
	watching_to(10);
	CHECK_COUNT("SWAP k mine T1 0\n0 a1 RELEASE k T1", 1);
	CHECK_COUNT("10 a1 SWAP k mine T1 0\n10 a1 RELEASE k T1", 1);
	CHECK(rl_late_has_released_all(&watching));
	watching_to(2000);
}

/* The release may have been carried out, and another client may have taken the lock with an equal
 * token. */
static void the_caller_s_token_is_left_alone_after_a_lost_answer(void)
{
	begin(1);
	fake_improvise = NULL;
	fake_says(0, ":1");
	fake_acts(0, FAKE_BREAK, NULL, 5 * MS);
	fake_says(0, ":0");
	fake_says(0, ":0");
	give_up(swapping(1, 29000));
	watching_to(100);
	CHECK_COUNT("SWAP", 1);
	CHECK(fake_count("RELEASE k T1") > 1);
	fake_improvise = answers;
	watching_to(2000);
	CHECK_COUNT("SWAP", 1);
}

/* On the other members the token may be that of another caller. */
static void the_caller_s_token_is_released_where_our_token_has_won(void)
{
	begin(3);
	give_up(swapping(1u << A | 1u << C, 29000));
	watching_to(0);
	CHECK_COUNT("a1 SWAP k mine T1 0", 1);
	CHECK_COUNT("b1 SWAP", 0);
	CHECK_COUNT("c1 SWAP k mine T1 0", 1);
	CHECK_COUNT("RELEASE k T1", 3);
}

static void the_caller_s_token_is_left_alone_when_the_proof_is_over(void)
{
	begin(1);
	give_up(swapping(1, 0));
	watching_to(0);
	CHECK_COUNT("SWAP", 0);
	CHECK_COUNT("RELEASE k T1", 1);
	watching_end();
	begin(1);
	release_answer = "-LOADING x";
	give_up(swapping(1, 50));
	watching_to(2000);
	CHECK_COUNT("SWAP", 3); /* at 0, 10 and 30 ms */
}

/* The drawn token, or the caller's of the same form, may be granted. */
static void what_a_set_may_have_taken_is_released(void)
{
	begin(1);
	give_up(fake_acquire_own("mine", 30000, 1000 * MS));
	give_up(fake_acquire_own(FAKE_DRAWN, 30000, 1000 * MS));
	CHECK_INT(watching.late_count, 2);
	watching_to(0);
	CHECK_COUNT("RELEASE k T1", 1);
	CHECK_COUNT("RELEASE k drawn", 1);
	CHECK_COUNT("mine", 0);
}

/* The swap is over, and the lock is about to be returned. Another holder may have it with an equal
 * token at any moment. */
static void the_caller_s_token_is_left_alone_after_the_swap(void)
{
	begin(1);
	rl_acquire *acquire = swapping(1, 29000);
	acquire->phase = RL_ACQUIRE_DONE;
	give_up(acquire);
	CHECK_INT(watching.late_count, 0);
}

/* The swap may still be on its way, so only a second "not ours" ends the undo. */
static void a_take_over_under_way_is_swapped_back(void)
{
	begin(1);
	release_answer = ":0";
	give_up_op(fake_take_over("given", 30000));
	rl_late_release_all(&watching);
	watching_to(9);
	CHECK(!rl_late_has_released_all(&watching));
	watching_to(10);
	CHECK(rl_late_has_released_all(&watching));
	CHECK_COUNT("SWAP k T1 given 0", 2);
	CHECK_COUNT("RELEASE", 0);
	watching_to(3000);
}

static void a_take_over_is_swapped_back_on_every_member(void)
{
	begin(3);
	fake_acts(B, FAKE_SILENCE, NULL, 0);
	give_up_op(fake_take_over("given", 30000));
	rl_late_release_all(&watching);
	watching_to(0);
	CHECK_COUNT("SWAP k T1 given 0", 3);
	CHECK(rl_late_has_released_all(&watching));
	watching_to(3000);
}

/* A release on one member and a swap back on another one would leave parts of both tokens. */
static void a_take_over_whose_lease_is_held_is_released(void)
{
	begin(1);
	rl_op *op = fake_take_over("given", 30000);
	op->call.terms.request.fresh = bytes_of("tok");
	watching_keep("k", TTL);
	give_up_op(op);
	rl_late_release_all(&watching);
	watching_to(0);
	CHECK_COUNT("SWAP", 0);
	CHECK_COUNT("RELEASE k tok", 1);
	CHECK(rl_late_has_released_all(&watching));
}

/* The release of a drawn token may have been cut off before it was sent. */
static void a_release_under_way_is_completed(void)
{
	begin(1);
	give_up_op(fake_plain(&(rl_plain_args){.verb = RL_VERB_RELEASE,
		.key = bytes_of("k"),
		.token = bytes_of("tok"),
		.late_ns = 30000 * MS}));
	rl_late_release_all(&watching);
	CHECK(!rl_late_has_released_all(&watching));
	watching_to(0);
	CHECK_COUNT("RELEASE k tok", 1);
	CHECK(rl_late_has_released_all(&watching));
}

static void verbs_that_leave_no_token_are_not_repeated(void)
{
	static const rl_verb verbs[] = {RL_VERB_EXTEND, RL_VERB_FORCE, RL_VERB_EXISTS, RL_VERB_OWNER,
		RL_VERB_INSPECT, RL_VERB_REMAINING, RL_VERB_FENCE};
	begin(1);
	give_up_op(fake_ask(RL_VERB_RELEASE, "mine", 0));
	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
		give_up_op(fake_ask(verbs[i], "mine", 1000));
	}
	CHECK_INT(watching.late_count, 0);
}

static const check_test tests[] = {
	TEST(a_release_is_sent_at_once),
	TEST(a_late_release_wakes_waiters),
	TEST(a_refusal_ends_the_late_release_on_a_server),
	TEST(a_minority_that_refuses_it_keeps_no_lock),
	TEST(an_error_is_followed_by_growing_pauses),
	TEST(a_take_over_is_undone_by_a_swap),
	TEST(the_given_token_is_no_proof_while_the_swap_may_still_come),
	TEST(a_release_is_repeated_until_the_ttl_is_over),
	TEST(a_server_that_refuses_the_connection_is_dialled_again),
	TEST(a_hanging_server_gets_the_release_on_another_connection),
	TEST(a_connection_that_breaks_is_replaced),
	TEST(a_late_release_without_rights_leaves_the_helper_keys_out),
	TEST(only_the_members_that_have_not_confirmed_are_asked),
	TEST(a_member_that_confirms_is_not_asked_again),
	TEST(a_refusal_does_not_count_while_a_set_may_come),
	TEST(a_refusal_after_a_lost_answer_does_not_count_either),
	TEST(while_a_set_may_come_a_release_is_repeated_until_the_ttl_is_over),
	TEST(a_release_also_expects_a_set_of_the_watch),
	TEST(a_late_release_follows_a_renewal_under_way),
	TEST(the_watch_knows_what_it_releases),
	TEST(equal_late_releases_are_one),
	TEST(an_equal_token_on_other_servers_is_another_late_release),
	TEST(the_watch_knows_in_which_cluster_it_releases),
	TEST(the_watch_knows_on_which_servers_it_releases),
	TEST(the_oldest_late_release_makes_room),
	TEST(nothing_is_left_when_the_watch_forgets),
	TEST(without_memory_a_late_release_is_dropped),
	TEST(all_leases_are_released_and_count_as_lost),
	TEST(releases_follow_commands_under_way),
	TEST(only_leases_that_may_be_held_are_released),
	TEST(a_pause_in_dialling_is_cut_short),
	TEST(a_late_release_ends_with_a_quorum),
	TEST(a_late_release_does_not_end_while_a_majority_is_away),
	TEST(a_lock_with_strays_is_given_up_after_two_refusals),
	TEST(a_set_under_way_outlives_the_first_not_ours),
	TEST(a_lock_with_strays_is_given_up_after_one_release),
	TEST(a_caller_s_token_is_released_once),
	TEST(a_release_is_repeated_after_an_error),
	TEST(a_lease_whose_owner_has_begun_to_release_it_is_left_alone),
	TEST(the_release_of_a_waits_token_takes_its_mark_away),
	TEST(the_release_of_a_token_without_a_mark_names_no_waiter),
	TEST(the_one_of_two_tokens_that_the_key_holds_is_released),
	TEST(both_tokens_are_released_again_while_the_answer_is_no),
	TEST(the_caller_s_token_is_left_alone_after_a_lost_answer),
	TEST(the_caller_s_token_is_released_where_our_token_has_won),
	TEST(the_caller_s_token_is_left_alone_when_the_proof_is_over),
	TEST(what_a_set_may_have_taken_is_released),
	TEST(the_caller_s_token_is_left_alone_after_the_swap),
	TEST(a_take_over_under_way_is_swapped_back),
	TEST(a_take_over_is_swapped_back_on_every_member),
	TEST(a_take_over_whose_lease_is_held_is_released),
	TEST(a_release_under_way_is_completed),
	TEST(verbs_that_leave_no_token_are_not_repeated),
};

CHECK_MAIN(tests, watching_end)
