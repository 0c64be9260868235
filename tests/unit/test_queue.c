/* SPDX-License-Identifier: MIT
 *
 * The proof of a win in the queue. Ownership counts from the moment at which the server ran the
 * try. That moment is reckoned from a sample: a look has told what the server's clock showed at one
 * of our moments. The moment is never later than the receipt of the win, nor earlier than the
 * sending of the try.
 */
#include "check.h"
#include "waiting.h"

#include <inttypes.h>

#define SENT (FAKE_START + 5000 * MS)
#define SERVER_US INT64_C(1000000000)

/* Milliseconds from the sending of the try. */
typedef struct proof_case {
	int64_t asked_ms;    /* when the sample was asked for */
	int64_t server_us;   /* of the sample */
	int64_t won_us;      /* of the win */
	int64_t now_ms;      /* when the win was read */
	double drift_factor; /* between the two clocks */
	int64_t since_us;    /* what is proven */
} proof_case;

static const proof_case cases[] = {
	/* the sample was taken just before: the server's time that passed since, less drift */
	{0, SERVER_US, SERVER_US + 500000, 510, 0.01, 495000},
	{-10, SERVER_US, SERVER_US + 500000, 510, 0.01, 485000},
	{-10, SERVER_US, SERVER_US + 500000, 510, 0, 490000},
	{-10, SERVER_US, SERVER_US + 500001, 510, 0, 490001},
	{0, SERVER_US, SERVER_US + 60000000, 60001, 0.01, 59400000},
	/* the sample was taken during the wait */
	{3000, SERVER_US, SERVER_US + 500000, 3510, 0.01, 3495000},
	/* the sample was taken after the win, by a look that is read before the win */
	{1000, SERVER_US, SERVER_US - 100000, 1200, 0.01, 899000},
	{1000, SERVER_US, SERVER_US - 100000, 1200, 0, 900000},
	{1000, SERVER_US, SERVER_US, 1200, 0.01, 1000000},
	/* never before the sending */
	{-1000, SERVER_US, SERVER_US + 500000, 510, 0.01, 0},
	{-10, SERVER_US, SERVER_US + 10000, 510, 0, 0},
	{-10, SERVER_US, SERVER_US + 10001, 510, 0, 1},
	{1000, SERVER_US, SERVER_US - 1000000, 1200, 0.01, 0},
	/* the server's clock went back */
	{0, SERVER_US, SERVER_US - 1, 510, 0.01, 0},
	{0, SERVER_US, 1, 510, 0.01, 0},
	/* the server's clock jumped ahead: never after the receipt */
	{0, SERVER_US, SERVER_US + 520000, 510, 0, 510000},
	{0, SERVER_US, SERVER_US + 3600000000, 510, 0.01, 510000},
	{0, SERVER_US, INT64_MAX, 510, 0.01, 510000},
	{0, 1, INT64_MAX, 510, 0.01, 510000},
	/* one of the two answers has no time */
	{0, 0, SERVER_US + 500000, 510, 0.01, 0},
	{0, SERVER_US, 0, 510, 0.01, 0},
	{0, 0, 0, 510, 0.01, 0},
};

static void a_win_proves_from_when_the_try_was_run(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const proof_case *c = &cases[i];
		rl_target node = {.database = 1};
		rl_queue_place place = {
			.errand = {.node = &node, .channel.sent_at = SENT, .answer = {.time_us = c->won_us}}};
		rl_queue queue = {.place = &place};
		int64_t asked_at = SENT + c->asked_ms * MS;
		rl_sample sample = {.asked_at = asked_at,
			.heard_at = asked_at + MS,
			.server_us = c->server_us,
			.node = &node};
		int64_t since = rl_queue_won_since(&queue, &sample, c->drift_factor, SENT + c->now_ms * MS);
		if (since != SENT + c->since_us * 1000) {
			FAIL("case %zu: %" PRId64 " ns", i, since - SENT);
		}
	}
}

/* The clocks of two servers may differ by any time. */
static void a_sample_of_another_servers_clock_proves_nothing(void)
{
	rl_target here = {.database = 1};
	rl_target elsewhere = {.database = 2};
	rl_queue_place place = {
		.errand = {.channel.sent_at = SENT, .node = &here, .answer = {.time_us = 5000000}}};
	rl_queue queue = {.place = &place};
	rl_sample sample = {
		.asked_at = SENT, .heard_at = SENT + MS, .server_us = 1000000, .node = &here};
	CHECK_INT(rl_queue_won_since(&queue, &sample, 0, SENT + 10 * SECOND), SENT + 4 * SECOND);
	sample.node = &elsewhere;
	CHECK_INT(rl_queue_won_since(&queue, &sample, 0, SENT + 10 * SECOND), SENT);
}

/* ---- by the whole wait ---- */

