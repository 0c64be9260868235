/* SPDX-License-Identifier: MIT
 *
 * The limit for contended locks: the strictest queue there can be, in C on hiredis. A client that
 * finds the lock held puts its name at the end of a list. A release gives the lock to the first
 * name of that list, in one script, and wakes its owner through a list of its own: the key is never
 * free in between, and no client has to try again. Do not use this lock: if a waiter dies, its lock
 * is never freed.
 *
 * A worker as bench/section_worker.php, with the same line "run KEY START UNTIL MOST LENGTH".
 *
 * usage: queue_hiredis PORT CONTROL COUNT
 */
#define PROGRAM "queue_hiredis"

#include "limit.h"

#include <hiredis.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* KEYS: the lock, its queue. ARGV: the name of the caller. */
static const char acquire_text[] =
	"if redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', 30000) then return 1 end "
	"redis.call('rpush', KEYS[2], ARGV[1]) return 0";
static const char release_text[] =
	"if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
	"local first = redis.call('lpop', KEYS[2]) "
	"if first then redis.call('set', KEYS[1], first, 'px', 30000) redis.call('lpush', first, 1) "
	"else redis.call('del', KEYS[1]) end return 1";

typedef struct worker {
	redisContext *context;
	FILE *control;
	char name[48]; /* also the list on which it is woken */
	char acquire_sha1[41];
	char release_sha1[41];
} worker;

typedef struct section {
	long long asked, start, end;
} section;

/* Wanted by a line of the control socket. */
typedef struct task {
	char key[64];
	long long start, until, most, length;
} task;

static void sleep_ns(long long duration)
{
	if (duration > 0) {
		struct timespec time = {.tv_sec = duration / 1000000000, .tv_nsec = duration % 1000000000};
		nanosleep(&time, NULL);
	}
}

static void load(worker *self, const char *text, char *sha1)
{
	redisReply *reply = redisCommand(self->context, "SCRIPT LOAD %s", text);
	if (reply == NULL || reply->type != REDIS_REPLY_STRING || reply->len != 40) {
		stop("cannot load a script");
	}
	memcpy(sha1, reply->str, 41);
	freeReplyObject(reply);
}

static int evaluate(worker *self, const char *sha1, const char *key)
{
	redisReply *reply =
		redisCommand(self->context, "EVALSHA %s 2 %s %s:queue %s", sha1, key, key, self->name);
	if (reply == NULL || reply->type != REDIS_REPLY_INTEGER) {
		stop("unexpected reply to a script");
	}
	int value = (int) reply->integer;
	freeReplyObject(reply);
	return value;
}

/* 0 when nobody has handed the lock over in 20 seconds. */
static int acquire(worker *self, const char *key)
{
	if (evaluate(self, self->acquire_sha1, key)) {
		return 1;
	}
	redisReply *reply = redisCommand(self->context, "BLPOP %s 20", self->name);
	if (reply == NULL || reply->type == REDIS_REPLY_ERROR) {
		stop("unexpected reply to BLPOP");
	}
	int is_ours = reply->type == REDIS_REPLY_ARRAY;
	freeReplyObject(reply);
	return is_ours;
}

static void run(worker *self, const task *wanted)
{
	section *done = NULL;
	size_t count = 0, room = 0;
	int gave_up = 0;
	sleep_ns(wanted->start - nanoseconds());
	while ((long long) count < wanted->most && !gave_up) {
		section now = {.asked = nanoseconds()};
		if (now.asked >= wanted->until) {
			break;
		}
		if (!acquire(self, wanted->key)) {
			gave_up = 1;
			break;
		}
		now.start = nanoseconds();
		sleep_ns(wanted->length);
		now.end = nanoseconds();
		if (!evaluate(self, self->release_sha1, wanted->key)) {
			stop("the lock was not ours");
		}
		if (count == room) {
			room = room == 0 ? 64 : room * 2;
			done = realloc(done, room * sizeof *done);
			if (done == NULL) {
				stop("out of memory");
			}
		}
		done[count++] = now;
	}
	fprintf(self->control, "%d", gave_up);
	for (size_t i = 0; i < count; i++) {
		fprintf(self->control, " %lld %lld %lld", done[i].asked, done[i].start, done[i].end);
	}
	fprintf(self->control, "\n");
	fflush(self->control);
	free(done);
}

static FILE *connect_control(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd < 0 || strlen(path) >= sizeof address.sun_path) {
		stop("no socket for the bench");
	}
	strcpy(address.sun_path, path);
	if (connect(fd, (struct sockaddr *) &address, sizeof address) != 0) {
		stop("cannot connect to the bench");
	}
	FILE *control = fdopen(fd, "r+");
	if (control == NULL) {
		stop("out of memory");
	}
	fprintf(control, "%ld\n", (long) getpid());
	fflush(control);
	return control;
}

static void work(int port, const char *path)
{
	worker self = {.control = connect_control(path), .context = redisConnect("127.0.0.1", port)};
	if (self.context == NULL || self.context->err != 0) {
		stop("cannot connect to the server");
	}
	snprintf(self.name, sizeof self.name, "worker:%ld", (long) getpid());
	load(&self, acquire_text, self.acquire_sha1);
	load(&self, release_text, self.release_sha1);
	char line[256];
	while (fgets(line, sizeof line, self.control) != NULL) {
		task wanted;
		if (sscanf(line, "run %63s %lld %lld %lld %lld", wanted.key, &wanted.start, &wanted.until,
				&wanted.most, &wanted.length) != 5) {
			stop("the bench wants something unknown");
		}
		/* Between reading and writing one stream C asks for this. */
		fseek(self.control, 0, SEEK_CUR);
		run(&self, &wanted);
	}
	redisFree(self.context);
	fclose(self.control);
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		return 2;
	}
	for (int i = atoi(argv[3]); i > 0; i--) {
		pid_t pid = fork();
		if (pid < 0) {
			stop("cannot fork");
		}
		if (pid == 0) {
			alarm(600); /* whatever happens, no worker lives longer */
			work(atoi(argv[1]), argv[2]);
			return 0;
		}
	}
	while (wait(NULL) > 0) {
		/* one has ended; go on until all have */
	}
	return 0;
}
