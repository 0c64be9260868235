/* SPDX-License-Identifier: MIT
 *
 * The fixture of a test program with several links to one server inside the process. The functions
 * are in the header, because the archive of the transport must find its callers in the program.
 */
#ifndef MEMORY_LINKS_H
#define MEMORY_LINKS_H

#include "check.h"
#include "memory_link.h"
#include "transport/rl_memory.h"

#define LINKS_MAX 4

static rl_net net;
static rl_link *links[LINKS_MAX];

static inline void close_link(unsigned i)
{
	if (links[i] != NULL) {
		net.transport.close(links[i]);
		links[i] = NULL;
	}
}

/* Each test begins without servers. */
static inline void clean_up(void)
{
	for (unsigned i = 0; i < LINKS_MAX; i++) {
		close_link(i);
	}
	rl_net_destroy(&net);
	rl_memory_tear_down();
}

/* Connects so many links to memory://server. */
static inline void begin(unsigned count)
{
	rl_memory_set_up();
	rl_net_init(&net);
	for (unsigned i = 0; i < count; i++) {
		links[i] = memory_dial(&net, "server", RL_FAULT_NONE, NULL);
	}
}

static inline void say(unsigned i, const char *command)
{
	memory_say(links[i], command);
}

/* Checks the next reply on the link. */
#define HEARS(i, wanted) CHECK_TEXT(memory_hear(links[i]), wanted)

/* Sends the command, and checks its reply. */
#define ASK(i, command, wanted) (say(i, command), HEARS(i, wanted))

#endif
