/* SPDX-License-Identifier: MIT
 *
 * The reader of replies and its limits.
 */
#include "check.h"
#include "no_memory.h"
#include "transport/rl_hiredis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rl_reader *reader;
static char out[4096];

static void clean_up(void)
{
	is_counting = false;
	fails_at = 0;
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

/* All replies that there are, each followed by ';', and then '!' if the bytes are no protocol. */
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
		CHECK_INT(rl_reader_next(reader, &reply), -1); /* for good */
		CHECK_INT(rl_reader_next(reader, &reply), -1);
	}
}

/* Feeds a copy without any byte after its end, in pieces of the given size. */
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

static void each_type_of_reply_is_read(void)
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

static void many_replies_may_come_in_one_piece_or_in_many(void)
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

static void texts_may_be_small_and_large(void)
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

static void a_reply_that_is_never_completed_is_freed(void)
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

/* From arrays that fit into the stock of nodes to arrays that need blocks. */
static void arrays_may_have_any_size(void)
{
	char text[400];
	char wanted[400] = "[";
	for (unsigned count = 1; count < 60; count++) {
		size_t used = (size_t) snprintf(text, sizeof text, "*%u\r\n", count);
		size_t said = 1;
		for (unsigned i = 0; i < count; i++) {
			used += (size_t) snprintf(text + used, sizeof text - used, ":%u\r\n", i);
			said += (size_t) snprintf(wanted + said, sizeof wanted - said, i > 0 ? " %u" : "%u", i);
		}
		snprintf(wanted + said, sizeof wanted - said, "];");
		CHECK_TEXT(read_text(text), wanted);
		CHECK_TEXT(read_in_pieces(text, used, 7), wanted);
	}
}

#define RANGE_OF(first, last, port) \
 "*4\r\n:" first "\r\n:" last "\r\n" \
 "*4\r\n$9\r\n127.0.0.1\r\n:" port "\r\n$2\r\nid\r\n*0\r\n" \
 "*4\r\n$-1\r\n:" port "\r\n$2\r\nid\r\n*2\r\n$8\r\nhostname\r\n$1\r\nh\r\n"

static void the_map_of_a_cluster_is_read(void)
{
	static const char map[] =
		"*2\r\n" RANGE_OF("0", "8191", "7000") RANGE_OF("8192", "16383", "7001") "+OK\r\n";
	static const char *const wanted =
		"[[0 8191 [$127.0.0.1 7000 $id []] [nil 7000 $id [$hostname $h]]] "
		"[8192 16383 [$127.0.0.1 7001 $id []] [nil 7001 $id [$hostname $h]]]];+OK;";
	for (size_t size = 1; size <= sizeof map; size++) {
		CHECK_TEXT(read_in_pieces(map, sizeof map - 1, size), wanted);
	}
}

/* A map of so many ranges with three nodes each, in the form of Redis 7; to be freed. */
static char *make_map(unsigned ranges, size_t *len)
{
	char *map = malloc(ranges * 270 + 20);
	char *end = map + sprintf(map, "*%u\r\n", ranges);
	for (unsigned i = 0; i < ranges; i++) {
		end += sprintf(end, "*5\r\n:%u\r\n:%u\r\n", i, i);
		for (unsigned node = 0; node < 3; node++) {
			end += sprintf(end, "*4\r\n$13\r\n172.16.24.%03u\r\n:6379\r\n$40\r\n%040u\r\n*0\r\n",
				100 + i % 100, node);
		}
	}
	*len = (size_t) (end - map);
	return map;
}

/* Reads the map in pieces as they come from a socket; returns how many bytes that took. */
static size_t read_map(unsigned ranges, rl_reply *reply)
{
	size_t len;
	char *map = make_map(ranges, &len);
	start();
	asked_bytes = 0;
	is_counting = true;
	bool is_fed = true;
	int result = 0;
	for (size_t at = 0; at < len && is_fed && result == 0; at += 16384) {
		is_fed = rl_reader_feed(reader, map + at, len - at < 16384 ? len - at : 16384);
		result = rl_reader_next(reader, reply);
	}
	is_counting = false;
	free(map);
	CHECK(is_fed);
	CHECK_INT(result, 1);
	CHECK_INT(reply->count, ranges);
	return asked_bytes;
}

