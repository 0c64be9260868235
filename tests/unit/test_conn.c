/* SPDX-License-Identifier: MIT
 *
 * Connections: the login, and the queue of pending replies.
 */
#include "check.h"
#include "dialling.h"

#include <string.h>

static void dial_it(const char *user, const char *password, unsigned database)
{
	fake_begin(1);
	fake_targets[0].user = (char *) (uintptr_t) user;
	if (password != NULL) {
		want_password(password);
	}
	fake_targets[0].database = database;
	fake_dials(0, FAKE_ACCEPT_AT_ONCE, 0);
	dial();
	CHECK_INT(fake_targets[0].refs, 1001);
}

static bool tell(void)
{
	rl_request request = {.verb = RL_VERB_FORCE, .key = bytes_of("k")};
	return rl_conn_send_blind(conn, &request);
}

static void the_login_has_only_the_commands_that_are_needed(void)
{
	static const struct {
		const char *user, *password;
		unsigned database;
		const char *log;
	} cases[] = {{NULL, NULL, 0, "0 a1 dial\n"}, {NULL, "word", 0, "0 a1 dial\n0 a1 AUTH word\n"},
		{"me", "word", 0, "0 a1 dial\n0 a1 AUTH me word\n"},
		{"me", "", 0, "0 a1 dial\n0 a1 AUTH me \n"}, {NULL, NULL, 9, "0 a1 dial\n0 a1 SELECT 9\n"},
		{NULL, NULL, 4294967295, "0 a1 dial\n0 a1 SELECT 4294967295\n"},
		{"me", "word", 10, "0 a1 dial\n0 a1 AUTH me word\n0 a1 SELECT 10\n"}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		dial_it(cases[i].user, cases[i].password, cases[i].database);
		bool has_login = cases[i].password != NULL || cases[i].database != 0;
		CHECK_INT(conn->logins_pending > 0, has_login);
		flush_and_read();
		CHECK_LOG(cases[i].log);
		CHECK_INT(rl_conn_is_reusable(conn), !has_login);
		if (has_login) {
			CHECK_INT(next(), RL_CONN_READY);
		}
		CHECK_INT(next(), RL_CONN_NONE);
		CHECK(rl_conn_is_reusable(conn));
		CHECK_INT(fake_stats.connects, 1);
		hang_up();
	}
}

static void a_dial_that_fails_leaves_nothing(void)
{
	rl_error err;
	fake_begin(1);
	fake_dials(0, FAKE_REFUSE, 0);
	CHECK(rl_conn_dial(&fake_transport, &fake_targets[0], RL_NEVER, &fake_env, &err) == NULL);
	CHECK_INT(err.status, RL_ERR_CONNECT);
	CHECK_INT(fake_stats.connects, 1); /* dials are counted, whatever comes of them */
	CHECK_INT(fake_targets[0].refs, 1000);
}

static void a_refused_login_is_one_event(void)
{
	dial_it(NULL, "word", 2);
	fake_login_says(0, "AUTH", "-WRONGPASS word");
	fake_login_says(0, "SELECT", "-NOAUTH x");
	fake_says(0, "-NOAUTH x");
	CHECK(ask(7) != 0);
	flush_and_read();
	CHECK_INT(next(), RL_CONN_REFUSED);
	CHECK(rl_bytes_equal(event.reply.text, bytes_of("WRONGPASS word")));
	/* The command that was sent with the login is still answered. */
	check_reply_to(7);
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK(!rl_conn_is_reusable(conn));
}

static void a_refused_select_is_not_made_good_by_auth(void)
{
	dial_it(NULL, "word", 2);
	fake_login_says(0, "SELECT", "-ERR x");
	flush_and_read();
	CHECK_INT(next(), RL_CONN_REFUSED);
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK(conn->logins_pending > 0);
	hang_up();
	dial_it(NULL, "word", 2);
	fake_login_says(0, "AUTH", "-ERR x");
	flush_and_read();
	CHECK_INT(next(), RL_CONN_REFUSED);
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK(conn->logins_pending > 0);
}

