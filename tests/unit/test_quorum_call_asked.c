/* SPDX-License-Identifier: MIT
 *
 * Several members: in which order they are asked, which are backed off, how long a late member is
 * waited for, and what stays on its connection.
 *
 * The order of the key is c, a, b of three, and c, d, e, a, b of five.
 */
#include "check.h"
#include "fake.h"

#include <string.h>

#define A 0
#define B 1
#define C 2

#define DRAWN "rl1.AAAAAAAAAAAAAAAAAAAAAAAA" /* T1 in the log */

static void begin_warm(unsigned members)
{
	fake_begin(members);
	for (unsigned i = 0; i < members; i++) {
		fake_warm(i);
	}
}

/* Members a and b are warm, and c is not. */
static void begin_without_c(void)
{
	fake_begin(3);
	fake_warm(A);
	fake_warm(B);
}

static void all_say(unsigned members, const char *text)
{
	for (unsigned i = 0; i < members; i++) {
		fake_says(i, text);
	}
}

static void a_and_b_say(const char *text, int64_t delay)
{
	fake_acts(A, FAKE_SAY, text, delay);
	fake_acts(B, FAKE_SAY, text, delay);
}

static void note_trouble_of_c(void)
{
	rl_pool_note_failure(&fake_pool, &fake_targets[C], fake_clock);
}

static rl_status take(int64_t ttl_ms)
{
	return fake_drive(&fake_acquire(ttl_ms, 0)->op);
}

static rl_status ask(rl_verb verb)
{
	return fake_drive(fake_ask(verb, "tok", 7000));
}

/* ---- the order ---- */

static void a_verb_that_takes_begins_with_the_first_member(void)
{
	begin_warm(5);
	all_say(5, "+OK");
	CHECK_INT(take(30000), RL_OK);
	CHECK_LOG("0 c1 SET k T1 NX PX 30000\n"
			  "0 d1 SET k T1 NX PX 30000\n"
			  "0 e1 SET k T1 NX PX 30000\n"
			  "0 a1 SET k T1 NX PX 30000\n"
			  "0 b1 SET k T1 NX PX 30000\n");
}

static void a_release_ends_with_the_first_member(void)
{
	static const rl_verb verbs[] = {RL_VERB_RELEASE, RL_VERB_FORCE, RL_VERB_EXTEND};
	static const char *const words[] = {"RELEASE k tok", "FORCE k", "EXTEND k tok 7000"};
	for (unsigned i = 0; i < 3; i++) {
		begin_warm(5);
		all_say(5, ":1");
		CHECK_INT(ask(verbs[i]), RL_OK);
		const char *at = fake_log();
		for (const char *letter = "deabc"; *letter != '\0'; letter++) {
			char line[64] = "0 ?1 ";
			line[2] = *letter;
			strcat(strcat(line, words[i]), "\n");
			CHECK(strncmp(at, line, strlen(line)) == 0);
			at += strlen(line);
		}
		fake_end();
	}
}

static void a_verb_that_only_asks_begins_with_the_first_member(void)
{
	begin_warm(3);
	all_say(3, ":1");
	CHECK_INT(ask(RL_VERB_EXISTS), RL_OK);
	CHECK_LOG("0 c1 EXISTS k\n0 a1 EXISTS k\n0 b1 EXISTS k\n");
}

/* ---- members that are backed off ---- */

static void a_member_that_cannot_be_reached_is_backed_off(void)
{
	begin_without_c();
	fake_dials(C, FAKE_REFUSE, 0);
	fake_dials(C, FAKE_REFUSE, 0);
	for (unsigned i = 0; i < 4; i++) {
		a_and_b_say("+OK", 0);
	}
	CHECK_INT(take(30000), RL_OK);
	CHECK_INT(take(30000), RL_OK);
	CHECK_COUNT("dial", 1);
	fake_clock += 10 * MS;
	CHECK_INT(take(30000), RL_OK);
	CHECK_COUNT("10 c2 dial", 1);
	fake_clock += 19 * MS; /* the pause has doubled */
	CHECK_INT(take(30000), RL_OK);
	CHECK_COUNT("dial", 2);
}

