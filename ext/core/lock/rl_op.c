/* SPDX-License-Identifier: MIT
 *
 * What all operations share, and the plain ones: a verb is one quorum call, its outcome the result.
 */
#include "core/lock/rl_op.h"

#include "core/lock/rl_release_batch.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t aligned(size_t size)
{
	size_t unit = alignof(max_align_t);
	return (size + unit - 1) / unit * unit;
}

void *rl_op_alloc(size_t size, const rl_set *set, rl_pool *pool, const rl_env *env, rl_bytes key,
	size_t token_room, char **token)
{
	size_t seats_at = aligned(size);
	size_t order_at = seats_at + set->count * sizeof(rl_member_call);
	size_t key_at = order_at + set->count;
	/* Not by calloc: glibc's malloc is quicker. */
	size_t names_size = rl_names_size(key.len);
	char *block = malloc(key_at + names_size + token_room);
	if (block == NULL) {
		return NULL;
	}
	memset(block, 0, key_at);
	rl_op *op = (rl_op *) (void *) block;
	rl_names names = rl_names_put(block + key_at, key);
	*token = block + key_at + names_size;
	op->call = (rl_quorum_call){.set = set,
		.pool = pool,
		.env = env,
		.members = (rl_member_call *) (void *) (block + seats_at),
		.order = (unsigned char *) block + order_at,
		.request = {.key = names.key, .mark = names.mark, .tickets = names.tickets}};
	return block;
}

/* The error to write into: memory of its own, or a member call's when there is none, so that even then the reason
 * is told. */
static rl_error *error_memory(rl_op *op, rl_error *instead)
{
	if (op->own_err == NULL) {
		op->own_err = malloc(sizeof *op->own_err);
	}
	return op->own_err != NULL ? op->own_err : instead;
}

void rl_op_free(rl_op *op)
{
	if (op == NULL) {
		return;
	}
	for (unsigned i = 0; i < op->call.set->count; i++) {
		free(op->call.members[i].text);
	}
	if (op->kind == RL_OP_RELEASE_BATCH) {
		rl_release_batch_clear((rl_release_batch *) op);
	}
	free(op->own_err);
	free(op);
}

/* What became of the quorum call's connections and grants. */
static rl_settlement settle_ask(rl_op *op, bool is_undo, int64_t now)
{
	rl_quorum_call *call = &op->call;
	rl_settlement settlement =
		rl_quorum_call_settle(call, is_undo ? RL_UNDO_ALL : RL_UNDO_NOTHING, now);
	/* An undo behind an answer will be carried out; behind a swap that is not answered it may be lost with it. */
	op->must_swap_back = is_undo && call->request.verb == RL_VERB_SWAP &&
		(settlement.was_guarded || settlement.is_in_doubt);
	return settlement;
}

void rl_op_abandon(rl_op *op, int64_t now, bool is_forked)
{
	switch (op->kind) {
		case RL_OP_ACQUIRE:
			if (is_forked) {
				rl_acquire_drop((rl_acquire *) op);
			} else {
				rl_acquire_abandon((rl_acquire *) op, now);
			}
			break;
		case RL_OP_ASK:
			if (!is_forked) {
				settle_ask(op, op->call.request.verb == RL_VERB_SWAP, now);
			}
			break;
		case RL_OP_RELEASE_BATCH:
			rl_release_batch_abandon((rl_release_batch *) op, now, is_forked);
			break;
	}
	if (is_forked) {
		rl_quorum_call_drop(&op->call);
	}
}

/* Puts "server: reason" behind the message; a long name and a long text make room for each other. */
static void append_reason(const rl_op *op, unsigned index, rl_error *err, size_t room)
{
	const char *server = op->call.set->members[index].target->name;
	int left = room < sizeof err->message ? (int) room : 0;
	int name_len = (int) strlen(server) < left / 2 ? (int) strlen(server) : left / 2;
	left -= name_len + 2;
	rl_error_append(err, "%.*s: %.*s", name_len, server, left > 0 ? left : 0,
		op->call.members[index].err.message);
}

/* The one whose reason decides what kind of failure the whole is: one that could not be asked, if there is one. */
static unsigned failed_member(const rl_op *op)
{
	const rl_quorum_call *call = &op->call;
	const rl_member_call *speaker = rl_quorum_call_speaker(call, RL_VOTE_FAILED);
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		if (member->vote == RL_VOTE_FAILED && member->err.status != RL_ERR_SERVER) {
			return i;
		}
	}
	return (unsigned) (speaker - call->members);
}

