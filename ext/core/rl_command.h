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
	RL_VERB_SET,     /* take it: SET key token NX PX ttl */
	RL_VERB_TRY,     /* take it, by script: knows the token's own earlier SET */
	RL_VERB_RELEASE, /* free it if the token is the holder's */
	RL_VERB_EXTEND,  /* new TTL if the token is the holder's */
	RL_VERB_FORCE,   /* free it, whoever has it */
	RL_VERB_EXISTS,
	RL_VERB_OWNER,
	RL_VERB_REMAINING,
} rl_verb;

typedef struct rl_request {
	rl_verb verb;
	rl_bytes key;
	rl_bytes token;
	int64_t ttl_ms;
	bool is_owed; /* RL_VERB_TRY: the key may hold this token through an earlier command of ours */
	bool as_text; /* scripts: EVAL with the text, not EVALSHA */
} rl_request;

#define RL_COMMAND_ARGS 8
#define RL_COMMAND_NUMBER 24

typedef struct rl_command {
	unsigned argc;
	rl_bytes argv[RL_COMMAND_ARGS]; /* point into the request, constants and number */
	char number[RL_COMMAND_NUMBER];
} rl_command;

void rl_command_build(rl_command *command, const rl_request *request);

/* True for the verbs that take the lock. */
bool rl_verb_takes(rl_verb verb);

/* What a reply says. Numbers: PTTL of REMAINING, or of the holder that refused a TRY (else -2). */
typedef struct rl_answer {
	rl_vote vote;
	int64_t number;
	rl_bytes text;      /* OWNER: the token; borrowed from the reply */
	bool is_same_token; /* a refused TRY: the key holds the very token */
	bool is_noscript;   /* not a vote: say it again as text */
} rl_answer;

/* @param[out] err filled when the vote is RL_VOTE_FAILED and it is not NOSCRIPT */
void rl_command_read(const rl_request *request, const rl_reply *reply, rl_answer *answer,
	rl_error *err, const rl_bytes *secrets, unsigned secret_count);

#endif
