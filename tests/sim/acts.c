/* SPDX-License-Identifier: MIT
 *
 * The acts. Each is what a method of ext/php does around core.
 */
#include "acts.h"

#include "cluster.h"
#include "cover.h"
#include "done.h"
#include "success.h"
#include "undone.h"
#include "votes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOSE_MAX 8
#define FAREWELL_NS (200 * MS)
#define MARK_NS (10 * SECOND)

/* A token that was given away. */
typedef struct loose {
	uint8_t key;
	uint8_t len;
	bool is_used;
	char token[RL_WORDS_TEXT];
} loose;

static loose all_loose[LOOSE_MAX];
static unsigned own_tokens;

void acts_begin(void)
{
	memset(all_loose, 0, sizeof all_loose);
	own_tokens = 0;
}

/* The client's clock, for the judge: the process does not read it. */
static int64_t now_of(const sim_client *c)
{
	return clock_at(&c->clock, world.now);
}

static rl_bytes key_name(unsigned key)
{
	static const char *const names[WORDS_KEYS] = {"k0", "k1", "k2", "k3"};
	return plan.has_clusters ? cluster_key_name(key) : rl_bytes_of(names[key], 2);
}

/* ---- claims ---- */

static void see_loss(holding *h)
{
	if (!h->was_lost && rl_lease_is_lost(h->lease)) {
		h->was_lost = true;
		if (h->renewal != NULL && h->renewal->renews) {
			const rl_lease *lease = h->lease;
			int64_t ttl = lease->ttl_ns < lease->doubt_ttl ? lease->ttl_ns : lease->doubt_ttl;
			judge_lost(
				&h->claim, ttl < lease->flight_ttl ? ttl : lease->flight_ttl, !lease->is_disowned);
		}
		if (h->lease->is_disowned) {
			COVER(lost_by_server);
		} else {
			COVER(lost_by_clock);
		}
	}
}

void acts_tell(sim_client *c)
{
	for (unsigned i = 0; i < CLIENT_HOLDINGS; i++) {
		holding *h = &c->holdings[i];
		if (h->lease != NULL && h->claim.is_active) {
			bool is_taken = h->lease->stage == RL_LEASE_TAKEN;
			see_loss(h);
			judge_claim_is(&h->claim, is_taken ? atomic_load(&h->lease->proof) : 0, &c->clock);
		}
	}
}

static void claim(sim_client *c, holding *h, int64_t hold_until)
{
	h->claim = (judge_claim){.is_active = true,
		.client = c->index,
		.key = h->key,
		.token = rl_words_text(rl_lease_token(h->lease)).mark,
		.asked = atomic_load(&h->lease->proof),
		.hold_until = clock_when(&c->clock, hold_until)};
	acts_tell(c);
}

/* Tells the watchdog that the lease has changed. */
static void tell_watch(holding *h)
{
	if (h->renewal != NULL) {
		rl_renewer_changed(h->renewal);
	}
}

/* Frees the holding. From now on the client claims nothing by it. */
static void free_ref(sim_client *c, holding *h)
{
	if (h->lease != NULL) {
		success_touched(c, h->key);
	}
	h->claim.is_active = false;
	if (h->renewal != NULL) {
		rl_renewer_remove(h->renewal);
	}
	free(h->renewal);
	rl_lease_free(h->lease);
	h->renewal = NULL;
	h->lease = NULL;
}

/* ---- the beginnings of acts ---- */

/* No late grant of the lock may follow the operation. */
static void stop_grants(sim_client *c, const rl_op *op)
{
	const rl_request *request = &op->call.terms.request;
	if (rl_verb_changes(request->verb)) {
		rl_renewer_stop_grants(&c->renewer, request->key, request->token);
	}
}

static void begin_op(sim_client *c, act what, holding *h, rl_op *op)
{
	client_resolve(c);
	stop_grants(c, op);
	c->act = what;
	c->op = op;
	c->subject = h;
	c->begun_at = world.now;
	c->queued_at = RL_NEVER;
	c->was_queued = false;
	c->oom_at = RL_NEVER;
	c->paused_ns = 0;
	c->spins = 0;
	c->abandon_at = what != ACT_FAREWELL && plan.faults != 0 && one_in(10)
		? world.now + spread(10 * US, 2 * SECOND)
		: RL_NEVER;
	if (what == ACT_TAKE && !plan_is_calm() && one_in(6)) {
		c->abandon_at = world.now + spread(10 * US, 5 * SECOND);
	}
	success_call_begins(c);
}

static int64_t draw_ttl(void)
{
	int64_t ttl = between(plan.ttl_least, plan.ttl_most);
	return ttl - ttl % MS;
}

static int64_t draw_wait(const sim_client *c)
{
	if (plan.mode == PLAN_FAIR) {
		return RL_NEVER;
	}
	if (any(8) >= plan.waits) {
		return 0;
	}
	if (!c->is_closing && one_in(32)) {
		return RL_NEVER;
	}
	return spread(MS, 4 * plan.ttl_most < 20 * SECOND ? 4 * plan.ttl_most : 20 * SECOND);
}

static bool has_key(const sim_client *c, unsigned key)
{
	for (unsigned i = 0; i < CLIENT_HOLDINGS; i++) {
		if (c->holdings[i].lease != NULL && c->holdings[i].key == key) {
			return true;
		}
	}
	return false;
}

static void prepare(sim_client *c, holding *h, unsigned key, size_t token_room, bool is_renewed)
{
	memset(h, 0, sizeof *h);
	h->key = (uint8_t) key;
	h->lease =
		rl_lease_new(&c->env, key_name(key), 0, token_room, plan.drift_factor, c->set.naming);
	if (is_renewed) {
		h->renewal = rl_renewal_new(&c->set, h->lease);
		h->renewal->renews = plan.mode == PLAN_FAIR || c->wanted != 0 || !one_in(16);
		if (!rl_renewer_prepare(&c->renewer, h->renewal, &c->set)) {
			abort();
		}
	}
}

