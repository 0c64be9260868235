/* SPDX-License-Identifier: MIT
 *
 * Clusters. The design is in the header.
 */
#include "cluster.h"

#include "cover.h"
#include "core/wire/rl_slot.h"
#include "faults.h"
#include "judge.h"

#include <stdio.h>
#include <string.h>

/* The slots of the keys, each named by the lowest key in it, and all other slots. */
#define GROUPS (WORDS_KEYS + 1)
#define REST WORDS_KEYS

#define CRON_NS (100 * MS) /* a node looks at the clients that block ten times a second */
#define GOSSIP_NS SECOND
#define GAP_NS (300 * MS) /* between the ends of a move at its two nodes */
#define INTERRUPTED_NS (3 * SECOND)
#define NODE_TIMEOUT_NS (2 * SECOND)
#define AWAY_MOST (20 * SECOND) /* how long a node that was replaced is away, at most */

typedef struct sim_node {
	slot_state slots[GROUPS];
	uint8_t before[GROUPS]; /* the owners that the node knew before */
	int64_t down_until;     /* until then the node answers CLUSTERDOWN */
	bool is_cron_due;
} sim_node;

/* A slot of a member. */
typedef struct sim_slot {
	uint8_t owner; /* the true owner */
	bool is_moving;
	bool is_back; /* the move was given up: the keys go back */
	uint8_t to;
	uint8_t last;                    /* the node that has not learned yet that the move has ended */
	int64_t closed_at[PLAN_SERVERS]; /* when the node's part in a move ended */
	int64_t pause;                   /* the pause between two keys */
	uint32_t number;                 /* the number of the move */
} sim_slot;

typedef struct sim_cluster {
	sim_slot slots[GROUPS];
	unsigned spare; /* the replica */
	bool is_taking_over;
	bool loses;
	unsigned victim;
	int64_t calm_at;
} sim_cluster;

static sim_node nodes[PLAN_SERVERS];
static sim_cluster clusters[PLAN_MEMBERS];
/* The token of the latest copy of each lock that a move has left behind; 0 = none. */
static uint64_t left_behind[PLAN_MEMBERS][WORDS_KEYS];
static uint8_t group_of[WORDS_KEYS];
static int16_t number_of_group[GROUPS];

/* ---- keys ---- */

rl_bytes cluster_key_name(unsigned key)
{
	static const char *const names[][WORDS_KEYS] = {[KEY_PLAIN] = {"k0", "k1", "k2", "k3"},
		[KEY_TAGGED] = {"{t}k0", "{t}k1", "{t}k2", "{t}k3"},
		[KEY_POLLED] = {"k0}", "k1}", "k2}", "k3}"}};
	static const char *const permits[][WORDS_KEYS] = {
		[KEY_PLAIN] = {"k0", "{k0}#2", "{k0}#3", "{k0}#4"},
		[KEY_TAGGED] = {"{t}k0", "{t}k0#2", "{t}k0#3", "{t}k0#4"}};
	const char *name = plan.permits > 1 ? permits[plan.forms[0]][key] : names[plan.forms[key]][key];
	return rl_bytes_of(name, strlen(name));
}

int16_t cluster_slot(unsigned key)
{
	return number_of_group[group_of[key]];
}

static unsigned group_of_number(int16_t number)
{
	for (unsigned key = 0; key < plan.keys; key++) {
		if (number_of_group[group_of[key]] == number) {
			return group_of[key];
		}
	}
	return REST;
}

/* ---- beginning ---- */

static void begin_groups(void)
{
	memset(number_of_group, 0, sizeof number_of_group);
	for (unsigned key = 0; key < plan.keys; key++) {
		int16_t number = (int16_t) rl_slot_of(cluster_key_name(key));
		unsigned group = key;
		for (unsigned other = 0; other < key; other++) {
			group = number_of_group[group_of[other]] == number ? group_of[other] : group;
		}
		group_of[key] = (uint8_t) group;
		number_of_group[group] = number;
	}
}