static void the_largest_map_is_read(void)
{
	rl_reply reply;
	CHECK(read_map(16384, &reply) < 3 * RL_READER_BYTES_MAX);
	for (unsigned i = 0; i < 16384; i++) {
		const rl_reply *range = &reply.elements[i];
		CHECK(range->count == 5 && range->elements[0].integer == i);
		for (unsigned node = 0; node < 3; node++) {
			const rl_reply *entry = &range->elements[2 + node];
			char wanted[41];
			snprintf(wanted, sizeof wanted, "%040u", node);
			CHECK(entry->count == 4 && entry->elements[1].integer == 6379);
			CHECK(rl_bytes_equal(entry->elements[2].text, bytes_of(wanted)));
			snprintf(wanted, sizeof wanted, "172.16.24.%03u", 100 + i % 100);
			CHECK(rl_bytes_equal(entry->elements[0].text, bytes_of(wanted)));
		}
	}
	CHECK_INT(rl_reader_next(reader, &reply), 0);
}

static void a_small_reply_takes_no_memory(void)
{
	char text[700];
	size_t used = (size_t) sprintf(text, "*15\r\n$500\r\n%0500d\r\n+0123456789ab\r\n", 0);
	for (unsigned i = 0; i < 13; i++) {
		used += (size_t) sprintf(text + used, ":1\r\n");
	}
	rl_reply reply;
	start();
	for (unsigned round = 0; round < 3; round++) {
		asked = 0;
		is_counting = round > 0; /* hiredis has its buffer after the first round */
		bool is_fed = rl_reader_feed(reader, text, used);
		int result = rl_reader_next(reader, &reply);
		is_counting = false;
		CHECK(is_fed);
		CHECK_INT(result, 1);
		CHECK_INT(asked, 0);
	}
	CHECK_INT(reply.count, 15);
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

/* Each reply may use all of the memory. */
static void many_large_replies_may_follow_each_other(void)
{
	static char text[110000 * 4 + 20];
	size_t used = (size_t) sprintf(text, "*110000\r\n");
	for (unsigned i = 0; i < 110000; i++) {
		used += (size_t) sprintf(text + used, ":1\r\n");
	}
	start();
	for (unsigned i = 0; i < 6; i++) {
		rl_reply reply;
		CHECK(rl_reader_feed(reader, text, used));
		CHECK_INT(rl_reader_next(reader, &reply), 1);
		CHECK_INT(reply.count, 110000);
		/* These twenty elements share a block. */
		CHECK(rl_reader_feed(reader, "*20\r\n+a\r\n", 9));
		CHECK(rl_reader_feed(reader, text + used - 76, 76));
		CHECK_INT(rl_reader_next(reader, &reply), 1);
		CHECK_INT(reply.elements[19].integer, 1);
	}
}

static void announced_sizes_take_no_memory(void)
{
	static const char *const texts[] = {"*524288\r\n", "*1000000\r\n", "*2147483647\r\n",
		"*2147483648\r\n", "*4294967295\r\n", "*4294967297\r\n", "*9223372036854775807\r\n",
		"*-2\r\n", "*-2147483648\r\n", "$-2\r\n", "$9223372036854775807\r\n", "*1\r\n*1000000\r\n",
		"*2\r\n*-2\r\n", "*2\r\n*400000\r\n*200000\r\n"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		const char *is = read_text(texts[i]);
		bool is_open = strncmp(texts[i], "$9", 2) == 0 || strncmp(texts[i], "*2\r\n*4", 6) == 0;
		if (strcmp(is, "!") != 0 && !is_open) {
			FAIL("%s is [%s]", texts[i], is);
		}
	}
	CHECK_TEXT(read_text("*524287\r\n"), "");
	CHECK_TEXT(read_text("*2\r\n*524285\r\n"), "");
	CHECK_TEXT(read_text("*2\r\n*524286\r\n"), "!");
	/* The elements of both arrays count together. */
	CHECK_TEXT(read_text("*1\r\n*2\r\n*300000\r\n"), "");
}

/* Each array alone would fit. Its elements are as short as possible. */
static void the_memory_of_one_reply_is_bounded(void)
{
	static const char *const fillers[] = {"*1000\r\n", "+\r\n", "$1\r\na\r\n", "*0\r\n"};
	for (size_t i = 0; i < sizeof fillers / sizeof fillers[0]; i++) {
		char text[16384];
		size_t len = 0;
		while (len + 10 < sizeof text) {
			len += (size_t) sprintf(text + len, "%s", fillers[i]);
		}
		rl_reply reply;
		start();
		asked_bytes = 0;
		is_counting = true;
		bool goes_on = rl_reader_feed(reader, "*524000\r\n", 10);
		for (size_t fed = 0; goes_on && fed < 2 * RL_READER_BYTES_MAX; fed += len) {
			goes_on = rl_reader_feed(reader, text, len) && rl_reader_next(reader, &reply) == 0;
		}
		is_counting = false;
		CHECK_INT(goes_on, false);
		if (asked_bytes >= 8 * (size_t) RL_READER_BYTES_MAX) {
			FAIL("%zu bytes for %s", asked_bytes, fillers[i]);
		}
	}
}

static void without_memory_there_is_no_reply(void)
{
	char text[7000];
	int head = sprintf(text, "*18\r\n$5000\r\n%05000d\r\n", 0);
	for (unsigned i = 0; i < 17; i++) {
		head += sprintf(text + head, "*1\r\n$40\r\n%040d\r\n", 0);
	}
	unsigned all = 1;
	for (unsigned at = 0; at <= all; at++) {
		rl_reply reply;
		start();
		CHECK(rl_reader_feed(reader, text, (size_t) head));
		asked = 0;
		fails_at = at;
		is_counting = true;
		int result = rl_reader_next(reader, &reply);
		is_counting = false;
		fails_at = 0;
		CHECK_INT(result, at == 0 ? 1 : -1);
		all = at == 0 ? asked : all;
		CHECK(all >= 2 && all < 10);
	}
}

static void deep_nesting_is_refused(void)
{
	char text[100] = "";
	bool was_refused = false;
	for (unsigned depth = 1; depth < 20; depth++) {
		strcat(text, "*1\r\n");
		was_refused = read_text(text)[0] == '!';
		CHECK(depth > 5 || !was_refused); /* a map has a depth of four, and its elements */
	}
	CHECK(was_refused);
}

/* Feeds the head, then filler until the reader refuses it.
 * @return how many bytes the reader has taken */
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

static void a_text_without_end_is_refused(void)
{
	static const char *const heads[] = {
		"+", "$536870912\r\n", "$2147483647\r\n", "*3\r\n:1\r\n+", "*2\r\n$3000000\r\n"};
	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
		size_t fed = fill(heads[i]);
		CHECK(fed > RL_READER_TEXT_MAX && fed < RL_READER_TEXT_MAX + 2000);
	}
}

