/* SPDX-License-Identifier: MIT
 *
 * What the answers to a member call mean.
 */
#include "core/lock/rl_member_call.h"

#include "core/wire/rl_redirect.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that no message may show. */
typedef struct call_secrets {
	rl_bytes list[2];
} call_secrets;

static call_secrets secrets_of(const rl_member_call *member)
{
	const rl_secret *password = &member->node->password;
	return (call_secrets){
		{member->call->request.token, rl_bytes_of(password->data, password->len)}};
}

/* ---- facts about the connection ---- */

/* Counts the round trip. Keeps the shortest one of the connection, because a longer one may include
 * a stall. */
static void note_round_trip(const rl_member_call *member, const rl_tick *tick)
{
	int64_t round_trip = tick->now - member->channel.sent_at;
	rl_conn *conn = member->channel.conn;
	if (member->vain > 0) {
		return; /* the command was sent before, too */
	}
	rl_histogram_add(&rl_env_stats(member->call->env)->round_trip, round_trip);
	if (conn->round_trip == 0 || round_trip < conn->round_trip) {
		conn->round_trip = round_trip;
	}
}

/* Notes that the server knows the script now. */
static void note_script(const rl_member_call *member)
{
	const rl_request *sent = &member->sent;
	bool is_unheard = rl_member_call_may_stay_unheard(member, sent->verb);
	if (sent->form == RL_FORM_TEXT && !is_unheard && rl_verb_is_script(sent->verb)) {
		rl_conn_note_script(member->channel.conn, sent->verb);
		rl_stats_add(&rl_env_stats(member->call->env)->scripts_loaded, 1);
	}
}

/* Counts that the helper keys of this lock, or of any, cannot be used. */
static void note_no_helpers(const rl_member_call *member, const rl_answer *answer)
{
	rl_quorum_call *call = member->call;
	bool is_freeing = rl_verb_changes(call->request.verb); /* a wait has its own count */
	bool is_counted =
		answer->again == RL_AGAIN_NEVER_HELPERS ? rl_set_stop_waking(call->set) : is_freeing;
	rl_stats_add(&rl_env_stats(call->env)->wake_failures, is_counted);
}

/* ---- reactions ---- */

static void send_again(
	rl_member_call *member, const rl_answer *answer, const rl_error *err, const rl_tick *tick)
{
	switch (answer->again) {
		case RL_AGAIN_NOT:
			break;
		case RL_AGAIN_LATER:
			*member->err = *err;
			rl_member_call_await_keys(member, tick);
			return;
		case RL_AGAIN_NO_HELPERS:
		case RL_AGAIN_NEVER_HELPERS:
			member->sent.no_helpers = true;
			note_no_helpers(member, answer);
			break;
		case RL_AGAIN_BY_TYPE:
			member->sent.form = RL_FORM_TYPE;
			break;
		case RL_AGAIN_AS_TEXT:
			member->sent.form = RL_FORM_TEXT;
			rl_conn_lose_scripts(member->channel.conn);
			break;
	}
	rl_member_call_send(member, tick);
}

/* The server is a replica, so its connection is not used again. True = the member call goes on with
 * another connection. */
static bool leave_wrong_server(rl_member_call *member, const rl_tick *tick)
{
	const rl_quorum_call *call = member->call;
	rl_route *route = rl_member_call_server(member)->route;
	const rl_address *address = &member->channel.conn->target->address;
	bool may_lead_elsewhere = rl_pool_distrust(call->pool, address, tick->now);
	if (route != NULL) {
		rl_route_suspect(route, member->node);
		route->named_at = 0;
		may_lead_elsewhere = rl_member_call_may_hop(member) || may_lead_elsewhere;
	}
	bool is_worth_it = !member->channel.is_fresh || may_lead_elsewhere;
	if (route != NULL && route->kind == RL_ROUTE_SENTINEL) {
		rl_channel_close(&member->channel);
		return rl_member_call_look_up_again(member, tick->now);
	}
	if (member->hops > 0 || !is_worth_it) {
		member->must_close = true;
		return false;
	}
	rl_channel_close(&member->channel);
	member->hops++;
	member->resume_at = tick->now + 1; /* the driver resolves names first */
	member->state = RL_MEMBER_CALL_NAMING;
	rl_stats_add(&rl_env_stats(call->env)->reconnects, 1);
	return true;
}

