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

static bool names(const rl_model_command *c, slots_part part)
{
	if (c->what == RL_WORD_BLPOP) {
		return part == SLOTS_TICKETS;
	}
	bool is_fence = c->what == RL_WORD_SCRIPT && c->script == RL_SCRIPT_FENCE;
	return part == SLOTS_LOCK ||
		(part == SLOTS_FENCE ? is_fence : c->what == RL_WORD_SCRIPT && rl_words_has_helpers(c));
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
	store_expire(s, c->key, now_us);
	unsigned keys = 0;
	unsigned here = 0;
	for (slots_part part = SLOTS_LOCK; part < SLOTS_PARTS; part++) {
		keys += names(c, part);
		here += names(c, part) && slots_has(s, c->key, part);
	}
	if (slot->owner == self && slot->migrating_to != SLOTS_NOBODY) {
		return here == keys ? false
			: here > 0      ? say(r, "TRYAGAIN Multiple keys request during rehashing of slot")
							: redirect(r, RL_SAYS_ASK, c->slot, slot->migrating_to);
	}
	if (slot->importing_from != SLOTS_NOBODY && is_asking) {
		bool is_split = keys > 1 && here < keys;
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
