/* SPDX-License-Identifier: MIT
 *
 * Whole operations against hostile servers. The input is the network: what each connection brings,
 * in which pieces, when it ends, what the kernel takes, how the clock moves (hostile_net.h), what
 * the servers say (hostile_server.h), and which operations the process begins. Links, resolver and
 * driver are those of ext/transport.
 *
 * - No crash, and the invariants of tests/invariants hold after each step.
 * - No operation takes more steps, memory or connections than it may, and each ends by its
 * deadline.
 * - No lock counts as held without the replies that say so (witness.h), nor for longer.
 * - An error has a message fit to be shown, without password and token.
 * - At the end no connection is left.
 */
#include "core/lease/rl_late.h"
#include "core/lease/rl_late_grant.h"
#include "core/lock/rl_acquire.h"
#include "core/lock/rl_inspections.h"
#include "core/lock/rl_listing.h"
#include "core/lock/rl_plain.h"
#include "core/lock/rl_releases.h"
#include "core/wire/rl_dsn.h"
#include "transport/rl_driver.h"

#include "fuzz.h"
#include "hostile_input.h"
#include "hostile_net.h"
#include "invariants.h"
#include "witness.h"

#ifndef FUZZ_HOSTILE
# define FUZZ_HOSTILE LLVMFuzzerTestOneInput
#endif

int FUZZ_HOSTILE(const uint8_t *data, size_t size);

#define MS RL_NS_PER_MS
#define TTL_MS 3000
#define TIMEOUT_NS (1000 * MS)
#define WAIT_NS (4000 * MS)
#define HOLDINGS 3
#define ACTS_MAX 16
#define STEPS_MAX 20000
#define POLLS_AT_END 64
#define PASSWORD "hunter2"
#define FOREIGN_TOKEN "rl1.BQ8dKzlHVWNxf42bqbfF0-Hv@h:123"

/* The memory of a run: that of the bytes that it has read and sent, that of an array which a server
 * has announced on each connection, and a part that is fixed. */
#define MEMORY_OF_BYTES 24
#define MEMORY_OF_CONNECTION ((size_t) 26 << 20)
#define MEMORY_FIXED ((size_t) 8 << 20)

hostile_input hostile_bytes;

/* How much memory is in use; known with AddressSanitizer. */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

/* ---- seeds ---- */

/* clang-format off */
static const fuzz_seed hostile_seeds[] = {
	/* One server: it takes the connection and each command; then an acquire, and a release. */
	FUZZ_SEED("\x00\x00\x00\x00\x00\x02\x02\x06\x00\x00\x02\x02"),
	/* The acquire waits: refused, looks, a place in the queue, woken. */
	FUZZ_SEED("\x00\x01\x00\x00\x00\x03\x00\x03\x00\x03\x00\x02\x02\x02\x06\x00\x00\x02"),
	/* Three servers. */
	FUZZ_SEED("\x03\x00\x10\x00\x00\x00\x00\x00\x00\x02\x02\x02\x02\x02\x02\x0d\x02\x02\x06\x00\x02"),
	/* A cluster, a redirect. */
	FUZZ_SEED("\x05\x00\x10\x00\x00\x04\x12\x00\x00\x02\x02\x02\x06\x00\x02\x02"),
	/* Sentinels. */
	FUZZ_SEED("\x07\x00\x10\x00\x00\x00\x00\x00\x00\x02\x02\x02\x00\x00\x02\x02\x02\x0d\x02\x02"),
	FUZZ_SEED("\x08\x01\x10\x00\x00\x00\x00\x00\x00\x02\x02\x02\x00\x00\x02\x02\x02\x0d\x02\x02"),
	/* Replicas. */
	FUZZ_SEED("\x01\x00\x10\x00\x00\x02\x02\x02\x05\x00\x02\x02\x06\x00\x02\x02"),
	FUZZ_SEED("\x0a\x01\x10\x00\x00\x00\x00\x00\x00\x02\x02\x02\x00\x00\x02\x02\x02\x0d\x02\x02"),
	FUZZ_SEED("\x0b\x00\x00\x00\x00\x06\x15\x03\x03\x00\x02\x02\x28"),
	FUZZ_SEED("\x0c\x00\x00\x00\x00\x00\x02\x02\x0a\x02\x00\x02\x0b\x03\x02\x02\x02\x0c\x01\x02"),
};
/* clang-format on */

