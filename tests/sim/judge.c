/* SPDX-License-Identifier: MIT
 *
 * The invariants. The header explains them.
 */
#include "judge.h"

#include "client.h"
#include "cluster.h"
#include "cover.h"
#include "excuses.h"
#include "faults.h"
#include "sentinel.h"
#include "server.h"
#include "success.h"
#include "undone.h"

#include <inttypes.h>
#include <string.h>

#define RECORDS 8192
#define HUNGER_NS (1100 * MS)
#define HELPERS_NS (3 * SECOND)
#define SETTLING_NS (300 * SECOND)
#define EXCUSES 256
#define SPREADS 256
/* The limit for redirects in a short time. Some calls fit into that time, each with RL_HOPS_MAX
 * redirects. */
#define CIRCLE_NS (100 * MS)
#define CIRCLE_MOST 300
#define GONE_NS (2 * SECOND) /* how long a mark is valid */
#define LOOKS 8192

/* A look of a waiter that a server has run. */
typedef struct look {
	uint64_t waiter;
	int64_t at;
	uint8_t server;
} look;

typedef struct record {
	uint8_t client;
	uint8_t key;
	bool is_beyond_ttl; /* this is the later of two looks */
	bool was_released;  /* the lock was won, and has been released */
	uint16_t passed_by; /* a bit for each member that the release was not sent to */
	uint64_t token;
	int64_t ended_at;
} record;

/* A lock that late grants must bring to all members. */
typedef struct spreading {
	uint8_t client;
	uint8_t key;
	bool is_open;
	uint64_t token;
} spreading;

static bool is_dirty;
static unsigned dirty_keys; /* a bit for each key */
static unsigned moves[WORDS_KEYS];
static record records[RECORDS];
static uint32_t record_count;
static spreading spreads[SPREADS];
static uint32_t spread_count;
static uint64_t had[WORDS_KEYS][PLAN_MEMBERS]; /* the tokens that the members had; 0 = none */
static int64_t left_at[WORDS_KEYS];      /* the latest time at which a member lost its token */
static int64_t hungry_since[WORDS_KEYS]; /* RL_NEVER = the key is not hungry */
static int64_t expired_at[WORDS_KEYS];   /* the latest end of a lock by its TTL */
static uint32_t grants[PLAN_CLIENTS];    /* grants since the queue has settled */
static bool is_settled;
static uint64_t excuses[EXCUSES]; /* the latest excused tokens */
static uint32_t excuse_count;
/* Redirects since then: of one operation of PHP's thread, and of the watchdog. */
static int64_t circle_began[PLAN_CLIENTS][2];
static unsigned circle[PLAN_CLIENTS][2];
static int64_t sent_back_at[PLAN_CLIENTS]; /* the latest time, see judge_sent_back() */
static int64_t fences[WORDS_KEYS];         /* the greatest fencing number that was returned */
static uint32_t waits[WORDS_KEYS];         /* changes when a client begins or ends a wait */
static look looks[LOOKS];                  /* the latest looks */

void judge_begin(void)
{
	excuses_begin();
	success_begin();
	is_dirty = false;
	dirty_keys = 0;
	memset(moves, 0, sizeof moves);
	record_count = 0;
	spread_count = 0;
	memset(spreads, 0, sizeof spreads);
	memset(sent_back_at, 0, sizeof sent_back_at);
	memset(had, 0, sizeof had);
	memset(left_at, 0, sizeof left_at);
	memset(grants, 0, sizeof grants);
	is_settled = false;
	excuse_count = 0;
	memset(circle_began, 0, sizeof circle_began);
	memset(circle, 0, sizeof circle);
	memset(fences, 0, sizeof fences);
	memset(looks, 0, sizeof looks);
	for (unsigned i = 0; i < WORDS_KEYS; i++) {
		hungry_since[i] = RL_NEVER;
		expired_at[i] = -1;
		waits[i] = 0;
	}
}

void judge_key_expired(unsigned key)
{
	expired_at[key] = world.now;
}

void judge_key_changed(unsigned key)
{
	is_dirty = true;
	dirty_keys |= 1U << key;
	success_key_changed(key);
}

static unsigned holders(unsigned key, uint64_t token)
{
	unsigned count = 0;
	for (unsigned i = 0; i < plan.members; i++) {
		count += server_holds(member_place(i, key), key, token);
	}
	return count;
}

void judge_key_moved(unsigned key)
{
	moves[key]++;
}

/* ---- exclusion, proof, loss ---- */

