/* SPDX-License-Identifier: MIT
 *
 * Releasing what is left. The design is in the header.
 */
#include "core/rl_farewell.h"

#include "core/rl_time.h"

static const rl_member *member_of(const rl_farewell *farewell)
{
	return &farewell->op.exchange.set->members[0];
}

rl_op *rl_farewell_new(const rl_set *set, rl_pool *pool, const rl_env *env, rl_lease **leases,
	size_t count, int64_t limit_ns)
{
	char *unused;
	rl_farewell *farewell =
		rl_op_alloc(sizeof *farewell, set, pool, env, rl_bytes_of("", 0), 0, &unused);
	if (farewell == NULL) {
		return NULL;
	}
	farewell->op.kind = RL_OP_FAREWELL;
	farewell->leases = leases;
	farewell->count = count;
	farewell->limit_ns = limit_ns;
	return &farewell->op;
}

static rl_stats *stats_of(const rl_farewell *farewell)
{
	return farewell->op.exchange.env->stats;
}

/* Takes or dials a connection. False when there is none to be had. */
static bool open_conn(rl_farewell *farewell, int64_t now)
{
	const rl_exchange *exchange = &farewell->op.exchange;
	rl_target *target = member_of(farewell)->target;
	rl_error unused;
	farewell->conn = rl_pool_take(exchange->pool, target, true, now);
	if (farewell->conn == NULL) {
		farewell->conn = rl_conn_dial(
			exchange->pool->transport, target, farewell->end_at, exchange->env, &unused);
	}
	return farewell->conn != NULL;
}

static bool is_alone(const rl_farewell *farewell)
{
	return !farewell->op.exchange.set->wakes || farewell->conn->lacks_helpers;
}

/* False when there is no memory for it. */
static bool send_next(rl_farewell *farewell)
{
	const rl_lease *lease = farewell->leases[farewell->next];
	rl_request request = {.verb = RL_VERB_RELEASE,
		.key = lease->names.key,
		.mark = lease->names.mark,
		.tickets = lease->names.tickets,
		.token = rl_lease_token(lease),
		.is_alone = is_alone(farewell),
		.as_text = true};
	bool is_queued = rl_conn_send(farewell->conn, &request, RL_VERB_RELEASE) != 0;
	farewell->next += is_queued;
	return is_queued;
}

static void on_answer(rl_farewell *farewell, const rl_reply *reply)
{
	rl_lease *lease = farewell->leases[farewell->answered];
	rl_request request = {.verb = RL_VERB_RELEASE, .is_alone = is_alone(farewell), .as_text = true};
	rl_answer answer;
	rl_error err;
	rl_bytes secret = rl_lease_token(lease);
	rl_command_read(&request, reply, &answer, &err, &secret, 1);
	if (answer.again == RL_AGAIN_ALONE && !farewell->must_redo) {
		farewell->must_redo = true;
		return; /* the window runs out, and all from this one on is said again */
	}
	if (farewell->must_redo) {
		return;
	}
	/* Said twice: what was ours is gone because the first was heard. */
	bool may_be_heard = farewell->answered < farewell->told && rl_lease_is_held(lease);
	bool is_released =
		answer.vote == RL_VOTE_GRANTED || (answer.vote == RL_VOTE_REFUSED && may_be_heard);
	farewell->answered++;
	if (is_released) {
		rl_lease_end(lease);
	} else if (answer.vote == RL_VOTE_REFUSED) {
		rl_lease_lose(lease);
	}
	rl_stats *stats = stats_of(farewell);
	rl_stats_add(is_released                 ? &stats->released
			: answer.vote == RL_VOTE_REFUSED ? &stats->not_released
											 : &stats->failed,
		1);
}

static bool finish(rl_farewell *farewell, int64_t now)
{
	rl_exchange *exchange = &farewell->op.exchange;
	bool is_all = farewell->answered == farewell->count;
	farewell->op.status = is_all ? RL_OK : RL_ERR_TIMEOUT;
	if (!is_all) {
		rl_stats_add(&stats_of(farewell)->failed, farewell->count - farewell->answered);
	}
	rl_conn *conn = farewell->conn;
	farewell->conn = NULL;
	if (conn == NULL) {
		return true;
	}
	rl_conn_forget(conn);
	if (is_all && rl_conn_is_reusable(conn)) {
		rl_pool_give(exchange->pool, conn, now);
	} else if (conn->transport->is_connected(conn->link)) {
		rl_pool_let_linger(exchange->pool, conn, now);
	} else {
		rl_conn_free(conn);
	}
	return true;
}

/* The connection broke. False when there is no other. */
static bool redo(rl_farewell *farewell, int64_t now)
{
	rl_conn_free(farewell->conn);
	farewell->conn = NULL;
	if (farewell->has_redone) {
		return false;
	}
	farewell->has_redone = true;
	farewell->must_redo = false;
	farewell->told = farewell->next;
	farewell->next = farewell->answered;
	return open_conn(farewell, now);
}

/* Reads all that has come. False when the connection is of no use. */
static bool read_conn(rl_farewell *farewell)
{
	rl_conn_event event;
	do {
		rl_conn_next(farewell->conn, &event);
		if (event.type == RL_CONN_REPLY) {
			on_answer(farewell, &event.reply);
			farewell->in_flight--;
		} else if (event.type == RL_CONN_DOWN || event.type == RL_CONN_REFUSED) {
			return false;
		}
	} while (event.type != RL_CONN_NONE);
	return true;
}

bool rl_farewell_step(rl_farewell *farewell, const rl_tick *tick, rl_wait *wait)
{
	if (!farewell->op.is_begun) {
		farewell->op.is_begun = true;
		farewell->end_at = rl_time_later(tick->now, farewell->limit_ns);
		if (!open_conn(farewell, tick->now)) {
			return finish(farewell, tick->now);
		}
	}
	bool goes_on = true;
	while (goes_on && farewell->answered < farewell->count) {
		rl_conn *conn = farewell->conn;
		if (farewell->must_redo && farewell->in_flight == 0) {
			farewell->must_redo = false;
			conn->lacks_helpers = true;
			farewell->next = farewell->answered;
		}
		bool has_memory = true;
		while (conn->logins_owed == 0 && !farewell->must_redo && has_memory &&
			farewell->next < farewell->count && farewell->in_flight < RL_FAREWELL_WINDOW) {
			has_memory = send_next(farewell);
			farewell->in_flight += has_memory;
		}
		conn->transport->flush(conn->link);
		size_t before = farewell->in_flight;
		if (!read_conn(farewell)) {
			farewell->in_flight = 0;
			if (!redo(farewell, tick->now)) {
				return finish(farewell, tick->now);
			}
			continue;
		}
		if (!has_memory && farewell->in_flight == 0) {
			return finish(farewell, tick->now);
		}
		goes_on = farewell->in_flight < before; /* room for more */
	}
	if (farewell->answered == farewell->count || tick->seen >= farewell->end_at) {
		return finish(farewell, tick->now);
	}
	rl_wait_for(wait, farewell->conn->link, farewell->end_at);
	return false;
}

void rl_farewell_abandon(rl_farewell *farewell, int64_t now)
{
	if (farewell->conn != NULL) {
		finish(farewell, now);
	}
}
