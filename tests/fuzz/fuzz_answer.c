/* SPDX-License-Identifier: MIT
 *
 * Any reply as the answer to a command: the vote is the one that rl_script.h and the documentation
 * of Redis give for the reply. The rules are written here once more, for each verb. A lock counts
 * as taken or prolonged by a reply that says so, and by no other.
 *
 * The first three bytes of an input are the command: its verb, its form, and a number. The bytes of
 * the reply follow.
 */
#include "core/base/rl_label.h"
#include "core/wire/rl_answer.h"
#include "transport/rl_hiredis.h"

#include "fuzz.h"

#ifndef FUZZ_ANSWER
# define FUZZ_ANSWER LLVMFuzzerTestOneInput
#endif

int FUZZ_ANSWER(const uint8_t *data, size_t size);

/* clang-format off */
static const fuzz_seed answer_seeds[] = {
	FUZZ_SEED("\x00\x00\x00+OK\r\n"),
	FUZZ_SEED("\x00\x00\x00$-1\r\n"),
	FUZZ_SEED("\x01\x00\x00*2\r\n:1\r\n:1700000000000000\r\n"),
	FUZZ_SEED("\x01\x04\x02*3\r\n:1\r\n:1700000000000000\r\n:2\r\n"),
	FUZZ_SEED("\x01\x00\x00*5\r\n:0\r\n:1700000000000000\r\n:29999\r\n$5\r\nweb-1\r\n:2\r\n"),
	FUZZ_SEED("\x01\x10\x00*5\r\n:0\r\n:0\r\n:-1\r\n:5\r\n:0\r\n"),
	FUZZ_SEED("\x02\x00\x00*5\r\n:1700000000000000\r\n:-2\r\n:0\r\n:-1\r\n:0\r\n"),
	FUZZ_SEED("\x03\x00\x00*2\r\n$10\r\nk::rl-wake\r\n$1\r\n1\r\n"),
	FUZZ_SEED("\x04\x08\x00:3\r\n"),
	FUZZ_SEED("\x05\x00\x00:-1\r\n"),
	FUZZ_SEED("\x06\x01\x00:1\r\n"),
	FUZZ_SEED("\x07\x00\x00:2\r\n"),
	FUZZ_SEED("\x08\x00\x00-WRONGTYPE the key holds a list\r\n"),
	FUZZ_SEED("\x09\x00\x00:1\r\n"),
	FUZZ_SEED("\x0a\x00\x00$28\r\nrl1.AQ8dKzlHVWNxf42bqbfF0-Hv\r\n"),
	FUZZ_SEED("\x0a\x02\x00+zset\r\n"),
	FUZZ_SEED("\x0b\x00\x00*5\r\n:100\r\n:3\r\n:1\r\n$3\r\ntok\r\n$5\r\na b c\r\n"),
	FUZZ_SEED("\x0c\x00\x00:-2\r\n"),
	FUZZ_SEED("\x0d\x00\x00$10\r\n0 1:k3:k#2\r\n"),
	FUZZ_SEED("\x0e\x00\x05$16\r\n1700000000000001\r\n"),
	FUZZ_SEED("\x01\x00\x00-NOSCRIPT No matching script. Please use EVAL.\r\n"),
	FUZZ_SEED("\x04\x00\x00-NOPERM this user has no permissions to access one of the keys\r\n"),
	FUZZ_SEED("\x0e\x00\x00-TRYAGAIN Multiple keys request during rehashing of slot\r\n"),
};
/* clang-format on */

/* Bits of the second byte. */
enum {
	AS_TEXT = 1,
	AS_TYPE = 2, /* OWNER */
	PERMITS = 4, /* TRY: the lock has some, and the third byte says how many */
	DONE = 8,    /* RELEASE: leaves a mark */
	QUEUED = 16, /* TRY */
	NO_HELPERS = 32,
};

#define PERMITS_MAX 8

/* ---- the rules ---- */

