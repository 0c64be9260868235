/* SPDX-License-Identifier: MIT */
#include "model/rl_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MARKS_MS 2000
#define TICKETS_MS 1000
#define FENCE_MS (24 * 3600 * 1000)
#define RESERVED_MS 10

#ifdef RL_STORE_COUNTS_BRANCHES
uint64_t rl_store_met[RL_STORE_BRANCH_COUNT];
# define MET(name) ((void) rl_store_met[RL_STORE_MET_##name]++)
#else
# define MET(name) ((void) 0)
#endif

/* The error for a command that writes. A script gets the same error from redis.pcall. */
static const char *const denials[] = {
	[RL_DENIES_MEMORY] = "OOM command not allowed when used memory > 'maxmemory'.",
	[RL_DENIES_UNCOPIED] = "NOREPLICAS Not enough good replicas to write.",
	[RL_DENIES_AS_REPLICA] = "READONLY You can't write against a read only replica.",
	[RL_DENIES_ALL] =
		"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."};

void rl_store_expire(rl_store *s, rl_store_key *k, int64_t now_us)
{
	int64_t now_ms = now_us / 1000;
	if (k->exists && now_ms > k->expires_ms) {
		k->exists = false;
		s->done |= RL_STORE_CHANGED;
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

/* ---- refusals ---- */

static bool deny(const rl_store *s, rl_model_reply *r)
{
	if (r != NULL) {
		r->type = RL_SAYS_ERROR;
		r->error = denials[s->denies];
	}
	return false;
}

/* True when the server runs a write that needs no memory: DEL, PEXPIRE, ZREM.
 * @param r gets the error; NULL = the script ignores the error */
static bool may_write(rl_store *s, rl_model_reply *r)
{
	if (s->denies > RL_DENIES_MEMORY) {
		return deny(s, r);
	}
	s->done |= RL_STORE_WROTE;
	return true;
}

/* The same for SET, ZADD and LPUSH. The server does not stop a script half way for lack of memory:
 * a script that has written something may write more. */
static bool may_add(rl_store *s, rl_model_reply *r)
{
	if (s->denies == RL_DENIES_MEMORY && (s->done & RL_STORE_WROTE) == 0) {
		return deny(s, r);
	}
	return may_write(s, r);
}

bool rl_store_refuses(const rl_store *s, const rl_model_command *c, rl_model_reply *r)
{
	bool is_script =
		c->what == RL_WORD_SCRIPT || c->what == RL_WORD_HELLO; /* is let in, and finds out */
	bool is_write = c->what == RL_WORD_SET || c->what == RL_WORD_BLPOP;
	if (is_script || s->denies == RL_DENIES_NOTHING) {
		return false;
	}
	if (s->denies == RL_DENIES_ALL) {
		deny(s, r);
		r->error = is_write ? denials[RL_DENIES_AS_REPLICA] : r->error;
		return true;
	}
	if (c->what == RL_WORD_SET || (is_write && s->denies != RL_DENIES_MEMORY)) {
		deny(s, r);
		return true;
	}
	return false;
}

/* ---- writes ---- */

static void set(
	rl_store *s, rl_store_key *k, const rl_model_text *value, int64_t ttl_ms, int64_t now_us)
{
	k->exists = true;
	k->value = *value;
	k->expires_ms = now_us / 1000 + ttl_ms;
	s->done |= RL_STORE_CHANGED;
}

static int64_t delete (rl_store *s, rl_store_key *k)
{
	bool was_there = k->exists;
	k->exists = false;
	s->done |= RL_STORE_CHANGED;
	return was_there;
}

static int64_t pttl(const rl_store_key *k, int64_t now_us)
{
	return k->exists ? k->expires_ms - now_us / 1000 : -2;
}

/* No token. */
static const rl_model_text nothing = {.len = 0};

static bool holds(const rl_store_key *k, const rl_model_text *token)
{
	return k->exists && k->value.mark == token->mark && k->value.len == token->len;
}

static bool is_text(const rl_model_text *value, const char *text, size_t len)
{
	return value->len == len && memcmp(value->bytes, text, len) == 0;
}

bool rl_store_is_reservation(const rl_model_text *value)
{
	return value->len == 0 || is_text(value, RL_RESERVED_LONG, sizeof RL_RESERVED_LONG - 1);
}

bool rl_store_is_done(const rl_model_text *value)
{
	return is_text(value, RL_DONE, sizeof RL_DONE - 1);
}

/* ---- the scripts' own functions ---- */

/* ZCARD */
static unsigned card(const rl_store_key *k)
{
	return k->mark_count + (k->reach_ms > 0);
}

static rl_holder holder(const rl_store_key *k, const rl_model_text *token, int64_t now_us)
{
	int64_t left = pttl(k, now_us);
	if (!k->exists) {
		return RL_HOLDER_NOBODY;
	}
	if (left >= 0 && rl_store_is_reservation(&k->value) &&
		left <= (k->value.len == 0 ? RESERVED_MS : RL_RESERVED_MAX_MS)) {
		return RL_HOLDER_RESERVED;
	}
	if (holds(k, token)) {
		return RL_HOLDER_SELF;
	}
	if (rl_store_is_done(&k->value)) {
		return RL_HOLDER_DONE;
	}
	bool is_kin = rl_token_is_drawn(rl_bytes_of(k->value.bytes, k->value.len));
	return is_kin ? RL_HOLDER_KIN : RL_HOLDER_FOREIGN;
}

static rl_store_mark *find_mark(rl_store_key *k, const rl_model_text *waiter)
{
	for (unsigned i = 0; i < k->mark_count; i++) {
		if (k->marks[i].waiter == waiter->mark) {
			return &k->marks[i];
		}
	}
	return NULL;
}

static void unmark(rl_store *s, rl_store_key *k, const rl_model_command *c, rl_model_reply *r)
{
	if (!may_write(s, r)) {
		return;
	}
	rl_store_mark *found = find_mark(k, &c->waiter);
	if (found != NULL) {
		*found = k->marks[--k->mark_count];
	}
	if (c->has_reserve && card(k) == 1) {
		k->reach_ms = 0;
	}
}

/* False, with the error in the reply, when it is refused. */
static bool mark(
	rl_store *s, rl_store_key *k, const rl_model_command *c, int64_t now_us, rl_model_reply *r)
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
	rl_store_mark *own = find_mark(k, &c->waiter);
	if (own == NULL && k->mark_count < RL_STORE_MARKS) {
		own = &k->marks[k->mark_count++];
	}
	if (own != NULL) {
		*own = (rl_store_mark){.waiter = c->waiter.mark, .until_us = now_us + c->mark_ms * 1000};
		/* The name of a mark has a label where a token has one. */
		rl_bytes label = rl_token_label(rl_bytes_of(c->waiter.bytes, c->waiter.len));
		if (label.data != NULL) {
			rl_label_set(&own->label, label);
		}
	}
	if (c->reserve_ms > RESERVED_MS && c->reserve_ms > k->reach_ms) {
		k->reach_ms = c->reserve_ms;
	}
	k->marks_expire_ms = now_us / 1000 + MARKS_MS;
	return true;
}

/* The waiter whose try this is has no mark, or its mark has ended. */
static bool is_void(rl_store_key *k, const rl_model_command *c, int64_t now_us)
{
	const rl_store_mark *own = find_mark(k, &c->waiter);
	return own == NULL || own->until_us < now_us;
}

static unsigned live_marks(const rl_store_key *k, int64_t now_us)
{
	unsigned count = 0;
	for (unsigned i = 0; i < k->mark_count; i++) {
		count += k->marks[i].until_us >= now_us;
	}
	return count;
}

static rl_ticket ticket(rl_store *s, rl_store_key *h, unsigned most, int64_t now_us)
{
	bool were_there = h->tickets >= most;
	if (!(were_there ? may_write(s, NULL) : may_add(s, NULL))) {
		return RL_TICKET_IMPOSSIBLE;
	}
	if (!were_there) {
		h->tickets++;
		s->done |= RL_STORE_PUT_TICKET;
	}
	h->tickets_expire_ms = now_us / 1000 + TICKETS_MS;
	return were_there ? RL_TICKET_OUT : RL_TICKET_NONE;
}

static void reserve(rl_store *s, const rl_store_keys *k, const rl_model_command *c, int64_t now_us)
{
	int64_t ms = RESERVED_MS;
	if (c->reserve_ms > 0) {
		ms = c->reserve_ms > k->home->reach_ms ? c->reserve_ms : k->home->reach_ms;
		ms = ms < RL_RESERVED_MAX_MS ? ms : RL_RESERVED_MAX_MS;
	}
	rl_model_text value =
		rl_words_text(ms > RESERVED_MS ? rl_bytes_of(RL_RESERVED_LONG, sizeof RL_RESERVED_LONG - 1)
									   : rl_bytes_of("", 0));
	set(s, k->lock, &value, ms, now_us);
}

static void say_numbers(rl_model_reply *r, unsigned count, int64_t first, int64_t second,
	int64_t third, int64_t fourth, int64_t fifth)
{
	r->type = RL_SAYS_NUMBERS;
	r->count = (uint8_t) count;
	r->number[0] = first;
	r->number[1] = second;
	r->number[2] = third;
	r->number[3] = fourth;
	r->number[4] = fifth;
}

/* A label replaces RL_HOLDER_KIN, which is the element with this index. */
static void say_label(rl_model_reply *r, const rl_store_key *k, rl_holder h, uint8_t at)
{
	rl_bytes label = rl_token_label(rl_bytes_of(k->value.bytes, k->value.len));
	if (h == RL_HOLDER_KIN && label.len > 0) {
		r->label = rl_words_text(label);
		r->label_at = at;
	}
}

static void say_number(rl_model_reply *r, int64_t number)
{
	r->type = RL_SAYS_NUMBER;
	r->number[0] = number;
}

/* Frees it, for the next waiter if there is one. Of several permits as many may be reserved as
 * waiters are told. */
static void free_key(rl_store *s, const rl_store_keys *k, const rl_model_command *c, int64_t now_us,
	rl_model_reply *r)
{
	unsigned marks = rl_words_has_helpers(c) ? k->home->mark_count : 0;
	unsigned most = c->permit_count > 0 && c->permit_count < marks ? c->permit_count : marks;
	rl_ticket sent = RL_TICKET_IMPOSSIBLE;
	if (marks > 0) {
		sent = ticket(s, k->home, c->permit_count > 0 ? most : 1, now_us);
	}
	if (sent == RL_TICKET_NONE || (sent == RL_TICKET_OUT && c->permit_count == 0)) {
		reserve(s, k, c, now_us); /* the ticket was a write: so is this */
		MET(reserved);
		say_number(r, 1);
	} else if (may_write(s, r)) {
		if (sent == RL_TICKET_OUT) {
			MET(freed_permit);
		}
		int64_t deleted = delete (s, k->lock);
		bool is_untold = deleted > 0 && marks > 0 && sent == RL_TICKET_IMPOSSIBLE;
		if (is_untold) {
			MET(untold);
		}
		say_number(r, is_untold ? 2 : deleted);
	}
}

/* A ticket that its waiter cannot use goes to the next one, or nowhere. */
static void pass_on(rl_store *s, const rl_store_keys *k, const rl_model_command *c, int64_t now_us)
{
	MET(late_try);
	unsigned live = live_marks(k->home, now_us);
	unsigned permits = c->permits > 1 ? c->permits : 1;
	rl_ticket sent = live > 0 ? ticket(s, k->home, live < permits ? live : permits, now_us)
							  : RL_TICKET_IMPOSSIBLE;
	if (sent == RL_TICKET_NONE || (sent == RL_TICKET_OUT && permits == 1)) {
		reserve(s, k, c, now_us);
	} else if (k->lock->exists && may_write(s, NULL)) {
		delete (s, k->lock);
	}
}

/* ---- permits ---- */

enum { RANK_TAKEN = 2, RANK_SECOND = 4, RANK_FIRST = 6, RANK_OURS = 8 };

/* The number of the permit that ends first. */
static unsigned first_to_end(const rl_store_keys *k, const rl_model_command *c, int64_t now_us)
{
	unsigned first = 0;
	for (unsigned i = 1; i < c->permits; i++) {
		first = pttl(k->permits[i], now_us) < pttl(k->permits[first], now_us) ? i : first;
	}
	return first;
}

/* The number of the permit that a TRY or a PROBE chooses.
 * @param [out] room how many permits are free or reserved */
static unsigned choose(
	const rl_store_keys *k, const rl_model_command *c, int64_t now_us, unsigned *room)
{
	bool is_probe = c->script == RL_SCRIPT_PROBE;
	int free_rank = is_probe ? RANK_FIRST : RANK_SECOND;
	int reserved_rank = is_probe    ? RANK_SECOND
		: c->place != RL_PLACE_NONE ? RANK_FIRST
									: RANK_TAKEN;
	int top = 0;
	unsigned chosen = 0;
	*room = 0;
	for (unsigned i = 0; i < c->permits; i++) {
		const rl_store_key *permit = k->permits[i];
		int64_t left = pttl(permit, now_us);
		bool is_short = permit->value.len == 0 && left >= 0 && left <= RESERVED_MS;
		int rank = holds(permit, &c->token) ? RANK_OURS
			: !permit->exists               ? free_rank
			: is_short                      ? reserved_rank
											: RANK_TAKEN;
		*room += !permit->exists || is_short;
		chosen = rank > top ? i : chosen;
		top = rank > top ? rank : top;
	}
	return top == RANK_TAKEN ? first_to_end(k, c, now_us) : chosen;
}

/* ---- the scripts ---- */

/* The try takes the lock. */
static void take(rl_store *s, const rl_store_keys *k, const rl_model_command *c, int64_t now_us,
	int64_t left, unsigned permit, rl_model_reply *r)
{
	if (!may_add(s, r)) {
		return;
	}
	set(s, k->lock, &c->token, left < c->ttl_ms ? c->ttl_ms : left, now_us);
	if (rl_words_has_helpers(c)) {
		unmark(s, k->home, c, NULL);
	}
	if (permit > 0) {
		MET(other_permit);
	}
	say_numbers(
		r, c->permits > 1 ? 3 : 2, 1, rl_words_has_helpers(c) ? now_us : 0, permit + 1, 0, 0);
}

static void run_try(rl_store *s, const rl_store_keys *keys, const rl_model_command *c,
	int64_t now_us, rl_model_reply *r)
{
	rl_store_keys one = *keys;
	const rl_store_keys *k = &one;
	unsigned room;
	unsigned permit = c->permits > 1 ? choose(k, c, now_us, &room) : 0;
	one.lock = c->permits > 1 ? k->permits[permit] : k->lock;
	int64_t n = rl_words_has_helpers(c) ? now_us : 0;
	int64_t left = pttl(k->lock, now_us);
	rl_holder h = holder(k->lock, &c->token, now_us);
	bool is_free = h == RL_HOLDER_NOBODY || (h == RL_HOLDER_RESERVED && c->place != RL_PLACE_NONE);
	bool is_mine = h == RL_HOLDER_SELF && c->maybe_ours;
	if (h == RL_HOLDER_DONE && c->place == RL_PLACE_QUEUED && rl_words_has_helpers(c)) {
		r->type = RL_SAYS_NIL;
		unmark(s, k->home, c, r);
		if (r->type == RL_SAYS_ERROR && s->denies == RL_DENIES_AS_REPLICA) {
			return;
		}
		if (live_marks(k->home, now_us) > 0) {
			ticket(s, k->home, 1, now_us);
			MET(done_told);
		}
		say_numbers(r, 5, 0, n, left, h, 0);
		return;
	}
	if (c->place == RL_PLACE_QUEUED && rl_words_has_helpers(c) && is_void(k->home, c, now_us)) {
		if (is_free) {
			pass_on(s, k, c, now_us);
		}
		say_numbers(r, 5, 0, n, left, h, 0);
		say_label(r, k->lock, h, 3);
		return;
	}
	if (is_free || is_mine) {
		if (is_mine) {
			MET(owed_try_own);
		}
		if (c->permits > 1 && h == RL_HOLDER_RESERVED) {
			MET(reserved_permit);
		}
		take(s, k, c, now_us, is_free ? 0 : left, permit, r);
		return;
	}
	r->type = RL_SAYS_NIL;
	if (rl_words_has_helpers(c) && c->place != RL_PLACE_QUEUED && c->mark_ms == 0) {
		unmark(s, k->home, c, r);
	} else if (rl_words_has_helpers(c) && c->place != RL_PLACE_QUEUED) {
		n = mark(s, k->home, c, now_us, r) ? n : 0;
	}
	if (r->type == RL_SAYS_ERROR && s->denies == RL_DENIES_AS_REPLICA) {
		return;
	}
	say_numbers(r, 5, 0, n, left, h, rl_words_has_helpers(c) ? card(k->home) : 0);
	say_label(r, k->lock, h, 3);
}

static void run_probe(rl_store *s, const rl_store_keys *keys, const rl_model_command *c,
	int64_t now_us, rl_model_reply *r)
{
	rl_store_keys one = *keys;
	const rl_store_keys *k = &one;
	unsigned room = 1;
	one.lock = c->permits > 1 ? k->permits[choose(k, c, now_us, &room)] : k->lock;
	int64_t left = pttl(k->lock, now_us);
	rl_holder h = holder(k->lock, &c->token, now_us);
	rl_ticket sent = RL_TICKET_NONE;
	int64_t n = now_us;
	r->type = RL_SAYS_NIL;
	if (h != RL_HOLDER_SELF) {
		n = mark(s, k->home, c, now_us, r) ? n : 0;
	}
	if (r->type == RL_SAYS_ERROR && s->denies == RL_DENIES_AS_REPLICA) {
		return;
	}
	if (!k->lock->exists) {
		unsigned live = live_marks(k->home, n);
		unsigned most = room < live ? room : live;
		if (most > 1 && k->home->tickets > 0 && k->home->tickets < most) {
			MET(second_ticket);
		}
		sent = ticket(s, k->home, most > 1 ? most : 1, now_us);
	}
	if (!k->lock->exists && sent == RL_TICKET_NONE) {
		reserve(s, k, c, now_us);
	}
	say_numbers(r, 5, n, left, h, sent, card(k->home));
	say_label(r, k->lock, h, 2);
}

/* The labels of the live marks, those that end first before the others. */
static rl_model_text waiting(const rl_store_key *k, int64_t now_us)
{
	char text[RL_STORE_MARKS * (RL_LABEL_MAX + 1)];
	size_t len = 0;
	const rl_store_mark *last = NULL;
	for (unsigned done = 0; done < k->mark_count; done++) {
		const rl_store_mark *next = NULL;
		for (unsigned i = 0; i < k->mark_count; i++) {
			const rl_store_mark *m = &k->marks[i];
			bool is_later = last == NULL || m->until_us > last->until_us ||
				(m->until_us == last->until_us && m > last);
			if (is_later && (next == NULL || m->until_us < next->until_us)) {
				next = m;
			}
		}
		last = next;
		if (last->until_us >= now_us && last->label.len > 0) {
			memcpy(text + len, last->label.text, last->label.len);
			len += last->label.len;
			text[len++] = ' ';
		}
	}
	return rl_words_text(rl_bytes_of(text, len > 0 ? len - 1 : 0));
}

static void run_inspect(
	const rl_store_keys *k, const rl_model_command *c, int64_t now_us, rl_model_reply *r)
{
	rl_holder h = holder(k->lock, &nothing, now_us);
	say_numbers(r, 3, pttl(k->lock, now_us), h,
		rl_words_has_helpers(c) ? live_marks(k->home, now_us) : 0, 0, 0);
	say_label(r, k->lock, h, 1);
	r->type = RL_SAYS_STATE;
	r->text = k->lock->exists ? k->lock->value : nothing;
	r->waiting = rl_words_has_helpers(c) ? waiting(k->home, now_us) : nothing;
}

/* Leaves the mark of work that is done, and tells the first waiter. */
static void mark_done(rl_store *s, const rl_store_keys *k, const rl_model_command *c,
	int64_t now_us, rl_model_reply *r)
{
	if (!may_add(s, r)) {
		return;
	}
	rl_model_text value = rl_words_text(rl_bytes_of(RL_DONE, sizeof RL_DONE - 1));
	set(s, k->lock, &value, c->done_ms, now_us);
	MET(done);
	bool is_told = !rl_words_has_helpers(c) || k->home->mark_count == 0 ||
		ticket(s, k->home, 1, now_us) != RL_TICKET_IMPOSSIBLE;
	say_number(r, is_told ? 1 : 2);
}

static void run_release(rl_store *s, const rl_store_keys *k, const rl_model_command *c,
	int64_t now_us, rl_model_reply *r)
{
	bool had_marks = card(k->home) > 0;
	if (rl_words_has_helpers(c) && c->waiter.len > 0) {
		unmark(s, k->home, c, NULL);
	}
	bool cannot_count = s->moves_away && had_marks && card(k->home) == 0;
	bool is_done = c->done_ms > 0 && k->lock->exists && rl_store_is_done(&k->lock->value);
	if (is_done && !may_write(s, r)) { /* it is written as it was */
		return;
	}
	if (!holds(k->lock, &c->token)) {
		say_number(r, is_done ? 3 : 0);
	} else if (c->done_ms > 0) {
		mark_done(s, k, c, now_us, r);
	} else {
		free_key(s, k, c, now_us, r);
	}
	if (cannot_count && r->type == RL_SAYS_NUMBER && r->number[0] == 1) {
		say_number(r, 2);
	}
}

/* Frees each permit that has the token. */
static void run_free_any(
	rl_store *s, const rl_store_keys *k, const rl_model_command *c, rl_model_reply *r)
{
	say_number(r, 0);
	for (unsigned i = 0; i < c->permits; i++) {
		if (!holds(k->permits[i], &c->token)) {
			continue;
		}
		if (!may_write(s, r)) {
			return;
		}
		delete (s, k->permits[i]);
		say_number(r, 1);
	}
	if (c->waiter.len > 0) {
		unmark(s, k->home, c, NULL);
	}
}

/* What a script says that needs the token and does not find it. */
static int64_t refusal(const rl_store_key *k)
{
	bool has_holder =
		k->exists && !rl_store_is_reservation(&k->value) && !rl_store_is_done(&k->value);
	return has_holder ? -1 : 0;
}

/* A renewal leaves a longer TTL. */
static void run_extend(rl_store *s, rl_store_key *k, const rl_model_command *c, bool is_renewal,
	int64_t now_us, rl_model_reply *r)
{
	bool is_ours = holds(k, &c->token);
	int64_t until = now_us / 1000 + c->ttl_ms;
	say_number(r, is_ours ? 1 : refusal(k));
	bool is_kept = is_ours && is_renewal && k->expires_ms >= until;
	if (is_ours && may_write(s, r) && !is_kept) {
		k->expires_ms = until;
		s->done |= RL_STORE_CHANGED;
	} else if (is_kept) { /* written as it was */
		MET(renewal_kept);
	}
}

/* To a token that is there already it only prolongs. */
static void run_swap(
	rl_store *s, rl_store_key *k, const rl_model_command *c, int64_t now_us, rl_model_reply *r)
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
			s->done |= RL_STORE_CHANGED;
		}
		MET(swapped_before);
		say_number(r, 2);
	} else {
		say_number(r, 0);
	}
}

