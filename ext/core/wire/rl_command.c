/* SPDX-License-Identifier: MIT
 *
 * Builds commands, and reads their replies.
 */
#include "core/wire/rl_command.h"

#include "core/wire/rl_slot.h"

#include <stdio.h>
#include <string.h>

#define LITERAL(text) rl_bytes_of(text, sizeof text - 1)

size_t rl_names_size(size_t key_len)
{
	return 2 * key_len + sizeof "{}" + sizeof RL_MARK_SUFFIX + sizeof RL_TICKETS_SUFFIX +
		sizeof "{}";
}

/* Writes the key, with this many braces at each end.
 * @return the first byte after it */
static inline char *put_key(char *room, rl_bytes key, size_t braces)
{
	char *end = room + braces + key.len;
	memcpy(room + braces, key.data, key.len);
	if (braces > 0) {
		*room = '{';
		*end++ = '}';
	}
	return end;
}

rl_names rl_names_put(char *room, rl_bytes key, rl_naming naming)
{
	size_t braces = naming == RL_NAMES_IN_SLOT && rl_slot_tag(key).len == key.len;
	char *end = put_key(room, key, braces);
	memcpy(end, RL_MARK_SUFFIX, sizeof RL_MARK_SUFFIX - 1);
	char *tickets = end + sizeof RL_MARK_SUFFIX - 1;
	end = put_key(tickets, key, braces);
	memcpy(end, RL_TICKETS_SUFFIX, sizeof RL_TICKETS_SUFFIX - 1);
	end += sizeof RL_TICKETS_SUFFIX - 1;
	rl_names names = {.key = {room + braces, key.len}, /* as a part of the mark's name */
		.mark = {room, (size_t) (tickets - room)},
		.tickets = {tickets, (size_t) (end - tickets)},
		.slot = naming == RL_NAMES_IN_SLOT ? rl_slot_of(key) : 0};
	if (braces > 0 && memchr(key.data, '}', key.len) != NULL) {
		names.mark = names.tickets = rl_bytes_of(NULL, 0);
	}
	return names;
}

static void add(rl_command *command, rl_bytes argument)
{
	command->argv[command->argc++] = argument;
}

/* snprintf() of one number would take longer than the rest of building a command. */
static char *put_digits(char *end, uint64_t rest)
{
	do {
		*--end = (char) ('0' + rest % 10);
		rest /= 10;
	} while (rest > 0);
	return end;
}

static void add_number(rl_command *command, int64_t value) /* never negative */
{
	char *end = command->numbers[command->number_count++] + RL_COMMAND_DIGITS;
	char *digits = put_digits(end, (uint64_t) value);
	add(command, rl_bytes_of(digits, (size_t) (end - digits)));
}

/* Seconds with three decimals. */
static void add_seconds(rl_command *command, int64_t ms)
{
	char *end = command->numbers[command->number_count++] + RL_COMMAND_DIGITS;
	/* Adding 1000 makes four digits, of which the decimal point replaces the first. */
	char *digits = put_digits(end, (uint64_t) (ms % 1000 + 1000));
	*digits = '.';
	digits = put_digits(digits, (uint64_t) (ms / 1000));
	add(command, rl_bytes_of(digits, (size_t) (end - digits)));
}

/* ---- building ---- */

/* A script goes without the helper keys, or its lock has none. */
static bool is_without_helpers(const rl_request *request)
{
	return request->no_helpers || request->mark.data == NULL;
}

static void add_script(rl_command *command, const rl_request *request, rl_script_id id)
{
	const rl_script *script = rl_script_get(id);
	bool no_helpers = is_without_helpers(request) || !rl_verb_has_helpers(request->verb);
	add(command, request->form == RL_FORM_TEXT ? LITERAL("EVAL") : LITERAL("EVALSHA"));
	add(command,
		request->form == RL_FORM_TEXT ? rl_bytes_of(script->text, script->text_len)
									  : rl_bytes_of(script->sha1, 40));
	add(command, no_helpers ? LITERAL("1") : LITERAL("3"));
	add(command, request->key);
	if (!no_helpers) {
		add(command, request->mark);
		add(command, request->tickets);
	}
}

