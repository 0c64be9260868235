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

FUZZ_TEST(hostile, ROUNDS)

static const check_test tests[] = {
	TEST(hostile),
};

CHECK_MAIN(tests, NULL)
