/* SPDX-License-Identifier: MIT
 *
 * Late grants: the renewer stores a lock on the members that a call has left without it.
 *
 * DESIGN
 *
 * A call ends with the votes of a majority. In a new process, a member whose connection is still
 * being made by then was never asked: the connection goes back to the pool without the command, and
 * no thread drives it while the script works. Without this file the lock would lack that member for
 * its whole TTL, and would not survive the loss of another one.
 *
 * So the call hands over what it has not sent, and the renewer sends it on a connection of its own:
 * SET NX PX, with the rest of the validity as TTL. It does the same when it puts the lock of a
 * lease back on a member, and uses the same command and queues. The connection of the call cannot
 * be handed over instead: link, TLS session and addresses belong to PHP's thread.
 *
 * - Only members that were never asked are concerned. A member that has refused, has failed, or is
 *   backed off, is left alone: so a set whose members were all asked, and a set with a member that
 *   is known to be down, cost nothing.
 * - Only for a token that this process has drawn. A caller's own token may be the token of another
 *   holder by the time at which the member is reached.
 * - A late grant proves nothing: the proof of the lock is that of the majority.
 * - A member that answers with an error or a refusal is asked again after a pause. Another client
 *   that has the lock there gives it up, because it has no majority.
 * - After the longest connect timeout and timeout of these members nothing more is sent. A token
 * may travel to another process, which releases it without our knowledge: a SET that comes later
 * than that release leaves the token on this one member until the TTL is over. So the time in which
 *   that can happen is short.
 * - No SET follows a release of the token, on any connection of this process: before each command
 *   that ends the lock the grants of its token are stopped (rl_renewer_stop_grants()), and after it
 *   they are undone (rl_renewer_undo_grants()). The second is needed even if the SET was answered:
 *   the connection of the call, on which its release waits, may never be finished. Therefore the
 *   record stays until the validity is over.
 * - An extend() stops them, too: a SET with the old TTL could outlive a shorter new one.
 * - The number of records is bounded. A grant for which there is no room, no memory or no thread is
 *   left out: the lock is held without it.
 * - The end of the process does not wait for these records.
 *
 * Threads: as rl_late.h.
 */
#ifndef RL_LATE_GRANT_H
#define RL_LATE_GRANT_H

#include "core/lease/rl_renewer.h"

#define RL_LATE_GRANTS_MAX 1024

/* All of it is borrowed for the call. */
typedef struct rl_late_grant {
	const rl_set *set;
	/* With its prefix. */
	rl_bytes key;
	/* This process has drawn it. */
	rl_bytes token;
	/* The members that were not asked, one bit each. */
	unsigned members;
	int64_t ttl_ns;
	/* The end of the lock's validity. */
	int64_t proven_until;
} rl_late_grant;

/* Takes the grant over. Does nothing when there is no room or no memory. */
void rl_late_grant_add(rl_renewer *renewer, const rl_late_grant *grant);

#endif
