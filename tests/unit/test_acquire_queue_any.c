/* SPDX-License-Identifier: MIT
 *
 * Waits that are woken, against servers and networks that do anything: what must hold whatever
 * happens.
 *
 * The plans come from a small generator that starts with the number of the round, so a failed round
 * can be run again. The plans lean to what a server would really answer, because otherwise hardly
 * any wait would reach the queue.
 */
#include "check.h"
#include "fake_words.h"
#include "waiting.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A cc with -DROUNDS=1000000 looks further. */
#ifndef ROUNDS
# ifdef FULL
#  define ROUNDS 6000
# else
#  define ROUNDS 2000
# endif
#endif

static uint32_t state;
static unsigned round_number;
static bool is_strict;

static uint32_t any(uint32_t below)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % below;
}

static int64_t any_delay(void)
{
	switch (any(8)) {
		case 0:
			return any(1500) * MS;
		case 1:
		case 2:
			return any(30) * MS;
		default:
			return any(3);
	}
}

/* Of the server, which sometimes has no clock. */
static int64_t any_time(void)
{
	return any(20) == 0 ? -1000000 : (int64_t) any(8000);
}

static const char *any_refusal(void)
{
	static const int64_t ttls[] = {600000, 600000, 600000, 500, 20, 3, 0, -1, -2};
	static const rl_holder holders[] = {RL_HOLDER_KIN, RL_HOLDER_KIN, RL_HOLDER_KIN, RL_HOLDER_KIN,
		RL_HOLDER_FOREIGN, RL_HOLDER_SELF, RL_HOLDER_RESERVED, RL_HOLDER_NOBODY};
	int64_t pttl = ttls[any(9)];
	return refusal(any_time(), pttl, holders[any(8)]);
}

static const char *any_look(void)
{
	static const rl_holder holders[] = {RL_HOLDER_KIN, RL_HOLDER_KIN, RL_HOLDER_KIN,
		RL_HOLDER_FOREIGN, RL_HOLDER_SELF, RL_HOLDER_RESERVED, RL_HOLDER_NOBODY, RL_HOLDER_NOBODY};
	rl_ticket ticket = any(3) == 0 ? RL_TICKET_OUT
		: any(12) == 0             ? RL_TICKET_IMPOSSIBLE
								   : RL_TICKET_NONE;
	return look(any_time(), any(2) * 600000, holders[any(8)], ticket);
}

/* An answer that a server may give to the command, and sometimes an answer that makes no sense. */
static const char *any_answer(const char *words)
{
	static const char *const others[] = {"-LOADING x", "-NOSCRIPT x", "-NOPERM x", "-ERR x",
		"-WRONGTYPE x", "+OK", "_", ":1", ":0", "$x"};
	static const char *const swaps[] = {":1", ":1", ":1", ":1", ":2", ":0"};
	static const char *const blpops[] = {FAKE_TICKET, FAKE_TICKET, FAKE_TICKET, "_", "-LOADING x",
		"-UNBLOCKED x", "-NOPERM x", ":1"};
	if (any(16) == 0) {
		return others[any(10)];
	}
	switch (words[0]) {
		case 's':
		case 'S': /* SET, swap */
			if (words[1] == 'w' || words[1] == 'W') {
				return swaps[any(6)];
			}
			return any(3) == 0 ? "+OK" : "_";
		case 'B': /* BLPOP */
			return blpops[any(any(4) == 0 ? 8 : 3)];
		case 't':
		case 'T':
			return any(4) == 0 ? grant(any_time()) : any_refusal();
		case 'p':
		case 'P':
			return any_look();
		default: /* RELEASE */
			return any(2) == 0 ? ":1" : ":0";
	}
}

