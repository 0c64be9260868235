/* SPDX-License-Identifier: MIT */
#include "fake.h"

#include "check.h"
#include "fake_net.h"
#include "invariants.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OPS_MAX 32 /* some tests ask every verb */
#define REFS 1000
#define STEPS_MAX 20000
#define SPINS_MAX 64

int64_t fake_clock;
rl_stats fake_stats;
rl_set fake_set;
rl_pool fake_pool;
rl_target fake_targets[FAKE_SERVERS];
rl_wait fake_wait;
unsigned fake_steps;
int64_t fake_alarm;
void (*fake_on_alarm)(void);
bool fake_owns_routes;

static char hosts[FAKE_SERVERS][2];
static char names[FAKE_SERVERS][32];
static rl_op *ops[OPS_MAX];
static unsigned op_count;
static int64_t lag;
static uint64_t generation;
static int64_t reading_takes;
static uint64_t random_state;
static unsigned random_left;
static bool has_begun;

void fake_hold_clock(void)
{
	reading_takes = 0;
}

int64_t fake_end_of(int64_t time)
{
	return reading_takes > 0 && time % MS == 0 ? time + FAKE_BLINK : time;
}

int64_t fake_ms(void)
{
	return (fake_clock - FAKE_START) / MS;
}

void fake_lag(int64_t ns)
{
	lag = ns;
}

int64_t fake_take_lag(void)
{
	int64_t taken = lag;
	lag = 0;
	return taken;
}

void fake_fork(void)
{
	generation++;
}

void fake_random_draws(unsigned left)
{
	random_left = left;
}

/* ---- rl_env ---- */

static int64_t now(void *ctx)
{
	(void) ctx;
	fake_clock += reading_takes;
	return fake_clock;
}

static int64_t date(void *ctx)
{
	(void) ctx;
	return 0;
}

static bool draw(void *ctx, void *out, size_t len)
{
	(void) ctx;
	if (random_left == 0) {
		return false;
	}
	random_left--;
	unsigned char *byte = out;
	for (size_t i = 0; i < len; i++) {
		random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		byte[i] = (unsigned char) (random_state >> 56);
	}
	return true;
}

static uint64_t fork_generation(void *ctx)
{
	(void) ctx;
	return generation;
}

static rl_stats_home stats_home = &fake_stats;

rl_env fake_env = {.now = now,
	.random = draw,
	.date = date,
	.fork_generation = fork_generation,
	.stats_home = &stats_home};

/* ---- the test's frame ---- */

static void set_up_member(unsigned i)
{
	hosts[i][0] = (char) ('a' + i);
	snprintf(names[i], sizeof names[i], "redis://%s:6379", hosts[i]);
	fake_targets[i] = (rl_target){.refs = REFS,
		.address = {.kind = RL_NET_TCP, .host = hosts[i], .port = 6379},
		.name = names[i]};
	fake_net_add(i);
	fake_set.members[i] =
		(rl_member){.target = &fake_targets[i], .timeout_ns = SECOND, .connect_timeout_ns = SECOND};
}

void fake_begin(unsigned members)
{
	fake_clock = FAKE_START;
	reading_takes = 1;
	lag = 0;
	generation = 0;
	random_state = 1;
	random_left = UINT32_MAX;
	op_count = 0;
	fake_steps = 0;
	fake_alarm = RL_NEVER;
	fake_owns_routes = false;
	fake_net_begin();
	memset(&fake_stats, 0, sizeof fake_stats);
	fake_set = (rl_set){.count = members,
		.backoff = {.first_ns = 10 * MS, .max_ns = 200 * MS},
		.retries = RL_RETRIES_UNLIMITED,
		.outage_wait_ns = RL_NEVER,
		.drift_factor = 0.01};
	for (unsigned i = 0; i < FAKE_SERVERS; i++) {
		set_up_member(i);
	}
	rl_pool_init(&fake_pool, &fake_transport, &fake_env);
	has_begun = true;
}

void fake_end(void)
{
	if (!has_begun) {
		return;
	}
	has_begun = false;
	fake_lacks_memory = NULL;
	while (op_count > 0) {
		fake_free(ops[op_count - 1]);
	}
	rl_pool_clear(&fake_pool);
	for (unsigned i = 0; i < FAKE_SERVERS; i++) {
		rl_route_unref(fake_set.members[i].route); /* and its lookup may be open */
		fake_set.members[i].route = NULL;
	}
	CHECK_INT(fake_open_links(), 0);
	for (unsigned i = 0; i < FAKE_SERVERS; i++) {
		CHECK_INT(fake_targets[i].refs, REFS);
	}
}

static void *keep(rl_op *op)
{
	if (op != NULL) {
		if (op_count == OPS_MAX) {
			FAIL("too many operations: see OPS_MAX");
		}
		ops[op_count++] = op;
	}
	return op;
}

rl_acquire *fake_acquire_with(const rl_acquire_args *args)
{
	return keep(rl_acquire_new(&fake_set, &fake_pool, &fake_env, args));
}

static rl_acquire *new_acquire(rl_bytes token, int64_t ttl_ms, int64_t wait_ns)
{
	rl_acquire_args args = {
		.key = bytes_of("k"), .token = token, .ttl_ms = ttl_ms, .wait_ns = wait_ns};
	return fake_acquire_with(&args);
}

