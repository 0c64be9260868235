/* SPDX-License-Identifier: MIT
 *
 * Clients as processes: actors, timers, pauses, death and birth. The acts of a client are in
 * acts.c.
 */
#include "client.h"

#include "acts.h"
#include "cover.h"
#include "invariants.h"
#include "routes.h"
#include "server.h"
#include "votes.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#define SPINS_MAX 100000
#define REFS 1000000
#define ASK_AGAIN_NS SECOND /* a name is resolved again after this time at the earliest */

sim_client clients[PLAN_CLIENTS];

/* For a cluster: the options that all its nodes have in common. */
static rl_target targets[PLAN_MEMBERS];
static rl_target seeds[PLAN_SERVERS]; /* the nodes of clusters, and Sentinels */
static char hosts[PLAN_MEMBERS][2];
static char names[PLAN_MEMBERS][24];
static char password[] = "secret";
static bool all_are_closing;

/* ---- rl_env ---- */

int64_t client_now(const sim_client *c)
{
	world_pass_moment();
	return clock_at(&c->clock, world.now);
}

static int64_t env_now(void *ctx)
{
	return client_now(ctx);
}

static bool env_random(void *ctx, void *out, size_t len)
{
	(void) ctx;
	unsigned char *byte = out;
	for (size_t i = 0; i < len; i += 8) {
		uint64_t bits = chance_next(&world.chance);
		memcpy(byte + i, &bits, len - i < 8 ? len - i : 8);
	}
	return true;
}

static int64_t env_date(void *ctx)
{
	(void) ctx;
	return world.now / SECOND;
}

static uint64_t env_generation(void *ctx)
{
	(void) ctx;
	return 1;
}

/* ---- life ---- */

static void set_up_target(unsigned i)
{
	hosts[i][0] = (char) ('a' + i);
	memcpy(names[i], "redis://?:6379", 15);
	names[i][8] = hosts[i][0];
	unsigned first = plan_has_routes() ? plan.first[i] : 0;
	targets[i] = (rl_target){.refs = REFS,
		.address = {.kind = RL_NET_TCP, .host = hosts[i], .port = (uint16_t) (NET_PORT + first)},
		.name = names[i],
		.replicas = plan.replicas,
		.replicas_ms = plan.timeout_ns / 2 / MS < 100 ? 1 + plan.timeout_ns / 2 / MS : 100};
	if (plan.has_password) {
		targets[i].password = (rl_secret){password, sizeof password - 1};
		targets[i].database = plan_is_cluster(i) ? 0 : 1;
	}
	for (unsigned n = plan.first[i]; n < plan.first[i] + plan.count[i]; n++) {
		bool is_node = n < plan.first[i] + plan.nodes[i];
		seeds[n] = is_node
			? targets[i]
			: (rl_target){.refs = REFS, .address = targets[i].address, .name = names[i]};
		seeds[n].address.port = (uint16_t) (NET_PORT + n);
	}
}

static void set_up_set(sim_client *c)
{
	c->set = (rl_set){.count = plan.members,
		.backoff = {.first_ns = 10 * MS, .max_ns = 200 * MS, .jitter = 0.2},
		.retries = RL_RETRIES_UNLIMITED,
		.outage_wait_ns = RL_NEVER,
		.drift_factor = plan.drift_factor,
		.wakes = !(plan.has_pollers && c->index % 2 == 0),
		.naming = plan.has_clusters ? RL_NAMES_IN_SLOT : RL_NAMES_PLAIN};
	if (c->index % 2 == 1) { /* the others are of a version without labels */
		char label[16];
		rl_label_set(&c->set.label,
			rl_bytes_of(label, (size_t) snprintf(label, sizeof label, "c%u", c->index)));
	}
	for (unsigned i = 0; i < plan.members; i++) {
		c->set.members[i] = (rl_member){.target = &targets[i],
			.timeout_ns = plan.timeout_ns,
			.connect_timeout_ns = plan.connect_timeout_ns};
	}
}

/* The nodes of a cluster that a process knows at its start: some of them. Where a node may be dead
 * for long, the process knows at least two. */
static rl_route *draw_route(sim_client *c, unsigned member)
{
	unsigned count = plan.count[member];
	unsigned least = plan.has_spares ? 2 : 1;
	unsigned at = any(count);
	rl_route *route = rl_route_new(RL_ROUTE_CLUSTER, &targets[member]);
	for (unsigned i = 0; route != NULL && i < count; i++) {
		if ((i < least || one_in(2)) &&
			!rl_route_add_seed(route, &seeds[plan.first[member] + (at + i) % count])) {
			abort();
		}
	}
	return rl_pool_share_route(&c->pool, route);
}

