/* SPDX-License-Identifier: MIT
 *
 * All leases under renewal: what is due, when, and what is done then.
 *
 *     rl_renewer
 *     |- all      record -> record -> ...     the leases that are prepared or under renewal
 *     |- late     record -> ...               late releases (rl_late.h), the oldest first
 *     |- grants   record -> ...               late grants (rl_late_grant.h)
 *     |- heap     [record, record, ...]       the records of all three lists for which something
 *     |                                       is due, the earliest first
 *     `- errands                              what is under way (rl_renewer_errands.c)
 *
 * A record (rl_renewal.h) is one lease with a part for each member. This module decides which
 * command a member is sent, and what follows from its outcome; the errands do the rest.
 *
 * Rounds. A lease is due when a third of what is proven has passed. Everything that is due at once,
 * or will be soon, goes out in one write to each server. A round sends RENEW to each member. If a
 * quorum grants it, the lease is proven from the moment at which the first of these members was
 * asked. Refusals that make a quorum impossible lose the lease. RENEW never shortens a TTL, so it
 * may be sent twice, and its order beside an extend() of the lease's own thread does not matter
 * (rl_lease.h describes what both prove).
 *
 * Failures. A failure by itself does not lose the lease. A renewal that is not answered within a
 * quarter of the proof that is left is sent again, as soon as its server may be dialled. A member
 * that answers with an error is asked again after a pause. This goes on until the proof is over.
 * Then the lease is lost by the clock.
 *
 * Putting back. A member may answer, in a round that a quorum has granted, that the lock is not
 * there: the member was restarted empty, or had not granted the lock in the first place. SET NX PX
 * puts the lease's own token back, so that the lock is again on as many members as can be. A round
 * that is not decided yet does the same after a pause: the proof still excludes every other holder,
 * and this member may complete the quorum. The SET may arrive after the release that the lease's
 * own thread sends on another connection. The renewer then writes another release after the SET.
 * If the route has a time of grace (rl_grace.c), the renewer also puts the lock back on a
 * new primary that has not received it from the old one. It does so even on a single member, whose
 * refusal would otherwise lose the lease.
 *
 * Losses. A lost lease is released on each member that may keep it for longer than was proven. That
 * goes on until the member has confirmed the release, or the TTL is over. A member that answers
 * with an error is asked again after a pause, which doubles up to a second. A late release is
 * repeated in the same way, by a record that is lost from the start.
 *
 * Late grants. A member that a call has left without the lock, because its connection was still
 * being made, gets the lock by the same SET, from a record that is never renewed.
 *
 * Ownership: the renewer owns the errands, and the records of late releases and late grants, with
 * their leases. It borrows all other records.
 *
 * Between two calls:
 * - A record is in exactly one of the lists, that of its stage, from rl_renewer_prepare() until it
 *   ends. The heap has room for all records.
 * - A record is in the heap, with the time at which something is due for it. Nothing is due for a
 *   record whose lease is not won yet, or that its owner has paused.
 * - until is not later than the first record of the heap.
 */
#include "core/lease/rl_renewer.h"

#include "core/base/rl_backoff.h"
#include "core/base/rl_grow.h"
#include "core/base/rl_time.h"

#include <stdlib.h>

/* A member that answered with an error is asked again after this share of the proof that is
 * left. */
#define ERROR_SHARE 6
#define ERROR_MIN_NS (5 * RL_NS_PER_MS)
#define ERROR_MAX_NS RL_NS_PER_SECOND

/* The pause before a release is sent again that the member has not confirmed; doubled each time, up
 * to the maximum. */
#define RELEASE_PAUSE_NS (10 * RL_NS_PER_MS)
#define RELEASE_PAUSE_MAX_NS RL_NS_PER_SECOND

static int64_t now_of(const rl_renewal *renewal)
{
	const rl_env *env = renewal->renewer->env;
	return env->now(env->ctx);
}

/* ---- the heap ---- */

/* Places are counted from 1, so that the children of place n are 2n and 2n + 1. */
static rl_renewal *heap_at(const rl_renewer *renewer, size_t at)
{
	return renewer->heap.entries[at - 1];
}

