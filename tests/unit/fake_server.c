/* SPDX-License-Identifier: MIT
 *
 * The fake's servers: their plans, what they do with a command, and the log.
 */
#include "check.h"
#include "fake_link.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int64_t fake_run_at;
unsigned fake_run_on;
const rl_model_command *fake_run_command;
bool (*fake_improvise)(const char *words, bool is_taken, fake_plan *plan);

server fake_servers[FAKE_SERVERS];
rl_link fake_links[LINKS_MAX];
unsigned fake_link_count;
static char log_text[1 << 18];
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

unsigned fake_count(const char *part)
{
	unsigned hits = 0;
	for (const char *at = log_text; (at = strstr(at, part)) != NULL; at++) {
		hits++;
	}
	return hits;
}

void fake_note(const rl_link *link, const char *text)
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
	server *s = &fake_servers[member];
	s->dials[s->dial_count++] = (dial_plan){what, delay, NULL};
}

void fake_refuses(unsigned member, unsigned dials)
{
	for (unsigned i = 0; i < dials; i++) {
		fake_dials(member, FAKE_REFUSE, 0);
	}
}

void fake_greets(unsigned member, const char *text)
{
	server *s = &fake_servers[member];
	s->dials[s->dial_count++] = (dial_plan){FAKE_GREET, 0, text};
}

void fake_acts(unsigned member, fake_act what, const char *text, int64_t delay)
{
	server *s = &fake_servers[member];
	s->acts[s->act_count++] = (fake_plan){what, text, delay};
}

void fake_blpops(unsigned member, fake_act what, const char *text, int64_t delay)
{
	server *s = &fake_servers[member];
	s->blpops[s->blpop_count++] = (fake_plan){what, text, delay};
}

void fake_says(unsigned member, const char *text)
{
	fake_acts(member, FAKE_SAY, text, 0);
}

void fake_always(unsigned member, const char *word, fake_act what, const char *text, int64_t delay)
{
	server *s = &fake_servers[member];
	fake_plan *plan = word[0] == 'A' ? &s->asking : word[0] == 'C' ? &s->map : &s->lookup;
	*plan = (fake_plan){what, text, delay};
}

bool fake_yes(const char *words, bool is_taken, fake_plan *plan)
{
	(void) words, (void) is_taken;
	*plan = (fake_plan){FAKE_SAY, ":1", 0};
	return true;
}

const fake_plan *fake_standing_plan(unsigned member, const fake_words *words)
{
	const server *s = &fake_servers[member];
	const fake_plan *plan = words->is_asking ? &s->asking
		: words->is_map                      ? &s->map
		: words->is_lookup                   ? &s->lookup
											 : NULL;
	bool is_set = plan != NULL && (plan->text != NULL || plan->what != FAKE_SAY);
	return is_set ? plan : NULL;
}

/* The place of the answer to a command of the login. */
static const char **login_answer(unsigned member, const char *what)
{
	server *s = &fake_servers[member];
	switch (what[0]) {
		case 'A':
			return &s->auth;
		case 'S':
			return &s->select;
		case 'R':
			return &s->role;
		default:
			return &s->name;
	}
}

void fake_login_says(unsigned member, const char *what, const char *text)
{
	*login_answer(member, what) = text;
}

/* Drops the events that were received. The last one stays, because no later event may come before
 * it. */
static void drop_old_events(rl_link *link)
{
	unsigned old = link->event_next < link->event_count ? link->event_next : link->event_count - 1;
	if (old == 0) {
		FAIL("too many events");
	}
	link->event_count -= old;
	link->event_read -= old;
	link->event_next -= old;
	memmove(link->events, link->events + old, link->event_count * sizeof link->events[0]);
}

void fake_add_event(rl_link *link, const char *text, int64_t at)
{
	if (link->event_count == EVENTS_MAX) {
		drop_old_events(link);
	}
	/* Bytes that are sent later arrive later. */
	if (link->event_count > 0 && link->events[link->event_count - 1].at > at) {
		at = link->events[link->event_count - 1].at;
	}
	link->events[link->event_count++] = (event){at, text == NULL, text};
}

void fake_break_at(rl_link *link, int64_t at)
{
	rl_error_set(&link->err, RL_ERR_CLOSED, 0, "the server closed the connection");
	fake_add_event(link, NULL, at);
	link->is_mute = true;
	link->is_lost = true;
	link->is_blocked = false;
}

/* At this time bytes arrive that are no protocol. No later reply can be read. */
static void garble_at(rl_link *link, int64_t at)
{
	rl_error_set(&link->err, RL_ERR_PROTOCOL, 0, "what came back is not the Redis protocol");
	fake_add_event(link, NULL, at);
	link->is_garbled = true;
	link->is_mute = true;
}

unsigned fake_open_links(void)
{
	unsigned open = 0;
	for (unsigned i = 0; i < fake_link_count; i++) {
		open += fake_links[i].is_open;
	}
	return open;
}

