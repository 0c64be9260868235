/* SPDX-License-Identifier: MIT
 *
 * The token of an acquire and the name of its mark: drawing them, giving them up, and replacing a
 * drawn token by the caller's. The rules are at the top of rl_acquire_op.c.
 */
#include "core/lock/rl_acquire_parts.h"

bool rl_acquire_draw_token(rl_acquire *acquire)
{
	bool has_token = rl_token_draw(rl_acquire_call(acquire)->env, acquire->drawn) == RL_OK;
	acquire->op.status = has_token ? acquire->op.status : RL_ERR_RANDOM;
	return has_token;
}

void rl_acquire_use_token(rl_acquire *acquire, bool is_own)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	call->is_own_token = is_own;
	call->request.fresh = (rl_bytes){NULL, 0};
	acquire->token = is_own ? acquire->own.data : acquire->drawn;
	acquire->token_len = is_own ? acquire->own.len : acquire->drawn_len;
	call->request.token = rl_bytes_of(acquire->token, acquire->token_len);
}

bool rl_acquire_draw_name(rl_acquire *acquire)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	bool has_name = rl_token_draw(call->env, acquire->waiter) == RL_OK;
	acquire->op.status = has_name ? acquire->op.status : RL_ERR_RANDOM;
	acquire->waiter[2] = 'w'; /* no token has this form */
	call->request.waiter = rl_bytes_of(acquire->waiter, sizeof acquire->waiter);
	return has_name;
}

/* Releases a token that no client has: the release script also removes the name of the request. */
static void unmark_member(rl_quorum_call *call, unsigned index, int64_t now)
{
	const rl_member *server = &call->set->members[index];
	rl_channel channel = {0};
	rl_target *node = call->members[index].node; /* NULL = the primary was never found */
	if (node == NULL || !rl_channel_take(&channel, call->pool, node, RL_WANT_ANY, now, now)) {
		return;
	}
	rl_request request = call->request;
	request.verb = RL_VERB_RELEASE;
	request.token = request.waiter;
	request.is_asking = call->members[index].sent.is_asking;
	request.form = RL_FORM_TEXT;
	rl_conn_send_blind(channel.conn, &request);
	rl_channel_flush(&channel, now);
	rl_giving giving = {.is_trusted = true,
		.patience = rl_set_unheard_patience(call->set, server->timeout_ns),
		.may_send_later = true,
		.must_arrive = true}; /* an undo may precede it */
	rl_channel_give_back(&channel, call->pool, giving, now);
}

void rl_acquire_unmark(rl_acquire *acquire, int64_t now)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	for (unsigned i = 0; call->set->wakes && i < call->set->count; i++) {
		if ((acquire->marked >> i & 1U) != 0) {
			unmark_member(call, i, now);
		}
	}
	acquire->marked = 0;
}

rl_settlement rl_acquire_give_up_place(rl_acquire *acquire, int64_t now)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	rl_settlement left = rl_queue_leave(&acquire->queue, call, true, now);
	/* At the end of the wait there will be no mark of another place to protect from the try. */
	if (left.doubt == RL_DOUBT_GUARDED && !rl_acquire_is_last_try(acquire, now)) {
		rl_acquire_unmark(acquire, now);
		call->request.waiter = (rl_bytes){NULL, 0};
	}
	return left;
}

bool rl_acquire_replace_token(rl_acquire *acquire, const rl_tick *tick)
{
	acquire->is_maybe_ours = false;
	rl_acquire_give_up_place(acquire, tick->now); /* it has the same token */
	return rl_acquire_call(acquire)->is_own_token || rl_acquire_draw_token(acquire);
}

bool rl_acquire_settle(
	rl_acquire *acquire, rl_undo undo, const rl_tick *tick, rl_settlement *settlement)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	*settlement = rl_quorum_call_settle(call, undo, tick->now);
	if (settlement->was_undone) {
		return rl_acquire_replace_token(acquire, tick);
	}
	acquire->is_maybe_ours =
		acquire->is_maybe_ours || (settlement->doubt == RL_DOUBT_UNKNOWN && !call->is_own_token);
	return true;
}

static unsigned granting_members(const rl_quorum_call *call)
{
	unsigned members = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		members |= (unsigned) (call->members[i].vote == RL_VOTE_GRANTED) << i;
	}
	return members;
}

/* The drawn token has won, and the caller's token replaces it. */
static void begin_swap(rl_acquire *acquire, int64_t since, const rl_tick *tick)
{
	rl_quorum_call *call = rl_acquire_call(acquire);
	rl_queue_leave(&acquire->queue, call, false, tick->now);
	acquire->won_since = since;
	acquire->won_on = granting_members(call);
	acquire->phase = RL_ACQUIRE_SWAPPING;
	call->is_own_token = true;
	call->request.fresh = acquire->own;
	call->request.verb = RL_VERB_SWAP;
	rl_quorum_call_begin(call, RL_WANTED_DECISION, tick->now, rl_acquire_latest(acquire));
}

bool rl_acquire_win(rl_acquire *acquire, int64_t since, const rl_tick *tick)
{
	if (acquire->own.data == NULL || rl_acquire_call(acquire)->is_own_token) {
		return rl_acquire_finish(acquire, tick, RL_OK);
	}
	begin_swap(acquire, since, tick);
	return false;
}

const char *rl_acquire_fate(const rl_acquire *acquire, const rl_settlement *settlement)
{
	if (settlement->doubt == RL_DOUBT_UNKNOWN || acquire->is_maybe_ours) {
		return "; outcome unknown: if the lock was granted, it ends by its TTL";
	}
	return settlement->doubt == RL_DOUBT_GUARDED
		? "; if a server grants the lock later, the undo that follows releases it"
		: "";
}
