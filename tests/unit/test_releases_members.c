/* SPDX-License-Identifier: MIT
 *
 * Release batches on several members: a quorum is enough, and the other members get the releases
 * that can be written.
 *
 * The order of the first key is c, b, a: member c gets its releases last.
 */
#include "batching.h"
#include "check.h"

#define A 0
#define B 1
#define C 2
#define LEASES (5 * RL_BATCH_WINDOW / 2)

static void begin(unsigned members, size_t count)
{
	fake_begin(members);
	batch_make(count, DRAWN);
}

static void begin_warm(unsigned members, size_t count)
{
	begin(members, count);
	for (unsigned i = 0; i < members; i++) {
		fake_warm(i);
	}
}

static void says(unsigned member, unsigned times, const char *text, int64_t delay)
{
	for (unsigned i = 0; i < times; i++) {
		fake_acts(member, FAKE_SAY, text, delay);
	}
}

static void each_member_gets_the_releases_and_the_first_one_last(void)
{
	begin_warm(3, 2);
	for (unsigned i = 0; i < 3; i++) {
		says(i, 2, ":1", 0);
	}
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_LOG("0 b1 RELEASE k1 T1\n"
			  "0 b1 RELEASE k2 T1\n"
			  "0 a1 RELEASE k1 T1\n"
			  "0 a1 RELEASE k2 T1\n"
			  "0 c1 RELEASE k1 T1\n"
			  "0 c1 RELEASE k2 T1\n");
	CHECK_INT(fake_stats.released, 2);
	CHECK_INT(leases[0]->stage, RL_LEASE_ENDED);
	CHECK_INT(fake_pool.count, 3);
}

static void a_batch_ends_with_the_answers_of_a_quorum(void)
{
	begin_warm(3, 2);
	says(A, 2, ":1", 20 * MS);
	says(B, 2, ":1", 10 * MS);
	says(C, 2, ":1", 150 * MS);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_ms(), 20);
	CHECK_INT(fake_stats.released, 2);
	CHECK_COUNT("c1 RELEASE", 2);
	CHECK_COUNT("c1 end", 0);
	CHECK_INT(fake_pool.count, 3); /* all releases were sent: their answers are discarded later */
}

static void the_rest_is_written_for_a_slow_member(void)
{
	begin_warm(3, LEASES);
	says(A, LEASES, ":1", 0);
	says(B, LEASES, ":1", 0);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_ms(), 0);
	CHECK_COUNT("c1 RELEASE", LEASES); /* also the releases that were not under way yet */
	CHECK_INT(fake_stats.released, LEASES);
}

static void the_number_of_releases_under_way_on_each_member_is_limited(void)
{
	begin_warm(3, LEASES);
	says(A, LEASES, ":1", 5 * MS);
	says(B, LEASES, ":1", 5 * MS);
	says(C, LEASES, ":1", 5 * MS);
	CHECK(!fake_drive_to(batch_op, FAKE_START + 4 * MS));
	CHECK_COUNT("RELEASE", 3 * RL_BATCH_WINDOW);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_COUNT("RELEASE", 3 * LEASES);
	CHECK_INT(fake_ms(), 15);
}

static void a_member_that_hangs_does_not_matter(void)
{
	begin_warm(3, 2);
	says(A, 2, ":1", 0);
	says(B, 2, ":1", 0);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_ms(), 0);
	batch_end();
	begin(3, 2);
	fake_warm(A);
	fake_warm(B);
	fake_dials(C, FAKE_ACCEPT, 100 * MS);
	says(A, 2, ":1", 0);
	says(B, 2, ":1", 0);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_ms(), 0);
	CHECK_INT(fake_stats.released, 2);
	CHECK_COUNT("c1 RELEASE", 0);
	CHECK_INT(fake_pool.count, 3);
	fake_clock += 100 * MS; /* the pool looks at the connection, which then sends the rest */
	CHECK(rl_pool_has(&fake_pool, &fake_targets[C], RL_WANT_ANY, fake_clock));
	CHECK_COUNT("100 c1 RELEASE", 2);
}

static void two_members_that_hang_take_the_whole_time(void)
{
	begin_warm(3, 2);
	says(A, 2, ":1", 0);
	fake_acts(B, FAKE_SILENCE, NULL, 0);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(batch_op), RL_ERR_TIMEOUT);
	CHECK_INT(fake_ms(), 200);
	CHECK_INT(fake_stats.failed, 2);
	CHECK(rl_lease_is_open(leases[0]));
}

