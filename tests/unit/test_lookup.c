/* SPDX-License-Identifier: MIT
 *
 * Lookups: the answers of the Sentinels, and the outcome.
 */
#include "check.h"
#include "fake_link.h"
#include "looking.h"

#include <stdio.h>
#include <string.h>

/* ---- agreement ---- */

static void all_sentinels_are_asked_at_once_and_a_majority_decides(void)
{
	begin_sentinels(3);
	fake_says(0, OLD);
	fake_acts(1, FAKE_SAY, OLD, 5 * MS);
	CHECK_INT(look_up(), RL_VOTE_GRANTED); /* c is silent */
	CHECK_TEXT(primary(), "10.0.0.1:6379");
	CHECK_INT(fake_ms(), 5);
	CHECK_LOG("0 a1 dial\n0 b1 dial\n0 c1 dial\n"
			  "0 a1 " ASK "0 a1 NAME\n0 b1 " ASK "0 b1 NAME\n0 c1 " ASK "0 c1 NAME\n");
	CHECK_INT(fake_stats.sentinel_lookups, 1);
	CHECK_INT(fake_stats.connects, 3);
	CHECK_INT(most_links, 3);
	CHECK_INT(fake_pool.count, 3);
	CHECK(rl_route_node(lookup_route, 0)->must_be_primary);
}

static void a_lookup_writes_once_on_each_idle_connection(void)
{
	begin_sentinels(3);
	warm_sentinels();
	all_say(OLD);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_LOG("0 a1 " ASK "0 b1 " ASK "0 c1 " ASK);
	CHECK_INT(fake_writes, 3);
	CHECK_INT(fake_pool.count, 3);
}

/* The route gets a time before the first agreeing Sentinel was asked. Sentinel c, which was asked
 * first, names another address. */
static void the_route_notes_when_the_sentinels_were_asked(void)
{
	begin_sentinels(3);
	fake_dials(0, FAKE_ACCEPT, 10 * MS);
	fake_dials(1, FAKE_ACCEPT, 30 * MS);
	fake_acts(0, FAKE_SAY, NEW, 50 * MS);
	fake_acts(1, FAKE_SAY, NEW, 40 * MS);
	fake_says(2, OLD);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_TEXT(primary(), "10.0.0.2:6380");
	CHECK_INT(fake_ms(), 70);
	CHECK_TIME(lookup_route->named_at, FAKE_START + 10 * MS);
}

static void the_greatest_number_wins(void)
{
	begin_sentinels(5);
	fake_says(0, OLD);
	fake_says(1, NEW);
	fake_says(2, OLD);
	fake_says(3, NEW);
	fake_acts(4, FAKE_SAY, NEW, 7 * MS);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_TEXT(primary(), "10.0.0.2:6380");
	CHECK_INT(fake_ms(), 7);
}

static void names_are_compared_without_regard_to_case(void)
{
	begin_sentinels(2);
	fake_says(0, "*$redis-1.example $6379");
	fake_says(1, "*$Redis-1.Example $6379");
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
}

static void a_quorum_of_one_is_the_first_answer(void)
{
	begin_quorum(3, 1);
	fake_acts(1, FAKE_SAY, NEW, 3 * MS);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_TEXT(primary(), "10.0.0.2:6380");
	CHECK_INT(fake_ms(), 3);
}

static void a_quorum_of_all_needs_each_answer(void)
{
	begin_quorum(3, 3);
	fake_says(0, OLD);
	fake_says(1, OLD);
	fake_acts(2, FAKE_SAY, OLD, 9 * MS);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_INT(fake_ms(), 9);
	fake_says(0, OLD);
	fake_says(1, OLD);
	fake_says(2, "-LOADING x");
	CHECK_INT(look_up(), RL_VOTE_FAILED);
	CHECK_HAS(lookup_err.message, "fewer than 3 Sentinels name the same primary for 'mymaster': ");
	fake_says(0, "_");
	CHECK_INT(look_up(), RL_VOTE_REFUSED);
}

/* ---- no agreement ---- */

