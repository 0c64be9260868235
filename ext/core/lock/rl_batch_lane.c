/* SPDX-License-Identifier: MIT
 *
 * The lanes of a release batch: each sends the releases of its leases on one connection, and counts
 * the answers as votes.
 */
#include "core/lock/rl_batch_parts.h"

#include "core/base/rl_token.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 8

static bool is_answered(const rl_batch_lane *lane)
{
	return lane->answered == lane->count;
}

/* True = the lease at the position, which is not before `answered`, was answered out of order. */
static bool was_heard(const rl_batch_lane *lane, size_t position)
{
	size_t ahead = position - lane->answered;
	return ahead < 8 * sizeof lane->heard && (lane->heard >> ahead & 1U) != 0;
}

static size_t first_unheard(const rl_batch_lane *lane, size_t position)
{
	while (was_heard(lane, position)) {
		position++;
	}
	return position;
}

/* ---- making ---- */

static rl_batch_lane *new_lane(rl_release_batch *batch, unsigned member, rl_destination at)
{
	rl_batch_lane *lane = calloc(1, sizeof *lane);
	rl_batch_lane **grown = realloc(batch->lanes, (batch->lane_count + 1) * sizeof *batch->lanes);
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

rl_batch_lane *rl_batch_lane_for(rl_release_batch *batch, unsigned member, rl_destination at)
{
	for (unsigned i = 0; i < batch->lane_count; i++) {
		rl_batch_lane *lane = batch->lanes[i];
		if (lane->member == member && lane->at.is_asking == at.is_asking &&
			lane->state != RL_BATCH_OVER && rl_target_equal(lane->at.node, at.node)) {
			return lane;
		}
	}
	return new_lane(batch, member, at);
}

bool rl_batch_lane_add(rl_batch_lane *lane, size_t index)
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

void rl_batch_lane_free(rl_batch_lane *lane)
{
	rl_target_unref(lane->at.node);
	free(lane->list);
	free(lane);
}

/* No more answers will arrive on this lane. */
static void end_lane(rl_release_batch *batch, rl_batch_lane *lane)
{
	lane->state = RL_BATCH_OVER;
	for (size_t i = lane->answered; i < lane->count; i++) {
		if (!was_heard(lane, i)) {
			rl_batch_votes *votes = &batch->votes[rl_batch_lease(lane, i)];
			votes->open = (unsigned short) (votes->open & ~(1u << lane->member));
		}
	}
}

/* False = there is no connection. */
static bool open_channel(rl_release_batch *batch, rl_batch_lane *lane, int64_t now)
{
	const rl_quorum_call *call = &batch->op.call;
	rl_error unused;
	lane->no_helpers = lane->no_helpers || !call->set->wakes;
	return rl_channel_take(&lane->channel, call->pool, lane->at.node, RL_WANT_RELEASE_CHECKED,
			   batch->end_at, now) ||
		rl_channel_dial(&lane->channel, call->pool->transport, lane->at.node, batch->end_at,
			call->env, &unused);
}

void rl_batch_lane_open(rl_release_batch *batch, rl_batch_lane *lane, int64_t now)
{
	lane->state = RL_BATCH_GOING;
	if (!open_channel(batch, lane, now)) {
		end_lane(batch, lane);
	}
}

/* ---- sending ---- */

static rl_request request_of(
	const rl_release_batch *batch, const rl_batch_lane *lane, size_t position)
{
	const rl_lease *lease = batch->leases[rl_batch_lease(lane, position)];
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

/* Goes back to the first unanswered lease: all unanswered leases are sent again. */
static void start_again(rl_batch_lane *lane)
{
	lane->next = lane->answered;
	lane->hearing = lane->answered;
	lane->state = RL_BATCH_GOING;
}

/* The next release may be written now. The release of a drawn token can free no other lock, so it
 * does not wait for the login (rl_quorum_call.h). */
static bool may_send(const rl_release_batch *batch, const rl_batch_lane *lane)
{
	const rl_lease *lease = batch->leases[rl_batch_lease(lane, lane->next)];
	return rl_channel_is_logged_in(&lane->channel) || rl_token_is_drawn(rl_lease_token(lease));
}

/* Writes as many releases as may be under way. False = out of memory. */
static bool send_some(rl_release_batch *batch, rl_batch_lane *lane, const rl_tick *tick)
{
	bool has_memory = true;
	while (has_memory && lane->state == RL_BATCH_GOING && lane->next < lane->count &&
		lane->next - lane->answered < RL_RELEASE_BATCH_WINDOW && may_send(batch, lane)) {
		rl_request request = request_of(batch, lane, lane->next);
		has_memory = rl_channel_send(&lane->channel, &request, RL_VERB_RELEASE);
		lane->next = has_memory ? first_unheard(lane, lane->next + 1) : lane->next;
		lane->in_flight += has_memory;
	}
	rl_channel_flush(&lane->channel, tick->now);
	return has_memory;
}

/* Writes the remaining releases, whose answers are not read. */
static void send_rest(rl_release_batch *batch, rl_batch_lane *lane)
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
		const rl_batch_lane *lane = batch->lanes[i];
		is_without = is_without || lane->no_helpers || lane->state == RL_BATCH_REDOING;
	}
	return is_without;
}

/* If a member does not allow the helper keys, unanswered releases are sent once more without these
 * keys. The release of a caller's token is not sent again, because it could free another holder's
 * lock with the same token. */
static void back_up_rest(rl_release_batch *batch, rl_batch_lane *lane)
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

/* ---- answers ---- */

