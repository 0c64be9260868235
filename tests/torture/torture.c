/* SPDX-License-Identifier: MIT
 *
 * An extension of PHP for scripts/torture: interrupts at as many places as possible.
 *
 * DESIGN
 *
 * The environment variable TORTURE says how; without it no interrupt is added.
 * - "every": before each instruction, so that the VM finds its flag set each time it looks. PHP
 *   then has no JIT.
 * - "often": a thread sets the flag between some nanoseconds and a microsecond after the last
 *   interrupt.
 *
 * The extension starts after redislock, and its interrupt hook calls the one of redislock. So it
 * knows when redislock is done, and redislock is built as for users.
 *
 * redislock calls each onLoss that is due in one interrupt. The onLoss of the test makes the next
 * one due (main.inc), and then calls torture_until_the_next(): the next one has to wait for the
 * next interrupt, because until this one is over, PHP forbids to switch Fibers.
 */
#include "php.h"

#include "zend_fibers.h"

#include <pthread.h>
#include <stdatomic.h>

#define SPINS_MAX 400
#define IDLE_MAX 100000

static void (*hook_of_redislock)(zend_execute_data *frame);
static unsigned interrupts;
/* How many calls of the hook are under way: an onLoss is interrupted, too. */
static unsigned depth;
/* No Fiber can be switched until this interrupt is over. */
static bool is_last_of_interrupt;

/* The flag of the thread that started PHP; NULL = no torture. */
static zend_atomic_bool *vm_interrupt;
static bool has_thread;
static pthread_t thread;
/* The hook has run, and the next interrupt may follow. */
static _Atomic bool must_interrupt;
static _Atomic bool must_end;

/* ---- interrupts ---- */

/* "every". The hook itself must not set the flag: the VM looks again before it goes on, and would
 * make no progress. */
static int interrupt_before_instruction(zend_execute_data *frame)
{
	(void) frame;
	zend_atomic_bool_store_ex(vm_interrupt, true);
	return ZEND_USER_OPCODE_DISPATCH;
}

/* "often" */
static void *interrupt_again(void *unused)
{
	unsigned spins = 1;
	unsigned idle = 0;
	while (!atomic_load(&must_end)) {
		/* Also when the VM has not called the hook for long: other code may have reset the flag. */
		if (!atomic_exchange(&must_interrupt, false) && ++idle < IDLE_MAX) {
			continue;
		}
		idle = 0;
		spins = spins * 7 % SPINS_MAX;
		for (volatile unsigned i = 0; i < spins; i++) {
		}
		zend_atomic_bool_store_ex(vm_interrupt, true);
	}
	return unused;
}

static void on_interrupt(zend_execute_data *frame)
{
	depth++;
	hook_of_redislock(frame);
	depth--;
	if (depth == 0 && is_last_of_interrupt) {
		is_last_of_interrupt = false;
		zend_fiber_switch_unblock();
	}
	if (vm_interrupt == NULL) {
		return;
	}
	interrupts++;
	atomic_store(&must_interrupt, true);
	if (!has_thread) {
		/* Instructions of the onLoss have set the flag. */
		zend_atomic_bool_store_ex(vm_interrupt, false);
	}
}

/* ---- functions for main.inc ---- */

/* How often the VM has called the hook. */
static PHP_FUNCTION(torture_interrupts)
{
	ZEND_PARSE_PARAMETERS_NONE();
	RETURN_LONG(interrupts);
}

/* For an onLoss: this interrupt calls no further one. */
static PHP_FUNCTION(torture_until_the_next)
{
	ZEND_PARSE_PARAMETERS_NONE();
	if (depth == 0 || is_last_of_interrupt) {
		zend_throw_error(NULL, "no onLoss was called by an interrupt, or two by one");
		return;
	}
	is_last_of_interrupt = true;
	zend_fiber_switch_block();
}

/* Calls the function where PHP forbids to switch Fibers, and so no onLoss is called. */
static PHP_FUNCTION(torture_without_calls)
{
	zend_fcall_info call;
	zend_fcall_info_cache cache;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_FUNC(call, cache)
	ZEND_PARSE_PARAMETERS_END();
	call.retval = return_value;
	zend_fiber_switch_block();
	zend_call_function(&call, &cache);
	zend_fiber_switch_unblock();
}

/* clang-format off */
ZEND_BEGIN_ARG_INFO_EX(arginfo_none, 0, 0, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_function, 0, 0, 1)
	ZEND_ARG_INFO(0, function)
ZEND_END_ARG_INFO()

static const zend_function_entry functions[] = {
	PHP_FE(torture_interrupts, arginfo_none)
	PHP_FE(torture_until_the_next, arginfo_none)
	PHP_FE(torture_without_calls, arginfo_function)
	PHP_FE_END
};
/* clang-format on */

/* ---- module ---- */

static PHP_MINIT_FUNCTION(torture)
{
	const char *how = getenv("TORTURE");
	hook_of_redislock = zend_interrupt_function;
	zend_interrupt_function = on_interrupt;
	if (how == NULL) {
		return SUCCESS;
	}
	vm_interrupt = &EG(vm_interrupt);
	if (strcmp(how, "every") != 0) {
		atomic_store(&must_interrupt, true);
		has_thread = pthread_create(&thread, NULL, interrupt_again, NULL) == 0;
		return has_thread ? SUCCESS : FAILURE;
	}
	for (unsigned code = 0; code < 256; code++) {
		if (code != ZEND_USER_OPCODE) {
			zend_set_user_opcode_handler((uint8_t) code, interrupt_before_instruction);
		}
	}
	return SUCCESS;
}

static PHP_MSHUTDOWN_FUNCTION(torture)
{
	if (has_thread) {
		atomic_store(&must_end, true);
		pthread_join(thread, NULL);
	}
	zend_interrupt_function = hook_of_redislock;
	return SUCCESS;
}

/* PHP starts redislock first. */
static const zend_module_dep dependencies[] = {ZEND_MOD_REQUIRED("redislock") ZEND_MOD_END};

static zend_module_entry torture_module_entry = {
	STANDARD_MODULE_HEADER_EX,
	NULL,
	dependencies,
	"torture",
	functions,
	PHP_MINIT(torture),
	PHP_MSHUTDOWN(torture),
	NULL,
	NULL,
	NULL,
	NULL,
	STANDARD_MODULE_PROPERTIES,
};

ZEND_GET_MODULE(torture)
