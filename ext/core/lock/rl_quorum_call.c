/* SPDX-License-Identifier: MIT
 *
 * A quorum call, in the order of time. The design is in the header; an errand is in
 * rl_errand.c.
 */
#include "core/lock/rl_quorum_call.h"

#include "core/base/rl_time.h"
#include "core/base/rl_token.h"
#include "core/conn/rl_errand.h"

#include <stdlib.h>
#include <string.h>

/* The least extra time after the outcome is known; otherwise it is as long as the outcome took.
 * A member that was dialled just now has this time to accept a command that should reach every
 * member, and members have it to give the answers of RL_WANTED_SOON. */
#define EXTRA_NS (25 * RL_NS_PER_MS)

/* How much longer a probe waits for the first member in order, where all waiters should queue. */
#define FIRST_NS (200 * RL_NS_PER_MS)

/* Backed-off members are asked after this share of the timeout, if the others have not decided. */
#define CALL_UP_SHARE 8

/* ---- the beginning ---- */

void rl_quorum_call_begin(rl_quorum_call *call, rl_wanted wanted, int64_t now, int64_t latest)
{
	int64_t longest = 0;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		rl_errand_begin(&call->members[i], now, latest);
		int64_t timeout = call->members[i].timeout;
		longest = timeout > longest ? timeout : longest;
	}
	call->wanted = wanted;
	call->outcome = RL_VOTE_OPEN;
	call->terms.begun_at = now;
	call->terms.call_up_at = now + longest / CALL_UP_SHARE;
	call->extra_end = 0;
}

void rl_quorum_call_adopt(rl_quorum_call *call, unsigned index, rl_conn *conn, bool is_asking,
	int64_t sent_at, unsigned permit)
{
	call->members[index].answer.permit = permit;
	rl_errand_adopt(&call->members[index], conn, is_asking, sent_at);
}

/* ---- deciding ---- */

static bool same_owner(const rl_errand *a, const rl_errand *b)
{
	return a->answer.holder == b->answer.holder &&
		rl_bytes_equal(rl_bytes_of(a->text, a->text_len), rl_bytes_of(b->text, b->text_len));
}

/* How many members name the same owner as this member. */
static unsigned count_alike(const rl_quorum_call *call, const rl_errand *member)
{
	unsigned count = 0;
	for (unsigned i = 0; member->vote == RL_VOTE_GRANTED && i < call->terms.set->count; i++) {
		const rl_errand *other = &call->members[i];
		count += other->vote == RL_VOTE_GRANTED && same_owner(other, member);
	}
	return count;
}

const rl_errand *rl_quorum_call_owner(const rl_quorum_call *call)
{
	const rl_errand *best = &call->members[0];
	for (unsigned i = 1; i < call->terms.set->count; i++) {
		const rl_errand *member = &call->members[i];
		best = count_alike(call, member) > count_alike(call, best) ? member : best;
	}
	return best;
}

bool rl_quorum_call_has_owner(const rl_quorum_call *call)
{
	return count_alike(call, rl_quorum_call_owner(call)) >= rl_quorum(call->terms.set->count);
}

/* How many members have granted, with the same answer: they may name different owners. */
static unsigned granted_alike(const rl_quorum_call *call, const rl_tally *tally)
{
	return call->terms.request.verb == RL_VERB_OWNER ? count_alike(call, rl_quorum_call_owner(call))
													 : tally->granted;
}

static rl_vote owner_outcome(const rl_quorum_call *call, const rl_tally *tally)
{
	unsigned quorum = rl_quorum(tally->members);
	unsigned best = granted_alike(call, tally);
	unsigned open = tally->members - tally->granted - tally->refused - tally->failed;
	if (best >= quorum) {
		return RL_VOTE_GRANTED;
	}
	if (best + open + tally->failed < quorum) {
		return RL_VOTE_REFUSED;
	}
	return best + open < quorum ? RL_VOTE_FAILED : RL_VOTE_OPEN;
}

static bool is_of_another_type(const rl_errand *member)
{
	return member->vote == RL_VOTE_FAILED && strcmp(member->err->code, "WRONGTYPE") == 0;
}

