/* SPDX-License-Identifier: MIT
 *
 * Connections of a target with replicas: WAIT after the commands that take or prolong a lock, the
 * replies that are held back, and the end of a connection on which WAIT is pending.
 */
#include "check.h"
#include "dialling.h"

static bool send(rl_verb verb, int64_t ttl_ms, rl_place place, unsigned tag)
{
	rl_request request = {.verb = verb,
		.key = bytes_of("k"),
		.token = bytes_of("mine"),
		.fresh = bytes_of("new"),
		.ttl_ms = ttl_ms,
		.place = place,
		.no_helpers = true};
	return rl_conn_send(conn, &request, tag) != 0;
}

static void ask_for(rl_verb verb, unsigned tag)
{
	CHECK(send(verb, 30000, RL_PLACE_NONE, tag));
}

/* Asks the replicas, flushes, and reads. */
static void confirm_and_read(void)
{
	rl_conn_ask_replicas(conn);
	flush_and_read();
}

static void check_reply(rl_reply_type type, unsigned tag)
{
	check_reply_to(tag);
	CHECK_INT(event.reply.type, type);
}

static void pass(int64_t ms)
{
	fake_clock += ms * MS;
	fake_read(conn->link);
}

/* ---- asking ---- */

static void one_wait_confirms_all_commands_before_it(void)
{
	static const char *const answers[] = {"+OK", ":0", ":1", ":1", ":2"};
	dial_replicated();
	for (unsigned i = 0; i < 5; i++) {
		fake_says(0, answers[i]);
	}
	ask_for(RL_VERB_SET, 3);
	ask_for(RL_VERB_RENEW, 1);
	ask_for(RL_VERB_RELEASE, 4);
	ask_for(RL_VERB_EXTEND, 2);
	confirm_and_read();
	confirm_and_read();
	CHECK_COUNT("WAIT", 1);
	CHECK_COUNT("extend k mine 30000\n0 a1 WAIT 2 100\n", 1);
	check_reply(RL_REPLY_STATUS, 3);
	check_reply(RL_REPLY_INTEGER, 1);
	CHECK_INT(event.reply.integer, 0);
	check_reply(RL_REPLY_INTEGER, 4);
	check_reply(RL_REPLY_INTEGER, 2);
	CHECK_INT(event.reply.integer, 1);
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK_INT(conn->pending_count, 0);
	CHECK(rl_conn_is_reusable(conn));
}

static void the_next_write_has_a_wait_of_its_own(void)
{
	dial_replicated();
	for (unsigned i = 0; i < 2; i++) {
		fake_says(0, "+OK");
		fake_says(0, i == 0 ? ":2" : ":1");
		ask_for(RL_VERB_SET, i);
		confirm_and_read();
	}
	CHECK_COUNT("WAIT 2 100", 2);
	check_reply(RL_REPLY_STATUS, 0);
	check_reply(RL_REPLY_UNCONFIRMED, 1);
	CHECK_INT(next(), RL_CONN_NONE);
}

static void only_verbs_that_take_or_prolong_are_confirmed(void)
{
	static const bool is_confirmed[RL_VERBS] = {[RL_VERB_SET] = true,
		[RL_VERB_TRY] = true,
		[RL_VERB_EXTEND] = true,
		[RL_VERB_RENEW] = true,
		[RL_VERB_SWAP] = true,
		[RL_VERB_FENCE] = true};
	for (unsigned verb = 0; verb < RL_VERBS; verb++) {
		dial_replicated();
		ask_for((rl_verb) verb, 1);
		confirm_and_read();
		if (fake_count("WAIT") != is_confirmed[verb]) {
			FAIL("verb %u: %s", verb, fake_log());
		}
		hang_up();
	}
}

static void without_replicas_nothing_is_asked(void)
{
	dial_replicated();
	fake_targets[0].replicas = 0;
	fake_says(0, "+OK");
	ask_for(RL_VERB_SET, 1);
	confirm_and_read();
	CHECK_COUNT("WAIT", 0);
	check_reply(RL_REPLY_STATUS, 1);
}

