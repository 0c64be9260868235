/* SPDX-License-Identifier: MIT
 *
 * Runs the fuzz targets of single answers for a moment, always with the same inputs, and with those
 * of tests/fuzz/corpus.
 */
#include "check.h"

#define FUZZ_ANSWER fuzz_answer
#define FUZZ_MAP fuzz_map
#define FUZZ_SENTINEL fuzz_sentinel

#include "../fuzz/fuzz_answer.c"
#include "../fuzz/fuzz_map.c"
#include "../fuzz/fuzz_sentinel.c"

#define ROUNDS 20000
#define MAP_ROUNDS 1000

static void answer(void)
{
	fuzz_state = 1;
	CHECK(fuzz_replay(fuzz_answer, "tests/fuzz/corpus/answer") > 0);
	fuzz_run(fuzz_answer, answer_seeds, FUZZ_COUNT(answer_seeds), ROUNDS);
}

static void map(void)
{
	fuzz_state = 1;
	CHECK(fuzz_replay(fuzz_map, "tests/fuzz/corpus/map") > 0);
	fuzz_run(fuzz_map, map_seeds, FUZZ_COUNT(map_seeds), MAP_ROUNDS);
}

static void sentinel(void)
{
	fuzz_state = 1;
	CHECK(fuzz_replay(fuzz_sentinel, "tests/fuzz/corpus/sentinel") > 0);
	fuzz_run(fuzz_sentinel, sentinel_seeds, FUZZ_COUNT(sentinel_seeds), ROUNDS);
}

static const check_test tests[] = {
	TEST(answer),
	TEST(map),
	TEST(sentinel),
};

CHECK_MAIN(tests, NULL)