/* What the vote of the member counts as. */
static rl_vote vote_in(const rl_quorum_call *call, const rl_errand *member)
{
	bool is_refusal = call->refuses_types && is_of_another_type(member);
	return is_refusal ? RL_VOTE_REFUSED : member->vote;
}

static bool is_backed_off(const rl_errand *member)
{
	return member->state == RL_ERRAND_BACKED_OFF;
}

/* @param[out] tally the votes so far */
static rl_vote step_members(rl_quorum_call *call, const rl_tick *tick, rl_tally *tally)
{
	unsigned count = call->terms.set->count;
	*tally = (rl_tally){0};
	/* In order, but RELEASE, EXTEND and FORCE go to the first member last: see rl_order.h. */
	rl_verb verb = call->terms.request.verb;
	unsigned first = rl_verb_changes(verb) && verb != RL_VERB_SWAP ? 1 : 0;
	for (unsigned i = first; i < count + first; i++) {
		rl_errand *member = &call->members[call->order[i < count ? i : 0]];
		rl_errand_step(member, tick);
		rl_tally_add(tally, vote_in(call, member));
	}
	return verb == RL_VERB_OWNER ? owner_outcome(call, tally) : rl_tally_outcome(tally);
}

/* Asks the members that are backed off, if the others cannot decide any more, or take long.
 * @return true = there are such members, and they are asked from now on */
static bool call_up(rl_quorum_call *call, const rl_tally *tally, const rl_tick *tick)
{
	unsigned backed_off = 0;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		backed_off += is_backed_off(&call->members[i]);
	}
	if (backed_off == 0) {
		return false;
	}
	unsigned quorum = rl_quorum(tally->members);
	unsigned open = tally->members - tally->granted - tally->refused - tally->failed;
	unsigned asked = open - backed_off;
	bool can_decide = granted_alike(call, tally) + asked >= quorum ||
		tally->refused + asked > tally->members - quorum;
	if (can_decide && tick->now < call->terms.call_up_at) {
		return false;
	}
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		rl_errand_call_up(&call->members[i]);
	}
	return true;
}

/* ---- which answers are waited for ---- */

/* The command should reach every member, and this one was dialled just now: it may still connect
 * and accept the command. */
static bool is_expected(const rl_quorum_call *call, const rl_errand *member, const rl_tick *tick)
{
	const rl_channel *channel = &member->channel;
	bool is_late = channel->is_fresh && member->vain == 0 && !rl_channel_is_handed_over(channel);
	return is_late && rl_verb_changes(call->terms.request.verb) && tick->now < call->extra_end;
}

/* The first member in order that is not backed off. */
static unsigned first_in_order(const rl_quorum_call *call)
{
	unsigned at = 0;
	while (at + 1 < call->terms.set->count && is_backed_off(&call->members[call->order[at]])) {
		at++;
	}
	return call->order[at];
}

/* The member is waited for although the outcome is known. */
static bool is_wanted(const rl_quorum_call *call, const rl_errand *member, const rl_tick *tick)
{
	rl_verb verb = call->terms.request.verb;
	if (member->state == RL_ERRAND_DONE || is_backed_off(member)) {
		return false;
	}
	/* A failure message lists every member, and a refused EXTEND is undone where it succeeded: both
	 * need all answers. */
	bool is_needed = rl_verb_changes(verb) &&
		(call->outcome == RL_VOTE_FAILED ||
			(call->outcome == RL_VOTE_REFUSED && verb == RL_VERB_EXTEND));
	/* All waiters should queue at the same member. */
	bool is_first = verb == RL_VERB_PROBE &&
		rl_quorum_call_index(call, member) == first_in_order(call) &&
		tick->now < call->extra_end + FIRST_NS;
	bool is_in_time = call->wanted == RL_WANTED_SOON && tick->now < call->extra_end;
	return is_needed || is_first || call->wanted == RL_WANTED_ALL || is_in_time ||
		is_expected(call, member, tick);
}

/* ---- stepping ---- */

/* The extra time is as long again as the outcome took. */
static void begin_extra_time(rl_quorum_call *call, const rl_tick *tick)
{
	int64_t extra = tick->now - call->terms.begun_at;
	extra = extra > EXTRA_NS ? extra : EXTRA_NS;
	call->extra_end = tick->now + extra;
}

