/* SPDX-License-Identifier: MIT
 *
 * The exchange over all members: stepping the seats, counting their votes, settling. Its design is in the
 * header, a seat's life in rl_seat.c.
 */
#include "core/rl_exchange.h"

#include "core/rl_order.h"
#include "core/rl_seat.h"
#include "core/rl_time.h"
#include "core/rl_token.h"

#include <string.h>

static bool is_several(const rl_exchange *exchange)
{
	return exchange->set->count > 1;
}

void rl_exchange_begin(rl_exchange *exchange, int64_t now, int64_t latest)
{
	int64_t longest = 0;
	for (unsigned i = 0; i < exchange->set->count; i++) {
		rl_seat_begin(exchange, i, now, latest);
		longest = exchange->seats[i].timeout > longest ? exchange->seats[i].timeout : longest;
	}
	if (is_several(exchange) && !exchange->has_order) {
		rl_order(exchange->set, exchange->request.key, exchange->order);
		exchange->has_order = true;
	}
	exchange->wants_all = false;
	exchange->hopes_for_all = false;
	exchange->outcome = RL_VOTE_OPEN;
	exchange->begun_at = now;
	exchange->call_up_at = now + longest / RL_EXCHANGE_CALL_UP_SHARE;
	exchange->grace_end = 0;
}

void rl_exchange_adopt(rl_exchange *exchange, unsigned member, rl_conn *conn, int64_t sent_at)
{
	rl_seat *seat = &exchange->seats[member];
	seat->conn = conn;
	seat->sent_at = sent_at;
	rl_seat_finish(seat, RL_VOTE_GRANTED);
}

/* ---- deciding ---- */

static bool same_text(const rl_seat *a, const rl_seat *b)
{
	return rl_bytes_equal(rl_bytes_of(a->text, a->text_len), rl_bytes_of(b->text, b->text_len));
}

/* How many members name the same owner as this one. */
static unsigned count_alike(const rl_exchange *exchange, const rl_seat *seat)
{
	unsigned count = 0;
	for (unsigned i = 0; seat->vote == RL_VOTE_GRANTED && i < exchange->set->count; i++) {
		const rl_seat *other = &exchange->seats[i];
		count += other->vote == RL_VOTE_GRANTED && same_text(other, seat);
	}
	return count;
}

const rl_seat *rl_exchange_owner(const rl_exchange *exchange)
{
	const rl_seat *best = &exchange->seats[0];
	for (unsigned i = 1; i < exchange->set->count; i++) {
		const rl_seat *seat = &exchange->seats[i];
		best = count_alike(exchange, seat) > count_alike(exchange, best) ? seat : best;
	}
	return best;
}

/* Members that have an owner have not necessarily the same. */
static rl_vote owner_outcome(const rl_exchange *exchange, const rl_tally *tally)
{
	unsigned quorum = rl_quorum(tally->members);
	unsigned best = count_alike(exchange, rl_exchange_owner(exchange));
	unsigned open = tally->members - tally->granted - tally->refused - tally->failed;
	if (best >= quorum) {
		return RL_VOTE_GRANTED;
	}
	if (best + open + tally->failed < quorum) {
		return RL_VOTE_REFUSED;
	}
	return best + open < quorum ? RL_VOTE_FAILED : RL_VOTE_OPEN;
}

static rl_vote step_seats(rl_exchange *exchange, const rl_tick *tick)
{
	rl_tally tally = {0};
	unsigned count = exchange->set->count;
	/* Taken in the members' order, and released with the first of them last: see rl_order.h. */
	rl_verb verb = exchange->request.verb;
	unsigned first = rl_verb_changes(verb) && verb != RL_VERB_SWAP ? 1 : 0;
	for (unsigned i = 0; i < count; i++) {
		unsigned member = count == 1 ? 0 : exchange->order[(first + i) % count];
		if (!exchange->seats[member].is_spared) {
			rl_seat_step(exchange, member, tick);
		}
		rl_tally_add(&tally, exchange->seats[member].vote);
	}
	bool is_owner = is_several(exchange) && exchange->request.verb == RL_VERB_OWNER;
	return is_owner ? owner_outcome(exchange, &tally) : rl_tally_outcome(&tally);
}