static void heap_put(rl_renewer *renewer, size_t at, rl_renewal *renewal)
{
	renewer->heap.entries[at - 1] = renewal;
	renewal->heap_at = at;
}

static void sift_up(rl_renewer *renewer, rl_renewal *renewal, size_t at)
{
	while (at > 1 && heap_at(renewer, at / 2)->due_at > renewal->due_at) {
		heap_put(renewer, at, heap_at(renewer, at / 2));
		at /= 2;
	}
	heap_put(renewer, at, renewal);
}

static void sift_down(rl_renewer *renewer, rl_renewal *renewal, size_t at)
{
	size_t count = renewer->heap.count;
	for (size_t child = 2 * at; child <= count; child = 2 * at) {
		if (child < count &&
			heap_at(renewer, child + 1)->due_at < heap_at(renewer, child)->due_at) {
			child++;
		}
		if (heap_at(renewer, child)->due_at >= renewal->due_at) {
			break;
		}
		heap_put(renewer, at, heap_at(renewer, child));
		at = child;
	}
	heap_put(renewer, at, renewal);
}

/* Takes the record out, if it is in. */
static void heap_remove(rl_renewal *renewal)
{
	rl_renewer *renewer = renewal->renewer;
	size_t at = renewal->heap_at;
	if (at == 0) {
		return;
	}
	renewal->heap_at = 0;
	rl_renewal *last = renewer->heap.entries[--renewer->heap.count];
	if (last == renewal) {
		return;
	}
	if (at > 1 && heap_at(renewer, at / 2)->due_at > last->due_at) {
		sift_up(renewer, last, at);
	} else {
		sift_down(renewer, last, at);
	}
}

static void plan_at(rl_renewal *renewal, int64_t due_at)
{
	rl_renewer *renewer = renewal->renewer;
	heap_remove(renewal);
	renewal->due_at = due_at;
	if (due_at != RL_NEVER) {
		sift_up(renewer, renewal, ++renewer->heap.count);
	}
	renewer->until = rl_time_earlier(renewer->until, due_at);
}

void rl_renewer_plan(rl_renewal *renewal)
{
	plan_at(renewal, rl_renewal_due_time(renewal));
}

/* ---- the lists of records ---- */

static void put_first(rl_renewal **list, rl_renewal *renewal)
{
	renewal->next = *list;
	renewal->link = list;
	if (*list != NULL) {
		(*list)->link = &renewal->next;
	}
	*list = renewal;
}

static void unlink_record(rl_renewal *renewal)
{
	*renewal->link = renewal->next;
	if (renewal->next != NULL) {
		renewal->next->link = renewal->link;
	} else if (renewal->stage == RL_RENEWAL_LATE) {
		renewal->renewer->late_end = renewal->link;
	}
}

static void discount_grant(rl_renewal *renewal)
{
	if (rl_renewal_is_grant(renewal)) {
		renewal->renewer->grant_count--;
	}
}

void rl_renewer_own_grant(rl_renewal *renewal)
{
	unlink_record(renewal);
	renewal->stage = RL_RENEWAL_GRANT;
	put_first(&renewal->renewer->grants, renewal);
	renewal->renewer->grant_count++;
}

void rl_renewer_own(rl_renewal *renewal)
{
	rl_renewer *renewer = renewal->renewer;
	unlink_record(renewal);
	discount_grant(renewal);
	renewal->stage = RL_RENEWAL_LATE;
	renewal->next = NULL;
	renewal->link = renewer->late_end;
	*renewer->late_end = renewal;
	renewer->late_end = &renewal->next;
	renewer->late_count++;
}

/* Takes the record off the list and out of the heap. Sends nothing. */
static void take_out(rl_renewal *renewal)
{
	rl_renewer *renewer = renewal->renewer;
	heap_remove(renewal);
	unlink_record(renewal);
	renewer->all_count--;
	renewer->late_count -= renewal->stage == RL_RENEWAL_LATE;
	discount_grant(renewal);
	renewal->renewer = NULL;
}