/* The login failed, but the command that was sent with it was carried out: it is undone before the
 * failure is reported. */
static void undo_after_refused_login(rl_member_call *member, const rl_tick *tick)
{
	const rl_quorum_call *call = member->call;
	rl_request undo = rl_request_undo(&call->request);
	undo.is_asking = member->sent.is_asking;
	bool is_sent = rl_channel_send(&member->channel, &undo, (unsigned) RL_VERB_RELEASE);
	member->state = RL_MEMBER_CALL_UNDOING;
	if (!is_sent) {
		member->doubt = RL_DOUBT_UNKNOWN;
		rl_member_call_fail(member);
		return;
	}
	rl_stats_add(&rl_env_stats(call->env)->grants_undone, 1);
	rl_member_call_flush(member, tick);
}

void rl_member_call_on_login_refused(
	rl_member_call *member, const rl_reply *reply, const rl_tick *tick)
{
	call_secrets secrets = secrets_of(member);
	rl_error_from_server(member->err, reply->text, secrets.list, 2);
	if (rl_redirect_read(reply->text).kind != RL_REDIRECT_NONE) {
		rl_error_append(member->err,
			" (to AUTH, SELECT or ROLE, which no node of a cluster redirects: is this a proxy?)");
	}
	if (member->state == RL_MEMBER_CALL_LOGIN) {
		if (!rl_error_is_wrong_server(member->err) || !leave_wrong_server(member, tick)) {
			rl_member_call_fail(member);
		}
	} else if (member->state == RL_MEMBER_CALL_ANSWER) {
		member->state = RL_MEMBER_CALL_REFUSED;
	}
}

/* ---- the vote ---- */

/* After a lost answer, a refusal may be the effect of our own earlier command, or of another
 * client. True = that cannot be known; err is set. */
static bool is_unknown(const rl_member_call *member, const rl_answer *answer)
{
	if (member->doubt != RL_DOUBT_UNKNOWN || answer->vote != RL_VOTE_REFUSED) {
		return false;
	}
	rl_verb verb = member->call->request.verb;
	bool holds_own =
		rl_verb_takes(verb) && member->call->is_own_token && answer->holder == RL_HOLDER_SELF;
	if (holds_own) {
		rl_error_set(member->err, RL_ERR_UNKNOWN, 0,
			"the connection broke before the answer, and the key now has your token; "
			"outcome unknown: either this call took the lock, or another caller with the same "
			"token holds it; it ends by its TTL");
	} else if (verb == RL_VERB_RELEASE) {
		rl_error_set(member->err, RL_ERR_UNKNOWN, 0,
			"no longer held, outcome unknown: the connection broke before the answer, so either "
			"this call released the lock, or it was lost before");
	}
	return holds_own || verb == RL_VERB_RELEASE;
}

static rl_vote vote_of(const rl_member_call *member, const rl_answer *answer)
{
	const rl_quorum_call *call = member->call;
	bool is_in_doubt = member->doubt == RL_DOUBT_UNKNOWN;
	if (is_in_doubt && call->was_held && call->request.verb == RL_VERB_RELEASE &&
		answer->vote == RL_VOTE_REFUSED) {
		return RL_VOTE_GRANTED; /* the first copy has freed it */
	}
	if (member->sent.verb == RL_VERB_SWAP && call->is_own_token && !is_in_doubt &&
		answer->number == RL_SWAPPED_BEFORE) {
		return RL_VOTE_REFUSED; /* another client has set this token */
	}
	return answer->vote;
}

static bool keep_text(rl_member_call *member, rl_bytes text)
{
	free(member->text); /* of a node that the call has left */
	member->text = NULL;
	member->text_len = 0;
	if (text.len == 0) {
		return true;
	}
	member->text = malloc(text.len);
	if (member->text == NULL) {
		return false;
	}
	memcpy(member->text, text.data, text.len);
	member->text_len = text.len;
	return true;
}

static void vote(rl_member_call *member, const rl_answer *answer, const rl_tick *tick)
{
	member->doubt = member->doubt == RL_DOUBT_UNKNOWN ? RL_DOUBT_STRAY : member->doubt;
	member->heard_at = tick->now;
	member->answer = *answer;
	if (!keep_text(member, answer->text)) {
		rl_error_set(member->err, RL_ERR_MEMORY, 0, "out of memory");
		rl_member_call_fail(member);
	} else if (rl_member_call_sentinels(member) != NULL &&
		rl_member_call_must_check(member, tick->now)) {
		member->state = RL_MEMBER_CALL_CHECKING;
	} else {
		rl_member_call_finish(member, answer->vote);
	}
}

