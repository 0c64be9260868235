/* SPDX-License-Identifier: MIT
 *
 * The verbs that are one quorum call, on one server: release, extend, force, exists, owner,
 * remaining, fence.
 */
#include "check.h"
#include "fake.h"

#include <string.h>

static void begin_warm(void)
{
	fake_begin(1);
	fake_warm(0);
}

static rl_op *ask(rl_verb verb)
{
	return fake_ask(verb, "tok", 7000);
}

static const rl_errand *seat_of(const rl_op *op)
{
	return &op->call.members[0];
}

typedef struct verb_case {
	rl_verb verb;
	const char *sent; /* the command as the log shows it */
	const char *yes;
	const char *no;
	bool is_script;
	bool changes;
} verb_case;

static const verb_case verbs[] = {
	{RL_VERB_RELEASE, "release k tok", ":1", ":0", true, true},
	{RL_VERB_EXTEND, "extend k tok 7000", ":1", ":0", true, true},
	{RL_VERB_FORCE, "force k", ":1", ":0", true, true},
	{RL_VERB_EXISTS, "EXISTS k", ":1", ":0", false, false},
	{RL_VERB_OWNER, "GET k", "$somebody", "_", false, false},
	{RL_VERB_INSPECT, "inspect k", "*:4000 :4 :0 $somebody $", "*:-2 :0 :0 $ $", true, false},
	{RL_VERB_REMAINING, "PTTL k", ":4000", ":-2", false, false},
	{RL_VERB_FENCE, "fence 2 k k::rl-fence tok 0", "$17", ":0", true, false},
};

#define EACH_VERB(c) \
 const verb_case *c = verbs; \
 c < verbs + sizeof verbs / sizeof verbs[0]; \
 c++

static void check_sent(const verb_case *c, const char *before, const char *after)
{
	char wanted[512] = "";
	strcat(wanted, before);
	strcat(wanted, c->sent);
	strcat(wanted, after);
	CHECK_LOG(wanted);
}

static void each_verb_succeeds_or_is_refused(void)
{
	for (EACH_VERB(c)) {
		begin_warm();
		fake_says(0, c->yes);
		CHECK_INT(fake_drive(ask(c->verb)), RL_OK);
		check_sent(c, "0 a1 ", "\n");
		fake_says(0, c->no);
		CHECK_INT(fake_drive(ask(c->verb)), RL_BUSY);
		CHECK_INT(fake_pool.count, 1);
		CHECK_INT(fake_stats.failed, 0);
		fake_end();
	}
}

static void each_outcome_is_counted(void)
{
	begin_warm();
	const char *const answers[] = {":1", ":0", "-ERR x"};
	for (unsigned i = 0; i < 3; i++) {
		for (EACH_VERB(c)) {
			fake_says(0, answers[i]);
			fake_drive(ask(c->verb));
		}
		fake_end();
		begin_warm();
		CHECK_INT(fake_stats.released, 0);
	}
	fake_says(0, ":1");
	fake_drive(ask(RL_VERB_RELEASE));
	CHECK_INT(fake_stats.released, 1);
	fake_says(0, ":0");
	fake_drive(ask(RL_VERB_RELEASE));
	CHECK_INT(fake_stats.not_released, 1);
	fake_says(0, ":1");
	fake_drive(ask(RL_VERB_EXTEND));
	CHECK_INT(fake_stats.extended, 1);
	fake_says(0, ":0");
	fake_drive(ask(RL_VERB_EXTEND));
	CHECK_INT(fake_stats.not_extended, 1);
	fake_says(0, "-ERR x");
	fake_drive(ask(RL_VERB_EXTEND));
	CHECK_INT(fake_stats.failed, 1);
	CHECK_INT(fake_stats.tries, 0);
}

static void owner_returns_the_token(void)
{
	begin_warm();
	fake_says(0, "$somebody");
	rl_op *op = ask(RL_VERB_OWNER);
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK(rl_bytes_equal(
		rl_bytes_of(seat_of(op)->text, seat_of(op)->text_len), bytes_of("somebody")));
	fake_says(0, "$");
	CHECK_INT(fake_drive(ask(RL_VERB_OWNER)), RL_BUSY);
}

