/* SPDX-License-Identifier: MIT
 *
 * The record of one lease under renewal, with a part for each member, and what follows from the
 * record alone: what a member is asked for, how long its answer can be waited for, when something
 * is due. This module knows no connection and no other lease, and changes nothing. All others read
 * and change the record, so the record is a module of its own below them:
 *
 *   rl_renewer_errands  the commands under way, and their connections
 *   rl_renewer          all records: rounds, losses, what is done, and when
 *   rl_late             releases that their callers could not complete
 *   rl_late_grant       members that a call has left without the lock
 *
 * Lease and record are two structs, of a lease object in one block of memory. A lease without
 * renewal and without onLoss has no record, and its owner asks and ends it as any other; the stages
 * of the lease are about its owner, those of the record about its members.
 *
 * Ownership: the record belongs to the owner of the lease, which the record borrows. The record of
 * a late release or a late grant, and its lease, belong to the renewer.
 *
 * Between two steps:
 * - Within a round no member is idle with an open vote, unless maxHold allows no renewal any more.
 *   The votes are no quorum of grants, and the lease counts a prolongation.
 * - A record that is paused has no member that waits. A lease that is lost is not held, and its
 *   members wait only to release the lock. A late grant only waits to send SET.
 *
 * Threads: a record that was prepared (rl_renewer_prepare()) is used under the renewer's lock only.
 */
#ifndef RL_RENEWAL_H
#define RL_RENEWAL_H

#include "core/lease/rl_lease.h"
#include "core/wire/rl_answer.h"
#include "core/wire/rl_set.h"

typedef struct rl_renewal rl_renewal;
struct rl_renewer; /* rl_renewer.h */
/* rl_renewer_errands.h */
struct rl_renewer_errands;
struct rl_renewer_errand;
struct rl_renewer_set;

/* What the renewer does about a lease. */
typedef enum rl_renewal_stage {
	/* The lease is held, or not won yet. The next round begins when it is due. */
	RL_RENEWAL_IDLE,
	/* Renewals are under way, and the votes have not decided yet. */
	RL_RENEWAL_IN_ROUND,
	/* Its owner releases the lease, or gives it away: no renewal is sent any more. */
	RL_RENEWAL_PAUSED,
	/* A late grant (rl_late_grant.h): the renewer owns record and lease. A member that was granted
	 * has the lock by this record. */
	RL_RENEWAL_GRANT,
	/* The same, and no SET is sent any more. */
	RL_RENEWAL_GRANT_STOPPED,
	/* The lease is lost: each member that may keep the lock is sent a release. */
	RL_RENEWAL_LOST,
	/* The same, while its owner releases it as well: the releases that wait are withdrawn. */
	RL_RENEWAL_LOST_PAUSED,
	/* A late release (rl_late.h): lost from the start, and the renewer owns record and lease. */
	RL_RENEWAL_LATE,
} rl_renewal_stage;

/* What a member is sent. */
typedef enum rl_renewal_command {
	RL_SEND_RENEW,
	/* SET NX PX: the member has lost the lock, and gets it back. */
	RL_SEND_PUT_BACK,
	/* The release, or the swap that puts another token back (rl_renewal.back). */
	RL_SEND_RELEASE,
	/* The same, after a swap that turns rl_renewal.other into the token of the lease. */
	RL_SEND_RELEASE_BOTH,
} rl_renewal_command;

/* What a member waits for. */
typedef enum rl_renewal_member_state {
	RL_RENEWAL_MEMBER_IDLE,
	/* It has something to send, which the next step sends. */
	RL_RENEWAL_MEMBER_WAITING,
	/* Its command is under way. */
	RL_RENEWAL_MEMBER_ASKED,
} rl_renewal_member_state;

/* One member's part in a lease under renewal. */
typedef struct rl_renewal_member {
	rl_renewal *renewal;

	/* ---- for rl_renewer_errands.c ---- */

	/* The next three are borrowed; the server is a member of the set. */
	struct rl_renewer_errands *errands;
	struct rl_renewer_set *set;
	const rl_member *server;
	rl_renewal_member_state state;
	/* RL_RENEWAL_MEMBER_WAITING: its place in the list. */
	struct rl_renewal_member *next;
	struct rl_renewal_member **link;
	/* RL_RENEWAL_MEMBER_ASKED: owned. */
	struct rl_renewer_errand *under_way;
	/* RL_RENEWAL_MEMBER_ASKED: the errand must be stepped then, also if nothing arrives. */
	int64_t step_at;

	/* ---- the outcome of the last command ---- */

	rl_vote told;
	int64_t told_number; /* rl_answer.number */
	/* RL_VOTE_FAILED: the command would fail again. */
	bool is_final;
	/* RL_VOTE_FAILED: the command may be sent again then; 0 = after the pause that follows an
	 * error. */
	int64_t again_at;
	/* The server that was asked last. One reference, or NULL. */
	rl_target *node;

	/* ---- for all of this folder ---- */

	/* The next command. After a pause RL_SEND_RELEASE means that a SET was under way when the owner
	 * began to release the lease. */
	rl_renewal_command wanted;
	/* The last command. */
	rl_renewal_command sent;
	/* The answer in this round. */
	rl_vote vote;
	/* RL_VOTE_REFUSED: what has become of the key, RL_LOSS_DELETED or RL_LOSS_TAKEN_OVER. */
	rl_loss refusal;
	/* The lock was put back in this round already. */
	bool was_put;
	/* The member may keep the lock for longer than is proven. In a lease that is lost: the member
	 * has not confirmed the release. */
	bool needs_release;
	/* A SET of this token is in doubt, and may still be carried out, so "not ours" proves
	 * nothing. */
	bool has_lost_set;
	/* Scripts are sent without the helper keys. */
	bool no_helpers;
	/* Releases that the member has not confirmed, errors included. */
	unsigned release_fails;
	/* The TTL that was asked for last. */
	int64_t asked_ttl;
	/* When the last command was sent; 0 = it was not sent. */
	int64_t sent_at;
	/* RL_RENEWAL_MEMBER_IDLE, after a failure: the command is sent again then. */
	int64_t ask_again_at;
} rl_renewal_member;

