/* SPDX-License-Identifier: MIT
 *
 * The transport on real sockets: links that implement core/wire/rl_transport.h, and what the driver
 * needs to wait for them. Each rl_net belongs to one thread. The design is in rl_link.c.
 */
#ifndef RL_LINK_H
#define RL_LINK_H

#include "core/wire/rl_transport.h"
#include "transport/rl_resolve.h"
#include "transport/rl_tls.h"

#define RL_NET_SPOKEN 16

typedef struct rl_net {
	/* The first field: a pointer to it, which core has, also points to the rl_net. */
	rl_transport transport;
	rl_resolver resolver;
	rl_link *links; /* all open links */
	uint64_t dialled;
	/* Hashes of addresses from which a link has received something, in Redis or in TLS. Two equal
	 * hashes only cost a hint in a message. */
	uint64_t spoken[RL_NET_SPOKEN];
	unsigned next_spoken;
	/* Owned. NULL until the first session. */
	rl_tls_sessions *tls_sessions;
} rl_net;

void rl_net_init(rl_net *net);
void rl_net_destroy(rl_net *net);

/* Ends the sending direction of all links, so that each server cancels the command for which a
 * connection waits. Call this before the end of the process, while the net's own thread stands
 * still at any instruction. */
void rl_net_end_sending(const rl_net *net);

/* For a forked child, on the net's thread: closes its copies of the parent's sockets, so that they
 * end with the parent, and that nothing in the child can reach them. Makes system calls only. */
void rl_net_part(const rl_net *net);

/* For the driver. */

/* No other link of the net has had this number. */
uint64_t rl_link_number(const rl_link *link);

/* True if the link with this number is open: the pointer alone may be that of a later link. */
bool rl_net_has(const rl_net *net, const rl_link *link, uint64_t number);

/* The descriptor; -1 = none at the moment. */
int rl_link_fd(const rl_link *link);

/* The events of poll for which the link waits. */
short rl_link_events(const rl_link *link);

/* When the link has to be advanced even without an event; RL_NEVER = no such time. */
int64_t rl_link_wake_at(const rl_link *link);

/* Call after poll, or when rl_link_wake_at() has come: goes on connecting, or reads all that has
 * arrived. */
void rl_link_advance(rl_link *link, short revents, int64_t now);

typedef enum rl_link_blocked {
	/* Bytes have arrived, or the link broke. */
	RL_LINK_BLOCKED_READ,
	/* A signal has arrived. */
	RL_LINK_BLOCKED_INTERRUPTED,
	/* RL_SOCKET_BLOCK_NS is over, or the link cannot wait in recv. */
	RL_LINK_BLOCKED_NOTHING,
} rl_link_blocked;

/* Waits in recv: one system call instead of three, for the common case of one reply from one
 * server. */
rl_link_blocked rl_link_block(rl_link *link);

#endif
