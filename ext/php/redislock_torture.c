/* SPDX-License-Identifier: MIT
 *
 * The torture test's interrupts.
 */
#include "php_redislock.h"

#include "php/redislock_torture.h"

#ifdef REDISLOCK_TORTURE
# include <pthread.h>

# define SPINS_MAX 400
# define IDLE_MAX 100000

/* The interrupt flag of the thread that started the module; NULL = no torture. */
static zend_atomic_bool *vm_interrupt;
static bool has_thread;
static pthread_t thread;
/* The hook has run, and the next interrupt may follow. */
static _Atomic bool must_interrupt;
static _Atomic bool must_end;

bool redislock_is_tortured(void)
{
	return vm_interrupt != NULL;
}

/* "every": before each instruction, so that the VM finds the flag set each time it looks. The hook
 * itself must not set the flag: the VM looks again before it goes on, and would make no progress.
 * PHP then has no JIT. */
static int interrupt_before_instruction(zend_execute_data *frame)
{
	(void) frame;
	zend_atomic_bool_store_ex(vm_interrupt, true);
	return ZEND_USER_OPCODE_DISPATCH;
}

/* "often": between some nanoseconds and a microsecond after the hook has run. */
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

void redislock_torture_after_interrupt(void)
{
	if (vm_interrupt != NULL) {
		REDISLOCK_G(tortures)++;
		atomic_store(&must_interrupt, true);
	}
	if (vm_interrupt != NULL && !has_thread) {
		/* Instructions of the callable have set the flag. */
		zend_atomic_bool_store_ex(vm_interrupt, false);
	}
}

void redislock_torture_begin(void)
{
	const char *how = getenv("REDISLOCK_TORTURE");
	if (how == NULL) {
		return;
	}
	vm_interrupt = &EG(vm_interrupt);
	if (strcmp(how, "every") != 0) {
		atomic_store(&must_interrupt, true);
		has_thread = pthread_create(&thread, NULL, interrupt_again, NULL) == 0;
		return;
	}
	for (unsigned code = 0; code < 256; code++) {
		if (code != ZEND_USER_OPCODE) {
			zend_set_user_opcode_handler((uint8_t) code, interrupt_before_instruction);
		}
	}
}

void redislock_torture_end(void)
{
	if (has_thread) {
		atomic_store(&must_end, true);
		pthread_join(thread, NULL);
	}
}
#else
bool redislock_is_tortured(void)
{
	return false;
}

void redislock_torture_after_interrupt(void)
{
}

void redislock_torture_begin(void)
{
}

void redislock_torture_end(void)
{
}
#endif
