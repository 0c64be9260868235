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

static const rl_env env = {.random = draw};

static void check_token(const char *wanted)
{
	char out[RL_TOKEN_LEN + 1];
	out[RL_TOKEN_LEN] = '!'; /* nothing is written behind it */
	CHECK_INT(rl_token_draw(&env, out), RL_OK);
	CHECK_INT(out[RL_TOKEN_LEN], '!');
	out[RL_TOKEN_LEN] = '\0';
	CHECK_TEXT(out, wanted);
}

/* What base64 -w0 | tr +/ -_ makes of the same bytes. */
static void is_base64url_of_144_bits(void)
{
	memset(pattern, 0, sizeof pattern);
	check_token("rl1.AAAAAAAAAAAAAAAAAAAAAAAA");
	memset(pattern, 0xff, sizeof pattern);
	check_token("rl1.________________________");
	memset(pattern, 0xfb, sizeof pattern);
	check_token("rl1.-_v7-_v7-_v7-_v7-_v7-_v7");
	for (unsigned i = 0; i < sizeof pattern; i++) {
		pattern[i] = (unsigned char) (i * 14 + 1);
	}
	check_token("rl1.AQ8dKzlHVWNxf42bqbfF0-Hv");
	asked = 0;
	check_token("rl1.AQ8dKzlHVWNxf42bqbfF0-Hv");
	CHECK_INT(asked, 18);
}

/* Each bit of the random bytes is in the token. */
static void each_bit_counts(void)
{
	char zero[RL_TOKEN_LEN];
	char other[RL_TOKEN_LEN];
	memset(pattern, 0, sizeof pattern);
	CHECK_INT(rl_token_draw(&env, zero), RL_OK);
	for (unsigned bit = 0; bit < 144; bit++) {
		memset(pattern, 0, sizeof pattern);
		pattern[bit / 8] = (unsigned char) (1 << bit % 8);
		CHECK_INT(rl_token_draw(&env, other), RL_OK);
		CHECK(memcmp(zero, other, RL_TOKEN_LEN) != 0);
	}
}

static void without_random_bytes_there_is_none(void)
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
	CHECK(!rl_token_is_drawn(rl_bytes_of(NULL, 0)));
}

static const check_test tests[] = {
	TEST(is_base64url_of_144_bits),
	TEST(each_bit_counts),
	TEST(without_random_bytes_there_is_none),
	TEST(the_form_of_a_token_is_known),
};

CHECK_MAIN(tests, NULL)
