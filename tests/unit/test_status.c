/* SPDX-License-Identifier: MIT
 *
 * Errors as values, and server texts made fit to be shown.
 */
#include "check.h"
#include "core/base/rl_status.h"

#include <stdlib.h>
#include <string.h>

static rl_error err;

static const char *said_with(const char *text, const rl_bytes *secrets, unsigned count)
{
	memset(&err, 0xa5, sizeof err);
	size_t len = strlen(text);
	char *copy = malloc(len > 0 ? len : 1);
	memcpy(copy, text, len);
	rl_error_from_server(&err, rl_bytes_of(copy, len), secrets, count);
	free(copy);
	CHECK_INT(err.status, RL_ERR_SERVER);
	CHECK_INT(err.sys_errno, 0);
	return err.message;
}

static const char *said(const char *text)
{
	return said_with(text, NULL, 0);
}

static void check_code(const char *text, const char *code)
{
	said(text);
	if (strcmp(err.code, code) != 0) {
		FAIL("code of [%s] is [%s], not [%s]", text, err.code, code);
	}
}

static void the_first_word_is_the_code(void)
{
	check_code("ERR unknown command", "ERR");
	check_code("WRONGTYPE Operation against", "WRONGTYPE");
	check_code("NOAUTH", "NOAUTH");
	check_code("A1_B x", "A1_B");
	check_code("MISCONF: x", "ERR");
	check_code("unknown command", "ERR");
	check_code("Err x", "ERR");
	check_code("", "ERR");
	check_code(" ", "ERR");
	check_code(" NOAUTH", "ERR");
	check_code("NOAUTH\tx", "ERR");
	check_code("A234567890123456789012345678901 x", "A234567890123456789012345678901");
	check_code("A2345678901234567890123456789012 x", "ERR");
	check_code("A2345678901234567890123456789012345678901234567890", "ERR");
}

static void a_message_has_the_text_of_the_server(void)
{
	CHECK_TEXT(said("ERR no such thing"), "the server answered: ERR no such thing");
	CHECK_TEXT(said(""), "the server answered: an error without text");
	CHECK_TEXT(said("ERR a\r\nb\tc\x7f\xc3\xa4"), "the server answered: ERR a??b?c???");
}

/* Redis 6.2, where the server raises the error inside a script. */
static void the_place_of_an_error_in_a_script_is_cut_off(void)
{
	CHECK_TEXT(said("@user_script: 1: -READONLY You can't write against a read only replica."),
		"the server answered: READONLY You can't write against a read only replica. (this server is a "
		"replica; locks need the primary)");
	CHECK_TEXT(err.code, "READONLY");
	CHECK_TEXT(said("@user_script: 1: The user"), "the server answered: @user_script: 1: The user");
	CHECK_TEXT(said("@user_script: "), "the server answered: @user_script: ");
	CHECK_TEXT(said("@user_script: 1: -"), "the server answered: an error without text");
}

static void advice_is_given(void)
{
	static const struct {
		const char *text, *advice;
	} cases[] = {{"NOAUTH x", "(put the password into the DSN: redis://:password@host)"},
		{"WRONGPASS x", "(check user and password in the DSN)"},
		{"NOPERM x", "(see docs/rights.md for the ACL rules that locks need)"},
		{"WRONGTYPE x", "(the key is used for something other than a lock"},
		{"WRONGTYPE the key holds a zset", "(the key may be a lock of symfony/lock"},
		{"READONLY x", "(this server is a replica"},
		{"OOM x", "(the server has reached its memory limit, maxmemory)"},
		{"DENIED x",
			"(the server is in protected mode: it needs a password to accept remote clients)"}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		CHECK_HAS(said(cases[i].text), cases[i].advice);
	}
	/* In a script: Redis up to 7.0, then later Redis and Valkey. */
	CHECK_HAS(said("ERR The user executing the script can't run this command or subcommand"),
		"(see docs/rights.md for the ACL rules that locks need)");
	CHECK_HAS(
		said("ERR ACL failure in script: User u has no permissions to run the 'time' command"),
		"(see docs/rights.md for the ACL rules that locks need)");
	CHECK(strchr(said("ERR x"), '(') == NULL);
	CHECK(strchr(said("LOADING x"), '(') == NULL);
}

static void the_echo_is_cut_off(void)
{
	CHECK_TEXT(said("ERR unknown command 'FOO', with args beginning with: 'secret' 'x'"),
		"the server answered: ERR unknown command 'FOO'");
	CHECK_TEXT(said("ERR unknown command `FOO`, with args beginning with: "),
		"the server answered: ERR unknown command `FOO`");
	CHECK_TEXT(
		said("with args beginning with: secret"), "the server answered: an error without text");
	CHECK_TEXT(said(" ,, with args beginning with"), "the server answered: an error without text");
	CHECK_TEXT(said("with args beginning wit"), "the server answered: with args beginning wit");
}

