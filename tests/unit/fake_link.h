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
	bool is_in_model; /* tests/model knows such a command, and has read it */
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
	bool is_garbled; /* the bytes are no protocol; commands still go out */
	bool is_mute;    /* the server sends nothing more on the link */
	bool is_lost;    /* the server has closed the link: commands do not reach it */
	bool is_ended;
	int64_t connect_at;
	int64_t unblock_at;  /* the system takes nothing before this time */
	unsigned event_read; /* so many events were read from the socket */
	const char *greeting;
	uint64_t appended;
	uint64_t sent;
	unsigned command_count;
	unsigned taken; /* commands that the system has taken whole */
	unsigned run;   /* of these, the commands that the server has run */
	bool is_blocked;
	bool is_blocked_by_wait; /* the link waits for replicas, not for a ticket */
	int64_t blocked_at;
	int64_t blocked_until; /* RL_NEVER = for good */
	fake_plan blocked_by;  /* the plan for then */
	unsigned event_count;
	unsigned event_next;
	rl_error err;
	/* A new link clears the fields above, and not the fields from here on. */
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
	const char *auth, *select, *name, *role; /* the answers to the login */
	fake_plan asking, map, lookup;           /* a plan without a text = no plan */
	unsigned link_count;
} server;

extern server fake_servers[FAKE_SERVERS];
extern rl_link fake_links[LINKS_MAX];
extern unsigned fake_link_count;

/* The plan that fake_always() has made for such a command; NULL = none. */
const fake_plan *fake_standing_plan(unsigned member, const fake_words *words);

/* A line of the log. */
void fake_note(const rl_link *link, const char *text);

/* The text arrives on the link at this time; NULL = the end of the link, or bytes that are no
 * protocol. */
void fake_add_event(rl_link *link, const char *text, int64_t at);

void fake_break_at(rl_link *link, int64_t at);

/* Runs what the system has taken of the link, up to a BLPOP that blocks it. */
void fake_run(rl_link *link, int64_t at);

/* Does all that the servers have had to do since the clock moved. */
void fake_catch_up(void);

/* @return true = fake_improvise has made a plan; otherwise the plan stays as it is */
bool fake_ask_test(const rl_link *link, const command *c, bool is_taken, fake_plan *plan);

#endif
