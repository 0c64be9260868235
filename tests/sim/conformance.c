/* SPDX-License-Identifier: MIT
 *
 * Compares the model of a server (store.c, and the rules of blocking of server.c) with a real one:
 * the same random commands on several connections, reply for reply. Commands are built by core
 * itself.
 *
 * Time: the model's clock is this machine's, which is the server's, read just before a command is
 * sent. A reply that tells a time is compared within what the command took. Where something is
 * about to expire, or a BLPOP to end, the program sleeps until it has; a round trip that takes too
 * long to say what came first gives its sequence up.
 *
 * usage: conformance SOCKET [SEED]
 */
#include "conformance_compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONNS 4
#define ROOM 96 /* for the names of a lock's keys */
#define SEQUENCES 3000
/* On a busy machine many sequences are given up. */
#define TRIES (2 * SEQUENCES)
#define TRIES_MOST (5 * TRIES) /* until enough could be compared */
#define LEAST (SEQUENCES / 5)
#define COMMANDS 24
#define PENDING 4
#define NEAR_US (3 * US_PER_MS) /* an end that is this near may be over or not */
#define SLOW_US (2 * US_PER_MS) /* a round trip that takes longer tells nothing */
#define SHORT_BLOCK_MS 30
#define CRON_US \
 (110 * US_PER_MS) /* an idle server ends a BLPOP at its next tick, ten times a second */

typedef struct connection {
	redisContext *real;
	long long id;
	bool is_blocked;
	uint8_t key;
	int64_t blocked_until_us; /* INT64_MAX = for good */
	uint64_t place;
	rl_model_command pending[PENDING];
	unsigned pending_count;
} connection;

static connection conns[CONNS];
static redisContext *observer;
static store model;
static uint64_t places;
static const char *path;
static uint64_t woken;
static uint64_t timed_out;
static uint64_t given_up;
static uint64_t sent_away;
static bool denies_now_and_then;

/* ---- connections ---- */

static void connect_to(connection *c)
{
	*c = (connection){.real = dial(path)};
	redisReply *r = redisCommand(c->real, "CLIENT ID");
	c->id = r != NULL ? r->integer : 0;
	freeReplyObject(r);
}

/* Waits until the server has seen all earlier events of other connections. Its answer to this
 * command tells so. Connections that are ready at once are served in the order of epoll, so a
 * connection that was served just now may come before one that was written to earlier. */
static void let_it_see(void)
{
	redisReply *r = redisCommand(observer, "PING");
	freeReplyObject(r);
}

/* The server looks for the end of a connection once it has nothing else to read. */
static void let_it_see_ends(void)
{
	for (unsigned i = 0; i < 2; i++) {
		sleep_until(now_us() + US_PER_MS);
		let_it_see();
	}
}

/* ---- replies ---- */

static redisReply *read_reply(connection *c)
{
	void *got = NULL;
	if (redisGetReply(c->real, &got) != REDIS_OK) {
		fail("the server said nothing");
	}
	return got;
}

static void compare(connection *c, const rl_model_reply *wanted, int64_t tolerance_us)
{
	compare_with(wanted, read_reply(c), tolerance_us);
}

/* ---- the model's blocking ---- */

static connection *longest_blocked(unsigned key)
{
	connection *longest = NULL;
	for (unsigned i = 0; i < CONNS; i++) {
		connection *c = &conns[i];
		if (c->is_blocked && c->key == key && (longest == NULL || c->place < longest->place)) {
			longest = c;
		}
	}
	return longest;
}

static void run_and_compare(
	connection *c, const rl_model_command *what, int64_t at_us, int64_t tolerance_us);
static void run_late(connection *c, const rl_model_command *what);

/* Gives the blocked connection its answer, and runs the commands after it. A tolerance of 0 says
 * that the time is not that of a round trip. */
