/* SPDX-License-Identifier: MIT
 *
 * The bytes of an input that decide what the network does, and what the process does. They are used
 * up one by one. When the input is over, no server says anything any more, and the process gives up
 * what it does.
 */
#ifndef HOSTILE_INPUT_H
#define HOSTILE_INPUT_H

#include "core/base/rl_status.h"

#include <stdint.h>

typedef struct hostile_input {
	const uint8_t *next;
	size_t left;
} hostile_input;

extern hostile_input hostile_bytes;

static inline bool input_is_over(void)
{
	return hostile_bytes.left == 0;
}

/* The next byte; 0 = the input is over. */
static inline unsigned input_take(void)
{
	if (hostile_bytes.left == 0) {
		return 0;
	}
	hostile_bytes.left--;
	return *hostile_bytes.next++;
}

/* The next bytes, so many at most. Borrowed. */
static inline rl_bytes input_take_some(size_t most)
{
	size_t len = most < hostile_bytes.left ? most : hostile_bytes.left;
	rl_bytes some = rl_bytes_of((const char *) hostile_bytes.next, len);
	hostile_bytes.next += len;
	hostile_bytes.left -= len;
	return some;
}

#endif
