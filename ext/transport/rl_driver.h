/* SPDX-License-Identifier: MIT
 *
 * The driver steps an operation of core until it is done, and waits between the steps. No other
 * file blocks on the network for PHP.
 */
#ifndef RL_DRIVER_H
#define RL_DRIVER_H

#include "core/lock/rl_op.h"
#include "transport/rl_link.h"
#include "transport/rl_os.h"

typedef enum rl_yielded {
	RL_YIELDED,         /* other code has run */
	RL_YIELD_REFUSED,   /* no other code has run, and the driver waits by itself */
	RL_YIELD_ABANDONED, /* the operation has to be given up */
} rl_yielded;

/* Other code that runs on this thread while an operation waits: PHP's signal handlers and time
 * limit, and what an event loop of the script runs. */
typedef struct rl_guard {
	void *ctx;
	/* Cheap. Called with all signals blocked. NULL = nothing is ever due. */
	rl_os_is_due is_due;
	/* When is_due() may become true without a signal. RL_NEVER, or no function = never. */
	int64_t (*due_at)(void *ctx);
	/* Runs what is due, with signals open. False = the operation has to be given up. */
	bool (*run)(void *ctx);
	/* Waits in the driver's place, for events of the descriptors or until a time, while other code
	 * runs. May return earlier. NULL = the driver waits. */
	rl_yielded (*yield)(void *ctx, const struct pollfd *fds, unsigned count, int64_t at);
	/* Operations that are under way at once may wait for the same link. Called when something was
	 * read on the links with these descriptors, or has changed there. NULL = no other operation
	 * can be under way. */
	void (*heard)(const struct pollfd *fds, unsigned count);
} rl_guard;

/*
 * @param guard NULL = no other code runs
 * @return true = the operation is done; false = the guard gives it up (rl_op_abandon)
 */
bool rl_drive(rl_net *net, rl_op *op, const rl_guard *guard);

#endif
