/* SPDX-License-Identifier: MIT
 *
 * The clients' knowledge about nodes. The header explains the rules.
 */
#include "routes.h"

#include "client.h"
#include "cluster.h"
#include "sentinel_parts.h"

#include <string.h>

/* A bit for each server that the client has been told as the node of the key's slot. */
static uint32_t told[PLAN_CLIENTS][WORDS_KEYS];

/* When the Sentinel stopped naming the node; -1 = not yet. The Sentinel may name the node again by
 * now. */
static int64_t unnamed_at[PLAN_SERVERS][PLAN_SERVERS];

/* The latest naming of each route that was judged. */
static int64_t seen[PLAN_CLIENTS][2][PLAN_MEMBERS];

_Static_assert(PLAN_SERVERS <= 32, "a set of servers is a word");

static void begin_asking(void);

void routes_begin(void)
{
	memset(told, 0, sizeof told);
	memset(seen, 0, sizeof seen);
	for (unsigned i = 0; i < PLAN_SERVERS; i++) {
		for (unsigned j = 0; j < PLAN_SERVERS; j++) {
			unnamed_at[i][j] = -1;
		}
	}
	begin_asking();
}

static unsigned server_of(const rl_target *target)
{
	return (unsigned) target->address.port - NET_PORT;
}

static unsigned member_of(const rl_route *route)
{
	return (unsigned) (route->common->address.host[0] - 'a');
}

/* ---- told ---- */

static void look_at_slots(unsigned client, bool is_watch, const rl_route *route)
{
	for (unsigned key = 0; key < plan.keys; key++) {
		unsigned number = route->slots[cluster_slot(key)];
		unsigned n = number > 0 ? server_of(route->nodes[number - 1].target) : 0;
		if (number > 0 && (told[client][key] >> n & 1U) == 0) {
			world_violate("told: c%u%s has noted s%u for k%u, which no node has named for the slot",
				client, is_watch ? "w" : "", n, key);
		}
	}
}

static void note_told(unsigned client, unsigned key, int64_t node)
{
	told[client][key] |= 1U << node;
}

/* ---- naming ---- */

void routes_unnamed(unsigned sentinel, unsigned node)
{
	unnamed_at[sentinel][node] = world.now;
}

static void look_at_naming(unsigned client, bool is_watch, rl_route *route)
{
	unsigned member = member_of(route);
	if (route->named_at == 0 || route->named_at == seen[client][is_watch][member]) {
		return;
	}
	seen[client][is_watch][member] = route->named_at;
	unsigned n = server_of(rl_route_node(route, 0));
	int64_t at = clock_when(&clients[client].clock, route->named_at);
	unsigned naming = 0;
	for (unsigned s = sentinel_first(member); s < sentinel_end(member); s++) {
		naming += sentinel_parts[s].names == n || unnamed_at[s][n] >= at;
	}
	if (naming < sentinel_majority(member)) {
		world_violate("naming: c%u%s counts on s%u since %.6f ms, when %u Sentinels named it",
			client, is_watch ? "w" : "", n, (double) at / 1e6, naming);
	}
}

/* ---- both ---- */

static void look_at(unsigned client, bool is_watch, rl_route *route)
{
	if (route->kind == RL_ROUTE_CLUSTER) {
		look_at_slots(client, is_watch, route);
	} else {
		look_at_naming(client, is_watch, route);
	}
}

void routes_look(unsigned client, bool is_watch)
{
	const sim_client *c = &clients[client];
	for (unsigned i = 0; !is_watch && i < plan.members; i++) {
		if (c->set.members[i].route != NULL) {
			look_at(client, false, c->set.members[i].route);
		}
	}
	const rl_renewer_set *set = is_watch ? c->renewer.errands.sets : NULL;
	for (; set != NULL; set = set->next) {
		for (unsigned i = 0; i < plan.members; i++) {
			if (set->set.members[i].route != NULL) {
				look_at(client, true, set->set.members[i].route);
			}
		}
	}
}

/* ---- asking ---- */

#define ASKED_MAX 512

/* A command that was sent after ASKING. */
typedef struct asked_command {
	const rl_link *link; /* the link without an answer, in this life; NULL = the command is over */
	uint32_t life;
	uint32_t number;
	uint8_t client;
	bool is_watch;
	uint8_t server;
	uint8_t kind;
	uint64_t token;
	int64_t begun_at; /* the beginning of the operation of PHP's thread */
	int64_t written_at;
	int64_t over_at; /* another ASK must come after this time; 0 = none is needed */
} asked_command;

static asked_command asked[ASKED_MAX]; /* the latest commands */
static unsigned asked_count;
static int64_t ask_heard_at[PLAN_CLIENTS][2][PLAN_SERVERS];

static void begin_asking(void)
{
	memset(asked, 0, sizeof asked);
	asked_count = 0;
	memset(ask_heard_at, 0, sizeof ask_heard_at);
}

