/* SPDX-License-Identifier: MIT
 *
 * Several members and a caller's own token. The call learns what became of the token on each member
 * before it goes on, or leaves that member out. After the win of a drawn token, a swap puts the
 * caller's token in its place.
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
	CHECK(rl_bytes_equal(rl_bytes_of(acquire->token, acquire->token_len), bytes_of("mine")));
}

/* The end of the proof of a grant so many ms after the start. */
static int64_t proof_since(int64_t ms)
{
	return FAKE_START + (ms + 30000) * MS - rl_set_drift(&fake_set, 30000 * MS);
}

/* ---- all are waited for ---- */

static void a_refusal_waits_for_all_members(void)
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

static void a_grant_does_not_wait_for_all_members(void)
{
	begin_warm(3);
	say("+OK", "+OK", NULL);
	fake_acts(C, FAKE_SAY, "+OK", 300 * MS);
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 0)->op), RL_OK);
	CHECK_INT(fake_ms(), 0);
}

static void a_grant_after_the_refusal_is_undone(void)
{
	begin_warm(3);
	say("_", "_", NULL);
	fake_acts(C, FAKE_SAY, "+OK", 300 * MS);
	fake_says(C, ":1");
	for (unsigned i = 0; i < 3; i++) {
		say("+OK", "_", "_");
		fake_says(A, ":1"); /* its undo */
	}
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 0)->op), RL_BUSY);
	CHECK_COUNT("300 c1 RELEASE k mine", 1);
	CHECK_COUNT("RELEASE k mine", 1);
	CHECK_COUNT("a1 SET k T", 3); /* a split vote is tried again, with other tokens */
	CHECK_COUNT("a1 SET k mine", 1);
}

/* ---- the undo ---- */

/* Member a has granted the lock, and the others refuse. The test then plans what becomes of the
 * undo. */
static rl_acquire *split_on_a(void)
{
	begin_warm(3);
	say("+OK", "_", "_");
	return fake_acquire_own("mine", 30000, 5 * SECOND);
}

static void the_undo_is_answered_before_the_next_try(void)
{
	rl_acquire *acquire = split_on_a();
	fake_acts(A, FAKE_SAY, ":1", 200 * MS);
	say(TAKEN, TAKEN, REFUSED);
	say(":1", ":1", ":0");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("0 a1 RELEASE k mine\n", 1);
	CHECK(fake_ms() >= 200);
	CHECK_COUNT("a1 try k T1 30000 0 0 - 0\n", 1);
	CHECK_COUNT("a1 SWAP k T1 mine 30000\n", 1);
	check_has_own_token(acquire);
	CHECK_INT(fake_stats.grants_undone, 1);
	CHECK_INT(fake_pool.count, 3);
}

static void no_try_is_sent_while_the_undo_is_unanswered(void)
{
	rl_acquire *acquire = split_on_a();
	fake_acts(A, FAKE_SAY, ":1", 200 * MS);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 199 * MS));
	CHECK_COUNT("try", 0);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("RELEASE", 1); /* one undo */
	CHECK_INT(fake_pool.count, 3);
}

static void a_forked_child_closes_the_connection_with_the_undo(void)
{
	rl_acquire *acquire = split_on_a();
	fake_acts(A, FAKE_SAY, ":1", 200 * MS);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 100 * MS));
	fake_fork();
	fake_forget_log();
	rl_op_abandon(&acquire->op, fake_clock, true);
	rl_pool_clear(&fake_pool);
	CHECK_COUNT("RELEASE", 0);
	CHECK_INT(fake_open_links(), 0);
}

/* The undo may be carried out late, and would then delete the token that is swapped in
 * meanwhile. */
static void a_member_that_does_not_answer_the_undo_is_left_out(void)
{
	static const fake_act acts[] = {FAKE_BREAK, FAKE_SILENCE, FAKE_SAY, FAKE_NONSENSE};
	for (unsigned i = 0; i < 4; i++) {
		rl_acquire *acquire = split_on_a();
		fake_acts(A, acts[i], "-ERR x", 0);
		say(NULL, TAKEN, TAKEN);
		say(NULL, ":1", ":1");
		CHECK_INT(fake_drive(&acquire->op), RL_OK);
		check_has_own_token(acquire);
		CHECK_COUNT("a1 RELEASE k mine", 1);
		CHECK_COUNT("RELEASE", 1);
		CHECK_COUNT("a1 try", 0);
		CHECK_COUNT("a2", 0);
		CHECK(rl_member_call_is_spent(&acquire->op.call.members[A]));
		CHECK_INT(fake_ms(), i == 1 ? 1010 : fake_ms());
		fake_end();
	}
}

