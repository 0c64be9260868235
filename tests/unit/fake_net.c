/* SPDX-License-Identifier: MIT */
#include "fake_net.h"

#include "check.h"
#include "fake_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LINKS_MAX 256
#define QUEUE_MAX 192
#define COMMANDS_MAX 128
#define EVENTS_MAX 128
#define ELEMENTS_MAX 8

typedef struct command {
	uint64_t end;
	fake_words words;
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
	command commands[COMMANDS_MAX];
	unsigned command_count;
	unsigned taken; /* commands taken whole */
	unsigned run;   /* of these, those that the server has run */
	bool is_blocked;
	int64_t blocked_at;
	int64_t blocked_until; /* RL_NEVER = for good */
	fake_plan blocked_by;  /* what comes then */
	event events[EVENTS_MAX];
	unsigned event_count;
	unsigned event_next;
	rl_error err;
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
	const char *auth, *select, *name; /* answers */
	unsigned link_count;
} server;

unsigned fake_looks;
unsigned fake_writes;
int64_t fake_run_at;
int fake_end_errno;
bool (*fake_improvise)(const char *words, bool is_taken, fake_plan *plan);
bool (*fake_lacks_memory)(void);

static server servers[FAKE_MEMBERS];
static rl_link links[LINKS_MAX];
static unsigned link_count;
static char log_text[1 << 16];
static size_t log_used;

/* ---- log ---- */

const char *fake_log(void)
{
	return log_text;
}

void fake_forget_log(void)
{
	log_used = 0;
	log_text[0] = '\0';
}

static void note(const rl_link *link, const char *text)
{
	int used = snprintf(log_text + log_used, sizeof log_text - log_used, "%" PRId64 " %c%u %s\n",
		fake_ms(), (int) ('a' + link->member), link->number, text);
	log_used += (size_t) used;
	if (log_used >= sizeof log_text) {
		FAIL("the log is full");
	}
}

/* ---- plans ---- */

void fake_dials(unsigned member, fake_dial what, int64_t delay)
{
	server *s = &servers[member];
	s->dials[s->dial_count++] = (dial_plan){what, delay, NULL};
}

void fake_greets(unsigned member, const char *text)
{
	server *s = &servers[member];
	s->dials[s->dial_count++] = (dial_plan){FAKE_GREET, 0, text};
}

void fake_acts(unsigned member, fake_act what, const char *text, int64_t delay)
{
	server *s = &servers[member];
	s->acts[s->act_count++] = (fake_plan){what, text, delay};
}

void fake_blpops(unsigned member, fake_act what, const char *text, int64_t delay)
{
	server *s = &servers[member];
	s->blpops[s->blpop_count++] = (fake_plan){what, text, delay};
}

void fake_says(unsigned member, const char *text)
{
	fake_acts(member, FAKE_SAY, text, 0);
}

void fake_login_says(unsigned member, const char *what, const char *text)
{
	server *s = &servers[member];
	const char **slot = what[0] == 'A' ? &s->auth : what[0] == 'S' ? &s->select : &s->name;
	*slot = text;
}

static void add_event(rl_link *link, const char *text, int64_t at)
{
	if (link->event_count == EVENTS_MAX) {
		FAIL("too many events");
	}
	/* What is said later arrives later. */
	if (link->event_count > 0 && link->events[link->event_count - 1].at > at) {
		at = link->events[link->event_count - 1].at;
	}
	link->events[link->event_count++] = (event){at, text == NULL, text};
}

static void break_at(rl_link *link, int64_t at)
{
	rl_error_set(&link->err, RL_ERR_CLOSED, 0, "the server closed the connection");
	add_event(link, NULL, at);
	link->is_mute = true;
	link->is_lost = true;
	link->is_blocked = false;
}

/* What is not the protocol comes, and nothing that follows can be read. */
static void garble_at(rl_link *link, int64_t at)
{
	rl_error_set(&link->err, RL_ERR_PROTOCOL, 0, "what came back is not the Redis protocol");
	add_event(link, NULL, at);
	link->is_garbled = true;
	link->is_mute = true;
}

