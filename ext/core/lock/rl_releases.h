/* SPDX-License-Identifier: MIT
 *
 * The release of leases on all members of a set, within a short time.
 *
 * It is for the end of an object, a section or a request, where there is little time to wait. A
 * lock that is not released in time ends by its TTL, unless the renewer repeats the release
 * (rl_late.h).
 *
 * The operation (rl_op.h) borrows the leases, and ends those for which the votes have decided. The
 * design is in rl_releases.c.
 */
#ifndef RL_RELEASES_H
#define RL_RELEASES_H

#include "core/lease/rl_lease.h"
#include "core/lock/rl_op.h"

/* All leases are of locks on this set. RL_RELEASES_WINDOW of them are being released at once: with
 * a round trip of 1 ms, 10,000 leases are released in the 0.2 s that the end of a request allows.
 * The result is RL_OK when a quorum has answered for each, be it with an error.
 * @param limit_ns the time for all of them
 * @return NULL when out of memory */
rl_op *rl_releases_new(rl_set *set, rl_pool *pool, const rl_env *env, rl_lease **leases,
	size_t count, int64_t limit_ns);

/* After the end: a bit for each member that has yet to release the lease; 0 when the votes have
 * decided. */
unsigned rl_releases_missing(const rl_op *op, size_t index);

/* After the end: the failed release of a lease that no quorum can free, because too many members do
 * not allow the command. Borrowed. NULL = there is none. */
const rl_op *rl_releases_barred(const rl_op *op);

/* ---- for rl_releases.c, and for tests/invariants ---- */

/* The release of one lease. */
typedef struct rl_release {
	rl_op op;        /* first, for casts from rl_op */
	rl_lease *lease; /* borrowed */
	/* Of many: its lease among them. */
	size_t index;
	/* Alone: the time for it. */
	int64_t limit_ns;
	int64_t end_at;
} rl_release;

typedef struct rl_releases {
	rl_op op;          /* first, for casts from rl_op; its own quorum call asks nothing */
	rl_lease **leases; /* borrowed */
	size_t count;
	size_t next;            /* the lease to release next */
	rl_release **under_way; /* window of them, in this block */
	unsigned used;
	unsigned window;
	rl_lines lines;
	/* In this block; one for each lease: a bit for each member that has yet to release it. */
	unsigned short *missing;
	/* Owned: a release that too many members do not allow. NULL = none. */
	rl_release *barred;
	bool was_unanswered; /* a quorum has not answered for some lease */
	int64_t limit_ns;
	int64_t end_at;
} rl_releases;

/* NULL = the operation is another one, or the release of one lease alone. */
const rl_releases *rl_releases_of(const rl_op *op);

#endif