static bool is_integer(const rl_reply *reply, int64_t least, int64_t most)
{
	return reply->type == RL_REPLY_INTEGER && reply->integer >= least && reply->integer <= most;
}

static bool is_bytes(rl_bytes text, const char *other)
{
	return rl_bytes_equal(text, rl_bytes_of(other, strlen(other)));
}

static rl_vote vote_of_number(const rl_reply *reply, int64_t least, int64_t most)
{
	return !is_integer(reply, least, most) ? RL_VOTE_FAILED
		: reply->integer >= 1              ? RL_VOTE_GRANTED
										   : RL_VOTE_REFUSED;
}

static bool is_array(const rl_reply *reply, size_t count)
{
	return reply->type == RL_REPLY_ARRAY && reply->count == count;
}

/* The holder of a lock: a number from 0 to 5, or a label. */
static bool is_holder(const rl_reply *reply)
{
	return is_integer(reply, 0, 5) ||
		(reply->type == RL_REPLY_STRING && rl_label_is_valid(reply->text));
}

static rl_vote vote_of_try(const rl_request *request, const rl_reply *reply)
{
	const rl_reply *e = reply->elements;
	unsigned permits = request->permit_keys != NULL ? request->permits : 0;
	if (is_array(reply, permits > 0 ? 3 : 2) && is_integer(&e[0], 1, 1) &&
		is_integer(&e[1], 0, INT64_MAX) && (permits == 0 || is_integer(&e[2], 1, permits))) {
		return RL_VOTE_GRANTED;
	}
	bool is_refusal = is_array(reply, 5) && is_integer(&e[0], 0, 0) &&
		is_integer(&e[1], 0, INT64_MAX) && is_integer(&e[2], INT64_MIN, INT64_MAX) &&
		is_holder(&e[3]) && is_integer(&e[4], INT64_MIN, INT64_MAX);
	return is_refusal ? RL_VOTE_REFUSED : RL_VOTE_FAILED;
}

static rl_vote vote_of_probe(const rl_reply *reply)
{
	const rl_reply *e = reply->elements;
	bool is_good = is_array(reply, 5) && is_integer(&e[0], 0, INT64_MAX) &&
		is_integer(&e[1], INT64_MIN, INT64_MAX) && is_holder(&e[2]) && is_integer(&e[3], -1, 1) &&
		is_integer(&e[4], INT64_MIN, INT64_MAX);
	return is_good ? RL_VOTE_GRANTED : RL_VOTE_FAILED;
}

static rl_vote vote_of_owner(const rl_request *request, const rl_reply *reply)
{
	if (request->form == RL_FORM_TYPE) {
		bool is_lock = reply->type == RL_REPLY_STATUS &&
			(is_bytes(reply->text, "zset") || is_bytes(reply->text, "string") ||
				is_bytes(reply->text, "none"));
		return is_lock ? RL_VOTE_REFUSED : RL_VOTE_FAILED;
	}
	bool is_nobody = reply->text.len == 0 || is_bytes(reply->text, "rl1.reserved") ||
		is_bytes(reply->text, "rl1.done");
	return reply->type == RL_REPLY_STRING && !is_nobody                 ? RL_VOTE_GRANTED
		: reply->type == RL_REPLY_STRING || reply->type == RL_REPLY_NIL ? RL_VOTE_REFUSED
																		: RL_VOTE_FAILED;
}

static rl_vote vote_of_inspect(const rl_reply *reply)
{
	const rl_reply *e = reply->elements;
	bool is_good = is_array(reply, 5) && is_integer(&e[0], INT64_MIN, INT64_MAX) &&
		is_holder(&e[1]) && is_integer(&e[2], INT64_MIN, INT64_MAX) &&
		e[3].type == RL_REPLY_STRING && e[4].type == RL_REPLY_STRING;
	return !is_good                                          ? RL_VOTE_FAILED
		: e[1].type == RL_REPLY_INTEGER && e[1].integer == 0 ? RL_VOTE_REFUSED
															 : RL_VOTE_GRANTED;
}

