/* SPDX-License-Identifier: MIT
 *
 * The reader of replies and its limits.
 */
#include "check.h"
#include "transport/rl_hiredis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rl_reader *reader;
static char out[4096];

static void clean_up(void)
{
	rl_reader_free(reader);
	reader = NULL;
}

static void start(void)
{
	clean_up();
	reader = rl_reader_new();
	CHECK(reader != NULL);
}

static size_t describe(char *to, size_t size, const rl_reply *reply)
{
	int len = (int) reply->text.len;
	switch (reply->type) {
		case RL_REPLY_NIL:
			return (size_t) snprintf(to, size, "nil");
		case RL_REPLY_STATUS:
			return (size_t) snprintf(to, size, "+%.*s", len, reply->text.data);
		case RL_REPLY_ERROR:
			return (size_t) snprintf(to, size, "-%.*s", len, reply->text.data);
		case RL_REPLY_STRING:
			return (size_t) snprintf(to, size, "$%.*s", len, reply->text.data);
		case RL_REPLY_INTEGER:
			return (size_t) snprintf(to, size, "%" PRId64, reply->integer);
		case RL_REPLY_UNCONFIRMED: /* no reader makes it */
		case RL_REPLY_ARRAY:
			break;
	}
	size_t used = (size_t) snprintf(to, size, "[");
	for (size_t i = 0; i < reply->count; i++) {
		used += (size_t) snprintf(to + used, size - used, i > 0 ? " " : "");
		used += describe(to + used, size - used, &reply->elements[i]);
	}
	return used + (size_t) snprintf(to + used, size - used, "]");
}

/* All replies there are, each with ';' behind it, and '!' if it is no protocol. */
static void take_all(size_t *used)
{
	rl_reply reply;
	int result;
	while ((result = rl_reader_next(reader, &reply)) > 0) {
		*used += describe(out + *used, sizeof out - *used, &reply);
		*used += (size_t) snprintf(out + *used, sizeof out - *used, ";");
	}
	if (result < 0) {
		snprintf(out + *used, sizeof out - *used, "!");
		CHECK_INT(rl_reader_next(reader, &reply), -1); /* for ever */
		CHECK_INT(rl_reader_next(reader, &reply), -1);
	}
}

/* Feeds a copy that ends at its end, in pieces of the given size. */
static const char *read_in_pieces(const char *text, size_t len, size_t size)
{
	size_t used = 0;
	out[0] = '\0';
	start();
	for (size_t at = 0; at < len; at += size) {
		size_t piece = len - at < size ? len - at : size;
		char *copy = malloc(piece);
		memcpy(copy, text + at, piece);
		bool is_fed = rl_reader_feed(reader, copy, piece);
		free(copy);
		CHECK(is_fed);
		take_all(&used);
		if (used > 0 && out[used] == '!') {
			break;
		}
		if (out[0] == '!') {
			break;
		}
	}
	return out;
}

static const char *read_text(const char *text)
{
	return read_in_pieces(text, strlen(text), strlen(text) + 1);
}

static void each_type(void)
{
	CHECK_TEXT(read_text("+OK\r\n"), "+OK;");
	CHECK_TEXT(read_text("+\r\n"), "+;");
	CHECK_TEXT(read_text("-ERR no\r\n"), "-ERR no;");
	CHECK_TEXT(read_text(":0\r\n"), "0;");
	CHECK_TEXT(read_text(":-2\r\n"), "-2;");
	CHECK_TEXT(read_text(":9223372036854775807\r\n"), "9223372036854775807;");
	CHECK_TEXT(read_text(":-9223372036854775808\r\n"), "-9223372036854775808;");
	CHECK_TEXT(read_text("$3\r\nabc\r\n"), "$abc;");
	CHECK_TEXT(read_text("$0\r\n\r\n"), "$;");
	CHECK_TEXT(read_text("$-1\r\n"), "nil;");
	CHECK_TEXT(read_text("*-1\r\n"), "nil;");
	CHECK_TEXT(read_text("*0\r\n"), "[];");
	CHECK_TEXT(read_text("*3\r\n:0\r\n:500\r\n:1\r\n"), "[0 500 1];");
	CHECK_TEXT(read_text("*4\r\n$1\r\na\r\n$-1\r\n+b\r\n-c\r\n"), "[$a nil +b -c];");
	CHECK_TEXT(read_text("*2\r\n*2\r\n:1\r\n:2\r\n*1\r\n:3\r\n"), "[[1 2] [3]];");
	CHECK_TEXT(read_text("*3\r\n*0\r\n*-1\r\n*1\r\n*1\r\n:7\r\n"), "[[] nil [[7]]];");
}

