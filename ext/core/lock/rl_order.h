/* SPDX-License-Identifier: MIT
 *
 * The order of a set's members for a key: the same for all clients that name the servers alike,
 * whatever order they list them in, and another one for each key. Those who wait for the key queue
 * at the first that answers; who asks begins with it, so that of two who ask at once the same is
 * first everywhere; who releases ends with it, so that whoever is woken there finds the others
 * free.
 *
 * Source: rendezvous hashing, Thaler and Ravishankar 1996: each member has a weight, a hash of the
 * key and of its name, and the greatest is the first.
 */
#ifndef RL_ORDER_H
#define RL_ORDER_H

#include "core/wire/rl_set.h"

/* @param[out] order the members' numbers; set->count of them */
void rl_order(const rl_set *set, rl_bytes key, unsigned char *order);

#endif
