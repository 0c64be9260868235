/* SPDX-License-Identifier: MIT */
#include "fake_words.h"

#include "check.h"
#include "core/wire/rl_command.h"
#include "core/base/rl_token.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOKENS_MAX 512

/* The tokens and names that were drawn at random, in the order of their first use. */
typedef struct drawn {
	char list[TOKENS_MAX][RL_TOKEN_LEN];
	unsigned count;
} drawn;

static drawn tokens;
static drawn waiters;

void fake_forget_tokens(void)
{
	tokens.count = 0;
	waiters.count = 0;
}

static unsigned number_in(drawn *all, rl_bytes token)
{
	unsigned known = all->count < TOKENS_MAX ? all->count : TOKENS_MAX;
	for (unsigned i = 0; i < known; i++) {
		if (memcmp(all->list[i], token.data, RL_TOKEN_LEN) == 0) {
			return i + 1;
		}
	}
	memcpy(all->list[all->count++ % TOKENS_MAX], token.data, RL_TOKEN_LEN);
	return all->count;
}

static bool is(rl_bytes argument, const char *text)
{
	return rl_bytes_equal(argument, bytes_of(text));
}

const char *fake_name_of(rl_bytes token)
{
	static char names[8][16];
	static unsigned count;
	if (!rl_token_is_drawn(token)) {
		return "";
	}
	if (is(token, FAKE_DRAWN)) {
		return "drawn";
	}
	char *name = names[count++ % 8];
	snprintf(name, sizeof names[0], "T%u", number_in(&tokens, token));
	return name;
}

rl_bytes fake_token_named(const char *name)
{
	if (strcmp(name, "drawn") == 0) {
		return bytes_of(FAKE_DRAWN);
	}
	unsigned number = name[0] == 'T' ? (unsigned) atoi(name + 1) : 0;
	bool is_known = number > 0 && number <= tokens.count && tokens.count <= TOKENS_MAX;
	return is_known ? rl_bytes_of(tokens.list[number - 1], RL_TOKEN_LEN) : (rl_bytes){NULL, 0};
}

static size_t describe_argument(char *out, size_t size, rl_bytes argument)
{
	if (is(argument, FAKE_DRAWN)) {
		return (size_t) snprintf(out, size, " drawn");
	}
	if (rl_token_is_drawn(argument)) {
		return (size_t) snprintf(out, size, " T%u%.*s", number_in(&tokens, argument),
			(int) (argument.len - RL_TOKEN_LEN), argument.data + RL_TOKEN_LEN);
	}
	if (argument.len >= RL_TOKEN_LEN && memcmp(argument.data, "rlw.", 4) == 0) {
		return (size_t) snprintf(out, size, " W%u", number_in(&waiters, argument));
	}
	if (argument.len > 64) {
		return (size_t) snprintf(out, size, " <%zu bytes>", argument.len);
	}
	return (size_t) snprintf(out, size, " %.*s", (int) argument.len, argument.data);
}

/* The name of the script in a command, NULL when it has none. */
static const char *script_name(unsigned argc, const rl_bytes *argv)
{
	static const struct {
		rl_script_id id;
		const char *by_sha;
		const char *by_text;
	} scripts[RL_SCRIPTS] = {{RL_SCRIPT_TRY, "try", "TRY"},
		{RL_SCRIPT_RELEASE, "release", "RELEASE"}, {RL_SCRIPT_EXTEND, "extend", "EXTEND"},
		{RL_SCRIPT_RENEW, "renew", "RENEW"}, {RL_SCRIPT_PROBE, "probe", "PROBE"},
		{RL_SCRIPT_INSPECT, "inspect", "INSPECT"}, {RL_SCRIPT_FORCE, "force", "FORCE"},
		{RL_SCRIPT_SWAP, "swap", "SWAP"}, {RL_SCRIPT_FENCE, "fence", "FENCE"},
		{RL_SCRIPT_FREE_ANY, "free", "FREE"}};
	bool is_sha = argc > 3 && is(argv[0], "EVALSHA");
	bool is_text = argc > 3 && is(argv[0], "EVAL");
	for (unsigned i = 0; (is_sha || is_text) && i < RL_SCRIPTS; i++) {
		const rl_script *script = rl_script_get(scripts[i].id);
		rl_bytes text = rl_bytes_of(script->text, script->text_len);
		if (is_sha ? is(argv[1], script->sha1) : rl_bytes_equal(argv[1], text)) {
			return is_sha ? scripts[i].by_sha : scripts[i].by_text;
		}
	}
	return NULL;
}