void judge_claim_is(judge_claim *claim, int64_t proof, const clock_of *clock)
{
	if (!claim->is_active || proof == claim->proof) {
		return;
	}
	int64_t until = proof > 0 ? clock_when(clock, proof) : 0;
	/* The proof may have grown at any moment of the step. */
	if (claim->until <= world.event_at && until > world.now && claim->proof != 0) {
		world_violate("loss: k%u of c%u was lost at %.6f ms, and is held again",
			(unsigned) claim->key, (unsigned) claim->client, (double) claim->until / 1e6);
	}
	if (until > claim->until && until > claim->hold_until && proof > claim->asked) {
		world_violate("hold: k%u of c%u is proven for %.6f ms longer than maxHold",
			(unsigned) claim->key, (unsigned) claim->client,
			(double) (until - claim->hold_until) / 1e6);
	}
	if (until > claim->until) {
		judge_key_changed(claim->key);
	}
	bool has_grown = until > claim->until;
	claim->moves = has_grown ? moves[claim->key] : claim->moves;
	claim->spell = has_grown ? until - world.now : claim->spell;
	claim->proof = proof;
	claim->until = until;
	if (plan.has_sentinels && has_grown) {
		excuses_renew(claim);
	}
	TRACE("c%u has k%u proven until %.6f ms", (unsigned) claim->client, (unsigned) claim->key,
		(double) until / 1e6);
}

/* ---- kept, hold ---- */

/* Since when the client's watchdog could have asked the server. */
static int64_t well_since(const sim_client *c, unsigned server)
{
	const sim_server *s = &servers[server];
	int64_t since = net_calm_at(c->index, server);
	since = s->calm_since > since ? s->calm_since : since;
	since = c->dog_calm_at > since ? c->dog_calm_at : since;
	if (!s->is_up || (plan.has_names && c->names[server].reign != s->reign)) {
		return RL_NEVER;
	}
	return plan.has_names && c->names[server].asked_at > since ? c->names[server].asked_at : since;
}

/* Since when the watchdog could have asked the primary and a majority of its Sentinels. */
static int64_t primary_well_since(const sim_client *c, unsigned member)
{
	int64_t since = well_since(c, sentinel_place(member)->index);
	unsigned first = plan.first[member] + plan.nodes[member];
	unsigned end = plan.first[member] + plan.count[member];
	for (unsigned n = first; n < end; n++) {
		int64_t other = well_since(c, n);
		since = other > since ? other : since;
	}
	bool is_later = sentinel_calm_at(member) > since;
	return is_later ? sentinel_calm_at(member) : since;
}

/* Since when the watchdog could have asked the member. Of a cluster all nodes count, because each
 * may have to redirect. */
static int64_t member_well_since(const sim_client *c, unsigned member)
{
	if (plan_is_sentinel(member)) {
		return primary_well_since(c, member);
	}
	unsigned first = plan.first[member];
	int64_t since = well_since(c, first);
	for (unsigned i = first + 1; i < first + plan.count[member]; i++) {
		int64_t other = well_since(c, i);
		since = other > since ? other : since;
	}
	bool is_later = plan_is_cluster(member) && cluster_calm_at(member) > since;
	return is_later ? cluster_calm_at(member) : since;
}

int64_t judge_well_since(unsigned client, unsigned member)
{
	return member_well_since(&clients[client], member);
}

void judge_lost(const judge_claim *claim, int64_t ttl_ns, bool is_by_clock)
{
	int64_t at = is_by_clock ? claim->until : world.now;
	int64_t patience = plan.timeout_ns < ttl_ns ? plan.timeout_ns : ttl_ns;
	int64_t dialling = plan.connect_timeout_ns < ttl_ns ? plan.connect_timeout_ns : ttl_ns;
	int64_t recovery = JUDGE_KEPT_NS + patience + dialling + 64 * plan.delay_most;
	unsigned count = 0;
	/* The watchdog is not to blame for a TTL that a few slow packets use up, */
	bool is_hopeless = ttl_ns < 100 * (plan.delay_most + MS) || plan.has_small_buffers;
	/* nor for a win that PHP's thread read when most of the TTL was over, */
	is_hopeless = is_hopeless || claim->spell < ttl_ns / 2;
	/* nor for a member that another holder has left just before the end. */
	int64_t left = left_at[claim->key];
	is_hopeless = is_hopeless || (left > claim->until - claim->spell && left + recovery > at);
	if (claim->until == 0 || claim->hold_until < RL_NEVER / 2 || !plan_is_sound() || is_hopeless) {
		return;
	}
	COVER(kept);
	for (unsigned i = 0; i < plan.members; i++) {
		int64_t since = member_well_since(&clients[claim->client], i);
		sim_server *s = member_place(i, claim->key);
		/* A connection to a slow server may take longer than the share of the TTL. */
		count += since < RL_NEVER / 2 && since + recovery <= at && plan_handshake(s->index) == 0 &&
			server_holds(s, claim->key, claim->token);
	}
	if (count >= plan.members / 2 + 1) {
		world_violate(
			"kept: c%u has lost k%u at %.6f ms by %s, and %u of %u members that answer have it",
			(unsigned) claim->client, (unsigned) claim->key, (double) at / 1e6,
			is_by_clock ? "the clock" : "an answer", count, plan.members);
	}
}

