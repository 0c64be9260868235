/* SPDX-License-Identifier: MIT
 *
 * An errand: the design, and the code in the order of time.
 *
 * An errand takes a connection from the pool or dials one, sends the command, and waits for the
 * answer. The vote ends the errand.
 *
 *     BACKED_OFF -> START -> LOGIN -> ANSWER -> CHECKING -> DONE
 *                                       |
 *                                       +-> REFUSED -> UNDOING -> DONE
 *
 * The errand may fail in each state. It may also go back to START: after PAUSED, because the
 * connection has broken, or the keys are on two nodes; after NAMING, because the server is a
 * replica, or the name of a node is not resolved; after LOOKUP, because the primary is unknown, or
 * has failed; and at once after a redirect, or when the Sentinels have named another primary.
 * rl_errand_step() says what happens in each state.
 *
 * THE LOGIN. LOGIN is only for commands that must not reach a wrong database. A command that takes
 * a lock travels with AUTH and SELECT in one write, and is undone (UNDOING) if they fail. The
 * release of a drawn token travels with them, too, and so does the swap that replaces one.
 *
 * THE BUDGET is one timeout, plus one connect timeout if the errand has to dial. A connection
 * that breaks within the budget is replaced and the command is sent again, at once and then with
 * back-off. A server that refuses the connection ends the errand, unless an earlier connection
 * took the command: then the command is in doubt, and only another answer can clear that. A reply
 * that makes no sense also ends the errand. The wait for the Sentinels, in LOOKUP or CHECKING, has
 * the time of one lookup.
 *
 * DOUBT (rl_doubt). A command is in doubt if it was handed over whole, and its answer is lost. If
 * the command was to take a lock, the next one is a TRY that says "maybe ours", which finds our own
 * token.
 *
 * A WRONG SERVER answers READONLY or MASTERDOWN: the address has led to a replica, or the primary
 * has become one. Its connections are closed, the driver resolves the name again, and the command,
 * which did not run, is sent once more within the same budget. But if the connection was dialled
 * just now, to an address that resolving cannot change, a new one would meet the same server again:
 * then the answer is the failure.
 *
 * A PLACE IN THE WAIT QUEUE is a try that follows its BLPOP in the same write (rl_queue.h). The
 * answer to BLPOP comes first, and the answer to the try decides. If the answer to BLPOP makes no
 * sense, the next one may not be that to the try, so the errand fails. The budget includes the time
 * for which BLPOP blocks. Meanwhile the Sentinels are not asked: the quorum call that adopts a win
 * asks them.
 *
 * SEVERAL NODES (rl_route.c). A redirect means that the command was not carried out, so it leaves
 * no doubt. One connection at a time has the errand's unanswered command, so an undo still
 * follows its command.
 *
 * A CALLER'S TOKEN is not swapped in where an earlier undo of it may still run: see
 * rl_quorum_call.h.
 *
 * SENTINELS. In a planned failover the old primary accepts writes for ten seconds more, and calls
 * itself the master; a primary that was paused does so when it wakes. So an answer counts only if a
 * majority of the Sentinels names the node that has given it, and was asked less than RL_CHECK_NS
 * before the answer (CHECKING). If the last lookup is half as old, another one runs beside the
 * command, and adds no round trip. With a time of grace a new primary grants nothing at first: see
 * rl_grace.c.
 *
 * If no majority can be found, a command that takes or prolongs a lock has failed. All others
 * count: a lock can be released, and asked about, without Sentinels. A probe is not checked: it
 * decides nothing, and the next one must renew the waiter's mark in time while the Sentinels are
 * silent. A wait does not last longer because the Sentinels are silent: at the end of its budget an
 * errand goes on as if they could not be asked.
 *
 * If the Sentinels name another node, the errand leaves the old one at once, also while the
 * answer is missing. What the old primary has or may have granted is undone there. The old primary
 * takes part in nothing any more, so neither that grant nor its undo can reach the new one.
 *
 * OWNERSHIP. An errand belongs to its caller, and to the thread of it. It borrows its terms and its
 * server, and has a connection only until its caller gives the connection back. It owns its text
 * and a reference to its node. The lookup belongs to the route, and all operations of the thread
 * share it.
 *
 * Between two steps, from the first step until the caller settles the errand:
 * - The errand is DONE when it has a vote, and only then.
 * - A failure has a reason. Any other vote was heard after its command was sent.
 * - BACKED_OFF, PAUSED, NAMING and LOOKUP have no connection. LOGIN, ANSWER, REFUSED, UNDOING and
 *   CHECKING have one. ANSWER, REFUSED and UNDOING have a command under way, the others have none.
 * - LOOKUP and CHECKING have an open lookup, unless another errand has ended it since the last
 * step. PAUSED ends within the budget. No step ends in START.
 */
#include "core/conn/rl_errand.h"

#include "core/base/rl_time.h"
#include "core/base/rl_token.h"
#include "core/conn/rl_grace.h"
#include "core/wire/rl_redirect.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* How many lookups and moves to another node there may be before a primary that is not known yet is
 * taken for too new. The first lookup may come a moment too early. */
#define GRACE_HOPS_MAX 2

/* ---- the state ---- */

/* Only this function changes the state, which begins with START. */
static void enter(rl_errand *errand, rl_errand_state state)
{
	errand->state = state;
}

void rl_errand_finish(rl_errand *errand, rl_vote vote)
{
	errand->vote = vote;
	enter(errand, RL_ERRAND_DONE);
	rl_channel_mute(&errand->channel);
}

static void fail(rl_errand *errand)
{
	rl_errand_finish(errand, RL_VOTE_FAILED);
}

/* The login failed; err has the reason. */
static bool is_refused(const rl_errand *errand)
{
	return errand->state == RL_ERRAND_REFUSED || errand->state == RL_ERRAND_UNDOING;
}

/* The command is a try in the wait queue: BLPOP precedes it, and the server may be silent for as
 * long as BLPOP blocks. */
static bool is_queued(const rl_errand *errand)
{
	return errand->terms->request.place == RL_PLACE_QUEUED;
}

/* True when no answer to the command is awaited any more: the answer is known, even if the
 * Sentinels must still confirm the node, or the errand has ended without one. */
static bool is_answered(const rl_errand *errand)
{
	return errand->state == RL_ERRAND_CHECKING || errand->state == RL_ERRAND_DONE;
}

bool rl_errand_is_unanswered(const rl_errand *errand)
{
	return (errand->state == RL_ERRAND_ANSWER || errand->state == RL_ERRAND_REFUSED) &&
		rl_channel_is_handed_over(&errand->channel);
}

/* The member has the whole time for an answer once more, up to the limit. */
static void renew_budget(rl_errand *errand, const rl_tick *tick)
{
	errand->budget_end =
		rl_time_earlier(rl_time_later(tick->now, errand->timeout), errand->budget_max);
}

/* ---- the node ---- */

/* The errand asks this node from now on. */
static void use_node(rl_errand *errand, rl_target *node)
{
	rl_target *before = errand->node;
	errand->node = node != NULL ? rl_target_ref(node) : NULL;
	rl_target_unref(before);
}

/* Chooses the node to ask: the node of the slot, unless a redirect, or the connection of an earlier
 * errand, has led this one command to another node. A single server is chosen once. */
static void choose_node(rl_errand *errand)
{
	const rl_member *server = errand->server;
	if (errand->node == NULL ||
		(server->route != NULL && !errand->sent.is_asking &&
			!rl_channel_is_open(&errand->channel))) {
		use_node(errand, rl_member_node(server, errand->terms->request.slot));
	}
}

/* Call when the errand begins: a node of a cluster that is backed off is asked only if another
 * node names it. Of several members the others may have decided each call before a dial to this one
 * could fail, so the pool looks first what has become of it. */
static void avoid_node(rl_errand *errand, rl_pool_want want, int64_t now)
{
	const rl_errand_terms *terms = errand->terms;
	rl_route *route = errand->server->route;
	if (!rl_route_has_redirects(route)) {
		return;
	}
	bool has_conn = terms->set->count > 1 && rl_pool_has(terms->pool, errand->node, want, now);
	if (!has_conn && !rl_pool_is_worth_asking(terms->pool, errand->node, want, now)) {
		rl_route_suspect(route, errand->node);
		choose_node(errand);
	}
}

/* The node could not be reached, or has not answered in time: the node is backed off, and other
 * nodes are asked first. */
static void note_failure(rl_errand *errand, const rl_tick *tick)
{
	rl_route *route = errand->server->route;
	if (rl_channel_blame(&errand->channel, errand->err)) {
		rl_pool_note_failure(errand->terms->pool, errand->node, tick->now);
	}
	if (route != NULL) {
		rl_route_suspect(route, errand->node);
		route->named_at = 0;
	}
}

/* Counts a connection that another one replaces; the errands of a line count it once. */
static void note_replaced(rl_errand *errand)
{
	bool is_first = rl_channel_note_replaced(&errand->channel);
	rl_stats_add(&rl_env_stats(errand->terms->env)->reconnects, is_first);
}

/* After a failure: true = another node may be asked within the budget. Counts this hop. */
static bool may_hop(rl_errand *errand)
{
	const rl_member *server = errand->server;
	const rl_lines *lines = errand->channel.lines;
	if (server->route == NULL || errand->hops >= RL_HOPS_MAX ||
		(lines != NULL && lines->is_closing) ||
		rl_route_node(server->route, errand->terms->request.slot) == errand->node) {
		return false;
	}
	errand->hops++;
	return true;
}

/* ---- lookups: for members behind Sentinels only, except for look_up_again() ---- */