static void wait_for_extra_time(const rl_quorum_call *call, const rl_tick *tick, rl_wait *wait)
{
	int64_t first_end = call->extra_end + FIRST_NS;
	rl_wait_until(wait, call->extra_end > tick->now ? call->extra_end : RL_NEVER);
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
		begin_extra_time(call, tick);
	}
	bool goes_on = is_open;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		if (is_open || is_wanted(call, &call->members[i], tick)) {
			goes_on = true;
			rl_errand_add_to_wait(&call->members[i], wait);
		}
	}
	if (goes_on && !is_open) {
		wait_for_extra_time(call, tick, wait);
	}
	return goes_on ? RL_VOTE_OPEN : call->outcome;
}

/* ---- what the answers mean together ---- */

unsigned rl_quorum_call_count(const rl_quorum_call *call, rl_vote vote)
{
	unsigned count = 0;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		count += call->members[i].vote == vote;
	}
	return count;
}

const rl_errand *rl_quorum_call_speaker(const rl_quorum_call *call, rl_vote outcome)
{
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		if (call->members[i].vote == outcome) {
			return &call->members[i];
		}
	}
	return &call->members[0];
}

int64_t rl_quorum_call_sent_at(const rl_quorum_call *call)
{
	int64_t earliest = RL_NEVER;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		if (call->members[i].vote == RL_VOTE_GRANTED) {
			earliest = rl_time_earlier(earliest, call->members[i].channel.sent_at);
		}
	}
	return earliest;
}

bool rl_quorum_call_has_swapped(const rl_quorum_call *call)
{
	unsigned count = 0;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		const rl_errand *member = &call->members[i];
		count += member->vote == RL_VOTE_GRANTED && member->answer.number == RL_SWAPPED_NOW;
	}
	return count >= rl_quorum(call->terms.set->count);
}

static bool is_unasked(const rl_errand *member)
{
	switch (member->state) {
		case RL_ERRAND_START:
		case RL_ERRAND_LOGIN:
		case RL_ERRAND_PAUSED:
		case RL_ERRAND_NAMING:
		case RL_ERRAND_LOOKUP:
			return true;
		case RL_ERRAND_ANSWER:
			return !rl_channel_is_handed_over(&member->channel);
		case RL_ERRAND_BACKED_OFF:
		case RL_ERRAND_REFUSED:
		case RL_ERRAND_UNDOING:
		case RL_ERRAND_CHECKING:
		case RL_ERRAND_DONE:
			break;
	}
	return false;
}

unsigned rl_quorum_call_unasked(const rl_quorum_call *call)
{
	unsigned members = 0;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		members |= (unsigned) is_unasked(&call->members[i]) << i;
	}
	return members;
}

/* A majority of the Sentinels does not know the service. */
static bool knows_no_primary(const rl_errand *member)
{
	return member->node == NULL && member->lookup != NULL &&
		member->lookup->vote == RL_VOTE_REFUSED;
}

