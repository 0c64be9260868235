/* SPDX-License-Identifier: MIT
 *
 * The options of TLS: names, values, copies, and their end.
 */
#include "check.h"
#include "core/wire/rl_tls_options.h"
#include "no_memory.h"

#include <stdio.h>

static rl_tls_options *options;
static rl_tls_options *others;
static rl_error err;

/* The texts that free() gets: nothing may be left of them. */
static struct {
	const char *text;
	size_t len;
} watched[RL_TLS_OPTION_COUNT];
static unsigned wiped;

UNWATCHED void free(void *old)
{
	for (unsigned i = 0; old != NULL && i < RL_TLS_OPTION_COUNT; i++) {
		if (watched[i].text == old) {
			size_t left = watched[i].len;
			while (left > 0 && watched[i].text[left - 1] == '\0') {
				left--;
			}
			wiped += left == 0;
			watched[i].text = NULL;
		}
	}
	REAL(free)(old);
}

UNWATCHED char *strndup(const char *text, size_t max)
{
	size_t len = strnlen(text, max);
	char *copy = malloc(len + 1);
	if (copy != NULL) {
		memcpy(copy, text, len);
		copy[len] = '\0';
	}
	return copy;
}

static void clean_up(void)
{
	is_counting = false;
	rl_tls_options_free(options);
	rl_tls_options_free(others);
	options = others = NULL;
}

static void begin(void)
{
	clean_up();
	options = rl_tls_options_new();
	others = rl_tls_options_new();
	CHECK(options != NULL && others != NULL);
}

static rl_status set_bytes(rl_tls_options *to, const char *name, const char *value, size_t len)
{
	memset(&err, 0, sizeof err);
	return rl_tls_options_set(to, bytes_of(name), rl_bytes_of(value, len), &err);
}

static rl_status set(rl_tls_options *to, const char *name, const char *value)
{
	return set_bytes(to, name, value, strlen(value));
}

static void check_wrong(const char *name, const char *value, const char *message)
{
	begin();
	CHECK_INT(set(options, name, value), RL_ERR_ARGUMENT);
	CHECK_INT(err.status, RL_ERR_ARGUMENT);
	CHECK_TEXT(err.message, message);
	CHECK(rl_tls_options_equal(options, others)); /* no option was set */
}

/* ---- names and values ---- */

static const struct {
	rl_tls_option option;
	const char *name, *value;
} all[] = {
	{RL_TLS_CAFILE, "cafile", "/a b"},
	{RL_TLS_CAPATH, "capath", "/etc/ssl"},
	{RL_TLS_LOCAL_CERT, "local_cert", "/c"},
	{RL_TLS_LOCAL_PK, "local_pk", "/k"},
	{RL_TLS_PASSPHRASE, "passphrase", " \x01\xff"},
	{RL_TLS_PEER_NAME, "peer_name", "cache.test"},
	{RL_TLS_VERIFY_PEER, "verify_peer", "0"},
	{RL_TLS_VERIFY_PEER_NAME, "verify_peer_name", "1"},
	{RL_TLS_MIN_VERSION, "min_version", "1.3"},
	{RL_TLS_CIPHERS, "ciphers", "HIGH:!aNULL"},
	{RL_TLS_SNI_ENABLED, "SNI_enabled", "0"},
};

static void set_all(rl_tls_options *to)
{
	for (size_t i = 0; i < RL_TLS_OPTION_COUNT; i++) {
		CHECK_INT(set(to, all[i].name, all[i].value), RL_OK);
	}
}

static void each_option_has_a_name_and_a_value(void)
{
	CHECK_INT(sizeof all / sizeof all[0], RL_TLS_OPTION_COUNT);
	begin();
	for (unsigned i = 0; i < RL_TLS_OPTION_COUNT; i++) {
		CHECK(options->values[i] == NULL);
	}
	set_all(options);
	for (size_t i = 0; i < RL_TLS_OPTION_COUNT; i++) {
		CHECK_INT(all[i].option, (int64_t) i);
		CHECK_TEXT(rl_tls_option_name(all[i].option), all[i].name);
		CHECK_TEXT(options->values[all[i].option], all[i].value);
	}
}

