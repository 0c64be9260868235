/* SPDX-License-Identifier: MIT */
#include "words.h"

#include "core/wire/rl_slot.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The texts that store.c was written from. Where one is changed, the model has to follow. */
static const char *const sha1_of_model[RL_SCRIPTS] = {
	[RL_SCRIPT_TRY] = "84f59ee38d72346636b83150e53cb0f5e15153f7",
	[RL_SCRIPT_RELEASE] = "968e3e5cb20b58d21203f070873c87345eb65637",
	[RL_SCRIPT_EXTEND] = "edfbcc8a0d35fbff8532e25c6458d1764f69a631",
	[RL_SCRIPT_RENEW] = "dc9a7d94f9dfec949757437107b263a3cced37d2",
	[RL_SCRIPT_PROBE] = "14da1a01dfb80e9a841c027b5c61f92b0c54a060",
	[RL_SCRIPT_INSPECT] = "6fe617ca1d14e96b119b88fe11637edc5d75d59a",
	[RL_SCRIPT_FORCE] = "81edadebf9835a8f2602fe65903bf47021969c30",
	[RL_SCRIPT_SWAP] = "4591220f91d1db0f0ff89781dd61a9a14a83c377",
	[RL_SCRIPT_FENCE] = "1b97b3e08f88527c75b8cf053be639ff83e7f583",
};

bool words_know_scripts(void)
{
	bool knows = true;
	for (unsigned i = 0; i < RL_SCRIPTS; i++) {
		if (strcmp(rl_script_get((rl_script_id) i)->sha1, sha1_of_model[i]) != 0) {
			fprintf(stderr, "script %u is %s, and the model that of %s\n", i,
				rl_script_get((rl_script_id) i)->sha1, sha1_of_model[i]);
			knows = false;
		}
	}
	return knows;
}

model_text words_text(rl_bytes bytes)
{
	model_text t = {.mark = UINT64_C(0xcbf29ce484222325), .len = (uint8_t) bytes.len};
	if (bytes.len > WORDS_TEXT) {
		t.len = WORDS_TEXT;
	}
	if (t.len > 0) { /* else there may be no data at all */
		memcpy(t.bytes, bytes.data, t.len);
	}
	for (unsigned i = 0; i < t.len; i++) {
		t.mark = (t.mark ^ (unsigned char) t.bytes[i]) * UINT64_C(0x100000001b3);
	}
	return t;
}

static bool is(rl_bytes argument, const char *word)
{
	return argument.len == strlen(word) && memcmp(argument.data, word, argument.len) == 0;
}

static int64_t number_of(rl_bytes argument)
{
	int64_t number = 0;
	for (size_t i = 0; i < argument.len && argument.data[i] >= '0' && argument.data[i] <= '9';
		 i++) {
		number = number * 10 + (argument.data[i] - '0');
	}
	return number;
}

/* "1.250" are 1250. */
static int64_t ms_of(rl_bytes seconds)
{
	const char *dot = memchr(seconds.data, '.', seconds.len);
	int64_t ms = number_of(seconds) * 1000;
	if (dot != NULL) {
		int64_t unit = 100;
		for (const char *digit = dot + 1; digit < seconds.data + seconds.len; digit++) {
			ms += (*digit - '0') * unit;
			unit /= 10;
		}
	}
	return ms;
}

static bool read_key(model_command *c, rl_bytes name)
{
	if (name.len > 0 && name.data[0] == '{') { /* "{k1}::rl-wait", "{t}k1" */
		size_t skipped = name.len > 1 && name.data[1] == 'k' ? 1 : 3;
		skipped = skipped < name.len ? skipped : name.len - 1;
		name = rl_bytes_of(name.data + skipped, name.len - skipped);
	}
	/* BLPOP names the key's list, "k1::rl-wake". */
	bool has_digit = name.len > 1 && name.data[1] != ':';
	char digit = has_digit ? name.data[1] : '0';
	size_t len = has_digit ? 2 : 1;
	if (name.len < len || name.data[0] != 'k' || digit < '0' || digit >= '0' + WORDS_KEYS ||
		(name.len > len && name.data[len] != ':' && name.data[len] != '}')) {
		return false;
	}
	c->key = (uint8_t) (digit - '0');
	return true;
}

static bool find_script(model_command *c, rl_bytes argument)
{
	for (unsigned i = 0; i < RL_SCRIPTS; i++) {
		const rl_script *script = rl_script_get((rl_script_id) i);
		const char *wanted = c->is_sha ? script->sha1 : script->text;
		size_t len = c->is_sha ? 40 : script->text_len;
		if (argument.data == wanted ||
			(argument.len == len && memcmp(argument.data, wanted, len) == 0)) {
			c->script = (rl_script_id) i;
			return true;
		}
	}
	return false;
}