static void a_member_that_was_too_slow_is_backed_off(void)
{
	begin_warm(3);
	fake_says(A, "+OK");
	fake_acts(B, FAKE_SILENCE, NULL, 0);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	CHECK_INT(take(30000), RL_ERR_TIMEOUT);
	CHECK(rl_pool_is_worth_asking(&fake_pool, &fake_targets[A], RL_WANT_ANY, fake_clock));
	CHECK(!rl_pool_is_worth_asking(&fake_pool, &fake_targets[B], RL_WANT_ANY, fake_clock));
	CHECK(!rl_pool_is_worth_asking(&fake_pool, &fake_targets[C], RL_WANT_ANY, fake_clock));
	fake_clock += 10 * MS;
	CHECK(rl_pool_is_worth_asking(&fake_pool, &fake_targets[C], RL_WANT_ANY, fake_clock));
}

static void a_member_that_breaks_without_a_reply_is_backed_off(void)
{
	begin_without_c();
	fake_acts(A, FAKE_SAY, "+OK", 10 * MS);
	fake_acts(B, FAKE_SAY, "+OK", 10 * MS);
	fake_dials(C, FAKE_ACCEPT_AT_ONCE, 0);
	fake_acts(C, FAKE_BREAK, NULL, 0);
	fake_login_says(C, "CLIENT", NULL);
	CHECK_INT(take(30000), RL_OK);
	CHECK_COUNT("c1 SET", 1);
	CHECK_COUNT("c2 dial", 0); /* a new connection that breaks is not dialled again */
	CHECK(!rl_pool_is_worth_asking(&fake_pool, &fake_targets[C], RL_WANT_ANY, FAKE_START));
	fake_end();
	/* A connection that has answered before is dialled again. */
	begin_warm(3);
	fake_acts(A, FAKE_SAY, "+OK", 10 * MS);
	fake_acts(B, FAKE_SAY, "+OK", 10 * MS);
	fake_acts(C, FAKE_BREAK, NULL, 0);
	CHECK_INT(take(30000), RL_OK);
	CHECK_COUNT("c2 dial", 1);
	CHECK(fake_pool.troubles == NULL);
}

static void a_backed_off_member_is_not_asked_when_the_others_decide(void)
{
	begin_without_c();
	note_trouble_of_c();
	a_and_b_say("+OK", 124 * MS);
	CHECK_INT(take(30000), RL_OK);
	CHECK_INT(fake_ms(), 124);
	CHECK_COUNT("dial", 0);
	note_trouble_of_c();
	a_and_b_say(":1", 0);
	CHECK_INT(ask(RL_VERB_RELEASE), RL_OK);
	CHECK_COUNT("dial", 0);
	a_and_b_say("_", 0);
	CHECK_INT(take(30000), RL_BUSY);
	CHECK_COUNT("dial", 0);
}

static void a_backed_off_member_is_asked_when_the_others_cannot_decide(void)
{
	begin_without_c();
	note_trouble_of_c();
	fake_says(A, "+OK");
	fake_acts(B, FAKE_SAY, "_", 7 * MS);
	fake_says(C, "+OK");
	CHECK_INT(take(30000), RL_OK);
	CHECK_INT(fake_ms(), 7);
	CHECK_COUNT("7 c1 dial\n7 c1 SET k T1", 1);
}

static void a_backed_off_member_is_asked_when_another_fails(void)
{
	begin_without_c();
	note_trouble_of_c();
	fake_says(A, ":1");
	fake_says(B, "-ERR x");
	fake_says(C, ":1");
	CHECK_INT(ask(RL_VERB_EXTEND), RL_OK);
	CHECK_COUNT("0 c1 EXTEND", 1);
}

static void a_backed_off_member_is_asked_when_the_others_name_different_owners(void)
{
	begin_without_c();
	note_trouble_of_c();
	fake_says(A, "$one");
	fake_acts(B, FAKE_SAY, "$two", 7 * MS);
	fake_says(C, "$two");
	CHECK_INT(ask(RL_VERB_OWNER), RL_OK);
	CHECK_INT(fake_ms(), 7);
	CHECK_COUNT("7 c1 GET k", 1);
}

static void a_backed_off_member_is_asked_after_an_eighth_of_the_timeout(void)
{
	begin_without_c();
	note_trouble_of_c();
	fake_says(A, "+OK");
	fake_acts(B, FAKE_SILENCE, NULL, 0);
	fake_says(C, "+OK");
	CHECK_INT(take(30000), RL_OK);
	CHECK_INT(fake_ms(), 125);
	CHECK_COUNT("125 c1 SET k T1", 1);
}

