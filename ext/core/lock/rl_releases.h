/* SPDX-License-Identifier: MIT
 *
 * The release of leases on all members of a set, within a short time.
 *
 * It is for the end of an object, a section or a request, where there is little time to wait. A
 * lock that is not released in time ends by its TTL, unless the renewer repeats the release
 * (rl_late.h).
 *
 * The operation (rl_op.h) borrows the leases, and ends those for which the votes have decided. A
 * lease that is leaving already (rl_lease_leave()) is not lost by a refusal: an earlier release may
 * have freed its lock. The design is in rl_releases.c.
 */
#ifndef RL_RELEASES_H
#define RL_RELEASES_H

#include "core/lease/rl_lease.h"
#include "core/lock/rl_op.h"

/* All leases are of locks on this set, and outlive the operation. RL_BATCH_WINDOW of them are being
 * released at once: with a round trip of 1 ms, 10,000 leases are released in the 0.2 s that the end
 * of a request allows. The result is RL_OK when a quorum has answered for each, be it with an
 * error.
 * @param limit_ns the time for all of them; RL_NEVER = as long as the members may take
 * @return NULL when out of memory */
rl_op *rl_releases_new(rl_set *set, rl_pool *pool, const rl_env *env, rl_lease **leases,
	size_t count, int64_t limit_ns);

/* After the end: a bit for each member that has yet to release the lease; 0 when the votes have
 * decided. */
unsigned rl_releases_missing(const rl_op *op, size_t index);

/* After the end: freed (GRANTED), not ours (REFUSED), or not decided. */
rl_vote rl_releases_vote(const rl_op *op, size_t index);

/* After the end: the failed release of a lease that no quorum can free, because too many members do
 * not allow the command. Borrowed. NULL = there is none. */
const rl_op *rl_releases_barred(const rl_op *op);

/* The same, or else of a lease that was not decided for another reason. */
const rl_op *rl_releases_failed(const rl_op *op);

#endif
