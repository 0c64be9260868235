/* SPDX-License-Identifier: MIT
 *
 * The release of one lease is a quorum call with a limit of time. Many releases are a batch
 * (rl_batch.h) with such a call for each lease, and with the result for each of them:
 *
 *     rl_releases
 *     |- batch            its items are the leases
 *     `- items[count]     for each lease, in the order of their release: the lease, borrowed, and
 *                         its result
 *
 * When the time is over, the releases that are left are written, and their answers are not waited
 * for.
 *
 * A lease is released when a quorum has freed it, and lost when refusals rule a quorum out. The key
 * of another type has another holder, so its error is a refusal.
 */
#include "core/lock/rl_releases.h"

#include "core/base/rl_time.h"
#include "core/lock/rl_batch.h"
#include "core/lock/rl_op_failure.h"

#include <stdlib.h>
#include <string.h>

/* The release of one lease. */
typedef struct release {
	rl_batch_item item; /* first, for casts */
	rl_lease *lease;    /* borrowed */
	/* Alone: the time for it. */
	int64_t limit_ns;
	int64_t end_at;
} release;

typedef struct lease_item {
	rl_lease *lease; /* borrowed */
	rl_vote vote;
	unsigned missing; /* a bit for each member that has yet to release it */
} lease_item;

typedef struct rl_releases {
	rl_batch batch;    /* first, for casts */
	lease_item *items; /* in this block */
	/* Owned. NULL = no release has failed. Of several that have failed, a barred one is kept. */
	release *failed;
	bool was_unanswered; /* a quorum has not answered for some lease */
} rl_releases;

/* ---- one release ---- */

/* NULL when out of memory. */
static release *release_new(
	rl_set *set, rl_pool *pool, const rl_env *env, const rl_op_class *class, rl_lease *lease)
{
	rl_bytes token = rl_lease_token(lease);
	char *room;
	rl_bytes permit = lease->permits > 1 ? lease->names.key : rl_bytes_of(NULL, 0);
	release *one = rl_op_alloc(
		sizeof *one, class, set, pool, env, lease->names.lock, token.len + permit.len, &room);
	if (one == NULL) {
		return NULL;
	}
	memcpy(room, token.data, token.len);
	one->lease = lease;
	rl_quorum_call *call = &one->item.op.call;
	call->terms.request.verb = RL_VERB_RELEASE;
	call->terms.request.token = rl_bytes_of(room, token.len);
	if (permit.len > 0) {
		rl_op_set_permit(&one->item.op, room + token.len, permit, lease->permits);
	}
	call->refuses_types = true;
	return one;
}

static void begin(release *one, int64_t now)
{
	rl_quorum_call *call = &one->item.op.call;
	call->terms.was_held = rl_lease_is_held(one->lease) || rl_lease_was_held(one->lease);
	call->terms.request.done_ms = one->lease->done_ms;
	call->terms.request.ttl_ms = one->lease->ttl_ns / RL_NS_PER_MS; /* for the share of WAIT */
	rl_quorum_call_begin(call, RL_WANTED_DECISION, now, RL_NEVER);
}

/* The server has answered with an error, or its replicas have not confirmed the mark that the
 * release has left. */
