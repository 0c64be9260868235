/* SPDX-License-Identifier: MIT */
#include "fake_route.h"

#include "check.h"
#include "core/wire/rl_slot.h"

#include <stdio.h>

/* References that are never given up. */
#define REFS 1000

static rl_target commons[FAKE_MEMBERS];
static char names[FAKE_MEMBERS][32];

static rl_route *make(unsigned member, rl_route_kind kind, const char *scheme)
{
	snprintf(names[member], sizeof names[0], "%s://%u", scheme, member);
	/* No test may dial this target: there is no such server. */
	commons[member] = (rl_target){.refs = REFS,
		.address = {.kind = RL_NET_TCP, .host = (char *) (uintptr_t) "-", .port = 1},
		.name = names[member]};
	rl_route *route = rl_route_new(kind, &commons[member]);
	CHECK(route != NULL);
	fake_owns_routes = true;
	fake_set.members[member].route = route;
	fake_set.members[member].target = &commons[member];
	return route;
}

static void add_seeds(rl_route *route, const char *seeds)
{
	for (; *seeds != '\0'; seeds++) {
		CHECK(rl_route_add_seed(route, &fake_targets[*seeds - 'a']));
	}
}

rl_route *fake_cluster(unsigned member, const char *seeds)
{
	rl_route *route = make(member, RL_ROUTE_CLUSTER, "redis-cluster");
	add_seeds(route, seeds);
	route->map_due = RL_NEVER;
	route->map_asked_at = RL_NEVER - RL_MAP_PAUSE_NS;
	fake_set.naming = RL_NAMES_IN_SLOT;
	for (unsigned i = 0; i < FAKE_SERVERS; i++) {
		fake_always(i, "ASKING", FAKE_SAY, "+OK", 0);
		fake_always(i, "CLUSTER", FAKE_SAY, "-ERR no map", 0);
	}
	return route;
}

rl_route *fake_sentinels(unsigned member, const char *sentinels)
{
	rl_route *route = make(member, RL_ROUTE_SENTINEL, "redis-sentinel");
	add_seeds(route, sentinels);
	CHECK(rl_route_set_service(route, bytes_of("mymaster")));
	return route;
}

void fake_named(rl_route *route, unsigned server, int64_t age)
{
	char host = (char) ('a' + server);
	rl_target *node = rl_route_name(route, rl_bytes_of(&host, 1), 6379, fake_clock - age);
	CHECK(node != NULL);
	fake_warm_to(node);
}

void fake_warm_seeds(const rl_route *route)
{
	for (unsigned i = 0; i < route->seed_count; i++) {
		fake_warm_to(route->seeds[i]);
	}
}

static unsigned server_of(const rl_target *target)
{
	return (unsigned) (target->address.host[0] - 'a');
}

void fake_all_name(const rl_route *route, const char *text, int64_t delay)
{
	for (unsigned i = 0; i < route->seed_count; i++) {
		fake_always(server_of(route->seeds[i]), "SENTINEL", FAKE_SAY, text, delay);
	}
}

/* Two texts take turns, because an answer with the text before may still be on its way. */
void fake_all_know(const rl_route *route, unsigned server, int64_t age, int64_t delay)
{
	static char texts[2][100];
	static unsigned calls;
	char *text = texts[calls++ % 2];
	snprintf(text, sizeof texts[0],
		"*$ip $%c $port $6379 $role-reported-time $%lld $role-reported $master", 'a' + (int) server,
		(long long) (age / RL_NS_PER_MS));
	fake_all_name(route, text, delay);
}

void fake_none_answers(const rl_route *route)
{
	for (unsigned i = 0; i < route->seed_count; i++) {
		fake_always(server_of(route->seeds[i]), "SENTINEL", FAKE_SILENCE, "", 0);
	}
}

void fake_seeds_refuse(const rl_route *route, unsigned dials)
{
	for (unsigned i = 0; i < route->seed_count; i++) {
		fake_refuses(server_of(route->seeds[i]), dials);
	}
}

void fake_kill_seeds(const rl_route *route)
{
	for (unsigned i = 0; i < route->seed_count; i++) {
		fake_kill(server_of(route->seeds[i]));
	}
}

char fake_node_of(const rl_route *route)
{
	unsigned slot = route->kind == RL_ROUTE_CLUSTER ? rl_slot_of(bytes_of("k")) : 0;
	unsigned number = route->slots[slot];
	return number > 0 ? route->nodes[number - 1].target->address.host[0] : 0;
}
