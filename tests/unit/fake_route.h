/* SPDX-License-Identifier: MIT
 *
 * Members that are several servers: a cluster, or a primary behind Sentinels. Call these after
 * fake_begin(); fake_end() frees the routes.
 *
 * Key "k" is in slot 7629, of which no node is known in the beginning: the first seed is asked.
 */
#ifndef FAKE_ROUTE_H
#define FAKE_ROUTE_H

#include "fake.h"

#define MOVED_TO(node) "-MOVED 7629 " node ":6379"
#define ASK_AT(node) "-ASK 7629 " node ":6379"
#define NAMES(node) "*$" node " $6379"
#define LOOKUP "SENTINEL GET-MASTER-ADDR-BY-NAME mymaster"

/* Makes the member a cluster with these seeds: "abc" for the servers 0 to 2. Nodes know ASKING. The
 * map is not asked for before a test lets route->map_due pass. */
rl_route *fake_cluster(unsigned member, const char *seeds);

/* Makes the member the primary "mymaster" behind these Sentinels. They have named none yet. */
rl_route *fake_sentinels(unsigned member, const char *sentinels);

/* The Sentinels have named this server so long ago, and a connection to it is idle. */
void fake_named(rl_route *route, unsigned server, int64_t age);

/* An idle connection to each of the seeds. */
void fake_warm_seeds(const rl_route *route);

/* What all Sentinels of the route say to each lookup from now on. */
void fake_all_name(const rl_route *route, const char *text, int64_t delay);

/* With a time of grace: the same, and for how long they have known this server. */
void fake_all_know(const rl_route *route, unsigned server, int64_t age, int64_t delay);

/* None of them answers any more. */
void fake_none_answers(const rl_route *route);

/* Each seed refuses so many dials. */
void fake_seeds_refuse(const rl_route *route, unsigned dials);

/* Ends the connections to the seeds, as fake_kill() does. */
void fake_kill_seeds(const rl_route *route);

/* The address of the node that the route has for "k", by its server: 'a'. 0 = it knows none. */
char fake_node_of(const rl_route *route);

#endif
