/* SPDX-License-Identifier: MIT
 *
 * Failover grace: a new primary behind Sentinels grants no lock at first, so that no lock has two
 * holders after a failover, whatever the new primary has received from the old one.
 *
 * THE RULES. Let C be RL_CHECK_NS, S the time of grace, and P the longest proof of one command, so
 * that P + C <= S (rl_set_longest_ttl_ms(), which allows for clocks at different speeds). Each
 * answer counts only if a majority of the Sentinels names the node. All Sentinels of this majority
 * were asked after named_at, which is less than C before the answer, and not before the connection
 * was logged in. At named_at the majority must have known the node as the primary
 *
 *     for S, if the command takes the lock,
 *     for C, if it prolongs the lock, or puts it back (rl_renewer.c).
 *
 * Before that, a SET, a try, a swap and an extension are held back, with a failure that passes. A
 * probe is held back, too: it takes nothing, but it reserves a free lock, and leads to the queue. A
 * grant that arrives all the same does not count, and is undone. Such a grant comes from a node
 * that was the primary before and has become it again, or to a waiter that was woken there.
 *
 * WHY IT EXCLUDES. (1) The answers of two nodes do not mix. Let two answers count, one of the node
 * X and one of another node Y. The two majorities have a Sentinel in common, which named X first.
 * At some time t after that, this Sentinel changed to Y. The answer of X came before t + C. The
 * answer of Y came after its named_at, which is t + C at least, because each Sentinel of its
 * majority had known Y for C by then. So each answer of X that counts is older than each of Y.
 *
 * (2) The answers of X alone exclude, as those of any server: the key is there for longer than the
 * proof lasts. So after the last answer of X that counts, at most one client has proof.
 *
 * (3) This proof ends before t + C + P, and nothing is taken on Y before t + S. Until then, this
 * client alone can have its lock on Y: the lock was replicated, or the client puts it back there.
 * SET NX replaces no key, and if it is answered while the proof lasts, no other proof has begun
 * meanwhile. A lease whose proof is over is lost, and no answer brings it back.
 *
 * (4) X may become a replica and then the primary again, without what it has granted. Sentinel ends
 * the connections of a primary that it turns into a replica (CLIENT KILL), and no login to a
 * replica succeeds (ROLE). So a later answer of X comes on a connection that was logged in when X
 * was the primary again. The Sentinels that were asked after this login had known Y in between, and
 * know X only since then.
 *
 * An extension by a token alone trusts its caller: that the TTL of the token is not over, and that
 * it was not released.
 */
#include "core/conn/rl_grace.h"

/* Messages round the remaining time up. */
#define GRACE_UNIT_NS (10 * RL_NS_PER_MS)

/* The command prolongs a lock, or puts it back. */
static bool prolongs(const rl_request *request, bool was_held)
{
	return request->verb == RL_VERB_EXTEND || request->verb == RL_VERB_RENEW ||
		(request->verb == RL_VERB_SET && was_held);
}

int64_t rl_grace_age(
	const rl_route *route, const rl_request *request, bool was_held, double drift_factor)
{
	/* A swap that keeps the TTL puts an earlier token back. */
	bool is_take_over = request->verb == RL_VERB_SWAP && request->ttl_ms > 0;
	if (request->place == RL_PLACE_QUEUED) {
		return 0; /* what a place has won is judged when the quorum call adopts it */
	}
	if (prolongs(request, was_held)) {
		return rl_route_change_ns(route, drift_factor);
	}
	if (rl_verb_takes(request->verb) || is_take_over || request->verb == RL_VERB_PROBE) {
		return route->grace_ns;
	}
	return 0;
}

void rl_grace_explain(const rl_request *request, bool was_held, int64_t left, rl_error *err)
{
	left = (left + GRACE_UNIT_NS - 1) / GRACE_UNIT_NS * GRACE_UNIT_NS;
	char text[RL_SECONDS_TEXT];
	rl_error_set(err, RL_ERR_CONNECT, 0,
		"it has become the primary only lately, so it %s no lock for %s s more (failover_grace)",
		prolongs(request, was_held) ? "prolongs" : "grants",
		rl_seconds_text(left > GRACE_UNIT_NS ? left : GRACE_UNIT_NS, text));
}