unsigned fake_open_links(void)
{
	unsigned open = 0;
	for (unsigned i = 0; i < link_count; i++) {
		open += links[i].is_open;
	}
	return open;
}

/* ---- what the servers do ---- */

static void answer(rl_link *link, const char *text, int64_t at)
{
	if (text == NULL) {
		link->is_mute = true;
	} else if (!link->is_mute) {
		add_event(link, text, at);
	}
}

static void carry_out(rl_link *link, const fake_plan *plan, int64_t at)
{
	switch (plan->what) {
		case FAKE_SAY:
			answer(link, plan->text, at);
			break;
		case FAKE_SAY_TWICE:
			answer(link, plan->text, at);
			answer(link, plan->text, at);
			break;
		case FAKE_SAY_BREAK:
			answer(link, plan->text, at);
			break_at(link, at);
			break;
		case FAKE_SILENCE:
			link->is_mute = true;
			break;
		case FAKE_BREAK:
			break_at(link, at);
			break;
		case FAKE_NONSENSE:
			garble_at(link, at);
			break;
		case FAKE_BREAK_UNSENT:
		case FAKE_BREAK_HALF:
		case FAKE_HALF:
			break;
	}
}

static void greet_back(rl_link *link, const command *c, int64_t at)
{
	const server *s = &servers[link->member];
	char first = c->words.text[0];
	answer(link, first == 'A' ? s->auth : first == 'S' ? s->select : s->name, at);
}

/* True when the test has an idea; else the plan stays as it is. */
static bool improvise(const command *c, bool is_taken, fake_plan *plan)
{
	return fake_improvise != NULL && fake_improvise(c->words.text, is_taken, plan);
}

static void block(rl_link *link, const command *c, int64_t at)
{
	server *s = &servers[link->member];
	fake_plan plan = {FAKE_SAY, "_", c->words.block_ns};
	if (s->blpop_next < s->blpop_count) {
		plan = s->blpops[s->blpop_next++];
	} else {
		improvise(c, true, &plan);
	}
	link->is_blocked = true;
	link->is_mute = link->is_mute || plan.what == FAKE_SILENCE;
	link->blocked_at = at;
	link->blocked_until = plan.what == FAKE_SILENCE ? RL_NEVER : at + plan.delay;
	link->blocked_by = plan;
}

static void run_next(rl_link *link, int64_t at)
{
	server *s = &servers[link->member];
	const command *c = &link->commands[link->run++];
	fake_run_at = at;
	fake_plan plan = {FAKE_SAY, c->words.is_undo ? ":1" : NULL, 0};
	if (c->words.is_handshake) {
		greet_back(link, c, at);
		return;
	}
	if (c->words.is_blpop) {
		block(link, c, at);
		return;
	}
	if (s->act_next < s->act_count) {
		plan = s->acts[s->act_next++];
	} else {
		improvise(c, true, &plan);
	}
	carry_out(link, &plan, at + plan.delay);
}

static void run(rl_link *link, int64_t at)
{
	while (link->run < link->taken && !link->is_blocked && !link->is_lost) {
		run_next(link, at);
	}
}

static rl_link *first_to_be_unblocked(void)
{
	rl_link *first = NULL;
	for (unsigned i = 0; i < link_count; i++) {
		rl_link *link = &links[i];
		if (link->is_open && link->is_blocked && link->blocked_until <= fake_clock &&
			(first == NULL || link->blocked_until < first->blocked_until)) {
			first = link;
		}
	}
	return first;
}

/* Does what the servers have done since the clock was moved. */
static void catch_up(void)
{
	rl_link *link;
	while ((link = first_to_be_unblocked()) != NULL) {
		link->is_blocked = false;
		carry_out(link, &link->blocked_by, link->blocked_until);
		run(link, link->blocked_until);
	}
}

static rl_link *longest_blocked(unsigned member)
{
	rl_link *longest = NULL;
	for (unsigned i = 0; i < link_count; i++) {
		rl_link *link = &links[i];
		if (link->is_open && link->member == member && link->is_blocked &&
			(longest == NULL || link->blocked_at < longest->blocked_at)) {
			longest = link;
		}
	}
	return longest;
}

