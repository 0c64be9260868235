/* SPDX-License-Identifier: MIT
 *
 * A wait that is woken, and what servers refuse: BLPOP, the helper keys, scripts; errors that pass
 * and errors that do not; answers that make no sense.
 */
#include "check.h"
#include "waiting.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The place ends with this answer to BLPOP in place of a ticket, followed by this answer to the
 * try. */
static rl_acquire *queue_says(const char *blpop, const char *try)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	fake_blpops(0, FAKE_SAY, blpop, 300 * MS);
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_drive_to(acquire, 299);
	fake_forget_log();
	if (try != NULL) {
		fake_says(0, try);
	}
	return acquire;
}

/* ---- servers where waiters cannot be woken ---- */

/* @param is_for_every_key no waiter can be woken on this server: no helper keys from now on */
static void check_polls_from(rl_acquire *acquire, int64_t ms, bool is_for_every_key)
{
	const char *try = is_for_every_key ? "try" : "try+";
	char wanted[128];
	fake_says(0, refusal(ms, 600000, RL_HOLDER_KIN));
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	/* The tries with helper keys take the name from the mark. */
	snprintf(wanted, sizeof wanted,
		"%" PRId64 " a2 %s k T1 30000 0 0 W1 0\n%" PRId64 " a2 %s k T1 30000 0 0 W1 0\n", ms, try,
		ms + 20, try);
	CHECK_LOG(wanted);
	CHECK_INT(!fake_set.wakes, is_for_every_key);
	CHECK_INT(fake_stats.wake_failures, 1);
	CHECK_INT(fake_stats.grants_undone, 0);
}

static void a_waiter_polls_where_blpop_is_refused(void)
{
	static const char *const errors[] = {"-WRONGTYPE x", "-NOPERM x",
		"-ERR unknown command 'BLPOP', with args beginning with: 'k::rl-wake' ", "-OOM x",
		"-MOVED 1 x:1"};
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		rl_acquire *acquire = queue_says(errors[i], refusal(300, 600000, RL_HOLDER_KIN));
		check_polls_from(acquire, 310, strncmp(errors[i], "-ERR ", 5) == 0);
		CHECK_INT(fake_stats.wake_ups, 0);
		fake_end();
	}
}

static void a_waiter_polls_where_the_try_of_its_place_is_refused(void)
{
	rl_acquire *acquire = queue_says("-NOPERM x", "-NOPERM x");
	check_polls_from(acquire, 310, false);
	fake_end();
	acquire = queue_says(FAKE_TICKET, "-NOPERM x");
	check_polls_from(acquire, 310, false);
	CHECK_INT(fake_stats.wake_ups, 1);
	fake_end();
	acquire =
		queue_says(FAKE_TICKET, "-NOPERM User u has no permissions to run the 'eval' command");
	check_polls_from(acquire, 310, true);
}

/* The next wait does not ask a server that forbids its user to block. */
static void a_user_without_the_right_to_block_polls_from_then_on(void)
{
	static const struct {
		const char *error;
		bool is_remembered;
	} cases[] = {{"-NOPERM User u has no permissions to run the 'blpop' command", true},
		{"-NOPERM this user has no permissions to run the 'blpop' command or its subcommand", true},
		{"-NOPERM No permissions to access a key", false},
		{"-NOPERM this user has no permissions to access one of the keys used as arguments", false},
		{"-ERR unknown command 'BLPOP'", true}, {"-WRONGTYPE x", false}, {"-OOM x", false},
		{"-ERRS x", false}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		rl_acquire *acquire = queue_says(cases[i].error, refusal(300, 600000, RL_HOLDER_KIN));
		check_polls_from(acquire, 310, cases[i].is_remembered);
		fake_forget_log();
		fake_says(0, "_");
		fake_says(0,
			cases[i].is_remembered ? "*:0 :0 :600000 :3 :0"
								   : look(330, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
		fake_says(0, cases[i].is_remembered ? "*:1 :0" : grant(340));
		acquire = fake_acquire(30000, 10 * SECOND);
		bool is_done = fake_drive_to(&acquire->op, fake_clock + 50 * MS);
		CHECK_INT(is_done, cases[i].is_remembered);
		CHECK_COUNT("BLPOP", !cases[i].is_remembered);
		CHECK_INT(fake_stats.wake_failures, 1);
		fake_end();
	}
}

static void the_try_may_win_although_blpop_is_refused(void)
{
	rl_acquire *acquire = queue_says("-WRONGTYPE x", grant(300));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 300);
	CHECK_INT(fake_stats.wake_failures, 0);
}

/* The winner did not have to poll. The error is nevertheless remembered, and counted. */
static void an_error_for_every_key_is_counted_although_the_try_wins(void)
{
	rl_acquire *acquire = queue_says("-ERR unknown command 'BLPOP'", grant(300));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK(!fake_set.wakes);
	CHECK_INT(fake_stats.wake_failures, 1);
	fake_end();
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, "-NOPERM User u has no permissions to run the 'x' command");
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
	CHECK(!fake_set.wakes);
	CHECK_INT(fake_stats.wake_failures, 1);
}

