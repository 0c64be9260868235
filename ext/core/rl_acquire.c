/* SPDX-License-Identifier: MIT
 *
 * Taking a lock, with or without a wait.
 *
 * DESIGN
 *
 * An acquire is a row of tries, each an exchange: first SET, later the `try` script. Between them a
 * back-off delay passes, in which it has no connection. The wait ends with the first grant, with a
 * failure that does not pass by itself, with the last of `retries`, or with the try at the deadline, which
 * decides: one that is begun then, or one whose answer comes only then.
 *
 * Tokens: a refused token may be tried again. One for which an undo was written may not, for the undo
 * could delete the new grant: a fresh one is drawn. One whose fate is in doubt and cannot be undone is
 * tried again as owed: the script then takes our own key for a grant. A caller's own token can neither be
 * exchanged nor be owed, so doubt about it ends the call.
 *
 * Proof: a grant proves ownership for ttl less drift, from before the command was sent. A grant that has
 * used that up is given back and counts as a failure that may pass.
 */
#include "core/rl_op.h"
#include "core/rl_time.h"

#include <string.h>

static rl_exchange *exchange_of(rl_acquire *acquire)
{
	return &acquire->op.exchange;
}

static rl_stats *stats_of(rl_acquire *acquire)
{
	return exchange_of(acquire)->env->stats;
}

static bool draw_token(rl_acquire *acquire)
{
	return rl_token_draw(exchange_of(acquire)->env, acquire->token) == RL_OK;
}

rl_op *rl_acquire_new(
	const rl_set *set, rl_pool *pool, const rl_env *env, const rl_acquire_args *args)
{
	bool is_own = args->token.data != NULL;
	size_t token_len = is_own ? args->token.len : RL_TOKEN_LEN;
	char *token;
	rl_acquire *acquire =
		rl_op_alloc(sizeof *acquire, set, pool, env, args->key, token_len, &token);
	if (acquire == NULL) {
		return NULL;
	}
	acquire->op.kind = RL_OP_ACQUIRE;
	acquire->token = token;
	acquire->token_len = token_len;
	acquire->ttl_ns = args->ttl_ms * RL_NS_PER_MS;
	acquire->is_waiting = args->wait_ns > 0;
	acquire->wait_ns = args->wait_ns;
	rl_exchange *exchange = exchange_of(acquire);
	exchange->is_own_token = is_own;
	exchange->request.verb = RL_VERB_SET;
	exchange->request.ttl_ms = args->ttl_ms;
	exchange->request.token = rl_bytes_of(token, token_len);
	if (is_own) {
		memcpy(token, args->token.data, token_len);
	} else if (!draw_token(acquire)) {
		acquire->op.status = RL_ERR_RANDOM; /* told by the first step */
	}
	return &acquire->op;
}

static void begin(rl_acquire *acquire, int64_t now)
{
	acquire->op.is_begun = true;
	acquire->started_at = now;
	acquire->deadline = rl_time_later(now, acquire->wait_ns);
	acquire->resume_at = now;
	acquire->is_paused = true;
}

static bool finish(rl_acquire *acquire, const rl_tick *tick, rl_status status)
{
	rl_stats *stats = stats_of(acquire);
	acquire->op.status = status;
	acquire->waited_ns = tick->now - acquire->started_at;
	if (acquire->is_waiting) {
		rl_stats_add(&stats->waited_ns, (uint64_t) acquire->waited_ns);
	}
	if (status == RL_OK) {
		rl_stats_add(&stats->acquired, 1);
	} else if (status != RL_BUSY) {
		rl_stats_add(&stats->failed, 1);
	} else {
		rl_stats_add(acquire->is_waiting ? &stats->timed_out : &stats->refused, 1);
	}
	return true;
}

static void begin_try(rl_acquire *acquire, const rl_tick *tick)
{
	rl_exchange *exchange = exchange_of(acquire);
	if (acquire->tries > 0) {
		exchange->request.verb = RL_VERB_TRY;
	}
	exchange->request.is_owed = acquire->is_token_owed;
	acquire->tries++;
	acquire->is_paused = false;
	rl_stats_add(&stats_of(acquire)->tries, 1);
	rl_exchange_begin(exchange, tick->now, acquire->is_waiting ? acquire->deadline : RL_NEVER);
}

/* Ends the try, keeps what it means for the token. False when no token is left to try with. */
static bool settle_try(
	rl_acquire *acquire, bool undo, const rl_tick *tick, rl_settlement *settlement)
{
	rl_exchange *exchange = exchange_of(acquire);
	int64_t sent_at = rl_exchange_speaker(exchange, RL_VOTE_FAILED)->sent_at;
	*settlement = rl_exchange_settle(exchange, undo, tick->now);
	if (settlement->was_undone) {
		acquire->is_token_owed = false;
		return exchange->is_own_token || draw_token(acquire);
	}
	if (settlement->is_in_doubt && !acquire->is_token_owed) {
		acquire->is_token_owed = !exchange->is_own_token;
		acquire->owed_since = sent_at;
	}
	return true;
}

/* What is answered at or after the deadline decides, also when it was asked before: another try would have
 * too little time left on a slow server. Without a wait the deadline is the start. */
static bool has_another_try(const rl_acquire *acquire, const rl_tick *tick)
{
	return tick->now < acquire->deadline && acquire->tries <= acquire->op.exchange.set->retries;
}

