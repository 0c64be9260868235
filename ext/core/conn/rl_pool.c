/* SPDX-License-Identifier: MIT
 *
 * The idle connections. The design is in the header.
 */
#include "core/conn/rl_pool.h"

#include "core/base/rl_backoff.h"

#include <stdlib.h>
#include <string.h>

/* Under AddressSanitizer no block is used a second time, so that it sees the use of a block that
 * was given back. */
#ifndef __has_feature
# define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
# define KEEPS_BLOCKS false
#else
# define KEEPS_BLOCKS true
#endif

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

static void forget_route(rl_route **slot)
{
	rl_route *route = *slot;
	*slot = route->next;
	route->next = NULL;
	rl_route_unref(route);
}

static void forget_backed_off(rl_backed_off **slot)
{
	rl_backed_off *trouble = *slot;
	*slot = trouble->next;
	rl_target_unref(trouble->target);
	free(trouble);
}

/* ---- memory ---- */

static void *take_kept(rl_pool *pool)
{
	void *block = pool->blocks;
	memcpy(&pool->blocks, block, sizeof pool->blocks);
	pool->block_count--;
	return block;
}

void *rl_pool_take_block(rl_pool *pool, size_t size)
{
	if (size > RL_POOL_BLOCK_SIZE) {
		return malloc(size);
	}
	return pool->blocks != NULL ? take_kept(pool) : malloc(RL_POOL_BLOCK_SIZE);
}

void rl_pool_give_block(rl_pool *pool, void *block, size_t size)
{
	if (!KEEPS_BLOCKS || size > RL_POOL_BLOCK_SIZE || pool->block_count == RL_POOL_BLOCKS_MAX) {
		free(block);
		return;
	}
	memcpy(block, &pool->blocks, sizeof pool->blocks);
	pool->blocks = block;
	pool->block_count++;
}

/* ---- the end ---- */

void rl_pool_clear(rl_pool *pool)
{
	while (pool->blocks != NULL) {
		free(take_kept(pool));
	}
	while (pool->routes != NULL) {
		forget_route(&pool->routes);
	}
	while (pool->troubles != NULL) {
		forget_backed_off(&pool->troubles);
	}
	while (pool->idle != NULL) {
		close_idle(pool, &pool->idle);
	}
	while (pool->lingering != NULL) {
		close_first(&pool->lingering);
	}
	while (pool->away != NULL) {
		rl_conn_leave_away(pool->away);
	}
}

/* In a forked child, drops the connections of the parent, once. */
static void notice_fork(rl_pool *pool)
{
	uint64_t generation = pool->env->fork_generation(pool->env->ctx);
	if (generation != pool->fork_generation) {
		rl_pool_clear(pool);
		pool->fork_generation = generation;
	}
}

/* Closes the lingering connections that are read to the end, too old, or too many. */
static void sweep(rl_pool *pool, int64_t now)
{
	unsigned count = 0;
	for (rl_conn **slot = &pool->lingering; *slot != NULL;) {
		rl_conn *conn = *slot;
		if (count == RL_POOL_LINGERING_MAX || now - conn->idle_since > RL_POOL_LINGER_NS ||
			rl_conn_is_over(conn)) {
			close_first(slot);
		} else {
			count++;
			slot = &conn->next;
		}
	}
}

void rl_pool_let_linger(rl_pool *pool, rl_conn *conn, int64_t now)
{
	rl_conn_return(conn);
	rl_conn_end(conn);
	conn->idle_since = now;
	conn->next = pool->lingering;
	pool->lingering = conn;
	sweep(pool, now);
}

/* Ends an idle connection. If a reply is pending, the server may not have read the command yet. To
 * close a connection with an unread reply would reset it, and the command would be lost. */
static void end_idle(rl_pool *pool, rl_conn **slot, int64_t now)
{
	rl_conn *conn = *slot;
	bool is_owing = conn->pending_count > 0 && rl_conn_catch_up(conn, now) &&
		conn->pending_count > 0 && conn->transport->is_connected(conn->link);
	if (!is_owing) {
		close_idle(pool, slot);
		return;
	}
	*slot = conn->next;
	pool->count--;
	rl_pool_let_linger(pool, conn, now);
}

