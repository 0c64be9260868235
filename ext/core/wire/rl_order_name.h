/* SPDX-License-Identifier: MIT
 *
 * The name by which rl_order() places a member that is more than one server. All clients must agree
 * on this name, in whatever order their DSNs list the servers, so the name of the DSN will not do.
 */
#ifndef RL_ORDER_NAME_H
#define RL_ORDER_NAME_H

#include "core/wire/rl_target.h"

/* Makes the name "sentinel:SERVICE" in place of the old one. False when out of memory. */
bool rl_order_name_set_service(char **name, const char *service) RL_MUST_USE;

/* Makes the name "cluster:host:port" of the seed, if there is no name yet, or if the new name comes
 * before the old one in the alphabet. Hosts are in lower case. False when out of memory. */
bool rl_order_name_add_seed(char **name, const rl_address *seed) RL_MUST_USE;

#endif
