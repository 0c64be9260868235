/* SPDX-License-Identifier: MIT */
#include "keys.h"

#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TEXTS_MAX 2048

keys_server keys[FAKE_MEMBERS];

static char texts[TEXTS_MAX][64];
static unsigned text_count;

static char *next_text(void)
{
	return texts[text_count++ % TEXTS_MAX];
}

void keys_begin(unsigned members)
{
	fake_begin(members);
	fake_set.wakes = true;
	memset(keys, 0, sizeof keys);
	for (unsigned i = 0; i < members; i++) {
		fake_warm(i);
	}
	fake_improvise = keys_serve;
	fake_writes = 0;
	fake_looks = 0;
}

/* ---- the key ---- */

static void expire(keys_server *server, int64_t at)
{
	if (server->expires_at <= at) {
		server->expires_at = 0;
	}
	if (server->ticket_until <= at) {
		server->ticket_until = 0;
	}
}

static bool is_held(const keys_server *server)
{
	return server->expires_at != 0;
}

static void set(keys_server *server, const char *token, int64_t ttl_ms, int64_t at)
{
	snprintf(server->value, sizeof server->value, "%s", token);
	server->expires_at = ttl_ms == 0 ? RL_NEVER : at + ttl_ms * MS;
}

static int64_t pttl(const keys_server *server, int64_t at)
{
	if (!is_held(server)) {
		return -2;
	}
	return server->expires_at == RL_NEVER ? -1 : (server->expires_at - at) / MS;
}

static bool is_kin(const char *token)
{
	return token[0] == 'T' || strcmp(token, "kin") == 0;
}

static rl_holder holder_for(const keys_server *server, const char *token, int64_t at)
{
	if (!is_held(server)) {
		return RL_HOLDER_NOBODY;
	}
	if (server->value[0] == '\0') {
		return pttl(server, at) <= 10 ? RL_HOLDER_RESERVED : RL_HOLDER_FOREIGN;
	}
	if (strcmp(server->value, token) == 0) {
		return RL_HOLDER_SELF;
	}
	return is_kin(server->value) ? RL_HOLDER_KIN : RL_HOLDER_FOREIGN;
}

/* ---- marks and tickets ---- */

static void unmark(keys_server *server, const char *waiter)
{
	for (unsigned i = 0; i < KEYS_MARKS; i++) {
		if (strcmp(server->marks[i].waiter, waiter) == 0) {
			server->marks[i].until = 0;
		}
	}
}

static void mark(keys_server *server, const char *waiter, int64_t ms, int64_t at)
{
	unmark(server, waiter);
	for (unsigned i = 0; i < KEYS_MARKS; i++) {
		if (server->marks[i].until <= at) {
			snprintf(server->marks[i].waiter, sizeof server->marks[i].waiter, "%s", waiter);
			server->marks[i].until = at + ms * MS;
			return;
		}
	}
}

static bool has_marks(const keys_server *server, int64_t at)
{
	for (unsigned i = 0; i < KEYS_MARKS; i++) {
		if (server->marks[i].until > at) {
			return true;
		}
	}
	return false;
}

/* The waiter's mark has ended, and there are others to go by. */
static bool is_void(const keys_server *server, const char *waiter, int64_t at)
{
	for (unsigned i = 0; i < KEYS_MARKS; i++) {
		if (server->marks[i].until > at && strcmp(server->marks[i].waiter, waiter) == 0) {
			return false;
		}
	}
	return has_marks(server, at);
}

static unsigned number_of(const keys_server *server)
{
	return (unsigned) (server - keys);
}

/* Whoever blocks there for longest gets it, or it lies there. */
static rl_ticket ticket(keys_server *server, int64_t at)
{
	if (server->ticket_until > at) {
		server->ticket_until = at + SECOND;
		return RL_TICKET_OUT;
	}
	if (fake_blocked_on(number_of(server)) > 0) {
		fake_wakes(number_of(server), 0);
	} else {
		server->ticket_until = at + SECOND;
	}
	return RL_TICKET_NONE;
}

static void free_it(keys_server *server, int64_t at)
{
	if (!has_marks(server, at)) {
		server->expires_at = 0;
		return;
	}
	set(server, "", 10, at);
	ticket(server, at);
}

/* ---- other clients ---- */

void keys_take(unsigned member, const char *token, int64_t ttl_ms)
{
	set(&keys[member], token, ttl_ms, fake_clock);
}

void keys_take_all(const char *token, int64_t ttl_ms)
{
	for (unsigned i = 0; i < fake_set.count; i++) {
		keys_take(i, token, ttl_ms);
	}
}

void keys_free(unsigned member)
{
	expire(&keys[member], fake_clock);
	if (is_held(&keys[member])) {
		free_it(&keys[member], fake_clock);
	}
}

void keys_free_all(unsigned first)
{
	for (unsigned i = 0; i < fake_set.count; i++) {
		if (i != first) {
			keys_free(i);
		}
	}
	keys_free(first);
}

const char *keys_owner(unsigned member)
{
	expire(&keys[member], fake_clock);
	return is_held(&keys[member]) ? keys[member].value : "-";
}

bool keys_has_ours(void)
{
	for (unsigned i = 0; i < fake_set.count; i++) {
		const char *owner = keys_owner(i);
		if (owner[0] == 'T' || strcmp(owner, "mine") == 0) {
			return true;
		}
	}
	return false;
}

bool keys_has_marks(unsigned member)
{
	return has_marks(&keys[member], fake_clock);
}

/* ---- commands, in the words of the log ---- */

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

