/* SPDX-License-Identifier: MIT
 *
 * What the comparisons of the model with real servers share.
 */
#include "conformance_compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LINES 128
#define FENCE_AHEAD_US INT64_C(60000000)

int node_ports[2];
uint64_t compared;
uint64_t denied;
bool has_failed;

static chance numbers;
static char history[LINES][200];
static unsigned history_count;
static char failure[512];

void begin_sequence(uint64_t seed)
{
	chance_begin(&numbers, seed);
	history_count = 0;
}

uint32_t any(uint32_t below)
{
	return chance_below(&numbers, below);
}

int64_t now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t) t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

void sleep_until(int64_t at_us)
{
	int64_t left = at_us - now_us();
	if (left > 0) {
		struct timespec t = {.tv_sec = left / 1000000, .tv_nsec = left % 1000000 * 1000};
		nanosleep(&t, NULL);
	}
}

void note(const char *line)
{
	if (history_count < sizeof history / sizeof history[0]) {
		snprintf(history[history_count++], sizeof history[0], "%s", line);
	}
}

void fail(const char *what)
{
	if (!has_failed) {
		snprintf(failure, sizeof failure, "%s", what);
	}
	has_failed = true;
}

void tell_failure(void)
{
	for (unsigned i = 0; has_failed && i < history_count; i++) {
		printf("  %s\n", history[i]);
	}
	if (has_failed) {
		puts(failure);
	}
}

/* ---- connections ---- */

/* A starting server binds its socket before it listens, and refuses connections in between. */
redisContext *dial(const char *path)
{
	redisContext *real = redisConnectUnix(path);
	for (unsigned i = 0; i < 100 && real != NULL && real->err != 0; i++) {
		redisFree(real);
		sleep_until(now_us() + 50 * US_PER_MS);
		real = redisConnectUnix(path);
	}
	if (real == NULL || real->err != 0) {
		printf("cannot connect to %s: %s\n", path, real != NULL ? real->errstr : "out of memory");
		exit(2);
	}
	redisSetTimeout(real, (struct timeval){.tv_sec = 20});
	return real;
}

void say(redisContext *real, const char *plain)
{
	redisReply *r = redisCommand(real, plain);
	if (r == NULL || r->type == REDIS_REPLY_ERROR) {
		printf("%s: %s\n", plain, r != NULL ? r->str : real->errstr);
		exit(2);
	}
	freeReplyObject(r);
}

/* ---- replies ---- */

static bool is_near(int64_t a, int64_t b, int64_t tolerance)
{
	return a - b <= tolerance && b - a <= tolerance;
}

static bool is_text(const rl_model_text *wanted, const redisReply *got)
{
	return got->type == REDIS_REPLY_STRING && got->len == wanted->len &&
		memcmp(got->str, wanted->bytes, got->len) == 0;
}

/* The labels of waiters are "a" and "bb", so the length says which of them are there. Their order
 * is that of marks, which may have been made at almost the same time. */
static bool are_labels(const rl_model_text *wanted, const redisReply *got)
{
	return got->type == REDIS_REPLY_STRING && got->len == wanted->len;
}

/* Of INSPECT: a PTTL, a holder, how many wait, the value, and the labels of waiters. */
static bool is_state(const rl_model_reply *wanted, const redisReply *got, int64_t tolerance_us)
{
	int64_t tolerance = wanted->number[0] >= 0 ? tolerance_us / 1000 + 2 : 0;
	const redisReply *holder = got->element[1];
	bool is_holder = wanted->label_at == 1
		? is_text(&wanted->label, holder)
		: holder->type == REDIS_REPLY_INTEGER && holder->integer == wanted->number[1];
	return is_holder && is_near(got->element[0]->integer, wanted->number[0], tolerance) &&
		got->element[2]->integer == wanted->number[2] && is_text(&wanted->text, got->element[3]) &&
		are_labels(&wanted->waiting, got->element[4]);
}

/* Compares an answer of TRY: 1, a time, and perhaps the number of a permit; or 0, a time, a PTTL, a
 * holder and the number of waiters. Or one of PROBE: a time, a PTTL, a holder, the state of the
 * ticket and the number of waiters. */
static bool is_like(const rl_model_reply *wanted, const redisReply *got, int64_t tolerance_us)
{
	unsigned pttl = wanted->count < 4 ? 4 : wanted->number[0] > 1 ? 1 : 2;
	for (unsigned i = 0; i < wanted->count; i++) {
		bool is_time = wanted->count < 4 ? i == 1 : i + 1 == pttl;
		int64_t tolerance = is_time ? tolerance_us : 0;
		tolerance = i == pttl && wanted->number[i] >= 0 ? tolerance_us / 1000 + 2 : tolerance;
		tolerance = wanted->number[i] == 0 && i != pttl ? 0 : tolerance;
		bool is_number = got->element[i]->type == REDIS_REPLY_INTEGER;
		if (wanted->label_at > 0 && wanted->label_at == i) {
			if (!is_text(&wanted->label, got->element[i])) {
				return false;
			}
			continue;
		}
		if (!is_number || !is_near(got->element[i]->integer, wanted->number[i], tolerance)) {
			return false;
		}
	}
	return true;
}

int64_t tolerance_of(
	const rl_model_command *what, const rl_model_reply *wanted, int64_t tolerance_us)
{
	return wanted->type == RL_SAYS_NUMBER && what->what != RL_WORD_PTTL ? 0 : tolerance_us;
}

