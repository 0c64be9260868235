/* SPDX-License-Identifier: MIT
 *
 * The keys of a set that may be locks. SCAN finds them, one page after another, at each member, and
 * on a cluster at each node.
 *
 * A tour says where the listing is. Each page is an operation (rl_op.h), which asks one node:
 *
 *     rl_tour_begin(&tour, room, prefix_len);
 *     while (rl_tour_goes_on(&tour, set)) {
 *         page = rl_page_new(set, pool, env, &tour);
 *         ... run it ...
 *         rl_tour_take(&tour, page);      or, when it has failed, rl_tour_leave(&tour)
 *     }
 *
 * SCAN is sent within a script, so that on a cluster a key can lead it to the node of a slot, and
 * redirects are followed as for any other script. The key is the prefix and a number in braces:
 * whoever may use keys with this prefix may use it, too. The tour marks all slots of a node as
 * visited when it begins with the node, and takes the next number whose slot is not marked. If the
 * prefix has a hash tag, all its keys are in one slot, and one node is asked. Other servers need no
 * key.
 *
 * SCAN may return a key several times, and so may several members. A key that is there from the
 * beginning to the end is found, unless its slot moves to another node meanwhile.
 */
#ifndef RL_LISTING_H
#define RL_LISTING_H

#include "core/lock/rl_op.h"

/* 64 bits as a number. */
#define RL_CURSOR_MAX 20

/* The room behind the prefix: "{", a number, "}". */
#define RL_TOUR_ROOM 16

typedef struct rl_tour {
	/* Borrowed: the prefix, and RL_TOUR_ROOM bytes. */
	char *room;
	size_t prefix_len;
	unsigned member;
	/* The member is a cluster: the number in the key that leads to the node. */
	uint32_t number;
	/* Of the next page; no characters = the node is not begun. */
	char cursor[RL_CURSOR_MAX];
	size_t cursor_len;
	/* Of this cluster: the slots that need not be asked for, and hashes of the names of the nodes
	 * that were asked. */
	unsigned char visited[RL_SLOTS / 8];
	uint64_t nodes[RL_NODES_MAX];
	unsigned node_count;
} rl_tour;

void rl_tour_begin(rl_tour *tour, char *room, size_t prefix_len);

/* Goes to the next node, unless the last one has another page. False = there is no other node. */
bool rl_tour_goes_on(rl_tour *tour, const rl_set *set);

/* The next page. RL_OK, or a failure.
 * @return NULL when out of memory */
rl_op *rl_page_new(rl_set *set, rl_pool *pool, const rl_env *env, const rl_tour *tour);

/* After a page. */
void rl_tour_take(rl_tour *tour, const rl_op *page);

/* Leaves out what the member still has. */
void rl_tour_leave(rl_tour *tour);

/* The next key of the page, and whether there is one.
 * @param[in,out] at 0 before the first key
 * @param[out] key with the prefix; borrowed */
bool rl_page_next(const rl_op *page, size_t *at, rl_bytes *key);

#endif