void rl_pool_end_idle(rl_pool *pool, int64_t now)
{
	notice_fork(pool);
	while (pool->idle != NULL) {
		end_idle(pool, &pool->idle, now);
	}
}

void rl_pool_clear_address(rl_pool *pool, const rl_address *address, int64_t now)
{
	notice_fork(pool);
	for (rl_conn **slot = &pool->idle; *slot != NULL;) {
		if (rl_address_equal(&(*slot)->target->address, address)) {
			end_idle(pool, slot, now);
		} else {
			slot = &(*slot)->next;
		}
	}
}

bool rl_pool_distrust(rl_pool *pool, const rl_address *address, int64_t now)
{
	rl_pool_clear_address(pool, address, now);
	return pool->transport->distrust(pool->transport, address);
}

/* ---- backed-off servers ---- */

static rl_backed_off **find_backed_off(rl_pool *pool, const rl_target *target)
{
	rl_backed_off **slot = &pool->troubles;
	while (*slot != NULL && !rl_target_equal((*slot)->target, target)) {
		slot = &(*slot)->next;
	}
	return slot;
}

/* If the list is full, the server that may be dialled first makes room. */
static void forget_oldest_backed_off(rl_pool *pool)
{
	rl_backed_off **oldest = &pool->troubles;
	unsigned count = 0;
	for (rl_backed_off **slot = &pool->troubles; *slot != NULL; slot = &(*slot)->next) {
		oldest = (*slot)->redial_at < (*oldest)->redial_at ? slot : oldest;
		count++;
	}
	if (count >= RL_POOL_BACKED_OFF_MAX) {
		forget_backed_off(oldest);
	}
}

void rl_pool_note_failure(rl_pool *pool, rl_target *target, int64_t now)
{
	rl_backed_off *trouble = *find_backed_off(pool, target);
	if (trouble == NULL) {
		forget_oldest_backed_off(pool);
		trouble = malloc(sizeof *trouble);
		if (trouble == NULL) {
			return; /* it will be dialled without a pause */
		}
		*trouble = (rl_backed_off){.next = pool->troubles, .target = rl_target_ref(target)};
		pool->troubles = trouble;
	}
	trouble->redial_at =
		now + rl_backoff_doubled(RL_POOL_PAUSE_NS, trouble->fails, RL_POOL_PAUSE_MAX_NS);
	trouble->fails++;
}

void rl_pool_note_answer(rl_pool *pool, const rl_target *target)
{
	rl_backed_off **slot = find_backed_off(pool, target);
	if (*slot != NULL) {
		forget_backed_off(slot);
	}
}

/* ---- taking ---- */

static bool is_under_way(const rl_conn *conn)
{
	return conn->unheard_ns > 0 &&
		(conn->logins_pending > 0 || !conn->transport->is_connected(conn->link));
}

/* A reply has been pending for so long that the connection must be looked after; or nothing was
 * sent yet, and the system may be able to send it by now. */
static bool is_overdue(const rl_conn *conn, int64_t now)
{
	return conn->unheard_ns > 0 && conn->pending_count > 0 &&
		now - conn->pending_since >= conn->unheard_ns;
}

static bool is_silent(const rl_conn *conn, int64_t now)
{
	return conn->pending_since != 0 && is_overdue(conn, now);
}

/* Catches up with a connection that no operation waited for. False = it failed and was dropped, and
 * its server is backed off. */
static bool look_after(rl_pool *pool, rl_conn **slot, int64_t now)
{
	rl_conn *conn = *slot;
	bool is_well = rl_conn_catch_up(conn, now);
	bool is_connecting = !conn->transport->is_connected(conn->link);
	if (is_well && !is_silent(conn, now) && !(is_connecting && now >= conn->connect_end)) {
		return true;
	}
	rl_pool_note_failure(pool, conn->target, now);
	if (!is_well || is_connecting) {
		close_idle(pool, slot);
		return false;
	}
	*slot = conn->next;
	pool->count--;
	rl_pool_let_linger(pool, conn, now); /* the server may not have read an undo yet */
	return false;
}

/* The highest rank is taken first: a connection with a pending reply, because the next command may
 * have to follow the earlier one; then a connection that is ready. */
enum { RANK_UNDER_WAY = 1, RANK_READY, RANK_PENDING };