/* The route of a member behind Sentinels; NULL = the member has no Sentinels. */
static rl_route *sentinels_of(const rl_errand *errand)
{
	rl_route *route = errand->server->route;
	return route != NULL && route->kind == RL_ROUTE_SENTINEL ? route : NULL;
}

/* The route names the node that the errand asks. */
static bool is_named(const rl_errand *errand)
{
	rl_target *named = rl_route_node(sentinels_of(errand), 0);
	return errand->node != NULL && named != NULL && rl_target_equal(errand->node, named);
}

/* For how long the majority of the Sentinels must have known the node as the primary; 0 = the
 * command is never held back. */
static int64_t needed_age(const rl_errand *errand)
{
	const rl_errand_terms *terms = errand->terms;
	return rl_grace_age(
		errand->server->route, &terms->request, terms->was_held, terms->set->drift_factor);
}

/* True when a grant of the node must not count, because the node is too new. */
static bool is_too_new(const rl_errand *errand)
{
	return !rl_route_is_known_for(errand->server->route, needed_age(errand));
}

/* How long the node is still too new, by what the Sentinels know; 0 or less = it is not. */
static int64_t grace_left(const rl_errand *errand, int64_t now)
{
	return errand->server->route->known_since + needed_age(errand) - now;
}

static void explain_grace(rl_errand *errand, int64_t now)
{
	const rl_errand_terms *terms = errand->terms;
	rl_grace_explain(&terms->request, terms->was_held, grace_left(errand, now), errand->err);
}

/* True when the answer may count without another lookup: the connection has led to a primary at
 * named_at. Always true without grace. */
static bool is_since_login(const rl_errand *errand)
{
	const rl_route *route = errand->server->route;
	if (route->grace_ns == 0 || !rl_verb_is_confirmed(errand->terms->request.verb)) {
		return true;
	}
	/* The login is older than the answer. */
	return rl_channel_is_ready_before(&errand->channel, route->named_at) ||
		route->named_at > errand->heard_at;
}

static bool is_looking(const rl_errand *errand)
{
	return errand->lookup != NULL && rl_lookup_is_open(errand->lookup);
}

/* A swap to the caller's token is not under way, and the Sentinels name another node than the node
 * that has granted the drawn token: releases the drawn token there. The call may use that token
 * again, because it counts only after a swap, which fails if this release has come between. */
static void undo_drawn(const rl_errand *errand, int64_t now)
{
	const rl_errand_terms *terms = errand->terms;
	rl_channel channel = {0};
	if (terms->request.verb != RL_VERB_SWAP || !terms->is_own_token || errand->node == NULL ||
		rl_channel_is_open(&errand->channel) || is_named(errand) ||
		rl_route_node(sentinels_of(errand), 0) == NULL ||
		!rl_channel_take(&channel, terms->pool, errand->node, RL_WANT_CHECKED, 0, now)) {
		return;
	}
	rl_stats_add(
		&rl_env_stats(terms->env)->grants_undone, rl_conn_undo(channel.conn, &terms->request));
	rl_channel_give_back(&channel, terms->pool, (rl_giving){.must_arrive = true}, now);
}

/* Counts another primary than before, and ends the idle connections to the old one. */
static void note_switch(const rl_errand *errand, const rl_target *before, int64_t now)
{
	const rl_errand_terms *terms = errand->terms;
	if (before != NULL && !rl_target_equal(before, rl_route_node(sentinels_of(errand), 0))) {
		rl_stats_add(&rl_env_stats(terms->env)->primary_switches, 1);
		undo_drawn(errand, now);
		rl_pool_clear_address(terms->pool, &before->address, now);
	}
}

static void step_open_lookup(rl_errand *errand, const rl_tick *tick)
{
	rl_target *before = rl_route_node(sentinels_of(errand), 0);
	before = before != NULL ? rl_target_ref(before) : NULL;
	if (rl_lookup_step(errand->lookup, tick) == RL_VOTE_GRANTED) {
		note_switch(errand, before, tick->now);
	}
	rl_target_unref(before);
}

static int64_t lookup_time(const rl_errand *errand)
{
	return errand->connect_timeout + errand->timeout;
}

/* The errand only waits for the Sentinels, for the time of one lookup: other operations may replace
 * the lookup again and again before this errand sees its end. */
static void limit_lookup(rl_errand *errand, int64_t now)
{
	errand->budget_end = rl_time_earlier(now + lookup_time(errand), errand->budget_max);
}

/* Begins a lookup, unless one is open: it may have been begun by another operation. If its time is
 * over, the answers that have arrived since are read before the lookup is replaced. Otherwise a
 * wait whose looks are farther apart than this time would never learn of a switch. False = out of
 * memory; err is set. */
static bool begin_lookup(rl_errand *errand, int64_t now)
{
	rl_lookup *lookup = rl_lookup_of(sentinels_of(errand), errand->terms->pool);
	if (lookup == NULL) {
		rl_error_set(errand->err, RL_ERR_MEMORY, 0, "out of memory");
		return false;
	}
	errand->lookup = lookup;
	if (rl_lookup_is_open(lookup) && now >= lookup->until) {
		rl_lookup_take_in(lookup);
		step_open_lookup(errand, &(rl_tick){.now = now});
	}
	rl_lookup_join(lookup, now + lookup_time(errand), now);
	return true;
}

/* Begins a lookup, and sends nothing before the Sentinels have answered. */
static void await_lookup(rl_errand *errand, int64_t now)
{
	enter(errand, RL_ERRAND_LOOKUP);
	limit_lookup(errand, now);
	if (!begin_lookup(errand, now)) {
		fail(errand);
	}
}

/* The node has failed, or is a replica: asks the Sentinels for another primary. False = the call
 * has done so too often, or the member has no Sentinels. */
static bool look_up_again(rl_errand *errand, int64_t now)
{
	if (sentinels_of(errand) == NULL || errand->hops == RL_HOPS_MAX) {
		return false;
	}
	errand->hops++;
	await_lookup(errand, now);
	return true;
}

/* ---- the beginning ---- */

/* The command must reach the server after an earlier command that may have taken the lock there, so
 * it is sent on the same connection. */
static bool must_come_after(const rl_errand_terms *terms)
{
	return terms->request.verb == RL_VERB_RELEASE ||
		(terms->request.verb == RL_VERB_SWAP && terms->is_own_token);
}

/* Begins a lookup if the last one is old, or if the primary is unknown. */
static void look_up(rl_errand *errand, const rl_route *route, int64_t now)
{
	if (errand->node == NULL) {
		await_lookup(errand, now);
	} else if (route->named_at == 0 || now - route->named_at >= route->check_ns / 2) {
		begin_lookup(errand, now);
	}
}

static int64_t patience_for(const rl_errand_terms *terms, int64_t option_ns)
{
	return terms->patience > 0
		? rl_time_earlier(option_ns, terms->patience)
		: rl_set_patience(terms->set, option_ns, terms->request.ttl_ms * RL_NS_PER_MS);
}

/* False = the node is backed off, and no connection leads there. */
static bool is_worth_asking(const rl_errand *errand, rl_pool_want want, int64_t now)
{
	const rl_errand_terms *terms = errand->terms;
	return rl_pool_is_worth_asking(terms->pool, errand->node, want, now) ||
		(terms->lines != NULL && errand->node != NULL &&
			rl_lines_conn(terms->lines, errand->node) != NULL);
}

/* Nothing was sent. Until then the rest of the command is that of the errand before. */
static void begin_command(rl_errand *errand)
{
	errand->sent.verb = RL_VERB_SET;
	errand->sent.form = errand->terms->request.form;
	errand->sent.no_helpers = errand->sent.is_asking = false;
}

void rl_errand_begin(rl_errand *errand, int64_t now, int64_t latest)
{
	rl_errand_terms *terms = errand->terms;
	const rl_member *server = errand->server;
	int64_t timeout = patience_for(terms, server->timeout_ns);
	int64_t budget_max = rl_time_later(latest, timeout);
	if (budget_max <= now) {
		budget_max = now + timeout; /* the process was suspended */
	}
	free(errand->text);
	rl_target_unref(errand->next.node);
	errand->err->status = RL_OK;
	memset(&errand->state, 0, sizeof *errand - offsetof(rl_errand, state));
	errand->channel.lines = terms->lines;
	begin_command(errand);
	errand->timeout = timeout;
	errand->connect_timeout = patience_for(terms, server->connect_timeout_ns);
	errand->budget_max = budget_max;
	errand->budget_end = rl_time_earlier(now + timeout, budget_max);
	rl_pool_want want = must_come_after(terms) ? RL_WANT_RELEASE : RL_WANT_ANY;
	const rl_route *route = sentinels_of(errand);
	if (route != NULL) {
		undo_drawn(errand, now);
	}
	choose_node(errand);
	avoid_node(errand, want, now);
	if (errand->state == RL_ERRAND_START && route != NULL) {
		look_up(errand, route, now);
	}
	if (errand->state == RL_ERRAND_START && terms->request.verb != RL_VERB_FORCE &&
		!is_worth_asking(errand, want, now)) {
		enter(errand, RL_ERRAND_BACKED_OFF);
	}
}

void rl_errand_use(rl_errand *errand, rl_conn *conn, bool is_asking)
{
	use_node(errand, conn->target);
	errand->sent.is_asking = is_asking;
	errand->channel.conn = conn;
	enter(errand, RL_ERRAND_START);
}

void rl_errand_clear(rl_errand *errand)
{
	free(errand->text);
	rl_target_unref(errand->next.node);
	rl_target_unref(errand->node);
}

void rl_errand_call_up(rl_errand *errand)
{
	if (errand->state == RL_ERRAND_BACKED_OFF) {
		enter(errand, RL_ERRAND_START);
	}
}

