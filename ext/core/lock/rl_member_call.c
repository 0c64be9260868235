/* SPDX-License-Identifier: MIT
 *
 * A member call: the design, and the code in the order of time.
 *
 * A member call takes a connection from the pool or dials one, sends the command, and waits for the
 * answer. The vote ends the member call.
 *
 *     BACKED_OFF -> START -> LOGIN -> ANSWER -> CHECKING -> DONE
 *                                       |
 *                                       +-> REFUSED -> UNDOING -> DONE
 *
 *     DONE -> TAKING_BACK -> DONE    the caller's token, if the quorum call has failed
 *
 * The member call may fail in each state. It may also go back to START: after PAUSED, because the
 * connection has broken, or the keys are on two nodes; after NAMING, because the server is a
 * replica, or the name of a node is not resolved; after LOOKUP, because the primary is unknown, or
 * has failed; and at once after a redirect, or when the Sentinels have named another primary.
 * rl_member_call_step() says what happens in each state.
 *
 * THE LOGIN. LOGIN is only for commands that must not reach a wrong database. A command that takes
 * a lock travels with AUTH and SELECT in one write, and is undone (UNDOING) if they fail. The
 * release of a drawn token travels with them, too.
 *
 * THE BUDGET is one timeout, plus one connect timeout if the member call has to dial. A connection
 * that breaks within the budget is replaced and the command is sent again, at once and then with
 * back-off. A server that refuses the connection ends the member call, unless an earlier connection
 * took the command: then the command is in doubt, and only another answer can clear that. A reply
 * that makes no sense also ends the member call.
 *
 * DOUBT (rl_doubt). A command is in doubt if it was handed over whole, and its answer is lost. If
 * the command was to take a lock, the next one is a TRY that says "maybe ours", which finds our own
 * token. A caller's own token may be the token of another holder, so "the key has this token"
 * leaves the command in doubt.
 *
 * A WRONG SERVER answers READONLY or MASTERDOWN: the address has led to a replica, or the primary
 * has become one. Its connections are closed, the driver resolves the name again, and the command,
 * which did not run, is sent once more within the same budget. But if the connection was dialled
 * just now, to an address that resolving cannot change, a new one would meet the same server again:
 * then the answer is the failure.
 *
 * SEVERAL NODES (rl_route.c). A redirect means that the command was not carried out, so it leaves
 * no doubt. One connection at a time has the member call's unanswered command, so an undo still
 * follows its command.
 *
 * A CALLER'S TOKEN is not sent where it could meet an earlier command with the same token: see
 * rl_quorum_call.h.
 *
 * SENTINELS. In a planned failover the old primary accepts writes for ten seconds more, and calls
 * itself the master; a primary that was paused does so when it wakes. So an answer counts only if a
 * majority of the Sentinels names the node that has given it, and was asked less than RL_CHECK_NS
 * before the answer (CHECKING). If the last lookup is half as old, another one runs beside the
 * command, and adds no round trip. With a time of grace a new primary grants nothing at first: see
 * rl_member_grace.c.
 *
 * If no majority can be found, a command that takes or prolongs a lock has failed. All others
 * count: a lock can be released, and asked about, without Sentinels. A probe is not checked: it
 * decides nothing, and the next one must renew the waiter's mark in time while the Sentinels are
 * silent. A wait does not last longer because the Sentinels are silent: at the end of its budget a
 * member call goes on as if they could not be asked.
 *
 * If the Sentinels name another node, the member call leaves the old one at once, also while the
 * answer is missing. What the old primary has or may have granted is undone there. The old primary
 * takes part in nothing any more, so neither that grant nor its undo can reach the new one.
 *
 * OWNERSHIP. A member call belongs to its quorum call, and to the thread of it. It has a connection
 * only between the beginning and the settling of the quorum call. It owns its text and a reference
 * to its node. The lookup belongs to the route, and all operations of the thread share it.
 */
#include "core/lock/rl_member_call.h"

#include "core/base/rl_time.h"
#include "core/base/rl_token.h"
#include "core/lock/rl_member_grace.h"
#include "core/wire/rl_redirect.h"

#include <stdlib.h>
#include <string.h>

/* How many lookups and moves to another node there may be before a primary that is not known yet is
 * taken for too new. The first lookup may come a moment too early. */
#define GRACE_HOPS_MAX 2

/* ---- the state ---- */

/* Only this function changes the state, which begins with START. */
static void enter(rl_member_call *member, rl_member_call_state state)
{
	member->state = state;
}

void rl_member_call_finish(rl_member_call *member, rl_vote vote)
{
	member->vote = vote;
	enter(member, RL_MEMBER_CALL_DONE);
	rl_channel_mute(&member->channel);
}

static void fail(rl_member_call *member)
{
	rl_member_call_finish(member, RL_VOTE_FAILED);
}

/* The login failed; err has the reason. */
static bool is_refused(const rl_member_call *member)
{
	return member->state == RL_MEMBER_CALL_REFUSED || member->state == RL_MEMBER_CALL_UNDOING;
}

/* The command is answered, also if the answer is still checked. */
static bool is_answered(const rl_member_call *member)
{
	return member->state == RL_MEMBER_CALL_CHECKING || member->state == RL_MEMBER_CALL_DONE;
}

bool rl_member_call_is_unanswered(const rl_member_call *member)
{
	return (member->state == RL_MEMBER_CALL_ANSWER || member->state == RL_MEMBER_CALL_REFUSED) &&
		rl_channel_is_handed_over(&member->channel);
}

/* The member has the whole time for an answer once more, up to the limit. */
static void renew_budget(rl_member_call *member, const rl_tick *tick)
{
	member->budget_end =
		rl_time_earlier(rl_time_later(tick->now, member->timeout), member->budget_max);
}

/* ---- the node ---- */

/* The member call asks this node from now on. */
static void use_node(rl_member_call *member, rl_target *node)
{
	rl_target *before = member->node;
	member->node = node != NULL ? rl_target_ref(node) : NULL;
	rl_target_unref(before);
}

/* Chooses the node to ask: the node of the slot, unless a redirect has led this one command to
 * another node. A single server is chosen once. */
static void choose_node(rl_member_call *member)
{
	const rl_member *server = rl_member_call_server(member);
	if (member->node == NULL || (server->route != NULL && !member->sent.is_asking)) {
		use_node(member, rl_member_node(server, member->call->request.slot));
	}
}

/* Call when the member call begins: a node of a cluster that is backed off is asked only if another
 * node names it. */
static void avoid_node(rl_member_call *member, rl_pool_want want, int64_t now)
{
	rl_route *route = rl_member_call_server(member)->route;
	if (route != NULL && route->kind == RL_ROUTE_CLUSTER &&
		!rl_pool_is_worth_asking(member->call->pool, member->node, want, now)) {
		rl_route_suspect(route, member->node);
		choose_node(member);
	}
}

/* The node could not be reached, or has not answered in time: the node is backed off, and other
 * nodes are asked first. */
static void note_failure(rl_member_call *member, const rl_tick *tick)
{
	rl_route *route = rl_member_call_server(member)->route;
	if (rl_channel_blame(&member->channel, member->err)) {
		rl_pool_note_failure(member->call->pool, member->node, tick->now);
	}
	if (route != NULL) {
		rl_route_suspect(route, member->node);
		route->named_at = 0;
	}
}

