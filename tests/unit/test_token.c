/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "core/base/rl_token.h"

#include <string.h>

static unsigned char pattern[18];
static size_t asked;

static bool draw(void *ctx, void *out, size_t len)
{
	(void) ctx;
	asked += len;
	memcpy(out, pattern, len < sizeof pattern ? len : sizeof pattern);
	return true;
}

static bool draw_nothing(void *ctx, void *out, size_t len)
{
	(void) ctx;
	memset(out, 0, len);
	return false;
}

static int64_t today;

static int64_t date(void *ctx)
{
	(void) ctx;
	return today;
}

static const rl_env env = {.random = draw, .date = date};

static void check_token(const char *wanted)
{
	char out[RL_TOKEN_LEN + 1];
	out[RL_TOKEN_LEN] = '!'; /* for the check that nothing is written after the token */
	CHECK_INT(rl_token_draw(&env, out), RL_OK);
	CHECK_INT(out[RL_TOKEN_LEN], '!');
	out[RL_TOKEN_LEN] = '\0';
	CHECK_TEXT(out, wanted);
}

/* "base64 -w0 | tr +/ -_" makes the same text of these bytes, the last 36 bits of which are the
 * date. */
static void a_token_is_base64url_of_108_bits_and_a_date(void)
{
	today = 0;
	memset(pattern, 0, sizeof pattern);
	check_token("rl1.AAAAAAAAAAAAAAAAAAAAAAAA");
	memset(pattern, 0xff, sizeof pattern);
	check_token("rl1.__________________AAAAAA");
	today = INT64_C(0xfffffffff);
	check_token("rl1.________________________");
	memset(pattern, 0xfb, sizeof pattern);
	today = INT64_C(0xbfbfbfbfb);
	check_token("rl1.-_v7-_v7-_v7-_v7-_v7-_v7");
	for (unsigned i = 0; i < sizeof pattern; i++) {
		pattern[i] = (unsigned char) (i * 14 + 1);
	}
	today = INT64_C(0x7c5d3e1ef);
	check_token("rl1.AQ8dKzlHVWNxf42bqbfF0-Hv");
	asked = 0;
	check_token("rl1.AQ8dKzlHVWNxf42bqbfF0-Hv");
	CHECK_INT(asked, 18);
}

static void the_date_of_a_token_is_found(void)
{
	static const int64_t dates[] = {0, 1, 1800000000, UINT32_MAX, INT64_C(0xfffffffff)};
	for (unsigned i = 0; i < sizeof dates / sizeof dates[0]; i++) {
		char out[RL_TOKEN_LEN];
		memset(pattern, 0xa5, sizeof pattern);
		today = dates[i];
		CHECK_INT(rl_token_draw(&env, out), RL_OK);
		CHECK_INT(rl_token_date(rl_bytes_of(out, sizeof out)), dates[i]);
	}
	CHECK_INT(rl_token_date(bytes_of("rl1.AAAAAAAAAAAAAAAAAAAAAAAB@web-3:1")), 1);
	CHECK_INT(rl_token_date(bytes_of("rl1.AAAAAAAAAAAAAAAAAAAAAA+B")), 0); /* no base64url */
	CHECK_INT(rl_token_date(bytes_of("rl1.AAAAAAAAAAAAAAAAAAAAAAAB@")), 0);
	CHECK_INT(rl_token_date(bytes_of("a token of the caller, 28 ch")), 0);
	CHECK_INT(rl_token_date(bytes_of("")), 0);
}

/* Each of the random bits is in the token. */
static void each_bit_counts(void)
{
	char zero[RL_TOKEN_LEN];
	char other[RL_TOKEN_LEN];
	today = 0;
	memset(pattern, 0, sizeof pattern);
	CHECK_INT(rl_token_draw(&env, zero), RL_OK);
	for (unsigned bit = 0; bit < 108; bit++) {
		memset(pattern, 0, sizeof pattern);
		pattern[bit / 8] = (unsigned char) (0x80 >> bit % 8);
		CHECK_INT(rl_token_draw(&env, other), RL_OK);
		CHECK(memcmp(zero, other, RL_TOKEN_LEN) != 0);
	}
}

static void without_random_bytes_no_token_is_drawn(void)
{
	const rl_env poor = {.random = draw_nothing};
	char out[RL_TOKEN_LEN];
	CHECK_INT(rl_token_draw(&poor, out), RL_ERR_RANDOM);
}

