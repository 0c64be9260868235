/* SPDX-License-Identifier: MIT
 *
 * The states of many locks, asked for together.
 */
#include "check.h"
#include "core/lock/rl_batch.h"
#include "core/lock/rl_inspections.h"
#include "fake_memory.h"

#include <stdio.h>
#include <string.h>

#define KEYS_MAX (3 * RL_BATCH_WINDOW)
#define FREE "*:-2 :0 :0 $ $"
#define WEB "*:900 $web :1 $rl1.aaaaaaaaaaaaaaaaaaaaaaaa@web $web:2"

static rl_op *op;

/* The keys are k1, k2 and so on; they are gone before the operation begins. */
static void ask_for(size_t count)
{
	char texts[KEYS_MAX][8];
	rl_bytes keys[KEYS_MAX];
	for (size_t i = 0; i < count; i++) {
		keys[i] =
			rl_bytes_of(texts[i], (size_t) snprintf(texts[i], sizeof texts[i], "k%zu", i + 1));
	}
	op = rl_inspections_new(&fake_set, &fake_pool, &fake_env, keys, count);
	memset(texts, 'x', sizeof texts);
}

static void begin(unsigned members, size_t count)
{
	fake_begin(members);
	for (unsigned i = 0; i < members; i++) {
		fake_warm(i);
	}
	ask_for(count);
}

static void end(void)
{
	if (op != NULL) {
		rl_op_free(op);
		op = NULL;
	}
	fake_end();
}

static void each_lock_has_its_state(void)
{
	begin(1, 4);
	fake_says(0, WEB);
	fake_says(0, FREE);
	fake_says(0, "*:-1 :4 :0 $x $");
	fake_says(0, "-WRONGTYPE x");
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_LOG("0 a1 inspect k1\n0 a1 inspect k2\n0 a1 inspect k3\n0 a1 inspect k4\n");
	CHECK(rl_inspections_failed(op) == NULL);
	const rl_lock_state *state = rl_inspections_state(op, 0);
	CHECK_INT(state->holder, RL_HOLDER_KIN);
	CHECK_INT(state->left_ms, 900);
	CHECK_INT(state->waiters, 1);
	CHECK_INT(state->since, INT64_C(0x69a69a69a)); /* "aaaaaa" */
	CHECK(rl_bytes_equal(rl_bytes_of(state->waiting, state->waiting_len), rl_bytes_of("web:2", 5)));
	CHECK(rl_bytes_equal(rl_bytes_of(state->label.text, state->label.len), rl_bytes_of("web", 3)));
	CHECK(rl_inspections_state(op, 1) == NULL);
	CHECK_INT(rl_inspections_state(op, 2)->holder, RL_HOLDER_FOREIGN);
	CHECK_INT(rl_inspections_state(op, 2)->left_ms, -1);
	CHECK(rl_inspections_state(op, 3) == NULL);
	CHECK_INT(fake_pool.count, 1);
}

static void some_are_asked_for_at_a_time(void)
{
	begin(1, KEYS_MAX);
	for (int i = 0; i < KEYS_MAX; i++) {
		fake_acts(0, FAKE_SAY, i == 100 ? WEB : FREE, 5 * MS);
	}
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_HAS(fake_log(), "0 a1 inspect k64\n5 a1 inspect k65\n");
	CHECK_HAS(fake_log(), "10 a1 inspect k129\n");
	CHECK(rl_inspections_state(op, 99) == NULL);
	CHECK_INT(rl_inspections_state(op, 100)->left_ms, 900);
	CHECK(rl_inspections_state(op, KEYS_MAX - 1) == NULL);
}

static void a_failure_ends_it_and_names_its_key(void)
{
	begin(1, KEYS_MAX);
	for (int i = 0; i < RL_BATCH_WINDOW; i++) {
		fake_says(0, i == 2 ? "-NOPERM no rights" : FREE);
	}
	CHECK_INT(fake_drive(op), RL_ERR_SERVER);
	const rl_op *failed = rl_inspections_failed(op);
	CHECK_TEXT(failed->err->code, "NOPERM");
	CHECK(rl_bytes_equal(failed->call.terms.request.key, rl_bytes_of("k3", 2)));
	CHECK(strstr(fake_log(), "k66") == NULL);
	CHECK_INT(fake_stats.failed, 1);
	CHECK_INT(fake_pool.count, 1);
}

static void a_server_that_is_gone_is_a_failure(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_REFUSE, 0);
	ask_for(3);
	CHECK_INT(fake_drive(op), RL_ERR_CONNECT);
	CHECK(rl_inspections_failed(op) != NULL);
}

static void a_majority_decides_each(void)
{
	begin(3, 2);
	for (unsigned i = 0; i < 3; i++) {
		fake_says(i, i == 2 ? FREE : WEB);
		fake_says(i, i == 2 ? WEB : FREE);
	}
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK(rl_inspections_state(op, 0) != NULL);
	CHECK(rl_inspections_state(op, 1) == NULL);
}

static void a_call_that_breaks_off_is_repeated(void)
{
	begin(1, 3);
	fake_says(0, FREE);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, WEB);
	fake_says(0, WEB);
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK(rl_inspections_state(op, 0) == NULL);
	CHECK(rl_inspections_state(op, 1) != NULL);
	CHECK(rl_inspections_state(op, 2) != NULL);
}

static void one_that_is_given_up_leaves_a_usable_pool(void)
{
	begin(1, KEYS_MAX);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	rl_wait wait;
	rl_tick tick = {.now = fake_clock, .seen = fake_clock};
	CHECK(!rl_op_step(op, &tick, &wait));
	rl_op_abandon(op, fake_clock, false);
	CHECK(rl_inspections_failed(op) == NULL); /* no server has failed */
	CHECK(strstr(fake_log(), "k65") == NULL);
	rl_op_free(op);
	op = NULL;
}

static void flow_without_memory(void)
{
	fake_begin(1);
	for (int i = 0; i < 3; i++) {
		fake_says(0, FREE);
	}
	fake_memory_fails();
	ask_for(3);
	rl_status status = op != NULL ? fake_drive(op) : RL_ERR_MEMORY;
	fake_memory_works();
	CHECK(status == RL_OK || status == RL_ERR_MEMORY || status == RL_ERR_CONNECT ||
		status == RL_ERR_UNKNOWN);
	end();
}

static void no_memory_is_a_failure(void)
{
	CHECK(fake_memory_each(3, flow_without_memory) > 3);
	begin(1, 1); /* for end() */
}

static const check_test tests[] = {
	TEST(each_lock_has_its_state),
	TEST(some_are_asked_for_at_a_time),
	TEST(a_failure_ends_it_and_names_its_key),
	TEST(a_server_that_is_gone_is_a_failure),
	TEST(a_majority_decides_each),
	TEST(a_call_that_breaks_off_is_repeated),
	TEST(one_that_is_given_up_leaves_a_usable_pool),
	TEST(no_memory_is_a_failure),
};

CHECK_MAIN(tests, end)
