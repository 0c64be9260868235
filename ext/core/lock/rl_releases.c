/* SPDX-License-Identifier: MIT
 *
 * The release of one lease is a quorum call with a limit of time. Many releases are an operation
 * that has a quorum call for each of them, and in which these share their connections:
 *
 *     rl_releases
 *     |- leases[count]    borrowed, in the order of their release:  ended | under way | next ...
 *     |- under_way[used]  for each lease under way an operation with its quorum call
 *     |- lines            the connections of all these quorum calls (rl_channel.h)
 *     `- missing[count]   the result for each lease
 *
 * Each lease has a quorum call of its own, with the verb RELEASE: a release that breaks off, is
 * redirected, or meets a replica is repeated as any other. At most RL_RELEASES_WINDOW quorum calls
 * are under way. They queue their commands on the lines, and all lines are flushed together, so a
 * window of releases is one write to each server.
 *
 * A call ends with its outcome, and its other members are not waited for: their releases stay on
 * the lines, and go out until the operation ends, or later, from the pool. When the time is over,
 * the releases that are left are written, and their answers are not waited for.
 *
 * A lease is released when a quorum has freed it, and lost when refusals rule a quorum out. The key
 * of another type has another holder, so its error is a refusal.
 *
 * An operation belongs to one thread. That of many owns its quorum calls, lines and results.
 * Between two steps its calls under way are open, in the order in which they have begun.
 */
#include "core/lock/rl_releases.h"

#include "core/base/rl_block.h"
#include "core/base/rl_time.h"
#include "core/lock/rl_op_failure.h"

#include <stdlib.h>
#include <string.h>

typedef rl_release release;

/* ---- one release ---- */

/* NULL when out of memory. */
static release *release_new(
	rl_set *set, rl_pool *pool, const rl_env *env, const rl_op_class *class, rl_lease *lease)
{
	rl_bytes token = rl_lease_token(lease);
	char *room;
	release *one =
		rl_op_alloc(sizeof *one, class, set, pool, env, lease->names.key, token.len, &room);
	if (one == NULL) {
		return NULL;
	}
	memcpy(room, token.data, token.len);
	one->lease = lease;
	rl_quorum_call *call = &one->op.call;
	call->terms.request.verb = RL_VERB_RELEASE;
	call->terms.request.token = rl_bytes_of(room, token.len);
	return one;
}

static void begin(release *one, int64_t now)
{
	one->op.call.terms.was_held = rl_lease_is_held(one->lease) || rl_lease_was_held(one->lease);
	rl_quorum_call_begin(&one->op.call, RL_WANTED_DECISION, now, RL_NEVER);
}

static bool is_of_another_type(const rl_errand *member)
{
	return member->vote == RL_VOTE_FAILED && strcmp(member->err->code, "WRONGTYPE") == 0;
}

static rl_vote outcome_of(const rl_quorum_call *call)
{
	rl_tally tally = {0};
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		const rl_errand *member = &call->members[i];
		rl_tally_add(&tally, is_of_another_type(member) ? RL_VOTE_REFUSED : member->vote);
	}
	return rl_tally_outcome(&tally);
}

/* The servers of a quorum have answered, be it with an error. */
static bool is_answered(const rl_quorum_call *call)
{
	unsigned answers = 0;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		const rl_errand *member = &call->members[i];
		bool is_told = member->vote == RL_VOTE_FAILED &&
			(member->err->status == RL_ERR_SERVER || member->err->status == RL_ERR_UNKNOWN);
		answers += member->vote == RL_VOTE_GRANTED || member->vote == RL_VOTE_REFUSED || is_told;
	}
	return answers >= rl_quorum(call->terms.set->count);
}

static bool is_barred(const rl_quorum_call *call)
{
	unsigned barred = 0;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		const rl_errand *member = &call->members[i];
		barred += member->vote == RL_VOTE_FAILED && rl_error_is_final(member->err);
	}
	return barred > call->terms.set->count - rl_quorum(call->terms.set->count);
}

/* Settles the release, and ends its lease if the votes have decided. */
static void settle(release *one, int64_t now)
{
	rl_quorum_call *call = &one->op.call;
	rl_stats *stats = rl_env_stats(call->terms.env);
	rl_quorum_call_settle(call, RL_UNDO_NOTHING, now);
	switch (outcome_of(call)) {
		case RL_VOTE_GRANTED:
			rl_lease_end(one->lease);
			rl_stats_add(&stats->released, 1);
			break;
		case RL_VOTE_REFUSED:
			rl_lease_lose(one->lease);
			rl_stats_add(&stats->not_released, 1);
			break;
		case RL_VOTE_OPEN: /* the time is over */
		case RL_VOTE_FAILED:
			rl_stats_add(&stats->failed, 1);
			break;
	}
}

