/* SPDX-License-Identifier: MIT
 *
 * Compares the model of a cluster (slots.c on store.c) with two real nodes: the same random
 * commands, with and without ASKING, while slots move between them by SETSLOT and MIGRATE, reply
 * for reply.
 *
 * Time is as in conformance.c, but no TTL is short, and no BLPOP ends by its time: a reservation is
 * slept over. A node that has got a slot tells the other one by itself, so between the two ends of
 * a move commands are compared only where the node that has lost the slot was told first.
 *
 * usage: conformance_cluster SOCKET PORT SOCKET PORT [SEED]
 */
#include "conformance_compare.h"
#include "core/wire/rl_slot.h"
#include "slots.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 2
#define CONNS 6
#define KEYS 3
#define ROOM 96      /* for the names of a lock's keys */
#define POLLED_KEY 2 /* the last one, which has no helper keys */
#define SEQUENCES 150
/* On a busy machine many sequences are given up. */
#define TRIES (3 * SEQUENCES)
#define TRIES_MOST (5 * TRIES) /* until enough could be compared */
#define LEAST (SEQUENCES / 5)
#define ACTS 40
#define NEAR_US (3 * US_PER_MS)
#define SLOW_US (2 * US_PER_MS)
#define KNOWN_US (3000 * US_PER_MS) /* by then both nodes know the end of a move */

typedef struct written {
	rl_model_command what;
	bool is_asking;
} written;

typedef struct connection {
	redisContext *real;
	unsigned node;
	bool is_blocked;
	uint8_t key;
	uint64_t place;
	written pending; /* the command after the BLPOP */
} connection;

/* A key's slot: which node has it, and whether the slot moves to the other node. */
typedef struct slot {
	int16_t number;
	unsigned owner;
	bool is_moving;
} slot;

static const char *paths[NODES];
static redisContext *observers[NODES];
static char ids[NODES][48];
static store stores[NODES];
static slot_state states[NODES][KEYS];
static bool asks_early; /* the nodes are Redis 6.2 */
static slot slots[KEYS];
static connection conns[CONNS];
static uint64_t places;
static uint64_t redirected, asked, split, woken, sent_away, moves;
static uint64_t given_up;
/* The result of the sequence tells nothing: a round trip was slow, or the nodes refused a move or
 * changed an owner by themselves. */
static bool is_void;

/* In some sequences all keys are the permits of one lock, which are in one slot. */
static const char *const keys_of_locks[KEYS] = {"k0", "{t}k1", "k2}"};
static const char *const keys_of_permits[KEYS] = {"k0", "{k0}#2", "{k0}#3"};
static const char *const *keys = keys_of_locks;
static bool has_permits;

/* The number of the key's slot in this file. */
static unsigned slot_of(unsigned key)
{
	return has_permits ? 0 : key;
}

/* How many slots the keys have. */
static unsigned slot_count(void)
{
	return has_permits ? 1 : KEYS;
}

static redisReply *read_reply(connection *c)
{
	void *got = NULL;
	if (redisGetReply(c->real, &got) != REDIS_OK) {
		fail("the node said nothing");
	}
	return got;
}

static void connect_to(connection *c, unsigned node)
{
	*c = (connection){.real = dial(paths[node]), .node = node};
}

/* ---- the model ---- */

static void count(const rl_model_reply *r)
{
	redirected += r->type == RL_SAYS_MOVED;
	asked += r->type == RL_SAYS_ASK;
	split += r->type == RL_SAYS_ERROR && strncmp(r->error, "TRYAGAIN", 8) == 0;
}

static void hear_asking(connection *c, bool is_asking)
{
	static const rl_model_reply ok = {.type = RL_SAYS_STATUS};
	if (is_asking) {
		compare_with(&ok, read_reply(c), 0);
	}
}

static void run_and_compare(connection *c, const written *command, int64_t at_us);

/* Gives BLPOP its answer, and runs the command after it. */
static void unblock(connection *c, const rl_model_reply *answer, int64_t at_us)
{
	c->is_blocked = false;
	compare_with(answer, read_reply(c), 0);
	hear_asking(c, c->pending.is_asking);
	run_and_compare(c, &c->pending, at_us);
}

