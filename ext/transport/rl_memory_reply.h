/* SPDX-License-Identifier: MIT
 *
 * The replies of a server inside the process, in the Redis protocol.
 */
#ifndef RL_MEMORY_REPLY_H
#define RL_MEMORY_REPLY_H

#include "model/rl_words.h"
#include "transport/rl_buffer.h"

/* Appends the reply. False when out of memory.
 * @param key RL_SAYS_TICKET: the key of the lock whose list has had the ticket */
bool rl_memory_put_reply(rl_buffer *out, const rl_model_reply *reply, rl_bytes key);

/* The same for a reply that is a text. */
bool rl_memory_put_bytes(rl_buffer *out, rl_bytes bytes);

#endif
