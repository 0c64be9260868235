/* SPDX-License-Identifier: MIT
 *
 * rl_conn.c: the queue of pending replies.
 */
#include "invariants.h"

static bool is_command(rl_pending_kind kind)
{
	return kind == RL_PENDING_COMMAND || kind == RL_PENDING_CONFIRMED;
}

unsigned commands_on(const rl_conn *conn)
{
	unsigned commands = (unsigned) (conn->held.count - conn->held.taken);
	for (unsigned i = 0; i < conn->pending_runs; i++) {
		const rl_pending *run = &conn->owed[(conn->pending_first + i) & conn->ring_mask];
		commands += is_command(run->kind) ? run->count : 0;
	}
	return commands;
}

/* What the runs add up to. */
typedef struct sums {
	unsigned replies;
	unsigned logins;
	unsigned waits_end; /* the number of replies up to that of the last WAIT */
	bool has_map;
	bool is_empty_run;
	bool is_late_login; /* a login follows another command */
} sums;

static sums add_up(const rl_conn *conn)
{
	sums all = {0};
	for (unsigned i = 0; i < conn->pending_runs; i++) {
		const rl_pending *run = &conn->owed[(conn->pending_first + i) & conn->ring_mask];
		bool is_login = run->kind == RL_PENDING_LOGIN || run->kind == RL_PENDING_ROLE;
		all.is_late_login |= is_login && all.logins != all.replies;
		all.replies += run->count;
		all.logins += is_login ? run->count : 0;
		all.waits_end = run->kind == RL_PENDING_WAIT ? all.replies : all.waits_end;
		all.has_map |= run->kind == RL_PENDING_MAP;
		all.is_empty_run |= run->count == 0;
	}
	return all;
}

static bool has_good_runs(const rl_conn *conn, const sums *all)
{
	return holds(
			   conn->pending_runs <= conn->ring_mask + 1, "rl_conn: the runs fit into the ring") &&
		holds(!all->is_empty_run, "rl_conn: a run has a reply") &&
		holds(conn->pending_count == all->replies,
			"rl_conn: pending_count is the number of the replies in all runs") &&
		holds(!all->is_late_login, "rl_conn: the replies to the login come first") &&
		holds(conn->life != RL_CONN_LIFE_WELL || conn->logins_pending == all->logins,
			"rl_conn: logins_pending is the number of the pending replies to the login") &&
		holds(
			!all->has_map || conn->mapped != NULL, "rl_conn: a map that was asked for has a route");
}

bool invariants_of_conn(const rl_conn *conn)
{
	sums all = add_up(conn);
	const rl_held *held = &conn->held;
	bool waits = all.waits_end > 0 || conn->confirm_ms != 0 || conn->later_ms != 0;
	return has_good_runs(conn, &all) &&
		holds(conn->undo_left <= conn->pending_count,
			"rl_conn: undo_left is at most the number of pending replies") &&
		holds(conn->own_left <= conn->pending_count,
			"rl_conn: own_left is at most the number of pending replies") &&
		holds(conn->waits_left <= conn->pending_count,
			"rl_conn: waits_left is at most the number of pending replies") &&
		holds(
			conn->waits_left >= all.waits_end, "rl_conn: waits_left counts up to the last WAIT") &&
		holds(held->taken <= held->judged && held->judged <= held->count,
			"rl_conn: held replies are judged, and then taken") &&
		holds(held->judged == held->count || waits || conn->life != RL_CONN_LIFE_WELL,
			"rl_conn: a reply is held only until WAIT is answered") &&
		holds(conn->life != RL_CONN_LIFE_ENDED || conn->waits_left == 0,
			"rl_conn: a connection is not ended while its server waits for the replicas") &&
		holds(conn->kept_left <= conn->pending_count,
			"rl_conn: kept_left is at most the number of pending replies") &&
		holds(conn->last_byte >= conn->kept_end, "rl_conn: the login comes first");
}
