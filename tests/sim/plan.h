/* SPDX-License-Identifier: MIT
 *
 * The kind of world that a seed makes: how many members and clients, how fast the network, how long
 * the TTLs, which faults, and which acts of clients.
 */
#ifndef PLAN_H
#define PLAN_H

#include "words.h"
#include "world.h"

#define PLAN_MEMBERS 7
#define PLAN_SERVERS 24 /* a member that is a cluster, or behind Sentinels, has several */
#define PLAN_CLIENTS 40 /* 8 in the usual worlds */

/* The usual worlds, a queue for hours, and worlds in which the conditions of the algorithm are
 * broken, to show that it breaks then. */
typedef enum plan_mode {
	PLAN_USUAL,
	PLAN_FAIR,    /* nothing breaks, and many clients take one lock in turn, for hours */
	PLAN_UNCLEAN, /* servers lose their data and are back at once */
	PLAN_JUMPS,   /* the servers' wall clocks jump */
	/* Servers are replaced by a replica at once, and lose what it has not confirmed. */
	PLAN_FAILOVER,
	PLAN_GRACE, /* behind Sentinels a new primary grants nothing at first */
} plan_mode;

typedef enum fault_kind {
	FAULT_SPIKE,
	FAULT_RESET,
	FAULT_SILENT,
	FAULT_CUT,
	FAULT_CRASH,
	FAULT_CRASH_LOSING,
	FAULT_SCRIPTS,
	FAULT_STALL,
	FAULT_PAUSE,
	FAULT_SCRIPT_PAUSE,
	FAULT_CLIENT_CRASH,
	FAULT_REPLICA, /* refusals of a server, beginning with this one */
	FAULT_SWITCH,
	FAULT_MEMORY,
	FAULT_UNCOPIED,
	FAULT_FULL,
	FAULT_KILL,
	FAULT_UNBLOCK,
	FAULT_LAG,     /* a replica confirms nothing */
	FAULT_UNCLEAN, /* the faults of demonstrations */
	FAULT_JUMP,
	FAULT_MOVE, /* faults of clusters, beginning with this one: a slot moves */
	FAULT_TAKE_OVER,
	FAULT_DOWN,
	FAULT_FAILOVER,  /* faults behind Sentinels, beginning with this one: a planned failover */
	FAULT_PROMOTE,   /* the primary is away, and is replaced */
	FAULT_LAGGARD,   /* replicas lag */
	FAULT_SENTINELS, /* Sentinels are away */
	FAULT_KINDS
} fault_kind;

#define FAULT_PLAIN_KINDS FAULT_MOVE
#define FAULT_CLUSTER_KINDS FAULT_FAILOVER

typedef enum member_kind {
	MEMBER_PLAIN,
	MEMBER_CLUSTER,
	MEMBER_SENTINEL, /* a primary and its replicas, and then the Sentinels */
} member_kind;

/* Whether holders ask for fencing numbers. A separate draw decides that, so the other worlds stay
 * as they are. */
typedef enum plan_fencing {
	FENCING_NONE,
	FENCING_APART, /* the servers' clocks are days apart */
	FENCING_CLOSE, /* the clocks are nearly the same: numbers grow even over lost data */
} plan_fencing;

/* How a key of a cluster is named, which decides its slot and where its helper keys are. */
typedef enum key_form {
	KEY_PLAIN,  /* "k1": its helper keys have it in braces */
	KEY_TAGGED, /* "{t}k1": all these keys are in one slot */
	KEY_POLLED, /* "k1}": it has no helper keys */
} key_form;