/* A script without the helper keys reserves nothing, and on one server it needs no argument. */
static bool has_reservation(const rl_request *request)
{
	return request->reserve_ms > 0 && !is_without_helpers(request);
}

static void add_reservation(rl_command *command, const rl_request *request)
{
	if (has_reservation(request)) {
		add_number(command, request->reserve_ms);
	}
}

static void build_set(rl_command *command, const rl_request *request)
{
	add(command, LITERAL("SET"));
	add(command, request->key);
	add(command, request->token);
	add(command, LITERAL("NX"));
	add(command, LITERAL("PX"));
	add_number(command, request->ttl_ms);
}

static void build_try(rl_command *command, const rl_request *request)
{
	add_script(command, request, RL_SCRIPT_TRY);
	add(command, request->token);
	add_number(command, request->ttl_ms);
	add(command, request->maybe_ours ? LITERAL("1") : LITERAL("0"));
	add_number(command, (int64_t) request->place);
	add(command, request->waiter.data != NULL ? request->waiter : LITERAL(""));
	add_number(command, request->mark_ms);
	add_reservation(command, request);
}

static void build_probe(rl_command *command, const rl_request *request)
{
	add_script(command, request, RL_SCRIPT_PROBE);
	add(command, request->token);
	add(command, request->waiter);
	add_number(command, request->mark_ms);
	add_reservation(command, request);
}

static void build_blpop(rl_command *command, const rl_request *request)
{
	add(command, LITERAL("BLPOP"));
	add(command, request->tickets);
	add_seconds(command, request->block_ms);
}

static void build_release(rl_command *command, const rl_request *request)
{
	add_script(command, request, RL_SCRIPT_RELEASE);
	add(command, request->token);
	if (request->waiter.data != NULL) {
		add(command, request->waiter);
	} else if (has_reservation(request)) {
		add(command, LITERAL(""));
	}
	add_reservation(command, request);
}

static void build_extend(rl_command *command, const rl_request *request)
{
	add_script(
		command, request, request->verb == RL_VERB_EXTEND ? RL_SCRIPT_EXTEND : RL_SCRIPT_RENEW);
	add(command, request->token);
	add_number(command, request->ttl_ms);
}

static void build_swap(rl_command *command, const rl_request *request)
{
	add_script(command, request, RL_SCRIPT_SWAP);
	add(command, request->token);
	add(command, request->fresh);
	add_number(command, request->ttl_ms);
}

static void build_force(rl_command *command, const rl_request *request)
{
	add_script(command, request, RL_SCRIPT_FORCE);
	add_reservation(command, request);
}

static void build_exists(rl_command *command, const rl_request *request)
{
	add(command, LITERAL("EXISTS"));
	add(command, request->key);
}

static void build_owner(rl_command *command, const rl_request *request)
{
	add(command, request->form == RL_FORM_TYPE ? LITERAL("TYPE") : LITERAL("GET"));
	add(command, request->key);
}

static void build_remaining(rl_command *command, const rl_request *request)
{
	add(command, LITERAL("PTTL"));
	add(command, request->key);
}

/* ---- reading ---- */

/* The form in which the command must be sent again after this error. */
static rl_again again(const rl_request *request, const rl_error *err)
{
	if (request->verb == RL_VERB_OWNER && request->form != RL_FORM_TYPE &&
		strcmp(err->code, "WRONGTYPE") == 0) {
		return RL_AGAIN_BY_TYPE;
	}
	if (!rl_verb_is_script(request->verb)) {
		return RL_AGAIN_NOT;
	}
	if (request->form != RL_FORM_TEXT && strcmp(err->code, "NOSCRIPT") == 0) {
		return RL_AGAIN_AS_TEXT;
	}
	/* Without the helper keys a PROBE would have no effect, so it is not sent again. */
	bool is_without = is_without_helpers(request) || !rl_verb_has_helpers(request->verb) ||
		request->verb == RL_VERB_PROBE;
	if (is_without || !rl_error_is_about_helpers(err)) {
		return RL_AGAIN_NOT;
	}
	return rl_error_names_command(err) ? RL_AGAIN_NEVER_HELPERS : RL_AGAIN_NO_HELPERS;
}