static void unblock(connection *c, rl_says answer, int64_t at_us, int64_t tolerance_us)
{
	rl_model_reply r = {.type = answer, .error = "UNBLOCKED client unblocked via CLIENT UNBLOCK"};
	c->is_blocked = false;
	compare(c, &r, 0);
	unsigned count = c->pending_count;
	c->pending_count = 0;
	for (unsigned i = 0; i < count && !has_failed; i++) {
		rl_model_command pending = c->pending[i];
		if (answer != RL_SAYS_TICKET || tolerance_us == 0) {
			run_late(c, &pending);
		} else {
			run_and_compare(c, &pending, at_us, tolerance_us);
		}
	}
}

static void serve(unsigned key, int64_t at_us, int64_t tolerance_us);

/* Runs the try after a BLPOP that is over, or after a ticket from such a try. Its answer says when
 * the server has run it: between two of them the server may have stood still, unseen. */
static void run_late(connection *c, const rl_model_command *what)
{
	rl_model_reply r = {0};
	redisReply *got = read_reply(c);
	bool is_error = got != NULL && got->type == REDIS_REPLY_ERROR;
	if (got == NULL || (got->elements < 2 && !is_error)) {
		fail("a try was not answered by numbers");
		freeReplyObject(got);
		return;
	}
	int64_t at_us = is_error ? now_us() : got->element[1]->integer;
	store_run(&model, what, at_us, &r);
	bool has_ticket = (model.state.done & RL_STORE_PUT_TICKET) != 0;
	compare_with(&r, got, SLOW_US);
	if (has_ticket && !has_failed) {
		serve(what->home_key, at_us, 0);
	}
}

static void serve(unsigned key, int64_t at_us, int64_t tolerance_us)
{
	connection *c = longest_blocked(key);
	if (c != NULL && store_pop(&model, key, at_us)) {
		woken++;
		unblock(c, RL_SAYS_TICKET, at_us, tolerance_us);
	}
}

static void run_and_compare(
	connection *c, const rl_model_command *what, int64_t at_us, int64_t tolerance_us)
{
	rl_model_reply r = {0};
	if (store_refuses(&model, what, &r)) {
		compare(c, &r, 0);
		return;
	}
	if (what->what == RL_WORD_BLPOP) {
		if (store_pop(&model, what->key, at_us)) {
			r.type = RL_SAYS_TICKET;
			compare(c, &r, 0);
			return;
		}
		c->is_blocked = true;
		c->key = what->key;
		c->place = places++;
		c->blocked_until_us =
			what->block_ms < 1000 ? at_us + what->block_ms * US_PER_MS : INT64_MAX;
		return;
	}
	store_run(&model, what, at_us, &r);
	bool has_ticket = (model.state.done & RL_STORE_PUT_TICKET) != 0;
	compare(c, &r, tolerance_of(what, &r, tolerance_us));
	if (has_ticket && !has_failed) {
		serve(what->home_key, at_us, tolerance_us);
	}
}

/* ---- commands ---- */

static const char *const tokens[] = {"rl1.AAAAAAAAAAAAAAAAAAAAAAAA", "rl1.BBBBBBBBBBBBBBBBBBBBBBBB",
	"own-1", "foreign", "rl1.CCCCCCCCCCCCCCCCCCCCCCCC@web-3:1", "rl1.DDDDDDDDDDDDDDDDDDDDDDDD@"};
#define TOKENS (sizeof tokens / sizeof tokens[0])

static const char *const waiters[] = {"rlw.aaaaaaaaaaaaaaaaaaaaaaaa@a",
	"rlw.bbbbbbbbbbbbbbbbbbbbbbbb@bb", "rlw.cccccccccccccccccccccccc"};

/* A new number, one that is far behind the server's time, or one that is far ahead of it. */
static int64_t draw_fence_number(void)
{
	int64_t far_us = INT64_C(3600000000);
	unsigned kind = any(4);
	return kind < 2 ? 0 : kind == 2 ? 1 + any(1000) : now_us() + far_us + any(1000);
}

/* In some sequences the only lock has several permits: their number, and their keys. */
#define PERMITS_MOST 3
static unsigned permits;
static const rl_bytes *permit_keys;