/* The time is a twentieth of the shortest TTL, and never 0, which would be endless. */
static void the_time_is_a_part_of_the_ttl(void)
{
	static const struct {
		int64_t ttl_ms;
		const char *log;
	} cases[] = {{30000, "WAIT 2 100\n"}, {2000, "WAIT 2 100\n"}, {1999, "WAIT 2 99\n"},
		{100, "WAIT 2 5\n"}, {19, "WAIT 2 1\n"}, {1, "WAIT 2 1\n"}, {0, "WAIT 2 100\n"}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		dial_replicated();
		CHECK(send(RL_VERB_RENEW, cases[i].ttl_ms, RL_PLACE_NONE, 1));
		CHECK(send(RL_VERB_RENEW, 60000, RL_PLACE_NONE, 1));
		confirm_and_read();
		CHECK_HAS(fake_log(), cases[i].log);
		hang_up();
	}
}

static bool is_out_of_memory;

static bool lacks_memory(void)
{
	return is_out_of_memory;
}

static void a_wait_that_cannot_be_queued_is_queued_later(void)
{
	dial_replicated();
	fake_lacks_memory = lacks_memory;
	fake_says(0, "+OK");
	fake_says(0, ":2");
	ask_for(RL_VERB_SET, 1);
	is_out_of_memory = true;
	confirm_and_read();
	is_out_of_memory = false;
	CHECK_COUNT("WAIT", 0);
	CHECK_INT(next(), RL_CONN_NONE);
	confirm_and_read();
	CHECK_COUNT("WAIT", 1);
	check_reply(RL_REPLY_STATUS, 1);
}

/* ---- holding back ---- */

/* SET is answered at once, and WAIT after the delay. */
static void set_and_confirm(const char *answer, const char *replicas, int64_t delay)
{
	dial_replicated();
	fake_says(0, answer);
	fake_acts(0, FAKE_SAY, replicas, delay);
	ask_for(RL_VERB_SET, 1);
	confirm_and_read();
}

static void a_refusal_is_passed_on_at_once(void)
{
	set_and_confirm("_", ":0", 200 * MS);
	check_reply(RL_REPLY_NIL, 1);
	CHECK(!rl_conn_is_confirming(conn));
	CHECK_INT(conn->pending_count, 1);
	pass(200);
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK_INT(conn->pending_count, 0);
}

static void an_error_is_passed_on_at_once(void)
{
	set_and_confirm("-OOM x", ":0", 200 * MS);
	check_reply(RL_REPLY_ERROR, 1);
}

static void replies_after_a_yes_are_held_back_with_it(void)
{
	dial_replicated();
	fake_says(0, "+OK");
	fake_says(0, ":0");
	fake_acts(0, FAKE_SAY, ":2", 30 * MS);
	ask_for(RL_VERB_SET, 1);
	ask_for(RL_VERB_EXISTS, 2);
	confirm_and_read();
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK(rl_conn_is_confirming(conn));
	pass(30);
	check_reply(RL_REPLY_STATUS, 1);
	check_reply(RL_REPLY_INTEGER, 2);
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK(!rl_conn_is_confirming(conn));
}

static void a_yes_that_too_few_replicas_confirm_is_unconfirmed(void)
{
	set_and_confirm("+OK", ":1", 100 * MS);
	CHECK_INT(next(), RL_CONN_NONE);
	pass(100);
	check_reply(RL_REPLY_UNCONFIRMED, 1);
	CHECK(
		rl_bytes_equal(event.reply.text, bytes_of("only 1 of 2 replicas confirmed within 0.1 s")));
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK(rl_conn_is_reusable(conn));
}

/* Checks the error that a server's error to WAIT becomes. */
static void check_error(const char *reply, const char *code, bool passes, const char *part)
{
	rl_answer answer;
	rl_error err;
	rl_request request = {.verb = RL_VERB_SET};
	dial_replicated();
	fake_says(0, "+OK");
	fake_says(0, reply);
	ask_for(RL_VERB_SET, 1);
	confirm_and_read();
	check_reply(RL_REPLY_UNCONFIRMED, 1);
	rl_answer_read(&request, &event.reply, &answer, &err, NULL, 0);
	CHECK_INT(answer.vote, RL_VOTE_FAILED);
	CHECK_INT(err.status, RL_ERR_UNCONFIRMED);
	CHECK_TEXT(err.code, code);
	CHECK_HAS(err.message, part);
	CHECK_INT(rl_error_passes(&err), passes);
	hang_up();
}

