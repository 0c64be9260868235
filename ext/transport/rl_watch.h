/* SPDX-License-Identifier: MIT
 *
 * One descriptor for many: it becomes readable when any of several descriptors has an event, or
 * when a time is over. An event loop of the script waits for it in the driver's place.
 *
 * On Linux it is an epoll set with a timer, elsewhere a kqueue (compiled and read, but never run by
 * the tests). A system that has neither has no watch.
 *
 * The set is made anew each time, under the number of the old one. So it never has a descriptor
 * that was closed meanwhile, not even where a forked child keeps the file open, and a forked child
 * never changes the set of its parent.
 *
 * A watch belongs to one thread.
 */
#ifndef RL_WATCH_H
#define RL_WATCH_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct rl_watch {
	int fd;
	int timer; /* -1 = the set has its own timers */
} rl_watch;

/* False = this system has no watch. */
bool rl_watch_is_possible(void);

/* Makes a watch of nothing. False = the system has no descriptor left. */
bool rl_watch_init(rl_watch *watch);

void rl_watch_destroy(rl_watch *watch);

/* From now on the watch is for these descriptors and this time, and for nothing else.
 * @param fds a negative descriptor is left out
 * @param sleep_ns the time until the watch is due in any case; RL_NEVER = no such time
 * @return false = the system has no descriptor left; the watch is as it was */
bool rl_watch_set(rl_watch *watch, const struct pollfd *fds, unsigned count, int64_t sleep_ns);

/* The watch is due at once. */
void rl_watch_hurry(const rl_watch *watch);

bool rl_watch_is_due(const rl_watch *watch);

/* For a forked child: makes its copy of the watch independent of the parent's, and due at once.
 * Makes system calls only. */
void rl_watch_part(rl_watch *watch);

#endif
