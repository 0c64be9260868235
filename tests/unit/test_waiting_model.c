/* SPDX-License-Identifier: MIT
 *
 * Waits that are woken, against a model of a server: one key with its reservation, its ticket and its marks, as
 * the scripts of rl_script.c treat them, and other clients that hold, release, lose and want the lock at random.
 * Answers are delayed, connections break before and behind a command, and bytes of a broken connection may be
 * run late. What must hold then: a grant is one and lasts as long as it is said to; what is not granted is not
 * left behind; a lock that is free is not waited for. And of the marks, where nothing is in the way: who stands in
 * the queue is marked, who waits no longer is not.
 */
#include "check.h"
#include "fake_words.h"
#include "world.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A cc with -DROUNDS=1000000 looks further. */
#ifndef ROUNDS
# define ROUNDS 4000
#endif

/* ---- the others ---- */

static void others_take(int64_t at)
{
	world_set(world_any(3) == 0 ? "foreign" : "kin", 50 + world_any(3000), at);
	the_world.holder_frees_at = world_any(4) == 0 ? RL_NEVER : at + world_any_ms(1500);
}

static void others_release(int64_t at)
{
	the_world.holder_frees_at = RL_NEVER;
	if (!the_world.is_held || the_world.value[0] == '\0' || world_is_ours(the_world.value)) {
		return;
	}
	if (the_world.value[0] == 'k') {
		bool is_watched =
			!the_world.has_trouble && at < the_world.deadline && fake_blocked_links() > 0;
		if (is_watched && !world_has_marks(at)) {
			FAIL("round %u: released over who waits, at %" PRId64 " ms: %s", the_world.round,
				fake_ms(), fake_log());
		}
		world_free(at);
	} else {
		world_delete(at);
	}
}

static void ghost_takes(int64_t at)
{
	the_world.ghost_takes_at = RL_NEVER;
	if (!the_world.is_held || the_world.value[0] == '\0') {
		others_take(at);
	}
}

static void newcomer_comes(int64_t at)
{
	the_world.newcomer_at = at + world_any_ms(4000);
	if (!the_world.is_held) {
		others_take(at);
	} else if (world_any(3) == 0 && the_world.ghosts < 3) {
		the_world.ghosts++;
	}
}

static void on_alarm(void)
{
	fake_blocked_links(); /* what the servers did before */
	int64_t at = fake_clock;
	world_expire(at);
	for (unsigned i = 0; i < the_world.late_count; i++) {
		if (the_world.late[i].at <= at) {
			the_world.late[i].at = RL_NEVER;
			world_run(the_world.late[i].words, at);
		}
	}
	if (the_world.holder_frees_at <= at) {
		others_release(at);
	}
	if (the_world.ghost_takes_at <= at) {
		ghost_takes(at);
	}
	if (the_world.newcomer_at <= at) {
		newcomer_comes(at);
	}
	world_set_alarm();
}

/* ---- rounds ---- */

static void begin_round(unsigned number, bool has_trouble)
{
	waiting_begin();
	the_world = (world){.round = number,
		.random = number * 2654435761U + 1,
		.ghost_takes_at = RL_NEVER,
		.holder_frees_at = RL_NEVER,
		.unheld_since = FAKE_START,
		.has_trouble = has_trouble};
	the_world.rate = 0.995 + world_any(100) / 10000.0;
	the_world.newcomer_at = FAKE_START + world_any_ms(4000);
	the_world.ghosts = world_any(3);
	others_take(FAKE_START);
	fake_set.retries = world_any(6) == 0 ? world_any(8) : RL_RETRIES_UNLIMITED;
	if (world_any(4) == 0) {
		fake_set.backoff = (rl_backoff){.first_ns = 700 * MS, .max_ns = 5 * SECOND};
	}
	if (world_any(3) == 0) {
		rl_pool_clear(&fake_pool);
		for (unsigned i = world_any(2); i > 0; i--) {
			fake_warm(0);
		}
		fake_forget_log();
	}
	fake_improvise = world_serve;
	fake_on_alarm = on_alarm;
	world_set_alarm();
}

