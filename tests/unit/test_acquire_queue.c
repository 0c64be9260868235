/* SPDX-License-Identifier: MIT
 *
 * A wait that is woken: going into the queue, when it looks beside it, and what a look finds.
 */
#include "check.h"
#include "waiting.h"

#include <inttypes.h>

/* ---- into the queue ---- */

static void a_waiter_is_marked_and_goes_into_the_queue(void)
{
	waiting_queued(30000, 10 * SECOND);
	CHECK_LOG(QUEUED_LOG("T1", "11.120"));
	CHECK_INT(fake_writes, 3); /* BLPOP and try in one */
	CHECK_INT(fake_stats.tries, 1);
	CHECK_INT(fake_stats.backoffs, 0);
	CHECK_INT(fake_stats.probes, 1);
	CHECK_INT(fake_stats.wake_ups, 0);
	CHECK_INT(fake_wait.count, 1); /* the queue; nothing is held on the other side */
	CHECK_INT(fake_wait.until, FAKE_START + 850 * MS);
	CHECK_INT(fake_blocked_links(), 1);
}

static void another_wait_has_its_own_connections(void)
{
	waiting_queued(30000, 10 * SECOND);
	rl_pool_clear(&fake_pool);
	fake_forget_log();
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(fake_acquire(30000, 10 * SECOND), 0);
	CHECK_LOG("0 a3 dial\n"
			  "0 a3 SET k T2 NX PX 30000\n"
			  "0 a3 NAME\n"
			  "0 a3 probe+ k T2 W2\n"
			  "0 a4 dial\n"
			  "0 a4 NAME\n"
			  "0 a4 BLPOP k::rl-wake 11.120\n"
			  "0 a4 TRY+ k T2 30000 0 1 W2 0\n");
}

static void a_dialled_queue_has_its_name_in_front(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_acts(0, FAKE_SAY_BREAK, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 0);
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	rl_conn *other = rl_pool_take(&fake_pool, &fake_targets[0], RL_WANT_ANY, fake_clock);
	rl_conn *broken = rl_pool_take(&fake_pool, &fake_targets[0], RL_WANT_ANY, fake_clock);
	rl_conn_free(other);
	rl_pool_give(&fake_pool, broken, fake_clock);
	fake_forget_log();
	fake_dials(0, FAKE_ACCEPT_AT_ONCE, 0);
	waiting_drive_to(acquire, 0);
	/* The connection of the probe is closed: the queue dials, and writes in one. */
	CHECK_HAS(fake_log(),
		"0 a3 dial\n"
		"0 a3 NAME\n"
		"0 a3 BLPOP k::rl-wake 11.120\n"
		"0 a3 TRY+ k T1 30000 0 1 W1 0\n");
	CHECK_INT(fake_writes, 3);
}

