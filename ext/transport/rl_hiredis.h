/* SPDX-License-Identifier: MIT
 *
 * hiredis as a parser, without its sockets. The reader builds replies directly in
 * core's own type, in its own memory, and limits every length that a server can announce.
 */
#ifndef RL_HIREDIS_H
#define RL_HIREDIS_H

#include "core/wire/rl_transport.h"

/* The largest number of bytes of one reply; the memory that it takes is less than eight times as
 * much. hiredis itself accepts any length. The map of a cluster (CLUSTER SLOTS) has about 264 bytes
 * for a range with three nodes, and 520 where each node has a host name of 60 bytes as well. So
 * even the map of a cluster fits where each slot is a range of its own, or where 16,000 ranges have
 * such names. */
#define RL_READER_BYTES_MAX (8 * 1024 * 1024)

/* The longest text of a reply. hiredis searches an incomplete line for its end again with each
 * piece that arrives. */
#define RL_READER_TEXT_MAX (1024 * 1024)

typedef struct rl_reader rl_reader;

rl_reader *rl_reader_new(void);
void rl_reader_free(rl_reader *reader);

/* Adds bytes from the network. False = too many bytes, or out of memory. */
bool rl_reader_feed(rl_reader *reader, const char *data, size_t len);

/* @param[out] reply valid until the next call
 * @return 1 = a reply; 0 = no reply is complete; -1 = the bytes are not the Redis protocol */
int rl_reader_next(rl_reader *reader, rl_reply *reply);

/* The version of hiredis with which this file was compiled. */
const char *rl_hiredis_version(void);

#endif
