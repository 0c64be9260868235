/* SPDX-License-Identifier: MIT
 *
 * The Lua scripts that run on the server. They read KEYS and ARGV only: no value becomes a part of
 * their text. They are sent as EVALSHA, and as EVAL when the server does not know them (NOSCRIPT),
 * which also loads them.
 *
 * KEYS[1] is the lock. If there are three keys, KEYS[2] is the sorted set of marks (each waiter's
 * name, with the server's time in ms at which its mark expires), and KEYS[3] is the list of
 * tickets. With one key a script ignores waiters. The helper keys are only a hint: a script goes on
 * if a command on them fails, unless the server is a replica.
 *
 * A sorted set under the lock's key is a lock of symfony/lock, and counts as a foreign holder. A
 * key that is neither a string nor a sorted set is a WRONGTYPE error. Only a key that is no string
 * costs a second command (TYPE).
 *
 * A reservation keeps the lock for the waiter that was just woken: an empty value, which ends
 * within 10 ms, or RL_RESERVED_LONG, which ends within 250 ms, if several servers are far away.
 *
 * A lock that several holders may have at once has a key for each: the keys of its permits are the
 * first KEYS of TRY and PROBE, and the two helper keys follow. The script chooses one of the keys,
 * and then does what it does with the key of any lock. All other scripts have the key of one
 * permit.
 *
 * A lock whose work is to be done once is not free after its release: a mark, the value RL_DONE, is
 * left under its key. It has no holder, and any script but FORCE treats it like a holder that it
 * does not know. All waiters hear of it: each one that is woken sends a ticket to the next.
 */
#ifndef RL_SCRIPT_H
#define RL_SCRIPT_H

#include "core/base/rl_status.h"

/* The value of a reservation that may last for more than 10 ms. No token has this form. */
#define RL_RESERVED_LONG "rl1.reserved"

/* The value that says that the work is done. No token has this form. */
#define RL_DONE "rl1.done"

/* The longest reservation. */
#define RL_RESERVED_MAX_MS 250