static void remaining_returns_the_ttl(void)
{
	static const struct {
		const char *answer;
		rl_status status;
		int64_t number;
	} cases[] = {{":4000", RL_OK, 4000}, {":0", RL_OK, 0}, {":-1", RL_OK, -1}, {":-2", RL_BUSY, -2},
		{":9223372036854775807", RL_OK, INT64_MAX}};
	begin_warm();
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		fake_says(0, cases[i].answer);
		rl_op *op = ask(RL_VERB_REMAINING);
		CHECK_INT(fake_drive(op), (int64_t) cases[i].status);
		CHECK_INT(seat_of(op)->answer.number, cases[i].number);
		fake_free(op);
	}
}

/* ---- login first ---- */

static void begin_with_login(void)
{
	fake_begin(1);
	fake_targets[0].password = (rl_secret){"word", 4};
	fake_targets[0].database = 2;
}

#define LOGIN \
 "0 a1 dial\n" \
 "0 a1 AUTH word\n" \
 "0 a1 SELECT 2\n"

static void a_command_waits_for_the_login(void)
{
	for (EACH_VERB(c)) {
		begin_with_login();
		fake_says(0, c->yes);
		rl_op *op = ask(c->verb);
		CHECK(!fake_drive_to(op, FAKE_START - 1));
		CHECK_INT(fake_drive(op), RL_OK);
		check_sent(c, LOGIN "0 a1 ", "\n0 a1 NAME\n");
		fake_end();
	}
}

static void a_command_is_not_sent_without_a_login(void)
{
	for (EACH_VERB(c)) {
		begin_with_login();
		fake_login_says(0, "SELECT", NULL);
		rl_op *op = ask(c->verb);
		CHECK_INT(fake_drive(op), RL_ERR_TIMEOUT);
		CHECK_LOG(LOGIN "1000 a1 close\n");
		CHECK(strstr(op->err->message, "outcome") == NULL);
		fake_end();
	}
}

static void a_refused_login_ends_the_call(void)
{
	for (EACH_VERB(c)) {
		begin_with_login();
		fake_login_says(0, "AUTH", "-WRONGPASS x");
		rl_op *op = ask(c->verb);
		CHECK_INT(fake_drive(op), RL_ERR_SERVER);
		CHECK_LOG(LOGIN "0 a1 close\n");
		CHECK_TEXT(op->err->code, "WRONGPASS");
		fake_end();
	}
}

/* The release of a drawn token travels with the login. If the login fails, its error is the result,
 * whatever the answer to the release is. Nothing is undone, because a release takes nothing. */
static void a_refused_login_ends_a_release_that_travels_with_it(void)
{
	static const char *const answers[] = {"-NOAUTH x", ":1", ":0"};
	for (unsigned i = 0; i < 3; i++) {
		begin_with_login();
		fake_login_says(0, "AUTH", "-WRONGPASS x");
		fake_says(0, answers[i]);
		rl_op *op = fake_ask(RL_VERB_RELEASE, "rl1.AAAAAAAAAAAAAAAAAAAAAAAA", 0);
		CHECK_INT(fake_drive(op), RL_ERR_SERVER);
		CHECK_LOG(LOGIN "0 a1 release k T1\n0 a1 NAME\n0 a1 close\n");
		CHECK_TEXT(op->err->code, "WRONGPASS");
		CHECK_INT(fake_stats.grants_undone, 0);
		fake_end();
	}
}

static void a_login_that_breaks_is_tried_again(void)
{
	begin_with_login();
	fake_greets(0, "+OK");
	fake_says(0, ":1");
	CHECK_INT(fake_drive(ask(RL_VERB_RELEASE)), RL_OK);
	CHECK_INT(fake_stats.connects, 2);
	CHECK_HAS(fake_log(), "0 a2 release k tok\n");
}

static void a_release_without_login_data_is_sent_at_once(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_ACCEPT_AT_ONCE, 0);
	fake_says(0, ":1");
	rl_op *op = ask(RL_VERB_RELEASE);
	CHECK(!fake_drive_to(op, FAKE_START - 1));
	CHECK_LOG("0 a1 dial\n0 a1 release k tok\n0 a1 NAME\n");
	CHECK_INT(fake_drive(op), RL_OK);
}

