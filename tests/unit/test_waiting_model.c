/* SPDX-License-Identifier: MIT
 *
 * Waits that are woken, against a model of a server: one key with its reservation, its ticket and its marks, as
 * the scripts of rl_script.c treat them, and other clients that hold, release, lose and want the lock at random.
 * Answers are delayed, connections break before and behind a command, and bytes of a broken connection may be
 * run late. What must hold then: a grant is one and lasts as long as it is said to; what is not granted is not
 * left behind; a lock that is free is not waited for.
 */
#include "check.h"
#include "fake_words.h"
#include "waiting.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A cc with -DROUNDS=1000000 looks further. */
#ifndef ROUNDS
# define ROUNDS 4000
#endif
#define MARKS_MAX 12
#define LATE_MAX 8

typedef struct mark {
	char waiter[8];
	int64_t until;
} mark;

typedef struct late_command {
	int64_t at;
	char words[128];
} late_command;

/* The server, and what the other clients will do. Tokens are those of the log; theirs are "kin" and "foreign". */
typedef struct world {
	bool is_held;
	char value[8]; /* "" = reserved */
	int64_t expires_at;
	int64_t ticket_until; /* 0 = none lies there */
	mark marks[MARKS_MAX];
	late_command late[LATE_MAX];
	unsigned late_count;
	double rate;             /* of the server's clock */
	unsigned ghosts;         /* others who wait in the queue */
	int64_t ghost_takes_at;  /* one of them was woken */
	int64_t holder_frees_at; /* another client's release */
	int64_t newcomer_at;     /* tries to take it */
	int64_t unheld_since;    /* by anybody; RL_NEVER = it is held */
	bool has_trouble;        /* connections break, answers fail to come */
	bool is_over;            /* the caller has released: our tokens must not be granted any more */
	char granted[8];         /* the latest token of ours that was */
} world;

static world w;
static uint32_t state;
static unsigned round_number;

static uint32_t any(uint32_t below)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % below;
}

static int64_t any_ms(uint32_t below)
{
	return any(below) * MS + any(1000) * 1000;
}

/* ---- the key ---- */

static bool is_ours(const char *token)
{
	return token[0] == 'T' || strcmp(token, "mine") == 0;
}

static int64_t server_us(int64_t at)
{
	return 1000000000 + (int64_t) ((double) ((at - FAKE_START) / 1000) * w.rate);
}

static void note_holder(int64_t at)
{
	bool is_taken = w.is_held && w.value[0] != '\0';
	if (is_taken) {
		w.unheld_since = RL_NEVER;
	} else if (w.unheld_since == RL_NEVER) {
		w.unheld_since = at;
	}
}

static void expire(int64_t at)
{
	if (w.is_held && at >= w.expires_at) {
		w.is_held = false;
		note_holder(w.expires_at);
	}
	if (at >= w.ticket_until) {
		w.ticket_until = 0;
	}
}

static void set(const char *token, int64_t ttl_ms, int64_t at)
{
	w.is_held = true;
	snprintf(w.value, sizeof w.value, "%s", token);
	w.expires_at = at + (int64_t) ((double) (ttl_ms * MS) / w.rate);
	note_holder(at);
	if (is_ours(token)) {
		if (w.is_over) {
			FAIL("round %u: %s is granted after its release: %s", round_number, token, fake_log());
		}
		strcpy(w.granted, w.value);
	}
}

static void delete_key(int64_t at)
{
	w.is_held = false;
	note_holder(at);
}

static int64_t pttl(int64_t at)
{
	return w.is_held ? (int64_t) ((double) (w.expires_at - at) * w.rate) / MS : -2;
}

static rl_holder holder_for(const char *token, int64_t at)
{
	if (!w.is_held) {
		return RL_HOLDER_NOBODY;
	}
	if (w.value[0] == '\0') {
		return pttl(at) <= 10 ? RL_HOLDER_RESERVED : RL_HOLDER_FOREIGN;
	}
	if (strcmp(w.value, token) == 0) {
		return RL_HOLDER_SELF;
	}
	return w.value[0] == 'T' || w.value[0] == 'k' ? RL_HOLDER_KIN : RL_HOLDER_FOREIGN;
}

/* ---- marks and tickets ---- */

static void unmark(const char *waiter)
{
	for (unsigned i = 0; i < MARKS_MAX; i++) {
		if (strcmp(w.marks[i].waiter, waiter) == 0) {
			w.marks[i].until = 0;
		}
	}
}

static void set_mark(const char *waiter, int64_t at)
{
	unmark(waiter);
	for (unsigned i = 0; i < MARKS_MAX; i++) {
		if (w.marks[i].until <= at) {
			snprintf(w.marks[i].waiter, sizeof w.marks[i].waiter, "%s", waiter);
			w.marks[i].until = at + 2 * SECOND;
			return;
		}
	}
}

