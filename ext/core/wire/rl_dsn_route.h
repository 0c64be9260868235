/* SPDX-License-Identifier: MIT
 *
 * Makes the route of a DSN that names the nodes of a cluster, or Sentinels.
 */
#ifndef RL_DSN_ROUTE_H
#define RL_DSN_ROUTE_H

#include "core/wire/rl_dsn_parts.h"

/* Completes the target of the parts, and makes a route that has it as its common target. The parts
 * have at least one host.
 * @return one reference; NULL when out of memory */
rl_route *rl_dsn_route_make(rl_dsn_parts *parts);

#endif
