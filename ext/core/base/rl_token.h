/* SPDX-License-Identifier: MIT
 *
 * Tokens. The value of a lock's key is the token of its holder. Tokens that we draw have a form
 * that can be recognised: "rl1." and 24 characters of base64url. These are 108 random bits, and
 * behind them the second in which the token was drawn, in 36 bits. After them there may be '@' and
 * a label (rl_label.h), which shows who the holder is.
 */
#ifndef RL_TOKEN_H
#define RL_TOKEN_H

#include "core/base/rl_env.h"

/* Without a label; and the longest one with a label. */
#define RL_TOKEN_LEN 28
#define RL_TOKEN_LABELLED_MAX (RL_TOKEN_LEN + 1 + RL_LABEL_MAX)

/* The longest token that a caller may pass. */
#define RL_TOKEN_MAX 4096

/* True when the token has the form of a drawn token, so that no other holder has the same one. */
bool rl_token_is_drawn(rl_bytes token);

/* The label in a drawn token; no data = it has none. */
rl_bytes rl_token_label(rl_bytes token);

/* When a drawn token was drawn, in seconds since 1970. 0 = the token has another form. */
int64_t rl_token_date(rl_bytes token);

/* How long a token with this label is. */
static inline size_t rl_token_len(const rl_label *label)
{
	return RL_TOKEN_LEN + (label->len > 0 ? 1 + (size_t) label->len : 0);
}

/* Writes what follows the drawn characters: nothing, or '@' and the label.
 * @param[out] out all rl_token_len() characters of the token */
void rl_token_put_label(char *out, const rl_label *label);

/* @param[out] out RL_TOKEN_LEN characters, without a NUL after them */
rl_status rl_token_draw(const rl_env *env, char *out) RL_MUST_USE;

#endif
