/* SPDX-License-Identifier: MIT
 *
 * Losses that the script is told of. The design is in the header.
 */
#include "php_redislock.h"

#include "php/redislock_exception.h"
#include "php/redislock_record.h"
#include "php/redislock_lease.h"
#include "php/redislock_loss.h"

#include "zend_enum.h"
#include "zend_fibers.h"

static void (*previous_hook)(zend_execute_data *frame);

static bool is_a_moment(void)
{
	return EG(active) && EG(exception) == NULL && !zend_fiber_switch_blocked() &&
		!CG(unclean_shutdown) && (EG(flags) & EG_FLAGS_IN_SHUTDOWN) == 0;
}

void redislock_losses_tell(void)
{
	while (atomic_load(&REDISLOCK_G(losses_due)) > 0 && is_a_moment()) {
		zend_object *lease = redislock_record_next_listener();
		if (lease == NULL) {
			return;
		}
		GC_ADDREF(lease); /* the callable may drop the last other one */
		redislock_lease_call_on_loss(lease);
		OBJ_RELEASE(lease);
		if (redislock_is_tortured()) {
			return; /* it stays due */
		}
	}
}

void redislock_loss_case(rl_loss loss, zval *out)
{
	static const char *const names[] = {[RL_LOSS_EXPIRED] = "Expired",
		[RL_LOSS_MAX_HOLD] = "MaxHold",
		[RL_LOSS_DELETED] = "Deleted",
		[RL_LOSS_TAKEN_OVER] = "TakenOver",
		[RL_LOSS_RELEASED] = "Released",
		[RL_LOSS_FORKED] = "Forked"};
	if (loss == RL_LOSS_NONE) {
		ZVAL_NULL(out);
	} else {
		ZVAL_OBJ(out, zend_enum_get_case_cstr(redislock_ce_loss, names[loss]));
	}
}

/* ---- torture ---- */

#ifdef REDISLOCK_TORTURE
# include <pthread.h>

# define TORTURE_SPINS 400
# define TORTURE_IDLE_MAX 100000

static zend_atomic_bool
	*tortured; /* the flag of the thread that started the module; NULL = nothing is done */
static bool has_torturer;
static pthread_t torturer;
static _Atomic bool must_ask; /* the hook has run */
static _Atomic bool must_end;

bool redislock_is_tortured(void)
{
	return tortured != NULL;
}

/* "every": before each instruction, so that no look of the VM is in vain. Not by the hook itself: the VM looks at the flag
 * again before it goes on, and would stand still. PHP then has no JIT. */
static int ask_before_instruction(zend_execute_data *frame)
{
	(void) frame;
	zend_atomic_bool_store_ex(tortured, true);
	return ZEND_USER_OPCODE_DISPATCH;
}

/* "often": a moment after the hook has run, some nanoseconds to a microsecond. */
static void *ask_again(void *unused)
{
	unsigned spins = 1;
	unsigned idle = 0;
	while (!atomic_load(&must_end)) {
		/* Also when the hook was not called for long: something else may have reset the flag. */
		if (!atomic_exchange(&must_ask, false) && ++idle < TORTURE_IDLE_MAX) {
			continue;
		}
		idle = 0;
		spins = spins * 7 % TORTURE_SPINS;
		for (volatile unsigned i = 0; i < spins; i++) {
		}
		zend_atomic_bool_store_ex(tortured, true);
	}
	return unused;
}

static void torture(void)
{
	if (tortured != NULL) {
		REDISLOCK_G(tortures)++;
		atomic_store(&must_ask, true);
	}
	if (tortured != NULL && !has_torturer) {
		zend_atomic_bool_store_ex(tortured, false); /* it was set by instructions of the callable */
	}
}

static void begin_torture(void)
{
	const char *how = getenv("REDISLOCK_TORTURE");
	if (how == NULL) {
		return;
	}
	tortured = &EG(vm_interrupt);
	if (strcmp(how, "every") != 0) {
		atomic_store(&must_ask, true);
		has_torturer = pthread_create(&torturer, NULL, ask_again, NULL) == 0;
		return;
	}
	for (unsigned code = 0; code < 256; code++) {
		if (code != ZEND_USER_OPCODE) {
			zend_set_user_opcode_handler((uint8_t) code, ask_before_instruction);
		}
	}
}

static void end_torture(void)
{
	if (has_torturer) {
		atomic_store(&must_end, true);
		pthread_join(torturer, NULL);
	}
}
#else
bool redislock_is_tortured(void)
{
	return false;
}

static void torture(void)
{
}

static void begin_torture(void)
{
}

static void end_torture(void)
{
}
#endif

/* ---- the hook ---- */

static void on_interrupt(zend_execute_data *frame)
{
	if (previous_hook != NULL) {
		previous_hook(frame);
	}
	redislock_losses_tell();
	torture();
}

void redislock_loss_set_up(void)
{
	previous_hook = zend_interrupt_function;
	zend_interrupt_function = on_interrupt;
	begin_torture();
}

void redislock_loss_tear_down(void)
{
	end_torture();
	if (zend_interrupt_function == on_interrupt) {
		zend_interrupt_function = previous_hook;
	}
}
