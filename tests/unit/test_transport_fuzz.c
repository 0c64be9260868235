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

#define ROUNDS 60000

static void dsn(void)
{
	fuzz_state = 1;
	CHECK(fuzz_replay(fuzz_dsn, "tests/fuzz/corpus/dsn") > 0);
	fuzz_run(fuzz_dsn, dsn_seeds, FUZZ_COUNT(dsn_seeds), ROUNDS);
}

static void reply(void)
{
	fuzz_state = 1;
	CHECK(fuzz_replay(fuzz_reply, "tests/fuzz/corpus/reply") > 0);
	fuzz_run(fuzz_reply, reply_seeds, FUZZ_COUNT(reply_seeds), ROUNDS);
}

static void text(void)
{
	fuzz_state = 1;
	CHECK(fuzz_replay(fuzz_text, "tests/fuzz/corpus/text") > 0);
	fuzz_run(fuzz_text, text_seeds, FUZZ_COUNT(text_seeds), ROUNDS);
}

static const check_test tests[] = {
	TEST(dsn),
	TEST(reply),
	TEST(text),
};

CHECK_MAIN(tests, NULL)
