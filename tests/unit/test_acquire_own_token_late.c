/* SPDX-License-Identifier: MIT
 *
 * Several members and a caller's own token. A command that was sent earlier and runs late must not
 * meet that token. A token whose TTL may be over is not undone, because another caller may hold the
 * lock with an equal token by then.
 *
 * The order of the key is c, a, b.
 */
#include "check.h"
#include "fake.h"

#include <string.h>

#define A 0
#define B 1
#define C 2

static void begin_warm(unsigned members)
{
	fake_begin(members);
	for (unsigned i = 0; i < members; i++) {
		fake_warm(i);
	}
}

static void a_and_b_say(const char *text)
{
	fake_says(A, text);
	fake_says(B, text);
}

static void to_ms(int64_t ms)
{
	fake_clock = FAKE_START + ms * MS;
}

/* ---- commands that may run late ---- */

/* The release of the token is on its way to c. The server runs it at that time, or never. No call
 * waits for it any more, so its connection lingers. */
static void release_late_on_c(int64_t answer_ms)
{
	begin_warm(3);
	a_and_b_say(":1");
	fake_acts(C, answer_ms < 0 ? FAKE_SILENCE : FAKE_SAY, ":1", answer_ms * MS);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "mine", 0)), RL_OK);
	to_ms(1500);
	CHECK(!rl_pool_has(&fake_pool, &fake_targets[C], fake_clock));
	CHECK_COUNT("c1 end", 1);
	to_ms(3000); /* the member is no longer backed off */
	CHECK(!rl_pool_is_backed_off(&fake_pool, &fake_targets[C], fake_clock));
	fake_forget_log();
}

static void own_token_is_not_set_where_its_release_lingers(void)
{
	release_late_on_c(-1);
	a_and_b_say("+OK");
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 0)->op), RL_OK);
	CHECK_LOG("3000 a1 SET k mine NX PX 30000\n3000 b1 SET k mine NX PX 30000\n");
}

/* Such a member would lose the lock when the release runs. */
static void a_member_with_a_lingering_release_makes_no_quorum(void)
{
	release_late_on_c(-1);
	fake_says(A, "+OK");
	fake_says(B, "-ERR x");
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_TIMEOUT);
	CHECK_COUNT("3000 c", 0);
	CHECK_COUNT("a1 RELEASE k mine", 1);
	CHECK_HAS(acquire->op.err->message,
		"redis://c:6379: not asked: the server may still run earlier commands, which could affect a lock "
		"with your token");
}

static void own_token_is_set_once_its_release_is_over(void)
{
	static const int64_t over_ms[] = {5000, 1500 + RL_POOL_LINGER_NS / MS + 1};
	for (unsigned i = 0; i < 2; i++) {
		release_late_on_c(i == 0 ? over_ms[0] : -1);
		for (unsigned j = 0; j < 2; j++) {
			to_ms(over_ms[i] - (j == 0 ? 2 : 0));
			a_and_b_say("+OK");
			if (j == 1) {
				fake_says(C, "+OK");
			}
			CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 0)->op), RL_OK);
			CHECK_COUNT("c2 SET k mine", j);
		}
		fake_end();
	}
}

/* No earlier command concerns a drawn token, and no other verb takes a lock. */
static void other_calls_use_the_member_with_a_lingering_release(void)
{
	release_late_on_c(-1);
	for (unsigned i = 0; i < 3; i++) {
		fake_acts(i, FAKE_SAY, "+OK", 5 * MS);
		fake_acts(i, FAKE_SAY, ":1", 5 * MS);
	}
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK);
	CHECK_COUNT("c2 SET k T1", 1);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXTEND, "mine", 7000)), RL_OK);
	CHECK_COUNT("c2 EXTEND k mine", 1);
}

static rl_conn *let_one_linger(unsigned member)
{
	rl_conn *conn = rl_pool_take(&fake_pool, &fake_targets[member], RL_WANT_ANY, fake_clock);
	rl_request request = {.verb = RL_VERB_EXISTS, .key = bytes_of("k")};
	fake_acts(member, FAKE_SILENCE, NULL, 0);
	CHECK(rl_conn_send_blind(conn, &request));
	fake_transport.flush(conn->link);
	rl_pool_let_linger(&fake_pool, conn, fake_clock);
	return conn;
}

