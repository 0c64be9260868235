/* SPDX-License-Identifier: MIT */
#include "store.h"

#include <inttypes.h>
#include <stdio.h>
#include "core/base/rl_token.h"

#include <string.h>

#define MARKS_MS 2000
#define TICKETS_MS 1000
#define FENCE_MS (24 * 3600 * 1000)
#define RESERVED_MS 10

uint64_t store_met[STORE_BRANCH_COUNT];

#define MET(name) ((void) store_met[STORE_MET_##name]++)

/* What a command says that writes. A script meets the same, in redis.pcall. */
static const char *const denials[] = {
	[DENIES_MEMORY] = "OOM command not allowed when used memory > 'maxmemory'.",
	[DENIES_UNCOPIED] = "NOREPLICAS Not enough good replicas to write.",
	[DENIES_AS_REPLICA] = "READONLY You can't write against a read only replica.",
	[DENIES_ALL] =
		"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."};

void store_clear(store *s)
{
	memset(s, 0, sizeof *s);
}

void store_expire(store *s, unsigned key, int64_t now_us)
{
	store_key *k = &s->keys[key];
	int64_t now_ms = now_us / 1000;
	if (k->exists && now_ms > k->expires_ms) {
		k->exists = false;
		s->has_changed = true;
		MET(expired);
	}
	if (now_ms > k->marks_expire_ms) {
		k->mark_count = 0;
		k->reach_ms = 0;
	}
	if (k->tickets > 0 && now_ms > k->tickets_expire_ms) {
		k->tickets = 0;
	}
	if (now_ms > k->fence_expires_ms) {
		k->fence = 0;
	}
}

/* ---- what is refused ---- */

static bool deny(const store *s, model_reply *r)
{
	if (r != NULL) {
		r->type = REPLY_ERROR;
		r->error = denials[s->denies];
	}
	return false;
}

/* A write that needs no memory: DEL, PEXPIRE, ZREM. The reply may be NULL, where nobody looks at
 * it. */
static bool may_write(store *s, model_reply *r)
{
	if (s->denies > DENIES_MEMORY) {
		return deny(s, r);
	}
	s->has_written = true;
	return true;
}

/* SET, ZADD, LPUSH. A script that has written something is not stopped half way. */
static bool may_add(store *s, model_reply *r)
{
	if (s->denies == DENIES_MEMORY && !s->has_written) {
		return deny(s, r);
	}
	return may_write(s, r);
}

bool store_refuses(const store *s, const model_command *c, model_reply *r)
{
	bool is_script = c->what == WORD_SCRIPT || c->what == WORD_HELLO; /* is let in, and finds out */
	bool is_write = c->what == WORD_SET || c->what == WORD_BLPOP;
	if (is_script || s->denies == DENIES_NOTHING) {
		return false;
	}
	if (s->denies == DENIES_ALL) {
		deny(s, r);
		r->error = is_write ? denials[DENIES_AS_REPLICA] : r->error;
		return true;
	}
	if (c->what == WORD_SET || (is_write && s->denies != DENIES_MEMORY)) {
		deny(s, r);
		return true;
	}
	return false;
}

/* ---- writes ---- */

static void set(store *s, store_key *k, const model_text *value, int64_t ttl_ms, int64_t now_us)
{
	k->exists = true;
	k->value = *value;
	k->expires_ms = now_us / 1000 + ttl_ms;
	s->has_changed = true;
}

static int64_t delete (store *s, store_key *k)
{
	bool was_there = k->exists;
	k->exists = false;
	s->has_changed = true;
	return was_there;
}

static int64_t pttl(const store_key *k, int64_t now_us)
{
	return k->exists ? k->expires_ms - now_us / 1000 : -2;
}

/* No token. */
static const model_text nothing = {.len = 0};

static bool holds(const store_key *k, const model_text *token)
{
	return k->exists && k->value.mark == token->mark && k->value.len == token->len;
}

