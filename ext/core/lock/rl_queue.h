/* SPDX-License-Identifier: MIT
 *
 * A place in the wait queue of a lock, at one member: a second connection that a wait keeps, so
 * that the release of the lock wakes the waiter that has waited longest.
 *
 * DESIGN
 *
 * One write carries BLPOP on the list of tickets and, after it, the `try` script. The server serves
 * the clients that block on a list in the order of their arrival, and then runs the command after
 * the BLPOP. So a waiter needs no round trip between being woken and having the lock. A release
 * puts one ticket into the list and reserves the lock, so that a newcomer cannot take the lock in
 * between (rl_script.h).
 *
 * The script is sent as text unless the server has run it on this connection. If the server has
 * lost it when the waiter is woken, the ticket is gone, and a try of all members follows, which
 * takes the reserved lock. If the waiter is dead as well, the probes of the next ones find the free
 * lock.
 *
 * The server judges the try by the waiter's mark, which the probes renew for two seconds, but never
 * beyond the end of the wait. If the mark is void or missing, the try takes nothing and passes the
 * ticket on. So a process that was stopped or killed, or a connection that died unnoticed, costs
 * the waiters after it nothing, and takes no free lock when BLPOP ends.
 *
 * A place may be kept for as long as the wait lasts. BLPOP blocks for a second longer: otherwise it
 * could time out while the end of the connection is still on its way, and the server would run the
 * try after the end of the wait.
 *
 * Valkey 9.0 and 9.1 do not continue to read after a BLPOP if the try after it arrived in two
 * pieces, until more arrives (https://github.com/valkey-io/valkey/pull/4531). So when BLPOP is
 * answered and the try is not, an empty command follows. Other servers send both answers together.
 *
 * Leaving: an undo is written after the try, and nothing follows it. A server that still blocks the
 * connection drops both when it sees the end of the connection. A server that has run the try also
 * runs the undo. The token has the form of drawn tokens.
 *
 * BLPOP and try are one errand (rl_errand.c), which is not sent again once it is in doubt: what the
 * lost try has done is found out by a quorum call. On a cluster a node whose slot moves away
 * answers both commands with a redirect, even while the connection blocks. Neither command has run.
 * The errand takes a place at the other node at once, after the waiters that are there already. It
 * does so, too, when the Sentinels name another primary. A win is not judged here: the quorum call
 * adopts it, and asks the other members, or the Sentinels.
 *
 * Between two steps of the wait:
 * - The place is OUT, or its errand is open. An answer that was reported leaves the connection to
 *   the errand, until the waiter queues again on it, takes it over, or leaves.
 * - If BLPOP is answered and the try is not, the replicas are waited for, or an empty command has
 *   followed.
 *
 * Ownership: the errand has its connection from rl_queue_enter() to rl_queue_leave(). It borrows
 * set, pool and environment from the quorum call of the wait, and key, token and name from its
 * request.
 */
#ifndef RL_QUEUE_H
#define RL_QUEUE_H

#include "core/lock/rl_quorum_call.h"

/* A time of the server's clock, taken between two times of our clock. */
typedef struct rl_sample {
	int64_t asked_at;
	int64_t heard_at;
	int64_t server_us; /* 0 = none was taken */
	rl_target *node;   /* the owner of the clock; one reference, or NULL */
} rl_sample;

typedef struct rl_queue_place {
	rl_errand_terms terms;
	rl_errand errand;
	rl_error err; /* of the errand */
	/* BLPOP times out then, and the waiter queues again, after the others. */
	int64_t slice_end;
} rl_queue_place;

typedef struct rl_queue {
	unsigned member;
	rl_queue_place *place; /* owned; NULL before the first rl_queue_enter() */
} rl_queue;

/* The result of a step. After LOST the place is OUT. After all others but NOTHING it is answered,
 * and still connected. */
typedef enum rl_queue_event {
	RL_QUEUE_NOTHING, /* the wait goes on */
	RL_QUEUE_WON,     /* the try took the lock */
	/* The waiter was woken, or its slice ended, and the try was refused: the lock is taken, or the
	 * mark was void and the ticket was passed on. */
	RL_QUEUE_REFUSED,
	/* Waiting is impossible here: the server refuses BLPOP or the helper keys, or a key of another
	 * type has the list's name. */
	RL_QUEUE_USELESS,
	RL_QUEUE_FAILED, /* the try failed; see err */
	/* The connection broke, or the server is not ready. See err, and the doubt of the errand. */
	RL_QUEUE_LOST,
} rl_queue_event;

/* A wait that ends sooner than this is not worth a connection. */
#define RL_QUEUE_WORTH_NS (20 * RL_NS_PER_MS)

/* How long one BLPOP waits at most, and how much longer than that it blocks. The server must not
 * run the try after a BLPOP that timed out while the end of the connection may still be on its way:
 * the waiter may have won by another try, and released the lock by then. */
#define RL_QUEUE_SLICE_NS (3600 * RL_NS_PER_SECOND)
#define RL_QUEUE_SLACK_MS 1020

/* The waiter has no place. */
bool rl_queue_is_out(const rl_queue *queue);

/* Takes a place at the member: on the present connection if the place is answered. False = out of
 * memory, and OUT.
 * @param until the end of the wait; RL_NEVER = none */
bool rl_queue_enter(rl_queue *queue, const rl_quorum_call *call, int64_t until, int64_t now);

/* Continues as far as possible without waiting. Fills err for FAILED and LOST. */
rl_queue_event rl_queue_step(rl_queue *queue, const rl_tick *tick, rl_error *err);

/* The last BLPOP has taken a ticket out of the list. */
bool rl_queue_has_ticket(const rl_queue *queue);

/* Adds what the place waits for. */
void rl_queue_add_to_wait(const rl_queue *queue, rl_wait *wait);

/* The server may run the try at any moment: it is written, and not answered. */
bool rl_queue_is_in(const rl_queue *queue);

/* The same, and BLPOP and try were written no later than at this time. */
bool rl_queue_is_in_since(const rl_queue *queue, int64_t at);

/* Since when a lock that the place has won is certainly ours. The answer has the server's time at
 * which the try was run, and the sample translates it into our time, on the safe side. */
int64_t rl_queue_won_since(
	const rl_queue *queue, const rl_sample *sample, double drift_factor, int64_t now);

/* Call after WON: gives the connection to the errand of the member. The place is then OUT. */
void rl_queue_hand_over(rl_queue *queue, rl_quorum_call *call, int64_t since);

/* Gives up the place. With undo also undoes what its try may have taken. */
rl_settlement rl_queue_leave(rl_queue *queue, bool undo, int64_t now);

/* Frees the place, which must be OUT. */
void rl_queue_clear(rl_queue *queue);

/* In a forked child: closes the connection, which is the parent's, and sends nothing. */
void rl_queue_drop(rl_queue *queue);

#endif
