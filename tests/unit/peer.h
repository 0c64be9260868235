/* SPDX-License-Identifier: MIT
 *
 * The other side of real sockets: a listener in this process, and a thread that talks on it while
 * the test waits. A thread has no checks of its own; what it saw is checked when it has ended.
 */
#ifndef PEER_H
#define PEER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct peer peer;
struct peer {
	int listener;
	uint16_t port; /* of a TCP listener */
	char path[64]; /* of a unix one */
	pthread_t thread;
	bool is_talking;
	void (*talk)(peer *self);
	char heard[8192]; /* all that came, ended by NUL */
	size_t heard_len;
	size_t searched; /* peer_hears() looks behind this */
};

/* False, with a word on it, when this machine does not know itself by the name localhost. A bare
 * root has no /etc/hosts, and no other name can be counted on. */
bool peer_knows_localhost(void);

/* False when the system gives no socket. */
bool peer_open_unix(peer *self, int backlog);
bool peer_open_tcp(peer *self, int backlog);

/* Runs talk in a thread; peer_close() waits for its end. */
void peer_start(peer *self, void (*talk)(peer *self));
void peer_close(peer *self);

/* For talk, and for tests that know that nothing blocks. Each gives up after some seconds. */
int peer_accept(peer *self);                             /* -1 = nobody came */
bool peer_hears(peer *self, int fd, const char *what);   /* reads until it comes, behind the last */
void peer_says(int fd, const char *text);                /* all of it, at once */
void peer_drips(int fd, const char *text, int delay_ms); /* byte by byte */
void peer_resets(int fd);                                /* closes with RST */
bool peer_sees_end(int fd);                              /* reads until the other side has closed */
void peer_sleeps(int ms);

/* Whether less than the limit has passed since then, without the time for which the machine let the
 * threads of this test wait for a processor. */
bool peer_in_time(int64_t then, int64_t limit_ns);

/* A string of so many bytes, and then Z. */
#define PEER_LARGE 90000
const char *peer_large_answer(void);

/* Waits for what must come, for some seconds. */
#define AWAIT(condition) \
 for (int tries = 0; !(condition); tries++) { \
  if (tries == 5000) { \
   FAIL("does not come: %s", #condition); \
  } \
  peer_sleeps(1); \
 }

#endif
