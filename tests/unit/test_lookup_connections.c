/* SPDX-License-Identifier: MIT
 *
 * Lookups: the connections to the Sentinels, their logins, Sentinels that are backed off, forks,
 * and memory that fails.
 */
#include "check.h"
#include "fake_link.h"
#include "fake_memory.h"
#include "looking.h"

static void clean_up(void)
{
	is_counting = false;
	end_lookup();
}

/* ---- logging in ---- */

static void the_question_goes_with_the_login(void)
{
	begin_sentinels(1);
	fake_targets[0].password = (rl_secret){(char *) (uintptr_t) "word", 4};
	fake_says(0, OLD);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_LOG("0 a1 dial\n0 a1 AUTH word\n0 a1 " ASK "0 a1 NAME\n");
	CHECK_INT(fake_writes, 1);
}

static void a_login_that_fails_is_the_reason(void)
{
	begin_sentinels(1);
	fake_targets[0].password = (rl_secret){(char *) (uintptr_t) "word", 4};
	fake_login_says(0, "AUTH", "-WRONGPASS invalid word");
	fake_says(0, "-NOAUTH x");
	CHECK_INT(look_up(), RL_VOTE_FAILED);
	CHECK_HAS(lookup_err.message, "a:6379: the server answered: WRONGPASS invalid ***");
	CHECK_INT(fake_pool.count, 0);
	CHECK(!rl_pool_is_backed_off(&fake_pool, &fake_targets[0], fake_clock));
}

/* ---- connections ---- */

