/* SPDX-License-Identifier: MIT
 *
 * The fake's transport: links, what the system takes of their commands, and what is read.
 */
#include "check.h"
#include "fake_link.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

unsigned fake_looks;
unsigned fake_writes;
int fake_end_errno;
bool fake_names_move;
unsigned fake_distrusts;
bool (*fake_lacks_memory)(void);

/* ---- what the system takes ---- */

static void take_whole(rl_link *link, const command *c)
{
	link->sent = c->end;
	link->taken++;
	if (link->is_lost) {
		char text[sizeof c->words.text + 8];
		snprintf(text, sizeof text, "lost: %s", c->words.text);
		fake_note(link, text);
		link->run = link->taken;
		return;
	}
	fake_note(link, c->words.text);
	fake_run(link, fake_clock);
}

/* How the system takes the next command. FAKE_SAY = it takes all of it; the plan for its answer is
 * looked up when the server runs it. */
static fake_plan plan_of_taking(const rl_link *link, const command *c)
{
	server *s = &fake_servers[link->member];
	fake_plan plan = {FAKE_SAY, NULL, 0};
	if (c->words.is_handshake || link->is_lost ||
		fake_standing_plan(link->member, &c->words) != NULL) {
		return plan;
	}
	unsigned *next = c->words.is_blpop ? &s->blpop_next : &s->act_next;
	bool is_planned = *next < (c->words.is_blpop ? s->blpop_count : s->act_count);
	if (is_planned) {
		plan = (c->words.is_blpop ? s->blpops : s->acts)[*next];
	} else {
		fake_ask_test(link, c, false, &plan);
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
	if (fake_link_count == LINKS_MAX) {
		FAIL("too many links");
	}
	rl_link *link = &fake_links[fake_link_count++];
	memset(link, 0, offsetof(rl_link, commands));
	link->member = member;
	link->number = ++fake_servers[member].link_count;
	link->is_open = true;
	link->connect_at = RL_NEVER;
	fake_note(link, "dial");
	return link;
}

static bool distrust(rl_transport *self, const rl_address *address)
{
	(void) self;
	(void) address;
	fake_distrusts++;
	return fake_names_move;
}

static rl_link *dial(rl_transport *self, const rl_address *address, int64_t until, rl_error *err)
{
	(void) self, (void) until;
	server *s = &fake_servers[member_of(address)];
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

/* Drops the commands that the server has run. */
static void drop_old_commands(rl_link *link)
{
	if (link->run == 0) {
		FAIL("too many commands");
	}
	link->command_count -= link->run;
	link->taken -= link->run;
	memmove(
		link->commands, link->commands + link->run, link->command_count * sizeof link->commands[0]);
	link->run = 0;
}

static uint64_t append(rl_link *link, unsigned argc, const rl_bytes *argv)
{
	if (!link->is_open) {
		FAIL("append on a closed link");
	}
	if (fake_lacks_memory != NULL && fake_lacks_memory()) {
		return 0;
	}
	if (argc == 0) {
		fake_note(link, "prod");
		return link->appended;
	}
	if (link->command_count == COMMANDS_MAX) {
		drop_old_commands(link);
	}
	command *c = &link->commands[link->command_count++];
	fake_describe(&c->words, argc, argv);
	c->is_in_model = words_read(&c->model, argc, argv);
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
	fake_catch_up();
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

static bool retract(rl_link *link, uint64_t position)
{
	if (!link->is_open) {
		FAIL("retract on a closed link");
	}
	if (link->appended < position) {
		FAIL("retract to what was never there");
	}
	if (link->sent > position) {
		return false;
	}
	if (link->appended > position) {
		fake_note(link, "retract");
	}
	while (link->command_count > 0 && link->commands[link->command_count - 1].end > position) {
		link->command_count--;
	}
	link->appended = position;
	return true;
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

/* Makes the reply of a map from a text of fake_always(). The reply is valid until the next call. */
static rl_reply map_of(const char *text)
{
	static rl_reply ranges[ELEMENTS_MAX], fields[ELEMENTS_MAX][3], nodes[ELEMENTS_MAX][2];
	rl_reply reply = {.type = RL_REPLY_ARRAY, .elements = ranges};
	for (size_t i = 0; *text != '\0' && i < ELEMENTS_MAX; i++) {
		int len = 0;
		int host = 0;
		for (unsigned j = 0; j < 3; j++) {
			fields[i][j] = (rl_reply){.type = RL_REPLY_INTEGER};
		}
		nodes[i][1].type = RL_REPLY_INTEGER;
		sscanf(text, "%" SCNd64 " %" SCNd64 " %n%*c %" SCNd64 "%n", &fields[i][0].integer,
			&fields[i][1].integer, &host, &nodes[i][1].integer, &len);
		nodes[i][0] = (rl_reply){.type = RL_REPLY_STRING, .text = rl_bytes_of(text + host, 1)};
		fields[i][2] = (rl_reply){.type = RL_REPLY_ARRAY, .elements = nodes[i], .count = 2};
		ranges[i] = (rl_reply){.type = RL_REPLY_ARRAY, .elements = fields[i], .count = 3};
		reply.count++;
		text += len + (text[len] == ';');
	}
	return reply;
}

static rl_reply reply_of(rl_link *link, const char *text)
{
	if (text[0] == '#') {
		return map_of(text + 1);
	}
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

static bool is_alive(rl_link *link, bool has_pending)
{
	fake_looks++;
	fake_catch_up();
	if (link->event_read < link->event_count && link->events[link->event_read].at <= fake_clock) {
		return !link->events[link->event_read].is_down && has_pending;
	}
	return link->is_connected && !link->is_down && !link->is_garbled;
}

static void read_now(rl_link *link)
{
	if (!link->is_open) {
		FAIL("read on a closed link");
	}
	fake_read(link);
}

/* Ends the link. A server that has closed it, or is silent, does not answer the end. Any other
 * server closes after the answers that are on their way, and at once if the link is blocked. */
static void end(rl_link *link)
{
	fake_catch_up();
	fake_note(link, "end");
	link->is_ended = true;
	if (link->is_connected && !link->is_mute && !link->is_lost) {
		fake_break_at(link, fake_clock);
		link->err.sys_errno = fake_end_errno;
	}
}

static const char *hint(const rl_link *link)
{
	(void) link;
	return "";
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
	fake_catch_up();
	fake_note(link, "close");
	link->is_open = false;
}

rl_transport fake_transport = {.dial = dial,
	.distrust = distrust,
	.append = append,
	.flush = flush,
	.sent = sent,
	.retract = retract,
	.is_connected = is_connected,
	.receive = receive,
	.is_alive = is_alive,
	.take_in = read_now,
	.end = end,
	.hint = hint,
	.is_over = is_over,
	.close = close_link};

/* ---- for the driver ---- */

int64_t fake_next_on(const rl_link *link)
{
	if (!link->is_open) {
		FAIL("waits for a closed link");
	}
	fake_catch_up();
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
	fake_catch_up();
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
		fake_add_event(link, link->greeting, fake_clock);
		fake_break_at(link, fake_clock);
	}
}

void fake_warm(unsigned member)
{
	fake_warm_to(&fake_targets[member]);
}

void fake_warm_to(rl_target *target)
{
	rl_error err;
	rl_conn_event first;
	server *s = &fake_servers[member_of(&target->address)];
	unsigned planned = s->dial_count;
	s->dial_count = s->dial_next; /* plans from before are for later dials */
	rl_conn *conn = rl_conn_dial(&fake_transport, target, RL_NEVER, &fake_env, &err);
	s->dial_count = planned;
	fake_read(conn->link);
	fake_transport.flush(conn->link);
	conn->is_nameless = false; /* as if commands had been answered on it */
	conn->heard = RL_CONN_HEARD_BEFORE;
	conn->ready_at = 1;
	fake_read(conn->link);
	rl_conn_next(conn, &first);
	CHECK(rl_conn_is_reusable(conn));
	rl_pool_give(&fake_pool, conn, fake_clock);
	fake_forget_log();
}

void fake_net_begin(void)
{
	fake_link_count = 0;
	fake_looks = 0;
	fake_writes = 0;
	fake_end_errno = 0;
	fake_names_move = false;
	fake_distrusts = 0;
	fake_improvise = NULL;
	fake_lacks_memory = NULL;
	fake_forget_tokens();
	fake_forget_log();
}

void fake_net_add(unsigned member)
{
	fake_servers[member] =
		(server){.auth = "+OK", .select = "+OK", .name = "+OK", .role = "*$master :0 _"};
}
