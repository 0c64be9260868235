/* SPDX-License-Identifier: MIT
 *
 * The private server of this program: started, stopped and restarted by its pid, and spoken to
 * without core.
 */
#ifndef SERVER_H
#define SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* @param config its file, written by scripts/races. It listens on the unix socket. */
void server_set_up(const char *program, const char *config, const char *socket);

/* Starts it and waits until it answers. False when it does not. */
bool server_start(void);

/* Ends it as the system does when it shuts down: it saves what it has. */
void server_stop(void);

/* SIGSTOP, and SIGCONT. */
void server_freeze(bool is_frozen);

/* One command, in one line and on a connection of its own. @param[out] answer its first line,
 * without the end
 * @return false = the server is not there, or says nothing */
bool server_says(const char *command, char *answer, size_t size);

/* The number in the answer; -1 = there is none. */
int64_t server_number(const char *command);

#endif
