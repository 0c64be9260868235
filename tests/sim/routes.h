/* SPDX-License-Identifier: MIT
 *
 * The clients' knowledge about nodes, and where it comes from.
 *
 * DESIGN
 *
 * A client notes which node has a slot, and which node is a primary. Both are guesses, and no rule
 * about locks alone shows that a guess has better grounds than it seems. So the judge looks at the
 * routes of both threads after each of their steps, and knows what every client was told:
 *
 *     told    the node of a slot was named to the client by MOVED or by a map. An ASK is about one
 *             command, and names no node for the slot
 *     naming  a majority of the Sentinels has named the primary at named_at or later
 *     asking  a command that was sent after ASKING, and whose connection broke, is not sent after
 *             ASKING to the same node again before another ASK; and an ASK is about one renewal
 */
#ifndef ROUTES_H
#define ROUTES_H

#include "network.h"
#include "plan.h"

void routes_begin(void);

/* A process starts without knowledge. */
void routes_forget(unsigned client);

/* Judges the routes of a thread after its step. */
void routes_look(unsigned client, bool is_watch);

/* The client reads a redirect or a map. */
void routes_hear(const rl_link *link, const rl_model_reply *reply);

/* The Sentinel does not name this node any more. */
void routes_unnamed(unsigned sentinel, unsigned node);

/* ---- ASKING: the client writes a command, reads an answer, and ends or loses a connection ---- */

void routes_write(rl_link *link, const rl_model_command *c);
void routes_read(const rl_link *link, uint32_t number, const rl_model_reply *reply);
void routes_lose(const rl_link *link, bool was_broken);

#endif
