/* SPDX-License-Identifier: MIT
 *
 * Servers inside the process (memory://), which RedisLock::flushMemory() empties, and the clock
 * that tests move: RedisLock::advance().
 */
#ifndef REDISLOCK_MEMORY_H
#define REDISLOCK_MEMORY_H

#include "php_redislock.h"

/* False = this process serves users, and redislock.memory is off. A lock on such a server excludes
 * no other process: a DSN that strays from a test into FPM must not turn exclusion off. */
bool redislock_memory_is_allowed(void);

/* Moves the clock of the process, or throws.
 * @param arg the number of the argument, for the message */
void redislock_memory_advance(double seconds, uint32_t arg);

/* Deletes all keys of the servers, and ends the leases of this thread that the keys belong to, or
 * throws. */
void redislock_memory_flush(void);

#endif
