/* SPDX-License-Identifier: MIT
 *
 * The servers of the renewer: which server a member of a lease uses, what the server is sent, and
 * what its answers mean. rl_renewer.c says why something is sent.
 *
 *     rl_renewer_servers
 *     |- first    rl_renewer_server -> ...          a connection and its members:
 *     |             |- waiting  member -> member      to be sent
 *     |             `- sent     [member, NULL, member]  sent; NULL = the reply is not wanted
 *     |- routes   rl_route -> ...                   the renewer's own
 *     `- lookups  rl_renewer_lookup -> ...          the Sentinels of such a route
 *
 * A server is one connection, and the members of all leases that use it. The connection is dialled
 * when a member has something to send, kept as long as it lasts, and replaced when it breaks or
 * does not answer: the first time at once, then after a growing pause. Commands that were not
 * answered when it broke are sent again on the next one. Servers are kept for later leases.
 *
 * A member that is a single server never changes its server. The route of any other member belongs
 * to the thread of its lease, so the renewer has its own route to each cluster and to each primary
 * behind Sentinels. When a lease begins, this route learns which node has granted it. Redirects and
 * failures then move the member with its waiting command from server to server.
 *
 * Behind Sentinels a server's answer counts only if a majority of the Sentinels names this server.
 * The Sentinels must have been asked less than RL_CHECK_NS before the answer, as for an acquire
 * (rl_member_call.c). All leases of the route share one lookup, which runs beside the renewals.
 * If the other members have granted the lease while the primary of this member was unknown, this
 * member waits for a lookup, too.
 *
 * These things are one module, because each of them changes the others: an answer moves a member to
 * another server, a failed dial moves all members of a server, and a lookup decides about answers.
 * The module knows the records of its members, and neither the renewer nor its lists: it reports
 * votes through a table of functions, rl_renewer_listener.
 *
 * Ownership: a server owns its connection, its target and the ring. The list of routes owns a
 * reference to each route, and so do its lookup and its members.
 *
 * Between two calls:
 * - A member is in the list of its server while it is WAITING, in the ring of its server while it
 *   is SENT, and otherwise in neither.
 * - The ring has one entry for each reply that is still to come. Without a connection it is empty.
 */
#include "core/lease/rl_renewer_servers.h"

#include "core/base/rl_backoff.h"
#include "core/base/rl_time.h"

#include <stdlib.h>
#include <string.h>

/* The pause before the second dial in a row, doubled each time, up to the maximum. */
#define REDIAL_PAUSE_NS (10 * RL_NS_PER_MS)
#define REDIAL_PAUSE_MAX_NS (500 * RL_NS_PER_MS)

/* The pause before a command is tried again that could not be queued. */
#define MEMORY_PAUSE_NS (10 * RL_NS_PER_MS)

/* How long a lookup may take. */
#define LOOKUP_NS RL_NS_PER_SECOND

/* How many servers without leases keep their connections. */
#define IDLE_SERVERS_MAX 8

/* How many routes without members are kept. */
#define IDLE_ROUTES_MAX 8

#define FIRST_ROOM 16

/* ---- the list of servers ---- */

/* NULL when out of memory. */
static rl_renewer_server *new_server(rl_renewer_servers *servers, const rl_target *target)
{
	rl_renewer_server *server = calloc(1, sizeof *server);
	rl_target *copy = rl_target_copy(target);
	if (server == NULL || copy == NULL) {
		free(server);
		rl_target_unref(copy);
		return NULL;
	}
	server->owner = servers;
	server->target = copy;
	server->waiting_end = &server->waiting;
	return server;
}

/* Closes the connection at once. The members are left alone. */
static void free_server(rl_renewer_server *server)
{
	rl_channel_close(&server->channel);
	rl_target_unref(server->target);
	free(server->sent);
	free(server);
}

/* NULL when out of memory. */
static rl_renewer_server *find_server(
	rl_renewer_servers *servers, const rl_target *target, bool is_unknown)
{
	rl_renewer_server **slot = &servers->first;
	while (*slot != NULL &&
		((*slot)->is_unknown != is_unknown || !rl_target_equal((*slot)->target, target))) {
		slot = &(*slot)->next;
	}
	rl_renewer_server *server = *slot;
	if (server != NULL) {
		*slot = server->next;
	} else {
		server = new_server(servers, target);
	}
	if (server != NULL) {
		server->is_unknown = is_unknown;
		server->next = servers->first;
		servers->first = server;
	}
	return server;
}

