/* SPDX-License-Identifier: MIT */
#include "faults.h"

#include "client.h"
#include "cluster.h"
#include "cover.h"
#include "sentinel.h"
#include "server.h"

#define AWAY_MOST (4 * SECOND)
#define SPIKE_MOST (500 * MS)

static bool is_over;
static int64_t calm_at;
static chance strikes; /* the numbers of faults_tempt() */

void faults_disturb(int64_t until)
{
	calm_at = until > calm_at ? until : calm_at;
}

int64_t faults_calm_at(void)
{
	return calm_at;
}

static void plan_next(void)
{
	int64_t pause = plan.fault_ns / 4 + between(0, plan.fault_ns + plan.fault_ns / 2);
	world_plan(EVENT_FAULT, world.now + pause, 0, 0, 0);
}

void faults_begin(void)
{
	is_over = plan.faults == 0;
	chance_begin(&strikes, world.seed ^ UINT64_C(0x57e1ce));
	calm_at = 0;
	if (!is_over) {
		plan_next();
	}
}

void faults_end(void)
{
	is_over = true;
}

int64_t faults_longest(void)
{
	bool loses_time = (plan.faults & ~(1U << FAULT_MOVE)) != 0;
	return !loses_time ? 0 : plan.stall_most + NET_CUT_MOST + AWAY_MOST + SPIKE_MOST + SECOND;
}

bool faults_lose_nothing(void)
{
	return (plan.faults &
			   ~(1U << FAULT_SPIKE | 1U << FAULT_STALL | 1U << FAULT_SCRIPTS | 1U << FAULT_PAUSE |
				   1U << FAULT_SCRIPT_PAUSE | 1U << FAULT_MEMORY | 1U << FAULT_UNBLOCK |
				   1U << FAULT_MOVE)) == 0;
}

static void cut(void)
{
	unsigned way = any(3);
	int64_t until = world.now + spread(plan.delay_most, NET_CUT_MOST);
	bool is_all = one_in(3); /* all clients */
	faults_disturb(until);
	unsigned client = any(plan.clients);
	unsigned server = any(plan.servers);
	for (unsigned i = 0; i < plan.clients; i++) {
		if (is_all || i == client) {
			net_cut(i, server, way != 1, way != 0, until);
		}
	}
	if (way == 0) {
		COVER(cut_to_server);
	} else if (way == 1) {
		COVER(cut_to_client);
	} else {
		COVER(cut_both);
	}
	TRACE("cut between c%u%s and s%u, way %u, until %.3f ms", client,
		is_all ? " and all others" : "", server, way, (double) until / 1e6);
}

static unsigned servers_without_data(void)
{
	unsigned count = 0;
	for (unsigned i = 0; i < plan.servers; i++) {
		count += !servers[i].is_up && servers[i].loses_data;
	}
	return count;
}

static void crash(bool loses_data)
{
	sim_server *s = &servers[any(plan.servers)];
	bool is_machine = one_in(3);
	if (!s->is_up) {
		return;
	}
	int64_t away = spread(5 * MS, AWAY_MOST);
	if (loses_data) {
		COVER(crash_losing);
		/* The longest TTL by the slowest clock, and the time for commands on their way to the
		 * server. */
		away = plan.ttl_longest + plan.ttl_longest / 8 + 10 * MS;
	} else if (is_machine) {
		COVER(crash_machine);
	} else {
		COVER(crash_keeping);
	}
	server_crash(s, is_machine, loses_data, away);
	faults_disturb(world.now + away + SECOND); /* the server may load its data */
}

void faults_tempt(unsigned server)
{
	bool may_strike = !is_over && (plan.faults >> FAULT_CRASH & 1U) != 0;
	if (may_strike && chance_one_in(&strikes, 3)) {
		world_plan(EVENT_STRIKE, world.now, server, 0, 0);
	}
}

void faults_strike(unsigned server)
{
	int64_t away = chance_spread(&strikes, 20 * MS, AWAY_MOST);
	COVER(struck);
	server_crash(&servers[server], chance_one_in(&strikes, 3), false, away);
	faults_disturb(world.now + away + SECOND); /* the server may load its data */
}

static void pause_client(bool is_script_only)
{
	sim_client *c = &clients[any(plan.clients)];
	int64_t most = one_in(4) ? 3 * plan.ttl_most : plan.ttl_most / 2;
	int64_t time = plan.has_stalls ? spread(plan.stall_least, plan.stall_most)
								   : spread(US, most < 5 * SECOND ? most : 5 * SECOND);
	if (!c->is_alive) {
		return;
	}
	if (is_script_only) {
		COVER(script_paused);
	} else {
		COVER(client_paused);
	}
	if (time > plan.ttl_most) {
		COVER(long_pause);
	}
	client_pause(c, is_script_only, world.now + time);
	faults_disturb(world.now + time);
}

static void trouble_cluster(fault_kind kind)
{
	unsigned member = any(plan.members);
	if (!plan_is_cluster(member) || member < plan.dead) {
		return;
	}
	bool loses = plan.mode == PLAN_UNCLEAN || plan.mode == PLAN_FAILOVER;
	if (kind == FAULT_MOVE) {
		cluster_move(member);
	} else if (kind == FAULT_TAKE_OVER) {
		cluster_take_over(member, one_in(3), loses);
	} else {
		cluster_go_down(member, world.now + spread(MS, AWAY_MOST));
	}
}

