/* SPDX-License-Identifier: MIT
 *
 * Idle connections: kept by target, looked at when they are old, limited, forgotten by a fork.
 */
#include "check.h"
#include "fake.h"

#include <string.h>

static rl_conn *taken;

static void clean_up(void)
{
	rl_conn_free(taken);
	taken = NULL;
	fake_end();
}

static rl_conn *take(unsigned member)
{
	rl_conn_free(taken);
	taken = rl_pool_take(&fake_pool, &fake_targets[member], RL_WANT_ANY, fake_clock);
	return taken;
}

static void connections_are_kept_by_target(void)
{
	fake_begin(3);
	CHECK(!rl_pool_has(&fake_pool, &fake_targets[0], RL_WANT_ANY, fake_clock));
	fake_warm(0);
	fake_warm(1);
	CHECK(rl_pool_has(&fake_pool, &fake_targets[0], RL_WANT_ANY, fake_clock));
	CHECK(rl_pool_has(&fake_pool, &fake_targets[1], RL_WANT_ANY, fake_clock));
	CHECK(!rl_pool_has(&fake_pool, &fake_targets[2], RL_WANT_ANY, fake_clock));
	CHECK(take(2) == NULL);
	CHECK_INT(fake_pool.count, 2);
	CHECK(take(0) != NULL);
	CHECK(taken->target == &fake_targets[0]);
	CHECK_INT(fake_pool.count, 1);
	CHECK(!rl_pool_has(&fake_pool, &fake_targets[0], RL_WANT_ANY, fake_clock));
	CHECK(take(0) == NULL);
	CHECK(take(1) != NULL);
	CHECK(taken->target == &fake_targets[1]);
	CHECK_INT(fake_pool.count, 0);
}

static void another_login_is_another_target(void)
{
	fake_begin(1);
	fake_warm(0);
	rl_target other = fake_targets[0];
	other.database = 1;
	CHECK(!rl_pool_has(&fake_pool, &other, RL_WANT_ANY, fake_clock));
	CHECK(rl_pool_take(&fake_pool, &other, RL_WANT_ANY, fake_clock) == NULL);
	rl_target same = fake_targets[0];
	CHECK(rl_pool_has(&fake_pool, &same, RL_WANT_ANY, fake_clock));
}

static void the_latest_connection_comes_first(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_warm(0);
	fake_warm(0);
	while (take(0) != NULL) {
	}
	CHECK_LOG("0 a3 close\n0 a2 close\n0 a1 close\n");
}

static void a_connection_is_looked_at_after_100_ms(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_clock += 100 * MS;
	CHECK(take(0) != NULL);
	CHECK_INT(fake_looks, 0);
	rl_pool_give(&fake_pool, taken, fake_clock);
	taken = NULL;
	fake_clock += 100 * MS + 1;
	CHECK(take(0) != NULL);
	CHECK_INT(fake_looks, 1);
	CHECK_INT(fake_stats.reconnects, 0);
}

static void a_checked_connection_is_looked_at_at_any_age(void)
{
	fake_begin(1);
	fake_warm(0);
	taken = rl_pool_take(&fake_pool, &fake_targets[0], RL_WANT_CHECKED, fake_clock);
	CHECK(taken != NULL);
	CHECK_INT(fake_looks, 1);
	rl_pool_give(&fake_pool, taken, fake_clock);
	taken = NULL;
	fake_kill(0);
	CHECK(rl_pool_take(&fake_pool, &fake_targets[0], RL_WANT_CHECKED, fake_clock) == NULL);
}

static void dead_connections_are_dropped(void)
{
	fake_begin(2);
	fake_warm(0);
	fake_warm(1);
	fake_warm(0);
	fake_kill(0);
	fake_clock += SECOND;
	CHECK(take(0) == NULL);
	CHECK_LOG("1000 a2 close\n1000 a1 close\n");
	CHECK_INT(fake_pool.count, 1);
	CHECK_INT(fake_stats.reconnects, 2);
	CHECK(take(1) != NULL);
}

static void pending_replies_are_no_sign_of_death(void)
{
	fake_begin(1);
	fake_warm(0);
	CHECK(take(0) != NULL);
	rl_request request = {.verb = RL_VERB_EXISTS, .key = bytes_of("k")};
	fake_acts(0, FAKE_SAY, ":1", 50 * MS);
	CHECK(rl_conn_send_blind(taken, &request));
	fake_transport.flush(taken->link);
	rl_pool_give(&fake_pool, taken, fake_clock);
	taken = NULL;
	fake_clock += SECOND;
	CHECK(take(0) != NULL);
	CHECK_INT(fake_looks, 1);
}

static void unasked_replies_are_a_sign_of_death(void)
{
	fake_begin(1);
	fake_warm(0);
	CHECK(take(0) != NULL);
	rl_request request = {.verb = RL_VERB_EXISTS, .key = bytes_of("k")};
	fake_acts(0, FAKE_SAY_TWICE, ":1", 50 * MS);
	CHECK(rl_conn_send(taken, &request, 1) != 0);
	fake_transport.flush(taken->link);
	taken->pending_count = 0; /* as if the reply had been read */
	rl_pool_give(&fake_pool, taken, fake_clock);
	taken = NULL;
	fake_clock += SECOND;
	CHECK(take(0) == NULL);
}