void judge_renewed(unsigned client, uint64_t token, int64_t ends_at, int64_t written_at)
{
	for (unsigned i = 0; i < CLIENT_HOLDINGS; i++) {
		const judge_claim *claim = &clients[client].holdings[i].claim;
		int64_t ttl = ends_at - world.now;
		int64_t margin = (int64_t) (plan.drift_factor * (double) ttl) + MS;
		/* A late grant has the TTL that the call had asked for before the extend. */
		bool is_earlier = written_at <= claim->extended_at && claim->asked_before > claim->asked;
		int64_t asked =
			clock_when(&clients[client].clock, is_earlier ? claim->asked_before : claim->asked);
		int64_t latest = claim->hold_until > asked ? claim->hold_until : asked;
		if (claim->is_active && claim->token == token && claim->hold_until < RL_NEVER / 2 &&
			ends_at > latest + (world.now - written_at) + margin) {
			world_violate("hold: a renewal of k%u by c%u lets it end %.6f ms after maxHold",
				(unsigned) claim->key, client, (double) (ends_at - claim->hold_until) / 1e6);
		}
	}
}

static void look_at_claim(const judge_claim *claim, const judge_claim **other)
{
	/* MIGRATE transfers the rest of a TTL in whole ms: each move may cost the key one of them. */
	int64_t lost = (int64_t) (moves[claim->key] - claim->moves) * MS;
	if (!claim->is_active || claim->until - lost <= world.now) {
		return;
	}
	if ((dirty_keys >> claim->key & 1U) == 0) {
		return;
	}
	unsigned count = holders(claim->key, claim->token);
	unsigned excused = plan_is_sound() ? excuses_count(claim) : 0;
	bool is_shaky = excused > 0 && count < plan.members / 2 + 1;
	if (*other != NULL && !is_shaky) {
		world_violate("exclusion: c%u and c%u have k%u", (unsigned) (*other)->client,
			(unsigned) claim->client, (unsigned) claim->key);
	}
	*other = is_shaky ? *other : claim;
	count += excused;
	if (plan_is_sound() && count < plan.members / 2 + 1) {
		world_violate("proof: c%u has k%u proven for another %.6f ms, and %u of %u members hold it",
			(unsigned) claim->client, (unsigned) claim->key,
			(double) (claim->until - world.now) / 1e6, count, plan.members);
	}
}

static void look_at_key(unsigned key)
{
	const judge_claim *other = NULL;
	for (unsigned i = 0; i < plan.clients; i++) {
		for (unsigned j = 0; j < CLIENT_HOLDINGS; j++) {
			const judge_claim *claim = &clients[i].holdings[j].claim;
			if (claim->key == key) {
				look_at_claim(claim, &other);
			}
		}
	}
}

/* ---- spread ---- */

/* Another token, or a reservation, is on a member. */
static bool is_contended(unsigned key, uint64_t token)
{
	bool is_any = false;
	for (unsigned i = 0; i < plan.members; i++) {
		sim_server *s = member_place(i, key);
		uint64_t other = s->store.keys[key].value.mark;
		is_any = is_any || (other != token && server_holds(s, key, other));
	}
	return is_any;
}

static void note_tokens(unsigned key)
{
	for (unsigned i = 0; i < plan.members; i++) {
		sim_server *s = member_place(i, key);
		uint64_t token = s->store.keys[key].value.mark;
		uint64_t has = server_holds(s, key, token) ? token : 0;
		left_at[key] = has != had[key][i] && had[key][i] != 0 ? world.now : left_at[key];
		had[key][i] = has;
	}
}

static void look_at_spreads(unsigned key)
{
	note_tokens(key);
	for (unsigned i = 0; i < SPREADS; i++) {
		spreading *s = &spreads[i];
		s->is_open = s->is_open && !(s->key == key && is_contended(key, s->token));
	}
}

