/* SPDX-License-Identifier: MIT
 *
 * The Lua scripts that run at the server. KEYS and ARGV only; no text is pasted in. They are sent
 * as EVALSHA, and as EVAL when the server does not know them (NOSCRIPT), which also loads them.
 *
 * KEYS[1] is the lock. With three keys KEYS[2] is the mark, a sorted set of those who wait (each
 * with the server's time in ms at which it is void), and KEYS[3] the list of tickets; with one key
 * alone a script leaves waiters to themselves. Helper keys are a hint: whatever goes wrong with
 * them the script goes on.
 *
 * A sorted set under the lock's key is a lock of symfony/lock: the scripts take it for a foreign
 * holder. A key of any other type than these two is a WRONGTYPE error. Only such a key costs a
 * second command (TYPE).
 *
 * A reservation keeps the lock for the waiter that has just been woken: an empty value that ends
 * within 10 ms, or, where several servers are far away, RL_RESERVED_LONG, which ends within 250 ms.
 */
#ifndef RL_SCRIPT_H
#define RL_SCRIPT_H

#include "core/base/rl_status.h"

/* The value of a reservation that may last for more than 10 ms. No token has this form. */
#define RL_RESERVED_LONG "rl1.reserved"

/* The longest reservation. */
#define RL_RESERVED_MAX_MS 250

typedef enum rl_script_id {
	/* token, ttl in ms, "1" when the caller is owed a reply for this token, an rl_place, the
	 * waiter's name, for how many ms it is marked as waiting (0 = it does not wait in the queue, or
	 * no longer), and, with several servers, the reservation in ms that it needs. {1, TIME} =
	 * taken; {0, TIME, PTTL, holder, waiters} = refused, and marked as waiting. TIME is in us, 0
	 * with one key or when the helper keys cannot be used; holder is an rl_holder; waiters is how
	 * many are marked. */
	RL_SCRIPT_TRY,
	/* token; for an undo the name of the waiter, which waits no longer; with several servers the
	 * reservation in ms that the releaser needs. Frees the lock if it is the holder's. When a
	 * waiter is marked, the lock is reserved, and the first waiter gets a ticket. 1 = done, 2 =
	 * done, but the waiters could not be told, 0 = it is not the holder's. Compare-and-delete as in
	 * https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/ */
	RL_SCRIPT_RELEASE,
	/* token, ttl in ms. 1 = it is the holder's and has the new TTL, 0 = nobody has the lock (it may
	 * be reserved), -1 = it is somebody else's. */
	RL_SCRIPT_EXTEND,
	/* The same, but a longer TTL stays. */
	RL_SCRIPT_RENEW,
	/* token, the waiter's name, for how many ms it is marked, with several servers the reservation
	 * in ms that it needs. A waiter's look: refreshes the mark; if nobody has the lock and no
	 * ticket is out, sends one and reserves the lock. {TIME, PTTL, holder, rl_ticket, waiters};
	 * TIME 0 when the helper keys cannot be used. */
	RL_SCRIPT_PROBE,
	/* As RELEASE, whoever holds it. It frees strings only: any other type is a WRONGTYPE error that
	   names the type. */
	RL_SCRIPT_FORCE,
	/* token, the token that takes its place, ttl in ms ("0" = the TTL stays). 1 = swapped, 2 = the
	 * key holds the other token already, and has the TTL at least, 0 = it holds neither. */
	RL_SCRIPT_SWAP,
} rl_script_id;

#define RL_SCRIPTS 7

/* Where a TRY comes from. */
typedef enum rl_place {
	RL_PLACE_NONE,   /* an ordinary connection: nothing that is reserved is taken */
	RL_PLACE_QUEUED, /* behind a BLPOP: takes what is reserved, unless the waiter's mark is void */
	RL_PLACE_WOKEN,  /* of a waiter that was woken at another member: takes what is reserved */
} rl_place;

/* Who has the lock, as TRY and PROBE tell it. The token itself is nobody else's business. */
typedef enum rl_holder {
	RL_HOLDER_NOBODY,
	RL_HOLDER_RESERVED,
	RL_HOLDER_SELF, /* the very token that was sent */
	RL_HOLDER_KIN,  /* a token of the form that rl_token_draw() gives: its release will wake us */
	RL_HOLDER_FOREIGN, /* anything else */
} rl_holder;

/* What PROBE has done about a lock that nobody has. */
typedef enum rl_ticket {
	RL_TICKET_IMPOSSIBLE = -1,
	RL_TICKET_NONE = 0, /* sent now, or not needed */
	RL_TICKET_OUT = 1,  /* one was there already: nobody is in the queue to take it */
} rl_ticket;

typedef struct rl_script {
	const char *text;
	size_t text_len;
	const char *sha1; /* 40 hex digits of the text */
} rl_script;

const rl_script *rl_script_get(rl_script_id id);

#endif