static void the_longest_text_is_read(void)
{
	for (size_t len = RL_READER_TEXT_MAX; len <= RL_READER_TEXT_MAX + 1; len++) {
		for (size_t size = 1000; size <= 2 * RL_READER_TEXT_MAX;
			 size += 2 * RL_READER_TEXT_MAX - 1000) {
			char *text = malloc(len + 20);
			size_t head = (size_t) sprintf(text, "$%zu\r\n", len);
			memset(text + head, 'x', len);
			memcpy(text + head + len, "\r\n", 2);
			size_t end = head + len + 2;
			rl_reply reply;
			bool is_fed = true;
			int result = 0;
			start();
			for (size_t at = 0; at < end && result == 0; at += size) {
				is_fed =
					is_fed && rl_reader_feed(reader, text + at, end - at < size ? end - at : size);
				result = rl_reader_next(reader, &reply);
			}
			free(text);
			CHECK(is_fed);
			CHECK_INT(result, len == RL_READER_TEXT_MAX ? 1 : -1);
		}
	}
}

static char *add_text(char *end, size_t len)
{
	end += sprintf(end, "$%zu\r\n", len);
	memset(end, 'x', len);
	memcpy(end + len, "\r\n", 2);
	return end + len + 2;
}

/* The same if the beginning was parsed before the end arrived. */
static void the_limit_is_exact(void)
{
	char *text = malloc(RL_READER_BYTES_MAX);
	char *end = text + sprintf(text, "*9\r\n");
	for (unsigned i = 0; i < 8; i++) {
		end = add_text(end, 1000000);
	}
	end = add_text(end, 388497);
	CHECK_INT(end - text, RL_READER_BYTES_MAX);
	for (size_t first = 4; first <= RL_READER_BYTES_MAX; first += RL_READER_BYTES_MAX - 4) {
		rl_reply reply;
		start();
		bool is_fed = first == RL_READER_BYTES_MAX || rl_reader_feed(reader, "+OK\r\n", 5);
		is_fed = is_fed && rl_reader_feed(reader, text, first);
		if (first < RL_READER_BYTES_MAX) {
			CHECK_INT(rl_reader_next(reader, &reply), 1); /* the reply before the long one */
			CHECK_INT(rl_reader_next(reader, &reply), 0);
		}
		is_fed = is_fed && rl_reader_feed(reader, text + first, RL_READER_BYTES_MAX - first);
		bool is_too_much = rl_reader_feed(reader, "+", 1);
		CHECK(is_fed && !is_too_much);
		CHECK_INT(rl_reader_next(reader, &reply), 1);
		CHECK_INT(reply.elements[8].text.len, 388497);
		CHECK(rl_reader_feed(reader, "+OK\r\n", 5));
		CHECK_INT(rl_reader_next(reader, &reply), 1);
		CHECK_INT(reply.type, RL_REPLY_STATUS);
	}
	free(text);
}