void judge_granted(unsigned client, unsigned key, uint64_t token, int64_t asked_at)
{
	bool was_contended =
		is_contended(key, token) || left_at[key] >= clock_when(&clients[client].clock, asked_at);
	/* A packet may take 16 times as long: a dial takes two, beside plan_handshake(), and SET is a
	 * third one. */
	int64_t round_trip = 39 * plan.delay_most + 4 * MS;
	int64_t limit = 56 * plan.delay_most + 10 * MS;
	bool is_judged = plan.faults == 0 && plan.members > 1 && plan.replicas == 0 && plan.dead == 0 &&
		!plan.has_twins && !plan.has_small_buffers && plan_is_sound();
	/* The answer of a member that refuses the helper keys may come after the end of the call, and
	 * the late grant that the call has left is then a refusal: the next renewal puts the lock
	 * there. */
	is_judged = is_judged && !plan.is_forbidden;
	/* A member that is slower than its timeout is backed off. */
	bool is_hopeless = round_trip > plan.connect_timeout_ns || round_trip > plan.timeout_ns ||
		round_trip > plan.ttl_least / 10;
	bool is_sent_back = sent_back_at[client] > 0 && world.now - sent_back_at[client] <= limit;
	if (!is_judged || is_hopeless || was_contended || is_sent_back) {
		return;
	}
	spreads[spread_count % SPREADS] = (spreading){
		.client = (uint8_t) client, .key = (uint8_t) key, .is_open = true, .token = token};
	world_plan(EVENT_SPREAD, world.now + limit, spread_count % SPREADS, 0, 0);
	spread_count++;
}

void judge_sent_back(unsigned client)
{
	sent_back_at[client] = world.now;
	for (unsigned i = 0; i < SPREADS; i++) {
		spreads[i].is_open = spreads[i].is_open && spreads[i].client != client;
	}
}

void judge_extending(unsigned client, uint64_t token)
{
	for (unsigned i = 0; i < SPREADS; i++) {
		spreads[i].is_open = spreads[i].is_open && spreads[i].token != token;
	}
	for (unsigned i = 0; i < CLIENT_HOLDINGS; i++) {
		judge_claim *claim = &clients[client].holdings[i].claim;
		if (claim->token == token) {
			claim->asked_before =
				claim->asked > claim->asked_before ? claim->asked : claim->asked_before;
			claim->extended_at = world.now;
		}
	}
}

static bool is_claimed(const spreading *s)
{
	const sim_client *c = &clients[s->client];
	bool is_any = false;
	for (unsigned i = 0; i < CLIENT_HOLDINGS; i++) {
		const judge_claim *claim = &c->holdings[i].claim;
		is_any = is_any ||
			(claim->is_active && claim->token == s->token && claim->key == s->key &&
				claim->until > world.now);
	}
	return is_any && c->is_alive;
}

void judge_on_spread(uint32_t index)
{
	spreading *s = &spreads[index];
	unsigned count = holders(s->key, s->token);
	world_uncount();
	if (!s->is_open || !is_claimed(s)) {
		return;
	}
	COVER(spread);
	s->is_open = false;
	if (count < plan.members) {
		world_violate("spread: c%u has k%u on %u of %u members only", (unsigned) s->client,
			(unsigned) s->key, count, plan.members);
	}
}

/* ---- hunger ---- */

/* No token has a quorum, and no quorum is held together. Keys that dead clients have left on some
 * members count as held. */
static bool is_free(unsigned key)
{
	unsigned free_members = 0;
	unsigned quorum = plan.members / 2 + 1;
	for (unsigned i = 0; i < plan.members; i++) {
		sim_server *s = member_place(i, key);
		const rl_store_key *k = &s->store.keys[key];
		if (!s->is_up) {
			continue;
		}
		if (!server_holds(s, key, k->value.mark) || rl_store_is_reservation(&k->value)) {
			free_members++;
		} else if (holders(key, k->value.mark) >= quorum) {
			return false;
		}
	}
	return free_members >= quorum;
}

static bool is_waited_for(unsigned key)
{
	for (unsigned i = 0; i < plan.clients; i++) {
		const sim_client *c = &clients[i];
		if (c->is_alive && c->is_waiter && c->subject->key == plan_home_of(key)) {
			return true;
		}
	}
	return false;
}

static int64_t hunger_limit(void)
{
	/* Two looks and a try with several members, and each may meet a packet that takes 16 times as
	 * long. */
	int64_t limit = HUNGER_NS + (plan.members > 1 ? 72 : 40) * plan.delay_most + 50 * MS;
	/* A broken connection may show only when an answer does not come, and then again in the try
	 * that follows. After each failure the waiter pauses for up to a second, and a fifth of it by
	 * jitter. */
	int64_t failure = plan.timeout_ns + plan.connect_timeout_ns + 1200 * MS;
	bool is_planned = (plan.faults & ~(1U << FAULT_FAILOVER | 1U << FAULT_LAGGARD)) == 0;
	if (is_planned && plan.has_sentinels) {
		/* One look may not ask the Sentinels, because the look before it has, less than a second
		 * ago; the next one asks, and a third one reads their answers. */
		return limit + 2 * SECOND;
	}
	return plan_is_calm() ? limit : limit + 2 * failure;
}