void routes_forget(unsigned client)
{
	memset(told[client], 0, sizeof told[client]);
	memset(seen[client], 0, sizeof seen[client]);
	memset(ask_heard_at[client], 0, sizeof ask_heard_at[client]);
	for (unsigned i = 0; i < ASKED_MAX; i++) {
		if (asked[i].client == client) {
			asked[i] = (asked_command){.client = (uint8_t) client};
		}
	}
}

void routes_hear(const rl_link *link, const rl_model_reply *reply)
{
	for (unsigned key = 0; key < plan.keys; key++) {
		if (reply->type == RL_SAYS_MAP) {
			note_told(link->client, key, reply->number[key]);
		} else if (reply->type == RL_SAYS_MOVED && cluster_slot(key) == reply->number[0]) {
			note_told(link->client, key, reply->number[1]);
		}
	}
	if (reply->type == RL_SAYS_ASK) {
		ask_heard_at[link->client][link->is_watch][reply->number[1]] = world.now;
	}
}

/* Commands of one kind about one token count as the same command. A SET that is in doubt is sent
 * again as a try. */
static uint8_t kind_of(const rl_model_command *c)
{
	bool takes =
		c->what == RL_WORD_SET || (c->what == RL_WORD_SCRIPT && c->script == RL_SCRIPT_TRY);
	return takes ? UINT8_MAX : (uint8_t) (c->what == RL_WORD_SCRIPT ? c->script + 32 : c->what);
}

/* A place in the queue asks after a probe, on a link of its own. */
static bool is_judged(const rl_model_command *c)
{
	return (c->what == RL_WORD_SET || c->what == RL_WORD_SCRIPT) && c->place != RL_PLACE_QUEUED;
}

/* The undo of a command that has no answer yet follows on its connection, behind ASKING as the
 * command itself. */
static bool is_undo(const asked_command *new)
{
	for (unsigned i = 0; i < ASKED_MAX; i++) {
		const asked_command *a = &asked[i];
		if (a->link == new->link && a->life == new->life && a->token == new->token) {
			return new->kind == RL_SCRIPT_RELEASE + 32 || new->kind == RL_SCRIPT_FREE_ANY + 32;
		}
	}
	return false;
}

static void look_at_asked(const asked_command *new)
{
	int64_t heard_at = ask_heard_at[new->client][new->is_watch][new->server];
	for (unsigned i = 0; i < ASKED_MAX; i++) {
		const asked_command *a = &asked[i];
		if (a->over_at > heard_at && a->client == new->client && a->is_watch == new->is_watch &&
			a->server == new->server && a->kind == new->kind && a->token == new->token) {
			world_violate(
				"asking: c%u%s asks s%u again behind ASKING, for what was over at %.6f ms",
				(unsigned) new->client, new->is_watch ? "w" : "", (unsigned) new->server,
				(double) a->over_at / 1e6);
		}
	}
}

void routes_write(rl_link *link, const rl_model_command *c)
{
	bool is_behind = link->writes_asking;
	link->writes_asking = c->what == RL_WORD_ASKING;
	if (!is_behind || !is_judged(c)) {
		return;
	}
	asked_command new = {.link = link,
		.life = link->life,
		.number = link->written,
		.client = link->client,
		.is_watch = link->is_watch,
		.server = link->server,
		.kind = kind_of(c),
		.token = c->token.mark,
		.begun_at = clients[link->client].begun_at,
		.written_at = world.now};
	if (!is_undo(&new)) {
		look_at_asked(&new);
	}
	asked[asked_count++ % ASKED_MAX] = new;
}

/* The client has heard another ASK since it wrote the command: the next command behind ASKING may
 * be that of the other ASK. */
static bool is_asked_again(const asked_command *a)
{
	return ask_heard_at[a->client][a->is_watch][a->server] > a->written_at;
}

/* The answer to a renewal ends the command of the ASK, unless the server does not know the
 * script. */
static bool ends_renewal(const asked_command *a, const rl_model_reply *reply)
{
	return a->is_watch && a->kind == RL_SCRIPT_RENEW + 32 && reply->type == RL_SAYS_NUMBER &&
		!is_asked_again(a);
}

void routes_read(const rl_link *link, uint32_t number, const rl_model_reply *reply)
{
	for (unsigned i = 0; i < ASKED_MAX && i < asked_count; i++) {
		asked_command *a = &asked[i];
		if (a->link == link && a->life == link->life && a->number == number) {
			a->link = NULL;
			a->over_at = ends_renewal(a, reply) ? world.now : 0;
		}
	}
}

/* Whether the client wanted the answer. An operation that is over may have given its connection to
 * the pool, and an operation that ends closes connections by itself. */
static bool is_wanted(const asked_command *a, bool was_broken)
{
	bool is_under_way = was_broken && a->begun_at == clients[a->client].begun_at;
	return (a->is_watch || is_under_way) && !is_asked_again(a);
}

void routes_lose(const rl_link *link, bool was_broken)
{
	for (unsigned i = 0; i < ASKED_MAX && i < asked_count; i++) {
		asked_command *a = &asked[i];
		if (a->link == link && a->life == link->life) {
			a->link = NULL;
			a->over_at = is_wanted(a, was_broken) ? world.now : 0;
		}
	}
}
