/* SPDX-License-Identifier: MIT
 *
 * A flow: a Fiber, or a coroutine of an extension such as Swoole. Others may run between any two
 * calls of a flow, so a lock that a flow holds excludes them.
 *
 * Coroutines of Swoole share one Fiber context, but each has a stack of its own. The first page of
 * the stack tells them apart. It stays the same however deep the calls are, and generators and
 * callbacks run on it.
 *
 * When a flow ends, PHP may give its addresses to a later one. A Fiber reports its end
 * (redislock_record.c). A coroutine does not, so a lease must not outlive its coroutine where the
 * lock is re-entrant.
 */
#ifndef REDISLOCK_FLOW_H
#define REDISLOCK_FLOW_H

#include "php.h"

/* Only compared. */
typedef struct redislock_flow {
	const void *fiber; /* NULL = the Fiber was destroyed */
	const void *stack;
} redislock_flow;

static inline redislock_flow redislock_flow_current(void)
{
	zend_vm_stack page = EG(vm_stack);
	while (page->prev != NULL) {
		page = page->prev;
	}
	return (redislock_flow){.fiber = EG(current_fiber_context), .stack = page};
}

static inline bool redislock_flow_is_current(const redislock_flow *flow)
{
	redislock_flow current = redislock_flow_current();
	return flow->fiber == current.fiber && flow->stack == current.stack;
}

#endif