typedef enum rl_script_id {
	/* Takes the lock.
	 * - ARGV: 1 token, 2 TTL in ms, 3 "1" if the key may have this token from an earlier command, 4
	 *   an rl_place, 5 the waiter's name, 6 for how many ms the waiter is marked (0 = not at all),
	 *   7 with several servers the reservation in ms that the waiter needs, 8 the number of
	 * permits, if there are several.
	 * - Answer: {1, TIME} = taken; {1, TIME, number} = has taken the permit with this number; {0,
	 *   TIME, PTTL, rl_holder, number of marks} = refused. TIME is in us, and 0 with one key or if
	 *   the helper keys cannot be used. If the holder's token has a label, the label replaces
	 *   RL_HOLDER_KIN. A try of RL_PLACE_QUEUED that reports RL_HOLDER_DONE has removed the
	 * waiter's mark, and has sent a ticket to the next waiter. */
	RL_SCRIPT_TRY,
	/* Frees the lock if the token is the holder's: the compare-and-delete of
	 * https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/. If a waiter is
	 * marked, the lock is reserved instead, and the first waiter gets a ticket.
	 * - ARGV: 1 token, 2 the name of a waiter that no longer waits, if any, 3 with several servers
	 *   the reservation in ms that the releaser needs, 4 the number of permits, if there are
	 *   several, 5 for how many ms RL_DONE is left under the key; absent = it is not.
	 * - Answer: 1 = freed, 2 = freed, but the waiters could not be woken, 0 = not the holder's, 3 =
	 *   not the holder's, but the key has RL_DONE, which the release was to leave. */
	RL_SCRIPT_RELEASE,
	/* Sets a new TTL if the token is the holder's.
	 * - ARGV: 1 token, 2 TTL in ms.
	 * - Answer: 1 = the key has the TTL, 0 = the lock is free or reserved, -1 = another holder has
	 *   it. */
	RL_SCRIPT_EXTEND,
	/* The same, but never shortens the TTL. */
	RL_SCRIPT_RENEW,
	/* A waiter's look: renews its mark. If the lock is free and no ticket is in the list, sends a
	 * ticket and reserves the lock.
	 * - ARGV: 1 token, 2 the waiter's name, 3 for how many ms the waiter is marked, 4 with several
	 *   servers the reservation in ms that the waiter needs, 5 the number of permits, if there are
	 *   several.
	 * - Answer: {TIME, PTTL, rl_holder, rl_ticket, number of marks}, where TIME is as in TRY. */
	RL_SCRIPT_PROBE,
	/* What an observer wants to know about the lock. Changes nothing.
	 * - Answer: {PTTL, rl_holder or label as in TRY, number of live marks, the value, of which
	 *   4096 bytes at most, the labels in up to 64 of these marks, separated by spaces}. */
	RL_SCRIPT_INSPECT,
	/* As RELEASE, whoever holds the lock. Frees strings only: any other type is a WRONGTYPE error
	 * that names the type.
	 * - ARGV: 1 with several servers the reservation in ms. */
	RL_SCRIPT_FORCE,
	/* Replaces the token.
	 * - ARGV: 1 token, 2 fresh token, 3 TTL in ms ("0" = the TTL stays).
	 * - Answer: 1 = swapped, 2 = the key held the fresh token already, and has at least the TTL, 0
	 *   = it holds neither. */
	RL_SCRIPT_SWAP,
	/* Writes a fencing number, if the token is the holder's. KEYS[2] is the key of the number,
	 * which ends after a day. Numbers travel as strings of digits, because a server turns a number
	 * of Lua into text with 14 or 17 digits, depending on the way. Lua counts in doubles, which are
	 * exact below 2^53: the time in us gets there in the year 2255. A key that is no number, or not
	 * below 2^53 - 1, is an error.
	 * - ARGV: 1 token, 2 the number to write, "0" = a new one: the server's time in us, or the
	 *   number in the key and 1, if that is greater. A number in the key never becomes smaller.
	 * - Answer: the number that is in the key now, as a string; or 0 or -1, as EXTEND. */
	RL_SCRIPT_FENCE,
	/* Frees each permit that has the token: the undo of a TRY whose answer is not known. KEYS are
	 * the keys of the permits, and the helper keys if the name of a waiter is given.
	 * - ARGV: 1 token, 2 the name of a waiter that no longer waits, if any.
	 * - Answer: 1 = freed, 0 = no permit has the token. */
	RL_SCRIPT_FREE_ANY,
	/* A page of the names of strings. KEYS[1], if any, is only the way to a node of a cluster.
	 * - ARGV: 1 cursor, 2 pattern, both as in SCAN.
	 * - Answer: a text with the next cursor, a space, and for each name its length, ':' and the
	 *   name. */
	RL_SCRIPT_SCAN,
} rl_script_id;

#define RL_SCRIPTS (RL_SCRIPT_SCAN + 1)

/* Where a TRY comes from. */
typedef enum rl_place {
	/* From an ordinary connection: it does not take a reserved lock. */
	RL_PLACE_NONE,
	/* From the wait queue, after a BLPOP: it takes a reserved lock, but no lock at all if the
	 * waiter's mark has expired or is missing. */
	RL_PLACE_QUEUED,
	/* From a waiter that another member has woken: it takes a reserved lock. */
	RL_PLACE_WOKEN,
} rl_place;

/* Who holds the lock, as TRY, PROBE and INSPECT report it. The first two never return the token of
 * another holder. */
typedef enum rl_holder {
	RL_HOLDER_NOBODY,
	RL_HOLDER_RESERVED,
	RL_HOLDER_SELF, /* the token that was sent */
	/* A token of the form that rl_token_is_drawn() knows: its release will wake the waiters. */
	RL_HOLDER_KIN,
	RL_HOLDER_FOREIGN, /* anything else */
	RL_HOLDER_DONE,    /* RL_DONE */
} rl_holder;

/* What PROBE has done about a free lock. */
typedef enum rl_ticket {
	RL_TICKET_IMPOSSIBLE = -1,
	RL_TICKET_NONE = 0, /* sent now, or not needed */
	/* A ticket was in the list already, so no waiter blocks in the wait queue. */
	RL_TICKET_OUT = 1,
} rl_ticket;

typedef struct rl_script {
	const char *text;
	size_t text_len;
	const char *sha1; /* 40 hex digits of the text */
} rl_script;

const rl_script *rl_script_get(rl_script_id id);

#endif
