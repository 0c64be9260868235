/* SPDX-License-Identifier: MIT
 *
 * A lease: a lock that this process keeps, and what can be said of it without asking anybody.
 *
 * The proof is one atomic number: the time until which ownership is proven, counted from before the last request
 * that was confirmed, or why nothing is proven. Loss is final: once it has been seen, by the clock or by a
 * server's answer, nothing brings the lease back. In a forked child it is not held from the start: the parent has
 * it.
 *
 * A lease is one block of memory with copies of key and token. It belongs to one thread. While it is watched
 * (rl_renewer.h) the watchdog's thread works on it, too: then it is changed under the watch's lock only, and the
 * proof can still be read at any time.
 */
#ifndef RL_LEASE_H
#define RL_LEASE_H

#include "core/wire/rl_command.h"
#include "core/base/rl_env.h"
#include "core/lease/rl_loss.h"

typedef enum rl_lease_stage {
	RL_LEASE_NEW, /* not won yet */
	RL_LEASE_TAKEN,
	RL_LEASE_LEAVING, /* its release was asked for, and may have been carried out */
	RL_LEASE_ENDED,   /* released, or given away */
} rl_lease_stage;

typedef struct rl_lease {
	const rl_env *env; /* borrowed */
	/* The time until which it is proven; 0 = not won yet; else an rl_loss, negative. */
	_Atomic int64_t proof;
	/* No renewal sets an expiry beyond this; RL_NEVER = it may be renewed without end, or is not renewed. For the
	 * reason of its loss only. */
	_Atomic int64_t hold_until;
	rl_lease_stage stage;
	bool is_disowned;   /* a server said that it is not ours: nothing is left to release */
	bool was_held;      /* LEAVING: it was proven before */
	bool is_given_away; /* ENDED: the token lives on */
	bool is_own_token;  /* the caller's: once its proof is over, somebody else may hold with it */
	/* A bit for each member that may still carry out a command which took the lock. */
	unsigned strays;
	uint64_t fork_generation;
	double drift_factor;
	int64_t ttl_ns;
	unsigned in_flight; /* prolongations and renewals that are not answered yet */
	int64_t flight_ttl; /* the shortest of the prolongations that overlap */
	int64_t
		doubt_ttl;  /* the shortest of those whose answer was lost: they may still be carried out */
	rl_names names; /* the key has its prefix */
	size_t prefix_len; /* of the key */
	size_t token_len;
	char *token; /* RL_TOKEN_LEN bytes, or those of the caller's own */
} rl_lease;

/* @param token_room bytes for the token
 * @return NULL when out of memory */
rl_lease *rl_lease_new(
	const rl_env *env, rl_bytes key, size_t prefix_len, size_t token_room, double drift_factor);
void rl_lease_free(rl_lease *lease);

/* It is ours since a request that was sent then. */
void rl_lease_begin(rl_lease *lease, rl_bytes token, int64_t ttl_ns, int64_t proven_until);

/* Proven now. What is over is lost from then on. */
bool rl_lease_is_held(rl_lease *lease);

/* Nanoseconds of proven ownership left; 0 = not held. */
int64_t rl_lease_remaining(rl_lease *lease);

/* A new TTL is about to be asked for: until it is confirmed, the shorter of both counts. Each is followed by a
 * confirmation, a loss, or a doubt. */
void rl_lease_expect(rl_lease *lease, int64_t ttl_ns);

/* It was confirmed; it had been asked for at sent_at. The order in which a server carries out what overlaps is not
 * known, so the shortest of all counts. False when the lease was lost meanwhile. */
bool rl_lease_confirm(rl_lease *lease, int64_t ttl_ns, int64_t sent_at);

/* Its answer will not come. */
void rl_lease_doubt(rl_lease *lease, int64_t ttl_ns);

/* A copy of a prolongation may still be carried out, at any time. */
void rl_lease_suspect(rl_lease *lease, int64_t ttl_ns);

/* A renewal is about to be sent: it never shortens what the server has. Each is followed by one of the next two. */
void rl_lease_renewing(rl_lease *lease);

/* It was confirmed: as a prolongation, but the TTL stays. */
bool rl_lease_renewed(rl_lease *lease, int64_t ttl_ns, int64_t sent_at);

/* Nobody waits for its answer any more. */
void rl_lease_not_renewed(rl_lease *lease);

/* Its release is about to be asked for: nothing is proven from now on, whatever comes of it. True = it was
 * proven until now, also when it is asked for again. */
bool rl_lease_leave(rl_lease *lease);

/* A server said that it is not ours: RL_LOSS_DELETED or RL_LOSS_TAKEN_OVER. */
void rl_lease_lose_by(rl_lease *lease, rl_loss why);

/* The same for an answer that does not tell what became of it. */
void rl_lease_lose(rl_lease *lease);

/* Why it is not held; RL_LOSS_NONE = it is. */
rl_loss rl_lease_loss(rl_lease *lease);

/* It was ours, and was lost. */
bool rl_lease_is_lost(const rl_lease *lease);

/* Released, or given away. */
void rl_lease_end(rl_lease *lease);
void rl_lease_give_away(rl_lease *lease);

/* There may be something to release at the server: held, or lost by the clock alone. With a token of its own
 * nothing is released by a guess. */
bool rl_lease_is_open(const rl_lease *lease);

static inline rl_bytes rl_lease_token(const rl_lease *lease)
{
	return rl_bytes_of(lease->token, lease->token_len);
}

#endif
