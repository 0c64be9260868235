/* SPDX-License-Identifier: MIT
 *
 * rl_releases.c: the releases under way, and the lines that they share.
 */
#include "invariants.h"

static bool is_good_release(const rl_releases *releases, unsigned at)
{
	const rl_release *one = releases->under_way[at];
	return holds(one->index < releases->next &&
				   (at == 0 || releases->under_way[at - 1]->index < one->index),
			   "rl_releases: the releases under way are in the order of their beginning") &&
		holds(one->op.call.outcome == RL_VOTE_OPEN, "rl_releases: a release under way is open") &&
		holds(one->op.call.terms.lines == &releases->lines,
			"rl_releases: several releases share the lines") &&
		invariants_of_call(&one->op.call);
}

bool invariants_of_releases(const rl_releases *releases)
{
	if (!holds(releases->used <= releases->window && releases->window <= RL_RELEASES_WINDOW,
			"rl_releases: no more releases are under way than the window allows") ||
		!holds(releases->next <= releases->count, "rl_releases: each lease is released once") ||
		!holds(releases->used > 0, "rl_releases: it is done when no release is under way")) {
		return false;
	}
	for (unsigned i = 0; i < releases->used; i++) {
		if (!is_good_release(releases, i)) {
			return false;
		}
	}
	return invariants_of_lines(&releases->lines) && invariants_of_resting_call(&releases->op.call);
}