/* The time since which the key is free and nothing is broken; in the future while something is. */
static int64_t hungry_from(unsigned key)
{
	int64_t calm_at = plan_is_calm() ? 0 : faults_calm_at();
	for (unsigned i = 0; plan.has_sentinels && i < plan.members; i++) {
		if (plan_is_sentinel(i) && sentinel_calm_at(i) > calm_at && i >= plan.dead) {
			calm_at = sentinel_calm_at(i);
		}
	}
	return hungry_since[key] > calm_at ? hungry_since[key] : calm_at;
}

static void look_at_hunger(unsigned key)
{
	/* Of several members each may take a tenth of the TTL. Where that is too little for a new
	 * connection and a command, a waiter that has lost its connections gets nothing. */
	bool is_hopeless = plan.members > 1 && plan.ttl_least < 80 * plan.delay_most;
	/* And the answer of a server far away may always come when its lock is over. */
	is_hopeless = is_hopeless || plan.ttl_least < 2 * plan.delay_most + 6 * MS;
	if (plan.is_forbidden || plan.has_twins || !plan_is_sound() || is_hopeless) {
		return;
	}
	if (!is_waited_for(key) || !is_free(key)) {
		hungry_since[key] = RL_NEVER;
	} else if (hungry_since[key] == RL_NEVER) {
		hungry_since[key] = world.now;
		world_plan(EVENT_HUNGER, world.now + hunger_limit(), key, 0, 0);
	}
}

/* ---- helpers ---- */

static void look_at_helpers_later(unsigned key)
{
	int64_t flight = plan_is_calm() ? 0 : faults_longest();
	int64_t drift = HELPERS_NS / 16;
	world_plan(EVENT_HELPERS,
		world.now + HELPERS_NS + drift + flight + 64 * plan.delay_most + 50 * MS, key, 0,
		waits[key]);
}

void judge_on_helpers(unsigned key, uint32_t number)
{
	if (waits[key] != number || plan.mode == PLAN_JUMPS) {
		world_uncount();
		return;
	}
	COVER(helpers_gone);
	for (unsigned i = 0; i < plan.servers; i++) {
		const rl_store_key *k = &servers[i].store.keys[key];
		int64_t now_ms = server_us(&servers[i]) / 1000;
		bool has_marks = (k->mark_count > 0 || k->reach_ms > 0) && now_ms <= k->marks_expire_ms;
		bool has_tickets = k->tickets > 0 && now_ms <= k->tickets_expire_ms;
		if (has_marks || has_tickets) {
			world_violate("helpers: nobody waits for k%u any more, and s%u has %s", key, i,
				has_marks ? "marks" : "tickets");
		}
	}
}

/* ---- deadlock ---- */

static bool has_claim(const sim_client *c, unsigned key)
{
	bool has = false;
	for (unsigned i = 0; i < CLIENT_HOLDINGS; i++) {
		const judge_claim *claim = &c->holdings[i].claim;
		has = has || (claim->is_active && claim->key == key && claim->until > world.now);
	}
	return has;
}

/* The client that has the key for which the client waits; NULL = none has, or it does not wait. */
static const sim_client *awaited_by(const sim_client *c)
{
	for (unsigned i = 0; c->is_alive && c->is_waiter && i < plan.clients; i++) {
		if (i != c->index && clients[i].is_alive && has_claim(&clients[i], c->subject->key)) {
			return &clients[i];
		}
	}
	return NULL;
}

/* No clients wait for each other in a circle. */
static void look_at_deadlock(void)
{
	for (unsigned i = 0; i < plan.clients; i++) {
		const sim_client *c = &clients[i];
		for (unsigned steps = 0; c != NULL && steps < plan.clients; steps++) {
			c = awaited_by(c);
			if (c == &clients[i]) {
				world_violate("deadlock: c%u waits for k%u, and in the end for itself", i,
					(unsigned) c->subject->key);
				return;
			}
		}
	}
}

void judge_waiters_changed(unsigned key)
{
	if (plan.has_several) {
		look_at_deadlock();
	}
	waits[key]++;
	for (unsigned i = key; i < key + (plan.permits > 1 ? plan.permits : 1); i++) {
		look_at_hunger(i);
	}
	if (!is_waited_for(key)) {
		look_at_helpers_later(key);
	}
}

