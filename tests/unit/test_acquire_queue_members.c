/* SPDX-License-Identifier: MIT
 *
 * Waits on several members: where waiters queue, how they are woken, go for the quorum and move on.
 *
 * The order of the key is c, a, b of three members: waiters queue at c, on c2.
 */
#include "check.h"
#include "servers.h"

#include <string.h>

#define A 0
#define B 1
#define C 2
#define LONG 600000

static void to(rl_acquire *acquire, int64_t ms)
{
	if (fake_drive_to(&acquire->op, FAKE_START + ms * MS)) {
		FAIL("done at %d ms: %d\n%s", (int) fake_ms(), (int) acquire->op.status, fake_log());
	}
}

/* A client of the same kind has the lock for a long time. */
static void begin_held(void)
{
	servers_begin(3);
	servers_take_all("kin", LONG);
}

static rl_acquire *queued(int64_t wait_ns)
{
	begin_held();
	rl_acquire *acquire = fake_acquire(30000, wait_ns);
	to(acquire, 100);
	return acquire;
}

/* The one member in whose queue the wait stands. */
static unsigned queued_at(void)
{
	CHECK_INT(fake_blocked_links(), 1);
	unsigned member = 0;
	while (fake_blocked_on(member) == 0) {
		member++;
	}
	return member;
}

static void all_delayed(int64_t ns)
{
	for (unsigned i = 0; i < 3; i++) {
		servers[i].delay = ns;
	}
}

static void kill_for_good(unsigned index)
{
	for (unsigned i = 0; i < 150; i++) {
		fake_dials(index, FAKE_REFUSE, 0);
	}
	fake_kill(index);
}

/* ---- going in ---- */

static void a_waiter_looks_at_all_members_and_queues_at_the_first(void)
{
	queued(10 * SECOND);
	CHECK_LOG("0 c1 SET k T1 NX PX 30000\n"
			  "0 a1 SET k T1 NX PX 30000\n"
			  "0 b1 SET k T1 NX PX 30000\n"
			  "0 c1 probe+ k T1 W1\n"
			  "0 a1 probe+ k T1 W1\n"
			  "0 b1 probe+ k T1 W1\n"
			  "0 c2 dial\n"
			  "0 c2 NAME\n"
			  "0 c2 BLPOP k::rl-wake 11.120\n"
			  "0 c2 TRY+ k T1 30000 0 1 W1 0\n");
	CHECK_INT(queued_at(), C);
	for (unsigned i = 0; i < 3; i++) {
		CHECK(servers_has_marks(i));
	}
}

static void a_waiter_that_a_release_will_wake_looks_within_a_second(void)
{
	rl_acquire *acquire = queued(10 * SECOND);
	fake_forget_log();
	to(acquire, 849);
	CHECK_LOG("");
	to(acquire, 3000);
	CHECK_COUNT("probe+ k T1 W1", 9);
	CHECK_COUNT("850 c1 probe", 1);
	CHECK_COUNT("BLPOP", 0);
	CHECK_INT(fake_stats.probes, 4);
	CHECK_INT(fake_stats.backoffs, 0);
}

static void a_waiter_queues_at_the_next_member_if_the_first_is_down(void)
{
	begin_held();
	kill_for_good(C);
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	to(acquire, 900);
	CHECK_INT(queued_at(), A);
	CHECK_COUNT("a2 BLPOP", 1);
	CHECK_COUNT("BLPOP", 1);
}

/* All waiters should queue at the same member, so they wait a little for it. */
static void a_waiter_waits_a_little_longer_for_the_first_member(void)
{
	begin_held();
	servers[C].delay = 200 * MS;
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	to(acquire, 700);
	CHECK_INT(queued_at(), C);
	CHECK_COUNT("c2 BLPOP", 1);
	CHECK_COUNT("BLPOP", 1);
	fake_end();
	begin_held();
	servers[C].is_mute = true;
	acquire = fake_acquire(30000, 10 * SECOND);
	to(acquire, 224);
	CHECK_COUNT("BLPOP", 0);
	to(acquire, 225);
	CHECK_COUNT("225 a2 BLPOP", 1);
}

