/* SPDX-License-Identifier: MIT
 *
 * Servers inside the process (memory://name), for tests of programs that use locks: no server to
 * start, no network, and a clock that the test moves (rl_os_advance_to()).
 *
 * DESIGN
 *
 * The link to such a server is a socket like any other. The other end of the socket is in this
 * process too, and belongs to a client here. The server has no thread: a link calls
 * rl_memory_serve() after it has written, and after the driver has waited for it. This reads the
 * commands that have arrived, runs them on the model of a server (model/rl_store.h), and writes the
 * replies, also to other clients whose BLPOP has an element now. So a command is answered before
 * the driver waits for the reply, and everything behind the socket is the code that speaks to real
 * servers.
 *
 * One mutex guards all servers, because the watchdog's thread and the threads of PHP share them.
 * While a thread has the mutex, its signals are blocked: a signal handler may have to wait for the
 * watchdog's thread, which may wait for the mutex.
 *
 * A server belongs to the process that made it. A forked child would go on with a copy, in which
 * its parent's locks are not held, so the child cannot connect to a server of its parent.
 */
#ifndef RL_MEMORY_H
#define RL_MEMORY_H

#include "core/wire/rl_target.h"

/* The server's end of one link. */
typedef struct rl_memory_client rl_memory_client;

/* Handles forks from now on. Call this before rl_watchdog_set_up(), because the watchdog's thread
 * takes the mutex of the servers while it has its own. */
void rl_memory_set_up(void);

/* Drops the data of each server as soon as it has no client. */
void rl_memory_tear_down(void);

/* Connects to the server at the address, which the first connection makes.
 * @param[out] fd the link's end of the socket
 * @return NULL with err */
rl_memory_client *rl_memory_connect(const rl_address *address, int *fd, rl_error *err);

/* Runs the commands that have arrived, and ends a BLPOP whose time is over. */
void rl_memory_serve(rl_memory_client *client);

/* When rl_memory_serve() has something to do without a new command; RL_NEVER = no such time. */
int64_t rl_memory_wake_at(const rl_memory_client *client);

/* Deletes all keys of all servers of this process, as FLUSHALL does on each of them. */
void rl_memory_flush(void);

/* Call when the link's end is closed: runs what has arrived before, and frees the client. */
void rl_memory_hang_up(rl_memory_client *client);

#endif
