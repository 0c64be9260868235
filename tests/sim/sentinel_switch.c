/* SPDX-License-Identifier: MIT
 *
 * Switches of the primary behind Sentinels, when each Sentinel learns of them, and the other faults
 * of such a member. The design is in sentinel.h.
 */
#include "cover.h"
#include "excuses.h"
#include "faults.h"
#include "routes.h"
#include "sentinel_parts.h"

#define DETECTED_NS (3 * SECOND)  /* a primary that is away is replaced after this time, at most */
#define LEARNED_NS SECOND         /* the delay from Sentinel to Sentinel */
#define ASLEEP_MOST (20 * SECOND) /* how long a Sentinel, or a replaced primary, is away */
#define UNREACHABLE_MOST (4 * SECOND) /* how long a majority of the Sentinels cannot be reached */
#define DEMOTED_MOST \
 (10 * SECOND)               /* when a former primary that can be reached becomes a replica \
							  */
#define HASTY_NS (30 * MS)   /* the limit of all these times in a hasty world */
#define RETURN_NS (300 * MS) /* in a hasty world: until the next failover */

/* ---- a switch ---- */

/* Chooses a replica that can take over. @param is_best the replica with the most of the primary's
 * writes */
static bool choose_candidate(sentinel_group *g, unsigned member, bool is_best)
{
	bool has_any = false;
	unsigned at = any(plan.nodes[member]);
	for (unsigned i = 0; i < plan.nodes[member]; i++) {
		unsigned n = plan.first[member] + (at + i) % plan.nodes[member];
		bool is_better =
			!has_any || (is_best && sentinel_parts[n].has > sentinel_parts[g->candidate].has);
		if (sentinel_is_attached(n, g->primary) && is_better) {
			g->candidate = (uint8_t) n;
			has_any = true;
		}
	}
	return has_any;
}

/* A Sentinel that can lead the switch; 0 = none. Servers of a member begin with its nodes. */
static unsigned choose_leader(unsigned member, unsigned least)
{
	unsigned count = plan.count[member] - plan.nodes[member];
	unsigned at = any(count);
	unsigned leader = 0;
	unsigned awake = 0;
	for (unsigned i = 0; i < count; i++) {
		unsigned n = sentinel_first(member) + (at + i) % count;
		bool is_awake = !sentinel_is_silent(n) && sentinel_parts[n].forgets_until <= world.now;
		leader = is_awake ? n : leader;
		awake += is_awake;
	}
	return awake >= least ? leader : 0;
}

static bool may_switch(unsigned member)
{
	sentinel_group *g = &sentinel_groups[member];
	return !g->is_switching && g->named == g->primary && !sentinel_is_silent(g->primary) &&
		choose_candidate(g, member, !one_in(4));
}

static void begin_switch(unsigned member, bool is_planned, int64_t at)
{
	sentinel_group *g = &sentinel_groups[member];
	g->is_switching = true;
	g->is_planned = is_planned;
	g->number++;
	world_plan(EVENT_PROMOTE, at, member, g->number, 0);
}

/* Whether every Sentinel has learned of the latest switch. */
static bool all_know(unsigned member)
{
	bool all = true;
	for (unsigned n = sentinel_first(member); n < sentinel_end(member); n++) {
		all = all && sentinel_parts[n].names == sentinel_groups[member].primary;
	}
	return all;
}

void sentinel_fail_over(unsigned member)
{
	if (!may_switch(member) || choose_leader(member, 1) == 0 || !all_know(member)) {
		return;
	}
	COVER(failover_planned);
	TRACE("a failover of s%u is planned", (unsigned) sentinel_groups[member].primary);
	begin_switch(member, true, world.now + spread(MS, plan.is_hasty ? HASTY_NS : 300 * MS));
}

/* Cuts off the primary and a minority of the Sentinels, and some clients with them. */
static void cut_off(unsigned member, int64_t until)
{
	unsigned count = plan.count[member] - plan.nodes[member];
	unsigned cut = any(count - sentinel_majority(member) + 1);
	sentinel_parts[sentinel_groups[member].primary].cut_until = until;
	for (unsigned i = 0; i < count; i++) {
		unsigned n = sentinel_first(member) + i;
		if (i < cut) {
			sentinel_parts[n].cut_until = until;
		}
		for (unsigned client = 0; i >= cut && client < plan.clients; client++) {
			if (one_in(2)) {
				net_cut(client, n, true, true, until);
			}
		}
	}
	int64_t most = world.now + NET_CUT_MOST;
	faults_disturb(until < most ? until : most);
}

