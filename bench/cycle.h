/* SPDX-License-Identifier: MIT
 *
 * The two commands of an acquire and a release, as RedisLock sends them, for the limits in C. The
 * program that includes this defines ask().
 */
#ifndef BENCH_CYCLE_H
#define BENCH_CYCLE_H

#define PROGRAM "cycle"

#include "core/wire/rl_script.h"
#include "limit.h"

#include <hiredis.h>
#include <string.h>

#define SCRIPT_SHA1_LEN 40

/* Sends the command, and waits for its reply. */
static redisReply *ask(int argc, const char **argv, const size_t *lengths);

static void expect(redisReply *reply, int type)
{
	if (reply == NULL || reply->type != type ||
		(type == REDIS_REPLY_INTEGER && reply->integer != 1)) {
		stop("unexpected reply");
	}
	freeReplyObject(reply);
}

static void load_script(const rl_script *script)
{
	const char *load[] = {"SCRIPT", "LOAD", script->text};
	const size_t load_len[] = {6, 4, script->text_len};
	expect(ask(3, load, load_len), REDIS_REPLY_STRING);
}

static void cycle(const rl_script *script, const char *token)
{
	const char *set[] = {"SET", "bench:cycle", token, "NX", "PX", "30000"};
	const size_t set_len[] = {3, 11, 28, 2, 2, 5};
	expect(ask(6, set, set_len), REDIS_REPLY_STATUS);
	const char *del[] = {"EVALSHA", script->sha1, "3", "bench:cycle", "bench:cycle::rl-wait",
		"bench:cycle::rl-wake", token};
	const size_t del_len[] = {7, SCRIPT_SHA1_LEN, 1, 11, 20, 20, 28};
	expect(ask(7, del, del_len), REDIS_REPLY_INTEGER);
}

/* Reads "ROUNDS\n" on standard input, does as many cycles, answers with the nanoseconds. */
static void serve(void)
{
	const rl_script *script = rl_script_get(RL_SCRIPT_RELEASE);
	char line[32];
	load_script(script);
	while (fgets(line, sizeof line, stdin) != NULL) {
		long rounds = atol(line);
		long long start = nanoseconds();
		for (long i = 0; i < rounds; i++) {
			char token[32];
			snprintf(token, sizeof token, "rl1.%024ld", i);
			cycle(script, token);
		}
		printf("%lld\n", nanoseconds() - start);
		fflush(stdout);
	}
}

#endif
