/* SPDX-License-Identifier: MIT
 *
 * Excused votes. The header explains them.
 */
#include "excuses.h"

#include "client.h"
#include "cluster.h"
#include "cover.h"
#include "faults.h"
#include "sentinel.h"

#include <string.h>

#define WATCH_LOOKUP_NS SECOND

/* The latest answer of a node about a lock that may count. */
typedef struct promise {
	uint64_t token;
	int64_t until; /* in true time */
} promise;

static promise promises[PLAN_SERVERS][WORDS_KEYS];

#define SWITCHES (1U << FAULT_FAILOVER | 1U << FAULT_PROMOTE | 1U << FAULT_LAGGARD)
#define HARMLESS (1U << FAULT_FAILOVER | 1U << FAULT_LAGGARD | 1U << FAULT_CLIENT_CRASH)

/* How long a client may need to ask the Sentinels, and to count the votes of all members. Where
 * each of them answers at once, this takes some round trips. */
static int64_t asking_time(void)
{
	int64_t timeouts = plan.connect_timeout_ns + plan.timeout_ns;
	int64_t lookup = timeouts > WATCH_LOOKUP_NS ? timeouts : WATCH_LOOKUP_NS;
	int64_t quick = 40 * plan.delay_most + 4 * MS;
	if (plan.members == 1 && (plan.faults & ~HARMLESS) == 0 && quick < lookup) {
		lookup = quick;
	}
	int64_t votes = plan.members > 1 ? 2 * timeouts : 0;
	return lookup + votes + 64 * plan.delay_most;
}

/* The end of the time in which an answer of a node may count for the client, although a majority
 * has named another node since then. The client has asked the Sentinels less than RL_CHECK_NS
 * before it reads the answer, or asks them then. */
static int64_t counts_until(int64_t since, const sim_client *c)
{
	if (since == RL_NEVER) {
		return RL_NEVER;
	}
	since = c->dog.frozen_until > since ? c->dog.frozen_until : since;
	since = c->script.frozen_until > since ? c->script.frozen_until : since;
	int64_t time = RL_CHECK_NS + asking_time();
	return since + time + (int64_t) (plan.drift_factor * (double) time);
}

/* The end of the lock, in true time. */
static int64_t end_of(const sim_server *s, unsigned key)
{
	return clock_when(&s->clock, (s->store.keys[key].expires_ms + 1) * MS);
}

/* Whether the node has the lock for as long as it is proven. */
static bool covers(sim_server *s, const judge_claim *claim)
{
	return server_holds(s, claim->key, claim->token) && end_of(s, claim->key) >= claim->until;
}

static void excuse_vote(judge_claim *claim, unsigned member, unsigned voter)
{
	claim->excused |= (uint8_t) (1U << member);
	claim->voters[member] = (uint8_t) voter;
}

void excuses_begin(void)
{
	memset(promises, 0, sizeof promises);
}

void excuses_note_write(sim_server *s, unsigned key)
{
	int64_t out_at = sentinel_out_at(s->index);
	uint64_t token = s->store.keys[key].value.mark;
	if (plan.members > 1 && server_holds(s, key, token) &&
		(out_at == RL_NEVER || world.now <= out_at + RL_CHECK_NS + asking_time())) {
		promises[s->index][key] = (promise){token, end_of(s, key)};
	}
}

static bool has_promised(unsigned server, const judge_claim *claim)
{
	const promise *p = &promises[server][claim->key];
	return p->token == claim->token && p->until >= claim->until;
}

/* Finds a node that calls itself the primary and has the lock, or that had it when it became a
 * replica. */
static void find_voter(judge_claim *claim, unsigned member, unsigned n)
{
	const sim_client *c = &clients[claim->client];
	bool is_former = &servers[n] != sentinel_place(member) && sentinel_is_master(n);
	if (is_former && covers(&servers[n], claim) &&
		world.now <= counts_until(sentinel_out_at(n), c)) {
		COVER(old_primary_grants);
		excuse_vote(claim, member, n);
	} else if (has_promised(n, claim) ||
		(sentinel_had(n, claim->key, claim->token) &&
			world.now <= counts_until(sentinel_left_at(n), c))) {
		excuse_vote(claim, member, EXCUSES_NOWHERE);
	}
}