/* The client has a lock with its latest token of our form. */
static bool has_lock_by_given(const sim_client *c)
{
	rl_bytes given = rl_bytes_of(c->given, sizeof c->given);
	for (unsigned i = 0; i < CLIENT_HOLDINGS; i++) {
		const rl_lease *lease = c->holdings[i].lease;
		if (lease != NULL && rl_bytes_equal(rl_lease_token(lease), given)) {
			return true;
		}
	}
	return false;
}

/* A server that stands still may carry out the undo of a call that has failed when the connection
 * is long gone, and free the lock that the caller has with the same token by then; and a failover
 * may bring the token back. So callers must not use the token of such a call
 * (docs/hand-over.md), and the client does so only where neither can happen. */
static void forget_failed(sim_client *c)
{
	bool is_harmless =
		plan.mode == PLAN_USUAL && !plan_has_routes() && (plan.faults & 1U << FAULT_STALL) == 0;
	c->has_given = c->has_given && is_harmless;
}

static bool may_use_again(const sim_client *c)
{
	return c->has_given && !has_lock_by_given(c);
}

/* Draws a caller's token of our form: a unique one, or one that the client has used before. */
static rl_bytes draw_given(sim_client *c)
{
	rl_bytes given = rl_bytes_of(c->given, sizeof c->given);
	c->is_again = may_use_again(c) && one_in(2);
	if (c->is_again) {
		COVER(given_again);
		judge_used_again(rl_words_text(given).mark);
	} else if (rl_token_draw(&c->env, c->given) != RL_OK) {
		abort();
	}
	c->has_given = true;
	return given;
}

/* Draws a caller's token: a unique one, one of our form, or the same for all clients. */
static rl_bytes draw_own_token(sim_client *c, char *room, size_t size)
{
	if (plan.has_twins) {
		return rl_bytes_of(room, (unsigned) snprintf(room, size, "twin"));
	}
	if (plan.has_reuse || one_in(2)) {
		return draw_given(c);
	}
	return rl_bytes_of(room, (unsigned) snprintf(room, size, "own-%u", own_tokens++));
}

/* The token of the holding may still be released, or is held by another client. */
static void forget_given(sim_client *c, const holding *h)
{
	rl_bytes given = rl_bytes_of(c->given, sizeof c->given);
	c->has_given = c->has_given && !rl_bytes_equal(given, rl_lease_token(h->lease));
}

/* ---- several keys ---- */

/* Chooses keys of which the client takes one after another, in the same order as all clients. */
static void choose_keys(sim_client *c)
{
	unsigned room = CLIENT_HOLDINGS;
	for (unsigned i = 0; i < CLIENT_HOLDINGS; i++) {
		room = c->holdings[i].lease != NULL ? 0 : room;
	}
	for (unsigned key = 0; key < plan.keys && room > 0; key++) {
		bool is_chosen = !one_in(3);
		c->wanted |= (uint8_t) (is_chosen << key);
		room -= is_chosen;
	}
}

static unsigned next_wanted(const sim_client *c)
{
	unsigned key = 0;
	while ((c->wanted >> key & 1U) == 0) {
		key++;
	}
	return key;
}

static bool has_part(const sim_client *c)
{
	bool has = false;
	for (unsigned i = 0; i < CLIENT_HOLDINGS; i++) {
		has = has || (c->holdings[i].lease != NULL && c->holdings[i].is_part);
	}
	return has;
}

static bool has_lost_part(const sim_client *c)
{
	bool has = false;
	for (unsigned i = 0; i < CLIENT_HOLDINGS; i++) {
		const holding *h = &c->holdings[i];
		has = has || (h->lease != NULL && h->is_part && rl_lease_is_lost(h->lease));
	}
	return has;
}

/* The client has all keys, or has given up: from now on its keys end at that time. */
static void end_parts(sim_client *c, int64_t end_at)
{
	for (unsigned i = 0; i < CLIENT_HOLDINGS; i++) {
		holding *h = &c->holdings[i];
		if (h->lease != NULL && h->is_part) {
			h->is_part = false;
			h->end_at = end_at;
		}
	}
	c->wanted = 0;
}

static void give_up_keys(sim_client *c)
{
	if (c->wanted != 0 && has_part(c)) {
		COVER(not_all_keys);
	}
	end_parts(c, world.now);
}

static void note_key(sim_client *c, holding *h)
{
	int64_t end_at = h->end_at;
	h->is_part = true;
	h->end_at = RL_NEVER;
	c->wanted &= (uint8_t) ~(1U << h->key);
	if (c->wanted == 0) {
		COVER(all_keys);
		end_parts(c, end_at);
	}
}

/* The wait for all keys is drawn for the first of them. */
static int64_t draw_wait_for_keys(sim_client *c)
{
	int64_t now = client_now(c);
	if (!has_part(c)) {
		int64_t wait = draw_wait(c);
		c->wanted_until = wait == RL_NEVER ? RL_NEVER : now + wait;
	}
	int64_t left = c->wanted_until == RL_NEVER ? RL_NEVER : c->wanted_until - now;
	if (has_part(c) && left > 0) {
		COVER(waits_with_keys);
	}
	return left > 0 ? left : 0;
}

