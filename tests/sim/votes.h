/* SPDX-License-Identifier: MIT
 *
 * What a vote is worth: when a node may give it, and from when it counts.
 *
 * DESIGN
 *
 * Most faults in what counts break exclusion only if the other client comes at the right moment. So
 * the judge looks at each vote, and at the node that gave it:
 *
 *     grace     with failover_grace a majority of the Sentinels has named the node for the time of
 *               grace when its vote to a lock that is taken counts, and for RL_CHECK_NS when its
 *               vote to a lock that is prolonged counts. A vote from before the node was promoted
 *               is not judged: exclusion and proof judge that
 *     put back  a lock that its only server does not have is put back at a primary that
 *               failover_grace holds back, and nowhere else
 *     spell     the proof of a take-over counts from the swap that has set the TTL, and not from an
 *               earlier one: else a slow network makes it useless
 */
#ifndef VOTES_H
#define VOTES_H

#include "core/lock/rl_quorum_call.h"
#include "core/lease/rl_renewal.h"
#include "network.h"
#include "plan.h"
#include "server.h"

void votes_begin(void);

/* The server has run a command that has set the lock, or its TTL. */
void votes_note_run(sim_server *s, const rl_link *link, const rl_model_command *c);

/* A command of PHP's threads, not a copy, was the last one that set the lock of the key on the
 * server, and with this token. */
bool votes_has_run(unsigned server, unsigned key, uint64_t token);

/* An operation has taken or prolonged the lock with the token. */
void votes_took(unsigned client, const rl_quorum_call *call, unsigned key, uint64_t token);
void votes_prolonged(unsigned client, const rl_quorum_call *call, unsigned key, uint64_t token);

/* The watch has prolonged the lock. */
void votes_renewed(unsigned client, const rl_renewal *renewal, unsigned key);

/* A take-over has succeeded, with a proof until then by the client's clock. */
void votes_swapped(unsigned client, const rl_quorum_call *call, unsigned key, int64_t proof);

#endif
