/* SPDX-License-Identifier: MIT
 *
 * A release batch. The design is in the header.
 */
#include "core/lock/rl_release_batch.h"

#include "core/lock/rl_order.h"
#include "core/base/rl_time.h"
#include "core/base/rl_token.h"
#include "core/lock/rl_op_failure.h"

#include <stdlib.h>
#include <string.h>

static unsigned members_of(const rl_release_batch *batch)
{
	return batch->op.call.set->count;
}

static rl_target *target_of(const rl_release_batch *batch, unsigned at)
{
	return batch->op.call.set->members[at].target;
}

static bool is_answered(const rl_release_batch *batch, const rl_batch_member *member)
{
	return member->answered == batch->count;
}

/* Takes or dials a connection. False = there is none. */
static bool open_channel(rl_release_batch *batch, unsigned at, int64_t now)
{
	const rl_quorum_call *call = &batch->op.call;
	rl_batch_member *member = &batch->members[at];
	rl_target *target = target_of(batch, at);
	rl_error unused;
	member->no_helpers = member->no_helpers || !call->set->wakes;
	return rl_channel_take(
			   &member->channel, call->pool, target, RL_WANT_RELEASE_CHECKED, batch->end_at, now) ||
		rl_channel_dial(
			&member->channel, call->pool->transport, target, batch->end_at, call->env, &unused);
}

/* ---- sending ---- */

static rl_request request_of(
	const rl_release_batch *batch, const rl_batch_member *member, size_t index)
{
	const rl_lease *lease = batch->leases[index];
	return (rl_request){.verb = RL_VERB_RELEASE,
		.key = lease->names.key,
		.mark = lease->names.mark,
		.tickets = lease->names.tickets,
		.slot = lease->names.slot,
		.token = rl_lease_token(lease),
		.reserve_ms = rl_reservation_ms(members_of(batch), member->channel.conn->round_trip),
		.no_helpers = member->no_helpers,
		.as_text = true};
}

/* The lease, which is not before `answered`, was answered out of order. */
static bool was_heard(const rl_batch_member *member, size_t index)
{
	size_t ahead = index - member->answered;
	return ahead < 8 * sizeof member->heard && (member->heard >> ahead & 1U) != 0;
}

static size_t first_unheard(const rl_batch_member *member, size_t index)
{
	while (was_heard(member, index)) {
		index++;
	}
	return index;
}

/* Goes back to the first unanswered lease: all unanswered leases are sent again. */
static void start_again(rl_batch_member *member)
{
	member->next = member->answered;
	member->hearing = member->answered;
	member->state = RL_BATCH_GOING;
}

/* The next release may be written now. The release of a drawn token can free no other lock, so it
 * does not wait for the login (rl_quorum_call.h). */
static bool may_send(const rl_release_batch *batch, const rl_batch_member *member)
{
	return rl_channel_is_logged_in(&member->channel) ||
		rl_token_is_drawn(rl_lease_token(batch->leases[member->next]));
}

/* Writes as many releases as may be under way. False = out of memory. */
static bool send_some(rl_release_batch *batch, rl_batch_member *member, const rl_tick *tick)
{
	bool has_memory = true;
	while (has_memory && member->state == RL_BATCH_GOING && member->next < batch->count &&
		member->next - member->answered < RL_RELEASE_BATCH_WINDOW && may_send(batch, member)) {
		rl_request request = request_of(batch, member, member->next);
		has_memory = rl_channel_send(&member->channel, &request, RL_VERB_RELEASE);
		member->next = has_memory ? first_unheard(member, member->next + 1) : member->next;
		member->in_flight += has_memory;
	}
	rl_channel_flush(&member->channel, tick->now);
	return has_memory;
}