rl_acquire *fake_acquire(int64_t ttl_ms, int64_t wait_ns)
{
	return new_acquire((rl_bytes){NULL, 0}, ttl_ms, wait_ns);
}

rl_acquire *fake_acquire_own(const char *token, int64_t ttl_ms, int64_t wait_ns)
{
	return new_acquire(bytes_of(token), ttl_ms, wait_ns);
}

rl_op *fake_ask(rl_verb verb, const char *token, int64_t ttl_ms)
{
	return fake_plain(&(rl_plain_args){
		.verb = verb, .key = bytes_of("k"), .token = bytes_of(token), .ttl_ms = ttl_ms});
}

rl_op *fake_plain(const rl_plain_args *args)
{
	return keep(rl_plain_new(&fake_set, &fake_pool, &fake_env, args));
}

bool fake_leaves_something(const rl_op *op)
{
	rl_late_release late;
	return rl_op_leaves(op, &late);
}

rl_op *fake_take_over(const char *token, int64_t ttl_ms)
{
	return keep(
		rl_take_over_new(&fake_set, &fake_pool, &fake_env, bytes_of("k"), bytes_of(token), ttl_ms));
}

void fake_free(rl_op *op)
{
	for (unsigned i = 0; i < op_count; i++) {
		if (ops[i] == op) {
			ops[i] = ops[--op_count];
			rl_op_abandon(op, fake_clock, true); /* without effect on an operation that is done */
			rl_op_free(op);
			return;
		}
	}
}

/* ---- the driver ---- */

static int64_t next_of_all(const rl_wait *wait)
{
	int64_t at = wait->until;
	for (unsigned i = 0; i < wait->count; i++) {
		int64_t link_at = fake_next_on(wait->links[i]);
		at = link_at < at ? link_at : at;
	}
	return at;
}

/* NULL = no operation has asked the Sentinels of the member yet. */
static const rl_lookup *lookup_of(unsigned member)
{
	const rl_route *route = fake_set.members[member].route;
	return route != NULL ? (const rl_lookup *) route->guest : NULL;
}

/* Checks that an operation that is done has given back or closed its connections. A lookup belongs
 * to the route, and may stay open. */
static void check_has_no_connection(rl_op *op)
{
	for (unsigned i = 0; i < fake_set.count; i++) {
		const rl_errand *member = &op->call.members[i];
		CHECK(member->channel.conn == NULL);
		CHECK(member->lookup == NULL || member->lookup == lookup_of(i));
	}
	CHECK(rl_acquire_of(op) == NULL || rl_queue_is_out(&((rl_acquire *) op)->queue));
}

/* How many connections an operation may have: one for each member, one for each Sentinel that is
 * asked, and one in a queue. The release of many leases has one for each node of a cluster. */
static unsigned most_links(void)
{
	unsigned most = fake_set.count + 1;
	for (unsigned i = 0; i < fake_set.count; i++) {
		const rl_route *route = fake_set.members[i].route;
		const rl_lookup *lookup = lookup_of(i);
		bool is_looking = lookup != NULL && rl_lookup_is_open(lookup);
		bool is_cluster = route != NULL && route->kind == RL_ROUTE_CLUSTER;
		most += is_looking ? route->seed_count : is_cluster ? 2 * route->node_count : 0;
	}
	return most;
}

void invariant_broken(const char *sentence)
{
	FAIL("invariant: %s", sentence);
}

/* Steps the operation, and checks the invariants of it and its pool. */
static bool step(rl_op *op, const rl_tick *tick, rl_wait *wait)
{
	bool is_done = rl_op_step(op, tick, wait);
	invariants_of_op(op, is_done);
	invariants_of_pool(op->call.terms.pool);
	return is_done;
}

bool fake_drive_to(rl_op *op, int64_t time)
{
	rl_tick tick = {.now = fake_clock, .seen = 0};
	int64_t stood_at = -1;
	unsigned stood = 0;
	for (unsigned i = 0; i < STEPS_MAX; i++) {
		fake_steps++;
		memset(&fake_wait, 0xa5, sizeof fake_wait);
		if (step(op, &tick, &fake_wait)) {
			check_has_no_connection(op);
			return true;
		}
		CHECK(fake_wait.count <= most_links());
		int64_t at = next_of_all(&fake_wait);
		at = fake_alarm < at ? fake_alarm : at;
		if (at == RL_NEVER) {
			FAIL("waits for ever");
		}
		if (at > fake_end_of(time)) {
			fake_clock = time > fake_clock ? time : fake_clock;
			return false;
		}
		stood = at <= stood_at ? stood + 1 : 0;
		if (stood > SPINS_MAX) {
			FAIL("spins at %" PRId64 " ms", fake_ms());
		}
		fake_clock = at > fake_clock ? at : fake_clock;
		stood_at = fake_clock;
		if (fake_alarm <= fake_clock) {
			fake_on_alarm();
		}
		for (unsigned j = 0; j < fake_wait.count; j++) {
			fake_read(fake_wait.links[j]);
		}
		tick.seen = fake_clock;
		fake_clock += fake_take_lag();
		tick.now = fake_clock;
	}
	FAIL("no end after %d steps", STEPS_MAX);
}

rl_status fake_drive(rl_op *op)
{
	if (!fake_drive_to(op, RL_NEVER - 1)) {
		FAIL("not done");
	}
	return op->status;
}
