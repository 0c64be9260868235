/* SPDX-License-Identifier: MIT
 *
 * The extension's shared header: version, module entry, module globals. Only files in ext/ and ext/php/
 * include it.
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

/* All that one PHP thread has. */
ZEND_BEGIN_MODULE_GLOBALS(redislock)
	char *servers;        /* INI */
	char *prefix;         /* INI */
	double max_hold;      /* INI; seconds, 0 = no ceiling, NaN = it is no number */
	bool free_on_sigterm; /* INI */
	rl_random random;
	rl_env env;
	rl_net net;
	rl_pool pool;                     /* connections of the objects with persistent: true */
	struct redislock_call *calls;     /* under way in this request; see redislock_call.h */
	struct redislock_record *records; /* by leases of this request; see redislock_record.h */
	unsigned record_count;            /* of them */
	size_t record_bytes;              /* that they take */
	uint64_t births;                  /* calls of lease() and resume(); see redislock_birth.h */
	_Atomic unsigned losses_due;      /* records that are lost, and whose onLoss is to be called */
#ifdef REDISLOCK_TORTURE
	unsigned tortures; /* calls of the interrupt hook */
#endif
ZEND_END_MODULE_GLOBALS(redislock)

ZEND_EXTERN_MODULE_GLOBALS(redislock)

#define REDISLOCK_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(redislock, v)

#if defined(ZTS) && defined(COMPILE_DL_REDISLOCK)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

#endif