/* ---- the worlds ---- */

typedef struct fuzz_world {
	const char *dsns[5];
	unsigned sentinels; /* that must name the primary */
	bool has_replicas;
	bool has_secret;
	bool is_sealed; /* TLS */
} fuzz_world;

static const fuzz_world worlds[] = {
	{.dsns = {"redis://10.0.0.1"}},
	{.dsns = {"redis://u:" PASSWORD "@10.0.0.1/3?replicas=1"},
		.has_replicas = true,
		.has_secret = true},
	{.dsns = {"unix:///run/redis.sock"}},
	{.dsns = {"redis://10.0.0.1", "redis://10.0.0.2", "redis://10.0.0.3"}},
	{.dsns = {"redis://:" PASSWORD "@10.0.0.1", "redis://10.0.0.2", "redis://10.0.0.3",
		 "redis://10.0.0.4", "redis://10.0.0.5?outage_wait=1"}},
	{.dsns = {"redis-cluster://10.0.0.1:7000,10.0.0.2:7001"}},
	{.dsns = {"redis-cluster://:" PASSWORD "@10.0.0.1:7000/0?replicas=2"},
		.has_replicas = true,
		.has_secret = true},
	{.dsns = {"redis-sentinel://10.0.2.1,10.0.2.2,10.0.2.3/main"}, .sentinels = 2},
	{.dsns = {"redis-sentinel://:" PASSWORD "@10.0.2.1,10.0.2.2,10.0.2.3/main/2?sentinel_password=x"
			  "&failover_grace=2"},
		.sentinels = 2},
	{.dsns = {"redis-sentinel://10.0.2.1/main?sentinel_check=0"}, .sentinels = 1},
	{.dsns = {"redis-sentinel://10.0.2.1,10.0.2.2,10.0.2.3/main", "redis-cluster://10.0.0.1:7000",
		 "redis://10.0.0.9"}},
	{.dsns = {"rediss://10.0.0.1?ssl[verify_peer]=0"}, .is_sealed = true},
	{.dsns = {"redis://db.example?timeout=0.2&connect_timeout=0.3"}},
};

/* ---- the process ---- */

typedef struct holding {
	rl_lease *lease;     /* NULL = free */
	rl_renewal *renewal; /* NULL = the watchdog does not watch it */
	/* The caller's token replaced a drawn one, which the servers have seen before. */
	bool has_drawn;
	char drawn[RL_TOKEN_LABELLED_MAX];
	size_t drawn_len;
} holding;

static const fuzz_world *world;
static rl_net net;     /* of the script */
static rl_net dog_net; /* of the watchdog */
static rl_set set;
static rl_pool pool;
static rl_renewer renewer;
static holding holdings[HOLDINGS];
static uint64_t generation;
static rl_stats stats;
static rl_stats_home stats_home = &stats;
static unsigned steps;
static unsigned polls_left; /* then the operation is given up */
static bool may_last;       /* the operation has no deadline */
static bool has_many_calls; /* the operation is a release of leases, or looks at many locks */
static bool is_ending;      /* the process ends */
static size_t memory_before;
static rl_op *current;

static int64_t env_now(void *ctx)
{
	(void) ctx;
	return rl_os_now();
}

static bool env_random(void *ctx, void *out, size_t len)
{
	(void) ctx;
	return rl_random_draw(NULL, generation, out, len);
}

static int64_t env_date(void *ctx)
{
	(void) ctx;
	return INT64_C(1700000000) + hostile_clock / RL_NS_PER_SECOND;
}

static uint64_t env_generation(void *ctx)
{
	(void) ctx;
	return generation;
}

static const rl_label label = {.len = 8, .text = "web-3:12"};
static const rl_env env = {.now = env_now,
	.random = env_random,
	.date = env_date,
	.fork_generation = env_generation,
	.stats_home = &stats_home,
	.label = &label};

static unsigned quorum(void)
{
	return set.count / 2 + 1;
}

/* ---- promises ---- */

void invariant_broken(const char *sentence)
{
	fprintf(stderr, "broken: %s\n", sentence);
	abort();
}

static void check_memory(void)
{
	if (__sanitizer_get_current_allocated_bytes != NULL) {
		size_t now = __sanitizer_get_current_allocated_bytes();
		FUZZ_PROMISE(now < memory_before + MEMORY_FIXED + MEMORY_OF_BYTES * hostile_carried +
				MEMORY_OF_CONNECTION * stats.connects);
	}
}

