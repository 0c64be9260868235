/* SPDX-License-Identifier: MIT
 *
 * The arguments of the constructor of RedisLock.
 */
#ifndef REDISLOCK_ARGUMENTS_H
#define REDISLOCK_ARGUMENTS_H

#include "php_redislock.h"

#include "core/wire/rl_tls_options.h"

/* The constructor's arguments that have to be checked, as PHP gives them. */
typedef struct redislock_arguments {
	const zend_string *server; /* a DSN, or NULL */
	HashTable *servers;        /* a list of DSNs, or NULL */
	const zend_string *prefix; /* or NULL */
	const zend_string *label;  /* or NULL */
	double timeout;
	double connect_timeout;
	double retry_delay;
	double retry_max_delay;
	double jitter;
	double drift_factor;
	/* The argument $tls; borrowed. NULL when it has no option. */
	const rl_tls_options *tls;
	/* NULL = as many retries as the wait allows. */
	const zend_long *retries;
	/* NULL = as long as the wait. */
	const double *outage_wait;
} redislock_arguments;

#endif
