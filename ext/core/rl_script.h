/* SPDX-License-Identifier: MIT
 *
 * The Lua scripts that run at the server. KEYS and ARGV only; no text is pasted in. They are sent as
 * EVALSHA, and as EVAL when the server does not know them (NOSCRIPT), which also loads them.
 *
 * KEYS[1] is the lock. With three keys KEYS[2] is the mark, a sorted set of those who wait (each with the
 * server's time in ms at which it is void), and KEYS[3] the list of tickets; with one key alone a script leaves
 * waiters to themselves. Helper keys are a hint: whatever goes wrong with them the script goes on.
 *
 * A reservation is an empty value that ends within 10 ms: the lock is kept for the waiter just woken.
 */
#ifndef RL_SCRIPT_H
#define RL_SCRIPT_H

#include "core/rl_status.h"

typedef enum rl_script_id {
	/* token, ttl in ms, "1" when the caller is owed a reply for this token, "0" or (woken) the server's time in
	 * us after which nothing is taken, the ticket being passed on instead, the waiter's name, "1" when it does not
	 * wait in the queue (any longer).
	 * {1, TIME} = taken; {0, TIME, PTTL, holder} = refused, and marked as waiting. TIME is in us, 0 with one key or when
	 * the helper keys cannot be used; holder is an rl_holder. */
	RL_SCRIPT_TRY,
	/* token, and for an undo the name of the waiter, who waits no longer. Frees it if it is the holder's: for nobody, or when marked for the next waiter, who gets a
	 * ticket. 1 = done, 2 = done, but the waiters could not be told, 0 = it is not the holder's.
	 * Compare-and-delete as in https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/ */
	RL_SCRIPT_RELEASE,
	/* token, ttl in ms. 1 = it is the holder's and has the new TTL, 0 = it is not. */
	RL_SCRIPT_EXTEND,
	/* The same, but a longer TTL stays. */
	RL_SCRIPT_RENEW,
	/* token, the waiter's name. A waiter's look: refreshes the mark; if nobody has the lock and no ticket is out, sends one and
	 * reserves the lock for whom it wakes.
	 * {TIME, PTTL, holder, rl_ticket}; TIME 0 when the helper keys cannot be used. */
	RL_SCRIPT_NUDGE,
	/* As RELEASE, whoever holds it. */
	RL_SCRIPT_FORCE,
} rl_script_id;

#define RL_SCRIPTS 6

/* Who has the lock, as TRY and NUDGE tell it. The token itself is nobody else's business. */
typedef enum rl_holder {
	RL_HOLDER_NOBODY,
	RL_HOLDER_RESERVED,
	RL_HOLDER_SELF, /* the very token that was sent */
	RL_HOLDER_KIN,  /* a token of the form that rl_token_draw() gives: its release will wake us */
	RL_HOLDER_FOREIGN, /* anything else */
} rl_holder;

/* What NUDGE has done about a lock that nobody has. */
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