static bool any_plan(const char *words, bool is_taken, fake_plan *plan)
{
	static const fake_act taking[] = {FAKE_BREAK_UNSENT, FAKE_BREAK_HALF, FAKE_HALF};
	static const fake_act running[] = {
		FAKE_SAY_BREAK, FAKE_SILENCE, FAKE_BREAK, FAKE_NONSENSE, FAKE_SAY_TWICE};
	if (!is_taken) {
		*plan = (fake_plan){any(40) == 0 ? taking[any(3)] : FAKE_SAY, NULL, any_delay()};
		return true;
	}
	*plan = (fake_plan){any(20) == 0 ? running[any(5)] : FAKE_SAY, any_answer(words), any_delay()};
	if (words[0] == 'B' && any(3) != 0) {
		plan->delay = any(4000) * MS;
	}
	return true;
}

static void plan_dials(void)
{
	static const fake_dial dials[] = {
		FAKE_ACCEPT_AT_ONCE, FAKE_REFUSE, FAKE_REFUSE_LATER, FAKE_HANG, FAKE_NO_NAME};
	for (unsigned i = 0; i < 24; i++) {
		fake_dials(0, any(3) == 0 ? dials[any(5)] : FAKE_ACCEPT, any_delay());
	}
	if (any(4) == 0) {
		fake_targets[0].database = 2;
		fake_login_says(0, "SELECT", any(4) == 0 ? "-ERR x" : "+OK");
	}
}

static void begin_round(unsigned number)
{
	round_number = number;
	state = number * 2654435761U + 1;
	fake_begin(1);
	fake_set.wakes = true;
	fake_set.retries = any(4) == 0 ? any(6) : RL_RETRIES_UNLIMITED;
	for (unsigned i = any(4); i > 0; i--) {
		fake_warm(0);
	}
	if (any(4) != 0) { /* into the queue, whatever then comes */
		fake_says(0, "_");
		fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	}
	plan_dials();
	fake_improvise = any_plan;
}

/* The token in a line of the log, after this verb; "" = the line has none. */
static void token_of(const char *line, const char *verb, char *token, size_t size)
{
	const char *at = strstr(line, verb);
	const char *end = strchr(line, '\n');
	token[0] = '\0';
	if (at != NULL && at < end && strstr(line, "lost: ") == NULL) {
		at += strlen(verb);
		size_t len = strcspn(at, " \n");
		snprintf(token, size, "%.*s", (int) len, at);
	}
}

/* No command uses a token after its undo, which could delete the new grant. */
static void check_no_use_after_an_undo(void)
{
	static const char *const uses[] = {" SET k ", " try k ", " try+ k ", " TRY k ", " TRY+ k "};
	char undone[32][16];
	unsigned count = 0;
	char line[512];
	for (const char *at = fake_log(); *at != '\0'; at = strchr(at, '\n') + 1) {
		char token[16];
		snprintf(line, sizeof line, "%.*s\n", (int) strcspn(at, "\n"), at);
		for (unsigned i = 0; i < 5; i++) {
			token_of(line, uses[i], token, sizeof token);
			for (unsigned j = 0; token[0] != '\0' && j < count; j++) {
				if (strcmp(undone[j], token) == 0) {
					FAIL("round %u: a use after an undo: %s%s", round_number, line, fake_log());
				}
			}
		}
		token_of(line, " RELEASE k ", token, sizeof token);
		if (token[0] == '\0' && is_strict) {
			token_of(line, " RELEASE+ k ", token, sizeof token);
		}
		if ((token[0] == 'T' || strcmp(token, "drawn") == 0) && count < 32) {
			strcpy(undone[count++], token);
		}
	}
}

/* No undo was written for the token that has won. */
static void check_granted(const rl_acquire *acquire)
{
	rl_bytes token = acquire->won_since == 0 ? acquire->token : bytes_of("");
	char undo[64];
	snprintf(undo, sizeof undo, "k %s\n", fake_name_of(token));
	const char *word = is_strict ? " RELEASE" : " RELEASE k";
	for (const char *at = fake_log(); (at = strstr(at, word)) != NULL; at++) {
		if (strncmp(strchr(at + 1, ' ') + 1, undo, strlen(undo)) == 0) {
			FAIL("round %u: what was granted was undone: %s", round_number, fake_log());
		}
	}
	if (acquire->proven_until <= fake_clock) {
		FAIL("round %u: a grant of no use", round_number);
	}
}

