/* SPDX-License-Identifier: MIT
 *
 * Waits that are woken, on a server of servers.h, with other clients that hold, release, lose and
 * want the lock at random. Replies are delayed, connections break before and after a command, and
 * the bytes of a broken connection may be run late.
 *
 * What must hold: a grant is the only one, and lasts as long as the wait says. A wait that is not
 * granted leaves nothing behind. A waiter does not leave a free lock alone. Where nothing breaks, a
 * waiter in the queue is marked, and a wait that has ended is not.
 */
#include "check.h"
#include "fake_words.h"
#include "servers.h"
#include "waiting.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A cc with -DROUNDS=1000000 looks further. */
#ifndef ROUNDS
# ifdef FULL
#  define ROUNDS 4000
# else
#  define ROUNDS 1500
# endif
#endif

#define LATE_MAX 8
#define GHOST_MARK_US 2000000

/* A command of a broken connection. */
typedef struct late_command {
	int64_t at; /* when the server runs the command; RL_NEVER = it has run it */
	rl_model_command command;
} late_command;

/* The plans of the server's other clients, and the events of the round. */
static struct {
	unsigned round;
	uint32_t random;
	late_command late[LATE_MAX];
	unsigned late_count;
	unsigned ghosts;         /* waiters of other processes in the queue */
	int64_t ghost_takes_at;  /* when a ghost that was woken takes the lock */
	int64_t holder_frees_at; /* when another client releases the lock */
	int64_t newcomer_at;     /* when another client tries to take the lock */
	int64_t unheld_since;    /* RL_NEVER = a client holds the lock */
	int64_t deadline;        /* of our wait */
	bool has_trouble;        /* connections break, replies are lost */
	bool is_undo_lost;       /* the system did not take an undo */
	bool is_over; /* our caller has released: a token of ours must not be granted any more */
} world;

/* Numbers that follow from the number of the round, so a failed round can be run again. */
static uint32_t any(uint32_t below)
{
	world.random = world.random * 1664525 + 1013904223;
	return (world.random >> 8) % below;
}

static int64_t any_ms(uint32_t below)
{
	return any(below) * MS + any(1000) * 1000;
}

/* ---- the lock ---- */

static const rl_store_key *the_key(void)
{
	return &servers[0].store.keys[0];
}

static bool is_held(void)
{
	return the_key()->exists && !rl_store_is_reservation(&the_key()->value);
}

static bool is_held_by_us(void)
{
	return the_key()->exists && servers_is_ours(&the_key()->value);
}

static void note_holder(int64_t at)
{
	if (is_held()) {
		world.unheld_since = RL_NEVER;
	} else if (world.unheld_since == RL_NEVER) {
		world.unheld_since = at;
	}
}

/* Removes the keys and marks whose time is over. */
static void expire(int64_t at)
{
	int64_t end = servers_ends_at(0, the_key());
	bool was_held = is_held();
	store_expire(&servers[0].store, 0, servers_us(0, at));
	if (was_held && !is_held()) {
		note_holder(end);
	}
}

static uint64_t ghost_name(void)
{
	return rl_words_text(bytes_of("ghost")).mark;
}

/* Keeps a mark in the set while there are ghosts. */
static void mark_ghosts(int64_t at)
{
	rl_store_key *key = &servers[0].store.keys[0];
	for (unsigned i = 0; i < key->mark_count; i++) {
		if (key->marks[i].waiter == ghost_name()) {
			key->marks[i] = key->marks[--key->mark_count];
		}
	}
	if (world.ghosts > 0) {
		int64_t until_us = servers_us(0, at) + GHOST_MARK_US;
		CHECK(key->mark_count < RL_STORE_MARKS);
		key->marks[key->mark_count++] =
			(rl_store_mark){.waiter = ghost_name(), .until_us = until_us};
		key->marks_expire_ms = until_us / 1000;
	}
}

