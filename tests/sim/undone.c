/* SPDX-License-Identifier: MIT
 *
 * Undos that must happen. The header explains the rules.
 */
#include "undone.h"

#include "client.h"
#include "cluster.h"
#include "faults.h"
#include "judge.h"
#include "sentinel_parts.h"
#include "votes.h"

#include <string.h>

#define RECORDS 4096
#define SWAPS 512

typedef struct undone {
	uint8_t client;
	uint8_t key;
	bool is_swap;
	uint32_t life; /* the life of the client: the repeated swap ends with it */
	uint64_t token;
	int64_t begun_at;
	int64_t until;                 /* SWAP: until then the swap back is repeated */
	uint8_t voter[PLAN_MEMBERS];   /* the nodes that may have the token */
	bool is_unheard[PLAN_MEMBERS]; /* SWAP: the member has not said that it has the fresh token */
} undone;

/* A swap that has set a fresh token. */
typedef struct swap_run {
	uint64_t fresh;
	uint8_t server;
	int64_t at;
	bool was_undone; /* the watch has undone the swap, and does so once */
} swap_run;

static undone records[RECORDS];
static uint32_t record_count;
static swap_run swaps[SWAPS];
static uint32_t swap_count;

void undone_begin(void)
{
	record_count = 0;
	memset(swaps, 0, sizeof swaps);
	swap_count = 0;
}

static void plan_look(const undone *u, int64_t at)
{
	records[record_count % RECORDS] = *u;
	world_plan(EVENT_UNDONE, at, record_count % RECORDS, 0, 0);
	record_count++;
}

/* ---- old primary ---- */

/* Everything that is written arrives, and is lost only with the data of a node that becomes a
 * replica. */
static bool all_arrives(void)
{
	unsigned harmless = 1U << FAULT_FAILOVER | 1U << FAULT_LAGGARD | 1U << FAULT_SCRIPTS |
		1U << FAULT_MEMORY | 1U << FAULT_MOVE;
	return (plan.faults & ~harmless) == 0 && !plan.has_small_buffers && plan.replicas == 0;
}

void undone_took(
	unsigned client, const rl_quorum_call *call, unsigned key, uint64_t token, bool has_won)
{
	undone u = {.client = (uint8_t) client,
		.key = (uint8_t) key,
		.token = token,
		.begun_at = clients[client].begun_at};
	/* The watch may put a lock that was won back at the node that it knows as the primary. */
	bool may_put_back = has_won && (plan.members > 1 || plan.mode == PLAN_GRACE);
	if (!plan.has_sentinels || !all_arrives() || may_put_back) {
		return;
	}
	for (unsigned i = 0; i < plan.members; i++) {
		const rl_target *node = call->members[i].node;
		u.voter[i] =
			has_won && node != NULL ? (uint8_t) (node->address.port - NET_PORT) : UINT8_MAX;
	}
	plan_look(&u, world.now + 64 * plan.delay_most + 50 * MS);
}

void undone_used_again(uint64_t token)
{
	for (unsigned i = 0; i < RECORDS; i++) {
		records[i].token = records[i].token == token ? 0 : records[i].token;
	}
}

/* The node was the primary when the call began, or before, and has not become a replica since. The
 * token came by a command, and not by a copy. */
static bool is_former(unsigned n, const undone *u)
{
	const sentinel_part *p = &sentinel_parts[n];
	const sentinel_group *g = &sentinel_groups[servers[n].member];
	return p->is_master && n != g->primary && n != g->named && p->demoted_at < u->begun_at &&
		p->promoted_at <= u->begun_at && votes_has_run(n, u->key, u->token);
}

/* The node has the token under the key, or under any permit. */
static bool holds_any(unsigned n, const undone *u)
{
	bool holds = server_holds(&servers[n], u->key, u->token);
	for (unsigned i = 0; i < plan.permits; i++) {
		holds = holds || server_holds(&servers[n], i, u->token);
	}
	return holds;
}

