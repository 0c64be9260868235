/* SPDX-License-Identifier: MIT
 *
 * The other side of real sockets: a listener in this process, and a thread that talks on it while
 * the test waits. The thread has no checks. The test checks what the thread has seen after its end.
 */
#ifndef PEER_H
#define PEER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct peer peer;
struct peer {
	int listener;
	uint16_t port; /* of a TCP listener */
	char path[64]; /* of a unix one */
	pthread_t thread;
	sem_t begins; /* posted by the thread */
	bool is_talking;
	void (*talk)(peer *self);
	char heard[8192]; /* all bytes that came, ended by NUL */
	size_t heard_len;
	size_t searched; /* peer_hears() searches after this */
};

/* False, with a message, when this machine does not know itself by the name localhost. A bare root
 * has no /etc/hosts, and no other name is certain. */
bool peer_knows_localhost(void);

/* False when the system gives no socket. */
bool peer_open_unix(peer *self, int backlog);
bool peer_open_tcp(peer *self, int backlog);

/* Runs talk in a thread, which has begun when this returns: ASan allocates while a thread begins,
 * and a child that was forked meanwhile would wait for its locks without end. peer_close() waits
 * for the end of talk. */
void peer_start(peer *self, void (*talk)(peer *self));
void peer_close(peer *self);

/* For the thread, and for tests that know that nothing blocks. Each function gives up after some
 * seconds. */
int peer_accept(peer *self); /* -1 = no connection came */
/* Reads until the text comes, after the last one. */
bool peer_hears(peer *self, int fd, const char *what);
void peer_says(int fd, const char *text);                /* sends all of the text at once */
void peer_drips(int fd, const char *text, int delay_ms); /* sends the text byte by byte */
void peer_resets(int fd);                                /* closes with RST */
bool peer_sees_end(int fd);                              /* reads until the other side has closed */
void peer_sleeps(int ms);

/* Whether less than the limit has passed since then. The time for which the threads of this test
 * had to wait for a processor does not count. */
bool peer_in_time(int64_t then, int64_t limit_ns);

/* An argument of so many bytes, and then Z. */
#define PEER_LARGE 90000
const char *peer_large_answer(void);

/* Waits some seconds for an event that must come. */
#define AWAIT(condition) \
 for (int tries = 0; !(condition); tries++) { \
  if (tries == 5000) { \
   FAIL("does not come: %s", #condition); \
  } \
  peer_sleeps(1); \
 }

#endif