/* What is proven of the lease is what the servers have said. */
static void check_holding(const holding *h)
{
	FUZZ_PROMISE(invariants_of_lease(h->lease));
	int64_t proof = atomic_load(&h->lease->proof);
	if (proof > 0 && h->lease->stage == RL_LEASE_TAKEN) {
		rl_bytes tokens[] = {rl_lease_token(h->lease), rl_bytes_of(h->drawn, h->drawn_len)};
		FUZZ_PROMISE(proof <= witness_proof(tokens, 1 + h->has_drawn, quorum()));
	}
}

static void check_process(void)
{
	FUZZ_PROMISE(invariants_of_pool(&pool));
	FUZZ_PROMISE(invariants_of_renewer(&renewer, hostile_clock));
	for (unsigned i = 0; i < HOLDINGS; i++) {
		if (holdings[i].lease != NULL) {
			check_holding(&holdings[i]);
		}
	}
	check_memory();
}

/* Of several members each hides its own secrets only. */
static void check_failure(const rl_op *op)
{
	const char *message = op->err->message;
	rl_bytes token = op->call.terms.request.token;
	FUZZ_PROMISE(fuzz_is_fit(message, sizeof op->err->message));
	FUZZ_PROMISE(!world->has_secret || strstr(message, PASSWORD) == NULL);
	FUZZ_PROMISE(token.len < RL_TOKEN_LEN ||
		memmem(message, strlen(message), token.data, token.len) == NULL);
}

/* ---- the watchdog ---- */

/* Does what the watchdog's thread would do by now. */
static void step_watchdog(void)
{
	struct pollfd fds[RL_WAIT_LINKS];
	rl_link *links[RL_WAIT_LINKS];
	unsigned count = 0;
	rl_renewer_cursor cursor = {0};
	rl_link *link;
	while (count < RL_WAIT_LINKS && (link = rl_renewer_next_link(&renewer, &cursor)) != NULL) {
		links[count] = link;
		fds[count++] = (struct pollfd){.fd = rl_link_fd(link), .events = rl_link_events(link)};
	}
	if (count == 0 && hostile_clock < renewer.until) {
		return;
	}
	rl_tick tick = {.seen = rl_os_now()};
	int ready = rl_os_poll(fds, count, 0, NULL, NULL);
	for (unsigned i = 0; i < count; i++) {
		rl_link_advance(links[i], ready > 0 ? fds[i].revents : 0, rl_os_now());
	}
	tick.now = rl_os_now();
	rl_resolver_learn(&dog_net.resolver, &net.resolver);
	rl_renewer_step(&renewer, &tick);
	FUZZ_PROMISE(invariants_of_renewer(&renewer, hostile_clock));
}

/* Lets time pass until the watchdog has something to do, or for a second. */
static void sleep_a_while(void)
{
	int64_t until = hostile_clock + RL_NS_PER_SECOND;
	for (unsigned i = 0; i < 64 && hostile_clock < until; i++) {
		step_watchdog();
		int64_t to = renewer.until < until ? renewer.until : until;
		int64_t moment = input_is_over() ? until : hostile_clock + 5 * MS;
		to = to < moment ? to : moment;
		hostile_clock = to > hostile_clock ? to : hostile_clock + 1;
	}
	check_process();
}

/* ---- operations ---- */

/* The driver calls this between two steps of the operation. */
static int64_t between_steps(void *ctx)
{
	(void) ctx;
	FUZZ_PROMISE(++steps < STEPS_MAX);
	FUZZ_PROMISE(invariants_of_op(current, false));
	check_process();
	step_watchdog();
	return renewer.until;
}

static bool is_interrupted(void *ctx)
{
	(void) ctx;
	if (input_is_over() && may_last && polls_left > POLLS_AT_END) {
		polls_left = POLLS_AT_END;
	}
	if (polls_left == 0) {
		return true;
	}
	polls_left--;
	return false;
}

static bool give_up(void *ctx)
{
	(void) ctx;
	return false;
}

static const rl_guard guard = {.is_due = is_interrupted, .due_at = between_steps, .run = give_up};