static bool is_redirect(const rl_model_reply *wanted, const char *got)
{
	char text[64];
	snprintf(text, sizeof text, "%s %" PRId64 " 127.0.0.1:%d",
		wanted->type == RL_SAYS_ASK ? "ASK" : "MOVED", wanted->number[0],
		node_ports[wanted->number[1]]);
	return strcmp(text, got) == 0;
}

/* Redis 6.2 puts "@user_script: 1: -" before the error of a command in a script. */
static bool is_error(const char *wanted, const char *got)
{
	const char *code = strncmp(got, "@user_script: ", 14) == 0 ? strchr(got, '-') : NULL;
	return strncmp(code != NULL ? code + 1 : got, wanted, 8) == 0;
}

static bool is_same(const rl_model_reply *wanted, const redisReply *got, int64_t tolerance_us)
{
	switch (wanted->type) {
		case RL_SAYS_NIL:
			return got->type == REDIS_REPLY_NIL;
		case RL_SAYS_STATUS:
			return got->type == REDIS_REPLY_STATUS;
		case RL_SAYS_ERROR:
			return got->type == REDIS_REPLY_ERROR && is_error(wanted->error, got->str);
		case RL_SAYS_TEXT:
			return is_text(&wanted->text, got);
		case RL_SAYS_DIGITS: {
			/* The digits are a time of the server, or a number far ahead of it. */
			bool is_time = wanted->number[0] < now_us() + FENCE_AHEAD_US;
			return got->type == REDIS_REPLY_STRING &&
				is_near(atoll(got->str), wanted->number[0], is_time ? tolerance_us : 0);
		}
		case RL_SAYS_NUMBER: {
			bool is_time = tolerance_us > 0 && wanted->number[0] >= 0;
			int64_t tolerance = is_time ? tolerance_us / 1000 + 3 : 0;
			return got->type == REDIS_REPLY_INTEGER &&
				is_near(got->integer, wanted->number[0], tolerance);
		}
		case RL_SAYS_NUMBERS:
			return got->type == REDIS_REPLY_ARRAY && got->elements == wanted->count &&
				is_like(wanted, got, tolerance_us);
		case RL_SAYS_STATE:
			return got->type == REDIS_REPLY_ARRAY && got->elements == wanted->count + 2U &&
				is_state(wanted, got, tolerance_us);
		case RL_SAYS_TICKET:
			return got->type == REDIS_REPLY_ARRAY && got->elements == 2;
		case RL_SAYS_MOVED:
		case RL_SAYS_ASK:
			return got->type == REDIS_REPLY_ERROR && is_redirect(wanted, got->str);
		case RL_SAYS_MAP:
		case RL_SAYS_ROLE:
		case RL_SAYS_ADDRESS:
		case RL_SAYS_MASTER:
			break;
	}
	return false;
}

static void say_real(const redisReply *r, char *room, size_t size)
{
	int used = snprintf(room, size, "type %d, number %lld, \"%s\"", r->type, r->integer,
		r->str != NULL ? r->str : "");
	for (size_t i = 0; i < r->elements && used > 0 && (size_t) used < size; i++) {
		used += snprintf(room + used, size - (size_t) used, " %lld", r->element[i]->integer);
	}
}

void compare_with(const rl_model_reply *wanted, redisReply *got, int64_t tolerance_us)
{
	char line[400], a[100], b[200];
	if (got == NULL) {
		return;
	}
	compared++;
	denied += wanted->type == RL_SAYS_ERROR && strncmp(wanted->error, "NOSCRIPT", 8) != 0;
	if (!is_same(wanted, got, tolerance_us)) {
		say_real(got, b, sizeof b);
		snprintf(line, sizeof line, "the model says %s, the server %s",
			words_say_reply(wanted, a, sizeof a), b);
		fail(line);
	}
	freeReplyObject(got);
}

/* From when on a value that a client has set looks like a reservation, because so little is left of
 * its TTL; -1 = never. */
static int64_t reserved_from(const rl_store_key *k)
{
	if (!k->exists || k->expires_ms < 0 || !rl_store_is_reservation(&k->value)) {
		return -1;
	}
	return k->expires_ms - (k->value.len == 0 ? 10 : RL_RESERVED_MAX_MS);
}

/* The next time at which a key, a mark or a ticket of the model ends by itself, or a key begins to
 * look like a reservation. */
int64_t next_end(const store *s, int64_t after_us)
{
	int64_t next = INT64_MAX;
	for (unsigned i = 0; i < WORDS_KEYS; i++) {
		const rl_store_key *k = &s->keys[i];
		int64_t ends[] = {k->exists ? k->expires_ms : -1, reserved_from(k),
			k->mark_count > 0 || k->reach_ms > 0 ? k->marks_expire_ms : -1,
			k->tickets > 0 ? k->tickets_expire_ms : -1};
		for (unsigned j = 0; j < sizeof ends / sizeof ends[0]; j++) {
			int64_t end = (ends[j] + 1) * US_PER_MS;
			next = end > after_us && end < next ? end : next;
		}
		for (unsigned j = 0; j < k->mark_count; j++) {
			int64_t end = k->marks[j].until_us;
			next = end > after_us && end < next ? end : next;
		}
	}
	return next;
}
