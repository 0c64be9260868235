/* SPDX-License-Identifier: MIT
 *
 * Runs whole operations against hostile servers for a moment, always with the same inputs, and with
 * those of tests/fuzz/corpus. The network and the system of this program are those of the target.
 */
#include "check.h"

#define FUZZ_HOSTILE fuzz_hostile

#include "../fuzz/fuzz_hostile.c"
#include "../fuzz/hostile_net.c"
#include "../fuzz/hostile_server.c"
#include "../fuzz/witness.c"

#define ROUNDS 3000

static void hostile(void)
{
	fuzz_state = 1;
	CHECK(fuzz_replay(fuzz_hostile, "tests/fuzz/corpus/hostile") > 0);
	fuzz_run(fuzz_hostile, hostile_seeds, FUZZ_COUNT(hostile_seeds), ROUNDS);
}

static const check_test tests[] = {
	TEST(hostile),
};

CHECK_MAIN(tests, NULL)