/* ---- what the servers do ---- */

static void answer(rl_link *link, const char *text, int64_t at)
{
	if (text == NULL) {
		link->is_mute = true;
	} else if (!link->is_mute) {
		fake_add_event(link, text, at);
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
			fake_break_at(link, at);
			break;
		case FAKE_SILENCE:
			link->is_mute = true;
			break;
		case FAKE_BREAK:
			fake_break_at(link, at);
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
	answer(link, *login_answer(link->member, c->words.text), at);
}

bool fake_ask_test(const rl_link *link, const command *c, bool is_taken, fake_plan *plan)
{
	fake_run_on = link->member;
	fake_run_command = c->is_in_model ? &c->model : NULL;
	return fake_improvise != NULL && fake_improvise(c->words.text, is_taken, plan);
}

static void block(rl_link *link, const command *c, int64_t at)
{
	server *s = &fake_servers[link->member];
	fake_plan plan = {FAKE_SAY, "_", c->words.block_ns};
	if (s->blpop_next < s->blpop_count) {
		plan = s->blpops[s->blpop_next++];
	} else {
		fake_ask_test(link, c, true, &plan);
	}
	link->is_blocked = true;
	link->is_blocked_by_wait = false;
	link->is_mute = link->is_mute || plan.what == FAKE_SILENCE;
	link->blocked_at = at;
	link->blocked_until = plan.what == FAKE_SILENCE ? RL_NEVER : at + plan.delay;
	link->blocked_by = plan;
}

/* Blocks the link in WAIT. The server runs the commands after it when WAIT is over. */
static void block_in_wait(rl_link *link, fake_plan plan, int64_t at)
{
	link->is_blocked = true;
	link->is_blocked_by_wait = true;
	link->blocked_at = at;
	link->blocked_until = at + plan.delay;
	link->blocked_by = plan;
	link->blocked_by.delay = 0;
}

static void run_next(rl_link *link, int64_t at)
{
	server *s = &fake_servers[link->member];
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
	const fake_plan *standing = fake_standing_plan(link->member, &c->words);
	if (standing != NULL) {
		carry_out(link, standing, at + standing->delay);
		return;
	}
	if (s->act_next < s->act_count) {
		plan = s->acts[s->act_next++];
	} else {
		fake_ask_test(link, c, true, &plan);
	}
	if (c->words.is_wait && plan.delay > 0) {
		block_in_wait(link, plan, at);
	} else {
		carry_out(link, &plan, at + plan.delay);
	}
}

void fake_run(rl_link *link, int64_t at)
{
	while (link->run < link->taken && !link->is_blocked && !link->is_lost) {
		run_next(link, at);
	}
}

static rl_link *first_to_be_unblocked(void)
{
	rl_link *first = NULL;
	for (unsigned i = 0; i < fake_link_count; i++) {
		rl_link *link = &fake_links[i];
		if (link->is_open && link->is_blocked && link->blocked_until <= fake_clock &&
			(first == NULL || link->blocked_until < first->blocked_until)) {
			first = link;
		}
	}
	return first;
}

void fake_catch_up(void)
{
	rl_link *link;
	while ((link = first_to_be_unblocked()) != NULL) {
		link->is_blocked = false;
		carry_out(link, &link->blocked_by, link->blocked_until);
		fake_run(link, link->blocked_until);
	}
}

static bool waits_for_ticket(const rl_link *link, unsigned member)
{
	return link->is_open && link->member == member && link->is_blocked && !link->is_blocked_by_wait;
}

static rl_link *longest_blocked(unsigned member)
{
	rl_link *longest = NULL;
	for (unsigned i = 0; i < fake_link_count; i++) {
		rl_link *link = &fake_links[i];
		if (waits_for_ticket(link, member) &&
			(longest == NULL || link->blocked_at < longest->blocked_at)) {
			longest = link;
		}
	}
	return longest;
}

void fake_wakes(unsigned member, int64_t delay)
{
	fake_catch_up();
	rl_link *link = longest_blocked(member);
	if (link == NULL) {
		FAIL("nobody waits in the queue");
	}
	link->blocked_until = fake_clock + delay;
	link->blocked_by = (fake_plan){FAKE_SAY, FAKE_TICKET, 0};
}

unsigned fake_blocked_on(unsigned member)
{
	fake_catch_up();
	unsigned blocked = 0;
	for (unsigned i = 0; i < fake_link_count; i++) {
		blocked += waits_for_ticket(&fake_links[i], member);
	}
	return blocked;
}

unsigned fake_blocked_links(void)
{
	unsigned blocked = 0;
	for (unsigned i = 0; i < FAKE_SERVERS; i++) {
		blocked += fake_blocked_on(i);
	}
	return blocked;
}

void fake_kill(unsigned member)
{
	for (unsigned i = 0; i < fake_link_count; i++) {
		if (fake_links[i].is_open && fake_links[i].member == member) {
			fake_break_at(&fake_links[i], fake_clock);
		}
	}
}
