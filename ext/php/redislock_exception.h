/* SPDX-License-Identifier: MIT
 *
 * The classes of exceptions, and the only place that turns an error of core into an exception.
 */
#ifndef REDISLOCK_EXCEPTION_H
#define REDISLOCK_EXCEPTION_H

#include "php_redislock.h"

#include "core/lease/rl_lease.h"
#include "core/lock/rl_op.h"

extern zend_class_entry *redislock_ce_exception;
extern zend_class_entry *redislock_ce_connection_exception;
extern zend_class_entry *redislock_ce_server_exception;
extern zend_class_entry *redislock_ce_timeout_exception;
extern zend_class_entry *redislock_ce_lost_exception;
extern zend_class_entry *redislock_ce_loss; /* the enum */

/* Throws the exception for err.
 * @param op the failed operation, which has the reasons of the servers; NULL = no operation */
void redislock_throw(const rl_error *err, const rl_op *op);

/* The name of the lock in an exception.
 * @param key without its prefix; the exception that is on its way gets it for getKey() */
void redislock_note_key(rl_bytes key);

/* Throws for a lease that is not held. @param loss the reason */
void redislock_throw_lost(const rl_lease *lease, rl_loss loss);

/* The same for the end of a section.
 * @param is_found_by_release only the release at the end has found the loss; the server does not
 *   report then whether the key is gone or has another holder
 * @param result what the section returned */
void redislock_throw_section_lost(
	const rl_lease *lease, rl_loss loss, bool is_found_by_release, zval *result);

/* Sets *out to the case of the enum RedisLockLoss, or to null. Adds no reference. */
void redislock_loss_case(rl_loss loss, zval *out);

#endif
