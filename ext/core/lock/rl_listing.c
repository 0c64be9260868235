/* SPDX-License-Identifier: MIT
 *
 * The keys of a set, page by page. The design is in the header.
 */
#include "core/lock/rl_listing.h"

#include "core/lock/rl_op_failure.h"

#include <string.h>

/* So many numbers meet every slot: the chance that one is left out is 16384 / e^32. */
#define NUMBERS_MAX (32 * RL_SLOTS)

/* A page asks one member: a set of its own. */
typedef struct rl_page {
	rl_op op; /* first, for casts from rl_op */
	rl_set one;
} rl_page;

/* ---- the tour ---- */

void rl_tour_begin(rl_tour *tour, char *room, size_t prefix_len)
{
	memset(tour, 0, sizeof *tour);
	tour->room = room;
	tour->prefix_len = prefix_len;
}

/* The key that leads to a node of a cluster. */
static rl_bytes key_of(const rl_tour *tour)
{
	char digits[RL_TOUR_ROOM];
	char *end = digits + sizeof digits;
	char *first = rl_put_digits(end, tour->number);
	char *at = tour->room + tour->prefix_len;
	*at++ = '{';
	memcpy(at, first, (size_t) (end - first));
	at += end - first;
	*at++ = '}';
	return rl_bytes_of(tour->room, (size_t) (at - tour->room));
}

static bool is_visited(const rl_tour *tour, unsigned slot)
{
	return (tour->visited[slot / 8] & (1 << slot % 8)) != 0;
}

static void visit(rl_tour *tour, unsigned slot)
{
	tour->visited[slot / 8] |= (unsigned char) (1 << slot % 8);
}

/* Goes to the next number whose slot is not visited. False = all are. */
static bool find_slot(rl_tour *tour)
{
	for (; tour->number < NUMBERS_MAX; tour->number++) {
		rl_bytes key = key_of(tour);
		if (!is_visited(tour, rl_slot_of(key))) {
			return true;
		}
		rl_bytes tag = rl_slot_tag(key);
		if (tag.data + tag.len < tour->room + tour->prefix_len) {
			return false; /* the prefix has a hash tag, so each number leads to this slot */
		}
	}
	return false;
}

void rl_tour_leave(rl_tour *tour)
{
	tour->member++;
	tour->number = 0;
	tour->cursor_len = 0;
	tour->node_count = 0;
	memset(tour->visited, 0, sizeof tour->visited);
}

bool rl_tour_goes_on(rl_tour *tour, const rl_set *set)
{
	for (; tour->member < set->count; rl_tour_leave(tour)) {
		bool is_over = tour->cursor_len == 1 && tour->cursor[0] == '0';
		bool is_cluster = rl_route_has_redirects(set->members[tour->member].route);
		if (!is_over && (tour->cursor_len > 0 || !is_cluster)) {
			return true;
		}
		if (is_cluster && find_slot(tour)) {
			tour->cursor_len = 0;
			return true;
		}
	}
	return false;
}

/* Notes that the node was asked. @return true = it was asked before */
static bool note_node(rl_tour *tour, const rl_target *node)
{
	uint64_t hash = rl_bytes_hash(RL_HASH_BEGIN, rl_bytes_of(node->name, strlen(node->name)));
	for (unsigned i = 0; i < tour->node_count; i++) {
		if (tour->nodes[i] == hash) {
			return true;
		}
	}
	if (tour->node_count < RL_NODES_MAX) {
		tour->nodes[tour->node_count++] = hash;
	}
	return false;
}

/* After the first page of a node: its slots need not be asked for. */
static bool begin_node(rl_tour *tour, const rl_errand *member, unsigned slot)
{
	rl_route *route = member->server->route;
	visit(tour, slot);
	for (unsigned i = 0; i < RL_SLOTS; i++) {
		if (rl_route_knows(route, i) && rl_route_node(route, i) == member->node) {
			visit(tour, i);
		}
	}
	return !note_node(tour, member->node);
}