bool store_is_reservation(const model_text *value)
{
	return value->len == 0 ||
		(value->len == sizeof RL_RESERVED_LONG - 1 &&
			memcmp(value->bytes, RL_RESERVED_LONG, sizeof RL_RESERVED_LONG - 1) == 0);
}

/* ---- the scripts' own functions ---- */

/* ZCARD */
static unsigned card(const store_key *k)
{
	return k->mark_count + (k->reach_ms > 0);
}

static rl_holder holder(const store_key *k, const model_text *token, int64_t now_us)
{
	int64_t left = pttl(k, now_us);
	if (!k->exists) {
		return RL_HOLDER_NOBODY;
	}
	if (left >= 0 && store_is_reservation(&k->value) &&
		left <= (k->value.len == 0 ? RESERVED_MS : RL_RESERVED_MAX_MS)) {
		return RL_HOLDER_RESERVED;
	}
	if (holds(k, token)) {
		return RL_HOLDER_SELF;
	}
	bool is_kin = rl_token_is_drawn(rl_bytes_of(k->value.bytes, k->value.len));
	return is_kin ? RL_HOLDER_KIN : RL_HOLDER_FOREIGN;
}

static store_mark *find_mark(store_key *k, const model_text *waiter)
{
	for (unsigned i = 0; i < k->mark_count; i++) {
		if (k->marks[i].waiter == waiter->mark) {
			return &k->marks[i];
		}
	}
	return NULL;
}

static void unmark(store *s, store_key *k, const model_command *c, model_reply *r)
{
	if (!may_write(s, r)) {
		return;
	}
	store_mark *found = find_mark(k, &c->waiter);
	if (found != NULL) {
		*found = k->marks[--k->mark_count];
	}
	if (c->reserve_ms > 0 && card(k) == 1) {
		k->reach_ms = 0;
	}
}

/* False, with the error in the reply, when it is refused. */
static bool mark(store *s, store_key *k, const model_command *c, int64_t now_us, model_reply *r)
{
	if (!may_write(s, r)) { /* ZREMRANGEBYSCORE goes first, and needs no memory */
		return false;
	}
	for (unsigned i = 0; i < k->mark_count;) {
		if (k->marks[i].until_us <= now_us) {
			k->marks[i] = k->marks[--k->mark_count];
		} else {
			i++;
		}
	}
	store_mark *own = find_mark(k, &c->waiter);
	if (own == NULL && k->mark_count < STORE_MARKS) {
		own = &k->marks[k->mark_count++];
	}
	if (own != NULL) {
		*own = (store_mark){.waiter = c->waiter.mark, .until_us = now_us + c->mark_ms * 1000};
	}
	if (c->reserve_ms > RESERVED_MS && c->reserve_ms > k->reach_ms) {
		k->reach_ms = c->reserve_ms;
	}
	k->marks_expire_ms = now_us / 1000 + MARKS_MS;
	return true;
}

/* The mark of the waiter whose try this is has ended, and there are others to go by. */
static bool is_void(store_key *k, const model_command *c, int64_t now_us)
{
	const store_mark *own = find_mark(k, &c->waiter);
	return own != NULL ? own->until_us < now_us : card(k) > 0;
}

static unsigned live_marks(const store_key *k, int64_t now_us)
{
	unsigned count = 0;
	for (unsigned i = 0; i < k->mark_count; i++) {
		count += k->marks[i].until_us >= now_us;
	}
	return count;
}

static rl_ticket ticket(store *s, store_key *k, int64_t now_us)
{
	bool was_there = k->tickets > 0;
	if (!(was_there ? may_write(s, NULL) : may_add(s, NULL))) {
		return RL_TICKET_IMPOSSIBLE;
	}
	if (!was_there) {
		k->tickets = 1;
		s->has_ticket = true;
	}
	k->tickets_expire_ms = now_us / 1000 + TICKETS_MS;
	return was_there ? RL_TICKET_OUT : RL_TICKET_NONE;
}

