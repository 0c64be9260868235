/* SPDX-License-Identifier: MIT
 *
 * Calls and flags of rl_os.c and rl_socket.c that macOS lacks. This file is untried on macOS.
 */
#ifndef RL_DARWIN_H
#define RL_DARWIN_H
#ifdef __APPLE__

# include <errno.h>
# include <fcntl.h>
# include <limits.h>
# include <poll.h>
# include <pthread.h>
# include <signal.h>
# include <stdbool.h>
# include <stdint.h>
# include <stdlib.h>
# include <sys/socket.h>
# include <time.h>
# include <unistd.h>

# define SOCK_CLOEXEC 0
# define SOCK_NONBLOCK 0
# ifndef MSG_NOSIGNAL
#  define MSG_NOSIGNAL 0
# endif

static inline int rl_darwin_set_flags(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	bool is_set = flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 &&
		fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
	return is_set ? 0 : -1;
}

/* A child of a fork on another thread may inherit the descriptor before its flags are set. */
static inline int rl_darwin_socket(int family, int type, int protocol)
{
	int fd = socket(family, type, protocol);
	if (fd < 0) {
		return -1;
	}
	int on = 1;
	setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
	if (rl_darwin_set_flags(fd) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}
# define socket rl_darwin_socket

static inline int rl_darwin_socketpair(int family, int type, int protocol, int fds[2])
{
	if (socketpair(family, type, protocol, fds) != 0) {
		return -1;
	}
	int on = 1;
	for (unsigned i = 0; i < 2; i++) {
		setsockopt(fds[i], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
		fcntl(fds[i], F_SETFD, FD_CLOEXEC);
	}
	return 0;
}
# define socketpair rl_darwin_socketpair

static inline int rl_darwin_pipe2(int fds[2], int flags)
{
	(void) flags;
	if (pipe(fds) != 0) {
		return -1;
	}
	if (rl_darwin_set_flags(fds[0]) != 0 || rl_darwin_set_flags(fds[1]) != 0) {
		close(fds[0]);
		close(fds[1]);
		return -1;
	}
	return 0;
}
# define pipe2 rl_darwin_pipe2

static inline ssize_t rl_darwin_getrandom(void *out, size_t len, unsigned flags)
{
	(void) flags;
	arc4random_buf(out, len);
	return (ssize_t) len;
}
# define getrandom rl_darwin_getrandom

/* A signal that arrives just before poll() is handled, but does not end the sleep. */
static inline int rl_darwin_ppoll(
	struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	int64_t ms = (int64_t) timeout->tv_sec * 1000 + (timeout->tv_nsec + 999999) / 1000000;
	sigset_t before;
	if (mask != NULL) {
		pthread_sigmask(SIG_SETMASK, mask, &before);
	}
	int result = poll(fds, count, ms < INT_MAX ? (int) ms : INT_MAX);
	if (mask != NULL) {
		int saved_errno = errno;
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		errno = saved_errno;
	}
	return result;
}
# define ppoll rl_darwin_ppoll

#endif
#endif
