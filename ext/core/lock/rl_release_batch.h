/* SPDX-License-Identifier: MIT
 *
 * A release batch: the release of many leases on all members of a set, within a short time, on one
 * connection to each server.
 *
 * It is for the end of an object, a section or a request, where there is little time to wait. A
 * lock that is not released in time ends by its TTL, unless the renewer repeats the release
 * (rl_late.h).
 *
 * A release batch is an operation (rl_op.h). It borrows the leases, and ends those for which the
 * votes have decided. The design is in rl_release_batch.c.
 */
#ifndef RL_RELEASE_BATCH_H
#define RL_RELEASE_BATCH_H

#include "core/lease/rl_lease.h"
#include "core/lock/rl_op.h"

/* How many releases are under way at once on a connection. With a round trip of 1 ms, 10,000 leases
 * are released in the 0.2 s that the end of a request allows. */
#define RL_RELEASE_BATCH_WINDOW 64

typedef struct rl_release_batch rl_release_batch;

/* All leases are of locks on this set. The result is RL_OK when a quorum has answered for each.
 * @param limit_ns the time for the whole release batch
 * @return NULL when out of memory */
rl_op *rl_release_batch_new(rl_set *set, rl_pool *pool, const rl_env *env, rl_lease **leases,
	size_t count, int64_t limit_ns);

/* After the end: a bit for each member that has yet to release the lease; 0 when the votes have
 * decided. */
unsigned rl_release_batch_missing(const rl_release_batch *batch, size_t index);

/* After the end: no quorum can free the lease, because too many members do not allow the command.
 * The operation's error then names these members. */
bool rl_release_batch_is_barred(rl_release_batch *batch, size_t index);

#endif