static void reserve(store *s, store_key *k, const model_command *c, int64_t now_us)
{
	int64_t ms = RESERVED_MS;
	if (c->reserve_ms > 0) {
		ms = c->reserve_ms > k->reach_ms ? c->reserve_ms : k->reach_ms;
		ms = ms < RL_RESERVED_MAX_MS ? ms : RL_RESERVED_MAX_MS;
	}
	model_text value =
		words_text(ms > RESERVED_MS ? rl_bytes_of(RL_RESERVED_LONG, sizeof RL_RESERVED_LONG - 1)
									: rl_bytes_of("", 0));
	set(s, k, &value, ms, now_us);
}

static void say_numbers(model_reply *r, unsigned count, int64_t first, int64_t second,
	int64_t third, int64_t fourth, int64_t fifth)
{
	r->type = REPLY_NUMBERS;
	r->count = (uint8_t) count;
	r->number[0] = first;
	r->number[1] = second;
	r->number[2] = third;
	r->number[3] = fourth;
	r->number[4] = fifth;
}

/* A label replaces RL_HOLDER_KIN, which is the element with this index. */
static void say_label(model_reply *r, const store_key *k, rl_holder h, uint8_t at)
{
	rl_bytes label = rl_token_label(rl_bytes_of(k->value.bytes, k->value.len));
	if (h == RL_HOLDER_KIN && label.len > 0) {
		r->label = words_text(label);
		r->label_at = at;
	}
}

static void say_number(model_reply *r, int64_t number)
{
	r->type = REPLY_NUMBER;
	r->number[0] = number;
}

/* Frees it, for the next waiter if there is one. */
static void free_key(store *s, store_key *k, const model_command *c, int64_t now_us, model_reply *r)
{
	bool has_waiters = c->has_helpers && k->mark_count > 0;
	if (has_waiters && ticket(s, k, now_us) != RL_TICKET_IMPOSSIBLE) {
		reserve(s, k, c, now_us); /* the ticket was a write: so is this */
		MET(reserved);
		say_number(r, 1);
	} else if (may_write(s, r)) {
		int64_t deleted = delete (s, k);
		if (deleted > 0 && has_waiters) {
			MET(untold);
		}
		say_number(r, deleted > 0 && has_waiters ? 2 : deleted);
	}
}

/* A ticket that its waiter cannot use goes to the next one, or nowhere. */
static void pass_on(store *s, store_key *k, const model_command *c, int64_t now_us)
{
	MET(late_try);
	if (live_marks(k, now_us) > 0 && ticket(s, k, now_us) != RL_TICKET_IMPOSSIBLE) {
		reserve(s, k, c, now_us);
	} else if (k->exists && may_write(s, NULL)) {
		delete (s, k);
	}
}

/* ---- the scripts ---- */

static void run_try(store *s, store_key *k, const model_command *c, int64_t now_us, model_reply *r)
{
	int64_t n = c->has_helpers ? now_us : 0;
	int64_t left = pttl(k, now_us);
	rl_holder h = holder(k, &c->token, now_us);
	bool is_free = h == RL_HOLDER_NOBODY || (h == RL_HOLDER_RESERVED && c->place != RL_PLACE_NONE);
	bool is_mine = h == RL_HOLDER_SELF && c->maybe_ours;
	if (c->place == RL_PLACE_QUEUED && c->has_helpers && is_void(k, c, now_us)) {
		if (is_free) {
			pass_on(s, k, c, now_us);
		}
		say_numbers(r, 5, 0, n, left, h, 0);
		say_label(r, k, h, 3);
		return;
	}
	if (is_free || is_mine) {
		if (is_mine) {
			MET(owed_try_own);
		}
		if (!may_add(s, r)) {
			return;
		}
		set(s, k, &c->token, is_free || left < c->ttl_ms ? c->ttl_ms : left, now_us);
		if (c->has_helpers) {
			unmark(s, k, c, NULL);
		}
		say_numbers(r, 2, 1, n, 0, 0, 0);
		return;
	}
	r->type = REPLY_NIL;
	if (c->has_helpers && c->place != RL_PLACE_QUEUED && c->mark_ms == 0) {
		unmark(s, k, c, r);
	} else if (c->has_helpers && c->place != RL_PLACE_QUEUED) {
		n = mark(s, k, c, now_us, r) ? n : 0;
	}
	if (r->type == REPLY_ERROR && s->denies == DENIES_AS_REPLICA) {
		return;
	}
	say_numbers(r, 5, 0, n, left, h, c->has_helpers ? card(k) : 0);
	say_label(r, k, h, 3);
}