static connection *longest_blocked(unsigned node, unsigned key)
{
	connection *longest = NULL;
	for (unsigned i = 0; i < CONNS; i++) {
		connection *c = &conns[i];
		if (c->is_blocked && c->node == node && c->key == key &&
			(longest == NULL || c->place < longest->place)) {
			longest = c;
		}
	}
	return longest;
}

static void serve(unsigned node, unsigned key, int64_t at_us)
{
	connection *c = longest_blocked(node, key);
	if (c != NULL && store_pop(&stores[node], key, at_us)) {
		rl_model_reply r = {.type = RL_SAYS_TICKET};
		woken++;
		unblock(c, &r, at_us);
	}
}

static void run_and_compare(connection *c, const written *command, int64_t at_us)
{
	const rl_model_command *what = &command->what;
	store *s = &stores[c->node];
	rl_model_reply r = {0};
	const slot_state *state = &states[c->node][slot_of(what->key)];
	if (slots_redirects(state, c->node, s, what, command->is_asking, at_us, &r)) {
		count(&r);
		compare_with(&r, read_reply(c), 0);
		return;
	}
	if (what->what == RL_WORD_BLPOP && !store_pop(s, what->key, at_us)) {
		c->is_blocked = true;
		c->key = what->key;
		c->place = places++;
		return;
	}
	bool has_ticket = false;
	if (what->what == RL_WORD_BLPOP) {
		r.type = RL_SAYS_TICKET;
	} else {
		store_run(s, what, at_us, &r);
		has_ticket = (s->state.done & RL_STORE_PUT_TICKET) != 0;
	}
	compare_with(&r, read_reply(c), tolerance_of(what, &r, SLOW_US));
	if (has_ticket && !has_failed) {
		serve(c->node, what->home_key, at_us);
	}
}

/* Unblocks connections at a node that does not have the slot any more, and runs their next
 * commands. */
static void send_away(void)
{
	for (unsigned i = 0; i < CONNS && !has_failed; i++) {
		connection *c = &conns[i];
		rl_model_reply r = {0};
		if (c->is_blocked &&
			slots_sends_away(
				&states[c->node][slot_of(c->key)], c->node, slots[slot_of(c->key)].number, &r)) {
			sent_away++;
			unblock(c, &r, now_us());
		}
	}
}

/* ---- times ---- */

static int64_t nearest_end(int64_t after_us)
{
	int64_t a = next_end(&stores[0], after_us);
	int64_t b = next_end(&stores[1], after_us);
	return a < b ? a : b;
}

/* Sleeps until all near ends are over. */
static void come_to_rest(void)
{
	int64_t now = now_us();
	while (nearest_end(now - NEAR_US) < now + 4 * NEAR_US) {
		sleep_until(nearest_end(now - NEAR_US) + NEAR_US);
		now = now_us();
	}
}

static void note_time(int64_t since_us)
{
	is_void = is_void || now_us() - since_us > SLOW_US;
}

/* ---- commands ---- */

static const char *const tokens[] = {
	"rl1.AAAAAAAAAAAAAAAAAAAAAAAA", "rl1.BBBBBBBBBBBBBBBBBBBBBBBB", "own-1"};
static const char *const waiters[] = {
	"rlw.aaaaaaaaaaaaaaaaaaaaaaaa@a", "rlw.bbbbbbbbbbbbbbbbbbbbbbbb@bb"};

static unsigned draw_key(rl_verb verb)
{
	bool needs_helpers = verb == RL_VERB_PROBE || verb == RL_VERB_BLPOP || verb == RL_VERB_FENCE;
	return any(2) == 0 ? 0 : any(needs_helpers && !has_permits ? POLLED_KEY : KEYS);
}

/* Of two permits that end in the same ms the model and the node may choose different ones. */
static bool do_permits_end_together(unsigned node)
{
	for (unsigned i = 0; i < KEYS; i++) {
		for (unsigned j = 0; j < i; j++) {
			const rl_store_key *a = &stores[node].keys[i];
			const rl_store_key *b = &stores[node].keys[j];
			int64_t apart = a->expires_ms - b->expires_ms;
			if (a->exists && b->exists && apart > -8 && apart < 8) {
				return true;
			}
		}
	}
	return false;
}

/* A request about the lock that has all keys as its permits: TRY, PROBE and some releases name all
 * of them, a request about a list of tickets or a fencing number none, any other request one. */
