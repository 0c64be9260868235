/* SPDX-License-Identifier: MIT
 *
 * The model of a server's data: what each command of core does to it, and what the server replies.
 * The simulator (tests/sim) and the unit tests (tests/unit/servers.h) run their servers on this
 * model, and tests/sim/conformance.c compares it with real servers.
 *
 * Time is the server's own wall clock. Blocking is not part of the model: a caller whose BLPOP
 * finds no ticket keeps the connection blocked, and hands out the next ticket itself.
 */
#ifndef STORE_H
#define STORE_H

#include "words.h"

#define STORE_MARKS 48

typedef struct store_mark {
	uint64_t waiter;
	int64_t until_us; /* its score */
} store_mark;

typedef struct store_key {
	bool exists;
	model_text value;   /* "" = reserved */
	int64_t expires_ms; /* the last ms in which it is there */
	uint8_t mark_count;
	store_mark marks[STORE_MARKS];
	/* The member '' of the marks: the longest reservation that was asked for; 0 = none. */
	int64_t reach_ms;
	int64_t marks_expire_ms;
	unsigned tickets;
	int64_t tickets_expire_ms;
	int64_t fence; /* the fencing number; 0 = none */
	int64_t fence_expires_ms;
} store_key;

/* What a server refuses: its state, not its data. */
typedef enum store_denial {
	DENIES_NOTHING,
	/* OOM: what may need memory, unless the script has written something before. */
	DENIES_MEMORY,
	DENIES_UNCOPIED,   /* NOREPLICAS: every write */
	DENIES_AS_REPLICA, /* READONLY: every write */
	DENIES_ALL, /* MASTERDOWN: a replica that has lost its primary, and does not serve old data */
} store_denial;

typedef struct store {
	store_key keys[WORDS_KEYS];
	unsigned known; /* scripts, a bit for each */
	store_denial denies;
	bool has_written; /* the script that is running */
	/* What the last command did, besides its reply. */
	bool has_changed; /* the lock itself, or its TTL */
	bool has_ticket;  /* one was put where none was */
} store;

/* Branches that a run of many commands should have met: X(name, what it is). */
#define STORE_BRANCHES(X) \
 X(expired, "a key ends by its TTL") \
 X(noscript, "a server does not know a script") \
 X(owed_try_own, "a try that is owed an answer finds its own token") \
 X(late_try, "a try comes after its time, and passes the ticket on") \
 X(reserved, "a release reserves the lock for a waiter") \
 X(untold, "a release frees the lock, and its waiters cannot be told") \
 X(renewal_kept, "a renewal finds a longer TTL, and leaves it") \
 X(swapped_before, "a swap finds that it was done") \
 X(fence_by_clock, "a fencing number is the server's time") \
 X(fence_ahead, "a fencing number is ahead of the server's time")

typedef enum store_branch {
#define STORE_BRANCH_NAME(name, what) STORE_MET_##name,
	STORE_BRANCHES(STORE_BRANCH_NAME)
#undef STORE_BRANCH_NAME
		STORE_BRANCH_COUNT
} store_branch;

/* How often each branch was met, by all stores of the program. */
extern uint64_t store_met[STORE_BRANCH_COUNT];

void store_clear(store *s);

/* Nobody's token: the lock is kept for a waiter. */
bool store_is_reservation(const model_text *value);

/* What has ended by its TTL. */
void store_expire(store *s, unsigned key, int64_t now_us);

/* Any command but WORD_BLPOP. */
void store_run(store *s, const model_command *c, int64_t now_us, model_reply *r);

/* The server refuses the command whole, whatever it would do; the reply says how. */
bool store_refuses(const store *s, const model_command *c, model_reply *r);

/* BLPOP at the head of the list: false when it is empty. */
bool store_pop(store *s, unsigned key, int64_t now_us);

#endif
