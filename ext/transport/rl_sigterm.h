/* SPDX-License-Identifier: MIT
 *
 * A handler of SIGTERM that frees the leases of the process, and then lets the signal end the
 * process.
 *
 * DESIGN
 *
 * To stop a worker, docker stop, supervisor or a reload of PHP-FPM sends SIGTERM. Its default
 * action ends the process at once, and the leases would block their keys until their TTL. The
 * handler marks all leases as lost, wakes the watchdog's thread through its pipe, and waits inside
 * the handler, so that the script cannot go on under locks that are no longer its own. The watchdog
 * sends the releases. When a quorum has confirmed each of them, the handler restores the default
 * action and raises the signal again, which ends the process as it would without the handler. It
 * does so after 250 ms at the latest, and 0.15 ms more for each lease, but within a second.
 *
 * The handler may interrupt any code, even malloc. Therefore it takes no lock, calls only
 * async-signal-safe functions, and never waits longer than that. If the watchdog cannot work
 * meanwhile, the TTLs end the locks.
 *
 * - The calls that the signal cuts off are given up as well (rl_op_may_hold()): a waiter that is
 *   woken by the release of another dying process would end together with the key. First the
 *   handler ends the connections of PHP's thread, then the watchdog does for each call what keeps
 *   the key from having a token that only this process knows:
 *
 *     acquire, lease, synchronized    the drawn token, or an own one of that form, is released
 *     the same, own token swapped in  both tokens are released, each where it may be our lock
 *     the same, after the swap        nothing: the caller knows the token
 *     resume                          the given token is put back in place of the fresh one
 *     release of a drawn token        the release is repeated
 *     release of an own token         nothing: the caller knows the token
 *     extend, verify, fence           nothing: a lease is released as one of all leases, and a
 *                                     bare token is known to the caller
 *     forceRelease, questions         nothing: they take no lock
 *
 * - A forked child inherits the handler and the pipe. In a child the handler compares the pid
 *   first, and only restores the default action and raises the signal.
 * - A signal that arrives on another thread is passed on to PHP's thread, because only the handler
 *   there stops the script. The watchdog does that with pthread_kill, after the other thread has
 *   left its handler (Zend Signals drop a signal that arrives while another handler runs), and
 *   repeats it until the handler on PHP's thread has begun.
 * - A signal that arrives while PHP's thread has the watchdog's mutex is passed on to the same
 *   thread, which has released the mutex by then. A wait in that handler would block the watchdog.
 *
 * php/redislock_sigterm.h decides where the handler is installed.
 */
#ifndef RL_SIGTERM_H
#define RL_SIGTERM_H

#include "core/lease/rl_renewer.h"

/* How long the handler waits for the releases at most: a time for the first one, and for each of
 * them, on a busy machine and a server nearby; never longer than the last of the three. */
#define RL_SIGTERM_WAIT_NS (250 * RL_NS_PER_MS)
#define RL_SIGTERM_WAIT_EACH_NS (150 * 1000)
#define RL_SIGTERM_WAIT_MAX_NS RL_NS_PER_SECOND

/* What the handler needs from the program that installs it. */
typedef struct rl_sigterm_host {
	/* As for rl_watchdog_free_all(). */
	void (*give_up)(rl_renewer *renewer);
	/* True = a handler runs on some thread, and another signal would be dropped. */
	bool (*is_in_handler)(void);
} rl_sigterm_host;

/* Makes the calling thread PHP's thread, and this process the owner of the leases. Call this before
 * the handler is installed, and in a forked child before its first lease.
 * @param host borrowed until the process ends */
void rl_sigterm_arm(const rl_sigterm_host *host);

/* With false the handler frees nothing. The default is true. */
void rl_sigterm_enable(bool is_enabled);

/* The handler. On PHP's thread it does not return. */
void rl_sigterm_handle(int signo);

#endif
