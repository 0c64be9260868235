/* SPDX-License-Identifier: MIT
 *
 * Sentinels and the nodes behind them: what they answer, and what replicas have. The design is in
 * the header, and switches are in sentinel_switch.c.
 */
#include "cover.h"
#include "excuses.h"
#include "sentinel_parts.h"

#define COPY_NS (2 * MS) /* a replica gets each write within this time, unless it lags */

sentinel_part sentinel_parts[PLAN_SERVERS];
sentinel_group sentinel_groups[PLAN_MEMBERS];

/* ---- beginning ---- */

static void begin_member(unsigned member)
{
	uint8_t primary = (uint8_t) (plan.first[member] + any(plan.nodes[member]));
	sentinel_groups[member] = (sentinel_group){.primary = primary, .named = primary};
	for (unsigned n = plan.first[member]; n < sentinel_end(member); n++) {
		sentinel_parts[n] = (sentinel_part){.is_master = n == primary,
			.is_synced = true,
			.source = primary,
			.out_at = n == primary ? RL_NEVER : 0,
			.names = primary,
			.known_at = -3600 * SECOND};
	}
}

void sentinel_begin(void)
{
	for (unsigned member = 0; plan.has_sentinels && member < plan.members; member++) {
		if (plan_is_sentinel(member)) {
			begin_member(member);
		}
	}
}

/* ---- for the judge ---- */

sim_server *sentinel_place(unsigned member)
{
	return &servers[sentinel_groups[member].named];
}

bool sentinel_is_one(const sim_server *s)
{
	return plan_is_sentinel(s->member) && s->index >= sentinel_first(s->member);
}

bool sentinel_is_master(unsigned server)
{
	return sentinel_parts[server].is_master;
}

bool sentinel_had(unsigned server, unsigned key, uint64_t token)
{
	return sentinel_parts[server].had[key] == token;
}

int64_t sentinel_out_at(unsigned server)
{
	const sentinel_group *g = &sentinel_groups[servers[server].member];
	return server == g->named || server == g->primary ? RL_NEVER : sentinel_parts[server].out_at;
}

int64_t sentinel_left_at(unsigned server)
{
	return sentinel_parts[server].is_master ? sentinel_parts[server].demoted_at
											: sentinel_out_at(server);
}

/* Since when the Sentinel answers, and names the primary. */
static int64_t well_since(unsigned sentinel)
{
	int64_t since = servers[sentinel].calm_since;
	if (sentinel_parts[sentinel].names != sentinel_groups[servers[sentinel].member].primary) {
		return RL_NEVER; /* the Sentinel has not learned of the switch */
	}
	since =
		sentinel_parts[sentinel].learned_at > since ? sentinel_parts[sentinel].learned_at : since;
	return sentinel_parts[sentinel].forgets_until > since ? sentinel_parts[sentinel].forgets_until
														  : since;
}

/* Since when a majority answers and names the primary. */
static int64_t majority_since(unsigned member)
{
	int64_t since = RL_NEVER;
	for (unsigned n = sentinel_first(member); n < sentinel_end(member); n++) {
		unsigned sooner = 0;
		for (unsigned other = sentinel_first(member); other < sentinel_end(member); other++) {
			sooner += well_since(other) <= well_since(n);
		}
		since =
			sooner >= sentinel_majority(member) && well_since(n) < since ? well_since(n) : since;
	}
	return since;
}

/* Since when a replica confirms the writes of the primary, too. */
static int64_t confirmed_since(const sentinel_group *g, unsigned member, int64_t since)
{
	int64_t lag = servers[g->primary].lag_until;
	int64_t cut = sentinel_parts[g->primary].cut_until;
	int64_t well = world.now;
	for (unsigned n = plan.first[member]; n < sentinel_first(member); n++) {
		bool is_well = sentinel_is_attached(n, g->primary) && servers[n].calm_since < well;
		well = is_well ? servers[n].calm_since : well;
	}
	since = g->attached_at > since ? g->attached_at : since;
	since = lag > since ? lag : since;
	since = cut > since ? cut : since;
	return well > since ? well : since;
}

int64_t sentinel_calm_at(unsigned member)
{
	const sentinel_group *g = &sentinel_groups[member];
	if (g->is_switching) {
		return world.now;
	}
	int64_t since = majority_since(member);
	since = g->named_at > since ? g->named_at : since;
	return plan.replicas > 0 ? confirmed_since(g, member, since) : since;
}

/* ---- answers ---- */

static void say_error(rl_model_reply *r, const char *error)
{
	r->type = RL_SAYS_ERROR;
	r->error = error;
}

static void say_primary(const sim_server *s, const rl_model_command *c, rl_model_reply *r)
{
	const sentinel_part *p = &sentinel_parts[s->index];
	int64_t known_ns = clock_at(&s->clock, world.now) - clock_at(&s->clock, p->known_at);
	if (p->forgets_until > world.now) {
		COVER(unaware);
		r->type = RL_SAYS_NIL;
		if (c->what == RL_WORD_MASTER) {
			say_error(r, "ERR No such master with that name");
		}
		return;
	}
	r->type = c->what == RL_WORD_MASTER ? RL_SAYS_MASTER : RL_SAYS_ADDRESS;
	r->number[0] = p->names;
	r->number[1] = known_ns / MS;
	if (p->names == sentinel_groups[s->member].primary) {
		COVER(named);
	} else {
		COVER(named_old);
	}
}

