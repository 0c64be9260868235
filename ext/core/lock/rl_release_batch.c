/* SPDX-License-Identifier: MIT
 *
 * A release batch: the design, and the code in the order of time.
 *
 *     batch -- leases[count]      borrowed
 *           -- votes[count]       what the members have answered about each lease
 *           -- lanes[lane_count]  each has one connection, and sends the releases of its leases on
 *                                 it, in their order and at its own pace
 *
 * The releases are sent some at a time, as text, so that no NOSCRIPT costs another round trip. A
 * compare-and-delete may be repeated, so a connection that breaks is replaced once, and the
 * unanswered releases are sent again. The positions of a lane:
 *
 *     0 ..... answered ..... hearing ..... next ..... count
 *      answered      to be sent    in flight   to be sent
 *                      again
 *
 * Answers arrive in the order of the releases. But a release whose helper keys were refused stays
 * unanswered until it is sent again, so later leases may be answered before it: `heard` has a bit
 * for each of these.
 *
 * A member has one lane for all leases, or, where it has several nodes, one for the leases of each
 * node. A release that is redirected joins the lane of the other node. Behind Sentinels, the
 * primary is looked up first, if the last lookup is old: an old primary could carry out the
 * releases in vain.
 *
 * A lease is released when a quorum has freed it, and lost when refusals rule a quorum out. The
 * release batch is over when the votes have decided on each lease, no more answers can arrive, or
 * the time is over. Then the remaining releases are written, and their answers are not waited for.
 *
 * A release batch belongs to one thread. It owns its votes, lanes and connections, and ends those
 * leases for which the votes have decided. The lookups belong to the routes.
 */
#include "core/lock/rl_release_batch.h"

#include "core/base/rl_time.h"
#include "core/base/rl_token.h"
#include "core/lock/rl_op_failure.h"
#include "core/lock/rl_order.h"

#include <stdlib.h>
#include <string.h>

/* An operation can wait for this many links besides those to the Sentinels of each member. */
#define LANES_AT_ONCE (RL_WAIT_LINKS - RL_MEMBERS_MAX * RL_SENTINELS_MAX)

#define FIRST_ROOM 8

typedef enum lane_state {
	LANE_QUEUED, /* its connection is opened when another lane is over */
	LANE_GOING,  /* sends and reads */
	/* The helper keys were refused. When all answers under way have arrived, the unanswered leases
	 * are sent again without the helper keys. */
	LANE_REDOING,
	LANE_MISLED, /* the server is a replica */
	LANE_OVER,   /* no more answers will arrive */
} lane_state;

typedef struct batch_lane {
	lane_state state;
	unsigned member;
	rl_destination at; /* one reference */
	/* Owned. The indexes of its leases; NULL = all leases. */
	unsigned *list;
	size_t room; /* of the list */
	size_t count;
	rl_channel channel;
	/* The next three count its leases. */
	size_t next;     /* the lease to send next */
	size_t hearing;  /* the lease of the next answer */
	size_t answered; /* the first leases, without a gap */
	/* A bit for each lease after the first `answered` leases that was answered out of order. */
	uint64_t heard;
	size_t sent_before; /* leases sent on a broken connection */
	size_t in_flight;
	bool has_redone; /* the connection was replaced */
	bool no_helpers; /* releases without the helper keys */
} batch_lane;

/* What the members have answered about one lease. */
typedef struct batch_votes {
	unsigned char freed;
	unsigned char refused;
	unsigned char failed; /* answered with an error */
	unsigned char barred; /* of these: command not allowed */
	unsigned char hops;   /* redirects that were followed */
	/* The release was sent on a connection that broke, by a lane that the lease has left. */
	bool was_sent;
	/* A bit for each member that has freed or refused the lease, or does not allow the command. */
	unsigned short done;
	/* A bit for each member whose answer may still arrive. */
	unsigned short open;
} batch_votes;

