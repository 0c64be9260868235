/* SPDX-License-Identifier: MIT
 *
 * Stream sockets: connecting without blocking, sending and receiving without blocking or signals.
 * Connected descriptors are in blocking mode, so that a plain recv can wait for an answer; a call
 * that must not wait says so with a flag. All descriptors are close-on-exec.
 */
#ifndef RL_SOCKET_H
#define RL_SOCKET_H

#include "transport/rl_resolve.h"

/* How long a blocking receive waits at most. This is set once for each connection, so that waiting
 * costs no further system call. A longer wait continues in poll. */
#define RL_SOCKET_BLOCK_NS (20 * RL_NS_PER_MS)

/* TCP probes an idle connection after PROBE_AFTER_S seconds, then every PROBE_EVERY_S seconds,
 * PROBES times, and ends a connection that stays silent. */
#define RL_SOCKET_PROBE_AFTER_S 30
#define RL_SOCKET_PROBE_EVERY_S 5
#define RL_SOCKET_PROBES 3
#define RL_SOCKET_SILENCE_S (RL_SOCKET_PROBE_AFTER_S + RL_SOCKET_PROBES * RL_SOCKET_PROBE_EVERY_S)

typedef enum rl_connecting {
	RL_CONNECTING_DONE,
	/* Under way. The socket becomes writable when connecting has succeeded or failed. */
	RL_CONNECTING_ON,
	/* A unix socket whose queue is full. No event follows: try again soon. */
	RL_CONNECTING_AGAIN,
	RL_CONNECTING_FAILED,
} rl_connecting;

/* @param[out] fd the socket; -1 = failed
 * @param[out] err filled in when failed */
rl_connecting rl_socket_connect(const rl_sockaddr *to, int *fd, rl_error *err);

/* After RL_CONNECTING_ON, when the socket has become writable. */
rl_connecting rl_socket_connected(int fd, rl_error *err);

/* Two sockets that are connected with each other.
 * @param[out] err filled in when failed */
rl_connecting rl_socket_pair(int *fd, int *other, rl_error *err);

/* @return how many bytes the kernel accepted; 0 = none at the moment; -1 = broken, see errno */
ssize_t rl_socket_send(int fd, const char *data, size_t len);

/* @return how many bytes arrived; 0 = the other side has closed; -1 with EAGAIN or EINTR in errno =
 *   none at the moment, with another errno = broken */
ssize_t rl_socket_receive(int fd, char *out, size_t size, bool may_block);

/* Sends nothing more. The other side still reads what was sent, and can still answer. */
void rl_socket_end(int fd);

/* As rl_socket_receive(), but leaves the byte in the socket. */
ssize_t rl_socket_peek(int fd);

#endif
