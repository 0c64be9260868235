/* SPDX-License-Identifier: MIT */
#include "slots.h"

bool slots_has(const store *s, unsigned key, slots_part part)
{
	const rl_store_key *k = &s->keys[key];
	switch (part) {
		case SLOTS_LOCK:
			return k->exists;
		case SLOTS_MARKS:
			return k->mark_count > 0 || k->reach_ms > 0;
		case SLOTS_TICKETS:
			return k->tickets > 0;
		case SLOTS_FENCE:
			return k->fence > 0;
	}
	return false;
}

/* ---- redirects ---- */

static bool say(rl_model_reply *r, const char *error)
{
	r->type = RL_SAYS_ERROR;
	r->error = error;
	return true;
}

void slots_say_down(rl_model_reply *r)
{
	say(r, "CLUSTERDOWN The cluster is down");
}

static bool redirect(rl_model_reply *r, rl_says type, int16_t slot, unsigned node)
{
	r->type = type;
	r->number[0] = slot;
	r->number[1] = node;
	return true;
}

/* How many keys a command names, and how many of these the node has. */
typedef struct presence {
	unsigned keys;
	unsigned here;
} presence;

static void look_at(const store *s, unsigned key, slots_part part, presence *p)
{
	p->keys++;
	p->here += slots_has(s, key, part);
}

static void look_at_locks(store *s, const rl_model_command *c, int64_t now_us, presence *p)
{
	unsigned count = c->permits > 0 ? c->permits : 1;
	for (unsigned i = 0; i < count; i++) {
		unsigned key = c->permits > 0 ? c->permit_key[i] : c->key;
		store_expire(s, key, now_us);
		look_at(s, key, SLOTS_LOCK, p);
	}
}

static presence look_at_all(store *s, const rl_model_command *c, int64_t now_us)
{
	presence p = {0};
	bool is_script = c->what == RL_WORD_SCRIPT;
	store_expire(s, c->home_key, now_us);
	if (c->what == RL_WORD_BLPOP) {
		look_at(s, c->home_key, SLOTS_TICKETS, &p);
		return p;
	}
	look_at_locks(s, c, now_us, &p);
	if (is_script && rl_words_has_helpers(c)) {
		look_at(s, c->home_key, SLOTS_MARKS, &p);
		look_at(s, c->home_key, SLOTS_TICKETS, &p);
	}
	if (is_script && c->script == RL_SCRIPT_FENCE) {
		look_at(s, c->key, SLOTS_FENCE, &p);
	}
	return p;
}

bool slots_redirects(const slot_state *slot, unsigned self, store *s, const rl_model_command *c,
	bool is_asking, int64_t now_us, rl_model_reply *r)
{
	if (c->slot == WORDS_NO_SLOT) {
		return false;
	}
	if (c->slot == WORDS_CROSS_SLOT) {
		return say(r, "CROSSSLOT Keys in request don't hash to the same slot");
	}
	if (slot->owner == SLOTS_NOBODY) {
		return say(r, "CLUSTERDOWN Hash slot not served");
	}
	presence p = look_at_all(s, c, now_us);
	s->state.moves_away = slot->owner == self && slot->migrating_to != SLOTS_NOBODY;
	if (s->state.moves_away) {
		return p.here == p.keys ? false
			: p.here > 0 && !slot->asks_early
			? say(r, "TRYAGAIN Multiple keys request during rehashing of slot")
			: redirect(r, RL_SAYS_ASK, c->slot, slot->migrating_to);
	}
	if (slot->importing_from != SLOTS_NOBODY && is_asking) {
		bool is_split = p.keys > 1 && p.here < p.keys;
		return is_split && say(r, "TRYAGAIN Multiple keys request during rehashing of slot");
	}
	return slot->owner != self && redirect(r, RL_SAYS_MOVED, c->slot, slot->owner);
}

bool slots_sends_away(const slot_state *slot, unsigned self, int16_t number, rl_model_reply *r)
{
	if (slot->owner == self || slot->importing_from != SLOTS_NOBODY) {
		return false;
	}
	return slot->owner == SLOTS_NOBODY ? say(r, "CLUSTERDOWN Hash slot not served")
									   : redirect(r, RL_SAYS_MOVED, number, slot->owner);
}

/* ---- moves ---- */

/* By the clock of the node that gets the key; at least 1 ms from now. */
static int64_t end_there(int64_t expires_ms, int64_t from_us, int64_t to_us)
{
	int64_t left = expires_ms - from_us / 1000;
	return to_us / 1000 + (left > 0 ? left : 1);
}

static void copy_part(const rl_store_key *from, rl_store_key *to, slots_part part)
{
	switch (part) {
		case SLOTS_LOCK:
			to->exists = true;
			to->value = from->value;
			break;
		case SLOTS_MARKS:
			to->mark_count = from->mark_count;
			for (unsigned i = 0; i < from->mark_count; i++) {
				to->marks[i] = from->marks[i];
			}
			to->reach_ms = from->reach_ms;
			break;
		case SLOTS_TICKETS:
			to->tickets = from->tickets;
			break;
		case SLOTS_FENCE:
			to->fence = from->fence;
			break;
	}
}

static int64_t *end_of(rl_store_key *k, slots_part part)
{
	return part == SLOTS_LOCK   ? &k->expires_ms
		: part == SLOTS_MARKS   ? &k->marks_expire_ms
		: part == SLOTS_TICKETS ? &k->tickets_expire_ms
								: &k->fence_expires_ms;
}

bool slots_move(store *from, int64_t from_us, store *to, int64_t to_us, unsigned key,
	slots_part part, bool keeps)
{
	store_expire(from, key, from_us);
	if (!slots_has(from, key, part)) {
		return false;
	}
	rl_store_key *giver = &from->keys[key];
	rl_store_key *taker = &to->keys[key];
	copy_part(giver, taker, part);
	*end_of(taker, part) = end_there(*end_of(giver, part), from_us, to_us);
	if (!keeps) {
		slots_delete(from, key, part);
	}
	return true;
}

void slots_delete(store *s, unsigned key, slots_part part)
{
	rl_store_key *k = &s->keys[key];
	switch (part) {
		case SLOTS_LOCK:
			k->exists = false;
			break;
		case SLOTS_MARKS:
			k->mark_count = 0;
			k->reach_ms = 0;
			break;
		case SLOTS_TICKETS:
			k->tickets = 0;
			break;
		case SLOTS_FENCE:
			k->fence = 0;
			break;
	}
}
