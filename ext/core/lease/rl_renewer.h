/* SPDX-License-Identifier: MIT
 *
 * The renewer keeps leases alive, and notices which are lost. It is core's part of the watchdog: it
 * decides what is due, and when. The thread in transport/rl_watchdog.c steps it.
 *
 * DESIGN
 *
 * A lease is due when a third of what is proven has passed. Everything that is due at once, or will
 * be soon, goes out in one write to each server, on a connection of the renewer's own
 * (rl_renewer_server.h). A renewal is a round (rl_round.h): the renewer sends RENEW to each member.
 * If a quorum grants it, the lease is proven from the moment at which RENEW was sent. Refusals that
 * make a quorum impossible lose the lease.
 *
 * A failure by itself does not lose the lease. A connection that breaks, or does not answer within
 * a quarter of the proof that is left, is replaced, and the renewal is sent again. A member that
 * answers with an error is asked again after a pause. This goes on until the proof is over. Then
 * the lease is lost by the clock, and a member that may have prolonged it meanwhile is sent a
 * release.
 *
 * A member may answer, in a round that a quorum has granted, that the lock is not there: the member
 * was restarted empty, or had not granted the lock in the first place. SET NX PX puts the lease's
 * own token back, so that the lock is again on as many members as can be. A round that is not
 * decided yet does the same after a pause: the proof still excludes every other holder, and this
 * member may complete the quorum. The SET may arrive after the release that the lease's own thread
 * sends on another connection. The renewer then writes another release after the SET.
 *
 * If the route has a time of grace (rl_member_grace.c), the renewer also puts the lock back on a
 * new primary that has not received it from the old one. It does so even on a single member, whose
 * refusal would otherwise lose the lease.
 *
 * RENEW never shortens a TTL, so it may be sent twice, and its order beside an extend() of the
 * lease's own thread does not matter (rl_lease.h describes what both prove).
 *
 * A lost lease is released on each member that may keep it for longer than was proven. That goes on
 * until the member has confirmed the release, or the TTL is over. A member that answers with an
 * error is asked again after a pause, which doubles up to a second. A release that its caller could
 * not complete (rl_late.h) is repeated in the same way, by a record that is lost from the start.
 *
 * A member that a call has left without the lock, because its connection was still being made, gets
 * the lock from the renewer as well (rl_late_grant.h).
 *
 * Ownership: a rl_renewal belongs to the owner of the lease, which it borrows. Late releases and
 * late grants, with their leases, belong to the renewer, and so do the servers, with their
 * connections and copies of their targets. Servers are kept for later leases. rl_renewer_nodes.h
 * says which server a member uses.
 *
 * Threads: everything here is called under one lock, that of the watchdog, by any thread.
 * Connections are closed by rl_renewer_step() and rl_renewer_forget() alone, so that the thread
 * that waits for their links need not hold the lock.
 */
#ifndef RL_RENEWER_H
#define RL_RENEWER_H

#include "core/lease/rl_renewal_heap.h"
#include "core/lease/rl_renewer_nodes.h"

typedef struct rl_renewer {
	const rl_env *env; /* borrowed */
	rl_renewer_nodes nodes;
	/* The leases that are prepared or under renewal. */
	rl_renewal *all;
	/* The late releases, the oldest first. */
	rl_renewal *late;
	rl_renewal **late_end;
	/* The late grants. */
	rl_renewal *grants;
	/* The records of all lists, and those of the second and the third. */
	size_t all_count;
	size_t late_count;
	size_t grant_count;
	/* The records for which something is due. */
	rl_renewal_heap heap;
	/* When the next step is due. */
	int64_t until;
} rl_renewer;

void rl_renewer_init(rl_renewer *renewer, rl_transport *transport, const rl_env *env);

/* Call before the lock is asked for: does everything that can fail. False when out of memory. */
bool rl_renewer_prepare(rl_renewer *renewer, rl_renewal *renewal, const rl_set *set);

/* The lease is held: from now on it is under renewal. It must have been prepared, for this set. */
void rl_renewer_begin(rl_renewal *renewal, const rl_set *set);

/* Call after the owner has changed the lease, or its own fields of the record. */
void rl_renewer_changed(rl_renewal *renewal);

/* Call before the lease is released or given away: no renewal is sent from now on, and only the
 * owner uses the lease. */
void rl_renewer_pause(rl_renewal *renewal);

/* Ends the renewal. If a member may still have the lock, a release follows a renewal that is not
 * answered yet, because that could prolong a lock that its owner could not release. A release also
 * follows a SET that put the lock back, unless the lease was given away. */
void rl_renewer_end(rl_renewal *renewal);

/* Ends the renewal and frees the record. NULL = there is none. */
void rl_renewer_drop(rl_renewal *renewal);

/* Does what is due, as far as it can without waiting. Call it again at renewer->until. */
void rl_renewer_step(rl_renewer *renewer, const rl_tick *tick);

/* A place among the links. All zero = before the first. */
typedef struct rl_renewer_cursor {
	rl_renewer_server *server;
	/* NULL = the servers come first. */
	rl_renewer_lookup *lookup;
	unsigned at; /* of the lookup's links */
} rl_renewer_cursor;

/* The next of the links for which the renewer waits; NULL = there are no more. */
rl_link *rl_renewer_next_link(const rl_renewer *renewer, rl_renewer_cursor *cursor);

/* Closes the connections, sends nothing, and forgets all leases: in a forked child, and at the end
 * of the process. */
void rl_renewer_forget(rl_renewer *renewer);

/* ---- late grants ---- */

/* Call before a command that must not be followed by a SET of the token: no SET is sent any more.
 * @param token no data = whatever token */
void rl_renewer_stop_grants(rl_renewer *renewer, rl_bytes key, rl_bytes token);

/* Call after the release of the token. Releases it once more on the members that have the lock by a
 * late grant, or may get it, after the SET on the same connection. If that connection is gone, the
 * release becomes a late release. */
void rl_renewer_undo_grants(rl_renewer *renewer, rl_bytes key, rl_bytes token);

/* ---- for rl_late.c and rl_late_grant.c ---- */

/* Computes anew when something is due for the record. */
void rl_renewer_plan(rl_renewal *renewal);

/* Turns a record that was just prepared into the youngest late release: the renewer owns it, with
 * its lease. */
void rl_renewer_own(rl_renewal *renewal);

/* Turns a record that was just prepared into a late grant: the renewer owns it, with its lease. */
void rl_renewer_own_grant(rl_renewal *renewal);

/* Ends a late release, counts its outcome, and frees it with its lease. */
void rl_renewer_end_late(rl_renewal *renewal);

#endif
