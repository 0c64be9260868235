/* SPDX-License-Identifier: MIT
 *
 * The parts of a release batch: rl_batch_op.c has the operation, rl_batch_lane.c the lanes.
 * The design is in rl_release_batch.h.
 */
#ifndef RL_BATCH_PARTS_H
#define RL_BATCH_PARTS_H

#include "core/lock/rl_release_batch.h"

typedef enum rl_batch_state {
	RL_BATCH_QUEUED, /* its connection is opened when another lane is over */
	RL_BATCH_GOING,  /* sends and reads */
	/* The helper keys were refused. When all answers under way have arrived, the unanswered leases
	 * are sent again without the helper keys. */
	RL_BATCH_REDOING,
	RL_BATCH_MISLED, /* the server is a replica */
	RL_BATCH_OVER,   /* no more answers will arrive */
} rl_batch_state;

/* One connection. It goes through its leases in their order. */
typedef struct rl_batch_lane {
	rl_batch_state state;
	unsigned member;
	rl_destination at; /* one reference */
	/* Owned. The indexes of its leases; NULL = all leases. */
	unsigned *list;
	size_t room; /* of the list */
	size_t count;
	rl_channel channel;
	/* The next three count its leases. */
	size_t next;     /* the lease to send next */
	size_t hearing;  /* the lease of the next answer */
	size_t answered; /* the first leases, without a gap */
	/* A bit for each lease after the first `answered` leases that was answered out of order. */
	uint64_t heard;
	size_t sent_before; /* leases sent on a broken connection */
	size_t in_flight;
	bool has_redone; /* the connection was replaced */
	bool no_helpers; /* releases without the helper keys */
} rl_batch_lane;

/* What the members have answered about one lease. */
typedef struct rl_batch_votes {
	unsigned char freed;
	unsigned char refused;
	unsigned char failed; /* answered with an error */
	unsigned char barred; /* of these: command not allowed */
	unsigned char hops;   /* redirects that were followed */
	/* The release was sent on a connection that broke, by a lane that the lease has left. */
	bool was_sent;
	/* A bit for each member that has freed or refused the lease, or does not allow the command. */
	unsigned short done;
	/* A bit for each member whose answer may still arrive. */
	unsigned short open;
} rl_batch_votes;

struct rl_release_batch {
	rl_op op;          /* first, for casts from rl_op */
	rl_lease **leases; /* borrowed */
	size_t count;
	rl_batch_votes *votes; /* owned; one for each lease */
	int64_t limit_ns;
	int64_t end_at;
	/* Owned, with each lane. */
	rl_batch_lane **lanes;
	unsigned lane_count;
	/* Borrowed. The lookups of members whose primary is asked for first; these members get their
	 * lanes afterwards. */
	rl_lookup *lookups[RL_MEMBERS_MAX];
};

static inline const rl_member *rl_batch_member(
	const rl_release_batch *batch, const rl_batch_lane *lane)
{
	return &batch->op.call.set->members[lane->member];
}

/* The index of the lease at this position of the lane. */
static inline size_t rl_batch_lease(const rl_batch_lane *lane, size_t position)
{
	return lane->list == NULL ? position : lane->list[position];
}

/* The lane for leases that go to this destination; makes a new one if need be. NULL when out of
 * memory. */
rl_batch_lane *rl_batch_lane_for(rl_release_batch *batch, unsigned member, rl_destination at);

/* Appends a lease to a lane with a list. False when out of memory. */
bool rl_batch_lane_add(rl_batch_lane *lane, size_t index);

/* Takes or dials the lane's connection. If there is none, the lane is over. */
void rl_batch_lane_open(rl_release_batch *batch, rl_batch_lane *lane, int64_t now);

/* Continues as far as possible without waiting. */
void rl_batch_lane_step(rl_release_batch *batch, rl_batch_lane *lane, const rl_tick *tick);

/* Writes the remaining releases, and gives the connection back. */
void rl_batch_lane_give_back(rl_release_batch *batch, rl_batch_lane *lane, int64_t now);

void rl_batch_lane_free(rl_batch_lane *lane);

#endif
