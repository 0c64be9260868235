/* SPDX-License-Identifier: MIT */
#include "core/lock/rl_plain.h"

#include "core/base/rl_token.h"
#include "core/lock/rl_op_failure.h"

#include <string.h>

typedef struct rl_plain {
	rl_op op; /* first, for casts from rl_op */
	rl_wanted wanted;
	bool is_leased;
	/* SWAP: a member may have request.fresh now or later. The swap was unanswered when the swap
	 * back was written, or the swap back could not be written. */
	bool must_swap_back;
	int64_t late_ns;
} rl_plain;

static rl_settlement settle_ask(rl_op *op, bool is_undo, int64_t now)
{
	rl_quorum_call *call = &op->call;
	rl_settlement settlement =
		rl_quorum_call_settle(call, is_undo ? RL_UNDO_ALL : RL_UNDO_NOTHING, now);
	/* An undo after an answered swap will be carried out. An undo after an unanswered swap may be
	 * lost, and the swap carried out. */
	((rl_plain *) op)->must_swap_back =
		is_undo && call->terms.request.verb == RL_VERB_SWAP && settlement.doubt >= RL_DOUBT_GUARDED;
	return settlement;
}

static void count_ask(const rl_op *op)
{
	rl_stats *stats = rl_env_stats(op->call.terms.env);
	bool is_yes = op->status == RL_OK;
	if (op->status != RL_OK && op->status != RL_BUSY) {
		rl_stats_add(&stats->failed, 1);
		return;
	}
	switch (op->call.terms.request.verb) {
		case RL_VERB_RELEASE:
			rl_stats_add(is_yes ? &stats->released : &stats->not_released, 1);
			break;
		case RL_VERB_EXTEND:
			rl_stats_add(is_yes ? &stats->extended : &stats->not_extended, 1);
			break;
		case RL_VERB_SWAP:
			rl_stats_add(is_yes ? &stats->acquired : &stats->refused, 1);
			break;
		case RL_VERB_SET:
		case RL_VERB_TRY:
		case RL_VERB_PROBE:
		case RL_VERB_BLPOP:
		case RL_VERB_RENEW:
		case RL_VERB_FORCE:
		case RL_VERB_EXISTS:
		case RL_VERB_OWNER:
		case RL_VERB_INSPECT:
		case RL_VERB_REMAINING:
		case RL_VERB_SCAN:
		case RL_VERB_FENCE:
			break;
	}
}

/* A take-over fails if its proof is over already. */
static bool is_too_slow(rl_op *op, const rl_tick *tick)
{
	const rl_quorum_call *call = &op->call;
	int64_t ttl = call->terms.request.ttl_ms * RL_NS_PER_MS;
	int64_t sent_at = rl_quorum_call_sent_at(call);
	if (call->terms.request.verb != RL_VERB_SWAP ||
		tick->now < sent_at + ttl - rl_set_drift(call->terms.set, ttl)) {
		return false;
	}
	int64_t after_ms = (tick->now - sent_at + RL_NS_PER_MS / 2) / RL_NS_PER_MS;
	char after[RL_SECONDS_TEXT];
	char ttl_text[RL_SECONDS_TEXT];
	rl_op_fail_with(op, RL_ERR_SLOW,
		"too slow: the lock was taken over after %s s, which leaves nothing of its TTL of %s s",
		rl_seconds_text(after_ms * RL_NS_PER_MS, after), rl_seconds_text(ttl, ttl_text));
	return true;
}

/* After the first round of a FENCE: the greatest number of the quorum that has granted is the
 * result. It has to be on a quorum, so that the quorum of each later holder has a member with this
 * number or a greater one: unless it is there already, as on a single server, it is written back.
 * @return true = the second round has begun */
static bool begin_write_back(rl_op *op, const rl_tick *tick)
{
	rl_quorum_call *call = &op->call;
	if (call->terms.request.verb != RL_VERB_FENCE || call->terms.request.fence_number != 0) {
		return false;
	}
	unsigned holders;
	call->terms.request.fence_number = rl_quorum_call_greatest(call, &holders);
	if (holders >= rl_quorum(call->terms.set->count)) {
		return false;
	}
	rl_quorum_call_settle(call, RL_UNDO_NOTHING, tick->now);
	rl_quorum_call_begin(call, RL_WANTED_DECISION, tick->now, RL_NEVER);
	return true;
}

static bool step(rl_op *op, const rl_tick *tick, rl_wait *wait)
{
	const rl_plain *plain = (const rl_plain *) op;
	rl_quorum_call *call = &op->call;
	rl_verb verb = call->terms.request.verb;
	if (op->status != RL_OK) {
		rl_op_fail_with(op, RL_ERR_RANDOM, "the system returned no random bytes for a token");
		count_ask(op);
		return true;
	}
	if (!op->is_begun) {
		op->is_begun = true;
		rl_quorum_call_begin(call, plain->wanted, tick->now, RL_NEVER);
	}
	rl_vote outcome = rl_quorum_call_step(call, tick, wait);
	if (outcome == RL_VOTE_GRANTED && begin_write_back(op, tick)) {
		outcome = rl_quorum_call_step(call, tick, wait);
	}
	if (outcome == RL_VOTE_OPEN) {
		return false;
	}
	op->status = outcome == RL_VOTE_REFUSED ? RL_BUSY : RL_OK;
	/* A lock that only a minority has extended or swapped is of no use to any client. */
	bool is_below = (outcome == RL_VOTE_REFUSED && verb == RL_VERB_EXTEND && !plain->is_leased) ||
		(outcome != RL_VOTE_GRANTED && verb == RL_VERB_SWAP);
	bool is_vain = outcome == RL_VOTE_GRANTED && is_too_slow(op, tick);
	rl_settlement settlement = settle_ask(op, is_below || is_vain, tick->now);
	if (outcome == RL_VOTE_FAILED && !rl_quorum_call_has_released(call)) {
		rl_op_fail_settled(op, &settlement);
	}
	count_ask(op);
	return true;
}

