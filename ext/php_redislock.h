/* SPDX-License-Identifier: MIT
 *
 * The extension's shared header: version, module entry, module globals. Only files in ext/ and
 * ext/php/ include it.
 */
#ifndef PHP_REDISLOCK_H
#define PHP_REDISLOCK_H

#include "php.h"

#include "core/conn/rl_pool.h"
#include "transport/rl_link.h"
#include "transport/rl_os.h"

#define PHP_REDISLOCK_VERSION "0.1.0dev"

extern zend_module_entry redislock_module_entry;
#define phpext_redislock_ptr &redislock_module_entry

/* The state of one PHP thread. */
ZEND_BEGIN_MODULE_GLOBALS(redislock)
	/* INI settings. max_hold is in seconds: 0 = no ceiling, NaN = the setting is not a number. */
	char *servers;
	char *prefix;
	double max_hold;
	bool free_on_sigterm;
	char *label;      /* empty = the default */
	double slow_wait; /* seconds; 0 = no notices */
	rl_random random;
	rl_env env;
	rl_net net;
	/* The connections of all objects with persistent: true. */
	rl_pool pool;
	/* The calls of this request that are under way. See redislock_call.h. */
	struct redislock_call *calls;
	/* The lease records of this request. See redislock_record.h. */
	struct redislock_record *records;
	unsigned record_count;
	/* The memory that the records take. */
	size_t record_bytes;
	/* How calls wait; NULL = they block. See redislock_yield.h. */
	struct redislock_hook *waiter;
	struct redislock_watch *suspended; /* of the calls that are suspended */
	struct redislock_watch *idle_watches;
	unsigned idle_watch_count;
	/* Hears of contention; NULL = none. See redislock_observer.h. */
	struct redislock_hook *observer;
	/* Counts calls of lease() and resume(). See redislock_call_site.h. */
	uint64_t call_sites;
	/* How many records are lost and have an onLoss to be called. */
	_Atomic unsigned losses_due;
ZEND_END_MODULE_GLOBALS(redislock)

ZEND_EXTERN_MODULE_GLOBALS(redislock)

#define REDISLOCK_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(redislock, v)

#if defined(ZTS) && defined(COMPILE_DL_REDISLOCK)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

#endif