static void secrets_are_blotted_out(void)
{
	const rl_bytes secrets[] = {
		bytes_of("tok"), bytes_of("token"), bytes_of("ab"), {NULL, 0}, rl_bytes_of("x\0y", 3)};
	CHECK_TEXT(said_with("ERR token tok tokens ab", secrets, 5),
		"the server answered: ERR *** *** ***s ab");
	CHECK_TEXT(said_with("token", secrets, 5), "the server answered: ***");
	const rl_bytes longest_first[] = {bytes_of("token"), bytes_of("tok")};
	CHECK_TEXT(said_with("token", longest_first, 2), "the server answered: ***");
	CHECK_TEXT(said_with("toktok", secrets, 5), "the server answered: ******");
	CHECK_TEXT(said_with("ERR to to", secrets, 5), "the server answered: ERR to to");
	memset(&err, 0, sizeof err);
	rl_error_from_server(&err, rl_bytes_of("ERR x\0y z", 9), secrets, 5);
	CHECK_TEXT(err.message, "the server answered: ERR *** z");
}

static void a_secret_as_code_is_no_code(void)
{
	const rl_bytes secret = bytes_of("HUNTER2");
	said_with("HUNTER2 is wrong", &secret, 1);
	CHECK(strstr(err.message, "HUNTER2") == NULL);
	CHECK(strcmp(err.code, "HUNTER2") != 0);
}

/* At each length, wherever the cut falls, there is a message, and no part of the secret in it. */
static void long_texts_are_cut(void)
{
	const rl_bytes secret = bytes_of("hunter2");
	char text[700];
	for (size_t len = 0; len < 400; len++) {
		memset(text, 'x', len);
		strcpy(text + len, "hunter2");
		said_with(text, &secret, 1);
		CHECK(strlen(err.message) < 260);
		CHECK(strstr(err.message, "hu") == NULL);
	}
	strcpy(text, "NOAUTH ");
	memset(text + 7, 'x', 500);
	text[507] = '\0';
	CHECK_HAS(said(text), "xxx (put the password into the DSN: redis://:password@host)");
}

static void messages_can_be_set_and_appended(void)
{
	CHECK_INT(rl_error_set(NULL, RL_ERR_MEMORY, 0, "x"), RL_ERR_MEMORY);
	strcpy(err.code, "OLD");
	CHECK_INT(rl_error_set(&err, RL_ERR_CLOSED, 104, "%s %d", "a", 1), RL_ERR_CLOSED);
	CHECK_TEXT(err.message, "a 1");
	CHECK_TEXT(err.code, "");
	CHECK_INT(err.sys_errno, 104);
	rl_error_append(&err, " %s", "b");
	CHECK_TEXT(err.message, "a 1 b");
	char text[1000];
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	rl_error_append(&err, "%s", text);
	CHECK_INT(strlen(err.message), sizeof err.message - 1);
	rl_error_append(&err, "%s", text);
	CHECK_INT(strlen(err.message), sizeof err.message - 1);
	rl_error_set(&err, RL_ERR_CLOSED, 0, "%s", text);
	CHECK_INT(strlen(err.message), sizeof err.message - 1);
}

static void some_errors_pass(void)
{
	static const char *const passing[] = {"LOADING", "READONLY", "MASTERDOWN", "NOREPLICAS",
		"MISCONF", "TRYAGAIN", "CLUSTERDOWN", "BUSY", "UNBLOCKED"};
	static const char *const others[] = {
		"ERR", "NOAUTH", "BUSYGROUP", "BUSYKEY", "OOM", "LOAD", ""};
	err = (rl_error){.status = RL_ERR_SERVER};
	for (size_t i = 0; i < sizeof passing / sizeof passing[0]; i++) {
		strcpy(err.code, passing[i]);
		CHECK(rl_error_passes(&err));
	}
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		strcpy(err.code, others[i]);
		CHECK(!rl_error_passes(&err));
	}
	said("ERR max number of clients reached");
	CHECK(rl_error_passes(&err));
	err = (rl_error){.status = RL_ERR_CLOSED, .code = "LOADING"};
	CHECK(!rl_error_passes(&err));
}