static void drop_idle_servers(rl_renewer_servers *servers)
{
	unsigned idle = 0;
	for (rl_renewer_server **slot = &servers->first; *slot != NULL;) {
		rl_renewer_server *server = *slot;
		if (server->members == 0 && ++idle > IDLE_SERVERS_MAX) {
			*slot = server->next;
			free_server(server);
		} else {
			slot = &server->next;
		}
	}
}

static int64_t now_of(const rl_renewer_server *server)
{
	const rl_env *env = server->owner->env;
	return env->now(env->ctx);
}

/* ---- routes and their lookups ---- */

/* False = out of memory. */
static bool add_lookup(rl_renewer_servers *servers, rl_route *route)
{
	rl_renewer_lookup *lookup = malloc(sizeof *lookup);
	if (lookup == NULL) {
		return false;
	}
	rl_lookup_init_alone(&lookup->lookup, route, servers->transport, servers->env);
	lookup->next = servers->lookups;
	servers->lookups = lookup;
	return true;
}

/* NULL = the route is not behind Sentinels. */
static rl_renewer_lookup **lookup_of(rl_renewer_servers *servers, const rl_route *route)
{
	rl_renewer_lookup **slot = &servers->lookups;
	while (*slot != NULL && (*slot)->lookup.route != route) {
		slot = &(*slot)->next;
	}
	return *slot != NULL ? slot : NULL;
}

static void forget_lookup(rl_renewer_lookup **slot)
{
	rl_renewer_lookup *lookup = *slot;
	*slot = lookup->next;
	rl_lookup_destroy(&lookup->lookup);
	free(lookup);
}

/* The renewer's route to the same member, which learns what the other route knows about the slot.
 * NULL when out of memory. */
static rl_route *find_route(rl_renewer_servers *servers, const rl_route *like, unsigned slot)
{
	rl_route **place = &servers->routes;
	while (*place != NULL && !rl_route_equal(*place, like)) {
		place = &(*place)->next;
	}
	rl_route *route = *place;
	if (route != NULL) {
		*place = route->next;
		rl_route_learn(route, like, slot);
	} else {
		route = rl_route_copy(like, slot);
		if (route == NULL || (route->kind == RL_ROUTE_SENTINEL && !add_lookup(servers, route))) {
			rl_route_unref(route);
			return NULL;
		}
	}
	route->next = servers->routes;
	servers->routes = route;
	return route;
}

/* No member has the route: only the list and the lookup of the route have references. */
static bool is_idle(const rl_route *route)
{
	return route->refs == (route->kind == RL_ROUTE_SENTINEL ? 2 : 1);
}

/* Forgets the routes without a member for which no lease has asked for longest, and closes the
 * connections of their lookups. */
static void drop_idle_routes(rl_renewer_servers *servers)
{
	unsigned idle = 0;
	for (rl_route **slot = &servers->routes; *slot != NULL;) {
		rl_route *route = *slot;
		rl_renewer_lookup **lookup = lookup_of(servers, route);
		/* The watchdog's thread polls the links of an open lookup without the lock. */
		bool is_open = lookup != NULL && rl_lookup_is_open(&(*lookup)->lookup);
		if (is_idle(route) && ++idle > IDLE_ROUTES_MAX && !is_open) {
			if (lookup != NULL) {
				forget_lookup(lookup);
			}
			*slot = route->next;
			rl_route_unref(route);
		} else {
			slot = &route->next;
		}
	}
}

/* Begins a lookup, if the route is behind Sentinels, no lookup is open, and the last lookup began
 * at least the pause ago. */
static void look_up(
	rl_renewer_servers *servers, const rl_route *route, int64_t pause_ns, int64_t now)
{
	rl_renewer_lookup **slot = lookup_of(servers, route);
	if (slot != NULL && !rl_lookup_is_open(&(*slot)->lookup) &&
		now - (*slot)->lookup.begun_at >= pause_ns) {
		rl_lookup_begin(&(*slot)->lookup, now + LOOKUP_NS, now);
		servers->has_moved = true; /* the next step follows at once */
	}
}

/* ---- the members of a server ---- */

/* Puts an idle member at the end of the list. */
static void add_waiting(rl_renewal_member *member)
{
	rl_renewer_server *server = member->server;
	member->state = RL_RENEWAL_MEMBER_WAITING;
	member->next = NULL;
	member->link = server->waiting_end;
	*server->waiting_end = member;
	server->waiting_end = &member->next;
}

static void unlink_waiting(rl_renewal_member *member)
{
	*member->link = member->next;
	if (member->next != NULL) {
		member->next->link = member->link;
	} else {
		member->server->waiting_end = member->link;
	}
}

static rl_renewal_member **sent_at(const rl_renewer_server *server, uint64_t number)
{
	return &server->sent[number & (server->sent_room - 1)];
}

