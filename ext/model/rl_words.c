/* SPDX-License-Identifier: MIT */
#include "model/rl_words.h"

#include <string.h>

rl_model_text rl_words_text(rl_bytes bytes)
{
	size_t len = bytes.len < RL_WORDS_TEXT ? bytes.len : RL_WORDS_TEXT;
	rl_model_text t;
	t.len = (uint16_t) len;
	if (t.len > 0) { /* else there may be no data at all */
		memcpy(t.bytes, bytes.data, t.len);
	}
	t.mark = rl_bytes_hash(RL_HASH_BEGIN, rl_bytes_of(t.bytes, t.len));
	return t;
}

static int64_t number_of(rl_bytes argument)
{
	int64_t number = 0;
	rl_bytes_read_number(argument, INT64_MAX, &number);
	return number;
}

/* A list of tickets has the name of its lock, and a suffix. */
static bool read_list(rl_model_command *c, rl_bytes list)
{
	size_t suffix = sizeof RL_TICKETS_SUFFIX - 1;
	if (list.len < suffix ||
		memcmp(list.data + list.len - suffix, RL_TICKETS_SUFFIX, suffix) != 0) {
		return false;
	}
	c->name = c->home = rl_bytes_of(list.data, list.len - suffix);
	return true;
}

static bool find_script(rl_model_command *c, rl_bytes argument)
{
	for (unsigned i = 0; i < RL_SCRIPTS; i++) {
		const rl_script *script = rl_script_get((rl_script_id) i);
		const char *wanted = c->form == RL_FORM_USUAL ? script->sha1 : script->text;
		size_t len = c->form == RL_FORM_USUAL ? 40 : script->text_len;
		if (argument.data == wanted ||
			(argument.len == len && memcmp(argument.data, wanted, len) == 0)) {
			c->script = (rl_script_id) i;
			return true;
		}
	}
	return false;
}

static bool read_arguments(rl_model_command *c, unsigned argc, const rl_bytes *argv)
{
	static const unsigned least[RL_SCRIPTS] = {[RL_SCRIPT_TRY] = 6,
		[RL_SCRIPT_RELEASE] = 1,
		[RL_SCRIPT_EXTEND] = 2,
		[RL_SCRIPT_RENEW] = 2,
		[RL_SCRIPT_PROBE] = 3,
		[RL_SCRIPT_INSPECT] = 0,
		[RL_SCRIPT_FORCE] = 0,
		[RL_SCRIPT_SWAP] = 3,
		[RL_SCRIPT_FENCE] = 2,
		[RL_SCRIPT_FREE_ANY] = 1,
		[RL_SCRIPT_SCAN] = 2};
	if (argc < least[c->script]) {
		return false;
	}
	if (argc > 0) {
		c->token = rl_words_text(argv[0]);
	}
	switch (c->script) {
		case RL_SCRIPT_TRY:
			c->ttl_ms = number_of(argv[1]);
			c->maybe_ours = rl_bytes_is(argv[2], "1");
			c->place = (rl_place) number_of(argv[3]);
			c->waiter = rl_words_text(argv[4]);
			c->mark_ms = number_of(argv[5]);
			c->has_reserve = argc > 6;
			c->reserve_ms = argc > 6 ? number_of(argv[6]) : 0;
			break;
		case RL_SCRIPT_RELEASE:
			if (argc > 1) {
				c->waiter = rl_words_text(argv[1]);
			}
			c->has_reserve = argc > 2;
			c->reserve_ms = argc > 2 ? number_of(argv[2]) : 0;
			c->permit_count = argc > 3 ? (uint8_t) number_of(argv[3]) : 0;
			c->done_ms = argc > 4 ? number_of(argv[4]) : 0;
			break;
		case RL_SCRIPT_EXTEND:
		case RL_SCRIPT_RENEW:
			c->ttl_ms = number_of(argv[1]);
			break;
		case RL_SCRIPT_PROBE:
			c->waiter = rl_words_text(argv[1]);
			c->mark_ms = number_of(argv[2]);
			c->reserve_ms = argc > 3 ? number_of(argv[3]) : 0;
			break;
		case RL_SCRIPT_INSPECT:
			break;
		case RL_SCRIPT_FORCE:
			c->reserve_ms = argc > 0 ? number_of(argv[0]) : 0;
			break;
		case RL_SCRIPT_SWAP:
			c->fresh = rl_words_text(argv[1]);
			c->ttl_ms = number_of(argv[2]);
			break;
		case RL_SCRIPT_FENCE:
			c->fence = number_of(argv[1]);
			break;
		case RL_SCRIPT_FREE_ANY:
			if (argc > 1) {
				c->waiter = rl_words_text(argv[1]);
			}
			break;
		case RL_SCRIPT_SCAN: /* names no lock */
			break;
	}
	return true;
}

/* How many permits the lock has by the arguments; 0 = they do not say, and the lock has one key. */
static unsigned permits_of(const rl_model_command *c, unsigned argc, const rl_bytes *argv)
{
	unsigned at = c->script == RL_SCRIPT_TRY ? 7 : 4;
	if (c->script == RL_SCRIPT_FREE_ANY) {
		unsigned helpers = argc > 1 ? 2 : 0;
		return c->keys > helpers && c->keys - helpers <= RL_PERMITS_MAX ? c->keys - helpers : 0;
	}
	bool says = (c->script == RL_SCRIPT_TRY || c->script == RL_SCRIPT_PROBE) && argc > at;
	int64_t number = says ? number_of(argv[at]) : 0;
	return number > 1 && number <= RL_PERMITS_MAX ? (unsigned) number : 0;
}

