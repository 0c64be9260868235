/* SPDX-License-Identifier: MIT
 *
 * Finds out whether a port speaks TLS: the bytes to send, and how to recognise the answer. The
 * result only goes into a message: "does this port want TLS?". Both functions are pure.
 */
#ifndef RL_TLS_HELLO_H
#define RL_TLS_HELLO_H

#include "core/base/rl_status.h"

/* A ClientHello. A TLS server answers it with a record, even if it refuses. For a Redis server
 * these bytes are no command. */
rl_bytes rl_tls_hello(void);

/* True for the first bytes of a handshake or an alert. No reply of Redis begins with them. */
bool rl_tls_is_record(const char *data, size_t len);

#endif