void fake_wakes(unsigned member, int64_t delay)
{
	catch_up();
	rl_link *link = longest_blocked(member);
	if (link == NULL) {
		FAIL("nobody waits in the queue");
	}
	link->blocked_until = fake_clock + delay;
	link->blocked_by = (fake_plan){FAKE_SAY, FAKE_TICKET, 0};
}

unsigned fake_blocked_links(void)
{
	catch_up();
	unsigned blocked = 0;
	for (unsigned i = 0; i < link_count; i++) {
		blocked += links[i].is_open && links[i].is_blocked;
	}
	return blocked;
}

void fake_kill(unsigned member)
{
	for (unsigned i = 0; i < link_count; i++) {
		if (links[i].is_open && links[i].member == member) {
			break_at(&links[i], fake_clock);
		}
	}
}

/* ---- what the system takes ---- */

static void take_whole(rl_link *link, const command *c)
{
	link->sent = c->end;
	link->taken++;
	if (link->is_lost) {
		char text[sizeof c->words.text + 8];
		snprintf(text, sizeof text, "lost: %s", c->words.text);
		note(link, text);
		link->run = link->taken;
		return;
	}
	note(link, c->words.text);
	run(link, fake_clock);
}

/* How the system takes the next command. FAKE_SAY = whole; what comes of it is found out when it is run. */
static fake_plan plan_of_taking(const rl_link *link, const command *c)
{
	server *s = &servers[link->member];
	fake_plan plan = {FAKE_SAY, NULL, 0};
	if (c->words.is_handshake || link->is_lost) {
		return plan;
	}
	unsigned *next = c->words.is_blpop ? &s->blpop_next : &s->act_next;
	bool is_planned = *next < (c->words.is_blpop ? s->blpop_count : s->act_count);
	if (is_planned) {
		plan = (c->words.is_blpop ? s->blpops : s->acts)[*next];
	} else {
		improvise(c, false, &plan);
	}
	switch (plan.what) {
		case FAKE_BREAK_UNSENT:
		case FAKE_BREAK_HALF:
		case FAKE_HALF:
			*next += is_planned;
			break;
		case FAKE_SAY:
		case FAKE_SAY_TWICE:
		case FAKE_SAY_BREAK:
		case FAKE_SILENCE:
		case FAKE_BREAK:
		case FAKE_NONSENSE:
			plan.what = FAKE_SAY;
			break;
	}
	return plan;
}

/* Takes the next command, or part of it; false when the system takes no more. */
static bool take_next(rl_link *link)
{
	const command *c = &link->commands[link->taken];
	fake_plan plan = plan_of_taking(link, c);
	if (plan.what == FAKE_SAY) {
		take_whole(link, c);
		return true;
	}
	if (plan.what != FAKE_BREAK_UNSENT) {
		link->sent += (c->end - link->sent) / 2;
	}
	if (plan.what == FAKE_HALF) {
		link->unblock_at = plan.delay == RL_NEVER ? RL_NEVER : fake_clock + plan.delay;
	} else {
		rl_error_set(&link->err, RL_ERR_CLOSED, 32, "the connection broke: told by send");
		link->is_down = true;
	}
	return false;
}

/* ---- rl_transport ---- */

static unsigned member_of(const rl_address *address)
{
	return (unsigned) (address->host[0] - 'a');
}

static rl_link *new_link(unsigned member)
{
	if (link_count == LINKS_MAX) {
		FAIL("too many links");
	}
	rl_link *link = &links[link_count++];
	*link = (rl_link){.member = member,
		.number = ++servers[member].link_count,
		.is_open = true,
		.connect_at = RL_NEVER};
	note(link, "dial");
	return link;
}