/* ---- lost replies ---- */

static void a_command_that_was_not_sent_is_sent_on_a_new_connection(void)
{
	for (EACH_VERB(c)) {
		begin_warm();
		fake_acts(0, FAKE_BREAK_HALF, NULL, 0);
		fake_says(0, c->no);
		CHECK_INT(fake_drive(ask(c->verb)), RL_BUSY);
		check_sent(c, "0 a1 close\n0 a2 dial\n0 a2 ", "\n0 a2 NAME\n");
		fake_end();
	}
}

static void a_yes_after_a_lost_answer_is_a_yes(void)
{
	for (EACH_VERB(c)) {
		if (c->verb == RL_VERB_FORCE) {
			continue;
		}
		begin_warm();
		fake_acts(0, FAKE_BREAK, NULL, 5 * MS);
		fake_says(0, c->yes);
		CHECK_INT(fake_drive(ask(c->verb)), RL_OK);
		CHECK_INT(fake_stats.reconnects, 1);
		CHECK_HAS(fake_log(), "5 a1 close\n5 a2 dial\n5 a2 ");
		fake_end();
	}
}

static void a_no_after_a_lost_answer_may_be_due_to_the_first_copy(void)
{
	for (EACH_VERB(c)) {
		if (c->verb == RL_VERB_FORCE) {
			continue;
		}
		begin_warm();
		fake_acts(0, FAKE_BREAK, NULL, 0);
		fake_says(0, c->no);
		rl_op *op = ask(c->verb);
		CHECK_INT(fake_drive(op), c->verb == RL_VERB_RELEASE ? RL_ERR_UNKNOWN : RL_BUSY);
		if (c->verb == RL_VERB_RELEASE) {
			CHECK_HAS(op->err->message, "redis://a:6379: no longer held, outcome unknown: ");
			CHECK(strstr(op->err->message, "the command was sent") == NULL);
			CHECK_INT(fake_stats.failed, 1);
			CHECK_INT(fake_stats.not_released, 0);
		}
		CHECK_INT(fake_pool.count, 1);
		fake_end();
	}
}

/* A second copy could free the lock of the next holder. */
static void force_is_never_sent_twice(void)
{
	begin_warm();
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, ":1");
	rl_op *op = ask(RL_VERB_FORCE);
	CHECK_INT(fake_drive(op), RL_ERR_UNKNOWN);
	CHECK_LOG("0 a1 force k\n0 a1 close\n");
	CHECK_HAS(op->err->message, "redis://a:6379: outcome unknown: the connection broke");
	CHECK(strstr(op->err->message, "the command was sent") == NULL);
}

static void force_looks_even_at_a_young_connection(void)
{
	begin_warm();
	fake_kill(0);
	fake_says(0, ":1");
	CHECK_INT(fake_drive(ask(RL_VERB_FORCE)), RL_OK);
	CHECK_LOG("0 a1 close\n0 a2 dial\n0 a2 force k\n0 a2 NAME\n");
}

static void silence_leaves_the_outcome_unknown(void)
{
	for (EACH_VERB(c)) {
		begin_warm();
		fake_acts(0, FAKE_SILENCE, NULL, 0);
		rl_op *op = ask(c->verb);
		CHECK_INT(fake_drive(op), RL_ERR_TIMEOUT);
		check_sent(c, "0 a1 ", "\n1000 a1 close\n");
		CHECK_TEXT(op->err->message,
			c->changes
				? "redis://a:6379: no answer within 1 s (timeout); the command was sent, and "
				  "its outcome is unknown"
				: "redis://a:6379: no answer within 1 s (timeout)");
		CHECK_INT(fake_stats.grants_undone, 0);
		fake_end();
	}
}

static void a_command_that_was_not_sent_has_no_unknown_outcome(void)
{
	for (EACH_VERB(c)) {
		fake_begin(1);
		fake_dials(0, FAKE_HANG, 0);
		rl_op *op = ask(c->verb);
		CHECK_INT(fake_drive(op), RL_ERR_CONNECT);
		CHECK(strstr(op->err->message, "outcome") == NULL);
		CHECK_INT(fake_ms(), 1000);
		fake_end();
		begin_warm();
		fake_acts(0, FAKE_HALF, NULL, RL_NEVER);
		op = ask(c->verb);
		CHECK_INT(fake_drive(op), RL_ERR_TIMEOUT);
		CHECK(strstr(op->err->message, "outcome") == NULL);
		fake_end();
	}
}

