/* SPDX-License-Identifier: MIT
 *
 * Operations: what can be done with a lock, as something that is stepped. An operation never blocks; a
 * driver calls step() until it is done, and waits in between as it is told.
 *
 * An operation is one block of memory that holds copies of key and token, so that its maker may vanish
 * (a PHP frame that is left by longjmp). It borrows set, pool and env, which must outlive it. It belongs
 * to one thread.
 */
#ifndef RL_OP_H
#define RL_OP_H

#include "core/base/rl_token.h"
#include "core/lease/rl_late.h"
#include "core/lock/rl_queue.h"

typedef enum rl_op_kind {
	RL_OP_ACQUIRE,
	RL_OP_ASK,           /* any other verb: one quorum call */
	RL_OP_RELEASE_BATCH, /* rl_release_batch.h */
} rl_op_kind;

typedef struct rl_op {
	rl_op_kind kind;
	bool is_begun;      /* its time began with the first step */
	bool hopes_for_all; /* as in rl_quorum_call, for a plain verb */
	bool lacks_token;   /* the system gave no random bytes for the one that is swapped in */
	/* A swap came to nothing, and a member may hold request.fresh still, or hold it later: the swap-back was written
	 * behind a swap that is not answered, or could not be written. The watchdog repeats it (rl_late.h). */
	bool must_swap_back;
	/* RELEASE that fails: its caller has the watchdog repeat it for so long; 0 = not at all. */
	int64_t late_ns;
	rl_quorum_call call;
	/* The result, once step() has said that it is done. */
	rl_status status;    /* RL_OK = yes, RL_BUSY = no, else err says why it failed */
	const rl_error *err; /* NULL unless it failed; the message names the server */
	rl_error *own_err;   /* owned; where err is, unless memory was short */
} rl_op;

typedef enum rl_acquire_phase {
	RL_ACQUIRE_PAUSED,   /* until resume_at, or until the queue has something to say */
	RL_ACQUIRE_TRYING,   /* SET or try is under way */
	RL_ACQUIRE_PROBING,  /* probe is under way, and the queue goes on */
	RL_ACQUIRE_SWAPPING, /* won with a drawn token; the caller's takes its place */
	RL_ACQUIRE_DONE,
} rl_acquire_phase;

typedef struct rl_acquire {
	rl_op op; /* first: a pointer to it is one to the whole */
	int64_t ttl_ns;
	int64_t wait_ns;
	int64_t started_at;
	int64_t deadline;      /* of the wait; RL_NEVER = none; started_at = no wait */
	int64_t resume_at;     /* PAUSED: when the next try or look is due */
	uint64_t attempts;     /* how often the lock was asked for, also in the queue */
	uint64_t looks;        /* tries and probes after a delay so far: what `retries` caps */
	unsigned delays;       /* back-off delays so far */
	unsigned vain;         /* times woken for nothing since the last look */
	unsigned losses;       /* connections lost in the queue since it last gave an answer */
	unsigned idle_tickets; /* looks in a row that found nobody, and sent a ticket */
	unsigned splits;       /* tries in a row that some members granted, but no quorum */
	unsigned free_looks;   /* looks in a row that found a quorum of members free */
	unsigned unsure_looks; /* looks in a row after which a quorum may be free */
	unsigned mute_looks;   /* looks in a row that the queue's member did not answer */
	unsigned failures;     /* tries and looks in a row that failed */
	int64_t crowd;         /* how many wait, as the latest look told */
	int64_t reach; /* the longest round trip to a member in one look; of all looks the shortest */
	rl_acquire_phase phase;
	bool is_waiting;    /* a wait was asked for */
	bool is_delayed;    /* what is due at resume_at counts as a look */
	bool is_polling;    /* not woken: each look is a try */
	int64_t requeue_at; /* POLLING: when the queue is tried again; RL_NEVER = not in this wait */
	bool lacks_token;   /* the system gave no random bytes for one */
	bool has_tried;     /* the SET was sent */
	bool must_try;      /* the next look is a try, and the queue is left for it */
	bool has_won;       /* a look met our own token: the queue has won, its answer is missing */
	bool
		is_woken; /* the try goes for the quorum after the queue has won, and takes what is reserved */
	bool is_maybe_ours; /* the key may hold the token through an earlier try */
	bool is_marked;     /* the mark has our name */
	rl_sample sample;   /* of the latest look */
	int64_t round_trip; /* of a sample: the shortest that this wait has seen */
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

/* Takes a lock. RL_OK: it is ours, and acquire->token is its token. RL_BUSY: someone else's, to the end of
 * the wait.
 * @return NULL when out of memory */
rl_op *rl_acquire_new(
	const rl_set *set, rl_pool *pool, const rl_env *env, const rl_acquire_args *args);

/* What a call that is given up, at the end of the process, may hold or be granted yet, for rl_renewer_release_pending(). A
 * caller's own token may be the token of another holder: it is released only where it may have taken the place of the
 * drawn token, which has won.
 * @return false = nothing */
bool rl_acquire_may_hold(const rl_acquire *acquire, int64_t now, rl_late_release *late);

/* Takes over a lock that is held with the given token: a fresh one takes its place, and a new TTL begins. RL_OK: the
 * lock is held with request.fresh, proven as from rl_quorum_call_sent_at(); RL_BUSY: not held with that token. A swap that
 * comes to nothing is undone.
 * @return NULL when out of memory */
rl_op *rl_take_over_new(const rl_set *set, rl_pool *pool, const rl_env *env, rl_bytes key,
	rl_bytes token, int64_t ttl_ms);

/* One of the other verbs. RL_OK: released, extended, locked, has an owner, ...; RL_BUSY: not. What a question
 * found out is told by rl_quorum_call_owner() and rl_quorum_call_remaining(). */
rl_op *rl_ask_new(const rl_set *set, rl_pool *pool, const rl_env *env, rl_verb verb, rl_bytes key,
	rl_bytes token, int64_t ttl_ms);

/*
 * Goes on as far as it can without waiting.
 * @param[out] wait what to wait for, when not done
 * @return true = done: op->status is the result
 */
bool rl_op_step(rl_op *op, const rl_tick *tick, rl_wait *wait);

/* Gives an operation up before it is done, or a grant that rl_quorum_call_hold() holds: what it may have taken is undone, as far as can be written
 * without waiting. In a forked child nothing is sent. */
void rl_op_abandon(rl_op *op, int64_t now, bool is_forked);

/* Frees it; one that is not done must have been abandoned. */
void rl_op_free(rl_op *op);

/* For rl_op_step() and rl_op_abandon(); drop is for a forked child. */
bool rl_acquire_step(rl_acquire *acquire, const rl_tick *tick, rl_wait *wait);
void rl_acquire_abandon(rl_acquire *acquire, int64_t now);
void rl_acquire_drop(rl_acquire *acquire);

/* Lays out an operation of the given size with room for its member calls, key and token.
 * @return NULL when out of memory */
void *rl_op_alloc(size_t size, const rl_set *set, rl_pool *pool, const rl_env *env, rl_bytes key,
	size_t token_room, char **token);

/* Makes op->err, and with it op->status, of the member calls' reasons; suffix may be "". With several members the message
 * names each that failed, as far as there is room. */
void rl_op_fail(rl_op *op, const char *suffix);

/* The same of a reason of its own; the message begins with the server's name, or how many there are. */
void rl_op_fail_with(rl_op *op, rl_status status, const char *format, ...) RL_PRINTF(3, 4);

#endif
