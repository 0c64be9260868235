/* SPDX-License-Identifier: MIT
 *
 * Measures the machine's own stalls: wakes every STEP ms on one processor and says so to the
 * server. Two of its words that are far apart there prove that this processor, or the server, did
 * not run in between.
 *
 * usage: sentinel PORT CPU LIMIT      until SIGTERM, for LIMIT seconds at most
 */
#include "wire.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STEP_MS 5

int main(int argc, char **argv)
{
	if (argc != 4) {
		return 2;
	}
	wire_tie((unsigned) atoi(argv[3]));
	cpu_set_t cpus;
	CPU_ZERO(&cpus);
	CPU_SET((unsigned) atoi(argv[2]), &cpus);
	sched_setaffinity(
		0, sizeof cpus, &cpus); /* where this is refused it measures the machine as a whole */
	int fd = wire_open_mute((unsigned) atoi(argv[1]));
	char word[32];
	snprintf(word, sizeof word, "tick %s", argv[2]);
	while (true) {
		wire_say(fd, "ECHO", word, NULL);
		struct timespec step = {.tv_nsec = STEP_MS * RL_NS_PER_MS};
		clock_nanosleep(CLOCK_MONOTONIC, 0, &step, NULL);
	}
}