static void trouble_sentinels(fault_kind kind)
{
	unsigned member = any(plan.members);
	if (!plan_is_sentinel(member) || member < plan.dead) {
		return;
	}
	if (kind == FAULT_FAILOVER) {
		sentinel_fail_over(member);
	} else if (kind == FAULT_PROMOTE) {
		sentinel_replace(member);
	} else if (kind == FAULT_LAGGARD) {
		sentinel_lag(member, world.now + spread(MS, AWAY_MOST));
	} else {
		sentinel_trouble(member);
	}
}

/* A Sentinel has no data and no role. */
static bool can_refuse(const sim_server *s, fault_kind kind)
{
	return !sentinel_is_one(s) || kind == FAULT_FULL;
}

/* A server refuses something, for a while or once. */
static void refuse(fault_kind kind)
{
	sim_server *s = &servers[any(plan.servers)];
	int64_t until = world.now + spread(MS, AWAY_MOST);
	if (plan_is_sentinel(s->member) && (kind == FAULT_REPLICA || kind == FAULT_SWITCH)) {
		trouble_sentinels(FAULT_FAILOVER);
		return;
	}
	if (!can_refuse(s, kind)) {
		return;
	}
	if (plan_is_cluster(s->member) && (kind == FAULT_REPLICA || kind == FAULT_SWITCH)) {
		cluster_take_over(s->member, true, false); /* a replica redirects */
		return;
	}
	if (kind == FAULT_REPLICA) {
		server_be_replica(s, until);
	} else if (kind == FAULT_MEMORY) {
		server_run_out_of_memory(s, until);
	} else if (kind == FAULT_UNCOPIED) {
		server_lose_replicas(s, until);
	} else if (kind == FAULT_FULL) {
		server_be_full(s, until);
	} else if (kind == FAULT_LAG) {
		server_lag(s, until);
	} else {
		until = world.now;
	}
	if (kind == FAULT_SWITCH) {
		server_switch(s);
	} else if (kind == FAULT_UNBLOCK) {
		server_unblock_any(s);
	}
	faults_disturb(until);
}

static void kill_link(void)
{
	rl_link *link = net_any_link();
	if (link != NULL) {
		server_kill(link);
	}
}

static void break_link(bool is_silent)
{
	rl_link *link = net_any_link();
	if (link != NULL && is_silent) {
		net_silence(link);
	} else if (link != NULL) {
		net_reset(link);
	}
}

static void slow_down(void)
{
	int64_t by = spread(plan.delay_most, SPIKE_MOST);
	int64_t until = world.now + spread(MS, SECOND);
	COVER(delay_spike);
	net_slow_down(by, until);
	faults_disturb(until + by);
}

static void stall_server(void)
{
	int64_t until = world.now + spread(plan.stall_least, plan.stall_most);
	server_stall(&servers[any(plan.servers)], until);
	faults_disturb(until);
}

static void happen(fault_kind kind)
{
	faults_disturb(world.now);
	switch (kind) {
		case FAULT_SPIKE:
			slow_down();
			break;
		case FAULT_RESET:
			break_link(false);
			break;
		case FAULT_SILENT:
			break_link(true);
			break;
		case FAULT_CUT:
			cut();
			break;
		case FAULT_CRASH:
			crash(false);
			break;
		case FAULT_CRASH_LOSING:
			if (servers_without_data() == 0) {
				crash(true);
			}
			break;
		case FAULT_SCRIPTS:
			server_forget_scripts(&servers[any(plan.servers)]);
			break;
		case FAULT_STALL:
			stall_server();
			break;
		case FAULT_PAUSE:
			pause_client(false);
			break;
		case FAULT_SCRIPT_PAUSE:
			pause_client(true);
			break;
		case FAULT_CLIENT_CRASH:
			client_crash(&clients[any(plan.clients)]);
			break;
		case FAULT_REPLICA:
		case FAULT_SWITCH:
		case FAULT_MEMORY:
		case FAULT_UNCOPIED:
		case FAULT_FULL:
		case FAULT_UNBLOCK:
		case FAULT_LAG:
			refuse(kind);
			break;
		case FAULT_KILL:
			kill_link();
			break;
		case FAULT_UNCLEAN:
			server_crash(&servers[any(plan.servers)], false, true, spread(MS, 20 * MS));
			break;
		case FAULT_JUMP:
			server_jump(&servers[any(plan.servers)], between(-20, 20) * SECOND);
			break;
		case FAULT_MOVE:
		case FAULT_TAKE_OVER:
		case FAULT_DOWN:
			trouble_cluster(kind);
			break;
		case FAULT_FAILOVER:
		case FAULT_PROMOTE:
		case FAULT_LAGGARD:
		case FAULT_SENTINELS:
			trouble_sentinels(kind);
			break;
		case FAULT_KINDS:
			break;
	}
}

void faults_happen(void)
{
	if (is_over) {
		world_uncount();
		return;
	}
	unsigned kinds = plan.has_sentinels ? FAULT_KINDS
		: plan.has_clusters             ? FAULT_CLUSTER_KINDS
										: FAULT_PLAIN_KINDS;
	fault_kind kind;
	do {
		kind = (fault_kind) any(kinds);
	} while ((plan.faults >> kind & 1U) == 0);
	happen(kind);
	plan_next();
}
