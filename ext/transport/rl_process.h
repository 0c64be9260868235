/* SPDX-License-Identifier: MIT
 *
 * The state of a process: the number of forks that led to it, its default label, and its numbers.
 * Core and transport have no other mutable global state, except for the watchdog (rl_watchdog.c)
 * and the handler of SIGTERM (rl_sigterm.c).
 *
 * Processes that were forked after rl_process_share_stats() share a table of their numbers
 * (rl_stats_table.h). Each of them takes a row when it counts for the first time, so a process
 * without locks, or one that calls exec after the fork, takes none. If there is no row, or no
 * shared memory, the process counts in memory of its own.
 */
#ifndef RL_PROCESS_H
#define RL_PROCESS_H

#include "core/base/rl_env.h"
#include "core/base/rl_stats_table.h"
#include "transport/rl_os.h"

/* Counts forks from now on. Call this before any connection is made. A second call changes nothing:
 * PHP may start the module again in a process that has not unloaded it. */
void rl_process_watch_forks(void);

uint64_t rl_process_fork_generation(void);

/* The label "host:pid", which a forked child has with its own pid. rl_process_watch_forks() makes
 * it. */
const rl_label *rl_process_label(void);

/* Makes the table for this process and those that will be forked from it. Call this before anything
 * is counted. */
void rl_process_share_stats(void);

/* Gives this process' row back. What is counted afterwards is in no sum. No other thread may count
 * meanwhile. */
void rl_process_unshare_stats(void);

/* Where this process counts. */
rl_stats *rl_process_stats(void);

/* What this process has counted since it began, or was forked. */
void rl_process_read_stats(rl_stats *stats);

/* What all processes that share the table have counted. False = there is no table; *sys_errno has
 * the reason. */
bool rl_process_read_totals(rl_stats_totals *totals, int *sys_errno);

/* What core needs from the system, for one thread.
 * @param stock the random bytes of that thread; must live as long as the result */
rl_env rl_process_env(rl_random *stock);

#endif