/* Frees what the renewer owns: a late release or a late grant, with its lease. */
static void free_owned(rl_renewal *renewal)
{
	if (renewal->stage == RL_RENEWAL_LATE || rl_renewal_is_grant(renewal)) {
		rl_lease_free(renewal->lease);
		free(renewal);
	}
}

static void drop_owned(rl_renewal *renewal)
{
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewer_errands_unassign(&renewal->members[i]);
	}
	take_out(renewal);
	free_owned(renewal);
}

/* A server that refuses the release keeps the lock, and sending it again would change nothing. */
static bool has_freed(const rl_renewal *renewal)
{
	unsigned barred = 0;
	for (unsigned i = 0; i < renewal->count; i++) {
		const rl_renewal_member *member = &renewal->members[i];
		barred += member->told == RL_VOTE_FAILED && member->is_final;
	}
	return rl_renewal_is_released(renewal) && renewal->count - barred >= rl_quorum(renewal->count);
}

void rl_renewer_end_late(rl_renewal *renewal)
{
	rl_stats *stats = rl_env_stats(renewal->renewer->env);
	rl_stats_add(
		has_freed(renewal) ? &stats->late_releases_done : &stats->late_releases_dropped, 1);
	drop_owned(renewal);
}

/* ---- a lease begins ---- */

bool rl_renewer_prepare(rl_renewer *renewer, rl_renewal *renewal, const rl_set *set)
{
	if (!rl_grow(&renewer->heap.entries, &renewer->heap.room, renewer->all_count + 1,
			sizeof(rl_renewal *)) ||
		!rl_renewer_errands_assign(&renewer->errands, renewal, set)) {
		return false;
	}
	renewal->renewer = renewer;
	put_first(&renewer->all, renewal);
	renewer->all_count++;
	return true;
}

/* When the next round is due: when a third of the proof that is left has passed. */
static int64_t next_round(const rl_renewal *renewal, int64_t now)
{
	return now + rl_lease_remaining(renewal->lease) / 3;
}

void rl_renewer_begin(rl_renewal *renewal, const rl_set *set, int64_t now)
{
	rl_renewer_errands_learn(renewal, set);
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewer_errands_trust(&renewal->members[i]);
	}
	renewal->renew_at = next_round(renewal, now);
	rl_renewer_plan(renewal);
}

void rl_renewer_changed(rl_renewal *renewal)
{
	bool is_live = renewal->stage == RL_RENEWAL_IDLE || renewal->stage == RL_RENEWAL_IN_ROUND;
	if (renewal->renewer == NULL || !is_live) {
		return;
	}
	int64_t renew_at = next_round(renewal, now_of(renewal));
	renewal->renew_at = rl_time_earlier(renewal->renew_at, renew_at);
	rl_renewer_plan(renewal);
}

/* ---- loss ----
 *
 * What is done for one record, here and in the next section, queues its members. The callers
 * compute when something is due for the record next. */

/* Sends a release to each member that may keep the lock for longer than was proven. */
static void release_members(rl_renewal *renewal, int64_t now)
{
	int64_t longest = 0;
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		rl_renewer_errands_leave(member);
		member->needs_release = member->needs_release && !renewal->lease->is_own_token;
		if (member->needs_release) {
			/* It follows the renewal, on the same connection. */
			member->wanted = RL_SEND_RELEASE;
			rl_renewer_errands_queue(member);
			longest = member->asked_ttl > longest ? member->asked_ttl : longest;
		}
	}
	/* By then the keys have expired. */
	renewal->give_up_at = longest > 0 ? now + longest : RL_NEVER;
}

static void report_loss(rl_renewal *renewal, int64_t now)
{
	int64_t pause = renewal->on_lost != NULL ? renewal->on_lost(renewal->ctx) : 0;
	renewal->report_at = pause > 0 ? now + pause : RL_NEVER;
}

