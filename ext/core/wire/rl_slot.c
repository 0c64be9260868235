/* SPDX-License-Identifier: MIT */
#include "core/wire/rl_slot.h"

#include <string.h>

rl_bytes rl_slot_tag(rl_bytes key)
{
	const char *open = key.len > 0 ? memchr(key.data, '{', key.len) : NULL;
	if (open == NULL) {
		return key;
	}
	size_t rest = key.len - (size_t) (open + 1 - key.data);
	const char *close = memchr(open + 1, '}', rest);
	if (close == NULL || close == open + 1) {
		return key;
	}
	return rl_bytes_of(open + 1, (size_t) (close - open - 1));
}

unsigned rl_slot_of(rl_bytes key)
{
	/* The CRC of each value of four bits. */
	static const uint16_t of_nibble[16] = {0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50a5, 0x60c6,
		0x70e7, 0x8108, 0x9129, 0xa14a, 0xb16b, 0xc18c, 0xd1ad, 0xe1ce, 0xf1ef};
	rl_bytes tag = rl_slot_tag(key);
	uint16_t crc = 0;
	for (size_t i = 0; i < tag.len; i++) {
		unsigned char byte = (unsigned char) tag.data[i];
		crc = (uint16_t) (crc << 4) ^ of_nibble[(crc >> 12) ^ (byte >> 4)];
		crc = (uint16_t) (crc << 4) ^ of_nibble[(crc >> 12) ^ (byte & 15)];
	}
	return crc % RL_SLOTS;
}
