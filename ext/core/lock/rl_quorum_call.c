/* SPDX-License-Identifier: MIT
 *
 * The quorum call over all members: stepping the member calls, counting their votes, settling. Its design is in the
 * header, a member call's life in rl_member_call.c.
 */
#include "core/lock/rl_quorum_call.h"

#include "core/lock/rl_order.h"
#include "core/lock/rl_member_call.h"
#include "core/base/rl_time.h"
#include "core/base/rl_token.h"

#include <string.h>

static bool is_several(const rl_quorum_call *call)
{
	return call->set->count > 1;
}

void rl_quorum_call_begin(rl_quorum_call *call, rl_wanted wanted, int64_t now, int64_t latest)
{
	int64_t longest = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		rl_member_call_begin(call, i, now, latest);
		longest = call->members[i].timeout > longest ? call->members[i].timeout : longest;
	}
	if (is_several(call) && !call->has_order) {
		rl_order(call->set, call->request.key, call->order);
		call->has_order = true;
	}
	call->wanted = wanted;
	call->outcome = RL_VOTE_OPEN;
	call->begun_at = now;
	call->call_up_at = now + longest / RL_QUORUM_CALL_CALL_UP_SHARE;
	call->grace_end = 0;
}

void rl_quorum_call_adopt(rl_quorum_call *call, unsigned index, rl_conn *conn, int64_t sent_at)
{
	rl_member_call *member = &call->members[index];
	member->conn = conn;
	member->sent_at = sent_at;
	rl_member_call_finish(member, RL_VOTE_GRANTED);
}

/* ---- deciding ---- */

static bool same_text(const rl_member_call *a, const rl_member_call *b)
{
	return rl_bytes_equal(rl_bytes_of(a->text, a->text_len), rl_bytes_of(b->text, b->text_len));
}

