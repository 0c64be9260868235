/* SPDX-License-Identifier: MIT
 *
 * Marks of processes. The design is in the header.
 */
#include "transport/rl_process_mark.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The fields of /proc/PID/stat after the name of the program, counted from 0. */
#define FIELD_STATE 0
#define FIELD_START 19

/* The first fields of the file. False = there is no such file, or it cannot be read. */
static bool read_stat(long pid, char *text, size_t size)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/%ld/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return false;
	}
	ssize_t len = read(fd, text, size - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	return len > 0;
}

/* The field, or NULL. The name of the program, in parentheses, may contain anything. */
static const char *field_of(const char *text, unsigned number)
{
	const char *at = strrchr(text, ')');
	for (unsigned i = 0; at != NULL && i <= number; i++) {
		at = strchr(at + 1, ' ');
	}
	return at != NULL ? at + 1 : NULL;
}

/* What tells the process from others with its pid; 0 = unknown. The low bits of the time, in ticks
 * since the machine was started, are enough: a pid does not come back within a tick. */
static uint32_t start_of(const char *text)
{
	const char *field = field_of(text, FIELD_START);
	return field != NULL ? (uint32_t) strtoull(field, NULL, 10) : 0;
}

uint64_t rl_process_mark(void)
{
	char text[1024];
	long pid = (long) getpid();
	uint64_t start = read_stat(pid, text, sizeof text) ? start_of(text) : 0;
	return start << 32 | (uint32_t) pid;
}

bool rl_process_mark_is_alive(uint64_t mark)
{
	char text[1024];
	long pid = (long) (mark & UINT32_MAX);
	uint32_t start = (uint32_t) (mark >> 32);
	if (kill((pid_t) pid, 0) != 0 && errno == ESRCH) {
		return false;
	}
	if (!read_stat(pid, text, sizeof text)) {
		return true;
	}
	const char *state = field_of(text, FIELD_STATE);
	bool is_zombie = state != NULL && (*state == 'Z' || *state == 'X');
	return !is_zombie && (start == 0 || start == start_of(text));
}