/* With the mark, a release on that member, too, leaves a reservation behind. */
static void a_member_that_connects_late_is_marked_too(void)
{
	begin_held();
	rl_pool_clear_address(&fake_pool, &fake_targets[B].address, fake_clock);
	fake_dials(B, FAKE_ACCEPT, 20 * MS);
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	to(acquire, 19);
	CHECK(!servers_has_marks(B));
	to(acquire, 100);
	CHECK(servers_has_marks(B));
	CHECK_COUNT("20 c2 BLPOP", 1);
}

static void a_member_where_waiters_cannot_be_woken_is_passed_over(void)
{
	begin_held();
	servers[C].error = "-NOPERM x";
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	to(acquire, 100);
	CHECK_INT(queued_at(), A);
	CHECK_INT(fake_stats.wake_failures, 0);
	fake_end();
	begin_held();
	for (unsigned i = 0; i < 3; i++) {
		servers[i].error = "-NOPERM x";
	}
	acquire = fake_acquire(30000, 10 * SECOND);
	fake_drive_to(&acquire->op, FAKE_START + 100 * MS);
	CHECK_COUNT("BLPOP", 0);
	CHECK_INT(fake_stats.wake_failures, 1);
	CHECK(acquire->is_polling);
}

/* ---- woken ---- */

static void a_woken_waiter_goes_for_the_quorum(void)
{
	rl_acquire *acquire = queued(10 * SECOND);
	fake_forget_log();
	servers_free_all(C);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	/* Member c has granted the lock in the queue, and gets no further command. The other members
	 * are reserved for the woken waiter. */
	CHECK_LOG("100 a1 try+ k T1 30000 0 2 W1\n"
			  "100 b1 try+ k T1 30000 0 2 W1\n");
	CHECK_INT(fake_ms(), 100);
	for (unsigned i = 0; i < 3; i++) {
		CHECK_TEXT(servers_owner(i), "T1");
		CHECK(!servers_has_marks(i));
	}
	CHECK_INT(fake_pool.count, 4);
	CHECK_INT(fake_stats.wake_ups, 1);
	CHECK_INT(fake_stats.spurious_wake_ups, 0);
	CHECK_INT(acquire->attempts, 2);
	CHECK_INT(fake_stats.acquired, 1);
}

static void a_woken_waiter_needs_one_more_member_for_the_quorum(void)
{
	rl_acquire *acquire = queued(10 * SECOND);
	kill_for_good(B);
	servers_free_all(C);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_TEXT(servers_owner(A), "T1");
}

/* The win was at 100 ms by the clock of c, whose sample is of 0 ms. The answers of the others took
 * 40 ms. */
static void a_win_is_proven_since_the_earliest_grant(void)
{
	begin_held();
	servers[C].clock_us = 7777777;
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	to(acquire, 100);
	all_delayed(40 * MS);
	servers_free_all(C);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 180); /* the answer of the place, and those of the other members */
	int64_t drift = rl_set_drift(&fake_set, 30 * SECOND);
	CHECK_INT(acquire->proven_until,
		FAKE_START + 99 * MS + 30 * SECOND - drift); /* 1 % less of the time that passed */
}

static void a_win_is_undone_when_the_other_members_are_taken(void)
{
	rl_acquire *acquire = queued(10 * SECOND);
	servers_take(A, "foreign", LONG);
	servers_take(B, "foreign", LONG);
	fake_forget_log();
	servers_free(C);
	to(acquire, 600);
	CHECK_COUNT("100 a1 try+ k T1 30000 0 2 W1\n", 1);
	CHECK_COUNT("100 c2 RELEASE k T1\n", 1);
	CHECK(!servers_have_ours());
	/* The waiter goes on with a fresh token, and queues at a member that is taken: at c the
	 * wake-ups would be spurious again and again. */
	CHECK_COUNT("TRY+ k T1", 0);
	CHECK_COUNT("TRY+ k T2", 1);
	/* The first look has sent the ticket at c, and so reserved c. The look 10 ms later finds that
	 * reservation: the waiter queues at c once more, and is woken. After that it stays away. */
	CHECK_INT(fake_stats.split_votes, 2);
	CHECK(queued_at() != C);
	CHECK_COUNT("BLPOP", 3);
	CHECK(!servers_have_ours());
	servers_free_all(C);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK(fake_ms() < 850);
	for (unsigned i = 0; i < 3; i++) {
		CHECK_TEXT(servers_owner(i), servers_owner(C));
	}
}

