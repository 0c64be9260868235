/* SPDX-License-Identifier: MIT
 *
 * Several members and a caller's own token. An earlier undo or release that runs late must not meet
 * that token. A token that was swapped in is not undone once its TTL may be over, because another
 * caller may hold the lock with an equal token by then.
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
static void release_late_on_c(const char *token, int64_t answer_ms)
{
	begin_warm(3);
	a_and_b_say(":1");
	fake_acts(C, answer_ms < 0 ? FAKE_SILENCE : FAKE_SAY, ":1", answer_ms * MS);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, token, 0)), RL_OK);
	to_ms(1500);
	CHECK(!rl_pool_has(&fake_pool, &fake_targets[C], RL_WANT_ANY, fake_clock));
	CHECK_COUNT("c1 end", 1);
	to_ms(3000); /* the member is no longer backed off */
	CHECK(!rl_pool_is_backed_off(&fake_pool, &fake_targets[C], fake_clock));
	fake_forget_log();
}

static void own_token_is_not_swapped_in_where_its_release_lingers(void)
{
	release_late_on_c("mine", -1);
	a_and_b_say("+OK");
	fake_acts(C, FAKE_SAY, "+OK", 0);
	a_and_b_say(":1");
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 0)->op), RL_OK);
	CHECK_COUNT("c2 SET k T1", 1);
	CHECK_COUNT("a1 SWAP k T1 mine 30000", 1);
	CHECK_COUNT("b1 SWAP k T1 mine 30000", 1);
	CHECK_COUNT("c2 SWAP", 0);
}

/* Such a member would lose the lock when the release runs. */
static void a_member_with_a_lingering_release_makes_no_quorum(void)
{
	release_late_on_c("mine", -1);
	a_and_b_say("+OK");
	fake_says(A, ":1");
	fake_says(B, "-ERR x");
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_TIMEOUT);
	CHECK_COUNT("a1 RELEASE k mine", 1);
	CHECK_COUNT("b1 RELEASE k T1", 1);
	CHECK_HAS(acquire->op.err->message,
		"redis://c:6379: not asked: the server may still run earlier commands, which could affect a lock "
		"with your token");
}

static void own_token_is_swapped_in_once_its_release_is_over(void)
{
	static const int64_t over_ms[] = {5000, 1500 + RL_POOL_LINGER_NS / MS + 1};
	for (unsigned i = 0; i < 2; i++) {
		release_late_on_c("mine", i == 0 ? over_ms[0] : -1);
		for (unsigned j = 0; j < 2; j++) {
			to_ms(over_ms[i] - (j == 0 ? 2 : 0));
			for (unsigned k = 0; k < 3; k++) {
				fake_says(k, "+OK");
			}
			a_and_b_say(":1");
			if (j == 1) {
				fake_says(C, ":1");
			}
			CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 0)->op), RL_OK);
			CHECK_COUNT("c2 SWAP", j);
		}
		fake_end();
	}
}

/* A caller's token of the drawn form is usually stored by the SET. While a release of it lingers on
 * one member, that member could still lose the lock to this release. So the SET sends a fresh
 * token, and the caller's token is swapped in after the win. */
static void a_token_of_our_form_is_swapped_in_while_a_release_lingers(void)
{
	release_late_on_c(FAKE_DRAWN, -1);
	for (unsigned i = 0; i < 3; i++) {
		fake_says(i, "+OK");
	}
	a_and_b_say(":1");
	CHECK_INT(fake_drive(&fake_acquire_own(FAKE_DRAWN, 30000, 0)->op), RL_OK);
	CHECK_COUNT("drawn NX", 0);
	CHECK_COUNT("c2 SET k T1 NX", 1);
	CHECK_COUNT("a1 SWAP k T1 drawn 30000", 1);
	CHECK_COUNT("c2 SWAP", 0);
	fake_end();
	/* The release of another token holds nothing back. */
	release_late_on_c("mine", -1);
	a_and_b_say("+OK");
	CHECK_INT(fake_drive(&fake_acquire_own(FAKE_DRAWN, 30000, 0)->op), RL_OK);
	CHECK_COUNT("drawn NX", 3);
	CHECK_COUNT("SWAP", 0);
}