/* How many members name the same owner as this one. */
static unsigned count_alike(const rl_quorum_call *call, const rl_member_call *member)
{
	unsigned count = 0;
	for (unsigned i = 0; member->vote == RL_VOTE_GRANTED && i < call->set->count; i++) {
		const rl_member_call *other = &call->members[i];
		count += other->vote == RL_VOTE_GRANTED && same_text(other, member);
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

/* Members that have an owner have not necessarily the same. */
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

static rl_vote step_seats(rl_quorum_call *call, const rl_tick *tick)
{
	rl_tally tally = {0};
	unsigned count = call->set->count;
	/* Taken in the members' order, and released with the first of them last: see rl_order.h. */
	rl_verb verb = call->request.verb;
	unsigned first = rl_verb_changes(verb) && verb != RL_VERB_SWAP ? 1 : 0;
	for (unsigned i = 0; i < count; i++) {
		unsigned index = count == 1 ? 0 : call->order[(first + i) % count];
		if (!call->members[index].is_backed_off) {
			rl_member_call_step(call, index, tick);
		}
		rl_tally_add(&tally, call->members[index].vote);
	}
	bool is_owner = is_several(call) && call->request.verb == RL_VERB_OWNER;
	return is_owner ? owner_outcome(call, &tally) : rl_tally_outcome(&tally);
}

/* Those that are spared are needed: the others cannot decide without them any more, or take long. True = some were. */
static bool call_up(rl_quorum_call *call, const rl_tick *tick)
{
	rl_tally tally = {0};
	unsigned spared = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		rl_tally_add(&tally, call->members[i].vote);
		spared += call->members[i].is_backed_off;
	}
	unsigned quorum = rl_quorum(tally.members);
	unsigned asked = tally.members - tally.granted - tally.refused - tally.failed - spared;
	bool can_decide =
		tally.granted + asked >= quorum || tally.refused + asked > tally.members - quorum;
	if (spared == 0 || (can_decide && tick->now < call->call_up_at)) {
		return false;
	}
	for (unsigned i = 0; i < call->set->count; i++) {
		call->members[i].is_backed_off = false;
	}
	return true;
}

/* A command that is to reach every member has not been handed to this one, which may yet be connected; or it is not
 * known whether a release may use the helper keys there. */
static bool is_expected(
	const rl_quorum_call *call, const rl_member_call *member, const rl_tick *tick)
{
	bool is_late =
		member->is_fresh && member->breaks == 0 && !rl_member_call_is_handed_over(member);
	bool is_unclear = call->request.verb == RL_VERB_RELEASE && member->conn != NULL &&
		member->conn->has_answered && !member->conn->has_helpers && !member->conn->was_waited_for &&
		!member->is_alone;
	return (is_late || is_unclear) && rl_verb_changes(call->request.verb) &&
		tick->now < call->grace_end;
}

/* The first in order that is asked at all. */
static unsigned first_in_order(const rl_quorum_call *call)
{
	unsigned at = 0;
	while (at + 1 < call->set->count && call->members[call->order[at]].is_backed_off) {
		at++;
	}
	return call->order[at];
}

/* The outcome is known, but somebody's answer is wanted. */
static bool is_wanted(const rl_quorum_call *call, unsigned index, const rl_tick *tick)
{
	const rl_member_call *member = &call->members[index];
	if (member->state == RL_MEMBER_CALL_DONE || member->is_backed_off) {
		return false;
	}
	/* What became of a caller's own token has to be known before it can be tried again. */
	bool is_own =
		call->is_own_token && call->outcome != RL_VOTE_GRANTED && rl_verb_takes(call->request.verb);
	/* A failure tells what became of the others, and what a minority has prolonged is undone. */
	bool is_to_be_told = rl_verb_changes(call->request.verb) &&
		(call->outcome == RL_VOTE_FAILED ||
			(call->outcome == RL_VOTE_REFUSED && call->request.verb == RL_VERB_EXTEND));
	/* Who waits should wait where all others do. */
	bool is_first = call->request.verb == RL_VERB_PROBE && index == first_in_order(call) &&
		tick->now < call->grace_end + RL_QUORUM_CALL_FIRST_NS;
	bool is_hoped_for = call->wanted == RL_WANTED_SOON && tick->now < call->grace_end;
	return is_own || is_to_be_told || is_first || call->wanted == RL_WANTED_ALL || is_hoped_for ||
		is_expected(call, member, tick);
}

static void add_to_wait(const rl_quorum_call *call, const rl_member_call *member, rl_wait *wait)
{
	if (member->is_backed_off) {
		rl_wait_until(wait, call->call_up_at);
	} else if (member->state == RL_MEMBER_CALL_PAUSED) {
		rl_wait_until(wait, member->resume_at);
		wait->wants_names = wait->wants_names || member->awaits_name;
	} else if (member->state != RL_MEMBER_CALL_DONE) {
		rl_wait_for(wait, member->conn->link,
			rl_member_call_is_connected(member) ? member->budget_end : member->connect_end);
	}
}

/* A minority has granted the caller's token: see the header. */
static void take_back_own_token(rl_quorum_call *call, const rl_tick *tick)
{
	for (unsigned i = 0; i < call->set->count; i++) {
		rl_member_call_take_back(call, i, tick);
	}
}

rl_vote rl_quorum_call_step(rl_quorum_call *call, const rl_tick *tick, rl_wait *wait)
{
	bool was_open = call->outcome == RL_VOTE_OPEN;
	call->outcome = step_seats(call, tick);
	if (!is_several(call)) { /* its vote is the outcome */
		add_to_wait(call, &call->members[0], wait);
		return call->outcome;
	}
	if (call->outcome == RL_VOTE_OPEN && call_up(call, tick)) {
		call->outcome = step_seats(call, tick);
	}
	bool is_open = call->outcome == RL_VOTE_OPEN;
	if (was_open && !is_open) {
		int64_t grace = tick->now - call->begun_at;
		grace = grace > RL_QUORUM_CALL_GRACE_NS ? grace : RL_QUORUM_CALL_GRACE_NS;
		call->grace_end = tick->now + grace;
	}
	if (!is_open && call->outcome != RL_VOTE_GRANTED && call->is_own_token &&
		rl_verb_takes(call->request.verb)) {
		take_back_own_token(call, tick);
	}
	bool goes_on = is_open;
	for (unsigned i = 0; i < call->set->count; i++) {
		if (is_open || is_wanted(call, i, tick)) {
			goes_on = true;
			add_to_wait(call, &call->members[i], wait);
		}
	}
	if (goes_on && !is_open) {
		int64_t first_end = call->grace_end + RL_QUORUM_CALL_FIRST_NS;
		rl_wait_until(wait, call->grace_end > tick->now ? call->grace_end : RL_NEVER);
		rl_wait_until(wait, first_end > tick->now ? first_end : RL_NEVER);
	}
	return goes_on ? RL_VOTE_OPEN : call->outcome;
}

/* ---- settling ---- */

/* True when the server's error says that it would not run an undo either. */
static bool refuses_scripts(const rl_member_call *member)
{
	return member->vote == RL_VOTE_FAILED && member->err.status == RL_ERR_SERVER &&
		(rl_error_passes(&member->err) || strcmp(member->err.code, "NOPERM") == 0 ||
			strcmp(member->err.code, "NOAUTH") == 0);
}

/* The same for a swap: to a token of ours it is undone where it was carried out or may have been, to the caller's where
 * one of both tokens is ours to release. */
static bool may_undo_swap(const rl_quorum_call *call, const rl_member_call *member, int64_t now)
{
	bool is_unanswered =
		member->state == RL_MEMBER_CALL_ANSWER && rl_member_call_is_handed_over(member);
	if (!call->is_own_token) {
		return member->vote == RL_VOTE_GRANTED || member->has_strays || member->is_in_doubt ||
			is_unanswered;
	}
	return member->vote != RL_VOTE_REFUSED &&
		(member->vote != RL_VOTE_GRANTED ||
			(member->answer.number == RL_SWAPPED_NOW &&
				rl_member_call_may_take_back(call, member, now)));
}

/* True when the member holds the token, or may, and we may take it back. */
static bool may_undo(
	const rl_quorum_call *call, const rl_member_call *member, rl_undo undo, int64_t now)
{
	if (undo == RL_UNDO_NOTHING || member->state == RL_MEMBER_CALL_UNDO || member->is_taken_back) {
		return false;
	}
	if (undo == RL_UNDO_BUT_REFUSALS && refuses_scripts(member)) {
		return false; /* the next try finds out */
	}
	if (call->request.verb == RL_VERB_SWAP) {
		return may_undo_swap(call, member, now);
	}
	if (!rl_verb_takes(call->request.verb)) {
		return call->request.verb == RL_VERB_EXTEND && member->vote == RL_VOTE_GRANTED;
	}
	if (member->vote == RL_VOTE_GRANTED) {
		return rl_member_call_may_take_back(call, member, now);
	}
	bool is_unanswered =
		member->state == RL_MEMBER_CALL_ANSWER && rl_member_call_is_handed_over(member);
	return !call->is_own_token && (member->is_in_doubt || is_unanswered);
}

static rl_undone write_undo(rl_quorum_call *call, rl_member_call *member)
{
	rl_request request = call->request;
	request.is_alone = request.is_alone || !call->set->wakes;
	bool is_swap = request.verb == RL_VERB_SWAP;
	rl_undone undone = RL_UNDONE_NOT;
	if (is_swap && member->vote == RL_VOTE_GRANTED) {
		request.token = call->is_own_token ? request.fresh : request.token;
	}
	if (member->conn != NULL && is_swap && !call->is_own_token) {
		undone = rl_conn_swap_back(member->conn, &request);
	} else if (member->conn != NULL) {
		undone = rl_conn_undo(member->conn, &request);
	}
	rl_stats_add(&call->env->stats->undone, undone != RL_UNDONE_NOT);
	return undone;
}

/* A caller's own token is undone only if it was granted: what has arrived may say so. */
static void hear_last_word(const rl_quorum_call *call, rl_member_call *member)
{
	rl_conn_event event;
	if (member->conn == NULL || member->state != RL_MEMBER_CALL_ANSWER) {
		return;
	}
	member->conn->transport->take_in(member->conn->link);
	do {
		rl_conn_next(member->conn, &event);
	} while (event.type == RL_CONN_READY || event.type == RL_CONN_REFUSED);
	if (event.type == RL_CONN_REPLY) {
		rl_request request = call->request;
		request.verb = (rl_verb) event.tag;
		rl_answer answer;
		rl_error unused;
		rl_command_read(&request, &event.reply, &answer, &unused, NULL, 0);
		if (answer.vote != RL_VOTE_FAILED) {
			member->answer.number = answer.number;
			rl_member_call_finish(member, answer.vote);
		}
	}
}

/* A release whose answer nobody will read: should the server refuse it for the helper keys' sake, the one behind it,
 * without them, is carried out. */
static void back_up_release(const rl_quorum_call *call, rl_member_call *member)
{
	rl_conn *conn = member->conn;
	bool is_unheard =
		member->state == RL_MEMBER_CALL_ANSWER && rl_member_call_is_handed_over(member);
	bool is_once =
		!rl_token_is_drawn(call->request.token); /* a second could meet somebody else's */
	if (!is_several(call) || call->request.verb != RL_VERB_RELEASE || !is_unheard ||
		member->is_alone || conn->has_helpers) {
		return;
	}
	conn->was_waited_for = true;
	if (is_once) {
		return;
	}
	rl_request request = call->request;
	request.is_alone = true;
	request.as_text = true;
	if (rl_conn_send_blind(conn, &request)) {
		conn->transport->flush(conn->link);
	}
}

/* Gives the connection to the pool, in whatever state it is, or lets it end. */
static void part_with(
	rl_quorum_call *call, const rl_member_call *member, rl_conn *conn, bool was_undone, int64_t now)
{
	/* A release is good at any time, unless somebody else may have the same token. */
	bool is_late_release = call->request.verb == RL_VERB_RELEASE &&
		rl_token_is_drawn(call->request.token) && !conn->transport->is_connected(conn->link);
	bool is_keeping = !member->must_close && is_several(call) &&
		(is_late_release || rl_conn_retract(conn)) && rl_conn_is_worth_keeping(conn);
	if (is_keeping) {
		rl_pool_give_unheard(call->pool, conn, member->timeout, now);
	} else if (!member->must_close && rl_conn_is_reusable(conn)) {
		rl_pool_give(call->pool, conn, now);
	} else {
		bool has_undo = was_undone || conn->undo_left > 0; /* perhaps of an earlier call */
		bool is_lingering = (has_undo || is_several(call)) &&
			member->err.status != RL_ERR_PROTOCOL && conn->transport->is_connected(conn->link);
		bool is_full = !conn->is_down && conn->transport->is_connected(conn->link);
		if (is_several(call) && !member->must_close && is_full) {
			rl_pool_note_failure(call->pool, conn->target, now); /* it reads too little */
		}
		if (is_lingering) {
			rl_pool_let_linger(call->pool, conn, now);
		} else {
			rl_conn_free(conn);
		}
	}
}

static void settle_seat(rl_quorum_call *call, rl_member_call *member, rl_undo undo,
	rl_settlement *settlement, int64_t now)
{
	if (undo != RL_UNDO_NOTHING && call->is_own_token) {
		hear_last_word(call, member);
	}
	bool is_doubtful = member->is_in_doubt ||
		(member->state == RL_MEMBER_CALL_ANSWER && rl_member_call_is_handed_over(member)) ||
		(undo != RL_UNDO_NOTHING && member->vote == RL_VOTE_GRANTED && !member->is_taken_back);
	bool is_own = call->is_own_token;
	rl_undone undone = may_undo(call, member, undo, now) ? write_undo(call, member) : RL_UNDONE_NOT;
	if (undone != RL_UNDONE_NOT && !refuses_scripts(member)) {
		settlement->was_undone = true;
		settlement->was_guarded = settlement->was_guarded || member->vote != RL_VOTE_GRANTED;
		/* Of a caller's token only the release of what was granted is one. */
		is_doubtful =
			is_own && member->vote != RL_VOTE_GRANTED ? is_doubtful : undone == RL_UNDONE_MAYBE;
	}
	settlement->is_in_doubt = settlement->is_in_doubt || is_doubtful;
	member->is_spent =
		member->is_spent || (is_own && rl_verb_takes(call->request.verb) && is_doubtful);
	member->was_left = is_several(call) && member->state == RL_MEMBER_CALL_ANSWER &&
		rl_member_call_is_handed_over(member) && undone == RL_UNDONE_NOT;
	if (member->conn != NULL) {
		back_up_release(call, member);
	}
	rl_conn *conn = member->conn;
	member->conn = NULL;
	if (conn != NULL) {
		rl_conn_forget(conn);
		/* Counts off what has arrived; a reply that nobody asked for shows here, not in the next command. */
		rl_conn_event event;
		rl_conn_next(conn, &event);
	}
	member->state = RL_MEMBER_CALL_DONE;
	if (conn != NULL) {
		part_with(call, member, conn, undone != RL_UNDONE_NOT, now);
	}
}

rl_settlement rl_quorum_call_settle(rl_quorum_call *call, rl_undo undo, int64_t now)
{
	rl_settlement settlement = {0};
	for (unsigned i = 0; i < call->set->count; i++) {
		settle_seat(call, &call->members[i], undo, &settlement, now);
	}
	return settlement;
}

void rl_quorum_call_note_grant(rl_quorum_call *call, unsigned index, int64_t since)
{
	call->members[index].vote = RL_VOTE_GRANTED;
	call->members[index].sent_at = since;
}

void rl_quorum_call_note_failure(rl_quorum_call *call, unsigned index, const rl_error *err)
{
	call->members[index].vote = RL_VOTE_FAILED;
	call->members[index].err = *err;
}

void rl_quorum_call_hold(rl_quorum_call *call, bool is_owed, int64_t now)
{
	call->request.verb =
		RL_VERB_TRY; /* whatever was said last: what it may have to undo is a grant */
	for (unsigned i = 0; i < call->set->count; i++) {
		rl_member_call *member = &call->members[i];
		member->is_in_doubt = member->is_in_doubt || is_owed || member->was_left;
		if (member->conn == NULL && (member->vote == RL_VOTE_GRANTED || member->is_in_doubt)) {
			member->conn = rl_pool_take(call->pool, call->set->members[i].target, true, now);
		}
	}
}

void rl_quorum_call_drop(rl_quorum_call *call)
{
	for (unsigned i = 0; i < call->set->count; i++) {
		rl_member_call_drop(&call->members[i]);
		call->members[i].state = RL_MEMBER_CALL_DONE;
	}
}

int64_t rl_quorum_call_sent_at(const rl_quorum_call *call)
{
	int64_t earliest = RL_NEVER;
	for (unsigned i = 0; i < call->set->count; i++) {
		if (call->members[i].vote == RL_VOTE_GRANTED) {
			earliest = rl_time_earlier(earliest, call->members[i].sent_at);
		}
	}
	return earliest;
}

bool rl_quorum_call_has_strays(const rl_quorum_call *call)
{
	return rl_quorum_call_strays(call) != 0;
}

unsigned rl_quorum_call_strays(const rl_quorum_call *call)
{
	unsigned members = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		bool is_stray = member->has_strays || member->was_left || member->is_in_doubt;
		members |= (unsigned) is_stray << i;
	}
	return members;
}

