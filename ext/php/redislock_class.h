/* SPDX-License-Identifier: MIT
 *
 * The class RedisLock.
 */
#ifndef REDISLOCK_CLASS_H
#define REDISLOCK_CLASS_H

/* Registers the class and the exceptions; in MINIT. */
void redislock_class_register(void);

#endif