static void draw_permits(void)
{
	static char names_room[ROOM];
	static char keys_room[ROOM];
	rl_names names = rl_names_put(names_room, rl_bytes_of("k0", 2), RL_NAMES_PLAIN);
	permits = any(3) == 0 ? 2 + any(PERMITS_MOST - 1) : 0;
	permit_keys = rl_names_put_permits(keys_room, &names, PERMITS_MOST);
}

/* Of two permits that end in the same ms the model and the server may choose different ones. */
static bool do_permits_end_together(void)
{
	for (unsigned i = 0; i < permits; i++) {
		for (unsigned j = 0; j < i; j++) {
			const rl_store_key *a = &model.keys[i];
			const rl_store_key *b = &model.keys[j];
			int64_t apart = a->expires_ms - b->expires_ms;
			if (a->exists && b->exists && apart > -8 && apart < 8) {
				return true;
			}
		}
	}
	return false;
}

/* A request about a lock of several permits: TRY and PROBE name all of them, any other verb one. */
static void aim_at_permit(rl_request *request, char *room)
{
	rl_verb verb = request->verb;
	bool is_undo = verb == RL_VERB_RELEASE && any(4) == 0;
	bool chooses = verb == RL_VERB_TRY || verb == RL_VERB_PROBE || is_undo;
	rl_names names = rl_names_put(room, permit_keys[0], RL_NAMES_PLAIN);
	if (verb == RL_VERB_INSPECT || verb == RL_VERB_FORCE) { /* as any other lock */
		names = rl_names_put(room, permit_keys[any(permits)], RL_NAMES_PLAIN);
	}
	request->key = names.key;
	request->mark = names.mark;
	request->tickets = names.tickets;
	request->reserve_ms = 0;
	request->done_ms = 0;
	if (chooses) {
		request->permits = permits;
		request->permit_keys = permit_keys;
		request->no_helpers = request->no_helpers || is_undo;
	} else if (verb == RL_VERB_RELEASE) {
		request->permits = permits;
		request->key = permit_keys[any(permits)];
	} else if (verb != RL_VERB_BLPOP && verb != RL_VERB_INSPECT && verb != RL_VERB_FORCE) {
		request->key = permit_keys[any(permits)];
	}
}

static void draw_request(rl_request *request, char *room, rl_verb verb)
{
	static const char *const keys[] = {"k0", "k1"};
	static const int64_t reserves[5] = {0, 0, 10, 10, 120};
	const char *token = tokens[any(TOKENS)];
	const char *fresh = tokens[any(TOKENS)];
	const char *waiter = waiters[any(3)];
	rl_names names = rl_names_put(room, rl_bytes_of(keys[any(4) == 0], 2), RL_NAMES_PLAIN);
	bool is_short = any(6) == 0;
	*request = (rl_request){.verb = verb,
		.key = names.key,
		.mark = names.mark,
		.tickets = names.tickets,
		.token = rl_bytes_of(token, strlen(token)),
		.fresh = rl_bytes_of(fresh, strlen(fresh)),
		.ttl_ms = is_short ? 5 + any(30) : 5000 + any(60000),
		.block_ms = any(2) == 0 ? SHORT_BLOCK_MS : 5000 + any(1000),
		.maybe_ours = any(3) == 0,
		.mark_ms = any(3) == 0 ? 0
			: any(4) == 0      ? 20
							   : 2000,
		.reserve_ms = reserves[any(5)],
		.no_helpers = any(6) == 0,
		.form = any(2) == 0 ? RL_FORM_TEXT : RL_FORM_USUAL};
	if (verb != RL_VERB_RELEASE || any(3) == 0) {
		request->waiter = rl_bytes_of(waiter, strlen(waiter));
	}
	if (verb == RL_VERB_RELEASE && any(4) == 0) {
		request->done_ms = is_short ? 5 + any(30) : 50 + any(1000);
	}
	if (permits > 1) {
		aim_at_permit(request, room);
	}
	if (verb == RL_VERB_SET && any(8) == 0) { /* another client's, and no reservation */
		request->token = rl_bytes_of("", 0);
	}
	if (verb == RL_VERB_PROBE) { /* a client that looks also waits */
		request->no_helpers = false;
		request->mark_ms = request->mark_ms > 0 ? request->mark_ms : 2000;
	}
	if (verb == RL_VERB_SWAP && any(3) == 0) {
		request->ttl_ms = 0; /* for a swap back */
	}
	if (verb == RL_VERB_FENCE) {
		request->fence = rl_names_put_fence(room + ROOM / 2, request->key, RL_NAMES_PLAIN);
		request->fence_number = draw_fence_number();
	}
}

