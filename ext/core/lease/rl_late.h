/* SPDX-License-Identifier: MIT
 *
 * Late releases: the watch repeats a release that its caller could not complete. A part of the watch (rl_renewer.h),
 * called under the same lock.
 *
 * DESIGN
 *
 * A release fails while a server is down, restarts, is paused or is a replica for a moment. The caller does not wait
 * for the end of that: it hands the release over, and the watch sends it again until the server has confirmed it, or
 * until the key has ended by its TTL. So a short outage does not block the key for its whole TTL.
 *
 * - The watch copies all it needs: key, token, and the servers. It owns the copy.
 * - Only for a token that was drawn by this process for this lock. A caller's own token may be the token of another
 *   holder by now.
 * - A take-over that came to nothing is undone in the same way: the token that was given is put back in place of the fresh
 *   one, and the key keeps its TTL.
 * - Only the members that have not confirmed the release are asked.
 * - The same token may be released on several sets of servers, each of which has a record of its own.
 * - "Not ours" ends it, unless the member may still carry out a SET of this token: that SET may come after the answer.
 * - The number of records is bounded. The oldest record makes room, and is counted.
 * - Nothing waits for the list at the end of the process: what is left ends by its TTL.
 */
#ifndef RL_LATE_H
#define RL_LATE_H

#include "core/lease/rl_renewer.h"

#define RL_LATE_MAX 1024

/* How long the release of a bare token is repeated: its TTL is not known. */
#define RL_LATE_BARE_NS (30 * RL_NS_PER_SECOND)

/* All of it is borrowed for the call. */
typedef struct rl_late_release {
	const rl_set *set;
	rl_bytes key;     /* with its prefix */
	rl_bytes token;   /* drawn */
	rl_bytes back;    /* the token that is put back in its place; no data = the key is freed */
	rl_bytes other;   /* a caller's token that may have taken the place of token; no data = none */
	unsigned others;  /* a bit for each member where that may be, and is our lock */
	unsigned members; /* a bit for each member that has not confirmed the release */
	unsigned strays;  /* a bit for each member that may still carry out a SET of this token */
	/* NULL, or the watch's own record of the lease: its SETs may still be carried out, too. */
	const rl_renewal *renewal;
	int64_t ttl_ns; /* the key has ended by then */
} rl_late_release;

/* A bit for each member of the set. */
static inline unsigned rl_late_all(const rl_set *set)
{
	return (1u << set->count) - 1;
}

/* Takes the release over. False when out of memory, and nothing happens. */
bool rl_renewer_release_late(rl_renewer *renewer, const rl_late_release *late);

/* The watch is about to release this token on a server of the set, whoever asks there. */
bool rl_renewer_is_releasing(
	const rl_renewer *renewer, const rl_set *set, rl_bytes key, rl_bytes token);

/* The process is about to end, and no other thread uses its leases any more: those under watch count as lost from now on,
 * and are released on all members. */
void rl_renewer_release_all(rl_renewer *renewer);

/* The same for a lock that is being asked for: it may be granted at any moment, and its token is known to nobody else.
 * Its own connections are ended. "Not ours" counts when the server says so twice: the first time it may not have noticed
 * yet that those connections have ended. */
void rl_renewer_release_pending(rl_renewer *renewer, const rl_late_release *late);

/* After that: a quorum has confirmed each of these releases. */
bool rl_renewer_has_released_all(const rl_renewer *renewer);

/* ---- for rl_renewer.c ---- */

/* Each member has confirmed it. */
bool rl_late_is_done(const rl_renewal *renewal);

/* Takes it off the watch, counts what became of it, and frees it. */
void rl_late_end(rl_renewal *renewal);

/* Frees it, if it is a late release. It must be off the watch. */
void rl_late_free(rl_renewal *renewal);

/* ---- implemented by rl_renewer.c ---- */

/* Takes it off the watch, without a word to any server. */
void rl_renewal_take_out(rl_renewal *renewal);

#endif