/* The digits of a number that is not smaller than the one that was asked for. */
static rl_vote vote_of_fence(const rl_request *request, const rl_reply *reply)
{
	if (reply->type != RL_REPLY_STRING) {
		return vote_of_number(reply, -1, 0);
	}
	int64_t number = 0;
	for (size_t i = 0; i < reply->text.len && i < 17; i++) {
		char c = reply->text.data[i];
		if (c < '0' || c > '9') {
			return RL_VOTE_FAILED;
		}
		number = 10 * number + (c - '0');
	}
	bool is_good = reply->text.len <= 16 && number > 0 && number >= request->fence_number;
	return is_good ? RL_VOTE_GRANTED : RL_VOTE_FAILED;
}

/* "cursor length:name length:name ..", without a space between the names. */
static rl_vote vote_of_page(const rl_reply *reply)
{
	size_t at = 0;
	rl_bytes text = reply->type == RL_REPLY_STRING ? reply->text : rl_bytes_of(NULL, 0);
	while (at < text.len && text.data[at] >= '0' && text.data[at] <= '9') {
		at++;
	}
	if (at == 0 || at > 20 || at == text.len || text.data[at] != ' ') {
		return RL_VOTE_FAILED;
	}
	at++;
	while (at < text.len) {
		size_t len = 0;
		size_t digits = 0;
		for (; at < text.len && text.data[at] >= '0' && text.data[at] <= '9' && digits < 11; at++) {
			len = 10 * len + (size_t) (text.data[at] - '0');
			digits++;
		}
		if (digits == 0 || digits > 10 || at == text.len || text.data[at] != ':' ||
			len > text.len - at - 1) {
			return RL_VOTE_FAILED;
		}
		at += 1 + len;
	}
	return RL_VOTE_GRANTED;
}

static rl_vote vote_of(const rl_request *request, const rl_reply *reply)
{
	switch (reply->type == RL_REPLY_ERROR ? (rl_verb) RL_VERBS : request->verb) {
		case RL_VERB_SET:
			return reply->type == RL_REPLY_NIL                                  ? RL_VOTE_REFUSED
				: reply->type == RL_REPLY_STATUS && is_bytes(reply->text, "OK") ? RL_VOTE_GRANTED
																				: RL_VOTE_FAILED;
		case RL_VERB_TRY:
			return vote_of_try(request, reply);
		case RL_VERB_PROBE:
			return vote_of_probe(reply);
		case RL_VERB_BLPOP:
			return reply->type == RL_REPLY_NIL ? RL_VOTE_REFUSED
				: is_array(reply, 2)           ? RL_VOTE_GRANTED
											   : RL_VOTE_FAILED;
		case RL_VERB_RELEASE:
			return vote_of_number(reply, 0, request->done_ms > 0 ? 3 : 2);
		case RL_VERB_FORCE:
		case RL_VERB_SWAP:
			return vote_of_number(reply, 0, 2);
		case RL_VERB_EXTEND:
		case RL_VERB_RENEW:
			return vote_of_number(reply, -1, 1);
		case RL_VERB_EXISTS:
			return vote_of_number(reply, 0, 1);
		case RL_VERB_OWNER:
			return vote_of_owner(request, reply);
		case RL_VERB_INSPECT:
			return vote_of_inspect(reply);
		case RL_VERB_REMAINING:
			return !is_integer(reply, -2, INT64_MAX) ? RL_VOTE_FAILED
				: reply->integer == -2               ? RL_VOTE_REFUSED
													 : RL_VOTE_GRANTED;
		case RL_VERB_SCAN:
			return vote_of_page(reply);
		case RL_VERB_FENCE:
			return vote_of_fence(request, reply);
	}
	return RL_VOTE_FAILED;
}

/* ---- the target ---- */

