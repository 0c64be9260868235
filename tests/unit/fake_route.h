/* SPDX-License-Identifier: MIT
 *
 * Members that are several servers: a cluster, or a primary behind Sentinels. A test calls these
 * functions after fake_begin(), and fake_end() frees the routes.
 *
 * Key "k" is in slot 7629. In the beginning no node of this slot is known, and the first seed is
 * asked.
 */
#ifndef FAKE_ROUTE_H
#define FAKE_ROUTE_H

#include "fake.h"

#define MOVED_TO(node) "-MOVED 7629 " node ":6379"
#define ASK_AT(node) "-ASK 7629 " node ":6379"
#define NAMES(node) "*$" node " $6379"
#define LOOKUP "SENTINEL GET-MASTER-ADDR-BY-NAME mymaster"

/* Makes the member a cluster with these seeds: "abc" for the servers 0 to 2. Nodes know ASKING. No
 * call asks for the map before a test lets route->map_due pass. */
rl_route *fake_cluster(unsigned member, const char *seeds);

/* Makes the member the primary "mymaster" behind these Sentinels. The Sentinels have named no
 * server yet. */
rl_route *fake_sentinels(unsigned member, const char *sentinels);

/* The last lookup has named this server, and is of this age. A connection to the server is idle. */
void fake_named(rl_route *route, unsigned server, int64_t age);

/* Puts an idle connection to each of the seeds into the pool. */
void fake_warm_seeds(const rl_route *route);

/* From now on all Sentinels of the route answer each lookup with this text. */
void fake_all_name(const rl_route *route, const char *text, int64_t delay);

/* Like fake_all_name() with a time of grace: all Sentinels name this server, and report how long
 * they have known it. */
void fake_all_know(const rl_route *route, unsigned server, int64_t age, int64_t delay);

/* From now on no Sentinel of the route answers. */
void fake_none_answers(const rl_route *route);

/* Each seed refuses this many dials. */
void fake_seeds_refuse(const rl_route *route, unsigned dials);

/* Ends the connections to the seeds, as fake_kill() does. */
void fake_kill_seeds(const rl_route *route);

/* The server whose address the route has for "k": 'a'. 0 = the route knows none. */
char fake_node_of(const rl_route *route);

#endif
