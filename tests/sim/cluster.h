/* SPDX-License-Identifier: MIT
 *
 * Members that are clusters: which node has which key, and how that changes.
 *
 * DESIGN
 *
 * A node is a sim_server with what it knows about the slots (slots.h). The slots of the world's
 * keys matter; all other slots belong to one node. Nodes know different things at the same time:
 * the two nodes of a move learn its end one after the other, and the others later, as by gossip. A
 * node answers by its own knowledge, so redirects may lead in circles for a while.
 *
 * A move is begun, made key by key at its own speed, interrupted, and ended or given up, as an
 * operator does it with SETSLOT and MIGRATE. Of a lock each of its three keys moves by itself. A
 * MIGRATE whose answer is lost leaves the key on both nodes. No key is left behind at the end: the
 * node that loses the slot learns of it when it has none.
 *
 * Two things are not done but where data may be lost (PLAN_UNCLEAN), because a command after
 * ASKING may be on its way: keys do not go back while their slot moves, and a node does not take
 * the slot again before such a command has arrived. The command would find no key there, and take a
 * lock that is held at the other node.
 *
 * A node may die and be replaced by its replica, the last server of the cluster, which has all of
 * its data, its slots and their moves. (In Redis 7 the replica knows nothing of a move, so a slot
 * that moves while its node dies loses keys. The simulator does what Valkey 8 does.) Before that
 * the other nodes redirect to the dead one, and then all answer CLUSTERDOWN. The node that died
 * comes back as the replica. A replica may also take over from a node that lives.
 */
#ifndef CLUSTER_H
#define CLUSTER_H

#include "sentinel.h"
#include "server.h"
#include "slots.h"

void cluster_begin(void);

/* The name of a key of this world. */
rl_bytes cluster_key_name(unsigned key);
int16_t cluster_slot(unsigned key);

/* The server of the member that has the key of the lock, or would get it. */
sim_server *cluster_place(unsigned member, unsigned key);

/* The server of the member that decides about the key. */
static inline sim_server *member_place(unsigned member, unsigned key)
{
	if (plan.kinds[member] == MEMBER_PLAIN) {
		return &servers[plan.first[member]];
	}
	return plan_is_cluster(member) ? cluster_place(member, key) : sentinel_place(member);
}

/* @return true = the node has answered the command itself: it is about clusters, or belongs to
 * another node */
bool cluster_answers(sim_server *s, rl_link *link, const rl_model_command *c, rl_model_reply *r);

/* When the slots of the member come to rest, and its nodes have nothing left to do but to move
 * keys. */
int64_t cluster_calm_at(unsigned member);

/* A slot begins to move, or its move is given up. */
void cluster_move(unsigned member);

/* A node dies, or hands over, and the replica takes its place.
 * @param loses what its replica has not confirmed, or all data, is lost */
void cluster_take_over(unsigned member, bool is_planned, bool loses);

/* All nodes, or one, serve nothing until then. */
void cluster_go_down(unsigned member, int64_t until);

void cluster_on_event(const event *e);

#endif