/* After a failure: true = another node may be asked within the budget. Counts this hop. */
static bool may_hop(rl_member_call *member)
{
	const rl_member *server = rl_member_call_server(member);
	const rl_lines *lines = member->channel.lines;
	if (server->route == NULL || member->hops >= RL_HOPS_MAX ||
		(lines != NULL && lines->is_closing) ||
		rl_route_node(server->route, member->call->request.slot) == member->node) {
		return false;
	}
	member->hops++;
	return true;
}

/* ---- lookups: for members behind Sentinels only, except for look_up_again() ---- */

/* The route of a member behind Sentinels; NULL = the member has no Sentinels. */
static rl_route *sentinels_of(const rl_member_call *member)
{
	rl_route *route = rl_member_call_server(member)->route;
	return route != NULL && route->kind == RL_ROUTE_SENTINEL ? route : NULL;
}

/* The route names the node that the member call asks. */
static bool is_named(const rl_member_call *member)
{
	rl_target *named = rl_route_node(sentinels_of(member), 0);
	return member->node != NULL && named != NULL && rl_target_equal(member->node, named);
}

static bool is_looking(const rl_member_call *member)
{
	return member->lookup != NULL && rl_lookup_is_open(member->lookup);
}

/* Counts another primary than before, and ends the idle connections to the old one. */
static void note_switch(const rl_member_call *member, const rl_target *before, int64_t now)
{
	const rl_quorum_call *call = member->call;
	if (before != NULL && !rl_target_equal(before, rl_route_node(sentinels_of(member), 0))) {
		rl_stats_add(&rl_env_stats(call->env)->primary_switches, 1);
		rl_pool_clear_address(call->pool, &before->address, now);
	}
}

static void step_open_lookup(rl_member_call *member, const rl_tick *tick)
{
	rl_target *before = rl_route_node(sentinels_of(member), 0);
	before = before != NULL ? rl_target_ref(before) : NULL;
	if (rl_lookup_step(member->lookup, tick) == RL_VOTE_GRANTED) {
		note_switch(member, before, tick->now);
	}
	rl_target_unref(before);
}

/* Begins a lookup, unless one is open: it may have been begun by another operation. If its time is
 * over, the answers that have arrived since are read before the lookup is replaced. Otherwise a
 * wait whose looks are farther apart than this time would never learn of a switch. False = out of
 * memory; err is set. */
static bool begin_lookup(rl_member_call *member, int64_t now)
{
	rl_lookup *lookup = rl_lookup_of(sentinels_of(member), member->call->pool);
	if (lookup == NULL) {
		rl_error_set(member->err, RL_ERR_MEMORY, 0, "out of memory");
		return false;
	}
	member->lookup = lookup;
	if (rl_lookup_is_open(lookup) && now >= lookup->until) {
		rl_lookup_take_in(lookup);
		step_open_lookup(member, &(rl_tick){.now = now});
	}
	rl_lookup_join(lookup, now + member->connect_timeout + member->timeout, now);
	return true;
}

/* Begins a lookup, and sends nothing before the Sentinels have answered. */
static void await_lookup(rl_member_call *member, int64_t now)
{
	enter(member, RL_MEMBER_CALL_LOOKUP);
	if (!begin_lookup(member, now)) {
		fail(member);
	}
}

/* The node has failed, or is a replica: asks the Sentinels for another primary. False = the call
 * has done so too often, or the member has no Sentinels. */
static bool look_up_again(rl_member_call *member, int64_t now)
{
	if (sentinels_of(member) == NULL || member->hops == RL_HOPS_MAX) {
		return false;
	}
	member->hops++;
	await_lookup(member, now);
	return true;
}

/* ---- the beginning ---- */

/* The command must reach the server after an earlier command that may have taken the lock there, so
 * it is sent on the same connection. */
static bool must_come_after(const rl_quorum_call *call)
{
	return call->request.verb == RL_VERB_RELEASE ||
		(call->request.verb == RL_VERB_SWAP && call->is_own_token);
}

/* The server may still run a command on a connection that lingers. Such a command could free a lock
 * with the caller's token: with several members any command could, otherwise only an undo of such a
 * token. */
static bool may_meet_undo(const rl_member_call *member, int64_t now)
{
	const rl_quorum_call *call = member->call;
	bool takes = rl_verb_takes(call->request.verb);
	if (!call->is_own_token || member->node == NULL ||
		!(takes || call->request.verb == RL_VERB_SWAP)) {
		return false;
	}
	return (takes && call->set->count > 1 && rl_pool_is_lingering(call->pool, member->node, now)) ||
		rl_pool_has_own_undo(call->pool, member->node, now);
}

/* Ends the member call if the caller's token is in doubt on this member, or could meet the effect
 * of commands on a connection that lingers. */
static void keep_own_token_back(rl_member_call *member, int64_t now)
{
	rl_quorum_call *call = member->call;
	bool takes = rl_verb_takes(call->request.verb);
	if (rl_member_call_is_spent(member) && (takes || call->request.verb == RL_VERB_SWAP)) {
		rl_error_set(member->err, RL_ERR_UNKNOWN, 0,
			"not asked again: it is unknown whether an earlier command with your token took "
			"effect");
		fail(member);
	} else if (may_meet_undo(member, now)) {
		call->spent |= takes && call->set->count > 1 ? 1U << rl_member_call_index(member) : 0;
		rl_error_set(member->err, RL_ERR_TIMEOUT, 0,
			"not asked: the server may still run earlier commands, which could affect a lock with "
			"your token");
		fail(member);
	}
}

/* Begins a lookup if the last one is old, or if the primary is unknown. */
static void look_up(rl_member_call *member, const rl_route *route, int64_t now)
{
	if (member->node == NULL) {
		await_lookup(member, now);
	} else if (route->named_at == 0 || now - route->named_at >= route->check_ns / 2) {
		begin_lookup(member, now);
	}
}

void rl_member_call_begin(rl_member_call *member, int64_t now, int64_t latest)
{
	rl_quorum_call *call = member->call;
	const rl_member *server = rl_member_call_server(member);
	int64_t ttl = call->request.ttl_ms * RL_NS_PER_MS;
	int64_t timeout = rl_set_patience(call->set, server->timeout_ns, ttl);
	int64_t budget_max = rl_time_later(latest, timeout);
	if (budget_max <= now) {
		budget_max = now + timeout; /* the process was suspended */
	}
	free(member->text);
	member->err->status = RL_OK;
	*member = (rl_member_call){.call = call,
		.err = member->err,
		.node = member->node,
		.lookup = member->lookup,
		.channel = {.lines = call->lines},
		.sent = {.form = call->request.form},
		.timeout = timeout,
		.connect_timeout = rl_set_patience(call->set, server->connect_timeout_ns, ttl),
		.budget_max = budget_max,
		.budget_end = rl_time_earlier(now + timeout, budget_max)};
	rl_pool_want want = must_come_after(call) ? RL_WANT_RELEASE : RL_WANT_ANY;
	choose_node(member);
	avoid_node(member, want, now);
	keep_own_token_back(member, now);
	const rl_route *route = sentinels_of(member);
	if (member->state == RL_MEMBER_CALL_START && route != NULL) {
		look_up(member, route, now);
	}
	if (member->state == RL_MEMBER_CALL_START && call->request.verb != RL_VERB_FORCE &&
		!rl_pool_is_worth_asking(call->pool, member->node, want, now)) {
		enter(member, RL_MEMBER_CALL_BACKED_OFF);
	}
}