static void ready_needs_each_login(void)
{
	dial_it(NULL, "word", 2);
	fake_login_says(0, "SELECT", NULL);
	flush_and_read();
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK_INT(conn->logins_pending, 1);
}

static void a_login_is_answered_by_ok(void)
{
	static const char *const answers[] = {"+QUEUED", ":1", "$OK", "_", "*", "+"};
	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
		dial_it(NULL, NULL, 2);
		fake_login_says(0, "SELECT", answers[i]);
		flush_and_read();
		CHECK_INT(next(), RL_CONN_DOWN);
		CHECK_INT(event.err.status, RL_ERR_PROTOCOL);
		CHECK(!rl_conn_is_reusable(conn));
		hang_up();
	}
}

static void the_name_may_be_refused(void)
{
	dial_it(NULL, NULL, 0);
	fake_login_says(0, "CLIENT", "-NOPERM x");
	flush_and_read();
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK(rl_conn_is_reusable(conn));
}

static void replies_go_to_their_askers_in_order(void)
{
	dial_it(NULL, NULL, 0);
	static const char *const answers[] = {":10", ":11", ":12", ":13"};
	for (unsigned i = 0; i < 4; i++) {
		fake_says(0, answers[i]);
	}
	CHECK(ask(3) != 0);
	CHECK(tell());
	CHECK(ask(1) != 0);
	CHECK(ask(2) != 0);
	flush_and_read();
	check_reply_to(3);
	CHECK_INT(event.reply.integer, 10);
	CHECK_INT(next(), RL_CONN_REPLY); /* the reply to tell() is discarded */
	CHECK_INT(event.tag, 1);
	CHECK_INT(event.reply.integer, 12);
	check_reply_to(2);
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK_INT(conn->pending_count, 0);
}

static void the_reply_to_a_discarded_command_is_dropped(void)
{
	dial_it(NULL, "word", 0);
	fake_says(0, ":1");
	fake_says(0, ":0");
	CHECK(ask(1) != 0);
	rl_conn_discard_pending(conn);
	CHECK(ask(2) != 0);
	flush_and_read();
	CHECK_INT(next(), RL_CONN_READY); /* the reply to a login is never discarded */
	check_reply_to(2);
	CHECK_INT(event.reply.integer, 0);
}

static void a_reply_without_a_command_ends_the_connection(void)
{
	dial_it(NULL, NULL, 0);
	fake_acts(0, FAKE_SAY_TWICE, ":1", 0);
	CHECK(ask(1) != 0);
	flush_and_read();
	CHECK_INT(next(), RL_CONN_REPLY);
	CHECK_INT(next(), RL_CONN_DOWN);
	CHECK_INT(event.err.status, RL_ERR_PROTOCOL);
	CHECK_HAS(event.err.message, "belongs to no command");
	CHECK(!rl_conn_is_reusable(conn));
}

static void an_error_without_a_command_is_reported(void)
{
	dial_it(NULL, NULL, 0);
	fake_login_says(0, "CLIENT", "-ERR max number of clients reached");
	fake_acts(0, FAKE_SAY_TWICE, "-ERR max number of clients reached", 0);
	CHECK(ask(1) != 0);
	flush_and_read();
	CHECK_INT(next(), RL_CONN_REPLY);
	CHECK_INT(next(), RL_CONN_DOWN);
	CHECK_INT(event.err.status, RL_ERR_SERVER);
	CHECK_HAS(event.err.message, "max number of clients");
}

static void a_break_is_reported_after_the_replies(void)
{
	dial_it(NULL, NULL, 0);
	fake_acts(0, FAKE_SAY_BREAK, ":1", 0);
	CHECK(ask(1) != 0);
	flush_and_read();
	CHECK_INT(next(), RL_CONN_REPLY);
	CHECK_INT(next(), RL_CONN_DOWN);
	CHECK_INT(event.err.status, RL_ERR_CLOSED);
	CHECK_INT(next(), RL_CONN_DOWN);
	CHECK(!rl_conn_is_reusable(conn));
}

