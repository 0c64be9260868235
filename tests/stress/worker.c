/* SPDX-License-Identifier: MIT
 *
 * A worker of the stress test: takes one lock again and again, and logs in Redis what it may claim.
 *
 * usage: worker PORT ID SEED KEY KIND LIMIT [MUTANT]
 *
 * DESIGN
 *
 * KIND calm: long TTLs, waits that never run out, short sections; every grant is released. KIND
 * wild: short TTLs, waits of all lengths, sections that outlast their TTL, locks that are never
 * released, locks taken the way other clients take them. KIND once: one section without a wait.
 * Calm and wild go on until SIGTERM, and for LIMIT seconds at most; in a wild one SIGUSR1 ends the
 * wait it is in, as an exception of a signal handler does in PHP. What comes without a warning
 * (SIGKILL, SIGSTOP) comes from outside.
 *
 * The log is written over a connection of its own. Times are nanoseconds of CLOCK_BOOTTIME, so
 * those of different workers compare. N counts a worker's sections; WAIT is -1 for ever.
 *
 *     ask ID N KEY TTL WAIT T        it is about to ask
 *     got ID N TOKEN T PROVEN        it has the lock, and claims it from T until PROVEN at most
 *     mine ID N T                    at T it looked at the clock, and claimed the lock
 *     end ID N T HOW                 it claims it no longer. HOW: leave, forget (it will
 *                                    not release), lost
 *     freed ID N T STATUS            the answer to the release has come
 *     busy ID N T                    refused, to the end of the wait
 *     fail ID N T STATUS             the call ended with an error
 *     gone ID N T                    it gave the wait up
 *     bye ID                         it ends as told
 *
 * MUTANT makes it break the rules, to show that the checker sees it: keeps (claims the lock after
 * its TTL), del (releases without looking whose lock it is), steal (takes the lock without NX),
 * deaf (is not woken, and looks every 1.5 s only).
 */
#include "desk.h"
#include "wire.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MS RL_NS_PER_MS
#define TOKEN_MAX 128

/* What other clients release with.
 * https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/ */
#define COMPARE_AND_DELETE \
 "if redis.call(\"get\",KEYS[1]) == ARGV[1] then return redis.call(\"del\",KEYS[1]) else return 0 end"

typedef struct plan {
	int64_t ttl_ms;
	int64_t wait_ms; /* -1 = for ever */
	int64_t hold_ns;
	bool forgets;
	bool is_foreign;
} plan;

typedef struct worker {
	unsigned id;
	const char *key;
	const char *mutant; /* "" = none */
	bool is_wild;
	unsigned n; /* the section */
	uint64_t random;
	int log; /* fd */
	int raw; /* fd of the locks that are taken without core */
	char token[TOKEN_MAX];
	desk desk;
} worker;

static volatile sig_atomic_t is_over;  /* SIGTERM */
static volatile sig_atomic_t has_quit; /* SIGUSR1 */

static void on_signal(int number)
{
	if (number == SIGTERM) {
		is_over = 1;
	}
	has_quit = 1;
}

static bool wants_out(void *ctx)
{
	(void) ctx;
	return has_quit != 0;
}

static bool refuse_to_go_on(void *ctx)
{
	(void) ctx;
	return false;
}

static const rl_guard impatience = {.is_due = wants_out, .run = refuse_to_go_on};

/* xorshift64*: the same seed gives the same plans. */
static int64_t between(worker *self, int64_t least, int64_t most)
{
	self->random ^= self->random >> 12;
	self->random ^= self->random << 25;
	self->random ^= self->random >> 27;
	uint64_t drawn = (self->random * UINT64_C(2685821657736338717)) >> 11;
	return least + (int64_t) (drawn % (uint64_t) (most - least + 1));
}

static bool chance(worker *self, int64_t percent)
{
	return between(self, 1, 100) <= percent;
}

static void pass(int64_t ns)
{
	struct timespec time = {
		.tv_sec = (time_t) (ns / RL_NS_PER_SECOND), .tv_nsec = (long) (ns % RL_NS_PER_SECOND)};
	if (ns > 0) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
	}
}

/* ---- what it does next ---- */

static int64_t draw_ttl(worker *self)
{
	int64_t percent = between(self, 1, 100);
	if (percent <= 50) {
		return between(self, 80, 250);
	}
	return percent <= 80 ? between(self, 250, 800) : between(self, 800, 2500);
}