static void aim_at_permit(rl_request *request, char *room, unsigned key)
{
	static char keys_room[ROOM];
	rl_verb verb = request->verb;
	bool is_undo = verb == RL_VERB_RELEASE && any(2) == 0;
	if (verb == RL_VERB_INSPECT || verb == RL_VERB_FORCE || verb == RL_VERB_FENCE) {
		return; /* as any other lock */
	}
	rl_names names = rl_names_put(room, rl_bytes_of("k0", 2), RL_NAMES_IN_SLOT);
	const rl_bytes *permits = rl_names_put_permits(keys_room, &names, KEYS);
	request->key = permits[verb == RL_VERB_BLPOP ? 0 : key];
	request->mark = names.mark;
	request->tickets = names.tickets;
	if (verb == RL_VERB_TRY || verb == RL_VERB_PROBE || is_undo) {
		request->permits = KEYS;
		request->permit_keys = permits;
		request->key = permits[0];
	} else if (verb == RL_VERB_RELEASE) {
		request->permits = KEYS;
	}
}

static void draw_request(rl_request *request, char *room, rl_verb verb, unsigned key)
{
	const char *token = tokens[any(3)];
	const char *fresh = tokens[any(3)];
	const char *waiter = waiters[any(2)];
	/* Keys as without a cluster, in several slots. */
	bool is_crossing = verb != RL_VERB_BLPOP && any(16) == 0 && !has_permits;
	rl_names names = rl_names_put(room, rl_bytes_of(keys[key], strlen(keys[key])),
		is_crossing ? RL_NAMES_PLAIN : RL_NAMES_IN_SLOT);
	*request = (rl_request){.verb = verb,
		.key = names.key,
		.mark = names.mark,
		.tickets = names.tickets,
		.token = rl_bytes_of(token, strlen(token)),
		.fresh = rl_bytes_of(fresh, strlen(fresh)),
		.waiter = rl_bytes_of(waiter, strlen(waiter)),
		.ttl_ms = 5000 + any(60000),
		.block_ms = 60000,
		.maybe_ours = any(3) == 0,
		.mark_ms = any(3) == 0 ? 0 : 2000,
		.no_helpers = any(4) == 0,
		.form = any(2) == 0 ? RL_FORM_TEXT : RL_FORM_USUAL};
	if (verb == RL_VERB_PROBE) {
		request->no_helpers = false;
		request->mark_ms = 2000;
	}
	if (has_permits) {
		aim_at_permit(request, room, key);
	}
	if (verb == RL_VERB_FENCE) {
		request->fence = rl_names_put_fence(room + rl_names_size(names.key.len), names.key,
			is_crossing ? RL_NAMES_PLAIN : RL_NAMES_IN_SLOT);
	}
}

static void write_command(connection *c, const rl_request *request, written *command)
{
	rl_command built;
	const char *argv[RL_COMMAND_ARGS];
	size_t lens[RL_COMMAND_ARGS];
	char said[160], line[200];
	rl_command_build(&built, request);
	for (unsigned i = 0; i < built.argc; i++) {
		argv[i] = built.argv[i].data;
		lens[i] = built.argv[i].len;
	}
	if (!words_read(&command->what, built.argc, built.argv)) {
		fail("the model does not know a command of core");
	}
	command->what.slot = words_slot(built.argc, built.argv);
	command->is_asking = request->is_asking;
	snprintf(line, sizeof line, "connection %d, node %u: %s%s", (int) (c - conns), c->node,
		request->is_asking ? "ASKING, " : "", words_say(&command->what, said, sizeof said));
	note(line);
	if (request->is_asking) {
		redisAppendCommand(c->real, "ASKING");
	}
	redisAppendCommandArgv(c->real, (int) built.argc, argv, lens);
}

static void flush(connection *c)
{
	int is_done = 0;
	while (is_done == 0 && redisBufferWrite(c->real, &is_done) == REDIS_OK) {
	}
}

/* Waits until the node has seen the BLPOP, so that later waiters queue after it. */
static void let_it_see(unsigned node)
{
	redisReply *r = redisCommand(observers[node], "PING");
	freeReplyObject(r);
}

