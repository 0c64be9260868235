/* SPDX-License-Identifier: MIT
 *
 * A model of several servers, each with one key, its reservation, its ticket and its marks, as the scripts of
 * rl_script.c treat them. A test sets it up and has fake.h ask it.
 */
#ifndef KEYS_H
#define KEYS_H

#include "fake.h"

#define KEYS_MARKS 16

typedef struct keys_mark {
	char waiter[8];
	int64_t until;
} keys_mark;

/* Tokens are those of the log; those of other clients are "kin" and "foreign". */
typedef struct keys_server {
	char value[16];       /* "" = reserved */
	int64_t expires_at;   /* 0 = nobody has it; RL_NEVER = no end */
	int64_t ticket_until; /* 0 = none lies there */
	keys_mark marks[KEYS_MARKS];
	int64_t clock_us;  /* how much its clock is ahead */
	int64_t delay;     /* of each answer */
	bool is_mute;      /* it reads, and does nothing */
	const char *error; /* NULL, or what all scripts are answered with */
} keys_server;

extern keys_server keys[FAKE_MEMBERS];

/* So many servers that wake, and nobody has the lock; each has a warm connection. */
void keys_begin(unsigned members);

/* Another client takes it on one, or on all. @param ttl_ms 0 = without end */
void keys_take(unsigned member, const char *token, int64_t ttl_ms);
void keys_take_all(const char *token, int64_t ttl_ms);

/* Another client releases it: first on the others, last where waiters queue, as rl_order.h has it. */
void keys_free(unsigned member);
void keys_free_all(unsigned first);

/* Who has it: a token, "" = reserved, "-" = nobody. */
const char *keys_owner(unsigned member);

/* One of ours, or the caller's "mine", is on some member. */
bool keys_has_ours(void);
bool keys_has_marks(unsigned member);

/* For fake_improvise; keys_begin() has set it. */
bool keys_serve(const char *words, bool is_taken, fake_plan *plan);

#endif