static void begin_take(sim_client *c, holding *h)
{
	char own[RL_WORDS_TEXT];
	bool is_one_of_several = c->wanted != 0;
	unsigned key = is_one_of_several ? next_wanted(c) : plan.permits > 1 ? 0 : any(plan.keys);
	bool is_own = plan.permits == 0 && !is_one_of_several &&
		(plan.has_twins || one_in(plan.has_reuse ? 2 : 8));
	bool is_once = plan.has_once && !is_own && one_in(2);
	if (plan.permits == 0 && has_key(c, key)) {
		return;
	}
	c->is_again = false;
	c->ttl_ns = draw_ttl();
	c->wait_ns = is_one_of_several ? draw_wait_for_keys(c) : draw_wait(c);
	c->max_hold_ns =
		!is_one_of_several && plan.faults != 0 && one_in(8) ? spread(MS, 4 * c->ttl_ns) : RL_NEVER;
	bool may_be_token =
		plan.permits == 0 && !is_once && !is_one_of_several && plan.mode != PLAN_FAIR;
	bool is_token = plan.has_twins || (may_be_token && one_in(is_own ? 2 : 3));
	rl_bytes token = is_own ? draw_own_token(c, own, sizeof own) : rl_bytes_of(NULL, 0);
	size_t len = is_own ? token.len : rl_token_len(&c->set.label);
	len += plan.permits > 1 ? RL_PERMIT_NAME_MAX(key_name(key).len) : 0;
	prepare(
		c, h, key, len, !is_token && (plan.mode == PLAN_FAIR || is_one_of_several || !one_in(8)));
	h->is_token = is_token;
	h->is_own = is_own;
	h->is_once = c->is_once = is_once;
	rl_acquire_args args = {.key = key_name(key),
		.token = token,
		.ttl_ms = c->ttl_ns / MS,
		.wait_ns = c->wait_ns,
		.heeds_done = is_once,
		.permits = plan.permits};
	begin_op(c, ACT_TAKE, h, rl_acquire_new(&c->set, &c->pool, &c->env, &args));
	const rl_acquire *acquire = (const rl_acquire *) c->op;
	c->token = rl_words_text(acquire->token).mark;
	c->is_waiter = c->wait_ns > 0;
	if (is_own && acquire->own.data == NULL) {
		COVER(given_token);
	} else if (is_own) {
		COVER(own_token);
	}
	TRACE("c%u takes k%u, ttl %.3f ms, wait %.3f ms, token %.*s", (unsigned) c->index, key,
		(double) c->ttl_ns / 1e6, c->wait_ns == RL_NEVER ? -1.0 : (double) c->wait_ns / 1e6,
		(int) acquire->token.len, acquire->token.data);
	if (c->is_waiter) {
		judge_waiters_changed(key);
	}
}

static rl_op *ask(sim_client *c, const holding *h, rl_verb verb, int64_t ttl_ms)
{
	TRACE("c%u asks to %s k%u, ttl %" PRId64, (unsigned) c->index,
		verb == RL_VERB_EXTEND      ? "extend"
			: verb == RL_VERB_FENCE ? "fence"
									: "release",
		(unsigned) h->key, ttl_ms);
	bool is_permit = h->lease->permits > 1;
	rl_plain_args args = {.verb = verb,
		.key = h->lease->names.lock,
		.permit = is_permit ? h->lease->names.key : rl_bytes_of(NULL, 0),
		.permits = h->lease->permits,
		.token = rl_lease_token(h->lease),
		.ttl_ms = ttl_ms,
		.was_held = !h->is_token && rl_lease_was_held(h->lease),
		.is_leased = true};
	return rl_plain_new(&c->set, &c->pool, &c->env, &args);
}

static void begin_release(sim_client *c, holding *h)
{
	if (h->renewal != NULL) {
		rl_renewer_pause(h->renewal);
	}
	if (h->is_token) {
		h->claim.is_active = false;
	} else {
		rl_lease_leave(h->lease);
		acts_tell(c);
		if (!rl_lease_is_open(h->lease)) {
			free_ref(c, h);
			return;
		}
	}
	begin_op(c, ACT_RELEASE, h, ask(c, h, RL_VERB_RELEASE, 0));
}

/* The lock will be released with others. */
static void leave(sim_client *c, holding *h)
{
	if (h->renewal != NULL) {
		rl_renewer_pause(h->renewal);
	}
	h->claim.is_active = false;
	if (!rl_lease_is_open(h->lease)) {
		free_ref(c, h);
		return;
	}
	TRACE("c%u says farewell to k%u", (unsigned) c->index, (unsigned) h->key);
	success_touched(c, h->key);
	c->leaving[c->leaving_count] = h;
	c->leaving_leases[c->leaving_count++] = h->lease;
}

/* The object is destroyed, or the request ends: its locks are released within a short time. */
static void begin_farewell(sim_client *c, holding *h)
{
	c->leaving_count = 0;
	leave(c, h);
	bool has_all = one_in(2);
	for (unsigned i = 0; has_all && i < CLIENT_HOLDINGS; i++) {
		holding *other = &c->holdings[i];
		if (other != h && other->lease != NULL && !other->is_token) {
			leave(c, other);
		}
	}
	if (c->leaving_count == 0) {
		return;
	}
	COVER(batch);
	if (c->leaving_count > 1) {
		COVER(crowd);
	}
	begin_op(c, ACT_FAREWELL, c->leaving[0],
		rl_releases_new(
			&c->set, &c->pool, &c->env, c->leaving_leases, c->leaving_count, FAREWELL_NS));
	for (unsigned i = 0; i < c->leaving_count; i++) {
		const rl_lease *lease = c->leaving_leases[i];
		rl_renewer_stop_grants(&c->renewer, lease->names.key, rl_lease_token(lease));
	}
}

/* The work of a run has ended, or has failed. */
static void begin_end_of_run(sim_client *c, holding *h)
{
	bool is_done = rl_lease_is_held(h->lease) && !one_in(3);
	c->leaving_count = 0;
	if (is_done) {
		int64_t done =
			spread(5 * MS, 4 * plan.ttl_most < 20 * SECOND ? 4 * plan.ttl_most : 20 * SECOND);
		h->lease->done_ms = done / MS;
		done_marking(h->key, done, h->lease->ttl_ns);
	} else {
		COVER(run_failed);
	}
	leave(c, h);
	if (c->leaving_count == 0) {
		return;
	}
	TRACE("c%u ends its run of k%u, mark %" PRId64, (unsigned) c->index, (unsigned) h->key,
		h->lease->done_ms);
	begin_op(c, ACT_FAREWELL, h,
		rl_releases_new(&c->set, &c->pool, &c->env, c->leaving_leases, 1, plan.timeout_ns));
	rl_renewer_stop_grants(&c->renewer, h->lease->names.key, rl_lease_token(h->lease));
}