static void a_ticket_without_a_free_lock_leaves_the_waiter_in_the_queue(void)
{
	rl_acquire *acquire = queued(10 * SECOND);
	fake_wakes(C, 0);
	to(acquire, 200);
	CHECK_COUNT("BLPOP", 2);
	CHECK_INT(fake_stats.spurious_wake_ups, 1);
	CHECK(!servers_have_ours());
	servers_free_all(C);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
}

/* Two waiters are woken in turn, and neither takes the votes of the other. */
static void two_waiters_do_not_split_the_votes(void)
{
	begin_held();
	rl_acquire *one = fake_acquire(30000, 10 * SECOND);
	to(one, 10);
	rl_acquire *two = fake_acquire(30000, 10 * SECOND);
	to(two, 20);
	servers_free_all(C);
	CHECK_INT(fake_drive(&one->op), RL_OK);
	to(two, 30);
	for (unsigned i = 0; i < 3; i++) {
		CHECK_TEXT(servers_owner(i), "T1");
	}
	char token[RL_TOKEN_LEN + 1] = "";
	memcpy(token, one->token.data, RL_TOKEN_LEN);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, token, 0)), RL_OK);
	CHECK_INT(fake_drive(&two->op), RL_OK);
	CHECK_INT(fake_ms(), 30);
	CHECK_INT(fake_stats.split_votes, 0);
	CHECK_INT(fake_stats.grants_undone, 0);
}

/* ---- the member of the queue fails ---- */

static void a_member_that_hangs_is_left_after_two_looks(void)
{
	rl_acquire *acquire = queued(20 * SECOND);
	servers[C].is_mute = true;
	to(acquire, 1900);
	CHECK_INT(acquire->silent_probes, 1);
	CHECK_COUNT("BLPOP", 1);
	to(acquire, 2600);
	CHECK_COUNT("a2 BLPOP", 1);
	CHECK_INT(queued_at(), A);
	/* The grant that c may still give is undone, and the token is not used again. */
	CHECK_COUNT("c2 RELEASE k T1\n", 1);
	CHECK_COUNT("a2 TRY+ k T2 ", 1);
	servers_free(B);
	servers_free(A);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_TEXT(servers_owner(B), "T2");
}

static void a_member_is_not_left_after_one_look_without_an_answer(void)
{
	rl_acquire *acquire = queued(20 * SECOND);
	servers[C].delay = 900 * MS;
	to(acquire, 1900);
	CHECK_INT(acquire->silent_probes, 1);
	/* The clock of another member is no sample of the clock of the queue's server. */
	CHECK(rl_target_equal(acquire->sample.node, &fake_targets[C]));
	CHECK_INT(acquire->sample.asked_at, FAKE_START);
	servers[C].delay = 0;
	to(acquire, 5000);
	CHECK_INT(acquire->silent_probes, 0);
	CHECK_COUNT("BLPOP", 1);
	CHECK_INT(fake_stats.grants_undone, 0);
}

static void a_member_that_dies_is_left_at_once(void)
{
	rl_acquire *acquire = queued(20 * SECOND);
	kill_for_good(C);
	to(acquire, 600);
	CHECK_INT(queued_at(), A);
	CHECK_COUNT("a2 BLPOP", 1);
	servers_free(B);
	servers_free(A);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
}

static void a_waiter_goes_back_to_the_first_member_that_answers_again(void)
{
	rl_acquire *acquire = queued(20 * SECOND);
	for (unsigned i = 0; i < 3; i++) {
		fake_dials(C, FAKE_REFUSE, 0);
	}
	fake_kill(C);
	to(acquire, 900);
	CHECK_INT(queued_at(), A);
	to(acquire, 6000);
	CHECK_INT(queued_at(), C);
	CHECK(rl_queue_is_in(&acquire->queue));
	/* A waiter stands in one queue only. */
	CHECK_INT(fake_blocked_on(A), 0);
	CHECK_INT(fake_blocked_on(C), 1);
	servers_free_all(C);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	for (unsigned i = 0; i < 3; i++) {
		CHECK(servers_owner(i)[0] == 'T');
	}
}