/* Writes the remaining releases, whose answers are not read. */
static void send_rest(rl_release_batch *batch, rl_batch_member *member)
{
	rl_conn *conn = member->channel.conn;
	bool has_room = rl_channel_is_connected(&member->channel);
	while (has_room && member->next < batch->count && may_send(batch, member)) {
		rl_request request = request_of(batch, member, member->next);
		has_room = rl_conn_send_blind(conn, &request);
		member->next = has_room ? first_unheard(member, member->next + 1) : member->next;
	}
}

/* A member does not allow the helper keys of a lease's lock, or of any. */
static bool is_without_helpers(const rl_release_batch *batch)
{
	bool is_without = !batch->op.call.set->wakes;
	for (unsigned i = 0; i < members_of(batch); i++) {
		const rl_batch_member *member = &batch->members[i];
		is_without = is_without || member->no_helpers || member->state == RL_BATCH_REDOING;
	}
	return is_without;
}

/* If a member does not allow the helper keys, unanswered releases are sent once more without them.
 * Not those of a caller's token: a second release could free another holder's lock with it. */
static void back_up_rest(rl_release_batch *batch, rl_batch_member *member)
{
	bool has_room = is_without_helpers(batch);
	for (size_t i = member->answered; i < member->next && has_room; i++) {
		rl_request request = request_of(batch, member, i);
		if (!request.no_helpers && !was_heard(member, i) && rl_token_is_drawn(request.token)) {
			request.no_helpers = true;
			has_room = rl_conn_send_blind(member->channel.conn, &request);
		}
	}
}

/* ---- answers ---- */

static void count_vote(rl_release_batch *batch, const rl_batch_member *member, size_t index,
	rl_vote vote, const rl_error *err)
{
	rl_batch_votes *votes = &batch->votes[index];
	unsigned at = (unsigned) (member - batch->members);
	bool is_barred = vote == RL_VOTE_FAILED && rl_error_is_final(err);
	votes->freed = (unsigned char) (votes->freed + (vote == RL_VOTE_GRANTED));
	votes->refused = (unsigned char) (votes->refused + (vote == RL_VOTE_REFUSED));
	votes->failed = (unsigned char) (votes->failed + (vote == RL_VOTE_FAILED));
	votes->barred = (unsigned char) (votes->barred + is_barred);
	if (vote != RL_VOTE_FAILED || is_barred) {
		votes->done = (unsigned short) (votes->done | 1u << at);
	}
	if (is_barred) {
		rl_quorum_call_note_failure(&batch->op.call, at, err);
	}
}

static void note_vote(rl_release_batch *batch, rl_batch_member *member, size_t index, rl_vote vote,
	const rl_error *err)
{
	/* If a lock that was ours is gone at the second release, the first one has freed it. */
	bool may_be_heard = index < member->sent_before && rl_lease_is_held(batch->leases[index]);
	if (vote == RL_VOTE_REFUSED && may_be_heard) {
		vote = RL_VOTE_GRANTED;
	} else if (vote == RL_VOTE_FAILED && strcmp(err->code, "WRONGTYPE") == 0) {
		vote = RL_VOTE_REFUSED; /* another client has the key */
	}
	count_vote(batch, member, index, vote, err);
	member->heard |= UINT64_C(1) << (index - member->answered);
	for (; (member->heard & 1U) != 0; member->heard >>= 1) {
		member->answered++;
	}
}

static void on_answer(rl_release_batch *batch, rl_batch_member *member, const rl_reply *reply)
{
	size_t index = member->hearing;
	rl_request request = request_of(batch, member, index);
	rl_answer answer;
	rl_error err;
	rl_bytes secret = rl_lease_token(batch->leases[index]);
	rl_command_read(&request, reply, &answer, &err, &secret, 1);
	member->hearing = first_unheard(member, index + 1);
	if (answer.again == RL_AGAIN_NO_HELPERS) {
		member->state = RL_BATCH_REDOING;
		bool is_new = !answer.is_for_every_key || rl_set_stop_waking(batch->op.call.set);
		rl_stats_add(&batch->op.call.env->stats->fallbacks, is_new);
	} else if (answer.vote == RL_VOTE_FAILED && rl_error_is_wrong_server(&err) &&
		!member->has_redone) {
		member->state = RL_BATCH_MISLED;
	} else {
		note_vote(batch, member, index, answer.vote, &err);
	}
}

