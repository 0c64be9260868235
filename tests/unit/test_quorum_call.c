/* SPDX-License-Identifier: MIT
 *
 * The parts of a quorum call that the operations do not show: its budgets, its words about the
 * outcome, its end.
 */
#include "check.h"
#include "fake.h"

#include <string.h>

static rl_quorum_call *exchange_of(rl_op *op)
{
	return &op->call;
}

static rl_op *new_ask(unsigned members)
{
	fake_begin(members);
	return fake_ask(RL_VERB_EXISTS, "", 0);
}

/* ---- budgets ---- */

static void a_budget_is_one_timeout(void)
{
	rl_quorum_call *call = exchange_of(new_ask(1));
	rl_quorum_call_begin(call, RL_WANTED_DECISION, FAKE_START + 7, RL_NEVER);
	CHECK_INT(call->members[0].budget_end, FAKE_START + 7 + SECOND);
	CHECK_INT(call->members[0].budget_max, RL_NEVER);
}

static void a_budget_ends_with_the_latest_moment_plus_a_timeout(void)
{
	rl_quorum_call *call = exchange_of(new_ask(1));
	rl_quorum_call_begin(call, RL_WANTED_DECISION, FAKE_START, FAKE_START + 100 * MS);
	CHECK_INT(call->members[0].budget_end, FAKE_START + SECOND);
	CHECK_INT(call->members[0].budget_max, FAKE_START + SECOND + 100 * MS);
	rl_quorum_call_begin(call, RL_WANTED_DECISION, FAKE_START + 500 * MS, FAKE_START + 100 * MS);
	CHECK_INT(call->members[0].budget_end, FAKE_START + SECOND + 100 * MS);
}

static void a_call_after_the_latest_moment_gets_one_timeout(void)
{
	rl_quorum_call *call = exchange_of(new_ask(1));
	int64_t late = FAKE_START + 100 * SECOND;
	rl_quorum_call_begin(call, RL_WANTED_DECISION, late, late - SECOND);
	CHECK_INT(call->members[0].budget_end, late + SECOND);
	rl_quorum_call_begin(call, RL_WANTED_DECISION, late, late - SECOND + 1);
	CHECK_INT(call->members[0].budget_end, late + 1);
}

static void a_call_that_begins_again_forgets_its_votes(void)
{
	rl_op *op = new_ask(1);
	fake_free(op);
	op = fake_ask(RL_VERB_OWNER, "", 0);
	fake_says(0, "$somebody");
	CHECK_INT(fake_drive(op), RL_OK);
	rl_quorum_call *call = exchange_of(op);
	CHECK(call->members[0].text != NULL);
	rl_quorum_call_begin(call, RL_WANTED_DECISION, fake_clock, RL_NEVER);
	CHECK(call->members[0].text == NULL);
	CHECK_INT(call->members[0].vote, RL_VOTE_OPEN);
	CHECK_INT(call->members[0].state, RL_ERRAND_START);
}

static void a_pause_beyond_the_budget_ends_the_call(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	rl_op *op = fake_ask(RL_VERB_EXISTS, "", 0);
	CHECK(!fake_drive_to(op, FAKE_START + 5 * MS));
	CHECK_INT(fake_wait.count, 0);
	fake_clock += 60 * SECOND;
	CHECK_INT(fake_drive(op), RL_ERR_CLOSED);
	CHECK_INT(fake_ms(), 60005);
	CHECK_INT(fake_stats.connects, 2);
}

static void the_second_dial_does_not_lengthen_the_budget_again(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_ACCEPT, 300 * MS);
	fake_acts(0, FAKE_BREAK, NULL, 100 * MS);
	fake_dials(0, FAKE_ACCEPT, 300 * MS);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXISTS, "", 0)), RL_ERR_TIMEOUT);
	CHECK_INT(fake_ms(), 1300);
}

static void a_call_waits_for_the_first_of_its_times(void)
{
	fake_begin(3);
	fake_warm(0);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	fake_warm(1);
	fake_acts(1, FAKE_BREAK, NULL, 0);
	fake_dials(1, FAKE_HANG, 0);
	fake_acts(1, FAKE_BREAK, NULL, 0);
	fake_set.members[1].connect_timeout_ns = 700 * MS;
	fake_dials(2, FAKE_HANG, 0);
	fake_set.members[2].connect_timeout_ns = 800 * MS;
	rl_op *op = fake_ask(RL_VERB_EXISTS, "", 0);
	CHECK(!fake_drive_to(op, FAKE_START + 500 * MS));
	CHECK_INT(fake_wait.count, 3);
	CHECK_INT(fake_wait.until, FAKE_START + 700 * MS);
	CHECK(!fake_drive_to(op, FAKE_START + 701 * MS));
	CHECK_INT(fake_wait.count, 2); /* one member pauses */
	CHECK_INT(fake_wait.until, FAKE_START + 710 * MS);
}

/* ---- words ---- */