static void a_backed_off_member_is_asked_sooner_for_a_short_ttl(void)
{
	begin_without_c();
	note_trouble_of_c();
	fake_says(A, "+OK");
	fake_acts(B, FAKE_SILENCE, NULL, 0);
	fake_says(C, "+OK");
	CHECK_INT(take(1000), RL_OK); /* a tenth of it is the timeout */
	CHECK_INT(fake_clock, FAKE_START + 100 * MS / 8);
}

static void members_that_are_all_backed_off_are_asked_at_once(void)
{
	fake_begin(3);
	for (unsigned i = 0; i < 3; i++) {
		rl_pool_note_failure(&fake_pool, &fake_targets[i], fake_clock);
	}
	all_say(3, "+OK");
	CHECK_INT(take(30000), RL_OK);
	CHECK_INT(fake_ms(), 0);
	CHECK_COUNT("dial", 3);
}

static void a_backed_off_member_with_a_connection_is_asked(void)
{
	begin_warm(3);
	note_trouble_of_c();
	a_and_b_say("+OK", 10 * MS);
	fake_says(C, "+OK");
	CHECK_INT(take(30000), RL_OK);
	CHECK_COUNT("0 c1 SET", 1);
	CHECK(fake_pool.troubles == NULL);
}

/* A single server is backed off like any member, and asked at once, because no other member can
 * decide. */
static void a_single_server_is_always_asked(void)
{
	fake_begin(1);
	rl_pool_note_failure(&fake_pool, &fake_targets[A], fake_clock);
	fake_says(A, "+OK");
	CHECK_INT(take(30000), RL_OK);
	CHECK_INT(fake_ms(), 0);
	fake_end();
	fake_begin(1);
	for (unsigned i = 0; i < 4; i++) {
		fake_dials(A, FAKE_REFUSE, 0);
		CHECK_INT(take(30000), RL_ERR_CONNECT);
	}
	CHECK_COUNT("dial", 4);
}

static void a_short_ttl_is_a_short_timeout(void)
{
	begin_warm(3);
	fake_set.members[B].timeout_ns = 20 * MS;
	CHECK_INT(take(300), RL_ERR_TIMEOUT);
	CHECK_INT(fake_ms(), 30);
	CHECK_COUNT("20 b1 end", 0); /* the member is settled together with the others */
	fake_end();
	fake_begin(3);
	for (unsigned i = 0; i < 3; i++) {
		fake_dials(i, FAKE_HANG, 0);
	}
	CHECK_INT(take(300), RL_ERR_CONNECT);
	CHECK_INT(fake_ms(), 30);
	fake_end();
	fake_begin(1);
	CHECK_INT(take(300), RL_ERR_TIMEOUT);
	CHECK_INT(fake_ms(), 1000);
}

/* ---- members that connect late ---- */

static rl_status release_with_c_connecting_after(int64_t answer_ms, int64_t connect_ms)
{
	begin_without_c();
	fake_dials(C, FAKE_ACCEPT, connect_ms * MS);
	a_and_b_say(":1", answer_ms * MS);
	fake_says(C, ":1");
	return ask(RL_VERB_RELEASE);
}

static void a_release_waits_for_a_connection_for_25_ms(void)
{
	CHECK_INT(release_with_c_connecting_after(0, 24), RL_OK);
	CHECK_INT(fake_ms(), 24);
	CHECK_COUNT("24 c1 RELEASE k tok", 1);
	fake_end();
	CHECK_INT(release_with_c_connecting_after(0, 26), RL_OK);
	CHECK_INT(fake_ms(), 25);
	CHECK_COUNT("c1 RELEASE", 0);
	CHECK_COUNT("25 c1 retract", 1);
	CHECK_INT(fake_pool.count, 3);
}

static void a_release_waits_for_a_connection_for_as_long_as_the_outcome_took(void)
{
	CHECK_INT(release_with_c_connecting_after(100, 199), RL_OK);
	CHECK_INT(fake_ms(), 199);
	CHECK_COUNT("199 c1 RELEASE k tok", 1);
	fake_end();
	CHECK_INT(release_with_c_connecting_after(100, 201), RL_OK);
	CHECK_INT(fake_ms(), 200);
	CHECK_COUNT("c1 RELEASE", 0);
}

