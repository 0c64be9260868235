/* SPDX-License-Identifier: MIT */
#include "core/base/rl_token.h"

#include <string.h>

#define PREFIX "rl1."
#define PREFIX_LEN 4
#define RANDOM_BYTES 18 /* 6 groups of 3 bytes, 4 characters each: no padding */

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

rl_status rl_token_draw(const rl_env *env, char *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	unsigned char bytes[RANDOM_BYTES];
	if (!env->random(env->ctx, bytes, sizeof bytes)) {
		return RL_ERR_RANDOM;
	}
	memcpy(out, PREFIX, PREFIX_LEN);
	out += PREFIX_LEN;
	for (size_t i = 0; i < RANDOM_BYTES; i += 3) {
		uint32_t group =
			(uint32_t) bytes[i] << 16 | (uint32_t) bytes[i + 1] << 8 | (uint32_t) bytes[i + 2];
		*out++ = digits[group >> 18];
		*out++ = digits[group >> 12 & 63];
		*out++ = digits[group >> 6 & 63];
		*out++ = digits[group & 63];
	}
	return RL_OK;
}
