/* SPDX-License-Identifier: MIT
 *
 * The watchdog: the thread that steps the watch (core/lease/rl_renewer.h), which keeps leases alive while PHP works or
 * sleeps. One for each process, started with the first lease that is watched, and kept until the end.
 *
 * DESIGN
 *
 * One mutex guards all of it: the watch, its connections, and each lease as far as it is watched. It is never held
 * while anything waits, nor while PHP code runs. The thread sleeps in poll, on its connections and on a pipe;
 * who brings something that is due before it wakes by itself writes into the pipe, nobody else does.
 *
 * The thread blocks all signals, makes no call of PHP, uses no memory of PHP, and asks no name server: it learns
 * addresses from the threads that resolved them.
 *
 * fork() waits for the mutex, so that the child finds everything in order; there the thread is gone, its
 * connections are closed without a word, and no lease is watched. The child may start a thread of its own.
 */
#ifndef RL_WATCHDOG_H
#define RL_WATCHDOG_H

#include "core/lease/rl_late.h"
#include "transport/rl_resolve.h"

/* From now on forks are taken care of. A second call changes nothing: the module may be started again in a process that
 * has not unloaded it. */
void rl_watchdog_set_up(void);

/* Ends the thread, and waits for its end, which is not long: it never blocks on the network. */
void rl_watchdog_stop(void);

/* Starts the thread, if there is none, and sees to all that can fail.
 * @return RL_OK, or RL_ERR_MEMORY, also when the system gives no thread or pipe, with errno in *sys_errno */
rl_status rl_watchdog_prepare(rl_renewal *renewal, const rl_set *set, int *sys_errno) RL_MUST_USE;

/* As rl_renewer_begin(). @param resolver knows the addresses of the set */
void rl_watchdog_begin(rl_renewal *renewal, const rl_set *set, const rl_resolver *resolver);

/* The thread of the resolver has asked for names since: the watchdog's dials use what it learned. */
void rl_watchdog_learn(rl_resolver *resolver);

/* The watchdog found no server at the address, or a replica, and asks whoever may resolve names to do so. */
bool rl_watchdog_doubts(const rl_address *address);

/* Between these the lease may be changed. NULL = it is not watched, and nothing happens. */
void rl_watchdog_hold(rl_renewal *renewal);
void rl_watchdog_let_go(rl_renewal *renewal);

/* As rl_renewer_pause() and rl_renewer_end(); NULL = it is not watched. */
void rl_watchdog_pause(rl_renewal *renewal);
void rl_watchdog_end(rl_renewal *renewal);

/* As rl_late_add(); starts the thread, if there is none. Without thread or memory the release is dropped, and
 * counted. @param resolver knows the addresses of the set */
void rl_watchdog_release_late(const rl_late_release *late, const rl_resolver *resolver);

/* For a signal handler, which takes no lock: the thread releases all leases that it watches, for the process is about to
 * end. They count as lost from then on.
 * @param give_up called before, on that thread and under the lock: gives up what the interrupted thread asks for
 * @return false = there is no thread, or nothing to release */
bool rl_watchdog_free_all(void (*give_up)(rl_renewer *renewer));

/* For that function alone: the thread may have to dial the members of this set. */
void rl_watchdog_learn_set(const rl_set *set, const rl_resolver *resolver);

/* A quorum has released each of them. */
bool rl_watchdog_has_freed_all(void);

/* For a signal handler: it has interrupted a function of this file, which may have the mutex. */
bool rl_watchdog_is_inside(void);

/* For a signal handler: the thread calls rl_sigterm_pass_on(). False = there is no thread. */
bool rl_watchdog_call(void);

/* As rl_late_is_releasing(). */
bool rl_watchdog_is_releasing(const rl_set *set, rl_bytes key, rl_bytes token);

#endif