/* Member c has granted the lock, and its connection breaks before the answer. A try meets our own
 * token there, and takes the reservations at the other members. */
static void a_win_whose_answer_is_lost_is_found(void)
{
	rl_acquire *acquire = queued(20 * SECOND);
	servers_free(A);
	servers_free(B);
	servers_take(C, "T1", 30000);
	fake_acts(C, FAKE_BREAK, NULL, 0);
	fake_wakes(C, 0);
	fake_forget_log();
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("100 c2 close\n"
			  "110 c1 try+ k T1 30000 1 2 W1\n"
			  "110 a1 try+ k T1 30000 1 2 W1\n"
			  "110 b1 try+ k T1 30000 1 2 W1\n");
	for (unsigned i = 0; i < 3; i++) {
		CHECK_TEXT(servers_owner(i), "T1");
	}
}

/* The commands of the broken connection run only after the next place was taken. The new place says
 * "maybe ours", so it wins. */
static void a_new_place_says_maybe_ours_after_a_lost_answer(void)
{
	rl_acquire *acquire = queued(20 * SECOND);
	fake_acts(C, FAKE_BREAK, NULL, 0);
	fake_wakes(C, 0);
	to(acquire, 200);
	CHECK_COUNT("c3 TRY+ k T1 30000 1 ", 1);
	servers_take(C, "T1", 30000); /* runs now */
	servers_free(A);
	servers_free(B);
	fake_wakes(C, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 200);
}

/* The same if the answer was lost during the look that chooses the member to queue at. */
static void a_new_place_says_maybe_ours_after_an_answer_lost_in_a_look(void)
{
	rl_acquire *acquire = queued(20 * SECOND);
	all_delayed(10 * MS);
	to(acquire, 1005);
	fake_acts(C, FAKE_BREAK, NULL, 0);
	fake_wakes(C, 0);
	to(acquire, 1200);
	CHECK_COUNT("TRY+ k T1 30000 1 ", 1);
}

/* ---- a quorum is free ---- */

static void a_waiter_tries_after_two_looks_that_find_the_others_free(void)
{
	rl_acquire *acquire = queued(10 * SECOND);
	servers_take(A, "kin", 400);
	servers_take(B, "kin", 400);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK(fake_ms() >= 850 && fake_ms() < 950); /* after the next look and another one */
	CHECK_TEXT(servers_owner(A), "T2"); /* the place at c, which the waiter has left, had T1 */
	CHECK(servers_have_ours());
	CHECK_TEXT(servers_owner(C), "kin");
}

/* A waiter was woken at c, and does not take its reservation. The free quorum is taken after two
 * short looks. */
static void a_waiter_takes_a_quorum_beside_a_reservation_that_ends(void)
{
	rl_acquire *acquire = queued(10 * SECOND);
	to(acquire, 849);
	servers_delete(A);
	servers_delete(B);
	servers_take(C, "", 10);
	fake_forget_log();
	to(acquire, 869);
	CHECK_COUNT("probe", 3);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 870);
}

/* Member a is free, c is held by a dead client, and b answers late: the free members and the silent
 * ones could be a quorum. The next looks come after 20 ms and 40 ms. */
static void a_waiter_looks_again_soon_when_a_quorum_may_be_free(void)
{
	rl_acquire *acquire = queued(10 * SECOND);
	to(acquire, 849);
	servers_delete(A);
	servers_delete(B);
	servers[B].delay = 800 * MS;
	fake_forget_log();
	to(acquire, 1000);
	CHECK_COUNT("a1 probe", 3);
	servers[B].delay = 0;
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK(fake_ms() < 2500);
}

