/* SPDX-License-Identifier: MIT
 *
 * A lease: a lock that this process holds, and what is known about it without asking a server.
 *
 * The proof is one atomic number: the time until which ownership is proven, counted from before the
 * last request that was confirmed, or the reason why nothing is proven. Loss is final: once it has
 * been noticed, by the clock or by a server's answer, nothing brings the lease back. In a forked
 * child the lease is not held from the start: the parent has it.
 *
 * Between two steps:
 * - NEW proves nothing. A lock that was won has a proof, or the reason of its loss.
 * - The gauge counts a lease that is TAKEN and proven, and no other. A lease that a server disowns
 *   has no proof.
 * - flight_ttl is set only while a prolongation is under way.
 *
 * A lease is one block of memory with copies of key and token. It belongs to one thread. While it
 * is under renewal (rl_renewer.h) the watchdog's thread works on it as well: then it is changed
 * under the renewer's lock only, and the proof can still be read at any time.
 */
#ifndef RL_LEASE_H
#define RL_LEASE_H

#include "core/wire/rl_names.h"
#include "core/base/rl_env.h"
#include "core/lease/rl_loss.h"

typedef enum rl_lease_stage {
	/* The lock is not won yet. */
	RL_LEASE_NEW,
	RL_LEASE_TAKEN,
	/* Its release was asked for, and may have been carried out. */
	RL_LEASE_LEAVING,
	/* The same, and ownership was proven when the release was asked for. */
	RL_LEASE_LEAVING_HELD,
	RL_LEASE_ENDED,
	/* The lease has ended, and the lock lives on with its token. */
	RL_LEASE_GIVEN_AWAY,
} rl_lease_stage;

typedef struct rl_lease {
	const rl_env *env; /* borrowed */
	/* The time until which ownership is proven; 0 = not won yet; else an rl_loss, negative. */
	_Atomic int64_t proof;
	/* The end of maxHold, beyond which no renewal sets an expiry; RL_NEVER = the lease may be
	 * renewed without end, or is not renewed. The lease uses it only to find the reason of a
	 * loss; rl_renewal.hold_until limits the renewals. */
	_Atomic int64_t hold_until;
	/* When the request that took the lock was sent; 0 = the lease is not among those that the gauge
	 * `held` counts. */
	_Atomic int64_t held_since;
	rl_lease_stage stage;
	/* A server reported that the lock is not ours: there is nothing left to release. */
	bool is_disowned;
	/* The token is the caller's: once its proof is over, its caller, or another holder, may have
	 * the lock with it again. */
	bool is_own_token;
	/* The members that may still carry out a command which took the lock, one bit each. */
	unsigned strays;
	uint64_t fork_generation;
	double drift_factor;
	int64_t ttl_ns;
	/* The work is done: for how long the release leaves a mark that says so; 0 = it leaves none. */
	int64_t done_ms;
	/* How many holders the lock may have at once; 0 = one. If it may have several, names.key is the
	 * permit of this lease. */
	unsigned permits;
	/* Prolongations and renewals that are not answered yet. */
	unsigned in_flight;
	/* The shortest TTL of the prolongations that overlap. */
	int64_t flight_ttl;
	/* The shortest TTL of the prolongations whose answer was lost: they may still be carried
	 * out. */
	int64_t doubt_ttl;
	/* The key has its prefix, of prefix_len bytes. */
	rl_names names;
	size_t prefix_len;
	size_t token_len;
	char *token;
} rl_lease;

/* The size of a lease.
 * @param token_room bytes for the token */
size_t rl_lease_size(size_t key_len, size_t token_room);

/* Makes a lease in memory of this size, which is aligned for it, and is the caller's. The caller
 * ends it by rl_lease_clear(). */
rl_lease *rl_lease_put(void *room, const rl_env *env, rl_bytes key, size_t prefix_len,
	double drift_factor, rl_naming naming);
void rl_lease_clear(rl_lease *lease);

/* The same in memory of its own.
 * @return NULL when out of memory */
rl_lease *rl_lease_new(const rl_env *env, rl_bytes key, size_t prefix_len, size_t token_room,
	double drift_factor, rl_naming naming);
void rl_lease_free(rl_lease *lease);

