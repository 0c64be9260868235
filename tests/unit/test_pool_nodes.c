/* SPDX-License-Identifier: MIT
 *
 * A pool with the connections to many nodes, and with the routes to them.
 */
#include "check.h"
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TARGETS (RL_POOL_MAX / RL_POOL_TARGET_MAX + 1)

static rl_pool pool;
static rl_target targets[TARGETS];
static char hosts[TARGETS][8];

/* ---- links that only end ---- */

static unsigned closed[RL_POOL_MAX + 2];
static unsigned closed_count;

static void close_link(rl_link *link)
{
	closed[closed_count++] = (unsigned) (uintptr_t) link;
}

static bool is_connected(const rl_link *link)
{
	(void) link;
	return true;
}

static bool is_alive(rl_link *link, bool has_pending)
{
	(void) link, (void) has_pending;
	return true;
}

static rl_transport transport = {
	.close = close_link, .is_connected = is_connected, .is_alive = is_alive};

static void start(void)
{
	rl_pool_clear(&pool);
	fake_begin(1);
	closed_count = 0;
	rl_pool_init(&pool, &transport, &fake_env);
	for (unsigned i = 0; i < TARGETS; i++) {
		snprintf(hosts[i], sizeof hosts[i], "n%u", i);
		targets[i] = (rl_target){.refs = 1000, .address = {.host = hosts[i], .port = 1}};
	}
}

static void clean_up(void)
{
	closed_count = 0;
	rl_pool_clear(&pool);
	fake_end();
}

/* Puts a connection with this number, from 1, into the pool. */
static void give(unsigned target, unsigned number)
{
	rl_conn *conn = calloc(1, sizeof *conn);
	conn->transport = &transport;
	conn->target = rl_target_ref(&targets[target]);
	conn->link = (rl_link *) (uintptr_t) number;
	rl_pool_give(&pool, conn, fake_clock);
}

/* ---- limits ---- */

static void the_number_of_connections_to_each_node_is_limited(void)
{
	start();
	for (unsigned i = 1; i <= RL_POOL_TARGET_MAX; i++) {
		give(i % 2, 2 * i - 1);
		give(0, 2 * i);
	}
	/* Node 0 got 12 of the 16 connections; the first ones have made room. */
	CHECK_INT(rl_pool_count(&pool, &targets[0]), RL_POOL_TARGET_MAX);
	CHECK_INT(rl_pool_count(&pool, &targets[1]), 4);
	CHECK_INT(pool.count, RL_POOL_TARGET_MAX + 4);
	CHECK_INT(closed_count, 4);
	static const unsigned first[] = {2, 3, 4, 6};
	for (unsigned i = 0; i < 4; i++) {
		CHECK_INT(closed[i], first[i]);
	}
	for (unsigned i = 0; i < RL_POOL_TARGET_MAX; i++) {
		rl_conn_free(rl_pool_take(&pool, &targets[0], RL_WANT_ANY, fake_clock));
	}
	CHECK_INT(pool.count, 4);
}

static void the_number_of_all_connections_is_limited(void)
{
	start();
	for (unsigned i = 0; i < RL_POOL_MAX; i++) {
		give(i % (TARGETS - 1), i + 1);
	}
	CHECK_INT(pool.count, RL_POOL_MAX);
	CHECK_INT(closed_count, 0);
	/* One more connection to a node that has as many as it may have. */
	give(5, 1000);
	CHECK_INT(pool.count, RL_POOL_MAX);
	CHECK_INT(closed_count, 1);
	CHECK_INT(closed[0], 6);
	/* One more connection to a new node ends the connection that has been idle for longest, to
	 * whatever node. */
	give(TARGETS - 1, 1001);
	CHECK_INT(pool.count, RL_POOL_MAX);
	CHECK_INT(closed_count, 2);
	CHECK_INT(closed[1], 1);
	CHECK_INT(rl_pool_count(&pool, &targets[TARGETS - 1]), 1);
	give(TARGETS - 1, 1002);
	CHECK_INT(closed[2], 2);
}

