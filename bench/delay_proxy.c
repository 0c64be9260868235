/* SPDX-License-Identifier: MIT
 *
 * A longer way to a server, for bench/redlock.php: takes connections on a port of 127.0.0.1 and
 * passes their bytes on to another port, each DELAY later than they came, in both directions.
 * Prints its own port.
 *
 * The system takes a connection without asking us, so a connect costs nothing. To have it cost a
 * round trip, as it does over a network, the first bytes of a client are kept as if they had been
 * sent one round trip after it connected. That is exact for a client that connects to all servers
 * at once, and flatters one that connects to one after the other.
 *
 * The queue of chunks is sorted by the time at which they are due; a timer of the system wakes us
 * for the first.
 *
 * usage: delay_proxy DELAY_US PORT
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define CHUNK_BYTES 16384

typedef struct pair pair;

/* One end of a pair; what epoll gives back. */
typedef struct end {
	pair *pair;
	struct end *other;
	int fd;
	int has_ended; /* it will send no more */
} end;

struct pair {
	end client, server;
	int64_t open_at; /* when a client far away would have been connected */
	int chunks;      /* in the queue */
	int is_closed;
	pair *next; /* in the list of those to be freed */
};

/* Bytes on their way; none of them means that the sender has ended. */
typedef struct chunk {
	struct chunk *before, *after;
	end *to;
	int64_t due;
	size_t length;
	char bytes[];
} chunk;

static chunk *first, *last;
static pair *closed;
static int64_t delay;
static int poller, timer, listener;
static struct sockaddr_in target;

static void stop(const char *why)
{
	fprintf(stderr, "delay_proxy: %s: %s\n", why, strerror(errno));
	exit(1);
}

static int64_t nanoseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void renewer(int fd, void *what)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};
	if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) != 0) {
		stop("epoll_ctl");
	}
}

/* Closes both ends at once; what is on its way is dropped when it is due. */
static void close_pair(pair *pair)
{
	if (!pair->is_closed) {
		pair->is_closed = 1;
		close(pair->client.fd);
		close(pair->server.fd);
		pair->next = closed;
		closed = pair;
	}
}

/* Not while events of this round may still name them. */
static void free_closed(void)
{
	for (pair **link = &closed; *link != NULL;) {
		pair *pair = *link;
		if (pair->chunks > 0) {
			link = &pair->next;
			continue;
		}
		*link = pair->next;
		free(pair);
	}
}

static void queue_chunk(end *to, int64_t due, const char *bytes, size_t length)
{
	chunk *new = malloc(sizeof *new + length);
	if (new == NULL) {
		stop("malloc");
	}
	*new = (chunk){.to = to, .due = due, .length = length};
	memcpy(new->bytes, bytes, length);
	to->pair->chunks++;
	chunk *before = last;
	while (before != NULL && before->due > due) {
		before = before->before;
	}
	new->before = before;
	new->after = before != NULL ? before->after : first;
	*(before != NULL ? &before->after : &first) = new;
	*(new->after != NULL ? &new->after->before : &last) = new;
}

static void on_readable(end *from)
{
	char bytes[CHUNK_BYTES];
	pair *pair = from->pair;
	if (pair->is_closed) {
		return;
	}
	ssize_t length = recv(from->fd, bytes, sizeof bytes, MSG_DONTWAIT);
	if (length < 0) {
		if (errno != EAGAIN && errno != EINTR) {
			close_pair(pair);
		}
		return;
	}
	if (length == 0) {
		from->has_ended = 1;
		epoll_ctl(poller, EPOLL_CTL_DEL, from->fd, NULL);
	}
	int64_t sent = nanoseconds();
	if (from == &pair->client && sent < pair->open_at) {
		sent = pair->open_at;
	}
	queue_chunk(from->other, sent + delay, bytes, (size_t) length);
}

static void deliver(chunk *chunk)
{
	end *to = chunk->to;
	pair *pair = to->pair;
	pair->chunks--;
	if (pair->is_closed) {
		return;
	}
	if (chunk->length == 0) {
		shutdown(to->fd, SHUT_WR);
		if (to->has_ended) {
			close_pair(pair);
		}
	} else if (send(to->fd, chunk->bytes, chunk->length, MSG_NOSIGNAL | MSG_DONTWAIT) !=
		(ssize_t) chunk->length) {
		close_pair(pair); /* an end that is gone, or has not read for megabytes */
	}
}

/* What is due by now goes on its way; the timer is set for the next. */
static void deliver_due(void)
{
	while (first != NULL && first->due <= nanoseconds()) {
		chunk *due = first;
		first = due->after;
		*(first != NULL ? &first->before : &last) = NULL;
		deliver(due);
		free(due);
	}
	struct itimerspec at = {0};
	if (first != NULL) {
		at.it_value = (struct timespec){
			.tv_sec = first->due / 1000000000, .tv_nsec = first->due % 1000000000};
	}
	timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
}

static void on_connection(void)
{
	int on = 1;
	int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (client < 0) {
		return;
	}
	int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pair *new = calloc(1, sizeof *new);
	if (server < 0 || new == NULL) {
		stop("no more connections");
	}
	if (connect(server, (struct sockaddr *) &target, sizeof target) != 0) {
		close(client);
		close(server);
		free(new);
		return;
	}
	setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	new->client = (end){.pair = new, .other = &new->server, .fd = client};
	new->server = (end){.pair = new, .other = &new->client, .fd = server};
	new->open_at = nanoseconds() + 2 * delay;
	renewer(client, &new->client);
	renewer(server, &new->server);
}

static int listen_somewhere(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *) &address, sizeof address) != 0 ||
		listen(fd, 511) != 0 || getsockname(fd, (struct sockaddr *) &address, &length) != 0) {
		stop("cannot listen");
	}
	printf("%d\n", ntohs(address.sin_port));
	fflush(stdout);
	return fd;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		return 2;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* whatever happens to the bench */
	delay = atoll(argv[1]) * 1000;
	target = (struct sockaddr_in){.sin_family = AF_INET,
		.sin_port = htons((uint16_t) atoi(argv[2])),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	poller = epoll_create1(EPOLL_CLOEXEC);
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	listener = listen_somewhere();
	renewer(timer, &timer);
	renewer(listener, &listener);
	for (;;) {
		struct epoll_event events[64];
		int count = epoll_wait(poller, events, 64, -1);
		for (int i = 0; i < count; i++) {
			if (events[i].data.ptr == &listener) {
				on_connection();
			} else if (events[i].data.ptr != &timer) {
				on_readable(events[i].data.ptr);
			}
		}
		deliver_due();
		free_closed();
	}
}
