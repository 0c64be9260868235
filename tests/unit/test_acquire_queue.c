/* SPDX-License-Identifier: MIT
 *
 * A wait that is woken: how it enters the queue, when it looks, and what a look finds.
 */
#include "check.h"
#include "waiting.h"

#include <float.h>
#include <inttypes.h>

/* ---- into the queue ---- */

static void a_waiter_is_marked_and_goes_into_the_queue(void)
{
	waiting_queued(30000, 10 * SECOND);
	CHECK_LOG(QUEUED_LOG("T1", "11.120"));
	CHECK_INT(fake_writes, 3); /* BLPOP and try in one write */
	CHECK_INT(fake_stats.tries, 1);
	CHECK_INT(fake_stats.backoffs, 0);
	CHECK_INT(fake_stats.probes, 1);
	CHECK_INT(fake_stats.wake_ups, 0);
	CHECK_INT(fake_wait.count, 1); /* the connection in the queue; no other connection is held */
	CHECK_INT(fake_wait.until, FAKE_START + 850 * MS);
	CHECK_INT(fake_blocked_links(), 1);
}

static void a_second_wait_has_its_own_connections(void)
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

static void a_dialled_place_sends_its_connection_name_first(void)
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
	/* The connection of the probe is closed. The place dials, and writes its commands at once. */
	CHECK_HAS(fake_log(),
		"0 a3 dial\n"
		"0 a3 NAME\n"
		"0 a3 BLPOP k::rl-wake 11.120\n"
		"0 a3 TRY+ k T1 30000 0 1 W1 0\n");
	CHECK_INT(fake_writes, 3);
}

/* BLPOP blocks until the end of the wait, also on a server whose clock is fast. */
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

/* The mark is valid for two seconds, but not beyond the end of the wait. */
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

/* BLPOP has ended without a ticket: the waiter takes a place again, on the same connection. */
static void a_waiter_takes_a_new_place_when_its_blpop_ends(void)
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
			  "1500 a2 try+ k T1 30000 0 1 W1 0\n");
	CHECK_INT(fake_stats.wake_ups, 0);
	CHECK_INT(fake_stats.spurious_wake_ups, 0);
	CHECK_INT(fake_stats.backoffs, 0);
	/* The looks go on as before. */
	CHECK_INT(fake_wait.until, FAKE_START + 1700 * MS);
}

static void a_waiter_polls_if_waking_is_off(void)
{
	waiting_begin();
	fake_set.wakes = false;
	fake_says(0, "_");
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
	CHECK_LOG("0 a2 SET k T1 NX PX 30000\n10 a2 try k T1 30000 0 0 - 0\n");
	CHECK_INT(fake_stats.wake_failures, 0);
}

static void a_call_without_a_wait_marks_nothing(void)
{
	waiting_begin();
	fake_says(0, "_");
	CHECK_INT(fake_drive(&fake_acquire(30000, 0)->op), RL_BUSY);
	CHECK_LOG("0 a2 SET k T1 NX PX 30000\n");
}

/* The probe has put a ticket into the list, where the waiter's own BLPOP finds it. */
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

/* ---- the times of looks ---- */

static void a_waiter_looks_each_850_ms(void)
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
	int64_t next_ms; /* of the next look, after the answer */
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
	{-1, RL_HOLDER_KIN, 10, 1}, /* for ever: a foreign holder does not free it by a release */
	{600000, RL_HOLDER_FOREIGN, 10, 1},
	{3, RL_HOLDER_FOREIGN, 4, 1},
	{-1, RL_HOLDER_FOREIGN, 10, 1},
	{7, RL_HOLDER_RESERVED, 100, 0},
};

static void the_first_look_decides_when_the_second_is_due(void)
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

static void each_look_decides_when_the_next_is_due(void)
{
	for (size_t i = 0; i < sizeof look_cases / sizeof look_cases[0]; i++) {
		const look_case *c = &look_cases[i];
		rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
		fake_acts(0, FAKE_SAY, look(852, c->pttl, c->holder, RL_TICKET_NONE), 5 * MS);
		waiting_drive_to(acquire, 855);
		/* The 850 ms count from when the last look was sent. */
		int64_t next_ms = c->next_ms < 845 ? 855 + c->next_ms : 1700;
		if (fake_wait.until != FAKE_START + next_ms * MS || fake_stats.backoffs != c->delays) {
			FAIL("case %zu: %" PRId64 " ms, %d delays", i, (fake_wait.until - FAKE_START) / MS,
				(int) fake_stats.backoffs);
		}
		fake_end();
	}
}

/* A free lock, and a ticket that the look has sent: the waiter that gets it has some time before
 * the next look. */
static void a_look_that_wakes_a_waiter_is_repeated_soon(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_says(0, look(850, -2, RL_HOLDER_NOBODY, RL_TICKET_NONE));
	waiting_drive_to(acquire, 850);
	CHECK_INT(fake_wait.until, FAKE_START + 860 * MS);
	CHECK_COUNT("try", 0);
}

static void the_delays_grow_while_the_holder_is_foreign(void)
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

/* Many waiters do not all look in the millisecond in which the TTL of a dead holder ends. */
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

/* A probe that is answered only after the deadline tells nothing, and delays the last try. */
static void a_slow_server_gets_no_look_right_before_the_deadline(void)
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

/* The mark is valid for two seconds, and looks refresh it. */
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

