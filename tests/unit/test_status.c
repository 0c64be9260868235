/* SPDX-License-Identifier: MIT
 *
 * Errors as values, and server texts made fit to be shown.
 */
#include "check.h"
#include "core/rl_status.h"

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

static void the_text_is_told(void)
{
	CHECK_TEXT(said("ERR no such thing"), "the server answered: ERR no such thing");
	CHECK_TEXT(said(""), "the server answered: an error without a text");
	CHECK_TEXT(said("ERR a\r\nb\tc\x7f\xc3\xa4"), "the server answered: ERR a??b?c???");
}

static void advice_is_given(void)
{
	static const struct {
		const char *text, *advice;
	} cases[] = {{"NOAUTH x", "(put the password into the DSN: redis://:password@host)"},
		{"WRONGPASS x", "(check user and password in the DSN)"}, {"NOPERM x", "README)"},
		{"WRONGTYPE x", "(the key is in use for something that is not a lock"},
		{"READONLY x", "(this server is a replica"}, {"OOM x", "(the server is out of memory)"},
		{"MOVED 1 h:1", "(this server is a node of a cluster"},
		{"DENIED x", "(the server is in protected mode)"}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		CHECK_HAS(said(cases[i].text), cases[i].advice);
	}
	/* Redis 7 in a script. */
	CHECK_HAS(
		said("ERR ACL failure in script: The user executing the script can't run this command"),
		"README)");
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
		said("with args beginning with: secret"), "the server answered: an error without a text");
	CHECK_TEXT(
		said(" ,, with args beginning with"), "the server answered: an error without a text");
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

static void set_and_append(void)
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
	static const char *const passing[] = {
		"LOADING", "READONLY", "MASTERDOWN", "TRYAGAIN", "CLUSTERDOWN", "BUSY", "UNBLOCKED"};
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

static void bytes_are_compared(void)
{
	CHECK(rl_bytes_equal(bytes_of("a"), bytes_of("a")));
	CHECK(!rl_bytes_equal(bytes_of("a"), bytes_of("b")));
	CHECK(!rl_bytes_equal(bytes_of("a"), bytes_of("ab")));
	CHECK(rl_bytes_equal((rl_bytes){NULL, 0}, bytes_of("")));
	CHECK(!rl_bytes_equal(rl_bytes_of("a\0b", 3), rl_bytes_of("a\0c", 3)));
}

static const check_test tests[] = {
	TEST(the_first_word_is_the_code),
	TEST(the_text_is_told),
	TEST(advice_is_given),
	TEST(the_echo_is_cut_off),
	TEST(secrets_are_blotted_out),
	TEST(a_secret_as_code_is_no_code),
	TEST(long_texts_are_cut),
	TEST(set_and_append),
	TEST(some_errors_pass),
	TEST(bytes_are_compared),
};

CHECK_MAIN(tests, NULL)