/* ---- sending ---- */

/* Writes as much as the kernel accepts now. */
static void flush(rl_errand *errand, const rl_tick *tick)
{
	if (rl_channel_flush(&errand->channel, tick->now)) {
		/* Connect time that was not used does not extend the time for the answer. */
		errand->budget_end = rl_time_earlier(errand->budget_end, tick->now + errand->timeout);
	}
}

/* The answer to this command may stay unread, because the other members decide. */
static bool may_stay_unheard(const rl_errand *errand, rl_verb verb)
{
	return rl_errand_unheard_ns(errand) > 0 && rl_verb_changes(verb);
}

/* Fills in the command for this connection, in the form that its server wants. */
static void prepare_command(rl_errand *errand)
{
	const rl_errand_terms *terms = errand->terms;
	const rl_conn *conn = errand->channel.conn;
	rl_request *sent = &errand->sent;
	rl_form form = sent->form;
	bool had_no_helpers = sent->no_helpers;
	bool was_asking = sent->is_asking;
	*sent = terms->request;
	if (rl_verb_takes(sent->verb) && errand->doubt == RL_DOUBT_UNKNOWN) {
		sent->verb = RL_VERB_TRY;
		sent->maybe_ours = true;
		sent->mark_ms = sent->waiter.data != NULL ? sent->mark_ms : 0;
	}
	/* NOSCRIPT in the wait queue would lose the ticket. */
	bool is_new = is_queued(errand) ? !conn->has_run_try : rl_conn_needs_text(conn, sent->verb);
	/* If the answer may stay unread, no answer could lead to a second round. */
	bool is_text = is_new || may_stay_unheard(errand, sent->verb);
	sent->form = form == RL_FORM_USUAL && is_text ? RL_FORM_TEXT : form;
	/* After ASK the keys stay the same: a cluster of Redis 6.2 redirects a command with several
	 * keys also while the key of the lock is still at its old node. See ask_the_owner(). */
	bool may_drop = !was_asking && (sent->no_helpers || !terms->set->wakes);
	sent->no_helpers = had_no_helpers || may_drop;
	sent->is_asking = was_asking;
	int64_t own_ms = rl_reservation_ms(terms->set->count, conn->round_trip);
	sent->reserve_ms = own_ms > sent->reserve_ms ? own_ms : sent->reserve_ms;
}

/* Ends the errand if its command must not be sent any more. */
static bool is_past_sending(rl_errand *errand, int64_t now)
{
	rl_errand_terms *terms = errand->terms;
	bool is_past = terms->is_withdrawn || (terms->refresh != NULL && !terms->refresh(terms, now));
	if (is_past) {
		rl_error_set(errand->err, RL_ERR_CLOSED, 0, "not sent: it is too late");
		fail(errand);
	}
	return is_past;
}

/* The BLPOP of a try in the wait queue. False = out of memory. */
static bool send_blpop(rl_errand *errand)
{
	rl_request request = errand->sent;
	request.verb = RL_VERB_BLPOP;
	errand->blpop = RL_BLPOP_UNHEARD;
	errand->is_prodded = false;
	rl_conn_send_name(errand->channel.conn); /* after BLPOP it would wait */
	return rl_channel_send(&errand->channel, &request, RL_VERB_BLPOP);
}

/* The time for the answer to a try in the wait queue begins after the block. The clock of the
 * server may be slow. */
static void extend_budget(rl_errand *errand, int64_t now)
{
	int64_t block = errand->sent.block_ms * RL_NS_PER_MS;
	int64_t drift = (int64_t) (errand->terms->set->drift_factor * (double) block);
	errand->budget_max = errand->budget_end = rl_time_later(now, block + drift + errand->timeout);
}

/* Sends the command, or sends it again in the form that the server wants. */
static void send_command(rl_errand *errand, const rl_tick *tick)
{
	rl_channel *channel = &errand->channel;
	if (is_past_sending(errand, tick->now)) {
		return;
	}
	prepare_command(errand);
	/* Of several swaps or renewals the last one sets the TTL, so its time of sending counts. */
	bool sets_ttl = errand->sent.verb == RL_VERB_SWAP || errand->sent.verb == RL_VERB_RENEW;
	channel->sent_at = sets_ttl ? 0 : channel->sent_at;
	bool is_queued_try = is_queued(errand);
	enter(errand, RL_ERRAND_ANSWER);
	if (errand->terms->other.len > 0 && errand->vain == 0 && errand->hops == 0) {
		/* Later another holder may have the lock with the other token. */
		rl_request swapped = errand->sent;
		swapped.fresh = errand->terms->other;
		rl_conn_swap_back(channel->conn, &swapped);
	}
	if ((is_queued_try && !send_blpop(errand)) ||
		!rl_channel_send(channel, &errand->sent, (unsigned) errand->sent.verb)) {
		rl_error_set(errand->err, RL_ERR_MEMORY, 0, "out of memory");
		rl_channel_close(channel);
		fail(errand);
		return;
	}
	rl_route *route = errand->server->route;
	if (route != NULL && !is_queued_try) {
		rl_conn_ask_map(channel->conn, route, tick->now);
	}
	flush(errand, tick);
	if (is_queued_try) {
		extend_budget(errand, tick->now);
	}
}

/* ---- trying again ---- */

static bool are_lines_lasting(const rl_errand *errand)
{
	return errand->terms->lines != NULL && errand->terms->lines->are_lasting;
}

/* Many errands share the connections to the server, which has failed just now. So none of them
 * dials it before the pool allows that. */
static bool must_leave_dialling(const rl_errand *errand, int64_t now)
{
	return are_lines_lasting(errand) &&
		rl_pool_is_backed_off(errand->terms->pool, errand->node, now);
}

/* Begins anew after the n-th delay of the back-off, n from 1; 0 = at once. Fails if the budget is
 * over by then; err must have the reason. */
static void pause(rl_errand *errand, unsigned n, const rl_tick *tick)
{
	const rl_errand_terms *terms = errand->terms;
	int64_t delay = 0;
	if (n > 0) {
		rl_backoff backoff = terms->set->backoff;
		/* The errands of a line resume together, so that one of them dials for all. */
		backoff.jitter = are_lines_lasting(errand) ? 0 : backoff.jitter;
		delay = rl_backoff_delay(&backoff, n - 1, terms->env);
		delay = delay < RL_NS_PER_MS ? RL_NS_PER_MS : delay; /* jitter can make it 0 */
	}
	errand->vain++;
	errand->resume_at = rl_time_later(tick->now, delay);
	enter(errand, RL_ERRAND_PAUSED);
	if (errand->resume_at >= errand->budget_end) {
		fail(errand);
	}
}

/* Call when the connection is gone. Dials again within the budget if has_hope, or if the command is
 * in doubt, which only another answer can clear. Another node of the member is asked at once. */
static void recover(rl_errand *errand, bool has_hope, const rl_tick *tick)
{
	if (!has_hope && look_up_again(errand, tick->now)) {
		return;
	}
	bool is_elsewhere = !has_hope && may_hop(errand);
	bool is_in_doubt = errand->doubt == RL_DOUBT_UNKNOWN;
	if ((!has_hope && !is_elsewhere && !is_in_doubt) || (errand->terms->is_once && is_in_doubt) ||
		(!is_elsewhere && must_leave_dialling(errand, tick->now))) {
		fail(errand);
		return;
	}
	errand->sent.is_asking = false; /* the node of the slot knows where the key is now */
	pause(errand, is_elsewhere ? 0 : errand->vain, tick);
}

/* A dial has failed: true = the reason is the name of a node, which the driver resolves now. */
static bool wants_name(rl_errand *errand, const rl_tick *tick)
{
	rl_transport *transport = errand->terms->pool->transport;
	if (errand->server->route == NULL || errand->err->status != RL_ERR_NAME ||
		!transport->distrust(transport, &errand->node->address)) {
		return false;
	}
	enter(errand, RL_ERRAND_NAMING);
	errand->resume_at = tick->now + 1;
	return true;
}

/* The node has not run the command. */
static void leave_node(rl_errand *errand, const rl_tick *tick)
{
	rl_channel *channel = &errand->channel;
	rl_giving giving = {.is_trusted = true, .unheard_ns = rl_errand_unheard_ns(errand)};
	rl_channel_give_back(channel, errand->terms->pool, giving, tick->now);
	channel->sent_at = errand->doubt == RL_DOUBT_NONE ? 0 : channel->sent_at;
}

/* Asks the node to which the reply redirects, or fails.
 * @param node NULL = it cannot be asked */
static void follow_to(
	rl_errand *errand, rl_target *node, bool is_asking, rl_bytes reply, const rl_tick *tick)
{
	rl_stats_add(&rl_env_stats(errand->terms->env)->cluster_redirects, 1);
	if (node == NULL || errand->hops == RL_HOPS_MAX) {
		rl_error_set(errand->err, RL_ERR_CONNECT, 0,
			"redirected too often (is a node down, or the user not allowed to send ASKING?); "
			"the last node, %s, answered: %.*s",
			errand->node->name, (int) reply.len, reply.data);
		fail(errand);
		return;
	}
	errand->hops++;
	errand->sent.is_asking = is_asking;
	use_node(errand, node); /* first: a map that is read now may drop the node */
	leave_node(errand, tick);
	enter(errand, RL_ERRAND_START);
}