static void begin_extend(sim_client *c, holding *h)
{
	if (!rl_lease_is_held(h->lease)) {
		return;
	}
	c->ttl_ns = draw_ttl();
	if (c->ttl_ns < h->lease->ttl_ns) {
		COVER(shortened);
	}
	rl_lease_expect(h->lease, c->ttl_ns);
	judge_extending(c->index, rl_words_text(rl_lease_token(h->lease)).mark);
	tell_watch(h);
	begin_op(c, ACT_EXTEND, h, ask(c, h, RL_VERB_EXTEND, c->ttl_ns / MS));
}

/* A key that has no helper keys on a cluster has no fencing number. */
static bool may_fence(const holding *h)
{
	return plan.fencing != FENCING_NONE && plan.permits == 0 && h->fence == 0 && !h->is_token &&
		h->lease->names.mark.data != NULL;
}

static void begin_fence(sim_client *c, holding *h)
{
	if (rl_lease_is_held(h->lease)) {
		c->fence_asked = judge_fence_asked(h->key);
		begin_op(c, ACT_FENCE, h, ask(c, h, RL_VERB_FENCE, 0));
	}
}

/* Any place for a loose token. Where tokens are often given away, a place that is used, or one that
 * is not, if there is such a place. */
static loose *any_loose(bool is_used)
{
	unsigned at = any(LOOSE_MAX);
	for (unsigned i = 0; plan.has_handovers && i < LOOSE_MAX; i++) {
		loose *l = &all_loose[(at + i) % LOOSE_MAX];
		if (l->is_used == is_used) {
			return l;
		}
	}
	return &all_loose[at];
}

static void give_away(sim_client *c, holding *h)
{
	loose *l = any_loose(false);
	if (!rl_lease_is_held(h->lease) || l->is_used) {
		return;
	}
	COVER(detached);
	forget_given(c, h);
	TRACE("c%u gives k%u away", (unsigned) c->index, (unsigned) h->key);
	rl_bytes token = rl_lease_token(h->lease);
	*l = (loose){.key = h->key, .len = (uint8_t) token.len, .is_used = true};
	memcpy(l->token, token.data, token.len);
	if (h->renewal != NULL) {
		rl_renewer_pause(h->renewal);
	}
	rl_lease_give_away(h->lease);
	free_ref(c, h);
}

static void begin_with_loose(sim_client *c, holding *h)
{
	loose *l = any_loose(true);
	if (!l->is_used || has_key(c, l->key)) {
		return;
	}
	l->is_used = one_in(2); /* the token may be delivered twice */
	c->ttl_ns = draw_ttl();
	c->max_hold_ns = RL_NEVER;
	if (one_in(2) || (plan.has_handovers && one_in(2))) {
		prepare(c, h, l->key, rl_token_len(&c->set.label), !one_in(4));
		TRACE("c%u takes k%u over from %.*s", (unsigned) c->index, (unsigned) l->key, (int) l->len,
			l->token);
		begin_op(c, ACT_RESUME, h,
			rl_take_over_new(&c->set, &c->pool, &c->env, h->lease->names.key,
				rl_bytes_of(l->token, l->len), c->ttl_ns / MS));
		return;
	}
	prepare(c, h, l->key, l->len, false);
	h->is_token = true;
	h->is_own = true;
	h->lease->is_own_token = true;
	memcpy(h->lease->token, l->token, l->len);
	h->lease->token_len = l->len;
	begin_op(c, ACT_RELEASE_LOOSE, h, ask(c, h, RL_VERB_RELEASE, c->ttl_ns / MS));
}

/* ---- the choice of an act ---- */

static void end_ref(sim_client *c, holding *h)
{
	bool is_kept = plan.has_twins || (h->is_token && plan.faults != 0 && one_in(8));
	if (h->is_once) {
		begin_end_of_run(c, h);
	} else if (is_kept && atomic_load(&h->lease->proof) > client_now(c)) {
		/* The key is left to its TTL. */
		h->end_at = clock_when(&c->clock, atomic_load(&h->lease->proof));
	} else if (is_kept) {
		free_ref(c, h);
	} else if (!h->is_token && one_in(5)) {
		begin_farewell(c, h);
	} else if (plan.faults != 0 && plan.permits == 0 && !plan.has_several && !c->is_closing &&
		one_in(plan.has_handovers ? 2 : 6)) {
		give_away(c, h);
	} else {
		begin_release(c, h);
	}
}

static holding *due_holding(sim_client *c)
{
	for (unsigned i = 0; i < CLIENT_HOLDINGS; i++) {
		holding *h = &c->holdings[i];
		if (h->lease != NULL && h->end_at <= world.now) {
			return h;
		}
	}
	return NULL;
}

static holding *any_holding(sim_client *c, bool is_used)
{
	unsigned at = any(CLIENT_HOLDINGS);
	for (unsigned i = 0; i < CLIENT_HOLDINGS; i++) {
		holding *h = &c->holdings[(at + i) % CLIENT_HOLDINGS];
		if ((h->lease != NULL) == is_used) {
			return h;
		}
	}
	return NULL;
}

