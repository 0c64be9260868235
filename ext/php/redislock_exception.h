/* SPDX-License-Identifier: MIT
 *
 * The exceptions, and the one place where an error of core becomes one.
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

/* Throws what err says. @param op the failed operation, for the servers' reasons; NULL = none */
void redislock_throw(const rl_error *err, const rl_op *op);

/* @param loss why it is not held */
void redislock_throw_lost(const rl_lease *lease, rl_loss loss);

/* The same for the end of a section.
 * @param is_found_by_release only the release at the end has found the loss, and is not told who holds the key
 * @param result of the section */
void redislock_throw_section_lost(
	const rl_lease *lease, rl_loss loss, bool is_found_by_release, zval *result);

#endif
