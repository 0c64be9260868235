/* SPDX-License-Identifier: MIT
 *
 * Taking a lock on one server: what is sent when, and what it means.
 */
#include "check.h"
#include "fake.h"

#include <stdio.h>
#include <string.h>

#define REFUSAL "*:0 :0 :25000 :4 :1"

/* The end of the proof of a grant whose command was sent so many ms after the start. */
static int64_t proof(int64_t asked_ms, int64_t ttl_ms)
{
	return FAKE_START + asked_ms * MS + ttl_ms * MS - rl_set_drift(&fake_set, ttl_ms * MS);
}

static void begin_warm(void)
{
	fake_begin(1);
	fake_warm(0);
}

static void refuse_times(unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		fake_says(0, REFUSAL);
	}
}

/* ---- without a wait ---- */

static void a_cold_call_is_one_write(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_ACCEPT_AT_ONCE, 0);
	fake_says(0, "+OK");
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("0 a1 dial\n"
			  "0 a1 SET k T1 NX PX 30000\n"
			  "0 a1 NAME\n");
	CHECK_INT(acquire->proven_until, proof(0, 30000));
	CHECK_INT(acquire->token.len, RL_TOKEN_LEN);
	CHECK_INT(fake_pool.count, 1);
	CHECK_INT(fake_stats.acquired, 1);
	CHECK_INT(fake_stats.tries, 1);
	CHECK_INT(fake_stats.connects, 1);
	CHECK_INT(fake_stats.wait_time.sum_ns, 0);
}

static void a_cold_call_sends_once_it_is_connected(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_ACCEPT, 300 * MS);
	fake_acts(0, FAKE_SAY, "+OK", 50 * MS);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("0 a1 dial\n"
			  "300 a1 SET k T1 NX PX 30000\n"
			  "300 a1 NAME\n");
	CHECK_INT(acquire->proven_until, proof(300, 30000));
	CHECK_INT(fake_ms(), 350);
}

static void a_cold_call_with_a_login_is_one_write(void)
{
	fake_begin(1);
	fake_targets[0].user = "me";
	fake_targets[0].password = (rl_secret){"word", 4};
	fake_targets[0].database = 1203;
	fake_dials(0, FAKE_ACCEPT_AT_ONCE, 0);
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK);
	CHECK_LOG("0 a1 dial\n"
			  "0 a1 AUTH me word\n"
			  "0 a1 SELECT 1203\n"
			  "0 a1 SET k T1 NX PX 30000\n"
			  "0 a1 NAME\n");
	CHECK_INT(fake_pool.count, 1);
}

static void a_warm_call_is_one_set(void)
{
	begin_warm();
	fake_acts(0, FAKE_SAY, "+OK", 7 * MS);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n");
	CHECK_INT(acquire->proven_until, proof(0, 30000));
	CHECK_INT(fake_pool.count, 1);
	CHECK_INT(fake_looks, 0);
}

static void a_refusal_ends_the_call_at_once(void)
{
	begin_warm();
	fake_says(0, "_");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n");
	CHECK_INT(fake_pool.count, 1);
	CHECK_INT(fake_stats.refused, 1);
	CHECK_INT(fake_stats.timed_out, 0);
	CHECK_INT(fake_stats.backoffs, 0);
}

/* A token of our form is as good as a drawn one. Any other is put in the place of a drawn one. */
static void own_token_is_sent_unchanged(void)
{
	begin_warm();
	fake_says(0, "+OK");
	rl_acquire *acquire = fake_acquire_own(FAKE_DRAWN, 250, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("0 a1 SET k drawn NX PX 250\n");
	CHECK(rl_bytes_equal(acquire->token, bytes_of(FAKE_DRAWN)));
	fake_end();
	begin_warm();
	fake_says(0, "+OK");
	fake_says(0, ":1");
	acquire = fake_acquire_own("mine", 250, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("0 a1 SET k T1 NX PX 250\n0 a1 swap k T1 mine 250\n");
	CHECK(rl_bytes_equal(acquire->token, bytes_of("mine")));
}

static void without_random_bytes_nothing_is_sent(void)
{
	fake_begin(1);
	fake_random_draws(0);
	rl_acquire *acquire = fake_acquire(30000, RL_NEVER);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_RANDOM);
	CHECK_LOG("");
	CHECK_INT(acquire->op.err->status, RL_ERR_RANDOM);
	CHECK_INT(fake_stats.failed, 1);
}

/* ---- waiting ---- */

static void a_wait_backs_off_until_the_deadline(void)
{
	begin_warm();
	fake_says(0, "_");
	refuse_times(4);
	rl_acquire *acquire = fake_acquire(30000, 100 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n"
			  "10 a1 try k T1 30000 0 0 - 0\n"
			  "30 a1 try k T1 30000 0 0 - 0\n"
			  "70 a1 try k T1 30000 0 0 - 0\n"
			  "100 a1 try k T1 30000 0 0 - 0\n");
	CHECK_INT(acquire->waited_ns, 100 * MS);
	CHECK_INT(fake_stats.tries, 5);
	CHECK_INT(fake_stats.timed_out, 1);
	CHECK_INT(fake_stats.refused, 0);
	CHECK_INT(fake_stats.wait_time.sum_ns, 100 * MS);
	CHECK_INT(fake_stats.tries, 5);
	CHECK_INT(fake_stats.backoffs, 4);
	CHECK_INT(fake_stats.grants_undone, 0);
}

static void delays_stop_at_the_maximum(void)
{
	begin_warm();
	fake_says(0, "_");
	refuse_times(7);
	fake_says(0, "*:1 :0");
	rl_acquire *acquire = fake_acquire(30000, RL_NEVER);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 10 + 20 + 40 + 80 + 160 + 200 + 200 + 200);
	CHECK_INT(acquire->proven_until, proof(fake_ms(), 30000));
	CHECK_INT(acquire->waited_ns, fake_ms() * MS);
	CHECK_INT(fake_stats.acquired, 1);
}

static void no_connection_is_held_between_two_tries(void)
{
	begin_warm();
	fake_says(0, "_");
	rl_acquire *acquire = fake_acquire(30000, SECOND);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 5 * MS));
	CHECK_INT(fake_wait.count, 0);
	CHECK_INT(fake_pool.count, 1);
}

static void first_refusal_at(const char *refusal, int64_t next_ms)
{
	begin_warm();
	fake_says(0, "_");
	fake_says(0, refusal);
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
	CHECK_INT(fake_ms(), 10 + next_ms);
	fake_end();
}

static void a_look_comes_1_ms_after_the_holders_expiry(void)
{
	first_refusal_at("*:0 :0 :3 :4 :1", 4);
	first_refusal_at("*:0 :0 :0 :4 :1", 1);
	first_refusal_at("*:0 :0 :18 :4 :1", 19);
	first_refusal_at("*:0 :0 :19 :4 :1", 20);
	first_refusal_at("*:0 :0 :20 :4 :1", 20);
	first_refusal_at("*:0 :0 :-1 :4 :1", 20);
	first_refusal_at("*:0 :0 :-2 :4 :1", 20);
}

static void a_ttl_of_300_years_is_no_reason_to_spin(void)
{
	first_refusal_at("*:0 :0 :9223372036854 :4 :1", 20);
	first_refusal_at("*:0 :0 :9223372036855 :4 :1", 20);
	first_refusal_at("*:0 :0 :9223372036854775806 :4 :1", 20);
	first_refusal_at("*:0 :0 :9223372036854775807 :4 :1", 20);
}

static void the_last_try_is_at_the_deadline_not_before(void)
{
	begin_warm();
	fake_says(0, "_");
	refuse_times(4);
	rl_acquire *acquire = fake_acquire(30000, 100 * MS);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 100 * MS - 1));
	CHECK_INT(fake_stats.tries, 4);
	CHECK_INT(fake_wait.until, FAKE_START + 100 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_INT(fake_stats.tries, 5);
	CHECK_INT(fake_ms(), 100);
}

static void one_nanosecond_before_the_deadline_is_not_the_last(void)
{
	begin_warm();
	fake_says(0, "_");
	refuse_times(1);
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(30000, 10 * MS + 1)->op), RL_OK);
	CHECK_INT(fake_clock, FAKE_START + 10 * MS + 1);
}

