/* SPDX-License-Identifier: MIT
 *
 * The script's observer of contention (RedisLock::onContention()): a function that is called after
 * each acquire of this request that has found its lock taken.
 *
 * Without an observer an acquire costs one comparison more. The observer runs where a notice of a
 * slow wait does: while the call still has the connections on which the lock can be undone, because
 * the observer may throw. Acquires that the observer itself makes are not observed.
 */
#ifndef REDISLOCK_OBSERVER_H
#define REDISLOCK_OBSERVER_H

#include "php_redislock.h"

#include "core/lock/rl_acquire.h"

/* Sets the observer. @param function NULL = none */
void redislock_observer_set(const zend_fcall_info *function, const zend_fcall_info_cache *cache);

/* For RSHUTDOWN. */
void redislock_observer_forget(void);

/* The acquire has ended without a failure, and the observer is to be called. */
static inline bool redislock_observer_wants(const rl_acquire *acquire)
{
	return REDISLOCK_G(observer) != NULL && acquire->was_refused;
}

/* Calls the observer. May throw, and bail out. @param key without its prefix */
void redislock_observer_call(const rl_acquire *acquire, rl_bytes key);

#endif