/* BLPOP blocks to the end of the wait, also by a clock that is fast. */
static void blpop_blocks_to_the_end_of_the_wait(void)
{
	waiting_begin();
	fake_acts(0, FAKE_SAY, "_", 30 * MS);
	fake_acts(0, FAKE_SAY, look(50, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 40 * MS);
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_drive_to(acquire, 70);
	CHECK_LOG("0 a2 SET k T1 NX PX 30000\n"
			  "30 a2 probe+ k T1 W1\n"
			  "70 a2 BLPOP k::rl-wake 11.049\n"
			  "70 a2 TRY+ k T1 30000 0 1 W1 0\n");
	CHECK_INT(acquire->sample.asked_at, FAKE_START + 30 * MS);
	CHECK_INT(acquire->sample.heard_at, FAKE_START + 70 * MS);
}

/* The mark is good for two seconds, and not beyond the end of the wait. */
static void the_mark_ends_with_the_wait(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	rl_acquire *acquire = fake_acquire(30000, 2500 * MS);
	waiting_look_on(2);
	waiting_drive_to(acquire, 2400);
	CHECK_COUNT("0 a2 probe+ k T1 W1\n", 1);
	CHECK_COUNT("850 a1 probe+ k T1 W1 1650\n", 1);
	CHECK_COUNT("1700 a1 probe+ k T1 W1 800\n", 1);
}

static void a_place_is_kept_for_an_hour(void)
{
	waiting_queued(30000, 3599 * SECOND);
	CHECK_HAS(fake_log(), "BLPOP k::rl-wake 3636.010\n0 a2 TRY+ k T1 30000 0 1 W1 0\n");
}

static void a_wait_may_be_endless(void)
{
	const int64_t endless[] = {RL_NEVER, RL_NEVER - FAKE_START + 1, RL_NEVER - FAKE_START};
	for (unsigned i = 0; i < 3; i++) {
		rl_acquire *acquire = waiting_queued(30000, endless[i]);
		CHECK_HAS(fake_log(), "BLPOP k::rl-wake 3637.020\n0 a2 TRY+ k T1 30000 0 1 W1 0\n");
		CHECK_INT(acquire->deadline, RL_NEVER);
		fake_says(0, grant(10));
		fake_wakes(0, 10 * MS);
		CHECK_INT(fake_drive(&acquire->op), RL_OK);
		fake_end();
	}
}

/* BLPOP has ended without a ticket: the place is taken again, on the same connection. */
static void after_its_slice_it_goes_in_again(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	fake_blpops(0, FAKE_SAY, "_", 1500 * MS);
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_look_on(1);
	waiting_drive_to(acquire, 1400);
	fake_forget_log();
	fake_says(0, refusal(1500, 600000, RL_HOLDER_KIN));
	waiting_drive_to(acquire, 1500);
	CHECK_LOG("1500 a2 BLPOP k::rl-wake 9.605\n"
			  "1500 a2 TRY+ k T1 30000 0 1 W1 0\n");
	CHECK_INT(fake_stats.wake_ups, 0);
	CHECK_INT(fake_stats.spurious_wake_ups, 0);
	CHECK_INT(fake_stats.backoffs, 0);
	/* The looks go on as before. */
	CHECK_INT(fake_wait.until, FAKE_START + 1700 * MS);
}

static void without_wake_a_waiter_polls(void)
{
	waiting_begin();
	fake_set.wakes = false;
	fake_says(0, "_");
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
	CHECK_LOG("0 a2 SET k T1 NX PX 30000\n10 a2 try k T1 30000 0 0 - 0\n");
	CHECK_INT(fake_stats.wake_failures, 0);
}

static void without_a_wait_nothing_is_marked(void)
{
	waiting_begin();
	fake_says(0, "_");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
	CHECK_LOG("0 a2 SET k T1 NX PX 30000\n");
}

/* The probe has sent a ticket, which lies there for the place that follows. */
static void a_lock_that_is_free_by_then_is_taken_in_the_queue(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_acts(0, FAKE_SAY, look(0, -2, RL_HOLDER_NOBODY, RL_TICKET_NONE), 5 * MS);
	fake_blpops(0, FAKE_SAY, FAKE_TICKET, 0);
	fake_says(0, grant(5));
	rl_acquire *acquire = fake_acquire(30000, SECOND);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("0 a2 SET k T1 NX PX 30000\n"
			  "0 a2 probe+ k T1 W1 1000\n"
			  "5 a2 BLPOP k::rl-wake 2.024\n"
			  "5 a2 TRY+ k T1 30000 0 1 W1 0\n");
	CHECK_INT(acquire->proven_until, waiting_proof(5, 30000));
	CHECK_INT(fake_stats.tries, 1);
	CHECK_INT(fake_stats.wake_ups, 1);
}

/* ---- when it looks ---- */

static void it_looks_each_850_ms(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	waiting_look_on(4);
	fake_forget_log();
	waiting_drive_to(acquire, 3500);
	CHECK_LOG("850 a1 probe+ k T1 W1\n"
			  "1700 a1 probe+ k T1 W1\n"
			  "2550 a1 probe+ k T1 W1\n"
			  "3400 a1 probe+ k T1 W1\n");
	CHECK_INT(fake_stats.probes, 5);
	CHECK_INT(fake_stats.tries, 1);
	CHECK_INT(fake_stats.backoffs, 0);
	CHECK_INT(fake_wait.until, FAKE_START + 4250 * MS);
	CHECK_INT(fake_wait.count, 1);
}

typedef struct look_case {
	int64_t pttl;
	rl_holder holder;
	int64_t next_ms; /* after the answer */
	unsigned delays; /* back-off delays that were counted */
} look_case;

static const look_case look_cases[] = {
	{600000, RL_HOLDER_KIN, 850, 0},
	{851, RL_HOLDER_KIN, 850, 0},
	{850, RL_HOLDER_KIN, 850, 0},
	{849, RL_HOLDER_KIN, 850, 0},
	{848, RL_HOLDER_KIN, 849, 0},
	{300, RL_HOLDER_KIN, 301, 0},
	{0, RL_HOLDER_KIN, 1, 0},
	{INT64_MAX, RL_HOLDER_KIN, 850, 0},
	{-1, RL_HOLDER_KIN, 10, 1}, /* for ever: whoever frees it does not use release */
	{600000, RL_HOLDER_FOREIGN, 10, 1},
	{3, RL_HOLDER_FOREIGN, 4, 1},
	{-1, RL_HOLDER_FOREIGN, 10, 1},
	{7, RL_HOLDER_RESERVED, 100, 0},
};

static void the_second_look_is_due_by_what_the_first_one_met(void)
{
	for (size_t i = 0; i < sizeof look_cases / sizeof look_cases[0]; i++) {
		const look_case *c = &look_cases[i];
		waiting_begin();
		fake_says(0, "_");
		fake_says(0, look(0, c->pttl, c->holder, RL_TICKET_NONE));
		rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
		waiting_drive_to(acquire, 0);
		if (fake_wait.until != FAKE_START + c->next_ms * MS || fake_stats.backoffs != c->delays) {
			FAIL("case %zu: %" PRId64 " ms, %d delays", i, (fake_wait.until - FAKE_START) / MS,
				(int) fake_stats.backoffs);
		}
		fake_end();
	}
}

static void the_next_look_is_due_by_what_the_last_one_met(void)
{
	for (size_t i = 0; i < sizeof look_cases / sizeof look_cases[0]; i++) {
		const look_case *c = &look_cases[i];
		rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
		fake_acts(0, FAKE_SAY, look(852, c->pttl, c->holder, RL_TICKET_NONE), 5 * MS);
		waiting_drive_to(acquire, 855);
		/* A look each 850 ms is reckoned from when the latest was sent. */
		int64_t next_ms = c->next_ms < 845 ? 855 + c->next_ms : 1700;
		if (fake_wait.until != FAKE_START + next_ms * MS || fake_stats.backoffs != c->delays) {
			FAIL("case %zu: %" PRId64 " ms, %d delays", i, (fake_wait.until - FAKE_START) / MS,
				(int) fake_stats.backoffs);
		}
		fake_end();
	}
}

/* A free lock for which a ticket was sent now: whoever it wakes is ahead of the next look. */
static void a_look_that_wakes_somebody_looks_again_soon(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_says(0, look(850, -2, RL_HOLDER_NOBODY, RL_TICKET_NONE));
	waiting_drive_to(acquire, 850);
	CHECK_INT(fake_wait.until, FAKE_START + 860 * MS);
	CHECK_COUNT("try", 0);
}

static void for_a_foreign_holder_the_delays_grow(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_FOREIGN, RL_TICKET_NONE));
	for (unsigned i = 0; i < 6; i++) {
		fake_says(0, look(0, 600000, RL_HOLDER_FOREIGN, RL_TICKET_NONE));
	}
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_drive_to(acquire, 0);
	fake_forget_log();
	waiting_drive_to(acquire, 599);
	CHECK_LOG("10 a1 probe+ k T1 W1\n"
			  "30 a1 probe+ k T1 W1\n"
			  "70 a1 probe+ k T1 W1\n"
			  "150 a1 probe+ k T1 W1\n"
			  "310 a1 probe+ k T1 W1\n"
			  "510 a1 probe+ k T1 W1\n");
	CHECK_INT(fake_stats.backoffs, 7);
	CHECK_INT(fake_wait.until, FAKE_START + 710 * MS);
}

