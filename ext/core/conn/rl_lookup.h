/* SPDX-License-Identifier: MIT
 *
 * A lookup: asks the Sentinels of a member which server is its primary, all of them at once.
 *
 * DESIGN
 *
 * Each Sentinel answers "SENTINEL GET-MASTER-ADDR-BY-NAME service" with an address, or with nil if
 * it does not know the service. If the route has a time of grace, the question is "SENTINEL MASTER
 * service", because address and age must be of one answer. A Sentinel may sleep, or be cut off from
 * the others, so an address counts once a quorum of the Sentinels has named it. The lookup then
 * tells the route the address, and a time before any Sentinel of this quorum was asked. It does not
 * wait for the other Sentinels.
 *
 * A Sentinel that fails is not asked again by the same lookup. Only a connection that was idle, and
 * turns out to be closed, is replaced, once. A Sentinel that is backed off is asked if the others
 * cannot agree without it, or have not done so after a share of the time.
 *
 * A lookup changes nothing at a Sentinel, so no answer is ever in doubt, and the question is sent
 * with the login.
 *
 *     closed --begin--> open --outcome, end, drop--> closed
 *
 * Ownership and threads: a lookup belongs to the thread of its owner, like its route and its pool.
 * The watchdog has no pool: there a lookup has one of its own, which keeps the connections from one
 * lookup to the next.
 */
#ifndef RL_LOOKUP_H
#define RL_LOOKUP_H

#include "core/base/rl_tally.h"
#include "core/conn/rl_channel.h"

/* Backed-off Sentinels are asked after this share of the time, if the others have not agreed. */
#define RL_LOOKUP_CALL_UP_SHARE 8

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

/* Must not be moved after rl_lookup_init(). */
typedef struct rl_lookup {
	rl_route_guest guest; /* the first field; see rl_lookup_of() */
	rl_route *route;      /* one reference; none if the lookup belongs to the route */
	rl_pool *pool;        /* borrowed, or own */
	rl_pool own;
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

/* A lookup of the caller's own.
 * @param route one reference is taken
 * @param pool borrowed */
void rl_lookup_init(rl_lookup *lookup, rl_route *route, rl_pool *pool);

/* The same for an owner without a pool. */
void rl_lookup_init_alone(
	rl_lookup *lookup, rl_route *route, rl_transport *transport, const rl_env *env);

/* Begins a lookup, which must not be open. The first step dials.
 * @param until the lookup fails then */
void rl_lookup_begin(rl_lookup *lookup, int64_t until, int64_t now);

/* Begins a lookup, unless one is open. An open lookup whose time is over is not continued: it would
 * name the primary that the Sentinels knew then. */
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

/* Closes the lookup, which has failed if it is open, and gives its connections back. Does nothing
 * when it is closed. */
void rl_lookup_end(rl_lookup *lookup, int64_t now);

/* The same in a forked child: closes the connections, and sends nothing on them. */
void rl_lookup_drop(rl_lookup *lookup);

/* Closes the connections of an open lookup, and frees what the lookup owns. Does nothing when all
 * fields are zero. */
void rl_lookup_destroy(rl_lookup *lookup);

/* ---- rl_sentinel.c, for rl_lookup.c ---- */

/* Borrowed. */
static inline rl_target *rl_sentinel_target(const rl_lookup *lookup, const rl_sentinel *sentinel)
{
	return lookup->route->seeds[sentinel - lookup->sentinels];
}

/* Dials, sends and reads as far as possible without waiting. */
void rl_sentinel_step(rl_lookup *lookup, rl_sentinel *sentinel, int64_t now);

/* Gives the connection back, if there is one. A question that was not sent is retracted: the next
 * lookup asks anew.
 * @param is_trusted as in rl_giving */
void rl_sentinel_give_back(rl_lookup *lookup, rl_sentinel *sentinel, bool is_trusted, int64_t now);

/* The Sentinel has failed with this reason. */
void rl_sentinel_fail(rl_lookup *lookup, rl_sentinel *sentinel, const rl_error *err, int64_t now);

/* The time is over, and the Sentinel was asked, and has not answered. */
void rl_sentinel_time_out(rl_lookup *lookup, rl_sentinel *sentinel, int64_t now);

#endif