struct rl_release_batch {
	rl_op op;          /* first, for casts from rl_op */
	rl_lease **leases; /* borrowed */
	size_t count;
	batch_votes *votes; /* owned; one for each lease */
	int64_t limit_ns;
	int64_t end_at;
	/* Owned, with each lane. */
	batch_lane **lanes;
	unsigned lane_count;
	/* Borrowed. The lookups of members whose primary is asked for first; these members get their
	 * lanes afterwards. */
	rl_lookup *lookups[RL_MEMBERS_MAX];
};

static unsigned members_of(const rl_release_batch *batch)
{
	return batch->op.call.set->count;
}

/* ---- lanes ---- */

static const rl_member *member_of(const rl_release_batch *batch, const batch_lane *lane)
{
	return &batch->op.call.set->members[lane->member];
}

/* The index of the lease at this position of the lane. */
static size_t index_at(const batch_lane *lane, size_t position)
{
	return lane->list == NULL ? position : lane->list[position];
}

static bool is_answered(const batch_lane *lane)
{
	return lane->answered == lane->count;
}

/* True = the lease at the position, which is not before `answered`, was answered out of order. */
static bool was_heard(const batch_lane *lane, size_t position)
{
	size_t ahead = position - lane->answered;
	return ahead < 8 * sizeof lane->heard && (lane->heard >> ahead & 1U) != 0;
}

static size_t first_unheard(const batch_lane *lane, size_t position)
{
	while (was_heard(lane, position)) {
		position++;
	}
	return position;
}

static batch_lane *new_lane(rl_release_batch *batch, unsigned member, rl_destination at)
{
	batch_lane *lane = calloc(1, sizeof *lane);
	batch_lane **grown = realloc(batch->lanes, (batch->lane_count + 1) * sizeof *batch->lanes);
	batch->lanes = grown != NULL ? grown : batch->lanes;
	if (lane == NULL || grown == NULL) {
		free(lane);
		return NULL;
	}
	lane->member = member;
	lane->at = at;
	rl_target_ref(at.node);
	grown[batch->lane_count++] = lane;
	return lane;
}

/* The lane for leases that go to this destination; makes a new one if need be. NULL when out of
 * memory. */
static batch_lane *lane_for(rl_release_batch *batch, unsigned member, rl_destination at)
{
	for (unsigned i = 0; i < batch->lane_count; i++) {
		batch_lane *lane = batch->lanes[i];
		if (lane->member == member && lane->at.is_asking == at.is_asking &&
			lane->state != LANE_OVER && rl_target_equal(lane->at.node, at.node)) {
			return lane;
		}
	}
	return new_lane(batch, member, at);
}

/* Appends a lease to a lane with a list. False when out of memory. */
static bool add_lease(batch_lane *lane, size_t index)
{
	if (lane->count == lane->room) {
		size_t room = lane->room == 0 ? FIRST_ROOM : 2 * lane->room;
		unsigned *grown = realloc(lane->list, room * sizeof *grown);
		if (grown == NULL) {
			return false;
		}
		lane->list = grown;
		lane->room = room;
	}
	lane->list[lane->count++] = (unsigned) index;
	return true;
}

/* No more answers will arrive on this lane. */
static void end_lane(rl_release_batch *batch, batch_lane *lane)
{
	lane->state = LANE_OVER;
	for (size_t i = lane->answered; i < lane->count; i++) {
		if (!was_heard(lane, i)) {
			batch_votes *votes = &batch->votes[index_at(lane, i)];
			votes->open = (unsigned short) (votes->open & ~(1u << lane->member));
		}
	}
}

/* False = there is no connection. */
static bool open_channel(rl_release_batch *batch, batch_lane *lane, int64_t now)
{
	const rl_quorum_call *call = &batch->op.call;
	rl_error unused;
	lane->no_helpers = lane->no_helpers || !call->set->wakes;
	return rl_channel_take(&lane->channel, call->pool, lane->at.node, RL_WANT_RELEASE_CHECKED,
			   batch->end_at, now) ||
		rl_channel_dial(&lane->channel, call->pool->transport, lane->at.node, batch->end_at,
			call->env, &unused);
}