static void count_vote(rl_release_batch *batch, const rl_batch_lane *lane, size_t index,
	rl_vote vote, const rl_error *err)
{
	rl_batch_votes *votes = &batch->votes[index];
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
static void note_heard(rl_batch_lane *lane, size_t position)
{
	lane->heard |= UINT64_C(1) << (position - lane->answered);
	for (; (lane->heard & 1U) != 0; lane->heard >>= 1) {
		lane->answered++;
	}
}

static void note_vote(rl_release_batch *batch, rl_batch_lane *lane, size_t position, rl_vote vote,
	const rl_error *err)
{
	/* If the second release finds no lock where we had one, the first release has freed it. */
	size_t index = rl_batch_lease(lane, position);
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

static bool may_hop(const rl_release_batch *batch, const rl_batch_lane *lane, size_t position)
{
	return batch->votes[rl_batch_lease(lane, position)].hops < RL_HOPS_MAX;
}

/* The lease joins the lane of another node. False = that is impossible. */
static bool hop(rl_release_batch *batch, rl_batch_lane *lane, size_t position, rl_destination at)
{
	size_t index = rl_batch_lease(lane, position);
	rl_batch_lane *other = at.node != NULL ? rl_batch_lane_for(batch, lane->member, at) : NULL;
	if (other == NULL || other == lane || !rl_batch_lane_add(other, index)) {
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
	rl_release_batch *batch, rl_batch_lane *lane, size_t position, const rl_reply *reply)
{
	rl_route *route = rl_batch_member(batch, lane)->route;
	if (!may_hop(batch, lane, position) ||
		!hop(batch, lane, position, rl_route_follow_reply(route, reply, lane->at.node))) {
		return false;
	}
	rl_stats_add(&rl_env_stats(batch->op.call.env)->cluster_redirects, 1);
	return true;
}

/* An ASK was about commands of then. By now the slot may have moved to and fro, and after ASKING
 * the server would run a release although the other node has the key: the node of the slot is asked
 * again. */
static void return_to_slots(rl_release_batch *batch, rl_batch_lane *lane)
{
	bool has_moved = true;
	while (has_moved && lane->answered < lane->count && may_hop(batch, lane, lane->answered)) {
		const rl_lease *lease = batch->leases[rl_batch_lease(lane, lane->answered)];
		rl_target *node = rl_member_node(rl_batch_member(batch, lane), lease->names.slot);
		has_moved = hop(batch, lane, lane->answered, (rl_destination){.node = node});
	}
}

static void on_answer(rl_release_batch *batch, rl_batch_lane *lane, const rl_reply *reply)
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
		lane->state = RL_BATCH_REDOING;
		bool is_new = answer.again == RL_AGAIN_NO_HELPERS || rl_set_stop_waking(batch->op.call.set);
		rl_stats_add(&rl_env_stats(batch->op.call.env)->wake_failures, is_new);
	} else if (answer.vote == RL_VOTE_FAILED && rl_error_is_wrong_server(&err) &&
		!lane->has_redone) {
		lane->state = RL_BATCH_MISLED;
	} else {
		note_vote(batch, lane, position, answer.vote, &err);
	}
}

/* Replaces a connection that broke, or whose server is a replica. There is no time to resolve the
 * name again: the new connection uses a known address. False = there is no other connection. */
static bool redo(rl_release_batch *batch, rl_batch_lane *lane, int64_t now)
{
	rl_channel_close(&lane->channel);
	lane->in_flight = 0;
	bool was_misled = lane->state == RL_BATCH_MISLED;
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

/* Reads all that has arrived. False = the connection cannot be used any more. */
static bool read_all(rl_release_batch *batch, rl_batch_lane *lane)
{
	rl_conn_event event = {.type = RL_CONN_READY};
	while (event.type != RL_CONN_NONE && lane->state != RL_BATCH_MISLED) {
		rl_channel_next(&lane->channel, &event);
		if (event.type == RL_CONN_REPLY) {
			on_answer(batch, lane, &event.reply);
			lane->in_flight--;
		} else if (event.type == RL_CONN_DOWN || event.type == RL_CONN_REFUSED) {
			return false;
		}
	}
	return lane->state != RL_BATCH_MISLED;
}

/* Sends and reads once. True = there is room for more. */
static bool go_on(rl_release_batch *batch, rl_batch_lane *lane, const rl_tick *tick)
{
	if (lane->state == RL_BATCH_REDOING && lane->in_flight == 0) {
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
	return lane->state != RL_BATCH_OVER && (lane->in_flight < before || may_send_now);
}

void rl_batch_lane_step(rl_release_batch *batch, rl_batch_lane *lane, const rl_tick *tick)
{
	bool goes_on = lane->state != RL_BATCH_QUEUED && lane->state != RL_BATCH_OVER;
	while (goes_on) {
		goes_on = go_on(batch, lane, tick);
	}
}

/* ---- the end ---- */

static bool has_own_token(const rl_release_batch *batch)
{
	bool has_any = false;
	for (size_t i = 0; i < batch->count; i++) {
		has_any = has_any || batch->leases[i]->is_own_token;
	}
	return has_any;
}

void rl_batch_lane_give_back(rl_release_batch *batch, rl_batch_lane *lane, int64_t now)
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
	bool is_sent = lane->next == lane->count && lane->state != RL_BATCH_REDOING && !is_late;
	int64_t timeout = rl_batch_member(batch, lane)->timeout_ns;
	int64_t patience = is_sent ? rl_set_unheard_patience(call->set, timeout) : 0;
	rl_giving giving = {.is_trusted = patience > 0 || is_answered(lane),
		.patience = patience,
		.may_send_later = true,
		.must_arrive = true};
	rl_channel_give_back(channel, call->pool, giving, now);
}
