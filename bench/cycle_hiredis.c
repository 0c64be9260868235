/* SPDX-License-Identifier: MIT
 *
 * The limit for bench/cycle.php: the two commands of an acquire and a release, as RedisLock sends
 * them, in C on hiredis, blocking, on one connection. Reads "ROUNDS\n" on standard input, does as
 * many cycles, answers with the nanoseconds.
 *
 * usage: cycle_hiredis unix PATH | tcp PORT
 */
#include "core/wire/rl_script.h"

#include <hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const rl_script *script;

static long long nanoseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void expect(redisReply *reply, int is_right)
{
	if (reply == NULL || !is_right) {
		fprintf(stderr, "cycle_hiredis: unexpected reply\n");
		exit(1);
	}
	freeReplyObject(reply);
}

static void cycle(redisContext *context, const char *token)
{
	const char *set[] = {"SET", "bench:cycle", token, "NX", "PX", "30000"};
	const size_t set_len[] = {3, 11, 28, 2, 2, 5};
	redisReply *reply = redisCommandArgv(context, 6, set, set_len);
	expect(reply, reply != NULL && reply->type == REDIS_REPLY_STATUS);
	const char *del[] = {"EVALSHA", script->sha1, "3", "bench:cycle", "bench:cycle::rl-wait",
		"bench:cycle::rl-wake", token};
	const size_t del_len[] = {7, 40, 1, 11, 20, 20, 28};
	reply = redisCommandArgv(context, 7, del, del_len);
	expect(reply, reply != NULL && reply->type == REDIS_REPLY_INTEGER && reply->integer == 1);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		return 2;
	}
	redisContext *context = strcmp(argv[1], "unix") == 0 ? redisConnectUnix(argv[2])
														 : redisConnect("127.0.0.1", atoi(argv[2]));
	if (context == NULL || context->err != 0) {
		fprintf(stderr, "cycle_hiredis: cannot connect\n");
		return 1;
	}
	script = rl_script_get(RL_SCRIPT_RELEASE);
	redisReply *loaded = redisCommand(context, "SCRIPT LOAD %b", script->text, script->text_len);
	expect(loaded, loaded != NULL && loaded->type == REDIS_REPLY_STRING);
	char line[32];
	while (fgets(line, sizeof line, stdin) != NULL) {
		long rounds = atol(line);
		long long start = nanoseconds();
		for (long i = 0; i < rounds; i++) {
			char token[32];
			snprintf(token, sizeof token, "rl1.%024ld", i);
			cycle(context, token);
		}
		printf("%lld\n", nanoseconds() - start);
		fflush(stdout);
	}
	redisFree(context);
	return 0;
}
