/* SPDX-License-Identifier: MIT
 *
 * A release batch: the operation. The design is in the header.
 */
#include "core/lock/rl_batch_parts.h"

#include "core/lock/rl_order.h"
#include "core/base/rl_time.h"
#include "core/lock/rl_op_failure.h"

#include <stdlib.h>
#include <string.h>

/* An operation can wait for this many links besides those to the Sentinels of each member. */
#define LANES_AT_ONCE (RL_WAIT_LINKS - RL_MEMBERS_MAX * RL_SENTINELS_MAX)

static unsigned members_of(const rl_release_batch *batch)
{
	return batch->op.call.set->count;
}

/* ---- the beginning ---- */

/* The node that has the lease; NULL = none is known. */
static rl_target *node_of(const rl_release_batch *batch, unsigned member, size_t index)
{
	return rl_member_node(&batch->op.call.set->members[member], batch->leases[index]->names.slot);
}

static bool is_backed_off(const rl_release_batch *batch, const rl_target *node, int64_t now)
{
	return node != NULL &&
		!rl_pool_is_worth_asking(batch->op.call.pool, node, RL_WANT_RELEASE, now);
}

/* Gives the member's leases to lanes. A lease without a lane is not released at this member.
 * @param is_spared nodes that are backed off are left out */
static void add_lanes(rl_release_batch *batch, unsigned member, bool is_spared, int64_t now)
{
	bool has_nodes = batch->op.call.set->members[member].route != NULL;
	for (size_t i = 0; i < batch->count; i++) {
		rl_target *node = node_of(batch, member, i);
		rl_destination at = {.node = node};
		rl_batch_lane *lane = node != NULL ? rl_batch_lane_for(batch, member, at) : NULL;
		bool is_left_out =
			is_spared && lane != NULL && lane->count == 0 && is_backed_off(batch, node, now);
		bool is_added = lane != NULL && !is_left_out && (!has_nodes || rl_batch_lane_add(lane, i));
		if (is_added && !has_nodes) {
			lane->count = i + 1;
		}
		unsigned open = batch->votes[i].open & ~(1u << member);
		batch->votes[i].open = (unsigned short) (open | (unsigned) is_added << member);
	}
}

/* ---- lookups ---- */

/* The primary was named too long ago to be relied on. */
static bool needs_lookup(const rl_release_batch *batch, unsigned member, int64_t now)
{
	const rl_route *route = batch->op.call.set->members[member].route;
	return route != NULL && route->kind == RL_ROUTE_SENTINEL &&
		(route->named_at == 0 || now - route->named_at >= route->check_ns);
}

/* False = out of memory. */
static bool begin_lookup(rl_release_batch *batch, unsigned member, int64_t now)
{
	const rl_quorum_call *call = &batch->op.call;
	rl_lookup *lookup = rl_lookup_of(call->set->members[member].route, call->pool);
	if (lookup == NULL) {
		return false;
	}
	rl_lookup_join(lookup, batch->end_at, now);
	batch->lookups[member] = lookup;
	for (size_t i = 0; i < batch->count; i++) {
		batch->votes[i].open = (unsigned short) (batch->votes[i].open | 1u << member);
	}
	return true;
}

/* If the lookup of a member has failed, the releases go to its last known primary. */
static void step_lookups(rl_release_batch *batch, const rl_tick *tick)
{
	for (unsigned i = 0; i < members_of(batch); i++) {
		rl_lookup *lookup = batch->lookups[i];
		if (lookup != NULL && rl_lookup_is_open(lookup)) {
			rl_lookup_step(lookup, tick);
		}
		if (lookup != NULL && !rl_lookup_is_open(lookup)) {
			batch->lookups[i] = NULL;
			add_lanes(batch, i, false, tick->now);
		}
	}
}

static bool is_looking(const rl_release_batch *batch, unsigned member)
{
	return batch->lookups[member] != NULL;
}

/* ---- lanes ---- */

