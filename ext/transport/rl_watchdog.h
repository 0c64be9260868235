/* SPDX-License-Identifier: MIT
 *
 * The watchdog: the thread that steps the watch (core/rl_watch.h), which keeps leases alive while PHP works or
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

#include "core/rl_watch.h"
#include "transport/rl_resolve.h"

/* From now on forks are taken care of. Called once. */
void rl_watchdog_set_up(void);

/* Ends the thread, and waits for its end, which is not long: it never blocks on the network. */
void rl_watchdog_stop(void);

/* Starts the thread, if there is none, and sees to all that can fail.
 * @return RL_OK, or RL_ERR_MEMORY, also when the system gives no thread or pipe, with errno in *sys_errno */
rl_status rl_watchdog_prepare(rl_watched *watched, const rl_set *set, int *sys_errno) RL_MUST_USE;

/* As rl_watch_begin(). @param resolver knows the addresses of the set */
void rl_watchdog_begin(rl_watched *watched, const rl_set *set, const rl_resolver *resolver);

/* Between these the lease may be changed. NULL = it is not watched, and nothing happens. */
void rl_watchdog_hold(rl_watched *watched);
void rl_watchdog_let_go(rl_watched *watched);

/* As rl_watch_pause() and rl_watch_end(); NULL = it is not watched. */
void rl_watchdog_pause(rl_watched *watched);
void rl_watchdog_end(rl_watched *watched);

#endif