/* The release of a drawn token may arrive at any time. */
static void the_release_of_a_drawn_token_is_sent_once_it_is_connected(void)
{
	begin_without_c();
	fake_dials(C, FAKE_ACCEPT, 50 * MS);
	a_and_b_say(":1", 0);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, DRAWN, 0)), RL_OK);
	CHECK_INT(fake_ms(), 25);
	CHECK_COUNT("retract", 0);
	fake_clock = FAKE_START + 50 * MS;
	/* The pool looks at the connection. */
	CHECK(rl_pool_has(&fake_pool, &fake_targets[C], RL_WANT_ANY, fake_clock));
	CHECK_COUNT("50 c1 RELEASE k T1\n", 1);
	a_and_b_say("+OK", 0);
	fake_says(C, "+OK");
	CHECK_INT(take(30000), RL_OK);
	CHECK_COUNT("c1 SET", 1);
	CHECK_COUNT("dial", 1);
}

/* The others decide while c logs in: the release has been sent with AUTH. A caller's token, which
 * another client could use in another database, waits for the login. */
static void the_release_of_a_drawn_token_travels_with_the_login(void)
{
	begin_without_c();
	fake_targets[C].password = (rl_secret){"word", 4};
	fake_login_says(C, "AUTH", NULL);
	a_and_b_say(":1", 0);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, DRAWN, 0)), RL_OK);
	CHECK_HAS(fake_log(), "0 c1 AUTH word\n0 c1 RELEASE k T1\n");
	CHECK_COUNT("retract", 0);
	fake_end();
	begin_without_c();
	fake_targets[C].password = (rl_secret){"word", 4};
	fake_login_says(C, "AUTH", NULL);
	a_and_b_say(":1", 0);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_OK);
	CHECK_COUNT("c1 RELEASE", 0);
}

/* The release follows the SET, whether or not the server has read that. */
static void the_release_of_a_drawn_token_goes_on_a_silent_connection(void)
{
	begin_warm(3);
	a_and_b_say("+OK", 0);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	CHECK_INT(take(30000), RL_OK);
	fake_clock = FAKE_START + 5 * SECOND;
	note_trouble_of_c();
	a_and_b_say(":1", 0);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, DRAWN, 0)), RL_OK);
	CHECK_COUNT("5000 c1 RELEASE k T2\n", 1);
	CHECK_COUNT("dial", 0);
	CHECK_COUNT("c1 end", 0);
	/* Any other command does not use the connection. */
	a_and_b_say(":1", 0);
	CHECK_INT(ask(RL_VERB_EXISTS), RL_OK);
	CHECK_COUNT("c1 EXISTS", 0);
	CHECK_COUNT("5000 c1 end", 1);
}

/* The release was sent, and its answer is not waited for. */
static void a_release_that_was_sent_is_not_waited_for(void)
{
	begin_warm(3);
	a_and_b_say(":1", 0);
	fake_acts(C, FAKE_SAY, ":1", 5 * MS);
	CHECK_INT(ask(RL_VERB_RELEASE), RL_OK);
	CHECK_INT(fake_ms(), 0);
	CHECK_COUNT("c1 RELEASE k tok", 1);
	CHECK_INT(fake_pool.count, 3);
}

static void a_verb_that_takes_or_asks_does_not_wait_for_connections(void)
{
	begin_without_c();
	fake_dials(C, FAKE_ACCEPT, 5 * MS);
	a_and_b_say("+OK", 0);
	CHECK_INT(take(30000), RL_OK);
	CHECK_INT(fake_ms(), 0);
	CHECK_COUNT("0 c1 retract", 1);
	a_and_b_say(":1", 0);
	CHECK_INT(ask(RL_VERB_EXISTS), RL_OK);
	CHECK_INT(fake_ms(), 0);
}