/* Ends a round, has the members release the lock, and reports the loss. */
static void lose(rl_renewal *renewal)
{
	bool was_in_round = renewal->stage == RL_RENEWAL_IN_ROUND;
	renewal->stage = RL_RENEWAL_LOST;
	rl_stats_add(&rl_env_stats(renewal->renewer->env)->lost, 1);
	if (was_in_round) {
		rl_lease_not_renewed(renewal->lease);
	}
	int64_t now = now_of(renewal);
	release_members(renewal, now);
	report_loss(renewal, now);
}

/* ---- rounds ---- */

/* Begins a round, unless its renewals could prove nothing more. */
static void begin_round(rl_renewal *renewal, int64_t now)
{
	rl_lease *lease = renewal->lease;
	int64_t ttl = rl_renewal_ttl(renewal, now);
	if (now + ttl - rl_drift(lease->drift_factor, ttl) <= atomic_load(&lease->proof)) {
		renewal->renew_at = RL_NEVER; /* maxHold allows no longer proof */
		return;
	}
	renewal->stage = RL_RENEWAL_IN_ROUND;
	rl_lease_renewing(lease);
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		member->vote = RL_VOTE_OPEN;
		member->was_put = false;
		/* A command of an earlier round may still be under way. Its answer counts from the time at
		 * which that command was sent. */
		if (member->state == RL_RENEWAL_MEMBER_IDLE) {
			rl_renewer_errands_queue(member);
		}
	}
}

/* The lock was not replicated to a new primary, where no other client may take it while the proof
 * lasts (rl_grace.c). So the lock is put back, and the refusal of a single member does not
 * lose the lease. */
static bool may_come_back(const rl_renewal_member *member)
{
	return member->vote == RL_VOTE_REFUSED && member->refusal == RL_LOSS_DELETED &&
		member->server->route != NULL && !rl_route_may_grant(member->server->route) &&
		rl_renewal_may_put_back(member->renewal);
}

static rl_vote outcome(const rl_renewal *renewal)
{
	rl_tally tally = {0};
	for (unsigned i = 0; i < renewal->count; i++) {
		const rl_renewal_member *member = &renewal->members[i];
		rl_tally_add(&tally, may_come_back(member) ? RL_VOTE_FAILED : member->vote);
	}
	return rl_tally_outcome(&tally);
}

/* The reason that the refusals give for the loss. */
static rl_loss loss_by_refusals(const rl_renewal *renewal)
{
	unsigned absent = 0;
	unsigned taken_over = 0;
	for (unsigned i = 0; i < renewal->count; i++) {
		const rl_renewal_member *member = &renewal->members[i];
		if (member->vote == RL_VOTE_REFUSED) {
			taken_over += member->refusal == RL_LOSS_TAKEN_OVER;
			absent += member->refusal != RL_LOSS_TAKEN_OVER;
		}
	}
	return rl_loss_of_refusals(absent, taken_over);
}

/* A member that has lost the lock gets it back, once in a round. */
static void put_back(rl_renewal_member *member)
{
	if (rl_renewal_may_put_back(member->renewal) && member->vote == RL_VOTE_REFUSED &&
		member->state == RL_RENEWAL_MEMBER_IDLE && !member->was_put) {
		member->wanted = RL_SEND_PUT_BACK;
		member->was_put = true;
		rl_renewer_errands_queue(member);
	}
}

/* The proof counts from the earliest of the requests that were granted, and for the shortest of
 * their TTLs. False when the lease was lost meanwhile. */
static bool prove(rl_renewal *renewal)
{
	int64_t sent_at = RL_NEVER;
	int64_t ttl = RL_NEVER;
	for (unsigned i = 0; i < renewal->count; i++) {
		const rl_renewal_member *member = &renewal->members[i];
		if (member->vote == RL_VOTE_GRANTED) {
			sent_at = rl_time_earlier(sent_at, member->sent_at);
			ttl = rl_time_earlier(ttl, member->asked_ttl);
		}
	}
	return rl_lease_renewed(renewal->lease, ttl, sent_at);
}