static void the_connection_that_was_idle_for_longest_makes_room(void)
{
	fake_begin(2);
	fake_warm(1);
	for (unsigned i = 0; i < RL_POOL_TARGET_MAX; i++) {
		fake_warm(0);
	}
	CHECK_INT(fake_pool.count, RL_POOL_TARGET_MAX + 1);
	fake_warm(0);
	CHECK_INT(rl_pool_count(&fake_pool, &fake_targets[0]), RL_POOL_TARGET_MAX);
	CHECK(rl_pool_has(&fake_pool, &fake_targets[1], RL_WANT_ANY, fake_clock));
	CHECK_INT(fake_open_links(), RL_POOL_TARGET_MAX + 1);
}

/* A higher limit holds while it is set, and the connections beyond the usual one end then. */
static void the_limit_can_be_raised_for_a_while(void)
{
	fake_begin(1);
	fake_env.idle_max = 3 * RL_POOL_TARGET_MAX;
	for (unsigned i = 0; i < 4 * RL_POOL_TARGET_MAX; i++) {
		fake_warm(0);
	}
	CHECK_INT(fake_pool.count, 3 * RL_POOL_TARGET_MAX);
	fake_env.idle_max = 0;
	fake_warm(0);
	CHECK_INT(fake_pool.count, RL_POOL_TARGET_MAX);
	CHECK_INT(fake_open_links(), RL_POOL_TARGET_MAX);
}

static void one_address_can_be_cleared(void)
{
	fake_begin(3);
	fake_warm(0);
	fake_warm(1);
	fake_warm(0);
	fake_warm(2);
	fake_targets[0].database = 4; /* other logins count as well */
	rl_pool_clear_address(&fake_pool, &fake_targets[0].address, fake_clock);
	CHECK_LOG("0 a2 close\n0 a1 close\n");
	CHECK_INT(fake_pool.count, 2);
	CHECK(rl_pool_has(&fake_pool, &fake_targets[1], RL_WANT_ANY, fake_clock));
	CHECK(rl_pool_has(&fake_pool, &fake_targets[2], RL_WANT_ANY, fake_clock));
	rl_pool_clear(&fake_pool);
	CHECK_INT(fake_pool.count, 0);
	fake_warm(0);
	CHECK_INT(fake_pool.count, 1);
}

/* A connection that is closed at once could make the server drop what it has not read. */
static void a_connection_with_a_pending_reply_lingers(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_warm(0);
	rl_request request = {.verb = RL_VERB_EXISTS, .key = bytes_of("k")};
	rl_conn *conn = rl_pool_take(&fake_pool, &fake_targets[0], RL_WANT_ANY, fake_clock);
	fake_acts(0, FAKE_SAY, ":0", 50 * MS);
	CHECK(rl_conn_send_blind(conn, &request));
	fake_transport.flush(conn->link);
	rl_pool_give(&fake_pool, conn, fake_clock);
	CHECK(!rl_pool_distrust(&fake_pool, &fake_targets[0].address, fake_clock));
	CHECK_LOG("0 a2 EXISTS k\n0 a2 end\n0 a1 close\n");
	CHECK_INT(fake_distrusts, 1);
	CHECK_INT(fake_pool.count, 0);
	CHECK(fake_pool.lingering == conn);
}

static void a_forked_child_forgets_all_connections(void)
{
	fake_begin(2);
	fake_warm(0);
	fake_warm(1);
	fake_fork();
	CHECK(take(0) == NULL);
	CHECK_LOG("0 b1 close\n0 a1 close\n");
	CHECK_INT(fake_pool.count, 0);
	fake_warm(0);
	CHECK(take(0) != NULL);
	rl_pool_give(&fake_pool, taken, fake_clock);
	taken = NULL;
	fake_fork();
	fake_warm(1); /* the next call may be a give */
	CHECK_INT(fake_pool.count, 1);
	CHECK_INT(fake_open_links(), 1);
}

static const check_test tests[] = {
	TEST(connections_are_kept_by_target),
	TEST(another_login_is_another_target),
	TEST(the_latest_connection_comes_first),
	TEST(a_connection_is_looked_at_after_100_ms),
	TEST(a_checked_connection_is_looked_at_at_any_age),
	TEST(dead_connections_are_dropped),
	TEST(pending_replies_are_no_sign_of_death),
	TEST(unasked_replies_are_a_sign_of_death),
	TEST(the_connection_that_was_idle_for_longest_makes_room),
	TEST(the_limit_can_be_raised_for_a_while),
	TEST(one_address_can_be_cleared),
	TEST(a_connection_with_a_pending_reply_lingers),
	TEST(a_forked_child_forgets_all_connections),
};

CHECK_MAIN(tests, clean_up)
