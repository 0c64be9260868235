/* SPDX-License-Identifier: MIT
 *
 * The slots of a cluster: each key is in one of them, and each slot belongs to one node.
 */
#ifndef RL_SLOT_H
#define RL_SLOT_H

#include "core/base/rl_status.h"

#define RL_SLOTS 16384

/* The part of a key that decides its slot: the text between the first '{' and the first '}' after
 * it, unless that text is empty; otherwise the whole key. */
rl_bytes rl_slot_tag(rl_bytes key);

/* CRC16 (XMODEM) of the tag, modulo RL_SLOTS. Source: the Redis Cluster specification. */
unsigned rl_slot_of(rl_bytes key);

#endif