static void on_granted(rl_renewal *renewal)
{
	renewal->stage = RL_RENEWAL_IDLE;
	bool is_proven = prove(renewal);
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		if (member->vote == RL_VOTE_GRANTED) {
			member->needs_release = !is_proven;
		}
	}
	if (!is_proven) { /* the answer came too late */
		lose(renewal);
		return;
	}
	for (unsigned i = 0; i < renewal->count; i++) {
		put_back(&renewal->members[i]);
	}
	rl_stats_add(&rl_env_stats(renewal->renewer->env)->renewed, 1);
	renewal->renew_at = next_round(renewal, now_of(renewal));
}

static int64_t error_pause(const rl_renewal *renewal)
{
	int64_t share = rl_lease_remaining(renewal->lease) / ERROR_SHARE;
	return rl_time_earlier(share > ERROR_MIN_NS ? share : ERROR_MIN_NS, ERROR_MAX_NS);
}

/* A member has answered; the answer is in member->vote. */
static void count_vote(rl_renewal_member *member)
{
	rl_renewal *renewal = member->renewal;
	int64_t again_at =
		member->again_at != 0 ? member->again_at : now_of(renewal) + error_pause(renewal);
	member->ask_again_at = again_at;
	if (renewal->stage == RL_RENEWAL_GRANT) {
		return;
	}
	if (renewal->stage != RL_RENEWAL_IN_ROUND) { /* the other members have decided the round */
		put_back(member);
		return;
	}
	switch (outcome(renewal)) {
		case RL_VOTE_OPEN:
		case RL_VOTE_FAILED: /* the members that failed are asked again */
			if (may_come_back(member)) {
				put_back(member);
			}
			break;
		case RL_VOTE_GRANTED:
			on_granted(renewal);
			break;
		case RL_VOTE_REFUSED:
			rl_lease_lose_by(renewal->lease, loss_by_refusals(renewal));
			lose(renewal);
			break;
	}
}

/* ---- late grants ---- */

/* No SET is sent any more. */
static void withdraw_grant(rl_renewal *renewal)
{
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewer_errands_withdraw(&renewal->members[i]);
	}
	renewal->stage = RL_RENEWAL_GRANT_STOPPED;
}

/* The member has the lock by this record, or may get it. */
static bool was_given(const rl_renewal_member *member)
{
	return member->vote == RL_VOTE_GRANTED || member->has_lost_set ||
		member->state == RL_RENEWAL_MEMBER_ASKED;
}

static bool is_grant_over(const rl_renewal *renewal)
{
	bool is_open = renewal->stage == RL_RENEWAL_GRANT;
	for (unsigned i = 0; i < renewal->count; i++) {
		is_open = is_open || was_given(&renewal->members[i]);
	}
	return rl_renewal_is_grant(renewal) && (!is_open || !rl_lease_is_held(renewal->lease));
}

/* @return false = the release must be sent later, and confirmed */
static bool undo_behind(rl_renewal_member *member)
{
	return !member->has_lost_set && rl_renewer_errands_release_behind(member);
}

/* The members get the release when they can be reached; has one bit for each of them. */
static void release_later(rl_renewal *renewal, unsigned members)
{
	rl_stats_add(&rl_env_stats(renewal->renewer->env)->late_releases, 1);
	rl_lease_lose(renewal->lease);
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		rl_renewer_errands_leave(member);
		member->needs_release = (members >> i & 1) != 0;
		if (member->needs_release) {
			member->wanted = RL_SEND_RELEASE;
			rl_renewer_errands_queue(member);
		}
	}
	renewal->give_up_at = renewal->hold_until; /* by then the keys have expired */
	rl_renewer_own(renewal);
	rl_renewer_plan(renewal);
	renewal->renewer->until = 0;
}

static void undo_grant(rl_renewal *renewal)
{
	unsigned left = 0;
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		bool is_done = !was_given(member) || undo_behind(member);
		left |= (unsigned) !is_done << i;
	}
	if (left != 0) {
		release_later(renewal, left);
	} else {
		drop_owned(renewal);
	}
}