static void a_dead_idle_connection_is_replaced_once(void)
{
	begin_sentinels(1);
	warm_sentinels();
	fake_kill(0);
	fake_says(0, OLD);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_LOG("0 a1 lost: " ASK "0 a1 close\n0 a2 dial\n0 a2 " ASK "0 a2 NAME\n");
	CHECK_INT(fake_stats.reconnects, 1);
	fake_kill(0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_forget_log();
	CHECK_INT(look_up(), RL_VOTE_FAILED);
	CHECK_LOG("0 a2 lost: " ASK "0 a2 close\n0 a3 dial\n0 a3 " ASK "0 a3 lost: NAME\n0 a3 close\n");
	CHECK_HAS(lookup_err.message, "a:6379: the server closed the connection");
}

/* The first lookup has its quorum before c answers. */
static void an_answer_to_an_earlier_lookup_is_discarded(void)
{
	begin_sentinels(3);
	warm_sentinels();
	all_say(OLD);
	fake_servers[2].acts[0].delay = 20 * MS;
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_INT(fake_ms(), 0);
	fake_clock += 10 * MS;
	all_say(NEW);
	fake_servers[0].acts[1].what = FAKE_SILENCE;
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_INT(fake_ms(), 20);
	CHECK_TEXT(primary(), "10.0.0.2:6380");
	CHECK_COUNT("dial", 0);
	CHECK_TIME(lookup_route->named_at, FAKE_START + 10 * MS);
}

/* A Sentinel that never answers is not asked on the same connection for ever. */
static void a_connection_whose_answer_is_overdue_is_dropped(void)
{
	begin_sentinels(3);
	for (unsigned i = 0; i < 5; i++) {
		fake_says(0, OLD);
		fake_says(1, OLD);
		CHECK_INT(look_up(), RL_VOTE_GRANTED);
		fake_clock += 150 * MS;
	}
	CHECK_INT(fake_ms(), 750);
	CHECK_COUNT("c1 " ASK, 3); /* at 0, 150 and 300 ms; overdue at 450 */
	CHECK_COUNT("c1 end", 1);
	CHECK(fake_count("c2 dial") <= 1);
}

static void a_connection_that_is_not_made_yet_is_kept_for_the_next_lookup(void)
{
	begin_sentinels(3);
	fake_dials(2, FAKE_ACCEPT, 50 * MS);
	fake_says(0, OLD);
	fake_says(1, OLD);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_INT(fake_pool.count, 3);
	CHECK_COUNT("c1 retract", 1);
	CHECK_COUNT("c1 " ASK, 0);
	fake_says(2, NEW);
	start_lookup();
	CHECK_INT(drive_to(fake_clock + 100 * MS), RL_VOTE_OPEN);
	CHECK_COUNT("dial", 3);
	CHECK_COUNT("c1 " ASK, 1);
}

/* No operation has continued the first lookup in time, and its question to b was not sent. The
 * answer of a comes to the question of the first lookup. */
static void a_lookup_whose_time_is_over_begins_anew(void)
{
	begin_sentinels(2);
	fake_dials(1, FAKE_ACCEPT, 50 * MS);
	start_lookup();
	CHECK_INT(drive_to(fake_clock + 10 * MS), RL_VOTE_OPEN);
	fake_clock += TIME - 10 * MS;
	fake_says(0, OLD);
	fake_servers[0].acts[0].what = FAKE_SAY;
	fake_says(1, OLD);
	rl_lookup_join(lookup, fake_clock + TIME, fake_clock);
	CHECK_COUNT("b1 retract", 1);
	CHECK_INT(drive_to(fake_clock + 100 * MS), RL_VOTE_OPEN);
	CHECK_COUNT("dial", 2);
	CHECK_COUNT("a1 " ASK, 2);
	CHECK_COUNT("b1 " ASK, 1);
}

/* ---- backed off ---- */

static void a_sentinel_that_is_backed_off_is_not_asked(void)
{
	begin_sentinels(3);
	rl_pool_note_failure(&fake_pool, &fake_targets[0], fake_clock);
	fake_says(1, OLD);
	fake_acts(2, FAKE_SAY, OLD, 5 * MS);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_COUNT("a1 dial", 0);
}

static void a_sentinel_that_is_backed_off_is_asked_if_the_others_cannot_agree(void)
{
	begin_sentinels(3);
	rl_pool_note_failure(&fake_pool, &fake_targets[0], fake_clock);
	fake_says(0, NEW);
	fake_says(1, OLD);
	fake_acts(2, FAKE_SAY, NEW, 5 * MS);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_TEXT(primary(), "10.0.0.2:6380");
	CHECK_COUNT("5 a1 dial", 1);
	CHECK(!rl_pool_is_backed_off(&fake_pool, &fake_targets[0], fake_clock));
}

static void a_sentinel_that_is_backed_off_is_asked_if_the_others_take_long(void)
{
	begin_sentinels(3);
	rl_pool_note_failure(&fake_pool, &fake_targets[0], fake_clock);
	fake_says(0, OLD);
	fake_says(1, OLD);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_COUNT("50 a1 dial", 1);
	CHECK_INT(fake_ms(), 50);
}

static void all_sentinels_are_asked_if_all_are_backed_off(void)
{
	begin_sentinels(3);
	for (unsigned i = 0; i < 3; i++) {
		rl_pool_note_failure(&fake_pool, &fake_targets[i], fake_clock);
	}
	all_say(OLD);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_INT(fake_ms(), 0);
}

static void an_idle_connection_is_used_all_the_same(void)
{
	begin_sentinels(3);
	warm_sentinels();
	rl_pool_note_failure(&fake_pool, &fake_targets[0], fake_clock);
	all_say(OLD);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_COUNT("a1 " ASK, 1);
}

/* The process stood still for the whole time. */
static void a_sentinel_that_is_backed_off_is_not_asked_after_the_time(void)
{
	begin_sentinels(1);
	rl_pool_note_failure(&fake_pool, &fake_targets[0], fake_clock);
	rl_lookup_join(lookup, fake_clock + 5 * MS, fake_clock);
	fake_clock += 6 * MS;
	rl_tick tick = {.now = fake_clock, .seen = fake_clock};
	CHECK_INT(rl_lookup_step(lookup, &tick), RL_VOTE_FAILED);
	rl_lookup_explain(lookup, &lookup_err);
	CHECK_HAS(lookup_err.message, "a:6379: not asked again so soon after a failure");
	CHECK_LOG("");
}

/* ---- forks, and no memory ---- */

static void in_a_forked_child_nothing_is_sent(void)
{
	begin_sentinels(2);
	fake_warm(0);
	fake_dials(1, FAKE_ACCEPT, 10 * MS);
	start_lookup();
	CHECK_INT(drive_to(fake_clock + 1 * MS), RL_VOTE_OPEN);
	fake_forget_log();
	fake_fork();
	CHECK(rl_lookup_of(lookup_route, &fake_pool) == lookup);
	CHECK_LOG("1 a1 close\n1 b1 close\n");
	CHECK(!rl_lookup_is_open(lookup));
	all_say(OLD);
	fake_servers[0].act_next = fake_servers[1].act_next = 0;
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_COUNT("a2 dial", 1);
	CHECK_COUNT("b2 dial", 1);
}

/* Each allocation fails once, and then all from that one on. */
static void a_lookup_without_memory_fails_and_leaves_nothing(void)
{
	unsigned granted = 0, failed = 0;
	for (unsigned at = 1; at < 60; at++) {
		begin_sentinels(3);
		all_say(OLD);
		fails_at = at / 2 + 1;
		is_lasting = at % 2 == 1;
		fake_memory_fails();
		rl_vote vote = look_up();
		fake_memory_works();
		CHECK(vote == RL_VOTE_GRANTED || vote == RL_VOTE_FAILED);
		CHECK_TEXT(primary(), vote == RL_VOTE_GRANTED ? "10.0.0.1:6379" : "-:0");
		if (vote == RL_VOTE_FAILED) {
			CHECK_HAS(lookup_err.message, "out of memory");
		}
		granted += vote == RL_VOTE_GRANTED;
		failed += vote == RL_VOTE_FAILED;
		bool was_reached = asked >= fails_at;
		clean_up();
		CHECK(was_reached || vote == RL_VOTE_GRANTED);
	}
	CHECK(granted > 10);
	CHECK(failed > 10);
}

static rl_vote drive_failing_at(unsigned request)
{
	fails_at = request;
	fake_memory_fails();
	rl_vote vote = drive_to(RL_NEVER - 1);
	fake_memory_works();
	return vote;
}

static void a_sentinel_that_could_not_be_asked_is_not_waited_for(void)
{
	begin_sentinels(1);
	warm_sentinels();
	start_lookup();
	rl_vote vote = drive_failing_at(1);
	CHECK_INT(vote, RL_VOTE_FAILED);
	CHECK_INT(fake_ms(), 0);
	rl_lookup_explain(lookup, &lookup_err);
	CHECK_HAS(lookup_err.message, "a:6379: out of memory");
	CHECK_INT(fake_pool.count, 0);
}

static void a_lookup_whose_primary_finds_no_memory_fails(void)
{
	begin_sentinels(1);
	warm_sentinels();
	all_say(OLD);
	start_lookup();
	CHECK_INT(drive_to(fake_clock - 1), RL_VOTE_OPEN);
	rl_vote vote = drive_failing_at(2); /* the first allocation is that of the host */
	CHECK_INT(vote, RL_VOTE_FAILED);
	rl_lookup_explain(lookup, &lookup_err);
	CHECK_INT(lookup_err.status, RL_ERR_MEMORY);
	CHECK_INT(fake_pool.count, 1);
}

static const check_test tests[] = {
	TEST(the_question_goes_with_the_login),
	TEST(a_login_that_fails_is_the_reason),
	TEST(a_dead_idle_connection_is_replaced_once),
	TEST(an_answer_to_an_earlier_lookup_is_discarded),
	TEST(a_connection_whose_answer_is_overdue_is_dropped),
	TEST(a_connection_that_is_not_made_yet_is_kept_for_the_next_lookup),
	TEST(a_lookup_whose_time_is_over_begins_anew),
	TEST(a_sentinel_that_is_backed_off_is_not_asked),
	TEST(a_sentinel_that_is_backed_off_is_asked_if_the_others_cannot_agree),
	TEST(a_sentinel_that_is_backed_off_is_asked_if_the_others_take_long),
	TEST(all_sentinels_are_asked_if_all_are_backed_off),
	TEST(an_idle_connection_is_used_all_the_same),
	TEST(a_sentinel_that_is_backed_off_is_not_asked_after_the_time),
	TEST(in_a_forked_child_nothing_is_sent),
	TEST(a_lookup_without_memory_fails_and_leaves_nothing),
	TEST(a_sentinel_that_could_not_be_asked_is_not_waited_for),
	TEST(a_lookup_whose_primary_finds_no_memory_fails),
};

CHECK_MAIN(tests, clean_up)
