/* SPDX-License-Identifier: MIT */
#include "world.h"

#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

world the_world;

uint32_t world_any(uint32_t below)
{
	the_world.random = the_world.random * 1664525 + 1013904223;
	return (the_world.random >> 8) % below;
}

int64_t world_any_ms(uint32_t below)
{
	return world_any(below) * MS + world_any(1000) * 1000;
}

/* ---- the key ---- */

bool world_is_ours(const char *token)
{
	return token[0] == 'T' || strcmp(token, "mine") == 0;
}

static int64_t server_us(int64_t at)
{
	return 1000000000 + (int64_t) ((double) ((at - FAKE_START) / 1000) * the_world.rate);
}

static void note_holder(int64_t at)
{
	bool is_taken = the_world.is_held && the_world.value[0] != '\0';
	if (is_taken) {
		the_world.unheld_since = RL_NEVER;
	} else if (the_world.unheld_since == RL_NEVER) {
		the_world.unheld_since = at;
	}
}

void world_expire(int64_t at)
{
	if (the_world.is_held && at >= the_world.expires_at) {
		the_world.is_held = false;
		note_holder(the_world.expires_at);
	}
	if (at >= the_world.ticket_until) {
		the_world.ticket_until = 0;
	}
}

void world_set(const char *token, int64_t ttl_ms, int64_t at)
{
	the_world.is_held = true;
	snprintf(the_world.value, sizeof the_world.value, "%s", token);
	the_world.expires_at = at + (int64_t) ((double) (ttl_ms * MS) / the_world.rate);
	note_holder(at);
	if (world_is_ours(token)) {
		if (the_world.is_over) {
			FAIL("round %u: %s is granted after its release: %s", the_world.round, token,
				fake_log());
		}
		strcpy(the_world.granted, the_world.value);
	}
}

void world_delete(int64_t at)
{
	the_world.is_held = false;
	note_holder(at);
}

static int64_t pttl(int64_t at)
{
	return the_world.is_held
		? (int64_t) ((double) (the_world.expires_at - at) * the_world.rate) / MS
		: -2;
}

static rl_holder holder_for(const char *token, int64_t at)
{
	if (!the_world.is_held) {
		return RL_HOLDER_NOBODY;
	}
	if (the_world.value[0] == '\0') {
		return pttl(at) <= 10 ? RL_HOLDER_RESERVED : RL_HOLDER_FOREIGN;
	}
	if (strcmp(the_world.value, token) == 0) {
		return RL_HOLDER_SELF;
	}
	return the_world.value[0] == 'T' || the_world.value[0] == 'k' ? RL_HOLDER_KIN
																  : RL_HOLDER_FOREIGN;
}

/* ---- marks and tickets ---- */

static void unmark(const char *waiter)
{
	for (unsigned i = 0; i < MARKS_MAX; i++) {
		if (strcmp(the_world.marks[i].waiter, waiter) == 0) {
			the_world.marks[i].until = 0;
		}
	}
}

static void set_mark(const char *waiter, int64_t ms, int64_t at)
{
	unmark(waiter);
	for (unsigned i = 0; i < MARKS_MAX; i++) {
		if (the_world.marks[i].until <= at) {
			snprintf(the_world.marks[i].waiter, sizeof the_world.marks[i].waiter, "%s", waiter);
			the_world.marks[i].until = at + ms * MS;
			return;
		}
	}
}

/* One of ours is. */
bool world_has_marks(int64_t at)
{
	bool is = false;
	for (unsigned i = 0; i < MARKS_MAX; i++) {
		is = is || the_world.marks[i].until > at;
	}
	return is;
}

/* Whoever blocks for longest gets it, or it lies there. */
/* The waiter's mark has ended, and there are others to go by. */
static bool is_void(const char *waiter, int64_t at)
{
	for (unsigned i = 0; i < MARKS_MAX; i++) {
		if (the_world.marks[i].until > at && strcmp(the_world.marks[i].waiter, waiter) == 0) {
			return false;
		}
	}
	return world_has_marks(at);
}

static rl_ticket ticket(int64_t at)
{
	if (the_world.ticket_until > at) {
		the_world.ticket_until = at + SECOND;
		return RL_TICKET_OUT;
	}
	bool is_ghosts = the_world.ghosts > 0 && world_any(3) == 0;
	if (!is_ghosts && fake_blocked_links() > 0) {
		fake_wakes(0, 0);
	} else if (the_world.ghosts > 0) {
		the_world.ghosts--;
		the_world.ghost_takes_at = at + world_any(4) * MS / 2;
	} else {
		the_world.ticket_until = at + SECOND;
	}
	return RL_TICKET_NONE;
}

static void reserve(int64_t at)
{
	world_set("", 10, at);
}