void judge_on_hunger(unsigned key)
{
	if (hungry_since[key] == RL_NEVER) {
		world_uncount();
	} else if (world.now - hungry_from(key) >= hunger_limit()) {
		world_violate("hunger: k%u is free for %.3f ms, and is waited for", key,
			(double) (world.now - hungry_from(key)) / 1e6);
	} else {
		world_plan(EVENT_HUNGER, hungry_from(key) + hunger_limit(), key, 0, 0);
		world_uncount();
	}
}

void judge_look(void)
{
	if (!is_dirty) {
		return;
	}
	for (unsigned key = 0; key < plan.keys; key++) {
		if ((dirty_keys >> key & 1U) != 0) {
			look_at_key(key);
			look_at_hunger(key);
			look_at_spreads(key);
		}
	}
	is_dirty = false;
	dirty_keys = 0;
}

/* ---- leftover ---- */

static void plan_look(const record *r, int64_t at)
{
	records[record_count % RECORDS] = *r;
	world_plan(EVENT_LEFTOVER, at, record_count % RECORDS, 0, 0);
	record_count++;
}

void judge_not_won(unsigned client, unsigned key, uint64_t token, int64_t ttl_ns, bool is_own)
{
	record r = {.client = (uint8_t) client,
		.key = (uint8_t) key,
		.token = token,
		.ended_at = world.now,
		.is_beyond_ttl = true};
	if (plan.has_twins) {
		return; /* the key may be that of another client */
	}
	int64_t flight = faults_longest() + 64 * plan.delay_most + 50 * MS;
	plan_look(&r, world.now + flight + ttl_ns + ttl_ns / 16 + MS);
	if (!is_own && faults_lose_nothing() && !plan.has_small_buffers) {
		r.is_beyond_ttl = false;
		plan_look(&r, world.now + flight);
	}
}

void judge_used_again(uint64_t token)
{
	for (unsigned i = 0; i < RECORDS; i++) {
		records[i].token = records[i].token == token ? 0 : records[i].token;
	}
	undone_used_again(token);
}

void judge_released(unsigned client, unsigned key, uint64_t token, unsigned passed_by)
{
	record r = {.client = (uint8_t) client,
		.key = (uint8_t) key,
		.token = token,
		.ended_at = world.now,
		.was_released = true,
		.passed_by = (uint16_t) passed_by};
	/* The call does not wait for the answers of all members, so a release may miss a redirect. */
	bool is_heard = !plan_has_routes() || plan.members == 1;
	/* Where something breaks a release may never be written. */
	if (plan.faults == 0 && !plan.has_twins && is_heard) {
		plan_look(&r, world.now + faults_longest() + 64 * plan.delay_most + 50 * MS);
	}
}

void judge_excuse(uint64_t token)
{
	excuses[excuse_count++ % EXCUSES] = token;
}

static bool is_excused(uint64_t token)
{
	unsigned count = excuse_count < EXCUSES ? excuse_count : EXCUSES;
	bool is_any = false;
	for (unsigned i = 0; i < count; i++) {
		is_any = is_any || excuses[i] == token;
	}
	return is_any;
}

/* The server has not run yet all that it has received from the client, because it waits for its
 * replicas. A client whose calls are cut short one after another can write faster than that. */
static bool is_behind(unsigned client, const sim_server *s)
{
	const rl_link *link;
	for (unsigned i = 0; (link = net_link_at(i)) != NULL; i++) {
		if (link->is_served && link->client == client && link->server == s->index &&
			(link->is_blocked || link->is_resuming) && link->run < link->delivered) {
			return true;
		}
	}
	return false;
}

/* A server of the member that has the token under the key, or under any permit; NULL = none has. */
static sim_server *find_holder(unsigned member, unsigned key, uint64_t token)
{
	unsigned end = plan.permits > 1 ? plan.permits : key + 1;
	for (unsigned i = plan.permits > 1 ? 0 : key; i < end; i++) {
		sim_server *s = member_place(member, i);
		if (server_holds(s, i, token)) {
			return s;
		}
	}
	return NULL;
}

void judge_on_leftover(uint32_t index)
{
	const record *r = &records[index];
	if (r->token == 0 || (!r->is_beyond_ttl && is_excused(r->token))) {
		return;
	}
	for (unsigned i = 0; i < plan.members; i++) {
		const sim_server *s = find_holder(i, r->key, r->token);
		if (s == NULL || (r->passed_by >> i & 1U) != 0) {
			continue;
		}
		if (!r->is_beyond_ttl && is_behind(r->client, s)) {
			plan_look(r, world.now + 50 * MS);
			return;
		}
		world_violate("leftover: c%u %s k%u at %.6f ms, and s%u holds it%s", (unsigned) r->client,
			r->was_released ? "released" : "did not win", (unsigned) r->key,
			(double) r->ended_at / 1e6, (unsigned) s->index,
			r->is_beyond_ttl ? " beyond its TTL" : ", though all that was written has arrived");
	}
}

