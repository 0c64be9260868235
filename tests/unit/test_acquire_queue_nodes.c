/* SPDX-License-Identifier: MIT
 *
 * A wait in the queue of a cluster: redirects of the place, and a lock that is won at another node.
 */
#include "check.h"
#include "calling.h"
#include "fake_memory.h"
#include "waiting.h"

#include <string.h>

#define TRY_QUEUED "TRY 3 k {k}::rl-wait {k}::rl-wake T1"
#define BLPOP "BLPOP {k}::rl-wake"

static void clean_up(void)
{
	is_counting = false;
	fake_end();
}

static const char *long_look(int64_t ms)
{
	return look(ms, 600000, RL_HOLDER_KIN, RL_TICKET_NONE);
}

static void begin(void)
{
	begin_cluster("ab");
	fake_set.wakes = true;
	fake_warm(0);
	fake_warm(0);
	fake_says(0, "_");
	fake_says(0, long_look(0));
}

/* The wait takes a place, whose two commands are answered with these texts after 300 ms. */
static rl_acquire *redirected(const char *blpop, const char *try, int64_t wait_ns)
{
	begin();
	fake_blpops(0, FAKE_SAY, blpop, 300 * MS);
	fake_says(0, try);
	rl_acquire *acquire = fake_acquire(30000, wait_ns);
	waiting_drive_to(acquire, 0);
	fake_forget_log();
	waiting_drive_to(acquire, 310);
	return acquire;
}

static void a_place_moves_to_the_other_node_at_once(void)
{
	rl_acquire *acquire = redirected(MOVED_TO("b"), MOVED_TO("b"), 5 * SECOND);
	CHECK_INT(fake_blocked_on(0), 0);
	CHECK_INT(fake_blocked_on(1), 1);
	CHECK_COUNT("300 b1 dial", 1);
	CHECK_COUNT("300 b1 " BLPOP, 1);
	CHECK_COUNT("300 b1 " TRY_QUEUED, 1);
	CHECK_COUNT("ASKING", 0);
	CHECK_COUNT("probe", 0);
	CHECK_COUNT(" end", 0);
	CHECK_INT(fake_pool.count, 2);
	fake_says(1, grant(400));
	waiting_drive_to(acquire, 400);
	fake_wakes(1, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 400);
	CHECK_INT(fake_stats.wake_ups, 1);
}

/* The looks go where the place is. */
static void looks_follow_the_place_to_the_other_node(void)
{
	rl_acquire *acquire = redirected(MOVED_TO("b"), MOVED_TO("b"), 5 * SECOND);
	fake_says(1, long_look(850));
	waiting_drive_to(acquire, 900);
	CHECK_COUNT("850 b2 probe", 1);
	CHECK_INT(fake_blocked_on(1), 1);
}

/* In the middle of a move: the list of tickets has not moved yet, and the key has. */
static void a_place_follows_ask_to_blpop_and_tryagain_to_the_try(void)
{
	rl_acquire *acquire = redirected(ASK_AT("b"), "-TRYAGAIN x", 5 * SECOND);
	CHECK_HAS(fake_log(), "300 b1 ASKING\n300 b1 " BLPOP);
	CHECK_HAS(fake_log(), "300 b1 ASKING\n300 b1 " TRY_QUEUED);
	CHECK_INT(fake_blocked_on(1), 1);
	CHECK_INT(fake_node_of(route), 0);
	(void) acquire;
}

static void a_place_follows_tryagain_to_blpop_and_ask_to_the_try(void)
{
	redirected("-TRYAGAIN x", ASK_AT("b"), 5 * SECOND);
	CHECK_HAS(fake_log(), "300 b1 ASKING\n300 b1 " BLPOP);
	CHECK_INT(fake_blocked_on(1), 1);
}