void rl_member_call_call_up(rl_member_call *member)
{
	if (member->state == RL_MEMBER_CALL_BACKED_OFF) {
		enter(member, RL_MEMBER_CALL_START);
	}
}

/* ---- sending ---- */

/* Writes as much as the kernel accepts now. */
static void flush(rl_member_call *member, const rl_tick *tick)
{
	if (rl_channel_flush(&member->channel, tick->now)) {
		/* Connect time that was not used does not extend the time for the answer. */
		member->budget_end = rl_time_earlier(member->budget_end, tick->now + member->timeout);
	}
}

/* The answer to this command may stay unread, because the other members decide. */
static bool may_stay_unheard(const rl_member_call *member, rl_verb verb)
{
	return rl_member_call_patience(member) > 0 && rl_verb_changes(verb);
}

/* Fills in the command for this connection, in the form that its server wants. */
static void prepare_command(rl_member_call *member)
{
	const rl_quorum_call *call = member->call;
	const rl_conn *conn = member->channel.conn;
	rl_request *sent = &member->sent;
	rl_form form = sent->form;
	bool had_no_helpers = sent->no_helpers;
	bool was_asking = sent->is_asking;
	*sent = call->request;
	if (rl_verb_takes(sent->verb) && member->doubt == RL_DOUBT_UNKNOWN) {
		sent->verb = RL_VERB_TRY;
		sent->maybe_ours = !call->is_own_token;
		sent->mark_ms = sent->waiter.data != NULL ? sent->mark_ms : 0;
	}
	bool is_new = rl_conn_needs_text(conn, sent->verb);
	/* If the answer may stay unread, no answer could lead to a second round. */
	bool is_text = is_new || may_stay_unheard(member, sent->verb);
	sent->form = form == RL_FORM_USUAL && is_text ? RL_FORM_TEXT : form;
	sent->no_helpers = had_no_helpers || sent->no_helpers || !call->set->wakes;
	sent->is_asking = was_asking;
	int64_t own_ms = rl_reservation_ms(call->set->count, conn->round_trip);
	sent->reserve_ms = own_ms > sent->reserve_ms ? own_ms : sent->reserve_ms;
}

/* Sends the command, or sends it again in the form that the server wants. */
static void send_command(rl_member_call *member, const rl_tick *tick)
{
	rl_channel *channel = &member->channel;
	prepare_command(member);
	/* Of several swaps the last one sets the TTL, so its time of sending counts. */
	channel->sent_at = member->sent.verb == RL_VERB_SWAP ? 0 : channel->sent_at;
	enter(member, RL_MEMBER_CALL_ANSWER);
	if (!rl_channel_send(channel, &member->sent, (unsigned) member->sent.verb)) {
		rl_error_set(member->err, RL_ERR_MEMORY, 0, "out of memory");
		rl_channel_close(channel);
		fail(member);
		return;
	}
	rl_route *route = rl_member_call_server(member)->route;
	if (route != NULL) {
		rl_conn_ask_map(channel->conn, route, tick->now);
	}
	flush(member, tick);
}

/* ---- trying again ---- */

/* Begins anew after the n-th delay of the back-off, n from 1; 0 = at once. Fails if the budget is
 * over by then; err must have the reason. */
static void pause(rl_member_call *member, unsigned n, const rl_tick *tick)
{
	const rl_quorum_call *call = member->call;
	int64_t delay = 0;
	if (n > 0) {
		delay = rl_backoff_delay(&call->set->backoff, n - 1, call->env);
		delay = delay < RL_NS_PER_MS ? RL_NS_PER_MS : delay; /* jitter can make it 0 */
	}
	member->vain++;
	member->resume_at = rl_time_later(tick->now, delay);
	enter(member, RL_MEMBER_CALL_PAUSED);
	if (member->resume_at >= member->budget_end) {
		fail(member);
	}
}

/* Call when the connection is gone. Dials again within the budget if has_hope, or if the command is
 * in doubt, which only another answer can clear. Another node of the member is asked at once. */
static void recover(rl_member_call *member, bool has_hope, const rl_tick *tick)
{
	if (!has_hope && look_up_again(member, tick->now)) {
		return;
	}
	bool is_elsewhere = !has_hope && may_hop(member);
	if (!has_hope && !is_elsewhere && member->doubt != RL_DOUBT_UNKNOWN) {
		fail(member);
		return;
	}
	member->sent.is_asking = false; /* the node of the slot knows where the key is now */
	pause(member, is_elsewhere ? 0 : member->vain, tick);
}

/* A dial has failed: true = the reason is the name of a node, which the driver resolves now. */
static bool wants_name(rl_member_call *member, const rl_tick *tick)
{
	rl_transport *transport = member->call->pool->transport;
	if (rl_member_call_server(member)->route == NULL || member->err->status != RL_ERR_NAME ||
		!transport->distrust(transport, &member->node->address)) {
		return false;
	}
	enter(member, RL_MEMBER_CALL_NAMING);
	member->resume_at = tick->now + 1;
	return true;
}

/* The node has not run the command. */
static void leave_node(rl_member_call *member, const rl_tick *tick)
{
	rl_channel *channel = &member->channel;
	rl_giving giving = {.is_trusted = true, .patience = rl_member_call_patience(member)};
	rl_channel_give_back(channel, member->call->pool, giving, tick->now);
	channel->sent_at = member->doubt == RL_DOUBT_NONE ? 0 : channel->sent_at;
}

/* If the reply is a redirect: asks the other node, or fails. False = the reply is no redirect. */
static bool follow(rl_member_call *member, const rl_reply *reply, const rl_tick *tick)
{
	rl_route *route = rl_member_call_server(member)->route;
	rl_redirect redirect = reply->type == RL_REPLY_ERROR ? rl_redirect_read(reply->text)
														 : (rl_redirect){.kind = RL_REDIRECT_NONE};
	if (redirect.kind == RL_REDIRECT_NONE) {
		return false;
	}
	if (!rl_route_has_redirects(route)) {
		rl_error_from_server(member->err, reply->text, NULL, 0);
		rl_error_append(
			member->err, " (this server is a node of a cluster: use redis-cluster:// in the DSN)");
		fail(member);
		return true;
	}
	rl_stats_add(&rl_env_stats(member->call->env)->cluster_redirects, 1);
	rl_target *node = rl_route_follow(route, &redirect, member->channel.conn->target);
	if (node == NULL || member->hops == RL_HOPS_MAX) {
		rl_error_set(member->err, RL_ERR_CONNECT, 0,
			"redirected too often (is a node down, or the user not allowed to send ASKING?); "
			"the last node, %s, answered: %.*s",
			member->node->name, (int) reply->text.len, reply->text.data);
		fail(member);
		return true;
	}
	member->hops++;
	member->sent.is_asking = redirect.kind == RL_REDIRECT_ASK;
	use_node(member, node); /* first: a map that is read now may drop the node */
	leave_node(member, tick);
	enter(member, RL_MEMBER_CALL_START);
	return true;
}