static bool is_marked(int64_t at)
{
	bool is = w.ghosts > 0;
	for (unsigned i = 0; i < MARKS_MAX; i++) {
		is = is || w.marks[i].until > at;
	}
	return is;
}

/* Whoever blocks for longest gets it, or it lies there. */
static rl_ticket ticket(int64_t at)
{
	if (w.ticket_until > at) {
		w.ticket_until = at + SECOND;
		return RL_TICKET_OUT;
	}
	bool is_ghosts = w.ghosts > 0 && any(3) == 0;
	if (!is_ghosts && fake_blocked_links() > 0) {
		fake_wakes(0, 0);
	} else if (w.ghosts > 0) {
		w.ghosts--;
		w.ghost_takes_at = at + any(4) * MS / 2;
	} else {
		w.ticket_until = at + SECOND;
	}
	return RL_TICKET_NONE;
}

static void reserve(int64_t at)
{
	set("", 10, at);
}

static void free_key(int64_t at)
{
	if (!is_marked(at)) {
		delete_key(at);
		return;
	}
	reserve(at);
	ticket(at);
}

/* ---- the commands ---- */

/* A command's words, as far as they concern us. */
typedef struct said {
	char name[16];
	char token[16];
	int64_t ttl_ms;
	int is_owed;
	int64_t not_after;
	char waiter[16]; /* "-" = none */
	int is_unmarked;
	bool has_helpers;
} said;

static const char *run_try(const said *s, int64_t at)
{
	rl_holder holder = holder_for(s->token, at);
	int64_t now_us = server_us(at);
	int64_t left = pttl(at);
	bool is_free =
		holder == RL_HOLDER_NOBODY || (holder == RL_HOLDER_RESERVED && s->not_after != 0);
	bool is_late = s->not_after != 0 && now_us > s->not_after;
	bool is_mine = holder == RL_HOLDER_SELF && s->is_owed;
	CHECK(s->has_helpers);
	if (is_late) {
		if (is_free) {
			ticket(at);
		}
	} else if (is_free || is_mine) {
		if (is_free || left < s->ttl_ms) {
			set(s->token, s->ttl_ms, at);
		}
		unmark(s->waiter);
		return grant((now_us - 1000000000) / 1000);
	} else if (s->is_unmarked) {
		unmark(s->waiter);
	} else {
		set_mark(s->waiter, at);
	}
	return refusal((now_us - 1000000000) / 1000, left, holder);
}

static const char *run_nudge(const said *s, int64_t at)
{
	rl_holder holder = holder_for(s->token, at);
	int64_t left = pttl(at);
	rl_ticket sent = RL_TICKET_NONE;
	if (holder != RL_HOLDER_SELF) {
		set_mark(s->waiter, at);
	}
	if (!w.is_held) {
		if (w.ticket_until > at) {
			sent = ticket(at);
		} else {
			reserve(at);
			ticket(at);
		}
	}
	return look((server_us(at) - 1000000000) / 1000, left, holder, sent);
}

static const char *run_release(const said *s, int64_t at)
{
	if (s->has_helpers) {
		unmark(s->waiter);
	}
	if (holder_for(s->token, at) != RL_HOLDER_SELF) {
		return ":0";
	}
	if (s->has_helpers) {
		free_key(at);
	} else {
		delete_key(at);
	}
	return ":1";
}

static const char *run(const char *words, int64_t at)
{
	said s = {.waiter = "-"};
	expire(at);
	if (sscanf(words, "SET k %15s NX PX %" SCNd64, s.token, &s.ttl_ms) == 2) {
		if (w.is_held) {
			return "_";
		}
		set(s.token, s.ttl_ms, at);
		return "+OK";
	}
	CHECK(sscanf(words, "%15s k %15s", s.name, s.token) == 2);
	s.has_helpers = strchr(s.name, '+') != NULL;
	switch (s.name[0]) {
		case 't':
		case 'T':
			CHECK_INT(sscanf(words, "%*s k %*s %" SCNd64 " %d %" SCNd64 " %15s %d", &s.ttl_ms,
						  &s.is_owed, &s.not_after, s.waiter, &s.is_unmarked),
				5);
			return run_try(&s, at);
		case 'n':
		case 'N':
			CHECK_INT(sscanf(words, "%*s k %*s %15s", s.waiter), 1);
			CHECK(s.waiter[0] == 'W');
			return run_nudge(&s, at);
		default: /* release */
			sscanf(words, "%*s k %*s %15s", s.waiter);
			return run_release(&s, at);
	}
}

static void plan_blpop(fake_plan *plan, int64_t at)
{
	expire(at);
	if (w.ticket_until > at) {
		w.ticket_until = 0;
		*plan = (fake_plan){FAKE_SAY, FAKE_TICKET, 0};
	}
}

