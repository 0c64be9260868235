/* SPDX-License-Identifier: MIT
 *
 * One connection of the renewer. The header describes what it does, and rl_renewer.h why.
 */
#include "core/lease/rl_renewer_server.h"

#include "core/base/rl_backoff.h"
#include "core/base/rl_time.h"

#include <stdlib.h>
#include <string.h>

/* The pause before the second dial in a row, doubled each time, up to the maximum. */
#define REDIAL_PAUSE_NS (10 * RL_NS_PER_MS)
#define REDIAL_PAUSE_MAX_NS (500 * RL_NS_PER_MS)

/* The pause before a command is tried again that could not be queued. */
#define MEMORY_PAUSE_NS (10 * RL_NS_PER_MS)

rl_renewer_server *rl_renewer_server_new(const rl_target *target, rl_transport *transport,
	const rl_env *env, const rl_renewer_server_listener *listener)
{
	rl_renewer_server *server = calloc(1, sizeof *server);
	rl_target *copy = rl_target_copy(target);
	if (server == NULL || copy == NULL) {
		free(server);
		rl_target_unref(copy);
		return NULL;
	}
	server->transport = transport;
	server->env = env;
	server->listener = listener;
	server->target = copy;
	rl_renewal_queue_init(&server->queue);
	return server;
}

void rl_renewer_server_free(rl_renewer_server *server)
{
	rl_channel_close(&server->channel);
	rl_target_unref(server->target);
	rl_renewal_queue_destroy(&server->queue);
	free(server);
}

/* ---- the connection ---- */

rl_link *rl_renewer_server_link(const rl_renewer_server *server)
{
	return rl_channel_is_open(&server->channel) ? server->channel.conn->link : NULL;
}

bool rl_renewer_server_is_up(const rl_renewer_server *server)
{
	const rl_channel *channel = &server->channel;
	return rl_channel_is_open(channel) && rl_channel_is_logged_in(channel) &&
		channel->conn->life != RL_CONN_LIFE_REFUSED && rl_channel_is_connected(channel);
}

bool rl_renewer_server_is_ready(const rl_renewer_server *server, int64_t now)
{
	return rl_channel_is_open(&server->channel) ? rl_renewer_server_is_up(server)
												: now >= server->redial_at;
}

static void pause_dialling(rl_renewer_server *server, int64_t now)
{
	int64_t pause = 0; /* the second dial follows the first at once */
	if (server->fails > 0) {
		pause = rl_backoff_doubled(REDIAL_PAUSE_NS, server->fails - 1, REDIAL_PAUSE_MAX_NS);
	}
	server->fails++;
	server->redial_at = now + pause;
}

/* A connection has failed, or could not be dialled. */
static void note_failure(rl_renewer_server *server, int64_t now)
{
	pause_dialling(server, now);
	if (server->fails > 1) { /* the first failure may be that of an old connection */
		server->listener->on_unreachable(server);
	}
}

/* The time to connect: the shortest time that any of the waiting members allows. */
static int64_t connect_time(const rl_renewer_server *server, int64_t now)
{
	int64_t least = RL_NEVER;
	for (const rl_renewal_member *member = server->queue.waiting; member != NULL;
		 member = member->next) {
		int64_t time = rl_renewal_patience(member->renewal, member->connect_timeout_ns, now);
		least = rl_time_earlier(least, time);
	}
	return least;
}

static void dial(rl_renewer_server *server, int64_t now)
{
	rl_error unused;
	int64_t connect_end = now + connect_time(server, now);
	if (!rl_channel_dial(&server->channel, server->transport, server->target, connect_end,
			server->env, &unused)) {
		note_failure(server, now);
	}
}

void rl_renewer_server_trust(rl_renewer_server *server)
{
	server->fails = 0;
	server->redial_at = 0;
}

/* ---- the members ---- */

void rl_renewer_server_queue(rl_renewal_member *member)
{
	/* An ASK applies to one command. By now the slot may have moved to and fro, and after ASKING
	 * the server would run a command although the other node has the key. */
	member->is_asking = false;
	rl_renewal_queue_add(&member->server->queue, member);
}

void rl_renewer_server_leave(rl_renewal_member *member)
{
	rl_renewal_queue_remove(&member->server->queue, member);
}

