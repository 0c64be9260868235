/* SPDX-License-Identifier: MIT
 *
 * A model of a server: one key with its reservation, its ticket and its marks, as the scripts of rl_script.c treat
 * them, behind a network that delays, breaks and loses. There is one; a test sets it up and has fake.h ask it.
 */
#ifndef WORLD_H
#define WORLD_H

#include "waiting.h"

#define MARKS_MAX 12
#define LATE_MAX 8

typedef struct mark {
	char waiter[8];
	int64_t until;
} mark;

typedef struct late_command {
	int64_t at;
	char words[128];
} late_command;

/* The server, and what its other clients will do. Tokens are those of the log; theirs are "kin" and "foreign". */
typedef struct world {
	unsigned round;
	uint32_t random;
	bool is_held;
	char value[8]; /* "" = reserved */
	int64_t expires_at;
	int64_t ticket_until; /* 0 = none lies there */
	mark marks[MARKS_MAX];
	late_command late[LATE_MAX];
	unsigned late_count;
	double rate;             /* of the server's clock */
	unsigned ghosts;         /* others who wait in the queue */
	int64_t ghost_takes_at;  /* one of them was woken */
	int64_t holder_frees_at; /* another client's release */
	int64_t newcomer_at;     /* tries to take it */
	int64_t unheld_since;    /* by anybody; RL_NEVER = it is held */
	int64_t deadline;        /* of our wait */
	bool has_trouble;        /* connections break, answers fail to come */
	bool is_undo_lost;       /* the system did not take one, and not for lack of trying */
	bool is_over;            /* the caller has released: our tokens must not be granted any more */
	char granted[8];         /* the latest token of ours that was */
} world;

extern world the_world;

/* Numbers that begin with the round's: a round that fails can be run again. */
uint32_t world_any(uint32_t below);
int64_t world_any_ms(uint32_t below);

/* ---- the key; each at a time that is not before the last ---- */

bool world_is_ours(const char *token);

/* What has ended by its TTL. */
void world_expire(int64_t at);

void world_set(const char *token, int64_t ttl_ms, int64_t at);
void world_delete(int64_t at);

/* As a release does it: with a mark it is reserved, and a ticket sent. */
void world_free(int64_t at);

/* One of our waits is marked. */
bool world_has_marks(int64_t at);

/* ---- commands, in the words of the log ---- */

const char *world_run(const char *words, int64_t at);

/* For fake_improvise. */
bool world_serve(const char *words, bool is_taken, fake_plan *plan);

/* fake_alarm is when the next thing happens that nobody of ours asked for. */
void world_set_alarm(void);

#endif