static bool is_told(const rl_errand *member)
{
	return member->err->status == RL_ERR_SERVER || member->err->status == RL_ERR_UNCONFIRMED;
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

/* So many members do not allow the command that no quorum can free the lock. If the release was to
 * leave a mark, the same holds for any error, because without the mark the work is done again. */
static bool is_barred(const rl_quorum_call *call)
{
	unsigned barred = 0;
	for (unsigned i = 0; i < call->terms.set->count; i++) {
		const rl_errand *member = &call->members[i];
		bool is_final =
			rl_error_is_final(member->err) || (call->terms.request.done_ms > 0 && is_told(member));
		barred += member->vote == RL_VOTE_FAILED && is_final;
	}
	return barred > call->terms.set->count - rl_quorum(call->terms.set->count);
}

/* Settles the release, and ends its lease if the votes have decided. */
static rl_settlement settle(release *one, int64_t now)
{
	rl_quorum_call *call = &one->item.op.call;
	rl_stats *stats = rl_env_stats(call->terms.env);
	rl_settlement settlement = rl_quorum_call_settle(call, RL_UNDO_NOTHING, now);
	switch (rl_quorum_call_tally(call)) {
		case RL_VOTE_GRANTED:
			rl_lease_end(one->lease);
			rl_stats_add(&stats->released, 1);
			break;
		case RL_VOTE_REFUSED:
			rl_lease_refuse(one->lease);
			rl_stats_add(&stats->not_released, 1);
			break;
		case RL_VOTE_OPEN: /* the time is over */
		case RL_VOTE_FAILED:
			rl_stats_add(&stats->failed, 1);
			break;
	}
	return settlement;
}

/* The members that have yet to release the lease. */
static unsigned missing_of(const rl_quorum_call *call)
{
	rl_vote outcome = rl_quorum_call_tally(call);
	bool is_decided = outcome == RL_VOTE_GRANTED || outcome == RL_VOTE_REFUSED;
	return is_decided ? 0 : rl_quorum_call_missing(call);
}

/* ---- one release alone ---- */

static void end_alone(release *one, int64_t now)
{
	rl_settlement settlement = settle(one, now);
	if (rl_quorum_call_tally(&one->item.op.call) == RL_VOTE_FAILED) {
		rl_op_fail_settled(&one->item.op, &settlement);
	}
	one->item.op.status = is_answered(&one->item.op.call) ? RL_OK : RL_ERR_TIMEOUT;
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

/* When out of memory, the lease is left to its TTL. */
static rl_batch_item *begin_item(rl_batch *batch, size_t index, int64_t now)
{
	rl_releases *releases = (rl_releases *) batch;
	const rl_errand_terms *terms = &batch->op.call.terms;
	lease_item *item = &releases->items[index];
	release *one =
		release_new(terms->set, terms->pool, terms->env, &rl_batch_item_class, item->lease);
	if (one == NULL) {
		item->missing = rl_late_all(terms->set);
		releases->was_unanswered = true;
		rl_stats_add(&rl_env_stats(terms->env)->failed, 1);
		return NULL;
	}
	one->item.op.call.terms.lines = &batch->lines;
	one->item.op.call.terms.request.form = RL_FORM_TEXT; /* one answer is enough */
	begin(one, now);
	return &one->item;
}

/* Keeps the first release that has failed, or the first barred one in its place; frees the other.
 */
static void keep_failed(rl_releases *releases, release *one, const rl_settlement *settlement)
{
	release *dropped = one;
	bool is_first = releases->failed == NULL;
	if (is_first ||
		(is_barred(&one->item.op.call) && !is_barred(&releases->failed->item.op.call))) {
		dropped = releases->failed;
		releases->failed = one;
		rl_op_fail_settled(&one->item.op, settlement);
	}
	if (dropped != NULL) {
		rl_op_free(&dropped->item.op);
	}
}

static void end_item(rl_batch *batch, rl_batch_item *item, int64_t now)
{
	rl_releases *releases = (rl_releases *) batch;
	rl_quorum_call *call = &item->op.call;
	lease_item *result = &releases->items[item->index];
	rl_settlement settlement = settle((release *) item, now);
	releases->was_unanswered |= !is_answered(call);
	result->missing = missing_of(call);
	result->vote = rl_quorum_call_tally(call);
	if (result->vote == RL_VOTE_FAILED && rl_quorum_call_has_released(call)) {
		result->vote = RL_VOTE_GRANTED;
	}
	if (result->vote == RL_VOTE_FAILED) {
		keep_failed(releases, (release *) item, &settlement);
	} else {
		rl_op_free(&item->op);
	}
}

static const rl_batch_class batch_class = {.begin = begin_item, .end = end_item};

static void set_status(rl_releases *releases)
{
	releases->batch.op.status = releases->was_unanswered ? RL_ERR_TIMEOUT : RL_OK;
}

static bool step(rl_op *op, const rl_tick *tick, rl_wait *wait)
{
	bool is_done = rl_batch_step((rl_batch *) op, tick, wait);
	if (is_done) {
		set_status((rl_releases *) op);
	}
	return is_done;
}

static void abandon(rl_op *op, int64_t now)
{
	if (op->is_begun) {
		rl_batch_finish((rl_batch *) op, &(rl_tick){.now = now, .seen = now});
		set_status((rl_releases *) op);
	}
}

static void clear(rl_op *op)
{
	const rl_releases *releases = (const rl_releases *) op;
	rl_batch_clear((rl_batch *) op);
	if (releases->failed != NULL) {
		rl_op_free(&releases->failed->item.op);
	}
}

static const rl_op_class releases_class = {
	.step = step, .abandon = abandon, .drop = rl_batch_drop, .clear = clear};

static rl_op *alone_new(
	rl_set *set, rl_pool *pool, const rl_env *env, rl_lease *lease, int64_t limit_ns)
{
	release *one = release_new(set, pool, env, &alone_class, lease);
	if (one == NULL) {
		return NULL;
	}
	one->limit_ns = limit_ns;
	return &one->item.op;
}

rl_op *rl_releases_new(rl_set *set, rl_pool *pool, const rl_env *env, rl_lease **leases,
	size_t count, int64_t limit_ns)
{
	if (count == 1) { /* it shares nothing */
		return alone_new(set, pool, env, leases[0], limit_ns);
	}
	void *room;
	rl_releases *releases =
		rl_batch_alloc(sizeof *releases, count * sizeof(lease_item), &releases_class, &batch_class,
			set, pool, env, leases[0]->names.lock, count, limit_ns, &room);
	if (releases == NULL) {
		return NULL;
	}
	releases->items = room;
	for (size_t i = 0; i < count; i++) {
		releases->items[i] = (lease_item){.lease = leases[i], .vote = RL_VOTE_OPEN};
	}
	return &releases->batch.op;
}

/* NULL = the release of one lease alone. */
static const rl_releases *many(const rl_op *op)
{
	return op->class == &releases_class ? (const rl_releases *) op : NULL;
}

unsigned rl_releases_missing(const rl_op *op, size_t index)
{
	const rl_releases *releases = many(op);
	return releases != NULL ? releases->items[index].missing : missing_of(&op->call);
}

rl_vote rl_releases_vote(const rl_op *op, size_t index)
{
	const rl_releases *releases = many(op);
	return releases != NULL ? releases->items[index].vote : rl_quorum_call_tally(&op->call);
}

const rl_op *rl_releases_failed(const rl_op *op)
{
	const rl_releases *releases = many(op);
	if (releases != NULL) {
		return releases->failed != NULL ? &releases->failed->item.op : NULL;
	}
	return op->err != NULL ? op : NULL;
}

const rl_op *rl_releases_barred(const rl_op *op)
{
	const rl_op *failed = rl_releases_failed(op);
	return failed != NULL && is_barred(&failed->call) ? failed : NULL;
}
