/* SPDX-License-Identifier: MIT
 *
 * Lookups with a time of grace: since when a majority of the Sentinels has known the primary.
 */
#include "check.h"
#include "looking.h"

#define GRACE (20 * SECOND)
#define MASTER "SENTINEL MASTER mymaster\n"
#define KNOWN(age, role) \
 "*$name $mymaster $ip $10.0.0.2 $port $6380 $role-reported-time $" age " $role-reported $" role

static void begin_with_grace(unsigned sentinels, unsigned quorum)
{
	begin_quorum(sentinels, quorum);
	lookup_route->grace_ns = GRACE;
	warm_sentinels();
}

/* Checks that the node is settled this many ms after the start. */
static void check_settled(int64_t ms)
{
	CHECK_TEXT(primary(), "10.0.0.2:6380");
	CHECK_INT((lookup_route->known_since + GRACE - FAKE_START) / MS, ms);
	CHECK_INT(rl_route_may_grant(lookup_route), ms <= 0);
}

static void without_grace_a_primary_is_settled_at_once(void)
{
	begin_sentinels(3);
	all_say(NEW);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_INT(lookup_route->known_since, 0);
	CHECK(rl_route_may_grant(lookup_route));
}

static void address_and_age_are_asked_for_together(void)
{
	begin_with_grace(3, 0);
	all_say(KNOWN("12000", "master"));
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_LOG("0 a1 " MASTER "0 b1 " MASTER "0 c1 " MASTER);
	check_settled(8000);
}

static void an_old_primary_is_settled(void)
{
	begin_with_grace(3, 0);
	all_say(KNOWN("20002", "master"));
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	check_settled(-1);
}

/* The age that counts is that of the youngest Sentinel of the majority. */
static void the_youngest_of_the_majority_counts(void)
{
	begin_with_grace(3, 0);
	fake_says(0, KNOWN("30000", "master"));
	fake_says(1, KNOWN("12000", "master"));
	fake_acts(2, FAKE_SAY, KNOWN("30000", "master"), 5 * MS);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	check_settled(8000);
}

static void younger_sentinels_beside_the_majority_do_not_count(void)
{
	begin_with_grace(3, 0);
	fake_says(0, KNOWN("30000", "master"));
	fake_says(1, KNOWN("0", "master"));
	fake_says(2, KNOWN("12000", "master"));
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	check_settled(8000);
}

static void sentinels_that_name_another_primary_do_not_count(void)
{
	begin_with_grace(3, 0);
	fake_says(0, "*$ip $10.0.0.1 $port $6379 $role-reported-time $90000 $role-reported $master");
	fake_says(1, KNOWN("12000", "master"));
	fake_says(2, KNOWN("15000", "master"));
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	check_settled(8000);
}

static void a_greater_quorum_needs_more_old_sentinels(void)
{
	begin_with_grace(3, 3);
	fake_says(0, KNOWN("30000", "master"));
	fake_says(1, KNOWN("30000", "master"));
	fake_says(2, KNOWN("1000", "master"));
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	check_settled(19000);
}

/* The Sentinel computes the age between question and answer, but the age must hold for the time of
 * the question. */
static void a_slow_answer_makes_the_primary_younger(void)
{
	begin_with_grace(3, 0);
	fake_acts(0, FAKE_SAY, KNOWN("20000", "master"), 5 * MS);
	fake_acts(1, FAKE_SAY, KNOWN("20004", "master"), 5 * MS);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	check_settled(5);
}

/* The Sentinel reports another role than that of a primary, so the address counts only from now
 * on. */
static void a_primary_that_reports_another_role_is_new(void)
{
	begin_with_grace(3, 0);
	all_say(KNOWN("90000", "slave"));
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	check_settled(20000);
}

static void an_age_that_is_no_number_does_not_count(void)
{
	static const char *const texts[] = {KNOWN("-5", "master"), KNOWN("x", "master"),
		"*$ip $10.0.0.2 $port $6380 $role-reported $master",
		"*$ip $10.0.0.2 $port $6380 $role-reported-time $90000",
		"*$ip $10.0.0.2 $port $6380 $role-reported $master $role-reported-time"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		begin_with_grace(1, 0);
		all_say(texts[i]);
		CHECK_INT(look_up(), RL_VOTE_GRANTED);
		check_settled(20000);
		end_lookup();
	}
}

static void an_endless_age_is_cut(void)
{
	begin_with_grace(1, 0);
	all_say(KNOWN("99999999999999999999999999", "master"));
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK(rl_route_may_grant(lookup_route));
}

static void an_unknown_service_is_an_error_reply(void)
{
	begin_with_grace(3, 0);
	all_say("-ERR No such master with that name");
	CHECK_INT(look_up(), RL_VOTE_REFUSED);
	CHECK_HAS(lookup_err.message, "a:6379: does not know it");
}

static void fields_without_an_address_are_no_answer(void)
{
	static const char *const texts[] = {OLD, "$ip", "*$ip $10.0.0.2", "*$ip $10.0.0.2 $port $0",
		"*$port $6380 $role-reported $master", "*$ip $10.0.0.2 $port :6380"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		begin_with_grace(1, 0);
		all_say(texts[i]);
		CHECK_INT(look_up(), RL_VOTE_FAILED);
		CHECK_HAS(lookup_err.message, "the answer is no address");
		end_lookup();
	}
}

static const check_test tests[] = {TEST(without_grace_a_primary_is_settled_at_once),
	TEST(address_and_age_are_asked_for_together), TEST(an_old_primary_is_settled),
	TEST(the_youngest_of_the_majority_counts),
	TEST(younger_sentinels_beside_the_majority_do_not_count),
	TEST(sentinels_that_name_another_primary_do_not_count),
	TEST(a_greater_quorum_needs_more_old_sentinels), TEST(a_slow_answer_makes_the_primary_younger),
	TEST(a_primary_that_reports_another_role_is_new), TEST(an_age_that_is_no_number_does_not_count),
	TEST(an_endless_age_is_cut), TEST(an_unknown_service_is_an_error_reply),
	TEST(fields_without_an_address_are_no_answer)};

CHECK_MAIN(tests, end_lookup)
