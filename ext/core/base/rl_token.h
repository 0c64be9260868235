/* SPDX-License-Identifier: MIT
 *
 * Tokens: the owner's mark that a lock's key holds. Ours have a form that can be recognised:
 * "rl1." and 24 characters of base64url, 144 random bits.
 */
#ifndef RL_TOKEN_H
#define RL_TOKEN_H

#include "core/base/rl_env.h"

#define RL_TOKEN_LEN 28
#define RL_TOKEN_MAX 4096 /* the longest that a caller may bring */

/* It has the form of a token that was drawn, so that nobody else has the same. */
bool rl_token_is_drawn(rl_bytes token);

/* @param[out] out RL_TOKEN_LEN characters, no NUL behind them */
rl_status rl_token_draw(const rl_env *env, char *out) RL_MUST_USE;

#endif