void excuses_renew(judge_claim *claim)
{
	claim->excused = 0;
	for (unsigned member = 0; member < plan.members; member++) {
		if (!plan_is_sentinel(member) || covers(sentinel_place(member), claim)) {
			continue;
		}
		for (unsigned n = plan.first[member]; n < plan.first[member] + plan.nodes[member]; n++) {
			find_voter(claim, member, n);
		}
	}
}

/* How long a renewal that is due may take to find that the lock is gone. */
static int64_t recovery(void)
{
	return RL_CHECK_NS + JUDGE_KEPT_NS + 2 * (plan.timeout_ns + plan.connect_timeout_ns) +
		64 * plan.delay_most;
}

/* The next renewal finds that the lock is gone. That renewal comes a third of the TTL after one
 * that the old primary has answered, perhaps late and for nothing. A lease that is proven to the
 * end of maxHold is not renewed. */
static void plan_tardy(unsigned client, unsigned at, const judge_claim *claim)
{
	const holding *h = &clients[client].holdings[at];
	/* with grace the lease may be put back */
	bool is_renewed = h->renewal != NULL && h->renewal->renews && plan.mode == PLAN_USUAL &&
		claim->until < claim->hold_until;
	if (is_renewed && (plan.faults & ~SWITCHES) == 0 && plan.members == 1 && plan.replicas == 0) {
		int64_t until = world.now + recovery() + claim->spell * 2 / 5;
		world_plan(EVENT_TARDY, until, client, at, (uint32_t) claim->token);
	}
}

void excuses_on_tardy(unsigned client, unsigned at, uint32_t token)
{
	const judge_claim *claim = &clients[client].holdings[at].claim;
	if (!claim->is_active || (uint32_t) claim->token != token || claim->until <= world.now ||
		claim->excused == 0) {
		world_uncount();
		return;
	}
	int64_t found_at = faults_calm_at() + recovery(); /* another switch may have begun since */
	if (found_at > world.now) {
		world_uncount();
		world_plan(EVENT_TARDY, found_at, client, at, token);
		return;
	}
	world_violate("tardy: k%u of c%u is lost since a switch, and proven for another %.3f ms",
		(unsigned) claim->key, client, (double) (claim->until - world.now) / 1e6);
}

/* A lock that the new primary does not have is lost for its holder.
 * @return true = the loss is new */
static bool excuse_loss(judge_claim *claim, unsigned member, unsigned old)
{
	if (!claim->is_active || claim->until <= world.now) {
		return false;
	}
	if ((claim->excused >> member & 1U) != 0) {
		claim->voters[member] = EXCUSES_NOWHERE;
		return false;
	}
	if (covers(sentinel_place(member), claim)) {
		return false;
	}
	COVER(lost_lock);
	if (plan.permits > 1) {
		COVER(lost_permit);
	}
	excuse_vote(claim, member, old);
	return !server_holds(sentinel_place(member), claim->key, claim->token);
}

void excuses_note_switch(unsigned member, unsigned old)
{
	for (unsigned i = 0; i < plan.clients; i++) {
		for (unsigned j = 0; j < CLIENT_HOLDINGS; j++) {
			judge_claim *claim = &clients[i].holdings[j].claim;
			if (excuse_loss(claim, member, old)) {
				plan_tardy(i, j, claim);
			}
		}
	}
	for (unsigned key = 0; key < plan.keys; key++) {
		judge_key_changed(key);
	}
}

void excuses_note_promotion(unsigned member, unsigned server)
{
	for (unsigned i = 0; i < plan.clients; i++) {
		for (unsigned j = 0; j < CLIENT_HOLDINGS; j++) {
			uint8_t *voter = &clients[i].holdings[j].claim.voters[member];
			*voter = *voter == server ? EXCUSES_NOWHERE : *voter;
		}
	}
}

/* Whether a member without the token has an excuse: a former primary has the token, or its data is
 * gone. */
static bool is_excused_at(const judge_claim *claim, unsigned member)
{
	unsigned n = claim->voters[member];
	return (claim->excused >> member & 1U) != 0 &&
		(n == EXCUSES_NOWHERE || !sentinel_is_master(n) || !servers[n].is_up ||
			server_holds(&servers[n], claim->key, claim->token));
}

unsigned excuses_count(const judge_claim *claim)
{
	unsigned count = 0;
	for (unsigned i = 0; claim->excused != 0 && i < plan.members; i++) {
		count += is_excused_at(claim, i) &&
			!server_holds(member_place(i, claim->key), claim->key, claim->token);
	}
	return count;
}
