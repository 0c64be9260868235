/* SPDX-License-Identifier: MIT
 *
 * The watchdog: the thread that steps the renewer (core/lease/rl_renewer.h), which keeps leases
 * alive while PHP works or sleeps. Each process has one at most. The first lease that is watched
 * starts the thread, and the thread runs until the end of the process.
 *
 * DESIGN
 *
 * One mutex guards the renewer, its connections, and the parts of each lease that the thread uses.
 * No thread holds the mutex while it waits for anything, or while PHP code runs. The watchdog's
 * thread sleeps in poll, on its connections and on a pipe. Another thread writes into the pipe only
 * when something is due before the watchdog wakes by itself: it brings work, has moved the clock,
 * or handles a signal.
 *
 * The watchdog's thread blocks all signals, calls no function of PHP, uses no memory of PHP, and
 * resolves no names: it learns addresses from the threads that resolved them. Before each call such
 * a thread resolves the names of the call's servers that the watchdog lacks.
 *
 * fork() waits for the mutex, so that the child finds all lists in order. The child has no such
 * thread: it closes the inherited connections without sending anything, and no lease is watched.
 * The child may start a thread of its own.
 */
#ifndef RL_WATCHDOG_H
#define RL_WATCHDOG_H

#include "core/lease/rl_late.h"
#include "core/lease/rl_late_grant.h"
#include "transport/rl_resolve.h"

/* Handles forks from now on. A second call changes nothing: PHP may start the module again in a
 * process that has not unloaded it. */
void rl_watchdog_set_up(void);

/* Ends the thread, and waits for its end. That is short, because the thread never blocks on the
 * network. */
void rl_watchdog_stop(void);

/* Starts the thread if there is none. All that can fail for this lease fails here.
 * @return RL_OK; RL_ERR_MEMORY = out of memory, or the system has no thread or pipe left
 * @param[out] sys_errno the system's reason */
rl_status rl_watchdog_prepare(rl_renewal *renewal, const rl_set *set, int *sys_errno) RL_MUST_USE;

/* As rl_renewer_begin().
 * @param resolver of this thread: has the addresses of the set */
void rl_watchdog_begin(rl_renewal *renewal, const rl_set *set, rl_resolver *resolver);

/* For a clock that is moved (rl_os_advance_to()): waits until the thread has done all that is due,
 * and has read all that has arrived.
 * @return when the thread has something to do next; RL_NEVER = not before it gets new work */
int64_t rl_watchdog_await_rest(void);

/* True while there is nothing new for rl_watchdog_learn(). */
bool rl_watchdog_has_shared(const rl_resolver *resolver);

/* The watchdog learns what this thread's resolver has learned: all of it, because a lease may move
 * to any server, as the key of a cluster does.
 * @return true = the watchdog misses names: it found no server, or a replica, at their addresses,
 *   or has not heard of them. They are noted for rl_resolve_missed() */
bool rl_watchdog_learn(rl_resolver *resolver);

/* A lease that is watched may be changed only between these two calls, which take and release the
 * mutex.
 * @param renewal NULL = the lease is not watched, and nothing happens */
void rl_watchdog_hold(rl_renewal *renewal);
void rl_watchdog_let_go(rl_renewal *renewal);

/* As rl_renewer_pause() and rl_renewer_remove().
 * @param renewal NULL = the lease is not watched, and nothing happens */
void rl_watchdog_pause(rl_renewal *renewal);
void rl_watchdog_end(rl_renewal *renewal);

/* As rl_late_add(). Starts the thread if there is none. Without a thread or memory the
 * release is dropped and counted.
 * @param resolver has the addresses of the set */
void rl_watchdog_release_late(const rl_late_release *late, rl_resolver *resolver);

/* As rl_late_grant_add(). Starts the thread if there is none. Without a thread the grant is left
 * out.
 * @param resolver has the addresses of the set */
void rl_watchdog_grant_late(const rl_late_grant *grant, rl_resolver *resolver);

/* As rl_renewer_stop_grants() and rl_renewer_undo_grants(). Cost nothing while there are no late
 * grants. */
void rl_watchdog_stop_grants(rl_bytes key, rl_bytes token);
void rl_watchdog_undo_grants(rl_bytes key, rl_bytes token);

/* For a signal handler, because it takes no lock. The watchdog releases all leases that it watches
 * before the process ends. From then on they count as lost.
 * @param give_up called first, on the watchdog's thread and under the mutex: gives up the locks for
 *   which the interrupted thread is asking
 * @return about how many leases are released; 0 = there is no thread, or nothing to release */
size_t rl_watchdog_free_all(void (*give_up)(rl_renewer *renewer));

/* For give_up() alone: as rl_watchdog_learn(), but only reads the resolver, because its thread may
 * have been interrupted at any instruction. */
void rl_watchdog_learn_at_the_end(const rl_resolver *resolver);

/* True when a quorum has confirmed the release of each lease. */
bool rl_watchdog_has_freed_all(void);

/* For a signal handler. True = the handler has interrupted a function of this module, which may
 * have the mutex. */
bool rl_watchdog_is_inside(void);

/* Work that the thread does before each sleep.
 * @param now the time; the result is when to call again, RL_NEVER = nothing is left to do */
typedef int64_t (*rl_watchdog_errand)(int64_t now);
void rl_watchdog_set_errand(rl_watchdog_errand errand);

/* For a signal handler: wakes the thread for its errand. False = there is no thread. */
bool rl_watchdog_call(void);

/* As rl_late_is_releasing(). */
bool rl_watchdog_is_releasing(const rl_set *set, rl_bytes key, rl_bytes token);

#endif
