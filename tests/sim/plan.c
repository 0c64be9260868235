/* SPDX-License-Identifier: MIT */
#include "plan.h"

plan_t plan;

static unsigned draw_members(void)
{
	static const uint8_t often[] = {1, 1, 1, 1, 3, 3, 3, 3, 5, 5, 5, 2, 4, 6, 7, 7};
	return often[any(sizeof often)];
}

static unsigned draw_faults(void)
{
	unsigned all = (1U << FAULT_UNCLEAN) - 1;
	unsigned refusals = all & ~((1U << FAULT_REPLICA) - 1);
	switch (any(11)) {
		case 0:
		case 1:
			return 0;
		case 2:
			return 1U << FAULT_CLIENT_CRASH;
		case 3: /* faults that delay, and lose nothing that is written */
			return 1U << FAULT_SPIKE | 1U << FAULT_STALL | 1U << FAULT_SCRIPTS | 1U << FAULT_PAUSE |
				1U << FAULT_SCRIPT_PAUSE;
		case 4:
			return all;
		case 5:
			return 1U << any(FAULT_UNCLEAN);
		case 6:
			plan.has_stalls = true;
			return 1U << FAULT_STALL | 1U << FAULT_PAUSE;
		case 7:
			plan.has_pauses = one_in(2);
			return 1U << (FAULT_REPLICA + any(FAULT_UNCLEAN - FAULT_REPLICA));
		case 8:
			plan.has_pauses = one_in(2);
			return refusals;
		default:
			return all & (unsigned) chance_next(&world.chance);
	}
}

static void draw_times(void)
{
	plan.delay_least = spread(10 * US, 5 * MS);
	plan.delay_most = plan.delay_least + spread(10 * US, 4 * plan.delay_least);
	/* Of several members each may take a tenth of the TTL to answer. */
	int64_t least = (plan.members > 1 ? 50 : 10) * plan.delay_most;
	least = least > 20 * MS ? least : 20 * MS;
	plan.ttl_most = spread(least, 20 * SECOND > 4 * least ? 20 * SECOND : 4 * least);
	plan.ttl_least = plan.ttl_most / 4 < 5 * MS ? 5 * MS : plan.ttl_most / 4;
	if (plan.faults == 0 || plan.has_kills) {
		/* Where nothing breaks, no lock may end by its TTL, and each member must have the time for
		 * a new connection and a command. */
		int64_t enough = 50 * MS + (plan.members > 1 ? 200 : 20) * plan.delay_most;
		plan.ttl_least = plan.ttl_least > enough ? plan.ttl_least : enough;
		plan.ttl_most = plan.ttl_most > plan.ttl_least ? plan.ttl_most : plan.ttl_least;
	}
	plan.ttl_longest = plan.ttl_most;
	int64_t enough = (plan.has_kills || plan.faults == 0 ? 20 : 8) * plan.delay_most + 5 * MS;
	plan.timeout_ns = spread(enough, 2 * SECOND);
	plan.connect_timeout_ns = spread(enough, 2 * SECOND);
	plan.think_ns = spread(4 * plan.delay_most, 2 * plan.ttl_most);
	plan.fault_ns = spread(20 * MS, 2 * SECOND);
	if (plan.has_pauses) {
		plan.fault_ns = spread(SECOND, 20 * SECOND);
	}
	plan.stall_least = MS;
	plan.stall_most = 3 * SECOND;
	if (plan.has_stalls) { /* and time between them to wait for a lock */
		plan.fault_ns = spread(SECOND, 20 * SECOND);
		plan.stall_least = 200 * MS;
		plan.stall_most = 9 * SECOND;
	}
}

/* Sections of seconds, in a queue that is longer than a minute. */
static void make_fair(unsigned members)
{
	plan.members = members != 0 ? members : one_in(2) ? 1 : 3;
	plan.dead = 0;
	plan.clients = (unsigned) between(24, PLAN_CLIENTS);
	plan.keys = 1;
	plan.ttl_least = 5 * SECOND;
	plan.ttl_most = plan.ttl_longest = 30 * SECOND;
	plan.timeout_ns = plan.connect_timeout_ns = SECOND;
	plan.think_ns = 20 * MS;
	plan.section_ns = between(SECOND, 4 * SECOND);
	plan.is_forbidden = plan.has_small_buffers = plan.has_records = plan.has_pollers =
		plan.has_names = false;
	plan.ends_at = 2 * 3600 * SECOND;
}