static void check_answer(const rl_request *request, const rl_reply *reply)
{
	static const char secret[] = "hunter2";
	rl_bytes secrets[] = {rl_bytes_of(secret, sizeof secret - 1), request->token};
	rl_answer answer;
	rl_error err = {.message = ""};
	rl_answer_read(request, reply, &answer, &err, secrets, 2);
	FUZZ_PROMISE(answer.vote == vote_of(request, reply));
	if (answer.vote != RL_VOTE_FAILED) {
		FUZZ_PROMISE(err.status == RL_OK && answer.again == RL_AGAIN_NOT);
		FUZZ_PROMISE(answer.holder >= RL_HOLDER_NOBODY && answer.holder <= RL_HOLDER_DONE);
		FUZZ_PROMISE(request->permit_keys == NULL || answer.permit < request->permits);
		FUZZ_PROMISE(answer.time_us >= 0);
		return;
	}
	bool is_type = request->form == RL_FORM_TYPE && reply->type == RL_REPLY_STATUS;
	FUZZ_PROMISE(
		err.status == (reply->type == RL_REPLY_ERROR || is_type ? RL_ERR_SERVER : RL_ERR_PROTOCOL));
	FUZZ_PROMISE(answer.again == RL_AGAIN_NOT || reply->type == RL_REPLY_ERROR);
	FUZZ_PROMISE(answer.again != RL_AGAIN_AS_TEXT || request->form != RL_FORM_TEXT);
	FUZZ_PROMISE(
		!rl_again_is_without_helpers(answer.again) || !rl_request_is_without_helpers(request));
	FUZZ_PROMISE(fuzz_is_fit(err.message, sizeof err.message));
	FUZZ_PROMISE(err.status != RL_ERR_SERVER || fuzz_is_fit(err.code, sizeof err.code));
	FUZZ_PROMISE(strstr(err.message, secret) == NULL && strstr(err.message, "tok-of-ours") == NULL);
}

int FUZZ_ANSWER(const uint8_t *data, size_t size)
{
	static const rl_bytes permit_keys[PERMITS_MAX] = {{"k", 1}, {"k#2", 3}, {"k#3", 3}, {"k#4", 3},
		{"k#5", 3}, {"k#6", 3}, {"k#7", 3}, {"k#8", 3}};
	if (size < 3 || size > FUZZ_INPUT_MAX) {
		return 0;
	}
	rl_request request = {.verb = (rl_verb) (data[0] % RL_VERBS),
		.key = {"k", 1},
		.mark = {"m", 1},
		.tickets = {"t", 1},
		.fence = {"f", 1},
		.fence_number = data[2],
		.token = {"tok-of-ours", 11},
		.fresh = {"fresh", 5},
		.ttl_ms = 1,
		.no_helpers = (data[1] & NO_HELPERS) != 0,
		.form = (data[1] & AS_TEXT) != 0 ? RL_FORM_TEXT : RL_FORM_USUAL};
	bool is_try = request.verb == RL_VERB_TRY;
	request.place = is_try && (data[1] & QUEUED) != 0 ? RL_PLACE_QUEUED : RL_PLACE_NONE;
	if (request.verb == RL_VERB_OWNER && (data[1] & AS_TYPE) != 0) {
		request.form = RL_FORM_TYPE;
	}
	if (is_try && (data[1] & PERMITS) != 0) {
		request.permits = 2 + data[2] % (PERMITS_MAX - 1);
		request.permit_keys = permit_keys;
	}
	request.done_ms = request.verb == RL_VERB_RELEASE && (data[1] & DONE) != 0;

	rl_reader *reader = rl_reader_new();
	rl_reply reply;
	FUZZ_PROMISE(reader != NULL);
	FUZZ_PROMISE(rl_reader_feed(reader, (const char *) data + 3, size - 3));
	while (rl_reader_next(reader, &reply) > 0) {
		check_answer(&request, &reply);
	}
	rl_reader_free(reader);
	return 0;
}

FUZZ_MAIN(FUZZ_ANSWER, answer_seeds)
