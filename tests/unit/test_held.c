/* SPDX-License-Identifier: MIT
 *
 * Replies that are held back until the replicas have confirmed, and how the answer to WAIT judges
 * each of them.
 */
#include "check.h"
#include "core/conn/rl_held.h"
#include "no_memory.h"

#include <stdio.h>

static rl_held held;
static rl_reply taken;
static unsigned tag;

static void clean_up(void)
{
	is_counting = false;
	rl_held_clear(&held);
}

static rl_reply number(int64_t integer)
{
	return (rl_reply){.type = RL_REPLY_INTEGER, .integer = integer};
}

static rl_reply text(rl_reply_type type, const char *words)
{
	return (rl_reply){.type = type, .text = bytes_of(words)};
}

static void hold(rl_reply reply, unsigned its_tag, bool needs_replicas)
{
	CHECK(rl_held_add(&held, &reply, its_tag, needs_replicas));
}

static void judge(rl_reply wait)
{
	rl_held_judge(&held, &wait, 2, 100);
}

static void check_next_is(rl_reply_type type, unsigned its_tag)
{
	CHECK(rl_held_take(&held, &taken, &tag));
	CHECK_INT(taken.type, type);
	CHECK_INT(tag, its_tag);
}

static void check_words(const char *words)
{
	CHECK(rl_bytes_equal(taken.text, bytes_of(words)));
}

static void check_no_more(void)
{
	CHECK(!rl_held_take(&held, &taken, &tag));
}

static void no_reply_is_passed_on_before_the_verdict(void)
{
	CHECK(rl_held_is_empty(&held));
	check_no_more();
	hold(number(1), 7, true);
	CHECK(!rl_held_is_empty(&held));
	check_no_more();
	judge(number(2));
	check_next_is(RL_REPLY_INTEGER, 7);
	CHECK_INT(taken.integer, 1);
	check_no_more();
	CHECK(rl_held_is_empty(&held));
}

static void replies_keep_their_order_and_their_content(void)
{
	char ok[] = "OK";
	char holder[] = "web7:12";
	rl_reply elements[] = {number(1), number(1234567), text(RL_REPLY_STRING, holder)};
	hold(text(RL_REPLY_STATUS, ok), 3, true);
	hold((rl_reply){.type = RL_REPLY_ARRAY, .elements = elements, .count = 3}, 1, true);
	hold((rl_reply){.type = RL_REPLY_NIL}, 2, true);
	hold(text(RL_REPLY_ERROR, "ERR x"), 5, false);
	ok[0] = holder[0] = '?'; /* copies were kept */
	elements[1].integer = 0;
	judge(number(2));
	check_next_is(RL_REPLY_STATUS, 3);
	check_words("OK");
	check_next_is(RL_REPLY_ARRAY, 1);
	CHECK_INT(taken.count, 3);
	CHECK_INT(taken.elements[0].integer, 1);
	CHECK_INT(taken.elements[1].integer, 1234567);
	CHECK(rl_bytes_equal(taken.elements[2].text, bytes_of("web7:12")));
	check_next_is(RL_REPLY_NIL, 2);
	check_next_is(RL_REPLY_ERROR, 5);
	check_words("ERR x");
	check_no_more();
}

static void an_array_is_kept_up_to_five_elements(void)
{
	rl_reply elements[7];
	for (unsigned i = 0; i < 7; i++) {
		elements[i] = number(i);
	}
	hold((rl_reply){.type = RL_REPLY_ARRAY, .elements = elements, .count = 7}, 0, true);
	judge(number(2));
	check_next_is(RL_REPLY_ARRAY, 0);
	CHECK_INT(taken.count, 5);
	CHECK_INT(taken.elements[4].integer, 4);
}

/* Only a yes that needs the replicas is taken back. */
static void too_few_replicas_make_each_yes_unconfirmed(void)
{
	rl_reply granted[] = {number(1), number(99)};
	rl_reply refused[] = {number(0), number(99)};
	hold(text(RL_REPLY_STATUS, "OK"), 1, true);
	hold(number(2), 2, true);
	hold((rl_reply){.type = RL_REPLY_ARRAY, .elements = granted, .count = 2}, 3, true);
	hold((rl_reply){.type = RL_REPLY_ARRAY, .elements = refused, .count = 2}, 4, true);
	hold((rl_reply){.type = RL_REPLY_NIL}, 5, true);
	hold(number(0), 6, true);
	hold(number(-1), 7, true);
	hold(text(RL_REPLY_ERROR, "ERR x"), 8, true);
	hold(number(1), 9, false); /* a release */
	hold(text(RL_REPLY_STRING, "17"), 10, true);
	judge(number(1));
	static const int64_t numbers[] = {0, 2, 1};
	for (unsigned i = 0; i < 3; i++) {
		check_next_is(RL_REPLY_UNCONFIRMED, i + 1);
		CHECK_INT(taken.integer, numbers[i]);
		CHECK_INT(taken.count, 0);
		check_words("only 1 of 2 replicas confirmed within 0.1 s");
	}
	check_next_is(RL_REPLY_ARRAY, 4);
	check_next_is(RL_REPLY_NIL, 5);
	check_next_is(RL_REPLY_INTEGER, 6);
	check_next_is(RL_REPLY_INTEGER, 7);
	check_next_is(RL_REPLY_ERROR, 8);
	check_next_is(RL_REPLY_INTEGER, 9);
	CHECK_INT(taken.integer, 1);
	check_next_is(RL_REPLY_UNCONFIRMED, 10);
	check_no_more();
}

