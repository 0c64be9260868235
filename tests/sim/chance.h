/* SPDX-License-Identifier: MIT
 *
 * The numbers of one seed: xoshiro256**, begun by splitmix64. Source of both:
 * https://prng.di.unimi.it/
 */
#ifndef CHANCE_H
#define CHANCE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct chance {
	uint64_t state[4];
} chance;

static inline void chance_begin(chance *c, uint64_t seed)
{
	for (unsigned i = 0; i < 4; i++) {
		uint64_t z = (seed += UINT64_C(0x9e3779b97f4a7c15));
		z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
		c->state[i] = z ^ (z >> 31);
	}
}

static inline uint64_t chance_turn(uint64_t x, unsigned by)
{
	return (x << by) | (x >> (64 - by));
}

static inline uint64_t chance_next(chance *c)
{
	uint64_t *s = c->state;
	uint64_t result = chance_turn(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = chance_turn(s[3], 45);
	return result;
}

/* @return 0 to below, without below */
static inline uint32_t chance_below(chance *c, uint32_t below)
{
	return (uint32_t) (((chance_next(c) >> 32) * below) >> 32);
}

static inline bool chance_one_in(chance *c, uint32_t n)
{
	return chance_below(c, n) == 0;
}

/* @return least to most, both included */
static inline int64_t chance_between(chance *c, int64_t least, int64_t most)
{
	uint64_t span = (uint64_t) (most - least) + 1;
	return least + (int64_t) (chance_next(c) % span);
}

/* The same, but small numbers as often as large ones: the number of doublings is drawn first, and
 * then a number in that range. */
static inline int64_t chance_spread(chance *c, int64_t least, int64_t most)
{
	uint32_t doublings = 0;
	while (least << (doublings + 1) <= most) {
		doublings++;
	}
	int64_t from = least << chance_below(c, doublings + 1);
	return chance_between(c, from, 2 * from < most ? 2 * from : most);
}

#endif
