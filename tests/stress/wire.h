/* SPDX-License-Identifier: MIT
 *
 * A raw connection to the server, without core and transport: the worker's log, and locks as other
 * clients take them. It blocks; a server that is gone ends the process.
 */
#ifndef WIRE_H
#define WIRE_H

#include "core/base/rl_status.h"

#define WIRE_ARGS 16
#define WIRE_TEXT 512 /* the longest argument that is formatted here */

/* Connects to 127.0.0.1. */
int wire_open(unsigned port);

/* The same, for commands whose answers nobody reads: the server sends none. */
int wire_open_mute(unsigned port);

/* Sends one command; the arguments end with NULL. */
void wire_say(int fd, const char *first, ...) __attribute__((sentinel));

/* Reads an answer of one line, without its end: "+OK", "$-1", ":1". */
void wire_hear(int fd, char *line, size_t size);

/* Appends one entry to the log, a stream: its text is what the checker reads. */
void wire_log(int fd, const char *format, ...) RL_PRINTF(2, 3);

/* The process ends with the one that started it, and after limit_s seconds at the latest. */
void wire_tie(unsigned limit_s);

#endif
