/* SPDX-License-Identifier: MIT
 *
 * Commands about the few keys that the servers of the tests have. Keys are "k0", "k1", ... and "k",
 * which is the same key as "k0"; beside them their helper keys. On a cluster a key is also named
 * "{t}k1", which is in the slot of all keys with this tag, or "k1}", which has no helper keys. The
 * permits of "k0" are "k0", "k0#2", ..., and have the numbers of the keys "k0", "k1", ...: a test
 * uses them or those keys.
 */
#ifndef WORDS_H
#define WORDS_H

#include "model/rl_words.h"

#define WORDS_KEYS 4

/* In place of a slot: the command names no key, or its keys are in different slots. */
#define WORDS_NO_SLOT (-1)
#define WORDS_CROSS_SLOT (-2)

_Static_assert(
	WORDS_KEYS + 1 == RL_WORDS_NUMBERS, "a map has the node of each key, and of the rest");

/* As rl_words_read(), and sets the number of the key. False also when the command names another
 * key. */
bool words_read(rl_model_command *c, unsigned argc, const rl_bytes *argv);

/* The slot of the keys that the command names. */
int16_t words_slot(unsigned argc, const rl_bytes *argv);

/* Whether the model of each script is that of the script as core has it. */
bool words_know_scripts(void);

/* For a person; the buffer is the caller's. */
const char *words_say(const rl_model_command *c, char *room, size_t size);
const char *words_say_reply(const rl_model_reply *r, char *room, size_t size);

#endif
