/* SPDX-License-Identifier: MIT
 *
 * Finds a lease that the script drops in the statement that took it, as in
 * `if ($lock->lease('x')) { work(); }`.
 *
 * DESIGN
 *
 * lease() and resume() note where the script called them: the frame, and the instruction that is
 * the call. When PHP destroys the object, the lease was certainly discarded if the same frame
 *
 * - still executes the call, and no instruction uses the result of the call; or
 * - executes the instruction right after the call, and the first operand of that instruction is the
 *   object, which means the result of the call; or
 * - executes the instruction to which `??` or `?:` right after the call jumps, and the first
 *   operand of that instruction is the object, which means the result of `??` or `?:`.
 *
 * A lease that the script has stored anywhere is never the operand of such an instruction, whatever
 * the instruction is. This file only looks at where an instruction reads its first operand, and
 * that is the same in all versions of PHP. PHP may execute an instruction again, for another
 * object. Therefore no other call of lease() or resume() may lie between. A case that does not fit
 * counts as correct use, even where the script is careless (`match`, `switch`, `@`).
 *
 * This file only reads the frame and changes nothing in it.
 */
#ifndef REDISLOCK_CALL_SITE_H
#define REDISLOCK_CALL_SITE_H

#include "php_redislock.h"

typedef struct redislock_call_site {
	/* NULL = not known. Only compared, until the frame is known to exist still. */
	const zend_execute_data *frame;
	/* Only compared, until the instruction is known to belong to the frame. */
	const zend_op *call;
	/* Counts the calls of lease() and resume() in this thread. */
	uint64_t number;
} redislock_call_site;

/* lease() and resume() call this also when they return no lease. */
redislock_call_site redislock_call_site_note(void);

/* True when the statement that took the lease drops the object, which is being destroyed. */
bool redislock_call_site_discards(const redislock_call_site *site, const zend_object *object);

#endif