static void set_alarm(void)
{
	int64_t next = w.ghost_takes_at;
	next = w.holder_frees_at < next ? w.holder_frees_at : next;
	next = w.newcomer_at < next ? w.newcomer_at : next;
	for (unsigned i = 0; i < w.late_count; i++) {
		next = w.late[i].at < next ? w.late[i].at : next;
	}
	fake_alarm = next;
}

static void run_late(const char *words, int64_t at)
{
	if (w.late_count < LATE_MAX && words[0] != 'B') {
		late_command *late = &w.late[w.late_count++];
		late->at = at;
		snprintf(late->words, sizeof late->words, "%s", words);
	}
}

/* The system's part: that it takes a command, or not. */
static void plan_taking(fake_plan *plan)
{
	static const fake_act acts[] = {FAKE_BREAK_UNSENT, FAKE_BREAK_HALF, FAKE_HALF};
	*plan = (fake_plan){FAKE_SAY, NULL, any_ms(20)};
	if (w.has_trouble && any(40) == 0) {
		plan->what = acts[any(3)];
	}
}

static bool serve(const char *words, bool is_taken, fake_plan *plan)
{
	if (!is_taken) {
		plan_taking(plan);
		return true;
	}
	int64_t at = fake_run_at;
	if (words[0] == 'B') {
		plan_blpop(plan, at);
		if (w.has_trouble && any(20) == 0) {
			*plan = (fake_plan){FAKE_BREAK, NULL, any_ms(1000)};
		}
		set_alarm();
		return true;
	}
	int64_t delay = any(6) == 0 ? any_ms(200) : any_ms(2);
	uint32_t trouble = w.has_trouble ? any(60) : 60;
	if (trouble == 0) {
		*plan = (fake_plan){FAKE_BREAK, NULL, delay}; /* it was never run */
	} else if (trouble == 1) {
		*plan = (fake_plan){FAKE_BREAK, NULL, delay}; /* it will be run */
		run_late(words, at + delay + any_ms(3000));
	} else if (trouble <= 3) {
		run(words, at);
		*plan = (fake_plan){trouble == 2 ? FAKE_BREAK : FAKE_SILENCE, NULL, delay};
	} else {
		*plan = (fake_plan){FAKE_SAY, run(words, at), delay};
	}
	set_alarm();
	return true;
}

/* ---- the others ---- */

static void others_take(int64_t at)
{
	set(any(3) == 0 ? "foreign" : "kin", 50 + any(3000), at);
	w.holder_frees_at = any(4) == 0 ? RL_NEVER : at + any_ms(1500);
}

static void others_release(int64_t at)
{
	w.holder_frees_at = RL_NEVER;
	if (!w.is_held || w.value[0] == '\0' || is_ours(w.value)) {
		return;
	}
	if (w.value[0] == 'k') {
		free_key(at);
	} else {
		delete_key(at);
	}
}

static void ghost_takes(int64_t at)
{
	w.ghost_takes_at = RL_NEVER;
	if (!w.is_held || w.value[0] == '\0') {
		others_take(at);
	}
}

static void newcomer_comes(int64_t at)
{
	w.newcomer_at = at + any_ms(4000);
	if (!w.is_held) {
		others_take(at);
	} else if (any(3) == 0 && w.ghosts < 3) {
		w.ghosts++;
	}
}

static void on_alarm(void)
{
	fake_blocked_links(); /* what the servers did before */
	int64_t at = fake_clock;
	expire(at);
	for (unsigned i = 0; i < w.late_count; i++) {
		if (w.late[i].at <= at) {
			w.late[i].at = RL_NEVER;
			run(w.late[i].words, at);
		}
	}
	if (w.holder_frees_at <= at) {
		others_release(at);
	}
	if (w.ghost_takes_at <= at) {
		ghost_takes(at);
	}
	if (w.newcomer_at <= at) {
		newcomer_comes(at);
	}
	set_alarm();
}

/* ---- rounds ---- */

static void begin_round(unsigned number, bool has_trouble)
{
	round_number = number;
	state = number * 2654435761U + 1;
	waiting_begin();
	w = (world){.rate = 0.995 + any(100) / 10000.0,
		.ghost_takes_at = RL_NEVER,
		.holder_frees_at = RL_NEVER,
		.newcomer_at = FAKE_START + any_ms(4000),
		.unheld_since = FAKE_START,
		.has_trouble = has_trouble};
	w.ghosts = any(3);
	others_take(FAKE_START);
	fake_set.retries = any(6) == 0 ? any(8) : RL_RETRIES_UNLIMITED;
	fake_improvise = serve;
	fake_on_alarm = on_alarm;
	set_alarm();
}

