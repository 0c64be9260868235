/* SPDX-License-Identifier: MIT
 *
 * Several members: fan-out, quorum, early decision, undoing on a minority.
 */
#include "check.h"
#include "fake.h"

#include <stdio.h>
#include <string.h>

#define A 0
#define B 1
#define C 2
#define D 3
#define E 4

static void begin_warm(unsigned members)
{
	fake_begin(members);
	for (unsigned i = 0; i < members; i++) {
		fake_warm(i);
	}
}

/* One letter for each member: + granted, - refused, x error, . silence. */
static void first_answers(const char *votes)
{
	for (unsigned i = 0; votes[i] != '\0'; i++) {
		switch (votes[i]) {
			case '+':
				fake_says(i, "+OK");
				break;
			case '-':
				fake_says(i, "_");
				break;
			case 'x':
				fake_says(i, "-LOADING x");
				break;
			default:
				fake_acts(i, FAKE_SILENCE, NULL, 0);
				break;
		}
	}
}

/* After a split vote all members refuse the next try. */
static rl_status take(const char *votes)
{
	begin_warm((unsigned) strlen(votes));
	first_answers(votes);
	for (unsigned i = 0; votes[i] != '\0'; i++) {
		if (votes[i] == '+') {
			fake_says(i, ":1");
		}
		if (votes[i] != '.') {
			fake_says(i, "_");
		}
	}
	return fake_drive(&fake_acquire(30000, 0)->op);
}

/* ---- votes ---- */

static void the_votes_decide_the_outcome(void)
{
	static const struct {
		const char *votes;
		rl_status status;
		int64_t at_ms;
	} cases[] = {{"++", RL_OK, 0}, {"+-", RL_BUSY, 0}, {"-.", RL_BUSY, 0}, {"+x", RL_ERR_SERVER, 0},
		{"x-", RL_BUSY, 0}, {"+.", RL_ERR_TIMEOUT, 1000}, {"+++", RL_OK, 0}, {"++-", RL_OK, 0},
		{"++x", RL_OK, 0}, {"++.", RL_OK, 0}, {".++", RL_OK, 0}, {"+--", RL_BUSY, 0},
		{"--.", RL_BUSY, 0}, {"-x-", RL_BUSY, 0}, {"xx.", RL_ERR_SERVER, 0},
		{"+x-", RL_ERR_SERVER, 0}, {"-x.", RL_ERR_TIMEOUT, 1000}, {"+..", RL_ERR_TIMEOUT, 1000},
		{"...", RL_ERR_TIMEOUT, 1000}, {"+++..", RL_OK, 0}, {"++---", RL_BUSY, 0},
		{"---..", RL_BUSY, 0}, {"xxx..", RL_ERR_SERVER, 0}, {"++--x", RL_ERR_SERVER, 0},
		{"++-x.", RL_ERR_TIMEOUT, 1000}, {"++xx.", RL_ERR_TIMEOUT, 1000}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		rl_status status = take(cases[i].votes);
		if (status != cases[i].status || fake_ms() != cases[i].at_ms) {
			FAIL("%s: %d at %d ms", cases[i].votes, (int) status, (int) fake_ms());
		}
		/* Members that have granted the lock, or have not answered, get an undo unless the whole
		 * call is granted. */
		unsigned undone = 0;
		for (const char *vote = cases[i].votes; *vote != '\0'; vote++) {
			undone += status != RL_OK && (*vote == '+' || *vote == '.');
		}
		if (fake_count("RELEASE k T1") != undone || fake_stats.grants_undone != undone) {
			FAIL("%s: undone %u\n%s", cases[i].votes, fake_count("RELEASE k T1"), fake_log());
		}
		fake_end();
	}
}

static void all_members_are_asked_at_once(void)
{
	begin_warm(3);
	for (unsigned i = 0; i < 3; i++) {
		fake_acts(i, FAKE_SAY, "+OK", (int64_t) (3 - i) * 10 * MS);
	}
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	/* The order of this key: see rl_order.h. */
	CHECK_LOG("0 c1 SET k T1 NX PX 30000\n"
			  "0 a1 SET k T1 NX PX 30000\n"
			  "0 b1 SET k T1 NX PX 30000\n");
	CHECK_INT(fake_ms(), 20);
	CHECK_INT(fake_pool.count, 3);
}

static void a_late_answer_is_discarded(void)
{
	begin_warm(3);
	first_answers("++");
	fake_acts(C, FAKE_SAY, "+OK", 500 * MS);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK);
	CHECK_INT(fake_ms(), 0);
	/* The late +OK of c arrives before its answer to this call, and is discarded. */
	fake_says(A, "-LOADING x");
	fake_says(B, "_");
	fake_says(C, "_");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
	CHECK_INT(fake_ms(), 500);
	CHECK_COUNT("dial", 0);
}