/* If the reply is a redirect, follows it. False = the reply is no redirect. */
static bool follow(rl_errand *errand, const rl_reply *reply, const rl_tick *tick)
{
	rl_route *route = errand->server->route;
	rl_redirect redirect = reply->type == RL_REPLY_ERROR ? rl_redirect_read(reply->text)
														 : (rl_redirect){.kind = RL_REDIRECT_NONE};
	if (redirect.kind == RL_REDIRECT_NONE) {
		return false;
	}
	if (!rl_route_has_redirects(route)) {
		rl_error_from_server(errand->err, reply->text, NULL, 0);
		rl_error_append(
			errand->err, " (this server is a node of a cluster: use redis-cluster:// in the DSN)");
		fail(errand);
		return true;
	}
	rl_target *node = rl_route_follow(route, &redirect, errand->channel.conn->target);
	follow_to(errand, node, redirect.kind == RL_REDIRECT_ASK, reply->text, tick);
	return true;
}

/* The keys of a try in the wait queue may be on two nodes, while its BLPOP is redirected: then the
 * place is taken where BLPOP leads. False = BLPOP was not redirected. */
static bool follow_blpop(rl_errand *errand, const rl_reply *reply, const rl_tick *tick)
{
	if (errand->next.node == NULL) {
		return false;
	}
	follow_to(errand, errand->next.node, errand->next.is_asking, reply->text, tick);
	return true;
}

/* @param next its node is NULL = BLPOP was not redirected; borrowed */
static void keep_next(rl_errand *errand, rl_destination next)
{
	rl_target *before = errand->next.node;
	errand->next = next;
	errand->next.node = next.node != NULL ? rl_target_ref(next.node) : NULL;
	rl_target_unref(before);
}

/* The server is a replica, so its connection is not used again; err has its answer. True = the
 * errand goes on with another connection, or has failed without one. */
static bool leave_wrong_server(rl_errand *errand, const rl_tick *tick)
{
	const rl_errand_terms *terms = errand->terms;
	rl_route *route = errand->server->route;
	const rl_address *address = &errand->channel.conn->target->address;
	bool may_lead_elsewhere = rl_channel_is_retired(&errand->channel) ||
		rl_pool_distrust(terms->pool, address, tick->now);
	if (route != NULL) {
		rl_route_suspect(route, errand->node);
		route->named_at = 0;
		may_lead_elsewhere = may_hop(errand) || may_lead_elsewhere;
	}
	bool is_worth_it = !errand->channel.is_fresh || may_lead_elsewhere;
	if (sentinels_of(errand) != NULL) {
		rl_channel_close(&errand->channel);
		if (!look_up_again(errand, tick->now)) {
			fail(errand);
		}
		return true;
	}
	if (errand->hops > 0 || !is_worth_it) {
		errand->must_close = true;
		return false;
	}
	note_replaced(errand);
	rl_channel_close(&errand->channel);
	errand->hops++;
	errand->resume_at = tick->now + 1; /* the driver resolves names first */
	enter(errand, RL_ERRAND_NAMING);
	return true;
}

/* ---- opening ---- */

/* A command that takes a lock is undone if the login fails. The release of a drawn token, and a
 * swap that replaces one, concern no other lock in any database, so they are sent with the login: a
 * quorum call may end before the login is answered. */
static bool may_travel_with_login(const rl_errand_terms *terms)
{
	rl_verb verb = terms->request.verb;
	bool is_undone = rl_verb_takes(verb);
	bool is_drawn_release = verb == RL_VERB_RELEASE && rl_token_is_drawn(terms->request.token);
	bool is_own_swap = verb == RL_VERB_SWAP && terms->is_own_token;
	return !terms->waits_for_login && (is_undone || is_drawn_release || is_own_swap);
}

/* The command may be queued now. */
static bool is_ready(const rl_errand *errand)
{
	const rl_channel *channel = &errand->channel;
	return rl_channel_is_logged_in(channel) &&
		(!errand->terms->waits_for_login || rl_channel_is_connected(channel));
}

/* A place in the wait queue leaves the last connection of the pool: the probes need one, and the
 * try at the deadline must not have to dial. */
static bool has_spare(const rl_errand *errand)
{
	return rl_pool_count(errand->terms->pool, errand->node) > 1;
}

/* False = the server cannot be dialled; err has the reason. */
static bool take_or_dial(rl_errand *errand, const rl_tick *tick)
{
	const rl_errand_terms *terms = errand->terms;
	rl_target *target = errand->node;
	rl_pool_want want = terms->request.verb == RL_VERB_FORCE ? RL_WANT_CHECKED : RL_WANT_ANY;
	want = must_come_after(terms) ? RL_WANT_RELEASE : want;
	rl_channel *channel = &errand->channel;
	if (is_queued(errand)) {
		if (rl_channel_is_open(channel)) {
			return true; /* see rl_errand_use() */
		}
		want = RL_WANT_QUIET;
	}
	bool is_taken = (want != RL_WANT_QUIET || has_spare(errand)) &&
		rl_channel_take(channel, terms->pool, target, want, 0, tick->now);
	if (is_taken && !channel->is_connecting) {
		return true;
	}
	if (!errand->has_dialled) {
		errand->has_dialled = true;
		errand->budget_end = rl_time_earlier(
			rl_time_later(errand->budget_end, errand->connect_timeout), errand->budget_max);
	}
	int64_t connect_end = rl_time_earlier(tick->now + errand->connect_timeout, errand->budget_end);
	channel->connect_end = connect_end;
	return is_taken ||
		rl_channel_dial(
			channel, terms->pool->transport, target, connect_end, terms->env, errand->err);
}

/* True = the command must not be sent: the node is too new to take the lock there. The errand
 * then has failed, or waits for the Sentinels first. */
static bool hold_back(rl_errand *errand, int64_t now)
{
	const rl_route *route = sentinels_of(errand);
	if (route->grace_ns == 0 || !is_too_new(errand)) {
		return false;
	}
	bool is_known = route->named_at != 0 && grace_left(errand, now) > 0;
	unsigned hops_max = is_looking(errand) ? RL_HOPS_MAX : is_known ? 0 : GRACE_HOPS_MAX;
	if (errand->hops < hops_max) {
		errand->hops++;
		await_lookup(errand, now);
		return true;
	}
	explain_grace(errand, now);
	rl_stats_add(&rl_env_stats(errand->terms->env)->blocked_by_grace, 1);
	fail(errand);
	return true;
}

/* True = a swap to the caller's token must not be sent now: it may overtake an undo or a release of
 * that token, which could then free the lock. The errand tries again after a pause. */
static bool must_come_later(rl_errand *errand, const rl_tick *tick)
{
	const rl_errand_terms *terms = errand->terms;
	const rl_request *request = &terms->request;
	if (!terms->is_own_token || request->verb != RL_VERB_SWAP || errand->node == NULL ||
		!rl_pool_may_free(
			terms->pool, errand->node, rl_conn_lock(request->key, request->fresh), tick->now)) {
		return false;
	}
	rl_error_set(errand->err, RL_ERR_TIMEOUT, 0,
		"not asked: the server may still run earlier commands, which could affect a lock with "
		"your token");
	pause(errand, errand->vain + 1, tick);
	return true;
}

static void open(rl_errand *errand, const rl_tick *tick)
{
	if (is_past_sending(errand, tick->now)) {
		return;
	}
	choose_node(errand);
	if (must_come_later(errand, tick) ||
		(sentinels_of(errand) != NULL && hold_back(errand, tick->now))) {
		return;
	}
	if (!take_or_dial(errand, tick)) {
		if (wants_name(errand, tick)) {
			return;
		}
		note_failure(errand, tick);
		recover(errand, false, tick);
	} else if (is_ready(errand) || may_travel_with_login(errand->terms)) {
		send_command(errand, tick);
	} else {
		enter(errand, RL_ERRAND_LOGIN);
		flush(errand, tick);
	}
}

/* ---- the answer ---- */

/* Bytes that no message may show. */
typedef struct call_secrets {
	rl_bytes list[3];
} call_secrets;

static call_secrets secrets_of(const rl_errand *errand)
{
	const rl_secret *password = &errand->node->password;
	const rl_request *request = &errand->terms->request;
	return (call_secrets){
		{request->token, request->fresh, rl_bytes_of(password->data, password->len)}};
}

/* Counts the round trip. Keeps the shortest one of the connection, because a longer one may include
 * a stall. */
static void note_round_trip(const rl_errand *errand, const rl_tick *tick)
{
	int64_t round_trip = tick->now - errand->channel.sent_at;
	rl_conn *conn = errand->channel.conn;
	if (errand->vain > 0 || is_queued(errand)) {
		return; /* the command was sent before, too, or the server has blocked it */
	}
	rl_histogram_add(&rl_env_stats(errand->terms->env)->round_trip, round_trip);
	if (conn->round_trip == 0 || round_trip < conn->round_trip) {
		conn->round_trip = round_trip;
	}
}

/* Notes that the server knows the script, or that it has lost the scripts. */
static void note_script(const rl_errand *errand, const rl_answer *answer, const rl_error *err)
{
	const rl_request *sent = &errand->sent;
	rl_conn *conn = errand->channel.conn;
	bool has_failed = answer->vote == RL_VOTE_FAILED;
	if (has_failed && strcmp(err->code, "NOSCRIPT") == 0) {
		rl_conn_lose_scripts(conn);
		return;
	}
	if (sent->verb == RL_VERB_TRY) {
		conn->has_run_try = !has_failed;
	}
	bool is_unheard = may_stay_unheard(errand, sent->verb);
	if (sent->form == RL_FORM_TEXT && !is_unheard && rl_verb_is_script(sent->verb) &&
		rl_conn_needs_text(conn, sent->verb)) {
		rl_conn_note_script(conn, sent->verb);
		rl_stats_add(&rl_env_stats(errand->terms->env)->scripts_loaded, 1);
	}
}

