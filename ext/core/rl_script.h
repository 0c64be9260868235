/* SPDX-License-Identifier: MIT
 *
 * The Lua scripts that run at the server. KEYS and ARGV only; no text is pasted in. They are sent as
 * EVALSHA, and as EVAL when the server does not know them (NOSCRIPT), which also loads them.
 */
#ifndef RL_SCRIPT_H
#define RL_SCRIPT_H

#include "core/rl_status.h"

typedef enum rl_script_id {
	/* KEYS[1]; token, ttl in ms, "1" when the caller is owed a reply for this token.
	 * {1} = taken; {0, PTTL, 1 if the key holds this very token else 0} = refused. */
	RL_SCRIPT_TRY,
	/* KEYS[1]; token. 1 = it was the holder's and the key is gone, 0 = it was not. Compare-and-delete as in
	 * https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/ */
	RL_SCRIPT_RELEASE,
	/* KEYS[1]; token, ttl in ms. 1 = it is the holder's and has the new TTL, 0 = it is not. */
	RL_SCRIPT_EXTEND,
} rl_script_id;

typedef struct rl_script {
	const char *text;
	size_t text_len;
	const char *sha1; /* 40 hex digits of the text */
} rl_script;

const rl_script *rl_script_get(rl_script_id id);

#endif