static rl_link *dial(rl_transport *self, const rl_address *address, int64_t until, rl_error *err)
{
	(void) self, (void) until;
	server *s = &servers[member_of(address)];
	if (fake_lacks_memory != NULL && fake_lacks_memory()) {
		rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
		return NULL;
	}
	dial_plan plan = {FAKE_ACCEPT, 0, NULL};
	if (s->dial_next < s->dial_count) {
		plan = s->dials[s->dial_next++];
	}
	rl_link *link = new_link(member_of(address));
	switch (plan.what) {
		case FAKE_REFUSE:
		case FAKE_NO_NAME:
			link->is_open = false;
			rl_error_set(err, plan.what == FAKE_REFUSE ? RL_ERR_CONNECT : RL_ERR_NAME,
				plan.what == FAKE_REFUSE ? 111 : 0, "cannot connect: told at once");
			return NULL;
		case FAKE_ACCEPT_AT_ONCE:
			link->is_connected = true;
			break;
		case FAKE_REFUSE_LATER:
			link->is_refused = true;
			link->connect_at = fake_clock + plan.delay;
			break;
		case FAKE_ACCEPT:
		case FAKE_GREET:
			link->connect_at = fake_clock + plan.delay;
			link->greeting = plan.text;
			break;
		case FAKE_HANG:
			break;
	}
	return link;
}

static uint64_t append(rl_link *link, unsigned argc, const rl_bytes *argv)
{
	if (!link->is_open) {
		FAIL("append on a closed link");
	}
	if (fake_lacks_memory != NULL && fake_lacks_memory()) {
		return 0;
	}
	if (link->command_count == COMMANDS_MAX) {
		FAIL("too many commands");
	}
	command *c = &link->commands[link->command_count++];
	fake_describe(&c->words, argc, argv);
	for (unsigned i = 0; i < argc; i++) {
		link->appended += argv[i].len + 6;
	}
	c->end = link->appended;
	return c->end;
}

static void flush(rl_link *link)
{
	if (!link->is_open) {
		FAIL("flush on a closed link");
	}
	catch_up();
	unsigned before = link->taken;
	bool takes_more = true;
	while (takes_more && link->is_connected && !link->is_down &&
		link->taken < link->command_count && fake_clock >= link->unblock_at) {
		takes_more = take_next(link);
	}
	fake_writes += link->taken > before;
}

static uint64_t sent(const rl_link *link)
{
	return link->sent;
}

static bool is_connected(const rl_link *link)
{
	return link->is_connected && !link->is_down;
}

static rl_reply element_of(const char *text, size_t len)
{
	rl_reply reply = {.type = RL_REPLY_NIL};
	if (text[0] == ':') {
		reply.type = RL_REPLY_INTEGER;
		sscanf(text + 1, "%" SCNd64, &reply.integer);
	} else if (text[0] != '_') {
		reply.type = text[0] == '+' ? RL_REPLY_STATUS
			: text[0] == '-'        ? RL_REPLY_ERROR
									: RL_REPLY_STRING;
		reply.text = rl_bytes_of(text + 1, len - 1);
	}
	return reply;
}

static rl_reply reply_of(rl_link *link, const char *text)
{
	if (text[0] != '*') {
		return element_of(text, strlen(text));
	}
	rl_reply reply = {.type = RL_REPLY_ARRAY, .elements = link->elements};
	for (text++; *text != '\0' && reply.count < ELEMENTS_MAX;) {
		size_t len = strcspn(text, " ");
		link->elements[reply.count++] = element_of(text, len);
		text += len + (text[len] == ' ');
	}
	return reply;
}

static rl_link_event receive(rl_link *link, rl_reply *reply, rl_error *err)
{
	if (!link->is_open) {
		FAIL("receive on a closed link");
	}
	const event *next = &link->events[link->event_next];
	if (link->event_next < link->event_read) {
		if (!next->is_down) {
			link->event_next++;
			*reply = reply_of(link, next->text);
			return RL_LINK_REPLY;
		}
		link->is_down = !link->is_garbled;
		*err = link->err;
		return RL_LINK_DOWN;
	}
	if (!link->is_down) {
		return RL_LINK_NONE;
	}
	*err = link->err;
	return RL_LINK_DOWN;
}

