/* SPDX-License-Identifier: MIT
 *
 * Stream sockets.
 */
#include "transport/rl_socket.h"

#include "transport/rl_os.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/time.h>
#include <unistd.h>

/* After the headers of the system, whose calls it replaces. */
#include "transport/rl_darwin.h"

static rl_connecting fail(rl_error *err, int code)
{
	char text[128];
	const char *reason = rl_os_error_text(code, text, sizeof text);
	const char *hint = "";
	if (code == ECONNREFUSED) {
		hint = " (is a server running there?)";
	} else if (code == ENOENT) {
		hint = " (is a server running, and is this its socket's path?)";
	} else if (code == EACCES) {
		hint = " (may this user open the socket?)";
	}
	rl_error_set(err, RL_ERR_CONNECT, code, "cannot connect: %s%s", reason, hint);
	return RL_CONNECTING_FAILED;
}

static bool set_blocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	return flags >= 0 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0;
}

static rl_connecting finish_connecting(int fd, rl_error *err)
{
	struct timeval limit = {.tv_usec = RL_SOCKET_BLOCK_NS / 1000};
	if (!set_blocking(fd) || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0) {
		return fail(err, errno);
	}
	return RL_CONNECTING_DONE;
}

/* A failure changes nothing for the caller. */
static void set_option(int fd, int level, int name, int value)
{
	setsockopt(fd, level, name, &value, sizeof value);
}

/* Lets the kernel end a connection whose other side did not react for RL_SOCKET_SILENCE_S: the host
 * is gone, or a NAT or load balancer has silently dropped the connection. The probes also keep such
 * a device from dropping it. The kernel probes only an idle connection. TCP_USER_TIMEOUT limits the
 * wait for an acknowledgement of sent data, for which the kernel's default is some 15 minutes. */
static void notice_silence(int fd)
{
	set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
#if defined TCP_KEEPIDLE
	set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, RL_SOCKET_PROBE_AFTER_S);
#elif defined TCP_KEEPALIVE /* macOS */
	set_option(fd, IPPROTO_TCP, TCP_KEEPALIVE, RL_SOCKET_PROBE_AFTER_S);
#endif
#if defined TCP_KEEPINTVL && defined TCP_KEEPCNT
	set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, RL_SOCKET_PROBE_EVERY_S);
	set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, RL_SOCKET_PROBES);
#endif
#ifdef TCP_USER_TIMEOUT
	set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, RL_SOCKET_SILENCE_S * 1000);
#endif
}

static int open_socket(int family)
{
	int fd =
		rl_os_above_standard_streams(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
	if (fd < 0) {
		return -1;
	}
	if (family != AF_UNIX) {
		set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
		notice_silence(fd);
	}
	return fd;
}

rl_connecting rl_socket_connect(const rl_sockaddr *to, int *fd, rl_error *err)
{
	*fd = open_socket(to->storage.ss_family);
	if (*fd < 0) {
		return fail(err, errno);
	}
	rl_connecting state;
	if (connect(*fd, (const struct sockaddr *) &to->storage, to->len) == 0) {
		state = finish_connecting(*fd, err);
	} else if (errno == EINPROGRESS || errno == EINTR) {
		return RL_CONNECTING_ON;
	} else if (errno == EAGAIN) {
		state = RL_CONNECTING_AGAIN;
	} else {
		state = fail(err, errno);
	}
	if (state != RL_CONNECTING_DONE) {
		close(*fd);
		*fd = -1;
	}
	return state;
}

rl_connecting rl_socket_pair(int *fd, int *other, rl_error *err)
{
	int pair[2] = {-1, -1};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
		return fail(err, errno);
	}
	*fd = rl_os_above_standard_streams(pair[0]);
	*other = rl_os_above_standard_streams(pair[1]);
	if (*fd >= 0 && *other >= 0) {
		return finish_connecting(*fd, err);
	}
	rl_connecting state = fail(err, errno);
	close(*fd);
	close(*other);
	*fd = *other = -1;
	return state;
}

rl_connecting rl_socket_connected(int fd, rl_error *err)
{
	int code = 0;
	socklen_t len = sizeof code;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &len) != 0) {
		code = errno;
	}
	return code != 0 ? fail(err, code) : finish_connecting(fd, err);
}

ssize_t rl_socket_send(int fd, const char *data, size_t len)
{
	for (;;) {
		ssize_t taken = send(fd, data, len, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (taken >= 0) {
			return taken;
		}
		if (errno == EAGAIN || errno == EWOULDBLOCK) {
			return 0;
		}
		if (errno != EINTR) {
			return -1;
		}
	}
}

ssize_t rl_socket_receive(int fd, char *out, size_t size, bool may_block)
{
	return recv(fd, out, size, may_block ? 0 : MSG_DONTWAIT);
}

void rl_socket_end(int fd)
{
	shutdown(fd, SHUT_WR);
}

ssize_t rl_socket_peek(int fd)
{
	char byte;
	return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
}
