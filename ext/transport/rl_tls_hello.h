/* SPDX-License-Identifier: MIT
 *
 * Whether a port speaks TLS: what to send to find out, and what such an answer looks like. It is for a message only:
 * "does this port want TLS?". Pure functions.
 */
#ifndef RL_TLS_HELLO_H
#define RL_TLS_HELLO_H

#include "core/base/rl_status.h"

/* A ClientHello. A TLS server answers it with a record, be it a refusal. To a Redis server it is no command. */
rl_bytes rl_tls_hello(void);

/* True for the first bytes of a handshake or an alert. No reply of Redis begins so. */
bool rl_tls_is_record(const char *data, size_t len);

#endif
