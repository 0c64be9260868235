/* SPDX-License-Identifier: MIT
 *
 * Releasing what is left. The design is in the header.
 */
#include "core/rl_farewell.h"

#include "core/rl_order.h"
#include "core/rl_time.h"

#include <stdlib.h>

rl_op *rl_farewell_new(const rl_set *set, rl_pool *pool, const rl_env *env, rl_lease **leases,
	size_t count, int64_t limit_ns)
{
	char *unused;
	rl_farewell *farewell =
		rl_op_alloc(sizeof *farewell, set, pool, env, rl_bytes_of("", 0), 0, &unused);
	rl_farewell_votes *votes = calloc(count, sizeof *votes);
	if (farewell == NULL || votes == NULL) {
		free(farewell);
		free(votes);
		return NULL;
	}
	farewell->op.kind = RL_OP_FAREWELL;
	farewell->leases = leases;
	farewell->count = count;
	farewell->votes = votes;
	farewell->limit_ns = limit_ns;
	return &farewell->op;
}

void rl_farewell_clear(rl_farewell *farewell)
{
	free(farewell->votes);
}

static unsigned members_of(const rl_farewell *farewell)
{
	return farewell->op.exchange.set->count;
}

static rl_target *target_of(const rl_farewell *farewell, unsigned member)
{
	return farewell->op.exchange.set->members[member].target;
}

static bool is_answered(const rl_farewell *farewell, const rl_farewell_seat *seat)
{
	return seat->answered == farewell->count;
}

/* Takes or dials a connection. False when there is none to be had. */
static bool open_conn(rl_farewell *farewell, unsigned member, int64_t now)
{
	const rl_exchange *exchange = &farewell->op.exchange;
	rl_farewell_seat *seat = &farewell->seats[member];
	rl_target *target = target_of(farewell, member);
	rl_error unused;
	seat->conn = rl_pool_take_to_release(exchange->pool, target, true, now);
	if (seat->conn == NULL) {
		seat->conn = rl_conn_dial(
			exchange->pool->transport, target, farewell->end_at, exchange->env, &unused);
	}
	return seat->conn != NULL;
}

/* ---- saying ---- */

static bool is_alone(const rl_farewell *farewell, const rl_farewell_seat *seat)
{
	return !farewell->op.exchange.set->wakes || seat->conn->lacks_helpers;
}

static rl_request request_of(
	const rl_farewell *farewell, const rl_farewell_seat *seat, const rl_lease *lease)
{
	return (rl_request){.verb = RL_VERB_RELEASE,
		.key = lease->names.key,
		.mark = lease->names.mark,
		.tickets = lease->names.tickets,
		.token = rl_lease_token(lease),
		.is_alone = is_alone(farewell, seat),
		.as_text = true};
}

/* Writes as many as may be under way. False when there is no memory for it. */
static bool send_some(rl_farewell *farewell, rl_farewell_seat *seat)
{
	bool has_memory = true;
	while (seat->conn->logins_owed == 0 && !seat->must_redo && has_memory &&
		seat->next < farewell->count && seat->in_flight < RL_FAREWELL_WINDOW) {
		rl_request request = request_of(farewell, seat, farewell->leases[seat->next]);
		has_memory = rl_conn_send(seat->conn, &request, RL_VERB_RELEASE) != 0;
		seat->next += has_memory;
		seat->in_flight += has_memory;
	}
	seat->conn->transport->flush(seat->conn->link);
	return has_memory;
}

/* Writes the rest for nobody to hear of. */
static void send_rest(rl_farewell *farewell, rl_farewell_seat *seat)
{
	rl_conn *conn = seat->conn;
	while (conn->logins_owed == 0 && seat->next < farewell->count &&
		conn->transport->is_connected(conn->link)) {
		rl_request request = request_of(farewell, seat, farewell->leases[seat->next]);
		if (!rl_conn_send_blind(conn, &request)) {
			break;
		}
		seat->next++;
	}
	conn->transport->flush(conn->link);
}

/* ---- hearing ---- */

