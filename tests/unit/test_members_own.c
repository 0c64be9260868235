/* SPDX-License-Identifier: MIT
 *
 * Several members and a caller's own token: what became of it on each is known before it is tried again, or it is not
 * tried there any more.
 */
#include "check.h"
#include "fake.h"

#include <string.h>

#define A 0
#define B 1
#define C 2

#define REFUSED "*:0 :0 :100 :4"
#define TAKEN "*:1 :0"

static void begin_warm(unsigned members)
{
	fake_begin(members);
	for (unsigned i = 0; i < members; i++) {
		fake_warm(i);
	}
}

static void say(const char *a, const char *b, const char *c)
{
	const char *const answers[] = {a, b, c};
	for (unsigned i = 0; i < 3; i++) {
		if (answers[i] != NULL) {
			fake_says(i, answers[i]);
		}
	}
}

/* ---- all are waited for ---- */

static void a_refusal_waits_for_all(void)
{
	begin_warm(3);
	say("_", "_", NULL);
	fake_acts(C, FAKE_SAY, "_", 300 * MS);
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 0)->op), RL_BUSY);
	CHECK_INT(fake_ms(), 300);
	fake_end();
	begin_warm(3);
	say("_", "_", NULL);
	fake_acts(C, FAKE_SAY, "_", 300 * MS);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
	CHECK_INT(fake_ms(), 0);
}

static void a_grant_does_not(void)
{
	begin_warm(3);
	say("+OK", "+OK", NULL);
	fake_acts(C, FAKE_SAY, "+OK", 300 * MS);
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 0)->op), RL_OK);
	CHECK_INT(fake_ms(), 0);
}

static void what_is_granted_after_the_refusal_is_undone(void)
{
	begin_warm(3);
	say("_", "_", NULL);
	fake_acts(C, FAKE_SAY, "+OK", 300 * MS);
	for (unsigned i = 0; i < 3; i++) {
		fake_says(i, i == C ? ":1" : "_");
	}
	fake_says(C, "_");
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 0)->op), RL_BUSY);
	CHECK_COUNT("300 c1 RELEASE k mine", 1);
	CHECK_COUNT("RELEASE", 1);
}

/* ---- the connection with the undo ---- */

/* a has granted, the others refuse: its undo is under way when the next try is due. */
static rl_acquire *split_on_a(void)
{
	begin_warm(3);
	fake_warm(A); /* a2 is taken, and a1 would do as well */
	fake_set.backoff.first_ns = 50 * MS;
	say("+OK", "_", "_");
	return fake_acquire_own("mine", 30000, SECOND);
}

static void the_next_try_comes_behind_the_undo(void)
{
	rl_acquire *acquire = split_on_a();
	fake_acts(A, FAKE_SAY, ":1", 200 * MS);
	say(TAKEN, TAKEN, REFUSED);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("a2 SET k mine NX PX 30000\n", 1);
	CHECK_COUNT("a2 RELEASE k mine\n", 1);
	CHECK_COUNT("a2 try k mine 30000 0 0 - 1\n", 1);
	CHECK_COUNT(" a1 ", 0);
	CHECK_INT(fake_ms(), 200);
	CHECK_INT(fake_pool.count, 4);
}

/* The pool does not have it meanwhile: what else this process does must not come between. */
static void it_is_kept_out_of_the_pool(void)
{
	rl_acquire *acquire = split_on_a();
	fake_acts(A, FAKE_SAY, ":1", 0);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START));
	CHECK_INT(fake_pool.count, 3);
	CHECK(acquire->op.exchange.seats[A].kept != NULL);
	CHECK(acquire->op.exchange.seats[B].kept == NULL);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_INT(fake_pool.count, 4);
	CHECK_COUNT("RELEASE", 1);
}

static void a_forked_child_closes_it(void)
{
	rl_acquire *acquire = split_on_a();
	fake_acts(A, FAKE_SAY, ":1", 0);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START));
	fake_fork();
	fake_forget_log();
	rl_op_abandon(&acquire->op, fake_clock, true);
	rl_pool_clear(&fake_pool);
	CHECK_COUNT("RELEASE", 0);
	CHECK_INT(fake_open_links(), 0);
}

/* The old undo may still come, and delete what another connection takes. */
static void broken_with_the_undo_on_it_the_member_is_left_out(void)
{
	rl_acquire *acquire = split_on_a();
	fake_acts(A, FAKE_BREAK, NULL, 0);
	say(NULL, REFUSED, REFUSED);
	say(NULL, REFUSED, REFUSED);
	fake_set.retries = 1;
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_COUNT(" a1 ", 0);
	CHECK_COUNT("a3 dial", 0);
	CHECK_COUNT("a2 lost: try k mine", 1);
	CHECK_COUNT("b1 try k mine", 2);
	CHECK(acquire->op.exchange.seats[A].is_spent);
}

static void without_it_the_others_may_do(void)
{
	rl_acquire *acquire = split_on_a();
	fake_acts(A, FAKE_BREAK, NULL, 0);
	say(NULL, TAKEN, TAKEN);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("a3 dial", 0);
	CHECK_INT(rl_exchange_count(&acquire->op.exchange, RL_VOTE_FAILED), 1);
}

