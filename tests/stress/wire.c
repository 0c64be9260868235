/* SPDX-License-Identifier: MIT */
#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#ifdef __linux__
# include <sys/prctl.h>
#endif

#define COMMAND_MAX 4096

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(3);
}

int wire_open(unsigned port)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t) port)};
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	int on = 1;
	if (fd < 0 || connect(fd, (struct sockaddr *) &to, sizeof to) != 0 ||
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) {
		die("connect");
	}
	return fd;
}

int wire_open_mute(unsigned port)
{
	int fd = wire_open(port);
	wire_say(fd, "CLIENT", "REPLY", "OFF", NULL);
	return fd;
}

static void send_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t some = send(fd, bytes, len, MSG_NOSIGNAL);
		if (some < 0 && errno != EINTR) {
			die("send");
		}
		if (some > 0) {
			bytes += some;
			len -= (size_t) some;
		}
	}
}

void wire_say(int fd, const char *first, ...)
{
	const char *argv[WIRE_ARGS];
	unsigned argc = 0;
	va_list rest;
	va_start(rest, first);
	for (const char *arg = first; arg != NULL && argc < WIRE_ARGS;
		 arg = va_arg(rest, const char *)) {
		argv[argc++] = arg;
	}
	va_end(rest);
	char command[COMMAND_MAX];
	size_t len = (size_t) snprintf(command, sizeof command, "*%u\r\n", argc);
	for (unsigned i = 0; i < argc && len < sizeof command; i++) {
		len += (size_t) snprintf(
			command + len, sizeof command - len, "$%zu\r\n%s\r\n", strlen(argv[i]), argv[i]);
	}
	if (len >= sizeof command) {
		errno = EMSGSIZE;
		die("command");
	}
	send_all(fd, command, len);
}

void wire_hear(int fd, char *line, size_t size)
{
	size_t len = 0;
	char byte = '\0';
	while (byte != '\n') {
		ssize_t some = recv(fd, &byte, 1, 0);
		if (some == 0 || (some < 0 && errno != EINTR)) {
			die("recv");
		}
		if (some > 0 && len + 1 < size && byte != '\r' && byte != '\n') {
			line[len++] = byte;
		}
	}
	line[len] = '\0';
}

void wire_log(int fd, const char *format, ...)
{
	char text[WIRE_TEXT];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	wire_say(fd, "XADD", "log", "*", "r", text, NULL);
}

void wire_tie(unsigned limit_s)
{
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	alarm(limit_s);
}