/* Opens as many lanes as the operation can wait for at once. True = it has opened a lane. */
static bool open_lanes(rl_release_batch *batch, int64_t now)
{
	bool has_opened = false;
	unsigned open = 0;
	for (unsigned i = 0; i < batch->lane_count; i++) {
		rl_batch_state state = batch->lanes[i]->state;
		open += state != RL_BATCH_QUEUED && state != RL_BATCH_OVER;
	}
	for (unsigned i = 0; i < batch->lane_count && open < LANES_AT_ONCE; i++) {
		rl_batch_lane *lane = batch->lanes[i];
		if (lane->state == RL_BATCH_QUEUED && lane->count > 0) {
			rl_batch_lane_open(batch, lane, now);
			open += lane->state != RL_BATCH_OVER;
			has_opened = true;
		}
	}
	return has_opened;
}

/* A server that is backed off is asked only if the other members cannot decide on the first
 * lease. */
static void begin(rl_release_batch *batch, int64_t now)
{
	rl_tally tally = {.members = members_of(batch)};
	for (unsigned i = 0; i < tally.members; i++) {
		tally.failed += is_backed_off(batch, node_of(batch, i, 0), now);
	}
	bool asks_all = tally.members == 1 || rl_tally_outcome(&tally) == RL_VOTE_FAILED;
	batch->op.is_begun = true;
	batch->end_at = rl_time_later(now, batch->limit_ns);
	for (unsigned i = 0; i < tally.members; i++) {
		bool is_spared = !asks_all && is_backed_off(batch, node_of(batch, i, 0), now);
		if (is_spared || !needs_lookup(batch, i, now) || !begin_lookup(batch, i, now)) {
			add_lanes(batch, i, !asks_all, now);
		}
	}
}

/* ---- the outcome ---- */

static unsigned count_bits(unsigned mask)
{
	unsigned count = 0;
	for (; mask != 0; mask &= mask - 1) {
		count++;
	}
	return count;
}

/* The outcome for one lease. A member from which no more answers will arrive has failed. */
static rl_vote outcome_of(const rl_release_batch *batch, size_t index)
{
	const rl_batch_votes *votes = &batch->votes[index];
	rl_tally tally = {
		.members = members_of(batch), .granted = votes->freed, .refused = votes->refused};
	tally.failed = tally.members - tally.granted - tally.refused - count_bits(votes->open);
	return rl_tally_outcome(&tally);
}

static void judge(rl_release_batch *batch)
{
	rl_stats *stats = rl_env_stats(batch->op.call.env);
	for (size_t i = 0; i < batch->count; i++) {
		rl_lease *lease = batch->leases[i];
		switch (outcome_of(batch, i)) {
			case RL_VOTE_GRANTED:
				rl_lease_end(lease);
				rl_stats_add(&stats->released, 1);
				break;
			case RL_VOTE_REFUSED:
				rl_lease_lose(lease);
				rl_stats_add(&stats->not_released, 1);
				break;
			case RL_VOTE_OPEN: /* the time is over */
			case RL_VOTE_FAILED:
				rl_stats_add(&stats->failed, 1);
				break;
		}
	}
}

unsigned rl_release_batch_missing(const rl_release_batch *batch, size_t index)
{
	rl_vote outcome = outcome_of(batch, index);
	bool is_decided = outcome == RL_VOTE_GRANTED || outcome == RL_VOTE_REFUSED;
	return is_decided ? 0 : ((1u << members_of(batch)) - 1) & ~batch->votes[index].done;
}

bool rl_release_batch_is_barred(rl_release_batch *batch, size_t index)
{
	unsigned members = members_of(batch);
	if (batch->votes[index].barred <= members - rl_quorum(members)) {
		return false;
	}
	rl_op_fail(&batch->op, "");
	return true;
}

/* ---- the operation ---- */

static bool is_answered_by_quorum(const rl_release_batch *batch)
{
	bool is_answered = true;
	for (size_t i = 0; i < batch->count; i++) {
		const rl_batch_votes *votes = &batch->votes[i];
		unsigned answers = (unsigned) votes->freed + votes->refused + votes->failed;
		is_answered = is_answered && answers >= rl_quorum(members_of(batch));
	}
	return is_answered;
}