static void no_sense(rl_answer *answer, rl_error *err)
{
	answer->vote = RL_VOTE_FAILED;
	rl_error_set(err, RL_ERR_PROTOCOL, 0, "the server's answer does not fit the command");
}

static void read_taking(
	const rl_request *request, const rl_reply *reply, rl_answer *answer, rl_error *err)
{
	(void) request;
	if (reply->type == RL_REPLY_NIL) {
		answer->vote = RL_VOTE_REFUSED;
	} else if (reply->type == RL_REPLY_STATUS && rl_bytes_equal(reply->text, LITERAL("OK"))) {
		answer->vote = RL_VOTE_GRANTED;
	} else {
		no_sense(answer, err);
	}
}

static bool is_array_of_integers(const rl_reply *reply)
{
	for (size_t i = 0; i < reply->count; i++) {
		if (reply->elements[i].type != RL_REPLY_INTEGER) {
			return false;
		}
	}
	return reply->type == RL_REPLY_ARRAY && reply->count > 0;
}

/* Reads the elements TIME, PTTL and holder. */
static bool read_look(const rl_reply *elements, rl_answer *answer)
{
	answer->time_us = elements[0].integer;
	answer->number = elements[1].integer;
	int64_t holder = elements[2].integer;
	if (answer->time_us < 0 || holder < RL_HOLDER_NOBODY || holder > RL_HOLDER_FOREIGN) {
		return false;
	}
	answer->holder = (rl_holder) holder;
	return true;
}

static void read_try(
	const rl_request *request, const rl_reply *reply, rl_answer *answer, rl_error *err)
{
	(void) request;
	bool makes_sense = is_array_of_integers(reply);
	const rl_reply *elements = reply->elements;
	if (makes_sense && reply->count == 2 && elements[0].integer == 1 && elements[1].integer >= 0) {
		answer->vote = RL_VOTE_GRANTED;
		answer->time_us = elements[1].integer;
	} else if (makes_sense && reply->count == 5 && elements[0].integer == 0 &&
		read_look(elements + 1, answer)) {
		answer->vote = RL_VOTE_REFUSED;
		answer->crowd = elements[4].integer;
	} else {
		no_sense(answer, err);
	}
}

static void read_probe(
	const rl_request *request, const rl_reply *reply, rl_answer *answer, rl_error *err)
{
	(void) request;
	const rl_reply *elements = reply->elements;
	if (is_array_of_integers(reply) && reply->count == 5 && read_look(elements, answer) &&
		elements[3].integer >= RL_TICKET_IMPOSSIBLE && elements[3].integer <= RL_TICKET_OUT) {
		answer->vote = RL_VOTE_GRANTED;
		answer->ticket = (rl_ticket) elements[3].integer;
		answer->crowd = elements[4].integer;
	} else {
		no_sense(answer, err);
	}
}

static void read_blpop(
	const rl_request *request, const rl_reply *reply, rl_answer *answer, rl_error *err)
{
	(void) request;
	if (reply->type == RL_REPLY_NIL) {
		answer->vote = RL_VOTE_REFUSED;
	} else if (reply->type == RL_REPLY_ARRAY && reply->count == 2) {
		answer->vote = RL_VOTE_GRANTED;
	} else {
		no_sense(answer, err);
	}
}

/* A reply that is an integer from least to most is the answer's number; 1 and more is a yes. */
static void read_number(
	const rl_reply *reply, int64_t least, int64_t most, rl_answer *answer, rl_error *err)
{
	int64_t number = reply->integer;
	if (reply->type != RL_REPLY_INTEGER || number < least || number > most) {
		no_sense(answer, err);
		return;
	}
	answer->number = number;
	answer->vote = number >= 1 ? RL_VOTE_GRANTED : RL_VOTE_REFUSED;
}

