/* SPDX-License-Identifier: MIT
 *
 * No memory, at each place where some is requested: no crash, no leak, and no lie.
 *
 * malloc, calloc and realloc of this program are its own, and count while a flow runs. The fake
 * network, which has no malloc, counts its dials and appends along.
 */
#include "check.h"
#include "core/wire/rl_dsn.h"
#include "fake.h"
#include "fake_memory.h"

#include <string.h>

/* The block of a password, and whether it is wiped when it is freed. */
static const char *renewal;
static size_t watched_len;
static bool is_wiped;

UNWATCHED void free(void *old)
{
	if (old != NULL && old == renewal) {
		is_wiped = true;
		for (size_t i = 0; i < watched_len; i++) {
			is_wiped = is_wiped && renewal[i] == 0;
		}
		renewal = NULL;
	}
	REAL(free)(old);
}

static void clean_up(void)
{
	is_counting = false;
	fake_end();
}

/* A flow makes its plan, calls fake_memory_fails(), works, and returns its outcome. */
typedef rl_status (*flow)(void);

static rl_status end(rl_op *op)
{
	rl_status status = op != NULL ? fake_drive(op) : RL_ERR_MEMORY;
	is_counting = false;
	CHECK(op == NULL || status == RL_OK || status == RL_BUSY || op->err->message[0] != '\0');
	return status;
}

static void login(void)
{
	fake_targets[0].user = "me";
	fake_targets[0].password = (rl_secret){"word", 4};
	fake_targets[0].database = 2;
}

static rl_status acquire_cold(void)
{
	fake_begin(1);
	login();
	fake_says(0, "+OK");
	fake_memory_fails();
	return end((rl_op *) fake_acquire(30000, SECOND));
}

static rl_status acquire_waiting(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_says(0, "_");
	fake_says(0, "-NOSCRIPT x");
	fake_says(0, "*:0 :0 :1000 :4 :1");
	fake_says(0, "*:1 :0");
	fake_memory_fails();
	return end((rl_op *) fake_acquire(30000, SECOND));
}

/* The lock is refused at first. Then come a probe and a place, a look after 850 ms, and the ticket
 * after 1.5 s. */
static void plan_queue(const char *look)
{
	fake_begin(1);
	fake_set.wakes = true;
	fake_warm(0);
	fake_says(0, "_");
	fake_says(0, "-NOSCRIPT x");
	fake_says(0, "*:1000000000 :600000 :3 :0 :1");
	fake_blpops(0, FAKE_SAY, FAKE_TICKET, 1500 * MS);
	fake_says(0, look);
}

static rl_status acquire_queued(void)
{
	plan_queue("*:1000850000 :600000 :3 :0 :1");
	fake_says(0, "*:1 :1001500000");
	fake_memory_fails();
	return end((rl_op *) fake_acquire(30000, 10 * SECOND));
}

static rl_status acquire_queued_in_vain(void)
{
	plan_queue("*:1000850000 :600000 :3 :0 :1");
	fake_says(0, "*:0 :1001500000 :600000 :3 :1");
	fake_blpops(0, FAKE_SAY, FAKE_TICKET, 100 * MS);
	fake_says(0, "*:1 :1001600000");
	fake_memory_fails();
	return end((rl_op *) fake_acquire(30000, 10 * SECOND));
}

static rl_status acquire_queued_to_the_deadline(void)
{
	plan_queue("*:1000850000 :600000 :3 :0 :1");
	fake_says(0, "*:0 :1001400000 :600000 :3 :1");
	fake_memory_fails();
	return end((rl_op *) fake_acquire(30000, 1400 * MS));
}

static rl_status acquire_leaving_the_queue(void)
{
	plan_queue("*:1000850000 :-2 :0 :1 :1");
	fake_says(0, ":0");
	fake_says(0, "*:1 :1000850000");
	fake_memory_fails();
	return end((rl_op *) fake_acquire(30000, 10 * SECOND));
}

