/* SPDX-License-Identifier: MIT
 *
 * A release batch: the release of many leases on all members of a set, within a short time, on one
 * connection each.
 *
 * DESIGN
 *
 * For the end of an object or of a request, where nobody can be told of a failure and nobody wants
 * to wait: what is not released in time ends by its TTL. The releases go out some at a time, as
 * text, so that no answer asks for another round; a compare-and-delete may be said twice, so a
 * connection that breaks is replaced once and what was not answered is said again. What is written
 * when the time is over is left to the server to read.
 *
 * Each member goes through the leases in the same order, at its own pace (rl_batch_member). A lease
 * is released when a quorum has freed it, and lost when refusals rule a quorum out. The release
 * batch is over when the votes have decided on each lease, or no member has more to say. Then the
 * other members are sent what can be written, to be read later.
 *
 * It is an operation (rl_op.h), driven like the others. It borrows the leases, and ends those that
 * were answered.
 */
#ifndef RL_RELEASE_BATCH_H
#define RL_RELEASE_BATCH_H

#include "core/lease/rl_lease.h"
#include "core/lock/rl_op.h"

/* How many are under way at once on a connection. With a round trip of 1 ms, 10,000 are released in
 * the 0.2 s that the end of a request has for it. */
#define RL_RELEASE_BATCH_WINDOW 64

typedef enum rl_batch_state {
	RL_BATCH_GOING,   /* sends and reads */
	RL_BATCH_REDOING, /* the helper keys were refused: what is under way is awaited, and then sent
						 again without them */
	RL_BATCH_MISLED,  /* the server is a replica, and has carried nothing out */
	RL_BATCH_OVER,    /* all were answered, or no more answers are to be had */
} rl_batch_state;

/* One member's part. It goes through the leases in their order. */
typedef struct rl_batch_member {
	rl_batch_state state;
	rl_channel channel;
	size_t next;     /* the lease to be sent next */
	size_t hearing;  /* the lease that the next answer is about */
	size_t answered; /* so many, in order */
	/* Beyond these: a bit for each lease that was answered out of order, from the lease at answered
	 * on. */
	uint64_t heard;
	size_t sent_before; /* so many were sent on a connection that broke */
	size_t in_flight;
	bool has_redone; /* the connection was replaced */
	bool no_helpers; /* the releases go without the helper keys */
} rl_batch_member;

/* What the members have answered about one lease. */
typedef struct rl_batch_votes {
	unsigned char freed;
	unsigned char refused;
	unsigned char failed; /* answered with an error */
	unsigned char barred; /* of them, those that do not allow the command */
	/* A bit for each member that has freed or refused it, or that does not allow the command. */
	unsigned short done;
} rl_batch_votes;

typedef struct rl_release_batch {
	rl_op op;          /* first */
	rl_lease **leases; /* borrowed */
	size_t count;
	rl_batch_votes *votes; /* owned; one for each lease */
	int64_t limit_ns;
	int64_t end_at;
	rl_batch_member members[RL_MEMBERS_MAX];
} rl_release_batch;

/* @param leases all of locks on this set
 * @param limit_ns time for all of it
 * @return NULL when out of memory. Its result is RL_OK when a quorum has answered for all */
rl_op *rl_release_batch_new(rl_set *set, rl_pool *pool, const rl_env *env, rl_lease **leases,
	size_t count, int64_t limit_ns);

/* After its end: a bit for each member that has yet to release the lease; 0 when a quorum has
 * decided. */
unsigned rl_release_batch_missing(const rl_release_batch *batch, size_t index);

/* After its end: no quorum can free the lease, since too many members do not allow the command. The
 * operation's error then names them. */
bool rl_release_batch_is_barred(rl_release_batch *batch, size_t index);

#endif
