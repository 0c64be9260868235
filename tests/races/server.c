/* SPDX-License-Identifier: MIT */
#include "server.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 2000

extern char **environ;

static const char *program;
static const char *config;
static const char *socket_path;
static pid_t pid;

void server_set_up(const char *the_program, const char *the_config, const char *the_socket)
{
	program = the_program;
	config = the_config;
	socket_path = the_socket;
}

static void pause_ms(long ms)
{
	struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
	nanosleep(&time, NULL);
}

/* Not fork(): that is for the tests alone, and so are the handlers that run around it. */
bool server_start(void)
{
	char *arguments[] = {(char *) (uintptr_t) program, (char *) (uintptr_t) config, NULL};
	char answer[64];
	if (posix_spawnp(&pid, program, NULL, NULL, arguments, environ) != 0) {
		return false;
	}
	for (int i = 0; i < 5000; i++) {
		if (server_says("PING", answer, sizeof answer) && strcmp(answer, "+PONG") == 0) {
			return true;
		}
		pause_ms(2);
	}
	return false;
}

void server_stop(void)
{
	if (pid > 0) {
		kill(pid, SIGCONT);
		kill(pid, SIGTERM);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
		}
		pid = 0;
	}
}

void server_freeze(bool is_frozen)
{
	kill(pid, is_frozen ? SIGSTOP : SIGCONT);
}

static bool hear(int fd, char *line, size_t size)
{
	size_t used = 0;
	while (used + 1 < size) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		if (poll(&ready, 1, PATIENCE_MS) != 1 || recv(fd, line + used, 1, 0) != 1) {
			return false;
		}
		if (line[used] == '\r') {
			line[used] = '\0';
			return true;
		}
		used++;
	}
	return false;
}

bool server_says(const char *command, char *answer, size_t size)
{
	char line[256];
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	snprintf(to.sun_path, sizeof to.sun_path, "%s", socket_path);
	int len = snprintf(line, sizeof line, "%s\r\n", command);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool is_said = fd >= 0 && connect(fd, (struct sockaddr *) &to, sizeof to) == 0 &&
		send(fd, line, (size_t) len, MSG_NOSIGNAL) == len && hear(fd, answer, size);
	if (fd >= 0) {
		close(fd);
	}
	return is_said;
}

int64_t server_number(const char *command)
{
	char answer[64];
	return server_says(command, answer, sizeof answer) && answer[0] == ':' ? atoll(answer + 1) : -1;
}