/* Sends BLPOP and a try in one write, each after ASKING if need be. */
static void queue_up(connection *c, int64_t at_us)
{
	char room[ROOM];
	rl_request request;
	draw_request(&request, room, RL_VERB_BLPOP, draw_key(RL_VERB_BLPOP));
	request.is_asking = any(2) == 0;
	written blpop;
	write_command(c, &request, &blpop);
	request.verb = RL_VERB_TRY;
	request.form = RL_FORM_TEXT;
	request.no_helpers = false;
	request.place = RL_PLACE_QUEUED;
	write_command(c, &request, &c->pending);
	flush(c);
	hear_asking(c, blpop.is_asking);
	run_and_compare(c, &blpop, at_us);
	if (c->is_blocked) {
		let_it_see(c->node);
	} else if (!has_failed) {
		hear_asking(c, c->pending.is_asking);
		run_and_compare(c, &c->pending, at_us);
	}
}

static void ask_for(connection *c, rl_verb verb, unsigned key, int64_t at_us)
{
	char room[ROOM];
	rl_request request;
	written command;
	draw_request(&request, room, verb, key);
	request.is_asking = any(3) == 0;
	write_command(c, &request, &command);
	flush(c);
	hear_asking(c, command.is_asking);
	run_and_compare(c, &command, at_us);
}

static void ask(connection *c, int64_t at_us)
{
	static const rl_verb verbs[] = {RL_VERB_SET, RL_VERB_SET, RL_VERB_TRY, RL_VERB_TRY,
		RL_VERB_PROBE, RL_VERB_PROBE, RL_VERB_RELEASE, RL_VERB_RELEASE, RL_VERB_RELEASE,
		RL_VERB_EXTEND, RL_VERB_RENEW, RL_VERB_SWAP, RL_VERB_FORCE, RL_VERB_FORCE, RL_VERB_FORCE,
		RL_VERB_EXISTS, RL_VERB_OWNER, RL_VERB_REMAINING, RL_VERB_FENCE, RL_VERB_FENCE};
	rl_verb verb = verbs[any(sizeof verbs / sizeof verbs[0])];
	bool chooses = verb == RL_VERB_TRY || verb == RL_VERB_PROBE;
	if (has_permits && chooses && do_permits_end_together(c->node)) {
		return;
	}
	ask_for(c, verb, draw_key(verb), at_us);
}

/* Takes the key, marks a waiter and frees the key, which wakes the waiter that has blocked for
 * longest. */
static void take_and_free(unsigned node, unsigned key, int64_t at_us)
{
	static const rl_verb verbs[] = {RL_VERB_SET, RL_VERB_PROBE, RL_VERB_FORCE};
	for (unsigned i = 0; i < CONNS; i++) {
		connection *c = &conns[i];
		if (c->is_blocked || c->node != node) {
			continue;
		}
		for (unsigned j = 0; j < sizeof verbs / sizeof verbs[0] && !has_failed; j++) {
			ask_for(c, verbs[j], key, at_us);
		}
		return;
	}
}

/* ---- moves ---- */

/* Sets the state of the slot on a node. A node that has changed the owner by itself may refuse
 * (know_owners). Then the sequence is given up. */
static void set_slot(unsigned node, const slot *moved, const char *what, unsigned other)
{
	char line[160];
	snprintf(line, sizeof line, "CLUSTER SETSLOT %d %s %s", moved->number, what,
		strcmp(what, "STABLE") == 0 ? "" : ids[other]);
	redisReply *r = redisCommand(observers[node], line);
	is_void = is_void || r == NULL || r->type == REDIS_REPLY_ERROR;
	freeReplyObject(r);
	snprintf(line, sizeof line, "node %u: slot %d %s, node %u", node, moved->number, what, other);
	note(line);
}

static void begin_move(unsigned number)
{
	slot *moved = &slots[number];
	unsigned to = 1 - moved->owner;
	moves++;
	set_slot(to, moved, "IMPORTING", moved->owner);
	states[to][number].importing_from = (uint8_t) moved->owner;
	set_slot(moved->owner, moved, "MIGRATING", to);
	states[moved->owner][number].migrating_to = (uint8_t) to;
	moved->is_moving = true;
}

static rl_bytes part_name(const rl_names *names, rl_bytes fence, slots_part part)
{
	return part == SLOTS_LOCK   ? names->key
		: part == SLOTS_MARKS   ? names->mark
		: part == SLOTS_TICKETS ? names->tickets
								: fence;
}

