/* SPDX-License-Identifier: MIT
 *
 * The interrupt hook, through which PHP calls the `onLoss` of a lease whose lock is lost.
 *
 * DESIGN
 *
 * The watchdog, verify() and extend() mark the record of a lost lease (redislock_record.h). The
 * watchdog then sets EG(vm_interrupt), which the VM checks in loops and calls. The VM calls the
 * hook of this file, and the hook first calls the hooks that were installed before (pcntl's
 * signals), then each callable that is due, once, with its lease. verify() and extend() call the
 * callables before they return.
 *
 * PHP's own rules for signal handlers hold (redislock_lease_report_losses()):
 * - no callable is called while an exception is on its way, and no Fiber is switched during the
 *   call;
 * - no callable is called where PHP forbids to switch Fibers: inside a signal handler or a tick
 *   function, in PHP 8.2 and 8.3 also inside a destructor. An exception that ends a signal handler
 *   also discards the signals that wait after it. The record then stays marked, and the watchdog
 *   sets the flag again a little later;
 * - while the request shuts down, callables are called as long as a function of the script runs: a
 *   shutdown function, in which ReactPHP runs its loop, a destructor, a session handler;
 * - no callable is called after a fatal error.
 *
 * This file knows no opcodes and changes no frame: zend_call_function() hands an exception of the
 * callable to the VM, as it does for a signal handler.
 */
#ifndef REDISLOCK_LOSS_H
#define REDISLOCK_LOSS_H

/* For MINIT and MSHUTDOWN. */
void redislock_loss_set_up(void);
void redislock_loss_tear_down(void);

#endif
