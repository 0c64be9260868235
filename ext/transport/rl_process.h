/* SPDX-License-Identifier: MIT
 *
 * The state of a process: the number of forks that led to it, its default label, and its counters.
 * Core and transport have no other mutable global state, except for the watchdog (rl_watchdog.c)
 * and the handler of SIGTERM (rl_sigterm.c).
 */
#ifndef RL_PROCESS_H
#define RL_PROCESS_H

#include "core/base/rl_env.h"
#include "transport/rl_os.h"

/* Counts forks from now on. Call this before any connection is made. A second call changes nothing:
 * PHP may start the module again in a process that has not unloaded it. */
void rl_process_watch_forks(void);

uint64_t rl_process_fork_generation(void);

/* The label "host:pid", which a forked child has with its own pid. rl_process_watch_forks() makes
 * it. */
const rl_label *rl_process_label(void);

/* The counters. A forked child starts at zero. */
rl_stats *rl_process_stats(void);

/* What core needs from the system, for one thread.
 * @param stock the random bytes of that thread; must live as long as the result */
rl_env rl_process_env(rl_random *stock);

#endif