static rl_model_command write_command(connection *c, const rl_request *request)
{
	rl_command built;
	const char *argv[RL_COMMAND_ARGS];
	size_t lens[RL_COMMAND_ARGS];
	rl_model_command what;
	char said[160], line[200];
	rl_command_build(&built, request);
	for (unsigned i = 0; i < built.argc; i++) {
		argv[i] = built.argv[i].data;
		lens[i] = built.argv[i].len;
	}
	if (!words_read(&what, built.argc, built.argv)) {
		fail("the model does not know a command of core");
	}
	snprintf(line, sizeof line, "connection %d: %s", (int) (c - conns),
		words_say(&what, said, sizeof said));
	note(line);
	redisAppendCommandArgv(c->real, (int) built.argc, argv, lens);
	return what;
}

/* If two BLPOPs ended at the same tick of the server, their order would be unknown. */
static bool is_one_ending(void)
{
	for (unsigned i = 0; i < CONNS; i++) {
		if (conns[i].is_blocked && conns[i].blocked_until_us != INT64_MAX) {
			return true;
		}
	}
	return false;
}

/* Sends BLPOP and a try in one write, as a waiter does. */
static void queue_up(connection *c, int64_t at_us)
{
	char room[ROOM];
	rl_request request;
	draw_request(&request, room, RL_VERB_BLPOP);
	if (is_one_ending()) {
		request.block_ms = 5000;
	}
	if (permits > 1 && do_permits_end_together()) {
		return;
	}
	rl_model_command blpop = write_command(c, &request);
	request.verb = RL_VERB_TRY;
	request.form = RL_FORM_TEXT;
	if (permits > 1) { /* as a waiter sends it: the permit that ends first does not matter */
		aim_at_permit(&request, room);
		request.mark_ms = 0;
	}
	request.no_helpers = false;
	request.place = RL_PLACE_QUEUED;
	rl_model_command behind = write_command(c, &request);
	int is_done = 0;
	while (is_done == 0 && redisBufferWrite(c->real, &is_done) == REDIS_OK) {
	}
	run_and_compare(c, &blpop, at_us, SLOW_US);
	if (c->is_blocked) {
		c->pending[c->pending_count++] = behind;
		let_it_see(); /* later waiters queue after this one */
	} else if (!has_failed) {
		run_and_compare(c, &behind, at_us, SLOW_US);
	}
}

static void ask(connection *c, int64_t at_us)
{
	/* How often each verb is chosen; BLPOP has an act of its own. */
	static const unsigned char weights[] = {[RL_VERB_SET] = 2,
		[RL_VERB_TRY] = 2,
		[RL_VERB_PROBE] = 2,
		[RL_VERB_RELEASE] = 2,
		[RL_VERB_EXTEND] = 1,
		[RL_VERB_RENEW] = 1,
		[RL_VERB_SWAP] = 2,
		[RL_VERB_FORCE] = 1,
		[RL_VERB_EXISTS] = 1,
		[RL_VERB_OWNER] = 1,
		[RL_VERB_INSPECT] = 2,
		[RL_VERB_REMAINING] = 1,
		[RL_VERB_FENCE] = 2};
	_Static_assert(sizeof weights == RL_VERBS, "each verb has a weight");
	unsigned sum = 0;
	for (unsigned i = 0; i < RL_VERBS; i++) {
		sum += weights[i];
	}
	unsigned verb = 0;
	for (unsigned left = any(sum); left >= weights[verb]; verb++) {
		left -= weights[verb];
	}
	char room[ROOM];
	rl_request request;
	draw_request(&request, room, (rl_verb) verb);
	if (permits > 1 && do_permits_end_together()) {
		return;
	}
	if (request.verb == RL_VERB_TRY && any(4) == 0) {
		request.place = any(2) == 0 ? RL_PLACE_QUEUED : RL_PLACE_WOKEN;
		request.no_helpers = false;
	}
	rl_model_command what = write_command(c, &request);
	run_and_compare(c, &what, at_us, SLOW_US);
}

