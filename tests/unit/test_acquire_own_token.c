/* SPDX-License-Identifier: MIT
 *
 * Several members and a caller's own token. A token of our form goes the way of drawn ones until it
 * was undone. Otherwise a drawn token has to win, and a swap puts the caller's in its place.
 */
#include "check.h"
#include "fake.h"

#include <string.h>

#define A 0
#define B 1
#define C 2

#define REFUSED "*:0 :0 :100 :4 :1"
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

static void check_has_own_token(const rl_acquire *acquire)
{
	CHECK(rl_bytes_equal(acquire->token, bytes_of("mine")));
}

/* The end of the proof of a grant so many ms after the start. */
static int64_t proof_since(int64_t ms)
{
	return FAKE_START + (ms + 30000) * MS - rl_set_drift(&fake_set, 30000 * MS);
}

/* ---- a token of our form ---- */

static void a_token_of_our_form_is_not_swapped_in(void)
{
	begin_warm(3);
	say("+OK", "+OK", "_");
	rl_acquire *acquire = fake_acquire_own(FAKE_DRAWN, 30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK(rl_bytes_equal(acquire->token, bytes_of(FAKE_DRAWN)));
	CHECK_COUNT("SET k drawn", 3);
	CHECK_COUNT("SWAP", 0);
}

/* Member a has granted the lock, and the others refuse. */
static rl_acquire *split_on_a(const char *token)
{
	begin_warm(3);
	say("+OK", "_", "_");
	return fake_acquire_own(token, 30000, 5 * SECOND);
}

static void a_token_of_our_form_is_swapped_in_after_its_undo(void)
{
	rl_acquire *acquire = split_on_a(FAKE_DRAWN);
	say(":1", TAKEN, TAKEN);
	say(REFUSED, ":1", ":1");
	say(":0", NULL, NULL);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("0 a1 RELEASE k drawn\n", 1);
	CHECK_COUNT("RELEASE", 1);
	CHECK_COUNT("k drawn NX", 3); /* the SET */
	CHECK_COUNT("SWAP k T1 drawn 30000\n", 3);
	CHECK(rl_bytes_equal(acquire->token, bytes_of(FAKE_DRAWN)));
	CHECK_INT(fake_stats.grants_undone, 1);
}

/* The swap follows the undo on the same connection. */
static void the_swap_follows_the_undo_of_the_same_token(void)
{
	rl_acquire *acquire = split_on_a(FAKE_DRAWN);
	fake_acts(A, FAKE_SAY, ":1", 200 * MS);
	say(TAKEN, TAKEN, REFUSED);
	say(":1", ":1", ":0");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("a1 SWAP k T1 drawn 30000\n", 1);
	CHECK_COUNT("a2", 0);
}

/* On a connection that has ended, member a may still run the undo of an earlier call. */
static void a_drawn_token_is_released_where_the_swap_has_to_wait(void)
{
	begin_warm(3);
	fake_acts(A, FAKE_SILENCE, NULL, 0);
	fake_acts(B, FAKE_SILENCE, NULL, 0);
	say(":1", ":1", "_");
	CHECK_INT(fake_drive(&fake_acquire_own(FAKE_DRAWN, 30000, 0)->op), RL_ERR_TIMEOUT);
	CHECK_COUNT("a1 RELEASE k drawn\n", 1);
	fake_kill(B); /* it has read its undo */
	fake_forget_log();
	say("+OK", "+OK", "+OK");
	say(":1", ":1", ":1");
	rl_acquire *acquire = fake_acquire_own(FAKE_DRAWN, 30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("a2 SET k T1", 1);
	CHECK_COUNT("SWAP k T1 drawn 30000\n", 2);
	CHECK_COUNT("a2 RELEASE k T1\n", 1);
	CHECK_COUNT("RELEASE", 1);
	CHECK(rl_bytes_equal(acquire->token, bytes_of(FAKE_DRAWN)));
}

static void a_token_of_our_form_is_undone_without_an_answer(void)
{
	begin_warm(3);
	say("_", "_", NULL);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(&fake_acquire_own(FAKE_DRAWN, 30000, 0)->op), RL_BUSY);
	CHECK_COUNT("c1 RELEASE k drawn\n", 1);
	CHECK_COUNT("RELEASE", 1);
}

static void a_token_of_our_form_is_maybe_ours_after_a_lost_answer(void)
{
	begin_warm(3);
	say("_", NULL, "+OK");
	fake_acts(B, FAKE_BREAK, NULL, 0);
	fake_says(B, TAKEN);
	CHECK_INT(fake_drive(&fake_acquire_own(FAKE_DRAWN, 30000, 0)->op), RL_OK);
	CHECK_COUNT("b2 try k drawn 30000 1 0", 1);
	CHECK_COUNT("SWAP", 0);
}

/* ---- any other token ---- */

static void a_refusal_waits_for_no_further_member(void)
{
	static const char *const own[] = {"mine", FAKE_DRAWN};
	for (unsigned i = 0; i < 2; i++) {
		begin_warm(3);
		say("_", "_", NULL);
		fake_acts(C, FAKE_SAY, "_", 300 * MS);
		CHECK_INT(fake_drive(&fake_acquire_own(own[i], 30000, 0)->op), RL_BUSY);
		CHECK_INT(fake_ms(), 0);
		fake_end();
	}
}

static void only_the_drawn_token_is_undone_after_a_split_vote(void)
{
	rl_acquire *acquire = split_on_a("mine");
	say(":1", TAKEN, TAKEN);
	say(REFUSED, ":1", ":1");
	say(":0", NULL, NULL);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("a1 RELEASE k T1\n", 1);
	CHECK_COUNT("RELEASE", 1);
	CHECK_COUNT("mine", 3);
	CHECK_COUNT("SWAP k T2 mine 30000\n", 3);
	check_has_own_token(acquire);
}

static void a_forked_child_closes_the_connection_with_the_undo(void)
{
	rl_acquire *acquire = split_on_a("mine");
	fake_acts(A, FAKE_SAY, ":1", 200 * MS);
	fake_acts(B, FAKE_SAY, TAKEN, 200 * MS);
	fake_acts(C, FAKE_SAY, TAKEN, 200 * MS);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 100 * MS));
	CHECK_COUNT("a1 RELEASE k T1\n", 1);
	fake_fork();
	fake_forget_log();
	rl_op_abandon(&acquire->op, fake_clock, true);
	rl_pool_clear(&fake_pool);
	CHECK_COUNT("RELEASE", 0);
	CHECK_INT(fake_open_links(), 0);
}