/* MIGRATE of one key. */
static void move_part(unsigned key, slots_part part)
{
	char room[ROOM], line[120];
	unsigned from = slots[slot_of(key)].owner;
	unsigned to = 1 - from;
	rl_names names =
		rl_names_put(room, rl_bytes_of(keys[key], strlen(keys[key])), RL_NAMES_IN_SLOT);
	char fence_room[ROOM];
	rl_bytes fence = rl_names_put_fence(fence_room, names.key, RL_NAMES_IN_SLOT);
	rl_bytes name = part_name(&names, fence, part);
	if (name.data == NULL) {
		return;
	}
	snprintf(line, sizeof line, "MIGRATE %.*s to node %u", (int) name.len, name.data, to);
	note(line);
	come_to_rest();
	int64_t at = now_us();
	redisReply *r = redisCommand(observers[from], "MIGRATE 127.0.0.1 %d %b 0 1000 REPLACE",
		node_ports[to], name.data, name.len);
	bool is_refused = r == NULL || r->type == REDIS_REPLY_ERROR;
	bool is_moved = !is_refused && strcmp(r->str, "OK") == 0;
	bool was_there = slots_move(&stores[from], at, &stores[to], at, key, part, false);
	if (is_refused) {
		note(r != NULL ? r->str : "no answer");
	}
	freeReplyObject(r);
	note_time(at);
	is_void = is_void || is_refused; /* for example IOERR: the connection between the nodes broke */
	if (is_moved != was_there && !is_refused) {
		fail(is_moved ? "the key was there" : "the key was not there");
	} else if (part == SLOTS_TICKETS && was_there) {
		serve(to, key, at);
	}
}

static void end_at(unsigned number, unsigned node)
{
	states[node][number] =
		(slot_state){(uint8_t) slots[number].owner, SLOTS_NOBODY, SLOTS_NOBODY, asks_early};
}

/* The node is the owner, or redirects to the node that should be the owner. */
static bool knows_owner(unsigned node, unsigned key)
{
	char moved[80];
	unsigned owner = states[node][key].owner;
	snprintf(moved, sizeof moved, "MOVED %d 127.0.0.1:%d", slots[key].number, node_ports[owner]);
	redisReply *r = redisCommand(observers[node], "EXISTS %s", keys[key]);
	bool is_moved = r != NULL && r->type == REDIS_REPLY_ERROR && strncmp(r->str, "MOVED", 5) == 0;
	bool knows = owner == node ? !is_moved : is_moved && strcmp(r->str, moved) == 0;
	freeReplyObject(r);
	return knows;
}

static long epoch_of(unsigned node)
{
	static const char field[] = "cluster_current_epoch:";
	redisReply *r = redisCommand(observers[node], "CLUSTER INFO");
	const char *at = r != NULL && r->str != NULL ? strstr(r->str, field) : NULL;
	long epoch = at != NULL ? strtol(at + sizeof field - 1, NULL, 10) : -1;
	freeReplyObject(r);
	return epoch;
}

/* Waits until both nodes agree, also about the latest epoch. A node with an older epoch would
 * begin no new one when it gets the slot back, and would lose the slot to an old claim of the
 * other node. */
static void wait_for_owner(unsigned key)
{
	int64_t until = now_us() + KNOWN_US;
	while (!knows_owner(0, key) || !knows_owner(1, key) || epoch_of(0) != epoch_of(1)) {
		if (now_us() > until) {
			fail("the nodes do not agree who has the slot");
			return;
		}
		sleep_until(now_us() + US_PER_MS);
	}
}

/* Whether both nodes know the owners. On a busy machine an old claim, or the other node's message
 * that it has given a slot away, may arrive between two commands. Nodes then change the owner by
 * themselves. */
static bool know_owners(void)
{
	bool know = true;
	for (unsigned key = 0; key < slot_count(); key++) {
		know = know && knows_owner(0, key) && knows_owner(1, key);
	}
	return know;
}

static void turn(void);