static void run_fence(
	rl_store *s, rl_store_key *k, const rl_model_command *c, int64_t now_us, rl_model_reply *r)
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
	char digits[RL_WORDS_TEXT];
	int len = snprintf(digits, sizeof digits, "%" PRId64, k->fence);
	r->type = RL_SAYS_DIGITS;
	r->number[0] = k->fence;
	r->text = rl_words_text(rl_bytes_of(digits, (size_t) len));
}

static void run_force(rl_store *s, const rl_store_keys *k, const rl_model_command *c,
	int64_t now_us, rl_model_reply *r)
{
	bool is_nobodys = !k->lock->exists || holder(k->lock, &nothing, now_us) == RL_HOLDER_RESERVED;
	if (is_nobodys) {
		say_number(r, 0);
	} else {
		free_key(s, k, c, now_us, r);
	}
}

static void run_script(rl_store *s, const rl_store_keys *k, const rl_model_command *c,
	int64_t now_us, rl_model_reply *r)
{
	if (c->form == RL_FORM_USUAL && (s->known >> c->script & 1U) == 0) {
		r->type = RL_SAYS_ERROR;
		r->error = "NOSCRIPT No matching script. Please use EVAL.";
		MET(noscript);
		return;
	}
	s->known |= 1U << c->script;
	if (s->denies == RL_DENIES_ALL) {
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
			run_extend(s, k->lock, c, false, now_us, r);
			break;
		case RL_SCRIPT_RENEW:
			run_extend(s, k->lock, c, true, now_us, r);
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
			run_swap(s, k->lock, c, now_us, r);
			break;
		case RL_SCRIPT_FENCE:
			run_fence(s, k->lock, c, now_us, r);
			break;
		case RL_SCRIPT_FREE_ANY:
			run_free_any(s, k, c, r);
			break;
		case RL_SCRIPT_SCAN: /* is about no lock: see rl_memory.c */
			break;
	}
}

