/* SPDX-License-Identifier: MIT
 *
 * What a failed operation says: its message names each server that failed, and why.
 */
#ifndef RL_OP_FAILURE_H
#define RL_OP_FAILURE_H

#include "core/lock/rl_op.h"

/* Makes op->err, and with it op->status, of the members' reasons; suffix may be "". With several
 * members the message names each that failed, as far as there is room. */
void rl_op_fail(rl_op *op, const char *suffix);

/* The same of a reason of its own; the message begins with the server's name, or how many there
 * are. */
void rl_op_fail_with(rl_op *op, rl_status status, const char *format, ...) RL_PRINTF(3, 4);

#endif
