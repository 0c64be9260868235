/* SPDX-License-Identifier: MIT
 *
 * Taking a lock, with or without a wait. The design is in rl_acquire_op.c.
 */
#ifndef RL_ACQUIRE_H
#define RL_ACQUIRE_H

#include "core/base/rl_token.h"
#include "core/lock/rl_op.h"
#include "core/lock/rl_queue.h"

typedef enum rl_acquire_phase {
	RL_ACQUIRE_PAUSED,   /* until resume_at, or until the queue has something to say */
	RL_ACQUIRE_TRYING,   /* SET or try is under way */
	RL_ACQUIRE_PROBING,  /* probe is under way, and the queue goes on */
	RL_ACQUIRE_SWAPPING, /* won with a drawn token; the caller's takes its place */
	RL_ACQUIRE_DONE,
} rl_acquire_phase;

/* What a pause ends with. */
typedef enum rl_acquire_next {
	RL_ACQUIRE_NEXT_SET,   /* the first command */
	RL_ACQUIRE_NEXT_PROBE, /* a probe, or a try where the wait polls, is over or has to queue */
	RL_ACQUIRE_NEXT_TRY,   /* a try, for which the queue is left; also after a failure */
	RL_ACQUIRE_NEXT_CLAIM, /* a probe met our own token: a try takes what the queue has won unheard
							*/
} rl_acquire_next;

typedef struct rl_acquire {
	rl_op op; /* first: a pointer to it is one to the whole */
	int64_t ttl_ns;
	int64_t wait_ns;
	int64_t started_at;
	int64_t deadline;       /* of the wait; RL_NEVER = none; started_at = no wait */
	int64_t resume_at;      /* PAUSED: when the next try or look is due */
	uint64_t attempts;      /* how often the lock was asked for, also in the queue */
	uint64_t retried;       /* tries and probes after a delay so far: what `retries` caps */
	unsigned delays;        /* back-off delays so far */
	unsigned spurious;      /* times woken for nothing since the last look */
	unsigned losses;        /* connections lost in the queue since it last gave an answer */
	unsigned splits;        /* tries in a row that some members granted, but no quorum */
	unsigned free_probes;   /* looks in a row that found a quorum of members free */
	unsigned unsure_probes; /* looks in a row after which a quorum may be free */
	unsigned silent_probes; /* looks in a row that the queue's member did not answer */
	unsigned failures;      /* tries and looks in a row that failed */
	int64_t crowd;          /* how many wait, as the latest look told */
	int64_t reach; /* the longest round trip to a member in one look; of all looks the shortest */
	rl_acquire_phase phase;
	rl_acquire_next next; /* PAUSED, PROBING */
	bool is_delayed;      /* what is due at resume_at counts as a look */
	bool is_polling;      /* not woken: each look is a try */
	int64_t requeue_at;   /* POLLING: when the queue is tried again; RL_NEVER = not in this wait */
	bool is_maybe_ours;   /* the key may hold the token through an earlier try */
	bool is_marked;       /* the mark has our name */
	rl_sample sample;     /* of the latest look */
	int64_t round_trip;   /* of a sample: the shortest that this wait has seen */
	rl_queue queue;
	int64_t proven_until;      /* RL_OK: ownership is proven until then */
	int64_t waited_ns;         /* from the start to the end */
	char waiter[RL_TOKEN_LEN]; /* its name in the mark, if it waits */
	const char *token;         /* the one in use, own or drawn; token_len bytes */
	size_t token_len;
	rl_bytes own;      /* the caller's, in the same block; no data = none */
	char *drawn;       /* in the same block; RL_TOKEN_LEN bytes */
	int64_t won_since; /* SWAPPING: ownership began then */
	unsigned won_on;   /* SWAPPING: a bit for each member that granted the drawn token */
} rl_acquire;

typedef struct rl_acquire_args {
	rl_bytes key;   /* with its prefix */
	rl_bytes token; /* no data = draw one */
	int64_t ttl_ms;
	int64_t wait_ns; /* 0 = one try, RL_NEVER = for ever */
} rl_acquire_args;

/* Takes a lock. RL_OK: it is ours, and acquire->token is its token. RL_BUSY: someone else's, to the
 * end of the wait.
 * @return NULL when out of memory */
rl_op *rl_acquire_new(rl_set *set, rl_pool *pool, const rl_env *env, const rl_acquire_args *args);

/* What a call that is given up, at the end of the process, may hold or be granted yet, for
 * rl_late_release_pending(). A caller's own token may be the token of another holder: it is
 * released only where it may have taken the place of the drawn token, which has won.
 * @return false = nothing */
bool rl_acquire_may_hold(const rl_acquire *acquire, int64_t now, rl_late_release *late);

/* The call waits for the lock, if another holder has it. */
static inline bool rl_acquire_is_waiting(const rl_acquire *acquire)
{
	return acquire->wait_ns > 0;
}

/* The operation as an acquire; NULL when it is another one. */
rl_acquire *rl_acquire_of(rl_op *op);

#endif