/* Counts that the helper keys of this lock, or of any, cannot be used. */
static void note_no_helpers(const rl_errand *errand, const rl_answer *answer)
{
	const rl_errand_terms *terms = errand->terms;
	bool is_freeing = rl_verb_changes(terms->request.verb); /* a wait has its own count */
	bool is_counted =
		answer->again == RL_AGAIN_NEVER_HELPERS ? rl_set_stop_waking(terms->set) : is_freeing;
	rl_stats_add(&rl_env_stats(terms->env)->wake_failures, is_counted);
}

/* Asks the node of the slot again: only that node knows whether it still has the key. A cluster of
 * Redis 6.2 redirects a command with several keys as soon as one of them has moved. */
static void ask_the_owner(rl_errand *errand, const rl_tick *tick)
{
	errand->sent.is_asking = false;
	leave_node(errand, tick);
	enter(errand, RL_ERRAND_START);
}

static void send_again(
	rl_errand *errand, const rl_answer *answer, const rl_error *err, const rl_tick *tick)
{
	switch (answer->again) {
		case RL_AGAIN_NOT:
			break;
		case RL_AGAIN_LATER:
			/* The keys of the command are on two nodes, because their slot is moving. */
			*errand->err = *err;
			leave_node(errand, tick);
			pause(errand, errand->vain + 1, tick);
			return;
		case RL_AGAIN_NO_HELPERS:
		case RL_AGAIN_NEVER_HELPERS:
			errand->sent.no_helpers = true;
			note_no_helpers(errand, answer);
			if (errand->sent.is_asking) {
				ask_the_owner(errand, tick);
				return;
			}
			break;
		case RL_AGAIN_BY_TYPE:
			errand->sent.form = RL_FORM_TYPE;
			break;
		case RL_AGAIN_AS_TEXT:
			errand->sent.form = RL_FORM_TEXT;
			rl_conn_lose_scripts(errand->channel.conn);
			break;
	}
	send_command(errand, tick);
}

/* After a lost answer, the refusal of a release may be the effect of our own earlier command, or of
 * another client, unless an earlier command would have left a mark. True = that cannot be known;
 * err is set. */
static bool is_unknown(const rl_errand *errand, const rl_answer *answer)
{
	const rl_request *request = &errand->terms->request;
	if (errand->doubt != RL_DOUBT_UNKNOWN || answer->vote != RL_VOTE_REFUSED ||
		request->verb != RL_VERB_RELEASE || request->done_ms > 0) {
		return false;
	}
	rl_error_set(errand->err, RL_ERR_UNKNOWN, 0,
		"no longer held, outcome unknown: the connection broke before the answer, so either this "
		"call released the lock, or it was lost before");
	return true;
}

/* After a lost answer: no mark of an earlier copy of the release can be there any more. */
static bool leaves_no_mark(const rl_errand *errand, int64_t now)
{
	int64_t done_ns = errand->terms->request.done_ms * RL_NS_PER_MS;
	return now - errand->channel.sent_at >= done_ns;
}

static rl_vote vote_of(const rl_errand *errand, const rl_answer *answer, int64_t now)
{
	const rl_errand_terms *terms = errand->terms;
	bool is_in_doubt = errand->doubt == RL_DOUBT_UNKNOWN;
	if (is_in_doubt && terms->was_held && terms->request.verb == RL_VERB_RELEASE &&
		leaves_no_mark(errand, now) && answer->vote == RL_VOTE_REFUSED) {
		return RL_VOTE_GRANTED; /* the first copy has freed it */
	}
	if (errand->sent.verb == RL_VERB_RELEASE && !is_in_doubt &&
		answer->number == RL_MARKED_BEFORE) {
		return RL_VOTE_REFUSED; /* another holder has left the mark */
	}
	if (errand->sent.verb == RL_VERB_SWAP && terms->is_own_token && !is_in_doubt &&
		answer->number == RL_SWAPPED_BEFORE) {
		return RL_VOTE_REFUSED; /* another client has set this token */
	}
	return answer->vote;
}

static bool keep_text(rl_errand *errand, rl_bytes text, rl_bytes labels)
{
	free(errand->text); /* of a node that the call has left */
	errand->text = NULL;
	errand->text_len = errand->labels_len = 0;
	if (text.len + labels.len == 0) {
		return true;
	}
	errand->text = malloc(text.len + labels.len);
	if (errand->text == NULL) {
		return false;
	}
	if (text.len > 0) {
		memcpy(errand->text, text.data, text.len);
	}
	if (labels.len > 0) {
		memcpy(errand->text + text.len, labels.data, labels.len);
	}
	errand->text_len = text.len;
	errand->labels_len = labels.len;
	return true;
}

/* An answer of the node counts only after check(). */
static bool must_check(const rl_errand *errand, int64_t now)
{
	const rl_route *route = sentinels_of(errand);
	if (route->check_ns == RL_NEVER || errand->terms->request.verb == RL_VERB_PROBE ||
		is_queued(errand)) {
		return false;
	}
	bool is_in_grace = route->grace_ns > 0 && (!is_since_login(errand) || is_too_new(errand));
	return now - route->named_at >= route->check_ns || !is_named(errand) || is_in_grace;
}

/* The answer is the vote, unless the Sentinels must confirm its node first. */
static void conclude(rl_errand *errand, int64_t now)
{
	errand->heard_at = now;
	if (sentinels_of(errand) != NULL && must_check(errand, now)) {
		enter(errand, RL_ERRAND_CHECKING);
		limit_lookup(errand, now);
	} else {
		rl_errand_finish(errand, errand->answer.vote);
	}
}

/* If the grant does not count, the member has the token all the same, and it must not stay. */
static bool leaves_token(const rl_errand *errand)
{
	rl_verb verb = errand->terms->request.verb;
	return verb != RL_VERB_EXTEND && verb != RL_VERB_RENEW;
}

static void on_error(rl_errand *errand, const rl_answer *answer, const rl_error *err)
{
	*errand->err = *err;
	errand->answer.number = answer->number;
	if (err->status == RL_ERR_PROTOCOL) {
		errand->doubt = RL_DOUBT_UNKNOWN; /* the answer makes no sense */
		errand->must_close = true;
	}
	if (err->status == RL_ERR_UNCONFIRMED) {
		rl_stats_add(&rl_env_stats(errand->terms->env)->unconfirmed, 1);
		errand->doubt = leaves_token(errand) ? RL_DOUBT_UNKNOWN : errand->doubt;
	}
	fail(errand);
}

/* True = the server has not run the command, which is sent again, here or to another node. The
 * errand has failed if that is not possible any more. */
static bool must_send_again(
	rl_errand *errand, const rl_answer *answer, rl_conn_event *event, const rl_tick *tick)
{
	if (answer->again != RL_AGAIN_NOT) {
		send_again(errand, answer, &event->err, tick);
		return true;
	}
	if (answer->vote != RL_VOTE_FAILED) {
		return false;
	}
	if (follow(errand, &event->reply, tick) || follow_blpop(errand, &event->reply, tick)) {
		return true;
	}
	if (!rl_error_is_wrong_server(&event->err)) {
		return false;
	}
	*errand->err = event->err;
	return leave_wrong_server(errand, tick);
}

/* The answer to the command. */
static void on_answer(
	rl_errand *errand, rl_answer *answer, rl_conn_event *event, const rl_tick *tick)
{
	if (must_send_again(errand, answer, event, tick)) {
		return;
	}
	note_round_trip(errand, tick);
	bool is_untold = rl_answer_is_untold(answer, errand->sent.verb);
	rl_stats_add(&rl_env_stats(errand->terms->env)->wake_failures, is_untold);
	note_script(errand, answer, &event->err);
	answer->vote = vote_of(errand, answer, tick->now);
	if (is_unknown(errand, answer)) {
		fail(errand);
		return;
	}
	if (answer->vote == RL_VOTE_FAILED) {
		on_error(errand, answer, &event->err);
		return;
	}
	errand->doubt = errand->doubt == RL_DOUBT_UNKNOWN ? RL_DOUBT_STRAY : errand->doubt;
	errand->answer = *answer;
	if (keep_text(errand, answer->text, answer->labels)) {
		conclude(errand, tick->now);
	} else {
		rl_error_set(errand->err, RL_ERR_MEMORY, 0, "out of memory");
		fail(errand);
	}
}

void rl_errand_adopt(rl_errand *errand, rl_conn *conn, bool is_asking, int64_t sent_at)
{
	rl_errand_use(errand, conn, is_asking);
	errand->channel.sent_at = sent_at;
	errand->answer.vote = RL_VOTE_GRANTED;
	conclude(errand, errand->terms->begun_at);
}

/* ---- checking the primary ---- */

/* The Sentinels do not confirm the answer. A grant is undone when the quorum call settles. */
static void fail_unconfirmed(rl_errand *errand)
{
	if (!rl_verb_is_confirmed(errand->terms->request.verb) ||
		errand->answer.vote != RL_VOTE_GRANTED) {
		errand->is_unchecked = true;
		rl_errand_finish(errand, errand->answer.vote);
		return;
	}
	errand->err->status = RL_ERR_UNCONFIRMED;
	errand->doubt = leaves_token(errand) ? RL_DOUBT_UNKNOWN : errand->doubt;
	rl_stats_add(&rl_env_stats(errand->terms->env)->unconfirmed, 1);
	fail(errand);
}

