/* SPDX-License-Identifier: MIT
 *
 * Redirects: how the nodes of a cluster name each other in their answers. The functions keep no
 * state.
 */
#ifndef RL_REDIRECT_H
#define RL_REDIRECT_H

#include "core/base/rl_status.h"

/* A name of the DNS has fewer characters, and so has every address. */
#define RL_HOST_MAX 255

/* True for the characters of names and addresses, which messages may show. */
bool rl_is_host(rl_bytes host);

/* The host that a node has named; empty = the node does not know its own name or address, and says
 * "?" or nothing. */
rl_bytes rl_redirect_host(rl_bytes host);

/* An answer that names another node, because the command was not carried out. */
typedef enum rl_redirect_kind {
	RL_REDIRECT_NONE,
	RL_REDIRECT_MOVED, /* the other node has the slot */
	RL_REDIRECT_ASK,   /* the other node may have this key, for one command after ASKING */
} rl_redirect_kind;

typedef struct rl_redirect {
	rl_redirect_kind kind;
	unsigned slot;
	rl_bytes host; /* borrowed from the text; empty = the host of the node that answered */
	uint16_t port;
} rl_redirect;

/* Reads "MOVED slot host:port" or "ASK slot host:port". */
rl_redirect rl_redirect_read(rl_bytes text);

#endif
