/* SPDX-License-Identifier: MIT
 *
 * Each verb as it goes over the wire, and each kind of reply to each verb.
 */
#include "check.h"
#include "core/rl_command.h"

#include <string.h>

#define TTL INT64_C(31622400000) /* 366 days */

static rl_request request_of(rl_verb verb)
{
	return (rl_request){
		.verb = verb, .key = bytes_of("key"), .token = bytes_of("token"), .ttl_ms = 250};
}

static void check_argv(const rl_request *request, const char *const *wanted, unsigned count)
{
	rl_command command;
	memset(&command, 0xa5, sizeof command);
	rl_command_build(&command, request);
	CHECK_INT(command.argc, (int64_t) count);
	for (unsigned i = 0; i < count; i++) {
		if (!rl_bytes_equal(command.argv[i], bytes_of(wanted[i]))) {
			FAIL("argument %u is %.*s, not %s", i, (int) command.argv[i].len, command.argv[i].data,
				wanted[i]);
		}
	}
}

#define CHECK_ARGV(request, ...) \
 check_argv(&request, (const char *const[]){__VA_ARGS__}, \
	 sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static const char *text_of(rl_script_id id)
{
	return rl_script_get(id)->text;
}

static const char *sha_of(rl_script_id id)
{
	return rl_script_get(id)->sha1;
}

static void plain_verbs(void)
{
	rl_request set = request_of(RL_VERB_SET);
	CHECK_ARGV(set, "SET", "key", "token", "NX", "PX", "250");
	rl_request force = request_of(RL_VERB_FORCE);
	CHECK_ARGV(force, "DEL", "key");
	rl_request exists = request_of(RL_VERB_EXISTS);
	CHECK_ARGV(exists, "EXISTS", "key");
	rl_request owner = request_of(RL_VERB_OWNER);
	CHECK_ARGV(owner, "GET", "key");
	rl_request remaining = request_of(RL_VERB_REMAINING);
	CHECK_ARGV(remaining, "PTTL", "key");
	/* None of them has a text. */
	set.as_text = true;
	CHECK_ARGV(set, "SET", "key", "token", "NX", "PX", "250");
}

static void script_verbs(void)
{
	rl_request try = request_of(RL_VERB_TRY);
	CHECK_ARGV(try, "EVALSHA", sha_of(RL_SCRIPT_TRY), "1", "key", "token", "250", "0");
	try.is_owed = true;
	CHECK_ARGV(try, "EVALSHA", sha_of(RL_SCRIPT_TRY), "1", "key", "token", "250", "1");
	try.as_text = true;
	CHECK_ARGV(try, "EVAL", text_of(RL_SCRIPT_TRY), "1", "key", "token", "250", "1");
	rl_request release = request_of(RL_VERB_RELEASE);
	CHECK_ARGV(release, "EVALSHA", sha_of(RL_SCRIPT_RELEASE), "1", "key", "token");
	release.as_text = true;
	CHECK_ARGV(release, "EVAL", text_of(RL_SCRIPT_RELEASE), "1", "key", "token");
	rl_request extend = request_of(RL_VERB_EXTEND);
	CHECK_ARGV(extend, "EVALSHA", sha_of(RL_SCRIPT_EXTEND), "1", "key", "token", "250");
	extend.as_text = true;
	CHECK_ARGV(extend, "EVAL", text_of(RL_SCRIPT_EXTEND), "1", "key", "token", "250");
}

static void numbers_of_all_sizes(void)
{
	static const struct {
		int64_t ttl_ms;
		const char *text;
	} cases[] = {{0, "0"}, {5, "5"}, {10, "10"}, {99, "99"}, {TTL, "31622400000"},
		{INT64_MAX, "9223372036854775807"}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		rl_request set = request_of(RL_VERB_SET);
		set.ttl_ms = cases[i].ttl_ms;
		CHECK_ARGV(set, "SET", "key", "token", "NX", "PX", cases[i].text);
	}
}

static void keys_and_tokens_may_be_any_bytes(void)
{
	rl_request set = request_of(RL_VERB_SET);
	set.key = rl_bytes_of("a\0b\r\n", 5);
	set.token = rl_bytes_of("\xff\0", 2);
	rl_command command;
	rl_command_build(&command, &set);
	CHECK(rl_bytes_equal(command.argv[1], rl_bytes_of("a\0b\r\n", 5)));
	CHECK(rl_bytes_equal(command.argv[2], rl_bytes_of("\xff\0", 2)));
}

static void two_verbs_take(void)
{
	for (int verb = RL_VERB_SET; verb <= RL_VERB_REMAINING; verb++) {
		CHECK_INT(rl_verb_takes((rl_verb) verb), verb == RL_VERB_SET || verb == RL_VERB_TRY);
	}
}

/* ---- replies ---- */

static rl_reply nil(void)
{
	return (rl_reply){.type = RL_REPLY_NIL};
}

static rl_reply status(const char *text)
{
	return (rl_reply){.type = RL_REPLY_STATUS, .text = bytes_of(text)};
}

static rl_reply string(const char *text)
{
	return (rl_reply){.type = RL_REPLY_STRING, .text = bytes_of(text)};
}

static rl_reply integer(int64_t value)
{
	return (rl_reply){.type = RL_REPLY_INTEGER, .integer = value};
}

static rl_reply array(const rl_reply *elements, size_t count)
{
	return (rl_reply){.type = RL_REPLY_ARRAY, .elements = elements, .count = count};
}

static rl_answer read_it(rl_verb verb, rl_reply reply)
{
	rl_request request = request_of(verb);
	rl_answer answer;
	rl_error err = {0};
	rl_command_read(&request, &reply, &answer, &err, NULL, 0);
	CHECK_INT(answer.vote == RL_VOTE_FAILED, err.status != RL_OK);
	CHECK(!answer.is_noscript);
	if (answer.vote == RL_VOTE_FAILED) {
		CHECK_INT(err.status, RL_ERR_PROTOCOL);
	}
	return answer;
}

#define VOTE(verb, reply) read_it(RL_VERB_##verb, reply).vote

static void set_is_ok_or_nil(void)
{
	const rl_reply one = integer(1);
	CHECK_INT(VOTE(SET, status("OK")), RL_VOTE_GRANTED);
	CHECK_INT(VOTE(SET, nil()), RL_VOTE_REFUSED);
	CHECK_INT(read_it(RL_VERB_SET, nil()).number, -2);
	CHECK_INT(VOTE(SET, status("ok")), RL_VOTE_FAILED);
	CHECK_INT(VOTE(SET, status("OKAY")), RL_VOTE_FAILED);
	CHECK_INT(VOTE(SET, status("")), RL_VOTE_FAILED);
	CHECK_INT(VOTE(SET, status("QUEUED")), RL_VOTE_FAILED);
	CHECK_INT(VOTE(SET, string("OK")), RL_VOTE_FAILED);
	CHECK_INT(VOTE(SET, integer(1)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(SET, array(&one, 1)), RL_VOTE_FAILED);
}

static void try_is_one_or_a_refusal(void)
{
	const rl_reply one = integer(1);
	const rl_reply zero = integer(0);
	const rl_reply other[] = {integer(0), integer(77), integer(0)};
	const rl_reply same[] = {integer(0), integer(-1), integer(1)};
	const rl_reply odd[] = {integer(0), integer(77), string("x")};
	const rl_reply taken[] = {integer(1), integer(77), integer(0)};
	const rl_reply four[] = {integer(0), integer(77), integer(0), integer(0)};
	CHECK_INT(VOTE(TRY, array(&one, 1)), RL_VOTE_GRANTED);
	rl_answer answer = read_it(RL_VERB_TRY, array(other, 3));
	CHECK_INT(answer.vote, RL_VOTE_REFUSED);
	CHECK_INT(answer.number, 77);
	CHECK(!answer.is_same_token);
	answer = read_it(RL_VERB_TRY, array(same, 3));
	CHECK_INT(answer.vote, RL_VOTE_REFUSED);
	CHECK_INT(answer.number, -1);
	CHECK(answer.is_same_token);
	CHECK_INT(VOTE(TRY, array(&zero, 1)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(TRY, array(odd, 3)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(TRY, array(taken, 3)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(TRY, array(four, 4)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(TRY, array(other, 2)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(TRY, array(NULL, 0)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(TRY, status("OK")), RL_VOTE_FAILED);
	CHECK_INT(VOTE(TRY, integer(1)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(TRY, nil()), RL_VOTE_FAILED);
}

static void one_and_zero(void)
{
	static const rl_verb verbs[] = {RL_VERB_RELEASE, RL_VERB_EXTEND, RL_VERB_FORCE, RL_VERB_EXISTS};
	for (unsigned i = 0; i < 4; i++) {
		rl_verb v = verbs[i];
		CHECK_INT(read_it(v, integer(1)).vote, RL_VOTE_GRANTED);
		CHECK_INT(read_it(v, integer(0)).vote, RL_VOTE_REFUSED);
		CHECK_INT(read_it(v, integer(2)).vote, RL_VOTE_FAILED);
		CHECK_INT(read_it(v, integer(-1)).vote, RL_VOTE_FAILED);
		CHECK_INT(read_it(v, status("OK")).vote, RL_VOTE_FAILED);
		CHECK_INT(read_it(v, string("1")).vote, RL_VOTE_FAILED);
		CHECK_INT(read_it(v, nil()).vote, RL_VOTE_FAILED);
		CHECK_INT(read_it(v, array(NULL, 0)).vote, RL_VOTE_FAILED);
	}
}

static void remaining_is_a_pttl(void)
{
	CHECK_INT(VOTE(REMAINING, integer(-2)), RL_VOTE_REFUSED);
	CHECK_INT(VOTE(REMAINING, integer(-1)), RL_VOTE_GRANTED);
	CHECK_INT(VOTE(REMAINING, integer(0)), RL_VOTE_GRANTED);
	CHECK_INT(read_it(RL_VERB_REMAINING, integer(4711)).number, 4711);
	CHECK_INT(VOTE(REMAINING, integer(-3)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(REMAINING, nil()), RL_VOTE_FAILED);
}

static void owner_is_a_text(void)
{
	rl_answer answer = read_it(RL_VERB_OWNER, string("me"));
	CHECK_INT(answer.vote, RL_VOTE_GRANTED);
	CHECK(rl_bytes_equal(answer.text, bytes_of("me")));
	CHECK_INT(VOTE(OWNER, string("")), RL_VOTE_REFUSED); /* reserved: nobody's */
	CHECK_INT(VOTE(OWNER, nil()), RL_VOTE_REFUSED);
	CHECK_INT(VOTE(OWNER, integer(1)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(OWNER, status("OK")), RL_VOTE_FAILED);
}

static void errors_keep_their_word(void)
{
	for (int verb = RL_VERB_SET; verb <= RL_VERB_REMAINING; verb++) {
		rl_request request = request_of((rl_verb) verb);
		rl_reply reply = {.type = RL_REPLY_ERROR, .text = bytes_of("WRONGTYPE token here")};
		rl_answer answer;
		rl_error err;
		rl_command_read(&request, &reply, &answer, &err, &request.token, 1);
		CHECK_INT(answer.vote, RL_VOTE_FAILED);
		CHECK_INT(err.status, RL_ERR_SERVER);
		CHECK_TEXT(err.code, "WRONGTYPE");
		CHECK_HAS(err.message, "WRONGTYPE *** here");
		CHECK(!answer.is_noscript);
	}
}

static bool is_noscript(const char *text, bool as_text)
{
	rl_request request = request_of(RL_VERB_RELEASE);
	request.as_text = as_text;
	rl_reply reply = {.type = RL_REPLY_ERROR, .text = bytes_of(text)};
	rl_answer answer;
	rl_error err;
	rl_command_read(&request, &reply, &answer, &err, NULL, 0);
	return answer.is_noscript;
}

static void noscript_is_known_by_its_word(void)
{
	CHECK(is_noscript("NOSCRIPT No matching script. Please use EVAL.", false));
	CHECK(is_noscript("NOSCRIPT", false));
	CHECK(is_noscript("NOSCRIPT another sentence", false));
	CHECK(!is_noscript("NOSCRIPT", true));
	CHECK(!is_noscript("ERR NOSCRIPT", false));
	CHECK(!is_noscript("NOSCRIPTS x", false));
	CHECK(!is_noscript("", false));
}

static const check_test tests[] = {
	TEST(plain_verbs),
	TEST(script_verbs),
	TEST(numbers_of_all_sizes),
	TEST(keys_and_tokens_may_be_any_bytes),
	TEST(two_verbs_take),
	TEST(set_is_ok_or_nil),
	TEST(try_is_one_or_a_refusal),
	TEST(one_and_zero),
	TEST(remaining_is_a_pttl),
	TEST(owner_is_a_text),
	TEST(errors_keep_their_word),
	TEST(noscript_is_known_by_its_word),
};

CHECK_MAIN(tests, NULL)
