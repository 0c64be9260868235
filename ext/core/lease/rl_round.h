/* SPDX-License-Identifier: MIT
 *
 * The work for one lease: rounds of renewals while it is held, and releases once it is lost. Also
 * the work for a late grant, which is one SET to each member.
 *
 * In a round each member is sent RENEW. If a quorum grants it, the lease is proven from the moment
 * at which the first of these members was asked. Refusals that make a quorum impossible lose the
 * lease. A member that answers with an error is asked again after a pause. rl_renewer.h has the
 * whole design.
 *
 * These functions change the record, and put its members into the queues of their servers. They do
 * not compute when something is due for the record next: their caller does.
 *
 * Threads: called under the renewer's lock, by rl_renewer.c alone.
 */
#ifndef RL_ROUND_H
#define RL_ROUND_H

#include "core/lease/rl_renewal.h"

/* Does what is due for the record: asks members again, begins a round, notices and reports a
 * loss. */
void rl_round_handle_due(rl_renewal *renewal, const rl_tick *tick, const rl_env *env);

/* A member has answered; the answer is in member->vote. The lease must not be paused. */
void rl_round_on_vote(rl_renewal_member *member, const rl_env *env);

/* Late grant: no SET is sent any more. */
void rl_round_stop_grant(rl_renewal *renewal);

/* When the next round is due: when a third of the proof that is left has passed. */
int64_t rl_round_next(const rl_renewal *renewal, int64_t now);

#endif
