/* SPDX-License-Identifier: MIT
 *
 * The table in DESIGN's terms: acquire, try, release, extend and the questions, as wire commands.
 */
#include "core/rl_command.h"

#include <string.h>

#define LITERAL(text) rl_bytes_of(text, sizeof text - 1)

static void add(rl_command *command, rl_bytes argument)
{
	command->argv[command->argc++] = argument;
}

/* snprintf of one number costs more than the rest of building a command. */
static void add_number(rl_command *command, int64_t value)
{
	char *end = command->number + sizeof command->number;
	char *digit = end;
	uint64_t rest = (uint64_t) value; /* TTLs only, never negative */
	do {
		*--digit = (char) ('0' + rest % 10);
		rest /= 10;
	} while (rest > 0);
	add(command, rl_bytes_of(digit, (size_t) (end - digit)));
}

static void add_script(rl_command *command, const rl_request *request, rl_script_id id)
{
	const rl_script *script = rl_script_get(id);
	add(command, request->as_text ? LITERAL("EVAL") : LITERAL("EVALSHA"));
	add(command,
		request->as_text ? rl_bytes_of(script->text, script->text_len)
						 : rl_bytes_of(script->sha1, 40));
	add(command, LITERAL("1"));
	add(command, request->key);
	add(command, request->token);
}

void rl_command_build(rl_command *command, const rl_request *request)
{
	command->argc = 0;
	switch (request->verb) {
		case RL_VERB_SET:
			add(command, LITERAL("SET"));
			add(command, request->key);
			add(command, request->token);
			add(command, LITERAL("NX"));
			add(command, LITERAL("PX"));
			add_number(command, request->ttl_ms);
			return;
		case RL_VERB_TRY:
			add_script(command, request, RL_SCRIPT_TRY);
			add_number(command, request->ttl_ms);
			add(command, request->is_owed ? LITERAL("1") : LITERAL("0"));
			return;
		case RL_VERB_RELEASE:
			add_script(command, request, RL_SCRIPT_RELEASE);
			return;
		case RL_VERB_EXTEND:
			add_script(command, request, RL_SCRIPT_EXTEND);
			add_number(command, request->ttl_ms);
			return;
		case RL_VERB_FORCE:
			add(command, LITERAL("DEL"));
			break;
		case RL_VERB_EXISTS:
			add(command, LITERAL("EXISTS"));
			break;
		case RL_VERB_OWNER:
			add(command, LITERAL("GET"));
			break;
		case RL_VERB_REMAINING:
			add(command, LITERAL("PTTL"));
			break;
	}
	add(command, request->key);
}

bool rl_verb_takes(rl_verb verb)
{
	return verb == RL_VERB_SET || verb == RL_VERB_TRY;
}

static bool is_script(rl_verb verb)
{
	return verb == RL_VERB_TRY || verb == RL_VERB_RELEASE || verb == RL_VERB_EXTEND;
}

static void no_sense(rl_answer *answer, rl_error *err)
{
	answer->vote = RL_VOTE_FAILED;
	rl_error_set(err, RL_ERR_PROTOCOL, 0, "the answer is not one that this command can have");
}

static void read_taking(const rl_reply *reply, rl_answer *answer, rl_error *err)
{
	if (reply->type == RL_REPLY_NIL) {
		answer->vote = RL_VOTE_REFUSED;
	} else if (reply->type == RL_REPLY_STATUS && rl_bytes_equal(reply->text, LITERAL("OK"))) {
		answer->vote = RL_VOTE_GRANTED;
	} else {
		no_sense(answer, err);
	}
}

static void read_try(const rl_reply *reply, rl_answer *answer, rl_error *err)
{
	for (size_t i = 0; i < reply->count; i++) {
		if (reply->elements[i].type != RL_REPLY_INTEGER) {
			no_sense(answer, err);
			return;
		}
	}
	if (reply->type == RL_REPLY_ARRAY && reply->count == 1 && reply->elements[0].integer == 1) {
		answer->vote = RL_VOTE_GRANTED;
	} else if (reply->type == RL_REPLY_ARRAY && reply->count == 3 &&
		reply->elements[0].integer == 0) {
		answer->vote = RL_VOTE_REFUSED;
		answer->number = reply->elements[1].integer;
		answer->is_same_token = reply->elements[2].integer == 1;
	} else {
		no_sense(answer, err);
	}
}

static void read_number(
	const rl_request *request, const rl_reply *reply, rl_answer *answer, rl_error *err)
{
	int64_t number = reply->integer;
	int64_t least = request->verb == RL_VERB_REMAINING ? -2 : 0;
	if (reply->type != RL_REPLY_INTEGER || number < least ||
		(request->verb != RL_VERB_REMAINING && number > 1)) {
		no_sense(answer, err);
		return;
	}
	bool is_yes = request->verb == RL_VERB_REMAINING ? number != -2 : number == 1;
	answer->number = number;
	answer->vote = is_yes ? RL_VOTE_GRANTED : RL_VOTE_REFUSED;
}

static void read_owner(const rl_reply *reply, rl_answer *answer, rl_error *err)
{
	if (reply->type != RL_REPLY_STRING && reply->type != RL_REPLY_NIL) {
		no_sense(answer, err);
		return;
	}
	/* An empty value is a reservation: locked, by nobody. */
	bool has_owner = reply->type == RL_REPLY_STRING && reply->text.len > 0;
	answer->vote = has_owner ? RL_VOTE_GRANTED : RL_VOTE_REFUSED;
	answer->text = reply->text;
}

void rl_command_read(const rl_request *request, const rl_reply *reply, rl_answer *answer,
	rl_error *err, const rl_bytes *secrets, unsigned secret_count)
{
	*answer = (rl_answer){.vote = RL_VOTE_OPEN, .number = -2};
	if (reply->type == RL_REPLY_ERROR) {
		answer->vote = RL_VOTE_FAILED;
		rl_error_from_server(err, reply->text, secrets, secret_count);
		answer->is_noscript =
			strcmp(err->code, "NOSCRIPT") == 0 && is_script(request->verb) && !request->as_text;
		return;
	}
	switch (request->verb) {
		case RL_VERB_SET:
			read_taking(reply, answer, err);
			break;
		case RL_VERB_TRY:
			read_try(reply, answer, err);
			break;
		case RL_VERB_OWNER:
			read_owner(reply, answer, err);
			break;
		case RL_VERB_RELEASE:
		case RL_VERB_EXTEND:
		case RL_VERB_FORCE:
		case RL_VERB_EXISTS:
		case RL_VERB_REMAINING:
			read_number(request, reply, answer, err);
			break;
	}
}