static void report_change(const rl_renewal_member *member)
{
	member->server->listener->on_changed(member->renewal);
}

/* Queues the member's command again, unless the owner is releasing the lease. */
static void queue_again(rl_renewal_member *member)
{
	if (!rl_renewal_is_paused(member->renewal)) {
		rl_renewal_queue_add(&member->server->queue, member);
		report_change(member);
	}
}

/* A release of a caller's token is sent only once: it may have been carried out, and another holder
 * may have the lock with the same token by now. */
static bool is_sent_only_once(const rl_renewal_member *member)
{
	return rl_renewal_is_lost(member->renewal) && member->renewal->lease->is_own_token;
}

void rl_renewer_server_send_again(rl_renewal_member *member)
{
	member->has_lost_set = member->has_lost_set || member->sent == RL_SEND_PUT_BACK;
	member->is_asking = false;
	if (member->wanted == RL_SEND_RELEASE_BOTH) {
		/* By now another holder may have the lock with the other token. */
		member->wanted = RL_SEND_RELEASE;
	}
	if (is_sent_only_once(member)) {
		member->may_outlive = false;
		report_change(member);
	} else {
		queue_again(member);
	}
}

void rl_renewer_server_fail(rl_renewer_server *server, int64_t now)
{
	rl_channel_close(&server->channel);
	while (rl_renewal_queue_has_sent(&server->queue)) {
		rl_renewal_member *member = rl_renewal_queue_take_sent(&server->queue);
		if (member != NULL) {
			rl_renewer_server_send_again(member);
		}
	}
	note_failure(server, now);
}

/* ---- sending ---- */

bool rl_renewer_server_release_behind(rl_renewal_member *member)
{
	rl_renewer_server *server = member->server;
	if (!rl_renewer_server_is_up(server)) {
		return true;
	}
	rl_request request = rl_renewal_request(member, RL_SEND_RELEASE, server->lacks_helpers);
	return rl_conn_undo(server->channel.conn, &request);
}

/* False when the command could not be queued. */
static bool send_command(
	rl_renewer_server *server, rl_renewal_member *member, rl_renewal_command command, int64_t now)
{
	rl_request request = rl_renewal_request(member, command, server->lacks_helpers);
	if (!rl_renewal_queue_reserve(&server->queue)) {
		return false;
	}
	if (command == RL_SEND_RELEASE_BOTH) {
		/* The swap turns the other token into ours, so that one answer covers both tokens. */
		rl_request swapped = request;
		swapped.fresh = member->renewal->other;
		rl_conn_swap_back(server->channel.conn, &swapped);
	}
	if (!rl_channel_send(&server->channel, &request, (unsigned) request.verb)) {
		return false;
	}
	rl_renewal_queue_note_sent(&server->queue, member);
	member->sent = command;
	member->sent_at = now;
	member->answer_by = now + rl_renewal_patience(member->renewal, member->timeout_ns, now);
	report_change(member);
	return true;
}

static bool send_renewal(rl_renewer_server *server, rl_renewal_member *member, int64_t now)
{
	/* Computed only now: the member may have waited for a connection since the round began. */
	int64_t ttl = rl_renewal_ttl(member->renewal, now);
	if (ttl < RL_NS_PER_MS) {
		/* maxHold allows no renewal any more, and the proof runs out. */
		rl_renewer_server_leave(member);
		return true;
	}
	member->asked_ttl = ttl;
	bool needs_text = member->wanted == RL_SEND_RENEW && server->lacks_script;
	rl_renewal_command command = needs_text ? RL_SEND_RENEW_AS_TEXT : member->wanted;
	if (!send_command(server, member, command, now)) {
		return false;
	}
	member->may_outlive = true;
	if (needs_text) {
		server->lacks_script = false;
		rl_stats_add(&rl_env_stats(server->env)->scripts_loaded, 1);
	}
	return true;
}

/* Sends the commands of the waiting members, and bytes that the kernel did not accept before. False
 * when a command could not be queued. */
static bool send_all(rl_renewer_server *server, int64_t now)
{
	bool has_memory = true;
	while (server->queue.waiting != NULL && has_memory) {
		rl_renewal_member *member = server->queue.waiting;
		has_memory = rl_renewal_is_release(member->wanted)
			? send_command(server, member, member->wanted, now)
			: send_renewal(server, member, now);
	}
	rl_channel_flush(&server->channel, now);
	return has_memory;
}

