/* SPDX-License-Identifier: MIT */
#include "core/wire/rl_redirect.h"

#include "core/wire/rl_slot.h"

#include <string.h>

/* Cuts the first word off the text. */
static rl_bytes take_word(rl_bytes *text)
{
	size_t len = 0;
	while (len < text->len && text->data[len] != ' ') {
		len++;
	}
	rl_bytes word = rl_bytes_of(text->data, len);
	size_t skipped = len < text->len ? len + 1 : len;
	*text = rl_bytes_of(text->data + skipped, text->len - skipped);
	return word;
}

static bool is_word(rl_bytes text, const char *word)
{
	return rl_bytes_equal(text, rl_bytes_of(word, strlen(word)));
}

rl_bytes rl_redirect_host(rl_bytes host)
{
	return is_word(host, "?") ? rl_bytes_of(host.data, 0) : host;
}

bool rl_is_host(rl_bytes host)
{
	for (size_t i = 0; i < host.len; i++) {
		if (host.data[i] <= ' ' || host.data[i] > '~') {
			return false;
		}
	}
	return host.len > 0 && host.len <= RL_HOST_MAX;
}

rl_redirect rl_redirect_read(rl_bytes text)
{
	rl_redirect none = {.kind = RL_REDIRECT_NONE};
	rl_redirect redirect = none;
	rl_bytes kind = take_word(&text);
	rl_bytes slot = take_word(&text);
	rl_bytes address = take_word(&text);
	unsigned port = 0;
	size_t colon = address.len;
	while (colon > 0 && address.data[colon - 1] != ':') {
		colon--;
	}
	if (colon == 0 || !rl_bytes_read_number(slot, RL_SLOTS - 1, &redirect.slot) ||
		!rl_bytes_read_number(
			rl_bytes_of(address.data + colon, address.len - colon), 65535, &port)) {
		return none;
	}
	redirect.kind = is_word(kind, "MOVED") ? RL_REDIRECT_MOVED
		: is_word(kind, "ASK")             ? RL_REDIRECT_ASK
										   : RL_REDIRECT_NONE;
	redirect.host = rl_redirect_host(rl_bytes_of(address.data, colon - 1));
	redirect.port = (uint16_t) port;
	bool has_host = redirect.host.len == 0 || rl_is_host(redirect.host);
	return redirect.kind != RL_REDIRECT_NONE && port > 0 && has_host ? redirect : none;
}