static void open_lane(rl_release_batch *batch, batch_lane *lane, int64_t now)
{
	lane->state = LANE_GOING;
	if (!open_channel(batch, lane, now)) {
		end_lane(batch, lane);
	}
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
		batch_lane *lane = node != NULL ? lane_for(batch, member, at) : NULL;
		bool is_left_out =
			is_spared && lane != NULL && lane->count == 0 && is_backed_off(batch, node, now);
		bool is_added = lane != NULL && !is_left_out && (!has_nodes || add_lease(lane, i));
		if (is_added && !has_nodes) {
			lane->count = i + 1;
		}
		unsigned open = batch->votes[i].open & ~(1u << member);
		batch->votes[i].open = (unsigned short) (open | (unsigned) is_added << member);
	}
}

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

/* The lane has a connection, on which answers may arrive. */
static bool is_going(const batch_lane *lane)
{
	return lane->state != LANE_QUEUED && lane->state != LANE_OVER;
}

/* Opens as many lanes as the operation can wait for at once. True = it has opened a lane. */
static bool open_lanes(rl_release_batch *batch, int64_t now)
{
	bool has_opened = false;
	unsigned open = 0;
	for (unsigned i = 0; i < batch->lane_count; i++) {
		open += is_going(batch->lanes[i]);
	}
	for (unsigned i = 0; i < batch->lane_count && open < LANES_AT_ONCE; i++) {
		batch_lane *lane = batch->lanes[i];
		if (lane->state == LANE_QUEUED && lane->count > 0) {
			open_lane(batch, lane, now);
			open += lane->state != LANE_OVER;
			has_opened = true;
		}
	}
	return has_opened;
}

/* ---- sending ---- */

static rl_request request_of(const rl_release_batch *batch, const batch_lane *lane, size_t position)
{
	const rl_lease *lease = batch->leases[index_at(lane, position)];
	unsigned members = batch->op.call.set->count;
	return (rl_request){.verb = RL_VERB_RELEASE,
		.key = lease->names.key,
		.mark = lease->names.mark,
		.tickets = lease->names.tickets,
		.slot = lease->names.slot,
		.token = rl_lease_token(lease),
		.reserve_ms = rl_reservation_ms(members, lane->channel.conn->round_trip),
		.no_helpers = lane->no_helpers,
		.form = RL_FORM_TEXT,
		.is_asking = lane->at.is_asking};
}

/* The next release may be written now. The release of a drawn token can free no other lock, so it
 * does not wait for the login (rl_member_call.c). */
static bool may_send(const rl_release_batch *batch, const batch_lane *lane)
{
	const rl_lease *lease = batch->leases[index_at(lane, lane->next)];
	return rl_channel_is_logged_in(&lane->channel) || rl_token_is_drawn(rl_lease_token(lease));
}

/* Writes as many releases as may be under way. False = out of memory. */
static bool send_some(rl_release_batch *batch, batch_lane *lane, const rl_tick *tick)
{
	bool has_memory = true;
	while (has_memory && lane->state == LANE_GOING && lane->next < lane->count &&
		lane->next - lane->answered < RL_RELEASE_BATCH_WINDOW && may_send(batch, lane)) {
		rl_request request = request_of(batch, lane, lane->next);
		has_memory = rl_channel_send(&lane->channel, &request, RL_VERB_RELEASE);
		lane->next = has_memory ? first_unheard(lane, lane->next + 1) : lane->next;
		lane->in_flight += has_memory;
	}
	rl_channel_flush(&lane->channel, tick->now);
	return has_memory;
}

/* ---- answers ---- */

static void count_vote(rl_release_batch *batch, const batch_lane *lane, size_t index, rl_vote vote,
	const rl_error *err)
{
	batch_votes *votes = &batch->votes[index];
	unsigned bit = 1u << lane->member;
	bool is_barred = vote == RL_VOTE_FAILED && rl_error_is_final(err);
	votes->freed = (unsigned char) (votes->freed + (vote == RL_VOTE_GRANTED));
	votes->refused = (unsigned char) (votes->refused + (vote == RL_VOTE_REFUSED));
	votes->failed = (unsigned char) (votes->failed + (vote == RL_VOTE_FAILED));
	votes->barred = (unsigned char) (votes->barred + is_barred);
	votes->open = (unsigned short) (votes->open & ~bit);
	if (vote != RL_VOTE_FAILED || is_barred) {
		votes->done = (unsigned short) (votes->done | bit);
	}
	if (is_barred) {
		rl_quorum_call_note_failure(&batch->op.call, lane->member, err);
	}
}

