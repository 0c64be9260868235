/* SPDX-License-Identifier: MIT
 *
 * Late releases: the renewer repeats a release that its caller could not complete. At the end of
 * the process it releases the leases that are under renewal in the same way.
 *
 * DESIGN
 *
 * A release fails while a server is down, restarts, is paused or is a replica for a moment. The
 * caller does not wait for the end of the outage: it hands the release over, and the renewer sends
 * it again until the server has confirmed it, or the key has expired. So a short outage does not
 * block the key for its whole TTL.
 *
 * - The renewer copies all it needs: key, token, and the servers. It owns the copy.
 * - This is only for a token that was drawn by this process for this lock. A caller's own token may
 *   be the token of another holder by now.
 * - A take-over that has failed is undone in the same way: the token that was given is put back in
 *   place of the fresh one, and the key keeps its TTL.
 * - Only the members that have not confirmed the release are asked.
 * - The same token may be released on several sets of servers. Each set has a record of its own.
 * - "Not ours" ends it, unless the member may still carry out a SET of this token: that SET may
 *   come after the answer.
 * - The number of records is bounded. The oldest record makes room, and is counted.
 * - The end of the process does not wait for these records: the keys expire by their TTL.
 *
 * Threads: everything here is called under the renewer's lock, by any thread.
 */
#ifndef RL_LATE_H
#define RL_LATE_H

#include "core/lease/rl_renewer.h"

#define RL_LATE_MAX 1024

/* How long the release of a bare token is repeated, because its TTL is not known. */
#define RL_LATE_BARE_NS (30 * RL_NS_PER_SECOND)

/* How long a release is repeated at the end of the process, which waits for less than this. */
#define RL_LATE_LAST_NS (2 * RL_NS_PER_SECOND)

/* All of it is borrowed for the call. A mask has one bit for each member of the set. */
typedef struct rl_late_release {
	const rl_set *set;
	/* The key of the lock, with its prefix. */
	rl_bytes key;
	/* How many permits the lock has; 0 = one. If it has several, permit is the key of the permit
	 * that has the token; no data = that is not known. */
	unsigned permits;
	rl_bytes permit;
	/* This process has drawn it. */
	rl_bytes token;
	/* The token that replaces it; no data = the key is freed. */
	rl_bytes back;
	/* A caller's token that may have replaced token; no data = there is none. */
	rl_bytes other;
	/* The name of a mark that the release also removes; no data = there is none. */
	rl_bytes waiter;
	/* The members that may have the other token, as our lock. */
	unsigned others;
	/* The members that have not confirmed the release. */
	unsigned members;
	/* The members that may still carry out a SET of this token. */
	unsigned strays;
	/* The renewer's record of the lease, whose SETs may still be carried out as well, or NULL. */
	const rl_renewal *renewal;
	/* After this time the key has expired. */
	int64_t ttl_ns;
	/* See rl_lease. */
	int64_t done_ms;
} rl_late_release;

/* The mask of all members of the set. */
static inline unsigned rl_late_all(const rl_set *set)
{
	return (1u << set->count) - 1;
}

/* Takes the release over. Does nothing and returns false when out of memory. */
bool rl_late_add(rl_renewer *renewer, const rl_late_release *late);

/* The renewer still has to release this token on a server of the set, perhaps for a caller that
 * uses another set. */
bool rl_late_is_releasing(
	const rl_renewer *renewer, const rl_set *set, rl_bytes key, rl_bytes token);

/* Call when the process is about to end and no other thread uses its leases any more: the leases
 * under renewal count as lost from now on, and are released on all members. If a member may still
 * carry out a SET, its "not ours" counts from its second answer on: at the first one the server may
 * not have noticed the end of an earlier connection yet. */
void rl_late_release_all(rl_renewer *renewer);

/* The same for what an operation under way may leave (rl_op_may_hold()): a server may carry out its
 * command at any moment. Call it before rl_late_release_all(), when the connections of the
 * operation have been ended. A take-over whose lease is held already is left to
 * rl_late_release_all(). */
void rl_late_release_pending(rl_renewer *renewer, const rl_late_release *late);

/* After the last two functions: a quorum has confirmed each of the releases. */
bool rl_late_has_released_all(const rl_renewer *renewer);

#endif
