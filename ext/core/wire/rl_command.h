/* SPDX-License-Identifier: MIT
 *
 * What can be said to a server about a lock: each verb as a command's arguments, and its reply read
 * as a vote. Pure functions; nothing is kept.
 */
#ifndef RL_COMMAND_H
#define RL_COMMAND_H

#include "core/wire/rl_script.h"
#include "core/base/rl_tally.h"
#include "core/wire/rl_transport.h"

typedef enum rl_verb {
	RL_VERB_SET, /* take it: SET key token NX PX ttl */
	RL_VERB_TRY, /* take it, by script: knows the token's own earlier SET, marks that somebody waits
				  */
	RL_VERB_PROBE,   /* a waiter's look: takes nothing, wakes the head of the queue if the lock is
						free */
	RL_VERB_BLPOP,   /* stand in the queue until a ticket comes */
	RL_VERB_RELEASE, /* free it if the token is the holder's */
	RL_VERB_EXTEND,  /* new TTL if the token is the holder's */
	RL_VERB_RENEW,   /* the same, but never a shorter one */
	RL_VERB_SWAP,    /* another token takes the place of the holder's */
	RL_VERB_FORCE,   /* free it, whoever has it */
	RL_VERB_EXISTS,
	RL_VERB_OWNER,
	RL_VERB_REMAINING,
} rl_verb;

/* What waiters use beside the key; see DESIGN in rl_queue.h. */
#define RL_MARK_SUFFIX "::rl-wait"
#define RL_TICKETS_SUFFIX "::rl-wake"

typedef struct rl_request {
	rl_verb verb;
	rl_bytes key;
	rl_bytes mark; /* the key's helper keys */
	rl_bytes tickets;
	rl_bytes token;
	rl_bytes fresh;     /* RL_VERB_SWAP: the token that takes the place of token */
	rl_bytes waiter;    /* its name in the mark; no data = none */
	int64_t ttl_ms;     /* RL_VERB_SWAP: 0 = the TTL stays */
	int64_t block_ms;   /* RL_VERB_BLPOP: how long, 1 at least */
	rl_place place;     /* RL_VERB_TRY */
	int64_t mark_ms;    /* RL_VERB_TRY, RL_VERB_PROBE: for how long the mark is good; 0 = no mark */
	int64_t reserve_ms; /* how long a reservation has to last; 0 = one server, and 10 ms */
	bool maybe_ours; /* RL_VERB_TRY: the key may hold this token through an earlier command of ours
					  */
	bool is_alone;   /* scripts: without the helper keys */
	bool as_text;    /* scripts: EVAL with the text, not EVALSHA */
	bool by_type;    /* RL_VERB_OWNER: TYPE, because GET has met a key that is no string */
} rl_request;

/* How long a reservation has to last for a round trip as long as this, in ms; 0 = one server, where
 * 10 ms do. On several servers the waiter that is woken at one of them takes the lock on the
 * others: its try arrives a round trip later, and the releases did not all come at the same time.
 */
static inline int64_t rl_reservation_ms(unsigned members, int64_t round_trip_ns)
{
	if (members == 1) {
		return 0;
	}
	int64_t ms = 3 * round_trip_ns / RL_NS_PER_MS + 1;
	return ms < 10 ? 10 : ms < RL_RESERVED_MAX_MS ? ms : RL_RESERVED_MAX_MS;
}

/* The lock's key and its helper keys, written into room of rl_names_size(). */
typedef struct rl_names {
	rl_bytes key;
	rl_bytes mark;
	rl_bytes tickets;
} rl_names;

size_t rl_names_size(size_t key_len);
rl_names rl_names_put(char *room, rl_bytes key);

#define RL_COMMAND_ARGS 13
#define RL_COMMAND_NUMBERS 4
#define RL_COMMAND_DIGITS 24

typedef struct rl_command {
	unsigned argc;
	unsigned number_count;
	rl_bytes argv[RL_COMMAND_ARGS]; /* point into the request, constants and numbers */
	char numbers[RL_COMMAND_NUMBERS][RL_COMMAND_DIGITS];
} rl_command;

void rl_command_build(rl_command *command, const rl_request *request);

/* True for the verbs that take the lock. */
bool rl_verb_takes(rl_verb verb);

bool rl_verb_is_script(rl_verb verb);

/* True for the scripts that have to do with the helper keys. */
bool rl_verb_has_helpers(rl_verb verb);

/* True for those that free the lock or change its TTL: they should reach every member. */
bool rl_verb_changes(rl_verb verb);

/* Not a vote: the same is to be said again in another way. */
typedef enum rl_again {
	RL_AGAIN_NOT,
	RL_AGAIN_AS_TEXT, /* the server does not know the script */
	RL_AGAIN_ALONE,   /* the helper keys cannot be used */
	RL_AGAIN_BY_TYPE, /* the key is no string: its type tells whether it is a lock */
} rl_again;

/* rl_answer.number of a SWAP that was granted. */
#define RL_SWAPPED_NOW 1
#define RL_SWAPPED_BEFORE 2 /* the key held the other token already */

/* What a reply says. */
typedef struct rl_answer {
	rl_vote vote; /* BLPOP: GRANTED = a ticket came; PROBE: GRANTED */
	rl_again again;
	bool is_for_every_key; /* again ALONE: not for this key's sake only */
	/* PTTL of REMAINING, or of the holder that TRY and PROBE met; of SWAP see below (else -2) */
	int64_t number;
	int64_t
		time_us; /* TRY, PROBE: the server's time, 0 = it could not tell, or the helper keys fail */
	rl_holder holder; /* TRY that was refused, PROBE */
	rl_ticket ticket; /* PROBE */
	int64_t crowd;    /* TRY that was refused, PROBE: how many wait, about */
	bool was_told;    /* RELEASE, FORCE: whoever waits has been told, as far as is known */
	rl_bytes text;    /* OWNER: the token; borrowed from the reply */
	/* EXTEND, RENEW that were refused: the key is there, and is somebody else's. */
	bool is_taken_over;
} rl_answer;

/* @param[out] err filled when the vote is RL_VOTE_FAILED */
void rl_command_read(const rl_request *request, const rl_reply *reply, rl_answer *answer,
	rl_error *err, const rl_bytes *secrets, unsigned secret_count);

#endif