static void a_retracted_command_is_never_sent(void)
{
	begin_without_c();
	fake_dials(C, FAKE_ACCEPT, 5 * MS);
	a_and_b_say("+OK", 0);
	CHECK_INT(take(30000), RL_OK);
	fake_clock += 10 * MS;
	all_say(3, ":1");
	CHECK_INT(ask(RL_VERB_RELEASE), RL_OK);
	CHECK_COUNT("c1 SET", 0);
	CHECK_COUNT("10 c1 RELEASE k tok", 1);
	CHECK_COUNT("10 c1 NAME", 1);
}

static void a_half_sent_command_is_not_retracted(void)
{
	begin_warm(3);
	a_and_b_say("+OK", 0);
	fake_acts(C, FAKE_HALF, NULL, RL_NEVER);
	CHECK_INT(take(30000), RL_OK);
	CHECK_COUNT("retract", 0);
	/* The server would not understand a command after half of one. */
	CHECK_COUNT("0 c1 end", 1);
	CHECK_INT(fake_pool.count, 2);
}

/* ---- releases without an answer ---- */

#define FORBIDDEN "-NOPERM User u has no permissions to run the 'x' command"

/* Of three members c does not answer in time. */
static void release_unheard_by_c(const char *token, const char *a_says)
{
	begin_warm(3);
	fake_set.wakes = true;
	fake_says(A, a_says);
	fake_says(A, ":1");
	fake_says(B, ":1");
	fake_acts(C, FAKE_SAY, ":1", 24 * MS);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, token, 0)), RL_OK);
	CHECK_INT(fake_ms(), 0);
	CHECK_INT(fake_pool.count, 3);
	CHECK_COUNT("c1 RELEASE+ k", 1);
}

static void an_unanswered_release_is_sent_once(void)
{
	release_unheard_by_c(DRAWN, ":1");
	CHECK_COUNT("c1 RELEASE", 1);
	CHECK(fake_set.wakes);
}

static void an_unanswered_release_has_both_forms_if_a_member_forbids_the_helper_keys(void)
{
	release_unheard_by_c(DRAWN, FORBIDDEN);
	CHECK_COUNT("c1 RELEASE k T1\n", 1);
	CHECK(!fake_set.wakes);
	fake_forget_log();
	all_say(3, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, DRAWN, 0)), RL_OK);
	CHECK_COUNT("RELEASE k T1\n", 3);
	CHECK_INT(fake_stats.wake_failures, 1);
}

static void an_unanswered_release_has_both_forms_if_helper_keys_of_this_key_are_forbidden(void)
{
	release_unheard_by_c(DRAWN, "-NOPERM No permissions to access a key");
	CHECK_COUNT("c1 RELEASE k T1\n", 1);
	CHECK(fake_set.wakes);
}

/* A second copy could free the lock of another holder with an equal token. */
static void an_unanswered_release_of_a_callers_token_has_one_form(void)
{
	release_unheard_by_c("mine", FORBIDDEN);
	CHECK_COUNT("c1 RELEASE", 1);
}

static void a_refused_release_is_sent_again_without_the_helper_keys(void)
{
	begin_warm(3);
	fake_set.wakes = true;
	fake_says(A, ":1");
	fake_says(B, "-NOPERM x");
	fake_says(B, ":1");
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	CHECK_INT(ask(RL_VERB_RELEASE), RL_OK);
	CHECK_COUNT("b1 RELEASE+ k tok", 1);
	CHECK_COUNT("b1 RELEASE k tok", 1);
	CHECK_INT(fake_stats.wake_failures, 1);
}

/* ---- forceRelease ---- */

static void force_release_waits_for_all_members(void)
{
	begin_warm(3);
	a_and_b_say(":1", 0);
	fake_acts(C, FAKE_SAY, ":1", 300 * MS);
	CHECK_INT(ask(RL_VERB_FORCE), RL_OK);
	CHECK_INT(fake_ms(), 300);
	fake_end();
	begin_warm(3);
	a_and_b_say(":0", 0);
	fake_acts(C, FAKE_SAY, ":1", 300 * MS);
	CHECK_INT(ask(RL_VERB_FORCE), RL_BUSY);
	CHECK_INT(fake_ms(), 300);
}

static void force_release_asks_backed_off_members_at_once(void)
{
	begin_without_c();
	note_trouble_of_c();
	a_and_b_say(":1", 0);
	fake_says(C, ":1");
	CHECK_INT(ask(RL_VERB_FORCE), RL_OK);
	CHECK_COUNT("0 c1 FORCE k\n", 1);
}

