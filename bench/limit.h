/* SPDX-License-Identifier: MIT
 *
 * What the limits in C share: the clock, and the end of a program that cannot go on. The program
 * defines its name, PROGRAM, before it includes this.
 */
#ifndef BENCH_LIMIT_H
#define BENCH_LIMIT_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void stop(const char *why)
{
	fprintf(stderr, "%s: %s\n", PROGRAM, why);
	exit(1);
}

static long long nanoseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

#endif