/* 1 and RL_FREED_UNTOLD = freed, 0 = not freed. */
static void read_freeing(
	const rl_request *request, const rl_reply *reply, rl_answer *answer, rl_error *err)
{
	(void) request;
	read_number(reply, 0, RL_FREED_UNTOLD, answer, err);
}

static void read_exists(
	const rl_request *request, const rl_reply *reply, rl_answer *answer, rl_error *err)
{
	(void) request;
	read_number(reply, 0, 1, answer, err);
}

static void read_extend(
	const rl_request *request, const rl_reply *reply, rl_answer *answer, rl_error *err)
{
	(void) request;
	read_number(reply, -1, 1, answer, err);
}

static void read_swap(
	const rl_request *request, const rl_reply *reply, rl_answer *answer, rl_error *err)
{
	(void) request;
	read_number(reply, 0, RL_SWAPPED_BEFORE, answer, err);
}

/* PTTL: -1 = no TTL, -2 = no key. */
static void read_remaining(
	const rl_request *request, const rl_reply *reply, rl_answer *answer, rl_error *err)
{
	(void) request;
	read_number(reply, -2, INT64_MAX, answer, err);
	if (answer->vote != RL_VOTE_FAILED) {
		answer->vote = answer->number != -2 ? RL_VOTE_GRANTED : RL_VOTE_REFUSED;
	}
}

static void fail_wrong_type(rl_answer *answer, rl_error *err, rl_bytes type)
{
	char text[64];
	int len = snprintf(text, sizeof text, "WRONGTYPE the key holds a %.*s",
		type.len < 32 ? (int) type.len : 32, type.data);
	answer->vote = RL_VOTE_FAILED;
	rl_error_from_server(err, rl_bytes_of(text, (size_t) len), NULL, 0);
}

/* Reads the answer to TYPE. A sorted set is a lock of symfony/lock, whose holder has no token that
 * could be returned. A key that is a string now, or is gone, has changed since GET, so the holder
 * of that time is gone as well. */
static void read_type(const rl_reply *reply, rl_answer *answer, rl_error *err)
{
	if (reply->type != RL_REPLY_STATUS) {
		no_sense(answer, err);
	} else if (rl_bytes_equal(reply->text, LITERAL("zset")) ||
		rl_bytes_equal(reply->text, LITERAL("string")) ||
		rl_bytes_equal(reply->text, LITERAL("none"))) {
		answer->vote = RL_VOTE_REFUSED;
	} else {
		fail_wrong_type(answer, err, reply->text);
	}
}

static void read_owner(
	const rl_request *request, const rl_reply *reply, rl_answer *answer, rl_error *err)
{
	if (request->form == RL_FORM_TYPE) {
		read_type(reply, answer, err);
		return;
	}
	if (reply->type != RL_REPLY_STRING && reply->type != RL_REPLY_NIL) {
		no_sense(answer, err);
		return;
	}
	/* A reservation locks the key, and has no owner. */
	bool is_reserved =
		reply->text.len == 0 || rl_bytes_equal(reply->text, LITERAL(RL_RESERVED_LONG));
	bool has_owner = reply->type == RL_REPLY_STRING && !is_reserved;
	answer->vote = has_owner ? RL_VOTE_GRANTED : RL_VOTE_REFUSED;
	answer->text = reply->text;
}

/* ---- the verbs ---- */

typedef struct verb_rule {
	void (*build)(rl_command *command, const rl_request *request);
	void (*parse)(
		const rl_request *request, const rl_reply *reply, rl_answer *answer, rl_error *err);
	bool is_script;
	bool has_helpers; /* a script that may use the helper keys */
	bool takes;
	bool changes;
	bool is_confirmed;
} verb_rule;

