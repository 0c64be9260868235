/* SPDX-License-Identifier: MIT
 *
 * The operating system: clock, random bytes, sleeping in poll.
 */
#include "transport/rl_os.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* After the headers of the system, whose calls it replaces. */
#include "transport/rl_darwin.h"

#ifdef CLOCK_BOOTTIME
# define RL_CLOCK CLOCK_BOOTTIME
#else
# define RL_CLOCK CLOCK_MONOTONIC
#endif

#define ADVANCE_MAX_NS (INT64_C(100) * 366 * 86400 * RL_NS_PER_SECOND)

static _Atomic int64_t advanced;

static int64_t real_time(void)
{
	struct timespec now;
	clock_gettime(RL_CLOCK, &now);
	return (int64_t) now.tv_sec * RL_NS_PER_SECOND + now.tv_nsec;
}

int64_t rl_os_now(void)
{
	return real_time() + atomic_load_explicit(&advanced, memory_order_relaxed);
}

bool rl_os_advance_to(int64_t time)
{
	int64_t before = atomic_load(&advanced);
	int64_t wanted;
	do {
		wanted = time - real_time();
		if (wanted <= before) {
			return true;
		}
		if (wanted > ADVANCE_MAX_NS) {
			return false;
		}
	} while (!atomic_compare_exchange_weak(&advanced, &before, wanted));
	return true;
}

const char *rl_os_error_text(int code, char *buffer, size_t size)
{
#ifdef __GLIBC__
	return strerror_r(code, buffer, size);
#else
	return strerror_r(code, buffer, size) == 0 ? buffer : "unknown error";
#endif
}

static bool refill(rl_random *random)
{
	size_t have = 0;
	while (have < sizeof random->bytes) {
		ssize_t got = getrandom(random->bytes + have, sizeof random->bytes - have, 0);
		if (got < 0 && errno != EINTR) {
			return false;
		}
		have += got > 0 ? (size_t) got : 0;
	}
	random->left = sizeof random->bytes;
	return true;
}

bool rl_random_draw(rl_random *random, uint64_t fork_generation, void *out, size_t len)
{
	if (random->fork_generation != fork_generation) {
		random->fork_generation = fork_generation;
		random->left = 0;
	}
	if (len > sizeof random->bytes || (random->left < len && !refill(random))) {
		return false;
	}
	random->left -= len;
	memcpy(out, random->bytes + random->left, len);
	memset(random->bytes + random->left, 0, len);
	return true;
}

int rl_os_poll(
	struct pollfd *fds, unsigned count, int64_t timeout_ns, rl_os_is_due is_due, void *ctx)
{
	struct timespec timeout = {
		.tv_sec = timeout_ns / RL_NS_PER_SECOND, .tv_nsec = timeout_ns % RL_NS_PER_SECOND};
	if (is_due == NULL) {
		return ppoll(fds, count, &timeout, NULL);
	}
	sigset_t all;
	sigset_t before;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	int result = -1;
	int saved_errno = EINTR;
	if (!is_due(ctx)) {
		result = ppoll(fds, count, &timeout, &before);
		saved_errno = errno;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved_errno;
	return result;
}

int rl_os_above_standard_streams(int fd)
{
	if (fd < 0 || fd > STDERR_FILENO) {
		return fd;
	}
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int saved_errno = errno;
	close(fd);
	errno = saved_errno;
	return moved;
}

bool rl_waker_init(rl_waker *waker)
{
	int fds[2];
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0) {
		return false;
	}
	waker->read_fd = rl_os_above_standard_streams(fds[0]);
	waker->write_fd = rl_os_above_standard_streams(fds[1]);
	if (waker->read_fd >= 0 && waker->write_fd >= 0) {
		return true;
	}
	int saved_errno = errno;
	rl_waker_destroy(waker);
	errno = saved_errno;
	return false;
}

void rl_waker_destroy(rl_waker *waker)
{
	if (waker->read_fd >= 0) {
		close(waker->read_fd);
	}
	if (waker->write_fd >= 0) {
		close(waker->write_fd);
	}
	*waker = (rl_waker){.read_fd = -1, .write_fd = -1};
}

void rl_waker_wake(const rl_waker *waker)
{
	/* A full pipe wakes as well. */
	while (write(waker->write_fd, "", 1) < 0 && errno == EINTR) {
	}
}

void rl_waker_clear(const rl_waker *waker)
{
	char dropped[64];
	while (read(waker->read_fd, dropped, sizeof dropped) == sizeof dropped) {
	}
}
