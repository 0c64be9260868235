/* SPDX-License-Identifier: MIT
 *
 * The watched leases that something is due for, the earliest first: a binary heap in rl_watch, for rl_watch.c alone.
 * Each knows its own place, so that it can be moved and taken out.
 */
#ifndef RL_WATCH_HEAP_H
#define RL_WATCH_HEAP_H

#include "core/rl_watch.h"

/* Room for so many. False when out of memory. */
bool rl_watch_heap_reserve(rl_watch *watch, size_t count);

/* Something is due for it then, and not as said before; RL_NEVER = nothing is. There must be room. */
void rl_watch_heap_set(rl_watched *watched, int64_t due_at);

/* Takes it out, if it is in. */
void rl_watch_heap_remove(rl_watched *watched);

#endif
