/* SPDX-License-Identifier: MIT
 *
 * The place in a DSN: credentials, hosts or the path of a socket, the name that Sentinels know, and
 * the database.
 */
#ifndef RL_DSN_PLACE_H
#define RL_DSN_PLACE_H

#include "core/wire/rl_dsn_parts.h"

/* Reads the text between "scheme://" and '?'. */
rl_status rl_dsn_place_read(rl_bytes place, rl_dsn_parts *parts, rl_error *err) RL_MUST_USE;

#endif