/* The wait of ours is marked. */
static bool is_marked(int64_t at)
{
	bool is = false;
	for (unsigned i = 0; i < the_key()->mark_count; i++) {
		const rl_store_mark *mark = &the_key()->marks[i];
		is = is || (mark->waiter != ghost_name() && mark->until_us > servers_us(0, at));
	}
	return is;
}

/* @return true = a ghost gets the ticket, because it has blocked for longer than our connection, or
 * ours does not block */
static bool give_ticket(unsigned member)
{
	bool is_ours = world.ghosts == 0 || (any(3) != 0 && fake_blocked_on(member) > 0);
	if (!is_ours) {
		world.ghosts--;
		world.ghost_takes_at = fake_clock + any(4) * MS / 2;
	}
	return !is_ours;
}

static const char *run(const rl_model_command *command, int64_t at)
{
	expire(at);
	mark_ghosts(at);
	const char *reply = servers_run(0, command, at);
	if ((servers[0].store.state.done & RL_STORE_CHANGED) != 0) {
		note_holder(at);
		if (world.is_over && is_held_by_us()) {
			FAIL("round %u: %s is granted after its release: %s", world.round, servers_owner(0),
				fake_log());
		}
	}
	return reply;
}

/* ---- the network ---- */

static void set_alarm(void)
{
	int64_t next = world.ghost_takes_at;
	next = world.holder_frees_at < next ? world.holder_frees_at : next;
	next = world.newcomer_at < next ? world.newcomer_at : next;
	for (unsigned i = 0; i < world.late_count; i++) {
		next = world.late[i].at < next ? world.late[i].at : next;
	}
	fake_alarm = next;
}

static void run_late(const rl_model_command *command, int64_t at)
{
	if (world.late_count < LATE_MAX) {
		world.late[world.late_count++] = (late_command){at, *command};
	}
}

/* Whether the system takes the command. */
static void plan_taking(const char *words, fake_plan *plan)
{
	static const fake_act acts[] = {FAKE_BREAK_UNSENT, FAKE_BREAK_HALF, FAKE_HALF};
	*plan = (fake_plan){FAKE_SAY, NULL, any_ms(20)};
	if (world.has_trouble && any(40) == 0) {
		plan->what = acts[any(3)];
		world.is_undo_lost = world.is_undo_lost || words[0] == 'R';
	}
}

static void serve_blpop(const char *words, fake_plan *plan)
{
	expire(fake_run_at);
	servers_serve(words, true, plan);
	if (world.has_trouble && any(20) == 0) {
		*plan = (fake_plan){FAKE_BREAK, NULL, any_ms(1000)};
	}
}

static void serve_command(fake_plan *plan)
{
	const rl_model_command *command = fake_run_command;
	int64_t at = fake_run_at;
	int64_t delay = any(6) == 0 ? any_ms(200) : any_ms(2);
	uint32_t trouble = world.has_trouble ? any(60) : 60;
	if (trouble == 0) {
		*plan = (fake_plan){FAKE_BREAK, NULL, delay}; /* the server never runs it */
		world.is_undo_lost = world.is_undo_lost || command->what == RL_WORD_SCRIPT;
	} else if (trouble == 1) {
		*plan = (fake_plan){FAKE_BREAK, NULL, delay}; /* the server runs it later */
		run_late(command, at + delay + any_ms(3000));
	} else if (trouble <= 3) {
		run(command, at);
		*plan = (fake_plan){trouble == 2 ? FAKE_BREAK : FAKE_SILENCE, NULL, delay};
	} else {
		*plan = (fake_plan){FAKE_SAY, run(command, at), delay};
	}
}

static bool serve(const char *words, bool is_taken, fake_plan *plan)
{
	if (!is_taken) {
		plan_taking(words, plan);
		return true;
	}
	CHECK(fake_run_command != NULL);
	if (fake_run_command->what == RL_WORD_BLPOP) {
		serve_blpop(words, plan);
	} else {
		serve_command(plan);
	}
	set_alarm();
	return true;
}

/* ---- other clients ---- */

