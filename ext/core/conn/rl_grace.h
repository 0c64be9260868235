/* SPDX-License-Identifier: MIT
 *
 * Failover grace: for how long a primary behind Sentinels must be known before a command counts
 * there. The rules, and why they exclude a second holder, are in rl_grace.c.
 */
#ifndef RL_GRACE_H
#define RL_GRACE_H

#include "core/wire/rl_command.h"
#include "core/wire/rl_route.h"

/* For how long a majority must have known the node as the primary; 0 = the command always counts.
 * @param was_held SET: the lease is held, and the lock is put back */
int64_t rl_grace_age(
	const rl_route *route, const rl_request *request, bool was_held, double drift_factor);

/* Sets the error of a command that a new primary is not sent, or whose grant does not count.
 * @param left how long the node is still too new */
void rl_grace_explain(const rl_request *request, bool was_held, int64_t left, rl_error *err);

#endif
