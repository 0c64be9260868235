/* SPDX-License-Identifier: MIT
 *
 * Each kind of reply to each verb.
 */
#include "check.h"
#include "core/wire/rl_answer.h"

/* A request about a lock that has helper keys. */
static rl_request request_of(rl_verb verb)
{
	return (rl_request){
		.verb = verb, .key = bytes_of("key"), .mark = bytes_of("mark"), .token = bytes_of("token")};
}

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
	rl_answer_read(&request, &reply, &answer, &err, NULL, 0);
	CHECK_INT(answer.vote == RL_VOTE_FAILED, err.status != RL_OK);
	CHECK_INT(answer.again, RL_AGAIN_NOT);
	if (answer.vote == RL_VOTE_FAILED) {
		CHECK_INT(err.status, RL_ERR_PROTOCOL);
	}
	return answer;
}

#define VOTE(verb, reply) read_it(RL_VERB_##verb, reply).vote

static void the_answer_to_set_is_ok_or_nil(void)
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

static rl_answer read_numbers(rl_verb verb, unsigned count, const int64_t *numbers)
{
	rl_reply elements[6];
	for (unsigned i = 0; i < count; i++) {
		elements[i] = integer(numbers[i]);
	}
	return read_it(verb, array(elements, count));
}

#define READ(verb, ...) \
 read_numbers(RL_VERB_##verb, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), \
	 (const int64_t[]){__VA_ARGS__})

static void the_answer_to_try_is_one_or_a_refusal(void)
{
	rl_answer answer = READ(TRY, 1, 1700000000000000);
	CHECK_INT(answer.vote, RL_VOTE_GRANTED);
	CHECK_INT(answer.time_us, 1700000000000000);
	CHECK_INT(READ(TRY, 1, 0).vote, RL_VOTE_GRANTED);
	answer = READ(TRY, 0, 1700000000000000, 77, 3, 12);
	CHECK_INT(answer.vote, RL_VOTE_REFUSED);
	CHECK_INT(answer.time_us, 1700000000000000);
	CHECK_INT(answer.number, 77);
	CHECK_INT(answer.holder, RL_HOLDER_KIN);
	CHECK_INT(answer.crowd, 12);
	for (int holder = RL_HOLDER_NOBODY; holder <= RL_HOLDER_FOREIGN; holder++) {
		answer = READ(TRY, 0, 0, -1, holder, 0);
		CHECK_INT(answer.vote, RL_VOTE_REFUSED);
		CHECK_INT(answer.number, -1);
		CHECK_INT(answer.holder, holder);
	}
}

