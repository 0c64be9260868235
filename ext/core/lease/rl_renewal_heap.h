/* SPDX-License-Identifier: MIT
 *
 * The records in the order in which something is due for them, the earliest first: a binary heap of
 * the renewer. Each record knows its own place, so that it can be moved and taken out.
 *
 * The heap owns its array, and borrows the records. Everything here is called under the renewer's
 * lock, by rl_renewer.c alone.
 */
#ifndef RL_RENEWAL_HEAP_H
#define RL_RENEWAL_HEAP_H

#include "core/lease/rl_renewal.h"

/* All zero = empty. */
typedef struct rl_renewal_heap {
	rl_renewal **entries; /* owned */
	size_t count;
	size_t room;
} rl_renewal_heap;

/* Makes room for count records, one more than it had room for at most. False when out of memory. */
bool rl_renewal_heap_reserve(rl_renewal_heap *heap, size_t count);

/* Puts the record in, or moves it; RL_NEVER = nothing is due for it, and it is taken out. There
 * must be room. */
void rl_renewal_heap_set(rl_renewal_heap *heap, rl_renewal *renewal, int64_t due_at);

/* Takes the record out, if it is in. */
void rl_renewal_heap_remove(rl_renewal_heap *heap, rl_renewal *renewal);

/* Frees the array, whatever is in it. */
void rl_renewal_heap_free(rl_renewal_heap *heap);

#endif
