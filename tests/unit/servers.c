/* SPDX-License-Identifier: MIT */
#include "servers.h"

#include "check.h"
#include "fake_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TEXTS_MAX 2048
#define START_US (1000 * INT64_C(1000000)) /* what their clocks show at FAKE_START */
#define KIN "rl1.kinkinkinkinkinkinkinkin"

servers_member servers[FAKE_MEMBERS];
bool (*servers_give_ticket)(unsigned member);

static char texts[TEXTS_MAX][160];
static unsigned text_count;

void servers_clear(void)
{
	if (!words_know_scripts()) {
		FAIL("core has other scripts than the model: see tests/model/words.c");
	}
	servers_give_ticket = NULL;
	for (unsigned i = 0; i < FAKE_MEMBERS; i++) {
		servers[i] = (servers_member){.rate = 1, .store.state.known = ~0U};
	}
}

void servers_begin(unsigned members)
{
	fake_begin(members);
	fake_set.wakes = true;
	servers_clear();
	for (unsigned i = 0; i < members; i++) {
		fake_warm(i);
	}
	fake_improvise = servers_serve;
	fake_writes = 0;
	fake_looks = 0;
}

/* ---- time ---- */

int64_t servers_us(unsigned member, int64_t at)
{
	const servers_member *server = &servers[member];
	int64_t passed = at - FAKE_START;
	if (server->rate != 1) {
		passed = (int64_t) ((double) passed * server->rate);
	}
	return START_US + server->clock_us + passed / 1000;
}

int64_t servers_ends_at(unsigned member, const rl_store_key *key)
{
	const servers_member *server = &servers[member];
	int64_t us = (key->expires_ms + 1) * 1000 - START_US - server->clock_us;
	return FAKE_START +
		(server->rate == 1 ? us * 1000 : (int64_t) ((double) us * 1000 / server->rate));
}

static rl_store_key *key_at(unsigned member, int64_t at)
{
	store_expire(&servers[member].store, 0, servers_us(member, at));
	return &servers[member].store.keys[0];
}

rl_store_key *servers_key(unsigned member)
{
	return key_at(member, fake_clock);
}

/* ---- replies ---- */

static const char *text_of(const rl_model_reply *r)
{
	size_t size = sizeof texts[0];
	char *text = texts[text_count++ % TEXTS_MAX];
	int used;
	switch (r->type) {
		case RL_SAYS_NIL:
			return "_";
		case RL_SAYS_STATUS:
			return "+OK";
		case RL_SAYS_TICKET:
			return FAKE_TICKET;
		case RL_SAYS_ERROR:
			snprintf(text, size, "-%s", r->error);
			break;
		case RL_SAYS_TEXT:
		case RL_SAYS_DIGITS:
			snprintf(text, size, "$%.*s", (int) r->text.len, r->text.bytes);
			break;
		case RL_SAYS_NUMBER:
			snprintf(text, size, ":%" PRId64, r->number[0]);
			break;
		case RL_SAYS_NUMBERS:
			used = snprintf(text, size, "*:%" PRId64, r->number[0]);
			for (unsigned i = 1; i < r->count; i++) {
				used += r->label_at == i
					? snprintf(text + used, size - (size_t) used, " $%.*s", (int) r->label.len,
						  r->label.bytes)
					: snprintf(text + used, size - (size_t) used, " :%" PRId64, r->number[i]);
			}
			break;
		case RL_SAYS_STATE: /* no test here sends INSPECT */
		case RL_SAYS_MOVED: /* answers of clusters, of nodes behind Sentinels, and of both */
		case RL_SAYS_ASK:
		case RL_SAYS_MAP:
		case RL_SAYS_ROLE:
		case RL_SAYS_ADDRESS:
		case RL_SAYS_MASTER:
			text = "-ERR";
			break;
	}
	return text;
}

/* ---- commands ---- */

/* The connection that has been blocked for longest gets the ticket, or the ticket stays in the
 * list. */
static void hand_out_ticket(unsigned member, unsigned key, int64_t at)
{
	bool is_given = servers_give_ticket != NULL && servers_give_ticket(member);
	bool is_blocked = !is_given && fake_blocked_on(member) > 0;
	if (is_given || is_blocked) {
		CHECK(store_pop(&servers[member].store, key, servers_us(member, at)));
	}
	if (is_blocked) {
		fake_wakes(member, 0);
	}
}

const char *servers_run(unsigned member, const rl_model_command *command, int64_t at)
{
	store *data = &servers[member].store;
	rl_model_reply reply = {0};
	store_run(data, command, servers_us(member, at), &reply);
	if ((data->state.done & RL_STORE_PUT_TICKET) != 0) {
		hand_out_ticket(member, command->home_key, at);
	}
	return text_of(&reply);
}

static bool serve_blpop(unsigned member, const rl_model_command *command, fake_plan *plan)
{
	store *data = &servers[member].store;
	rl_model_reply reply = {.type = RL_SAYS_TICKET};
	if (!store_refuses(data, command, &reply) &&
		!store_pop(data, command->key, servers_us(member, fake_run_at))) {
		return false;
	}
	*plan = (fake_plan){FAKE_SAY, text_of(&reply), 0};
	return true;
}

static void serve_wait(
	const servers_member *server, const rl_model_command *command, fake_plan *plan)
{
	rl_model_reply reply = {.type = RL_SAYS_NUMBER};
	reply.number[0] = server->replicas;
	*plan = (fake_plan){FAKE_SAY, text_of(&reply), server->delay};
	if (server->wait_error != NULL) {
		plan->text = server->wait_error;
	} else if (server->replicas < command->replicas) {
		plan->delay = command->block_ms * MS + server->wait_late;
	}
}

