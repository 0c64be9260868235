/* SPDX-License-Identifier: MIT
 *
 * Memory that fails, in malloc and on the fake network: see no_memory.h for `fails_at` and the
 * other variables. For one file of a program.
 */
#ifndef FAKE_MEMORY_H
#define FAKE_MEMORY_H

#include "fake.h"
#include "no_memory.h"

/* Counts from now on how often memory is asked for. The request number fails_at fails. */
static inline void fake_memory_fails(void)
{
	fake_lacks_memory = lacks_memory;
	asked = 0;
	is_counting = true;
}

static inline void fake_memory_works(void)
{
	is_counting = false;
	is_lasting = false;
	fake_lacks_memory = NULL;
}

/* For a loop over fails_at, to reach each request: the largest number of them that was seen. */
static inline unsigned fake_memory_most(unsigned most)
{
	return asked > most && asked < 200 ? asked : most;
}

/* Drives the operation to its end while each malloc fails. The fake network has memory. */
static inline rl_status fake_drive_without_malloc(rl_op *op)
{
	fails_at = 1;
	is_lasting = true;
	asked = 0;
	is_counting = true;
	rl_status status = fake_drive(op);
	fake_memory_works();
	fails_at = 0;
	return status;
}

#endif
