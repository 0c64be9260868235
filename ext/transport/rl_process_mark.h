/* SPDX-License-Identifier: MIT
 *
 * Marks of processes. A pid alone does not tell a process, because the system gives the pid of a
 * dead process to another one. Therefore a mark has the pid and the time at which the process
 * started, as Linux reports it in /proc. Where it cannot be read, the mark is the pid alone: then
 * a process counts as alive as long as any process has its pid.
 */
#ifndef RL_PROCESS_MARK_H
#define RL_PROCESS_MARK_H

#include <stdbool.h>
#include <stdint.h>

/* The mark of this process; never 0. Exec does not change it. */
uint64_t rl_process_mark(void);

/* Whether the process with this mark is alive. A zombie is not. The processes must see the same
 * pids. */
bool rl_process_mark_is_alive(uint64_t mark);

#endif