/* The server is a replica, so its connection is not used again; err has its answer. True = the
 * member call goes on with another connection, or has failed without one. */
static bool leave_wrong_server(rl_member_call *member, const rl_tick *tick)
{
	const rl_quorum_call *call = member->call;
	rl_route *route = rl_member_call_server(member)->route;
	const rl_address *address = &member->channel.conn->target->address;
	bool may_lead_elsewhere =
		rl_channel_is_retired(&member->channel) || rl_pool_distrust(call->pool, address, tick->now);
	if (route != NULL) {
		rl_route_suspect(route, member->node);
		route->named_at = 0;
		may_lead_elsewhere = may_hop(member) || may_lead_elsewhere;
	}
	bool is_worth_it = !member->channel.is_fresh || may_lead_elsewhere;
	if (sentinels_of(member) != NULL) {
		rl_channel_close(&member->channel);
		if (!look_up_again(member, tick->now)) {
			fail(member);
		}
		return true;
	}
	if (member->hops > 0 || !is_worth_it) {
		member->must_close = true;
		return false;
	}
	rl_channel_close(&member->channel);
	member->hops++;
	member->resume_at = tick->now + 1; /* the driver resolves names first */
	enter(member, RL_MEMBER_CALL_NAMING);
	rl_stats_add(&rl_env_stats(call->env)->reconnects, 1);
	return true;
}

/* ---- opening ---- */

/* A command that takes a lock is undone if the login fails. The release of a drawn token can free
 * no other lock in any database, so it is sent with the login: a quorum call may end before the
 * login is answered. */
static bool may_travel_with_login(const rl_quorum_call *call)
{
	return rl_verb_takes(call->request.verb) ||
		(call->request.verb == RL_VERB_RELEASE && rl_token_is_drawn(call->request.token));
}

/* False = the server cannot be dialled; err has the reason. */
static bool take_or_dial(rl_member_call *member, const rl_tick *tick)
{
	const rl_quorum_call *call = member->call;
	rl_target *target = member->node;
	rl_pool_want want = call->request.verb == RL_VERB_FORCE ? RL_WANT_CHECKED : RL_WANT_ANY;
	want = must_come_after(call) ? RL_WANT_RELEASE : want;
	rl_channel *channel = &member->channel;
	bool is_taken = rl_channel_take(channel, call->pool, target, want, 0, tick->now);
	if (is_taken && !channel->is_connecting) {
		return true;
	}
	if (!member->has_dialled) {
		member->has_dialled = true;
		member->budget_end = rl_time_earlier(
			rl_time_later(member->budget_end, member->connect_timeout), member->budget_max);
	}
	int64_t connect_end = rl_time_earlier(tick->now + member->connect_timeout, member->budget_end);
	channel->connect_end = connect_end;
	return is_taken ||
		rl_channel_dial(
			channel, call->pool->transport, target, connect_end, call->env, member->err);
}

/* True = the command must not be sent: the node is too new to take the lock there. The member call
 * then has failed, or waits for the Sentinels first. */
static bool hold_back(rl_member_call *member, int64_t now)
{
	const rl_route *route = sentinels_of(member);
	if (route->grace_ns == 0 || !rl_member_grace_is_too_new(member)) {
		return false;
	}
	bool is_known = route->named_at != 0 && rl_member_grace_left(member, now) > 0;
	if (is_looking(member) || (!is_known && member->hops < GRACE_HOPS_MAX)) {
		member->hops++;
		await_lookup(member, now);
		return true;
	}
	rl_member_grace_explain(member, now);
	rl_stats_add(&rl_env_stats(member->call->env)->blocked_by_grace, 1);
	fail(member);
	return true;
}

static void open(rl_member_call *member, const rl_tick *tick)
{
	choose_node(member);
	keep_own_token_back(member, tick->now); /* the node may be another one by now */
	if (member->state == RL_MEMBER_CALL_DONE ||
		(sentinels_of(member) != NULL && hold_back(member, tick->now))) {
		return;
	}
	if (!take_or_dial(member, tick)) {
		if (wants_name(member, tick)) {
			return;
		}
		note_failure(member, tick);
		recover(member, false, tick);
	} else if (may_travel_with_login(member->call) || rl_channel_is_logged_in(&member->channel)) {
		send_command(member, tick);
	} else {
		enter(member, RL_MEMBER_CALL_LOGIN);
		flush(member, tick);
	}
}

/* ---- the answer ---- */

/* Bytes that no message may show. */
typedef struct call_secrets {
	rl_bytes list[2];
} call_secrets;

static call_secrets secrets_of(const rl_member_call *member)
{
	const rl_secret *password = &member->node->password;
	return (call_secrets){
		{member->call->request.token, rl_bytes_of(password->data, password->len)}};
}

/* Counts the round trip. Keeps the shortest one of the connection, because a longer one may include
 * a stall. */
static void note_round_trip(const rl_member_call *member, const rl_tick *tick)
{
	int64_t round_trip = tick->now - member->channel.sent_at;
	rl_conn *conn = member->channel.conn;
	if (member->vain > 0) {
		return; /* the command was sent before, too */
	}
	rl_histogram_add(&rl_env_stats(member->call->env)->round_trip, round_trip);
	if (conn->round_trip == 0 || round_trip < conn->round_trip) {
		conn->round_trip = round_trip;
	}
}

/* Notes that the server knows the script now. */
static void note_script(const rl_member_call *member)
{
	const rl_request *sent = &member->sent;
	rl_conn *conn = member->channel.conn;
	bool is_unheard = may_stay_unheard(member, sent->verb);
	if (sent->form == RL_FORM_TEXT && !is_unheard && rl_verb_is_script(sent->verb) &&
		rl_conn_needs_text(conn, sent->verb)) {
		rl_conn_note_script(conn, sent->verb);
		rl_stats_add(&rl_env_stats(member->call->env)->scripts_loaded, 1);
	}
}

/* Counts that the helper keys of this lock, or of any, cannot be used. */
static void note_no_helpers(const rl_member_call *member, const rl_answer *answer)
{
	rl_quorum_call *call = member->call;
	bool is_freeing = rl_verb_changes(call->request.verb); /* a wait has its own count */
	bool is_counted =
		answer->again == RL_AGAIN_NEVER_HELPERS ? rl_set_stop_waking(call->set) : is_freeing;
	rl_stats_add(&rl_env_stats(call->env)->wake_failures, is_counted);
}

static void send_again(
	rl_member_call *member, const rl_answer *answer, const rl_error *err, const rl_tick *tick)
{
	switch (answer->again) {
		case RL_AGAIN_NOT:
			break;
		case RL_AGAIN_LATER:
			/* The keys of the command are on two nodes, because their slot is moving. */
			*member->err = *err;
			leave_node(member, tick);
			pause(member, member->vain + 1, tick);
			return;
		case RL_AGAIN_NO_HELPERS:
		case RL_AGAIN_NEVER_HELPERS:
			member->sent.no_helpers = true;
			note_no_helpers(member, answer);
			break;
		case RL_AGAIN_BY_TYPE:
			member->sent.form = RL_FORM_TYPE;
			break;
		case RL_AGAIN_AS_TEXT:
			member->sent.form = RL_FORM_TEXT;
			rl_conn_lose_scripts(member->channel.conn);
			break;
	}
	send_command(member, tick);
}

