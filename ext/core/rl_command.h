/* SPDX-License-Identifier: MIT
 *
 * What can be said to a server about a lock: each verb as a command's arguments, and its reply read as a
 * vote. Pure functions; nothing is kept.
 */
#ifndef RL_COMMAND_H
#define RL_COMMAND_H

#include "core/rl_script.h"
#include "core/rl_tally.h"
#include "core/rl_transport.h"

typedef enum rl_verb {
	RL_VERB_SET, /* take it: SET key token NX PX ttl */
	RL_VERB_TRY, /* take it, by script: knows the token's own earlier SET, marks that somebody waits */
	RL_VERB_NUDGE, /* a waiter's look: takes nothing, wakes the head of the queue if the lock is free */
	RL_VERB_BLPOP,   /* stand in the queue until a ticket comes */
	RL_VERB_RELEASE, /* free it if the token is the holder's */
	RL_VERB_EXTEND,  /* new TTL if the token is the holder's */
	RL_VERB_RENEW,   /* the same, but never a shorter one */
	RL_VERB_FORCE,   /* free it, whoever has it */
	RL_VERB_EXISTS,
	RL_VERB_OWNER,
	RL_VERB_REMAINING,
} rl_verb;

/* As not_after_us: at any time. A number that Lua has exactly. */
#define RL_NOT_AFTER_NEVER ((INT64_C(1) << 53) - 1)

/* What waiters use beside the key; see DESIGN in rl_queue.h. */
#define RL_MARK_SUFFIX "::rl-wait"
#define RL_TICKETS_SUFFIX "::rl-wake"

typedef struct rl_request {
	rl_verb verb;
	rl_bytes key;
	rl_bytes mark; /* the key's helper keys */
	rl_bytes tickets;
	rl_bytes token;
	rl_bytes waiter; /* its name in the mark; no data = none */
	bool is_leaving; /* it waits no longer: an undo takes its name from the mark */
	int64_t ttl_ms;
	int64_t block_ms; /* RL_VERB_BLPOP: how long, 1 at least */
	/* RL_VERB_TRY of one who was woken: takes nothing after this time of the server; 0 = was not woken, and takes
	 * nothing that is reserved */
	int64_t not_after_us;
	bool is_unmarked; /* RL_VERB_TRY: the waiter is not in the queue, or the wait ends with it */
	bool is_owed;  /* RL_VERB_TRY: the key may hold this token through an earlier command of ours */
	bool is_alone; /* scripts: without the helper keys */
	bool as_text;  /* scripts: EVAL with the text, not EVALSHA */
} rl_request;

/* The lock's key and its helper keys, written into room of rl_names_size(). */
typedef struct rl_names {
	rl_bytes key;
	rl_bytes mark;
	rl_bytes tickets;
} rl_names;

size_t rl_names_size(size_t key_len);
rl_names rl_names_put(char *room, rl_bytes key);

#define RL_COMMAND_ARGS 12
#define RL_COMMAND_NUMBERS 2
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
} rl_again;

/* What a reply says. */
typedef struct rl_answer {
	rl_vote vote; /* BLPOP: GRANTED = a ticket came; NUDGE: GRANTED */
	rl_again again;
	int64_t number; /* PTTL of REMAINING, or of the holder that TRY and NUDGE met (else -2) */
	int64_t
		time_us; /* TRY, NUDGE: the server's time, 0 = it could not tell, or the helper keys fail */
	rl_holder holder; /* TRY that was refused, NUDGE */
	rl_ticket ticket; /* NUDGE */
	bool was_told;    /* RELEASE, FORCE: whoever waits has been told, as far as is known */
	rl_bytes text;    /* OWNER: the token; borrowed from the reply */
} rl_answer;

/* @param[out] err filled when the vote is RL_VOTE_FAILED */
void rl_command_read(const rl_request *request, const rl_reply *reply, rl_answer *answer,
	rl_error *err, const rl_bytes *secrets, unsigned secret_count);

#endif