/* Commands that wait for their replies and others take turns, so each reply is a run. */
static void the_ring_of_pending_replies_grows(void)
{
	unsigned runs = 3 * RL_CONN_RUNS;
	dial_it(NULL, NULL, 0); /* one reply is pending already */
	for (unsigned i = 1; i < runs; i++) {
		fake_says(0, ":1");
		CHECK(i % 2 == 0 ? ask(i) != 0 : tell());
	}
	CHECK_INT(conn->pending_runs, runs);
	CHECK_INT(conn->pending_count, runs);
	flush_and_read();
	for (unsigned i = 2; i < runs; i += 2) {
		check_reply_to(i);
	}
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK(rl_conn_is_reusable(conn));
	/* Enough commands for the ring to go round. */
	for (unsigned i = 0; i < 3 * runs; i++) {
		fake_says(0, ":1");
		CHECK(ask(i) != 0);
		flush_and_read();
		check_reply_to(i);
	}
}

static void many_pending_replies_of_a_kind_are_one_run(void)
{
	dial_it(NULL, NULL, 0);
	flush_and_read();
	CHECK_INT(next(), RL_CONN_NONE);
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < 60; i++) {
			fake_says(0, i == 40 ? ":0" : ":1");
			CHECK(ask(7) != 0);
			CHECK_INT(
				/* CLIENT SETNAME follows the first command. */
				conn->pending_count, i + 1 + (round == 0));
		}
		CHECK(conn->pending_runs <= 3);
		flush_and_read();
		for (unsigned i = 0; i < 60; i++) {
			check_reply_to(7);
			CHECK_INT(event.reply.integer, i != 40);
		}
		CHECK_INT(next(), RL_CONN_NONE);
		CHECK_INT(conn->pending_runs, 0);
		CHECK_INT(conn->pending_count, 0);
	}
}

static void a_command_after_discarded_ones_gets_its_reply(void)
{
	dial_it(NULL, NULL, 0);
	for (unsigned i = 0; i < 2; i++) {
		fake_says(0, ":0");
		CHECK(ask(1) != 0);
	}
	rl_conn_discard_pending(conn);
	fake_says(0, ":0");
	CHECK(tell());
	for (unsigned i = 0; i < 2; i++) {
		fake_says(0, ":1");
		CHECK(ask(1) != 0);
	}
	flush_and_read();
	for (unsigned i = 0; i < 2; i++) {
		CHECK_INT(next(), RL_CONN_REPLY);
		CHECK_INT(event.reply.integer, 1);
	}
	CHECK_INT(next(), RL_CONN_NONE);
}

static bool is_out_of_memory;

static bool lacks_memory(void)
{
	return is_out_of_memory;
}

static void a_command_that_cannot_be_queued_has_no_pending_reply(void)
{
	dial_it(NULL, NULL, 0);
	fake_lacks_memory = lacks_memory;
	fake_says(0, ":10");
	fake_says(0, ":11");
	CHECK(ask(1) != 0);
	unsigned runs = conn->pending_runs;
	unsigned count = conn->pending_count;
	is_out_of_memory = true;
	CHECK_INT(ask(1), 0);
	CHECK_INT(ask(2), 0);
	CHECK(!tell());
	is_out_of_memory = false;
	CHECK_INT(conn->pending_runs, runs);
	CHECK_INT(conn->pending_count, count);
	CHECK(ask(2) != 0);
	flush_and_read();
	check_reply_to(1);
	check_reply_to(2);
	CHECK_INT(event.reply.integer, 11);
}

static void a_connection_with_few_pending_replies_is_reusable(void)
{
	dial_it(NULL, NULL, 0);
	flush_and_read();
	CHECK_INT(next(), RL_CONN_NONE);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	for (unsigned i = 1; i <= 5; i++) {
		CHECK(tell());
		fake_transport.flush(conn->link);
		CHECK_INT(rl_conn_is_reusable(conn), i <= 4);
	}
}

