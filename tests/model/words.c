/* SPDX-License-Identifier: MIT */
#include "words.h"

#include "core/wire/rl_slot.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The texts that rl_store.c was written from. Where one is changed, the model has to follow. */
static const char *const sha1_of_model[RL_SCRIPTS] = {
	[RL_SCRIPT_TRY] = "344e906e40e3ecb5b072d18a426738d701d6b788",
	[RL_SCRIPT_RELEASE] = "c179609abee7b8cfc56f89749cb27ff2cdaf210c",
	[RL_SCRIPT_EXTEND] = "b60cb3524bc02a0b61e1d8fdadb5c05c8508ba74",
	[RL_SCRIPT_RENEW] = "0b623bc62d731aba0bb3f2c9f97f79c7ab8d5f90",
	[RL_SCRIPT_PROBE] = "e9d78f5440279a974ce08f1fdc9fc4a9578974be",
	[RL_SCRIPT_INSPECT] = "0f3bfb340b50f12d8f4cde3a9c61e34ad207355c",
	[RL_SCRIPT_FORCE] = "222d774b8fb0773b515ca21cd33de4d52156598a",
	[RL_SCRIPT_SWAP] = "4591220f91d1db0f0ff89781dd61a9a14a83c377",
	[RL_SCRIPT_FENCE] = "969f6644c25d2ba00cdc9cb54d5709747c6a39ac",
	[RL_SCRIPT_FREE_ANY] = "891d2ecdaf5dab04f4b77c63c44ac0e2f54b7600",
	[RL_SCRIPT_SCAN] = "d76e2c0e6526b480db46332a1834bc6b0490c129",
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

static bool read_key(rl_bytes name, uint8_t *key)
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
		(name.len > len && strchr(":}#", name.data[len]) == NULL)) {
		return false;
	}
	const char *sign = memchr(name.data, '#', name.len);
	*key = (uint8_t) (digit - '0' + (sign != NULL ? sign[1] - '1' : 0));
	return *key < WORDS_KEYS;
}

bool words_read(rl_model_command *c, unsigned argc, const rl_bytes *argv)
{
	if (!rl_words_read(c, argc, argv)) {
		return false;
	}
	bool knows =
		c->name.data == NULL || (read_key(c->name, &c->key) && read_key(c->home, &c->home_key));
	for (unsigned i = 0; knows && i < c->permits; i++) {
		knows = c->permits <= WORDS_KEYS && read_key(c->permit_names[i], &c->permit_key[i]);
	}
	return knows;
}

int16_t words_slot(unsigned argc, const rl_bytes *argv)
{
	bool is_script = argv[0].data[0] == 'E' && argv[0].data[1] == 'V';
	bool has_key = is_script || rl_bytes_is(argv[0], "SET") || rl_bytes_is(argv[0], "BLPOP") ||
		rl_bytes_is(argv[0], "EXISTS") || rl_bytes_is(argv[0], "GET") ||
		rl_bytes_is(argv[0], "PTTL");
	unsigned first = is_script ? 3 : 1;
	int64_t count = 1;
	if (!has_key || (is_script && !rl_bytes_read_number(argv[2], RL_PERMITS_MAX + 2, &count)) ||
		first + count > argc) {
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

const char *words_say(const rl_model_command *c, char *room, size_t size)
{
	static const char *const scripts[RL_SCRIPTS] = {[RL_SCRIPT_TRY] = "try",
		[RL_SCRIPT_RELEASE] = "release",
		[RL_SCRIPT_EXTEND] = "extend",
		[RL_SCRIPT_RENEW] = "renew",
		[RL_SCRIPT_PROBE] = "probe",
		[RL_SCRIPT_INSPECT] = "inspect",
		[RL_SCRIPT_FORCE] = "force",
		[RL_SCRIPT_SWAP] = "swap",
		[RL_SCRIPT_FENCE] = "fence",
		[RL_SCRIPT_FREE_ANY] = "free any"};
	static const char *const words[] = {[RL_WORD_SET] = "SET",
		[RL_WORD_EXISTS] = "EXISTS",
		[RL_WORD_GET] = "GET",
		[RL_WORD_PTTL] = "PTTL",
		[RL_WORD_BLPOP] = "BLPOP",
		[RL_WORD_SCRIPT] = "",
		[RL_WORD_HELLO] = "hello",
		[RL_WORD_WAIT] = "WAIT",
		[RL_WORD_ASKING] = "ASKING",
		[RL_WORD_MAP] = "CLUSTER SLOTS",
		[RL_WORD_ROLE] = "ROLE",
		[RL_WORD_PRIMARY] = "SENTINEL",
		[RL_WORD_MASTER] = "SENTINEL MASTER"};
	const char *name = c->what == RL_WORD_SCRIPT ? scripts[c->script] : words[c->what];
	static const char *const places[] = {"", " queued", " woken"};
	bool is_blocking = c->what == RL_WORD_BLPOP || c->what == RL_WORD_WAIT;
	snprintf(room, size, "%s%s%s k%u %.*s%s%.*s ttl %" PRId64 "%s%s mark %d/%d %.*s", name,
		c->what == RL_WORD_SCRIPT && c->form == RL_FORM_TEXT ? "(text)" : "",
		rl_words_has_helpers(c) ? "+" : "", (unsigned) c->key, (int) c->token.len, c->token.bytes,
		c->fresh.len > 0 ? " to " : "", (int) c->fresh.len, c->fresh.bytes,
		is_blocking ? c->block_ms : c->ttl_ms + c->fence, /* it has one of these at most */
		c->maybe_ours ? " owed" : "", places[c->place], (int) c->mark_ms, (int) c->reserve_ms,
		(int) c->waiter.len, c->waiter.bytes);
	return room;
}

const char *words_say_reply(const rl_model_reply *r, char *room, size_t size)
{
	switch (r->type) {
		case RL_SAYS_NIL:
			return "nil";
		case RL_SAYS_STATUS:
			return "OK";
		case RL_SAYS_ERROR:
			return r->error;
		case RL_SAYS_TICKET:
			return "ticket";
		case RL_SAYS_TEXT:
		case RL_SAYS_DIGITS:
			snprintf(room, size, "\"%.*s\"", (int) r->text.len, r->text.bytes);
			return room;
		case RL_SAYS_NUMBER:
			snprintf(room, size, "%" PRId64, r->number[0]);
			return room;
		case RL_SAYS_NUMBERS:
		case RL_SAYS_STATE:
			snprintf(room, size,
				"[%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "] of %u, %.*s",
				r->number[0], r->number[1], r->number[2], r->number[3], r->number[4],
				(unsigned) r->count, r->label_at > 0 ? (int) r->label.len : 0, r->label.bytes);
			return room;
		case RL_SAYS_MOVED:
		case RL_SAYS_ASK:
			snprintf(room, size, "%s %" PRId64 " to s%" PRId64,
				r->type == RL_SAYS_ASK ? "ASK" : "MOVED", r->number[0], r->number[1]);
			return room;
		case RL_SAYS_MAP:
			return "map";
		case RL_SAYS_ROLE:
			return r->number[0] == 1 ? "master" : "slave";
		case RL_SAYS_ADDRESS:
			snprintf(room, size, "s%" PRId64, r->number[0]);
			return room;
		case RL_SAYS_MASTER:
			snprintf(room, size, "s%" PRId64 " for %" PRId64 " ms", r->number[0], r->number[1]);
			return room;
	}
	return "?";
}