/* Tries again later, if the wait allows; else the call ends with the status. */
static bool pause_or_finish(
	rl_acquire *acquire, const rl_tick *tick, rl_status status, bool may_go_on, int64_t holder_pttl)
{
	const rl_set *set = exchange_of(acquire)->set;
	if (!may_go_on || !has_another_try(acquire, tick)) {
		return finish(acquire, tick, status);
	}
	acquire->is_paused = true;
	int64_t delay = rl_backoff_delay(&set->backoff, acquire->delays, exchange_of(acquire)->env);
	/* A lock that is about to expire is not worth a longer sleep. Divided, for a PTTL may be any number. */
	if (holder_pttl >= 0 && holder_pttl < delay / RL_NS_PER_MS) {
		delay = (holder_pttl + 1) * RL_NS_PER_MS;
	}
	acquire->delays++;
	rl_stats_add(&stats_of(acquire)->delays, 1);
	acquire->resume_at = rl_time_earlier(tick->now + delay, acquire->deadline);
	return false;
}

/* What became of the token, for the message. */
static const char *fate(const rl_acquire *acquire, const rl_settlement *settlement)
{
	if (settlement->was_undone) {
		return "; if it is granted after all, an undo behind it takes it back";
	}
	return settlement->is_in_doubt || acquire->is_token_owed
		? "; outcome unknown: if the lock was granted, it ends by its TTL"
		: "";
}

static bool on_granted(rl_acquire *acquire, const rl_tick *tick)
{
	rl_exchange *exchange = exchange_of(acquire);
	int64_t sent_at = acquire->is_token_owed ? acquire->owed_since : rl_exchange_sent_at(exchange);
	acquire->proven_until =
		sent_at + acquire->ttl_ns - rl_set_drift(exchange->set, acquire->ttl_ns);
	bool is_of_use = acquire->proven_until > tick->now;
	rl_settlement settlement;
	bool has_token = settle_try(acquire, !is_of_use, tick, &settlement);
	if (is_of_use) {
		return finish(acquire, tick, RL_OK);
	}
	rl_op_fail_with(&acquire->op, RL_ERR_SLOW,
		"%s: too slow: the lock was granted after %.3f s, when its ttl of %.3f s was used up%s",
		exchange->set->members[0].target->name, (double) (tick->now - sent_at) / 1e9,
		(double) acquire->ttl_ns / 1e9, fate(acquire, &settlement));
	return pause_or_finish(acquire, tick, RL_ERR_SLOW, has_token && !exchange->is_own_token, -1);
}

static bool on_refused(rl_acquire *acquire, const rl_tick *tick)
{
	const rl_seat *speaker = rl_exchange_speaker(exchange_of(acquire), RL_VOTE_REFUSED);
	int64_t holder_pttl = speaker->number;
	/* The key did not hold our token when this was answered: a late grant would begin after it. */
	acquire->owed_since = speaker->sent_at;
	rl_settlement settlement;
	bool has_token = settle_try(acquire, true, tick, &settlement);
	return pause_or_finish(acquire, tick, RL_BUSY, has_token, holder_pttl);
}

static bool on_failed(rl_acquire *acquire, const rl_tick *tick)
{
	rl_exchange *exchange = exchange_of(acquire);
	bool may_pass = rl_exchange_may_pass(exchange);
	rl_settlement settlement;
	exchange->keeps_doubt = may_pass && has_another_try(acquire, tick);
	bool has_token = settle_try(acquire, true, tick, &settlement);
	bool is_said = rl_exchange_speaker(exchange, RL_VOTE_FAILED)->err.status == RL_ERR_UNKNOWN;
	rl_op_fail(&acquire->op, is_said ? "" : fate(acquire, &settlement));
	bool is_lost = exchange->is_own_token && settlement.is_in_doubt;
	return pause_or_finish(
		acquire, tick, acquire->op.status, may_pass && has_token && !is_lost, -1);
}

bool rl_acquire_step(rl_acquire *acquire, const rl_tick *tick, rl_wait *wait)
{
	if (!acquire->op.is_begun) {
		begin(acquire, tick->now);
	}
	if (acquire->op.status == RL_ERR_RANDOM) {
		rl_op_fail_with(&acquire->op, RL_ERR_RANDOM, "the system gave no random bytes for a token");
		return finish(acquire, tick, RL_ERR_RANDOM);
	}
	bool is_done = false;
	while (!is_done) {
		if (acquire->is_paused) {
			if (tick->now < acquire->resume_at) {
				wait->count = 0;
				wait->until = acquire->resume_at;
				return false;
			}
			begin_try(acquire, tick);
		}
		switch (rl_exchange_step(exchange_of(acquire), tick, wait)) {
			case RL_VOTE_OPEN:
				return false;
			case RL_VOTE_GRANTED:
				is_done = on_granted(acquire, tick);
				break;
			case RL_VOTE_REFUSED:
				is_done = on_refused(acquire, tick);
				break;
			case RL_VOTE_FAILED:
				is_done = on_failed(acquire, tick);
				break;
		}
	}
	return true;
}

void rl_acquire_abandon(rl_acquire *acquire, int64_t now)
{
	exchange_of(acquire)->keeps_doubt = false; /* there is no next try */
	if (acquire->is_paused && acquire->is_token_owed) {
		rl_exchange_hold(exchange_of(acquire), true, now);
	}
	rl_exchange_settle(exchange_of(acquire), true, now);
}