static void answer_as_sentinel(const sim_server *s, const rl_model_command *c, rl_model_reply *r)
{
	if (c->what == RL_WORD_PRIMARY || c->what == RL_WORD_MASTER) {
		say_primary(s, c, r);
	} else if (c->what == RL_WORD_HELLO) {
		r->type = RL_SAYS_STATUS;
	} else {
		world_violate("the Sentinel s%u is asked for a lock", (unsigned) s->index);
		say_error(r, "ERR unknown command");
	}
}

bool sentinel_answers(sim_server *s, const rl_model_command *c, rl_model_reply *r)
{
	const sentinel_part *p = &sentinel_parts[s->index];
	if (!plan_is_sentinel(s->member)) {
		return false;
	}
	if (sentinel_is_one(s)) {
		answer_as_sentinel(s, c, r);
		return true;
	}
	if (c->what == RL_WORD_ROLE) {
		r->type = RL_SAYS_ROLE;
		r->number[0] = p->is_master;
		if (p->is_master) {
			COVER(role_master);
		} else {
			COVER(role_slave);
		}
		return true;
	}
	if (c->what == RL_WORD_WAIT && !p->is_master) {
		say_error(r, "ERR WAIT cannot be used with replica instances.");
		return true;
	}
	return false;
}

bool sentinel_refuses_writes(const sim_server *s)
{
	return plan_is_sentinel(s->member) && !plan.has_writable && !sentinel_parts[s->index].is_master;
}

/* ---- replication ---- */

int64_t sentinel_silent_until(unsigned n)
{
	const sim_server *s = &servers[n];
	int64_t until = s->is_up ? s->stalled_until : s->back_at;
	return sentinel_parts[n].cut_until > until ? sentinel_parts[n].cut_until : until;
}

bool sentinel_is_silent(unsigned n)
{
	return !servers[n].is_up || sentinel_silent_until(n) > world.now;
}

bool sentinel_is_attached(unsigned n, unsigned source)
{
	const sentinel_part *p = &sentinel_parts[n];
	return !p->is_master && p->is_synced && p->source == source && !sentinel_is_silent(n);
}

void sentinel_plan_copy(unsigned n, int64_t at)
{
	if (!sentinel_parts[n].is_copy_due) {
		sentinel_parts[n].is_copy_due = true;
		world_plan(EVENT_COPY, at + between(20 * US, COPY_NS), n, 0, 0);
	}
}

void sentinel_copy(unsigned n)
{
	sentinel_part *p = &sentinel_parts[n];
	sim_server *source = &servers[p->source];
	server_copy(&servers[n], &source->store, source);
	if (!p->is_synced) {
		sentinel_groups[servers[n].member].attached_at = world.now;
	}
	p->is_synced = true;
	p->has = source->writes;
	source->copied_writes = source->writes;
	/* The node became a replica before all Sentinels knew. */
	if (n == sentinel_groups[servers[n].member].named) {
		excuses_note_switch(servers[n].member, EXCUSES_NOWHERE);
	}
}

void sentinel_on_copy(unsigned n)
{
	sentinel_part *p = &sentinel_parts[n];
	const sim_server *source = &servers[p->source];
	p->is_copy_due = false;
	if (p->is_master || !servers[n].is_up) {
		world_uncount();
		return;
	}
	int64_t until = sentinel_silent_until(p->source);
	until = source->lag_until > until ? source->lag_until : until;
	if (until > world.now) {
		world_uncount();
		sentinel_plan_copy(n, until);
	} else {
		sentinel_copy(n);
	}
}

static void plan_copies(unsigned source)
{
	unsigned member = servers[source].member;
	for (unsigned n = plan.first[member]; n < sentinel_first(member); n++) {
		if (!sentinel_parts[n].is_master && sentinel_parts[n].source == source &&
			servers[n].is_up) {
			sentinel_plan_copy(n, world.now);
		}
	}
}

void sentinel_wrote(sim_server *s, unsigned key)
{
	if (!plan_is_sentinel(s->member)) {
		return;
	}
	if (!sentinel_parts[s->index].is_master) {
		COVER(replica_writes);
		return;
	}
	if (s->index != sentinel_groups[s->member].primary) {
		COVER(old_primary_writes);
	}
	excuses_note_write(s, key);
	plan_copies(s->index);
}

bool sentinel_can_confirm(const sim_server *s)
{
	bool can = false;
	unsigned member = s->member;
	for (unsigned n = plan.first[member]; n < sentinel_first(member); n++) {
		can = can || sentinel_is_attached(n, s->index);
	}
	return can && s->lag_until <= world.now && sentinel_parts[s->index].cut_until <= world.now;
}

void sentinel_confirm(sim_server *s)
{
	unsigned member = s->member;
	for (unsigned n = plan.first[member]; n < sentinel_first(member); n++) {
		if (sentinel_is_attached(n, s->index)) {
			sentinel_copy(n);
		}
	}
}

void sentinel_restarted(sim_server *s)
{
	/* The configuration keeps the primary, but not since when it is known. */
	if (sentinel_is_one(s)) {
		sentinel_parts[s->index].known_at = world.now;
		return;
	}
	sentinel_part *p = &sentinel_parts[s->index];
	p->is_synced = false;
	if (p->is_master) {
		plan_copies(s->index);
	} else {
		sentinel_plan_copy(s->index, world.now);
	}
}