static int64_t draw_wait(worker *self)
{
	int64_t percent = between(self, 1, 100);
	if (percent <= 5) {
		return 0;
	}
	if (percent <= 25) {
		return between(self, 10, 200);
	}
	return percent <= 65 ? between(self, 500, 4000) : -1;
}

static plan draw_wild(worker *self)
{
	plan next = {.ttl_ms = draw_ttl(self), .wait_ms = draw_wait(self)};
	int64_t percent = between(self, 1, 100);
	next.hold_ns = between(self, 0, percent <= 70 ? 3 * MS : 60 * MS);
	next.is_foreign = percent > 95;
	/* The first is long, and yet in time: a wake-up that is lost then costs the most. */
	if (percent > 78 && percent <= 85) {
		next.ttl_ms = between(self, 1500, 2500);
		next.hold_ns = between(self, 50, 500) * MS;
	} else if (percent > 85 && percent <= 90) {
		next.forgets = true;
		next.ttl_ms = between(self, 30, 250);
	} else if (percent > 90 && percent <= 95) { /* outlasts its TTL */
		next.ttl_ms = between(self, 30, 150);
		next.hold_ns = (next.ttl_ms + between(self, 5, 100)) * MS;
	} else if (next.is_foreign) {
		next.ttl_ms = between(self, 100, 600);
		next.forgets = chance(self, 40);
	}
	return next;
}

static plan draw_plan(worker *self)
{
	if (self->is_wild) {
		return draw_wild(self);
	}
	return (plan){.ttl_ms = 20000,
		.wait_ms = 60000,
		.hold_ns = chance(self, 50) ? between(self, 0, 300000) : between(self, 0, 4 * MS)};
}

/* In a wild part some stay away for long: whoever waits alone must be found by the server, not by a
 * newcomer. */
static int64_t draw_pause(worker *self)
{
	if (chance(self, 40)) {
		return 0;
	}
	if (!self->is_wild) {
		return between(self, 0, 2 * MS);
	}
	return between(self, 0, chance(self, 8) ? 2500 * MS : 15 * MS);
}

/* ---- a section ---- */

/* Holds the lock, and claims it again and again, each time by the clock. */
static void hold(worker *self, const plan *now, int64_t got_at, int64_t proven_until)
{
	const char *how = now->forgets ? "forget" : "leave";
	int64_t at = got_at;
	while (at < got_at + now->hold_ns) {
		if (at >= proven_until) {
			how = "lost";
			break;
		}
		if (self->is_wild) {
			wire_log(self->log, "mine %u %u %" PRId64, self->id, self->n, at);
		}
		int64_t rest = got_at + now->hold_ns - at;
		pass(rest < 5 * MS ? rest : 5 * MS);
		at = rl_os_now();
	}
	wire_log(self->log, "end %u %u %" PRId64 " %s", self->id, self->n, at, how);
}

static void told_got(worker *self, int64_t got_at, int64_t proven_until)
{
	wire_log(self->log, "got %u %u %s %" PRId64 " %" PRId64, self->id, self->n, self->token, got_at,
		proven_until);
}

/* A word, because the numbers of rl_status change when one is added. */
static const char *outcome_of(rl_status status)
{
	switch (status) {
		case RL_OK:
			return "ok";
		case RL_BUSY:
			return "gone";
		case RL_ERR_SLOW:
			return "slow";
		default:
			return "error";
	}
}

static void told_freed(worker *self, rl_status status)
{
	wire_log(self->log, "freed %u %u %" PRId64 " %s", self->id, self->n, rl_os_now(),
		outcome_of(status));
}

static bool is_mutant(const worker *self, const char *name)
{
	return strcmp(self->mutant, name) == 0;
}

static void leave(worker *self, const plan *now)
{
	if (now->forgets) {
		return;
	}
	if (is_mutant(self, "del")) {
		char line[64];
		wire_say(self->raw, "DEL", self->key, NULL);
		wire_hear(self->raw, line, sizeof line);
		told_freed(self, RL_OK);
		return;
	}
	told_freed(
		self, desk_release(&self->desk, self->key, rl_bytes_of(self->token, strlen(self->token))));
}

static void enter(worker *self, const plan *now, int64_t proven_until)
{
	int64_t got_at = rl_os_now();
	if (is_mutant(self, "keeps")) {
		proven_until = got_at + 3600 * RL_NS_PER_SECOND;
	}
	told_got(self, got_at, proven_until);
	hold(self, now, got_at, proven_until);
}

