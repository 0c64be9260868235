/* SPDX-License-Identifier: MIT
 *
 * A handler of SIGTERM that frees the leases of the process, and then lets the signal end it.
 *
 * DESIGN
 *
 * Whoever stops a worker (docker stop, supervisor, a reload of PHP-FPM) sends SIGTERM, whose default ends the process at
 * once: its leases would block their keys until their TTL. The handler marks all leases as lost, wakes the watchdog's
 * thread through its pipe, and waits inside the handler, so that the script cannot go on under locks that are not its own
 * any more. The watchdog sends the releases. When a quorum has confirmed each of them, after 250 ms at the latest, the
 * handler restores the default and raises the signal again: the process ends as it did before.
 *
 * The handler may interrupt any code, malloc too. It therefore takes no lock, calls nothing but async-signal-safe
 * functions, and never waits for longer than that. If the watchdog cannot work meanwhile, the TTLs end the locks.
 *
 * - Locks that are being asked for are given up as well: a waiter that is woken by the release of another dying process
 *   would take the key with it. The connections of PHP's thread are ended, and then the tokens released.
 * - A forked child inherits the handler and the pipe. It compares its pid first, and only restores and raises.
 * - A signal that arrives on a thread which is not PHP's is passed on to PHP's thread: only its handler holds the script
 *   still. The watchdog does that with pthread_kill, when the other thread has left its handler (Zend Signals drop a signal
 *   that comes while another handler runs), and again until the handler there has begun.
 * - One that arrives while PHP's thread has the watchdog's mutex, where waiting would keep the watchdog from its work, is
 *   passed on to the same thread, which has let go of the mutex by then.
 *
 * Who installs the handler, and where: php/redislock_sigterm.h.
 */
#ifndef RL_SIGTERM_H
#define RL_SIGTERM_H

#include "core/lease/rl_renewer.h"

/* The handler's wait for the releases. */
#define RL_SIGTERM_WAIT_NS (250 * RL_NS_PER_MS)

/* What the handler needs of whoever installs it. */
typedef struct rl_sigterm_host {
	void (*give_up)(rl_renewer *renewer); /* as for rl_watchdog_free_all() */
	bool (*is_in_handler)(
		void); /* a handler runs on some thread: another signal would be dropped */
} rl_sigterm_host;

/* The calling thread is PHP's, and this process is the one that has the leases. Call before installing the handler, and
 * in a forked child before its first lease.
 * @param host borrowed for good */
void rl_sigterm_arm(const rl_sigterm_host *host);

/* False: the handler frees nothing. The default is true. */
void rl_sigterm_enable(bool is_enabled);

/* The handler. It does not return on PHP's thread. */
void rl_sigterm_handle(int signo);

/* For the watchdog's thread: a signal is to be passed on to PHP's thread.
 * @return when to call again; RL_NEVER = there is nothing to pass on */
int64_t rl_sigterm_pass_on(int64_t now);

#endif
