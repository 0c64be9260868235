/* SPDX-License-Identifier: MIT
 *
 * Links. The design is in the header.
 */
#include "network.h"

#include "client.h"
#include "cluster.h"
#include "core/wire/rl_slot.h"
#include "cover.h"
#include "judge.h"
#include "routes.h"
#include "server.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define RESENT_NS (2 * MS) /* the longest delay of bytes that a cut has held */

static rl_link links[NET_LINKS];
static uint32_t first_free;
static uint32_t used; /* links that this seed has used */
static int64_t cut_up[PLAN_CLIENTS][PLAN_SERVERS];
static int64_t cut_down[PLAN_CLIENTS][PLAN_SERVERS];
static int64_t cut_since[PLAN_CLIENTS][PLAN_SERVERS]; /* the cut may have had short breaks */
static int64_t calm_at[PLAN_CLIENTS][PLAN_SERVERS];
static int64_t slow_by;
static int64_t slow_until;

void net_begin(void)
{
	for (uint32_t i = 0; i < used; i++) {
		links[i].is_open = links[i].is_served = false;
		links[i].life++;
	}
	used = 0;
	first_free = NONE;
	memset(cut_up, 0, sizeof cut_up);
	memset(cut_down, 0, sizeof cut_down);
	memset(cut_since, 0, sizeof cut_since);
	memset(calm_at, 0, sizeof calm_at);
	slow_by = slow_until = 0;
}

rl_link *net_link(uint32_t index, uint32_t life)
{
	return links[index].life == life ? &links[index] : NULL;
}

rl_link *net_link_at(unsigned i)
{
	return i < used ? &links[i] : NULL;
}

rl_link *net_any_link(void)
{
	uint32_t at = used > 0 ? any(used) : 0;
	for (uint32_t i = 0; i < used; i++) {
		rl_link *link = &links[(at + i) % used];
		if (link->is_open && link->is_served) {
			return link;
		}
	}
	return NULL;
}

/* Both ends are closed: packets on their way have no receiver. */
static void free_if_over(rl_link *link)
{
	if (!link->is_open && !link->is_served) {
		link->life++;
		link->next_free = first_free;
		first_free = link->index;
	}
}

static rl_link *new_link(void)
{
	rl_link *link;
	if (first_free != NONE) {
		link = &links[first_free];
		first_free = link->next_free;
	} else if (used < NET_LINKS) {
		link = &links[used];
		link->index = used++;
	} else {
		return NULL;
	}
	uint32_t life = link->life + 1;
	uint32_t index = link->index;
	memset(link, 0, offsetof(rl_link, elements));
	link->life = life;
	link->index = index;
	link->limit_up = link->limit_down = NONE;
	return link;
}

/* ---- the ways ---- */

static void disturb(unsigned client, unsigned server, int64_t until)
{
	int64_t *at = &calm_at[client][server];
	*at = until > *at ? until : *at;
}

int64_t net_calm_at(unsigned client, unsigned server)
{
	int64_t at = calm_at[client][server];
	return at > slow_until + slow_by ? at : slow_until + slow_by;
}

void net_note_trouble(const rl_link *link)
{
	disturb(link->client, link->server, world.now);
}

int64_t net_delay(void)
{
	int64_t delay = between(plan.delay_least, plan.delay_most);
	if (plan.faults != 0 && one_in(64)) {
		delay += spread(plan.delay_most, 16 * plan.delay_most);
	}
	return world.now < slow_until ? delay + slow_by : delay;
}

void net_slow_down(int64_t by, int64_t until)
{
	slow_by = by;
	slow_until = until;
}

void net_cut(unsigned client, unsigned server, bool is_up, bool is_down, int64_t until)
{
	int64_t *since = &cut_since[client][server];
	int64_t before = cut_up[client][server] > cut_down[client][server] ? cut_up[client][server]
																	   : cut_down[client][server];
	if (world.now > before + 2 * RESENT_NS) {
		*since = world.now;
	}
	until = until < *since + NET_CUT_MOST ? until : *since + NET_CUT_MOST;
	disturb(client, server, until + RESENT_NS);
	if (is_up && cut_up[client][server] < until) {
		cut_up[client][server] = until;
	}
	if (is_down && cut_down[client][server] < until) {
		cut_down[client][server] = until;
	}
}

