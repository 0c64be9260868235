/* SPDX-License-Identifier: MIT */
#include "core/lock/rl_op_failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The error to write into: the operation's own, or an errand's when out of memory. */
static rl_error *error_memory(rl_op *op, rl_error *instead)
{
	if (op->own_err == NULL) {
		op->own_err = malloc(sizeof *op->own_err);
	}
	return op->own_err != NULL ? op->own_err : instead;
}

/* The longest name of a service that is shown. */
#define SERVICE_SHOWN 64

/* Appends what the server is to its Sentinels, if it could not be reached and there is room. */
static void append_role(const rl_errand *member, rl_error *err, size_t room)
{
	char role[SERVICE_SHOWN + 80];
	const rl_route *route = member->server->route;
	const rl_error *reason = member->err;
	/* The system has refused the connection, or the answer is missing. Other failures to connect,
	 * such as that of a primary that is too new, say all themselves. */
	bool is_gone = reason->status == RL_ERR_TIMEOUT || reason->status == RL_ERR_CLOSED ||
		(reason->status == RL_ERR_CONNECT && reason->sys_errno != 0);
	if (!is_gone || member->node == NULL || route == NULL || route->kind != RL_ROUTE_SENTINEL) {
		return;
	}
	snprintf(role, sizeof role,
		" (the Sentinels name it the primary of %.*s; a failover may be under way)", SERVICE_SHOWN,
		route->service);
	if (strlen(role) < room) {
		rl_error_append(err, "%s", role);
	}
}

/* Appends "server: reason", shortened to fit into room. The name may have half of it. */
static void append_reason(const rl_op *op, unsigned index, rl_error *err, size_t room)
{
	const rl_errand *member = &op->call.members[index];
	const char *server = member->node != NULL ? member->node->name : member->server->target->name;
	size_t before = strlen(err->message);
	int left = room < sizeof err->message ? (int) room : 0;
	int name_len = (int) strlen(server) < left / 2 ? (int) strlen(server) : left / 2;
	left -= name_len + 2;
	rl_error_append(err, "%.*s: %.*s", name_len, server, left > 0 ? left : 0, member->err->message);
	size_t used = strlen(err->message) - before;
	append_role(member, err, room > used ? room - used : 0);
}

/* The member whose error decides the kind of the failure: the first that did not answer with an
 * error, or else the first that failed. */
static unsigned failed_member(const rl_op *op)
{
	const rl_quorum_call *call = &op->call;
	const rl_errand *speaker = rl_quorum_call_speaker(call, RL_VOTE_FAILED);
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		const rl_errand *member = &call->members[i];
		if (member->vote == RL_VOTE_FAILED && member->err->status != RL_ERR_SERVER) {
			return i;
		}
	}
	return (unsigned) (speaker - call->members);
}

/* The message names only as many servers as have this many characters each. */
#define REASON_LEAST 80

static void append_reasons(const rl_op *op, rl_error *err, size_t room)
{
	const rl_quorum_call *call = &op->call;
	unsigned failed = rl_quorum_call_count(call, RL_VOTE_FAILED);
	unsigned told = room / REASON_LEAST < failed ? (unsigned) (room / REASON_LEAST) : failed;
	unsigned untold = failed - told;
	room -= untold > 0 ? sizeof "; and 15 more" : 0;
	for (unsigned i = 0; told > 0 && i < call->terms.set->count; i++) {
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
	unsigned count = call->terms.set->count;
	unsigned index = failed_member(op);
	const rl_error *reason = call->members[index].err;
	rl_error own;
	/* A failure without a reason must not look like a success. */
	rl_status status = reason->status != RL_OK ? reason->status : RL_ERR_UNKNOWN;
	rl_error_set(&own, status, reason->sys_errno, "%s", "");
	memcpy(own.code, reason->code, sizeof own.code);
	if (count > 1) {
		unsigned refused = rl_quorum_call_count(call, RL_VOTE_REFUSED);
		rl_error_append(&own, "no quorum (%u of %u servers failed",
			rl_quorum_call_count(call, RL_VOTE_FAILED), count);
		if (refused > 0) {
			rl_error_append(&own, ", %u refused", refused);
		}
		rl_error_append(&own, "): ");
	}
	/* The suffix is never shortened. */
	append_reasons(op, &own, sizeof own.message - strlen(own.message) - strlen(suffix) - 1);
	rl_error_append(&own, "%s", suffix);
	rl_error *err = error_memory(op, op->call.members[index].err);
	*err = own;
	op->err = err;
	op->status = own.status;
}

void rl_op_fail_settled(rl_op *op, const rl_settlement *settlement)
{
	bool is_unsaid = settlement->doubt == RL_DOUBT_UNKNOWN &&
		rl_verb_changes(op->call.terms.request.verb) &&
		rl_quorum_call_speaker(&op->call, RL_VOTE_FAILED)->err->status != RL_ERR_UNKNOWN;
	rl_op_fail(op, is_unsaid ? "; the command was sent, and its outcome is unknown" : "");
}

void rl_op_fail_with(rl_op *op, rl_status status, const char *format, ...)
{
	const rl_set *set = op->call.terms.set;
	char text[256];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	rl_error *err = error_memory(op, op->call.members[0].err);
	if (set->count == 1) {
		/* A name may be a long list of hosts, and must leave room for the reason. */
		op->status = rl_error_set(err, status, 0, "%.300s: %s", set->members[0].target->name, text);
	} else {
		op->status = rl_error_set(err, status, 0, "%u servers: %s", set->count, text);
	}
	op->err = err;
}