/* ---- sequences ---- */

/* Ends the BLPOPs whose time is over.
 * @return false = their order is unknown */
static bool end_blocks(int64_t at_us)
{
	for (unsigned i = 0; i < CONNS && !has_failed; i++) {
		connection *c = &conns[i];
		if (!c->is_blocked || c->blocked_until_us > at_us + NEAR_US) {
			continue;
		}
		int64_t end = c->blocked_until_us;
		if (next_end(&model, end - 10 * US_PER_MS) < end + CRON_US + 10 * US_PER_MS) {
			return false;
		}
		sleep_until(end + CRON_US);
		timed_out++;
		note("a BLPOP is over");
		unblock(c, RL_SAYS_NIL, end, 0);
	}
	return true;
}

/* Sleeps until all near ends are over.
 * @return a time without a near end */
static int64_t come_to_rest(void)
{
	int64_t now = now_us();
	int64_t next = next_end(&model, now - NEAR_US);
	while (next < now + NEAR_US) {
		sleep_until(next + NEAR_US);
		now = now_us();
		next = next_end(&model, now - NEAR_US);
	}
	return now;
}

static void hang_up(connection *c)
{
	note("a connection ends");
	redisFree(c->real);
	connect_to(c);
	let_it_see_ends();
}

/* From now on the server refuses these commands. A server that becomes a replica unblocks all
 * clients. */
static void deny(rl_store_denial what)
{
	static const char *const names[] = {
		"nothing", "what needs memory", "what is not copied", "writes, as a replica", "all"};
	char line[80];
	if (model.state.denies >= RL_DENIES_AS_REPLICA) {
		say(observer, "CONFIG SET replica-serve-stale-data yes");
		say(observer, "REPLICAOF NO ONE");
	}
	say(observer, what == RL_DENIES_MEMORY ? "CONFIG SET maxmemory 1" : "CONFIG SET maxmemory 0");
	say(observer,
		what == RL_DENIES_UNCOPIED ? "CONFIG SET min-replicas-to-write 1"
								   : "CONFIG SET min-replicas-to-write 0");
	if (what >= RL_DENIES_AS_REPLICA) {
		say(observer, "REPLICAOF 127.0.0.1 1");
	}
	if (what == RL_DENIES_ALL) {
		say(observer, "CONFIG SET replica-serve-stale-data no");
	}
	model.state.denies = what;
	snprintf(line, sizeof line, "the server denies %s", names[what]);
	note(line);
	for (unsigned i = 0; i < CONNS && what >= RL_DENIES_AS_REPLICA && !has_failed; i++) {
		if (conns[i].is_blocked) {
			conns[i].pending_count = 0;
			unblock(&conns[i], RL_SAYS_ERROR, 0, 0);
			redisFree(conns[i].real);
			connect_to(&conns[i]);
		}
	}
}

/* CLIENT UNBLOCK */
static void send_away(connection *c)
{
	char line[80];
	bool is_error = any(2) == 0;
	snprintf(line, sizeof line, "CLIENT UNBLOCK %lld %s", c->id, is_error ? "ERROR" : "TIMEOUT");
	note(line);
	say(observer, line);
	sent_away++;
	unblock(c, is_error ? RL_SAYS_ERROR : RL_SAYS_NIL, now_us(), SLOW_US);
}