int64_t rl_renewer_server_send(rl_renewer_server *server, const rl_tick *tick)
{
	if (server->is_unknown) {
		return RL_NEVER; /* the lookup moves its members, or makes them fail */
	}
	if (rl_channel_is_open(&server->channel) && !rl_renewer_server_is_up(server) &&
		tick->seen >= server->channel.connect_end) {
		rl_renewer_server_fail(server, tick->now);
	}
	if (server->queue.waiting != NULL && !rl_channel_is_open(&server->channel) &&
		tick->now >= server->redial_at) {
		dial(server, tick->now);
	}
	if (!rl_channel_is_open(&server->channel)) {
		return server->queue.waiting != NULL ? server->redial_at : RL_NEVER;
	}
	if (!rl_renewer_server_is_up(server)) {
		rl_channel_flush(&server->channel, tick->now); /* AUTH and SELECT */
		return server->channel.connect_end;
	}
	int64_t until = send_all(server, tick->now) ? RL_NEVER : tick->now + MEMORY_PAUSE_NS;
	int64_t confirm_end = server->channel.confirm_end;
	return confirm_end != 0 ? rl_time_earlier(until, confirm_end) : until;
}

/* ---- reading ---- */

/* The server is a replica: the command is sent again on a new connection. The name is not resolved
 * here: the next dial uses the addresses that PHP's thread has learned meanwhile. */
static void leave_wrong_server(rl_renewal_member *member, int64_t now)
{
	rl_renewer_server *server = member->server;
	queue_again(member);
	server->transport->distrust(server->transport, &server->target->address);
	rl_renewer_server_fail(server, now);
	server->listener->on_unreachable(server);
}

/* True = the command goes to another node. */
static bool follow(rl_renewal_member *member, const rl_reply *reply)
{
	rl_redirect redirect = reply->type == RL_REPLY_ERROR ? rl_redirect_read(reply->text)
														 : (rl_redirect){.kind = RL_REDIRECT_NONE};
	if (redirect.kind == RL_REDIRECT_NONE || !rl_route_has_redirects(member->route)) {
		member->hops = 0;
		return false;
	}
	if (!member->server->listener->on_redirected(member, &redirect)) {
		member->hops = 0;
		return false;
	}
	queue_again(member);
	return true;
}

static void on_vote(rl_renewal_member *member, rl_vote vote)
{
	bool is_put_back = member->sent == RL_SEND_PUT_BACK;
	if (member->wanted == RL_SEND_PUT_BACK && vote != RL_VOTE_FAILED) {
		member->wanted = RL_SEND_RENEW;
	}
	if (is_put_back && vote == RL_VOTE_REFUSED && member->renewal->stage == RL_RENEWAL_IN_ROUND) {
		/* If the SET was sent twice, the first one may have won: a renewal will show that. */
		queue_again(member);
		return;
	}
	member->vote = vote;
	if (vote == RL_VOTE_REFUSED && !is_put_back) {
		member->may_outlive = false;
	}
	member->server->listener->on_vote(member);
}

/* The member has confirmed the release, or never will. */
static void end_release(rl_renewal_member *member)
{
	member->may_outlive = false;
	report_change(member);
}

void rl_renewer_server_settle(rl_renewal_member *member, bool counts)
{
	member->state = RL_RENEWAL_MEMBER_IDLE;
	if (!rl_renewal_is_release(member->sent)) {
		on_vote(member, counts ? member->told : RL_VOTE_FAILED);
	} else if (counts) {
		end_release(member);
	} else {
		member->server->listener->on_release_failed(member);
	}
}

void rl_renewer_server_refuse(rl_renewal_member *member)
{
	rl_renewer_server_leave(member);
	if (rl_renewal_is_release(member->wanted)) {
		member->server->listener->on_release_failed(member);
	} else {
		on_vote(member, RL_VOTE_FAILED);
	}
}