/* A waiter that polls looks with a try. The try may take the lock, even on a slow server. */
static void a_slow_server_is_tried_right_before_the_deadline(void)
{
	begin_warm();
	fake_acts(0, FAKE_SAY, "_", 30 * MS);
	fake_acts(0, FAKE_SAY, REFUSAL, 30 * MS);
	fake_acts(0, FAKE_SAY, "*:1 :0", 30 * MS);
	CHECK_INT(fake_drive(&fake_acquire(30000, 100 * MS)->op), RL_OK);
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n"
			  "40 a1 try k T1 30000 0 0 - 0\n"
			  "90 a1 try k T1 30000 0 0 - 0\n");
}

static void the_last_try_may_succeed(void)
{
	begin_warm();
	fake_says(0, "_");
	fake_acts(0, FAKE_SAY, "*:1 :0", 30 * MS);
	rl_acquire *acquire = fake_acquire(30000, 5 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n"
			  "5 a1 try k T1 30000 0 0 - 0\n");
	CHECK_INT(acquire->waited_ns, 35 * MS);
}

static void a_refusal_across_the_deadline_decides(void)
{
	begin_warm();
	fake_acts(0, FAKE_SAY, "_", 150 * MS);
	rl_acquire *acquire = fake_acquire(30000, 100 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_INT(fake_ms(), 150);
	CHECK_INT(fake_stats.tries, 1);
}

static void a_failure_across_the_deadline_decides(void)
{
	begin_warm();
	fake_acts(0, FAKE_SAY, "-LOADING wait", 150 * MS);
	rl_acquire *acquire = fake_acquire(30000, 100 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_INT(fake_ms(), 150);
	CHECK_INT(fake_stats.tries, 1);
}

static void a_failure_at_the_deadline_is_an_error(void)
{
	begin_warm();
	fake_says(0, "_");
	fake_says(0, "-LOADING Redis is loading the dataset in memory");
	rl_acquire *acquire = fake_acquire(30000, 10 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_TEXT(acquire->op.err->code, "LOADING");
	CHECK_TEXT(acquire->op.err->message,
		"redis://a:6379: the server answered: LOADING Redis is loading the dataset in memory");
	CHECK_INT(fake_stats.failed, 1);
	CHECK_INT(fake_stats.timed_out, 0);
}

static void retries_end_the_wait(void)
{
	begin_warm();
	fake_set.retries = 2;
	fake_says(0, "_");
	refuse_times(2);
	rl_acquire *acquire = fake_acquire(30000, RL_NEVER);
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_INT(fake_stats.tries, 3);
	CHECK_INT(fake_ms(), 30);
	CHECK_INT(fake_stats.timed_out, 1);
}

static void a_call_without_retries_tries_once(void)
{
	begin_warm();
	fake_set.retries = 0;
	fake_says(0, "_");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_BUSY);
	CHECK_INT(fake_ms(), 0);
}

static void a_wait_may_be_endless(void)
{
	begin_warm();
	const int64_t endless[] = {RL_NEVER, RL_NEVER - FAKE_START + 1, RL_NEVER - FAKE_START};
	for (unsigned i = 0; i < 3; i++) {
		rl_acquire *acquire = fake_acquire(30000, endless[i]);
		fake_says(0, "_");
		refuse_times(40);
		fake_says(0, "*:1 :0");
		CHECK_INT(fake_drive(&acquire->op), RL_OK);
		CHECK_INT(acquire->deadline, RL_NEVER);
		fake_free(&acquire->op);
	}
}

static void jitter_stays_in_its_bounds(void)
{
	begin_warm();
	fake_set.backoff.jitter = 0.2;
	int64_t least = RL_NEVER;
	int64_t most = 0;
	for (unsigned i = 0; i < 50; i++) {
		fake_says(0, "_");
		rl_acquire *acquire = fake_acquire(30000, SECOND);
		CHECK(!fake_drive_to(&acquire->op, fake_clock));
		int64_t delay = fake_wait.until - fake_clock;
		least = delay < least ? delay : least;
		most = delay > most ? delay : most;
		fake_free(&acquire->op);
	}
	CHECK(least >= 8 * MS && least < 9 * MS);
	CHECK(most <= 12 * MS && most > 11 * MS);
}

/* ---- errors ---- */

static void errors_that_pass_are_waited_for(void)
{
	static const char *const errors[] = {
		"-LOADING x", "-TRYAGAIN x", "-CLUSTERDOWN x", "-BUSY x", "-UNBLOCKED x"};
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		begin_warm();
		fake_says(0, errors[i]);
		fake_says(0, "*:1 :0");
		CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
		CHECK_LOG("0 a1 SET k T1 NX PX 30000\n"
				  "10 a1 try k T1 30000 0 0 - 0\n");
		fake_end();
	}
}

static void other_errors_end_the_wait(void)
{
	static const char *const errors[] = {"-NOAUTH x", "-NOPERM x", "-WRONGTYPE x", "-OOM x",
		"-ERR x", "-MOVED 1 x:1", "-LOADINGS x", "-loading x", "-"};
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		begin_warm();
		fake_says(0, errors[i]);
		CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_ERR_SERVER);
		CHECK_LOG("0 a1 SET k T1 NX PX 30000\n");
		CHECK_INT(fake_pool.count, 1);
		fake_end();
	}
}

static void without_a_wait_no_error_passes(void)
{
	begin_warm();
	fake_says(0, "-LOADING x");
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_TEXT(acquire->op.err->code, "LOADING");
	CHECK_INT(fake_ms(), 0);
}

static void a_script_that_is_not_known_is_sent_as_text(void)
{
	begin_warm();
	fake_says(0, "_");
	fake_says(0, "-NOSCRIPT No matching script.");
	refuse_times(2);
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n"
			  "10 a1 try k T1 30000 0 0 - 0\n"
			  "10 a1 TRY k T1 30000 0 0 - 0\n"
			  "30 a1 try k T1 30000 0 0 - 0\n"
			  "70 a1 try k T1 30000 0 0 - 0\n");
	CHECK_INT(fake_stats.scripts_loaded, 1);
}

static void noscript_to_a_text_is_an_error(void)
{
	begin_warm();
	fake_says(0, "_");
	fake_says(0, "-NOSCRIPT x");
	fake_says(0, "-NOSCRIPT x");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_ERR_SERVER);
	CHECK_INT(fake_ms(), 10);
}

static void an_answer_of_another_type_is_an_error(void)
{
	static const char *const answers[] = {":1", "$OK", "+QUEUED", "*:1", "*", "+"};
	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
		begin_warm();
		fake_says(0, answers[i]);
		CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_ERR_PROTOCOL);
		CHECK_INT(fake_ms(), 0);
		fake_end();
	}
}

static void a_connection_out_of_step_is_closed(void)
{
	begin_warm();
	fake_says(0, ":1");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_ERR_PROTOCOL);
	CHECK_INT(fake_pool.count, 0);
}

static void a_surplus_answer_is_not_taken_for_the_next(void)
{
	begin_warm();
	fake_acts(0, FAKE_SAY_TWICE, "+OK", 0);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK);
	fake_says(0, "_");
	rl_acquire *second = fake_acquire(30000, 0);
	CHECK(fake_drive(&second->op) != RL_OK);
}

/* ---- connecting ---- */

static void a_refused_connection_ends_the_call_at_once(void)
{
	static const fake_dial ways[] = {FAKE_REFUSE, FAKE_REFUSE_LATER, FAKE_NO_NAME};
	for (unsigned i = 0; i < 3; i++) {
		fake_begin(1);
		fake_dials(0, ways[i], 3 * MS);
		rl_acquire *acquire = fake_acquire(30000, 0);
		CHECK_INT(fake_drive(&acquire->op), i == 2 ? RL_ERR_NAME : RL_ERR_CONNECT);
		CHECK_INT(fake_ms(), i == 1 ? 3 : 0);
		CHECK_INT(acquire->op.err->sys_errno, i == 2 ? 0 : 111);
		CHECK_HAS(acquire->op.err->message, "redis://a:6379: cannot connect: told");
		CHECK(strstr(acquire->op.err->message, "outcome") == NULL);
		CHECK_INT(fake_stats.failed, 1);
		fake_end();
	}
}