static void an_error_of_wait_passes_or_not(void)
{
	check_error("-NOPERM User x has no permissions to run the 'wait' command", "NOPERM", false,
		"no permissions to run the 'wait' command");
	check_error("-NOPERM x", "NOPERM", false, "the replicas could not be asked (WAIT)");
	check_error("-ERR unknown command 'WAIT', with args beginning with: '2'", "ERR", false, "WAIT");
	check_error("-UNBLOCKED client unblocked via CLIENT UNBLOCK", "UNBLOCKED", true, "UNBLOCKED");
	check_error("-UNBLOCKED force unblock from blocking operation, instance state changed",
		"UNBLOCKED", true, "UNBLOCKED");
	check_error("-ERR WAIT cannot be used with replica instances.", "ERR", true, "replica");
	check_error(":1", "", true, "only 1 of 2 replicas confirmed within 0.1 s");
	check_error("_", "", true, "fewer than 2 replicas confirmed within 0.1 s");
}

static void a_break_before_the_verdict_loses_the_answer(void)
{
	dial_replicated();
	fake_acts(0, FAKE_SAY_BREAK, "+OK", 0);
	ask_for(RL_VERB_SET, 1);
	confirm_and_read();
	CHECK_INT(next(), RL_CONN_DOWN);
	CHECK_INT(event.err.status, RL_ERR_CLOSED);
}

/* ---- the try in the wait queue ---- */

static void wait_follows_a_try_that_took_the_lock(void)
{
	dial_replicated();
	fake_says(0, "*:1 :9");
	fake_says(0, ":2");
	CHECK(send(RL_VERB_TRY, 30000, RL_PLACE_QUEUED, 1));
	confirm_and_read();
	CHECK_COUNT("WAIT", 0);
	CHECK_INT(next(), RL_CONN_NONE); /* this call sends WAIT */
	CHECK_COUNT("WAIT 2 100", 1);
	CHECK(rl_conn_is_confirming(conn));
	fake_read(conn->link);
	check_reply(RL_REPLY_ARRAY, 1);
	CHECK_INT(event.reply.elements[1].integer, 9);
}

static void no_wait_follows_a_try_that_took_nothing(void)
{
	dial_replicated();
	fake_says(0, "*:0 :9 :500 :4 :1");
	CHECK(send(RL_VERB_TRY, 30000, RL_PLACE_QUEUED, 1));
	confirm_and_read();
	check_reply(RL_REPLY_ARRAY, 1);
	confirm_and_read();
	CHECK_COUNT("WAIT", 0);
	/* A later owner of the connection does not send WAIT either. */
	rl_conn_discard_pending(conn);
	fake_says(0, "+OK");
	fake_says(0, ":2");
	ask_for(RL_VERB_SET, 2);
	confirm_and_read();
	check_reply(RL_REPLY_STATUS, 2);
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK_COUNT("WAIT", 1);
	CHECK_INT(conn->pending_count, 0);
}

/* ---- discarding, retracting ---- */

static void a_discarded_reply_waits_for_no_replica(void)
{
	set_and_confirm("+OK", ":0", 100 * MS);
	CHECK_INT(next(), RL_CONN_NONE);
	rl_conn_discard_pending(conn);
	CHECK(!rl_conn_is_confirming(conn));
	fake_says(0, ":7");
	ask_for(RL_VERB_EXISTS, 2);
	confirm_and_read();
	CHECK_INT(next(), RL_CONN_NONE); /* the reply follows that of WAIT */
	pass(100);
	check_reply(RL_REPLY_INTEGER, 2);
	CHECK_INT(event.reply.integer, 7);
	CHECK_INT(conn->pending_count, 0);
}