static void a_connection_with_unsent_bytes_is_not_reusable(void)
{
	dial_it(NULL, NULL, 0);
	flush_and_read();
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK(rl_conn_is_reusable(conn));
	fake_acts(0, FAKE_HALF, NULL, RL_NEVER);
	CHECK(ask(1) != 0);
	CHECK(!rl_conn_is_reusable(conn));
	fake_transport.flush(conn->link);
	CHECK(!rl_conn_is_reusable(conn));
}

static void discarded_replies_of_all_kinds_are_one_run(void)
{
	dial_it(NULL, NULL, 0);
	flush_and_read();
	CHECK_INT(next(), RL_CONN_NONE);
	for (unsigned round = 0; round < 50; round++) {
		fake_says(0, ":1");
		CHECK(ask(round) != 0);
		fake_says(0, ":1");
		CHECK(tell());
		fake_transport.flush(conn->link);
		rl_conn_discard_pending(conn);
		CHECK_INT(conn->pending_runs, 3); /* CLIENT SETNAME follows the first command */
		CHECK_INT(conn->pending_count, 2 * (round + 1) + 1);
	}
	fake_says(0, ":7");
	CHECK(ask(7) != 0);
	flush_and_read();
	CHECK_INT(next(), RL_CONN_REPLY);
	CHECK_INT(event.reply.integer, 7);
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK_INT(conn->pending_count, 0);
}

/* The ring has gone round meanwhile. */
static void replies_to_logins_are_not_discarded(void)
{
	dial_it("me", "secret", 3);
	CHECK(ask(1) != 0);
	CHECK(ask(2) != 0);
	rl_conn_discard_pending(conn);
	fake_says(0, ":1");
	fake_says(0, ":1");
	CHECK_INT(conn->logins_pending, 2);
	flush_and_read();
	CHECK_INT(next(), RL_CONN_READY);
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK_INT(conn->pending_count, 0);
}

/* ---- discarded and retracted commands ---- */

static void commands_that_were_not_sent_are_retracted(void)
{
	dial_it("me", "secret", 3);
	conn->is_nameless = true;
	CHECK(ask(1) != 0);
	CHECK(tell());
	CHECK(rl_conn_retract(conn));
	CHECK_INT(conn->pending_count, 2);
	CHECK_INT(conn->pending_runs, 1);
	CHECK(rl_conn_is_worth_keeping(conn));
	CHECK(!rl_conn_is_reusable(conn));
	fake_says(0, ":9");
	CHECK(ask(5) != 0);
	flush_and_read();
	CHECK_LOG("0 a1 dial\n"
			  "0 a1 retract\n"
			  "0 a1 AUTH me secret\n"
			  "0 a1 SELECT 3\n"
			  "0 a1 EXISTS k\n"
			  "0 a1 NAME\n");
	CHECK_INT(next(), RL_CONN_READY);
	check_reply_to(5);
	CHECK_INT(event.reply.integer, 9);
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK(rl_conn_is_reusable(conn));
}

/* A release that its owner has left to be sent later goes with the connection to the next owner,
 * who retracts only what follows it. */
static void commands_that_are_kept_are_not_retracted(void)
{
	dial_it(NULL, "secret", 0);
	CHECK(tell());
	rl_conn_note_own(conn, bytes_of("k"), bytes_of("tok"));
	rl_conn_discard_pending(conn);
	rl_conn_keep(conn);
	CHECK(ask(1) != 0);
	CHECK(rl_conn_retract(conn));
	CHECK_INT(conn->pending_count, 2);
	CHECK_INT(conn->own_left, 2);
	CHECK(rl_conn_is_worth_keeping(conn));
	fake_says(0, ":1");
	fake_says(0, ":9");
	CHECK(ask(5) != 0);
	flush_and_read();
	CHECK_INT(next(), RL_CONN_READY);
	check_reply_to(5);
	CHECK_INT(event.reply.integer, 9);
	CHECK_INT(conn->own_left, 0);
	CHECK_LOG("0 a1 dial\n"
			  "0 a1 retract\n"
			  "0 a1 AUTH secret\n"
			  "0 a1 force k\n"
			  "0 a1 EXISTS k\n"
			  "0 a1 NAME\n");
}

