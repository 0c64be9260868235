/* SPDX-License-Identifier: MIT
 *
 * `onLoss`: a callable of the script is called when the lock of a lease is lost.
 *
 * DESIGN
 *
 * The watchdog, or verify() and extend(), mark the record of a lease that is lost (redislock_record.h). The watchdog
 * then sets EG(vm_interrupt), which the VM looks at in loops and calls. The VM calls the hook of this file, after
 * the hooks that were there before (pcntl's signals), and the hook calls what is due: each callable once, with its
 * lease. verify() and extend() do the same before they return.
 *
 * PHP's own rules for signal handlers hold. Nothing is called while an exception is on its way, and no Fiber is
 * switched during the call. Where PHP itself forbids to switch Fibers (inside a signal handler or a tick function, in
 * PHP 8.2 and 8.3 also inside a destructor) nothing is called either: a signal handler that an exception breaks off
 * takes the signals after it along. Then the record stays marked, and the watchdog sets the flag again a little later.
 * Nothing is called once the request shuts down.
 *
 * This file knows nothing of opcodes, and changes nothing of a frame: what the callable throws is handed to the VM by
 * zend_call_function(), as that of a signal handler is.
 *
 * A build with REDISLOCK_TORTURE is for scripts/torture alone. When the environment has a variable of that name, a
 * thread asks for the next interrupt right after each, so that the hook is called nearly wherever the engine can call
 * it, and an onLoss stays due when it was called.
 */
#ifndef REDISLOCK_LOSS_H
#define REDISLOCK_LOSS_H

#include "php_redislock.h"

#include "core/lease/rl_loss.h"

/* In MINIT and MSHUTDOWN. */
void redislock_loss_set_up(void);
void redislock_loss_tear_down(void);

/* Calls each onLoss that is due, if this is a moment for it. */
void redislock_losses_tell(void);

/* Always false but in a build for scripts/torture. */
bool redislock_is_tortured(void);

/* The case of the enum RedisLockLoss, or null. No reference is added. */
void redislock_loss_case(rl_loss loss, zval *out);

#endif