/* Ends the errand if its command must not be sent to another node as well: a swap. */
static bool fails_by_switch(rl_errand *errand, bool was_granted, bool may_have_run)
{
	if (!may_have_run || errand->terms->request.verb != RL_VERB_SWAP) {
		return false;
	}
	errand->must_close = true;
	rl_error_set(errand->err, RL_ERR_CLOSED, 0, "the Sentinels name another primary now, %s",
		rl_route_node(sentinels_of(errand), 0)->name);
	if (was_granted) {
		fail_unconfirmed(errand);
	} else {
		errand->doubt = RL_DOUBT_UNKNOWN;
		fail(errand);
	}
	return true;
}

/* The node is not the primary any more: asks the new one. */
static void leave_old_primary(rl_errand *errand, const rl_tick *tick)
{
	const rl_errand_terms *terms = errand->terms;
	bool was_granted =
		errand->state == RL_ERRAND_CHECKING && errand->answer.vote == RL_VOTE_GRANTED;
	bool may_have_run = was_granted || rl_errand_is_unanswered(errand);
	if (fails_by_switch(errand, was_granted, may_have_run)) {
		return;
	}
	bool is_undone =
		may_have_run && rl_verb_takes(terms->request.verb) && rl_channel_is_open(&errand->channel);
	if (is_undone) {
		rl_request request = terms->request;
		rl_stats_add(
			&rl_env_stats(terms->env)->grants_undone, rl_conn_undo(errand->channel.conn, &request));
		if (terms->is_own_token) {
			rl_conn_note_own(errand->channel.conn, request.key, request.token);
		}
	}
	errand->doubt = may_have_run ? RL_DOUBT_UNKNOWN : errand->doubt;
	rl_channel_give_back(
		&errand->channel, terms->pool, (rl_giving){.must_arrive = is_undone}, tick->now);
	enter(errand, RL_ERRAND_START);
	errand->hops++;
	renew_budget(errand, tick);
	if (errand->hops > RL_HOPS_MAX) {
		rl_error_set(errand->err, RL_ERR_CONNECT, 0, "the primary changes again and again");
		fail(errand);
	}
}

/* What the Sentinels have named counts for the answer that was heard. */
static bool was_asked_in_time(const rl_errand *errand)
{
	return errand->heard_at - sentinels_of(errand)->named_at < RL_CHECK_NS &&
		is_since_login(errand);
}

/* True when the latest lookup has failed since the answer was heard, also if it began before that.
 * For a command that counts without Sentinels a lookup that has failed since the call began is
 * enough. A lookup that has named a node never ends the check in vain: if it was asked too soon,
 * another one follows, and counts. */
static bool has_asked_in_vain(const rl_errand *errand)
{
	const rl_errand_terms *terms = errand->terms;
	const rl_lookup *lookup = errand->lookup;
	bool is_confirmed = rl_verb_is_confirmed(terms->request.verb);
	int64_t since = is_confirmed ? errand->heard_at : terms->begun_at;
	return lookup != NULL && lookup->vote != RL_VOTE_GRANTED && lookup->ended_at >= since;
}

/* No lookup is open. */
static void judge_check(rl_errand *errand, const rl_tick *tick)
{
	if (was_asked_in_time(errand)) {
		if (!is_named(errand)) {
			leave_old_primary(errand, tick);
		} else if (is_too_new(errand)) {
			explain_grace(errand, tick->now);
			fail_unconfirmed(errand);
		} else {
			rl_errand_finish(errand, errand->answer.vote);
		}
	} else if (has_asked_in_vain(errand)) {
		rl_lookup_explain(errand->lookup, errand->err);
		fail_unconfirmed(errand);
	} else if (begin_lookup(errand, tick->now)) {
		limit_lookup(errand, tick->now);
	} else {
		fail_unconfirmed(errand);
	}
}

/* Goes on as far as possible without waiting. */
static void check(rl_errand *errand, const rl_tick *tick)
{
	/* Bounded: each round ends the check, waits for a lookup, or begins one. A lookup that begins
	 * here is asked after the answer was heard: so it counts, or is in vain. */
	bool is_waiting = false;
	while (errand->state == RL_ERRAND_CHECKING && !is_waiting) {
		if (is_looking(errand)) {
			step_open_lookup(errand, tick);
		}
		is_waiting = is_looking(errand);
		if (!is_waiting) {
			judge_check(errand, tick);
		}
	}
	if (errand->state == RL_ERRAND_CHECKING && tick->seen >= errand->budget_end) {
		rl_lookup_explain(errand->lookup, errand->err);
		fail_unconfirmed(errand);
	}
}

/* ---- the login has failed ---- */

/* Releases what the member has granted, and waits for the answer. Without memory the errand
 * fails, and the token is in doubt. */
static void send_undo(rl_errand *errand, const rl_tick *tick)
{
	const rl_errand_terms *terms = errand->terms;
	rl_request undo = rl_request_undo(&terms->request);
	undo.is_asking = errand->sent.is_asking;
	enter(errand, RL_ERRAND_UNDOING);
	if (!rl_channel_send(&errand->channel, &undo, (unsigned) RL_VERB_RELEASE)) {
		errand->doubt = RL_DOUBT_UNKNOWN;
		fail(errand);
		return;
	}
	rl_stats_add(&rl_env_stats(terms->env)->grants_undone, 1);
	flush(errand, tick);
}

static void on_login_refused(rl_errand *errand, const rl_reply *reply, const rl_tick *tick)
{
	call_secrets secrets = secrets_of(errand);
	rl_error_from_server(errand->err, reply->text, secrets.list, 3);
	if (rl_redirect_read(reply->text).kind != RL_REDIRECT_NONE) {
		rl_error_append(errand->err,
			" (to AUTH, SELECT or ROLE, which no node of a cluster redirects: is this a proxy?)");
	}
	if (errand->state == RL_ERRAND_LOGIN) {
		if (!rl_error_is_wrong_server(errand->err) || !leave_wrong_server(errand, tick)) {
			fail(errand);
		}
	} else if (errand->state == RL_ERRAND_ANSWER) {
		enter(errand, RL_ERRAND_REFUSED);
	}
}

/* The answer to the command after a login that failed. A grant is undone before the failure is
 * reported. */
static void on_answer_refused(
	rl_errand *errand, const rl_answer *answer, const rl_error *err, const rl_tick *tick)
{
	bool is_granted = answer->vote == RL_VOTE_GRANTED ||
		(answer->vote == RL_VOTE_FAILED && err->status == RL_ERR_UNCONFIRMED);
	if (rl_verb_takes(errand->sent.verb) && is_granted) {
		send_undo(errand, tick);
	} else if (!rl_error_is_wrong_server(errand->err) || !leave_wrong_server(errand, tick)) {
		fail(errand);
	}
}

/* ---- the connection breaks ---- */

/* True when the break ends the errand. */
static bool ends_with(rl_errand *errand, const rl_error *err)
{
	bool is_over = is_refused(errand) || err->status == RL_ERR_TLS;
	if (!is_over && errand->terms->request.verb == RL_VERB_FORCE &&
		errand->doubt == RL_DOUBT_UNKNOWN) {
		/* A second FORCE could free the lock of the next holder. */
		rl_error_set(errand->err, RL_ERR_UNKNOWN, err->sys_errno,
			"outcome unknown: the connection broke before the answer: %s; "
			"call isLocked() to see whether the lock is still held",
			err->message);
		is_over = true;
	}
	return is_over;
}

static void on_down(rl_errand *errand, const rl_error *err, const rl_tick *tick)
{
	rl_channel *channel = &errand->channel;
	/* A server that is full sends its error without having read the command, and a server that
	 * expects TLS has not understood it. */
	bool was_unread =
		err->status == RL_ERR_TLS || (is_refused(errand) && rl_error_is_full(errand->err));
	if (rl_errand_is_unanswered(errand) && !was_unread) {
		errand->doubt = RL_DOUBT_UNKNOWN;
	}
	if (!is_refused(errand)) {
		*errand->err = *err;
	}
	if (err->status == RL_ERR_PROTOCOL) {
		errand->must_close = true; /* an undo can still be written */
		fail(errand);
		return;
	}
	/* A server that accepts connections and never answers counts like one that refuses them. */
	bool was_silent = channel->conn->heard == RL_CONN_HEARD_NEVER;
	bool is_over = ends_with(errand, err);
	bool was_connected = err->status == RL_ERR_CLOSED;
	if (was_silent && !is_over) {
		note_failure(errand, tick);
	}
	if (was_connected && !is_over) {
		note_replaced(errand);
	}
	rl_channel_close(channel);
	/* With several members a silent one is not dialled again: the others can decide. */
	if (is_over || (was_silent && errand->terms->set->count > 1)) {
		fail(errand);
	} else {
		recover(errand, was_connected, tick);
	}
}

/* ---- timeouts ---- */

static void judge_connecting(rl_errand *errand, const rl_tick *tick)
{
	if (tick->seen < errand->channel.connect_end) {
		return;
	}
	const rl_conn *conn = errand->channel.conn;
	char limit[RL_SECONDS_TEXT];
	rl_error_set(errand->err, RL_ERR_CONNECT, 0, "no connection within %s s (connectTimeout)%s",
		rl_seconds_text(errand->connect_timeout, limit), conn->transport->hint(conn->link));
	note_failure(errand, tick);
	rl_channel_close(&errand->channel);
	recover(errand, false, tick);
}

static void set_timeout_error(rl_errand *errand, const rl_tick *tick)
{
	char before[sizeof errand->err->message];
	memcpy(before, errand->err->message, sizeof before);
	if (tick->seen - errand->channel.sent_at >= errand->timeout) {
		char limit[RL_SECONDS_TEXT];
		rl_error_set(errand->err, RL_ERR_TIMEOUT, 0, "no answer within %s s (timeout)",
			rl_seconds_text(errand->timeout, limit));
	} else {
		rl_error_set(errand->err, RL_ERR_TIMEOUT, 0, "no answer in the rest of the timeout");
	}
	if (errand->vain > 0) {
		rl_error_append(errand->err, "; before that: %s", before);
	}
}