static void a_probe_may_be_forbidden_the_helper_keys(void)
{
	static const char *const errors[] = {
		"-NOPERM User u has no permissions to run the 'x' command", "-NOPERM x", "-CROSSSLOT x"};
	for (unsigned i = 0; i < 3; i++) {
		waiting_begin();
		fake_says(0, "_");
		fake_says(0, errors[i]);
		fake_says(0, "*:0 :0 :600000 :3 :1");
		fake_says(0, "*:1 :0");
		CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
		/* The later tries of this wait do without the helper keys. */
		CHECK_LOG("0 a2 SET k T1 NX PX 30000\n"
				  "0 a2 probe+ k T1 W1 1000\n"
				  "0 a2 try k T1 30000 0 0 W1 0\n"
				  "10 a2 try k T1 30000 0 0 W1 0\n");
		CHECK_INT(fake_stats.wake_failures, 1);
		/* An error that concerns every key is remembered: the next wait does without the helper
		 * keys, too. */
		bool is_remembered = i == 0;
		fake_forget_log();
		fake_says(0, "_");
		if (!is_remembered) {
			fake_says(0, errors[i]);
		}
		fake_says(0, "*:0 :0 :600000 :3 :1");
		fake_says(0, "*:1 :0");
		CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
		CHECK_LOG(is_remembered ? "10 a2 SET k T2 NX PX 30000\n"
								  "20 a2 try k T2 30000 0 0 - 0\n"
								  "40 a2 try k T2 30000 0 0 - 0\n"
								: "10 a2 SET k T2 NX PX 30000\n"
								  "10 a2 probe+ k T2 W2 1000\n"
								  "10 a2 try k T2 30000 0 0 W2 0\n"
								  "20 a2 try k T2 30000 0 0 W2 0\n");
		CHECK_INT(!fake_set.wakes, is_remembered);
		/* A wait that finds out is counted. */
		CHECK_INT(fake_stats.wake_failures, is_remembered ? 1 : 2);
		fake_end();
	}
}

static bool forbid(const char *words, bool is_taken, fake_plan *plan)
{
	*plan = (fake_plan){FAKE_SAY, words[0] != 'S' && is_taken ? "-NOPERM x" : "_", 0};
	return true;
}

static void forbidden_scripts_are_an_error(void)
{
	waiting_begin();
	fake_improvise = forbid;
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_ERR_SERVER);
	CHECK_INT(fake_stats.wake_failures, 1); /* the call would have polled */
	CHECK_INT(fake_ms(), 0);
	/* The error has nothing to do with the helper keys, so the next call uses them. */
	fake_improvise = NULL;
	fake_forget_log();
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(fake_acquire(30000, SECOND), 10);
	CHECK_HAS(fake_log(), "0 a2 SET k T2 NX PX 30000\n0 a2 probe+ k T2 W2 1000\n");
	CHECK_INT(fake_blocked_links(), 1);
}

static void a_probe_that_could_not_mark_polls(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, "*:0 :600000 :3 :0 :1");
	fake_says(0, "*:0 :0 :600000 :3 :1");
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
	CHECK_LOG("0 a2 SET k T1 NX PX 30000\n"
			  "0 a2 probe+ k T1 W1 1000\n"
			  "0 a2 try+ k T1 30000 0 0 W1 0\n"
			  "10 a2 try+ k T1 30000 0 0 W1 0\n");
	CHECK_INT(fake_stats.wake_failures, 1);
}