/* Those that are spared are needed: the others cannot decide without them any more, or take long. True = some were. */
static bool call_up(rl_exchange *exchange, const rl_tick *tick)
{
	rl_tally tally = {0};
	unsigned spared = 0;
	for (unsigned i = 0; i < exchange->set->count; i++) {
		rl_tally_add(&tally, exchange->seats[i].vote);
		spared += exchange->seats[i].is_spared;
	}
	unsigned quorum = rl_quorum(tally.members);
	unsigned asked = tally.members - tally.granted - tally.refused - tally.failed - spared;
	bool can_decide =
		tally.granted + asked >= quorum || tally.refused + asked > tally.members - quorum;
	if (spared == 0 || (can_decide && tick->now < exchange->call_up_at)) {
		return false;
	}
	for (unsigned i = 0; i < exchange->set->count; i++) {
		exchange->seats[i].is_spared = false;
	}
	return true;
}

/* A command that is to reach every member has not been handed to this one, which may yet be connected; or it is not
 * known whether a release may use the helper keys there. */
static bool is_expected(const rl_exchange *exchange, const rl_seat *seat, const rl_tick *tick)
{
	bool is_late = seat->is_fresh && seat->breaks == 0 && !rl_seat_is_handed_over(seat);
	bool is_unclear = exchange->request.verb == RL_VERB_RELEASE && seat->conn != NULL &&
		seat->conn->has_answered && !seat->conn->has_helpers && !seat->conn->was_waited_for &&
		!seat->is_alone;
	return (is_late || is_unclear) && rl_verb_changes(exchange->request.verb) &&
		tick->now < exchange->grace_end;
}

/* The first in order that is asked at all. */
static unsigned first_in_order(const rl_exchange *exchange)
{
	unsigned at = 0;
	while (at + 1 < exchange->set->count && exchange->seats[exchange->order[at]].is_spared) {
		at++;
	}
	return exchange->order[at];
}

/* The outcome is known, but somebody's answer is wanted. */
static bool is_wanted(const rl_exchange *exchange, unsigned member, const rl_tick *tick)
{
	const rl_seat *seat = &exchange->seats[member];
	if (seat->state == RL_SEAT_DONE || seat->is_spared) {
		return false;
	}
	/* What became of a caller's own token has to be known before it can be tried again. */
	bool is_own = exchange->is_own_token && exchange->outcome != RL_VOTE_GRANTED &&
		rl_verb_takes(exchange->request.verb);
	/* A failure tells what became of the others, and what a minority has prolonged is undone. */
	bool is_to_be_told = rl_verb_changes(exchange->request.verb) &&
		(exchange->outcome == RL_VOTE_FAILED ||
			(exchange->outcome == RL_VOTE_REFUSED && exchange->request.verb == RL_VERB_EXTEND));
	/* Who waits should wait where all others do. */
	bool is_first = exchange->request.verb == RL_VERB_NUDGE && member == first_in_order(exchange) &&
		tick->now < exchange->grace_end + RL_EXCHANGE_FIRST_NS;
	bool is_hoped_for = exchange->hopes_for_all && tick->now < exchange->grace_end;
	return is_own || is_to_be_told || is_first || exchange->wants_all || is_hoped_for ||
		is_expected(exchange, seat, tick);
}

static void add_to_wait(const rl_exchange *exchange, const rl_seat *seat, rl_wait *wait)
{
	if (seat->is_spared) {
		rl_wait_until(wait, exchange->call_up_at);
	} else if (seat->state == RL_SEAT_PAUSED) {
		rl_wait_until(wait, seat->resume_at);
		wait->wants_names = wait->wants_names || seat->awaits_name;
	} else if (seat->state != RL_SEAT_DONE) {
		rl_wait_for(wait, seat->conn->link,
			rl_seat_is_connected(seat) ? seat->budget_end : seat->connect_end);
	}
}

/* A minority has granted the caller's token: see the header. */
static void take_back_own_token(rl_exchange *exchange, const rl_tick *tick)
{
	for (unsigned i = 0; i < exchange->set->count; i++) {
		rl_seat_take_back(exchange, i, tick);
	}
}

