/* SPDX-License-Identifier: MIT
 *
 * FENCE on the model of servers: what the number is, and that it grows from holder to holder,
 * whichever members answer.
 */
#include "check.h"
#include "servers.h"

#include <inttypes.h>
#include <stdio.h>

#define A 0
#define B 1
#define C 2

#define SECOND_US INT64_C(1000000)

/* The holder of "tok" asks. 0 = refused. */
static int64_t fence(void)
{
	rl_op *op = fake_ask(RL_VERB_FENCE, "tok", 0);
	rl_status status = fake_drive(op);
	CHECK(status == RL_OK || status == RL_BUSY);
	int64_t number = status == RL_OK ? op->call.terms.request.fence_number : 0;
	fake_free(op);
	return number;
}

static int64_t stored(unsigned member)
{
	return servers_key(member)->fence;
}

static void begin_held(unsigned members)
{
	servers_begin(members);
	servers_take_all("tok", 30000);
}

/* ---- one server ---- */

static void the_number_is_the_time_of_the_server(void)
{
	begin_held(1);
	int64_t now_us = servers_us(A, fake_clock);
	CHECK_INT(fence(), now_us);
	CHECK_INT(stored(A), now_us);
	CHECK_LOG("0 a1 fence 2 k k::rl-fence tok 0\n");
	CHECK_INT(servers_key(A)->fence_expires_ms - now_us / 1000, 24 * 3600 * 1000);
}

static void a_number_that_is_ahead_of_the_clock_grows_by_one(void)
{
	begin_held(1);
	servers_key(A)->fence_expires_ms = INT64_MAX;
	servers_key(A)->fence = servers_us(A, fake_clock) + SECOND_US;
	int64_t before = stored(A);
	CHECK_INT(fence(), before + 1);
	CHECK_INT(fence(), before + 2);
}

static void after_a_lost_number_the_next_one_is_the_time(void)
{
	begin_held(1);
	int64_t before = fence();
	servers_key(A)->fence = 0;
	fake_clock += MS;
	CHECK(fence() > before);
}

static void a_client_without_the_lock_gets_no_number(void)
{
	begin_held(1);
	servers_take(A, "foreign", 30000);
	CHECK_INT(fence(), 0);
	servers_delete(A);
	CHECK_INT(fence(), 0);
	CHECK_INT(stored(A), 0);
}

/* The first copy has raised the number, and the second one raises it again. */
static void a_lost_answer_is_asked_for_again(void)
{
	begin_held(1);
	int64_t now_us = servers_us(A, fake_clock);
	fake_acts(A, FAKE_BREAK, NULL, 0);
	CHECK(fence() >= now_us);
	CHECK_COUNT("fence 2 k", 2);
}

/* ---- several ---- */

static unsigned count_from(int64_t number)
{
	unsigned count = 0;
	for (unsigned i = 0; i < fake_set.count; i++) {
		count += stored(i) >= number;
	}
	return count;
}

static void the_greatest_number_is_written_back_to_a_quorum(void)
{
	for (unsigned ahead = 0; ahead < 3; ahead++) {
		begin_held(3);
		servers[ahead].clock_us = 5 * SECOND_US;
		servers[(ahead + 1) % 3].is_mute = true;
		int64_t number = fence();
		CHECK_INT(number, servers_us(ahead, fake_clock));
		CHECK_INT(count_from(number), 2);
		char second[64];
		snprintf(second, sizeof second, "fence 2 k k::rl-fence tok %" PRId64, number);
		CHECK_INT(fake_count(second), 3);
		CHECK_COUNT("fence 2 k k::rl-fence tok 0", 3);
		fake_end();
	}
}

static void a_number_that_a_quorum_has_is_not_written_back(void)
{
	begin_held(3);
	CHECK_INT(fence(), servers_us(A, fake_clock)); /* their clocks are the same */
	CHECK_COUNT("fence 2 k", 3);
}