static bool read_arguments(model_command *c, unsigned argc, const rl_bytes *argv)
{
	static const unsigned least[RL_SCRIPTS] = {[RL_SCRIPT_TRY] = 6,
		[RL_SCRIPT_RELEASE] = 1,
		[RL_SCRIPT_EXTEND] = 2,
		[RL_SCRIPT_RENEW] = 2,
		[RL_SCRIPT_PROBE] = 3,
		[RL_SCRIPT_INSPECT] = 0,
		[RL_SCRIPT_FORCE] = 0,
		[RL_SCRIPT_SWAP] = 3,
		[RL_SCRIPT_FENCE] = 2};
	if (argc < least[c->script]) {
		return false;
	}
	if (argc > 0) {
		c->token = words_text(argv[0]);
	}
	switch (c->script) {
		case RL_SCRIPT_TRY:
			c->ttl_ms = number_of(argv[1]);
			c->maybe_ours = is(argv[2], "1");
			c->place = (rl_place) number_of(argv[3]);
			c->waiter = words_text(argv[4]);
			c->mark_ms = number_of(argv[5]);
			c->reserve_ms = argc > 6 ? number_of(argv[6]) : 0;
			break;
		case RL_SCRIPT_RELEASE:
			if (argc > 1) {
				c->waiter = words_text(argv[1]);
			}
			c->reserve_ms = argc > 2 ? number_of(argv[2]) : 0;
			break;
		case RL_SCRIPT_EXTEND:
		case RL_SCRIPT_RENEW:
			c->ttl_ms = number_of(argv[1]);
			break;
		case RL_SCRIPT_PROBE:
			c->waiter = words_text(argv[1]);
			c->mark_ms = number_of(argv[2]);
			c->reserve_ms = argc > 3 ? number_of(argv[3]) : 0;
			break;
		case RL_SCRIPT_INSPECT:
			break;
		case RL_SCRIPT_FORCE:
			c->reserve_ms = argc > 0 ? number_of(argv[0]) : 0;
			break;
		case RL_SCRIPT_SWAP:
			c->fresh = words_text(argv[1]);
			c->ttl_ms = number_of(argv[2]);
			break;
		case RL_SCRIPT_FENCE:
			c->fence = number_of(argv[1]);
			break;
	}
	return true;
}

static bool read_script(model_command *c, unsigned argc, const rl_bytes *argv)
{
	c->what = WORD_SCRIPT;
	c->is_sha = is(argv[0], "EVALSHA");
	if (argc < 4 || !find_script(c, argv[1]) || !read_key(c, argv[3])) {
		return false;
	}
	unsigned keys = (unsigned) number_of(argv[2]);
	bool is_fence = c->script == RL_SCRIPT_FENCE;
	c->has_helpers = keys == 3;
	return (is_fence ? keys == 2 : keys == 1 || keys == 3) && argc >= 3 + keys &&
		read_arguments(c, argc - 3 - keys, argv + 3 + keys);
}

bool words_read(model_command *c, unsigned argc, const rl_bytes *argv)
{
	memset(c, 0, offsetof(model_command, token));
	c->token.len = c->waiter.len = c->fresh.len = 0;
	c->token.mark = c->waiter.mark = c->fresh.mark = 0;
	c->place = RL_PLACE_NONE;
	c->ttl_ms = c->mark_ms = c->reserve_ms = c->block_ms = c->fence = 0;
	if (argv[0].data[0] == 'E' && argv[0].data[1] == 'V') {
		return read_script(c, argc, argv);
	}
	if (is(argv[0], "SET") && argc == 6 && is(argv[3], "NX") && is(argv[4], "PX")) {
		c->what = WORD_SET;
		c->token = words_text(argv[2]);
		c->ttl_ms = number_of(argv[5]);
		return read_key(c, argv[1]);
	}
	if (is(argv[0], "BLPOP") && argc == 3) {
		c->what = WORD_BLPOP;
		c->has_helpers = true;
		c->block_ms = ms_of(argv[2]);
		return read_key(c, argv[1]);
	}
	if (is(argv[0], "WAIT") && argc == 3) {
		c->what = WORD_WAIT;
		c->replicas = number_of(argv[1]);
		c->block_ms = number_of(argv[2]);
		return true;
	}
	if (is(argv[0], "ASKING") || is(argv[0], "CLUSTER")) {
		c->what = argc == 1 ? WORD_ASKING : WORD_MAP;
		return argc == 1 || is(argv[1], "SLOTS");
	}
	if (is(argv[0], "AUTH") || is(argv[0], "SELECT") || is(argv[0], "CLIENT")) {
		c->what = WORD_HELLO;
		return true;
	}
	if (is(argv[0], "ROLE") || is(argv[0], "SENTINEL")) {
		bool is_master = argc == 3 && is(argv[1], "MASTER");
		c->what = argc == 1 ? WORD_ROLE : is_master ? WORD_MASTER : WORD_PRIMARY;
		return argc == 1 || is_master || (argc == 3 && is(argv[1], "GET-MASTER-ADDR-BY-NAME"));
	}
	c->what = is(argv[0], "EXISTS") ? WORD_EXISTS : is(argv[0], "GET") ? WORD_GET : WORD_PTTL;
	return argc == 2 && (c->what != WORD_PTTL || is(argv[0], "PTTL")) && read_key(c, argv[1]);
}

