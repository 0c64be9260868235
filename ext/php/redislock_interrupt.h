/* SPDX-License-Identifier: MIT
 *
 * `interrupt: true`: the loss of a lease is thrown into the Fiber that took it, at its next VM checkpoint.
 *
 * DESIGN
 *
 * The watchdog marks the record, and sets the flag that the VM looks at in loops and calls. The VM then calls the
 * hook of here, behind the hooks that were there before (pcntl's signals). The hook throws, unless the moment is a
 * bad one: an exception is in flight, a destructor or a signal handler runs, the request shuts down, or another Fiber
 * is current. Then the record stays marked, and the watchdog sets the flag again a little later; a switch of Fibers
 * does so at once.
 *
 * The VM looks between two instructions, also within an expression. For an exception that comes there the engine
 * takes the next instruction for the one that failed: it does not free what that one would have consumed, and takes
 * an argument that it would have sent for sent. Both are seen to here, for the instructions of which it is known that
 * they cannot be under way already; before others with something to free nothing is thrown.
 */
#ifndef REDISLOCK_INTERRUPT_H
#define REDISLOCK_INTERRUPT_H

/* In MINIT and MSHUTDOWN. */
void redislock_interrupt_set_up(void);
void redislock_interrupt_tear_down(void);

#endif
