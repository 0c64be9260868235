/* SPDX-License-Identifier: MIT
 *
 * The holder that a wait has seen last, for messages.
 */
#include "core/lock/rl_acquire_parts.h"

#include "core/base/rl_time.h"

#include <stdio.h>
#include <string.h>

/* A remaining time of at least a second is rounded to a tenth of a second, a shorter one to a
 * millisecond. */
#define TENTH_NS (100 * RL_NS_PER_MS)

/* A key of another program may have any TTL. A longer one is shown as this, which is 146 years. */
#define PTTL_SHOWN_MAX (RL_NEVER / RL_NS_PER_MS / 2)

/* A reservation has no holder, and our own token in the key means that this wait has won. */
void rl_acquire_note_holder(rl_acquire *acquire, const rl_member_call *member)
{
	rl_holder holder = member->answer.holder;
	if (holder != RL_HOLDER_KIN && holder != RL_HOLDER_FOREIGN) {
		return;
	}
	rl_seen *seen = &acquire->seen;
	seen->holder = holder;
	seen->pttl_ms = member->answer.number;
	seen->at = member->heard_at;
	rl_label_set(&seen->label, rl_bytes_of(member->text, member->text_len));
}

const char *rl_acquire_holder_text(const rl_acquire *acquire, char room[RL_HOLDER_TEXT])
{
	const rl_label *label = &acquire->seen.label;
	room[0] = '\0';
	if (label->len > 0) {
		snprintf(room, RL_HOLDER_TEXT, "held by %.*s", (int) label->len, label->text);
	} else if (acquire->seen.holder != RL_HOLDER_NOBODY) {
		snprintf(room, RL_HOLDER_TEXT, "held by a client without a label");
	}
	return room;
}

const char *rl_acquire_held_text(const rl_acquire *acquire, int64_t now, char room[RL_HOLDER_TEXT])
{
	char time[RL_SECONDS_TEXT];
	rl_acquire_holder_text(acquire, room);
	size_t len = strlen(room);
	if (len == 0) {
		return room;
	}
	if (acquire->seen.pttl_ms < 0) {
		snprintf(room + len, RL_HOLDER_TEXT - len, ", without a TTL");
		return room;
	}
	int64_t pttl_ms = rl_time_earlier(acquire->seen.pttl_ms, PTTL_SHOWN_MAX);
	int64_t left = pttl_ms * RL_NS_PER_MS - (now - acquire->seen.at);
	int64_t unit = left >= RL_NS_PER_SECOND ? TENTH_NS : RL_NS_PER_MS;
	left = left > 0 ? (left + unit - 1) / unit * unit : 0;
	snprintf(room + len, RL_HOLDER_TEXT - len, " for up to %s s more", rl_seconds_text(left, time));
	return room;
}