/* A route that knows all Sentinels, and no node. */
static rl_route *make_sentinel_route(sim_client *c, unsigned member)
{
	char service[] = "m0";
	service[1] = (char) (service[1] + (int) member);
	rl_route *route = rl_route_new(RL_ROUTE_SENTINEL, &targets[member]);
	if (route == NULL || !rl_route_set_service(route, rl_bytes_of(service, 2))) {
		abort();
	}
	for (unsigned i = plan.nodes[member]; i < plan.count[member]; i++) {
		if (!rl_route_add_seed(route, &seeds[plan.first[member] + i])) {
			abort();
		}
	}
	route->grace_ns = plan.grace_ns;
	return rl_pool_share_route(&c->pool, route);
}

static void draw_routes(sim_client *c)
{
	for (unsigned i = 0; i < plan.members; i++) {
		if (plan_is_cluster(i)) {
			c->set.members[i].route = draw_route(c, i);
		} else if (plan_is_sentinel(i)) {
			c->set.members[i].route = make_sentinel_route(c, i);
		}
	}
}

static void drop_routes(sim_client *c)
{
	for (unsigned i = 0; i < plan.members; i++) {
		rl_route_unref(c->set.members[i].route);
		c->set.members[i].route = NULL;
	}
}

static void begin_timer(actor *a)
{
	*a = (actor){.wake_at = RL_NEVER, .timer_at = RL_NEVER, .frozen_at = RL_NEVER};
}

static void wake(sim_client *c, bool is_dog, int64_t at)
{
	actor *a = is_dog ? &c->dog : &c->script;
	a->wake_at = at < a->wake_at ? at : a->wake_at;
	if (a->wake_at < a->timer_at) {
		a->timer_at = a->wake_at > world.now ? a->wake_at : world.now;
		world_plan(is_dog ? EVENT_WATCH : EVENT_SCRIPT, a->timer_at, c->index, c->life, 0);
	}
}

static void be_born(sim_client *c)
{
	c->is_alive = true;
	c->is_closing = all_are_closing;
	c->is_waiter = false;
	c->life++;
	routes_forget(c->index);
	c->op = NULL;
	c->act = ACT_NOTHING;
	memset(c->holdings, 0, sizeof c->holdings);
	c->has_given = false;
	begin_timer(&c->script);
	begin_timer(&c->dog);
	c->dog_calm_at = 0;
	for (unsigned i = 0; i < plan.servers; i++) {
		c->names[i] = (sim_name){.reign = servers[i].reign, .asked_at = -SECOND};
	}
	rl_pool_init(&c->pool, &c->script_net.transport, &c->env);
	draw_routes(c);
	rl_renewer_init(&c->renewer, &c->dog_net.transport, &c->env);
	wake(c, false, world.now + spread(US, plan.think_ns));
}

void client_begin(void)
{
	acts_begin();
	all_are_closing = false;
	for (unsigned i = 0; i < plan.members; i++) {
		set_up_target(i);
	}
	for (unsigned i = 0; i < plan.clients; i++) {
		sim_client *c = &clients[i];
		c->index = (uint8_t) i;
		c->clock = (clock_of){.offset = between(SECOND, 1000 * SECOND),
			.rate = 1 + plan.drift_bound * ((double) between(-1000, 1000) / 1000)};
		c->env = (rl_env){.ctx = c,
			.now = env_now,
			.random = env_random,
			.date = env_date,
			.fork_generation = env_generation,
			.stats_home = &c->stats_home};
		memset(&c->stats, 0, sizeof c->stats);
		c->stats_home = &c->stats;
		net_init(&c->script_net, i, false);
		net_init(&c->dog_net, i, true);
		set_up_set(c);
		be_born(c);
	}
}

static void die(sim_client *c)
{
	acts_drop(c);
	drop_routes(c);
	c->is_alive = false;
	c->life++;
}

void client_end(void)
{
	for (unsigned i = 0; i < plan.clients; i++) {
		if (clients[i].is_alive) {
			die(&clients[i]);
		}
		cover_counts[COVER_undone] += clients[i].stats.grants_undone;
		cover_counts[COVER_renewed] += clients[i].stats.renewed;
		cover_counts[COVER_switched] += clients[i].stats.primary_switches;
		cover_counts[COVER_not_confirmed] += clients[i].stats.unconfirmed;
		cover_counts[COVER_split] += clients[i].stats.split_votes;
		cover_counts[COVER_late_release_done] += clients[i].stats.late_releases_done;
	}
}

void client_crash(sim_client *c)
{
	if (c->is_alive && !c->is_closing) {
		COVER(client_crashed);
		TRACE("c%u dies", (unsigned) c->index);
		die(c);
		world_plan(EVENT_REBORN, world.now + spread(MS, SECOND), c->index, c->life, 0);
	}
}

