/* SPDX-License-Identifier: MIT
 *
 * A quorum call, in the order of time. The design is in the header; a member call is in
 * rl_member_call.c.
 */
#include "core/lock/rl_quorum_call.h"

#include "core/base/rl_time.h"
#include "core/base/rl_token.h"
#include "core/lock/rl_member_call.h"

#include <string.h>

/* The least time of grace after the outcome is known; otherwise it is as long as the outcome took.
 * A member that was dialled just now has this time to accept a command that should reach every
 * member, and members have it to give the answers of RL_WANTED_SOON. */
#define GRACE_NS (25 * RL_NS_PER_MS)

/* How much longer a probe waits for the first member in order, where all waiters should queue. */
#define FIRST_NS (200 * RL_NS_PER_MS)

/* Backed-off members are asked after this share of the timeout, if the others have not decided. */
#define CALL_UP_SHARE 8

/* ---- the beginning ---- */

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
	call->call_up_at = now + longest / CALL_UP_SHARE;
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
		tick->now < call->grace_end + FIRST_NS;
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
	grace = grace > GRACE_NS ? grace : GRACE_NS;
	call->grace_end = tick->now + grace;
}

static void wait_for_grace(const rl_quorum_call *call, const rl_tick *tick, rl_wait *wait)
{
	int64_t first_end = call->grace_end + FIRST_NS;
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

/* ---- what the answers mean together ---- */

unsigned rl_quorum_call_count(const rl_quorum_call *call, rl_vote vote)
{
	unsigned count = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		count += call->members[i].vote == vote;
	}
	return count;
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

int64_t rl_quorum_call_sent_at(const rl_quorum_call *call)
{
	int64_t earliest = RL_NEVER;
	for (unsigned i = 0; i < call->set->count; i++) {
		if (call->members[i].vote == RL_VOTE_GRANTED) {
			earliest = rl_time_earlier(earliest, call->members[i].channel.sent_at);
		}
	}
	return earliest;
}

unsigned rl_quorum_call_spent(const rl_quorum_call *call)
{
	unsigned count = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		count += rl_member_call_is_spent(&call->members[i]);
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

static bool is_unasked(const rl_member_call *member)
{
	switch (member->state) {
		case RL_MEMBER_CALL_START:
		case RL_MEMBER_CALL_LOGIN:
		case RL_MEMBER_CALL_PAUSED:
		case RL_MEMBER_CALL_NAMING:
		case RL_MEMBER_CALL_LOOKUP:
			return true;
		case RL_MEMBER_CALL_ANSWER:
			return !rl_channel_is_handed_over(&member->channel);
		case RL_MEMBER_CALL_BACKED_OFF:
		case RL_MEMBER_CALL_REFUSED:
		case RL_MEMBER_CALL_UNDOING:
		case RL_MEMBER_CALL_TAKING_BACK:
		case RL_MEMBER_CALL_CHECKING:
		case RL_MEMBER_CALL_DONE:
			break;
	}
	return false;
}

unsigned rl_quorum_call_unasked(const rl_quorum_call *call)
{
	unsigned members = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		members |= (unsigned) is_unasked(&call->members[i]) << i;
	}
	return members;
}

/* A majority of the Sentinels does not know the service. */
static bool knows_no_primary(const rl_member_call *member)
{
	return member->node == NULL && member->lookup != NULL &&
		member->lookup->vote == RL_VOTE_REFUSED;
}

bool rl_quorum_call_may_pass(const rl_quorum_call *call)
{
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
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
	unsigned quorum = rl_quorum(call->set->count);
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		uint64_t left = (uint64_t) member->answer.number; /* -1, no end, is longest */
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

int64_t rl_quorum_call_greatest(const rl_quorum_call *call, unsigned *holders)
{
	int64_t greatest = 0;
	*holders = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		if (member->vote != RL_VOTE_GRANTED || member->answer.number < greatest) {
			continue;
		}
		*holders = member->answer.number > greatest ? 1 : *holders + 1;
		greatest = member->answer.number;
	}
	return greatest;
}

int64_t rl_quorum_call_waiters(const rl_quorum_call *call)
{
	int64_t most = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		bool has_more = member->vote == RL_VOTE_GRANTED && member->answer.crowd > most;
		most = has_more ? member->answer.crowd : most;
	}
	return most;
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
			: rl_answer_is_taken_over(&member->answer);
		taken_over += is_others;
		absent += is_refused && !is_others;
	}
	return rl_loss_of_refusals(absent, taken_over);
}

static bool is_overruled(const rl_member_call *member, const rl_renewal_member *renewed)
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
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		bool counts = !is_overruled(member, &renewal->members[i]);
		rl_tally_add(&tally, counts ? member->vote : RL_VOTE_FAILED);
	}
	return rl_tally_outcome(&tally) != RL_VOTE_REFUSED;
}

/* ---- undoing ---- */

/* True when the server's error shows that it would refuse an undo as well. */
static bool refuses_scripts(const rl_member_call *member)
{
	return member->vote == RL_VOTE_FAILED && member->err->status == RL_ERR_SERVER &&
		(rl_error_passes(member->err) || strcmp(member->err->code, "NOPERM") == 0 ||
			strcmp(member->err->code, "NOAUTH") == 0);
}

