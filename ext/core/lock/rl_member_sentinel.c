/* SPDX-License-Identifier: MIT
 *
 * A member call to a primary behind Sentinels: finds the primary, and checks that it still is the
 * primary when a command that takes or prolongs a lock is answered.
 *
 * In a planned failover the old primary accepts writes for ten seconds more, and calls itself the
 * master; a primary that was paused does so when it wakes. So an answer counts only if a majority
 * of the Sentinels names the node that has given it, and was asked less than RL_CHECK_NS before the
 * answer. If the last lookup is half as old, another one runs beside the command, and adds no round
 * trip.
 *
 *     LOOKUP --named--> START .. ANSWER --answered--> CHECKING --named--> DONE
 *
 * If no majority can be found, a command that takes or prolongs a lock has failed. All others
 * count: a lock can be released, and asked about, without Sentinels.
 *
 * With a time of grace a new primary grants nothing at first: see rl_member_grace.c.
 *
 * A probe is not checked: it decides nothing, and the next one must renew the waiter's mark in time
 * while the Sentinels are silent.
 *
 * A wait does not last longer because the Sentinels are silent: at the end of its budget a member
 * call goes on as if they could not be asked.
 *
 * If the Sentinels name another node, the member call leaves the old one at once, also while the
 * answer is missing. What the old primary has or may have granted is undone there. The old primary
 * takes part in nothing any more, so neither that grant nor its undo can reach the new one.
 */
#include "core/lock/rl_member_call.h"

#include "core/base/rl_time.h"

#include <stdlib.h>

/* The route names the node that the member call asks. */
static bool is_named(const rl_member_call *member)
{
	rl_target *named = rl_route_node(rl_member_call_sentinels(member), 0);
	return member->node != NULL && named != NULL && rl_target_equal(member->node, named);
}

/* What the Sentinels have named counts for the answer that was heard. */
static bool was_asked_in_time(const rl_member_call *member)
{
	return member->heard_at - rl_member_call_sentinels(member)->named_at < RL_CHECK_NS &&
		rl_member_call_is_since_login(member);
}

/* ---- lookups ---- */

/* Counts another primary than before, and ends the idle connections to the old one. */
static void note_switch(const rl_member_call *member, const rl_target *before, int64_t now)
{
	const rl_quorum_call *call = member->call;
	if (before != NULL &&
		!rl_target_equal(before, rl_route_node(rl_member_call_sentinels(member), 0))) {
		rl_stats_add(&rl_env_stats(call->env)->primary_switches, 1);
		rl_pool_clear_address(call->pool, &before->address, now);
	}
}

static void step_open(rl_member_call *member, const rl_tick *tick)
{
	rl_target *before = rl_route_node(rl_member_call_sentinels(member), 0);
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
static bool start(rl_member_call *member, int64_t now)
{
	rl_lookup *lookup = rl_lookup_of(rl_member_call_sentinels(member), member->call->pool);
	if (lookup == NULL) {
		rl_error_set(member->err, RL_ERR_MEMORY, 0, "out of memory");
		return false;
	}
	member->lookup = lookup;
	if (rl_lookup_is_open(lookup) && now >= lookup->until) {
		rl_lookup_take_in(lookup);
		step_open(member, &(rl_tick){.now = now});
	}
	rl_lookup_join(lookup, now + member->connect_timeout + member->timeout, now);
	return true;
}

void rl_member_call_await_lookup(rl_member_call *member, int64_t now)
{
	member->state = RL_MEMBER_CALL_LOOKUP;
	if (!start(member, now)) {
		rl_member_call_fail(member);
	}
}

void rl_member_call_look_up(rl_member_call *member, int64_t now)
{
	rl_route *route = rl_member_call_sentinels(member);
	bool is_old = now - route->named_at >= route->check_ns / 2;
	bool must_wait = member->node == NULL;
	if (!must_wait && !is_old && route->named_at != 0) {
		return;
	}
	if (must_wait) {
		rl_member_call_await_lookup(member, now);
	} else {
		start(member, now);
	}
}

/* The time of the next lookup, because the primary has not answered yet; RL_NEVER = a lookup is
 * open, or no lookup is needed. */
static int64_t next_lookup(const rl_member_call *member)
{
	bool is_waiting = member->state == RL_MEMBER_CALL_LOGIN ||
		member->state == RL_MEMBER_CALL_ANSWER || member->state == RL_MEMBER_CALL_PAUSED;
	if (!is_waiting || rl_member_call_is_looking(member)) {
		return RL_NEVER;
	}
	int64_t last = member->lookup != NULL ? member->lookup->begun_at : 0;
	int64_t begun_at = member->call->begun_at;
	return (last > begun_at ? last : begun_at) + RL_LOOKUP_AGAIN_NS;
}

void rl_member_call_add_lookup(const rl_member_call *member, rl_wait *wait)
{
	if (member->state == RL_MEMBER_CALL_LOOKUP || member->state == RL_MEMBER_CALL_CHECKING) {
		rl_wait_until(wait, member->budget_max);
	}
	if (rl_member_call_is_looking(member)) {
		rl_lookup_add_to_wait(member->lookup, wait);
	} else {
		rl_wait_until(wait, next_lookup(member));
	}
}

bool rl_member_call_look_up_again(rl_member_call *member, int64_t now)
{
	if (rl_member_call_sentinels(member) == NULL || member->hops == RL_HOPS_MAX) {
		return false;
	}
	member->hops++;
	rl_member_call_await_lookup(member, now);
	return true;
}

/* ---- another primary ---- */

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
	rl_member_call_fail(member);
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
		rl_route_node(rl_member_call_sentinels(member), 0)->name);
	if (was_granted) {
		fail_unconfirmed(member);
	} else {
		member->doubt = RL_DOUBT_UNKNOWN;
		rl_member_call_fail(member);
	}
	return true;
}

