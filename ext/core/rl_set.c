/* SPDX-License-Identifier: MIT
 *
 * Sets of members.
 */
#include "core/rl_set.h"

unsigned rl_set_common(const rl_set *a, const rl_set *b)
{
	unsigned count = 0;
	for (unsigned i = 0; i < a->count; i++) {
		const rl_target *one = a->members[i].target;
		for (unsigned j = 0; j < b->count; j++) {
			const rl_target *other = b->members[j].target;
			count += one->database == other->database &&
				rl_address_equal(&one->address, &other->address);
		}
	}
	return count;
}
