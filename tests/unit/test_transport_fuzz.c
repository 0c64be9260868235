/* SPDX-License-Identifier: MIT
 *
 * Runs the fuzz targets for a moment, always with the same inputs.
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
	fuzz_run(fuzz_dsn, dsn_seeds, sizeof dsn_seeds / sizeof dsn_seeds[0], ROUNDS);
}

static void reply(void)
{
	fuzz_state = 1;
	fuzz_run(fuzz_reply, reply_seeds, sizeof reply_seeds / sizeof reply_seeds[0], ROUNDS);
}

static void text(void)
{
	fuzz_state = 1;
	fuzz_run(fuzz_text, text_seeds, sizeof text_seeds / sizeof text_seeds[0], ROUNDS);
}

static const check_test tests[] = {
	TEST(dsn),
	TEST(reply),
	TEST(text),
};

CHECK_MAIN(tests, NULL)