bool net_is_cut(unsigned client, unsigned server)
{
	return cut_up[client][server] > world.now || cut_down[client][server] > world.now;
}

static void plan_event(rl_link *link, event_kind kind, int64_t at, uint32_t until)
{
	world_plan(kind, at, link->index, link->life, until);
}

/* @return true = the way is cut, and the event comes later */
static bool is_held(rl_link *link, const event *e, bool is_up)
{
	int64_t until = (is_up ? cut_up : cut_down)[link->client][link->server];
	if (until <= world.now) {
		return false;
	}
	plan_event(link, e->kind, until + between(0, RESENT_NS), e->until);
	world_uncount();
	return true;
}

/* ---- rl_transport ---- */

/* Nodes of a cluster, or behind Sentinels, have one host and different ports. */
static unsigned server_at(const rl_address *address)
{
	return plan_has_routes() ? (unsigned) address->port - NET_PORT
							 : (unsigned) (address->host[0] - 'a');
}

static rl_link *dial(rl_transport *self, const rl_address *address, int64_t until, rl_error *err)
{
	(void) until;
	net *n = (net *) self;
	rl_link *link = new_link();
	if (link == NULL) {
		world_violate("more than %u links", NET_LINKS);
		rl_error_set(err, RL_ERR_MEMORY, 0, "no more links");
		return NULL;
	}
	link->client = n->client;
	link->server = (uint8_t) server_at(address);
	link->is_watch = n->is_watch;
	link->is_open = true;
	link->reign = clients[n->client].names[link->server].reign;
	plan_event(link, EVENT_DIALLED, world.now + net_delay(), 0);
	TRACE("c%u%s dials s%u: link %u", (unsigned) link->client, link->is_watch ? "w" : "",
		(unsigned) link->server, link->index);
	return link;
}

static bool distrust(rl_transport *self, const rl_address *address)
{
	net *n = (net *) self;
	return plan.has_names && client_doubts(n->client, server_at(address));
}

/* ---- the rings ---- */

static rl_model_command *command_at(const rl_link *link, uint32_t number)
{
	return &link->commands[number & (link->queue_size - 1)];
}

static rl_model_reply *reply_at(const rl_link *link, uint32_t number)
{
	return &link->replies[number & (link->queue_size - 1)];
}

/* Room for one more of each. */
static void make_room(rl_link *link)
{
	uint32_t size = link->queue_size;
	if (size > 0 && link->written - link->run < size && link->said - link->received < size) {
		return;
	}
	uint32_t grown = size > 0 ? 2 * size : NET_QUEUE;
	rl_model_command *commands = malloc(grown * sizeof *commands);
	rl_model_reply *replies = malloc(grown * sizeof *replies);
	if (commands == NULL || replies == NULL || grown > NET_QUEUE_MAX) {
		fprintf(stderr, "seed %" PRIu64 ": a link has too much on it\n", world.seed);
		abort();
	}
	for (uint32_t i = link->run; size > 0 && i != link->written; i++) {
		commands[i & (grown - 1)] = *command_at(link, i);
	}
	for (uint32_t i = link->received; size > 0 && i != link->said; i++) {
		replies[i & (grown - 1)] = *reply_at(link, i);
	}
	free(link->commands);
	free(link->replies);
	link->commands = commands;
	link->replies = replies;
	link->queue_size = grown;
}

const rl_model_command *net_next_command(rl_link *link)
{
	return command_at(link, link->run++);
}

rl_model_reply *net_next_reply(rl_link *link)
{
	make_room(link);
	rl_model_reply *r = reply_at(link, link->said++);
	r->count = 0;
	r->label_at = 0;
	r->number[0] = 0;
	return r;
}

static uint64_t append(rl_link *link, unsigned argc, const rl_bytes *argv)
{
	if (argc == 0) {
		return link->appended; /* the server skips it */
	}
	make_room(link);
	rl_model_command *c = command_at(link, link->written);
	if (!words_read(c, argc, argv)) {
		world_violate("link %u: the model does not know %.*s with %u arguments", link->index,
			(int) argv[0].len, argv[0].data, argc);
		return 0;
	}
	c->slot = plan.has_clusters ? words_slot(argc, argv) : WORDS_NO_SLOT;
	for (unsigned i = 0; i < argc; i++) {
		link->appended += argv[i].len + 6;
	}
	c->end = link->appended;
	c->written_at = world.now;
	if (plan.has_clusters) {
		routes_write(link, c);
	}
	link->written++;
	return c->end;
}