static void a_value_is_copied_up_to_its_length(void)
{
	char text[] = "/tmp/ca.pem";
	begin();
	CHECK_INT(set_bytes(options, "cafile", text, 7), RL_OK);
	memset(text, 'x', sizeof text);
	CHECK_TEXT(options->values[RL_TLS_CAFILE], "/tmp/ca");
}

static void unknown_names_list_the_known_ones(void)
{
	static const char *const names[] = {"CAFILE", "cafile ", "cafil", "cafiles", "", "sni_enabled"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		begin();
		CHECK_INT(set(options, names[i], "hunter2"), RL_ERR_ARGUMENT);
		CHECK_HAS(err.message,
			" is unknown; the options are cafile, capath, local_cert, local_pk, passphrase, "
			"peer_name, verify_peer, verify_peer_name, min_version, ciphers, SNI_enabled");
		CHECK(strstr(err.message, "hunter2") == NULL);
	}
	check_wrong("a\nb", "1",
		"the TLS option a\\x0ab is unknown; the options are cafile, capath, local_cert, "
		"local_pk, passphrase, peer_name, verify_peer, verify_peer_name, min_version, ciphers, "
		"SNI_enabled");
}

static void switches_have_eight_words(void)
{
	static const char *const on[] = {"1", "true", "on", "yes"};
	static const char *const off[] = {"0", "false", "off", "no"};
	static const char *const wrong[] = {
		"", "2", "TRUE", "On", "y", "1 ", "01", "tru", "falsey", "-1"};
	static const char *const names[] = {"verify_peer", "verify_peer_name", "SNI_enabled"};
	static const rl_tls_option numbers[] = {
		RL_TLS_VERIFY_PEER, RL_TLS_VERIFY_PEER_NAME, RL_TLS_SNI_ENABLED};
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned word = 0; word < 4; word++) {
			begin();
			CHECK(rl_tls_is_on(options, numbers[i])); /* the default */
			CHECK_INT(set(options, names[i], on[word]), RL_OK);
			CHECK_TEXT(options->values[numbers[i]], "1");
			CHECK(rl_tls_is_on(options, numbers[i]));
			CHECK_INT(set(others, names[i], off[word]), RL_OK);
			CHECK_TEXT(others->values[numbers[i]], "0");
			CHECK(!rl_tls_is_on(others, numbers[i]));
		}
	}
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		check_wrong("verify_peer", wrong[i], "the TLS option verify_peer must be true or false");
	}
}

static void the_version_is_1_2_or_1_3(void)
{
	static const char *const wrong[] = {"", "1.1", "1", "1.30", "TLSv1.2", "1.4", "1,3"};
	begin();
	CHECK_INT(set(options, "min_version", "1.2"), RL_OK);
	CHECK_TEXT(options->values[RL_TLS_MIN_VERSION], "1.2");
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		check_wrong("min_version", wrong[i], "the TLS option min_version must be 1.2 or 1.3");
	}
}

static void texts_have_bytes_and_no_nul(void)
{
	static const unsigned texts[] = {0, 1, 2, 3, 4, 5, 9};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		const char *name = all[texts[i]].name;
		char message[100];
		snprintf(message, sizeof message, "the TLS option %s must not be empty", name);
		check_wrong(name, "", message);
		begin();
		CHECK_INT(set_bytes(options, name, "hunter2\0x", 9), RL_ERR_ARGUMENT);
		snprintf(message, sizeof message, "the TLS option %s must not contain a NUL byte", name);
		CHECK_TEXT(err.message, message);
	}
	begin();
	CHECK_INT(set_bytes(options, "passphrase", "\0", 1), RL_ERR_ARGUMENT);
	CHECK_INT(set_bytes(options, "verify_peer", "1\0", 2), RL_ERR_ARGUMENT);
	CHECK_INT(set_bytes(options, "min_version", "1.2\0", 4), RL_ERR_ARGUMENT);
}