static void begin_anything(sim_client *c)
{
	if (plan.mode == PLAN_FAIR) {
		begin_take(c, &c->holdings[0]); /* if the client does not have the lock */
		return;
	}
	holding *used = any_holding(c, true);
	holding *unused = any_holding(c, false);
	if (used != NULL && may_fence(used) && one_in(2)) {
		begin_fence(c, used);
	} else if (used != NULL && !plan.has_twins && plan.faults != 0 && one_in(3)) {
		begin_extend(c, used);
	} else if (used != NULL && one_in(2)) {
		rl_lease_is_held(used->lease); /* PHP asks whether the lease is held */
	} else if (unused != NULL && one_in(plan.has_handovers ? 2 : 6)) {
		begin_with_loose(c, unused);
	} else if (unused != NULL) {
		if (plan.has_several) {
			choose_keys(c);
		}
		if (!plan.has_several || c->wanted != 0) {
			begin_take(c, unused);
		}
	}
}

int64_t acts_next(sim_client *c)
{
	holding *due = due_holding(c);
	if (due != NULL) {
		end_ref(c, due);
	} else if (c->wanted != 0 && (c->is_closing || has_lost_part(c))) {
		give_up_keys(c);
	} else if (c->wanted != 0) {
		begin_take(c, any_holding(c, false));
	} else if (!c->is_closing) {
		begin_anything(c);
	}
	acts_tell(c);
	if (c->op != NULL) {
		return world.now;
	}
	int64_t next = c->is_closing ? RL_NEVER : world.now + spread(10 * US, plan.think_ns);
	if (c->wanted != 0) { /* the next key, or the release of those that the client has */
		next = world.now + 10 * US;
	}
	for (unsigned i = 0; i < CLIENT_HOLDINGS; i++) {
		holding *h = &c->holdings[i];
		if (h->lease != NULL && h->end_at < next) {
			next = h->end_at > world.now ? h->end_at : world.now + 10 * US;
		}
	}
	return next;
}

/* ---- the ends of acts ---- */

/* How long a place in the queue may count as alive: while its mark is valid, although its
 * connection may have died unnoticed, and while a look is on its way. */
static int64_t ghost_time(const sim_client *c, const rl_acquire *acquire)
{
	int64_t left = acquire->deadline == RL_NEVER ? RL_NEVER : acquire->deadline - now_of(c);
	if (!rl_acquire_is_waiting(acquire) || left <= 0) {
		return 0;
	}
	return left < MARK_NS ? left : MARK_NS;
}

/* An earlier call may have left a token that is used again. */
static void note_nodes(const sim_client *c, const rl_acquire *acquire, uint64_t token, bool has_won)
{
	if (!c->is_again) {
		undone_took(c->index, &acquire->op.call, c->subject->key, token, has_won);
	}
}

static void tell_not_won(const sim_client *c)
{
	const rl_acquire *acquire = (const rl_acquire *) c->op;
	/* An earlier call, which may have had a longer TTL, may have left a token that is used again.
	 */
	int64_t ttl = (c->is_again ? plan.ttl_longest : c->ttl_ns) + ghost_time(c, acquire);
	if (acquire->own.data != NULL) {
		judge_not_won(c->index, c->subject->key, rl_words_text(acquire->own).mark, ttl, true);
	}
	/* A token that has won and was not swapped may stay on a member whose grant was not read, and
	 * one that is used again may be there since a lease whose proof ended before its key. */
	uint64_t token = rl_words_text(acquire->token).mark;
	bool may_stay = acquire->won_since != 0 || c->is_again;
	judge_not_won(c->index, c->subject->key, token, ttl, may_stay);
	note_nodes(c, acquire, token, false);
}

/* The watch repeats the undo of a take-over that has failed, as PHP's glue has it do. */
static void swap_back_late(sim_client *c)
{
	rl_late_release late;
	if (rl_op_leaves(c->op, &late)) {
		COVER(swapped_back);
		if (!rl_late_add(&c->renewer, &late)) {
			abort();
		}
	}
}

/* No member may keep the fresh token. A server without memory refuses the swap back. */
static void tell_not_taken_over(sim_client *c)
{
	rl_bytes fresh = c->op->call.terms.request.fresh;
	bool may_be_refused = (plan.faults >> FAULT_MEMORY & 1U) != 0;
	judge_not_won(c->index, c->subject->key, rl_words_text(fresh).mark, c->ttl_ns, may_be_refused);
	undone_not_taken_over(c->index, &c->op->call, c->subject->key);
	swap_back_late(c);
}

/* The watch also releases the locks that late grants have stored. */
static void undo_grants(sim_client *c)
{
	const rl_request *request = &c->op->call.terms.request;
	if (c->act == ACT_FAREWELL) {
		for (unsigned i = 0; i < c->leaving_count; i++) {
			const rl_lease *lease = c->leaving_leases[i];
			rl_renewer_undo_grants(&c->renewer, lease->names.key, rl_lease_token(lease));
		}
	} else if (request->verb == RL_VERB_RELEASE ||
		(c->act == ACT_RESUME && c->op->status == RL_OK)) {
		rl_renewer_undo_grants(&c->renewer, request->key, request->token);
	}
}

static void end_op(sim_client *c)
{
	unsigned key = plan_home_of(c->subject->key);
	bool was_waiter = c->is_waiter;
	success_touched(c, key);
	undo_grants(c);
	rl_op_free(c->op);
	c->op = NULL;
	c->act = ACT_NOTHING;
	c->is_waiter = false;
	if (was_waiter) {
		judge_waiters_changed(key);
	}
}

