/* SPDX-License-Identifier: MIT
 *
 * The numbers of this process, and of all processes that share them, for stats() and phpinfo().
 */
#ifndef REDISLOCK_STATS_H
#define REDISLOCK_STATS_H

/* Prints rows of a table for phpinfo(): the numbers of this process. */
void redislock_stats_print(void);

#endif