static void check_granted(const rl_acquire *acquire, bool is_own)
{
	const char *name =
		is_own ? "mine" : fake_name_of(rl_bytes_of(acquire->token, acquire->token_len));
	world_expire(fake_clock);
	if (!the_world.is_held || strcmp(the_world.value, name) != 0) {
		FAIL("round %u: %s is granted and \"%s\" has it: %s", the_world.round, name,
			the_world.is_held ? the_world.value : "nobody", fake_log());
	}
	if (acquire->proven_until <= fake_clock || acquire->proven_until > the_world.expires_at) {
		FAIL("round %u: proven until %" PRId64 ", lasts until %" PRId64 ": %s", the_world.round,
			acquire->proven_until, the_world.expires_at, fake_log());
	}
}

/* Nothing was said of an unknown outcome, so nothing is left. Two things cannot be known: that a command of a
 * broken connection will be run late, and that the server was gone when the system took the undo. */
static void check_not_granted(const rl_acquire *acquire)
{
	bool is_told = acquire->op.err != NULL &&
		(acquire->op.status == RL_ERR_UNKNOWN ||
			strstr(acquire->op.err->message, "outcome") != NULL ||
			strstr(acquire->op.err->message, "may be left of it ends by its TTL") != NULL ||
			strstr(acquire->op.err->message, "an undo behind it") != NULL);
	world_expire(fake_clock);
	fake_blocked_links();
	bool is_excused = the_world.late_count > 0 || strstr(fake_log(), "lost: RELEASE") != NULL;
	if (the_world.is_held && world_is_ours(the_world.value) && !is_told && !is_excused) {
		FAIL("round %u: %s is left behind: %s", the_world.round, the_world.value, fake_log());
	}
}

/* Nobody had it for more than a look and what answers take, and it was not taken. */
static void check_liveness(const rl_acquire *acquire)
{
	bool was_free = the_world.unheld_since != RL_NEVER &&
		fake_clock - the_world.unheld_since > 1100 * MS + 3 * 210 * MS;
	if (acquire->op.status == RL_BUSY && was_free && fake_set.retries == RL_RETRIES_UNLIMITED) {
		FAIL("round %u: free since %" PRId64 " ms: %s", the_world.round,
			(the_world.unheld_since - FAKE_START) / MS, fake_log());
	}
}

/* Released at once: whatever stands in any queue yet must not take it with the old token. */
static void release_and_look_on(rl_acquire *acquire)
{
	char token[64];
	snprintf(token, sizeof token, "%.*s", (int) acquire->token_len, acquire->token);
	the_world.has_trouble = false;
	rl_pool_clear(&fake_pool); /* one of them may be silent */
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, token, 0)), RL_OK);
	the_world.is_over = true;
	for (unsigned i = 0; i < 40 && fake_alarm != RL_NEVER; i++) {
		fake_clock = fake_alarm > fake_clock ? fake_alarm : fake_clock;
		on_alarm();
	}
}

static bool is_anything_late(void)
{
	bool is = false;
	for (unsigned i = 0; i < the_world.late_count; i++) {
		is = is || the_world.late[i].at != RL_NEVER;
	}
	return is;
}

/* Where nothing is in the way, and but for a slow server, where it is void in two seconds. */
static void check_marks(const rl_acquire *acquire)
{
	int64_t round_trip = acquire->sample.heard_at - acquire->sample.asked_at;
	world_expire(fake_clock);
	if (world_has_marks(fake_clock) && round_trip <= RL_QUEUE_WORTH_NS) {
		FAIL("round %u: marked after the end: %s", the_world.round, fake_log());
	}
}

typedef struct how {
	bool has_trouble;
	bool is_own;
	bool is_given_up; /* at any moment */
} how;

static unsigned
	reached[4]; /* that the rounds get anywhere at all: granted, refused, woken, given up */