/* ---- commands ---- */

void rl_store_run(rl_store *s, const rl_store_keys *keys, const rl_model_command *c, int64_t now_us,
	rl_model_reply *r)
{
	rl_store_key *k = keys->lock;
	s->done = 0;
	r->label_at = 0;
	rl_store_expire(s, k, now_us);
	if (keys->home != k) {
		rl_store_expire(s, keys->home, now_us);
	}
	for (unsigned i = 1; i < c->permits; i++) {
		rl_store_expire(s, keys->permits[i], now_us);
	}
	if (rl_store_refuses(s, c, r)) {
		return;
	}
	switch (c->what) {
		case RL_WORD_SET:
			r->type = k->exists ? RL_SAYS_NIL : RL_SAYS_STATUS;
			if (!k->exists) {
				set(s, k, &c->token, c->ttl_ms, now_us);
			}
			break;
		case RL_WORD_EXISTS:
			say_number(r, k->exists);
			break;
		case RL_WORD_GET:
			r->type = k->exists ? RL_SAYS_TEXT : RL_SAYS_NIL;
			r->text = k->value;
			break;
		case RL_WORD_PTTL:
			say_number(r, pttl(k, now_us));
			break;
		case RL_WORD_SCRIPT:
			run_script(s, keys, c, now_us, r);
			break;
		case RL_WORD_HELLO:
		case RL_WORD_BLPOP:
			r->type = RL_SAYS_STATUS;
			break;
		case RL_WORD_WAIT: /* of a server without replicas */
			say_number(r, 0);
			break;
		case RL_WORD_ASKING: /* of a cluster: see slots.h */
		case RL_WORD_MAP:
		case RL_WORD_ROLE: /* of a node behind Sentinels, and of these */
		case RL_WORD_PRIMARY:
		case RL_WORD_MASTER:
			break;
	}
}

bool rl_store_pop(rl_store *s, rl_store_key *k, int64_t now_us)
{
	rl_store_expire(s, k, now_us);
	if (k->tickets == 0) {
		return false;
	}
	k->tickets--;
	return true;
}