static void a_release_whose_connections_break_again_and_again_is_unknown(void)
{
	begin_warm();
	for (unsigned i = 0; i < 20; i++) {
		fake_acts(0, FAKE_BREAK, NULL, 0);
	}
	rl_op *op = ask(RL_VERB_RELEASE);
	CHECK_INT(fake_drive(op), RL_ERR_CLOSED);
	CHECK_INT(fake_ms(), 910);
	CHECK_HAS(op->err->message, "the command was sent, and its outcome is unknown");
}

static void nonsense_leaves_the_outcome_unknown(void)
{
	for (EACH_VERB(c)) {
		begin_warm();
		fake_acts(0, FAKE_NONSENSE, NULL, 0);
		rl_op *op = ask(c->verb);
		CHECK_INT(fake_drive(op), RL_ERR_PROTOCOL);
		check_sent(c, "0 a1 ", "\n0 a1 close\n");
		CHECK((strstr(op->err->message, "outcome is unknown") != NULL) == c->changes);
		fake_end();
	}
}

static void an_answer_that_makes_no_sense_leaves_the_outcome_unknown(void)
{
	for (EACH_VERB(c)) {
		begin_warm();
		fake_says(0, "+QUEUED");
		rl_op *op = ask(c->verb);
		CHECK_INT(fake_drive(op), RL_ERR_PROTOCOL);
		CHECK((strstr(op->err->message, "outcome is unknown") != NULL) == c->changes);
		CHECK_INT(fake_pool.count, 0);
		fake_end();
	}
}

/* ---- errors ---- */

static void an_error_ends_the_call_at_once(void)
{
	for (EACH_VERB(c)) {
		begin_warm();
		fake_says(0, "-OOM x");
		rl_op *op = ask(c->verb);
		CHECK_INT(fake_drive(op), RL_ERR_SERVER);
		CHECK_TEXT(op->err->code, "OOM");
		CHECK(strstr(op->err->message, "outcome") == NULL);
		CHECK_INT(fake_pool.count, 1);
		CHECK_INT(fake_ms(), 0);
		fake_end();
	}
}

/* Only a key that is no string costs a second command. */
static void owner_asks_for_the_type_of_a_key_that_is_no_string(void)
{
	begin_warm();
	fake_says(0, "-WRONGTYPE x");
	fake_says(0, "+zset");
	CHECK_INT(fake_drive(ask(RL_VERB_OWNER)), RL_BUSY);
	CHECK_LOG("0 a1 GET k\n0 a1 TYPE k\n");
	fake_says(0, "-WRONGTYPE x");
	fake_says(0, "+hash");
	rl_op *op = ask(RL_VERB_OWNER);
	CHECK_INT(fake_drive(op), RL_ERR_SERVER);
	CHECK_TEXT(op->err->code, "WRONGTYPE");
	CHECK_HAS(op->err->message, "the key holds a hash");
	CHECK_INT(fake_pool.count, 1);
	fake_end();
}

static void owner_asks_for_the_type_again_after_a_lost_answer(void)
{
	begin_warm();
	fake_says(0, "-WRONGTYPE x");
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, "+zset");
	CHECK_INT(fake_drive(ask(RL_VERB_OWNER)), RL_BUSY);
	CHECK_HAS(fake_log(), "0 a2 TYPE k");
	fake_end();
}

static void an_error_after_a_break_leaves_the_outcome_unknown(void)
{
	begin_warm();
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, "-LOADING x");
	rl_op *op = ask(RL_VERB_RELEASE);
	CHECK_INT(fake_drive(op), RL_ERR_SERVER);
	CHECK_HAS(op->err->message, "LOADING x; the command was sent, and its outcome is unknown");
}