/* @return false = the sequence is given up */
static bool turn(void)
{
	connection *c = &conns[any(CONNS)];
	if (any(40) == 0) {
		sleep_until(now_us() + any(20 * US_PER_MS));
	}
	if (!end_blocks(now_us())) {
		return false;
	}
	if (c->is_blocked && any(3) != 0) {
		return true;
	}
	/* Only while no BLPOP is about to end by itself. */
	if (denies_now_and_then && any(6) == 0 && !is_one_ending()) {
		come_to_rest();
		deny(any(2) == 0 ? RL_DENIES_NOTHING : (rl_store_denial) (1 + any(RL_DENIES_ALL)));
		return end_blocks(now_us());
	}
	if (c->is_blocked && c->blocked_until_us == INT64_MAX && any(4) == 0) {
		come_to_rest();
		if (end_blocks(now_us()) && c->is_blocked) {
			int64_t at = now_us();
			send_away(c);
			return now_us() - at < SLOW_US;
		}
		return !c->is_blocked;
	}
	if (c->is_blocked || any(40) == 0) {
		hang_up(c);
		return true;
	}
	/* The time of end_blocks() is too old, because another end may be near by now. */
	int64_t at = come_to_rest();
	if (!end_blocks(at)) {
		return false;
	}
	if (any(5) == 0) {
		queue_up(c, at);
	} else {
		ask(c, at);
	}
	return now_us() - at < SLOW_US;
}

/* The sequence alone is mostly too short for a BLPOP to end by its time. */
static bool wait_for_endings(void)
{
	for (unsigned i = 0; i < CONNS; i++) {
		if (conns[i].is_blocked && conns[i].blocked_until_us != INT64_MAX) {
			sleep_until(conns[i].blocked_until_us);
		}
	}
	return end_blocks(now_us());
}

/* @return false = the sequence is given up */
static bool run_sequence(void)
{
	for (unsigned i = 0; i < CONNS; i++) {
		if (conns[i].real != NULL) {
			redisFree(conns[i].real);
		}
		connect_to(&conns[i]);
	}
	let_it_see_ends();
	deny(RL_DENIES_NOTHING);
	denies_now_and_then = any(3) == 0;
	draw_permits();
	say(conns[0].real, "FLUSHALL");
	say(conns[0].real, "SCRIPT FLUSH");
	store_clear(&model);
	bool is_clear = true;
	for (unsigned i = 0; i < COMMANDS && is_clear && !has_failed; i++) {
		is_clear = turn();
	}
	if (is_clear && !has_failed && any(20) == 0) {
		is_clear = wait_for_endings();
	}
	if (!is_clear) {
		given_up++;
		has_failed = false; /* the result of such a sequence tells nothing */
	}
	return is_clear;
}

static bool is_enough(unsigned done)
{
	return done >= LEAST && compared >= 10 * LEAST && woken >= LEAST / 50 &&
		timed_out >= LEAST / 200 && sent_away >= LEAST / 50 && denied >= LEAST / 4;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fputs("usage: conformance SOCKET [SEED]\n", stderr);
		return 2;
	}
	path = argv[1];
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	if (!words_know_scripts()) {
		return 2;
	}
	observer = dial(path);
	unsigned done = 0;
	for (unsigned i = 0;
		 done < SEQUENCES && !has_failed && i < TRIES_MOST && (i < TRIES || !is_enough(done));
		 i++) {
		begin_sequence(seed + i);
		done += run_sequence();
	}
	tell_failure();
	printf("%u sequences from seed %" PRIu64 ", %" PRIu64 " replies compared, %" PRIu64
		   " waiters woken, %" PRIu64 " timed out, %" PRIu64 " sent away, %" PRIu64
		   " commands denied, %" PRIu64 " sequences given up\n",
		done, seed, compared, woken, timed_out, sent_away, denied, given_up);
	if (has_failed) {
		return 1;
	}
	if (!is_enough(done)) {
		printf(
			"too little could be compared: %d sequences, %d replies, %d woken, %d timed out, %d sent away and %d denied are the least\n",
			LEAST, 10 * LEAST, LEAST / 50, LEAST / 200, LEAST / 50, LEAST / 4);
		return 1;
	}
	return 0;
}
