/* SPDX-License-Identifier: MIT */
#include "core/base/rl_token.h"

#include <string.h>

#define PREFIX "rl1."
#define PREFIX_LEN 4
#define DRAWN_BYTES 18 /* 6 groups of 3 bytes, 4 characters each: no padding */
#define DATE_DIGITS 6  /* of these characters: the last 36 bits */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

rl_bytes rl_token_label(rl_bytes token)
{
	if (token.len <= RL_TOKEN_LEN || token.data[RL_TOKEN_LEN] != '@') {
		return rl_bytes_of(NULL, 0);
	}
	rl_bytes label = rl_bytes_of(token.data + RL_TOKEN_LEN + 1, token.len - RL_TOKEN_LEN - 1);
	return rl_label_is_valid(label) ? label : rl_bytes_of(NULL, 0);
}

/* The scripts have the same rule (LUA_HOLDER). */
bool rl_token_is_drawn(rl_bytes token)
{
	return token.len >= RL_TOKEN_LEN && memcmp(token.data, PREFIX, PREFIX_LEN) == 0 &&
		(token.len == RL_TOKEN_LEN || rl_token_label(token).data != NULL);
}

void rl_token_put_label(char *out, const rl_label *label)
{
	if (label->len > 0) {
		out[RL_TOKEN_LEN] = '@';
		memcpy(out + RL_TOKEN_LEN + 1, label->text, label->len);
	}
}

int64_t rl_token_date(rl_bytes token)
{
	int64_t date = 0;
	if (!rl_token_is_drawn(token)) {
		return 0;
	}
	for (size_t i = RL_TOKEN_LEN - DATE_DIGITS; i < RL_TOKEN_LEN; i++) {
		const char *digit = memchr(digits, token.data[i], sizeof digits - 1);
		if (digit == NULL) {
			return 0;
		}
		date = date << 6 | (digit - digits);
	}
	return date;
}

/* Replaces the last bits. */
static void put_date(unsigned char *bytes, uint64_t date)
{
	unsigned char *last = bytes + DRAWN_BYTES - 5;
	last[0] = (unsigned char) ((last[0] & 0xf0) | (date >> 32 & 0x0f));
	for (unsigned i = 1; i < 5; i++) {
		last[i] = (unsigned char) (date >> (32 - 8 * i));
	}
}

rl_status rl_token_draw(const rl_env *env, char *out)
{
	unsigned char bytes[DRAWN_BYTES];
	if (!env->random(env->ctx, bytes, sizeof bytes)) {
		return RL_ERR_RANDOM;
	}
	put_date(bytes, (uint64_t) env->date(env->ctx));
	memcpy(out, PREFIX, PREFIX_LEN);
	out += PREFIX_LEN;
	for (size_t i = 0; i < DRAWN_BYTES; i += 3) {
		uint32_t group =
			(uint32_t) bytes[i] << 16 | (uint32_t) bytes[i + 1] << 8 | (uint32_t) bytes[i + 2];
		*out++ = digits[group >> 18];
		*out++ = digits[group >> 12 & 63];
		*out++ = digits[group >> 6 & 63];
		*out++ = digits[group & 63];
	}
	return RL_OK;
}