/* Its reply will never come, and nothing is undone on the connection any more. */
static void an_undo_that_was_not_sent_is_forgotten_with_its_command(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_HANG, 0);
	dial();
	CHECK(ask(1) != 0);
	rl_request request = {.verb = RL_VERB_SET, .key = bytes_of("k"), .token = bytes_of("tok")};
	CHECK(!rl_conn_undo(conn, &request));
	conn->own_left = conn->pending_count;
	CHECK(rl_conn_retract(conn));
	CHECK_INT(conn->pending_count, 0);
	CHECK_INT(conn->undo_left, 0);
	CHECK_INT(conn->own_left, 0);
}

static void commands_that_were_sent_are_not_retracted(void)
{
	dial_it(NULL, NULL, 0);
	CHECK(ask(1) != 0);
	fake_acts(0, FAKE_SAY, ":1", 0);
	flush_and_read();
	CHECK(rl_conn_retract(conn)); /* nothing is unsent */
	CHECK_COUNT("retract", 0);
	CHECK_INT(conn->pending_count, 2);
	fake_acts(0, FAKE_HALF, NULL, RL_NEVER);
	CHECK(ask(2) != 0);
	fake_transport.flush(conn->link);
	CHECK(!rl_conn_retract(conn));
	CHECK(!rl_conn_is_worth_keeping(conn));
}

/* A retraction goes back to the end of the login. Here a command after the login has been sent
 * already. */
static void a_command_after_sent_ones_is_not_retracted(void)
{
	dial_it(NULL, NULL, 0);
	fake_says(0, ":1");
	CHECK(ask(1) != 0);
	flush_and_read();
	CHECK_INT(next(), RL_CONN_REPLY);
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK(ask(2) != 0);
	CHECK(!rl_conn_retract(conn));
	CHECK_INT(conn->pending_count, 1);
}

static void a_connection_with_too_many_unread_replies_is_not_worth_keeping(void)
{
	dial_it(NULL, NULL, 0);
	flush_and_read();
	CHECK_INT(next(), RL_CONN_NONE);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	for (unsigned i = 1; i <= 1025; i++) {
		CHECK(tell());
		fake_transport.flush(conn->link);
		CHECK_INT(rl_conn_is_worth_keeping(conn), i <= 1024);
	}
}

static void replies_that_have_arrived_are_discarded_by_a_look(void)
{
	dial_it("me", "secret", 0);
	fake_says(0, ":1");
	CHECK(tell());
	fake_transport.flush(conn->link);
	conn->pending_since = 5;
	fake_clock += MS;
	CHECK(rl_conn_catch_up(conn, fake_clock)); /* the look reads the reply */
	CHECK_INT(conn->pending_count, 0);
	CHECK_INT(conn->logins_pending, 0);
	CHECK(conn->heard == RL_CONN_HEARD_SINCE);
	CHECK_INT(conn->pending_since, 0); /* no reply is pending any more */
	CHECK(tell());
	conn->pending_since = 5;
	int64_t now = fake_clock;
	CHECK(rl_conn_catch_up(conn, now));
	CHECK_INT(conn->pending_since, now); /* the command is sent only now */
	conn->pending_since = 5;
	CHECK(rl_conn_catch_up(conn, fake_clock));
	CHECK_INT(conn->pending_since, 5); /* no reply has arrived */
	fake_kill(0);
	CHECK(!rl_conn_catch_up(conn, fake_clock));
}

static void positions_grow(void)
{
	dial_it(NULL, NULL, 0);
	uint64_t first = ask(1);
	uint64_t second = ask(2);
	CHECK(first > 0 && second > first);
	CHECK_INT(conn->last_byte, (int64_t) second);
}

static void freeing_no_connection_does_nothing(void)
{
	rl_conn_free(NULL);
}

/* ---- undoing ---- */

#define DRAWN "rl1.AAAAAAAAAAAAAAAAAAAAAAAA" /* T1 in the log */

