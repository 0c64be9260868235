/* SPDX-License-Identifier: MIT
 *
 * The data of a server, and what each command does to it: Redis' semantics as far as core's commands go. Time is the
 * server's own wall clock. Blocking is the server's business (server.h): BLPOP here finds a ticket or does not.
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
	text value;         /* "" = reserved */
	int64_t expires_ms; /* the last ms in which it is there */
	uint8_t mark_count;
	store_mark marks[STORE_MARKS];
	int64_t
		reach_ms; /* the member '' of the marks: the longest reservation that was asked for; 0 = none */
	int64_t marks_expire_ms;
	unsigned tickets;
	int64_t tickets_expire_ms;
} store_key;

/* What a server refuses: its state, not its data. */
typedef enum store_denial {
	DENIES_NOTHING,
	DENIES_MEMORY, /* OOM: what may need memory, but for a script that has written something before */
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

void store_clear(store *s);

/* Nobody's token: the lock is kept for a waiter. */
bool store_is_reservation(const text *value);

/* What has ended by its TTL. */
void store_expire(store *s, unsigned key, int64_t now_us);

/* Any command but WORD_BLPOP. */
void store_run(store *s, const command *c, int64_t now_us, reply *r);

/* The server refuses the command whole, whatever it would do; the reply says how. */
bool store_refuses(const store *s, const command *c, reply *r);

/* BLPOP at the head of the list: false when it is empty. */
bool store_pop(store *s, unsigned key, int64_t now_us);

#endif
