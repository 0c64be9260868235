/* SPDX-License-Identifier: MIT
 *
 * The query of a DSN: options of the form name=value.
 */
#ifndef RL_DSN_OPTIONS_H
#define RL_DSN_OPTIONS_H

#include "core/wire/rl_dsn_parts.h"

/* Reads the text after the '?'. The place must have been read before. */
rl_status rl_dsn_options_read(rl_bytes query, rl_dsn_parts *parts, rl_error *err) RL_MUST_USE;

#endif
