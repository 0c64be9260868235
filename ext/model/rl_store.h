/* SPDX-License-Identifier: MIT
 *
 * The model of a server's data: what each command of core does to it, and what the server replies.
 * The servers of memory:// (transport/rl_memory.h), of the simulator (tests/sim) and of the unit
 * tests (tests/unit/servers.h) run on this model, and tests/sim/conformance.c compares it with real
 * servers.
 *
 * Time is the server's own wall clock. Blocking is not part of the model: a caller whose BLPOP
 * finds no ticket keeps the connection blocked, and hands out the next ticket itself.
 */
#ifndef RL_STORE_H
#define RL_STORE_H

#include "core/base/rl_label.h"
#include "model/rl_words.h"

#define RL_STORE_MARKS 48

typedef struct rl_store_mark {
	uint64_t waiter;
	int64_t until_us; /* its score */
	rl_label label;   /* in its name */
} rl_store_mark;

typedef struct rl_store_key {
	bool exists;
	rl_model_text value; /* "" = reserved */
	int64_t expires_ms;  /* the last ms in which it is there */
	uint8_t mark_count;
	rl_store_mark marks[RL_STORE_MARKS];
	/* The member '' of the marks: the longest reservation that was asked for; 0 = none. */
	int64_t reach_ms;
	int64_t marks_expire_ms;
	unsigned tickets;
	int64_t tickets_expire_ms;
	int64_t fence; /* the fencing number; 0 = none */
	int64_t fence_expires_ms;
} rl_store_key;

/* The keys that a command is about. */
typedef struct rl_store_keys {
	rl_store_key *lock;
	rl_store_key *home;           /* the lock whose helper keys the command names */
	rl_store_key *const *permits; /* as many as rl_model_command.permits */
} rl_store_keys;

/* What a server refuses: its state, not its data. */
typedef enum rl_store_denial {
	RL_DENIES_NOTHING,
	/* OOM: what may need memory, unless the script has written something before. */
	RL_DENIES_MEMORY,
	RL_DENIES_UNCOPIED,   /* NOREPLICAS: every write */
	RL_DENIES_AS_REPLICA, /* READONLY: every write */
	RL_DENIES_ALL, /* MASTERDOWN: a replica that has lost its primary, and does not serve old data
					*/
} rl_store_denial;

typedef enum rl_store_deed {
	RL_STORE_WROTE = 1,      /* anything */
	RL_STORE_CHANGED = 2,    /* the lock itself, or its TTL */
	RL_STORE_PUT_TICKET = 4, /* where none was */
} rl_store_deed;

/* The state of a server besides its keys. */
typedef struct rl_store {
	unsigned known; /* scripts, a bit for each */
	rl_store_denial denies;
	unsigned done; /* by the last command, besides its reply: bits of rl_store_deed */
	/* A slot of a cluster moves away: a script that has removed a key cannot ask for it again. */
	bool moves_away;
} rl_store;

/* Branches that a run of many commands should have met: X(name, what it is). */
#define RL_STORE_BRANCHES(X) \
 X(expired, "a key ends by its TTL") \
 X(noscript, "a server does not know a script") \
 X(owed_try_own, "a try that is owed an answer finds its own token") \
 X(late_try, "a try comes after its time, and passes the ticket on") \
 X(reserved, "a release reserves the lock for a waiter") \
 X(untold, "a release frees the lock, and its waiters cannot be told") \
 X(done, "a release leaves the mark of work that is done") \
 X(done_told, "a try from the queue finds that mark, and tells the next waiter") \
 X(other_permit, "a try takes another permit than the first") \
 X(reserved_permit, "a woken waiter takes a reserved permit, and another one is free") \
 X(freed_permit, "a release deletes a permit, because the waiters have their tickets") \
 X(second_ticket, "a look sends a ticket for a permit that is free, beside that for another") \
 X(renewal_kept, "a renewal finds a longer TTL, and leaves it") \
 X(swapped_before, "a swap finds that it was done") \
 X(fence_by_clock, "a fencing number is the server's time") \
 X(fence_ahead, "a fencing number is ahead of the server's time")

typedef enum rl_store_branch {
#define RL_STORE_BRANCH_NAME(name, what) RL_STORE_MET_##name,
	RL_STORE_BRANCHES(RL_STORE_BRANCH_NAME)
#undef RL_STORE_BRANCH_NAME
		RL_STORE_BRANCH_COUNT
} rl_store_branch;

#ifdef RL_STORE_COUNTS_BRANCHES
/* How often each branch was met, by all stores of the program. */
extern uint64_t rl_store_met[RL_STORE_BRANCH_COUNT];
#endif

/* True when the value is no token, but reserves the lock for a waiter. */
bool rl_store_is_reservation(const rl_model_text *value);

/* True when the value says that the work is done. */
bool rl_store_is_done(const rl_model_text *value);

/* Removes what has ended by its TTL. */
void rl_store_expire(rl_store *s, rl_store_key *k, int64_t now_us);

/* Runs any command but RL_WORD_BLPOP, on the keys that it names. */
void rl_store_run(rl_store *s, const rl_store_keys *keys, const rl_model_command *c, int64_t now_us,
	rl_model_reply *r);

/* The server refuses the command whole, whatever it would do; the reply says how. */
bool rl_store_refuses(const rl_store *s, const rl_model_command *c, rl_model_reply *r);

/* BLPOP at the head of the list: false when it is empty. */
bool rl_store_pop(rl_store *s, rl_store_key *k, int64_t now_us);

#endif
