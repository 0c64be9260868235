/* SPDX-License-Identifier: MIT
 *
 * Rounds and losses. The rules are in the header.
 */
#include "core/lease/rl_round.h"

#include "core/base/rl_time.h"
#include "core/lease/rl_renewer_server.h"

/* A member that answered with an error is asked again after this share of the proof that is
 * left. */
#define ERROR_SHARE 6
#define ERROR_MIN_NS (5 * RL_NS_PER_MS)
#define ERROR_MAX_NS RL_NS_PER_SECOND

static int64_t now_of(const rl_env *env)
{
	return env->now(env->ctx);
}

int64_t rl_round_next(const rl_renewal *renewal, int64_t now)
{
	return now + rl_lease_remaining(renewal->lease) / 3;
}

/* ---- loss ---- */

/* Sends a release to each member that may keep the lock for longer than was proven. */
static void release_members(rl_renewal *renewal, int64_t now)
{
	int64_t longest = 0;
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		member->has_lost_set = member->has_lost_set || rl_renewal_is_putting(member);
		rl_renewer_server_leave(member);
		member->may_outlive = member->may_outlive && !renewal->lease->is_own_token;
		if (member->may_outlive) {
			/* On the same connection the release is carried out after the renewal. */
			member->wanted = RL_SEND_RELEASE;
			rl_renewer_server_queue(member);
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
static void lose(rl_renewal *renewal, const rl_env *env)
{
	bool was_in_round = renewal->stage == RL_RENEWAL_IN_ROUND;
	renewal->stage = RL_RENEWAL_LOST;
	rl_stats_add(&rl_env_stats(env)->lost, 1);
	if (was_in_round) {
		rl_lease_not_renewed(renewal->lease);
	}
	int64_t now = now_of(env);
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
			rl_renewer_server_queue(member);
		}
	}
}

/* The lock was not replicated to a new primary, where no other client may take it while the proof
 * lasts (rl_member_grace.c). So the lock is put back, and the refusal of a single member does not
 * lose the lease. */
static bool may_come_back(const rl_renewal_member *member)
{
	return member->vote == RL_VOTE_REFUSED && member->refusal == RL_LOSS_DELETED &&
		member->route != NULL && !rl_route_is_settled(member->route) &&
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
		rl_renewer_server_queue(member);
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

static void on_granted(rl_renewal *renewal, const rl_env *env)
{
	renewal->stage = RL_RENEWAL_IDLE;
	bool is_proven = prove(renewal);
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		if (member->vote == RL_VOTE_GRANTED) {
			member->may_outlive = !is_proven;
		}
	}
	if (!is_proven) { /* the answer came too late */
		lose(renewal, env);
		return;
	}
	for (unsigned i = 0; i < renewal->count; i++) {
		put_back(&renewal->members[i]);
	}
	rl_stats_add(&rl_env_stats(env)->renewed, 1);
	renewal->renew_at = rl_round_next(renewal, now_of(env));
}

static int64_t error_pause(const rl_renewal *renewal)
{
	int64_t share = rl_lease_remaining(renewal->lease) / ERROR_SHARE;
	return rl_time_earlier(share > ERROR_MIN_NS ? share : ERROR_MIN_NS, ERROR_MAX_NS);
}

void rl_round_on_vote(rl_renewal_member *member, const rl_env *env)
{
	rl_renewal *renewal = member->renewal;
	if (renewal->stage == RL_RENEWAL_GRANT) {
		member->ask_again_at = now_of(env) + error_pause(renewal);
		return;
	}
	if (renewal->stage != RL_RENEWAL_IN_ROUND) { /* the other members have decided the round */
		put_back(member);
		return;
	}
	if (member->vote != RL_VOTE_GRANTED) {
		member->ask_again_at = now_of(env) + error_pause(renewal);
	}
	switch (outcome(renewal)) {
		case RL_VOTE_OPEN:
		case RL_VOTE_FAILED: /* the members that failed are asked again */
			if (may_come_back(member)) {
				put_back(member);
			}
			break;
		case RL_VOTE_GRANTED:
			on_granted(renewal, env);
			break;
		case RL_VOTE_REFUSED:
			rl_lease_lose_by(renewal->lease, loss_by_refusals(renewal));
			lose(renewal, env);
			break;
	}
}

/* ---- what is due ---- */

/* Drops the connections on which an answer is overdue. */
static void drop_overdue(rl_renewal *renewal, const rl_tick *tick)
{
	for (unsigned i = 0; i < renewal->count; i++) {
		const rl_renewal_member *member = &renewal->members[i];
		if (member->state == RL_RENEWAL_MEMBER_SENT && tick->seen >= member->answer_by) {
			rl_renewer_server_fail(member->server, tick->now);
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
		rl_renewer_server_queue(member);
	}
}

/* The keys have expired everywhere. */
static void give_up_releases(rl_renewal *renewal)
{
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewer_server_leave(&renewal->members[i]);
		renewal->members[i].may_outlive = false;
	}
	renewal->give_up_at = RL_NEVER;
}

static void handle_lost(rl_renewal *renewal, const rl_tick *tick)
{
	if (renewal->give_up_at <= tick->now) {
		give_up_releases(renewal);
	}
	drop_overdue(renewal, tick);
	ask_again(renewal, tick);
	if (renewal->report_at <= tick->now) {
		report_loss(renewal, tick->now);
	}
}

static void handle_held(rl_renewal *renewal, const rl_tick *tick)
{
	drop_overdue(renewal, tick);
	ask_again(renewal, tick);
	if (rl_renewal_is_near(renewal, tick->now)) { /* the record may be due for another reason */
		begin_round(renewal, tick->now);
	}
}

void rl_round_stop_grant(rl_renewal *renewal)
{
	for (unsigned i = 0; i < renewal->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		if (member->state == RL_RENEWAL_MEMBER_WAITING) {
			rl_renewer_server_leave(member);
		}
	}
	renewal->stage = RL_RENEWAL_GRANT_STOPPED;
}

static void handle_grant(rl_renewal *renewal, const rl_tick *tick)
{
	drop_overdue(renewal, tick);
	if (renewal->stage == RL_RENEWAL_GRANT && renewal->give_up_at <= tick->now) {
		rl_round_stop_grant(renewal);
	}
	ask_again(renewal, tick);
}

void rl_round_handle_due(rl_renewal *renewal, const rl_tick *tick, const rl_env *env)
{
	if (rl_renewal_is_grant(renewal)) {
		handle_grant(renewal, tick);
	} else if (rl_renewal_is_lost(renewal)) {
		handle_lost(renewal, tick);
	} else if (rl_lease_is_held(renewal->lease)) {
		handle_held(renewal, tick);
	} else {
		lose(renewal, env);
	}
}
