/* SPDX-License-Identifier: MIT
 *
 * The order of a set's members for a key. It is the same for all clients that name the servers
 * alike, whatever the order of their lists, and each key has its own. A cluster, or a primary
 * behind Sentinels, has the name of its route (rl_order_name.h). Waiters queue at the first member
 * that answers. A client that takes the lock begins with the first member, so that of two
 * simultaneous clients the same one comes first everywhere. A release goes to the first member
 * last, so that the waiter that is woken there finds the other members free.
 *
 * Source: rendezvous hashing, Thaler and Ravishankar 1996: each member has a weight, which is a
 * hash of the key and of the member's name. The member with the greatest weight is the first.
 */
#ifndef RL_ORDER_H
#define RL_ORDER_H

#include "core/wire/rl_set.h"

/* @param[out] order the indexes of the members; set->count of them */
void rl_order(const rl_set *set, rl_bytes key, unsigned char *order);

#endif