static void force_release_waits_no_longer_than_the_timeout(void)
{
	begin_warm(3);
	a_and_b_say(":1", 0);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_FORCE, "", 0)), RL_OK);
	CHECK_INT(fake_ms(), 1000);
}

/* ---- a member that is slow, or reads too little ---- */

/* Many calls in a row need their operations freed. */
static void is_ok(rl_op *op)
{
	CHECK_INT(fake_drive(op), RL_OK);
	fake_free(op);
}

static void all_is_well(rl_verb verb)
{
	is_ok(verb == RL_VERB_SET ? &fake_acquire(30000, 0)->op : fake_ask(verb, "tok", 7000));
}

/* A slow member is not silent if the calls are further apart than the time for its silence. */
static void a_slow_member_keeps_its_connection_over_idle_times(void)
{
	begin_warm(3);
	for (unsigned i = 0; i < 5; i++) {
		fake_clock = FAKE_START + i * 5 * SECOND;
		all_say(3, "+OK");
		all_is_well(RL_VERB_SET); /* no reply is pending after this call */
		fake_clock += 5 * SECOND / 2;
		a_and_b_say("+OK", 0);
		fake_acts(C, FAKE_SAY, "+OK", 3 * MS);
		all_is_well(RL_VERB_SET);
		all_say(3, ":1");
		all_is_well(RL_VERB_EXISTS); /* at the same moment, before c has answered */
	}
	CHECK_COUNT("c1 SET", 10);
	CHECK_COUNT("c1 EXISTS", 5);
	CHECK_COUNT("dial", 0);
	CHECK_COUNT("c1 end", 0);
	CHECK(fake_pool.troubles == NULL);
}

/* A release waits only for a connection that it has dialled itself. */
static void a_connection_that_another_call_dials_is_not_waited_for(void)
{
	begin_without_c();
	fake_dials(C, FAKE_HANG, 0);
	a_and_b_say("+OK", 0);
	CHECK_INT(take(30000), RL_OK);
	for (unsigned i = 0; i < 3; i++) {
		fake_clock = FAKE_START + (i + 1) * 100 * MS;
		a_and_b_say(":1", 0);
		CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, DRAWN, 0)), RL_OK);
		CHECK_INT(fake_ms(), (i + 1) * 100);
	}
	CHECK_COUNT("dial", 1);
}

static void a_release_to_a_connecting_member_arrives_later(void)
{
	begin_without_c();
	fake_dials(C, FAKE_ACCEPT, 20 * MS);
	a_and_b_say("+OK", 0);
	CHECK_INT(take(30000), RL_OK);
	a_and_b_say(":1", 0);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, DRAWN, 0)), RL_OK);
	CHECK_INT(fake_ms(), 0);
	fake_clock += 20 * MS;
	CHECK(rl_pool_has(&fake_pool, &fake_targets[C], RL_WANT_ANY, fake_clock));
	CHECK_COUNT("20 c1 RELEASE k T2\n", 1);
}

/* The system takes no more bytes for the member. */
static void a_member_that_reads_too_little_is_backed_off(void)
{
	begin_warm(3);
	a_and_b_say("+OK", 0);
	fake_acts(C, FAKE_HALF, NULL, RL_NEVER);
	all_is_well(RL_VERB_SET);
	CHECK_COUNT("0 c1 end", 1);
	CHECK(fake_pool.troubles != NULL);
	CHECK_INT(fake_pool.troubles->fails, 1);
	/* The member is backed off. */
	for (unsigned i = 0; i < 5; i++) {
		a_and_b_say("+OK", 0);
		all_is_well(RL_VERB_SET);
		a_and_b_say(":1", 0);
		all_is_well(RL_VERB_RELEASE);
	}
	CHECK_COUNT("dial", 0);
	/* The pauses grow. */
	fake_clock += 10 * MS;
	fake_acts(C, FAKE_HALF, NULL, RL_NEVER);
	fake_login_says(C, "CLIENT", NULL);
	fake_dials(C, FAKE_ACCEPT_AT_ONCE, 0);
	a_and_b_say("+OK", 0);
	all_is_well(RL_VERB_SET);
	CHECK_COUNT("c2 dial", 1);
	CHECK_INT(fake_pool.troubles->fails, 2);
}