/* Later than its deadline an operation ends only by its timeouts, and by what the clock lost. */
static int64_t latest_end(int64_t wait_ns, int64_t begun_at, int64_t lag)
{
	int64_t each = set.members[0].timeout_ns + set.members[0].connect_timeout_ns;
	bool has_route = set.members[0].route != NULL;
	unsigned more = wait_ns > 0 ? 0 : set.count > 1 ? 4 : 1;
	int64_t hops = has_route ? (RL_HOPS_MAX + 1) * (2 * each + 50 * MS) : 0;
	int64_t extra = more * (each + 200 * MS) + (wait_ns > 0 ? 0 : hops);
	int64_t lost = lag > 0 ? lag + set.members[0].timeout_ns : 0;
	return begun_at + wait_ns + set.members[0].timeout_ns + 20 * MS + extra + lost;
}

/* @param wait_ns RL_NEVER = it may last
 * @return false = it was given up */
static bool run(rl_op *op, int64_t wait_ns)
{
	FUZZ_PROMISE(op != NULL);
	int64_t begun_at = hostile_clock;
	int64_t lag = hostile_lag;
	current = op;
	may_last = wait_ns == RL_NEVER;
	steps = 0;
	bool is_done = rl_drive(&net, op, &guard);
	if (is_done) {
		FUZZ_PROMISE(invariants_of_op(op, true));
		if (wait_ns != RL_NEVER) {
			FUZZ_PROMISE(hostile_clock <= latest_end(wait_ns, begun_at, hostile_lag - lag));
		}
		if (op->err != NULL && op->err->message[0] != '\0') {
			check_failure(op);
		} else { /* the reasons of many calls are those of their own operations */
			FUZZ_PROMISE(op->status == RL_OK || op->status == RL_BUSY || has_many_calls);
		}
	}
	current = NULL;
	return is_done;
}

static void begin(const rl_op *op, unsigned how)
{
	const rl_request *request = &op->call.terms.request;
	/* From 0xe0 on a signal ends the operation after some waits. */
	polls_left = how >= 0xe0 ? how - 0xe0 : UINT32_MAX;
	if (rl_verb_changes(request->verb)) {
		rl_renewer_stop_grants(&renewer, request->key, request->token);
	}
}

/* Ends the operation, and hands to the watchdog what it leaves. */
static void end(rl_op *op, bool is_done)
{
	rl_late_release late;
	rl_late_grant grant;
	const rl_acquire *acquire = rl_acquire_of(op);
	if (!is_done && acquire != NULL && rl_acquire_may_stop(acquire)) {
		rl_acquire_stop((rl_acquire *) op, hostile_clock);
	} else if (!is_done) {
		rl_op_abandon(op, hostile_clock, false);
	}
	if (rl_op_leaves(op, &late)) {
		FUZZ_PROMISE(rl_late_add(&renewer, &late));
	}
	if (is_done && acquire != NULL && rl_acquire_leaves(acquire, &grant)) {
		rl_late_grant_add(&renewer, &grant);
	}
	if (op->call.terms.request.verb == RL_VERB_RELEASE) {
		rl_renewer_undo_grants(&renewer, op->call.terms.request.key, op->call.terms.request.token);
	}
	rl_op_free(op);
	check_process();
}

/* ---- acts ---- */

static rl_bytes key_of(unsigned number)
{
	static const char *const keys[] = {"k", "{user}:42", "a longer name", "j"};
	return rl_bytes_of(keys[number % 4], strlen(keys[number % 4]));
}

static holding *any_holding(bool is_free)
{
	for (unsigned i = 0; i < HOLDINGS; i++) {
		if ((holdings[i].lease == NULL) == is_free) {
			return &holdings[i];
		}
	}
	return NULL;
}

static void free_holding(holding *h)
{
	if (h->renewal != NULL) {
		rl_renewer_remove(h->renewal);
	}
	free(h->renewal);
	rl_lease_free(h->lease);
	*h = (holding){.lease = NULL};
}

static void prepare(holding *h, rl_bytes key, bool is_watched)
{
	h->lease = rl_lease_new(&env, key, 0, RL_TOKEN_LABELLED_MAX + RL_PERMIT_NAME_MAX(key.len),
		set.drift_factor, set.naming);
	FUZZ_PROMISE(h->lease != NULL);
	if (is_watched) {
		h->renewal = rl_renewal_new(&set, h->lease);
		FUZZ_PROMISE(h->renewal != NULL);
		h->renewal->renews = true;
		FUZZ_PROMISE(rl_renewer_prepare(&renewer, h->renewal, &set));
	}
}