/* The look could not mark, or not wake: the waiter leaves the queue, and tries at once. */
static void a_look_that_cannot_wake_falls_back(void)
{
	static const char *const looks[] = {"*:0 :600000 :3 :0 :1", "*:1001000000 :-2 :0 :-1 :1"};
	for (unsigned i = 0; i < 2; i++) {
		rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
		fake_forget_log();
		fake_says(0, looks[i]);
		fake_says(0, ":0"); /* the name that is taken from the mark */
		fake_says(0, "*:1 :0");
		CHECK_INT(fake_drive(&acquire->op), RL_OK);
		CHECK_LOG("850 a1 probe+ k T1 W1\n"
				  "850 a2 RELEASE k T1\n"
				  "850 a2 end\n"
				  "850 a2 close\n"
				  "850 a1 RELEASE+ k W1 W1\n"
				  "850 a1 try+ k T2 30000 0 0 - 0\n");
		CHECK(fake_set.wakes);
		CHECK_INT(fake_stats.wake_failures, 1);
		CHECK_INT(fake_stats.grants_undone, 1);
		CHECK_INT(fake_stats.probes, 2);
		CHECK_INT(fake_stats.backoffs, 0);
		fake_end();
	}
}

/* The reason may have passed: after a second the waiter queues again. */
static void a_poller_queues_again_after_a_second(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_says(0, "*:1001000000 :-2 :0 :-1 :1");
	fake_says(0, ":0"); /* the name that is taken from the mark */
	for (int64_t ms = 850; ms < 1850;) {
		fake_says(0, refusal(ms, 600000, RL_HOLDER_KIN));
		waiting_drive_to(acquire, ms);
		ms = (fake_wait.until - FAKE_START) / MS;
	}
	CHECK(acquire->is_polling);
	fake_forget_log();
	fake_says(0, look(1960, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 2050);
	CHECK(!acquire->is_polling);
	CHECK_INT(fake_blocked_links(), 1);
	CHECK_COUNT("BLPOP", 1);
	CHECK_COUNT("probe+ k T2 W2\n", 1);
	CHECK_COUNT("try+", 0);
	CHECK_INT(fake_stats.wake_failures, 1);
}

/* The reason may concern one key only, so it is not remembered. */
static void after_a_look_that_cannot_wake_the_next_wait_asks_again(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_says(0, "*:1001000000 :-2 :0 :-1 :1");
	fake_says(0, ":0"); /* the name that is taken from the mark */
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	fake_forget_log();
	fake_says(0, "_");
	fake_says(0, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(fake_acquire(30000, SECOND), 850);
	CHECK_HAS(fake_log(), "850 a1 SET k T3 NX PX 30000\n850 a1 probe+ k T3 W2 1000\n");
	CHECK_INT(fake_blocked_links(), 1);
}

/* The error concerns the helper keys of one key. The helper keys of the next key may be allowed. */
static void helper_keys_refused_for_one_key_are_used_for_the_next(void)
{
	static const char *const errors[] = {"-CROSSSLOT x", "-NOPERM No permissions to access a key",
		"-NOPERM this user has no permissions to access one of the keys used as arguments"};
	for (unsigned i = 0; i < 3; i++) {
		waiting_begin();
		fake_says(0, ":1");
		CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_OK);
		fake_says(0, errors[i]);
		fake_says(0, ":1");
		CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_OK);
		fake_says(0, ":1");
		CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_OK);
		CHECK_LOG("0 a2 release+ k tok\n0 a2 release+ k tok\n0 a2 release k tok\n"
				  "0 a2 release+ k tok\n");
		CHECK(fake_set.wakes);
		fake_end();
	}
}

/* The place is refused, and the look that is under way is refused, too. */
static void a_wait_counts_its_fall_back_to_polling_once(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	fake_blpops(0, FAKE_SAY, "-NOPERM x", 900 * MS);
	fake_acts(0, FAKE_SAY, "*:0 :600000 :3 :0 :1", 100 * MS);
	fake_says(0, refusal(900, 600000, RL_HOLDER_KIN));
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(30000, 10 * SECOND)->op), RL_OK);
	CHECK_HAS(fake_log(), "950 a1 try+ k T1 30000 0 0 W1 0\n");
	CHECK_INT(fake_stats.wake_failures, 1);
}