/* Makes room for one more in the ring. False when out of memory. */
static bool reserve_sent(rl_renewer_server *server)
{
	size_t count = (size_t) (server->next_sent - server->first_sent);
	if (count < server->sent_room) {
		return true;
	}
	size_t room = server->sent_room == 0 ? FIRST_ROOM : 2 * server->sent_room;
	rl_renewal_member **grown = malloc(room * sizeof *grown);
	if (grown == NULL) {
		return false;
	}
	for (uint64_t i = server->first_sent; i < server->next_sent; i++) {
		grown[i & (room - 1)] = *sent_at(server, i);
	}
	free(server->sent);
	server->sent = grown;
	server->sent_room = room;
	return true;
}

/* Moves a waiting member into the ring, which must have room: its command was sent. */
static void note_sent(rl_renewal_member *member)
{
	unlink_waiting(member);
	member->state = RL_RENEWAL_MEMBER_SENT;
	member->sent_number = member->server->next_sent++;
	*sent_at(member->server, member->sent_number) = member;
}

/* Takes the oldest entry out of the ring, because its reply has arrived, or never will.
 * @return the member, which is idle now; NULL = the reply is no longer wanted */
static rl_renewal_member *take_sent(rl_renewer_server *server)
{
	rl_renewal_member *member = *sent_at(server, server->first_sent++);
	if (member != NULL) {
		member->state = RL_RENEWAL_MEMBER_IDLE;
	}
	return member;
}

void rl_renewer_server_leave(rl_renewal_member *member)
{
	switch (member->state) {
		case RL_RENEWAL_MEMBER_IDLE:
		case RL_RENEWAL_MEMBER_CHECKING:
			break;
		case RL_RENEWAL_MEMBER_WAITING:
			unlink_waiting(member);
			break;
		case RL_RENEWAL_MEMBER_SENT:
			*sent_at(member->server, member->sent_number) = NULL;
			break;
	}
	member->state = RL_RENEWAL_MEMBER_IDLE;
}

void rl_renewer_server_queue(rl_renewal_member *member)
{
	/* An ASK applies to one command. By now the slot may have moved to and fro, and after ASKING
	 * the server would run a command although the other node has the key. */
	member->is_asking = false;
	add_waiting(member);
}

static void report_change(const rl_renewal_member *member)
{
	member->server->owner->listener->on_changed(member->renewal);
}

/* Queues the member's command again, unless the owner is releasing the lease. */
static void queue_again(rl_renewal_member *member)
{
	if (!rl_renewal_is_paused(member->renewal)) {
		add_waiting(member);
		report_change(member);
	}
}

/* A release of a caller's token is sent only once: it may have been carried out, and another holder
 * may have the lock with the same token by now. */
static bool is_sent_only_once(const rl_renewal_member *member)
{
	return rl_renewal_is_lost(member->renewal) && member->renewal->lease->is_own_token;
}

/* The answer to the member's command will not arrive, or does not count: sends the command again,
 * if that is allowed, to the server that the member has now. */
static void send_again(rl_renewal_member *member)
{
	member->has_lost_set = member->has_lost_set || member->sent == RL_SEND_PUT_BACK;
	member->is_asking = false;
	if (member->wanted == RL_SEND_RELEASE_BOTH) {
		/* By now another holder may have the lock with the other token. */
		member->wanted = RL_SEND_RELEASE;
	}
	if (is_sent_only_once(member)) {
		member->may_outlive = false;
		report_change(member);
	} else {
		queue_again(member);
	}
}

/* ---- the server of a member ---- */

static unsigned slot_of(const rl_renewal_member *member)
{
	return member->renewal->lease->names.slot;
}

static bool assign(rl_renewer_servers *servers, rl_renewal_member *member, const rl_member *from)
{
	unsigned slot = slot_of(member);
	rl_route *route = from->route != NULL ? find_route(servers, from->route, slot) : NULL;
	if (from->route != NULL && route == NULL) {
		return false;
	}
	/* As long as no primary is known, the member uses a server that stands for the primary, until
	 * the member learns its node, or a lookup moves the member. */
	rl_target *node = route != NULL ? rl_route_node(route, slot) : from->target;
	rl_renewer_server *server =
		find_server(servers, node != NULL ? node : from->target, node == NULL);
	if (server == NULL) {
		return false;
	}
	member->server = server;
	member->route = route != NULL ? rl_route_ref(route) : NULL;
	server->members++;
	return true;
}

void rl_renewer_servers_unassign(rl_renewal_member *member)
{
	rl_renewer_server_leave(member);
	member->server->members--;
	rl_route_unref(member->route);
	member->route = NULL;
}

