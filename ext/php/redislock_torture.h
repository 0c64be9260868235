/* SPDX-License-Identifier: MIT
 *
 * Interrupts at as many places as possible, for scripts/torture alone. A normal build contains none
 * of it.
 *
 * A build with REDISLOCK_TORTURE does nothing special either, until the environment has a variable
 * of that name. Then the next interrupt follows right after each one, so that the VM calls the
 * interrupt hook nearly wherever the engine can call it, and an onLoss stays due after it was
 * called.
 */
#ifndef REDISLOCK_TORTURE_H
#define REDISLOCK_TORTURE_H

#include <stdbool.h>

/* For MINIT and MSHUTDOWN. */
void redislock_torture_begin(void);
void redislock_torture_end(void);

/* The interrupt hook calls this when its work is done. */
void redislock_torture_after_interrupt(void);

/* False in every normal build. */
bool redislock_is_tortured(void);

#endif