static void a_single_server_is_asked_despite_a_lingering_release(void)
{
	begin_warm(1);
	let_one_linger(A);
	fake_says(A, "+OK");
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 0)->op), RL_OK);
}

/* An undo of a caller's token could free a lock with an equal token, also on a single server. */
static void own_token_is_not_set_where_an_undo_of_own_token_lingers(void)
{
	begin_warm(1);
	fake_warm(A);
	let_one_linger(A)->own_undo_left = 1;
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 0)->op), RL_ERR_TIMEOUT);
	CHECK_COUNT("SET", 0);
	CHECK(rl_pool_has_own_undo(&fake_pool, &fake_targets[A], fake_clock));
	CHECK(!rl_pool_has_own_undo(&fake_pool, &fake_targets[B], fake_clock));
	fake_says(A, "+OK");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK); /* the drawn token is a new one */
}

static void a_connection_that_lingers_to_another_address_does_not_matter(void)
{
	begin_warm(3);
	let_one_linger(A);
	a_and_b_say("+OK");
	fake_says(C, "+OK");
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 0)->op), RL_OK);
	CHECK_COUNT("a2 ", 0);
	CHECK_COUNT("c1 SET", 1);
}

/* ---- keys that may have ended ---- */

/* The end of the proof of a SET that was sent at 0 ms. */
static int64_t proof_of(int64_t ttl_ms)
{
	return FAKE_START + ttl_ms * MS - rl_set_drift(&fake_set, ttl_ms * MS);
}

static void own_token_that_was_granted_too_late_is_not_undone(void)
{
	begin_warm(3);
	a_and_b_say("+OK");
	rl_acquire *acquire = fake_acquire_own("mine", 1000, 0);
	fake_acts(C, FAKE_SAY, "_", 10 * MS);
	fake_lag(2 * SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SLOW);
	CHECK_COUNT("RELEASE", 0);
	fake_end();
	begin_warm(3);
	a_and_b_say("+OK");
	fake_acts(C, FAKE_SAY, "_", 10 * MS);
	fake_lag(2 * SECOND);
	CHECK_INT(fake_drive(&fake_acquire(1000, 0)->op), RL_ERR_SLOW);
	CHECK_COUNT("RELEASE k T1", 3); /* a drawn token is undone at any time */
}

/* Member a was asked 80 ms before b, which was still connecting. When the proof of a has ended, the
 * key on b may still block the lock. */
static void own_token_is_undone_where_its_own_ttl_lasts(void)
{
	fake_begin(3);
	fake_warm(A);
	fake_warm(C);
	fake_dials(B, FAKE_ACCEPT, 80 * MS);
	a_and_b_say("+OK");
	fake_says(C, "_");
	rl_acquire *acquire = fake_acquire_own("mine", 1000, 0);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 79 * MS));
	fake_lag(920 * MS);
	/* The lag comes when b is connected, before b is asked. */
	fake_drive_to(&acquire->op, FAKE_START + 2 * SECOND);
	CHECK_INT(acquire->op.status, RL_ERR_SLOW);
	CHECK_COUNT("a1 RELEASE", 0);
	CHECK_COUNT("b1 RELEASE k mine", 1);
}

/* Member a has granted the lock, and the call is abandoned at that time. */
static void give_up_at(int64_t at, bool is_heard, unsigned undone)
{
	begin_warm(3);
	fake_acts(A, FAKE_SAY, "+OK", is_heard ? 0 : 60 * MS);
	fake_acts(B, FAKE_SILENCE, NULL, 0);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	rl_acquire *acquire = fake_acquire_own("mine", 1000, 0);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 50 * MS));
	fake_clock = at;
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("RELEASE k mine", undone);
	CHECK_COUNT("RELEASE", undone);
	CHECK_INT(fake_stats.grants_undone, undone);
	fake_end();
}

static void own_token_of_an_abandoned_call_is_undone_while_proven(void)
{
	fake_begin(3);
	int64_t proof = proof_of(1000);
	fake_end();
	for (unsigned i = 0; i < 2; i++) {
		give_up_at(FAKE_START + 100 * MS, i == 0, 1);
		give_up_at(proof - 1, i == 0, 1);
		give_up_at(proof, i == 0, 0);
		give_up_at(FAKE_START + 2 * SECOND, i == 0, 0);
	}
}

