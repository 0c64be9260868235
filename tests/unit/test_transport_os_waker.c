/* SPDX-License-Identifier: MIT
 *
 * Waking another thread out of poll.
 */
#include "check.h"
#include "peer.h"
#include "transport/rl_os.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS RL_NS_PER_MS

static rl_waker waker;
static bool has_waker;

static void begin(void)
{
	CHECK(rl_waker_init(&waker));
	has_waker = true;
}

static void clean_up(void)
{
	if (has_waker) {
		rl_waker_destroy(&waker);
		has_waker = false;
	}
}

static int poll_for(int64_t time)
{
	struct pollfd fd = {.fd = waker.read_fd, .events = POLLIN};
	return rl_os_poll(&fd, 1, time, NULL, NULL);
}

static void *wake_soon(void *unused)
{
	peer_sleeps(30);
	rl_waker_wake(&waker);
	return unused;
}

static void a_sleeper_is_woken(void)
{
	begin();
	pthread_t thread;
	CHECK_INT(poll_for(0), 0);
	int64_t before = rl_os_now();
	CHECK_INT(pthread_create(&thread, NULL, wake_soon, NULL), 0);
	int ready = poll_for(5 * RL_NS_PER_SECOND);
	int64_t after = rl_os_now();
	pthread_join(thread, NULL);
	CHECK_INT(ready, 1);
	CHECK(after - before >= 30 * MS && after - before < RL_NS_PER_SECOND);
}

static void a_thread_may_be_woken_before_it_sleeps(void)
{
	begin();
	rl_waker_wake(&waker);
	CHECK_INT(poll_for(5 * RL_NS_PER_SECOND), 1);
	CHECK_INT(poll_for(0), 1); /* until the thread clears it */
	rl_waker_clear(&waker);
	CHECK_INT(poll_for(0), 0);
	rl_waker_clear(&waker); /* without a wake-up this returns at once */
}

static void many_wake_ups_are_cleared_at_once(void)
{
	begin();
	for (int count = 1; count < 200000; count = 4 * count + 64) {
		for (int i = 0; i < count; i++) {
			/* More than a pipe takes: the call does not wait for room in it. */
			rl_waker_wake(&waker);
		}
		CHECK_INT(poll_for(0), 1);
		rl_waker_clear(&waker);
		CHECK_INT(poll_for(0), 0);
	}
}

static void the_wakers_descriptors_are_not_for_other_programs(void)
{
	begin();
	CHECK((fcntl(waker.read_fd, F_GETFD) & FD_CLOEXEC) != 0);
	CHECK((fcntl(waker.write_fd, F_GETFD) & FD_CLOEXEC) != 0);
	int fds[] = {waker.read_fd, waker.write_fd};
	clean_up();
	for (int i = 0; i < 2; i++) {
		CHECK_INT(fcntl(fds[i], F_GETFD), -1);
		CHECK_INT(errno, EBADF);
	}
}

/* A daemon closes the standard streams, and its output would then wake a thread. */
static void the_wakers_descriptors_keep_off_the_standard_streams(void)
{
	for (int open = 0; open < 8; open++) { /* a bit for each open descriptor */
		pid_t pid = fork();
		if (pid == 0) {
			for (int fd = 0; fd < 3; fd++) {
				if ((open >> fd & 1) == 0) {
					close(fd);
				}
			}
			bool is_there = rl_waker_init(&waker) && waker.read_fd > 2 && waker.write_fd > 2;
			for (int fd = 0; fd < 3; fd++) {
				is_there = is_there && (fcntl(fd, F_GETFD) >= 0) == (open >> fd & 1);
			}
			is_there = is_there && (fcntl(waker.read_fd, F_GETFD) & FD_CLOEXEC) != 0 &&
				(fcntl(waker.write_fd, F_GETFD) & FD_CLOEXEC) != 0;
			rl_waker_wake(&waker);
			_exit(is_there && poll_for(0) == 1 ? 0 : 1);
		}
		int status = -1;
		CHECK_INT(waitpid(pid, &status, 0), pid);
		CHECK_INT(status, 0);
	}
}

static void a_waker_cannot_be_made_without_descriptors(void)
{
	struct rlimit limit;
	CHECK_INT(getrlimit(RLIMIT_NOFILE, &limit), 0);
	struct rlimit none = {.rlim_cur = 0, .rlim_max = limit.rlim_max};
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &none), 0);
	errno = 0;
	bool is_there = rl_waker_init(&waker);
	int code = errno;
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &limit), 0);
	CHECK(!is_there);
	CHECK_INT(code, EMFILE);
}

static const check_test tests[] = {
	TEST(a_sleeper_is_woken),
	TEST(a_thread_may_be_woken_before_it_sleeps),
	TEST(many_wake_ups_are_cleared_at_once),
	TEST(the_wakers_descriptors_are_not_for_other_programs),
	TEST(the_wakers_descriptors_keep_off_the_standard_streams),
	TEST(a_waker_cannot_be_made_without_descriptors),
};

CHECK_MAIN(tests, clean_up)