/* An array at the end of a reply cannot have more elements than the bytes that are left. */
static void the_end_of_a_reply_has_room_for_few(void)
{
	char *text = malloc(RL_READER_BYTES_MAX);
	char *end = text + sprintf(text, "*10\r\n");
	for (unsigned i = 0; i < 8; i++) {
		end = add_text(end, 1000000);
	}
	end = add_text(end, 388396);
	size_t len = (size_t) (end - text);
	CHECK_INT(RL_READER_BYTES_MAX - len, 100);
	for (unsigned count = 31; count < 33; count++) { /* "*31\r\n" leaves 95 bytes */
		int tail = sprintf(end, "*%u\r\n", count);
		rl_reply reply;
		start();
		CHECK(rl_reader_feed(reader, text, len + (size_t) tail));
		CHECK_INT(rl_reader_next(reader, &reply), count == 31 ? 0 : -1);
	}
	free(text);
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

static void the_version_of_hiredis_is_known(void)
{
	CHECK(rl_hiredis_version()[0] >= '0' && rl_hiredis_version()[0] <= '9');
	CHECK(strchr(rl_hiredis_version(), '.') != NULL);
	rl_reader_free(NULL);
}

static const check_test tests[] = {
	TEST(each_type_of_reply_is_read),
	TEST(a_text_may_have_any_bytes),
	TEST(many_replies_may_come_in_one_piece_or_in_many),
	TEST(a_piece_is_not_enough),
	TEST(texts_may_be_small_and_large),
	TEST(a_reply_that_is_never_completed_is_freed),
	TEST(arrays_may_have_any_size),
	TEST(the_map_of_a_cluster_is_read),
	TEST(the_largest_map_is_read),
	TEST(a_small_reply_takes_no_memory),
	TEST(many_replies_do_not_use_up_the_nodes),
	TEST(many_large_replies_may_follow_each_other),
	TEST(announced_sizes_take_no_memory),
	TEST(the_end_of_a_reply_has_room_for_few),
	TEST(the_memory_of_one_reply_is_bounded),
	TEST(without_memory_there_is_no_reply),
	TEST(deep_nesting_is_refused),
	TEST(a_text_without_end_is_refused),
	TEST(the_longest_text_is_read),
	TEST(the_limit_is_exact),
	TEST(nonsense_is_refused),
	TEST(types_that_we_have_no_use_for_do_no_harm),
	TEST(the_version_of_hiredis_is_known),
};

CHECK_MAIN(tests, clean_up)