static void a_member_that_could_not_be_reached_is_not_undone(void)
{
	fake_begin(3);
	fake_warm(A);
	fake_warm(B);
	fake_dials(C, FAKE_REFUSE, 0);
	say("_", "_", NULL);
	say(REFUSED, TAKEN, TAKEN);
	say(":0", ":1", ":1");
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 5 * SECOND)->op), RL_OK);
	CHECK_COUNT("RELEASE", 0);
	CHECK_COUNT("c2 try k T1", 1);
	CHECK_COUNT("c2 SWAP k T1 mine", 1);
}

/* ---- the swap ---- */

/* All members have refused the SET, and a and b grant the try at 10 ms. */
static rl_acquire *won_on_a_and_b(const char *c)
{
	begin_warm(3);
	say("_", "_", "_");
	say(TAKEN, TAKEN, c);
	return fake_acquire_own("mine", 30000, 5 * SECOND);
}

static void each_member_is_asked_to_swap(void)
{
	rl_acquire *acquire = won_on_a_and_b(REFUSED);
	fake_acts(A, FAKE_SAY, ":1", 5 * MS);
	fake_acts(B, FAKE_SAY, ":1", 8 * MS);
	fake_says(C, ":0");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("10 a1 SWAP k T1 mine 30000\n", 1);
	CHECK_COUNT("10 b1 SWAP k T1 mine 30000\n", 1);
	CHECK_COUNT("10 c1 SWAP k T1 mine 30000\n", 1);
	CHECK_INT(acquire->proven_until, proof_since(10));
	CHECK_INT(fake_ms(), 18);
}

/* On another connection the swap could overtake the try. */
static void a_swap_follows_a_try_that_is_not_answered(void)
{
	begin_warm(3);
	fake_warm(C);
	say("_", "_", "_");
	say(TAKEN, TAKEN, NULL);
	fake_acts(C, FAKE_SAY, TAKEN, 100 * MS);
	say(":1", ":1", ":1");
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 5 * SECOND)->op), RL_OK);
	CHECK_COUNT("c2 try k T1", 1);
	CHECK_COUNT("c2 SWAP k T1 mine", 1);
	CHECK_COUNT("c1 ", 0);
}