/* The members that have yet to release the lease. */
static unsigned missing_of(const rl_quorum_call *call)
{
	rl_vote outcome = outcome_of(call);
	bool is_decided = outcome == RL_VOTE_GRANTED || outcome == RL_VOTE_REFUSED;
	return is_decided ? 0 : rl_quorum_call_missing(call);
}

/* ---- one release alone ---- */

static void end_alone(release *one, int64_t now)
{
	settle(one, now);
	if (is_barred(&one->op.call)) {
		rl_op_fail(&one->op, "");
	}
	one->op.status = is_answered(&one->op.call) ? RL_OK : RL_ERR_TIMEOUT;
}

static bool step_alone(rl_op *op, const rl_tick *tick, rl_wait *wait)
{
	release *one = (release *) op;
	if (!op->is_begun) {
		op->is_begun = true;
		one->end_at = rl_time_later(tick->now, one->limit_ns);
		begin(one, tick->now);
	}
	rl_quorum_call_step(&op->call, tick, wait);
	if (op->call.outcome == RL_VOTE_OPEN && tick->seen < one->end_at) {
		rl_wait_until(wait, one->end_at);
		return false;
	}
	end_alone(one, tick->now);
	return true;
}

static void abandon_alone(rl_op *op, int64_t now)
{
	if (op->is_begun) {
		end_alone((release *) op, now);
	}
}

static const rl_op_class alone_class = {.step = step_alone, .abandon = abandon_alone};

/* ---- all of them ---- */

static const rl_op_class shared_class = {0}; /* step_all() steps the releases */

/* Begins the release of the next lease. NULL = out of memory: the lease is left to its TTL. */
static release *begin_next(rl_releases *releases, int64_t now)
{
	size_t index = releases->next++;
	const rl_errand_terms *terms = &releases->op.call.terms;
	release *one =
		release_new(terms->set, terms->pool, terms->env, &shared_class, releases->leases[index]);
	if (one == NULL) {
		releases->missing[index] = (unsigned short) rl_late_all(terms->set);
		releases->was_unanswered = true;
		rl_stats_add(&rl_env_stats(terms->env)->failed, 1);
		return NULL;
	}
	one->index = index;
	one->op.call.terms.lines = &releases->lines;
	one->op.call.terms.request.form = RL_FORM_TEXT; /* one answer is enough */
	begin(one, now);
	return one;
}

static void end_release(rl_releases *releases, release *one, int64_t now)
{
	const rl_quorum_call *call = &one->op.call;
	settle(one, now);
	releases->was_unanswered |= !is_answered(call);
	releases->missing[one->index] = (unsigned short) missing_of(call);
	if (releases->barred == NULL && is_barred(call)) {
		rl_op_fail(&one->op, "");
		releases->barred = one;
	} else {
		rl_op_free(&one->op);
	}
}

/* Fills the window, and steps each release once. True = a release has ended, or one of them must be
 * stepped again. */
static bool step_all(rl_releases *releases, const rl_tick *tick, rl_wait *wait)
{
	while (releases->used < releases->window && releases->next < releases->count) {
		release *one = begin_next(releases, tick->now);
		if (one != NULL) {
			releases->under_way[releases->used++] = one;
		}
	}
	unsigned open = 0;
	rl_wait_begin(wait);
	for (unsigned i = 0; i < releases->used; i++) {
		release *one = releases->under_way[i];
		rl_quorum_call_step(&one->op.call, tick, wait);
		if (one->op.call.outcome == RL_VOTE_OPEN) {
			releases->under_way[open++] = one;
		} else {
			end_release(releases, one, tick->now);
		}
	}
	bool has_ended = open < releases->used;
	releases->used = open;
	return has_ended || rl_lines_have_turn(&releases->lines);
}

/* Writes the releases that are left, and ends all. */
static void finish(rl_releases *releases, const rl_tick *tick)
{
	rl_wait unused;
	releases->lines.is_closing = true;
	for (unsigned i = 0; i < releases->used; i++) {
		end_release(releases, releases->under_way[i], tick->now);
	}
	releases->used = 0;
	while (releases->next < releases->count) {
		release *one = begin_next(releases, tick->now);
		if (one != NULL) {
			rl_wait_begin(&unused);
			rl_quorum_call_step(&one->op.call, tick, &unused);
			end_release(releases, one, tick->now);
		}
	}
	rl_lines_end(&releases->lines, releases->op.call.terms.pool, tick->now);
	releases->op.status = releases->was_unanswered ? RL_ERR_TIMEOUT : RL_OK;
}