/* Replaces a connection that broke, or whose server is a replica. There is no time to resolve the
 * name again: the new connection uses a known address. False = there is no other connection. */
static bool redo(rl_release_batch *batch, unsigned at, int64_t now)
{
	rl_batch_member *member = &batch->members[at];
	rl_channel_close(&member->channel);
	member->in_flight = 0;
	bool was_misled = member->state == RL_BATCH_MISLED;
	if (was_misled) {
		rl_pool_distrust(batch->op.call.pool, &target_of(batch, at)->address, now);
	}
	if (member->has_redone) {
		return false;
	}
	member->has_redone = true;
	member->sent_before = was_misled ? member->sent_before : member->next;
	start_again(member);
	return open_channel(batch, at, now);
}

/* Reads all that has arrived. False = the connection cannot be used any more. */
static bool read_all(rl_release_batch *batch, rl_batch_member *member)
{
	rl_conn_event event = {.type = RL_CONN_READY};
	while (event.type != RL_CONN_NONE && member->state != RL_BATCH_MISLED) {
		rl_channel_next(&member->channel, &event);
		if (event.type == RL_CONN_REPLY) {
			on_answer(batch, member, &event.reply);
			member->in_flight--;
		} else if (event.type == RL_CONN_DOWN || event.type == RL_CONN_REFUSED) {
			return false;
		}
	}
	return member->state != RL_BATCH_MISLED;
}

/* Sends and reads once. True = there is room for more. */
static bool go_on(rl_release_batch *batch, unsigned at, const rl_tick *tick)
{
	rl_batch_member *member = &batch->members[at];
	if (member->state == RL_BATCH_REDOING && member->in_flight == 0) {
		member->no_helpers = true;
		start_again(member);
	}
	bool has_memory = send_some(batch, member, tick);
	size_t before = member->in_flight;
	if (!read_all(batch, member)) {
		bool is_redone = redo(batch, at, tick->now);
		member->state = is_redone ? member->state : RL_BATCH_OVER;
		return is_redone;
	}
	if (is_answered(batch, member) || (!has_memory && member->in_flight == 0)) {
		member->state = RL_BATCH_OVER;
	}
	return member->state != RL_BATCH_OVER && member->in_flight < before;
}

static void step_member(rl_release_batch *batch, unsigned at, const rl_tick *tick)
{
	bool goes_on = batch->members[at].state != RL_BATCH_OVER;
	while (goes_on) {
		goes_on = go_on(batch, at, tick);
	}
}

/* ---- the operation ---- */

/* Opens the channels. A member that is backed off is asked only if the others cannot decide. */
static void begin(rl_release_batch *batch, int64_t now)
{
	rl_tally tally = {.members = members_of(batch)};
	bool is_backed_off[RL_MEMBERS_MAX];
	for (unsigned i = 0; i < tally.members; i++) {
		is_backed_off[i] = !rl_pool_is_worth_asking(
			batch->op.call.pool, target_of(batch, i), RL_WANT_RELEASE, now);
		tally.failed += is_backed_off[i];
	}
	bool asks_all = rl_tally_outcome(&tally) == RL_VOTE_FAILED;
	batch->op.is_begun = true;
	batch->end_at = rl_time_later(now, batch->limit_ns);
	for (unsigned i = 0; i < tally.members; i++) {
		bool is_open = (asks_all || !is_backed_off[i]) && open_channel(batch, i, now);
		batch->members[i].state = is_open ? RL_BATCH_GOING : RL_BATCH_OVER;
	}
}