static void sentinels_that_disagree_are_named(void)
{
	begin_sentinels(3);
	fake_says(0, OLD);
	fake_says(1, NEW);
	fake_says(2, "*$10.0.0.1 $6380");
	CHECK_INT(look_up(), RL_VOTE_FAILED);
	CHECK_INT(lookup_err.status, RL_ERR_CONNECT);
	CHECK_TEXT(lookup_err.message,
		"no majority of the Sentinels names a primary for 'mymaster': "
		"a:6379: names 10.0.0.1:6379; b:6379: names 10.0.0.2:6380; c:6379: names 10.0.0.1:6380");
	CHECK_INT(fake_ms(), 0);
	CHECK_TEXT(primary(), "-:0");
	CHECK_INT(lookup_route->named_at, 0);
}

/* Two of five Sentinels disagree, and two have failed: the fifth is not waited for. */
static void a_lookup_fails_as_soon_as_no_quorum_can_agree(void)
{
	begin_sentinels(5);
	fake_says(0, OLD);
	fake_says(1, NEW);
	fake_says(2, "-ERR x");
	fake_says(3, "-ERR y");
	CHECK_INT(look_up(), RL_VOTE_FAILED);
	CHECK_INT(fake_ms(), 0);
	CHECK_HAS(lookup_err.message, "e:6379: not waited for");
	CHECK_INT(fake_pool.count, 5);
}

static void a_majority_that_does_not_know_the_service_is_a_refusal(void)
{
	begin_sentinels(3);
	fake_says(0, "_");
	fake_acts(2, FAKE_SAY, "_", 4 * MS);
	CHECK_INT(look_up(), RL_VOTE_REFUSED);
	CHECK_INT(fake_ms(), 4);
	CHECK_INT(lookup_err.status, RL_ERR_CONNECT);
	CHECK_HAS(
		lookup_err.message, "a:6379: does not know it; b:6379: not waited for; c:6379: does not");
	CHECK_INT(rl_lookup_step(lookup, &(rl_tick){.now = fake_clock}), RL_VOTE_REFUSED);
}

static void a_sentinel_that_does_not_know_the_service_is_outvoted(void)
{
	begin_sentinels(3);
	fake_says(0, "_");
	fake_says(1, OLD);
	fake_says(2, OLD);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
}

/* The last answer still decides whether the service is unknown. */
static void a_refusal_is_waited_for(void)
{
	begin_sentinels(3);
	fake_says(0, "_");
	fake_says(1, "-LOADING x");
	fake_acts(2, FAKE_SAY, "_", 100 * MS);
	CHECK_INT(look_up(), RL_VOTE_REFUSED);
	CHECK_INT(fake_ms(), 100);
	fake_says(0, "_");
	fake_says(1, "-LOADING x");
	fake_acts(2, FAKE_SAY, OLD, 0);
	CHECK_INT(look_up(), RL_VOTE_FAILED);
	CHECK_INT(fake_ms(), 100);
}

/* ---- failures ---- */

