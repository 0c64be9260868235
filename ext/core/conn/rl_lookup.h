/* SPDX-License-Identifier: MIT
 *
 * A lookup: asks the Sentinels of a member which server is its primary, all of them at once.
 *
 * A lookup belongs to the thread of its owner, like its route and its pool. The design is in
 * rl_lookup.c.
 */
#ifndef RL_LOOKUP_H
#define RL_LOOKUP_H

#include "core/base/rl_tally.h"
#include "core/conn/rl_channel.h"

/* A longer reason is cut. */
#define RL_LOOKUP_REASON 128

typedef enum rl_sentinel_stage {
	RL_SENTINEL_START,
	RL_SENTINEL_BACKED_OFF, /* it is not asked yet */
	RL_SENTINEL_ASKED,
	RL_SENTINEL_NAMED,   /* it has named an address */
	RL_SENTINEL_UNAWARE, /* it does not know the service */
	RL_SENTINEL_FAILED,
} rl_sentinel_stage;

/* The part of one Sentinel in a lookup. */
typedef struct rl_sentinel {
	rl_sentinel_stage stage;
	rl_channel channel;
	rl_address named; /* RL_SENTINEL_NAMED; its host is owned */
	/* RL_SENTINEL_NAMED: the time since which the Sentinel has known the address; 0 without
	 * grace. */
	int64_t known_since;
	/* RL_SENTINEL_FAILED */
	rl_status status;
	char reason[RL_LOOKUP_REASON];
} rl_sentinel;

typedef struct rl_lookup {
	rl_route_guest guest;                    /* the first field; see rl_lookup_of() */
	rl_route *route;                         /* borrowed; the lookup belongs to it */
	rl_pool *pool;                           /* borrowed */
	rl_sentinel sentinels[RL_SENTINELS_MAX]; /* as many as the route has seeds */
	uint64_t fork_generation;                /* of the latest lookup */
	rl_vote vote; /* OPEN = the lookup is open; else the outcome of the latest one */
	int64_t begun_at;
	int64_t ended_at;
	int64_t until;
	int64_t call_up_at;
} rl_lookup;

/* The lookup that all operations on this route share, and that ends with the route. It may stay
 * open from one operation to the next: so an operation that is over sooner than the Sentinels
 * answer leaves the question to the next one.
 * @param pool the one that has the route
 * @return borrowed; NULL when out of memory */
rl_lookup *rl_lookup_of(rl_route *route, rl_pool *pool);

/* The lookup that the route has; NULL = none was needed yet. */
static inline rl_lookup *rl_lookup_known(const rl_route *route)
{
	return (rl_lookup *) route->guest;
}

/* Begins a lookup, unless one is open. The first step dials. An open lookup whose time is over is
 * not continued: it would name the primary that the Sentinels knew then.
 * @param until the lookup fails then */
void rl_lookup_join(rl_lookup *lookup, int64_t until, int64_t now);

static inline bool rl_lookup_is_open(const rl_lookup *lookup)
{
	return lookup->route != NULL && lookup->vote == RL_VOTE_OPEN;
}

/* Continues as far as possible without waiting.
 * @return OPEN. Or the outcome, which closes the lookup: GRANTED = the route knows the primary.
 * REFUSED = too few Sentinels know the service. FAILED = too few of them have answered, or they
 * disagree */
rl_vote rl_lookup_step(rl_lookup *lookup, const rl_tick *tick);

/* Takes in the answers that have arrived, for the next step, without waiting. No operation has
 * waited for an open lookup since the operation that began it ended. */
void rl_lookup_take_in(rl_lookup *lookup);

/* Adds what the lookup waits for: at most RL_SENTINELS_MAX links. Nothing when it is closed. */
void rl_lookup_add_to_wait(const rl_lookup *lookup, rl_wait *wait);

/* While the lookup is open, or after REFUSED or FAILED: fills in the reason of each Sentinel. The
 * status is RL_ERR_CONNECT; RL_ERR_TLS if all have failed by it; RL_ERR_MEMORY if the lookup has
 * failed although enough Sentinels name the primary: then the route could not be told. */
void rl_lookup_explain(const rl_lookup *lookup, rl_error *err);

#endif
