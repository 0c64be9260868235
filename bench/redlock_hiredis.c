/* SPDX-License-Identifier: MIT
 *
 * The limit for bench/redlock.php: one lock on several servers, in C on hiredis. "together" sends
 * SET NX PX to all of them at once and polls until a quorum has it, and frees it likewise; answers
 * that come later are counted off. "sequential" is what the libraries do: it asks one server after
 * the other, and all of them.
 *
 * "warm" reads "ROUNDS\n" on standard input, does as many cycles, and answers with a word for each,
 * "A,B": the nanoseconds until the lock was there, and until it was freed. "cold" connects, takes
 * the lock, answers with the nanoseconds of both together, and ends.
 *
 * usage: redlock_hiredis together|sequential warm|cold PORT...
 */
#define PROGRAM "redlock_hiredis"

#include "core/wire/rl_script.h"
#include "limit.h"

#include <hiredis.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define MOST_SERVERS 15

typedef struct server {
	redisContext *context;
	int is_dead;
	int is_flushed;
	int owed;    /* replies that are to come */
	int answers; /* to the last command: 1, or 0 */
} server;

typedef struct quorum {
	server servers[MOST_SERVERS];
	int count;
	int needed;
	int is_sequential;
} quorum;

/* Reads what a SET, a release and SCRIPT LOAD answer when all is well. The last pending reply
 * counts. */
static void on_reply(server *server, redisReply *reply)
{
	int is_yes = reply->type == REDIS_REPLY_STATUS || reply->type == REDIS_REPLY_STRING ||
		(reply->type == REDIS_REPLY_INTEGER && reply->integer >= 1);
	if (--server->owed == 0) {
		server->answers = is_yes;
	}
	freeReplyObject(reply);
}

static void on_readable(server *server)
{
	void *reply = NULL;
	if (redisBufferRead(server->context) != REDIS_OK) {
		server->is_dead = 1;
		return;
	}
	while (redisGetReplyFromReader(server->context, &reply) == REDIS_OK && reply != NULL) {
		on_reply(server, reply);
	}
}

static void flush(server *server)
{
	if (redisBufferWrite(server->context, &server->is_flushed) != REDIS_OK) {
		server->is_dead = 1;
	}
}

/* Writes what is to be written and reads what there is, once, for the servers from FIRST to
 * LAST. */
static void call(quorum *quorum, int first, int last)
{
	struct pollfd files[MOST_SERVERS];
	for (int i = first; i <= last; i++) {
		server *server = &quorum->servers[i];
		if (!server->is_dead && !server->is_flushed) {
			flush(server);
		}
		files[i] = (struct pollfd){.fd = server->is_dead ? -1 : server->context->fd,
			.events = server->is_flushed ? POLLIN : POLLIN | POLLOUT};
	}
	if (poll(files + first, (nfds_t) (last - first + 1), 10000) == 0) {
		stop("no server answers");
	}
	for (int i = first; i <= last; i++) {
		if (files[i].fd >= 0 && files[i].revents & (POLLIN | POLLERR | POLLHUP)) {
			on_readable(&quorum->servers[i]);
		}
	}
}

static void append(server *server, int argc, const char **argv, const size_t *lengths)
{
	if (!server->is_dead) {
		redisAppendCommandArgv(server->context, argc, argv, lengths);
		server->is_flushed = 0;
		server->owed++;
		server->answers = 0;
	}
}

static int yes_of(const quorum *quorum)
{
	int yes = 0;
	for (int i = 0; i < quorum->count; i++) {
		yes += quorum->servers[i].owed == 0 && quorum->servers[i].answers;
	}
	return yes;
}

static void ask(quorum *quorum, int argc, const char **argv, const size_t *lengths, int needed)
{
	for (int i = 0; i < quorum->count; i++) {
		server *server = &quorum->servers[i];
		append(server, argc, argv, lengths);
		while (quorum->is_sequential && server->owed > 0 && !server->is_dead) {
			call(quorum, i, i);
		}
	}
	while (yes_of(quorum) < needed) {
		int owed = 0;
		for (int i = 0; i < quorum->count; i++) {
			owed += !quorum->servers[i].is_dead && quorum->servers[i].owed > 0;
		}
		if (owed == 0) {
			stop("no quorum");
		}
		call(quorum, 0, quorum->count - 1);
	}
	for (int i = 0; i < quorum->count; i++) {
		quorum->servers[i].answers = 0;
	}
}

static void acquire(quorum *quorum, const char *token)
{
	const char *words[] = {"SET", "bench:cycle", token, "NX", "PX", "30000"};
	const size_t lengths[] = {3, 11, 28, 2, 2, 5};
	ask(quorum, 6, words, lengths, quorum->needed);
}

static void release(quorum *quorum, const char *token, const char *sha1)
{
	const char *words[] = {
		"EVALSHA", sha1, "3", "bench:cycle", "bench:cycle::rl-wait", "bench:cycle::rl-wake", token};
	const size_t lengths[] = {7, 40, 1, 11, 20, 20, 28};
	ask(quorum, 7, words, lengths, quorum->needed);
}

static void load(quorum *quorum, const rl_script *script)
{
	const char *words[] = {"SCRIPT", "LOAD", script->text};
	const size_t lengths[] = {6, 4, script->text_len};
	ask(quorum, 3, words, lengths, quorum->count);
}

/* The libraries connect one after the other, and wait for each. */
static void connect_to(quorum *quorum, char **ports, int count)
{
	quorum->count = count;
	quorum->needed = count / 2 + 1;
	for (int i = 0; i < count; i++) {
		redisContext *context = redisConnectNonBlock("127.0.0.1", atoi(ports[i]));
		if (context == NULL) {
			stop("no memory");
		}
		quorum->servers[i] =
			(server){.context = context, .is_dead = context->err != 0, .is_flushed = 1};
		if (quorum->is_sequential && !quorum->servers[i].is_dead) {
			struct pollfd file = {.fd = context->fd, .events = POLLOUT};
			poll(&file, 1, 10000);
		}
	}
}

static void name_token(char token[32], unsigned long i)
{
	snprintf(token, 32, "rl1.%08x%016lx", (unsigned) getpid(), i);
}

static void warm(quorum *quorum)
{
	const rl_script *script = rl_script_get(RL_SCRIPT_RELEASE);
	char line[32];
	load(quorum, script);
	while (fgets(line, sizeof line, stdin) != NULL) {
		unsigned long rounds = strtoul(line, NULL, 10);
		for (unsigned long i = 0; i < rounds; i++) {
			char token[32];
			name_token(token, i);
			long long start = nanoseconds();
			acquire(quorum, token);
			long long taken = nanoseconds();
			release(quorum, token, script->sha1);
			printf("%s%lld,%lld", i > 0 ? " " : "", taken - start, nanoseconds() - start);
		}
		printf("\n");
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	if (argc < 4 || argc - 3 > MOST_SERVERS) {
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	quorum quorum = {.is_sequential = strcmp(argv[1], "sequential") == 0};
	if (strcmp(argv[2], "warm") == 0) {
		connect_to(&quorum, argv + 3, argc - 3);
		warm(&quorum);
		return 0;
	}
	char token[32];
	name_token(token, 0);
	long long start = nanoseconds();
	connect_to(&quorum, argv + 3, argc - 3);
	acquire(&quorum, token);
	long long taken = nanoseconds();
	const rl_script *script = rl_script_get(RL_SCRIPT_RELEASE);
	load(&quorum, script);
	release(&quorum, token, script->sha1);
	printf("%lld\n", taken - start);
	return 0;
}