rl_vote rl_exchange_step(rl_exchange *exchange, const rl_tick *tick, rl_wait *wait)
{
	bool was_open = exchange->outcome == RL_VOTE_OPEN;
	exchange->outcome = step_seats(exchange, tick);
	if (!is_several(exchange)) { /* its vote is the outcome */
		add_to_wait(exchange, &exchange->seats[0], wait);
		return exchange->outcome;
	}
	if (exchange->outcome == RL_VOTE_OPEN && call_up(exchange, tick)) {
		exchange->outcome = step_seats(exchange, tick);
	}
	bool is_open = exchange->outcome == RL_VOTE_OPEN;
	if (was_open && !is_open) {
		int64_t grace = tick->now - exchange->begun_at;
		grace = grace > RL_EXCHANGE_GRACE_NS ? grace : RL_EXCHANGE_GRACE_NS;
		exchange->grace_end = tick->now + grace;
	}
	if (!is_open && exchange->outcome != RL_VOTE_GRANTED && exchange->is_own_token &&
		rl_verb_takes(exchange->request.verb)) {
		take_back_own_token(exchange, tick);
	}
	bool goes_on = is_open;
	for (unsigned i = 0; i < exchange->set->count; i++) {
		if (is_open || is_wanted(exchange, i, tick)) {
			goes_on = true;
			add_to_wait(exchange, &exchange->seats[i], wait);
		}
	}
	if (goes_on && !is_open) {
		int64_t first_end = exchange->grace_end + RL_EXCHANGE_FIRST_NS;
		rl_wait_until(wait, exchange->grace_end > tick->now ? exchange->grace_end : RL_NEVER);
		rl_wait_until(wait, first_end > tick->now ? first_end : RL_NEVER);
	}
	return goes_on ? RL_VOTE_OPEN : exchange->outcome;
}

/* ---- settling ---- */

/* True when the server's error says that it would not run an undo either. */
static bool refuses_scripts(const rl_seat *seat)
{
	return seat->vote == RL_VOTE_FAILED && seat->err.status == RL_ERR_SERVER &&
		(rl_error_passes(&seat->err) || strcmp(seat->err.code, "NOPERM") == 0 ||
			strcmp(seat->err.code, "NOAUTH") == 0);
}

/* The same for a swap: to a token of ours it is undone where it was carried out or may have been, to the caller's where
 * one of both tokens is ours to release. */
static bool may_undo_swap(const rl_exchange *exchange, const rl_seat *seat, int64_t now)
{
	bool is_unanswered = seat->state == RL_SEAT_ANSWER && rl_seat_is_handed_over(seat);
	if (!exchange->is_own_token) {
		return seat->vote == RL_VOTE_GRANTED || seat->has_strays || seat->is_in_doubt ||
			is_unanswered;
	}
	return seat->vote != RL_VOTE_REFUSED &&
		(seat->vote != RL_VOTE_GRANTED ||
			(seat->answer.number == RL_SWAPPED_NOW && rl_seat_may_take_back(exchange, seat, now)));
}

/* True when the member holds the token, or may, and we may take it back. */
static bool may_undo(const rl_exchange *exchange, const rl_seat *seat, rl_undo undo, int64_t now)
{
	if (undo == RL_UNDO_NOTHING || seat->state == RL_SEAT_UNDO || seat->is_taken_back) {
		return false;
	}
	if (undo == RL_UNDO_BUT_REFUSALS && refuses_scripts(seat)) {
		return false; /* the next try finds out */
	}
	if (exchange->request.verb == RL_VERB_SWAP) {
		return may_undo_swap(exchange, seat, now);
	}
	if (!rl_verb_takes(exchange->request.verb)) {
		return exchange->request.verb == RL_VERB_EXTEND && seat->vote == RL_VOTE_GRANTED;
	}
	if (seat->vote == RL_VOTE_GRANTED) {
		return rl_seat_may_take_back(exchange, seat, now);
	}
	bool is_unanswered = seat->state == RL_SEAT_ANSWER && rl_seat_is_handed_over(seat);
	return !exchange->is_own_token && (seat->is_in_doubt || is_unanswered);
}

static rl_undone write_undo(rl_exchange *exchange, rl_seat *seat)
{
	rl_request request = exchange->request;
	request.is_alone = request.is_alone || !exchange->set->wakes;
	bool is_swap = request.verb == RL_VERB_SWAP;
	rl_undone undone = RL_UNDONE_NOT;
	if (is_swap && seat->vote == RL_VOTE_GRANTED) {
		request.token = exchange->is_own_token ? request.fresh : request.token;
	}
	if (seat->conn != NULL && is_swap && !exchange->is_own_token) {
		undone = rl_conn_swap_back(seat->conn, &request);
	} else if (seat->conn != NULL) {
		undone = rl_conn_undo(seat->conn, &request);
	}
	rl_stats_add(&exchange->env->stats->undone, undone != RL_UNDONE_NOT);
	return undone;
}