static void others_take(int64_t at)
{
	servers_take(0, any(3) == 0 ? "foreign" : "kin", 50 + any(3000));
	note_holder(at);
	world.holder_frees_at = any(4) == 0 ? RL_NEVER : at + any_ms(1500);
}

static void others_release(int64_t at)
{
	world.holder_frees_at = RL_NEVER;
	if (!is_held() || is_held_by_us()) {
		return;
	}
	if (strcmp(servers_owner(0), "kin") == 0) {
		bool is_watched = !world.has_trouble && at < world.deadline && fake_blocked_links() > 0;
		if (is_watched && !is_marked(at)) {
			FAIL("round %u: the holder releases, and our waiter has no mark, at %" PRId64 " ms: %s",
				world.round, fake_ms(), fake_log());
		}
		mark_ghosts(at);
		servers_free(0);
	} else {
		servers_delete(0);
	}
	note_holder(at);
}

static void ghost_takes(int64_t at)
{
	world.ghost_takes_at = RL_NEVER;
	if (!is_held()) {
		others_take(at);
	}
}

static void newcomer_comes(int64_t at)
{
	world.newcomer_at = at + any_ms(4000);
	if (!the_key()->exists) {
		others_take(at);
	} else if (any(3) == 0 && world.ghosts < 3) {
		world.ghosts++;
	}
}

static void on_alarm(void)
{
	fake_blocked_links(); /* what the servers did before */
	int64_t at = fake_clock;
	expire(at);
	for (unsigned i = 0; i < world.late_count; i++) {
		if (world.late[i].at <= at) {
			world.late[i].at = RL_NEVER;
			run(&world.late[i].command, at);
		}
	}
	if (world.holder_frees_at <= at) {
		others_release(at);
	}
	if (world.ghost_takes_at <= at) {
		ghost_takes(at);
	}
	if (world.newcomer_at <= at) {
		newcomer_comes(at);
	}
	set_alarm();
}

/* ---- rounds ---- */

static void begin_round(unsigned number, bool has_trouble)
{
	waiting_begin();
	servers_clear();
	servers_give_ticket = give_ticket;
	memset(&world, 0, sizeof world);
	world.round = number;
	world.random = number * 2654435761U + 1;
	world.ghost_takes_at = world.holder_frees_at = RL_NEVER;
	world.unheld_since = FAKE_START;
	world.has_trouble = has_trouble;
	servers[0].rate = 0.995 + any(100) / 10000.0;
	world.newcomer_at = FAKE_START + any_ms(4000);
	world.ghosts = any(3);
	others_take(FAKE_START);
	fake_set.retries = any(6) == 0 ? any(8) : RL_RETRIES_UNLIMITED;
	if (any(4) == 0) {
		fake_set.backoff = (rl_backoff){.first_ns = 700 * MS, .max_ns = 5 * SECOND};
	}
	if (any(3) == 0) {
		rl_pool_clear(&fake_pool);
		for (unsigned i = any(2); i > 0; i--) {
			fake_warm(0);
		}
		fake_forget_log();
	}
	fake_improvise = serve;
	fake_on_alarm = on_alarm;
	set_alarm();
}

static void check_granted(const rl_acquire *acquire, bool is_own)
{
	const char *name = is_own ? "mine" : fake_name_of(acquire->token);
	expire(fake_clock);
	if (strcmp(servers_owner(0), name) != 0) {
		FAIL("round %u: %s is granted and \"%s\" has it: %s", world.round, name, servers_owner(0),
			fake_log());
	}
	int64_t end = servers_ends_at(0, the_key());
	if (acquire->proven_until <= fake_clock || acquire->proven_until > end) {
		FAIL("round %u: proven until %" PRId64 ", lasts until %" PRId64 ": %s", world.round,
			acquire->proven_until, end, fake_log());
	}
}

/* A wait that is not granted, and does not report an unknown outcome, leaves nothing. Two cases
 * cannot be known: a command of a broken connection that runs late, and a server that was gone when
 * the system took the undo. */
