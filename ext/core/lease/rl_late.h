/* SPDX-License-Identifier: MIT
 *
 * Late releases: the renewer repeats a release that its caller could not complete. At the end of
 * the process it releases the leases that are under renewal in the same way.
 *
 * DESIGN
 *
 * A release fails while a server is down, restarts, is paused or is a replica for a moment. The
 * caller does not wait for the end of that: it hands the release over, and the renewer sends it
 * again until the server has confirmed it, or until the key has ended by its TTL. So a short outage
 * does not block the key for its whole TTL.
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
 * - The end of the process does not wait for these records: the keys end by their TTL.
 *
 * Threads: everything here is called under the renewer's lock, by any thread.
 */
#ifndef RL_LATE_H
#define RL_LATE_H

#include "core/lease/rl_renewer.h"

#define RL_LATE_MAX 1024

/* How long the release of a bare token is repeated: its TTL is not known. */
#define RL_LATE_BARE_NS (30 * RL_NS_PER_SECOND)

/* All of it is borrowed for the call. Of the members of the set each has one bit in a mask. */
typedef struct rl_late_release {
	const rl_set *set;
	/* With its prefix. */
	rl_bytes key;
	/* Drawn by this process. */
	rl_bytes token;
	/* The token that is put back in its place; no data = the key is freed. */
	rl_bytes back;
	/* A caller's token that may have taken the place of token; no data = there is none. */
	rl_bytes other;
	/* The members where the other token may be, and is our lock. */
	unsigned others;
	/* The members that have not confirmed the release. */
	unsigned members;
	/* The members that may still carry out a SET of this token. */
	unsigned strays;
	/* NULL, or the renewer's own record of the lease: its SETs may still be carried out as well. */
	const rl_renewal *renewal;
	/* The key has ended by then. */
	int64_t ttl_ns;
} rl_late_release;

/* The mask of all members of the set. */
static inline unsigned rl_late_all(const rl_set *set)
{
	return (1u << set->count) - 1;
}

/* Takes the release over. False when out of memory, and nothing happens. */
bool rl_late_add(rl_renewer *renewer, const rl_late_release *late);

/* The renewer is about to release this token on a server of the set, whoever has handed it over. */
bool rl_late_is_releasing(
	const rl_renewer *renewer, const rl_set *set, rl_bytes key, rl_bytes token);

/* The process is about to end, and no other thread uses its leases any more: the leases under
 * renewal count as lost from now on, and are released on all members. */
void rl_late_release_all(rl_renewer *renewer);

/* The same for a lock that is being asked for: it may be granted at any moment, and no other
 * part of the process knows its token. Its own connections are ended. "Not ours" counts when the
 * server says so twice: the first time it may not have noticed yet that those connections have
 * ended. */
void rl_late_release_pending(rl_renewer *renewer, const rl_late_release *late);

/* After these two: a quorum has confirmed each of the releases. */
bool rl_late_has_released_all(const rl_renewer *renewer);

#endif