bool rl_quorum_call_may_pass(const rl_quorum_call *call)
{
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		const rl_errand *member = &call->members[i];
		if (member->vote != RL_VOTE_FAILED) {
			continue;
		}
		if (knows_no_primary(member)) {
			return false;
		}
		switch (member->err->status) {
			case RL_ERR_NAME:
			case RL_ERR_CONNECT:
			case RL_ERR_TIMEOUT:
			case RL_ERR_CLOSED:
				break;
			case RL_ERR_SERVER:
			case RL_ERR_UNCONFIRMED:
				if (!rl_error_passes(member->err)) {
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

int64_t rl_quorum_call_remaining(const rl_quorum_call *call)
{
	/* Of the members with the longest TTLs that are a quorum, the shortest TTL counts. */
	unsigned quorum = rl_quorum(call->terms.set->count);
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		const rl_errand *member = &call->members[i];
		uint64_t left = (uint64_t) member->answer.number; /* -1, no end, is longest */
		unsigned longer = 0;
		unsigned alike = 0;
		for (unsigned j = 0; j < call->terms.set->count; j++) {
			const rl_errand *other = &call->members[j];
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

int64_t rl_quorum_call_greatest(const rl_quorum_call *call, unsigned *holders)
{
	int64_t greatest = 0;
	*holders = 0;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		const rl_errand *member = &call->members[i];
		if (member->vote != RL_VOTE_GRANTED || member->answer.number < greatest) {
			continue;
		}
		*holders = member->answer.number > greatest ? 1 : *holders + 1;
		greatest = member->answer.number;
	}
	return greatest;
}

/* The member with the most waiters; NULL = no member has any. */
static const rl_errand *longest_queue(const rl_quorum_call *call)
{
	const rl_errand *longest = NULL;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		const rl_errand *member = &call->members[i];
		int64_t most = longest != NULL ? longest->answer.crowd : 0;
		bool has_more = member->vote == RL_VOTE_GRANTED && member->answer.crowd > most;
		longest = has_more ? member : longest;
	}
	return longest;
}

static void copy_waiters(rl_lock_state *state, const rl_errand *member)
{
	state->waiters = member->answer.crowd;
	state->waiting = member->labels_len > 0 ? malloc(member->labels_len) : NULL;
	if (state->waiting != NULL) {
		memcpy(state->waiting, member->text + member->text_len, member->labels_len);
		state->waiting_len = member->labels_len;
	}
}

rl_lock_state rl_quorum_call_state(const rl_quorum_call *call)
{
	const rl_errand *owner = rl_quorum_call_owner(call);
	rl_lock_state state = {
		.holder = rl_quorum_call_has_owner(call) ? owner->answer.holder : RL_HOLDER_NOBODY,
		.left_ms = rl_quorum_call_remaining(call)};
	const rl_errand *queue = longest_queue(call);
	if (queue != NULL) {
		copy_waiters(&state, queue);
	}
	rl_bytes token = rl_bytes_of(owner->text, owner->text_len);
	if (state.holder == RL_HOLDER_KIN) {
		rl_bytes label = rl_token_label(token);
		state.since = rl_token_date(token);
		if (label.data != NULL) {
			rl_label_set(&state.label, label);
		}
	}
	return state;
}

rl_vote rl_quorum_call_tally(const rl_quorum_call *call)
{
	rl_tally tally = {0};
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		rl_tally_add(&tally, vote_in(call, &call->members[i]));
	}
	return rl_tally_outcome(&tally);
}

bool rl_quorum_call_has_released(const rl_quorum_call *call)
{
	return call->terms.was_held && call->terms.request.verb == RL_VERB_RELEASE &&
		rl_quorum_call_count(call, RL_VOTE_GRANTED) > 0;
}

rl_loss rl_quorum_call_loss(const rl_quorum_call *call, rl_bytes token)
{
	unsigned absent = 0;
	unsigned taken_over = 0;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		const rl_errand *member = &call->members[i];
		bool is_named =
			call->terms.request.verb == RL_VERB_OWNER && member->vote == RL_VOTE_GRANTED;
		bool is_refused = member->vote == RL_VOTE_REFUSED;
		bool is_others = is_named
			? !rl_bytes_equal(rl_bytes_of(member->text, member->text_len), token)
			: rl_answer_is_taken_over(&member->answer);
		taken_over += is_others;
		absent += is_refused && !is_others;
	}
	return rl_loss_of_refusals(absent, taken_over);
}

static bool is_overruled(const rl_errand *member, const rl_renewal_member *renewed)
{
	return member->vote == RL_VOTE_REFUSED && renewed->vote == RL_VOTE_GRANTED &&
		renewed->sent_at > member->heard_at;
}

bool rl_quorum_call_is_overruled(const rl_quorum_call *call, const rl_renewal *renewal)
{
	if (renewal == NULL || rl_renewal_is_lost(renewal)) {
		return false;
	}
	rl_tally tally = {0};
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		const rl_errand *member = &call->members[i];
		bool counts = !is_overruled(member, &renewal->members[i]);
		rl_tally_add(&tally, counts ? member->vote : RL_VOTE_FAILED);
	}
	return rl_tally_outcome(&tally) != RL_VOTE_REFUSED;
}

/* ---- settling ---- */

/* A member does not allow the helper keys of this lock, or of any. */
static bool is_without_helpers(const rl_quorum_call *call)
{
	bool is_without = !call->terms.set->wakes;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		is_without = is_without || call->members[i].sent.no_helpers;
	}
	return is_without;
}

