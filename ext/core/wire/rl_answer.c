/* SPDX-License-Identifier: MIT */
#include "core/wire/rl_answer.h"

#include "core/base/rl_label.h"

#include <stdio.h>
#include <string.h>

#define LITERAL(text) rl_bytes_of(text, sizeof text - 1)

#define RL_FENCE_DIGITS 16 /* of 2^53 */

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
	bool is_queued = request->place == RL_PLACE_QUEUED;
	if (request->form != RL_FORM_TEXT && strcmp(err->code, "NOSCRIPT") == 0) {
		/* The ticket is gone: a try must follow that takes reserved locks. */
		return is_queued ? RL_AGAIN_NOT : RL_AGAIN_AS_TEXT;
	}
	if (request->verb == RL_VERB_FENCE && strcmp(err->code, "TRYAGAIN") == 0) {
		return RL_AGAIN_LATER;
	}
	/* Without the helper keys a PROBE would have no effect, and a place in the queue would be none,
	 * so they are not sent again. */
	bool is_final =
		rl_request_is_without_helpers(request) || request->verb == RL_VERB_PROBE || is_queued;
	if (is_final || !rl_error_is_about_helpers(err)) {
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

/* The reply is an array of so many integers; other is the index of one element that need be
 * none. */
static bool is_array(const rl_reply *reply, size_t count, size_t other)
{
	bool is_good = reply->type == RL_REPLY_ARRAY && reply->count == count;
	for (size_t i = 0; is_good && i < count; i++) {
		is_good = i == other || reply->elements[i].type == RL_REPLY_INTEGER;
	}
	return is_good;
}

/* Reads an rl_holder, or the label of a holder.
 * @param[out] label empty = none was reported */
static bool read_holder(const rl_reply *element, rl_answer *answer, rl_bytes *label)
{
	int64_t number = element->integer;
	*label = (rl_bytes){NULL, 0};
	if (element->type == RL_REPLY_STRING) {
		*label = element->text;
		number = RL_HOLDER_KIN;
	}
	bool is_text = element->type == RL_REPLY_STRING && rl_label_is_valid(element->text);
	answer->holder = (rl_holder) number;
	return (is_text || element->type == RL_REPLY_INTEGER) && number >= RL_HOLDER_NOBODY &&
		number <= RL_HOLDER_DONE;
}

/* Reads the elements TIME, PTTL and holder. */
static bool read_look(const rl_reply *elements, rl_answer *answer)
{
	answer->time_us = elements[0].integer;
	answer->number = elements[1].integer;
	return answer->time_us >= 0 && read_holder(&elements[2], answer, &answer->text);
}

static void read_try(
	const rl_request *request, const rl_reply *reply, rl_answer *answer, rl_error *err)
{
	const rl_reply *elements = reply->elements;
	bool has_permit = request->permit_keys != NULL;
	if (is_array(reply, has_permit ? 3 : 2, SIZE_MAX) && elements[0].integer == 1 &&
		elements[1].integer >= 0 &&
		(!has_permit ||
			(elements[2].integer >= 1 && elements[2].integer <= (int64_t) request->permits))) {
		answer->vote = RL_VOTE_GRANTED;
		answer->time_us = elements[1].integer;
		answer->permit = has_permit ? (unsigned) elements[2].integer - 1 : 0;
	} else if (is_array(reply, 5, 3) && elements[0].integer == 0 &&
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
	if (is_array(reply, 5, 2) && read_look(elements, answer) &&
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
	int64_t most = request->done_ms > 0 ? RL_MARKED_BEFORE : RL_FREED_UNTOLD;
	read_number(reply, 0, most, answer, err);
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

/* A longer text is the name of no type, and cutting it could cut a secret, which would not be found
 * then. */
#define TYPE_NAME_MAX 32

static void fail_wrong_type(
	rl_answer *answer, rl_error *err, rl_bytes type, const rl_bytes *secrets, unsigned secret_count)
{
	char text[64];
	int len = type.len <= TYPE_NAME_MAX
		? snprintf(text, sizeof text, "WRONGTYPE the key holds a %.*s", (int) type.len, type.data)
		: snprintf(text, sizeof text, "WRONGTYPE the key holds no string");
	answer->vote = RL_VOTE_FAILED;
	rl_error_from_server(err, rl_bytes_of(text, (size_t) len), secrets, secret_count);
}

/* Reads the answer to TYPE. A sorted set is a lock of symfony/lock, whose holder has no token that
 * could be returned. A key that is a string now, or is gone, has changed since GET, so the holder
 * of that time is gone as well. */
static void read_type(const rl_reply *reply, rl_answer *answer, rl_error *err,
	const rl_bytes *secrets, unsigned secret_count)
{
	if (reply->type != RL_REPLY_STATUS) {
		no_sense(answer, err);
	} else if (rl_bytes_equal(reply->text, LITERAL("zset")) ||
		rl_bytes_equal(reply->text, LITERAL("string")) ||
		rl_bytes_equal(reply->text, LITERAL("none"))) {
		answer->vote = RL_VOTE_REFUSED;
	} else {
		fail_wrong_type(answer, err, reply->text, secrets, secret_count);
	}
}

static void read_owner(
	const rl_request *request, const rl_reply *reply, rl_answer *answer, rl_error *err)
{
	(void) request;
	if (reply->type != RL_REPLY_STRING && reply->type != RL_REPLY_NIL) {
		no_sense(answer, err);
		return;
	}
	/* A reservation and the mark of work that is done lock the key, and have no owner. */
	bool is_nobodys = reply->text.len == 0 ||
		rl_bytes_equal(reply->text, LITERAL(RL_RESERVED_LONG)) ||
		rl_bytes_equal(reply->text, LITERAL(RL_DONE));
	bool has_owner = reply->type == RL_REPLY_STRING && !is_nobodys;
	answer->vote = has_owner ? RL_VOTE_GRANTED : RL_VOTE_REFUSED;
	answer->text = reply->text;
}

static void read_fence(
	const rl_request *request, const rl_reply *reply, rl_answer *answer, rl_error *err)
{
	int64_t number; /* below 2^53, as the script makes them */
	if (reply->type != RL_REPLY_STRING) {
		read_number(reply, RL_TAKEN_OVER, 0, answer, err);
	} else if (reply->text.len <= RL_FENCE_DIGITS &&
		rl_bytes_read_number(reply->text, INT64_MAX, &number) && number > 0 &&
		number >= request->fence_number) {
		answer->number = number;
		answer->vote = RL_VOTE_GRANTED;
	} else {
		no_sense(answer, err);
	}
}

/* The value of a reservation is no token, and may differ between members ('' or RL_RESERVED_LONG).
 * So a reservation has only its label, and all members that are reserved name the same holder. */
static void read_inspect(
	const rl_request *request, const rl_reply *reply, rl_answer *answer, rl_error *err)
{
	(void) request;
	const rl_reply *elements = reply->elements;
	rl_bytes label;
	if (reply->type != RL_REPLY_ARRAY || reply->count != 5 ||
		elements[0].type != RL_REPLY_INTEGER || elements[2].type != RL_REPLY_INTEGER ||
		elements[3].type != RL_REPLY_STRING || elements[4].type != RL_REPLY_STRING ||
		!read_holder(&elements[1], answer, &label)) {
		no_sense(answer, err);
		return;
	}
	answer->number = elements[0].integer;
	answer->crowd = elements[2].integer;
	answer->labels = elements[4].text;
	answer->text = answer->holder == RL_HOLDER_RESERVED ? label : elements[3].text;
	answer->vote = answer->holder == RL_HOLDER_NOBODY ? RL_VOTE_REFUSED : RL_VOTE_GRANTED;
}

/* The form of the answer to SCAN: a cursor, a space, and names with their lengths. */
static bool is_page(rl_bytes text)
{
	const char *end = text.data + text.len;
	const char *at = text.len > 0 ? memchr(text.data, ' ', text.len) : NULL;
	bool is_good = at != NULL && at > text.data && at - text.data <= 20 &&
		strspn(text.data, "0123456789") == (size_t) (at - text.data);
	at = is_good ? at + 1 : end;
	while (is_good && at < end) {
		int64_t len;
		const char *colon = memchr(at, ':', (size_t) (end - at));
		is_good = colon != NULL && colon - at <= 10 &&
			rl_bytes_read_number(rl_bytes_of(at, (size_t) (colon - at)), end - colon - 1, &len);
		at = is_good ? colon + 1 + len : at;
	}
	return is_good;
}

static void read_scan(
	const rl_request *request, const rl_reply *reply, rl_answer *answer, rl_error *err)
{
	(void) request;
	if (reply->type != RL_REPLY_STRING || !is_page(reply->text)) {
		no_sense(answer, err);
		return;
	}
	answer->text = reply->text;
	answer->vote = RL_VOTE_GRANTED;
}

/* ---- the verbs ---- */

typedef void reader(
	const rl_request *request, const rl_reply *reply, rl_answer *answer, rl_error *err);

static reader *const readers[] = {
	[RL_VERB_SET] = read_taking,
	[RL_VERB_TRY] = read_try,
	[RL_VERB_PROBE] = read_probe,
	[RL_VERB_BLPOP] = read_blpop,
	[RL_VERB_RELEASE] = read_freeing,
	[RL_VERB_EXTEND] = read_extend,
	[RL_VERB_RENEW] = read_extend,
	[RL_VERB_SWAP] = read_swap,
	[RL_VERB_FORCE] = read_freeing,
	[RL_VERB_EXISTS] = read_exists,
	[RL_VERB_OWNER] = read_owner,
	[RL_VERB_INSPECT] = read_inspect,
	[RL_VERB_REMAINING] = read_remaining,
	[RL_VERB_SCAN] = read_scan,
	[RL_VERB_FENCE] = read_fence,
};

_Static_assert(sizeof readers / sizeof readers[0] == RL_VERBS, "each verb has a reader");

/* "OK", a fencing number, a positive number, or an array that begins with one. */
bool rl_reply_is_yes(const rl_reply *reply)
{
	const rl_reply *first =
		reply->type == RL_REPLY_ARRAY && reply->count > 0 ? reply->elements : reply;
	return reply->type == RL_REPLY_STATUS || reply->type == RL_REPLY_STRING ||
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

void rl_answer_read(const rl_request *request, const rl_reply *reply, rl_answer *answer,
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
	if (request->form == RL_FORM_TYPE) {
		read_type(reply, answer, err, secrets, secret_count);
	} else {
		readers[request->verb](request, reply, answer, err);
	}
}
