/* SPDX-License-Identifier: MIT
 *
 * Members behind Sentinels: which node is the primary, which Sentinels know it, and how that
 * changes.
 *
 * DESIGN
 *
 * The first servers of such a member are its nodes, a primary and its replicas, and the others its
 * Sentinels. All of them have clocks, connections and troubles as any server.
 *
 * A replica gets all that its primary has, some time after a write, so its data are those that the
 * primary had a moment ago. A replica that is promoted lacks what the primary has written since.
 * One Sentinel promotes it, and names it up to a second later. The other Sentinels learn of it up
 * to a second after that, or much later if they sleep, are dead, or are cut off together with the
 * old primary. So the member has two primaries for a while:
 *
 *     the primary      the node that was promoted last
 *     the named node   the node that a majority of the Sentinels names; it counts for the judge
 *
 * The old primary goes on as if nothing had happened, up to ten seconds after it can be reached.
 * Then it becomes a replica: it closes its connections, and gets the data of the primary.
 */
#ifndef SENTINEL_H
#define SENTINEL_H

#include "server.h"

void sentinel_begin(void);

/* The node of the member that a majority of the Sentinels names. */
sim_server *sentinel_place(unsigned member);

/* The server is a Sentinel, and no node. */
bool sentinel_is_one(const sim_server *s);

/* The node calls itself a master, which a former primary does, too. */
bool sentinel_is_master(unsigned server);

/* The node had the lock when it became a replica. */
bool sentinel_had(unsigned server, unsigned key, uint64_t token);

/* When a majority of the Sentinels named another node in place of this one; RL_NEVER = not yet. */
int64_t sentinel_out_at(unsigned server);

/* The same, for a node that has become a replica. If the node is a primary again, the time of its
 * promotion: a client that waits for an answer of the Sentinels meanwhile does not notice. */
int64_t sentinel_left_at(unsigned server);

/* Since when a majority of the Sentinels answers, and names the node that is the primary. */
int64_t sentinel_calm_at(unsigned member);

/* ---- for server.c ---- */

/* @return true = the server has answered the command itself: it is a Sentinel, or the command is
 * about roles */
bool sentinel_answers(sim_server *s, const rl_model_command *c, rl_model_reply *r);

/* The node is a replica that refuses writes. */
bool sentinel_refuses_writes(const sim_server *s);

/* A command has changed the key on the node. */
void sentinel_wrote(sim_server *s, unsigned key);

/* A replica can confirm the writes of the node now. */
bool sentinel_can_confirm(const sim_server *s);
void sentinel_confirm(sim_server *s);

/* The server is up again. */
void sentinel_restarted(sim_server *s);

/* ---- faults ---- */

/* A replica takes over from the primary, which is well. */
void sentinel_fail_over(unsigned member);

/* The primary dies, stands still, or is cut off, and a replica takes over if that lasts. */
void sentinel_replace(unsigned member);

/* The replicas get no writes until then. */
void sentinel_lag(unsigned member, int64_t until);

/* Sentinels sleep, die, forget the service, or cannot be reached. */
void sentinel_trouble(unsigned member);

void sentinel_on_event(const event *e);

#endif