static bool is_suffixed(rl_bytes name, rl_bytes key, const char *suffix)
{
	return name.len == key.len + strlen(suffix) && memcmp(name.data, key.data, key.len) == 0 &&
		memcmp(name.data + key.len, suffix, strlen(suffix)) == 0;
}

static bool has_helper_keys(unsigned argc, const rl_bytes *argv)
{
	return argc > 5 && is(argv[2], "3") && is_suffixed(argv[4], argv[3], RL_MARK_SUFFIX) &&
		is_suffixed(argv[5], argv[3], RL_TICKETS_SUFFIX);
}

/* Writes the beginning of a command in its short form.
 * @return the argument that follows */
static unsigned describe_beginning(char *out, size_t size, unsigned argc, const rl_bytes *argv)
{
	const char *script = script_name(argc, argv);
	if (script != NULL && has_helper_keys(argc, argv)) {
		snprintf(out, size, " %s+ %.*s", script, (int) argv[3].len, argv[3].data);
		return 6;
	}
	if (script != NULL) {
		snprintf(out, size, " %s", script);
		return is(argv[2], "1") ? 3 : 2;
	}
	if (argc == 3 && is(argv[0], "CLIENT") && is(argv[1], "SETNAME") && is(argv[2], "redislock")) {
		snprintf(out, size, " NAME");
		return 3;
	}
	return 0;
}

/* How many arguments the line shows. The last ones are left out if they have the values that a
 * waiter near its servers sends. */
static unsigned shown(const char *script, unsigned argc, const rl_bytes *argv)
{
	bool has_helpers = script != NULL && has_helper_keys(argc, argv);
	bool is_release = script != NULL && (script[0] == 'r' || script[0] == 'R');
	bool marks = script != NULL && strchr("tTpP", script[0]) != NULL;
	if (!has_helpers || !(is_release || marks || script[0] == 'f')) {
		return argc;
	}
	unsigned most = is_release ? 9 : script[0] == 't' || script[0] == 'T' ? 13 : marks ? 10 : 7;
	if (argc == most && is(argv[argc - 1], "10")) {
		argc--;
		argc -= is_release && argv[argc - 1].len == 0;
	}
	return marks && is(argv[argc - 1], "2000") ? argc - 1 : argc;
}

void fake_describe(fake_words *words, unsigned argc, const rl_bytes *argv)
{
	char text[sizeof words->text] = "";
	const char *script = script_name(argc, argv);
	unsigned next = describe_beginning(text, sizeof text, argc, argv);
	argc = shown(script, argc, argv);
	for (size_t used = strlen(text); next < argc && used < sizeof text; next++) {
		bool is_dash = script != NULL && argv[next].len == 0;
		rl_bytes argument = is_dash ? bytes_of("-") : argv[next];
		used += describe_argument(text + used, sizeof text - used, argument);
	}
	*words = (fake_words){.is_handshake = argc > 0 &&
			(is(argv[0], "AUTH") || is(argv[0], "SELECT") || is(argv[0], "ROLE") ||
				is(argv[0], "CLIENT")),
		.is_undo = script != NULL && strcmp(script, "RELEASE") == 0,
		.is_blpop = argc == 3 && is(argv[0], "BLPOP"),
		.is_wait = argc == 3 && is(argv[0], "WAIT"),
		.is_asking = argc == 1 && is(argv[0], "ASKING"),
		.is_map = argc == 2 && is(argv[0], "CLUSTER"),
		.is_lookup = argc == 3 && is(argv[0], "SENTINEL")};
	memcpy(words->text, text + 1, sizeof text - 1);
	if (words->is_blpop) {
		words->block_ns = (int64_t) (strtod(argv[2].data, NULL) * 1e9 + 0.5);
	}
}
