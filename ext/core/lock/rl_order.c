/* SPDX-License-Identifier: MIT
 *
 * Weights by FNV-1a and the finalizer of splitmix64.
 */
#include "core/lock/rl_order.h"

static uint64_t mix(uint64_t state)
{
	state = (state ^ (state >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	state = (state ^ (state >> 27)) * UINT64_C(0x94d049bb133111eb);
	return state ^ (state >> 31);
}

static const char *name_of(const rl_member *member)
{
	return member->route != NULL ? member->route->order_name : member->target->name;
}

void rl_order(const rl_set *set, rl_bytes key, unsigned char *order)
{
	order[0] = 0;
	if (set->count == 1) {
		return;
	}
	uint64_t weights[RL_MEMBERS_MAX];
	uint64_t of_key = rl_bytes_hash(RL_HASH_BEGIN, key);
	for (unsigned i = 0; i < set->count; i++) {
		const char *name = name_of(&set->members[i]);
		size_t len = 0;
		while (name[len] != '\0') {
			len++;
		}
		weights[i] = mix(rl_bytes_hash(of_key, rl_bytes_of(name, len)));
		unsigned at = i;
		for (; at > 0 && weights[order[at - 1]] < weights[i]; at--) {
			order[at] = order[at - 1];
		}
		order[at] = (unsigned char) i;
	}
}
