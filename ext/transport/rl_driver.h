/* SPDX-License-Identifier: MIT
 *
 * The driver: steps an operation of core until it is done, and waits in between. The only place that
 * blocks on the network.
 */
#ifndef RL_DRIVER_H
#define RL_DRIVER_H

#include "core/lock/rl_op.h"
#include "transport/rl_link.h"
#include "transport/rl_os.h"

/* Who else wants to run on this thread while an operation waits: PHP's signal handlers, its time limit. */
typedef struct rl_guard {
	void *ctx;
	rl_os_is_due is_due;    /* a cheap look, with signals blocked */
	bool (*run)(void *ctx); /* runs it, signals open; false = give the operation up */
} rl_guard;

/*
 * @param guard NULL = nobody
 * @return true = the operation is done; false = the guard wants it given up (rl_op_abandon)
 */
bool rl_drive(rl_net *net, rl_op *op, const rl_guard *guard);

#endif