static void a_peer_name_is_whole(void)
{
	check_wrong("peer_name", ".cache.test", "the TLS option peer_name must not begin with a dot");
	begin();
	CHECK_INT(set(options, "peer_name", "cache.test."), RL_OK);
}

static void an_option_is_given_once(void)
{
	begin();
	set_all(options);
	for (size_t i = 0; i < RL_TLS_OPTION_COUNT; i++) {
		char message[100];
		CHECK_INT(set(options, all[i].name, all[i].value), RL_ERR_ARGUMENT);
		snprintf(message, sizeof message, "the TLS option %s is given twice", all[i].name);
		CHECK_TEXT(err.message, message);
		CHECK_TEXT(options->values[i], all[i].value);
	}
}

/* Otherwise logs could show a passphrase. */
static void no_message_quotes_a_value(void)
{
	for (size_t i = 0; i < RL_TLS_OPTION_COUNT; i++) {
		begin();
		rl_status status = set_bytes(options, all[i].name, "hunter2\0", 8);
		CHECK_INT(status, RL_ERR_ARGUMENT);
		CHECK(strstr(err.message, "hunter2") == NULL);
		if (set(options, all[i].name, "hunter2") == RL_OK) {
			CHECK_INT(set(options, all[i].name, "hunter2"), RL_ERR_ARGUMENT);
		}
		CHECK(strstr(err.message, "hunter2") == NULL);
	}
}

/* ---- the options together ---- */

static void a_key_needs_its_certificate(void)
{
	begin();
	CHECK_INT(rl_tls_options_check(options, &err), RL_OK);
	CHECK_INT(set(options, "local_pk", "/k"), RL_OK);
	CHECK_INT(rl_tls_options_check(options, &err), RL_ERR_ARGUMENT);
	CHECK_TEXT(err.message, "the TLS option local_pk needs local_cert, the client certificate");
	CHECK_INT(set(options, "local_cert", "/c"), RL_OK);
	CHECK_INT(rl_tls_options_check(options, &err), RL_OK);
	CHECK_INT(set(others, "passphrase", "hunter2"), RL_OK);
	CHECK_INT(rl_tls_options_check(others, &err), RL_ERR_ARGUMENT);
	CHECK_TEXT(err.message, "the TLS option passphrase needs local_cert, the client certificate");
	CHECK_INT(set(others, "local_cert", "/c"), RL_OK);
	CHECK_INT(rl_tls_options_check(others, &err), RL_OK);
}

static void equal_options_have_equal_texts(void)
{
	begin();
	CHECK(rl_tls_options_equal(NULL, NULL));
	CHECK(!rl_tls_options_equal(options, NULL));
	CHECK(!rl_tls_options_equal(NULL, options));
	CHECK(rl_tls_options_equal(options, options));
	CHECK(rl_tls_options_equal(options, others));
	for (size_t i = 0; i < RL_TLS_OPTION_COUNT; i++) {
		CHECK_INT(set(options, all[i].name, all[i].value), RL_OK);
		CHECK(!rl_tls_options_equal(options, others));
		CHECK(!rl_tls_options_equal(others, options));
		CHECK_INT(set(others, all[i].name, all[i].value), RL_OK);
		CHECK(rl_tls_options_equal(options, others));
	}
	begin();
	CHECK_INT(set(options, "cafile", "/a"), RL_OK);
	CHECK_INT(set(others, "cafile", "/b"), RL_OK);
	CHECK(!rl_tls_options_equal(options, others));
}

static void a_copy_has_its_own_texts(void)
{
	begin();
	set_all(options);
	rl_tls_options_free(others);
	others = rl_tls_options_copy(options);
	CHECK(others != NULL && rl_tls_options_equal(options, others));
	for (unsigned i = 0; i < RL_TLS_OPTION_COUNT; i++) {
		CHECK(options->values[i] != others->values[i]);
	}
}

