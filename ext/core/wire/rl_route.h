/* SPDX-License-Identifier: MIT
 *
 * A route: which node speaks for a key, where a member is more than one server. The nodes of a
 * cluster share out the slots, and of the nodes behind Sentinels one is the primary.
 *
 * A route belongs to one thread, and its references are counted. It may drop a node when it learns
 * something, so each owner of a node has a reference to the node. The design is in rl_route.c.
 */
#ifndef RL_ROUTE_H
#define RL_ROUTE_H

#include "core/wire/rl_redirect.h"
#include "core/wire/rl_slot.h"
#include "core/wire/rl_target.h"
#include "core/wire/rl_transport.h"

#include <stdatomic.h>

#define RL_SEEDS_MAX 16
#define RL_NODES_MAX 1000

/* How many other nodes are asked for one command, after redirects and after failures. */
#define RL_HOPS_MAX 5

#define RL_CHECK_NS RL_NS_PER_SECOND

/* While a primary does not answer, the Sentinels are asked again this often. */
#define RL_LOOKUP_AGAIN_NS (200 * RL_NS_PER_MS)

/* The shortest time between two requests for a map. */
#define RL_MAP_PAUSE_NS RL_NS_PER_SECOND

typedef enum rl_route_kind {
	RL_ROUTE_CLUSTER,
	RL_ROUTE_SENTINEL,
} rl_route_kind;

typedef struct rl_node {
	rl_target *target; /* one reference */
	/* Finds a node among a thousand. */
	uint32_t address_hash;
	/* The node has failed, and no other node has named it since. */
	bool is_suspect;
} rl_node;

/* An object that a module above keeps with a route. */
typedef struct rl_route_guest rl_route_guest;
struct rl_route_guest {
	void (*free)(rl_route_guest *guest);
};

typedef struct rl_route rl_route;
struct rl_route {
	rl_route *next; /* in the list of its owner */
	unsigned refs;
	rl_route_kind kind;
	/* What the nodes have in common. This target has the address of the first seed and the name of
	 * the member. One reference. */
	rl_target *common;
	/* Owned. RL_ROUTE_SENTINEL: the name under which the Sentinels know the primary. */
	char *service;
	/* Owned. The name by which rl_order() knows the member. */
	char *order_name;
	/* RL_ROUTE_SENTINEL: an answer of the node counts if the Sentinels were asked less than this
	 * time before the answer. RL_CHECK_NS, or RL_NEVER = answers are not checked. */
	int64_t check_ns;
	rl_route_guest *guest; /* owned; NULL = none */
	/* One reference each, with the credentials that the seeds want. */
	rl_target *seeds[RL_SEEDS_MAX];
	unsigned seed_count;
	/* The nodes are being changed. A signal handler may interrupt that at any moment. The watchdog
	 * then releases the locks of this thread, and reads the route meanwhile. */
	_Atomic bool is_changing;
	/* Owned; the order is that of learning. The first ones are the seeds, which are never
	 * dropped. */
	rl_node *nodes;
	unsigned node_count;
	unsigned seed_node_count;
	/* Owned; for each slot the number of its node, from 1; 0 = unknown. */
	uint16_t *slots;
	unsigned slot_count;
	/* The node to try next where the node of a slot is unknown or suspect. */
	unsigned next_node;
	/* From this time on the route wants a map; RL_NEVER = the route wants none. */
	int64_t map_due;
	int64_t map_asked_at;
	/* RL_ROUTE_SENTINEL: a reading of the clock right before the lookup was sent that named the
	 * node; 0 = no lookup has named a node, or the node has failed since. */
	int64_t named_at;
	/* RL_ROUTE_SENTINEL: the node grants no lock until a majority has known it as the primary for
	 * this time; 0 = no grace. */
	int64_t grace_ns;
	/* RL_ROUTE_SENTINEL: the time since which a majority has known the node, as of named_at; 0
	 * without grace. */
	int64_t known_since;
	/* RL_ROUTE_SENTINEL: how many Sentinels must name the node, at most all; 0 = a majority. */
	unsigned sentinel_quorum;
};

/* ---- making ---- */

/* A route without nodes, with one reference. Answers of a primary are checked, and a majority of
 * the Sentinels must name it.
 * @param common one reference is taken
 * @return NULL when out of memory */
rl_route *rl_route_new(rl_route_kind kind, rl_target *common);

/* Adds a seed; of a cluster it is a node as well. At most RL_SEEDS_MAX, or RL_SENTINELS_MAX.
 * @param seed one reference is taken
 * @return false when out of memory */
bool rl_route_add_seed(rl_route *route, rl_target *seed);

