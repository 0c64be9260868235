/* SPDX-License-Identifier: MIT
 *
 * The commands about a lock: turns each verb into the arguments of a command, and reads its reply
 * as a vote. The functions keep no state.
 */
#ifndef RL_COMMAND_H
#define RL_COMMAND_H

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
	RL_VERB_REMAINING, /* remaining() */
} rl_verb;

#define RL_VERBS (RL_VERB_REMAINING + 1)

/* The suffixes of a key's helper keys, the marks and the tickets; rl_queue.h has their design. */
#define RL_MARK_SUFFIX "::rl-wait"
#define RL_TICKETS_SUFFIX "::rl-wake"

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
	rl_bytes key;
	/* The next two are the helper keys; no data = the lock has none. */
	rl_bytes mark;
	rl_bytes tickets;
	unsigned slot; /* see rl_names */
	rl_bytes token;
	/* RL_VERB_SWAP: the token that replaces token. */
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
	/* RL_VERB_TRY: the key may have this token from an earlier command. */
	bool maybe_ours;
	/* Scripts: without the helper keys. */
	bool no_helpers;
	rl_form form;
	/* The node has the key only for commands behind ASKING, which is for one command. */
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

/* The key of the lock and its helper keys. */
typedef struct rl_names {
	rl_bytes key;
	/* No data = the lock has no helper keys. */
	rl_bytes mark;
	rl_bytes tickets;
	/* RL_NAMES_IN_SLOT: the slot of all three; otherwise 0. */
	unsigned slot;
} rl_names;

/* How the helper keys are named. */
typedef enum rl_naming {
	RL_NAMES_PLAIN, /* the key and a suffix */
	/* All three are in the same slot of a cluster. A key without a hash tag is in braces in the
	 * names of its helper keys. If it has a '}' as well, no name would be in its slot: then it has
	 * no helper keys, and its waiters poll. */
	RL_NAMES_IN_SLOT,
} rl_naming;

/* The number of bytes that rl_names_put() writes into room at most. */
size_t rl_names_size(size_t key_len);
rl_names rl_names_put(char *room, rl_bytes key, rl_naming naming);

#define RL_COMMAND_ARGS 13
#define RL_COMMAND_NUMBERS 4
#define RL_COMMAND_DIGITS 24

typedef struct rl_command {
	unsigned argc;
	unsigned number_count;
	/* These point into the request, into constants, and into numbers. */
	rl_bytes argv[RL_COMMAND_ARGS];
	char numbers[RL_COMMAND_NUMBERS][RL_COMMAND_DIGITS];
} rl_command;

void rl_command_build(rl_command *command, const rl_request *request);

/* True for a reply that is neither a refusal nor an error, to a verb of which
 * rl_verb_is_confirmed() is true. */
bool rl_reply_is_yes(const rl_reply *reply);

/* True for the verbs that take or prolong the lock, which the replicas confirm. */
bool rl_verb_is_confirmed(rl_verb verb);

/* True for the verbs that take the lock. */
bool rl_verb_takes(rl_verb verb);

bool rl_verb_is_script(rl_verb verb);

/* True for the scripts that use the helper keys. */
bool rl_verb_has_helpers(rl_verb verb);

/* True for RELEASE, EXTEND, SWAP and FORCE, which change a lock that exists: they should reach
 * every member. */
bool rl_verb_changes(rl_verb verb);

/* The reply is no vote: the command must be sent again in another form. */
typedef enum rl_again {
	RL_AGAIN_NOT,
	RL_AGAIN_AS_TEXT,    /* the server lacks the script */
	RL_AGAIN_NO_HELPERS, /* without the helper keys */
	/* The same, and so must all commands about other locks. */
	RL_AGAIN_NEVER_HELPERS,
	/* The key is no string, and its type shows whether it is a lock. */
	RL_AGAIN_BY_TYPE,
} rl_again;

#define RL_NO_NUMBER (-2)

/* rl_answer.number of an EXTEND or RENEW that was refused: another holder has the key. */
#define RL_TAKEN_OVER (-1)

static inline bool rl_again_is_without_helpers(rl_again again)
{
	return again == RL_AGAIN_NO_HELPERS || again == RL_AGAIN_NEVER_HELPERS;
}

/* rl_answer.number of a RELEASE or FORCE: the lock was freed, but the waiters could not be woken.
 */
#define RL_FREED_UNTOLD 2

/* rl_answer.number of a SWAP that was granted. */
#define RL_SWAPPED_NOW 1
/* The key held the fresh token already. */
#define RL_SWAPPED_BEFORE 2

/* What a reply means. */
typedef struct rl_answer {
	/* BLPOP: GRANTED = a ticket has arrived. PROBE: GRANTED = the lock was looked at. */
	rl_vote vote;
	rl_again again;
	/* REMAINING: the PTTL. PROBE, and TRY that was refused: the PTTL of the holder. SWAP, also one
	 * that is unconfirmed, RELEASE, FORCE, EXTEND, RENEW: see above. Before a reply was read, and
	 * after an error: RL_NO_NUMBER. */
	int64_t number;
	/* TRY, PROBE: the server's time; 0 = unknown, or the helper keys cannot be used. */
	int64_t time_us;
	rl_holder holder; /* TRY that was refused, PROBE */
	rl_ticket ticket; /* PROBE */
	/* TRY that was refused, PROBE: about how many clients wait. */
	int64_t crowd;
	/* OWNER: the token, borrowed from the reply. */
	rl_bytes text;
} rl_answer;

/* The lock was freed, but the waiters could not be woken. */
static inline bool rl_answer_is_untold(const rl_answer *answer, rl_verb verb)
{
	return (verb == RL_VERB_RELEASE || verb == RL_VERB_FORCE) && answer->number == RL_FREED_UNTOLD;
}

/* The refusal of an EXTEND or RENEW: another holder has the key. */
static inline bool rl_answer_is_taken_over(const rl_answer *answer)
{
	return answer->vote == RL_VOTE_REFUSED && answer->number == RL_TAKEN_OVER;
}

/* @param[out] err filled when the vote is RL_VOTE_FAILED */
void rl_command_read(const rl_request *request, const rl_reply *reply, rl_answer *answer,
	rl_error *err, const rl_bytes *secrets, unsigned secret_count);

#endif