/* A waiter that polls has no mark to refresh, so the back-off alone decides. */
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
		/* An i386 computes with more digits, and may round by one. */
		int64_t early_ns = FAKE_START + cases[i].us * 1000 - fake_wait.until;
		if (early_ns < 0 || early_ns > (FLT_EVAL_METHOD == 2)) {
			FAIL("case %zu: %" PRId64 " us", i, (fake_wait.until - FAKE_START) / 1000);
		}
		fake_end();
	}
}

/* ---- what a look finds ---- */

/* No client has the lock, and a ticket is in the list: no waiter is in the queue to take it. So our
 * place is lost. */
static void a_ticket_that_stays_in_the_list_means_that_no_waiter_is_queued(void)
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

/* The server may have run the look before our BLPOP, which takes the ticket when it arrives. */
static void a_ticket_may_stay_in_the_list_while_our_blpop_is_on_its_way(void)
{
	waiting_begin();
	fake_acts(0, FAKE_SAY, "_", 0);
	fake_says(0, look(0, 25, RL_HOLDER_KIN, RL_TICKET_NONE));
	rl_acquire *acquire = fake_acquire(30000, 10 * SECOND);
	waiting_drive_to(acquire, 25);
	fake_forget_log();
	/* Two looks of 20 ms each: the first begins 26 ms after the place was written, the second 56
	 * ms. */
	fake_acts(0, FAKE_SAY, look(26, -2, RL_HOLDER_NOBODY, RL_TICKET_OUT), 20 * MS);
	fake_acts(0, FAKE_SAY, look(56, -2, RL_HOLDER_NOBODY, RL_TICKET_OUT), 20 * MS);
	waiting_drive_to(acquire, 75);
	CHECK_LOG("26 a1 probe+ k T1 W1\n56 a1 probe+ k T1 W1\n");
	fake_says(0, ":0");
	fake_says(0, grant(76));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_COUNT("76 a1 try+ k T2 ", 1);
}

/* The server answers the second look before the commands of the place arrive. */
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

/* Two looks have sent a ticket, and no waiter has taken the lock: our own place is of no use. */
static void two_looks_that_find_no_holder_end_the_place(void)
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

static void a_look_that_finds_a_holder_begins_the_count_anew(void)
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

/* A refused try shows a holder, as a look does. */
static void a_refused_try_begins_the_count_anew(void)
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

static void after_the_refused_try_a_waiter_queues_with_a_fresh_token(void)
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

static void a_ticket_in_the_list_of_a_held_lock_means_nothing(void)
{
	rl_acquire *acquire = waiting_queued(30000, 10 * SECOND);
	fake_forget_log();
	fake_says(0, look(850, 600000, RL_HOLDER_KIN, RL_TICKET_OUT));
	waiting_drive_to(acquire, 1500);
	CHECK_LOG("850 a1 probe+ k T1 W1\n");
}

/* The key has our token: the place has won, and its answer is late or lost. The waiter keeps its
 * place. */
static void a_look_that_meets_our_token_is_followed_by_a_try(void)
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

static void our_token_may_be_gone_when_the_try_comes(void)
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
	/* The next try uses a fresh token, because the place has won with the last one. */
	fake_says(0, look(1700, -2, RL_HOLDER_NOBODY, RL_TICKET_OUT));
	fake_says(0, ":0");
	fake_says(0, grant(1700));
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_HAS(fake_log(), "1700 a2 RELEASE k T1\n1700 a2 end\n1700 a2 close\n");
	CHECK_HAS(fake_log(), "1700 a1 try+ k T2 30000 0 0 ");
}

static void a_token_that_is_gone_is_undone_and_not_tried_at_the_end(void)
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
	TEST(a_second_wait_has_its_own_connections),
	TEST(a_dialled_place_sends_its_connection_name_first),
	TEST(blpop_blocks_to_the_end_of_the_wait),
	TEST(the_mark_ends_with_the_wait),
	TEST(a_place_is_kept_for_an_hour),
	TEST(a_wait_may_be_endless),
	TEST(a_waiter_takes_a_new_place_when_its_blpop_ends),
	TEST(a_waiter_polls_if_waking_is_off),
	TEST(a_call_without_a_wait_marks_nothing),
	TEST(a_lock_that_is_free_by_then_is_taken_in_the_queue),
	TEST(a_waiter_looks_each_850_ms),
	TEST(the_first_look_decides_when_the_second_is_due),
	TEST(each_look_decides_when_the_next_is_due),
	TEST(a_look_that_wakes_a_waiter_is_repeated_soon),
	TEST(the_delays_grow_while_the_holder_is_foreign),
	TEST(many_looks_at_the_end_of_a_ttl_are_spread),
	TEST(a_slow_server_gets_no_look_right_before_the_deadline),
	TEST(no_look_waits_over_850_ms),
	TEST(a_waiter_that_polls_waits_longer),
	TEST(a_short_ttl_is_looked_at_more_often),
	TEST(a_ticket_that_stays_in_the_list_means_that_no_waiter_is_queued),
	TEST(a_ticket_may_stay_in_the_list_while_our_blpop_is_on_its_way),
	TEST(a_place_on_its_way_is_not_left_for_a_free_lock),
	TEST(two_looks_that_find_no_holder_end_the_place),
	TEST(a_look_that_finds_a_holder_begins_the_count_anew),
	TEST(a_refused_try_begins_the_count_anew),
	TEST(after_the_refused_try_a_waiter_queues_with_a_fresh_token),
	TEST(a_ticket_in_the_list_of_a_held_lock_means_nothing),
	TEST(a_look_that_meets_our_token_is_followed_by_a_try),
	TEST(our_token_may_be_gone_when_the_try_comes),
	TEST(a_token_that_is_gone_is_undone_and_not_tried_at_the_end),
};

CHECK_MAIN(tests, fake_end)