static void trouble_primary(unsigned member, int64_t detected)
{
	sim_server *primary = &servers[sentinel_groups[member].primary];
	int64_t away = one_in(4) ? spread(MS, detected) : detected + spread(MS, ASLEEP_MOST);
	unsigned how = any(3);
	TRACE("s%u is away for %.3f ms", (unsigned) primary->index, (double) away / 1e6);
	if (how == 0) {
		COVER(failover_crash);
		server_crash(primary, one_in(3), false, away);
	} else if (how == 1) {
		COVER(failover_pause);
		server_stall(primary, world.now + (away < 9 * SECOND ? away : 9 * SECOND));
	} else {
		COVER(failover_cut);
		cut_off(member, world.now + away);
	}
}

void sentinel_replace(unsigned member)
{
	int64_t detected = spread(100 * MS, DETECTED_NS);
	if (!may_switch(member) || choose_leader(member, sentinel_majority(member)) == 0) {
		return;
	}
	trouble_primary(member, detected);
	begin_switch(member, false, world.now + detected);
}

static void plan_demotion(unsigned n, int64_t at)
{
	int64_t pause = plan.is_hasty ? spread(MS, HASTY_NS)
		: one_in(4)               ? spread(MS, SECOND)
								  : between(SECOND, DEMOTED_MOST);
	world_plan(EVENT_DEMOTE, at + pause, n, 0, 0);
}

/* All nodes of the member learn which of them is the primary now. */
static void tell_all(unsigned member, unsigned leader, unsigned old)
{
	const sentinel_group *g = &sentinel_groups[member];
	int64_t learned = plan.is_hasty ? HASTY_NS : LEARNED_NS;
	int64_t leader_at = world.now + spread(MS, learned);
	for (unsigned n = sentinel_first(member); n < sentinel_end(member); n++) {
		int64_t late = !plan.is_hasty && one_in(8) ? ASLEEP_MOST : learned;
		int64_t at = n == leader ? leader_at : leader_at + spread(MS, late);
		world_plan(EVENT_LEARN, at, n, g->epoch, 0);
	}
	for (unsigned n = plan.first[member]; n < sentinel_first(member); n++) {
		if (n != g->primary && n != old) {
			world_plan(EVENT_LEARN, world.now + spread(MS, learned), n, g->epoch, 0);
		}
	}
	plan_demotion(old, leader_at);
}

static void promote(unsigned member, unsigned leader)
{
	sentinel_group *g = &sentinel_groups[member];
	unsigned old = g->primary;
	sim_server *s = &servers[g->candidate];
	bool is_whole = g->is_planned && (plan.mode == PLAN_UNCLEAN || one_in(2));
	if (is_whole && !sentinel_is_silent(old)) {
		sentinel_copy(g->candidate);
	}
	if (sentinel_parts[g->candidate].has != servers[old].writes) {
		COVER(lost_tail);
	}
	TRACE("s%u is promoted in place of s%u", (unsigned) s->index, old);
	g->primary = g->candidate;
	g->promoted_at = world.now;
	g->epoch++;
	sentinel_parts[g->primary].is_master = true;
	sentinel_parts[g->primary].promoted_at = world.now;
	excuses_note_promotion(member, g->primary);
	for (unsigned key = 0; key < plan.keys; key++) {
		server_plan_expiry(s, key);
		judge_key_changed(key);
	}
	tell_all(member, leader, old);
}

static void on_promote(unsigned member, uint32_t number)
{
	sentinel_group *g = &sentinel_groups[member];
	bool is_needed = g->is_planned || sentinel_is_silent(g->primary);
	unsigned leader = choose_leader(member, g->is_planned ? 1 : sentinel_majority(member));
	if (g->number != number) {
		world_uncount();
	} else if (is_needed && leader != 0 &&
		(sentinel_is_attached(g->candidate, g->primary) || choose_candidate(g, member, true))) {
		promote(member, leader);
	} else {
		COVER(failover_vain);
		TRACE("s%u is not replaced", (unsigned) g->primary);
		g->is_switching = false;
		g->named_at = world.now;
		/* The primary may load its data. */
		faults_disturb(sentinel_silent_until(g->primary) + SECOND);
	}
}

/* ---- nodes learn of a new primary ---- */

static void agree(unsigned member)
{
	sentinel_group *g = &sentinel_groups[member];
	unsigned old = g->named;
	COVER(agreed);
	TRACE("a majority of the Sentinels names s%u", (unsigned) g->primary);
	g->is_switching = false;
	g->named = g->primary;
	g->named_at = g->agreed_at = sentinel_parts[old].out_at = world.now;
	faults_disturb(world.now);
	excuses_note_switch(member, old);
}

static void learn_as_sentinel(unsigned n)
{
	unsigned member = servers[n].member;
	const sentinel_group *g = &sentinel_groups[member];
	unsigned knowing = 0;
	routes_unnamed(n, sentinel_parts[n].names);
	sentinel_parts[n].names = g->primary;
	sentinel_parts[n].learned_at = world.now;
	sentinel_parts[n].known_at = world.now;
	TRACE("the Sentinel s%u learns that s%u is the primary", n, (unsigned) g->primary);
	for (unsigned i = sentinel_first(member); i < sentinel_end(member); i++) {
		knowing += sentinel_parts[i].names == g->primary;
	}
	if (g->named != g->primary && knowing >= sentinel_majority(member)) {
		agree(member);
	} else if (g->named == g->primary && world.now > g->named_at + SECOND) {
		COVER(learned_late);
	}
}