static void take_by_two(int64_t at_ms)
{
	fake_clock = FAKE_START + at_ms * MS;
	fake_says(A, "+OK");
	fake_says(B, "+OK");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK);
	CHECK_INT(fake_ms(), at_ms);
}

static void a_member_that_never_answers_is_closed_in_time(void)
{
	begin_warm(3);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	fake_dials(C, FAKE_HANG, 0);
	take_by_two(0);
	take_by_two(300);
	take_by_two(999);
	CHECK_COUNT("c1 SET", 3);
	take_by_two(1000);
	take_by_two(1001);
	CHECK_COUNT("c1 SET", 3);
	CHECK_COUNT("1000 c1 end", 1);
	CHECK_COUNT("1000 c2 dial", 1);
	CHECK_COUNT("dial", 1);
}

static void a_hanging_connect_is_not_waited_for(void)
{
	fake_begin(3);
	fake_dials(C, FAKE_HANG, 0);
	fake_dials(C, FAKE_HANG, 0);
	take_by_two(0);
	CHECK_COUNT("0 c1 retract\n", 1);
	CHECK_INT(fake_pool.count, 3);
	take_by_two(999);
	CHECK_COUNT("999 c1 retract\n", 1);
	/* The time for connecting is over. */
	take_by_two(1000);
	CHECK_COUNT("1000 c1 close\n1000 c2 dial\n", 1);
	CHECK_INT(fake_pool.count, 3);
}

static void proof_counts_from_the_first_member_that_granted(void)
{
	fake_begin(3);
	fake_dials(A, FAKE_ACCEPT, 300 * MS);
	fake_dials(B, FAKE_ACCEPT, 100 * MS);
	fake_dials(C, FAKE_ACCEPT, 200 * MS);
	first_answers("+-+");
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(acquire->proven_until,
		FAKE_START + 200 * MS + 30 * SECOND - rl_set_drift(&fake_set, 30 * SECOND));
}

static void members_have_their_own_timeouts(void)
{
	begin_warm(3);
	fake_set.members[A].timeout_ns = 300 * MS;
	fake_set.members[B].timeout_ns = 200 * MS;
	first_answers("...");
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_TIMEOUT);
	CHECK_INT(fake_ms(), 300);
	CHECK_COUNT("300 a1 RELEASE k T1\n300 a1 end\n", 1);
	CHECK_COUNT("300 b1 RELEASE k T1\n300 b1 end\n", 1);
	/* The timeout of c was not over, so its connection stays. */
	CHECK_COUNT("300 c1 RELEASE k T1\n", 1);
	CHECK_INT(fake_pool.count, 1);
}

/* ---- waits ---- */

static void after_split_votes_comes_a_fresh_token(void)
{
	begin_warm(3);
	first_answers("+--");
	fake_says(A, ":1");
	for (unsigned i = 0; i < 3; i++) {
		fake_says(i, "*:1 :0");
	}
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
	CHECK_LOG("0 c1 SET k T1 NX PX 30000\n"
			  "0 a1 SET k T1 NX PX 30000\n"
			  "0 b1 SET k T1 NX PX 30000\n"
			  "0 a1 RELEASE k T1\n"
			  "0 c1 try k T2 30000 0 0 - 0\n"
			  "0 a1 try k T2 30000 0 0 - 0\n"
			  "0 b1 try k T2 30000 0 0 - 0\n");
	CHECK_INT(fake_stats.split_votes, 1);
}

static void a_refusal_by_all_keeps_the_token(void)
{
	begin_warm(3);
	for (unsigned i = 0; i < 3; i++) {
		fake_acts(i, FAKE_SAY, "_", 0);
		fake_says(i, "*:1 :0");
	}
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
	/* The call has not waited for the third refusal, although it had arrived. */
	CHECK(fake_count("try k T") == 3);
}

static void failures_that_pass_are_waited_for(void)
{
	begin_warm(3);
	first_answers("xx-");
	for (unsigned i = 0; i < 3; i++) {
		fake_says(i, "*:1 :0");
	}
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
	CHECK_INT(fake_ms(), 10);
	fake_end();
	begin_warm(3);
	fake_says(A, "-LOADING x");
	fake_says(B, "-NOAUTH x");
	fake_says(C, "_");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_ERR_SERVER);
	CHECK_INT(fake_ms(), 0);
}

static void an_abandoned_call_undoes_all_grants_that_may_exist(void)
{
	begin_warm(5);
	for (unsigned i = 0; i < 5; i++) {
		fake_acts(i, FAKE_SAY, i == D ? "_" : "+OK", (int64_t) (i < 2 || i == D ? 0 : 50) * MS);
	}
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 10 * MS));
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("RELEASE k T1", 4);
	CHECK_COUNT("d1 RELEASE", 0);
	CHECK_INT(fake_pool.count, 5);
}