/* The member has carried out the command, whether or not its replicas have confirmed it. */
static bool was_granted(const rl_member_call *member)
{
	bool is_being_checked =
		member->state == RL_MEMBER_CALL_CHECKING && member->answer.vote == RL_VOTE_GRANTED;
	return member->vote == RL_VOTE_GRANTED || is_being_checked ||
		rl_member_call_is_unconfirmed(member);
}

/* A swap to a drawn token is undone if it was or may have been carried out. In a swap to the
 * caller's token that token is released only if this swap has set it, and the drawn token only if
 * the member has not answered. */
static bool may_undo_swap(const rl_member_call *member, int64_t now)
{
	if (!member->call->is_own_token) {
		return was_granted(member) || member->doubt != RL_DOUBT_NONE ||
			rl_member_call_is_unanswered(member);
	}
	return member->vote != RL_VOTE_REFUSED &&
		(!was_granted(member) ||
			(member->answer.number == RL_SWAPPED_NOW && rl_member_call_may_take_back(member, now)));
}

/* True when the member has or may have the token, and an undo is allowed. */
static bool may_undo(const rl_member_call *member, rl_undo undo, int64_t now)
{
	const rl_quorum_call *call = member->call;
	rl_verb verb = call->request.verb;
	bool is_undone = member->state == RL_MEMBER_CALL_UNDOING ||
		member->state == RL_MEMBER_CALL_TAKING_BACK || member->is_taken_back;
	/* If the server would refuse the undo, the next try finds out whether the key is ours. */
	if (undo == RL_UNDO_NOTHING || is_undone ||
		(undo == RL_UNDO_BUT_REFUSALS && refuses_scripts(member))) {
		return false;
	}
	if (verb == RL_VERB_SWAP) {
		return may_undo_swap(member, now);
	}
	if (!rl_verb_takes(verb)) {
		return verb == RL_VERB_EXTEND && member->vote == RL_VOTE_GRANTED;
	}
	if (was_granted(member)) {
		return rl_member_call_may_take_back(member, now);
	}
	return !call->is_own_token &&
		(member->doubt == RL_DOUBT_UNKNOWN || rl_member_call_is_unanswered(member));
}

/* False = nothing was written. */
static bool write_undo(const rl_member_call *member)
{
	const rl_quorum_call *call = member->call;
	rl_request request = call->request;
	request.is_asking = member->sent.is_asking;
	bool is_swap = request.verb == RL_VERB_SWAP;
	if (is_swap && was_granted(member) && call->is_own_token) {
		request.token = request.fresh;
	}
	rl_conn *conn = member->channel.conn;
	bool is_written = conn != NULL &&
		(is_swap && !call->is_own_token ? rl_conn_swap_back(conn, &request)
										: rl_conn_undo(conn, &request));
	if (conn != NULL && call->is_own_token) {
		conn->own_undo_left = conn->undo_left;
	}
	rl_stats_add(&rl_env_stats(call->env)->grants_undone, is_written);
	return is_written;
}

/* The next event that concerns the command. */
static void next_event(rl_channel *channel, rl_conn_event *event)
{
	do {
		rl_channel_next(channel, event);
	} while (event->type == RL_CONN_READY || event->type == RL_CONN_REFUSED);
}

/* Reads an answer that has arrived: a caller's own token is undone only after its grant. A grant
 * for which the replicas' answer is missing counts as unconfirmed. */
static void hear_last_word(rl_member_call *member)
{
	rl_channel *channel = &member->channel;
	rl_conn_event event;
	if (!rl_channel_is_open(channel) ||
		(member->state != RL_MEMBER_CALL_ANSWER && member->state != RL_MEMBER_CALL_REFUSED)) {
		return;
	}
	channel->conn->transport->take_in(channel->conn->link);
	next_event(channel, &event);
	if (event.type == RL_CONN_NONE && rl_conn_is_confirming(channel->conn)) {
		rl_conn_give_up_replicas(channel->conn);
		next_event(channel, &event);
	}
	if (event.type == RL_CONN_REPLY) {
		rl_answer answer;
		rl_error err;
		rl_answer_read(&member->sent, &event.reply, &answer, &err, NULL, 0);
		bool is_unconfirmed = answer.vote == RL_VOTE_FAILED && err.status == RL_ERR_UNCONFIRMED;
		if (is_unconfirmed) {
			*member->err = err;
		}
		if (is_unconfirmed || answer.vote != RL_VOTE_FAILED) {
			member->answer.number = answer.number;
			rl_member_call_finish(member, answer.vote);
		}
	}
}

/* ---- giving back ---- */

/* A member does not allow the helper keys of this lock, or of any. */
static bool is_without_helpers(const rl_quorum_call *call)
{
	bool is_without = !call->set->wakes;
	for (unsigned i = 0; i < call->set->count; i++) {
		is_without = is_without || call->members[i].sent.no_helpers;
	}
	return is_without;
}

/* If a release is unanswered, and another member does not allow the helper keys, this member may
 * refuse them, too: a second release without them follows. Not for a caller's token, because it
 * could free the lock of another holder with the same token. */