/* The key without its prefix. */
static inline rl_bytes rl_lease_name(const rl_lease *lease)
{
	return rl_bytes_of(
		lease->names.lock.data + lease->prefix_len, lease->names.lock.len - lease->prefix_len);
}

/* The lock was won. */
void rl_lease_begin(rl_lease *lease, rl_bytes token, int64_t ttl_ns, int64_t proven_until);

/* The same for a copy of a lease, which does not count among the leases that are held. */
void rl_lease_begin_copy(rl_lease *lease, rl_bytes token, int64_t ttl_ns, int64_t proven_until);

/* The lock that was won is one of several permits, with this key.
 * @param room as many bytes as the key has, behind the token in the lease's room for it */
void rl_lease_set_permit(rl_lease *lease, char *room, rl_bytes key, unsigned permits);

/* Ownership is proven now. A proof that is over makes the lease lost from then on. */
bool rl_lease_is_held(rl_lease *lease);

/* Nanoseconds of proven ownership left; 0 = not held. */
int64_t rl_lease_remaining(rl_lease *lease);

/* Call before sending a prolongation to a new TTL. Until it is confirmed, the shorter of both TTLs
 * counts. A confirmation, a loss or a doubt must follow. */
void rl_lease_expect(rl_lease *lease, int64_t ttl_ns);

/* The prolongation that was sent at sent_at is confirmed. The order in which a server carries
 * out prolongations that overlap is not known, so the shortest TTL of them counts. False when
 * the lease was lost meanwhile. */
bool rl_lease_confirm(rl_lease *lease, int64_t ttl_ns, int64_t sent_at);

/* The answer to the prolongation will not come. */
void rl_lease_doubt(rl_lease *lease, int64_t ttl_ns);

/* Notes that a server may still carry out a copy of a prolongation to this TTL, at any time.
 * Later confirmations therefore prove no more than this TTL. */
void rl_lease_suspect(rl_lease *lease, int64_t ttl_ns);

/* Call before sending a renewal, which never shortens the TTL at the server. One of the next two
 * must follow. */
void rl_lease_renewing(rl_lease *lease);

/* The renewal is confirmed: as rl_lease_confirm(), but the lease keeps its TTL. */
bool rl_lease_renewed(rl_lease *lease, int64_t ttl_ns, int64_t sent_at);

/* The answer to the renewal is no longer waited for. */
void rl_lease_not_renewed(rl_lease *lease);

/* Call before sending the release. From then on the lease does not count as held, whatever the
 * answer.
 * @return ownership was proven until now, or until the first of several calls */
bool rl_lease_leave(rl_lease *lease);

/* rl_lease_leave() was called, and the lease has not ended since. */
bool rl_lease_has_left(const rl_lease *lease);

/* What rl_lease_leave() has returned; false before that. */
bool rl_lease_was_held(const rl_lease *lease);

/* A server reported that the lock is not ours: RL_LOSS_DELETED or RL_LOSS_TAKEN_OVER. */
void rl_lease_lose_by(rl_lease *lease, rl_loss why);

/* The same for an answer that does not show whether the lock is deleted or taken over. */
void rl_lease_lose(rl_lease *lease);

/* A release was refused: the lock is not ours. A lease that has left is not lost by that, because
 * an earlier release may have freed the lock; it ends. */
void rl_lease_refuse(rl_lease *lease);

/* The lock was freed by a release of this lease, while ownership was proven. */
bool rl_lease_was_freed(const rl_lease *lease);

/* Why the lease is not held; RL_LOSS_NONE = it is held. */
rl_loss rl_lease_loss(rl_lease *lease);

/* The lease was held, and was lost. */
bool rl_lease_is_lost(const rl_lease *lease);

/* The lock was released, or given away. */
void rl_lease_end(rl_lease *lease);
void rl_lease_give_away(rl_lease *lease);

/* There may be something to release at the server: the lease is held, or was lost by the clock
 * alone. A caller's own token is released only while ownership is proven. */
bool rl_lease_is_open(const rl_lease *lease);

static inline rl_bytes rl_lease_token(const rl_lease *lease)
{
	return rl_bytes_of(lease->token, lease->token_len);
}

#endif