static void check_end(const sim_client *c, const rl_acquire *acquire)
{
	int64_t now = now_of(c);
	int64_t late = plan.timeout_ns + c->paused_ns + 10 * MS;
	/* A client that stood still has a whole timeout left. */
	late += c->paused_ns > 0 ? plan.timeout_ns : 0;
	if (!rl_acquire_is_waiting(
			acquire)) { /* a split vote is tried again three times, within 200 ms each */
		late += plan.connect_timeout_ns;
		/* Each time that the primary turns out to be none, the Sentinels are asked again. */
		int64_t hop = 2 * (plan.connect_timeout_ns + plan.timeout_ns) + 50 * MS;
		late += plan.has_sentinels ? (RL_HOPS_MAX + 1) * hop : 0;
		unsigned more = plan.members > 1 ? 3 : 0;
		more += acquire->own.data != NULL; /* the caller's token is swapped in */
		late += more * (plan.timeout_ns + plan.connect_timeout_ns + 200 * MS);
	}
	if (acquire->deadline != RL_NEVER && now > acquire->deadline + late) {
		world_violate("deadline: c%u ended its wait %.3f ms after the deadline",
			(unsigned) c->index, (double) (now - acquire->deadline) / 1e6);
	}
	if (acquire->op.status == RL_BUSY && now < acquire->deadline && !acquire->met_done) {
		world_violate("deadline: c%u gave up its wait %.3f ms before the deadline",
			(unsigned) c->index, (double) (acquire->deadline - now) / 1e6);
	}
}

/* A server that has no memory ends a wait. */
static bool has_met_oom(const rl_acquire *acquire)
{
	bool has_met = acquire->op.err != NULL && strcmp(acquire->op.err->code, "OOM") == 0;
	for (unsigned i = 0; i < plan.members; i++) {
		has_met = has_met || strcmp(acquire->op.call.members[i].err->code, "OOM") == 0;
	}
	return has_met;
}

/* Failures that pass by themselves do not end a wait. Doubt about a swap does. */
static void check_patience(const sim_client *c, const rl_acquire *acquire)
{
	/* No other fault happens, and the slowest answer comes in time. */
	bool no_helpers = plan.members == 1 && plan.faults == 1U << FAULT_MEMORY &&
		plan.timeout_ns > 40 * plan.delay_most;
	if (no_helpers && c->oom_at != RL_NEVER &&
		world.now > c->oom_at + 20 * plan.delay_most + 10 * MS) {
		world_violate("deadline: c%u waits on for %.3f ms after its server has said OOM",
			(unsigned) c->index, (double) (world.now - c->oom_at) / 1e6);
	}
	rl_status status = acquire->op.status;
	if (!rl_acquire_is_waiting(acquire) || status == RL_OK || status == RL_BUSY ||
		now_of(c) >= acquire->deadline || acquire->won_since != 0) {
		return;
	}
	if (has_met_oom(acquire)) {
		COVER(oom_ends);
	} else {
		world_violate("deadline: c%u ended its wait %.3f ms before the deadline by %s",
			(unsigned) c->index, (double) (acquire->deadline - now_of(c)) / 1e6,
			acquire->op.err != NULL ? acquire->op.err->message : "nothing");
	}
}

static void count_take(const sim_client *c, const rl_acquire *acquire)
{
	if (acquire->met_done) {
		done_told(c, c->subject->key);
		const rl_queue_place *place = acquire->queue.place;
		if (place != NULL && place->errand.answer.holder == RL_HOLDER_DONE) {
			COVER(told_in_queue);
		}
	} else if (acquire->op.status == RL_BUSY && rl_acquire_is_waiting(acquire)) {
		COVER(timed_out);
	} else if (acquire->op.status == RL_BUSY) {
		COVER(refused);
	} else if (acquire->op.status == RL_ERR_SLOW) {
		COVER(too_slow);
	} else if (acquire->op.status != RL_OK) {
		COVER(failed);
	} else if (acquire->queue.place != NULL &&
		acquire->queue.place->errand.answer.vote == RL_VOTE_GRANTED) {
		COVER(granted_by_queue);
	} else if (acquire->op.call.terms.request.verb == RL_VERB_TRY) {
		COVER(granted_by_try);
	} else {
		COVER(granted);
	}
	if (c->subject->is_own && plan.has_twins && acquire->op.status == RL_BUSY) {
		COVER(twin_refused);
	}
	if (acquire->won_since != 0 && acquire->op.status == RL_OK) {
		COVER(own_swapped);
	} else if (acquire->won_since != 0) {
		COVER(own_not_swapped);
	}
}

static void begin_policy(sim_client *c, holding *h)
{
	int64_t hold = spread(10 * US, 2 * plan.ttl_most);
	if (plan.faults == 0 && h->renewal == NULL) {
		/* No lock ends before its release where nothing breaks. */
		hold = spread(10 * US, plan.ttl_least / 2);
	}
	if (plan.mode == PLAN_FAIR) {
		hold = between(plan.section_ns / 2, plan.section_ns * 3 / 2);
	}
	h->end_at = c->is_closing ? world.now : world.now + hold;
	bool has_end = h->renewal != NULL && c->max_hold_ns != RL_NEVER;
	int64_t hold_until = has_end ? client_now(c) + c->max_hold_ns : RL_NEVER;
	claim(c, h, hold_until);
	if (h->renewal == NULL) {
		return;
	}
	if (has_end) {
		COVER(max_hold);
		h->renewal->hold_until = hold_until;
	}
	rl_renewer_begin(h->renewal, &c->set, client_now(c));
}

static const char *why(const sim_client *c)
{
	return c->op->err != NULL ? c->op->err->message : "";
}

/* The watch sends late grants to the members that the call has not asked. */
static void grant_late(sim_client *c, const rl_acquire *acquire)
{
	const rl_quorum_call *call = &acquire->op.call;
	rl_late_grant grant;
	if (rl_acquire_leaves(acquire, &grant)) {
		COVER(late_grant);
		rl_late_grant_add(&c->renewer, &grant);
	}
	if (acquire->given.data == NULL && rl_quorum_call_count(call, RL_VOTE_REFUSED) == 0 &&
		rl_quorum_call_count(call, RL_VOTE_FAILED) == 0) {
		judge_granted(
			c->index, c->subject->key, rl_words_text(acquire->token).mark, call->terms.begun_at);
	}
}