/* If a release is unanswered, and another member does not allow the helper keys, this member may
 * refuse them, too: a second release without them follows. Not for a caller's token, because it
 * could free the lock of another holder with the same token. */
static void back_up_release(const rl_quorum_call *call, const rl_errand *member)
{
	const rl_errand_terms *terms = member->terms;
	rl_conn *conn = member->channel.conn;
	bool is_unheard =
		conn != NULL && terms->request.verb == RL_VERB_RELEASE && rl_errand_is_unanswered(member);
	if (!is_unheard || member->sent.no_helpers || !is_without_helpers(call) ||
		!rl_token_is_drawn(terms->request.token)) {
		return;
	}
	rl_request request = member->sent;
	request.no_helpers = true;
	request.form = RL_FORM_TEXT;
	if (rl_conn_send_blind(conn, &request)) {
		conn->transport->flush(conn->link);
	}
}

rl_settlement rl_quorum_call_settle(rl_quorum_call *call, rl_undo undo, int64_t now)
{
	rl_settlement settlement = {0};
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		back_up_release(call, &call->members[i]);
		rl_settlement one = rl_errand_settle(&call->members[i], undo, now);
		settlement.was_undone = settlement.was_undone || one.was_undone;
		settlement.doubt = rl_doubt_add(settlement.doubt, one.doubt);
	}
	return settlement;
}

void rl_quorum_call_drop(rl_quorum_call *call)
{
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		rl_channel_close(&call->members[i].channel);
		rl_errand_finish(&call->members[i], call->members[i].vote);
	}
}

/* ---- after the end ---- */

unsigned rl_quorum_call_strays(const rl_quorum_call *call)
{
	unsigned members = 0;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		const rl_errand *member = &call->members[i];
		members |= (unsigned) (member->doubt != RL_DOUBT_NONE) << i;
	}
	return members;
}

bool rl_quorum_call_has_strays(const rl_quorum_call *call)
{
	return rl_quorum_call_strays(call) != 0;
}

unsigned rl_quorum_call_missing(const rl_quorum_call *call)
{
	unsigned members = 0;
	if (call->outcome == RL_VOTE_GRANTED || call->outcome == RL_VOTE_REFUSED) {
		return 0;
	}
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		const rl_errand *member = &call->members[i];
		/* After RL_ERR_UNKNOWN the member does not have the token any more. */
		bool is_done = member->vote == RL_VOTE_GRANTED || member->vote == RL_VOTE_REFUSED ||
			(member->vote == RL_VOTE_FAILED &&
				(rl_error_is_final(member->err) || member->err->status == RL_ERR_UNKNOWN));
		members |= (unsigned) !is_done << i;
	}
	return members;
}

void rl_quorum_call_note_failure(rl_quorum_call *call, unsigned index, const rl_error *err)
{
	call->members[index].vote = RL_VOTE_FAILED;
	*call->members[index].err = *err;
}

/* So that a grant can be undone after the call. */
static void take_again(rl_quorum_call *call, rl_errand *member, int64_t now)
{
	if (!rl_channel_is_open(&member->channel) && member->node != NULL) {
		rl_channel_take(&member->channel, call->terms.pool, member->node, RL_WANT_CHECKED, 0, now);
	}
}

void rl_quorum_call_undo_on(rl_quorum_call *call, unsigned members, int64_t now)
{
	call->terms.request.verb = RL_VERB_TRY;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		if ((members >> i & 1) != 0) {
			rl_errand *member = &call->members[i];
			rl_doubt doubt = member->doubt;
			member->doubt = RL_DOUBT_UNKNOWN;
			take_again(call, member, now);
			rl_errand_settle(member, RL_UNDO_ALL, now);
			member->doubt = doubt;
		}
	}
}

void rl_quorum_call_hold(rl_quorum_call *call, bool maybe_ours, int64_t now)
{
	/* A grant is what may have to be undone, whatever was sent last. */
	call->terms.request.verb = RL_VERB_TRY;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		rl_errand *member = &call->members[i];
		if (maybe_ours || member->doubt == RL_DOUBT_LEFT) {
			member->doubt = RL_DOUBT_UNKNOWN;
		}
		if (member->vote == RL_VOTE_GRANTED || member->doubt == RL_DOUBT_UNKNOWN) {
			take_again(call, member, now);
		}
	}
}