/* The system takes bytes up to this position at most. With records, as TLS has them, all appended
 * commands become one record when the record before it is taken. */
static void take_bytes(rl_link *link, uint64_t most)
{
	if (!plan.has_records) {
		link->sent = most < link->appended ? most : link->appended;
		link->sealed = link->whole = link->sent;
		return;
	}
	for (unsigned i = 0; i < 2; i++) { /* the rest of one record, and a new one */
		link->sealed = link->sent == link->sealed ? link->appended : link->sealed;
		link->sent = most < link->sealed ? most : link->sealed;
		link->whole = link->sent == link->sealed ? link->sealed : link->whole;
	}
	if (link->whole < link->sent) {
		COVER(half_record);
	}
}

static void flush(rl_link *link)
{
	if (!link->is_connected || link->is_down || link->sent == link->appended) {
		return;
	}
	uint64_t room = plan.has_small_buffers ? (uint64_t) between(100, 4000) : UINT64_MAX / 2;
	uint64_t before_sent = link->sent;
	/* The system gives no byte back that it has taken. */
	uint64_t most = link->acked + room;
	take_bytes(link, most > before_sent ? most : before_sent);
	if (link->sent == before_sent) {
		return;
	}
	uint32_t before = link->taken;
	while (link->taken < link->written && command_at(link, link->taken)->end <= link->whole) {
		link->taken++;
	}
	if (link->sent < link->appended) {
		COVER(small_buffer);
	}
	int64_t at = world.now + net_delay();
	if (link->taken - before > 1 && one_in(4)) { /* in two packets */
		plan_event(link, EVENT_COMMANDS, at, before + 1);
		at += net_delay();
	}
	plan_event(link, EVENT_COMMANDS, at, link->taken);
}

static uint64_t sent(const rl_link *link)
{
	return link->whole;
}

/* Refuses to retract a command if the system has taken a part of it, or if a TLS record that the
 * system has begun to take contains it. */
static bool retract(rl_link *link, uint64_t position)
{
	if (link->sealed > position) {
		return false;
	}
	while (link->written > link->taken && command_at(link, link->written - 1)->end > position) {
		link->written--;
	}
	link->appended = position;
	link->writes_asking = false;
	return true;
}

static bool is_connected(const rl_link *link)
{
	return link->is_connected && !link->is_down;
}

/* ---- replies of clusters ---- */

static rl_bytes host_of(const rl_link *link)
{
	const sim_server *s = &servers[link->server];
	static const char hosts[] = "abcdefg";
	return rl_bytes_of(hosts + s->member, plan.hides_hosts ? 0 : 1);
}

static void read_redirect(rl_link *link, const rl_model_reply *from, rl_reply *to)
{
	rl_bytes host = host_of(link);
	int len = snprintf(link->redirect, sizeof link->redirect, "%s %d %.*s:%d",
		from->type == RL_SAYS_ASK ? "ASK" : "MOVED", (int) from->number[0], (int) host.len,
		host.data, NET_PORT + (int) from->number[1]);
	*to = (rl_reply){.type = RL_REPLY_ERROR, .text = rl_bytes_of(link->redirect, (size_t) len)};
}

/* The slots of the keys, one range each, and the ranges between them. The reader copies the reply
 * at once. */
#define RANGES (2 * WORDS_KEYS + 1)

typedef struct map_range {
	rl_reply parts[3];
	rl_reply node[2];
} map_range;

static void put_range(
	const rl_link *link, map_range *range, rl_reply *to, int64_t first, int64_t last, int64_t owner)
{
	rl_bytes host = host_of(link);
	range->node[0] =
		(rl_reply){.type = host.len > 0 ? RL_REPLY_STRING : RL_REPLY_NIL, .text = host};
	range->node[1] = (rl_reply){.type = RL_REPLY_INTEGER, .integer = NET_PORT + owner};
	range->parts[0] = (rl_reply){.type = RL_REPLY_INTEGER, .integer = first};
	range->parts[1] = (rl_reply){.type = RL_REPLY_INTEGER, .integer = last};
	range->parts[2] = (rl_reply){.type = RL_REPLY_ARRAY, .elements = range->node, .count = 2};
	*to = (rl_reply){.type = RL_REPLY_ARRAY, .elements = range->parts, .count = 3};
}

