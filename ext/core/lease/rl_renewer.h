/* SPDX-License-Identifier: MIT
 *
 * The renewer keeps leases alive, and notices which are lost. It is core's part of the watchdog: it
 * decides what is due, and when. The thread in transport/rl_watchdog.c steps it. The design is in
 * rl_renewer.c.
 *
 * Threads: everything here is called under one lock, that of the watchdog, by any thread.
 * Connections are closed by rl_renewer_step() and rl_renewer_forget() alone, so that the thread
 * that waits for their links need not hold the lock.
 */
#ifndef RL_RENEWER_H
#define RL_RENEWER_H

#include "core/lease/rl_renewer_errands.h"

/* Must not be moved. */
typedef struct rl_renewer {
	const rl_env *env; /* borrowed */
	rl_renewer_errands errands;
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
	/* A binary heap of the records for which something is due, the earliest first. */
	struct {
		rl_renewal **entries; /* owned */
		size_t count;
		size_t room;
	} heap;
	/* When the next step is due. */
	int64_t until;
} rl_renewer;

void rl_renewer_init(rl_renewer *renewer, rl_transport *transport, const rl_env *env);

/* Call before the lock is asked for: does everything that can fail. False when out of memory. */
bool rl_renewer_prepare(rl_renewer *renewer, rl_renewal *renewal, const rl_set *set);

/* The lease is held: from now on it is under renewal. It must have been prepared, for this set.
 * @param now a reading of the clock since the lock was won */
void rl_renewer_begin(rl_renewal *renewal, const rl_set *set, int64_t now);

/* Call after the owner has changed the lease, or its own fields of the record. */
void rl_renewer_changed(rl_renewal *renewal);

/* Call before the lease is released or given away: no renewal is sent from now on, and only the
 * owner uses the lease. */
void rl_renewer_pause(rl_renewal *renewal);

/* Ends the renewal, if it was prepared. If a member may still have the lock,
 * a release follows a renewal that is not answered yet, because that could prolong a lock that its
 * owner could not release. A release also follows a SET that put the lock back, unless the lease
 * was given away. */
void rl_renewer_remove(rl_renewal *renewal);

/* Does what is due, as far as it can without waiting. Call it again at renewer->until. */
void rl_renewer_step(rl_renewer *renewer, const rl_tick *tick);

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