static void a_look_comes_when_a_quorum_ends(void)
{
	begin_held();
	servers_take(A, "kin", 300);
	servers_take(B, "kin", 200);
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	to(acquire, 300);
	fake_forget_log();
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("301 a1 probe", 1);
	CHECK(fake_ms() < 400);
}

/* ---- the end of the wait ---- */

static void at_the_deadline_one_try_decides(void)
{
	rl_acquire *acquire = queued(1500 * MS);
	to(acquire, 1499);
	fake_forget_log();
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_INT(fake_ms(), 1500);
	CHECK_COUNT("1500 c1 try+ k T1 30000 1 0 W1 0\n", 1);
	CHECK_COUNT("1500 a1 try+ k T1 30000 1 0 W1 0\n", 1);
	CHECK_COUNT("c2 RELEASE k T1\n", 1);
	CHECK_INT(fake_stats.timed_out, 1);
	CHECK_INT(fake_blocked_links(), 0);
	for (unsigned i = 0; i < 3; i++) {
		CHECK(!servers_has_marks(i));
		CHECK_TEXT(servers_owner(i), "kin");
	}
}

static void a_quorum_that_is_free_at_the_deadline_is_taken(void)
{
	rl_acquire *acquire = queued(1500 * MS);
	to(acquire, 1499);
	servers_delete(A);
	servers_delete(B);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 1500);
	CHECK_TEXT(servers_owner(A), "T1");
	CHECK_TEXT(servers_owner(B), "T1");
}

/* The refused try on b has marked the waiter, which does not wait any more. */
static void the_mark_is_taken_away_where_a_minority_refuses_the_winner(void)
{
	rl_acquire *acquire = queued(20 * SECOND);
	servers_free(A);
	servers[A].delay = 20 * MS; /* after the refusal of b */
	servers_free(C);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_TEXT(servers_owner(B), "kin");
	CHECK_COUNT(" b1 RELEASE+ k W1 W1", 1);
	CHECK_COUNT("RELEASE+ k W1 W1", 1);
}

static void a_minority_that_grants_at_the_deadline_is_undone(void)
{
	rl_acquire *acquire = queued(1500 * MS);
	to(acquire, 1499);
	servers_delete(A);
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK(!servers_have_ours());
	CHECK_COUNT("1500 a1 RELEASE k T1\n", 1);
}

static void without_a_quorum_a_wait_fails_at_the_deadline(void)
{
	rl_acquire *acquire = queued(1500 * MS);
	kill_for_good(A);
	kill_for_good(B);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_CONNECT);
	CHECK(fake_ms() >= 1500 && fake_ms() < 1600);
	CHECK_HAS(acquire->op.err->message, "no quorum (2 of 3 servers failed): redis://a:6379: ");
	CHECK_INT(fake_stats.failed, 1);
}

/* ---- polling ---- */

static void without_waking_a_waiter_polls_all(void)
{
	begin_held();
	fake_set.wakes = false;
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	to(acquire, 75);
	CHECK_LOG("0 c1 SET k T1 NX PX 30000\n"
			  "0 a1 SET k T1 NX PX 30000\n"
			  "0 b1 SET k T1 NX PX 30000\n"
			  "10 c1 try k T1 30000 0 0 - 0\n"
			  "10 a1 try k T1 30000 0 0 - 0\n"
			  "10 b1 try k T1 30000 0 0 - 0\n"
			  "30 c1 try k T1 30000 0 0 - 0\n"
			  "30 a1 try k T1 30000 0 0 - 0\n"
			  "30 b1 try k T1 30000 0 0 - 0\n"
			  "70 c1 try k T1 30000 0 0 - 0\n"
			  "70 a1 try k T1 30000 0 0 - 0\n"
			  "70 b1 try k T1 30000 0 0 - 0\n");
	servers_free_all(C);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 150);
	CHECK_INT(fake_stats.probes, 0);
	CHECK_INT(fake_stats.wake_failures, 0);
}