static void a_release_may_be_forbidden_the_helper_keys(void)
{
	static const struct {
		rl_verb verb;
		const char *log;
	} cases[] = {{RL_VERB_RELEASE, "0 a2 release+ k tok\n0 a2 release k tok\n0 a2 release k tok\n"},
		{RL_VERB_FORCE, "0 a2 force+ k\n0 a2 force k\n0 a2 force k\n"}};
	for (unsigned i = 0; i < 2; i++) {
		waiting_begin();
		const char *token = cases[i].verb == RL_VERB_FORCE ? "" : "tok";
		fake_says(0, "-NOPERM User u has no permissions to run the 'x' command");
		fake_says(0, ":1");
		CHECK_INT(fake_drive(fake_ask(cases[i].verb, token, 0)), RL_OK);
		CHECK_INT(fake_stats.wake_failures, 1);
		fake_says(0, ":0");
		CHECK_INT(fake_drive(fake_ask(cases[i].verb, token, 0)), RL_BUSY);
		CHECK_INT(fake_stats.wake_failures, 1);
		CHECK_LOG(cases[i].log);
		fake_end();
	}
}

static void a_release_that_could_wake_no_waiter_is_counted(void)
{
	waiting_begin();
	fake_says(0, ":2");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_OK);
	CHECK_INT(fake_stats.wake_failures, 1);
	CHECK_INT(fake_stats.released, 1);
	/* The next release uses the helper keys again. */
	fake_says(0, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_OK);
	CHECK_LOG("0 a2 release+ k tok\n0 a2 release+ k tok\n");
}

static void an_undo_is_sent_without_the_helper_keys(void)
{
	waiting_begin();
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_ERR_TIMEOUT);
	CHECK_LOG("0 a2 SET k T1 NX PX 30000\n"
			  "1000 a2 RELEASE k T1\n"
			  "1000 a2 end\n");
	CHECK_INT(fake_stats.grants_undone, 1);
}

/* ---- errors in the queue ---- */

static void waiters_that_are_unblocked_queue_again(void)
{
	static const char *const errors[] = {"-UNBLOCKED x", "-LOADING x", "-CLUSTERDOWN x"};
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		for (unsigned both = 0; both < 2; both++) {
			rl_acquire *acquire =
				queue_says(errors[i], both ? errors[i] : refusal(300, 600000, RL_HOLDER_KIN));
			fake_says(0, look(310, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
			waiting_drive_to(acquire, 320);
			/* The try was answered, so nothing is in doubt. */
			CHECK_LOG("300 a2 close\n"
					  "310 a1 probe+ k T1 W1\n"
					  "310 a3 dial\n"
					  "310 a3 NAME\n"
					  "310 a3 BLPOP k::rl-wake 10.806\n"
					  "310 a3 TRY+ k T1 30000 0 1 W1 0\n");
			CHECK_INT(fake_stats.wake_failures, 0);
			CHECK_INT(fake_stats.grants_undone, 0);
			/* A spurious wake-up is no further failure of the queue. */
			fake_says(0, refusal(400, 600000, RL_HOLDER_KIN));
			fake_wakes(0, 80 * MS);
			waiting_drive_to(acquire, 410);
			CHECK_HAS(fake_log(), "400 a3 BLPOP k::rl-wake 10.716\n");
			CHECK_INT(fake_stats.wake_failures, 0);
			fake_end();
		}
	}
}

static void an_error_about_the_lock_ends_the_call(void)
{
	static const char *const errors[] = {"-WRONGTYPE T1 x", "-OOM x", "-ERR x", "-NOAUTH x"};
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		rl_acquire *acquire = queue_says(FAKE_TICKET, errors[i]);
		fake_says(0, errors[i]);
		CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
		/* The try that decides gets the same error. */
		CHECK_LOG("300 a2 try+ k T1 30000 0 2 W1\n"
				  "300 a2 RELEASE+ k W1 W1\n");
		CHECK_INT(fake_ms(), 300);
		CHECK_HAS(acquire->op.err->message, "redis://a:6379: the server answered: ");
		CHECK(strstr(acquire->op.err->message, "outcome") == NULL);
		CHECK_INT(fake_pool.count, 2);
		CHECK_INT(fake_stats.failed, 1);
		CHECK_INT(fake_stats.grants_undone, 0);
		fake_end();
	}
}

