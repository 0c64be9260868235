/* SPDX-License-Identifier: MIT
 *
 * A place in the queue for a lock, at one member: a second connection that a wait keeps, so that
 * the release of the lock wakes the waiter who has waited longest.
 *
 * DESIGN
 *
 * One write carries BLPOP on the list of tickets and, behind it, the `try` script as text. The
 * server serves those who block on a list in the order in which they came, and then runs what
 * stands behind the BLPOP: a waiter needs no round trip between being woken and having the lock. A
 * release puts one ticket into the list and reserves the lock, so that a newcomer cannot slip in
 * between (rl_script.h).
 *
 *     OUT -> LOGIN -> IN -> WOKEN -> ANSWERED -> IN ...
 *
 * The try is judged by the waiter's mark, which its looks renew for two seconds, and never beyond
 * the end of the wait: when the mark is void, the try takes nothing and passes the ticket on. So a
 * process that stands still or is gone, or a connection that is dead and not known to be, costs
 * those behind it nothing. A place can be kept for as long as the wait lasts. BLPOP blocks for a
 * second longer than that: at the end of a wait the try behind it is dropped with the connection,
 * and not run while the end of the connection is on its way.
 *
 * Valkey 9.0 and 9.1 do not read on after a BLPOP when the try behind it has come in two pieces,
 * until more comes (https://github.com/valkey-io/valkey/pull/4531). So when BLPOP is answered and
 * the try is not, an empty command follows. Other servers send both answers together.
 *
 * Leaving: an undo is written behind the try, and nothing after it. A server that still blocks the
 * connection drops both when it sees the end; one that has run the try runs the undo, too. The
 * token is always a drawn one.
 *
 * Ownership: the queue has its connection from rl_queue_enter() to rl_queue_leave(). It borrows the
 * quorum call of the wait, which has the set, the pool and the request, but not its member calls.
 */
#ifndef RL_QUEUE_H
#define RL_QUEUE_H

#include "core/lock/rl_quorum_call.h"

/* The server's clock at some moment between two of ours. */
typedef struct rl_sample {
	int64_t asked_at;
	int64_t heard_at;
	int64_t server_us; /* 0 = none was taken */
	unsigned member;   /* whose clock it is */
} rl_sample;

typedef enum rl_queue_state {
	RL_QUEUE_OUT,      /* has no connection */
	RL_QUEUE_LOGIN,    /* connects and logs in */
	RL_QUEUE_IN,       /* BLPOP and try are written */
	RL_QUEUE_WOKEN,    /* BLPOP is answered */
	RL_QUEUE_PRODDED,  /* the same, and an empty command was sent */
	RL_QUEUE_ANSWERED, /* both are answered; the connection is still here */
} rl_queue_state;

typedef enum rl_blpop {
	RL_BLPOP_NOTHING, /* no answer yet, or its time was over */
	RL_BLPOP_TICKET,
	RL_BLPOP_LATER, /* an error that may pass */
	RL_BLPOP_NEVER, /* an error that does not */
} rl_blpop;

typedef struct rl_queue {
	rl_queue_state state;
	unsigned member;
	rl_channel
		channel; /* closed when OUT; its command is the try, and its time of sending that of both */
	int64_t slice_end;  /* its place is given up then, and taken again behind the others */
	int64_t answer_end; /* by then something must have come */
	rl_sample sample;   /* of the server's clock, when the place was taken */
	rl_blpop blpop;     /* what BLPOP was answered */
	bool is_unclear;    /* what was answered makes no sense: the connection lies */
	rl_doubt doubt;     /* LOST: UNKNOWN = the try may have been run */
	rl_answer answer;   /* to the try; without text */
} rl_queue;

/* What came of it. */
typedef enum rl_queue_event {
	RL_QUEUE_NOTHING, /* waits on */
	RL_QUEUE_WON,     /* the try took the lock; now ANSWERED */
	/* Woken, or the slice was over, and the try was refused: the lock is taken, or the mark was
	 * void and the ticket was passed on. Now ANSWERED. */
	RL_QUEUE_REFUSED,
	RL_QUEUE_USELESS, /* the server will not have it: no BLPOP, or something else under that name;
						 now ANSWERED */
	RL_QUEUE_FAILED,  /* an error that has to do with the lock itself; err says which; now ANSWERED
					   */
	RL_QUEUE_LOST, /* the connection broke, or the server is not ready; err says why; now OUT. See
					  doubt */
} rl_queue_event;

/* How long one place is kept, and how much longer than that BLPOP blocks. The try behind a BLPOP
 * that merely timed out must not be run as long as the end of the connection may still be on its
 * way: the waiter may have won by another try, and released the lock by then. */
#define RL_QUEUE_WORTH_NS \
 (20 * RL_NS_PER_MS) /* a wait that ends sooner is not worth a connection */
#define RL_QUEUE_SLICE_NS (3600 * RL_NS_PER_SECOND)
#define RL_QUEUE_SLACK_MS 1020

/*
 * Goes into the queue: with a new connection when OUT, on the one it has when ANSWERED.
 * @param until the end of the wait; RL_NEVER = none
 */
void rl_queue_enter(
	rl_queue *queue, rl_quorum_call *call, const rl_sample *sample, int64_t until, int64_t now);

/* Goes on as far as it can without waiting. @param[out] err for FAILED and LOST */
rl_queue_event rl_queue_step(
	rl_queue *queue, rl_quorum_call *call, const rl_tick *tick, rl_error *err);

/* Adds what it waits for. */
void rl_queue_add_to_wait(const rl_queue *queue, rl_wait *wait);

/* The try is written, and may be run at any moment. */
bool rl_queue_is_in(const rl_queue *queue);

/* The same, and BLPOP and try were written by then. */
bool rl_queue_is_in_since(const rl_queue *queue, int64_t at);

/* When ownership of a lock that was won began, at the latest reckoning that is proven: the try was
 * run at the server's time in the answer, and sample says which of our times that was. */
int64_t rl_queue_won_since(
	const rl_queue *queue, const rl_sample *sample, double drift_factor, int64_t now);

/* WON: the connection is the caller's from now on; OUT. */
rl_conn *rl_queue_hand_over(rl_queue *queue);

/* Gives the place up. @param undo take back what the try may have taken */
rl_settlement rl_queue_leave(rl_queue *queue, rl_quorum_call *call, bool undo, int64_t now);

/* In a forked child: closes the connection, which is the parent's, without a word on it. */
void rl_queue_drop(rl_queue *queue);

#endif
