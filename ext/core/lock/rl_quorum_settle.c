/* SPDX-License-Identifier: MIT
 *
 * The end of a quorum call: undos are written, and the connections are given back.
 */
#include "core/base/rl_token.h"
#include "core/lock/rl_member_call.h"
#include "core/lock/rl_quorum_call.h"

#include <string.h>

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

/* ---- undoing ---- */

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