/* No earlier command concerns a drawn token, and no other verb takes a lock. */
static void other_calls_use_the_member_with_a_lingering_release(void)
{
	release_late_on_c("mine", -1);
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

/* On a single server an undo lingers, and could free a lock with an equal token. */
static void own_token_is_not_swapped_in_where_an_undo_of_own_token_lingers(void)
{
	for (unsigned is_own = 0; is_own < 2; is_own++) {
		begin_warm(1);
		fake_warm(A);
		rl_conn *conn = let_one_linger(A);
		if (is_own) {
			rl_conn_note_own(conn, bytes_of("k"), bytes_of("mine"));
		}
		fake_says(A, "+OK");
		fake_says(A, ":1");
		rl_status status = fake_drive(&fake_acquire_own("mine", 30000, 0)->op);
		CHECK_INT(status, is_own ? RL_ERR_TIMEOUT : RL_OK);
		CHECK_COUNT("mine", 1 - is_own);
		fake_end();
	}
}

static void a_connection_that_lingers_to_another_address_does_not_matter(void)
{
	begin_warm(3);
	rl_conn_note_own(let_one_linger(A), bytes_of("k"), bytes_of("mine"));
	for (unsigned i = 0; i < 3; i++) {
		fake_says(i, "+OK");
		fake_says(i, ":1");
	}
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 0)->op), RL_OK);
	CHECK_COUNT("SWAP", 2);
	CHECK_COUNT("a2 SWAP", 0);
}

/* ---- keys that may have ended ---- */

/* The end of the proof of a SET that was sent at 0 ms. */
static int64_t proof_of(int64_t ttl_ms)
{
	return FAKE_START + ttl_ms * MS - rl_set_drift(&fake_set, ttl_ms * MS);
}

static void a_grant_that_is_too_late_is_undone(void)
{
	static const char *const own[] = {"mine", FAKE_DRAWN};
	for (unsigned i = 0; i < 2; i++) {
		begin_warm(3);
		a_and_b_say("+OK");
		rl_acquire *acquire = fake_acquire_own(own[i], 1000, 0);
		fake_acts(C, FAKE_SAY, "_", 10 * MS);
		fake_lag(2 * SECOND);
		CHECK_INT(fake_drive(&acquire->op), RL_ERR_SLOW);
		CHECK_COUNT(i == 0 ? "RELEASE k T1" : "RELEASE k drawn", 3);
		CHECK_COUNT("RELEASE", 3);
		fake_end();
	}
}

static void own_token_that_was_swapped_in_too_late_is_not_undone(void)
{
	begin_warm(3);
	for (unsigned i = 0; i < 3; i++) {
		fake_says(i, "+OK");
	}
	fake_acts(A, FAKE_SAY, ":1", 10 * MS);
	fake_acts(B, FAKE_SAY, ":1", 10 * MS);
	fake_acts(C, FAKE_SAY, ":0", 10 * MS);
	rl_acquire *acquire = fake_acquire_own("mine", 1000, 0);
	fake_drive_to(&acquire->op, FAKE_START + 5 * MS);
	fake_lag(2 * SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SLOW);
	CHECK_COUNT("SWAP", 3);
	CHECK_COUNT("RELEASE", 0);
	CHECK_HAS(acquire->op.err->message, "; a key that is left on a server ends by its TTL");
}

/* A signal handler ran when the call had ended: the granted lock is held, and the call is then
 * settled or abandoned. */
static void undo_after_the_end(unsigned members, int64_t at, unsigned undone)
{
	for (unsigned is_settled = 0; is_settled < 2; is_settled++) {
		begin_warm(members);
		for (unsigned i = 0; i < members; i++) {
			fake_says(i, "+OK");
			fake_says(i, ":1");
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
static void release_silent_on_c(const char *token)
{
	begin_warm(3);
	a_and_b_say(":1");
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, token, 0)), RL_OK);
	to_ms(1500);
	fake_forget_log();
}

/* The swap goes on the connection with the release, after it. */
static void own_token_is_swapped_in_after_a_release_that_is_unanswered(void)
{
	release_silent_on_c("mine");
	a_and_b_say("+OK");
	a_and_b_say(":1");
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 0)->op), RL_OK);
	CHECK_COUNT("c1 SET", 0);
	CHECK_COUNT("mine 30000", 2);
}

/* A SET would go on a new connection, and could overtake the release. */
static void a_token_of_our_form_is_swapped_in_while_a_release_is_unanswered(void)
{
	release_silent_on_c(FAKE_DRAWN);
	for (unsigned i = 0; i < 3; i++) {
		fake_says(i, "+OK");
	}
	a_and_b_say(":1");
	CHECK_INT(fake_drive(&fake_acquire_own(FAKE_DRAWN, 30000, 0)->op), RL_OK);
	CHECK_COUNT("drawn NX", 0);
	CHECK_COUNT("SWAP k T1 drawn 30000", 2);
}

/* Another operation of the object, in a Fiber, has the connection to c on which a command is still
 * unanswered. */
