/* SPDX-License-Identifier: MIT
 *
 * From the DSNs of the constructor or the INI setting to the members of a client's set.
 */
#ifndef REDISLOCK_SERVERS_H
#define REDISLOCK_SERVERS_H

#include "php/redislock_arguments.h"
#include "php/redislock_call.h"

/* Adds the members, and sets the set's options that DSNs have: outage_wait_ns is
 * RL_DSN_NO_OUTAGE_WAIT before, and stays so if no DSN has it. The client must have its pool by
 * now.
 * @return false = an exception was thrown; some members may have been added */
bool redislock_servers_fill(redislock_client *client, const redislock_arguments *arguments);

/* The options of TLS that the member's servers, nodes or Sentinels have; NULL when none of them
 * speaks TLS. */
const rl_tls_options *redislock_servers_tls(const rl_member *member);

/* Returns the next word of a text whose words are separated by spaces; an empty word at its end. */
rl_bytes redislock_servers_next(const char **text);

#endif