static void a_wait_that_was_not_sent_is_discarded(void)
{
	dial_replicated();
	fake_says(0, "+OK");
	fake_says(0, ":7");
	ask_for(RL_VERB_SET, 1);
	rl_conn_discard_pending(conn);
	ask_for(RL_VERB_EXISTS, 2);
	confirm_and_read();
	CHECK_COUNT("WAIT", 0);
	check_reply(RL_REPLY_INTEGER, 2);
}

static void a_retracted_command_needs_no_confirmation(void)
{
	dial_replicated();
	conn->is_nameless = true;
	ask_for(RL_VERB_SET, 1);
	rl_conn_ask_replicas(conn);
	CHECK(conn->waits_left > 0);
	ask_for(RL_VERB_SET, 1);
	CHECK(conn->confirm_ms > 0);
	CHECK(rl_conn_retract(conn));
	CHECK_INT(conn->waits_left, 0);
	CHECK_INT(conn->pending_count, 0);
	fake_says(0, ":1");
	ask_for(RL_VERB_EXISTS, 2);
	confirm_and_read();
	CHECK_COUNT("WAIT", 0);
	check_reply(RL_REPLY_INTEGER, 2);
}

/* ---- the end ---- */

static void undo_it(void)
{
	rl_request request = {.verb = RL_VERB_SET, .key = bytes_of("k"), .token = bytes_of("mine")};
	CHECK(rl_conn_undo(conn, &request));
}

/* A server that sees the end while it blocks drops the undo. */
static void a_connection_ends_after_its_pending_wait(void)
{
	set_and_confirm("+OK", ":0", 150 * MS);
	CHECK_INT(next(), RL_CONN_NONE);
	rl_conn_discard_pending(conn);
	undo_it();
	rl_conn_end(conn);
	CHECK_COUNT("end", 0);
	for (unsigned i = 0; i < 3; i++) {
		CHECK(!rl_conn_is_over(conn));
		CHECK_COUNT("end", 0);
		fake_clock += 50 * MS;
	}
	CHECK(!rl_conn_is_over(conn)); /* it is ended now */
	CHECK_COUNT("150 a1 end\n", 1);
	CHECK(rl_conn_is_over(conn));
	CHECK_COUNT("end", 1);
}

static void a_connection_without_a_pending_wait_ends_at_once(void)
{
	dial_replicated();
	confirm_and_read();
	ask_for(RL_VERB_RELEASE, 1);
	confirm_and_read();
	rl_conn_discard_pending(conn);
	rl_conn_end(conn);
	CHECK_COUNT("end", 1);
}

static void a_break_ends_a_connection_that_waits_for_wait(void)
{
	set_and_confirm("+OK", ":0", 150 * MS);
	rl_conn_discard_pending(conn);
	rl_conn_end(conn);
	CHECK(!rl_conn_is_over(conn));
	fake_kill(0);
	CHECK(rl_conn_is_over(conn));
	CHECK_COUNT("end", 0);
}

static const check_test tests[] = {
	TEST(one_wait_confirms_all_commands_before_it),
	TEST(the_next_write_has_a_wait_of_its_own),
	TEST(only_verbs_that_take_or_prolong_are_confirmed),
	TEST(without_replicas_nothing_is_asked),
	TEST(the_time_is_a_part_of_the_ttl),
	TEST(a_wait_that_cannot_be_queued_is_queued_later),
	TEST(a_refusal_is_passed_on_at_once),
	TEST(an_error_is_passed_on_at_once),
	TEST(replies_after_a_yes_are_held_back_with_it),
	TEST(a_yes_that_too_few_replicas_confirm_is_unconfirmed),
	TEST(an_error_of_wait_passes_or_not),
	TEST(a_break_before_the_verdict_loses_the_answer),
	TEST(wait_follows_a_try_that_took_the_lock),
	TEST(no_wait_follows_a_try_that_took_nothing),
	TEST(a_discarded_reply_waits_for_no_replica),
	TEST(a_wait_that_was_not_sent_is_discarded),
	TEST(a_retracted_command_needs_no_confirmation),
	TEST(a_connection_ends_after_its_pending_wait),
	TEST(a_connection_without_a_pending_wait_ends_at_once),
	TEST(a_break_ends_a_connection_that_waits_for_wait),
};

CHECK_MAIN(tests, hang_up)