struct rl_renewal {
	/* ---- filled in by the owner of the lease ---- */

	/* Borrowed; it outlives this record. */
	rl_lease *lease;
	/* False: the lease is not renewed, and only its loss is noticed. */
	bool renews;
	/* No renewal sets an expiry beyond this; RL_NEVER = there is no such end. */
	int64_t hold_until;
	/* Called when the lease is lost, under the renewer's lock, by the watchdog's thread; or NULL.
	 * @return after how many nanoseconds to call it again; 0 = not again */
	int64_t (*on_lost)(void *ctx);
	void *ctx;

	/* ---- for the files of this folder ---- */

	/* NULL = the lease is not under renewal. */
	struct rl_renewer *renewer;
	/* Its place in one of the renewer's lists. */
	rl_renewal *next;
	rl_renewal **link;
	/* Its place in the heap, from 1; 0 = it is not there. */
	size_t heap_at;
	int64_t due_at;
	rl_renewal_stage stage;
	/* RL_RENEWAL_IDLE: the next round begins then. */
	int64_t renew_at;
	/* Lost: by then the keys have expired, and nothing is released any more. Late grant: no SET is
	 * sent from then on. */
	int64_t give_up_at;
	/* Lost: on_lost is called again then. */
	int64_t report_at;
	/* Late release: the token that replaces the lease's; no data = the key is freed. */
	rl_bytes back;
	/* Late release: a caller's token that may have replaced the lease's. */
	rl_bytes other;
	/* Late release: the name of a mark that goes with it; no data = there is none. */
	rl_bytes waiter;
	/* A late release of the lock, if it is not known which of its permits has the token: the keys
	 * of all permits, in the block of the lease; NULL = names.key of the lease has it. */
	const rl_bytes *permit_keys;
	/* The end of the process waits until a quorum has confirmed its release. */
	bool is_ending;
	unsigned count;
	rl_renewal_member members[];
};

/* Makes a record that is not under renewal yet, in memory of this size, which is aligned for it,
 * and is the caller's. A record that is prepared (rl_renewer_prepare()) must be removed before that
 * memory is freed (rl_renewer_remove()). */
size_t rl_renewal_size(unsigned members);
rl_renewal *rl_renewal_put(void *room, const rl_set *set, rl_lease *lease);

/* The same in memory of its own, which the owner frees by free().
 * @return NULL when out of memory */
rl_renewal *rl_renewal_new(const rl_set *set, rl_lease *lease);

static inline bool rl_renewal_is_lost(const rl_renewal *renewal)
{
	return renewal->stage >= RL_RENEWAL_LOST;
}

static inline bool rl_renewal_is_paused(const rl_renewal *renewal)
{
	return renewal->stage == RL_RENEWAL_PAUSED || renewal->stage == RL_RENEWAL_LOST_PAUSED ||
		renewal->stage == RL_RENEWAL_GRANT_STOPPED;
}

static inline bool rl_renewal_is_grant(const rl_renewal *renewal)
{
	return renewal->stage == RL_RENEWAL_GRANT || renewal->stage == RL_RENEWAL_GRANT_STOPPED;
}

static inline bool rl_renewal_is_release(rl_renewal_command what)
{
	return what == RL_SEND_RELEASE || what == RL_SEND_RELEASE_BOTH;
}

/* A SET of this token is under way to the member. */
static inline bool rl_renewal_is_putting(const rl_renewal_member *member)
{
	return member->state == RL_RENEWAL_MEMBER_ASKED && member->sent == RL_SEND_PUT_BACK;
}

/* ---- what is asked for ---- */

/* The TTL that a renewal may ask for now; below 1 ms = the lease may be held no longer. */
int64_t rl_renewal_ttl(const rl_renewal *renewal, int64_t now);

/* The command to the member, as a request. */
rl_request rl_renewal_request(const rl_renewal_member *member, rl_renewal_command command);

/* The lock may be put back on a member that does not have it. The lease then has several members,
 * or the member is a new primary (rl_grace.c): any other refusal of a single member has lost
 * the lease. */
bool rl_renewal_may_put_back(const rl_renewal *renewal);

/* The member must be asked again at ask_again_at: its command has failed, or it does not have the
 * lock, and its vote or its release is still wanted. */
bool rl_renewal_must_ask_again(const rl_renewal_member *member);

/* Every member has confirmed the release. */
bool rl_renewal_is_released(const rl_renewal *renewal);

/* ---- when ---- */

/* How long the lease can wait for one answer, timeout_ns at most. */
int64_t rl_renewal_patience(const rl_renewal *renewal, int64_t timeout_ns, int64_t now);

/* The next time at which something is due for the lease. */
int64_t rl_renewal_due_time(const rl_renewal *renewal);

/* A round is due, or will be so soon that it goes out together with others. */
bool rl_renewal_is_near(const rl_renewal *renewal, int64_t now);

#endif