/* For a world in which each member is one server. */
static void place_servers(void)
{
	plan.servers = plan.members;
	for (unsigned i = 0; i < plan.members; i++) {
		plan.first[i] = plan.member_of[i] = (uint8_t) i;
		plan.count[i] = plan.nodes[i] = 1;
	}
}

static void place_clusters(void)
{
	plan.servers = 0;
	unsigned any_cluster = any(plan.members);
	for (unsigned i = 0; i < plan.members; i++) {
		bool is_cluster = i == any_cluster || !one_in(3);
		plan.kinds[i] = is_cluster ? MEMBER_CLUSTER : MEMBER_PLAIN;
		plan.first[i] = (uint8_t) plan.servers;
		plan.count[i] = is_cluster ? (uint8_t) (2 + any(3) + plan.has_spares) : 1;
		plan.nodes[i] = plan.count[i];
		for (unsigned j = 0; j < plan.count[i]; j++) {
			plan.member_of[plan.servers++] = (uint8_t) i;
		}
	}
}

/* The faults that clusters add. */
static unsigned draw_cluster_faults(void)
{
	unsigned all = 1U << FAULT_MOVE | 1U << FAULT_TAKE_OVER | 1U << FAULT_DOWN;
	switch (any(6)) {
		case 0:
			return 0;
		case 1:
			return all;
		case 2:
			return 1U << FAULT_TAKE_OVER;
		default:
			return 1U << FAULT_MOVE;
	}
}

static void draw_forms(void)
{
	static const uint8_t forms[] = {KEY_PLAIN, KEY_PLAIN, KEY_PLAIN, KEY_TAGGED, KEY_TAGGED,
		KEY_TAGGED, KEY_TAGGED, KEY_POLLED};
	for (unsigned i = 0; i < WORDS_KEYS; i++) {
		plan.forms[i] = forms[any(sizeof forms)];
	}
}

static void draw_clusters(void)
{
	plan.has_clusters = true;
	plan.has_names = false; /* routes lead to other servers, and names do not */
	plan.has_twins = false;
	draw_forms();
	if (plan.mode == PLAN_UNCLEAN || plan.mode == PLAN_FAILOVER) {
		plan.faults |= 1U << FAULT_TAKE_OVER;
	} else if (plan.mode == PLAN_USUAL && !plan.has_kills && !one_in(6)) {
		plan.faults |= draw_cluster_faults();
	}
	plan.has_spares = (plan.faults >> FAULT_TAKE_OVER & 1U) != 0;
	plan.has_map = !one_in(4);
	plan.hides_hosts = one_in(4);
	place_clusters();
}

/* The faults that Sentinels add. */
static unsigned draw_sentinel_faults(void)
{
	unsigned planned = 1U << FAULT_FAILOVER;
	unsigned unplanned = 1U << FAULT_PROMOTE;
	unsigned rest = 1U << FAULT_LAGGARD | 1U << FAULT_SENTINELS;
	switch (any(6)) {
		case 0:
			return planned;
		case 1:
			return unplanned;
		case 2:
			return unplanned | 1U << FAULT_LAGGARD;
		case 3:
			return planned | 1U << FAULT_SENTINELS;
		default:
			return planned | unplanned | rest;
	}
}

static void place_sentinels(void)
{
	static const uint8_t kinds[] = {
		MEMBER_PLAIN, MEMBER_PLAIN, MEMBER_CLUSTER, MEMBER_SENTINEL, MEMBER_SENTINEL};
	plan.servers = 0;
	unsigned any_sentinel = any(plan.members);
	for (unsigned i = 0; i < plan.members; i++) {
		uint8_t kind = i == any_sentinel ? MEMBER_SENTINEL : kinds[any(sizeof kinds)];
		unsigned sentinels = kind != MEMBER_SENTINEL ? 0 : one_in(4) ? 5 : 3;
		plan.has_clusters = plan.has_clusters || kind == MEMBER_CLUSTER;
		plan.kinds[i] = kind;
		plan.first[i] = (uint8_t) plan.servers;
		plan.nodes[i] = kind == MEMBER_PLAIN ? 1 : (uint8_t) (2 + any(2));
		if (plan.mode == PLAN_FAILOVER && kind == MEMBER_SENTINEL) {
			plan.nodes[i] = 2; /* all replicas have the data that one of them has confirmed */
		}
		plan.count[i] = (uint8_t) (plan.nodes[i] + sentinels);
		for (unsigned j = 0; j < plan.count[i]; j++) {
			plan.member_of[plan.servers++] = (uint8_t) i;
		}
	}
}