static rl_op *begin_beside_a_fiber(void)
{
	rl_op *other = fake_ask(RL_VERB_EXISTS, "x", 0);
	fake_acts(A, FAKE_SAY, ":0", 50 * MS);
	fake_acts(B, FAKE_SAY, ":0", 50 * MS);
	fake_acts(C, FAKE_SAY, ":0", 0);
	CHECK(!fake_drive_to(other, fake_clock + MS));
	return other;
}

/* The release at c lasts until 400 ms. If the swap did not wait for it, it could overtake the
 * release on another connection, and the release would free the lock. */
static void check_waits_for_the_release(const char *token)
{
	begin_warm(3);
	a_and_b_say(":1");
	fake_acts(C, FAKE_SAY, ":1", 400 * MS);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, token, 0)), RL_OK);
	rl_op *other = begin_beside_a_fiber();
	rl_acquire *acquire = fake_acquire_own(token, 30000, 0);
	fake_acts(A, FAKE_SAY, "+OK", MS);
	fake_acts(B, FAKE_SILENCE, NULL, 0);
	fake_acts(C, FAKE_SAY, "+OK", MS);
	fake_acts(A, FAKE_SAY, ":1", MS);
	fake_acts(C, FAKE_SAY, ":1", MS);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 390 * MS));
	CHECK_COUNT("c2 SWAP", 0);
	CHECK(fake_drive_to(other, FAKE_START + 410 * MS));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT(" SWAP k T1 ", 3);
}

static void own_token_waits_for_a_release_that_a_fiber_has(void)
{
	check_waits_for_the_release("mine");
}

static void a_token_of_our_form_waits_for_a_release_that_a_fiber_has(void)
{
	check_waits_for_the_release(FAKE_DRAWN);
}

/* The same of a single server, whose connections may keep a few replies pending: of a release that
 * its caller has given up. */
static void check_waits_at_a_single_server(const char *token)
{
	begin_warm(1);
	fake_acts(A, FAKE_SAY, ":1", 400 * MS);
	rl_op *release = fake_ask(RL_VERB_RELEASE, token, 0);
	CHECK(!fake_drive_to(release, FAKE_START + 5 * MS));
	rl_op_abandon(release, fake_clock, false);
	fake_acts(A, FAKE_SAY, ":0", 0);
	rl_op *other = fake_ask(RL_VERB_EXISTS, "x", 0);
	CHECK(!fake_drive_to(other, fake_clock + MS));
	CHECK_COUNT("a1 EXISTS", 1);
	rl_acquire *acquire = fake_acquire_own(token, 30000, 0);
	fake_acts(A, FAKE_SAY, "+OK", MS);
	fake_acts(A, FAKE_SAY, ":1", MS);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 390 * MS));
	CHECK_COUNT("a2 SET k T1 NX", 1);
	CHECK_COUNT("swap", 0);
	CHECK(fake_drive_to(other, FAKE_START + 410 * MS));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT(" swap k T1 ", 1);
}

static void own_token_waits_for_a_release_that_a_fiber_has_at_a_single_server(void)
{
	check_waits_at_a_single_server("mine");
}

static void a_token_of_our_form_waits_for_a_release_that_a_fiber_has_at_a_single_server(void)
{
	check_waits_at_a_single_server(FAKE_DRAWN);
}

static const check_test tests[] = {
	TEST(own_token_is_not_swapped_in_where_its_release_lingers),
	TEST(a_member_with_a_lingering_release_makes_no_quorum),
	TEST(own_token_is_swapped_in_once_its_release_is_over),
	TEST(a_token_of_our_form_is_swapped_in_while_a_release_lingers),
	TEST(other_calls_use_the_member_with_a_lingering_release),
	TEST(own_token_is_not_swapped_in_where_an_undo_of_own_token_lingers),
	TEST(a_connection_that_lingers_to_another_address_does_not_matter),
	TEST(a_grant_that_is_too_late_is_undone),
	TEST(own_token_that_was_swapped_in_too_late_is_not_undone),
	TEST(own_token_is_undone_after_the_end_only_while_proven),
	TEST(own_token_is_swapped_in_after_a_release_that_is_unanswered),
	TEST(a_token_of_our_form_is_swapped_in_while_a_release_is_unanswered),
	TEST(own_token_waits_for_a_release_that_a_fiber_has),
	TEST(a_token_of_our_form_waits_for_a_release_that_a_fiber_has),
	TEST(own_token_waits_for_a_release_that_a_fiber_has_at_a_single_server),
	TEST(a_token_of_our_form_waits_for_a_release_that_a_fiber_has_at_a_single_server),
};

CHECK_MAIN(tests, fake_end)
