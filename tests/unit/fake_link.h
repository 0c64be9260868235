/* SPDX-License-Identifier: MIT
 *
 * What the two halves of the fake's network share: fake_server.c, which runs commands, and
 * fake_net.c, which carries them.
 */
#ifndef FAKE_LINK_H
#define FAKE_LINK_H

#include "fake_net.h"
#include "fake_words.h"
#include "words.h"

#define LINKS_MAX 512
#define QUEUE_MAX 192
#define COMMANDS_MAX 192
#define EVENTS_MAX 192
#define ELEMENTS_MAX 12

typedef struct command {
	uint64_t end;
	fake_words words;
	bool is_in_model; /* tests/model knows such a command, and reads it as this */
	rl_model_command model;
} command;

typedef struct event {
	int64_t at;
	bool is_down;     /* a break, or nonsense */
	const char *text; /* a reply */
} event;

struct rl_link {
	unsigned member;
	unsigned number; /* among the member's, from 1 */
	bool is_open;
	bool is_connected;
	bool is_refused;
	bool is_down;
	bool is_garbled; /* what came is no protocol; commands still go out */
	bool is_mute;    /* the server says nothing more on it */
	bool is_lost;    /* the server has closed it: commands do not reach it */
	bool is_ended;
	int64_t connect_at;
	int64_t unblock_at;  /* the system takes nothing before */
	unsigned event_read; /* so many events were read from the socket */
	const char *greeting;
	uint64_t appended;
	uint64_t sent;
	unsigned command_count;
	unsigned taken; /* commands taken whole */
	unsigned run;   /* of these, those that the server has run */
	bool is_blocked;
	bool is_blocked_by_wait; /* the link waits for replicas, not for a ticket */
	int64_t blocked_at;
	int64_t blocked_until; /* RL_NEVER = for good */
	fake_plan blocked_by;  /* what comes then */
	unsigned event_count;
	unsigned event_next;
	rl_error err;
	/* From here on a new link is not cleared. */
	command commands[COMMANDS_MAX];
	event events[EVENTS_MAX];
	rl_reply elements[ELEMENTS_MAX];
};

typedef struct dial_plan {
	fake_dial what;
	int64_t delay;
	const char *text;
} dial_plan;

typedef struct server {
	dial_plan dials[QUEUE_MAX];
	unsigned dial_count, dial_next;
	fake_plan acts[QUEUE_MAX];
	unsigned act_count, act_next;
	fake_plan blpops[QUEUE_MAX];
	unsigned blpop_count, blpop_next;
	const char *auth, *select, *name, *role; /* answers */
	fake_plan asking, map, lookup;           /* without text = none */
	unsigned link_count;
} server;

extern server fake_servers[FAKE_SERVERS];
extern rl_link fake_links[LINKS_MAX];
extern unsigned fake_link_count;

/* The plan that fake_always() has made for such a command; NULL = none. */
const fake_plan *fake_standing_plan(unsigned member, const fake_words *words);

/* A line of the log. */
void fake_note(const rl_link *link, const char *text);

/* Something arrives on the link then; NULL = its end, or nonsense. */
void fake_add_event(rl_link *link, const char *text, int64_t at);

void fake_break_at(rl_link *link, int64_t at);

/* Runs what the system has taken of the link, up to a BLPOP that blocks it. */
void fake_run(rl_link *link, int64_t at);

/* Does what the servers have done since the clock was moved. */
void fake_catch_up(void);

/* True when the test has an idea; else the plan stays as it is. */
bool fake_ask_test(const rl_link *link, const command *c, bool is_taken, fake_plan *plan);

#endif