static void why_it_is_left_out_is_told(void)
{
	rl_acquire *acquire = split_on_a();
	fake_acts(A, FAKE_BREAK, NULL, 0);
	say(NULL, REFUSED, TAKEN);
	say(NULL, "-ERR x", ":1"); /* c: the undo */
	fake_says(C, TAKEN);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_UNKNOWN);
	CHECK_HAS(acquire->op.err->message,
		"redis://a:6379: not asked again: what became of the token you gave, in an earlier try, is unknown");
	CHECK_COUNT("a3 dial", 0);
}

/* An answer to the try behind the undo says that the undo has been carried out. */
static void an_answer_confirms_the_undo(void)
{
	rl_acquire *acquire = split_on_a();
	fake_says(A, ":1");
	say(REFUSED, REFUSED, REFUSED);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 40 * MS));
	CHECK_INT(fake_pool.count, 4); /* nothing is under way any more */
	fake_kill(A);
	say(TAKEN, TAKEN, REFUSED);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("a3 try k mine 30000 0", 1);
	CHECK(!acquire->op.exchange.seats[A].is_spent);
}

/* Of two undos the second is bound to the connection of the first. */
static void it_is_kept_as_long_as_nothing_is_confirmed(void)
{
	rl_acquire *acquire = split_on_a();
	fake_acts(A, FAKE_SILENCE, NULL, 0);
	say(NULL, REFUSED, REFUSED);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 500 * MS));
	/* All are waited for, and a does not answer. */
	CHECK_COUNT("try k mine", 3);
	CHECK_INT(acquire->phase, RL_ACQUIRE_TRYING);
	say(NULL, TAKEN, REFUSED);
	CHECK(fake_drive_to(&acquire->op, FAKE_START + 3 * SECOND));
	CHECK(acquire->op.exchange.seats[A].is_spent);
}

/* ---- doubt ---- */

static void a_member_in_doubt_is_left_out(void)
{
	begin_warm(3);
	say("_", "_", NULL);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	say(TAKEN, TAKEN, NULL);
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 5 * SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("c1 SET", 1);
	CHECK_COUNT("c1 try", 0);
	CHECK_COUNT("c2", 0);
	CHECK_COUNT("RELEASE", 0);
	CHECK(acquire->op.exchange.seats[C].is_spent);
}

static void one_that_could_not_be_reached_is_not(void)
{
	fake_begin(3);
	fake_warm(A);
	fake_warm(B);
	fake_dials(C, FAKE_REFUSE, 0);
	say("_", "_", NULL);
	say(REFUSED, TAKEN, TAKEN);
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 5 * SECOND)->op), RL_OK);
	CHECK_COUNT("c2 try k mine", 1);
}

static void doubt_is_told_at_the_end(void)
{
	begin_warm(3);
	say("_", "-ERR x", NULL);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_TIMEOUT);
	CHECK_HAS(
		acquire->op.err->message, "outcome unknown: if the lock was granted, it ends by its TTL");
}

/* The key holds it, and nobody can know whose it is: the member cannot say. */
static void a_broken_connection_and_the_same_token_is_a_failure(void)
{
	begin_warm(3);
	say("_", NULL, "_");
	fake_acts(B, FAKE_BREAK, NULL, 0);
	fake_says(B, "*:0 :0 :30000 :2");
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_INT(rl_exchange_count(&acquire->op.exchange, RL_VOTE_FAILED), 1);
	CHECK_INT(acquire->op.exchange.seats[B].err.status, RL_ERR_UNKNOWN);
	CHECK_COUNT("RELEASE", 0);
	fake_end();
	begin_warm(3);
	say("+OK", NULL, "-ERR x");
	fake_acts(B, FAKE_BREAK, NULL, 0);
	fake_says(B, "*:0 :0 :30000 :2");
	acquire = fake_acquire_own("mine", 30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_UNKNOWN);
	CHECK_COUNT("a1 RELEASE k mine", 1);
	CHECK_COUNT("RELEASE", 1);
}

static const check_test tests[] = {
	TEST(a_refusal_waits_for_all),
	TEST(a_grant_does_not),
	TEST(what_is_granted_after_the_refusal_is_undone),
	TEST(the_next_try_comes_behind_the_undo),
	TEST(it_is_kept_out_of_the_pool),
	TEST(a_forked_child_closes_it),
	TEST(broken_with_the_undo_on_it_the_member_is_left_out),
	TEST(without_it_the_others_may_do),
	TEST(why_it_is_left_out_is_told),
	TEST(an_answer_confirms_the_undo),
	TEST(it_is_kept_as_long_as_nothing_is_confirmed),
	TEST(a_member_in_doubt_is_left_out),
	TEST(one_that_could_not_be_reached_is_not),
	TEST(doubt_is_told_at_the_end),
	TEST(a_broken_connection_and_the_same_token_is_a_failure),
};

CHECK_MAIN(tests, fake_end)