static void any_other_answer_to_try_is_a_failure(void)
{
	const rl_reply odd[] = {integer(0), integer(1), string("77"), integer(0), integer(0)};
	const rl_reply holder[] = {integer(0), integer(1), integer(77), status("x"), integer(0)};
	const rl_reply spaced[] = {integer(0), integer(1), integer(77), string("a b"), integer(0)};
	const rl_reply empty[] = {integer(0), integer(1), integer(77), string(""), integer(0)};
	const rl_reply text[] = {integer(1), string("5")};
	CHECK_INT(VOTE(TRY, array(odd, 5)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(TRY, array(holder, 5)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(TRY, array(spaced, 5)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(TRY, array(empty, 5)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(TRY, array(text, 2)), RL_VOTE_FAILED);
	CHECK_INT(READ(TRY, 1).vote, RL_VOTE_FAILED);
	CHECK_INT(READ(TRY, 0).vote, RL_VOTE_FAILED);
	CHECK_INT(READ(TRY, 0, 5).vote, RL_VOTE_FAILED);
	CHECK_INT(READ(TRY, 2, 5).vote, RL_VOTE_FAILED);
	CHECK_INT(READ(TRY, 1, -1).vote, RL_VOTE_FAILED);
	CHECK_INT(READ(TRY, 1, 5, 77, 0).vote, RL_VOTE_FAILED);
	CHECK_INT(READ(TRY, 0, 5, 77, 0).vote, RL_VOTE_FAILED);
	CHECK_INT(READ(TRY, 0, 5, 77, 0, 0, 0).vote, RL_VOTE_FAILED);
	CHECK_INT(READ(TRY, 0, -1, 77, 0, 0).vote, RL_VOTE_FAILED);
	CHECK_INT(READ(TRY, 0, 5, 77, -1, 0).vote, RL_VOTE_FAILED);
	CHECK_INT(READ(TRY, 0, 5, 77, 6, 0).vote, RL_VOTE_FAILED);
	CHECK_INT(VOTE(TRY, array(NULL, 0)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(TRY, status("OK")), RL_VOTE_FAILED);
	CHECK_INT(VOTE(TRY, integer(1)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(TRY, nil()), RL_VOTE_FAILED);
}

/* A label in place of the holder's number. */
static void a_label_names_the_holder_of_the_lock(void)
{
	const rl_reply tried[] = {integer(0), integer(1), integer(77), string("web-3:1"), integer(2)};
	const rl_reply looked[] = {integer(1), integer(77), string("web-3:1"), integer(0), integer(2)};
	rl_answer answer = read_it(RL_VERB_TRY, array(tried, 5));
	CHECK_INT(answer.vote, RL_VOTE_REFUSED);
	CHECK_INT(answer.holder, RL_HOLDER_KIN);
	CHECK(rl_bytes_equal(answer.text, bytes_of("web-3:1")));
	CHECK_INT(answer.crowd, 2);
	answer = read_it(RL_VERB_PROBE, array(looked, 5));
	CHECK_INT(answer.vote, RL_VOTE_GRANTED);
	CHECK_INT(answer.holder, RL_HOLDER_KIN);
	CHECK(rl_bytes_equal(answer.text, bytes_of("web-3:1")));
	CHECK_INT(READ(PROBE, 1, 77, 3, 0, 2).text.len, 0);
}

static rl_answer inspect(int64_t pttl, rl_reply holder, int64_t waiters, const char *value)
{
	const rl_reply elements[] = {
		integer(pttl), holder, integer(waiters), string(value), string("web-4:2 cron")};
	return read_it(RL_VERB_INSPECT, array(elements, 5));
}

static void the_answer_to_inspect_is_a_state(void)
{
	rl_answer answer = inspect(77, string("web-3:1"), 2, "rl1.token@web-3:1");
	CHECK_INT(answer.vote, RL_VOTE_GRANTED);
	CHECK_INT(answer.number, 77);
	CHECK_INT(answer.holder, RL_HOLDER_KIN);
	CHECK_INT(answer.crowd, 2);
	CHECK(rl_bytes_equal(answer.text, bytes_of("rl1.token@web-3:1")));
	CHECK(rl_bytes_equal(answer.labels, bytes_of("web-4:2 cron")));
	answer = inspect(-1, integer(RL_HOLDER_FOREIGN), 0, "mine");
	CHECK_INT(answer.vote, RL_VOTE_GRANTED);
	CHECK_INT(answer.number, -1);
	CHECK(rl_bytes_equal(answer.text, bytes_of("mine")));
	/* Both forms of a reservation are the same. */
	CHECK_INT(inspect(9, integer(RL_HOLDER_RESERVED), 1, RL_RESERVED_LONG).text.len, 0);
	CHECK_INT(inspect(9, integer(RL_HOLDER_RESERVED), 1, "").vote, RL_VOTE_GRANTED);
	CHECK_INT(inspect(-2, integer(RL_HOLDER_NOBODY), 0, "").vote, RL_VOTE_REFUSED);
	CHECK_INT(inspect(9, integer(RL_HOLDER_DONE), 0, RL_DONE).vote, RL_VOTE_GRANTED);
	CHECK_INT(inspect(1, integer(6), 0, "").vote, RL_VOTE_FAILED);
	CHECK_INT(inspect(1, nil(), 0, "").vote, RL_VOTE_FAILED);
	CHECK_INT(READ(INSPECT, 1, 2, 3, 4).vote, RL_VOTE_FAILED);
	CHECK_INT(READ(INSPECT, 1, 2, 3).vote, RL_VOTE_FAILED);
	CHECK_INT(VOTE(INSPECT, nil()), RL_VOTE_FAILED);
}

static void the_answer_to_probe_has_the_holder(void)
{
	rl_answer answer = READ(PROBE, 1700000000000000, 77, 3, 0, 12);
	CHECK_INT(answer.vote, RL_VOTE_GRANTED);
	CHECK_INT(answer.time_us, 1700000000000000);
	CHECK_INT(answer.number, 77);
	CHECK_INT(answer.holder, RL_HOLDER_KIN);
	CHECK_INT(answer.ticket, RL_TICKET_NONE);
	CHECK_INT(answer.crowd, 12);
	CHECK_INT(READ(PROBE, 5, -2, 0, 1, 0).ticket, RL_TICKET_OUT);
	CHECK_INT(READ(PROBE, 5, -2, 0, -1, 0).ticket, RL_TICKET_IMPOSSIBLE);
	CHECK_INT(READ(PROBE, 0, -1, 4, 0, 0).vote, RL_VOTE_GRANTED);
}

static void any_other_answer_to_probe_is_a_failure(void)
{
	const rl_reply odd[] = {integer(5), integer(77), integer(0), nil(), integer(0)};
	CHECK_INT(VOTE(PROBE, array(odd, 5)), RL_VOTE_FAILED);
	CHECK_INT(READ(PROBE, 5, 77, 0, 0).vote, RL_VOTE_FAILED);
	CHECK_INT(READ(PROBE, 5, 77, 0, 0, 0, 0).vote, RL_VOTE_FAILED);
	CHECK_INT(READ(PROBE, -1, 77, 0, 0, 0).vote, RL_VOTE_FAILED);
	CHECK_INT(READ(PROBE, 5, 77, 5, 0, 0).holder, RL_HOLDER_DONE);
	CHECK_INT(READ(PROBE, 5, 77, 6, 0, 0).vote, RL_VOTE_FAILED);
	CHECK_INT(READ(PROBE, 5, 77, -1, 0, 0).vote, RL_VOTE_FAILED);
	CHECK_INT(READ(PROBE, 5, 77, 0, 2, 0).vote, RL_VOTE_FAILED);
	CHECK_INT(READ(PROBE, 5, 77, 0, -2, 0).vote, RL_VOTE_FAILED);
	CHECK_INT(VOTE(PROBE, array(NULL, 0)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(PROBE, integer(1)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(PROBE, nil()), RL_VOTE_FAILED);
	CHECK_INT(VOTE(PROBE, status("OK")), RL_VOTE_FAILED);
}

static void the_answer_to_blpop_is_a_ticket_or_nil(void)
{
	const rl_reply ticket[] = {string("tickets"), string("1"), string("x")};
	CHECK_INT(VOTE(BLPOP, array(ticket, 2)), RL_VOTE_GRANTED);
	CHECK_INT(VOTE(BLPOP, nil()), RL_VOTE_REFUSED);
	CHECK_INT(VOTE(BLPOP, array(ticket, 1)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(BLPOP, array(ticket, 3)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(BLPOP, array(NULL, 0)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(BLPOP, string("1")), RL_VOTE_FAILED);
	CHECK_INT(VOTE(BLPOP, integer(1)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(BLPOP, status("OK")), RL_VOTE_FAILED);
}

static void the_answer_to_a_release_says_whether_waiters_could_be_woken(void)
{
	static const rl_verb verbs[] = {RL_VERB_RELEASE, RL_VERB_FORCE};
	for (unsigned i = 0; i < 2; i++) {
		CHECK(read_it(verbs[i], integer(1)).number != RL_FREED_UNTOLD);
		CHECK(read_it(verbs[i], integer(0)).number != RL_FREED_UNTOLD);
		rl_answer answer = read_it(verbs[i], integer(2));
		CHECK_INT(answer.vote, RL_VOTE_GRANTED);
		CHECK_INT(answer.number, RL_FREED_UNTOLD);
		CHECK_INT(read_it(verbs[i], integer(3)).vote, RL_VOTE_FAILED);
	}
}

static void a_release_that_leaves_a_mark_may_find_it_there(void)
{
	rl_request release = request_of(RL_VERB_RELEASE);
	rl_answer answer;
	rl_error err;
	rl_reply before = integer(RL_MARKED_BEFORE);
	release.done_ms = 1;
	rl_answer_read(&release, &before, &answer, &err, NULL, 0);
	CHECK_INT(answer.vote, RL_VOTE_GRANTED);
	CHECK_INT(answer.number, RL_MARKED_BEFORE);
	rl_reply other = integer(RL_MARKED_BEFORE + 1);
	rl_answer_read(&release, &other, &answer, &err, NULL, 0);
	CHECK_INT(answer.vote, RL_VOTE_FAILED);
}

static bool is_taken_over(rl_verb verb, int64_t number)
{
	rl_answer answer = read_it(verb, integer(number));
	return rl_answer_is_taken_over(&answer);
}

static void the_answers_of_plain_verbs_are_one_and_zero(void)
{
	static const rl_verb verbs[] = {
		RL_VERB_RELEASE, RL_VERB_EXTEND, RL_VERB_RENEW, RL_VERB_FORCE, RL_VERB_EXISTS};
	for (unsigned i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
		rl_verb v = verbs[i];
		CHECK_INT(read_it(v, integer(1)).vote, RL_VOTE_GRANTED);
		CHECK_INT(read_it(v, integer(0)).vote, RL_VOTE_REFUSED);
		bool is_freeing = v == RL_VERB_RELEASE || v == RL_VERB_FORCE;
		CHECK_INT(read_it(v, integer(2)).vote, is_freeing ? RL_VOTE_GRANTED : RL_VOTE_FAILED);
		bool is_prolonging = v == RL_VERB_EXTEND || v == RL_VERB_RENEW;
		rl_vote other = is_prolonging ? RL_VOTE_REFUSED : RL_VOTE_FAILED;
		CHECK_INT(read_it(v, integer(-1)).vote, other);
		CHECK_INT(is_taken_over(v, -1), is_prolonging);
		CHECK(!is_taken_over(v, 0));
		CHECK(!is_taken_over(v, 1));
		CHECK_INT(read_it(v, integer(-2)).vote, RL_VOTE_FAILED);
		CHECK_INT(read_it(v, status("OK")).vote, RL_VOTE_FAILED);
		CHECK_INT(read_it(v, string("1")).vote, RL_VOTE_FAILED);
		CHECK_INT(read_it(v, nil()).vote, RL_VOTE_FAILED);
		CHECK_INT(read_it(v, array(NULL, 0)).vote, RL_VOTE_FAILED);
	}
}

static void a_swap_is_done_now_or_before(void)
{
	CHECK_INT(VOTE(SWAP, integer(0)), RL_VOTE_REFUSED);
	CHECK_INT(VOTE(SWAP, integer(3)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(SWAP, integer(-1)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(SWAP, nil()), RL_VOTE_FAILED);
	for (int64_t i = RL_SWAPPED_NOW; i <= RL_SWAPPED_BEFORE; i++) {
		rl_answer answer = read_it(RL_VERB_SWAP, integer(i));
		CHECK_INT(answer.vote, RL_VOTE_GRANTED);
		CHECK_INT(answer.number, i);
	}
}

static void the_answer_to_remaining_is_a_pttl(void)
{
	CHECK_INT(VOTE(REMAINING, integer(-2)), RL_VOTE_REFUSED);
	CHECK_INT(VOTE(REMAINING, integer(-1)), RL_VOTE_GRANTED);
	CHECK_INT(VOTE(REMAINING, integer(0)), RL_VOTE_GRANTED);
	CHECK_INT(read_it(RL_VERB_REMAINING, integer(4711)).number, 4711);
	CHECK_INT(VOTE(REMAINING, integer(-3)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(REMAINING, nil()), RL_VOTE_FAILED);
}

static rl_vote fence_vote(rl_reply reply, int64_t number)
{
	rl_request request = request_of(RL_VERB_FENCE);
	request.fence_number = number;
	rl_answer answer;
	rl_error err;
	rl_answer_read(&request, &reply, &answer, &err, NULL, 0);
	return answer.vote;
}

static void the_answer_to_fence_is_digits_or_a_refusal(void)
{
	rl_answer answer = read_it(RL_VERB_FENCE, string("9007199254740991"));
	CHECK_INT(answer.vote, RL_VOTE_GRANTED);
	CHECK_INT(answer.number, INT64_C(9007199254740991));
	CHECK_INT(VOTE(FENCE, string("1")), RL_VOTE_GRANTED);
	static const char *const wrong[] = {"", "0", "-1", "1.5", "1e15", " 1", "1 ", "nan",
		"10000000000000000000", "12345678901234567"};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		CHECK_INT(VOTE(FENCE, string(wrong[i])), RL_VOTE_FAILED);
	}
	CHECK_INT(VOTE(FENCE, integer(0)), RL_VOTE_REFUSED);
	CHECK(!is_taken_over(RL_VERB_FENCE, 0));
	CHECK(is_taken_over(RL_VERB_FENCE, -1));
	CHECK_INT(VOTE(FENCE, integer(1)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(FENCE, integer(-2)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(FENCE, nil()), RL_VOTE_FAILED);
	CHECK_INT(VOTE(FENCE, status("OK")), RL_VOTE_FAILED);
	CHECK_INT(fence_vote(string("41"), 41), RL_VOTE_GRANTED);
	CHECK_INT(fence_vote(string("42"), 41), RL_VOTE_GRANTED);
	CHECK_INT(fence_vote(string("40"), 41), RL_VOTE_FAILED); /* the number was not written */
}

static void the_answer_to_owner_is_a_text(void)
{
	rl_answer answer = read_it(RL_VERB_OWNER, string("me"));
	CHECK_INT(answer.vote, RL_VOTE_GRANTED);
	CHECK(rl_bytes_equal(answer.text, bytes_of("me")));
	CHECK_INT(VOTE(OWNER, string("")), RL_VOTE_REFUSED); /* a reservation has no owner */
	CHECK_INT(VOTE(OWNER, nil()), RL_VOTE_REFUSED);
	CHECK_INT(VOTE(OWNER, integer(1)), RL_VOTE_FAILED);
	CHECK_INT(VOTE(OWNER, status("OK")), RL_VOTE_FAILED);
}

static void errors_keep_their_word(void)
{
	for (int verb = RL_VERB_SET; verb < RL_VERBS; verb++) {
		rl_request request = request_of((rl_verb) verb);
		rl_reply reply = {.type = RL_REPLY_ERROR, .text = bytes_of("WRONGTYPE token here")};
		rl_answer answer;
		rl_error err;
		rl_answer_read(&request, &reply, &answer, &err, &request.token, 1);
		CHECK_INT(answer.vote, RL_VOTE_FAILED);
		CHECK_INT(err.status, RL_ERR_SERVER);
		CHECK_TEXT(err.code, "WRONGTYPE");
		CHECK_HAS(err.message, "WRONGTYPE *** here");
		CHECK_INT(answer.again, verb == RL_VERB_OWNER ? RL_AGAIN_BY_TYPE : RL_AGAIN_NOT);
	}
}

/* A sorted set is a lock of symfony/lock. */
static void owner_by_type_knows_a_sorted_set(void)
{
	static const struct {
		rl_reply_type type;
		const char *text;
		rl_vote vote;
		const char *message;
	} cases[] = {{RL_REPLY_STATUS, "zset", RL_VOTE_REFUSED, ""},
		{RL_REPLY_STATUS, "none", RL_VOTE_REFUSED, ""},
		{RL_REPLY_STATUS, "string", RL_VOTE_REFUSED, ""},
		{RL_REPLY_STATUS, "hash", RL_VOTE_FAILED,
			"WRONGTYPE the key holds a hash (the key is used"},
		{RL_REPLY_STATUS, "a module's, with a name longer than it should be", RL_VOTE_FAILED,
			"WRONGTYPE the key holds no string (the key"},
		{RL_REPLY_ERROR, "NOPERM x", RL_VOTE_FAILED, "WRONGTYPE the key holds no string (the key"},
		{RL_REPLY_ERROR, "WRONGTYPE x", RL_VOTE_FAILED, "WRONGTYPE x (the key"},
		{RL_REPLY_ERROR, "LOADING x", RL_VOTE_FAILED, "LOADING x"},
		{RL_REPLY_STRING, "zset", RL_VOTE_FAILED, "does not fit the command"}};
	rl_request request = request_of(RL_VERB_OWNER);
	request.form = RL_FORM_TYPE;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		rl_reply reply = {.type = cases[i].type, .text = bytes_of(cases[i].text)};
		rl_answer answer;
		rl_error err = {.message = ""};
		rl_answer_read(&request, &reply, &answer, &err, NULL, 0);
		CHECK_INT(answer.vote, (int64_t) cases[i].vote);
		CHECK_INT(answer.again, RL_AGAIN_NOT);
		CHECK_HAS(err.message, cases[i].message);
	}
}

static void a_type_repeats_no_secret(void)
{
	rl_request request = request_of(RL_VERB_OWNER);
	request.form = RL_FORM_TYPE;
	rl_bytes secret = bytes_of("hunter2");
	rl_reply reply = {.type = RL_REPLY_STATUS, .text = bytes_of("type hunter2")};
	rl_answer answer;
	rl_error err = {.message = ""};
	rl_answer_read(&request, &reply, &answer, &err, &secret, 1);
	CHECK_INT(answer.vote, RL_VOTE_FAILED);
	CHECK_HAS(err.message, "WRONGTYPE the key holds a type ***");
}

static rl_again again(rl_request request, const char *text)
{
	rl_reply reply = {.type = RL_REPLY_ERROR, .text = bytes_of(text)};
	rl_answer answer;
	rl_error err;
	rl_answer_read(&request, &reply, &answer, &err, NULL, 0);
	CHECK_INT(answer.vote, RL_VOTE_FAILED);
	return answer.again;
}

static void noscript_is_known_by_its_word(void)
{
	rl_request release = request_of(RL_VERB_RELEASE);
	CHECK_INT(again(release, "NOSCRIPT No matching script. Please use EVAL."), RL_AGAIN_AS_TEXT);
	CHECK_INT(again(release, "NOSCRIPT"), RL_AGAIN_AS_TEXT);
	CHECK_INT(again(release, "NOSCRIPT another sentence"), RL_AGAIN_AS_TEXT);
	CHECK_INT(again(release, "ERR NOSCRIPT"), RL_AGAIN_NOT);
	CHECK_INT(again(release, "NOSCRIPTS x"), RL_AGAIN_NOT);
	CHECK_INT(again(release, ""), RL_AGAIN_NOT);
	release.form = RL_FORM_TEXT;
	CHECK_INT(again(release, "NOSCRIPT"), RL_AGAIN_NOT);
}

/* For each verb: which errors make it send the command again, and how. */
static void which_errors_are_asked_again_and_how(void)
{
	static const struct {
		rl_verb verb;
		bool is_script;
		bool has_helpers;
	} cases[] = {{RL_VERB_SET, false, false}, {RL_VERB_TRY, true, true},
		{RL_VERB_PROBE, true, false}, {RL_VERB_BLPOP, false, false}, {RL_VERB_RELEASE, true, true},
		{RL_VERB_EXTEND, true, false}, {RL_VERB_RENEW, true, false}, {RL_VERB_SWAP, true, false},
		{RL_VERB_INSPECT, true, true}, {RL_VERB_FORCE, true, true}, {RL_VERB_EXISTS, false, false},
		{RL_VERB_OWNER, false, false}, {RL_VERB_REMAINING, false, false},
		{RL_VERB_FENCE, true, false}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		rl_request request = request_of(cases[i].verb);
		CHECK_INT(
			again(request, "NOSCRIPT x"), cases[i].is_script ? RL_AGAIN_AS_TEXT : RL_AGAIN_NOT);
		rl_again alone = cases[i].has_helpers ? RL_AGAIN_NO_HELPERS : RL_AGAIN_NOT;
		CHECK_INT(again(request, "NOPERM x"), (int64_t) alone);
		CHECK_INT(again(request, "CROSSSLOT Keys in request don't hash to the same slot"),
			(int64_t) alone);
		CHECK_INT(again(request, "NOPERMS x"), RL_AGAIN_NOT);
		CHECK_INT(again(request, "CROSSLOT x"), RL_AGAIN_NOT);
		request.form = RL_FORM_TEXT;
		CHECK_INT(again(request, "NOSCRIPT x"), RL_AGAIN_NOT);
		CHECK_INT(again(request, "NOPERM x"), (int64_t) alone);
		CHECK_INT(again(request, "CROSSSLOT x"), (int64_t) alone);
		request.no_helpers = true;
		CHECK_INT(again(request, "NOPERM x"), RL_AGAIN_NOT);
		CHECK_INT(again(request, "CROSSSLOT x"), RL_AGAIN_NOT);
	}
}

static const check_test tests[] = {
	TEST(a_swap_is_done_now_or_before),
	TEST(the_answer_to_set_is_ok_or_nil),
	TEST(the_answer_to_try_is_one_or_a_refusal),
	TEST(any_other_answer_to_try_is_a_failure),
	TEST(a_label_names_the_holder_of_the_lock),
	TEST(the_answer_to_inspect_is_a_state),
	TEST(the_answer_to_probe_has_the_holder),
	TEST(any_other_answer_to_probe_is_a_failure),
	TEST(the_answer_to_blpop_is_a_ticket_or_nil),
	TEST(the_answer_to_a_release_says_whether_waiters_could_be_woken),
	TEST(a_release_that_leaves_a_mark_may_find_it_there),
	TEST(the_answers_of_plain_verbs_are_one_and_zero),
	TEST(the_answer_to_remaining_is_a_pttl),
	TEST(the_answer_to_fence_is_digits_or_a_refusal),
	TEST(the_answer_to_owner_is_a_text),
	TEST(errors_keep_their_word),
	TEST(owner_by_type_knows_a_sorted_set),
	TEST(a_type_repeats_no_secret),
	TEST(noscript_is_known_by_its_word),
	TEST(which_errors_are_asked_again_and_how),
};

CHECK_MAIN(tests, NULL)
