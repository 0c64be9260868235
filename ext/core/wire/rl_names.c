/* SPDX-License-Identifier: MIT
 *
 * The names of helper keys. In one slot there are three forms:
 *
 *     IN_BRACES  a         {a}::rl-wait     a key without a '}' and without a hash tag
 *     OF_TAG     {a}       {a}:rl-wait      a key that is nothing but one hash tag
 *     AS_IT_IS   {a}b      {a}b::rl-wait    any other key with a hash tag
 *
 * No two keys share a name. Within one form a name ends in the suffix of the form, and what stands
 * before the suffix shows the key. In braces a key without a '}' becomes a key that is nothing but
 * one hash tag, and each such key is a key in braces: therefore these have a suffix with one colon.
 * Before "::rl-wait" IN_BRACES has a key that is nothing but one hash tag, and AS_IT_IS has any
 * other key. A name OF_TAG has a '}' before its colon, where the names of the other forms have
 * another colon.
 */
#include "core/wire/rl_names.h"

#include "core/wire/rl_slot.h"

#include <string.h>

#define LITERAL(text) rl_bytes_of(text, sizeof text - 1)

typedef enum name_form {
	AS_IT_IS,
	IN_BRACES,
	OF_TAG,
	IMPOSSIBLE, /* in braces the key would end at its first '}' */
} name_form;

static name_form form_of(rl_bytes key, rl_naming naming)
{
	if (naming == RL_NAMES_PLAIN) {
		return AS_IT_IS;
	}
	rl_bytes tag = rl_slot_tag(key);
	if (tag.len == key.len) {
		return memchr(key.data, '}', key.len) == NULL ? IN_BRACES : IMPOSSIBLE;
	}
	return tag.len + sizeof "{}" - 1 == key.len ? OF_TAG : AS_IT_IS;
}

bool rl_names_have_helpers(rl_bytes key, rl_naming naming)
{
	return form_of(key, naming) != IMPOSSIBLE;
}

size_t rl_names_size(size_t key_len)
{
	return 2 * key_len + sizeof "{}" + sizeof RL_MARK_SUFFIX + sizeof RL_TICKETS_SUFFIX +
		sizeof "{}";
}

/* Writes the name of a helper key. Inline, because each acquire writes two, and the length of a
 * suffix is known to the compiler then. */
static inline rl_bytes put_name(char *room, rl_bytes key, name_form form, rl_bytes suffix)
{
	size_t braces = form == IN_BRACES;
	char *end = room + braces + key.len;
	memcpy(room + braces, key.data, key.len);
	if (braces > 0) {
		*room = '{';
		*end++ = '}';
	}
	if (form != OF_TAG) {
		*end++ = suffix.data[0]; /* the first of two colons */
	}
	memcpy(end, suffix.data + 1, suffix.len - 1);
	return rl_bytes_of(room, (size_t) (end - room) + suffix.len - 1);
}

static inline rl_names put_names(char *room, rl_bytes key, name_form form)
{
	rl_bytes lock = rl_bytes_of(room + (form == IN_BRACES), key.len); /* as a part of mark */
	rl_names names = {
		.lock = lock, .key = lock, .mark = put_name(room, key, form, LITERAL(RL_MARK_SUFFIX))};
	names.tickets = put_name(room + names.mark.len, key, form, LITERAL(RL_TICKETS_SUFFIX));
	return names;
}

rl_names rl_names_put(char *room, rl_bytes key, rl_naming naming)
{
	if (naming == RL_NAMES_PLAIN) {
		return put_names(room, key, AS_IT_IS); /* of its own, because most names are plain */
	}
	name_form form = form_of(key, naming);
	rl_names names = put_names(room, key, form);
	names.slot = naming == RL_NAMES_IN_SLOT ? rl_slot_of(key) : 0;
	if (form == IMPOSSIBLE) {
		names.mark = names.tickets = rl_bytes_of(NULL, 0);
	}
	return names;
}

size_t rl_names_fence_size(size_t key_len)
{
	return key_len + sizeof "{}" + sizeof RL_FENCE_SUFFIX;
}

rl_bytes rl_names_put_fence(char *room, rl_bytes key, rl_naming naming)
{
	name_form form = form_of(key, naming);
	return form == IMPOSSIBLE ? rl_bytes_of(NULL, 0)
							  : put_name(room, key, form, LITERAL(RL_FENCE_SUFFIX));
}

/* What stands before the colons of a helper key. */
static rl_bytes stem_of(const rl_names *names)
{
	size_t len = names->mark.len - (sizeof RL_MARK_SUFFIX - 1);
	bool has_one_colon = names->mark.data[len] != ':'; /* OF_TAG */
	return rl_bytes_of(names->mark.data, len + has_one_colon);
}

const rl_bytes *rl_names_put_permits(char *room, const rl_names *names, unsigned count)
{
	rl_bytes *keys = (void *) (room + -(uintptr_t) room % _Alignof(rl_bytes));
	char *at = (char *) (keys + count);
	rl_bytes stem = stem_of(names);
	keys[0] = names->lock;
	for (unsigned i = 1; i < count; i++) {
		char digits[4];
		char *first = rl_put_digits(digits + sizeof digits, i + 1);
		size_t len = (size_t) (digits + sizeof digits - first);
		memcpy(at, stem.data, stem.len);
		at[stem.len] = '#';
		memcpy(at + stem.len + 1, first, len);
		keys[i] = rl_bytes_of(at, stem.len + 1 + len);
		at += keys[i].len;
	}
	return keys;
}

static bool has_end(rl_bytes key, rl_bytes end)
{
	return key.len >= end.len && memcmp(key.data + key.len - end.len, end.data, end.len) == 0;
}

bool rl_names_may_be_helper(rl_bytes key)
{
	return has_end(key, LITERAL(":rl-wait")) || has_end(key, LITERAL(":rl-wake")) ||
		has_end(key, LITERAL(":rl-fence"));
}