static void judge_answering(rl_errand *errand, const rl_tick *tick)
{
	if (tick->seen < errand->budget_end) {
		return;
	}
	errand->must_close = true;
	note_failure(errand, tick);
	if (rl_errand_is_unanswered(errand)) {
		errand->doubt = RL_DOUBT_UNKNOWN;
	}
	if (!is_refused(errand)) {
		set_timeout_error(errand, tick);
	}
	fail(errand);
}

/* ---- lookups and pauses end ---- */

/* The time of the next lookup, because the primary has not answered yet; RL_NEVER = a lookup is
 * open, or no lookup is needed. */
static int64_t next_lookup(const rl_errand *errand)
{
	bool is_waiting = errand->state == RL_ERRAND_LOGIN || errand->state == RL_ERRAND_ANSWER ||
		errand->state == RL_ERRAND_PAUSED;
	if (!is_waiting || is_looking(errand) ||
		(is_queued(errand) && errand->state == RL_ERRAND_ANSWER)) {
		return RL_NEVER;
	}
	int64_t last = errand->lookup != NULL ? errand->lookup->begun_at : 0;
	int64_t begun_at = errand->terms->begun_at;
	return (last > begun_at ? last : begun_at) + RL_LOOKUP_AGAIN_NS;
}

/* The Sentinels have named the primary, so the errand asks it. If they have named the node that
 * has just failed, the errand fails, because there is no other node to ask; but a command in
 * doubt is sent there again, because only another answer can clear the doubt. */
static void ask(rl_errand *errand, const rl_tick *tick)
{
	bool has_failed = errand->err->status != RL_OK && is_named(errand);
	enter(errand, RL_ERRAND_START);
	renew_budget(errand, tick);
	if (has_failed && errand->doubt != RL_DOUBT_UNKNOWN) {
		fail(errand);
	}
}

static void on_named(rl_errand *errand, const rl_tick *tick)
{
	switch (errand->state) {
		case RL_ERRAND_LOOKUP:
			ask(errand, tick);
			break;
		case RL_ERRAND_START:
		case RL_ERRAND_PAUSED:
		case RL_ERRAND_NAMING:
		case RL_ERRAND_LOGIN:
		case RL_ERRAND_ANSWER:
			if (!is_named(errand)) {
				leave_old_primary(errand, tick);
			}
			break;
		case RL_ERRAND_BACKED_OFF:
		case RL_ERRAND_REFUSED:
		case RL_ERRAND_UNDOING:
		case RL_ERRAND_CHECKING: /* see check() */
		case RL_ERRAND_DONE:
			break;
	}
}

/* Steps an open lookup. Begins a lookup if the primary has not answered for a while. */
static void step_lookup(rl_errand *errand, const rl_tick *tick)
{
	if (next_lookup(errand) <= tick->now && !begin_lookup(errand, tick->now)) {
		return;
	}
	if (is_looking(errand)) {
		step_open_lookup(errand, tick);
	}
	bool is_late = tick->seen >= errand->budget_end;
	bool is_in_vain = is_looking(errand) && errand->state == RL_ERRAND_LOOKUP && is_late;
	if (errand->lookup == NULL || (is_looking(errand) && !is_in_vain)) {
		return;
	}
	if (errand->lookup->vote == RL_VOTE_GRANTED) {
		on_named(errand, tick);
		return;
	}
	if (errand->state != RL_ERRAND_LOOKUP) {
		return;
	}
	/* Once: the Sentinels had little time to answer this call, because the lookup is older. */
	bool was_short = errand->lookup->begun_at < errand->terms->begun_at &&
		errand->lookup->ended_at - errand->terms->begun_at < errand->timeout;
	if (was_short && !is_late && look_up_again(errand, tick->now)) {
		step_lookup(errand, tick);
	} else {
		rl_lookup_explain(errand->lookup, errand->err);
		fail(errand);
	}
}

/* Ends the pause. False = the pause is not over. */
static bool resume(rl_errand *errand, const rl_tick *tick)
{
	if (tick->now < errand->resume_at) {
		return false;
	}
	enter(errand, RL_ERRAND_START);
	if (tick->now >= errand->budget_end) {
		fail(errand); /* err has the last break */
	}
	return true;
}

/* ---- stepping ---- */

/* The answer to the BLPOP of a try in the wait queue; the answer to the try follows. */
static void on_blpop(rl_errand *errand, rl_conn_event *event, const rl_tick *tick)
{
	const rl_errand_terms *terms = errand->terms;
	const rl_request blpop = {.verb = RL_VERB_BLPOP};
	call_secrets secrets = secrets_of(errand);
	rl_answer answer;
	rl_error *err = &event->err;
	rl_answer_read(&blpop, &event->reply, &answer, err, secrets.list, 3);
	keep_next(errand, rl_route_follow_reply(errand->server->route, &event->reply, errand->node));
	errand->blpop = answer.vote == RL_VOTE_GRANTED ? RL_BLPOP_TICKET : RL_BLPOP_NOTHING;
	if (answer.vote != RL_VOTE_FAILED) {
		return;
	}
	errand->blpop = rl_error_passes(err) ? RL_BLPOP_LATER : RL_BLPOP_NEVER;
	if (err->status == RL_ERR_PROTOCOL) { /* the next reply may not be that to the try */
		on_error(errand, &answer, err);
		return;
	}
	if (rl_error_is_wrong_server(err)) {
		rl_pool_distrust(terms->pool, &errand->node->address, tick->now);
	}
	/* BLPOP would be refused for every key. */
	if (strcmp(err->code, "ERR") == 0 || rl_error_names_command(err)) {
		rl_stats_add(&rl_env_stats(terms->env)->wake_failures, rl_set_stop_waking(terms->set));
	}
}

static void on_reply(rl_errand *errand, rl_conn_event *event, const rl_tick *tick)
{
	static const rl_request release = {.verb = RL_VERB_RELEASE, .form = RL_FORM_TEXT};
	bool is_release = errand->state == RL_ERRAND_UNDOING;
	call_secrets secrets = secrets_of(errand);
	rl_answer answer;
	rl_answer_read(is_release ? &release : &errand->sent, &event->reply, &answer, &event->err,
		secrets.list, 3);
	switch (errand->state) {
		case RL_ERRAND_ANSWER:
			on_answer(errand, &answer, event, tick);
			break;
		case RL_ERRAND_REFUSED:
			on_answer_refused(errand, &answer, &event->err, tick);
			break;
		case RL_ERRAND_UNDOING:
			fail(errand); /* err has the reason since the login */
			break;
		case RL_ERRAND_START:
		case RL_ERRAND_LOOKUP:
		case RL_ERRAND_BACKED_OFF:
		case RL_ERRAND_PAUSED:
		case RL_ERRAND_NAMING:
		case RL_ERRAND_LOGIN:
		case RL_ERRAND_CHECKING:
		case RL_ERRAND_DONE:
			break; /* nothing was sent that is not answered */
	}
}

/* Reads all that has arrived, until the command is answered or there is no connection. The end of
 * the connection, which may follow the answer at once, is not the end of the answer. */
static void read_all(rl_errand *errand, const rl_tick *tick)
{
	rl_conn_event event; /* large, so it is not cleared */
	event.type = RL_CONN_READY;
	while (event.type != RL_CONN_NONE && rl_channel_is_open(&errand->channel) &&
		!is_answered(errand)) {
		rl_channel_next(&errand->channel, &event);
		switch (event.type) {
			case RL_CONN_NONE:
				break;
			case RL_CONN_READY:
				rl_channel_note_ready(&errand->channel, errand->terms->env);
				if (errand->state == RL_ERRAND_LOGIN) {
					send_command(errand, tick);
				}
				break;
			case RL_CONN_REFUSED:
				on_login_refused(errand, &event.reply, tick);
				break;
			case RL_CONN_REPLY:
				if (event.tag == RL_VERB_BLPOP) {
					on_blpop(errand, &event, tick);
				} else {
					on_reply(errand, &event, tick);
				}
				break;
			case RL_CONN_DOWN:
				on_down(errand, &event.err, tick);
				break;
		}
	}
}

/* Steps an errand with a connection. False = nothing more can be done now. */
static bool go_on(rl_errand *errand, const rl_tick *tick)
{
	flush(errand, tick);
	if (errand->state == RL_ERRAND_LOGIN && is_ready(errand)) {
		send_command(errand, tick);
	}
	read_all(errand, tick);
	if (rl_channel_judge_replicas(&errand->channel, tick)) {
		read_all(errand, tick);
	}
	if (!rl_channel_is_open(&errand->channel) || is_answered(errand)) {
		return true;
	}
	if (rl_channel_is_connected(&errand->channel)) {
		judge_answering(errand, tick);
	} else {
		judge_connecting(errand, tick);
	}
	return !rl_channel_is_open(&errand->channel);
}