/* The key with the lowest slot from this one on; WORDS_KEYS = there is none. */
static unsigned next_key(int64_t from)
{
	unsigned next = WORDS_KEYS;
	for (unsigned key = 0; key < plan.keys; key++) {
		int slot = cluster_slot(key);
		next = slot >= from && (next == WORDS_KEYS || slot < cluster_slot(next)) ? key : next;
	}
	return next;
}

static void put_text(rl_reply *element, const rl_model_text *text)
{
	*element = (rl_reply){.type = RL_REPLY_STRING, .text = rl_bytes_of(text->bytes, text->len)};
}

static void read_map(const rl_link *link, const rl_model_reply *from, rl_reply *to)
{
	static map_range ranges[RANGES];
	static rl_reply elements[RANGES];
	unsigned count = 0;
	int64_t at = 0;
	while (at < RL_SLOTS) {
		unsigned key = next_key(at);
		int64_t slot = key < WORDS_KEYS ? cluster_slot(key) : RL_SLOTS;
		if (at < slot) {
			put_range(
				link, &ranges[count], &elements[count], at, slot - 1, from->number[WORDS_KEYS]);
			count++;
		}
		if (key < WORDS_KEYS) {
			put_range(link, &ranges[count], &elements[count], slot, slot, from->number[key]);
			count++;
		}
		at = slot + 1;
	}
	*to = (rl_reply){.type = RL_REPLY_ARRAY, .elements = elements, .count = count};
}

/* ---- replies of Sentinels and of the nodes behind them ---- */

/* The reader uses only the first word. */
static void read_role(rl_link *link, const rl_model_reply *from, rl_reply *to)
{
	const char *role = from->number[0] == 1 ? "master" : "slave";
	link->elements[0] =
		(rl_reply){.type = RL_REPLY_STRING, .text = rl_bytes_of(role, strlen(role))};
	link->elements[1] = (rl_reply){.type = RL_REPLY_INTEGER};
	to->elements = link->elements;
	to->count = 2;
}

static void read_address(rl_link *link, const rl_model_reply *from, rl_reply *to)
{
	int len =
		snprintf(link->redirect, sizeof link->redirect, "%d", NET_PORT + (int) from->number[0]);
	static const char hosts[] = "abcdefg";
	rl_bytes host = rl_bytes_of(hosts + servers[link->server].member, 1);
	link->elements[0] = (rl_reply){.type = RL_REPLY_STRING, .text = host};
	link->elements[1] =
		(rl_reply){.type = RL_REPLY_STRING, .text = rl_bytes_of(link->redirect, (size_t) len)};
	to->elements = link->elements;
	to->count = 2;
}

/* The fields and values. The reader copies the reply at once. */
static void read_master(rl_link *link, const rl_model_reply *from, rl_reply *to)
{
	static const char *const fields[] = {
		"name", "ip", "port", "flags", "role-reported-time", "role-reported"};
	static rl_reply elements[12];
	static char age[24];
	rl_reply pair;
	read_address(link, from, &pair);
	snprintf(age, sizeof age, "%lld", (long long) from->number[1]);
	const char *const values[] = {"m", "", "", "master", age, "master"};
	for (unsigned i = 0; i < 6; i++) {
		elements[2 * i] =
			(rl_reply){.type = RL_REPLY_STRING, .text = rl_bytes_of(fields[i], strlen(fields[i]))};
		elements[2 * i + 1] =
			(rl_reply){.type = RL_REPLY_STRING, .text = rl_bytes_of(values[i], strlen(values[i]))};
	}
	elements[3] = pair.elements[0];
	elements[5] = pair.elements[1];
	to->elements = elements;
	to->count = 12;
}

/* ---- replies ---- */