/* The lock was won, and the lease begins. */
static void hold(holding *h, rl_bytes token, int64_t proven_until)
{
	rl_lease_begin(h->lease, token, TTL_MS * MS, proven_until);
	check_holding(h);
	if (h->renewal != NULL) {
		rl_renewer_begin(h->renewal, &set, rl_os_now());
	}
}

/* Bits of the second byte of an acquire. */
enum {
	WATCHED = 16,
	OWN_TOKEN = 32,
	PERMITS = 64, /* with OWN_TOKEN: the call heeds work that is done */
};

static void take(int64_t wait_ns)
{
	holding *h = any_holding(true);
	unsigned how = input_take();
	if (h == NULL) {
		return;
	}
	bool is_signalled = how >= 0xe0;
	bool is_own = !is_signalled && (how & (OWN_TOKEN | PERMITS)) == OWN_TOKEN;
	bool has_permits = !is_signalled && (how & (OWN_TOKEN | PERMITS)) == PERMITS &&
		set.count == 1 && set.members[0].route == NULL;
	rl_acquire_args args = {.key = key_of(how),
		.token = is_own
			? rl_bytes_of(how & 4 ? "own" : FOREIGN_TOKEN, how & 4 ? 3 : sizeof FOREIGN_TOKEN - 1)
			: rl_bytes_of(NULL, 0),
		.ttl_ms = TTL_MS,
		.wait_ns = wait_ns,
		.heeds_done = (how & (OWN_TOKEN | PERMITS)) == (OWN_TOKEN | PERMITS),
		.permits = has_permits ? 3 : 0};
	prepare(h, args.key, !is_own && (how & WATCHED) != 0);
	h->lease->is_own_token = is_own;
	rl_op *op = rl_acquire_new(&set, &pool, &env, &args);
	begin(op, how);
	bool is_done = run(op, wait_ns);
	const rl_acquire *acquire = (const rl_acquire *) op;
	if (is_done && op->status == RL_OK) {
		h->has_drawn = acquire->own.data != NULL;
		h->drawn_len = h->has_drawn ? acquire->drawn_len : 0;
		memcpy(h->drawn, acquire->drawn, h->drawn_len);
		FUZZ_PROMISE(witness_proof(&acquire->token, 1, quorum()) > 0);
		if (has_permits) {
			rl_lease_begin(h->lease, acquire->token, TTL_MS * MS, acquire->proven_until);
			rl_lease_set_permit(h->lease, h->lease->token + h->lease->token_len,
				rl_acquire_won_key(acquire), args.permits);
			if (h->renewal != NULL) {
				rl_renewer_begin(h->renewal, &set, rl_os_now());
			}
		} else {
			hold(h, acquire->token, acquire->proven_until);
		}
		h->lease->strays = rl_quorum_call_strays(&op->call);
	}
	bool is_held = is_done && op->status == RL_OK;
	end(op, is_done);
	if (!is_held) {
		free_holding(h);
	}
}

static rl_op *ask_about(const holding *h, rl_verb verb, int64_t ttl_ms)
{
	bool is_permit = h->lease->permits > 1;
	rl_plain_args args = {.verb = verb,
		.key = h->lease->names.lock,
		.permit = is_permit ? h->lease->names.key : rl_bytes_of(NULL, 0),
		.permits = h->lease->permits,
		.token = rl_lease_token(h->lease),
		.ttl_ms = ttl_ms,
		.was_held = rl_lease_was_held(h->lease),
		.is_leased = true,
		.late_ns = verb == RL_VERB_RELEASE ? TTL_MS * MS : 0};
	return rl_plain_new(&set, &pool, &env, &args);
}

static void changed(holding *h)
{
	if (h->renewal != NULL) {
		rl_renewer_changed(h->renewal);
	}
}

