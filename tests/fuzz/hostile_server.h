/* SPDX-License-Identifier: MIT
 *
 * A server that says what the input wants. Each connection has an end at the server: the commands
 * that have arrived there, and the bytes that the server has sent. A server knows what an honest
 * one would answer to each command, so an input of few bytes gets far, and damages such answers.
 */
#ifndef HOSTILE_SERVER_H
#define HOSTILE_SERVER_H

#include "core/wire/rl_command.h"

/* More arguments are not kept. */
#define HOSTILE_ARGS 16

/* What a command is. The names of scripts are those of RL_SCRIPT. */
typedef enum hostile_verb {
	HOSTILE_OTHER,
	HOSTILE_AUTH, /* AUTH, SELECT */
	HOSTILE_ROLE,
	HOSTILE_SET,
	HOSTILE_BLPOP,
	HOSTILE_EXISTS,
	HOSTILE_GET,
	HOSTILE_TYPE,
	HOSTILE_PTTL,
	HOSTILE_WAIT,
	HOSTILE_MAP,
	HOSTILE_NAMES,   /* SENTINEL GET-MASTER-ADDR-BY-NAME */
	HOSTILE_PRIMARY, /* SENTINEL MASTER */
	HOSTILE_SCRIPT,
} hostile_verb;

typedef struct hostile_command {
	hostile_verb verb;
	rl_script_id script; /* HOSTILE_SCRIPT */
	int64_t sent_at;     /* when its first byte arrived at the server */
	unsigned argc;
	unsigned first_arg;          /* HOSTILE_SCRIPT: the first argument after the keys */
	rl_bytes argv[HOSTILE_ARGS]; /* in text */
	char *text;                  /* owned */
} hostile_command;

typedef struct hostile_server_end {
	/* The commands that are not answered yet. Owned. */
	hostile_command *commands;
	size_t command_count;
	size_t command_room;
	size_t answered; /* so many of the commands were answered by the server */
	/* What the server has sent, and the beginning of a command that has arrived. Owned. */
	char *sent;
	size_t sent_len;
	size_t sent_room;
	char *heard;
	size_t heard_len;
	size_t heard_room;
	int64_t heard_at; /* when the first of these bytes arrived */
} hostile_server_end;

void hostile_server_close(hostile_server_end *end);

/* Bytes have arrived. The process must send well-formed commands. */
void hostile_server_hear(hostile_server_end *end, const char *data, size_t len);

/* What the input makes of a connection. */
typedef enum hostile_event {
	HOSTILE_NOTHING,
	HOSTILE_SAID, /* the server has sent something */
	HOSTILE_CUT,  /* the same, but not all of it arrives at once */
	HOSTILE_OVER, /* the connection ends */
} hostile_event;
hostile_event hostile_server_act(hostile_server_end *end);

/* The first command without a reply is over. */
void hostile_server_drop_command(hostile_server_end *end);

#endif