static unsigned rank(const rl_conn *conn)
{
	if (is_under_way(conn)) {
		return RANK_UNDER_WAY;
	}
	return conn->pending_count > 0 ? RANK_PENDING : RANK_READY;
}

/* The slot of the best idle connection to the target: of equally good ones, the most recently used.
 * NULL = there is none.
 * @param is_quiet only a connection without pending replies will do */
static rl_conn **best_of(rl_pool *pool, const rl_target *target, bool is_quiet)
{
	rl_conn **best = NULL;
	unsigned best_rank = 0;
	for (rl_conn **slot = &pool->idle; *slot != NULL; slot = &(*slot)->next) {
		const rl_conn *conn = *slot;
		unsigned own_rank = rank(conn);
		bool is_fit = !is_quiet || (own_rank == RANK_READY && conn->pending_count == 0);
		if (is_fit && own_rank > best_rank && rl_target_equal(conn->target, target)) {
			best = slot;
			best_rank = own_rank;
		}
	}
	return best;
}

static bool may_be_silent(rl_pool_want want)
{
	return want == RL_WANT_RELEASE || want == RL_WANT_RELEASE_CHECKED;
}

static bool must_be_checked(rl_pool_want want)
{
	return want == RL_WANT_CHECKED || want == RL_WANT_RELEASE_CHECKED || want == RL_WANT_QUIET;
}

/* The slot of the best idle connection to the target that is alive. NULL = there is none. Closes
 * the dead connections that it finds. */
static rl_conn **find_alive(rl_pool *pool, const rl_target *target, rl_pool_want want, int64_t now)
{
	notice_fork(pool);
	sweep(pool, now);
	rl_conn **slot;
	while ((slot = best_of(pool, target, want == RL_WANT_QUIET)) != NULL) {
		rl_conn *conn = *slot;
		if (is_under_way(conn) || (is_overdue(conn, now) && !may_be_silent(want))) {
			if (look_after(pool, slot, now)) {
				return slot;
			}
			continue;
		}
		if (!must_be_checked(want) && now - conn->idle_since <= RL_POOL_LOOK_NS) {
			return slot;
		}
		if (conn->transport->is_alive(conn->link, conn->pending_count > 0)) {
			conn->idle_since = now; /* spares it the next check */
			return slot;
		}
		rl_stats_add(&rl_env_stats(pool->env)->reconnects, 1);
		close_idle(pool, slot);
	}
	return NULL;
}

/* Keeps the target: find_alive() may read a map, and the map may drop the node of the target. */
static rl_conn **find(rl_pool *pool, const rl_target *target, rl_pool_want want, int64_t now)
{
	rl_target *kept = rl_target_ref((rl_target *) (uintptr_t) target);
	rl_conn **slot = find_alive(pool, kept, want, now);
	rl_target_unref(kept);
	return slot;
}

static void go_away(rl_pool *pool, rl_conn *conn)
{
	conn->next = pool->away;
	conn->away_link = &pool->away;
	if (conn->next != NULL) {
		conn->next->away_link = &conn->next;
	}
	pool->away = conn;
}

rl_conn *rl_pool_take(rl_pool *pool, const rl_target *target, rl_pool_want want, int64_t now)
{
	rl_conn **slot = find(pool, target, want, now);
	if (slot == NULL) {
		return NULL;
	}
	rl_conn *conn = *slot;
	*slot = conn->next;
	conn->next = NULL;
	pool->count--;
	if (conn->own_left > 0) {
		go_away(pool, conn);
	}
	return conn;
}

bool rl_pool_lingers(rl_pool *pool, int64_t now)
{
	sweep(pool, now);
	return pool->lingering != NULL;
}

/* Lets the idle connections linger on which the answer to such a command is overdue. */
static void look_after_own(rl_pool *pool, uint64_t lock, int64_t now)
{
	for (rl_conn **slot = &pool->idle; *slot != NULL;) {
		bool is_late = rl_conn_may_free(*slot, lock) && is_overdue(*slot, now);
		if (!is_late || look_after(pool, slot, now)) {
			slot = &(*slot)->next;
		}
	}
}

/* The command may be overtaken: by any other one on a connection that lingers or is away, and on an
 * idle one if another connection is taken next. */
