/* SPDX-License-Identifier: MIT
 *
 * Which node a member call asks, where the member has several: redirects, and nodes that fail. The
 * design is in rl_route.h.
 *
 * A redirect means that the command was not carried out, so it leaves no doubt. One connection at a
 * time has the member call's unanswered command, so an undo still follows its command.
 */
#include "core/lock/rl_member_call.h"

#include <string.h>

void rl_member_call_use_node(rl_member_call *member, rl_target *node)
{
	rl_target *before = member->node;
	member->node = node != NULL ? rl_target_ref(node) : NULL;
	rl_target_unref(before);
}

void rl_member_call_choose_again(rl_member_call *member)
{
	rl_request *sent = &member->sent;
	if (!sent->is_asking || member->node == NULL) {
		rl_member_call_use_node(
			member, rl_member_node(rl_member_call_server(member), member->call->request.slot));
	}
}

void rl_member_call_avoid_node(rl_member_call *member, rl_pool_want want, int64_t now)
{
	rl_route *route = rl_member_call_server(member)->route;
	if (route != NULL && route->kind == RL_ROUTE_CLUSTER &&
		!rl_pool_is_worth_asking(member->call->pool, member->node, want, now)) {
		rl_route_suspect(route, member->node);
		rl_member_call_choose_again(member);
	}
}

void rl_member_call_note_failure(rl_member_call *member, const rl_tick *tick)
{
	rl_route *route = rl_member_call_server(member)->route;
	rl_pool_note_failure(member->call->pool, member->node, tick->now);
	if (route != NULL) {
		rl_route_suspect(route, member->node);
		route->named_at = 0;
	}
}

bool rl_member_call_may_hop(rl_member_call *member)
{
	const rl_member *server = rl_member_call_server(member);
	if (server->route == NULL || member->hops >= RL_HOPS_MAX ||
		rl_route_node(server->route, member->call->request.slot) == member->node) {
		return false;
	}
	member->hops++;
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

static void hop(rl_member_call *member, rl_target *node, const rl_tick *tick)
{
	rl_member_call_use_node(member, node); /* first: a map that is read now may drop the node */
	leave_node(member, tick);
	member->state = RL_MEMBER_CALL_START;
}

void rl_member_call_await_keys(rl_member_call *member, const rl_tick *tick)
{
	leave_node(member, tick);
	rl_member_call_pause(member, member->vain + 1, tick);
}

bool rl_member_call_wants_name(rl_member_call *member, const rl_tick *tick)
{
	rl_transport *transport = member->call->pool->transport;
	if (rl_member_call_server(member)->route == NULL || member->err->status != RL_ERR_NAME ||
		!transport->distrust(transport, &member->node->address)) {
		return false;
	}
	member->state = RL_MEMBER_CALL_NAMING;
	member->resume_at = tick->now + 1;
	return true;
}

bool rl_member_call_follow(rl_member_call *member, const rl_reply *reply, const rl_tick *tick)
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
		rl_member_call_fail(member);
		return true;
	}
	rl_stats_add(&rl_env_stats(member->call->env)->cluster_redirects, 1);
	rl_target *node = rl_route_follow(route, &redirect, member->channel.conn->target);
	if (node == NULL || member->hops == RL_HOPS_MAX) {
		rl_error_set(member->err, RL_ERR_CONNECT, 0,
			"redirected too often (is a node down, or the user not allowed to send ASKING?); "
			"the last node, %s, answered: %.*s",
			member->node->name, (int) reply->text.len, reply->text.data);
		rl_member_call_fail(member);
		return true;
	}
	member->hops++;
	member->sent.is_asking = redirect.kind == RL_REDIRECT_ASK;
	hop(member, node, tick);
	return true;
}