static unsigned any_node(unsigned member)
{
	return plan.first[member] + any(plan.count[member] - plan.has_spares);
}

static void begin_member(unsigned member)
{
	sim_cluster *c = &clusters[member];
	unsigned first = plan.first[member];
	*c = (sim_cluster){.spare = first + plan.count[member] - 1};
	for (unsigned g = 0; g < GROUPS; g++) {
		c->slots[g] = (sim_slot){.owner = (uint8_t) any_node(member), .last = SLOTS_NOBODY};
	}
	/* The clocks of a cluster differ by less than those of unrelated servers. */
	int64_t apart = one_in(2) ? 5 * MS : 5 * SECOND;
	for (unsigned n = first; n < first + plan.count[member]; n++) {
		nodes[n] = (sim_node){.down_until = 0};
		if (n > first && plan.fencing != FENCING_CLOSE && !one_in(4)) {
			servers[n].clock.offset = servers[first].clock.offset + between(-apart, apart);
		}
		for (unsigned g = 0; g < GROUPS; g++) {
			uint8_t owner = c->slots[g].owner;
			nodes[n].slots[g] = (slot_state){owner, SLOTS_NOBODY, SLOTS_NOBODY, plan.asks_early};
			nodes[n].before[g] = one_in(8) ? (uint8_t) any_node(member) : owner;
		}
	}
}

void cluster_begin(void)
{
	if (!plan.has_clusters) {
		return;
	}
	begin_groups();
	memset(left_behind, 0, sizeof left_behind);
	for (unsigned member = 0; member < plan.members; member++) {
		if (plan_is_cluster(member)) {
			begin_member(member);
		}
	}
}

/* ---- where a key is ---- */

static bool has_lock(const sim_server *s, unsigned key)
{
	const rl_store_key *k = &s->store.keys[key];
	return k->exists && server_us(s) / 1000 <= k->expires_ms;
}

/* Whether the node that a slot moves from has only the copy of a lock that has ended, left behind
 * by a move without an answer: a command after ASKING has given the key to another token since. */
static bool is_outlived(const sim_server *from, const sim_server *to, unsigned key)
{
	uint64_t left = left_behind[from->member][key];
	return has_lock(to, key) && from->store.keys[key].value.mark == left &&
		to->store.keys[key].value.mark != left;
}

sim_server *cluster_place(unsigned member, unsigned key)
{
	const sim_slot *slot = &clusters[member].slots[group_of[key]];
	const sim_server *from = &servers[slot->owner];
	const sim_server *to = &servers[slot->to];
	bool is_there = slot->is_moving && (!has_lock(from, key) || is_outlived(from, to, key));
	return &servers[is_there ? slot->to : slot->owner];
}

/* ---- the answers of a node ---- */

static void say_map(const sim_server *s, rl_model_reply *r)
{
	const sim_node *node = &nodes[s->index];
	bool is_stale = one_in(8);
	r->type = RL_SAYS_MAP;
	for (unsigned i = 0; i < GROUPS; i++) {
		unsigned group = i == REST || i >= plan.keys ? REST : group_of[i];
		unsigned owner = is_stale ? node->before[group] : node->slots[group].owner;
		r->number[i] = owner;
		if (owner != clusters[s->member].slots[group].owner) {
			COVER(stale_map);
		}
	}
	COVER(map);
}

/* An undo that was redirected, or whose keys are on two nodes, need not be sent again, unless it
 * was redirected for want of ASKING, after which the link has asked for this key before. */
static void excuse(
	const slot_state *slot, const rl_link *link, const rl_model_command *c, bool is_asking)
{
	bool lacks_asking =
		slot->importing_from != SLOTS_NOBODY && !is_asking && (link->asked >> c->key & 1U) != 0;
	bool frees = c->what == RL_WORD_SCRIPT &&
		(c->script == RL_SCRIPT_RELEASE || c->script == RL_SCRIPT_SWAP ||
			c->script == RL_SCRIPT_FREE_ANY);
	if (frees && !lacks_asking) {
		judge_excuse(c->token.mark);
	}
}

