/* SPDX-License-Identifier: MIT
 *
 * The operating system: clock, random bytes, sleeping in poll. Sockets are in rl_socket.h. A port
 * to another system changes these two files.
 */
#ifndef RL_OS_H
#define RL_OS_H

#include "core/base/rl_status.h"

#include <poll.h>

/* CLOCK_BOOTTIME in nanoseconds, and what rl_os_advance_to() has added. This clock goes on while
 * the machine is suspended. */
int64_t rl_os_now(void);

/* Moves the clock of this process forward to a time, for tests of programs. Nothing that sleeps is
 * woken. When several threads move the clock to the same time, it arrives there once: each of them
 * can go from one event to the next, and none of them goes past it.
 * @param time a time that has passed already changes nothing
 * @return false = the clock would be moved by more than 100 years in all */
bool rl_os_advance_to(int64_t time);

/* The text for an errno, in buffer or in a constant. Any thread may call this. */
const char *rl_os_error_text(int code, char *buffer, size_t size);

/* Random bytes for one thread, which come from the system in large portions. When the number of
 * forks has changed, the rest of a portion is discarded, so that no two processes use the same
 * bytes. Used bytes are wiped. */
#define RL_RANDOM_STOCK 4096

typedef struct rl_random {
	unsigned char bytes[RL_RANDOM_STOCK];
	size_t left;
	uint64_t fork_generation;
} rl_random;

bool rl_random_draw(rl_random *random, uint64_t fork_generation, void *out, size_t len);

/* True when other code has to run on this thread. Called with all signals blocked. */
typedef bool (*rl_os_is_due)(void *ctx);

/*
 * ppoll that misses no signal: it calls is_due with signals blocked, and sleeps with signals open
 * only if nothing is due.
 * @param timeout_ns the longest sleep; setting the clock does not change it
 * @param is_due NULL = signals do not matter
 * @return the result of ppoll; also -1 when something is due or a signal came
 */
int rl_os_poll(
	struct pollfd *fds, unsigned count, int64_t timeout_ns, rl_os_is_due is_due, void *ctx);

/* Moves a descriptor above 2. Descriptors 0 to 2 may be free, because a daemon closes them, but
 * what the program prints goes there. */
int rl_os_above_standard_streams(int fd);

/* Wakes another thread from rl_os_poll(): a pipe whose reading end that thread polls for POLLIN. */
typedef struct rl_waker {
	int read_fd;
	int write_fd;
} rl_waker;

/* False = the system has no pipe; errno has the reason. */
bool rl_waker_init(rl_waker *waker);
void rl_waker_destroy(rl_waker *waker);

/* Several calls have the effect of one. */
void rl_waker_wake(const rl_waker *waker);

/* The thread that was woken calls this before it looks for work. */
void rl_waker_clear(const rl_waker *waker);

#endif