bool rl_renewer_servers_assign(rl_renewer_servers *servers, rl_renewal *renewal, const rl_set *set)
{
	for (unsigned i = 0; i < set->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		*member = (rl_renewal_member){.renewal = renewal,
			.no_helpers = !set->wakes,
			.timeout_ns = set->members[i].timeout_ns,
			.connect_timeout_ns = set->members[i].connect_timeout_ns};
		if (!assign(servers, member, &set->members[i])) {
			while (i > 0) {
				rl_renewer_servers_unassign(&renewal->members[--i]);
			}
			return false;
		}
	}
	return true;
}

/* Moves the member with its waiting command. When out of memory, the member stays. */
static void move(rl_renewal_member *member, const rl_target *node)
{
	rl_renewer_servers *servers = member->server->owner;
	rl_renewer_server *server = find_server(servers, node, false);
	if (server == NULL || server == member->server) {
		return;
	}
	bool is_waiting = member->state == RL_RENEWAL_MEMBER_WAITING;
	if (is_waiting) {
		rl_renewer_server_leave(member);
	}
	member->server->members--;
	member->server = server;
	server->members++;
	servers->has_moved = true;
	if (is_waiting) {
		rl_renewer_server_queue(member);
	}
}

void rl_renewer_servers_learn(rl_renewal *renewal, const rl_set *set)
{
	for (unsigned i = 0; i < renewal->count && i < set->count; i++) {
		rl_renewal_member *member = &renewal->members[i];
		const rl_route *from = set->members[i].route;
		if (member->route == NULL || from == NULL || member->state == RL_RENEWAL_MEMBER_SENT) {
			continue;
		}
		rl_route_learn(member->route, from, slot_of(member));
		rl_target *node = rl_route_node(member->route, slot_of(member));
		if (node != NULL) {
			move(member, node);
		}
	}
}

/* The server cannot be reached, or is a replica: its waiting members move to other nodes, if they
 * have any. */
static void flee(rl_renewer_server *server)
{
	if (server->waiting == NULL) {
		return;
	}
	int64_t now = now_of(server);
	rl_renewal_member *next;
	for (rl_renewal_member *member = server->waiting; member != NULL; member = next) {
		next = member->next;
		if (member->route != NULL) {
			look_up(server->owner, member->route, RL_LOOKUP_AGAIN_NS, now);
			rl_route_suspect(member->route, server->target);
			member->is_asking = false;
			rl_target *node = rl_route_node(member->route, slot_of(member));
			move(member, node != NULL ? node : server->target);
		}
	}
}

/* ---- the connection ---- */

rl_link *rl_renewer_server_link(const rl_renewer_server *server)
{
	return rl_channel_is_open(&server->channel) ? server->channel.conn->link : NULL;
}

bool rl_renewer_server_is_up(const rl_renewer_server *server)
{
	const rl_channel *channel = &server->channel;
	return rl_channel_is_open(channel) && rl_channel_is_logged_in(channel) &&
		channel->conn->life != RL_CONN_LIFE_REFUSED && rl_channel_is_connected(channel);
}

bool rl_renewer_server_is_ready(const rl_renewer_server *server, int64_t now)
{
	return rl_channel_is_open(&server->channel) ? rl_renewer_server_is_up(server)
												: now >= server->redial_at;
}

void rl_renewer_server_trust(rl_renewer_server *server)
{
	server->fails = 0;
	server->redial_at = 0;
}

/* A connection has failed, or could not be dialled. */
static void note_failure(rl_renewer_server *server, int64_t now)
{
	int64_t pause = 0; /* the second dial follows the first at once */
	if (server->fails > 0) {
		pause = rl_backoff_doubled(REDIAL_PAUSE_NS, server->fails - 1, REDIAL_PAUSE_MAX_NS);
	}
	server->fails++;
	server->redial_at = now + pause;
	if (server->fails > 1) { /* the first failure may be that of an old connection */
		flee(server);
	}
}

/* The time to connect: the shortest time that any of the waiting members allows. */
static int64_t connect_time(const rl_renewer_server *server, int64_t now)
{
	int64_t least = RL_NEVER;
	for (const rl_renewal_member *member = server->waiting; member != NULL; member = member->next) {
		int64_t time = rl_renewal_patience(member->renewal, member->connect_timeout_ns, now);
		least = rl_time_earlier(least, time);
	}
	return least;
}