/* The reader uses its memory again for the replies that follow. */
static void a_verdict_reads_the_copy_of_an_array(void)
{
	rl_reply granted[] = {number(1), number(99)};
	rl_reply refused[] = {number(0), number(99)};
	hold((rl_reply){.type = RL_REPLY_ARRAY, .elements = granted, .count = 2}, 1, true);
	hold((rl_reply){.type = RL_REPLY_ARRAY, .elements = refused, .count = 2}, 2, true);
	granted[0] = (rl_reply){.type = RL_REPLY_ARRAY};
	refused[0] = number(1);
	judge(number(1));
	check_next_is(RL_REPLY_UNCONFIRMED, 1);
	check_next_is(RL_REPLY_ARRAY, 2);
	CHECK_INT(taken.elements[0].integer, 0);
}

static void the_wanted_number_of_replicas_is_enough(void)
{
	static const struct {
		int64_t count;
		rl_reply_type type;
	} cases[] = {{0, RL_REPLY_UNCONFIRMED}, {1, RL_REPLY_UNCONFIRMED}, {2, RL_REPLY_STATUS},
		{3, RL_REPLY_STATUS}, {-1, RL_REPLY_UNCONFIRMED}};
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		hold(text(RL_REPLY_STATUS, "OK"), 0, true);
		judge(number(cases[i].count));
		check_next_is(cases[i].type, 0);
		check_no_more();
	}
}

static void an_answer_to_wait_that_is_no_number_confirms_nothing(void)
{
	static const struct {
		rl_reply_type type;
		const char *words;
		const char *said;
		size_t is_refused;
	} cases[] = {
		{RL_REPLY_NIL, "", "fewer than 2 replicas confirmed within 0.1 s", 0},
		{RL_REPLY_STATUS, "OK", "fewer than 2 replicas confirmed within 0.1 s", 0},
		{RL_REPLY_ERROR, "NOPERM no 'wait'", "NOPERM no 'wait'", 1},
		{RL_REPLY_ERROR, "", "", 1},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		hold(text(RL_REPLY_STATUS, "OK"), 0, true);
		judge(text(cases[i].type, cases[i].words));
		check_next_is(RL_REPLY_UNCONFIRMED, 0);
		check_words(cases[i].said);
		CHECK_INT(taken.count, cases[i].is_refused);
		check_no_more();
	}
}

static void a_long_error_is_cut(void)
{
	char words[300];
	memset(words, 'x', sizeof words);
	hold(text(RL_REPLY_STATUS, "OK"), 0, true);
	judge((rl_reply){.type = RL_REPLY_ERROR, .text = rl_bytes_of(words, sizeof words)});
	check_next_is(RL_REPLY_UNCONFIRMED, 0);
	CHECK_INT(taken.text.len, 100);
}

static void a_verdict_applies_to_the_replies_held_before_it(void)
{
	hold(text(RL_REPLY_STATUS, "OK"), 1, true);
	judge(number(2));
	hold(text(RL_REPLY_STATUS, "OK"), 2, true);
	check_next_is(RL_REPLY_STATUS, 1);
	check_no_more();
	CHECK(!rl_held_is_empty(&held));
	judge(number(0));
	check_next_is(RL_REPLY_UNCONFIRMED, 2);
	check_no_more();
	judge(number(0)); /* about no reply */
	check_no_more();
}

static void many_replies_are_held(void)
{
	char words[16];
	for (unsigned i = 0; i < 500; i++) {
		snprintf(words, sizeof words, "%u", i);
		hold(text(RL_REPLY_STRING, words), i, true);
	}
	judge(number(2));
	for (unsigned i = 0; i < 500; i++) {
		check_next_is(RL_REPLY_STRING, i);
		snprintf(words, sizeof words, "%u", i);
		check_words(words);
	}
	check_no_more();
	CHECK(rl_held_is_empty(&held));
}

static void without_memory_nothing_is_held(void)
{
	rl_reply ok = text(RL_REPLY_STATUS, "OK");
	for (fails_at = 1; fails_at <= 2; fails_at++) { /* the list, the text */
		asked = 0;
		is_counting = true;
		bool is_held = rl_held_add(&held, &ok, 1, true);
		is_counting = false;
		CHECK(!is_held);
		CHECK(rl_held_is_empty(&held));
		rl_held_clear(&held);
	}
	hold(ok, 2, true);
	judge(number(2));
	check_next_is(RL_REPLY_STATUS, 2);
}

static void clearing_drops_all_replies(void)
{
	hold(text(RL_REPLY_STATUS, "OK"), 1, true);
	hold(text(RL_REPLY_STATUS, "OK"), 2, true);
	judge(number(2));
	check_next_is(RL_REPLY_STATUS, 1);
	rl_held_clear(&held);
	CHECK(rl_held_is_empty(&held));
	check_no_more();
	rl_held_clear(&held);
}

static const check_test tests[] = {
	TEST(no_reply_is_passed_on_before_the_verdict),
	TEST(replies_keep_their_order_and_their_content),
	TEST(an_array_is_kept_up_to_five_elements),
	TEST(too_few_replicas_make_each_yes_unconfirmed),
	TEST(a_verdict_reads_the_copy_of_an_array),
	TEST(the_wanted_number_of_replicas_is_enough),
	TEST(an_answer_to_wait_that_is_no_number_confirms_nothing),
	TEST(a_long_error_is_cut),
	TEST(a_verdict_applies_to_the_replies_held_before_it),
	TEST(many_replies_are_held),
	TEST(without_memory_nothing_is_held),
	TEST(clearing_drops_all_replies),
};

CHECK_MAIN(tests, clean_up)
