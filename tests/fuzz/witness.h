/* SPDX-License-Identifier: MIT
 *
 * The witness of a hostile network: reads along on all connections what was sent and what was
 * received, and knows for how long the process may count as the owner of a lock. It uses the parser
 * of ext/transport, and nothing that core makes of a reply: which reply says yes to which command
 * is written here once more.
 *
 * A server answers in the order of the commands, so a reply belongs to the first command without
 * one: nothing but the order tells a client which command is meant. A reply may come before the
 * command was sent whole, and counts then for what it may mean, until the command is known.
 *
 * A yes counts from the moment at which the first byte of its command was sent, for the TTL of the
 * command. A yes to a try of the wait queue counts from its arrival, because the server has run the
 * try after a wait. If replicas must confirm, a yes counts once WAIT was answered with their
 * number. Behind Sentinels a yes counts if the server has said that it is a primary, and if enough
 * Sentinels have named its address.
 */
#ifndef WITNESS_H
#define WITNESS_H

#include "hostile_server.h"

typedef struct witness_terms {
	/* Two connections to one address are one member. Otherwise each connection counts as one. */
	bool tells_members_apart;
	bool has_replicas; /* which must confirm */
	/* How many Sentinels must have named an address; 0 = there are no Sentinels, or the set has
	 * other members, too. */
	unsigned sentinels;
} witness_terms;

void witness_begin(witness_terms terms);
void witness_end(void);

/* The process has read these bytes on the connection with this number, from this server. */
void witness_hears(
	unsigned connection, unsigned server, hostile_server_end *end, const char *data, size_t len);

/* The process has sent something on the connection. */
void witness_sees(unsigned connection, unsigned server, hostile_server_end *end);

/* The time until which so many members have granted the lock with one of the tokens; 0 = they have
 * not. */
int64_t witness_proof(const rl_bytes *tokens, unsigned token_count, unsigned members);

#endif