/* The node is not the primary any more: asks the new one. */
static void leave(rl_member_call *member, const rl_tick *tick)
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
	member->state = RL_MEMBER_CALL_START;
	member->hops++;
	member->budget_end =
		rl_time_earlier(rl_time_later(tick->now, member->timeout), member->budget_max);
	if (member->hops > RL_HOPS_MAX) {
		rl_error_set(member->err, RL_ERR_CONNECT, 0, "the primary changes again and again");
		rl_member_call_fail(member);
	}
}

/* ---- outcomes of a lookup ---- */

/* The primary was named, so it can be asked. If it is the node that has just failed, there is no
 * other. */
static void ask(rl_member_call *member, const rl_tick *tick)
{
	bool has_failed = member->err->status != RL_OK && is_named(member);
	member->state = RL_MEMBER_CALL_START;
	member->budget_end =
		rl_time_earlier(rl_time_later(tick->now, member->timeout), member->budget_max);
	if (has_failed && member->doubt != RL_DOUBT_UNKNOWN) {
		rl_member_call_fail(member);
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
				leave(member, tick);
			}
			break;
		case RL_MEMBER_CALL_BACKED_OFF:
		case RL_MEMBER_CALL_REFUSED:
		case RL_MEMBER_CALL_UNDOING:
		case RL_MEMBER_CALL_TAKING_BACK:
		case RL_MEMBER_CALL_CHECKING: /* see rl_member_call_check() */
		case RL_MEMBER_CALL_DONE:
			break;
	}
}

void rl_member_call_step_lookup(rl_member_call *member, const rl_tick *tick)
{
	if (next_lookup(member) <= tick->now && !start(member, tick->now)) {
		return;
	}
	if (rl_member_call_is_looking(member)) {
		step_open(member, tick);
	}
	bool is_in_vain = rl_member_call_is_looking(member) && member->state == RL_MEMBER_CALL_LOOKUP &&
		tick->seen >= member->budget_max;
	if (member->lookup == NULL || (rl_member_call_is_looking(member) && !is_in_vain)) {
		return;
	}
	if (member->lookup->vote == RL_VOTE_GRANTED) {
		on_named(member, tick);
	} else if (member->state == RL_MEMBER_CALL_LOOKUP) {
		rl_lookup_explain(member->lookup, member->err);
		rl_member_call_fail(member);
	}
}

/* ---- the check ---- */

bool rl_member_call_must_check(const rl_member_call *member, int64_t now)
{
	const rl_route *route = rl_member_call_sentinels(member);
	if (route->check_ns == RL_NEVER || member->call->request.verb == RL_VERB_PROBE) {
		return false;
	}
	bool is_too_new = route->grace_ns > 0 &&
		(!rl_member_call_is_since_login(member) || rl_member_call_must_settle(member));
	return now - route->named_at >= route->check_ns || !is_named(member) || is_too_new;
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
			leave(member, tick);
		} else if (rl_member_call_must_settle(member)) {
			rl_member_call_explain_grace(member, tick->now);
			fail_unconfirmed(member);
		} else {
			rl_member_call_finish(member, member->answer.vote);
		}
	} else if (has_asked_in_vain(member)) {
		rl_lookup_explain(member->lookup, member->err);
		fail_unconfirmed(member);
	} else if (!start(member, tick->now)) {
		fail_unconfirmed(member);
	}
}

void rl_member_call_check(rl_member_call *member, const rl_tick *tick)
{
	/* Bounded: each round ends the check, waits for a lookup, or begins one. A lookup that begins
	 * here is asked after the answer was heard: so it counts, or is in vain. */
	bool is_waiting = false;
	while (member->state == RL_MEMBER_CALL_CHECKING && !is_waiting) {
		if (rl_member_call_is_looking(member)) {
			step_open(member, tick);
		}
		is_waiting = rl_member_call_is_looking(member);
		if (!is_waiting) {
			judge_check(member, tick);
		}
	}
	if (member->state == RL_MEMBER_CALL_CHECKING && tick->seen >= member->budget_max) {
		rl_lookup_explain(member->lookup, member->err);
		fail_unconfirmed(member);
	}
}