/* So many characters a server's reason should have; else fewer are told of. */
#define REASON_LEAST 80

static void append_reasons(const rl_op *op, rl_error *err, size_t room)
{
	const rl_quorum_call *call = &op->call;
	unsigned failed = rl_quorum_call_count(call, RL_VOTE_FAILED);
	unsigned told = room / REASON_LEAST < failed ? (unsigned) (room / REASON_LEAST) : failed;
	unsigned untold = failed - told;
	room -= untold > 0 ? sizeof "; and 15 more" : 0;
	for (unsigned i = 0; told > 0 && i < call->set->count; i++) {
		if (call->members[i].vote != RL_VOTE_FAILED) {
			continue;
		}
		size_t before = strlen(err->message);
		size_t share = room / told--;
		append_reason(op, i, err, share > 2 ? share - 2 : 0);
		if (told > 0) {
			rl_error_append(err, "; ");
		}
		room -= strlen(err->message) - before;
	}
	if (untold > 0) {
		rl_error_append(err, "; and %u more", untold);
	}
}

void rl_op_fail(rl_op *op, const char *suffix)
{
	const rl_quorum_call *call = &op->call;
	unsigned count = call->set->count;
	unsigned index = failed_member(op);
	const rl_error *reason = &call->members[index].err;
	rl_error own;
	rl_error_set(&own, reason->status, reason->sys_errno, "%s", "");
	memcpy(own.code, reason->code, sizeof own.code);
	if (count > 1) {
		unsigned refused = rl_quorum_call_count(call, RL_VOTE_REFUSED);
		rl_error_append(&own, "no quorum, %u of %u servers failed",
			rl_quorum_call_count(call, RL_VOTE_FAILED), count);
		if (refused > 0) {
			rl_error_append(&own, " and %u refused", refused);
		}
		rl_error_append(&own, ": ");
	}
	/* The suffix is said whole. */
	append_reasons(op, &own, sizeof own.message - strlen(own.message) - strlen(suffix) - 1);
	rl_error_append(&own, "%s", suffix);
	rl_error *err = error_memory(op, &op->call.members[index].err);
	*err = own;
	op->err = err;
	op->status = own.status;
}

void rl_op_fail_with(rl_op *op, rl_status status, const char *format, ...)
{
	const rl_set *set = op->call.set;
	char text[256];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	rl_error *err = error_memory(op, &op->call.members[0].err);
	if (set->count == 1) {
		op->status = rl_error_set(err, status, 0, "%s: %s", set->members[0].target->name, text);
	} else {
		op->status = rl_error_set(err, status, 0, "%u servers: %s", set->count, text);
	}
	op->err = err;
}

rl_op *rl_take_over_new(const rl_set *set, rl_pool *pool, const rl_env *env, rl_bytes key,
	rl_bytes token, int64_t ttl_ms)
{
	char *tokens;
	rl_op *op = rl_op_alloc(sizeof *op, set, pool, env, key, RL_TOKEN_LEN + token.len, &tokens);
	if (op == NULL) {
		return NULL;
	}
	memcpy(tokens + RL_TOKEN_LEN, token.data, token.len);
	op->kind = RL_OP_ASK;
	op->hopes_for_all = true; /* or a member that is slow keeps the given token */
	op->lacks_token = rl_token_draw(env, tokens) != RL_OK;
	op->call.request.verb = RL_VERB_SWAP;
	op->call.request.token = rl_bytes_of(tokens + RL_TOKEN_LEN, token.len);
	op->call.request.fresh = rl_bytes_of(tokens, RL_TOKEN_LEN);
	op->call.request.ttl_ms = ttl_ms;
	return op;
}

rl_op *rl_ask_new(const rl_set *set, rl_pool *pool, const rl_env *env, rl_verb verb, rl_bytes key,
	rl_bytes token, int64_t ttl_ms)
{
	char *own_token;
	rl_op *op = rl_op_alloc(sizeof *op, set, pool, env, key, token.len, &own_token);
	if (op == NULL) {
		return NULL;
	}
	if (token.len > 0) {
		memcpy(own_token, token.data, token.len);
	}
	op->kind = RL_OP_ASK;
	op->call.request.verb = verb;
	op->call.request.token = rl_bytes_of(own_token, token.len);
	op->call.request.ttl_ms = ttl_ms;
	return op;
}

