/* SPDX-License-Identifier: MIT
 *
 * Labels: a short text that shows other people who the holder of a lock is, such as "web-3:8812". A
 * label is a part of the tokens that we draw, and of the names of connections.
 */
#ifndef RL_LABEL_H
#define RL_LABEL_H

#include "core/base/rl_status.h"

/* CLIENT SETNAME accepts the same characters, those from '!' to '~'. */
#define RL_LABEL_MAX 64

typedef struct rl_label {
	unsigned char len; /* 0 = no label */
	char text[RL_LABEL_MAX];
} rl_label;

/* False = the text is empty, too long, or has a character that is no printable ASCII, or a
 * space. */
bool rl_label_is_valid(rl_bytes text);

/* Sets the label. The text must be valid, or empty. */
void rl_label_set(rl_label *label, rl_bytes text);

/* Sets the label "host:pid". A host that is too long is cut, and characters that a label must not
 * have become '-'. */
void rl_label_set_default(rl_label *label, rl_bytes host, uint64_t pid);

/* The label itself, or, if it is empty, the other one; NULL = there is no other one. */
static inline const rl_label *rl_label_or(const rl_label *label, const rl_label *other)
{
	return label->len > 0 || other == NULL ? label : other;
}

#endif