static void check_not_granted(const rl_acquire *acquire)
{
	bool is_told = acquire->op.err != NULL &&
		(acquire->op.status == RL_ERR_UNKNOWN ||
			strstr(acquire->op.err->message, "outcome") != NULL ||
			strstr(acquire->op.err->message, "a key that is left on a server ends by its TTL") !=
				NULL ||
			strstr(acquire->op.err->message, "the undo that follows") != NULL);
	expire(fake_clock);
	fake_blocked_links();
	bool is_excused =
		world.late_count > 0 || world.is_undo_lost || strstr(fake_log(), "lost: RELEASE") != NULL;
	if (is_held_by_us() && !is_told && !is_excused) {
		FAIL("round %u: %s is left behind: %s", world.round, servers_owner(0), fake_log());
	}
}

/* Fails if a wait with unlimited retries has ended without the lock, although the lock had been
 * free for longer than a look and its answers take. */
static void check_liveness(const rl_acquire *acquire)
{
	bool was_free = world.unheld_since != RL_NEVER &&
		fake_clock - world.unheld_since > 1100 * MS + 3 * 210 * MS;
	if (acquire->op.status == RL_BUSY && was_free && fake_set.retries == RL_RETRIES_UNLIMITED) {
		FAIL("round %u: free since %" PRId64 " ms: %s", world.round,
			(world.unheld_since - FAKE_START) / MS, fake_log());
	}
}

/* The caller releases the lock at once. No place that is still queued may take it with the old
 * token. */
static void release_and_look_on(rl_acquire *acquire)
{
	char token[64];
	snprintf(token, sizeof token, "%.*s", (int) acquire->token.len, acquire->token.data);
	world.has_trouble = false;
	rl_pool_clear(&fake_pool); /* some of its connections may be silent */
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, token, 0)), RL_OK);
	world.is_over = true;
	for (unsigned i = 0; i < 40 && fake_alarm != RL_NEVER; i++) {
		fake_clock = fake_alarm > fake_clock ? fake_alarm : fake_clock;
		on_alarm();
	}
}

static bool is_anything_late(void)
{
	bool is = false;
	for (unsigned i = 0; i < world.late_count; i++) {
		is = is || world.late[i].at != RL_NEVER;
	}
	return is;
}

/* Where nothing breaks, a wait that has ended has no mark. */
static void check_marks(void)
{
	expire(fake_clock);
	if (is_marked(fake_clock)) {
		FAIL("round %u: marked after the end: %s", world.round, fake_log());
	}
}

typedef struct how {
	bool has_trouble;
	bool is_own;
	bool is_given_up; /* at any moment */
} how;

static unsigned reached[4]; /* how many rounds were granted, refused, woken and abandoned */

static void finish_round(const how *way, rl_acquire *acquire)
{
	rl_status status = acquire->op.status;
	reached[0] += status == RL_OK;
	reached[1] += status == RL_BUSY;
	reached[2] += fake_stats.wake_ups > fake_stats.spurious_wake_ups;
	if (status == RL_OK) {
		check_granted(acquire, way->is_own);
		if (acquire->ttl_ns == 5 * SECOND && !is_anything_late()) {
			release_and_look_on(acquire);
		}
	} else {
		check_not_granted(acquire);
	}
	if (!way->has_trouble) {
		CHECK(status == RL_OK || status == RL_BUSY || status == RL_ERR_SLOW);
		check_liveness(acquire);
		if (status !=
			/* Such a call may have set the mark again after its unread win had ended. */
			RL_ERR_SLOW) {
			check_marks();
		}
	}
}

/* Whether the undo of the token in the key was written, and no undo was lost. */
static bool was_undone(void)
{
	char undo[32];
	snprintf(undo, sizeof undo, "RELEASE k %s\n", servers_owner(0));
	return !world.is_undo_lost && strstr(fake_log(), undo) != NULL;
}

/* A caller's token that may have been set without an answer stays: the wait cannot know whose token
 * it is. */