static void count_redirect(const rl_model_command *c, const rl_model_reply *r, bool is_asking)
{
	if (c->what == RL_WORD_SCRIPT && c->script == RL_SCRIPT_FREE_ANY) {
		COVER(undo_split);
	} else if (c->permits > 0 && r->type == RL_SAYS_ERROR) {
		COVER(permits_split);
	}
	if (r->type == RL_SAYS_ASK) {
		COVER(ask);
	} else if (r->type == RL_SAYS_MOVED && is_asking) {
		COVER(asked_in_vain);
	} else if (r->type == RL_SAYS_MOVED) {
		COVER(moved);
	} else if (strncmp(r->error, "TRYAGAIN", 8) == 0) {
		COVER(tryagain);
	}
}

/* The link has asked for this key, or for the keys of these permits. */
static void note_asked(rl_link *link, const rl_model_command *c)
{
	COVER(asked);
	link->asked |= (uint8_t) (1U << c->key);
	for (unsigned i = 0; i < c->permits; i++) {
		link->asked |= (uint8_t) (1U << c->permit_key[i]);
	}
}

/* A replica, or a node that hands over its slots. */
static bool is_replica(const sim_server *s)
{
	const sim_cluster *c = &clusters[s->member];
	bool hands_over = c->is_taking_over && c->victim == s->index;
	return plan.has_spares && (hands_over || c->spare == s->index);
}

bool cluster_answers(sim_server *s, rl_link *link, const rl_model_command *c, rl_model_reply *r)
{
	if (!plan_is_cluster(s->member)) {
		return false;
	}
	bool is_asking = link->is_asking;
	link->is_asking = c->what == RL_WORD_ASKING;
	if (c->what == RL_WORD_ASKING) {
		r->type = RL_SAYS_STATUS;
		return true;
	}
	if (c->what == RL_WORD_MAP && !plan.has_map) {
		r->type = RL_SAYS_ERROR;
		r->error = "NOPERM this user has no permissions to run the 'cluster|slots' command";
		return true;
	}
	if (c->what == RL_WORD_MAP) {
		say_map(s, r);
		return true;
	}
	if (c->what == RL_WORD_WAIT && is_replica(s)) {
		r->type = RL_SAYS_ERROR;
		r->error = "ERR WAIT cannot be used with replica instances.";
		return true;
	}
	const sim_node *node = &nodes[s->index];
	if (node->down_until > world.now && c->slot != WORDS_NO_SLOT) {
		COVER(clusterdown);
		slots_say_down(r);
		return true;
	}
	const slot_state *slot = &node->slots[group_of_number(c->slot)];
	if (slots_redirects(slot, s->index, &s->store, c, is_asking, server_us(s), r)) {
		count_redirect(c, r, is_asking);
		excuse(slot, link, c, is_asking);
		if (link->is_open) { /* a closed link gives the client no redirect to follow */
			judge_redirected(link->client, link->is_watch);
		}
		return true;
	}
	if (is_asking && c->slot != WORDS_NO_SLOT) {
		note_asked(link, c);
	}
	return false;
}

/* ---- blocked clients ---- */

static void plan_cron(unsigned n)
{
	if (!nodes[n].is_cron_due) {
		nodes[n].is_cron_due = true;
		world_plan(EVENT_CRON, world.now + between(0, CRON_NS), n, 0, 0);
	}
}

static void on_cron(unsigned n)
{
	sim_server *s = &servers[n];
	sim_node *node = &nodes[n];
	node->is_cron_due = false;
	if (s->stalled_until > world.now) {
		plan_cron(n);
		return;
	}
	for (unsigned i = 0; i < s->blocked_count;) {
		rl_link *link = s->blocked[i];
		rl_model_reply r = {.type = RL_SAYS_NIL};
		if (link->blocked_key < WORDS_KEYS && node->down_until > world.now) {
			slots_say_down(&r);
		} else if (link->blocked_key < WORDS_KEYS) {
			unsigned group = group_of[link->blocked_key];
			slots_sends_away(&node->slots[group], n, number_of_group[group], &r);
		}
		if (r.type == RL_SAYS_NIL) {
			i++;
		} else {
			COVER(blpop_redirected);
			server_send_away(s, link, &r);
		}
	}
}