static void an_answer_that_is_no_address_is_a_failure(void)
{
	static const struct {
		const char *answer, *reason;
	} rows[] = {
		{"-IDONTKNOW x", "IDONTKNOW x"},
		{"-NOAUTH Authentication required.", "put it into the DSN as sentinel_password"},
		{"-NOPERM this user has no permissions", "NOPERM this user"},
		{"-LOADING Redis is loading the dataset in memory", "LOADING Redis is loading"},
		{"-ERR max number of clients reached", "max number of clients"},
		{"-ERR unknown command 'SENTINEL'", "unknown command"},
		{"+OK", "the answer is no address"},
		{":1", "the answer is no address"},
		{"$10.0.0.1", "the answer is no address"},
		{"*", "the answer is no address"},
		{"*$10.0.0.1", "the answer is no address"},
		{"*$10.0.0.1 :6379", "the answer is no address"},
		{"*:1 $6379", "the answer is no address"},
		{"*$10.0.0.1 $6379 $1", "the answer is no address"},
		{"*$10.0.0.1 $", "the answer is no address"},
		{"*$10.0.0.1 $0", "the answer is no address"},
		{"*$10.0.0.1 $65536", "the answer is no address"},
		{"*$10.0.0.1 $99999999999999999999", "the answer is no address"},
		{"*$10.0.0.1 $63x9", "the answer is no address"},
		{"*$ $6379", "the answer is no address"},
		{"*$10.0.\t0.1 $6379", "the answer is no address"},
		{"*$10.0.0.1 _", "the answer is no address"},
		{"*+10.0.0.1 $6379", "the answer is no address"},
		{"*$10.0.0.1 +6379", "the answer is no address"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		begin_sentinels(1);
		fake_says(0, rows[i].answer);
		CHECK_INT(look_up(), RL_VOTE_FAILED);
		CHECK_INT(lookup_err.status, RL_ERR_CONNECT);
		CHECK_HAS(lookup_err.message, "'mymaster': a:6379: ");
		CHECK_HAS(lookup_err.message, rows[i].reason);
		CHECK_COUNT("dial", 1);
		CHECK(!rl_pool_is_backed_off(&fake_pool, &fake_targets[0], fake_clock));
		bool is_kept = rows[i].answer[0] == '-' && strstr(rows[i].answer, "max number") == NULL;
		CHECK_INT(fake_pool.count, is_kept);
		end_lookup();
	}
}

static void the_greatest_port_is_accepted(void)
{
	begin_sentinels(1);
	fake_says(0, "*$h $65535");
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_TEXT(primary(), "h:65535");
}

static void the_length_of_a_host_is_limited(void)
{
	char answer[300] = "*$";
	memset(answer + 2, 'h', 256);
	strcpy(answer + 2 + 255, " $1");
	begin_sentinels(1);
	fake_says(0, answer);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	memset(answer + 2, 'h', 256);
	strcpy(answer + 2 + 256, " $1");
	fake_says(0, answer);
	CHECK_INT(look_up(), RL_VOTE_FAILED);
}

static void other_sentinels_make_up_for_a_failed_one(void)
{
	begin_sentinels(3);
	fake_dials(0, FAKE_REFUSE, 0);
	fake_acts(1, FAKE_SAY, OLD, 2 * MS);
	fake_acts(2, FAKE_SAY, OLD, 8 * MS);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_INT(fake_ms(), 8);
	CHECK_COUNT("dial", 3);
}

static void a_failed_sentinel_is_not_dialled_again(void)
{
	begin_sentinels(3);
	fake_dials(0, FAKE_REFUSE, 0);
	fake_dials(1, FAKE_REFUSE_LATER, 5 * MS);
	fake_acts(2, FAKE_BREAK, NULL, 10 * MS);
	CHECK_INT(look_up(), RL_VOTE_FAILED);
	CHECK_INT(fake_ms(), 5);
	CHECK_HAS(lookup_err.message,
		"a:6379: cannot connect: told at once; b:6379: cannot connect: told "
		"later; c:6379: not waited for");
	CHECK_COUNT("dial", 3);
	CHECK(rl_pool_is_backed_off(&fake_pool, &fake_targets[0], fake_clock));
	CHECK(rl_pool_is_backed_off(&fake_pool, &fake_targets[1], fake_clock));
}

static void a_lookup_without_answers_ends_with_its_time(void)
{
	begin_sentinels(3);
	fake_dials(1, FAKE_HANG, 0);
	fake_says(2, "-LOADING x");
	start_lookup();
	CHECK_INT(drive_to(fake_clock + TIME - 1), RL_VOTE_OPEN);
	CHECK_INT(drive_to(RL_NEVER - 1), RL_VOTE_FAILED);
	CHECK_INT(fake_ms(), 400);
	rl_lookup_explain(lookup, &lookup_err);
	CHECK_HAS(lookup_err.message,
		"a:6379: no answer within 0.4 s; b:6379: no connection within 0.4 s; "
		"c:6379: the server answered: LOADING x");
	CHECK(rl_pool_is_backed_off(&fake_pool, &fake_targets[0], fake_clock));
	CHECK(rl_pool_is_backed_off(&fake_pool, &fake_targets[1], fake_clock));
	CHECK_INT(fake_open_links(), 1);
}

static void a_lookup_waits_for_the_end_of_its_time_from_the_beginning(void)
{
	begin_sentinels(1);
	start_lookup();
	rl_wait wait;
	CHECK_INT(next_time(&wait), FAKE_START + TIME);
	CHECK_INT(wait.count, 0);
}

/* One Sentinel has not answered, and its connection is back in the pool. */
static void a_closed_lookup_waits_for_nothing(void)
{
	begin_sentinels(3);
	fake_says(0, OLD);
	fake_says(1, OLD);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	rl_wait wait;
	CHECK(next_time(&wait) == RL_NEVER);
	CHECK_INT(wait.count, 0);
}

/* The process stood still, and what had arrived meanwhile is read first. */
static void an_answer_that_came_in_time_is_read_later(void)
{
	begin_sentinels(1);
	fake_acts(0, FAKE_SAY, OLD, 5 * MS);
	start_lookup();
	CHECK_INT(drive_to(fake_clock + 1 * MS), RL_VOTE_OPEN);
	int64_t seen = fake_clock;
	fake_clock += SECOND;
	rl_tick tick = {.now = fake_clock, .seen = seen};
	CHECK_INT(rl_lookup_step(lookup, &tick), RL_VOTE_OPEN);
	CHECK_INT(drive_to(RL_NEVER - 1), RL_VOTE_GRANTED);
}

static void many_long_reasons_fit(void)
{
	static const char text[] =
		"-ERR xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
	begin_sentinels(5);
	all_say(text);
	CHECK_INT(look_up(), RL_VOTE_FAILED);
	for (unsigned i = 0; i < 5; i++) {
		char name[16];
		snprintf(name, sizeof name, "%c:6379: the", (int) ('a' + i));
		CHECK_HAS(lookup_err.message, name);
	}
}

/* Sets the error of a link, as the transport does when TLS fails. */
static void fail_tls(unsigned index)
{
	rl_error_set(&fake_links[index].err, RL_ERR_TLS, 0, "certificate of another name");
	fake_links[index].is_down = true;
}

static rl_vote fail_by_tls(unsigned failing)
{
	begin_sentinels(3);
	for (unsigned i = 0; i < 3; i++) {
		fake_dials(i, FAKE_HANG, 0);
	}
	start_lookup();
	CHECK_INT(drive_to(fake_clock), RL_VOTE_OPEN);
	for (unsigned i = 0; i < failing; i++) {
		fail_tls(i);
	}
	rl_vote vote = drive_to(RL_NEVER - 1);
	rl_lookup_explain(lookup, &lookup_err);
	return vote;
}

static void tls_is_the_reason_if_each_sentinel_fails_by_tls(void)
{
	CHECK_INT(fail_by_tls(3), RL_VOTE_FAILED);
	CHECK_INT(lookup_err.status, RL_ERR_TLS);
	CHECK_HAS(lookup_err.message, "b:6379: certificate of another name");
	end_lookup();
	CHECK_INT(fail_by_tls(2), RL_VOTE_FAILED);
	CHECK_INT(lookup_err.status, RL_ERR_CONNECT);
}

static const check_test tests[] = {
	TEST(all_sentinels_are_asked_at_once_and_a_majority_decides),
	TEST(a_lookup_writes_once_on_each_idle_connection),
	TEST(the_route_notes_when_the_sentinels_were_asked),
	TEST(the_greatest_number_wins),
	TEST(names_are_compared_without_regard_to_case),
	TEST(a_quorum_of_one_is_the_first_answer),
	TEST(a_quorum_of_all_needs_each_answer),
	TEST(sentinels_that_disagree_are_named),
	TEST(a_lookup_fails_as_soon_as_no_quorum_can_agree),
	TEST(a_majority_that_does_not_know_the_service_is_a_refusal),
	TEST(a_sentinel_that_does_not_know_the_service_is_outvoted),
	TEST(a_refusal_is_waited_for),
	TEST(an_answer_that_is_no_address_is_a_failure),
	TEST(the_greatest_port_is_accepted),
	TEST(the_length_of_a_host_is_limited),
	TEST(other_sentinels_make_up_for_a_failed_one),
	TEST(a_failed_sentinel_is_not_dialled_again),
	TEST(a_lookup_without_answers_ends_with_its_time),
	TEST(a_lookup_waits_for_the_end_of_its_time_from_the_beginning),
	TEST(a_closed_lookup_waits_for_nothing),
	TEST(an_answer_that_came_in_time_is_read_later),
	TEST(many_long_reasons_fit),
	TEST(tls_is_the_reason_if_each_sentinel_fails_by_tls),
};

CHECK_MAIN(tests, end_lookup)