static void a_refused_connection_is_dialled_again_while_waiting(void)
{
	fake_begin(1);
	for (unsigned i = 0; i < 5; i++) {
		fake_dials(0, i % 2 == 0 ? FAKE_REFUSE : FAKE_REFUSE_LATER, 0);
	}
	rl_acquire *acquire = fake_acquire(30000, 100 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_CONNECT);
	CHECK_LOG("0 a1 dial\n"
			  "10 a2 dial\n"
			  "10 a2 close\n"
			  "30 a3 dial\n"
			  "70 a4 dial\n"
			  "70 a4 close\n"
			  "100 a5 dial\n");
	CHECK_INT(fake_stats.tries, 5);
	CHECK_INT(fake_stats.timed_out, 0);
	CHECK_INT(fake_stats.failed, 1);
}

static void a_server_that_comes_back_is_taken(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_REFUSE, 0);
	fake_dials(0, FAKE_REFUSE, 0);
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
	CHECK_LOG("0 a1 dial\n"
			  "10 a2 dial\n"
			  "30 a3 dial\n"
			  "30 a3 try k T1 30000 0 0 - 0\n"
			  "30 a3 NAME\n");
}

static void connecting_ends_by_its_timeout(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_HANG, 0);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_CONNECT);
	CHECK_INT(fake_ms(), 1000);
	CHECK_LOG("0 a1 dial\n1000 a1 close\n");
	CHECK_TEXT(
		acquire->op.err->message, "redis://a:6379: no connection within 1 s (connectTimeout)");
	CHECK_INT(fake_stats.grants_undone, 0);
}

static void a_hanging_connect_is_tried_again_while_waiting(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_HANG, 0);
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(30000, 5 * SECOND)->op), RL_OK);
	CHECK_LOG("0 a1 dial\n"
			  "1000 a1 close\n"
			  "1010 a2 dial\n"
			  "1010 a2 try k T1 30000 0 0 - 0\n"
			  "1010 a2 NAME\n");
}

static void a_dead_idle_connection_is_replaced(void)
{
	begin_warm();
	fake_kill(0);
	fake_clock += 100 * MS + 1;
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK);
	CHECK_LOG("100 a1 close\n"
			  "100 a2 dial\n"
			  "100 a2 SET k T1 NX PX 30000\n"
			  "100 a2 NAME\n");
	CHECK_INT(fake_looks, 1);
	CHECK_INT(fake_stats.reconnects, 1);
	CHECK_INT(fake_stats.connects, 2);
}

static void a_young_idle_connection_is_not_looked_at(void)
{
	begin_warm();
	fake_kill(0);
	fake_clock += 100 * MS;
	fake_says(0, "*:1 :0");
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("100 a1 lost: SET k T1 NX PX 30000\n"
			  "100 a1 close\n"
			  "100 a2 dial\n"
			  "100 a2 try k T1 30000 1 0 - 0\n"
			  "100 a2 NAME\n");
	CHECK_INT(fake_looks, 0);
}

/* ---- timeouts ---- */

static void a_timeout_undoes_and_closes(void)
{
	begin_warm();
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + SECOND - 1));
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_TIMEOUT);
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n"
			  "1000 a1 RELEASE k T1\n"
			  "1000 a1 end\n");
	CHECK_TEXT(acquire->op.err->message,
		"redis://a:6379: no answer within 1 s (timeout); if a server grants the lock later, the "
		"undo that follows releases it");
	CHECK_INT(fake_stats.grants_undone, 1);
	CHECK_INT(fake_stats.failed, 1);
	CHECK_INT(fake_pool.count, 0);
}

static void an_answer_that_has_arrived_comes_before_the_timeout(void)
{
	begin_warm();
	fake_acts(0, FAKE_SAY, "+OK", SECOND);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK);
	CHECK_INT(fake_ms(), 1000);
}

static void the_timeout_begins_once_the_link_is_connected(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_ACCEPT, 300 * MS);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_ERR_TIMEOUT);
	CHECK_LOG("0 a1 dial\n"
			  "300 a1 SET k T1 NX PX 30000\n"
			  "300 a1 NAME\n"
			  "1300 a1 RELEASE k T1\n"
			  "1300 a1 end\n");
}

static void no_budget_goes_beyond_deadline_plus_timeout(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_ACCEPT, 800 * MS);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	rl_acquire *acquire = fake_acquire(30000, 500 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_TIMEOUT);
	CHECK_INT(fake_ms(), 1500);
	CHECK_HAS(acquire->op.err->message, "no answer in the rest of the timeout");
	fake_end();
	fake_begin(1);
	fake_set.members[0].connect_timeout_ns = 5 * SECOND;
	fake_dials(0, FAKE_HANG, 0);
	CHECK_INT(fake_drive(&fake_acquire(30000, 100 * MS)->op), RL_ERR_CONNECT);
	CHECK_INT(fake_ms(), 1100);
	fake_end();
	begin_warm();
	fake_acts(0, FAKE_SAY, "_", 0);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(&fake_acquire(30000, 10 * MS)->op), RL_ERR_TIMEOUT);
	CHECK_INT(fake_ms(), 1010);
}

/* The connection to a silent server lingers for a minute, so that the server can read the undo. */
static void an_undo_lingers(void)
{
	begin_warm();
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_ERR_TIMEOUT);
	CHECK_INT(fake_open_links(), 1);
	CHECK_INT(fake_pool.count, 0);
	fake_clock = FAKE_START + 61 * SECOND;
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK);
	CHECK_INT(fake_open_links(), 2);
	fake_clock++;
	fake_says(0, "_");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
	CHECK_INT(fake_open_links(), 1);
	CHECK_HAS(fake_log(), "1000 a1 RELEASE k T1\n1000 a1 end\n61000 a2 dial\n");
	CHECK_HAS(fake_log(), "61000 a1 close\n");
}

static void the_number_of_lingering_connections_is_limited(void)
{
	fake_begin(1);
	for (unsigned i = 0; i < RL_POOL_LINGERING_MAX + 3; i++) {
		fake_warm(0);
		fake_acts(0, FAKE_SILENCE, NULL, 0);
		rl_acquire *acquire = fake_acquire(30000, 0);
		CHECK_INT(fake_drive(&acquire->op), RL_ERR_TIMEOUT);
		fake_free(&acquire->op);
		CHECK_INT(fake_open_links(), i < RL_POOL_LINGERING_MAX ? i + 1 : RL_POOL_LINGERING_MAX);
	}
}

static void after_an_undo_comes_a_fresh_token(void)
{
	begin_warm();
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	fake_says(0, ":1"); /* the undo */
	fake_says(0, "*:1 :0");
	rl_acquire *acquire = fake_acquire(30000, 5 * SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n"
			  "1000 a1 RELEASE k T1\n"
			  "1000 a1 end\n"
			  "1010 a2 dial\n"
			  "1010 a2 try k T2 30000 0 0 - 0\n"
			  "1010 a2 NAME\n");
	CHECK_INT(acquire->proven_until, proof(1010, 30000));
}

static void a_wait_ends_without_random_bytes_for_a_fresh_token(void)
{
	begin_warm();
	fake_random_draws(1);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(&fake_acquire(30000, 5 * SECOND)->op), RL_ERR_TIMEOUT);
	CHECK_INT(fake_ms(), 1000);
}

/* ---- connections that break ---- */

static void a_command_that_was_not_sent_goes_on_a_new_connection(void)
{
	static const fake_act ways[] = {FAKE_BREAK_UNSENT, FAKE_BREAK_HALF};
	for (unsigned i = 0; i < 2; i++) {
		begin_warm();
		fake_acts(0, ways[i], NULL, 0);
		fake_says(0, "+OK");
		CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK);
		CHECK_LOG("0 a1 close\n"
				  "0 a2 dial\n"
				  "0 a2 SET k T1 NX PX 30000\n"
				  "0 a2 NAME\n");
		CHECK_INT(fake_stats.reconnects, 1);
		fake_end();
	}
}