static void dial(rl_renewer_server *server, int64_t now)
{
	rl_error unused;
	int64_t connect_end = now + connect_time(server, now);
	if (!rl_channel_dial(&server->channel, server->owner->transport, server->target, connect_end,
			server->owner->env, &unused)) {
		note_failure(server, now);
	}
}

void rl_renewer_server_fail(rl_renewer_server *server, int64_t now)
{
	rl_channel_close(&server->channel);
	while (server->first_sent < server->next_sent) {
		rl_renewal_member *member = take_sent(server);
		if (member != NULL) {
			send_again(member);
		}
	}
	note_failure(server, now);
}

/* ---- sending ---- */

bool rl_renewer_server_release_behind(rl_renewal_member *member)
{
	rl_renewer_server *server = member->server;
	if (!rl_renewer_server_is_up(server)) {
		return true;
	}
	rl_request request = rl_renewal_request(member, RL_SEND_RELEASE, server->lacks_helpers);
	return rl_conn_undo(server->channel.conn, &request);
}

/* False when the command could not be queued. */
static bool send_command(
	rl_renewer_server *server, rl_renewal_member *member, rl_renewal_command command, int64_t now)
{
	rl_request request = rl_renewal_request(member, command, server->lacks_helpers);
	if (!reserve_sent(server)) {
		return false;
	}
	if (command == RL_SEND_RELEASE_BOTH) {
		/* The swap turns the other token into ours, so that one answer covers both tokens. */
		rl_request swapped = request;
		swapped.fresh = member->renewal->other;
		rl_conn_swap_back(server->channel.conn, &swapped);
	}
	if (!rl_channel_send(&server->channel, &request, (unsigned) request.verb)) {
		return false;
	}
	note_sent(member);
	member->sent = command;
	member->sent_at = now;
	member->answer_by = now + rl_renewal_patience(member->renewal, member->timeout_ns, now);
	report_change(member);
	return true;
}

static bool send_renewal(rl_renewer_server *server, rl_renewal_member *member, int64_t now)
{
	/* Computed only now: the member may have waited for a connection since the round began. */
	int64_t ttl = rl_renewal_ttl(member->renewal, now);
	if (ttl < RL_NS_PER_MS) {
		/* maxHold allows no renewal any more, and the proof runs out. */
		rl_renewer_server_leave(member);
		return true;
	}
	member->asked_ttl = ttl;
	bool needs_text = member->wanted == RL_SEND_RENEW && server->lacks_script;
	rl_renewal_command command = needs_text ? RL_SEND_RENEW_AS_TEXT : member->wanted;
	if (!send_command(server, member, command, now)) {
		return false;
	}
	member->may_outlive = true;
	if (needs_text) {
		server->lacks_script = false;
		rl_stats_add(&rl_env_stats(server->owner->env)->scripts_loaded, 1);
	}
	return true;
}

/* Sends the commands of the waiting members, and bytes that the kernel did not accept before. False
 * when a command could not be queued. */
static bool send_all(rl_renewer_server *server, int64_t now)
{
	bool has_memory = true;
	while (server->waiting != NULL && has_memory) {
		rl_renewal_member *member = server->waiting;
		has_memory = rl_renewal_is_release(member->wanted)
			? send_command(server, member, member->wanted, now)
			: send_renewal(server, member, now);
	}
	rl_channel_flush(&server->channel, now);
	return has_memory;
}

/* @return when to call it again; RL_NEVER = when something arrives */
static int64_t dial_and_send(rl_renewer_server *server, const rl_tick *tick)
{
	if (server->is_unknown) {
		return RL_NEVER; /* the lookup moves its members, or makes them fail */
	}
	if (rl_channel_is_open(&server->channel) && !rl_renewer_server_is_up(server) &&
		tick->seen >= server->channel.connect_end) {
		rl_renewer_server_fail(server, tick->now);
	}
	if (server->waiting != NULL && !rl_channel_is_open(&server->channel) &&
		tick->now >= server->redial_at) {
		dial(server, tick->now);
	}
	if (!rl_channel_is_open(&server->channel)) {
		return server->waiting != NULL ? server->redial_at : RL_NEVER;
	}
	if (!rl_renewer_server_is_up(server)) {
		rl_channel_flush(&server->channel, tick->now); /* AUTH and SELECT */
		return server->channel.connect_end;
	}
	int64_t until = send_all(server, tick->now) ? RL_NEVER : tick->now + MEMORY_PAUSE_NS;
	int64_t confirm_end = server->channel.confirm_end;
	return confirm_end != 0 ? rl_time_earlier(until, confirm_end) : until;
}