void client_close_all(void)
{
	all_are_closing = true;
	for (unsigned i = 0; i < plan.clients; i++) {
		sim_client *c = &clients[i];
		c->is_closing = true;
		for (unsigned j = 0; j < CLIENT_HOLDINGS; j++) {
			c->holdings[j].end_at = world.now;
		}
		if (c->is_alive && c->op != NULL && c->is_waiter && c->wait_ns == RL_NEVER) {
			c->abandon_at = world.now;
		}
		wake(c, false, world.now);
	}
}

static bool is_over(const sim_client *c)
{
	for (unsigned i = 0; c->is_alive && i < CLIENT_HOLDINGS; i++) {
		if (c->holdings[i].lease != NULL) {
			return false;
		}
	}
	return !c->is_alive || c->op == NULL;
}

bool client_all_are_over(void)
{
	for (unsigned i = 0; i < plan.clients; i++) {
		if (!is_over(&clients[i])) {
			return false;
		}
	}
	return true;
}

/* ---- invariants ---- */

void invariant_broken(const char *sentence)
{
	world_violate("invariant: %s", sentence);
}

/* The watchdog's records, and the leases of the client. */
static bool are_leases_good(const sim_client *c)
{
	/* Reading the clock would take a moment, and change the world. */
	bool is_good = invariants_of_renewer(&c->renewer, clock_at(&c->clock, world.now));
	for (unsigned i = 0; is_good && i < CLIENT_HOLDINGS; i++) {
		is_good = c->holdings[i].lease == NULL || invariants_of_lease(c->holdings[i].lease);
	}
	return is_good;
}

/* Checks what the step of an actor may have changed. A step of the actor `script`, which stands
 * for the PHP script, changes the client's leases, and through them the watchdog's records, only
 * when an operation begins or ends.
 * @param before the operation before the step */
static void check_invariants(const sim_client *c, bool is_dog, const rl_op *before)
{
	bool is_same = !is_dog && c->op == before && before != NULL;
	if ((is_same || are_leases_good(c)) && !is_dog && invariants_of_pool(&c->pool) &&
		c->op != NULL) {
		invariants_of_op(c->op, false);
	}
}

/* ---- steps ---- */

/* The time, and the moment up to which all events have been read, by the actor's clock. An actor
 * that stood still has read the events before its pause. The driver reads its clock a moment before
 * the links. */
static rl_tick tick_of(const sim_client *c, actor *a)
{
	rl_tick tick = {.now = client_now(c), .seen = clock_at(&c->clock, world.event_at)};
	if (a->frozen_at != RL_NEVER) {
		tick.seen = clock_at(&c->clock, a->frozen_at);
		a->frozen_at = RL_NEVER;
	} else if (one_in(16)) {
		tick.seen -= between(0, 100 * US);
	}
	return tick;
}

bool client_doubts(unsigned index, unsigned server)
{
	sim_name *name = &clients[index].names[server];
	name->is_in_doubt = true;
	return world.now - name->asked_at > ASK_AGAIN_NS;
}

void client_resolve(sim_client *c)
{
	for (unsigned i = 0; i < plan.servers; i++) {
		sim_name *name = &c->names[i];
		if (name->is_in_doubt && world.now - name->asked_at > ASK_AGAIN_NS) {
			COVER(renamed);
			*name = (sim_name){.reign = servers[i].reign, .asked_at = world.now};
		}
	}
}

static void step_op(sim_client *c)
{
	rl_wait wait;
	rl_tick tick = tick_of(c, &c->script);
	c->step++;
	if (rl_op_step(c->op, &tick, &wait)) {
		invariants_of_op(c->op, true);
		acts_finish(c);
		wake(c, false, world.now + spread(US, 100 * US));
		return;
	}
	if (wait.wants_names || wait.count == 0) {
		client_resolve(c);
	}
	int64_t at = clock_when(&c->clock, wait.until);
	for (unsigned i = 0; i < wait.count; i++) {
		wait.links[i]->awaited = c->step;
		at = wait.links[i]->is_down ? world.now : at;
	}
	at = at < c->abandon_at ? at : c->abandon_at;
	c->spins = at <= world.now ? c->spins + 1 : 0;
	if (c->spins > SPINS_MAX) {
		world_violate("c%u turns without end", (unsigned) c->index);
	}
	wake(c, false, at > world.now ? at : world.now + US);
}

