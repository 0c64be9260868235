/* SPDX-License-Identifier: MIT
 *
 * A lease that a script drops in the statement that made it: `if ($lock->lease('x')) { work(); }`.
 *
 * DESIGN
 *
 * lease() and resume() note where they were called: the frame, and the instruction that is the call. When an object
 * is destroyed, its lease was wasted for certain if the same frame
 *
 * - still executes the call, whose result nothing uses; or
 * - executes the instruction right after the call, and has the object as the first operand, which is the result of
 *   the call; or
 * - executes the instruction to which `??` or `?:` right after the call jumps, and has the object as the first
 *   operand, which is the result of that.
 *
 * A lease that was stored anywhere is not the operand of such an instruction, whatever the instruction is: only where
 * it reads its first operand is looked at, and that is the same in all versions of PHP. An instruction may be executed
 * again, for another object: so no other call of lease() or resume() may have been made meanwhile. Whatever does not
 * fit is taken for a correct use, also some careless ones (`match`, `switch`, `@`).
 *
 * Nothing is changed: the frame is only read.
 */
#ifndef REDISLOCK_BIRTH_H
#define REDISLOCK_BIRTH_H

#include "php_redislock.h"

typedef struct redislock_birth {
	/* Both are only compared, until they are known to be there. */
	const zend_execute_data *frame; /* NULL = not known */
	const zend_op *call;
	uint64_t number; /* of the calls of this thread */
} redislock_birth;

/* Called by lease() and resume(), also for calls that give no lease. */
redislock_birth redislock_birth_of_call(void);

/* The object, which is being destroyed, was dropped by the statement that made it. */
bool redislock_birth_was_wasted(const redislock_birth *birth, const zend_object *object);

#endif