typedef struct plan {
	plan_mode mode;
	unsigned members;
	unsigned dead; /* how many members are dead for good */
	unsigned servers;
	/* Some members are clusters, or behind Sentinels. */
	bool has_clusters;
	bool has_sentinels;
	/* For each member: its first server, its number of servers, and how many of these are nodes. */
	uint8_t kinds[PLAN_MEMBERS]; /* member_kind */
	uint8_t first[PLAN_MEMBERS];
	uint8_t count[PLAN_MEMBERS];
	uint8_t nodes[PLAN_MEMBERS];
	uint8_t member_of[PLAN_SERVERS];
	uint8_t forms[WORDS_KEYS]; /* key_form of each key */
	bool has_spares;           /* the last server of a cluster is a replica, which may take over */
	bool has_map;              /* CLUSTER SLOTS is allowed */
	bool hides_hosts;          /* redirects and maps name no host, but a port */
	int64_t grace_ns;          /* PLAN_GRACE */
	bool has_writable;         /* replicas behind Sentinels accept writes, and lose them */
	bool asks_early;           /* clusters of Redis 6.2, see slot_state; decided like fencing */
	bool is_hasty; /* PLAN_GRACE: switches take no time, and go to and fro; decided like fencing */
	unsigned clients;
	unsigned keys;
	unsigned faults;     /* a bit for each kind; 0 = nothing breaks */
	int64_t fault_ns;    /* the average time between two faults */
	int64_t stall_least; /* how long a server does nothing */
	int64_t stall_most;
	int64_t delay_least; /* the delay of one way */
	int64_t delay_most;
	int64_t ttl_least;
	int64_t ttl_most;
	int64_t ttl_longest; /* the longest TTL that any command asks for */
	int64_t timeout_ns;
	int64_t connect_timeout_ns;
	int64_t think_ns; /* the longest pause between two acts of a client */
	double drift_factor;
	double drift_bound; /* how far the rate of each clock may differ from 1 */
	bool has_password;
	bool is_forbidden; /* the server forbids the helper keys */
	bool has_twins;    /* all callers use the same token */
	unsigned replicas; /* how many replicas of each server must confirm */
	bool has_small_buffers;
	int slow;         /* a server whose connections take long to be made, as with TLS; -1 = none */
	bool has_records; /* as with TLS: the server reads a record or nothing of it */
	bool has_pollers; /* some clients poll instead of waiting in the queue */
	bool has_kills;   /* only clients die; nothing else breaks */
	bool has_pauses;  /* the effects of a fault are over before the next one */
	bool has_names;   /* after a switch a server's name leads elsewhere, and not its address */
	plan_fencing fencing;
	bool has_handovers; /* tokens are given away and taken over often; decided like fencing */
	/* How many holders the only lock may have at once, each with a key of its own; 0 = one. Decided
	 * like fencing. */
	unsigned permits;
	/* With --kinds: clients take several keys, one after another, and hold those that they have. */
	bool has_several;
	bool has_once;      /* some work is to be done once; decided like fencing */
	bool has_reuse;     /* callers use their own tokens again and again; decided like fencing */
	bool has_stalls;    /* servers and clients stand still for seconds; nothing else breaks */
	unsigned waits;     /* how many of 8 acquires wait */
	uint64_t events;    /* the least number of events */
	int64_t section_ns; /* FAIR: how long a lock is held, on average */
	int64_t ends_at;    /* FAIR */
} plan_t;

extern plan_t plan;

/* @param members 0 = the seed decides
 * @param has_kinds each lock has several permits, or is one of several keys, or its work is to be
 *   done once */
void plan_begin(
	plan_mode mode, unsigned members, bool has_clusters, bool has_sentinels, bool has_kinds);

/* The member is a cluster. */
static inline bool plan_is_cluster(unsigned member)
{
	return plan.kinds[member] == MEMBER_CLUSTER;
}

/* The member has a primary that Sentinels name. */
static inline bool plan_is_sentinel(unsigned member)
{
	return plan.kinds[member] == MEMBER_SENTINEL;
}

/* True when a member may be several servers: a cluster, or a primary behind Sentinels. Then the
 * port of an address says which server it is; otherwise the host does. */
static inline bool plan_has_routes(void)
{
	return plan.has_clusters || plan.has_sentinels;
}

/* Whether the conditions of the algorithm hold. */
static inline bool plan_is_sound(void)
{
	return plan.mode == PLAN_USUAL || plan.mode == PLAN_FAIR;
}

/* A server may lose a write that it has answered, or go back to an older one. Replicas of nodes may
 * take over when a fault makes a node a replica. */
static inline bool plan_loses_data(void)
{
	unsigned losing = 1U << FAULT_CRASH_LOSING | 1U << FAULT_UNCLEAN | 1U << FAULT_MOVE |
		1U << FAULT_TAKE_OVER | 1U << FAULT_FAILOVER | 1U << FAULT_PROMOTE | 1U << FAULT_LAGGARD;
	unsigned switching = 1U << FAULT_REPLICA | 1U << FAULT_SWITCH;
	return (plan.faults & (plan_has_routes() ? losing | switching : losing)) != 0;
}

/* How much longer a connection to the server takes to be made. */
static inline int64_t plan_handshake(unsigned server)
{
	return (int) server == plan.slow ? 6 * plan.delay_most : 0;
}

/* The key has the marks of the waiters for this one: of all permits the first has them. */
static inline unsigned plan_home_of(unsigned key)
{
	return plan.permits > 1 ? 0 : key;
}

/* Nothing breaks between a client and the servers: what depends on time alone can be judged. */
static inline bool plan_is_calm(void)
{
	return plan.faults == 0 || plan.has_kills;
}

#endif