static void the_form_of_a_token_is_known(void)
{
	char out[RL_TOKEN_LEN];
	CHECK_INT(rl_token_draw(&env, out), RL_OK);
	CHECK(rl_token_is_drawn(rl_bytes_of(out, RL_TOKEN_LEN)));
	CHECK(!rl_token_is_drawn(rl_bytes_of(out, RL_TOKEN_LEN - 1)));
	CHECK(!rl_token_is_drawn(bytes_of("rlw.AAAAAAAAAAAAAAAAAAAAAAAA")));
	CHECK(!rl_token_is_drawn(bytes_of("rl1.AAAAAAAAAAAAAAAAAAAAAAAAA")));
	CHECK(!rl_token_is_drawn(bytes_of("mine")));
	CHECK(!rl_token_is_drawn(bytes_of("rl1.AAAAAAAAAAAAAAAAAAAAAAAA@")));
	CHECK(!rl_token_is_drawn(bytes_of("rl1.AAAAAAAAAAAAAAAAAAAAAAAAweb-3:1")));
	CHECK(!rl_token_is_drawn(bytes_of("rl1.AAAAAAAAAAAAAAAAAAAAAAAA@a b")));
	CHECK(!rl_token_is_drawn(bytes_of("rl2.AAAAAAAAAAAAAAAAAAAAAAAA@web-3:1")));
	CHECK(!rl_token_is_drawn(rl_bytes_of(NULL, 0)));
}

static void a_label_follows_the_drawn_characters(void)
{
	rl_label label = {0};
	CHECK_INT(rl_token_len(&label), RL_TOKEN_LEN);
	for (size_t len = 1; len <= RL_LABEL_MAX; len++) {
		char out[RL_TOKEN_LABELLED_MAX + 1];
		char text[RL_LABEL_MAX];
		memset(text, 'x', sizeof text);
		rl_label_set(&label, rl_bytes_of(text, len));
		CHECK_INT(rl_token_len(&label), (int64_t) (RL_TOKEN_LEN + 1 + len));
		out[rl_token_len(&label)] = '!';
		rl_token_put_label(out, &label);
		CHECK_INT(rl_token_draw(&env, out), RL_OK);
		CHECK_INT(out[rl_token_len(&label)], '!'); /* nothing is written after the token */
		rl_bytes token = rl_bytes_of(out, rl_token_len(&label));
		CHECK(rl_token_is_drawn(token));
		CHECK(rl_bytes_equal(rl_token_label(token), rl_bytes_of(text, len)));
	}
	CHECK(rl_token_label(bytes_of("rl1.AAAAAAAAAAAAAAAAAAAAAAAA")).data == NULL);
}

static void a_label_is_printable_and_short(void)
{
	char text[RL_LABEL_MAX + 1];
	memset(text, 'x', sizeof text);
	CHECK(rl_label_is_valid(rl_bytes_of(text, RL_LABEL_MAX)));
	CHECK(!rl_label_is_valid(rl_bytes_of(text, RL_LABEL_MAX + 1)));
	CHECK(!rl_label_is_valid(rl_bytes_of(text, 0)));
	for (int c = 0; c < 256; c++) {
		text[1] = (char) c;
		CHECK_INT(rl_label_is_valid(rl_bytes_of(text, 3)), c > ' ' && c < 127);
	}
}

static void check_default(const char *host, uint64_t pid, const char *wanted)
{
	rl_label label;
	rl_label_set_default(&label, bytes_of(host), pid);
	CHECK(rl_bytes_equal(rl_bytes_of(label.text, label.len), bytes_of(wanted)));
	CHECK(rl_label_is_valid(rl_bytes_of(label.text, label.len)));
}

static void the_default_label_is_host_and_pid(void)
{
	check_default("web-3", 8812, "web-3:8812");
	check_default("web 3\xc3", 1, "web-3-:1");
	check_default("", 0, ":0");
	check_default("a234567890123456789012345678901234567890123456789012345678901234", 4194304,
		"a2345678901234567890123456789012345678901234567890123456:4194304");
	check_default("a234567890123456789012345678901234567890123456789012345678901234", UINT64_MAX,
		"a234567890123456789012345678901234567890123:18446744073709551615");
}

static const check_test tests[] = {
	TEST(a_label_follows_the_drawn_characters),
	TEST(a_label_is_printable_and_short),
	TEST(the_default_label_is_host_and_pid),
	TEST(a_token_is_base64url_of_108_bits_and_a_date),
	TEST(the_date_of_a_token_is_found),
	TEST(each_bit_counts),
	TEST(without_random_bytes_no_token_is_drawn),
	TEST(the_form_of_a_token_is_known),
};

CHECK_MAIN(tests, NULL)