static void draw_sentinels(void)
{
	plan.has_sentinels = true;
	plan.has_names = false; /* routes lead to other servers, and names do not */
	plan.has_twins = false;
	place_sentinels();
	draw_forms();
	plan.has_map = !one_in(4);
	plan.has_writable = one_in(4);
	if (plan.mode == PLAN_GRACE) { /* the shortest that these TTLs allow */
		plan.grace_ns = plan.ttl_longest + 2 * MS +
			(int64_t) ((double) RL_NS_PER_SECOND / (1 - plan.drift_factor));
	}
	/* No data is lost: only the time around a switch breaks exclusion. */
	if (plan.mode == PLAN_UNCLEAN) {
		plan.faults = 1U << FAULT_FAILOVER;
	} else if (plan.mode == PLAN_FAILOVER) {
		plan.faults = 1U << FAULT_PROMOTE | 1U << FAULT_LAGGARD;
	} else if (!plan.has_kills && !one_in(6)) {
		plan.faults |= draw_sentinel_faults();
		plan.faults |= plan.has_clusters && one_in(2) ? 1U << FAULT_MOVE : 0;
	}
}

/* The number of members in a world where some members are several servers: no more than fit into
 * PLAN_SERVERS. */
static unsigned draw_voters(unsigned members)
{
	static const uint8_t often[] = {1, 1, 1, 1, 1, 3, 3, 2};
	unsigned drawn = often[any(sizeof often)];
	return members == 0 ? drawn : members < 3 ? members : 3;
}

static plan_fencing draw_fencing(void)
{
	chance own;
	chance_begin(&own, world.seed ^ UINT64_C(0xfe9ce));
	bool fences = chance_one_in(&own, 4) && plan.mode != PLAN_FAIR;
	return !fences ? FENCING_NONE : chance_one_in(&own, 2) ? FENCING_APART : FENCING_CLOSE;
}

static bool draw_early_asks(void)
{
	chance own;
	chance_begin(&own, world.seed ^ UINT64_C(0x0a5c62));
	return chance_one_in(&own, 4);
}

static bool draw_haste(void)
{
	chance own;
	chance_begin(&own, world.seed ^ UINT64_C(0x4a57e));
	return chance_one_in(&own, 3) && plan.mode == PLAN_GRACE;
}

static bool draw_handovers(void)
{
	chance own;
	chance_begin(&own, world.seed ^ UINT64_C(0x4a9d0));
	return chance_one_in(&own, 4) && plan.mode != PLAN_FAIR && !plan.has_twins;
}

static bool draw_once(void)
{
	chance own;
	chance_begin(&own, world.seed ^ UINT64_C(0x0dce));
	return chance_one_in(&own, 4) && plan.mode != PLAN_FAIR && !plan.has_twins;
}

static bool may_have_permits(void)
{
	bool is_sound =
		plan.mode == PLAN_USUAL || plan.mode == PLAN_FAILOVER || plan.mode == PLAN_GRACE;
	bool has_helpers = !plan.has_clusters || plan.forms[0] != KEY_POLLED;
	return is_sound && plan.members == 1 && has_helpers && !plan.has_twins;
}

static unsigned draw_permits(void)
{
	chance own;
	chance_begin(&own, world.seed ^ UINT64_C(0x9e72));
	bool is_possible = may_have_permits() && !plan.has_once;
	return is_possible && chance_one_in(&own, 3) ? 2 + chance_below(&own, WORDS_KEYS - 1) : 0;
}

