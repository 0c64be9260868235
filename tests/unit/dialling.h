/* SPDX-License-Identifier: MIT
 *
 * What the tests of connections share: one connection to server "a", and its last event.
 */
#ifndef DIALLING_H
#define DIALLING_H

#include "fake.h"

extern rl_conn *conn;
extern rl_conn_event event;

/* From now on the server wants this password. */
void want_password(const char *password);

/* Dials server "a", which acts as the test has told the fake. */
void dial(void);

/* Dials, and then the connection is as if a command had been answered: its name is known, and the
 * log is empty. */
void dial_used(void);

/* Begins the fake with one server, whose two replicas have 100 ms to confirm, and dials the
 * server. */
void dial_replicated(void);

/* Frees the connection, and ends the fake. */
void hang_up(void);

/* Does what a driver does: sends the appended commands, and reads the replies that have arrived. */
void flush_and_read(void);

/* Reads the next event into `event`. */
rl_conn_event_type next(void);

/* Checks that the next event is the reply to the command with this tag. */
void check_reply_to(unsigned tag);

/* Sends EXISTS k. 0 = the command could not be queued. */
uint64_t ask(unsigned tag);

#endif
