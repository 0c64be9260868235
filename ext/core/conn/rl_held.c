/* SPDX-License-Identifier: MIT */
#include "core/conn/rl_held.h"

#include "core/base/rl_grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No held reply has more elements, or a longer text that matters. */
#define ELEMENTS_MAX 5
#define TEXT_MAX 8192

struct rl_held_reply {
	rl_reply reply;
	rl_reply elements[ELEMENTS_MAX];
	char *text; /* owned: the texts of the reply and of its elements */
	unsigned tag;
	bool needs_replicas;
};

static size_t kept_len(rl_bytes text)
{
	return text.len < TEXT_MAX ? text.len : TEXT_MAX;
}

/* Points the text to a copy in the room, and moves the room behind it. */
static void copy_text(rl_bytes *text, char **room)
{
	size_t len = kept_len(*text);
	if (len > 0) {
		memcpy(*room, text->data, len);
		*text = rl_bytes_of(*room, len);
		*room += len;
	}
}

/* Copies a reply. The elements are found where they are needed, because the list of held replies
 * may move. */
static bool copy(rl_held_reply *to, const rl_reply *from)
{
	to->reply = *from;
	to->reply.elements = NULL;
	to->reply.count = from->count < ELEMENTS_MAX ? from->count : ELEMENTS_MAX;
	size_t size = kept_len(from->text);
	for (size_t i = 0; i < to->reply.count; i++) {
		to->elements[i] = from->elements[i];
		to->elements[i].count = 0;
		size += kept_len(from->elements[i].text);
	}
	to->text = size > 0 ? malloc(size) : NULL;
	if (size > 0 && to->text == NULL) {
		return false;
	}
	char *room = to->text;
	copy_text(&to->reply.text, &room);
	for (size_t i = 0; i < to->reply.count; i++) {
		copy_text(&to->elements[i].text, &room);
	}
	return true;
}

bool rl_held_add(rl_held *held, const rl_reply *reply, unsigned tag, bool needs_replicas)
{
	if (!rl_grow(&held->list, &held->room, held->count + 1, sizeof *held->list)) {
		return false;
	}
	rl_held_reply *to = &held->list[held->count];
	*to = (rl_held_reply){.tag = tag, .needs_replicas = needs_replicas};
	if (!copy(to, reply)) {
		return false;
	}
	held->count++;
	return true;
}

static void explain(rl_held *held, const rl_reply *wait, unsigned wanted, int64_t ms)
{
	if (wait->type == RL_REPLY_ERROR) {
		int len = wait->text.len < 100 ? (int) wait->text.len : 100;
		snprintf(held->text, sizeof held->text, "%.*s", len, wait->text.data);
		return;
	}
	char limit[RL_SECONDS_TEXT];
	rl_seconds_text(ms * RL_NS_PER_MS, limit);
	if (wait->type == RL_REPLY_INTEGER) {
		snprintf(held->text, sizeof held->text, "only %d of %u replicas confirmed within %s s",
			(int) wait->integer, wanted, limit);
	} else {
		snprintf(held->text, sizeof held->text, "fewer than %u replicas confirmed within %s s",
			wanted, limit);
	}
}

/* The reply with its elements. */
static rl_reply whole(const rl_held_reply *held)
{
	rl_reply reply = held->reply;
	reply.elements = held->elements;
	return reply;
}

static int64_t number_of(const rl_held_reply *held)
{
	bool is_array = held->reply.type == RL_REPLY_ARRAY && held->reply.count > 0;
	return is_array ? held->elements[0].integer : held->reply.integer;
}

void rl_held_judge(rl_held *held, const rl_reply *wait, unsigned wanted, int64_t ms)
{
	bool is_confirmed = wait->type == RL_REPLY_INTEGER && wait->integer >= (int64_t) wanted;
	if (!is_confirmed) {
		explain(held, wait, wanted, ms);
	}
	for (size_t i = held->judged; i < held->count; i++) {
		rl_held_reply *reply = &held->list[i];
		rl_reply said = whole(reply);
		if (!is_confirmed && reply->needs_replicas && rl_reply_is_yes(&said)) {
			reply->reply = (rl_reply){.type = RL_REPLY_UNCONFIRMED,
				.integer = number_of(reply),
				.text = rl_bytes_of(held->text, strlen(held->text)),
				.count = wait->type == RL_REPLY_ERROR};
		}
	}
	held->judged = held->count;
}

bool rl_held_take(rl_held *held, rl_reply *reply, unsigned *tag)
{
	if (held->taken == held->judged) {
		if (held->taken > 0 && held->taken == held->count) {
			rl_held_clear(held);
		}
		return false;
	}
	const rl_held_reply *next = &held->list[held->taken++];
	*reply = whole(next);
	*tag = next->tag;
	return true;
}

void rl_held_clear(rl_held *held)
{
	for (size_t i = 0; i < held->count; i++) {
		free(held->list[i].text);
	}
	free(held->list);
	*held = (rl_held){0};
}