/* The lease at the position needs nothing more on this lane. */
static void note_heard(batch_lane *lane, size_t position)
{
	lane->heard |= UINT64_C(1) << (position - lane->answered);
	for (; (lane->heard & 1U) != 0; lane->heard >>= 1) {
		lane->answered++;
	}
}

static void note_vote(
	rl_release_batch *batch, batch_lane *lane, size_t position, rl_vote vote, const rl_error *err)
{
	/* If the second release finds no lock where we had one, the first release has freed it. */
	size_t index = index_at(lane, position);
	bool may_be_heard = (position < lane->sent_before || batch->votes[index].was_sent) &&
		rl_lease_is_held(batch->leases[index]);
	if (vote == RL_VOTE_REFUSED && may_be_heard) {
		vote = RL_VOTE_GRANTED;
	} else if (vote == RL_VOTE_FAILED && strcmp(err->code, "WRONGTYPE") == 0) {
		vote = RL_VOTE_REFUSED; /* another client has the key */
	}
	count_vote(batch, lane, index, vote, err);
	note_heard(lane, position);
}

static bool may_hop(const rl_release_batch *batch, const batch_lane *lane, size_t position)
{
	return batch->votes[index_at(lane, position)].hops < RL_HOPS_MAX;
}

/* The lease joins the lane of another node. False = that is impossible. */
static bool hop(rl_release_batch *batch, batch_lane *lane, size_t position, rl_destination at)
{
	size_t index = index_at(lane, position);
	batch_lane *other = at.node != NULL ? lane_for(batch, lane->member, at) : NULL;
	if (other == NULL || other == lane || !add_lease(other, index)) {
		return false;
	}
	batch->votes[index].hops++;
	batch->votes[index].was_sent |= position < lane->sent_before;
	note_heard(lane, position);
	return true;
}

/* If the reply is a redirect, the lease joins the lane of the other node. False = the reply is no
 * redirect, or the release cannot be sent there. */
static bool follow(
	rl_release_batch *batch, batch_lane *lane, size_t position, const rl_reply *reply)
{
	rl_route *route = member_of(batch, lane)->route;
	if (!may_hop(batch, lane, position) ||
		!hop(batch, lane, position, rl_route_follow_reply(route, reply, lane->at.node))) {
		return false;
	}
	rl_stats_add(&rl_env_stats(batch->op.call.env)->cluster_redirects, 1);
	return true;
}

static void on_answer(rl_release_batch *batch, batch_lane *lane, const rl_reply *reply)
{
	size_t position = lane->hearing;
	rl_request request = request_of(batch, lane, position);
	rl_answer answer;
	rl_error err;
	rl_answer_read(&request, reply, &answer, &err, &request.token, 1);
	lane->hearing = first_unheard(lane, position + 1);
	if (answer.vote == RL_VOTE_FAILED && follow(batch, lane, position, reply)) {
		return;
	}
	if (rl_again_is_without_helpers(answer.again)) {
		lane->state = LANE_REDOING;
		bool is_new = answer.again == RL_AGAIN_NO_HELPERS || rl_set_stop_waking(batch->op.call.set);
		rl_stats_add(&rl_env_stats(batch->op.call.env)->wake_failures, is_new);
	} else if (answer.vote == RL_VOTE_FAILED && rl_error_is_wrong_server(&err) &&
		!lane->has_redone) {
		lane->state = LANE_MISLED;
	} else {
		note_vote(batch, lane, position, answer.vote, &err);
	}
}

/* Reads all that has arrived. False = the connection cannot be used any more. */
static bool read_all(rl_release_batch *batch, batch_lane *lane)
{
	rl_conn_event event = {.type = RL_CONN_READY};
	while (event.type != RL_CONN_NONE && lane->state != LANE_MISLED) {
		rl_channel_next(&lane->channel, &event);
		if (event.type == RL_CONN_REPLY) {
			on_answer(batch, lane, &event.reply);
			lane->in_flight--;
		} else if (event.type == RL_CONN_DOWN || event.type == RL_CONN_REFUSED) {
			return false;
		}
	}
	return lane->state != LANE_MISLED;
}