/* ---- fence ---- */

judge_fence judge_fence_asked(unsigned key)
{
	judge_fence asked = {.greatest = fences[key], .is_certain = true};
	for (unsigned i = 0; i < plan.servers; i++) {
		asked.is_certain = asked.is_certain && server_us(&servers[i]) > asked.greatest;
	}
	return asked;
}

void judge_fenced(unsigned client, unsigned key, const judge_fence *asked, int64_t number)
{
	bool is_new = number > asked->greatest && number != fences[key];
	bool may_be_lost = plan_loses_data();
	TRACE("c%u has the fencing number %" PRId64 " of k%u", client, number, key);
	if (may_be_lost && asked->is_certain) {
		COVER(fenced_by_clock);
	}
	if (!is_new && (asked->is_certain || !may_be_lost)) {
		world_violate("fence: c%u gets %" PRId64 " for k%u, where %" PRId64
					  " was returned before it asked",
			client, number, key, asked->greatest);
	}
	fences[key] = number > fences[key] ? number : fences[key];
}

/* ---- failure, circle, waking ---- */

void judge_failed(unsigned client, unsigned key, const char *why)
{
	bool is_judged = plan.members == 1 && plan.replicas == 0 && plan.mode == PLAN_USUAL;
	if (plan.faults == 0 && is_judged) {
		world_violate(
			"failure: c%u has failed with k%u, and nothing is broken: %s", client, key, why);
	}
	/* A redirect says that the command has not run, and the slowest answer comes in time. The place
	 * of a waiter may nevertheless have taken the lock. */
	bool is_sure =
		is_judged && !clients[client].is_waiter && plan.timeout_ns > 200 * plan.delay_most;
	if (plan.faults == 1U << FAULT_MOVE && is_sure && strstr(why, "unknown") != NULL) {
		world_violate(
			"failure: c%u is in doubt about k%u, and only slots move: %s", client, key, why);
	}
	/* A swap to the caller's token, and a take-over, cannot be sent to the new primary as well. A
	 * release whose connection ends may have run. */
	const sim_client *c = &clients[client];
	bool may_swap = c->act == ACT_TAKE && ((const rl_acquire *) c->op)->own.data != NULL;
	bool may_go_on = (c->act == ACT_TAKE && !may_swap) || c->act == ACT_EXTEND;
	if (plan.faults == 1U << FAULT_FAILOVER && is_judged && may_go_on && !plan.has_writable &&
		plan.timeout_ns > 200 * plan.delay_most) {
		world_violate(
			"failure: c%u has failed with k%u in a planned failover: %s", client, key, why);
	}
}

static void look_at_waking(unsigned client)
{
	bool may_wake = !plan.is_forbidden && !(plan.has_pollers && client % 2 == 0);
	if (may_wake && !clients[client].set.wakes) {
		world_violate("waking: c%u has switched it off for good", client);
	}
}

void judge_waited(unsigned client)
{
	const sim_client *c = &clients[client];
	int64_t most = 200 * MS + 40 * plan.delay_most;
	bool has_queue = !plan.is_forbidden && !plan.has_pollers &&
		!(plan.has_clusters && plan.forms[c->subject->key] == KEY_POLLED);
	if (plan.faults == 0 && plan.members == 1 && plan.replicas == 0 && has_queue &&
		!c->was_queued && world.now - c->begun_at > most) {
		world_violate("waking: c%u has waited for k%u for %.3f ms, and not in the queue", client,
			(unsigned) c->subject->key, (double) (world.now - c->begun_at) / 1e6);
	}
}

void judge_redirected(unsigned client, bool is_watch)
{
	int64_t *began = &circle_began[client][is_watch];
	unsigned *count = &circle[client][is_watch];
	look_at_waking(client);
	judge_sent_back(client);
	if (world.now > *began + CIRCLE_NS || (!is_watch && clients[client].begun_at > *began)) {
		*began = world.now;
		*count = 0;
	}
	if (++*count > CIRCLE_MOST) {
		world_violate("circle: c%u was redirected %u times within %.3f ms", client, *count,
			(double) (world.now - *began) / 1e6);
	}
}

/* ---- gone ---- */

/* Where a server takes over the data of another, the marks in it tell the time of the other. */
static bool is_gone_judged(void)
{
	unsigned moving = 1U << FAULT_MOVE | 1U << FAULT_TAKE_OVER | 1U << FAULT_FAILOVER |
		1U << FAULT_PROMOTE | 1U << FAULT_REPLICA | 1U << FAULT_SWITCH;
	return plan_is_sound() && (!plan_has_routes() || (plan.faults & moving) == 0);
}

