/* SPDX-License-Identifier: MIT
 *
 * Runs the fuzz target of TLS for a moment, always with the same inputs, and with those of
 * tests/fuzz/corpus. The keys differ.
 */
#include "check.h"
#include "tls_server.h"

#ifdef RL_WITH_TLS

# define FUZZ_TLS fuzz_tls

# include "../fuzz/fuzz_tls.c"

# define ROUNDS 1000

FUZZ_TEST(tls, ROUNDS)

static void clean_up(void)
{
	rl_tls_options_free(options);
	options = NULL;
	rl_tls_tear_down();
	for (unsigned i = 0; i < 2; i++) {
		tls_server_close(&servers[i]);
	}
}

static const check_test tests[] = {
	TEST(tls),
};

#endif

TLS_CHECK_MAIN(tests, clean_up)