static void too_few_replicas_pass_unless_wait_is_forbidden(void)
{
	err = (rl_error){.status = RL_ERR_UNCONFIRMED, .message = "only 0 of 1 replicas confirmed"};
	CHECK(rl_error_passes(&err));
	strcpy(err.code, "UNBLOCKED");
	CHECK(rl_error_passes(&err));
	strcpy(err.code, "NOPERM");
	CHECK(!rl_error_passes(&err));
	said("ERR unknown command 'WAIT', with args beginning with: '1'");
	err.status = RL_ERR_UNCONFIRMED;
	CHECK(!rl_error_passes(&err));
}

static void some_errors_last(void)
{
	static const char *const lasting[] = {"NOPERM x", "NOAUTH x", "ERR unknown command 'EVAL'",
		"ERR The user executing the script can't run this command or subcommand",
		"ERR ACL failure in script: User u has no permissions to run the 'lpush' command",
		"ERR ACL failure in script: No permissions to access a key"};
	static const char *const others[] = {"ERR x", "LOADING x", "READONLY x", "WRONGTYPE x"};
	for (size_t i = 0; i < sizeof lasting / sizeof lasting[0]; i++) {
		said(lasting[i]);
		CHECK(rl_error_is_final(&err));
	}
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		said(others[i]);
		CHECK(!rl_error_is_final(&err));
	}
	said("NOPERM x");
	err.status = RL_ERR_CLOSED;
	CHECK(!rl_error_is_final(&err));
}

/* Redis 6.2, 7 and 8, Valkey; by itself, and inside a script. */
static void a_missing_right_for_a_command_differs_from_one_for_a_key(void)
{
	static const char *const commands[] = {
		"NOPERM this user has no permissions to run the 'lpush' command or its subcommand",
		"NOPERM User u has no permissions to run the 'lpush' command",
		"NOPERM User u has no permissions to run the 'client|list' command",
		"ERR ACL failure in script: User u has no permissions to run the 'lpush' command",
		"ERR The user executing the script can't run this command or subcommand script: 1, on @u:1.",
		"@user_script: 1: The user executing the script can't run this command or subcommand"};
	static const char *const keys[] = {
		"NOPERM this user has no permissions to access one of the keys used as arguments",
		"NOPERM No permissions to access a key",
		"NOPERM User u has no permissions to access the 'k' key",
		"ERR ACL failure in script: No permissions to access a key",
		("ERR The user executing the script can't access at least one of the keys mentioned in the "
		 "command arguments script: 1, on @user_script:1."),
		"CROSSSLOT Keys in request don't hash to the same slot", "NOPERM", "NOAUTH x"};
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
		said(commands[i]);
		CHECK(rl_error_names_command(&err));
	}
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		said(keys[i]);
		CHECK(!rl_error_names_command(&err));
	}
	said("NOPERM x");
	CHECK(rl_error_is_about_helpers(&err));
	said("CROSSSLOT x");
	CHECK(rl_error_is_about_helpers(&err));
	said("MOVED x");
	CHECK(!rl_error_is_about_helpers(&err));
}

static void bytes_are_compared(void)
{
	CHECK(rl_bytes_equal(bytes_of("a"), bytes_of("a")));
	CHECK(!rl_bytes_equal(bytes_of("a"), bytes_of("b")));
	CHECK(!rl_bytes_equal(bytes_of("a"), bytes_of("ab")));
	CHECK(rl_bytes_equal((rl_bytes){NULL, 0}, bytes_of("")));
	CHECK(!rl_bytes_equal(rl_bytes_of("a\0b", 3), rl_bytes_of("a\0c", 3)));
}

static void bytes_are_a_word(void)
{
	CHECK(rl_bytes_is(bytes_of("word"), "word"));
	CHECK(rl_bytes_is((rl_bytes){NULL, 0}, ""));
	CHECK(!rl_bytes_is(bytes_of("word"), "words"));
	CHECK(!rl_bytes_is(bytes_of("words"), "word"));
	CHECK(!rl_bytes_is(rl_bytes_of("a\0", 2), "a"));
}

/* -1 = no number, or a larger one than max. */
static int64_t number_of(const char *text, int64_t max)
{
	int64_t number;
	return rl_bytes_read_number(bytes_of(text), max, &number) ? number : -1;
}

