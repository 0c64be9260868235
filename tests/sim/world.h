/* SPDX-License-Identifier: MIT
 *
 * The world of one seed: true time, the coming events, and the numbers that decide all that is left
 * to chance. True time is in nanoseconds from 0. No part of the world knows it: each machine has a
 * clock of its own.
 *
 * True time goes from event to event, and a moment further each time that a client reads its clock.
 * So no two readings are equal, also within one step of core. Code that takes the time of the step
 * for the time of an event within the step is wrong by as much as on a real machine.
 */
#ifndef WORLD_H
#define WORLD_H

#include "chance.h"
#include "core/base/rl_status.h"

#define MS RL_NS_PER_MS
#define US INT64_C(1000)
#define SECOND RL_NS_PER_SECOND

typedef enum event_kind {
	EVENT_NONE,
	/* what = link, life = its life */
	EVENT_DIALLED,   /* a dial reaches the sim_server */
	EVENT_CONNECTED, /* its answer reaches the sim_client */
	EVENT_COMMANDS,  /* commands up to number `until` reach the sim_server */
	EVENT_FIN,       /* the client's end reaches the sim_server */
	EVENT_REPLIES,   /* replies up to number `until` reach the sim_client */
	EVENT_DOWN,      /* the server's end reaches the sim_client */
	EVENT_UNBLOCKED, /* the server goes on with what stood behind a BLPOP */
	EVENT_BLOCK_END, /* a BLPOP has waited long enough */
	/* what = sim_client */
	EVENT_SCRIPT, /* PHP may have something to do */
	EVENT_WATCH,  /* the watchdog may have something to do */
	EVENT_REBORN, /* a process that died is started anew */
	/* what = sim_server */
	EVENT_EXPIRY,  /* `until` is the key */
	EVENT_RESTART, /* the server is back */
	EVENT_AWAKE,   /* the server is not slow any more */
	/* the rest */
	EVENT_FAULT,    /* something breaks */
	EVENT_STRIKE,   /* what = sim_server: it dies at a bad moment */
	EVENT_LEFTOVER, /* what = an operation's record: nothing may be left of it */
	EVENT_HUNGER,   /* what = key: it may have been free for too long */
	EVENT_SPREAD,   /* what = a grant's record: all members must have the lock */
	EVENT_HELPERS,  /* what = key: no client waits for the key, unless `until` is old */
	EVENT_ALL_TOLD, /* what = key: no client waits for work that is done, unless `until` is old */
	/* of clusters: what = member, but for TOLD and CRON */
	EVENT_MOVE,      /* life = slot, until = number: its move goes on */
	EVENT_MOVE_END,  /* until = slot: the other node learns that the move has ended */
	EVENT_DETECTED,  /* nodes know that one of them is dead */
	EVENT_TAKE_OVER, /* the replica is in its place */
	EVENT_TOLD,      /* what = sim_server, until = slot: the server learns the owner of the slot */
	EVENT_CRON,      /* what = sim_server: the server looks at its blocked clients */
	/* of members behind Sentinels: what = sim_server, but for PROMOTE and RETURN */
	EVENT_COPY,    /* a replica gets what its primary has written */
	EVENT_PROMOTE, /* what = member, life = number: a replica becomes the primary */
	EVENT_LEARN,   /* a Sentinel learns of a switch */
	EVENT_DEMOTE,  /* a node becomes a replica of the primary */
	EVENT_RETURN,  /* what = member: another failover is planned */
	/* what = sim_client, life = holding, until = token: the lock was lost in a switch */
	EVENT_TARDY,
	EVENT_UNDONE, /* what = record: something should be undone by now */
} event_kind;

typedef struct event {
	int64_t at;
	uint32_t order; /* of events at the same time, the order of their planning */
	uint32_t what;
	uint32_t life;
	uint32_t until;
	event_kind kind;
} event;

typedef struct world {
	uint64_t seed;
	int64_t now;
	int64_t event_at; /* the time of the event: earlier events have happened */
	chance chance;
	chance moments;  /* how long a reading of a clock takes: a separate generator */
	uint64_t events; /* events that have happened */
	bool is_tracing;
	bool is_violated;
	char violation[512];
} world_t;

extern world_t world;

void world_begin(uint64_t seed, bool is_tracing);

/* Plans an event. */
void world_plan(event_kind kind, int64_t at, uint32_t what, uint32_t life, uint32_t until);

/* A client reads its clock, which takes a moment. */
void world_pass_moment(void);

/* The next event. The world's time is now the time of the event, or a moment later.
 * @return false = no event will ever happen */
bool world_next(event *e);

/* The last event turned out to be none: a timer that was put off. */
static inline void world_uncount(void)
{
	world.events--;
}

/* A line of the trace. */
void world_say(const char *format, ...) RL_PRINTF(1, 2);

#define TRACE(...) (world.is_tracing ? world_say(__VA_ARGS__) : (void) 0)

/* A rule is violated. The first report is kept. */
void world_violate(const char *format, ...) RL_PRINTF(1, 2);

/* ---- chance, in short ---- */

static inline uint32_t any(uint32_t below)
{
	return chance_below(&world.chance, below);
}

static inline bool one_in(uint32_t n)
{
	return chance_one_in(&world.chance, n);
}

static inline int64_t between(int64_t least, int64_t most)
{
	return chance_between(&world.chance, least, most);
}

static inline int64_t spread(int64_t least, int64_t most)
{
	return chance_spread(&world.chance, least, most);
}

/* ---- clocks ---- */

typedef struct clock_of {
	int64_t offset;
	double rate;
} clock_of;

static inline int64_t clock_at(const clock_of *clock, int64_t at)
{
	return clock->offset + (int64_t) ((double) at * clock->rate);
}

/* The first moment at which the clock shows that, or more. */
static inline int64_t clock_when(const clock_of *clock, int64_t shown)
{
	if (shown >= RL_NEVER / 2) {
		return RL_NEVER;
	}
	int64_t at = (int64_t) ((double) (shown - clock->offset) / clock->rate);
	while (clock_at(clock, at) < shown) {
		at++;
	}
	while (clock_at(clock, at - 1) >= shown) {
		at--;
	}
	return at;
}

#endif