static void a_member_with_too_many_pending_replies_is_backed_off(void)
{
	begin_warm(3);
	rl_conn *conn = rl_pool_take(&fake_pool, &fake_targets[C], RL_WANT_ANY, fake_clock);
	rl_request request = {.verb = RL_VERB_EXISTS, .key = bytes_of("k")};
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	for (unsigned i = 0; i < 1024; i++) {
		CHECK(rl_conn_send_blind(conn, &request));
		fake_transport.flush(conn->link);
		fake_forget_log();
	}
	CHECK(rl_conn_is_worth_keeping(conn));
	rl_pool_give_unheard(&fake_pool, conn, SECOND, fake_clock);
	a_and_b_say("+OK", 0);
	CHECK_INT(take(30000), RL_OK);
	CHECK_COUNT("0 c1 end", 1);
	CHECK(fake_pool.troubles != NULL);
	a_and_b_say("+OK", 0);
	CHECK_INT(take(30000), RL_OK);
	CHECK_COUNT("dial", 0);
}

static void a_single_server_that_reads_too_little_is_not_backed_off(void)
{
	fake_begin(1);
	fake_warm(A);
	fake_acts(A, FAKE_HALF, NULL, RL_NEVER);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 10 * MS));
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK(fake_pool.troubles == NULL);
	CHECK_INT(fake_pool.count, 0);
}

static const check_test tests[] = {
	TEST(a_verb_that_takes_begins_with_the_first_member),
	TEST(a_release_ends_with_the_first_member),
	TEST(a_verb_that_only_asks_begins_with_the_first_member),
	TEST(a_member_that_cannot_be_reached_is_backed_off),
	TEST(a_member_that_was_too_slow_is_backed_off),
	TEST(a_member_that_breaks_without_a_reply_is_backed_off),
	TEST(a_backed_off_member_is_not_asked_when_the_others_decide),
	TEST(a_backed_off_member_is_asked_when_the_others_cannot_decide),
	TEST(a_backed_off_member_is_asked_when_another_fails),
	TEST(a_backed_off_member_is_asked_when_the_others_name_different_owners),
	TEST(a_backed_off_member_is_asked_after_an_eighth_of_the_timeout),
	TEST(a_backed_off_member_is_asked_sooner_for_a_short_ttl),
	TEST(members_that_are_all_backed_off_are_asked_at_once),
	TEST(a_backed_off_member_with_a_connection_is_asked),
	TEST(a_single_server_is_always_asked),
	TEST(a_short_ttl_is_a_short_timeout),
	TEST(a_release_waits_for_a_connection_for_25_ms),
	TEST(a_release_waits_for_a_connection_for_as_long_as_the_outcome_took),
	TEST(the_release_of_a_drawn_token_is_sent_once_it_is_connected),
	TEST(the_release_of_a_drawn_token_travels_with_the_login),
	TEST(the_release_of_a_drawn_token_goes_on_a_silent_connection),
	TEST(a_release_that_was_sent_is_not_waited_for),
	TEST(a_verb_that_takes_or_asks_does_not_wait_for_connections),
	TEST(a_retracted_command_is_never_sent),
	TEST(a_half_sent_command_is_not_retracted),
	TEST(an_unanswered_release_is_sent_once),
	TEST(an_unanswered_release_has_both_forms_if_a_member_forbids_the_helper_keys),
	TEST(an_unanswered_release_has_both_forms_if_helper_keys_of_this_key_are_forbidden),
	TEST(an_unanswered_release_of_a_callers_token_has_one_form),
	TEST(a_refused_release_is_sent_again_without_the_helper_keys),
	TEST(force_release_waits_for_all_members),
	TEST(force_release_asks_backed_off_members_at_once),
	TEST(force_release_waits_no_longer_than_the_timeout),
	TEST(a_slow_member_keeps_its_connection_over_idle_times),
	TEST(a_connection_that_another_call_dials_is_not_waited_for),
	TEST(a_release_to_a_connecting_member_arrives_later),
	TEST(a_member_that_reads_too_little_is_backed_off),
	TEST(a_member_with_too_many_pending_replies_is_backed_off),
	TEST(a_single_server_that_reads_too_little_is_not_backed_off),
};

CHECK_MAIN(tests, fake_end)
