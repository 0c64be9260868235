/* SPDX-License-Identifier: MIT
 *
 * The invariants. The judge sees all machines at once and knows the true time; it changes nothing.
 *
 *     exclusion  no two clients have proven ownership of one key at once
 *     proof      a client with proven ownership has its token on a quorum of the members
 *     loss       a lease that was lost, whoever noticed, is never held again
 *     leftover   a call that ends with an exception or without the lock leaves no key beyond its
 *                TTL, and none at all where all its commands arrive; nor does a released lock where
 *                nothing breaks
 *     deadline   a wait ends at its deadline, not before, also when servers fail for a while, and
 *                later by one timeout at most
 *     spread     where nothing breaks, a lock that no other client wants is soon on all members,
 *                although the call has ended with a majority
 *     hunger     while a client waits for a key, the key is not free for more than 1.1 s where a
 *                quorum could give it
 *     kept       a lease that is renewed is not lost while its process runs and a quorum that has
 *                it answers
 *     hold       no renewal proves a lease, or sets its key's end, beyond maxHold
 *     helpers    marks and tickets are gone 3 s after the last waiter
 *     fair       of many clients that take a lock in turn, for hours, none gets it twice as often
 *                as another
 *     order      where nothing breaks, the first client in the queue has the lock first (one
 *                member)
 *     fence      a fencing number is greater than all that were returned before it was asked for,
 *                unless a server may have lost data and a server's clock is behind those numbers
 *     success    a call on healthy servers that nothing speaks against succeeds (success.h)
 *     reason     no failure gives a reason that cannot be (success.h)
 *     failure    where nothing breaks, nothing fails; where only slots move, no outcome is unknown
 *                (one member)
 *     tardy      a renewed lease whose lock is not at the new primary is lost after a third of its
 *                TTL
 *     circle     redirects that lead in a circle are not followed without end
 *     gone       a process that has stood still for 2 s, or is dead, gets no lock by its place in
 *                the queue: the server has run a look of the waiter within 2 s
 *     waking     where nothing breaks, a waiter is in the queue (one member), and a slot that moves
 *                does not switch waking off for good
 *
 * routes.h, votes.h and undone.h have the rules about what clients know, what single votes are
 * worth, and what is undone.
 *
 * Exclusion and proof can be broken by an event alone: a key that changes, or a proof that grows.
 * So they are looked at when one of these has happened, which is the same as after every event.
 */
#ifndef JUDGE_H
#define JUDGE_H

#include "network.h"
#include "plan.h"

/* The watchdog's longest pauses: before it dials again, and before it asks again who answered with
 * an error. */
#define JUDGE_KEPT_NS (1600 * MS)

typedef struct judge_claim {
	bool is_active;
	uint8_t client;
	uint8_t key;
	uint64_t token;
	int64_t proof;      /* by the client's clock */
	int64_t until;      /* in true time; 0 = nothing is proven */
	int64_t spell;      /* how far ahead that was when it was proven */
	unsigned moves;     /* of the key, until it was proven */
	int64_t asked;      /* the proof that was asked for: by taking the lock, or by extend */
	int64_t hold_until; /* in true time; RL_NEVER = it may be renewed without end */
	/* The latest extend() began then, and the latest proof that was asked for until then. A late
	 * grant that is under way may have the TTL of that. */
	int64_t extended_at;
	int64_t asked_before;
	/* The votes of members behind Sentinels that count although the primary does not have the
	 * token: a bit for each, and the former primary that gave it. */
	uint8_t excused;
	uint8_t voters[PLAN_MEMBERS];
} judge_claim;

void judge_begin(void);

void judge_key_changed(unsigned key);

/* The key has moved to another node of its cluster. */
void judge_key_moved(unsigned key);

/* A lock has ended by its TTL: it was not handed on. */
void judge_key_expired(unsigned key);

/* The client's clock shows what its proof is; more than before, or less. */
void judge_claim_is(judge_claim *claim, int64_t proof, const clock_of *clock);

/* A renewed lease is lost, without anybody's doing. @param is_by_clock not by what a server said */
void judge_lost(const judge_claim *claim, int64_t ttl_ns, bool is_by_clock);

/* The watch has set the end of a key that holds the token, by a command of then. */
void judge_renewed(unsigned client, uint64_t token, int64_t ends_at, int64_t written_at);

/* After each event. */
void judge_look(void);

/* Since when the client's watch could have asked the member; RL_NEVER = it cannot. */
int64_t judge_well_since(unsigned client, unsigned member);

/* An acquire ended without the lock. */
void judge_not_won(unsigned client, unsigned key, uint64_t token, int64_t ttl_ns, bool is_own);

/* An acquire ended with the lock, which it has drawn a token for, and no member has refused or
 * failed. @param asked_at by the client's clock */
void judge_granted(unsigned client, unsigned key, uint64_t token, int64_t asked_at);
void judge_on_spread(uint32_t index);

/* The lock gets another TTL: members that lack it need not get it any more. */
void judge_extending(unsigned client, uint64_t token);

/* A release was confirmed. */
void judge_released(unsigned client, unsigned key, uint64_t token);

void judge_on_leftover(uint32_t record);

/* A command about the token met a redirect, or a key with it was left behind by a move: what is
 * left of it ends by its TTL. */
void judge_excuse(uint64_t token);

/* A node has redirected a command of the client. */
void judge_redirected(unsigned client, bool is_watch);

/* An operation is over, and has failed. */
void judge_failed(unsigned client, unsigned key, const char *why);

/* Who waits for the key has changed. */
void judge_waiters_changed(unsigned key);
void judge_on_hunger(unsigned key);
void judge_on_helpers(unsigned key, uint32_t number);

/* What is known when a fencing number is asked for. */
typedef struct judge_fence {
	int64_t greatest; /* of the key, returned to anybody; 0 = none */
	bool is_certain;  /* whatever the servers have lost, the next one is greater */
} judge_fence;

judge_fence judge_fence_asked(unsigned key);
void judge_fenced(unsigned client, unsigned key, const judge_fence *asked, int64_t number);

/* Somebody has won. */
void judge_fairness(unsigned winner);

/* A wait is over. */
void judge_waited(unsigned client);

/* A waiter has won. */
void judge_order(unsigned winner);

/* A server has sent a command of the client back without carrying it out: it does not know the
 * script, or another node has the key. If the call has ended by then, this member has been asked,
 * and stays without the lock. */
void judge_sent_back(unsigned client);

/* A server has run a command that may mark a waiter, or a try of its place in the queue. */
void judge_mark(unsigned server, const rl_model_command *c, const rl_model_reply *r);

#endif