static void a_backed_off_member_is_not_dialled(void)
{
	begin(3, 1);
	fake_warm(A);
	fake_warm(B);
	rl_pool_note_failure(&fake_pool, &fake_targets[C], fake_clock);
	says(A, 1, ":1", 0);
	says(B, 1, ":1", 0);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_COUNT("dial", 0);
	batch_end();
	begin(2, 1); /* the refusal of one of two decides */
	fake_warm(A);
	rl_pool_note_failure(&fake_pool, &fake_targets[B], fake_clock);
	rl_pool_note_failure(&fake_pool, &fake_targets[C], fake_clock); /* c is no member of this set */
	says(A, 1, ":0", 0);
	fake_drive(batch_op);
	CHECK(rl_lease_is_lost(leases[0]));
	CHECK_COUNT("dial", 0);
}

static void backed_off_members_are_dialled_if_the_others_cannot_decide(void)
{
	begin(1, 1);
	rl_pool_note_failure(&fake_pool, &fake_targets[A], fake_clock);
	says(A, 1, ":1", 0);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	batch_end();
	begin(3, 1);
	fake_warm(A);
	rl_pool_note_failure(&fake_pool, &fake_targets[B], fake_clock);
	rl_pool_note_failure(&fake_pool, &fake_targets[C], fake_clock);
	says(A, 1, ":1", 0);
	says(B, 1, ":1", 0);
	fake_dials(C, FAKE_REFUSE, 0);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(leases[0]->stage, RL_LEASE_ENDED);
}

/* ---- votes ---- */

static void the_votes_decide_on_each_lease(void)
{
	static const struct {
		const char *const votes[5];
		rl_lease_stage stage;
		bool is_lost;
	} cases[] = {
		{{":1", ":1", ":1", ":1", ":1"}, RL_LEASE_ENDED, false},
		{{":1", ":1", ":1", ":0", ":0"}, RL_LEASE_ENDED, false},
		{{":1", ":1", "-ERR x", ":1", "-ERR x"}, RL_LEASE_ENDED, false},
		{{":1", ":1", ":0", ":0", ":0"}, RL_LEASE_TAKEN, true},
		{{":0", ":0", ":0", ":0", ":0"}, RL_LEASE_TAKEN, true},
		{{":0", ":0", "-ERR x", ":0", "-ERR x"}, RL_LEASE_TAKEN, true},
		{{":1", ":1", ":0", ":0", "-ERR x"}, RL_LEASE_TAKEN, false},
		{{":1", ":1", "-ERR x", "-ERR x", "-ERR x"}, RL_LEASE_TAKEN, false},
		{{"-ERR x", "-ERR x", "-ERR x", "-ERR x", "-ERR x"}, RL_LEASE_TAKEN, false},
	};
	unsigned count = sizeof cases / sizeof cases[0];
	begin_warm(5, count);
	for (unsigned i = 0; i < count; i++) {
		for (unsigned j = 0; j < 5; j++) {
			fake_says(j, cases[i].votes[j]);
		}
	}
	CHECK_INT(fake_drive(batch_op), RL_OK);
	for (unsigned i = 0; i < count; i++) {
		if (leases[i]->stage != cases[i].stage || rl_lease_is_lost(leases[i]) != cases[i].is_lost) {
			FAIL("case %u: stage %d, %slost", i, (int) leases[i]->stage,
				rl_lease_is_lost(leases[i]) ? "" : "not ");
		}
	}
	CHECK_INT(fake_stats.released, 3);
	CHECK_INT(fake_stats.not_released, 3);
	CHECK_INT(fake_stats.failed, 3);
}

static void half_of_two_is_not_enough(void)
{
	begin_warm(2, 2);
	says(A, 2, ":1", 0);
	fake_says(B, ":0");
	fake_says(B, ":1");
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK(rl_lease_is_lost(leases[0]));
	CHECK_INT(leases[1]->stage, RL_LEASE_ENDED);
}

