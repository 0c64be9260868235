/* SPDX-License-Identifier: MIT
 *
 * Steps the member calls until the outcome is known. The design is in the header. A member call is
 * in rl_member_call.c, and the end of a quorum call in rl_quorum_settle.c.
 */
#include "core/lock/rl_quorum_call.h"

#include "core/base/rl_time.h"
#include "core/lock/rl_member_call.h"

void rl_quorum_call_begin(rl_quorum_call *call, rl_wanted wanted, int64_t now, int64_t latest)
{
	int64_t longest = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		rl_member_call_begin(&call->members[i], now, latest);
		int64_t timeout = call->members[i].timeout;
		longest = timeout > longest ? timeout : longest;
	}
	call->wanted = wanted;
	call->outcome = RL_VOTE_OPEN;
	call->begun_at = now;
	call->call_up_at = now + longest / RL_QUORUM_CALL_CALL_UP_SHARE;
	call->grace_end = 0;
}

void rl_quorum_call_adopt(
	rl_quorum_call *call, unsigned index, rl_conn *conn, bool is_asking, int64_t sent_at)
{
	rl_member_call_adopt(&call->members[index], conn, is_asking, sent_at);
}

/* ---- deciding ---- */

static bool same_owner(const rl_member_call *a, const rl_member_call *b)
{
	return a->answer.holder == b->answer.holder &&
		rl_bytes_equal(rl_bytes_of(a->text, a->text_len), rl_bytes_of(b->text, b->text_len));
}

/* How many members name the same owner as this member. */
static unsigned count_alike(const rl_quorum_call *call, const rl_member_call *member)
{
	unsigned count = 0;
	for (unsigned i = 0; member->vote == RL_VOTE_GRANTED && i < call->set->count; i++) {
		const rl_member_call *other = &call->members[i];
		count += other->vote == RL_VOTE_GRANTED && same_owner(other, member);
	}
	return count;
}

const rl_member_call *rl_quorum_call_owner(const rl_quorum_call *call)
{
	const rl_member_call *best = &call->members[0];
	for (unsigned i = 1; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		best = count_alike(call, member) > count_alike(call, best) ? member : best;
	}
	return best;
}

bool rl_quorum_call_has_owner(const rl_quorum_call *call)
{
	return count_alike(call, rl_quorum_call_owner(call)) >= rl_quorum(call->set->count);
}

/* Members may name different owners, so granted votes alone are not a quorum. */
static rl_vote owner_outcome(const rl_quorum_call *call, const rl_tally *tally)
{
	unsigned quorum = rl_quorum(tally->members);
	unsigned best = count_alike(call, rl_quorum_call_owner(call));
	unsigned open = tally->members - tally->granted - tally->refused - tally->failed;
	if (best >= quorum) {
		return RL_VOTE_GRANTED;
	}
	if (best + open + tally->failed < quorum) {
		return RL_VOTE_REFUSED;
	}
	return best + open < quorum ? RL_VOTE_FAILED : RL_VOTE_OPEN;
}

static bool is_backed_off(const rl_member_call *member)
{
	return member->state == RL_MEMBER_CALL_BACKED_OFF;
}

/* @param[out] tally the votes so far */
static rl_vote step_members(rl_quorum_call *call, const rl_tick *tick, rl_tally *tally)
{
	unsigned count = call->set->count;
	*tally = (rl_tally){0};
	/* In order, but RELEASE, EXTEND and FORCE go to the first member last: see rl_order.h. */
	rl_verb verb = call->request.verb;
	unsigned first = rl_verb_changes(verb) && verb != RL_VERB_SWAP ? 1 : 0;
	for (unsigned i = 0; i < count; i++) {
		rl_member_call *member = &call->members[call->order[(first + i) % count]];
		rl_member_call_step(member, tick);
		rl_tally_add(tally, member->vote);
	}
	return verb == RL_VERB_OWNER ? owner_outcome(call, tally) : rl_tally_outcome(tally);
}

/* Asks the members that are backed off, if the others cannot decide any more, or take long.
 * @return true = there are such members, and they are asked from now on */
static bool call_up(rl_quorum_call *call, const rl_tally *tally, const rl_tick *tick)
{
	unsigned backed_off = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		backed_off += is_backed_off(&call->members[i]);
	}
	if (backed_off == 0) {
		return false;
	}
	unsigned quorum = rl_quorum(tally->members);
	unsigned open = tally->members - tally->granted - tally->refused - tally->failed;
	unsigned asked = open - backed_off;
	bool can_decide =
		tally->granted + asked >= quorum || tally->refused + asked > tally->members - quorum;
	if (can_decide && tick->now < call->call_up_at) {
		return false;
	}
	for (unsigned i = 0; i < call->set->count; i++) {
		rl_member_call_call_up(&call->members[i]);
	}
	return true;
}

