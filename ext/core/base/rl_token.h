/* SPDX-License-Identifier: MIT
 *
 * Tokens. The value of a lock's key is the token of its holder. Tokens that we draw have a form
 * that can be recognised: "rl1." and 24 characters of base64url, which are 144 random bits.
 */
#ifndef RL_TOKEN_H
#define RL_TOKEN_H

#include "core/base/rl_env.h"

#define RL_TOKEN_LEN 28

/* The longest token that a caller may pass. */
#define RL_TOKEN_MAX 4096

/* True when the token has the form of a drawn token, so that no other holder has the same one. */
bool rl_token_is_drawn(rl_bytes token);

/* @param[out] out RL_TOKEN_LEN characters, without a NUL after them */
rl_status rl_token_draw(const rl_env *env, char *out) RL_MUST_USE;

#endif