/* Two of three members disagree: the third decides, and is waited for. */
static void a_quorum_that_disagrees_waits_for_the_others(void)
{
	static const struct {
		const char *third;
		rl_lease_stage stage;
		bool is_lost;
	} cases[] = {{":0", RL_LEASE_TAKEN, true}, {":1", RL_LEASE_ENDED, false}};
	for (unsigned i = 0; i < 2; i++) {
		begin_warm(3, 1);
		says(A, 1, ":1", 0);
		says(B, 1, ":0", 10 * MS);
		says(C, 1, cases[i].third, 50 * MS);
		CHECK_INT(fake_drive(batch_op), RL_OK);
		CHECK_INT(fake_ms(), 50);
		CHECK_INT(leases[0]->stage, cases[i].stage);
		CHECK_INT(rl_lease_is_lost(leases[0]), cases[i].is_lost);
		CHECK_INT(fake_stats.failed, 0);
		CHECK_INT(fake_stats.released, !cases[i].is_lost);
		CHECK_INT(fake_stats.not_released, cases[i].is_lost);
		batch_end();
	}
}

/* An error is no vote: the third member decides, and without it nothing is decided. */
static void an_error_beside_a_yes_waits_for_the_others(void)
{
	begin_warm(3, 1);
	says(A, 1, ":1", 0);
	says(B, 1, "-LOADING x", 0);
	says(C, 1, ":1", 50 * MS);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_ms(), 50);
	CHECK_INT(fake_stats.released, 1);
	batch_end();
	begin_warm(3, 1);
	says(A, 1, ":1", 0);
	says(B, 1, "-LOADING x", 0);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_ms(), 200);
	CHECK_INT(fake_stats.failed, 1);
	CHECK(rl_lease_is_open(leases[0]));
}

static void refusals_that_rule_a_quorum_out_are_enough(void)
{
	begin_warm(5, 2);
	says(A, 2, ":0", 0);
	says(B, 2, ":0", 0);
	says(C, 2, ":0", 10 * MS);
	fake_acts(3, FAKE_SILENCE, NULL, 0);
	fake_acts(4, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_ms(), 10);
	CHECK(rl_lease_is_lost(leases[0]));
	CHECK_INT(fake_stats.not_released, 2);
}

static void failures_that_rule_a_quorum_out_are_enough(void)
{
	begin(3, 1);
	fake_warm(A);
	fake_warm(B);
	fake_dials(C, FAKE_REFUSE, 0);
	fake_acts(A, FAKE_SILENCE, NULL, 0);
	says(B, 1, "-ERR x", 10 * MS);
	CHECK(fake_drive(batch_op) != RL_OK);
	CHECK_INT(fake_ms(), 10);
	CHECK_INT(fake_stats.failed, 1);
}

/* Each lease has votes of its own: the slowest decision ends it. */
static void a_batch_ends_when_its_last_lease_is_decided(void)
{
	begin_warm(3, 2);
	says(A, 2, ":1", 0);
	fake_says(B, ":1");
	fake_says(B, ":0");
	says(C, 2, ":1", 30 * MS);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_ms(), 30);
	CHECK_INT(fake_stats.released, 2);
}

/* ---- the members that have yet to release a lease ---- */

static void a_decided_lease_is_missing_nowhere(void)
{
	begin_warm(3, 2);
	fake_says(A, ":1");
	fake_says(A, ":0");
	fake_says(B, ":1");
	fake_says(B, ":0");
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(batch_missing(0), 0);
	CHECK_INT(batch_missing(1), 0);
}

static void the_members_that_have_not_confirmed_are_missing(void)
{
	begin_warm(5, 3);
	fake_says(A, ":1");
	fake_says(A, "-LOADING x");
	fake_says(A, ":0");
	says(B, 3, "-LOADING x", 0);
	says(C, 3, "-NOPERM x", 0);
	fake_acts(3, FAKE_SILENCE, NULL, 0);
	fake_acts(4, FAKE_SILENCE, NULL, 0);
	fake_drive(batch_op);
	CHECK_INT(batch_missing(0), 1 << B | 1 << 3 | 1 << 4);
	CHECK_INT(batch_missing(1), 1 << A | 1 << B | 1 << 3 | 1 << 4);
	CHECK_INT(batch_missing(2), 1 << B | 1 << 3 | 1 << 4);
	CHECK(rl_releases_barred(batch_op) == NULL);
}