static void on_answer(rl_farewell *farewell, rl_farewell_seat *seat, const rl_reply *reply)
{
	rl_lease *lease = farewell->leases[seat->answered];
	rl_request request = request_of(farewell, seat, lease);
	rl_answer answer;
	rl_error err;
	rl_bytes secret = rl_lease_token(lease);
	rl_command_read(&request, reply, &answer, &err, &secret, 1);
	if (answer.again == RL_AGAIN_ALONE && !seat->must_redo) {
		seat->must_redo = true;
		return; /* the window runs out, and all from this one on is said again */
	}
	if (seat->must_redo) {
		return;
	}
	/* Said twice: what was ours is gone because the first was heard. */
	bool may_be_heard = seat->answered < seat->told && rl_lease_is_held(lease);
	bool is_freed =
		answer.vote == RL_VOTE_GRANTED || (answer.vote == RL_VOTE_REFUSED && may_be_heard);
	rl_farewell_votes *votes = &farewell->votes[seat->answered];
	votes->freed = (unsigned char) (votes->freed + is_freed);
	votes->refused =
		(unsigned char) (votes->refused + (!is_freed && answer.vote == RL_VOTE_REFUSED));
	seat->answered++;
}

/* The connection broke. False when there is no other. */
static bool redo(rl_farewell *farewell, unsigned member, int64_t now)
{
	rl_farewell_seat *seat = &farewell->seats[member];
	rl_conn_free(seat->conn);
	seat->conn = NULL;
	seat->in_flight = 0;
	if (seat->has_redone) {
		return false;
	}
	seat->has_redone = true;
	seat->must_redo = false;
	seat->told = seat->next;
	seat->next = seat->answered;
	return open_conn(farewell, member, now);
}

/* Reads all that has come. False when the connection is of no use. */
static bool read_conn(rl_farewell *farewell, rl_farewell_seat *seat)
{
	rl_conn_event event;
	do {
		rl_conn_next(seat->conn, &event);
		if (event.type == RL_CONN_REPLY) {
			on_answer(farewell, seat, &event.reply);
			seat->in_flight--;
		} else if (event.type == RL_CONN_DOWN || event.type == RL_CONN_REFUSED) {
			return false;
		}
	} while (event.type != RL_CONN_NONE);
	return true;
}

static void step_seat(rl_farewell *farewell, unsigned member, const rl_tick *tick)
{
	rl_farewell_seat *seat = &farewell->seats[member];
	bool goes_on = !seat->is_over;
	while (goes_on && !is_answered(farewell, seat)) {
		if (seat->must_redo && seat->in_flight == 0) {
			seat->must_redo = false;
			seat->conn->lacks_helpers = true;
			seat->next = seat->answered;
		}
		bool has_memory = send_some(farewell, seat);
		size_t before = seat->in_flight;
		if (!read_conn(farewell, seat)) {
			seat->is_over = !redo(farewell, member, tick->now);
			goes_on = !seat->is_over;
			continue;
		}
		seat->is_over = !has_memory && seat->in_flight == 0;
		goes_on = !seat->is_over && seat->in_flight < before; /* room for more */
	}
	seat->is_over = seat->is_over || is_answered(farewell, seat);
}

/* ---- the whole ---- */

static void begin(rl_farewell *farewell, int64_t now)
{
	const rl_exchange *exchange = &farewell->op.exchange;
	unsigned count = members_of(farewell);
	farewell->op.is_begun = true;
	farewell->end_at = rl_time_later(now, farewell->limit_ns);
	for (unsigned i = 0; i < count; i++) {
		bool is_spared = count > 1 &&
			!rl_pool_is_worth_asking(exchange->pool, target_of(farewell, i), true, now);
		farewell->seats[i].is_over = is_spared || !open_conn(farewell, i, now);
	}
}

/* What the votes make of the leases. */
static void judge(rl_farewell *farewell)
{
	rl_stats *stats = farewell->op.exchange.env->stats;
	unsigned members = members_of(farewell);
	unsigned quorum = rl_quorum(members);
	for (size_t i = 0; i < farewell->count; i++) {
		rl_lease *lease = farewell->leases[i];
		const rl_farewell_votes *votes = &farewell->votes[i];
		if (votes->freed >= quorum) {
			rl_lease_end(lease);
			rl_stats_add(&stats->released, 1);
		} else if (votes->refused > members - quorum) {
			rl_lease_lose(lease);
			rl_stats_add(&stats->not_released, 1);
		} else {
			rl_stats_add(&stats->failed, 1);
		}
	}
}

