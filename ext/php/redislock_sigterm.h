/* SPDX-License-Identifier: MIT
 *
 * Where the handler of SIGTERM (transport/rl_sigterm.h) is installed.
 *
 * DESIGN
 *
 * Only where nothing else handles the signal. With Zend Signals that is what PHP's own table says: for the kernel Zend
 * handles the signal all the time, and the default stands in the table alone. A handler that the script installs later
 * takes our place there. PHP resets the table with each request, so each lease that begins looks again.
 *
 * Not installed:
 * - as process 1 of a container, where the kernel ignores a signal with its default action, and the script uses its grace
 *   period;
 * - while the signal is blocked: the script waits for it by other means;
 * - in a server that runs PHP in its own process, and in thread-safe builds: the process is not PHP's alone.
 */
#ifndef REDISLOCK_SIGTERM_H
#define REDISLOCK_SIGTERM_H

/* A lease is about to be asked for, and the watchdog's thread will know it: also a waiter must not take a lock with it. */
void redislock_sigterm_install(void);

/* In MSHUTDOWN: the handler's code is about to be unloaded. */
void redislock_sigterm_remove(void);

#endif