/* After a lost answer, a refusal may be the effect of our own earlier command, or of another
 * client. True = that cannot be known; err is set. */
static bool is_unknown(const rl_member_call *member, const rl_answer *answer)
{
	if (member->doubt != RL_DOUBT_UNKNOWN || answer->vote != RL_VOTE_REFUSED) {
		return false;
	}
	rl_verb verb = member->call->request.verb;
	bool holds_own =
		rl_verb_takes(verb) && member->call->is_own_token && answer->holder == RL_HOLDER_SELF;
	if (holds_own) {
		rl_error_set(member->err, RL_ERR_UNKNOWN, 0,
			"the connection broke before the answer, and the key now has your token; "
			"outcome unknown: either this call took the lock, or another caller with the same "
			"token holds it; it ends by its TTL");
	} else if (verb == RL_VERB_RELEASE) {
		rl_error_set(member->err, RL_ERR_UNKNOWN, 0,
			"no longer held, outcome unknown: the connection broke before the answer, so either "
			"this call released the lock, or it was lost before");
	}
	return holds_own || verb == RL_VERB_RELEASE;
}

static rl_vote vote_of(const rl_member_call *member, const rl_answer *answer)
{
	const rl_quorum_call *call = member->call;
	bool is_in_doubt = member->doubt == RL_DOUBT_UNKNOWN;
	if (is_in_doubt && call->was_held && call->request.verb == RL_VERB_RELEASE &&
		answer->vote == RL_VOTE_REFUSED) {
		return RL_VOTE_GRANTED; /* the first copy has freed it */
	}
	if (member->sent.verb == RL_VERB_SWAP && call->is_own_token && !is_in_doubt &&
		answer->number == RL_SWAPPED_BEFORE) {
		return RL_VOTE_REFUSED; /* another client has set this token */
	}
	return answer->vote;
}

static bool keep_text(rl_member_call *member, rl_bytes text)
{
	free(member->text); /* of a node that the call has left */
	member->text = NULL;
	member->text_len = 0;
	if (text.len == 0) {
		return true;
	}
	member->text = malloc(text.len);
	if (member->text == NULL) {
		return false;
	}
	memcpy(member->text, text.data, text.len);
	member->text_len = text.len;
	return true;
}

/* An answer of the node counts only after check(). */
static bool must_check(const rl_member_call *member, int64_t now)
{
	const rl_route *route = sentinels_of(member);
	if (route->check_ns == RL_NEVER || member->call->request.verb == RL_VERB_PROBE) {
		return false;
	}
	bool is_too_new = route->grace_ns > 0 &&
		(!rl_member_grace_is_since_login(member) || rl_member_grace_is_too_new(member));
	return now - route->named_at >= route->check_ns || !is_named(member) || is_too_new;
}

/* The answer is the vote, unless the Sentinels must confirm its node first. */
static void conclude(rl_member_call *member, int64_t now)
{
	member->heard_at = now;
	if (sentinels_of(member) != NULL && must_check(member, now)) {
		enter(member, RL_MEMBER_CALL_CHECKING);
	} else {
		rl_member_call_finish(member, member->answer.vote);
	}
}

static void on_error(rl_member_call *member, const rl_answer *answer, const rl_error *err)
{
	*member->err = *err;
	member->answer.number = answer->number;
	if (err->status == RL_ERR_PROTOCOL) {
		member->doubt = RL_DOUBT_UNKNOWN; /* the answer makes no sense */
		member->must_close = true;
	}
	if (err->status == RL_ERR_UNCONFIRMED) {
		rl_stats_add(&rl_env_stats(member->call->env)->unconfirmed, 1);
		if (member->call->request.verb != RL_VERB_EXTEND) {
			member->doubt = RL_DOUBT_UNKNOWN; /* the member has the token, which must not stay */
		}
	}
	fail(member);
}

/* True = the server has not run the command, which is sent again, here or to another node. The
 * member call has failed if that is not possible any more. */
static bool must_send_again(
	rl_member_call *member, const rl_answer *answer, rl_conn_event *event, const rl_tick *tick)
{
	if (answer->again != RL_AGAIN_NOT) {
		send_again(member, answer, &event->err, tick);
		return true;
	}
	if (answer->vote != RL_VOTE_FAILED) {
		return false;
	}
	if (follow(member, &event->reply, tick)) {
		return true;
	}
	if (!rl_error_is_wrong_server(&event->err)) {
		return false;
	}
	*member->err = event->err;
	return leave_wrong_server(member, tick);
}

/* The answer to the command. */
static void on_answer(
	rl_member_call *member, rl_answer *answer, rl_conn_event *event, const rl_tick *tick)
{
	if (must_send_again(member, answer, event, tick)) {
		return;
	}
	note_round_trip(member, tick);
	bool is_untold = rl_answer_is_untold(answer, member->sent.verb);
	rl_stats_add(&rl_env_stats(member->call->env)->wake_failures, is_untold);
	note_script(member);
	answer->vote = vote_of(member, answer);
	if (is_unknown(member, answer)) {
		fail(member);
		return;
	}
	if (answer->vote == RL_VOTE_FAILED) {
		on_error(member, answer, &event->err);
		return;
	}
	member->doubt = member->doubt == RL_DOUBT_UNKNOWN ? RL_DOUBT_STRAY : member->doubt;
	member->answer = *answer;
	if (keep_text(member, answer->text)) {
		conclude(member, tick->now);
	} else {
		rl_error_set(member->err, RL_ERR_MEMORY, 0, "out of memory");
		fail(member);
	}
}

void rl_member_call_adopt(rl_member_call *member, rl_conn *conn, bool is_asking, int64_t sent_at)
{
	use_node(member, conn->target);
	member->sent.is_asking = is_asking;
	member->channel.conn = conn;
	member->channel.sent_at = sent_at;
	member->answer.vote = RL_VOTE_GRANTED;
	conclude(member, member->call->begun_at);
}

/* ---- checking the primary ---- */

/* The Sentinels do not confirm the answer. A grant is undone when the quorum call settles. */
static void fail_unconfirmed(rl_member_call *member)
{
	if (!rl_verb_is_confirmed(member->call->request.verb) ||
		member->answer.vote != RL_VOTE_GRANTED) {
		rl_member_call_finish(member, member->answer.vote);
		return;
	}
	bool is_grant = member->call->request.verb != RL_VERB_EXTEND;
	member->err->status = RL_ERR_UNCONFIRMED;
	member->doubt = is_grant ? RL_DOUBT_UNKNOWN : member->doubt;
	rl_stats_add(&rl_env_stats(member->call->env)->unconfirmed, 1);
	fail(member);
}

/* Ends the member call if its command must not be sent to another node as well: that of the
 * caller's token, and a swap. */