/* ---- the connection breaks ---- */

/* An ASK was about commands of then. By now the slot may have moved to and fro, and after ASKING
 * the server would run a release although the other node has the key: the node of the slot is asked
 * again. */
static void return_to_slots(rl_release_batch *batch, batch_lane *lane)
{
	bool has_moved = true;
	while (has_moved && lane->answered < lane->count && may_hop(batch, lane, lane->answered)) {
		const rl_lease *lease = batch->leases[index_at(lane, lane->answered)];
		rl_target *node = rl_member_node(member_of(batch, lane), lease->names.slot);
		has_moved = hop(batch, lane, lane->answered, (rl_destination){.node = node});
	}
}

/* Goes back to the first unanswered lease: all unanswered leases are sent again. */
static void start_again(batch_lane *lane)
{
	lane->next = lane->answered;
	lane->hearing = lane->answered;
	lane->state = LANE_GOING;
}

/* Replaces a connection that broke, or whose server is a replica. There is no time to resolve the
 * name again: the new connection uses a known address. False = there is no other connection. */
static bool redo(rl_release_batch *batch, batch_lane *lane, int64_t now)
{
	rl_channel_close(&lane->channel);
	lane->in_flight = 0;
	bool was_misled = lane->state == LANE_MISLED;
	if (was_misled) {
		rl_pool_distrust(batch->op.call.pool, &lane->at.node->address, now);
	}
	lane->sent_before = was_misled ? lane->sent_before : lane->next;
	if (lane->at.is_asking) {
		return_to_slots(batch, lane);
	}
	if (lane->has_redone || lane->at.is_asking) {
		return false;
	}
	lane->has_redone = true;
	start_again(lane);
	return open_channel(batch, lane, now);
}

/* ---- stepping ---- */

/* Sends and reads once. True = there is room for more. */
static bool go_on(rl_release_batch *batch, batch_lane *lane, const rl_tick *tick)
{
	if (lane->state == LANE_REDOING && lane->in_flight == 0) {
		lane->no_helpers = true;
		start_again(lane);
	}
	bool has_memory = send_some(batch, lane, tick);
	size_t before = lane->in_flight;
	bool was_logged_in = rl_channel_is_logged_in(&lane->channel);
	if (!read_all(batch, lane)) {
		bool is_redone = redo(batch, lane, tick->now);
		if (!is_redone) {
			end_lane(batch, lane);
		}
		return is_redone;
	}
	if (is_answered(lane) || (!has_memory && lane->in_flight == 0)) {
		end_lane(batch, lane);
	}
	bool may_send_now = !was_logged_in && rl_channel_is_logged_in(&lane->channel);
	return lane->state != LANE_OVER && (lane->in_flight < before || may_send_now);
}

static void step_lane(rl_release_batch *batch, batch_lane *lane, const rl_tick *tick)
{
	bool goes_on = is_going(lane);
	while (goes_on) {
		goes_on = go_on(batch, lane, tick);
	}
}

