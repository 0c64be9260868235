/* SPDX-License-Identifier: MIT
 *
 * Sets of members.
 */
#include "core/wire/rl_set.h"

/* The same server and database, whatever the user. */
static bool is_same_place(const rl_target *a, const rl_target *b)
{
	return a->database == b->database && rl_address_equal(&a->address, &b->address);
}

bool rl_set_has(const rl_set *set, const rl_target *target)
{
	bool has_it = false;
	for (unsigned i = 0; i < set->count; i++) {
		has_it = has_it || is_same_place(set->members[i].target, target);
	}
	return has_it;
}

unsigned rl_set_common(const rl_set *a, const rl_set *b)
{
	unsigned count = 0;
	for (unsigned i = 0; i < a->count; i++) {
		for (unsigned j = 0; j < b->count; j++) {
			count += is_same_place(a->members[i].target, b->members[j].target);
		}
	}
	return count;
}