static bool fails_by_switch(rl_member_call *member, bool was_granted, bool may_have_run)
{
	const rl_quorum_call *call = member->call;
	rl_verb verb = call->request.verb;
	bool is_once = (call->is_own_token && rl_verb_takes(verb)) || verb == RL_VERB_SWAP;
	if (!may_have_run || !is_once) {
		return false;
	}
	member->must_close = true;
	rl_error_set(member->err, RL_ERR_CLOSED, 0, "the Sentinels name another primary now, %s",
		rl_route_node(sentinels_of(member), 0)->name);
	if (was_granted) {
		fail_unconfirmed(member);
	} else {
		member->doubt = RL_DOUBT_UNKNOWN;
		fail(member);
	}
	return true;
}

/* The node is not the primary any more: asks the new one. */
static void leave_old_primary(rl_member_call *member, const rl_tick *tick)
{
	const rl_quorum_call *call = member->call;
	bool was_granted =
		member->state == RL_MEMBER_CALL_CHECKING && member->answer.vote == RL_VOTE_GRANTED;
	bool may_have_run = was_granted || rl_member_call_is_unanswered(member);
	if (fails_by_switch(member, was_granted, may_have_run)) {
		return;
	}
	bool is_undone =
		may_have_run && rl_verb_takes(call->request.verb) && rl_channel_is_open(&member->channel);
	if (is_undone) {
		rl_request request = call->request;
		rl_stats_add(
			&rl_env_stats(call->env)->grants_undone, rl_conn_undo(member->channel.conn, &request));
	}
	member->doubt = may_have_run ? RL_DOUBT_UNKNOWN : member->doubt;
	rl_channel_give_back(
		&member->channel, call->pool, (rl_giving){.must_arrive = is_undone}, tick->now);
	enter(member, RL_MEMBER_CALL_START);
	member->hops++;
	renew_budget(member, tick);
	if (member->hops > RL_HOPS_MAX) {
		rl_error_set(member->err, RL_ERR_CONNECT, 0, "the primary changes again and again");
		fail(member);
	}
}

/* What the Sentinels have named counts for the answer that was heard. */
static bool was_asked_in_time(const rl_member_call *member)
{
	return member->heard_at - sentinels_of(member)->named_at < RL_CHECK_NS &&
		rl_member_grace_is_since_login(member);
}

/* True when the latest lookup has failed since the answer was heard, also if it began before that.
 * For a command that counts without Sentinels a lookup that has failed since the call began is
 * enough. A lookup that has named a node never ends the check in vain: if it was asked too soon,
 * another one follows, and counts. */
static bool has_asked_in_vain(const rl_member_call *member)
{
	const rl_quorum_call *call = member->call;
	const rl_lookup *lookup = member->lookup;
	bool is_confirmed = rl_verb_is_confirmed(call->request.verb);
	int64_t since = is_confirmed ? member->heard_at : call->begun_at;
	return lookup != NULL && lookup->vote != RL_VOTE_GRANTED && lookup->ended_at >= since;
}

/* No lookup is open. */
static void judge_check(rl_member_call *member, const rl_tick *tick)
{
	if (was_asked_in_time(member)) {
		if (!is_named(member)) {
			leave_old_primary(member, tick);
		} else if (rl_member_grace_is_too_new(member)) {
			rl_member_grace_explain(member, tick->now);
			fail_unconfirmed(member);
		} else {
			rl_member_call_finish(member, member->answer.vote);
		}
	} else if (has_asked_in_vain(member)) {
		rl_lookup_explain(member->lookup, member->err);
		fail_unconfirmed(member);
	} else if (!begin_lookup(member, tick->now)) {
		fail_unconfirmed(member);
	}
}

/* Goes on as far as possible without waiting. */
static void check(rl_member_call *member, const rl_tick *tick)
{
	/* Bounded: each round ends the check, waits for a lookup, or begins one. A lookup that begins
	 * here is asked after the answer was heard: so it counts, or is in vain. */
	bool is_waiting = false;
	while (member->state == RL_MEMBER_CALL_CHECKING && !is_waiting) {
		if (is_looking(member)) {
			step_open_lookup(member, tick);
		}
		is_waiting = is_looking(member);
		if (!is_waiting) {
			judge_check(member, tick);
		}
	}
	if (member->state == RL_MEMBER_CALL_CHECKING && tick->seen >= member->budget_max) {
		rl_lookup_explain(member->lookup, member->err);
		fail_unconfirmed(member);
	}
}

/* ---- releasing a grant ---- */

bool rl_member_call_may_take_back(const rl_member_call *member, int64_t now)
{
	const rl_quorum_call *call = member->call;
	int64_t ttl = call->request.ttl_ms * RL_NS_PER_MS;
	return !call->is_own_token ||
		now < member->channel.sent_at + ttl - rl_set_drift(call->set, ttl);
}

/* Releases what the member has granted, and waits in this state for the answer. Without memory the
 * member call fails, and the token is in doubt. */
static void send_undo(rl_member_call *member, rl_member_call_state state, const rl_tick *tick)
{
	const rl_quorum_call *call = member->call;
	rl_request undo = rl_request_undo(&call->request);
	undo.is_asking = member->sent.is_asking;
	enter(member, state);
	if (!rl_channel_send(&member->channel, &undo, (unsigned) RL_VERB_RELEASE)) {
		member->doubt = RL_DOUBT_UNKNOWN;
		fail(member);
		return;
	}
	rl_stats_add(&rl_env_stats(call->env)->grants_undone, 1);
	flush(member, tick);
}

void rl_member_call_take_back(rl_member_call *member, const rl_tick *tick)
{
	if (member->vote != RL_VOTE_GRANTED || member->state != RL_MEMBER_CALL_DONE ||
		member->is_taken_back || !rl_member_call_may_take_back(member, tick->now)) {
		return;
	}
	renew_budget(member, tick);
	send_undo(member, RL_MEMBER_CALL_TAKING_BACK, tick);
	if (member->state == RL_MEMBER_CALL_DONE) {
		rl_error_set(member->err, RL_ERR_MEMORY, 0, "out of memory");
	}
}

/* The answer to the release of the caller's token. */
static void on_taken_back(rl_member_call *member, const rl_answer *answer, const rl_error *err)
{
	if (answer->vote == RL_VOTE_FAILED) {
		*member->err = *err;
		member->doubt = RL_DOUBT_UNKNOWN;
		fail(member);
		return;
	}
	member->is_taken_back = true;
	rl_member_call_finish(member, RL_VOTE_GRANTED);
}

/* ---- the login has failed ---- */

static void on_login_refused(rl_member_call *member, const rl_reply *reply, const rl_tick *tick)
{
	call_secrets secrets = secrets_of(member);
	rl_error_from_server(member->err, reply->text, secrets.list, 2);
	if (rl_redirect_read(reply->text).kind != RL_REDIRECT_NONE) {
		rl_error_append(member->err,
			" (to AUTH, SELECT or ROLE, which no node of a cluster redirects: is this a proxy?)");
	}
	if (member->state == RL_MEMBER_CALL_LOGIN) {
		if (!rl_error_is_wrong_server(member->err) || !leave_wrong_server(member, tick)) {
			fail(member);
		}
	} else if (member->state == RL_MEMBER_CALL_ANSWER) {
		enter(member, RL_MEMBER_CALL_REFUSED);
	}
}

/* The answer to the command after a login that failed. A grant is undone before the failure is
 * reported. */