static bool finish(rl_release_batch *batch, int64_t now)
{
	for (unsigned i = 0; i < batch->lane_count; i++) {
		rl_batch_lane_give_back(batch, batch->lanes[i], now);
	}
	batch->op.status = is_answered_by_quorum(batch) ? RL_OK : RL_ERR_TIMEOUT;
	judge(batch);
	return true;
}

/* No further answer can change the outcome for any lease. */
static bool is_decided(const rl_release_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		if (outcome_of(batch, i) == RL_VOTE_OPEN) {
			return false;
		}
	}
	return true;
}

static void step_member(rl_release_batch *batch, unsigned member, const rl_tick *tick)
{
	for (unsigned i = 0; i < batch->lane_count; i++) {
		if (batch->lanes[i]->member == member) {
			rl_batch_lane_step(batch, batch->lanes[i], tick);
		}
	}
}

/* A release goes to the first member in order last: see rl_order.h. */
static void step_members(rl_release_batch *batch, const rl_tick *tick)
{
	unsigned count = members_of(batch);
	unsigned char order[RL_MEMBERS_MAX];
	rl_order(batch->op.call.set, batch->leases[0]->names.key, order);
	for (unsigned i = 0; i < count; i++) {
		step_member(batch, order[(i + 1) % count], tick);
	}
}

static bool step(rl_op *op, const rl_tick *tick, rl_wait *wait)
{
	rl_release_batch *batch = (rl_release_batch *) op;
	if (!batch->op.is_begun) {
		begin(batch, tick->now);
	}
	/* Bounded: each lane is opened once, and a redirect, which may make a lane, is followed only a
	 * few times for each lease. */
	step_lookups(batch, tick);
	open_lanes(batch, tick->now);
	do {
		step_members(batch, tick);
	} while (open_lanes(batch, tick->now));
	if (is_decided(batch) || tick->seen >= batch->end_at) {
		return finish(batch, tick->now);
	}
	for (unsigned i = 0; i < members_of(batch); i++) {
		if (is_looking(batch, i)) {
			rl_lookup_add_to_wait(batch->lookups[i], wait);
		}
	}
	for (unsigned i = 0; i < batch->lane_count; i++) {
		rl_batch_lane *lane = batch->lanes[i];
		if (lane->state != RL_BATCH_OVER && lane->state != RL_BATCH_QUEUED) {
			rl_channel_add_to_wait(&lane->channel, wait, batch->end_at);
		}
	}
	return false;
}

static void abandon(rl_op *op, int64_t now)
{
	rl_release_batch *batch = (rl_release_batch *) op;
	bool has_any = false;
	for (unsigned i = 0; i < batch->lane_count; i++) {
		has_any = has_any || rl_channel_is_open(&batch->lanes[i]->channel);
	}
	for (unsigned i = 0; i < members_of(batch); i++) {
		has_any = has_any || is_looking(batch, i);
	}
	if (has_any) {
		finish(batch, now);
	}
}

static void drop(rl_op *op)
{
	rl_release_batch *batch = (rl_release_batch *) op;
	for (unsigned i = 0; i < batch->lane_count; i++) {
		rl_channel_close(&batch->lanes[i]->channel);
	}
}

static void clear(rl_op *op)
{
	rl_release_batch *batch = (rl_release_batch *) op;
	for (unsigned i = 0; i < batch->lane_count; i++) {
		rl_batch_lane_free(batch->lanes[i]);
	}
	free(batch->lanes);
	free(batch->votes);
}

static const rl_op_class batch_class = {
	.step = step, .abandon = abandon, .drop = drop, .clear = clear};

rl_op *rl_release_batch_new(rl_set *set, rl_pool *pool, const rl_env *env, rl_lease **leases,
	size_t count, int64_t limit_ns)
{
	char *unused;
	rl_release_batch *batch =
		rl_op_alloc(sizeof *batch, &batch_class, set, pool, env, rl_bytes_of("", 0), 0, &unused);
	rl_batch_votes *votes = calloc(count, sizeof *votes);
	if (batch == NULL || votes == NULL) {
		free(batch);
		free(votes);
		return NULL;
	}
	batch->leases = leases;
	batch->count = count;
	batch->votes = votes;
	batch->limit_ns = limit_ns;
	return &batch->op;
}