/* Calls the function for each late grant of the lock with this token. */
static void each_grant(
	rl_renewer *renewer, rl_bytes key, rl_bytes token, void (*act)(rl_renewal *renewal))
{
	rl_renewal *next;
	for (rl_renewal *renewal = renewer->grants; renewal != NULL; renewal = next) {
		const rl_lease *lease = renewal->lease;
		next = renewal->next;
		if (rl_bytes_equal(lease->names.key, key) &&
			(token.data == NULL || rl_bytes_equal(rl_lease_token(lease), token))) {
			act(renewal);
		}
	}
}

static void stop_grant(rl_renewal *renewal)
{
	withdraw_grant(renewal);
	if (is_grant_over(renewal)) {
		drop_owned(renewal);
	} else {
		rl_renewer_plan(renewal);
	}
}

void rl_renewer_stop_grants(rl_renewer *renewer, rl_bytes key, rl_bytes token)
{
	each_grant(renewer, key, token, stop_grant);
}

void rl_renewer_undo_grants(rl_renewer *renewer, rl_bytes key, rl_bytes token)
{
	each_grant(renewer, key, token, undo_grant);
}

/* ---- outcomes ---- */

/* A lease that is lost is put on no further member. */
static void end_grants_of_lost(const rl_renewal *renewal)
{
	if (rl_renewal_is_lost(renewal) && renewal->renewer->grants != NULL) {
		const rl_lease *lease = renewal->lease;
		rl_renewer_undo_grants(renewal->renewer, lease->names.key, rl_lease_token(lease));
	}
}

/* A renewal, or a SET, has ended. */
static void on_vote(rl_renewal_member *member)
{
	rl_renewal *renewal = member->renewal;
	bool is_put_back = member->sent == RL_SEND_PUT_BACK;
	if (member->wanted == RL_SEND_PUT_BACK && member->told != RL_VOTE_FAILED) {
		member->wanted = RL_SEND_RENEW;
	}
	if (is_put_back && member->told == RL_VOTE_REFUSED && renewal->stage == RL_RENEWAL_IN_ROUND) {
		/* An earlier SET that is in doubt may have won: a renewal will show that. */
		rl_renewer_errands_queue(member);
		return;
	}
	member->vote = member->told;
	if (member->vote == RL_VOTE_REFUSED && !is_put_back) {
		member->needs_release = false;
	}
	if (!rl_renewal_is_paused(renewal)) {
		count_vote(member);
		end_grants_of_lost(renewal);
	}
}

/* The outcome leaves open whether the member has the lock, so the release is sent again. After an
 * error that would always come back, sending it again would change nothing. */
static bool leaves_open(const rl_renewal_member *member)
{
	if (member->told == RL_VOTE_FAILED) {
		return !member->is_final;
	}
	/* The token that is to be put back was there already: the swap that replaces it may still be on
	 * its way, like a SET after a release that found nothing. */
	bool was_back = member->renewal->back.len > 0 && member->told_number == RL_SWAPPED_BEFORE;
	return (member->told == RL_VOTE_REFUSED || was_back) && member->has_lost_set &&
		member->refusal != RL_LOSS_TAKEN_OVER;
}

static void on_released(rl_renewal_member *member)
{
	if (!leaves_open(member)) {
		member->needs_release = false;
		return;
	}
	if (member->told == RL_VOTE_FAILED && member->again_at != 0) { /* no server has answered */
		member->ask_again_at = member->again_at;
		return;
	}
	int64_t pause =
		rl_backoff_doubled(RELEASE_PAUSE_NS, member->release_fails, RELEASE_PAUSE_MAX_NS);
	member->release_fails++;
	member->ask_again_at = now_of(member->renewal) + pause;
}

/* The errand of the member has gone on, and may have ended. */
static void on_step(rl_renewal_member *member)
{
	rl_renewal *renewal = member->renewal;
	if (member->state == RL_RENEWAL_MEMBER_IDLE) {
		if (rl_renewal_is_release(member->sent)) {
			on_released(member);
		} else {
			on_vote(member);
		}
	}
	if (renewal->stage != RL_RENEWAL_PAUSED && renewal->stage != RL_RENEWAL_LOST_PAUSED) {
		rl_renewer_plan(renewal);
	}
}