/* The outcome for one lease. A member from which no more answers will arrive has failed. */
static rl_vote outcome_of(const rl_release_batch *batch, size_t index)
{
	const rl_batch_votes *votes = &batch->votes[index];
	rl_tally tally = {.members = members_of(batch),
		.granted = votes->freed,
		.refused = votes->refused,
		.failed = votes->failed};
	for (unsigned i = 0; i < tally.members; i++) {
		const rl_batch_member *member = &batch->members[i];
		bool has_answered = index < member->answered || was_heard(member, index);
		tally.failed += member->state == RL_BATCH_OVER && !has_answered;
	}
	return rl_tally_outcome(&tally);
}

static void judge(rl_release_batch *batch)
{
	rl_stats *stats = batch->op.call.env->stats;
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

static bool has_own_token(const rl_release_batch *batch)
{
	bool has_any = false;
	for (size_t i = 0; i < batch->count; i++) {
		has_any = has_any || batch->leases[i]->is_own_token;
	}
	return has_any;
}

static void give_back(rl_release_batch *batch, unsigned at, int64_t now)
{
	const rl_quorum_call *call = &batch->op.call;
	rl_batch_member *member = &batch->members[at];
	rl_channel *channel = &member->channel;
	if (!rl_channel_is_open(channel)) {
		return;
	}
	send_rest(batch, member);
	back_up_rest(batch, member);
	channel->conn->transport->flush(channel->conn->link);
	/* On a connection that is still connecting the releases are sent later. That is too late for a
	 * caller's token, which another holder may have by then. */
	bool is_late = !rl_channel_is_connected(channel) && has_own_token(batch);
	bool is_sent = member->next == batch->count && member->state != RL_BATCH_REDOING && !is_late;
	int64_t timeout = call->set->members[at].timeout_ns;
	int64_t patience = is_sent ? rl_set_unheard_patience(call->set, timeout) : 0;
	rl_giving giving = {.is_trusted = patience > 0 || is_answered(batch, member),
		.patience = patience,
		.may_send_later = true,
		.must_arrive = true};
	rl_channel_give_back(channel, call->pool, giving, now);
}

static bool finish(rl_release_batch *batch, int64_t now)
{
	unsigned answered = 0;
	for (unsigned i = 0; i < members_of(batch); i++) {
		answered += is_answered(batch, &batch->members[i]);
		give_back(batch, i, now);
	}
	batch->op.status = answered >= rl_quorum(members_of(batch)) ? RL_OK : RL_ERR_TIMEOUT;
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

static bool step(rl_op *op, const rl_tick *tick, rl_wait *wait)
{
	rl_release_batch *batch = (rl_release_batch *) op;
	unsigned count = members_of(batch);
	unsigned char order[RL_MEMBERS_MAX];
	if (!batch->op.is_begun) {
		begin(batch, tick->now);
	}
	/* A release goes to the first member in order last: see rl_order.h. */
	rl_order(batch->op.call.set, batch->leases[0]->names.key, order);
	for (unsigned i = 0; i < count; i++) {
		step_member(batch, order[(i + 1) % count], tick);
	}
	if (is_decided(batch) || tick->seen >= batch->end_at) {
		return finish(batch, tick->now);
	}
	for (unsigned i = 0; i < count; i++) {
		if (batch->members[i].state != RL_BATCH_OVER) {
			rl_channel_add_to_wait(&batch->members[i].channel, wait, batch->end_at);
		}
	}
	return false;
}

static void abandon(rl_op *op, int64_t now)
{
	rl_release_batch *batch = (rl_release_batch *) op;
	bool has_any = false;
	for (unsigned i = 0; i < members_of(batch); i++) {
		has_any = has_any || rl_channel_is_open(&batch->members[i].channel);
	}
	if (has_any) {
		finish(batch, now);
	}
}

static void drop(rl_op *op)
{
	rl_release_batch *batch = (rl_release_batch *) op;
	for (unsigned i = 0; i < members_of(batch); i++) {
		rl_channel_close(&batch->members[i].channel);
	}
}

static void clear(rl_op *op)
{
	free(((rl_release_batch *) op)->votes);
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