int64_t rl_renewer_servers_send(rl_renewer_servers *servers, const rl_tick *tick)
{
	int64_t until = RL_NEVER;
	for (rl_renewer_server *server = servers->first; server != NULL; server = server->next) {
		until = rl_time_earlier(until, dial_and_send(server, tick));
	}
	drop_idle_servers(servers);
	drop_idle_routes(servers);
	if (servers->has_moved) { /* that server may have sent already */
		servers->has_moved = false;
		until = 0;
	}
	return until;
}

/* ---- whether the Sentinels agree ---- */

static bool is_named(const rl_renewal_member *member)
{
	rl_target *named = rl_route_node(member->route, 0);
	return named != NULL && rl_target_equal(named, member->server->target);
}

/* A grant of this node proves nothing at first: see rl_member_grace.c. */
static bool has_grace(const rl_renewal_member *member)
{
	return member->route->grace_ns > 0 && !rl_renewal_is_release(member->sent) &&
		member->told == RL_VOTE_GRANTED;
}

/* The former primary may still grant locks to others. */
static bool is_too_new(const rl_renewal_member *member)
{
	const rl_route *route = member->route;
	double drift_factor = member->renewal->lease->drift_factor;
	return has_grace(member) &&
		!rl_route_is_known_for(route, rl_route_change_ns(route, drift_factor));
}

/* This node may have been a replica after the Sentinels were asked. */
static bool is_before_login(const rl_renewal_member *member)
{
	return has_grace(member) &&
		!rl_channel_is_ready_before(&member->server->channel, member->route->named_at);
}

/* The lookup was open already when the connection was logged in, so another one decides. */
static bool needs_another(const rl_renewal_member *member)
{
	return is_before_login(member) &&
		rl_channel_is_ready_before(&member->server->channel, RL_NEVER);
}

/* True = the answer of the member counts now. False = the answer counts only if the Sentinels,
 * which are asked now, name the server. Until they answer, the member's state is CHECKING. */
static bool may_count(rl_renewal_member *member)
{
	int64_t now = now_of(member->server);
	const rl_route *route = member->route;
	if (route == NULL || route->check_ns == RL_NEVER ||
		(now - route->named_at < route->check_ns && is_named(member) && !is_too_new(member) &&
			!is_before_login(member))) {
		return true;
	}
	member->state = RL_RENEWAL_MEMBER_CHECKING;
	look_up(member->server->owner, route, 0, now);
	return false;
}

/* ---- reading ---- */

/* The server is a replica: the command is sent again on a new connection. The name is not resolved
 * here: the next dial uses the addresses that PHP's thread has learned meanwhile. */
static void leave_wrong_server(rl_renewal_member *member, int64_t now)
{
	rl_renewer_server *server = member->server;
	rl_transport *transport = server->owner->transport;
	queue_again(member);
	transport->distrust(transport, &server->target->address);
	rl_renewer_server_fail(server, now);
	flee(server);
}

/* The member's command goes to the node that the redirect names. False = that is impossible:
 * redirected too often, or out of memory. */
static bool follow_redirect(rl_renewal_member *member, const rl_redirect *redirect)
{
	rl_renewer_server *server = member->server;
	rl_target *node = member->hops < RL_HOPS_MAX
		? rl_route_follow(member->route, redirect, server->target)
		: NULL;
	if (node == NULL) {
		return false;
	}
	member->hops++;
	member->is_asking = redirect->kind == RL_REDIRECT_ASK;
	rl_stats_add(&rl_env_stats(server->owner->env)->cluster_redirects, 1);
	move(member, node);
	return true;
}

/* True = the command goes to another node. */
static bool follow(rl_renewal_member *member, const rl_reply *reply)
{
	rl_redirect redirect = reply->type == RL_REPLY_ERROR ? rl_redirect_read(reply->text)
														 : (rl_redirect){.kind = RL_REDIRECT_NONE};
	if (redirect.kind == RL_REDIRECT_NONE || !rl_route_has_redirects(member->route) ||
		!follow_redirect(member, &redirect)) {
		member->hops = 0;
		return false;
	}
	queue_again(member);
	return true;
}

static void on_vote(rl_renewal_member *member, rl_vote vote)
{
	bool is_put_back = member->sent == RL_SEND_PUT_BACK;
	if (member->wanted == RL_SEND_PUT_BACK && vote != RL_VOTE_FAILED) {
		member->wanted = RL_SEND_RENEW;
	}
	if (is_put_back && vote == RL_VOTE_REFUSED && member->renewal->stage == RL_RENEWAL_IN_ROUND) {
		/* If the SET was sent twice, the first one may have won: a renewal will show that. */
		queue_again(member);
		return;
	}
	member->vote = vote;
	if (vote == RL_VOTE_REFUSED && !is_put_back) {
		member->may_outlive = false;
	}
	member->server->owner->listener->on_vote(member);
}

