/* SPDX-License-Identifier: MIT
 *
 * What all operations share, and the plain ones: a verb is one exchange, its outcome the result.
 */
#include "core/rl_op.h"

#include "core/rl_farewell.h"

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
	size_t key_at = seats_at + set->count * sizeof(rl_seat);
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
	op->exchange = (rl_exchange){.set = set,
		.pool = pool,
		.env = env,
		.seats = (rl_seat *) (void *) (block + seats_at),
		.request = {.key = names.key, .mark = names.mark, .tickets = names.tickets}};
	return block;
}

/* The error to write into: memory of its own, or a seat's when there is none, so that even then the reason
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
	for (unsigned i = 0; i < op->exchange.set->count; i++) {
		free(op->exchange.seats[i].text);
	}
	free(op->own_err);
	free(op);
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
				rl_exchange_settle(&op->exchange, RL_UNDO_ALL, now);
			}
			break;
		case RL_OP_FAREWELL:
			rl_farewell_abandon((rl_farewell *) op, now);
			break;
	}
	if (is_forked) {
		rl_exchange_drop(&op->exchange);
	}
}

void rl_op_fail(rl_op *op, const char *suffix)
{
	const rl_seat *speaker = rl_exchange_speaker(&op->exchange, RL_VOTE_FAILED);
	rl_seat *seat = &op->exchange.seats[speaker - op->exchange.seats];
	const char *server = op->exchange.set->members[speaker - op->exchange.seats].target->name;
	rl_error reason = seat->err;
	rl_error *err = error_memory(op, &seat->err);
	/* The suffix is said whole: a long name and a long text make room for it. */
	int room = (int) (sizeof err->message - strlen(suffix)) - 4;
	int name_len = (int) strlen(server) < room / 2 ? (int) strlen(server) : room / 2;
	rl_error_set(err, reason.status, reason.sys_errno, "%.*s: %.*s%s", name_len, server,
		room - name_len, reason.message, suffix);
	memcpy(err->code, reason.code, sizeof err->code);
	op->err = err;
	op->status = reason.status;
}

void rl_op_fail_with(rl_op *op, rl_status status, const char *format, ...)
{
	char text[256];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	rl_error *err = error_memory(op, &op->exchange.seats[0].err);
	op->status = rl_error_set(err, status, 0, "%s", text);
	op->err = err;
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
	op->exchange.request.verb = verb;
	op->exchange.request.token = rl_bytes_of(own_token, token.len);
	op->exchange.request.ttl_ms = ttl_ms;
	return op;
}

static void count_ask(const rl_op *op)
{
	rl_stats *stats = op->exchange.env->stats;
	bool is_yes = op->status == RL_OK;
	if (op->status != RL_OK && op->status != RL_BUSY) {
		rl_stats_add(&stats->failed, 1);
		return;
	}
	switch (op->exchange.request.verb) {
		case RL_VERB_RELEASE:
			rl_stats_add(is_yes ? &stats->released : &stats->not_released, 1);
			break;
		case RL_VERB_EXTEND:
			rl_stats_add(is_yes ? &stats->extended : &stats->not_extended, 1);
			break;
		case RL_VERB_SET:
		case RL_VERB_TRY:
		case RL_VERB_NUDGE:
		case RL_VERB_BLPOP:
		case RL_VERB_RENEW:
		case RL_VERB_FORCE:
		case RL_VERB_EXISTS:
		case RL_VERB_OWNER:
		case RL_VERB_REMAINING:
			break;
	}
}

static bool changes_something(rl_verb verb)
{
	return verb == RL_VERB_RELEASE || verb == RL_VERB_EXTEND || verb == RL_VERB_FORCE;
}

static bool step_ask(rl_op *op, const rl_tick *tick, rl_wait *wait)
{
	if (!op->is_begun) {
		op->is_begun = true;
		rl_exchange_begin(&op->exchange, tick->now, RL_NEVER);
	}
	rl_vote outcome = rl_exchange_step(&op->exchange, tick, wait);
	if (outcome == RL_VOTE_OPEN) {
		return false;
	}
	rl_settlement settlement = rl_exchange_settle(&op->exchange, RL_UNDO_NOTHING, tick->now);
	op->status = outcome == RL_VOTE_GRANTED ? RL_OK : RL_BUSY;
	if (outcome == RL_VOTE_FAILED) {
		bool is_unsaid = settlement.is_in_doubt && changes_something(op->exchange.request.verb) &&
			rl_exchange_speaker(&op->exchange, RL_VOTE_FAILED)->err.status != RL_ERR_UNKNOWN;
		rl_op_fail(op, is_unsaid ? "; the command was sent, its outcome is unknown" : "");
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
		case RL_OP_FAREWELL:
			return rl_farewell_step((rl_farewell *) op, tick, wait);
	}
	return true;
}