static void count_ask(const rl_op *op)
{
	rl_stats *stats = op->call.env->stats;
	bool is_yes = op->status == RL_OK;
	if (op->status != RL_OK && op->status != RL_BUSY) {
		rl_stats_add(&stats->failed, 1);
		return;
	}
	switch (op->call.request.verb) {
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
		case RL_VERB_REMAINING:
			break;
	}
}

/* Ownership was proven when the release was sent, some members have freed it, and no more of them say that it was not
 * there than can be where a quorum had it: the others did not answer. */
static bool was_surely_released(const rl_op *op)
{
	const rl_quorum_call *call = &op->call;
	return call->was_held && call->request.verb == RL_VERB_RELEASE &&
		rl_quorum_call_count(call, RL_VOTE_GRANTED) > 0;
}

static void fail_ask(rl_op *op, const rl_settlement *settlement)
{
	bool is_unsaid = settlement->is_in_doubt && rl_verb_changes(op->call.request.verb) &&
		rl_quorum_call_speaker(&op->call, RL_VOTE_FAILED)->err.status != RL_ERR_UNKNOWN;
	rl_op_fail(op, is_unsaid ? "; the command was sent, its outcome is unknown" : "");
}

/* A take-over that gives no proof is not one. */
static bool is_too_slow(rl_op *op, const rl_tick *tick)
{
	const rl_quorum_call *call = &op->call;
	int64_t ttl = call->request.ttl_ms * RL_NS_PER_MS;
	int64_t sent_at = rl_quorum_call_sent_at(call);
	if (call->request.verb != RL_VERB_SWAP ||
		tick->now < sent_at + ttl - rl_set_drift(call->set, ttl)) {
		return false;
	}
	int64_t after_ms = (tick->now - sent_at + RL_NS_PER_MS / 2) / RL_NS_PER_MS;
	char after[RL_SECONDS_TEXT];
	char ttl_text[RL_SECONDS_TEXT];
	rl_op_fail_with(op, RL_ERR_SLOW,
		"too slow: the lock was taken over after %s s, when its ttl of %s s was used up",
		rl_seconds_text(after_ms * RL_NS_PER_MS, after), rl_seconds_text(ttl, ttl_text));
	return true;
}

static bool step_ask(rl_op *op, const rl_tick *tick, rl_wait *wait)
{
	rl_quorum_call *call = &op->call;
	rl_verb verb = call->request.verb;
	if (op->lacks_token) {
		rl_op_fail_with(op, RL_ERR_RANDOM, "the system gave no random bytes for a token");
		count_ask(op);
		return true;
	}
	if (!op->is_begun) {
		op->is_begun = true;
		rl_quorum_call_begin(call, tick->now, RL_NEVER);
		call->wants_all = verb == RL_VERB_FORCE;
		call->hopes_for_all = op->hopes_for_all || verb == RL_VERB_REMAINING;
	}
	rl_vote outcome = rl_quorum_call_step(call, tick, wait);
	if (outcome == RL_VOTE_OPEN) {
		return false;
	}
	op->status = outcome == RL_VOTE_REFUSED ? RL_BUSY : RL_OK;
	/* What a minority has prolonged is of no use to anybody, nor what it has swapped. */
	bool is_below = (outcome == RL_VOTE_REFUSED && verb == RL_VERB_EXTEND) ||
		(outcome != RL_VOTE_GRANTED && verb == RL_VERB_SWAP);
	bool is_vain = outcome == RL_VOTE_GRANTED && is_too_slow(op, tick);
	rl_settlement settlement = settle_ask(op, is_below || is_vain, tick->now);
	if (outcome == RL_VOTE_FAILED && !was_surely_released(op)) {
		fail_ask(op, &settlement);
	}
	count_ask(op);
	return true;
}

bool rl_op_step(rl_op *op, const rl_tick *tick, rl_wait *wait)
{
	rl_wait_begin(wait);
	switch (op->kind) {
		case RL_OP_ACQUIRE:
			return rl_acquire_step((rl_acquire *) op, tick, wait);
		case RL_OP_ASK:
			return step_ask(op, tick, wait);
		case RL_OP_RELEASE_BATCH:
			return rl_release_batch_step((rl_release_batch *) op, tick, wait);
	}
	return true;
}
