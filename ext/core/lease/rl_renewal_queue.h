/* SPDX-License-Identifier: MIT
 *
 * The members of all leases that use one connection: a waiting list of the members that have
 * something to send, and a ring of the members whose command was sent, in the order in which the
 * replies will arrive.
 *
 * A queue belongs to a rl_renewer_server. It owns the ring, and borrows the members. Everything
 * here is called under the renewer's lock, by rl_renewer_server.c alone.
 */
#ifndef RL_RENEWAL_QUEUE_H
#define RL_RENEWAL_QUEUE_H

#include "core/lease/rl_renewal.h"

typedef struct rl_renewal_queue {
	rl_renewal_member *waiting;
	rl_renewal_member **waiting_end;
	/* Owned. NULL in it = that reply is no longer wanted. */
	rl_renewal_member **sent;
	/* The numbers of the oldest command without a reply, and of the next one to be sent. */
	uint64_t first_sent;
	uint64_t next_sent;
	/* A power of two, or 0. */
	size_t sent_room;
} rl_renewal_queue;

void rl_renewal_queue_init(rl_renewal_queue *queue);

/* Frees the ring; the members are left alone. */
void rl_renewal_queue_destroy(rl_renewal_queue *queue);

/* Puts an idle member at the end of the waiting list. */
void rl_renewal_queue_add(rl_renewal_queue *queue, rl_renewal_member *member);

/* The member is idle again. If its command was sent, the reply to that is no longer wanted. */
void rl_renewal_queue_remove(rl_renewal_queue *queue, rl_renewal_member *member);

/* Makes room for one more in the ring. False when out of memory. */
bool rl_renewal_queue_reserve(rl_renewal_queue *queue);

/* Moves a waiting member into the ring: its command was sent. There must be room. */
void rl_renewal_queue_note_sent(rl_renewal_queue *queue, rl_renewal_member *member);

/* Replies are still to come. */
static inline bool rl_renewal_queue_has_sent(const rl_renewal_queue *queue)
{
	return queue->first_sent < queue->next_sent;
}

/* Takes the oldest entry out of the ring, because its reply has arrived, or never will.
 * @return the member, which is idle now; NULL = the reply is no longer wanted */
rl_renewal_member *rl_renewal_queue_take_sent(rl_renewal_queue *queue);

#endif
