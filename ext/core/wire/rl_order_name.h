/* SPDX-License-Identifier: MIT
 *
 * The name of a member that is more than one server, by which rl_order() gives it its place. All
 * clients must agree on it, whatever they have listed first, so it is not the name of the DSN.
 */
#ifndef RL_ORDER_NAME_H
#define RL_ORDER_NAME_H

#include "core/wire/rl_target.h"

/* Makes the name "sentinel:SERVICE" in place of the old one. False when out of memory. */
bool rl_order_name_set_service(char **name, const char *service) RL_MUST_USE;

/* Makes the name "cluster:host:port" of the seed, if there is no name yet or if this one comes
 * before it in the alphabet. Hosts are in lower case. False when out of memory. */
bool rl_order_name_add_seed(char **name, const rl_address *seed) RL_MUST_USE;

#endif
