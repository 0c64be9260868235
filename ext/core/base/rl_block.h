/* SPDX-License-Identifier: MIT
 *
 * Several objects in one block of memory.
 */
#ifndef RL_BLOCK_H
#define RL_BLOCK_H

#include <stdalign.h>
#include <stddef.h>

/* The size, rounded up so that any object may follow. */
static inline size_t rl_aligned(size_t size)
{
	size_t unit = alignof(max_align_t);
	return (size + unit - 1) / unit * unit;
}

#endif