static void after_a_lost_answer_a_try_says_maybe_ours(void)
{
	begin_warm();
	fake_acts(0, FAKE_BREAK, NULL, 100 * MS);
	fake_acts(0, FAKE_SAY, "*:1 :0", 50 * MS);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n"
			  "100 a1 close\n"
			  "100 a2 dial\n"
			  "100 a2 try k T1 30000 1 0 - 0\n"
			  "100 a2 NAME\n");
	CHECK_INT(acquire->proven_until, proof(0, 30000));
	CHECK_INT(fake_stats.tries, 1);
	CHECK_INT(fake_ms(), 150);
}

static void a_try_for_a_token_in_doubt_may_be_refused(void)
{
	begin_warm();
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, REFUSAL);
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
	/* The refusal settled the doubt. */
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n"
			  "0 a1 close\n"
			  "0 a2 dial\n"
			  "0 a2 try k T1 30000 1 0 - 0\n"
			  "0 a2 NAME\n"
			  "10 a2 try k T1 30000 0 0 - 0\n");
}

static void a_try_for_a_token_in_doubt_may_meet_noscript(void)
{
	begin_warm();
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, "-NOSCRIPT x");
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK);
	CHECK_HAS(fake_log(), "0 a2 try k T1 30000 1 0 - 0\n0 a2 NAME\n0 a2 TRY k T1 30000 1 0 - 0\n");
}

static void a_server_is_dialled_again_with_growing_pauses(void)
{
	begin_warm();
	for (unsigned i = 0; i < 20; i++) {
		fake_acts(0, FAKE_BREAK, NULL, 0);
	}
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_CLOSED);
	CHECK_HAS(fake_log(), "0 a2 try");
	CHECK_HAS(fake_log(), "\n10 a3 try");
	CHECK_HAS(fake_log(), "\n30 a4 try");
	CHECK_HAS(fake_log(), "\n70 a5 try");
	CHECK_HAS(fake_log(), "\n150 a6 try");
	CHECK_HAS(fake_log(), "\n310 a7 try");
	CHECK_HAS(fake_log(), "\n510 a8 try");
	CHECK_HAS(fake_log(), "\n910 a10 try");
	CHECK(strstr(fake_log(), "a11") == NULL);
	CHECK_INT(fake_ms(), 910);
	CHECK_HAS(acquire->op.err->message,
		"the server closed the connection; outcome unknown: if the lock was granted, it ends by its "
		"TTL");
}

static void a_pause_is_never_nothing(void)
{
	begin_warm();
	fake_set.backoff = (rl_backoff){.first_ns = 1, .max_ns = 1};
	fake_set.members[0].timeout_ns = 20 * MS;
	for (unsigned i = 0; i < 60; i++) {
		fake_acts(0, FAKE_BREAK, NULL, 0);
	}
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_ERR_CLOSED);
	CHECK(fake_stats.connects < 25);
}

static void a_refused_connection_is_dialled_again_while_in_doubt(void)
{
	begin_warm();
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_dials(0, FAKE_REFUSE, 0);
	fake_dials(0, FAKE_REFUSE_LATER, 0);
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK);
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n"
			  "0 a1 close\n"
			  "0 a2 dial\n"
			  "10 a3 dial\n"
			  "10 a3 close\n"
			  "30 a4 dial\n"
			  "30 a4 try k T1 30000 1 0 - 0\n"
			  "30 a4 NAME\n");
}

static void a_refused_connection_ends_a_call_that_is_not_in_doubt(void)
{
	begin_warm();
	fake_acts(0, FAKE_BREAK_UNSENT, NULL, 0);
	fake_dials(0, FAKE_REFUSE, 0);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_ERR_CONNECT);
	CHECK_LOG("0 a1 close\n0 a2 dial\n");
}

static void a_hanging_connect_uses_up_the_budget_of_a_call_in_doubt(void)
{
	begin_warm();
	fake_acts(0, FAKE_BREAK, NULL, 500 * MS);
	fake_dials(0, FAKE_HANG, 0);
	fake_dials(0, FAKE_HANG, 0);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_CONNECT);
	CHECK_INT(fake_ms(), 2000);
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n"
			  "500 a1 close\n"
			  "500 a2 dial\n"
			  "1500 a2 close\n"
			  "1510 a3 dial\n"
			  "2000 a3 close\n");
	CHECK_HAS(acquire->op.err->message, "outcome unknown");
}

static void a_token_stays_in_doubt_until_the_next_try(void)
{
	begin_warm();
	fake_acts(0, FAKE_BREAK, NULL, 500 * MS);
	fake_dials(0, FAKE_HANG, 0);
	fake_dials(0, FAKE_HANG, 0);
	fake_says(0, "*:1 :0");
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_HAS(fake_log(), "2010 a4 try k T1 30000 1 0 - 0\n");
	CHECK_INT(acquire->proven_until, proof(2010, 30000)); /* the try has set the whole TTL */
}

static void a_timeout_reports_the_break_before_it(void)
{
	begin_warm();
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_TIMEOUT);
	CHECK_TEXT(acquire->op.err->message,
		"redis://a:6379: no answer within 1 s (timeout); before that: the server closed the connection; "
		"if a server grants the lock later, the undo that follows releases it");
}

static void a_token_stays_in_doubt_until_it_is_undone(void)
{
	begin_warm();
	fake_acts(0, FAKE_BREAK, NULL, 500 * MS);
	fake_dials(0, FAKE_HANG, 0);
	fake_dials(0, FAKE_HANG, 0);
	fake_says(0, REFUSAL);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	fake_says(0, ":0");
	fake_says(0, "*:1 :0");
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_HAS(fake_log(), "2010 a4 try k T1 30000 1 0 - 0\n");
	CHECK_HAS(fake_log(), "2020 a4 try k T1 30000 1 0 - 0\n3020 a4 RELEASE k T1\n");
	CHECK_HAS(fake_log(), "3030 a5 try k T2 30000 0 0 - 0\n");
	CHECK_INT(acquire->proven_until, proof(3030, 30000));
}

/* An abandoned call has left an unread undo on the connection. The next call times out there, and
 * has nothing to undo. If it closed the connection at once, the earlier undo could be lost. */
static void an_unread_undo_of_an_earlier_call_is_kept(void)
{
	begin_warm();
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	rl_acquire *first = fake_acquire(30000, 0);
	CHECK(!fake_drive_to(&first->op, FAKE_START + 10 * MS));
	rl_op_abandon(&first->op, fake_clock, false);
	fake_free(&first->op);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXTEND, "tok", 1000)), RL_ERR_TIMEOUT);
	CHECK_HAS(fake_log(), "10 a1 RELEASE k T1\n10 a1 extend k tok 1000\n1010 a1 end\n");
	CHECK_COUNT("close", 0);
}

/* Many clients may wait for a server that is down: the pause between two dials grows to a second,
 * whatever retryMaxDelay says of a lock that is held. */
static void the_pause_grows_to_a_second_while_the_server_is_down(void)
{
	fake_begin(1);
	for (unsigned i = 0; i < 30; i++) {
		fake_dials(0, FAKE_REFUSE, 0);
	}
	CHECK_INT(fake_drive(&fake_acquire(30000, 5 * SECOND)->op), RL_ERR_CONNECT);
	CHECK_HAS(fake_log(),
		"0 a1 dial\n10 a2 dial\n30 a3 dial\n70 a4 dial\n150 a5 dial\n310 a6 dial\n630 a7 dial\n"
		"1270 a8 dial\n2270 a9 dial\n3270 a10 dial\n4270 a11 dial\n5000 a12 dial\n");
}

static void a_token_in_doubt_is_proven_from_the_try_that_succeeds(void)
{
	begin_warm();
	for (unsigned i = 0; i < 2; i++) {
		fake_acts(0, FAKE_BREAK, NULL, 500 * MS);
		fake_dials(0, FAKE_HANG, 0);
		fake_dials(0, FAKE_HANG, 0);
		fake_dials(0, FAKE_ACCEPT, 0);
	}
	fake_acts(0, FAKE_SAY, "*:1 :0", 40 * MS);
	rl_acquire *acquire = fake_acquire(30000, 20 * SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_stats.tries, 4);
	CHECK_HAS(fake_log(), "4070 a7 try k T1 30000 1 0 - 0\n");
	CHECK_INT(acquire->proven_until, proof(4070, 30000));
	CHECK_INT(fake_ms(), 4110);
}

