/* SPDX-License-Identifier: MIT
 *
 * hiredis as a formatter and a parser: no sockets of its own. Replies are built straight into core's own
 * type, in memory of the reader, with limits on all that a server can announce.
 */
#ifndef RL_HIREDIS_H
#define RL_HIREDIS_H

#include "core/wire/rl_transport.h"

/* More bytes than this without a whole reply in them are nonsense. hiredis itself accepts any length. */
#define RL_READER_BYTES_MAX (1024 * 1024)

typedef struct rl_reader rl_reader;

rl_reader *rl_reader_new(void);
void rl_reader_free(rl_reader *reader);

/* Adds bytes from the network; false when there are too many, or no memory. */
bool rl_reader_feed(rl_reader *reader, const char *data, size_t len);

/* @param[out] reply valid until the next call
 * @return 1 = a reply, 0 = none is complete, -1 = this is not the protocol */
int rl_reader_next(rl_reader *reader, rl_reply *reply);

/* @param[out] out the command on the wire, to be freed with rl_format_free()
 * @return its length, 0 when out of memory */
size_t rl_format(unsigned argc, const rl_bytes *argv, char **out);
void rl_format_free(char *command);

/* The hiredis that this was compiled with. */
const char *rl_hiredis_version(void);

#endif
