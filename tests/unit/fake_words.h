/* SPDX-License-Identifier: MIT
 *
 * Commands as the log of fake.h shows them. The lines are short, and hide nothing that is sent:
 *
 *     NAME                            CLIENT SETNAME redislock
 *     SET k T1 NX PX 30000            tokens of ours are named in the order of their first use;
 *                                     "T1@web" has a label
 *     try k T1 30000 0 0 - 0          EVALSHA with one key; TRY would be EVAL with the text; an
 *                                     empty argument is "-"
 *     try+ k T1 30000 0 0 W1          with three keys, of which two are the helper keys of the
 *                                     first; names of waiters, too, are numbered in the order of
 *                                     their first use
 *     try+ k T1 30000 0 0 W1 500 30   the last two arguments are left out when they are 2000, for
 *                                     how long the waiter is marked, and 10, the reservation
 *     try 3 k x y T1 30000 0 0 - 0    with other keys
 */
#ifndef FAKE_WORDS_H
#define FAKE_WORDS_H

#include "core/base/rl_status.h"

/* A caller's token in the form of drawn ones, which the log shows as "drawn". */
#define FAKE_DRAWN "rl1.drawn-drawn-drawn-drawn-"

typedef struct fake_words {
	char text[320];
	bool is_handshake; /* AUTH, SELECT, CLIENT */
	bool is_undo;      /* release as text */
	bool is_blpop;
	bool is_wait;     /* WAIT */
	bool is_asking;   /* ASKING */
	bool is_map;      /* CLUSTER */
	bool is_lookup;   /* SENTINEL */
	int64_t block_ns; /* how long a BLPOP blocks */
} fake_words;

void fake_describe(fake_words *words, unsigned argc, const rl_bytes *argv);

/* A token of our form by its name in the log: "T1", "drawn"; valid for eight calls. */
const char *fake_name_of(rl_bytes token);

/* The token with this name in the log; no data = no token has it. */
rl_bytes fake_token_named(const char *name);

/* The next token of ours will be T1, the next waiter W1. */
void fake_forget_tokens(void);

#endif