static void numbers_are_read(void)
{
	static const struct {
		const char *text;
		int64_t max;
		int64_t number;
	} cases[] = {{"0", 0, 0}, {"000", 0, 0}, {"1", 0, -1}, {"7", 7, 7}, {"007", 7, 7}, {"8", 7, -1},
		{"9", 3, -1}, {"65535", 65535, 65535}, {"65536", 65535, -1},
		{"9007199254740992", INT64_MAX, INT64_C(9007199254740992)},
		{"9223372036854775807", INT64_MAX, INT64_MAX}, {"9223372036854775808", INT64_MAX, -1},
		{"18446744073709551617", INT64_MAX, -1}, {"", 9, -1}, {"-1", 9, -1}, {"+1", 9, -1},
		{" 1", 9, -1}, {"1.", 9, -1}, {"0x1", 9, -1}, {"1\x80", 99, -1}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		CHECK_INT(number_of(cases[i].text, cases[i].max), cases[i].number);
	}
}

static void seconds_are_read(void)
{
	static const struct {
		const char *text;
		int64_t ns;
	} cases[] = {{"0", 0}, {"1", 1000000000}, {"0.25", 250000000}, {".5", 500000000},
		{"2.", 2000000000}, {"00.0010", 1000000}, {"1.234567891", 1234567891},
		{"1.2345678919", 1234567891}, {"9.9999999999", 9999999999}, {"10", 10000000000},
		{"10.0000000009", 10000000000}, {"10.000000001", -1}, {"11", -1},
		{"99999999999999999999", -1}, {"", -1}, {".", -1}, {"1..2", -1}, {"1.2.3", -1}, {"-1", -1},
		{"1e3", -1}, {"1,5", -1}, {".x", -1}, {"x.1", -1}, {" 1", -1}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		int64_t ns;
		bool is_read = rl_bytes_read_seconds(bytes_of(cases[i].text), 10 * RL_NS_PER_SECOND, &ns);
		CHECK_INT(is_read ? ns : -1, cases[i].ns);
	}
	int64_t ns;
	CHECK(rl_bytes_read_seconds(bytes_of("4611686018.427387903"), RL_NEVER / 2, &ns));
	CHECK_INT(ns, RL_NEVER / 2);
	CHECK(!rl_bytes_read_seconds(bytes_of("4611686018.427387904"), RL_NEVER / 2, &ns));
}

static void seconds_are_written_short(void)
{
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = {{0, "0"}, {1, "0"}, {500, "0.000001"}, {50 * RL_NS_PER_MS, "0.05"},
		{RL_NS_PER_SECOND, "1"}, {RL_NS_PER_SECOND / 2 * 3, "1.5"}, {100 * RL_NS_PER_SECOND, "100"},
		{INT64_C(1234567890), "1.234568"}, {366 * 86400 * RL_NS_PER_SECOND, "31622400"},
		{RL_NEVER - 500, "9223372036.854775"}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char room[RL_SECONDS_TEXT];
		CHECK_TEXT(rl_seconds_text(cases[i].ns, room), cases[i].text);
	}
}

static const char *shown(const char *data, size_t len)
{
	static char room[RL_BYTES_TEXT];
	return rl_bytes_text(rl_bytes_of(data, len), room);
}

static void bytes_are_shown_printably(void)
{
	CHECK_TEXT(shown("order:42", 8), "order:42");
	CHECK_TEXT(shown("", 0), "");
	CHECK_TEXT(shown("a\0b", 3), "a\\x00b");
	CHECK_TEXT(shown("\r\n\t\x1b\x7f", 5), "\\x0d\\x0a\\x09\\x1b\\x7f");
	CHECK_TEXT(
		shown("\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\x92", 9), "\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\x92");
	/* Cut off, overlong, a surrogate, above U+10FFFF, alone. */
	CHECK_TEXT(shown("\xc3", 1), "\\xc3");
	CHECK_TEXT(shown("\xe2\x82", 2), "\\xe2\\x82");
	CHECK_TEXT(shown("\xc0\x80", 2), "\\xc0\\x80");
	CHECK_TEXT(shown("\xe0\x80\x80", 3), "\\xe0\\x80\\x80");
	CHECK_TEXT(shown("\xed\xa0\x80", 3), "\\xed\\xa0\\x80");
	CHECK_TEXT(shown("\xf4\x90\x80\x80", 4), "\\xf4\\x90\\x80\\x80");
	CHECK_TEXT(shown("\x80\xff", 2), "\\x80\\xff");
}