static void a_command_that_is_not_allowed_is_an_error(void)
{
	begin_warm(3, 1);
	fake_says(A, "-NOPERM no rights");
	fake_says(B, "-ERR unknown command 'EVAL'");
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	fake_drive(batch_op);
	CHECK(rl_releases_barred(batch_op) != NULL);
	CHECK_INT(rl_releases_barred(batch_op)->err->status, RL_ERR_SERVER);
	CHECK_TEXT(rl_releases_barred(batch_op)->err->code, "NOPERM");
	CHECK_HAS(rl_releases_barred(batch_op)->err->message, "2 of 3 servers failed");
	CHECK_HAS(rl_releases_barred(batch_op)->err->message, "no rights");
	CHECK_HAS(rl_releases_barred(batch_op)->err->message, "unknown command");
}

static void a_key_of_another_type_is_a_refusal(void)
{
	begin_warm(3, 1);
	fake_says(A, ":1");
	fake_says(B, "-WRONGTYPE x");
	fake_says(C, ":0");
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK(rl_lease_is_lost(leases[0]));
	CHECK_INT(batch_missing(0), 0);
}

/* ---- a member that fails ---- */

static void a_member_whose_connection_breaks_gets_the_releases_again(void)
{
	begin_warm(3, 3);
	says(A, 3, ":1", 30 * MS);
	fake_acts(B, FAKE_SILENCE, NULL, 0);
	fake_says(C, ":1");
	fake_acts(C, FAKE_BREAK, NULL, 0);
	says(C, 2, ":1", 0);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_COUNT("c2 RELEASE k1", 0);
	CHECK_COUNT("c2 RELEASE k2", 1);
	CHECK_COUNT("c2 RELEASE k3", 1);
	CHECK_INT(fake_stats.released, 3);
}

/* The first release has run, and its answer was lost. */
static void a_lock_that_is_gone_after_a_break_was_freed_by_the_first_copy(void)
{
	begin_warm(3, 1);
	says(A, 1, ":1", 0);
	fake_acts(B, FAKE_SILENCE, NULL, 0);
	fake_acts(C, FAKE_BREAK, NULL, 0);
	fake_says(C, ":0");
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_stats.released, 1);
	batch_end();
	/* If the lease was lost already, a lock that is gone was not freed by the first copy. */
	begin_warm(3, 1);
	rl_lease_lose(leases[0]);
	says(A, 1, ":1", 0);
	fake_acts(B, FAKE_SILENCE, NULL, 0);
	fake_acts(C, FAKE_BREAK, NULL, 0);
	fake_says(C, ":0");
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_stats.released, 0);
}

static void a_second_break_leaves_the_decision_to_the_others(void)
{
	begin_warm(3, 1);
	says(A, 1, ":1", 10 * MS);
	says(B, 1, ":1", 10 * MS);
	fake_acts(C, FAKE_BREAK, NULL, 0);
	fake_acts(C, FAKE_BREAK, NULL, 0);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_COUNT("c3", 0);
	CHECK_INT(fake_stats.released, 1);
}

static void a_batch_ends_at_once_if_all_members_are_down(void)
{
	begin(3, 1);
	for (unsigned i = 0; i < 3; i++) {
		fake_dials(i, FAKE_REFUSE, 0);
	}
	CHECK(fake_drive(batch_op) != RL_OK);
	CHECK_INT(fake_ms(), 0);
	CHECK_INT(fake_stats.failed, 1);
}

static void a_member_that_forbids_the_helper_keys_gets_releases_without_them(void)
{
	begin(3, 3);
	fake_set.wakes = true;
	for (unsigned i = 0; i < 3; i++) {
		fake_warm(i);
	}
	says(A, 3, ":1", 10 * MS);
	fake_acts(B, FAKE_SILENCE, NULL, 0);
	fake_says(C, ":1");
	says(C, 2, "-NOPERM x", 0);
	says(C, 2, ":1", 0);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_COUNT("c1 RELEASE+ k", 3);
	CHECK_COUNT("c1 RELEASE k2 T1\n0 c1 RELEASE k3 T1\n", 1);
	CHECK_COUNT("a1 RELEASE k", 0);
	CHECK_INT(fake_stats.released, 3);
}

