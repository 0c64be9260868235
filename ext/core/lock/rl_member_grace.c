/* SPDX-License-Identifier: MIT
 *
 * Failover grace: a new primary behind Sentinels grants no lock at first, so that no lock has two
 * holders after a failover, whatever the new primary has received from the old one.
 *
 * THE RULE. A lock is taken on a node only if each Sentinel of a majority has said that it had
 * known the node as the primary for the time of grace S. That must hold at named_at, the time
 * before any of them was asked (rl_route_is_settled()), and named_at must be less than C =
 * RL_CHECK_NS before the answer, as for every answer. The proof of one command lasts for P at most,
 * and P + C <= S (rl_set_longest_ttl_ms(), which allows for clocks at different speeds).
 *
 * Before that, a SET, a try, a swap and a probe are held back, with a failure that passes. A probe
 * takes nothing, but it reserves a lock that is free, and leads to the queue. A grant that arrives
 * all the same (the node was the primary, ceased to be it and became it again, or the waiter was
 * woken there) does not count, and is undone.
 *
 * Renewals and extensions are not held back: they prove that the key is on the new node. A renewed
 * lease that was not replicated is put back (rl_round.c).
 *
 * WHY IT EXCLUDES. (1) A holder A has proof by a command c on the node X. A majority has named X,
 * and each of it was asked less than C before the answer, or later. So the proof of c is over P + C
 * after any of them was asked. Meanwhile B takes the lock on another node Y, or on X after that was
 * a replica, with the answers of another majority. The two have a Sentinel s in common.
 *
 * (2) If s was asked for A first: s has changed to Y since, and at B's named_at that was S ago. So
 * the proof of c was over at B's named_at.
 *
 * (3) If s was asked for B first, look at the earliest command of A of which that is true. If that
 * is A's take, (2) holds with A and B exchanged: what B had taken was over when A took. If not, it
 * prolongs the proof of the command before it, of which (2) is true: that proof was over at B's
 * named_at. But s was asked for the later command after that, and only then was it confirmed, too
 * late: a lease whose proof is over is lost.
 *
 * So nobody else has proof while A has it, and nobody else's take counts. Hence A may put its lock
 * back: SET NX replaces nothing, and if it is answered while the proof lasts, the key excludes all
 * others on this node from then on, and (1) to (3) on all other nodes.
 *
 * The age is not reckoned from one lookup to the next. If it were, B could use answers from up to C
 * before S is over, and in this time A could follow s to a third node.
 *
 * An extension by a token alone trusts its caller: that the TTL of the token is not over, and that
 * it was not released.
 */
#include "core/lock/rl_member_call.h"

/* Messages round the time that is left up. */
#define GRACE_UNIT_NS (10 * RL_NS_PER_MS)

static bool is_taking(const rl_member_call *member)
{
	rl_verb verb = member->call->request.verb;
	return rl_verb_takes(verb) || verb == RL_VERB_SWAP;
}

bool rl_member_call_must_settle(const rl_member_call *member)
{
	return !rl_route_is_settled(rl_member_call_sentinels(member)) && is_taking(member);
}

void rl_member_call_explain_grace(rl_member_call *member, int64_t now)
{
	const rl_route *route = rl_member_call_sentinels(member);
	int64_t left = (route->settled_at - now + GRACE_UNIT_NS - 1) / GRACE_UNIT_NS * GRACE_UNIT_NS;
	char text[RL_SECONDS_TEXT];
	rl_error_set(member->err, RL_ERR_CONNECT, 0,
		"it has become the primary only lately, so it grants no lock for %s s more (failover_grace)",
		rl_seconds_text(left > GRACE_UNIT_NS ? left : GRACE_UNIT_NS, text));
}

bool rl_member_call_hold_back(rl_member_call *member, int64_t now)
{
	const rl_route *route = rl_member_call_sentinels(member);
	if (rl_route_is_settled(route) ||
		(!is_taking(member) && member->call->request.verb != RL_VERB_PROBE)) {
		return false;
	}
	bool is_known = route->named_at != 0 && now < route->settled_at;
	if (rl_member_call_is_looking(member) || (!is_known && member->hops < RL_HOPS_MAX)) {
		member->hops++;
		rl_member_call_await_lookup(member, now);
		return true;
	}
	rl_member_call_explain_grace(member, now);
	rl_stats_add(&member->call->env->stats->held_back, 1);
	rl_member_call_fail(member);
	return true;
}
