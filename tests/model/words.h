/* SPDX-License-Identifier: MIT
 *
 * Commands as the model of a server (store.h) understands them. Keys are "k0", "k1", ... and "k",
 * which is the same key as "k0"; beside them their helper keys. On a cluster a key is also named
 * "{t}k1", which is in the slot of all keys with this tag, or "k1}", which has no helper keys. A
 * script is recognised by its SHA1, or by its text.
 */
#ifndef WORDS_H
#define WORDS_H

#include "core/wire/rl_command.h"

#define WORDS_KEYS 4
#define WORDS_TEXT 39

/* A token or a waiter's name. Two are the same when their marks are. */
typedef struct model_text {
	uint64_t mark;
	char bytes[WORDS_TEXT];
	uint8_t len;
} model_text;

typedef enum word_kind {
	WORD_SET,
	WORD_EXISTS,
	WORD_GET,
	WORD_PTTL,
	WORD_BLPOP,
	WORD_SCRIPT,
	WORD_HELLO, /* AUTH, SELECT, CLIENT SETNAME */
	WORD_WAIT,
	WORD_ASKING,
	WORD_MAP, /* CLUSTER SLOTS */
	WORD_ROLE,
	WORD_PRIMARY, /* SENTINEL GET-MASTER-ADDR-BY-NAME */
	WORD_MASTER,  /* SENTINEL MASTER */
} word_kind;

/* In place of a slot: the command names no key, or its keys are in different slots. */
#define WORDS_NO_SLOT (-1)
#define WORDS_CROSS_SLOT (-2)

typedef struct model_command {
	word_kind what;
	rl_script_id script; /* WORD_SCRIPT, as are the next */
	bool is_sha;
	bool has_helpers;
	bool maybe_ours;
	bool is_undo; /* nobody reads its answer; the network's own */
	uint8_t key;
	int16_t slot; /* where a cluster is asked: as words_slot() */
	model_text token;
	model_text fresh;  /* of a swap; len 0 = none */
	model_text waiter; /* len 0 = none */
	int64_t ttl_ms;
	rl_place place;
	int64_t mark_ms;    /* 0 = none */
	int64_t reserve_ms; /* 0 = not said: 10 ms */
	int64_t fence;      /* the number to write; 0 = a new one */
	int64_t block_ms;   /* WORD_BLPOP, WORD_WAIT; 0 = for ever */
	int64_t replicas;   /* WORD_WAIT: how many must confirm */
	int64_t written_at; /* in true time; the network's own */
	uint64_t end;       /* position of its last byte on the link; the network's own */
} model_command;

typedef enum reply_type {
	REPLY_NIL,
	REPLY_STATUS, /* +OK */
	REPLY_ERROR,
	REPLY_TEXT,
	REPLY_DIGITS, /* a fencing number: the text, and the first number */
	REPLY_NUMBER,
	REPLY_NUMBERS,
	REPLY_STATE,  /* of INSPECT: numbers, and behind them the text */
	REPLY_TICKET, /* of BLPOP: an array of the key and an element */
	REPLY_MOVED,  /* the first number is the slot, the second the node */
	REPLY_ASK,    /* the same */
	/* Of CLUSTER SLOTS: the node of each key's slot, and in the last number that of all others. */
	REPLY_MAP,
	REPLY_ROLE,    /* the first number is 1 for a master, 0 for a replica */
	REPLY_ADDRESS, /* of a Sentinel: the first number is the node */
	REPLY_MASTER,  /* the same, and the second one is for how long it was that, in ms */
} reply_type;

typedef struct model_reply {
	reply_type type;
	uint8_t count;                  /* REPLY_NUMBERS, REPLY_STATE */
	uint8_t label_at;               /* the label stands in place of this number; 0 = of none */
	int64_t number[WORDS_KEYS + 1]; /* REPLY_NUMBER has the first */
	const char *error;              /* a constant */
	model_text text;
	model_text label;
} model_reply;

model_text words_text(rl_bytes bytes);

/* False when the model does not know such a command. */
bool words_read(model_command *c, unsigned argc, const rl_bytes *argv);

/* The slot of the keys that the command names. */
int16_t words_slot(unsigned argc, const rl_bytes *argv);

/* Whether the model of each script is that of the script as core has it. */
bool words_know_scripts(void);

/* For a person; the buffer is the caller's. */
const char *words_say(const model_command *c, char *room, size_t size);
const char *words_say_reply(const model_reply *r, char *room, size_t size);

#endif
