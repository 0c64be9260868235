/* SPDX-License-Identifier: MIT */
#include "core/wire/rl_redirect.h"

#include "core/wire/rl_slot.h"

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

rl_bytes rl_redirect_host(rl_bytes host)
{
	return rl_bytes_is(host, "?") ? rl_bytes_of(host.data, 0) : host;
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
	int64_t slot_number = 0;
	int64_t port = 0;
	size_t colon = address.len;
	while (colon > 0 && address.data[colon - 1] != ':') {
		colon--;
	}
	if (colon == 0 || !rl_bytes_read_number(slot, RL_SLOTS - 1, &slot_number) ||
		!rl_bytes_read_number(
			rl_bytes_of(address.data + colon, address.len - colon), 65535, &port)) {
		return none;
	}
	redirect.kind = rl_bytes_is(kind, "MOVED") ? RL_REDIRECT_MOVED
		: rl_bytes_is(kind, "ASK")             ? RL_REDIRECT_ASK
											   : RL_REDIRECT_NONE;
	redirect.slot = (unsigned) slot_number;
	redirect.host = rl_redirect_host(rl_bytes_of(address.data, colon - 1));
	redirect.port = (uint16_t) port;
	bool has_host = redirect.host.len == 0 || rl_is_host(redirect.host);
	return redirect.kind != RL_REDIRECT_NONE && port > 0 && has_host ? redirect : none;
}
