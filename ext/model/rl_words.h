/* SPDX-License-Identifier: MIT
 *
 * Commands and replies as the model of a server (rl_store.h) understands them. A script is
 * recognised by its SHA1, or by its text.
 */
#ifndef RL_WORDS_H
#define RL_WORDS_H

#include "core/base/rl_token.h"
#include "core/wire/rl_command.h"

/* How much of a text is kept: the longest token. The simulator draws short tokens only, and keeps
 * less, for speed. */
#ifndef RL_WORDS_TEXT
# define RL_WORDS_TEXT RL_TOKEN_MAX
#endif

/* A token or a waiter's name. Two texts are the same when their marks and lengths are. */
typedef struct rl_model_text {
	uint64_t mark; /* a hash of the bytes */
	uint16_t len;
	char bytes[RL_WORDS_TEXT];
} rl_model_text;

typedef enum rl_word {
	RL_WORD_SET,
	RL_WORD_EXISTS,
	RL_WORD_GET,
	RL_WORD_PTTL,
	RL_WORD_BLPOP,
	RL_WORD_SCRIPT,
	RL_WORD_HELLO, /* AUTH, SELECT, CLIENT SETNAME */
	RL_WORD_WAIT,
	RL_WORD_ASKING,
	RL_WORD_MAP, /* CLUSTER SLOTS */
	RL_WORD_ROLE,
	RL_WORD_PRIMARY, /* SENTINEL GET-MASTER-ADDR-BY-NAME */
	RL_WORD_MASTER,  /* SENTINEL MASTER */
} rl_word;

typedef struct rl_model_command {
	rl_word what;
	rl_script_id script; /* RL_WORD_SCRIPT, as are the next */
	rl_form form;
	uint8_t keys; /* how many the command names */
	bool maybe_ours;
	bool has_reserve; /* there is an argument for the reservation, perhaps an empty one */
	/* The servers of the tests use the next four. rl_words_read() sets them to 0. */
	uint8_t key;           /* the number of the key */
	uint8_t home_key;      /* the same of home */
	uint8_t permit_key[4]; /* the same of each permit */
	int16_t slot;          /* of the keys, on a cluster */
	/* The key of the lock, also for RL_WORD_BLPOP. Borrowed from the command, as are the next. No
	 * data = the command names no key. */
	rl_bytes name;
	rl_bytes pattern; /* RL_SCRIPT_SCAN. Borrowed, too. */
	/* The lock whose helper keys the command names. */
	rl_bytes home;
	/* The keys of several permits, of which name is the first. */
	const rl_bytes *permit_names;
	uint8_t permits; /* 0 = the command names one key */
	/* RELEASE: how many permits the lock has; 0 = not said. */
	uint8_t permit_count;
	rl_model_text token;
	rl_model_text fresh;  /* of a swap; len 0 = none */
	rl_model_text waiter; /* len 0 = none */
	int64_t ttl_ms;
	rl_place place;
	int64_t mark_ms;    /* 0 = none */
	int64_t reserve_ms; /* 0 = not said: 10 ms */
	int64_t done_ms;    /* of a release; 0 = it leaves no mark */
	int64_t fence;      /* the number to write; 0 = a new one */
	int64_t block_ms;   /* RL_WORD_BLPOP, RL_WORD_WAIT; 0 = for ever */
	int64_t replicas;   /* RL_WORD_WAIT: how many must confirm */
	/* The servers of the tests use the next two. */
	int64_t written_at; /* in true time */
	uint64_t end;       /* position of its last byte on the link */
} rl_model_command;

typedef enum rl_says {
	RL_SAYS_NIL,
	RL_SAYS_STATUS, /* +OK */
	RL_SAYS_ERROR,
	RL_SAYS_TEXT,
	RL_SAYS_DIGITS, /* a fencing number: the text, and the first number */
	RL_SAYS_NUMBER,
	RL_SAYS_NUMBERS,
	RL_SAYS_STATE,  /* of INSPECT: numbers, and behind them the text and the labels of waiters */
	RL_SAYS_TICKET, /* of BLPOP: an array of the key and an element */
	RL_SAYS_MOVED,  /* the first number is the slot, the second the node */
	RL_SAYS_ASK,    /* the same */
	/* Of CLUSTER SLOTS. The numbers are the caller's own. */
	RL_SAYS_MAP,
	RL_SAYS_ROLE,    /* the first number is 1 for a master, 0 for a replica */
	RL_SAYS_ADDRESS, /* of a Sentinel: the first number is the node */
	RL_SAYS_MASTER,  /* the same, and the second one is for how long it was that, in ms */
} rl_says;

#define RL_WORDS_NUMBERS 5

typedef struct rl_model_reply {
	rl_says type;
	uint8_t count;                    /* RL_SAYS_NUMBERS, RL_SAYS_STATE */
	uint8_t label_at;                 /* the label stands in place of this number; 0 = of none */
	int64_t number[RL_WORDS_NUMBERS]; /* RL_SAYS_NUMBER has the first */
	const char *error;                /* a constant */
	rl_model_text text;
	rl_model_text label;
	rl_model_text waiting; /* RL_SAYS_STATE */
} rl_model_reply;

/* The command names the helper keys: a script beside the lock, BLPOP alone. */
static inline bool rl_words_has_helpers(const rl_model_command *c)
{
	return c->what == RL_WORD_BLPOP || (c->permits > 0 ? c->keys > c->permits : c->keys == 3);
}

rl_model_text rl_words_text(rl_bytes bytes);

/* False when the model does not know such a command. */
bool rl_words_read(rl_model_command *c, unsigned argc, const rl_bytes *argv) RL_MUST_USE;

#endif