static void on_answer_refused(
	rl_member_call *member, const rl_answer *answer, const rl_error *err, const rl_tick *tick)
{
	bool is_granted = answer->vote == RL_VOTE_GRANTED ||
		(answer->vote == RL_VOTE_FAILED && err->status == RL_ERR_UNCONFIRMED);
	if (rl_verb_takes(member->sent.verb) && is_granted &&
		rl_member_call_may_take_back(member, tick->now)) {
		send_undo(member, RL_MEMBER_CALL_UNDOING, tick);
	} else if (!rl_error_is_wrong_server(member->err) || !leave_wrong_server(member, tick)) {
		fail(member);
	}
}

/* ---- the connection breaks ---- */

/* True when the break ends the member call. */
static bool ends_with(rl_member_call *member, const rl_error *err)
{
	bool is_over = is_refused(member) || err->status == RL_ERR_TLS;
	if (!is_over && member->call->request.verb == RL_VERB_FORCE &&
		member->doubt == RL_DOUBT_UNKNOWN) {
		/* A second FORCE could free the lock of the next holder. */
		rl_error_set(member->err, RL_ERR_UNKNOWN, err->sys_errno,
			"outcome unknown: the connection broke before the answer: %s; "
			"call isLocked() to see whether the lock is still held",
			err->message);
		is_over = true;
	}
	return is_over;
}

static void on_down(rl_member_call *member, const rl_error *err, const rl_tick *tick)
{
	rl_channel *channel = &member->channel;
	bool is_taking_back = member->state == RL_MEMBER_CALL_TAKING_BACK;
	/* A server that is full sends its error without having read the command, and a server that
	 * expects TLS has not understood it. */
	bool was_unread =
		err->status == RL_ERR_TLS || (is_refused(member) && rl_error_is_full(member->err));
	if (is_taking_back || (rl_member_call_is_unanswered(member) && !was_unread)) {
		member->doubt = RL_DOUBT_UNKNOWN;
	}
	if (!is_refused(member)) {
		*member->err = *err;
	}
	if (err->status == RL_ERR_PROTOCOL && !is_taking_back) {
		member->must_close = true; /* an undo can still be written */
		fail(member);
		return;
	}
	/* A server that accepts connections and never answers counts like one that refuses them. */
	bool was_silent = channel->conn->heard == RL_CONN_HEARD_NEVER;
	rl_channel_close(channel);
	if (is_taking_back || ends_with(member, err)) {
		fail(member);
		return;
	}
	bool was_connected = err->status == RL_ERR_CLOSED;
	if (was_connected) {
		rl_stats_add(&rl_env_stats(member->call->env)->reconnects, 1);
	}
	if (was_silent) {
		note_failure(member, tick);
	}
	/* With several members a silent one is not dialled again: the others can decide. */
	if (was_silent && member->call->set->count > 1) {
		fail(member);
	} else {
		recover(member, was_connected, tick);
	}
}

/* ---- timeouts ---- */

static void judge_connecting(rl_member_call *member, const rl_tick *tick)
{
	if (tick->seen < member->channel.connect_end) {
		return;
	}
	const rl_conn *conn = member->channel.conn;
	char limit[RL_SECONDS_TEXT];
	rl_error_set(member->err, RL_ERR_CONNECT, 0, "no connection within %s s (connectTimeout)%s",
		rl_seconds_text(member->connect_timeout, limit), conn->transport->hint(conn->link));
	rl_channel_close(&member->channel);
	note_failure(member, tick);
	recover(member, false, tick);
}

static void set_timeout_error(rl_member_call *member, const rl_tick *tick)
{
	char before[sizeof member->err->message];
	memcpy(before, member->err->message, sizeof before);
	if (tick->seen - member->channel.sent_at >= member->timeout) {
		char limit[RL_SECONDS_TEXT];
		rl_error_set(member->err, RL_ERR_TIMEOUT, 0, "no answer within %s s (timeout)",
			rl_seconds_text(member->timeout, limit));
	} else {
		rl_error_set(member->err, RL_ERR_TIMEOUT, 0, "no answer in the rest of the timeout");
	}
	if (member->vain > 0) {
		rl_error_append(member->err, "; before that: %s", before);
	}
}

static void judge_answering(rl_member_call *member, const rl_tick *tick)
{
	if (tick->seen < member->budget_end) {
		return;
	}
	member->must_close = true;
	note_failure(member, tick);
	if (member->state == RL_MEMBER_CALL_TAKING_BACK || rl_member_call_is_unanswered(member)) {
		member->doubt = RL_DOUBT_UNKNOWN;
	}
	if (!is_refused(member)) {
		set_timeout_error(member, tick);
	}
	fail(member);
}

/* ---- lookups and pauses end ---- */

/* The time of the next lookup, because the primary has not answered yet; RL_NEVER = a lookup is
 * open, or no lookup is needed. */
static int64_t next_lookup(const rl_member_call *member)
{
	bool is_waiting = member->state == RL_MEMBER_CALL_LOGIN ||
		member->state == RL_MEMBER_CALL_ANSWER || member->state == RL_MEMBER_CALL_PAUSED;
	if (!is_waiting || is_looking(member)) {
		return RL_NEVER;
	}
	int64_t last = member->lookup != NULL ? member->lookup->begun_at : 0;
	int64_t begun_at = member->call->begun_at;
	return (last > begun_at ? last : begun_at) + RL_LOOKUP_AGAIN_NS;
}

/* The primary was named, so it can be asked. If it is the node that has just failed, there is no
 * other. */
static void ask(rl_member_call *member, const rl_tick *tick)
{
	bool has_failed = member->err->status != RL_OK && is_named(member);
	enter(member, RL_MEMBER_CALL_START);
	renew_budget(member, tick);
	if (has_failed && member->doubt != RL_DOUBT_UNKNOWN) {
		fail(member);
	}
}

static void on_named(rl_member_call *member, const rl_tick *tick)
{
	switch (member->state) {
		case RL_MEMBER_CALL_LOOKUP:
			ask(member, tick);
			break;
		case RL_MEMBER_CALL_START:
		case RL_MEMBER_CALL_PAUSED:
		case RL_MEMBER_CALL_NAMING:
		case RL_MEMBER_CALL_LOGIN:
		case RL_MEMBER_CALL_ANSWER:
			if (!is_named(member)) {
				leave_old_primary(member, tick);
			}
			break;
		case RL_MEMBER_CALL_BACKED_OFF:
		case RL_MEMBER_CALL_REFUSED:
		case RL_MEMBER_CALL_UNDOING:
		case RL_MEMBER_CALL_TAKING_BACK:
		case RL_MEMBER_CALL_CHECKING: /* see check() */
		case RL_MEMBER_CALL_DONE:
			break;
	}
}

/* Steps an open lookup. Begins a lookup if the primary has not answered for a while. */
static void step_lookup(rl_member_call *member, const rl_tick *tick)
{
	if (next_lookup(member) <= tick->now && !begin_lookup(member, tick->now)) {
		return;
	}
	if (is_looking(member)) {
		step_open_lookup(member, tick);
	}
	bool is_in_vain = is_looking(member) && member->state == RL_MEMBER_CALL_LOOKUP &&
		tick->seen >= member->budget_max;
	if (member->lookup == NULL || (is_looking(member) && !is_in_vain)) {
		return;
	}
	if (member->lookup->vote == RL_VOTE_GRANTED) {
		on_named(member, tick);
	} else if (member->state == RL_MEMBER_CALL_LOOKUP) {
		rl_lookup_explain(member->lookup, member->err);
		fail(member);
	}
}