static int64_t proven_from_ms(const rl_acquire *acquire)
{
	return (acquire->proven_until - waiting_proof(0, 30000)) / MS;
}

static void a_younger_look_proves_more(void)
{
	rl_acquire *acquire = waiting_queued(30000, 30 * SECOND);
	for (unsigned i = 1; i <= 5; i++) {
		fake_says(0, look(i * 850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	}
	waiting_drive_to(acquire, 4750);
	fake_says(0, grant(4850));
	fake_wakes(0, 100 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(proven_from_ms(acquire), 4844); /* not 4801, as the probe of 0 ms would give */
}

static void a_slow_look_proves_from_its_sending(void)
{
	rl_acquire *acquire = waiting_queued(30000, 30 * SECOND);
	/* A look that is sent at 850 ms, run at 950 ms by the server's clock, and read at 1250 ms. */
	fake_acts(0, FAKE_SAY, look(950, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 400 * MS);
	waiting_drive_to(acquire, 1350);
	fake_says(0, grant(1450));
	fake_wakes(0, 100 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(proven_from_ms(acquire), 850 + 495);
}

/* A look whose answer is not read yet is no sample. */
static void a_look_under_way_proves_nothing(void)
{
	rl_acquire *acquire = waiting_queued(30000, 30 * SECOND);
	fake_acts(0, FAKE_SAY, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 400 * MS);
	waiting_drive_to(acquire, 1100);
	fake_says(0, grant(1100));
	fake_wakes(0, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(proven_from_ms(acquire), 1089);
}

/* The server has answered the look after the win, and the wait reads it before the win. */
static void a_look_after_the_win_proves_the_time_before_it(void)
{
	rl_acquire *acquire = waiting_queued(30000, 30 * SECOND);
	waiting_drive_to(acquire, 849);
	fake_acts(0, FAKE_SAY, grant(849), 101 * MS);
	fake_acts(0, FAKE_SAY, look(900, 600000, RL_HOLDER_FOREIGN, RL_TICKET_NONE), 51 * MS);
	fake_wakes(0, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 950);
	/* The server's clock showed 849 ms at the win, and 900 ms when it ran the look, which was
	 * sent at 850 ms of ours. So the win was at 799 ms or later, and the drift makes that 798
	 * ms. */
	CHECK_INT(proven_from_ms(acquire), 798);
}

static void a_win_without_a_time_proves_from_its_sending(void)
{
	rl_acquire *acquire = waiting_queued(30000, 30 * SECOND);
	fake_says(0, "*:1 :0");
	fake_wakes(0, 500 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(proven_from_ms(acquire), 0);
}

static void a_clock_that_went_back_proves_from_the_sending(void)
{
	rl_acquire *acquire = waiting_queued(30000, 30 * SECOND);
	fake_says(0, grant(-5));
	fake_wakes(0, 500 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(proven_from_ms(acquire), 0);
}

static void a_clock_that_jumped_proves_from_the_receipt(void)
{
	rl_acquire *acquire = waiting_queued(30000, 30 * SECOND);
	fake_says(0, grant(3600000));
	fake_wakes(0, 500 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(proven_from_ms(acquire), 500);
}

/* A place that is taken again has a sending of its own. */
static void the_second_place_proves_from_its_own_sending(void)
{
	rl_acquire *acquire = waiting_queued(30000, 30 * SECOND);
	fake_says(0, refusal(300, 600000, RL_HOLDER_KIN));
	fake_wakes(0, 300 * MS);
	waiting_drive_to(acquire, 300);
	CHECK_INT(acquire->queue.place->errand.channel.sent_at, FAKE_START + 300 * MS);
	fake_says(0, "*:1 :0");
	fake_wakes(0, 100 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(proven_from_ms(acquire), 300);
}

static void a_win_that_is_read_late_proves_no_more(void)
{
	rl_acquire *acquire = waiting_queued(30000, 30 * SECOND);
	fake_acts(0, FAKE_SAY, grant(500), 300 * MS);
	fake_wakes(0, 500 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 800);
	CHECK_INT(proven_from_ms(acquire), 495);
}

static const check_test tests[] = {
	TEST(a_win_proves_from_when_the_try_was_run),
	TEST(a_sample_of_another_servers_clock_proves_nothing),
	TEST(a_younger_look_proves_more),
	TEST(a_slow_look_proves_from_its_sending),
	TEST(a_look_under_way_proves_nothing),
	TEST(a_look_after_the_win_proves_the_time_before_it),
	TEST(a_win_without_a_time_proves_from_its_sending),
	TEST(a_clock_that_went_back_proves_from_the_sending),
	TEST(a_clock_that_jumped_proves_from_the_receipt),
	TEST(the_second_place_proves_from_its_own_sending),
	TEST(a_win_that_is_read_late_proves_no_more),
};

CHECK_MAIN(tests, fake_end)
