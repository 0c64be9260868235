/* SPDX-License-Identifier: MIT
 *
 * Freeing leases on SIGTERM. The design is in the header.
 */
#include "transport/rl_sigterm.h"

#include "core/base/rl_time.h"
#include "transport/rl_os.h"
#include "transport/rl_watchdog.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

/* The pause between two checks whether the leases are free. */
#define CHECK_NS (RL_NS_PER_MS / 2)

/* The pause between two attempts to reach PHP's thread. */
#define PASS_ON_NS (2 * RL_NS_PER_MS)

static struct {
	const rl_sigterm_host *host;
	_Atomic pid_t pid;
	/* PHP's thread. Written before pid. */
	pthread_t thread;
	_Atomic bool is_disabled;
	/* The handler has begun on PHP's thread. */
	_Atomic bool has_begun;
	/* The signal that has to be passed on to PHP's thread; 0 = none. */
	_Atomic int signo;
	/* When passing on ends; 0 = it has not begun. Only the watchdog's thread uses it. */
	int64_t passing_on_until;
} state;

/* Ends the process as if there had never been a handler. The signal is unblocked, because a handler
 * blocks it. */
static void end_process(int signo)
{
	struct sigaction normal = {.sa_handler = SIG_DFL};
	sigset_t only;
	sigemptyset(&normal.sa_mask);
	sigemptyset(&only);
	sigaddset(&only, signo);
	sigaction(signo, &normal, NULL);
	kill(getpid(), signo);
	pthread_sigmask(SIG_UNBLOCK, &only, NULL);
}

/* The watchdog's thread calls this before each sleep: passes a signal on to PHP's thread.
 * @return when to call again; RL_NEVER = nothing has to be passed on */
static int64_t pass_on(int64_t now)
{
	int signo = atomic_load(&state.signo);
	if (signo == 0 || atomic_load(&state.has_begun)) {
		return RL_NEVER;
	}
	if (state.passing_on_until == 0) {
		state.passing_on_until = now + RL_SIGTERM_WAIT_NS;
	}
	if (now >= state.passing_on_until) {
		end_process(signo); /* PHP's thread does not handle it */
		return RL_NEVER;
	}
	if (!state.host->is_in_handler()) {
		pthread_kill(state.thread, signo);
	}
	return now + PASS_ON_NS;
}

void rl_sigterm_arm(const rl_sigterm_host *host)
{
	state.host = host;
	state.thread = pthread_self();
	state.passing_on_until = 0;
	atomic_store(&state.has_begun, false);
	atomic_store(&state.signo, 0);
	rl_watchdog_set_errand(pass_on);
	atomic_store(&state.pid, getpid());
}

void rl_sigterm_enable(bool is_enabled)
{
	atomic_store(&state.is_disabled, !is_enabled);
}

static void wait_for_releases(size_t count)
{
	int64_t most = RL_SIGTERM_WAIT_NS + (int64_t) count * RL_SIGTERM_WAIT_EACH_NS;
	int64_t end_at = rl_os_now() + rl_time_earlier(most, RL_SIGTERM_WAIT_MAX_NS);
	struct timespec pause = {.tv_nsec = CHECK_NS};
	while (!rl_watchdog_has_freed_all() && rl_os_now() < end_at) {
		nanosleep(&pause, NULL);
	}
}

void rl_sigterm_handle(int signo)
{
	int saved_errno = errno;
	bool is_own = getpid() == atomic_load(&state.pid);
	bool may_wait = pthread_equal(pthread_self(), state.thread) && !rl_watchdog_is_inside();
	if (is_own && !may_wait) {
		atomic_store(&state.signo, signo);
		if (rl_watchdog_call()) {
			errno = saved_errno;
			return;
		}
	} else if (is_own && !atomic_load(&state.is_disabled)) {
		atomic_store(&state.has_begun, true);
		size_t count = rl_watchdog_free_all(state.host->give_up);
		if (count > 0) {
			wait_for_releases(count);
		}
	}
	end_process(signo);
	errno = saved_errno;
}