static void step_member(rl_release_batch *batch, unsigned member, const rl_tick *tick)
{
	for (unsigned i = 0; i < batch->lane_count; i++) {
		if (batch->lanes[i]->member == member) {
			step_lane(batch, batch->lanes[i], tick);
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
	const batch_votes *votes = &batch->votes[index];
	rl_tally tally = {
		.members = members_of(batch), .granted = votes->freed, .refused = votes->refused};
	tally.failed = tally.members - tally.granted - tally.refused - count_bits(votes->open);
	return rl_tally_outcome(&tally);
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

static bool is_answered_by_quorum(const rl_release_batch *batch)
{
	bool is_answered = true;
	for (size_t i = 0; i < batch->count; i++) {
		const batch_votes *votes = &batch->votes[i];
		unsigned answers = (unsigned) votes->freed + votes->refused + votes->failed;
		is_answered = is_answered && answers >= rl_quorum(members_of(batch));
	}
	return is_answered;
}

/* ---- the end ---- */

/* Writes the remaining releases, whose answers are not read. */
static void send_rest(rl_release_batch *batch, batch_lane *lane)
{
	rl_conn *conn = lane->channel.conn;
	bool has_room = rl_channel_is_connected(&lane->channel);
	while (has_room && lane->next < lane->count && may_send(batch, lane)) {
		rl_request request = request_of(batch, lane, lane->next);
		has_room = rl_conn_send_blind(conn, &request);
		lane->next = has_room ? first_unheard(lane, lane->next + 1) : lane->next;
	}
}

/* True = a member does not allow the helper keys of some lease's lock, or of any lock. */
static bool is_without_helpers(const rl_release_batch *batch)
{
	bool is_without = !batch->op.call.set->wakes;
	for (unsigned i = 0; i < batch->lane_count; i++) {
		const batch_lane *lane = batch->lanes[i];
		is_without = is_without || lane->no_helpers || lane->state == LANE_REDOING;
	}
	return is_without;
}

/* If a member does not allow the helper keys, unanswered releases are sent once more without these
 * keys. The release of a caller's token is not sent again, because it could free another holder's
 * lock with the same token. */
static void back_up_rest(rl_release_batch *batch, batch_lane *lane)
{
	bool has_room = is_without_helpers(batch);
	for (size_t i = lane->answered; i < lane->next && has_room; i++) {
		rl_request request = request_of(batch, lane, i);
		if (!request.no_helpers && !was_heard(lane, i) && rl_token_is_drawn(request.token)) {
			request.no_helpers = true;
			has_room = rl_conn_send_blind(lane->channel.conn, &request);
		}
	}
}

static bool has_own_token(const rl_release_batch *batch)
{
	bool has_any = false;
	for (size_t i = 0; i < batch->count; i++) {
		has_any = has_any || batch->leases[i]->is_own_token;
	}
	return has_any;
}

/* Writes the remaining releases, and gives the connection back. */
static void give_back(rl_release_batch *batch, batch_lane *lane, int64_t now)
{
	const rl_quorum_call *call = &batch->op.call;
	rl_channel *channel = &lane->channel;
	if (!rl_channel_is_open(channel)) {
		return;
	}
	send_rest(batch, lane);
	back_up_rest(batch, lane);
	channel->conn->transport->flush(channel->conn->link);
	/* On a connection that is still connecting the releases are sent later. That is too late for a
	 * caller's token, which another holder may have by then. */
	bool is_late = !rl_channel_is_connected(channel) && has_own_token(batch);
	bool is_sent = lane->next == lane->count && lane->state != LANE_REDOING && !is_late;
	int64_t timeout = member_of(batch, lane)->timeout_ns;
	int64_t patience = is_sent ? rl_set_unheard_patience(call->set, timeout) : 0;
	rl_giving giving = {.is_trusted = patience > 0 || is_answered(lane),
		.patience = patience,
		.may_send_later = true,
		.must_arrive = true};
	rl_channel_give_back(channel, call->pool, giving, now);
}

static bool finish(rl_release_batch *batch, int64_t now)
{
	for (unsigned i = 0; i < batch->lane_count; i++) {
		give_back(batch, batch->lanes[i], now);
	}
	batch->op.status = is_answered_by_quorum(batch) ? RL_OK : RL_ERR_TIMEOUT;
	judge(batch);
	return true;
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
		if (batch->lookups[i] != NULL) {
			rl_lookup_add_to_wait(batch->lookups[i], wait);
		}
	}
	for (unsigned i = 0; i < batch->lane_count; i++) {
		if (is_going(batch->lanes[i])) {
			rl_channel_add_to_wait(&batch->lanes[i]->channel, wait, batch->end_at);
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
		has_any = has_any || batch->lookups[i] != NULL;
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
		rl_target_unref(batch->lanes[i]->at.node);
		free(batch->lanes[i]->list);
		free(batch->lanes[i]);
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
	batch_votes *votes = calloc(count, sizeof *votes);
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