/* ---- the knowledge of nodes ---- */

static void disturb(unsigned member, int64_t until)
{
	int64_t *at = &clusters[member].calm_at;
	*at = until > *at ? until : *at;
	faults_disturb(until);
}

int64_t cluster_calm_at(unsigned member)
{
	return clusters[member].calm_at;
}

static void learn(unsigned n, unsigned group)
{
	slot_state *slot = &nodes[n].slots[group];
	uint8_t owner = clusters[servers[n].member].slots[group].owner;
	if (slot->owner != owner) {
		TRACE("s%u learns that s%u has slot %d", n, (unsigned) owner, number_of_group[group]);
		nodes[n].before[group] = slot->owner;
		slot->owner = owner;
		plan_cron(n);
	}
}

static void learn_at(unsigned n, unsigned group, int64_t at)
{
	faults_disturb(at);
	world_plan(EVENT_TOLD, at, n, 0, group);
}

/* The nodes that took no part in the move learn its end by gossip. */
static void tell_others(unsigned member, unsigned group, unsigned one, unsigned other)
{
	for (unsigned n = plan.first[member]; n < plan.first[member] + plan.count[member]; n++) {
		if (n != one && n != other) {
			learn_at(n, group, world.now + spread(MS, GOSSIP_NS));
		}
	}
}

/* ---- moves ---- */

static void plan_step(unsigned member, unsigned group, int64_t pause)
{
	faults_disturb(world.now + pause);
	world_plan(EVENT_MOVE, world.now + pause, member, group, clusters[member].slots[group].number);
}

/* How long a command after ASKING may be under way, or stay unsent in a client that stands still.
 * If the node took keys of the slot again by then, it would run the command, although the key may
 * be at the other node again. Such a command may also wait behind a BLPOP for as long as the node
 * has the slot, and until the node has looked at its blocked clients after that. */
static int64_t asking_time(void)
{
	unsigned others = plan.faults & ~(1U << FAULT_MOVE | 1U << FAULT_TAKE_OVER | 1U << FAULT_DOWN);
	int64_t flight = 64 * plan.delay_most + CRON_NS + 10 * MS;
	return others == 0 ? flight : flight + faults_longest() + 10 * SECOND;
}

static void begin_move(unsigned member, unsigned group)
{
	sim_slot *slot = &clusters[member].slots[group];
	unsigned to = any_node(member);
	bool has_replica = plan.has_spares && to == clusters[member].spare;
	bool is_well = servers[to].is_up && servers[slot->owner].is_up;
	bool was_asked = slot->closed_at[to] != 0 && world.now < slot->closed_at[to] + asking_time();
	if (to == slot->owner || has_replica || slot->last != SLOTS_NOBODY || !is_well || was_asked) {
		return;
	}
	COVER(move);
	slot->is_moving = true;
	slot->is_back = false;
	slot->to = (uint8_t) to;
	slot->pause = one_in(4) ? between(100 * MS, 2 * SECOND) : spread(10 * US, 500 * MS);
	slot->number++;
	nodes[slot->owner].slots[group].migrating_to = slot->to;
	nodes[slot->to].slots[group].importing_from = slot->owner;
	TRACE("slot %d moves from s%u to s%u", number_of_group[group], (unsigned) slot->owner, to);
	plan_step(member, group, spread(10 * US, 2 * slot->pause));
}

static void end_move(unsigned member, unsigned group);

/* How many keys of a lock may move. */
static unsigned parts(void)
{
	return plan.fencing != FENCING_NONE ? SLOTS_PARTS : SLOTS_FENCE;
}