/* Whether b forbids the helper keys, too, is unknown: the release is sent without them as well. */
static void unanswered_releases_have_both_forms_if_a_member_forbids_the_helper_keys(void)
{
	static const char *const errors[] = {NULL, "-NOPERM No permissions to access a key",
		"-NOPERM User u has no permissions to run the 'x' command"};
	for (unsigned at = 0; at < 3; at++) {
		bool is_forbidden = errors[at] != NULL;
		fake_begin(3);
		fake_set.wakes = true;
		batch_make(1, DRAWN);
		for (unsigned i = 0; i < 3; i++) {
			fake_warm(i);
		}
		if (is_forbidden) {
			fake_says(A, errors[at]);
		}
		fake_says(A, ":1");
		fake_says(C, ":1");
		fake_acts(B, FAKE_SILENCE, NULL, 0);
		CHECK_INT(fake_drive(batch_op), RL_OK);
		CHECK_COUNT("b1 RELEASE+ k1 T1", 1);
		CHECK_COUNT("b1 RELEASE k1 T1", is_forbidden);
		CHECK_COUNT("a1 RELEASE k1", is_forbidden);
		CHECK_INT(fake_set.wakes, at < 2);
		batch_end();
	}
}

static void an_abandoned_batch_writes_all_it_can(void)
{
	begin_warm(3, LEASES);
	for (unsigned i = 0; i < 3; i++) {
		fake_acts(i, FAKE_SILENCE, NULL, 0);
	}
	CHECK(!fake_drive_to(batch_op, FAKE_START + 10 * MS));
	rl_op_abandon(batch_op, fake_clock, false);
	CHECK_COUNT("RELEASE", 3 * LEASES);
	CHECK_INT(fake_stats.failed, LEASES);
}

/* ---- the connection of a member that is not waited for ---- */

/* a and b free it after 10 ms. */
static void others_free(unsigned times)
{
	says(A, times, ":1", 10 * MS);
	says(B, times, ":1", 10 * MS);
}

/* Many batches in a row use the same connections. */
static void a_slow_member_keeps_its_connection(void)
{
	begin_warm(3, 1);
	for (unsigned i = 0; i < 20; i++) {
		if (i > 0) {
			rl_op_free(batch_op);
			rl_lease_begin(leases[0], bytes_of(DRAWN), 30 * SECOND, fake_clock + 29 * SECOND);
			batch_again(1);
		}
		says(A, 1, ":1", 0);
		says(B, 1, ":1", 0);
		says(C, 1, ":1", 3 * MS);
		CHECK_INT(fake_drive(batch_op), RL_OK);
		fake_clock += 5 * MS;
	}
	CHECK_COUNT("c1 RELEASE", 20);
	CHECK_COUNT("dial", 0);
	CHECK_INT(fake_pool.count, 3);
	CHECK(fake_pool.troubles == NULL);
}

/* The next call notices the silence. */
static void a_silent_member_is_noticed_by_the_next_call(void)
{
	begin_warm(3, 1);
	others_free(1);
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	fake_clock = FAKE_START + 1009 * MS;
	CHECK(rl_pool_has(&fake_pool, &fake_targets[C], RL_WANT_ANY, fake_clock));
	fake_clock = FAKE_START + 1011 * MS;
	CHECK(!rl_pool_has(&fake_pool, &fake_targets[C], RL_WANT_ANY, fake_clock));
	CHECK(rl_pool_is_backed_off(&fake_pool, &fake_targets[C], fake_clock));
}

/* The connection goes on with the login, and nothing else is left to send on it. */
static void a_login_that_is_not_over_keeps_its_connection(void)
{
	static char password[] = "secret";
	begin(3, 2);
	fake_warm(A);
	fake_warm(B);
	fake_targets[C].password = (rl_secret){password, 6};
	fake_login_says(C, "AUTH", NULL);
	fake_dials(C, FAKE_ACCEPT_AT_ONCE, 0);
	others_free(2);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	fake_targets[C].password = (rl_secret){NULL, 0};
	CHECK_COUNT("c1 RELEASE", 2); /* a drawn token does not wait for the login */
	CHECK_COUNT("c1 end", 0);
	CHECK_INT(fake_pool.count, 3);
}

/* The refusal of one key's helper keys says nothing about the other key. */
static void a_member_that_forbids_helper_keys_keeps_its_connection(void)
{
	begin(3, 2);
	fake_set.wakes = true;
	for (unsigned i = 0; i < 3; i++) {
		fake_warm(i);
	}
	others_free(2);
	fake_says(C, "-NOPERM x");
	fake_acts(C, FAKE_SILENCE, NULL, 0);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_COUNT("c1 RELEASE k1 T1", 1);
	CHECK_COUNT("c1 RELEASE k2 T1", 0);
	CHECK_COUNT("c1 end", 0);
	CHECK_INT(fake_pool.count, 3);
}

