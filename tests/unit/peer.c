/* SPDX-License-Identifier: MIT */
#include "peer.h"

#include "check.h"

#include "transport/rl_os.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 5000

static int64_t stalled_before; /* check_stall() at the start of the test */

bool peer_in_time(int64_t then, int64_t limit_ns)
{
	int64_t stall = check_stall() - stalled_before;
	return rl_os_now() - then < limit_ns + (stall > 0 ? stall : 0);
}

bool peer_knows_localhost(void)
{
	struct addrinfo *list = NULL;
	bool is_known = getaddrinfo("localhost", NULL, NULL, &list) == 0;
	if (is_known) {
		freeaddrinfo(list);
	} else {
		printf("without the name localhost, the next test shows nothing\n");
	}
	return is_known;
}

bool peer_open_unix(peer *self, int backlog)
{
	static unsigned count;
	stalled_before = check_stall();
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	*self = (peer){.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
	snprintf(self->path, sizeof self->path, "/tmp/rl-unit-%d-%u.sock", (int) getpid(), count++);
	strcpy(address.sun_path, self->path);
	unlink(self->path);
	return self->listener >= 0 &&
		bind(self->listener, (struct sockaddr *) &address, sizeof address) == 0 &&
		listen(self->listener, backlog) == 0;
}

bool peer_open_tcp(peer *self, int backlog)
{
	stalled_before = check_stall();
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof address;
	*self = (peer){.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
	bool is_open = self->listener >= 0 &&
		bind(self->listener, (struct sockaddr *) &address, sizeof address) == 0 &&
		listen(self->listener, backlog) == 0 &&
		getsockname(self->listener, (struct sockaddr *) &address, &len) == 0;
	self->port = ntohs(address.sin_port);
	return is_open;
}

static void *run(void *arg)
{
	peer *self = arg;
	sem_post(&self->begins);
	self->talk(self);
	return NULL;
}

void peer_start(peer *self, void (*talk)(peer *))
{
	self->talk = talk;
	sem_init(&self->begins, 0, 0);
	self->is_talking = pthread_create(&self->thread, NULL, run, self) == 0;
	while (self->is_talking && sem_wait(&self->begins) != 0 && errno == EINTR) {
	}
}

void peer_close(peer *self)
{
	if (self->is_talking) {
		pthread_join(self->thread, NULL);
		self->is_talking = false;
	}
	if (self->listener >= 0) {
		close(self->listener);
		self->listener = -1;
	}
	if (self->path[0] != '\0') {
		unlink(self->path);
		self->path[0] = '\0';
	}
}

static bool is_readable(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	return poll(&poll_fd, 1, PATIENCE_MS) == 1;
}

int peer_accept(peer *self)
{
	return is_readable(self->listener) ? accept(self->listener, NULL, NULL) : -1;
}

bool peer_hears(peer *self, int fd, const char *what)
{
	const char *hit;
	while ((hit = strstr(self->heard + self->searched, what)) == NULL) {
		size_t room = sizeof self->heard - 1 - self->heard_len;
		ssize_t got = is_readable(fd) ? recv(fd, self->heard + self->heard_len, room, 0) : -1;
		if (got <= 0) {
			return false;
		}
		for (ssize_t i = 0; i < got; i++) {
			char *byte = &self->heard[self->heard_len + (size_t) i];
			*byte = *byte == '\0' ? '0' : *byte; /* a NUL would end the search */
		}
		self->heard_len += (size_t) got;
		self->heard[self->heard_len] = '\0';
	}
	self->searched = (size_t) (hit - self->heard) + strlen(what);
	return true;
}

void peer_says(int fd, const char *text)
{
	size_t len = strlen(text);
	while (len > 0) {
		ssize_t taken = send(fd, text, len, MSG_NOSIGNAL);
		if (taken <= 0) {
			return;
		}
		text += taken;
		len -= (size_t) taken;
	}
}

void peer_drips(int fd, const char *text, int delay_ms)
{
	for (; *text != '\0'; text++) {
		if (send(fd, text, 1, MSG_NOSIGNAL) != 1) {
			return;
		}
		peer_sleeps(delay_ms);
	}
}

void peer_resets(int fd)
{
	struct linger linger = {.l_onoff = 1, .l_linger = 0};
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
	close(fd);
}

bool peer_sees_end(int fd)
{
	char bytes[4096];
	while (is_readable(fd)) {
		if (recv(fd, bytes, sizeof bytes, 0) <= 0) {
			return true;
		}
	}
	return false;
}

void peer_sleeps(int ms)
{
	struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
	nanosleep(&time, NULL);
}

const char *peer_large_answer(void)
{
	static char text[PEER_LARGE + 40];
	int head = snprintf(text, sizeof text, "$%d\r\n", PEER_LARGE);
	memset(text + head, 'x', PEER_LARGE);
	strcpy(text + head + PEER_LARGE, "\r\n+Z\r\n");
	return text;
}