static bool has_any(const sim_server *s, unsigned group)
{
	bool has = false;
	for (unsigned i = 0; i < parts() * plan.keys; i++) {
		unsigned key = i / parts();
		has = has ||
			(group_of[key] == group && slots_has(&s->store, key, (slots_part) (i % parts())));
	}
	return has;
}

/* A move is given up only while no key has moved. Later the keys could meet commands after ASKING
 * on their way back, and one lock would be on both nodes. */
static void turn_round(unsigned member, unsigned group)
{
	sim_slot *slot = &clusters[member].slots[group];
	if (plan.mode == PLAN_UNCLEAN) {
		slot->is_back = !slot->is_back;
		TRACE("the move of slot %d turns round", number_of_group[group]);
	} else if (!has_any(&servers[slot->to], group)) {
		slot->is_back = true;
		end_move(member, group);
	}
}

void cluster_move(unsigned member)
{
	unsigned group = group_of[any(plan.keys)];
	const sim_slot *slot = &clusters[member].slots[group];
	if (!slot->is_moving && !clusters[member].is_taking_over) {
		begin_move(member, group);
	} else if (slot->is_moving && one_in(3)) {
		turn_round(member, group);
	}
}

/* Whether the node runs commands that write. */
static bool is_well(const sim_server *s)
{
	return s->is_up && s->stalled_until <= world.now && s->loading_until <= world.now &&
		s->memory_until <= world.now && s->uncopied_until <= world.now;
}

static void note_moved(sim_server *s, unsigned key, slots_part part)
{
	s->writes++;
	if (part == SLOTS_LOCK) {
		server_plan_expiry(s, key);
		judge_key_changed(key);
	}
}

/* Moves any one of the keys that are left.
 * @return false = there is none */
static bool move_any(sim_server *from, sim_server *to, unsigned group, bool is_back)
{
	unsigned at = any(parts() * plan.keys);
	for (unsigned i = 0; i < parts() * plan.keys; i++) {
		unsigned key = (at + i) / parts() % plan.keys;
		slots_part part = (slots_part) ((at + i) % parts());
		store_expire(&from->store, key, server_us(from));
		if (group_of[key] != group || !slots_has(&from->store, key, part)) {
			continue;
		}
		/* A copy that a lost answer has left behind. MIGRATE without REPLACE keeps the value of the
		 * other node, and redis-cli replaces only the same one. */
		bool is_left = part == SLOTS_LOCK && is_outlived(from, to, key);
		if ((is_back && slots_has(&to->store, key, part)) || is_left) {
			slots_delete(&from->store, key, part);
			return true;
		}
		bool keeps = !is_back && one_in(24);
		slots_move(&from->store, server_us(from), &to->store, server_us(to), key, part, keeps);
		TRACE("k%u part %u moves from s%u to s%u%s", key, (unsigned) part, (unsigned) from->index,
			(unsigned) to->index, keeps ? ", and stays" : "");
		if (keeps) {
			COVER(move_unheard);
			judge_excuse(from->store.keys[key].value.mark);
		}
		if (keeps && part == SLOTS_LOCK) {
			left_behind[from->member][key] = from->store.keys[key].value.mark;
		}
		if (part == SLOTS_LOCK) {
			judge_key_moved(key);
		}
		note_moved(from, key, part);
		note_moved(to, key, part);
		if (part == SLOTS_TICKETS) {
			server_serve(to, key);
		}
		return true;
	}
	return false;
}

/* The second node of a move learns that the move has ended. */
static void end_at(unsigned n, unsigned group)
{
	slot_state *state = &nodes[n].slots[group];
	clusters[servers[n].member].slots[group].closed_at[n] = world.now;
	state->migrating_to = state->importing_from = SLOTS_NOBODY;
	learn(n, group);
	plan_cron(n);
}

/* A move that was given up ends first at the node that has got keys, so that no command after
 * ASKING leaves another key there. */