static rl_status acquire_with_a_login_in_the_queue(void)
{
	fake_begin(1);
	fake_set.wakes = true;
	login();
	fake_says(0, "_");
	fake_acts(0, FAKE_SAY_BREAK, "*:1000000000 :600000 :3 :0 :1", 0);
	fake_blpops(0, FAKE_SAY, FAKE_TICKET, 500 * MS);
	fake_says(0, "*:1 :1000500000");
	fake_memory_fails();
	return end((rl_op *) fake_acquire(30000, 10 * SECOND));
}

static rl_status acquire_owed(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, "*:1 :0");
	fake_memory_fails();
	return end((rl_op *) fake_acquire(30000, 0));
}

static rl_status acquire_undone(void)
{
	fake_begin(1);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	fake_says(0, ":1");
	fake_says(0, "*:1 :0");
	fake_memory_fails();
	return end((rl_op *) fake_acquire(30000, 10 * SECOND));
}

static rl_status acquire_with_a_bad_database(void)
{
	fake_begin(1);
	login();
	fake_login_says(0, "SELECT", "-ERR x");
	fake_says(0, "+OK");
	fake_memory_fails();
	return end((rl_op *) fake_acquire(30000, 0));
}

static rl_status acquire_of_three(void)
{
	fake_begin(3);
	fake_warm(1);
	fake_says(0, "+OK");
	fake_says(1, "_");
	fake_says(2, "+OK");
	fake_memory_fails();
	return end((rl_op *) fake_acquire(30000, 0));
}

static rl_status owner(void)
{
	fake_begin(1);
	login();
	fake_says(0, "$somebody");
	fake_memory_fails();
	return end(fake_ask(RL_VERB_OWNER, "", 0));
}

static rl_status release(void)
{
	fake_begin(1);
	login();
	fake_says(0, "-NOSCRIPT x");
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, ":1");
	fake_memory_fails();
	return end(fake_ask(RL_VERB_RELEASE, "tok", 0));
}

static rl_status parse(const char *text)
{
	rl_dsn dsn;
	rl_error err;
	fake_memory_fails();
	rl_status status = rl_dsn_parse(bytes_of(text), &dsn, &err);
	is_counting = false;
	if (status == RL_OK) {
		rl_target_unref(dsn.target);
	} else {
		CHECK_TEXT(err.message, "out of memory");
	}
	return status;
}

static rl_status parse_tcp(void)
{
	return parse("redis://me:word@host:1/2?timeout=1&connect_timeout=2");
}

static rl_status parse_unix(void)
{
	return parse("unix://:word@/run/a?db=2");
}

/* The flow may have taken the key, and has not undone that. */
static bool is_left_behind(void)
{
	const char *log = fake_log();
	bool may_hold = strstr(log, " SET k") != NULL || strstr(log, " try k") != NULL;
	return may_hold && strstr(log, "RELEASE") == NULL;
}

typedef struct row {
	const char *name;
	flow run;
	rl_status wanted; /* the outcome with enough memory */
	unsigned least;   /* the least number of allocations of the flow */
} row;

static const row rows[] = {
	{"acquire_cold", acquire_cold, RL_OK, 6},
	{"acquire_waiting", acquire_waiting, RL_OK, 4},
	{"acquire_queued", acquire_queued, RL_OK, 10},
	{"acquire_queued_in_vain", acquire_queued_in_vain, RL_OK, 12},
	{"acquire_queued_to_the_deadline", acquire_queued_to_the_deadline, RL_BUSY, 12},
	{"acquire_leaving_the_queue", acquire_leaving_the_queue, RL_OK, 13},
	{"acquire_with_a_login_in_the_queue", acquire_with_a_login_in_the_queue, RL_OK, 13},
	{"acquire_owed", acquire_owed, RL_OK, 8},
	{"acquire_undone", acquire_undone, RL_OK, 7},
	{"acquire_with_a_bad_database", acquire_with_a_bad_database, RL_ERR_SERVER, 7},
	{"acquire_of_three", acquire_of_three, RL_OK, 10},
	{"owner", owner, RL_OK, 7},
	{"release", release, RL_OK, 8},
	{"parse_tcp", parse_tcp, RL_OK, 6},
	{"parse_unix", parse_unix, RL_OK, 4},
};

