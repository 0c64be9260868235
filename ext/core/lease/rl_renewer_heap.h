/* SPDX-License-Identifier: MIT
 *
 * The watched leases that something is due for, the earliest first: a binary heap in rl_renewer, for rl_renewer.c alone.
 * Each knows its own place, so that it can be moved and taken out.
 */
#ifndef RL_RENEWER_HEAP_H
#define RL_RENEWER_HEAP_H

#include "core/lease/rl_renewer.h"

/* Room for so many. False when out of memory. */
bool rl_renewer_heap_reserve(rl_renewer *renewer, size_t count);

/* Something is due for it then, and not as said before; RL_NEVER = nothing is. There must be room. */
void rl_renewer_heap_set(rl_renewal *renewal, int64_t due_at);

/* Takes it out, if it is in. */
void rl_renewer_heap_remove(rl_renewal *renewal);

#endif