/* Controls that a terminal obeys, and marks that change the direction of the text after them. */
static void controls_above_ascii_are_escaped(void)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{"\xc2\x80", "\\xc2\\x80"},
		{"a\xc2\x9b\x33\x31mred", "a\\xc2\\x9b31mred"}, /* CSI, as ESC [ */
		{"\xc2\x9f", "\\xc2\\x9f"}, {"\xc2\xa0", "\xc2\xa0"}, {"\xd8\x9c", "\\xd8\\x9c"},
		{"\xd8\x9b\xd8\x9d", "\xd8\x9b\xd8\x9d"},
		{"\xe2\x80\x8d", "\xe2\x80\x8d"}, /* a joiner, as in emoji */
		{"\xe2\x80\x8e", "\\xe2\\x80\\x8e"}, {"\xe2\x80\x8f", "\\xe2\\x80\\x8f"},
		{"\xe2\x80\x90\xe2\x80\xa7", "\xe2\x80\x90\xe2\x80\xa7"},
		{"\xe2\x80\xa8", "\\xe2\\x80\\xa8"}, {"\xe2\x80\xa9", "\\xe2\\x80\\xa9"},
		{"\xe2\x80\xaa", "\\xe2\\x80\\xaa"},
		{"gpj.\xe2\x80\xae"
		 "exe",
			"gpj.\\xe2\\x80\\xae"
			"exe"},
		{"\xe2\x80\xaf", "\xe2\x80\xaf"}, {"\xe2\x81\xa5", "\xe2\x81\xa5"},
		{"\xe2\x81\xa6", "\\xe2\\x81\\xa6"}, {"\xe2\x81\xa9", "\\xe2\\x81\\xa9"},
		{"\xe2\x81\xaa", "\xe2\x81\xaa"}, {"\xf0\x90\x82\x9b", "\xf0\x90\x82\x9b"}, /* U+1009B */
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		CHECK_TEXT(shown(cases[i].text, strlen(cases[i].text)), cases[i].shown);
	}
}

/* The same for any text. */
static void a_message_is_fit_to_be_shown(void)
{
	rl_error_set(&err, RL_ERR_ARGUMENT, 0, "cannot read %s", "/a\n\x1b[2J\xc2\x9b\xff/\xc3\xa4");
	CHECK_TEXT(err.message, "cannot read /a\\x0a\\x1b[2J\\xc2\\x9b\\xff/\xc3\xa4");
	rl_error_append(&err, ": %s", "\xe2\x80\xae");
	CHECK_HAS(err.message, "\xc3\xa4: \\xe2\\x80\\xae");
	static char many[2000];
	memset(many, '\n', sizeof many - 1);
	for (size_t len = 0; len < 10; len++) {
		rl_error_set(&err, RL_ERR_ARGUMENT, 0, "%.*s", (int) len, "123456789");
		rl_error_append(&err, "%s", many);
		size_t used = strlen(err.message);
		CHECK(used < sizeof err.message && used + 5 > sizeof err.message);
		CHECK_TEXT(err.message + used - 4, "\\x0a");
	}
}

static void bytes_that_are_long_are_cut(void)
{
	static char key[70000];
	memset(key, 'k', sizeof key);
	CHECK_INT(strlen(shown(key, 100)), 100);
	CHECK(strchr(shown(key, 100), '.') == NULL);
	for (size_t len = 110; len < 200; len++) {
		size_t used = strlen(shown(key, len));
		CHECK(used < RL_BYTES_TEXT);
		CHECK(used == len || strcmp(shown(key, len) + used - 3, "...") == 0);
	}
	memset(key, '\0', sizeof key);
	CHECK(strlen(shown(key, sizeof key)) < RL_BYTES_TEXT);
	CHECK_HAS(shown(key, sizeof key), "\\x00...");
	memset(key, '\xf0', sizeof key);
	CHECK(strlen(shown(key, 1 + sizeof key / 2)) < RL_BYTES_TEXT);
}

static const check_test tests[] = {
	TEST(the_first_word_is_the_code),
	TEST(a_message_has_the_text_of_the_server),
	TEST(the_place_of_an_error_in_a_script_is_cut_off),
	TEST(advice_is_given),
	TEST(seconds_are_written_short),
	TEST(bytes_are_shown_printably),
	TEST(controls_above_ascii_are_escaped),
	TEST(a_message_is_fit_to_be_shown),
	TEST(bytes_that_are_long_are_cut),
	TEST(the_echo_is_cut_off),
	TEST(secrets_are_blotted_out),
	TEST(a_secret_as_code_is_no_code),
	TEST(long_texts_are_cut),
	TEST(messages_can_be_set_and_appended),
	TEST(some_errors_pass),
	TEST(some_errors_last),
	TEST(too_few_replicas_pass_unless_wait_is_forbidden),
	TEST(a_missing_right_for_a_command_differs_from_one_for_a_key),
	TEST(bytes_are_compared),
	TEST(bytes_are_a_word),
	TEST(numbers_are_read),
	TEST(seconds_are_read),
};

CHECK_MAIN(tests, NULL)