static void in_a_forked_child_nothing_is_sent(void)
{
	begin_warm(3);
	first_answers("+..");
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 10 * MS));
	fake_fork();
	rl_op_abandon(&acquire->op, fake_clock, true);
	CHECK_COUNT("RELEASE", 0);
	CHECK_INT(fake_open_links(), 0);
}

static void a_quorum_that_came_too_late_is_given_back(void)
{
	begin_warm(3);
	fake_acts(A, FAKE_SAY, "+OK", MS);
	fake_acts(B, FAKE_SAY, "+OK", MS);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	fake_lag(50 * MS); /* this process was stopped */
	rl_acquire *acquire = fake_acquire(20, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SLOW);
	CHECK_COUNT("51 a1 RELEASE", 1);
	CHECK_COUNT("51 b1 RELEASE", 1);
	CHECK_COUNT("51 c1 RELEASE", 1);
	CHECK_HAS(acquire->op.err->message, "3 servers: too slow: the lock was granted after 0.051 s");
}

static void a_break_on_one_member_does_not_concern_the_others(void)
{
	begin_warm(3);
	fake_acts(A, FAKE_BREAK, NULL, 0);
	fake_says(A, "*:1 :0");
	fake_acts(B, FAKE_SAY, "+OK", 20 * MS);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK);
	CHECK_COUNT("0 a2 try k T1 30000 1", 1);
	CHECK_COUNT("try", 1);
	CHECK_INT(fake_ms(), 20);
}

/* Member b's SET of 0 ms ran, its answer is lost and b cannot be reached when the others refuse. */
static rl_acquire *doubt_on_b(void)
{
	begin_warm(3);
	fake_acts(B, FAKE_BREAK, NULL, 20 * MS);
	fake_dials(B, FAKE_REFUSE, 0);
	fake_acts(A, FAKE_SAY, "_", 25 * MS);
	fake_acts(C, FAKE_SAY, "_", 25 * MS);
	return fake_acquire(30000, SECOND);
}

/* The try for a token in doubt sets the whole TTL. */
static void check_proof_of(const rl_acquire *acquire, int64_t ms)
{
	CHECK_INT(acquire->proven_until,
		FAKE_START + ms * MS + 30 * SECOND - rl_set_drift(&fake_set, 30 * SECOND));
}

static void a_member_in_doubt_gets_a_try_that_says_maybe_ours(void)
{
	rl_acquire *acquire = doubt_on_b();
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 30 * MS));
	fake_says(A, "*:1 :0");
	fake_says(B, "*:1 :0");
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("35 b3 try k T1 30000 1", 1);
	check_proof_of(acquire, 35);
}

static void a_doubt_outlasts_the_refusal_of_another_member(void)
{
	rl_acquire *acquire = doubt_on_b();
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 30 * MS));
	fake_says(A, "*:0 :0 :100 :4 :1");
	fake_says(C, "*:0 :0 :100 :4 :1");
	fake_dials(B, FAKE_REFUSE_LATER, 10 * MS); /* the try of 35 ms does not reach b */
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 40 * MS));
	fake_says(A, "*:1 :0");
	fake_says(B, "*:1 :0");
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("55 b4 try k T1 30000 1", 1);
	check_proof_of(acquire, 55);
}

static void a_warm_member_may_be_in_doubt_among_cold_ones(void)
{
	fake_begin(3);
	fake_warm(B);
	fake_dials(A, FAKE_ACCEPT, 400 * MS);
	fake_dials(C, FAKE_ACCEPT, 400 * MS);
	fake_acts(B, FAKE_BREAK, NULL, 395 * MS);
	fake_dials(B, FAKE_REFUSE, 0);
	fake_says(A, "_");
	fake_says(C, "_");
	rl_acquire *acquire = fake_acquire(30000, 2 * SECOND);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 402 * MS));
	fake_says(A, "*:1 :0");
	fake_says(B, "*:1 :0");
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("410 b3 try k T1 30000 1", 1);
	check_proof_of(acquire, 410);
}

/* Members b and c decide. The answer of a has arrived with theirs, and is read when the call is
 * settled. */
static rl_status last_word(const char *word)
{
	begin_warm(3);
	fake_acts(A, FAKE_SAY, word, 5 * MS);
	fake_acts(B, FAKE_SAY, "-ERR x", 0);
	fake_acts(C, FAKE_SAY, "-ERR x", 0);
	fake_lag(10 * MS);
	return fake_drive(&fake_acquire(30000, 0)->op);
}

static void a_last_answer_that_is_an_error_is_no_grant(void)
{
	CHECK_INT(last_word("-NOSCRIPT x"), RL_ERR_SERVER);
	fake_end();
	CHECK_INT(last_word("-ERR x"), RL_ERR_SERVER);
	CHECK_INT(fake_stats.acquired, 0);
}