void world_free(int64_t at)
{
	if (the_world.ghosts == 0 && !world_has_marks(at)) {
		world_delete(at);
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
	int place;
	char waiter[16]; /* "-" = none */
	int64_t mark_ms;
	bool has_helpers;
} said;

static const char *run_try(const said *s, int64_t at)
{
	rl_holder holder = holder_for(s->token, at);
	int64_t now_us = server_us(at);
	int64_t left = pttl(at);
	bool is_free =
		holder == RL_HOLDER_NOBODY || (holder == RL_HOLDER_RESERVED && s->place != RL_PLACE_NONE);
	bool is_late = s->place == RL_PLACE_QUEUED && is_void(s->waiter, at);
	bool is_mine = holder == RL_HOLDER_SELF && s->is_owed;
	CHECK(s->has_helpers);
	if (is_late) {
		if (is_free) {
			ticket(at);
			reserve(at);
		}
	} else if (is_free || is_mine) {
		if (is_free || left < s->ttl_ms) {
			world_set(s->token, s->ttl_ms, at);
		}
		unmark(s->waiter);
		return grant((now_us - 1000000000) / 1000);
	} else if (s->place != RL_PLACE_QUEUED && s->mark_ms == 0) {
		unmark(s->waiter);
	} else if (s->place != RL_PLACE_QUEUED) {
		set_mark(s->waiter, s->mark_ms, at);
	}
	return refusal((now_us - 1000000000) / 1000, left, holder);
}

static const char *run_probe(const said *s, int64_t at)
{
	rl_holder holder = holder_for(s->token, at);
	int64_t left = pttl(at);
	rl_ticket sent = RL_TICKET_NONE;
	if (holder != RL_HOLDER_SELF) {
		set_mark(s->waiter, s->mark_ms, at);
	}
	if (!the_world.is_held) {
		if (the_world.ticket_until > at) {
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
		world_free(at);
	} else {
		world_delete(at);
	}
	return ":1";
}

static const char *run_swap(const char *words, int64_t at)
{
	char token[16], fresh[16];
	int64_t ttl_ms;
	CHECK_INT(sscanf(words, "%*s k %15s %15s %" SCNd64, token, fresh, &ttl_ms), 3);
	if (holder_for(token, at) == RL_HOLDER_SELF) {
		world_set(fresh, ttl_ms, at);
		return ":1";
	}
	if (holder_for(fresh, at) == RL_HOLDER_SELF) {
		if (pttl(at) < ttl_ms) {
			world_set(fresh, ttl_ms, at);
		}
		return ":2";
	}
	return ":0";
}

const char *world_run(const char *words, int64_t at)
{
	said s = {.waiter = "-", .mark_ms = 2000};
	world_expire(at);
	if (sscanf(words, "SET k %15s NX PX %" SCNd64, s.token, &s.ttl_ms) == 2) {
		if (the_world.is_held) {
			return "_";
		}
		world_set(s.token, s.ttl_ms, at);
		return "+OK";
	}
	CHECK(sscanf(words, "%15s k %15s", s.name, s.token) == 2);
	if (s.name[0] == 's' || strcmp(s.name, "SWAP") == 0) {
		return run_swap(words, at);
	}
	s.has_helpers = strchr(s.name, '+') != NULL;
	switch (s.name[0]) {
		case 't':
		case 'T':
			CHECK(sscanf(words, "%*s k %*s %" SCNd64 " %d %d %15s %" SCNd64, &s.ttl_ms, &s.is_owed,
					  &s.place, s.waiter, &s.mark_ms) >= 4);
			return run_try(&s, at);
		case 'p':
		case 'P':
			CHECK(sscanf(words, "%*s k %*s %15s %" SCNd64, s.waiter, &s.mark_ms) >= 1);
			CHECK(s.waiter[0] == 'W');
			return run_probe(&s, at);
		default: /* release */
			sscanf(words, "%*s k %*s %15s", s.waiter);
			return run_release(&s, at);
	}
}

static void plan_blpop(fake_plan *plan, int64_t at)
{
	world_expire(at);
	if (the_world.ticket_until > at) {
		the_world.ticket_until = 0;
		*plan = (fake_plan){FAKE_SAY, FAKE_TICKET, 0};
	}
}

void world_set_alarm(void)
{
	int64_t next = the_world.ghost_takes_at;
	next = the_world.holder_frees_at < next ? the_world.holder_frees_at : next;
	next = the_world.newcomer_at < next ? the_world.newcomer_at : next;
	for (unsigned i = 0; i < the_world.late_count; i++) {
		next = the_world.late[i].at < next ? the_world.late[i].at : next;
	}
	fake_alarm = next;
}

static void run_late(const char *words, int64_t at)
{
	if (the_world.late_count < LATE_MAX && words[0] != 'B') {
		late_command *late = &the_world.late[the_world.late_count++];
		late->at = at;
		snprintf(late->words, sizeof late->words, "%s", words);
	}
}

/* The system's part: that it takes a command, or not. */
static void plan_taking(const char *words, fake_plan *plan)
{
	static const fake_act acts[] = {FAKE_BREAK_UNSENT, FAKE_BREAK_HALF, FAKE_HALF};
	*plan = (fake_plan){FAKE_SAY, NULL, world_any_ms(20)};
	if (the_world.has_trouble && world_any(40) == 0) {
		plan->what = acts[world_any(3)];
		the_world.is_undo_lost = the_world.is_undo_lost || words[0] == 'R';
	}
}

bool world_serve(const char *words, bool is_taken, fake_plan *plan)
{
	if (!is_taken) {
		plan_taking(words, plan);
		return true;
	}
	int64_t at = fake_run_at;
	if (words[0] == 'B') {
		plan_blpop(plan, at);
		if (the_world.has_trouble && world_any(20) == 0) {
			*plan = (fake_plan){FAKE_BREAK, NULL, world_any_ms(1000)};
		}
		world_set_alarm();
		return true;
	}
	int64_t delay = world_any(6) == 0 ? world_any_ms(200) : world_any_ms(2);
	uint32_t trouble = the_world.has_trouble ? world_any(60) : 60;
	if (trouble == 0) {
		*plan = (fake_plan){FAKE_BREAK, NULL, delay}; /* it was never run */
	} else if (trouble == 1) {
		*plan = (fake_plan){FAKE_BREAK, NULL, delay}; /* it will be run */
		run_late(words, at + delay + world_any_ms(3000));
	} else if (trouble <= 3) {
		world_run(words, at);
		*plan = (fake_plan){trouble == 2 ? FAKE_BREAK : FAKE_SILENCE, NULL, delay};
	} else {
		*plan = (fake_plan){FAKE_SAY, world_run(words, at), delay};
	}
	world_set_alarm();
	return true;
}