static void a_token_in_doubt_may_be_granted_after_a_refusal(void)
{
	begin_warm();
	fake_acts(0, FAKE_BREAK, NULL, 500 * MS);
	fake_dials(0, FAKE_HANG, 0);
	fake_dials(0, FAKE_HANG, 0);
	fake_says(0, REFUSAL);
	fake_says(0, "*:1 :0");
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(acquire->proven_until, proof(2020, 30000));
	CHECK_INT(fake_ms(), 2020);
}

static void after_nonsense_the_call_ends_with_an_undo(void)
{
	begin_warm();
	fake_acts(0, FAKE_NONSENSE, NULL, 3 * MS);
	rl_acquire *acquire = fake_acquire(30000, SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_PROTOCOL);
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n"
			  "3 a1 RELEASE k T1\n"
			  "3 a1 close\n");
	CHECK_HAS(acquire->op.err->message, "the undo that follows releases it");
}

/* The server may have swapped the caller's token in. */
static void own_token_is_not_undone_after_nonsense(void)
{
	begin_warm();
	fake_says(0, "+OK");
	fake_acts(0, FAKE_NONSENSE, NULL, 0);
	rl_acquire *acquire = fake_acquire_own("mine", 30000, SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_PROTOCOL);
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n"
			  "0 a1 swap k T1 mine 30000\n"
			  "0 a1 RELEASE k T1\n"
			  "0 a1 close\n");
	CHECK_HAS(acquire->op.err->message, "outcome unknown");
}

static void a_token_in_doubt_is_undone_after_nonsense(void)
{
	begin_warm();
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_acts(0, FAKE_NONSENSE, NULL, 0);
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_ERR_PROTOCOL);
	CHECK_HAS(fake_log(), "0 a2 NAME\n0 a2 RELEASE k T1\n0 a2 close\n");
}

static void nonsense_to_a_login_ends_the_call(void)
{
	static const char *const answers[] = {":1", "+QUEUED", "_", "$OK"};
	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
		fake_begin(1);
		fake_targets[0].database = 2;
		fake_login_says(0, "SELECT", answers[i]);
		rl_acquire *acquire = fake_acquire(30000, SECOND);
		CHECK_INT(fake_drive(&acquire->op), RL_ERR_PROTOCOL);
		CHECK_HAS(fake_log(), "0 a1 RELEASE k T1\n0 a1 close\n");
		CHECK_INT(fake_pool.count, 0);
		fake_end();
	}
}

static void the_reason_of_a_server_that_hangs_up_is_reported(void)
{
	fake_begin(1);
	for (unsigned i = 0; i < 20; i++) {
		fake_greets(0, "-DENIED Redis is running in protected mode");
	}
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_TEXT(acquire->op.err->code, "DENIED");
}

static void a_reply_that_arrived_before_the_break_counts(void)
{
	begin_warm();
	fake_acts(0, FAKE_SAY_BREAK, "+OK", 0);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK);
	fake_clock += 200 * MS;
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK);
}

/* ---- a caller's own token ---- */

static void a_lost_set_of_any_own_token_is_found_again(void)
{
	begin_warm();
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire_own(FAKE_DRAWN, 30000, 0)->op), RL_OK);
	CHECK_HAS(fake_log(), "0 a2 try k drawn 30000 1 0 - 0\n");
	CHECK_COUNT("swap", 0);
	fake_end();
	begin_warm();
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, "*:1 :0");
	fake_says(0, ":1");
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 0)->op), RL_OK);
	CHECK_HAS(fake_log(), "0 a2 try k T1 30000 1 0 - 0\n");
	CHECK_HAS(fake_log(), "0 a2 swap k T1 mine 30000\n");
}

static void own_token_found_without_a_break_is_a_refusal(void)
{
	begin_warm();
	fake_says(0, "_");
	fake_says(0, "*:0 :0 :25000 :2 :1");
	CHECK_INT(fake_drive(&fake_acquire_own(FAKE_DRAWN, 30000, 10 * MS)->op), RL_BUSY);
}

static void own_token_may_be_refused_after_a_break(void)
{
	begin_warm();
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, REFUSAL);
	CHECK_INT(fake_drive(&fake_acquire_own(FAKE_DRAWN, 30000, 0)->op), RL_BUSY);
}

/* A call in vain, whose undo of the caller's token the server may still read. */
static void leave_an_undo_behind(void)
{
	begin_warm();
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(&fake_acquire_own(FAKE_DRAWN, 30000, 0)->op), RL_ERR_TIMEOUT);
}

/* The undo could delete a second grant of the same token, so the wait goes on with a drawn one. */
static void own_token_is_undone_without_a_reply_and_swapped_in_later(void)
{
	begin_warm();
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	fake_says(0, ":1"); /* its undo */
	fake_says(0, "*:1 :0");
	fake_says(0, ":1");
	rl_acquire *acquire = fake_acquire_own(FAKE_DRAWN, 30000, 5 * SECOND);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 1005 * MS));
	CHECK_LOG("0 a1 SET k drawn NX PX 30000\n"
			  "1000 a1 RELEASE k drawn\n"
			  "1000 a1 end\n");
	fake_kill(0); /* the server has read the undo */
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("1010 a2 try k T1 30000 0 0 - 0\n", 1);
	CHECK_COUNT("1010 a2 swap k T1 drawn 30000\n", 1);
	CHECK(rl_bytes_equal(acquire->token, bytes_of(FAKE_DRAWN)));
	CHECK_INT(fake_stats.grants_undone, 1);
}

/* The swap waits while the undo may still be carried out after it. */
static void own_token_is_not_swapped_in_before_its_undo_was_read(void)
{
	begin_warm();
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	fake_says(0, ":1"); /* its undo */
	fake_says(0, "*:1 :0");
	fake_says(0, ":1");
	rl_acquire *acquire = fake_acquire_own(FAKE_DRAWN, 30000, 5 * SECOND);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 1200 * MS));
	CHECK_COUNT("1010 a2 try k T1 30000 0 0 - 0\n", 1);
	CHECK_COUNT("swap", 0);
	CHECK_INT(acquire->phase, RL_ACQUIRE_SWAPPING);
	fake_kill(0); /* the server has read the undo */
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("swap k T1 drawn 30000\n", 1);
	CHECK_COUNT("try", 1);
}

/* Without another chance the drawn token is undone, although no swap was sent. */
static void a_swap_that_may_not_be_sent_undoes_the_drawn_token(void)
{
	leave_an_undo_behind();
	fake_forget_log();
	fake_says(0, "+OK");
	rl_acquire *acquire = fake_acquire_own(FAKE_DRAWN, 30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_TIMEOUT);
	CHECK_HAS(acquire->op.err->message, "not asked: the server may still run earlier commands");
	CHECK(strstr(acquire->op.err->message, "outcome unknown") == NULL);
	CHECK_COUNT("1000 a2 SET k T1 NX", 1);
	CHECK_COUNT("swap", 0);
	CHECK_COUNT("a2 RELEASE k T1\n", 1);
}

/* The same, if the token was undone in an earlier call. */
static void own_token_is_replaced_while_an_earlier_undo_may_be_carried_out(void)
{
	leave_an_undo_behind();
	CHECK_COUNT("1000 a1 RELEASE k drawn\n1000 a1 end\n", 1);
	fake_says(0, "+OK");
	fake_says(0, ":1");
	rl_acquire *acquire = fake_acquire_own(FAKE_DRAWN, 30000, 5 * SECOND);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 1005 * MS));
	CHECK_COUNT("SET k drawn", 1);
	CHECK_COUNT("1000 a2 SET k T1 NX", 1);
	CHECK_COUNT("swap", 0);
	fake_kill(0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_HAS(fake_log(), "1020 a3 swap k T1 drawn 30000\n");
	/* From then on nothing holds it back. */
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(&fake_acquire_own(FAKE_DRAWN, 30000, 0)->op), RL_OK);
	CHECK_COUNT("SET k drawn", 2);
}

