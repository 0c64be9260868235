/* SPDX-License-Identifier: MIT */
#include "core/rl_pool.h"

void rl_pool_init(rl_pool *pool, rl_transport *transport, const rl_env *env)
{
	*pool = (rl_pool){
		.transport = transport, .env = env, .fork_generation = env->fork_generation(env->ctx)};
}

static void close_first(rl_conn **slot)
{
	rl_conn *conn = *slot;
	*slot = conn->next;
	rl_conn_free(conn);
}

static void close_idle(rl_pool *pool, rl_conn **slot)
{
	pool->count--;
	close_first(slot);
}

void rl_pool_clear(rl_pool *pool)
{
	while (pool->idle != NULL) {
		close_idle(pool, &pool->idle);
	}
	while (pool->lingering != NULL) {
		close_first(&pool->lingering);
	}
}

/* Closes the lingering ones that are read to the end, too old, or too many. */
static void sweep(rl_pool *pool, int64_t now)
{
	unsigned count = 0;
	for (rl_conn **slot = &pool->lingering; *slot != NULL;) {
		rl_conn *conn = *slot;
		if (count == RL_POOL_LINGERING_MAX || now - conn->idle_since > RL_POOL_LINGER_NS ||
			conn->transport->is_over(conn->link)) {
			close_first(slot);
		} else {
			count++;
			slot = &conn->next;
		}
	}
}

void rl_pool_let_linger(rl_pool *pool, rl_conn *conn, int64_t now)
{
	conn->transport->end(conn->link);
	conn->idle_since = now;
	conn->next = pool->lingering;
	pool->lingering = conn;
	sweep(pool, now);
}

void rl_pool_clear_address(rl_pool *pool, const rl_address *address)
{
	for (rl_conn **slot = &pool->idle; *slot != NULL;) {
		if (rl_address_equal(&(*slot)->target->address, address)) {
			close_idle(pool, slot);
		} else {
			slot = &(*slot)->next;
		}
	}
}

/* Drops what the parent left, once, in the child. */
static void notice_fork(rl_pool *pool)
{
	uint64_t generation = pool->env->fork_generation(pool->env->ctx);
	if (generation != pool->fork_generation) {
		rl_pool_clear(pool);
		pool->fork_generation = generation;
	}
}

/* The place of the first idle connection to the target that is alive; dead ones are closed on the way. */
static rl_conn **find(rl_pool *pool, const rl_target *target, bool must_look, int64_t now)
{
	notice_fork(pool);
	sweep(pool, now);
	for (rl_conn **slot = &pool->idle; *slot != NULL;) {
		rl_conn *conn = *slot;
		if (!rl_target_equal(conn->target, target)) {
			slot = &conn->next;
			continue;
		}
		if (!must_look && now - conn->idle_since <= RL_POOL_LOOK_NS) {
			return slot;
		}
		if (conn->transport->is_alive(conn->link, conn->owed_count > 0)) {
			conn->idle_since = now; /* as far as looking goes */
			return slot;
		}
		rl_stats_add(&pool->env->stats->reconnects, 1);
		close_idle(pool, slot);
	}
	return NULL;
}

rl_conn *rl_pool_take(rl_pool *pool, const rl_target *target, bool must_look, int64_t now)
{
	rl_conn **slot = find(pool, target, must_look, now);
	if (slot == NULL) {
		return NULL;
	}
	rl_conn *conn = *slot;
	*slot = conn->next;
	conn->next = NULL;
	pool->count--;
	return conn;
}

void rl_pool_give(rl_pool *pool, rl_conn *conn, int64_t now)
{
	notice_fork(pool);
	if (pool->count == RL_POOL_MAX) {
		rl_conn **slot = &pool->idle;
		while ((*slot)->next != NULL) {
			slot = &(*slot)->next;
		}
		close_idle(pool, slot);
	}
	conn->idle_since = now;
	conn->next = pool->idle;
	pool->idle = conn;
	pool->count++;
}

unsigned rl_pool_count(rl_pool *pool, const rl_target *target)
{
	notice_fork(pool);
	unsigned count = 0;
	for (const rl_conn *conn = pool->idle; conn != NULL; conn = conn->next) {
		count += rl_target_equal(conn->target, target);
	}
	return count;
}

bool rl_pool_has(rl_pool *pool, const rl_target *target, int64_t now)
{
	return find(pool, target, false, now) != NULL;
}

void rl_pool_hand_over_lingering(rl_pool *from, rl_pool *to, int64_t now)
{
	notice_fork(from);
	notice_fork(to);
	while (from->lingering != NULL) {
		rl_conn *conn = from->lingering;
		from->lingering = conn->next;
		conn->next = to->lingering;
		to->lingering = conn;
	}
	sweep(to, now);
}