/* With --kinds. */
static void draw_kind(void)
{
	chance own;
	chance_begin(&own, world.seed ^ UINT64_C(0x41d5));
	unsigned kind = chance_below(&own, 3);
	unsigned count = 2 + chance_below(&own, WORDS_KEYS - 1);
	if (plan.mode == PLAN_FAIR || plan.has_twins) {
		return;
	}
	plan.has_once = kind == 0;
	plan.permits = kind == 1 && may_have_permits() ? count : 0;
	plan.has_several = !plan.has_once && plan.permits == 0;
	plan.keys = plan.has_several ? count : plan.keys;
}

static bool draw_reuse(void)
{
	chance own;
	chance_begin(&own, world.seed ^ UINT64_C(0x4e05e));
	return chance_one_in(&own, 8) && plan.mode != PLAN_FAIR && plan.permits == 0;
}

/* Half of the usual worlds with several members have a slow server. A separate draw from the seed
 * decides that, so the other draws of a seed are what they would be without it. */
static void choose_slow_server(void)
{
	uint64_t mixed = world.seed * UINT64_C(0x9e3779b97f4a7c15) >> 32;
	bool has_one = plan.members > 1 && plan.mode == PLAN_USUAL && mixed % 2 == 0;
	plan.slow = has_one ? (int) (mixed / 2 % plan.servers) : -1;
}

void plan_begin(
	plan_mode mode, unsigned members, bool has_clusters, bool has_sentinels, bool has_kinds)
{
	plan = (plan_t){.mode = mode, .events = 2000 + any(500)};
	bool has_routes = has_clusters || has_sentinels;
	unsigned drawn = has_routes ? draw_voters(members) : draw_members();
	members = has_routes ? drawn : members;
	plan.members = members != 0 ? members : drawn;
	plan.dead = plan.members > 2 && one_in(4) ? 1 + any((plan.members - 1) / 2) : 0;
	plan.clients = 2 + any(7);
	plan.keys = one_in(4) ? 1 + any(3) : 1;
	plan.faults = mode == PLAN_FAIR ? 0 : draw_faults();
	plan.has_kills = plan.faults == 1U << FAULT_CLIENT_CRASH;
	draw_times();
	plan.drift_factor = one_in(4) ? 0.05 : one_in(4) ? 0.001 : 0.01;
	/* With this bound any two clocks differ by the factor at most. */
	plan.drift_bound = one_in(4) ? 0 : 0.999 * plan.drift_factor / (2 + plan.drift_factor);
	plan.has_password = one_in(4);
	plan.is_forbidden = one_in(16);
	plan.has_twins = one_in(16);
	plan.has_small_buffers = plan.faults != 0 && !plan.has_kills && !plan.has_stalls && one_in(6);
	plan.has_records = plan.has_small_buffers && one_in(2);
	plan.has_names = one_in(3);
	plan.has_pollers = one_in(8);
	plan.waits = any(9);
	plan.replicas = mode == PLAN_FAILOVER || one_in(6);
	if (plan.has_twins) {
		plan.faults |= 1U << FAULT_RESET;
		plan.has_kills = plan.has_stalls = plan.has_small_buffers = plan.has_records = false;
	}
	if (mode == PLAN_UNCLEAN) {
		plan.faults = 1U << FAULT_UNCLEAN;
	} else if (mode == PLAN_FAILOVER) {
		plan.faults = 1U << FAULT_UNCLEAN | 1U << FAULT_LAG;
	} else if (mode == PLAN_JUMPS) {
		plan.faults = 1U << FAULT_JUMP;
	}
	if (mode != PLAN_USUAL) {
		plan.has_twins = plan.has_kills = plan.has_stalls = false;
	}
	/* What replicas do not confirm is undone, which releases the token. */
	plan.replicas = plan.has_twins ? 0 : plan.replicas;
	if (mode == PLAN_FAIR) {
		plan.faults = 0; /* worlds with equal tokens have some */
		make_fair(members);
	}
	place_servers();
	if (has_sentinels) {
		draw_sentinels();
	} else if (has_clusters) {
		draw_clusters();
	}
	plan.fencing = draw_fencing();
	plan.has_handovers = draw_handovers();
	if (has_kinds) {
		draw_kind();
	} else {
		plan.has_once = draw_once();
		plan.permits = draw_permits();
	}
	plan.keys = plan.permits > 1 ? plan.permits : plan.keys;
	plan.has_reuse = draw_reuse();
	choose_slow_server();
	plan.is_hasty = draw_haste();
	plan.asks_early = draw_early_asks();
}