/* The caller's token is swapped in after the win. */
static void a_wait_with_own_token_goes_on_while_nothing_is_in_doubt(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_REFUSE, 0);
	fake_dials(0, FAKE_HANG, 0);
	fake_says(0, "*:1 :0");
	fake_says(0, ":1");
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 5 * SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_HAS(fake_log(),
		"1030 a3 try k T1 30000 0 0 - 0\n"
		"1030 a3 NAME\n"
		"1030 a3 swap k T1 mine 30000\n");
	CHECK(rl_bytes_equal(acquire->token, bytes_of("mine")));
}

/* ---- grants that come too late ---- */

static void a_grant_that_came_too_late_is_given_back(void)
{
	begin_warm();
	fake_acts(0, FAKE_SAY, "+OK", 18 * MS);
	rl_acquire *acquire = fake_acquire(20, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SLOW);
	CHECK_LOG("0 a1 SET k T1 NX PX 20\n"
			  "18 a1 RELEASE k T1\n");
	CHECK_HAS(
		acquire->op.err->message, "redis://a:6379: too slow: the lock was granted after 0.018 s");
	CHECK(strstr(acquire->op.err->message, "an undo behind it") == NULL); /* the grant was heard */
	CHECK_INT(fake_pool.count, 1);
	CHECK_INT(fake_stats.failed, 1);
}

static void a_grant_just_in_time_is_kept(void)
{
	begin_warm();
	fake_acts(0, FAKE_SAY, "+OK", 17799999); /* 20 ms less 1 %, less 2 ms, is 17.8 ms */
	CHECK_INT(fake_drive(&fake_acquire(20, 0)->op), RL_OK);
	fake_acts(0, FAKE_SAY, "+OK", 17800000);
	CHECK_INT(fake_drive(&fake_acquire(20, 0)->op), RL_ERR_SLOW);
}

static void a_wait_goes_on_after_a_grant_that_came_too_late(void)
{
	begin_warm();
	fake_acts(0, FAKE_SAY, "+OK", 50 * MS);
	fake_says(0, ":1");
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(20, SECOND)->op), RL_OK);
	CHECK_LOG("0 a1 SET k T1 NX PX 20\n"
			  "50 a1 RELEASE k T1\n"
			  "60 a1 try k T2 20 0 0 - 0\n");
}

static void a_late_grant_that_is_not_undone_is_not_called_given_back(void)
{
	begin_warm();
	fake_acts(0, FAKE_SAY, "+OK", 50 * MS);
	fake_acts(0, FAKE_BREAK_UNSENT, NULL, 0);
	rl_acquire *acquire = fake_acquire(20, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SLOW);
	CHECK(strstr(acquire->op.err->message, "it was given back") == NULL);
}

/* What is undone is a drawn token, or one of that form. */
static void own_token_too_slow_is_given_back(void)
{
	static const char *const own[] = {"mine", FAKE_DRAWN};
	for (unsigned i = 0; i < 2; i++) {
		begin_warm();
		fake_acts(0, FAKE_SAY, "+OK", 50 * MS);
		fake_says(0, ":1");
		fake_says(0, "*:1 :0");
		fake_says(0, ":1");
		rl_acquire *acquire = fake_acquire_own(own[i], 20, SECOND);
		CHECK_INT(fake_drive(&acquire->op), RL_OK);
		CHECK_COUNT(i == 0 ? "50 a1 RELEASE k T1\n" : "50 a1 RELEASE k drawn\n", 1);
		CHECK_COUNT(i == 0 ? "60 a1 swap k T2 mine 20\n" : "60 a1 swap k T1 drawn 20\n", 1);
		fake_end();
	}
}

/* ---- grants that are taken back ---- */

static void a_grant_can_be_taken_back(void)
{
	begin_warm();
	fake_says(0, "+OK");
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	rl_quorum_call_hold(&acquire->op.call, false, fake_clock);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n"
			  "0 a1 RELEASE k T1\n");
	CHECK_INT(fake_stats.grants_undone, 1);
	CHECK_INT(fake_pool.count, 1);
	/* The next call does not take the undo's answer for its own. */
	fake_says(0, "_");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
}

static void without_a_connection_the_undo_is_left_out(void)
{
	begin_warm();
	fake_says(0, "+OK");
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	rl_pool_clear(&fake_pool);
	rl_quorum_call_hold(&acquire->op.call, false, fake_clock);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n0 a1 close\n");
	CHECK_INT(fake_stats.grants_undone, 0);
}

/* ---- refused logins ---- */

static void begin_with_login(void)
{
	fake_begin(1);
	fake_targets[0].password = (rl_secret){"word", 4};
	fake_targets[0].database = 2;
}

static void a_refused_login_is_reported(void)
{
	begin_with_login();
	fake_login_says(0, "AUTH", "-WRONGPASS word is wrong");
	fake_login_says(0, "SELECT", "-NOAUTH x");
	fake_says(0, "-NOAUTH x");
	rl_acquire *acquire = fake_acquire(30000, SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_TEXT(acquire->op.err->code, "WRONGPASS");
	CHECK_HAS(acquire->op.err->message, "WRONGPASS *** is wrong");
	CHECK_LOG("0 a1 dial\n"
			  "0 a1 AUTH word\n"
			  "0 a1 SELECT 2\n"
			  "0 a1 SET k T1 NX PX 30000\n"
			  "0 a1 NAME\n"
			  "0 a1 close\n");
	CHECK_INT(fake_pool.count, 0);
	CHECK_INT(fake_stats.grants_undone, 0);
}

static void a_grant_after_a_refused_login_is_undone(void)
{
	begin_with_login();
	fake_login_says(0, "SELECT", "-ERR DB index is out of range");
	fake_says(0, "+OK");
	fake_acts(0, FAKE_SAY, ":1", 40 * MS);
	rl_acquire *acquire = fake_acquire(30000, SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_HAS(fake_log(), "0 a1 NAME\n0 a1 RELEASE k T1\n40 a1 close\n");
	CHECK_HAS(acquire->op.err->message, "DB index is out of range");
	CHECK_INT(fake_stats.grants_undone, 1);
}

static void own_token_taken_with_a_refused_login_is_undone(void)
{
	begin_with_login();
	fake_login_says(0, "SELECT", "-ERR DB index is out of range");
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(&fake_acquire_own(FAKE_DRAWN, 30000, 0)->op), RL_ERR_SERVER);
	CHECK_HAS(fake_log(), "0 a1 RELEASE k drawn\n");
}

static void a_refusal_after_a_refused_login_needs_no_undo(void)
{
	begin_with_login();
	fake_login_says(0, "SELECT", "-ERR DB index is out of range");
	fake_says(0, "_");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_ERR_SERVER);
	CHECK_INT(fake_stats.grants_undone, 0);
	CHECK_INT(fake_open_links(), 0);
}

static void an_undo_after_a_refused_login_ends_by_the_timeout(void)
{
	begin_with_login();
	fake_login_says(0, "SELECT", "-ERR DB index is out of range");
	fake_says(0, "+OK");
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_HAS(fake_log(), "0 a1 RELEASE k T1\n1000 a1 close\n");
	CHECK_HAS(acquire->op.err->message, "DB index is out of range");
	CHECK_INT(fake_stats.grants_undone, 1);
}

static void a_break_after_a_refused_login_ends_the_call(void)
{
	begin_with_login();
	fake_login_says(0, "AUTH", "-ERR no such user");
	fake_acts(0, FAKE_BREAK, NULL, 0);
	rl_acquire *acquire = fake_acquire(30000, SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_HAS(acquire->op.err->message, "no such user");
	CHECK_INT(fake_ms(), 0);
}

static void a_set_lost_after_a_refused_select_has_an_unknown_outcome(void)
{
	begin_with_login();
	fake_login_says(0, "SELECT", "-ERR DB index is out of range");
	fake_acts(0, FAKE_BREAK, NULL, 0);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_HAS(acquire->op.err->message, "outcome unknown");
}

static void a_set_without_an_answer_after_a_refused_login_is_undone(void)
{
	begin_with_login();
	fake_login_says(0, "SELECT", "-ERR DB index is out of range");
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_HAS(fake_log(), "1000 a1 RELEASE k T1\n1000 a1 end\n");
	CHECK_HAS(acquire->op.err->message, "DB index is out of range");
}

static void a_login_refused_for_now_is_tried_again(void)
{
	begin_with_login();
	fake_login_says(0, "SELECT", "-LOADING x");
	fake_says(0, "-LOADING x");
	rl_acquire *acquire = fake_acquire(30000, SECOND);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 5 * MS));
	fake_login_says(0, "SELECT", "+OK");
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 10);
}