static void a_swap_without_a_quorum_is_undone_on_all_members(void)
{
	rl_acquire *acquire = won_on_a_and_b(REFUSED);
	say(":1", NULL, ":0");
	fake_acts(B, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_TIMEOUT);
	CHECK_COUNT("a1 RELEASE k mine\n", 1); /* as a has answered */
	CHECK_COUNT("b1 RELEASE k T1\n", 1);
	CHECK_COUNT("c1 RELEASE", 0);
	CHECK_COUNT("RELEASE", 2);
	CHECK_HAS(acquire->op.err->message, "outcome unknown");
}

/* Another client has freed the lock on both members. */
static void a_swap_refused_by_all_makes_the_call_wait_again(void)
{
	rl_acquire *acquire = won_on_a_and_b(REFUSED);
	say(":0", ":0", ":0");
	say(TAKEN, TAKEN, TAKEN);
	say(":1", ":1", ":1");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("SWAP k T2 mine", 3);
	CHECK_COUNT("RELEASE", 0);
}

static void a_swap_by_a_minority_has_an_unknown_outcome(void)
{
	rl_acquire *acquire = won_on_a_and_b(REFUSED);
	say(":1", ":0", ":0");
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_UNKNOWN);
	CHECK_COUNT("a1 RELEASE k mine\n", 1);
	CHECK_COUNT("RELEASE", 1);
	CHECK_HAS(acquire->op.err->message,
		"3 servers: the lock was granted, but was lost before your token could be set; outcome unknown");
}

/* On c another caller has set an equal token. */
static void an_equal_token_that_we_did_not_swap_in_is_no_vote(void)
{
	rl_acquire *acquire = won_on_a_and_b(REFUSED);
	say(":1", "-ERR x", ":2");
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_COUNT("c1 RELEASE", 0);
}

/* The answer of b is lost, and the second swap finds the token there: no more is proven than by the
 * win. */
static void an_equal_token_after_a_lost_answer_proves_no_more_than_the_win(void)
{
	rl_acquire *acquire = won_on_a_and_b(REFUSED);
	fake_acts(A, FAKE_SAY, ":1", 20 * MS);
	fake_acts(B, FAKE_BREAK, NULL, 20 * MS);
	fake_says(B, ":2");
	fake_says(C, ":0");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("b2 SWAP k T1 mine 30000\n", 1);
	/* The try of the win was sent at 10 ms as well. */
	CHECK_INT(acquire->proven_until, proof_since(10));
	fake_end();
	acquire = won_on_a_and_b(REFUSED);
	fake_acts(A, FAKE_BREAK, NULL, 20 * MS);
	fake_acts(B, FAKE_BREAK, NULL, 20 * MS);
	say(":1", ":1", ":0");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(acquire->proven_until, proof_since(30));
}

static void an_abandoned_swap_is_undone_on_each_member(void)
{
	rl_acquire *acquire = won_on_a_and_b(TAKEN);
	fake_says(A, ":1");
	fake_acts(B, FAKE_SAY, ":1", 100 * MS);
	fake_acts(C, FAKE_SAY, ":1", 100 * MS);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 50 * MS));
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("50 a1 RELEASE k mine\n", 1);
	CHECK_COUNT("50 b1 RELEASE k T1\n", 1);
	CHECK_COUNT("50 c1 RELEASE k T1\n", 1);
	CHECK_COUNT("RELEASE", 3);
}

static const check_test tests[] = {
	TEST(a_token_of_our_form_is_not_swapped_in),
	TEST(a_token_of_our_form_is_swapped_in_after_its_undo),
	TEST(the_swap_follows_the_undo_of_the_same_token),
	TEST(a_drawn_token_is_released_where_the_swap_has_to_wait),
	TEST(a_token_of_our_form_is_undone_without_an_answer),
	TEST(a_token_of_our_form_is_maybe_ours_after_a_lost_answer),
	TEST(a_refusal_waits_for_no_further_member),
	TEST(only_the_drawn_token_is_undone_after_a_split_vote),
	TEST(a_forked_child_closes_the_connection_with_the_undo),
	TEST(a_member_that_could_not_be_reached_is_not_undone),
	TEST(each_member_is_asked_to_swap),
	TEST(a_swap_follows_a_try_that_is_not_answered),
	TEST(a_swap_without_a_quorum_is_undone_on_all_members),
	TEST(a_swap_refused_by_all_makes_the_call_wait_again),
	TEST(a_swap_by_a_minority_has_an_unknown_outcome),
	TEST(an_equal_token_that_we_did_not_swap_in_is_no_vote),
	TEST(an_equal_token_after_a_lost_answer_proves_no_more_than_the_win),
	TEST(an_abandoned_swap_is_undone_on_each_member),
};

CHECK_MAIN(tests, fake_end)