static void each_status_passes_or_not(void)
{
	static const rl_status passing[] = {
		RL_ERR_NAME, RL_ERR_CONNECT, RL_ERR_TIMEOUT, RL_ERR_CLOSED, RL_ERR_UNCONFIRMED};
	rl_quorum_call *call = exchange_of(new_ask(1));
	rl_errand *member = &call->members[0];
	CHECK(rl_quorum_call_may_pass(call));
	member->vote = RL_VOTE_FAILED;
	for (int status = RL_OK; status <= RL_ERR_FORKED; status++) {
		bool is_passing = false;
		for (unsigned i = 0; i < 5; i++) {
			is_passing = is_passing || passing[i] == (rl_status) status;
		}
		*member->err = (rl_error){.status = (rl_status) status, .code = "OOM"};
		CHECK_INT(rl_quorum_call_may_pass(call), is_passing);
		strcpy(member->err->code, "LOADING");
		CHECK_INT(rl_quorum_call_may_pass(call), is_passing || status == RL_ERR_SERVER);
		member->vote = RL_VOTE_REFUSED;
		CHECK(rl_quorum_call_may_pass(call));
		member->vote = RL_VOTE_FAILED;
	}
}

static void a_call_does_not_pass_if_one_failure_stays(void)
{
	rl_quorum_call *call = exchange_of(new_ask(3));
	call->members[0].vote = RL_VOTE_FAILED;
	call->members[0].err->status = RL_ERR_CLOSED;
	call->members[2].vote = RL_VOTE_FAILED;
	call->members[2].err->status = RL_ERR_CLOSED;
	CHECK(rl_quorum_call_may_pass(call));
	call->members[2].err->status = RL_ERR_PROTOCOL;
	CHECK(!rl_quorum_call_may_pass(call));
}

static void the_speaker_is_the_first_member_with_the_vote(void)
{
	rl_quorum_call *call = exchange_of(new_ask(3));
	call->members[1].vote = RL_VOTE_REFUSED;
	call->members[2].vote = RL_VOTE_REFUSED;
	CHECK(rl_quorum_call_speaker(call, RL_VOTE_REFUSED) == &call->members[1]);
	CHECK(rl_quorum_call_speaker(call, RL_VOTE_OPEN) == &call->members[0]);
	CHECK(rl_quorum_call_speaker(call, RL_VOTE_FAILED) == &call->members[0]);
}

static void a_call_counts_as_sent_with_its_first_grant(void)
{
	rl_quorum_call *call = exchange_of(new_ask(3));
	call->members[0].channel.sent_at = 1;
	call->members[1] = (rl_errand){.vote = RL_VOTE_GRANTED, .channel = {.sent_at = 9}};
	call->members[2] = (rl_errand){.vote = RL_VOTE_GRANTED, .channel = {.sent_at = 5}};
	CHECK_INT(rl_quorum_call_sent_at(call), 5);
	call->members[1].vote = call->members[2].vote = RL_VOTE_FAILED;
	CHECK_INT(rl_quorum_call_sent_at(call), RL_NEVER);
}

/* The second copy was answered. The copy that the first connection took may be carried out at any
 * time. */
static void a_copy_that_a_broken_connection_carries_is_a_stray(void)
{
	static const struct {
		fake_act first;
		bool is_stray;
	} cases[] = {{FAKE_SAY, false}, {FAKE_BREAK_UNSENT, false}, {FAKE_BREAK_HALF, false},
		{FAKE_BREAK, true}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		fake_begin(2);
		fake_warm(0);
		fake_warm(1);
		fake_says(0, ":1");
		fake_acts(1, cases[i].first, ":1", 0);
		fake_says(1, ":1");
		rl_op *op = fake_ask(RL_VERB_EXTEND, "tok", 1000);
		CHECK_INT(fake_drive(op), RL_OK);
		CHECK_INT(rl_quorum_call_has_strays(exchange_of(op)), cases[i].is_stray);
		rl_quorum_call_begin(exchange_of(op), RL_WANTED_DECISION, fake_clock, RL_NEVER);
		CHECK(!rl_quorum_call_has_strays(exchange_of(op)));
		fake_end();
	}
}

/* ---- the end ---- */

static void settling_a_call_twice_settles_it_once(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + MS));
	rl_settlement first = rl_quorum_call_settle(exchange_of(&acquire->op), RL_UNDO_ALL, fake_clock);
	CHECK(first.was_undone && first.doubt != RL_DOUBT_UNKNOWN);
	rl_settlement second =
		rl_quorum_call_settle(exchange_of(&acquire->op), RL_UNDO_ALL, fake_clock);
	CHECK(!second.was_undone && second.doubt != RL_DOUBT_UNKNOWN);
	CHECK_INT(fake_stats.grants_undone, 1);
	CHECK_INT(fake_pool.count, 1);
}

static void a_call_that_is_settled_without_an_undo_is_in_doubt(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + MS));
	rl_settlement settlement =
		rl_quorum_call_settle(exchange_of(&acquire->op), RL_UNDO_NOTHING, fake_clock);
	CHECK(!settlement.was_undone && settlement.doubt == RL_DOUBT_UNKNOWN);
}