/* A caller's own token is undone only if it was granted: what has arrived may say so. */
static void hear_last_word(const rl_exchange *exchange, rl_seat *seat)
{
	rl_conn_event event;
	if (seat->conn == NULL || seat->state != RL_SEAT_ANSWER) {
		return;
	}
	seat->conn->transport->take_in(seat->conn->link);
	do {
		rl_conn_next(seat->conn, &event);
	} while (event.type == RL_CONN_READY || event.type == RL_CONN_REFUSED);
	if (event.type == RL_CONN_REPLY) {
		rl_request request = exchange->request;
		request.verb = (rl_verb) event.tag;
		rl_answer answer;
		rl_error unused;
		rl_command_read(&request, &event.reply, &answer, &unused, NULL, 0);
		if (answer.vote != RL_VOTE_FAILED) {
			seat->answer.number = answer.number;
			rl_seat_finish(seat, answer.vote);
		}
	}
}

/* A release whose answer nobody will read: should the server refuse it for the helper keys' sake, the one behind it,
 * without them, is carried out. */
static void back_up_release(const rl_exchange *exchange, rl_seat *seat)
{
	rl_conn *conn = seat->conn;
	bool is_unheard = seat->state == RL_SEAT_ANSWER && rl_seat_is_handed_over(seat);
	bool is_once =
		!rl_token_is_drawn(exchange->request.token); /* a second could meet somebody else's */
	if (!is_several(exchange) || exchange->request.verb != RL_VERB_RELEASE || !is_unheard ||
		seat->is_alone || conn->has_helpers) {
		return;
	}
	conn->was_waited_for = true;
	if (is_once) {
		return;
	}
	rl_request request = exchange->request;
	request.is_alone = true;
	request.as_text = true;
	if (rl_conn_send_blind(conn, &request)) {
		conn->transport->flush(conn->link);
	}
}

/* Gives the connection to the pool, in whatever state it is, or lets it end. */
static void part_with(
	rl_exchange *exchange, const rl_seat *seat, rl_conn *conn, bool was_undone, int64_t now)
{
	/* A release is good at any time, unless somebody else may have the same token. */
	bool is_late_release = exchange->request.verb == RL_VERB_RELEASE &&
		rl_token_is_drawn(exchange->request.token) && !conn->transport->is_connected(conn->link);
	bool is_keeping = !seat->must_close && is_several(exchange) &&
		(is_late_release || rl_conn_retract(conn)) && rl_conn_is_worth_keeping(conn);
	if (is_keeping) {
		rl_pool_give_unheard(exchange->pool, conn, seat->timeout, now);
	} else if (!seat->must_close && rl_conn_is_reusable(conn)) {
		rl_pool_give(exchange->pool, conn, now);
	} else {
		bool has_undo = was_undone || conn->undo_left > 0; /* perhaps of an earlier call */
		bool is_lingering = (has_undo || is_several(exchange)) &&
			seat->err.status != RL_ERR_PROTOCOL && conn->transport->is_connected(conn->link);
		bool is_full = !conn->is_down && conn->transport->is_connected(conn->link);
		if (is_several(exchange) && !seat->must_close && is_full) {
			rl_pool_note_trouble(exchange->pool, conn->target, now); /* it reads too little */
		}
		if (is_lingering) {
			rl_pool_let_linger(exchange->pool, conn, now);
		} else {
			rl_conn_free(conn);
		}
	}
}

