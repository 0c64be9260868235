/* SPDX-License-Identifier: MIT
 *
 * The watch's connections. The design is in rl_renewer.h.
 */
#include "core/lease/rl_renewer_server.h"

#include "core/base/rl_time.h"

#include <stdlib.h>
#include <string.h>

/* The pause before the second dial in a row, doubled each time, up to the maximum. */
#define PAUSE_NS (10 * RL_NS_PER_MS)
#define PAUSE_MAX_NS (500 * RL_NS_PER_MS)

#define FLIGHTS_FIRST 16

/* Somebody wants to send, and there is no memory for it. */
#define MEMORY_PAUSE_NS (10 * RL_NS_PER_MS)

rl_renewer_server *rl_renewer_server_new(const rl_target *target)
{
	rl_renewer_server *server = calloc(1, sizeof *server);
	rl_target *copy = rl_target_copy(target);
	if (server == NULL || copy == NULL) {
		free(server);
		rl_target_unref(copy);
		return NULL;
	}
	server->target = copy;
	server->waiting_end = &server->waiting;
	return server;
}

void rl_renewer_server_free(rl_renewer_server *server)
{
	rl_conn_free(server->conn);
	rl_target_unref(server->target);
	free(server->flights);
	free(server);
}

/* ---- who wants to send ---- */

void rl_renewer_server_queue(rl_renewal_member *member)
{
	rl_renewer_server *server = member->server;
	member->state = RL_RENEWAL_WAITING;
	member->next = NULL;
	member->link = server->waiting_end;
	*server->waiting_end = member;
	server->waiting_end = &member->next;
}

static void unqueue(rl_renewal_member *member)
{
	*member->link = member->next;
	if (member->next != NULL) {
		member->next->link = member->link;
	} else {
		member->server->waiting_end = member->link;
	}
	member->state = RL_RENEWAL_IDLE;
}

static rl_renewal_member **flight_at(const rl_renewer_server *server, uint64_t number)
{
	return &server->flights[number & (server->flight_room - 1)];
}

void rl_renewer_server_leave(rl_renewal_member *member)
{
	switch (member->state) {
		case RL_RENEWAL_IDLE:
			break;
		case RL_RENEWAL_WAITING:
			unqueue(member);
			break;
		case RL_RENEWAL_FLYING:
			*flight_at(member->server, member->flight) = NULL;
			break;
	}
	member->state = RL_RENEWAL_IDLE;
}

/* Room for one more in the ring. */
static bool has_flight_room(rl_renewer_server *server)
{
	size_t count = (size_t) (server->next_flight - server->first_flight);
	if (count < server->flight_room) {
		return true;
	}
	size_t room = server->flight_room == 0 ? FLIGHTS_FIRST : 2 * server->flight_room;
	rl_renewal_member **grown = malloc(room * sizeof *grown);
	if (grown == NULL) {
		return false;
	}
	for (uint64_t i = server->first_flight; i < server->next_flight; i++) {
		grown[i & (room - 1)] = *flight_at(server, i);
	}
	free(server->flights);
	server->flights = grown;
	server->flight_room = room;
	return true;
}

/* ---- sending ---- */

static rl_request request_of(const rl_renewal_member *member, rl_verb verb)
{
	const rl_lease *lease = member->renewal->lease;
	return (rl_request){.verb = verb,
		.key = lease->names.key,
		.mark = lease->names.mark,
		.tickets = lease->names.tickets,
		.token = rl_lease_token(lease),
		.ttl_ms = member->asked_ttl / RL_NS_PER_MS,
		.reserve_ms = rl_reservation_ms(member->renewal->count, 0),
		.is_alone = !member->renewal->wakes || member->is_alone ||
			(member->server->conn != NULL && member->server->conn->lacks_helpers)};
}

static bool is_up(const rl_renewer_server *server)
{
	const rl_conn *conn = server->conn;
	return conn != NULL && conn->logins_pending == 0 && !conn->is_refused &&
		conn->transport->is_connected(conn->link);
}

/* What the system does not take now is written by the next step. */
void rl_renewer_server_release_behind(rl_renewal_member *member)
{
	if (is_up(member->server)) {
		rl_request request = request_of(member, RL_VERB_RELEASE);
		if (rl_conn_undo(member->server->conn, &request) != RL_UNDONE_SURELY) {
			member->renewal->renewer->until = 0;
		}
	}
}

static void begin_flight(rl_renewer_server *server, rl_renewal_member *member, int64_t now)
{
	unqueue(member);
	member->state = RL_RENEWAL_FLYING;
	member->flight = server->next_flight++;
	*flight_at(server, member->flight) = member;
	member->sent_at = now;
	member->answer_by = now + rl_renewal_patience(member->renewal, member->timeout_ns, now);
	rl_renewal_plan(member->renewal);
}

/* The release of a lease that is lost, or the swap that puts another token back: as text, so that one answer is all. */
static rl_request release_of(const rl_renewal_member *member)
{
	bool is_swap = member->renewal->back.len > 0;
	rl_request request = request_of(member, is_swap ? RL_VERB_SWAP : RL_VERB_RELEASE);
	request.as_text = true;
	if (is_swap) {
		request.fresh = member->renewal->back;
		request.ttl_ms = 0; /* it keeps the TTL */
	}
	return request;
}