/* ---- routes ---- */

static rl_route *make_route(unsigned first, unsigned count)
{
	rl_route *route = rl_route_new(RL_ROUTE_CLUSTER, &targets[first]);
	for (unsigned i = first; i < first + count; i++) {
		CHECK(rl_route_add_seed(route, &targets[i]));
	}
	return route;
}

static void objects_share_their_routes(void)
{
	start();
	rl_route *first = rl_pool_share_route(&pool, make_route(0, 2));
	CHECK_INT(first->refs, 2);
	rl_redirect moved = {RL_REDIRECT_MOVED, 5, bytes_of("x"), 1};
	CHECK(rl_route_follow(first, &moved, first->seeds[0]) != NULL);
	rl_route *given = make_route(0, 2);
	rl_route *second = rl_pool_share_route(&pool, rl_route_ref(given));
	CHECK(second == first);
	CHECK_INT(first->refs, 3);
	CHECK_INT(given->refs, 1); /* the pool has taken and dropped the reference */
	rl_route_unref(given);
	rl_route *other = rl_pool_share_route(&pool, make_route(1, 2));
	CHECK(other != first);
	CHECK(rl_pool_share_route(&pool, rl_route_ref(first)) == first);
	CHECK_INT(first->refs, 4);
	rl_route_unref(first);
	rl_route_unref(first);
	rl_route_unref(second);
	/* The pool keeps the route for the next object. */
	CHECK_INT(first->refs, 1);
	rl_route *third = rl_pool_share_route(&pool, make_route(0, 2));
	CHECK(third == first && rl_route_knows(third, 5));
	rl_route_unref(third);
	rl_route_unref(other);
}

static unsigned count_routes(void)
{
	unsigned count = 0;
	for (const rl_route *route = pool.routes; route != NULL; route = route->next) {
		count++;
	}
	return count;
}

static void the_number_of_unused_routes_is_limited(void)
{
	start();
	rl_route *used = rl_pool_share_route(&pool, make_route(0, 1));
	for (unsigned i = 1; i <= RL_POOL_ROUTES_MAX + 5; i++) {
		rl_route_unref(rl_pool_share_route(&pool, make_route(i, 1)));
		unsigned most = RL_POOL_ROUTES_MAX + 1; /* and the route that is used */
		CHECK_INT(count_routes(), i < most ? i + 1 : most + 1);
	}
	/* The oldest routes were forgotten, and the route in use was not. */
	rl_route *again = rl_pool_share_route(&pool, make_route(0, 1));
	CHECK(again == used);
	CHECK_INT(targets[1].refs, 1000);
	CHECK(targets[RL_POOL_ROUTES_MAX].refs > 1000);
	rl_route_unref(used);
	rl_route_unref(again);
}

static void a_cleared_pool_leaves_routes_to_their_objects(void)
{
	start();
	rl_route_unref(rl_pool_share_route(&pool, make_route(1, 1)));
	rl_route *route = rl_pool_share_route(&pool, make_route(0, 1));
	rl_pool_clear(&pool);
	CHECK_INT(route->refs, 1);
	CHECK(route->next == NULL);
	CHECK(rl_pool_share_route(&pool, rl_route_ref(route)) == route);
	CHECK_INT(route->refs, 3);
	rl_route_unref(route);
	rl_route_unref(route);
	rl_pool_clear(&pool);
	CHECK_INT(targets[0].refs, 1000);
}

static const check_test tests[] = {
	TEST(the_number_of_connections_to_each_node_is_limited),
	TEST(the_number_of_all_connections_is_limited),
	TEST(objects_share_their_routes),
	TEST(the_number_of_unused_routes_is_limited),
	TEST(a_cleared_pool_leaves_routes_to_their_objects),
};

CHECK_MAIN(tests, clean_up)
