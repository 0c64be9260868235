/* SPDX-License-Identifier: MIT */
#include "core/base/rl_label.h"

#include <string.h>

#define PID_DIGITS 20

static bool is_fit(char c)
{
	return c >= '!' && c <= '~';
}

bool rl_label_is_valid(rl_bytes text)
{
	bool is_valid = text.len > 0 && text.len <= RL_LABEL_MAX;
	for (size_t i = 0; is_valid && i < text.len; i++) {
		is_valid = is_fit(text.data[i]);
	}
	return is_valid;
}

void rl_label_set(rl_label *label, rl_bytes text)
{
	label->len = (unsigned char) text.len;
	if (text.len > 0) { /* else there may be no data at all */
		memcpy(label->text, text.data, text.len);
	}
}

/* Not with snprintf(), because a forked child calls this before anything else. */
void rl_label_set_default(rl_label *label, rl_bytes host, uint64_t pid)
{
	char digits[PID_DIGITS];
	const char *first = rl_put_digits(digits + PID_DIGITS, pid);
	size_t tail = (size_t) (digits + PID_DIGITS - first);
	size_t len = host.len < RL_LABEL_MAX - 1 - tail ? host.len : RL_LABEL_MAX - 1 - tail;
	for (size_t i = 0; i < len; i++) {
		label->text[i] = is_fit(host.data[i]) ? host.data[i] : '-';
	}
	label->text[len] = ':';
	memcpy(label->text + len + 1, first, tail);
	label->len = (unsigned char) (len + 1 + tail);
}