static void told_refusal(worker *self, const rl_op *op)
{
	int64_t at = rl_os_now();
	if (op->status == RL_BUSY) {
		wire_log(self->log, "busy %u %u %" PRId64, self->id, self->n, at);
		return;
	}
	wire_log(self->log, "fail %u %u %" PRId64 " %s", self->id, self->n, at, outcome_of(op->status));
	fprintf(stderr, "acquire: %s\n", op->err->message);
}

static void own_section(worker *self, const plan *now)
{
	rl_acquire *acquire = desk_acquire(&self->desk, self->key, now->ttl_ms, now->wait_ms);
	has_quit = is_over;
	bool is_done = rl_drive(&self->desk.net, &acquire->op, self->is_wild ? &impatience : NULL);
	if (!is_done) {
		rl_op_abandon(&acquire->op, rl_os_now(), false);
		wire_log(self->log, "gone %u %u %" PRId64, self->id, self->n, rl_os_now());
	} else if (acquire->op.status == RL_OK) {
		snprintf(
			self->token, sizeof self->token, "%.*s", (int) acquire->token.len, acquire->token.data);
		enter(self, now, acquire->proven_until);
		leave(self, now);
	} else {
		told_refusal(self, &acquire->op);
	}
	rl_op_free(&acquire->op);
}

/* As any other client does it: it asks once, and knows nothing of waiters. */
static void foreign_section(worker *self, const plan *now)
{
	char ttl[32];
	char line[64];
	snprintf(ttl, sizeof ttl, "%" PRId64, now->ttl_ms);
	snprintf(self->token, sizeof self->token, "foreign-%u-%u", self->id, self->n);
	int64_t sent_at = rl_os_now();
	if (is_mutant(self, "steal")) {
		wire_say(self->raw, "SET", self->key, self->token, "PX", ttl, NULL);
	} else {
		wire_say(self->raw, "SET", self->key, self->token, "NX", "PX", ttl, NULL);
	}
	wire_hear(self->raw, line, sizeof line);
	int64_t proven_until = sent_at + now->ttl_ms * 99 * MS / 100 - 2 * MS;
	if (strcmp(line, "+OK") != 0 || rl_os_now() >= proven_until) {
		wire_log(self->log, "busy %u %u %" PRId64, self->id, self->n, rl_os_now());
		return;
	}
	enter(self, now, proven_until);
	if (!now->forgets) {
		wire_say(self->raw, "EVAL", COMPARE_AND_DELETE, "1", self->key, self->token, NULL);
		wire_hear(self->raw, line, sizeof line);
		told_freed(self, strcmp(line, ":1") == 0 ? RL_OK : RL_BUSY);
	}
}

static void run_section(worker *self, const plan *now)
{
	bool is_foreign = now->is_foreign || is_mutant(self, "steal");
	self->n++;
	wire_log(self->log, "ask %u %u %s %" PRId64 " %" PRId64 " %" PRId64, self->id, self->n,
		self->key, now->ttl_ms, is_foreign ? 0 : now->wait_ms, rl_os_now());
	if (is_foreign) {
		foreign_section(self, now);
	} else {
		own_section(self, now);
	}
}

static void run(worker *self)
{
	while (!is_over) {
		plan next = draw_plan(self);
		run_section(self, &next);
		pass(draw_pause(self));
	}
}

int main(int argc, char **argv)
{
	if (argc < 7) {
		fprintf(stderr, "usage: worker PORT ID SEED KEY KIND LIMIT [MUTANT]\n");
		return 2;
	}
	static worker self;
	unsigned port = (unsigned) atoi(argv[1]);
	self = (worker){.id = (unsigned) atoi(argv[2]),
		.key = argv[4],
		.mutant = argc > 7 ? argv[7] : "",
		.is_wild = strcmp(argv[5], "wild") == 0,
		.random = strtoull(argv[3], NULL, 10) * 2 + 1};
	wire_tie((unsigned) atoi(argv[6]));
	struct sigaction action = {.sa_handler = on_signal};
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	self.log = wire_open_mute(port);
	self.raw = wire_open(port);
	desk_open(&self.desk, port);
	if (is_mutant(&self, "deaf")) {
		self.desk.set.wakes = false;
		self.desk.set.backoff = (rl_backoff){1500 * MS, 1500 * MS, 0};
	}
	if (strcmp(argv[5], "once") == 0) {
		plan only = {.ttl_ms = 20000};
		run_section(&self, &only);
	} else {
		run(&self);
	}
	desk_close(&self.desk);
	wire_log(self.log, "bye %u", self.id);
	return 0;
}
