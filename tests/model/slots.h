/* SPDX-License-Identifier: MIT
 *
 * What makes a server (store.h) a node of a cluster: which commands the node runs, which it answers
 * with a redirect, and how a slot moves, key by key. Source of the rules: getNodeByQuery() and
 * clusterRedirectBlockedClientIfNeeded() of Redis 7.0, and of Redis 6.2 where they differ.
 * tests/sim/conformance_cluster.c compares the model with two real nodes.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include "store.h"

#define SLOTS_NOBODY UINT8_MAX

/* What one node knows about one slot, by the numbers of nodes. */
typedef struct slot_state {
	uint8_t owner;          /* SLOTS_NOBODY = the slot is not assigned */
	uint8_t migrating_to;   /* SLOTS_NOBODY = it does not move away from here */
	uint8_t importing_from; /* SLOTS_NOBODY = it does not move here */
	bool asks_early;        /* up to Redis 6.2: ASK as soon as one of the keys is not here */
} slot_state;

/* The keys of a lock: each moves by itself. */
typedef enum slots_part {
	SLOTS_LOCK,
	SLOTS_MARKS,
	SLOTS_TICKETS,
	SLOTS_FENCE,
} slots_part;

#define SLOTS_PARTS (SLOTS_FENCE + 1)

/* The node has this key of the lock. */
bool slots_has(const store *s, unsigned key, slots_part part);

/* False = the node `self` runs the command; otherwise the reply says where it has to go, or why it
 * cannot run.
 * @param slot of the command's keys
 * @param is_asking the command stands behind ASKING */
bool slots_redirects(const slot_state *slot, unsigned self, store *s, const rl_model_command *c,
	bool is_asking, int64_t now_us, rl_model_reply *r);

/* A client that blocks in BLPOP at the node is answered with this redirect. */
bool slots_sends_away(const slot_state *slot, unsigned self, int16_t number, rl_model_reply *r);

/* CLUSTERDOWN: the node serves no slots now. */
void slots_say_down(rl_model_reply *r);

/* MIGRATE .. REPLACE: the key moves with what is left of its TTL.
 * @param keeps its answer is lost, and the node that gives the key keeps it
 * @return false = there is no such key */
bool slots_move(store *from, int64_t from_us, store *to, int64_t to_us, unsigned key,
	slots_part part, bool keeps);

/* Deletes the key. */
void slots_delete(store *s, unsigned key, slots_part part);

#endif