static void a_text_may_have_any_bytes(void)
{
	start();
	CHECK(rl_reader_feed(reader, "$6\r\na\0\r\n\xff+\r\n", 12));
	rl_reply reply;
	CHECK_INT(rl_reader_next(reader, &reply), 1);
	CHECK(rl_bytes_equal(reply.text, rl_bytes_of("a\0\r\n\xff+", 6)));
	CHECK_INT(rl_reader_next(reader, &reply), 0);
}

#define TALK \
 "+OK\r\n-NOSCRIPT No matching script\r\n*3\r\n:0\r\n:500\r\n:1\r\n$-1\r\n$5\r\na\r\nbc\r\n:1\r\n*0\r\n" \
 "*2\r\n$2\r\nab\r\n*1\r\n:9\r\n"
#define TALK_READ "+OK;-NOSCRIPT No matching script;[0 500 1];nil;$a\r\nbc;1;[];[$ab [9]];"

static void many_in_one_piece_or_in_many(void)
{
	for (size_t size = 1; size <= sizeof TALK; size++) {
		CHECK_TEXT(read_in_pieces(TALK, sizeof TALK - 1, size), TALK_READ);
	}
}

static void a_piece_is_not_enough(void)
{
	for (size_t len = 1; len < 20; len++) {
		start();
		CHECK(rl_reader_feed(reader, "*2\r\n$4\r\nabcd\r\n:12\r\n", len));
		rl_reply reply;
		CHECK_INT(rl_reader_next(reader, &reply), len == 19);
	}
}

static void texts_small_and_large(void)
{
	for (size_t len = 500; len < 530; len++) {
		char text[2000];
		char wanted[2000];
		int head = snprintf(text, sizeof text, "*3\r\n$%zu\r\n", len);
		memset(text + head, 'a', len);
		snprintf(text + head + len, sizeof text - (size_t) head - len,
			"\r\n$4\r\nbbbb\r\n$10\r\ncccccccccc\r\n");
		int used = snprintf(wanted, sizeof wanted, "[$");
		memset(wanted + used, 'a', len);
		snprintf(wanted + used + len, sizeof wanted - (size_t) used - len, " $bbbb $cccccccccc];");
		CHECK_TEXT(read_text(text), wanted);
		CHECK_TEXT(read_in_pieces(text, strlen(text), 100), wanted);
	}
}

static void what_is_left_in_the_middle_is_freed(void)
{
	char text[3000];
	int head = snprintf(text, sizeof text, "*3\r\n$2000\r\n");
	memset(text + head, 'a', 2000);
	snprintf(text + head + 2000, sizeof text - (size_t) head - 2000, "\r\n$700\r\nbbb");
	CHECK_TEXT(read_text(text), "");
	snprintf(text + head + 2000, sizeof text - (size_t) head - 2000, "\r\n?");
	CHECK_TEXT(read_text(text), "!");
}

/* ---- limits ---- */

static void arrays_have_few_elements(void)
{
	char text[200];
	char wanted[200] = "[";
	for (unsigned count = 1; count < 20; count++) {
		size_t used = (size_t) snprintf(text, sizeof text, "*%u\r\n", count);
		size_t said = 1;
		for (unsigned i = 0; i < count; i++) {
			used += (size_t) snprintf(text + used, sizeof text - used, ":1\r\n");
			said += (size_t) snprintf(wanted + said, sizeof wanted - said, i > 0 ? " 1" : "1");
		}
		snprintf(wanted + said, sizeof wanted - said, "];");
		CHECK_TEXT(read_text(text), count <= 15 ? wanted : "!");
	}
	CHECK_TEXT(read_text("*2\r\n*13\r\n"), "");
	CHECK_TEXT(read_text("*2\r\n*14\r\n"), "!");
}