void rl_errand_step(rl_errand *errand, const rl_tick *tick)
{
	bool goes_on = true;
	if (sentinels_of(errand) != NULL) {
		step_lookup(errand, tick);
	}
	/* Bounded: each round ends the errand, waits, or uses up an idle connection or a break. */
	while (goes_on) {
		switch (errand->state) {
			/* The node is asked only as last resort: see rl_errand_call_up(). */
			case RL_ERRAND_BACKED_OFF:
				goes_on = false;
				break;
			/* Nothing is sent before the Sentinels have named a primary. */
			case RL_ERRAND_LOOKUP:
				step_lookup(errand, tick);
				goes_on = errand->state != RL_ERRAND_LOOKUP;
				break;
			/* The node is chosen, its connection taken or dialled, and the command sent, if it may
			 * be. Its answer cannot be here yet. */
			case RL_ERRAND_START:
				open(errand, tick);
				goes_on = errand->state != RL_ERRAND_ANSWER;
				break;
			/* The command is sent again, unless the budget is over when the pause ends. During
			 * NAMING the driver resolves the name of the node. */
			case RL_ERRAND_PAUSED:
			case RL_ERRAND_NAMING:
				goes_on = resume(errand, tick);
				break;
			/* The command waits for the login. */
			case RL_ERRAND_LOGIN:
			/* The command was sent. */
			case RL_ERRAND_ANSWER:
			/* The login has failed, but the server may run the command that was sent with it. */
			case RL_ERRAND_REFUSED:
			/* The server has run it, and its grant is being released. */
			case RL_ERRAND_UNDOING:
				goes_on = go_on(errand, tick);
				break;
			/* The answer is here, and counts if the Sentinels still name its node. */
			case RL_ERRAND_CHECKING:
				check(errand, tick);
				goes_on = errand->state != RL_ERRAND_CHECKING;
				break;
			/* The vote stands. */
			case RL_ERRAND_DONE:
				goes_on = false;
				break;
		}
	}
}

void rl_errand_add_to_wait(const rl_errand *errand, rl_wait *wait)
{
	bool may_look = sentinels_of(errand) != NULL && errand->state != RL_ERRAND_DONE;
	if (may_look && is_looking(errand)) {
		rl_lookup_add_to_wait(errand->lookup, wait);
	} else if (errand->state == RL_ERRAND_LOOKUP || errand->state == RL_ERRAND_CHECKING) {
		rl_wait_until(wait, 0); /* another errand has ended the lookup since the last step */
	} else if (may_look) {
		rl_wait_until(wait, next_lookup(errand));
	}
	switch (errand->state) {
		case RL_ERRAND_DONE:
			break;
		case RL_ERRAND_LOOKUP:
		case RL_ERRAND_CHECKING:
			rl_wait_until(wait, errand->budget_end);
			break;
		case RL_ERRAND_BACKED_OFF:
			rl_wait_until(wait, errand->terms->call_up_at);
			break;
		case RL_ERRAND_NAMING:
			wait->wants_names = true;
			rl_wait_until(wait, errand->resume_at);
			break;
		case RL_ERRAND_PAUSED:
			rl_wait_until(wait, errand->resume_at);
			break;
		case RL_ERRAND_START:
		case RL_ERRAND_LOGIN:
		case RL_ERRAND_ANSWER:
		case RL_ERRAND_REFUSED:
		case RL_ERRAND_UNDOING:
			rl_channel_add_to_wait(&errand->channel, wait, errand->budget_end);
			break;
	}
}

/* ---- the end ---- */

/* True when the server's error shows that it would refuse an undo as well. */
static bool refuses_scripts(const rl_errand *errand)
{
	return errand->vote == RL_VOTE_FAILED && errand->err->status == RL_ERR_SERVER &&
		(rl_error_passes(errand->err) || strcmp(errand->err->code, "NOPERM") == 0 ||
			strcmp(errand->err->code, "NOAUTH") == 0);
}

/* The member has carried out the command, whether or not its replicas have confirmed it. */
static bool was_granted(const rl_errand *errand)
{
	bool is_being_checked =
		errand->state == RL_ERRAND_CHECKING && errand->answer.vote == RL_VOTE_GRANTED;
	return errand->vote == RL_VOTE_GRANTED || is_being_checked || rl_errand_is_unconfirmed(errand);
}

/* To undo the token frees no lock of another holder: the token is unique, or the member has granted
 * it to this call, and its TTL lasts. */
static bool is_ours(const rl_errand *errand, rl_bytes token, int64_t now)
{
	const rl_errand_terms *terms = errand->terms;
	int64_t ttl = terms->request.ttl_ms * RL_NS_PER_MS;
	bool lasts = now < errand->channel.sent_at + ttl - rl_set_drift(terms->set, ttl);
	return rl_token_is_drawn(token) || (was_granted(errand) && lasts);
}

/* A swap to a drawn token is undone if it was or may have been carried out. In a swap to the
 * caller's token that token is released only if this swap has set it, and the drawn token only if
 * the member has not answered. */
static bool may_undo_swap(const rl_errand *errand, int64_t now)
{
	if (!errand->terms->is_own_token) {
		return was_granted(errand) || errand->doubt != RL_DOUBT_NONE ||
			rl_errand_is_unanswered(errand);
	}
	return errand->vote != RL_VOTE_REFUSED &&
		(!was_granted(errand) ||
			(errand->answer.number == RL_SWAPPED_NOW &&
				is_ours(errand, errand->terms->request.fresh, now)));
}

/* True when the member has or may have the token, and an undo is allowed. */
static bool may_undo(const rl_errand *errand, rl_undo undo, int64_t now)
{
	const rl_errand_terms *terms = errand->terms;
	rl_verb verb = terms->request.verb;
	/* If the server would refuse the undo, the next try finds out whether the key is ours. */
	if (undo == RL_UNDO_NOTHING || errand->state == RL_ERRAND_UNDOING ||
		(undo == RL_UNDO_BUT_REFUSALS && refuses_scripts(errand))) {
		return false;
	}
	if (verb == RL_VERB_SWAP) {
		return may_undo_swap(errand, now);
	}
	if (!rl_verb_takes(verb)) {
		return verb == RL_VERB_EXTEND && errand->vote == RL_VOTE_GRANTED;
	}
	bool may_have_it =
		was_granted(errand) || errand->doubt == RL_DOUBT_UNKNOWN || rl_errand_is_unanswered(errand);
	/* A token that was swapped in may be undone after the call (rl_quorum_call_hold()). */
	return may_have_it && is_ours(errand, terms->request.token, now);
}

/* False = nothing was written. */
static bool write_undo(const rl_errand *errand)
{
	const rl_errand_terms *terms = errand->terms;
	rl_request request = terms->request;
	request.is_asking = errand->sent.is_asking;
	bool is_swap = request.verb == RL_VERB_SWAP;
	if (is_swap && was_granted(errand) && terms->is_own_token) {
		request.token = request.fresh;
	}
	rl_conn *conn = errand->channel.conn;
	bool is_written = conn != NULL &&
		(is_swap && !terms->is_own_token ? rl_conn_swap_back(conn, &request)
										 : rl_conn_undo(conn, &request));
	if (conn != NULL && terms->is_own_token) {
		rl_conn_note_own(conn, request.key, request.token);
	}
	rl_stats_add(&rl_env_stats(terms->env)->grants_undone, is_written);
	return is_written;
}

static void give_back(rl_errand *errand, bool was_undone, int64_t now)
{
	const rl_errand_terms *terms = errand->terms;
	rl_channel *channel = &errand->channel;
	int64_t unheard_ns = rl_errand_unheard_ns(errand);
	if (!rl_channel_is_open(channel)) {
		return;
	}
	if (terms->request.verb == RL_VERB_RELEASE) {
		/* The token may be a caller's. */
		rl_conn_note_own(channel->conn, terms->request.key, terms->request.token);
	}
	rl_giving giving = {.is_trusted = !errand->must_close,
		.unheard_ns = unheard_ns,
		/* A late release of a drawn token is harmless: no other client has this token. */
		.may_send_later = terms->request.verb == RL_VERB_RELEASE &&
			!rl_channel_is_connected(channel) && rl_token_is_drawn(terms->request.token),
		.must_arrive = (was_undone || unheard_ns > 0) && errand->err->status != RL_ERR_PROTOCOL};
	rl_channel_give_back(channel, terms->pool, giving, now);
}

/* True when the member may have the token, and no undo makes sure that it loses it. */
static bool is_doubtful(const rl_errand *errand, rl_undo undo, bool was_undone)
{
	const rl_errand_terms *terms = errand->terms;
	/* A swap to the caller's token that is not heard leaves it open whether the member has it. */
	bool is_own_swap = terms->is_own_token && terms->request.verb == RL_VERB_SWAP;
	if (was_undone && !refuses_scripts(errand) && (was_granted(errand) || !is_own_swap)) {
		return false;
	}
	return errand->doubt == RL_DOUBT_UNKNOWN || rl_errand_is_unanswered(errand) ||
		(undo != RL_UNDO_NOTHING && was_granted(errand));
}

rl_settlement rl_errand_settle(rl_errand *errand, rl_undo undo, int64_t now)
{
	if (errand->state == RL_ERRAND_CHECKING) { /* what the Sentinels say matters no more */
		rl_errand_finish(errand, errand->answer.vote);
	}
	rl_settlement settlement = {0};
	bool was_undone = may_undo(errand, undo, now) && write_undo(errand);
	bool is_in_doubt = is_doubtful(errand, undo, was_undone);
	if (was_undone && !refuses_scripts(errand)) {
		settlement.was_undone = true;
		settlement.doubt = was_granted(errand) ? RL_DOUBT_NONE : RL_DOUBT_GUARDED;
	}
	settlement.doubt = is_in_doubt ? RL_DOUBT_UNKNOWN : settlement.doubt;
	if (rl_errand_is_unanswered(errand) && !was_undone && errand->doubt < RL_DOUBT_LEFT) {
		errand->doubt = RL_DOUBT_LEFT;
	}
	rl_errand_finish(errand, errand->vote);
	give_back(errand, was_undone, now);
	return settlement;
}