static void a_dropped_call_gives_no_connection_to_the_pool(void)
{
	fake_begin(2);
	fake_warm(0);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + MS));
	rl_quorum_call_drop(exchange_of(&acquire->op));
	CHECK_INT(fake_pool.count, 0);
	CHECK_INT(fake_open_links(), 0);
	CHECK_INT(fake_stats.grants_undone, 0);
}

static void freeing_no_call_does_nothing(void)
{
	rl_op_free(NULL);
}

/* For any mix of answers, breaks and silences: the call ends in time and leaves nothing, and a call
 * that succeeds holds the lock. */
static uint32_t state;

static uint32_t any(uint32_t below)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % below;
}

static void plan_anything(unsigned index)
{
	if (any(2) == 0) {
		fake_warm(index);
	}
	static const char *const answers[] = {"+OK", "_", "*:1 :0", "*:0 :0 :30 :4 :1",
		"*:0 :0 :30 :2 :1", ":1", ":0", "-LOADING x", "-NOSCRIPT x", "-ERR x", "$x"};
	static const fake_act acts[] = {FAKE_SAY, FAKE_SAY, FAKE_SAY, FAKE_SAY, FAKE_SAY_BREAK,
		FAKE_SILENCE, FAKE_BREAK, FAKE_NONSENSE, FAKE_BREAK_UNSENT, FAKE_BREAK_HALF, FAKE_HALF,
		FAKE_SAY_TWICE};
	static const fake_dial dials[] = {FAKE_ACCEPT, FAKE_ACCEPT, FAKE_ACCEPT, FAKE_ACCEPT_AT_ONCE,
		FAKE_REFUSE, FAKE_REFUSE_LATER, FAKE_HANG, FAKE_NO_NAME};
	for (unsigned i = 0; i < 12; i++) {
		fake_acts(index, acts[any(12)], answers[any(11)], any(3) == 0 ? any(2000) * MS : any(3));
		fake_dials(index, dials[any(8)], any(3) == 0 ? any(1500) * MS : 0);
	}
	if (any(3) == 0) {
		fake_targets[index].database = 2;
		fake_login_says(index, "SELECT", any(3) == 0 ? "-ERR x" : "+OK");
	}
}

static void check_anything(bool is_one)
{
	for (unsigned round = 0; round < 6000; round++) {
		state = round * 2654435761U + 1;
		unsigned members = is_one ? 1 : 2 + any(4);
		fake_begin(members);
		for (unsigned i = 0; i < members; i++) {
			plan_anything(i);
		}
		int64_t wait = any(2) * any(3000) * MS;
		rl_op *op = any(5) == 0 ? fake_take_over("tok", 1000)
			: any(4) == 0       ? fake_ask((rl_verb) (RL_VERB_RELEASE + any(6)), "tok", 1000)
			: any(3) == 0       ? &fake_acquire_own("mine", 1000 + any(5000), wait)->op
								: &fake_acquire(1000 + any(5000), wait)->op;
		int64_t latest = FAKE_START + wait + 3 * SECOND;
		if (any(4) == 0) {
			bool is_forked = any(2) == 0;
			if (!fake_drive_to(op, FAKE_START + any(2000) * MS)) {
				rl_op_abandon(op, fake_clock, is_forked);
			}
		} else {
			fake_drive(op);
			CHECK(fake_clock <= latest);
			CHECK((op->status == RL_OK || op->status == RL_BUSY) == (op->err == NULL) ||
				rl_acquire_of(op) != NULL);
		}
		if (rl_acquire_of(op) != NULL && op->status == RL_OK && fake_stats.acquired > 0) {
			CHECK(((rl_acquire *) op)->proven_until > fake_clock);
		}
		fake_free(op);
		fake_end();
	}
}

static void a_call_to_one_server_ends_in_time_whatever_happens(void)
{
	check_anything(true);
}

static void a_call_to_several_servers_ends_in_time_whatever_happens(void)
{
	check_anything(false);
}

static const check_test tests[] = {
	TEST(a_budget_is_one_timeout),
	TEST(a_budget_ends_with_the_latest_moment_plus_a_timeout),
	TEST(a_call_after_the_latest_moment_gets_one_timeout),
	TEST(a_call_that_begins_again_forgets_its_votes),
	TEST(a_pause_beyond_the_budget_ends_the_call),
	TEST(the_second_dial_does_not_lengthen_the_budget_again),
	TEST(a_call_waits_for_the_first_of_its_times),
	TEST(each_status_passes_or_not),
	TEST(a_call_does_not_pass_if_one_failure_stays),
	TEST(the_speaker_is_the_first_member_with_the_vote),
	TEST(a_call_counts_as_sent_with_its_first_grant),
	TEST(a_copy_that_a_broken_connection_carries_is_a_stray),
	TEST(settling_a_call_twice_settles_it_once),
	TEST(a_call_that_is_settled_without_an_undo_is_in_doubt),
	TEST(a_dropped_call_gives_no_connection_to_the_pool),
	TEST(freeing_no_call_does_nothing),
	TEST(a_call_to_one_server_ends_in_time_whatever_happens),
	TEST(a_call_to_several_servers_ends_in_time_whatever_happens),
};

CHECK_MAIN(tests, fake_end)