static void a_script_that_is_not_known_is_sent_as_text(void)
{
	begin_warm();
	fake_says(0, "-NOSCRIPT x");
	fake_says(0, ":1");
	CHECK_INT(fake_drive(ask(RL_VERB_RELEASE)), RL_OK);
	CHECK_LOG("0 a1 release k tok\n0 a1 RELEASE k tok\n");
	fake_forget_log();
	/* The connection remembers that the server has lost its scripts, so another script is sent as
	 * text at once. */
	fake_says(0, ":1");
	CHECK_INT(fake_drive(ask(RL_VERB_EXTEND)), RL_OK);
	CHECK_LOG("0 a1 EXTEND k tok 7000\n");
	CHECK_INT(fake_stats.scripts_loaded, 2);
	/* The server knows a script that was sent as text. */
	fake_forget_log();
	fake_says(0, ":1");
	fake_says(0, ":1");
	CHECK_INT(fake_drive(ask(RL_VERB_RELEASE)), RL_OK);
	CHECK_INT(fake_drive(ask(RL_VERB_EXTEND)), RL_OK);
	CHECK_LOG("0 a1 release k tok\n0 a1 extend k tok 7000\n");
	CHECK_INT(fake_stats.scripts_loaded, 2);
}

/* The server may lose its scripts again. */
static void scripts_that_are_lost_again_are_sent_again(void)
{
	begin_warm();
	for (unsigned i = 1; i <= 2; i++) {
		fake_forget_log();
		fake_says(0, "-NOSCRIPT x");
		fake_says(0, ":1");
		fake_says(0, ":1");
		CHECK_INT(fake_drive(ask(RL_VERB_RELEASE)), RL_OK);
		CHECK_INT(fake_drive(ask(RL_VERB_EXTEND)), RL_OK);
		CHECK_LOG("0 a1 release k tok\n0 a1 RELEASE k tok\n0 a1 EXTEND k tok 7000\n");
		CHECK_INT(fake_stats.scripts_loaded, 2 * i);
	}
}

/* Knowledge about one connection says nothing about another one, which may lead to another
 * server. */
static void a_script_is_sent_by_digest_on_another_connection(void)
{
	begin_warm();
	fake_says(0, "-NOSCRIPT x");
	fake_says(0, ":1");
	CHECK_INT(fake_drive(ask(RL_VERB_RELEASE)), RL_OK);
	rl_pool_clear(&fake_pool);
	fake_warm(0);
	fake_says(0, ":1");
	CHECK_INT(fake_drive(ask(RL_VERB_EXTEND)), RL_OK);
	CHECK_LOG("0 a2 extend k tok 7000\n");
}

/* A script that was sent as text (EVAL) is not counted as loaded when no answer comes: the server
 * may not have run it. */
static void a_text_without_an_answer_is_not_counted(void)
{
	begin_warm();
	fake_says(0, "-NOSCRIPT x");
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(ask(RL_VERB_RELEASE)), RL_ERR_TIMEOUT);
	CHECK_INT(fake_stats.scripts_loaded, 0);
}

static void noscript_to_a_plain_command_is_an_error(void)
{
	begin_warm();
	fake_says(0, "-NOSCRIPT x");
	fake_says(0, ":1");
	CHECK_INT(fake_drive(ask(RL_VERB_EXISTS)), RL_ERR_SERVER);
	CHECK_LOG("0 a1 EXISTS k\n");
}

static void a_text_that_breaks_is_sent_again_as_text(void)
{
	begin_warm();
	fake_says(0, "-NOSCRIPT x");
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, ":0");
	CHECK_INT(fake_drive(ask(RL_VERB_RELEASE)), RL_ERR_UNKNOWN);
	CHECK_HAS(fake_log(), "0 a2 RELEASE k tok\n");
}

/* ---- giving up ---- */

static void an_abandoned_release_is_neither_sent_again_nor_undone(void)
{
	begin_warm();
	fake_acts(0, FAKE_SAY, ":1", 50 * MS);
	rl_op *op = ask(RL_VERB_RELEASE);
	CHECK(!fake_drive_to(op, FAKE_START + 10 * MS));
	rl_op_abandon(op, fake_clock, false);
	CHECK_LOG("0 a1 release k tok\n");
	CHECK_INT(fake_pool.count, 1);
	fake_free(op);
	/* The answer is discarded. */
	fake_says(0, ":0");
	CHECK_INT(fake_drive(ask(RL_VERB_EXISTS)), RL_BUSY);
}