unsigned rl_quorum_call_missing(const rl_quorum_call *call)
{
	unsigned members = 0;
	if (call->outcome == RL_VOTE_GRANTED || call->outcome == RL_VOTE_REFUSED) {
		return 0;
	}
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		/* An unknown outcome means that the member does not hold it any more. */
		bool is_done = member->vote == RL_VOTE_GRANTED || member->vote == RL_VOTE_REFUSED ||
			(member->vote == RL_VOTE_FAILED &&
				(rl_error_is_final(&member->err) || member->err.status == RL_ERR_UNKNOWN));
		members |= (unsigned) !is_done << i;
	}
	return members;
}

const rl_member_call *rl_quorum_call_speaker(const rl_quorum_call *call, rl_vote outcome)
{
	for (unsigned i = 0; i < call->set->count; i++) {
		if (call->members[i].vote == outcome) {
			return &call->members[i];
		}
	}
	return &call->members[0];
}

int64_t rl_quorum_call_remaining(const rl_quorum_call *call)
{
	/* The quorum is there for as long as its weakest member, the others being stronger. */
	unsigned quorum = rl_quorum(call->set->count);
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		uint64_t left = (uint64_t) member->answer.number; /* no end is longer than any */
		unsigned longer = 0;
		unsigned alike = 0;
		for (unsigned j = 0; j < call->set->count; j++) {
			const rl_member_call *other = &call->members[j];
			bool has_it = other->vote == RL_VOTE_GRANTED;
			longer += has_it && (uint64_t) other->answer.number > left;
			alike += has_it && other->answer.number == member->answer.number;
		}
		if (member->vote == RL_VOTE_GRANTED && longer < quorum && longer + alike >= quorum) {
			return member->answer.number;
		}
	}
	return 0;
}

