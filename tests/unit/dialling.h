/* SPDX-License-Identifier: MIT
 *
 * What the tests of connections share: one connection to server "a", and what it has told last.
 */
#ifndef DIALLING_H
#define DIALLING_H

#include "fake.h"

extern rl_conn *conn;
extern rl_conn_event event;

/* The server asks for this password. */
void want_password(const char *password);

/* Dials server "a", which does what the test has said of it. */
void dial(void);

/* The same connection as if it had been used before: its name is known, and the log is empty. */
void dial_used(void);

/* Begins with one server, whose two replicas have 100 ms to confirm, and dials it in this way. */
void dial_replicated(void);

/* Frees the connection, and ends the fake. */
void hang_up(void);

/* The driver's part: sends what was appended, reads what has arrived. */
void flush_and_read(void);

/* The next event is in `event` then. */
rl_conn_event_type next(void);

/* The next event is the reply to the command with this tag. */
void check_reply_to(unsigned tag);

/* Sends EXISTS k. 0 = it could not be queued. */
uint64_t ask(unsigned tag);

#endif