static void on_learn(unsigned n, uint32_t epoch)
{
	const sentinel_group *g = &sentinel_groups[servers[n].member];
	if (g->epoch != epoch) {
		world_uncount(); /* another switch came since */
	} else if (sentinel_is_silent(n)) {
		world_plan(EVENT_LEARN, sentinel_silent_until(n) + spread(MS, LEARNED_NS), n, epoch, 0);
	} else if (n >= sentinel_first(servers[n].member)) {
		learn_as_sentinel(n);
	} else if (!sentinel_parts[n].is_master) {
		sentinel_parts[n].source = g->primary;
		sentinel_parts[n].is_synced = false;
		sentinel_plan_copy(n, world.now);
	}
}

/* Plans another failover of a hasty world, perhaps back to the former primary. */
static void plan_return(unsigned member)
{
	bool may_return = plan.is_hasty && (plan.faults >> FAULT_FAILOVER & 1U) != 0;
	if (may_return && !one_in(3)) {
		world_plan(EVENT_RETURN, world.now + spread(3 * MS, RETURN_NS), member, 0, 0);
	}
}

static void on_demote(unsigned n)
{
	const sentinel_group *g = &sentinel_groups[servers[n].member];
	if (sentinel_is_silent(n) || (g->is_switching && g->is_planned)) {
		plan_demotion(n, sentinel_is_silent(n) ? sentinel_silent_until(n) : world.now);
		return;
	}
	COVER(demoted_node);
	TRACE("s%u becomes a replica of s%u", n, (unsigned) g->primary);
	for (unsigned key = 0; key < plan.keys; key++) {
		uint64_t token = servers[n].store.keys[key].value.mark;
		sentinel_parts[n].had[key] = server_holds(&servers[n], key, token) ? token : 0;
	}
	sentinel_parts[n].demoted_at = world.now;
	sentinel_parts[n].is_master = false;
	sentinel_parts[n].is_synced = false;
	sentinel_parts[n].source = g->primary;
	server_hang_up_all(&servers[n]);
	sentinel_plan_copy(n, world.now);
	plan_return(servers[n].member);
}

/* ---- Sentinels that are away ---- */

void sentinel_lag(unsigned member, int64_t until)
{
	COVER(laggard);
	TRACE("the replicas of s%u lag until %.3f ms", (unsigned) sentinel_groups[member].primary,
		(double) until / 1e6);
	servers[sentinel_groups[member].primary].lag_until = until;
}

static void make_unreachable(unsigned member)
{
	int64_t until = world.now + spread(MS, UNREACHABLE_MOST);
	unsigned spared = any(sentinel_majority(member));
	bool is_crash = one_in(2);
	COVER(sentinels_gone);
	TRACE("all but %u Sentinels of member %u are away until %.3f ms", spared, member,
		(double) until / 1e6);
	for (unsigned n = sentinel_first(member) + spared; n < sentinel_end(member); n++) {
		if (is_crash) {
			server_crash(&servers[n], one_in(3), false, until - world.now);
		}
		for (unsigned client = 0; !is_crash && client < plan.clients; client++) {
			net_cut(client, n, true, true, until);
		}
	}
	faults_disturb(until);
}

/* Only the first Sentinel forgets the service, because a majority without it ends a wait. */
static void forget_service(unsigned member)
{
	unsigned n = sentinel_first(member);
	COVER(sentinel_forgot);
	sentinel_parts[n].forgets_until = world.now + spread(MS, UNREACHABLE_MOST);
	TRACE("the Sentinel s%u forgets the service", n);
}

void sentinel_trouble(unsigned member)
{
	unsigned n = sentinel_first(member) + any(plan.count[member] - plan.nodes[member]);
	switch (any(4)) {
		case 0:
			COVER(sentinel_asleep);
			server_stall(&servers[n], world.now + spread(10 * MS, ASLEEP_MOST));
			break;
		case 1:
			COVER(sentinel_died);
			server_crash(&servers[n], one_in(3), false, spread(MS, ASLEEP_MOST));
			break;
		case 2:
			forget_service(member);
			break;
		default:
			make_unreachable(member);
			break;
	}
}

/* ---- events ---- */

void sentinel_on_event(const event *e)
{
	switch (e->kind) {
		case EVENT_COPY:
			sentinel_on_copy(e->what);
			break;
		case EVENT_PROMOTE:
			on_promote(e->what, e->life);
			break;
		case EVENT_RETURN:
			sentinel_fail_over(e->what);
			break;
		case EVENT_LEARN:
			on_learn(e->what, e->life);
			break;
		default: /* EVENT_DEMOTE */
			on_demote(e->what);
			break;
	}
}