/* Moves all keys that are left, and tells both nodes. */
static void end_move(unsigned number)
{
	slot *moved = &slots[number];
	unsigned from = moved->owner;
	unsigned to = 1 - from;
	for (unsigned i = 0; i < KEYS * SLOTS_PARTS; i++) {
		if (slot_of(i / SLOTS_PARTS) == number) {
			move_part(i / SLOTS_PARTS, (slots_part) (i % SLOTS_PARTS));
		}
	}
	moved->owner = to;
	moved->is_moving = false;
	bool is_source_first = any(2) == 0;
	for (unsigned i = 0; i < NODES; i++) {
		unsigned node = is_source_first == (i == 0) ? from : to;
		set_slot(node, moved, "NODE", to);
		end_at(number, node);
		for (unsigned j = any(4); is_source_first && i == 0 && j > 0 && !has_failed; j--) {
			turn();
		}
		if (has_failed) {
			is_void = is_void || !know_owners();
			return;
		}
	}
	wait_for_owner(number);
	send_away();
}

/* Gives up a move that has moved nothing. */
static void give_move_up(unsigned number)
{
	slot *moved = &slots[number];
	unsigned to = 1 - moved->owner;
	for (unsigned i = 0; i < KEYS * SLOTS_PARTS; i++) {
		unsigned key = i / SLOTS_PARTS;
		store_expire(&stores[to], key, now_us());
		if (slot_of(key) == number && slots_has(&stores[to], key, (slots_part) (i % SLOTS_PARTS))) {
			return;
		}
	}
	moved->is_moving = false;
	set_slot(to, moved, "STABLE", to);
	end_at(number, to);
	set_slot(moved->owner, moved, "STABLE", to);
	end_at(number, moved->owner);
	send_away();
}

static void move_on(void)
{
	unsigned key = any(2) == 0 ? 0 : any(KEYS);
	unsigned number = slot_of(key);
	if (!slots[number].is_moving) {
		begin_move(number);
		return;
	}
	switch (any(8)) {
		case 0:
		case 1:
			end_move(number);
			break;
		case 2:
			give_move_up(number);
			break;
		default:
			move_part(key, (slots_part) any(SLOTS_PARTS));
			break;
	}
}

static void end_connection(connection *c)
{
	unsigned node = c->node;
	note("a connection ends");
	redisFree(c->real);
	connect_to(c, node);
	sleep_until(now_us() + US_PER_MS);
	let_it_see(node);
}

/* An event while a connection blocks: most often none. */
static void disturb(connection *c)
{
	int64_t at = now_us();
	switch (any(8)) {
		case 0:
		case 1:
			end_connection(c);
			break;
		case 2:
		case 3:
			take_and_free(c->node, c->key, at);
			note_time(at);
			break;
		default:
			break;
	}
}

/* A command on any connection. */
static void turn(void)
{
	connection *c = &conns[any(CONNS)];
	come_to_rest();
	if (c->is_blocked) {
		disturb(c);
		return;
	}
	int64_t at = now_us();
	if (any(4) == 0) {
		queue_up(c, at);
	} else {
		ask(c, at);
	}
	note_time(at);
}

/* ---- sequences ---- */

/* Both nodes are empty, and no slot moves. */
static void clear_nodes(void)
{
	for (unsigned node = 0; node < NODES; node++) {
		say(observers[node], "FLUSHALL");
		say(observers[node], "SCRIPT FLUSH");
		store_clear(&stores[node]);
	}
	for (unsigned key = 0; key < slot_count(); key++) {
		slot *s = &slots[key];
		s->number = (int16_t) rl_slot_of(rl_bytes_of(keys[key], strlen(keys[key])));
		s->is_moving = false;
		for (unsigned i = 0; i < NODES; i++) {
			set_slot(i, s, "STABLE", 0);
			end_at(key, i);
		}
		if (!knows_owner(0, key) || !knows_owner(1, key)) {
			set_slot(1 - s->owner, s, "NODE", s->owner);
			set_slot(s->owner, s, "NODE", s->owner);
		}
	}
}

/* @return false = the sequence is given up */
static bool run_sequence(uint64_t seed)
{
	for (unsigned i = 0; i < CONNS; i++) {
		if (conns[i].real != NULL) {
			redisFree(conns[i].real);
		}
		connect_to(&conns[i], i % NODES);
	}
	begin_sequence(seed);
	has_permits = any(3) == 0;
	keys = has_permits ? keys_of_permits : keys_of_locks;
	sleep_until(now_us() + 2 * US_PER_MS);
	clear_nodes();
	is_void = false;
	for (unsigned i = 0; i < ACTS && !is_void && !has_failed; i++) {
		if (any(4) == 0) {
			come_to_rest();
			move_on();
		} else {
			turn();
		}
	}
	for (unsigned number = 0; number < slot_count() && !has_failed; number++) {
		if (slots[number].is_moving) {
			end_move(number);
		}
	}
	if (is_void || (has_failed && !know_owners())) {
		is_void = true;
		given_up++;
		has_failed = false; /* the result of such a sequence tells nothing */
	}
	return !is_void;
}