/* Of many waiters not all look in the millisecond in which a dead holder's TTL ends. */
static void many_looks_at_the_end_of_a_ttl_are_spread(void)
{
	int64_t first = INT64_MAX;
	int64_t last = 0;
	for (unsigned i = 0; i < 20; i++) {
		waiting_begin();
		for (unsigned draws = 0; draws < i; draws++) {
			char unused[RL_TOKEN_LEN];
			CHECK_INT(rl_token_draw(&fake_env, unused), RL_OK);
		}
		fake_says(0, "_");
		fake_says(0, "*:1000000000 :500 :3 :0 :3000");
		waiting_drive_to(fake_acquire(30000, 10 * SECOND), 0);
		int64_t at = fake_wait.until - FAKE_START;
		first = at < first ? at : first;
		last = at > last ? at : last;
		fake_end();
	}
	CHECK(first >= 501 * MS);
	CHECK(last <= 651 * MS);
	CHECK(last - first > 60 * MS);
}

/* A probe that is answered only after the deadline tells nothing, and stands in the last try's way.
 */
static void no_look_right_before_the_deadline_of_a_slow_server(void)
{
	waiting_begin();
	fake_acts(0, FAKE_SAY, "_", 100 * MS);
	fake_acts(0, FAKE_SAY, look(150, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 100 * MS);
	rl_acquire *acquire = fake_acquire(30000, 1149 * MS);
	waiting_drive_to(acquire, 200);
	CHECK_INT(fake_wait.until, FAKE_START + 1149 * MS); /* 950 and twice 100 ms is later */
	fake_end();
	waiting_begin();
	fake_acts(0, FAKE_SAY, "_", 100 * MS);
	fake_acts(0, FAKE_SAY, look(150, 600000, RL_HOLDER_KIN, RL_TICKET_NONE), 100 * MS);
	acquire = fake_acquire(30000, 1150 * MS);
	waiting_drive_to(acquire, 200);
	CHECK_INT(fake_wait.until, FAKE_START + 950 * MS);
}

/* The mark is void in two seconds. */
static void no_look_waits_over_850_ms(void)
{
	static const rl_holder holders[] = {RL_HOLDER_FOREIGN, RL_HOLDER_KIN};
	for (unsigned i = 0; i < 2; i++) {
		waiting_begin();
		fake_set.backoff = (rl_backoff){.first_ns = 5 * SECOND, .max_ns = 60 * SECOND};
		fake_says(0, "_");
		fake_says(0, look(0, -1, holders[i], RL_TICKET_NONE));
		fake_says(0, "-LOADING x");
		fake_says(0, look(1700, -1, holders[i], RL_TICKET_NONE));
		rl_acquire *acquire = fake_acquire(30000, 100 * SECOND);
		waiting_drive_to(acquire, 2500);
		CHECK_COUNT("850 a1 probe+", 1);
		CHECK_COUNT("1700 a1 probe+", 1);
		CHECK_INT(fake_wait.until, FAKE_START + 2550 * MS);
		CHECK_INT(fake_stats.backoffs, 3);
		fake_end();
	}
}

/* Who has no mark to refresh waits as long as it is told to. */
static void a_waiter_that_polls_waits_longer(void)
{
	waiting_begin();
	fake_set.backoff = (rl_backoff){.first_ns = 5 * SECOND, .max_ns = 60 * SECOND};
	fake_says(0, "_");
	fake_says(0, "*:0 :600000 :3 :0 :1"); /* no helper keys */
	fake_says(0, "*:0 :0 :600000 :3 :1");
	rl_acquire *acquire = fake_acquire(30000, 100 * SECOND);
	waiting_drive_to(acquire, 1);
	CHECK_INT(fake_wait.until, FAKE_START + 5 * SECOND);
	fake_end();
	waiting_begin();
	fake_set.backoff = (rl_backoff){.first_ns = 5 * SECOND, .max_ns = 60 * SECOND};
	fake_set.wakes = false;
	fake_says(0, "_");
	waiting_drive_to(fake_acquire(30000, 100 * SECOND), 1);
	CHECK_INT(fake_wait.until, FAKE_START + 5 * SECOND);
}

/* The older the sample of the server's clock, the more of a short ttl drift may hide. */
static void a_short_ttl_is_looked_at_more_often(void)
{
	static const struct {
		int64_t ttl_ms;
		double drift;
		int64_t us;
	} cases[] = {{30000, 0.01, 850000}, {34, 0.01, 850000}, {33, 0.01, 825000}, {20, 0.01, 500000},
		{1, 0.01, 25000}, {100, 0.1, 250000}, {4, 0.1, 10000}, {3, 0.1, 10000}, {1, 0.5, 10000},
		{1, 0, 850000}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		waiting_begin();
		fake_set.drift_factor = cases[i].drift;
		fake_says(0, "_");
		fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
		waiting_drive_to(fake_acquire(cases[i].ttl_ms, 10 * SECOND), 0);
		if (fake_wait.until != FAKE_START + cases[i].us * 1000) {
			FAIL("case %zu: %" PRId64 " us", i, (fake_wait.until - FAKE_START) / 1000);
		}
		fake_end();
	}
}

/* ---- what a look finds ---- */

/* Nobody has the lock and a ticket lies there: nobody is in the queue to take it. The own place is
 * lost. */
static void a_ticket_that_lies_there_is_no_bodys(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	fake_says(0, look(850, -2, RL_HOLDER_NOBODY, RL_TICKET_OUT));
	fake_says(0, ":0");
	fake_acts(0, FAKE_SAY, grant(850), 5 * MS);
	waiting_drive_to(acquire, 852);
	CHECK_LOG("850 a1 probe+ k T1 W1\n"
			  "850 a2 RELEASE k T1\n"
			  "850 a2 end\n"
			  "850 a2 close\n"
			  "850 a1 RELEASE+ k W1 W1\n"
			  "850 a1 try+ k T2 30000 0 0 W2\n");
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(acquire->proven_until, waiting_proof(850, 30000));
	CHECK_INT(fake_stats.grants_undone, 1);
	CHECK_INT(fake_stats.probes, 2);
	CHECK_INT(fake_stats.tries, 2);
}

/* The look may have come to the server before our own BLPOP, which takes the ticket when it comes.
 */
static void a_ticket_does_not_lie_while_our_place_is_on_its_way(void)
{
	waiting_begin();
	fake_acts(0, FAKE_SAY, "_", 0);
	fake_says(0, look(0, 25, RL_HOLDER_KIN, RL_TICKET_NONE));
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_drive_to(acquire, 25);
	fake_forget_log();
	/* Of 20 ms each, the first begun 26 ms after the place was written, the second 56 ms. */
	fake_acts(0, FAKE_SAY, look(26, -2, RL_HOLDER_NOBODY, RL_TICKET_OUT), 20 * MS);
	fake_acts(0, FAKE_SAY, look(56, -2, RL_HOLDER_NOBODY, RL_TICKET_OUT), 20 * MS);
	waiting_drive_to(acquire, 75);
	CHECK_LOG("26 a1 probe+ k T1 W1\n56 a1 probe+ k T1 W1\n");
	fake_says(0, ":0");
	fake_says(0, grant(76));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("76 a1 try+ k T2 ", 1);
}

/* The second look was answered before the place had come to the server. */
static void a_place_on_its_way_is_not_left_for_a_free_lock(void)
{
	waiting_begin();
	rl_pool_clear(&fake_pool);
	fake_warm(0);
	fake_dials(0, FAKE_ACCEPT, 15 * MS);
	fake_acts(0, FAKE_SAY, "_", 15 * MS);
	fake_acts(0, FAKE_SAY, look(15, -2, RL_HOLDER_NOBODY, RL_TICKET_NONE), 15 * MS);
	fake_acts(0, FAKE_SAY, look(31, -2, RL_HOLDER_NOBODY, RL_TICKET_OUT), 15 * MS);
	fake_blpops(0, FAKE_SAY, FAKE_TICKET, 0);
	fake_acts(0, FAKE_SAY, grant(45), 15 * MS);
	fake_acts(0, FAKE_SAY, look(47, 29998, RL_HOLDER_SELF, RL_TICKET_NONE), 15 * MS);
	CHECK_INT(fake_drive(&fake_acquire(30000, 10 * SECOND)->op), RL_OK);
	CHECK_INT(fake_ms(), 60);
	CHECK_COUNT("RELEASE", 0);
	CHECK_COUNT("try", 0);
}

/* A ticket was sent and nobody of ours came for it, and again: the own place is of no use. */
static void two_looks_that_find_nobody_are_enough(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	fake_says(0, look(850, -2, RL_HOLDER_NOBODY, RL_TICKET_NONE));
	fake_says(0, look(860, -2, RL_HOLDER_NOBODY, RL_TICKET_NONE));
	fake_says(0, ":0");
	fake_says(0, grant(860));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_HAS(fake_log(), "850 a1 probe+ k T1 W1\n860 a1 probe+ k T1 W1\n860 a2 RELEASE k T1\n");
	CHECK_HAS(fake_log(), "860 a1 try+ k T2 30000 0 0 W2\n");
	CHECK_INT(fake_stats.grants_undone, 1);
}

static void between_them_somebody_may_have_had_it(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	for (unsigned i = 0; i < 3; i++) {
		fake_says(0, look(850 + i * 851, -2, RL_HOLDER_NOBODY, RL_TICKET_NONE));
		fake_says(0, look(851 + i * 851, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	}
	fake_forget_log();
	waiting_drive_to(acquire, 3400);
	CHECK_COUNT("try", 0);
	CHECK_COUNT("probe", 6);
	CHECK_INT(fake_blocked_links(), 1);
}

/* Tried and refused is as good as a look that finds a holder. */
static void after_a_try_they_are_counted_anew(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_says(0, look(850, -2, RL_HOLDER_NOBODY, RL_TICKET_NONE));
	fake_says(0, look(860, -2, RL_HOLDER_NOBODY, RL_TICKET_NONE));
	fake_says(0, ":0");
	fake_says(0, refusal(860, 600000, RL_HOLDER_KIN));
	fake_says(0, look(860, -2, RL_HOLDER_NOBODY, RL_TICKET_NONE));
	waiting_drive_to(acquire, 860);
	CHECK_COUNT("860 a1 try+ k T2 ", 1);
	CHECK_COUNT("try", 1);
	CHECK_COUNT("860 a1 probe+ k T2 W2\n", 1);
	CHECK_INT(fake_wait.until, FAKE_START + 880 * MS);
	CHECK_INT(fake_blocked_links(), 1);
	fake_forget_log();
	fake_says(0, look(880, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	fake_says(0, look(1730, -2, RL_HOLDER_NOBODY, RL_TICKET_NONE));
	waiting_drive_to(acquire, 1730);
	CHECK_COUNT("probe", 2);
	CHECK_COUNT("try", 0);
}

static void refused_after_that_it_goes_in_with_the_fresh_token(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_says(0, look(850, -2, RL_HOLDER_NOBODY, RL_TICKET_OUT));
	fake_says(0, ":0");
	fake_says(0, refusal(850, 600000, RL_HOLDER_KIN));
	fake_says(0, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 850);
	CHECK_HAS(fake_log(),
		"850 a1 try+ k T2 30000 0 0 W2\n"
		"850 a1 probe+ k T2 W2\n"
		"850 a3 dial\n"
		"850 a3 NAME\n"
		"850 a3 BLPOP k::rl-wake 10.261\n"
		"850 a3 TRY+ k T2 30000 0 1 W2 0\n");
	fake_forget_log();
	fake_says(0, look(1700, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 1700);
	CHECK_LOG("1700 a1 probe+ k T2 W2\n");
}

static void a_ticket_that_is_out_for_a_held_lock_is_nothing(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	fake_says(0, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_OUT));
	waiting_drive_to(acquire, 1500);
	CHECK_LOG("850 a1 probe+ k T1 W1\n");
}

/* The lock is ours: the queue has won, and its answer is late or lost. The place is not left. */
static void a_look_that_meets_the_own_token_asks_for_it(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	fake_says(0, look(850, 29000, RL_HOLDER_SELF, RL_TICKET_NONE));
	fake_acts(0, FAKE_SAY, grant(850), 5 * MS);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_LOG("850 a1 probe+ k T1 W1\n"
			  "850 a1 try+ k T1 30000 1 2 W1\n"
			  "855 a2 close\n");
	CHECK_INT(acquire->proven_until, waiting_proof(850, 30000));
	CHECK_INT(fake_stats.grants_undone, 0);
}

static void what_it_asked_for_may_be_gone(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_says(0, look(850, 1, RL_HOLDER_SELF, RL_TICKET_NONE));
	fake_says(0, refusal(850, 600000, RL_HOLDER_KIN));
	fake_says(0, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 1500);
	CHECK_INT(fake_blocked_links(), 1);
	CHECK_INT(fake_wait.until, FAKE_START + 1700 * MS);
	CHECK_COUNT("BLPOP", 1);
	CHECK_INT(fake_stats.grants_undone, 0);
	/* The next try is not asked for what the queue has won. */
	fake_says(0, look(1700, -2, RL_HOLDER_NOBODY, RL_TICKET_OUT));
	fake_says(0, ":0");
	fake_says(0, grant(1700));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_HAS(fake_log(), "1700 a2 RELEASE k T1\n1700 a2 end\n1700 a2 close\n");
	CHECK_HAS(fake_log(), "1700 a1 try+ k T2 30000 0 0 ");
}

static void what_is_gone_is_not_won_at_the_end(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_set.retries = 2;
	fake_says(0, look(850, 1, RL_HOLDER_SELF, RL_TICKET_NONE));
	fake_says(0, refusal(850, 600000, RL_HOLDER_KIN));
	fake_says(0, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	waiting_drive_to(acquire, 1500);
	fake_forget_log();
	fake_says(0, refusal(1700, 600000, RL_HOLDER_KIN));
	CHECK_INT(fake_drive(&acquire->op), RL_BUSY);
	CHECK_HAS(fake_log(), "1700 a2 RELEASE k T1\n1700 a2 end\n1700 a2 close\n1700 a1 try+ k T2 ");
}

static const check_test tests[] = {
	TEST(a_waiter_is_marked_and_goes_into_the_queue),
	TEST(another_wait_has_its_own_connections),
	TEST(a_dialled_queue_has_its_name_in_front),
	TEST(blpop_blocks_to_the_end_of_the_wait),
	TEST(the_mark_ends_with_the_wait),
	TEST(a_place_is_kept_for_an_hour),
	TEST(a_wait_may_be_endless),
	TEST(after_its_slice_it_goes_in_again),
	TEST(without_wake_a_waiter_polls),
	TEST(without_a_wait_nothing_is_marked),
	TEST(a_lock_that_is_free_by_then_is_taken_in_the_queue),
	TEST(it_looks_each_850_ms),
	TEST(the_second_look_is_due_by_what_the_first_one_met),
	TEST(the_next_look_is_due_by_what_the_last_one_met),
	TEST(a_look_that_wakes_somebody_looks_again_soon),
	TEST(for_a_foreign_holder_the_delays_grow),
	TEST(many_looks_at_the_end_of_a_ttl_are_spread),
	TEST(no_look_right_before_the_deadline_of_a_slow_server),
	TEST(no_look_waits_over_850_ms),
	TEST(a_waiter_that_polls_waits_longer),
	TEST(a_short_ttl_is_looked_at_more_often),
	TEST(a_ticket_that_lies_there_is_no_bodys),
	TEST(a_ticket_does_not_lie_while_our_place_is_on_its_way),
	TEST(a_place_on_its_way_is_not_left_for_a_free_lock),
	TEST(two_looks_that_find_nobody_are_enough),
	TEST(between_them_somebody_may_have_had_it),
	TEST(after_a_try_they_are_counted_anew),
	TEST(refused_after_that_it_goes_in_with_the_fresh_token),
	TEST(a_ticket_that_is_out_for_a_held_lock_is_nothing),
	TEST(a_look_that_meets_the_own_token_asks_for_it),
	TEST(what_it_asked_for_may_be_gone),
	TEST(what_is_gone_is_not_won_at_the_end),
};

CHECK_MAIN(tests, fake_end)