static void after_an_error_in_the_queue_a_try_decides(void)
{
	rl_acquire *acquire = queue_says(FAKE_TICKET, "-OOM x");
	fake_says(0, grant(300));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("300 a2 try+ k T1 30000 0 2 W1\n");
	CHECK_INT(fake_ms(), 300);
	CHECK_INT(fake_stats.grants_undone, 0);
	fake_end();
	acquire = queue_says(FAKE_TICKET, "-OOM x");
	fake_says(0, refusal(300, 600000, RL_HOLDER_KIN));
	fake_says(0, look(300, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 310);
	CHECK_LOG("300 a2 try+ k T1 30000 0 2 W1\n"
			  "300 a2 probe+ k T1 W1\n"
			  "300 a2 BLPOP k::rl-wake 10.817\n"
			  "300 a2 try+ k T1 30000 0 1 W1 0\n");
	CHECK_INT(fake_stats.wake_failures, 0);
}

static void nonsense_in_the_queue_ends_the_call(void)
{
	static const char *const answers[] = {":1", "+OK", "_", "*:1", "*:0 :1", "$x"};
	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
		rl_acquire *acquire = queue_says(FAKE_TICKET, answers[i]);
		CHECK_INT(fake_drive(&acquire->op), RL_ERR_PROTOCOL);
		/* The answer may stand for a grant. */
		CHECK_HAS(fake_log(), "300 a2 RELEASE k T1\n300 a2 end\n");
		CHECK_INT(fake_pool.count, 1);
		CHECK_INT(fake_stats.grants_undone, 1);
		CHECK_HAS(acquire->op.err->message, "the undo that follows releases it");
		fake_end();
	}
}

static void bytes_that_are_no_protocol_end_the_call(void)
{
	rl_acquire *acquire = queue_says(FAKE_TICKET, NULL);
	fake_acts(0, FAKE_NONSENSE, NULL, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_PROTOCOL);
	CHECK_HAS(fake_log(), "300 a2 RELEASE k T1\n300 a2 close\n");
	CHECK_INT(fake_pool.count, 1);
	CHECK_INT(fake_open_links(), 1);
}

static void nonsense_in_place_of_a_ticket_makes_the_wait_undo_its_token(void)
{
	rl_acquire *acquire = queue_says(":1", refusal(300, 600000, RL_HOLDER_KIN));
	fake_says(0, ":0"); /* the undo */
	fake_says(0, ":0"); /* the name that is taken from the mark */
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_HAS(fake_log(), "300 a2 RELEASE k T1\n300 a2 end\n");
	CHECK_HAS(fake_log(), "300 a1 RELEASE+ k W1 W1\n");
	CHECK_HAS(fake_log(), "310 a1 try+ k T2 30000 0 0 - 0\n");
	CHECK_INT(fake_stats.wake_failures, 1);
}

/* A place ends with nonsense during a look, and the system has no random bytes for the next
 * token. */
static void a_call_ends_without_random_bytes_for_the_token_after_a_look(void)
{
	waiting_begin();
	fake_random_draws(2);
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	fake_blpops(0, FAKE_SAY, ":1", 900 * MS);
	fake_acts(0, FAKE_SAY, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 100 * MS);
	fake_says(0, refusal(900, 600000, RL_HOLDER_KIN));
	CHECK_INT(fake_drive(&fake_acquire(30000, 10 * SECOND)->op), RL_ERR_RANDOM);
}

/* ---- errors of looks ---- */

static void a_look_that_the_server_does_not_know_is_sent_as_text(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	fake_says(0, "-NOSCRIPT x");
	fake_says(0, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 1500);
	CHECK_LOG("850 a1 probe+ k T1 W1\n850 a1 PROBE+ k T1 W1\n");
	CHECK_INT(fake_stats.scripts_loaded, 1);
	CHECK_INT(fake_stats.probes, 2);
	CHECK_INT(fake_wait.until, FAKE_START + 1700 * MS);
}

static void errors_of_a_look_that_pass_are_waited_for(void)
{
	static const char *const errors[] = {"-LOADING x", "-BUSY x"};
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
		fake_forget_log();
		fake_says(0, errors[i]);
		fake_says(0, look(860, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
		waiting_drive_to(acquire, 1500);
		CHECK_LOG("850 a1 probe+ k T1 W1\n860 a1 probe+ k T1 W1\n");
		CHECK_INT(fake_blocked_links(), 1);
		CHECK_INT(fake_stats.backoffs, 1);
		fake_end();
	}
}

static void errors_of_a_look_that_do_not_pass_end_the_call(void)
{
	static const char *const errors[] = {"-WRONGTYPE x", "-OOM x", "-NOAUTH x"};
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
		fake_forget_log();
		fake_says(0, errors[i]);
		CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
		CHECK_LOG("850 a1 probe+ k T1 W1\n"
				  "850 a2 RELEASE k T1\n"
				  "850 a2 end\n"
				  "850 a2 close\n"
				  "850 a1 RELEASE+ k W1 W1\n");
		CHECK_INT(fake_stats.failed, 1);
		fake_end();
	}
}