/* The lease is of the permit that was won. */
static void note_permit(holding *h, const rl_acquire *acquire)
{
	rl_lease *lease = h->lease;
	if (plan.permits > 1) {
		rl_lease_set_permit(
			lease, lease->token + lease->token_len, rl_acquire_won_key(acquire), plan.permits);
		h->key = (uint8_t) acquire->permit;
		COVER(permit);
		unsigned taken = 0;
		for (unsigned i = 0; i < plan.permits; i++) {
			const rl_store_key *key = &member_place(0, i)->store.keys[i];
			taken += key->exists && !rl_store_is_reservation(&key->value);
		}
		if (taken == plan.permits) {
			COVER(all_permits);
		}
	}
}

static void finish_take(sim_client *c)
{
	rl_acquire *acquire = (rl_acquire *) c->op;
	holding *h = c->subject;
	rl_bytes token = acquire->token;
	check_end(c, acquire);
	check_patience(c, acquire);
	count_take(c, acquire);
	TRACE("c%u has %s k%u: %s", (unsigned) c->index,
		acquire->op.status == RL_OK ? "won" : "not won", (unsigned) h->key,
		acquire->op.err != NULL ? acquire->op.err->message : "");
	if (c->is_waiter) {
		judge_waited(c->index);
	}
	if (acquire->op.status == RL_OK) {
		if (h->is_once) {
			COVER(run);
			done_run_begins(c, h->key);
		}
		judge_fairness(c->index);
		if (c->is_waiter) {
			judge_order(c->index);
		}
		h->lease->is_own_token = h->is_own;
		rl_lease_begin(h->lease, token, c->ttl_ns, acquire->proven_until);
		note_permit(h, acquire);
		h->lease->strays = rl_quorum_call_strays(&acquire->op.call);
		votes_took(c->index, &acquire->op.call, h->key, rl_words_text(token).mark);
		note_nodes(c, acquire, rl_words_text(token).mark, true);
		/* The swap must not overtake an undo of a token that is used again: so it may come to too
		 * few members, of which the others keep the drawn token until its TTL. */
		if (acquire->own.data != NULL && !c->is_again) {
			rl_bytes drawn = rl_bytes_of(acquire->drawn, acquire->drawn_len);
			judge_released(c->index, h->key, rl_words_text(drawn).mark, 0);
		}
		begin_policy(c, h);
		if (c->wanted != 0) {
			note_key(c, h);
		}
		grant_late(c, acquire);
	} else {
		if (acquire->op.status != RL_BUSY && acquire->op.status != RL_ERR_SLOW) {
			judge_failed(c->index, h->key, why(c));
		}
		if (acquire->op.status != RL_BUSY) {
			forget_failed(c);
		}
		tell_not_won(c);
		free_ref(c, h);
		give_up_keys(c);
	}
	end_op(c);
}

/* Asks again if the refusals were older than the watchdog's putting back, as PHP's glue does. */
static bool extend_again(sim_client *c)
{
	holding *h = c->subject;
	if (c->act != ACT_EXTEND || c->op->status != RL_BUSY || !rl_lease_is_held(h->lease) ||
		!rl_quorum_call_is_overruled(&c->op->call, h->renewal)) {
		return false;
	}
	if (rl_quorum_call_has_strays(&c->op->call)) {
		rl_lease_suspect(h->lease, c->ttl_ns);
	}
	rl_op_free(c->op);
	c->op = ask(c, h, RL_VERB_EXTEND, c->ttl_ns / MS);
	return true;
}

static void finish_extend(sim_client *c)
{
	holding *h = c->subject;
	if (rl_quorum_call_has_strays(&c->op->call)) {
		rl_lease_suspect(h->lease, c->ttl_ns);
	}
	if (c->op->status == RL_OK) {
		COVER(extended);
		rl_lease_confirm(h->lease, c->ttl_ns, rl_quorum_call_sent_at(&c->op->call));
		h->claim.asked = atomic_load(&h->lease->proof);
		votes_prolonged(c->index, &c->op->call, h->key, h->claim.token);
	} else if (c->op->status == RL_BUSY) {
		COVER(not_extended);
		rl_lease_lose(h->lease);
		rl_plain_undo(c->op, client_now(c));
	} else {
		COVER(extend_failed);
		judge_failed(c->index, h->key, why(c));
		rl_lease_doubt(h->lease, c->ttl_ns);
	}
	tell_watch(h);
	end_op(c);
}

static void finish_fence(sim_client *c)
{
	holding *h = c->subject;
	if (c->op->status == RL_OK && rl_lease_is_held(h->lease)) {
		COVER(fenced);
		h->fence = c->op->call.terms.request.fence_number;
		judge_fenced(c->index, h->key, &c->fence_asked, h->fence);
	} else if (c->op->status == RL_OK) {
		COVER(fenced_late);
	} else if (c->op->status == RL_BUSY) {
		COVER(not_fenced);
		rl_lease_lose(h->lease);
		tell_watch(h);
	} else {
		COVER(fence_failed);
		judge_failed(c->index, h->key, why(c));
	}
	end_op(c);
}

static void finish_resume(sim_client *c)
{
	holding *h = c->subject;
	TRACE("c%u has %s k%u over: %s", (unsigned) c->index,
		c->op->status == RL_OK ? "taken" : "not taken", (unsigned) h->key,
		c->op->err != NULL ? c->op->err->message : "");
	if (c->op->status != RL_OK) {
		if (c->op->status == RL_BUSY) {
			COVER(not_resumed);
		} else {
			COVER(resume_failed);
			judge_failed(c->index, h->key, why(c));
		}
		tell_not_taken_over(c);
		end_op(c);
		free_ref(c, h);
		return;
	}
	COVER(resumed);
	int64_t sent_at = rl_quorum_call_sent_at(&c->op->call);
	rl_lease_begin(h->lease, c->op->call.terms.request.fresh, c->ttl_ns,
		sent_at + c->ttl_ns - rl_set_drift(&c->set, c->ttl_ns));
	votes_took(c->index, &c->op->call, h->key, rl_words_text(c->op->call.terms.request.fresh).mark);
	votes_swapped(c->index, &c->op->call, h->key, atomic_load(&h->lease->proof));
	begin_policy(c, h);
	end_op(c);
}