static void check_granted(const rl_acquire *acquire, bool is_own)
{
	const char *name =
		is_own ? "mine" : fake_name_of(rl_bytes_of(acquire->token, acquire->token_len));
	expire(fake_clock);
	if (!w.is_held || strcmp(w.value, name) != 0) {
		FAIL("round %u: %s is granted and \"%s\" has it: %s", round_number, name,
			w.is_held ? w.value : "nobody", fake_log());
	}
	if (acquire->proven_until <= fake_clock || acquire->proven_until > w.expires_at) {
		FAIL("round %u: proven until %" PRId64 ", lasts until %" PRId64 ": %s", round_number,
			acquire->proven_until, w.expires_at, fake_log());
	}
}

/* Nothing was said of an unknown outcome, so nothing is left. Two things cannot be known: that a command of a
 * broken connection will be run late, and that the server was gone when the system took the undo. */
static void check_not_granted(const rl_acquire *acquire)
{
	bool is_told = acquire->op.err != NULL &&
		(acquire->op.status == RL_ERR_UNKNOWN ||
			strstr(acquire->op.err->message, "outcome") != NULL ||
			strstr(acquire->op.err->message, "an undo behind it") != NULL);
	expire(fake_clock);
	fake_blocked_links();
	bool is_excused = w.late_count > 0 || strstr(fake_log(), "lost: RELEASE") != NULL;
	if (w.is_held && is_ours(w.value) && !is_told && !is_excused) {
		FAIL("round %u: %s is left behind: %s", round_number, w.value, fake_log());
	}
}

/* Nobody had it for more than a look and what answers take, and it was not taken. */
static void check_liveness(const rl_acquire *acquire)
{
	bool was_free =
		w.unheld_since != RL_NEVER && fake_clock - w.unheld_since > 1100 * MS + 3 * 210 * MS;
	if (acquire->op.status == RL_BUSY && was_free && fake_set.retries == RL_RETRIES_UNLIMITED) {
		FAIL("round %u: free since %" PRId64 " ms: %s", round_number,
			(w.unheld_since - FAKE_START) / MS, fake_log());
	}
}

/* Released at once: whatever stands in any queue yet must not take it with the old token. */
static void release_and_look_on(rl_acquire *acquire)
{
	char token[64];
	snprintf(token, sizeof token, "%.*s", (int) acquire->token_len, acquire->token);
	w.has_trouble = false;
	rl_pool_clear(&fake_pool); /* one of them may be silent */
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, token, 0)), RL_OK);
	w.is_over = true;
	for (unsigned i = 0; i < 40 && fake_alarm != RL_NEVER; i++) {
		fake_clock = fake_alarm > fake_clock ? fake_alarm : fake_clock;
		on_alarm();
	}
}

static bool is_anything_late(void)
{
	bool is = false;
	for (unsigned i = 0; i < w.late_count; i++) {
		is = is || w.late[i].at != RL_NEVER;
	}
	return is;
}

static unsigned reached[3]; /* that the rounds get anywhere at all: granted, refused, woken */

static void run_round(unsigned number, bool has_trouble, bool is_own)
{
	begin_round(number, has_trouble);
	int64_t wait = any_ms(6000) + MS;
	int64_t ttl_ms = any(4) == 0 ? 30 + any(500) : 5000;
	rl_acquire *acquire =
		is_own ? fake_acquire_own("mine", ttl_ms, wait) : fake_acquire(ttl_ms, wait);
	rl_status status = fake_drive(&acquire->op);
	reached[0] += status == RL_OK;
	reached[1] += status == RL_BUSY;
	reached[2] += fake_stats.wake_ups > fake_stats.wake_ups_taken;
	if (status == RL_OK) {
		check_granted(acquire, is_own);
		if (ttl_ms == 5000 && !is_anything_late()) {
			release_and_look_on(acquire);
		}
	} else {
		check_not_granted(acquire);
	}
	if (!has_trouble) {
		CHECK(status == RL_OK || status == RL_BUSY || status == RL_ERR_SLOW);
		check_liveness(acquire);
	}
	fake_end();
}

static void run_rounds(bool has_trouble, bool is_own)
{
	memset(reached, 0, sizeof reached);
	for (unsigned i = 0; i < ROUNDS; i++) {
		run_round(i, has_trouble, is_own);
	}
	CHECK(reached[0] > ROUNDS / 8);
	CHECK(reached[1] > ROUNDS / 8);
	CHECK(reached[2] > ROUNDS / 8);
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

static const check_test tests[] = {
	TEST(without_trouble),
	TEST(without_trouble_with_an_own_token),
	TEST(with_trouble),
	TEST(with_trouble_and_an_own_token),
};

CHECK_MAIN(tests, fake_end)