void rl_plain_undo(rl_op *op, int64_t now)
{
	rl_quorum_call_hold(&op->call, false, now);
	rl_quorum_call_settle(&op->call, RL_UNDO_ALL, now);
}

static void abandon(rl_op *op, int64_t now)
{
	settle_ask(op, op->call.terms.request.verb == RL_VERB_SWAP, now);
}

/* An unanswered swap may still be carried out, so "not ours" does not end its late release. */
static bool leaves(const rl_op *op, rl_late_release *late)
{
	const rl_plain *plain = (const rl_plain *) op;
	const rl_quorum_call *call = &op->call;
	unsigned missing = plain->late_ns > 0 ? rl_quorum_call_missing(call) : 0;
	if (missing == 0 && !plain->must_swap_back) {
		return false;
	}
	*late = (rl_late_release){.set = call->terms.set,
		.key = op->lock,
		.permits = call->terms.request.permits,
		.permit = call->terms.request.key,
		.token = call->terms.request.token,
		.members = missing,
		.ttl_ns = plain->late_ns,
		.done_ms = call->terms.request.done_ms};
	if (plain->must_swap_back) {
		late->token = call->terms.request.fresh;
		late->back = call->terms.request.token;
		late->members = late->strays = rl_late_all(call->terms.set);
		late->ttl_ns = call->terms.request.ttl_ms * RL_NS_PER_MS;
	}
	return true;
}

/* A take-over may leave a fresh token that only this process knows: the given token is put back. A
 * release is completed. No other verb leaves anything that the process has to undo. */
static bool may_hold(const rl_op *op, int64_t now, rl_late_release *late)
{
	(void) now;
	const rl_quorum_call *call = &op->call;
	bool is_swap = call->terms.request.verb == RL_VERB_SWAP;
	unsigned all = rl_late_all(call->terms.set);
	*late = (rl_late_release){.set = call->terms.set,
		.key = op->lock,
		.permits = call->terms.request.permits,
		.permit = call->terms.request.key,
		.token = is_swap ? call->terms.request.fresh : call->terms.request.token,
		.back = is_swap ? call->terms.request.token : (rl_bytes){NULL, 0},
		.members = all,
		.strays = is_swap ? all : 0,
		.ttl_ns = RL_LATE_LAST_NS,
		.done_ms = call->terms.request.done_ms};
	return is_swap || ((const rl_plain *) op)->late_ns > 0;
}

static const rl_op_class plain_class = {
	.step = step, .abandon = abandon, .leaves = leaves, .may_hold = may_hold};

rl_op *rl_plain_new(rl_set *set, rl_pool *pool, const rl_env *env, const rl_plain_args *args)
{
	char *token;
	size_t fence_size = args->verb == RL_VERB_FENCE ? rl_names_fence_size(args->key.len) : 0;
	rl_plain *plain = rl_op_alloc(sizeof *plain, &plain_class, set, pool, env, args->key,
		args->token.len + fence_size + args->permit.len, &token);
	if (plain == NULL) {
		return NULL;
	}
	if (args->token.len > 0) {
		memcpy(token, args->token.data, args->token.len);
	}
	rl_quorum_call *call = &plain->op.call;
	bool is_about_all = args->verb == RL_VERB_REMAINING || args->verb == RL_VERB_INSPECT;
	plain->wanted = args->verb == RL_VERB_FORCE ? RL_WANTED_ALL
		: is_about_all                          ? RL_WANTED_SOON
												: args->wanted;
	plain->late_ns = args->late_ns;
	plain->is_leased = args->is_leased;
	call->terms.was_held = args->was_held;
	call->terms.request.verb = args->verb;
	call->terms.request.token = rl_bytes_of(token, args->token.len);
	call->terms.request.ttl_ms = args->ttl_ms;
	call->terms.request.done_ms = args->done_ms;
	if (args->permit.len > 0) {
		rl_op_set_permit(
			&plain->op, token + args->token.len + fence_size, args->permit, args->permits);
	}
	if (fence_size > 0) {
		call->terms.request.fence =
			rl_names_put_fence(token + args->token.len, args->key, set->naming);
	}
	return &plain->op;
}

rl_op *rl_take_over_new(
	rl_set *set, rl_pool *pool, const rl_env *env, rl_bytes key, rl_bytes token, int64_t ttl_ms)
{
	char *tokens;
	const rl_label *label = rl_label_or(&set->label, env->label);
	size_t fresh_len = rl_token_len(label);
	rl_plain *plain = rl_op_alloc(
		sizeof *plain, &plain_class, set, pool, env, key, fresh_len + token.len, &tokens);
	if (plain == NULL) {
		return NULL;
	}
	memcpy(tokens + fresh_len, token.data, token.len);
	rl_token_put_label(tokens, label);
	rl_quorum_call *call = &plain->op.call;
	plain->wanted = RL_WANTED_SOON; /* slow members must swap, too */
	plain->op.status = rl_token_draw(env, tokens);
	call->terms.request.verb = RL_VERB_SWAP;
	call->terms.request.token = rl_bytes_of(tokens + fresh_len, token.len);
	call->terms.request.fresh = rl_bytes_of(tokens, fresh_len);
	call->terms.request.ttl_ms = ttl_ms;
	return &plain->op;
}