/* Member b is in doubt, and its new connection is not there yet, when the others refuse. */
static void an_undo_that_cannot_be_sent_is_no_undo(void)
{
	begin_warm(3);
	fake_acts(B, FAKE_BREAK, NULL, 20 * MS);
	fake_dials(B, FAKE_HANG, 0);
	fake_acts(A, FAKE_SAY, "_", 30 * MS);
	fake_acts(C, FAKE_SAY, "_", 30 * MS);
	rl_acquire *acquire = fake_acquire(30000, SECOND);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 35 * MS));
	CHECK_COUNT("RELEASE", 0);
	CHECK_INT(fake_stats.grants_undone, 0);
	CHECK(acquire->is_maybe_ours);
}

/* a granted, the others refused, and the undo does not reach a: a still has the token. */
static void a_grant_that_is_not_undone_is_in_doubt(void)
{
	begin_warm(3);
	first_answers("+--");
	fake_acts(A, FAKE_BREAK_UNSENT, NULL, 0);
	fake_says(A, "*:1 :0");
	fake_says(B, "*:1 :0");
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	rl_acquire *acquire = fake_acquire(30000, SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_stats.grants_undone, 0);
	CHECK_COUNT("0 a2 try k T1 30000 1", 1);
	CHECK_INT(
		acquire->proven_until, fake_clock + 30 * SECOND - rl_set_drift(&fake_set, 30 * SECOND));
}

/* ---- the other verbs ---- */

static void release_needs_a_quorum(void)
{
	static const struct {
		const char *const votes[3];
		rl_status status;
	} cases[] = {{{":1", ":1", ":1"}, RL_OK}, {{":1", ":0", ":1"}, RL_OK},
		{{":0", ":0", ":1"}, RL_BUSY}, {{":1", "-LOADING x", "-LOADING x"}, RL_ERR_SERVER},
		{{":0", "-LOADING x", ":0"}, RL_BUSY}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		begin_warm(3);
		for (unsigned j = 0; j < 3; j++) {
			fake_says(j, cases[i].votes[j]);
		}
		CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), (int64_t) cases[i].status);
		CHECK_COUNT("RELEASE k tok", 3);
		fake_end();
	}
}

static void release_reaches_a_member_that_connects_late(void)
{
	fake_begin(3);
	fake_warm(A);
	fake_warm(B);
	fake_dials(C, FAKE_ACCEPT, 20 * MS);
	fake_says(A, ":1");
	fake_says(B, ":1");
	fake_says(C, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_OK);
	CHECK_COUNT("20 c1 RELEASE k tok", 1);
}

static void an_extend_below_the_quorum_is_undone(void)
{
	begin_warm(3);
	fake_says(A, ":1");
	fake_says(B, ":0");
	fake_says(C, ":0");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXTEND, "tok", 7000)), RL_BUSY);
	CHECK_COUNT("a1 RELEASE k tok", 1);
}

static void a_failed_quorum_names_each_server(void)
{
	begin_warm(3);
	first_answers("x.x");
	fake_acts(B, FAKE_SILENCE, NULL, 0);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_HAS(acquire->op.err->message, "redis://a:6379");
	CHECK_HAS(acquire->op.err->message, "redis://c:6379");
}

static const check_test tests[] = {
	TEST(the_votes_decide_the_outcome),
	TEST(all_members_are_asked_at_once),
	TEST(a_late_answer_is_discarded),
	TEST(a_member_that_never_answers_is_closed_in_time),
	TEST(a_hanging_connect_is_not_waited_for),
	TEST(proof_counts_from_the_first_member_that_granted),
	TEST(members_have_their_own_timeouts),
	TEST(after_split_votes_comes_a_fresh_token),
	TEST(a_refusal_by_all_keeps_the_token),
	TEST(failures_that_pass_are_waited_for),
	TEST(an_abandoned_call_undoes_all_grants_that_may_exist),
	TEST(in_a_forked_child_nothing_is_sent),
	TEST(a_quorum_that_came_too_late_is_given_back),
	TEST(a_break_on_one_member_does_not_concern_the_others),
	TEST(a_member_in_doubt_gets_a_try_that_says_maybe_ours),
	TEST(a_doubt_outlasts_the_refusal_of_another_member),
	TEST(a_warm_member_may_be_in_doubt_among_cold_ones),
	TEST(a_last_answer_that_is_an_error_is_no_grant),
	TEST(an_undo_that_cannot_be_sent_is_no_undo),
	TEST(a_grant_that_is_not_undone_is_in_doubt),
	TEST(release_needs_a_quorum),
	TEST(release_reaches_a_member_that_connects_late),
	TEST(an_extend_below_the_quorum_is_undone),
	TEST(a_failed_quorum_names_each_server),
};

CHECK_MAIN(tests, fake_end)