static void finish_round(const how *way, rl_acquire *acquire)
{
	rl_status status = acquire->op.status;
	reached[0] += status == RL_OK;
	reached[1] += status == RL_BUSY;
	reached[2] += fake_stats.wake_ups > fake_stats.wake_ups_taken;
	if (status == RL_OK) {
		check_granted(acquire, way->is_own);
		if (acquire->ttl_ns == 5 * SECOND && !is_anything_late()) {
			release_and_look_on(acquire);
		}
	} else {
		check_not_granted(acquire);
	}
	if (!way->has_trouble) {
		CHECK(status == RL_OK || status == RL_BUSY || status == RL_ERR_SLOW);
		check_liveness(acquire);
		if (status !=
			RL_ERR_SLOW) { /* may have marked again when its win, which was not heard, had ended */
			check_marks(acquire);
		}
	}
}

/* The undo of what is in the key was written, wherever one was due. */
static bool was_undone(void)
{
	char undo[32];
	snprintf(undo, sizeof undo, "RELEASE+ k %s ", the_world.value);
	return !the_world.is_undo_lost && strstr(fake_log(), undo) != NULL;
}

/* An own token that may have been set unheard is left behind: nobody may know whose it is. */
static void give_up(const how *way, rl_acquire *acquire)
{
	reached[3]++;
	rl_op_abandon(&acquire->op, fake_clock, false);
	/* A broken connection may not take it; that another does is in test_waiting_end.c. */
	bool may_be_left = way->is_own && strcmp(the_world.value, "mine") == 0;
	if (!may_be_left && (!way->has_trouble || was_undone())) {
		check_not_granted(acquire);
	}
	if (!way->has_trouble) {
		check_marks(acquire);
	}
}

static void run_round(unsigned number, const how *way)
{
	begin_round(number, way->has_trouble);
	int64_t wait = world_any_ms(6000) + MS;
	int64_t ttl_ms = world_any(4) == 0 ? 30 + world_any(500) : 5000;
	the_world.deadline = FAKE_START + wait;
	rl_acquire *acquire =
		way->is_own ? fake_acquire_own("mine", ttl_ms, wait) : fake_acquire(ttl_ms, wait);
	int64_t stop = way->is_given_up ? FAKE_START + world_any_ms(3000) : RL_NEVER - 1;
	if (fake_drive_to(&acquire->op, stop)) {
		finish_round(way, acquire);
	} else {
		give_up(way, acquire);
	}
	fake_end();
}

static void run_rounds(bool has_trouble, bool is_own)
{
	const how way = {.has_trouble = has_trouble, .is_own = is_own};
	memset(reached, 0, sizeof reached);
	for (unsigned i = 0; i < ROUNDS; i++) {
		run_round(i, &way);
	}
	CHECK(reached[0] > ROUNDS / 8);
	CHECK(reached[1] > ROUNDS / 8);
	CHECK(reached[2] > ROUNDS / 8);
}

static void run_rounds_given_up(bool has_trouble, bool is_own)
{
	const how way = {.has_trouble = has_trouble, .is_own = is_own, .is_given_up = true};
	memset(reached, 0, sizeof reached);
	for (unsigned i = 0; i < ROUNDS; i++) {
		run_round(i, &way);
	}
	CHECK(reached[3] > ROUNDS / 4);
}

static void without_trouble(void)
{
	run_rounds(false, false);
}

static void without_trouble_with_an_own_token(void)
{
	run_rounds(false, true);
}

static void with_trouble(void)
{
	run_rounds(true, false);
}

static void with_trouble_and_an_own_token(void)
{
	run_rounds(true, true);
}

static void given_up_without_trouble(void)
{
	run_rounds_given_up(false, false);
}

static void given_up_with_trouble(void)
{
	run_rounds_given_up(true, false);
}

static void given_up_with_an_own_token(void)
{
	run_rounds_given_up(false, true);
	run_rounds_given_up(true, true);
}

static const check_test tests[] = {
	TEST(without_trouble),
	TEST(without_trouble_with_an_own_token),
	TEST(with_trouble),
	TEST(with_trouble_and_an_own_token),
	TEST(given_up_without_trouble),
	TEST(given_up_with_trouble),
	TEST(given_up_with_an_own_token),
};

CHECK_MAIN(tests, fake_end)
