/* SPDX-License-Identifier: MIT
 *
 * The interrupt hook. The design is in the header.
 */
#include "php_redislock.h"

#include "php/redislock_lease.h"
#include "php/redislock_loss.h"
#include "php/redislock_yield.h"

static void (*previous_hook)(zend_execute_data *frame);

static void on_interrupt(zend_execute_data *frame)
{
	if (previous_hook != NULL) {
		previous_hook(frame);
	}
	if (REDISLOCK_G(waiter) != NULL) {
		redislock_yield_ask_aborts();
	}
	redislock_lease_report_losses();
}

void redislock_loss_set_up(void)
{
	previous_hook = zend_interrupt_function;
	zend_interrupt_function = on_interrupt;
}

void redislock_loss_tear_down(void)
{
	if (zend_interrupt_function == on_interrupt) {
		zend_interrupt_function = previous_hook;
	}
}