static void a_look_that_is_forbidden_falls_back(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	fake_says(0, "-NOPERM x");
	fake_says(0, ":0"); /* the name that is taken from the mark */
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("850 a1 probe+ k T1 W1\n"
			  "850 a2 RELEASE k T1\n"
			  "850 a2 end\n"
			  "850 a2 close\n"
			  "850 a1 RELEASE+ k W1 W1\n"
			  "850 a1 try k T2 30000 0 0 - 0\n");
	CHECK_INT(fake_stats.wake_failures, 1);
}

static void nonsense_to_a_look_ends_the_call(void)
{
	static const char *const answers[] = {"+OK", ":1", "*:1", "*:1 :2 :3 :4"};
	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
		rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
		fake_says(0, answers[i]);
		CHECK_INT(fake_drive(&acquire->op), RL_ERR_PROTOCOL);
		CHECK_INT(fake_pool.count, 0);
		fake_end();
	}
}

/* The place stays in the queue meanwhile, and may win. */
static void a_look_without_an_answer_is_given_up(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	fake_says(0, look(1860, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 1870);
	CHECK_LOG("850 a1 probe+ k T1 W1\n"
			  "1850 a1 close\n"
			  "1860 a3 dial\n"
			  "1860 a3 probe+ k T1 W1\n"
			  "1860 a3 NAME\n");
	CHECK_INT(fake_stats.grants_undone, 0);
	fake_says(0, grant(2350));
	fake_wakes(0, 480 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
}

static void a_look_that_breaks_is_sent_again(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	fake_acts(0, FAKE_BREAK, NULL, 5 * MS);
	fake_says(0, look(855, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 1500);
	CHECK_LOG("850 a1 probe+ k T1 W1\n"
			  "855 a1 close\n"
			  "855 a3 dial\n"
			  "855 a3 probe+ k T1 W1\n"
			  "855 a3 NAME\n");
	CHECK_INT(fake_stats.probes, 2);
}

static const check_test tests[] = {
	TEST(a_waiter_polls_where_blpop_is_refused),
	TEST(a_waiter_polls_where_the_try_of_its_place_is_refused),
	TEST(a_user_without_the_right_to_block_polls_from_then_on),
	TEST(the_try_may_win_although_blpop_is_refused),
	TEST(an_error_for_every_key_is_counted_although_the_try_wins),
	TEST(a_probe_may_be_forbidden_the_helper_keys),
	TEST(forbidden_scripts_are_an_error),
	TEST(a_probe_that_could_not_mark_polls),
	TEST(a_look_that_cannot_wake_falls_back),
	TEST(a_poller_queues_again_after_a_second),
	TEST(after_a_look_that_cannot_wake_the_next_wait_asks_again),
	TEST(helper_keys_refused_for_one_key_are_used_for_the_next),
	TEST(a_wait_counts_its_fall_back_to_polling_once),
	TEST(a_release_may_be_forbidden_the_helper_keys),
	TEST(a_release_that_could_wake_no_waiter_is_counted),
	TEST(an_undo_is_sent_without_the_helper_keys),
	TEST(waiters_that_are_unblocked_queue_again),
	TEST(an_error_about_the_lock_ends_the_call),
	TEST(after_an_error_in_the_queue_a_try_decides),
	TEST(nonsense_in_the_queue_ends_the_call),
	TEST(bytes_that_are_no_protocol_end_the_call),
	TEST(nonsense_in_place_of_a_ticket_makes_the_wait_undo_its_token),
	TEST(a_call_ends_without_random_bytes_for_the_token_after_a_look),
	TEST(a_look_that_the_server_does_not_know_is_sent_as_text),
	TEST(errors_of_a_look_that_pass_are_waited_for),
	TEST(errors_of_a_look_that_do_not_pass_end_the_call),
	TEST(a_look_that_is_forbidden_falls_back),
	TEST(nonsense_to_a_look_ends_the_call),
	TEST(a_look_without_an_answer_is_given_up),
	TEST(a_look_that_breaks_is_sent_again),
};

CHECK_MAIN(tests, fake_end)