static void end_move(unsigned member, unsigned group)
{
	sim_slot *slot = &clusters[member].slots[group];
	unsigned from = slot->owner;
	unsigned to = slot->to;
	bool is_target_first = slot->is_back || one_in(2);
	if (slot->is_back) {
		COVER(move_given_up);
	} else {
		COVER(move_ended);
		slot->owner = slot->to;
	}
	slot->is_moving = false;
	slot->number++;
	TRACE("the move of slot %d ends at s%u", number_of_group[group], (unsigned) slot->owner);
	end_at(is_target_first ? to : from, group);
	slot->last = (uint8_t) (is_target_first ? from : to);
	int64_t gap = one_in(3) ? 0 : spread(10 * US, GAP_NS);
	faults_disturb(world.now + gap);
	if (!is_target_first) { /* until then no node takes the slot without ASKING */
		disturb(member, world.now + gap);
	}
	world_plan(EVENT_MOVE_END, world.now + gap, member, 0, group);
	tell_others(member, group, from, to);
	for (unsigned key = 0; key < plan.keys; key++) {
		judge_key_changed(key);
	}
}

static void on_move_end(unsigned member, unsigned group)
{
	sim_slot *slot = &clusters[member].slots[group];
	end_at(slot->last, group);
	slot->last = SLOTS_NOBODY;
}

static void step_move(unsigned member, unsigned group, uint32_t number)
{
	sim_slot *slot = &clusters[member].slots[group];
	if (!slot->is_moving || slot->number != number) {
		world_uncount();
		return;
	}
	sim_server *from = &servers[slot->is_back ? slot->to : slot->owner];
	sim_server *to = &servers[slot->is_back ? slot->owner : slot->to];
	if (!is_well(from) || !is_well(to)) {
		plan_step(member, group, spread(MS, 100 * MS));
	} else if (!move_any(from, to, group, slot->is_back)) {
		end_move(member, group);
	} else if (one_in(16)) {
		COVER(move_interrupted);
		plan_step(member, group, spread(MS, INTERRUPTED_NS));
	} else {
		plan_step(member, group, spread(10 * US, 2 * slot->pause));
	}
}

/* ---- the replica takes over ---- */

static void go_down(unsigned n, int64_t until)
{
	nodes[n].down_until = until > nodes[n].down_until ? until : nodes[n].down_until;
	disturb(servers[n].member, until);
	plan_cron(n);
}

void cluster_go_down(unsigned member, int64_t until)
{
	unsigned one = any_node(member);
	bool is_all = one_in(2);
	COVER(cluster_down);
	TRACE("cluster %u is down until %.3f ms", member, (double) until / 1e6);
	for (unsigned n = plan.first[member]; n < plan.first[member] + plan.count[member]; n++) {
		if (is_all || n == one) {
			go_down(n, until);
		}
	}
}

void cluster_take_over(unsigned member, bool is_planned, bool loses)
{
	sim_cluster *c = &clusters[member];
	unsigned victim = c->slots[group_of[any(plan.keys)]].owner;
	if (!plan.has_spares || c->is_taking_over || !is_well(&servers[victim]) ||
		!is_well(&servers[c->spare])) {
		return;
	}
	c->is_taking_over = true;
	c->loses = loses;
	c->victim = victim;
	int64_t at = world.now + (loses ? spread(MS, 20 * MS) : spread(100 * MS, NODE_TIMEOUT_NS));
	if (is_planned) {
		COVER(hand_over);
		TRACE("s%u hands over to s%u", victim, c->spare);
		at = world.now + spread(10 * US, 20 * MS);
		for (unsigned g = 0; g < GROUPS; g++) {
			if (nodes[victim].slots[g].owner == victim) {
				nodes[victim].slots[g].owner = (uint8_t) c->spare;
			}
		}
		server_send_all_away(&servers[victim]);
		world_plan(EVENT_TAKE_OVER, at, member, 0, 0);
	} else {
		COVER(take_over);
		TRACE("s%u will be replaced by s%u", victim, c->spare);
		world_plan(EVENT_DETECTED, at, member, 0, 0);
		int64_t away = at - world.now + NODE_TIMEOUT_NS + spread(MS, AWAY_MOST);
		server_crash(&servers[victim], one_in(3), false, away);
	}
	disturb(member, at);
}