/* Ends the pause. False = the pause is not over. */
static bool resume(rl_member_call *member, const rl_tick *tick)
{
	if (tick->now < member->resume_at) {
		return false;
	}
	enter(member, RL_MEMBER_CALL_START);
	if (tick->now >= member->budget_end) {
		fail(member); /* err has the last break */
	}
	return true;
}

/* ---- stepping ---- */

static void on_reply(rl_member_call *member, rl_conn_event *event, const rl_tick *tick)
{
	static const rl_request release = {.verb = RL_VERB_RELEASE, .form = RL_FORM_TEXT};
	bool is_release =
		member->state == RL_MEMBER_CALL_UNDOING || member->state == RL_MEMBER_CALL_TAKING_BACK;
	call_secrets secrets = secrets_of(member);
	rl_answer answer;
	rl_answer_read(is_release ? &release : &member->sent, &event->reply, &answer, &event->err,
		secrets.list, 2);
	switch (member->state) {
		case RL_MEMBER_CALL_ANSWER:
			on_answer(member, &answer, event, tick);
			break;
		case RL_MEMBER_CALL_REFUSED:
			on_answer_refused(member, &answer, &event->err, tick);
			break;
		case RL_MEMBER_CALL_UNDOING:
			fail(member); /* err has the reason since the login */
			break;
		case RL_MEMBER_CALL_TAKING_BACK:
			on_taken_back(member, &answer, &event->err);
			break;
		case RL_MEMBER_CALL_START:
		case RL_MEMBER_CALL_LOOKUP:
		case RL_MEMBER_CALL_BACKED_OFF:
		case RL_MEMBER_CALL_PAUSED:
		case RL_MEMBER_CALL_NAMING:
		case RL_MEMBER_CALL_LOGIN:
		case RL_MEMBER_CALL_CHECKING:
		case RL_MEMBER_CALL_DONE:
			break; /* nothing was sent that is not answered */
	}
}

/* Reads all that has arrived, until the command is answered or there is no connection. The end of
 * the connection, which may follow the answer at once, is not the end of the answer. */
static void read_all(rl_member_call *member, const rl_tick *tick)
{
	rl_conn_event event = {.type = RL_CONN_READY};
	while (event.type != RL_CONN_NONE && rl_channel_is_open(&member->channel) &&
		!is_answered(member)) {
		rl_channel_next(&member->channel, &event);
		switch (event.type) {
			case RL_CONN_NONE:
				break;
			case RL_CONN_READY:
				rl_channel_note_ready(&member->channel, member->call->env);
				if (member->state == RL_MEMBER_CALL_LOGIN) {
					send_command(member, tick);
				}
				break;
			case RL_CONN_REFUSED:
				on_login_refused(member, &event.reply, tick);
				break;
			case RL_CONN_REPLY:
				on_reply(member, &event, tick);
				break;
			case RL_CONN_DOWN:
				on_down(member, &event.err, tick);
				break;
		}
	}
}

/* Steps a member call with a connection. False = nothing more can be done now. */
static bool go_on(rl_member_call *member, const rl_tick *tick)
{
	flush(member, tick);
	read_all(member, tick);
	if (rl_channel_judge_replicas(&member->channel, tick)) {
		read_all(member, tick);
	}
	if (!rl_channel_is_open(&member->channel) || is_answered(member)) {
		return true;
	}
	if (rl_channel_is_connected(&member->channel)) {
		judge_answering(member, tick);
	} else {
		judge_connecting(member, tick);
	}
	return !rl_channel_is_open(&member->channel);
}

void rl_member_call_step(rl_member_call *member, const rl_tick *tick)
{
	bool goes_on = true;
	if (sentinels_of(member) != NULL) {
		step_lookup(member, tick);
	}
	/* Bounded: each round ends the member call, waits, or uses up an idle connection or a break. */
	while (goes_on) {
		switch (member->state) {
			/* The node is asked only as last resort: see rl_member_call_call_up(). */
			case RL_MEMBER_CALL_BACKED_OFF:
				goes_on = false;
				break;
			/* Nothing is sent before the Sentinels have named a primary. */
			case RL_MEMBER_CALL_LOOKUP:
				step_lookup(member, tick);
				goes_on = member->state != RL_MEMBER_CALL_LOOKUP;
				break;
			/* The node is chosen, and its connection taken or dialled. */
			case RL_MEMBER_CALL_START:
				open(member, tick);
				break;
			/* The command is sent again, unless the budget is over when the pause ends. During
			 * NAMING the driver resolves the name of the node. */
			case RL_MEMBER_CALL_PAUSED:
			case RL_MEMBER_CALL_NAMING:
				goes_on = resume(member, tick);
				break;
			/* The command waits for the login. */
			case RL_MEMBER_CALL_LOGIN:
			/* The command was sent. */
			case RL_MEMBER_CALL_ANSWER:
			/* The login has failed, but the server may run the command that was sent with it. */
			case RL_MEMBER_CALL_REFUSED:
			/* The server has run it, and its grant is being released. */
			case RL_MEMBER_CALL_UNDOING:
			/* The quorum call has failed, and the caller's token is being released. */
			case RL_MEMBER_CALL_TAKING_BACK:
				goes_on = go_on(member, tick);
				break;
			/* The answer is here, and counts if the Sentinels still name its node. */
			case RL_MEMBER_CALL_CHECKING:
				check(member, tick);
				goes_on = member->state != RL_MEMBER_CALL_CHECKING;
				break;
			/* The vote stands. */
			case RL_MEMBER_CALL_DONE:
				goes_on = false;
				break;
		}
	}
}

void rl_member_call_add_to_wait(const rl_member_call *member, rl_wait *wait)
{
	bool may_look = sentinels_of(member) != NULL && member->state != RL_MEMBER_CALL_DONE;
	if (may_look && is_looking(member)) {
		rl_lookup_add_to_wait(member->lookup, wait);
	} else if (may_look) {
		rl_wait_until(wait, next_lookup(member));
	}
	switch (member->state) {
		case RL_MEMBER_CALL_DONE:
			break;
		case RL_MEMBER_CALL_LOOKUP:
		case RL_MEMBER_CALL_CHECKING:
			rl_wait_until(wait, member->budget_max);
			break;
		case RL_MEMBER_CALL_BACKED_OFF:
			rl_wait_until(wait, member->call->call_up_at);
			break;
		case RL_MEMBER_CALL_NAMING:
			wait->wants_names = true;
			rl_wait_until(wait, member->resume_at);
			break;
		case RL_MEMBER_CALL_PAUSED:
			rl_wait_until(wait, member->resume_at);
			break;
		case RL_MEMBER_CALL_START:
		case RL_MEMBER_CALL_LOGIN:
		case RL_MEMBER_CALL_ANSWER:
		case RL_MEMBER_CALL_REFUSED:
		case RL_MEMBER_CALL_UNDOING:
		case RL_MEMBER_CALL_TAKING_BACK:
			rl_channel_add_to_wait(&member->channel, wait, member->budget_end);
			break;
	}
}