static void a_short_wait_is_no_place_in_a_queue(void)
{
	begin_held();
	rl_acquire *acquire = fake_acquire(30000, 19 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_COUNT("BLPOP", 0);
	CHECK_INT(fake_ms(), 19);
}

/* ---- a caller's own token ---- */

static void a_waiter_with_an_own_token_is_woken_too(void)
{
	begin_held();
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 10 * SECOND);
	to(acquire, 100);
	CHECK_INT(fake_blocked_on(C), 1);
	servers_free_all(C);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	for (unsigned i = 0; i < 3; i++) {
		CHECK_TEXT(servers_owner(i), "mine");
	}
}

/* The place has a drawn token, so the undo has it, too. */
static void an_own_token_is_swapped_in_although_the_first_wake_up_was_spurious(void)
{
	begin_held();
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 10 * SECOND);
	to(acquire, 100);
	servers_take(A, "foreign", LONG);
	servers_take(B, "foreign", LONG);
	servers_free(C);
	to(acquire, 600);
	CHECK(!servers_have_ours());
	CHECK(rl_queue_is_in(&acquire->queue) || acquire->phase != RL_ACQUIRE_DONE);
	servers_free_all(C);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_TEXT(servers_owner(A), "mine");
	CHECK_COUNT("mine 30000", 3); /* the swap, on each member */
}

static void a_member_is_asked_again_after_an_own_token_lost_its_place(void)
{
	begin_held();
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 10 * SECOND);
	to(acquire, 100);
	fake_kill(C);
	to(acquire, 2000);
	CHECK_INT(queued_at(), C);
	servers_free_all(C);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	for (unsigned i = 0; i < 3; i++) {
		CHECK_TEXT(servers_owner(i), "mine");
	}
}

/* ---- abandoned ---- */

/* A wait that is abandoned at this moment. Answers take 3 ms. With is_contended the other members
 * refuse the woken waiter. */
static void give_up_at(int64_t at, bool is_contended, bool is_own)
{
	begin_held();
	all_delayed(3 * MS);
	rl_acquire *acquire =
		is_own ? fake_acquire_own("mine", 30000, 90 * MS) : fake_acquire(30000, 90 * MS);
	bool is_done = fake_drive_to(&acquire->op, FAKE_START + (at < 40 * MS ? at : 40 * MS));
	if (!is_done && at > 40 * MS) {
		if (is_contended) {
			servers_take(A, "foreign", LONG);
			servers_take(B, "foreign", LONG);
			servers_free(C);
		} else {
			servers_free_all(C);
		}
		is_done = fake_drive_to(&acquire->op, FAKE_START + at);
	}
	bool is_taken = is_done && acquire->op.status == RL_OK;
	if (!is_done) {
		rl_op_abandon(&acquire->op, fake_clock, false);
	}
	CHECK_INT(fake_blocked_links(), 0);
	/* The undo of a caller's token goes only to members whose grant has been read. */
	if (!is_own && servers_have_ours() != is_taken) {
		FAIL("given up at %d us: %s\n%s", (int) (at / 1000), servers_owner(C), fake_log());
	}
	for (unsigned i = 0; i < 3; i++) {
		CHECK(!servers_has_marks(i));
	}
	if (!is_done) { /* idle connections can be used */
		all_delayed(0);
		servers_take_all("kin", 1);
		fake_clock += 10 * MS;
		CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_OK);
	}
	fake_end();
}

static void a_wait_abandoned_at_any_moment_leaves_nothing(void)
{
	for (int64_t at = 0; at < 120 * MS; at += MS / 2) {
		give_up_at(at, false, false);
		give_up_at(at, true, false);
	}
}

static void a_wait_with_an_own_token_leaves_usable_connections(void)
{
	for (int64_t at = 0; at < 120 * MS; at += MS / 2) {
		give_up_at(at, false, true);
		give_up_at(at, true, true);
	}
}

static void in_a_forked_child_nothing_is_sent(void)
{
	for (int64_t at = 0; at < 60; at++) {
		begin_held();
		all_delayed(3 * MS);
		rl_acquire *acquire = fake_acquire(30000, 90 * MS);
		to(acquire, at < 40 ? at : 40);
		if (at > 40) {
			servers_free(C);
			to(acquire, at);
		}
		fake_fork();
		fake_forget_log();
		rl_op_abandon(&acquire->op, fake_clock, true);
		rl_pool_clear(&fake_pool);
		CHECK_INT(fake_open_links(), 0);
		CHECK_COUNT("RELEASE", 0);
		CHECK_COUNT("end", 0);
		fake_end();
	}
}