static bool step(rl_op *op, const rl_tick *tick, rl_wait *wait)
{
	rl_releases *releases = (rl_releases *) op;
	if (!op->is_begun) {
		op->is_begun = true;
		releases->end_at = rl_time_later(tick->now, releases->limit_ns);
	}
	rl_lines_flush(&releases->lines);
	/* Bounded: each round ends a release, or passes a reply on. */
	while (step_all(releases, tick, wait)) {
	}
	if (releases->used == 0 || tick->seen >= releases->end_at) {
		finish(releases, tick);
		return true;
	}
	rl_lines_flush(&releases->lines);
	rl_wait_until(wait, releases->end_at);
	return false;
}

static void abandon(rl_op *op, int64_t now)
{
	if (op->is_begun) {
		finish((rl_releases *) op, &(rl_tick){.now = now, .seen = now});
	}
}

static void drop(rl_op *op)
{
	rl_releases *releases = (rl_releases *) op;
	for (unsigned i = 0; i < releases->used; i++) {
		rl_quorum_call_drop(&releases->under_way[i]->op.call);
		rl_op_free(&releases->under_way[i]->op);
	}
	releases->used = 0;
	releases->next = releases->count;
	rl_lines_drop(&releases->lines);
}

static void clear(rl_op *op)
{
	rl_releases *releases = (rl_releases *) op;
	for (unsigned i = 0; i < releases->used; i++) {
		rl_op_free(&releases->under_way[i]->op);
	}
	if (releases->barred != NULL) {
		rl_op_free(&releases->barred->op);
	}
}

static const rl_op_class releases_class = {
	.step = step, .abandon = abandon, .drop = drop, .clear = clear};

/* A cluster may need a line for each release, to another node. */
static unsigned window_of(const rl_set *set)
{
	bool has_nodes = false;
	for (unsigned i = 0; i < set->count; i++) {
		has_nodes = has_nodes || rl_route_has_redirects(set->members[i].route);
	}
	return has_nodes ? RL_RELEASES_WINDOW / set->count : RL_RELEASES_WINDOW;
}

static rl_op *alone_new(
	rl_set *set, rl_pool *pool, const rl_env *env, rl_lease *lease, int64_t limit_ns)
{
	release *one = release_new(set, pool, env, &alone_class, lease);
	if (one == NULL) {
		return NULL;
	}
	one->limit_ns = limit_ns;
	return &one->op;
}

rl_op *rl_releases_new(rl_set *set, rl_pool *pool, const rl_env *env, rl_lease **leases,
	size_t count, int64_t limit_ns)
{
	if (count == 1) { /* it shares nothing */
		return alone_new(set, pool, env, leases[0], limit_ns);
	}
	char *unused;
	unsigned window = window_of(set);
	window = count < window ? (unsigned) count : window;
	size_t under_way_at = rl_aligned(sizeof(rl_releases));
	size_t missing_at = under_way_at + window * sizeof(release *);
	char *block = rl_op_alloc(missing_at + count * sizeof(unsigned short), &releases_class, set,
		pool, env, rl_bytes_of("", 0), 0, &unused);
	if (block == NULL) {
		return NULL;
	}
	rl_releases *releases = (rl_releases *) (void *) block;
	releases->leases = leases;
	releases->count = count;
	releases->under_way = (release **) (void *) (block + under_way_at);
	releases->missing = (unsigned short *) (void *) (block + missing_at);
	releases->limit_ns = limit_ns;
	releases->window = window;
	return &releases->op;
}

const rl_releases *rl_releases_of(const rl_op *op)
{
	return op->class == &releases_class ? (const rl_releases *) op : NULL;
}

unsigned rl_releases_missing(const rl_op *op, size_t index)
{
	const rl_releases *releases = rl_releases_of(op);
	return releases != NULL ? releases->missing[index] : missing_of(&op->call);
}

const rl_op *rl_releases_barred(const rl_op *op)
{
	const rl_releases *releases = rl_releases_of(op);
	if (releases != NULL) {
		return releases->barred != NULL ? &releases->barred->op : NULL;
	}
	return is_barred(&op->call) ? op : NULL;
}