static void extend(void)
{
	holding *h = any_holding(false);
	unsigned how = input_take();
	if (h == NULL || !rl_lease_is_held(h->lease)) {
		return;
	}
	int64_t ttl_ms = how % 2 == 0 ? TTL_MS : TTL_MS / 2;
	rl_lease_expect(h->lease, ttl_ms * MS);
	changed(h);
	rl_op *op = ask_about(h, RL_VERB_EXTEND, ttl_ms);
	begin(op, how);
	bool is_done = run(op, 0);
	if (rl_quorum_call_has_strays(&op->call)) {
		rl_lease_suspect(h->lease, ttl_ms * MS);
	}
	if (is_done && op->status == RL_OK) {
		rl_lease_confirm(h->lease, ttl_ms * MS, rl_quorum_call_sent_at(&op->call));
	} else if (is_done && op->status == RL_BUSY) {
		rl_lease_lose(h->lease);
		rl_plain_undo(op, rl_os_now());
	} else {
		rl_lease_doubt(h->lease, ttl_ms * MS);
	}
	changed(h);
	end(op, is_done);
}

static void release(void)
{
	holding *h = any_holding(false);
	unsigned how = input_take();
	if (h == NULL) {
		return;
	}
	if (h->renewal != NULL) {
		rl_renewer_pause(h->renewal);
	}
	rl_lease_leave(h->lease);
	if (rl_lease_is_open(h->lease)) {
		rl_op *op = ask_about(h, RL_VERB_RELEASE, 0);
		begin(op, how);
		bool is_done = run(op, 0);
		end(op, is_done);
	}
	free_holding(h);
}

static void release_all(void)
{
	rl_lease *leases[HOLDINGS];
	unsigned count = 0;
	unsigned how = input_take();
	for (unsigned i = 0; i < HOLDINGS; i++) {
		holding *h = &holdings[i];
		if (h->lease == NULL) {
			continue;
		}
		if (h->renewal != NULL) {
			rl_renewer_pause(h->renewal);
		}
		if (how % 2 == 0) {
			rl_lease_leave(h->lease);
		}
		if (rl_lease_is_open(h->lease)) {
			h->lease->done_ms = how % 4 == 2 && h->lease->permits == 0 ? 500 : 0;
			leases[count++] = h->lease;
		}
	}
	if (count > 0) {
		rl_op *op = rl_releases_new(&set, &pool, &env, leases, count, 200 * MS);
		begin(op, how);
		has_many_calls = true;
		bool is_done = run(op, 200 * MS);
		has_many_calls = false;
		end(op, is_done);
	}
	for (unsigned i = 0; i < HOLDINGS; i++) {
		if (holdings[i].lease != NULL) {
			free_holding(&holdings[i]);
		}
	}
}

static void fence(void)
{
	const holding *h = any_holding(false);
	unsigned how = input_take();
	if (h == NULL || h->lease->permits > 1 || h->lease->names.mark.data == NULL ||
		!rl_lease_is_held(h->lease)) {
		return;
	}
	rl_op *op = ask_about(h, RL_VERB_FENCE, 0);
	begin(op, how);
	bool is_done = run(op, 0);
	if (is_done && op->status == RL_OK) {
		FUZZ_PROMISE(op->call.terms.request.fence_number > 0);
	}
	end(op, is_done);
}

static void take_over(void)
{
	holding *h = any_holding(true);
	unsigned how = input_take();
	if (h == NULL) {
		return;
	}
	rl_bytes key = key_of(how);
	prepare(h, key, (how & WATCHED) != 0);
	rl_op *op = rl_take_over_new(
		&set, &pool, &env, key, rl_bytes_of(FOREIGN_TOKEN, sizeof FOREIGN_TOKEN - 1), TTL_MS);
	begin(op, how);
	bool is_done = run(op, 0);
	bool is_held = is_done && op->status == RL_OK;
	if (is_held) {
		int64_t ttl_ns = TTL_MS * MS;
		hold(h, op->call.terms.request.fresh,
			rl_quorum_call_sent_at(&op->call) + ttl_ns - rl_set_drift(&set, ttl_ns));
	}
	end(op, is_done);
	if (!is_held) {
		free_holding(h);
	}
}