static void give_up(const how *way, rl_acquire *acquire)
{
	reached[3]++;
	rl_op_abandon(&acquire->op, fake_clock, false);
	/* test_acquire_queue_end.c shows that another connection takes the undo that a broken one does
	 * not take. */
	bool may_be_left = way->is_own && strcmp(servers_owner(0), "mine") == 0;
	if (!may_be_left && (!way->has_trouble || was_undone())) {
		check_not_granted(acquire);
	}
	if (!way->has_trouble) {
		check_marks();
	}
}

static void run_round(unsigned number, const how *way)
{
	begin_round(number, way->has_trouble);
	int64_t wait = any_ms(6000) + MS;
	int64_t ttl_ms = any(4) == 0 ? 30 + any(500) : 5000;
	world.deadline = FAKE_START + wait;
	rl_acquire *acquire =
		way->is_own ? fake_acquire_own("mine", ttl_ms, wait) : fake_acquire(ttl_ms, wait);
	int64_t stop = way->is_given_up ? FAKE_START + any_ms(3000) : RL_NEVER - 1;
	if (fake_drive_to(&acquire->op, stop)) {
		finish_round(way, acquire);
	} else {
		give_up(way, acquire);
	}
	fake_end();
}

static void run_rounds(bool has_trouble, bool is_own)
{
	const how way = {.has_trouble = has_trouble, .is_own = is_own};
	memset(reached, 0, sizeof reached);
	memset(rl_store_met, 0, sizeof rl_store_met);
	for (unsigned i = 0; i < ROUNDS; i++) {
		run_round(i, &way);
	}
	CHECK(reached[0] > ROUNDS / 8);
	CHECK(reached[1] > ROUNDS / 8);
	CHECK(reached[2] > ROUNDS / 8);
	CHECK(rl_store_met[RL_STORE_MET_reserved] > ROUNDS);
	CHECK(rl_store_met[RL_STORE_MET_expired] > ROUNDS);
	CHECK(rl_store_met[RL_STORE_MET_owed_try_own] > ROUNDS / 100);
	CHECK(rl_store_met[RL_STORE_MET_late_try] > 0);
}

static void run_rounds_given_up(bool has_trouble, bool is_own)
{
	const how way = {.has_trouble = has_trouble, .is_own = is_own, .is_given_up = true};
	memset(reached, 0, sizeof reached);
	for (unsigned i = 0; i < ROUNDS; i++) {
		run_round(i, &way);
	}
	CHECK(reached[3] > ROUNDS / 4);
}

static void a_wait_on_a_sound_network_wins_or_leaves_nothing(void)
{
	run_rounds(false, false);
}

static void a_wait_with_an_own_token_on_a_sound_network_wins_or_leaves_nothing(void)
{
	run_rounds(false, true);
}

static void a_wait_on_a_failing_network_wins_or_leaves_nothing(void)
{
	run_rounds(true, false);
}

static void a_wait_with_an_own_token_on_a_failing_network_wins_or_leaves_nothing(void)
{
	run_rounds(true, true);
}

static void an_abandoned_wait_on_a_sound_network_leaves_nothing(void)
{
	run_rounds_given_up(false, false);
}

static void an_abandoned_wait_on_a_failing_network_leaves_nothing(void)
{
	run_rounds_given_up(true, false);
}

static void an_abandoned_wait_with_an_own_token_leaves_nothing(void)
{
	run_rounds_given_up(false, true);
	run_rounds_given_up(true, true);
}

static const check_test tests[] = {
	TEST(a_wait_on_a_sound_network_wins_or_leaves_nothing),
	TEST(a_wait_with_an_own_token_on_a_sound_network_wins_or_leaves_nothing),
	TEST(a_wait_on_a_failing_network_wins_or_leaves_nothing),
	TEST(a_wait_with_an_own_token_on_a_failing_network_wins_or_leaves_nothing),
	TEST(an_abandoned_wait_on_a_sound_network_leaves_nothing),
	TEST(an_abandoned_wait_on_a_failing_network_leaves_nothing),
	TEST(an_abandoned_wait_with_an_own_token_leaves_nothing),
};

CHECK_MAIN(tests, fake_end)
