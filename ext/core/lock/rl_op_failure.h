/* SPDX-License-Identifier: MIT
 *
 * The message of a failed operation.
 */
#ifndef RL_OP_FAILURE_H
#define RL_OP_FAILURE_H

#include "core/lock/rl_op.h"

/* Sets op->err and op->status from the errors of the members. The message names each server that
 * failed, and why, as far as there is room; then the suffix follows, which may be "". */
void rl_op_fail(rl_op *op, const char *suffix);

/* The same, with a suffix for a command that may still be carried out. */
void rl_op_fail_settled(rl_op *op, const rl_settlement *settlement);

/* The same for an error of the operation itself. The message begins with the server's name, or the
 * number of servers. */
void rl_op_fail_with(rl_op *op, rl_status status, const char *format, ...) RL_PRINTF(3, 4);

#endif