bool servers_serve(const char *words, bool is_taken, fake_plan *plan)
{
	const servers_member *server = &servers[fake_run_on];
	if (!is_taken) {
		return false;
	}
	if (fake_run_command == NULL) {
		FAIL("the model does not know %s", words);
	}
	if (server->is_mute) {
		*plan = (fake_plan){FAKE_SILENCE, NULL, 0};
		return true;
	}
	if (fake_run_command->what == RL_WORD_BLPOP) {
		return serve_blpop(fake_run_on, fake_run_command, plan);
	}
	if (fake_run_command->what == RL_WORD_WAIT) {
		serve_wait(server, fake_run_command, plan);
		return true;
	}
	bool is_error = server->error != NULL && fake_run_command->what == RL_WORD_SCRIPT;
	const char *answer =
		is_error ? server->error : servers_run(fake_run_on, fake_run_command, fake_run_at);
	*plan = (fake_plan){FAKE_SAY, answer, server->delay};
	return true;
}

/* ---- other clients ---- */

static rl_bytes token_of(const char *name)
{
	if (strcmp(name, "kin") == 0) {
		return bytes_of(KIN);
	}
	rl_bytes drawn = fake_token_named(name);
	return drawn.data != NULL ? drawn : bytes_of(name);
}

void servers_take_key(unsigned member, unsigned key, const char *token, int64_t ttl_ms)
{
	int64_t now_us = servers_us(member, fake_clock);
	store *data = &servers[member].store;
	store_expire(data, key, now_us);
	data->keys[key].exists = true;
	data->keys[key].value = rl_words_text(token_of(token));
	data->keys[key].expires_ms = now_us / 1000 + ttl_ms;
}

void servers_take(unsigned member, const char *token, int64_t ttl_ms)
{
	servers_take_key(member, 0, token, ttl_ms);
}

void servers_take_all(const char *token, int64_t ttl_ms)
{
	for (unsigned i = 0; i < fake_set.count; i++) {
		servers_take(i, token, ttl_ms);
	}
}

void servers_delete(unsigned member)
{
	servers_key(member)->exists = false;
}

const char *servers_ask(unsigned member, const rl_request *request)
{
	char room[64], fence_room[64];
	rl_request whole = *request;
	whole.form = RL_FORM_TEXT; /* the server may not know the script */
	rl_names names = rl_names_put(
		room, request->key.data != NULL ? request->key : bytes_of("k"), RL_NAMES_PLAIN);
	whole.key = names.key;
	whole.mark = names.mark;
	whole.tickets = names.tickets;
	whole.fence = rl_names_put_fence(fence_room, names.key, RL_NAMES_PLAIN);
	rl_command built;
	rl_model_command command;
	rl_command_build(&built, &whole);
	CHECK(words_read(&command, built.argc, built.argv));
	return servers_run(member, &command, fake_clock);
}

void servers_free(unsigned member)
{
	const rl_store_key *key = servers_key(member);
	if (key->exists) {
		rl_model_text value = key->value;
		rl_request release = {.verb = RL_VERB_RELEASE,
			.token = rl_bytes_of(value.bytes, value.len),
			.reserve_ms = rl_reservation_ms(fake_set.count, 0)};
		servers_ask(member, &release);
	}
}

void servers_free_all(unsigned last)
{
	for (unsigned i = 0; i < fake_set.count; i++) {
		if (i != last) {
			servers_free(i);
		}
	}
	servers_free(last);
}

/* ---- what the servers have ---- */

static bool is_text(const rl_model_text *value, const char *text)
{
	return value->len == strlen(text) && memcmp(value->bytes, text, value->len) == 0;
}

const char *servers_owner(unsigned member)
{
	static char owners[8][RL_WORDS_TEXT + 1];
	static unsigned count;
	const rl_store_key *key = servers_key(member);
	const rl_model_text *value = &key->value;
	if (!key->exists || rl_store_is_reservation(value)) {
		return key->exists ? "" : "-";
	}
	char *owner = owners[count++ % 8];
	const char *name = "kin";
	if (!is_text(value, KIN)) {
		name = fake_name_of(rl_bytes_of(value->bytes, value->len));
	}
	bool is_named = name[0] != '\0';
	snprintf(owner, sizeof owners[0], "%.*s", is_named ? (int) strlen(name) : (int) value->len,
		is_named ? name : value->bytes);
	return owner;
}

int64_t servers_pttl(unsigned member)
{
	const rl_store_key *key = servers_key(member);
	return key->exists ? key->expires_ms - servers_us(member, fake_clock) / 1000 : -2;
}

bool servers_is_ours(const rl_model_text *value)
{
	bool is_drawn = rl_token_is_drawn(rl_bytes_of(value->bytes, value->len));
	return (is_drawn && !is_text(value, KIN)) || is_text(value, "mine");
}

bool servers_have_ours(void)
{
	for (unsigned i = 0; i < fake_set.count; i++) {
		const rl_store_key *key = servers_key(i);
		if (key->exists && servers_is_ours(&key->value)) {
			return true;
		}
	}
	return false;
}

bool servers_has_marks(unsigned member)
{
	const rl_store_key *key = servers_key(member);
	int64_t now_us = servers_us(member, fake_clock);
	bool has_any = false;
	for (unsigned i = 0; i < key->mark_count; i++) {
		has_any = has_any || key->marks[i].until_us > now_us;
	}
	return has_any;
}