static bool send_release(rl_renewer_server *server, rl_renewal_member *member, int64_t now)
{
	rl_request request = release_of(member);
	if (!has_flight_room(server)) {
		return false;
	}
	if (member->may_be_other) {
		/* By way of our own token, so that one answer tells what became of both. */
		rl_request swapped = request;
		swapped.fresh = member->renewal->other;
		rl_conn_swap_back(server->conn, &swapped);
	}
	if (rl_conn_send(server->conn, &request, (unsigned) request.verb) == 0) {
		return false;
	}
	member->is_putting = false;
	begin_flight(server, member, now);
	return true;
}

/* What the member call wants: a renewal, or, once the lease is lost, a release. False when there is no memory for it. */
static bool send_one(rl_renewer_server *server, rl_renewal_member *member, int64_t now)
{
	if (member->renewal->is_lost) {
		return send_release(server, member, now);
	}
	/* Not what it was when the round began: it may have waited for a connection since. */
	int64_t ttl = rl_renewal_ttl(member->renewal, now);
	if (ttl < RL_NS_PER_MS) {
		unqueue(member); /* it may be held no longer, and its proof runs out */
		return true;
	}
	member->asked_ttl = ttl;
	rl_verb verb = member->is_missing ? RL_VERB_SET : RL_VERB_RENEW;
	rl_request request = request_of(member, verb);
	request.as_text = server->lacks_script;
	if (!has_flight_room(server) || rl_conn_send(server->conn, &request, (unsigned) verb) == 0) {
		return false;
	}
	member->is_putting = member->is_missing;
	if (server->lacks_script && !member->is_putting) {
		server->lacks_script = false;
		rl_stats_add(&member->renewal->renewer->env->stats->scripts_loaded, 1);
	}
	member->may_outlive = true;
	member->is_text = request.as_text;
	begin_flight(server, member, now);
	return true;
}

/* Also what the system did not take before. */
static bool send_all(rl_renewer_server *server, int64_t now)
{
	bool has_memory = true;
	while (server->waiting != NULL && has_memory) {
		has_memory = send_one(server, server->waiting, now);
	}
	server->conn->transport->flush(server->conn->link);
	return has_memory;
}

/* No later than the most impatient of those who wait can bear. */
static int64_t connect_time(const rl_renewer_server *server, int64_t now)
{
	int64_t least = RL_NEVER;
	for (const rl_renewal_member *member = server->waiting; member != NULL; member = member->next) {
		int64_t time = rl_renewal_patience(member->renewal, member->connect_timeout_ns, now);
		least = rl_time_earlier(least, time);
	}
	return least;
}

static void pause_dialling(rl_renewer_server *server, int64_t now)
{
	int64_t pause = 0; /* before the first time */
	if (server->fails > 0) {
		unsigned doublings = server->fails - 1 < 6 ? server->fails - 1 : 6;
		pause = rl_time_earlier(PAUSE_NS << doublings, PAUSE_MAX_NS);
	}
	server->fails++;
	server->redial_at = now + pause;
}

static void dial(rl_renewer_server *server, rl_renewer *renewer, int64_t now)
{
	rl_error unused;
	server->connect_by = now + connect_time(server, now);
	server->conn =
		rl_conn_dial(renewer->transport, server->target, server->connect_by, renewer->env, &unused);
	if (server->conn == NULL) {
		pause_dialling(server, now);
	}
}

int64_t rl_renewer_server_send(rl_renewer_server *server, rl_renewer *renewer, const rl_tick *tick)
{
	if (server->conn != NULL && !is_up(server) && tick->seen >= server->connect_by) {
		rl_renewer_server_fail(server, tick->now);
	}
	if (server->waiting != NULL && server->conn == NULL && tick->now >= server->redial_at) {
		dial(server, renewer, tick->now);
	}
	if (server->conn == NULL) {
		return server->waiting != NULL ? server->redial_at : RL_NEVER;
	}
	if (!is_up(server)) {
		server->conn->transport->flush(server->conn->link); /* AUTH and SELECT */
		return server->connect_by;
	}
	return send_all(server, tick->now) ? RL_NEVER : tick->now + MEMORY_PAUSE_NS;
}

/* ---- reading ---- */

void rl_renewer_server_trust(rl_renewer_server *server)
{
	server->fails = 0;
	server->redial_at = 0;
}

/* The release of a caller's token may have been carried out, and somebody else may have the lock with the same token by
 * now: it is said once. */
static bool is_said_for_good(const rl_renewal_member *member)
{
	return member->renewal->is_lost && member->renewal->lease->is_own_token;
}

/* Asks for the same again. */
static void requeue(rl_renewal_member *member)
{
	if (!member->renewal->is_paused) {
		rl_renewer_server_queue(member);
		rl_renewal_plan(member->renewal);
	}
}

