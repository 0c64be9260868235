/* SPDX-License-Identifier: MIT
 *
 * The numbers of this process, and of all processes that share them, for stats() and phpinfo().
 */
#ifndef REDISLOCK_STATS_H
#define REDISLOCK_STATS_H

#include "php.h"

/* Puts the numbers of this process, or of all processes that share them, into a new array.
 * @param[out] sys_errno why there is no memory that processes share
 * @return false = the numbers of all processes are wanted, and there is no such memory */
bool redislock_stats_read(bool is_all, zval *array, int *sys_errno);

/* Prints rows of a table for phpinfo(): the numbers of this process. */
void redislock_stats_print(void);

#endif