static void read_reply(rl_link *link, const rl_model_reply *from, rl_reply *to)
{
	static const rl_reply_type types[] = {[RL_SAYS_NIL] = RL_REPLY_NIL,
		[RL_SAYS_STATUS] = RL_REPLY_STATUS,
		[RL_SAYS_ERROR] = RL_REPLY_ERROR,
		[RL_SAYS_TEXT] = RL_REPLY_STRING,
		[RL_SAYS_DIGITS] = RL_REPLY_STRING,
		[RL_SAYS_NUMBER] = RL_REPLY_INTEGER,
		[RL_SAYS_NUMBERS] = RL_REPLY_ARRAY,
		[RL_SAYS_STATE] = RL_REPLY_ARRAY,
		[RL_SAYS_TICKET] = RL_REPLY_ARRAY,
		[RL_SAYS_MOVED] = RL_REPLY_ERROR,
		[RL_SAYS_ASK] = RL_REPLY_ERROR,
		[RL_SAYS_MAP] = RL_REPLY_ARRAY,
		[RL_SAYS_ROLE] = RL_REPLY_ARRAY,
		[RL_SAYS_ADDRESS] = RL_REPLY_ARRAY,
		[RL_SAYS_MASTER] = RL_REPLY_ARRAY};
	*to = (rl_reply){.type = types[from->type], .integer = from->number[0]};
	unsigned count = from->type == RL_SAYS_TICKET ? 2 : from->count;
	switch (from->type) {
		case RL_SAYS_STATUS:
			to->text = rl_bytes_of("OK", 2);
			break;
		case RL_SAYS_ERROR:
			to->text = rl_bytes_of(from->error, strlen(from->error));
			break;
		case RL_SAYS_TEXT:
		case RL_SAYS_DIGITS:
			to->text = rl_bytes_of(from->text.bytes, from->text.len);
			break;
		case RL_SAYS_NUMBERS:
		case RL_SAYS_STATE:
		case RL_SAYS_TICKET:
			to->elements = link->elements;
			to->count = count + (from->type == RL_SAYS_STATE ? 2 : 0);
			for (unsigned i = 0; i < count; i++) {
				link->elements[i] =
					(rl_reply){.type = RL_REPLY_INTEGER, .integer = from->number[i]};
			}
			if (from->type != RL_SAYS_TICKET && from->label_at > 0) {
				put_text(&link->elements[from->label_at], &from->label);
			}
			if (from->type == RL_SAYS_STATE) {
				put_text(&link->elements[count], &from->text);
				put_text(&link->elements[count + 1], &from->waiting);
			}
			break;
		case RL_SAYS_MOVED:
		case RL_SAYS_ASK:
			read_redirect(link, from, to);
			break;
		case RL_SAYS_MAP:
			read_map(link, from, to);
			break;
		case RL_SAYS_ROLE:
			read_role(link, from, to);
			break;
		case RL_SAYS_ADDRESS:
			read_address(link, from, to);
			break;
		case RL_SAYS_MASTER:
			read_master(link, from, to);
			break;
		case RL_SAYS_NIL:
		case RL_SAYS_NUMBER:
			break;
	}
}

static rl_link_event receive(rl_link *link, rl_reply *to, rl_error *err)
{
	if (link->received < link->arrived) {
		const rl_model_reply *reply = reply_at(link, link->received);
		if (plan.has_clusters) {
			routes_hear(link, reply);
			routes_read(link, link->received, reply);
		}
		link->received++;
		read_reply(link, reply, to);
		return RL_LINK_REPLY;
	}
	if (!link->is_down) {
		return RL_LINK_NONE;
	}
	if (plan.has_clusters) {
		routes_lose(link, true);
	}
	rl_error_set(err, link->is_refused ? RL_ERR_CONNECT : RL_ERR_CLOSED, link->down_errno, "down");
	return RL_LINK_DOWN;
}

static bool is_alive(rl_link *link, bool has_pending)
{
	return link->is_connected && !link->is_down && (has_pending || link->received == link->arrived);
}

/* Arrived replies are read at once, so there is nothing to do. */
static void take_in(rl_link *link)
{
	(void) link;
}

static void end(rl_link *link)
{
	if (!link->is_ended) {
		link->is_ended = true;
		plan_event(link, EVENT_FIN, world.now + net_delay(), 0);
	}
}

static const char *hint(const rl_link *link)
{
	(void) link;
	return "";
}