/* The lock that has this key as its marks. */
static rl_bytes owner_of(rl_bytes marks)
{
	size_t suffix = sizeof RL_MARK_SUFFIX - 1;
	bool has_suffix =
		marks.len >= suffix && memcmp(marks.data + marks.len - suffix, RL_MARK_SUFFIX, suffix) == 0;
	return rl_bytes_of(marks.data, marks.len - (has_suffix ? suffix : 0));
}

static bool read_script(rl_model_command *c, unsigned argc, const rl_bytes *argv)
{
	c->what = RL_WORD_SCRIPT;
	c->form = rl_bytes_is(argv[0], "EVALSHA") ? RL_FORM_USUAL : RL_FORM_TEXT;
	if (argc < 4 || !find_script(c, argv[1])) {
		return false;
	}
	c->name = argv[3];
	unsigned keys = (unsigned) number_of(argv[2]);
	if (c->script == RL_SCRIPT_SCAN) {
		c->name = rl_bytes_of(NULL, 0);
		c->pattern = argv[argc - 1];
		return argc == 5 + keys;
	}
	if (keys > RL_PERMITS_MAX + 2 || argc < 3 + keys) {
		return false;
	}
	c->keys = (uint8_t) keys;
	c->permit_names = argv + 3;
	c->permits = (uint8_t) permits_of(c, argc - 3 - keys, argv + 3 + keys);
	unsigned locks = c->permits > 0 ? c->permits : 1;
	c->home = keys == locks + 2 ? owner_of(argv[3 + locks]) : c->name;
	bool is_good = c->script == RL_SCRIPT_FENCE ? keys == 2 : keys == locks || keys == locks + 2;
	return is_good && read_arguments(c, argc - 3 - keys, argv + 3 + keys);
}

bool rl_words_read(rl_model_command *c, unsigned argc, const rl_bytes *argv)
{
	memset(c, 0, offsetof(rl_model_command, token));
	c->token.len = c->waiter.len = c->fresh.len = 0;
	c->token.mark = c->waiter.mark = c->fresh.mark = 0;
	c->place = RL_PLACE_NONE;
	c->ttl_ms = c->mark_ms = c->reserve_ms = c->done_ms = c->block_ms = c->fence = 0;
	if (argv[0].data[0] == 'E' && argv[0].data[1] == 'V') {
		return read_script(c, argc, argv);
	}
	if (rl_bytes_is(argv[0], "SET") && argc == 6 && rl_bytes_is(argv[3], "NX") &&
		rl_bytes_is(argv[4], "PX")) {
		c->what = RL_WORD_SET;
		c->token = rl_words_text(argv[2]);
		c->ttl_ms = number_of(argv[5]);
		c->name = c->home = argv[1];
		return true;
	}
	if (rl_bytes_is(argv[0], "BLPOP") && argc == 3) {
		c->what = RL_WORD_BLPOP;
		int64_t ns = 0;
		rl_bytes_read_seconds(argv[2], RL_NEVER / 2, &ns);
		c->block_ms = ns / RL_NS_PER_MS;
		return read_list(c, argv[1]);
	}
	if (rl_bytes_is(argv[0], "WAIT") && argc == 3) {
		c->what = RL_WORD_WAIT;
		c->replicas = number_of(argv[1]);
		c->block_ms = number_of(argv[2]);
		return true;
	}
	if (rl_bytes_is(argv[0], "ASKING") || rl_bytes_is(argv[0], "CLUSTER")) {
		c->what = argc == 1 ? RL_WORD_ASKING : RL_WORD_MAP;
		return argc == 1 || rl_bytes_is(argv[1], "SLOTS");
	}
	if (rl_bytes_is(argv[0], "AUTH") || rl_bytes_is(argv[0], "SELECT") ||
		rl_bytes_is(argv[0], "CLIENT")) {
		c->what = RL_WORD_HELLO;
		return true;
	}
	if (rl_bytes_is(argv[0], "ROLE") || rl_bytes_is(argv[0], "SENTINEL")) {
		bool is_master = argc == 3 && rl_bytes_is(argv[1], "MASTER");
		c->what = argc == 1 ? RL_WORD_ROLE : is_master ? RL_WORD_MASTER : RL_WORD_PRIMARY;
		return argc == 1 || is_master ||
			(argc == 3 && rl_bytes_is(argv[1], "GET-MASTER-ADDR-BY-NAME"));
	}
	c->what = rl_bytes_is(argv[0], "EXISTS") ? RL_WORD_EXISTS
		: rl_bytes_is(argv[0], "GET")        ? RL_WORD_GET
											 : RL_WORD_PTTL;
	if (argc != 2 || (c->what == RL_WORD_PTTL && !rl_bytes_is(argv[0], "PTTL"))) {
		return false;
	}
	c->name = c->home = argv[1];
	return true;
}