static void defaults_fill_options_that_are_not_set(void)
{
	begin();
	set_all(others);
	CHECK_INT(set(options, "cafile", "/own"), RL_OK);
	CHECK_INT(set(options, "verify_peer", "1"), RL_OK);
	CHECK(rl_tls_options_add(options, others));
	for (unsigned i = 0; i < RL_TLS_OPTION_COUNT; i++) {
		const char *wanted = i == RL_TLS_CAFILE ? "/own"
			: i == RL_TLS_VERIFY_PEER           ? "1"
												: all[i].value;
		CHECK_TEXT(options->values[i], wanted);
		CHECK(options->values[i] != others->values[i]);
	}
	begin();
	CHECK(rl_tls_options_add(options, others));
	CHECK(rl_tls_options_equal(options, others));
}

/* ---- the end ---- */

static void the_texts_are_wiped(void)
{
	begin();
	set_all(options);
	rl_tls_options_free(others);
	others = rl_tls_options_copy(options);
	for (unsigned i = 0; i < 2; i++) {
		rl_tls_options *ended = i == 0 ? options : others;
		for (unsigned option = 0; option < RL_TLS_OPTION_COUNT; option++) {
			watched[option].text = ended->values[option];
			watched[option].len = strlen(ended->values[option]);
		}
		wiped = 0;
		rl_tls_options_free(ended);
		CHECK_INT(wiped, RL_TLS_OPTION_COUNT);
	}
	options = others = NULL;
	rl_tls_options_free(NULL);
}

/* ---- without memory ---- */

static void each_allocation_of_a_copy_may_fail(void)
{
	begin();
	set_all(options);
	is_counting = true;
	asked = 0;
	fails_at = 0;
	rl_tls_options *copy = rl_tls_options_copy(options);
	is_counting = false;
	rl_tls_options_free(copy);
	CHECK_INT(asked, RL_TLS_OPTION_COUNT + 1);
	for (fails_at = 1; fails_at <= RL_TLS_OPTION_COUNT + 1; fails_at++) {
		asked = 0;
		is_counting = true;
		copy = rl_tls_options_copy(options);
		is_counting = false;
		CHECK(copy == NULL);
	}
	fails_at = 1;
	asked = 0;
	is_counting = true;
	CHECK(rl_tls_options_new() == NULL);
	asked = 0;
	CHECK_INT(set(others, "cafile", "/a"), RL_ERR_MEMORY);
	is_counting = false;
	CHECK_INT(err.status, RL_ERR_MEMORY);
	CHECK(others->values[RL_TLS_CAFILE] == NULL);
	asked = 0;
	fails_at = 3;
	is_counting = true;
	CHECK(!rl_tls_options_add(others, options));
	is_counting = false;
	fails_at = 0;
	CHECK(rl_tls_options_add(others, options)); /* the addition goes on where it failed */
	CHECK(rl_tls_options_equal(others, options));
}

static const check_test tests[] = {
	TEST(each_option_has_a_name_and_a_value),
	TEST(a_value_is_copied_up_to_its_length),
	TEST(unknown_names_list_the_known_ones),
	TEST(switches_have_eight_words),
	TEST(the_version_is_1_2_or_1_3),
	TEST(texts_have_bytes_and_no_nul),
	TEST(a_peer_name_is_whole),
	TEST(an_option_is_given_once),
	TEST(no_message_quotes_a_value),
	TEST(a_key_needs_its_certificate),
	TEST(equal_options_have_equal_texts),
	TEST(a_copy_has_its_own_texts),
	TEST(defaults_fill_options_that_are_not_set),
	TEST(the_texts_are_wiped),
	TEST(each_allocation_of_a_copy_may_fail),
};

CHECK_MAIN(tests, clean_up)