static void on_error(rl_member_call *member, const rl_answer *answer, const rl_error *err)
{
	*member->err = *err;
	member->answer.number = answer->number;
	if (err->status == RL_ERR_PROTOCOL) {
		member->doubt = RL_DOUBT_UNKNOWN; /* the answer makes no sense */
		member->must_close = true;
	}
	if (err->status == RL_ERR_UNCONFIRMED) {
		rl_stats_add(&rl_env_stats(member->call->env)->unconfirmed, 1);
		if (member->call->request.verb != RL_VERB_EXTEND) {
			member->doubt = RL_DOUBT_UNKNOWN; /* the member has the token, which must not stay */
		}
	}
	rl_member_call_fail(member);
}

static void on_answer(
	rl_member_call *member, rl_answer *answer, const rl_error *err, const rl_tick *tick)
{
	note_round_trip(member, tick);
	bool is_untold = rl_answer_is_untold(answer, member->sent.verb);
	rl_stats_add(&rl_env_stats(member->call->env)->wake_failures, is_untold);
	note_script(member);
	answer->vote = vote_of(member, answer);
	if (is_unknown(member, answer)) {
		rl_member_call_fail(member);
	} else if (answer->vote == RL_VOTE_FAILED) {
		on_error(member, answer, err);
	} else {
		vote(member, answer, tick);
	}
}

/* The answer to the command after a login that failed. */
static void on_answer_refused(
	rl_member_call *member, const rl_answer *answer, const rl_error *err, const rl_tick *tick)
{
	bool is_granted = answer->vote == RL_VOTE_GRANTED ||
		(answer->vote == RL_VOTE_FAILED && err->status == RL_ERR_UNCONFIRMED);
	if (rl_verb_takes(member->sent.verb) && is_granted &&
		rl_member_call_may_take_back(member, tick->now)) {
		undo_after_refused_login(member, tick);
	} else if (!rl_error_is_wrong_server(member->err) || !leave_wrong_server(member, tick)) {
		rl_member_call_fail(member);
	}
}

/* The answer to the release of the caller's token. */
static void on_taken_back(rl_member_call *member, rl_conn_event *event)
{
	call_secrets secrets = secrets_of(member);
	rl_request request = {.verb = RL_VERB_RELEASE, .form = RL_FORM_TEXT};
	rl_answer answer;
	rl_answer_read(&request, &event->reply, &answer, &event->err, secrets.list, 2);
	if (answer.vote == RL_VOTE_FAILED) {
		*member->err = event->err;
		member->doubt = RL_DOUBT_UNKNOWN;
		rl_member_call_fail(member);
		return;
	}
	member->is_taken_back = true;
	rl_member_call_finish(member, RL_VOTE_GRANTED);
}

void rl_member_call_on_reply(rl_member_call *member, rl_conn_event *event, const rl_tick *tick)
{
	if (member->state == RL_MEMBER_CALL_UNDOING) {
		rl_member_call_fail(member); /* err has the reason since before the undo */
		return;
	}
	if (member->state == RL_MEMBER_CALL_TAKING_BACK) {
		on_taken_back(member, event);
		return;
	}
	call_secrets secrets = secrets_of(member);
	rl_answer answer;
	rl_answer_read(&member->sent, &event->reply, &answer, &event->err, secrets.list, 2);
	if (member->state == RL_MEMBER_CALL_REFUSED) {
		on_answer_refused(member, &answer, &event->err, tick);
		return;
	}
	if (answer.again != RL_AGAIN_NOT) {
		send_again(member, &answer, &event->err, tick);
		return;
	}
	if (answer.vote == RL_VOTE_FAILED && rl_member_call_follow(member, &event->reply, tick)) {
		return;
	}
	if (answer.vote == RL_VOTE_FAILED && rl_error_is_wrong_server(&event->err)) {
		*member->err = event->err;
		if (leave_wrong_server(member, tick)) {
			return;
		}
	}
	on_answer(member, &answer, &event->err, tick);
}