static void a_member_that_answers_the_undo_is_asked_on_any_connection(void)
{
	rl_acquire *acquire = split_on_a();
	fake_says(A, ":1");
	say(REFUSED, REFUSED, REFUSED);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 5 * MS));
	fake_kill(A);
	say(TAKEN, TAKEN, REFUSED);
	say(":1", ":1", ":0");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("a2 try k T1", 1);
	CHECK_COUNT("a2 SWAP k T1 mine", 1);
}

/* ---- doubt ---- */

static void a_member_in_doubt_is_left_out(void)
{
	begin_warm(3);
	say("_", "_", NULL);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	say(TAKEN, TAKEN, NULL);
	say(":1", ":1", NULL);
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 5 * SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	check_has_own_token(acquire);
	CHECK_COUNT("c1 SET", 1);
	CHECK_COUNT("c1 try", 0);
	CHECK_COUNT("c2", 0);
	CHECK_COUNT("RELEASE", 0);
	CHECK(rl_member_call_is_spent(&acquire->op.call.members[C]));
}

/* The members that are left could never make a quorum. */
static void too_many_in_doubt_end_the_call(void)
{
	begin_warm(3);
	say("_", NULL, NULL);
	fake_acts(B, FAKE_SILENCE, NULL, 0);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 10 * SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_TIMEOUT);
	CHECK_INT(fake_ms(), 1000);
	CHECK_HAS(acquire->op.err->message, "outcome unknown");
	fake_end();
	/* Two of four members refuse: no client can have the quorum of three, nor can the two others
	 * grant it later. */
	begin_warm(4);
	say("_", "_", NULL);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	fake_acts(3, FAKE_SILENCE, NULL, 0);
	acquire = fake_acquire_own("mine", 30000, 10 * SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_TIMEOUT);
	CHECK_INT(fake_ms(), 1000);
	CHECK_HAS(acquire->op.err->message, "outcome unknown");
	fake_end();
	/* A call that does not wait is refused. */
	begin_warm(4);
	say("_", "_", NULL);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	fake_acts(3, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 0)->op), RL_BUSY);
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
	CHECK_COUNT("c2 try k T1", 1);
	CHECK_COUNT("c2 SWAP k T1 mine", 1);
}

static void doubt_is_reported_at_the_end(void)
{
	begin_warm(3);
	say("_", "-ERR x", NULL);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_TIMEOUT);
	CHECK_HAS(
		acquire->op.err->message, "outcome unknown: if the lock was granted, it ends by its TTL");
}

/* The key has the caller's token after a lost answer. The member cannot say whose token that is. */
static void a_broken_connection_and_the_same_token_is_a_failure(void)
{
	begin_warm(3);
	say("_", NULL, "_");
	fake_acts(B, FAKE_BREAK, NULL, 0);
	fake_says(B, "*:0 :0 :30000 :2 :1");
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_INT(rl_quorum_call_count(&acquire->op.call, RL_VOTE_FAILED), 1);
	CHECK_INT(acquire->op.call.members[B].err->status, RL_ERR_UNKNOWN);
	CHECK_COUNT("RELEASE", 0);
	fake_end();
	begin_warm(3);
	say("+OK", NULL, "-ERR x");
	fake_acts(B, FAKE_BREAK, NULL, 0);
	fake_says(B, "*:0 :0 :30000 :2 :1");
	acquire = fake_acquire_own("mine", 30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_UNKNOWN);
	CHECK_COUNT("a1 RELEASE k mine", 1);
	CHECK_COUNT("RELEASE", 1);
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
	TEST(a_refusal_waits_for_all_members),
	TEST(a_grant_does_not_wait_for_all_members),
	TEST(a_grant_after_the_refusal_is_undone),
	TEST(the_undo_is_answered_before_the_next_try),
	TEST(no_try_is_sent_while_the_undo_is_unanswered),
	TEST(a_forked_child_closes_the_connection_with_the_undo),
	TEST(a_member_that_does_not_answer_the_undo_is_left_out),
	TEST(a_member_that_answers_the_undo_is_asked_on_any_connection),
	TEST(a_member_in_doubt_is_left_out),
	TEST(too_many_in_doubt_end_the_call),
	TEST(a_member_that_could_not_be_reached_is_not_undone),
	TEST(doubt_is_reported_at_the_end),
	TEST(a_broken_connection_and_the_same_token_is_a_failure),
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
