/* SPDX-License-Identifier: MIT
 *
 * The argument $abort of the methods that wait for a lock: a callable that may end the wait.
 *
 * DESIGN
 *
 * The call (redislock_call.c) asks the callable while it waits for another holder
 * (rl_acquire_may_stop()): for the first time after the first try, then after signal handlers have
 * run, and once a second. After true the operation takes one more step with the answers that have
 * arrived. So a lock that was won in the same moment is returned. Otherwise the wait ends as if its
 * time were over (rl_acquire_stop()).
 *
 * The callable runs inside the method, and under the rules for signal handlers: no Fiber is
 * switched meanwhile, and its exception, exit or fatal error abandons the operation.
 */
#ifndef REDISLOCK_ABORT_H
#define REDISLOCK_ABORT_H

#include "php.h"

typedef enum redislock_abort_answer {
	REDISLOCK_ABORT_GO_ON,
	REDISLOCK_ABORT_STOP, /* final: the callable is not asked again */
} redislock_abort_answer;

/* All zero but for the number of the argument = the script gave no callable. */
typedef struct redislock_abort {
	uint32_t arg;
	/* Borrowed from the arguments of the method, in whose frame alone the callable is called. */
	zend_fcall_info function;
	zend_fcall_info_cache cache;
	/* When the call has to look at the callable, or at its answer, again. */
	int64_t due_at;
	redislock_abort_answer answer;
} redislock_abort;

static inline bool redislock_abort_is_set(const redislock_abort *abort)
{
	return ZEND_FCI_INITIALIZED(abort->function);
}

/* Calls the callable, and notes its answer. May throw, and may bail out. */
void redislock_abort_ask(redislock_abort *abort);

#endif
