/* SPDX-License-Identifier: MIT
 *
 * The worth of a vote. The header explains the rules.
 */
#include "votes.h"

#include "client.h"
#include "core/base/rl_tally.h"
#include "core/lease/rl_renewer.h"
#include "sentinel_parts.h"

#include <string.h>

/* A step reads the clock several times between the time of the step and its writes. */
#define STEP_NS (100 * US)

/* The latest SET of a thread of a client. */
typedef struct vote_run {
	uint64_t token;
	int64_t at;
	int64_t written_at;
} vote_run;

/* By PHP's threads, and by watchdogs. */
static vote_run runs[PLAN_SERVERS][WORDS_KEYS][2];

void votes_begin(void)
{
	memset(runs, 0, sizeof runs);
}

/* ---- put back ---- */

static void look_at_put_back(const sim_server *s, const rl_link *link, const rl_model_command *c)
{
	bool may_be_new = plan.mode == PLAN_GRACE && plan_is_sentinel(s->member) &&
		sentinel_groups[s->member].promoted_at > 0;
	if (link->is_watch && c->what == RL_WORD_SET && plan.members == 1 && !may_be_new) {
		world_violate("put back: c%uw sets k%u at s%u, which is no new primary in its grace",
			(unsigned) link->client, (unsigned) c->key, (unsigned) s->index);
	}
}

/* The key of the command, or of the permit that has the token after the command. */
static unsigned taken_key(sim_server *s, const rl_model_command *c, uint64_t token)
{
	for (unsigned i = 0; i < c->permits; i++) {
		if (server_holds(s, c->permit_key[i], token)) {
			return c->permit_key[i];
		}
	}
	return c->key;
}

void votes_note_run(sim_server *s, const rl_link *link, const rl_model_command *c)
{
	bool is_swap = c->what == RL_WORD_SCRIPT && c->script == RL_SCRIPT_SWAP;
	uint64_t token = is_swap ? c->fresh.mark : c->token.mark;
	look_at_put_back(s, link, c);
	runs[s->index][taken_key(s, c, token)][link->is_watch] =
		(vote_run){token, world.now, c->written_at};
}

bool votes_has_run(unsigned server, unsigned key, uint64_t token)
{
	bool has = runs[server][key][false].token == token;
	for (unsigned i = 0; i < plan.permits; i++) {
		has = has || runs[server][i][false].token == token;
	}
	return has;
}

/* ---- grace ---- */

/* The votes for one lock so far. */
typedef struct tally {
	unsigned client;
	int64_t age; /* how long the nodes must have been primaries */
	unsigned granted;
	unsigned young; /* how many of these votes are by nodes that are too new */
	unsigned node;  /* one of these nodes */
	int64_t known_ns;
} tally;

static void add_vote(tally *t, unsigned member, unsigned n, const vote_run *run)
{
	const sentinel_group *g = &sentinel_groups[member];
	int64_t least = (int64_t) ((double) t->age * (1 - plan.drift_factor)) - 2 * MS;
	int64_t known_ns = g->named == n ? world.now - g->agreed_at : 0;
	bool is_old = g->promoted_at == 0 || n != g->primary || run->at < g->promoted_at;
	t->granted++;
	if (!is_old && known_ns < least) {
		t->young++;
		t->node = n;
		t->known_ns = known_ns;
	}
}

/* @param node the server that gave the vote */
static void look_at_vote(
	tally *t, unsigned member, const rl_target *node, unsigned key, bool is_watch, uint64_t token)
{
	unsigned n = plan_is_sentinel(member) ? (unsigned) node->address.port - NET_PORT : 0;
	const vote_run *run = &runs[n][key][is_watch];
	if (plan_is_sentinel(member) && run->token == token) {
		add_vote(t, member, n, run);
	} else {
		t->granted++;
	}
}

/* If the other members have decided, a vote of this kind may be there without counting. */
static void judge_votes(const tally *t)
{
	if (t->young > 0 && t->granted - t->young < rl_quorum(plan.members)) {
		world_violate("grace: c%u counts the vote of s%u, which is the primary for %.6f ms only",
			t->client, t->node, (double) t->known_ns / 1e6);
	}
}

static void look_at_call(
	unsigned client, const rl_quorum_call *call, unsigned key, uint64_t token, int64_t age)
{
	tally t = {.client = client, .age = age};
	for (unsigned i = 0; plan.mode == PLAN_GRACE && i < plan.members; i++) {
		const rl_errand *member = &call->members[i];
		if (member->vote == RL_VOTE_GRANTED) {
			look_at_vote(&t, i, member->node, key, false, token);
		}
	}
	judge_votes(&t);
}

void votes_took(unsigned client, const rl_quorum_call *call, unsigned key, uint64_t token)
{
	look_at_call(client, call, key, token, plan.grace_ns);
}

void votes_prolonged(unsigned client, const rl_quorum_call *call, unsigned key, uint64_t token)
{
	look_at_call(client, call, key, token, RL_CHECK_NS);
}

void votes_renewed(unsigned client, const rl_renewal *renewal, unsigned key)
{
	tally t = {.client = client, .age = RL_CHECK_NS};
	uint64_t token = rl_words_text(rl_lease_token(renewal->lease)).mark;
	for (unsigned i = 0; plan.mode == PLAN_GRACE && i < plan.members; i++) {
		const rl_renewal_member *member = &renewal->members[i];
		if (member->vote == RL_VOTE_GRANTED) {
			look_at_vote(&t, i, member->node, key, true, token);
		}
	}
	judge_votes(&t);
}

/* ---- spell ---- */

static unsigned server_of(const rl_target *node, unsigned member)
{
	return plan_has_routes() ? (unsigned) node->address.port - NET_PORT : plan.first[member];
}

void votes_swapped(unsigned client, const rl_quorum_call *call, unsigned key, int64_t proof)
{
	const sim_client *c = &clients[client];
	uint64_t fresh = rl_words_text(call->terms.request.fresh).mark;
	int64_t earliest = RL_NEVER;
	for (unsigned i = 0; i < plan.members; i++) {
		const rl_errand *member = &call->members[i];
		if (member->vote != RL_VOTE_GRANTED) {
			continue;
		}
		const vote_run *run = &runs[server_of(member->node, i)][key][false];
		if (run->token != fresh) {
			return; /* the lock was changed since */
		}
		earliest = run->written_at < earliest ? run->written_at : earliest;
	}
	int64_t ttl = c->ttl_ns - rl_set_drift(&c->set, c->ttl_ns);
	int64_t least = clock_at(&c->clock, earliest - STEP_NS) + ttl;
	if (proof < least) {
		world_violate(
			"spell: c%u has taken k%u over, and proves it for %.6f ms less than it is set", client,
			key, (double) (least - proof) / 1e6);
	}
}