static bool has_own_token(const rl_farewell *farewell)
{
	bool has_any = false;
	for (size_t i = 0; i < farewell->count; i++) {
		has_any = has_any || farewell->leases[i]->is_own_token;
	}
	return has_any;
}

static void part_with(rl_farewell *farewell, unsigned member, int64_t now)
{
	const rl_exchange *exchange = &farewell->op.exchange;
	rl_farewell_seat *seat = &farewell->seats[member];
	rl_pool *pool = exchange->pool;
	rl_conn *conn = seat->conn;
	seat->conn = NULL;
	if (conn == NULL) {
		return;
	}
	rl_conn_forget(conn);
	/* Not yet connected it is said later; too late for a token that others may have, too. */
	bool is_late = !conn->transport->is_connected(conn->link) && has_own_token(farewell);
	bool is_said = seat->next == farewell->count && !seat->must_redo && !is_late;
	if (is_answered(farewell, seat) && rl_conn_is_reusable(conn)) {
		rl_pool_give(pool, conn, now);
	} else if (members_of(farewell) > 1 && is_said && rl_conn_is_worth_keeping(conn)) {
		rl_pool_give_unheard(pool, conn, exchange->set->members[member].timeout_ns, now);
	} else if (conn->transport->is_connected(conn->link)) {
		rl_pool_let_linger(pool, conn, now);
	} else {
		rl_conn_free(conn);
	}
}

static bool finish(rl_farewell *farewell, int64_t now)
{
	unsigned answered = 0;
	for (unsigned i = 0; i < members_of(farewell); i++) {
		rl_farewell_seat *seat = &farewell->seats[i];
		answered += is_answered(farewell, seat);
		if (seat->conn != NULL) {
			send_rest(farewell, seat);
		}
		part_with(farewell, i, now);
	}
	farewell->op.status = answered >= rl_quorum(members_of(farewell)) ? RL_OK : RL_ERR_TIMEOUT;
	judge(farewell);
	return true;
}

/* Nothing more is to be waited for. */
static bool is_enough(const rl_farewell *farewell)
{
	unsigned over = 0;
	unsigned answered = 0;
	for (unsigned i = 0; i < members_of(farewell); i++) {
		over += farewell->seats[i].is_over;
		answered += is_answered(farewell, &farewell->seats[i]);
	}
	return over == members_of(farewell) || answered >= rl_quorum(members_of(farewell));
}

bool rl_farewell_step(rl_farewell *farewell, const rl_tick *tick, rl_wait *wait)
{
	unsigned count = members_of(farewell);
	unsigned char order[RL_MEMBERS_MAX];
	if (!farewell->op.is_begun) {
		begin(farewell, tick->now);
	}
	/* The first in order is told last: see rl_order.h. */
	rl_order(farewell->op.exchange.set, farewell->leases[0]->names.key, order);
	for (unsigned i = 0; i < count; i++) {
		step_seat(farewell, order[(i + 1) % count], tick);
	}
	if (is_enough(farewell) || tick->seen >= farewell->end_at) {
		return finish(farewell, tick->now);
	}
	for (unsigned i = 0; i < count; i++) {
		if (!farewell->seats[i].is_over) {
			rl_wait_for(wait, farewell->seats[i].conn->link, farewell->end_at);
		}
	}
	return false;
}

void rl_farewell_abandon(rl_farewell *farewell, int64_t now, bool is_forked)
{
	bool has_any = false;
	for (unsigned i = 0; i < members_of(farewell); i++) {
		if (is_forked) { /* it is the parent's */
			rl_conn_free(farewell->seats[i].conn);
			farewell->seats[i].conn = NULL;
		}
		has_any = has_any || farewell->seats[i].conn != NULL;
	}
	if (has_any) {
		finish(farewell, now);
	}
}
