/* SPDX-License-Identifier: MIT
 *
 * Arrays that grow: each time the room is used up it is doubled.
 */
#ifndef RL_GROW_H
#define RL_GROW_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define RL_GROW_FIRST 8 /* elements */

/* Makes room for so many elements. False = out of memory: the array is as before.
 * @param array where the pointer to the first element is, NULL before the first call; the owner
 * frees it
 * @param room for how many elements there is room
 * @param size of one element */
static inline bool rl_grow(void *array, size_t *room, size_t count, size_t size)
{
	if (count <= *room) {
		return true;
	}
	void *elements;
	memcpy(&elements, array, sizeof elements); /* whatever its type is */
	size_t wanted = *room > 0 ? 2 * *room : RL_GROW_FIRST;
	wanted = wanted > count ? wanted : count;
	elements = realloc(elements, wanted * size);
	if (elements == NULL) {
		return false;
	}
	memcpy(array, &elements, sizeof elements);
	*room = wanted;
	return true;
}

#endif