int16_t words_slot(unsigned argc, const rl_bytes *argv)
{
	bool is_script = argv[0].data[0] == 'E' && argv[0].data[1] == 'V';
	bool has_key = is_script || is(argv[0], "SET") || is(argv[0], "BLPOP") ||
		is(argv[0], "EXISTS") || is(argv[0], "GET") || is(argv[0], "PTTL");
	unsigned first = is_script ? 3 : 1;
	unsigned count = is_script ? (unsigned) number_of(argv[2]) : 1;
	if (!has_key || first + count > argc) {
		return WORDS_NO_SLOT;
	}
	unsigned slot = rl_slot_of(argv[first]);
	for (unsigned i = 1; i < count; i++) {
		if (rl_slot_of(argv[first + i]) != slot) {
			return WORDS_CROSS_SLOT;
		}
	}
	return (int16_t) slot;
}

/* ---- for a person ---- */

const char *words_say(const model_command *c, char *room, size_t size)
{
	static const char *const scripts[RL_SCRIPTS] = {[RL_SCRIPT_TRY] = "try",
		[RL_SCRIPT_RELEASE] = "release",
		[RL_SCRIPT_EXTEND] = "extend",
		[RL_SCRIPT_RENEW] = "renew",
		[RL_SCRIPT_PROBE] = "probe",
		[RL_SCRIPT_INSPECT] = "inspect",
		[RL_SCRIPT_FORCE] = "force",
		[RL_SCRIPT_SWAP] = "swap",
		[RL_SCRIPT_FENCE] = "fence"};
	static const char *const words[] = {[WORD_SET] = "SET",
		[WORD_EXISTS] = "EXISTS",
		[WORD_GET] = "GET",
		[WORD_PTTL] = "PTTL",
		[WORD_BLPOP] = "BLPOP",
		[WORD_SCRIPT] = "",
		[WORD_HELLO] = "hello",
		[WORD_WAIT] = "WAIT",
		[WORD_ASKING] = "ASKING",
		[WORD_MAP] = "CLUSTER SLOTS",
		[WORD_ROLE] = "ROLE",
		[WORD_PRIMARY] = "SENTINEL",
		[WORD_MASTER] = "SENTINEL MASTER"};
	const char *name = c->what == WORD_SCRIPT ? scripts[c->script] : words[c->what];
	static const char *const places[] = {"", " queued", " woken"};
	bool is_blocking = c->what == WORD_BLPOP || c->what == WORD_WAIT;
	snprintf(room, size, "%s%s%s k%u %.*s%s%.*s ttl %" PRId64 "%s%s mark %d/%d %.*s", name,
		c->what == WORD_SCRIPT && !c->is_sha ? "(text)" : "", c->has_helpers ? "+" : "",
		(unsigned) c->key, (int) c->token.len, c->token.bytes, c->fresh.len > 0 ? " to " : "",
		(int) c->fresh.len, c->fresh.bytes,
		is_blocking ? c->block_ms : c->ttl_ms + c->fence, /* it has one of these at most */
		c->maybe_ours ? " owed" : "", places[c->place], (int) c->mark_ms, (int) c->reserve_ms,
		(int) c->waiter.len, c->waiter.bytes);
	return room;
}

const char *words_say_reply(const model_reply *r, char *room, size_t size)
{
	switch (r->type) {
		case REPLY_NIL:
			return "nil";
		case REPLY_STATUS:
			return "OK";
		case REPLY_ERROR:
			return r->error;
		case REPLY_TICKET:
			return "ticket";
		case REPLY_TEXT:
		case REPLY_DIGITS:
			snprintf(room, size, "\"%.*s\"", (int) r->text.len, r->text.bytes);
			return room;
		case REPLY_NUMBER:
			snprintf(room, size, "%" PRId64, r->number[0]);
			return room;
		case REPLY_NUMBERS:
		case REPLY_STATE:
			snprintf(room, size,
				"[%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "] of %u, %.*s",
				r->number[0], r->number[1], r->number[2], r->number[3], r->number[4],
				(unsigned) r->count, r->label_at > 0 ? (int) r->label.len : 0, r->label.bytes);
			return room;
		case REPLY_MOVED:
		case REPLY_ASK:
			snprintf(room, size, "%s %" PRId64 " to s%" PRId64,
				r->type == REPLY_ASK ? "ASK" : "MOVED", r->number[0], r->number[1]);
			return room;
		case REPLY_MAP:
			return "map";
		case REPLY_ROLE:
			return r->number[0] == 1 ? "master" : "slave";
		case REPLY_ADDRESS:
			snprintf(room, size, "s%" PRId64, r->number[0]);
			return room;
		case REPLY_MASTER:
			snprintf(room, size, "s%" PRId64 " for %" PRId64 " ms", r->number[0], r->number[1]);
			return room;
	}
	return "?";
}