/* The answer to the try counts, because the node gives it last. */
static void a_place_follows_ask_to_blpop_and_moved_to_the_try(void)
{
	redirected(ASK_AT("b"), MOVED_TO("b"), 5 * SECOND);
	CHECK_COUNT("ASKING", 0);
	CHECK_INT(fake_blocked_on(1), 1);
	CHECK_INT(fake_node_of(route), 'b');
}

/* The node answers BLPOP before the move and the try after it: the ticket is lost with the
 * place. */
static void a_place_follows_a_ticket_and_moved_to_the_try(void)
{
	redirected(FAKE_TICKET, MOVED_TO("b"), 5 * SECOND);
	CHECK_INT(fake_blocked_on(1), 1);
}

static void the_next_place_does_not_use_the_last_redirect(void)
{
	rl_acquire *acquire = redirected(ASK_AT("b"), refusal(300, 600000, RL_HOLDER_KIN), 5 * SECOND);
	fake_says(0, long_look(300));
	waiting_drive_to(acquire, 400);
	CHECK_INT(fake_blocked_on(1), 0);
	CHECK_COUNT("b1", 0);
}

static void a_win_at_an_asked_node_counts(void)
{
	rl_acquire *acquire = redirected(ASK_AT("b"), "-TRYAGAIN x", 5 * SECOND);
	fake_says(1, grant(500));
	waiting_drive_to(acquire, 500);
	fake_wakes(1, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_INT(fake_ms(), 500);
	CHECK_COUNT("RELEASE", 0);
}

/* The clock of node a says nothing about a win at node b: the proof begins with its place there. */
static void a_win_is_not_dated_by_the_clock_of_another_node(void)
{
	rl_acquire *acquire = redirected(MOVED_TO("b"), MOVED_TO("b"), 5 * SECOND);
	fake_says(1, grant(700));
	waiting_drive_to(acquire, 700);
	fake_wakes(1, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_TIME(acquire->proven_until, waiting_proof(300, 30000));
}

static void a_win_is_dated_by_the_clock_of_its_node(void)
{
	rl_acquire *acquire = redirected(MOVED_TO("b"), MOVED_TO("b"), 5 * SECOND);
	fake_says(1, long_look(850));
	waiting_drive_to(acquire, 1000);
	fake_says(1, grant(1000));
	fake_wakes(1, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK(acquire->proven_until > waiting_proof(990, 30000));
}

static void the_swap_of_the_callers_token_follows_a_redirect(void)
{
	begin();
	fake_blpops(0, FAKE_SAY, ASK_AT("b"), 300 * MS);
	fake_says(0, "-TRYAGAIN x");
	rl_acquire *acquire = fake_acquire_own("mine", 30000, 5 * SECOND);
	waiting_drive_to(acquire, 500);
	CHECK_INT(fake_blocked_on(1), 1);
	fake_says(1, grant(500));
	fake_says(0, ASK_AT("b")); /* to the swap */
	fake_says(1, ":1");
	fake_wakes(1, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	CHECK_HAS(fake_log(), "ASKING\n500 b1 swap k T");
}

/* ---- circles ---- */

static void a_circle_costs_the_place_and_not_the_wait(void)
{
	begin();
	for (unsigned i = 0; i < 4; i++) {
		fake_blpops(0, FAKE_SAY, MOVED_TO("b"), 0);
		fake_blpops(1, FAKE_SAY, MOVED_TO("a"), 0);
		fake_says(0, MOVED_TO("b"));
		fake_says(1, MOVED_TO("a"));
	}
	rl_acquire *acquire = fake_acquire(30000, 5 * SECOND);
	CHECK(!fake_drive_to(&acquire->op, FAKE_START));
	CHECK_COUNT(BLPOP, 6);
	CHECK_INT(fake_stats.cluster_redirects, 6);
	CHECK(fake_open_links() <= 4);
	CHECK_COUNT("RELEASE", 0);
}

/* ---- nodes that fail ---- */

static void a_redirect_may_lead_to_a_node_that_refuses(void)
{
	begin();
	fake_blpops(0, FAKE_SAY, MOVED_TO("b"), 300 * MS);
	fake_says(0, MOVED_TO("b"));
	for (unsigned i = 0; i < 20; i++) {
		fake_dials(1, FAKE_REFUSE, 0);
	}
	rl_acquire *acquire = fake_acquire(30000, 5 * SECOND);
	for (unsigned i = 0; i < 40; i++) {
		fake_says(0, long_look(310)); /* a has the slot again */
	}
	CHECK(!fake_drive_to(&acquire->op, FAKE_START + 2000 * MS));
	CHECK_INT(fake_blocked_on(0), 1);
	CHECK_COUNT("RELEASE", 0);
}

static void a_redirect_of_a_plain_member_ends_the_wait_in_the_queue(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, long_look(0));
	fake_blpops(0, FAKE_SAY, MOVED_TO("b"), 300 * MS);
	fake_says(0, MOVED_TO("b"));
	rl_acquire *acquire = fake_acquire(30000, SECOND);
	waiting_drive_to(acquire, 0);
	for (unsigned i = 0; i < 40; i++) {
		fake_says(0, MOVED_TO("b"));
	}
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_TEXT(acquire->op.err->code, "MOVED");
	CHECK_COUNT("b1", 0);
}

/* ---- leaving ---- */

/* The redirects have arrived, but the wait has not read them: neither command has run. */
static void a_wait_leaves_the_queue_with_unread_redirects(void)
{
	begin();
	fake_blpops(0, FAKE_SAY, MOVED_TO("b"), 300 * MS);
	fake_says(0, MOVED_TO("b"));
	rl_acquire *acquire = fake_acquire(30000, 5 * SECOND);
	waiting_drive_to(acquire, 299);
	fake_clock += 2 * MS;
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT(" T1\n", 0);
	CHECK_COUNT("b1", 0);
	CHECK_INT(fake_blocked_links(), 0);
}

/* The wait ends between the nodes: the commands of the new place are not written yet. */
static void a_wait_leaves_the_queue_while_the_other_node_is_dialled(void)
{
	begin();
	fake_blpops(0, FAKE_SAY, ASK_AT("b"), 300 * MS);
	fake_says(0, "-TRYAGAIN x");
	fake_dials(1, FAKE_HANG, 0);
	rl_acquire *acquire = fake_acquire(30000, 5 * SECOND);
	waiting_drive_to(acquire, 310);
	CHECK_COUNT("b1 dial", 1);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_COUNT("b1 RELEASE", 0);
	CHECK_COUNT("b1 close", 1);
}

static void a_wait_leaves_the_queue_of_an_asked_node(void)
{
	rl_acquire *acquire = redirected(ASK_AT("b"), "-TRYAGAIN x", 5 * SECOND);
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_HAS(fake_log(), "310 b1 end\n");
	CHECK_INT(fake_stats.grants_undone, 1);
	CHECK_INT(fake_blocked_links(), 0);
}

/* The place is woken while the wait leaves it: the grant is undone after ASKING. */
static void an_unread_win_at_an_asked_node_is_undone(void)
{
	rl_acquire *acquire = redirected(ASK_AT("b"), "-TRYAGAIN x", 5 * SECOND);
	fake_says(1, grant(320));
	fake_wakes(1, 10 * MS);
	fake_clock += 10 * MS;
	rl_op_abandon(&acquire->op, fake_clock, false);
	CHECK_HAS(fake_log(), "320 b1 ASKING\n320 b1 RELEASE k T1\n");
}

static void a_child_sends_nothing(void)
{
	rl_acquire *acquire = redirected(ASK_AT("b"), "-TRYAGAIN x", 5 * SECOND);
	fake_forget_log();
	fake_fork();
	rl_op_abandon(&acquire->op, fake_clock, true);
	CHECK_LOG("310 b1 close\n");
}

/* ---- several members ---- */

/* @param cluster the member that is a cluster
 * @return true = the queue was at the cluster */
static bool wins_without_a_quorum(unsigned cluster)
{
	fake_begin(3);
	route = fake_cluster(cluster, "de");
	fake_set.wakes = true;
	fake_warm(3);
	fake_warm(3);
	for (unsigned i = 0; i < 4; i++) {
		fake_warm(i);
		fake_says(i, "_");
		fake_says(i, long_look(0));
	}
	fake_blpops(3, FAKE_SAY, ASK_AT("e"), 300 * MS);
	fake_says(3, "-TRYAGAIN x");
	rl_acquire *acquire = fake_acquire(30000, 5 * SECOND);
	waiting_drive_to(acquire, 310);
	if (fake_blocked_on(4) == 0) {
		return false;
	}
	fake_says(4, grant(310));
	for (unsigned i = 0; i < 3; i++) {
		fake_says(i, refusal(310, 600000, RL_HOLDER_KIN));
	}
	fake_wakes(4, 0);
	waiting_drive_to(acquire, 320);
	CHECK_HAS(fake_log(), "e1 ASKING\n310 e1 RELEASE k T1\n");
	return true;
}

/* The place wins at a node that needs ASKING, and the other members refuse. */
static void a_win_without_a_quorum_is_undone_after_asking(void)
{
	unsigned wins = 0;
	for (unsigned i = 0; i < 3; i++) {
		wins += wins_without_a_quorum(i);
		fake_end();
	}
	CHECK(wins > 0); /* it depends on the order of the key */
}

/* ---- without memory ---- */

static void wait_and_redirect(void)
{
	begin();
	fake_blpops(0, FAKE_SAY, ASK_AT("b"), 300 * MS);
	fake_says(0, "-TRYAGAIN x");
	rl_acquire *acquire = fake_acquire(30000, 500 * MS);
	waiting_drive_to(acquire, 299);
	for (unsigned i = 0; i < 60; i++) {
		fake_says(0, refusal(300, 600000, RL_HOLDER_KIN));
	}
	fake_memory_fails();
	rl_status status = fake_drive(&acquire->op);
	fake_memory_works();
	CHECK(status != RL_OK);
	fake_end();
}

static void a_redirect_may_lack_memory(void)
{
	fake_memory_each(39, wait_and_redirect);
}

static const check_test tests[] = {
	TEST(a_place_moves_to_the_other_node_at_once),
	TEST(looks_follow_the_place_to_the_other_node),
	TEST(a_place_follows_ask_to_blpop_and_tryagain_to_the_try),
	TEST(a_place_follows_tryagain_to_blpop_and_ask_to_the_try),
	TEST(a_place_follows_ask_to_blpop_and_moved_to_the_try),
	TEST(a_place_follows_a_ticket_and_moved_to_the_try),
	TEST(the_next_place_does_not_use_the_last_redirect),
	TEST(a_win_at_an_asked_node_counts),
	TEST(a_win_is_not_dated_by_the_clock_of_another_node),
	TEST(a_win_is_dated_by_the_clock_of_its_node),
	TEST(the_swap_of_the_callers_token_follows_a_redirect),
	TEST(a_circle_costs_the_place_and_not_the_wait),
	TEST(a_redirect_may_lead_to_a_node_that_refuses),
	TEST(a_redirect_of_a_plain_member_ends_the_wait_in_the_queue),
	TEST(a_wait_leaves_the_queue_with_unread_redirects),
	TEST(a_wait_leaves_the_queue_while_the_other_node_is_dialled),
	TEST(a_wait_leaves_the_queue_of_an_asked_node),
	TEST(an_unread_win_at_an_asked_node_is_undone),
	TEST(a_child_sends_nothing),
	TEST(a_win_without_a_quorum_is_undone_after_asking),
	TEST(a_redirect_may_lack_memory),
};

CHECK_MAIN(tests, clean_up)
