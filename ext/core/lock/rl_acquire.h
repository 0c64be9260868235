/* SPDX-License-Identifier: MIT
 *
 * Taking a lock, with or without a wait. The design is in rl_acquire.c.
 */
#ifndef RL_ACQUIRE_H
#define RL_ACQUIRE_H

#include "core/base/rl_token.h"
#include "core/lease/rl_late_grant.h"
#include "core/lock/rl_op.h"
#include "core/lock/rl_queue.h"

/* In PAUSED and PROBING the connection of the place in the queue is read as well. */
typedef enum rl_acquire_phase {
	RL_ACQUIRE_PAUSED,   /* until resume_at */
	RL_ACQUIRE_TRYING,   /* SET or try under way */
	RL_ACQUIRE_PROBING,  /* probe under way */
	RL_ACQUIRE_SWAPPING, /* swap under way, after a win */
	RL_ACQUIRE_DONE,
} rl_acquire_phase;

/* What is sent when a pause ends. A try replaces the probe at the end, and while polling. */
typedef enum rl_acquire_next {
	RL_ACQUIRE_NEXT_FIRST, /* SET, or a try: see first_verb() */
	RL_ACQUIRE_NEXT_PROBE,
	RL_ACQUIRE_NEXT_TRY, /* the place is given up first */
	/* A try that also takes a reserved lock. The place is kept, because it may have won. */
	RL_ACQUIRE_NEXT_CLAIM,
} rl_acquire_next;

/* The holder that a wait has seen last. */
typedef struct rl_seen {
	rl_holder holder; /* NOBODY = none was seen yet */
	int64_t pttl_ms;  /* -1 = no TTL */
	int64_t at;
	rl_label label; /* empty = the holder's token has none */
} rl_seen;

typedef struct rl_acquire {
	rl_op op; /* first, for casts from rl_op */
	int64_t ttl_ns;
	int64_t wait_ns;
	int64_t started_at;
	int64_t deadline;  /* RL_NEVER = none; started_at = no wait */
	int64_t resume_at; /* PAUSED: the pause ends then */
	uint64_t attempts; /* SETs, tries, and wake-ups */
	uint64_t retried;  /* what `retries` limits */
	unsigned delays;   /* back-off delays while the lock was held */
	unsigned spurious; /* refusals in the queue since the last delay */
	unsigned losses;   /* failed places in a row */
	unsigned splits;   /* split votes in a row */
	/* Probes in a row that found a quorum of members free; see count_free_probes(). */
	unsigned free_probes;
	/* Probes in a row after which a quorum of members may be free. */
	unsigned unsure_probes;
	/* Probes in a row that the member of the place did not answer. */
	unsigned silent_probes;
	unsigned failures; /* in a row, for the back-off after failures */
	/* The next failure from then on ends the wait; RL_NEVER = a quorum answered the last call, or
	 * outages have no limit. */
	int64_t outage_end;
	int64_t crowd; /* waiters, as last reported */
	/* The longest round trip to a member in a probe; the shortest of all probes. */
	int64_t reach;
	rl_acquire_phase phase;
	rl_acquire_next next;
	bool is_first;      /* the call under way is the first one */
	bool is_delayed;    /* counts against `retries` */
	bool is_polling;    /* a try replaces each probe */
	int64_t requeue_at; /* polling ends then; RL_NEVER = never */
	/* The key may have the token in use from an earlier command. */
	bool is_maybe_ours;
	unsigned marked;    /* a bit for each member that may have our mark */
	rl_sample sample;   /* of the latest probe */
	int64_t round_trip; /* the shortest of all samples */
	rl_queue queue;
	rl_seen seen;
	int64_t proven_until; /* ownership is proven until then */
	int64_t waited_ns;    /* from start to end */
	/* Borrowed: the gauge that counts this wait; NULL = none. */
	_Atomic uint64_t *gauge;
	/* The name of its mark: the form of a token with its label, but "rlw.". */
	char waiter[RL_TOKEN_LABELLED_MAX];
	rl_bytes token; /* in use: the caller's, or drawn */
	rl_bytes given; /* the caller's token; no data = none */
	/* The caller's token, if a drawn one must win before it; no data = none. */
	rl_bytes own;
	bool heeds_done; /* the mark of work that is done ends the call */
	bool met_done;   /* it has */
	/* A try was refused, because other clients had too many of the members: so the lock was found
	 * taken. Failures alone, or the mark of work that is done, do not count. */
	bool was_refused;
	unsigned permit; /* which of several permits was won, from 0 on */
	char *drawn;     /* in the block; drawing changes the characters before the label */
	size_t drawn_len;
	int64_t won_since; /* SWAPPING: ownership began then */
	/* SWAPPING: a bit for each member that granted the drawn token, and for each that may have. */
	unsigned won_on, drawn_on;
	/* After a win without a caller's token: a bit for each member that was not asked. */
	unsigned unasked;
} rl_acquire;

typedef struct rl_acquire_args {
	rl_bytes key;   /* with its prefix */
	rl_bytes token; /* no data = draw one */
	int64_t ttl_ms;
	int64_t wait_ns; /* 0 = one try, RL_NEVER = for ever */
	/* If the key says that the work is done (RL_DONE), the call ends at once. */
	bool heeds_done;
	/* How many holders the lock may have at once, RL_PERMITS_MAX at most; 0 = one. Several need a
	 * set of one member, helper keys, and a drawn token. */
	unsigned permits;
} rl_acquire_args;

/* Takes a lock. RL_OK: the lock is ours, and acquire->token is its token. RL_BUSY: another client
 * held the lock until the end of the wait; or, if acquire->met_done, the work is done.
 * @return NULL when out of memory */
rl_op *rl_acquire_new(rl_set *set, rl_pool *pool, const rl_env *env, const rl_acquire_args *args);

/* Call after the end. Fills in what the members that were not asked still have to be sent, for the
 * renewer. @return false = nothing */
bool rl_acquire_leaves(const rl_acquire *acquire, rl_late_grant *grant);

/* The key that was won: of the lock, or of one of its permits. */
rl_bytes rl_acquire_won_key(const rl_acquire *acquire);

/* "held by web-3:8812": the holder that the wait has seen last. @return room; empty = none */
#define RL_HOLDER_TEXT 128
const char *rl_acquire_holder_text(const rl_acquire *acquire, char room[RL_HOLDER_TEXT]);

/* The same, with the time for which the holder still has the lock. */
const char *rl_acquire_held_text(const rl_acquire *acquire, int64_t now, char room[RL_HOLDER_TEXT]);

/* The call waits for the lock, if another holder has it. */
static inline bool rl_acquire_is_waiting(const rl_acquire *acquire)
{
	return acquire->wait_ns > 0;
}

/* The call waits, and no try is under way whose answer may be the grant. So the only grant that may
 * still arrive is that of the place in the queue. Not before the end of the first try. */
bool rl_acquire_may_stop(const rl_acquire *acquire);

/* Ends such a wait before its time, with RL_BUSY, also if the servers have failed. Undoes what it
 * may have taken, as far as can be written without waiting. */
void rl_acquire_stop(rl_acquire *acquire, int64_t now);

/* The operation as an acquire; NULL when it is another one. */
rl_acquire *rl_acquire_of(rl_op *op);

#endif