static void on_vote(rl_renewal_member *member, rl_vote vote)
{
	member->is_missing = member->is_missing && vote == RL_VOTE_FAILED;
	if (member->is_putting && vote == RL_VOTE_REFUSED && member->renewal->is_in_round) {
		requeue(member); /* said twice, it is refused by the first of the two: a renewal tells */
		return;
	}
	member->vote = vote;
	if (vote == RL_VOTE_REFUSED && !member->is_putting) {
		member->may_outlive = false;
	}
	rl_renewal_on_vote(member);
}

/* The server is a replica: what was asked is sent again on a new connection. Its name is not resolved here: the dial
 * uses what PHP's thread has learned since. */
static void leave_wrong_server(rl_renewal_member *member, int64_t now)
{
	rl_renewer_server *server = member->server;
	rl_transport *transport = server->conn->transport;
	requeue(member);
	transport->distrust(transport, &server->target->address);
	rl_renewer_server_fail(server, now);
}

static void on_renewal_answered(rl_renewal_member *member, const rl_reply *reply, int64_t now)
{
	rl_renewer_server *server = member->server;
	rl_request request = request_of(member, member->is_putting ? RL_VERB_SET : RL_VERB_RENEW);
	request.as_text = member->is_text;
	rl_answer answer;
	rl_error err;
	rl_command_read(&request, reply, &answer, &err, &request.token, 1);
	if (answer.again == RL_AGAIN_AS_TEXT) {
		server->lacks_script = true;
		requeue(member);
	} else if (answer.vote != RL_VOTE_FAILED) {
		server->fails = 0;
		member->is_taken_over = answer.is_taken_over;
		on_vote(member, answer.vote);
	} else if (strcmp(err.code, "WRONGTYPE") == 0) {
		member->is_taken_over = true;
		on_vote(member, RL_VOTE_REFUSED);
	} else if (rl_error_is_wrong_server(&err)) {
		leave_wrong_server(member, now);
	} else if (rl_error_is_full(&err)) { /* and closes */
		requeue(member);
		rl_renewer_server_fail(server, now);
	} else {
		on_vote(member, RL_VOTE_FAILED);
	}
}

/* Of a lease that is lost. What the server refuses for good ends it, too. */
static void on_release_answered(rl_renewal_member *member, const rl_reply *reply, int64_t now)
{
	rl_request request = release_of(member);
	rl_answer answer;
	rl_error err;
	rl_bytes secrets[] = {request.token, request.fresh};
	rl_command_read(&request, reply, &answer, &err, secrets, 2);
	if (answer.again == RL_AGAIN_ALONE) {
		member->is_alone = true;
		member->server->conn->lacks_helpers |= answer.is_for_every_key;
		requeue(member);
		return;
	}
	if (answer.vote == RL_VOTE_FAILED && rl_error_is_wrong_server(&err)) {
		leave_wrong_server(member, now);
		return;
	}
	bool is_open = answer.vote == RL_VOTE_FAILED
		? !rl_error_is_final(&err) && strcmp(err.code, "WRONGTYPE") != 0
		: answer.vote == RL_VOTE_REFUSED && member->has_lost_set;
	if (is_open) {
		rl_renewal_on_release_failed(member);
		return;
	}
	member->server->fails = answer.vote == RL_VOTE_FAILED ? member->server->fails : 0;
	member->may_outlive = false;
	rl_renewal_plan(member->renewal);
}

static void on_reply(rl_renewer_server *server, const rl_reply *reply, int64_t now)
{
	rl_renewal_member *member = *flight_at(server, server->first_flight);
	server->first_flight++;
	if (member == NULL) {
		return;
	}
	member->state = RL_RENEWAL_IDLE;
	if (member->renewal->is_lost) {
		on_release_answered(member, reply, now);
	} else {
		on_renewal_answered(member, reply, now);
	}
}

void rl_renewer_server_read(rl_renewer_server *server, const rl_tick *tick)
{
	while (server->conn != NULL) {
		rl_conn_event event;
		rl_conn_next(server->conn, &event);
		switch (event.type) {
			case RL_CONN_NONE:
				return;
			case RL_CONN_READY:
				break;
			case RL_CONN_REPLY:
				on_reply(server, &event.reply, tick->now);
				break;
			case RL_CONN_REFUSED:
			case RL_CONN_DOWN:
				rl_renewer_server_fail(server, tick->now);
				break;
		}
	}
}

void rl_renewer_server_fail(rl_renewer_server *server, int64_t now)
{
	rl_conn_free(server->conn);
	server->conn = NULL;
	for (; server->first_flight < server->next_flight; server->first_flight++) {
		rl_renewal_member *member = *flight_at(server, server->first_flight);
		if (member != NULL) {
			member->state = RL_RENEWAL_IDLE;
			member->has_lost_set = member->has_lost_set || member->is_putting;
			member->may_be_other = false; /* it may be free already, and somebody else's by now */
			if (is_said_for_good(member)) {
				member->may_outlive = false;
				rl_renewal_plan(member->renewal);
			} else {
				requeue(member);
			}
		}
	}
	pause_dialling(server, now);
}