/* ---- which answers are waited for ---- */

/* The command should reach every member, and this one was dialled just now: it may still connect
 * and accept the command. */
static bool is_expected(const rl_member_call *member, const rl_tick *tick)
{
	const rl_channel *channel = &member->channel;
	bool is_late = channel->is_fresh && member->vain == 0 && !rl_channel_is_handed_over(channel);
	return is_late && rl_verb_changes(member->call->request.verb) &&
		tick->now < member->call->grace_end;
}

/* The first member in order that is not backed off. */
static unsigned first_in_order(const rl_quorum_call *call)
{
	unsigned at = 0;
	while (at + 1 < call->set->count && is_backed_off(&call->members[call->order[at]])) {
		at++;
	}
	return call->order[at];
}

/* The member is waited for although the outcome is known. */
static bool is_wanted(const rl_member_call *member, const rl_tick *tick)
{
	const rl_quorum_call *call = member->call;
	rl_verb verb = call->request.verb;
	if (member->state == RL_MEMBER_CALL_DONE || is_backed_off(member)) {
		return false;
	}
	/* A caller's token is not sent to a member again while an earlier command is in doubt. */
	bool is_own = call->is_own_token && call->outcome != RL_VOTE_GRANTED && rl_verb_takes(verb);
	/* A failure message lists every member, and a refused EXTEND is undone where it succeeded: both
	 * need all answers. */
	bool is_needed = rl_verb_changes(verb) &&
		(call->outcome == RL_VOTE_FAILED ||
			(call->outcome == RL_VOTE_REFUSED && verb == RL_VERB_EXTEND));
	/* All waiters should queue at the same member. */
	bool is_first = verb == RL_VERB_PROBE && rl_member_call_index(member) == first_in_order(call) &&
		tick->now < call->grace_end + RL_QUORUM_CALL_FIRST_NS;
	bool is_in_time = call->wanted == RL_WANTED_SOON && tick->now < call->grace_end;
	return is_own || is_needed || is_first || call->wanted == RL_WANTED_ALL || is_in_time ||
		is_expected(member, tick);
}

/* ---- stepping ---- */

/* Releases the caller's token where a minority has granted it: see the header. */
static void take_back_own_token(rl_quorum_call *call, const rl_tick *tick)
{
	bool is_lost = call->outcome == RL_VOTE_REFUSED || call->outcome == RL_VOTE_FAILED;
	if (!is_lost || !call->is_own_token || !rl_verb_takes(call->request.verb)) {
		return;
	}
	for (unsigned i = 0; i < call->set->count; i++) {
		rl_member_call_take_back(&call->members[i], tick);
	}
}

/* The time of grace is as long again as the outcome took. */
static void begin_grace(rl_quorum_call *call, const rl_tick *tick)
{
	int64_t grace = tick->now - call->begun_at;
	grace = grace > RL_QUORUM_CALL_GRACE_NS ? grace : RL_QUORUM_CALL_GRACE_NS;
	call->grace_end = tick->now + grace;
}

static void wait_for_grace(const rl_quorum_call *call, const rl_tick *tick, rl_wait *wait)
{
	int64_t first_end = call->grace_end + RL_QUORUM_CALL_FIRST_NS;
	rl_wait_until(wait, call->grace_end > tick->now ? call->grace_end : RL_NEVER);
	rl_wait_until(wait, first_end > tick->now ? first_end : RL_NEVER);
}

rl_vote rl_quorum_call_step(rl_quorum_call *call, const rl_tick *tick, rl_wait *wait)
{
	bool was_open = call->outcome == RL_VOTE_OPEN;
	rl_tally tally;
	call->outcome = step_members(call, tick, &tally);
	if (call->outcome == RL_VOTE_OPEN && call_up(call, &tally, tick)) {
		call->outcome = step_members(call, tick, &tally);
	}
	bool is_open = call->outcome == RL_VOTE_OPEN;
	if (was_open && !is_open) {
		begin_grace(call, tick);
	}
	take_back_own_token(call, tick);
	bool goes_on = is_open;
	for (unsigned i = 0; i < call->set->count; i++) {
		if (is_open || is_wanted(&call->members[i], tick)) {
			goes_on = true;
			rl_member_call_add_to_wait(&call->members[i], wait);
		}
	}
	if (goes_on && !is_open) {
		wait_for_grace(call, tick, wait);
	}
	return goes_on ? RL_VOTE_OPEN : call->outcome;
}
