/* SPDX-License-Identifier: MIT
 *
 * A member call: one member's part in a quorum call. Only the rl_quorum_*.c files include this
 * header, apart from the member call's own files. The design is in rl_quorum_call.h.
 */
#ifndef RL_MEMBER_CALL_H
#define RL_MEMBER_CALL_H

#include "core/lock/rl_call.h"

/* Starts over. For latest see rl_quorum_call_begin(). */
void rl_member_call_begin(rl_member_call *member, int64_t now, int64_t latest);

/* Continues as far as possible without waiting. */
void rl_member_call_step(rl_member_call *member, const rl_tick *tick);

/* Adds what the member call waits for, unless it is done. */
void rl_member_call_add_to_wait(const rl_member_call *member, rl_wait *wait);

/* Ends the member call with this vote. */
void rl_member_call_finish(rl_member_call *member, rl_vote vote);

/* Ends the member call with a failure. Its err has the reason. */
void rl_member_call_fail(rl_member_call *member);

/* Sends the command, or sends it again in the form that the server wants. */
void rl_member_call_send(rl_member_call *member, const rl_tick *tick);

/* Writes as much as the kernel accepts now. */
void rl_member_call_flush(rl_member_call *member, const rl_tick *tick);

/* Begins anew after the n-th delay of the back-off, n from 1; 0 = at once. Fails if the budget is
 * over by then; err must have the reason. */
void rl_member_call_pause(rl_member_call *member, unsigned n, const rl_tick *tick);

/* A grant of this member may be undone. The grant of a caller's token is not undone once its TTL
 * may be over: the undo could free the lock of another holder with the same token. */
bool rl_member_call_may_take_back(const rl_member_call *member, int64_t now);

/* Releases the caller's token if the member has granted it. The member call then goes on until that
 * is answered. */
void rl_member_call_take_back(rl_member_call *member, const rl_tick *tick);

/* The command may have been carried out, and its answer may still come. */
bool rl_member_call_is_unanswered(const rl_member_call *member);

/* ---- rl_member_route.c ---- */

/* The member call asks this node from now on. */
void rl_member_call_use_node(rl_member_call *member, rl_target *node);

/* Chooses the node to ask: the node of the slot, unless a redirect has led this one command to
 * another node. A single server is chosen once. */
void rl_member_call_choose_again(rl_member_call *member);

static inline void rl_member_call_choose_node(rl_member_call *member)
{
	if (rl_member_call_server(member)->route != NULL || member->node == NULL) {
		rl_member_call_choose_again(member);
	}
}

/* The node could not be reached, or has not answered in time: the node is backed off, and other
 * nodes are asked first. */
void rl_member_call_note_failure(rl_member_call *member, const rl_tick *tick);

/* Call when the member call begins: a node of a cluster that is backed off is asked only if another
 * node names it. */
void rl_member_call_avoid_node(rl_member_call *member, rl_pool_want want, int64_t now);

/* A dial has failed: true = the reason is the name of a node, which the driver resolves now. */
bool rl_member_call_wants_name(rl_member_call *member, const rl_tick *tick);

/* After a failure: true = another node may be asked within the budget. Counts this hop. */
bool rl_member_call_may_hop(rl_member_call *member);

/* The keys of the command are on two nodes, because their slot is moving: asks again after a pause,
 * until the budget is over. err must have the answer of the node. */
void rl_member_call_await_keys(rl_member_call *member, const rl_tick *tick);

/* If the reply is a redirect: asks the other node, or fails. False = the reply is no redirect. */
bool rl_member_call_follow(rl_member_call *member, const rl_reply *reply, const rl_tick *tick);

/* ---- rl_member_sentinel.c ---- */

/* The route of a member behind Sentinels; NULL = the member has no Sentinels. Except for
 * rl_member_call_look_up_again(), this section is for members behind Sentinels only. */
static inline rl_route *rl_member_call_sentinels(const rl_member_call *member)
{
	rl_route *route = rl_member_call_server(member)->route;
	return route != NULL && route->kind == RL_ROUTE_SENTINEL ? route : NULL;
}

/* Call when the member call begins: begins a lookup if the last one is old, or if the primary is
 * unknown. */
void rl_member_call_look_up(rl_member_call *member, int64_t now);

/* The node has failed, or is a replica: asks the Sentinels for another primary. False = the call
 * has done so too often, or the member has no Sentinels. */
bool rl_member_call_look_up_again(rl_member_call *member, int64_t now);

/* Begins a lookup, and sends nothing before the Sentinels have answered. */
void rl_member_call_await_lookup(rl_member_call *member, int64_t now);

/* Adds the links of the lookup to the wait, or the time at which the next lookup is due. */
void rl_member_call_add_lookup(const rl_member_call *member, rl_wait *wait);

static inline bool rl_member_call_is_looking(const rl_member_call *member)
{
	return member->lookup != NULL && rl_lookup_is_open(member->lookup);
}

/* Steps an open lookup. Begins a lookup if the primary has not answered for a while. */
void rl_member_call_step_lookup(rl_member_call *member, const rl_tick *tick);

/* An answer counts only after rl_member_call_check(). */
bool rl_member_call_must_check(const rl_member_call *member, int64_t now);

/* CHECKING: goes on as far as possible without waiting. */
void rl_member_call_check(rl_member_call *member, const rl_tick *tick);

/* ---- rl_member_grace.c ---- */

/* Call before anything is sent. True = the command must not be sent: the node is too new to take
 * the lock there. The member call then has failed, or waits for the Sentinels first. */
bool rl_member_call_hold_back(rl_member_call *member, int64_t now);

/* True when the answer may count without another lookup: the connection has led to a primary at
 * named_at. Always true without grace. */
bool rl_member_call_is_since_login(const rl_member_call *member);

/* True when a grant of the node must not count, because the node is too new. */
bool rl_member_call_must_settle(const rl_member_call *member);

/* Sets the error. */
void rl_member_call_explain_grace(rl_member_call *member, int64_t now);

/* ---- rl_member_answer.c ---- */

/* Call for each reply, in any state but DONE. */
void rl_member_call_on_reply(rl_member_call *member, rl_conn_event *event, const rl_tick *tick);

/* Call when the login has failed. */
void rl_member_call_on_login_refused(
	rl_member_call *member, const rl_reply *reply, const rl_tick *tick);

#endif