/* The other nodes know that the node is dead: no slot is served until the replica takes over. */
static void on_detected(unsigned member)
{
	const sim_cluster *c = &clusters[member];
	int64_t at = world.now + (c->loses ? spread(MS, 20 * MS) : spread(MS, NODE_TIMEOUT_NS));
	for (unsigned n = plan.first[member]; n < plan.first[member] + plan.count[member]; n++) {
		if (n != c->victim) {
			go_down(n, at);
		}
	}
	world_plan(EVENT_TAKE_OVER, at, member, 0, 0);
}

static uint8_t renamed(uint8_t node, unsigned from, unsigned to)
{
	return node == from ? (uint8_t) to : node;
}

/* Gives the slots of one node, and its part in their moves, to another node. */
static void replace(unsigned member, unsigned group, unsigned from, unsigned to)
{
	sim_slot *slot = &clusters[member].slots[group];
	bool had_it = slot->owner == from;
	slot->owner = renamed(slot->owner, from, to);
	slot->to = renamed(slot->to, from, to);
	slot->last = renamed(slot->last, from, to);
	for (unsigned n = plan.first[member]; n < plan.first[member] + plan.count[member]; n++) {
		slot_state *state = &nodes[n].slots[group];
		state->migrating_to = renamed(state->migrating_to, from, to);
		state->importing_from = renamed(state->importing_from, from, to);
		if (had_it && n != to && n != from) {
			learn_at(n, group, world.now + spread(10 * US, GOSSIP_NS / 4));
		}
	}
	nodes[to].slots[group].migrating_to = nodes[from].slots[group].migrating_to;
	nodes[to].slots[group].importing_from = nodes[from].slots[group].importing_from;
	nodes[from].slots[group].migrating_to = nodes[from].slots[group].importing_from = SLOTS_NOBODY;
	learn(from, group);
	learn(to, group);
}

static void take_over(unsigned member)
{
	sim_cluster *c = &clusters[member];
	sim_server *from = &servers[c->victim];
	sim_server *to = &servers[c->spare];
	c->is_taking_over = false;
	if (!to->is_up) { /* the replica has died, too: the slots are served when their node is back */
		for (unsigned group = 0; group < GROUPS; group++) {
			learn(c->victim, group);
		}
		disturb(member, from->is_up ? world.now : from->back_at);
		return;
	}
	TRACE("s%u takes over from s%u", c->spare, c->victim);
	store nothing;
	store_clear(&nothing);
	const store *rest = plan.replicas > 0 ? &from->copied : &nothing;
	server_copy(to, c->loses && one_in(2) ? rest : &from->store, from);
	store_clear(&from->store);
	for (unsigned group = 0; group < GROUPS; group++) {
		replace(member, group, c->victim, c->spare);
	}
	for (unsigned key = 0; key < plan.keys; key++) {
		server_plan_expiry(to, key);
		judge_key_changed(key);
	}
	if (!from->is_up) { /* a node that comes back has to learn the owners first */
		nodes[c->victim].down_until = from->back_at + spread(GOSSIP_NS / 4, SECOND);
	}
	plan_cron(c->victim);
	c->spare = c->victim;
}

/* ---- events ---- */

void cluster_on_event(const event *e)
{
	switch (e->kind) {
		case EVENT_MOVE:
			step_move(e->what, e->life, e->until);
			break;
		case EVENT_MOVE_END:
			on_move_end(e->what, e->until);
			break;
		case EVENT_TOLD:
			learn(e->what, e->until);
			break;
		case EVENT_DETECTED:
			on_detected(e->what);
			break;
		case EVENT_TAKE_OVER:
			take_over(e->what);
			break;
		default: /* EVENT_CRON */
			on_cron(e->what);
			break;
	}
}