static void on_renewal_error(rl_renewal_member *member, const rl_error *err, int64_t now)
{
	if (strcmp(err->code, "WRONGTYPE") == 0) {
		member->refusal = RL_LOSS_TAKEN_OVER;
		on_vote(member, RL_VOTE_REFUSED);
	} else if (rl_error_is_wrong_server(err)) {
		leave_wrong_server(member, now);
	} else if (err->status == RL_ERR_UNCONFIRMED) {
		rl_stats_add(&rl_env_stats(member->server->owner->env)->unconfirmed, 1);
		on_vote(member, RL_VOTE_FAILED);
	} else if (rl_error_is_full(err)) { /* the server closes the connection after this */
		queue_again(member);
		rl_renewer_server_fail(member->server, now);
	} else {
		on_vote(member, RL_VOTE_FAILED);
	}
}

static void on_renewal_answered(rl_renewal_member *member, const rl_reply *reply, int64_t now)
{
	rl_renewer_server *server = member->server;
	rl_request request = rl_renewal_request(member, member->sent, server->lacks_helpers);
	rl_answer answer;
	rl_error err;
	rl_answer_read(&request, reply, &answer, &err, &request.token, 1);
	if (answer.again == RL_AGAIN_AS_TEXT) {
		server->lacks_script = true;
		queue_again(member);
	} else if (answer.vote != RL_VOTE_FAILED) {
		server->fails = 0;
		member->refusal = rl_answer_is_taken_over(&answer) ? RL_LOSS_TAKEN_OVER : RL_LOSS_DELETED;
		member->told = answer.vote;
		if (may_count(member)) {
			on_vote(member, answer.vote);
		}
	} else {
		on_renewal_error(member, &err, now);
	}
}

/* The member has not confirmed the release. */
static void on_release_failed(rl_renewal_member *member)
{
	member->server->owner->listener->on_release_failed(member);
}

/* The member has confirmed the release, or never will. */
static void end_release(rl_renewal_member *member)
{
	member->may_outlive = false;
	report_change(member);
}

/* The answer leaves open whether the member has the lock, so the release is sent again. After an
 * error that would always come back, sending it again would change nothing. */
static bool leaves_open(
	const rl_renewal_member *member, const rl_answer *answer, const rl_error *err)
{
	if (answer->vote == RL_VOTE_FAILED) {
		return !rl_error_is_final(err) && strcmp(err->code, "WRONGTYPE") != 0;
	}
	/* The token that is to be put back was there already: the swap that replaces it may still be on
	 * its way, like a SET after a release that found nothing. */
	bool was_back = member->renewal->back.len > 0 && answer->number == RL_SWAPPED_BEFORE;
	return (answer->vote == RL_VOTE_REFUSED || was_back) && member->has_lost_set;
}

static void on_release_answered(rl_renewal_member *member, const rl_reply *reply, int64_t now)
{
	rl_renewer_server *server = member->server;
	rl_request request = rl_renewal_request(member, member->sent, server->lacks_helpers);
	rl_answer answer;
	rl_error err;
	rl_bytes secrets[] = {request.token, request.fresh};
	rl_answer_read(&request, reply, &answer, &err, secrets, 2);
	if (rl_again_is_without_helpers(answer.again)) {
		member->no_helpers = true;
		server->lacks_helpers |= answer.again == RL_AGAIN_NEVER_HELPERS;
		queue_again(member);
	} else if (answer.vote == RL_VOTE_FAILED && rl_error_is_wrong_server(&err)) {
		leave_wrong_server(member, now);
	} else if (leaves_open(member, &answer, &err)) {
		on_release_failed(member);
	} else {
		server->fails = answer.vote == RL_VOTE_FAILED ? server->fails : 0;
		if (answer.vote == RL_VOTE_FAILED || may_count(member)) {
			end_release(member);
		}
	}
}

static void on_reply(rl_renewer_server *server, const rl_reply *reply, int64_t now)
{
	rl_renewal_member *member = take_sent(server);
	if (member == NULL || follow(member, reply)) {
		return;
	}
	if (rl_renewal_is_release(member->sent)) {
		on_release_answered(member, reply, now);
	} else {
		on_renewal_answered(member, reply, now);
	}
}