static void a_refused_name_does_not_matter(void)
{
	fake_begin(1);
	fake_login_says(0, "CLIENT", "-NOPERM x");
	fake_says(0, "+OK");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK);
	CHECK_INT(fake_pool.count, 1);
}

/* ---- partial sending ---- */

static void the_rest_of_a_command_is_sent_when_the_system_takes_it(void)
{
	begin_warm();
	fake_acts(0, FAKE_HALF, NULL, 50 * MS);
	fake_says(0, "+OK");
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("50 a1 SET k T1 NX PX 30000\n");
	CHECK_INT(acquire->proven_until, proof(0, 30000));
}

static void a_command_that_was_not_sent_whole_is_not_undone(void)
{
	begin_warm();
	fake_acts(0, FAKE_HALF, NULL, RL_NEVER);
	fake_says(0, "*:1 :0");
	rl_acquire *acquire = fake_acquire(30000, 5 * SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("1000 a1 close\n"
			  "1010 a2 dial\n"
			  "1010 a2 try k T1 30000 0 0 - 0\n"
			  "1010 a2 NAME\n");
	CHECK_INT(fake_stats.grants_undone, 0);
}

static void an_undo_that_was_not_sent_is_no_undo(void)
{
	begin_warm();
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	fake_acts(0, FAKE_BREAK_UNSENT, NULL, 0); /* for the undo */
	fake_says(0, "*:1 :0");
	rl_acquire *acquire = fake_acquire(30000, 5 * SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	/* The token is still in doubt: the try says "maybe ours", and no fresh token is drawn. */
	CHECK_HAS(fake_log(), "1010 a2 try k T1 30000 1 0 - 0\n");
	CHECK_INT(fake_stats.grants_undone, 0);
}

/* The server runs nothing now, and the key may have the token when it does: the token stays in
 * doubt. */
static void an_undo_that_the_server_cannot_run_is_no_undo(void)
{
	begin_warm();
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, "-LOADING x"); /* the try for the token in doubt */
	fake_says(0, "-LOADING x"); /* the undo */
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
	CHECK_HAS(fake_log(), "10 a2 try k T1 30000 1 0 - 0\n");
}

/* ---- the clock ---- */

static void a_process_that_slept_past_the_deadline_gets_one_whole_try(void)
{
	begin_warm();
	fake_says(0, "_");
	fake_acts(0, FAKE_SAY, REFUSAL, 900 * MS);
	rl_acquire *acquire = fake_acquire(30000, 100 * MS);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 5 * MS));
	fake_clock += 3600 * SECOND;
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_INT(fake_stats.tries, 2);
	CHECK_INT(fake_ms(), 3600905);
}

static void an_answer_read_before_a_suspension_counts(void)
{
	begin_warm();
	fake_acts(0, FAKE_SAY, "_", 10 * MS);
	fake_lag(3600 * SECOND);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
	fake_end();
	begin_warm();
	fake_acts(0, FAKE_SAY, "+OK", 10 * MS);
	fake_lag(3600 * SECOND);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_ERR_SLOW);
	CHECK_HAS(fake_log(), "a1 RELEASE k T1\n");
}

static void a_suspension_may_use_up_the_budget(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_ACCEPT, 10 * MS);
	fake_acts(0, FAKE_SAY, "+OK", 10 * MS);
	fake_lag(20 * SECOND); /* between connecting and the next look */
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_ERR_TIMEOUT);
	CHECK_HAS(fake_log(), "20010 a1 RELEASE k T1\n20010 a1 end\n");
}

static void events_during_a_stall_are_read_before_the_timeout(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_ACCEPT, 10 * MS);
	fake_acts(0, FAKE_SAY, "+OK", 10 * MS);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 5 * MS));
	fake_clock += 20 * SECOND;                           /* while the link connects */
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_TIMEOUT); /* but the link was connected */
	CHECK_HAS(fake_log(), "NAME");
	fake_end();
	begin_warm();
	fake_acts(0, FAKE_SAY, "+OK", 10 * MS);
	acquire = fake_acquire(30000, 0);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 5 * MS));
	fake_clock += 20 * SECOND; /* the answer has arrived, and is not read */
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(acquire->proven_until, proof(0, 30000));
}

/* ---- giving up ---- */

/* A call that passes through most states: cold, broken, in doubt, refused, in a pause,
 * unanswered. */
static rl_acquire *long_scenario(bool is_own)
{
	fake_begin(1);
	fake_targets[0].password = (rl_secret){"word", 4};
	fake_dials(0, FAKE_ACCEPT, 5 * MS);
	fake_acts(0, FAKE_BREAK, NULL, 5 * MS);
	fake_dials(0, FAKE_ACCEPT, 5 * MS);
	fake_acts(0, FAKE_BREAK, NULL, 5 * MS);
	fake_dials(0, FAKE_ACCEPT, 5 * MS);
	fake_acts(0, FAKE_SAY, "-NOSCRIPT x", 5 * MS);
	fake_acts(0, FAKE_SAY, REFUSAL, 5 * MS);
	fake_acts(0, FAKE_HALF, NULL, 5 * MS);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	return is_own ? fake_acquire_own("mine", 30000, 2 * SECOND) : fake_acquire(30000, 2 * SECOND);
}

/* Checks that an abandoned call has sent nothing more that may take the lock, and that it has
 * not released a token of the caller's.
 * @param before the log when the call was abandoned */
static void check_given_up(const char *before, bool is_own, bool must_count)
{
	const char *after = fake_log() + strlen(before);
	bool is_undone = strstr(after, "RELEASE") != NULL;
	CHECK(!is_own || strstr(after, "RELEASE k mine") == NULL);
	CHECK(strstr(after, "dial") == NULL && strstr(after, "SET") == NULL);
	CHECK(strstr(after, "try") == NULL && strstr(after, "TRY") == NULL);
	if (must_count) {
		CHECK_INT(fake_stats.grants_undone, is_undone);
	}
}

static void give_up_at_each_moment(bool is_own, bool must_count)
{
	char before[4096];
	unsigned undone = 0;
	for (int64_t at = 0; at < 80; at++) {
		rl_acquire *acquire = long_scenario(is_own);
		CHECK(!fake_drive_to(&acquire->op, FAKE_START + at * MS));
		snprintf(before, sizeof before, "%s", fake_log());
		rl_op_abandon(&acquire->op, fake_clock, false);
		check_given_up(before, is_own, must_count);
		undone += strstr(fake_log() + strlen(before), "RELEASE") != NULL;
		fake_free(&acquire->op);
		fake_end();
	}
	CHECK(undone > 20);
}

static void a_call_abandoned_at_any_moment_undoes_its_token(void)
{
	give_up_at_each_moment(false, false);
}

static void only_undos_that_were_written_are_counted(void)
{
	give_up_at_each_moment(false, true);
}

static void own_token_of_an_abandoned_call_is_not_undone(void)
{
	give_up_at_each_moment(true, true);
}

static void the_undo_of_an_abandoned_call_follows_its_command(void)
{
	begin_warm();
	fake_acts(0, FAKE_SAY, "+OK", 50 * MS);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 10 * MS));
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n"
			  "10 a1 RELEASE k T1\n");
	fake_free(&acquire->op);
	/* The connection stays; the two late answers are discarded. */
	CHECK_INT(fake_pool.count, 1);
	fake_says(0, "_");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
	CHECK_INT(fake_ms(), 50);
}

static void a_call_abandoned_before_it_is_connected_sends_nothing(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_ACCEPT, 50 * MS);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 10 * MS));
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_LOG("0 a1 dial\n10 a1 close\n");
	CHECK_INT(fake_stats.grants_undone, 0);
}

static void a_call_abandoned_before_its_first_step_sends_nothing(void)
{
	fake_begin(1);
	rl_acquire *acquire = fake_acquire(30000, 0);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_LOG("");
}

