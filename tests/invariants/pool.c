/* SPDX-License-Identifier: MIT
 *
 * rl_pool.h: the idle and the lingering connections, and the servers that are backed off.
 */
#include "invariants.h"

static unsigned count_alike(const rl_pool *pool, const rl_target *target)
{
	unsigned count = 0;
	for (const rl_conn *conn = pool->idle; conn != NULL; conn = conn->next) {
		count += rl_target_equal(conn->target, target);
	}
	return count;
}

static bool is_good_idle(const rl_conn *conn)
{
	return invariants_of_conn(conn) &&
		holds(conn->life == RL_CONN_LIFE_WELL, "rl_pool: an idle connection is well") &&
		holds(commands_on(conn) == 0 && conn->confirm_ms == 0 && conn->later_ms == 0,
			"rl_pool: no operation waits for a reply on an idle connection");
}

/* @param[out] last the last idle connection; NULL = there is none */
static bool is_idle_list_good(const rl_pool *pool, const rl_conn **last)
{
	unsigned count = 0;
	*last = NULL;
	for (const rl_conn *conn = pool->idle; conn != NULL && count <= pool->count;
		 conn = conn->next) {
		if (!is_good_idle(conn)) {
			return false;
		}
		*last = conn;
		count++;
	}
	return holds(count == pool->count, "rl_pool: count is the number of the idle connections") &&
		holds(count <= RL_POOL_MAX, "rl_pool: at most RL_POOL_MAX connections are idle") &&
		/* The connection that was given last comes first, and no other target has more now. */
		holds(count <= RL_POOL_TARGET_MAX ||
				count_alike(pool, pool->idle->target) <= RL_POOL_TARGET_MAX,
			"rl_pool: at most RL_POOL_TARGET_MAX idle connections lead to one target");
}

static bool is_lingering_list_good(const rl_pool *pool, const rl_conn *last_idle)
{
	unsigned count = 0;
	for (const rl_conn *conn = pool->lingering; conn != NULL; conn = conn->next) {
		if (!holds(++count <= RL_POOL_LINGERING_MAX,
				"rl_pool: at most RL_POOL_LINGERING_MAX connections linger") ||
			!holds(conn != last_idle, "rl_pool: no connection is idle and lingers") ||
			!holds(conn->life == RL_CONN_LIFE_ENDED || conn->waits_left > 0,
				"rl_pool: a connection that lingers has ended, or waits for the replicas") ||
			!invariants_of_conn(conn)) {
			return false;
		}
	}
	return true;
}

static bool is_twice(const rl_backed_off *trouble)
{
	bool is_twice = false;
	for (const rl_backed_off *other = trouble->next; other != NULL; other = other->next) {
		is_twice = is_twice || rl_target_equal(other->target, trouble->target);
	}
	return is_twice;
}

static bool is_backed_off_list_good(const rl_pool *pool)
{
	unsigned count = 0;
	for (const rl_backed_off *at = pool->troubles; at != NULL; at = at->next) {
		if (!holds(++count <= RL_POOL_BACKED_OFF_MAX,
				"rl_pool: at most RL_POOL_BACKED_OFF_MAX servers are backed off") ||
			!holds(at->fails > 0, "rl_pool: a server that is backed off has failed") ||
			!holds(!is_twice(at), "rl_pool: a server is backed off once")) {
			return false;
		}
	}
	return true;
}

static bool are_lookups_good(const rl_pool *pool)
{
	for (const rl_route *route = pool->routes; route != NULL; route = route->next) {
		if (!holds(route->refs > 0, "rl_pool: it has a reference to each of its routes") ||
			(route->guest != NULL && !invariants_of_lookup((const rl_lookup *) route->guest))) {
			return false;
		}
	}
	return true;
}

static bool is_away_list_good(const rl_pool *pool)
{
	rl_conn *const *link = &pool->away;
	for (const rl_conn *conn = pool->away; conn != NULL; conn = conn->next) {
		if (!holds(conn->away_link == link, "rl_pool: a connection that is away knows its place")) {
			return false;
		}
		link = &conn->next;
	}
	return true;
}

bool invariants_of_pool(const rl_pool *pool)
{
	const rl_conn *last_idle;
	return is_idle_list_good(pool, &last_idle) && is_lingering_list_good(pool, last_idle) &&
		is_away_list_good(pool) && is_backed_off_list_good(pool) && are_lookups_good(pool);
}