/* ---- the connections of a wait ---- */

/* Makes three connections to c with a pending reply each, the latest last. The answers arrive with
 * the next command. */
static void owe_on_c(const char *const answers[3])
{
	rl_request request = {.verb = RL_VERB_EXISTS, .key = bytes_of("k")};
	rl_conn *conns[3];
	for (unsigned i = 0; i < 3; i++) {
		fake_warm(C);
		conns[i] = rl_pool_take(&fake_pool, &fake_targets[C], RL_WANT_ANY, fake_clock);
	}
	for (unsigned i = 0; i < 3; i++) {
		fake_acts(C, answers[i] == NULL ? FAKE_SILENCE : FAKE_SAY, answers[i], 0);
		CHECK(rl_conn_send_blind(conns[i], &request));
		fake_transport.flush(conns[i]->link);
		rl_pool_give_unheard(&fake_pool, conns[i], SECOND, fake_clock);
	}
	fake_forget_log();
}

/* The next command to the member may have to follow a pending reply, so that connection must not be
 * blocked. */
static void a_place_takes_no_connection_with_pending_replies(void)
{
	static const char *const answers[3] = {NULL, ":1", ":1"};
	begin_held();
	owe_on_c(answers);
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	to(acquire, 10);
	/* The SET goes on c4 and the look on c3, which then have no pending replies. */
	CHECK_COUNT("c4 SET", 1);
	CHECK_COUNT("c3 probe", 1);
	CHECK_COUNT("c3 BLPOP", 1);
	CHECK_COUNT("BLPOP", 1);
	CHECK_COUNT("dial", 0);
}

/* The removal of the mark follows the pending reply, which counts as before. */
static void a_connection_that_took_the_mark_away_keeps_its_pending_replies(void)
{
	rl_acquire *acquire = queued(10 * SECOND);
	to(acquire, 849);
	servers[C].is_mute = true;
	to(acquire, 851);
	CHECK_COUNT("850 c1 probe", 1);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("851 c1 RELEASE+ k W1", 1);
	fake_clock = FAKE_START + 1750 * MS;
	CHECK(rl_pool_has(&fake_pool, &fake_targets[C], RL_WANT_ANY, fake_clock));
	fake_clock = FAKE_START + 1852 * MS;
	CHECK(!rl_pool_has(&fake_pool, &fake_targets[C], RL_WANT_ANY, fake_clock));
	CHECK(rl_pool_is_backed_off(&fake_pool, &fake_targets[C], fake_clock));
}

/* ---- an error of the queue's member ---- */

/* For example another type of key has the name of the list. */
static void an_error_of_one_member_makes_the_waiter_queue_at_another(void)
{
	static const char *const errors[] = {"-WRONGTYPE x", "-OOM x"};
	for (unsigned i = 0; i < 2; i++) {
		rl_acquire *acquire = queued(10 * SECOND);
		servers[C].error = errors[i];
		fake_wakes(C, 0);
		fake_forget_log();
		to(acquire, 150);
		/* A woken waiter asks all members. Then a look finds another member to queue at. */
		CHECK_LOG("100 c2 try+ k T1 30000 0 2 W1\n"
				  "100 a1 try+ k T1 30000 0 2 W1\n"
				  "100 b1 try+ k T1 30000 0 2 W1\n"
				  "100 c2 probe+ k T1 W1\n"
				  "100 a1 probe+ k T1 W1\n"
				  "100 b1 probe+ k T1 W1\n"
				  "100 a2 dial\n"
				  "100 a2 NAME\n"
				  "100 a2 BLPOP k::rl-wake 11.019\n"
				  "100 a2 TRY+ k T1 30000 0 1 W1 0\n");
		CHECK_INT(queued_at(), A);
		CHECK_INT(fake_blocked_on(C), 0);
		CHECK_INT(fake_stats.wake_failures, 0);
		CHECK_INT(fake_stats.failed, 0);
		servers_free(B);
		servers_free(A);
		CHECK_INT(fake_drive(&acquire->op), RL_OK);
		CHECK_INT(fake_ms(), 150);
		CHECK_TEXT(servers_owner(A), servers_owner(B));
		CHECK_TEXT(servers_owner(C), "kin");
		fake_end();
	}
}

