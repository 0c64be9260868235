/* SPDX-License-Identifier: MIT
 *
 * The invariants. The judge sees all machines at once and knows the true time, but changes nothing.
 *
 *     exclusion  no two clients have proven ownership of one key at once
 *     proof      a client with proven ownership has its token on a quorum of the members
 *     loss       a lease that was lost for any of its users is never held again
 *     leftover   a call that ends with an exception or without the lock leaves no key beyond its
 *                TTL, and none at all where all its commands arrive. A released lock leaves no key
 *                where nothing breaks
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
 *     success    a call on healthy servers succeeds if it has no reason to fail (success.h)
 *     reason     no failure gives an impossible reason (success.h)
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
 * routes.h, votes.h and undone.h have the rules about the clients' knowledge, the worth of single
 * votes, and undos.
 *
 * Only a key that changes, or a proof that grows, can break exclusion and proof. So the judge looks
 * at both rules after such events, which is the same as after every event.
 */
#ifndef JUDGE_H
#define JUDGE_H

#include "network.h"
#include "plan.h"

/* The watchdog's longest pauses: before it dials again, and before it asks a server again that has
 * answered with an error. */
#define JUDGE_KEPT_NS (1600 * MS)

typedef struct judge_claim {
	bool is_active;
	uint8_t client;
	uint8_t key;
	uint64_t token;
	int64_t proof;  /* by the client's clock */
	int64_t until;  /* in true time; 0 = nothing is proven */
	int64_t spell;  /* how far ahead that was when the proof grew */
	unsigned moves; /* the moves of the key until then */
	/* By the client's clock: the end of the proof right after the lock was taken, or after the
	 * latest extend(). Only up to this time may the proof go beyond hold_until. */
	int64_t asked;
	int64_t hold_until; /* in true time; RL_NEVER = the lease may be renewed without end */
	/* When the latest extend() began, and the latest end that was asked for before it. A late grant
	 * that is under way may have the TTL of that earlier command. */
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

/* A lock has ended by its TTL, so no holder has handed it on. */
void judge_key_expired(unsigned key);

/* By the client's clock the proof ends at this time, which may be later or earlier than before. */
void judge_claim_is(judge_claim *claim, int64_t proof, const clock_of *clock);

/* A renewed lease is lost, although no client has ended it.
 * @param is_by_clock the clock has ended the proof, and no server has reported the loss */
void judge_lost(const judge_claim *claim, int64_t ttl_ns, bool is_by_clock);

/* The watch has set the end of a key that has the token, by a command that was written at this
 * time. */
void judge_renewed(unsigned client, uint64_t token, int64_t ends_at, int64_t written_at);

/* Judges the claims. Called after each event. */
void judge_look(void);

/* Since when the client's watchdog could have asked the member; RL_NEVER = it cannot. */
int64_t judge_well_since(unsigned client, unsigned member);

/* An acquire has ended without the lock. */
void judge_not_won(unsigned client, unsigned key, uint64_t token, int64_t ttl_ns, bool is_own);

/* The client uses a caller's token again. What an earlier call has left by it is not judged any
 * more. */
void judge_used_again(uint64_t token);

/* An acquire has ended with the lock. The call has drawn the token, and no member has refused or
 * failed.
 * @param asked_at by the client's clock */
void judge_granted(unsigned client, unsigned key, uint64_t token, int64_t asked_at);
void judge_on_spread(uint32_t index);

/* The lock gets another TTL, so members that lack it need not get it any more. */
void judge_extending(unsigned client, uint64_t token);

/* A release was confirmed.
 * @param passed_by a bit for each member that it was not sent to */
void judge_released(unsigned client, unsigned key, uint64_t token, unsigned passed_by);

void judge_on_leftover(uint32_t record);

/* A command about the token met a redirect, or a move has left a key with the token behind. What is
 * left of the token ends by its TTL. */
void judge_excuse(uint64_t token);

/* A node has redirected a command of the client. */
void judge_redirected(unsigned client, bool is_watch);

/* An operation has ended with a failure. */
void judge_failed(unsigned client, unsigned key, const char *why);

/* A client has begun or ended a wait for the key. */
void judge_waiters_changed(unsigned key);
void judge_on_hunger(unsigned key);
void judge_on_helpers(unsigned key, uint32_t number);

/* The state of the numbers when a fencing number is asked for. */
typedef struct judge_fence {
	int64_t greatest; /* the greatest number of the key that was returned; 0 = none */
	bool is_certain;  /* the next number is greater, whatever data the servers have lost */
} judge_fence;

judge_fence judge_fence_asked(unsigned key);
void judge_fenced(unsigned client, unsigned key, const judge_fence *asked, int64_t number);

/* A client has won. */
void judge_fairness(unsigned winner);

/* A wait is over. */
void judge_waited(unsigned client);

/* A waiter has won. */
void judge_order(unsigned winner);

/* A server has sent a command of the client back without carrying it out: it does not know the
 * script, or another node has the key. If the call has ended by then, it has asked this member,
 * which stays without the lock. */
void judge_sent_back(unsigned client);

/* A server has run a command that may mark a waiter, or a try of a waiter's place. */
void judge_mark(unsigned server, const rl_model_command *c, const rl_model_reply *r);

#endif