static void read_all(rl_renewer_server *server, const rl_tick *tick)
{
	while (rl_channel_is_open(&server->channel)) {
		rl_conn_event event;
		rl_channel_next(&server->channel, &event);
		switch (event.type) {
			case RL_CONN_NONE:
				return;
			case RL_CONN_READY:
				rl_channel_note_ready(&server->channel, server->owner->env);
				break;
			case RL_CONN_REPLY:
				on_reply(server, &event.reply, tick->now);
				break;
			case RL_CONN_REFUSED:
			case RL_CONN_DOWN:
				rl_renewer_server_fail(server, tick->now);
				break;
		}
	}
}

void rl_renewer_servers_read(rl_renewer_servers *servers, const rl_tick *tick)
{
	for (rl_renewer_server *server = servers->first; server != NULL; server = server->next) {
		read_all(server, tick);
		if (rl_channel_judge_replicas(&server->channel, tick)) {
			read_all(server, tick);
		}
	}
}

/* ---- lookups ---- */

static bool wants_lookup(const rl_renewal_member *member, int64_t now)
{
	const rl_route *route = member->route;
	bool is_old = route != NULL && now - route->named_at >= route->check_ns / 2;
	return is_old || member->server->is_unknown;
}

void rl_renewer_servers_look_up(rl_renewer_servers *servers, int64_t now)
{
	for (const rl_renewer_server *server = servers->first; server != NULL; server = server->next) {
		for (const rl_renewal_member *member = server->waiting; member != NULL;
			 member = member->next) {
			if (wants_lookup(member, now)) {
				look_up(servers, member->route, RL_LOOKUP_AGAIN_NS, now);
			}
		}
	}
}

bool rl_renewer_servers_step_lookup(rl_renewer_lookup *lookup, const rl_tick *tick, int64_t *until)
{
	if (!rl_lookup_is_open(&lookup->lookup)) {
		return false;
	}
	if (rl_lookup_step(&lookup->lookup, tick) != RL_VOTE_OPEN) {
		return true;
	}
	rl_wait wait;
	rl_wait_begin(&wait);
	rl_lookup_add_to_wait(&lookup->lookup, &wait);
	*until = rl_time_earlier(*until, wait.until);
	return false;
}

void rl_renewer_servers_look_up_again(
	rl_renewer_servers *servers, const rl_renewer_lookup *lookup, int64_t now)
{
	look_up(servers, lookup->lookup.route, 0, now);
}

/* CHECKING: the answer of the member counts, or is a failure. */
static void settle(rl_renewal_member *member, bool counts)
{
	member->state = RL_RENEWAL_MEMBER_IDLE;
	if (!rl_renewal_is_release(member->sent)) {
		on_vote(member, counts ? member->told : RL_VOTE_FAILED);
	} else if (counts) {
		end_release(member);
	} else {
		on_release_failed(member);
	}
}

/* WAITING: the command cannot be sent, and has failed. */
static void refuse(rl_renewal_member *member)
{
	rl_renewer_server_leave(member);
	if (rl_renewal_is_release(member->wanted)) {
		on_release_failed(member);
	} else {
		on_vote(member, RL_VOTE_FAILED);
	}
}

/* The Sentinels have named another server, which is sent the command. */
static void follow_lookup(rl_renewal_member *member)
{
	rl_renewal_member_state state = member->state;
	rl_renewer_server_leave(member);
	move(member, rl_route_node(member->route, 0));
	if (state == RL_RENEWAL_MEMBER_SENT) {
		send_again(member);
	} else if (state != RL_RENEWAL_MEMBER_IDLE && !rl_renewal_is_paused(member->renewal)) {
		rl_renewer_server_queue(member);
	}
}

bool rl_renewer_servers_apply(rl_renewal_member *member, const rl_renewer_lookup *lookup)
{
	if (member->route != lookup->lookup.route) {
		return true;
	}
	bool was_checking = member->state == RL_RENEWAL_MEMBER_CHECKING;
	bool has_named = lookup->lookup.vote == RL_VOTE_GRANTED;
	if (has_named && !is_named(member)) {
		follow_lookup(member);
	} else if (was_checking && has_named && needs_another(member)) {
		return false;
	} else if (was_checking) {
		settle(member, has_named && !is_too_new(member) && !is_before_login(member));
	} else if (member->state == RL_RENEWAL_MEMBER_WAITING && member->server->is_unknown) {
		refuse(member);
	}
	return true;
}

/* ---- the end ---- */

void rl_renewer_servers_free(rl_renewer_servers *servers)
{
	while (servers->first != NULL) {
		rl_renewer_server *server = servers->first;
		servers->first = server->next;
		free_server(server);
	}
	while (servers->lookups != NULL) {
		forget_lookup(&servers->lookups);
	}
	while (servers->routes != NULL) {
		rl_route *route = servers->routes;
		servers->routes = route->next;
		rl_route_unref(route);
	}
}
