/* SPDX-License-Identifier: MIT
 *
 * One descriptor for many. The design is in the header.
 */
#include "transport/rl_watch.h"

#include "core/base/rl_time.h"
#include "transport/rl_os.h"

#include <fcntl.h>
#include <unistd.h>

#define AT_ONCE_NS 1

#if defined(__linux__)

# include <sys/epoll.h>
# include <sys/timerfd.h>
# include <time.h>

static int new_set(void)
{
	return epoll_create1(EPOLL_CLOEXEC);
}

/* CLOCK_BOOTTIME goes on while the machine is suspended, as our clock does. */
static int new_timer(void)
{
	return rl_os_above_standard_streams(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
}

static bool is_added(int set, int fd, short events)
{
	struct epoll_event event = {.events = (uint32_t) events, .data.fd = fd};
	return epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0;
}

static bool fill(
	const rl_watch *watch, int set, const struct pollfd *fds, unsigned count, int64_t sleep_ns)
{
	bool is_filled = is_added(set, watch->timer, POLLIN);
	for (unsigned i = 0; i < count && is_filled; i++) {
		is_filled = fds[i].fd < 0 || is_added(set, fds[i].fd, fds[i].events);
	}
	struct itimerspec time = {.it_value = {.tv_sec = 0}}; /* no time */
	if (sleep_ns != RL_NEVER) {
		time.it_value.tv_sec = sleep_ns / RL_NS_PER_SECOND;
		time.it_value.tv_nsec = sleep_ns % RL_NS_PER_SECOND;
	}
	return is_filled && timerfd_settime(watch->timer, 0, &time, NULL) == 0;
}

static int replace(int fd, int by)
{
	return dup3(by, fd, O_CLOEXEC);
}

void rl_watch_hurry(const rl_watch *watch)
{
	struct itimerspec time = {.it_value = {.tv_nsec = AT_ONCE_NS}};
	timerfd_settime(watch->timer, 0, &time, NULL);
}

#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__NetBSD__) || \
	defined(__DragonFly__)

# include <sys/event.h>
# include <sys/time.h>
# include <sys/types.h>

/* The number of the only timer in a set. */
# define TIMER 1

/* The unit of a timer. Some systems know milliseconds only. */
# ifdef NOTE_NSECONDS
#  define UNIT NOTE_NSECONDS
#  define UNIT_NS 1
# else
#  define UNIT 0
#  define UNIT_NS RL_NS_PER_MS
# endif

static int new_set(void)
{
	int set = kqueue();
	if (set >= 0) {
		fcntl(set, F_SETFD, FD_CLOEXEC);
	}
	return set;
}

static int new_timer(void)
{
	return -1;
}

static bool is_added(int set, uintptr_t number, short filter, unsigned flags, int64_t data)
{
	struct kevent event;
	EV_SET(&event, number, filter, EV_ADD, flags, data, NULL);
	return kevent(set, &event, 1, NULL, 0, NULL) == 0;
}

static bool is_timed(int set, int64_t sleep_ns)
{
	return is_added(set, TIMER, EVFILT_TIMER, UNIT, (sleep_ns - 1) / UNIT_NS + 1);
}

static bool fill(
	const rl_watch *watch, int set, const struct pollfd *fds, unsigned count, int64_t sleep_ns)
{
	(void) watch;
	bool is_filled = sleep_ns == RL_NEVER || is_timed(set, sleep_ns);
	for (unsigned i = 0; i < count && is_filled; i++) {
		uintptr_t fd = (uintptr_t) fds[i].fd;
		bool reads = fds[i].fd >= 0 && (fds[i].events & POLLIN) != 0;
		bool writes = fds[i].fd >= 0 && (fds[i].events & POLLOUT) != 0;
		is_filled = (!reads || is_added(set, fd, EVFILT_READ, 0, 0)) &&
			(!writes || is_added(set, fd, EVFILT_WRITE, 0, 0));
	}
	return is_filled;
}

static int replace(int fd, int by)
{
	int replaced = dup2(by, fd);
	if (replaced >= 0) {
		fcntl(replaced, F_SETFD, FD_CLOEXEC);
	}
	return replaced;
}

void rl_watch_hurry(const rl_watch *watch)
{
	is_timed(watch->fd, AT_ONCE_NS);
}

#else

static int new_set(void)
{
	return -1;
}

static int new_timer(void)
{
	return -1;
}

static bool fill(
	const rl_watch *watch, int set, const struct pollfd *fds, unsigned count, int64_t sleep_ns)
{
	(void) watch, (void) set, (void) fds, (void) count, (void) sleep_ns;
	return false;
}

static int replace(int fd, int by)
{
	(void) fd, (void) by;
	return -1;
}

void rl_watch_hurry(const rl_watch *watch)
{
	(void) watch;
}

#endif

bool rl_watch_is_possible(void)
{
	int set = new_set();
	if (set >= 0) {
		close(set);
	}
	return set >= 0;
}

bool rl_watch_init(rl_watch *watch)
{
	watch->fd = rl_os_above_standard_streams(new_set());
	watch->timer = new_timer();
	if (watch->fd >= 0 && rl_watch_set(watch, NULL, 0, RL_NEVER)) {
		return true;
	}
	rl_watch_destroy(watch);
	return false;
}

void rl_watch_destroy(rl_watch *watch)
{
	if (watch->fd >= 0) {
		close(watch->fd);
	}
	if (watch->timer >= 0) {
		close(watch->timer);
	}
	*watch = (rl_watch){.fd = -1, .timer = -1};
}

bool rl_watch_set(rl_watch *watch, const struct pollfd *fds, unsigned count, int64_t sleep_ns)
{
	int set = new_set();
	if (set < 0) {
		return false;
	}
	sleep_ns = sleep_ns < AT_ONCE_NS ? AT_ONCE_NS : sleep_ns;
	bool is_filled = fill(watch, set, fds, count, sleep_ns);
	/* A forked child does not inherit a kqueue, so its number may be the next free one. */
	bool is_in_place = set == watch->fd;
	bool is_set = is_filled && (is_in_place || replace(watch->fd, set) >= 0);
	if (!is_in_place) {
		close(set);
	}
	return is_set;
}

bool rl_watch_is_due(const rl_watch *watch)
{
	struct pollfd fd = {.fd = watch->fd, .events = POLLIN};
	return poll(&fd, 1, 0) > 0;
}

void rl_watch_part(rl_watch *watch)
{
	if (watch->timer >= 0) {
		close(watch->timer);
		watch->timer = new_timer();
	}
	rl_watch_set(watch, NULL, 0, AT_ONCE_NS);
}
