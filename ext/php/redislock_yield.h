/* SPDX-License-Identifier: MIT
 *
 * Calls that yield to an event loop: RedisLock::waitWith().
 *
 * DESIGN
 *
 * When an operation has to wait, the driver asks the guard of its call to yield, in place of its
 * system call. The script's waiter gets a stream that becomes readable when the call can go on,
 * lets other Fibers or coroutines run until then, and returns. The driver then looks what has
 * happened, and asks again if the operation needs more. So every method yields, and without a
 * waiter nothing changes.
 *
 * A call that yields has a watch (transport/rl_watch.h) from its first wait to its end. The stream
 * is an object of PHP around the watch's descriptor: only to be polled, and closed with the call.
 *
 * A call yields where PHP lets the script switch Fibers, and not in a call that the waiter itself
 * makes: it would wait for the waiter without end. Elsewhere the call blocks, as all calls do
 * without a waiter.
 *
 * Several calls of a thread are suspended at once, in any order of their ends, and each goes on
 * when its own watch is due. Three things that happen elsewhere concern them, and make their
 * watches due at once:
 * - Calls to servers behind Sentinels share lookups, so a call may read what others wait for. Those
 *   that wait for a descriptor of its wait look again.
 * - RedisLock::advance() moves the clock, which the system's timers do not know.
 * - A signal handler has run: each $abort is asked again.
 *
 * A forked child has copies of its parent's suspended calls. Their watches become due in the child,
 * so that its loop resumes them, and the calls throw.
 */
#ifndef REDISLOCK_YIELD_H
#define REDISLOCK_YIELD_H

#include "php.h"

#include <poll.h>

/* How many idle connections to each server a pool keeps while a waiter is set: Fibers that take
 * locks side by side have as many connections. */
#define REDISLOCK_IDLE_WITH_WAITER 64

/* From now on the calls of this thread wait by this callable. NULL = they block. False = an
 * exception was thrown. */
bool redislock_yield_by(const zend_fcall_info *function, const zend_fcall_info_cache *cache);

/* True when a call could yield now. */
bool redislock_yield_is_possible(void);

typedef struct redislock_watch redislock_watch;

/* The part of a call that yields. All zero = the call has not yielded yet. */
typedef struct redislock_suspension {
	redislock_watch *watch; /* owned; NULL = the call has not yielded yet */
	bool is_refused;        /* the rest of the call blocks */
} redislock_suspension;

/* The call waits for these descriptors, and until a time, and is suspended from now on.
 * @param ask_at when the call asks its $abort next; NULL = it has none
 * @return false = the call cannot yield here, and blocks */
bool redislock_yield_begin(redislock_suspension *suspension, const struct pollfd *fds,
	unsigned count, int64_t at, int64_t *ask_at);

/* Calls the waiter. May suspend the Fiber, throw, and bail out. */
void redislock_yield_wait(redislock_suspension *suspension, bool is_waiting);

/* The call is not suspended any more, however the waiter has ended. */
void redislock_yield_end(redislock_suspension *suspension);

/* For the end of a call that has yielded, also of one that is still suspended. */
void redislock_yield_clear(redislock_suspension *suspension);

/* Something was read on these descriptors: other calls that wait for one of them look again. */
void redislock_yield_heard(const struct pollfd *fds, unsigned count);

/* All suspended calls look again what has happened. */
void redislock_yield_look_again(void);

/* The same for those with an $abort, which they ask then. */
void redislock_yield_ask_aborts(void);

/* For a forked child: its copies of the suspended calls become due, and their watches are its own.
 * Makes system calls only. */
void redislock_yield_part(void);

/* For RSHUTDOWN: forgets the waiter. */
void redislock_yield_forget(void);

/* After the request, when its calls have ended: closes the watches that are kept for later calls.
 */
void redislock_yield_close(void);

#endif
