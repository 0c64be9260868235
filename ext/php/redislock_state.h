/* SPDX-License-Identifier: MIT
 *
 * The class RedisLockState: what inspect() returns.
 */
#ifndef REDISLOCK_STATE_H
#define REDISLOCK_STATE_H

#include "php_redislock.h"

#include "core/lock/rl_quorum_call.h"

/* For MINIT, when the class is registered. */
void redislock_state_set_up(zend_class_entry *ce);

/* Makes the object of a lock that is held. */
void redislock_state_new(zval *object, const rl_lock_state *state);

#endif