static void check_end(const rl_acquire *acquire, int64_t latest)
{
	const rl_op *op = &acquire->op;
	if (fake_clock > latest) {
		FAIL("round %u: ended at %" PRId64 " ms: %s", round_number, fake_ms(), fake_log());
	}
	CHECK(op->status == RL_OK || op->status == RL_BUSY || op->err != NULL);
	if (op->status == RL_OK) {
		check_granted(acquire);
	}
	/* Each call counts as ended once. */
	CHECK_INT(
		fake_stats.acquired + fake_stats.refused + fake_stats.timed_out + fake_stats.failed, 1);
	CHECK(fake_stats.wake_ups >= fake_stats.spurious_wake_ups);
	/* One failure is counted for the wait, and one when waking is switched off for the object. */
	if (is_strict && fake_stats.wake_failures > 1u + !fake_set.wakes) {
		FAIL(
			"round %u: %d fallbacks: %s", round_number, (int) fake_stats.wake_failures, fake_log());
	}
}

static void run_round(unsigned number, bool is_own)
{
	begin_round(number);
	int64_t wait = (1 + any(5000)) * MS;
	int64_t ttl_ms = any(3) == 0 ? 20 + any(300) : 5000;
	rl_acquire *acquire = is_own ? fake_acquire_own(any(2) == 0 ? "mine" : FAKE_DRAWN, ttl_ms, wait)
								 : fake_acquire(ttl_ms, wait);
	int64_t stop = any(4) == 0 ? FAKE_START + any(5000) * MS : RL_NEVER - 1;
	if (fake_drive_to(&acquire->op, stop)) {
		/* A call ends one timeout after its deadline at the latest. */
		check_end(acquire, FAKE_START + wait + SECOND);
	} else {
		bool is_forked = any(3) == 0;
		size_t before = strlen(fake_log());
		if (is_forked) {
			fake_fork();
		}
		rl_op_abandon(&acquire->op, fake_clock, is_forked);
		CHECK(!is_forked || strstr(fake_log() + before, " k ") == NULL);
		CHECK(rl_queue_is_out(&acquire->queue) && acquire->op.call.members[0].channel.conn == NULL);
	}
	check_no_use_after_an_undo();
	fake_end();
}

static unsigned reached[4]; /* which outcomes the rounds have reached */

static void note_round(void)
{
	reached[0] += strstr(fake_log(), "BLPOP") != NULL;
	reached[1] += strstr(fake_log(), "probe") != NULL;
	reached[2] += fake_stats.wake_ups > 0;
	reached[3] += fake_stats.acquired > 0 && fake_stats.wake_ups > 0;
}

static void run_rounds(bool is_own)
{
	memset(reached, 0, sizeof reached);
	for (unsigned i = 0; i < ROUNDS; i++) {
		run_round(i, is_own);
		note_round();
	}
	CHECK(reached[0] > ROUNDS / 2);
	CHECK(reached[1] > ROUNDS / 4);
	CHECK(reached[2] > ROUNDS / 4);
	CHECK(reached[3] > ROUNDS / 20);
}

static void a_wait_ends_well_whatever_happens(void)
{
	is_strict = false;
	run_rounds(false);
}

static void a_wait_with_an_own_token_ends_well_whatever_happens(void)
{
	is_strict = false;
	run_rounds(true);
}

/* The same, with two stricter rules: a half-written undo counts as an undo, and a wait that falls
 * back to polling is counted once. */
static void a_wait_never_uses_an_undone_token_nor_falls_back_twice(void)
{
	is_strict = true;
	run_rounds(false);
	run_rounds(true);
}

static const check_test tests[] = {
	TEST(a_wait_ends_well_whatever_happens),
	TEST(a_wait_with_an_own_token_ends_well_whatever_happens),
	TEST(a_wait_never_uses_an_undone_token_nor_falls_back_twice),
};

CHECK_MAIN(tests, fake_end)
