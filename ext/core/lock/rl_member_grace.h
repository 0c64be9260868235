/* SPDX-License-Identifier: MIT
 *
 * Failover grace: whether the primary behind Sentinels that a member call asks is too new for its
 * command. The rules, and why they exclude a second holder, are in rl_member_grace.c. These
 * functions are for members behind Sentinels only, and judge without changing anything.
 */
#ifndef RL_MEMBER_GRACE_H
#define RL_MEMBER_GRACE_H

#include "core/lock/rl_call.h"

/* True when a grant of the node must not count, because the node is too new. */
bool rl_member_grace_is_too_new(const rl_member_call *member);

/* How long the node is still too new, by what the Sentinels know; 0 or less = it is not. */
int64_t rl_member_grace_left(const rl_member_call *member, int64_t now);

/* True when the answer may count without another lookup: the connection has led to a primary at
 * named_at. Always true without grace. */
bool rl_member_grace_is_since_login(const rl_member_call *member);

/* Sets the error of the member call. */
void rl_member_grace_explain(const rl_member_call *member, int64_t now);

#endif
