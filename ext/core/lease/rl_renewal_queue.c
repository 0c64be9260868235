/* SPDX-License-Identifier: MIT */
#include "core/lease/rl_renewal_queue.h"

#include <stdlib.h>

#define FIRST_ROOM 16

void rl_renewal_queue_init(rl_renewal_queue *queue)
{
	*queue = (rl_renewal_queue){.waiting_end = &queue->waiting};
}

void rl_renewal_queue_destroy(rl_renewal_queue *queue)
{
	free(queue->sent);
}

/* ---- the waiting list ---- */

void rl_renewal_queue_add(rl_renewal_queue *queue, rl_renewal_member *member)
{
	member->state = RL_RENEWAL_MEMBER_WAITING;
	member->next = NULL;
	member->link = queue->waiting_end;
	*queue->waiting_end = member;
	queue->waiting_end = &member->next;
}

static void unlink_waiting(rl_renewal_queue *queue, rl_renewal_member *member)
{
	*member->link = member->next;
	if (member->next != NULL) {
		member->next->link = member->link;
	} else {
		queue->waiting_end = member->link;
	}
}

/* ---- the ring ---- */

static rl_renewal_member **sent_at(const rl_renewal_queue *queue, uint64_t number)
{
	return &queue->sent[number & (queue->sent_room - 1)];
}

void rl_renewal_queue_remove(rl_renewal_queue *queue, rl_renewal_member *member)
{
	switch (member->state) {
		case RL_RENEWAL_MEMBER_IDLE:
		case RL_RENEWAL_MEMBER_CHECKING:
			break;
		case RL_RENEWAL_MEMBER_WAITING:
			unlink_waiting(queue, member);
			break;
		case RL_RENEWAL_MEMBER_SENT:
			*sent_at(queue, member->sent_number) = NULL;
			break;
	}
	member->state = RL_RENEWAL_MEMBER_IDLE;
}

bool rl_renewal_queue_reserve(rl_renewal_queue *queue)
{
	size_t count = (size_t) (queue->next_sent - queue->first_sent);
	if (count < queue->sent_room) {
		return true;
	}
	size_t room = queue->sent_room == 0 ? FIRST_ROOM : 2 * queue->sent_room;
	rl_renewal_member **grown = malloc(room * sizeof *grown);
	if (grown == NULL) {
		return false;
	}
	for (uint64_t i = queue->first_sent; i < queue->next_sent; i++) {
		grown[i & (room - 1)] = *sent_at(queue, i);
	}
	free(queue->sent);
	queue->sent = grown;
	queue->sent_room = room;
	return true;
}

void rl_renewal_queue_note_sent(rl_renewal_queue *queue, rl_renewal_member *member)
{
	unlink_waiting(queue, member);
	member->state = RL_RENEWAL_MEMBER_SENT;
	member->sent_number = queue->next_sent++;
	*sent_at(queue, member->sent_number) = member;
}

rl_renewal_member *rl_renewal_queue_take_sent(rl_renewal_queue *queue)
{
	rl_renewal_member *member = *sent_at(queue, queue->first_sent);
	queue->first_sent++;
	if (member != NULL) {
		member->state = RL_RENEWAL_MEMBER_IDLE;
	}
	return member;
}