static void on_renewal_error(rl_renewal_member *member, const rl_error *err, int64_t now)
{
	if (strcmp(err->code, "WRONGTYPE") == 0) {
		member->refusal = RL_LOSS_TAKEN_OVER;
		on_vote(member, RL_VOTE_REFUSED);
	} else if (rl_error_is_wrong_server(err)) {
		leave_wrong_server(member, now);
	} else if (err->status == RL_ERR_UNCONFIRMED) {
		rl_stats_add(&rl_env_stats(member->server->env)->unconfirmed, 1);
		on_vote(member, RL_VOTE_FAILED);
	} else if (rl_error_is_full(err)) { /* the server closes the connection after this */
		queue_again(member);
		rl_renewer_server_fail(member->server, now);
	} else {
		on_vote(member, RL_VOTE_FAILED);
	}
}

static void on_renewal_answered(rl_renewal_member *member, const rl_reply *reply, int64_t now)
{
	rl_renewer_server *server = member->server;
	rl_request request = rl_renewal_request(member, member->sent, server->lacks_helpers);
	rl_answer answer;
	rl_error err;
	rl_answer_read(&request, reply, &answer, &err, &request.token, 1);
	if (answer.again == RL_AGAIN_AS_TEXT) {
		server->lacks_script = true;
		queue_again(member);
	} else if (answer.vote != RL_VOTE_FAILED) {
		server->fails = 0;
		member->refusal = rl_answer_is_taken_over(&answer) ? RL_LOSS_TAKEN_OVER : RL_LOSS_DELETED;
		member->told = answer.vote;
		if (server->listener->may_count(member)) {
			on_vote(member, answer.vote);
		}
	} else {
		on_renewal_error(member, &err, now);
	}
}

/* The answer leaves open whether the member has the lock, so the release is sent again. After an
 * error that would always come back, sending it again would change nothing. */
static bool leaves_open(
	const rl_renewal_member *member, const rl_answer *answer, const rl_error *err)
{
	if (answer->vote == RL_VOTE_FAILED) {
		return !rl_error_is_final(err) && strcmp(err->code, "WRONGTYPE") != 0;
	}
	/* The token that is to be put back was there already: the swap that replaces it may still be on
	 * its way, like a SET after a release that found nothing. */
	bool was_back = member->renewal->back.len > 0 && answer->number == RL_SWAPPED_BEFORE;
	return (answer->vote == RL_VOTE_REFUSED || was_back) && member->has_lost_set;
}

static void on_release_answered(rl_renewal_member *member, const rl_reply *reply, int64_t now)
{
	rl_renewer_server *server = member->server;
	rl_request request = rl_renewal_request(member, member->sent, server->lacks_helpers);
	rl_answer answer;
	rl_error err;
	rl_bytes secrets[] = {request.token, request.fresh};
	rl_answer_read(&request, reply, &answer, &err, secrets, 2);
	if (rl_again_is_without_helpers(answer.again)) {
		member->no_helpers = true;
		server->lacks_helpers |= answer.again == RL_AGAIN_NEVER_HELPERS;
		queue_again(member);
	} else if (answer.vote == RL_VOTE_FAILED && rl_error_is_wrong_server(&err)) {
		leave_wrong_server(member, now);
	} else if (leaves_open(member, &answer, &err)) {
		server->listener->on_release_failed(member);
	} else {
		server->fails = answer.vote == RL_VOTE_FAILED ? server->fails : 0;
		if (answer.vote == RL_VOTE_FAILED || server->listener->may_count(member)) {
			end_release(member);
		}
	}
}

static void on_reply(rl_renewer_server *server, const rl_reply *reply, int64_t now)
{
	rl_renewal_member *member = rl_renewal_queue_take_sent(&server->queue);
	if (member == NULL || follow(member, reply)) {
		return;
	}
	if (rl_renewal_is_release(member->sent)) {
		on_release_answered(member, reply, now);
	} else {
		on_renewal_answered(member, reply, now);
	}
}

static void read_all(rl_renewer_server *server, const rl_tick *tick)
{
	while (rl_channel_is_open(&server->channel)) {
		rl_conn_event event;
		rl_channel_next(&server->channel, &event);
		switch (event.type) {
			case RL_CONN_NONE:
				return;
			case RL_CONN_READY:
				rl_channel_note_ready(&server->channel, server->env);
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

void rl_renewer_server_read(rl_renewer_server *server, const rl_tick *tick)
{
	read_all(server, tick);
	if (rl_channel_judge_replicas(&server->channel, tick)) {
		read_all(server, tick);
	}
}
