/* SPDX-License-Identifier: MIT
 *
 * A farewell: the release of many leases on all members of a set, within a short time, on one connection each.
 *
 * DESIGN
 *
 * For the end of an object or of a request, where nobody can be told of a failure and nobody wants to wait: what
 * is not released in time ends by its TTL. The releases go out some at a time, as text, so that no answer asks
 * for another round; a compare-and-delete may be said twice, so a connection that breaks is replaced once and
 * what was not answered is said again. What is written when the time is over is left to the server to read.
 *
 * Each member goes through the leases in the same order, at its own pace (rl_farewell_seat). A lease is released when a
 * quorum has freed it. The farewell is over when every member has answered, or, with several, when a quorum has: then
 * the others are given what can be written, for whoever reads it later.
 *
 * It is an operation (rl_op.h), driven like the others. It borrows the leases, and ends those that were answered.
 */
#ifndef RL_FAREWELL_H
#define RL_FAREWELL_H

#include "core/rl_lease.h"
#include "core/rl_op.h"

/* How many are under way at once: less than a connection can owe. */
#define RL_FAREWELL_WINDOW 8

/* One member's part. */
typedef struct rl_farewell_seat {
	rl_conn *conn;   /* NULL = none, and none is to be had */
	size_t next;     /* to be written */
	size_t answered; /* so many, in order */
	size_t told;     /* so many were written to a connection that broke */
	size_t in_flight;
	bool has_redone; /* the connection was replaced */
	bool must_redo;  /* one was refused for the helper keys' sake */
	bool is_over;    /* all were answered, or no more answers are to be had */
} rl_farewell_seat;

/* What the members have said of one lease. */
typedef struct rl_farewell_votes {
	unsigned char freed;
	unsigned char refused;
} rl_farewell_votes;

typedef struct rl_farewell {
	rl_op op;          /* first */
	rl_lease **leases; /* borrowed */
	size_t count;
	rl_farewell_votes *votes; /* owned; one for each lease */
	int64_t limit_ns;
	int64_t end_at;
	rl_farewell_seat seats[RL_MEMBERS_MAX];
} rl_farewell;

/* @param leases all of locks on this set
 * @param limit_ns time for all of it
 * @return NULL when out of memory. Its result is RL_OK when a quorum has answered for all */
rl_op *rl_farewell_new(const rl_set *set, rl_pool *pool, const rl_env *env, rl_lease **leases,
	size_t count, int64_t limit_ns);

/* For rl_op_step(), rl_op_abandon() and rl_op_free(). */
bool rl_farewell_step(rl_farewell *farewell, const rl_tick *tick, rl_wait *wait);
void rl_farewell_abandon(rl_farewell *farewell, int64_t now, bool is_forked);
void rl_farewell_clear(rl_farewell *farewell);

#endif