static void a_call_abandoned_in_the_login_closes_its_connection(void)
{
	begin_with_login();
	rl_op *op = ask(RL_VERB_RELEASE);
	CHECK(!fake_drive_to(op, FAKE_START - 1));
	rl_op_abandon(op, fake_clock, false);
	CHECK_LOG("0 a1 dial\n0 a1 close\n");
}

static void in_a_forked_child_nothing_is_sent(void)
{
	begin_warm();
	fake_acts(0, FAKE_SAY, ":1", 50 * MS);
	rl_op *op = ask(RL_VERB_RELEASE);
	CHECK(!fake_drive_to(op, FAKE_START + 10 * MS));
	fake_fork();
	rl_op_abandon(op, fake_clock, true);
	CHECK_LOG("0 a1 release k tok\n10 a1 close\n");
}

static void a_fork_between_two_calls_leaves_the_parents_connection(void)
{
	begin_warm();
	fake_fork();
	fake_says(0, ":1");
	CHECK_INT(fake_drive(ask(RL_VERB_RELEASE)), RL_OK);
	CHECK_LOG("0 a1 close\n0 a2 dial\n0 a2 release k tok\n0 a2 NAME\n");
}

static void key_and_token_are_copies(void)
{
	begin_warm();
	char key[] = "key";
	char token[] = "tok";
	rl_plain_args args = {
		.verb = RL_VERB_EXTEND, .key = bytes_of(key), .token = bytes_of(token), .ttl_ms = 1};
	rl_op *op = rl_plain_new(&fake_set, &fake_pool, &fake_env, &args);
	memset(key, 'x', 3);
	memset(token, 'x', 3);
	fake_says(0, ":1");
	CHECK_INT(fake_drive(op), RL_OK);
	rl_op_free(op);
	CHECK_LOG("0 a1 extend key tok 1\n");
}

static const check_test tests[] = {
	TEST(each_verb_succeeds_or_is_refused),
	TEST(each_outcome_is_counted),
	TEST(owner_returns_the_token),
	TEST(remaining_returns_the_ttl),
	TEST(a_command_waits_for_the_login),
	TEST(a_command_is_not_sent_without_a_login),
	TEST(a_refused_login_ends_the_call),
	TEST(a_refused_login_ends_a_release_that_travels_with_it),
	TEST(a_login_that_breaks_is_tried_again),
	TEST(a_release_without_login_data_is_sent_at_once),
	TEST(a_command_that_was_not_sent_is_sent_on_a_new_connection),
	TEST(a_yes_after_a_lost_answer_is_a_yes),
	TEST(a_no_after_a_lost_answer_may_be_due_to_the_first_copy),
	TEST(force_is_never_sent_twice),
	TEST(force_looks_even_at_a_young_connection),
	TEST(silence_leaves_the_outcome_unknown),
	TEST(a_command_that_was_not_sent_has_no_unknown_outcome),
	TEST(a_release_whose_connections_break_again_and_again_is_unknown),
	TEST(nonsense_leaves_the_outcome_unknown),
	TEST(an_answer_that_makes_no_sense_leaves_the_outcome_unknown),
	TEST(an_error_ends_the_call_at_once),
	TEST(owner_asks_for_the_type_of_a_key_that_is_no_string),
	TEST(owner_asks_for_the_type_again_after_a_lost_answer),
	TEST(an_error_after_a_break_leaves_the_outcome_unknown),
	TEST(a_script_that_is_not_known_is_sent_as_text),
	TEST(scripts_that_are_lost_again_are_sent_again),
	TEST(a_script_is_sent_by_digest_on_another_connection),
	TEST(a_text_without_an_answer_is_not_counted),
	TEST(noscript_to_a_plain_command_is_an_error),
	TEST(a_text_that_breaks_is_sent_again_as_text),
	TEST(an_abandoned_release_is_neither_sent_again_nor_undone),
	TEST(a_call_abandoned_in_the_login_closes_its_connection),
	TEST(in_a_forked_child_nothing_is_sent),
	TEST(a_fork_between_two_calls_leaves_the_parents_connection),
	TEST(key_and_token_are_copies),
};

CHECK_MAIN(tests, fake_end)