static void step_script(sim_client *c)
{
	if (c->op != NULL && c->abandon_at <= world.now) {
		acts_abandon(c);
		wake(c, false, world.now + spread(US, 100 * US));
	} else if (c->op != NULL) {
		step_op(c);
	} else {
		wake(c, false, acts_next(c));
	}
	wake(c, true, clock_when(&c->clock, c->renewer.until));
}

static void step_watch(sim_client *c)
{
	rl_tick tick = tick_of(c, &c->dog);
	int64_t proofs[CLIENT_HOLDINGS];
	for (unsigned i = 0; i < CLIENT_HOLDINGS; i++) {
		const rl_lease *lease = c->holdings[i].lease;
		proofs[i] = lease != NULL ? atomic_load(&lease->proof) : RL_NEVER;
	}
	rl_renewer_step(&c->renewer, &tick);
	for (unsigned i = 0; i < CLIENT_HOLDINGS; i++) {
		const holding *h = &c->holdings[i];
		if (h->lease != NULL && h->renewal != NULL && atomic_load(&h->lease->proof) > proofs[i]) {
			votes_renewed(c->index, h->renewal, h->key);
		}
	}
	int64_t at = clock_when(&c->clock, c->renewer.until);
	wake(c, true, at > world.now ? at : world.now + US);
}

static void on_timer(sim_client *c, bool is_dog, const event *e)
{
	actor *a = is_dog ? &c->dog : &c->script;
	if (!c->is_alive || c->life != e->life || a->timer_at != e->at) {
		world_uncount();
		return;
	}
	a->timer_at = RL_NEVER;
	const rl_op *before = c->op;
	int64_t wanted = a->wake_at > a->frozen_until ? a->wake_at : a->frozen_until;
	a->wake_at = RL_NEVER;
	if (wanted > world.now) {
		world_uncount();
		wake(c, is_dog, wanted);
	} else if (is_dog) {
		step_watch(c);
	} else {
		step_script(c);
	}
	if (c->is_alive) {
		check_invariants(c, is_dog, before);
		acts_tell(c);
		if (plan_has_routes()) {
			routes_look(c->index, is_dog);
		}
	}
}

void client_hear(rl_link *link)
{
	sim_client *c = &clients[link->client];
	if (!link->is_watch && (c->op == NULL || link->awaited != c->step)) {
		return;
	}
	/* The scheduler may let the thread wait. */
	int64_t lag = one_in(256) ? spread(US, 3 * MS) : (int64_t) any(20000);
	wake(c, link->is_watch, world.now + lag);
}

void client_is_queued(rl_link *link)
{
	sim_client *c = &clients[link->client];
	if (link->is_open && c->is_waiter && c->queued_at == RL_NEVER) {
		c->queued_at = world.now;
		c->queued_on = link;
		c->was_queued = true;
	}
}

void client_is_told_oom(const rl_link *link, const rl_model_command *what)
{
	sim_client *c = &clients[link->client];
	bool is_queued =
		what->place == RL_PLACE_QUEUED; /* the wait may leave its place before it reads the error */
	if (link->is_open && !link->is_watch && !is_queued && c->is_waiter &&
		what->written_at >= c->begun_at && c->oom_at == RL_NEVER) {
		c->oom_at = world.now;
	}
}

/* The client may have left the place by itself, for a try on another link. */
void client_is_out(rl_link *link)
{
	sim_client *c = &clients[link->client];
	if (link->is_open || c->queued_on == link) {
		c->queued_at = RL_NEVER;
		c->queued_on = NULL;
	}
}

bool client_claims(unsigned index, uint64_t token)
{
	for (unsigned i = 0; i < CLIENT_HOLDINGS; i++) {
		const judge_claim *claim = &clients[index].holdings[i].claim;
		if (claim->is_active && claim->token == token && claim->until > world.now) {
			return true;
		}
	}
	return false;
}

static void freeze(actor *a, int64_t until)
{
	a->frozen_at = a->frozen_at != RL_NEVER ? a->frozen_at : world.now;
	a->frozen_until = until > a->frozen_until ? until : a->frozen_until;
}

void client_pause(sim_client *c, bool is_script_only, int64_t until)
{
	TRACE("c%u stands still%s until %.3f ms", (unsigned) c->index,
		is_script_only ? ", but for its watchdog," : "", (double) until / 1e6);
	freeze(&c->script, until);
	c->paused_ns += (int64_t) (1.1 * (double) (until - world.now));
	if (!is_script_only) {
		freeze(&c->dog, until);
		c->dog_calm_at = until > c->dog_calm_at ? until : c->dog_calm_at;
	}
}

void client_on_event(const event *e)
{
	sim_client *c = &clients[e->what];
	if (e->kind == EVENT_REBORN) {
		be_born(c);
	} else {
		on_timer(c, e->kind == EVENT_WATCH, e);
	}
}