static void settle_seat(
	rl_exchange *exchange, rl_seat *seat, rl_undo undo, rl_settlement *settlement, int64_t now)
{
	if (undo != RL_UNDO_NOTHING && exchange->is_own_token) {
		hear_last_word(exchange, seat);
	}
	bool is_doubtful = seat->is_in_doubt ||
		(seat->state == RL_SEAT_ANSWER && rl_seat_is_handed_over(seat)) ||
		(undo != RL_UNDO_NOTHING && seat->vote == RL_VOTE_GRANTED && !seat->is_taken_back);
	bool is_own = exchange->is_own_token;
	rl_undone undone =
		may_undo(exchange, seat, undo, now) ? write_undo(exchange, seat) : RL_UNDONE_NOT;
	if (undone != RL_UNDONE_NOT && !refuses_scripts(seat)) {
		settlement->was_undone = true;
		settlement->was_guarded = settlement->was_guarded || seat->vote != RL_VOTE_GRANTED;
		/* Of a caller's token only the release of what was granted is one. */
		is_doubtful =
			is_own && seat->vote != RL_VOTE_GRANTED ? is_doubtful : undone == RL_UNDONE_MAYBE;
	}
	settlement->is_in_doubt = settlement->is_in_doubt || is_doubtful;
	seat->is_spent =
		seat->is_spent || (is_own && rl_verb_takes(exchange->request.verb) && is_doubtful);
	seat->was_left = is_several(exchange) && seat->state == RL_SEAT_ANSWER &&
		rl_seat_is_handed_over(seat) && undone == RL_UNDONE_NOT;
	if (seat->conn != NULL) {
		back_up_release(exchange, seat);
	}
	rl_conn *conn = seat->conn;
	seat->conn = NULL;
	if (conn != NULL) {
		rl_conn_forget(conn);
		/* Counts off what has arrived; a reply that nobody asked for shows here, not in the next command. */
		rl_conn_event event;
		rl_conn_next(conn, &event);
	}
	seat->state = RL_SEAT_DONE;
	if (conn != NULL) {
		part_with(exchange, seat, conn, undone != RL_UNDONE_NOT, now);
	}
}

rl_settlement rl_exchange_settle(rl_exchange *exchange, rl_undo undo, int64_t now)
{
	rl_settlement settlement = {0};
	for (unsigned i = 0; i < exchange->set->count; i++) {
		settle_seat(exchange, &exchange->seats[i], undo, &settlement, now);
	}
	return settlement;
}

void rl_exchange_note_grant(rl_exchange *exchange, unsigned member, int64_t since)
{
	exchange->seats[member].vote = RL_VOTE_GRANTED;
	exchange->seats[member].sent_at = since;
}

void rl_exchange_note_failure(rl_exchange *exchange, unsigned member, const rl_error *err)
{
	exchange->seats[member].vote = RL_VOTE_FAILED;
	exchange->seats[member].err = *err;
}

void rl_exchange_hold(rl_exchange *exchange, bool is_owed, int64_t now)
{
	exchange->request.verb =
		RL_VERB_TRY; /* whatever was said last: what it may have to undo is a grant */
	for (unsigned i = 0; i < exchange->set->count; i++) {
		rl_seat *seat = &exchange->seats[i];
		seat->is_in_doubt = seat->is_in_doubt || is_owed || seat->was_left;
		if (seat->conn == NULL && (seat->vote == RL_VOTE_GRANTED || seat->is_in_doubt)) {
			seat->conn = rl_pool_take(exchange->pool, exchange->set->members[i].target, true, now);
		}
	}
}

void rl_exchange_drop(rl_exchange *exchange)
{
	for (unsigned i = 0; i < exchange->set->count; i++) {
		rl_seat_drop(&exchange->seats[i]);
		exchange->seats[i].state = RL_SEAT_DONE;
	}
}

int64_t rl_exchange_sent_at(const rl_exchange *exchange)
{
	int64_t earliest = RL_NEVER;
	for (unsigned i = 0; i < exchange->set->count; i++) {
		if (exchange->seats[i].vote == RL_VOTE_GRANTED) {
			earliest = rl_time_earlier(earliest, exchange->seats[i].sent_at);
		}
	}
	return earliest;
}

bool rl_exchange_has_strays(const rl_exchange *exchange)
{
	return rl_exchange_strays(exchange) != 0;
}

unsigned rl_exchange_strays(const rl_exchange *exchange)
{
	unsigned members = 0;
	for (unsigned i = 0; i < exchange->set->count; i++) {
		const rl_seat *seat = &exchange->seats[i];
		bool is_stray = seat->has_strays || seat->was_left || seat->is_in_doubt;
		members |= (unsigned) is_stray << i;
	}
	return members;
}