/* ---- the nodes ---- */

static bool info_says(unsigned node, const char *line)
{
	redisReply *r = redisCommand(observers[node], "CLUSTER INFO");
	bool says_so = r != NULL && r->str != NULL && strstr(r->str, line) != NULL;
	freeReplyObject(r);
	return says_so;
}

static void wait_for(const char *line)
{
	for (unsigned i = 0; i < 300; i++) {
		if (info_says(0, line) && info_says(1, line)) {
			return;
		}
		sleep_until(now_us() + 50 * US_PER_MS);
	}
	printf("the nodes did not get to %s\n", line);
	exit(2);
}

/* Redis 6.2 has no ADDSLOTSRANGE. */
static void add_slots(unsigned node, unsigned first, unsigned last)
{
	static char digits[16384][8];
	static const char *argv[16384 + 2] = {"CLUSTER", "ADDSLOTS"};
	unsigned count = last - first + 1;
	for (unsigned i = 0; i < count; i++) {
		snprintf(digits[i], sizeof digits[i], "%u", first + i);
		argv[i + 2] = digits[i];
	}
	freeReplyObject(redisCommandArgv(observers[node], (int) count + 2, argv, NULL));
}

static void make_cluster(void)
{
	char line[80];
	for (unsigned node = 0; node < NODES; node++) {
		observers[node] = dial(paths[node]);
		redisReply *r = redisCommand(observers[node], "CLUSTER MYID");
		snprintf(ids[node], sizeof ids[node], "%s", r != NULL && r->str != NULL ? r->str : "");
		freeReplyObject(r);
	}
	/* Each node keeps some slots: a node without any would become a replica. */
	redisReply *info = redisCommand(observers[0], "INFO server");
	asks_early = info != NULL && info->str != NULL && strstr(info->str, "redis_version:6.") != NULL;
	freeReplyObject(info);
	add_slots(0, 8000, 16383);
	add_slots(1, 0, 7999);
	snprintf(line, sizeof line, "CLUSTER MEET 127.0.0.1 %d", node_ports[0]);
	say(observers[1], line);
	wait_for("cluster_known_nodes:2");
	wait_for("cluster_state:ok");
}

/* What was compared before a sequence was given up counts as well. */
static bool is_enough(unsigned done)
{
	return done >= LEAST / 10 && compared >= 50 * LEAST && redirected >= LEAST && asked >= LEAST &&
		split >= LEAST && woken >= LEAST / 10 && sent_away >= LEAST / 10;
}

int main(int argc, char **argv)
{
	if (argc < 5) {
		fputs("usage: conformance_cluster SOCKET PORT SOCKET PORT [SEED]\n", stderr);
		return 2;
	}
	for (unsigned node = 0; node < NODES; node++) {
		paths[node] = argv[1 + 2 * node];
		node_ports[node] = atoi(argv[2 + 2 * node]);
	}
	uint64_t seed = argc > 5 ? strtoull(argv[5], NULL, 10) : 1;
	if (!words_know_scripts()) {
		return 2;
	}
	make_cluster();
	unsigned done = 0;
	for (unsigned i = 0;
		 done < SEQUENCES && !has_failed && i < TRIES_MOST && (i < TRIES || !is_enough(done));
		 i++) {
		done += run_sequence(seed + i);
	}
	tell_failure();
	printf("%u sequences from seed %" PRIu64 ", %" PRIu64 " replies compared, %" PRIu64
		   " moves, %" PRIu64 " MOVED, %" PRIu64 " ASK, %" PRIu64 " TRYAGAIN, %" PRIu64
		   " waiters woken, %" PRIu64 " sent away, %" PRIu64 " sequences given up\n",
		done, seed, compared, moves, redirected, asked, split, woken, sent_away, given_up);
	if (has_failed) {
		return 1;
	}
	if (!is_enough(done)) {
		puts("too little could be compared");
		return 1;
	}
	return 0;
}