/* The clocks are days apart, and each holder can do without another member. */
static void numbers_grow_whichever_quorum_answers(void)
{
	for (unsigned i = 0; i < 5 * 5; i++) {
		begin_held(5);
		for (unsigned m = 0; m < 5; m++) {
			servers[m].clock_us = (int64_t) m * 86400 * SECOND_US;
		}
		servers_take_all("tok", 30000);
		servers[i / 5].is_mute = servers[(i / 5 + 1) % 5].is_mute = true;
		int64_t first = fence();
		for (unsigned m = 0; m < 5; m++) {
			if (servers[m].is_mute) {
				fake_kill(m); /* the connection still waits for the answer */
			}
			servers[m].is_mute = m == i % 5 || m == (i % 5 + 1) % 5;
		}
		int64_t second = fence();
		if (first == 0 || second <= first) {
			FAIL("mix %u: %" PRId64 " after %" PRId64, i, second, first);
		}
		fake_end();
	}
}

static void a_minority_that_holds_the_token_is_too_few(void)
{
	for (unsigned own = 0; own < 3; own++) {
		begin_held(3);
		servers_take_all("foreign", 30000);
		servers_take(own, "tok", 30000);
		rl_op *op = fake_ask(RL_VERB_FENCE, "tok", 0);
		CHECK_INT(fake_drive(op), RL_BUSY);
		CHECK_INT(rl_quorum_call_loss(&op->call, bytes_of("tok")), RL_LOSS_TAKEN_OVER);
		for (unsigned i = 0; i < 3; i++) {
			CHECK(i == own || stored(i) == 0);
		}
		fake_end();
	}
}

/* All members have run the first round, and their answers are under way. */
static rl_op *begin_second_round(void)
{
	begin_held(3);
	for (unsigned i = 0; i < 3; i++) {
		servers[i].delay = 10 * MS;
		servers[i].clock_us = (int64_t) i * SECOND_US;
	}
	rl_op *op = fake_ask(RL_VERB_FENCE, "tok", 0);
	CHECK(!fake_drive_to(op, FAKE_START + 5 * MS));
	return op;
}

/* The number is lost with the lock: the members of the other holder do not get it. */
static void a_lock_that_is_lost_between_the_rounds_has_no_number(void)
{
	rl_op *op = begin_second_round();
	int64_t before[3];
	for (unsigned i = 0; i < 3; i++) {
		before[i] = stored(i);
		CHECK(before[i] > 0);
	}
	servers_take(A, "foreign", 30000);
	servers_take(B, "foreign", 30000);
	CHECK_INT(fake_drive(op), RL_BUSY);
	CHECK_COUNT("tok 0", 3);
	CHECK_INT(stored(A), before[A]);
	CHECK_INT(stored(B), before[B]);
	CHECK_INT(fake_stats.grants_undone, 0);
}

static void a_second_round_without_answers_is_a_failure(void)
{
	rl_op *op = begin_second_round();
	servers[A].is_mute = servers[B].is_mute = servers[C].is_mute = true;
	CHECK_INT(fake_drive(op), RL_ERR_TIMEOUT);
	CHECK_INT(fake_ms(), 1010);
	CHECK_HAS(op->err->message, "no quorum (3 of 3 servers failed)");
}

static void an_error_of_a_minority_does_not_count(void)
{
	begin_held(3);
	servers[B].error = "-WRONGTYPE x";
	int64_t number = fence();
	CHECK(number > 0);
	CHECK_INT(count_from(number), 2);
	servers[C].error = "-WRONGTYPE x";
	rl_op *op = fake_ask(RL_VERB_FENCE, "tok", 0);
	CHECK_INT(fake_drive(op), RL_ERR_SERVER);
	CHECK_TEXT(op->err->code, "WRONGTYPE");
}

static const check_test tests[] = {
	TEST(the_number_is_the_time_of_the_server),
	TEST(a_number_that_is_ahead_of_the_clock_grows_by_one),
	TEST(after_a_lost_number_the_next_one_is_the_time),
	TEST(a_client_without_the_lock_gets_no_number),
	TEST(a_lost_answer_is_asked_for_again),
	TEST(the_greatest_number_is_written_back_to_a_quorum),
	TEST(a_number_that_a_quorum_has_is_not_written_back),
	TEST(numbers_grow_whichever_quorum_answers),
	TEST(a_minority_that_holds_the_token_is_too_few),
	TEST(a_lock_that_is_lost_between_the_rounds_has_no_number),
	TEST(a_second_round_without_answers_is_a_failure),
	TEST(an_error_of_a_minority_does_not_count),
};

CHECK_MAIN(tests, fake_end)