void rl_renewer_init(rl_renewer *renewer, rl_transport *transport, const rl_env *env)
{
	*renewer = (rl_renewer){.env = env, .late_end = &renewer->late, .until = RL_NEVER};
	rl_renewer_errands_init(&renewer->errands, transport, env);
}

/* ---- what is due ---- */

/* Steps the errands whose time has come. */
static void step_errands(rl_renewal *renewal, const rl_tick *tick)
{
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		if (member->state == RL_RENEWAL_MEMBER_ASKED && member->step_at <= tick->now) {
			rl_renewer_errands_step(member, tick);
			on_step(member);
		}
	}
}

/* The members whose pause is over are asked again. */
static void ask_again(rl_renewal *renewal, const rl_tick *tick)
{
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		if (!rl_renewal_must_ask_again(member) || member->ask_again_at > tick->now) {
			continue;
		}
		if (!rl_renewal_is_lost(renewal)) {
			/* While the proof lasts no other client can have a quorum. A client that has the lock
			 * on this member gives it up, or the key expires. */
			bool is_refused = member->vote == RL_VOTE_REFUSED;
			member->wanted = is_refused ? RL_SEND_PUT_BACK : member->wanted;
			member->vote = RL_VOTE_OPEN;
		}
		rl_renewer_errands_queue(member);
	}
}

/* The keys have expired everywhere. */
static void give_up_releases(rl_renewal *renewal)
{
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewer_errands_leave(&renewal->members[i]);
		renewal->members[i].needs_release = false;
	}
	renewal->give_up_at = RL_NEVER;
}

static void handle_lost(rl_renewal *renewal, const rl_tick *tick)
{
	if (renewal->give_up_at <= tick->now) {
		give_up_releases(renewal);
	}
	step_errands(renewal, tick);
	ask_again(renewal, tick);
	if (renewal->report_at <= tick->now) {
		report_loss(renewal, tick->now);
	}
}

static void handle_held(rl_renewal *renewal, const rl_tick *tick)
{
	step_errands(renewal, tick);
	ask_again(renewal, tick);
	if (rl_renewal_is_near(renewal, tick->now)) { /* the record may be due for another reason */
		begin_round(renewal, tick->now);
	}
}

static void handle_grant(rl_renewal *renewal, const rl_tick *tick)
{
	step_errands(renewal, tick);
	if (renewal->stage == RL_RENEWAL_GRANT && renewal->give_up_at <= tick->now) {
		withdraw_grant(renewal);
	}
	ask_again(renewal, tick);
}

static bool is_late_over(const rl_renewal *renewal, int64_t now)
{
	return renewal->stage == RL_RENEWAL_LATE &&
		(renewal->give_up_at <= now || rl_renewal_is_released(renewal));
}

static void handle_due(rl_renewal *renewal, const rl_tick *tick)
{
	if (is_late_over(renewal, tick->now)) {
		rl_renewer_end_late(renewal);
		return;
	}
	if (rl_renewal_is_grant(renewal)) {
		handle_grant(renewal, tick);
	} else if (rl_renewal_is_lost(renewal)) {
		handle_lost(renewal, tick);
	} else if (rl_lease_is_held(renewal->lease)) {
		handle_held(renewal, tick);
	} else {
		lose(renewal);
	}
	if (is_grant_over(renewal)) {
		drop_owned(renewal);
		return;
	}
	end_grants_of_lost(renewal);
	/* A record may still be due because what has arrived was not read yet: the next step handles
	 * it. */
	int64_t due_at = rl_renewal_due_time(renewal);
	plan_at(renewal, due_at > tick->now ? due_at : tick->now + 1);
}

static void handle_all_due(rl_renewer *renewer, const rl_tick *tick)
{
	bool is_any_due = false;
	while (renewer->heap.count > 0) {
		rl_renewal *first = heap_at(renewer, 1);
		bool is_due = first->due_at <= tick->now;
		if (!is_due && !(is_any_due && rl_renewal_is_near(first, tick->now))) {
			return;
		}
		is_any_due = true;
		handle_due(first, tick);
	}
}

