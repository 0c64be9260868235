/* SPDX-License-Identifier: MIT
 *
 * The argument $abort. The design is in the header.
 */
#include "php/redislock_abort.h"

#include "zend_fibers.h"

#include "core/base/rl_time.h"
#include "transport/rl_os.h"

#define ASK_AGAIN_NS RL_NS_PER_SECOND

/* Any other value is an error: to take 1 or "yes" for either answer would surprise some scripts. */
static void throw_bad_answer(const redislock_abort *abort, const zval *answer)
{
	zend_argument_type_error(
		abort->arg, "must return a bool or null, %s returned", zend_zval_type_name(answer));
}

void redislock_abort_ask(redislock_abort *abort)
{
	zval answer;
	zend_fcall_info call = abort->function;
	zend_fcall_info_cache cache = abort->cache;
	ZVAL_UNDEF(&answer);
	call.retval = &answer;
	zend_fiber_switch_block();
	zend_call_function(&call, &cache);
	zend_fiber_switch_unblock();
	const zval *value = &answer;
	ZVAL_DEREF(value);
	if (Z_TYPE_P(value) == IS_TRUE) {
		abort->answer = REDISLOCK_ABORT_STOP;
	} else if (Z_TYPE_P(value) > IS_FALSE) {
		throw_bad_answer(abort, value);
	}
	abort->due_at = abort->answer == REDISLOCK_ABORT_STOP ? 0 : rl_os_now() + ASK_AGAIN_NS;
	zval_ptr_dtor(&answer);
}