static bool is_over(rl_link *link)
{
	link->received = link->arrived;
	return link->is_down || !link->is_connected;
}

/* The client keeps a limited number of connections with undos that the server has not read. A
 * server that waits for its replicas drops the undo after WAIT when such a connection ends. */
static bool is_crowded_out(const rl_link *link)
{
	unsigned lingering = 0;
	const rl_conn *conn = link->is_watch ? NULL : clients[link->client].pool.lingering;
	for (; conn != NULL; conn = conn->next) {
		lingering++;
	}
	return lingering >= RL_POOL_LINGERING_MAX;
}

static void excuse_undos_behind_wait(const rl_link *link)
{
	bool is_behind = link->is_blocked;
	for (uint32_t number = link->run; number < link->written; number++) {
		const rl_model_command *c = command_at(link, number);
		is_behind = is_behind || c->what == RL_WORD_WAIT;
		bool frees = c->what == RL_WORD_SCRIPT &&
			(c->script == RL_SCRIPT_RELEASE || c->script == RL_SCRIPT_FREE_ANY);
		if (is_behind && frees) {
			judge_excuse(c->token.mark);
		}
	}
}

static void close_link(rl_link *link)
{
	link->is_open = false;
	if (plan.has_clusters) {
		routes_lose(link, false);
	}
	if (plan.replicas > 0 && is_crowded_out(link)) {
		excuse_undos_behind_wait(link);
	}
	link->has_dropped = link->taken > link->delivered;
	if (link->has_dropped && plan.faults != 0 && one_in(3)) {
		link->limit_up = (uint32_t) between(link->delivered, link->taken);
	}
	if (link->is_served) {
		plan_event(link, EVENT_FIN, world.now + net_delay(), 0);
	}
	free_if_over(link); /* the dial has not arrived */
}

void net_init(net *n, unsigned client, bool is_watch)
{
	*n = (net){.transport = {.dial = dial,
				   .distrust = distrust,
				   .append = append,
				   .flush = flush,
				   .sent = sent,
				   .retract = retract,
				   .is_connected = is_connected,
				   .receive = receive,
				   .is_alive = is_alive,
				   .take_in = take_in,
				   .end = end,
				   .hint = hint,
				   .is_over = is_over,
				   .close = close_link},
		.client = (uint8_t) client,
		.is_watch = is_watch};
}

/* ---- troubles ---- */

void net_reset(rl_link *link)
{
	COVER(reset);
	TRACE("link %u of c%u to s%u is reset", link->index, (unsigned) link->client,
		(unsigned) link->server);
	net_note_trouble(link);
	link->limit_up = (uint32_t) between(link->delivered, link->taken);
	if (link->limit_up < link->taken) {
		COVER(command_lost);
	}
	plan_event(link, EVENT_FIN, world.now + net_delay(), 0);
	net_hang_up(link, 104, net_delay());
}

void net_silence(rl_link *link)
{
	COVER(silent_drop);
	TRACE("link %u of c%u to s%u goes silent", link->index, (unsigned) link->client,
		(unsigned) link->server);
	net_note_trouble(link);
	link->is_mute_up = link->is_mute_up || !one_in(3);
	link->is_mute_down = link->is_mute_down || !link->is_mute_up || !one_in(3);
}

void net_close_all_of(unsigned client)
{
	for (uint32_t i = 0; i < used; i++) {
		if (links[i].is_open && links[i].client == client) {
			close_link(&links[i]);
		}
	}
}

/* ---- the server's end ---- */

void net_say(rl_link *link)
{
	if (!link->is_open) {
		link->received = link->arrived = link->said;
		return;
	}
	plan_event(link, EVENT_REPLIES, world.now + net_delay(), link->said);
}

void net_hang_up(rl_link *link, int sys_errno, int64_t delay)
{
	bool is_lossy = sys_errno != 0 && link->said > link->arrived;
	/* The server still learns the end after a reset. */
	link->is_served = link->is_served && sys_errno == 104;
	link->down_errno = sys_errno;
	if (is_lossy) {
		link->limit_down = (uint32_t) between(link->arrived, link->said);
		if (link->limit_down < link->said) {
			COVER(reply_lost);
		}
	}
	if (link->is_open) {
		plan_event(link, EVENT_DOWN, world.now + delay, 0);
	}
	free_if_over(link);
}

