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

FUZZ_TEST(answer, ROUNDS)
FUZZ_TEST(map, MAP_ROUNDS)
FUZZ_TEST(sentinel, ROUNDS)

static const check_test tests[] = {
	TEST(answer),
	TEST(map),
	TEST(sentinel),
};

CHECK_MAIN(tests, NULL)
