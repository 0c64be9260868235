/* SPDX-License-Identifier: MIT
 *
 * All mixes of votes of 1 to 15 members, against the meaning of each outcome.
 */
#include "check.h"
#include "core/base/rl_tally.h"

typedef struct mix {
	unsigned members, granted, refused, failed, open;
} mix;

/* Every way in which the open votes may still be cast. */
static bool can_become(const mix *m, bool (*is_so)(unsigned members, unsigned count), bool is_grant)
{
	unsigned now = is_grant ? m->granted : m->refused;
	for (unsigned more = 0; more <= m->open; more++) {
		if (is_so(m->members, now + more)) {
			return true;
		}
	}
	return false;
}

static bool is_majority(unsigned members, unsigned granted)
{
	return 2 * granted > members;
}

/* So many members refuse that the others are no majority, whatever they answer. */
static bool rules_out(unsigned members, unsigned refused)
{
	return !is_majority(members, members - refused);
}

static rl_vote by_definition(const mix *m)
{
	if (is_majority(m->members, m->granted)) {
		return RL_VOTE_GRANTED;
	}
	if (rules_out(m->members, m->refused)) {
		return RL_VOTE_REFUSED;
	}
	bool is_open = can_become(m, is_majority, true) || can_become(m, rules_out, false);
	return is_open ? RL_VOTE_OPEN : RL_VOTE_FAILED;
}

static void check_mix(const mix *m)
{
	rl_tally tally = {0};
	for (unsigned i = 0; i < m->members; i++) {
		rl_vote vote = i < m->granted                 ? RL_VOTE_GRANTED
			: i < m->granted + m->refused             ? RL_VOTE_REFUSED
			: i < m->granted + m->refused + m->failed ? RL_VOTE_FAILED
													  : RL_VOTE_OPEN;
		rl_tally_add(&tally, vote);
	}
	CHECK_INT(tally.members, (int64_t) m->members);
	rl_vote is = rl_tally_outcome(&tally);
	rl_vote wanted = by_definition(m);
	if (is != wanted) {
		FAIL("%u members, %u granted, %u refused, %u failed: %d, not %d", m->members, m->granted,
			m->refused, m->failed, (int) is, (int) wanted);
	}
}

static void the_outcomes_of_all_mixes_are_right(void)
{
	unsigned mixes = 0;
	for (unsigned n = 1; n <= 15; n++) {
		for (unsigned g = 0; g <= n; g++) {
			for (unsigned r = 0; g + r <= n; r++) {
				for (unsigned f = 0; g + r + f <= n; f++) {
					check_mix(&(mix){n, g, r, f, n - g - r - f});
					mixes++;
				}
			}
		}
	}
	CHECK_INT(mixes, 3875);
}

static void a_quorum_is_a_majority(void)
{
	static const unsigned wanted[] = {1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8};
	for (unsigned n = 1; n <= 15; n++) {
		CHECK_INT(rl_quorum(n), (int64_t) wanted[n - 1]);
	}
}

/* After a decision no further vote changes the outcome. */
static void an_outcome_is_final(void)
{
	for (unsigned n = 1; n <= 9; n++) {
		unsigned ways = 1;
		for (unsigned i = 0; i < n; i++) {
			ways *= 3;
		}
		for (unsigned way = 0; way < ways; way++) {
			rl_vote decided = RL_VOTE_OPEN;
			rl_tally tally = {.members = n};
			for (unsigned i = 0, rest = way; i < n; i++, rest /= 3) {
				unsigned *count = rest % 3 == 0 ? &tally.granted
					: rest % 3 == 1             ? &tally.refused
												: &tally.failed;
				(*count)++;
				rl_vote outcome = rl_tally_outcome(&tally);
				CHECK(decided == RL_VOTE_OPEN || outcome == decided);
				decided = outcome;
			}
			CHECK(decided != RL_VOTE_OPEN);
		}
	}
}

static const check_test tests[] = {
	TEST(the_outcomes_of_all_mixes_are_right),
	TEST(a_quorum_is_a_majority),
	TEST(an_outcome_is_final),
};

CHECK_MAIN(tests, NULL)
