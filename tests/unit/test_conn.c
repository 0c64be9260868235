/* SPDX-License-Identifier: MIT
 *
 * Connections: the handshake, and the queue of replies that are owed.
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

static void the_handshake_says_only_what_is_needed(void)
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

static void a_refused_login_is_told_once(void)
{
	dial_it(NULL, "word", 2);
	fake_login_says(0, "AUTH", "-WRONGPASS word");
	fake_login_says(0, "SELECT", "-NOAUTH x");
	fake_says(0, "-NOAUTH x");
	CHECK(ask(7) != 0);
	flush_and_read();
	CHECK_INT(next(), RL_CONN_REFUSED);
	CHECK(rl_bytes_equal(event.reply.text, bytes_of("WRONGPASS word")));
	/* What was sent with it is still answered. */
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
	CHECK_INT(next(), RL_CONN_REPLY); /* that of the blind one is counted off */
	CHECK_INT(event.tag, 1);
	CHECK_INT(event.reply.integer, 12);
	check_reply_to(2);
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK_INT(conn->pending_count, 0);
}

static void what_is_forgotten_is_counted_off(void)
{
	dial_it(NULL, "word", 0);
	fake_says(0, ":1");
	fake_says(0, ":0");
	CHECK(ask(1) != 0);
	rl_conn_discard_pending(conn);
	CHECK(ask(2) != 0);
	flush_and_read();
	CHECK_INT(next(), RL_CONN_READY); /* a login is never forgotten */
	check_reply_to(2);
	CHECK_INT(event.reply.integer, 0);
}

static void a_reply_that_nobody_asked_for_is_the_end(void)
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

static void an_error_that_nobody_asked_for_is_told(void)
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

static void a_break_is_told_after_the_replies(void)
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

static void so_many_replies_can_be_owed(void)
{
	dial_it(NULL, NULL, 0); /* owes one already */
	for (unsigned i = 1; i < RL_CONN_PENDING_MAX; i++) {
		fake_says(0, ":1");
		CHECK(i % 2 == 0 ? ask(i) != 0 : tell());
	}
	CHECK_INT(ask(99), 0);
	fake_says(0, ":1");
	CHECK(tell()); /* another of the last kind */
	CHECK_INT(conn->pending_runs, RL_CONN_PENDING_MAX);
	CHECK_INT(conn->pending_count, RL_CONN_PENDING_MAX + 1);
	flush_and_read();
	for (unsigned i = 2; i < RL_CONN_PENDING_MAX; i += 2) {
		check_reply_to(i);
	}
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK(rl_conn_is_reusable(conn));
	/* The ring has gone round. */
	for (unsigned i = 0; i < 3 * RL_CONN_PENDING_MAX; i++) {
		fake_says(0, ":1");
		CHECK(ask(i) != 0);
		flush_and_read();
		check_reply_to(i);
	}
}

static void many_of_a_kind_take_one_place(void)
{
	dial_it(NULL, NULL, 0);
	flush_and_read();
	CHECK_INT(next(), RL_CONN_NONE);
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < 60; i++) {
			fake_says(0, i == 40 ? ":0" : ":1");
			CHECK(ask(7) != 0);
			CHECK_INT(
				conn->pending_count, i + 1 + (round == 0)); /* CLIENT SETNAME behind the first */
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

static void what_follows_the_forgotten_is_not_forgotten(void)
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

static void what_cannot_be_queued_is_not_owed(void)
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

static void a_few_owed_replies_do_not_matter(void)
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

static void what_is_not_sent_is_not_reusable(void)
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

static void what_has_become_alike_is_one_run(void)
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
		CHECK_INT(conn->pending_runs, 3); /* CLIENT SETNAME stands behind the first */
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

/* Also where the ring has gone round. */
static void logins_stay_apart_from_what_is_forgotten(void)
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

/* ---- nobody waits for it ---- */

static void what_was_not_sent_is_taken_back(void)
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

static void what_was_sent_is_not(void)
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

/* Some commands have gone out, and one has not: what is behind the login cannot be told apart. */
static void only_what_is_whole_is_taken_back(void)
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

static void how_much_one_may_owe_unheard(void)
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

static void what_has_come_is_counted_off(void)
{
	dial_it("me", "secret", 0);
	fake_says(0, ":1");
	CHECK(tell());
	fake_transport.flush(conn->link);
	conn->pending_since = 5;
	fake_clock += MS;
	CHECK(rl_conn_catch_up(conn, fake_clock)); /* reads it itself */
	CHECK_INT(conn->pending_count, 0);
	CHECK_INT(conn->logins_pending, 0);
	CHECK(conn->heard == RL_CONN_HEARD_SINCE);
	CHECK_INT(conn->pending_since, 0); /* it owes nothing any more */
	CHECK(tell());
	conn->pending_since = 5;
	int64_t now = fake_clock;
	CHECK(rl_conn_catch_up(conn, now));
	CHECK_INT(conn->pending_since, now); /* the server is sent it only now */
	conn->pending_since = 5;
	CHECK(rl_conn_catch_up(conn, fake_clock));
	CHECK_INT(conn->pending_since, 5); /* nothing has come */
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

static void free_of_nothing_is_nothing(void)
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

/* What became of it is what the system took. */
static void an_undo_is_as_sure_as_what_was_sent(void)
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

/* Whatever the command had: every user of the lock may use its key. */
static void an_undo_has_the_lock_s_key_alone(void)
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

static void nobody_waits_for_an_undo(void)
{
	undo_key_of(5, false);
	flush_and_read();
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK_INT(conn->pending_count, 0);
}

static const check_test tests[] = {
	TEST(the_handshake_says_only_what_is_needed),
	TEST(a_dial_that_fails_leaves_nothing),
	TEST(a_refused_login_is_told_once),
	TEST(a_refused_select_is_not_made_good_by_auth),
	TEST(ready_needs_each_login),
	TEST(a_login_is_answered_by_ok),
	TEST(the_name_may_be_refused),
	TEST(replies_go_to_their_askers_in_order),
	TEST(what_is_forgotten_is_counted_off),
	TEST(a_reply_that_nobody_asked_for_is_the_end),
	TEST(an_error_that_nobody_asked_for_is_told),
	TEST(a_break_is_told_after_the_replies),
	TEST(so_many_replies_can_be_owed),
	TEST(many_of_a_kind_take_one_place),
	TEST(what_follows_the_forgotten_is_not_forgotten),
	TEST(what_cannot_be_queued_is_not_owed),
	TEST(a_few_owed_replies_do_not_matter),
	TEST(what_is_not_sent_is_not_reusable),
	TEST(what_has_become_alike_is_one_run),
	TEST(logins_stay_apart_from_what_is_forgotten),
	TEST(what_was_not_sent_is_taken_back),
	TEST(what_was_sent_is_not),
	TEST(only_what_is_whole_is_taken_back),
	TEST(how_much_one_may_owe_unheard),
	TEST(what_has_come_is_counted_off),
	TEST(positions_grow),
	TEST(free_of_nothing_is_nothing),
	TEST(an_undo_is_as_sure_as_what_was_sent),
	TEST(an_undo_has_the_lock_s_key_alone),
	TEST(nobody_waits_for_an_undo),
};

CHECK_MAIN(tests, hang_up)