static const verb_rule rules[] = {
	[RL_VERB_SET] = {build_set, read_taking, .takes = true, .is_confirmed = true},
	[RL_VERB_TRY] = {build_try, read_try, .is_script = true, .has_helpers = true, .takes = true,
		.is_confirmed = true},
	[RL_VERB_PROBE] = {build_probe, read_probe, .is_script = true, .has_helpers = true},
	[RL_VERB_BLPOP] = {build_blpop, read_blpop},
	[RL_VERB_RELEASE] = {build_release, read_freeing, .is_script = true, .has_helpers = true,
		.changes = true},
	[RL_VERB_EXTEND] = {build_extend, read_extend, .is_script = true, .changes = true,
		.is_confirmed = true},
	[RL_VERB_RENEW] = {build_extend, read_extend, .is_script = true, .is_confirmed = true},
	[RL_VERB_SWAP] = {build_swap, read_swap, .is_script = true, .changes = true,
		.is_confirmed = true},
	[RL_VERB_FORCE] = {build_force, read_freeing, .is_script = true, .has_helpers = true,
		.changes = true},
	[RL_VERB_EXISTS] = {build_exists, read_exists},
	[RL_VERB_OWNER] = {build_owner, read_owner},
	[RL_VERB_REMAINING] = {build_remaining, read_remaining},
};

_Static_assert(sizeof rules / sizeof rules[0] == RL_VERBS, "each verb has a rule");

bool rl_verb_takes(rl_verb verb)
{
	return rules[verb].takes;
}

bool rl_verb_is_script(rl_verb verb)
{
	return rules[verb].is_script;
}

bool rl_verb_has_helpers(rl_verb verb)
{
	return rules[verb].has_helpers;
}

bool rl_verb_changes(rl_verb verb)
{
	return rules[verb].changes;
}

bool rl_verb_is_confirmed(rl_verb verb)
{
	return rules[verb].is_confirmed;
}

/* "OK", a positive number, or an array that begins with one. */
bool rl_reply_is_yes(const rl_reply *reply)
{
	const rl_reply *first =
		reply->type == RL_REPLY_ARRAY && reply->count > 0 ? reply->elements : reply;
	return reply->type == RL_REPLY_STATUS ||
		(first->type == RL_REPLY_INTEGER && first->integer > 0);
}

static void read_unconfirmed(
	const rl_reply *reply, rl_error *err, const rl_bytes *secrets, unsigned secret_count)
{
	if (reply->count != 0) {
		rl_error_from_server(err, reply->text, secrets, secret_count);
		rl_error_append(err, "; the replicas could not be asked (WAIT)");
		err->status = RL_ERR_UNCONFIRMED;
	} else {
		rl_error_set(err, RL_ERR_UNCONFIRMED, 0, "%.*s", (int) reply->text.len, reply->text.data);
	}
}

void rl_command_build(rl_command *command, const rl_request *request)
{
	command->argc = 0;
	command->number_count = 0;
	rules[request->verb].build(command, request);
}

void rl_command_read(const rl_request *request, const rl_reply *reply, rl_answer *answer,
	rl_error *err, const rl_bytes *secrets, unsigned secret_count)
{
	*answer = (rl_answer){.vote = RL_VOTE_OPEN, .number = RL_NO_NUMBER};
	if (reply->type == RL_REPLY_ERROR) {
		answer->vote = RL_VOTE_FAILED;
		rl_error_from_server(err, reply->text, secrets, secret_count);
		if (request->form == RL_FORM_TYPE && strcmp(err->code, "NOPERM") == 0) {
			rl_error_from_server(err, LITERAL("WRONGTYPE the key holds no string"), NULL, 0);
			return;
		}
		answer->again = again(request, err);
		return;
	}
	if (reply->type == RL_REPLY_UNCONFIRMED) {
		answer->vote = RL_VOTE_FAILED;
		answer->number = reply->integer;
		read_unconfirmed(reply, err, secrets, secret_count);
		return;
	}
	rules[request->verb].parse(request, reply, answer, err);
}
