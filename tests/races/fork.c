/* SPDX-License-Identifier: MIT
 *
 * Forks of a process whose watchdog is at work.
 */
#include "crew.h"
#include "hand.h"
#include "transport/rl_process.h"
#include "transport/rl_watchdog.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_MAX_S 30

enum {
	CHILD_GOOD,
	CHILD_FAILED, /* the server was away */
	CHILD_HELD,   /* it has what its parent has */
	CHILD_LOST,   /* what it took was not renewed */
	CHILD_LEFT,   /* what it took was not its own in the end */
};

/* Before gcc 13 the sanitizer does not know that the parent's watchdog is no thread of the child's,
 * and dies when the child's own gets its number. scripts/races has each pthread_create of this
 * program come here. */
static pthread_t watchdog;

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*) (void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*) (void *), void *);

int __wrap_pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *arg)
{
	int result = __real_pthread_create(thread, attributes, run, arg);
	if (result == 0 && attributes != NULL) {
		watchdog = *thread; /* the only one with a stack of its own size; under its mutex */
	}
	return result;
}

static void forget_watchdog(void)
{
#if defined(__SANITIZE_THREAD__) && __GNUC__ < 13
	pthread_detach(watchdog);
#endif
}

/* In the child there is this thread alone, until it takes a lease of its own. */
static int live(hand *self, kept *inherited)
{
	if (rl_lease_is_held(inherited->lease) || rl_lease_is_open(inherited->lease)) {
		return CHILD_HELD;
	}
	kept_free(inherited);
	/* Most children end here. Freeing the inherited lease has already used the watchdog's mutex,
	 * and other state that the fork has copied. */
	if (hand_draw(self, 1, 4) > 1) {
		return CHILD_GOOD;
	}
	forget_watchdog();
	char key[32];
	rl_status status;
	snprintf(key, sizeof key, "child:%d", (int) getpid());
	kept *mine = hand_take(self, key, crew_ms(600), 0, &status);
	if (mine == NULL) {
		return CHILD_FAILED;
	}
	int64_t end = rl_os_now() + crew_ms(1000) * RL_NS_PER_MS;
	while (rl_os_now() < end && atomic_load(&rl_process_stats()->renewed) == 0) {
		crew_pause(2);
	}
	bool is_held = rl_lease_is_held(mine->lease);
	bool is_renewed = atomic_load(&rl_process_stats()->renewed) > 0;
	bool is_excused = crew_excuses(mine->ttl_ms);
	status = kept_release(mine);
	kept_free(mine);
	rl_watchdog_stop();
	if (!is_held || !is_renewed) {
		return is_excused ? CHILD_FAILED : CHILD_LOST;
	}
	return status == RL_OK ? CHILD_GOOD : status == RL_BUSY ? CHILD_LEFT : CHILD_FAILED;
}

static void wait_for(pid_t pid)
{
	int status = 0;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
	}
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	if (code == CHILD_FAILED) {
		COUNT(children_failed);
	} else if (code != CHILD_GOOD) {
		COUNT(bad_children);
		fprintf(stderr, "a child ended with %d, status %x\n", code, (unsigned) status);
	}
}

void crew_fork(hand *self, kept *inherited)
{
	pid_t pid = fork();
	if (pid == 0) {
		alarm(CHILD_MAX_S);
		_exit(live(self, inherited));
	}
	if (pid > 0) {
		COUNT(forks);
		wait_for(pid);
	}
}
