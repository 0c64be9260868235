/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "core/base/rl_backoff.h"

#include <string.h>

static uint32_t next_random;
static bool has_random;

static bool draw(void *ctx, void *out, size_t len)
{
	(void) ctx;
	CHECK_INT(len, sizeof next_random);
	memcpy(out, &next_random, len);
	return has_random;
}

static const rl_env env = {.random = draw};

static int64_t delay(const rl_backoff *backoff, unsigned n, uint32_t random)
{
	next_random = random;
	has_random = true;
	return rl_backoff_delay(backoff, n, &env);
}

static void the_delay_doubles_up_to_the_maximum(void)
{
	const rl_backoff backoff = {10 * RL_NS_PER_MS, 200 * RL_NS_PER_MS, 0};
	static const int64_t wanted[] = {10, 20, 40, 80, 160, 200, 200, 200};
	for (unsigned n = 0; n < 8; n++) {
		CHECK_INT(delay(&backoff, n, 0), wanted[n] * RL_NS_PER_MS);
	}
	CHECK_INT(delay(&backoff, 1000000, 0), 200 * RL_NS_PER_MS);
	CHECK_INT(delay(&backoff, UINT32_MAX, 0), 200 * RL_NS_PER_MS);
	CHECK_INT(rl_backoff_doubled(3, 2, 100), 12);
	CHECK_INT(rl_backoff_doubled(3, UINT32_MAX, 100), 100);
}

static void the_first_delay_may_be_the_maximum(void)
{
	const rl_backoff backoff = {60 * RL_NS_PER_SECOND, 60 * RL_NS_PER_SECOND, 0};
	CHECK_INT(delay(&backoff, 0, 0), 60 * RL_NS_PER_SECOND);
	CHECK_INT(delay(&backoff, 5, 0), 60 * RL_NS_PER_SECOND);
	const rl_backoff odd = {40 * RL_NS_PER_SECOND, 60 * RL_NS_PER_SECOND, 0};
	CHECK_INT(delay(&odd, 1, 0), 60 * RL_NS_PER_SECOND);
}

static void jitter_spreads_evenly(void)
{
	const rl_backoff backoff = {10 * RL_NS_PER_MS, 200 * RL_NS_PER_MS, 0.2};
	CHECK_INT(delay(&backoff, 0, 0), 8 * RL_NS_PER_MS);
	CHECK_INT(delay(&backoff, 0, UINT32_MAX), 12 * RL_NS_PER_MS);
	CHECK_INT(delay(&backoff, 0, UINT32_MAX / 2 + 1) / 1000, 10000);
	CHECK_INT(delay(&backoff, 9, 0), 160 * RL_NS_PER_MS);
	CHECK_INT(delay(&backoff, 9, UINT32_MAX), 240 * RL_NS_PER_MS);
	CHECK_INT(delay(&backoff, 0, UINT32_MAX / 4 * 3) / 1000, 10999);
}

static void almost_full_jitter_never_goes_below_zero(void)
{
	const rl_backoff backoff = {RL_NS_PER_MS, RL_NS_PER_MS, 0.999999999};
	CHECK(delay(&backoff, 0, 0) >= 0);
	CHECK(delay(&backoff, 0, UINT32_MAX) <= 2 * RL_NS_PER_MS);
}

static void without_random_bytes_there_is_no_jitter(void)
{
	const rl_backoff backoff = {10 * RL_NS_PER_MS, 200 * RL_NS_PER_MS, 0.2};
	has_random = false;
	CHECK_INT(rl_backoff_delay(&backoff, 0, &env), 10 * RL_NS_PER_MS);
}

static const check_test tests[] = {
	TEST(the_delay_doubles_up_to_the_maximum),
	TEST(the_first_delay_may_be_the_maximum),
	TEST(jitter_spreads_evenly),
	TEST(almost_full_jitter_never_goes_below_zero),
	TEST(without_random_bytes_there_is_no_jitter),
};

CHECK_MAIN(tests, NULL)