static void ask(void)
{
	static const rl_verb verbs[] = {RL_VERB_EXISTS, RL_VERB_OWNER, RL_VERB_INSPECT,
		RL_VERB_REMAINING, RL_VERB_FORCE, RL_VERB_RELEASE, RL_VERB_EXTEND};
	unsigned how = input_take();
	rl_verb verb = verbs[how % (sizeof verbs / sizeof verbs[0])];
	rl_plain_args args = {.verb = verb,
		.key = key_of(how),
		.token = rl_bytes_of(FOREIGN_TOKEN, sizeof FOREIGN_TOKEN - 1),
		.ttl_ms = verb == RL_VERB_EXTEND ? TTL_MS : 0,
		.wanted = how & WATCHED ? RL_WANTED_SOON : RL_WANTED_DECISION,
		.late_ns = verb == RL_VERB_RELEASE && (how & OWN_TOKEN) != 0 ? RL_LATE_BARE_NS : 0};
	rl_op *op = rl_plain_new(&set, &pool, &env, &args);
	begin(op, how);
	bool is_done = run(op, 0);
	if (is_done && op->status == RL_OK && verb == RL_VERB_INSPECT) {
		rl_lock_state state = rl_quorum_call_state(&op->call);
		FUZZ_PROMISE(state.holder >= RL_HOLDER_NOBODY && state.holder <= RL_HOLDER_DONE);
		free(state.waiting);
	} else if (is_done && op->status == RL_OK && verb == RL_VERB_OWNER) {
		FUZZ_PROMISE(rl_quorum_call_has_owner(&op->call));
		FUZZ_PROMISE(rl_quorum_call_owner(&op->call)->text_len > 0);
	} else if (is_done && op->status == RL_OK && verb == RL_VERB_REMAINING) {
		FUZZ_PROMISE(rl_quorum_call_remaining(&op->call) >= -1);
	}
	end(op, is_done);
}

static void inspect_many(void)
{
	rl_bytes keys[4];
	unsigned how = input_take();
	for (unsigned i = 0; i < 4; i++) {
		keys[i] = key_of(i);
	}
	rl_op *op = rl_inspections_new(&set, &pool, &env, keys, 1 + how % 4);
	begin(op, how);
	has_many_calls = true;
	bool is_done = run(op, RL_NEVER);
	has_many_calls = false;
	if (is_done && rl_inspections_failed(op) == NULL) {
		for (size_t i = 0; i < 1 + how % 4; i++) {
			const rl_lock_state *state = rl_inspections_state(op, i);
			FUZZ_PROMISE(state == NULL || state->label.len <= RL_LABEL_MAX);
		}
	}
	end(op, is_done);
}

static void list_keys(void)
{
	static rl_tour tour; /* large */
	char room[8 + RL_TOUR_ROOM] = "app:";
	unsigned pages = 1 + input_take() % 8;
	rl_tour_begin(&tour, room, 4);
	while (pages-- > 0 && rl_tour_goes_on(&tour, &set)) {
		rl_op *op = rl_page_new(&set, &pool, &env, &tour);
		begin(op, 0);
		bool is_done = run(op, 0);
		size_t at = 0;
		rl_bytes key;
		if (is_done && op->status == RL_OK) {
			while (rl_page_next(op, &at, &key)) {
				FUZZ_PROMISE(key.data != NULL);
			}
			rl_tour_take(&tour, op);
		} else {
			rl_tour_leave(&tour);
		}
		end(op, is_done);
	}
}

/* The process was forked, and this is the child: it holds nothing, and sends nothing. */
static void become_child(void)
{
	generation++;
	rl_renewer_forget(&renewer);
	for (unsigned i = 0; i < HOLDINGS; i++) {
		if (holdings[i].lease != NULL) {
			FUZZ_PROMISE(!rl_lease_is_held(holdings[i].lease));
			free(holdings[i].renewal);
			holdings[i].renewal = NULL;
			free_holding(&holdings[i]);
		}
	}
	rl_renewer_init(&renewer, &dog_net.transport, &env);
}

/* A signal ends the process: the watchdog releases the leases, and nothing else runs. */
static void end_process(void)
{
	rl_late_release_all(&renewer);
	for (unsigned i = 0; i < HOLDINGS; i++) {
		const holding *h = &holdings[i];
		FUZZ_PROMISE(h->renewal == NULL || !rl_lease_is_held(h->lease));
	}
	sleep_a_while();
	sleep_a_while();
	rl_renewer_forget(&renewer);
	is_ending = true;
}

static void act(unsigned what)
{
	switch (what % 16) {
		case 0:
			take(0);
			break;
		case 1:
		case 2:
			take(WAIT_NS);
			break;
		case 3:
			take(RL_NEVER);
			break;
		case 4:
		case 5:
			extend();
			break;
		case 6:
			release();
			break;
		case 7:
			release_all();
			break;
		case 8:
			fence();
			break;
		case 9:
			take_over();
			break;
		case 10:
			ask();
			break;
		case 11:
			inspect_many();
			break;
		case 12:
			list_keys();
			break;
		case 13:
			sleep_a_while();
			break;
		case 14:
			end_process();
			break;
		default:
			become_child();
			break;
	}
}