/* False when out of memory. */
bool rl_route_set_service(rl_route *route, rl_bytes service);

/* A copy for another thread. The copy knows the seeds, and the node of this slot. */
rl_route *rl_route_copy(const rl_route *route, unsigned slot);

/* Connections to the seeds and nodes are named by the label. */
void rl_route_set_label(rl_route *route, const rl_label *label);

rl_route *rl_route_ref(rl_route *route);
void rl_route_unref(rl_route *route);

/* True when both routes lead to the same member: the seeds, the service, the use of Sentinels, and
 * what the nodes have in common are equal. */
bool rl_route_equal(const rl_route *a, const rl_route *b);

/* True when the two members have a seed in common and, behind Sentinels, the service. */
bool rl_route_overlaps(const rl_route *a, const rl_route *b);

/* ---- asking ---- */

/* The node to ask about the slot: the node of the slot, or the next of all nodes if that node is
 * unknown or suspect. Borrowed. NULL = RL_ROUTE_SENTINEL, and the Sentinels have named no node
 * yet. */
rl_target *rl_route_node(rl_route *route, unsigned slot);

/* The node is known to have the slot, and is not suspect. */
bool rl_route_knows(const rl_route *route, unsigned slot);

/* True when the majority of the Sentinels, at the time of the question, had known the node as the
 * primary for this long. rl_grace.c says why the time of the question counts, and not the
 * present. For a command that needs no time, any node is known for long enough: a Sentinel may have
 * learned of the node after it was asked. */
static inline bool rl_route_is_known_for(const rl_route *route, int64_t ns)
{
	return ns == 0 || route->named_at - route->known_since >= ns;
}

/* True when the node is not too new to take locks there. Always true without grace. */
static inline bool rl_route_may_grant(const rl_route *route)
{
	return rl_route_is_known_for(route, route->grace_ns);
}

/* How long a majority must have known the node until no client may use an older answer, which names
 * the previous node; 0 without grace. Each clock may be slow or fast by the drift. */
static inline int64_t rl_route_change_ns(const rl_route *route, double drift_factor)
{
	return route->grace_ns > 0 ? (int64_t) ((double) route->check_ns / (1 - drift_factor)) + 1 : 0;
}

/* ---- learning ---- */

/* True when redirects are followed. Behind Sentinels only the Sentinels say which node to ask.
 * @param route NULL = the member is a single server */
static inline bool rl_route_has_redirects(const rl_route *route)
{
	return route != NULL && route->kind == RL_ROUTE_CLUSTER;
}

/* RL_ROUTE_CLUSTER: the node that the redirect names. Notes the node for the slot, unless the
 * redirect is an ASK. Borrowed.
 * @param speaker the node that has answered
 * @return NULL when out of memory, or when there are RL_NODES_MAX nodes */
rl_target *rl_route_follow(rl_route *route, const rl_redirect *redirect, const rl_target *speaker);

/* The node that commands about a key go to. */
typedef struct rl_destination {
	rl_target *node; /* NULL = none */
	/* A redirect has led to the node, which takes these commands after ASKING only. */
	bool is_asking;
} rl_destination;

/* Where the reply redirects to: reads the redirect, and follows it. No node = the reply is no
 * redirect, or it cannot be followed. Borrowed.
 * @param route NULL = the member is a single server */
rl_destination rl_route_follow_reply(
	rl_route *route, const rl_reply *reply, const rl_target *speaker);

/* The node could not be reached, did not answer, or says that it is a replica: other nodes are
 * asked until one of them names this node again. */
void rl_route_suspect(rl_route *route, const rl_target *node);

/* Copies what another route knows about the slot, unless this route knows something newer. The
 * routes may belong to two threads, of which the other one stands still. */
void rl_route_learn(rl_route *route, const rl_route *from, unsigned slot);

/* True for a cluster that was never asked for its map, or has moved a slot since. The caller must
 * then ask for the map. True at most once in RL_MAP_PAUSE_NS. */
bool rl_route_wants_map(rl_route *route, int64_t now);

/* The map that was asked for will not arrive, or has become old, so a new map is wanted. */
void rl_route_want_map(rl_route *route);

/* Reads the reply to CLUSTER SLOTS. A reply that makes no sense changes nothing.
 * @param speaker the node that has answered */
void rl_route_read_map(rl_route *route, const rl_reply *reply, const rl_target *speaker);

/* RL_ROUTE_SENTINEL: a majority of the Sentinels names this node. The route drops all other nodes.
 * @param asked_at a reading of the clock before the lookup was sent
 * @return the node, borrowed; NULL when out of memory */
rl_target *rl_route_name(rl_route *route, rl_bytes host, uint16_t port, int64_t asked_at);

#endif
