/* SPDX-License-Identifier: MIT
 *
 * The limit for bench/cycle.php: C on hiredis, blocking, on one connection (cycle.h).
 *
 * usage: cycle_hiredis unix PATH | tcp PORT
 */
#include "cycle.h"

static redisContext *context;

static redisReply *ask(int argc, const char **argv, const size_t *lengths)
{
	return redisCommandArgv(context, argc, argv, lengths);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		return 2;
	}
	context = strcmp(argv[1], "unix") == 0 ? redisConnectUnix(argv[2])
										   : redisConnect("127.0.0.1", atoi(argv[2]));
	if (context == NULL || context->err != 0) {
		stop("cannot connect");
	}
	serve();
	redisFree(context);
	return 0;
}