static bool may_come_late(
	rl_pool *pool, const rl_conn *first, bool is_idle, const rl_target *target, uint64_t lock)
{
	bool may_come = false;
	for (const rl_conn *conn = first; conn != NULL; conn = conn->next) {
		bool is_there = target == NULL || rl_target_equal(conn->target, target);
		may_come = may_come ||
			(is_there && rl_conn_may_free(conn, lock) &&
				!(is_idle && *best_of(pool, conn->target, false) == conn));
	}
	return may_come;
}

bool rl_pool_may_free(rl_pool *pool, const rl_target *target, uint64_t lock, int64_t now)
{
	notice_fork(pool);
	if (target == NULL) {
		look_after_own(pool, lock, now);
	}
	sweep(pool, now);
	return may_come_late(pool, pool->lingering, false, target, lock) ||
		may_come_late(pool, pool->away, false, target, lock) ||
		may_come_late(pool, pool->idle, true, target, lock);
}

int64_t rl_pool_redial_at(rl_pool *pool, const rl_target *target)
{
	const rl_backed_off *trouble = *find_backed_off(pool, target);
	return trouble != NULL ? trouble->redial_at : 0;
}

bool rl_pool_is_backed_off(rl_pool *pool, const rl_target *target, int64_t now)
{
	return rl_pool_redial_at(pool, target) > now;
}

void rl_pool_give_unheard(rl_pool *pool, rl_conn *conn, int64_t unheard_ns, int64_t now)
{
	rl_pool_give(pool, conn, now);
	conn->unheard_ns = unheard_ns;
	rl_conn_note_pending(conn, now);
}

bool rl_pool_has(rl_pool *pool, const rl_target *target, rl_pool_want want, int64_t now)
{
	return find(pool, target, want, now) != NULL;
}

bool rl_pool_is_worth_asking(rl_pool *pool, const rl_target *target, rl_pool_want want, int64_t now)
{
	return !rl_pool_is_backed_off(pool, target, now) || rl_pool_has(pool, target, want, now);
}

/* Ends the connection that has been idle for longest, if there are too many to the target or in
 * all. True = there are still too many. */
static bool make_room(rl_pool *pool, const rl_target *target, int64_t now)
{
	unsigned max = pool->env->idle_max > 0 ? pool->env->idle_max : RL_POOL_TARGET_MAX;
	unsigned count = 0;
	rl_conn **oldest = NULL;
	rl_conn **oldest_of_target = NULL;
	for (rl_conn **slot = &pool->idle; *slot != NULL; slot = &(*slot)->next) {
		bool is_alike = rl_target_equal((*slot)->target, target);
		count += is_alike;
		oldest = slot;
		oldest_of_target = is_alike ? slot : oldest_of_target;
	}
	if (count >= max) {
		end_idle(pool, oldest_of_target, now);
	} else if (pool->count == RL_POOL_MAX) {
		end_idle(pool, oldest, now);
	}
	return count > max; /* several are too many after the limit has become lower */
}

void rl_pool_give(rl_pool *pool, rl_conn *conn, int64_t now)
{
	notice_fork(pool);
	rl_conn_return(conn);
	while (pool->count >= RL_POOL_TARGET_MAX && make_room(pool, conn->target, now)) {
	}
	if (conn->heard == RL_CONN_HEARD_SINCE) {
		conn->heard = RL_CONN_HEARD_BEFORE;
		if (pool->troubles != NULL) {
			rl_pool_note_answer(pool, conn->target);
		}
	}
	conn->unheard_ns = 0;
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

/* ---- routes ---- */

/* Forgets the routes that no object uses, except for the first RL_POOL_ROUTES_MAX of them. */
static void forget_unused_routes(rl_pool *pool)
{
	unsigned unused = 0;
	for (rl_route **slot = &pool->routes; *slot != NULL;) {
		unused += (*slot)->refs == 1;
		if ((*slot)->refs == 1 && unused > RL_POOL_ROUTES_MAX) {
			forget_route(slot);
		} else {
			slot = &(*slot)->next;
		}
	}
}

rl_route *rl_pool_share_route(rl_pool *pool, rl_route *route)
{
	for (rl_route *known = pool->routes; known != NULL; known = known->next) {
		if (rl_route_equal(known, route)) {
			rl_route_unref(route);
			return rl_route_ref(known);
		}
	}
	forget_unused_routes(pool);
	route->next = pool->routes;
	pool->routes = route;
	return rl_route_ref(route);
}