static int64_t time_us(const keys_server *server, int64_t at)
{
	return 1000000000 + server->clock_us + (at - FAKE_START) / 1000;
}

static const char *run_set(keys_server *server, const said *s, int64_t at)
{
	if (is_held(server)) {
		return "_";
	}
	set(server, s->token, s->ttl_ms, at);
	return "+OK";
}

static const char *run_try(keys_server *server, const said *s, int64_t at)
{
	rl_holder holder = holder_for(server, s->token, at);
	int64_t now_us = s->has_helpers ? time_us(server, at) : 0;
	int64_t left = pttl(server, at);
	bool is_free =
		holder == RL_HOLDER_NOBODY || (holder == RL_HOLDER_RESERVED && s->place != RL_PLACE_NONE);
	char *text = next_text();
	snprintf(
		text, sizeof texts[0], "*:0 :%" PRId64 " :%" PRId64 " :%d :1", now_us, left, (int) holder);
	if (s->place == RL_PLACE_QUEUED && is_void(server, s->waiter, at)) {
		if (is_free) {
			ticket(server, at);
			set(server, "", 10, at);
		}
	} else if (is_free || (holder == RL_HOLDER_SELF && s->is_owed)) {
		if (is_free || left < s->ttl_ms) {
			set(server, s->token, s->ttl_ms, at);
		}
		unmark(server, s->waiter);
		snprintf(text, sizeof texts[0], "*:1 :%" PRId64, now_us);
	} else if (!s->has_helpers || s->place == RL_PLACE_QUEUED) {
		return text;
	} else if (s->mark_ms == 0) {
		unmark(server, s->waiter);
	} else {
		mark(server, s->waiter, s->mark_ms, at);
	}
	return text;
}

static const char *run_probe(keys_server *server, const said *s, int64_t at)
{
	rl_holder holder = holder_for(server, s->token, at);
	int64_t left = pttl(server, at);
	rl_ticket sent = RL_TICKET_NONE;
	if (holder != RL_HOLDER_SELF) {
		mark(server, s->waiter, s->mark_ms, at);
	}
	if (!is_held(server)) {
		if (server->ticket_until > at) {
			sent = ticket(server, at);
		} else {
			set(server, "", 10, at);
			ticket(server, at);
		}
	}
	char *text = next_text();
	snprintf(text, sizeof texts[0], "*:%" PRId64 " :%" PRId64 " :%d :%d :1", time_us(server, at),
		left, (int) holder, (int) sent);
	return text;
}

static const char *run_release(keys_server *server, const said *s, int64_t at)
{
	if (s->has_helpers) {
		unmark(server, s->waiter);
	}
	if (holder_for(server, s->token, at) != RL_HOLDER_SELF) {
		return ":0";
	}
	if (s->has_helpers) {
		free_it(server, at);
	} else {
		server->expires_at = 0;
	}
	return ":1";
}

static const char *run_swap(keys_server *server, const char *words, int64_t at)
{
	char token[16], fresh[16];
	int64_t ttl_ms;
	CHECK_INT(sscanf(words, "%*s k %15s %15s %" SCNd64, token, fresh, &ttl_ms), 3);
	if (holder_for(server, token, at) == RL_HOLDER_SELF) {
		set(server, fresh, ttl_ms > 0 ? ttl_ms : pttl(server, at), at);
		return ":1";
	}
	if (holder_for(server, fresh, at) != RL_HOLDER_SELF) {
		return ":0";
	}
	if (pttl(server, at) < ttl_ms) {
		set(server, fresh, ttl_ms, at);
	}
	return ":2";
}

static const char *run(keys_server *server, const char *words, int64_t at)
{
	said s = {.mark_ms = 2000};
	CHECK(sscanf(words, "%15s k %15s", s.name, s.token) == 2);
	s.has_helpers = s.name[strlen(s.name) - 1] == '+';
	expire(server, at);
	if (s.name[0] == 's' || strcmp(s.name, "SWAP") == 0) {
		return run_swap(server, words, at);
	}
	switch (words[0]) {
		case 'S':
			CHECK_INT(sscanf(words, "SET k %*s NX PX %" SCNd64, &s.ttl_ms), 1);
			return run_set(server, &s, at);
		case 't':
		case 'T':
			CHECK(sscanf(words, "%*s k %*s %" SCNd64 " %d %d %15s %" SCNd64, &s.ttl_ms, &s.is_owed,
					  &s.place, s.waiter, &s.mark_ms) >= 4);
			return run_try(server, &s, at);
		case 'p':
		case 'P':
			CHECK(sscanf(words, "%*s k %*s %15s %" SCNd64, s.waiter, &s.mark_ms) >= 1);
			return run_probe(server, &s, at);
		default: /* release */
			CHECK(words[0] == 'r' || words[0] == 'R');
			sscanf(words, "%*s k %*s %15s", s.waiter);
			return run_release(server, &s, at);
	}
}

bool keys_serve(const char *words, bool is_taken, fake_plan *plan)
{
	keys_server *server = &keys[fake_run_on];
	if (!is_taken) {
		return false;
	}
	if (server->is_mute) {
		*plan = (fake_plan){FAKE_SILENCE, NULL, 0};
		return true;
	}
	expire(server, fake_run_at);
	if (words[0] == 'B') {
		if (server->ticket_until == 0) {
			return false;
		}
		server->ticket_until = 0;
		*plan = (fake_plan){FAKE_SAY, FAKE_TICKET, 0};
		return true;
	}
	const char *answer =
		server->error != NULL && words[0] != 'S' ? server->error : run(server, words, fake_run_at);
	*plan = (fake_plan){FAKE_SAY, answer, server->delay};
	return true;
}