static void run_probe(
	store *s, store_key *k, const model_command *c, int64_t now_us, model_reply *r)
{
	int64_t left = pttl(k, now_us);
	rl_holder h = holder(k, &c->token, now_us);
	rl_ticket sent = RL_TICKET_NONE;
	int64_t n = now_us;
	r->type = REPLY_NIL;
	if (h != RL_HOLDER_SELF) {
		n = mark(s, k, c, now_us, r) ? n : 0;
	}
	if (r->type == REPLY_ERROR && s->denies == DENIES_AS_REPLICA) {
		return;
	}
	if (!k->exists) {
		sent = ticket(s, k, now_us);
	}
	if (!k->exists && sent == RL_TICKET_NONE) {
		reserve(s, k, c, now_us);
	}
	say_numbers(r, 5, n, left, h, sent, card(k));
	say_label(r, k, h, 2);
}

static void run_inspect(store_key *k, const model_command *c, int64_t now_us, model_reply *r)
{
	rl_holder h = holder(k, &nothing, now_us);
	say_numbers(r, 3, pttl(k, now_us), h, c->has_helpers ? live_marks(k, now_us) : 0, 0, 0);
	say_label(r, k, h, 1);
	r->type = REPLY_STATE;
	r->text = k->exists ? k->value : nothing;
}

static void run_release(
	store *s, store_key *k, const model_command *c, int64_t now_us, model_reply *r)
{
	if (c->has_helpers && c->waiter.len > 0) {
		unmark(s, k, c, NULL);
	}
	if (holds(k, &c->token)) {
		free_key(s, k, c, now_us, r);
	} else {
		say_number(r, 0);
	}
}

/* What a script says that needs the token and does not find it. */
static int64_t refusal(const store_key *k)
{
	return !k->exists || store_is_reservation(&k->value) ? 0 : -1;
}

/* A renewal leaves a longer TTL. */
static void run_extend(
	store *s, store_key *k, const model_command *c, bool is_renewal, int64_t now_us, model_reply *r)
{
	bool is_ours = holds(k, &c->token);
	int64_t until = now_us / 1000 + c->ttl_ms;
	say_number(r, is_ours ? 1 : refusal(k));
	bool is_kept = is_ours && is_renewal && k->expires_ms >= until;
	if (is_ours && may_write(s, r) && !is_kept) {
		k->expires_ms = until;
		s->has_changed = true;
	} else if (is_kept) { /* written as it was */
		MET(renewal_kept);
	}
}

/* To a token that is there already it only prolongs. */
static void run_swap(store *s, store_key *k, const model_command *c, int64_t now_us, model_reply *r)
{
	if (holds(k, &c->token)) {
		if (!may_add(s, r)) {
			return;
		}
		int64_t left = c->ttl_ms > 0 ? c->ttl_ms : pttl(k, now_us);
		set(s, k, &c->fresh, left, now_us);
		say_number(r, 1);
	} else if (holds(k, &c->fresh)) {
		int64_t left = pttl(k, now_us);
		if (left > 0 || c->ttl_ms > 0) {
			if (!may_write(s, r)) {
				return;
			}
			k->expires_ms = now_us / 1000 + (left > c->ttl_ms ? left : c->ttl_ms);
			s->has_changed = true;
		}
		MET(swapped_before);
		say_number(r, 2);
	} else {
		say_number(r, 0);
	}
}

