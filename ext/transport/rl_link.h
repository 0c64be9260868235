/* SPDX-License-Identifier: MIT
 *
 * The transport on real sockets: links that implement core/wire/rl_transport.h, and what the driver needs of
 * them to wait. One rl_net belongs to one thread.
 */
#ifndef RL_LINK_H
#define RL_LINK_H

#include "core/wire/rl_transport.h"
#include "transport/rl_resolve.h"

#define RL_NET_SPOKEN 16

typedef struct rl_net {
	rl_transport transport; /* first: core's pointer to it is one to the whole */
	rl_resolver resolver;
	rl_link *links; /* all that are open */
	/* Addresses from which a link has heard something, as hashes; two that are alike cost a hint in a message. */
	uint64_t spoken[RL_NET_SPOKEN];
	unsigned next_spoken;
} rl_net;

void rl_net_init(rl_net *net);
void rl_net_destroy(rl_net *net);

/* The process is about to end, and the net's own thread stands still, at whatever instruction: tells all servers that no
 * more will be sent. A server then cancels what a connection waits for. */
void rl_net_end_sending(const rl_net *net);

/* For the driver. */

int rl_link_fd(const rl_link *link); /* -1 = none at the moment */

/* The poll events it waits for. */
short rl_link_events(const rl_link *link);

/* When it wants to be woken anyway, RL_NEVER = no such time. */
int64_t rl_link_wake_at(const rl_link *link);

/* poll has seen revents, or its time has come: connects on, or reads all that has arrived. */
void rl_link_advance(rl_link *link, short revents, int64_t now);

typedef enum rl_link_blocked {
	RL_LINK_BLOCKED_READ,        /* something arrived, or the link broke */
	RL_LINK_BLOCKED_INTERRUPTED, /* a signal */
	RL_LINK_BLOCKED_NOTHING,     /* RL_SOCKET_BLOCK_NS passed, or the link cannot wait this way */
} rl_link_blocked;

/* Waits in recv: one system call instead of three, for the common case of one answer from one server. */
rl_link_blocked rl_link_block(rl_link *link);

#endif