/* The primary has given the vote, so the call has left any other primary. */
static bool is_judged(unsigned member, unsigned voter)
{
	return plan_is_sentinel(member) &&
		(voter == UINT8_MAX || voter == sentinel_groups[member].primary);
}

static void look_at_old_primaries(const undone *u)
{
	for (unsigned i = plan.dead; i < plan.members; i++) {
		unsigned end = is_judged(i, u->voter[i]) ? sentinel_first(i) : 0;
		for (unsigned n = plan.first[i]; n < end; n++) {
			if (n != u->voter[i] && is_former(n, u) && holds_any(n, u)) {
				world_violate(
					"leftover: a call of c%u has left s%u, an old primary, which holds k%u",
					(unsigned) u->client, n, (unsigned) u->key);
			}
		}
	}
}

/* ---- swapped back ---- */

void undone_note_swap(const sim_server *s, const rl_link *link, const rl_model_command *c)
{
	for (unsigned i = 0; link->is_watch && i < SWAPS; i++) {
		bool is_same = swaps[i].fresh == c->token.mark && swaps[i].fresh != 0;
		swaps[i].was_undone = swaps[i].was_undone || is_same;
	}
	if (!link->is_watch) {
		swaps[swap_count++ % SWAPS] =
			(swap_run){.fresh = c->fresh.mark, .server = s->index, .at = world.now};
		faults_tempt(s->index);
	}
}

/* The longest pauses of the watch, and a dial and an answer that fail. */
static int64_t recovery(void)
{
	return JUDGE_KEPT_NS + plan.timeout_ns + plan.connect_timeout_ns + 64 * plan.delay_most;
}

void undone_not_taken_over(unsigned client, const rl_quorum_call *call, unsigned key)
{
	int64_t ttl_ns = clients[client].ttl_ns;
	undone u = {.client = (uint8_t) client,
		.key = (uint8_t) key,
		.is_swap = true,
		.life = clients[client].life,
		.token = rl_words_text(call->terms.request.fresh).mark,
		.begun_at = world.now,
		.until = world.now + (int64_t) ((1 - plan.drift_factor) * (double) ttl_ns)};
	for (unsigned i = 0; i < plan.members; i++) {
		const rl_errand *member = &call->members[i];
		u.is_unheard[i] = member->vote != RL_VOTE_GRANTED && !rl_errand_is_unconfirmed(member);
	}
	if (plan.mode == PLAN_USUAL && !plan.has_twins) {
		plan_look(&u, world.now + recovery());
	}
}

/* The swap was long ago, and the watch has not undone it on this server. */
static bool is_overdue(const undone *u, const sim_server *s)
{
	bool is_late = false;
	for (unsigned i = 0; i < SWAPS; i++) {
		const swap_run *run = &swaps[i];
		if (run->fresh == u->token && run->was_undone) {
			return false;
		}
		is_late = is_late ||
			(run->fresh == u->token && run->server == s->index &&
				run->at + recovery() <= world.now);
	}
	return is_late;
}

static void look_at_swap(const undone *u)
{
	const sim_client *c = &clients[u->client];
	if (!c->is_alive || c->life != u->life || world.now >= u->until) {
		return;
	}
	for (unsigned i = plan.dead; i < plan.members; i++) {
		sim_server *s = member_place(i, u->key);
		int64_t since = judge_well_since(u->client, i);
		if (u->is_unheard[i] && server_holds(s, u->key, u->token) && is_overdue(u, s) &&
			since < RL_NEVER / 2 && since + recovery() <= world.now) {
			world_violate(
				"leftover: c%u has not taken k%u over since %.6f ms, and s%u holds its token",
				(unsigned) u->client, (unsigned) u->key, (double) u->begun_at / 1e6,
				(unsigned) s->index);
		}
	}
	plan_look(u, world.now + 500 * MS);
}

void undone_on_look(uint32_t index)
{
	undone u = records[index];
	world_uncount(); /* no event of the world */
	if (u.is_swap) {
		look_at_swap(&u);
	} else if (u.token != 0) {
		look_at_old_primaries(&u);
	}
}