static void read_all(rl_renewer *renewer, const rl_tick *tick)
{
	rl_renewal_member *member;
	while ((member = rl_renewer_errands_read(&renewer->errands, tick)) != NULL) {
		on_step(member);
	}
}

static void send_all(rl_renewer *renewer, const rl_tick *tick)
{
	rl_renewal_member *member;
	while ((member = rl_renewer_errands_send(&renewer->errands, tick)) != NULL) {
		on_step(member);
	}
}

void rl_renewer_step(rl_renewer *renewer, const rl_tick *tick)
{
	read_all(renewer, tick);
	handle_all_due(renewer, tick);
	send_all(renewer, tick);
	read_all(renewer, tick); /* a lookup that an errand has begun may have ended */
	int64_t until = rl_renewer_errands_flush(&renewer->errands, tick->now);
	bool is_any_due = renewer->heap.count > 0;
	renewer->until = is_any_due ? rl_time_earlier(until, heap_at(renewer, 1)->due_at) : until;
}

rl_link *rl_renewer_next_link(const rl_renewer *renewer, rl_renewer_cursor *cursor)
{
	return rl_renewer_errands_next_link(&renewer->errands, cursor);
}

/* ---- a lease ends ---- */

static void pause_member(rl_renewal_member *member)
{
	rl_renewer_errands_withdraw(member);
	if (!rl_renewal_is_lost(member->renewal)) {
		member->wanted = rl_renewal_is_putting(member) ? RL_SEND_RELEASE : RL_SEND_RENEW;
	}
}

void rl_renewer_pause(rl_renewal *renewal)
{
	if (renewal->renewer == NULL || rl_renewal_is_paused(renewal)) {
		return;
	}
	heap_remove(renewal);
	for (unsigned i = 0; i < renewal->count; i++) {
		pause_member(&renewal->members[i]);
	}
	if (renewal->stage == RL_RENEWAL_IN_ROUND) {
		rl_lease_not_renewed(renewal->lease);
	}
	renewal->stage = rl_renewal_is_lost(renewal) ? RL_RENEWAL_LOST_PAUSED : RL_RENEWAL_PAUSED;
}

/* A command under way to the member could keep or set the lock after its owner has released it. */
static bool needs_release_behind(const rl_renewal_member *member)
{
	const rl_renewal *renewal = member->renewal;
	const rl_lease *lease = renewal->lease;
	bool is_left = rl_lease_is_open(lease) && !lease->is_own_token;
	bool is_put_back = renewal->stage == RL_RENEWAL_PAUSED && member->wanted == RL_SEND_RELEASE;
	return (is_left && member->state == RL_RENEWAL_MEMBER_ASKED) ||
		(is_put_back && lease->stage != RL_LEASE_GIVEN_AWAY);
}

static void end(rl_renewal *renewal)
{
	rl_renewer_pause(renewal);
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		if (needs_release_behind(member)) {
			rl_renewer_errands_release_behind(member);
			renewal->renewer->until = 0; /* the next step writes what the system did not take */
		}
		rl_renewer_errands_unassign(member);
	}
	take_out(renewal);
}

void rl_renewer_remove(rl_renewal *renewal)
{
	if (renewal->renewer != NULL) {
		end(renewal);
	}
}

static rl_renewal *any_record(const rl_renewer *renewer)
{
	rl_renewal *owned = renewer->late != NULL ? renewer->late : renewer->grants;
	return renewer->all != NULL ? renewer->all : owned;
}

void rl_renewer_forget(rl_renewer *renewer)
{
	rl_renewal *renewal;
	while ((renewal = any_record(renewer)) != NULL) {
		for (unsigned i = 0; i < renewal->count; i++) {
			rl_renewer_errands_unassign(&renewal->members[i]);
		}
		take_out(renewal);
		free_owned(renewal);
	}
	rl_renewer_errands_free(&renewer->errands);
	free(renewer->heap.entries);
	rl_renewer_init(renewer, renewer->errands.transport, renewer->env);
}