/* The watch repeats the release on these members, as PHP's glue has it do. */
static void release_late(sim_client *c, const holding *h, unsigned members)
{
	rl_late_release late = {.set = &c->set,
		.key = h->lease->names.lock,
		.permits = h->lease->permits,
		.permit = h->lease->strays == 0 ? h->lease->names.key : rl_bytes_of(NULL, 0),
		.token = rl_lease_token(h->lease),
		.members = members,
		.strays = h->lease->strays,
		.renewal = h->renewal,
		.ttl_ns = h->lease->ttl_ns,
		.done_ms = h->lease->done_ms};
	if (members == 0 || h->is_own || h->lease->is_own_token) {
		return;
	}
	COVER(late_release);
	if (!rl_late_add(&c->renewer, &late)) {
		abort();
	}
}

/* A bit for each member that the release was not sent to: an earlier call has backed it off,
 * because it was slow to answer, and the others have decided. */
static unsigned members_passed_by(const rl_quorum_call *call)
{
	unsigned members = 0;
	for (unsigned i = 0; i < plan.members; i++) {
		members |= (unsigned) (call->members[i].sent.verb != RL_VERB_RELEASE) << i;
	}
	return members;
}

static void finish_release(sim_client *c)
{
	holding *h = c->subject;
	rl_status status = c->op->status;
	release_late(c, h, rl_quorum_call_missing(&c->op->call));
	if (status == RL_OK) {
		COVER(released);
		/* Where a member forbids the helper keys, the release of a caller's token is not sent
		 * without them to a member that has not answered. */
		if (!plan.is_forbidden || rl_token_is_drawn(rl_lease_token(h->lease))) {
			judge_released(c->index, h->key, rl_words_text(rl_lease_token(h->lease)).mark,
				members_passed_by(&c->op->call));
		}
	} else if (status == RL_BUSY) {
		COVER(not_released);
	} else {
		COVER(release_failed);
		forget_given(c, h);
		judge_failed(c->index, h->key, why(c));
	}
	end_op(c);
	if (status != RL_OK && status != RL_BUSY && c->act != ACT_RELEASE_LOOSE && !h->is_token) {
		h->end_at = world.now + spread(US, 10 * MS); /* another release, or the end of the object */
		if (!rl_lease_is_open(h->lease)) {
			free_ref(c, h);
		}
		return;
	}
	rl_lease_end(h->lease);
	free_ref(c, h);
}

void acts_finish(sim_client *c)
{
	if (extend_again(c)) {
		return;
	}
	success_call_ends(c);
	switch (c->act) {
		case ACT_NOTHING:
			break;
		case ACT_TAKE:
			finish_take(c);
			break;
		case ACT_EXTEND:
			finish_extend(c);
			break;
		case ACT_RESUME:
			finish_resume(c);
			break;
		case ACT_FENCE:
			finish_fence(c);
			break;
		case ACT_RELEASE:
		case ACT_RELEASE_LOOSE:
			finish_release(c);
			break;
		case ACT_FAREWELL:
			if (c->subject->lease->done_ms > 0 && rl_releases_vote(c->op, 0) == RL_VOTE_GRANTED) {
				done_marked(c->subject->key, c->subject->lease->done_ms * MS, c->begun_at);
			}
			for (unsigned i = 0; i < c->leaving_count; i++) {
				unsigned missing = rl_releases_missing(c->op, i);
				if (missing != 0) {
					forget_given(c, c->leaving[i]);
				}
				release_late(c, c->leaving[i], missing);
			}
			end_op(c);
			for (unsigned i = 0; i < c->leaving_count; i++) {
				free_ref(c, c->leaving[i]);
			}
			break;
	}
	acts_tell(c);
}

void acts_abandon(sim_client *c)
{
	holding *h = c->subject;
	act what = c->act;
	TRACE("c%u: a signal ends what it does with k%u", (unsigned) c->index, (unsigned) h->key);
	if (what == ACT_TAKE) {
		const rl_acquire *acquire = (const rl_acquire *) c->op;
		COVER(abandoned);
		if (rl_queue_is_in(&acquire->queue)) {
			COVER(abandoned_wait);
		}
	}
	unsigned missing = what == ACT_RELEASE ? rl_quorum_call_missing(&c->op->call) : 0;
	rl_op_abandon(c->op, client_now(c), false);
	release_late(c, h, missing);
	if (what == ACT_RELEASE) {
		forget_given(c, h);
	}
	for (unsigned i = 0; what == ACT_FAREWELL && i < c->leaving_count; i++) {
		forget_given(c, c->leaving[i]);
	}
	if (what == ACT_TAKE) {
		forget_failed(c);
		tell_not_won(c);
	} else if (what == ACT_RESUME) {
		tell_not_taken_over(c);
	}
	if (what == ACT_EXTEND) {
		rl_lease_doubt(h->lease, c->ttl_ns);
		tell_watch(h);
	}
	end_op(c);
	if (what == ACT_RELEASE && !h->is_token && rl_lease_is_open(h->lease)) {
		h->end_at = world.now;
	} else if (what != ACT_EXTEND && what != ACT_FENCE) {
		free_ref(c, h);
	}
	if (what == ACT_TAKE) {
		give_up_keys(c);
	}
	acts_tell(c);
}

void acts_drop(sim_client *c)
{
	if (c->op != NULL) {
		if (c->is_waiter) {
			COVER(crash_in_wait);
		}
		rl_op_abandon(c->op, client_now(c), true);
		end_op(c);
	}
	c->wanted = 0;
	rl_renewer_forget(&c->renewer);
	for (unsigned i = 0; i < CLIENT_HOLDINGS; i++) {
		free_ref(c, &c->holdings[i]);
	}
	rl_pool_clear(&c->pool);
}
