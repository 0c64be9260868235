/* SPDX-License-Identifier: MIT
 *
 * A server of the tests: the model of a server (model/rl_store.h), and the few keys of words.h.
 * Each function is that of the model, for the key with this number, or for the key that the command
 * names.
 */
#ifndef STORE_H
#define STORE_H

#include "model/rl_store.h"
#include "words.h"

#include <string.h>

typedef struct store {
	rl_store state;
	rl_store_key keys[WORDS_KEYS];
} store;

static inline void store_clear(store *s)
{
	memset(s, 0, sizeof *s);
}

static inline void store_expire(store *s, unsigned key, int64_t now_us)
{
	rl_store_expire(&s->state, &s->keys[key], now_us);
}

static inline void store_run(store *s, const rl_model_command *c, int64_t now_us, rl_model_reply *r)
{
	rl_store_key *permits[WORDS_KEYS];
	for (unsigned i = 0; i < WORDS_KEYS; i++) {
		permits[i] = &s->keys[c->permit_key[i]];
	}
	rl_store_keys keys = {
		.lock = &s->keys[c->key], .home = &s->keys[c->home_key], .permits = permits};
	rl_store_run(&s->state, &keys, c, now_us, r);
}

static inline bool store_refuses(const store *s, const rl_model_command *c, rl_model_reply *r)
{
	return rl_store_refuses(&s->state, c, r);
}

static inline bool store_pop(store *s, unsigned key, int64_t now_us)
{
	return rl_store_pop(&s->state, &s->keys[key], now_us);
}

#endif