/* ---- the target ---- */

static void fill_member(rl_member *member, const char *text)
{
	rl_dsn dsn;
	rl_error err;
	FUZZ_PROMISE(rl_dsn_parse(rl_bytes_of(text, strlen(text)), &dsn, &err) == RL_OK);
	*member = (rl_member){.target = dsn.target,
		.route = dsn.route,
		.timeout_ns = dsn.timeout_ns != 0 ? dsn.timeout_ns : TIMEOUT_NS,
		.connect_timeout_ns = dsn.connect_timeout_ns != 0 ? dsn.connect_timeout_ns : TIMEOUT_NS};
	if (dsn.target->replicas > 0) {
		dsn.target->replicas_ms = 50;
		for (unsigned i = 0; dsn.route != NULL && i < dsn.route->seed_count; i++) {
			dsn.route->seeds[i]->replicas_ms = 50;
		}
	}
	if (dsn.route != NULL && dsn.route->kind == RL_ROUTE_CLUSTER) {
		set.naming = RL_NAMES_IN_SLOT;
	}
	if (dsn.outage_wait_ns != RL_DSN_NO_OUTAGE_WAIT) {
		set.outage_wait_ns = dsn.outage_wait_ns;
	}
}

static void set_up(const fuzz_world *of)
{
	world = of;
	hostile_net_begin();
	hostile_is_sealed = of->is_sealed;
	generation = 1;
	is_ending = false;
	memset(&stats, 0, sizeof stats);
	rl_net_init(&net);
	rl_net_init(&dog_net);
	dog_net.resolver.is_taught = true;
	set = (rl_set){.backoff = {.first_ns = 10 * MS, .max_ns = 200 * MS, .jitter = 0.2},
		.retries = RL_RETRIES_UNLIMITED,
		.outage_wait_ns = RL_NEVER,
		.drift_factor = 0.01,
		.wakes = true};
	bool has_routes = false;
	while (set.count < 5 && of->dsns[set.count] != NULL) {
		fill_member(&set.members[set.count], of->dsns[set.count]);
		has_routes = has_routes || set.members[set.count].route != NULL;
		set.count++;
	}
	witness_begin((witness_terms){.tells_members_apart = set.count > 1 && !has_routes,
		.has_replicas = of->has_replicas,
		.sentinels = of->sentinels});
	rl_pool_init(&pool, &net.transport, &env);
	rl_renewer_init(&renewer, &dog_net.transport, &env);
	for (unsigned i = 0; i < set.count; i++) {
		if (set.members[i].route == NULL) {
			rl_resolve(&net.resolver, &set.members[i].target->address, 0);
		}
	}
}

static void tear_down(void)
{
	for (unsigned i = 0; i < HOLDINGS; i++) {
		if (holdings[i].lease != NULL) {
			free_holding(&holdings[i]);
		}
	}
	check_process();
	rl_pool_end_idle(&pool, hostile_clock);
	rl_renewer_forget(&renewer);
	rl_pool_clear(&pool);
	for (unsigned i = 0; i < set.count; i++) {
		rl_target_unref(set.members[i].target);
		rl_route_unref(set.members[i].route);
	}
	FUZZ_PROMISE(net.links == NULL && dog_net.links == NULL);
	rl_net_destroy(&net);
	rl_net_destroy(&dog_net);
	witness_end();
	hostile_net_end();
}

int FUZZ_HOSTILE(const uint8_t *data, size_t size)
{
	hostile_bytes = (hostile_input){.next = data, .left = size};
	memory_before = __sanitizer_get_current_allocated_bytes != NULL
		? __sanitizer_get_current_allocated_bytes()
		: 0;
	set_up(&worlds[input_take() % (sizeof worlds / sizeof worlds[0])]);
	for (unsigned acts = 0; acts < ACTS_MAX && !input_is_over() && !is_ending; acts++) {
		act(input_take());
	}
	tear_down();
	return 0;
}

FUZZ_MAIN(FUZZ_HOSTILE, hostile_seeds)