static void run_fence(
	store *s, store_key *k, const model_command *c, int64_t now_us, model_reply *r)
{
	if (!holds(k, &c->token)) {
		say_number(r, refusal(k));
		return;
	}
	if (!may_add(s, r)) {
		return;
	}
	if (c->fence > 0) {
		k->fence = c->fence > k->fence ? c->fence : k->fence;
	} else if (now_us > k->fence) {
		k->fence = now_us;
		MET(fence_by_clock);
	} else {
		k->fence++;
		MET(fence_ahead);
	}
	k->fence_expires_ms = now_us / 1000 + FENCE_MS;
	char digits[WORDS_TEXT];
	int len = snprintf(digits, sizeof digits, "%" PRId64, k->fence);
	r->type = REPLY_DIGITS;
	r->number[0] = k->fence;
	r->text = words_text(rl_bytes_of(digits, (size_t) len));
}

static void run_force(
	store *s, store_key *k, const model_command *c, int64_t now_us, model_reply *r)
{
	bool is_nobodys = !k->exists || holder(k, &nothing, now_us) == RL_HOLDER_RESERVED;
	if (is_nobodys) {
		say_number(r, 0);
	} else {
		free_key(s, k, c, now_us, r);
	}
}

static void run_script(
	store *s, store_key *k, const model_command *c, int64_t now_us, model_reply *r)
{
	if (c->is_sha && (s->known >> c->script & 1U) == 0) {
		r->type = REPLY_ERROR;
		r->error = "NOSCRIPT No matching script. Please use EVAL.";
		MET(noscript);
		return;
	}
	s->known |= 1U << c->script;
	if (s->denies == DENIES_ALL) {
		deny(s, r); /* its first command is */
		return;
	}
	switch (c->script) {
		case RL_SCRIPT_TRY:
			run_try(s, k, c, now_us, r);
			break;
		case RL_SCRIPT_RELEASE:
			run_release(s, k, c, now_us, r);
			break;
		case RL_SCRIPT_EXTEND:
			run_extend(s, k, c, false, now_us, r);
			break;
		case RL_SCRIPT_RENEW:
			run_extend(s, k, c, true, now_us, r);
			break;
		case RL_SCRIPT_PROBE:
			run_probe(s, k, c, now_us, r);
			break;
		case RL_SCRIPT_INSPECT:
			run_inspect(k, c, now_us, r);
			break;
		case RL_SCRIPT_FORCE:
			run_force(s, k, c, now_us, r);
			break;
		case RL_SCRIPT_SWAP:
			run_swap(s, k, c, now_us, r);
			break;
		case RL_SCRIPT_FENCE:
			run_fence(s, k, c, now_us, r);
			break;
	}
}

/* ---- commands ---- */

void store_run(store *s, const model_command *c, int64_t now_us, model_reply *r)
{
	store_key *k = &s->keys[c->key];
	s->has_changed = false;
	s->has_ticket = false;
	s->has_written = false;
	r->label_at = 0;
	store_expire(s, c->key, now_us);
	if (store_refuses(s, c, r)) {
		return;
	}
	switch (c->what) {
		case WORD_SET:
			r->type = k->exists ? REPLY_NIL : REPLY_STATUS;
			if (!k->exists) {
				set(s, k, &c->token, c->ttl_ms, now_us);
			}
			break;
		case WORD_EXISTS:
			say_number(r, k->exists);
			break;
		case WORD_GET:
			r->type = k->exists ? REPLY_TEXT : REPLY_NIL;
			r->text = k->value;
			break;
		case WORD_PTTL:
			say_number(r, pttl(k, now_us));
			break;
		case WORD_SCRIPT:
			run_script(s, k, c, now_us, r);
			break;
		case WORD_HELLO:
		case WORD_BLPOP:
			r->type = REPLY_STATUS;
			break;
		case WORD_WAIT: /* of a server without replicas */
			say_number(r, 0);
			break;
		case WORD_ASKING: /* of a cluster: see slots.h */
		case WORD_MAP:
		case WORD_ROLE: /* of a node behind Sentinels, and of these */
		case WORD_PRIMARY:
		case WORD_MASTER:
			break;
	}
}

bool store_pop(store *s, unsigned key, int64_t now_us)
{
	store_expire(s, key, now_us);
	if (s->keys[key].tickets == 0) {
		return false;
	}
	s->keys[key].tickets--;
	return true;
}