static void back_up_release(const rl_member_call *member)
{
	const rl_quorum_call *call = member->call;
	rl_conn *conn = member->channel.conn;
	bool is_unheard = conn != NULL && call->request.verb == RL_VERB_RELEASE &&
		rl_member_call_is_unanswered(member);
	if (!is_unheard || member->sent.no_helpers || !is_without_helpers(call) ||
		!rl_token_is_drawn(call->request.token)) {
		return;
	}
	rl_request request = member->sent;
	request.no_helpers = true;
	request.form = RL_FORM_TEXT;
	if (rl_conn_send_blind(conn, &request)) {
		conn->transport->flush(conn->link);
	}
}

static void give_back(rl_member_call *member, bool was_undone, int64_t now)
{
	const rl_quorum_call *call = member->call;
	rl_channel *channel = &member->channel;
	int64_t patience = rl_member_call_patience(member);
	if (!rl_channel_is_open(channel)) {
		return;
	}
	rl_giving giving = {.is_trusted = !member->must_close,
		.patience = patience,
		/* A late release of a drawn token is harmless: no other client has this token. */
		.may_send_later = call->request.verb == RL_VERB_RELEASE &&
			rl_token_is_drawn(call->request.token) && !rl_channel_is_connected(channel),
		.must_arrive = (was_undone || patience > 0) && member->err->status != RL_ERR_PROTOCOL};
	rl_channel_give_back(channel, call->pool, giving, now);
}

/* ---- settling ---- */

/* True when the member may have the token, and no undo makes sure that it loses it. */
static bool is_doubtful(const rl_member_call *member, rl_undo undo, bool was_undone)
{
	bool is_own = member->call->is_own_token;
	/* A caller's token is undone only after the answer that granted it. */
	if (was_undone && !refuses_scripts(member) && (was_granted(member) || !is_own)) {
		return false;
	}
	return member->doubt == RL_DOUBT_UNKNOWN || rl_member_call_is_unanswered(member) ||
		(undo != RL_UNDO_NOTHING && was_granted(member) && !member->is_taken_back);
}

static void settle(rl_member_call *member, rl_undo undo, rl_settlement *settlement, int64_t now)
{
	rl_quorum_call *call = member->call;
	if (member->state == RL_MEMBER_CALL_CHECKING) { /* what the Sentinels say matters no more */
		rl_member_call_finish(member, member->answer.vote);
	}
	if (undo != RL_UNDO_NOTHING && call->is_own_token) {
		hear_last_word(member);
	}
	bool was_undone = may_undo(member, undo, now) && write_undo(member);
	bool is_in_doubt = is_doubtful(member, undo, was_undone);
	if (was_undone && !refuses_scripts(member)) {
		settlement->was_undone = true;
		settlement->doubt =
			rl_doubt_add(settlement->doubt, was_granted(member) ? RL_DOUBT_NONE : RL_DOUBT_GUARDED);
	}
	settlement->doubt =
		rl_doubt_add(settlement->doubt, is_in_doubt ? RL_DOUBT_UNKNOWN : RL_DOUBT_NONE);
	if (call->is_own_token && rl_verb_takes(call->request.verb) && is_in_doubt) {
		call->spent |= 1U << rl_member_call_index(member);
	}
	if (rl_member_call_is_unanswered(member) && !was_undone && member->doubt < RL_DOUBT_LEFT) {
		member->doubt = RL_DOUBT_LEFT;
	}
	back_up_release(member);
	rl_member_call_finish(member, member->vote);
	give_back(member, was_undone, now);
}

rl_settlement rl_quorum_call_settle(rl_quorum_call *call, rl_undo undo, int64_t now)
{
	rl_settlement settlement = {0};
	for (unsigned i = 0; i < call->set->count; i++) {
		settle(&call->members[i], undo, &settlement, now);
	}
	return settlement;
}

void rl_quorum_call_drop(rl_quorum_call *call)
{
	for (unsigned i = 0; i < call->set->count; i++) {
		rl_channel_close(&call->members[i].channel);
		rl_member_call_finish(&call->members[i], call->members[i].vote);
	}
}

/* ---- after the end ---- */

unsigned rl_quorum_call_strays(const rl_quorum_call *call)
{
	unsigned members = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
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
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
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

void rl_quorum_call_hold(rl_quorum_call *call, bool maybe_ours, int64_t now)
{
	/* A grant is what may have to be undone, whatever was sent last. */
	call->request.verb = RL_VERB_TRY;
	for (unsigned i = 0; i < call->set->count; i++) {
		rl_member_call *member = &call->members[i];
		if (maybe_ours || member->doubt == RL_DOUBT_LEFT) {
			member->doubt = RL_DOUBT_UNKNOWN;
		}
		if (!rl_channel_is_open(&member->channel) && member->node != NULL &&
			(member->vote == RL_VOTE_GRANTED || member->doubt == RL_DOUBT_UNKNOWN)) {
			rl_channel_take(&member->channel, call->pool, member->node, RL_WANT_CHECKED, 0, now);
		}
	}
}
