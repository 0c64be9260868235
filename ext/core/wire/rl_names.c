/* SPDX-License-Identifier: MIT */
#include "core/wire/rl_names.h"

#include "core/wire/rl_slot.h"

#include <string.h>

size_t rl_names_size(size_t key_len)
{
	return 2 * key_len + sizeof "{}" + sizeof RL_MARK_SUFFIX + sizeof RL_TICKETS_SUFFIX +
		sizeof "{}";
}

/* How many braces are at each end of the key in the names of its helper keys. */
static size_t braces_of(rl_bytes key, rl_naming naming)
{
	return naming == RL_NAMES_IN_SLOT && rl_slot_tag(key).len == key.len;
}

/* In braces the key would end at its first '}'. */
static bool is_unnameable(rl_bytes key, size_t braces)
{
	return braces > 0 && memchr(key.data, '}', key.len) != NULL;
}

/* Writes the key, with this many braces at each end.
 * @return the first byte after it */
static inline char *put_key(char *room, rl_bytes key, size_t braces)
{
	char *end = room + braces + key.len;
	memcpy(room + braces, key.data, key.len);
	if (braces > 0) {
		*room = '{';
		*end++ = '}';
	}
	return end;
}

rl_names rl_names_put(char *room, rl_bytes key, rl_naming naming)
{
	size_t braces = braces_of(key, naming);
	char *end = put_key(room, key, braces);
	memcpy(end, RL_MARK_SUFFIX, sizeof RL_MARK_SUFFIX - 1);
	char *tickets = end + sizeof RL_MARK_SUFFIX - 1;
	end = put_key(tickets, key, braces);
	memcpy(end, RL_TICKETS_SUFFIX, sizeof RL_TICKETS_SUFFIX - 1);
	end += sizeof RL_TICKETS_SUFFIX - 1;
	rl_names names = {.key = {room + braces, key.len}, /* as a part of the mark's name */
		.mark = {room, (size_t) (tickets - room)},
		.tickets = {tickets, (size_t) (end - tickets)},
		.slot = naming == RL_NAMES_IN_SLOT ? rl_slot_of(key) : 0};
	if (is_unnameable(key, braces)) {
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
	size_t braces = braces_of(key, naming);
	if (is_unnameable(key, braces)) {
		return rl_bytes_of(NULL, 0);
	}
	char *end = put_key(room, key, braces);
	memcpy(end, RL_FENCE_SUFFIX, sizeof RL_FENCE_SUFFIX - 1);
	end += sizeof RL_FENCE_SUFFIX - 1;
	return rl_bytes_of(room, (size_t) (end - room));
}