static void many_replies_do_not_use_up_the_nodes(void)
{
	start();
	for (unsigned i = 0; i < 1000; i++) {
		rl_reply reply;
		CHECK(rl_reader_feed(reader, "*3\r\n:0\r\n$3\r\nabc\r\n:1\r\n", 21));
		CHECK_INT(rl_reader_next(reader, &reply), 1);
		CHECK_INT(reply.count, 3);
		CHECK_INT(reply.elements[2].integer, 1);
	}
}

static void announcements_are_not_believed(void)
{
	static const char *const texts[] = {"*16\r\n", "*1000000\r\n", "*2147483647\r\n",
		"*2147483648\r\n", "*4294967295\r\n", "*4294967297\r\n", "*9223372036854775807\r\n",
		"*-2\r\n", "*-2147483648\r\n", "$-2\r\n", "$9223372036854775807\r\n", "*1\r\n*1000000\r\n",
		"*2\r\n*-2\r\n"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		const char *is = read_text(texts[i]);
		if (strcmp(is, "!") != 0 && strncmp(texts[i], "$9", 2) != 0) {
			FAIL("%s is [%s]", texts[i], is);
		}
	}
}

static void deep_nesting_is_refused(void)
{
	char text[100] = "";
	bool was_refused = false;
	for (unsigned depth = 1; depth < 20; depth++) {
		strcat(text, "*1\r\n");
		was_refused = read_text(text)[0] == '!';
	}
	CHECK(was_refused);
}

/* Feeds head, then filler until it is refused; returns how many bytes went in. */
static size_t fill(const char *head)
{
	static char filler[1000];
	memset(filler, 'a', sizeof filler);
	start();
	CHECK(rl_reader_feed(reader, head, strlen(head)));
	size_t fed = strlen(head);
	rl_reply reply;
	while (fed < 3 * RL_READER_BYTES_MAX && rl_reader_next(reader, &reply) == 0 &&
		rl_reader_feed(reader, filler, sizeof filler)) {
		fed += sizeof filler;
	}
	return fed;
}

static void a_reply_without_end_is_refused(void)
{
	CHECK(fill("+") <= RL_READER_BYTES_MAX);
	CHECK(fill("$536870912\r\n") <= RL_READER_BYTES_MAX);
	CHECK(fill("$2147483647\r\n") <= RL_READER_BYTES_MAX);
	CHECK(fill("*3\r\n:1\r\n+") <= RL_READER_BYTES_MAX + 10);
}

static void the_limit_is_exact(void)
{
	size_t len = RL_READER_BYTES_MAX - 12; /* "$1048564\r\n" and the end */
	char *text = malloc(RL_READER_BYTES_MAX);
	int head = snprintf(text, 20, "$%zu\r\n", len);
	memset(text + head, 'x', len);
	memcpy(text + (size_t) head + len, "\r\n", 2);
	CHECK_INT((size_t) head + len + 2, RL_READER_BYTES_MAX);
	start();
	bool is_fed = rl_reader_feed(reader, text, RL_READER_BYTES_MAX);
	bool is_too_much = rl_reader_feed(reader, "+", 1);
	free(text);
	rl_reply reply;
	CHECK(is_fed && !is_too_much);
	CHECK_INT(rl_reader_next(reader, &reply), 1);
	CHECK_INT(reply.text.len, (int64_t) len);
	CHECK(rl_reader_feed(reader, "+OK\r\n", 5));
	CHECK_INT(rl_reader_next(reader, &reply), 1);
	CHECK_INT(reply.type, RL_REPLY_STATUS);
}

static void nonsense_is_refused(void)
{
	static const char *const texts[] = {"HTTP/1.1 400 Bad Request\r\n", "\r\n", "x\r\n", "OK\r\n",
		" +OK\r\n", "?\r\n", "$abc\r\n", "*x\r\n", ":12x\r\n", ":\r\n", ":99999999999999999999\r\n",
		"*1\r\nOK\r\n", "SSH-2.0-OpenSSH\r\n"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		const char *is = read_text(texts[i]);
		/* hiredis 0.14 takes a number for 0 that has no digits. */
		if (strcmp(is, "!") != 0 && strcmp(texts[i], ":\r\n") != 0) {
			FAIL("%s is [%s]", texts[i], is);
		}
	}
	CHECK_TEXT(read_text("+OK\r\n:1\r\nx\r\n+OK\r\n"), "+OK;1;!");
	CHECK_TEXT(read_in_pieces("\0\0\0\0", 4, 4), "!");
	CHECK_TEXT(read_in_pieces("\x16\x03\x01\x02", 4, 4), "!"); /* TLS */
}

