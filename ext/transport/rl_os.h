/* SPDX-License-Identifier: MIT
 *
 * The operating system: clock, random bytes, sleeping in poll. Sockets are in rl_socket.h. A port to
 * another system is these two files.
 */
#ifndef RL_OS_H
#define RL_OS_H

#include "core/base/rl_status.h"

#include <poll.h>

/* Nanoseconds of CLOCK_BOOTTIME, which goes on while the machine is suspended. */
int64_t rl_os_now(void);

/* What an errno means, in buffer or in a constant; for any thread. */
const char *rl_os_error_text(int code, char *buffer, size_t size);

/* Random bytes for one thread, drawn from the system in stock. Another number of forks empties the stock, so that no two
 * processes hand out the same bytes. Bytes that were handed out are wiped. */
#define RL_RANDOM_STOCK 4096

typedef struct rl_random {
	unsigned char bytes[RL_RANDOM_STOCK];
	size_t left;
	uint64_t fork_generation;
} rl_random;

bool rl_random_draw(rl_random *random, uint64_t fork_generation, void *out, size_t len);

/* Tells whether something waits to be run on this thread. Called with all signals blocked. */
typedef bool (*rl_os_is_due)(void *ctx);

/*
 * ppoll that misses no signal: with signals blocked it asks is_due, and only if nothing is due sleeps with
 * them open.
 * @param timeout_ns how long at most; is kept also when the clock is set
 * @param is_due may be NULL: signals are then nobody's concern
 * @return ppoll's result; -1 also when something is due or a signal came
 */
int rl_os_poll(
	struct pollfd *fds, unsigned count, int64_t timeout_ns, rl_os_is_due is_due, void *ctx);

/* Descriptors 0 to 2 may be free (a daemon closes them), but whatever the program prints goes there. */
int rl_os_above_standard_streams(int fd);

/* Wakes another thread out of rl_os_poll(): a pipe, the reading end of which is polled for POLLIN. */
typedef struct rl_waker {
	int read_fd;
	int write_fd;
} rl_waker;

/* False with errno when the system has none to give. */
bool rl_waker_init(rl_waker *waker);
void rl_waker_destroy(rl_waker *waker);

/* Wakes; once is as good as twice. */
void rl_waker_wake(const rl_waker *waker);

/* Who was woken calls this before it looks at what there is. */
void rl_waker_clear(const rl_waker *waker);

#endif
