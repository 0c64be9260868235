/* SPDX-License-Identifier: MIT
 *
 * A network, a clock and an operating system as the input wants them, for the links and the driver
 * of ext/transport: the functions of rl_socket.h and rl_os.h, and getaddrinfo(). The program is
 * linked with them in place of the real ones. No function waits: the clock moves instead.
 *
 * The input decides which connections are made, when they end and by which error, what the kernel
 * takes of a command, in which pieces an answer arrives, and how far the clock moves beyond a
 * timeout. What the servers say is in hostile_server.h.
 */
#ifndef HOSTILE_NET_H
#define HOSTILE_NET_H

#include "hostile_server.h"
#include "transport/rl_socket.h"

#define HOSTILE_START (1000 * RL_NS_PER_SECOND)
#define HOSTILE_SOCKETS_MAX 256

typedef struct hostile_socket {
	/* The number of the server: the last two bytes of its address. */
	unsigned server;
	bool is_connected;
	/* The server takes no bytes at the moment. */
	bool is_blocked;
	/* The server has closed, or the connection is broken, after the bytes that it has sent. */
	bool is_over;
	int over_errno; /* 0 = closed */
	/* So many of the bytes that the server has sent have arrived, and so many were read. */
	size_t arrived;
	size_t read;
	hostile_server_end end;
} hostile_socket;

extern int64_t hostile_clock;

/* By how much the clock has moved beyond the timeouts. */
extern int64_t hostile_lag;

/* How many bytes have gone through the network in both directions. */
extern size_t hostile_carried;

/* The connections speak TLS, so the servers read no commands. */
extern bool hostile_is_sealed;

/* The number of the server at this address, or of this name. */
unsigned hostile_server_at(rl_bytes host);

/* From now on the sockets and the clock are those of a new run. */
void hostile_net_begin(void);
void hostile_net_end(void);

#endif
