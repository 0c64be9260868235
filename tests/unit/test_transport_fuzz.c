/* SPDX-License-Identifier: MIT
 *
 * Runs fuzz targets for a moment, always with the same inputs, and with those of tests/fuzz/corpus.
 */
#include "check.h"

#define FUZZ_DSN fuzz_dsn
#define FUZZ_REPLY fuzz_reply
#define FUZZ_TEXT fuzz_text

#include "../fuzz/fuzz_dsn.c"
#include "../fuzz/fuzz_reply.c"
#undef SECRET
#include "../fuzz/fuzz_text.c"

#define ROUNDS 20000

FUZZ_TEST(dsn, ROUNDS)
FUZZ_TEST(reply, ROUNDS)
FUZZ_TEST(text, ROUNDS)

static const check_test tests[] = {
	TEST(dsn),
	TEST(reply),
	TEST(text),
};

CHECK_MAIN(tests, NULL)