rl_loss rl_quorum_call_loss(const rl_quorum_call *call, rl_bytes token)
{
	unsigned absent = 0;
	unsigned taken_over = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		bool is_named = call->request.verb == RL_VERB_OWNER && member->vote == RL_VOTE_GRANTED;
		bool is_refused = member->vote == RL_VOTE_REFUSED;
		bool is_others = is_named
			? !rl_bytes_equal(rl_bytes_of(member->text, member->text_len), token)
			: is_refused && member->answer.is_taken_over;
		taken_over += is_others;
		absent += is_refused && !is_others;
	}
	return rl_loss_of_refusals(absent, taken_over);
}

unsigned rl_quorum_call_count(const rl_quorum_call *call, rl_vote vote)
{
	unsigned count = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		count += call->members[i].vote == vote;
	}
	return count;
}

unsigned rl_quorum_call_spent(const rl_quorum_call *call)
{
	unsigned count = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		count += call->members[i].is_spent;
	}
	return count;
}

bool rl_quorum_call_has_swapped(const rl_quorum_call *call)
{
	unsigned count = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		count += member->vote == RL_VOTE_GRANTED && member->answer.number == RL_SWAPPED_NOW;
	}
	return count >= rl_quorum(call->set->count);
}

bool rl_quorum_call_may_pass(const rl_quorum_call *call)
{
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		if (member->vote != RL_VOTE_FAILED) {
			continue;
		}
		switch (member->err.status) {
			case RL_ERR_NAME:
			case RL_ERR_CONNECT:
			case RL_ERR_TIMEOUT:
			case RL_ERR_CLOSED:
				break;
			case RL_ERR_SERVER:
				if (!rl_error_passes(&member->err)) {
					return false;
				}
				break;
			case RL_OK:
			case RL_BUSY:
			case RL_ERR_MEMORY:
			case RL_ERR_RANDOM:
			case RL_ERR_ARGUMENT:
			case RL_ERR_TLS:
			case RL_ERR_PROTOCOL:
			case RL_ERR_UNKNOWN:
			case RL_ERR_SLOW:
			case RL_ERR_FORKED:
				return false;
		}
	}
	return true;
}