static void undo_key_of(size_t len, bool no_helpers)
{
	static char key[1100];
	memset(key, 'k', sizeof key);
	dial_it(NULL, NULL, 0);
	rl_request request = {.verb = RL_VERB_SET,
		.key = rl_bytes_of(key, len),
		.mark = bytes_of("m"),
		.tickets = bytes_of("t"),
		.token = bytes_of(DRAWN),
		.no_helpers = no_helpers};
	fake_forget_log();
	CHECK(rl_conn_undo(conn, &request));
}

/* An undo counts as written if the system has taken all of it. */
static void an_undo_counts_if_the_system_has_taken_it(void)
{
	static const struct {
		fake_act act;
		bool is_written;
	} cases[] = {{FAKE_SAY, true}, {FAKE_BREAK, true}, {FAKE_BREAK_UNSENT, false},
		{FAKE_BREAK_HALF, false}, {FAKE_HALF, false}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		dial_it(NULL, NULL, 0);
		flush_and_read();
		rl_request request = {.verb = RL_VERB_SET, .key = bytes_of("k"), .token = bytes_of(DRAWN)};
		fake_acts(0, cases[i].act, ":0", MS);
		if (rl_conn_undo(conn, &request) != cases[i].is_written) {
			FAIL("case %zu: %s", i, fake_log());
		}
		hang_up();
	}
}

/* Every user of the lock may use the lock's key. So the undo has that key only, whatever keys the
 * command has. */
static void an_undo_has_only_the_key_of_the_lock(void)
{
	dial_it(NULL, NULL, 0);
	fake_forget_log();
	rl_request request = {.verb = RL_VERB_TRY,
		.key = bytes_of("k"),
		.mark = bytes_of("k::rl-wait"),
		.tickets = bytes_of("k::rl-wake"),
		.token = bytes_of("mine"),
		.waiter = bytes_of("me")};
	CHECK(rl_conn_undo(conn, &request));
	CHECK_LOG("0 a1 RELEASE k mine\n");
}

static void the_reply_to_an_undo_is_discarded(void)
{
	undo_key_of(5, false);
	flush_and_read();
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK_INT(conn->pending_count, 0);
}

static const check_test tests[] = {
	TEST(the_login_has_only_the_commands_that_are_needed),
	TEST(a_dial_that_fails_leaves_nothing),
	TEST(a_refused_login_is_one_event),
	TEST(a_refused_select_is_not_made_good_by_auth),
	TEST(ready_needs_each_login),
	TEST(a_login_is_answered_by_ok),
	TEST(the_name_may_be_refused),
	TEST(replies_go_to_their_askers_in_order),
	TEST(the_reply_to_a_discarded_command_is_dropped),
	TEST(a_reply_without_a_command_ends_the_connection),
	TEST(an_error_without_a_command_is_reported),
	TEST(a_break_is_reported_after_the_replies),
	TEST(the_ring_of_pending_replies_grows),
	TEST(many_pending_replies_of_a_kind_are_one_run),
	TEST(a_command_after_discarded_ones_gets_its_reply),
	TEST(a_command_that_cannot_be_queued_has_no_pending_reply),
	TEST(a_connection_with_few_pending_replies_is_reusable),
	TEST(a_connection_with_unsent_bytes_is_not_reusable),
	TEST(discarded_replies_of_all_kinds_are_one_run),
	TEST(replies_to_logins_are_not_discarded),
	TEST(commands_that_were_not_sent_are_retracted),
	TEST(commands_that_are_kept_are_not_retracted),
	TEST(an_undo_that_was_not_sent_is_forgotten_with_its_command),
	TEST(commands_that_were_sent_are_not_retracted),
	TEST(a_command_after_sent_ones_is_not_retracted),
	TEST(a_connection_with_too_many_unread_replies_is_not_worth_keeping),
	TEST(replies_that_have_arrived_are_discarded_by_a_look),
	TEST(positions_grow),
	TEST(freeing_no_connection_does_nothing),
	TEST(an_undo_counts_if_the_system_has_taken_it),
	TEST(an_undo_has_only_the_key_of_the_lock),
	TEST(the_reply_to_an_undo_is_discarded),
};

CHECK_MAIN(tests, hang_up)
