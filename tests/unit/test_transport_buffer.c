/* SPDX-License-Identifier: MIT
 *
 * The bytes of a link that wait to be sent, and the commands in them.
 */
#include "check.h"
#include "transport/rl_buffer.h"

#include <stdio.h>

static rl_buffer buffer;

static void end(void)
{
	rl_buffer_free(&buffer);
}

static void commands_are_arrays_of_texts(void)
{
	const rl_bytes set[] = {bytes_of("SET"), rl_bytes_of("a\0\r\n", 4), rl_bytes_of(NULL, 0)};
	static const char expected[] = "*3\r\n$3\r\nSET\r\n$4\r\na\0\r\n\r\n$0\r\n\r\n";
	for (unsigned i = 0; i < 2; i++) {
		CHECK_INT(rl_buffer_append_command(&buffer, 3, set), sizeof expected - 1);
	}
	rl_bytes is = rl_buffer_bytes(&buffer);
	CHECK_INT(is.len, 2 * (sizeof expected - 1));
	CHECK(memcmp(is.data, expected, sizeof expected - 1) == 0);
	CHECK(memcmp(is.data + sizeof expected - 1, expected, sizeof expected - 1) == 0);
}

/* The empty command that makes Valkey 9 continue after BLPOP. */
static void a_command_may_be_empty(void)
{
	CHECK_INT(rl_buffer_append_command(&buffer, 0, NULL), 4);
	CHECK(memcmp(rl_buffer_bytes(&buffer).data, "*0\r\n", 4) == 0);
}

/* Each number of digits, of a length and of the count of the texts. */
static void lengths_and_counts_may_be_of_any_size(void)
{
	static const size_t sizes[] = {0, 1, 9, 10, 11, 99, 100, 101, 999, 1000, 123456};
	static char text[123456];
	memset(text, 'x', sizeof text);
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		size_t size = sizes[i];
		rl_bytes one = rl_bytes_of(text, size);
		char head[64];
		int len = snprintf(head, sizeof head, "*1\r\n$%zu\r\n", size);
		CHECK_INT(rl_buffer_append_command(&buffer, 1, &one), (size_t) len + size + 2);
		rl_bytes is = rl_buffer_bytes(&buffer);
		CHECK(memcmp(is.data, head, (size_t) len) == 0);
		CHECK(memcmp(is.data + len, text, size) == 0);
		CHECK(memcmp(is.data + len + size, "\r\n", 2) == 0);
		rl_buffer_take(&buffer, is.len);
	}
	static rl_bytes many[1234];
	for (unsigned i = 0; i < 1234; i++) {
		many[i] = bytes_of("x");
	}
	CHECK_INT(rl_buffer_append_command(&buffer, 1234, many), 7 + 1234 * 7);
	CHECK(memcmp(rl_buffer_bytes(&buffer).data, "*1234\r\n$1\r\nx\r\n", 14) == 0);
}

/* What the system has taken is removed from the start, and what is retracted from the end. */
static void bytes_are_taken_from_the_start_and_dropped_from_the_end(void)
{
	CHECK(rl_buffer_append(&buffer, "abcdef", 6));
	rl_buffer_take(&buffer, 2);
	rl_buffer_drop(&buffer, 1);
	CHECK(rl_buffer_append(&buffer, "gh", 2));
	rl_bytes is = rl_buffer_bytes(&buffer);
	CHECK_INT(is.len, 5);
	CHECK(memcmp(is.data, "cdegh", 5) == 0);
	rl_buffer_take(&buffer, 5);
	CHECK(rl_buffer_is_empty(&buffer));
}

static const check_test tests[] = {
	TEST(commands_are_arrays_of_texts),
	TEST(a_command_may_be_empty),
	TEST(lengths_and_counts_may_be_of_any_size),
	TEST(bytes_are_taken_from_the_start_and_dropped_from_the_end),
};

CHECK_MAIN(tests, end)