/* ---- events ---- */

static void wake_client(rl_link *link)
{
	if (link->is_open) {
		client_hear(link);
	}
}

/* The error comes without a command. It is lost if the client has sent a command that the server
 * does not read. */
static void turn_away(rl_link *link, int64_t delay)
{
	COVER(turned_away);
	net_note_trouble(link);
	rl_model_reply *r = net_next_reply(link);
	r->type = RL_SAYS_ERROR;
	r->error = "ERR max number of clients reached";
	link->is_served = false;
	plan_event(link, EVENT_REPLIES, world.now + delay, link->said);
	net_hang_up(link, one_in(3) ? 104 : 0, delay + between(0, plan.delay_most));
}

static void on_dialled(rl_link *link)
{
	const sim_server *s = &servers[link->server];
	if (!s->is_up && s->is_machine_down) { /* the dial arrives again when the machine is back */
		plan_event(link, EVENT_DIALLED, s->back_at + net_delay(), 0);
		world_uncount();
		return;
	}
	if (!link->is_open) {
		free_if_over(link);
		return;
	}
	link->is_refused = !server_accept(link);
	if (link->is_refused) {
		COVER(refused_dial);
	}
	int64_t delay = net_delay() + plan_handshake(link->server);
	plan_event(link, EVENT_CONNECTED, world.now + delay, 0);
	if (!link->is_refused && server_is_full(link)) {
		turn_away(link, delay);
	}
}

static void on_connected(rl_link *link)
{
	if (link->is_refused) {
		link->is_down = true;
		link->down_errno = 111;
	} else if (!link->is_down) {
		link->is_connected = true;
	}
	wake_client(link);
}

static void on_commands(rl_link *link, uint32_t until)
{
	bool has_room = servers[link->server].stalled_until <= world.now;
	until = until < link->limit_up ? until : link->limit_up;
	if (link->is_mute_up || !link->is_served) {
		return;
	}
	link->acked = has_room ? link->sent : link->acked;
	if (until > link->delivered) {
		if (!link->is_open) {
			COVER(late_command);
		}
		link->delivered = until;
		server_read(link);
	}
	if (has_room && link->sent < link->appended) {
		wake_client(link); /* the link can send more */
	}
}

static void on_fin(rl_link *link)
{
	if (link->is_mute_up || !link->is_served) {
		if (!link->is_open && !link->is_served) {
			free_if_over(link);
		}
		return;
	}
	uint32_t last = link->taken < link->limit_up ? link->taken : link->limit_up;
	if (last < link->taken) {
		COVER(command_lost);
	}
	link->delivered = last > link->delivered ? last : link->delivered;
	link->is_eof = true;
	server_read(link);
}

static void arrive(rl_link *link, uint32_t until)
{
	until = until < link->limit_down ? until : link->limit_down;
	link->arrived = until > link->arrived ? until : link->arrived;
	/* A cut may change the order of the two events. */
	link->is_connected = link->is_connected || link->arrived > 0;
}

static void on_replies(rl_link *link, uint32_t until)
{
	if (!link->is_mute_down) {
		arrive(link, until);
		wake_client(link);
	} else {
		COVER(reply_lost);
	}
}

static void on_down(rl_link *link)
{
	if (!link->is_mute_down) {
		arrive(link, link->said);
		link->is_down = true;
		wake_client(link);
	}
}

void net_on_event(const event *e)
{
	rl_link *link = net_link(e->what, e->life);
	bool is_up = e->kind == EVENT_DIALLED || e->kind == EVENT_COMMANDS || e->kind == EVENT_FIN;
	if (link == NULL || is_held(link, e, is_up)) {
		return;
	}
	switch (e->kind) {
		case EVENT_DIALLED:
			on_dialled(link);
			break;
		case EVENT_CONNECTED:
			on_connected(link);
			break;
		case EVENT_COMMANDS:
			on_commands(link, e->until);
			break;
		case EVENT_FIN:
			on_fin(link);
			break;
		case EVENT_REPLIES:
			on_replies(link, e->until);
			break;
		default: /* EVENT_DOWN */
			on_down(link);
			break;
	}
}