/* The members refuse one after the other. After the last one the waiter polls. */
static void errors_of_all_members_make_the_waiter_poll(void)
{
	rl_acquire *acquire = queued(10 * SECOND);
	for (unsigned i = 0; i < 3; i++) {
		/* The tries of the places fail, but the looks do not. */
		unsigned index = queued_at();
		fake_says(index, "-WRONGTYPE x");
		fake_wakes(index, 0);
		to(acquire, fake_ms() + (i < 2 ? 200 : 0));
	}
	CHECK(acquire->is_polling);
	CHECK_INT(fake_stats.wake_failures, 1);
	CHECK_INT(fake_blocked_links(), 0);
	servers_free_all(C);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_TEXT(servers_owner(A), servers_owner(B));
}

static const check_test tests[] = {
	TEST(a_waiter_looks_at_all_members_and_queues_at_the_first),
	TEST(a_waiter_that_a_release_will_wake_looks_within_a_second),
	TEST(a_waiter_queues_at_the_next_member_if_the_first_is_down),
	TEST(a_waiter_waits_a_little_longer_for_the_first_member),
	TEST(a_member_that_connects_late_is_marked_too),
	TEST(a_member_where_waiters_cannot_be_woken_is_passed_over),
	TEST(a_woken_waiter_goes_for_the_quorum),
	TEST(a_woken_waiter_needs_one_more_member_for_the_quorum),
	TEST(a_win_is_proven_since_the_earliest_grant),
	TEST(a_win_is_undone_when_the_other_members_are_taken),
	TEST(a_ticket_without_a_free_lock_leaves_the_waiter_in_the_queue),
	TEST(two_waiters_do_not_split_the_votes),
	TEST(a_member_that_hangs_is_left_after_two_looks),
	TEST(a_member_is_not_left_after_one_look_without_an_answer),
	TEST(a_member_that_dies_is_left_at_once),
	TEST(a_waiter_goes_back_to_the_first_member_that_answers_again),
	TEST(a_win_whose_answer_is_lost_is_found),
	TEST(a_new_place_says_maybe_ours_after_a_lost_answer),
	TEST(a_new_place_says_maybe_ours_after_an_answer_lost_in_a_look),
	TEST(a_waiter_tries_after_two_looks_that_find_the_others_free),
	TEST(a_waiter_takes_a_quorum_beside_a_reservation_that_ends),
	TEST(a_waiter_looks_again_soon_when_a_quorum_may_be_free),
	TEST(a_look_comes_when_a_quorum_ends),
	TEST(at_the_deadline_one_try_decides),
	TEST(a_quorum_that_is_free_at_the_deadline_is_taken),
	TEST(the_mark_is_taken_away_where_a_minority_refuses_the_winner),
	TEST(a_minority_that_grants_at_the_deadline_is_undone),
	TEST(without_a_quorum_a_wait_fails_at_the_deadline),
	TEST(without_waking_a_waiter_polls_all),
	TEST(a_short_wait_is_no_place_in_a_queue),
	TEST(a_waiter_with_an_own_token_is_woken_too),
	TEST(an_own_token_is_swapped_in_although_the_first_wake_up_was_spurious),
	TEST(a_member_is_asked_again_after_an_own_token_lost_its_place),
	TEST(a_wait_abandoned_at_any_moment_leaves_nothing),
	TEST(a_wait_with_an_own_token_leaves_usable_connections),
	TEST(in_a_forked_child_nothing_is_sent),
	TEST(a_place_takes_no_connection_with_pending_replies),
	TEST(a_connection_that_took_the_mark_away_keeps_its_pending_replies),
	TEST(an_error_of_one_member_makes_the_waiter_queue_at_another),
	TEST(errors_of_all_members_make_the_waiter_poll),
};

CHECK_MAIN(tests, fake_end)