static void fail_each(const row *r, bool lasts)
{
	is_lasting = lasts;
	fails_at = 0;
	CHECK_INT(r->run(), (int64_t) r->wanted);
	unsigned all = asked;
	fake_end();
	CHECK(all >= r->least);
	bool is_told = false;
	for (fails_at = 1; fails_at <= all; fails_at++) {
		rl_status status = r->run();
		/* The plan for an unsent undo, or for a place that could not be taken, meets the next
		 * command, for which the answer makes no sense. */
		bool has_place = strncmp(r->name, "acquire_queued", 14) == 0;
		bool is_out_of_step =
			(r->run == acquire_undone || has_place || r->run == acquire_leaving_the_queue) &&
			status == RL_ERR_PROTOCOL;
		if (status != RL_ERR_MEMORY && status != r->wanted && !is_out_of_step) {
			FAIL("%s, allocation %u: %d", r->name, fails_at, (int) status);
		}
		is_told = is_told || status == RL_ERR_MEMORY;
		fake_end();
	}
	CHECK(is_told);
}

static void each_allocation_may_fail_once(void)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		fail_each(&rows[i], false);
	}
}

static void all_allocations_from_any_one_on_may_fail(void)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		fail_each(&rows[i], true);
	}
}

/* Each key that is left behind on a server is reported. */
static void a_key_that_is_left_behind_is_reported(void)
{
	is_lasting = true;
	fake_begin(1);
	fake_warm(0);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	fails_at = 3; /* the operation, the SET, the undo */
	fake_memory_fails();
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(end(&acquire->op), RL_ERR_TIMEOUT);
	CHECK(is_left_behind());
	CHECK_HAS(
		acquire->op.err->message, "outcome unknown: if the lock was granted, it ends by its TTL");
}

static void a_key_left_behind_in_a_bad_database_is_reported(void)
{
	is_lasting = true;
	fake_begin(1);
	login();
	fake_login_says(0, "SELECT", "-ERR x");
	fake_says(0, "+OK");
	fails_at = 8; /* operation, connection, dial, AUTH, SELECT, SETNAME, SET, undo */
	fake_memory_fails();
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK(acquire != NULL);
	CHECK_INT(end(&acquire->op), RL_ERR_SERVER);
	CHECK(is_left_behind());
	CHECK_HAS(acquire->op.err->message, "outcome unknown");
}

/* To poll needs no memory. */
static void a_waiter_without_memory_for_a_place_polls(void)
{
	is_lasting = false;
	fake_begin(1);
	fake_set.wakes = true;
	fake_warm(0);
	fake_says(0, "_");
	fake_says(0, "*:1000000000 :600000 :3 :0 :1");
	fake_says(0, "*:1 :0");
	fails_at = 4; /* the operation, the SET, the probe, the place */
	fake_memory_fails();
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	CHECK_INT(end(&acquire->op), RL_OK);
	CHECK_COUNT("BLPOP", 0);
	CHECK_COUNT("try", 1);
	CHECK_INT(fake_stats.wake_failures, 1);
}

static void a_password_is_wiped(void)
{
	rl_dsn dsn;
	rl_error err;
	CHECK_INT(rl_dsn_parse(bytes_of("redis://me:hunter2@host"), &dsn, &err), RL_OK);
	renewal = dsn.target->password.data;
	watched_len = dsn.target->password.len;
	is_wiped = false;
	rl_target_unref(dsn.target);
	CHECK(renewal == NULL);
	CHECK(is_wiped);
}

static const check_test tests[] = {
	TEST(each_allocation_may_fail_once),
	TEST(all_allocations_from_any_one_on_may_fail),
	TEST(a_key_that_is_left_behind_is_reported),
	TEST(a_waiter_without_memory_for_a_place_polls),
	TEST(a_password_is_wiped),
	TEST(a_key_left_behind_in_a_bad_database_is_reported),
};

CHECK_MAIN(tests, clean_up)