unsigned rl_exchange_missing(const rl_exchange *exchange)
{
	unsigned members = 0;
	if (exchange->outcome == RL_VOTE_GRANTED || exchange->outcome == RL_VOTE_REFUSED) {
		return 0;
	}
	for (unsigned i = 0; i < exchange->set->count; i++) {
		const rl_seat *seat = &exchange->seats[i];
		/* An unknown outcome means that the member does not hold it any more. */
		bool is_done = seat->vote == RL_VOTE_GRANTED || seat->vote == RL_VOTE_REFUSED ||
			(seat->vote == RL_VOTE_FAILED &&
				(rl_error_is_final(&seat->err) || seat->err.status == RL_ERR_UNKNOWN));
		members |= (unsigned) !is_done << i;
	}
	return members;
}

const rl_seat *rl_exchange_speaker(const rl_exchange *exchange, rl_vote outcome)
{
	for (unsigned i = 0; i < exchange->set->count; i++) {
		if (exchange->seats[i].vote == outcome) {
			return &exchange->seats[i];
		}
	}
	return &exchange->seats[0];
}

int64_t rl_exchange_remaining(const rl_exchange *exchange)
{
	/* The quorum is there for as long as its weakest member, the others being stronger. */
	unsigned quorum = rl_quorum(exchange->set->count);
	for (unsigned i = 0; i < exchange->set->count; i++) {
		const rl_seat *seat = &exchange->seats[i];
		uint64_t left = (uint64_t) seat->answer.number; /* no end is longer than any */
		unsigned longer = 0;
		unsigned alike = 0;
		for (unsigned j = 0; j < exchange->set->count; j++) {
			const rl_seat *other = &exchange->seats[j];
			bool has_it = other->vote == RL_VOTE_GRANTED;
			longer += has_it && (uint64_t) other->answer.number > left;
			alike += has_it && other->answer.number == seat->answer.number;
		}
		if (seat->vote == RL_VOTE_GRANTED && longer < quorum && longer + alike >= quorum) {
			return seat->answer.number;
		}
	}
	return 0;
}

rl_loss rl_exchange_loss(const rl_exchange *exchange, rl_bytes token)
{
	unsigned absent = 0;
	unsigned taken_over = 0;
	for (unsigned i = 0; i < exchange->set->count; i++) {
		const rl_seat *seat = &exchange->seats[i];
		bool is_named = exchange->request.verb == RL_VERB_OWNER && seat->vote == RL_VOTE_GRANTED;
		bool is_refused = seat->vote == RL_VOTE_REFUSED;
		bool is_others = is_named ? !rl_bytes_equal(rl_bytes_of(seat->text, seat->text_len), token)
								  : is_refused && seat->answer.is_taken_over;
		taken_over += is_others;
		absent += is_refused && !is_others;
	}
	return rl_loss_of_refusals(absent, taken_over);
}

unsigned rl_exchange_count(const rl_exchange *exchange, rl_vote vote)
{
	unsigned count = 0;
	for (unsigned i = 0; i < exchange->set->count; i++) {
		count += exchange->seats[i].vote == vote;
	}
	return count;
}

unsigned rl_exchange_spent(const rl_exchange *exchange)
{
	unsigned count = 0;
	for (unsigned i = 0; i < exchange->set->count; i++) {
		count += exchange->seats[i].is_spent;
	}
	return count;
}

bool rl_exchange_has_swapped(const rl_exchange *exchange)
{
	unsigned count = 0;
	for (unsigned i = 0; i < exchange->set->count; i++) {
		const rl_seat *seat = &exchange->seats[i];
		count += seat->vote == RL_VOTE_GRANTED && seat->answer.number == RL_SWAPPED_NOW;
	}
	return count >= rl_quorum(exchange->set->count);
}

bool rl_exchange_may_pass(const rl_exchange *exchange)
{
	for (unsigned i = 0; i < exchange->set->count; i++) {
		const rl_seat *seat = &exchange->seats[i];
		if (seat->vote != RL_VOTE_FAILED) {
			continue;
		}
		switch (seat->err.status) {
			case RL_ERR_NAME:
			case RL_ERR_CONNECT:
			case RL_ERR_TIMEOUT:
			case RL_ERR_CLOSED:
				break;
			case RL_ERR_SERVER:
				if (!rl_error_passes(&seat->err)) {
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
