/* SPDX-License-Identifier: MIT
 *
 * Memory that fails, in malloc and on the fake network: see no_memory.h for `fails_at` and the
 * other variables. Only one file of a program may include this header.
 */
#ifndef FAKE_MEMORY_H
#define FAKE_MEMORY_H

#include "fake.h"
#include "no_memory.h"

/* From now on counts the requests for memory. The request with the number fails_at fails. */
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

/* Runs the flow, which calls the two functions above, until each of its requests has failed once,
 * and at least at_least times.
 * @return how often the flow has run */
static inline unsigned fake_memory_each(unsigned at_least, void (*flow)(void))
{
	unsigned most = at_least;
	for (fails_at = 1; fails_at <= most; fails_at++) {
		flow();
		most = asked > most && asked < 200 ? asked : most;
	}
	fails_at = 0;
	return most;
}

/* Runs a flow that returns true when it has succeeded, until it succeeds.
 * @return how often it has failed */
static inline unsigned fake_memory_until(bool (*flow)(void))
{
	for (fails_at = 1; !flow(); fails_at++) {
	}
	unsigned failures = fails_at - 1;
	fails_at = 0;
	return failures;
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
