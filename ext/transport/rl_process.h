/* SPDX-License-Identifier: MIT
 *
 * What one process has once: the number of forks behind it, and its counters. Beside the watchdog
 * (rl_watchdog.c) and the handler of SIGTERM (rl_sigterm.c) the only mutable state of core and transport that is not
 * reached through a pointer.
 */
#ifndef RL_PROCESS_H
#define RL_PROCESS_H

#include "core/base/rl_env.h"
#include "transport/rl_os.h"

/* From now on forks are counted. Called before any connection is made; a second call changes nothing: the module may
 * be started again in a process that has not unloaded it. */
void rl_process_watch_forks(void);

uint64_t rl_process_fork_generation(void);

/* Set to zero in a forked child. */
rl_stats *rl_process_stats(void);

/* What core needs of the system, for one thread. @param stock that thread's random bytes; outlives it */
rl_env rl_process_env(rl_random *stock);

#endif
