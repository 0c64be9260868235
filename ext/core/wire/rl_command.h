/* SPDX-License-Identifier: MIT
 *
 * The commands about a lock: turns a request into the arguments of a command. The functions keep no
 * state.
 */
#ifndef RL_COMMAND_H
#define RL_COMMAND_H

#include "core/wire/rl_names.h"
#include "core/wire/rl_script.h"
#include "core/base/rl_tally.h"
#include "core/wire/rl_transport.h"

typedef enum rl_verb {
	RL_VERB_SET, /* takes the lock: SET key token NX PX ttl */
	/* Takes the lock, by script. The script recognises a key that an earlier command has given this
	 * token, and marks the waiter. */
	RL_VERB_TRY,
	/* A waiter's look: it takes nothing, and if the lock is free it wakes the first waiter in the
	 * wait queue. */
	RL_VERB_PROBE,
	RL_VERB_BLPOP, /* blocks until a ticket arrives */
	/* Frees the lock if the token is the holder's. */
	RL_VERB_RELEASE,
	/* Sets a new TTL if the token is the holder's. */
	RL_VERB_EXTEND,
	/* The same, but never shortens the TTL. */
	RL_VERB_RENEW,
	/* Replaces the token of the holder by another one. */
	RL_VERB_SWAP,
	/* Frees the lock, whoever holds it. */
	RL_VERB_FORCE,
	RL_VERB_EXISTS,    /* isLocked() */
	RL_VERB_OWNER,     /* owner() */
	RL_VERB_INSPECT,   /* inspect() */
	RL_VERB_REMAINING, /* remaining() */
	RL_VERB_SCAN,      /* a page of findKeys() */
	/* Writes a fencing number if the token is the holder's. */
	RL_VERB_FENCE,
} rl_verb;

#define RL_VERBS (RL_VERB_FENCE + 1)

/* How the command is written. */
typedef enum rl_form {
	RL_FORM_USUAL,
	/* Scripts: EVAL with the text instead of EVALSHA. */
	RL_FORM_TEXT,
	/* RL_VERB_OWNER: TYPE instead of GET, because the key is no string. */
	RL_FORM_TYPE,
} rl_form;

typedef struct rl_request {
	rl_verb verb;
	rl_bytes key; /* RL_VERB_SCAN: leads to a node of a cluster; no bytes = it need not */
	/* The next two are the helper keys; no data = the lock has none. */
	rl_bytes mark;
	rl_bytes tickets;
	unsigned slot; /* see rl_names */
	/* How many holders the lock may have at once; 0 = one. */
	unsigned permits;
	/* TRY, PROBE: the keys of the permits, of which the server chooses one. RELEASE, as the undo of
	 * a TRY: each of them is freed that has the token. NULL = only the key is meant. Borrowed. */
	const rl_bytes *permit_keys;
	/* RL_VERB_FENCE: the key of the number, and the number to write; 0 = the server makes one. */
	rl_bytes fence;
	int64_t fence_number;
	rl_bytes token; /* RL_VERB_SCAN: the cursor */
	/* RL_VERB_SWAP: the token that replaces token. RL_VERB_SCAN: the pattern. */
	rl_bytes fresh;
	/* The name of the waiter in the set of marks; no data = it has none. */
	rl_bytes waiter;
	/* RL_VERB_SWAP: 0 = the TTL stays. */
	int64_t ttl_ms;
	/* RL_VERB_BLPOP: how long it blocks, at least 1. */
	int64_t block_ms;
	rl_place place; /* RL_VERB_TRY */
	/* RL_VERB_TRY, RL_VERB_PROBE: how long the mark is valid; 0 = the waiter is not marked. */
	int64_t mark_ms;
	/* How long a reservation must last; 0 = on a single server, where 10 ms are enough. */
	int64_t reserve_ms;
	/* RL_VERB_RELEASE: for how long the key says that the work is done; 0 = it does not. */
	int64_t done_ms;
	/* RL_VERB_TRY: the key may have this token from an earlier command. */
	bool maybe_ours;
	/* Scripts: without the helper keys. */
	bool no_helpers;
	rl_form form;
	/* The node serves the key only after ASKING, which applies to one command. */
	bool is_asking;
} rl_request;

/* How long a reservation must last at this round-trip time, in ms; 0 = on a single server, where 10
 * ms are enough. Of several servers one wakes the waiter, which then takes the lock on the others:
 * its try arrives there a round trip later, and the releases did not arrive everywhere at the same
 * time. */
static inline int64_t rl_reservation_ms(unsigned members, int64_t round_trip_ns)
{
	if (members == 1) {
		return 0;
	}
	int64_t ms = 3 * round_trip_ns / RL_NS_PER_MS + 1;
	return ms < 10 ? 10 : ms < RL_RESERVED_MAX_MS ? ms : RL_RESERVED_MAX_MS;
}

#define RL_COMMAND_ARGS (13 + RL_PERMITS_MAX)
#define RL_COMMAND_NUMBERS 5
#define RL_COMMAND_DIGITS 24

typedef struct rl_command {
	unsigned argc;
	unsigned number_count;
	/* These point into the request, into constants, and into numbers. */
	rl_bytes argv[RL_COMMAND_ARGS];
	char numbers[RL_COMMAND_NUMBERS][RL_COMMAND_DIGITS];
} rl_command;

void rl_command_build(rl_command *command, const rl_request *request);

/* The undo of a request: a compare-and-delete of its token, with the lock's key alone (or the keys
 * of its permits, if it is not known which has the token), which every user of the lock may access,
 * and as text, because its answer may stay unread. Waiters find the free lock when they look. */
rl_request rl_request_undo(const rl_request *request);

/* True for the verbs that take or prolong the lock, replace its token or number it: the replicas
 * confirm them. */
bool rl_verb_is_confirmed(rl_verb verb);

/* The same for a request: the replicas also confirm a release that leaves a mark. (The Sentinels
 * need not: such a release concerns a lock whose grant they have confirmed.) */
static inline bool rl_request_is_confirmed(const rl_request *request)
{
	return request->done_ms > 0 || rl_verb_is_confirmed(request->verb);
}

/* True for the verbs that take the lock. */
bool rl_verb_takes(rl_verb verb);

bool rl_verb_is_script(rl_verb verb);

/* True when the command is sent without the helper keys: the verb needs none, the lock has none, or
 * the request says so. */
bool rl_request_is_without_helpers(const rl_request *request);

/* True for the scripts that use the helper keys. */
bool rl_verb_has_helpers(rl_verb verb);

/* True for RELEASE, EXTEND, SWAP and FORCE, which end, shorten or replace a lock that exists. They
 * should reach every member: so their script is sent as text where the answer may stay unheard. A
 * failure of theirs says that the outcome is unknown, and they stop late grants of the token. */
bool rl_verb_changes(rl_verb verb);

#endif
