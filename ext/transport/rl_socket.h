/* SPDX-License-Identifier: MIT
 *
 * Stream sockets: connecting without blocking, sending and receiving without blocking or signals. The
 * descriptors are blocking ones once they are connected, so that a plain recv can wait for an answer; what
 * must not wait says so per call. All are close-on-exec.
 */
#ifndef RL_SOCKET_H
#define RL_SOCKET_H

#include "transport/rl_resolve.h"

/* How long a blocking receive waits at most. Set once per connection, so that waiting costs no further
 * system call; a longer wait goes on in poll. */
#define RL_SOCKET_BLOCK_NS (20 * RL_NS_PER_MS)

/* TCP: an idle connection is probed after so many seconds, then every so many, so often; one that stays silent ends. */
#define RL_SOCKET_PROBE_AFTER_S 30
#define RL_SOCKET_PROBE_EVERY_S 5
#define RL_SOCKET_PROBES 3
#define RL_SOCKET_SILENCE_S (RL_SOCKET_PROBE_AFTER_S + RL_SOCKET_PROBES * RL_SOCKET_PROBE_EVERY_S)

typedef enum rl_connecting {
	RL_CONNECTING_DONE,
	RL_CONNECTING_ON,    /* under way: writable when it is over */
	RL_CONNECTING_AGAIN, /* a unix socket whose queue is full: nothing will tell, try again soon */
	RL_CONNECTING_FAILED,
} rl_connecting;

/* @param[out] fd the socket, -1 when failed; err filled when failed */
rl_connecting rl_socket_connect(const rl_sockaddr *to, int *fd, rl_error *err);

/* After RL_CONNECTING_ON, when the socket has become writable. */
rl_connecting rl_socket_connected(int fd, rl_error *err);

/* @return bytes taken; 0 = none now; -1 = broken, see errno */
ssize_t rl_socket_send(int fd, const char *data, size_t len);

/* @return bytes; 0 = closed by the other side; -1 with EAGAIN or EINTR in errno = none now, else broken */
ssize_t rl_socket_receive(int fd, char *out, size_t size, bool may_block);

/* Sends nothing more; the other side reads to the end, and can still answer. */
void rl_socket_end(int fd);

/* A look without taking: as rl_socket_receive(). */
ssize_t rl_socket_peek(int fd);

#endif