/* A signal handler ran when the call had ended: the granted lock is held, and the call is then
 * settled or abandoned. */
static void undo_after_the_end(unsigned members, int64_t at, unsigned undone)
{
	for (unsigned is_settled = 0; is_settled < 2; is_settled++) {
		begin_warm(members);
		for (unsigned i = 0; i < members; i++) {
			fake_says(i, "+OK");
		}
		rl_acquire *acquire = fake_acquire_own("mine", 1000, 0);
		CHECK_INT(fake_drive(&acquire->op), RL_OK);
		rl_quorum_call_hold(&acquire->op.call, false, fake_clock);
		fake_clock = at;
		if (is_settled) {
			rl_quorum_call_settle(&acquire->op.call, RL_UNDO_ALL, fake_clock);
		} else {
			rl_op_abandon(&acquire->op, fake_clock, false);
		}
		CHECK_COUNT("RELEASE k mine", undone);
		CHECK_INT(fake_pool.count, members);
		fake_end();
	}
}

static void own_token_is_undone_after_the_end_only_while_proven(void)
{
	fake_begin(3);
	int64_t proof = proof_of(1000);
	fake_end();
	for (unsigned members = 1; members <= 3; members += 2) {
		undo_after_the_end(members, FAKE_START + 100 * MS, members);
		undo_after_the_end(members, proof - 1, members);
		undo_after_the_end(members, proof, 0);
		undo_after_the_end(members, FAKE_START + 1700 * MS, 0);
	}
}

/* ---- a silent connection that no call has looked at ---- */

/* The same, but no call has looked at the connection since. */
static void release_silent_on_c(void)
{
	begin_warm(3);
	a_and_b_say(":1");
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "mine", 0)), RL_OK);
	to_ms(1500);
	fake_forget_log();
}

static void own_token_is_not_set_where_its_release_is_unanswered(void)
{
	release_silent_on_c();
	a_and_b_say("+OK");
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 0)->op), RL_OK);
	CHECK_COUNT("SET k mine", 2);
	CHECK_COUNT("c2 SET", 0);
}

static void a_member_with_an_unanswered_release_makes_no_quorum(void)
{
	release_silent_on_c();
	fake_says(A, "+OK");
	fake_says(B, "-ERR x");
	fake_says(C, "+OK");
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 0)->op), RL_ERR_TIMEOUT);
	CHECK_COUNT("c2 SET", 0);
}

/* A grant in the queue would be a vote of the quorum. */
static void a_waiter_does_not_queue_where_a_release_is_unanswered(void)
{
	release_late_on_c(-1);
	fake_set.wakes = true;
	for (unsigned i = 0; i < 3; i++) {
		fake_warm(i == C ? A : i);
	}
	for (unsigned i = 0; i < 4; i++) {
		fake_says(A, i == 0 ? "_" : "*:1 :600000 :1 :0 :1");
		fake_says(B, i == 0 ? "_" : "*:1 :600000 :1 :0 :1");
		fake_says(C, "*:1 :600000 :1 :0 :1");
	}
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 10 * SECOND);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 3500 * MS));
	CHECK_COUNT("BLPOP", 1);
	CHECK_INT(fake_blocked_on(C), 0);
}

static const check_test tests[] = {
	TEST(own_token_is_not_set_where_its_release_lingers),
	TEST(a_member_with_a_lingering_release_makes_no_quorum),
	TEST(own_token_is_set_once_its_release_is_over),
	TEST(other_calls_use_the_member_with_a_lingering_release),
	TEST(a_single_server_is_asked_despite_a_lingering_release),
	TEST(own_token_is_not_set_where_an_undo_of_own_token_lingers),
	TEST(a_connection_that_lingers_to_another_address_does_not_matter),
	TEST(own_token_that_was_granted_too_late_is_not_undone),
	TEST(own_token_is_undone_where_its_own_ttl_lasts),
	TEST(own_token_of_an_abandoned_call_is_undone_while_proven),
	TEST(own_token_is_undone_after_the_end_only_while_proven),
	TEST(own_token_is_not_set_where_its_release_is_unanswered),
	TEST(a_member_with_an_unanswered_release_makes_no_quorum),
	TEST(a_waiter_does_not_queue_where_a_release_is_unanswered),
};

CHECK_MAIN(tests, fake_end)