static bool is_alive(rl_link *link, bool owes_replies)
{
	fake_looks++;
	catch_up();
	if (link->event_read < link->event_count && link->events[link->event_read].at <= fake_clock) {
		return !link->events[link->event_read].is_down && owes_replies;
	}
	return link->is_connected && !link->is_down && !link->is_garbled;
}

static void read_now(rl_link *link)
{
	if (!link->is_open) {
		FAIL("read on a closed link");
	}
	if (link->is_connected) {
		fake_read(link);
	}
}

/* Who is silent does not close either. Who is not closes behind what was answered; a blocked link at once. */
static void end(rl_link *link)
{
	catch_up();
	note(link, "end");
	link->is_ended = true;
	if (link->is_connected && !link->is_mute && !link->is_lost) {
		break_at(link, fake_clock);
		link->err.sys_errno = fake_end_errno;
	}
}

static bool is_over(rl_link *link)
{
	if (!link->is_ended) {
		FAIL("is_over() without end()");
	}
	return !link->is_connected || link->is_garbled ||
		(link->is_lost && link->events[link->event_count - 1].at <= fake_clock);
}

static void close_link(rl_link *link)
{
	if (!link->is_open) {
		FAIL("closed twice");
	}
	catch_up();
	note(link, "close");
	link->is_open = false;
}

rl_transport fake_transport = {.dial = dial,
	.append = append,
	.flush = flush,
	.sent = sent,
	.is_connected = is_connected,
	.receive = receive,
	.is_alive = is_alive,
	.take_in = read_now,
	.end = end,
	.is_over = is_over,
	.close = close_link};

/* ---- for the driver ---- */

int64_t fake_next_on(const rl_link *link)
{
	if (!link->is_open) {
		FAIL("waits for a closed link");
	}
	catch_up();
	if (!link->is_connected) {
		return link->is_down ? fake_clock : link->connect_at;
	}
	int64_t at = link->is_down ? fake_clock : RL_NEVER;
	if (link->event_read < link->event_count && link->events[link->event_read].at < at) {
		at = link->events[link->event_read].at;
	}
	if (link->is_blocked && link->blocked_until < at) {
		at = link->blocked_until;
	}
	if (link->taken < link->command_count && link->unblock_at < at) {
		at = link->unblock_at;
	}
	return at;
}

void fake_read(rl_link *link)
{
	catch_up();
	while (
		link->event_read < link->event_count && link->events[link->event_read].at <= fake_clock) {
		link->event_read++;
	}
	if (link->is_connected || link->is_down || link->connect_at > fake_clock) {
		return;
	}
	if (link->is_refused) {
		rl_error_set(&link->err, RL_ERR_CONNECT, 111, "cannot connect: told later");
		link->is_down = true;
		return;
	}
	link->is_connected = true;
	if (link->greeting != NULL) {
		add_event(link, link->greeting, fake_clock);
		break_at(link, fake_clock);
	}
}

void fake_warm(unsigned member)
{
	rl_error err;
	rl_conn_event first;
	server *s = &servers[member];
	unsigned planned = s->dial_count;
	s->dial_count = s->dial_next; /* what is planned is for later dials */
	rl_conn *conn = rl_conn_dial(&fake_transport, &fake_targets[member], RL_NEVER, &fake_env, &err);
	s->dial_count = planned;
	fake_read(conn->link);
	fake_transport.flush(conn->link);
	conn->is_nameless = false; /* as if it had been used */
	fake_read(conn->link);
	rl_conn_next(conn, &first);
	CHECK(rl_conn_is_reusable(conn));
	rl_pool_give(&fake_pool, conn, fake_clock);
	fake_forget_log();
}

void fake_net_begin(void)
{
	link_count = 0;
	fake_looks = 0;
	fake_writes = 0;
	fake_end_errno = 0;
	fake_improvise = NULL;
	fake_lacks_memory = NULL;
	fake_forget_tokens();
	fake_forget_log();
}

void fake_net_add(unsigned member)
{
	servers[member] = (server){.auth = "+OK", .select = "+OK", .name = "+OK"};
}