void rl_tour_take(rl_tour *tour, const rl_op *page)
{
	const rl_errand *member = &page->call.members[0];
	bool is_first = tour->cursor_len == 0;
	tour->cursor_len = (size_t) ((const char *) memchr(member->text, ' ', member->text_len) -
		member->text); /* rl_answer_read() has checked the form */
	memcpy(tour->cursor, member->text, tour->cursor_len);
	if (is_first && rl_route_has_redirects(member->server->route) &&
		!begin_node(tour, member, page->call.terms.request.slot)) {
		tour->cursor[0] = '0';
		tour->cursor_len = 1;
	}
}

/* ---- a page ---- */

static bool step(rl_op *op, const rl_tick *tick, rl_wait *wait)
{
	if (!op->is_begun) {
		op->is_begun = true;
		rl_quorum_call_begin(&op->call, RL_WANTED_DECISION, tick->now, RL_NEVER);
	}
	rl_vote outcome = rl_quorum_call_step(&op->call, tick, wait);
	if (outcome == RL_VOTE_OPEN) {
		return false;
	}
	op->status = RL_OK;
	rl_settlement settlement = rl_quorum_call_settle(&op->call, RL_UNDO_NOTHING, tick->now);
	if (outcome != RL_VOTE_GRANTED) {
		rl_op_fail_settled(op, &settlement);
		rl_stats_add(&rl_env_stats(op->call.terms.env)->failed, 1);
	}
	return true;
}

static void abandon(rl_op *op, int64_t now)
{
	rl_quorum_call_settle(&op->call, RL_UNDO_NOTHING, now);
}

static const rl_op_class page_class = {.step = step, .abandon = abandon};

/* The set has one member, which is borrowed. */
static void take_member(rl_page *page, const rl_set *set, unsigned index)
{
	page->one = *set;
	page->one.members[0] = set->members[index];
	page->one.count = 1;
	page->one.number = 0; /* it is another set */
	page->op.call.terms.set = &page->one;
	page->op.call.members[0].server = &page->one.members[0];
	page->op.call.order[0] = 0;
}

/* The pattern: the prefix as it is, and anything behind it. */
static size_t put_pattern(char *out, const rl_tour *tour)
{
	char *at = out;
	for (size_t i = 0; i < tour->prefix_len; i++) {
		if (strchr("\\*?[]^-", tour->room[i]) != NULL && tour->room[i] != '\0') {
			*at++ = '\\';
		}
		*at++ = tour->room[i];
	}
	*at++ = '*';
	return (size_t) (at - out);
}

rl_op *rl_page_new(rl_set *set, rl_pool *pool, const rl_env *env, const rl_tour *tour)
{
	char *room;
	bool is_cluster = rl_route_has_redirects(set->members[tour->member].route);
	rl_bytes key = is_cluster ? key_of(tour) : rl_bytes_of("", 0);
	rl_page *page = rl_op_alloc(sizeof *page, &page_class, set, pool, env, key,
		RL_CURSOR_MAX + 2 * tour->prefix_len + 1, &room);
	if (page == NULL) {
		return NULL;
	}
	page->op.lock = rl_bytes_of(NULL, 0);
	take_member(page, set, tour->member);
	rl_request *request = &page->op.call.terms.request;
	request->verb = RL_VERB_SCAN;
	bool is_first = tour->cursor_len == 0;
	memcpy(room, is_first ? "0" : tour->cursor, is_first ? 1 : tour->cursor_len);
	request->token = rl_bytes_of(room, is_first ? 1 : tour->cursor_len);
	room += RL_CURSOR_MAX;
	request->fresh = rl_bytes_of(room, put_pattern(room, tour));
	return &page->op;
}

bool rl_page_next(const rl_op *page, size_t *at, rl_bytes *key)
{
	const rl_errand *member = &page->call.members[0];
	const char *end = member->text + member->text_len;
	if (*at == 0) {
		*at = (size_t) ((const char *) memchr(member->text, ' ', member->text_len) - member->text) +
			1;
	}
	const char *word = member->text + *at;
	if (word == end) {
		return false;
	}
	int64_t len = 0;
	const char *colon = memchr(word, ':', (size_t) (end - word));
	/* rl_answer_read() has checked the form. */
	(void) rl_bytes_read_number(rl_bytes_of(word, (size_t) (colon - word)), end - colon - 1, &len);
	*key = rl_bytes_of(colon + 1, (size_t) len);
	*at = (size_t) (colon + 1 + len - member->text);
	return true;
}