void judge_mark(unsigned server, const rl_model_command *c, const rl_model_reply *r)
{
	if (c->what != RL_WORD_SCRIPT || !rl_words_has_helpers(c) || c->waiter.len == 0 ||
		(c->script != RL_SCRIPT_TRY && c->script != RL_SCRIPT_PROBE)) {
		return;
	}
	look *l = &looks[(c->waiter.mark ^ server) % LOOKS];
	bool is_known = l->waiter == c->waiter.mark && l->server == server;
	if (c->place != RL_PLACE_QUEUED) {
		*l = (look){.waiter = c->waiter.mark, .at = world.now, .server = (uint8_t) server};
		return;
	}
	int64_t most = GONE_NS + (int64_t) (2 * plan.drift_factor * (double) GONE_NS) + 5 * MS;
	bool has_won = r->type == RL_SAYS_NUMBERS && r->number[0] == 1;
	if (is_known && is_gone_judged() && world.now - l->at > most) {
		COVER(gone);
		if (has_won) {
			world_violate("gone: s%u gives k%u to a waiter whose last look was %.3f ms before",
				server, (unsigned) c->key, (double) (world.now - l->at) / 1e6);
		}
	}
}

/* ---- order ---- */

void judge_fairness(unsigned winner)
{
	if (!is_settled && world.now >= SETTLING_NS) {
		is_settled = true;
		memset(grants, 0, sizeof grants);
	}
	grants[winner]++;
	/* On several members the first winner may lack the member at which the others queue. Then they
	 * move once, each with its next look, which shuffles them. Later a waiter that was woken may
	 * overtake the release on its way to the other members: it is refused there, and queues again,
	 * after the others. */
	unsigned most = plan.members == 1 ? 1 : 2;
	for (unsigned i = 0; plan.mode == PLAN_FAIR && i < plan.clients; i++) {
		if (grants[winner] > grants[i] + most && !clients[winner].is_closing) {
			world_violate("fair: c%u has had the lock %u times, and c%u %u times", winner,
				grants[winner], i, grants[i]);
		}
	}
}

/* At the end of a wait a try on the ordinary connection decides, and not the place in the queue.
 * The server's clock may be fast. */
static bool is_at_its_end(const sim_client *c)
{
	const rl_acquire *acquire = (const rl_acquire *) c->op;
	int64_t drift = (int64_t) (plan.drift_factor * (double) (world.now - c->begun_at));
	return clock_when(&c->clock, acquire->deadline) <
		world.now + 4 * plan.delay_most + 25 * MS + 2 * drift;
}

/* The latest end of a lock by its TTL, of the key or of any permit. */
static int64_t latest_expiry(unsigned key)
{
	int64_t latest = expired_at[key];
	for (unsigned i = 0; i < plan.permits; i++) {
		latest = expired_at[i] > latest ? expired_at[i] : latest;
	}
	return latest;
}

/* The server has woken the waiter, for which a permit is reserved, or has given it the permit. The
 * waiter may not know yet. */
static bool is_served(const sim_client *c)
{
	uint64_t token = rl_words_text(((const rl_acquire *) c->op)->token).mark;
	return plan.permits > 1 &&
		(!c->queued_on->is_blocked || find_holder(0, c->subject->key, token) != NULL);
}

void judge_order(unsigned winner)
{
	const sim_client *c = &clients[winner];
	int64_t came_at = c->queued_at != RL_NEVER ? c->queued_at : c->begun_at;
	int64_t margin = 4 * plan.delay_most + MS;
	/* A lock that ends by its TTL right before a waiter queues was taken when the waiter looked. If
	 * several permits end, the next look reserves one of them. */
	/* A waiter whose lock the replicas do not confirm in time loses its place. */
	if (plan.faults != 0 || plan.replicas != 0 || plan.has_twins || plan.is_forbidden ||
		plan.has_pollers || plan.members > 1 || c->is_closing) {
		return;
	}
	for (unsigned i = 0; i < plan.clients; i++) {
		const sim_client *o = &clients[i];
		if (o->is_alive && o->is_waiter && o->subject->key == c->subject->key && i != winner &&
			o->queued_at != RL_NEVER && o->queued_at + margin < came_at &&
			o->queued_at > latest_expiry(c->subject->key) + margin && !is_at_its_end(o) &&
			!is_served(o)) {
			world_violate("order: c%u has won k%u, and c%u was in the queue %.3f ms before it",
				winner, (unsigned) c->subject->key, i, (double) (came_at - o->queued_at) / 1e6);
		}
	}
}