static void types_that_we_have_no_use_for_do_no_harm(void)
{
	static const char *const texts[] = {"%1\r\n+a\r\n:1\r\n", "~1\r\n:1\r\n", ">1\r\n+a\r\n",
		"|1\r\n+a\r\n:1\r\n+OK\r\n", "=5\r\ntxt:a\r\n", "(12345678901234567890\r\n", "_\r\n",
		"!3\r\nERR\r\n", "$?\r\n;1\r\na\r\n;0\r\n", "*?\r\n:1\r\n.\r\n", ",nan\r\n", "#x\r\n"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		read_text(texts[i]);
		read_in_pieces(texts[i], strlen(texts[i]), 1);
	}
	CHECK_TEXT(read_text("#t\r\n"), "!");
	CHECK_TEXT(read_text("#f\r\n"), "!");
	CHECK_TEXT(read_text(",1.5\r\n"), "!");
	CHECK_TEXT(read_text("*2\r\n:1\r\n#t\r\n"), "!");
}

/* ---- the way out ---- */

static const char *format(unsigned argc, const rl_bytes *argv, size_t *len)
{
	static char copy[4096];
	char *command = NULL;
	*len = rl_format(argc, argv, &command);
	CHECK(*len < sizeof copy);
	if (*len == 0) {
		return "";
	}
	memcpy(copy, command, *len);
	copy[*len] = '\0';
	rl_format_free(command);
	return copy;
}

static void commands_are_arrays_of_texts(void)
{
	size_t len;
	const rl_bytes set[] = {bytes_of("SET"), rl_bytes_of("a\0\r\n", 4), bytes_of("")};
	const char *is = format(3, set, &len);
	CHECK_INT(len, 29);
	CHECK(memcmp(is, "*3\r\n$3\r\nSET\r\n$4\r\na\0\r\n\r\n$0\r\n\r\n", 29) == 0);
}

static void so_many_arguments_and_no_more(void)
{
	rl_bytes argv[17];
	for (unsigned i = 0; i < 17; i++) {
		argv[i] = bytes_of("x");
	}
	size_t len;
	CHECK(strncmp(format(16, argv, &len), "*16\r\n", 5) == 0);
	CHECK_INT(len, 5 + 16 * 7);
}

static void more_arguments_are_refused(void)
{
	rl_bytes argv[40];
	for (unsigned i = 0; i < 40; i++) {
		argv[i] = bytes_of("x");
	}
	size_t len;
	format(40, argv, &len);
	CHECK_INT(len, 0);
}

static void the_version_is_told(void)
{
	CHECK(rl_hiredis_version()[0] >= '0' && rl_hiredis_version()[0] <= '9');
	CHECK(strchr(rl_hiredis_version(), '.') != NULL);
	rl_reader_free(NULL);
}

static const check_test tests[] = {
	TEST(each_type),
	TEST(a_text_may_have_any_bytes),
	TEST(many_in_one_piece_or_in_many),
	TEST(a_piece_is_not_enough),
	TEST(texts_small_and_large),
	TEST(what_is_left_in_the_middle_is_freed),
	TEST(arrays_have_few_elements),
	TEST(many_replies_do_not_use_up_the_nodes),
	TEST(announcements_are_not_believed),
	TEST(deep_nesting_is_refused),
	TEST(a_reply_without_end_is_refused),
	TEST(the_limit_is_exact),
	TEST(nonsense_is_refused),
	TEST(types_that_we_have_no_use_for_do_no_harm),
	TEST(commands_are_arrays_of_texts),
	TEST(so_many_arguments_and_no_more),
	TEST(more_arguments_are_refused),
	TEST(the_version_is_told),
};

CHECK_MAIN(tests, clean_up)
