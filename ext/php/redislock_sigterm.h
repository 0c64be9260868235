/* SPDX-License-Identifier: MIT
 *
 * Installs the handler of SIGTERM (transport/rl_sigterm.h).
 *
 * DESIGN
 *
 * The handler is installed only where nothing else handles the signal. With Zend Signals, PHP's own
 * table decides that: for the kernel Zend always handles the signal, and only the table shows the
 * default. A handler that the script installs later replaces ours. PHP resets the table with each
 * request, so the check runs again for each lease that begins. A library that borrows the signal
 * restores the default that it has seen, so each acquire and each question of a lease installs the
 * handler again. A renewal does not: Zend's table belongs to PHP's thread, and to interrupt that
 * thread after each renewal would cost more (see "onLoss" and the JIT in docs/leases.md).
 *
 * The handler is not installed
 * - in process 1 of a container: there the kernel ignores a signal with its default action, and the
 *   script uses its grace period;
 * - while the signal is blocked: by the script, which then waits for it by other means, or by PHP,
 *   which blocks all signals while a handler of the script runs. The next acquire or question after
 *   that installs it;
 * - in a server that runs PHP inside its own process, and in thread-safe builds: there the process
 *   does not belong to PHP alone.
 */
#ifndef REDISLOCK_SIGTERM_H
#define REDISLOCK_SIGTERM_H

/* Call before a lease is asked for that the watchdog will know: even a process that still waits for
 * the lock must not end with it. */
void redislock_sigterm_install(void);

/* Call when the script uses the extension: installs the handler again where the script, or a
 * library that has borrowed the signal, has restored the default action since. */
void redislock_sigterm_keep(void);

/* For MSHUTDOWN: PHP is about to unload the handler's code. */
void redislock_sigterm_remove(void);

#endif