static void a_member_that_reads_too_little_loses_its_connection(void)
{
	begin_warm(3, 2);
	others_free(2);
	fake_acts(C, FAKE_HALF, NULL, RL_NEVER);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_COUNT("10 c1 end", 1);
	CHECK_INT(fake_pool.count, 2);
}

/* A release that is sent after the connecting could free another client's lock with an equal
 * token. */
static void a_callers_token_is_not_left_on_a_connection_that_is_still_connecting(void)
{
	fake_begin(3);
	batch_make(2, "tok");
	fake_warm(A);
	fake_warm(B);
	fake_dials(C, FAKE_ACCEPT, 100 * MS);
	others_free(2);
	CHECK_INT(fake_drive(batch_op), RL_OK);
	CHECK_INT(fake_pool.count, 3);
	fake_clock += 100 * MS;
	CHECK(rl_pool_has(&fake_pool, &fake_targets[C], RL_WANT_ANY, fake_clock));
	CHECK_COUNT("c1 RELEASE", 0);
}

static void in_a_forked_child_nothing_is_sent(void)
{
	begin(3, LEASES);
	fake_warm(A);
	fake_warm(B);
	fake_dials(C, FAKE_ACCEPT, 100 * MS);
	fake_acts(A, FAKE_SILENCE, NULL, 0);
	fake_acts(B, FAKE_SILENCE, NULL, 0);
	CHECK(!fake_drive_to(batch_op, FAKE_START + 10 * MS));
	CHECK_COUNT("RELEASE", 2 * RL_BATCH_WINDOW);
	fake_fork();
	fake_forget_log();
	rl_op_abandon(batch_op, fake_clock, true);
	CHECK_LOG("10 b1 close\n10 a1 close\n10 c1 close\n");
	CHECK_INT(fake_pool.count, 0);
	CHECK_INT(fake_stats.failed, 0); /* the leases are the parent's */
}

static const check_test tests[] = {
	TEST(each_member_gets_the_releases_and_the_first_one_last),
	TEST(a_batch_ends_with_the_answers_of_a_quorum),
	TEST(the_rest_is_written_for_a_slow_member),
	TEST(the_number_of_releases_under_way_on_each_member_is_limited),
	TEST(a_member_that_hangs_does_not_matter),
	TEST(two_members_that_hang_take_the_whole_time),
	TEST(a_backed_off_member_is_not_dialled),
	TEST(backed_off_members_are_dialled_if_the_others_cannot_decide),
	TEST(the_votes_decide_on_each_lease),
	TEST(half_of_two_is_not_enough),
	TEST(a_quorum_that_disagrees_waits_for_the_others),
	TEST(an_error_beside_a_yes_waits_for_the_others),
	TEST(refusals_that_rule_a_quorum_out_are_enough),
	TEST(failures_that_rule_a_quorum_out_are_enough),
	TEST(a_batch_ends_when_its_last_lease_is_decided),
	TEST(a_decided_lease_is_missing_nowhere),
	TEST(the_members_that_have_not_confirmed_are_missing),
	TEST(a_command_that_is_not_allowed_is_an_error),
	TEST(a_key_of_another_type_is_a_refusal),
	TEST(a_member_whose_connection_breaks_gets_the_releases_again),
	TEST(a_lock_that_is_gone_after_a_break_was_freed_by_the_first_copy),
	TEST(a_second_break_leaves_the_decision_to_the_others),
	TEST(a_batch_ends_at_once_if_all_members_are_down),
	TEST(a_member_that_forbids_the_helper_keys_gets_releases_without_them),
	TEST(unanswered_releases_have_both_forms_if_a_member_forbids_the_helper_keys),
	TEST(an_abandoned_batch_writes_all_it_can),
	TEST(a_slow_member_keeps_its_connection),
	TEST(a_silent_member_is_noticed_by_the_next_call),
	TEST(a_login_that_is_not_over_keeps_its_connection),
	TEST(a_member_that_forbids_helper_keys_keeps_its_connection),
	TEST(a_member_that_reads_too_little_loses_its_connection),
	TEST(a_callers_token_is_not_left_on_a_connection_that_is_still_connecting),
	TEST(in_a_forked_child_nothing_is_sent),
};

CHECK_MAIN(tests, batch_end)