static void a_call_abandoned_during_an_undo_closes_its_connection(void)
{
	begin_with_login();
	fake_login_says(0, "SELECT", "-ERR DB index is out of range");
	fake_says(0, "+OK");
	fake_acts(0, FAKE_SAY, ":1", 50 * MS);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 10 * MS));
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_INT(fake_stats.grants_undone, 1);
	CHECK_INT(fake_open_links(), 0);
}

static void in_a_forked_child_nothing_is_sent(void)
{
	for (int64_t at = 0; at < 80; at++) {
		rl_acquire *acquire = long_scenario(false);
		CHECK(!fake_drive_to(&acquire->op, FAKE_START + at * MS));
		fake_fork();
		fake_forget_log();
		rl_op_abandon(&acquire->op, fake_clock, true);
		CHECK(fake_log()[0] == '\0' || strstr(fake_log(), "close") != NULL);
		CHECK(strchr(fake_log(), '\n') == NULL || strchr(fake_log(), '\n')[1] == '\0');
		fake_free(&acquire->op);
		fake_end();
	}
}

static const check_test tests[] = {
	TEST(a_cold_call_is_one_write),
	TEST(a_cold_call_sends_once_it_is_connected),
	TEST(a_cold_call_with_a_login_is_one_write),
	TEST(a_warm_call_is_one_set),
	TEST(a_refusal_ends_the_call_at_once),
	TEST(own_token_is_sent_unchanged),
	TEST(without_random_bytes_nothing_is_sent),
	TEST(a_wait_backs_off_until_the_deadline),
	TEST(delays_stop_at_the_maximum),
	TEST(no_connection_is_held_between_two_tries),
	TEST(a_look_comes_1_ms_after_the_holders_expiry),
	TEST(a_ttl_of_300_years_is_no_reason_to_spin),
	TEST(the_last_try_is_at_the_deadline_not_before),
	TEST(one_nanosecond_before_the_deadline_is_not_the_last),
	TEST(a_slow_server_is_tried_right_before_the_deadline),
	TEST(the_last_try_may_succeed),
	TEST(a_refusal_across_the_deadline_decides),
	TEST(a_failure_across_the_deadline_decides),
	TEST(a_failure_at_the_deadline_is_an_error),
	TEST(retries_end_the_wait),
	TEST(a_call_without_retries_tries_once),
	TEST(a_wait_may_be_endless),
	TEST(jitter_stays_in_its_bounds),
	TEST(errors_that_pass_are_waited_for),
	TEST(other_errors_end_the_wait),
	TEST(without_a_wait_no_error_passes),
	TEST(a_script_that_is_not_known_is_sent_as_text),
	TEST(noscript_to_a_text_is_an_error),
	TEST(an_answer_of_another_type_is_an_error),
	TEST(a_connection_out_of_step_is_closed),
	TEST(a_surplus_answer_is_not_taken_for_the_next),
	TEST(a_refused_connection_ends_the_call_at_once),
	TEST(a_refused_connection_is_dialled_again_while_waiting),
	TEST(a_server_that_comes_back_is_taken),
	TEST(connecting_ends_by_its_timeout),
	TEST(a_hanging_connect_is_tried_again_while_waiting),
	TEST(a_dead_idle_connection_is_replaced),
	TEST(a_young_idle_connection_is_not_looked_at),
	TEST(a_timeout_undoes_and_closes),
	TEST(an_answer_that_has_arrived_comes_before_the_timeout),
	TEST(the_timeout_begins_once_the_link_is_connected),
	TEST(no_budget_goes_beyond_deadline_plus_timeout),
	TEST(an_undo_lingers),
	TEST(the_number_of_lingering_connections_is_limited),
	TEST(after_an_undo_comes_a_fresh_token),
	TEST(a_wait_ends_without_random_bytes_for_a_fresh_token),
	TEST(a_command_that_was_not_sent_goes_on_a_new_connection),
	TEST(after_a_lost_answer_a_try_says_maybe_ours),
	TEST(a_try_for_a_token_in_doubt_may_be_refused),
	TEST(a_try_for_a_token_in_doubt_may_meet_noscript),
	TEST(a_server_is_dialled_again_with_growing_pauses),
	TEST(a_pause_is_never_nothing),
	TEST(a_refused_connection_is_dialled_again_while_in_doubt),
	TEST(a_refused_connection_ends_a_call_that_is_not_in_doubt),
	TEST(a_hanging_connect_uses_up_the_budget_of_a_call_in_doubt),
	TEST(a_token_stays_in_doubt_until_the_next_try),
	TEST(a_timeout_reports_the_break_before_it),
	TEST(a_token_stays_in_doubt_until_it_is_undone),
	TEST(an_unread_undo_of_an_earlier_call_is_kept),
	TEST(the_pause_grows_to_a_second_while_the_server_is_down),
	TEST(a_token_in_doubt_is_proven_from_the_try_that_succeeds),
	TEST(a_token_in_doubt_may_be_granted_after_a_refusal),
	TEST(after_nonsense_the_call_ends_with_an_undo),
	TEST(own_token_is_not_undone_after_nonsense),
	TEST(a_token_in_doubt_is_undone_after_nonsense),
	TEST(nonsense_to_a_login_ends_the_call),
	TEST(the_reason_of_a_server_that_hangs_up_is_reported),
	TEST(a_reply_that_arrived_before_the_break_counts),
	TEST(a_lost_set_of_any_own_token_is_found_again),
	TEST(own_token_found_without_a_break_is_a_refusal),
	TEST(own_token_may_be_refused_after_a_break),
	TEST(own_token_is_undone_without_a_reply_and_swapped_in_later),
	TEST(own_token_is_not_swapped_in_before_its_undo_was_read),
	TEST(a_swap_that_may_not_be_sent_undoes_the_drawn_token),
	TEST(own_token_is_replaced_while_an_earlier_undo_may_be_carried_out),
	TEST(a_wait_with_own_token_goes_on_while_nothing_is_in_doubt),
	TEST(a_grant_that_came_too_late_is_given_back),
	TEST(a_grant_just_in_time_is_kept),
	TEST(a_wait_goes_on_after_a_grant_that_came_too_late),
	TEST(a_late_grant_that_is_not_undone_is_not_called_given_back),
	TEST(own_token_too_slow_is_given_back),
	TEST(a_grant_can_be_taken_back),
	TEST(without_a_connection_the_undo_is_left_out),
	TEST(a_refused_login_is_reported),
	TEST(a_grant_after_a_refused_login_is_undone),
	TEST(own_token_taken_with_a_refused_login_is_undone),
	TEST(a_refusal_after_a_refused_login_needs_no_undo),
	TEST(an_undo_after_a_refused_login_ends_by_the_timeout),
	TEST(a_break_after_a_refused_login_ends_the_call),
	TEST(a_set_lost_after_a_refused_select_has_an_unknown_outcome),
	TEST(a_set_without_an_answer_after_a_refused_login_is_undone),
	TEST(a_login_refused_for_now_is_tried_again),
	TEST(a_refused_name_does_not_matter),
	TEST(the_rest_of_a_command_is_sent_when_the_system_takes_it),
	TEST(a_command_that_was_not_sent_whole_is_not_undone),
	TEST(an_undo_that_was_not_sent_is_no_undo),
	TEST(an_undo_that_the_server_cannot_run_is_no_undo),
	TEST(a_process_that_slept_past_the_deadline_gets_one_whole_try),
	TEST(an_answer_read_before_a_suspension_counts),
	TEST(a_suspension_may_use_up_the_budget),
	TEST(events_during_a_stall_are_read_before_the_timeout),
	TEST(a_call_abandoned_at_any_moment_undoes_its_token),
	TEST(only_undos_that_were_written_are_counted),
	TEST(own_token_of_an_abandoned_call_is_not_undone),
	TEST(the_undo_of_an_abandoned_call_follows_its_command),
	TEST(a_call_abandoned_before_it_is_connected_sends_nothing),
	TEST(a_call_abandoned_before_its_first_step_sends_nothing),
	TEST(a_call_abandoned_during_an_undo_closes_its_connection),
	TEST(in_a_forked_child_nothing_is_sent),
};

CHECK_MAIN(tests, fake_end)
